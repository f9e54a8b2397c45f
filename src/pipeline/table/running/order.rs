//! Which parts are the numbers and the moves of a game, in their order: the best sum of what each of them says, by dynamic
//! programming.

use crate::game::Colour;
use crate::pipeline::numbers::anchor::LARGEST;

/// What a move of usual width says that reads as one, more so the surer it is read and the wider it is: `e2-e4` is one move and
/// not two. What one costs that does not.
const MOVE: f32 = 1.0;
const USUAL: f32 = 2.5;
const WEIGHTS: std::ops::Range<f32> = 0.5..2.0;
const NO_MOVE: f32 = -1.0;
/// Narrowest move, in heights of a letter.
const NARROWEST: f32 = 0.7;
/// Bounds of what a number says (natural logarithm), and what one says that begins a part with a move.
const NUMBER: std::ops::Range<f32> = -2.0..3.0;
const LEADING: f32 = 1.5;
/// Prices of a number and a move that are not there, of a sign that is passed over, and of a first number other than 1.
const NO_NUMBER: f32 = -2.0;
const LEFT_OUT: f32 = -5.0;
const PASSED_OVER: f32 = -1.2;
const LATER: f32 = -3.0;

/// What a part may be.
#[derive(Debug, Clone)]
pub(super) struct Said<'a> {
    /// The signs from which to which it stands.
    pub first: usize,
    pub end: usize,
    /// For each number how much likelier it is than the average one (natural logarithm).
    pub numbers: &'a [f32],
    /// How sure a move is read, 0 to 1; none where it does not read as one.
    pub is_move: Option<f32>,
    /// The number with which it begins, and how sure the move behind that is read.
    pub both: Option<(usize, f32)>,
    /// In heights of a letter.
    pub width: f32,
}

/// A move among the parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub number: usize,
    pub colour: Colour,
    /// Of the parts.
    pub part: usize,
    /// The number stands in the same part.
    pub both: bool,
    /// What the number before White's move says; 0 where there is none.
    pub says: f32,
}

/// What comes next: a number, White's or Black's move.
const STATES: usize = 3;

#[derive(Debug, Clone, Copy)]
enum Step {
    Start,
    PassedOver,
    /// Something that is not there.
    LeftOut,
    Part(usize),
}

/// The moves of a game in `signs` signs, and what they say together.
pub(super) fn order(said: &[Said], signs: usize) -> (f32, Vec<Place>) {
    let numbers = LARGEST as usize;
    let width = (numbers + 2) * STATES;
    let at = |sign: usize, number: usize, state: usize| sign * width + number * STATES + state;
    let mut best = vec![(f32::NEG_INFINITY, Step::Start, 0usize); (signs + 1) * width];
    let mut beginning: Vec<Vec<usize>> = vec![Vec::new(); signs];
    for (index, part) in said.iter().enumerate() {
        beginning[part.first].push(index);
    }
    for sign in 0..=signs {
        for number in 1..=numbers {
            let start = if number == 1 { 0.0 } else { LATER };
            let here = &mut best[at(sign, number, 0)];
            if start > here.0 {
                *here = (start, Step::Start, 0);
            }
            for state in 0..STATES {
                let here = at(sign, number, state);
                let sum = best[here].0;
                if sum == f32::NEG_INFINITY {
                    continue;
                }
                let next = if state == 2 { (number + 1, 0) } else { (number, state + 1) };
                let mut offer = |to: usize, gain: f32, step: Step| {
                    if sum + gain > best[to].0 {
                        best[to] = (sum + gain, step, here);
                    }
                };
                offer(at(sign, next.0, next.1), if state == 0 { NO_NUMBER } else { LEFT_OUT }, Step::LeftOut);
                let Some(parts) = beginning.get(sign) else { continue };
                offer(at(sign + 1, number, state), PASSED_OVER, Step::PassedOver);
                for &index in parts {
                    let part = &said[index];
                    let weight = (part.width / USUAL).clamp(WEIGHTS.start, WEIGHTS.end);
                    let of_move = |sure: Option<f32>| sure.map_or(NO_MOVE, |sure| weight * (MOVE + sure));
                    match state {
                        0 => {
                            let says = part.numbers[number].clamp(NUMBER.start, NUMBER.end);
                            offer(at(part.end, number, 1), says, Step::Part(index));
                            if let Some((_, sure)) = part.both.filter(|(value, _)| *value == number) {
                                offer(at(part.end, number, 2), LEADING + of_move(Some(sure)), Step::Part(index));
                            }
                        }
                        _ if part.is_move.is_some() || part.width > NARROWEST => {
                            offer(at(part.end, next.0, next.1), of_move(part.is_move), Step::Part(index));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    let mut place = (0..best.len()).max_by(|&a, &b| best[a].0.total_cmp(&best[b].0)).unwrap_or(0);
    let sum = best[place].0;
    let mut moves: Vec<Place> = Vec::new();
    loop {
        let (_, step, before) = best[place];
        if matches!(step, Step::Start) {
            break;
        }
        if let Step::Part(part) = step {
            let (number, state, after) = (before % width / STATES, before % STATES, place % STATES);
            let both = state == 0 && after != 1;
            let colour = if state == 2 { Colour::Black } else { Colour::White };
            let says = if both { LEADING } else { 0.0 };
            if state != 0 || both {
                moves.push(Place { number, colour, part, both, says });
            } else if let Some(white) = moves.last_mut().filter(|place| place.number == number) {
                white.says = said[part].numbers[number];
            }
        }
        place = before;
    }
    moves.reverse();
    (sum, moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number as which a word reads.
    fn number(word: &str) -> Option<usize> {
        word.trim_end_matches('.').parse().ok()
    }

    /// What words say as numbers.
    fn numbers(text: &str) -> Vec<Vec<f32>> {
        let says = |word: &str| {
            let mut says = vec![-0.5; LARGEST as usize + 1];
            if let Some(value) = number(word) {
                says[value] = 3.0;
            }
            says
        };
        text.split(' ').map(says).collect()
    }

    /// Parts of one sign each: numbers, moves, a number with a move, or something else.
    fn said<'a>(text: &str, numbers: &'a [Vec<f32>]) -> Vec<Said<'a>> {
        let part = |(at, (word, numbers)): (usize, (&str, &'a Vec<f32>))| {
            let both = word.split_once('.').filter(|(_, rest)| !rest.is_empty()).and_then(|(value, _)| number(value));
            Said {
                first: at,
                end: at + 1,
                numbers,
                is_move: (number(word).is_none() && both.is_none() && !word.contains('?')).then_some(0.8),
                both: both.map(|value| (value, 0.8)),
                width: 2.5,
            }
        };
        text.split(' ').zip(numbers).enumerate().map(part).collect()
    }

    fn moves(text: &str) -> Vec<(usize, Colour, usize)> {
        let numbers = numbers(text);
        let said = said(text, &numbers);
        order(&said, said.len()).1.into_iter().map(|place| (place.number, place.colour, place.part)).collect()
    }

    #[test]
    fn numbers_and_moves_are_told_by_their_order() {
        use Colour::{Black, White};
        assert_eq!(
            moves("? ? 1. e4 e5 2. Nf3 Nc6 3.Bb5 a6"),
            [(1, White, 3), (1, Black, 4), (2, White, 6), (2, Black, 7), (3, White, 8), (3, Black, 9)]
        );
        // A move that does not read as one, and a number that does not.
        assert_eq!(
            moves("1. e4 ? 2. Nf3 Nc6 ? Bb5 a6 4. Ba4 Nf6"),
            [
                (1, White, 1),
                (1, Black, 2),
                (2, White, 4),
                (2, Black, 5),
                (3, White, 7),
                (3, Black, 8),
                (4, White, 10),
                (4, Black, 11)
            ]
        );
    }

    #[test]
    fn a_sheet_that_goes_on_begins_with_a_later_number() {
        let moves = moves("21. e4 e5 22. Nf3 Nc6 23. Bb5 a6");
        assert_eq!((moves.len(), moves[0].0, moves[5].0), (6, 21, 23));
    }
}
