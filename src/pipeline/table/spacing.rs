//! Evenly spaced ruling lines: the longest chain of them at one pitch, and how far they reach.

use super::lines::{Curve, LineMap, STRIP};
use crate::pipeline::page::sampling::pixel;
use image::GrayImage;
use std::ops::Range;

/// Fewest rows and the narrowest pitch (pixels of the page) that make a table of moves.
pub(crate) const FEWEST_ROWS: usize = 8;
const NARROWEST_PITCH: f32 = 14.0;

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

/// The chain of heights at about one pitch that earns most, and what it earns.
pub(crate) fn chain_at(reward: &[f32], pitch: f32) -> (f32, Vec<f32>) {
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

/// The best chain of ruling lines (its pitch in pixels of the page, and the curve of each line), looking at the given
/// strips and heights.
///
/// # Errors
/// Says in words that there are too few lines.
pub(crate) fn find_rows(map: &LineMap, strips: Range<usize>, heights: Range<f32>) -> Result<(f32, Vec<Curve>), String> {
    let mut profile = map.straightened(strips);
    for (y, value) in profile.iter_mut().enumerate() {
        if !heights.contains(&(y as f32)) {
            *value = 0.0;
        }
    }
    let chain = longest_chain(&profile);
    if chain.ys.len() <= FEWEST_ROWS {
        return Err("fewer than eight evenly spaced rows".to_owned());
    }
    let reach = (chain.pitch * 0.2).clamp(3.0, 8.0);
    let curves = chain.ys.iter().map(|&y| map.refine(&map.follow(y), reach)).collect();
    Ok((chain.pitch, curves))
}

/// Lines above and below by which a line is judged, and how far off them it may lie, in shares of the pitch.
const AROUND: usize = 5;
const UNEVEN: f32 = 0.2;

/// The same lines, put back between their neighbours where they were led astray, by writing or by a fold.
pub(crate) fn evened(lines: &[Curve], pitch: f32) -> Vec<Curve> {
    let even = |line: usize, strip: usize| {
        let near = line.saturating_sub(AROUND)..(line + AROUND + 1).min(lines.len());
        let others: Vec<usize> = near.filter(|&other| other != line).collect();
        let y = |line: usize| lines[line].y[strip];
        let pairs = others.iter().enumerate().flat_map(|(i, &a)| others[i + 1..].iter().map(move |&b| (a, b)));
        let step = median(pairs.map(|(a, b)| (y(b) - y(a)) / (b - a) as f32));
        let expected = median(others.iter().map(|&other| y(other) + step * (line as f32 - other as f32)));
        if (y(line) - expected).abs() > UNEVEN * pitch { expected } else { y(line) }
    };
    (0..lines.len())
        .map(|line| Curve { y: (0..lines[line].y.len()).map(|strip| even(line, strip)).collect() })
        .collect()
}

/// The middle one of values, the upper of two.
pub(crate) fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut sorted: Vec<f32> = values.collect();
    sorted.sort_by(f32::total_cmp);
    sorted[sorted.len() / 2]
}

/// Left and right end of the table, and the darkness of its lines: the longest stretch of strips in which most rows
/// are ruled.
pub(crate) fn extent(map: &LineMap, rows: &[Curve]) -> (f32, f32, f32) {
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

/// Where the rows' lines end to the left or right of `from` (one of the ends that [`extent`] finds to a strip), to
/// [`STEP`] pixels; `outwards` is 1 or -1 and `darkness` that of the lines.
pub(crate) fn end(image: &GrayImage, rows: &[Curve], from: f32, outwards: f32, darkness: f32) -> f32 {
    let dark_at = |x: f32, y: f32| pixel(image, x, y).map_or(0.0, |grey| 255.0 - grey);
    let dark = |x: f32, y: f32| (0..STEP).map(|d| dark_at(x + d as f32, y)).sum::<f32>() / STEP as f32;
    let is_inked = |row: &&Curve, x: f32| {
        let y = row.at(x);
        let line = (-2..=2).map(|d| dark(x, y + d as f32)).fold(0.0, f32::max);
        line - dark(x, y - BESIDE).max(dark(x, y + BESIDE)) > 0.5 * darkness
    };
    let steps = 3 * STRIP / STEP;
    let at = |step: usize| from + outwards * (step as f32 * STEP as f32 - 1.5 * STRIP as f32);
    let ruled = |&step: &usize| 2 * rows.iter().filter(|row| is_inked(row, at(step))).count() > rows.len();
    (0..=steps)
        .rev()
        .find(|step| ruled(step) && step.checked_sub(1).is_some_and(|before| ruled(&before)))
        .map_or(from, at)
}

/// Steps in which the end of the lines is looked for, and distance of the paper that they are compared with, in pixels.
const STEP: usize = 4;
const BESIDE: f32 = 6.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_led_astray_goes_back_between_its_neighbours() {
        // Rows that get a little higher downwards, on paper that rises to the right.
        let line = |k: usize, strip: usize| 100.0 + 30.0 * k as f32 + 0.1 * (k * k) as f32 - 2.0 * strip as f32;
        let lines: Vec<Curve> = (0..20).map(|k| Curve { y: (0..12).map(|strip| line(k, strip)).collect() }).collect();
        assert_eq!(evened(&lines, 30.0), lines);
        let mut astray = lines.clone();
        for strip in 4..8 {
            astray[0].y[strip] += 25.0;
            astray[9].y[strip] -= 14.0;
        }
        for (k, (even, line)) in evened(&astray, 30.0).iter().zip(&lines).enumerate() {
            let off = even.y.iter().zip(&line.y).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 3.0, "line {k} is {off} off");
        }
    }
}
