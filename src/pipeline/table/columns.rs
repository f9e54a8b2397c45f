//! Which columns of a table hold moves: told by their widths, since those of all move columns are alike.

use super::boxes;
use super::grid::{Column, ColumnPair};
use super::lines::Curve;
use crate::game::Colour;

/// Widths of move columns in units of the row's height: the narrowest, and against the typical one of the table.
pub(super) const NARROWEST_MOVE: f32 = 1.5;
const NARROWER: f32 = 0.7;
const WIDER: f32 = 1.6;
/// The narrowest column of numbers, in units of the row's height.
const NARROWEST_NUMBER: f32 = 0.5;
/// Pairs of columns that a form has at most.
pub(crate) const MOST_PAIRS: usize = 5;
/// How much the widths of columns of one kind may differ.
pub(crate) const UNEVEN: f32 = 0.15;
/// Columns from one pair to the next: numbers, moves, remarks and the space behind them.
const GROUP: std::ops::RangeInclusive<usize> = 3..=5;

/// As [`pair`], but leaves out up to two lines where there are then more pairs, alike, over the whole width between the
/// outermost lines: letters that stand below each other in every row can pass for a line.
pub fn pair_without_strays(uprights: &[Curve], pitch: f32, middle: f32) -> Option<Vec<ColumnPair>> {
    let all = pair(uprights, pitch, middle);
    let (Some(first), Some(last)) = (uprights.first(), uprights.last()) else { return all };
    let whole = last.at(middle) - first.at(middle);
    let covered = |pairs: &[ColumnPair]| extent(pairs, middle) / whole.max(1.0);
    if all.as_ref().is_some_and(|pairs| covered(pairs) > WHOLE) || uprights.len() > MOST_UPRIGHTS {
        return all;
    }
    let count = all.as_ref().map_or(0, Vec::len);
    let inner = 1..uprights.len().saturating_sub(1);
    let without = |strays: [usize; 2]| -> Option<Vec<ColumnPair>> {
        let left: Vec<Curve> =
            uprights.iter().enumerate().filter(|(at, _)| !strays.contains(at)).map(|(_, line)| line.clone()).collect();
        pair(&left, pitch, middle)
            .filter(|pairs| pairs.len() > count && pairs.len() > 1 && alike(pairs, middle) && covered(pairs) > WHOLE)
    };
    // One is likelier than two.
    let one = inner.clone().find_map(|a| without([a, a]));
    let found = one.or_else(|| inner.clone().find_map(|a| (a + 1..inner.end).find_map(|b| without([a, b]))));
    found.or(all)
}

/// From the first of the columns to the last, in pixels of the page at height `y`; 0 where there are none.
pub(crate) fn extent(pairs: &[ColumnPair], y: f32) -> f32 {
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else { return 0.0 };
    last.black.right.at(y) - first.first(y).left.at(y)
}

/// The width of White's widest column that is of one piece, in pixels of the page at height `y`; 0 where there is none. Boxes hold
/// one move, however many there are.
pub(crate) fn widest(pairs: &[ColumnPair], y: f32) -> f32 {
    let columns = pairs.iter().map(|pair| &pair.white).filter(|column| column.inner.is_empty());
    columns.map(|column| column.width(y)).fold(0.0, f32::max)
}

/// Whether White's columns are all of one width at height `middle`, and Black's.
pub(crate) fn alike(pairs: &[ColumnPair], middle: f32) -> bool {
    let one_width = |of: fn(&ColumnPair) -> &Column| {
        let widths = pairs.iter().map(|pair| of(pair).width(middle));
        let (low, high) = widths.fold((f32::INFINITY, 0.0f32), |(low, high), w| (low.min(w), high.max(w)));
        high / low.max(1.0) < 1.0 + UNEVEN
    };
    one_width(|pair| &pair.white) && one_width(|pair| &pair.black)
}

/// Share of the width between the outermost lines that the pairs of a whole table take up, and most lines among which
/// strays are looked for.
const WHOLE: f32 = 0.9;
const MOST_UPRIGHTS: usize = 24;

impl ColumnPair {
    /// The column of a colour's moves.
    pub fn of(&self, colour: Colour) -> &Column {
        match colour {
            Colour::White => &self.white,
            Colour::Black => &self.black,
        }
    }

    /// The column of numbers if it stands before White's moves at height `middle`.
    pub(crate) fn numbers_before(&self, middle: f32) -> Option<&Column> {
        self.numbers.as_ref().filter(|numbers| numbers.left.at(middle) < self.white.left.at(middle))
    }

    /// The column farthest to the left at height `middle`: that of the numbers, unless they stand behind White's moves.
    pub(crate) fn first(&self, middle: f32) -> &Column {
        self.numbers_before(middle).unwrap_or(&self.white)
    }

    /// The same with every line moved.
    pub(crate) fn moved(&self, to: impl Fn(&Curve) -> Curve) -> Self {
        let column = |column: &Column| Column {
            left: to(&column.left),
            right: to(&column.right),
            inner: column.inner.iter().map(&to).collect(),
        };
        Self {
            numbers: self.numbers.as_ref().map(column),
            between: self.between.as_ref().map(column),
            white: column(&self.white),
            black: column(&self.black),
        }
    }
}

/// Groups the columns between upright lines into pairs for White's and Black's moves; none if there is no such pair.
///
/// `pitch` is the height of a row and `middle` the height at which widths are taken, in pixels of the page.
pub fn pair(uprights: &[Curve], pitch: f32, middle: f32) -> Option<Vec<ColumnPair>> {
    let columns: Vec<(Column, f32)> = uprights
        .windows(2)
        .map(|w| {
            let column = Column { left: w[0].clone(), right: w[1].clone(), inner: Vec::new() };
            (column, w[1].at(middle) - w[0].at(middle))
        })
        .collect();
    if let Some(columns) = boxes::joined(&columns, pitch) {
        let typical = columns.iter().map(|c| c.1).fold(0.0, f32::max);
        return Some(grouped(&columns, typical, pitch).0);
    }
    let pairs = likeliest(&columns, pitch);
    let told = match &pairs {
        Some(pairs) if are_of_one_form(pairs, middle) => None,
        _ => repeated(&columns, pitch).filter(|pairs| are_of_one_form(pairs, middle)),
    };
    told.or(pairs).filter(|pairs| (1..=MOST_PAIRS).contains(&pairs.len()))
}

/// The pairs of columns that explain most of the width.
fn likeliest(columns: &[(Column, f32)], pitch: f32) -> Option<Vec<ColumnPair>> {
    let candidates = columns.iter().map(|c| c.1).filter(|&width| width > NARROWEST_MOVE * pitch);
    let grouped = candidates.map(|typical| grouped(columns, typical, pitch));
    grouped.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(pairs, _)| pairs)
}

/// Whether pairs of columns are laid out alike, numbers and all.
fn are_of_one_form(pairs: &[ColumnPair], middle: f32) -> bool {
    let numbers = |pair: &ColumnPair| [pair.numbers.is_some(), pair.between.is_some()];
    alike(pairs, middle) && pairs.windows(2).all(|two| numbers(&two[0]) == numbers(&two[1]))
}

/// The pairs of columns whose widths repeat, one pair in each of the groups that are alike: behind the moves there may be a
/// column for remarks, as wide as they. Of all ways the one that takes up most of the width.
fn repeated(columns: &[(Column, f32)], pitch: f32) -> Option<Vec<ColumnPair>> {
    let is_like = |a: f32, b: f32| (a - b).abs() < UNEVEN * a.max(b);
    let mut best: Option<(f32, Vec<ColumnPair>)> = None;
    for period in GROUP {
        for start in 0..columns.len() {
            let rest = &columns[start..];
            let same =
                (0..rest.len().saturating_sub(period)).take_while(|&at| is_like(rest[at].1, rest[at + period].1));
            // Behind the last group there is no space to the next.
            let groups = (same.count() + period + 1) / period;
            if groups < 2 {
                continue;
            }
            let all = &rest[..(groups * period).min(rest.len())];
            let width: f32 = all.iter().map(|column| column.1).sum();
            if best.as_ref().is_some_and(|(most, _)| *most >= width) {
                continue;
            }
            let of_group = |group: &[(Column, f32)]| match likeliest(group, pitch)?.as_slice() {
                [pair] => Some(pair.clone()),
                _ => None,
            };
            if let Some(pairs) = all.chunks(period).map(of_group).collect() {
                best = Some((width, pairs));
            }
        }
    }
    best.map(|(_, pairs)| pairs)
}

/// Pairs of columns of one width between two edges, for a table of which nothing but its place is known; `strips` is the
/// length of their curves.
pub fn even(left: f32, right: f32, count: usize, strips: usize) -> Vec<ColumnPair> {
    let width = (right - left) / (2 * count) as f32;
    let line = |index: usize| Curve { y: vec![left + index as f32 * width; strips] };
    let column = |index: usize| Column { left: line(index), right: line(index + 1), inner: Vec::new() };
    (0..count)
        .map(|pair| ColumnPair { numbers: None, between: None, white: column(2 * pair), black: column(2 * pair + 1) })
        .collect()
}

/// Pairs of neighbouring columns of about the typical width, with the columns of numbers before or between them, and
/// the width that they explain: all pairs, less what was left over.
fn grouped(columns: &[(Column, f32)], typical: f32, pitch: f32) -> (Vec<ColumnPair>, f32) {
    let (mut pairs, mut explained) = (Vec::new(), 0.0);
    let (mut numbers, mut between): (Option<Column>, Option<Column>) = (None, None);
    let mut white: Option<(Column, f32)> = None;
    for (column, width) in columns {
        let share = width / typical;
        if (NARROWER..WIDER).contains(&share) {
            match white.take() {
                None => white = Some((column.clone(), *width)),
                Some((first, first_width)) => {
                    // Columns of one form differ little in width: the likeness decides between explanations.
                    explained += (first_width + width) * (1.0 - 0.5 * (share - 1.0).abs());
                    let (before, between) = (numbers.take(), between.take());
                    let (numbers, between) = if before.is_some() { (before, between) } else { (between, None) };
                    pairs.push(ColumnPair { numbers, between, white: first, black: column.clone() });
                }
            }
        } else if share < NARROWER && *width > NARROWEST_NUMBER * pitch {
            *(if white.is_some() { &mut between } else { &mut numbers }) = Some(column.clone());
        } else {
            // Too wide for a move: a margin or a field for notes ends the pair that was begun.
            explained -= white.take().map_or(0.0, |(_, width)| 0.5 * width);
            (numbers, between) = (None, None);
        }
    }
    explained -= white.map_or(0.0, |(_, width)| 0.5 * width);
    (pairs, explained)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Roles of the columns between lines at the given places: which are White's, Black's and numbers.
    pub(crate) fn roles(lines: &[f32], pitch: f32) -> Vec<(Option<f32>, f32, f32)> {
        let curves: Vec<Curve> = lines.iter().map(|&x| Curve { y: vec![x; 40] }).collect();
        let left = |column: &Column| column.left.at(100.0);
        let pairs = pair(&curves, pitch, 100.0).unwrap_or_default();
        pairs.iter().map(|p| (p.numbers.as_ref().map(left), left(&p.white), left(&p.black))).collect()
    }

    #[test]
    fn numbers_stand_before_or_between() {
        let before = roles(&[10.0, 40.0, 120.0, 200.0, 230.0, 310.0, 390.0], 30.0);
        assert_eq!(before, [(Some(10.0), 40.0, 120.0), (Some(200.0), 230.0, 310.0)]);
        let between = roles(&[10.0, 90.0, 115.0, 195.0, 275.0, 300.0, 380.0], 27.0);
        assert_eq!(between, [(Some(90.0), 10.0, 115.0), (Some(275.0), 195.0, 300.0)]);
    }

    #[test]
    fn narrow_columns_of_moves_are_told_from_wide_numbers() {
        // Moves of twice the row's height, numbers of 1.2 times.
        let narrow = roles(&[0.0, 60.0, 160.0, 260.0, 320.0, 420.0, 520.0, 580.0, 680.0, 780.0], 50.0);
        assert_eq!(narrow.len(), 3);
        assert_eq!(narrow[1], (Some(260.0), 320.0, 420.0));
    }

    #[test]
    fn a_column_for_remarks_is_none_of_moves() {
        let lines = |widths: &[f32]| -> Vec<f32> {
            let mut lines = vec![40.0];
            widths.iter().for_each(|width| lines.push(lines[lines.len() - 1] + width));
            lines
        };
        let numbered = lines(&[40.0, 100.0, 100.0, 110.0, 40.0, 100.0, 100.0, 110.0]);
        assert_eq!(roles(&numbered, 30.0), [(Some(40.0), 80.0, 180.0), (Some(390.0), 430.0, 530.0)]);
        // Numbers in White's column, and space between the pairs and around them.
        let inside = lines(&[20.0, 130.0, 100.0, 110.0, 30.0, 130.0, 100.0, 110.0, 20.0]);
        let found: Vec<f32> = roles(&inside, 30.0).iter().flat_map(|pair| [pair.1, pair.2]).collect();
        assert_eq!(found, [60.0, 190.0, 430.0, 560.0]);
        // Without it nothing changes.
        let plain = lines(&[40.0, 100.0, 100.0, 40.0, 100.0, 100.0]);
        assert_eq!(roles(&plain, 30.0), [(Some(40.0), 80.0, 180.0), (Some(280.0), 320.0, 420.0)]);
    }

    #[test]
    fn a_stray_line_is_left_out() {
        // Letters below each other at 123.
        let lines = [40.0, 123.0, 198.0, 357.0, 368.0, 528.0, 686.0];
        let curves: Vec<Curve> = lines.iter().map(|&x| Curve { y: vec![x; 40] }).collect();
        let pairs = pair_without_strays(&curves, 27.0, 100.0).unwrap();
        let left: Vec<f32> = pairs.iter().flat_map(|pair| [pair.white.left.at(0.0), pair.black.left.at(0.0)]).collect();
        assert_eq!(left, [40.0, 198.0, 368.0, 528.0]);
    }

    #[test]
    fn a_column_of_boxes_is_not_wide() {
        let line = |x: f32| Curve { y: vec![x; 40] };
        let of = |lines: &[f32]| pair(&lines.iter().map(|&x| line(x)).collect::<Vec<_>>(), 25.0, 100.0).unwrap();
        assert_eq!(widest(&of(&[0.0, 104.0, 629.0, 1154.0]), 100.0), 525.0);
        let boxes: Vec<f32> = (0..15).map(|at| 104.0 + 75.0 * at as f32).collect();
        let boxed = of(&[vec![0.0], boxes].concat());
        assert_eq!((boxed[0].white.width(100.0), widest(&boxed, 100.0)), (525.0, 0.0));
    }

    #[test]
    fn one_wide_field_is_no_table() {
        assert!(roles(&[0.0, 900.0], 40.0).is_empty());
    }
}
