//! Ruling lines: long thin dark curves, nearly straight and nearly parallel, followed across the page.
//!
//! Everything here is written for lines that run from left to right; columns are found on the transposed page.
//! The page is cut into upright strips; each strip has a profile of "how much like a ruling line is this y".
//! The slope of the lines is a smooth field over the page, estimated from the shift between neighbouring strips;
//! along that field the strips are added up, so that a line shows even where writing hides parts of it.

use super::faint;
use crate::pipeline::page::fit::{RIDGE, TERMS, dot, least_squares, terms, weighted_median};
use image::GrayImage;

/// Width of a strip, in pixels of the page.
pub const STRIP: usize = 32;
/// Distance from a line's centre to the paper that it is compared with.
pub(crate) const CLEARANCE: usize = 5;
/// Largest slope of a line, in pixels per pixel.
const STEEPEST: f32 = 0.12;

/// A curve from left to right: `y` at the centre of each strip.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub y: Vec<f32>,
}

impl Curve {
    /// The curve along a page of so many pixels, each strip's height from the place of its middle.
    pub(crate) fn along(length: u32, at: impl Fn(f32) -> f32) -> Self {
        let strips = (length as usize / STRIP).max(1);
        Self { y: (0..strips).map(|strip| at((strip as f32 + 0.5) * STRIP as f32)).collect() }
    }

    /// The height of the curve at `x`, linear between strips and beyond them.
    pub fn at(&self, x: f32) -> f32 {
        let position = (x - STRIP as f32 / 2.0) / STRIP as f32;
        if self.y.len() < 2 {
            return self.y[0];
        }
        let low = (position.max(0.0) as usize).min(self.y.len() - 2);
        let share = position - low as f32;
        self.y[low] + (self.y[low + 1] - self.y[low]) * share
    }
}

/// Likeness to a ruling line for each strip and y of a page.
#[derive(Debug)]
pub struct LineMap {
    strips: usize,
    height: usize,
    /// `likeness[strip * height + y]`: how much darker (0 to 255) than the paper above and below.
    likeness: Vec<f32>,
    /// The same where writing counts for little, see [`faint`].
    under_writing: Option<Vec<f32>>,
    /// Coefficients of the slope field, see [`crate::pipeline::page::fit`].
    slope: [f32; TERMS],
    /// Lines that were followed across the page, from top to bottom: they lead better than the slope field.
    known: Vec<Curve>,
}

impl LineMap {
    /// Looks for lines from left to right in a page whose paper is white.
    ///
    /// Ink is averaged over `reach` pixels to both sides along the line: more than a stroke of handwriting is long.
    pub fn new(image: &GrayImage, reach: usize) -> Self {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let strips = (width / STRIP).max(1);
        Self { height, ..Self::of(likeness(image, strips, reach), strips) }
    }

    /// A map of what is given as `likeness[strip * height + y]`.
    pub(crate) fn of(likeness: Vec<f32>, strips: usize) -> Self {
        let height = likeness.len() / strips.max(1);
        let mut map = Self { strips, height, likeness, under_writing: None, slope: [0.0; TERMS], known: Vec::new() };
        map.slope = map.fit_slope(0..strips);
        map
    }

    /// Estimates the slope of the lines anew from some of the strips, so that what lies beside a table (the grain of
    /// the desk) has no say.
    pub fn focus(&mut self, strips: std::ops::Range<usize>) {
        self.slope = self.fit_slope(strips);
    }

    /// Looks again for the same lines where writing hides them; `darkness` is what they show (of 255) elsewhere.
    pub(crate) fn look_under_writing(&mut self, image: &GrayImage, darkness: f32) {
        self.under_writing = Some(faint::likeness(image, self.strips, (CAP * darkness).max(FAINTEST_CAP)));
    }

    /// From now on curves run as these lines do, from top to bottom.
    pub fn lead_by(&mut self, lines: Vec<Curve>) {
        self.known = lines;
    }

    fn profile(&self, strip: usize) -> &[f32] {
        &self.likeness[strip * self.height..(strip + 1) * self.height]
    }

    /// Estimates the slope field from the shifts between strips, by weighted least squares with two rounds of
    /// trimming.
    fn fit_slope(&self, strips: std::ops::Range<usize>) -> [f32; TERMS] {
        let window = (self.height / 16).max(24);
        // Two strips apart: the shift is then large enough to be measured to a tenth of a pixel.
        let apart = 2.min(self.strips - 1).max(1);
        let reach = (STEEPEST * (apart * STRIP) as f32).ceil() as isize;
        let mut samples = Vec::new();
        let ends = strips.end.min(self.strips).saturating_sub(apart);
        for strip in strips.start..ends {
            for centre in (window / 2..self.height.saturating_sub(window / 2)).step_by(window / 2) {
                let range = centre - window / 2..centre + window / 2;
                if let Some((shift, weight)) =
                    best_shift(self.profile(strip), self.profile(strip + apart), range, reach)
                {
                    let between = strip as f32 + 0.5 + apart as f32 / 2.0;
                    let place =
                        (2.0 * between / self.strips as f32 - 1.0, 2.0 * centre as f32 / self.height as f32 - 1.0);
                    samples.push((terms(place.0, place.1), shift / (apart * STRIP) as f32, weight));
                }
            }
        }
        let mut fitted = [0.0; TERMS];
        if samples.len() < 4 * TERMS {
            return fitted;
        }
        // A printed bar outweighs the lines around it no more than threefold.
        let mut weights: Vec<f32> = samples.iter().map(|s| s.2).collect();
        weights.sort_by(f32::total_cmp);
        let cap = 3.0 * weights[weights.len() * 3 / 4];
        samples.iter_mut().for_each(|s| s.2 = s.2.min(cap));
        // Start from the commonest slope, so that a table covering a part of the photo is not outvoted.
        fitted[0] = weighted_median(samples.iter().map(|s| (s.1, s.2)).collect());
        for tolerance in [0.04, 0.02, 0.012, 0.008] {
            let near: Vec<_> = samples.iter().filter(|s| (dot(&s.0, &fitted) - s.1).abs() < tolerance).collect();
            if near.len() < 3 * TERMS {
                break;
            }
            fitted = least_squares(near.iter().map(|s| (s.0, s.1, s.2)), RIDGE);
        }
        fitted
    }

    /// The curve that passes through `y` at the middle strip: along the slope field, or between the lines that lead.
    pub fn follow(&self, y: f32) -> Curve {
        let middle = self.strips / 2;
        if let [first, .., last] = &self.known[..] {
            let below = self.known.partition_point(|line| line.y[middle] < y);
            let (above, below) = match below {
                0 => (first, first),
                end if end == self.known.len() => (last, last),
                below => (&self.known[below - 1], &self.known[below]),
            };
            let gap = below.y[middle] - above.y[middle];
            let share = if gap > 0.0 { (y - above.y[middle]) / gap } else { 0.0 };
            let shift = if gap > 0.0 { 0.0 } else { y - above.y[middle] };
            return Curve { y: above.y.iter().zip(&below.y).map(|(a, b)| a + share * (b - a) + shift).collect() };
        }
        let mut curve = vec![y; self.strips];
        for strip in middle + 1..self.strips {
            curve[strip] = curve[strip - 1] + self.slope_at(strip as f32, curve[strip - 1]) * STRIP as f32;
        }
        for strip in (0..middle).rev() {
            curve[strip] = curve[strip + 1] - self.slope_at(strip as f32 + 1.0, curve[strip + 1]) * STRIP as f32;
        }
        Curve { y: curve }
    }

    /// The same through a point anywhere, in pixels.
    pub fn through(&self, [x, y]: [f32; 2]) -> Curve {
        let mut line = self.follow(y);
        for _ in 0..2 {
            line = self.follow(line.y[self.strips / 2] + y - line.at(x));
        }
        let off = y - line.at(x);
        Curve { y: line.y.iter().map(|y| y + off).collect() }
    }

    /// The slope at the border on the left of `strip`.
    fn slope_at(&self, strip: f32, y: f32) -> f32 {
        let place = terms(2.0 * strip / self.strips as f32 - 1.0, 2.0 * y / self.height as f32 - 1.0);
        dot(&place, &self.slope).clamp(-STEEPEST, STEEPEST)
    }

    /// Share of the strips in `range` that hold a line along the slope field, for each y at the middle strip.
    ///
    /// The share is soft (`v / (v + 8)` for a likeness of `v`): a faint line across the whole page counts for more
    /// than dark writing on a part of it.
    pub fn straightened(&self, range: std::ops::Range<usize>) -> Vec<f32> {
        let mut sums = vec![0f32; self.height];
        // Curves are followed every few pixels and interpolated between: neighbours are almost parallel.
        const STEP: usize = 8;
        let knots: Vec<Curve> = (0..=self.height / STEP + 1).map(|k| self.follow((k * STEP) as f32)).collect();
        for (y, sum) in sums.iter_mut().enumerate() {
            let (knot, share) = (y / STEP, (y % STEP) as f32 / STEP as f32);
            for strip in range.clone() {
                let here = knots[knot].y[strip] * (1.0 - share) + knots[knot + 1].y[strip] * share;
                *sum += self.likeliness(strip, here);
            }
            *sum /= range.len().max(1) as f32;
        }
        sums
    }

    /// How likely a line passes a strip at a height: half where it is [`HALF_SURE`] dark.
    pub(crate) fn likeliness(&self, strip: usize, y: f32) -> f32 {
        let value = self.value(strip, y);
        value / (value + HALF_SURE)
    }

    /// Mean likeliness of lines over the strips in `range`, 0 to 1: how well they lie on the ink.
    pub(crate) fn shown(&self, lines: &[Curve], range: std::ops::Range<usize>) -> f32 {
        let places = lines.iter().flat_map(|line| range.clone().map(move |strip| (strip, line.y[strip])));
        let (sum, count) =
            places.fold((0.0, 0), |(sum, count), (strip, y)| (sum + self.likeliness(strip, y), count + 1));
        sum / count.max(1) as f32
    }

    /// Likeness at a fractional y; outside of the page nothing is like a line.
    pub(crate) fn value(&self, strip: usize, y: f32) -> f32 {
        self.value_of(self.under_writing.as_ref().unwrap_or(&self.likeness), strip, y)
    }

    fn value_of(&self, likeness: &[f32], strip: usize, y: f32) -> f32 {
        if y < 0.0 || y >= (self.height - 1) as f32 {
            return 0.0;
        }
        let (at, share) = (strip * self.height + y as usize, y.fract());
        likeness[at] * (1.0 - share) + likeness[at + 1] * share
    }

    /// Pulls a curve onto the ink within `reach` pixels of it, smoothly.
    pub fn refine(&self, curve: &Curve, reach: f32) -> Curve {
        let mut offsets = Vec::with_capacity(self.strips);
        for (strip, &y) in curve.y.iter().enumerate() {
            let mut best = (0.0, 0.0);
            let mut offset = -reach;
            while offset <= reach {
                // Nearer is likelier: a line further off must be clearly darker.
                let value = self.value(strip, y + offset) * (1.0 - 0.3 * (offset / reach).powi(2));
                if value > best.0 {
                    best = (value, offset);
                }
                offset += 0.5;
            }
            offsets.push(best);
        }
        let found: Vec<bool> = offsets.iter().map(|&(value, _)| value > FAINTEST).collect();
        let smooth = (0..offsets.len()).map(|strip| {
            let around = strip.saturating_sub(3)..(strip + 4).min(offsets.len());
            let pairs: Vec<_> = around.filter(|&s| found[s]).map(|s| (offsets[s].1, offsets[s].0)).collect();
            if pairs.len() < 2 { 0.0 } else { weighted_median(pairs) }
        });
        Curve { y: curve.y.iter().zip(smooth).map(|(y, offset)| y + offset).collect() }
    }

    /// Median likeness along a curve over the strips in `range`: how dark the line is (0 to 255).
    pub fn darkness(&self, curve: &Curve, range: std::ops::Range<usize>) -> f32 {
        let mut values: Vec<f32> = range.map(|strip| self.value_of(&self.likeness, strip, curve.y[strip])).collect();
        if values.is_empty() {
            return 0.0;
        }
        let middle = values.len() / 2;
        *values.select_nth_unstable_by(middle, f32::total_cmp).1
    }

    /// Number of strips.
    pub fn strips(&self) -> usize {
        self.strips
    }

    /// The strip that holds `x`.
    pub fn strip_of(&self, x: f32) -> usize {
        ((x / STRIP as f32).max(0.0) as usize).min(self.strips - 1)
    }
}

/// Contrast up to which a stroke counts, against that of the ruling lines, and at least (of 255).
const CAP: f32 = 1.5;
const FAINTEST_CAP: f32 = 16.0;
/// Likeness below this (of 255) is noise of the paper.
const FAINTEST: f32 = 4.0;
/// Likeness (of 255) at which a line is as likely as not.
const HALF_SURE: f32 = 8.0;

/// For each strip and y: how much darker the mean of three rows of pixels is than the paper above and below,
/// taken along runs of `2 * reach + 1` pixels around the middle of the strip.
fn likeness(image: &GrayImage, strips: usize, reach: usize) -> Vec<f32> {
    let (width, height) = (image.width() as usize, image.height() as usize);
    // Darkness averaged along x around each strip's centre.
    let mut dark = vec![0f32; strips * height];
    for y in 0..height {
        let row = &image.as_raw()[y * width..(y + 1) * width];
        for strip in 0..strips {
            let centre = strip * STRIP + STRIP / 2;
            let run = &row[centre.saturating_sub(reach)..(centre + reach + 1).min(width)];
            let sum: u32 = run.iter().map(|&p| 255 - u32::from(p)).sum();
            dark[strip * height + y] = sum as f32 / run.len() as f32;
        }
    }
    let mut out = vec![0f32; strips * height];
    for strip in 0..strips {
        let dark = &dark[strip * height..(strip + 1) * height];
        let three = |y: usize| (dark[y - 1] + dark[y] + dark[y + 1]) / 3.0;
        for y in CLEARANCE + 1..height.saturating_sub(CLEARANCE + 1) {
            let beside = three(y - CLEARANCE).max(three(y + CLEARANCE));
            out[strip * height + y] = (three(y) - beside).max(0.0);
        }
    }
    out
}

/// The shift that lays profile `b` over profile `a` in a window, with a weight for how sure it is.
fn best_shift(a: &[f32], b: &[f32], window: std::ops::Range<usize>, reach: isize) -> Option<(f32, f32)> {
    let energy: f32 = a[window.clone()].iter().map(|v| v * v).sum();
    if energy < FAINTEST * FAINTEST * window.len() as f32 / 8.0 {
        return None;
    }
    let score = |shift: isize| -> f32 {
        window
            .clone()
            .map(|y| {
                let other = y as isize + shift;
                if other < 0 || other as usize >= b.len() { 0.0 } else { a[y] * b[other as usize] }
            })
            .sum()
    };
    let scores: Vec<f32> = (-reach..=reach).map(score).collect();
    let best = (0..scores.len()).max_by(|&i, &j| scores[i].total_cmp(&scores[j]))?;
    if best == 0 || best + 1 == scores.len() || scores[best] < 0.3 * energy {
        return None;
    }
    // The top of a parabola through three points.
    let (l, m, r) = (scores[best - 1], scores[best], scores[best + 1]);
    let curvature = l - 2.0 * m + r;
    let top = if curvature < 0.0 { 0.5 * (l - r) / curvature } else { 0.0 };
    Some((best as f32 - reach as f32 + top, scores[best]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruled(line: impl Fn(f32, f32) -> f32) -> GrayImage {
        GrayImage::from_fn(800, 900, |x, y| {
            let dark = (0..20).any(|k| (y as f32 - line(k as f32, x as f32)).abs() < 1.2);
            image::Luma([if dark { 90 } else { 250 }])
        })
    }

    #[test]
    fn lines_are_followed_along_slope_and_bend() {
        let line = |k: f32, x: f32| 60.0 + 40.0 * k + 0.03 * x + 12.0 * ((x - 400.0) / 400.0).powi(2);
        let map = LineMap::new(&ruled(line), 24);
        for k in [2.0, 10.0, 17.0] {
            let middle = (map.strips() / 2) as f32 * 32.0 + 16.0;
            let curve = map.refine(&map.follow(line(k, middle)), 6.0);
            for x in [50.0, 200.0, 600.0, 750.0] {
                assert!((curve.at(x) - line(k, x)).abs() < 1.5, "line {k} at {x}: {} for {}", curve.at(x), line(k, x));
            }
        }
    }

    #[test]
    fn a_straightened_page_peaks_at_its_lines() {
        let map = LineMap::new(&ruled(|k, x| 60.0 + 40.0 * k - 0.02 * x), 24);
        let profile = map.straightened(0..map.strips());
        let middle = (map.strips() / 2) as f32 * 32.0 + 16.0;
        let on = profile[(60.0 + 40.0 * 5.0 - 0.02 * middle).round() as usize];
        let between = profile[(80.0 + 40.0 * 5.0 - 0.02 * middle).round() as usize];
        assert!(on > 0.8 && between < 0.1, "{on} {between}");
    }
}
