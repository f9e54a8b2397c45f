//! The table of moves: rows between ruling lines, columns in pairs, found from the picture alone.
//!
//! Rows are the longest chain of ruling lines at an even pitch; columns are the upright lines that cross those
//! rows. Which rows carry which move numbers is not decided here but by the printed numbers, see
//! [`crate::pipeline::numbers::anchor`]: one row more at either end is offered where the picture has room for it.

use super::columns;
use super::ink_rows;
use super::lines::{Curve, LineMap, STRIP};
use super::number_columns::{self, NumberColumn};
use super::number_rows::{self, Numbered};
use super::pairs;
use super::ruled_rows::{self, Frame, ROW_REACH};
use crate::game::Quad;
use crate::pipeline::page::Page;

/// A span between two upright curves (stored with x and y exchanged).
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub left: Curve,
    pub right: Curve,
    /// Where the form has a box for every character: the lines between the boxes.
    pub inner: Vec<Curve>,
}

impl Column {
    /// Left and right edge at height `y`.
    pub fn at(&self, y: f32) -> (f32, f32) {
        (self.left.at(y), self.right.at(y))
    }

    /// From its left to its right edge at height `y`, in pixels of the page.
    pub fn width(&self, y: f32) -> f32 {
        self.right.at(y) - self.left.at(y)
    }
}

/// White's and Black's column of moves with the numbers that go with them.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPair {
    /// A column of printed numbers of its own, where the form has one.
    pub numbers: Option<Column>,
    /// A narrow column between White's and Black's moves, beside that of the numbers: for them, or for clock times.
    pub between: Option<Column>,
    pub white: Column,
    pub black: Column,
}

/// One band between two ruling lines.
#[derive(Debug, Clone)]
pub struct Band {
    pub top: Curve,
    pub bottom: Curve,
    /// False for a band beyond the chain of lines, offered in case its outer line was not found.
    pub ruled: bool,
}

/// The borders of bands that follow each other, from top to bottom.
pub(crate) fn borders(bands: &[Band]) -> impl Iterator<Item = &Curve> {
    bands.iter().map(|band| &band.top).chain(bands.last().map(|band| &band.bottom))
}

/// The table of moves on a page.
#[derive(Debug, Clone)]
pub struct Grid {
    /// From top to bottom.
    pub bands: Vec<Band>,
    /// From left to right.
    pub pairs: Vec<ColumnPair>,
    /// Median height of a band, in pixels of the page.
    pub pitch: f32,
    /// Width of its rows, in pixels of the page.
    pub width: f32,
    /// The rows were told by the writing, for want of ruling lines.
    pub by_ink: bool,
}

/// What is known about the table on a page before it is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// Its left and right edge, top and bottom, in pixels of a page on which it stands straight.
    pub table: Option<[f32; 4]>,
    /// Numbered rows in a column.
    pub rows: Option<usize>,
    /// Pairs of columns.
    pub columns: Option<usize>,
}

impl Known {
    pub(super) fn allows(&self, pairs: &[ColumnPair]) -> bool {
        self.columns.is_none_or(|count| pairs.len() == count)
    }
}

/// Slope of a table's sides from which it is laid flat, in pixels per pixel.
const ASKEW: f32 = 0.05;
/// Width of a column, in heights of a row, in which two moves may stand beside each other.
pub(crate) const TWO_MOVES: f32 = 6.0;
/// Share of the rows' width that the columns of a whole table take up.
pub(crate) const COVERED: f32 = 0.75;

impl Grid {
    /// Finds the table of moves, helped by what is known about it.
    ///
    /// # Errors
    /// Says in words what was missing: rows or columns.
    pub fn find(page: &Page, known: &Known) -> Result<Self, String> {
        Rows::find(page, known)?.grid(page, known)
    }

    /// The height, in pixels of the page, at which widths are taken: that of the middle row at the left edge.
    pub(crate) fn middle(&self) -> f32 {
        self.bands[self.bands.len() / 2].top.at(0.0)
    }

    /// Share of the rows' width that the pairs take up.
    pub fn covered(&self) -> f32 {
        columns::extent(&self.pairs, self.middle()) / self.width.max(1.0)
    }

    /// Whether the grid may hold a part of the table only: it leaves out much of what is ruled, or a side is slanted by more
    /// than [`ASKEW`].
    pub(crate) fn is_doubtful(&self) -> bool {
        if self.covered() < COVERED {
            return true;
        }
        let (Some(first), Some(last)) = (self.bands.first(), self.bands.last()) else { return false };
        let (Some(left), Some(right)) = (self.pairs.first(), self.pairs.last()) else { return false };
        let left = left.first(first.top.at(0.0));
        let (tl, bl) = (self.quad(first, left)[0], self.quad(last, left)[3]);
        let (tr, br) = (self.quad(first, &right.black)[1], self.quad(last, &right.black)[2]);
        let level = |a: [f32; 2], b: [f32; 2]| ((b[1] - a[1]) / (b[0] - a[0])).abs();
        let upright = |a: [f32; 2], b: [f32; 2]| ((b[0] - a[0]) / (b[1] - a[1])).abs();
        [level(tl, tr), level(bl, br), upright(tl, bl), upright(tr, br)].iter().any(|&slope| slope > ASKEW)
    }

    /// As [`columns::widest`], in heights of a row.
    pub(crate) fn widest(&self) -> f32 {
        columns::widest(&self.pairs, self.middle()) / self.pitch
    }

    /// The same with two rows for each.
    pub fn halved(&self) -> Self {
        let half = |band: &Band| {
            let sides = band.top.y.iter().zip(&band.bottom.y);
            let middle = Curve { y: sides.map(|(top, bottom)| (top + bottom) / 2.0).collect() };
            let lower = Band { top: middle.clone(), ..band.clone() };
            [Band { bottom: middle, ..band.clone() }, lower]
        };
        Self { bands: self.bands.iter().flat_map(half).collect(), pitch: self.pitch / 2.0, ..self.clone() }
    }

    /// Finds a table that has no ruled rows, by its writing.
    ///
    /// # Errors
    /// Says in words what was missing: rows or columns.
    pub fn find_by_ink(page: &Page, known: &Known) -> Result<Self, String> {
        let (frame, rows) = ink_rows::find(page).ok_or("no ruled rows, and no eight evenly spaced rows of writing")?;
        let pairs = pairs::on_unruled(page, known, &frame, &rows, &[]);
        Ok(Self::on_rows(&rows, frame.pitch, pairs.ok_or(NO_PAIRS)?))
    }

    /// Finds a table that has no ruled rows, or no ruled columns, by its printed numbers; the likelier layout first.
    ///
    /// # Errors
    /// Says in words what was missing: rows or columns.
    pub fn find_by_numbers(page: &Page, known: &Known) -> Result<Vec<Self>, String> {
        let found = number_rows::find(page).ok_or("no ruled rows, and no eight evenly spaced numbers")?;
        let Numbered { frame, rows, columns } = found;
        let led = ruled_rows::beside_numbers(&page.image, &rows, &frame, &columns);
        let by_borders = pairs::on_unruled(page, known, &frame, &rows, &columns);
        let middle = (frame.top + frame.bottom) / 2.0;
        let is_whole =
            |pairs: &Vec<ColumnPair>| number_columns::agree(pairs, &columns, middle) && frame.covered(pairs) > COVERED;
        let (mut ruled, mut beside) = (Vec::new(), Vec::new());
        if !by_borders.as_ref().is_some_and(is_whole) {
            ruled = Self::on_ruled_rows(page, known, &columns);
            beside = number_columns::layouts(page, &rows, frame.pitch, &columns);
        }
        let unruled: Vec<_> = beside.into_iter().filter(|pairs| known.allows(pairs)).chain(by_borders).collect();
        // Led along their lines first, then straight from number to number.
        let led = led.map(|rows| (rows, false));
        let ways = led.into_iter().chain([(rows, true)]);
        let on_rows = ways.flat_map(|(rows, by_ink)| {
            let grid =
                move |pairs: &Vec<ColumnPair>| Self { by_ink, ..Self::on_rows(&rows, frame.pitch, pairs.clone()) };
            unruled.iter().map(grid)
        });
        let found: Vec<Self> = ruled.into_iter().chain(on_rows).collect();
        if found.is_empty() { Err(NO_PAIRS.to_owned()) } else { Ok(found) }
    }

    /// A table whose rows are ruled, its columns beside printed numbers, in the ways in which they may stand there.
    fn on_ruled_rows(page: &Page, known: &Known, numbers: &[NumberColumn]) -> Vec<Self> {
        let mut across = LineMap::new(&page.image, ROW_REACH);
        let Ok((frame, curves)) = ruled_rows::anywhere(&mut across, &page.image) else { return Vec::new() };
        let mut layouts = number_columns::layouts(page, &curves, frame.pitch, numbers);
        layouts.retain(|pairs| known.allows(pairs));
        let bands = ruled_rows::bands(&across, curves, &frame, page.image.height() as f32);
        let Frame { left, right, pitch, .. } = frame;
        let on_rows = |pairs| Self { bands: bands.clone(), pairs, pitch, width: right - left, by_ink: false };
        layouts.into_iter().map(on_rows).collect()
    }

    /// The table on rows that are not ruled.
    fn on_rows(rows: &[Curve], pitch: f32, pairs: Vec<ColumnPair>) -> Self {
        let bands = rows.windows(2).map(|w| Band { top: w[0].clone(), bottom: w[1].clone(), ruled: true }).collect();
        let width = columns::extent(&pairs, rows[rows.len() / 2].at(0.0));
        Self { bands, pairs, pitch, width, by_ink: true }
    }

    /// The same with other borders of its bands, from the top of one of them on.
    pub(crate) fn with_borders(&self, first_band: usize, borders: &[Curve]) -> Self {
        let mut grid = self.clone();
        for (band, border) in grid.bands[first_band..].iter_mut().zip(borders.windows(2)) {
            (band.top, band.bottom) = (border[0].clone(), border[1].clone());
        }
        grid
    }

    /// The borders of the rows that are ruled, from top to bottom; none where no row is.
    pub(crate) fn ruled_rows(&self) -> Option<Vec<Curve>> {
        let bands = || self.bands.iter().filter(|band| band.ruled);
        let last = bands().next_back()?.bottom.clone();
        Some(bands().map(|band| band.top.clone()).chain([last]).collect())
    }

    /// The corners of a cell in pixels of the page.
    pub fn quad(&self, band: &Band, column: &Column) -> Quad {
        let corner = |line: &Curve, side: &Curve| {
            let mut y = line.y[0];
            let mut x = 0.0;
            for _ in 0..3 {
                x = side.at(y);
                y = line.at(x);
            }
            [x, y]
        };
        [
            corner(&band.top, &column.left),
            corner(&band.top, &column.right),
            corner(&band.bottom, &column.right),
            corner(&band.bottom, &column.left),
        ]
    }
}

/// The ruled rows of a table, whose columns are still to be found.
pub(crate) struct Rows {
    frame: Frame,
    bands: Vec<Band>,
}

impl Rows {
    /// Finds the ruled rows of the table of moves, helped by what is known about it.
    ///
    /// # Errors
    /// Says in words that they were not found.
    pub(crate) fn find(page: &Page, known: &Known) -> Result<Self, String> {
        let mut across = LineMap::new(&page.image, ROW_REACH);
        let (frame, curves) = match known.table {
            Some(table) => ruled_rows::within(&mut across, table, known.rows)?,
            None => ruled_rows::anywhere(&mut across, &page.image)?,
        };
        let bands = match (known.table, known.rows) {
            (Some(_), Some(_)) => {
                curves.windows(2).map(|w| Band { top: w[0].clone(), bottom: w[1].clone(), ruled: true }).collect()
            }
            _ => ruled_rows::bands(&across, curves, &frame, page.image.height() as f32),
        };
        match known.rows.filter(|&rows| rows > bands.len()) {
            Some(rows) => Err(format!("only {} of {rows} rows; give the corners of the table too", bands.len())),
            None => Ok(Self { frame, bands }),
        }
    }

    /// The table on these rows, its columns between upright lines.
    ///
    /// # Errors
    /// Says in words that they were not found.
    pub(crate) fn grid(&self, page: &Page, known: &Known) -> Result<Grid, String> {
        self.with(pairs::between_lines(page, &self.bands, &self.frame, known), page, known)
    }

    /// The same with its columns seen at half the size: of boxes that stand close beside each other the two sides are one line.
    ///
    /// # Errors
    /// As [`Self::grid`].
    pub(crate) fn grid_seen_coarsely(&self, page: &Page, known: &Known) -> Result<Grid, String> {
        self.with(pairs::seen_coarsely(&page.image, &self.frame, known), page, known)
    }

    fn with(&self, pairs: Option<Vec<ColumnPair>>, page: &Page, known: &Known) -> Result<Grid, String> {
        let Frame { left, right, pitch, .. } = self.frame;
        let pairs = match (pairs, known.columns, known.table) {
            (Some(pairs), _, _) => pairs,
            (None, Some(count), Some([left, right, ..])) => {
                columns::even(left, right, count, page.image.height() as usize / STRIP)
            }
            (None, Some(count), None) => {
                return Err(format!(
                    "no {count} pairs of columns for White's and Black's moves; give the corners of the table too"
                ));
            }
            (None, None, _) => return Err("no pair of columns for White's and Black's moves".to_owned()),
        };
        Ok(Grid { bands: self.bands.clone(), pairs, pitch, width: right - left, by_ink: false })
    }
}

/// What is missing where rows are not enough.
const NO_PAIRS: &str = "rows of writing, but no pair of columns for White's and Black's moves";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use image::{GrayImage, Luma};

    /// A form of 20 rows with a header band above and a column of numbers before each pair.
    fn form(pairs: usize, number_width: f32, tilt: f32) -> Photo {
        let width = 100.0 + pairs as f32 * (number_width + 320.0) + 100.0;
        let grey = GrayImage::from_fn(width as u32, 1200, |x, y| {
            let (u, v) = (x as f32 - 100.0 + tilt * y as f32, y as f32 - 200.0 - tilt * x as f32);
            let inside_x = u >= -1.0 && u <= width - 199.0;
            let row = (v / 40.0).round();
            let across = inside_x && (0.0..=20.0).contains(&row) && (v - row * 40.0).abs() < 1.1;
            let within = u.rem_euclid(number_width + 320.0);
            let edge = [0.0, number_width, number_width + 160.0, number_width + 320.0]
                .iter()
                .any(|e| (within - e).abs() < 1.1);
            let down = inside_x && edge && (-1.0..=801.0).contains(&v);
            Luma([if across || down { 60 } else { 245 }])
        });
        Photo { file: String::new(), grey }
    }

    #[test]
    fn the_widest_column_may_have_room_for_two_moves() {
        let line = |row: usize| Curve { y: vec![100.0 + 30.0 * row as f32; 20] };
        let of = |pairs: usize| {
            let bands = (0..20).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
            Grid { bands, pairs: columns::even(0.0, 640.0, pairs, 29), pitch: 30.0, width: 640.0, by_ink: false }
        };
        assert!(of(2).widest() < TWO_MOVES, "5.3 times as wide as high");
        assert!(of(1).widest() > TWO_MOVES, "10.7 times");
    }

    #[test]
    fn rows_and_columns_are_counted() {
        for (pairs, numbers, tilt) in [(1, 50.0, 0.0), (2, 50.0, 0.02), (3, 40.0, -0.03)] {
            let page = Page::new(&form(pairs, numbers, tilt), 0);
            let grid = Grid::find(&page, &Known::default()).unwrap();
            assert_eq!(grid.pairs.len(), pairs, "pairs");
            assert_eq!(grid.bands.iter().filter(|b| b.ruled).count(), 20, "rows of {pairs} pairs");
            assert!(grid.pairs.iter().all(|p| p.numbers.is_some()));
            let [[x0, y0], _, [x1, y1], _] = grid.quad(&grid.bands[5], &grid.pairs[0].white);
            assert!((x1 - x0 - 160.0).abs() < 4.0 && (y1 - y0 - 40.0 - tilt * 160.0).abs() < 4.0);
        }
    }

    /// A form of two pairs of columns, each cell a box of its own with round corners, six pixels from the next one.
    fn boxes(tilt: f32) -> Photo {
        let columns = [100.0, 150.0, 310.0, 470.0, 520.0, 680.0, 840.0];
        let grey = GrayImage::from_fn(1000, 1200, |x, y| {
            let (u, v) = (x as f32 + tilt * y as f32, y as f32 - 200.0 - tilt * x as f32);
            let Some(from) = columns.iter().rposition(|&left| u >= left).filter(|&k| k + 1 < columns.len()) else {
                return Luma([245]);
            };
            let (from_left, to_right) = (u - columns[from] - 3.0, columns[from + 1] - 3.0 - u);
            let (row, within) = ((v / 40.0).floor(), v.rem_euclid(40.0));
            let (below, above) = (within - 3.0, 37.0 - within);
            // Ink lies where the nearest side is, corners left out.
            let beside = from_left.min(to_right);
            let over = below.min(above);
            let side = beside.abs() < 1.1 && over > 8.0;
            let edge = over.abs() < 1.1 && beside > 8.0;
            Luma([if (0.0..20.0).contains(&row) && (side || edge) { 60 } else { 245 }])
        });
        Photo { file: String::new(), grey }
    }

    #[test]
    fn boxes_close_beside_each_other_are_columns() {
        for tilt in [0.0, 0.03, -0.04] {
            let page = Page::new(&boxes(tilt), 0);
            let grid =
                Rows::find(&page, &Known::default()).unwrap().grid_seen_coarsely(&page, &Known::default()).unwrap();
            assert_eq!(grid.pairs.len(), 2, "tilted by {tilt}");
            let [[x0, _], [x1, _], ..] = grid.quad(&grid.bands[10], &grid.pairs[1].black);
            assert!((x1 - x0 - 160.0).abs() < 6.0, "tilted by {tilt}: from {x0} to {x1}");
        }
    }

    #[test]
    fn an_empty_photo_has_no_table() {
        let blank = Photo { file: String::new(), grey: GrayImage::from_pixel(900, 1200, Luma([240])) };
        assert!(Grid::find(&Page::new(&blank, 0), &Known::default()).is_err());
    }
}
