//! Bytes to an upright grey photo, within limits.
//!
//! The format is told by content, never by file name; the declared size is checked before a pixel is decoded.

use super::heic;
use crate::error::{Error, Result};
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage};
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

impl IngestLimits {
    /// The largest picture in words.
    pub(crate) fn size(&self) -> String {
        format!("{} million pixels and {} pixels a side", self.pixels / 1_000_000, self.side)
    }
}

impl Default for IngestLimits {
    fn default() -> Self {
        Self { bytes: 64 << 20, pixels: 60_000_000, side: 20_000, memory: 200 << 20 }
    }
}

/// Below this a move cell has too few pixels to hold a letter.
const SMALLEST_SIDE: u32 = 240;

/// Lines, in pixels, at the lower edge of a picture that are of one shade where nothing was decoded for them.
const UNDECODED: u32 = 8;

/// A photo as a person would hold it, in shades of grey.
#[derive(Debug, Clone)]
pub struct Photo {
    /// The file name, for messages and the JSON.
    pub file: String,
    /// 0 black, 255 white.
    pub grey: GrayImage,
}

/// Decodes a picture and turns it as its EXIF orientation (in HEIC its rotation) says.
///
/// # Errors
/// [`Error::TooLarge`] when a limit is passed, [`Error::Empty`] and [`Error::NotAPicture`] for other content,
/// [`Error::PhoneFormat`] for a coding of phones that is not known, [`Error::Damaged`] where decoding fails and
/// [`Error::TooSmall`] for thumbnails.
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
    if heic::begins(bytes) {
        return check_heic(file, bytes, limits);
    }
    decoder(file, bytes, limits).map(drop)
}

/// Width and height of the upright photo, told without decoding a pixel.
///
/// # Errors
/// As [`ingest`].
pub fn size(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<(u32, u32)> {
    if heic::begins(bytes) {
        return heic::size(file, bytes, limits);
    }
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    let mut decoder = decoder(file, bytes, limits)?;
    let (width, height) = decoder.dimensions();
    Ok(match decoder.orientation() {
        Ok(Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH) => (height, width),
        _ => (width, height),
    })
}

fn decode(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<(DynamicImage, Orientation)> {
    if heic::begins(bytes) {
        check_heic(file, bytes, limits)?;
        let picture = heic::decode(file, bytes, limits)?;
        return Ok((DynamicImage::ImageRgb8(picture), Orientation::NoTransforms));
    }
    let mut decoder = decoder(file, bytes, limits)?;
    // A picture whose EXIF block is broken is still a picture.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| decoding_error(file, limits, error))?;
    if is_cut_short(bytes, &picture) {
        return Err(Error::Damaged { file: file.to_owned(), cause: "its end is missing".to_owned() });
    }
    Ok((picture, orientation))
}

fn check_heic(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<()> {
    check_length(file, bytes, limits)?;
    let (width, height) = heic::size(file, bytes, limits)?;
    check_size(file, width, height, 3 * u64::from(width) * u64::from(height), limits)
}

fn decoder<'a>(file: &str, bytes: &'a [u8], limits: &IngestLimits) -> Result<impl ImageDecoder + use<'a>> {
    check_length(file, bytes, limits)?;
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| not_a_picture(file))?;
    if heic::begins_avif(bytes) {
        return Err(Error::PhoneFormat { file: file.to_owned() });
    }
    if reader.format().is_none() {
        return Err(not_a_picture(file));
    }
    let mut memory = Limits::default();
    memory.max_image_width = Some(limits.side);
    memory.max_image_height = Some(limits.side);
    memory.max_alloc = Some(limits.memory);
    reader.limits(memory);
    let decoder = reader.into_decoder().map_err(|error| decoding_error(file, limits, error))?;
    let (width, height) = decoder.dimensions();
    check_size(file, width, height, decoder.total_bytes(), limits)?;
    Ok(decoder)
}

fn check_length(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::Empty { file: file.to_owned() });
    }
    if bytes.len() <= limits.bytes {
        return Ok(());
    }
    let (what, limit) = (format!("{} bytes", bytes.len()), format!("{} MB", limits.bytes >> 20));
    Err(Error::TooLarge { file: file.to_owned(), what, limit })
}

/// Checks a picture's declared size in pixels and, decoded, in bytes.
fn check_size(file: &str, width: u32, height: u32, decoded: u64, limits: &IngestLimits) -> Result<()> {
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > limits.side || pixels > limits.pixels || decoded > limits.memory {
        let what = format!("{width} x {height} pixels");
        return Err(Error::TooLarge { file: file.to_owned(), what, limit: limits.size() });
    }
    if width.min(height) < SMALLEST_SIDE {
        return Err(Error::TooSmall { file: file.to_owned(), width, height });
    }
    Ok(())
}

/// Whether a JPEG file ends before its picture does: no end marker, and nothing decoded for the last lines.
fn is_cut_short(bytes: &[u8], picture: &DynamicImage) -> bool {
    if image::guess_format(bytes).ok() != Some(ImageFormat::Jpeg) || holds_end_marker(bytes) {
        return false;
    }
    let last = picture.crop_imm(0, picture.height() - UNDECODED, picture.width(), UNDECODED).into_luma8();
    let first = last.as_raw()[0];
    last.as_raw().iter().all(|&luma| luma == first)
}

/// Whether an end marker stands behind the beginning of a JPEG file's first scan; a thumbnail in its head has its own.
fn holds_end_marker(bytes: &[u8]) -> bool {
    const END: [u8; 2] = [0xff, 0xd9];
    const SCAN: u8 = 0xda;
    let mut at = 2;
    while let Some(&[marker, kind, high, low]) = bytes.get(at..at + 4) {
        if marker != 0xff || kind == SCAN {
            break;
        }
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
    bytes.get(at..).is_some_and(|scans| scans.windows(2).any(|pair| pair == END))
}

/// Weights of red, green and blue in luma (ITU-R BT.709), in shares of 65536.
const LUMA: [u32; 3] = [13933, 46871, 4732];

/// Luma; transparent pixels count as white paper.
fn to_grey(picture: DynamicImage) -> GrayImage {
    if let DynamicImage::ImageRgb8(picture) = &picture {
        // Most photos. The library does the same in floating-point numbers, in three times the time.
        let luma = |&[red, green, blue]: &[u8; 3]| {
            let [red, green, blue] = [red, green, blue].map(u32::from);
            ((red * LUMA[0] + green * LUMA[1] + blue * LUMA[2] + (1 << 15)) >> 16) as u8
        };
        let shades = picture.as_raw().as_chunks().0.iter().map(luma).collect();
        return GrayImage::from_raw(picture.width(), picture.height(), shades).unwrap_or_default();
    }
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
            what: "more pixels, or a longer side, than can be decoded safely".to_owned(),
            limit: limits.size(),
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
        assert!(matches!(error, Error::NotAPicture { .. }) && error.to_string().contains("PDF"), "{error}");
        let error = ingest("empty.jpg", b"", &IngestLimits::default()).unwrap_err();
        assert_eq!(error.to_string(), "empty.jpg is empty. Copy the photo again from the camera or scanner.");
    }

    #[test]
    fn says_what_to_do_about_an_avif_picture() {
        let error = ingest("a.avif", b"\0\0\0\x18ftypavif\0\0\0\0mif1avif", &IngestLimits::default()).unwrap_err();
        assert!(matches!(error, Error::PhoneFormat { .. }), "{error}");
    }

    #[test]
    fn says_that_a_jpeg_file_is_cut_short() {
        let mut bytes = Vec::new();
        let noise = |x: u32, y: u32| image::Luma([((x * 37) ^ (y * 91)) as u8]);
        let picture = GrayImage::from_fn(300, 400, noise);
        picture.write_with_encoder(image::codecs::jpeg::JpegEncoder::new(&mut bytes)).unwrap();
        let limits = IngestLimits::default();
        let error = ingest("half.jpg", &bytes[..bytes.len() / 2], &limits).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        // All but the end marker is there.
        assert!(ingest("whole.jpg", &bytes[..bytes.len() - 2], &limits).is_ok());
    }

    #[test]
    fn colours_turn_as_grey_as_the_library_has_them() {
        let picture = RgbImage::from_fn(256, 256, |x, y| image::Rgb([x as u8, y as u8, (x * 7 + y * 3) as u8]));
        let (grey, slowly) = (to_grey(picture.clone().into()), DynamicImage::from(picture).into_luma8());
        assert!(grey.as_raw().iter().zip(slowly.as_raw()).all(|(a, b)| a.abs_diff(*b) <= 1));
        let alike = grey.as_raw().iter().zip(slowly.as_raw()).filter(|(a, b)| a == b).count();
        assert!(alike > 65_000, "{alike}");
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
    fn says_which_limit_a_long_strip_passes() {
        let error = ingest("strip.png", &png(25_000, 30), &IngestLimits::default()).unwrap_err().to_string();
        assert!(error.contains("a longer side") && error.contains("20000 pixels a side"), "{error}");
    }

    #[test]
    fn the_size_is_that_of_the_upright_photo() {
        let mut turned = Vec::new();
        GrayImage::new(400, 300).write_with_encoder(image::codecs::jpeg::JpegEncoder::new(&mut turned)).unwrap();
        // An EXIF block of one entry: orientation 6, a quarter turn.
        let exif = b"\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        turned.splice(2..2, exif.iter().copied());
        let limits = IngestLimits::default();
        assert_eq!(size("turned.jpg", &turned, &limits).unwrap(), (300, 400));
        assert_eq!(ingest("turned.jpg", &turned, &limits).unwrap().grey.dimensions(), (300, 400));
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
