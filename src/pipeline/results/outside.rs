//! What stands above and below the table, laid straight like the table's first or last row.

use super::large_ink::{self, ROW};
use crate::pipeline::ReadPage;
use crate::pipeline::numbers::digits::evenly_lit;
use crate::pipeline::page::sampling::sample;
use crate::pipeline::page::shapes::{Mask, Shape};

/// How far above and below the table is looked, in rows, and how far beyond its sides, as a share of its width.
const ABOVE: usize = 12;
const BELOW: usize = 9;
const ASIDE: f32 = 0.04;
/// Darkness of a line of pixels beyond the paper, and how many such there are.
const EDGE: f32 = 0.4;
const EDGE_LINES: usize = ROW / 3;
/// Runs that are longer belong to ruling lines; what is thicker does not.
const RULE: usize = ROW * 3 / 2;
const RULE_THICKNESS: usize = 6;
/// Width of an upright line, leaning a little.
const BAR: usize = 12;
/// Reach of the means that take the table's end as smooth, as a share of its length.
const SMOOTH: f32 = 1.0 / 6.0;

/// A strip laid straight, [`ROW`] pixels a row.
pub(crate) struct Strip {
    /// Plain ink only, and faint strokes as well.
    pub views: [View; 2],
    /// From its pixels to those of the page.
    left: f32,
    step: f32,
    /// Where each column of its pixels begins on the page.
    tops: Vec<f32>,
}

/// The strip with what counts as ink.
pub(crate) struct View {
    pub ink: Mask,
    /// Without ruling lines.
    pub text: Mask,
}

impl View {
    /// Whether a shape of the text is an upright line between two ruling lines, as of a box to write in.
    pub fn is_bar(&self, shape: &Shape) -> bool {
        let ruled =
            |y: isize| (shape.left..shape.right).any(|x| self.ink.at(x as isize, y) && !self.text.at(x as isize, y));
        shape.width() <= BAR && ruled(shape.top as isize - 1) && ruled(shape.bottom as isize)
    }
}

/// Where a strip lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Above,
    Below,
}

/// The strip above or below the table of a page, as far as there is paper; none where there is hardly any.
pub(crate) fn strip(read: &ReadPage, side: Side) -> Option<Strip> {
    let ReadPage { page, grid, anchor, .. } = read;
    let bands = anchor.bands(grid);
    let line = match side {
        Side::Above => &bands.first()?.top,
        Side::Below => &bands.last()?.bottom,
    };
    let (first_pair, last_pair) = (grid.pairs.first()?, grid.pairs.last()?);
    let height = line.at(last_pair.white.at(0.0).1);
    let sides = (first_pair.first(height).at(height).0, last_pair.black.at(height).1);
    if grid.pitch < 4.0 || sides.1 <= sides.0 {
        return None;
    }
    let aside = ASIDE * (sides.1 - sides.0);
    let (left, right) = (sides.0 - aside, sides.1 + aside);
    let step = grid.pitch / ROW as f32;
    let width = ((right - left) / step) as usize;
    let (room, most) = match side {
        Side::Above => (height / step, ABOVE),
        Side::Below => ((page.image.height() as f32 - height) / step, BELOW),
    };
    let lines = (room.max(0.0) as usize).min(most * ROW);
    if width < ROW || lines < ROW {
        return None;
    }
    let end: Vec<f32> = (0..width).map(|u| line.at((left + u as f32 * step).clamp(sides.0, sides.1))).collect();
    let end = smooth(&end, (SMOOTH * width as f32) as usize);
    // Line by line away from the table.
    let away = if side == Side::Above { -step } else { step };
    let mut grey = Vec::with_capacity(width * lines);
    for v in 0..lines {
        let off = (v as f32 + 0.5) * away;
        grey.extend((0..width).map(|u| sample(&page.image, left + (u as f32 + 0.5) * step, end[u] + off) as u8));
    }
    // The table's end is on paper, whatever lies beyond.
    let [_, plain] = large_ink::thresholds(&grey[..width * ROW]);
    let lines = paper(&grey, width, plain);
    grey.truncate(width * lines);
    if lines < ROW / 2 {
        return None;
    }
    let mut tops = end;
    if side == Side::Above {
        grey = grey.chunks_exact(width).rev().flatten().copied().collect();
        tops.iter_mut().for_each(|top| *top -= lines as f32 * step);
    }
    let grey = evenly_lit(&grey, width);
    let mask = |threshold: f32| Mask { width, dark: grey.iter().map(|&pixel| f32::from(pixel) < threshold).collect() };
    let [faint, plain] = large_ink::thresholds(&grey).map(mask);
    let views = [plain, faint].map(|ink| View { text: without_rules(&ink), ink });
    Some(Strip { views, left, step, tops })
}

/// How many lines of a picture there are before the paper ends: before many lines in succession that are dark to a good
/// part.
fn paper(grey: &[u8], width: usize, threshold: f32) -> usize {
    let is_dark = |line: &[u8]| {
        let dark = line.iter().filter(|&&pixel| f32::from(pixel) < threshold).count();
        dark as f32 > EDGE * width as f32
    };
    let lines: Vec<bool> = grey.chunks_exact(width).map(is_dark).collect();
    lines.windows(EDGE_LINES).position(|some| some.iter().all(|&dark| dark)).unwrap_or(lines.len())
}

impl Strip {
    /// The place on the page of a pixel.
    pub fn to_page(&self, u: usize, v: usize) -> [f32; 2] {
        let top = self.tops[u.min(self.tops.len() - 1)];
        [self.left + u as f32 * self.step, top + v as f32 * self.step]
    }
}

/// Means over what is at most `reach` places away on both sides, and less near the ends.
fn smooth(line: &[f32], reach: usize) -> Vec<f32> {
    let around = |at: usize| {
        let reach = reach.min(at).min(line.len() - 1 - at);
        &line[at - reach..=at + reach]
    };
    (0..line.len()).map(around).map(|around| around.iter().sum::<f32>() / around.len() as f32).collect()
}

/// The same without long level lines that are thin.
fn without_rules(ink: &Mask) -> Mask {
    let (width, height) = (ink.width, ink.height());
    let mut long = vec![false; ink.dark.len()];
    for y in 0..height {
        let row = &ink.dark[y * width..(y + 1) * width];
        let mut start = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if run[0] && run.len() >= RULE {
                long[y * width + start..y * width + start + run.len()].fill(true);
            }
            start += run.len();
        }
    }
    let mut text = ink.clone();
    for x in 0..width {
        let mut y = 0;
        while y < height {
            let end = (y..height).find(|&y| !ink.dark[y * width + x]).unwrap_or(height);
            if (1..=RULE_THICKNESS).contains(&(end - y)) && (y..end).any(|y| long[y * width + x]) {
                (y..end).for_each(|y| text.dark[y * width + x] = false);
            }
            y = end.max(y + 1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ruling_lines_go_and_the_dark_beyond_the_paper_as_well() {
        let width = 200;
        let dark = |x: usize, y: usize| y == 30 || (50..54).contains(&x) && (10..40).contains(&y) || y >= 80;
        let grey: Vec<u8> = (0..width * 120).map(|at| if dark(at % width, at / width) { 60 } else { 250 }).collect();
        assert_eq!(paper(&grey, width, 150.0), 80);
        let ink = Mask { width, dark: grey[..width * 80].iter().map(|&pixel| pixel < 150).collect() };
        let strokes = without_rules(&ink).strokes();
        assert_eq!(strokes.iter().map(|(shape, _)| shape.place()).collect::<Vec<_>>(), [[50, 10, 54, 40]]);
    }
}
