//! How likely a move is before anyone looks at the ink.

pub mod features;
mod policy;

pub use policy::{BYTES, HIDDEN, OUTPUTS, Policy, TABLE, UNITS};

use super::emission::FastMap;
use crate::notation::MoveShape;
use cozy_chess::{BitBoard, Board, Color, Move, Piece};
use std::sync::{Mutex, PoisonError};

/// A model of the moves people play.
pub trait MovePrior: Sync {
    /// Writes the natural logarithm of each legal move's probability; the probabilities add up to one. `last` is the
    /// move that led to the position, where it is known.
    fn log_probabilities(&self, board: &Board, last: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>);
}

/// Turns scores into logarithms of probabilities.
fn normalise(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total = scores.iter().map(|score| (score - top).exp()).sum::<f32>().ln() + top;
    scores.iter_mut().for_each(|score| *score -= total);
}

/// Knows nothing: all legal moves alike.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform;

impl MovePrior for Uniform {
    fn log_probabilities(&self, _: &Board, _: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>) {
        out.clear();
        out.resize(moves.len(), -(moves.len() as f32).ln());
    }
}

/// How far a model of moves is believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// Factor of its log-probabilities, before they are made to add up to one again.
    pub weight: f32,
    /// Share of moves that follow no model: all legal ones are alike among them. It bounds what a move can cost, so that
    /// clear ink of a move that nobody would play still stands.
    pub doubt: f32,
}

impl Default for Belief {
    fn default() -> Self {
        Self { weight: 1.0, doubt: 0.1 }
    }
}

/// A model that is believed so far and no further, for one game: positions that come again are not judged again.
pub struct Believed<'a> {
    prior: &'a dyn MovePrior,
    belief: Belief,
    known: Mutex<FastMap<u64, Box<[f32]>>>,
}

impl<'a> Believed<'a> {
    pub fn new(prior: &'a dyn MovePrior, belief: Belief) -> Self {
        Self { prior, belief, known: Mutex::default() }
    }

    /// Weighs the logarithms of probabilities and mixes them with equal shares.
    fn weigh(&self, logs: &mut [f32]) {
        let Belief { weight, doubt } = self.belief;
        let top = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        logs.iter_mut().for_each(|p| *p = (weight * (*p - top)).exp());
        let (factor, any) = ((1.0 - doubt) / logs.iter().sum::<f32>(), doubt / logs.len() as f32);
        logs.iter_mut().for_each(|p| *p = (factor * *p + any).ln());
    }
}

impl MovePrior for Believed<'_> {
    fn log_probabilities(&self, board: &Board, last: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>) {
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
        self.prior.log_probabilities(board, last, moves, out);
        self.weigh(out);
        known().insert(key, out.as_slice().into());
    }
}

/// A few rules of thumb, for when no policy network is at hand: people take back, take what is worth more, castle, and
/// seldom leave a piece where a pawn takes it.
#[derive(Debug, Clone, Copy, Default)]
pub struct RulesOfThumb;

impl MovePrior for RulesOfThumb {
    fn log_probabilities(&self, board: &Board, _: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>) {
        let them = !board.side_to_move();
        let guarded = pawn_attacks(board.colored_pieces(them, Piece::Pawn), them);
        out.clear();
        out.extend(moves.iter().map(|(_, shape)| {
            let mut weight = match shape.captured {
                Some(taken) => 0.7 + 0.35 * (worth(taken) - worth(shape.piece)).clamp(-3.0, 5.0),
                None => 0.0,
            };
            if shape.piece != Piece::Pawn && guarded.has(shape.to) {
                weight -= 1.0;
            }
            if shape.castles {
                weight += 1.5;
            }
            if shape.promotion.is_some() {
                weight += if shape.promotion == Some(Piece::Queen) { 1.5 } else { -2.5 };
            }
            if shape.piece == Piece::King && !shape.castles && board.occupied().len() > 14 {
                weight -= 0.7;
            }
            weight
        }));
        normalise(out);
    }
}

/// Material worth in pawns.
fn worth(piece: Piece) -> f32 {
    match piece {
        Piece::Pawn => 1.0,
        Piece::Knight | Piece::Bishop => 3.0,
        Piece::Rook => 5.0,
        Piece::Queen => 9.0,
        Piece::King => 4.0,
    }
}

fn pawn_attacks(pawns: BitBoard, colour: Color) -> BitBoard {
    pawns.into_iter().fold(BitBoard::EMPTY, |attacks, square| attacks | cozy_chess::get_pawn_attacks(square, colour))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::legal_shapes;

    #[test]
    fn probabilities_add_up_to_one_and_a_free_queen_is_taken() {
        let board: Board = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
        let (mut moves, mut out) = (Vec::new(), Vec::new());
        legal_shapes(&board, &mut moves);
        RulesOfThumb.log_probabilities(&board, None, &moves, &mut out);
        assert!((out.iter().map(|w| w.exp()).sum::<f32>() - 1.0).abs() < 1e-4);
        let best = (0..moves.len()).max_by(|&a, &b| out[a].total_cmp(&out[b])).unwrap();
        assert_eq!(moves[best].0.to_string(), "e4d5");
    }
}
