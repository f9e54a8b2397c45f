//! A page looked at once more from further away, where its lines may have told wrong: at half the size the sides of boxes that
//! stand close together are one line.

use super::found::Found;
use super::grid::Rows;
use super::number_columns::Printed;
use super::search::Search;
use crate::error::Result;
use crate::pipeline::page::Page;
use crate::pipeline::timed;

/// How a page was looked at.
pub(super) enum Looked {
    /// As it is, or it tells no more from further away.
    AsItIs,
    /// From further away, which tells more.
    FromAfar,
    /// As it is; on these rows it may be looked at from further away later.
    Later(Rows),
}

impl Search<'_> {
    /// Tries the table between the ruling lines of a page; where they may have told wrong, it is looked at from further away too.
    pub(super) fn try_page_twice(&mut self, page: &Page) -> Result<Looked> {
        self.try_page_until(page, || false)
    }

    /// The same, but where the table was surely found, perhaps a part of it, and the page `can_be_flat`, it is left for later to
    /// look at it from further away: the flat page may show the whole.
    pub(super) fn try_page_until(&mut self, page: &Page, can_be_flat: impl FnOnce() -> bool) -> Result<Looked> {
        let printed = Printed::on(page);
        let known = self.known;
        let rows = match timed(self.timing, "grid", || Rows::find(page, &known)) {
            Ok(rows) => rows,
            Err(cause) => {
                self.cause.get_or_insert(cause);
                return Ok(Looked::AsItIs);
            }
        };
        let grid = timed(self.timing, "grid", || rows.grid(page, &known));
        let found = self.anchored(&printed, grid)?;
        if found.as_ref().is_some_and(Found::is_seen_well) {
            self.offer_any(found)?;
            return Ok(Looked::AsItIs);
        }
        if found.as_ref().is_some_and(Found::may_show_better_flat) && timed(self.timing, "flatten", can_be_flat) {
            self.offer_any(found)?;
            return Ok(Looked::Later(rows));
        }
        let is_better = self.look_from_afar(&printed, &rows, found)?;
        Ok(if is_better { Looked::FromAfar } else { Looked::AsItIs })
    }

    /// Looks from further away at a page for which that was left for later.
    pub(super) fn try_from_afar(&mut self, page: &Page, rows: &Rows) -> Result<()> {
        let best = self.best.clone();
        self.look_from_afar(&Printed::on(page), rows, best).map(|_| ())
    }

    /// Takes the better of what was found and of what is found from further away; whether it is the latter.
    fn look_from_afar(&mut self, printed: &Printed, rows: &Rows, found: Option<Found>) -> Result<bool> {
        let (known, recogniser) = (self.known, self.recogniser);
        let grid = timed(self.timing, "grid", || rows.grid_seen_coarsely(printed.page, &known));
        let mut other = self.anchored(printed, grid)?;
        let mut is_better = match (&found, &other) {
            (Some(_), Some(other)) if other.legible.is_some_and(|legible| legible.is_nothing()) => false,
            (Some(found), Some(other)) => timed(self.timing, "anchor", || other.holds_more_than(found, recogniser))?,
            (_, other) => other.is_some(),
        };
        // From further away writing on paper that is no form may pass for lines.
        if is_better
            && let Some(other) = &mut other
            && let Some((mut found, by_hand)) = self.listed(printed.page)?
        {
            is_better = !by_hand && !found.reads_better_than(other, recogniser)?;
        }
        self.offer_any(if is_better { other } else { found })?;
        Ok(is_better)
    }
}
