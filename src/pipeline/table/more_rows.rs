//! Rows beyond those that were found, above the first and below the last, where the numbers or the moves tell of them.

use super::found::Found;
use super::grid::{Band, Grid};
use super::legible;
use super::lines::Curve;
use crate::error::Result;
use crate::pipeline::numbers::anchor::{self, Anchor};
use crate::pipeline::recognise::Recogniser;

/// What the numbers must still say with rows above those that were found, as a share.
const NEARLY: f32 = 0.9;
/// Rows whose numbers may be hidden at the top of a table.
const HIDDEN: usize = 3;
/// Rows by which those further up are told to get lower or higher.
const UPPER_ROWS: usize = 8;

/// Takes in rows below the last one that was found, where the numbers of the next pair say that there are more and theirs
/// are read.
pub(super) fn add_below(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let Anchor { first_band, rows, period, .. } = found.anchor;
    if rows == period || first_band + rows < found.grid.bands.len() {
        return Ok(());
    }
    let mut grid = found.grid.clone();
    extend(&mut grid, first_band + period, found.page.image.height() as f32);
    let anchor = anchor::anchor(&found.page, &grid, None, true, recogniser)?;
    if anchor.support(&grid) > found.support() {
        found.replace(grid, anchor);
    }
    Ok(())
}

/// Adds bands below the last one of a grid, each like that above it, until there are so many or the page, of a height in
/// pixels, ends.
pub(crate) fn extend(grid: &mut Grid, count: usize, height: f32) {
    while let Some(Band { top, bottom, .. }) = grid.bands.last().filter(|_| grid.bands.len() < count) {
        let y: Vec<f32> = bottom.y.iter().zip(&top.y).map(|(bottom, top)| 2.0 * bottom - top).collect();
        if y.iter().any(|&y| y >= height) {
            return;
        }
        let band = Band { top: bottom.clone(), bottom: Curve { y }, ruled: false };
        grid.bands.push(band);
    }
}

/// Takes in rows above the first one that was found, where its number says how many there are: a table begins with 1, though
/// one of theirs may not be read.
pub(super) fn add_above(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let Anchor { first_band, first_number, .. } = found.anchor;
    let missing = (first_number as usize).saturating_sub(first_band + 1);
    let mut grid = found.grid.clone();
    if missing == 0 || !extend_upwards(&mut grid, missing) {
        return Ok(());
    }
    let anchor = anchor::anchor(&found.page, &grid, None, true, recogniser)?;
    if anchor.first_number == 1 && anchor.support(&grid) > NEARLY * found.support() {
        found.replace(grid, anchor);
    }
    Ok(())
}

/// Adds `count` bands above the first one of a grid, as much lower or higher from band to band as the upper ones are;
/// whether the page has room for them.
fn extend_upwards(grid: &mut Grid, count: usize) -> bool {
    let Some(lower) = grid.bands.get(UPPER_ROWS) else { return false };
    let heights = |band: &Band| -> Vec<f32> { band.bottom.y.iter().zip(&band.top.y).map(|(b, t)| b - t).collect() };
    let sum = |band: &Band| heights(band).iter().sum::<f32>();
    let ratio = (sum(&grid.bands[0]) / sum(lower)).powf(1.0 / UPPER_ROWS as f32);
    let mut above = Vec::new();
    for _ in 0..count {
        let band = above.last().unwrap_or(&grid.bands[0]);
        let y: Vec<f32> = band.top.y.iter().zip(heights(band)).map(|(top, height)| top - ratio * height).collect();
        if y.iter().any(|&y| y < 0.0) {
            return false;
        }
        above.push(Band { top: Curve { y }, bottom: band.top.clone(), ruled: false });
    }
    above.reverse();
    grid.bands.splice(0..0, above);
    true
}

/// Takes in the rows just above the first whose numbers were read, where these tell how many there are and White's moves are
/// written in all of them: what is written there may hide the numbers.
pub(super) fn begin_with_moves(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let Anchor { first_band, first_number, rows, .. } = found.anchor;
    let missing = (first_number as usize).saturating_sub(1);
    let mut grid = found.grid.clone();
    if !(1..=HIDDEN).contains(&missing) || (missing > first_band && !extend_upwards(&mut grid, missing - first_band)) {
        return Ok(());
    }
    let first = first_band.max(missing) - missing;
    if legible::hold_moves(&found.page, &grid.bands[first..first + missing], &grid.pairs[0].white, recogniser)? {
        let anchor = Anchor { first_band: first, first_number: 1, rows: rows + missing, ..found.anchor };
        found.replace(grid, Anchor { period: anchor.period.max(anchor.rows), ..anchor });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::table::columns;

    #[test]
    fn rows_go_on_downwards_as_far_as_the_page() {
        let line = |y: f32| Curve { y: vec![y, y + 4.0, y + 8.0] };
        let bands = vec![Band { top: line(100.0), bottom: line(130.0), ruled: true }];
        let mut grid = Grid { bands, pairs: columns::even(0.0, 90.0, 1, 3), pitch: 30.0, width: 90.0, by_ink: false };
        extend(&mut grid, 3, 400.0);
        let ends = |grid: &Grid| grid.bands.iter().map(|band| (band.bottom.y.clone(), band.ruled)).collect::<Vec<_>>();
        assert_eq!(ends(&grid), [(line(130.0).y, true), (line(160.0).y, false), (line(190.0).y, false)]);
        extend(&mut grid, 20, 300.0);
        assert_eq!(grid.bands.last().map(|band| band.bottom.y.clone()), Some(line(280.0).y));
    }

    #[test]
    fn rows_go_on_upwards_as_much_lower_from_row_to_row() {
        // Twenty rows, each a tenth lower than the one below it, and half as high at the right as at the left.
        let line = |k: i32| 300.0 * 0.9f32.powi(20 - k);
        let line = |k: i32| Curve { y: vec![line(k) - 20.0, 150.0 + line(k) / 2.0] };
        let bands: Vec<Band> = (0..20).map(|k| Band { top: line(k), bottom: line(k + 1), ruled: true }).collect();
        let pairs = columns::even(0.0, 64.0, 1, 3);
        let lower = Grid { bands: bands[5..].to_vec(), pairs, pitch: 20.0, width: 64.0, by_ink: false };
        let mut grid = lower.clone();
        assert!(extend_upwards(&mut grid, 5));
        assert_eq!(grid.bands.len(), 20);
        for (found, band) in grid.bands.iter().zip(&bands) {
            let near = |a: &Curve, b: &Curve| a.y.iter().zip(&b.y).all(|(a, b)| (a - b).abs() < 0.1);
            assert!(near(&found.top, &band.top) && near(&found.bottom, &band.bottom), "{found:?} {band:?}");
        }
        let mut beyond = lower.clone();
        assert!(!extend_upwards(&mut beyond, 15), "the page ends");
        assert_eq!(beyond.bands.len(), 15);
    }
}
