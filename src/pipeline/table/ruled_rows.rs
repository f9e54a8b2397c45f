//! The rows of a table that are ruled: the longest chain of ruling lines at an even pitch, followed along the lines.

use super::columns;
use super::grid::{Band, ColumnPair};
use super::lines::{Curve, LineMap};
use super::number_columns::NumberColumn;
use super::spacing::{self, extent, find_rows};
use super::track;
use image::GrayImage;

/// Half the length over which a row's line is averaged: longer than a letter is wide.
pub(crate) const ROW_REACH: usize = 24;
/// Bands offered beyond either end of the chain, whose last lines may be hidden by a printed bar or a fold.
const BEYOND: usize = 3;
/// How well lines show that are there (see [`LineMap::shown`]), and by which share they must show better than where they were.
const SHOWN: f32 = 0.3;
const CLEARLY: f32 = 1.1;
/// How far from the middle between two numbers the line may run, in heights of a row.
const NEAR: f32 = 0.3;
/// How often the lines are followed at most: each time more of them are known.
const FOLLOWINGS: usize = 3;

/// Where the rows lie, in pixels of the page, and how dark their lines are.
pub(crate) struct Frame {
    pub left: f32,
    pub right: f32,
    pub top: f32,
    pub bottom: f32,
    pub pitch: f32,
    pub row_darkness: f32,
}

impl Frame {
    /// The same on a picture of half the size.
    pub fn halved(&self) -> Self {
        let [left, right, top, bottom, pitch] =
            [self.left, self.right, self.top, self.bottom, self.pitch].map(|length| length / 2.0);
        Self { left, right, top, bottom, pitch, row_darkness: self.row_darkness }
    }

    /// The share of the rows' width that pairs of columns take up.
    pub fn covered(&self, pairs: &[ColumnPair]) -> f32 {
        columns::extent(pairs, (self.top + self.bottom) / 2.0) / (self.right - self.left).max(1.0)
    }
}

/// The rows of a table that may lie anywhere on the page.
pub(crate) fn anywhere(across: &mut LineMap, image: &GrayImage) -> Result<(Frame, Vec<Curve>), String> {
    let everywhere = f32::NEG_INFINITY..f32::INFINITY;
    let (mut pitch, mut curves) = find_rows(across, 0..across.strips(), everywhere.clone())?;
    let (mut left, mut right, mut row_darkness) = extent(across, &curves);
    // Once more, with eyes for the table alone.
    let table = across.strip_of(left)..across.strip_of(right - 1.0) + 1;
    across.focus(table.clone());
    if let Some(found) = find_rows(across, table, everywhere.clone()).ok().filter(|found| found.1.len() >= curves.len())
    {
        (pitch, curves) = found;
        (left, right, row_darkness) = extent(across, &curves);
    }
    across.look_under_writing(image, row_darkness);
    // And along the lines themselves, where the paper bends more than the slope field does.
    for _ in 0..FOLLOWINGS {
        let table = across.strip_of(left)..across.strip_of(right - 1.0) + 1;
        let Some(followed) = track::follow(across, &curves, pitch, table.clone(), true) else { break };
        across.lead_by(followed);
        let Ok(found) = find_rows(across, table, everywhere.clone()) else { break };
        (pitch, curves) = found;
        (left, right, row_darkness) = extent(across, &curves);
    }
    (left, right) = (
        spacing::end(image, &curves, left, -1.0, row_darkness),
        spacing::end(image, &curves, right, 1.0, row_darkness),
    );
    let curves = spacing::evened(&curves, pitch);
    let middle = (left + right) / 2.0;
    let (top, bottom) = (curves[0].at(middle), curves[curves.len() - 1].at(middle));
    Ok((Frame { left, right, top, bottom, pitch, row_darkness }, curves))
}

/// The rows of a table whose place is known: evenly spaced where their number is known too.
pub(crate) fn within(
    across: &mut LineMap,
    table: [f32; 4],
    rows: Option<usize>,
) -> Result<(Frame, Vec<Curve>), String> {
    let [left, right, top, bottom] = table;
    let strips = across.strip_of(left)..across.strip_of(right - 1.0) + 1;
    across.focus(strips.clone());
    let (pitch, curves) = match rows {
        Some(rows) => {
            let pitch = (bottom - top) / rows as f32;
            let line = |row: usize| {
                let guess = Curve { y: vec![top + row as f32 * pitch; across.strips()] };
                across.refine(&guess, (pitch * 0.25).clamp(3.0, 10.0))
            };
            (pitch, (0..=rows).map(line).collect())
        }
        None => find_rows(across, strips.clone(), top - 8.0..bottom + 8.0)?,
    };
    let darkness = curves.iter().map(|curve| across.darkness(curve, strips.clone())).sum::<f32>() / curves.len() as f32;
    Ok((Frame { left, right, top, bottom, pitch, row_darkness: darkness }, curves))
}

/// Rows told by their numbers, led along their ruling lines from the first column of numbers on, or where they lead past the
/// other numbers, as those of tables that stand at different heights do, from each column to the next; none where no lines
/// show there.
pub(crate) fn beside_numbers(
    page: &GrayImage,
    rows: &[Curve],
    frame: &Frame,
    numbers: &[NumberColumn],
) -> Option<Vec<Curve>> {
    let map = LineMap::new(page, ROW_REACH);
    let middle = rows[rows.len() / 2].at(frame.left);
    let strip = |column: &NumberColumn| map.strip_of(column.middle.at(middle));
    let start = strip(numbers.first()?);
    let table = map.strip_of(frame.left)..map.strip_of(frame.right - 1.0) + 1;
    let led = track::moved_onto(&map, rows, frame.pitch, start);
    let led = track::follow_from(&map, &led, frame.pitch, start);
    let is_near = |column: &NumberColumn| {
        let off = led.iter().zip(rows).map(|(led, row)| (led.y[strip(column)] - row.y[strip(column)]).abs());
        spacing::median(off) < NEAR * frame.pitch
    };
    let shown = |rows: &[Curve]| map.shown(rows, table.clone());
    let (led, before) = match numbers.iter().all(is_near) {
        true => (led, shown(rows)),
        // Lines that go on past the other numbers are not those of several tables.
        false => (from_each(&map, rows, frame.pitch, numbers), shown(rows).max(shown(&led))),
    };
    (shown(&led) > SHOWN.max(CLEARLY * before)).then_some(led)
}

/// Rows led along their ruling lines from each column of numbers to the next, whichever way they came there.
fn from_each(map: &LineMap, rows: &[Curve], pitch: f32, numbers: &[NumberColumn]) -> Vec<Curve> {
    let middle = rows[rows.len() / 2].at(0.0);
    let x = |column: &NumberColumn| column.middle.at(middle);
    let mut led: Vec<Curve> = Vec::new();
    for column in numbers {
        let start = map.strip_of(x(column));
        let along: Vec<Curve> = rows.iter().map(|row| map.through([x(column), row.at(x(column))])).collect();
        let along = track::moved_onto(map, &along, pitch, start);
        let along = track::follow_from(map, &along, pitch, start);
        if led.is_empty() {
            led = along;
            continue;
        }
        let from = map.strip_of(x(column) - 2.0 * column.half_width);
        led.iter_mut().zip(along).for_each(|(led, along)| led.y[from..].copy_from_slice(&along.y[from..]));
    }
    led
}

/// The bands between neighbouring lines, with a few more beyond either end where the page has room for them.
pub(crate) fn bands(map: &LineMap, curves: Vec<Curve>, frame: &Frame, height: f32) -> Vec<Band> {
    let Frame { left, right, pitch, row_darkness, .. } = *frame;
    let middle = (left + right) / 2.0;
    let table = map.strip_of(left)..map.strip_of(right - 1.0) + 1;
    let mut lines: Vec<(Curve, bool)> = curves.into_iter().map(|c| (c, true)).collect();
    // A line at the local pitch from the outermost one, pulled onto the ink if there is any.
    let next = |from: &Curve, inner: &Curve| {
        let step = (from.at(middle) - inner.at(middle)).clamp(-1.15 * pitch, 1.15 * pitch);
        let guess = Curve { y: from.y.iter().map(|y| y + step).collect() };
        let line = map.refine(&guess, (pitch * 0.2).clamp(3.0, 10.0));
        let ruled = map.darkness(&line, table.clone()) > 0.3 * row_darkness;
        let y = line.at(middle);
        (y > -0.35 * pitch && y < height + 0.35 * pitch).then_some((if ruled { line } else { guess }, ruled))
    };
    // Bent paper hides lines from the chain; where they go on they are followed, and then a few guesses are offered.
    for upwards in [true, false] {
        let mut guesses = 0;
        while guesses < BEYOND {
            let last = lines.len() - 1;
            let (outer, inner) = if upwards { (0, 1) } else { (last, last - 1) };
            let Some(line) = next(&lines[outer].0, &lines[inner].0) else { break };
            guesses = if line.1 { 0 } else { guesses + 1 };
            lines.insert(if upwards { 0 } else { last + 1 }, line);
        }
    }
    lines.windows(2).map(|w| Band { top: w[0].0.clone(), bottom: w[1].0.clone(), ruled: w[0].1 && w[1].1 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn rows_told_by_numbers_are_led_along_bent_lines() {
        // Rising in the middle by more than half a row; the numbers stand at the left.
        let line = |k: usize, x: f32| 100.0 + 30.0 * k as f32 - 20.0 * ((x - 450.0) / 220.0).tanh();
        let page = |ruled: bool| {
            GrayImage::from_fn(960, 900, |x, y| {
                let is_line = (0..=20).any(|k| (y as f32 - line(k, x as f32)).abs() < 1.2);
                Luma([if ruled && is_line { 120 } else { 250 }])
            })
        };
        let rows: Vec<Curve> = (0..=20).map(|k| Curve { y: vec![line(k, 50.0) + 3.0; 30] }).collect();
        let frame = Frame { left: 20.0, right: 940.0, top: 120.0, bottom: 720.0, pitch: 30.0, row_darkness: 8.0 };
        let column = |x: f32| NumberColumn { middle: Curve { y: vec![x; 28] }, half_width: 9.0, height: 14.0 };
        let led = beside_numbers(&page(true), &rows, &frame, &[column(50.0)]).unwrap();
        for (k, led) in led.iter().enumerate() {
            for x in [50.0, 400.0, 600.0, 900.0] {
                assert!((led.at(x) - line(k, x)).abs() < 3.0, "line {k} at {x}: {}", led.at(x));
            }
        }
        assert!(beside_numbers(&page(true), &rows, &frame, &[column(50.0), column(900.0)]).is_none(), "other numbers");
        assert!(beside_numbers(&page(false), &rows, &frame, &[column(50.0)]).is_none(), "no lines");
    }

    #[test]
    fn rows_of_tables_at_different_heights_are_led_along_the_lines_of_each() {
        // The right table stands two thirds of a row lower; the numbers of a row stand at the left of each.
        let line = |k: usize, x: f32| {
            let (from, drop) = if x < 470.0 { (0.0, 0.0) } else { (470.0, 20.0) };
            100.0 + 30.0 * k as f32 + drop - 12.0 * ((x - from - 200.0) / 110.0).tanh()
        };
        let page = GrayImage::from_fn(960, 900, |x, y| {
            let is_line = (0..=20).any(|k| (y as f32 - line(k, x as f32)).abs() < 1.2);
            Luma([if is_line && !(440..480).contains(&x) { 120 } else { 250 }])
        });
        let straight = |k: usize, x: f32| line(k, 50.0) + (x - 50.0) / 460.0 * (line(k, 510.0) - line(k, 50.0));
        let row = |k: usize| Curve { y: (0..30).map(|strip| straight(k, 32.0 * strip as f32 + 16.0)).collect() };
        let rows: Vec<Curve> = (0..=20).map(row).collect();
        let frame = Frame { left: 20.0, right: 940.0, top: 120.0, bottom: 740.0, pitch: 30.0, row_darkness: 8.0 };
        let column = |x: f32| NumberColumn { middle: Curve { y: vec![x; 28] }, half_width: 9.0, height: 14.0 };
        let led = beside_numbers(&page, &rows, &frame, &[column(50.0), column(510.0)]).unwrap();
        for (k, led) in led.iter().enumerate() {
            for x in [50.0, 240.0, 400.0, 560.0, 700.0, 900.0] {
                assert!((led.at(x) - line(k, x)).abs() < 3.0, "line {k} at {x}: {}", led.at(x));
            }
        }
    }
}
