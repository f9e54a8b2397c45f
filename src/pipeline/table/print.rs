//! Where print stands across a column: at one place in every row, written on or not, and clear paper follows it.

use super::grid::{Column, Grid};
use crate::game::Quad;
use crate::pipeline::page::Page;

/// Places across a column: their distance in heights of a row, and how far they reach, in shares of the column and in
/// heights of a row.
const STEP: f32 = 0.065;
const LEFT_PART: f32 = 0.45;
const WIDEST: f32 = 5.0;
/// Narrowest and widest space that is a gap between pairs unless it holds numbers, in heights of a row; numbers need
/// more than the narrowest.
pub(crate) const NARROWEST: f32 = 0.4;
pub(crate) const WIDEST_GAP: f32 = 1.2;
/// Darkness (of 255) of print against paper, and that of faint print.
pub(crate) const PRINT: f32 = 70.0;
pub(crate) const FAINT: f32 = 35.0;
/// Share of the rows that show print below which a column shows none, from which something is printed in it, and from
/// which that is a line, be it broken.
const EMPTY: f32 = 0.15;
const PRINTED: f32 = 0.35;
const LINE: f32 = 0.9;
/// Behind the numbers so many times fewer rows are inked.
const CLEARER: f32 = 3.0;
/// Places to look behind that are tried.
const BORDERS: usize = 2;

/// Whether a column shows no print in its middle.
pub(crate) fn is_empty(page: &Page, grid: &Grid, column: &Column) -> bool {
    let shown = print(page, grid, column, FAINT);
    shown[shown.len() / 3..shown.len() - shown.len() / 3].iter().all(|&share| share < EMPTY)
}

/// For each place across the left part of a column, [`STEP`] apart, the share of the rows that are at least so dark
/// there; across all of a narrow column.
pub(crate) fn print(page: &Page, grid: &Grid, column: &Column, darkness: f32) -> Vec<f32> {
    let step = (STEP * grid.pitch).max(1.0);
    let middle = grid.middle();
    let width = column.width(middle).max(step);
    let narrow = width < WIDEST_GAP * grid.pitch;
    let across = if narrow { width } else { (LEFT_PART * width).min(WIDEST * grid.pitch) };
    let places = (across / step).max(4.0);
    let mut inked = shown(page, grid, column, (width / step) as usize, darkness);
    inked.resize(places as usize, 0.0);
    // The border lines.
    inked[..2].fill(0.0);
    if narrow {
        inked[places as usize - 2..].fill(0.0);
    }
    inked
}

/// For each of so many places across a column the share of the rows that are at least so dark there.
pub(crate) fn shown(page: &Page, grid: &Grid, column: &Column, places: usize, darkness: f32) -> Vec<f32> {
    let quads: Vec<_> = grid.bands.iter().filter(|band| band.ruled).map(|band| grid.quad(band, column)).collect();
    let share = |place: usize| {
        let at = (place as f32 + 0.5) / places as f32;
        quads.iter().filter(|quad| darkest(page, quad, at) > darkness).count() as f32 / quads.len().max(1) as f32
    };
    (0..places).map(share).collect()
}

/// Where numbers may end, in heights of a row from the left, from what [`print`] says: behind what is printed in many
/// rows there is clear paper.
pub(crate) fn borders(inked: &[f32]) -> Vec<f32> {
    let mut out = Vec::new();
    let mut from = 0;
    let (mut densest, narrowest) = (0.0f32, (NARROWEST / STEP) as usize);
    while out.len() < BORDERS {
        let Some(first) = (from..inked.len()).find(|&s| inked[s] > PRINTED) else { break };
        // Between two digits, too, there may be a place that hardly any row inks, but only a narrow one.
        densest = densest.max(inked[first]);
        let mut end = first;
        let clear = |s: usize, densest: f32| inked.get(s).is_none_or(|share| share * CLEARER <= densest);
        while end < inked.len() && !(clear(end, densest) && clear(end + 1, densest)) {
            densest = densest.max(inked[end]);
            end += 1;
        }
        if end + 1 >= inked.len() {
            break;
        }
        from = end;
        // What is narrower is the column's own border.
        if end < narrowest {
            densest = 0.0;
            continue;
        }
        // A broken line may stand at the end of the clear paper: the border lies behind it.
        let next = (end..inked.len()).find(|&s| !clear(s, densest)).unwrap_or(inked.len());
        let behind = (next..inked.len()).find(|&s| clear(s, densest)).unwrap_or(inked.len());
        let is_line = next < behind && behind - next <= 3 && inked[next..behind].iter().any(|&share| share > LINE);
        // Print is scattered by shading and blur: the clearest of the next places is the border.
        let near = end..(end + 5).min(next.max(end + 1));
        let clearest = near.min_by(|&a, &b| inked[a].total_cmp(&inked[b])).unwrap_or(end);
        out.push((if is_line { behind } else { clearest } as f32 + 0.5) * STEP);
    }
    out
}

/// The darkest point of an upright cut through the middle half of a cell.
fn darkest(page: &Page, quad: &Quad, share: f32) -> f32 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_paper_ends_the_numbers() {
        // A border line, the two digits of the numbers, clear paper, writing.
        let mut inked = vec![0.0; 40];
        inked[2] = 0.9;
        inked[7..10].fill(0.7);
        inked[11..14].fill(0.8);
        (25..40).for_each(|s| inked[s] = 0.5);
        let found = borders(&inked);
        assert!(!found.is_empty() && (14.0 * STEP..20.0 * STEP).contains(&found[0]), "{found:?}");
        // A broken line behind them belongs to the numbers.
        inked[20] = 0.95;
        assert!((borders(&inked)[0] - 21.5 * STEP).abs() < 0.01, "{:?}", borders(&inked));
        assert!(borders(&[0.1; 40]).is_empty());
    }
}
