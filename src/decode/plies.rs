//! The likeliest game ply by ply: what was written, what was played, how sure that is.

use super::Place;
use super::confidence::{Model, Signs, odds};
use super::emission::{Emission, Explanation, Ink, Scores};
use super::ending;
use super::gaps;
use super::graph::Step;
use super::marks::marks;
use super::material::Material;
use super::posterior::{Posterior, Share, posterior};
use super::reasons::{self, SET_BY_HAND};
use crate::game::{Candidate, Colour, Ply, ResultOrigin, Status};
use crate::notation::{MoveShape, Usage, legal_shapes};
use cozy_chess::util::{display_san_move, display_uci_move};
use cozy_chess::{Board, Move};

/// A correct spelling that fits worse than this (natural logarithm) is not what the ink says.
const SAID_FIT: f32 = -5.0;
/// Candidates below this probability are not named.
const NAMED: f32 = 0.001;
/// At most this many candidates are named.
const CANDIDATES: usize = 6;
/// Least probability of a reading whose marks beside the move are believed.
const MARKS_READ: f32 = 0.5;
/// Flattening of the evidence for [`Signs::flat_odds`].
pub const FLAT: f64 = 0.35;

/// What is said about the game.
pub struct Outcome {
    pub plies: Vec<Ply>,
    /// By ply.
    pub places: Vec<Place>,
    /// By ply.
    pub signs: Vec<Option<Signs>>,
    pub result: String,
    pub result_origin: Option<ResultOrigin>,
    pub warnings: Vec<String>,
}

impl Outcome {
    fn add(&mut self, ply: Ply, place: Place, signs: Option<Signs>) {
        self.plies.push(Ply { ply: self.plies.len() + 1, ..ply });
        self.places.push(place);
        self.signs.push(signs);
    }
}

/// The shape of a legal move.
pub fn shape_of(board: &Board, mv: Move) -> Option<MoveShape> {
    let mut shapes = Vec::new();
    legal_shapes(board, &mut shapes);
    shapes.iter().find(|(m, _)| *m == mv).map(|(_, shape)| *shape)
}

/// Puts the likeliest game into words.
pub fn describe(material: &Material) -> Outcome {
    let (graph, slots) = (material.graph, material.table.slots.len());
    let mut teller = Teller {
        material,
        posterior: posterior(graph, slots, material.options.temper),
        flat: posterior(graph, slots, FLAT),
        told: Vec::new(),
        mended: Vec::new(),
        skipped: Vec::new(),
        passed: Vec::new(),
        warnings: Vec::new(),
    };
    let (path, end) = graph.best_path();
    path.iter().for_each(|&edge| teller.add(edge));
    teller.look_around();
    teller.judge(material.options.confidence.as_ref().unwrap_or_else(|| Model::embedded()));
    let end = end.map(|node| &graph.nodes[node as usize]);
    let boards: Vec<&Board> =
        path.iter().map(|&edge| &graph.nodes[graph.edges[edge as usize].to as usize].board).collect();
    let mut ending = ending::find(material, end.map_or(0, |node| node.slot), &boards);
    let result_origin = ending.origin(teller.told.last().map(|told| told.ply.confidence));
    let Teller { told, mut warnings, skipped, passed, .. } = teller;
    warnings.extend([Colour::White, Colour::Black].into_iter().flat_map(|colour| left_blank(&told, colour)));
    warnings.extend(reasons::passed_over(&skipped));
    warnings.extend(ending.warnings);
    if let Some(row) = material.rows.first().filter(|row| row.number != 1) {
        warnings.push(format!("The sheet begins at move {}: the moves before it are not known.", row.number));
    }
    let mut outcome =
        Outcome { plies: vec![], places: vec![], signs: vec![], result: ending.result, result_origin, warnings };
    let mut passed = passed.into_iter().peekable();
    for (at, told) in told.into_iter().enumerate() {
        while let Some((_, ply, place)) = passed.next_if(|(before, ..)| *before <= at) {
            outcome.add(ply, place, None);
        }
        let signs = (told.kind != Kind::Settled).then_some(told.signs);
        outcome.add(told.ply, told.place, signs);
    }
    for (_, ply, place) in passed {
        outcome.add(ply, place, None);
    }
    for (ply, place) in ending.left {
        outcome.add(ply, place, None);
    }
    outcome
}

/// Fewest moves in a row of which only the other player's are written that are told together.
const LEFT_BLANK: usize = 3;

/// Tells where only the other player's moves are written.
fn left_blank(told: &[Told], colour: Colour) -> Vec<String> {
    let is_blank = |at: usize| told.get(at).is_some_and(|told| told.kind == Kind::Blank);
    let own = (0..told.len()).filter(|&at| told[at].ply.colour == colour).collect::<Vec<_>>();
    let runs = own.chunk_by(|&one, &next| is_blank(one) && is_blank(next) && !is_blank(one + 1));
    let runs = runs.filter(|run| run.len() >= LEFT_BLANK);
    runs.map(|run| reasons::not_written(colour, told[run[0]].ply.number, told[run[run.len() - 1]].ply.number)).collect()
}

/// Where a ply comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A person has said it.
    Settled,
    Written,
    /// Its cells are blank.
    Blank,
    /// It has no cell.
    Omitted,
}

/// A ply, and what its confidence will be made of.
struct Told {
    ply: Ply,
    place: Place,
    kind: Kind,
    board: Board,
    /// By sheet.
    explained: Vec<Option<Explanation>>,
    signs: Signs,
}

impl Told {
    /// The sheet whose ink says the move best.
    fn best(&self) -> Option<Explanation> {
        let inked = self.explained.iter().flatten();
        inked.copied().max_by(|a, b| a.spelled.total_cmp(&b.spelled).then(a.fit.total_cmp(&b.fit)))
    }

    /// No sheet's ink says the move.
    fn is_mended(&self) -> bool {
        self.kind != Kind::Settled && self.best().is_none_or(|best| best.spelled < 0.5 || best.fit < SAID_FIT)
    }
}

struct Teller<'a> {
    material: &'a Material<'a>,
    posterior: Posterior,
    /// The same with the evidence flattened.
    flat: Posterior,
    told: Vec<Told>,
    /// Plies at which, or before which, the game was mended.
    mended: Vec<usize>,
    /// Numbers of the rows of cells that were passed over.
    skipped: Vec<u32>,
    /// Ink that was passed over, each with the index of the ply before which it stands.
    passed: Vec<(usize, Ply, Place)>,
    warnings: Vec<String>,
}

impl Teller<'_> {
    /// Adds the ply of an edge.
    fn add(&mut self, id: u32) {
        let (graph, table) = (self.material.graph, self.material.table);
        let edge = graph.edges[id as usize];
        let node = &graph.nodes[edge.from as usize];
        let settled = table.settled.cell(node.slot).is_some();
        match edge.step {
            Step::Skipped if settled => {}
            Step::Skipped => {
                self.skipped.push(self.material.number(node.slot));
                self.mended.push(self.told.len());
                let behind = graph.nodes[edge.to as usize].slot;
                let twice = gaps::is_doubled(table.slots, node.slot, behind - node.slot);
                let why = if twice { reasons::WRITTEN_TWICE } else { reasons::PASSED_OVER };
                for slot in node.slot..behind {
                    if table.slots[slot].iter().any(|ink| matches!(ink, Ink::Written(_))) {
                        let ply = self.material.ply_of_ink(slot, &node.board, why);
                        self.passed.push((self.told.len(), ply, Place { slot, omitted: false }));
                    }
                }
            }
            Step::Omitted(mv) => self.add_omitted(node.slot, &node.board, mv),
            Step::Written(mv, check) => {
                let mut signs = Signs::default();
                let mut explained = Vec::new();
                if let Some(shape) = shape_of(&node.board, mv).filter(|_| !settled) {
                    let inks = table.slots[node.slot].iter().zip(table.writers);
                    let mut emission = Emission::new(inks, Scores::default());
                    let mut usage = vec![Usage::default(); table.writers.len()];
                    explained = emission.explain(&shape, check, &mut usage);
                    signs.margin = self.margin(edge.from, mv, &mut emission);
                }
                let inked = explained.iter().any(Option::is_some);
                let kind = if settled {
                    Kind::Settled
                } else if inked {
                    Kind::Written
                } else {
                    Kind::Blank
                };
                let mut ply = self.material.blank_ply(node.slot, &node.board);
                ply.written = self.material.written(node.slot);
                let place = Place { slot: node.slot, omitted: false };
                let flat = share_of(&self.flat.slots[node.slot], mv);
                let shares = &self.posterior.slots[node.slot];
                let told = Told { ply, place, kind, board: node.board.clone(), explained, signs };
                let told = self.with_move(told, mv, shares, flat);
                self.told.push(told);
            }
        }
    }

    fn add_omitted(&mut self, slot: usize, board: &Board, mv: Move) {
        let side = board.side_to_move();
        let graph = self.material.graph;
        let kind = if self.is_named(slot) { Kind::Settled } else { Kind::Omitted };
        let ply = self.material.blank_ply(slot, board);
        let place = Place { slot, omitted: true };
        let flat = share_of(&self.flat.omitted(graph, slot, side), mv);
        let told = Told { ply, place, kind, board: board.clone(), explained: Vec::new(), signs: Signs::default() };
        let told = self.with_move(told, mv, &self.posterior.omitted(graph, slot, side), flat);
        if kind == Kind::Omitted {
            let (number, san) = (told.ply.number, told.ply.san.as_deref().unwrap_or_default());
            self.warnings.push(format!("Before move {number}: {san} was played and not written."));
        }
        self.told.push(told);
    }

    /// Fills in the move with its candidates and the signs that are its own.
    fn with_move(&self, mut told: Told, mv: Move, shares: &[Share], flat: f32) -> Told {
        told.ply.san = Some(display_san_move(&told.board, mv).to_string());
        told.ply.uci = Some(display_uci_move(&told.board, mv).to_string());
        told.ply.candidates = self.candidates(shares);
        note_marks(&mut told.ply);
        let share = share_of(shares, mv);
        told.ply.confidence = share.clamp(0.0, 1.0);
        let best = told.best();
        told.signs.odds = odds(share);
        told.signs.flat_odds = odds(flat);
        told.signs.fit = best.map_or(-1.0, |best| best.fit.max(-8.0) / 8.0);
        let sure = told.ply.written.iter().map(|w| w.confidence).fold(0.0, f32::max);
        told.signs.sure = if told.kind == Kind::Written { sure.max(0.02).ln() / 4.0 } else { 0.0 };
        if told.explained.iter().flatten().count() > 1 {
            let second = told.explained.iter().flatten().map(|e| e.spelled).fold(1.0, f32::min);
            told.signs.seconded = 2.0 * second - 1.0;
        }
        told
    }

    /// How far the ink and custom prefer a move to every other move, in tenths of the natural logarithm.
    fn margin(&self, node: u32, mv: Move, emission: &mut Emission) -> f32 {
        let graph = self.material.graph;
        let (board, last) = (&graph.nodes[node as usize].board, graph.last_move(node));
        let (mut shapes, mut priors) = (Vec::new(), Vec::new());
        legal_shapes(board, &mut shapes);
        self.material.table.prior.log_probabilities(board, last, &shapes, &mut priors);
        let (mut own, mut other) = (-20.0f32, -20.0f32);
        for ((candidate, shape), prior) in shapes.iter().zip(&priors) {
            let score = emission.score(shape).into_iter().fold(f32::NEG_INFINITY, f32::max) + prior;
            if *candidate == mv { own = score } else { other = other.max(score) }
        }
        (own - other).clamp(-10.0, 10.0) / 10.0
    }

    /// Whether a person has named the next move left out before the slot.
    fn is_named(&self, slot: usize) -> bool {
        let before = self.told.iter().rev().take_while(|told| told.place.slot == slot).count();
        let settled = self.material.table.settled.slots.get(&slot);
        settled.and_then(|settled| settled.omitted.get(before)).is_some_and(Option::is_some)
    }

    fn candidates(&self, shares: &[Share]) -> Vec<Candidate> {
        let graph = self.material.graph;
        let mut out: Vec<Candidate> = Vec::new();
        for share in shares.iter().filter(|share| share.probability >= NAMED) {
            let from = graph.edges[share.edge as usize].from;
            let san = display_san_move(&graph.nodes[from as usize].board, share.mv).to_string();
            match out.iter_mut().find(|c| c.san == san) {
                Some(same) => same.probability += share.probability,
                None => out.push(Candidate { san, probability: share.probability.min(1.0) }),
            }
        }
        out.truncate(CANDIDATES);
        out
    }

    /// Adds the signs that come from the plies around.
    fn look_around(&mut self) {
        let count = self.told.len();
        self.mended.extend((0..count).filter(|&i| self.told[i].is_mended()));
        let inked = || self.told.iter().filter(|told| told.kind != Kind::Settled);
        let fit = inked().map(|told| told.signs.fit.max(-0.5)).sum::<f32>() / inked().count().max(1) as f32;
        for i in 0..count {
            let near = |at: usize| (at as f32 - i as f32).abs();
            let closest = |places: &mut dyn Iterator<Item = usize>, reach: f32| {
                places.map(|at| (-near(at) / reach).exp()).fold(0.0, f32::max)
            };
            let mended = self.mended.iter().copied();
            let signs = &mut self.told[i].signs;
            signs.mended_behind = closest(&mut mended.clone().filter(|&at| at >= i), 6.0);
            signs.mended_before = closest(&mut mended.clone().filter(|&at| at < i), 4.0);
            signs.lost = (mended.filter(|&at| at != i && near(at) <= 12.0).count() as f32 / 6.0).min(1.0);
            signs.sheet = 2.0 * fit;
            signs.late = (-((count - 1 - i) as f32) / 4.0).exp();
        }
    }

    /// Turns signs into confidence, status and reason.
    fn judge(&mut self, model: &Model) {
        for told in &mut self.told {
            let ply = &mut told.ply;
            if told.kind == Kind::Settled {
                // Other games in which the same words mean another move do not make the person less right.
                let said = ply.candidates.iter().find(|candidate| Some(&candidate.san) == ply.san.as_ref());
                ply.confidence = said.map_or(ply.confidence, |candidate| candidate.probability);
                (ply.status, ply.reason) = (Status::Clear, Some(SET_BY_HAND.to_owned()));
                continue;
            }
            ply.confidence = model.probability(&told.signs);
            share_out(&mut ply.candidates, ply.san.as_deref(), ply.confidence);
            let told_apart = reasons::disagreement(&ply.written, &told.explained, &self.material.options.keepers);
            let mended = told.is_mended();
            let (board, languages) = (&told.board, &self.material.languages);
            let doubt = || reasons::doubtful(&told.ply, &told.signs, board, languages);
            let (status, reason) = match told.kind {
                Kind::Omitted => (Status::Inferred, Some(reasons::inferred(&told.ply, reasons::OMITTED))),
                Kind::Blank => {
                    let is_shown = self.material.cells[told.place.slot].iter().any(Option::is_some);
                    let why = if is_shown { reasons::BLANK } else { reasons::NOT_SHOWN };
                    (Status::Inferred, Some(reasons::inferred(&told.ply, why)))
                }
                _ if mended => (Status::Repaired, Some(reasons::repaired(&told.ply, board, languages))),
                _ if told.ply.confidence >= model.clear => (Status::Clear, told_apart),
                _ => (Status::Doubtful, Some(told_apart.unwrap_or_else(doubt))),
            };
            (told.ply.status, told.ply.reason) = (status, reason);
        }
    }
}

/// Notes a clock time, an offer or an annotation that a sheet shows beside the move.
fn note_marks(ply: &mut Ply) {
    let Some(san) = ply.san.clone() else { return };
    for written in ply.written.iter().filter(|written| written.confidence >= MARKS_READ) {
        let marks = marks(&written.text, &san);
        ply.clock = ply.clock.take().or(marks.clock);
        ply.nag = ply.nag.or(marks.nag);
        ply.draw_offer |= marks.draw_offer;
    }
}

/// Gives the move its confidence, and the others what is left of it in the proportions that they had.
fn share_out(candidates: &mut [Candidate], san: Option<&str>, confidence: f32) {
    let others: f32 = candidates.iter().filter(|c| Some(c.san.as_str()) != san).map(|c| c.probability).sum();
    // Where next to nothing spoke for the others, what is left is for moves that nobody named.
    let factor = ((1.0 - confidence) / others.max(f32::MIN_POSITIVE)).min(20.0);
    for candidate in candidates.iter_mut() {
        let own = Some(candidate.san.as_str()) == san;
        candidate.probability = if own { confidence } else { candidate.probability * factor };
    }
    candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
}

fn share_of(shares: &[Share], mv: Move) -> f32 {
    shares.iter().find(|share| share.mv == mv).map_or(0.0, |share| share.probability)
}
