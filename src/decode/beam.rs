//! The search: all games that the ink may mean, as a graph of positions over the slots of the table.

use super::emission::{Emission, Ink, Writer};
use super::gaps::{GapPrices, skip_one, skip_two, tail_prices};
use super::graph::{Edge, Graph, Node, Step, log_add};
use super::hopes::{Hope, Hopes};
use super::limits::Limits;
use super::past::Past;
use super::prior::{self, Believed};
use super::settled::{Settled, SettledCell};
use crate::notation::{CheckMark, LegalMoves, MoveShape, legal_shapes, parse_move};
use cozy_chess::util::{display_san_move, parse_san_move};
use cozy_chess::{BitBoard, Board, Move};

/// Where no position explains the ink at least this well (natural logarithm), something may have been left out.
const TROUBLE: f32 = -5.0;

/// Positions within this of the likeliest one (natural logarithm) are judged by what people play. Further behind it would
/// cost half of the time of the search, and did no good on held-out sheets.
const NEAR: f64 = 12.0;

/// What the search works on.
pub struct Table<'a> {
    /// Per slot one ink per sheet, in playing order.
    pub slots: &'a [Vec<Ink>],
    /// One writer per sheet.
    pub writers: &'a [Writer<'a>],
    pub start: &'a Board,
    pub prior: &'a Believed<'a>,
    pub gaps: GapPrices,
    pub settled: &'a Settled,
}

/// Follows all games through the table; `limits` holds one entry per slot and one for the table's end.
///
/// `past` keeps what another search of the same ink with the same writers need not do again; it starts empty.
pub fn search<'p>(table: &Table, limits: &[Limits], past: &'p mut Past) -> &'p Graph {
    search_to(limits.len(), table, limits, past);
    &past.graph
}

/// The same, no further than to the given slot.
pub fn search_to(slot: usize, table: &Table, limits: &[Limits], past: &mut Past) {
    let tail = tail_prices(table.slots, table.writers, &table.gaps);
    let (first, mut best_end) = past.rewind(table, limits);
    let mut search = Search { table, limits, past };
    for (s, &tail) in tail.iter().enumerate().take(slot).skip(first) {
        search.past.mark(s);
        let layer = search.pruned_layer(s, best_end);
        let tail = if table.settled.end.is_some() { 0.0 } else { tail };
        for &node in &layer {
            if table.settled.may_end(s) {
                best_end = best_end.max(search.past.graph.nodes[node as usize].score + f64::from(tail));
            }
            search.past.stops.push((node, tail));
        }
        if s < table.slots.len() && table.settled.may_go_on(s) {
            search.expand_layer(s, &layer);
        }
    }
    past.finish(table, limits);
}

/// What a person typed is looked for in so many positions.
const UNDERSTAND: usize = 300;

/// An edge about to be added.
struct Way {
    step: Step,
    weight: f32,
    /// The game needs mending here or earlier.
    mended: bool,
}

struct Search<'a> {
    table: &'a Table<'a>,
    limits: &'a [Limits],
    past: &'a mut Past,
}

impl Search<'_> {
    /// The nodes before a slot that are worth following, best first: those that hold their own against the other nodes
    /// and against the best game that has ended.
    fn pruned_layer(&self, s: usize, best_end: f64) -> Vec<u32> {
        let score = |n: u32| self.past.graph.nodes[n as usize].score;
        let mut layer: Vec<u32> = self.past.layers[s].values().copied().collect();
        let limits = self.limits[s];
        let least = self.past.tops[s].max(best_end) - limits.window;
        layer.retain(|&n| score(n) >= least);
        layer.sort_unstable_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        let mended = if self.past.troubled[s] { limits.after_trouble } else { limits.mended };
        let mut room = [limits.agreeing, mended];
        layer.retain(|&n| {
            let room = &mut room[usize::from(self.past.graph.nodes[n as usize].mended)];
            let fits = *room > 0;
            *room = room.saturating_sub(1);
            fits
        });
        layer
    }

    fn expand_layer(&mut self, s: usize, layer: &[u32]) {
        let settled = self.table.settled.slots.get(&s);
        let omitted = settled.map_or(&[][..], |settled| &settled.omitted);
        let layer = &self.omit_settled(s, layer, omitted);
        match settled.and_then(|settled| settled.cell.as_ref()) {
            Some(SettledCell::NoMove) => return self.pass(s, layer),
            Some(SettledCell::Move(text)) => return self.write_settled(s, layer, text),
            None => {}
        }
        let inks = self.table.slots[s].iter().zip(self.table.writers);
        let mut emission = Emission::new(inks, std::mem::take(&mut self.past.known[s]));
        let fit = self.write_moves(s, layer, &mut emission);
        self.skip(s, layer);
        if fit < TROUBLE && omitted.is_empty() {
            self.omit(s, layer, &mut emission);
            self.past.troubled[s + 1..s + 3].fill(true);
        }
        self.past.known[s] = emission.into_scores();
    }

    /// Follows the legal moves that the slot may hold; returns the best score of the ink, less what its position lies
    /// behind the likeliest one.
    fn write_moves(&mut self, s: usize, layer: &[u32], emission: &mut Emission) -> f32 {
        let limits = self.limits[s];
        // Making moves costs more than scoring them: only as many are made as the next slot may keep, and some to spare
        // for those that lead to the same position.
        let mended = limits.after_trouble.max(limits.mended * 4 / 3);
        let mut hopes = [Hopes::new(limits.agreeing * 2), Hopes::new(mended)];
        let mut fit = f32::NEG_INFINITY;
        let mut top = self.past.tops[s + 1];
        let (mut shapes, mut scored, mut priors) = (Vec::new(), Vec::new(), Vec::new());
        let (said, unsaid) = (emission.said(), emission.unsaid());
        for &from in layer {
            let node = &self.past.graph.nodes[from as usize];
            // No ink scores much above zero.
            let reaches = |hopes: &[Hopes], score: f64| hopes.iter().any(|hopes| score > hopes.least);
            let kinds = usize::from(node.mended);
            if !reaches(&hopes[kinds..], node.score) {
                continue;
            }
            let moves = LegalMoves::new(&node.board);
            let count = moves.count();
            emission.score_all(&moves, &said.squares(&node.board), &mut shapes, &mut scored);
            let says_all = shapes.len() == count;
            let unsaid = if says_all { f32::NEG_INFINITY } else { unsaid };
            let best = scored.iter().flatten().copied().fold(unsaid, f32::max);
            fit = fit.max((node.score - self.past.tops[s]) as f32 + best);
            // The prior adds nothing: it need not be asked where the ink alone rules every move out.
            let bound = node.score + f64::from(best);
            if bound < top - limits.window || !reaches(&hopes[kinds..], bound) {
                continue;
            }
            // What people play is asked where games compete; far behind, all moves are taken as alike.
            let near = node.score >= self.past.tops[s] - NEAR;
            prior::alike(count, &mut priors);
            let others = node.score + f64::from(unsaid + priors[0]);
            let others_count = others >= top - limits.window && reaches(&hopes[kinds..], others);
            if !says_all && (near || others_count) {
                emission.score_all(&moves, &[BitBoard::FULL; 6], &mut shapes, &mut scored);
            }
            if near {
                self.table.prior.log_probabilities(&node.board, self.past.graph.last_move(from), &shapes, &mut priors);
            }
            for (((mv, _), &scores), &prior) in shapes.iter().zip(&scored).zip(&priors) {
                let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let score = node.score + f64::from(best + prior);
                if score >= top - limits.window {
                    // The quiet reading is a lower bound save for the few moves that give check.
                    top = top.max(node.score + f64::from(scores[0] + prior));
                    let hopes = &mut hopes[usize::from(node.mended || best < emission.mending())];
                    hopes.add(Hope { score, from, mv: *mv, scores, prior });
                }
            }
        }
        for (mended, hopes) in [false, true].into_iter().zip(hopes) {
            for hope in hopes.best() {
                let mut after = self.past.graph.nodes[hope.from as usize].board.clone();
                after.play_unchecked(hope.mv);
                let check = check_mark(&after);
                let weight = hope.scores[check as usize] + hope.prior;
                let step = Step::Written(hope.mv, check);
                self.connect(hope.from, (s + 1, 0), after, Way { step, weight, mended });
            }
        }
        fit
    }

    /// The legal moves of a position, with the natural logarithms of their prior probabilities.
    fn moves(&self, node: u32) -> (Vec<(Move, MoveShape)>, Vec<f32>) {
        let board = &self.past.graph.nodes[node as usize].board;
        let (mut shapes, mut priors) = (Vec::with_capacity(48), Vec::with_capacity(48));
        legal_shapes(board, &mut shapes);
        self.table.prior.log_probabilities(board, self.past.graph.last_move(node), &shapes, &mut priors);
        (shapes, priors)
    }

    /// Follows moves that a person says were left out before the slot.
    fn omit_settled(&mut self, s: usize, layer: &[u32], omitted: &[Option<String>]) -> Vec<u32> {
        let mut layer = layer.to_vec();
        for (depth, text) in (1..).zip(omitted) {
            layer = layer.iter().flat_map(|&n| self.omit_named(s, n, depth, text.as_deref())).collect();
            layer.sort_unstable();
            layer.dedup();
        }
        layer
    }

    /// Plays the move that a person names, or any where none is named, without leaving the slot.
    fn omit_named(&mut self, s: usize, from: u32, depth: u64, text: Option<&str>) -> Vec<u32> {
        let language = self.table.writers.first().map(|writer| writer.language);
        let only = text.map(|text| parse_move(&self.past.graph.nodes[from as usize].board, text, language));
        self.omit_from(s, from, (depth, 0.0), |mv, _| only.is_none_or(|only| only == Some(mv)))
    }

    /// Follows the one move that a person says is written in the slot, after a move left out if need be.
    fn write_settled(&mut self, s: usize, layer: &[u32], text: &str) {
        if self.play_settled(s, layer, text) {
            return;
        }
        let (omitting, price) = (self.limits[s].omitting, self.table.gaps.omitted);
        let singles: Vec<u32> =
            layer.iter().take(omitting).flat_map(|&n| self.omit_from(s, n, (1, price), |_, _| true)).collect();
        if !self.play_settled(s, &singles, text) {
            let price = self.table.gaps.omitted_again;
            let doubles: Vec<u32> =
                singles.iter().flat_map(|&n| self.omit_from(s, n, (2, price), |_, _| true)).collect();
            self.play_settled(s, &doubles, text);
        }
    }

    /// Plays a move wherever it is legal; false if it is legal nowhere.
    fn play_settled(&mut self, s: usize, layer: &[u32], text: &str) -> bool {
        let language = self.table.writers.first().map(|writer| writer.language);
        let board = |&n: &u32| &self.past.graph.nodes[n as usize].board;
        // What a person typed is understood once; then it is the same move in every position.
        let mut boards = layer.iter().take(UNDERSTAND).map(board);
        let said = boards.find_map(|board| Some(san(board, parse_move(board, text, language)?)));
        let Some(said) = said else { return false };
        let mut played = false;
        for &from in layer {
            let node = &self.past.graph.nodes[from as usize];
            let Ok(mv) = parse_san_move(&node.board, &said) else { continue };
            let (mut after, mended) = (node.board.clone(), node.mended);
            after.play_unchecked(mv);
            let step = Step::Written(mv, check_mark(&after));
            self.connect(from, (s + 1, 0), after, Way { step, weight: 0.0, mended });
            played = true;
        }
        played
    }

    /// Goes on behind a slot that a person says holds no move.
    fn pass(&mut self, s: usize, layer: &[u32]) {
        for &from in layer {
            let node = &self.past.graph.nodes[from as usize];
            let (board, mended) = (node.board.clone(), node.mended);
            self.connect(from, (s + 1, 0), board, Way { step: Step::Skipped, weight: 0.0, mended });
        }
    }

    /// Passes over a slot, or two, in which no move is written.
    fn skip(&mut self, s: usize, layer: &[u32]) {
        let Some(prices) = self.table.writers.first().map(|w| w.prices) else { return };
        let one = Some(skip_one(self.table.slots, s, &prices, &self.table.gaps));
        let two = skip_two(self.table.slots, s, &prices, &self.table.gaps)
            .filter(|_| !self.table.settled.slots.contains_key(&(s + 1)) && self.table.settled.may_go_on(s + 1));
        for (target, price) in [(s + 1, one), (s + 2, two)] {
            let Some(price) = price else { continue };
            for &node in layer {
                if self.past.graph.nodes[node as usize].score + f64::from(price)
                    >= self.past.tops[target] - self.limits[s].window
                {
                    let board = self.past.graph.nodes[node as usize].board.clone();
                    self.connect(node, (target, 0), board, Way { step: Step::Skipped, weight: price, mended: true });
                }
            }
        }
    }

    /// Tries one ply that was not written, and from the best positions two.
    fn omit(&mut self, s: usize, layer: &[u32], emission: &mut Emission) {
        let (omitting, price) = (self.limits[s].omitting, self.table.gaps.omitted);
        let hopeful = emission.hopeful(TROUBLE);
        let fits = |search: &Self, node: u32| may_hold(&search.past.graph.nodes[node as usize].board, &hopeful);
        let singles: Vec<u32> =
            layer.iter().take(omitting).flat_map(|&n| self.omit_from(s, n, (1, price), |_, _| true)).collect();
        let fitting: Vec<u32> = singles.iter().copied().filter(|&n| fits(self, n)).collect();
        self.write_moves(s, &fitting, emission);
        let per_node = singles.len() / layer.len().clamp(1, omitting.max(1));
        let again = self.table.gaps.omitted_again;
        let doubles = singles.iter().take(per_node * omitting.div_ceil(3));
        let mut fitting: Vec<u32> =
            doubles.flat_map(|&n| self.omit_from(s, n, (2, again), |_, after| may_hold(after, &hopeful))).collect();
        fitting.sort_unstable();
        fitting.dedup();
        self.write_moves(s, &fitting, emission);
    }

    /// Plays the legal moves that are to be kept, given with the position behind them, without leaving the slot.
    fn omit_from(
        &mut self,
        s: usize,
        from: u32,
        (depth, price): (u64, f32),
        keep: impl Fn(Move, &Board) -> bool,
    ) -> Vec<u32> {
        let board = self.past.graph.nodes[from as usize].board.clone();
        let (shapes, priors) = self.moves(from);
        let mut out = Vec::with_capacity(shapes.len());
        for ((mv, _), prior) in shapes.iter().zip(&priors) {
            let mut after = board.clone();
            after.play_unchecked(*mv);
            if keep(*mv, &after) {
                let way = Way { step: Step::Omitted(*mv), weight: price + prior, mended: true };
                out.push(self.connect(from, (s, depth), after, way));
            }
        }
        out
    }

    /// Adds an edge, and its target node if it is new. `depth` keeps apart positions reached by moves left out, which
    /// are expanded after the others of their slot.
    fn connect(&mut self, from: u32, (slot, depth): (usize, u64), board: Board, way: Way) -> u32 {
        let Way { step, weight, mended } = way;
        let key = board.hash() ^ depth.wrapping_mul(0xD1B5_4A32_D192_ED03);
        let edge = self.past.graph.edges.len() as u32;
        let source = &self.past.graph.nodes[from as usize];
        let (score, best) = (source.score + f64::from(weight), source.best + f64::from(weight));
        let fresh = self.past.graph.nodes.len() as u32;
        let to = *self.past.layers[slot].entry(key).or_insert(fresh);
        if to == fresh {
            self.past.graph.nodes.push(Node { board, slot, score, best, mended, back: Some(edge) });
        } else {
            let node = &mut self.past.graph.nodes[to as usize];
            node.score = log_add(node.score, score);
            if best > node.best {
                (node.best, node.back, node.mended) = (best, Some(edge), mended);
            }
        }
        if depth == 0 {
            self.past.tops[slot] = self.past.tops[slot].max(self.past.graph.nodes[to as usize].score);
        }
        self.past.graph.edges.push(Edge { from, to, step, weight });
        to
    }
}

/// Whether a legal move brings a piece to one of its squares.
fn may_hold(board: &Board, squares: &[BitBoard; 6]) -> bool {
    board.generate_moves(|moves| !(moves.to & squares[moves.piece as usize]).is_empty())
}

/// Without the signs for check and mate, which other positions may lack.
fn san(board: &Board, mv: Move) -> String {
    display_san_move(board, mv).to_string().trim_end_matches(['+', '#']).to_owned()
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
