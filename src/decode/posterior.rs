//! From the graph of games to the share of the probability that every move has.
//!
//! The forward-backward algorithm (Rabiner 1989, section III) sums over all games that the search kept. Weights are
//! tempered first: neighbouring pieces of evidence are not as independent as the model takes them to be, so its
//! posteriors are too sharp, by a factor in the logarithm that is measured on held-out sheets.

use super::graph::{Graph, Step, log_add};
use cozy_chess::{Color, Move};

/// Posterior of a move at a slot, with an edge that makes it.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    pub mv: Move,
    pub edge: u32,
    pub probability: f32,
}

/// Posteriors over the graph.
#[derive(Debug)]
pub struct Posterior {
    /// Per edge.
    pub edges: Vec<f32>,
    /// Per slot the moves that it may hold, best first.
    pub slots: Vec<Vec<Share>>,
}

impl Posterior {
    /// The moves by one side that may have been left out before a slot, best first.
    pub fn omitted(&self, graph: &Graph, slot: usize, side: Color) -> Vec<Share> {
        let mut shares: Vec<Share> = Vec::new();
        for (id, (edge, &probability)) in graph.edges.iter().zip(&self.edges).enumerate() {
            let Step::Omitted(mv) = edge.step else { continue };
            let node = &graph.nodes[edge.from as usize];
            if node.slot != slot || node.board.side_to_move() != side || probability < 1e-5 {
                continue;
            }
            match shares.iter_mut().find(|share| share.mv == mv) {
                Some(share) => share.probability += probability,
                None => shares.push(Share { mv, edge: id as u32, probability }),
            }
        }
        shares.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        shares
    }
}

/// Posterior probabilities of all edges and moves. `slots` is the number of slots of the table, `temper` the factor of
/// all log-probabilities.
pub fn posterior(graph: &Graph, slots: usize, temper: f64) -> Posterior {
    let none = f64::NEG_INFINITY;
    let mut before = vec![none; graph.nodes.len()];
    let mut behind = vec![none; graph.nodes.len()];
    before[0] = 0.0;
    for edge in &graph.edges {
        let through = before[edge.from as usize] + temper * f64::from(edge.weight);
        before[edge.to as usize] = log_add(before[edge.to as usize], through);
    }
    let mut evidence = none;
    for &(node, tail) in &graph.ends {
        let tail = temper * f64::from(tail);
        behind[node as usize] = log_add(behind[node as usize], tail);
        evidence = log_add(evidence, before[node as usize] + tail);
    }
    for edge in graph.edges.iter().rev() {
        let through = behind[edge.to as usize];
        if through > none {
            let through = through + temper * f64::from(edge.weight);
            behind[edge.from as usize] = log_add(behind[edge.from as usize], through);
        }
    }
    let mut shares: Vec<Vec<Share>> = vec![Vec::new(); slots];
    let mut edges = vec![0.0; graph.edges.len()];
    for (id, edge) in graph.edges.iter().enumerate() {
        let total = before[edge.from as usize] + temper * f64::from(edge.weight) + behind[edge.to as usize];
        let probability = (total - evidence).exp() as f32;
        edges[id] = probability;
        let Step::Written(mv, _) = edge.step else { continue };
        if probability < 1e-5 {
            continue;
        }
        let at = &mut shares[graph.nodes[edge.from as usize].slot];
        match at.iter_mut().find(|share| share.mv == mv) {
            Some(share) => {
                if probability > edges[share.edge as usize] {
                    share.edge = id as u32;
                }
                share.probability += probability;
            }
            None => at.push(Share { mv, edge: id as u32, probability }),
        }
    }
    for at in &mut shares {
        at.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    }
    Posterior { edges, slots: shares }
}
