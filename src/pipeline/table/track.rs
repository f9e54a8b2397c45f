//! Ruling lines followed together across paper that bends: neighbouring lines bend alike, so that each is led by all.
//!
//! The slope field of a [`LineMap`] is a polynomial over the page and misses the curl of a corner. From the strip where
//! the lines show best they are followed outwards, strip by strip; each goes on as it went and is pulled onto the ink by
//! what the lines around it find.

use super::lines::{Curve, LineMap};
use std::ops::Range;

/// Lines above and below that have a say in where a line goes.
const AROUND: usize = 3;
/// Strips that are averaged: a letter on a line must not lead it astray.
const AHEAD: usize = 1;
/// Share of what is found by which a line is moved, and by which its slope is turned.
const GAIN: f32 = 0.8;
const TURN: f32 = 0.35;
/// How far off lines may be that were told by something else, in shares of the pitch, and how many lines above and below then
/// have a say.
const FAR: f32 = 0.48;
const MANY: usize = 6;
/// Largest step off the way, in shares of the pitch and in pixels: well within half a pitch.
const REACH: f32 = 0.2;
const FARTHEST: f32 = 8.0;
/// Likeliness that lines must gain by being followed: flat sheets gain a thousandth or two.
const BETTER: f32 = 0.004;
/// How often the lines are moved once they have been followed.
const SETTLINGS: usize = 2;

/// Follows lines (from top to bottom, with their pitch in pixels) across the strips of a map; none unless they then show
/// better over the strips of the table than where they are.
pub(crate) fn follow(map: &LineMap, lines: &[Curve], pitch: f32, table: Range<usize>, lax: bool) -> Option<Vec<Curve>> {
    let refined: Vec<Curve> = lines.iter().map(|line| map.refine(line, reach(pitch))).collect();
    let strips = map.strips();
    let clearness = |strip: usize| lines.iter().map(|line| map.likeliness(strip, line.y[strip])).sum::<f32>();
    let clear: Vec<f32> = (0..strips).map(clearness).collect();
    // The clearest place by its neighbourhood: one strip can be a heavy stroke.
    let around = |strip: usize| clear[strip.saturating_sub(2)..(strip + 3).min(strips)].iter().sum::<f32>();
    let start = (0..strips).max_by(|&a, &b| around(a).total_cmp(&around(b)))?;
    let mut followed: Vec<Curve> = lines.to_vec();
    march(map, lines, &mut followed, pitch, start, 1);
    march(map, lines, &mut followed, pitch, start, -1);
    settle_near(map, &mut followed, pitch);
    // The lines may go on beyond what was seen of the table, where they were lost.
    let settled: Vec<Curve> = match lax {
        true => followed.iter().map(|line| map.refine(line, reach(pitch))).collect(),
        false => followed.clone(),
    };
    let gained = map.shown(&settled, 0..strips) - map.shown(&refined, 0..strips);
    (gained * strips as f32 > BETTER * table.len() as f32).then_some(followed)
}

/// Follows lines across the strips of a map from where they pass the strip `start`.
pub(crate) fn follow_from(map: &LineMap, lines: &[Curve], pitch: f32, start: usize) -> Vec<Curve> {
    let mut followed = lines.to_vec();
    march(map, lines, &mut followed, pitch, start, 1);
    march(map, lines, &mut followed, pitch, start, -1);
    settle(map, &mut followed, pitch);
    followed
}

/// Moves lines that are nearly where they belong onto the ink.
pub(crate) fn settle_near(map: &LineMap, lines: &mut [Curve], pitch: f32) {
    for _ in 0..SETTLINGS {
        settle(map, lines, pitch);
    }
}

/// The same lines, each moved as a whole so that it passes a strip on the ink, which may be up to half a row off there.
pub(crate) fn moved_onto(map: &LineMap, lines: &[Curve], pitch: f32, strip: usize) -> Vec<Curve> {
    let found = offsets(lines.len(), FAR * pitch, MANY, |k, offset| map.likeliness(strip, lines[k].y[strip] + offset));
    let moved = |(line, offset): (&Curve, f32)| Curve { y: line.y.iter().map(|y| y + offset).collect() };
    lines.iter().zip(found).map(moved).collect()
}

/// How far from its guess a line is looked for, in pixels.
fn reach(pitch: f32) -> f32 {
    (REACH * pitch).min(FARTHEST)
}

/// Moves lines onto the ink near them, each strip as its neighbours to both sides.
fn settle(map: &LineMap, lines: &mut [Curve], pitch: f32) {
    let strips = map.strips();
    let reach = reach(pitch);
    let near = |strip: usize| strip.saturating_sub(AHEAD)..(strip + AHEAD + 1).min(strips);
    let found: Vec<Vec<f32>> = (0..strips)
        .map(|strip| {
            offsets(lines.len(), reach, AROUND, |k, offset| {
                let sum: f32 = near(strip).map(|s| map.likeliness(s, lines[k].y[s] + offset)).sum();
                sum / near(strip).len() as f32
            })
        })
        .collect();
    for (k, line) in lines.iter_mut().enumerate() {
        for (strip, y) in line.y.iter_mut().enumerate() {
            *y += near(strip).map(|s| found[s][k]).sum::<f32>() / near(strip).len() as f32;
        }
    }
}

/// Follows the lines from a strip to one side.
fn march(map: &LineMap, lines: &[Curve], followed: &mut [Curve], pitch: f32, start: usize, side: isize) {
    let reach = reach(pitch);
    let next = |strip: usize| strip.checked_add_signed(side).filter(|&s| s < map.strips());
    // Where each line goes beyond the slope field, in pixels a strip.
    let mut turned = vec![0f32; lines.len()];
    let mut strip = start;
    while let Some(to) = next(strip) {
        let field: Vec<f32> = lines.iter().map(|line| line.y[to] - line.y[strip]).collect();
        let guess: Vec<f32> = (0..lines.len()).map(|k| followed[k].y[strip] + field[k] + turned[k]).collect();
        let ahead: Vec<usize> = std::iter::successors(Some(to), |&s| next(s)).take(AHEAD + 1).collect();
        let found = offsets(lines.len(), reach, AROUND, |k, offset| {
            let step = |n: usize| (turned[k] + lines[k].y[ahead[n]] - lines[k].y[to]) * f32::from(n > 0);
            (0..ahead.len()).map(|n| map.likeliness(ahead[n], guess[k] + step(n) + offset)).sum::<f32>()
                / ahead.len() as f32
        });
        for (k, &offset) in found.iter().enumerate() {
            followed[k].y[to] = guess[k] + GAIN * offset;
            turned[k] = 0.97 * turned[k] + TURN * offset;
        }
        strip = to;
    }
}

/// For each line the offset at which it and its neighbours show best, 0 where nothing shows; `likeliness` is that of a
/// line at an offset from its guess.
fn offsets(lines: usize, reach: f32, around: usize, likeliness: impl Fn(usize, f32) -> f32) -> Vec<f32> {
    let steps = (2.0 * reach / STEP) as usize;
    let offset = |step: usize| step as f32 * STEP - reach;
    let own: Vec<Vec<f32>> =
        (0..lines).map(|line| (0..=steps).map(|step| likeliness(line, offset(step))).collect()).collect();
    let shared = |line: usize| {
        let near = line.saturating_sub(around)..(line + around + 1).min(lines);
        let weight = |other: usize| 1.0 / (1.0 + other.abs_diff(line) as f32);
        let total: f32 = near.clone().map(weight).sum();
        let score = |step: usize| {
            let sum: f32 = near.clone().map(|other| weight(other) * own[other][step]).sum();
            sum / total * (1.0 - 0.3 * (offset(step) / reach).powi(2))
        };
        let best = (0..=steps).map(|step| (step, score(step))).max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(0.0, |(step, score)| offset(step) * ((score - UNSEEN) / (SEEN - UNSEEN)).clamp(0.0, 1.0))
    };
    (0..lines).map(shared).collect()
}

/// Offsets are tried at this distance, in pixels.
const STEP: f32 = 0.5;
/// Likeliness up to which nothing is seen, and from which a line is.
const UNSEEN: f32 = 0.15;
const SEEN: f32 = 0.4;

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, Luma};

    #[test]
    fn lines_are_followed_round_a_curled_corner() {
        // Beyond two thirds of the width the paper rises ever more steeply, the more so the lower down: by more than a row.
        let line = |k: f32, x: f32| {
            let beyond = ((x - 800.0) / 400.0).max(0.0);
            60.0 + 30.0 * k - 45.0 * (k / 30.0) * beyond * beyond
        };
        let image = GrayImage::from_fn(1200, 1100, |x, y| {
            let dark = (0..=30).any(|k| (y as f32 - line(k as f32, x as f32)).abs() < 1.2);
            Luma([if dark { 110 } else { 250 }])
        });
        let map = LineMap::new(&image, 24);
        let flat: Vec<Curve> = (0..=30).map(|k| Curve { y: vec![line(k as f32, 0.0); map.strips()] }).collect();
        for (k, curve) in follow(&map, &flat, 30.0, 0..map.strips(), false).unwrap().iter().enumerate() {
            for x in [50.0, 600.0, 1000.0, 1150.0] {
                let (found, true_y) = (curve.at(x), line(k as f32, x));
                assert!((found - true_y).abs() < 3.0, "line {k} at {x}: {found} for {true_y}");
            }
        }
    }
}
