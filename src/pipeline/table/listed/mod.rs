//! A game that is kept on paper which is no form: lined, squared or plain, its moves listed behind numbers written by hand.
//!
//! Words at whose left there is room are read; those that read as numbers, one below the other in one column at one pitch,
//! give the rows. Each row's moves are the words to the right of its number, as far as the next column of numbers.

mod columns;
mod erased;
mod layout;
mod list;
mod numbers;
mod rows;
mod ruling;
mod starts;
pub(super) mod words;

use super::grid::Grid;
use super::spacing;
use crate::error::Result;
use crate::pipeline::numbers::anchor::Anchor;
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;
use list::List;
pub(super) use ruling::{Unruled, Ways};
use words::Writing;

/// A game that stands behind numbers.
pub(super) struct Listed {
    /// The page without its ruling.
    pub page: Page,
    pub grid: Grid,
    pub anchor: Anchor,
    /// The numbers stand as unevenly as no printed ones do.
    pub by_hand: bool,
}

/// The moves of a page, given without its ruling too, that are listed behind numbers; none where there are none.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn find(page: &Page, unruled: Unruled, recogniser: &dyn Recogniser) -> Result<Option<Listed>> {
    let Some(writing) = Writing::on_paper(unruled) else { return Ok(None) };
    let words = writing.words();
    let lists = numbers::lists(starts::starts(&writing, &words, recogniser)?, writing.height);
    if lists.is_empty() {
        return Ok(None);
    }
    let by_hand = lists.iter().max_by_key(|list| list.places.len()).is_some_and(List::is_uneven);
    let table = layout::table(page, &writing, words, lists);
    Ok(table.map(|(grid, anchor)| Listed { page: writing.page, grid, anchor, by_hand }))
}

/// The middle one of some values, the upper of two; none of none.
fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values = values.peekable();
    values.peek().is_some().then(|| spacing::median(values))
}
