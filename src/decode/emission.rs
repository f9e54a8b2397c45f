//! How well the ink of one slot fits a move: as it may be spelled, as a slip of the pen, or not at all.
//!
//! A slot is one ply's place in the table: one cell of each sheet.

use super::fast_map::FastMap;
use super::marks::clock_beside;
use super::said::Said;
use super::score::{Beside, Lattice, NodeId, Symbols, Trie};
use super::slips::SlipPrices;
use super::tracer::{SPELLED_LEAST, Tracer};
use crate::notation::{
    ANY_FILE, ANY_PIECE, ANY_RANK, CheckMark, Habits, Language, LegalMoves, MoveShape, Spelling, Usage, for_each_slip,
    for_each_spelling, for_each_suffix,
};
use cozy_chess::{BitBoard, Move, Piece};
use std::cell::RefCell;

/// One cell as the decoder sees it.
#[derive(Debug, Clone)]
pub enum Ink {
    /// The sheet has no such cell.
    Absent,
    Blank,
    /// Little tells that it belongs there.
    Doubted(Lattice),
    Written(Lattice),
}

/// How the ink of one cell came about, as shares of the likelihood that add up to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explanation {
    /// A correct spelling of the move.
    pub spelled: f32,
    /// A slip of the pen.
    pub slip: f32,
    /// Log-likelihood of the best correct spelling relative to the best free reading; 0 is a perfect fit.
    pub fit: f32,
}

/// What is needed to score a sheet's cells: its language, its writer's habits, the prices.
#[derive(Debug, Clone)]
pub struct Writer<'a> {
    pub symbols: &'a Symbols,
    pub language: &'static Language,
    pub habits: Habits,
    pub prices: SlipPrices,
    pub beside: Beside,
}

/// The same for slips, which are improbable themselves.
const SLIP_LEAST: f32 = 0.01;
/// No text counts as less sure than this when ink is taken as alien.
const LEAST_SURE: f32 = 0.03;

/// Likelihoods by check, in the order of [`CheckMark::ALL`].
pub type ByCheck = [f32; 3];

/// One cell under scoring.
pub(super) struct Cell<'a> {
    pub(super) ink: &'a Ink,
    pub(super) writer: &'a Writer<'a>,
    trie: Option<Trie>,
    /// Every suffix with its probability by check.
    suffixes: Vec<(Spelling, ByCheck)>,
    /// Per trie node, the likelihood of ending there with any suffix.
    endings: Vec<Option<ByCheck>>,
    /// Per trie node and rest of a slip's pattern, the mean likelihood over what the pattern leaves open.
    patterns: FastMap<(u32, u64), ByCheck>,
    /// Room for the bodies of a move.
    bodies: Vec<(NodeId, f32)>,
}

/// Scores of one slot's moves by the shape's key.
pub type Scores = FastMap<u32, ByCheck>;

/// The scores of one slot's moves, worked out when first asked for.
pub struct Emission<'a> {
    cells: Vec<Cell<'a>>,
    scores: Scores,
    mending: f32,
}

impl<'a> Emission<'a> {
    /// Scores for a slot: one ink and one writer per sheet, and what an earlier search with the same writers knows.
    pub fn new(cells: impl Iterator<Item = (&'a Ink, &'a Writer<'a>)>, scores: Scores) -> Self {
        let cells: Vec<Cell> = cells.map(|(ink, writer)| Cell::new(ink, writer)).collect();
        // Half as likely again as by slips alone, in the cell that says most.
        let mending =
            cells.iter().map(|cell| cell.alien().max(cell.writer.prices.slip - 2.5)).fold(0.0, f32::min) + 0.7;
        Self { cells, scores, mending }
    }

    /// A move that scores less than this is not what the ink says, or the cell is blank.
    pub fn mending(&self) -> f32 {
        self.mending
    }

    /// The scores known so far.
    pub fn into_scores(self) -> Scores {
        self.scores
    }

    /// Log-likelihood of the slot's ink for a move, by what the move does to the king (see [`CheckMark::ALL`]).
    pub fn score(&mut self, shape: &MoveShape) -> ByCheck {
        let key = shape.key();
        if let Some(&known) = self.scores.get(&key) {
            return known;
        }
        let mut sum = [0.0; 3];
        for cell in &mut self.cells {
            let scores = cell.score(shape);
            sum.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        }
        self.scores.insert(key, sum);
        sum
    }

    /// The moves of a position that bring a piece to one of its squares, and their scores.
    pub fn score_all(
        &mut self,
        moves: &LegalMoves,
        squares: &[BitBoard; 6],
        shapes: &mut Vec<(Move, MoveShape)>,
        scores: &mut Vec<ByCheck>,
    ) {
        shapes.clear();
        moves.shapes_to(squares, shapes);
        scores.clear();
        scores.extend(shapes.iter().map(|(_, shape)| self.score(shape)));
    }

    /// Score of every move of which the ink says nothing, whatever it does to the king.
    pub fn unsaid(&self) -> f32 {
        self.cells.iter().map(Cell::unsaid).sum()
    }

    /// The moves of which the ink may say something; all others score [`Self::unsaid`].
    pub fn said(&self) -> Said {
        let mut said = Said::default();
        self.cells.iter().for_each(|cell| cell.add_said(&mut said));
        said
    }

    /// By piece, the squares to which a move may bring it and score at least `least`; castling counts as the king's
    /// step onto his own rook. More squares than need be, never fewer save for rare spellings.
    pub fn hopeful(&self, least: f32) -> [BitBoard; 6] {
        let mut squares = [BitBoard::EMPTY; 6];
        for cell in &self.cells {
            for (piece, squares) in Piece::ALL.into_iter().zip(&mut squares) {
                *squares |= cell.hopeful(piece, least.exp());
            }
        }
        squares
    }

    /// By cell the spelling of a move that fits its ink best; none where none fits at all.
    pub fn best_spellings(&mut self, shape: &MoveShape, check: CheckMark) -> Vec<Option<Vec<u8>>> {
        self.cells.iter_mut().map(|cell| cell.best_spelling(shape, check)).collect()
    }

    /// How each cell of the slot came about if the move was played; `usage` gathers the choices made, by sheet.
    pub fn explain(&mut self, shape: &MoveShape, check: CheckMark, usage: &mut [Usage]) -> Vec<Option<Explanation>> {
        self.cells.iter_mut().zip(usage).map(|(cell, usage)| cell.explain(shape, check, usage)).collect()
    }
}

impl<'a> Cell<'a> {
    fn new(ink: &'a Ink, writer: &'a Writer<'a>) -> Self {
        let trie = match ink {
            Ink::Absent | Ink::Blank => None,
            Ink::Doubted(lattice) | Ink::Written(lattice) => {
                let beside = clock_beside(&lattice.text).unwrap_or(writer.beside);
                Some(Trie::with_ink_beside(lattice, beside))
            }
        };
        let mut suffixes: Vec<(Spelling, ByCheck)> = Vec::new();
        for check in CheckMark::ALL {
            for_each_suffix(check, &writer.habits, &mut |suffix| {
                let known = suffixes.iter().position(|(s, _)| s.bytes() == suffix.bytes());
                let index = known.unwrap_or(suffixes.len());
                if known.is_none() {
                    suffixes.push((*suffix, [0.0; 3]));
                }
                suffixes[index].1[check as usize] += suffix.probability as f32;
            });
        }
        Self { ink, writer, trie, suffixes, endings: Vec::new(), patterns: FastMap::default(), bodies: Vec::new() }
    }

    pub(super) fn lattice(&self) -> Option<&'a Lattice> {
        match self.ink {
            Ink::Absent | Ink::Blank => None,
            Ink::Doubted(lattice) | Ink::Written(lattice) => Some(lattice),
        }
    }

    /// Likelihood of the ink if the text to a node is a whole body, whatever suffix follows.
    fn ending(&mut self, lattice: &Lattice, node: NodeId) -> ByCheck {
        let index = node.0 as usize;
        if let Some(Some(known)) = self.endings.get(index) {
            return *known;
        }
        let mut sums = [0.0; 3];
        if let Some(trie) = &mut self.trie {
            for (suffix, shares) in &self.suffixes {
                let Some(end) = trie.walk(lattice, self.writer.symbols, node, suffix.bytes(), SPELLED_LEAST) else {
                    continue;
                };
                let likelihood = trie.likelihood(lattice, end);
                sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share * likelihood);
            }
        }
        if self.endings.len() <= index {
            self.endings.resize(index + 1, None);
        }
        self.endings[index] = Some(sums);
        sums
    }

    fn walk(&mut self, lattice: &Lattice, node: NodeId, text: &[u8], least: f32) -> Option<NodeId> {
        self.trie.as_mut()?.walk(lattice, self.writer.symbols, node, text, least)
    }

    /// Likelihood of the ink over all correct spellings of a move.
    fn spelled(&mut self, lattice: &Lattice, shape: &MoveShape) -> ByCheck {
        let mut sums = [0.0; 3];
        let (language, writer) = (self.writer.language, self.writer);
        let Some(trie) = self.trie.take() else { return sums };
        // Bodies and their probabilities.
        let mut bodies: Vec<(NodeId, f32)> = std::mem::take(&mut self.bodies);
        bodies.clear();
        let trie = RefCell::new(trie);
        let pen = Tracer::new(&trie, lattice, writer.symbols);
        for_each_spelling(pen, shape, language, &writer.habits, &mut |body| {
            bodies.extend(body.end().map(|node| (node, body.probability as f32)));
        });
        self.trie = Some(trie.into_inner());
        for &(node, probability) in &bodies {
            let ending = self.ending(lattice, node);
            sums.iter_mut().zip(ending).for_each(|(sum, e)| *sum += probability * e);
        }
        self.bodies = bodies;
        sums
    }

    /// Likelihood of the ink over all slips of the pen.
    fn slipped(&mut self, lattice: &Lattice, shape: &MoveShape) -> ByCheck {
        let mut sums = [0.0; 3];
        let writer = self.writer;
        for_each_slip(shape, writer.language, &writer.habits, &mut |pattern| {
            let bytes = pattern.bytes();
            let open = bytes.iter().position(|&b| b <= ANY_PIECE).unwrap_or(bytes.len());
            if let Some(node) = self.walk(lattice, Trie::ROOT, &bytes[..open], SLIP_LEAST) {
                let ending = self.pattern(lattice, node, &bytes[open..]);
                sums.iter_mut().zip(ending).for_each(|(sum, e)| *sum += pattern.probability as f32 * e);
            }
        });
        sums
    }

    /// Mean likelihood of a pattern below a node; its first symbol is the one left open, if any is.
    fn pattern(&mut self, lattice: &Lattice, node: NodeId, rest: &[u8]) -> ByCheck {
        let Some((&open, literal)) = rest.split_first() else { return self.ending(lattice, node) };
        let key = (node.0, rest.iter().fold(0, |key, &b| key << 8 | u64::from(b)));
        if let Some(&known) = self.patterns.get(&key) {
            return known;
        }
        let pieces = self.writer.language.initials();
        let alternatives: &[u8] = match open {
            ANY_FILE => b"abcdefgh",
            ANY_RANK => b"12345678",
            _ => &pieces,
        };
        let mut sums = [0.0; 3];
        let mut add = |cell: &mut Self, start: Option<NodeId>| {
            if let Some(end) = start.and_then(|start| cell.walk(lattice, start, literal, SLIP_LEAST)) {
                let ending = cell.ending(lattice, end);
                sums.iter_mut().zip(ending).for_each(|(sum, e)| *sum += e / alternatives.len() as f32);
            }
        };
        for &byte in alternatives {
            let start = self.walk(lattice, node, &[byte], SLIP_LEAST);
            add(self, start);
        }
        if open == ANY_PIECE {
            add(self, Some(node));
        }
        self.patterns.insert(key, sums);
        sums
    }

    pub(super) fn alien(&self) -> f32 {
        match self.ink {
            Ink::Doubted(_) => self.writer.prices.doubted,
            // Scores are relative to the best text: where that is uncertain itself, they say less.
            Ink::Written(lattice) => self.writer.prices.alien - lattice.confidence.max(LEAST_SURE).ln(),
            Ink::Absent | Ink::Blank => self.writer.prices.alien,
        }
    }

    /// Score of every move of which the ink says nothing.
    fn unsaid(&self) -> f32 {
        match self.ink {
            Ink::Absent => 0.0,
            Ink::Blank => self.writer.prices.blank,
            Ink::Doubted(_) | Ink::Written(_) => self.alien(),
        }
    }

    fn score(&mut self, shape: &MoveShape) -> ByCheck {
        let Some(lattice) = self.lattice().filter(|lattice| self.says(lattice, shape)) else {
            return [self.unsaid(); 3];
        };
        let alien = self.alien().exp();
        let spelled = self.spelled(lattice, shape);
        // A slip can add little to a move that fits as it is.
        let slips = if spelled.iter().any(|&s| s > 0.05) { [0.0; 3] } else { self.slipped(lattice, shape) };
        let slip = self.writer.prices.slip.exp();
        std::array::from_fn(|i| (spelled[i] + slip * slips[i] + alien).ln())
    }

    fn best_spelling(&mut self, shape: &MoveShape, check: CheckMark) -> Option<Vec<u8>> {
        let lattice = self.lattice()?;
        let mut best = (0.0, None);
        let writer = self.writer;
        for_each_spelling(Spelling::empty(), shape, writer.language, &writer.habits, &mut |body| {
            let Some(node) = self.walk(lattice, Trie::ROOT, body.bytes(), SPELLED_LEAST) else { return };
            for_each_suffix(check, &writer.habits, &mut |suffix| {
                let Some(end) = self.walk(lattice, node, suffix.bytes(), SPELLED_LEAST) else { return };
                let likelihood = self.trie.as_ref().map_or(0.0, |trie| trie.likelihood(lattice, end));
                if likelihood > best.0 {
                    best = (likelihood, Some([body.bytes(), suffix.bytes()].concat()));
                }
            });
        });
        best.1
    }

    fn explain(&mut self, shape: &MoveShape, check: CheckMark, usage: &mut Usage) -> Option<Explanation> {
        let lattice = self.lattice()?;
        let index = check as usize;
        let spelled = self.spelled(lattice, shape)[index];
        let slip = self.slipped(lattice, shape)[index] * self.writer.prices.slip.exp();
        let total = spelled + slip + self.alien().exp();
        let mut best = 0.0f32;
        let writer = self.writer;
        for_each_spelling(Spelling::empty(), shape, writer.language, &writer.habits, &mut |body| {
            let Some(node) = self.walk(lattice, Trie::ROOT, body.bytes(), SPELLED_LEAST) else { return };
            for_each_suffix(check, &writer.habits, &mut |suffix| {
                let Some(end) = self.walk(lattice, node, suffix.bytes(), SPELLED_LEAST) else { return };
                let likelihood = self.trie.as_ref().map_or(0.0, |trie| trie.likelihood(lattice, end));
                best = best.max(likelihood);
                let share = body.probability * suffix.probability * f64::from(likelihood / total);
                for &choice in body.choices().iter().chain(suffix.choices()) {
                    usage.add(choice, share);
                }
            });
        });
        Some(Explanation { spelled: spelled / total, slip: slip / total, fit: best.max(1e-9).ln() })
    }
}
