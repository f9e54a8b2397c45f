//! Lines of writing, and the signs in each of them from left to right.

use crate::pipeline::page::shapes::Shape;
use crate::pipeline::table::listed::words::{Word, Writing};
use crate::pipeline::table::spacing::median;
use std::collections::BTreeMap;

/// How far a word may stand above or below the words before it in its line, in heights of a letter.
const OFF_LINE: f32 = 0.75;
/// Letters near a word that tell how high a line is, and how often the lines are settled.
const NEAREST: usize = 8;
const ROUNDS: usize = 3;
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

/// What is written in a line.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// From left to right.
    pub signs: Vec<Sign>,
    pub letters: Vec<Shape>,
}

/// The lines from the top of the page down; they fall to the right by `slope`, in pixels per pixel.
pub(super) fn lines(writing: &Writing, words: &[Word], slope: f32) -> Vec<Line> {
    let mut sorted: Vec<&Word> = words.iter().collect();
    sorted.sort_by(|a, b| a.left.total_cmp(&b.left));
    let furthest = OFF_LINE * writing.height;
    let mut lines: Vec<Vec<Letter>> = Vec::new();
    for word in &sorted {
        let off = |line: &Vec<Letter>| off(line, word, slope);
        match lines.iter_mut().min_by(|a, b| off(a).total_cmp(&off(b))) {
            Some(line) if off(line) < furthest => line.extend(letters(word, slope)),
            _ => lines.push(letters(word, slope).collect()),
        }
    }
    // Once all lines are known, some words are nearer to another one.
    for _ in 0..ROUNDS {
        let mut settled = vec![Vec::new(); lines.len()];
        for word in &sorted {
            let off = |line: usize| {
                let others = lines[line].iter().filter(|letter| !word.letters.contains(&letter.shape)).copied();
                off(&others.collect::<Vec<_>>(), word, slope)
            };
            let nearest = (0..lines.len()).min_by(|&a, &b| off(a).total_cmp(&off(b))).unwrap_or(0);
            let own =
                (0..lines.len()).find(|&line| lines[line].iter().any(|letter| word.letters.contains(&letter.shape)));
            let line = if off(nearest) < furthest { nearest } else { own.unwrap_or(nearest) };
            settled[line].extend(letters(word, slope));
        }
        lines = settled;
        lines.retain(|line| !line.is_empty());
    }
    for &dash in &writing.dashes {
        let word = Word {
            left: dash.left as f32,
            right: dash.right as f32,
            y: (dash.top + dash.bottom) as f32 / 2.0,
            letters: vec![dash],
        };
        let off = |line: &Vec<Letter>| off(line, &word, slope);
        let nearest = lines.iter_mut().min_by(|a, b| off(a).total_cmp(&off(b)));
        if let Some(line) = nearest.filter(|line| off(line) < furthest) {
            line.extend(letters(&word, slope));
        }
    }
    lines.sort_by(|a, b| level(a).total_cmp(&level(b)));
    let line = |letters: Vec<Letter>| Line {
        letters: letters.iter().map(|letter| letter.shape).collect(),
        signs: signs(letters, slope),
    };
    lines.into_iter().map(line).collect()
}

/// A letter and how high it stands, the slope of the lines apart.
#[derive(Debug, Clone, Copy)]
struct Letter {
    shape: Shape,
    x: f32,
    level: f32,
}

fn letters(word: &Word, slope: f32) -> impl Iterator<Item = Letter> {
    word.letters.iter().map(move |&shape| {
        let x = (shape.left + shape.right) as f32 / 2.0;
        Letter { shape, x, level: (shape.top + shape.bottom) as f32 / 2.0 - slope * x }
    })
}

fn level(letters: &[Letter]) -> f32 {
    median(letters.iter().map(|letter| letter.level))
}

/// How far a word stands above or below the letters of a line that are nearest to it.
fn off(line: &[Letter], word: &Word, slope: f32) -> f32 {
    let x = (word.left + word.right) / 2.0;
    let mut near = line.to_vec();
    near.sort_by(|a, b| (a.x - x).abs().total_cmp(&(b.x - x).abs()));
    near.truncate(NEAREST);
    if near.is_empty() {
        f32::INFINITY
    } else {
        (level(&near) - level(&letters(word, slope).collect::<Vec<_>>())).abs()
    }
}

/// The signs of the letters of a line.
fn signs(mut letters: Vec<Letter>, slope: f32) -> Vec<Sign> {
    letters.sort_by_key(|letter| letter.shape.left);
    let mut signs: Vec<Sign> = Vec::new();
    for Letter { shape, level: y, .. } in letters {
        let (left, right) = (shape.left as f32, shape.right as f32);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::page::Page;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::listed::Unruled;
    use image::{GrayImage, Luma};

    /// Paper with letters of 12 by 24 pixels, four words of three in each of eight lines 50 pixels apart, which fall to the
    /// right by a twentieth; every other word has a dash in it.
    fn writing() -> Writing {
        let mut grey = GrayImage::from_pixel(900, 700, Luma([250]));
        let mut ink = |left: u32, top: u32, wide: u32, tall: u32| {
            for (x, y) in (left..left + wide).flat_map(|x| (top..top + tall).map(move |y| (x, y))) {
                grey.put_pixel(x, y, Luma([40]));
            }
        };
        for (line, word) in (0..8).flat_map(|line| (0..4).map(move |word| (line, word))) {
            for letter in 0..3 {
                let x = 100 + 170 * word + 34 * letter + 7 * (line % 3);
                // A hand goes up and down.
                let y = 100 + 50 * line + x / 20 + (word + letter + line) % 5;
                ink(x, y, 12, 24);
                if letter == 0 && word % 2 == 0 {
                    ink(x + 18, y + 12, 9, 3);
                }
            }
        }
        let page = Page::new(&Photo { file: String::new(), grey }, 0);
        Writing::new(Unruled::new(&page)).unwrap()
    }

    #[test]
    fn letters_stand_in_lines_that_fall() {
        let writing = writing();
        let words = writing.words();
        let slope = slope(&words, writing.height);
        assert!((slope - 0.05).abs() < 0.01, "{slope}");
        let lines = lines(&writing, &words, slope);
        let signs: Vec<usize> = lines.iter().map(|line| line.signs.len()).collect();
        assert_eq!(signs, [14; 8], "twelve letters and two dashes each");
        let starts: Vec<f32> = lines.iter().map(|line| line.signs[0].y).collect();
        assert!(starts.windows(2).all(|two| (two[1] - two[0] - 50.0).abs() < 6.0), "{starts:?}");
    }
}
