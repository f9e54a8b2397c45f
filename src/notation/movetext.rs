//! A text with moves cut into games and words: PGN, and what people paste. Tags, comments, variations, numbers and
//! results are told from moves; nothing is left out without a word.

use super::typed::is_mark;

/// The moves of one game, as they are written.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The position that its tags start from.
    pub fen: Option<String>,
    pub words: Vec<String>,
}

/// The games of a text, in order; one without moves if there are none.
///
/// # Errors
/// A sentence about a comment or variation that is not closed.
pub fn games(text: &str) -> Result<Vec<Game>, String> {
    let (mut games, mut game, mut over) = (Vec::new(), Game::default(), false);
    for item in items(text)? {
        let next = match &item {
            Item::Tag(..) => over || !game.words.is_empty(),
            // The first move again: another game.
            Item::Number(number) => over || (number == "1." && game.words.len() > 1),
            Item::Word(_) => over,
            Item::Result => false,
        };
        if next {
            games.push(std::mem::take(&mut game));
        }
        over = matches!(item, Item::Result);
        match item {
            Item::Tag(name, value) if name.eq_ignore_ascii_case("FEN") => game.fen = Some(value),
            Item::Word(word) => match game.words.last_mut() {
                // `ch` and `e.p.` belong to the move before them.
                Some(last) if is_mark(&word) => last.push_str(&word),
                _ => game.words.push(word),
            },
            _ => {}
        }
    }
    games.push(game);
    let moved = |game: &Game| !game.words.is_empty();
    if games.iter().any(moved) {
        games.retain(moved);
    } else {
        games.truncate(1);
    }
    Ok(games)
}

#[derive(Debug, PartialEq, Eq)]
enum Item {
    Tag(String, String),
    /// A move number, with its full stops.
    Number(String),
    Result,
    Word(String),
}

fn items(text: &str) -> Result<Vec<Item>, String> {
    let text = text.replace('\u{feff}', " ");
    let mut items = Vec::new();
    let mut line_begins = true;
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() {
            line_begins = c == '\n' || c == '\r';
            rest = &rest[c.len_utf8()..];
            continue;
        }
        rest = match c {
            '{' => behind_comment(rest)?,
            ';' => behind_line(rest),
            '%' if line_begins => behind_line(rest),
            // A numeric annotation glyph.
            '$' => rest[1..].trim_start_matches(|c: char| c.is_ascii_digit()),
            '(' if !is_mark(word_of(rest)) => behind_variation(rest)?,
            '[' if let Some((name, value, behind)) = tag(rest) => {
                items.push(Item::Tag(name.to_owned(), value));
                behind
            }
            _ => {
                let word = word_of(rest);
                classify(word, &mut items);
                &rest[word.len()..]
            }
        };
        line_begins = false;
    }
    Ok(items)
}

fn behind_line(text: &str) -> &str {
    text.find('\n').map_or("", |end| &text[end..])
}

fn behind_comment(text: &str) -> Result<&str, String> {
    text.find('}').map(|end| &text[end + 1..]).ok_or_else(|| not_closed("comment", text, '}'))
}

/// What follows a variation, which may hold comments and variations.
fn behind_variation(text: &str) -> Result<&str, String> {
    let mut depth = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '{' => behind_comment(rest)?,
            _ => &rest[c.len_utf8()..],
        };
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(rest);
        }
    }
    Err(not_closed("variation", text, ')'))
}

fn not_closed(what: &str, text: &str, sign: char) -> String {
    let start: String = text.lines().next().unwrap_or_default().chars().take(20).collect();
    format!("the {what} that begins with \"{start}\" is not closed. Put \"{sign}\" behind it.")
}

/// A tag at the start of a text, such as `[Event "x"]`: its name, its value and what follows.
fn tag(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text.strip_prefix('[')?.split_once('"')?;
    let name = name.trim();
    let mut value = String::new();
    let mut signs = rest.char_indices();
    let end = loop {
        match signs.next()? {
            (at, '"') => break at,
            (_, '\\') => value.push(signs.next()?.1),
            (_, c) => value.push(c),
        }
    };
    let behind = rest[end + 1..].trim_start().strip_prefix(']')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some((name, value, behind))
}

/// The word that begins a text. Brackets in it are part of a move, as in `e8(Q)`, unless they hold several words.
fn word_of(text: &str) -> &str {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        end += rest.find(|c: char| c.is_whitespace() || "{($".contains(c)).unwrap_or(rest.len());
        match bracket_length(&text[end..]) {
            Some(length) => end += length,
            None => return &text[..end],
        }
    }
}

/// The length of a pair of brackets that begins a text and holds no blank.
fn bracket_length(text: &str) -> Option<usize> {
    let end = text.find(|c: char| c.is_whitespace() || c == ')')?;
    (text.starts_with('(') && text[end..].starts_with(')')).then_some(end + 1)
}

const RESULTS: [&str; 13] =
    ["1-0", "0-1", "1/2-1/2", "½-½", "1/2", "½", "*", "1:0", "0:1", "1/2:1/2", "½:½", "1-0.", "0-1."];

/// What commentators think of a position.
const JUDGEMENTS: [&str; 14] = ["+-", "-+", "+/-", "-/+", "+/=", "=/+", "+=", "=+", "±", "∓", "⩲", "⩱", "∞", "="];

/// Adds what a word is; the number of a move may stand before it in the same word.
fn classify(word: &str, items: &mut Vec<Item>) {
    let plain = word.replace(['–', '—', '−'], "-");
    if RESULTS.contains(&plain.as_str()) {
        items.push(Item::Result);
        return;
    }
    if JUDGEMENTS.contains(&plain.as_str()) {
        return;
    }
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let mv = word[digits..].trim_start_matches(['.', '…']);
    let number = &word[..word.len() - mv.len()];
    let lone = mv.is_empty() && digits < 4;
    if !number.is_empty() && (lone || number.len() > digits) {
        items.push(Item::Number(number.to_owned()));
        if !mv.is_empty() {
            items.push(Item::Word(mv.to_owned()));
        }
    } else {
        items.push(Item::Word(word.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut games = games(text).unwrap();
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0).words
    }

    #[test]
    fn a_pgn_is_cut_into_moves() {
        let text = "[White \"A\"]\n\n1. e4 {best. by test} e5 2.Nf3 (2. f4 exf4) 2...Nc6 $1 3. exd6 e.p. e8(Q) 1-0";
        assert_eq!(words(text), ["e4", "e5", "Nf3", "Nc6", "exd6e.p.", "e8(Q)"]);
        assert_eq!(
            words("1 e4 e5 2 Nf3!? ; the rest (of a line {\nNc6$1 3. … 12…Bb5"),
            ["e4", "e5", "Nf3!?", "Nc6", "Bb5"]
        );
        assert_eq!(
            words("1.e4 !? e5?! (1... c5 (1... e6) {)}) 2.Nf3 +- N(QN1)-Q2 dis ch 1/2"),
            ["e4!?", "e5?!", "Nf3", "N(QN1)-Q2disch"]
        );
        assert_eq!(words("1.exd6e.p. e5(1...c5 2.d4)2.Nf3 (=)"), ["exd6e.p.", "e5", "Nf3(=)"]);
        assert_eq!(words("1. 5254 5755 2. 7163 1/2-1/2"), ["5254", "5755", "7163"]);
    }

    #[test]
    fn brackets_of_one_kind_do_not_close_those_of_another() {
        assert_eq!(words("1. e4 {see (A} e5 2. Nf3 {nice :)} Nc6"), ["e4", "e5", "Nf3", "Nc6"]);
        for text in ["1. e4 {open e5 2. Nf3", "1. e4 (1. d4 d5 2. Nf3", "1. e4 (1. d4 {x) d5"] {
            assert!(games(text).unwrap_err().contains("not closed"), "{text}");
        }
        assert_eq!(words("e4 )"), ["e4", ")"], "left for whoever plays it to refuse");
        assert_eq!(words("[e4] e5"), ["[e4]", "e5"]);
    }

    #[test]
    fn games_are_told_apart() {
        let text = "\u{feff}[Event \"{(]\"] [FEN \"x\"]\n\n1. e4 e5 1-0\n\n[Event \"b\"]\n\n1. d4 *\n1. c4 c5";
        let read = games(text).unwrap();
        let words: Vec<String> = read.iter().map(|game| game.words.join(" ")).collect();
        assert_eq!(words, ["e4 e5", "d4", "c4 c5"]);
        assert_eq!(read[0].fen.as_deref(), Some("x"));
        assert_eq!(read[1].fen, None);
        let unplayed = games("[FEN \"x\"] * [Event \"b\"] 1. e4").unwrap();
        assert_eq!((unplayed.len(), unplayed[0].fen.as_deref()), (1, None));
        assert_eq!(games("1. e4 e5\n\n1. d4 d5").unwrap().len(), 2);
        assert_eq!(games("").unwrap(), [Game::default()]);
    }
}
