//! Photos and cells as the page shows them: new JPEG files that hold nothing but pixels.

use super::Service;
use super::api::{Answer, App, blocking, find, find_done};
use super::guard::Owner;
use super::problem::Problem;
use super::store::{Job, PhotoEntry};
use crate::game::{Colour, Quad};
use crate::pipeline::cells::cutout::Cutout;
use crate::pipeline::photo::ingest::ingest_colour;
use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage, imageops};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Longest side of a photo that is kept for showing, in pixels.
const SHOWN_SIDE: u32 = 2400;
const QUALITY: u8 = 82;
/// Photos kept decoded: those of the game under review.
const KEPT: usize = 4;
/// Height of the picture of a cell, in pixels, with what stands around it.
const CELL_HEIGHT: u32 = 150;
/// What is shown beside a cell and above and below it, as shares of its height.
const AROUND: [f32; 2] = [0.35, 0.35];

/// A photo at the size in which it is shown.
struct Shown {
    image: RgbImage,
    /// Pixels of the upright photo per pixel shown.
    scale: f32,
    /// Width and height of the upright photo.
    whole: (u32, u32),
}

type Entry = ((String, usize, usize), Arc<Shown>);

/// The photos last shown.
#[derive(Default)]
pub struct Cache {
    kept: Mutex<VecDeque<Entry>>,
    /// Held while a photo is decoded: a large one takes hundreds of MB, and what waits may be about the same one.
    decoding: Mutex<()>,
}

/// A photo of a job, upright.
///
/// # Errors
/// Where the photo cannot be read or decoded.
fn photo(service: &Service, job: &Job, entry: &PhotoEntry) -> Result<Arc<Shown>, Problem> {
    let key = (job.id.clone(), entry.sheet, entry.page);
    let known = || service.pictures.kept().iter().find(|(k, _)| *k == key).map(|(_, shown)| Arc::clone(shown));
    if let Some(shown) = known() {
        return Ok(shown);
    }
    let _turn = service.pictures.decoding.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(shown) = known() {
        return Ok(shown);
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
    let mut kept = service.pictures.kept();
    kept.push_back((key, Arc::clone(&shown)));
    if kept.len() > KEPT {
        kept.pop_front();
    }
    Ok(shown)
}

impl Cache {
    /// Forgets everything.
    pub fn clear(&self) {
        self.kept().clear();
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the photos of a job.
pub fn forget(service: &Service, id: &str) {
    service.pictures.kept().retain(|((job, ..), _)| job != id);
}

/// A JPEG file.
///
/// # Errors
/// Where encoding fails.
fn jpeg(image: &RgbImage) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY)).map_err(|error| {
        Problem::from(crate::error::Error::Damaged { file: "photo".to_owned(), cause: error.to_string() })
    })?;
    Ok(bytes)
}

/// The picture of a cell with a little around it, upright: `quad` in pixels of the upright photo.
fn picture_of(shown: &Shown, quad: &Quad) -> RgbImage {
    let quad = quad.map(|corner| corner.map(|value| value / shown.scale));
    let cutout = Cutout::new(&quad, CELL_HEIGHT, AROUND, 1..=6 * CELL_HEIGHT);
    RgbImage::from_fn(cutout.width, CELL_HEIGHT, |x, y| {
        let [x, y] = cutout.at(x, y);
        imageops::interpolate_bilinear(&shown.image, x, y).unwrap_or(Rgb([255; 3]))
    })
}

fn photo_entry(job: &Job, sheet: usize, page: usize) -> Result<&PhotoEntry, Problem> {
    let entry = job.photos.iter().find(|entry| (entry.sheet, entry.page) == (sheet, page));
    entry.ok_or_else(|| Problem::not_found("such page"))
}

fn jpeg_answer(bytes: Vec<u8>) -> Response {
    let headers = [(header::CONTENT_TYPE, "image/jpeg"), (header::CACHE_CONTROL, "private, max-age=3600")];
    (headers, Body::from(bytes)).into_response()
}

pub(super) async fn page_picture(
    State(service): App,
    Extension(owner): Extension<Owner>,
    Path((id, sheet, page)): Path<(String, usize, usize)>,
) -> Answer {
    let (bytes, (width, height)) = blocking(move || {
        let job = find(&service, &owner, &id)?;
        let shown = photo(&service, &job, photo_entry(&job, sheet, page)?)?;
        Ok((jpeg(&shown.image)?, shown.whole))
    })
    .await?;
    let size = [("x-photo-width", width.to_string()), ("x-photo-height", height.to_string())];
    Ok((size, jpeg_answer(bytes)).into_response())
}

pub(super) async fn cell_picture(
    State(service): App,
    Extension(owner): Extension<Owner>,
    Path((id, sheet, number, colour)): Path<(String, usize, u32, Colour)>,
) -> Answer {
    let bytes = blocking(move || {
        let job = find_done(&service, &owner, &id)?;
        let ink = service.store.ink(&job.id)?;
        let row = ink.rows.iter().find(|row| row.number == number);
        let side = row.map(|row| if colour == Colour::White { &row.white } else { &row.black });
        let cell = side.and_then(|cells| cells.iter().find(|cell| cell.sheet == sheet));
        let cell = cell.ok_or_else(|| Problem::not_found("such cell"))?;
        let shown = photo(&service, &job, photo_entry(&job, cell.sheet, cell.page)?)?;
        jpeg(&picture_of(&shown, &cell.quad))
    })
    .await?;
    Ok(jpeg_answer(bytes))
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
        let cell = picture_of(&shown, &quad);
        assert_eq!(cell.height(), CELL_HEIGHT);
        assert!(cell.width() > 3 * cell.height(), "{}", cell.width());
        assert!(cell.get_pixel(50, 20).0[0] > 150 && cell.get_pixel(50, 130).0[2] > 150);
    }
}
