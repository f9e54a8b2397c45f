//! Columns of moves told by the lines under them, for forms that underline every cell by itself: the lines of all rows begin
//! and end below each other.

use super::columns::{MOST_PAIRS, NARROWEST_MOVE, UNEVEN};
use super::grid::{Column, ColumnPair};
use super::ink_rows::holds_ink;
use super::lines::{CLEARANCE, Curve};
use super::ruled_rows::Frame;
use crate::pipeline::page::Page;
use rayon::prelude::*;

/// Share of the rows that are ruled at a place where cells are, at least, and where there are none, at most.
const RULED: f32 = 0.65;
const BARE: f32 = 0.35;
/// How dark a line is at least, as a share of what the rows' lines are.
const DARK: f32 = 0.4;
/// Distance from the middle of a line within which it may run, in pixels of the page.
const OFF: isize = 2;
/// Slants against the upright lines that are tried: the steepest, and how far they are apart, in pixels per pixel.
const STEEPEST: f32 = 0.05;
const STEP: f32 = 0.005;
/// Distance of the places that tell which it is, in pixels of the page.
const PLACES: usize = 4;
/// Share of the space between two pairs that the space between White's and Black's moves takes up at most, and the widest of
/// this, in heights of a row.
const NARROWER: f32 = 0.5;
const WIDEST_INNER: f32 = 0.8;
/// Share of the rows that are inked where numbers are printed, the space between two columns of numbers, and the space around
/// them, in heights of a row.
const PRINTED: f32 = 0.3;
const APART: f32 = 0.4;
const AROUND: f32 = 0.3;
/// How far off the cells numbers are looked for at least, in pixels of the page.
const CLEAR: usize = 2;
/// How far before the first cells their numbers are looked for, in heights of a row.
const BEFORE: f32 = 3.0;

/// Where the cells of a row begin and end, at the height at which widths are taken.
type Span = [f32; 2];

/// The pairs of columns between which the lines of the rows are broken, two cells each, with the numbers that stand before them;
/// none where the lines do not tell. `upright` gives the line down the page through a place at its middle.
pub(super) fn pairs(
    page: &Page,
    rows: &[Curve],
    frame: &Frame,
    upright: impl Fn(f32) -> Curve,
) -> Option<Vec<ColumnPair>> {
    let middle = (frame.top + frame.bottom) / 2.0;
    let width = page.image.width() as usize;
    let along = |row: &Curve| (0..width).map(|x| is_ruled(page, row, x, frame.row_darkness)).collect();
    let ruled: Vec<Vec<bool>> = rows.par_iter().map(along).collect();
    let uprights: Vec<Curve> = (0..width).map(|x| upright(x as f32)).collect();
    // The share of the rows that are ruled at a place.
    let share = |x: usize, slant: f32| {
        let ruled_in = |(row, ruled): (&Curve, &Vec<bool>)| {
            let y = row.at(x as f32);
            let at = uprights[x].at(y) + slant * (y - middle);
            (0.0..width as f32).contains(&at) && ruled[at as usize]
        };
        rows.iter().zip(&ruled).filter(|row| ruled_in(*row)).count() as f32 / rows.len() as f32
    };
    // Where the slant is right, places are ruled in all rows or in none.
    let clear = |step: i32| -> f32 {
        let places = (0..width).step_by(PLACES);
        places.map(|x| share(x, step as f32 * STEP).powi(2)).sum()
    };
    let steps = (STEEPEST / STEP) as i32;
    let tried: Vec<(f32, i32)> = (-steps..=steps).into_par_iter().map(|step| (clear(step), step)).collect();
    let (_, step) = tried.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let slant = step as f32 * STEP;
    let shares: Vec<f32> = (0..width).map(|x| share(x, slant)).collect();
    let cells = cells(&shares, frame.pitch)?;
    let line = |x: f32| {
        let upright = &uprights[(x as usize).min(width - 1)];
        let off = x - upright.at(middle);
        Curve::along(page.image.height(), |y| upright.at(y) + slant * (y - middle) + off)
    };
    let mut pairs = Vec::new();
    let mut end = None;
    for pair in cells.chunks_exact(2) {
        let [[left, inner], [outer, right]] = [pair[0], pair[1]];
        let from = end.unwrap_or(left - BEFORE * frame.pitch).max(0.0);
        let begin = numbers_begin(page, rows, [from, left], frame.pitch, &line);
        let between = line((inner + outer) / 2.0);
        let white = Column { left: line(left), right: between.clone(), inner: Vec::new() };
        let numbers = begin.map(|begin| Column { left: line(begin), right: white.left.clone(), inner: Vec::new() });
        let black = Column { left: between, right: line(right), inner: Vec::new() };
        pairs.push(ColumnPair { numbers, between: None, white, black });
        end = Some(right);
    }
    Some(pairs)
}

/// Whether a row's line is drawn at `x`.
fn is_ruled(page: &Page, row: &Curve, x: usize, darkness: f32) -> bool {
    let y = row.at(x as f32).round() as isize;
    let dark = |dx: isize, dy: isize| {
        let (x, y) = (x as isize + dx, y + dy);
        let inside = (0..page.image.width() as isize).contains(&x) && (0..page.image.height() as isize).contains(&y);
        if inside { 255.0 - f32::from(page.image.get_pixel(x as u32, y as u32).0[0]) } else { 0.0 }
    };
    let clear = CLEARANCE as isize + OFF;
    // An upright line that crosses it is no paper.
    let around = [-clear, 0, clear].into_iter().flat_map(|dx| [-clear, clear].map(|dy| dark(dx, dy)));
    let paper = around.fold(f32::INFINITY, f32::min);
    (-OFF..=OFF).any(|dy| dark(0, dy) - paper > DARK * darkness)
}

/// The cells of a row, two to a pair; none where they do not lie like that.
fn cells(shares: &[f32], pitch: f32) -> Option<Vec<Span>> {
    let mut cells: Vec<Span> = Vec::new();
    let mut from = None;
    for (x, &share) in shares.iter().chain([&0.0]).enumerate() {
        match from {
            None if share > RULED => from = Some(x),
            Some(start) if share < BARE => {
                from = None;
                let span = [start as f32, x as f32];
                if span[1] - span[0] > NARROWEST_MOVE * pitch {
                    cells.push(span);
                }
            }
            _ => {}
        }
    }
    if cells.is_empty() || !cells.len().is_multiple_of(2) || cells.len() > 2 * MOST_PAIRS {
        return None;
    }
    let width = |cell: &Span| cell[1] - cell[0];
    let (low, high) = cells.iter().map(width).fold((f32::INFINITY, 0.0f32), |(low, high), w| (low.min(w), high.max(w)));
    let inner = cells.chunks_exact(2).map(|pair| pair[1][0] - pair[0][1]).fold(0.0, f32::max);
    let outer = cells[1..].chunks_exact(2).map(|two| two[1][0] - two[0][1]).fold(f32::INFINITY, f32::min);
    (high < (1.0 + UNEVEN) * low && inner < WIDEST_INNER * pitch && inner < NARROWER * outer).then_some(cells)
}

/// Where the last numbers before a column of moves begin, at the height at which widths are taken; none where none are printed.
fn numbers_begin(
    page: &Page,
    rows: &[Curve],
    [from, to]: Span,
    pitch: f32,
    line: &impl Fn(f32) -> Curve,
) -> Option<f32> {
    let is_printed = |x: usize| {
        let line = line(x as f32);
        let inked = rows.windows(2).filter(|row| {
            let at = line.at(row[0].at(x as f32));
            (0.0..page.image.width() as f32).contains(&at) && holds_ink(page, row, at as usize)
        });
        inked.count() as f32 > PRINTED * (rows.len() - 1) as f32
    };
    let mut begin: Option<usize> = None;
    // Clear of where the cells beside them end and begin.
    let [from, to] = [from as usize + CLEAR, (to as usize).saturating_sub(CLEAR)];
    for x in (from..to).rev() {
        if is_printed(x) {
            begin = Some(x);
        } else if begin.is_some_and(|begin| (begin - x) as f32 > APART * pitch) {
            break;
        }
    }
    begin.map(|begin| (begin as f32 - AROUND * pitch).max(from as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use image::{GrayImage, Luma};

    const HEIGHT: f32 = 1000.0;

    /// Twenty rows, 40 pixels high, ruled from place to place; numbers are printed at the given places, and there may be upright
    /// lines. All of it leans.
    fn page(ruled: &[[f32; 2]], numbers: &[f32], uprights: &[f32]) -> Page {
        let grey = GrayImage::from_fn(1200, HEIGHT as u32, |x, y| {
            let (x, y) = (x as f32 - 0.02 * (y as f32 - 500.0), y as f32 - 100.0);
            let inside = (-1.0..801.0).contains(&y);
            let on_line = (y + 20.0).rem_euclid(40.0) - 20.0;
            let is_ruled = on_line.abs() < 1.2 && ruled.iter().any(|cell| (cell[0]..cell[1]).contains(&x));
            let is_number = (12.0..26.0).contains(&y.rem_euclid(40.0)) && numbers.iter().any(|at| (x - at).abs() < 8.0);
            let is_upright = uprights.iter().any(|at| (x - at).abs() < 1.2);
            Luma([if inside && (is_ruled || is_number || is_upright) { 60 } else { 245 }])
        });
        Page::new(&Photo { file: String::new(), grey }, 0)
    }

    /// By pair where its numbers begin, its moves, Black's, and where these end.
    fn found(page: &Page) -> Option<Vec<(Option<i32>, [i32; 3])>> {
        let rows: Vec<Curve> = (1..=20).map(|row| Curve::along(1200, |_| 100.0 + 40.0 * row as f32)).collect();
        let frame = Frame { left: 0.0, right: 1200.0, top: 100.0, bottom: 900.0, pitch: 40.0, row_darkness: 120.0 };
        let pairs = pairs(page, &rows, &frame, |x| Curve::along(HEIGHT as u32, |_| x))?;
        let at = |line: &Curve| line.at(500.0).round() as i32;
        let places = |pair: &ColumnPair| {
            let numbers = pair.numbers.as_ref().map(|numbers| at(&numbers.left));
            (numbers, [at(&pair.white.left), at(&pair.black.left), at(&pair.black.right)])
        };
        let leans = |line: &Curve| line.at(900.0) - line.at(100.0);
        assert!(pairs.iter().all(|pair| (10.0..22.0).contains(&leans(&pair.black.left))));
        Some(pairs.iter().map(places).collect())
    }

    #[test]
    fn cells_underlined_one_by_one_are_columns_of_moves() {
        let ruled = [[150.0, 300.0], [308.0, 458.0], [600.0, 750.0], [758.0, 908.0]];
        // The same numbers stand on both sides of the moves.
        let found = found(&page(&ruled, &[100.0, 490.0, 560.0, 940.0], &[])).unwrap();
        let about = |(numbers, [white, black, end]): (Option<i32>, [i32; 3]), expected: [i32; 4]| {
            [numbers.unwrap(), white, black, end].iter().zip(expected).all(|(at, expected)| (at - expected).abs() <= 4)
        };
        assert_eq!(found.len(), 2);
        assert!(about(found[0], [80, 150, 304, 458]) && about(found[1], [540, 600, 754, 908]), "{found:?}");
    }

    #[test]
    fn other_lines_tell_of_no_cells() {
        assert_eq!(found(&page(&[[100.0, 1000.0]], &[], &[])), None, "ruled all along");
        assert_eq!(found(&page(&[[150.0, 458.0]], &[], &[300.0])), None, "crossed by an upright line");
        let three = [[150.0, 300.0], [308.0, 458.0], [466.0, 616.0]];
        assert_eq!(found(&page(&three, &[], &[])), None, "not two to a pair");
        let far = [[150.0, 300.0], [400.0, 550.0]];
        assert_eq!(found(&page(&far, &[], &[])), None, "too far apart");
        let unlike = [[150.0, 300.0], [308.0, 400.0]];
        assert_eq!(found(&page(&unlike, &[], &[])), None, "of two widths");
    }
}
