//! Which way up a table is where its printed numbers do not tell: the way in which its writing reads as moves.

use super::cells::Crop;
use super::find::Found;
use super::grid::Column;
use super::recognise::Recogniser;
use crate::error::Result;

/// Written cells that are looked at, spread over the table.
const LOOKED_AT: usize = 24;
/// Rows of pixels of a page that are at least needed for the height of a row.
const LOWEST: f32 = 4.0;

/// The area (square pixels of the photo) of the cells that read as moves in any language: they end in a square, or
/// castle. Told by some of them. Rows cut in two are as large together, but read as no moves.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn moves(found: &Found, recogniser: &dyn Recogniser) -> Result<f32> {
    let Found { page, grid, anchor } = found;
    if grid.pitch < LOWEST {
        return Ok(0.0);
    }
    let bands = grid.bands.iter().skip(anchor.first_band).take(anchor.rows);
    let places: Vec<_> =
        bands.flat_map(|band| grid.pairs.iter().flat_map(move |p| [(band, &p.white), (band, &p.black)])).collect();
    // A part of the cells tells how many are written on.
    let step = (places.len() / (4 * LOOKED_AT)).max(1);
    let sampled = places.iter().step_by(step).map(|(band, column)| Crop::cut(page, band, column, 0.0, 1.0));
    let written: Vec<Crop> = sampled.filter(|crop| !crop.is_blank()).collect();
    let shown: Vec<&Crop> = written.iter().step_by(written.len().div_ceil(LOOKED_AT).max(1)).collect();
    let readings = recogniser.read(&shown)?;
    let read = readings.iter().filter(|reading| is_move(&reading.best_path(recogniser.alphabet()).0)).count();
    let width = |column: &Column| column.right.y[0] - column.left.y[0];
    let widths: f32 = grid.pairs.iter().map(|pair| width(&pair.white) + width(&pair.black)).sum();
    let cell = grid.pitch * widths / (2 * grid.pairs.len()).max(1) as f32 * page.scale * page.scale;
    Ok(read as f32 / shown.len().max(1) as f32 * (written.len() * step) as f32 * cell)
}

/// Whether a text ends in a square or castles, whatever the language.
fn is_move(text: &str) -> bool {
    let text = text.trim_end_matches(['+', '#', '!', '?', '=', ' ']);
    let castles = text.len() > 2 && text.chars().all(|c| matches!(c, 'O' | '0' | '-'));
    let mut from_end = text.chars().rev();
    let square = matches!(from_end.next(), Some('1'..='8')) && matches!(from_end.next(), Some('a'..='h'));
    castles || square
}

#[cfg(test)]
mod tests {
    use super::is_move;

    #[test]
    fn moves_of_any_language_are_known() {
        assert!(["e4", "Sf3", "Cxd5+", "O-O", "0-0-0", "Ce6!?", "\u{265e}c3#"].iter().all(|text| is_move(text)));
        assert!(["", "-", "hE", "4e", "i3", "a9", "Rd"].iter().all(|text| !is_move(text)));
    }
}
