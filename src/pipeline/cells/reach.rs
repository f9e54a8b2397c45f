//! Writing that reaches over the sides of a narrow cell: how far it goes.

use super::strokes::{INNER_ROWS, PLAIN_INK, Stroke, ink};
use super::{CROP_WIDTH, Crop, wipe};
use crate::pipeline::page::Page;
use crate::pipeline::table::grid::Band;
use std::ops::Range;

/// How far writing is followed beyond what the crop of its cell shows, and how far it reaches at least, in pixels of a
/// crop; what reaches less far is the border of the cell.
const FURTHEST: f32 = 24.0;
const LEAST: f32 = 4.0;
/// How far off the place where a column ends its line may be, in pixels of a crop, and the share of its pixels that are
/// dark.
const OFF: usize = 3;
const RULED: f32 = 0.8;

/// Whether strokes of a crop that shows `used` columns of pixels go on beyond them.
pub(super) fn is_cut_off(strokes: &[Stroke], used: usize) -> bool {
    let start = (CROP_WIDTH - used.min(CROP_WIDTH)) / 2;
    strokes.iter().any(|stroke| stroke.columns.start <= start || stroke.columns.end >= start + used)
}

/// The part of a band that shows a cell and what is written across its sides, most of it within the cell; none where nothing
/// is. `along` is the part that the cell's crop shows, `sides` are where the cell itself begins and ends, in pixels of the
/// page, of which `natural` make one of a crop.
pub(super) fn followed(
    page: &Page,
    band: &Band,
    natural: f32,
    along: Range<f32>,
    sides: [f32; 2],
) -> Option<Range<f32>> {
    let wide = along.start - FURTHEST * natural..along.end + FURTHEST * natural;
    let length = wide.end - wide.start;
    let (crop, _) = Crop::between(page, band, natural, wide.clone(), &[]);
    let step = natural.max(length / CROP_WIDTH as f32);
    let used = (length / step).round().min(CROP_WIDTH as f32) as usize;
    let offset = (CROP_WIDTH - used) / 2;
    let mut pixels = crop.pixels;
    // Lines join what is written on either side of them.
    for side in sides {
        let place = ((side - wide.start) / step) as usize + offset;
        if let Some(line) = ruled_near(&pixels, place) {
            wipe(&mut pixels, line);
        }
    }
    let at = |column: usize| wide.start + (column as f32 - offset as f32) * step;
    let mut reached = along.clone();
    for Stroke { columns, .. } in ink(&pixels, offset..offset + used, step / natural).1 {
        let (from, to) = (at(columns.start), at(columns.end));
        let ends = from > wide.start + step && to < wide.end - step;
        if ends && (sides[0]..sides[1]).contains(&((from + to) / 2.0)) {
            reached = reached.start.min(from - step)..reached.end.max(to + step);
        }
    }
    let further = (along.start - reached.start).max(reached.end - along.end);
    (further > LEAST * natural).then_some(reached)
}

/// The column of pixels with most ink around a place, if it is a line from the top to the bottom of the cell.
fn ruled_near(pixels: &[u8], place: usize) -> Option<usize> {
    let dark = |column: usize| {
        let is_dark = |row: &usize| pixels[row * CROP_WIDTH + column] < 255 - PLAIN_INK as u8;
        INNER_ROWS.filter(is_dark).count()
    };
    let near = place.saturating_sub(OFF)..(place + OFF + 1).min(CROP_WIDTH);
    let line = near.max_by_key(|&column| dark(column))?;
    (dark(line) as f32 >= RULED * INNER_ROWS.len() as f32).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::cells::CELL_HEIGHT;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::grid::Column;
    use crate::pipeline::table::lines::{Curve, STRIP};
    use image::{GrayImage, Luma};

    /// A cell from 100 to 200 with an upright stroke, and an H that may lie across its right side; in the next cell a stroke
    /// that the line of that side may join to the H. Returned is how wide the ink is that is shown, in pixels of the page.
    fn shown(across: Range<u32>, ruled: bool) -> f32 {
        let inked = |x: u32, y: u32| {
            let stroke = |from: u32| (from..from + 5).contains(&x);
            let upright = [130, across.start, across.end - 5, 232].into_iter().any(stroke);
            let bar = (across.start..across.end + if ruled { 10 } else { 0 }).contains(&x) && (60..65).contains(&y);
            let beside = (200..219).contains(&x) && (77..82).contains(&y) && ruled;
            let line = ruled && (200..203).contains(&x) && (20..120).contains(&y);
            upright && (58..82).contains(&y) || bar || beside || line
        };
        let grey = GrayImage::from_fn(1000, 200, |x, y| Luma([if inked(x, y) { 40 } else { 250 }]));
        let page = Page::new(&Photo { file: String::new(), grey }, 0);
        let line = |at: f32| Curve { y: vec![at; 1000 / STRIP] };
        let band = Band { top: line(50.0), bottom: line(90.0), ruled: true };
        let crop = Crop::cut(&page, &band, &Column { left: line(100.0), right: line(200.0), inner: Vec::new() });
        crop.span.len() as f32 * 40.0 / CELL_HEIGHT
    }

    #[test]
    fn what_is_written_over_the_side_of_a_cell_is_shown_whole() {
        let width = shown(180..215, false);
        assert!((width - 85.0).abs() < 4.0, "{width}");
        // What lies for the most part in the next cell is the next cell's.
        let width = shown(195..225, false);
        assert!(width < 80.0, "{width}");
    }

    #[test]
    fn a_line_joins_nothing() {
        let width = shown(170..192, true);
        assert!(width < 80.0, "{width}");
    }
}
