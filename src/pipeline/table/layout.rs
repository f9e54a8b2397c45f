//! Other ways to lay out the columns than by the lines that were found: with pairs that were lost, or not told apart. The
//! numbers and the writing judge them.

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
    // The numbers of the next one may be narrower than their column.
    let to = pairs.get(odd + 1).map_or(f32::INFINITY, |next| next.white.left.at(middle).max(start(next)));
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
/// pair may be White's column alone, and the space Black's. None where there is less space, or none on a page of the given width,
/// and of boxes for single characters, whose columns are told for sure.
pub fn up_to_the_next(pairs: &[ColumnPair], middle: f32, page_width: f32) -> Option<Vec<ColumnPair>> {
    let spaces = pairs.windows(2).map(|two| gaps(&two[0].black.right, &two[1].first(middle).left));
    let mut spaces: Vec<Vec<f32>> = spaces.collect();
    let last = pairs.last()?;
    spaces.push(spaces.last().cloned().unwrap_or_else(|| gaps(&last.white.left, &last.black.right)));
    let wider = |(pair, space): (&ColumnPair, &Vec<f32>)| {
        let right = moved(&pair.black.right, space, 1.0);
        let (end, wider_end) = (pair.black.right.at(middle), right.at(middle));
        let width = end - pair.white.left.at(middle);
        let has_room = wider_end - end > ROOM * width && wider_end < page_width + OFF_PAGE * width;
        let pair = ColumnPair { black: Column { right, ..pair.black.clone() }, ..pair.clone() }.balanced();
        (has_room && pair.between.is_none() && pair.white.inner.is_empty()).then_some(pair)
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
pub(super) fn gaps(from: &Curve, to: &Curve) -> Vec<f32> {
    from.y.iter().zip(&to.y).map(|(from, to)| to - from).collect()
}

/// A line so many times a step aside.
pub(super) fn moved(line: &Curve, step: &[f32], times: f32) -> Curve {
    Curve { y: line.y.iter().zip(step).map(|(at, step)| at + times * step).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::table::columns::pair;

    fn curves(lines: &[f32]) -> Vec<Curve> {
        lines.iter().map(|&x| Curve { y: vec![x; 40] }).collect()
    }

    #[test]
    fn pairs_reach_to_the_next_where_there_is_room_for_another_column() {
        let pairs = pair(&curves(&[200.0, 230.0, 280.0, 330.0, 420.0, 450.0, 500.0, 550.0]), 30.0, 100.0).unwrap();
        let wider = up_to_the_next(&pairs, 100.0, 700.0).unwrap();
        let sides = |pair: &ColumnPair| [pair.white.at(100.0), pair.black.at(100.0)];
        assert_eq!(sides(&wider[0]), [(230.0, 325.0), (325.0, 420.0)]);
        assert_eq!(sides(&wider[1]), [(450.0, 545.0), (545.0, 640.0)], "the last as far as the one before it");
        assert!(up_to_the_next(&wider, 100.0, 900.0).is_none(), "no room is left");
        let alone = up_to_the_next(&pairs[1..], 100.0, 700.0).unwrap();
        assert_eq!(sides(&alone[0]), [(450.0, 550.0), (550.0, 650.0)], "twice as wide");
        assert!(up_to_the_next(&pairs[1..], 100.0, 600.0).is_none(), "over the edge of the page");
        let boxes: Vec<f32> = (0..15).map(|at| 104.0 + 60.0 * at as f32).collect();
        let boxed = pair(&curves(&[vec![0.0], boxes].concat()), 25.0, 100.0).unwrap();
        assert!(up_to_the_next(&boxed, 100.0, 2000.0).is_none(), "columns of boxes");
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
    fn a_pair_laid_out_as_another_may_reach_over_the_numbers_of_the_next_but_not_its_moves() {
        let lines = |lines: [f32; 4]| pair(&curves(&lines), 28.0, 100.0).unwrap().remove(0);
        let ends = |next: f32| -> Vec<f32> {
            let pairs = [lines([10.0, 40.0, 140.0, 215.0]), lines([next, 30.0 + next, 130.0 + next, 230.0 + next])];
            like_others(&pairs, 0, 100.0).iter().map(|pair| pair.black.right.at(0.0)).collect()
        };
        assert_eq!(ends(220.0), [240.0, 240.0]);
        assert!(ends(195.0).is_empty());
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
    fn no_pair_begins_off_the_page() {
        // Numbers between the columns: White's moves of one more pair would begin beyond the edge.
        let pairs = pair(&curves(&[100.0, 180.0, 210.0, 290.0]), 28.0, 100.0).unwrap();
        assert!(one_more(&pairs, true, 100.0, 900.0).is_none());
        assert!(one_more(&pairs, false, 100.0, 900.0).is_some());
    }
}
