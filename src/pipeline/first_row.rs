//! The first row of a table whose printed numbers cannot be read, told by the game: what stands above it, such as the
//! head of the table, reads as no moves.

use super::{NUMBERS_READ, ReadCell, ReadPage, gather};
use crate::decode::{self, decode};
use crate::game::Status;
use crate::reading::Alphabet;

/// Most rows that may lie above the first move.
const HEAD: usize = 3;
/// Rows whose moves tell.
const LOOKED_AT: usize = 12;
/// Moves that must be read more, with rows left out, for these to be the head.
const GAIN: f32 = 1.5;

/// Leaves out the rows above the first move of a page whose numbers are not read, and counts the others anew.
pub(super) fn settle(page: &mut ReadPage, alphabet: &Alphabet) {
    if page.anchor.evidence >= NUMBERS_READ || page.anchor.first_number != 1 {
        return;
    }
    let most = HEAD.min(page.anchor.rows.saturating_sub(LOOKED_AT));
    let read: Vec<f32> = (0..=most).map(|head| moves_read(page, head, alphabet)).collect();
    let head = (0..=most).fold(0, |best, head| if read[head] > read[best] + GAIN { head } else { best });
    if head == 0 {
        return;
    }
    let anchor = &mut page.anchor;
    anchor.first_band += head;
    anchor.rows -= head;
    anchor.period -= head;
    page.cells.retain(|cell| cell.band >= anchor.first_band);
    for cell in &mut page.cells {
        cell.number = (1 + cell.pair * anchor.period + cell.band - anchor.first_band) as u32;
    }
}

/// How many moves of the first rows are expected to be right if the rows above them are left out.
fn moves_read(page: &ReadPage, head: usize, alphabet: &Alphabet) -> f32 {
    let first = page.anchor.first_band + head;
    let cells = page.cells.iter().filter(|cell| cell.pair == 0 && (first..first + LOOKED_AT).contains(&cell.band));
    let numbered = |cell: &ReadCell| ReadCell { number: (cell.band - first + 1) as u32, ..cell.clone() };
    let cells: Vec<ReadCell> = cells.map(numbered).collect();
    let rows = gather(cells.iter().map(|cell| (0, 0, cell)));
    let decoded = decode(&rows, alphabet, &decode::Options::default());
    let plies = decoded.map(|decoded| decoded.plies).unwrap_or_default();
    plies.iter().filter(|ply| ply.san.is_some() && ply.status != Status::Inferred).map(|ply| ply.confidence).sum()
}
