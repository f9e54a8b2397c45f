//! Of which moves the ink of a cell may say anything, told without a look at their spellings.

use super::emission::Cell;
use super::score::Lattice;
use crate::notation::shape::{file_char, rank_char};
use crate::notation::{Choice, MoveShape};
use cozy_chess::{BitBoard, Board, File, Piece, Rank, Square};

/// What is a smaller share of alien ink than this is neglected.
const NEGLECTED: f32 = 0.1;

/// The moves of which the ink of a slot may say something: by piece the squares to which they bring it. More of them than
/// need be, never fewer.
#[derive(Debug, Default)]
pub struct Said {
    quiet: [BitBoard; 6],
    /// If something is captured there.
    takes: [BitBoard; 6],
}

impl Said {
    /// By piece, the squares of a position as [`crate::notation::LegalMoves::shapes_to`] takes them.
    pub fn squares(&self, board: &Board) -> [BitBoard; 6] {
        let side = board.side_to_move();
        let passing = board.en_passant().map_or(BitBoard::EMPTY, File::bitboard);
        Piece::ALL.map(|piece| {
            let taken = match piece {
                Piece::Pawn => board.colors(!side) | passing,
                _ => board.colors(!side),
            };
            let castling = if piece == Piece::King { board.colors(side) } else { BitBoard::EMPTY };
            self.quiet[piece as usize] | self.takes[piece as usize] & taken | castling
        })
    }
}

impl Cell<'_> {
    /// The squares of [`super::emission::Emission::hopeful`] for one cell.
    pub(super) fn hopeful(&self, piece: Piece, least: f32) -> BitBoard {
        let Some(lattice) = self.lattice().filter(|_| self.writer.language.is_algebraic()) else {
            return BitBoard::FULL;
        };
        let letter = self.letter(lattice, piece);
        let castling = lattice.support(self.writer.symbols, b'O');
        let fits = |square: &Square| {
            let castles = piece == Piece::King && matches!(square.rank(), Rank::First | Rank::Eighth);
            let castling = if castles { castling } else { 0.0 };
            self.at_most(lattice, (piece, letter), *square, None) + castling >= least
        };
        Square::ALL.iter().copied().filter(fits).collect()
    }

    /// Adds the moves of which the ink may say something.
    pub(super) fn add_said(&self, said: &mut Said) {
        let Some(lattice) = self.lattice() else { return };
        if !self.writer.language.is_algebraic() {
            *said = Said { quiet: [BitBoard::FULL; 6], takes: [BitBoard::FULL; 6] };
            return;
        }
        let least = NEGLECTED * self.alien().exp();
        let letters = Piece::ALL.map(|piece| self.letter(lattice, piece));
        let taken = letters.iter().copied().fold(0.0, f32::max);
        for piece in Piece::ALL {
            let says =
                |to: &Square, taken| self.at_most(lattice, (piece, letters[piece as usize]), *to, taken) >= least;
            said.quiet[piece as usize] |= Square::ALL.iter().copied().filter(|to| says(to, None)).collect();
            said.takes[piece as usize] |= Square::ALL.iter().copied().filter(|to| says(to, Some(taken))).collect();
        }
    }

    /// Whether the ink may say something of a move.
    pub(super) fn says(&self, lattice: &Lattice, shape: &MoveShape) -> bool {
        if shape.castles || !self.writer.language.is_algebraic() {
            return true;
        }
        let letter = |piece| self.letter(lattice, piece);
        let at_most = self.at_most(lattice, (shape.piece, letter(shape.piece)), shape.to, shape.captured.map(letter));
        at_most >= NEGLECTED * self.alien().exp()
    }

    /// How far the ink supports a piece's letter.
    fn letter(&self, lattice: &Lattice, piece: Piece) -> f32 {
        self.writer.language.bytes(piece).next().map_or(0.0, |byte| lattice.support(self.writer.symbols, byte))
    }

    /// An upper bound, save for a few alignments, of what spellings and slips of a move add to alien ink: nearly all
    /// of them name its file or its rank. Pieces come with how far the ink supports their letters.
    fn at_most(&self, lattice: &Lattice, (piece, letter): (Piece, f32), to: Square, taken: Option<f32>) -> f32 {
        let support = |byte: u8| lattice.support(self.writer.symbols, byte);
        let (file, rank) = (support(file_char(to.file())), support(rank_char(to.rank())));
        let share = |choice: Choice| self.writer.habits.share(choice) as f32;
        let named = if piece == Piece::Pawn { 1.0 } else { letter };
        let other = match (taken, piece) {
            (None, _) => 0.0,
            (Some(taken), Piece::Pawn) => share(Choice::PawnTakesFile) * file + share(Choice::PawnTakesLetter) * taken,
            (Some(taken), _) => share(Choice::TakesLetter) * taken,
        };
        named * (file * rank + other) + self.slips_at_most(named, file, rank)
    }

    /// What slips add at most, given how far the ink supports the piece, the file and the rank.
    fn slips_at_most(&self, piece: f32, file: f32, rank: f32) -> f32 {
        self.writer.prices.slip.exp() * (piece * file.max(rank) + file * rank)
    }
}

#[cfg(test)]
mod tests {
    use crate::decode::SlipPrices;
    use crate::decode::emission::{Emission, Ink, Scores, Writer};
    use crate::decode::score::tests::{alphabet, reading_of};
    use crate::decode::score::{Beside, Lattice, Symbols};
    use crate::notation::{Habits, LANGUAGES, LegalMoves, legal_shapes};
    use cozy_chess::Board;

    #[test]
    fn moves_of_which_the_ink_says_nothing_score_alike() {
        let (alphabet, language) = (alphabet(), LANGUAGES.iter().find(|language| language.code == "en").unwrap());
        let symbols = Symbols::new(&alphabet);
        let writer = Writer {
            symbols: &symbols,
            language,
            habits: Habits::default(),
            prices: SlipPrices::default(),
            beside: Beside::default(),
        };
        // Captures of each kind, castling both ways, promotions, a capture in passing.
        let boards = [
            "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8",
            "4k3/P5P1/8/3pP3/8/2n5/1B1R1Q2/4K3 w - d6 0 1",
        ]
        .map(|fen| fen.parse::<Board>().unwrap());
        let mut left_out = 0;
        for text in ["Nd5", "O-O", "exd6", "NxB", "a8Q", "ed", "Bxe6", "Qh4", "RP"] {
            let inks = [Ink::Written(Lattice::new(&reading_of(text, 0.9, &alphabet), &alphabet, 1.0))];
            for board in &boards {
                let mut emission = Emission::new(inks.iter().zip([&writer]), Scores::default());
                let (said, unsaid) = (emission.said().squares(board), emission.unsaid());
                let (mut all, mut told) = (Vec::new(), Vec::new());
                legal_shapes(board, &mut all);
                LegalMoves::new(board).shapes_to(&said, &mut told);
                assert_eq!(LegalMoves::new(board).count(), all.len());
                for (mv, shape) in all.iter().filter(|(mv, _)| !told.iter().any(|(other, _)| other == mv)) {
                    assert_eq!(emission.score(shape), [unsaid; 3], "{mv} by {text}");
                    left_out += 1;
                }
            }
        }
        assert!(left_out > 200, "{left_out} are told without their spellings");
    }
}
