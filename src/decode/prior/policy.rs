//! A small model of the moves people play, trained on their games (`models/train/policy.rs`).
//!
//! A move's score is the sum of its hashed features' weights and of a low-rank term: a hidden layer over the position
//! (pieces on squares, the last move, castling rights; cut off below zero), times the move's own row. The softmax over
//! the legal moves is taken of these scores. All weights are whole numbers of eight bits.

use super::MovePrior;
use super::features::{INPUTS, MOST_INPUTS, TABLE_BITS, View};
use crate::notation::MoveShape;
use cozy_chess::{Board, Move};
use std::sync::OnceLock;

/// Width of the hidden layer.
pub const HIDDEN: usize = 64;
/// Rows of the output layer: piece and target, start and target.
pub const OUTPUTS: usize = 6 * 64 + 64 * 64;
/// Number of weights in the hashed table.
pub const TABLE: usize = 1 << TABLE_BITS;
/// What a weight of the table, of the hidden and of the output layer counts.
pub const UNITS: [f32; 3] = [1.0 / 32.0, 1.0 / 64.0, 1.0 / 64.0];
/// Bytes of a model file: table, bias and inputs of the hidden layer, output rows.
pub const BYTES: usize = TABLE + HIDDEN * (1 + INPUTS + OUTPUTS);

/// The model's weights.
pub struct Policy {
    table: Vec<i8>,
    /// The bias, then a row per input.
    hidden: Vec<i16>,
    /// A row per output.
    rows: Vec<i16>,
}

impl Policy {
    /// The model that comes with the program.
    pub fn embedded() -> &'static Self {
        static POLICY: OnceLock<Policy> = OnceLock::new();
        POLICY.get_or_init(|| Self::parse(include_bytes!("../../../models/policy.bin")).unwrap_or_else(Self::blank))
    }

    /// A model from a file's bytes, each a weight with its sign; none if it is not made for these features.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != BYTES {
            return None;
        }
        let (table, rest) = bytes.split_at(TABLE);
        let (hidden, rows) = rest.split_at(HIDDEN * (1 + INPUTS));
        let wide = |bytes: &[u8]| bytes.iter().map(|&b| i16::from(b as i8)).collect();
        Some(Self { table: table.iter().map(|&b| b as i8).collect(), hidden: wide(hidden), rows: wide(rows) })
    }

    /// All moves alike.
    fn blank() -> Self {
        Self { table: vec![0; TABLE], hidden: vec![0; HIDDEN * (1 + INPUTS)], rows: vec![0; HIDDEN * OUTPUTS] }
    }

    fn hidden(&self, view: &View) -> [i16; HIDDEN] {
        let mut inputs = [0; MOST_INPUTS];
        let count = view.inputs(&mut inputs);
        let mut sums = [0i16; HIDDEN];
        sums.copy_from_slice(&self.hidden[..HIDDEN]);
        for &input in &inputs[..count] {
            let start = (1 + usize::from(input)) * HIDDEN;
            sums.iter_mut().zip(&self.hidden[start..start + HIDDEN]).for_each(|(sum, weight)| *sum += weight);
        }
        sums.map(|sum| sum.max(0))
    }

    fn row(&self, row: usize) -> &[i16] {
        &self.rows[row * HIDDEN..(row + 1) * HIDDEN]
    }
}

impl MovePrior for Policy {
    fn scores(&self, board: &Board, last: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>) {
        let view = View::new(board, last);
        let hidden = self.hidden(&view);
        out.clear();
        out.extend(moves.iter().map(|(_, shape)| {
            let direct: i32 = view.features(shape).iter().map(|&f| i32::from(self.table[f as usize])).sum();
            let [by_piece, by_start] = view.outputs(shape).map(|row| self.row(row));
            let low_rank: i32 = hidden
                .iter()
                .zip(by_piece.iter().zip(by_start))
                .map(|(&h, (&a, &b))| i32::from(h) * i32::from(a + b))
                .sum();
            direct as f32 * UNITS[0] + low_rank as f32 * (UNITS[1] * UNITS[2])
        }));
    }
}
