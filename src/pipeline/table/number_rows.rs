//! Rows told by their printed numbers, for forms that rule no rows, or only every fifth.
//!
//! Printed numbers are alike in height and stand below each other at one pitch. The longest such chains, one for each
//! pair of columns, give the rows; the way a chain leans, and from chain to chain the rows themselves, give their slope.

use super::columns;
use super::grid::Column;
use super::ink_rows;
use super::lines::{Curve, LineMap, STRIP};
use super::long_lines;
use super::number_columns::NumberColumn;
use super::ruled_rows::Frame;
use super::spacing;
use crate::pipeline::numbers::digits::{ALIKE, Number, numbers};
use crate::pipeline::page::Page;
use image::imageops;
use std::ops::Range;

/// Share of a chain's numbers that are no wider than its width: the others may have writing or dirt on them.
const WIDE: f32 = 0.85;
/// Pitch of the rows in heights of a digit.
const PITCHES: Range<f32> = 1.25..6.0;
/// How far a chain may lean, in pixels per pixel, and how far a number may stand off it: along the row in heights of a
/// digit, and across in shares of the pitch.
const LEAN: f32 = 0.12;
const ASIDE: f32 = 0.7;
const OFF: f32 = 0.2;
/// Rows in a row whose number may be lost.
const LOST: usize = 3;
/// Steps at an end of a chain that tell how it goes on: a number may have writing on it.
const NEAR_END: isize = 8;
/// Numbers of a chain at least, and of a further one against the longest.
const FEWEST: usize = 8;
const FURTHER: f32 = 0.5;
/// How much the pitch may differ between chains.
const PITCH_DIFFERS: f32 = 0.15;

/// How far left of the middle of its number a row begins: in heights of a digit, and in shares of a pair's width.
const BESIDE: f32 = 2.5;
const NUMBERS: f32 = 0.1;

/// Numbers below each other at an even pitch.
#[derive(Debug, Clone)]
struct Chain {
    /// By row the middle of the number, made up where it is lost.
    places: Vec<[f32; 2]>,
    /// Numbers that were seen.
    seen: usize,
    /// Of the wider numbers, see [`WIDE`].
    width: f32,
    height: f32,
    /// How evenly they stand and how long the chain is.
    score: f32,
}

impl Chain {
    fn pitch(&self) -> f32 {
        let last = self.places.len() - 1;
        (self.places[last][1] - self.places[0][1]) / last as f32
    }

    /// Pixels to the right for each pixel down.
    fn lean(&self) -> f32 {
        let last = self.places.len() - 1;
        (self.places[last][0] - self.places[0][0]) / (self.places[last][1] - self.places[0][1])
    }

    /// The middle of a row's number; beyond the ends as the chain goes there.
    fn at(&self, row: isize) -> [f32; 2] {
        let last = self.places.len() as isize - 1;
        if (0..=last).contains(&row) {
            return self.places[row as usize];
        }
        // As the last two go; to the side, as the numbers near that end do, some of which may have writing on them.
        let (near, [end, inner]) = match row {
            ..0 => (0..=last.min(NEAR_END), [0, 1]),
            _ => ((last - NEAR_END).max(0)..=last, [last, last - 1]),
        };
        let (x, y) = (|row: isize| self.places[row as usize][0], |row: isize| self.places[row as usize][1]);
        let steps = near.clone().flat_map(|i| (i + 1..=*near.end()).map(move |j| (x(j) - x(i)) / (j - i) as f32));
        let step = spacing::median(steps);
        let beside = spacing::median(near.map(|i| x(i) + (row - i) as f32 * step));
        [beside, y(end) + (row - end).abs() as f32 * (y(end) - y(inner))]
    }

    fn column(&self, page: &Page) -> NumberColumn {
        let rows = self.places.len() as isize;
        let down: Vec<[f32; 2]> = (-1..=rows).map(|row| self.at(row)).map(|[x, y]| [y, x]).collect();
        let middle = Curve::along(page.image.height(), |y| through(&down, 0.0, y));
        NumberColumn { middle, half_width: self.width / 2.0, height: self.height }
    }
}

/// Rows by their numbers.
pub(crate) struct Numbered {
    pub frame: Frame,
    /// The borders between the rows, from top to bottom.
    pub rows: Vec<Curve>,
    /// From left to right.
    pub columns: Vec<NumberColumn>,
}

/// The rows of the printed numbers on a page.
pub(crate) fn find(page: &Page) -> Option<Numbered> {
    let chains = chains(&numbers(&page.image));
    let first = chains.first()?;
    // Square to the numbers, unless there are lines somewhere on the page to tell.
    let ruled = long_lines::find(&page.image);
    // Each with the row of the first chain at which it begins.
    let mut placed: Vec<(isize, &Chain)> =
        chains.iter().map(|chain| (start_against(first, chain, ruled.as_ref()), chain)).collect();
    placed.sort_by(|a, b| a.1.places[0][0].total_cmp(&b.1.places[0][0]));
    let top_row = placed.iter().map(|&(start, _)| start).min()?;
    let end_row = placed.iter().map(|&(start, chain)| start + chain.places.len() as isize).max()?;
    let slope = -first.lean();
    let strips = (page.image.width() as usize / STRIP).max(1);
    let border = |row: isize| -> Curve {
        let mut points: Vec<[f32; 2]> = placed
            .iter()
            .map(|&(start, chain)| {
                let (above, below) = (chain.at(row - 1 - start), chain.at(row - start));
                [(above[0] + below[0]) / 2.0, (above[1] + below[1]) / 2.0]
            })
            .collect();
        // Far beyond their ends chains may cross.
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let x = |strip: usize| (strip as f32 + 0.5) * STRIP as f32;
        let Some(map) = &ruled else {
            return Curve { y: (0..strips).map(|strip| through(&points, slope, x(strip))).collect() };
        };
        // As the lines bend, and from number to number.
        let line = map.through(points[0]);
        let off: Vec<[f32; 2]> = points.iter().map(|&[x, y]| [x, y - line.at(x)]).collect();
        let (first, last) = (off[0][0], off[off.len() - 1][0]);
        let off = |strip: usize| through(&off, 0.0, x(strip).clamp(first, last));
        Curve { y: (0..strips).map(|strip| line.y[strip] + off(strip)).collect() }
    };
    // The first and the last number may be lost: the next stage tells whether there are rows beyond.
    let rows: Vec<Curve> = (top_row - 1..=end_row + 1).map(border).collect();
    let middle = page.image.width() as f32 / 2.0;
    // Chance figures make chains that contradict each other.
    if !rows.is_sorted_by(|above, below| above.at(middle) < below.at(middle)) {
        return None;
    }
    let (top, bottom) = (rows.first()?.at(middle), rows.last()?.at(middle));
    let inside = |y: f32| y.clamp(0.0, page.image.height() as f32) as usize;
    let (_, right) = ink_rows::sides(page, inside(top)..inside(bottom))?;
    let (leftmost, rightmost) = (placed[0].1, placed[placed.len() - 1].1);
    let numbers_from = leftmost.places.iter().map(|place| place[0]).fold(f32::INFINITY, f32::min);
    // From one column of numbers to the next; the last pair of columns is as wide as the others.
    let pair = (rightmost.at(0)[0] - leftmost.at(0)[0]) / (placed.len() - 1).max(1) as f32;
    let left = (numbers_from - (BESIDE * first.height).max(NUMBERS * pair)).max(0.0);
    let right = if placed.len() > 1 { right.min(rightmost.at(0)[0] + pair) } else { right };
    let columns = placed.iter().map(|(_, chain)| chain.column(page)).collect();
    let frame = Frame { left, right, top, bottom, pitch: first.pitch(), row_darkness: ink_rows::FAINT_LINE };
    Some(Numbered { frame, rows, columns })
}

/// The columns of printed numbers on a page, from left to right.
pub(super) fn columns(page: &Page) -> Vec<NumberColumn> {
    let mut chains = chains(&numbers(&page.image));
    chains.sort_by(|a, b| a.places[0][0].total_cmp(&b.places[0][0]));
    chains.iter().map(|chain| chain.column(page)).collect()
}

/// The middles of the numbers of a column between two heights, made up where they are lost, and how many were seen; none
/// where they stand in no chain.
pub(crate) fn in_column(page: &Page, column: &Column, heights: Range<f32>) -> Option<(Vec<[f32; 2]>, usize)> {
    let (width, height) = (page.image.width() as f32, page.image.height() as f32);
    let (top, bottom) = (heights.start.clamp(0.0, height), heights.end.clamp(0.0, height));
    let sides = [top, bottom].map(|y| column.at(y));
    let left = sides[0].0.min(sides[1].0).clamp(0.0, width);
    let right = sides[0].1.max(sides[1].1).clamp(0.0, width);
    let [x, y, wide, high] = [left, top, right - left, bottom - top].map(|length| length.max(0.0) as u32);
    let mut numbers = numbers(&imageops::crop_imm(&page.image, x, y, wide, high).to_image());
    for number in &mut numbers {
        (number.x, number.y) = (number.x + x as f32, number.y + y as f32);
    }
    numbers.retain(|number| {
        let (left, right) = column.at(number.y);
        (left..right).contains(&number.x)
    });
    let chain = chains(&numbers).into_iter().next()?;
    Some((chain.places, chain.seen))
}

/// The height at `x` of a line through points from left to right; beyond a single point it goes on with `slope`.
fn through(points: &[[f32; 2]], slope: f32, x: f32) -> f32 {
    let Some(next) = (1..points.len()).find(|&i| points[i][0] > x || i + 1 == points.len()) else {
        return points[0][1] + slope * (x - points[0][0]);
    };
    let (a, b) = (points[next - 1], points[next]);
    a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]).max(1.0)
}

/// The row of the first chain beside which another begins: as the lines of the page run, or else square to the chains.
fn start_against(first: &Chain, other: &Chain, ruled: Option<&LineMap>) -> isize {
    let square = -(first.lean() + other.lean()) / 2.0;
    let b = other.places[0];
    let off = |row: isize| {
        let a = first.at(row);
        let rise = match ruled {
            Some(map) => {
                let line = map.through(a);
                line.at(b[0]) - line.at(a[0])
            }
            None => square * (b[0] - a[0]),
        };
        (b[1] - a[1] - rise).abs()
    };
    let rows = first.places.len() as isize;
    (-rows..rows).min_by(|&a, &b| off(a).total_cmp(&off(b))).unwrap_or(0)
}

/// The longest and most even chain, and others beside it that go with it.
fn chains(numbers: &[Number]) -> Vec<Chain> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut found: Vec<Chain> = Vec::new();
    for (i, first) in sorted.iter().enumerate() {
        for second in &sorted[i + 1..] {
            let (dx, dy) = (second.x - first.x, second.y - first.y);
            if dy > PITCHES.end * first.height {
                break;
            }
            let alike = (second.height / first.height - 1.0).abs() < ALIKE;
            if alike && dy > PITCHES.start * first.height && dx.abs() < LEAN * dy + ASIDE * first.height {
                found.extend(follow(&sorted, *first, *second));
            }
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Chain> = Vec::new();
    for chain in found {
        let goes_with = kept.first().is_none_or(|best| {
            chain.seen as f32 >= FURTHER * best.seen as f32
                && (chain.pitch() / best.pitch() - 1.0).abs() < PITCH_DIFFERS
                && (chain.height / best.height - 1.0).abs() < ALIKE / 2.0
        });
        let apart = |other: &Chain| (chain.places[0][0] - other.places[0][0]).abs() > 3.0 * chain.pitch();
        if goes_with && kept.iter().all(apart) && kept.len() < columns::MOST_PAIRS {
            kept.push(chain);
        }
    }
    kept
}

/// Goes on from two numbers as long as there are more; `numbers` from top to bottom.
fn follow(numbers: &[Number], first: Number, second: Number) -> Option<Chain> {
    let mut step = [second.x - first.x, second.y - first.y];
    let mut places = vec![[first.x, first.y], [second.x, second.y]];
    let (mut seen, mut lost, mut unevenness) = (2usize, 0usize, 0.0f32);
    let mut widths = vec![first.width, second.width];
    while lost <= LOST {
        let last = places[places.len() - 1];
        let expected = [last[0] + step[0], last[1] + step[1]];
        let reach = OFF * step[1];
        let from = numbers.partition_point(|number| number.y < expected[1] - reach);
        let near = numbers[from..].iter().take_while(|number| number.y < expected[1] + reach).filter(|number| {
            (number.height / first.height - 1.0).abs() < ALIKE && (number.x - expected[0]).abs() < ASIDE * first.height
        });
        let off = |number: &Number| (number.y - expected[1]).abs() + (number.x - expected[0]).abs();
        match near.min_by(|a, b| off(a).total_cmp(&off(b))) {
            Some(number) => {
                unevenness += ((number.y - expected[1]) / step[1]).abs();
                // The pitch changes slowly, with the distance from the camera.
                step[1] += 0.25 * (number.y - expected[1]) / (lost + 1) as f32;
                step[0] += 0.15 * (number.x - expected[0]) / (lost + 1) as f32;
                places.push([number.x, number.y]);
                widths.push(number.width);
                (seen, lost) = (seen + 1, 0);
            }
            None => {
                places.push(expected);
                lost += 1;
            }
        }
    }
    places.truncate(places.len() - lost);
    widths.sort_by(f32::total_cmp);
    let even = 1.0 - 4.0 * unevenness / seen as f32;
    let whole = seen as f32 / places.len() as f32;
    (seen >= FEWEST && even > 0.0).then_some(Chain {
        places,
        seen,
        width: widths[(WIDE * (widths.len() - 1) as f32) as usize],
        height: first.height,
        score: seen as f32 * even * whole,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use image::{GrayImage, Luma};

    /// Two columns of 20 "numbers" at a pitch of 40 pixels on slanted rows, and taller "writing" beside them.
    fn form(slope: f32) -> Photo {
        let mut grey = GrayImage::from_pixel(1000, 1000, Luma([250]));
        let mut block = |x: f32, y: f32, width: u32, height: u32| {
            for dy in 0..height {
                for dx in 0..width {
                    grey.put_pixel(x as u32 + dx, y as u32 + dy, Luma([30]));
                }
            }
        };
        for row in 0..20u32 {
            for column in 0..2u32 {
                let (x, y) = (80.0 + 440.0 * column as f32, 120.0 + 40.0 * row as f32);
                let (x, y) = (x - slope * y, y + slope * x);
                block(x, y, 6, 14);
                if row + column * 20 > 8 {
                    block(x + 9.0, y, 6, 14);
                }
                for letter in 0..3 {
                    let (jump, tall) = ((row * 7 + letter * 5) % 12, 18 + (row * 5 + letter * 3) % 11);
                    block(x + 70.0 + 25.0 * letter as f32 + jump as f32, y - jump as f32 / 2.0, 12, tall);
                }
            }
        }
        Photo { file: String::new(), grey }
    }

    #[test]
    fn numbers_give_the_rows() {
        for slope in [0.0, 0.04, -0.04] {
            let page = Page::new(&form(slope), 0);
            let Numbered { frame, rows, columns } = find(&page).unwrap();
            assert_eq!(columns.len(), 2);
            assert_eq!(rows.len(), 23, "slope {slope}");
            assert!((frame.pitch - 40.0).abs() < 1.0);
            // One row is offered beyond either end. The middle of the first row, at both columns.
            for x in [80.0f32, 520.0] {
                let (x, y) = (x - slope * 120.0, 127.0 + slope * x);
                let middle = (rows[1].at(x) + rows[2].at(x)) / 2.0;
                assert!((middle - y).abs() < 4.0, "slope {slope}: {middle} instead of {y}");
            }
        }
    }

    #[test]
    fn rows_bend_as_the_lines_above_and_below_them() {
        // One column of numbers at the left, and the frame of the table on paper that sags to the right.
        let sag = |x: f32| 30.0 * (x / 1000.0).powi(2);
        let mut grey = GrayImage::from_pixel(1000, 1000, Luma([250]));
        for x in 60..940 {
            for top in [90.0, 930.0] {
                for dy in 0..3 {
                    grey.put_pixel(x, (top + sag(x as f32)) as u32 + dy, Luma([40]));
                }
            }
        }
        for row in 0..20 {
            for (x, y) in (0..6).flat_map(|x| (0..14).map(move |y| (80 + x, 120 + 40 * row + y))) {
                grey.put_pixel(x, y, Luma([30]));
            }
        }
        let Numbered { rows, .. } = find(&Page::new(&Photo { file: String::new(), grey }, 0)).unwrap();
        for (row, x) in (0..20).flat_map(|row| [300.0, 900.0].map(|x| (row, x))) {
            let middle = (rows[row + 1].at(x) + rows[row + 2].at(x)) / 2.0;
            let expected = 127.0 + 40.0 * row as f32 + sag(x) - sag(83.0);
            assert!((middle - expected).abs() < 4.0, "row {row} at {x}: {middle} instead of {expected}");
        }
    }

    #[test]
    fn columns_that_cross_tell_no_rows() {
        let mut grey = GrayImage::from_pixel(1000, 1000, Luma([250]));
        let mut number = |left: f32, top: f32| {
            for (x, y) in (0..6).flat_map(|x| (0..14).map(move |y| (x, y))) {
                grey.put_pixel(left as u32 + x, top as u32 + y, Luma([30]));
            }
        };
        for row in 0..20 {
            number(80.0 + 4.0 * row as f32, 120.0 + 40.0 * row as f32);
        }
        for row in 0..14 {
            number(230.0 - 4.0 * row as f32, 138.0 + 40.0 * row as f32);
        }
        let page = Page::new(&Photo { file: String::new(), grey }, 0);
        assert_eq!(columns(&page).len(), 2);
        assert!(find(&page).is_none());
    }

    #[test]
    fn an_empty_page_has_none() {
        let page = Page::new(&Photo { file: String::new(), grey: GrayImage::from_pixel(600, 600, Luma([240])) }, 0);
        assert!(find(&page).is_none());
    }
}
