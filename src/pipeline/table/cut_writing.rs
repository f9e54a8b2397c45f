//! A border between White's and Black's moves that cuts through the writing, where none is ruled: the beginnings of words that
//! stand below each other were taken for a line. It is moved to where nothing is written.

use super::found::Found;
use super::grid::{Band, ColumnPair};
use super::ink_rows::holds_ink;
use super::layout::moved;
use super::legible;
use crate::error::Result;
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;
use std::ops::Range;

/// Rows that are written on at least.
const FEWEST: f32 = 6.0;
/// How near to the border at either side ink must be for a row to be cut, in heights of a row, and the share of the rows that
/// are from which it is no border.
const NEAR: Range<f32> = 0.06..0.4;
const CUT: f32 = 0.25;
/// Share of the rows with ink on the border itself from which it is ruled.
const RULED: f32 = 0.95;
/// Half the space that is needed, how far away it may be and in what steps it is looked for, in heights of a row; and the share of
/// the rows that may have ink there.
const SPACE: f32 = 0.15;
const FURTHEST: f32 = 2.0;
const STEP: f32 = 0.1;
const CLEAR: f32 = 0.05;
/// Share of the moves that must be read with the border there: whole words are harder to read than their ends.
const AS_MANY: f32 = 0.8;

/// Moves borders that cut through the writing to where nothing is written, if there is such a place near them.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn mend(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    for index in 0..found.grid.pairs.len() {
        let pair = &found.grid.pairs[index];
        let Some(aside) = space_beside(&found.page, found.anchor.bands(&found.grid), pair, found.grid.pitch) else {
            continue;
        };
        let step = vec![aside; pair.white.right.y.len()];
        let mut mended = pair.clone();
        (mended.white.right, mended.black.left) =
            (moved(&pair.white.right, &step, 1.0), moved(&pair.black.left, &step, 1.0));
        let moves = |pair: &ColumnPair| legible::moves_in(&found.page, &found.grid, pair, recogniser);
        if moves(&mended)? >= AS_MANY * moves(pair)? {
            found.grid.pairs[index] = mended;
            found.legible = None;
        }
    }
    Ok(())
}

/// How far beside the border between the columns of a pair the nearest space is, in pixels, if the border cuts through the
/// writing in some rows.
fn space_beside(page: &Page, rows: &[Band], pair: &ColumnPair, pitch: f32) -> Option<f32> {
    if pair.between.is_some()
        || pair.numbers.as_ref().is_some_and(|numbers| numbers.left.at(0.0) > pair.white.left.at(0.0))
    {
        return None;
    }
    // The share of the rows written on near the border that hold ink in all of some ranges beside it, in heights of a row.
    let written = |row: &&Band| is_written(page, row, pair, pitch, -3.0 * FURTHEST..3.0 * FURTHEST);
    let rows: Vec<&Band> = rows.iter().filter(written).collect();
    let share = |ranges: &[Range<f32>]| {
        let in_all = |row: &&&Band| ranges.iter().all(|range| is_written(page, row, pair, pitch, range.clone()));
        rows.iter().filter(in_all).count() as f32 / rows.len() as f32
    };
    let is_cut = share(&[-NEAR.end..-NEAR.start, NEAR]) > CUT && share(&[-NEAR.start..NEAR.start]) < RULED;
    if (rows.len() as f32) < FEWEST || !is_cut {
        return None;
    }
    let steps = (FURTHEST / STEP) as i32;
    let places = (1..=steps).flat_map(|step| [-step, step]).map(|step| step as f32 * STEP);
    let is_space = |&place: &f32| share(&[place - SPACE..place + SPACE]) <= CLEAR;
    places.into_iter().find(is_space).map(|place| place * pitch)
}

/// Whether a row holds ink so far beside the border between the columns of a pair, in heights of a row.
fn is_written(page: &Page, row: &Band, pair: &ColumnPair, pitch: f32, beside: Range<f32>) -> bool {
    let border = pair.black.left.at((row.top.at(0.0) + row.bottom.at(0.0)) / 2.0);
    let inside = |x: f32| x.clamp(0.0, page.image.width() as f32) as usize;
    let borders = [row.top.clone(), row.bottom.clone()];
    (inside(border + beside.start * pitch)..inside(border + beside.end * pitch)).any(|x| holds_ink(page, &borders, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::columns;
    use crate::pipeline::table::lines::Curve;
    use image::{GrayImage, Luma};

    /// A page of twelve rows, 40 pixels high, in each of which Black's move begins at one of three places; and its pair of
    /// columns, their border at 400.
    fn page(begins: [u32; 3], ruled: bool) -> (Page, Vec<Band>, ColumnPair) {
        let mut grey = GrayImage::from_pixel(800, 560, Luma([250]));
        for row in 0..12u32 {
            // Letters of 14 pixels, 8 apart.
            let letters = |from: u32, to: u32| (from..to).filter(move |x| (x - from) % 22 < 14);
            for x in letters(60, 200).chain(letters(begins[row as usize % 3], 560)) {
                (52..66).for_each(|y| grey.put_pixel(x, y + 40 * row, Luma([40])));
            }
        }
        for (x, y) in (398..402).flat_map(|x| (40..520).map(move |y| (x, y))).filter(|_| ruled) {
            grey.put_pixel(x, y, Luma([40]));
        }
        let line = |row: usize| Curve { y: vec![40.0 + 40.0 * row as f32; 25] };
        let bands = (0..12).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
        let pair = columns::even(0.0, 800.0, 1, 17).remove(0);
        (Page::new(&Photo { file: String::new(), grey }, 0), bands, pair)
    }

    #[test]
    fn a_border_through_the_writing_is_moved_beside_it() {
        let aside = |begins: [u32; 3], ruled: bool| {
            let (page, bands, pair) = page(begins, ruled);
            space_beside(&page, &bands, &pair, 40.0)
        };
        let off = aside([378, 395, 404], false).unwrap();
        assert!((-34.0..-26.0).contains(&off), "{off}");
        assert_eq!(aside([420, 430, 440], false), None, "it cuts through nothing");
        assert_eq!(aside([378, 395, 404], true), None, "it is ruled");
        assert_eq!(aside([210, 215, 220], false), None, "nothing is free nearby");
    }
}
