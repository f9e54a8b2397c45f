//! How well the ink of one slot fits a move: as it may be spelled, as a slip of the pen, or not at all.
//!
//! A slot is one ply's place in the table: one cell of each sheet.

use super::fast_map::FastMap;
use super::marks::clock_beside;
use super::score::{Beside, Lattice, NodeId, Symbols, Trie};
use super::slips::SlipPrices;
use super::tracer::{SPELLED_LEAST, Tracer};
use crate::notation::shape::{file_char, rank_char};
use crate::notation::{
    ANY_FILE, ANY_PIECE, ANY_RANK, CheckMark, Choice, Habits, Language, LegalMoves, MoveShape, Spelling, Usage,
    for_each_slip, for_each_spelling, for_each_suffix,
};
use cozy_chess::{BitBoard, Board, File, Move, Piece, Rank, Square};
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
/// What is a smaller share of alien ink than this is neglected.
const NEGLECTED: f32 = 0.1;

/// Likelihoods by check, in the order of [`CheckMark::ALL`].
pub type ByCheck = [f32; 3];

/// One cell under scoring.
struct Cell<'a> {
    ink: &'a Ink,
    writer: &'a Writer<'a>,
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

/// The moves of which the ink of a slot may say something: by piece the squares to which they bring it. More of them than
/// need be, never fewer.
#[derive(Debug, Default)]
pub struct Said {
    quiet: [BitBoard; 6],
    /// If something is captured there.
    takes: [BitBoard; 6],
}

impl Said {
    /// By piece, the squares of a position as [`crate::notation::LegalMoves::shapes_to`] takes them.
    pub fn squares(&self, board: &Board) -> [BitBoard; 6] {
        let side = board.side_to_move();
        let passing = board.en_passant().map_or(BitBoard::EMPTY, File::bitboard);
        Piece::ALL.map(|piece| {
            let taken = match piece {
                Piece::Pawn => board.colors(!side) | passing,
                _ => board.colors(!side),
            };
            let castling = if piece == Piece::King { board.colors(side) } else { BitBoard::EMPTY };
            self.quiet[piece as usize] | self.takes[piece as usize] & taken | castling
        })
    }
}

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

    fn lattice(&self) -> Option<&'a Lattice> {
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

    /// The squares of [`Emission::hopeful`] for one cell.
    fn hopeful(&self, piece: Piece, least: f32) -> BitBoard {
        let Some(lattice) = self.lattice() else { return BitBoard::FULL };
        let language = self.writer.language;
        if !language.is_algebraic() {
            return BitBoard::FULL;
        }
        let support = |byte: u8| lattice.support(self.writer.symbols, byte);
        let letter = |piece| language.bytes(piece).next().map_or(0.0, support);
        let named = if piece == Piece::Pawn { 1.0 } else { letter(piece) };
        let fits = |square: &Square| {
            let (file, rank) = (support(file_char(square.file())), support(rank_char(square.rank())));
            let castles = if piece == Piece::King && matches!(square.rank(), Rank::First | Rank::Eighth) {
                support(b'O')
            } else {
                0.0
            };
            named * file * rank + self.slips_at_most(named, file, rank) + castles >= least
        };
        Square::ALL.iter().copied().filter(fits).collect()
    }

    /// Adds the moves of which the ink may say something.
    fn add_said(&self, said: &mut Said) {
        let Some(lattice) = self.lattice() else { return };
        if !self.writer.language.is_algebraic() {
            *said = Said { quiet: [BitBoard::FULL; 6], takes: [BitBoard::FULL; 6] };
            return;
        }
        let least = NEGLECTED * self.alien().exp();
        let letters = Piece::ALL.map(|piece| self.letter(lattice, piece));
        let taken = letters.iter().copied().fold(0.0, f32::max);
        for piece in Piece::ALL {
            let says =
                |to: &Square, taken| self.at_most(lattice, (piece, letters[piece as usize]), *to, taken) >= least;
            said.quiet[piece as usize] |= Square::ALL.iter().copied().filter(|to| says(to, None)).collect();
            said.takes[piece as usize] |= Square::ALL.iter().copied().filter(|to| says(to, Some(taken))).collect();
        }
    }

    /// Whether the ink may say something of a move.
    fn says(&self, lattice: &Lattice, shape: &MoveShape) -> bool {
        if shape.castles || !self.writer.language.is_algebraic() {
            return true;
        }
        let letter = |piece| self.letter(lattice, piece);
        let at_most = self.at_most(lattice, (shape.piece, letter(shape.piece)), shape.to, shape.captured.map(letter));
        at_most >= NEGLECTED * self.alien().exp()
    }

    /// How far the ink supports a piece's letter.
    fn letter(&self, lattice: &Lattice, piece: Piece) -> f32 {
        self.writer.language.bytes(piece).next().map_or(0.0, |byte| lattice.support(self.writer.symbols, byte))
    }

    /// An upper bound, save for a few alignments, of what spellings and slips of a move add to alien ink: nearly all
    /// of them name its file or its rank. Pieces come with how far the ink supports their letters.
    fn at_most(&self, lattice: &Lattice, (piece, letter): (Piece, f32), to: Square, taken: Option<f32>) -> f32 {
        let support = |byte: u8| lattice.support(self.writer.symbols, byte);
        let (file, rank) = (support(file_char(to.file())), support(rank_char(to.rank())));
        let share = |choice: Choice| self.writer.habits.share(choice) as f32;
        let named = if piece == Piece::Pawn { 1.0 } else { letter };
        let other = match (taken, piece) {
            (None, _) => 0.0,
            (Some(taken), Piece::Pawn) => share(Choice::PawnTakesFile) * file + share(Choice::PawnTakesLetter) * taken,
            (Some(taken), _) => share(Choice::TakesLetter) * taken,
        };
        named * (file * rank + other) + self.slips_at_most(named, file, rank)
    }

    /// What slips add at most, given how far the ink supports the piece, the file and the rank.
    fn slips_at_most(&self, piece: f32, file: f32, rank: f32) -> f32 {
        self.writer.prices.slip.exp() * (piece * file.max(rank) + file * rank)
    }

    fn alien(&self) -> f32 {
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
