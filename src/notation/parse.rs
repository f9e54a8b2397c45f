//! A move as a person types it who may write in any language, and as it is read from ink.

use super::typed::read;
use super::{CheckMark, Habits, LANGUAGES, Language, Spelling, for_each_spelling, for_each_suffix, legal_shapes};
use crate::reading::symbol_byte;
use cozy_chess::util::{parse_san_move, parse_uci_move};
use cozy_chess::{Board, Move};

/// The legal move that a text says: in Standard Algebraic Notation, in UCI's long form, in numeric notation, in the
/// spellings of `language`, or in those of any other language if they agree. None if it says no legal move, or more than one.
pub fn parse_move(board: &Board, text: &str, language: Option<&Language>) -> Option<Move> {
    let bare = &bare(text);
    if let Ok(mv) = parse_san_move(board, &bare.replace("OO", "O-O").replace("OO", "O-O")) {
        return Some(mv);
    }
    if let Some(mv) = parse_uci_move(board, &bare.to_lowercase()).ok().filter(|mv| board.is_legal(*mv)) {
        return Some(mv);
    }
    if let Some(mv) = numeric(board, bare) {
        return Some(mv);
    }
    let bytes = bytes(bare)?;
    let codes = language.map(|language| language.code).into_iter().chain(["en"]);
    let ways = codes.flat_map(|code| LANGUAGES.iter().filter(move |way| way.code == code));
    for language in language.into_iter().chain(ways) {
        match read(board, text, language)[..] {
            [] => {}
            [mv] => return Some(mv),
            // Another language may know only one move by this name, but that is not what was meant.
            _ => return None,
        }
    }
    // A letter that the writer's language or English gives to a piece is not another language's.
    let own = language.into_iter().chain(Language::find("en")).any(|known| known.initials().contains(&bytes[0]));
    if own {
        return None;
    }
    let mut found: Vec<Move> = Vec::new();
    for mv in LANGUAGES.iter().flat_map(|language| read(board, text, language)) {
        if !found.contains(&mv) {
            found.push(mv);
        }
    }
    if let [mv] = found[..] { Some(mv) } else { None }
}

/// The legal moves that a text says in the spellings of one language.
pub fn spelled_moves(board: &Board, text: &str, language: &Language) -> Vec<Move> {
    bytes(&bare(text)).map_or_else(Vec::new, |bytes| spelled_in(board, &bytes, language))
}

/// The squares that a text names, in order.
pub fn named_squares(text: &str) -> impl DoubleEndedIterator<Item = [u8; 2]> {
    let is_square = |two: &[u8; 2]| (b'a'..=b'h').contains(&two[0]) && (b'1'..=b'8').contains(&two[1]);
    text.as_bytes().windows(2).map(|two| [two[0], two[1]]).filter(is_square)
}

/// A text in the signs that spellings use, without marks at its end.
fn bare(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).map(usual).collect();
    text.trim_end_matches(['+', '#', '!', '?']).to_owned()
}

/// The signs of a text; none where it has none, or one that no spelling has.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let bytes: Option<Vec<u8>> = text.chars().map(symbol_byte).collect();
    bytes.filter(|bytes| !bytes.is_empty())
}

/// A move in the numeric notation of correspondence chess: file and rank of both squares as digits, castling by the
/// king's squares, the piece of a promotion as a fifth digit.
pub(super) fn numeric(board: &Board, text: &str) -> Option<Move> {
    let digits: Vec<usize> = text.chars().map(|c| c.to_digit(9).map(|d| d as usize)).collect::<Option<_>>()?;
    let square = |file: usize, rank: usize| {
        let file = (b'a' + u8::try_from(file.checked_sub(1)?).ok()?) as char;
        (rank > 0).then(|| format!("{file}{rank}"))
    };
    let (from, to) = match digits[..] {
        [a, b, c, d] | [a, b, c, d, _] => (square(a, b)?, square(c, d)?),
        _ => return None,
    };
    let promoted = match digits.get(4) {
        None => "",
        Some(digit) => *["", "q", "r", "b", "n"].get(*digit).filter(|letter| !letter.is_empty())?,
    };
    parse_uci_move(board, &format!("{from}{to}{promoted}")).ok().filter(|mv| board.is_legal(*mv))
}

/// Capture signs, dashes, zeros and letters in the form that spellings use: letters of other scripts by their shape.
pub(super) fn usual(c: char) -> char {
    match c {
        '×' => 'x',
        '–' | '—' | '−' => '-',
        '0' => 'O',
        'К' => 'K',
        'Р' | 'р' | 'Ρ' => 'P',
        'С' => 'C',
        'Т' => 'T',
        'О' => 'O',
        'В' | 'Β' => 'B',
        'Α' => 'A',
        'Π' => 'П',
        'Ι' => '1',
        'Ş' => 'S',
        '♚' => '♔',
        '♛' => '♕',
        '♜' => '♖',
        '♝' => '♗',
        '♞' => '♘',
        other => other,
    }
}

/// The legal moves with this spelling in a language.
fn spelled_in(board: &Board, text: &[u8], language: &Language) -> Vec<Move> {
    let habits = Habits::default();
    let mut endings: Vec<Vec<u8>> = Vec::new();
    for_each_suffix(CheckMark::Quiet, &habits, &mut |suffix| endings.push(suffix.bytes().to_vec()));
    let mut shapes = Vec::new();
    legal_shapes(board, &mut shapes);
    shapes.retain(|(_, shape)| {
        let mut says = false;
        for_each_spelling(Spelling::empty(), shape, language, &habits, &mut |body| {
            says |= text.strip_prefix(body.bytes()).is_some_and(|rest| endings.iter().any(|e| e == rest));
        });
        says
    });
    shapes.into_iter().map(|(mv, _)| mv).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(fen: &str, text: &str, code: &str) -> Option<String> {
        let board: Board = fen.parse().unwrap();
        parse_move(&board, text, Language::find(code)).map(|mv| mv.to_string())
    }

    #[test]
    fn letters_of_every_language_are_read() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for text in ["Nf3", "Sf3", "g1f3", "Cf3", "Nf3!", "Ng1-f3"] {
            assert_eq!(says(start, text, "de").as_deref(), Some("g1f3"), "{text}");
        }
        assert_eq!(says(start, "Кf3", "ru").as_deref(), Some("g1f3"));
        assert_eq!(says(start, "♞f3", "en").as_deref(), Some("g1f3"));
        assert_eq!(says(start, "7163", "en").as_deref(), Some("g1f3"));
        assert_eq!(says(start, "7164", "en"), None);
        assert_eq!(says(start, "Kf3", "en"), None, "an English king, though an Indonesian knight");
        assert_eq!(says(start, "hello", "de"), None);
        assert_eq!(says(start, "", "de"), None);
        assert_eq!(says(start, "Nf6", "en"), None);
    }

    #[test]
    fn castling_is_read_with_zeros_and_without_dashes() {
        let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        for text in ["O-O", "0-0", "00", "OO"] {
            assert_eq!(says(fen, text, "en").as_deref(), Some("e1h1"), "{text}");
        }
        for text in ["O-O-O", "0-0-0", "000", "e1c1"] {
            assert_eq!(says(fen, text, "en").as_deref(), Some("e1a1"), "{text}");
        }
    }

    #[test]
    fn what_may_be_two_moves_is_none() {
        let two_rooks = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1";
        assert_eq!(says(two_rooks, "Rd1", "en"), None);
        assert_eq!(says(two_rooks, "Rad1", "en").as_deref(), Some("a1d1"));
        assert_eq!(says(two_rooks, "Tad1", "de").as_deref(), Some("a1d1"));
    }
}
