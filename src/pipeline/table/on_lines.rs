//! Whether the rows and columns of a table lie on the lines of the form.
//!
//! Rows that are led across the whole table may fit one pair of columns and cut through the writing of another one; on a page
//! that lies askew columns may. A form is mostly ruled alike all over: what leaves lines that show elsewhere is misplaced.

use super::found::Found;
use super::grid::{self, Band, Column, Grid};
use super::lines::{Curve, LineMap};
use super::ruled_rows::ROW_REACH;
use super::track;
use crate::error::Result;
use crate::pipeline::numbers::anchor::{self, Anchor};
use crate::pipeline::page::sampling::pixel;
use crate::pipeline::recognise::Recogniser;
use image::GrayImage;

/// Places at which a border between rows is looked at in a column, and a side of a column in a row.
const ACROSS: usize = 16;
const DOWN: usize = 6;
/// How far from a border its line may lie, and the paper that it is compared with, in heights of a row.
const NEAR: f32 = 0.12;
const BESIDE: f32 = 0.3;
/// How much darker than the paper a line is, of 255.
const DARKER: f32 = 10.0;
/// Share of the borders somewhere in the table that must lie on lines for these to tell.
const RULED: f32 = 0.5;
/// The share of that share that must lie on lines everywhere: borders between rows, and those between White's and Black's columns.
const ROWS: f32 = 0.6;
const COLUMNS: f32 = 0.5;
/// Rows of a part of the table in which the borders between rows are looked at together, across all columns.
const PART: usize = 5;
/// What the numbers must still say where rows were led, as a share.
const AS_MUCH: f32 = 0.8;
/// Factor by which more of the borders must then lie on lines where fewest do.
const BETTER: f32 = 1.3;

/// Whether the numbered rows, or the columns, leave the lines in a part of the table.
pub(super) fn are_left(image: &GrayImage, grid: &Grid, anchor: &Anchor) -> bool {
    let middles = grid.pairs.iter().map(|pair| side_on_lines(image, grid, anchor.bands(grid), &pair.white.right));
    differ(&rows_on_lines(image, grid, anchor), ROWS)
        || differ(&parts_on_lines(image, grid, anchor), ROWS)
        || differ(&middles.collect::<Vec<f32>>(), COLUMNS)
}

/// Leads rows that leave their lines in a part of the table there from the column in which most lie on them, unless the numbers
/// then say less.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn lead_back(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let Some(led) = led(&found.page.image, &found.grid, &found.anchor) else { return Ok(()) };
    let anchor = anchor::anchor(&found.page, &led, None, true, recogniser)?;
    if anchor.support(&led) > AS_MUCH * found.support() {
        found.replace(led, anchor);
    }
    Ok(())
}

/// A table whose rows leave their lines in a part of it, led there from the column in which most lie on them; none where they keep
/// to them, or hardly do more so then.
fn led(image: &GrayImage, grid: &Grid, anchor: &Anchor) -> Option<Grid> {
    let shares = rows_on_lines(image, grid, anchor);
    if !differ(&shares, ROWS) {
        return None;
    }
    let best = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]))?;
    let pair = &grid.pairs[best / 2];
    let (left, right) = if best.is_multiple_of(2) { &pair.white } else { &pair.black }.at(grid.middle());
    let map = LineMap::new(image, ROW_REACH);
    let strips = [left, right].map(|x| map.strip_of(x));
    let as_found: Vec<Curve> = grid::borders(anchor.bands(grid)).cloned().collect();
    let straight: Vec<Curve> = as_found.iter().map(|line| straight_beyond(line, strips)).collect();
    let least = |shares: &[f32]| shares.iter().copied().fold(1.0, f32::min);
    let ways = [as_found, straight].map(|lines| {
        let lines = track::follow_from(&map, &lines, grid.pitch, map.strip_of((left + right) / 2.0));
        let led = grid.with_borders(anchor.first_band, &lines);
        let share = least(&rows_on_lines(image, &led, anchor));
        (led, share)
    });
    let (led, share) = ways.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (share >= BETTER * least(&shares)).then_some(led)
}

/// A line that goes on straight beyond some strips.
fn straight_beyond(line: &Curve, [from, to]: [usize; 2]) -> Curve {
    let slope = (line.y[to] - line.y[from]) / (to - from).max(1) as f32;
    let y = |strip: usize| match strip {
        _ if strip < from => line.y[from] - slope * (from - strip) as f32,
        _ if strip > to => line.y[to] + slope * (strip - to) as f32,
        _ => line.y[strip],
    };
    Curve { y: (0..line.y.len()).map(y).collect() }
}

/// Whether there are lines, going by the largest of some shares, and another one is less than so much of it.
fn differ(shares: &[f32], least: f32) -> bool {
    let largest = shares.iter().copied().fold(0.0, f32::max);
    largest > RULED && shares.iter().any(|&share| share < least * largest)
}

/// Share of the upper borders of the numbered rows that lies on lines, by column from left to right.
fn rows_on_lines(image: &GrayImage, grid: &Grid, anchor: &Anchor) -> Vec<f32> {
    columns(grid).map(|column| share(tops_on_lines(image, grid, anchor.bands(grid), column))).collect()
}

/// The same by part from top to bottom.
fn parts_on_lines(image: &GrayImage, grid: &Grid, anchor: &Anchor) -> Vec<f32> {
    let bands = anchor.bands(grid);
    let rows = bands.len().div_ceil((bands.len() / PART).max(1)).max(1);
    let part = |bands| share(columns(grid).flat_map(|column| tops_on_lines(image, grid, bands, column)));
    bands.chunks(rows).map(part).collect()
}

fn columns(grid: &Grid) -> impl Iterator<Item = &Column> {
    grid.pairs.iter().flat_map(|pair| [&pair.white, &pair.black])
}

/// Whether there are lines at places along the upper borders of rows in one column.
fn tops_on_lines<'a>(
    image: &'a GrayImage,
    grid: &'a Grid,
    bands: &'a [Band],
    column: &'a Column,
) -> impl Iterator<Item = bool> + 'a {
    bands.iter().flat_map(move |band| {
        let (left, right) = column.at(band.top.at(column.left.y[0]));
        (0..ACROSS).filter_map(move |place| {
            let x = left + (right - left) * (place as f32 + 0.5) / ACROSS as f32;
            let y = band.top.at(x);
            is_line(grid.pitch, |off| pixel(image, x.round(), (y + off).round()))
        })
    })
}

/// Share of the side of a column along rows that lies on a line.
fn side_on_lines(image: &GrayImage, grid: &Grid, bands: &[Band], side: &Curve) -> f32 {
    share(bands.iter().flat_map(|band| {
        let x = side.at(band.top.at(side.y[0]));
        let (top, bottom) = (band.top.at(x), band.bottom.at(x));
        (0..DOWN).filter_map(move |place| {
            let y = top + (bottom - top) * (place as f32 + 0.5) / DOWN as f32;
            let x = side.at(y);
            is_line(grid.pitch, |off| pixel(image, (x + off).round(), y.round()))
        })
    }))
}

/// Whether there is a line near a place, by the grey at distances from it; none where the picture ends.
fn is_line(pitch: f32, grey: impl Fn(f32) -> Option<f32>) -> Option<bool> {
    let reach = (NEAR * pitch).round().max(1.0) as i32;
    let line = (-reach..=reach).filter_map(|off| grey(off as f32)).fold(f32::INFINITY, f32::min);
    let paper = grey(-BESIDE * pitch)?.min(grey(BESIDE * pitch)?);
    Some(paper - line > DARKER)
}

fn share(seen: impl Iterator<Item = bool>) -> f32 {
    let (on, all) = seen.fold((0, 0), |(on, all), is_line| (on + usize::from(is_line), all + 1));
    on as f32 / all.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::table::columns;
    use image::Luma;

    /// Two pairs of columns of 18 rows, of which the first ones slope, with lines between White and Black at `middles`.
    fn form(slope: f32, middles: [f32; 2]) -> GrayImage {
        GrayImage::from_fn(1024, 900, |x, y| {
            let height = y as f32 - 100.0 + slope * (x as f32 - 512.0).min(0.0);
            let row = (0.0..=720.0).contains(&height) && (height - (height / 40.0).round() * 40.0).abs() < 1.2;
            let column = middles.iter().any(|middle| (x as f32 - middle).abs() < 1.2);
            Luma([if row || column { 110 } else { 250 }])
        })
    }

    /// Two pairs of columns of 18 rows that are level.
    fn level() -> (Grid, Anchor) {
        let line = |row: usize| Curve { y: vec![100.0 + 40.0 * row as f32; 32] };
        let bands = (0..18).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
        let grid = Grid { bands, pairs: columns::even(0.0, 1024.0, 2, 29), pitch: 40.0, width: 1024.0, by_ink: false };
        (grid, Anchor { first_band: 0, rows: 18, period: 18, first_number: 1, evidence: 2.0 })
    }

    #[test]
    fn a_part_of_the_table_may_leave_its_lines() {
        let (grid, anchor) = level();
        let middle = |pair: usize| grid.pairs[pair].white.right.at(450.0);
        let middles = [middle(0), middle(1)];
        assert!(!are_left(&form(0.0, middles), &grid, &anchor));
        assert!(are_left(&form(0.06, middles), &grid, &anchor), "rows");
        assert!(are_left(&form(0.0, [middles[0], middles[1] + 25.0]), &grid, &anchor), "columns");
        // A row that was lost pushes those behind it off their lines.
        let lower = GrayImage::from_fn(1024, 900, |x, y| {
            let height = y as f32 - 100.0;
            let row = if height < 470.0 { (height / 40.0).round() * 40.0 } else { (height / 36.0).round() * 36.0 };
            Luma([if (height - row).abs() < 1.2 || middles.iter().any(|m| (x as f32 - m).abs() < 1.2) {
                110
            } else {
                250
            }])
        });
        assert!(are_left(&lower, &grid, &anchor), "lower rows");
        assert!(!are_left(&GrayImage::from_pixel(1024, 900, Luma([250])), &grid, &anchor), "nothing is ruled");
    }

    #[test]
    fn rows_are_led_from_where_they_keep_to_their_lines() {
        // Left of the middle the paper falls ever more steeply, at the edge by nearly a row.
        let line = |row: usize, x: f32| 100.0 + 40.0 * row as f32 + 35.0 * ((512.0 - x).max(0.0) / 512.0).powi(2);
        let image = GrayImage::from_fn(1024, 900, |x, y| {
            let is_line = (0..=18).any(|row| (y as f32 - line(row, x as f32)).abs() < 1.2);
            Luma([if is_line { 110 } else { 250 }])
        });
        let (grid, anchor) = level();
        assert!(are_left(&image, &grid, &anchor));
        let led = led(&image, &grid, &anchor).unwrap();
        assert!(!are_left(&image, &led, &anchor));
        for (row, band) in led.bands.iter().enumerate() {
            for x in [60.0, 300.0, 900.0] {
                let (top, expected) = (band.top.at(x), line(row, x));
                assert!((top - expected).abs() < 4.0, "row {row} at {x}: {top} instead of {expected}");
            }
        }
        assert!(super::led(&image, &led, &anchor).is_none(), "they keep to their lines");
    }
}
