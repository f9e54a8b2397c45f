//! What a search leaves behind, so that the next one over the same ink begins where the two part.

use super::beam::Table;
use super::emission::Scores;
use super::fast_map::FastMap;
use super::graph::{Graph, Node, log_add};
use super::limits::Limits;
use super::settled::Settled;

/// The state of a search, and how it was before each slot.
#[derive(Default, Clone)]
pub struct Past {
    /// Scores of the ink by slot.
    pub known: Vec<Scores>,
    pub graph: Graph,
    /// Per slot, the nodes before it by position.
    pub layers: Vec<FastMap<u64, u32>>,
    /// Per slot, the best score of its nodes so far.
    pub tops: Vec<f64>,
    /// Per slot, whether the ink shortly before it fits nothing.
    pub troubled: Vec<bool>,
    /// Nodes that were followed, in the order of their slots, each with the price of the ink that is left there.
    pub stops: Vec<(u32, f32)>,
    marks: Vec<Mark>,
    limits: Vec<Limits>,
    settled: Settled,
}

/// The state before a slot was expanded, as far as it changes afterwards.
#[derive(Clone)]
struct Mark {
    nodes: usize,
    edges: usize,
    /// Of this slot and the next one.
    troubled: [bool; 2],
    /// The top of the next slot, and the nodes that lie there already.
    next_top: f64,
    next: Vec<(u32, Node)>,
}

impl Past {
    /// Goes back to where a search with these limits parts from the last one; returns the slot to go on with, and the best
    /// score of the games that have ended before it.
    pub fn rewind(&mut self, table: &Table, limits: &[Limits]) -> (usize, f64) {
        let start = self.graph.nodes.first().map(|node| &node.board);
        let goes_on = start == Some(table.start) && self.limits.len() == limits.len();
        if !goes_on || self.settled.end != table.settled.end {
            self.begin(table);
            return (0, f64::NEG_INFINITY);
        }
        let differs =
            |&s: &usize| self.limits[s] != limits[s] || self.settled.slots.get(&s) != table.settled.slots.get(&s);
        // Whether two slots are passed over at once depends on what is settled about the second.
        let parts = (0..limits.len()).find(differs).unwrap_or(limits.len()).saturating_sub(1);
        let (slot, best_end) = self.same_ends(table, parts.min(self.marks.len() - 1));
        self.go_back(slot);
        (slot, best_end)
    }

    /// The first slot, `most` at most, at which games that have ended weigh otherwise than in the last search, because what
    /// is settled behind them has changed; and the best score of those that have ended before it.
    fn same_ends(&self, table: &Table, most: usize) -> (usize, f64) {
        let (mut before, mut now) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut stops = self.stops.iter().map(|&(node, tail)| (&self.graph.nodes[node as usize], tail)).peekable();
        for slot in 0..most {
            if before.max(self.tops[slot]) != now.max(self.tops[slot]) {
                return (slot, now);
            }
            let may_end = [&self.settled, table.settled].map(|settled| settled.may_end(slot));
            while let Some((node, tail)) = stops.next_if(|(node, _)| node.slot == slot) {
                let score = node.score + f64::from(tail);
                before = if may_end[0] { before.max(score) } else { before };
                now = if may_end[1] { now.max(score) } else { now };
            }
        }
        (most, now)
    }

    fn begin(&mut self, table: &Table) {
        let slots = table.slots.len();
        let known = std::mem::take(&mut self.known);
        *self = Self {
            known,
            layers: vec![FastMap::default(); slots + 3],
            tops: vec![f64::NEG_INFINITY; slots + 3],
            troubled: vec![false; slots + 3],
            ..Self::default()
        };
        self.known.resize_with(slots, Scores::default);
        let start = Node { board: table.start.clone(), slot: 0, score: 0.0, best: 0.0, mended: false, back: None };
        self.layers[0].insert(start.board.hash(), 0);
        self.tops[0] = 0.0;
        self.graph.nodes.push(start);
    }

    /// Notes the state before a slot is expanded. Nothing lies beyond the next slot yet.
    pub fn mark(&mut self, slot: usize) {
        let node = |&node: &u32| (node, self.graph.nodes[node as usize].clone());
        self.marks.push(Mark {
            nodes: self.graph.nodes.len(),
            edges: self.graph.edges.len(),
            troubled: [self.troubled[slot], self.troubled[slot + 1]],
            next_top: self.tops[slot + 1],
            next: self.layers[slot + 1].values().map(node).collect(),
        });
    }

    /// Restores the state before a slot was expanded.
    fn go_back(&mut self, slot: usize) {
        let Some(mark) = self.marks.drain(slot..).next() else { return };
        self.stops.retain(|&(node, _)| self.graph.nodes[node as usize].slot < slot);
        self.graph.nodes.truncate(mark.nodes);
        self.graph.edges.truncate(mark.edges);
        for layer in &mut self.layers[slot..slot + 2] {
            layer.retain(|_, node| (*node as usize) < mark.nodes);
        }
        for (node, state) in mark.next {
            self.graph.nodes[node as usize] = state;
        }
        self.layers[slot + 2..].iter_mut().for_each(FastMap::clear);
        self.tops[slot + 1] = mark.next_top;
        self.tops[slot + 2..].fill(f64::NEG_INFINITY);
        self.troubled[slot..slot + 2].copy_from_slice(&mark.troubled);
        self.troubled[slot + 2..].fill(false);
    }

    /// Ends a search: the games that it found, and what the next one is compared with.
    pub fn finish(&mut self, table: &Table, limits: &[Limits]) {
        self.limits = limits.to_vec();
        self.settled = table.settled.clone();
        let nodes = &self.graph.nodes;
        let may_end = |&&(node, _): &&(u32, f32)| table.settled.may_end(nodes[node as usize].slot);
        self.graph.ends = self.stops.iter().filter(may_end).copied().collect();
    }

    /// Lets all games end at a slot, whatever is written behind it.
    pub fn end_at(&mut self, slot: usize) {
        let Self { graph, stops, .. } = self;
        let there = stops.iter().filter(|&&(node, _)| graph.nodes[node as usize].slot == slot);
        graph.ends = there.map(|&(node, _)| (node, 0.0)).collect();
    }

    /// Natural logarithm of the summed probability of all games up to a slot, at which or before which they end or not.
    pub fn evidence_before(&self, slot: usize) -> f64 {
        let score = |node: u32| self.graph.nodes[node as usize].score;
        let ended = self.stops.iter().filter(|(node, _)| self.graph.nodes[*node as usize].slot < slot);
        let ended = ended.map(|&(node, tail)| score(node) + f64::from(tail));
        self.layers[slot].values().map(|&node| score(node)).chain(ended).fold(f64::NEG_INFINITY, log_add)
    }
}
