//! Why a ply is not clear, in plain words.

use super::confidence::Signs;
use super::emission::Explanation;
use crate::game::{Candidate, Colour, Ply, Written};
use crate::notation::{Language, named_squares, spelled_moves};
use cozy_chess::util::display_san_move;
use cozy_chess::{Board, Move};

/// Of a move that a person has settled.
pub const SET_BY_HAND: &str = "set by hand";
/// Of a move that has no cell.
pub const OMITTED: &str = "nothing is written";
/// Of a move whose cell is blank.
pub const BLANK: &str = "the cell is blank";
/// Of a move whose row no photo shows.
pub const NOT_SHOWN: &str = "its row is not in the photo";

/// Of ink behind the last move.
pub const NO_LEGAL_MOVE: &str = "for which the game up to here has no legal move";
/// Why ink behind rows that are not in the photos is not taken for a move.
pub const NOT_CHECKED: &str = "the moves before it are not in the photos";
/// Of ink within the game.
pub const PASSED_OVER: &str = "which is no move of the game that the other cells tell: passed over";
/// Of ink that repeats what stands right before it.
pub const WRITTEN_TWICE: &str = "which stands right before as well: written twice, passed over";

/// Another candidate below this probability is not worth a word.
const WORTH_NAMING: f32 = 0.01;
/// A fit (see [`Signs::fit`]) below which the ink does not quite say the move.
const NOT_QUITE: f32 = -0.15;
/// Signs of mending (see [`Signs`]) from which it is the likeliest cause of doubt.
const NEAR: f32 = 0.2;

/// What all sheets say in a slot.
pub fn said(written: &[Written]) -> String {
    let texts: Vec<&str> = written.iter().map(|w| w.text.as_str()).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { "something unreadable".to_owned() } else { texts.join(" / ") }
}

/// The likeliest other candidate, if it is worth a word.
fn other(ply: &Ply) -> Option<&Candidate> {
    let others = ply.candidates.iter().filter(|c| Some(&c.san) != ply.san.as_ref());
    others.max_by(|a, b| a.probability.total_cmp(&b.probability)).filter(|c| c.probability >= WORTH_NAMING)
}

/// Why a move is given that is not written; `what` is [`OMITTED`] or [`BLANK`].
pub fn inferred(ply: &Ply, what: &str) -> String {
    format!("{what}; {}", fits(ply))
}

/// How well a move fits that the ink does not say.
fn fits(ply: &Ply) -> String {
    let san = ply.san.as_deref().unwrap_or_default();
    match other(ply) {
        None => format!("{san} is the only move that fits the rest"),
        // Where the likeliest game does not hold the likeliest move.
        Some(other) if other.probability > ply.confidence => format!("it may be {san} or {}", other.san),
        Some(other) => format!("{san} fits the rest best, before {}", other.san),
    }
}

/// The legal moves that the sheets' texts say, each in its language.
fn said_moves(ply: &Ply, board: &Board, languages: &[&Language]) -> Vec<Move> {
    let of = |written: &Written| {
        let language = languages.get(written.sheet);
        language.map_or_else(Vec::new, |language| spelled_moves(board, &written.text, language))
    };
    ply.written.iter().flat_map(of).collect()
}

/// Whether a move is among those that the texts say.
fn is_said(san: &str, board: &Board, said: &[Move]) -> bool {
    let san = plain(san);
    said.iter().any(|mv| plain(&display_san_move(board, *mv).to_string()) == san)
}

/// Why a move stands where the ink seems to say another; `languages` are the sheets'.
pub fn repaired(ply: &Ply, board: &Board, languages: &[&Language]) -> String {
    let (text, san) = (said(&ply.written), ply.san.as_deref().unwrap_or_default());
    let moves = said_moves(ply, board, languages);
    if is_said(san, board, &moves) {
        return hard_to_read(&text);
    }
    let legal = !moves.is_empty();
    let what = if legal { "which does not fit the rest of the game" } else { "which is not legal here" };
    format!("written {text}, {what}; {}", fits(ply))
}

/// Why a move that the ink says is not clear; `languages` are the sheets'.
pub fn doubtful(ply: &Ply, signs: &Signs, board: &Board, languages: &[&Language]) -> String {
    let (text, san) = (said(&ply.written), ply.san.as_deref().unwrap_or_default());
    let near = signs.mended_behind.max(signs.mended_before).max(signs.lost) > NEAR;
    let moves = said_moves(ply, board, languages);
    let own = is_said(san, board, &moves);
    match other(ply) {
        Some(other) if !own && is_said(&other.san, board, &moves) => {
            if other.probability > ply.confidence {
                return format!("read as {text}; it may be {san} or {}", other.san);
            }
            format!("read as {text}, but {san} fits the rest of the game better")
        }
        Some(other) => format!("read as {text}; it may also be {}", other.san),
        None if !own => format!("read as {text}, which is not quite {san}"),
        None if signs.fit >= NOT_QUITE && near => {
            "reads well, but stands near a place where the game was mended".to_owned()
        }
        None => hard_to_read(&text),
    }
}

fn hard_to_read(text: &str) -> String {
    format!("read as {text}, but the hand is hard to read here")
}

/// Where one sheet says the move and another one something else: who wrote what.
pub fn disagreement(
    written: &[Written],
    explained: &[Option<Explanation>],
    keepers: &[Option<Colour>],
) -> Option<String> {
    let says = |w: &&Written| explained.get(w.sheet).copied().flatten().is_some_and(|e| e.spelled >= 0.5);
    let (agree, differ): (Vec<&Written>, Vec<&Written>) = written.iter().filter(|w| !w.text.is_empty()).partition(says);
    if agree.is_empty() || differ.is_empty() {
        return None;
    }
    let who = |w: &&Written| {
        let name = match keepers.get(w.sheet).copied().flatten() {
            Some(Colour::White) => "White".to_owned(),
            Some(Colour::Black) => "Black".to_owned(),
            None => format!("sheet {}", w.sheet + 1),
        };
        format!("{name} wrote {}", w.text)
    };
    let all: Vec<String> = agree.iter().chain(&differ).map(who).collect();
    Some(format!("the sheets differ: {}", all.join(", ")))
}

/// Tells in one sentence of cells and rows that hold no move; `numbers` are those of their rows.
pub fn passed_over(numbers: &[u32]) -> Option<String> {
    const NAMED: usize = 6;
    let mut named: Vec<String> = numbers.iter().take(NAMED).map(u32::to_string).collect();
    if numbers.len() > NAMED {
        named.push(format!("and {} more", numbers.len() - NAMED));
    }
    let moves = if numbers.len() == 1 { "Move" } else { "Moves" };
    (!named.is_empty())
        .then(|| format!("{moves} {}: a cell or row of the table holds no move and was passed over.", named.join(", ")))
}

/// Tells that one player's cells are blank in several rows; `first` and `last` are the numbers of the first and last one.
pub fn not_written(colour: Colour, first: u32, last: u32) -> String {
    let (own, other) = match colour {
        Colour::White => ("White", "Black"),
        Colour::Black => ("Black", "White"),
    };
    format!(
        "{own}'s moves {first} to {last} are not written. What is given for them is guessed from {other}'s moves; enter them if they are known."
    )
}

/// A spelling without the marks that do not change the move.
pub fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() && *c != 'x').collect()
}

/// True for ink that ends in a square or castles, after a piece letter or a file.
pub fn looks_like_a_move(text: &str) -> bool {
    let plain = plain(text);
    plain.starts_with("OO") || ((2..=6).contains(&plain.len()) && named_squares(&plain).next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::material::blank_ply;

    /// A ply with this text in its only cell.
    fn ply(san: &str, text: &str) -> Ply {
        let written = Written { sheet: 0, page: 0, quad: [[0.0; 2]; 4], text: text.to_owned(), confidence: 0.9 };
        Ply { san: Some(san.to_owned()), written: vec![written], ..blank_ply(1, Colour::White) }
    }

    #[test]
    fn what_is_legal_is_told_by_the_language_of_the_sheet() {
        let board = Board::default();
        let german = [Language::find("de").unwrap()];
        let legal = |text: &str| repaired(&ply("Nf3", text), &board, &german).contains("does not fit the rest");
        assert!(legal("Sh3") && legal("e4"));
        assert!(!legal("Lb5") && !legal("Nh3") && !legal("?"), "no such move, or no German letter");
    }

    #[test]
    fn a_text_that_spells_the_move_is_not_called_something_else() {
        let (board, german) = (Board::default(), [Language::find("de").unwrap()]);
        let signs = Signs { fit: -1.0, ..Signs::default() };
        let why = |text: &str| doubtful(&ply("Nf3", text), &signs, &board, &german);
        assert_eq!(why("Sf3"), "read as Sf3, but the hand is hard to read here");
        assert_eq!(why("Sf8"), "read as Sf8, which is not quite Nf3");
        assert_eq!(repaired(&ply("Nf3", "Sf3"), &board, &german), why("Sf3"));
    }

    #[test]
    fn a_doubtful_move_is_not_told_from_what_is_read() {
        let (board, german) = (Board::default(), [Language::find("de").unwrap()]);
        let why = |text: &str, probability: f32| {
            let candidates = vec![Candidate { san: "Nh3".to_owned(), probability }];
            let ply = Ply { candidates, confidence: 1.0 - probability, ..ply("Nf3", text) };
            doubtful(&ply, &Signs { lost: 1.0, ..Signs::default() }, &board, &german)
        };
        assert_eq!(why("Sh3", 0.1), "read as Sh3, but Nf3 fits the rest of the game better");
        assert_eq!(why("Sh3", 0.6), "read as Sh3; it may be Nf3 or Nh3");
        assert_eq!(why("Sf3", 0.1), "read as Sf3; it may also be Nh3");
        assert_eq!(why("Sh3", 0.0), "read as Sh3, which is not quite Nf3");
        assert!(why("Sf3", 0.0).starts_with("reads well, but stands near a place"));
    }

    #[test]
    fn of_what_is_not_written_only_the_only_move_is_called_so() {
        let (alone, mut guessed) = (ply("Nf3", ""), ply("Nf3", ""));
        guessed.candidates = vec![Candidate { san: "Nc3".to_owned(), probability: 0.4 }];
        guessed.confidence = 0.5;
        assert_eq!(inferred(&alone, BLANK), "the cell is blank; Nf3 is the only move that fits the rest");
        assert_eq!(inferred(&guessed, OMITTED), "nothing is written; Nf3 fits the rest best, before Nc3");
        guessed.confidence = 0.3;
        assert_eq!(inferred(&guessed, OMITTED), "nothing is written; it may be Nf3 or Nc3");
    }
}
