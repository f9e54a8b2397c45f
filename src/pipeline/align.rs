//! Rows of the sheets of one game, laid side by side by what is written in them.
//!
//! A player who leaves out a move, leaves a row empty or writes one twice has from there on other numbers beside his moves
//! than the other player. The squares to which the pieces go tell which cells belong together: an alignment of two
//! sequences in which gaps cost by their number more than by their length (Gotoh 1982).

use super::repeats::square;
use crate::decode::{InkCell, Row};
use crate::reading::{Alphabet, Reading};

/// What a pair of cells that name the same square is worth; one that names two costs as much.
const SAME: f32 = 1.0;
/// The price of a gap, at which one sheet has cells that the other one lacks, and of each written cell in it.
const GAP: f32 = 4.0;
const LONGER: f32 = 0.25;

/// A slot of the earlier sheets and one of a further sheet that belong together; none where the other side lacks it.
type Pair = (Option<usize>, Option<usize>);

/// Lays the rows of further sheets beside those of the first one. Gives what is to be told, if they did not stand so.
///
/// Where a further sheet has cells that the first one lacks, they come between its rows, and the rows are numbered on.
pub fn align(rows: &mut Vec<Row>, alphabet: &Alphabet) -> Vec<String> {
    let sheets = rows.iter().flat_map(|row| row.white.iter().chain(&row.black)).map(|cell| cell.sheet + 1).max();
    let mut warnings = Vec::new();
    for sheet in 1..sheets.unwrap_or(0) {
        let said = |of: &dyn Fn(&InkCell) -> bool| -> Vec<Said> {
            rows.iter().flat_map(|row| [&row.white, &row.black]).map(|side| said(side, alphabet, of)).collect()
        };
        let pairs = pair_up(&said(&|cell| cell.sheet < sheet), &said(&|cell| cell.sheet == sheet));
        let Some(first) = pairs.iter().find_map(|&(a, b)| a.filter(|_| b.is_some() && a != b)) else { continue };
        warnings.push(format!(
            "From move {} on, the rows of the sheets differ: one of them leaves out a cell or a row, or has one too many. They were laid side by side by what is written in them.",
            rows[first / 2].number
        ));
        *rows = laid_out(rows, &pairs, sheet);
    }
    warnings
}

/// What a sheet says in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    /// There is no ink.
    Nothing,
    /// Ink that names no square.
    Something,
    /// The square to which the piece goes.
    Square([u8; 2]),
}

fn said(side: &[InkCell], alphabet: &Alphabet, of: &dyn Fn(&InkCell) -> bool) -> Said {
    let reading = side.iter().filter(|cell| of(cell)).find_map(|cell| cell.reading.as_ref());
    let square = |reading: &Reading| square(&reading.best_path(alphabet).0);
    reading.map_or(Said::Nothing, |reading| square(reading).map_or(Said::Something, Said::Square))
}

/// Ways in which a cell of the table of alignments is reached: by a pair, or by a slot of one side alone.
const PAIR: usize = 0;
const ONE: usize = 1;
const OTHER: usize = 2;

/// The best alignment. What is left of one side where the other one is over costs nothing.
fn pair_up(one: &[Said], other: &[Said]) -> Vec<Pair> {
    let width = other.len() + 1;
    let mut best = vec![[f32::NEG_INFINITY; 3]; (one.len() + 1) * width];
    let mut back = vec![[PAIR; 3]; best.len()];
    best[0][PAIR] = 0.0;
    let alone = |said: Said| if said == Said::Nothing { 0.0 } else { -LONGER };
    for at in 1..best.len() {
        let (i, j) = (at / width, at % width);
        let ways = [
            (i > 0 && j > 0).then(|| (at - width - 1, worth(one[i - 1], other[j - 1]))),
            (i > 0).then(|| (at - width, alone(one[i - 1]))),
            (j > 0).then(|| (at - 1, alone(other[j - 1]))),
        ];
        for (way, (from, worth)) in ways.into_iter().enumerate().filter_map(|(way, step)| Some((way, step?))) {
            // Of ways that are worth the same a gap comes as late as it can: what is written twice is passed over the second time.
            for before in [ONE, OTHER, PAIR] {
                let gap = if way == PAIR || way == before { 0.0 } else { GAP };
                let total = best[from][before] + worth - gap;
                if total > best[at][way] {
                    (best[at][way], back[at][way]) = (total, before);
                }
            }
        }
    }
    let ends = (0..=one.len()).map(|i| i * width + other.len()).chain((0..width).map(|j| one.len() * width + j));
    let end = ends.max_by(|&a, &b| best[a][PAIR].total_cmp(&best[b][PAIR])).unwrap_or(0);
    let (mut at, mut way, mut pairs) = (end, PAIR, Vec::new());
    while at > 0 {
        let before = back[at][way];
        let (i, j) = (at / width, at % width);
        let pair = (i.checked_sub(1).filter(|_| way != OTHER), j.checked_sub(1).filter(|_| way != ONE));
        at -= if way == OTHER { 0 } else { width } + usize::from(way != ONE);
        pairs.push(pair);
        way = before;
    }
    pairs.reverse();
    // Behind the last cells that agree nothing tells of a gap.
    let agree = |&(i, j): &Pair| i.zip(j).is_some_and(|(i, j)| worth(one[i], other[j]) == SAME);
    pairs.truncate(pairs.iter().rposition(agree).map_or(0, |last| last + 1));
    let (i, j) = pairs.last().map_or((0, 0), |&(i, j)| (i.map_or(0, |i| i + 1), j.map_or(0, |j| j + 1)));
    let rest = (one.len() - i).max(other.len() - j);
    pairs.extend((0..rest).map(|k| (Some(i + k).filter(|&i| i < one.len()), Some(j + k).filter(|&j| j < other.len()))));
    pairs
}

fn worth(one: Said, other: Said) -> f32 {
    match (one, other) {
        (Said::Square(one), Said::Square(other)) if one == other => SAME,
        (Said::Square(_), Said::Square(_)) => -SAME,
        _ => 0.0,
    }
}

/// The rows with a sheet's cells beside those of the sheets before it. Blank cells that have no partner are left out.
fn laid_out(rows: &[Row], pairs: &[Pair], sheet: usize) -> Vec<Row> {
    let cells = |slot: Option<usize>, of: &dyn Fn(&InkCell) -> bool| -> Vec<InkCell> {
        let row = slot.map(|slot| (slot, &rows[slot / 2]));
        let side = row.map(|(slot, row)| if slot.is_multiple_of(2) { &row.white } else { &row.black });
        side.into_iter().flatten().filter(|cell| of(cell)).cloned().collect()
    };
    let mut slots = pairs.iter().filter_map(|&(one, other)| {
        let mut slot = cells(one, &|cell| cell.sheet < sheet);
        slot.extend(cells(other, &|cell| cell.sheet == sheet));
        let belongs = (one.is_some() && other.is_some()) || slot.iter().any(|cell| cell.reading.is_some());
        belongs.then_some((one, slot))
    });
    let mut out: Vec<Row> = Vec::new();
    while let Some((one, white)) = slots.next() {
        let printed = one.map_or(0, |slot| rows[slot / 2].number);
        let due = out.last().map_or_else(|| rows.first().map_or(1, |row| row.number), |row| row.number + 1);
        let black = slots.next().map_or_else(Vec::new, |(_, black)| black);
        out.push(Row { number: printed.max(due), white, black });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(squares: &str) -> Vec<Said> {
        let said = |text: &str| match text.as_bytes() {
            [a, b] => Said::Square([*a, *b]),
            b"?" => Said::Something,
            _ => Said::Nothing,
        };
        squares.split(' ').map(said).collect()
    }

    #[test]
    fn sheets_that_stand_side_by_side_stay_so() {
        let one = says("e4 e5 f3 c6 b5 a6 a4 f6 - -");
        for other in ["e4 e5 f3 c6 b5 a6 a4 f6 - -", "e4 - f3 d6 b5 ? a4 f6 - -", "e4 e5 - - - - - - - -"] {
            let pairs = pair_up(&one, &says(other));
            assert!(pairs.iter().all(|(a, b)| a == b) && pairs.len() == 10, "{other}: {pairs:?}");
        }
    }

    #[test]
    fn a_cell_left_out_and_a_row_left_empty_are_gaps() {
        let one = says("e4 e5 f3 c6 b5 a6 a4 f6 g1 e7 - -");
        let pairs = pair_up(&one, &says("e4 e5 f3 b5 a6 a4 f6 g1 e7 - - -"));
        assert_eq!(pairs[3..5], [(Some(3), None), (Some(4), Some(3))]);
        let pairs = pair_up(&one, &says("e4 e5 f3 c6 - - b5 a6 a4 f6 g1 e7"));
        assert_eq!(pairs[4..7], [(None, Some(4)), (None, Some(5)), (Some(4), Some(6))]);
    }

    #[test]
    fn what_differs_at_the_end_is_no_gap() {
        // One sheet ends early, with ink that is no move below.
        let one = says("e4 e5 f3 c6 b5 a6 c8 g2 d8 h3 c4 f4 a1 c2 e2 -");
        let pairs = pair_up(&one, &says("e4 e5 f3 c6 b5 a6 d1 e5 c1 g2 d1 g3 e2 h3 d2 g4"));
        assert!(pairs.iter().all(|(a, b)| a == b) && pairs.len() == 16, "{pairs:?}");
    }
}
