//! The games that the search keeps: a graph of positions over the slots of the table.
//!
//! A node is a position before a slot; an edge is what happened there. Equal positions before the same slot are one
//! node, so the number of nodes stays small while the graph holds a great many games, and sums over it are sums over
//! games.

use crate::notation::CheckMark;
use cozy_chess::{Board, Move};

/// What happened between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The slot holds this move.
    Written(Move, CheckMark),
    /// This move was played and not written; the slot stays the same.
    Omitted(Move),
    /// The slot, and perhaps the next one, holds no move.
    Skipped,
}

/// An edge of the graph.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub step: Step,
    /// Natural logarithm of its probability.
    pub weight: f32,
}

/// A position before a slot.
#[derive(Debug, Clone)]
pub struct Node {
    pub board: Board,
    pub slot: usize,
    /// Sum over all ways here, natural logarithm.
    pub(super) score: f64,
    /// The best way here, natural logarithm.
    pub(super) best: f64,
    /// The best way here needs a move that the ink does not say, or leaves the order of the table.
    pub(super) mended: bool,
    /// The edge by which the best way comes.
    pub(super) back: Option<u32>,
}

/// All games that the search kept. Edges stand in topological order.
#[derive(Debug, Default, Clone)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Nodes at which the game may end, and the price of the ink that is left.
    pub ends: Vec<(u32, f32)>,
}

/// ln(exp(a) + exp(b)).
pub(super) fn log_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

impl Graph {
    /// The edges of the likeliest single game, first to last, and the node at which it ends.
    pub fn best_path(&self) -> (Vec<u32>, Option<u32>) {
        let value = |&(node, tail): &(u32, f32)| self.nodes[node as usize].best + f64::from(tail);
        let Some(&(end, _)) = self.ends.iter().max_by(|a, b| value(a).total_cmp(&value(b))) else {
            return (Vec::new(), None);
        };
        let mut path = Vec::new();
        let mut node = end;
        while let Some(edge) = self.nodes[node as usize].back {
            path.push(edge);
            node = self.edges[edge as usize].from;
        }
        path.reverse();
        (path, Some(end))
    }

    /// The likeliest single game: what happened before which slot.
    pub fn best_game(&self) -> Vec<(usize, Step)> {
        let (path, _) = self.best_path();
        let edges = path.iter().map(|&edge| &self.edges[edge as usize]);
        edges.map(|edge| (self.nodes[edge.from as usize].slot, edge.step)).collect()
    }

    /// The move by which the best way to a node comes, unless a cell was passed over there.
    pub fn last_move(&self, node: u32) -> Option<Move> {
        let back = self.nodes[node as usize].back?;
        match self.edges[back as usize].step {
            Step::Written(mv, _) | Step::Omitted(mv) => Some(mv),
            Step::Skipped => None,
        }
    }

    /// The furthest slot that any game reached.
    pub fn furthest(&self) -> usize {
        self.nodes.iter().map(|node| node.slot).max().unwrap_or(0)
    }

    /// Natural logarithm of the summed probability of all games kept.
    pub fn evidence(&self) -> f64 {
        self.ends
            .iter()
            .map(|&(node, tail)| self.nodes[node as usize].score + f64::from(tail))
            .fold(f64::NEG_INFINITY, log_add)
    }
}
