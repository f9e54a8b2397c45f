//! Words at whose left there is room, read: each may be the number of a row.

use super::words::{Word, Writing};
use crate::error::Result;
use crate::pipeline::cells::Crop;
use crate::pipeline::numbers::anchor;
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::table::grid::{Band, Column};
use crate::pipeline::table::lines::Curve;
use crate::reading::{Alphabet, Reading};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Largest number.
pub(super) const LARGEST: usize = anchor::LARGEST as usize;
/// What a number says that begins its word (natural logarithm): its move may stand close behind it.
const LEADING: f32 = 2.0;
/// What the first letters of a word say at most, which may be a number close before its move; and how many these are at most.
const JOINED: f32 = 3.0;
const FIRST_LETTERS: usize = 3;
/// Likelihood from which a word surely begins as it reads.
const SURELY: f32 = 0.5;
/// Width of what must stand behind them, in heights of a letter: no move is shorter, and a sign of the number is.
const BEHIND: f32 = 1.0;
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
    /// What the whole word says alone.
    pub whole: Vec<f32>,
    /// For each number where it ends, if more of the word stands close behind it.
    pub ends: Vec<Option<f32>>,
}

impl Start {
    /// A word that was shown in some ways.
    fn new(word: &Word, seen: &[Seen]) -> Self {
        let nothing = vec![f32::NEG_INFINITY; LARGEST + 1];
        let mut start =
            Self { left: word.left, y: word.y, says: nothing.clone(), whole: nothing, ends: vec![None; LARGEST + 1] };
        for Seen { says, end, .. } in seen {
            for (value, &says) in says.iter().enumerate() {
                // The first digit of a larger number is none.
                let is_longer = |number: usize| number / 10 == value || number / 100 == value;
                let is_part = end.is_some() && seen.iter().filter_map(|seen| seen.number).any(is_longer);
                let says = if is_part { says.min(0.0) } else { says };
                if end.is_none() {
                    start.whole[value] = start.whole[value].max(says);
                }
                // A sign behind the number is of it.
                if says > start.says[value] || (says == start.says[value] && start.ends[value].is_some()) {
                    (start.says[value], start.ends[value]) = (says, *end);
                }
            }
        }
        start
    }

    /// From now on its first letters say nothing.
    pub fn read_whole(&mut self) {
        self.says.clone_from(&self.whole);
        self.ends.fill(None);
    }
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
    let read = |ways: &[(usize, Shown)]| -> Result<Vec<Reading>> {
        let cut = |(at, shown): &(usize, Shown)| shown.cut(&writing.page, starts[*at], height);
        let crops: Vec<Crop> = ways.par_iter().map(cut).collect();
        recogniser.read(&crops.iter().collect::<Vec<_>>())
    };
    let whole = starts.iter().enumerate().flat_map(|(at, word)| {
        let alone = Shown::To(word.right.min(word.left + NUMBER * height));
        let spaced = second_digit(word, words, height).map(Shown::To);
        [Some(alone), spaced].into_iter().flatten().map(move |shown| (at, shown))
    });
    let mut ways: Vec<(usize, Shown)> = whole.collect();
    let mut readings = read(&ways)?;
    let may_begin = |reading: &Reading| may_begin_with_digit(reading, recogniser.alphabet());
    let begin: BTreeSet<usize> =
        ways.iter().zip(&readings).filter(|(_, reading)| may_begin(reading)).map(|((at, _), _)| *at).collect();
    let first_letters = begin
        .into_iter()
        .flat_map(|at| joined(starts[at], height).into_iter().map(move |end| (at, Shown::Before(end))));
    let first_letters: Vec<(usize, Shown)> = first_letters.collect();
    readings.extend(read(&first_letters)?);
    ways.extend(first_letters);
    let spelled = anchor::spellings(recogniser.alphabet());
    let read = |(reading, (_, shown)): (&Reading, &(usize, Shown))| {
        let mut says = anchor::row_evidence(reading, &spelled);
        let text = reading.best_path(recogniser.alphabet()).0;
        let leading = leading_number(&text);
        match shown {
            Shown::Before(_) => {
                says.iter_mut().for_each(|says| *says = says.min(JOINED));
                if let Some((value, "" | "." | ")" | "-" | ":" | "/")) = leading {
                    says[value] = JOINED;
                }
            }
            Shown::To(_) => {
                if let Some((value, _)) = leading {
                    says[value] = says[value].max(LEADING);
                }
            }
        }
        let end = if let Shown::Before(end) = shown { Some(*end) } else { None };
        Seen { says, number: leading.map(|(value, _)| value), end }
    };
    let mut seen: Vec<Vec<Seen>> = starts.iter().map(|_| Vec::new()).collect();
    let read: Vec<Seen> = readings.par_iter().zip(&ways).map(read).collect();
    ways.iter().zip(read).for_each(|((at, _), read)| seen[*at].push(read));
    Ok(starts.iter().zip(&seen).map(|(word, seen)| Start::new(word, seen)).collect())
}

/// Whether a word may begin with a digit: it reads so, or as something else that is not sure.
fn may_begin_with_digit(reading: &Reading, alphabet: &Alphabet) -> bool {
    let (text, likelihood) = reading.best_path(alphabet);
    let digit = |sign: char| sign.is_ascii_digit() || sign == 'O';
    text.starts_with(digit) || (!text.is_empty() && likelihood.exp() < SURELY)
}

/// What a word says as it is shown in one way.
struct Seen {
    says: Vec<f32>,
    /// The number with which it begins.
    number: Option<usize>,
    /// Where it ends, if only its first letters are shown.
    end: Option<f32>,
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

/// The places behind the first letters of a word behind which more is written.
fn joined(word: &Word, height: f32) -> Vec<f32> {
    let mut letters: Vec<[f32; 2]> =
        word.letters.iter().map(|letter| [letter.left as f32, letter.right as f32]).collect();
    letters.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut places = Vec::new();
    let mut end = word.left;
    for pair in letters.windows(2).take(FIRST_LETTERS) {
        end = end.max(pair[0][1]);
        if end < word.left + NUMBER * height && end < word.right - BEHIND * height {
            places.push(end.max((end + pair[1][0]) / 2.0));
        }
    }
    places
}

/// How a word is shown.
enum Shown {
    /// As far as a place, and some of what is behind it.
    To(f32),
    /// As far as a place, and nothing of what is behind it.
    Before(f32),
}

impl Shown {
    fn cut(&self, page: &Page, word: &Word, height: f32) -> Crop {
        let across = |y: f32| Curve::along(page.image.width(), |_| y);
        let down = |x: f32| Curve::along(page.image.height(), |_| x);
        let band = Band { top: across(word.y - SHOWN * height), bottom: across(word.y + SHOWN * height), ruled: true };
        let (Self::To(end) | Self::Before(end)) = self;
        let (left, right) = (down(word.left - AT_LEFT * height), down(end + AT_RIGHT * height));
        let column = Column { left, right, inner: Vec::new() };
        match self {
            Self::To(_) => Crop::cut(page, &band, &column),
            Self::Before(end) => Crop::cut_before(page, &band, &column, *end),
        }
    }
}

/// The number with which a text begins, and what stands behind it.
fn leading_number(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != 'O').unwrap_or(text.len()));
    let value = digits.replace('O', "0").parse().ok()?;
    (digits.len() <= 3 && (1..=LARGEST).contains(&value) && !digits.starts_with('O')).then_some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::page::shapes::Shape;

    #[test]
    fn a_number_may_begin_a_text() {
        assert_eq!(
            ["12.", "3Nf3", "1O)", "O-O", "e4", "", "0"].map(leading_number),
            [Some((12, ".")), Some((3, "Nf3")), Some((10, ")")), None, None, None, None]
        );
    }

    #[test]
    fn the_first_digit_of_a_number_is_none() {
        let shape = Shape { left: 10, right: 60, top: 0, bottom: 20, area: 100 };
        let seen = |number: usize, sure: f32, end: Option<f32>| {
            let mut says = vec![-0.5; LARGEST + 1];
            says[number] = sure;
            Seen { says, number: Some(number), end }
        };
        let start = |seen: &[Seen]| {
            let start = Start::new(&Word::new(vec![shape]).unwrap(), seen);
            [1, 12].map(|number| (start.says[number], start.ends[number]))
        };
        let [whole, digit, digits] = [seen(12, 2.0, None), seen(1, 3.0, Some(20.0)), seen(12, 3.0, Some(30.0))];
        assert_eq!(start(&[whole, digit, digits]), [(0.0, Some(20.0)), (3.0, Some(30.0))]);
        let [whole, digit] = [seen(1, 2.0, None), seen(1, 3.0, Some(20.0))];
        assert_eq!(start(&[whole, digit]), [(3.0, Some(20.0)), (-0.5, None)]);
    }

    #[test]
    fn a_number_may_end_behind_each_of_the_first_letters_of_a_longer_word() {
        let letter = |left: usize| Shape { left, right: left + 12, top: 0, bottom: 20, area: 100 };
        let word = |lefts: &[usize]| Word::new(lefts.iter().map(|&left| letter(left)).collect()).unwrap();
        assert_eq!(joined(&word(&[0, 16, 32, 48, 64]), 20.0), [14.0, 30.0, 46.0]);
        assert_eq!(joined(&word(&[0, 16, 32]), 20.0), [14.0], "a digit and two letters");
        assert!(joined(&word(&[0, 16]), 20.0).is_empty(), "a digit and a sign");
    }
}
