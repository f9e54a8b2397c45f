//! The result as the form asks for it, below the table: one of three boxes ticked, one of three words or numbers circled, or
//! written by hand.

use super::ReadPage;
use super::below::{self, Strip, View};
use super::boxes_and_loops::{boxes, is_loop};
use super::cells::Crop;
use super::grid::{Band, Column};
use super::large_ink::ROW;
use super::lines::Curve;
use super::recognise::Recogniser;
use super::result_words::Words;
use super::results::{self, WrittenResult};
use super::shapes::{Mask, Place, Shape, joined};
use crate::error::Result;
use std::ops::Range;

/// Sides of boxes, heights and widths of loops, heights and widths of what is written, in pixels.
const BOXES: Range<usize> = ROW * 4 / 10..ROW * 3 / 2;
const LOOP_HEIGHTS: Range<usize> = ROW * 7 / 10..ROW * 5;
const LOOP_WIDTHS: Range<usize> = ROW * 8 / 10..ROW * 9;
const WRITTEN_HEIGHTS: Range<usize> = ROW * 4 / 10..ROW * 2;
const WRITTEN_WIDTHS: Range<usize> = ROW * 8 / 10..ROW * 6;
/// Gap within a word or number, in heights of its letters.
const GAP: f32 = 2.0;
const WRITTEN_GAP: f32 = 1.1;
/// More strokes than this are no print.
const MOST_STROKES: usize = 1500;
/// How much less the widths of the words for a win differ than that for a draw differs from them.
const LIKE: f32 = 0.7;
/// How often other writing reads as a result, and the least probability of a result that is written by hand.
const OTHERWISE: f32 = 0.05;
const WRITTEN: f32 = 0.6;
/// Heights of printed letters, how far their middles lie from that of most and of all of a line, and how many make one.
const LETTER_HEIGHTS: Range<usize> = ROW * 2 / 10..ROW * 12 / 10;
const LEVEL: [usize; 2] = [ROW / 8, ROW / 4];
const FEWEST: usize = 6;
/// How far beyond a word a loop around it may be, in heights of the word, in how many directions it is looked for, and the
/// shares of them in which it is seen around the word that is meant and around each of the two others.
const RING: f32 = 2.0;
const DIRECTIONS: usize = 48;
const RINGED: f32 = 0.85;
const UNRINGED: f32 = 0.6;
/// Strokes of a result at most, and groups that are read on a page.
const LETTERS: usize = 9;
const MOST: usize = 6;
/// Room beside what is read, in its heights.
const MARGIN: f32 = 0.4;
/// Height of what is read, as shares of the height of a row.
const SHARES: [f32; 2] = [0.62, 0.8];
/// Smaller shapes are dust, in pixels.
const DUST: usize = 4;
/// Gap between a box and its word at least, in sizes of the box.
const BOX_GAP: f32 = 0.16;
/// How far from the middle of a loop those of the words of its line lie, in its heights; how high words are against it,
/// and against each other.
const OF_LINE: f32 = 0.45;
const IN_LOOP: f32 = 0.6;
const WORD_HEIGHTS: usize = 2;
/// How often a mark is what was meant.
const SURE: f32 = 0.97;
/// In what order forms print the results.
const ORDERS: [[&str; 3]; 2] = [["1-0", "1/2-1/2", "0-1"], ["1-0", "0-1", "1/2-1/2"]];

/// The result that is marked or written below the table.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn find(read: &ReadPage, recogniser: &dyn Recogniser) -> Result<Option<WrittenResult>> {
    let Some(strip) = below::strip(read) else { return Ok(None) };
    let told = match strip.views.iter().find_map(choice) {
        Some(choice) => named(&choice).map(|result| (result, SURE, choice.mark)),
        None => written(read, &strip, recogniser)?,
    };
    Ok(told.map(|(result, confidence, [left, top, right, bottom])| {
        let corner = |u: usize, v: usize| read.page.to_photo(strip.to_page(u, v));
        let quad = [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)];
        WrittenResult { sheet: 0, page: 0, number: None, result: result.to_owned(), confidence, quad }
    }))
}

/// Three results to choose from, from left to right.
struct Choice {
    /// Where each is printed, as far as that is seen.
    labels: [Option<Place>; 3],
    marked: usize,
    mark: Place,
}

/// The three results that are printed, if one of them is ticked or circled.
fn choice(view: &View) -> Option<Choice> {
    let strokes = view.ink.strokes();
    if strokes.len() > MOST_STROKES {
        return None;
    }
    if let Some((boxes, marked)) = boxes(&view.ink, &strokes, BOXES) {
        return Some(Choice { labels: beside(view, &boxes), marked, mark: boxes[marked] });
    }
    circle(view, &strokes).or_else(|| lines(view).iter().find_map(|line| ringed(view, line)))
}

/// The choice in which one of three words in a line has ink all around it, where the loop touches other writing.
fn ringed(view: &View, line: &[Place]) -> Option<Choice> {
    // Pieces of the loop are larger than letters.
    let mut heights: Vec<usize> = line.iter().map(|letter| letter[3] - letter[1]).collect();
    heights.sort_unstable();
    let most = heights.get(heights.len() / 2)? * 3 / 2;
    let is_letter = |letter: &&Place| letter[3] - letter[1] <= most;
    let words = words(&line.iter().filter(is_letter).copied().collect::<Vec<Place>>());
    // What the line begins with names it.
    let words: [Place; 3] = words.get(words.len().checked_sub(3)?..).filter(|_| words.len() <= 4)?.try_into().ok()?;
    let around = words.map(|word| around(&view.ink, word));
    let marked = (0..3).max_by(|&a, &b| around[a].total_cmp(&around[b]))?;
    let others = (0..3).filter(|&at| at != marked).map(|at| around[at]).fold(0.0, f32::max);
    let is_marked = around[marked] >= RINGED && others <= UNRINGED;
    is_marked.then_some(Choice { labels: words.map(Some), marked, mark: words[marked] })
}

/// Share of the directions from the middle of a word in which there is ink not far beyond it.
fn around(ink: &Mask, word: Place) -> f32 {
    let [left, top, right, bottom] = word.map(|side| side as f32);
    let (x, y, across, down) = ((left + right) / 2.0, (top + bottom) / 2.0, (right - left) / 2.0, (bottom - top) / 2.0);
    let seen = |angle: f32| {
        (0..(RING * 2.0 * down) as usize).any(|off| {
            let (u, v) = (x + (across + off as f32) * angle.cos(), y + (down + off as f32) * angle.sin());
            let beyond = u < left || u >= right || v < top || v >= bottom;
            beyond && ink.at(u as isize, v as isize)
        })
    };
    let angles = (0..DIRECTIONS).map(|at| at as f32 / DIRECTIONS as f32 * std::f32::consts::TAU);
    angles.filter(|&angle| seen(angle)).count() as f32 / DIRECTIONS as f32
}

/// The choice around one of whose answers a loop goes.
fn circle(view: &View, strokes: &[(Shape, Vec<usize>)]) -> Option<Choice> {
    strokes.iter().find_map(|(shape, pixels)| {
        let fits = LOOP_HEIGHTS.contains(&shape.height()) && LOOP_WIDTHS.contains(&shape.width());
        let is_loop = fits && is_loop(shape, pixels, view.ink.width);
        if is_loop { circled(view, shape, pixels) } else { None }
    })
}

/// The letters of lines of text, from left to right, those lines with most letters first.
fn lines(view: &View) -> Vec<Vec<Place>> {
    let mut left = letters(&view.text, |shape| LETTER_HEIGHTS.contains(&shape.height()));
    let middle = |letter: &Place| usize::midpoint(letter[1], letter[3]);
    let mut lines = Vec::new();
    loop {
        let count = |at: usize| left.iter().filter(|letter| middle(letter).abs_diff(at) <= LEVEL[0]).count();
        let best = left.iter().map(middle).map(|at| (count(at), at)).max();
        let Some((_, at)) = best.filter(|(count, _)| *count >= FEWEST) else { return lines };
        let (line, rest) = left.into_iter().partition(|letter| middle(letter).abs_diff(at) <= LEVEL[1]);
        lines.push(line);
        left = rest;
    }
}

/// What is printed behind boxes, or before them where nothing is behind the last.
fn beside(view: &View, boxes: &[Place; 3]) -> [Option<Place>; 3] {
    let [_, top, _, bottom] = boxes[0];
    let size = bottom - top;
    let gap = (BOX_GAP * size as f32) as usize;
    let words = |from: usize, to: usize, top: usize, bottom: usize| {
        let letters = letters(&view.text, |shape| {
            shape.left >= from
                && shape.right <= to
                && shape.top < bottom
                && top < shape.bottom
                && shape.height() <= 2 * size
        });
        words(&letters)
    };
    let behind = |at: usize| {
        let to = boxes.get(at + 1).map_or(view.ink.width, |next| next[0].saturating_sub(gap));
        words(boxes[at][2] + gap, to, boxes[at][1], boxes[at][3]).first().copied()
    };
    let before = |at: usize| {
        let from = if at == 0 { 0 } else { boxes[at - 1][2] + gap };
        words(from, boxes[at][0].saturating_sub(gap), boxes[at][1], boxes[at][3]).last().copied()
    };
    let near = |word: &Place| word[0] < boxes[2][2] + 2 * size;
    if behind(2).as_ref().is_some_and(near) { [0, 1, 2].map(behind) } else { [0, 1, 2].map(before) }
}

/// The choice in which a loop goes around one of three words or numbers in a line.
fn circled(view: &View, shape: &Shape, pixels: &[usize]) -> Option<Choice> {
    let around = shape.place();
    let [left, top, right, bottom] = around;
    let (middle, reach) = (usize::midpoint(top, bottom), (OF_LINE * (bottom - top) as f32) as usize);
    let mut text = view.text.clone();
    pixels.iter().for_each(|&pixel| text.dark[pixel] = false);
    let letters = letters(&text, |letter| {
        let level = usize::midpoint(letter.top, letter.bottom).abs_diff(middle) <= reach && letter.top > 0;
        level && letter.height() <= bottom - top
    });
    let (within, beside): (Vec<Place>, Vec<Place>) =
        letters.into_iter().partition(|letter| left <= letter[0] && letter[2] <= right);
    let before: Vec<Place> = beside.iter().filter(|letter| letter[0] < left).copied().collect();
    let behind: Vec<Place> = beside.iter().filter(|letter| letter[0] >= left).copied().collect();
    let (before, behind) = (words(&before), words(&behind));
    let inside = within.into_iter().reduce(joined)?;
    // What the line begins with names it.
    let marked = 2usize.checked_sub(behind.len())?;
    if before.len() < marked || before.len() > marked + 1 {
        return None;
    }
    let mut labels = [None; 3];
    labels[marked] = Some(inside);
    behind.iter().enumerate().for_each(|(at, word)| labels[marked + 1 + at] = Some(*word));
    before.iter().rev().take(marked).enumerate().for_each(|(at, word)| labels[marked - 1 - at] = Some(*word));
    let heights = labels.iter().flatten().map(|[_, top, _, bottom]| bottom - top);
    let (low, tall) = (heights.clone().min()?, heights.max()?);
    let fit = tall <= WORD_HEIGHTS * low && tall as f32 <= IN_LOOP * (bottom - top) as f32;
    fit.then_some(Choice { labels, marked, mark: around })
}

/// Boxes of the shapes of a picture that are wanted, dust left out.
fn letters(ink: &Mask, wanted: impl Fn(&Shape) -> bool) -> Vec<Place> {
    let mut found: Vec<Place> = ink
        .strokes()
        .iter()
        .map(|(shape, _)| shape)
        .filter(|shape| shape.area >= DUST && wanted(shape))
        .map(Shape::place)
        .collect();
    found.sort_unstable();
    found
}

/// Letters, from left to right, put together to words, groups of words and numbers. Dots and dashes are lower than
/// letters, and no words.
fn words(letters: &[Place]) -> Vec<Place> {
    let mut heights: Vec<usize> = letters.iter().map(|letter| letter[3] - letter[1]).collect();
    heights.sort_unstable();
    let Some(&height) = heights.get(heights.len() * 3 / 4) else { return Vec::new() };
    let mut words: Vec<Place> = Vec::new();
    for &letter in letters {
        match words.last_mut() {
            Some(word) if letter[0] as f32 - (word[2] as f32) < GAP * height as f32 => *word = joined(*word, letter),
            _ => words.push(letter),
        }
    }
    words.retain(|word| 2 * (word[3] - word[1]) >= height && word[2] - word[0] >= height / 2);
    words
}

/// The result that is chosen, if it can be told what is printed where: a win by White comes first on all forms, and of
/// the two others the one that is as wide as it is a win, be it words or numbers.
fn named(choice: &Choice) -> Option<&'static str> {
    if choice.marked == 0 {
        return Some(ORDERS[0][0]);
    }
    let width = |at: usize| choice.labels[at].map(|[left, _, right, _]| (right - left) as f32);
    let [white, middle, last] = [width(0)?, width(1)?, width(2)?];
    let (to_middle, to_last, between) = ((white - middle).abs(), (white - last).abs(), (middle - last).abs());
    let order = if to_last < LIKE * to_middle.min(between) {
        ORDERS[0]
    } else if to_middle < LIKE * to_last.min(between) {
        ORDERS[1]
    } else {
        return None;
    };
    Some(order[choice.marked])
}

/// The result that a place says, looked at as if it were a cell of the table.
fn read_place(
    read: &ReadPage,
    strip: &Strip,
    view: &View,
    place: Place,
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
    readings.extend(results::read_strokes(&cut_out(&view.text, place), recogniser)?);
    let said = Words::lenient().said(&readings, recogniser.alphabet());
    Ok(said.map(|(result, mean)| (result, mean / (mean + OTHERWISE))))
}

/// A part of a picture.
fn cut_out(ink: &Mask, [left, top, right, bottom]: Place) -> Mask {
    let dark = (top..bottom).flat_map(|y| (left..right).map(move |x| ink.dark[y * ink.width + x])).collect();
    Mask { width: right - left, dark }
}

/// What is written by hand below the table, in plain ink or else in faint.
fn written(read: &ReadPage, strip: &Strip, recogniser: &dyn Recogniser) -> Result<Option<(&'static str, f32, Place)>> {
    for view in &strip.views {
        let letters = letters(&view.text, |_| true);
        let mut found = Vec::new();
        for place in numbers(&letters).into_iter().filter(|place| is_answer(place, &letters)).take(MOST) {
            let told = read_place(read, strip, view, place, recogniser)?.filter(|(_, sure)| *sure >= WRITTEN);
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

/// Whether in its line only the word for what is asked stands before it, and nothing behind it.
fn is_answer(place: &Place, letters: &[Place]) -> bool {
    let line: Vec<Place> = letters.iter().filter(|letter| on_line(letter, place)).copied().collect();
    let (before, behind): (Vec<Place>, Vec<Place>) = line.into_iter().partition(|letter| letter[0] < place[0]);
    let behind: Vec<Place> = behind.into_iter().filter(|letter| letter[0] >= place[2]).collect();
    words(&before).len() <= 1 && words(&behind).is_empty()
}

/// Whether the middle of a letter is as high as a word.
fn on_line(letter: &Place, word: &Place) -> bool {
    (word[1]..word[3]).contains(&usize::midpoint(letter[1], letter[3]))
}

/// What may be numbers, from top to bottom: few letters beside each other, with nothing else near.
fn numbers(letters: &[Place]) -> Vec<Place> {
    let tall = |place: &Place| place[3] - place[1];
    let mut found: Vec<(Place, usize)> = Vec::new();
    for seed in letters.iter().filter(|seed| WRITTEN_HEIGHTS.contains(&tall(seed))) {
        let (mut word, mut count) = (*seed, 0);
        loop {
            let room = (WRITTEN_GAP * tall(&word) as f32) as usize;
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
    found.retain(|(word, _)| WRITTEN_HEIGHTS.contains(&tall(word)) && WRITTEN_WIDTHS.contains(&(word[2] - word[0])));
    found.sort_by_key(|(word, _)| word[1]);
    found.into_iter().map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of words, given by their places along it and the widths of their letters.
    fn line(words: &[(usize, usize)]) -> Vec<Place> {
        words.iter().flat_map(|&(left, width)| (left..left + width).step_by(12).map(|x| [x, 20, x + 9, 34])).collect()
    }

    fn choice(widths: [usize; 3], marked: usize) -> Choice {
        let labels = std::array::from_fn(|at| Some([100 * at, 20, 100 * at + widths[at], 34]));
        Choice { labels, marked, mark: [0; 4] }
    }

    #[test]
    fn letters_become_words_and_words_a_choice() {
        let words = words(&line(&[(10, 60), (160, 48), (300, 36)]));
        assert_eq!(words, [[10, 20, 67, 34], [160, 20, 205, 34], [300, 20, 333, 34]]);
        // "White won", "Draw", "Black won"; then the draw last; then numbers, of which that for a draw is the widest.
        assert_eq!(named(&choice([90, 40, 86], 1)), Some("1/2-1/2"));
        assert_eq!(named(&choice([90, 40, 86], 2)), Some("0-1"));
        assert_eq!(named(&choice([90, 86, 40], 1)), Some("0-1"));
        assert_eq!(named(&choice([37, 45, 34], 2)), Some("0-1"));
        assert_eq!(named(&choice([57, 49, 50], 1)), None);
        assert_eq!(named(&choice([57, 49, 50], 0)), Some("1-0"));
    }

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
}
