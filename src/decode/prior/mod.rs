//! How likely a move is before anyone looks at the ink.

pub mod features;
mod policy;

pub use policy::{BYTES, HIDDEN, OUTPUTS, Policy, TABLE, UNITS};

use super::fast_map::FastMap;
use crate::notation::MoveShape;
use cozy_chess::{Board, Move};
use std::sync::{Mutex, PoisonError};

/// A model of the moves people play.
pub trait MovePrior: Sync {
    /// Writes a score for each legal move: the natural logarithm of its probability, give or take a constant that all
    /// moves share. `last` is the move that led to the position, where it is known.
    fn scores(&self, board: &Board, last: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>);
}

/// Writes the logarithms of equal probabilities of so many moves.
pub fn alike(moves: usize, out: &mut Vec<f32>) {
    out.clear();
    out.resize(moves, -(moves as f32).ln());
}

/// Knows nothing: all legal moves alike.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform;

impl MovePrior for Uniform {
    fn scores(&self, _: &Board, _: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>) {
        out.clear();
        out.resize(moves.len(), 0.0);
    }
}

/// How far a model of moves is believed; chosen on held-out sheets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// Factor of its scores.
    pub weight: f32,
    /// Share of moves that follow no model: all legal ones are alike among them. It bounds what a move can cost, so that
    /// clear ink of a move that nobody would play still stands.
    pub doubt: f32,
}

impl Default for Belief {
    fn default() -> Self {
        Self { weight: 0.8, doubt: 0.3 }
    }
}

/// A model that is believed so far and no further, for one game: a position that comes again is not judged again.
pub struct Believed<'a> {
    prior: &'a dyn MovePrior,
    belief: Belief,
    known: Mutex<FastMap<u64, Box<[f32]>>>,
}

impl<'a> Believed<'a> {
    /// Knows no position yet.
    pub fn new(prior: &'a dyn MovePrior, belief: Belief) -> Self {
        Self { prior, belief, known: Mutex::default() }
    }

    /// Writes the natural logarithm of each legal move's probability; `last` is the move that led to the position,
    /// where it is known.
    pub fn log_probabilities(
        &self,
        board: &Board,
        last: Option<Move>,
        moves: &[(Move, MoveShape)],
        out: &mut Vec<f32>,
    ) {
        // The move's number does not belong to the board's own hash.
        let last_key = last.map_or(0, |mv| 1 + (mv.from as u64) * 64 + mv.to as u64);
        let key =
            board.hash() ^ (last_key << 16 | u64::from(board.fullmove_number())).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&key).filter(|found| found.len() == moves.len()) {
            out.clear();
            out.extend_from_slice(found);
            return;
        }
        self.prior.scores(board, last, moves, out);
        self.weigh(out);
        known().insert(key, out.as_slice().into());
    }

    /// Turns scores into logarithms of probabilities that are mixed with equal shares.
    fn weigh(&self, scores: &mut [f32]) {
        let Belief { weight, doubt } = self.belief;
        let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        scores.iter_mut().for_each(|score| *score = (weight * (*score - top)).exp());
        let (factor, any) = ((1.0 - doubt) / scores.iter().sum::<f32>(), doubt / scores.len() as f32);
        scores.iter_mut().for_each(|score| *score = (factor * *score + any).ln());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::legal_shapes;

    /// Logarithms of the probabilities of all moves of a position after a move, by the move's usual text.
    fn judged(fen: &str, last: Option<&str>, belief: Belief) -> Vec<(String, f32)> {
        let board: Board = fen.parse().unwrap();
        let (mut moves, mut out) = (Vec::new(), Vec::new());
        legal_shapes(&board, &mut moves);
        let last = last.map(|last| last.parse().unwrap());
        Believed::new(Policy::embedded(), belief).log_probabilities(&board, last, &moves, &mut out);
        moves.iter().zip(out).map(|((mv, _), p)| (mv.to_string(), p)).collect()
    }

    fn best(judged: &[(String, f32)]) -> &str {
        &judged.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
    }

    const WHOLLY: Belief = Belief { weight: 1.0, doubt: 0.0 };

    #[test]
    fn probabilities_add_up_to_one_and_no_move_is_dearer_than_the_doubt_allows() {
        let start = Board::default().to_string();
        for belief in [WHOLLY, Belief::default()] {
            let judged = judged(&start, None, belief);
            assert!((judged.iter().map(|(_, p)| p.exp()).sum::<f32>() - 1.0).abs() < 1e-4);
            let least = judged.iter().map(|(_, p)| *p).fold(0.0, f32::min);
            assert!(least >= (belief.doubt / 20.0).ln(), "{least}");
        }
    }

    #[test]
    fn the_policy_knows_openings_and_takes_back() {
        let open = judged("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None, WHOLLY);
        assert!(["e2e4", "d2d4"].contains(&best(&open)), "{open:?}");
        // After 4.Bxc6 of the Exchange Variation.
        let fen = "r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4";
        let back = judged(fen, Some("b5c6"), WHOLLY);
        assert_eq!(best(&back), "d7c6", "{back:?}");
        assert!(back.iter().find(|(mv, _)| mv == "d7c6").unwrap().1.exp() > 0.8);
    }

    #[test]
    fn both_sides_are_judged_alike() {
        // The same position with colours and board turned.
        let white = judged("r3k3/8/8/3q4/4P3/8/5P2/4K2R w Kq - 0 20", None, WHOLLY);
        let black = judged("4k2r/5p2/8/4p3/3Q4/8/8/R3K3 b kQ - 0 20", None, WHOLLY);
        assert_eq!((best(&white), best(&black)), ("e4d5", "e5d4"));
        for (mv, p) in &white {
            let turned: String =
                mv.chars().map(|c| c.to_digit(10).map_or(c, |rank| char::from_digit(9 - rank, 10).unwrap())).collect();
            let other = black.iter().find(|(mv, _)| *mv == turned).unwrap().1;
            assert!((p - other).abs() < 1e-4, "{mv} {p} {other}");
        }
    }

    #[test]
    fn a_file_of_another_size_is_refused() {
        assert!(Policy::parse(&[0; 100]).is_none());
    }
}
