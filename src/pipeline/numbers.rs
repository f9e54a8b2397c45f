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
/// Print stands at one place in every row, written or not, and in every pair; clear paper follows it. Handwriting does
/// neither. A narrow column without print is a gap between the pairs.
pub fn split_off(page: &Page, grid: &mut Grid) {
    for index in 0..grid.pairs.len() {
        let empty = |column: &Column| {
            let (left, right) = column.at(grid.bands[grid.bands.len() / 2].top.at(0.0));
            if right - left > WIDEST_GAP * grid.pitch {
                return false;
            }
            let middle = SAMPLES / 5..SAMPLES - SAMPLES / 5;
            print(page, grid, column, FAINT)[middle].iter().all(|&share| share < EMPTY)
        };
        if grid.pairs[index].numbers.as_ref().is_some_and(empty) {
            grid.pairs[index].numbers = None;
        }
    }
    let without = |pair: &ColumnPair| pair.numbers.is_none() && pair.white.inner.is_empty();
    // All pairs together: some have longer numbers, in some the writing begins at one place too.
    let prints: Vec<Vec<f32>> =
        grid.pairs.iter().filter(|pair| without(pair)).map(|pair| print(page, grid, &pair.white, PRINT)).collect();
    let mean = |s: usize| prints.iter().map(|print| print[s]).sum::<f32>() / prints.len().max(1) as f32;
    let Some(share) = end_of_numbers(&(0..SAMPLES).map(mean).collect::<Vec<f32>>()) else { return };
    for pair in grid.pairs.iter_mut().filter(|pair| without(pair)) {
        let ColumnPair { white, .. } = &pair;
        let border = Curve { y: white.left.y.iter().zip(&white.right.y).map(|(l, r)| l + share * (r - l)).collect() };
        let numbers = Column { left: white.left.clone(), right: border.clone(), inner: Vec::new() };
        pair.white.left = border;
        pair.numbers = Some(numbers);
    }
}

/// Widest gap between pairs, in heights of a row.
const WIDEST_GAP: f32 = 1.2;
/// Share of the rows that show print, be it faint, below which a column shows none.
const EMPTY: f32 = 0.15;
const FAINT: f32 = 35.0;
/// The same from which it is a line, be it broken.
const LINE: f32 = 0.9;
/// The same from which print stands at one place.
const IN_PLACE: f32 = 0.7;

/// Distance between two cuts through a column, in heights of a row.
const CUT: f32 = 0.1;

/// For each of [`SAMPLES`] places across a column the share of the rows that are at least so dark there.
fn print(page: &Page, grid: &Grid, column: &Column, darkness: f32) -> Vec<f32> {
    let mut inked = vec![0f32; SAMPLES];
    let quads: Vec<_> = grid.bands.iter().filter(|band| band.ruled).map(|band| grid.quad(band, column)).collect();
    for quad in &quads {
        // In a wide column a stroke would slip through between two cuts.
        let cuts = ((quad[1][0] - quad[0][0]) / (SAMPLES as f32 * CUT * grid.pitch)).round().clamp(1.0, 8.0) as usize;
        for (sample, inked) in inked.iter_mut().enumerate() {
            let share = |cut: usize| (sample as f32 + (cut as f32 + 0.5) / cuts as f32) / SAMPLES as f32;
            let dark = (0..cuts).any(|cut| darkest(page, quad, share(cut)) > darkness);
            *inked += f32::from(u8::from(dark)) / quads.len() as f32;
        }
    }
    // The border lines at both sides.
    inked[..2].fill(0.0);
    inked[SAMPLES - 2..].fill(0.0);
    inked
}

/// The share of the column's width at which the numbers end, if there are numbers, from what [`print`] says.
fn end_of_numbers(inked: &[f32]) -> Option<f32> {
    // Numbers stand to the left of all writing.
    let first = (0..LEFT_PART).find(|&s| inked[s] > IN_PLACE)?;
    let densest = (first..(first + SAMPLES / 10).min(LEFT_PART)).max_by(|&a, &b| inked[a].total_cmp(&inked[b]))?;
    let clear = |s: usize| inked[s] * 4.0 <= inked[densest];
    // Between two digits, too, there may be a place that hardly any row inks, but only a narrow one.
    let first = (densest..LEFT_PART + SAMPLES / 10).find(|&s| clear(s) && clear(s + 1))?;
    // A broken line may stand at the end of the clear paper: the border lies behind it.
    let end = (first..SAMPLES).find(|&s| !clear(s)).unwrap_or(SAMPLES);
    let behind = (end..SAMPLES).find(|&s| clear(s)).unwrap_or(SAMPLES);
    if end < LEFT_PART + SAMPLES / 10 && behind - end <= 2 && inked[end..behind].iter().all(|&share| share > LINE) {
        return Some((behind as f32 + 0.5) / SAMPLES as f32);
    }
    // Print is scattered by shading and blur: the clearest of the next places is the border.
    let border = (first..(first + 5).min(SAMPLES)).min_by(|&a, &b| inked[a].total_cmp(&inked[b]))?;
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
