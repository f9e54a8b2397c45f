//! Printed move numbers that share a column with White's moves: where they end and the moves begin.

use super::grid::{Column, ColumnPair, Grid};
use super::lines::Curve;
use super::page::Page;

/// Samples across a column.
const SAMPLES: usize = 60;
/// Numbers stand in the left third of the column.
const LEFT_PART: usize = SAMPLES / 3;
/// Darkness (of 255) of print against paper.
const PRINT: f32 = 70.0;

/// Gives every pair that has no column of numbers of its own the part of White's column that holds them.
///
/// Print stands at one place in every row, written or not, and clear paper follows it; handwriting does neither.
pub fn split_off(page: &Page, grid: &mut Grid) {
    for index in 0..grid.pairs.len() {
        if grid.pairs[index].numbers.is_some() || !grid.pairs[index].white.inner.is_empty() {
            continue;
        }
        if let Some(share) = end_of_numbers(page, grid, &grid.pairs[index].white) {
            let ColumnPair { white, .. } = &grid.pairs[index];
            let border =
                Curve { y: white.left.y.iter().zip(&white.right.y).map(|(l, r)| l + share * (r - l)).collect() };
            let numbers = Column { left: white.left.clone(), right: border.clone(), inner: Vec::new() };
            let pair = &mut grid.pairs[index];
            pair.white.left = border;
            pair.numbers = Some(numbers);
        }
    }
}

/// The share of the column's width at which the numbers end, if there are numbers.
fn end_of_numbers(page: &Page, grid: &Grid, column: &Column) -> Option<f32> {
    let rows = grid.bands.iter().filter(|band| band.ruled);
    let mut inked = [0usize; SAMPLES];
    let mut count = 0;
    for band in rows {
        let quad = grid.quad(band, column);
        count += 1;
        for (sample, inked) in inked.iter_mut().enumerate() {
            let share = (sample as f32 + 0.5) / SAMPLES as f32;
            *inked += usize::from(darkest(page, &quad, share) > PRINT);
        }
    }
    // The densest place of the numbers, beyond the border line at the very left.
    let densest = (2..LEFT_PART).max_by_key(|&s| inked[s])?;
    if inked[densest] * 10 < count * 7 {
        return None;
    }
    let clear = |s: usize| inked[s] * 4 <= inked[densest];
    let first = (densest..LEFT_PART + SAMPLES / 10).find(|&s| clear(s))?;
    // Print is scattered by shading and blur: the clearest of the next places is the border.
    let border = (first..(first + 5).min(SAMPLES)).min_by_key(|&s| (inked[s], s))?;
    Some((border as f32 + 0.5) / SAMPLES as f32)
}

/// The darkest point of an upright cut through the middle half of a cell.
fn darkest(page: &Page, quad: &crate::game::Quad, share: f32) -> f32 {
    let [tl, tr, br, bl] = quad;
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let top = [mix(tl[0], tr[0], share), mix(tl[1], tr[1], share)];
    let bottom = [mix(bl[0], br[0], share), mix(bl[1], br[1], share)];
    let mut darkest: f32 = 0.0;
    for step in 0..20 {
        let t = 0.22 + 0.56 * step as f32 / 19.0;
        let (x, y) = (mix(top[0], bottom[0], t), mix(top[1], bottom[1], t));
        if x >= 0.0 && y >= 0.0 && (x as u32) < page.image.width() && (y as u32) < page.image.height() {
            darkest = darkest.max(255.0 - f32::from(page.image.get_pixel(x as u32, y as u32).0[0]));
        }
    }
    darkest
}
