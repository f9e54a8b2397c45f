//! Words at whose left there is room, read: each may be the number of a row.

use super::words::{Word, Writing};
use crate::error::Result;
use crate::pipeline::cells::Crop;
use crate::pipeline::numbers::anchor;
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::table::grid::{Band, Column};
use crate::pipeline::table::lines::Curve;
use crate::reading::Reading;
use rayon::prelude::*;

/// Largest number.
pub(super) const LARGEST: usize = anchor::LARGEST as usize;
/// What a number says that begins its word (natural logarithm): its move may stand close behind it.
const LEADING: f32 = 2.0;
/// Room at the left of a number, and its greatest width, in heights of a letter.
const ROOM: f32 = 0.5;
pub(super) const NUMBER: f32 = 3.2;
/// Width of a digit, perhaps with a full stop; its distance from the next at most, and how much higher or lower it stands, in
/// heights of a letter.
const DIGIT: f32 = 1.5;
const SPACED: f32 = 1.3;
const LEVEL: f32 = 0.5;
/// How far words stand off each other that are written in one row, in heights of a letter.
const BESIDE: f32 = 0.7;
/// Words that may be numbers: more are the grain of something else.
const MOST_STARTS: usize = 500;
/// What is shown of a number: above and below its middle, at its left, and at its right where a full stop may stand, in heights
/// of a letter.
const SHOWN: f32 = 0.75;
const AT_LEFT: f32 = 0.7;
const AT_RIGHT: f32 = 0.9;

/// A word at whose left there is room, and for each number how much likelier than the average one it is what is written there
/// (natural logarithm).
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub left: f32,
    pub y: f32,
    pub says: Vec<f32>,
}

/// The words that may be numbers, read.
pub(super) fn starts(writing: &Writing, words: &[Word], recogniser: &dyn Recogniser) -> Result<Vec<Start>> {
    let height = writing.height;
    let has_room = |word: &&Word| {
        let beside = |other: &Word| {
            (other.y - word.y).abs() < BESIDE * height
                && other.left < word.left
                && other.right > word.left - ROOM * height
        };
        !words.iter().any(|other| !std::ptr::eq(other, *word) && beside(other))
    };
    let starts: Vec<&Word> = words.iter().filter(has_room).collect();
    if starts.len() > MOST_STARTS {
        return Ok(Vec::new());
    }
    let ways: Vec<(usize, f32)> = starts
        .iter()
        .enumerate()
        .flat_map(|(at, word)| {
            let alone = word.right.min(word.left + NUMBER * height);
            let spaced = second_digit(word, words, height);
            [Some(alone), spaced].into_iter().flatten().map(move |end| (at, end))
        })
        .collect();
    let crops: Vec<Crop> = ways.par_iter().map(|&(at, end)| shown(&writing.page, starts[at], end, height)).collect();
    let readings = recogniser.read(&crops.iter().collect::<Vec<_>>())?;
    let spelled = anchor::spellings(recogniser.alphabet());
    let says = |reading: &Reading| {
        let mut says = anchor::row_evidence(reading, &spelled);
        let text = reading.best_path(recogniser.alphabet()).0;
        if let Some(value) = leading_number(&text) {
            says[value] = says[value].max(LEADING);
        }
        says
    };
    let read: Vec<Vec<f32>> = readings.par_iter().map(says).collect();
    let mut out: Vec<Start> = Vec::new();
    for (&(at, _), says) in ways.iter().zip(read) {
        match out.get_mut(at) {
            Some(start) => start.says.iter_mut().zip(says).for_each(|(most, says)| *most = most.max(says)),
            None => out.push(Start { left: starts[at].left, y: starts[at].y, says }),
        }
    }
    Ok(out)
}

/// Where a number ends of which a word is the first digit and the next word the second, as hands write them that space their
/// signs.
fn second_digit(word: &Word, words: &[Word], height: f32) -> Option<f32> {
    let next = words.iter().filter(|next| {
        (next.y - word.y).abs() < LEVEL * height
            && is_second_digit([word.left, word.right], [next.left, next.right], height)
    });
    next.map(|next| next.right).min_by(f32::total_cmp)
}

/// Whether two words, from side to side, may be the two digits of a number.
pub(super) fn is_second_digit([left, right]: [f32; 2], [next, end]: [f32; 2], height: f32) -> bool {
    right - left < DIGIT * height && end - next < DIGIT * height && (0.0..SPACED * height).contains(&(next - right))
}

/// A word as a cell, up to a place.
fn shown(page: &Page, word: &Word, end: f32, height: f32) -> Crop {
    let across = |y: f32| Curve::along(page.image.width(), |_| y);
    let down = |x: f32| Curve::along(page.image.height(), |_| x);
    let band = Band { top: across(word.y - SHOWN * height), bottom: across(word.y + SHOWN * height), ruled: true };
    let (left, right) = (down(word.left - AT_LEFT * height), down(end + AT_RIGHT * height));
    Crop::cut(page, &band, &Column { left, right, inner: Vec::new() })
}

/// The number with which a text begins.
fn leading_number(text: &str) -> Option<usize> {
    let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == 'O').collect();
    let value = digits.replace('O', "0").parse().ok()?;
    (digits.len() <= 3 && (1..=LARGEST).contains(&value) && !digits.starts_with('O')).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_begin_a_text() {
        assert_eq!(
            ["12.", "3Nf3", "1O)", "O-O", "e4", "", "0"].map(leading_number),
            [Some(12), Some(3), Some(10), None, None, None, None]
        );
    }
}
