//! Every way to write a legal move, with its probability under a writer's habits.
//!
//! A spelling is a body (`Nbxd2`) and a suffix (`+`). Bodies do not depend on check, so a move is scored before anyone
//! asks whether it gives check, which costs a move made on the board.

use super::descriptive;
use super::language::{Language, Scheme};
use super::pen::{Pen, Spelling};
use super::shape::{MoveShape, file_char, rank_char};
use super::style::{Choice, Habits};
use cozy_chess::{Piece, Square};

/// What a move does to the king, as far as its spelling shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckMark {
    Quiet,
    Check,
    Mate,
}

impl CheckMark {
    /// All three, in the order of their numbers.
    pub const ALL: [CheckMark; 3] = [CheckMark::Quiet, CheckMark::Check, CheckMark::Mate];
}

/// Visits every body of a move, as it goes on from `start`.
pub fn for_each_spelling<P: Pen>(
    start: P,
    shape: &MoveShape,
    language: &Language,
    habits: &Habits,
    visit: &mut impl FnMut(&P),
) {
    if language.scheme == Scheme::Numeric {
        visit(&numeric(start, shape));
        return;
    }
    if language.scheme == Scheme::Coordinates {
        coordinates(start, shape, language, habits, visit);
        return;
    }
    if shape.castles {
        castling(start, shape, language, habits, visit);
        return;
    }
    let mut finish = |body: P| promotions(body, shape, language, habits, visit);
    if !language.is_algebraic() {
        descriptive::bodies(start, shape, language, &mut finish);
        return;
    }
    if shape.piece == Piece::Pawn {
        let plain = start.choose(Choice::PawnPlain, habits);
        let lettered = start.choose(Choice::PawnLetter, habits).piece(language, Piece::Pawn);
        pawn_bodies(plain, shape, language, habits, &mut finish);
        pawn_bodies(lettered, shape, language, habits, &mut finish);
        letters_alone(lettered, shape, language, habits, &mut finish);
    } else {
        piece_bodies(start.piece(language, shape.piece), shape, language, habits, &mut finish);
    }
}

/// File and rank of both squares as digits, castling by the king's squares; the piece of a promotion is a fifth digit.
fn numeric<P: Pen>(start: P, shape: &MoveShape) -> P {
    let square = |pen: P, square: Square| pen.letter(b'1' + square.file() as u8).letter(rank_char(square.rank()));
    let moved = square(square(start, shape.from), shape.to);
    let promoted = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight].into_iter().zip(b'1'..);
    match promoted.into_iter().find(|(piece, _)| shape.promotion == Some(*piece)) {
        Some((_, digit)) => moved.letter(digit),
        None => moved,
    }
}

/// How often castling is told as such where other moves are told by their squares.
const AS_CASTLING: f64 = 0.5;

/// Both squares, with a sign between them or none; castling by the king's squares, or as such.
fn coordinates<P: Pen>(start: P, shape: &MoveShape, language: &Language, habits: &Habits, visit: &mut impl FnMut(&P)) {
    let mut told = start.square(shape.from);
    if shape.castles {
        castling(start.times(AS_CASTLING), shape, language, habits, visit);
        told = told.times(1.0 - AS_CASTLING);
    }
    let signs: &[(Choice, &[u8])] = if shape.captured.is_some() { &CAPTURE_SIGNS } else { &QUIET_SIGNS };
    for (choice, sign) in signs {
        promotions(told.choose(*choice, habits).letters(sign).square(shape.to), shape, language, habits, visit);
    }
}

fn castling<P: Pen>(start: P, shape: &MoveShape, language: &Language, habits: &Habits, visit: &mut impl FnMut(&P)) {
    use Choice::{CastleBare, CastleHyphens, CastleKing, CastleOneHyphen};
    let long = shape.to.file() < shape.from.file();
    let texts: [&[u8]; 3] = if long { [b"O-O-O", b"OOO", b"O-OO"] } else { [b"O-O", b"OO", b"O-O-"] };
    for (choice, text) in [CastleHyphens, CastleBare, CastleOneHyphen].into_iter().zip(texts) {
        visit(&start.choose(choice, habits).letters(text));
    }
    let king = start.choose(CastleKing, habits).piece(language, Piece::King);
    visit(&king.square(shape.to));
}

/// The signs between the moving piece and what it takes; the colon behind the square is none of them.
pub(super) const CAPTURE_SIGNS: [(Choice, &[u8]); 4] = [
    (Choice::CaptureCross, b"x"),
    (Choice::CaptureNone, b""),
    (Choice::CaptureColon, b":"),
    (Choice::CaptureHyphen, b"-"),
];

/// The signs between the moving piece and an empty square.
pub(super) const QUIET_SIGNS: [(Choice, &[u8]); 3] =
    [(Choice::QuietNone, b""), (Choice::QuietHyphen, b"-"), (Choice::QuietCross, b"x")];

fn long_bodies<P: Pen>(start: P, shape: &MoveShape, habits: &Habits, finish: &mut impl FnMut(P)) {
    let bare = start.choose(Choice::LongBare, habits).square(shape.from);
    if shape.captured.is_some() {
        let hyphen = start.choose(Choice::LongHyphen, habits).square(shape.from);
        finish(bare.square(shape.to));
        for (choice, sign) in [CAPTURE_SIGNS[0], CAPTURE_SIGNS[2], CAPTURE_SIGNS[3]] {
            finish(hyphen.choose(choice, habits).letters(sign).square(shape.to));
        }
    } else {
        finish(bare.square(shape.to));
        finish(start.choose(Choice::LongHyphen, habits).square(shape.from).letter(b'-').square(shape.to));
    }
}

fn pawn_bodies<P: Pen>(start: P, shape: &MoveShape, language: &Language, habits: &Habits, finish: &mut impl FnMut(P)) {
    if start.is_lost() {
        return;
    }
    long_bodies(start, shape, habits, finish);
    let short = start.choose(Choice::Short, habits);
    let Some(captured) = shape.captured else {
        finish(short.square(shape.to));
        return;
    };
    let named = short.letter(file_char(shape.from.file()));
    let file = file_char(shape.to.file());
    for (choice, sign) in CAPTURE_SIGNS {
        let taking = named.choose(choice, habits).letters(sign);
        finish(taking.choose(Choice::PawnTakesSquare, habits).square(shape.to));
        finish(taking.choose(Choice::PawnTakesFile, habits).letter(file));
        if captured != Piece::Pawn {
            finish(taking.choose(Choice::PawnTakesLetter, habits).piece(language, captured));
            finish(taking.choose(Choice::TakesLetterAndSquare, habits).piece(language, captured).square(shape.to));
        }
        if !sign.is_empty() {
            let unsaid = short.choose(choice, habits).choose(Choice::PawnTakesUnsaid, habits);
            finish(unsaid.letters(sign).square(shape.to));
        }
    }
    let behind = named.choose(Choice::CaptureColonBehind, habits).choose(Choice::PawnTakesSquare, habits);
    finish(behind.square(shape.to).letter(b':'));
}

/// A pawn takes a piece, both told by their letters: `PxP`.
fn letters_alone<P: Pen>(
    lettered: P,
    shape: &MoveShape,
    language: &Language,
    habits: &Habits,
    finish: &mut impl FnMut(P),
) {
    let Some(captured) = shape.captured.filter(|_| !lettered.is_lost()) else { return };
    for (choice, sign) in CAPTURE_SIGNS {
        let taking = lettered.choose(Choice::Short, habits).choose(choice, habits).letters(sign);
        finish(taking.choose(Choice::PawnTakesLetter, habits).piece(language, captured));
    }
}

fn piece_bodies<P: Pen>(start: P, shape: &MoveShape, language: &Language, habits: &Habits, finish: &mut impl FnMut(P)) {
    if start.is_lost() {
        return;
    }
    long_bodies(start, shape, habits, finish);
    let short = start.choose(Choice::Short, habits);
    let mut told = |named: P| match shape.captured {
        _ if named.is_lost() => {}
        None => {
            for (choice, sign) in QUIET_SIGNS {
                finish(named.choose(choice, habits).letters(sign).square(shape.to));
            }
        }
        Some(captured) => {
            for (choice, sign) in CAPTURE_SIGNS {
                let taking = named.choose(choice, habits).letters(sign);
                finish(taking.choose(Choice::TakesSquare, habits).square(shape.to));
                finish(taking.choose(Choice::TakesLetter, habits).piece(language, captured));
                if captured != Piece::Pawn {
                    let both = taking.choose(Choice::TakesLetterAndSquare, habits);
                    finish(both.piece(language, captured).square(shape.to));
                }
            }
            let behind = named.choose(Choice::CaptureColonBehind, habits).choose(Choice::TakesSquare, habits);
            finish(behind.square(shape.to).letter(b':'));
        }
    };
    for_each_origin(short, shape, habits, &mut told);
}

/// The file or rank of departure, as it must, may or should not be written.
fn for_each_origin<P: Pen>(short: P, shape: &MoveShape, habits: &Habits, told: &mut impl FnMut(P)) {
    use Choice::{LonePlain, LoneWithFile, LoneWithRank, RivalBoth, RivalLeftOut, RivalOtherWay, RivalToldApart};
    let file = file_char(shape.from.file());
    let rank = rank_char(shape.from.rank());
    if !shape.rivalled {
        told(short.choose(LonePlain, habits));
        if shape.piece != Piece::King {
            told(short.choose(LoneWithFile, habits).letter(file));
            told(short.choose(LoneWithRank, habits).letter(rank));
        }
        return;
    }
    told(short.choose(RivalLeftOut, habits));
    let (by_file, by_rank) = match (shape.file_tells, shape.rank_tells) {
        (true, _) => (RivalToldApart, RivalOtherWay),
        (false, true) => (RivalOtherWay, RivalToldApart),
        (false, false) => (RivalOtherWay, RivalOtherWay),
    };
    told(short.choose(by_file, habits).letter(file));
    told(short.choose(by_rank, habits).letter(rank));
    let both = if shape.file_tells || shape.rank_tells { RivalBoth } else { RivalToldApart };
    told(short.choose(both, habits).letter(file).letter(rank));
}

fn promotions<P: Pen>(body: P, shape: &MoveShape, language: &Language, habits: &Habits, visit: &mut impl FnMut(&P)) {
    use Choice::{PromoteBare, PromoteBrackets, PromoteEquals, PromoteSlash, PromoteUnsaid};
    if shape.en_passant {
        visit(&body.choose(Choice::PassantUnsaid, habits));
        let said = body.choose(Choice::PassantSaid, habits);
        for (note, share) in [(&b"e"[..], 0.4), (b"e.", 0.4), (b"(e)", 0.2)] {
            visit(&said.letters(note).times(share));
        }
        return;
    }
    let Some(piece) = shape.promotion else {
        visit(&body);
        return;
    };
    visit(&body.choose(PromoteEquals, habits).letter(b'=').piece(language, piece));
    visit(&body.choose(PromoteBare, habits).piece(language, piece));
    visit(&body.choose(PromoteBrackets, habits).letter(b'(').piece(language, piece).letter(b')'));
    visit(&body.choose(PromoteSlash, habits).letter(b'/').piece(language, piece));
    if piece == Piece::Queen {
        visit(&body.choose(PromoteUnsaid, habits));
    }
}

/// Annotations, offers of a draw and stray points behind a move, with their shares.
const REMARKS: [(&[u8], f64); 9] = [
    (b"!", 0.29),
    (b"?", 0.29),
    (b"=", 0.12),
    (b"(=)", 0.1),
    (b".", 0.1),
    (b"!!", 0.03),
    (b"??", 0.03),
    (b"!?", 0.02),
    (b"?!", 0.02),
];

/// Visits every suffix that may follow a body: text, probability and the choices behind it.
pub fn for_each_suffix(check: CheckMark, habits: &Habits, visit: &mut impl FnMut(&Spelling)) {
    use Choice::*;
    let plain = Spelling::empty().choose(RemarkNone, habits);
    let marks: &[(Choice, &[u8])] = match check {
        CheckMark::Quiet => &[(QuietUnmarked, b""), (QuietMarked, b"+")],
        CheckMark::Check => &[(CheckUnmarked, b""), (CheckPlus, b"+"), (CheckDoublePlus, b"++")],
        CheckMark::Mate => &[(MateUnmarked, b""), (MatePlus, b"+"), (MateDoublePlus, b"++"), (MateHash, b"#")],
    };
    for (choice, mark) in marks {
        visit(&plain.choose(*choice, habits).letters(mark));
    }
    let remark = Spelling::empty().choose(RemarkMade, habits).choose(marks[0].0, habits);
    for (mark, share) in REMARKS {
        visit(&remark.letters(mark).times(share));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{LANGUAGES, legal_shapes};
    use cozy_chess::{Board, Move};
    use std::collections::BTreeMap;

    fn spellings(fen: &str, uci: &str, language: &str) -> BTreeMap<String, f64> {
        let board: Board = fen.parse().unwrap();
        let mut shapes = Vec::new();
        legal_shapes(&board, &mut shapes);
        let mv: Move = uci.parse().unwrap();
        let shape = shapes.iter().find(|(m, _)| *m == mv).unwrap().1;
        let mut out = BTreeMap::new();
        for_each_spelling(Spelling::empty(), &shape, Language::find(language).unwrap(), &Habits::default(), &mut |s| {
            *out.entry(s.text().to_string()).or_insert(0.0) += s.probability;
        });
        out
    }

    #[test]
    fn a_pawn_capture_is_written_in_many_ways() {
        let all = spellings("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "en");
        for text in ["exd5", "ed5", "exd", "ed", "e:d5", "ed5:", "e4xd5", "e4d5", "xd5", "PxP"] {
            assert!(all.contains_key(text), "{text} is missing from {all:?}");
        }
    }

    #[test]
    fn a_piece_move_knows_long_form_origin_and_language() {
        let fen = "r1b1kb1r/ppppqppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 0 1";
        let english = spellings(fen, "f3e5", "en");
        for text in ["Nxe5", "Ne5", "N:e5", "Nf3xe5", "Nf3e5", "Nfxe5", "Nxe5"] {
            assert!(english.contains_key(text), "{text} is missing from {english:?}");
        }
        assert!(spellings(fen, "f3e5", "de").contains_key("Sxe5"));
        assert!(english["Nxe5"] > english["Ne5"]);
    }

    #[test]
    fn coordinates_name_no_piece() {
        let fen = "r3kb1r/pPppqppp/2n2n2/4p3/4P3/2N2N2/P1PP1PPP/R1BQK2R w KQkq - 0 1";
        let texts = |uci: &str| spellings(fen, uci, "uci").into_keys().collect::<Vec<_>>();
        assert_eq!(texts("c3d5"), ["c3-d5", "c3d5", "c3xd5"]);
        assert!(texts("f3e5").contains(&"f3xe5".to_owned()) && texts("b7a8q").contains(&"b7xa8Q".to_owned()));
        assert!(["e1g1", "O-O"].iter().all(|text| texts("e1h1").contains(&(*text).to_owned())));
    }

    #[test]
    fn probabilities_of_all_bodies_are_close_to_one() {
        for (fen, uci) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1f3"),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"),
            ("4k3/7P/8/8/8/8/8/4K3 w - - 0 1", "h7h8q"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1"),
        ] {
            let total: f64 = spellings(fen, uci, "en").values().sum();
            assert!((0.85..=1.05).contains(&total), "{uci}: {total}");
        }
        assert_eq!(LANGUAGES[0].code, "en");
    }
}
