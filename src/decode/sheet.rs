//! What the cells of the table hold, and what a first look at them teaches about writers and slips.

use super::beam::{Table, search, search_to};
use super::confusions::Lesson;
use super::emission::{Emission, Ink, Scores, Writer};
use super::graph::{Graph, Step};
use super::limits::{self, Limits};
use super::past::Past;
use super::posterior::posterior;
use super::prior::Believed;
use super::score::{Beside, Lattice, Symbols};
use super::slips::SlipPrices;
use super::{InkCell, Options, Row, gaps, plies};
use crate::notation::{CheckMark, Habits, Language, MoveShape, Usage};
use crate::reading::Alphabet;
use cozy_chess::Board;
use rayon::prelude::*;

/// The cells of every slot in playing order, White's of a row before Black's, one per sheet; none where a sheet has no
/// such row.
pub type Cells<'a> = Vec<Vec<Option<&'a InkCell>>>;

/// The cells of all slots.
pub fn cells(rows: &[Row]) -> Cells<'_> {
    let all = rows.iter().flat_map(|row| row.white.iter().chain(&row.black));
    let sheets = all.map(|cell| cell.sheet + 1).max().unwrap_or(0);
    let sides = rows.iter().flat_map(|row| [&row.white, &row.black]);
    sides.map(|side| (0..sheets).map(|sheet| cell_of(side, sheet)).collect()).collect()
}

/// A sheet's cell; of two pages that show the same row the one with ink.
fn cell_of(side: &[InkCell], sheet: usize) -> Option<&InkCell> {
    let mut own = side.iter().filter(|cell| cell.sheet == sheet);
    let first = own.next()?;
    if first.reading.is_some() { Some(first) } else { own.find(|cell| cell.reading.is_some()).or(Some(first)) }
}

/// What the cells hold.
pub fn inks(cells: &Cells, alphabet: &Alphabet, ink_scale: f32) -> Vec<Vec<Ink>> {
    let ink = |cell: &Option<&InkCell>| match cell {
        None => Ink::Absent,
        Some(InkCell { reading: None, .. }) => Ink::Blank,
        Some(InkCell { reading: Some(reading), doubted, .. }) => {
            let lattice = Lattice::new(reading, alphabet, ink_scale);
            if *doubted { Ink::Doubted(lattice) } else { Ink::Written(lattice) }
        }
    };
    let mut inks: Vec<Vec<Ink>> = cells.par_iter().map(|slot| slot.iter().map(ink).collect()).collect();
    // A player who stopped writing says nothing about what the other one still wrote.
    for sheet in 0..inks.first().map_or(0, Vec::len) {
        for slot in
            inks.iter_mut().rev().take_while(|slot| matches!(slot[sheet], Ink::Blank | Ink::Absent)).collect::<Vec<_>>()
        {
            if slot.len() > 1 {
                slot[sheet] = Ink::Absent;
            }
        }
    }
    // Where no sheet has a row, it is as if it were blank.
    for slot in inks.iter_mut().filter(|slot| slot.iter().all(|ink| matches!(ink, Ink::Absent))) {
        slot.fill(Ink::Blank);
    }
    inks
}

/// How a sheet is written.
#[derive(Debug, Clone, Copy)]
pub struct Hand {
    pub language: &'static Language,
    /// Posterior of the language among those that were decoded.
    pub sure: f32,
    pub beside: Beside,
}

/// Plies of [`SheetTable::beginning`].
pub const BEGINNING: usize = 24;

/// A game's table before language and habits are known.
pub struct SheetTable<'a> {
    pub slots: &'a [Vec<Ink>],
    pub symbols: &'a Symbols,
    pub start: &'a Board,
    pub prior: &'a Believed<'a>,
    pub options: &'a Options,
}

impl<'a> SheetTable<'a> {
    /// The writers of all sheets. `hands` and `habits` are by sheet.
    pub fn writers(&self, hands: &[Hand], habits: &[Habits], prices: SlipPrices) -> Vec<Writer<'a>> {
        let writer = |(sheet, hand): (usize, &Hand)| Writer {
            symbols: self.symbols,
            language: hand.language,
            habits: habits.get(sheet).filter(|_| !self.options.without.habits).cloned().unwrap_or_default(),
            prices,
            beside: hand.beside,
        };
        hands.iter().enumerate().map(writer).collect()
    }

    /// The table as the search wants it.
    pub fn table<'b>(&'b self, writers: &'b [Writer<'b>]) -> Table<'b> {
        Table {
            slots: self.slots,
            writers,
            start: self.start,
            prior: self.prior,
            gaps: self.options.gaps,
            settled: &self.options.settled,
        }
    }

    /// The beginning of the game alone, which soon tells how it is written.
    pub fn beginning(&self) -> Self {
        Self { slots: &self.slots[..self.slots.len().min(BEGINNING)], ..*self }
    }

    /// Decodes narrowly, with one hand per sheet.
    pub fn first_look(&self, hands: &[Hand]) -> Look {
        self.look_on(hands, &mut Past::default())
    }

    /// The same, going on from where [`Self::evidence_before`] left off.
    pub fn look_on(&self, hands: &[Hand], past: &mut Past) -> Look {
        let writers = self.writers(hands, &[], self.options.slips);
        let table = self.table(&writers);
        let limits = vec![Limits::NARROW; self.slots.len() + 1];
        self.study(&table, search(&table, &limits, past))
    }

    /// Natural logarithm of the summed probability of all games up to a slot, decoded narrowly with one hand per sheet.
    pub fn evidence_before(&self, slot: usize, hands: &[Hand], past: &mut Past) -> f64 {
        let writers = self.writers(hands, &[], self.options.slips);
        let limits = vec![Limits::NARROW; self.slots.len() + 1];
        search_to(slot, &self.table(&writers), &limits, past);
        past.evidence_before(slot)
    }

    /// How widely to search where a first look had to mend the game.
    pub fn limits_around(&self, look: &Look) -> Vec<Limits> {
        limits::around(&look.mended, self.slots.len())
    }

    /// What decoding widely with the habits of a first look teaches, where that mended the game dearly; else the first look.
    pub fn wide_look(&self, look: Look, hands: &[Hand]) -> Look {
        if look.dear.is_empty() {
            return look;
        }
        let writers = self.writers(hands, &look.habits, look.prices(self.options));
        let table = self.table(&writers);
        let mut limits = self.limits_around(&look);
        let mut past = Past::default();
        let more = self.study(&table, search(&table, &limits, &mut past)).mended;
        limits::widen(&mut limits, &more, Limits::WIDE);
        self.study(&table, search(&table, &limits, &mut past))
    }

    /// Searches to a slot, and most widely where mending the game is dear; returns the limits by which the game was found: the
    /// wider ones if they found another game.
    pub fn search_wider(&self, slot: usize, table: &Table, limits: Vec<Limits>, past: &mut Past) -> Vec<Limits> {
        search_to(slot, table, &limits, past);
        let dear = self.study(table, &past.graph).dear;
        let mut wider = limits.clone();
        limits::widen(&mut wider, &dear, Limits::WIDEST);
        if wider == limits {
            return limits;
        }
        let before = past.clone();
        search_to(slot, table, &wider, past);
        if past.graph.best_game() != before.graph.best_game() {
            return wider;
        }
        // More games that are not better would only take from the share of the best one.
        *past = before;
        limits
    }

    /// What the best game of a search says about writers and slips.
    pub fn study(&self, table: &Table, graph: &Graph) -> Look {
        let mut usage = vec![Usage::default(); table.writers.len()];
        let (mut mended, mut costs) = (Vec::new(), Vec::new());
        let mut played = Vec::new();
        let (path, end) = graph.best_path();
        let shares = posterior(graph, table.slots.len(), plies::FLAT).slots;
        for &edge in &path {
            let edge = graph.edges[edge as usize];
            let node = &graph.nodes[edge.from as usize];
            if table.settled.slots.contains_key(&node.slot) {
                continue;
            }
            let explained = match edge.step {
                Step::Written(mv, check) => plies::shape_of(&node.board, mv).map(|shape| {
                    let share = shares[node.slot].iter().find(|share| share.mv == mv);
                    let sure = share.map_or(0.0, |share| share.probability);
                    played.push(Played { slot: node.slot, shape, check, sure });
                    let mut emission =
                        Emission::new(table.slots[node.slot].iter().zip(table.writers), Scores::default());
                    emission.explain(&shape, check, &mut usage)
                }),
                _ => None,
            };
            if explained.is_none_or(|cells| cells.iter().all(|cell| cell.is_none_or(|c| c.spelled < 0.5))) {
                mended.push(node.slot);
                costs.push((node.slot, -edge.weight));
            }
        }
        let end = end.map_or(0, |node| graph.nodes[node as usize].slot);
        let behind = self.slots[end..].iter().take(2).flat_map(|inks| inks.iter().zip(table.writers));
        let unexplained = behind.into_iter().any(|(ink, writer)| !gaps::is_no_move(ink, writer));
        if unexplained && table.settled.end.is_none() {
            mended.push(end);
        }
        let habits = usage.iter().map(Habits::from_usage).collect();
        Look { evidence: graph.evidence(), habits, mended, dear: limits::dear(&costs), played, plies: path.len() }
    }
}

impl SheetTable<'_> {
    /// What the cells hold if the best game of a first look is right.
    pub fn lessons(&self, look: &Look, hands: &[Hand]) -> Vec<Lesson> {
        let writers = self.writers(hands, &look.habits, self.options.slips);
        let lessons = look.played.iter().flat_map(|&Played { slot, ref shape, check, sure }| {
            let mut emission = Emission::new(self.slots[slot].iter().zip(&writers), Scores::default());
            let texts = emission.best_spellings(shape, check).into_iter().enumerate();
            let lesson = |(sheet, text): (usize, Option<Vec<u8>>)| {
                let text = text?.iter().map(|&byte| self.symbols.class(byte)).collect();
                Some(Lesson { slot, sheet, text, sure })
            };
            texts.filter_map(lesson).collect::<Vec<_>>()
        });
        lessons.collect()
    }
}

/// What a search teaches about the sheet.
pub struct Look {
    /// Natural logarithm of the summed probability of all games.
    pub evidence: f64,
    /// By sheet.
    pub habits: Vec<Habits>,
    /// Slots at which the ink does not say the move, or at which table and game part ways.
    pub mended: Vec<usize>,
    /// Those of them at which mending is dear: another game may cost less.
    pub dear: Vec<usize>,
    /// Plies of the best game.
    pub plies: usize,
    /// Those that are written.
    pub played: Vec<Played>,
}

/// A written ply of a look's best game.
pub struct Played {
    pub slot: usize,
    pub shape: MoveShape,
    pub check: CheckMark,
    /// Share of the games that have it, the evidence flattened as for [`Signs::flat_odds`](super::Signs::flat_odds).
    pub sure: f32,
}

/// At most one ply in this many does not read on a sheet that reads well.
const READS_WELL: usize = 6;

impl Look {
    /// Whether hardly a ply does not read.
    pub fn reads_well(&self) -> bool {
        self.mended.len() * READS_WELL <= self.plies
    }

    /// What slips cost on a sheet with so many.
    pub fn prices(&self, options: &Options) -> SlipPrices {
        options.slips.for_sheet(self.mended.len(), self.plies)
    }
}
