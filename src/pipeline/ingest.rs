//! Bytes to an upright grey photo, within limits.
//!
//! The format is told by content, never by file name; the declared size is checked before a pixel is decoded.

use crate::error::{Error, Result};
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageError, ImageReader, Limits, RgbImage};
use std::io::Cursor;

/// What a photo may cost.
#[derive(Debug, Clone, Copy)]
pub struct IngestLimits {
    /// Largest file, in bytes.
    pub bytes: usize,
    /// Largest picture, in pixels.
    pub pixels: u64,
    /// Largest side, in pixels.
    pub side: u32,
    /// Largest decoded picture, in bytes.
    pub memory: u64,
}

impl Default for IngestLimits {
    fn default() -> Self {
        Self { bytes: 64 << 20, pixels: 60_000_000, side: 20_000, memory: 200 << 20 }
    }
}

/// Below this a move cell has too few pixels to hold a letter.
const SMALLEST_SIDE: u32 = 240;

/// A photo as a person would hold it, in shades of grey.
#[derive(Debug, Clone)]
pub struct Photo {
    /// The file name, for messages and the JSON.
    pub file: String,
    /// 0 black, 255 white.
    pub grey: GrayImage,
}

/// Decodes a picture and turns it as its EXIF orientation says.
///
/// # Errors
/// [`Error::TooLarge`] when a limit is passed, [`Error::NotAPicture`] for other content,
/// [`Error::Damaged`] where decoding fails and [`Error::TooSmall`] for thumbnails.
pub fn ingest(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<Photo> {
    let (picture, orientation) = decode(file, bytes, limits)?;
    let mut grey = DynamicImage::ImageLuma8(to_grey(picture));
    grey.apply_orientation(orientation);
    Ok(Photo { file: file.to_owned(), grey: grey.into_luma8() })
}

/// As [`ingest`], in colour: to show a photo, not to read it. Nothing but the pixels is kept.
///
/// # Errors
/// As [`ingest`].
pub fn ingest_colour(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<RgbImage> {
    let (mut picture, orientation) = decode(file, bytes, limits)?;
    picture.apply_orientation(orientation);
    Ok(picture.into_rgb8())
}

/// Checks what can be told without decoding a pixel: the format and the size.
///
/// # Errors
/// As [`ingest`].
pub fn check(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<()> {
    decoder(file, bytes, limits).map(drop)
}

fn decode(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<(DynamicImage, Orientation)> {
    let mut decoder = decoder(file, bytes, limits)?;
    // A picture whose EXIF block is broken is still a picture.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| decoding_error(file, limits, error))?;
    Ok((picture, orientation))
}

fn decoder<'a>(file: &str, bytes: &'a [u8], limits: &IngestLimits) -> Result<impl ImageDecoder + use<'a>> {
    let too_large = |what: String, limit: String| Error::TooLarge { file: file.to_owned(), what, limit };
    if bytes.len() > limits.bytes {
        return Err(too_large(format!("{} bytes", bytes.len()), format!("{} MB", limits.bytes >> 20)));
    }
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| not_a_picture(file))?;
    if reader.format().is_none() {
        let phone = bytes.get(4..8) == Some(b"ftyp");
        return Err(if phone { Error::PhoneFormat { file: file.to_owned() } } else { not_a_picture(file) });
    }
    let mut memory = Limits::default();
    memory.max_image_width = Some(limits.side);
    memory.max_image_height = Some(limits.side);
    memory.max_alloc = Some(limits.memory);
    reader.limits(memory);
    let decoder = reader.into_decoder().map_err(|error| decoding_error(file, limits, error))?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > limits.side || pixels > limits.pixels || decoder.total_bytes() > limits.memory {
        return Err(too_large(
            format!("{width} x {height} pixels"),
            format!("{} million pixels", limits.pixels / 1_000_000),
        ));
    }
    if width.min(height) < SMALLEST_SIDE {
        return Err(Error::TooSmall { file: file.to_owned(), width, height });
    }
    Ok(decoder)
}

/// Luma; transparent pixels count as white paper.
fn to_grey(picture: DynamicImage) -> GrayImage {
    if !picture.color().has_alpha() {
        return picture.into_luma8();
    }
    let with_alpha = picture.into_luma_alpha8();
    GrayImage::from_fn(with_alpha.width(), with_alpha.height(), |x, y| {
        let [luma, alpha] = with_alpha.get_pixel(x, y).0.map(u32::from);
        image::Luma([((luma * alpha + 255 * (255 - alpha)) / 255) as u8])
    })
}

fn not_a_picture(file: &str) -> Error {
    Error::NotAPicture { file: file.to_owned() }
}

fn decoding_error(file: &str, limits: &IngestLimits, error: ImageError) -> Error {
    match error {
        ImageError::Limits(_) => Error::TooLarge {
            file: file.to_owned(),
            what: "more pixels than can be decoded safely".to_owned(),
            limit: format!("{} million pixels", limits.pixels / 1_000_000),
        },
        ImageError::Unsupported(_) => not_a_picture(file),
        other => Error::Damaged { file: file.to_owned(), cause: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ExtendedColorType, ImageEncoder};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let pixels = vec![200; (width * height) as usize];
        image::codecs::png::PngEncoder::new(&mut bytes)
            .write_image(&pixels, width, height, ExtendedColorType::L8)
            .unwrap();
        bytes
    }

    #[test]
    fn reads_by_content() {
        let photo = ingest("sheet.jpg", &png(300, 400), &IngestLimits::default()).unwrap();
        assert_eq!(photo.grey.dimensions(), (300, 400));
    }

    #[test]
    fn refuses_what_is_no_picture() {
        let error = ingest("notes.jpg", b"1. e4 e5", &IngestLimits::default()).unwrap_err();
        assert!(matches!(error, Error::NotAPicture { .. }), "{error}");
    }

    #[test]
    fn says_what_to_do_about_a_phone_s_own_format() {
        let error = ingest("a.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", &IngestLimits::default()).unwrap_err();
        assert!(matches!(error, Error::PhoneFormat { .. }), "{error}");
    }

    #[test]
    fn refuses_a_bomb_by_its_header() {
        // The size is declared in the first chunk: width at byte 16, height at byte 20, then the chunk's checksum.
        let mut bytes = png(300, 400);
        bytes[16..20].copy_from_slice(&60_000u32.to_be_bytes());
        bytes[20..24].copy_from_slice(&60_000u32.to_be_bytes());
        let checksum = crc32(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
        let error = ingest("bomb.png", &bytes, &IngestLimits::default()).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    }

    #[test]
    fn says_that_a_file_is_cut_short() {
        let bytes = png(300, 400);
        let error = ingest("half.png", &bytes[..bytes.len() / 2], &IngestLimits::default()).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
    }

    #[test]
    fn refuses_thumbnails() {
        let error = ingest("thumb.png", &png(64, 64), &IngestLimits::default()).unwrap_err();
        assert!(matches!(error, Error::TooSmall { .. }), "{error}");
    }

    /// The checksum of PNG chunks (ISO 3309), bit by bit.
    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 })
        })
    }
}
