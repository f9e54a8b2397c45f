//! What was seen on all pages of a game, gathered by the numbers of the rows.

use super::photo::advice;
use super::results::{self, WrittenResult};
use super::{ReadCell, ReadPage, Timing, align, table_quad};
use crate::decode::{InkCell, MOST_MISSING, Row};
use crate::error::{Error, Result};
use crate::game::{Colour, PageInfo, PageRole, Sheet};
use crate::reading::Alphabet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was seen on the photos of one game: enough to decode it, and to decode it again after a person has looked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ink {
    /// Of the readings' classes.
    pub alphabet: Alphabet,
    /// Pages and keepers; the languages are found by decoding.
    pub sheets: Vec<Sheet>,
    /// In the order of their numbers, blank rows included.
    pub rows: Vec<Row>,
    /// Written outside the cells.
    #[serde(default)]
    pub results: Vec<WrittenResult>,
    /// What to tell the person about the photos.
    pub warnings: Vec<String>,
    /// Milliseconds by stage.
    pub timing_ms: Timing,
}

/// Gathers the ink of a game's pages: for each sheet its keeper and its pages in order.
///
/// # Errors
/// [`Error::Blank`] where nothing is written.
pub fn ink_of(
    keepers: &[Option<Colour>],
    read: &[Vec<ReadPage>],
    alphabet: &Alphabet,
    timing_ms: Timing,
) -> Result<Ink> {
    let mut rows = rows(read);
    let differing = align::align(&mut rows, alphabet);
    begin_at_first(&mut rows);
    if let (false, Some(page)) = (rows.iter().any(has_ink), read.iter().flatten().next()) {
        return Err(Error::Blank { file: page.file.clone() });
    }
    let sheet = |(&keeper, pages): (&Option<Colour>, &Vec<ReadPage>)| Sheet {
        keeper,
        language: None,
        language_confidence: 0.0,
        pages: pages.iter().enumerate().map(|(index, page)| page_info(page, index)).collect(),
    };
    Ok(Ink {
        results: results::gather(read),
        alphabet: alphabet.clone(),
        sheets: keepers.iter().zip(read).map(sheet).collect(),
        rows,
        warnings: read.iter().flatten().flat_map(advice::warnings).chain(differing).collect(),
        timing_ms,
    })
}

/// Puts empty rows before the first one where only few are missing there: a game can be followed from the usual first position
/// though a move or two are not in the photo.
fn begin_at_first(rows: &mut Vec<Row>) {
    let missing = rows.first().map_or(0, |row| row.number.saturating_sub(1));
    if missing <= MOST_MISSING {
        let empty = |number| Row { number, white: Vec::new(), black: Vec::new() };
        rows.splice(0..0, (1..=missing).map(empty));
    }
}

/// The rows of all sheets by number, one cell a sheet and colour.
pub fn rows(sheets: &[Vec<ReadPage>]) -> Vec<Row> {
    let pages = sheets.iter().enumerate().flat_map(|(sheet, pages)| {
        pages.iter().enumerate().flat_map(move |(page, read)| read.all_cells().map(move |cell| (sheet, page, cell)))
    });
    gather(pages)
}

/// The rows of cells, given with their sheets and pages, by number.
pub(super) fn gather<'a>(cells: impl Iterator<Item = (usize, usize, &'a ReadCell)>) -> Vec<Row> {
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    for (sheet, page, cell) in cells {
        let row = rows.entry(cell.number).or_insert_with(|| Row {
            number: cell.number,
            white: Vec::new(),
            black: Vec::new(),
        });
        let side = match cell.colour {
            Colour::White => &mut row.white,
            Colour::Black => &mut row.black,
        };
        side.push(InkCell { sheet, page, quad: cell.quad, reading: cell.reading.clone(), doubted: cell.doubted });
    }
    rows.into_values().collect()
}

fn has_ink(row: &Row) -> bool {
    row.white.iter().chain(&row.black).any(|cell| cell.reading.is_some())
}

fn page_info(page: &ReadPage, index: usize) -> PageInfo {
    PageInfo {
        file: page.file.clone(),
        width: page.page.photo_size.0,
        height: page.page.photo_size.1,
        quad: table_quad(&page.page, &page.grid, &page.anchor),
        role: if index == 0 { PageRole::First } else { PageRole::Continues },
        rows: page.tables().map(|table| table.anchor.rows * table.grid.pairs.len()).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_begins_with_the_rows_that_few_photos_show() {
        let numbers = |from: u32| {
            let row = |number| Row { number, white: Vec::new(), black: Vec::new() };
            let mut rows: Vec<Row> = (from..=6).map(row).collect();
            begin_at_first(&mut rows);
            rows.iter().map(|row| row.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), [1, 2, 3, 4, 5, 6]);
        assert_eq!(numbers(3), [1, 2, 3, 4, 5, 6]);
        assert_eq!(numbers(4), [4, 5, 6], "too many are missing");
    }
}
