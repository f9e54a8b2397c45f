//! The table of moves: rows between ruling lines, columns in pairs, found from the picture alone.
//!
//! Rows are the longest chain of ruling lines at an even pitch; columns are the upright lines that cross those
//! rows. Which rows carry which move numbers is not decided here but by the printed numbers, see
//! [`super::anchor`]: one row more at either end is offered where the picture has room for it.

use super::columns;
use super::lines::{Curve, LineMap, STRIP};
use super::page::Page;
use super::uprights::{self, Uprights};
use crate::game::Quad;
use image::imageops;

/// A span between two upright curves (stored with x and y exchanged).
#[derive(Debug, Clone)]
pub struct Column {
    pub left: Curve,
    pub right: Curve,
    /// Where the form has a box for every character: the lines between the boxes.
    pub inner: Vec<Curve>,
}

impl Column {
    /// Left and right edge at height `y`.
    pub fn at(&self, y: f32) -> (f32, f32) {
        (self.left.at(y), self.right.at(y))
    }
}

/// White's and Black's column of moves with the numbers that go with them.
#[derive(Debug, Clone)]
pub struct ColumnPair {
    /// A column of printed numbers of its own, where the form has one.
    pub numbers: Option<Column>,
    pub white: Column,
    pub black: Column,
}

/// One band between two ruling lines.
#[derive(Debug, Clone)]
pub struct Band {
    pub top: Curve,
    pub bottom: Curve,
    /// False for a band beyond the chain of lines, offered in case its outer line was not found.
    pub ruled: bool,
}

/// The table of moves on a page.
#[derive(Debug, Clone)]
pub struct Grid {
    /// From top to bottom.
    pub bands: Vec<Band>,
    /// From left to right.
    pub pairs: Vec<ColumnPair>,
    /// Median height of a band, in pixels of the page.
    pub pitch: f32,
}

/// Fewest rows and the narrowest pitch (pixels of the page) that make a table of moves.
/// Half the length over which a row's line is averaged: longer than a letter is wide.
const ROW_REACH: usize = 24;
/// Bands offered beyond either end of the chain, whose last lines may be hidden by a printed bar or a fold.
const BEYOND: usize = 3;
const FEWEST_ROWS: usize = 8;
const NARROWEST_PITCH: f32 = 14.0;

impl Grid {
    /// Finds the table of moves.
    ///
    /// # Errors
    /// Says in words what was missing: rows or columns.
    pub fn find(page: &Page) -> Result<Self, String> {
        let mut across = LineMap::new(&page.image, ROW_REACH);
        let strips = across.strips();
        let (mut chain, mut curves) = find_rows(&across, 0..strips)?;
        let (mut left, mut right, mut row_darkness) = extent(&across, &curves);
        // Once more, with eyes for the table alone.
        let table = across.strip_of(left)..across.strip_of(right - 1.0) + 1;
        across.focus(table.clone());
        if let Some(found) = find_rows(&across, table).ok().filter(|found| found.1.len() >= curves.len()) {
            (chain, curves) = found;
            (left, right, row_darkness) = extent(&across, &curves);
        }
        let pitch = chain.pitch;
        let middle = (left + right) / 2.0;
        let (top, bottom) = (curves[0].at(middle), curves[curves.len() - 1].at(middle));
        // Over two rows no hand draws an upright stroke.
        let down = LineMap::new(&imageops::flip_horizontal(&imageops::rotate90(&page.image)), pitch as usize);
        let frame = Frame { left, right, top, bottom, pitch, row_darkness };
        let middle = (top + bottom) / 2.0;
        let pairs = [Uprights::Lines, Uprights::Broken, Uprights::Shading]
            .iter()
            .find_map(|kind| columns::pair(&uprights::find(page, &down, &frame, kind), pitch, middle))
            .ok_or("no pair of columns for White's and Black's moves")?;
        let bands = bands(&across, curves, &frame, page.image.height() as f32);
        Ok(Self { bands, pairs, pitch })
    }

    /// The corners of a cell in pixels of the page.
    pub fn quad(&self, band: &Band, column: &Column) -> Quad {
        let corner = |line: &Curve, side: &Curve| {
            let mut y = line.y[0];
            let mut x = 0.0;
            for _ in 0..3 {
                x = side.at(y);
                y = line.at(x);
            }
            [x, y]
        };
        [
            corner(&band.top, &column.left),
            corner(&band.top, &column.right),
            corner(&band.bottom, &column.right),
            corner(&band.bottom, &column.left),
        ]
    }
}

/// Evenly spaced ruling lines, as heights at the middle strip.
struct Chain {
    ys: Vec<f32>,
    pitch: f32,
}

/// The best chain over all pitches: dynamic programming over heights, where a step may differ from the pitch by an
/// eighth, a height on a line earns up to 1 and a height with no line loses a little.
fn longest_chain(profile: &[f32]) -> Chain {
    let reward = line_rewards(profile);
    let mut best = Chain { ys: Vec::new(), pitch: 0.0 };
    let mut best_score = 0.0;
    let mut pitch = NARROWEST_PITCH;
    while pitch < profile.len() as f32 / FEWEST_ROWS as f32 {
        let (score, ys) = chain_at(&reward, pitch);
        if score > best_score {
            best_score = score;
            best = Chain { ys, pitch };
        }
        pitch *= 1.04;
    }
    if best.ys.len() > 2 {
        let mut steps: Vec<f32> = best.ys.windows(2).map(|w| w[1] - w[0]).collect();
        steps.sort_by(f32::total_cmp);
        best.pitch = steps[steps.len() / 2];
    }
    best
}

/// What each height earns as a member of a chain: 1 on the top of a clear line, -0.6 where there is none.
fn line_rewards(profile: &[f32]) -> Vec<f32> {
    let mut peaks: Vec<f32> = (1..profile.len().saturating_sub(1))
        .filter(|&y| profile[y] > profile[y - 1] && profile[y] >= profile[y + 1])
        .map(|y| profile[y])
        .collect();
    peaks.sort_by(|a, b| b.total_cmp(a));
    // The table has more lines than `FEWEST_ROWS`: the least of as many peaks tells how far its lines reach.
    let full = peaks.get(FEWEST_ROWS).copied().unwrap_or(0.0).max(0.15);
    (0..profile.len())
        .map(|y| {
            let near = profile[y.saturating_sub(1)..(y + 2).min(profile.len())].iter().copied().fold(0.0, f32::max);
            let here = if profile[y] == near { near } else { 0.8 * near };
            (here / full).min(1.0).powi(2) * 1.6 - 0.6
        })
        .collect()
}

fn chain_at(reward: &[f32], pitch: f32) -> (f32, Vec<f32>) {
    let (shortest, longest) = ((pitch * 0.88).round() as usize, (pitch * 1.12).round() as usize);
    let mut total = vec![0f32; reward.len()];
    let mut previous = vec![usize::MAX; reward.len()];
    for y in 0..reward.len() {
        let mut best = (0.0, usize::MAX);
        for step in shortest..=longest.min(y) {
            let uneven = (step as f32 - pitch) / (0.12 * pitch);
            let score = total[y - step] - 0.3 * uneven * uneven;
            if score > best.0 {
                best = (score, y - step);
            }
        }
        total[y] = best.0 + reward[y];
        previous[y] = best.1;
    }
    let Some(mut y) = (0..reward.len()).max_by(|&a, &b| total[a].total_cmp(&total[b])) else {
        return (0.0, Vec::new());
    };
    let score = total[y];
    let mut ys = vec![y as f32];
    while previous[y] != usize::MAX {
        y = previous[y];
        ys.push(y as f32);
    }
    ys.reverse();
    (score, ys)
}

/// The best chain of ruling lines, with the curve of each, looking at the given strips.
fn find_rows(map: &LineMap, strips: std::ops::Range<usize>) -> Result<(Chain, Vec<Curve>), String> {
    let chain = longest_chain(&map.straightened(strips));
    if chain.ys.len() <= FEWEST_ROWS {
        return Err("fewer than eight evenly spaced rows".to_owned());
    }
    let reach = (chain.pitch * 0.2).clamp(3.0, 8.0);
    let curves = chain.ys.iter().map(|&y| map.refine(&map.follow(y), reach)).collect();
    Ok((chain, curves))
}

/// Left and right end of the table, and the darkness of its lines: the longest stretch of strips in which most rows
/// are ruled.
fn extent(map: &LineMap, rows: &[Curve]) -> (f32, f32, f32) {
    let darkness: Vec<f32> = (0..map.strips())
        .map(|strip| {
            let mut values: Vec<f32> = rows.iter().map(|row| map.darkness(row, strip..strip + 1)).collect();
            let middle = values.len() / 2;
            *values.select_nth_unstable_by(middle, f32::total_cmp).1
        })
        .collect();
    let mut sorted = darkness.clone();
    sorted.sort_by(f32::total_cmp);
    let typical = sorted[sorted.len() * 2 / 3];
    let ruled: Vec<bool> = darkness.iter().map(|&d| d > 0.35 * typical).collect();
    // A gap of a strip or two is a column border, a fold or a scribble.
    let mut best = 0..0;
    let mut start = None;
    for strip in 0..=ruled.len() {
        let here = (strip..(strip + 3).min(ruled.len())).any(|s| ruled[s]);
        match (here, start) {
            (true, None) if ruled[strip] => start = Some(strip),
            (false, Some(first)) => {
                if strip - first > best.len() {
                    best = first..strip;
                }
                start = None;
            }
            _ => {}
        }
    }
    let (left, right) = (best.start as f32 * STRIP as f32, best.end as f32 * STRIP as f32);
    (left, right, typical)
}

/// Where the rows lie, in pixels of the page, and how dark their lines are.
pub(super) struct Frame {
    pub left: f32,
    pub right: f32,
    pub top: f32,
    pub bottom: f32,
    pub pitch: f32,
    pub row_darkness: f32,
}

/// The bands between neighbouring lines, with a few more beyond either end where the page has room for them.
fn bands(map: &LineMap, curves: Vec<Curve>, frame: &Frame, height: f32) -> Vec<Band> {
    let Frame { left, right, pitch, row_darkness, .. } = *frame;
    let middle = (left + right) / 2.0;
    let table = map.strip_of(left)..map.strip_of(right - 1.0) + 1;
    let mut lines: Vec<(Curve, bool)> = curves.into_iter().map(|c| (c, true)).collect();
    // A line at the local pitch from the outermost one, pulled onto the ink if there is any.
    let next = |from: &Curve, inner: &Curve| {
        let step = (from.at(middle) - inner.at(middle)).clamp(-1.15 * pitch, 1.15 * pitch);
        let guess = Curve { y: from.y.iter().map(|y| y + step).collect() };
        let line = map.refine(&guess, (pitch * 0.2).clamp(3.0, 10.0));
        let ruled = map.darkness(&line, table.clone()) > 0.3 * row_darkness;
        let y = line.at(middle);
        (y > -0.35 * pitch && y < height + 0.35 * pitch).then_some((if ruled { line } else { guess }, ruled))
    };
    // Bent paper hides lines from the chain; where they go on they are followed, and then a few guesses are offered.
    for upwards in [true, false] {
        let mut guesses = 0;
        while guesses < BEYOND {
            let last = lines.len() - 1;
            let (outer, inner) = if upwards { (0, 1) } else { (last, last - 1) };
            let Some(line) = next(&lines[outer].0, &lines[inner].0) else { break };
            guesses = if line.1 { 0 } else { guesses + 1 };
            lines.insert(if upwards { 0 } else { last + 1 }, line);
        }
    }
    lines.windows(2).map(|w| Band { top: w[0].0.clone(), bottom: w[1].0.clone(), ruled: w[0].1 && w[1].1 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::ingest::Photo;
    use image::{GrayImage, Luma};

    /// A form of 20 rows with a header band above and a column of numbers before each pair.
    fn form(pairs: usize, number_width: f32, tilt: f32) -> Photo {
        let width = 100.0 + pairs as f32 * (number_width + 320.0) + 100.0;
        let grey = GrayImage::from_fn(width as u32, 1200, |x, y| {
            let (u, v) = (x as f32 - 100.0 + tilt * y as f32, y as f32 - 200.0 - tilt * x as f32);
            let inside_x = u >= -1.0 && u <= width - 199.0;
            let row = (v / 40.0).round();
            let across = inside_x && (0.0..=20.0).contains(&row) && (v - row * 40.0).abs() < 1.1;
            let within = u.rem_euclid(number_width + 320.0);
            let edge = [0.0, number_width, number_width + 160.0, number_width + 320.0]
                .iter()
                .any(|e| (within - e).abs() < 1.1);
            let down = inside_x && edge && (-1.0..=801.0).contains(&v);
            Luma([if across || down { 60 } else { 245 }])
        });
        Photo { file: String::new(), grey }
    }

    #[test]
    fn rows_and_columns_are_counted() {
        for (pairs, numbers, tilt) in [(1, 50.0, 0.0), (2, 50.0, 0.02), (3, 40.0, -0.03)] {
            let page = Page::new(&form(pairs, numbers, tilt), 0);
            let grid = Grid::find(&page).unwrap();
            assert_eq!(grid.pairs.len(), pairs, "pairs");
            assert_eq!(grid.bands.iter().filter(|b| b.ruled).count(), 20, "rows of {pairs} pairs");
            assert!(grid.pairs.iter().all(|p| p.numbers.is_some()));
            let [[x0, y0], _, [x1, y1], _] = grid.quad(&grid.bands[5], &grid.pairs[0].white);
            assert!((x1 - x0 - 160.0).abs() < 4.0 && (y1 - y0 - 40.0 - tilt * 160.0).abs() < 4.0);
        }
    }

    #[test]
    fn an_empty_photo_has_no_table() {
        let blank = Photo { file: String::new(), grey: GrayImage::from_pixel(900, 1200, Luma([240])) };
        assert!(Grid::find(&Page::new(&blank, 0)).is_err());
    }
}
