//! Strokes that reach over several cells: the empty part of a table laid straight, its ruling lines taken out, and what
//! is left gathered into groups.

use crate::pipeline::cells::darker_than_paper;
use crate::pipeline::page::Page;
use crate::pipeline::page::sampling::sample;
use crate::pipeline::page::shades;
use crate::pipeline::page::shapes::{Mask, Place, Shape, joined};
use crate::pipeline::table::grid::{Band, Grid};
use std::ops::Range;

/// Height of a row in a straightened patch, in pixels.
pub const ROW: usize = 32;
/// Half the width of what is taken out for a ruling line, and how far beyond it strokes are looked for that cross it.
const LINE: usize = 3;
const CROSSING: usize = 3;
/// How far aside such a stroke may lean over that half width.
const SLANT: isize = 3;
/// Connected pixels that are fewer, or span less, are dust.
const SPECK: usize = 25;
const SHORTEST: usize = 8;
/// More strokes than this are no result.
const MOST: usize = 120;
/// Gaps within a group: across, in heights of its strokes or rows; down and otherwise across, in rows.
const APART: f32 = 1.5;
const LOOSE: f32 = 0.25;
/// Darkness of faint strokes, as a share of the darkest ink.
const FAINT: f32 = 0.35;

/// Strokes that belong together.
#[derive(Debug, Clone)]
pub struct Group {
    /// In pixels of the patch.
    pub place: Place,
    /// The strokes alone.
    pub ink: Mask,
}

/// The rows `bands` of a pair of columns laid straight: [`ROW`] pixels a row, everything in proportion. With the place
/// of the line between the two columns.
pub fn patch(page: &Page, grid: &Grid, pair: usize, bands: Range<usize>) -> Option<(Vec<u8>, usize, usize)> {
    let (columns, bands) = (grid.pairs.get(pair)?, grid.bands.get(bands)?);
    let sides = |band: &Band| {
        let middle = (band.top.at(columns.white.at(0.0).1) + band.bottom.at(columns.white.at(0.0).1)) / 2.0;
        [columns.white.at(middle).0, columns.white.at(middle).1, columns.black.at(middle).1]
    };
    let [left, between, right] = sides(bands.first()?);
    if grid.pitch < 4.0 || right <= left {
        return None;
    }
    let width = ((right - left) / grid.pitch * ROW as f32) as usize;
    let middle = ((between - left) / (right - left) * width as f32) as usize;
    let mut grey = Vec::with_capacity(width * bands.len() * ROW);
    for band in bands {
        let [left, _, right] = sides(band);
        let across: Vec<(f32, f32, f32)> = (0..width)
            .map(|u| left + (u as f32 + 0.5) / width as f32 * (right - left))
            .map(|x| (x, band.top.at(x), band.bottom.at(x)))
            .collect();
        for v in 0..ROW {
            let down = (v as f32 + 0.5) / ROW as f32;
            grey.extend(
                across.iter().map(|&(x, top, bottom)| sample(&page.image, x, top + down * (bottom - top)) as u8),
            );
        }
    }
    Some((grey, width, middle))
}

/// The brightness below which a patch is inked: with the faintest ink that may be there, and as the darkest suggests.
pub(crate) fn thresholds(grey: &[u8]) -> [f32; 2] {
    if grey.is_empty() {
        return [0.0; 2];
    }
    let mut sorted = grey.to_vec();
    shades::sort(&mut sorted);
    let at = |share: f32| sorted.get((sorted.len() as f32 * share) as usize).copied().map_or(255.0, f32::from);
    let least = f32::from(darker_than_paper(&sorted));
    [least, least.max(FAINT * (at(0.5) - at(0.003)))].map(|darker| at(0.5) - darker)
}

/// Where a patch is inked, ruling lines left out but for the strokes that cross them.
pub fn ink(grey: &[u8], width: usize, between: usize) -> Mask {
    let [_, threshold] = thresholds(grey);
    let raw = Mask { width, dark: grey.iter().map(|&pixel| f32::from(pixel) < threshold).collect() };
    let height = raw.height();
    let near = |at: usize, line: usize| at.abs_diff(line) <= LINE;
    let on_row = |y: usize| near(y % ROW, 0) || near(y % ROW, ROW);
    let on_side = |x: usize| near(x, 0) || near(x, between) || near(x, width);
    let free = |x: isize, y: isize| {
        let ruled = on_row(y.max(0) as usize) || on_side(x.max(0) as usize);
        !ruled && raw.at(x, y)
    };
    // A stroke that crosses a line is seen on both sides of it, straight through the pixel, a little aslant perhaps.
    let crosses = |at: usize, line: usize, free: &dyn Fn(isize, isize) -> bool| {
        let from = at as isize - line as isize;
        let (before, behind) = (from + LINE as isize + 1, LINE as isize + 1 - from);
        (-SLANT..=SLANT).any(|slant| {
            let aside = |away: isize| (away as f32 * slant as f32 / LINE as f32).round() as isize;
            let seen = |away: isize| (0..CROSSING as isize).any(|more| free(away + more * away.signum(), aside(away)));
            seen(-before) && seen(behind)
        })
    };
    let mut dark = vec![false; grey.len()];
    for y in 0..height {
        for x in 0..width {
            let (i, j) = (x as isize, y as isize);
            dark[y * width + x] = raw.at(i, j)
                && match (on_row(y), on_side(x)) {
                    (false, false) => true,
                    (true, false) => {
                        let line = (y + ROW / 2) / ROW * ROW;
                        line > 0 && line < height && crosses(y, line, &|dy, dx| free(i + dx, j + dy))
                    }
                    (false, true) if near(x, between) => crosses(x, between, &|dx, dy| free(i + dx, j + dy)),
                    _ => false,
                };
        }
    }
    Mask { width, dark }
}

/// Strokes that lie close together, with dust left out; none where there are too many to be a word.
pub fn groups(ink: &Mask) -> Vec<Group> {
    let is_stroke = |shape: &Shape| shape.area >= SPECK && shape.width().max(shape.height()) >= SHORTEST;
    let strokes = ink.strokes().into_iter().filter(|(shape, _)| is_stroke(shape));
    let mut groups: Vec<(Place, Vec<usize>)> = strokes.map(|(shape, pixels)| (shape.place(), pixels)).collect();
    if groups.len() > MOST {
        return Vec::new();
    }
    while let Some((a, b)) = (0..groups.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .find(|&(a, b)| belong_together(&groups[a].0, &groups[b].0))
    {
        let (theirs, pixels) = groups.swap_remove(a);
        groups[b].0 = joined(groups[b].0, theirs);
        groups[b].1.extend(pixels);
    }
    let cut_out = |(place, pixels): (Place, Vec<usize>)| {
        let [left, top, right, bottom] = place;
        let mut dark = vec![false; (right - left) * (bottom - top)];
        for pixel in pixels {
            dark[(pixel / ink.width - top) * (right - left) + pixel % ink.width - left] = true;
        }
        Group { place, ink: Mask { width: right - left, dark } }
    };
    groups.into_iter().map(cut_out).collect()
}

fn belong_together(a: &Place, b: &Place) -> bool {
    let gap = |side: usize| a[side].max(b[side]) as f32 - a[side + 2].min(b[side + 2]) as f32;
    let (across, down) = (gap(0), gap(1));
    let [low, tall] = [f32::min, f32::max].map(|of| of((a[3] - a[1]) as f32, (b[3] - b[1]) as f32));
    let row = ROW as f32;
    // A dash is hardly as high as it is thick.
    let beside = across < APART * tall.max(0.6 * row) && down <= -low.min(0.2 * row);
    beside || (across < LOOSE * row && down < LOOSE * row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_patch_has_no_strokes() {
        assert!(groups(&ink(&[], 0, 0)).is_empty());
    }

    #[test]
    fn strokes_over_lines_stay_whole_and_lines_go() {
        // Two rows with a line between them, a border in the middle, and two strokes: an upright one and a dash.
        let (width, height) = (200, 4 * ROW);
        let line = |x: usize, y: usize| y.is_multiple_of(ROW) || y % ROW == 1 || x.abs_diff(100) < 2;
        let stroke = |x: usize, y: usize| (40..44).contains(&x) && (20..90).contains(&y);
        let dash = |x: usize, y: usize| (60..130).contains(&x) && (50..54).contains(&y);
        let dark = |x: usize, y: usize| line(x, y) || stroke(x, y) || dash(x, y);
        let grey: Vec<u8> = (0..width * height).map(|at| if dark(at % width, at / width) { 60 } else { 250 }).collect();
        let found = groups(&ink(&grey, width, 100));
        assert_eq!(found.len(), 1, "{:?}", found.iter().map(|group| group.place).collect::<Vec<_>>());
        // Where a stroke crosses a line, the corners between the two may be kept.
        let near = |(a, b): (&usize, usize)| a.abs_diff(b) <= 1;
        assert!(found[0].place.iter().zip([40, 20, 130, 90]).all(near), "{:?}", found[0].place);
        let inked = found[0].ink.dark.iter().filter(|&&dark| dark).count();
        assert!((4 * 70 + 4 * 70..=4 * 70 + 4 * 70 + 16).contains(&inked), "{inked}");
    }
}
