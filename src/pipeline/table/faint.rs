//! Ruling lines under writing: a line is drawn all along, a word is dark in places only.
//!
//! The page is cut into blocks a letter wide. In each block the contrast of a height against the paper above and below is
//! capped at what a ruling line of this page shows, so that no stroke, however dark, outweighs the line that it stands on.

use super::lines::{CLEARANCE, STRIP};
use image::GrayImage;

/// Width of a block, in pixels of the page: about a letter.
const BLOCK: usize = 8;
/// Blocks of a strip, and those beside it that have a say.
const BLOCKS: usize = STRIP / BLOCK;
const BESIDE: usize = 1;

/// As the likeness of a [`super::lines::LineMap`] (`strips` runs of heights, 0 to 255), no block counting for more than
/// `cap`.
pub(crate) fn likeness(image: &GrayImage, strips: usize, cap: f32) -> Vec<f32> {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let blocks = width.div_ceil(BLOCK);
    // Darkness of blocks, by block and height.
    let mut dark = vec![0f32; blocks * height];
    for (y, row) in image.as_raw().chunks_exact(width.max(1)).enumerate() {
        for (block, run) in row.chunks(BLOCK).enumerate() {
            let sum: u32 = run.iter().map(|&p| 255 - u32::from(p)).sum();
            dark[block * height + y] = sum as f32 / run.len() as f32;
        }
    }
    let mut contrast = vec![0f32; height];
    let mut out = vec![0f32; strips * height];
    for block in 0..blocks {
        let dark = &dark[block * height..(block + 1) * height];
        let three = |y: usize| (dark[y - 1] + dark[y] + dark[y + 1]) / 3.0;
        let inner = CLEARANCE + 1..height.saturating_sub(CLEARANCE + 1).max(CLEARANCE + 1);
        for (y, contrast) in inner.clone().zip(contrast.get_mut(inner).unwrap_or_default()) {
            let beside = three(y - CLEARANCE).max(three(y + CLEARANCE));
            *contrast = (three(y) - beside).clamp(-cap, cap);
        }
        let near = block.saturating_sub(BESIDE) / BLOCKS..(block + BESIDE) / BLOCKS + 1;
        for strip in near.start..near.end.min(strips) {
            let sums = &mut out[strip * height..(strip + 1) * height];
            sums.iter_mut().zip(&contrast).for_each(|(sum, value)| *sum += value);
        }
    }
    let count = (BLOCKS + 2 * BESIDE) as f32;
    out.iter_mut().for_each(|sum| *sum = (*sum / count).max(0.0));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn a_faint_line_outweighs_dark_strokes_beside_it() {
        // A line at 60; the feet of letters, every other 16 pixels, end in a dark edge at 50.
        let image = GrayImage::from_fn(320, 120, |x, y| {
            let stroke = x % 32 < 16 && (48..51).contains(&y);
            Luma([if stroke {
                60
            } else if (59..61).contains(&y) {
                215
            } else {
                250
            }])
        });
        let at = |cap: f32, y: usize| likeness(&image, 10, cap)[5 * 120 + y];
        assert!(at(255.0, 49) > 2.0 * at(255.0, 60), "without a cap the strokes win");
        assert!(at(25.0, 60) > 1.5 * at(25.0, 49), "{} {}", at(25.0, 60), at(25.0, 49));
    }
}
