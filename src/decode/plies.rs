//! The outcome in words: plies with status, reason and candidates, the result, and warnings.

use super::beam::{Graph, Step, Table};
use super::confidence::{Posterior, Share, posterior};
use super::emission::{Emission, Explanation, Ink, Scores};
use super::gaps::{SAYS_RESULT, result_in};
use super::{InkCell, Place, Row};
use crate::game::{Candidate, Colour, Ply, Status, Written};
use crate::notation::{MoveShape, Usage, legal_shapes};
use cozy_chess::util::{display_san_move, display_uci_move};
use cozy_chess::{Board, Color, GameStatus, Move};

/// Least posterior of a clear move.
const CLEAR: f32 = 0.995;
/// Least fit of a clear move: the best correct spelling against the best free reading, natural logarithm.
const CLEAR_FIT: f32 = -2.0;
/// A correct spelling that fits worse than this (natural logarithm) is not what the ink says.
const SAID_FIT: f32 = -5.0;
/// Least posterior and fit of a clear move near a place where the game was mended.
const CLEAR_NEAR_MENDING: (f32, f32) = (0.9995, -0.7);
/// What was wrong may have been written this many plies before the place where it shows, or a few behind it.
const NEAR_MENDING: (usize, usize) = (8, 3);
/// This many places with alien ink within so many plies: the game is on a wrong track there.
const LOST: (usize, usize) = (3, 16);
/// Share of the confidence that is left on a wrong track, as measured on held-out sheets.
const LOST_CONFIDENCE: f32 = 0.85;
/// Candidates below this probability are not named.
const NAMED: f32 = 0.001;
/// The reason of a move that a person has settled.
const SET_BY_HAND: &str = "set by hand";
/// At most this many candidates are named.
const CANDIDATES: usize = 6;

/// What is said about the game.
pub struct Outcome {
    pub plies: Vec<Ply>,
    /// By ply.
    pub places: Vec<Place>,
    pub result: String,
    pub warnings: Vec<String>,
}

/// The shape of a legal move.
pub fn shape_of(board: &Board, mv: Move) -> Option<MoveShape> {
    let mut shapes = Vec::new();
    legal_shapes(board, &mut shapes);
    shapes.iter().find(|(m, _)| *m == mv).map(|(_, shape)| *shape)
}

/// Puts the likeliest game into words.
pub fn describe(rows: &[Row], table: &Table, graph: &Graph, temper: f64) -> Outcome {
    let posterior = posterior(graph, table.slots.len(), temper);
    let mut teller = Teller {
        rows,
        table,
        graph,
        posterior,
        plies: Vec::new(),
        places: Vec::new(),
        fits: Vec::new(),
        mended: Vec::new(),
        alien: Vec::new(),
        warnings: Vec::new(),
    };
    let (path, end) = graph.best_path();
    path.iter().for_each(|&edge| teller.add(edge));
    teller.doubt_near_mendings();
    let end = end.map(|node| &graph.nodes[node as usize]);
    let result = teller.ending(end.map_or(0, |node| node.slot), end.map_or(table.start, |node| &node.board));
    if rows.first().is_some_and(|row| row.number != 1) {
        let number = rows[0].number;
        teller.warnings.push(format!("The sheet begins at move {number}: the moves before it are not known."));
    }
    for (i, ply) in teller.plies.iter_mut().enumerate() {
        ply.ply = i + 1;
    }
    Outcome { plies: teller.plies, places: teller.places, result, warnings: teller.warnings }
}

struct Teller<'a> {
    rows: &'a [Row],
    table: &'a Table<'a>,
    graph: &'a Graph,
    posterior: Posterior,
    plies: Vec<Ply>,
    places: Vec<Place>,
    /// By ply, how well its best spelling fits the ink.
    fits: Vec<f32>,
    /// Plies at which, or before which, the game was mended.
    mended: Vec<usize>,
    /// Those of them whose ink is not even a slip of the move.
    alien: Vec<usize>,
    warnings: Vec<String>,
}

impl Teller<'_> {
    /// Adds the ply of an edge.
    fn add(&mut self, id: u32) {
        let edge = self.graph.edges[id as usize];
        let node = &self.graph.nodes[edge.from as usize];
        let number = self.number(node.slot);
        match edge.step {
            Step::Skipped if self.table.settled.cell(node.slot).is_some() => {}
            Step::Skipped => {
                self.warnings
                    .push(format!("Move {number}: a cell or row of the table holds no move and was passed over."));
                self.mended.push(self.plies.len());
            }
            Step::Omitted(mv) => {
                let san = display_san_move(&node.board, mv).to_string();
                let mut ply = self.blank_ply(node.slot, &node.board);
                ply.candidates =
                    self.candidates(&self.posterior.omitted(self.graph, node.slot, node.board.side_to_move()));
                ply.confidence = ply.candidates.iter().find(|c| c.san == san).map_or(0.0, |c| c.probability);
                ply.uci = Some(display_uci_move(&node.board, mv).to_string());
                ply.status = Status::Inferred;
                ply.reason = Some("nothing is written; the moves that follow ask for this one".to_string());
                if self.is_named(node.slot) {
                    (ply.status, ply.reason) = (Status::Clear, Some(SET_BY_HAND.to_string()));
                } else {
                    self.warnings.push(format!("Before move {number}: {san} was played and not written."));
                    self.mended.push(self.plies.len());
                }
                ply.san = Some(san);
                self.fits.push(f32::NEG_INFINITY);
                self.plies.push(ply);
                self.places.push(Place { slot: node.slot, omitted: true });
            }
            Step::Written(mv, _) if self.table.settled.cell(node.slot).is_some() => {
                let mut ply = self.written_ply(node.slot, &node.board, mv, &[]);
                (ply.status, ply.reason) = (Status::Clear, Some(SET_BY_HAND.to_string()));
                self.fits.push(0.0);
                self.plies.push(ply);
                self.places.push(Place { slot: node.slot, omitted: false });
            }
            Step::Written(mv, check) => {
                let shape = shape_of(&node.board, mv);
                let inks = self.table.slots[node.slot].iter().zip(self.table.writers);
                let mut usage = vec![Usage::default(); self.table.writers.len()];
                let explained = shape
                    .map(|shape| Emission::new(inks, Scores::default()).explain(&shape, check, &mut usage))
                    .unwrap_or_default();
                let ply = self.written_ply(node.slot, &node.board, mv, &explained);
                if matches!(ply.status, Status::Repaired | Status::Inferred) {
                    self.mended.push(self.plies.len());
                    if explained.iter().flatten().all(|e| e.spelled + e.slip < 0.5) {
                        self.alien.push(self.plies.len());
                    }
                }
                self.fits.push(explained.iter().flatten().map(|e| e.fit).fold(0.0, f32::min));
                self.plies.push(ply);
                self.places.push(Place { slot: node.slot, omitted: false });
            }
        }
    }

    /// Whether a person has named the next move left out before the slot.
    fn is_named(&self, slot: usize) -> bool {
        let before = self.places.iter().rev().take_while(|place| place.slot == slot).count();
        let settled = self.table.settled.slots.get(&slot);
        settled.and_then(|settled| settled.omitted.get(before)).is_some_and(Option::is_some)
    }

    fn written_ply(&self, slot: usize, board: &Board, mv: Move, explained: &[Option<Explanation>]) -> Ply {
        let mut ply = self.blank_ply(slot, board);
        let shares = &self.posterior.slots[slot];
        let san = display_san_move(board, mv).to_string();
        let share = shares.iter().find(|share| share.mv == mv).map_or(0.0, |share| share.probability);
        ply.confidence = share.clamp(0.0, 1.0);
        ply.candidates = self.candidates(shares);
        ply.written = self.written(slot);
        ply.uci = Some(display_uci_move(board, mv).to_string());
        let other = ply.candidates.iter().find(|c| c.san != san).map(|c| c.san.clone());
        let text = ply.written.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" / ");
        let inked: Vec<Explanation> = explained.iter().flatten().copied().collect();
        let fit = inked.iter().map(|e| e.fit).fold(f32::INFINITY, f32::min);
        let spelled = inked.iter().map(|e| e.spelled).fold(1.0, f32::min);
        (ply.status, ply.reason) = if inked.is_empty() {
            (Status::Inferred, Some("the cell is blank; the moves that follow ask for this one".to_string()))
        } else if spelled < 0.5 || fit < SAID_FIT {
            (Status::Repaired, Some(repair_reason(&text, &san, board, other)))
        } else if ply.confidence >= CLEAR && fit >= CLEAR_FIT && spelled >= 0.9 {
            (Status::Clear, None)
        } else {
            let reason = match other {
                Some(other) => format!("read as {text}; it may also be {other}"),
                None => format!("read as {text}, which is not quite {san}"),
            };
            (Status::Doubtful, Some(reason))
        };
        ply.san = Some(san);
        ply
    }

    fn candidates(&self, shares: &[Share]) -> Vec<Candidate> {
        let mut out: Vec<Candidate> = Vec::new();
        for share in shares.iter().filter(|share| share.probability >= NAMED) {
            let from = self.graph.edges[share.edge as usize].from;
            let san = display_san_move(&self.graph.nodes[from as usize].board, share.mv).to_string();
            match out.iter_mut().find(|c| c.san == san) {
                Some(same) => same.probability += share.probability,
                None => out.push(Candidate { san, probability: share.probability.min(1.0) }),
            }
        }
        out.truncate(CANDIDATES);
        out
    }

    /// A move near a mended place must be surer than others to stay clear, and none is clear on a wrong track.
    fn doubt_near_mendings(&mut self) {
        let count = self.plies.len();
        for &at in &self.mended {
            let near = at.saturating_sub(NEAR_MENDING.0)..(at + NEAR_MENDING.1 + 1).min(count);
            for (ply, &fit) in self.plies[near.clone()].iter_mut().zip(&self.fits[near]) {
                if ply.status == Status::Clear && (ply.confidence < CLEAR_NEAR_MENDING.0 || fit < CLEAR_NEAR_MENDING.1)
                {
                    ply.status = Status::Doubtful;
                    ply.reason = Some("reads well, but stands near a place where the game was mended".to_string());
                }
            }
        }
        let mut lost = vec![false; count];
        for places in self.alien.windows(LOST.0) {
            let (first, last) = (places[0], places[LOST.0 - 1]);
            if last - first < LOST.1 {
                lost[first.saturating_sub(NEAR_MENDING.0)..(last + NEAR_MENDING.1 + 1).min(count)].fill(true);
            }
        }
        for (ply, _) in self.plies.iter_mut().zip(lost).filter(|(_, lost)| *lost) {
            ply.confidence *= LOST_CONFIDENCE;
            ply.candidates.iter_mut().for_each(|candidate| candidate.probability *= LOST_CONFIDENCE);
            if ply.status == Status::Clear {
                ply.status = Status::Doubtful;
                ply.reason = Some("reads well, but the game had to be mended at several places near here".to_string());
            }
        }
    }

    /// Explains the ink behind the last move, and finds the result.
    fn ending(&mut self, from: usize, board: &Board) -> String {
        let mut result = match (board.status(), board.side_to_move()) {
            (GameStatus::Won, Color::White) => "0-1",
            (GameStatus::Won, Color::Black) => "1-0",
            (GameStatus::Drawn, _) if !board.generate_moves(|_| true) => "1/2-1/2",
            _ => "*",
        };
        let on_board = result;
        for slot in from..self.table.slots.len() {
            let mut unexplained = false;
            for (ink, writer) in self.table.slots[slot].iter().zip(self.table.writers) {
                let Ink::Written(lattice) = ink else { continue };
                let (said, likelihood) = result_in(lattice, writer);
                if likelihood < SAYS_RESULT {
                    unexplained = true;
                } else if on_board == "*" {
                    result = said;
                } else if said != on_board {
                    self.warnings.push(format!("The sheet says {said}, the board says {on_board}."));
                }
            }
            if unexplained && self.table.settled.may_go_on(slot) {
                self.unexplained(slot, board);
            }
        }
        result.to_string()
    }

    /// Keeps ink that no legal move explains.
    fn unexplained(&mut self, slot: usize, board: &Board) {
        let number = self.number(slot);
        let mut ply = self.blank_ply(slot, board);
        ply.colour = if slot.is_multiple_of(2) { Colour::White } else { Colour::Black };
        ply.written = self.written(slot);
        let text = ply.written.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" / ");
        if looks_like_a_move(&text) {
            ply.status = Status::Illegal;
            ply.reason = Some(format!("written {text}, for which the game up to here has no legal move"));
        } else {
            ply.status = Status::Unread;
            ply.reason = Some(format!("read as {text}, which is no move"));
        }
        self.warnings.push(format!("Move {number}: the ink \"{text}\" is not part of the game that was found."));
        self.plies.push(ply);
        self.places.push(Place { slot, omitted: false });
    }

    fn number(&self, slot: usize) -> u32 {
        self.rows.get(slot / 2).map_or(0, |row| row.number)
    }

    fn cells(&self, slot: usize) -> &[InkCell] {
        let row = &self.rows[slot / 2];
        if slot.is_multiple_of(2) { &row.white } else { &row.black }
    }

    fn written(&self, slot: usize) -> Vec<Written> {
        let cells = self.cells(slot).iter().zip(&self.table.slots[slot]);
        let inked = cells.filter_map(|(cell, ink)| match ink {
            Ink::Blank => None,
            Ink::Crossed(lattice) | Ink::Written(lattice) => Some(Written {
                sheet: cell.sheet,
                page: cell.page,
                quad: cell.quad,
                text: lattice.text.clone(),
                confidence: lattice.confidence.clamp(0.0, 1.0),
            }),
        });
        inked.collect()
    }

    fn blank_ply(&self, slot: usize, board: &Board) -> Ply {
        Ply {
            ply: 0,
            number: self.number(slot),
            colour: if board.side_to_move() == Color::White { Colour::White } else { Colour::Black },
            san: None,
            uci: None,
            confidence: 0.0,
            status: Status::Unread,
            reason: None,
            written: Vec::new(),
            candidates: Vec::new(),
            clock: None,
            draw_offer: false,
            nag: None,
        }
    }
}

/// Why a move stands where the ink says another.
fn repair_reason(text: &str, san: &str, board: &Board, other: Option<String>) -> String {
    let legal = {
        let mut shapes = Vec::new();
        legal_shapes(board, &mut shapes);
        let plain = plain(text);
        shapes.iter().any(|(mv, _)| self::plain(&display_san_move(board, *mv).to_string()) == plain)
    };
    let what = if legal { "which does not fit the rest of the game" } else { "which is not legal here" };
    match other {
        None => format!("written {text}, {what}; {san} is the only move that fits the rest"),
        Some(other) => format!("written {text}, {what}; {san} fits the rest best, before {other}"),
    }
}

/// A spelling without the marks that do not change the move.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() && *c != 'x').collect()
}

/// True for ink that ends in a square or castles, after a piece letter or a file.
fn looks_like_a_move(text: &str) -> bool {
    let plain = plain(text);
    let bytes = plain.as_bytes();
    let square = |w: &[u8]| (b'a'..=b'h').contains(&w[0]) && (b'1'..=b'8').contains(&w[1]);
    plain.starts_with("OO") || ((2..=6).contains(&bytes.len()) && bytes.windows(2).any(square))
}
