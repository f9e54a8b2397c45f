//! Several tables of moves on one sheet that share no rows: side by side at different heights, or one below the other.
//!
//! Their printed numbers go on from table to table. What was found already is painted over, and the next one is looked
//! for on what is left of the page.

use super::anchor::Anchor;
use super::find::{Found, Search};
use super::grid::{Grid, Known};
use super::page::{PAPER, Page};
use super::recognise::Recogniser;
use super::watch::Watch;
use super::{ReadCell, ReadPage, Timing};
use crate::error::Result;
use crate::game::Colour;
use image::Luma;

/// What is painted over around a table, in heights of a row: its frame, and the line of headings above.
const AROUND: f32 = 0.6;
const HEADING: f32 = 1.6;
/// Least evidence of the numbers of a further table (see [`Anchor::evidence`]).
const SURE: f32 = 0.6;
/// Most tables on a page.
pub(super) const MOST: usize = 4;

/// The page without a table.
pub(super) fn without(page: &Page, grid: &Grid, anchor: &Anchor) -> Page {
    let mut page = page.clone();
    let bands = grid.bands.get(anchor.first_band..anchor.first_band + anchor.rows).unwrap_or_default();
    let (Some(first), Some(last)) = (bands.first(), bands.last()) else { return page };
    let (Some(left), Some(right)) = (grid.pairs.first(), grid.pairs.last()) else { return page };
    let height = page.image.height() as f32;
    for x in 0..page.image.width() {
        let at = x as f32;
        let (top, bottom) = (first.top.at(at) - HEADING * grid.pitch, last.bottom.at(at) + AROUND * grid.pitch);
        for y in top.clamp(0.0, height) as u32..bottom.clamp(0.0, height) as u32 {
            let (from, to) = (left.first(y as f32).at(y as f32).0, right.black.at(y as f32).1);
            if (from - AROUND * grid.pitch..to + AROUND * grid.pitch).contains(&at) {
                page.image.put_pixel(x, y, Luma([PAPER as u8]));
            }
        }
    }
    page
}

/// The best table on what is left of a page, if its numbers are read.
pub(super) fn on(page: Page, recogniser: &dyn Recogniser, timing: &mut Timing, watch: &Watch) -> Result<Option<Found>> {
    let mut search = Search { recogniser, timing, watch, known: Known::default(), best: None, cause: None };
    search.try_page(page)?;
    Ok(search.best.filter(|found| found.anchor.evidence > SURE))
}

/// A table with those on the same page from which its numbers go on, in the order of their numbers.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn before(
    found: Found,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Vec<Found>> {
    let mut tables = vec![found];
    while tables[0].anchor.first_number > 1 && tables.len() < MOST {
        let first = &tables[0];
        let rest = without(&first.page, &first.grid, &first.anchor);
        match on(rest, recogniser, timing, watch)? {
            Some(earlier) if earlier.anchor.last_number(&earlier.grid) + 1 == first.anchor.first_number => {
                tables.insert(0, earlier);
            }
            _ => break,
        }
    }
    Ok(tables)
}

/// The table on the same page whose numbers go on from a page's last one, if its last row is written on.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn next(
    tables: &[ReadPage],
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Option<Found>> {
    let Some(last) = tables.last().filter(|_| tables.len() < MOST) else { return Ok(None) };
    let end = last.anchor.last_number(&last.grid);
    let is_full = |cell: &ReadCell| cell.number == end && cell.colour == Colour::White && cell.reading.is_some();
    if last.anchor.evidence < SURE || !last.cells.iter().any(is_full) {
        return Ok(None);
    }
    let rest = tables.iter().fold(last.page.clone(), |page, table| without(&page, &table.grid, &table.anchor));
    Ok(on(rest, recogniser, timing, watch)?.filter(|found| found.anchor.first_number == end + 1))
}
