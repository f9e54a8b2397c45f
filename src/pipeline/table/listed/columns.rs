//! The columns in which moves are listed: where numbers end and White's and Black's moves begin.

use super::median;
use super::starts::{NUMBER, is_second_digit};

/// How far moves begin behind the numbers at most, in heights of a letter.
const FURTHEST: f32 = 4.0;
/// What it costs that they begin further off, for each row and height of a letter.
const FAR_OFF: f32 = 0.1;
/// How far a word reaches behind the numbers that is none of them, in heights of a letter.
const BEHIND: f32 = 0.3;
/// Steps in which a border between columns is looked for, and the paper beside it, in heights of a letter.
const STEP: f32 = 0.1;
const CLEAR: f32 = 0.1;
/// What a word costs that a border cuts in two, and a letter, in rows with a move at either side.
const WORD_CUT: f32 = 0.7;
const LETTER_CUT: f32 = 1.3;
/// How far from the others a row's border may run, in heights of a letter.
const ASIDE: f32 = 1.5;
/// Share of a gap by which a border keeps off the letters.
const BY_THE_SIDE: f32 = 0.3;
/// Gap between two moves at least, and from which on a wider one says no more, in heights of a letter; and the share of the rows
/// that have it where Black's moves stand in a column.
const WORD_GAP: f32 = 0.4;
const WIDE_GAP: f32 = 1.5;
const ALIGNED: f32 = 0.8;
/// Share of the usual gap between two moves up to which the last row has only one.
const SINGLE: f32 = 0.5;
/// Share of the rows that have two moves at least.
const PARTED: f32 = 0.5;
/// Room between Black's move and what else is written in its row at most, in heights of a letter.
const ROOM: f32 = 2.5;
/// Width of a column that holds most moves, in heights of a letter, and how much wider than White's column Black's may be.
const MOVE: f32 = 5.0;
const WIDER: f32 = 1.4;
/// Paper shown behind Black's longest move, in heights of a letter.
const MARGIN: f32 = 0.5;

/// A word or letter of a list; `left` and `right` are counted from the line of the numbers on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub left: f32,
    pub right: f32,
    pub y: f32,
    pub row: usize,
}

impl Placed {
    pub fn middle(&self) -> f32 {
        (self.left + self.right) / 2.0
    }
}

/// How far behind the line of its numbers, of which the first is given, a column's moves begin, and no further than
/// the numbers reach where a hand writes its moves close behind them.
pub(super) fn numbers_end(
    words: &[Placed],
    letters: &[Vec<Placed>],
    first: usize,
    furthest: Option<f32>,
    height: f32,
) -> f32 {
    let numbers = words.iter().filter(|word| word.left < height && word.right < NUMBER * height);
    // The digits may stand apart.
    let second = |number: &Placed| {
        let mut in_row = words.iter().filter(|word| word.row == number.row && first + word.row > 9);
        in_row.find(|word| is_second_digit([number.left, number.right], [word.left, word.right], height))
    };
    let least = median(numbers.map(|word| second(word).unwrap_or(word).right)).unwrap_or(height);
    let furthest = furthest.map_or(FURTHEST * height, |furthest| furthest - least);
    let places = (0..=(furthest / (STEP * height)) as usize).map(|step| least + step as f32 * STEP * height);
    // Where some moves stand close behind their numbers, there is a clearer gap behind the moves.
    let price = FAR_OFF * letters.len() as f32 / height;
    cheapest(places, |at| cut(words, letters, at, height) + price * (at - least))
}

/// The words that are no numbers.
pub(super) fn behind(mut words: Vec<Placed>, numbers_end: f32, height: f32) -> Vec<Placed> {
    words.retain(|word| word.right > numbers_end + BEHIND * height);
    words
}

/// What a border costs by what it cuts: words, and in each row letters, by how far from it there is a gap.
fn cut(words: &[Placed], letters: &[Vec<Placed>], at: f32, height: f32) -> f32 {
    let words = words.iter().filter(|word| word.left < at && word.right > at).count();
    let in_row = |row: &Vec<Placed>| {
        let mut nearest = f32::INFINITY;
        for [from, to] in gaps_of(row) {
            let clear = (CLEAR * height).min((to - from) / 2.0);
            nearest = nearest.min((from + clear - at).max(at + clear - to).max(0.0));
        }
        (nearest / height).min(1.0)
    };
    WORD_CUT * words as f32 + LETTER_CUT * letters.iter().map(in_row).sum::<f32>()
}

/// The letters of each row, from left to right.
pub(super) fn by_row(letters: impl Iterator<Item = Placed>, rows: usize) -> Vec<Vec<Placed>> {
    let mut by_row: Vec<Vec<Placed>> = vec![Vec::new(); rows];
    letters.for_each(|letter| by_row[letter.row].push(letter));
    by_row.iter_mut().for_each(|row| row.sort_by(|a, b| a.left.total_cmp(&b.left)));
    by_row
}

/// The middle of the first stretch of places at which something costs least.
fn cheapest(places: impl Iterator<Item = f32>, cost: impl Fn(f32) -> f32) -> f32 {
    let costs: Vec<(f32, f32)> = places.map(|at| (at, cost(at))).collect();
    let least = costs.iter().map(|&(_, cost)| cost).fold(f32::INFINITY, f32::min);
    let start = costs.iter().position(|&(_, cost)| cost <= least).unwrap_or(0);
    let stretch = costs[start..].iter().take_while(|&&(_, cost)| cost <= least).count();
    costs.get(start).map_or(0.0, |first| (first.0 + costs[start + stretch.max(1) - 1].0) / 2.0)
}

/// Where Black's moves begin, behind the line of the numbers, as most rows have it.
fn between(behind: &[Placed], moves: &[Vec<Placed>], numbers_end: f32, height: f32) -> f32 {
    let end = moves.iter().flatten().map(|letter| letter.right).fold(0.0, f32::max);
    let cost = |at: f32| {
        // The moves of a row are about as long.
        let even: f32 = moves.iter().map(|row| evenness(row, at, height)).sum();
        cut(behind, moves, at, height) - even
    };
    let steps = ((end - numbers_end) / (STEP * height)) as usize;
    cheapest((1..steps.max(2)).map(|step| numbers_end + step as f32 * STEP * height), cost)
}

/// How evenly a border parts the letters of a row, from 0 to 1; those that touch count for as many as there is room for.
fn evenness(row: &[Placed], at: f32, height: f32) -> f32 {
    let letters = |white: bool| -> f32 {
        let letters = row.iter().filter(|letter| (letter.middle() < at) == white);
        letters.map(|letter| ((letter.right - letter.left) / height).max(1.0)).sum()
    };
    let (white, black) = (letters(true), letters(false));
    2.0 * white.min(black) / (white + black).max(1.0)
}

/// The places between the letters of a row, and those before and behind all of them: their ends.
fn gaps_of(row: &[Placed]) -> Vec<[f32; 2]> {
    let mut gaps = Vec::new();
    let mut end = f32::NEG_INFINITY;
    for (left, right) in row.iter().map(|letter| (letter.left, letter.right)).chain([(f32::INFINITY, f32::INFINITY)]) {
        if left > end {
            gaps.push([end, left]);
        }
        end = end.max(right);
    }
    gaps
}

/// Where a border runs in each row: in a gap between two letters near it.
pub(super) fn winding(letters: &[Vec<Placed>], border: f32, height: f32) -> Vec<f32> {
    let around = border - ASIDE * height..border + ASIDE * height;
    let place = |row: &Vec<Placed>| {
        let mut best = (0.0, border);
        for [from, to] in gaps_of(row).into_iter().map(|[from, to]| [from.max(around.start), to.min(around.end)]) {
            if to > from {
                let clear = (to - from) * BY_THE_SIDE;
                let place = border.clamp(from + clear, to - clear);
                let worth = (to - from) - (place - border).abs();
                if worth > best.0 {
                    best = (worth, place);
                }
            }
        }
        best.1
    };
    letters.iter().map(place).collect()
}

/// Where Black's moves begin in each row: at a border that all rows have, or else, where it runs through words, in the widest
/// gap of each row that parts it evenly. `begins` tells where each row's moves do. None where few rows have two moves.
pub(super) fn parted(
    behind: &[Placed],
    letters: &[Vec<Placed>],
    begins: &[f32],
    numbers_end: f32,
    height: f32,
) -> Option<Vec<f32>> {
    let moves: Vec<Vec<Placed>> = letters.iter().zip(begins).map(|(row, &begin)| moves_of(row, begin)).collect();
    let border = between(behind, &moves, numbers_end, height);
    let worth = |row: &[Placed], [from, to]: [f32; 2]| ((to - from) / height).min(WIDE_GAP) + evenness(row, to, height);
    let between_letters = |row: &[Placed]| gaps_of(row).into_iter().filter(|gap| gap.iter().all(|end| end.is_finite()));
    let widest = |row: &[Placed]| between_letters(row).max_by(|&a, &b| worth(row, a).total_cmp(&worth(row, b)));
    let is_wide = |&[from, to]: &[f32; 2]| to - from > WORD_GAP * height;
    let written = moves.iter().filter(|row| row.len() > 1).count() as f32;
    let of_two = moves.iter().filter(|row| widest(row).as_ref().is_some_and(is_wide)).count() as f32;
    if of_two < PARTED * written.max(1.0) {
        return None;
    }
    // Where it runs before all letters or behind them it parts nothing.
    let clear_in = |row: &[Placed], gaps: Vec<[f32; 2]>| {
        row.len() > 1 && gaps.iter().any(|gap| is_wide(gap) && (gap[0]..gap[1]).contains(&border))
    };
    let clear = moves.iter().filter(|row| clear_in(row, gaps_of(row))).count() as f32;
    let parting = moves.iter().filter(|row| clear_in(row, between_letters(row).collect())).count() as f32;
    if clear >= ALIGNED * written && parting >= PARTED * written {
        return Some(winding(letters, border, height));
    }
    // A game may end with White's move.
    let width = |[from, to]: [f32; 2]| to - from;
    let usual = median(moves.iter().filter_map(|row| widest(row)).map(width)).unwrap_or(0.0);
    let last = moves.iter().rposition(|row| !row.is_empty());
    let middle = |[from, to]: [f32; 2]| (from + to) / 2.0;
    // A hand may join the letters of a move: where but one shows in a row, the other rows tell whose it is.
    let typical = median(moves.iter().filter_map(|row| widest(row)).filter(is_wide).map(middle)).unwrap_or(border);
    let place = |(index, row): (usize, &Vec<Placed>)| match widest(row) {
        Some(gap) if Some(index) != last || width(gap) > (SINGLE * usual).max(WORD_GAP * height) => middle(gap),
        None if Some(index) != last && row.first().is_some_and(|letter| letter.middle() > typical) => {
            typical.min(row[0].left - CLEAR * height)
        }
        _ => row.last().map_or(typical, |letter| typical.max(letter.right + CLEAR * height)),
    };
    Some(moves.iter().enumerate().map(place).collect())
}

/// The letters of a row from where its moves begin.
fn moves_of(row: &[Placed], begin: f32) -> Vec<Placed> {
    row.iter().filter(|letter| letter.middle() > begin).copied().collect()
}

/// Where Black's moves end, behind the line of the numbers: what stands further off in a row is none of it.
pub(super) fn end(behind: &[Placed], numbers_end: f32, parted: &[f32], height: f32) -> f32 {
    let between = parted.iter().copied().fold(numbers_end, f32::max);
    let mut black: Vec<&Placed> = behind.iter().filter(|word| word.middle() > parted[word.row]).collect();
    black.sort_by(|a, b| a.row.cmp(&b.row).then(a.left.total_cmp(&b.left)));
    let mut end = between + height;
    for row in black.chunk_by(|a, b| a.row == b.row) {
        let mut right = row[0].right;
        for word in row {
            if word.left < right + ROOM * height {
                right = right.max(word.right);
            }
        }
        end = end.max(right);
    }
    let widest = WIDER * (between - numbers_end).max(MOVE * height);
    (end + MARGIN * height).min(between + widest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHT: f32 = 24.0;

    /// Letters of a row, 12 pixels wide, 4 apart, from each of the given places on as many as said.
    fn row(row: usize, words: &[(f32, usize)]) -> Vec<Placed> {
        let letter = |left: f32| Placed { left, right: left + 12.0, y: 40.0 * row as f32, row };
        words.iter().flat_map(|&(left, count)| (0..count).map(move |at| letter(left + 16.0 * at as f32))).collect()
    }

    /// The words of rows of letters that stand no more than half of a letter's height apart.
    fn words(letters: &[Vec<Placed>]) -> Vec<Placed> {
        let mut words: Vec<Placed> = Vec::new();
        for letter in letters.iter().flatten() {
            match words.last_mut().filter(|word| word.row == letter.row && letter.left - word.right < 12.0) {
                Some(word) => word.right = letter.right,
                None => words.push(*letter),
            }
        }
        words
    }

    #[test]
    fn moves_in_columns_are_parted_by_a_line() {
        let letters: Vec<Vec<Placed>> =
            (0..12).map(|at| row(at, &[(0.0, 1 + at / 9), (60.0, 2 + at % 3), (180.0, 2 + at % 4)])).collect();
        let end = numbers_end(&words(&letters), &letters, 1, None, HEIGHT);
        assert!((28.0..60.0).contains(&end), "{end}");
        let moves = behind(words(&letters), end, HEIGHT);
        let parted = parted(&moves, &letters, &[end; 12], end, HEIGHT).unwrap();
        assert!(parted.iter().all(|at| (122.0..180.0).contains(at)), "{parted:?}");
        assert!((parted[0] - parted[5]).abs() < 12.0);
    }

    #[test]
    fn digits_that_stand_apart_are_one_number() {
        // From the tenth on each of the fourteen numbers has a second digit, farther off than a letter of its word.
        let number = |at: usize| if at < 4 { vec![(0.0, 1)] } else { vec![(0.0, 1), (32.0, 1)] };
        let letters: Vec<Vec<Placed>> =
            (0..14).map(|at| row(at, &[number(at), vec![(90.0, 2), (180.0, 2)]].concat())).collect();
        let end = numbers_end(&words(&letters), &letters, 6, None, HEIGHT);
        assert!((44.0..90.0).contains(&end), "{end}");
    }

    #[test]
    fn numbers_end_where_they_are_read_to_end() {
        // Each move begins 4 pixels behind its number, farther off from the tenth on; behind White's moves there is a wide gap.
        let number = |at: usize| if at < 9 { 1 } else { 2 };
        let letters: Vec<Vec<Placed>> =
            (0..14).map(|at| row(at, &[(0.0, number(at) + 3 + at % 2), (150.0, 2 + at % 3)])).collect();
        let ends: Vec<Option<f32>> = (0..14).map(|at| Some(16.0 * number(at) as f32 - 2.0)).collect();
        let number_alone = |word: Placed| {
            let end = ends[word.row].filter(|_| word.left < 1.0).unwrap_or(word.left);
            [Placed { right: end, ..word }, Placed { left: end.max(word.left), ..word }]
        };
        let mut words: Vec<Placed> = words(&letters).into_iter().flat_map(number_alone).collect();
        words.retain(|word| word.right > word.left);
        let end = |furthest: Option<f32>| numbers_end(&words, &letters, 1, furthest, HEIGHT);
        assert!(end(None) > 60.0, "{}", end(None));
        let furthest = ends.iter().flatten().copied().reduce(f32::max);
        assert!((10.0..36.0).contains(&end(furthest)), "{}", end(furthest));
    }

    #[test]
    fn moves_in_no_columns_are_parted_where_they_are() {
        let count = |at: usize| 2 + at % 4;
        let black = |at: usize| 60.0 + 16.0 * count(at) as f32 + 20.0;
        let letters: Vec<Vec<Placed>> =
            (0..12).map(|at| row(at, &[(0.0, 1), (60.0, count(at)), (black(at), 2 + at % 3)])).collect();
        let moves = behind(words(&letters), 40.0, HEIGHT);
        let parted = parted(&moves, &letters, &[40.0; 12], 40.0, HEIGHT).unwrap();
        assert!((0..12).all(|at| (black(at) - 24.0..black(at)).contains(&parted[at])), "{parted:?}");
    }

    #[test]
    fn joined_letters_are_parted_between_the_moves() {
        // Each move is one stroke, of many widths and in no column: no line but one before all moves cuts none. In one row but
        // Black's shows.
        let letter = |row: usize, left: f32, right: f32| Placed { left, right, y: 40.0 * row as f32, row };
        let [white, black] = [|at: usize| 90.0 + 27.0 * (at % 4) as f32, |at: usize| 112.0 + 27.0 * (at % 4) as f32];
        let moves = |at: usize| {
            let whites = (at != 5).then(|| letter(at, 70.0, white(at)));
            whites.into_iter().chain([letter(at, black(at), black(at) + 60.0)])
        };
        let letters: Vec<Vec<Placed>> = (0..12).map(|at| moves(at).collect()).collect();
        let words: Vec<Placed> = letters.iter().flatten().copied().collect();
        let parted = parted(&words, &letters, &[40.0; 12], 40.0, HEIGHT).unwrap();
        let is_between = |at: usize| (white(at)..black(at)).contains(&parted[at]);
        assert!((0..12).filter(|&at| at != 5).all(is_between) && parted[5] < black(5), "{parted:?}");
    }

    #[test]
    fn a_game_may_end_with_a_move_of_white() {
        // The second digits of the last two numbers stand near the end of the numbers.
        let black = |at: usize| 88.0 + 16.0 * (at % 4) as f32 + 32.0;
        let rows = (0..11).map(|at| row(at, &[(0.0, 1 + at / 9), (72.0, 2 + at % 4), (black(at), 3)]));
        let letters: Vec<Vec<Placed>> = rows.chain([row(11, &[(0.0, 2), (72.0, 3)])]).collect();
        let parted = parted(&behind(words(&letters), 30.0, HEIGHT), &letters, &[32.0; 12], 30.0, HEIGHT).unwrap();
        assert!((0..11).all(|at| (black(at) - 24.0..black(at)).contains(&parted[at])), "{parted:?}");
        assert!(parted[11] > 116.0, "{parted:?}");
    }

    #[test]
    fn rows_of_one_word_have_no_two_moves() {
        let letters: Vec<Vec<Placed>> = (0..12).map(|at| row(at, &[(0.0, 1), (60.0, 2 + at % 4)])).collect();
        assert!(parted(&behind(words(&letters), 40.0, HEIGHT), &letters, &[40.0; 12], 40.0, HEIGHT).is_none());
    }
}
