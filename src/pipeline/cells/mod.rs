//! Straight pictures of single cells, all of one size, and how much ink is in them.

pub mod cutout;
mod reach;
mod strokes;
mod times;
pub(super) mod writing;

use crate::pipeline::page::Page;
use crate::pipeline::page::backdrop::even_out;
use crate::pipeline::page::sampling::Strip;
use crate::pipeline::table::grid::{Band, Column};
use crate::pipeline::table::lines::Curve;
use rayon::prelude::*;
use std::ops::Range;
pub(crate) use strokes::darker_than_paper;
use strokes::{INNER_ROWS, Stroke, contrast, darker, ink, most_ink, spanned};

/// Height and width of a crop, the input of the recogniser, in pixels.
pub const CROP_HEIGHT: usize = 48;
pub const CROP_WIDTH: usize = 192;
/// Height of the cell itself within the crop; the rest shows what reaches over its lines.
const CELL_HEIGHT: f32 = 30.0;
/// Paper shown left and right of the cell, in shares of its height.
const SIDE_MARGIN: f32 = 0.15;

/// Heights of print that is too small to be read well, and the one to which it is brought, in pixels; and how far off the
/// middle of its cell it may stand, in heights of the cell.
const SMALL_PRINT: Range<usize> = 6..14;
const PRINT: f32 = 18.0;
const OFF_MIDDLE: f32 = 0.15;

/// A straightened cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Crop {
    /// `CROP_HEIGHT` rows of `CROP_WIDTH` grey pixels, paper near 255.
    pub pixels: Vec<u8>,
    /// Pixels of connected ink that lie within the cell and are no ruling line.
    pub ink: u32,
    /// The columns of pixels from the first to the last of that ink.
    pub span: Range<usize>,
    /// The rows of pixels of the same.
    pub(crate) rows: Range<usize>,
    /// Grey levels by which the darkest twentieth of the cell's inner part is darker than its paper.
    pub contrast: u8,
}

impl Crop {
    /// Cuts a cell.
    ///
    /// The cell's upper line comes to lie at row 9 and its lower line at row 39, and width keeps its proportion to
    /// height. Of a cell that is too wide for the crop the part with ink is shown, and it is squeezed only if that is
    /// too wide as well. Narrow cells are centred on paper. Letters in boxes much wider than high are shown close to each other.
    pub fn cut(page: &Page, band: &Band, column: &Column) -> Self {
        let across = |line: &Curve| {
            let (left, right) = column.at(line.y[line.y.len() / 2]);
            line.at((left + right) / 2.0)
        };
        let (top, bottom) = (across(&band.top), across(&band.bottom));
        let (left, right) = column.at((top + bottom) / 2.0);
        let height = (bottom - top).max(4.0);
        let margin = SIDE_MARGIN * height;
        let start = left - margin;
        // Beyond the table the sides of a column may cross.
        let end = (right + margin).max(start + 1.0);
        let lines = column.inner.iter().map(|line| line.at((top + bottom) / 2.0)).collect::<Vec<f32>>();
        let natural = height / CELL_HEIGHT;
        if let Some(pieces) = Self::written(page, band, natural, left..right, &lines) {
            return Self::of_pieces(page, band, natural, &pieces, &lines).0;
        }
        let (whole, strokes) = Self::between(page, band, natural, start..end, &lines);
        let room = natural * CROP_WIDTH as f32;
        if end - start <= room
            && reach::is_cut_off(&strokes, ((end - start) / natural).round() as usize)
            && let Some(along) = reach::followed(page, band, natural, start..end, [left, right])
        {
            return Self::between(page, band, natural, along, &lines).0;
        }
        if end - start <= room || whole.is_blank() {
            return whole;
        }
        let step = (end - start) / CROP_WIDTH as f32;
        let mut span = whole.span.clone();
        if span.len() as f32 * step > SQUEEZED * room {
            // What stands far apart is not one move: squeezed so much, none of it could be read.
            span = most_ink(strokes, (WORD_GAP * height / step) as usize).unwrap_or(span);
        }
        let ink_start = start + span.start as f32 * step - 2.0 * margin;
        let ink_end = start + span.end as f32 * step + 2.0 * margin;
        let first = ink_start.min(end - room).max(start);
        let part = first..(first + room).max(ink_end).min(end);
        Self::between(page, band, natural, part, &lines).0
    }

    /// The parts of boxes in which something is written, with some paper around it, where a letter stands far from the next
    /// in boxes much wider than high; none where boxes are narrower, or nothing is written.
    fn written(page: &Page, band: &Band, natural: f32, cell: Range<f32>, lines: &[f32]) -> Option<Vec<Range<f32>>> {
        let height = natural * CELL_HEIGHT;
        if lines.is_empty() || cell.end - cell.start < WIDE_BOX * height * (lines.len() + 1) as f32 {
            return None;
        }
        let sides: Vec<f32> = [cell.start].into_iter().chain(lines.iter().copied()).chain([cell.end]).collect();
        let part = |sides: &[f32]| {
            let (from, to) = (sides[0], sides[1].max(sides[0] + 1.0));
            let (crop, _) = Self::between(page, band, natural, from..to, &[]);
            let step = natural.max((to - from) / CROP_WIDTH as f32);
            let place = |u: usize| (from + to) / 2.0 + (u as f32 - CROP_WIDTH as f32 / 2.0) * step;
            let margin = SIDE_MARGIN * height;
            let [start, end] = [place(crop.span.start) - margin, place(crop.span.end) + margin];
            (!crop.is_blank()).then(|| start.max(from)..end.min(to))
        };
        let parts: Vec<Range<f32>> = sides.windows(2).filter_map(part).filter(|part| part.end > part.start).collect();
        (!parts.is_empty()).then_some(parts)
    }

    /// A cell of which nothing is shown that stands at the right of a place.
    pub(crate) fn cut_before(page: &Page, band: &Band, column: &Column, end: f32) -> Self {
        let middle = |[top, bottom]: [&Curve; 2]| (top.y[top.y.len() / 2], bottom.y[bottom.y.len() / 2]);
        let (top, bottom) = middle([&band.top, &band.bottom]);
        let (left, right) = column.at((top + bottom) / 2.0);
        let natural = (bottom - top).max(4.0) / CELL_HEIGHT;
        let (mut crop, _) = Self::between(page, band, natural, left..right.max(left + 1.0), &[]);
        let used = ((right - left) / natural).min(CROP_WIDTH as f32);
        let from = ((CROP_WIDTH as f32 - used) / 2.0 + (end - left) / natural).clamp(0.0, CROP_WIDTH as f32) as usize;
        crop.pixels.chunks_mut(CROP_WIDTH).for_each(|row| row[from..].fill(255));
        let (ink, strokes, rows) = ink(&crop.pixels, 0..CROP_WIDTH, 1.0);
        let span = if strokes.is_empty() { 0..from } else { spanned(&strokes) };
        Self { ink, span, rows, ..crop }
    }

    /// Cuts many cells, on all cores, in their order.
    pub(crate) fn cut_all(page: &Page, places: &[(&Band, &Column)]) -> Vec<Self> {
        places.par_iter().map(|(band, column)| Self::cut(page, band, column)).collect()
    }

    /// Whether what is written or printed is too small to be read well.
    pub(crate) fn is_small(&self) -> bool {
        !self.is_blank() && SMALL_PRINT.contains(&self.rows.len())
    }

    /// The same cell brought so near that small print in the middle of it has the height of [`PRINT`].
    pub(crate) fn nearer(&self, page: &Page, band: &Band, column: &Column) -> Self {
        if !self.is_small() {
            return self.clone();
        }
        let above = (CROP_HEIGHT as f32 - CELL_HEIGHT) / 2.0;
        let middle = ((self.rows.start + self.rows.end) as f32 / 2.0 - above) / CELL_HEIGHT;
        let middle = middle.clamp(0.5 - OFF_MIDDLE, 0.5 + OFF_MIDDLE);
        let half = self.rows.len() as f32 / PRINT / 2.0;
        let border = |share: f32| Curve {
            y: band.top.y.iter().zip(&band.bottom.y).map(|(top, bottom)| top + share * (bottom - top)).collect(),
        };
        Self::cut(page, &Band { top: border(middle - half), bottom: border(middle + half), ..*band }, column)
    }

    /// The part of a band between two places along it, at `natural` pixels of the page a pixel of the crop, squeezed
    /// if it is too wide. `lines` are those between boxes. Returned with it are the strokes in its inner part.
    fn between(page: &Page, band: &Band, natural: f32, along: Range<f32>, lines: &[f32]) -> (Self, Vec<Stroke>) {
        Self::of_pieces(page, band, natural, &[along], lines)
    }

    /// The same of some pieces of a band, which are shown as if they stood close beside each other.
    fn of_pieces(page: &Page, band: &Band, natural: f32, pieces: &[Range<f32>], lines: &[f32]) -> (Self, Vec<Stroke>) {
        let length: f32 = pieces.iter().map(|piece| piece.end - piece.start).sum();
        let step = natural.max(length / CROP_WIDTH as f32);
        let used = (length / step).round().min(CROP_WIDTH as f32);
        let offset = ((CROP_WIDTH as f32 - used) / 2.0).floor();

        let mut pixels = vec![255u8; CROP_HEIGHT * CROP_WIDTH];
        let above = (CROP_HEIGHT as f32 - CELL_HEIGHT) / 2.0;
        let mut strip = Strip::default();
        for u in offset as usize..(offset + used) as usize {
            // Two samples a pixel in each direction: rows of up to twice the crop's height are not aliased.
            let mut sums = [0.0; CROP_HEIGHT];
            for sub in [0.25, 0.75] {
                let x = along(pieces, (u as f32 - offset + sub) * step);
                let (top, bottom) = (band.top.at(x), band.bottom.at(x));
                let row = |down: f32| top + (down - above) / CELL_HEIGHT * (bottom - top);
                strip.take(page, x, row(0.0), row(CROP_HEIGHT as f32));
                for (v, sum) in sums.iter_mut().enumerate() {
                    for sub in [0.25, 0.75] {
                        *sum += strip.at(row(v as f32 + sub));
                    }
                }
            }
            for (v, sum) in sums.into_iter().enumerate() {
                pixels[v * CROP_WIDTH + u] = (sum / 4.0) as u8;
            }
        }
        let mut before = 0.0;
        for piece in pieces {
            for line in lines.iter().filter(|line| piece.contains(line)) {
                wipe(&mut pixels, ((before + line - piece.start) / step + offset).round() as usize);
            }
            before += piece.end - piece.start;
        }
        let shown = offset as usize..(offset + used) as usize;
        even_out(&mut pixels, shown.clone());
        let (ink, strokes, rows) = ink(&pixels, shown.clone(), step / natural);
        let span = if strokes.is_empty() { shown.clone() } else { spanned(&strokes) };
        let contrast = contrast(&pixels, shown);
        (Self { pixels, ink, span, rows, contrast }, strokes)
    }

    /// Grey levels by which the darkest tenth of what the ink spans is darker than its paper.
    pub(crate) fn darkness(&self) -> u8 {
        darker(&self.pixels, self.span.clone(), self.span.len() * INNER_ROWS.len() / 10)
    }

    /// The columns that each stroke in the cell spans, its borders among them.
    fn strokes(&self) -> Vec<Range<usize>> {
        ink(&self.pixels, 0..CROP_WIDTH, 1.0).1.into_iter().map(|stroke| stroke.columns).collect()
    }

    /// Whether there is nothing to read: too little ink for the smallest letter.
    pub fn is_blank(&self) -> bool {
        self.ink < BLANK_BELOW
    }
}

/// The place so far along some pieces.
fn along(pieces: &[Range<f32>], far: f32) -> f32 {
    let mut left = far;
    for piece in &pieces[..pieces.len() - 1] {
        let length = piece.end - piece.start;
        if left < length {
            return piece.start + left;
        }
        left -= length;
    }
    pieces[pieces.len() - 1].start + left
}

/// Takes the line between two boxes out of a crop: its pixels become what lies on both sides of it.
fn wipe(pixels: &mut [u8], line: usize) {
    if line < WIPED + 1 || line + WIPED + 1 >= CROP_WIDTH {
        return;
    }
    let (left, right) = (line - WIPED - 1, line + WIPED + 1);
    for row in pixels.chunks_mut(CROP_WIDTH) {
        let (from, to) = (f32::from(row[left]), f32::from(row[right]));
        for (step, pixel) in row[left + 1..right].iter_mut().enumerate() {
            let share = (step + 1) as f32 / (right - left) as f32;
            *pixel = (*pixel).max((from + share * (to - from)) as u8);
        }
    }
}

/// Width of boxes, in their heights, from which on letters in them stand too far from each other to be read as they are.
const WIDE_BOX: f32 = 1.6;

/// Half the width of the line between two boxes, in pixels of a crop.
const WIPED: usize = 3;

/// Ink pixels of a crop below which the cell is empty: a stroke of 8 by 3 pixels counts, specks do not.
const BLANK_BELOW: u32 = 24;

/// How much the ink of a cell may be squeezed and still be read.
const SQUEEZED: f32 = 2.2;
/// Gap between two words of a cell at least, in its heights.
const WORD_GAP: f32 = 2.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::lines::STRIP;
    use image::{GrayImage, Luma};

    /// Paper of some pixels across and down with ink on it.
    fn drawn(across: u32, down: u32, is_ink: impl Fn(u32, u32) -> bool) -> Page {
        let grey = GrayImage::from_fn(across, down, |x, y| Luma([if is_ink(x, y) { 40 } else { 250 }]));
        Page::new(&Photo { file: String::new(), grey }, 0)
    }

    #[test]
    fn ink_in_a_wide_cell_keeps_its_proportions() {
        // A cell of 900 by 40 pixels with a block of 30 by 20 pixels in it.
        let inked = |x: u32, y: u32| (500..530).contains(&x) && (60..80).contains(&y);
        // The line below comes nearer to the right and meets the cell's border.
        let ruled =
            |x: u32, y: u32| x < 950 && (50..98).contains(&y) && (x >= 946 || (95..98).contains(&(y + x / 100)));
        let page = |ruled: &dyn Fn(u32, u32) -> bool| {
            let is_dark = |x: u32, y: u32| inked(x, y) || ruled(x, y);
            drawn(1000, 200, is_dark)
        };
        let line = |at: f32| Curve { y: vec![at; 1000 / STRIP] };
        let band = Band { top: line(50.0), bottom: line(90.0), ruled: true };
        let column = Column { left: line(50.0), right: line(950.0), inner: Vec::new() };
        let beside_lines = Crop::cut(&page(&ruled), &band, &column).span.len() as f32;
        assert!((beside_lines - 30.0 * CELL_HEIGHT / 40.0).abs() < 3.0, "{beside_lines}");
        let page = page(&|_, _| false);
        let crop = Crop::cut(&page, &band, &column);
        let width = crop.span.len() as f32;
        assert!((width - 30.0 * CELL_HEIGHT / 40.0).abs() < 3.0, "{width}");
        assert!(!crop.is_blank());
        // What is written at the very end is shown whole.
        let end = Column { right: line(540.0), ..column.clone() };
        assert!((Crop::cut(&page, &band, &end).span.len() as f32 - width).abs() < 3.0);
    }

    #[test]
    fn nothing_is_shown_behind_an_end() {
        // Two blocks of 20 by 20 pixels, 10 apart.
        let inked = |x: u32, y: u32| ((80..100).contains(&x) || (110..130).contains(&x)) && (60..80).contains(&y);
        let page = drawn(400, 200, inked);
        let line = |at: f32| Curve { y: vec![at; 400 / STRIP] };
        let band = Band { top: line(50.0), bottom: line(90.0), ruled: true };
        let column = Column { left: line(60.0), right: line(140.0), inner: Vec::new() };
        let both = Crop::cut(&page, &band, &column);
        let first = Crop::cut_before(&page, &band, &column, 105.0);
        let in_cell = |pixels: f32| pixels * CELL_HEIGHT / 40.0;
        assert!((both.span.len() as f32 - in_cell(50.0)).abs() < 3.0, "{:?}", both.span);
        assert!((first.span.len() as f32 - in_cell(20.0)).abs() < 3.0, "{:?}", first.span);
    }

    #[test]
    fn a_short_move_beside_the_border_of_a_wide_cell_is_ink() {
        // Squeezed, it is as narrow as the border, which is no ink.
        let crop = |ink: std::ops::Range<u32>| {
            let inked = |x: u32, y: u32| ink.contains(&x) && (52..88).contains(&y);
            let page = drawn(2000, 200, inked);
            let line = |at: f32| Curve { y: vec![at; 2000 / STRIP] };
            let band = Band { top: line(50.0), bottom: line(90.0), ruled: true };
            let column = Column { left: line(485.0), right: line(1900.0), inner: Vec::new() };
            Crop::cut(&page, &band, &column)
        };
        assert!(!crop(500..520).is_blank());
        assert!(crop(484..488).is_blank());
    }

    #[test]
    fn of_what_stands_far_apart_in_a_wide_cell_the_word_with_most_ink_is_shown() {
        // Two letters, and at the other end of the cell a part of what is written beside it.
        let word = |x: u32| (120..140).contains(&x) || (150..170).contains(&x);
        let inked = |x: u32, y: u32| (word(x) || (880..890).contains(&x)) && (58..82).contains(&y);
        let page = drawn(1000, 200, inked);
        let line = |at: f32| Curve { y: vec![at; 1000 / STRIP] };
        let band = Band { top: line(50.0), bottom: line(90.0), ruled: true };
        let column = Column { left: line(50.0), right: line(950.0), inner: Vec::new() };
        let width = Crop::cut(&page, &band, &column).span.len() as f32;
        assert!((width - 50.0 * CELL_HEIGHT / 40.0).abs() < 3.0, "{width}");
    }

    #[test]
    fn letters_in_wide_boxes_are_shown_close_to_each_other() {
        // A letter in each of the first three of five boxes, four times as wide as high, and the lines between them.
        let lines = [210.0, 370.0, 530.0, 690.0];
        let letter = |x: u32| (90..110).contains(&x) || (250..270).contains(&x) || (410..430).contains(&x);
        let between = |x: u32| lines.iter().any(|line| (x as f32 - line).abs() < 1.5);
        let inked = |x: u32, y: u32| (letter(x) && (58..82).contains(&y)) || (between(x) && (50..90).contains(&y));
        let page = drawn(1000, 200, inked);
        let line = |at: f32| Curve { y: vec![at; 1000 / STRIP] };
        let band = Band { top: line(50.0), bottom: line(90.0), ruled: true };
        let boxes = |inner: &[f32]| Column {
            left: line(50.0),
            right: line(850.0),
            inner: inner.iter().map(|&at| line(at)).collect(),
        };
        let crop = Crop::cut(&page, &band, &boxes(&lines));
        // Three letters, and two margins between each two of them.
        let width = (3.0 * 20.0 + 4.0 * SIDE_MARGIN * 40.0) * CELL_HEIGHT / 40.0;
        assert!((crop.span.len() as f32 - width).abs() < 6.0, "{:?}", crop.span);
        assert!(crop.span.len() < Crop::cut(&page, &band, &boxes(&[])).span.len());
        let empty = drawn(1000, 200, |x, y| between(x) && (50..90).contains(&y));
        assert!(Crop::cut(&empty, &band, &boxes(&lines)).is_blank());
    }

    #[test]
    fn small_print_is_brought_nearer() {
        // A row of 90 pixels with print 24 pixels high a little above its middle, a third of the way along the column.
        let inked = |x: u32, y: u32| (130..146).contains(&x) && (76..100).contains(&y);
        let page = drawn(1000, 300, inked);
        let line = |at: f32| Curve { y: vec![at; 1000 / STRIP] };
        let band = Band { top: line(50.0), bottom: line(140.0), ruled: true };
        let column = Column { left: line(80.0), right: line(230.0), inner: Vec::new() };
        let crop = Crop::cut(&page, &band, &column);
        assert!(crop.is_small() && (7..=9).contains(&crop.rows.len()), "{:?}", crop.rows);
        let near = crop.nearer(&page, &band, &column);
        assert!((17..=19).contains(&near.rows.len()), "{:?}", near.rows);
        assert!((near.span.len() as f32 / crop.span.len() as f32 - 2.25).abs() < 0.3);
        // What is as high as writing stays as it is.
        let low = Band { top: line(68.0), bottom: line(108.0), ..band };
        let crop = Crop::cut(&page, &low, &column);
        assert!(crop.nearer(&page, &low, &column) == crop, "{:?}", crop.rows);
    }
}
