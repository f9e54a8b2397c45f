//! Pages read one by one become one game's ink.

use crate::decode::{InkCell, Row};
use crate::game::{Colour, PageRole};
use crate::pipeline::Ink;
use crate::pipeline::align::align;
use crate::pipeline::results::WrittenResult;
use std::collections::BTreeMap;

/// A sheet as the inks of its pages, in order, with the player who kept it.
pub type SheetInk = (Option<Colour>, Vec<Ink>);

/// Puts the ink of pages read alone together: sheets of a game, each with its pages in order. None of no page.
pub fn join(sheets: Vec<SheetInk>) -> Option<Ink> {
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    let mut joined: Option<Ink> = None;
    for (sheet, (keeper, pages)) in sheets.into_iter().enumerate() {
        for (page, ink) in pages.into_iter().enumerate() {
            let place = |cell: InkCell| InkCell { sheet, page, ..cell };
            for row in ink.rows {
                let into = rows.entry(row.number).or_insert_with(|| Row { number: row.number, ..empty() });
                into.white.extend(row.white.into_iter().map(place));
                into.black.extend(row.black.into_iter().map(place));
            }
            let whole = joined.get_or_insert_with(|| Ink {
                alphabet: ink.alphabet,
                sheets: Vec::new(),
                rows: Vec::new(),
                results: Vec::new(),
                warnings: Vec::new(),
                timing_ms: BTreeMap::new(),
            });
            whole.warnings.extend(ink.warnings);
            whole.results.extend(ink.results.into_iter().map(|result| WrittenResult { sheet, page, ..result }));
            for (stage, milliseconds) in ink.timing_ms {
                *whole.timing_ms.entry(stage).or_default() += milliseconds;
            }
            for mut read in ink.sheets {
                if whole.sheets.len() <= sheet {
                    whole.sheets.push(crate::game::Sheet { keeper, pages: Vec::new(), ..read.clone() });
                }
                for info in &mut read.pages {
                    info.role = if page == 0 { PageRole::First } else { PageRole::Continues };
                }
                whole.sheets[sheet].pages.append(&mut read.pages);
            }
        }
    }
    let mut whole = Ink { rows: rows.into_values().collect(), ..joined? };
    let differing = align(&mut whole.rows, &whole.alphabet);
    whole.warnings.extend(differing);
    Some(whole)
}

fn empty() -> Row {
    Row { number: 0, white: Vec::new(), black: Vec::new() }
}
