//! What a search for the table of moves has found so far, and the ways to try a page.

use super::amend;
use super::found::{Found, NEARLY, WHOLE};
use super::further;
use super::grid::{Grid, Known};
use super::ink_rows;
use super::legible;
use super::level;
use super::listed::{self, Listed, Unruled};
use super::number_columns::Printed;
use super::on_lines;
use super::straight_rows;
use crate::error::{Error, Result};
use crate::pipeline::numbers::anchor;
use crate::pipeline::page::{Page, Place};
use crate::pipeline::photo::advice;
use crate::pipeline::photo::ingest::Photo;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::watch::Watch;
use crate::pipeline::{Timing, timed};

/// How often rows are set level at most.
const LEVELLINGS: usize = 3;
/// Evidence per row of handwritten numbers that read well though they are few.
const WELL_READ: f32 = 1.1;

/// The best of the pages tried so far.
pub(crate) struct Search<'a> {
    pub(super) recogniser: &'a dyn Recogniser,
    pub(super) known: Known,
    pub(super) timing: &'a mut Timing,
    pub(super) watch: &'a Watch,
    pub(super) best: Option<Found>,
    /// The order in which pages are turned.
    pub(super) turns: [u8; 4],
    /// The moves behind handwritten numbers, by the pages on which they were looked for.
    listed: Vec<(Place, Option<(Found, bool)>)>,
    /// Why the first page had no table.
    pub(super) cause: Option<String>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(recogniser: &'a dyn Recogniser, timing: &'a mut Timing, watch: &'a Watch) -> Self {
        let turns = [0, 1, 3, 2];
        Self { recogniser, known: Known::default(), timing, watch, best: None, turns, listed: Vec::new(), cause: None }
    }

    /// The table on one page as it lies.
    pub(crate) fn best_on(mut self, page: Page) -> Result<Option<Found>> {
        self.try_page(page)?;
        Ok(self.best)
    }

    /// Tries the table between the ruling lines of a page.
    pub(super) fn try_page(&mut self, page: Page) -> Result<()> {
        let grid = timed(self.timing, "grid", || Grid::find(&page, &self.known));
        self.try_grid(page, grid)
    }

    /// Tries a page that was laid flat all ways up, until one is surely upright; keeps the page as it was laid.
    pub(super) fn try_flat(&mut self, page: Page, flat_pages: &mut Vec<Page>) -> Result<bool> {
        flat_pages.push(page.clone());
        for turns in self.turns {
            self.watch.at("page")?;
            let page = timed(self.timing, "page", || page.turned(turns));
            self.try_page_twice(&page)?;
            if self.is_sure() || self.writing_is_plain()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A page with its bent paper laid smooth; none where it is hardly bent.
    pub(super) fn smoothed(&mut self, page: &Page, photo: &Photo) -> Option<Page> {
        timed(self.timing, "flatten", || page.smoothed(photo))
    }

    /// Tries a page whose rows may not be ruled.
    pub(super) fn try_ink(&mut self, page: Page) -> Result<()> {
        self.try_unruled(&page)?;
        if self.is_sure() {
            return Ok(());
        }
        let grid = timed(self.timing, "grid", || Grid::find_by_ink(&page, &self.known));
        self.try_grid(page, grid)
    }

    /// Tries a page whose rows may be told by their numbers.
    fn try_numbers(&mut self, page: &Page) -> Result<()> {
        self.watch.at("page")?;
        let grids = timed(self.timing, "grid", || Grid::find_by_numbers(page, &self.known));
        for grid in grids.into_iter().flatten() {
            if !legible::is_laid_out_so(page, &grid, self.recogniser)? {
                continue;
            }
            self.try_grid(page.clone(), Ok(grid))?;
            if self.is_sure() {
                break;
            }
        }
        Ok(())
    }

    /// Tries a page whose rows may be told by its numbers, which are printed, or written by hand like the moves.
    pub(super) fn try_unruled(&mut self, page: &Page) -> Result<()> {
        let mut listed = self.listed(page)?;
        if let Some((found, _)) = listed.take_if(|(_, by_hand)| *by_hand) {
            self.offer(found)?;
            if self.is_sure() {
                return Ok(());
            }
        }
        self.try_numbers(page)?;
        // A hand may be as even as print: its moves tell.
        listed.map_or(Ok(()), |(found, _)| self.offer_to_read(found))
    }

    /// Whether the numbers of the best say anything.
    pub(super) fn is_read(&self) -> bool {
        self.best.as_ref().is_some_and(Found::is_read)
    }

    /// Offers a table that is the better one if more of its cells read as moves.
    pub(super) fn offer_to_read(&mut self, mut found: Found) -> Result<()> {
        let recogniser = self.recogniser;
        let is_better = match &mut self.best {
            Some(best) => timed(self.timing, "anchor", || found.reads_better_than(best, recogniser))?,
            None => true,
        };
        if is_better {
            self.best = Some(found);
        }
        Ok(())
    }

    /// The moves of a page that stand behind numbers, and whether these are written by hand.
    pub(super) fn listed(&mut self, page: &Page) -> Result<Option<(Found, bool)>> {
        self.listed_on(page, || Unruled::new(page))
    }

    /// The same of a page that may be known without its ruling; a page is looked at once.
    pub(super) fn listed_on(
        &mut self,
        page: &Page,
        unruled: impl FnOnce() -> Unruled,
    ) -> Result<Option<(Found, bool)>> {
        if !self.is_open() {
            return Ok(None);
        }
        self.watch.at("grid")?;
        if let Some((_, listed)) = self.listed.iter().find(|(place, _)| *place == page.place()) {
            return Ok(listed.clone());
        }
        let listed = self.find_list(page, unruled())?;
        self.listed.push((page.place(), listed.clone()));
        Ok(listed)
    }

    /// The same of a page as one way to take its ruling away leaves it.
    pub(super) fn find_list(&mut self, page: &Page, unruled: Unruled) -> Result<Option<(Found, bool)>> {
        let recogniser = self.recogniser;
        let listed = timed(self.timing, "grid", || listed::find(page, unruled, recogniser))?;
        let listed = listed.map(|Listed { page, grid, anchor, by_hand }| {
            (Found { page, grid, anchor, legible: None, is_level: false }, by_hand)
        });
        // Where the numbers of few rows read, moves may stand in a wrong one.
        Ok(listed.filter(|(found, _)| found.support() > WHOLE || found.anchor.evidence > WELL_READ))
    }

    /// Whether nothing is known about the table.
    pub(super) fn is_open(&self) -> bool {
        self.known.table.is_none() && self.known.rows.is_none() && self.known.columns.is_none()
    }

    fn try_grid(&mut self, page: Page, grid: std::result::Result<Grid, String>) -> Result<()> {
        let found = self.anchored(&Printed::on(&page), grid)?;
        self.offer_any(found)
    }

    /// A table with what its numbers and its writing tell; none where there is none, or it is surely none.
    pub(super) fn anchored(
        &mut self,
        printed: &Printed,
        grid: std::result::Result<Grid, String>,
    ) -> Result<Option<Found>> {
        let page = printed.page;
        let mut grid = match grid {
            Ok(grid) => grid,
            Err(cause) => {
                self.cause.get_or_insert(cause);
                return Ok(None);
            }
        };
        self.watch.at("anchor")?;
        // Once the likeliest has failed, most of what is tried is askew or upside down: the writing tells soonest.
        let mut legible = None;
        let anchor = timed(self.timing, "anchor", || {
            if self.best.is_some() {
                legible = Some(legible::moves(page, &grid, self.recogniser)?);
            }
            let nothing = legible.is_some_and(|legible| legible.is_nothing());
            let readable = !nothing && amend::settle_numbers(printed, &mut grid, &self.known, self.recogniser)?;
            if grid.by_ink {
                ink_rows::settle(page, &mut grid);
            }
            anchor::anchor(page, &grid, self.known.rows, readable, self.recogniser)
        })?;
        let mut found = Found { page: page.clone(), grid, anchor, legible, is_level: false };
        if found.is_read() && self.known.columns.is_none() && self.known.rows.is_none() {
            timed(self.timing, "anchor", || {
                amend::complete(&mut found, printed, self.recogniser)?;
                // Rows that were put right may show pairs that were not seen before, and numbers further on.
                for _ in 0..LEVELLINGS {
                    if !level::level(&mut found, self.recogniser)? {
                        break;
                    }
                    amend::complete(&mut found, printed, self.recogniser)?;
                }
                straight_rows::lead_back(&mut found, self.recogniser)?;
                on_lines::lead_back(&mut found, self.recogniser)
            })?;
        }
        // Upside down, writing may pass for a few numbers.
        let plain = found.legible.is_some_and(|legible| legible.is_plain());
        if found.grid.by_ink && found.page.quarter_turns != 0 && !found.is_sure() && !plain {
            return Ok(None);
        }
        Ok(Some(found))
    }

    pub(super) fn offer_any(&mut self, found: Option<Found>) -> Result<()> {
        found.map_or(Ok(()), |found| self.offer(found))
    }

    fn offer(&mut self, mut found: Found) -> Result<()> {
        let recogniser = self.recogniser;
        let is_better = match &mut self.best {
            Some(best) => timed(self.timing, "anchor", || found.is_better_than(best, recogniser))?,
            None => true,
        };
        if is_better {
            self.best = Some(found);
        }
        Ok(())
    }

    /// Offers the table of the photo as it is once the flat page was tried: it may be the better one.
    pub(super) fn offer_askew(&mut self, mut found: Found) -> Result<()> {
        let recogniser = self.recogniser;
        let is_better = match &mut self.best {
            Some(best)
                if found.is_whole()
                    && (found.is_level || !best.is_level)
                    && found.support() > NEARLY * best.support() =>
            {
                timed(self.timing, "anchor", || found.reads_better_than(best, recogniser))?
            }
            _ => false,
        };
        if is_better {
            self.best = Some(found);
            return Ok(());
        }
        self.offer(found)
    }

    /// The page of the best table the other way up, unless its numbers are read: upside down some hands read as moves as
    /// well.
    pub(super) fn upside_down(&self) -> Option<Page> {
        self.best.as_ref().filter(|found| !found.is_read()).map(|found| found.page.turned(2))
    }

    /// Whether the best table, a whole one, reads as moves: whichever way its numbers may read, it is upright.
    pub(super) fn writing_is_plain(&mut self) -> Result<bool> {
        let Some(best) = self.best.as_mut().filter(|best| !best.grid.is_doubtful()) else { return Ok(false) };
        self.watch.at("anchor")?;
        let recogniser = self.recogniser;
        timed(self.timing, "anchor", || Ok(best.legible(recogniser)?.is_plain()))
    }

    pub(super) fn is_sure(&self) -> bool {
        self.best.as_ref().is_some_and(Found::is_sure)
    }

    /// Whether a part of the best seems not to be found.
    pub(super) fn is_partial(&self) -> bool {
        self.best.as_ref().is_some_and(Found::is_partial)
    }

    /// Whether the best is surely the table, and the whole of it.
    pub(super) fn is_whole(&self) -> bool {
        self.best.as_ref().is_some_and(Found::is_whole)
    }

    /// The best with the tables on its page from which its numbers go on; none where there are none.
    pub(super) fn earlier(&mut self, photo: &Photo) -> Result<Option<Vec<Found>>> {
        let Some(best) = self.best.as_ref().filter(|found| found.is_later()) else { return Ok(None) };
        let tables = further::earlier(best.clone(), photo, self.recogniser, self.timing, self.watch)?;
        // All of them as one table, whose rows may be those of the last one only.
        if let Some([all]) = tables.as_deref()
            && all.leaves_its_lines()
        {
            self.best = Some(all.clone());
            return Ok(None);
        }
        Ok(tables)
    }

    pub(super) fn end(mut self, photo: &Photo) -> Result<Vec<Found>> {
        let is_open = self.is_open();
        // Lines of paper that is no form may have been taken for rows and columns: their cells hold no moves. Printed numbers
        // stand beside rows of a form; those of a hand that keeps to the lines stand as evenly, and moves behind them.
        if is_open
            && self.listed.is_empty()
            && !self.writing_is_plain()?
            && let Some(page) = self.best.as_ref().map(|found| found.page.clone())
            && let Some((mut found, by_hand)) = self.listed(&page)?
        {
            if found.is_sure() && !found.is_partial() && found.legible(self.recogniser)?.is_plain() {
                self.best = Some(found);
            } else if by_hand || !self.is_sure() {
                self.offer_to_read(found)?;
            }
        }
        if let Some(found) = self.best.take_if(|found| found.page.pieces.is_some()) {
            return Ok(vec![found]);
        }
        let Some(mut found) = self.best else {
            return Err(Error::NoTable { file: photo.file.clone(), cause: self.cause.unwrap_or_default() });
        };
        // Print, hatching and noise may look like rows and columns too: the cells need not all be read to tell.
        let legible = |found: &mut Found| found.legible(self.recogniser);
        if is_open && !found.is_read() && timed(self.timing, "anchor", || legible(&mut found))?.is_no_writing() {
            return Err(Error::Unreadable { file: photo.file.clone(), advice: advice::LOOK_AGAIN.to_owned() });
        }
        Ok(vec![if is_open { further::parted(found, self.recogniser, self.timing, self.watch)? } else { found }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::cells::Crop;
    use crate::reading::{Alphabet, Reading};
    use image::{GrayImage, Luma};

    struct Nothing(Alphabet);

    impl Recogniser for Nothing {
        fn alphabet(&self) -> &Alphabet {
            &self.0
        }

        fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
            Ok(crops.iter().map(|_| Reading::new(vec![0.0, f32::NEG_INFINITY], 2)).collect())
        }
    }

    #[test]
    fn a_page_is_looked_at_for_a_list_once_each_way_up() {
        let page = Page::new(&Photo { file: String::new(), grey: GrayImage::from_pixel(400, 600, Luma([250])) }, 0);
        let (recogniser, mut timing, watch) = (Nothing(Alphabet::new("a".chars())), Timing::new(), Watch::default());
        let mut search = Search::new(&recogniser, &mut timing, &watch);
        let mut looks = 0;
        for (turns, expected) in [(0, 1), (0, 1), (2, 2), (0, 2), (2, 2)] {
            let page = page.turned(turns);
            let listed = search.listed_on(&page, || {
                looks += 1;
                Unruled::new(&page)
            });
            assert!(listed.unwrap().is_none());
            assert_eq!(looks, expected);
        }
    }
}
