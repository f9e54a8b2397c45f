//! Lines of writing, and the signs in each of them from left to right.

use crate::pipeline::page::shapes::Shape;
use crate::pipeline::table::listed::words::{Word, Writing};
use crate::pipeline::table::spacing::median;
use std::collections::BTreeMap;

/// How far a word may stand above or below the words before it in its line, in heights of a letter.
const OFF_LINE: f32 = 0.75;
/// How far a word may begin before the end of the one before it, in heights of a letter.
const OVER: f32 = 0.4;
/// Letters before another one that tell how high its line is.
const BEFORE: usize = 8;
/// Signs around another one that tell the same.
const AROUND: usize = 5;
/// Share of the narrower of two strokes that lies above or below the other one where both are of one sign.
const COMMON: f32 = 0.5;

/// Slopes that are tried, in pixels per pixel, and the heights that count as one, in heights of a letter.
const STEEPEST: f32 = 0.16;
const SLOPE_STEP: f32 = 0.004;
const LEVEL: f32 = 0.3;

/// Strokes that stand one above the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sign {
    pub left: f32,
    pub right: f32,
    /// The middle of the line there.
    pub y: f32,
}

/// How much the lines fall to the right, in pixels per pixel: so that the letters stand at as few heights as can be.
pub(super) fn slope(words: &[Word], height: f32) -> f32 {
    let letters: Vec<[f32; 2]> = words
        .iter()
        .flat_map(|word| &word.letters)
        .map(|letter| [(letter.left + letter.right) as f32 / 2.0, (letter.top + letter.bottom) as f32 / 2.0])
        .collect();
    let heights = |slope: f32| -> f32 {
        let mut counts: BTreeMap<i32, f32> = BTreeMap::new();
        for [x, y] in &letters {
            // Each counts for the two nearest heights, as it is near them.
            let level = (y - slope * x) / (LEVEL * height);
            let share = level - level.floor();
            *counts.entry(level.floor() as i32).or_default() += 1.0 - share;
            *counts.entry(level.floor() as i32 + 1).or_default() += share;
        }
        counts.values().map(|count| count * count).sum()
    };
    let steps = (STEEPEST / SLOPE_STEP) as i32;
    let slopes = (-steps..=steps).map(|step| step as f32 * SLOPE_STEP);
    slopes.max_by(|&a, &b| heights(a).total_cmp(&heights(b))).unwrap_or(0.0)
}

/// The signs of each line, from the top of the page down; lines fall to the right by `slope`, in pixels per pixel.
pub(super) fn lines(writing: &Writing, words: &[Word], slope: f32) -> Vec<Vec<Sign>> {
    let mut sorted: Vec<&Word> = words.iter().collect();
    sorted.sort_by(|a, b| a.left.total_cmp(&b.left));
    let level =
        |letter: &Shape| (letter.top + letter.bottom) as f32 / 2.0 - slope * (letter.left + letter.right) as f32 / 2.0;
    let mut lines: Vec<Vec<Shape>> = Vec::new();
    for word in sorted {
        let here = median(word.letters.iter().map(level));
        let off = |line: &Vec<Shape>| (median(line.iter().rev().take(BEFORE).map(level)) - here).abs();
        let ends_before =
            |line: &&mut Vec<Shape>| line.iter().all(|letter| letter.right as f32 <= word.left + OVER * writing.height);
        match lines.iter_mut().filter(ends_before).min_by(|a, b| off(a).total_cmp(&off(b))) {
            Some(line) if off(line) < OFF_LINE * writing.height => line.extend(&word.letters),
            _ => lines.push(word.letters.clone()),
        }
    }
    lines.sort_by(|a, b| median(a.iter().map(level)).total_cmp(&median(b.iter().map(level))));
    lines.into_iter().map(|line| signs(line, slope)).collect()
}

/// The signs of the letters of a line.
fn signs(mut letters: Vec<Shape>, slope: f32) -> Vec<Sign> {
    letters.sort_by_key(|letter| letter.left);
    let mut signs: Vec<Sign> = Vec::new();
    for letter in letters {
        let (left, right) = (letter.left as f32, letter.right as f32);
        let y = (letter.top + letter.bottom) as f32 / 2.0 - slope * (left + right) / 2.0;
        match signs.last_mut() {
            Some(last) if last.right - left > COMMON * (right - left).min(last.right - last.left) => {
                *last = Sign { left: last.left, right: last.right.max(right), y: (last.y + y) / 2.0 };
            }
            _ => signs.push(Sign { left, right, y }),
        }
    }
    let level = |at: usize| {
        let near = &signs[at.saturating_sub(AROUND)..(at + AROUND + 1).min(signs.len())];
        median(near.iter().map(|sign| sign.y)) + slope * (signs[at].left + signs[at].right) / 2.0
    };
    (0..signs.len()).map(|at| Sign { y: level(at), ..signs[at] }).collect()
}
