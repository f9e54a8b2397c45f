//! Several tables of moves on one page that share no rows: of one sheet, side by side at different heights or one below the
//! other, or of two sheets, such as the pages of an open scorebook.
//!
//! Those of one sheet are known by their printed numbers, which go on from table to table. What was found already is
//! painted over, and the next one is looked for on what is left of the page.

use super::found::{CLEARLY, Found, UPRIGHT, WHOLE};
use super::grid::{COVERED, Grid};
use super::search::Search;
use crate::error::Result;
use crate::game::Colour;
use crate::pipeline::numbers::anchor::{self, Anchor};
use crate::pipeline::page::flatten;
use crate::pipeline::page::{PAPER, Page};
use crate::pipeline::photo::ingest::Photo;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::watch::Watch;
use crate::pipeline::{ReadCell, ReadPage, Timing, table_quad, timed};

/// What is painted over around a table, in heights of a row: its frame, and the line of headings above.
const AROUND: f32 = 0.6;
const HEADING: f32 = 1.6;
/// Evidence below which a table may be two.
const MIXED: f32 = 1.5;
/// Ruled rows beyond the numbered ones from which they may belong to something else beside the table.
const BEYOND: usize = 4;
/// Share of a table's size that another one takes at least.
const ROOM: f32 = 0.8;
/// How far two tables may overlap, in heights of a row, as tables that are not straight seem to.
const OVERLAP: f32 = 1.5;
/// Most tables on a page.
const MOST: usize = 4;

/// The page without a table.
fn without(page: &Page, grid: &Grid, anchor: &Anchor) -> Page {
    let rows = anchor.bands(grid);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return page.clone() };
    let is_within = |x: f32, y: f32| {
        let heights = first.top.at(x) - HEADING * grid.pitch..last.bottom.at(x) + AROUND * grid.pitch;
        heights.contains(&y) && is_on_columns(grid, x, y)
    };
    painted_over(page, is_within)
}

/// Whether a place is on the columns of a table, whatever its height.
fn is_on_columns(grid: &Grid, x: f32, y: f32) -> bool {
    let (Some(left), Some(right)) = (grid.pairs.first(), grid.pairs.last()) else { return false };
    let (from, to) = (left.first(y).at(y).0, right.black.at(y).1);
    (from - AROUND * grid.pitch..to + AROUND * grid.pitch).contains(&x)
}

fn painted_over(page: &Page, is_hidden: impl Fn(f32, f32) -> bool) -> Page {
    let mut page = page.clone();
    for (x, y, pixel) in page.image.enumerate_pixels_mut() {
        if is_hidden(x as f32, y as f32) {
            pixel.0[0] = PAPER as u8;
        }
    }
    page
}

/// The best table on a page as it lies, apart from others, if its numbers are read.
fn on(page: Page, recogniser: &dyn Recogniser, timing: &mut Timing, watch: &Watch) -> Result<Option<Found>> {
    let found = Search::new(recogniser, timing, watch).best_on(page)?;
    let found = found.map(|found| parted(found, recogniser, timing, watch)).transpose()?;
    Ok(found.filter(|found| found.anchor.evidence > UPRIGHT))
}

/// A table without what was taken in of another one beside it, and found anew without what is ruled there.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn parted(found: Found, recogniser: &dyn Recogniser, timing: &mut Timing, watch: &Watch) -> Result<Found> {
    alone(leading_pairs(found, recogniser)?, recogniser, timing, watch)
}

/// The first pairs of a table, if their numbers say more than those of all: the others are of another table.
fn leading_pairs(found: Found, recogniser: &dyn Recogniser) -> Result<Found> {
    let mut best = None;
    let mut most = CLEARLY * found.support();
    let counts = if found.anchor.evidence < MIXED { 1..found.grid.pairs.len() } else { 0..0 };
    for count in counts {
        let grid = Grid { pairs: found.grid.pairs[..count].to_vec(), ..found.grid.clone() };
        let anchor = anchor::anchor(&found.page, &grid, None, true, recogniser)?;
        if anchor.support(&grid) > most {
            most = anchor.support(&grid);
            best = Some((grid, anchor));
        }
    }
    let mut found = found;
    if let Some((grid, anchor)) = best {
        found.replace(grid, anchor);
    }
    Ok(found)
}

/// The same table found without what is ruled beside it, in other rows, which may lead its lines astray; as it is unless
/// more of its numbers are read then, and as many moves.
fn alone(mut found: Found, recogniser: &dyn Recogniser, timing: &mut Timing, watch: &Watch) -> Result<Found> {
    let ruled = found.grid.bands.iter().filter(|band| band.ruled).count();
    let is_alone = found.grid.covered() >= COVERED && ruled <= found.anchor.rows + BEYOND;
    if is_alone || found.anchor.evidence < UPRIGHT {
        return Ok(found);
    }
    let page = painted_over(&found.page, |x, y| !is_on_columns(&found.grid, x, y));
    let alone = Search::new(recogniser, timing, watch).best_on(page)?;
    let is_same = |alone: &Found| alone.grid.pairs.len() == found.grid.pairs.len();
    let Some(mut alone) = alone.filter(|alone| is_same(alone) && alone.support() > found.support()) else {
        return Ok(found);
    };
    Ok(if found.reads_better_than(&mut alone, recogniser)? { found } else { Found { page: found.page, ..alone } })
}

/// A table whose numbers go on from those of others, with these, in the order of their numbers; none where they are not
/// found.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn earlier(
    found: Found,
    photo: &Photo,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Option<Vec<Found>>> {
    let is_whole = |tables: &Vec<Found>| tables[0].anchor.first_number == 1 && !tables.iter().any(Found::ends_early);
    let as_it_lies = match found.grid.is_doubtful() {
        true => None,
        false => Some(with_earlier(found.clone(), recogniser, timing, watch)?),
    };
    if as_it_lies.as_ref().is_some_and(is_whole) {
        return Ok(as_it_lies);
    }
    // Laid flat by this table, the others lie flat too, and all that the photo shows of them is on the page.
    // The whole of a table of which this was a part is as good; one that does not hold it is another.
    let last = |found: &Found| found.anchor.last_number(&found.grid);
    let is_all = |flat: &Found| flat.anchor.first_number == 1 && flat.support() > WHOLE && last(flat) >= last(&found);
    let is_one = |flat: &Found| flat.is_later() || is_all(flat);
    let mut flat = lay_flat(&found, photo, recogniser, timing, watch)?;
    // The wider it turns out to be, the more of the photo around it is shown.
    if let Some(wider) = flat.take_if(|flat| flat.is_later() && flat.grid.pairs.len() > found.grid.pairs.len()) {
        flat = lay_flat(&wider, photo, recogniser, timing, watch)?.filter(is_one).or(Some(wider));
    }
    let laid_flat = match flat.filter(is_one) {
        Some(flat) => Some(with_earlier(flat, recogniser, timing, watch)?),
        None => None,
    };
    let laid_flat = laid_flat.filter(|tables| is_whole(tables) || (tables.len() > 1 && as_it_lies.is_none()));
    Ok(laid_flat.or(as_it_lies.filter(|tables| tables.len() > 1)))
}

/// The best table on the page that is laid flat by a table of a photo.
fn lay_flat(
    found: &Found,
    photo: &Photo,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Option<Found>> {
    let quad = table_quad(&found.page, &found.grid, &found.anchor);
    let Some(flat) = flatten::around(&quad, photo.grey.dimensions()) else { return Ok(None) };
    on(timed(timing, "page", || Page::flattened(photo, &flat, 0)), recogniser, timing, watch)
}

/// A table with those on its page from which its numbers go on, in the order of their numbers.
fn with_earlier(found: Found, recogniser: &dyn Recogniser, timing: &mut Timing, watch: &Watch) -> Result<Vec<Found>> {
    let mut tables = vec![found];
    while tables[0].anchor.first_number > 1 && tables.len() < MOST {
        let first = &tables[0];
        let rest = without(&first.page, &first.grid, &first.anchor);
        let goes_before = |earlier: &Found| {
            let last = earlier.anchor.last_number(&earlier.grid);
            last + 1 == first.anchor.first_number
                && is_apart(&earlier.grid, &earlier.anchor, &first.grid, &first.anchor)
        };
        match on(rest, recogniser, timing, watch)?.filter(goes_before) {
            Some(earlier) => tables.insert(0, earlier),
            None => break,
        }
    }
    Ok(tables)
}

/// The table on the same page whose numbers go on from a page's last one, if its last row is written on.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn next(
    tables: &[ReadPage],
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Option<Found>> {
    let Some(last) = tables.last().filter(|_| tables.len() < MOST) else { return Ok(None) };
    let end = last.anchor.last_number(&last.grid);
    let is_full = |cell: &ReadCell| cell.number == end && cell.colour == Colour::White && cell.reading.is_some();
    if last.anchor.evidence < UPRIGHT || !last.cells.iter().any(is_full) {
        return Ok(None);
    }
    let rest = tables.iter().fold(last.page.clone(), |page, table| without(&page, &table.grid, &table.anchor));
    let goes_on = |found: &Found| {
        let is_apart = |table: &ReadPage| is_apart(&found.grid, &found.anchor, &table.grid, &table.anchor);
        found.anchor.first_number == end + 1 && tables.iter().all(is_apart)
    };
    Ok(on(rest, recogniser, timing, watch)?.filter(goes_on))
}

/// The table of another sheet on the same page, if there is room for one: its numbers begin with 1 too.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn beside(
    tables: &[ReadPage],
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Option<Found>> {
    let Some(first) = tables.first().filter(|first| first.anchor.evidence > UPRIGHT && has_room(first)) else {
        return Ok(None);
    };
    let rest = tables.iter().fold(first.page.clone(), |page, table| without(&page, &table.grid, &table.anchor));
    let is_another = |found: &Found| found.anchor.first_number == 1 && found.support() > WHOLE;
    Ok(on(rest, recogniser, timing, watch)?.filter(is_another))
}

/// Whether a page has room for another table of about the same size beside, above or below.
fn has_room(read: &ReadPage) -> bool {
    let Some([across, down]) = extent(&read.grid, &read.anchor) else { return false };
    let (width, height) = read.page.image.dimensions();
    [(across, width), (down, height)]
        .into_iter()
        .any(|([from, to], size)| from.max(size as f32 - to) > ROOM * (to - from))
}

/// Whether two tables on a page do not overlap: otherwise one is not all of its table, and the other not a table.
fn is_apart(grid: &Grid, anchor: &Anchor, other: &Grid, of_other: &Anchor) -> bool {
    let (Some(table), Some(other_table)) = (extent(grid, anchor), extent(other, of_other)) else { return true };
    let common = table.iter().zip(other_table).map(|(one, other)| one[1].min(other[1]) - one[0].max(other[0]));
    common.into_iter().any(|common| common < OVERLAP * grid.pitch.max(other.pitch))
}

/// From where to where a table reaches across and down, in pixels of the page, at its middle.
fn extent(grid: &Grid, anchor: &Anchor) -> Option<[[f32; 2]; 2]> {
    let rows = anchor.bands(grid);
    let (left, right) = (grid.pairs.first()?, grid.pairs.last()?);
    let middle = rows.get(rows.len() / 2)?.top.at(0.0);
    let across = [left.first(middle).at(middle).0, right.black.at(middle).1];
    let at = (across[0] + across[1]) / 2.0;
    Some([across, [rows.first()?.top.at(at), rows.last()?.bottom.at(at)]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::table::columns;
    use crate::pipeline::table::grid::Band;
    use crate::pipeline::table::lines::Curve;

    /// Twenty rows of 40 pixels in one pair of columns between two heights and two sides.
    fn table(left: f32, right: f32, top: f32) -> (Grid, Anchor) {
        let line = |row: usize| Curve { y: vec![top + 40.0 * row as f32; 32] };
        let bands = (0..20).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
        let pairs = columns::even(left, right, 1, 20);
        let grid = Grid { bands, pairs, pitch: 40.0, width: 1024.0, by_ink: false };
        (grid, Anchor { first_band: 0, rows: 20, period: 20, first_number: 1, evidence: 2.0 })
    }

    #[test]
    fn tables_beside_or_below_each_other_are_apart_and_those_that_overlap_are_not() {
        let (left, anchor) = table(0.0, 400.0, 100.0);
        let is_apart_from = |other: &Grid| is_apart(&left, &anchor, other, &anchor);
        let below = table(100.0, 500.0, 880.0).0;
        let beside = table(420.0, 820.0, 300.0).0;
        let touching = table(370.0, 820.0, 300.0).0;
        assert!(is_apart_from(&below) && is_apart_from(&beside) && is_apart_from(&touching));
        let across = table(250.0, 650.0, 300.0).0;
        assert!(!is_apart_from(&across) && !is_apart_from(&left));
    }
}
