//! The table of moves on a photo, whichever way the photo was taken.
//!
//! The photo is tried as it is first. Where its lines run askew, or its numbers cannot be read, the sheet is laid flat
//! and turned until they can: the printed numbers are the judge of every try.

use super::anchor::{self, Anchor};
use super::flatten;
use super::grid::{COVERED, Grid, Known};
use super::hint::PageHint;
use super::ingest::Photo;
use super::ink_rows;
use super::legible;
use super::numbers;
use super::page::Page;
use super::recognise::Recogniser;
use super::watch::Watch;
use super::{NUMBERS_READ, Timing, timed};
use crate::error::{Error, Result};

/// A table with the page it was found on and the numbers of its rows.
#[derive(Debug, Clone)]
pub struct Found {
    pub page: Page,
    pub grid: Grid,
    pub anchor: Anchor,
}

/// Evidence per looked-at row (see [`Anchor::evidence`]) from which a page is surely the right way up.
const UPRIGHT: f32 = 0.6;
/// Slope of a table's sides from which it is laid flat, in pixels per pixel.
const ASKEW: f32 = 0.05;
/// What the numbers of a whole table say at least (evidence times rows): a few rows read by chance say less.
const WHOLE: f32 = 30.0;
/// Share by which a later try must have more support than an earlier one.
const CLEARLY: f32 = 1.25;

/// The greatest first number at which rows may be missing before it; a further sheet begins later.
const LOST_ROWS: u32 = 6;

impl Found {
    /// What the printed numbers say for this table: a part of a table has less to show than the whole.
    fn support(&self) -> f32 {
        self.anchor.evidence.max(0.0) * (self.anchor.rows * self.grid.pairs.len()) as f32
    }

    /// Whether the numbers say for sure that this is the table, the right way up.
    fn is_sure(&self) -> bool {
        self.anchor.evidence > UPRIGHT && self.support() > WHOLE && !self.lacks_first_rows()
    }

    /// Whether the first rows are missing: cut off by the edge of the photo, or not found.
    fn lacks_first_rows(&self) -> bool {
        (2..=LOST_ROWS).contains(&self.anchor.first_number)
    }

    /// Whether the numbers say anything: many rows do together what one does not.
    fn is_read(&self) -> bool {
        self.anchor.evidence > NUMBERS_READ || self.support() > WHOLE
    }

    /// Where no numbers can be read nothing speaks against the first try.
    fn is_better_than(&self, other: &Self) -> bool {
        let clearly = if other.lacks_first_rows() && !self.lacks_first_rows() { 1.0 } else { CLEARLY };
        self.is_read() && self.support() > clearly * other.support()
    }
}

/// Finds the table of moves.
///
/// # Errors
/// [`Error::NoTable`] where none is found any way up, and as [`Recogniser::read`].
pub(super) fn find(
    photo: &Photo,
    hint: &PageHint,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Found> {
    hint.check()?;
    let known = Known { table: None, rows: hint.rows, columns: hint.columns };
    let mut search = Search { recogniser, timing, watch, known, best: None, others: Vec::new(), cause: None };
    watch.at("page")?;
    if let Some(quad) = &hint.quad {
        let (flat, [left, right, top, bottom]) = flatten::within(quad, photo.grey.dimensions())?;
        search.known.table = Some([left, right, top, bottom]);
        let page = timed(search.timing, "page", || Page::flattened(photo, &flat, 0));
        search.try_page(page)?;
        return search.end(photo);
    }
    let plain = timed(search.timing, "page", || Page::new(photo, 0));
    search.try_page(plain.clone())?;
    if search.best.as_ref().is_some_and(|found| found.is_sure() && !is_doubtful(&found.grid)) {
        return search.end(photo);
    }
    let mut enough = UPRIGHT;
    let mut flat_page = None;
    if let Some(flat) = timed(search.timing, "flatten", || flatten::find(&plain)) {
        // A flat page that was tried all ways up leaves little to the photo as it is.
        enough = NUMBERS_READ;
        // Askew, the grid may have caught a part of the table: the flat page must prove itself first.
        let askew = search.best.take();
        for turns in [0, 1, 3, 2] {
            watch.at("page")?;
            let page = timed(search.timing, "page", || Page::flattened(photo, &flat, turns));
            if turns == 0 {
                flat_page = Some(page.clone());
            }
            search.try_page(page)?;
            if search.is_sure() {
                return search.end(photo);
            }
        }
        if let Some(found) = askew {
            search.offer(found);
        }
    }
    for turns in [1, 3, 2] {
        if search.best.as_ref().is_some_and(|found| found.anchor.evidence > enough) {
            break;
        }
        watch.at("page")?;
        let page = timed(search.timing, "page", || Page::new(photo, turns));
        search.try_page(page)?;
    }
    if !search.is_sure() {
        let pages: Vec<Page> = flat_page.into_iter().chain([plain]).collect();
        for (index, turns) in [(0, 0), (1, 0), (0, 2), (1, 2), (0, 1), (0, 3)] {
            if search.is_sure() {
                break;
            }
            if let Some(page) = pages.get(index) {
                search.try_ink(page.turned(turns))?;
            }
        }
    }
    search.end(photo)
}

/// The best of the pages tried so far.
struct Search<'a> {
    recogniser: &'a dyn Recogniser,
    known: Known,
    timing: &'a mut Timing,
    watch: &'a Watch,
    best: Option<Found>,
    /// What was found and is no better.
    others: Vec<Found>,
    /// Why the first page had no table.
    cause: Option<String>,
}

impl Search<'_> {
    fn try_page(&mut self, page: Page) -> Result<()> {
        let grid = timed(self.timing, "grid", || Grid::find(&page, &self.known));
        self.try_grid(page, grid)
    }

    /// Tries a page whose rows may not be ruled.
    fn try_ink(&mut self, page: Page) -> Result<()> {
        self.watch.at("page")?;
        let grid = timed(self.timing, "grid", || Grid::find_by_numbers(&page, &self.known));
        self.try_grid(page.clone(), grid)?;
        if self.is_sure() {
            return Ok(());
        }
        let grid = timed(self.timing, "grid", || Grid::find_by_ink(&page, &self.known));
        self.try_grid(page, grid)
    }

    fn try_grid(&mut self, page: Page, grid: std::result::Result<Grid, String>) -> Result<()> {
        let mut grid = match grid {
            Ok(grid) => grid,
            Err(cause) => {
                self.cause.get_or_insert(cause);
                return Ok(());
            }
        };
        self.watch.at("anchor")?;
        let anchor = timed(self.timing, "anchor", || {
            numbers::split_off(&page, &mut grid);
            if grid.by_ink {
                ink_rows::settle(&page, &mut grid);
            }
            anchor::anchor(&page, &grid, self.known.rows, self.recogniser)
        })?;
        let found = Found { page, grid, anchor };
        // Upside down, writing may pass for a few numbers.
        if !found.grid.by_ink || found.page.quarter_turns == 0 || found.is_sure() {
            self.offer(found);
        }
        Ok(())
    }

    fn offer(&mut self, found: Found) {
        match &mut self.best {
            Some(best) if found.is_better_than(best) => self.others.push(std::mem::replace(best, found)),
            Some(_) => self.others.push(found),
            None => self.best = Some(found),
        }
    }

    /// Takes the table on which most moves are read, for want of numbers.
    fn ask_the_writing(&mut self) -> Result<()> {
        let Some(best) = self.best.as_ref() else { return Ok(()) };
        self.watch.at("anchor")?;
        let moves = |found: &Found| legible::moves(found, self.recogniser);
        let (found, others) = timed(self.timing, "anchor", || {
            let others: Result<Vec<f32>> = self.others.iter().map(moves).collect();
            Ok::<_, Error>((moves(best)?, others?))
        })?;
        let most = others.into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((index, _)) = most.filter(|&(_, read)| read > CLEARLY * found) {
            self.best = Some(self.others.swap_remove(index));
        }
        Ok(())
    }

    fn is_sure(&self) -> bool {
        self.best.as_ref().is_some_and(Found::is_sure)
    }

    fn end(mut self, photo: &Photo) -> Result<Found> {
        if self.best.as_ref().is_some_and(|best| !best.is_read()) && !self.others.is_empty() {
            self.ask_the_writing()?;
        }
        let cause = self.cause.unwrap_or_default();
        self.best.ok_or_else(|| Error::NoTable { file: photo.file.clone(), cause })
    }
}

/// Whether the grid may be a part of the table only: it leaves out much of what is ruled, or a side is slanted by more
/// than [`ASKEW`].
fn is_doubtful(grid: &Grid) -> bool {
    if grid.covered < COVERED {
        return true;
    }
    let (Some(first), Some(last)) = (grid.bands.first(), grid.bands.last()) else { return false };
    let (Some(left), Some(right)) = (grid.pairs.first(), grid.pairs.last()) else { return false };
    let left = left.numbers.as_ref().unwrap_or(&left.white);
    let (tl, bl) = (grid.quad(first, left)[0], grid.quad(last, left)[3]);
    let (tr, br) = (grid.quad(first, &right.black)[1], grid.quad(last, &right.black)[2]);
    let level = |a: [f32; 2], b: [f32; 2]| ((b[1] - a[1]) / (b[0] - a[0])).abs();
    let upright = |a: [f32; 2], b: [f32; 2]| ((b[0] - a[0]) / (b[1] - a[1])).abs();
    [level(tl, tr), level(bl, br), upright(tl, bl), upright(tr, br)].iter().any(|&slope| slope > ASKEW)
}
