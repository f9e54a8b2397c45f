//! What was seen on all pages of a game, gathered by the numbers of the rows.

use super::photo::advice;
use super::results::{self, WrittenResult};
use super::{ReadCell, ReadPage, Timing, align, table_quad};
use crate::decode::{InkCell, Row};
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
        side.push(InkCell { sheet, page, quad: cell.quad, reading: cell.reading.clone(), crossed_out: false });
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
