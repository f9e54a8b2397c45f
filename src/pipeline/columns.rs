//! Which columns of a table hold moves: told by their widths, since those of all move columns are alike.

use super::grid::{Column, ColumnPair};
use super::lines::Curve;

/// Widths of move columns in units of the row's height: the narrowest, and against the typical one of the table.
const NARROWEST_MOVE: f32 = 1.5;
const NARROWER: f32 = 0.7;
const WIDER: f32 = 1.6;
/// The narrowest column of numbers, in units of the row's height.
const NARROWEST_NUMBER: f32 = 0.5;
/// Boxes for single characters: how many there are for a move, and how much their widths may differ.
const BOXES: std::ops::RangeInclusive<usize> = 4..=8;
const UNEVEN: f32 = 0.15;

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
    if let Some(columns) = boxed(&columns, pitch) {
        let typical = columns.iter().map(|c| c.1).fold(0.0, f32::max);
        return Some(grouped(&columns, typical, pitch).0);
    }
    let candidates = columns.iter().map(|c| c.1).filter(|&width| width > NARROWEST_MOVE * pitch);
    candidates
        .map(|typical| grouped(&columns, typical, pitch))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(pairs, _)| pairs)
        .filter(|pairs| !pairs.is_empty())
}

/// Pairs of columns of one width between two edges, for a table of which nothing but its place is known; `strips` is the
/// length of their curves.
pub fn even(left: f32, right: f32, count: usize, strips: usize) -> Vec<ColumnPair> {
    let width = (right - left) / (2 * count) as f32;
    let line = |index: usize| Curve { y: vec![left + index as f32 * width; strips] };
    let column = |index: usize| Column { left: line(index), right: line(index + 1), inner: Vec::new() };
    (0..count).map(|pair| ColumnPair { numbers: None, white: column(2 * pair), black: column(2 * pair + 1) }).collect()
}

/// Pairs of neighbouring columns of about the typical width, with the columns of numbers before or between them, and
/// the width that they explain: all pairs, less what was left over.
fn grouped(columns: &[(Column, f32)], typical: f32, pitch: f32) -> (Vec<ColumnPair>, f32) {
    let (mut pairs, mut explained) = (Vec::new(), 0.0);
    let mut numbers: Option<Column> = None;
    let mut white: Option<(Column, f32)> = None;
    for (column, width) in columns {
        let share = width / typical;
        if (NARROWER..WIDER).contains(&share) {
            match white.take() {
                None => white = Some((column.clone(), *width)),
                Some((first, first_width)) => {
                    // Columns of one form differ little in width: the likeness decides between explanations.
                    explained += (first_width + width) * (1.0 - 0.5 * (share - 1.0).abs());
                    pairs.push(ColumnPair { numbers: numbers.take(), white: first, black: column.clone() });
                }
            }
        } else if share < NARROWER && *width > NARROWEST_NUMBER * pitch {
            numbers = Some(column.clone());
        } else {
            // Too wide for a move: a margin or a field for notes ends the pair that was begun.
            explained -= white.take().map_or(0.0, |(_, width)| 0.5 * width);
            numbers = None;
        }
    }
    explained -= white.map_or(0.0, |(_, width)| 0.5 * width);
    (pairs, explained)
}

/// Joins boxes for single characters into columns of moves; none if the columns are no such boxes.
fn boxed(columns: &[(Column, f32)], pitch: f32) -> Option<Vec<(Column, f32)>> {
    let mut widths: Vec<f32> = columns.iter().map(|c| c.1).collect();
    widths.sort_by(f32::total_cmp);
    let typical = *widths.get(widths.len() / 2)?;
    if typical > NARROWEST_MOVE * pitch {
        return None;
    }
    let is_box = |c: &&(Column, f32)| (c.1 / typical - 1.0).abs() < UNEVEN;
    let first = columns.iter().position(|c| is_box(&c))?;
    let boxes: Vec<&(Column, f32)> = columns[first..].iter().take_while(is_box).collect();
    // All pairs alike, with or without a column of numbers, a box wide, before each or between them.
    let plan =
        (1..=4).flat_map(|pairs| [(pairs, 0), (pairs, pairs), (pairs, pairs - 1)]).find_map(|(pairs, numbers)| {
            let left = boxes.len().checked_sub(numbers)?;
            let each = left / (2 * pairs);
            (left % (2 * pairs) == 0 && BOXES.contains(&each)).then_some((pairs, numbers, each))
        });
    let (pairs, numbers, each) = plan?;
    let mut at = 0;
    let mut out = Vec::new();
    for pair in 0..pairs {
        if numbers == pairs || (numbers > 0 && pair > 0) {
            out.push(boxes[at].clone());
            at += 1;
        }
        for _ in 0..2 {
            let group = &boxes[at..at + each];
            let inner = group[1..].iter().map(|(column, _)| column.left.clone()).collect();
            let (left, right) = (group[0].0.left.clone(), group[each - 1].0.right.clone());
            out.push((Column { left, right, inner }, group.iter().map(|c| c.1).sum()));
            at += each;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roles of the columns between lines at the given places: which are White's, Black's and numbers.
    fn roles(lines: &[f32], pitch: f32) -> Vec<(Option<f32>, f32, f32)> {
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
    fn boxes_for_characters_are_joined() {
        let lines: Vec<f32> = (0..22).map(|i| i as f32 * 60.0).collect();
        assert_eq!(roles(&lines, 71.0), [(None, 0.0, 300.0), (Some(600.0), 660.0, 960.0)]);
    }

    #[test]
    fn one_wide_field_is_no_table() {
        assert!(roles(&[0.0, 900.0], 40.0).is_empty());
    }
}
