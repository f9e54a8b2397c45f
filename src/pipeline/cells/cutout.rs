//! A cell with a little around it, upright, for people to look at.

use crate::game::Quad;
use std::ops::RangeInclusive;

/// Where on a photo the pixels of a picture of a cell lie.
pub struct Cutout {
    quad: Quad,
    /// What is shown beside the cell as a share of its width, and above and below it as a share of its height.
    around: [f32; 2],
    /// Of the picture, in pixels.
    pub width: u32,
    height: u32,
}

impl Cutout {
    /// A picture of a cell `height` pixels high and as wide as that makes it, within `width`. `quad` is clockwise from the
    /// upper left, in pixels of the photo; `around` is what is shown beside the cell, and above and below it, as shares of
    /// its height.
    pub fn new(quad: &Quad, height: u32, around: [f32; 2], width: RangeInclusive<u32>) -> Self {
        let length = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]).max(1.0);
        let (cell_width, cell_height) = (length(quad[0], quad[1]), length(quad[0], quad[3]));
        let around = [around[0] * cell_height / cell_width, around[1]];
        let shown = [cell_width * (1.0 + 2.0 * around[0]), cell_height * (1.0 + 2.0 * around[1])];
        let wide = (shown[0] / shown[1] * height as f32) as u32;
        Self { quad: *quad, around, width: wide.clamp(*width.start(), *width.end()), height }
    }

    /// The place on the photo of a pixel of the picture, pixels counted from the centre of the first one.
    pub fn at(&self, x: u32, y: u32) -> [f32; 2] {
        let along = |at: u32, of: u32, around: f32| (at as f32 + 0.5) / of as f32 * (1.0 + 2.0 * around) - around;
        let (u, v) = (along(x, self.width, self.around[0]), along(y, self.height, self.around[1]));
        let [top_left, top_right, bottom_right, bottom_left] = self.quad;
        [0, 1].map(|axis| {
            let top = top_left[axis] + (top_right[axis] - top_left[axis]) * u;
            let bottom = bottom_left[axis] + (bottom_right[axis] - bottom_left[axis]) * u;
            top + (bottom - top) * v - 0.5
        })
    }
}
