//! Descriptive notation: files named by the pieces that stand on them at the start, ranks counted from the mover's side.
//! English names the file first (`P-K4`, `N-KB3`, `QR-Q1`), Spanish the rank (`P4R`, `C3AR`, `TD1D`).

use super::language::{Language, Scheme};
use super::pen::{Pen, Spelling};
use super::shape::MoveShape;
use cozy_chess::{File, Piece, Square};

/// Shares of the ways to write; set by hand, books on the notation call the first of each the rule.
const TAKEN_WITH_SIGN: f64 = 0.9;
const PIECE_BARE: f64 = 0.8;
const FILE_SHORT: f64 = 0.6;
const CAPTURED_BARE: f64 = 0.75;
/// The hyphen before a square: English has one, Spanish none.
const HYPHEN: f64 = 0.9;
const HYPHEN_BEFORE_RANK: f64 = 0.05;

/// Visits every body of a move that is neither castling nor finished by a promotion.
pub(super) fn bodies<P: Pen>(start: P, shape: &MoveShape, language: &Language, finish: &mut impl FnMut(P)) {
    let words = Words { language, rank_first: language.scheme == Scheme::DescriptiveRankFirst };
    words.for_each_piece(start, shape.piece, shape.from.file(), &mut |piece| {
        if let Some(captured) = shape.captured {
            for (sign, share) in [(&b"x"[..], TAKEN_WITH_SIGN), (b"", 1.0 - TAKEN_WITH_SIGN)] {
                let taking = piece.times(share).letters(sign);
                finish(taking.letter(words.letter(captured)).times(CAPTURED_BARE));
                let told = taking.times(1.0 - CAPTURED_BARE);
                match captured {
                    // A pawn is named by its file, a piece by its side.
                    Piece::Pawn => words.for_each_pawn(told, shape.to.file(), finish),
                    _ => finish(words.of_side(told, captured, side_of(shape.to.file()))),
                }
            }
        } else {
            let hyphen = if words.rank_first { HYPHEN_BEFORE_RANK } else { HYPHEN };
            for (sign, share) in [(&b"-"[..], hyphen), (b"", 1.0 - hyphen)] {
                let moving = piece.times(share).letters(sign);
                let rank = rank(shape.to, shape.white);
                if words.rank_first {
                    words.for_each_file(moving.letter(rank), shape.to.file(), finish);
                } else {
                    words.for_each_file(moving, shape.to.file(), &mut |moved| finish(moved.letter(rank)));
                }
            }
        }
    });
}

/// The names of a square as the mover counts: `N1`, `QN1`; Spanish `1C`, `1CD`; and its rank alone. The fullest is last.
pub(super) fn square_names(square: Square, white: bool, language: &Language) -> Vec<String> {
    let words = Words { language, rank_first: language.scheme == Scheme::DescriptiveRankFirst };
    let rank = rank(square, white);
    let mut names = vec![char::from(rank).to_string()];
    if words.rank_first {
        let start = Spelling::empty().letter(rank);
        words.for_each_file(start, square.file(), &mut |name| names.push(name.text()));
    } else {
        words.for_each_file(Spelling::empty(), square.file(), &mut |name| names.push(name.letter(rank).text()));
    }
    names
}

/// The words of a language, each a letter.
struct Words<'a> {
    language: &'a Language,
    /// The rank comes before the file, and a piece before its side.
    rank_first: bool,
}

impl Words<'_> {
    fn letter(&self, piece: Piece) -> u8 {
        self.language.letter(piece).as_bytes()[0]
    }

    /// A piece with the side of the board that it is told by, which is named after king or queen: `KB`, Spanish `AR`.
    fn of_side<P: Pen>(&self, start: P, piece: Piece, side: Piece) -> P {
        let (piece, side) = (self.letter(piece), self.letter(side));
        if self.rank_first { start.letter(piece).letter(side) } else { start.letter(side).letter(piece) }
    }

    /// The piece by its letter alone, or with the side or file that it comes from.
    fn for_each_piece<P: Pen>(&self, start: P, piece: Piece, from: File, visit: &mut impl FnMut(P)) {
        let (bare, told) = (start.letter(self.letter(piece)), start.times(1.0 - PIECE_BARE));
        match piece {
            Piece::King | Piece::Queen => visit(bare),
            Piece::Pawn => {
                visit(bare.times(PIECE_BARE));
                self.for_each_pawn(told, from, visit);
            }
            _ => {
                visit(bare.times(PIECE_BARE));
                // A piece may be far from the side it is named after.
                for side in [Piece::King, Piece::Queen] {
                    visit(self.of_side(told.times(0.5), piece, side));
                }
            }
        }
    }

    /// A pawn by its file: `KBP`, Spanish `PAR`.
    fn for_each_pawn<P: Pen>(&self, start: P, file: File, visit: &mut impl FnMut(P)) {
        let pawn = self.letter(Piece::Pawn);
        if self.rank_first {
            self.for_each_file(start.letter(pawn), file, visit);
        } else {
            self.for_each_file(start, file, &mut |named| visit(named.letter(pawn)));
        }
    }

    /// The name of a file: `K`, `KB` or short `B`; Spanish `R`, `AR`, `A`.
    fn for_each_file<P: Pen>(&self, start: P, file: File, visit: &mut impl FnMut(P)) {
        let piece = match file {
            File::A | File::H => Piece::Rook,
            File::B | File::G => Piece::Knight,
            File::C | File::F => Piece::Bishop,
            File::D | File::E => return visit(start.letter(self.letter(side_of(file)))),
        };
        visit(start.letter(self.letter(piece)).times(FILE_SHORT));
        visit(self.of_side(start, piece, side_of(file)).times(1.0 - FILE_SHORT));
    }
}

/// The half of the board that a file belongs to.
fn side_of(file: File) -> Piece {
    if file < File::E { Piece::Queen } else { Piece::King }
}

/// The rank as the mover counts it.
fn rank(square: Square, white: bool) -> u8 {
    let rank = square.rank() as u8;
    b'1' + if white { rank } else { 7 - rank }
}

#[cfg(test)]
mod tests {
    use super::Scheme;
    use crate::notation::{Habits, LANGUAGES, Spelling, for_each_spelling, legal_shapes};
    use cozy_chess::{Board, Move};

    fn ways(fen: &str, uci: &str) -> Vec<(String, f64)> {
        ways_in(Scheme::Descriptive, fen, uci)
    }

    fn ways_in(scheme: Scheme, fen: &str, uci: &str) -> Vec<(String, f64)> {
        let language = LANGUAGES.iter().find(|language| language.scheme == scheme).unwrap();
        let board: Board = fen.parse().unwrap();
        let mv: Move = uci.parse().unwrap();
        let mut shapes = Vec::new();
        legal_shapes(&board, &mut shapes);
        let shape = shapes.iter().find(|(m, _)| *m == mv).unwrap().1;
        let mut out = Vec::new();
        for_each_spelling(Spelling::empty(), &shape, language, &Habits::default(), &mut |s| {
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

    #[test]
    fn spanish_names_the_rank_first() {
        let ways = |fen, uci| ways_in(Scheme::DescriptiveRankFirst, fen, uci);
        let knight = ways("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1f3");
        assert!(has(&knight, "C3AR") && has(&knight, "C3A") && has(&knight, "CR3A"));
        let black = ways("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "e7e5");
        assert!(has(&black, "P4R") && !has(&black, "P5R"));
        let takes = ways("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "e4d5");
        assert!(has(&takes, "PxP") && has(&takes, "PxPD") && has(&takes, "PRxP"));
        for ways in [knight, black, takes] {
            let total: f64 = ways.iter().map(|(_, p)| p).sum();
            assert!((total - 1.0).abs() < 1e-6, "{total}");
        }
    }
}
