//! One of three printed results: the box that is ticked, or the word or number that is circled.

use super::boxes_and_loops::{boxes, is_loop};
use super::large_ink::ROW;
use super::outside::View;
use super::words::{letters, words};
use crate::pipeline::page::shapes::{Mask, Place, Shape, joined};
use std::ops::Range;

/// Sides of boxes, heights and widths of loops, in pixels.
const BOXES: Range<usize> = ROW * 4 / 10..ROW * 3 / 2;
const LOOP_HEIGHTS: Range<usize> = ROW * 7 / 10..ROW * 5;
const LOOP_WIDTHS: Range<usize> = ROW * 8 / 10..ROW * 9;
/// More strokes than this are no print.
const MOST_STROKES: usize = 1500;
/// How much less the widths of the words for a win differ than that for a draw differs from them.
const LIKE: f32 = 0.7;
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
/// Gap between a box and its word at least, in sizes of the box.
const BOX_GAP: f32 = 0.16;
/// How far from the middle of a loop those of the words of its line lie, in its heights; how high words are against it,
/// and against each other.
const OF_LINE: f32 = 0.45;
const IN_LOOP: f32 = 0.6;
const WORD_HEIGHTS: usize = 2;
/// In what order forms print the results.
const ORDERS: [[&str; 3]; 2] = [["1-0", "1/2-1/2", "0-1"], ["1-0", "0-1", "1/2-1/2"]];

/// Three results to choose from, from left to right.
pub(crate) struct Choice {
    /// Where each is printed, as far as that is seen.
    labels: [Option<Place>; 3],
    marked: usize,
    pub mark: Place,
}

/// The three results that are printed, if one of them is ticked or circled.
pub(crate) fn choice(view: &View) -> Option<Choice> {
    let strokes = view.ink.strokes();
    if strokes.len() > MOST_STROKES {
        return None;
    }
    if let Some((boxes, marked)) = boxes(&view.ink, &strokes, BOXES) {
        return Some(Choice { labels: beside(view, &boxes), marked, mark: boxes[marked] });
    }
    circle(view, &strokes).or_else(|| lines(view).iter().find_map(|line| ringed(view, &strokes, line)))
}

/// The choice in which one of three words in a line has ink all around it, where the loop touches other writing.
fn ringed(view: &View, strokes: &[(Shape, Vec<usize>)], line: &[Place]) -> Option<Choice> {
    // Pieces of the loop are larger than letters.
    let mut heights: Vec<usize> = line.iter().map(|letter| letter[3] - letter[1]).collect();
    heights.sort_unstable();
    let most = heights.get(heights.len() / 2)? * 3 / 2;
    let is_letter = |letter: &&Place| letter[3] - letter[1] <= most;
    let words = words(&line.iter().filter(is_letter).copied().collect::<Vec<Place>>());
    // What the line begins with names it.
    let words: [Place; 3] = words.get(words.len().checked_sub(3)?..).filter(|_| words.len() <= 4)?.try_into().ok()?;
    // Lines of text around a word are no loop.
    let mut large = Mask { width: view.ink.width, dark: vec![false; view.ink.dark.len()] };
    for (_, pixels) in strokes.iter().filter(|(shape, _)| shape.height() > most) {
        pixels.iter().for_each(|&pixel| large.dark[pixel] = true);
    }
    let around = words.map(|word| around(&large, word));
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

/// The result that is chosen, if it can be told what is printed where: a win by White comes first on all forms, and of
/// the two others the one that is as wide as it is a win, be it words or numbers.
pub(crate) fn named(choice: &Choice) -> Option<&'static str> {
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

#[cfg(test)]
mod tests {
    use super::super::words::tests::line;
    use super::*;

    fn choice(widths: [usize; 3], marked: usize) -> Choice {
        let labels = std::array::from_fn(|at| Some([100 * at, 20, 100 * at + widths[at], 34]));
        Choice { labels, marked, mark: [0; 4] }
    }

    #[test]
    fn words_become_a_choice() {
        // "White won", "Draw", "Black won"; then the draw last; then numbers, of which that for a draw is the widest.
        assert_eq!(named(&choice([90, 40, 86], 1)), Some("1/2-1/2"));
        assert_eq!(named(&choice([90, 40, 86], 2)), Some("0-1"));
        assert_eq!(named(&choice([90, 86, 40], 1)), Some("0-1"));
        assert_eq!(named(&choice([37, 45, 34], 2)), Some("0-1"));
        assert_eq!(named(&choice([57, 49, 50], 1)), None);
        assert_eq!(named(&choice([57, 49, 50], 0)), Some("1-0"));
    }

    #[derive(Clone, Copy)]
    enum Around {
        Loop,
        Text,
        Nothing,
    }

    #[test]
    fn a_word_with_ink_all_around_it_is_meant_though_the_loop_is_not_alone() {
        let letters = line(&[(10, 60), (160, 48), (300, 36), (440, 48)]);
        let ink = |around: Around| {
            let on_letter = |x: usize, y: usize| {
                letters
                    .iter()
                    .any(|[left, top, right, bottom]| (*left..*right).contains(&x) && (*top..*bottom).contains(&y))
            };
            // An ellipse around the third word, and writing that runs from below into it.
            let on_loop = |x: usize, y: usize| {
                let (dx, dy) = ((x as f32 - 316.5) / 34.0, (y as f32 - 27.0) / 17.0);
                (dx.hypot(dy) - 1.0).abs() < 0.09 || (x.abs_diff(330) < 2 && (40..70).contains(&y))
            };
            let on_text = |x: usize, y: usize| {
                (264..372).contains(&x) && x % 12 < 9 && [0..12, 20..34, 42..56].iter().any(|line| line.contains(&y))
            };
            let dark = |x: usize, y: usize| match around {
                Around::Loop => on_letter(x, y) || on_loop(x, y),
                Around::Text => on_letter(x, y) || on_text(x, y),
                Around::Nothing => on_letter(x, y),
            };
            Mask { width: 600, dark: (0..600 * 80).map(|at| dark(at % 600, at / 600)).collect() }
        };
        let found = |around: Around| {
            let view = View { ink: ink(around), text: ink(around) };
            ringed(&view, &view.ink.strokes(), &letters).map(|choice| choice.marked)
        };
        assert_eq!(found(Around::Loop), Some(1));
        assert_eq!(found(Around::Text), None);
        assert_eq!(found(Around::Nothing), None);
    }
}
