//! The row that holds the first move, told by the game where lines and numbers do not tell it or tell it wrong: what
//! stands above it, such as the head of the table, reads as no moves, and counted from another row the moves fit no game.
//! Where lines leap to their neighbours between two columns, Black's moves are counted from another row than White's.

use super::anchor::Anchor;
use crate::decode::{self, Row, decode, mended_at_sight};
use crate::error::Result;
use crate::game::{Colour, Ply, Status};
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::table::more_rows::extend;
use crate::pipeline::{NUMBERS_READ, ReadCell, ReadPage, cut_cells, gather, read_cells};
use crate::reading::Alphabet;
use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

/// Most rows that may lie above the first move, where numbers are read and where they are not: then lines of the sheet's head
/// may be among them; and most that may be lost where it is said to be.
const HEAD: usize = 3;
const UNNUMBERED_HEAD: usize = 8;
const LOST: usize = 2;
/// Rows whose moves tell, to see whether there is doubt and to settle it.
const LOOKED_AT: Range<usize> = 8..12;
/// Moves that must be read more for rows to be counted from another one than the numbers say, or Black's from another one than
/// White's.
const GAIN: f32 = 1.2;
/// Where no numbers speak: what a move that does not fit takes from those that are read, and what must be gained for another row.
const MISFIT: f32 = 0.8;
const UNNUMBERED_GAIN: f32 = 0.5;
/// Moves of these that do not fit where there is doubt though the numbers are read: a hand that is hard to read tells
/// nothing.
const DOUBTFUL: RangeInclusive<usize> = 1..=4;
/// Moves that do not fit where rows cannot be the true ones against the numbers.
const MISFITS: usize = 2;

/// Bands with the first move of each colour in the first pair of columns.
#[derive(Debug, Clone, Copy, PartialEq)]
struct First {
    white: usize,
    black: usize,
}

/// Counts the rows of a page anew from the one with the first move: of a page whose numbers are not read, those above
/// it are no rows of the table; where they are read, as many follow below.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn settle(page: &mut ReadPage, recogniser: &dyn Recogniser) -> Result<()> {
    if page.anchor.first_number != 1 {
        return Ok(());
    }
    let alphabet = recogniser.alphabet();
    let said = page.anchor.first_band;
    let numbered = page.anchor.evidence >= NUMBERS_READ;
    let few = beginning(page, First { white: said, black: said }, LOOKED_AT.start);
    if numbered && !DOUBTFUL.contains(&mended_at_sight(&few, alphabet, &decode::Options::default())) {
        return Ok(());
    }
    let lost = LOST.min(said);
    let above = Anchor { first_band: said - lost, rows: lost, ..page.anchor };
    take_in(page, &above, 1, recogniser)?;
    let first = best_first(page, alphabet);
    if first == (First { white: said, black: said }) {
        number(page, first, page.anchor);
        return Ok(());
    }
    let mut anchor = Anchor { first_band: first.white, ..page.anchor };
    if numbered {
        extend(&mut page.grid, first.white + anchor.rows, page.page.image.height() as f32);
        anchor.rows = anchor.rows.min(page.grid.bands.len() - first.white);
    } else {
        anchor.rows = anchor.rows + said - first.white;
        anchor.period = anchor.period + said - first.white;
    }
    take_in(page, &anchor, page.grid.pairs.len(), recogniser)?;
    number(page, first, anchor);
    Ok(())
}

/// Where the game begins: as lines and numbers say, unless the game says more for another row.
fn best_first(page: &ReadPage, alphabet: &Alphabet) -> First {
    let said = page.anchor.first_band;
    let numbered = page.anchor.evidence >= NUMBERS_READ;
    let options = decode::Options::default();
    let head = if numbered { HEAD } else { UNNUMBERED_HEAD };
    // Where no numbers speak, all are judged by the ink of the same rows: what stands above the first move may be passed over.
    let count = |first: First| if numbered { LOOKED_AT.end } else { said + head + LOOKED_AT.start - first.white };
    let cells = |first| beginning(page, first, count(first));
    let fit = |first| {
        let decoded = decode(&cells(first), alphabet, &options);
        Fit::of(&decoded.map(|decoded| decoded.plies).unwrap_or_default())
    };
    let best_of = |known: (First, Option<Fit>), others: Vec<First>, gain: f32| {
        let is_likely = |&first: &First| !numbered || mended_at_sight(&cells(first), alphabet, &options) < MISFITS;
        others.into_iter().filter(is_likely).fold(known, |(best, known), first| {
            let (known, fit) = (known.unwrap_or_else(|| fit(best)), fit(first));
            if fit.is_better(&known, numbered, gain) { (first, Some(fit)) } else { (best, Some(known)) }
        })
    };
    let rows = said - LOST.min(said)..=said + head.min(page.anchor.rows.saturating_sub(LOOKED_AT.end));
    let level = rows.filter(|row| *row != said).map(|row| First { white: row, black: row }).collect();
    let gain = if numbered { GAIN } else { UNNUMBERED_GAIN };
    let best = best_of((First { white: said, black: said }, None), level, gain);
    let beside = [best.0.white.checked_sub(1), Some(best.0.white + 1)].into_iter().flatten();
    let beside = beside.map(|black| First { black, ..best.0 }).collect();
    let (first, fit) = best_of(best, beside, GAIN);
    let passed_over = fit.filter(|_| !numbered).map_or(0, |fit| fit.passed_over);
    First { white: first.white + passed_over, black: first.black + passed_over }
}

/// Numbers all cells by their bands; those of no row go.
fn number(page: &mut ReadPage, first: First, anchor: Anchor) {
    page.cells.retain_mut(|cell| {
        let first_band = if cell.pair == 0 { first.of(cell.colour) } else { first.white };
        let row = cell.band.checked_sub(first_band).filter(|row| *row < anchor.rows);
        if let Some(row) = row {
            cell.number = (1 + cell.pair * anchor.period + row) as u32;
        }
        row.is_some()
    });
    page.cells.sort_by_key(|cell| (cell.number, cell.colour == Colour::Black));
    page.anchor = anchor;
}

impl First {
    fn of(self, colour: Colour) -> usize {
        match colour {
            Colour::White => self.white,
            Colour::Black => self.black,
        }
    }
}

/// Reads those cells of the rows of an anchor, in so many pairs of columns, that are not among the page's.
fn take_in(page: &mut ReadPage, anchor: &Anchor, pairs: usize, recogniser: &dyn Recogniser) -> Result<()> {
    let place = |cell: &ReadCell| (cell.band, cell.pair, cell.colour);
    let known: HashSet<_> = page.cells.iter().map(place).collect();
    let mut more = cut_cells(&page.page, &page.grid, anchor);
    more.retain(|cell| cell.pair < pairs && !known.contains(&place(cell)));
    read_cells(&mut more, recogniser)?;
    page.cells.append(&mut more);
    Ok(())
}

/// Some rows of the first pair of columns, numbered as if the game began in some bands.
fn beginning(page: &ReadPage, first: First, count: usize) -> Vec<Row> {
    let numbered = |cell: &ReadCell| {
        let row = cell.band.checked_sub(first.of(cell.colour)).filter(|row| *row < count)?;
        (cell.pair == 0).then(|| ReadCell { number: 1 + row as u32, ..cell.clone() })
    };
    let cells: Vec<ReadCell> = page.cells.iter().filter_map(numbered).collect();
    gather(cells.iter().map(|cell| (0, 0, cell)))
}

/// How well cells read as the beginning of a game.
#[derive(Debug, Clone, Copy)]
struct Fit {
    /// Moves that are expected to be right.
    read: f32,
    /// Moves that are not what is written, and how many of them are not written at all.
    misfits: usize,
    inferred: usize,
    /// Rows between moves that hold none.
    empty: usize,
    /// Rows above the first move that is read.
    passed_over: usize,
}

impl Fit {
    fn of(plies: &[Ply]) -> Self {
        let is_read = |ply: &&Ply| ply.san.is_some() && ply.status != Status::Inferred;
        let rows = |plies: &[Ply]| {
            plies.first().map_or(0, |first| plies.last().map_or(0, |last| 1 + last.number - first.number))
        };
        let numbers: HashSet<u32> = plies.iter().map(|ply| ply.number).collect();
        Self {
            read: plies.iter().filter(is_read).map(|ply| ply.confidence).sum(),
            misfits: plies.iter().filter(|ply| !matches!(ply.status, Status::Clear | Status::Doubtful)).count(),
            inferred: plies.iter().filter(|ply| ply.status == Status::Inferred).count(),
            empty: (rows(plies) as usize).saturating_sub(numbers.len()),
            passed_over: plies.iter().find(is_read).map_or(0, |ply| ply.number.saturating_sub(1) as usize),
        }
    }

    /// Whether it is that of the true rows rather than another: where numbers speak for the other one, all must be
    /// written, and hardly any may not fit.
    fn is_better(&self, other: &Self, numbered: bool, gain: f32) -> bool {
        if numbered {
            return self.read > other.read + gain && self.inferred == 0 && self.misfits < MISFITS;
        }
        let value = |fit: &Self| fit.read - MISFIT * (fit.misfits + fit.empty) as f32;
        value(self) > value(other) + gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::material::blank_ply;

    fn ply(number: u32, status: Status, confidence: f32) -> Ply {
        Ply { san: Some("e4".to_owned()), confidence, status, ..blank_ply(number, Colour::White) }
    }

    #[test]
    fn a_head_that_can_be_taken_for_moves_is_parted_from_them() {
        // Two rows of a head, mended into moves of sorts; below an empty row the game.
        let game: Vec<Ply> = (4..12).map(|number| ply(number, Status::Clear, 0.99)).collect();
        let head = [
            (1, Status::Repaired, 0.58),
            (1, Status::Repaired, 0.28),
            (2, Status::Repaired, 0.69),
            (2, Status::Doubtful, 0.45),
        ];
        let with_head: Vec<Ply> =
            head.map(|(number, status, sure)| ply(number, status, sure)).into_iter().chain(game.clone()).collect();
        assert_eq!((Fit::of(&game).empty, Fit::of(&with_head).empty), (0, 1));
        assert!(Fit::of(&game).is_better(&Fit::of(&with_head), false, UNNUMBERED_GAIN));
    }
}
