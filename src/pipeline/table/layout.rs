//! Other ways to lay out the columns than by the lines that were found: with pairs that were lost, taken one column off, or
//! not told apart. The numbers and the writing judge them.

use super::columns::{UNEVEN, alike};
use super::grid::{Column, ColumnPair};
use super::lines::Curve;

/// Share of its width by which a pair of columns may reach over the edge of the page.
const OFF_PAGE: f32 = 0.05;
/// Share of a pair's width that may hold another column beside it.
const ROOM: f32 = 0.5;

/// Pairs with one more to the left, or to the right, laid out as the others and as far from the next as these are from
/// each other; none where there is no room on a page of the given width.
pub fn one_more(pairs: &[ColumnPair], leftwards: bool, middle: f32, page_width: f32) -> Option<Vec<ColumnPair>> {
    let (first, last) = (pairs.first()?, pairs.last()?);
    let (outer, inner) = if leftwards { (first, pairs.get(1)) } else { (last, pairs.iter().nth_back(1)) };
    outer.numbers.as_ref()?;
    let (from, to) = (&outer.first(middle).left, &outer.black.right);
    let (step, times) = match inner {
        Some(inner) => (gaps(&inner.white.left, &outer.white.left), 1.0),
        None => (gaps(from, to), if leftwards { -1.0 } else { 1.0 }),
    };
    let pair = outer.moved(|line| moved(line, &step, times));
    let spare = OFF_PAGE * (to.at(middle) - from.at(middle));
    let (left, right) = (pair.first(middle).left.at(middle), pair.black.right.at(middle));
    (left > -spare && right < page_width + spare).then(|| {
        let mut pairs = pairs.to_vec();
        pairs.insert(if leftwards { 0 } else { pairs.len() }, pair);
        pairs
    })
}

/// Pairs with one more where the space between two of them is as wide as a pair, laid out as the one to its left, and the
/// index of the new one; none where there is no such space.
pub fn one_between(pairs: &[ColumnPair], middle: f32) -> Option<(Vec<ColumnPair>, usize)> {
    let left = |pair: &ColumnPair| pair.first(middle).left.at(middle);
    let is_missing = |two: &[ColumnPair]| {
        let (from, to) = (left(&two[0]), two[0].black.right.at(middle));
        let share = (left(&two[1]) - to) / (to - from).max(1.0);
        (1.0 - UNEVEN..1.0 + UNEVEN).contains(&share)
    };
    let before = pairs.windows(2).position(is_missing)?;
    let (here, next) = (&pairs[before], &pairs[before + 1]);
    let step = gaps(&here.black.right, &next.black.right);
    let mut more = pairs.to_vec();
    more.insert(before + 1, here.moved(|line| moved(line, &step, 0.5)));
    Some((more, before + 1))
}

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

/// Twice as many pairs, with numbers half way between those that were seen and behind the last where the page has room; none
/// where a pair has no numbers.
pub fn twice_as_many(pairs: &[ColumnPair], middle: f32, page_width: f32) -> Option<Vec<ColumnPair>> {
    let numbers: Vec<&Column> = pairs.iter().map(|pair| pair.numbers.as_ref()).collect::<Option<_>>()?;
    let mut steps: Vec<Vec<f32>> = numbers.windows(2).map(|two| gaps(&two[0].left, &two[1].left)).collect();
    steps.push(steps.last()?.clone());
    let halves = numbers.iter().zip(&steps).flat_map(|(numbers, step)| [(*numbers, step, 0.0), (*numbers, step, 0.5)]);
    let pair = |(numbers, step, times): (&Column, &Vec<f32>, f32)| {
        let line = |line: &Curve| moved(line, step, times);
        let (left, right) = (line(&numbers.left), line(&numbers.right));
        let column =
            |left: &Curve, right: &Curve| Column { left: left.clone(), right: right.clone(), inner: Vec::new() };
        let next = moved(&left, step, 0.5);
        let white = column(&right, &next);
        ColumnPair { numbers: Some(column(&left, &right)), between: None, black: white.clone(), white }.balanced()
    };
    Some(halves.map(pair).filter(|pair| pair.white.right.at(middle) < page_width).collect())
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

/// Ways to lay out one pair as the others, where it is laid out otherwise: its numbers stay, or the line between White's and
/// Black's moves.
pub fn like_others(pairs: &[ColumnPair], odd: usize, middle: f32) -> Vec<ColumnPair> {
    fn between(pair: &ColumnPair) -> &Curve {
        &pair.black.left
    }
    fn numbers(pair: &ColumnPair) -> &Curve {
        pair.numbers.as_ref().map_or(&pair.white.left, |numbers| &numbers.left)
    }
    let end = |pair: &ColumnPair| pair.black.right.at(middle);
    let start = |pair: &ColumnPair| pair.first(middle).left.at(middle);
    let from = odd.checked_sub(1).map_or(f32::NEG_INFINITY, |before| end(&pairs[before]));
    let to = pairs.get(odd + 1).map_or(f32::INFINITY, start);
    let own = &pairs[odd];
    let others = pairs.iter().filter(|other| !alike(&[own.clone(), (*other).clone()], middle));
    let aligned = |other: &ColumnPair, line: fn(&ColumnPair) -> &Curve| {
        let step = gaps(line(other), line(own));
        other.moved(|line| moved(line, &step, 1.0))
    };
    let placed = others.flat_map(|other| [aligned(other, between), aligned(other, numbers)]);
    placed
        .filter(|pair| {
            let spare = OFF_PAGE * (end(pair) - start(pair));
            start(pair) > from - spare && end(pair) < to + spare
        })
        .collect()
}

/// Pairs that reach to the next one each, and the last as far, where much space is left between them: what was taken for a
/// pair may be White's column alone, and the space Black's. None where there is less space.
pub fn up_to_the_next(pairs: &[ColumnPair], middle: f32) -> Option<Vec<ColumnPair>> {
    let spaces = pairs.windows(2).map(|two| gaps(&two[0].black.right, &two[1].first(middle).left));
    let mut spaces: Vec<Vec<f32>> = spaces.collect();
    let last = pairs.last()?;
    spaces.push(spaces.last().cloned().unwrap_or_else(|| gaps(&last.white.left, &last.black.right)));
    let wider = |(pair, space): (&ColumnPair, &Vec<f32>)| {
        let right = moved(&pair.black.right, space, 1.0);
        let (is_wider, black) = (
            right.at(middle) - pair.black.right.at(middle)
                > ROOM * (pair.black.right.at(middle) - pair.white.left.at(middle)),
            Column { right, ..pair.black.clone() },
        );
        let pair = ColumnPair { black, ..pair.clone() }.balanced();
        (is_wider && pair.between.is_none()).then_some(pair)
    };
    pairs.iter().zip(&spaces).map(wider).collect()
}

/// Columns in which two moves stand beside each other, the lines between them lost, as pairs: those of White with their
/// numbers, and those of Black, whose numbers are not told from the moves.
pub fn doubled(pairs: &[ColumnPair]) -> [Vec<ColumnPair>; 2] {
    let halves = |numbers: &Option<Column>, column: &Column| {
        let (white, black) = (column.clone(), column.clone());
        ColumnPair { numbers: numbers.clone(), between: None, white, black }.balanced()
    };
    let firsts = pairs.iter().map(|pair| halves(&pair.numbers, &pair.white)).collect();
    [firsts, pairs.iter().map(|pair| halves(&None, &pair.black)).collect()]
}

impl ColumnPair {
    /// The same with the line between White's and Black's moves in the middle.
    pub fn balanced(&self) -> Self {
        let step = gaps(&self.white.left, &self.black.right);
        let between = moved(&self.white.left, &step, 0.5);
        Self {
            white: Column { right: between.clone(), ..self.white.clone() },
            black: Column { left: between, ..self.black.clone() },
            ..self.clone()
        }
    }
}

/// From strip to strip how far one line lies beside another.
fn gaps(from: &Curve, to: &Curve) -> Vec<f32> {
    from.y.iter().zip(&to.y).map(|(from, to)| to - from).collect()
}

/// A line so many times a step aside.
fn moved(line: &Curve, step: &[f32], times: f32) -> Curve {
    Curve { y: line.y.iter().zip(step).map(|(at, step)| at + times * step).collect() }
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
    fn pairs_reach_to_the_next_where_there_is_room_for_another_column() {
        let pairs = pair(&curves(&[200.0, 230.0, 280.0, 330.0, 420.0, 450.0, 500.0, 550.0]), 30.0, 100.0).unwrap();
        let wider = up_to_the_next(&pairs, 100.0).unwrap();
        let sides = |pair: &ColumnPair| [pair.white.at(100.0), pair.black.at(100.0)];
        assert_eq!(sides(&wider[0]), [(230.0, 325.0), (325.0, 420.0)]);
        assert_eq!(sides(&wider[1]), [(450.0, 545.0), (545.0, 640.0)], "the last as far as the one before it");
        assert!(up_to_the_next(&wider, 100.0).is_none(), "no room is left");
        let alone = up_to_the_next(&pairs[1..], 100.0).unwrap();
        assert_eq!(sides(&alone[0]), [(450.0, 550.0), (550.0, 650.0)], "twice as wide");
    }

    #[test]
    fn one_more_pair_is_laid_out_as_the_others() {
        let curves = curves(&[200.0, 230.0, 310.0, 390.0, 420.0, 450.0, 530.0, 610.0]);
        let pairs = pair(&curves, 30.0, 100.0).unwrap();
        let left = |leftwards: bool, width: f32| -> Option<Vec<f32>> {
            let pairs = one_more(&pairs, leftwards, 100.0, width)?;
            Some(pairs.iter().map(|pair| pair.white.left.at(100.0)).collect())
        };
        assert_eq!(left(false, 850.0), Some(vec![230.0, 450.0, 670.0]));
        assert_eq!(left(false, 800.0), None, "no room");
        assert_eq!(left(true, 850.0), None, "no room");
    }

    #[test]
    fn a_pair_between_two_others_is_laid_out_as_they_are() {
        let lines = [200.0, 230.0, 310.0, 390.0, 580.0, 610.0, 690.0, 770.0];
        let curves = curves(&lines);
        let pairs = pair(&curves, 30.0, 100.0).unwrap();
        let (more, new) = one_between(&pairs, 100.0).unwrap();
        let left: Vec<f32> = more.iter().map(|pair| pair.white.left.at(100.0)).collect();
        assert_eq!((left, new), (vec![230.0, 420.0, 610.0], 1));
        assert!(one_between(&more, 100.0).is_none());
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
    fn between_numbers_that_skip_a_pair_there_are_others() {
        let pairs = pair(&curves(&[100.0, 130.0, 300.0, 500.0, 530.0, 700.0, 900.0]), 28.0, 100.0).unwrap();
        let found = twice_as_many(&pairs, 100.0, 900.0).unwrap();
        let places: Vec<[f32; 3]> = found
            .iter()
            .map(|pair| [pair.first(100.0).left.at(0.0), pair.white.left.at(0.0), pair.black.left.at(0.0)])
            .collect();
        let expected = |left: f32| [left, left + 30.0, left + 115.0];
        assert_eq!(places, [expected(100.0), expected(300.0), expected(500.0), expected(700.0)]);
        assert_eq!(twice_as_many(&pairs, 100.0, 780.0).unwrap().len(), 3, "no room");
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
    fn a_pair_is_laid_out_as_another() {
        let lines = |lines: [f32; 4]| pair(&curves(&lines), 28.0, 100.0).unwrap().remove(0);
        // The first column of moves begins too late, or the line in its middle stands too far to the left.
        for odd in [[10.0, 95.0, 140.0, 240.0], [10.0, 40.0, 100.0, 240.0]] {
            let line = curves(&odd);
            let [numbers, white, black] =
                [0, 1, 2].map(|k| Column { left: line[k].clone(), right: line[k + 1].clone(), inner: Vec::new() });
            let odd = ColumnPair { numbers: Some(numbers), between: None, white, black };
            let pairs = [odd, lines([260.0, 290.0, 390.0, 490.0])];
            let places: Vec<[f32; 3]> = like_others(&pairs, 0, 100.0)
                .iter()
                .map(|p| [p.white.left.at(0.0), p.black.left.at(0.0), p.black.right.at(0.0)])
                .collect();
            assert!(places.contains(&[40.0, 140.0, 240.0]), "{places:?}");
        }
        let alike = [lines([10.0, 40.0, 140.0, 240.0]), lines([260.0, 292.0, 393.0, 490.0])];
        assert!(like_others(&alike, 0, 100.0).is_empty());
    }

    #[test]
    fn columns_of_two_moves_are_pairs() {
        let pairs = pair(&curves(&[10.0, 40.0, 240.0, 470.0]), 28.0, 100.0).unwrap();
        let [first, second] = doubled(&pairs);
        let found = [&first[0], &second[0]];
        let places: Vec<[f32; 2]> = found.iter().map(|p| [p.white.left.at(0.0), p.black.left.at(0.0)]).collect();
        assert_eq!(places, [[40.0, 140.0], [240.0, 355.0]]);
        assert!(first[0].numbers.is_some() && second[0].numbers.is_none());
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
    fn no_pair_begins_off_the_page() {
        // Numbers between the columns: White's moves of one more pair would begin beyond the edge.
        let pairs = pair(&curves(&[100.0, 180.0, 210.0, 290.0]), 28.0, 100.0).unwrap();
        assert!(one_more(&pairs, true, 100.0, 900.0).is_none());
        assert!(one_more(&pairs, false, 100.0, 900.0).is_some());
    }
}
