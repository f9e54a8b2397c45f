//! Boxes for single characters: joined into columns of moves.

use super::columns::{MOST_PAIRS, NARROWEST_MOVE, UNEVEN};
use super::grid::Column;

/// How many boxes there are for a move.
const BOXES: std::ops::RangeInclusive<usize> = 4..=8;
/// The widest box, in units of the row's height.
const WIDEST: f32 = 5.0;
/// How much the outermost box may differ in width from the one beside it: what is as wide there may lie between the table and the edge of
/// the paper.
const UNEVEN_END: f32 = 0.1;

/// Joins boxes for single characters into columns of moves; none if the columns are no such boxes.
pub(super) fn joined(columns: &[(Column, f32)], pitch: f32) -> Option<Vec<(Column, f32)>> {
    let mut widths: Vec<f32> = columns.iter().map(|c| c.1).collect();
    widths.sort_by(f32::total_cmp);
    let typical = *widths.get(widths.len() / 2)?;
    let is_box = |c: &&(Column, f32)| (c.1 / typical - 1.0).abs() < UNEVEN;
    if typical > NARROWEST_MOVE * pitch {
        return if typical < WIDEST * pitch { alone(columns, |column| is_box(&column)) } else { None };
    }
    if let Some(joined) = in_runs(columns, |column| is_box(&column)) {
        return Some(joined);
    }
    let first = columns.iter().position(|c| is_box(&c))?;
    let all: Vec<&(Column, f32)> = columns[first..].iter().take_while(is_box).collect();
    // All pairs alike, with or without a column of numbers, a box wide, before each or between them.
    let plan = |boxes: usize| {
        (1..=4).flat_map(|pairs| [(pairs, 0), (pairs, pairs), (pairs, pairs - 1)]).find_map(|(pairs, numbers)| {
            let left = boxes.checked_sub(numbers)?;
            let each = left / (2 * pairs);
            (left % (2 * pairs) == 0 && BOXES.contains(&each)).then_some((pairs, numbers, each))
        })
    };
    let is_odd = |end: usize, inner: usize| (all[end].1 / all[inner].1 - 1.0).abs() > UNEVEN_END;
    let last = all.len().checked_sub(2)?;
    let inner = usize::from(is_odd(0, 1))..all.len() - usize::from(is_odd(last + 1, last));
    let (boxes, (pairs, numbers, each)) =
        [inner, 0..all.len()].into_iter().find_map(|range| Some((&all[range.clone()], plan(range.len())?)))?;
    let mut at = 0;
    let mut out = Vec::new();
    for pair in 0..pairs {
        if numbers == pairs || (numbers > 0 && pair > 0) {
            out.push(boxes[at].clone());
            at += 1;
        }
        for _ in 0..2 {
            out.push(one_column(&boxes[at..at + each]));
            at += each;
        }
    }
    Some(out)
}

/// The same where columns of another width, such as numbers, part the boxes of the pairs from each other.
fn in_runs(columns: &[(Column, f32)], is_box: impl Fn(&(Column, f32)) -> bool) -> Option<Vec<(Column, f32)>> {
    let runs: Vec<&[(Column, f32)]> = columns.chunk_by(|a, b| is_box(a) && is_box(b)).collect();
    let boxes = |run: &[(Column, f32)]| if is_box(&run[0]) { run.len() } else { 0 };
    let most = runs.iter().map(|run| boxes(run)).max()?;
    let pairs = runs.iter().filter(|run| boxes(run) > 1).count();
    let are_alike = runs.iter().all(|run| boxes(run) <= 1 || boxes(run) == most);
    if pairs < 2 || most % 2 != 0 || !BOXES.contains(&(most / 2)) || !are_alike {
        return None;
    }
    let halves = |run: &&[(Column, f32)]| match boxes(run) {
        0 | 1 => run.to_vec(),
        _ => run.chunks(most / 2).map(|half| one_column(&half.iter().collect::<Vec<_>>())).collect(),
    };
    Some(runs.iter().flat_map(halves).collect())
}

/// The same of boxes in which a move would have room, behind one column of numbers, which may be as wide: they are those of one pair.
fn alone(columns: &[(Column, f32)], is_box: impl Fn(&(Column, f32)) -> bool) -> Option<Vec<(Column, f32)>> {
    let first = columns.iter().position(&is_box)?;
    let count = columns[first..].iter().take_while(|column| is_box(column)).count();
    let numbers = usize::from(first == 0 && count % 2 == 1);
    let (first, count) = (first + numbers, count - numbers);
    let (before, behind) = (&columns[..first], &columns[first + count..]);
    if count < 2 * MOST_PAIRS
        || count % 2 != 0
        || !BOXES.contains(&(count / 2))
        || before.is_empty()
        || behind.len() > 1
    {
        return None;
    }
    let halves = columns[first..first + count].chunks(count / 2);
    let halves = halves.map(|half| one_column(&half.iter().collect::<Vec<_>>()));
    Some(before.iter().cloned().chain(halves).chain(behind.iter().cloned()).collect())
}

/// Boxes beside each other as one column, and its width.
fn one_column(boxes: &[&(Column, f32)]) -> (Column, f32) {
    let [first, .., last] = boxes else { return boxes[0].clone() };
    let inner = boxes[1..].iter().map(|(column, _)| column.left.clone()).collect();
    let column = Column { left: first.0.left.clone(), right: last.0.right.clone(), inner };
    (column, boxes.iter().map(|boxed| boxed.1).sum())
}

#[cfg(test)]
mod tests {
    use crate::pipeline::table::columns::tests::roles;

    #[test]
    fn boxes_for_characters_are_joined() {
        let lines: Vec<f32> = (0..22).map(|i| i as f32 * 60.0).collect();
        assert_eq!(roles(&lines, 71.0), [(None, 0.0, 300.0), (Some(600.0), 660.0, 960.0)]);
    }

    #[test]
    fn the_paper_beside_the_last_box_is_none() {
        // Two pairs of ten boxes, numbers between them, and the edge of the paper, or of what lies before the first.
        let lines: Vec<f32> = (0..22).map(|i| i as f32 * 60.0).collect();
        let known = [(None, 0.0, 300.0), (Some(600.0), 660.0, 960.0)];
        assert_eq!(roles(&[lines.clone(), vec![21.0 * 60.0 + 67.0]].concat(), 71.0), known);
        assert_eq!(roles(&[vec![-52.0], lines].concat(), 71.0), known);
        // As many boxes of one width are numbers, too.
        let lines: Vec<f32> = (0..23).map(|i| i as f32 * 60.0).collect();
        assert_eq!(roles(&lines, 71.0), [(Some(0.0), 60.0, 360.0), (Some(660.0), 720.0, 1020.0)]);
    }

    #[test]
    fn boxes_of_pairs_may_lie_apart() {
        // Numbers wider than a box stand before both pairs, and again behind them.
        let widths: Vec<f32> = (0..2).flat_map(|_| [vec![90.0], vec![50.0; 12], vec![90.0]].concat()).collect();
        let mut lines = vec![0.0];
        widths.iter().for_each(|width| lines.push(lines[lines.len() - 1] + width));
        assert_eq!(roles(&lines, 71.0), [(Some(0.0), 90.0, 390.0), (Some(780.0), 870.0, 1170.0)]);
    }

    #[test]
    fn many_boxes_behind_one_column_of_numbers_are_those_of_one_pair() {
        let lines: Vec<f32> = (0..11).map(|i| 90.0 + i as f32 * 60.0).collect();
        assert_eq!(roles(&[vec![0.0], lines.clone()].concat(), 30.0), [(Some(0.0), 90.0, 390.0)]);
        assert_eq!(roles(&lines, 30.0).len(), 5, "columns of moves without numbers");
        // Four times as wide as high, the numbers as wide as a box.
        let lines: Vec<f32> = (0..12).map(|i| i as f32 * 110.0).collect();
        assert_eq!(roles(&lines, 26.0), [(Some(0.0), 110.0, 660.0)]);
    }
}
