//! The sheet in the photo, at a working size, with the light evened out.

pub(super) mod backdrop;
pub(crate) mod bend;
pub(super) mod fit;
pub mod flatten;
pub mod homography;
pub(super) mod pale;
pub(super) mod paper;
pub(crate) mod pieces;
pub(crate) mod sampling;
pub mod segments;
pub(crate) mod shades;
pub(super) mod shapes;

use crate::game::Quad;
use crate::pipeline::photo::ingest::Photo;
use bend::Bend;
use flatten::Flat;
use homography::Homography;
use image::{GrayImage, imageops};
use paper::Region;
use pieces::Pieces;
use rayon::prelude::*;
use std::sync::Arc;

/// Longest side of a page at working size, in pixels: rows of the tightest forms keep about 20 pixels.
pub(crate) const WORKING_SIDE: u32 = 2000;

/// Side of the squares over which the paper's brightness is estimated, in pixels of the page.
const PAPER_BLOCK: u32 = 16;

/// Brightness that paper gets; a little is left for what is brighter still.
pub(crate) const PAPER: f32 = 250.0;

/// A sheet at working size. Paper is near 255 everywhere, ink is darker.
#[derive(Debug, Clone)]
pub struct Page {
    pub image: GrayImage,
    /// From pixels of the page to pixels of the upright photo, or to those of the smooth picture if the paper was bent.
    pub map: Homography,
    /// Of paper that was laid smooth.
    pub(crate) bend: Option<Arc<Bend>>,
    /// Pixels of the photo per pixel of the page, in the middle of the page.
    pub scale: f32,
    /// Quarter turns clockwise from the photo to the page.
    pub quarter_turns: u8,
    /// Size of the photo, in pixels.
    pub photo_size: (u32, u32),
    /// Of a page that was laid out anew.
    pub(crate) pieces: Option<Pieces>,
}

/// Where a page lies in its photo.
pub(crate) type Place = (Homography, Option<Arc<Bend>>);

impl Page {
    /// Shrinks, turns by `quarter_turns` clockwise, and evens the light of a photo.
    pub fn new(photo: &Photo, quarter_turns: u8) -> Self {
        let (width, height) = photo.grey.dimensions();
        let longest = width.max(height);
        let small = if longest > WORKING_SIDE {
            let size = |side: u32| (u64::from(side) * u64::from(WORKING_SIDE) / u64::from(longest)).max(1) as u32;
            shrink(&photo.grey, size(width), size(height))
        } else {
            photo.grey.clone()
        };
        let (before, factor) = (small.dimensions(), f64::from(width) / f64::from(small.width()));
        let image = even_light(&turned(small, quarter_turns));
        let map = Homography::scaling([factor; 2], [0.0; 2]).after(&unturned(quarter_turns, before));
        Self {
            image,
            map,
            bend: None,
            scale: factor as f32,
            quarter_turns: quarter_turns % 4,
            photo_size: (width, height),
            pieces: None,
        }
    }

    /// Takes a flat picture from a photo, turns it by `quarter_turns` clockwise and evens its light; white where
    /// there is no photo.
    pub fn flattened(photo: &Photo, flat: &Flat, quarter_turns: u8) -> Self {
        let scale = flat.map.scale_at([f64::from(flat.size.0) / 2.0, f64::from(flat.size.1) / 2.0]);
        let image = taken(photo, flat, scale, |place| place);
        Self {
            image: turned(image, quarter_turns),
            map: flat.map.after(&unturned(quarter_turns, flat.size)),
            bend: None,
            scale: scale as f32,
            quarter_turns: quarter_turns % 4,
            photo_size: photo.grey.dimensions(),
            pieces: None,
        }
    }

    /// The same sheet with its bent paper laid smooth, taken anew from the photo; none where it is hardly bent.
    ///
    /// Takes the page as it is in the photo (no quarter turns).
    pub(crate) fn smoothed(&self, photo: &Photo) -> Option<Self> {
        let bend = Bend::find(&self.image, self.map, Region::find(&photo.grey).as_ref())?;
        let flat = Flat { map: self.map, size: self.image.dimensions() };
        let image = taken(photo, &flat, f64::from(self.scale), |place| bend.to_bent(place));
        let map = Homography::scaling([1.0; 2], [0.0; 2]);
        Some(Self { image, map, bend: Some(Arc::new(bend)), pieces: None, ..self.clone() })
    }

    /// The same page at half the size.
    pub(crate) fn halved(&self) -> Self {
        let [width, height] = [self.image.width(), self.image.height()].map(|side| (side / 2).max(1));
        let factors = [(self.image.width(), width), (self.image.height(), height)]
            .map(|(all, half)| f64::from(all) / f64::from(half));
        Self {
            image: shrink(&self.image, width, height),
            map: self.map.after(&Homography::scaling(factors, [0.0; 2])),
            scale: 2.0 * self.scale,
            ..self.clone()
        }
    }

    /// The same page with everything so many times darker against white.
    pub fn darkened(&self, gain: f32) -> Self {
        Self { image: darkened(&self.image, gain), ..self.clone() }
    }

    /// The same page with every brightness (0 to 255) made another one.
    pub(crate) fn toned(&self, tone: impl Fn(f32) -> f32) -> Self {
        Self { image: toned(&self.image, tone), ..self.clone() }
    }

    /// The same page turned clockwise.
    pub(crate) fn turned(&self, quarter_turns: u8) -> Self {
        Self {
            image: turned(self.image.clone(), quarter_turns),
            map: self.map.after(&unturned(quarter_turns, self.image.dimensions())),
            quarter_turns: (self.quarter_turns + quarter_turns) % 4,
            pieces: None,
            ..self.clone()
        }
    }

    /// From pixels of the page to pixels of the upright photo.
    pub fn to_photo(&self, point: [f32; 2]) -> [f32; 2] {
        let point = point.map(f64::from);
        let map = self.pieces.as_ref().and_then(|pieces| pieces.map_at(point.map(|v| v as f32)));
        self.onto_photo(map.unwrap_or(&self.map).apply(point)).map(|v| v as f32)
    }

    pub(crate) fn place(&self) -> Place {
        (self.map, self.bend.clone())
    }

    /// From where the map leads to pixels of the upright photo.
    fn onto_photo(&self, point: [f64; 2]) -> [f64; 2] {
        self.bend.as_ref().map_or(point, |bend| bend.to_photo(point))
    }

    /// The same of four corners; of what is laid out anew the piece that is nearest to them.
    pub(crate) fn quad_to_photo(&self, quad: Quad) -> Quad {
        match &self.pieces {
            Some(pieces) => pieces.quad_to_photo(quad),
            None => quad.map(|corner| self.to_photo(corner)),
        }
    }

    /// Whether little tells that what is laid at a place belongs there.
    pub(crate) fn is_doubted(&self, place: Quad) -> bool {
        self.pieces.as_ref().is_some_and(|pieces| pieces.is_doubted(place))
    }

    /// Whether the photo reaches as far as a place in pixels of the page.
    pub(crate) fn shows(&self, point: [f32; 2]) -> bool {
        let [x, y] = self.to_photo(point);
        let (width, height) = self.photo_size;
        (0.0..width as f32).contains(&x) && (0.0..height as f32).contains(&y)
    }
}

/// A picture whose light is even with everything so many times darker against white.
pub(super) fn darkened(image: &GrayImage, gain: f32) -> GrayImage {
    toned(image, |grey| PAPER - (PAPER - grey) * gain)
}

/// A picture with every brightness (0 to 255) made another one.
fn toned(image: &GrayImage, tone: impl Fn(f32) -> f32) -> GrayImage {
    let table: [u8; 256] = std::array::from_fn(|grey| tone(grey as f32).clamp(0.0, 255.0) as u8);
    let mut image = image.clone();
    image.iter_mut().for_each(|pixel| *pixel = table[usize::from(*pixel)]);
    image
}

fn turned(image: GrayImage, quarter_turns: u8) -> GrayImage {
    match quarter_turns % 4 {
        1 => imageops::rotate90(&image),
        2 => imageops::rotate180(&image),
        3 => imageops::rotate270(&image),
        _ => image,
    }
}

fn unturned(quarter_turns: u8, (width, height): (u32, u32)) -> Homography {
    Homography::unturned(quarter_turns, f64::from(width), f64::from(height))
}

/// A flat picture of a photo with its light evened, given the pixels of the photo for one of its own and where its places lie
/// on it; white where there is no photo.
fn taken(photo: &Photo, flat: &Flat, scale: f64, place: impl Fn([f64; 2]) -> [f64; 2] + Sync) -> GrayImage {
    let (width, height) = photo.grey.dimensions();
    // First shrunk by a whole number, so that no pixel is passed over.
    let coarse = (scale.floor() as u32).clamp(1, width.min(height));
    let small = if coarse > 1 { shrink(&photo.grey, width / coarse, height / coarse) } else { photo.grey.clone() };
    let factors = [f64::from(small.width()) / f64::from(width), f64::from(small.height()) / f64::from(height)];
    let map = Homography::scaling(factors, [0.0; 2]).after(&flat.map);
    let mut image = even_light(&warp(&small, |at| map.apply(place(at)), flat.size));
    let (width, height) = (f64::from(small.width()), f64::from(small.height()));
    image.par_chunks_mut(flat.size.0.max(1) as usize).enumerate().for_each(|(v, line)| {
        for (u, pixel) in line.iter_mut().enumerate() {
            let place = place([u as f64 + 0.5, v as f64 + 0.5]);
            let [x, y] = map.apply(place);
            if map.depth(place) <= 0.0 || x < 0.0 || y < 0.0 || x > width || y > height {
                *pixel = 255;
            }
        }
    });
    image
}

/// The picture whose pixels lie in `image` where `map` says, by bilinear interpolation; beyond the image's edges its
/// outermost pixels go on.
fn warp(image: &GrayImage, map: impl Fn([f64; 2]) -> [f64; 2] + Sync, (width, height): (u32, u32)) -> GrayImage {
    let (from_width, from_height) = (image.width() as usize, image.height() as usize);
    let (last_x, last_y) = (from_width.max(2) as f32 - 1.001, from_height.max(2) as f32 - 1.001);
    let pixels = image.as_raw();
    let mut out = vec![255u8; (width * height) as usize];
    out.par_chunks_mut(width.max(1) as usize).enumerate().for_each(|(v, line)| {
        for (u, pixel) in line.iter_mut().enumerate() {
            let [x, y] = map([u as f64 + 0.5, v as f64 + 0.5]);
            let (x, y) = ((x as f32 - 0.5).clamp(0.0, last_x), (y as f32 - 0.5).clamp(0.0, last_y));
            let (x0, y0) = (x as usize, y as usize);
            let (fx, fy) = (x - x0 as f32, y - y0 as f32);
            let at =
                |x: usize, y: usize| f32::from(pixels[y.min(from_height - 1) * from_width + x.min(from_width - 1)]);
            let above = at(x0, y0) * (1.0 - fx) + at(x0 + 1, y0) * fx;
            let below = at(x0, y0 + 1) * (1.0 - fx) + at(x0 + 1, y0 + 1) * fx;
            *pixel = (above * (1.0 - fy) + below * fy) as u8;
        }
    });
    GrayImage::from_raw(width, height, out).unwrap_or_default()
}

/// Shrinks a picture to `width` by `height`, every pixel being the mean of the whole pixels that it covers.
///
/// On 12 megapixels this takes a fifth of the time of `imageops::thumbnail`, which samples through a trait.
fn shrink(image: &GrayImage, width: u32, height: u32) -> GrayImage {
    let (from_width, from_height) = (image.width() as usize, image.height() as usize);
    let span = |at: usize, from: usize, to: usize| {
        let start = at * from / to;
        start..((at + 1) * from / to).max(start + 1)
    };
    let columns: Vec<_> = (0..width as usize).map(|x| span(x, from_width, width as usize)).collect();
    let mut out = Vec::with_capacity((width * height) as usize);
    let mut sums = vec![0u32; from_width];
    for y in 0..height as usize {
        sums.fill(0);
        let lines = span(y, from_height, height as usize);
        for line in image.as_raw()[lines.start * from_width..lines.end * from_width].chunks_exact(from_width) {
            sums.iter_mut().zip(line).for_each(|(sum, &pixel)| *sum += u32::from(pixel));
        }
        out.extend(columns.iter().map(|span| {
            let area = (span.len() * lines.len()) as u32;
            (sums[span.clone()].iter().sum::<u32>() / area) as u8
        }));
    }
    GrayImage::from_raw(width, height, out).unwrap_or_else(|| imageops::thumbnail(image, width, height))
}

/// Divides every pixel by the brightness of the paper around it.
///
/// The paper is the 80th percentile of a block, blurred over the neighbouring blocks: ink covers less than a
/// fifth of any block that is not printed solid.
pub(super) fn even_light(image: &GrayImage) -> GrayImage {
    even_light_above(image, 0.2)
}

/// The same, the paper being so bright that so large a share of a block is brighter.
pub(super) fn even_light_above(image: &GrayImage, share: f32) -> GrayImage {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let block = PAPER_BLOCK as usize;
    let (columns, rows) = (width.div_ceil(block), height.div_ceil(block));
    let pixels = image.as_raw();
    let mut paper = vec![0f32; columns * rows];
    for row in 0..rows {
        for column in 0..columns {
            let across = column * block..((column + 1) * block).min(width);
            let mut histogram = [0u32; 256];
            let mut count = 0;
            for y in row * block..((row + 1) * block).min(height) {
                for &pixel in &pixels[y * width + across.start..y * width + across.end] {
                    histogram[usize::from(pixel)] += 1;
                    count += 1;
                }
            }
            let mut above = (count as f32 * share) as u32;
            let mut level = 255;
            while level > 0 && histogram[level] <= above {
                above -= histogram[level];
                level -= 1;
            }
            paper[row * columns + column] = level.max(1) as f32;
        }
    }
    let paper = blur_blocks(&lift_blocks(&paper, columns, rows), columns, rows);
    // Between the centres of blocks the paper's brightness is linear.
    let between = |at: usize, count: usize| {
        let centre = ((at as f32 + 0.5) / block as f32 - 0.5).clamp(0.0, (count - 1) as f32);
        let low = centre as usize;
        (low, (low + 1).min(count - 1), centre - low as f32)
    };
    let across: Vec<_> = (0..width).map(|x| between(x, columns)).collect();
    let mut out = Vec::with_capacity(pixels.len());
    let mut level = vec![0f32; columns];
    for (y, line) in pixels.chunks_exact(width).enumerate() {
        let (above, below, share) = between(y, rows);
        for (column, level) in level.iter_mut().enumerate() {
            *level = paper[above * columns + column] * (1.0 - share) + paper[below * columns + column] * share;
        }
        out.extend(line.iter().zip(&across).map(|(&pixel, &(left, right, share))| {
            let level = level[left] * (1.0 - share) + level[right] * share;
            (f32::from(pixel) * PAPER / level).min(255.0) as u8
        }));
    }
    GrayImage::from_raw(image.width(), image.height(), out).unwrap_or_else(|| image.clone())
}

/// Takes the brightest of each block and its eight neighbours, so that a dark block (a printed bar, a scribble)
/// is judged by the paper beside it.
fn lift_blocks(paper: &[f32], columns: usize, rows: usize) -> Vec<f32> {
    over_neighbours(paper, columns, rows, |around| around.iter().copied().fold(0.0, f32::max))
}

fn blur_blocks(paper: &[f32], columns: usize, rows: usize) -> Vec<f32> {
    over_neighbours(paper, columns, rows, |around| around.iter().sum::<f32>() / around.len() as f32)
}

fn over_neighbours(paper: &[f32], columns: usize, rows: usize, combine: impl Fn(&[f32]) -> f32) -> Vec<f32> {
    let mut out = Vec::with_capacity(paper.len());
    let mut around = Vec::with_capacity(9);
    for row in 0..rows {
        for column in 0..columns {
            around.clear();
            for y in row.saturating_sub(1)..(row + 2).min(rows) {
                for x in column.saturating_sub(1)..(column + 2).min(columns) {
                    around.push(paper[y * columns + x]);
                }
            }
            out.push(combine(&around));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_is_evened_and_ink_stays() {
        let photo = GrayImage::from_fn(640, 480, |x, _| {
            let light = 80 + x / 5;
            image::Luma([if x % 40 == 0 { light / 2 } else { light } as u8])
        });
        let page = Page::new(&Photo { file: String::new(), grey: photo }, 0);
        let at = |x: u32| page.image.get_pixel(x, 200).0[0];
        assert!(at(100) > 235 && at(500) > 235, "paper {} {}", at(100), at(500));
        assert!(at(120) < 150 && at(520) < 150, "ink {} {}", at(120), at(520));
    }

    #[test]
    fn turned_pages_point_back_into_the_photo() {
        let mut grey = GrayImage::from_pixel(600, 300, image::Luma([255]));
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            grey.put_pixel(70 + dx, 40 + dy, image::Luma([0]));
        }
        let photo = Photo { file: String::new(), grey };
        for turns in 0..4 {
            let page = Page::new(&photo, turns);
            let (x, y, _) = page.image.enumerate_pixels().min_by_key(|(_, _, p)| p.0[0]).unwrap();
            let [px, py] = page.to_photo([x as f32 + 0.5, y as f32 + 0.5]);
            assert!((px - 71.0).abs() < 2.0 && (py - 41.0).abs() < 2.0, "{turns} turns: {px} {py}");
        }
    }
}
