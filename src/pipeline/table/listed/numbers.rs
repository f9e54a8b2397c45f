//! Numbers written by hand, one below the other: starts that read as numbers which go on from row to row are a list.

use super::list::List;
use super::starts::Start;
use crate::pipeline::page::fit::{RIDGE, dot, least_squares, terms};
use crate::pipeline::table::columns::MOST_PAIRS;

/// The most rows between two numbers that tell of others.
const REACH: usize = 12;
/// Pitch of the rows, in heights of a letter.
const PITCHES: std::ops::Range<f32> = 0.9..4.0;
/// How far a number may stand off the line of its column: across in heights of a letter, along in shares of the pitch; and how
/// far the column may lean, in pixels per pixel.
const ASIDE: f32 = 1.5;
const OFF: f32 = 0.35;
const LEAN: f32 = 0.2;
/// What the numbers of a column say at least (natural logarithm): of the first one for each height of a letter from row to row,
/// as rows far apart give more to choose from; of further ones, and of those that are first letters of words; and of all for each
/// row. And the share of the rows whose numbers stand in their places.
const ENOUGH: f32 = 8.0;
const FURTHER: f32 = 6.0;
const FURTHER_LETTERS: f32 = 9.0;
const MEAN: f32 = 0.7;
const SHARE: f32 = 0.5;
/// Rows so low count as such, in heights of a letter.
const LOW: f32 = 1.5;
/// What a number that reads otherwise says against its column at most.
const AGAINST: f32 = -1.0;
/// Evidence from which a word may be a number, and how many numbers it may be.
const LIKELY: f32 = 0.5;
const READINGS: usize = 3;
/// Rows beyond two numbers, in steps between these, over which their line may be taken for straight; so many steps at least.
const STRAIGHT: f32 = 4.0;
const NEAR: f32 = 3.0;
/// Numbers from the last one on of which the first that reads is the next, and how far off its place it may stand, in steps
/// from row to row.
const SKIPPED: usize = 2;
const WIDER: std::ops::Range<f32> = -0.4..0.9;
/// Numbers by which a column is followed that does not run as these two would have it, and by which it may bend.
const FEWEST: usize = 4;
const BENDS: usize = 6;
/// How much further aside than the next ones the first or last may not stand, in heights of a letter.
const FAR_ASIDE: f32 = 1.0;
const NEXT: usize = 4;
/// How much the pitch may differ between columns.
const PITCH_DIFFERS: f32 = 0.15;
/// How often a number's place is made out better.
const STEPS: usize = 4;

/// A start that is the number of a row.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: usize,
    left: f32,
    y: f32,
    evidence: f32,
    /// Where it ends, if its move stands close behind it.
    end: Option<f32>,
}

impl Number {
    /// A start as a number; none where it is no number that there is.
    fn of(start: &Start, value: usize) -> Option<Self> {
        let (&evidence, &end) = start.says.get(value).zip(start.ends.get(value))?;
        Some(Self { value, left: start.left, y: start.y, evidence, end })
    }
}

/// The columns of numbers, from left to right.
pub(super) fn lists(mut starts: Vec<Start>, height: f32) -> Vec<List> {
    let mut lists: Vec<List> = Vec::new();
    while lists.len() < MOST_PAIRS {
        let Some(list) = list(&starts, lists.first(), height) else { break };
        // A hand that writes moves close behind their numbers does so all over the page.
        if lists.is_empty() && !list.is_joined() {
            starts.iter_mut().for_each(Start::read_whole);
        }
        // Numbers go on to the right.
        starts.retain_mut(|start| {
            let off = (start.left - list.x_at(start.y)) / height;
            let others =
                if off < 0.0 { list.first..start.says.len() } else { 0..(list.last() + 1).min(start.says.len()) };
            start.says[others].fill(f32::NEG_INFINITY);
            off.abs() > 2.0 * ASIDE
        });
        lists.push(list);
    }
    lists.sort_by(|a, b| a.places[0][0].total_cmp(&b.places[0][0]));
    lists
}

/// The column of which most reads as numbers that go on from row to row; after the first one at about its pitch.
fn list(starts: &[Start], main: Option<&List>, height: f32) -> Option<List> {
    let likely: Vec<(&Start, usize)> = starts
        .iter()
        .flat_map(|start| {
            let mut values: Vec<usize> = (1..start.says.len()).filter(|&value| start.says[value] > LIKELY).collect();
            values.sort_by(|&a, &b| start.says[b].total_cmp(&start.says[a]));
            values.truncate(READINGS);
            values.into_iter().map(move |value| (start, value))
        })
        .collect();
    let mut best: (f32, Vec<Number>) = (0.0, Vec::new());
    for &(a, of_a) in &likely {
        for &(b, of_b) in &likely {
            let (steps, dy, dx) = (of_b as f32 - of_a as f32, b.y - a.y, b.left - a.left);
            if !(1.0..=REACH as f32).contains(&steps) || dx.abs() > LEAN * dy + ASIDE * height {
                continue;
            }
            let pitch = dy / steps;
            let is_usual = main.is_none_or(|main| (pitch / main.pitch() - 1.0).abs() < PITCH_DIFFERS);
            if !PITCHES.contains(&(pitch / height)) || !is_usual {
                continue;
            }
            // The further apart the two, the further they tell.
            let across = |value: f32| a.left + (value - of_a as f32) / steps * dx;
            let down = |value: f32| a.y + (value - of_a as f32) * pitch;
            let far = STRAIGHT * steps.max(NEAR);
            let numbers = numbers_along(starts, &across, &down, height, of_a as f32 - far..of_b as f32 + far);
            let sum = evidence(&numbers);
            if sum > best.0 {
                best = (sum, numbers);
            }
        }
    }
    let mut numbers = best.1;
    // As the column bends, others agree that a straight one passes by.
    for _ in 0..3 {
        if numbers.len() < FEWEST {
            break;
        }
        let fit = |of: fn(&Number) -> f32| {
            bent(&numbers.iter().map(|number| (number.value as f32, of(number))).collect::<Vec<_>>())
        };
        let (across, down) = (fit(|number| number.left), fit(|number| number.y));
        let reach = numbers[0].value as f32 - REACH as f32..numbers[numbers.len() - 1].value as f32 + REACH as f32;
        numbers = numbers_along(starts, &across, &down, height, reach);
    }
    // It begins and ends with one that reads.
    let reads = |number: &Number| number.evidence > LIKELY;
    let (first, last) = (numbers.iter().position(reads)?, numbers.iter().rposition(reads)?);
    // What stands where the next numbers would may be one that is not read.
    let goes_on = |at: &usize| numbers[at - 1].value + 1 == numbers[*at].value;
    let last = (last + 1..numbers.len()).take_while(goes_on).last().unwrap_or(last);
    let mut numbers = numbers[first..=last].to_vec();
    go_on(&mut numbers, starts, height);
    for _ in 0..2 {
        if stands_aside(&numbers, height) {
            numbers.remove(0);
        }
        numbers.reverse();
    }
    let rows = numbers[numbers.len() - 1].value - numbers[0].value + 1;
    let pitch = (numbers[numbers.len() - 1].y - numbers[0].y) / (rows.max(2) - 1) as f32;
    // Letters of moves that read as numbers tell less than whole words.
    let are_words = 2 * numbers.iter().filter(|number| number.end.is_none()).count() > numbers.len();
    let enough = match main {
        Some(_) if are_words => FURTHER,
        Some(_) => FURTHER_LETTERS,
        None => ENOUGH * (pitch / height).max(LOW),
    };
    let is_list = evidence(&numbers) > enough.max(MEAN * rows as f32)
        && numbers.len() > 1
        && numbers.len() as f32 > SHARE * rows as f32;
    is_list.then(|| filled(&numbers))
}

/// Takes in the numbers that go on from the last ones where the distance from row to row becomes another one.
fn go_on(numbers: &mut Vec<Number>, starts: &[Start], height: f32) {
    while let [first, .., last] = numbers[..] {
        let (rows, down) = ((last.value - first.value).max(1) as f32, (last.y - first.y).max(1.0));
        let (pitch, lean) = (down / rows, (last.left - first.left) / down);
        let next =
            (1..=SKIPPED).flat_map(|step| starts.iter().map(move |start| (step, start))).find_map(|(step, start)| {
                let (value, dy) = (last.value + step, start.y - last.y);
                let number = Number::of(start, value).filter(|number| number.evidence > LIKELY)?;
                let aside = (start.left - last.left - lean * dy).abs() / height;
                let is_next = aside < ASIDE && WIDER.contains(&(dy / pitch - step as f32));
                is_next.then_some(number)
            });
        match next {
            Some(number) => numbers.push(number),
            None => break,
        }
    }
}

/// Whether the first of these stands further to one side than all of the next: it may be a move beside a number that is not seen.
fn stands_aside(numbers: &[Number], height: f32) -> bool {
    let [first, next @ ..] = numbers else { return false };
    let off = |number: &Number| (first.left - number.left) / height;
    next.len() >= NEXT
        && [1.0, -1.0].iter().any(|side| next[..NEXT].iter().all(|number| side * off(number) > FAR_ASIDE))
}

fn evidence(numbers: &[Number]) -> f32 {
    numbers.iter().map(|number| number.evidence.max(AGAINST)).sum()
}

/// The starts that stand where the numbers of a column are expected, in their order.
fn numbers_along(
    starts: &[Start],
    across: &dyn Fn(f32) -> f32,
    down: &dyn Fn(f32) -> f32,
    height: f32,
    reach: std::ops::Range<f32>,
) -> Vec<Number> {
    let middle = (reach.start + reach.end) / 2.0;
    let mut found: Vec<(f32, Number)> = Vec::new();
    for start in starts {
        // By the pitch there, as the column may bend.
        let mut value = middle;
        for _ in 0..STEPS {
            let pitch = down(value + 0.5) - down(value - 0.5);
            if pitch < 1.0 {
                break;
            }
            value = (value + (start.y - down(value)) / pitch).clamp(reach.start, reach.end);
        }
        let row = value.round();
        let (off, aside) = ((value - row).abs(), (start.left - across(value)).abs() / height);
        let number = Number::of(start, row.max(0.0) as usize).filter(|n| n.value >= 1 && n.evidence.is_finite());
        if off < OFF
            && aside < ASIDE
            && reach.contains(&row)
            && let Some(number) = number
        {
            found.push((number.evidence - off - aside, number));
        }
    }
    found.sort_by(|a, b| a.1.value.cmp(&b.1.value).then(b.0.total_cmp(&a.0)));
    found.dedup_by_key(|(_, number)| number.value);
    found.into_iter().map(|(_, number)| number).collect()
}

/// A smooth curve through points from left to right, by least squares; a straight line through few of them.
fn bent(points: &[(f32, f32)]) -> impl Fn(f32) -> f32 + use<> {
    let line = straight(points);
    let (first, last) = points.first().zip(points.last()).map_or((0.0, 1.0), |(first, last)| (first.0, last.0));
    let along = move |x: f32| terms((2.0 * x - first - last) / (last - first).max(1.0), 0.0);
    let weight = if points.len() < BENDS { 0.0 } else { 1.0 };
    let off = least_squares(points.iter().map(|&(x, y)| (along(x), y - line(x), weight)), RIDGE);
    move |x| line(x) + dot(&along(x), &off)
}

/// The straight line through points by least squares.
pub(super) fn straight(points: &[(f32, f32)]) -> impl Fn(f32) -> f32 + use<> {
    let count = points.len().max(1) as f32;
    let mean = |of: fn(&(f32, f32)) -> f32| points.iter().map(of).sum::<f32>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let (along, both) = points.iter().fold((1e-3, 0.0), |(along, both), point| {
        (along + (point.0 - x).powi(2), both + (point.0 - x) * (point.1 - y))
    });
    move |at| y + both / along * (at - x)
}

/// A column with the numbers between those that were read made up.
fn filled(seen: &[Number]) -> List {
    let mut places = Vec::new();
    for pair in seen.windows(2) {
        let steps = pair[1].value - pair[0].value;
        for step in 0..steps {
            let share = step as f32 / steps as f32;
            places.push([
                pair[0].left + share * (pair[1].left - pair[0].left),
                pair[0].y + share * (pair[1].y - pair[0].y),
            ]);
        }
    }
    places.push([seen[seen.len() - 1].left, seen[seen.len() - 1].y]);
    let joined = seen.iter().filter(|number| number.evidence > LIKELY);
    let joined = joined.filter_map(|number| number.end.map(|end| [number.left, number.y, end])).collect();
    List { first: seen[0].value, places, joined, evidence: evidence(seen) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::table::listed::starts::LARGEST;

    /// Words that read as numbers where `says` has one, and as nothing else.
    fn start(left: f32, y: f32, says: Option<usize>) -> Start {
        let mut evidence = vec![-0.5; LARGEST + 1];
        if let Some(value) = says {
            evidence[value] = 3.0;
        }
        Start { left, y, ends: vec![None; evidence.len()], whole: evidence.clone(), says: evidence }
    }

    /// How far off its row a hand writes.
    fn unevenly(row: usize) -> f32 {
        [0.0, 6.0, -4.0, 3.0, -7.0, 5.0, -2.0][row % 7]
    }

    fn page() -> Vec<Start> {
        let y = |row: usize| 300.0 + 40.0 * row as f32 + unevenly(row);
        let first = (0..20).map(|row| start(100.0 + row as f32, y(row), (row % 4 != 2).then_some(row + 1)));
        let second = (0..7).map(|row| start(500.0 + row as f32, y(row), (row != 3).then_some(row + 21)));
        // Of White's moves some read as numbers.
        let moves = (0..20).map(|row| start(190.0 + row as f32, y(row + 1), (row % 3 == 0).then_some(row * 7 % 9 + 1)));
        first.chain(second).chain(moves).collect()
    }

    #[test]
    fn numbers_that_go_on_from_row_to_row_are_a_list() {
        let lists = lists(page(), 24.0);
        let found: Vec<(usize, usize)> = lists.iter().map(|list| (list.first, list.last())).collect();
        assert_eq!(found, [(1, 20), (21, 27)]);
        assert!(lists[0].is_uneven());
        assert!((lists[0].pitch() - 40.0).abs() < 1.0);
        let [x, y] = lists[0].at(3.0);
        assert!((x - 102.0).abs() < 0.1 && (y - 376.0).abs() < 0.1, "the unread one stands where it is written");
        assert!((lists[1].x_at(300.0) - 500.0).abs() < 1.0);
    }

    #[test]
    fn some_first_letters_that_go_on_as_numbers_are_no_further_list() {
        let y = |row: usize| 300.0 + 40.0 * row as f32;
        let further = |count: usize, [main, joined]: [bool; 2]| {
            let row = |row: usize, x: f32, value: usize, joined: bool| {
                let mut start = start(x, y(row), Some(value));
                if joined {
                    start.whole[value] = -0.5;
                    start.ends[value] = Some(x + 30.0);
                }
                start
            };
            let beside = (0..count).map(|at| row(at, 500.0, at + 21, joined));
            lists((0..20).map(|at| row(at, 100.0, at + 1, main)).chain(beside).collect(), 24.0).len()
        };
        assert_eq!([further(3, [false, false]), further(5, [true, false])], [2, 2]);
        assert_eq!([further(3, [true, true]), further(5, [true, true])], [1, 2]);
        assert_eq!(further(5, [false, true]), 1, "a hand that leaves room behind numbers");
    }

    #[test]
    fn a_wider_gap_does_not_end_a_list() {
        let y = |row: usize| 300.0 + 40.0 * row as f32 + unevenly(row) + if row > 11 { 25.0 } else { 0.0 };
        let lists = lists((0..20).map(|row| start(100.0, y(row), Some(row + 1))).collect(), 24.0);
        assert_eq!((lists[0].first, lists[0].last()), (1, 20));
    }

    #[test]
    fn a_move_beside_a_number_that_is_not_seen_is_none_of_the_list() {
        let y = |row: usize| 300.0 + 40.0 * row as f32 + unevenly(row);
        let found = |aside: f32| {
            let left = |row: usize| if row == 0 { 100.0 + aside } else { 100.0 };
            let list = lists((0..12).map(|row| start(left(row), y(row), Some(row + 1))).collect(), 24.0).remove(0);
            (list.first, list.last(), list.x_at(300.0))
        };
        assert_eq!(found(30.0), (2, 12, 100.0));
        assert_eq!(found(-15.0), (1, 12, 85.0), "a hand writes so");
    }

    #[test]
    fn chance_numbers_are_no_list() {
        let by_chance = (0..30).map(|row| start(100.0, 300.0 + 40.0 * row as f32, Some(row * row % 17 + 1)));
        assert!(lists(by_chance.collect(), 24.0).is_empty());
    }

    #[test]
    fn printed_numbers_stand_evenly() {
        let printed =
            (0..20).map(|row| start(100.0, 300.0 + 40.0 * row as f32 + (row % 2) as f32 * 0.5, Some(row + 1)));
        assert!(!lists(printed.collect(), 24.0)[0].is_uneven());
    }
}
