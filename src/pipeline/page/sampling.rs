//! Brightness between the pixels of a picture.

use super::Page;
use image::GrayImage;

/// The pixel in which a place lies, counted from the corner of the first one; none beyond the picture.
pub(crate) fn pixel(image: &GrayImage, x: f32, y: f32) -> Option<f32> {
    let is_inside = x >= 0.0 && y >= 0.0;
    let pixel = image.get_pixel_checked(x as u32, y as u32).filter(|_| is_inside)?;
    Some(f32::from(pixel.0[0]))
}

/// Bilinear sample of a picture, pixels counted from the corner of the first one; beyond the picture is paper.
pub(crate) fn sample(image: &GrayImage, x: f32, y: f32) -> f32 {
    let (width, height) = image.dimensions();
    let (x, y) = (x - 0.5, y - 0.5);
    if x < 0.0 || y < 0.0 || x >= (width - 1) as f32 || y >= (height - 1) as f32 {
        return 255.0;
    }
    // Not by `fract`, which is a call where the processor may be an old one.
    let (x0, y0) = (x as i32 as usize, y as i32 as usize);
    let (fx, fy) = (x - x0 as f32, y - y0 as f32);
    let upper = &image.as_raw()[y0 * width as usize + x0..][..width as usize + 2];
    let along = |at: usize| {
        let (left, right) = (f32::from(upper[at]), f32::from(upper[at + 1]));
        left + (right - left) * fx
    };
    let (above, below) = (along(0), along(width as usize));
    above + (below - above) * fy
}

/// Part of an upright line through a page, from which many samples are taken; they are those of [`sample`].
#[derive(Default)]
pub(crate) struct Strip {
    /// The row of pixels of the first value.
    first: usize,
    values: Vec<f32>,
    /// Where samples can be taken: from the middle of the page's first row of pixels to that of its last.
    height: f32,
}

impl Strip {
    /// Takes what samples from `top` to `bottom` need, either of which may be the higher one.
    pub(crate) fn take(&mut self, page: &Page, x: f32, top: f32, bottom: f32) {
        let (width, height) = (page.image.width() as usize, page.image.height() as usize);
        self.values.clear();
        self.height = 0.0;
        let x = x - 0.5;
        if x < 0.0 || x >= (width - 1) as f32 {
            return;
        }
        let x0 = x as i32 as usize;
        let fx = x - x0 as f32;
        self.height = height as f32 - 1.0;
        self.first = (top.min(bottom) - 0.5).max(0.0) as usize;
        let end = ((top.max(bottom) - 0.5).max(0.0) as usize + 2).min(height);
        let rows = page.image.as_raw().chunks_exact(width).take(end).skip(self.first);
        self.values.extend(rows.map(|row| {
            let (left, right) = (f32::from(row[x0]), f32::from(row[x0 + 1]));
            left + (right - left) * fx
        }));
    }

    /// The sample at `y`; beyond the page is paper.
    pub(crate) fn at(&self, y: f32) -> f32 {
        let y = y - 0.5;
        if y < 0.0 || y >= self.height {
            return 255.0;
        }
        let y0 = y as i32 as usize;
        let (above, below) = (self.values[y0 - self.first], self.values[y0 + 1 - self.first]);
        above + (below - above) * (y - y0 as f32)
    }
}
