//! English descriptive notation: files named by the pieces that stand on them at the start, ranks counted from the
//! mover's side (`P-K4`, `N-KB3`, `PxP`, `QR-Q1`).

use super::language::Language;
use super::shape::MoveShape;
use super::spelling::Spelling;
use cozy_chess::{File, Piece, Square};

/// Shares of the ways to write; set by hand, a book on the notation calls the first of each the rule.
const WITH_SIGN: f64 = 0.9;
const PIECE_BARE: f64 = 0.8;
const FILE_SHORT: f64 = 0.6;
const CAPTURED_BARE: f64 = 0.75;

/// Visits every body of a move that is neither castling nor finished by a promotion.
pub(super) fn bodies(shape: &MoveShape, language: &Language, finish: &mut impl FnMut(Spelling)) {
    let letter = |piece: Piece| language.letter(piece).as_bytes()[0];
    for_each_piece(Spelling::empty(), shape.piece, shape.from.file(), letter(shape.piece), &mut |piece| {
        if let Some(captured) = shape.captured {
            for (sign, share) in [(&b"x"[..], WITH_SIGN), (b"", 1.0 - WITH_SIGN)] {
                let taking = piece.times(share).letters(sign);
                finish(taking.letter(letter(captured)).times(CAPTURED_BARE));
                let side = side_of(shape.to.file());
                match captured {
                    // A pawn is named by its file, a piece by its side.
                    Piece::Pawn => for_each_file(taking, shape.to.file(), &mut |taking| {
                        finish(taking.letter(letter(captured)).times(1.0 - CAPTURED_BARE));
                    }),
                    _ => finish(taking.letter(side).letter(letter(captured)).times(1.0 - CAPTURED_BARE)),
                }
            }
        } else {
            for (sign, share) in [(&b"-"[..], WITH_SIGN), (b"", 1.0 - WITH_SIGN)] {
                for_each_file(piece.times(share).letters(sign), shape.to.file(), &mut |moved| {
                    finish(moved.letter(rank(shape.to, shape.white)));
                });
            }
        }
    });
}

/// The piece by its letter alone, or with the side or file that it comes from.
fn for_each_piece(start: Spelling, piece: Piece, from: File, letter: u8, visit: &mut impl FnMut(Spelling)) {
    match piece {
        Piece::King | Piece::Queen => visit(start.letter(letter)),
        Piece::Pawn => {
            visit(start.letter(letter).times(PIECE_BARE));
            for_each_file(start.times(1.0 - PIECE_BARE), from, &mut |named| visit(named.letter(letter)));
        }
        _ => {
            visit(start.letter(letter).times(PIECE_BARE));
            // A piece may be far from the side it is named after.
            for side in *b"KQ" {
                visit(start.letter(side).letter(letter).times((1.0 - PIECE_BARE) / 2.0));
            }
        }
    }
}

/// The name of a file: `K`, `KB` or short `B`.
fn for_each_file(start: Spelling, file: File, visit: &mut impl FnMut(Spelling)) {
    let piece = match file {
        File::A | File::H => b'R',
        File::B | File::G => b'N',
        File::C | File::F => b'B',
        File::D | File::E => return visit(start.letter(side_of(file))),
    };
    visit(start.letter(piece).times(FILE_SHORT));
    visit(start.letter(side_of(file)).letter(piece).times(1.0 - FILE_SHORT));
}

/// The half of the board that a file belongs to.
fn side_of(file: File) -> u8 {
    if file < File::E { b'Q' } else { b'K' }
}

/// The rank as the mover counts it.
fn rank(square: Square, white: bool) -> u8 {
    let rank = square.rank() as u8;
    b'1' + if white { rank } else { 7 - rank }
}

#[cfg(test)]
mod tests {
    use crate::notation::{Habits, LANGUAGES, for_each_spelling, legal_shapes};
    use cozy_chess::{Board, Move};

    fn ways(fen: &str, uci: &str) -> Vec<(String, f64)> {
        let language = LANGUAGES.iter().find(|language| language.descriptive).unwrap();
        let board: Board = fen.parse().unwrap();
        let mv: Move = uci.parse().unwrap();
        let mut shapes = Vec::new();
        legal_shapes(&board, &mut shapes);
        let shape = shapes.iter().find(|(m, _)| *m == mv).unwrap().1;
        let mut out = Vec::new();
        for_each_spelling(&shape, language, &Habits::default(), &mut |s| {
            out.push((s.text(), s.probability));
        });
        out
    }

    fn has(ways: &[(String, f64)], text: &str) -> bool {
        ways.iter().any(|(way, _)| way == text)
    }

    #[test]
    fn each_side_counts_from_its_own_end() {
        let white = ways("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1f3");
        assert!(has(&white, "N-KB3") && has(&white, "N-B3") && has(&white, "KN-B3"));
        let black = ways("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "e7e5");
        assert!(has(&black, "P-K4") && !has(&black, "P-K5"));
    }

    #[test]
    fn captures_name_what_is_taken() {
        let takes = ways("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "e4d5");
        assert!(has(&takes, "PxP") && has(&takes, "PxQP") && has(&takes, "KPxP"));
        let total: f64 = takes.iter().map(|(_, p)| p).sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
    }
}
