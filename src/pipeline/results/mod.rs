//! Results written large, over several rows or both columns, behind the last move.
//!
//! Every group of strokes in the empty part of the table is brought to the size of a move and read like one, with pens of
//! different widths. What does not read as a result is not told.

pub(super) mod answer;
pub(super) mod boxes_and_loops;
pub(super) mod choice;
pub(super) mod form_result;
pub(super) mod large_ink;
pub(super) mod outside;
pub(super) mod result_words;
pub(super) mod words;

use crate::error::Result;
use crate::game::Quad;
use crate::pipeline::ReadPage;
use crate::pipeline::cells::{CROP_HEIGHT, CROP_WIDTH, Crop};
use crate::pipeline::page::shapes::Mask;
use crate::pipeline::recognise::Recogniser;
use crate::reading::{Alphabet, Reading};
use large_ink::{Group, ROW};
use result_words::Words;
use serde::{Deserialize, Serialize};

/// A result that was read outside the cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrittenResult {
    /// Index of the sheet in the game, and of the page in the sheet.
    pub sheet: usize,
    pub page: usize,
    /// Number of the first row that it touches; none below the table.
    #[serde(default)]
    pub number: Option<u32>,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// From 0 to 1.
    pub confidence: f32,
    /// In pixels of the upright photo.
    pub quad: Quad,
}

/// Least probability of a result.
const BELIEVED: f32 = 0.25;
/// Heights of a group, in rows: what is lower stands in one cell unless it crosses the columns.
const LOWEST: f32 = 0.7;
const LARGE: f32 = 1.2;
const TALLEST: f32 = 8.0;
/// Groups that are read on a page at most.
const MOST: usize = 6;
/// Heights of writing and widths of strokes in the crops that are read, in pixels.
const PENS: [(f32, f32); 3] = [(26.0, 3.2), (26.0, 4.2), (22.0, 2.8)];
/// Widest writing in a crop, in pixels.
const WIDEST: f32 = 150.0;
/// Darkness of full ink in a crop.
const INK: f32 = 200.0;

/// The results on all pages, with their places.
pub(crate) fn gather(sheets: &[Vec<ReadPage>]) -> Vec<WrittenResult> {
    let pages = sheets.iter().enumerate().flat_map(|(sheet, pages)| pages.iter().enumerate().map(move |p| (sheet, p)));
    pages
        .flat_map(|(sheet, (page, read))| {
            let results = read.tables().flat_map(|table| &table.results);
            results.map(move |result| WrittenResult { sheet, page, ..result.clone() })
        })
        .collect()
}

/// The results on a page, and the cells that they cover, by index.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn find(read: &ReadPage, recogniser: &dyn Recogniser) -> Result<Vec<(WrittenResult, Vec<usize>)>> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    for (pair, rows) in empty_rows(read, recogniser.alphabet()) {
        let first_band = read.anchor.first_band + rows.start;
        let bands = first_band..read.anchor.first_band + rows.end;
        let Some((grey, width, between)) = large_ink::patch(&read.page, &read.grid, pair, bands) else { continue };
        for group in large_ink::groups(&large_ink::ink(&grey, width, between)) {
            if !may_be_a_result(&group, between) || looked_at == MOST {
                continue;
            }
            looked_at += 1;
            let Some((result, confidence)) = read_group(&group, recogniser)? else { continue };
            let [left, top, right, bottom] = group.place;
            let touched = first_band + top / ROW..first_band + bottom.div_ceil(ROW);
            let cells: Vec<usize> = (0..read.cells.len())
                .filter(|&at| read.cells[at].pair == pair && touched.contains(&read.cells[at].band))
                .collect();
            let shares = [left, right].map(|x| x as f32 / width as f32);
            let quad = quad(read, pair, touched, shares);
            let number = cells.iter().map(|&at| read.cells[at].number).min();
            if number.is_none() {
                continue;
            }
            let result = WrittenResult { sheet: 0, page: 0, number, result: result.to_owned(), confidence, quad };
            found.push((result, cells));
        }
    }
    Ok(found)
}

/// By pair of columns the rows behind the moves: from the first on in which nothing of two letters or more is written.
fn empty_rows(read: &ReadPage, alphabet: &Alphabet) -> Vec<(usize, std::ops::Range<usize>)> {
    let rows = read.anchor.rows;
    let mut written = vec![false; read.grid.pairs.len() * rows];
    for cell in &read.cells {
        let text = cell.reading.as_ref().map_or(0, |reading| reading.best_path(alphabet).0.chars().count());
        let row = cell.band.saturating_sub(read.anchor.first_band);
        if let Some(written) = written.get_mut(cell.pair * rows + row) {
            *written |= text > 1;
        }
    }
    let Some(first) = written.iter().position(|&written| written) else { return Vec::new() };
    let Some(moves) = written[first..].iter().position(|&written| !written) else { return Vec::new() };
    let empty = first + moves;
    let of_pair = |pair: usize| (pair, empty.saturating_sub(pair * rows).min(rows)..rows);
    (0..read.grid.pairs.len()).map(of_pair).filter(|(_, rows)| !rows.is_empty()).collect()
}

fn may_be_a_result(group: &Group, between: usize) -> bool {
    let [left, top, right, bottom] = group.place;
    let (width, height) = ((right - left) as f32 / ROW as f32, (bottom - top) as f32 / ROW as f32);
    let across = left + ROW / 4 < between && between + ROW / 4 < right;
    (LOWEST..TALLEST).contains(&height) && width > 0.8 && (height > LARGE || across)
}

/// The corners of a part of some bands.
fn quad(read: &ReadPage, pair: usize, bands: std::ops::Range<usize>, [from, to]: [f32; 2]) -> Quad {
    let columns = &read.grid.pairs[pair];
    let corner = |band: usize, share: f32, below: bool| {
        let band = &read.grid.bands[band];
        let line = if below { &band.bottom } else { &band.top };
        let y = line.at(columns.white.at(0.0).1);
        let (left, right) = (columns.white.at(y).0, columns.black.at(y).1);
        let x = left + share * (right - left);
        read.page.to_photo([x, line.at(x)])
    };
    let (first, last) = (bands.start, bands.end - 1);
    [corner(first, from, false), corner(first, to, false), corner(last, to, true), corner(last, from, true)]
}

/// The result that a group says, with its mean probability over the pens.
fn read_group(group: &Group, recogniser: &dyn Recogniser) -> Result<Option<(&'static str, f32)>> {
    let said = Words::strict().said(&read_strokes(&group.ink, recogniser)?, recogniser.alphabet());
    Ok(said.filter(|(_, mean)| *mean >= BELIEVED))
}

/// Strokes brought to the size of a move and drawn with pens of different widths, each read alone.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn read_strokes(ink: &Mask, recogniser: &dyn Recogniser) -> Result<Vec<Reading>> {
    let crops = PENS.map(|(height, pen)| crop(ink, height, pen));
    recogniser.read(&crops.each_ref())
}

/// Strokes as a crop of a given height of writing, drawn with a pen of a given width (pixels of the crop).
fn crop(ink: &Mask, height: f32, pen: f32) -> Crop {
    let fitting = |ink: &Mask| (height / ink.height() as f32).min(WIDEST / ink.width as f32);
    let thicker = ((pen / fitting(ink) - stroke_width(ink)) / 2.0).round().clamp(0.0, ROW as f32 / 2.0) as usize;
    let ink = (0..thicker).fold(ink.clone(), |ink, round| grown(&ink, round % 2 == 1));
    let scale = fitting(&ink);
    let size = [ink.width, ink.height()].map(|side| ((side as f32 * scale) as usize).max(1));
    let offset = [(CROP_WIDTH - size[0].min(CROP_WIDTH)) / 2, (CROP_HEIGHT - size[1].min(CROP_HEIGHT)) / 2];
    let mut pixels = vec![255u8; CROP_WIDTH * CROP_HEIGHT];
    let span = |at: usize, side: usize, count: usize| {
        let start = at * side / count;
        start..((at + 1) * side / count).max(start + 1).min(side)
    };
    let mut count = 0;
    for v in 0..size[1].min(CROP_HEIGHT) {
        for u in 0..size[0].min(CROP_WIDTH) {
            let (across, down) = (span(u, ink.width, size[0]), span(v, ink.height(), size[1]));
            let area = across.len() * down.len();
            let dark =
                down.flat_map(|y| across.clone().map(move |x| (x, y))).filter(|(x, y)| ink.dark[y * ink.width + x]);
            let share = dark.count() as f32 / area.max(1) as f32;
            let darkness = (1.3 * 255.0 * share).min(INK);
            count += u32::from(darkness > 100.0);
            pixels[(v + offset[1]) * CROP_WIDTH + u + offset[0]] = 255 - darkness as u8;
        }
    }
    let span = offset[0]..offset[0] + size[0].min(CROP_WIDTH);
    Crop { pixels, ink: count, span, rows: 0..0, contrast: INK as u8 }
}

/// Mean width of strokes: twice their area by the length of their edge.
fn stroke_width(ink: &Mask) -> f32 {
    let beside = |x: isize, y: isize| {
        [(1, 0), (-1, 0), (0, 1), (0, -1)].into_iter().filter(|(dx, dy)| !ink.at(x + dx, y + dy)).count()
    };
    let inked = (0..ink.dark.len()).filter(|&at| ink.dark[at]);
    let (area, edge) = inked.fold((0, 0), |(area, edge), at| {
        (area + 1, edge + beside((at % ink.width) as isize, (at / ink.width) as isize))
    });
    // An edge of pixels is longer than the line it follows, by 4/π on average over all directions.
    2.0 * area as f32 / (edge as f32 * std::f32::consts::FRAC_PI_4).max(1.0)
}

/// Strokes one pixel wider on all sides, in a mask as much larger; by turns with and without the corners.
fn grown(ink: &Mask, corners: bool) -> Mask {
    let (width, height) = (ink.width + 2, ink.height() + 2);
    let mut dark = vec![false; width * height];
    for at in (0..ink.dark.len()).filter(|&at| ink.dark[at]) {
        let (x, y) = (at % ink.width + 1, at / ink.width + 1);
        for (i, j) in (0..3).flat_map(|j| (0..3).map(move |i| (i, j))) {
            if corners || i == 1 || j == 1 {
                dark[(y + j - 1) * width + x + i - 1] = true;
            }
        }
    }
    Mask { width, dark }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_become_as_wide_as_the_pen() {
        let bar = Mask { width: 60, dark: (0..60 * 120).map(|at| (28..31).contains(&(at % 60))).collect() };
        assert!((stroke_width(&bar) - 3.0).abs() < 1.2, "{}", stroke_width(&bar));
        let crop = crop(&bar, 26.0, 4.0);
        let row = &crop.pixels[24 * CROP_WIDTH..25 * CROP_WIDTH];
        let wide = row.iter().filter(|&&pixel| pixel < 155).count();
        assert!((3..=5).contains(&wide), "{wide}");
    }
}
