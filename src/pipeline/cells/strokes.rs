//! The strokes in a crop: connected pieces of ink, told from the cell's borders and from dust.

use super::CROP_WIDTH;
use crate::pipeline::page::shades;
use crate::pipeline::page::shapes::shapes;
use std::ops::Range;

/// The part of a crop in which ink counts: clear of the ruling lines of the cell.
pub(super) const INNER_ROWS: Range<usize> = 13..36;
/// Rows of pixels at either end of these into which lines that were not followed well may reach.
const OUTERMOST: usize = 2;

/// A connected piece of ink: the columns of pixels that it spans, and its pixels.
pub(super) struct Stroke {
    pub columns: Range<usize>,
    pub ink: u32,
}

/// The columns from the first to the last of some strokes.
pub(super) fn spanned(strokes: &[Stroke]) -> Range<usize> {
    let columns = strokes.iter().map(|stroke| stroke.columns.clone());
    columns.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or_default()
}

/// The columns of the word that has most ink, where words stand `gap` columns apart.
pub(super) fn most_ink(mut strokes: Vec<Stroke>, gap: usize) -> Option<Range<usize>> {
    strokes.sort_by_key(|stroke| stroke.columns.start);
    let mut words: Vec<Stroke> = Vec::new();
    for stroke in strokes {
        match words.last_mut().filter(|word| stroke.columns.start < word.columns.end + gap.max(1)) {
            Some(word) => {
                word.columns.end = word.columns.end.max(stroke.columns.end);
                word.ink += stroke.ink;
            }
            None => words.push(stroke),
        }
    }
    words.into_iter().max_by_key(|word| word.ink).map(|word| word.columns)
}

/// Counts the pixels of strokes in the inner part of a crop, and finds the columns of each and the rows that they span:
/// connected dark pixels, upright lines left out. A crop that is `squeezed` by a factor has that much less of everything.
pub(super) fn ink(pixels: &[u8], columns: Range<usize>, squeezed: f32) -> (u32, Vec<Stroke>, Range<usize>) {
    let edge = (EDGE as f32 / squeezed).ceil() as usize;
    let (speck, beside) = ((SPECK as f32 / squeezed).ceil() as usize, (2.0 / squeezed) as usize);
    let mut inner: Vec<u8> = INNER_ROWS
        .flat_map(|y| pixels[y * CROP_WIDTH + columns.start..y * CROP_WIDTH + columns.end].iter().copied())
        .collect();
    if inner.is_empty() {
        return (0, vec![Stroke { columns: 0..0, ink: 0 }], 0..0);
    }
    shades::sort(&mut inner);
    let paper = inner[inner.len() * 3 / 5];
    let threshold = paper.saturating_sub(darker_than_paper(&inner));
    let (top, height) = (INNER_ROWS.start, INNER_ROWS.len());
    let rows = INNER_ROWS.map(|y| &pixels[y * CROP_WIDTH..][columns.clone()]);
    let mut dark: Vec<bool> = rows.flatten().map(|&pixel| pixel < threshold).collect();
    if height > 2 * OUTERMOST {
        for row in (0..OUTERMOST).rev() {
            keep_connected(&mut dark, columns.len(), row + 1, row);
            keep_connected(&mut dark, columns.len(), height - 2 - row, height - 1 - row);
        }
    }
    let (mut total, mut strokes, mut high) = (0, Vec::new(), top + height..top);
    for shape in shapes(dark, columns.len()) {
        let (first, last) = (columns.start + shape.left, columns.start + shape.right - 1);
        let upright_line = last < columns.start + edge || first + edge >= columns.end;
        let clipped_row_line = shape.height() < 4 && shape.width() > 2 * columns.len() / 3 + 1;
        if !upright_line && !clipped_row_line && shape.area >= speck {
            total += shape.area as u32;
            // What touches the cell's side is the border or a neighbour's stroke.
            if last >= columns.start + edge + beside && first + edge + beside < columns.end {
                strokes.push(Stroke { columns: first..last + 1, ink: shape.area as u32 });
                high = high.start.min(top + shape.top)..high.end.max(top + shape.bottom);
            }
        }
    }
    if strokes.is_empty() {
        high = top..top + height;
    }
    ((total as f32 * squeezed) as u32, strokes, high)
}

/// Of the dark pixels in a row, those that touch dark ones in the row `from`, further inside the cell, are kept.
fn keep_connected(dark: &mut [bool], width: usize, from: usize, to: usize) {
    for x in 0..width {
        let near = from * width + x.saturating_sub(1)..(from * width + x + 2).min((from + 1) * width);
        dark[to * width + x] &= dark[near].contains(&true);
    }
}

/// How much darker than the median the darkest twentieth is, clear of the lines around the cell.
pub(super) fn contrast(pixels: &[u8], columns: Range<usize>) -> u8 {
    let columns = columns.start + EDGE..columns.end.saturating_sub(EDGE).max(columns.start + EDGE);
    let count = columns.len() * INNER_ROWS.len() / 20;
    darker(pixels, columns, count)
}

/// How much darker than the median of the cell's inner part all but `count` pixels are not.
pub(super) fn darker(pixels: &[u8], columns: Range<usize>, count: usize) -> u8 {
    let rows = INNER_ROWS.map(|y| &pixels[y * CROP_WIDTH..(y + 1) * CROP_WIDTH]);
    let mut inner: Vec<u8> = rows.flat_map(|row| row.get(columns.clone()).unwrap_or_default()).copied().collect();
    shades::sort(&mut inner);
    let paper = inner.get(inner.len() / 2).copied().unwrap_or(0);
    inner.get(count).map_or(0, |ink| paper.saturating_sub(*ink))
}

/// Grey levels by which ink is darker than the paper: six times the noise of the paper, within bounds.
///
/// Half of the noise's standard deviation lies between the median and the 31st percentile of a normal distribution;
/// ink is darker than both.
pub(crate) fn darker_than_paper(sorted: &[u8]) -> u8 {
    let at = |share: f32| f32::from(sorted[((sorted.len() - 1) as f32 * share) as usize]);
    (12.0 * (at(0.5) - at(0.31))).clamp(FAINTEST_INK, PLAIN_INK) as u8
}

/// Pencil on clean paper, and ink on rough paper, in grey levels below the paper.
const FAINTEST_INK: f32 = 16.0;
pub(super) const PLAIN_INK: f32 = 32.0;
/// Connected pixels fewer than this are dust.
const SPECK: usize = 5;
/// Width at the sides of a crop in which the column's own border lies, in pixels.
const EDGE: usize = 10;
