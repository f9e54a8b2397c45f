//! Photos and cells as the page shows them: new JPEG files that hold nothing but pixels.

use super::Service;
use super::problem::Problem;
use super::store::{Job, PhotoEntry};
use crate::game::Quad;
use crate::pipeline::ingest::ingest_colour;
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage, imageops};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Longest side of a photo that is kept for showing, in pixels.
pub const SHOWN_SIDE: u32 = 2400;
const QUALITY: u8 = 82;
/// Photos kept decoded: those of the game under review.
const KEPT: usize = 4;
/// Height of the picture of a cell, in pixels, with what stands around it.
const CELL_HEIGHT: f32 = 150.0;
/// What is shown around a cell, as shares of its height.
const AROUND: (f32, f32) = (0.35, 0.35);

/// A photo at the size in which it is shown.
pub struct Shown {
    pub image: RgbImage,
    /// Pixels of the upright photo per pixel shown.
    pub scale: f32,
    /// Width and height of the upright photo.
    pub whole: (u32, u32),
}

type Entry = ((String, usize, usize), Arc<Shown>);

/// The photos last shown.
#[derive(Default)]
pub struct Cache(Mutex<VecDeque<Entry>>);

/// A photo of a job, upright.
///
/// # Errors
/// Where the photo cannot be read or decoded.
pub fn photo(service: &Service, job: &Job, entry: &PhotoEntry) -> Result<Arc<Shown>, Problem> {
    let key = (job.id.clone(), entry.sheet, entry.page);
    let kept = || service.pictures.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, shown)) = kept().iter().find(|(k, _)| *k == key) {
        return Ok(Arc::clone(shown));
    }
    let bytes = service.store.photo(&job.id, entry)?;
    let whole = ingest_colour(&entry.name, &bytes, &service.settings.limits)?;
    let (width, height) = whole.dimensions();
    let longest = width.max(height);
    let shown = if longest > SHOWN_SIDE {
        let size = |side: u32| (u64::from(side) * u64::from(SHOWN_SIDE) / u64::from(longest)).max(1) as u32;
        let small = imageops::thumbnail(&whole, size(width), size(height));
        Shown { scale: width as f32 / small.width() as f32, image: small, whole: (width, height) }
    } else {
        Shown { image: whole, scale: 1.0, whole: (width, height) }
    };
    let shown = Arc::new(shown);
    let mut kept = kept();
    kept.push_back((key, Arc::clone(&shown)));
    if kept.len() > KEPT {
        kept.pop_front();
    }
    Ok(shown)
}

/// Forgets the photos of a job.
pub fn forget(service: &Service, id: &str) {
    service.pictures.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|((job, ..), _)| job != id);
}

/// A JPEG file.
///
/// # Errors
/// Where encoding fails.
pub fn jpeg(image: &RgbImage) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY)).map_err(|error| {
        Problem::from(crate::error::Error::Damaged { file: "photo".to_owned(), cause: error.to_string() })
    })?;
    Ok(bytes)
}

/// The picture of a cell with a little around it, upright: `quad` in pixels of the upright photo.
pub fn cell(shown: &Shown, quad: &Quad) -> RgbImage {
    let [top_left, top_right, bottom_right, bottom_left] = quad.map(|[x, y]| [x / shown.scale, y / shown.scale]);
    let length = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let (width, height) = (length(top_left, top_right).max(1.0), length(top_left, bottom_left).max(1.0));
    let (beside, above) = (AROUND.0 * height / width, AROUND.1);
    let zoom = CELL_HEIGHT / (height * (1.0 + 2.0 * above));
    let out_width = (width * (1.0 + 2.0 * beside) * zoom).clamp(1.0, 6.0 * CELL_HEIGHT) as u32;
    RgbImage::from_fn(out_width, CELL_HEIGHT as u32, |x, y| {
        let u = (x as f32 + 0.5) / out_width as f32 * (1.0 + 2.0 * beside) - beside;
        let v = (y as f32 + 0.5) / CELL_HEIGHT * (1.0 + 2.0 * above) - above;
        let at = |i: usize| {
            let top = top_left[i] + (top_right[i] - top_left[i]) * u;
            let bottom = bottom_left[i] + (bottom_right[i] - bottom_left[i]) * u;
            top + (bottom - top) * v
        };
        imageops::interpolate_bilinear(&shown.image, at(0) - 0.5, at(1) - 0.5).unwrap_or(Rgb([255; 3]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_shown_upright() {
        // A photo on its side: the cell's top edge runs down the right side of the photo.
        let image = RgbImage::from_fn(400, 300, |x, _| if x > 250 { Rgb([200, 0, 0]) } else { Rgb([0, 0, 200]) });
        let shown = Shown { image, scale: 2.0, whole: (800, 600) };
        let quad = [[540.0, 100.0], [540.0, 500.0], [460.0, 500.0], [460.0, 100.0]];
        let cell = cell(&shown, &quad);
        assert_eq!(cell.height(), CELL_HEIGHT as u32);
        assert!(cell.width() > 3 * cell.height(), "{}", cell.width());
        assert!(cell.get_pixel(50, 20).0[0] > 150 && cell.get_pixel(50, 130).0[2] > 150);
    }
}
