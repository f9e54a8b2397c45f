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
            if right - left < NARROWEST * grid.pitch {
                return true;
            }
            let middle = SAMPLES / 3..SAMPLES - SAMPLES / 3;
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
    let together = |prints: &[Vec<f32>]| {
        let mean = |s: usize| prints.iter().map(|print| print[s]).sum::<f32>() / prints.len().max(1) as f32;
        end_of_numbers(&(0..SAMPLES).map(mean).collect::<Vec<f32>>())
    };
    let others = prints.split_first().filter(|(_, others)| !others.is_empty());
    let before_the_first = others.and_then(|(first, others)| {
        let share = together(others)?;
        let numbers = &first[..(share * SAMPLES as f32) as usize];
        numbers.iter().all(|&inked| inked < IN_PLACE / 2.0).then_some(share)
    });
    if let Some(share) = before_the_first.or_else(|| together(&prints)) {
        let lacking = grid.pairs.iter_mut().filter(|pair| without(pair));
        lacking.skip(usize::from(before_the_first.is_some())).for_each(|pair| split(pair, share));
    }
    number_the_first(page, grid);
}

/// Makes the left part of White's column, up to a share of its width, a column of numbers.
fn split(pair: &mut ColumnPair, share: f32) {
    let white = &mut pair.white;
    let border = Curve { y: white.left.y.iter().zip(&white.right.y).map(|(l, r)| l + share * (r - l)).collect() };
    let left = std::mem::replace(&mut white.left, border.clone());
    pair.numbers = Some(Column { left, right: border, inner: Vec::new() });
}

/// Where every other pair has its numbers before White's moves, those of the first stand beyond the ends of the lines.
fn number_the_first(page: &Page, grid: &mut Grid) {
    let middle = grid.bands[grid.bands.len() / 2].top.at(0.0);
    let width = |pair: &ColumnPair| {
        let ((from, to), white) = (pair.numbers.as_ref()?.at(middle), pair.white.at(middle).0);
        ((white - to).abs() < 0.5 * (to - from)).then_some(to - from)
    };
    let Some((first, others)) = grid.pairs.split_first() else { return };
    let widths: Option<Vec<f32>> = others.iter().map(width).collect();
    let Some(widths) = widths.filter(|widths| !widths.is_empty() && first.numbers.is_none()) else { return };
    let wide = widths.iter().sum::<f32>() / widths.len() as f32;
    let left = Curve { y: first.white.left.y.iter().map(|x| x - wide).collect() };
    let numbers = Column { left, right: first.white.left.clone(), inner: Vec::new() };
    let shown = print(page, grid, &numbers, FAINT).into_iter().fold(0.0, f32::max);
    if shown > EMPTY {
        grid.pairs[0].numbers = Some(numbers);
    }
}

/// Widest gap between pairs and narrowest column of numbers, in heights of a row.
const WIDEST_GAP: f32 = 1.2;
const NARROWEST: f32 = 0.5;
/// Share of the rows that show print, be it faint, below which a column shows none.
const EMPTY: f32 = 0.15;
const FAINT: f32 = 35.0;
/// The same from which it is a line, be it broken.
const LINE: f32 = 0.9;
/// The same from which print stands at one place.
const IN_PLACE: f32 = 0.6;

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
    let clear = |s: usize| inked[s] * 3.0 <= inked[densest];
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
