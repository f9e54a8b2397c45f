//! Columns of moves told by the printed numbers before them, for forms that rule no upright lines.
//!
//! A pair of columns reaches from its numbers to those of the next pair. Within it the two moves of a row begin half a pair
//! apart, whatever the writer's indent.

use super::grid::{Column, ColumnPair};
use super::ink_rows::{holds_ink, is_filled};
use super::lines::Curve;
use super::number_rows;
use crate::pipeline::page::Page;
use std::cell::OnceCell;

/// Printed numbers below each other.
#[derive(Debug, Clone)]
pub(crate) struct NumberColumn {
    /// The middles of the numbers, x by y.
    pub middle: Curve,
    /// From the middle to the end of all but a few of the numbers, and the height of a digit, in pixels of the page.
    pub half_width: f32,
    pub height: f32,
}

impl NumberColumn {
    /// Whether the numbers at height `y` are printed over `x`.
    pub(crate) fn holds(&self, x: f32, y: f32) -> bool {
        (x - self.middle.at(y)).abs() < self.half_width
    }

    fn left(&self) -> f32 {
        self.half_width + MARGIN * self.height
    }

    /// Where the numbers stand, with the white space around them.
    pub(crate) fn place(&self) -> Column {
        let line = |off: f32| Curve { y: self.middle.y.iter().map(|x| x + off).collect() };
        Column { left: line(-self.left()), right: line(self.left()), inner: Vec::new() }
    }
}

/// The columns of printed numbers on a page, from left to right, looked for when they are first asked for.
pub(crate) struct Printed<'a> {
    pub page: &'a Page,
    columns: OnceCell<Vec<NumberColumn>>,
}

impl<'a> Printed<'a> {
    pub fn on(page: &'a Page) -> Self {
        Self { page, columns: OnceCell::new() }
    }

    pub fn columns(&self) -> &[NumberColumn] {
        self.columns.get_or_init(|| number_rows::columns(self.page))
    }
}

/// White space around numbers, in heights of a digit.
const MARGIN: f32 = 0.5;
/// White space between two moves at least, and the narrowest move, in heights of a row.
const SPACE: f32 = 0.6;
const NARROWEST: f32 = 0.3;
/// Rows with two moves that tell where they begin.
const FEWEST_ROWS: usize = 4;
/// Half the range of the indents, in heights of a row.
const INDENT: f32 = 0.5;
/// Share of the commonest distance's rows that make another distance as likely.
const NEARLY: f32 = 0.6;
/// How far the distance between numbers may be from that of the moves, as a share.
const DIFFERS: f32 = 0.2;
/// Share of the rows that hold a move before the first numbers where these are not the first column, and widths of a
/// move in heights of a row: the edge of the sheet and what it lies on are narrower or wider.
const BEFORE: f32 = 0.5;
const MOVE: std::ops::Range<f32> = 0.8..6.0;
/// Width of the shadow at the edge of a sheet, in heights of a row, at least.
const EDGE: f32 = 0.15;
/// Share of White's column at whose left numbers may stand.
const INSIDE: f32 = 0.3;

/// The ways in which pairs of columns may go with numbers, the likelier first: what seems to be written before the first
/// numbers may be the shadow of the sheet's edge.
pub(crate) fn layouts(page: &Page, rows: &[Curve], pitch: f32, numbers: &[NumberColumn]) -> Vec<Vec<ColumnPair>> {
    let likely = pairs(page, rows, pitch, numbers, true);
    let other = likely.as_deref().is_some_and(is_around).then(|| pairs(page, rows, pitch, numbers, false));
    likely.into_iter().chain(other.flatten()).collect()
}

/// Whether White's moves stand before the numbers.
pub(crate) fn is_around(pairs: &[ColumnPair]) -> bool {
    let first = pairs.first().and_then(|pair| Some((&pair.white, pair.numbers.as_ref()?)));
    first.is_some_and(|(white, numbers)| white.left.at(0.0) < numbers.left.at(0.0))
}

/// The pairs of columns that go with numbers, given from left to right; none where too few rows hold moves to tell. `rows`
/// are the borders of rows, at a distance of `pitch`. White's moves may stand before the numbers only if `around` says so.
fn pairs(page: &Page, rows: &[Curve], pitch: f32, numbers: &[NumberColumn], around: bool) -> Option<Vec<ColumnPair>> {
    let first = numbers.first()?;
    let middle = rows[rows.len() / 2].at(page.image.width() as f32 / 2.0);
    let (mut begin, mut apart, mut before) = (Vec::new(), Vec::new(), 0);
    for (index, column) in numbers.iter().enumerate() {
        let end = numbers.get(index + 1).map(|next| next.middle.at(middle) - next.left());
        let end = end.unwrap_or(page.image.width() as f32);
        for row in rows.windows(2) {
            let y = row[0].at(column.middle.at(middle));
            let from = column.middle.at(y) + column.half_width + 1.0;
            let starts: Vec<f32> = moves(page, row, from, end, pitch).iter().map(|run| run[0]).collect();
            begin.extend(starts.first().map(|x| x - from));
            apart.extend(starts.iter().skip(1).map(|x| x - starts[0]));
            if index == 0 {
                let end = column.middle.at(y) - column.left();
                let is_edge = |run: &[f32; 2]| {
                    let filled = (run[0] as usize..=run[1] as usize).filter(|&x| is_filled(page, row, x));
                    filled.count() as f32 > EDGE * pitch
                };
                let is_move =
                    |run: &[f32; 2]| MOVE.contains(&((run[1] - run[0]) / pitch)) && run[0] > pitch && !is_edge(run);
                before += usize::from(moves(page, row, 0.0, end, pitch).iter().any(is_move));
            }
        }
    }
    if around && before as f32 > BEFORE * begin.len() as f32 / numbers.len() as f32 {
        return laid_around(numbers, middle);
    }
    // Parts of one move may stand apart too, but not in every row.
    let rows_at = |distance: f32| apart.iter().filter(|x| (*x - distance).abs() < INDENT * pitch).count();
    let most = apart.iter().map(|&distance| rows_at(distance)).max().unwrap_or(0);
    // Those of a further pair, whose numbers were not seen, stand farther away.
    let is_usual = |distance: &f32| most >= FEWEST_ROWS && rows_at(*distance) as f32 > NEARLY * most as f32;
    let nearest = apart.iter().copied().filter(is_usual).fold(f32::INFINITY, f32::min);
    let near = apart.iter().copied().filter(|distance| (0.0..=2.0 * INDENT * pitch).contains(&(distance - nearest)));
    let usual = near.max_by_key(|&distance| rows_at(distance));
    if begin.len() < FEWEST_ROWS {
        return None;
    }
    begin.sort_by(f32::total_cmp);
    let half_width = numbers.iter().map(|column| column.half_width).fold(0.0, f32::max);
    let white = half_width + 1.0 + (begin[begin.len() / 10] / 2.0).min(MARGIN * first.height);
    let steps = numbers.windows(2).map(|two| two[1].middle.at(middle) - two[0].middle.at(middle));
    let step = steps.clone().fold(f32::INFINITY, f32::min);
    let room = step - white - first.left();
    let mut move_width = match usual {
        Some(usual) => {
            let mut same: Vec<f32> = apart.iter().copied().filter(|x| (x - usual).abs() < INDENT * pitch).collect();
            same.sort_by(f32::total_cmp);
            same[same.len() / 2]
        }
        // The moves touch: from numbers to numbers there is room for two.
        None if numbers.len() > 1 => room / 2.0,
        None => return None,
    };
    // Between the pairs there may be room; if there is more of it than that, the moves did not tell.
    let differs = (room / (2.0 * move_width) - 1.0).abs() > DIFFERS;
    if (differs && is_usual(&(room / 2.0))) || room < 2.0 * move_width {
        move_width = room / 2.0;
    }
    // Where the sheet is seen from one side, columns far away are narrower.
    let scale = |index: usize| -> Vec<f32> {
        let left = index.min(numbers.len().saturating_sub(2));
        let Some([a, b]) = numbers.get(left..left + 2) else { return vec![1.0; first.middle.y.len()] };
        let whole = b.middle.at(middle) - a.middle.at(middle);
        a.middle.y.iter().zip(&b.middle.y).map(|(a, b)| (b - a) / whole).collect()
    };
    let pair = |(index, column): (usize, &NumberColumn)| {
        let scale = scale(index);
        let line = |offset: f32| Curve {
            y: column.middle.y.iter().zip(&scale).map(|(x, scale)| x + offset * scale).collect(),
        };
        let between = |from: f32, to: f32| Column { left: line(from), right: line(to), inner: Vec::new() };
        ColumnPair {
            numbers: Some(between(-column.left(), white)),
            between: None,
            white: between(white, white + move_width),
            black: between(white + move_width, white + 2.0 * move_width),
        }
    };
    Some(numbers.iter().enumerate().map(pair).collect())
}

/// The pairs where White's moves stand before the numbers and Black's behind them, if there is more than one: they meet
/// half way between the numbers.
fn laid_around(numbers: &[NumberColumn], middle: f32) -> Option<Vec<ColumnPair>> {
    let half = |from: usize, side: f32| {
        let between = numbers[from].middle.y.iter().zip(&numbers[from + 1].middle.y);
        between.map(|(a, b)| side * (b - a) / 2.0).collect::<Vec<f32>>()
    };
    let last = numbers.len().checked_sub(2)?;
    let line = |column: &NumberColumn, off: &[f32]| Curve {
        y: column.middle.y.iter().zip(off).map(|(x, off)| x + off).collect(),
    };
    let at = |column: &NumberColumn, off: f32| line(column, &vec![off; column.middle.y.len()]);
    let pair = |(index, column): (usize, &NumberColumn)| {
        let (left, right) = (half(index.saturating_sub(1), -1.0), half(index.min(last), 1.0));
        let [from, to] = [at(column, -column.left()), at(column, column.left())];
        let column = |left: Curve, right: Curve| Column { left, right, inner: Vec::new() };
        ColumnPair {
            white: column(line(&numbers[index], &left), from.clone()),
            black: column(to.clone(), line(&numbers[index], &right)),
            numbers: Some(column(from, to)),
            between: None,
        }
    };
    let pairs: Vec<ColumnPair> = numbers.iter().enumerate().map(pair).collect();
    (pairs[0].white.left.at(middle) > 0.0).then_some(pairs)
}

/// The pairs of a table as lines separate them, each with the numbers that are printed at the left of White's moves; none
/// where a pair has none there.
pub(crate) fn with_numbers(pairs: &[ColumnPair], numbers: &[NumberColumn], y: f32) -> Option<Vec<ColumnPair>> {
    let with = |pair: &ColumnPair| {
        let (left, right) = pair.white.at(y);
        let beside = INSIDE * (right - left);
        let is_its = |column: &&NumberColumn| {
            let x = column.middle.at(y);
            left - beside < x && x < left + beside
        };
        let column = numbers.iter().find(is_its)?;
        let line = |offset: f32| Curve { y: column.middle.y.iter().map(|x| x + offset).collect() };
        let border = line(column.half_width + MARGIN * column.height);
        // A line behind the numbers is the border, one among their digits is none.
        let border = if left > border.at(y) { pair.white.left.clone() } else { border };
        let numbers = Column { left: line(-column.left()), right: border.clone(), inner: Vec::new() };
        let white = Column { left: border, ..pair.white.clone() };
        Some(ColumnPair { numbers: Some(numbers), between: None, white, black: pair.black.clone() })
    };
    pairs.iter().map(with).collect()
}

/// Whether pairs of columns have their numbers where numbers are printed.
pub(crate) fn agree(pairs: &[ColumnPair], numbers: &[NumberColumn], y: f32) -> bool {
    let holds = |column: &Option<Column>, x: f32| {
        column.as_ref().is_some_and(|column| column.left.at(y) < x && x < column.right.at(y))
    };
    let has = |pair: &ColumnPair, x: f32| {
        let (left, right) = pair.white.at(y);
        let inside = left < x && x < left + INSIDE * (right - left);
        holds(&pair.numbers, x) || holds(&pair.between, x) || inside
    };
    pairs.len() >= numbers.len() && numbers.iter().all(|column| pairs.iter().any(|pair| has(pair, column.middle.at(y))))
}

/// Where the moves of a row between two places begin and end.
fn moves(page: &Page, row: &[Curve], from: f32, end: f32, pitch: f32) -> Vec<[f32; 2]> {
    let inside = from.max(0.0) as usize..(end.max(0.0) as usize).min(page.image.width() as usize);
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for x in inside.filter(|&x| holds_ink(page, row, x)) {
        match runs.last_mut().filter(|run| ((x - run[1]) as f32) < SPACE * pitch) {
            Some(run) => run[1] = x,
            None => runs.push([x, x]),
        }
    }
    let wide = runs.iter().filter(|run| (run[1] - run[0]) as f32 > NARROWEST * pitch);
    wide.map(|run| run.map(|x| x as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use image::{GrayImage, Luma};

    /// Rows of two moves each, indented by turns, behind numbers at the given places; rows are 40 pixels high.
    fn page(numbers: &[f32], width: f32) -> Page {
        let mut grey = GrayImage::from_pixel(1200, 900, Luma([250]));
        let mut block = |x: f32, y: f32, wide: u32, high: u32| {
            for dy in 0..high {
                for dx in 0..wide {
                    grey.put_pixel(x as u32 + dx, y as u32 + dy, Luma([30]));
                }
            }
        };
        for row in 0..15 {
            for &number in numbers {
                let y = 100.0 + 40.0 * row as f32;
                block(number - 8.0, y + 12.0, 16, 14);
                let indent = [12.0, 30.0, 20.0][row % 3];
                block(number + 20.0 + indent, y + 8.0, 60, 20);
                block(number + 20.0 + indent + width, y + 8.0, 60, 20);
            }
        }
        Page::new(&Photo { file: String::new(), grey }, 0)
    }

    fn column(x: f32) -> NumberColumn {
        NumberColumn { middle: Curve { y: vec![x; 28] }, half_width: 8.0, height: 14.0 }
    }

    #[test]
    fn pairs_go_from_numbers_to_numbers() {
        let page = page(&[60.0, 460.0], 180.0);
        let rows: Vec<Curve> = (0..=15).map(|row| Curve { y: vec![100.0 + 40.0 * row as f32; 37] }).collect();
        let numbers = [column(60.0), column(460.0)];
        let pairs = pairs(&page, &rows, 40.0, &numbers, true).unwrap();
        assert_eq!(pairs.len(), 2);
        for (pair, number) in pairs.iter().zip([60.0, 460.0]) {
            let (left, middle, right) = (pair.white.at(400.0).0, pair.black.at(400.0).0, pair.black.at(400.0).1);
            assert!((number + 8.0..number + 30.0).contains(&left), "{left}");
            assert!((middle - left - 180.0).abs() < 10.0 && (right - middle - 180.0).abs() < 10.0);
        }
        assert!(agree(&pairs, &numbers, 400.0));
        assert!(!agree(&pairs[..1], &numbers, 400.0));
        assert!(!agree(&pairs, &[column(200.0)], 400.0));
    }

    #[test]
    fn moves_stand_around_numbers_that_have_some_before_them() {
        // Numbers at 200 and 500, White's moves before and Black's behind them.
        let page = page(&[60.0, 360.0], 180.0);
        let rows: Vec<Curve> = (0..=15).map(|row| Curve { y: vec![100.0 + 40.0 * row as f32; 37] }).collect();
        let found = pairs(&page, &rows, 40.0, &[column(210.0), column(510.0)], true).unwrap();
        let places =
            |pair: &ColumnPair| [pair.white.at(400.0), pair.black.at(400.0)].map(|(left, right)| [left, right]);
        assert_eq!(
            found.iter().map(places).collect::<Vec<_>>(),
            [[[60.0, 195.0], [225.0, 360.0]], [[360.0, 495.0], [525.0, 660.0]]]
        );
        assert!(pairs(&page, &rows, 40.0, &[column(210.0)], true).is_none(), "how wide is one pair?");
        let ways = layouts(&page, &rows, 40.0, &[column(210.0), column(510.0)]);
        assert_eq!(ways.iter().map(|pairs| is_around(pairs)).collect::<Vec<_>>(), [true, false]);
        let behind = pairs(&page, &rows, 40.0, &[column(210.0), column(510.0)], false).unwrap();
        assert!(behind[0].white.at(400.0).0 > 210.0);
    }

    #[test]
    fn one_pair_is_as_wide_as_its_moves_are_apart() {
        let page = page(&[60.0], 250.0);
        let rows: Vec<Curve> = (0..=15).map(|row| Curve { y: vec![100.0 + 40.0 * row as f32; 37] }).collect();
        let pairs = pairs(&page, &rows, 40.0, &[column(60.0)], true).unwrap();
        let (left, right) = (pairs[0].white.at(400.0).0, pairs[0].black.at(400.0).1);
        assert!((right - left - 500.0).abs() < 6.0, "{left} {right}");
    }

    #[test]
    fn the_edge_of_the_sheet_is_no_column_of_moves() {
        // The desk is in the picture, with a shadow at the sheet's edge, as wide as a move.
        let mut page = page(&[260.0], 250.0);
        for y in 0..900 {
            for x in 100..160 {
                page.image.put_pixel(x, y, Luma([if x > 140 || (x * 7 + y * 13) % 5 == 0 { 40 } else { 240 }]));
            }
        }
        let rows: Vec<Curve> = (0..=15).map(|row| Curve { y: vec![100.0 + 40.0 * row as f32; 37] }).collect();
        assert_eq!(pairs(&page, &rows, 40.0, &[column(260.0)], true).map(|pairs| pairs.len()), Some(1));
    }

    #[test]
    fn numbers_stand_at_the_left_of_the_moves_that_lines_tell() {
        let line = |x: f32| Curve { y: vec![x; 28] };
        let between = |from: f32, to: f32| Column { left: line(from), right: line(to), inner: Vec::new() };
        // A line taken from the digits themselves begins White's column, and clock times stand behind it.
        let pair = ColumnPair {
            numbers: Some(between(260.0, 300.0)),
            between: None,
            white: between(62.0, 260.0),
            black: between(300.0, 460.0),
        };
        let found = with_numbers(std::slice::from_ref(&pair), &[column(60.0)], 400.0).unwrap();
        let numbers = found[0].numbers.as_ref().unwrap();
        assert_eq!((numbers.at(0.0), found[0].white.at(0.0)), ((45.0, 75.0), (75.0, 260.0)));
        assert_eq!(found[0].black, pair.black);
        assert!(with_numbers(std::slice::from_ref(&pair), &[column(200.0)], 400.0).is_none());
        let found = with_numbers(&[pair], &[column(30.0)], 400.0).unwrap();
        assert_eq!(found[0].white.at(0.0), (62.0, 260.0), "the line stands behind the numbers");
    }
}
