//! A move as a person types it, read in one language: the marks around it, its script, and the legal moves that it says.

use super::algebraic::Said;
use super::language::{Language, Scheme};
use super::parse::{numeric, usual};
use super::{MoveShape, described, legal_shapes};
use cozy_chess::{Board, Move};

/// What a mark behind a move says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Check,
    EnPassant,
    Remark,
}

/// The marks that may stand behind a move, in any number and order.
const MARKS: [(&str, Mark); 21] = [
    ("(e.p.)", Mark::EnPassant),
    ("(e.p)", Mark::EnPassant),
    ("(ep)", Mark::EnPassant),
    ("e.p", Mark::EnPassant),
    ("ep", Mark::EnPassant),
    ("(ch)", Mark::Check),
    ("check", Mark::Check),
    ("mate", Mark::Check),
    ("ch", Mark::Check),
    ("+", Mark::Check),
    ("#", Mark::Check),
    ("†", Mark::Check),
    ("‡", Mark::Check),
    ("double", Mark::Remark),
    ("disc", Mark::Remark),
    ("dis", Mark::Remark),
    ("dbl", Mark::Remark),
    ("(=)", Mark::Remark),
    ("=", Mark::Remark),
    ("!", Mark::Remark),
    ("?", Mark::Remark),
];

/// A word without the marks at its end, and the marks.
fn without_marks(word: &str) -> (&str, Vec<Mark>) {
    let (mut body, mut marks) = (word, Vec::new());
    loop {
        body = body.trim_end_matches('.');
        // The X of mate in Polish stands behind a square.
        if let Some(mated) = body.strip_suffix('X').filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit())) {
            (body, marks) = (mated, [marks, vec![Mark::Check]].concat());
        }
        let stripped = MARKS.iter().find_map(|(text, mark)| Some((body.strip_suffix(text)?, *mark)));
        // No move is one letter long: `bch` holds no check.
        let letter = |rest: &str| rest.len() == 1 && rest.starts_with(char::is_alphabetic);
        let Some((rest, mark)) = stripped.filter(|(rest, _)| !letter(rest)) else { return (body, marks) };
        body = rest;
        marks.push(mark);
    }
}

/// Whether a word is nothing but marks of the move before it, such as `ch` or `e.p.`
pub fn is_mark(word: &str) -> bool {
    !word.is_empty() && without_marks(word).0.is_empty()
}

/// The legal moves that a word says in the letters of one language: none, one, or several that it does not tell apart.
pub fn read(board: &Board, word: &str, language: &Language) -> Vec<Move> {
    let (body, marks) = without_marks(word);
    let Some(body) = folded(body, language).filter(|body| !body.is_empty()) else { return Vec::new() };
    let mut shapes = Vec::new();
    legal_shapes(board, &mut shapes);
    if marks.contains(&Mark::EnPassant) {
        shapes.retain(|(_, shape)| shape.en_passant);
    }
    retain_said(board, &body, language, &mut shapes);
    if shapes.len() > 1 {
        prefer(&mut shapes, |_, shape| !shape.castles);
    }
    if shapes.len() > 1 && marks.contains(&Mark::Check) {
        prefer(&mut shapes, |mv, _| gives_check(board, mv));
    }
    shapes.into_iter().map(|(mv, _)| mv).collect()
}

/// Keeps the moves that a word without marks says.
fn retain_said(board: &Board, body: &str, language: &Language, shapes: &mut Vec<(Move, MoveShape)>) {
    match language.scheme {
        Scheme::Algebraic | Scheme::Coordinates => {
            let coordinates = language.scheme == Scheme::Coordinates;
            let said = Said::parse(body, language).filter(|said| !coordinates || said.by_squares());
            shapes.retain(|(mv, shape)| said.as_ref().is_some_and(|said| said.says(*mv, shape)));
        }
        Scheme::Numeric => {
            let said = numeric(board, body);
            shapes.retain(|(mv, _)| said == Some(*mv));
        }
        Scheme::Descriptive | Scheme::DescriptiveRankFirst => described::retain_said(body, language, shapes),
    }
}

/// Keeps what is so, if any is.
fn prefer(shapes: &mut Vec<(Move, MoveShape)>, is_so: impl Fn(Move, &MoveShape) -> bool) {
    if shapes.iter().any(|(mv, shape)| is_so(*mv, shape)) {
        shapes.retain(|(mv, shape)| is_so(*mv, shape));
    }
}

fn gives_check(board: &Board, mv: Move) -> bool {
    let mut after = board.clone();
    after.play_unchecked(mv);
    !after.checkers().is_empty()
}

/// A word in the signs of the table of languages, which knows letters by their shape. None if it holds capitals of a
/// script that the language is not written in.
fn folded(word: &str, language: &Language) -> Option<String> {
    let cyrillic = matches!(language.code, "ru" | "uk" | "bg" | "sr");
    let greek = language.code == "el";
    word.chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| match c {
            // Castling, whatever the script.
            'О' | 'Ο' | 'о' | 'ο' | 'o' => Some('O'),
            'х' | 'Х' | 'χ' | 'Χ' => Some('x'),
            // Files typed without changing the keyboard.
            'а' | 'α' => Some('a'),
            'с' => Some('c'),
            'е' => Some('e'),
            // The second letter of the Russian king.
            'p' if cyrillic => Some('P'),
            'I' if greek => Some('1'),
            'Ѐ'..='ӿ' if !cyrillic => None,
            'Ͱ'..='Ͽ' if !greek => None,
            other => Some(usual(other)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(fen: &str, word: &str, code: &str) -> Vec<String> {
        let board: Board = fen.parse().unwrap();
        let ways = Language::find(code).unwrap().ways();
        let mut moves: Vec<String> = ways.flat_map(|way| read(&board, word, way)).map(|mv| mv.to_string()).collect();
        moves.sort();
        moves.dedup();
        moves
    }

    #[test]
    fn marks_are_no_part_of_a_move() {
        let fen = "4k3/8/8/4p3/8/5N2/8/4K3 w - - 0 1";
        for word in ["Nxe5", "Nxe5ch", "Nxe5disch", "Nxe5dblch.", "Nxe5†", "Nxe5!?", "Nxe5(=)", "Nxe5++", "Ne5:+"] {
            assert_eq!(says(fen, word, "en"), ["f3e5"], "{word}");
        }
        for word in ["ch", "ch.", "e.p.", "(ep)", "!?", "dis", "mate", "dis.ch.", "++", "(=)"] {
            assert!(is_mark(word), "{word}");
        }
        for word in ["", "e4", "bc", "O-O", "Kt"] {
            assert!(!is_mark(word), "{word}");
        }
    }

    #[test]
    fn en_passant_is_said_in_many_ways() {
        let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        for word in ["exd6", "exd6ep", "exd6e.p.", "exd6(ep)", "exd6ep.", "PxPep", "PxPe.p.ch", "ede.p."] {
            assert_eq!(says(fen, word, "en"), ["e5d6"], "{word}");
        }
        assert!(says("4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", "exd6ep", "en").is_empty());
    }

    #[test]
    fn a_check_tells_moves_apart() {
        let fen = "8/8/4k3/1p3p2/2P3P1/8/8/4K3 w - - 0 1";
        assert_eq!(says(fen, "PxP", "en"), ["c4b5", "g4f5"]);
        assert_eq!(says(fen, "PxPch", "en"), ["g4f5"]);
    }

    #[test]
    fn scripts_are_kept_apart() {
        let fen = "4k3/8/8/8/8/8/3K4/1N6 w - - 0 1";
        assert_eq!(says(fen, "Кc3", "ru"), ["b1c3"]);
        assert_eq!(says(fen, "Крc3", "ru"), ["d2c3"]);
        assert_eq!(says(fen, "Kpc3", "ru"), ["d2c3"]);
        assert_eq!(says(fen, "Кс3", "ru"), ["b1c3"], "the file of another script");
        assert!(says(fen, "Кc3", "en").is_empty(), "an English king is no Cyrillic letter");
    }
}
