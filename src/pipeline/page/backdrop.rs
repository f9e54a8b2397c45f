//! What a form prints behind the writing: watermarks, shaded cells, coloured bands.

use crate::pipeline::cells::{CROP_HEIGHT, CROP_WIDTH};
use std::ops::Range;

/// Side of the square, in pixels of a crop, in which the lightest pixel is looked for: wider than any stroke, half as
/// high as a cell.
const SQUARE: usize = 15;
/// Any square of that side holds a block of this side that begins at a multiple of it.
const BLOCK: usize = SQUARE.div_ceil(2);
/// Grey levels by which a backdrop differs within a cell before it is taken away: plain paper differs less.
const UNEVEN: u8 = 24;
/// Rows of a crop that decide: those of the cell itself.
const DECIDING: Range<usize> = 9..39;

/// Makes the paper of a crop even where something is printed behind the writing. Only `columns` show the page.
///
/// The backdrop is the grey closing of the picture, which keeps what is broader than a stroke (Serra 1982, chapter XII);
/// ink darkens what it is written on by a factor, so pixels are divided by it.
pub(crate) fn even_out(pixels: &mut [u8], columns: Range<usize>) {
    if is_even(pixels, &columns) {
        return;
    }
    let backdrop = closing(pixels, &columns);
    let inner = || DECIDING.flat_map(|y| &backdrop[y * CROP_WIDTH + columns.start..y * CROP_WIDTH + columns.end]);
    let (Some(&darkest), Some(&paper)) = (inner().min(), inner().max()) else { return };
    if paper - darkest < UNEVEN {
        return;
    }
    for (pixel, behind) in pixels.iter_mut().zip(backdrop) {
        *pixel = (f32::from(*pixel) * f32::from(paper) / f32::from(behind.max(1))).min(255.0) as u8;
    }
}

/// Whether there is hardly a backdrop, told without working it out: every square of the closing holds a whole block of
/// half its side, so it is no darker than the darkest block's lightest pixel.
fn is_even(pixels: &[u8], columns: &Range<usize>) -> bool {
    let lightest_at = |x: usize, y: usize| {
        let rows = pixels[y * CROP_WIDTH..].chunks(CROP_WIDTH).take(BLOCK);
        rows.flat_map(|row| &row[x..(x + BLOCK).min(columns.end)]).copied().max()
    };
    let corners = columns.clone().step_by(BLOCK).chain(columns.end.checked_sub(BLOCK));
    let blocks = corners.flat_map(|x| (0..CROP_HEIGHT).step_by(BLOCK).filter_map(move |y| lightest_at(x, y)));
    let (darkest, paper) = blocks.fold((u8::MAX, 0), |(low, high), block| (low.min(block), high.max(block)));
    paper.saturating_sub(darkest) < UNEVEN
}

/// Lightest pixels of the squares around, then the darkest of those.
fn closing(pixels: &[u8], columns: &Range<usize>) -> Vec<u8> {
    let lightest = over_squares(pixels, columns, u8::max);
    over_squares(&lightest, columns, u8::min)
}

/// Joins all pixels of the square around each pixel; what lies beyond the columns stays as it is.
fn over_squares(pixels: &[u8], columns: &Range<usize>, join: impl Fn(u8, u8) -> u8) -> Vec<u8> {
    let reach = SQUARE / 2;
    let join_all = |joined: &mut [u8], near: &[u8]| {
        joined.iter_mut().zip(near).for_each(|(joined, &near)| *joined = join(*joined, near));
    };
    let mut along = pixels.to_vec();
    for (joined, row) in along.chunks_mut(CROP_WIDTH).zip(pixels.chunks(CROP_WIDTH)) {
        let (joined, row) = (&mut joined[columns.clone()], &row[columns.clone()]);
        // All pixels at once, with those so far to the right of them and to the left.
        for off in 1..=reach.min(row.len().saturating_sub(1)) {
            let stay = row.len() - off;
            join_all(&mut joined[..stay], &row[off..]);
            join_all(&mut joined[off..], &row[..stay]);
        }
    }
    let mut out = along.clone();
    for y in 0..CROP_HEIGHT {
        for near in y.saturating_sub(reach)..(y + reach + 1).min(CROP_HEIGHT) {
            let of = |row: usize| row * CROP_WIDTH + columns.start..row * CROP_WIDTH + columns.end;
            join_all(&mut out[of(y)], &along[of(near)]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crop with a stroke of 4 pixels across and, from column 100 on, a backdrop.
    fn crop(backdrop: u8) -> Vec<u8> {
        let shade = |x: usize| if x >= 100 { f32::from(backdrop) / 250.0 } else { 1.0 };
        let ink = |y: usize| if (20..24).contains(&y) { 60.0 } else { 250.0 };
        (0..CROP_HEIGHT * CROP_WIDTH).map(|i| (ink(i / CROP_WIDTH) * shade(i % CROP_WIDTH)) as u8).collect()
    }

    #[test]
    fn a_watermark_goes_and_the_stroke_on_it_stays() {
        let mut pixels = crop(170);
        even_out(&mut pixels, 0..CROP_WIDTH);
        assert!(pixels.iter().zip(crop(250)).all(|(&a, b)| a.abs_diff(b) < 6));
    }

    #[test]
    fn plain_paper_is_left_alone() {
        let mut pixels = crop(240);
        even_out(&mut pixels, 0..CROP_WIDTH);
        assert_eq!(pixels, crop(240));
    }
}
