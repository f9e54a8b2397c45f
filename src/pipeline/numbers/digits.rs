//! What may be printed numbers: connected shapes of the size of a digit, darker than the paper around them.

use crate::pipeline::page::shapes::{Shape, shapes};
use image::GrayImage;

/// How much darker (of 255) than the paper around it a pixel of print is.
const PRINT: u8 = 45;
/// Side, in pixels, of the squares for which the paper is told: one of so many pixels in and around them is lighter.
const SQUARE: usize = 16;
const LIGHTEST: usize = 6;
/// Paper in an evenly lit picture.
const PAPER: u8 = 240;
/// Heights of a digit, in pixels of the page.
const DIGITS: std::ops::RangeInclusive<usize> = 6..=60;
/// Widths of a shape in heights: of up to three digits that touch each other.
const WIDEST: f32 = 2.4;
/// How much digits may differ in height.
pub(crate) const ALIKE: f32 = 0.2;

/// A printed number: its middle, its width and its height.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

/// Everything on a page that may be a printed number: one to three connected shapes of one height beside each other.
pub(crate) fn numbers(image: &GrayImage) -> Vec<Number> {
    let mut digits = digits(image);
    digits.sort_by_key(|digit| digit.left);
    let mut used = vec![false; digits.len()];
    let mut out = Vec::new();
    for i in 0..digits.len() {
        if used[i] {
            continue;
        }
        let mut whole = digits[i];
        let (mut count, mut last) = (1, digits[i]);
        for j in i + 1..digits.len() {
            let (height, gap) = (last.height() as f32, digits[j].left as f32 - last.right as f32);
            if gap > 0.7 * height {
                break;
            }
            let level = (digits[j].top as f32 - last.top as f32).abs() < ALIKE * height
                && (digits[j].bottom as f32 - last.bottom as f32).abs() < ALIKE * height;
            if !used[j] && level && gap > -2.0 {
                used[j] = true;
                (last, count) = (digits[j], count + 1);
                whole.right = last.right;
                whole.top = whole.top.min(last.top);
                whole.bottom = whole.bottom.max(last.bottom);
            }
        }
        if count <= 3 {
            let middle = |a: usize, b: usize| (a + b) as f32 / 2.0;
            let (x, y) = (middle(whole.left, whole.right), middle(whole.top, whole.bottom));
            out.push(Number { x, y, width: whole.width() as f32, height: whole.height() as f32 });
        }
    }
    out
}

/// The connected dark shapes of a page that have the size of a digit, or of a few that touch each other.
fn digits(image: &GrayImage) -> Vec<Shape> {
    let width = image.width() as usize;
    let (paper, across) = (paper(image.as_raw(), width), width.div_ceil(SQUARE));
    let is_dark = |(at, &pixel): (usize, &u8)| {
        let paper = paper[at / width / SQUARE * across + at % width / SQUARE];
        paper.saturating_sub(pixel) >= PRINT
    };
    let dark = image.as_raw().iter().enumerate().map(is_dark).collect();
    let is_digit =
        |shape: &Shape| DIGITS.contains(&shape.height()) && shape.width() as f32 <= WIDEST * shape.height() as f32;
    shapes(dark, image.width() as usize).into_iter().filter(is_digit).collect()
}

/// A picture in which all paper is equally light, and what is darker as much darker as it is against the paper around it.
pub(crate) fn evenly_lit(grey: &[u8], width: usize) -> Vec<u8> {
    let (paper, across) = (paper(grey, width), width.div_ceil(SQUARE));
    let lit = |(at, &pixel): (usize, &u8)| {
        let paper = u32::from(paper[at / width / SQUARE * across + at % width / SQUARE]).max(1);
        (u32::from(pixel) * u32::from(PAPER) / paper).min(255) as u8
    };
    grey.iter().enumerate().map(lit).collect()
}

/// How light the paper is in and around each square of a picture, row by row: at the edge of a shadow it differs within a
/// few pixels.
fn paper(grey: &[u8], width: usize) -> Vec<u8> {
    let height = grey.len() / width.max(1);
    let squares = (0..height.div_ceil(SQUARE)).flat_map(|j| (0..width.div_ceil(SQUARE)).map(move |i| (i, j)));
    let lightest = |(i, j): (usize, usize)| {
        let span =
            |square: usize, end: usize| (square * SQUARE).saturating_sub(SQUARE)..((square + 2) * SQUARE).min(end);
        let columns = span(i, width);
        // Every second pixel says as much.
        let rows = span(j, height).step_by(2);
        let mut pixels: Vec<u8> =
            rows.flat_map(|y| grey[y * width..][columns.clone()].iter().step_by(2).copied()).collect();
        let rank = pixels.len() - 1 - pixels.len() / LIGHTEST;
        *pixels.select_nth_unstable(rank).1
    };
    squares.map(lightest).collect()
}
