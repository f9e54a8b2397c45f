//! The first row of a table whose printed numbers cannot be read, told by the game: what stands above it, such as the
//! head of the table, reads as no moves, and without it the other moves fit no game.

use super::recognise::Recogniser;
use super::{NUMBERS_READ, ReadCell, ReadPage, cut_cells, gather, read_cells};
use crate::decode::{self, decode};
use crate::error::Result;
use crate::game::Status;
use crate::reading::Alphabet;

/// Most rows that may lie above the first move, and most that may be lost where it is said to be.
const HEAD: usize = 3;
const LOST: usize = 2;
/// Rows whose moves tell.
const LOOKED_AT: usize = 12;
/// Moves that must be read more, with rows left out, for these to be the head.
const GAIN: f32 = 1.2;

/// Takes in lost rows and leaves out those above the first move of a page whose numbers are not read, and counts all
/// rows anew.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn settle(page: &mut ReadPage, recogniser: &dyn Recogniser) -> Result<()> {
    if page.anchor.evidence >= NUMBERS_READ || page.anchor.first_number != 1 {
        return Ok(());
    }
    let lost = LOST.min(page.anchor.first_band);
    let mut anchor = page.anchor;
    anchor.first_band -= lost;
    (anchor.rows, anchor.period) = (anchor.rows + lost, anchor.period + lost);
    let mut above = cut_cells(&page.page, &page.grid, &anchor);
    above.retain(|cell| cell.band < page.anchor.first_band);
    read_cells(&mut above, |cell, down| cell.cut(&page.page, &page.grid, down), recogniser)?;
    above.append(&mut page.cells);
    page.cells = above;
    // As the lines say, unless the game says more for another row.
    let most = lost + HEAD.min(page.anchor.rows.saturating_sub(LOOKED_AT));
    let read: Vec<f32> =
        (0..=most).map(|head| moves_read(page, anchor.first_band + head, recogniser.alphabet())).collect();
    let head = (0..=most).fold(lost, |best, head| if read[head] > read[best] + GAIN { head } else { best });
    anchor.first_band += head;
    (anchor.rows, anchor.period) = (anchor.rows - head, anchor.period - head);
    page.cells.retain(|cell| cell.band >= anchor.first_band);
    for cell in &mut page.cells {
        cell.number = (1 + cell.pair * anchor.period + cell.band - anchor.first_band) as u32;
    }
    page.cells.sort_by_key(|cell| cell.number);
    page.anchor = anchor;
    Ok(())
}

/// How many moves of the rows from the band `first` on are expected to be right if that is the first.
fn moves_read(page: &ReadPage, first: usize, alphabet: &Alphabet) -> f32 {
    let cells = page.cells.iter().filter(|cell| cell.pair == 0 && (first..first + LOOKED_AT).contains(&cell.band));
    let numbered = |cell: &ReadCell| ReadCell { number: (cell.band - first + 1) as u32, ..cell.clone() };
    let cells: Vec<ReadCell> = cells.map(numbered).collect();
    let rows = gather(cells.iter().map(|cell| (0, 0, cell)));
    let decoded = decode(&rows, alphabet, &decode::Options::default());
    let plies = decoded.map(|decoded| decoded.plies).unwrap_or_default();
    plies.iter().filter(|ply| ply.san.is_some() && ply.status != Status::Inferred).map(|ply| ply.confidence).sum()
}
