//! What separates the columns of a table from each other: ruling lines, broken lines, or the edges of shading.

use super::grid::ColumnPair;
use super::lines::{Curve, LineMap};
use super::ruled_rows::Frame;
use super::track;
use crate::pipeline::page::sampling::{pixel, sample};
use image::GrayImage;
use rayon::prelude::*;

/// What separates the columns of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Uprights {
    /// Ruling lines.
    Lines,
    /// Ruling lines that large writing hides in part.
    Hidden,
    /// Ruling lines with gaps: dots, dashes, boxes with round corners.
    Broken,
    /// Either kind beside each other: boxes with round corners, some of whose sides writing hides.
    Mixed,
    /// The edges of shaded columns.
    Shading,
}

/// Makes curves of the map run as the upright lines do, where the paper bends.
pub(crate) fn lead(map: &mut LineMap, frame: &Frame) {
    let lines: Vec<Curve> = peaks(map, frame, CLEAR).into_iter().map(|(x, _)| map.follow(x)).collect();
    let rows = map.strip_of(frame.top)..map.strip_of(frame.bottom) + 1;
    if let Some(followed) = track::follow(map, &lines, frame.pitch, rows, false).filter(|_| lines.len() > 2) {
        map.lead_by(followed);
    }
}

/// Where upright lines may stand, at the map's middle, and how high the peaks of the line map are there.
fn peaks(map: &LineMap, frame: &Frame, clear: f32) -> Vec<(f32, f32)> {
    let Frame { left, right, top, bottom, pitch, .. } = *frame;
    let profile = map.straightened(map.strip_of(top)..map.strip_of(bottom) + 1);
    let is_peak = |x: &usize| profile[x - 2..=x + 2].iter().all(|&v| v <= profile[*x]) && profile[*x] > clear;
    let inside = |x: &f32| {
        let at = map.follow(*x).at((top + bottom) / 2.0);
        at >= left - 1.5 * pitch && at <= right + 1.5 * pitch
    };
    let found = (2..profile.len().saturating_sub(2)).filter(is_peak).filter(|&x| inside(&(x as f32)));
    clearest(found.map(|x| (x as f32, profile[x])).collect())
}

/// The places of the clearest peaks, from left to right: at most [`MOST_PEAKS`] of them.
fn clearest(mut peaks: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    peaks.sort_by(|a, b| b.1.total_cmp(&a.1));
    peaks.truncate(MOST_PEAKS);
    peaks.sort_by(|a, b| a.0.total_cmp(&b.0));
    peaks
}

/// The borders of columns across the rows, from left to right, with the ends of the row lines where a border is missing.
pub(crate) fn find(image: &GrayImage, map: &LineMap, frame: &Frame, kind: Uprights) -> Vec<Curve> {
    if kind == Uprights::Shading {
        return shaded_edges(image, map, frame);
    }
    let clear = if kind == Uprights::Broken { BROKEN_CLEAR } else { CLEAR };
    let may_be_broken = matches!(kind, Uprights::Broken | Uprights::Mixed);
    let may_be_hidden = matches!(kind, Uprights::Hidden | Uprights::Mixed);
    let Frame { top, bottom, pitch, .. } = *frame;
    let middle = (top + bottom) / 2.0;
    let line = |&(x, height): &(f32, f32)| {
        let curve = map.refine(&map.follow(x), 5.0);
        let solid = solidity(image, &curve, frame, may_be_hidden);
        (solid >= if may_be_broken && height > BROKEN_CLEAR { BROKEN_SOLID } else { SOLID }).then_some((curve, solid))
    };
    let lines: Vec<Option<(Curve, f32)>> = peaks(map, frame, clear).par_iter().map(line).collect();
    let mut found: Vec<(Curve, f32)> = Vec::new();
    for (curve, solid) in lines.into_iter().flatten() {
        let at = curve.at(middle);
        match found.last_mut() {
            // Two peaks on one thick or double line.
            Some(last) if at - last.0.at(middle) < 0.35 * pitch => {
                if solid > last.1 {
                    *last = (curve, solid);
                }
            }
            _ => found.push((curve, solid)),
        }
    }
    with_ends(found.into_iter().map(|(curve, _)| curve).collect(), map, frame)
}

/// Whether the edge of the shading of the only pair of columns seems to be that of a shadow: it makes Black's column wider
/// than White's, with which the numbers may be.
pub(crate) fn is_shadow(kind: Uprights, pairs: &[ColumnPair], middle: f32) -> bool {
    matches!(pairs, [only] if kind == Uprights::Shading && only.black.width(middle) > SHADOW * only.white.width(middle))
}

/// How much wider than White's moves a column of Black's may be.
const SHADOW: f32 = 1.35;

/// Adds the ends of the row lines where no border is near them.
fn with_ends(mut lines: Vec<Curve>, map: &LineMap, frame: &Frame) -> Vec<Curve> {
    let Frame { left, right, top, bottom, pitch, .. } = *frame;
    let middle = (top + bottom) / 2.0;
    let parallel = |lines: &[Curve], x: f32| match lines
        .iter()
        .min_by(|a, b| (a.at(middle) - x).abs().total_cmp(&(b.at(middle) - x).abs()))
    {
        Some(near) => {
            let shift = x - near.at(middle);
            Curve { y: near.y.iter().map(|v| v + shift).collect() }
        }
        None => map.follow(x),
    };
    if lines.first().is_none_or(|first| first.at(middle) > left + 2.0 * pitch) {
        lines.insert(0, parallel(&lines, left));
    }
    if lines.last().is_none_or(|last| last.at(middle) < right - 2.0 * pitch) {
        lines.push(parallel(&lines, right));
    }
    lines
}

/// Places at which upright lines are looked for at most: of the forms with a box for every character none has as many
/// lines, hatching and noise have several hundred.
const MOST_PEAKS: usize = 120;
/// Least height of a peak of the line map, and share of a ruling line that must show as ink; a column of letters shows
/// gaps between its rows.
const CLEAR: f32 = 0.2;
const SOLID: f32 = 0.85;
/// The same for lines with gaps, which must stand out the more.
const BROKEN_CLEAR: f32 = 0.45;
const BROKEN_SOLID: f32 = 0.45;
/// Difference in grey between a shaded column and the paper beside it, and the share of an edge that must show it.
const SHADE: f32 = 12.0;
const SHADED: f32 = 0.75;
/// Share of the rows over which it must show: the chain may have taken in the header, which has columns of its own.
const REACHING: f32 = 0.6;

/// Share of the quarter-row pieces of an upright curve that are darker than the paper on both sides, over the best
/// stretch of [`REACHING`] of the rows. With `hidden` the pieces that writing covers have no say.
fn solidity(image: &GrayImage, curve: &Curve, frame: &Frame, hidden: bool) -> f32 {
    let (width, height) = (image.width() as isize, image.height() as isize);
    let piece = (frame.pitch / 4.0).max(3.0);
    let enough = (0.3 * frame.row_darkness).max(3.0);
    let pieces = ((frame.bottom - frame.top) / piece) as usize;
    let dark = |x: isize, from: isize, to: isize| -> f32 {
        let x = x.clamp(0, width - 1);
        let sum: f32 = (from..to).map(|y| 255.0 - f32::from(image.get_pixel(x as u32, y as u32).0[0])).sum();
        sum / (to - from).max(1) as f32
    };
    let beside = half_widths(image, curve, frame).map(|half| half + CLEAR_OF_LINE);
    let state = |k: usize| {
        let from = frame.top + k as f32 * piece;
        let centre = curve.at(from + piece / 2.0).round() as isize;
        let (from, to) = ((from as isize).clamp(0, height - 1), ((from + piece) as isize).clamp(1, height));
        let three = |x: isize| (dark(x - 1, from, to) + dark(x, from, to) + dark(x + 1, from, to)) / 3.0;
        let [left, right] = beside;
        let stands_out = |x: isize| three(x) - three(x - left).max(three(x + right));
        let covered = |x: isize| three(x) > WRITTEN && three(x - left).max(three(x + right)) > WRITTEN;
        if (-2..=2).any(|shift| stands_out(centre + shift) > enough) {
            Piece::Inked
        } else if hidden && (-2..=2).any(|shift| covered(centre + shift)) {
            Piece::Covered
        } else {
            Piece::Missing
        }
    };
    let states: Vec<Piece> = (0..pieces).map(state).collect();
    let stretch = ((pieces as f32 * REACHING) as usize).max(1);
    let share = |window: &[Piece]| {
        let count = |state: Piece| window.iter().filter(|&&s| s == state).count() as f32;
        let (inked, covered) = (count(Piece::Inked), count(Piece::Covered).min(window.len() as f32 * MOST_COVERED));
        inked / (window.len() as f32 - covered)
    };
    states.windows(stretch).map(share).fold(0.0, f32::max)
}

/// Half the width of an upright line to its left and to its right, in pixels: where it is half as dark as in its middle,
/// measured from the paper or shading on that side. At most [`WIDEST`].
fn half_widths(image: &GrayImage, curve: &Curve, frame: &Frame) -> [isize; 2] {
    // The median over the line, which writing beside it does not change.
    let dark = |dx: isize| -> f32 {
        let rows = (frame.top as usize..frame.bottom as usize).step_by(3).map(|y| y as f32);
        let mut values: Vec<f32> = rows.map(|y| 255.0 - sample(image, curve.at(y) + dx as f32, y)).collect();
        if values.is_empty() {
            return 0.0;
        }
        let middle = values.len() / 2;
        *values.select_nth_unstable_by(middle, f32::total_cmp).1
    };
    let profile: Vec<f32> = (-WIDEST - 2..=WIDEST + 2).map(dark).collect();
    let at = |x: isize| profile[(WIDEST + 2 + x) as usize];
    let peak = (-2..=2).map(at).fold(0.0, f32::max);
    let is_light = |side: isize| move |d: &isize| at(side * d) <= (peak + at(side * (WIDEST + 2)).min(peak)) / 2.0;
    let half = |side: isize| (1..=WIDEST).find(is_light(side)).unwrap_or(WIDEST);
    [half(-1), half(1)]
}

/// How far from the edge of a line the paper beside it is looked at, and half the width of the widest ruling line, in
/// pixels.
const CLEAR_OF_LINE: isize = 4;
const WIDEST: isize = 8;

/// What a piece of an upright line looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Inked,
    Covered,
    Missing,
}

/// Darkness (of 255) of a piece through which writing goes, and the largest share of a line that it may hide.
const WRITTEN: f32 = 40.0;
const MOST_COVERED: f32 = 0.3;

/// Edges of shaded columns: the paper on one side is darker than on the other in nearly every row.
fn shaded_edges(image: &GrayImage, map: &LineMap, frame: &Frame) -> Vec<Curve> {
    let Frame { left, right, top, bottom, pitch, .. } = *frame;
    let middle = (top + bottom) / 2.0;
    let (reach, pieces) = ((pitch / 5.0).max(4.0) as usize, (2.0 * (bottom - top) / pitch) as usize);
    let brightness = |curve: &Curve, y: f32, side: f32| -> f32 {
        let mut values: Vec<f32> = (2..2 + reach)
            .flat_map(|d| [-0.12, 0.0, 0.12].map(|dy| (side * d as f32, y + dy * pitch)))
            .filter_map(|(dx, y)| pixel(image, curve.at(y) + dx, y))
            .collect();
        // The paper shows between strokes: the brighter half.
        values.sort_by(f32::total_cmp);
        values.get(values.len() * 3 / 4).copied().unwrap_or(255.0)
    };
    let edge = |x: usize| {
        let curve = map.follow(x as f32);
        let mut steps: Vec<f32> = (0..pieces)
            .map(|k| {
                let y = top + (k as f32 + 0.5) * (bottom - top) / pieces as f32;
                brightness(&curve, y, 1.0) - brightness(&curve, y, -1.0)
            })
            .collect();
        steps.sort_by(f32::total_cmp);
        let at = |share: f32| steps.get((steps.len() as f32 * share) as usize).copied().unwrap_or(0.0);
        // The step that all but a few rows show, whichever way it goes.
        let step = at(1.0 - SHADED).max(-at(SHADED));
        (step >= SHADE).then_some((curve, step))
    };
    let places = (left.max(0.0) as usize..right.max(0.0) as usize + 1).into_par_iter();
    let stepped: Vec<Option<(Curve, f32)>> = places.step_by(2).map(edge).collect();
    let mut edges: Vec<(Curve, f32)> = Vec::new();
    for (curve, step) in stepped.into_iter().flatten() {
        // Where the light is evened, the shading fades slowly on its inner side: its edge is the steepest place.
        match edges.last_mut() {
            Some(last) if curve.at(middle) - last.0.at(middle) < 1.2 * pitch => {
                if step > last.1 {
                    *last = (curve, step);
                }
            }
            _ => edges.push((curve, step)),
        }
    }
    with_ends(edges.into_iter().map(|(curve, _)| curve).collect(), map, frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Luma, imageops};

    const WIDTH: u32 = 200;
    const HEIGHT: u32 = 400;

    /// How solid an upright line at 100 is, on a page whose greys are those of a row of pixels.
    fn solid(grey: impl Fn(f32) -> f32) -> f32 {
        let grey = GrayImage::from_fn(WIDTH, HEIGHT, |x, _| Luma([grey(x as f32 + 0.5) as u8]));
        let frame = Frame { left: 0.0, right: 200.0, top: 20.0, bottom: 380.0, pitch: 36.0, row_darkness: 60.0 };
        solidity(&grey, &Curve { y: vec![100.0; 10] }, &frame, false)
    }

    #[test]
    fn lines_with_gaps_stand_beside_whole_ones() {
        // A dark line at 100 of which more than half is missing, and a faint one at 300.
        let grey = GrayImage::from_fn(400, HEIGHT, |x, y| {
            let dark = match x {
                99..=101 if y % 36 < 16 => 60,
                299..=301 => 6,
                _ => 0,
            };
            Luma([240 - dark])
        });
        let frame = Frame { left: 80.0, right: 320.0, top: 20.0, bottom: 380.0, pitch: 36.0, row_darkness: 12.0 };
        let map = LineMap::new(&imageops::flip_horizontal(&imageops::rotate90(&grey)), 36);
        let places =
            |kind| -> Vec<f32> { find(&grey, &map, &frame, kind).iter().map(|line| line.at(200.0).round()).collect() };
        // Where none is found the ends of the rows stand for it.
        assert_eq!(places(Uprights::Broken), [100.0, 320.0]);
        assert_eq!(places(Uprights::Hidden), [80.0, 300.0]);
        assert_eq!(places(Uprights::Mixed), [100.0, 300.0]);
    }

    #[test]
    fn of_too_many_peaks_the_clearest_are_looked_at() {
        // Every third one is clearer.
        let peaks = |count: usize| (0..count).map(|x| (x as f32, if x % 3 == 0 { 0.9 } else { 0.3 })).collect();
        let places = |peaks| -> Vec<f32> { clearest(peaks).into_iter().map(|(x, _)| x).collect() };
        let few: Vec<f32> = (0..MOST_PEAKS).map(|x| x as f32).collect();
        assert_eq!(places(peaks(MOST_PEAKS)), few);
        let clear: Vec<f32> = few.iter().map(|x| 3.0 * x).collect();
        assert_eq!(places(peaks(3 * MOST_PEAKS)), clear);
    }

    #[test]
    fn blurred_lines_stand_out_from_the_paper_beside_their_edges() {
        let line = |x: f32, at: f32, blur: f32| 40.0 * (-((x - at) / blur).powi(2) / 2.0).exp();
        assert!(solid(|x| 240.0 - line(x, 100.0, 1.0)) > SOLID, "a thin line");
        assert!(solid(|x| 240.0 - line(x, 100.0, 5.0)) > SOLID, "a blurred line");
        assert!(solid(|x| 240.0 - line(x, 100.0, 1.0) - line(x, 109.0, 1.0)) > SOLID, "a double line");
        assert!(solid(|x| if x < 100.0 { 240.0 } else { 200.0 }) < SOLID, "the edge of a shaded column");
    }
}
