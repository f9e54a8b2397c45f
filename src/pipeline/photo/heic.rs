//! The format in which iPhones keep photos: HEIC, still pictures coded with HEVC in an ISO base media file.

use super::ingest::IngestLimits;
use crate::error::{Error, Result};
use image::RgbImage;

/// The brands (ISO/IEC 23008-12) of such files, single pictures and sequences.
const BRANDS: [&[u8]; 8] = [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"];

/// Whether bytes begin as such a file does; others of its family are films.
pub fn begins(head: &[u8]) -> bool {
    has_brand(head, &BRANDS)
}

/// Whether bytes begin as a picture coded with AV1 in the same kind of file.
pub fn begins_avif(head: &[u8]) -> bool {
    has_brand(head, &[b"avif", b"avis"])
}

fn has_brand(head: &[u8], brands: &[&[u8]]) -> bool {
    head.get(4..8) == Some(b"ftyp") && head.get(8..12).is_some_and(|brand| brands.contains(&brand))
}

/// Width and height in pixels as it is to be seen, without decoding a pixel.
///
/// # Errors
/// As [`decode`].
#[cfg(feature = "heic")]
pub fn size(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<(u32, u32)> {
    let info =
        hpvcd::read_heic_info_with_limits(bytes, &bounds(limits)).map_err(|cause| refusal(file, limits, cause))?;
    Ok((info.width, info.height))
}

/// Decodes the main picture, turned as the file says; its EXIF orientation says the same again and is not used.
///
/// # Errors
/// [`Error::TooLarge`] over the limits of size, [`Error::PhoneFormat`] for a coding that is not known,
/// [`Error::Damaged`] for a broken file.
#[cfg(feature = "heic")]
pub fn decode(file: &str, bytes: &[u8], limits: &IngestLimits) -> Result<RgbImage> {
    let settings = hpvcd::HeicSettings::new().with_limits(bounds(limits)).primary_only();
    let picture =
        hpvcd::decode_heic_rgb8_with_settings(bytes, &settings).map_err(|cause| refusal(file, limits, cause))?;
    let short = || Error::Damaged { file: file.to_owned(), cause: "fewer pixels than declared".to_owned() };
    RgbImage::from_raw(picture.width, picture.height, picture.pixels).ok_or_else(short)
}

#[cfg(feature = "heic")]
fn bounds(limits: &IngestLimits) -> hpvcd::ParseLimits {
    let mut bounds = hpvcd::ParseLimits::new();
    bounds.max_dimension = limits.side;
    bounds.max_pixels = limits.pixels;
    bounds
}

#[cfg(feature = "heic")]
fn refusal(file: &str, limits: &IngestLimits, error: hpvcd::DecodeError) -> Error {
    use hpvcd::DecodeError as Cause;
    let file = file.to_owned();
    match error {
        Cause::Unsupported(_)
        | Cause::UnsupportedItemType(_)
        | Cause::UnsupportedChroma(_)
        | Cause::UnsupportedBitDepth(_) => Error::PhoneFormat { file },
        Cause::LimitExceeded { .. } | Cause::AllocationFailed { .. } => {
            Error::TooLarge { file, what: "more than can be decoded safely".to_owned(), limit: limits.size() }
        }
        other => Error::Damaged { file, cause: other.to_string() },
    }
}

/// Without the feature `heic` no such picture is read.
///
/// # Errors
/// Always.
#[cfg(not(feature = "heic"))]
pub fn size(file: &str, _: &[u8], _: &IngestLimits) -> Result<(u32, u32)> {
    Err(Error::PhoneFormat { file: file.to_owned() })
}

/// Without the feature `heic` no such picture is read.
///
/// # Errors
/// Always.
#[cfg(not(feature = "heic"))]
pub fn decode(file: &str, _: &[u8], _: &IngestLimits) -> Result<RgbImage> {
    Err(Error::PhoneFormat { file: file.to_owned() })
}
