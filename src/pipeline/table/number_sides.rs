//! Other sides of the moves on which their numbers may stand than was thought: columns taken one off are grouped anew.

use super::grid::{Column, ColumnPair};
use super::layout::{gaps, moved};
use super::lines::Curve;
use super::number_columns::NumberColumn;

/// Pairs that were taken one column too far to the right, with their numbers between White's and Black's moves, grouped
/// anew: the numbers come first, and the first and the last pair, of which half was seen, are laid out as those between
/// them. None where the numbers stand elsewhere.
pub fn regrouped(pairs: &[ColumnPair], middle: f32, page_width: f32) -> Option<Vec<ColumnPair>> {
    if let [only] = pairs {
        return regrouped_alone(only, middle, page_width).map(|pair| vec![pair]);
    }
    let inner = pairs.windows(2).map(|two| {
        let numbers =
            two[0].numbers.clone().filter(|numbers| numbers.left.at(middle) > two[0].white.left.at(middle))?;
        let (white, black) = (two[0].black.clone(), two[1].white.clone());
        Some(ColumnPair { numbers: Some(numbers), between: None, white, black })
    });
    let inner: Vec<ColumnPair> = inner.collect::<Option<_>>()?;
    let (first, last) = (inner.first()?, inner.last()?);
    let (before, behind) = (&pairs[0].white, &pairs[pairs.len() - 1].black);
    let aside = |pair: &ColumnPair, from: &Column, to: &Column| {
        let step = gaps(&from.left, &to.left);
        pair.moved(|line| moved(line, &step, 1.0))
    };
    let mut out = vec![aside(first, &first.black, before)];
    out.extend(inner.iter().cloned());
    let after = aside(last, &last.white, behind);
    out.extend((after.black.right.at(middle) < page_width).then_some(after));
    (out[0].numbers.as_ref()?.left.at(middle) > 0.0).then_some(out)
}

/// A single pair with its numbers between White's and Black's moves, if they come first: White's moves are where Black's
/// were thought to be, and Black's beside them.
fn regrouped_alone(pair: &ColumnPair, middle: f32, page_width: f32) -> Option<ColumnPair> {
    let numbers = pair.numbers.clone().filter(|numbers| numbers.left.at(middle) > pair.white.left.at(middle))?;
    let white = pair.black.clone();
    let step = gaps(&white.left, &white.right);
    let black = Column { left: white.right.clone(), right: moved(&white.right, &step, 1.0), inner: Vec::new() };
    let room = black.right.at(middle) < page_width;
    room.then_some(ColumnPair { numbers: Some(numbers), between: None, white, black })
}

/// Pairs whose numbers stand between White's and Black's moves, though they were taken to come first: what was taken for
/// White's moves is Black's, and White's stand before the numbers. None where there is no room for those of the first pair.
pub fn numbers_between(pairs: &[ColumnPair], middle: f32) -> Option<Vec<ColumnPair>> {
    let first = pairs.first()?;
    let numbers = first.numbers_before(middle)?;
    let step: Vec<f32> = match pairs.get(1) {
        Some(next) => gaps(&numbers.left, &next.numbers.as_ref()?.left),
        None => gaps(&numbers.left, &first.black.right),
    };
    let before = Column {
        left: moved(&first.black.left, &step, -1.0),
        right: moved(&first.black.right, &step, -1.0),
        inner: Vec::new(),
    };
    let whites = std::iter::once(&before).chain(pairs.iter().map(|pair| &pair.black));
    let out = pairs.iter().zip(whites).map(|(pair, white)| ColumnPair {
        numbers: pair.numbers.clone(),
        between: None,
        white: white.clone(),
        black: pair.white.clone(),
    });
    (before.left.at(middle) > 0.0).then(|| out.collect())
}

/// Pairs whose numbers come first, though White's moves were taken to stand before them: what was taken for Black's moves is
/// White's, and Black's stand where the next pair's White was thought to. None of a single pair, or one without numbers.
pub fn numbers_first(pairs: &[ColumnPair]) -> Option<Vec<ColumnPair>> {
    let numbers: Vec<&Column> = pairs.iter().map(|pair| pair.numbers.as_ref()).collect::<Option<_>>()?;
    let [.., before, last] = numbers[..] else { return None };
    let step = gaps(&before.left, &last.left);
    let behind = |column: &Column| Column {
        left: moved(&column.left, &step, 1.0),
        right: moved(&column.right, &step, 1.0),
        inner: Vec::new(),
    };
    let last = behind(&pairs[pairs.len() - 1].white);
    let blacks = pairs[1..].iter().map(|pair| &pair.white).chain([&last]);
    let pair = |(pair, black): (&ColumnPair, &Column)| ColumnPair {
        numbers: pair.numbers.clone(),
        between: None,
        white: pair.black.clone(),
        black: black.clone(),
    };
    Some(pairs.iter().zip(blacks).map(pair).collect())
}

/// Pairs laid out around their numbers: White's moves stand before these and Black's behind them, and they meet half way from
/// numbers to numbers, wherever lines were seen; those of a single pair reach as far to either side. None where a pair has no
/// numbers before its moves, or there is no room.
pub fn around_numbers(pairs: &[ColumnPair], middle: f32) -> Option<Vec<ColumnPair>> {
    let numbers: Vec<&Column> = pairs.iter().map(|pair| pair.numbers_before(middle)).collect::<Option<_>>()?;
    let mut spaces: Vec<Vec<f32>> = numbers.windows(2).map(|two| gaps(&two[0].right, &two[1].left)).collect();
    if let ([only], [numbers]) = (pairs, &numbers[..]) {
        spaces.push(gaps(&numbers.right, &only.black.right).iter().map(|gap| 2.0 * gap).collect());
    }
    let last = spaces.len().checked_sub(1)?;
    let pair = |(index, numbers): (usize, &&Column)| {
        let (left, right) = (&spaces[index.saturating_sub(1)], &spaces[index.min(last)]);
        let column = |left: Curve, right: Curve| Column { left, right, inner: Vec::new() };
        ColumnPair {
            numbers: Some((*numbers).clone()),
            between: None,
            white: column(moved(&numbers.left, left, -0.5), numbers.left.clone()),
            black: column(numbers.right.clone(), moved(&numbers.right, right, 0.5)),
        }
    };
    let out: Vec<ColumnPair> = numbers.iter().enumerate().map(pair).collect();
    (out[0].white.left.at(middle) > 0.0).then_some(out)
}

/// The pairs between numbers before White's moves and, where they were seen, the same numbers behind Black's: the moves meet half
/// way. Where they were not, a pair is as wide as the first of those where they were; none where that is nowhere.
pub(super) fn flanked(sides: &[(NumberColumn, Option<NumberColumn>)]) -> Option<Vec<ColumnPair>> {
    let right = |behind: &Option<NumberColumn>| Some(behind.as_ref()?.place().left);
    let room = sides.iter().find_map(|(before, behind)| Some(gaps(&before.place().right, &right(behind)?)))?;
    let pair = |(before, behind): &(NumberColumn, Option<NumberColumn>)| {
        let numbers = before.place();
        let left = numbers.right.clone();
        let right = right(behind).unwrap_or_else(|| moved(&left, &room, 1.0));
        let moves = Column { left, right, inner: Vec::new() };
        ColumnPair { numbers: Some(numbers), between: None, white: moves.clone(), black: moves }.balanced()
    };
    Some(sides.iter().map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::table::columns::pair;

    fn curves(lines: &[f32]) -> Vec<Curve> {
        lines.iter().map(|&x| Curve { y: vec![x; 40] }).collect()
    }

    fn whites(pairs: &[ColumnPair]) -> Vec<f32> {
        pairs.iter().map(|pair| pair.white.left.at(0.0)).collect()
    }

    #[test]
    fn numbers_are_put_before_the_moves_again() {
        // Black's moves, numbers, White's moves: the line before White's first column was lost.
        let lines = [130.0, 210.0, 240.0, 320.0, 400.0, 430.0, 510.0];
        let curves = curves(&lines);
        let pairs = pair(&curves, 28.0, 100.0).unwrap();
        assert_eq!(pairs.iter().map(|pair| pair.white.left.at(0.0)).collect::<Vec<_>>(), [130.0, 320.0]);
        let places = |width: f32| -> Option<Vec<f32>> {
            Some(regrouped(&pairs, 100.0, width)?.iter().map(|pair| pair.white.left.at(0.0)).collect())
        };
        assert_eq!(places(620.0), Some(vec![50.0, 240.0, 430.0]));
        assert_eq!(places(570.0), Some(vec![50.0, 240.0]));
    }

    #[test]
    fn moves_before_the_first_numbers_are_whites() {
        // White, numbers, Black; the first line and the last were lost.
        let pairs = pair(&curves(&[110.0, 140.0, 220.0, 300.0, 330.0, 410.0, 490.0]), 28.0, 100.0).unwrap();
        assert_eq!(whites(&pairs), [140.0, 330.0]);
        let found = numbers_between(&pairs, 100.0).unwrap();
        let places: Vec<[f32; 2]> = found.iter().map(|p| [p.white.left.at(0.0), p.black.left.at(0.0)]).collect();
        assert_eq!(places, [[30.0, 140.0], [220.0, 330.0]]);
        // And back again, the last column of Black's moves as far behind the one before as the numbers are.
        let again = numbers_first(&found).unwrap();
        let places: Vec<[f32; 2]> = again.iter().map(|p| [p.white.left.at(0.0), p.black.left.at(0.0)]).collect();
        assert_eq!(places, [[140.0, 220.0], [330.0, 410.0]]);
        assert!(numbers_first(&found[..1]).is_none());
    }

    #[test]
    fn moves_are_laid_out_around_numbers() {
        // The lines between White's and Black's moves were lost.
        let column = |left: f32, right: f32| {
            let lines = curves(&[left, right]);
            Column { left: lines[0].clone(), right: lines[1].clone(), inner: Vec::new() }
        };
        let pair = |left: f32| ColumnPair {
            numbers: Some(column(left, left + 30.0)),
            between: None,
            white: column(left + 30.0, left + 190.0),
            black: column(left + 190.0, left + 300.0),
        };
        let pairs = [pair(110.0), pair(300.0)];
        let found = around_numbers(&pairs, 100.0).unwrap();
        let places = |pair: &ColumnPair| [pair.white.at(100.0), pair.black.at(100.0)];
        assert_eq!(places(&found[0]), [(30.0, 110.0), (140.0, 220.0)]);
        assert_eq!(places(&found[1]), [(220.0, 300.0), (330.0, 410.0)]);
        assert!(around_numbers(&[pair(60.0), pair(250.0)], 100.0).is_none(), "no room");
        let found = around_numbers(&[pair(300.0)], 100.0).unwrap();
        assert_eq!(places(&found[0]), [(30.0, 300.0), (330.0, 600.0)], "as far to either side");
    }

    #[test]
    fn numbers_come_first_in_a_pair_that_stands_alone() {
        // Black's moves of the pair before, numbers, White's moves.
        let pairs = pair(&curves(&[110.0, 190.0, 220.0, 300.0]), 28.0, 100.0).unwrap();
        let places = |width: f32| -> Option<[f32; 4]> {
            let found = regrouped(&pairs, 100.0, width)?;
            let [only] = &found[..] else { return None };
            let (white, black) = (only.white.at(0.0), only.black.at(0.0));
            Some([white.0, white.1, black.0, black.1])
        };
        assert_eq!(places(400.0), Some([220.0, 300.0, 300.0, 380.0]));
        assert_eq!(places(370.0), None, "no room");
    }

    #[test]
    fn the_same_numbers_may_stand_on_both_sides_of_the_moves() {
        let numbers = |x: f32| NumberColumn { middle: Curve { y: vec![x; 40] }, half_width: 8.0, height: 14.0 };
        let found = flanked(&[(numbers(60.0), Some(numbers(460.0))), (numbers(520.0), None)]).unwrap();
        let at = |column: &Column| column.left.at(400.0);
        let places: Vec<[f32; 4]> = found
            .iter()
            .map(|pair| {
                [at(pair.numbers.as_ref().unwrap()), at(&pair.white), at(&pair.black), pair.black.right.at(400.0)]
            })
            .collect();
        assert_eq!(places, [[45.0, 75.0, 260.0, 445.0], [505.0, 535.0, 720.0, 905.0]]);
        assert!(flanked(&[(numbers(60.0), None)]).is_none(), "nowhere behind the moves");
    }
}
