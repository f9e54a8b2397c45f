//! Which words of a column belong to which row: they go up and down as one writes, touch, and are left out.

use super::columns::Placed;
use super::median;
use super::numbers::straight;

/// Prices, in squares of the pitch: of a line of words that stands off its row, of one that stands off otherwise than the one
/// before by more than a hand does (in shares of the pitch), of a row or a line that is passed over, and of rows that lie higher
/// or lower at an end than one would think, for each pitch.
const AWAY: f32 = 0.5;
const JUMP: f32 = 4.0;
const BY_HAND: f32 = 0.3;
const PASSED_OVER: f32 = 0.7;
const SHIFTED: f32 = 1.5;
/// Steps in which that is tried, in shares of the pitch.
const SHIFT: f32 = 0.2;
/// Rows or lines in a row that are passed over at most.
const FURTHEST_BACK: usize = 4;
/// How far words of one line may stand off each other, in shares of the pitch.
const BESIDE: f32 = 0.3;
/// Rows above and below that tell where a row lies in which nothing is written.
const NEAR: usize = 2;

/// The middles of a column's rows: where its words stand, and else as far off as those near it. Returned with it is how far
/// lower than expected the first and the last row are. A `full` column is written on down to its last row.
pub(super) fn settled(words: &[Placed], expected: &[f32], pitch: f32, full: bool) -> (Vec<f32>, [f32; 2]) {
    let lines = in_lines(words, pitch);
    // The rows may fall or rise otherwise than one would think, and more so further down.
    let end = (expected.len().max(2) - 1) as f32;
    let moved = |top: f32, foot: f32| -> Vec<f32> {
        let by = |row: usize| (top + (foot - top) * row as f32 / end) * pitch;
        expected.iter().enumerate().map(|(row, y)| y + by(row)).collect()
    };
    let steps =
        |furthest: f32| (-(furthest / SHIFT) as i32..=(furthest / SHIFT) as i32).map(|step| step as f32 * SHIFT);
    let shifts = steps(1.0).flat_map(|top| steps(2.0).map(move |foot| (top, foot)));
    let costs = shifts.map(|(top, foot)| {
        let rows = moved(top, foot);
        let (cost, assigned) = assign(&lines, &rows, pitch, full);
        (cost + SHIFTED * (top.abs() + foot.abs()), rows, assigned)
    });
    let Some((_, rows, assigned)) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return (expected.to_vec(), [0.0; 2]);
    };
    let off = |row: usize| assigned[row].map(|line| lines[line] - rows[row]);
    let near = |row: usize| row.saturating_sub(NEAR)..(row + NEAR + 1).min(rows.len());
    let settled = |row: usize| rows[row] + off(row).or(median(near(row).filter_map(off))).unwrap_or(0.0);
    let settled: Vec<f32> = (0..rows.len()).map(settled).collect();
    let moved = |row: usize| assigned[row].map(|line| (row as f32, lines[line] - expected[row]));
    let line = straight(&(0..rows.len()).filter_map(moved).collect::<Vec<_>>());
    (settled, [line(0.0), line(end)])
}

/// The heights of lines of words, from top to bottom: words beside each other make one.
fn in_lines(words: &[Placed], pitch: f32) -> Vec<f32> {
    let mut sorted = words.to_vec();
    sorted.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut lines: Vec<Vec<Placed>> = Vec::new();
    for word in sorted {
        let is_beside = |other: &Placed| other.right <= word.left + 2.0 || word.right <= other.left + 2.0;
        let holds = |line: &&mut Vec<Placed>| {
            line.iter().all(|other| (other.y - word.y).abs() < BESIDE * pitch && is_beside(other))
        };
        match lines.iter_mut().rev().take(2).find(holds) {
            Some(line) => line.push(word),
            None => lines.push(vec![word]),
        }
    }
    // A long word says more than a speck.
    let width = |word: &Placed| word.right - word.left;
    let middle = |line: &Vec<Placed>| {
        line.iter().map(|word| word.y * width(word)).sum::<f32>() / line.iter().map(width).sum::<f32>().max(1.0)
    };
    let mut middles: Vec<f32> = lines.iter().map(middle).collect();
    middles.sort_by(f32::total_cmp);
    middles
}

/// The row and the line that belong together before, if any do.
type Before = Option<(usize, usize)>;

/// Which line each row holds, in their order: as many of them as can be, each about as far off its row as the one before, by
/// dynamic programming; and what that costs.
fn assign(lines: &[f32], rows: &[f32], pitch: f32, full: bool) -> (f32, Vec<Option<usize>>) {
    let off = |row: usize, line: usize| (lines[line] - rows[row]) / pitch;
    // By row and line: what it costs that they belong together, all above included, and which belong together before.
    let mut best: Vec<Vec<(f32, Before)>> = Vec::new();
    for row in 0..rows.len() {
        let held = |line: usize| {
            let here = off(row, line);
            let alone = AWAY * here * here;
            let first = (PASSED_OVER * (row + line) as f32 + alone, None);
            let before = (row.saturating_sub(FURTHEST_BACK)..row)
                .flat_map(|above| (line.saturating_sub(FURTHEST_BACK)..line).map(move |other| (above, other)));
            let cost = |(above, other): (usize, usize)| {
                let passed_over = (row - above - 1) + (line - other - 1);
                best[above][other].0
                    + PASSED_OVER * passed_over as f32
                    + JUMP * ((here - off(above, other)).abs() - BY_HAND).max(0.0).powi(2)
                    + alone
            };
            before.map(|at| (cost(at), Some(at))).fold(first, |least, next| if next.0 < least.0 { next } else { least })
        };
        let costs = (0..lines.len()).map(held).collect();
        best.push(costs);
    }
    // Rows behind the last line cost nothing where a game may end.
    let ends = (0..rows.len()).flat_map(|row| (0..lines.len()).map(move |line| (row, line)));
    let cost = |&(row, line): &(usize, usize)| {
        let rows_left = if full { rows.len() - 1 - row } else { 0 };
        best[row][line].0 + PASSED_OVER * (lines.len() - 1 - line + rows_left) as f32
    };
    let mut at = ends.min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let least = at.as_ref().map_or(0.0, cost);
    let mut assigned = vec![None; rows.len()];
    while let Some((row, line)) = at {
        assigned[row] = Some(line);
        at = best[row][line].1;
    }
    (least, assigned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far off its row a hand writes, in pixels.
    fn unevenly(row: usize) -> f32 {
        [0.0, 8.0, -6.0, 4.0, -9.0, 6.0, -3.0][row % 7]
    }

    fn word(y: f32) -> Placed {
        Placed { left: 60.0, right: 110.0, y, row: 0 }
    }

    #[test]
    fn a_row_in_which_nothing_is_written_is_passed_over() {
        let rows: Vec<f32> = (0..20).map(|row| 300.0 + 40.0 * row as f32).collect();
        let written: Vec<usize> = (0..20).filter(|&row| row != 7).collect();
        let lines: Vec<f32> = written.iter().map(|&row| rows[row] + unevenly(row)).collect();
        let (_, assigned) = assign(&lines, &rows, 40.0, false);
        let held: Vec<usize> = (0..20).filter(|&row| assigned[row].is_some()).collect();
        assert_eq!(held, written);
    }

    #[test]
    fn rows_that_fall_further_down_than_expected_are_followed() {
        // A whole row at the foot; Black did not move last.
        let expected: Vec<f32> = (0..25).map(|row| 300.0 + 40.0 * row as f32).collect();
        let stands = |row: usize| expected[row] + 40.0 * row as f32 / 24.0 + unevenly(row);
        let words: Vec<Placed> = (0..24).map(|row| word(stands(row))).collect();
        let (rows, [top, foot]) = settled(&words, &expected, 40.0, false);
        assert!((0..24).all(|row| (rows[row] - stands(row)).abs() < 0.1), "{rows:?}");
        assert!(top.abs() < 8.0 && (foot - 40.0).abs() < 8.0, "{top} {foot}");
    }

    #[test]
    fn a_full_column_has_something_in_its_last_row() {
        // Where the words of one row are not seen all below may be a row further up as well as further down.
        let rows: Vec<f32> = (0..20).map(|row| 300.0 + 40.0 * row as f32).collect();
        let off = |row: usize| if row < 6 { 0.0 } else { -19.0 };
        let lines: Vec<f32> = (0..20).filter(|&row| row != 5).map(|row| rows[row] + off(row)).collect();
        let last = |full: bool| assign(&lines, &rows, 40.0, full).1.iter().rposition(Option::is_some);
        assert_eq!((last(false), last(true)), (Some(18), Some(19)));
    }

    #[test]
    fn words_beside_each_other_are_one_line() {
        let beside = Placed { left: 120.0, right: 150.0, ..word(304.0) };
        let lines = in_lines(&[word(300.0), beside, word(340.0)], 40.0);
        assert_eq!(lines.len(), 2);
        assert!((lines[0] - 301.5).abs() < 0.1 && lines[1] == 340.0, "{lines:?}");
    }
}
