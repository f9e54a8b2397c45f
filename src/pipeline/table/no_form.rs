//! Paper that is no form: moves behind numbers written by hand, or running on in lines.

use super::found::{CLEARLY, Found};
use super::listed::Unruled;
use super::running;
use super::search::Search;
use crate::error::Result;
use crate::pipeline::page::Page;
use crate::pipeline::timed;
use rayon::prelude::*;

/// Rows from which moves behind handwritten numbers are taken before all forms were tried.
const MANY_ROWS: usize = 10;

impl Search<'_> {
    /// Takes moves that surely stand behind numbers written by hand on one of some pages, or run on in lines, whichever way up;
    /// whether there are any.
    ///
    /// Where a page is not flat printed numbers stand as unevenly as those of a hand: they tell of a form if they stand evenly
    /// on one of the pages, or of text on ruled lines, and which way up it is.
    pub(super) fn try_no_form(&mut self, pages: &[&Page]) -> Result<bool> {
        let unruled: Vec<Unruled> =
            timed(self.timing, "grid", || pages.par_iter().map(|page| Unruled::new(page)).collect());
        for turns in [0, 2, 1, 3] {
            let lists = pages.iter().zip(&unruled).map(|(page, unruled)| {
                let page = page.turned(turns);
                self.listed_on(&page, || unruled.turned(turns))
            });
            let lists = lists.collect::<Result<Vec<_>>>()?;
            let lists: Vec<_> = lists.into_iter().flatten().filter(|(found, _)| found.is_whole()).collect();
            let are_even = lists.iter().any(|(_, by_hand)| !by_hand);
            if !are_even && self.take_lists(lists.into_iter().map(|(found, _)| found).collect())? {
                return Ok(true);
            }
            for unruled in &unruled {
                if self.take_running(unruled.turned(turns))? {
                    return Ok(true);
                }
            }
            if are_even {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Takes lists behind which moves stand; whether there are any. Some few tell nothing, nor do those behind which most does
    /// not read as moves.
    fn take_lists(&mut self, mut lists: Vec<Found>) -> Result<bool> {
        // Where far fewer numbers read, rows may have been passed over.
        if let [first, second] = &lists[..]
            && second.support() > CLEARLY * first.support()
        {
            lists.swap(0, 1);
        }
        let mut any = false;
        for mut found in lists.into_iter().filter(|found| found.anchor.rows >= MANY_ROWS) {
            if timed(self.timing, "anchor", || found.legible(self.recogniser))?.is_plain() {
                self.best.take_if(|_| !any);
                self.offer_to_read(found)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Takes moves that run on in lines on a page without its ruling; whether there are any.
    fn take_running(&mut self, unruled: Unruled) -> Result<bool> {
        if !self.is_open() {
            return Ok(false);
        }
        self.watch.at("grid")?;
        let found = timed(self.timing, "grid", || running::find(unruled, self.recogniser))?;
        let Some((page, grid, anchor)) = found else { return Ok(false) };
        self.best = Some(Found { page, grid, anchor, legible: None, is_level: false });
        Ok(true)
    }
}
