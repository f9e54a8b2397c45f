//! The search: all games that the ink may mean, as a graph of positions over the slots of the table.
//!
//! A node is a position before a slot; an edge is what happened there. Equal positions before the same slot are one
//! node, so the number of nodes stays small while the graph holds a great many games, and sums over it are sums over
//! games.

use super::emission::{Emission, FastMap, Ink, Writer};
use super::gaps::{GapPrices, skip_one, skip_two, tail_prices};
use super::prior::MovePrior;
use crate::notation::{CheckMark, MoveShape, legal_shapes};
use cozy_chess::{Board, Move};

/// How many games are followed at once.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Positions expanded per slot.
    pub width: usize,
    /// Positions that lie further than this behind the best one (natural logarithm) are dropped.
    pub window: f64,
    /// Positions from which moves left out are tried.
    pub omitting: usize,
}

impl Limits {
    /// For a first look, to learn language and habits and where the game needs mending.
    pub const NARROW: Limits = Limits { width: 30, window: 13.0, omitting: 2 };
    /// For places where the ink and the game agree.
    pub const USUAL: Limits = Limits { width: 100, window: 17.0, omitting: 6 };
    /// For places where the game needs mending.
    pub const WIDE: Limits = Limits { width: 1000, window: 25.0, omitting: 6 };
}

/// A slip is often noticed only when a later move turns out impossible: this many slots before the place are searched
/// widely with it.
const MENDING_BEFORE: usize = 24;
/// The same behind the place.
const MENDING_BEHIND: usize = 6;

/// The limits for every slot, given those at which a first look had to mend the game.
pub fn limits_around(mended: &[usize], slots: usize) -> Vec<Limits> {
    let mut limits = vec![Limits::USUAL; slots + 1];
    for &slot in mended {
        let end = (slot + MENDING_BEHIND).min(slots);
        limits[slot.saturating_sub(MENDING_BEFORE)..=end].fill(Limits::WIDE);
    }
    limits
}

/// Where no position explains the ink at least this well (natural logarithm), something may have been left out.
const TROUBLE: f32 = -5.0;

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
    score: f64,
    /// The best way here, natural logarithm.
    best: f64,
    /// The edge by which the best way comes.
    back: Option<u32>,
}

/// All games that the search kept. Edges stand in topological order.
#[derive(Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Nodes at which the game may end, and the price of the ink that is left.
    pub ends: Vec<(u32, f32)>,
}

/// What the search works on.
pub struct Table<'a> {
    /// Per slot one ink per sheet, in playing order.
    pub slots: &'a [Vec<Ink>],
    /// One writer per sheet.
    pub writers: &'a [Writer<'a>],
    pub start: &'a Board,
    pub prior: &'a dyn MovePrior,
    pub gaps: GapPrices,
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

    /// Natural logarithm of the summed probability of all games kept.
    pub fn evidence(&self) -> f64 {
        self.ends
            .iter()
            .map(|&(node, tail)| self.nodes[node as usize].score + f64::from(tail))
            .fold(f64::NEG_INFINITY, log_add)
    }
}

/// Follows all games through the table; `limits` holds one entry per slot and one for the table's end.
pub fn search(table: &Table, limits: &[Limits]) -> Graph {
    let tail = tail_prices(table.slots, table.writers, &table.gaps);
    let mut search = Search::new(table, limits);
    let mut best_end = f64::NEG_INFINITY;
    for s in 0..=table.slots.len() {
        let layer = search.pruned_layer(s, best_end);
        for &node in &layer {
            best_end = best_end.max(search.graph.nodes[node as usize].score + f64::from(tail[s]));
            search.graph.ends.push((node, tail[s]));
        }
        if s < table.slots.len() {
            search.expand_layer(s, &layer);
        }
    }
    search.graph
}

struct Search<'a> {
    table: &'a Table<'a>,
    limits: &'a [Limits],
    graph: Graph,
    /// Per slot, the nodes before it by position.
    layers: Vec<FastMap<u64, u32>>,
    /// Per slot, the best score of its nodes so far.
    tops: Vec<f64>,
    shapes: Vec<(Move, MoveShape)>,
    priors: Vec<f32>,
}

impl<'a> Search<'a> {
    fn new(table: &'a Table<'a>, limits: &'a [Limits]) -> Self {
        let slots = table.slots.len();
        let mut search = Self {
            table,
            limits,
            graph: Graph::default(),
            layers: vec![FastMap::default(); slots + 3],
            tops: vec![f64::NEG_INFINITY; slots + 3],
            shapes: Vec::new(),
            priors: Vec::new(),
        };
        let start = Node { board: table.start.clone(), slot: 0, score: 0.0, best: 0.0, back: None };
        search.layers[0].insert(start.board.hash(), 0);
        search.tops[0] = 0.0;
        search.graph.nodes.push(start);
        search
    }

    /// The nodes before a slot that are worth following, best first: those that hold their own against the other nodes
    /// and against the best game that has ended.
    fn pruned_layer(&self, s: usize, best_end: f64) -> Vec<u32> {
        let score = |n: u32| self.graph.nodes[n as usize].score;
        let mut layer: Vec<u32> = self.layers[s].values().copied().collect();
        let limits = self.limits[s];
        let least = self.tops[s].max(best_end) - limits.window;
        layer.retain(|&n| score(n) >= least);
        layer.sort_unstable_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        layer.truncate(limits.width);
        layer
    }

    fn expand_layer(&mut self, s: usize, layer: &[u32]) {
        let inks = self.table.slots[s].iter().zip(self.table.writers);
        let mut emission = Emission::new(inks);
        let mut fit = f32::NEG_INFINITY;
        for (rank, &node) in layer.iter().enumerate() {
            let best = self.write_moves(s, node, &mut emission);
            if rank < 8 {
                fit = fit.max(best);
            }
        }
        self.skip(s, layer);
        if fit < TROUBLE {
            self.omit(s, layer, &mut emission);
        }
    }

    /// Follows every legal move that the slot may hold; returns the best score of the ink.
    fn write_moves(&mut self, s: usize, from: u32, emission: &mut Emission) -> f32 {
        let mut shapes = std::mem::take(&mut self.shapes);
        let mut priors = std::mem::take(&mut self.priors);
        let board = self.graph.nodes[from as usize].board.clone();
        let score = self.graph.nodes[from as usize].score;
        shapes.clear();
        legal_shapes(&board, &mut shapes);
        self.table.prior.log_probabilities(&board, &shapes, &mut priors);
        let window = self.limits[s].window;
        let mut best = f32::NEG_INFINITY;
        for ((mv, shape), prior) in shapes.iter().zip(&priors) {
            let scores = emission.score(shape);
            let hope = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            best = best.max(hope);
            if score + f64::from(hope + prior) < self.tops[s + 1] - window {
                continue;
            }
            let mut after = board.clone();
            after.play_unchecked(*mv);
            let check = check_mark(&after);
            let weight = scores[check as usize] + prior;
            self.connect(from, s + 1, 0, after, Step::Written(*mv, check), weight);
        }
        self.shapes = shapes;
        self.priors = priors;
        best
    }

    /// Passes over a slot, or two, in which no move is written.
    fn skip(&mut self, s: usize, layer: &[u32]) {
        let Some(prices) = self.table.writers.first().map(|w| w.prices) else { return };
        let one = Some(skip_one(self.table.slots, s, &prices, &self.table.gaps));
        let two = skip_two(self.table.slots, s, &prices, &self.table.gaps);
        for (target, price) in [(s + 1, one), (s + 2, two)] {
            let Some(price) = price else { continue };
            for &node in layer {
                if self.graph.nodes[node as usize].score + f64::from(price) >= self.tops[target] - self.limits[s].window {
                    let board = self.graph.nodes[node as usize].board.clone();
                    self.connect(node, target, 0, board, Step::Skipped, price);
                }
            }
        }
    }

    /// Tries one ply that was not written, and from the best positions two.
    fn omit(&mut self, s: usize, layer: &[u32], emission: &mut Emission) {
        let omitting = self.limits[s].omitting;
        let singles: Vec<u32> =
            layer.iter().take(omitting).flat_map(|&n| self.omit_from(s, n, 1, self.table.gaps.omitted)).collect();
        for &node in &singles {
            self.write_moves(s, node, emission);
        }
        let per_node = singles.len() / layer.len().clamp(1, omitting.max(1));
        let doubles: Vec<u32> = singles
            .iter()
            .take(per_node * omitting.div_ceil(3))
            .flat_map(|&n| self.omit_from(s, n, 2, self.table.gaps.omitted_again))
            .collect();
        let mut seen = doubles;
        seen.sort_unstable();
        seen.dedup();
        for node in seen {
            self.write_moves(s, node, emission);
        }
    }

    fn omit_from(&mut self, s: usize, from: u32, depth: u64, price: f32) -> Vec<u32> {
        let board = self.graph.nodes[from as usize].board.clone();
        let mut shapes = Vec::new();
        let mut priors = Vec::new();
        legal_shapes(&board, &mut shapes);
        self.table.prior.log_probabilities(&board, &shapes, &mut priors);
        let mut out = Vec::with_capacity(shapes.len());
        for ((mv, _), prior) in shapes.iter().zip(&priors) {
            let mut after = board.clone();
            after.play_unchecked(*mv);
            out.push(self.connect(from, s, depth, after, Step::Omitted(*mv), price + prior));
        }
        out
    }

    /// Adds an edge, and its target node if it is new. `depth` keeps apart positions reached by moves left out, which
    /// are expanded after the others of their slot.
    fn connect(&mut self, from: u32, slot: usize, depth: u64, board: Board, step: Step, weight: f32) -> u32 {
        let key = board.hash() ^ depth.wrapping_mul(0xD1B5_4A32_D192_ED03);
        let edge = self.graph.edges.len() as u32;
        let source = &self.graph.nodes[from as usize];
        let (score, best) = (source.score + f64::from(weight), source.best + f64::from(weight));
        let fresh = self.graph.nodes.len() as u32;
        let to = *self.layers[slot].entry(key).or_insert(fresh);
        if to == fresh {
            self.graph.nodes.push(Node { board, slot, score, best, back: Some(edge) });
        } else {
            let node = &mut self.graph.nodes[to as usize];
            node.score = log_add(node.score, score);
            if best > node.best {
                (node.best, node.back) = (best, Some(edge));
            }
        }
        if depth == 0 {
            self.tops[slot] = self.tops[slot].max(self.graph.nodes[to as usize].score);
        }
        self.graph.edges.push(Edge { from, to, step, weight });
        to
    }
}

/// What the move that led to a position did to the king.
fn check_mark(after: &Board) -> CheckMark {
    if after.checkers().is_empty() {
        CheckMark::Quiet
    } else if after.generate_moves(|_| true) {
        CheckMark::Check
    } else {
        CheckMark::Mate
    }
}

