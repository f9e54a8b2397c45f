//! A result written by hand outside the table: behind the question for it below the table, or as two numbers with a dash
//! among the other writing above it.

use super::large_ink::ROW;
use super::outside::{Side, Strip, View};
use super::result_words::Words;
use super::words::{letters, words};
use crate::error::Result;
use crate::pipeline::ReadPage;
use crate::pipeline::cells::Crop;
use crate::pipeline::page::shapes::{Mask, Place, joined};
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::table::grid::{Band, Column};
use crate::pipeline::table::lines::Curve;
use std::ops::Range;

/// Heights and widths of what is written, in pixels, and the gap within it, in heights.
const HEIGHTS: Range<usize> = ROW * 4 / 10..ROW * 2;
const WIDTHS: Range<usize> = ROW * 8 / 10..ROW * 6;
const GAP: f32 = 1.1;
/// How often other writing reads as a result, the mean probability below which it surely is none, and the least
/// probability of a result.
const OTHERWISE: f32 = 0.05;
const HOPELESS: f32 = 0.001;
const BELIEVED: f32 = 0.6;
/// Height of a dash between two numbers at most, and how far it lies from their middle, as a share of their height; gaps
/// beside it and between digits in their heights; and strokes of a number.
const DASH: f32 = 0.35;
const DASH_GAP: f32 = 0.8;
const DIGIT_GAP: f32 = 0.4;
const MOST_OF_NUMBER: usize = 4;
/// Strokes of a result at most, and groups that are read on a page.
const LETTERS: usize = 9;
const MOST: usize = 6;
/// Room beside what is read, in its heights.
const MARGIN: f32 = 0.4;
/// Height of what is read, as shares of the height of a row.
const SHARES: [f32; 2] = [0.62, 0.8];

/// What is written by hand, in plain ink or else in faint.
pub(crate) fn written(
    read: &ReadPage,
    strip: &Strip,
    side: Side,
    recogniser: &dyn Recogniser,
) -> Result<Option<(&'static str, f32, Place)>> {
    // Above the table much is written that could be misread.
    let words = if side == Side::Below { Words::lenient() } else { Words::with_dash() };
    for view in &strip.views {
        let letters = letters(&view.text, |shape| !view.is_bar(shape));
        let places = match side {
            Side::Below => numbers(&letters).into_iter().filter(|place| is_answer(place, &letters)).collect(),
            Side::Above => around_dashes(&letters),
        };
        let mut found = Vec::new();
        for place in places.into_iter().take(MOST) {
            let told = read_place(read, strip, view, place, &words, recogniser)?;
            let told = told.filter(|(_, sure)| *sure >= BELIEVED);
            found.extend(told.map(|(result, sure)| (result, sure, place)));
        }
        // Where two are read, neither is what is asked for.
        match found.as_slice() {
            [] => (),
            [one] => return Ok(Some(*one)),
            _ => break,
        }
    }
    Ok(None)
}

/// The result that a place says, looked at as if it were a cell of the table.
fn read_place(
    read: &ReadPage,
    strip: &Strip,
    view: &View,
    place: Place,
    words: &Words,
    recogniser: &dyn Recogniser,
) -> Result<Option<(&'static str, f32)>> {
    let [left, top, right, bottom] = place;
    let middle = usize::midpoint(left, right);
    let ([_, high], [_, low]) = (strip.to_page(middle, top), strip.to_page(middle, bottom));
    let level = |at: f32| Curve { y: vec![at] };
    let margin = MARGIN * (low - high);
    let [left, right] = [(left, -margin), (right, margin)].map(|(u, aside)| level(strip.to_page(u, top)[0] + aside));
    let column = Column { left, right, inner: Vec::new() };
    let crops = SHARES.map(|share| {
        let room = ((low - high) / share - (low - high)) / 2.0;
        Crop::cut(&read.page, &Band { top: level(high - room), bottom: level(low + room), ruled: false }, &column)
    });
    let mut readings = recogniser.read(&crops.each_ref())?;
    if words.said(&readings, recogniser.alphabet()).is_none_or(|(_, mean)| mean < HOPELESS) {
        return Ok(None);
    }
    readings.extend(super::read_strokes(&cut_out(&view.text, place), recogniser)?);
    let said = words.said(&readings, recogniser.alphabet());
    Ok(said.map(|(result, mean)| (result, mean / (mean + OTHERWISE))))
}

/// A part of a picture.
fn cut_out(ink: &Mask, [left, top, right, bottom]: Place) -> Mask {
    let dark = (top..bottom).flat_map(|y| (left..right).map(move |x| ink.dark[y * ink.width + x])).collect();
    Mask { width: right - left, dark }
}

/// Whether in its line only the word for what is asked stands before it, and nothing behind it.
fn is_answer(place: &Place, letters: &[Place]) -> bool {
    let line: Vec<Place> = letters.iter().filter(|letter| on_line(letter, place)).copied().collect();
    let (before, behind): (Vec<Place>, Vec<Place>) = line.into_iter().partition(|letter| letter[0] < place[0]);
    let behind: Vec<Place> = behind.into_iter().filter(|letter| letter[0] >= place[2]).collect();
    words(&before).len() <= 1 && words(&behind).is_empty()
}

/// What may be two numbers with a dash between them.
fn around_dashes(letters: &[Place]) -> Vec<Place> {
    let tall = |place: &Place| place[3] - place[1];
    let number = |dash: &Place, is_beside: &dyn Fn(&Place, &Place, usize) -> bool| {
        let mut whole = *dash;
        for count in 0..=MOST_OF_NUMBER {
            // A dash tells nothing of the height of what is beside it.
            let room = |letter: &Place| (if count == 0 { DASH_GAP } else { DIGIT_GAP } * tall(letter) as f32) as usize;
            let apart = |letter: &Place| (letter[0].saturating_sub(whole[2])).max(whole[0].saturating_sub(letter[2]));
            let next =
                letters.iter().filter(|letter| is_beside(letter, &whole, room(letter))).min_by_key(|one| apart(one));
            match next {
                Some(letter) if count < MOST_OF_NUMBER => whole = joined(whole, *letter),
                Some(_) => return None,
                None => return (count > 0).then_some(whole),
            }
        }
        None
    };
    let of_dash = |dash: &Place| {
        let level = |letter: &Place| {
            let middle = usize::midpoint(dash[1], dash[3]);
            let (high, low) = (letter[1] as f32, letter[3] as f32);
            let off = (middle as f32 - (high + low) / 2.0).abs();
            off <= DASH * (low - high) && tall(dash) as f32 <= DASH * (low - high)
        };
        let left = number(dash, &|one, whole, room| {
            level(one) && one[2] <= whole[0] + room / 3 && one[2] + room >= whole[0] && one[0] < whole[0]
        });
        let right = number(dash, &|one, whole, room| {
            level(one) && one[0] + room / 3 >= whole[2] && one[0] <= whole[2] + room && one[2] > whole[2]
        });
        Some(joined(left?, right?))
    };
    letters.iter().filter(|dash| dash[2] - dash[0] > tall(dash)).filter_map(of_dash).collect()
}

/// Whether the middle of a letter is as high as a word.
fn on_line(letter: &Place, word: &Place) -> bool {
    (word[1]..word[3]).contains(&usize::midpoint(letter[1], letter[3]))
}

/// What may be numbers, from top to bottom: few letters beside each other, with nothing else near.
fn numbers(letters: &[Place]) -> Vec<Place> {
    let tall = |place: &Place| place[3] - place[1];
    let mut found: Vec<(Place, usize)> = Vec::new();
    for seed in letters.iter().filter(|seed| HEIGHTS.contains(&tall(seed))) {
        let (mut word, mut count) = (*seed, 0);
        loop {
            let room = (GAP * tall(&word) as f32) as usize;
            let level = |one: &&Place| on_line(one, &word);
            let near = |one: &&Place| one[0] < word[2] + room && word[0] < one[2] + room;
            let within: Vec<&Place> = letters.iter().filter(level).filter(near).collect();
            if within.len() == count || within.len() > LETTERS {
                count = within.len();
                break;
            }
            count = within.len();
            word = within.into_iter().copied().fold(word, joined);
        }
        if count <= LETTERS && found.iter().all(|(other, _)| *other != word) {
            found.push((word, count));
        }
    }
    found.retain(|(word, _)| HEIGHTS.contains(&tall(word)) && WIDTHS.contains(&(word[2] - word[0])));
    found.sort_by_key(|(word, _)| word[1]);
    found.into_iter().map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::line;
    use super::*;

    #[test]
    fn only_a_number_alone_behind_the_question_is_an_answer() {
        let answer = [[160, 20, 170, 40], [176, 29, 186, 32], [192, 20, 200, 40]];
        let asked: Vec<Place> = line(&[(10, 60)]).into_iter().chain(answer).collect();
        let found = numbers(&asked);
        assert!(found.contains(&[160, 20, 200, 40]), "{found:?}");
        assert!(is_answer(&[160, 20, 200, 40], &asked));
        let choices: Vec<Place> = asked.into_iter().chain(line(&[(330, 36)])).collect();
        assert!(!is_answer(&[160, 20, 200, 40], &choices));
    }

    #[test]
    fn two_numbers_stand_beside_a_dash() {
        // A question, a one, a dash and a zero; a dash alone; and a longer number.
        let two = [[160, 20, 164, 40], [174, 29, 186, 32], [192, 20, 206, 40]];
        let mut letters: Vec<Place> = line(&[(10, 60)]).into_iter().chain(two).collect();
        assert_eq!(around_dashes(&letters), [[160, 20, 206, 40]]);
        letters.pop();
        assert!(around_dashes(&letters).is_empty());
        letters.extend((0..6).map(|at| [192 + 16 * at, 20, 204 + 16 * at, 40]));
        assert!(around_dashes(&letters).is_empty());
    }
}
