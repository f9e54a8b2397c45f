//! Rows told by the writing itself, for sheets without ruling lines: shading, dots, a notebook, a napkin.
//!
//! The ink of a page is added up along lines of one slope; the slope at which rows and gaps stand out most is that of
//! the rows (projection profiles, Postl 1986). The borders of rows are then the longest chain of gaps at one pitch with
//! ink half a pitch above and below.

use super::columns;
use super::grid::{ColumnPair, Grid};
use super::lines::{Curve, LineMap, STRIP};
use super::ruled_rows::Frame;
use super::spacing::chain_at;
use super::track;
use crate::game::Quad;
use crate::pipeline::page::Page;
use crate::pipeline::page::fit::{RIDGE, dot, least_squares, terms};

/// Darkness (of 255) from which a pixel counts as ink.
const INK: u8 = 70;
/// Share of a row's height that is dark where it is filled.
const FILLED: f32 = 0.75;
/// Slopes that are tried, in pixels per pixel.
const STEEPEST: f32 = 0.08;
const SLOPE_STEP: f32 = 0.004;
/// Rows that make a table, and their heights that are tried, in pixels of the page.
const FEWEST_ROWS: usize = 8;
const PITCHES: std::ops::Range<f32> = 18.0..140.0;
/// A gap as clear as this share of the clearest earns the full reward.
const CLEAR_GAP: f32 = 0.5;
/// Darkness that a ruling line between columns has at least, where there are any.
pub(crate) const FAINT_LINE: f32 = 15.0;
/// Strips to both sides that say where a row goes, and the likeness (of 255) to a ruling line that a clear gap has.
const WIDE: usize = 2;
const CLEAREST: f32 = 40.0;
/// Share of the rows up to which a gap between columns may be crossed by ink, and its least width in row heights.
const CROSSED: f32 = 0.08;
const GAP: f32 = 0.25;

/// The rows of the writing on a page: where they lie, and the borders between them from top to bottom.
pub(crate) fn find(page: &Page) -> Option<(Frame, Vec<Curve>)> {
    let ink = Ink::new(page);
    let slopes = (0..=(2.0 * STEEPEST / SLOPE_STEP) as usize).map(|step| step as f32 * SLOPE_STEP - STEEPEST);
    let contrast = |slope: f32| -> f32 { ink.along(slope).windows(3).map(|w| (w[2] - w[0]).powi(2)).sum() };
    let slope = slopes.max_by(|&a, &b| contrast(a).total_cmp(&contrast(b)))?;
    let profile = ink.along(slope);
    let mut best: (f32, f32, Vec<f32>) = (0.0, 0.0, Vec::new());
    let mut pitch = PITCHES.start;
    while pitch < PITCHES.end.min(profile.len() as f32 / FEWEST_ROWS as f32) {
        let (score, ys) = chain_at(&gaps(&profile, pitch), pitch);
        if score > best.0 {
            best = (score, pitch, ys);
        }
        pitch *= 1.04;
    }
    let (_, pitch, ys) = best;
    let (first, last) = (*ys.first()?, *ys.last()?);
    if ys.len() <= FEWEST_ROWS {
        return None;
    }
    let (left, right) = ink.sides(first as usize..last as usize)?;
    let middle = ink.strips as f32 / 2.0;
    let line = |y: &f32| Curve {
        y: (0..ink.strips).map(|strip| y + slope * (strip as f32 + 0.5 - middle) * STRIP as f32).collect(),
    };
    let straight: Vec<Curve> = ys.iter().map(line).collect();
    // Where the paper bends, the gaps between the rows are followed as ruling lines are.
    let map = ink.gap_map(pitch);
    let table = map.strip_of(left)..map.strip_of(right - 1.0) + 1;
    let followed = track::follow(&map, &straight, pitch, table.clone(), false);
    let rows = followed.map_or_else(|| straight.clone(), |followed| smooth(&map, &straight, &followed, table));
    Some((Frame { left, right, top: first, bottom: last, pitch, row_darkness: FAINT_LINE }, rows))
}

/// Left and right end of the ink between two heights of a page.
pub(crate) fn sides(page: &Page, rows: std::ops::Range<usize>) -> Option<(f32, f32)> {
    Ink::new(page).sides(rows)
}

/// Rows that lie beside straight ones as the followed ones do, but smoothly over the page: a gap between words says
/// little by itself.
fn smooth(map: &LineMap, straight: &[Curve], followed: &[Curve], table: std::ops::Range<usize>) -> Vec<Curve> {
    let middle = map.strips() / 2;
    let (top, bottom) = (straight[0].y[middle], straight[straight.len() - 1].y[middle]);
    let place = |row: &Curve, strip: usize| {
        let along = 2.0 * (strip as f32 + 0.5) / map.strips() as f32 - 1.0;
        terms(along, 2.0 * (row.y[middle] - top) / (bottom - top).max(1.0) - 1.0)
    };
    let samples = straight.iter().zip(followed).flat_map(|(row, followed)| {
        let of = move |strip: usize| {
            let y = followed.y[strip];
            (place(row, strip), y - row.y[strip], map.likeliness(strip, y))
        };
        table.clone().map(of)
    });
    let field = least_squares(samples, RIDGE);
    let moved = |row: &Curve| (0..map.strips()).map(|strip| row.y[strip] + dot(&place(row, strip), &field)).collect();
    straight.iter().map(|row| Curve { y: moved(row) }).collect()
}

/// The borders of columns of writing: the middles of the gaps that hardly any row crosses, with both sides; as curves
/// of `strips` places.
pub(crate) fn column_borders(page: &Page, frame: &Frame, rows: &[Curve], strips: usize) -> Vec<Curve> {
    let width = page.image.width() as usize;
    let mut crossed = vec![0usize; width];
    for row in rows.windows(2) {
        for (x, crossed) in crossed.iter_mut().enumerate() {
            *crossed += usize::from(holds_ink(page, row, x));
        }
    }
    let free = |x: usize| crossed[x] as f32 <= CROSSED * (rows.len() - 1) as f32;
    let mut borders = vec![frame.left];
    let mut start = None;
    for x in frame.left.max(0.0) as usize..(frame.right as usize).min(width) {
        match (free(x), start) {
            (true, None) => start = Some(x),
            (false, Some(from)) => {
                if (x - from) as f32 > GAP * frame.pitch && from as f32 > frame.left + 2.0 {
                    borders.push((from + x) as f32 / 2.0);
                }
                start = None;
            }
            _ => {}
        }
    }
    borders.push(frame.right);
    borders.into_iter().map(|x| Curve { y: vec![x; strips] }).collect()
}

/// Whether a row, given by its upper and its lower border, holds ink at a place along it.
pub(crate) fn holds_ink(page: &Page, row: &[Curve], x: usize) -> bool {
    let (width, height) = (page.image.width() as usize, page.image.height() as usize);
    let (top, bottom) = (row[0].at(x as f32), row[1].at(x as f32));
    // The outer fifths hold what hangs over from the neighbours, and ruling lines.
    let [from, to] = [0.2, 0.8].map(|share| (top + share * (bottom - top)).clamp(0.0, height as f32) as usize);
    (from..to).any(|y| 255 - page.image.as_raw()[y * width + x] >= INK)
}

/// Whether a page is dark at `x` most of the way down a row given by its upper and lower border: little writing is, the
/// edge of a sheet is.
pub(crate) fn is_filled(page: &Page, row: &[Curve], x: usize) -> bool {
    let (width, height) = (page.image.width() as usize, page.image.height());
    let [from, to] = [&row[0], &row[1]].map(|border| border.at(x as f32).clamp(0.0, height as f32) as usize);
    let dark = (from..to).filter(|y| 255 - page.image.as_raw()[y * width + x] >= INK).count();
    to > from && dark as f32 >= FILLED * (to - from) as f32
}

/// The pairs of columns of writing on rows that are known; none if there are none.
pub(crate) fn pairs(page: &Page, grid: &Grid) -> Option<Vec<ColumnPair>> {
    let rows = grid.ruled_rows()?;
    let at = page.image.width() as f32 / 2.0;
    let (top, bottom) = (rows[0].at(at), rows[rows.len() - 1].at(at));
    let (left, right) = sides(page, top.max(0.0) as usize..bottom.clamp(0.0, page.image.height() as f32) as usize)?;
    let frame = Frame { left, right, top, bottom, pitch: grid.pitch, row_darkness: FAINT_LINE };
    let strips = grid.pairs[0].white.left.y.len();
    columns::pair(&column_borders(page, &frame, &rows, strips), grid.pitch, (top + bottom) / 2.0)
}

/// Moves the rows to where their numbers stand: print stands in the middle of its row, writing anywhere.
pub(crate) fn settle(page: &Page, grid: &mut Grid) {
    // For each column of numbers its middle and how far each row must be moved there.
    let moved: Vec<(f32, Vec<f32>)> = grid
        .pairs
        .iter()
        .filter_map(|pair| {
            let numbers = pair.numbers.as_ref()?;
            let offsets: Vec<Option<f32>> =
                grid.bands.iter().map(|band| off_middle(page, &grid.quad(band, numbers))).collect();
            if offsets.iter().flatten().count() < FEWEST_ROWS {
                return None;
            }
            let near = |row: usize| row.saturating_sub(NUMBERS)..(row + NUMBERS + 1).min(offsets.len());
            let smooth = |row: usize| {
                let mut around: Vec<f32> = offsets[near(row)].iter().flatten().copied().collect();
                around.sort_by(f32::total_cmp);
                around.get(around.len() / 2).copied().unwrap_or(0.0)
            };
            let (left, right) = numbers.at(grid.middle());
            Some(((left + right) / 2.0, (0..offsets.len()).map(smooth).collect()))
        })
        .collect();
    if moved.is_empty() {
        return;
    }
    let by = |row: usize, x: f32| {
        let next = moved.iter().position(|column| column.0 > x).unwrap_or(moved.len());
        match (next.checked_sub(1).map(|at| &moved[at]), moved.get(next)) {
            (Some(left), Some(right)) => {
                left.1[row] + (right.1[row] - left.1[row]) * (x - left.0) / (right.0 - left.0).max(1.0)
            }
            (Some(only), None) | (None, Some(only)) => only.1[row],
            (None, None) => 0.0,
        }
    };
    let last = grid.bands.len() - 1;
    let shifted = |line: &Curve, above: usize, below: usize| {
        let shift = |strip: usize| {
            let x = (strip as f32 + 0.5) * STRIP as f32;
            (by(above, x) + by(below, x)) / 2.0
        };
        Curve { y: line.y.iter().enumerate().map(|(strip, y)| y + shift(strip)).collect() }
    };
    for row in 0..=last {
        let (top, bottom) = (
            shifted(&grid.bands[row].top, row.saturating_sub(1), row),
            shifted(&grid.bands[row].bottom, row, (row + 1).min(last)),
        );
        (grid.bands[row].top, grid.bands[row].bottom) = (top, bottom);
    }
}

/// Rows above and below whose numbers say where a row lies.
const NUMBERS: usize = 4;

/// How far below the middle of a cell its ink stands, in pixels of the page; none where there is no ink.
fn off_middle(page: &Page, [tl, tr, br, bl]: &Quad) -> Option<f32> {
    let (top, bottom) = ((tl[1] + tr[1]) / 2.0, (bl[1] + br[1]) / 2.0);
    let (left, right) = (tl[0].max(bl[0]), tr[0].min(br[0]));
    // Clear of the column's borders.
    let inset = 0.12 * (right - left);
    let columns = (left + inset).max(0.0) as u32..(right - inset).clamp(0.0, page.image.width() as f32) as u32;
    let rows = top.max(0.0) as u32..bottom.clamp(0.0, page.image.height() as f32) as u32;
    let dark = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
    let (mut sum, mut count) = (0.0, 0);
    for (_, y) in dark.filter(|&(x, y)| 255 - page.image.get_pixel(x, y).0[0] >= INK) {
        sum += y as f32 + 0.5;
        count += 1;
    }
    (count >= FEWEST_DARK).then(|| sum / count as f32 - (top + bottom) / 2.0)
}

/// Dark pixels of the smallest number.
const FEWEST_DARK: u32 = 8;

/// What each height earns as a border of rows of the given pitch: up to 1 in a clear gap, -0.6 elsewhere.
fn gaps(profile: &[f32], pitch: f32) -> Vec<f32> {
    let half = (pitch / 2.0) as usize;
    let reach = ((pitch / 6.0) as usize).max(1);
    let mean = |y: usize| {
        let around = y.saturating_sub(reach)..(y + reach + 1).min(profile.len());
        profile[around.clone()].iter().sum::<f32>() / around.len() as f32
    };
    let smooth: Vec<f32> = (0..profile.len()).map(mean).collect();
    let at = |y: Option<usize>| y.and_then(|y| smooth.get(y)).copied().unwrap_or(0.0);
    // The first and the last row have ink on one side only.
    let contrast = |y: usize| 0.5 * (at(y.checked_sub(half)) + at(Some(y + half))) - smooth[y];
    let contrasts: Vec<f32> = (0..profile.len()).map(contrast).collect();
    let mut sorted = contrasts.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    // Where next to nothing is written, specks are no rows.
    let clearest = sorted[sorted.len() / 20].max(1.0);
    contrasts.iter().map(|c| (c / (CLEAR_GAP * clearest)).clamp(0.0, 1.0) * 1.6 - 0.6).collect()
}

/// Ink pixels by strip and height.
struct Ink {
    strips: usize,
    height: usize,
    counts: Vec<f32>,
}

impl Ink {
    fn new(page: &Page) -> Self {
        let (width, height) = (page.image.width() as usize, page.image.height() as usize);
        let strips = (width / STRIP).max(1);
        let mut counts = vec![0f32; strips * height];
        for (y, line) in page.image.as_raw().chunks_exact(width.max(1)).enumerate() {
            for (strip, run) in line.chunks(STRIP).take(strips).enumerate() {
                let dark = run.iter().filter(|&&pixel| 255 - pixel >= INK).count();
                // A printed bar or a picture is no writing.
                counts[strip * height + y] = if dark * 4 > STRIP * 3 { 0.0 } else { dark as f32 };
            }
        }
        Self { strips, height, counts }
    }

    /// The ink along lines of a slope, for each height at the page's middle.
    fn along(&self, slope: f32) -> Vec<f32> {
        let mut sums = vec![0f32; self.height];
        for strip in 0..self.strips {
            let shift = (slope * (strip as f32 + 0.5 - self.strips as f32 / 2.0) * STRIP as f32).round() as isize;
            for (y, sum) in sums.iter_mut().enumerate() {
                if let Some(at) = y.checked_add_signed(shift).filter(|&at| at < self.height) {
                    *sum += self.counts[strip * self.height + at];
                }
            }
        }
        sums
    }

    /// A map on which the gaps between rows of the given pitch look like ruling lines.
    fn gap_map(&self, pitch: f32) -> LineMap {
        // A strip holds a letter or two: its neighbours say where the row goes on.
        let near = |strip: usize| strip.saturating_sub(WIDE)..(strip + WIDE + 1).min(self.strips);
        let of = |strip: usize| {
            let sum = |y: usize| near(strip).map(|s| self.counts[s * self.height + y]).sum::<f32>();
            let profile: Vec<f32> = (0..self.height).map(sum).collect();
            gaps(&profile, pitch).into_iter().map(|reward| CLEAREST * ((reward + 0.6) / 1.6).max(0.0))
        };
        LineMap::of((0..self.strips).flat_map(of).collect(), self.strips)
    }

    /// Left and right end of the writing between two heights: the strips that hold a fair part of it.
    fn sides(&self, rows: std::ops::Range<usize>) -> Option<(f32, f32)> {
        let of = |strip: usize| self.counts[strip * self.height..][rows.clone()].iter().sum::<f32>();
        let sums: Vec<f32> = (0..self.strips).map(of).collect();
        let most = sums.iter().copied().fold(0.0, f32::max);
        let holds = |&strip: &usize| sums[strip] > 0.1 * most;
        let (first, last) = ((0..self.strips).find(holds)?, (0..self.strips).rfind(holds)?);
        Some((first as f32 * STRIP as f32, (last + 1) as f32 * STRIP as f32))
    }
}
