//! Where a table's printed move numbers stand: in a column of their own, between White's and Black's moves, or with
//! White's moves in one column.
//!
//! The picture offers a few places; a few rows of each are read, and the place where most read as numbers is taken.

pub mod anchor;
mod ballots;
pub(super) mod digits;
pub(super) mod first_row;
pub(super) mod in_cells;

use crate::error::Result;
use crate::pipeline::cells::Crop;
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::table::columns;
use crate::pipeline::table::grid::{Column, ColumnPair, Grid};
use crate::pipeline::table::lines::Curve;
use crate::pipeline::table::print::{NARROWEST, PRINT, WIDEST_GAP, borders, is_empty, print};
use std::collections::BTreeMap;

/// Rows that are read at each place, at least so many of each pair, and the share of them from which they are surely
/// numbers.
const READ: usize = 9;
const READ_OF_PAIR: usize = 4;
const SURE: f32 = 0.75;
/// Share by which pairs must differ in width to be laid out anew.
const UNLIKE: f32 = 1.1;

/// Gives every pair of a grid its numbers where they read best; the share of a few rows that do read as numbers, `nearby`
/// if small ones are brought nearer.
///
/// # Errors
/// As [`Recogniser::read`].
pub fn settle(page: &Page, grid: &mut Grid, nearby: bool, recogniser: &dyn Recogniser) -> Result<f32> {
    let mut best: Option<(f32, Vec<ColumnPair>)> = None;
    for pairs in candidates(page, grid) {
        grid.pairs = pairs;
        let share = share_read(page, grid, nearby, recogniser)?;
        if best.as_ref().is_none_or(|(most, _)| share > *most) {
            best = Some((share, grid.pairs.clone()));
        }
        if share >= SURE {
            break;
        }
    }
    let (share, pairs) = best.unwrap_or_else(|| (0.0, grid.pairs.clone()));
    grid.pairs = pairs;
    Ok(share)
}

/// The ways in which the pairs may have their numbers, the likeliest first.
fn candidates(page: &Page, grid: &Grid) -> Vec<Vec<ColumnPair>> {
    let middle = grid.middle();
    let width = |column: &Column| column.width(middle);
    let is_gap = |column: &Column| {
        let narrow = width(column) < WIDEST_GAP * grid.pitch;
        width(column) < NARROWEST * grid.pitch || (narrow && is_empty(page, grid, column))
    };
    let found: Vec<ColumnPair> = grid.pairs.iter().map(|pair| pair.without_numbers_if(is_gap)).collect();
    let wide_only: Vec<ColumnPair> =
        found.iter().map(|pair| pair.without_numbers_if(|column| width(column) < WIDEST_GAP * grid.pitch)).collect();
    let between: Vec<ColumnPair> = found.iter().map(ColumnPair::with_numbers_between).collect();
    let mut out = Vec::new();
    if found.iter().all(|pair| pair.numbers.is_some()) {
        out.push(found.clone());
    }
    if found.iter().any(|pair| pair.numbers.is_some() && pair.between.is_some()) {
        out.push(between);
    }
    // Where a line was lost, or a column of digits taken for one, the widest pair shows how the others are laid out.
    let widths = || found.iter().filter_map(|pair| Some(width(pair.numbers.as_ref()?) + width(&pair.white)));
    let (narrowest, widest) = widths().fold((f32::INFINITY, 0.0f32), |(low, high), w| (low.min(w), high.max(w)));
    let lacking = found.iter().any(|pair| pair.numbers.is_none());
    if lacking || !columns::alike(&grid.pairs, middle) || widest > UNLIKE * narrowest {
        // Or else what stands before the table was taken for numbers.
        for wanted in [widest, narrowest] {
            let is_wanted = |pair: &&ColumnPair| {
                pair.numbers.as_ref().is_some_and(|numbers| width(numbers) + width(&pair.white) == wanted)
            };
            out.extend(found.iter().find(is_wanted).map(|whole| found.iter().map(|pair| pair.like(whole)).collect()));
        }
    }
    // Where White's columns are alike but some have no numbers before them, or all are wider than Black's, all have them
    // inside.
    let bare: Vec<ColumnPair> = found.iter().map(|pair| ColumnPair { numbers: None, ..pair.clone() }).collect();
    let wider = |pair: &ColumnPair| width(&pair.white) - width(&pair.black) > NARROWEST * grid.pitch;
    let inside = (lacking || found.iter().all(wider)) && columns::alike(&found, middle);
    // Or what was taken for the numbers of some is a part of White's column.
    let merged: Vec<ColumnPair> = found.iter().map(|pair| pair.with_numbers_inside(middle)).collect();
    let whole = lacking && merged != bare && columns::alike(&merged, middle);
    let others = inside.then_some(&bare).into_iter().chain(whole.then_some(&merged));
    for pairs in [&found, &wide_only].into_iter().chain(others) {
        out.extend(split(page, grid, pairs));
    }
    let mut as_found = found;
    number_the_first(page, grid, &mut as_found);
    out.push(as_found);
    let mut different: Vec<Vec<ColumnPair>> = Vec::new();
    for pairs in out {
        if !different.contains(&pairs) {
            different.push(pairs);
        }
    }
    different
}

/// The pairs that have no numbers with a part of White's column for them: every pair, or every one but the first, whose
/// numbers then stand beyond the ends of the lines.
fn split(page: &Page, grid: &Grid, pairs: &[ColumnPair]) -> Vec<Vec<ColumnPair>> {
    let middle = grid.middle();
    let lacks = |pair: &ColumnPair| pair.numbers.is_none() && pair.white.inner.is_empty();
    let prints: Vec<Vec<f32>> =
        pairs.iter().filter(|pair| lacks(pair)).map(|pair| print(page, grid, &pair.white, PRINT)).collect();
    // All pairs together: some have longer numbers, in some the writing begins at one place too.
    let mean = |prints: &[Vec<f32>]| -> Vec<f32> {
        let places = prints.iter().map(Vec::len).min().unwrap_or(0);
        (0..places).map(|s| prints.iter().map(|print| print[s]).sum::<f32>() / prints.len() as f32).collect()
    };
    let mut out = Vec::new();
    let split_from = |first: usize, border: f32| {
        let mut split = pairs.to_vec();
        let lacking = split.iter_mut().skip(first).filter(|pair| lacks(pair));
        lacking.for_each(|pair| pair.split(border * grid.pitch, middle));
        split
    };
    // White's and Black's moves have columns alike: what White's has more is that of the numbers.
    let lacking = pairs.iter().filter(|pair| lacks(pair));
    let more: Vec<f32> =
        lacking.map(|pair| (pair.white.width(middle) - pair.black.width(middle)) / grid.pitch).collect();
    let more = more.iter().sum::<f32>() / more.len().max(1) as f32;
    if more > NARROWEST {
        out.push(split_from(0, more));
    }
    out.extend(borders(&mean(&prints)).into_iter().map(|border| split_from(0, border)));
    if prints.len() > 1 && lacks(&pairs[0]) {
        for border in borders(&mean(&prints[1..])) {
            let mut others = split_from(1, border);
            number_the_first(page, grid, &mut others);
            // What blurs the border in the first pair may do so in no other.
            out.extend([others, split_from(0, border)]);
        }
    }
    out
}

impl ColumnPair {
    /// The same without its numbers where these are none.
    fn without_numbers_if(&self, is_gap: impl Fn(&Column) -> bool) -> Self {
        let numbers = self.numbers.clone().filter(|column| !is_gap(column));
        let between = self.between.clone().filter(|column| !is_gap(column));
        match numbers {
            None => Self { numbers: between, between: None, ..self.clone() },
            numbers => Self { numbers, between, ..self.clone() },
        }
    }

    /// The same with the column of numbers before White's as a part of this.
    fn with_numbers_inside(&self, middle: f32) -> Self {
        let left = self.first(middle).left.clone();
        Self { numbers: None, white: Column { left, ..self.white.clone() }, ..self.clone() }
    }

    /// The same with its numbers between White's and Black's moves, where there is a column.
    fn with_numbers_between(&self) -> Self {
        Self { numbers: self.between.clone().or_else(|| self.numbers.clone()), ..self.clone() }
    }

    /// The same with White's moves and the numbers laid out as another pair has them: a line of this one was lost.
    fn like(&self, other: &Self) -> Self {
        let aside = |line: &Curve| {
            let off = line.y.iter().zip(&other.black.left.y).map(|(x, middle)| x - middle);
            Curve { y: off.zip(&self.black.left.y).map(|(off, middle)| middle + off).collect() }
        };
        Self { between: None, black: self.black.clone(), ..other.moved(aside) }
    }

    /// Makes the left part of White's column, so many pixels wide at height `middle`, a column of numbers.
    fn split(&mut self, width: f32, middle: f32) {
        let (from, to) = self.white.at(middle);
        let share = width / (to - from).max(1.0);
        let sides = self.white.left.y.iter().zip(&self.white.right.y);
        let border = Curve { y: sides.map(|(left, right)| left + share * (right - left)).collect() };
        let left = std::mem::replace(&mut self.white.left, border.clone());
        self.numbers = Some(Column { left, right: border, inner: Vec::new() });
    }
}

/// Where every other pair has its numbers before White's moves, those of the first stand beyond the ends of the lines.
fn number_the_first(page: &Page, grid: &Grid, pairs: &mut [ColumnPair]) {
    let middle = grid.middle();
    let width = |pair: &ColumnPair| {
        let ((from, to), white) = (pair.numbers.as_ref()?.at(middle), pair.white.at(middle).0);
        ((white - to).abs() < 0.5 * (to - from)).then_some(to - from)
    };
    let Some((first, others)) = pairs.split_first_mut() else { return };
    let widths: Option<Vec<f32>> = others.iter().map(width).collect();
    let Some(widths) = widths.filter(|widths| !widths.is_empty() && first.numbers.is_none()) else { return };
    let wide = widths.iter().sum::<f32>() / widths.len() as f32;
    let left = Curve { y: first.white.left.y.iter().map(|x| x - wide).collect() };
    let numbers = Column { left, right: first.white.left.clone(), inner: Vec::new() };
    if !is_empty(page, grid, &numbers) {
        first.numbers = Some(numbers);
    }
}

/// The share of a few rows, spread over the table, that read as numbers going up from row to row; less where pairs have
/// no numbers. Small ones are brought nearer if they are looked at `nearby`.
pub fn share_read(page: &Page, grid: &Grid, nearby: bool, recogniser: &dyn Recogniser) -> Result<f32> {
    let ruled: Vec<usize> = (0..grid.bands.len()).filter(|&band| grid.bands[band].ruled).collect();
    let columns: Vec<&Column> = grid.pairs.iter().filter_map(|pair| pair.numbers.as_ref()).collect();
    if columns.is_empty() || ruled.is_empty() {
        return Ok(0.0);
    }
    let count = READ.max(READ_OF_PAIR * columns.len());
    // Clear of the ends, where a head may stand.
    let row = |k: usize| ruled[(2 * k + 3) * ruled.len() / (2 * count + 4)];
    let place = |k: usize| (&grid.bands[row(k)], columns[k % columns.len()]);
    let crops = Crop::cut_all(page, &(0..count).map(place).collect::<Vec<_>>());
    let share = |crops: &[Crop]| -> Result<f32> {
        let readings = recogniser.read(&crops.iter().collect::<Vec<_>>())?;
        let texts: Vec<String> = readings.iter().map(|reading| reading.best_path(recogniser.alphabet()).0).collect();
        let agreeing = |number: fn(&str) -> Option<i64>| {
            // By column how often the numbers say that it begins with one and the same: an upright line may read as 1 all along.
            let mut said: BTreeMap<(usize, i64), usize> = BTreeMap::new();
            for (k, text) in texts.iter().enumerate() {
                if let Some(number) = number(text) {
                    *said.entry((k % columns.len(), number - row(k) as i64)).or_default() += 1;
                }
            }
            let most = |column| said.iter().filter(|((of, _), _)| *of == column).map(|(_, &count)| count).max();
            (0..columns.len()).filter_map(most).filter(|&most| most > 1).sum::<usize>()
        };
        let share = agreeing(number).max(agreeing(bracketed)) as f32 / count as f32;
        // A pair without numbers has nothing that reads.
        Ok(share * columns.len() as f32 / grid.pairs.len() as f32)
    };
    let plain = share(&crops)?;
    if !nearby || plain >= SURE || !is_small(&crops) {
        return Ok(plain);
    }
    let nearer: Vec<Crop> =
        crops.iter().enumerate().map(|(k, crop)| crop.nearer(page, place(k).0, place(k).1)).collect();
    Ok(plain.max(share(&nearer)?))
}

/// Whether most cells of a column hold small print.
pub(crate) fn is_small(crops: &[Crop]) -> bool {
    2 * crops.iter().filter(|crop| crop.is_small()).count() > crops.len()
}

/// The number that a text is, perhaps with a full stop; the letter O passes for a zero.
fn number(text: &str) -> Option<i64> {
    text.trim_end_matches(['.', ')']).replace('O', "0").parse().ok().filter(|&number| number > 0)
}

/// The same of a text whose last sign is a bracket, which reads as a one.
fn bracketed(text: &str) -> Option<i64> {
    text.strip_suffix('1').and_then(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::grid::Band;
    use image::{GrayImage, Luma};

    #[test]
    fn a_line_in_the_first_of_the_columns_may_be_none() {
        // A stroke halfway through White's first column was taken for the end of the numbers.
        let mut pairs = columns::even(100.0, 900.0, 2, 30);
        let (left, right) = (pairs[0].white.left.clone(), pairs[0].white.right.clone());
        let stray = Curve { y: left.y.iter().zip(&right.y).map(|(left, right)| (left + right) / 2.0).collect() };
        pairs[0].numbers = Some(Column { left, right: stray.clone(), inner: Vec::new() });
        pairs[0].white.left = stray;
        assert_eq!(pairs[0].with_numbers_inside(500.0), columns::even(100.0, 900.0, 2, 30)[0]);
        // Numbers are printed at the left of both columns.
        let grey = GrayImage::from_fn(1000, 1000, |x, y| {
            let is_number = (108..122).contains(&(x % 400)) && (14..26).contains(&(y % 40));
            Luma([if is_number { 40 } else { 245 }])
        });
        let page = Page::new(&Photo { file: String::new(), grey }, 0);
        let line = |y: f32| Curve { y: vec![y; 42] };
        let bands = (2..22).map(|row| row as f32 * 40.0);
        let bands = bands.map(|y| Band { top: line(y), bottom: line(y + 40.0), ruled: true }).collect();
        let grid = Grid { bands, pairs, pitch: 40.0, width: 800.0, by_ink: false };
        let same_for_both = |pairs: &Vec<ColumnPair>| {
            let width = |pair: &ColumnPair| {
                pair.numbers.as_ref().map(|numbers| numbers.at(500.0).1 - pair.first(500.0).at(500.0).0)
            };
            pairs.iter().all(|pair| width(pair).is_some_and(|width| width < 60.0))
        };
        assert!(candidates(&page, &grid).iter().any(same_for_both));
    }

    #[test]
    fn numbers_are_told_from_moves() {
        assert_eq!(["1", "12.", "1O", "OO7"].map(number), [Some(1), Some(12), Some(10), Some(7)]);
        assert_eq!(["", "e4", "O", "O-O", "."].map(number), [None; 5]);
        assert_eq!(["11", "1O1", "1", "12", "e1"].map(bracketed), [Some(1), Some(10), None, None, None]);
    }
}
