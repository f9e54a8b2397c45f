//! A page with its ruling taken away that is as dark as what is written on it: what is long, thin and straight.

use crate::pipeline::page::{PAPER, Page, shades};
use image::{GrayImage, Luma};

/// Darkness of what lies around the paper at least: shadows are paler.
const AROUND: u8 = 128;
/// Length over which lines are straight, in pixels of the page, and the share of it that is dark; their slopes, as pixels up or
/// down over a hundred, and steps between these.
const STRAIGHT: usize = 120;
const UNBROKEN: f32 = 0.9;
const SLOPES: i32 = 8;
const SLOPE_STEP: usize = 2;
/// Breadth of a line that a stroke may cross, and how far beside it the stroke is looked for, in pixels of the page.
const BREADTH: usize = 9;
const BESIDE: usize = 3;
/// Side of the squares over which lines are equally dark, in pixels of the page; the share of a line's pixels that is no darker
/// than the line, as its edges are paler; and how much darker a stroke upon it is at least.
const SQUARE: usize = 100;
const LINE_TONE: f32 = 0.75;
const CLEAR_OF_LINE: f32 = 10.0;

/// The page with its lines lightened where no stroke crosses them, by how dark they are thereabouts: a stroke along a line is
/// the darker one. What is darker than `darkness` belongs to a line or a stroke; what is very dark and broad lies around the
/// paper.
pub(super) fn erased(page: &Page, darkness: u8) -> Page {
    let (across, around) = (Bitmap::of(&page.image, darkness), Bitmap::of(&page.image, AROUND));
    let down = across.transposed();
    let (level, upright) = (across.lines(), down.lines());
    let (level_across, upright_across) = (upright.transposed(), level.transposed());
    let level_only = across.without_strokes(level, &level_across);
    let upright_only = down.without_strokes(upright, &upright_across).transposed();
    let on_line: Vec<bool> = level_only.dark.iter().zip(&upright_only.dark).map(|(a, b)| *a || *b).collect();
    let mut page = page.clone();
    let tones = Tones::new(&page.image, &on_line);
    for (x, y, pixel) in page.image.enumerate_pixels_mut() {
        let at = [x as usize, y as usize];
        if on_line[at[1] * across.width + at[0]] && !around.is_broad(at[0], at[1]) {
            *pixel = Luma([lighter(f32::from(255 - pixel.0[0]), tones.at(at) + CLEAR_OF_LINE) as u8]);
        }
    }
    page
}

/// Brightness of a pixel so dark once everything up to a darkness is taken away. Strokes are thin and their edges pale: they
/// keep the weight that they had.
pub(super) fn lighter(dark: f32, from: f32) -> f32 {
    let shown = (dark - from).max(0.0) / (PAPER - from).max(1.0) * PAPER;
    PAPER - (2.0 * shown).min(dark)
}

/// How dark lines are, by squares of a page.
struct Tones {
    tones: Vec<f32>,
    across: usize,
}

impl Tones {
    /// Of the pixels of an image that belong to lines.
    fn new(image: &GrayImage, on_line: &[bool]) -> Self {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let across = width.div_ceil(SQUARE);
        let mut squares = vec![Vec::new(); across * height.div_ceil(SQUARE)];
        for (index, pixel) in image.as_raw().iter().enumerate().filter(|&(index, _)| on_line[index]) {
            squares[index / width / SQUARE * across + index % width / SQUARE].push(255 - pixel);
        }
        let tone = |mut square: Vec<u8>| {
            shades::sort(&mut square);
            let paler = (LINE_TONE * square.len() as f32) as usize;
            square.get(paler.saturating_sub(1)).copied().map_or(0.0, f32::from)
        };
        Self { tones: squares.into_iter().map(tone).collect(), across }
    }

    /// At a pixel.
    fn at(&self, [x, y]: [usize; 2]) -> f32 {
        self.tones[y / SQUARE * self.across + x / SQUARE]
    }
}

/// Some of the pixels of a page, row by row.
struct Bitmap {
    dark: Vec<bool>,
    width: usize,
}

impl Bitmap {
    fn of(image: &GrayImage, darkness: u8) -> Self {
        let dark = image.as_raw().iter().map(|&pixel| 255 - pixel > darkness).collect();
        Self { dark, width: image.width() as usize }
    }

    fn height(&self) -> usize {
        self.dark.len() / self.width.max(1)
    }

    fn transposed(&self) -> Self {
        let (width, height) = (self.width, self.height());
        let dark = (0..width).flat_map(|x| (0..height).map(move |y| self.dark[y * width + x])).collect();
        Self { dark, width: height }
    }

    /// Whether what a pixel belongs to is broader than a line each way.
    fn is_broad(&self, x: usize, y: usize) -> bool {
        let around = |at: usize, last: usize| [at.saturating_sub(BREADTH), (at + BREADTH).min(last)];
        let columns = around(x, self.width - 1);
        around(y, self.height() - 1).into_iter().all(|y| columns.iter().all(|x| self.dark[y * self.width + x]))
    }

    /// What belongs to lines that run from left to right.
    fn lines(&self) -> Self {
        let (width, height) = (self.width, self.height() as i32);
        let mut lines = vec![false; self.dark.len()];
        let least = (UNBROKEN * STRAIGHT as f32) as usize;
        for slope in (-SLOPES..=SLOPES).step_by(SLOPE_STEP) {
            let off = |x: usize| (slope * x as i32) / 100;
            let reach = off(width).abs();
            for start in -reach..height + reach {
                let at = |x: usize| {
                    let y = start + off(x);
                    (0..height).contains(&y).then(|| y as usize * width + x)
                };
                let is_dark = |x: usize| at(x).is_some_and(|at| self.dark[at]);
                let (mut count, mut marked) = (0, 0);
                for x in 0..width {
                    count += usize::from(is_dark(x));
                    count -= usize::from(x >= STRAIGHT && is_dark(x - STRAIGHT));
                    if count >= least {
                        let from = marked.max((x + 1).saturating_sub(STRAIGHT));
                        (from..=x).filter_map(at).for_each(|at| lines[at] |= self.dark[at]);
                        marked = x + 1;
                    }
                }
            }
        }
        Self { dark: lines, width }
    }

    /// Some lines, a pixel broader, without the places at which strokes cross them, which are dark on both sides; the lines that
    /// run down the page are no strokes.
    fn without_strokes(&self, mut lines: Self, down: &Self) -> Self {
        let (width, height) = (self.width, self.height());
        let is_stroke = |x: usize, ys: std::ops::Range<usize>| {
            ys.into_iter().any(|y| y < height && self.dark[y * width + x] && !down.dark[y * width + x])
        };
        for x in 0..width {
            let mut y = 0;
            while y < height {
                let end = (y..height).find(|&y| !lines.dark[y * width + x]).unwrap_or(height);
                if end > y {
                    let crossed = end - y <= BREADTH
                        && is_stroke(x, y.saturating_sub(BESIDE)..y)
                        && is_stroke(x, end..end + BESIDE);
                    let erased = if crossed { y..end } else { y.saturating_sub(1)..(end + 1).min(height) };
                    erased.clone().for_each(|y| lines.dark[y * width + x] = !crossed);
                    y = erased.end;
                }
                y = y.max(end) + 1;
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::squared;
    use super::*;

    #[test]
    fn ruling_is_erased_but_not_the_dark_around_the_paper() {
        let mut page = squared(75, &[[200, 205]]);
        for (x, y) in (0..900).flat_map(|x| (0..60).map(move |y| (x, y))) {
            page.image.put_pixel(x, y, Luma([20]));
        }
        let erased = erased(&page, 50);
        assert!(erased.image.get_pixel(300, 20).0[0] < 40, "the table that the paper lies on");
        assert!(erased.image.get_pixel(300, 201).0[0] > 240, "a line");
        assert!(erased.image.get_pixel(201, 201).0[0] > 240, "a crossing");
    }

    #[test]
    fn a_stroke_along_a_line_is_left_if_it_is_darker() {
        // Squares that are darker on the right half of the page, and a stroke along a line of each half.
        let mut page = squared(75, &[]);
        for pixel in page.image.enumerate_pixels_mut().filter(|(x, _, _)| *x >= 450) {
            pixel.2.0[0] = if pixel.2.0[0] < 240 { 140 } else { 250 };
        }
        for (left, grey) in [(200, 140), (560, 90)] {
            for (x, y) in (left..left + 30).flat_map(|x| [(x, 200), (x, 201)]) {
                page.image.put_pixel(x, y, Luma([grey]));
            }
        }
        let erased = erased(&page, 50);
        for (stroke, line) in [(215, 150), (575, 520)] {
            assert!(erased.image.get_pixel(stroke, 201).0[0] < 200, "a stroke");
            assert!(erased.image.get_pixel(line, 201).0[0] > 240, "a line");
        }
    }
}
