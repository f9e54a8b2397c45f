//! TIFF files of several pages, as scanners write them.
//!
//! A TIFF is a chain of directories, one a page, and all its offsets count from the beginning of the file: a copy whose
//! header points to another directory of the chain is a file of that page (TIFF 6.0, section 2).

use super::ingest::{IngestLimits, ingest};
use crate::error::{Error, Result};
use crate::pipeline::PhotoFile;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

/// Most pages of one file.
const PAGES: usize = 500;
/// The tag that says what a directory holds, and its bit for a small copy of another page.
const SUBFILE_TYPE: u16 = 254;
const SMALL_COPY: u32 = 1;
/// Size of a directory's entry, in bytes.
const ENTRY: usize = 12;

/// Every page of a TIFF with several as a picture file of its own; none for any other file.
///
/// # Errors
/// As [`ingest`] for a page that cannot be read, [`Error::TooLarge`] for too many pages.
pub(crate) fn pages(file: &PhotoFile, limits: &IngestLimits) -> Result<Option<Vec<PhotoFile>>> {
    let too_large = |what: String, limit: String| Error::TooLarge { file: file.name.clone(), what, limit };
    let Some(tiff) = Tiff::new(&file.bytes).filter(|_| file.bytes.len() <= limits.bytes) else { return Ok(None) };
    let directories = tiff.pages();
    if directories.len() < 2 {
        return Ok(None);
    }
    if directories.len() > PAGES {
        return Err(too_large(format!("more than {PAGES} pages"), format!("{PAGES} pages")));
    }
    let mut bytes = file.bytes.clone();
    let page = |(index, directory): (usize, u32)| {
        let name = format!("{}, page {}", file.name, index + 1);
        let at = if tiff.little { directory.to_le_bytes() } else { directory.to_be_bytes() };
        bytes[4..8].copy_from_slice(&at);
        let photo = ingest(&name, &bytes, limits)?;
        let mut png = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Sub);
        let damaged = |error: image::ImageError| Error::Damaged { file: name.clone(), cause: error.to_string() };
        photo.grey.write_with_encoder(encoder).map_err(damaged)?;
        Ok(PhotoFile { hint: file.hint, ..PhotoFile::new(name, png) })
    };
    directories.into_iter().enumerate().map(page).collect::<Result<_>>().map(Some)
}

/// The bytes of a TIFF, read by offset.
struct Tiff<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl<'a> Tiff<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let little = match bytes.get(..4)? {
            b"II*\0" => true,
            b"MM\0*" => false,
            _ => return None,
        };
        Some(Self { bytes, little })
    }

    fn short(&self, at: usize) -> Option<u16> {
        let two: [u8; 2] = self.bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.little { u16::from_le_bytes(two) } else { u16::from_be_bytes(two) })
    }

    fn long(&self, at: usize) -> Option<u32> {
        let four: [u8; 4] = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) })
    }

    /// Where the directories of the pages lie, small copies left out; up to one more than [`PAGES`].
    fn pages(&self) -> Vec<u32> {
        let mut found = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut next = self.long(4);
        // A chain that comes back to itself ends where it does.
        while let Some(directory) = next.filter(|&at| at != 0 && found.len() <= PAGES && seen.insert(at)) {
            let at = directory as usize;
            let Some(entries) = self.short(at).map(usize::from) else { break };
            let is_copy = (0..entries).any(|entry| {
                let entry = at + 2 + entry * ENTRY;
                self.short(entry) == Some(SUBFILE_TYPE) && self.long(entry + 8).is_some_and(|v| v & SMALL_COPY != 0)
            });
            if !is_copy {
                found.push(directory);
            }
            next = self.long(at + 2 + entries * ENTRY);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A little-endian TIFF of grey pages of one shade each; (shade, whether it is a small copy).
    fn tiff(pages: &[(u8, bool)]) -> Vec<u8> {
        const SIDE: u32 = 300;
        let mut bytes = b"II*\0".to_vec();
        let mut link = bytes.len();
        bytes.extend([0; 4]);
        for &(shade, copy) in pages {
            let strip = bytes.len() as u32;
            bytes.extend(vec![shade; (SIDE * SIDE) as usize]);
            let directory = bytes.len() as u32;
            bytes[link..link + 4].copy_from_slice(&directory.to_le_bytes());
            let entries: [(u16, u32); 9] = [
                (SUBFILE_TYPE, u32::from(copy)),
                (256, SIDE),
                (257, SIDE),
                (258, 8),
                (259, 1),
                (262, 1),
                (273, strip),
                (278, SIDE),
                (279, SIDE * SIDE),
            ];
            bytes.extend((entries.len() as u16).to_le_bytes());
            for (tag, value) in entries {
                bytes.extend(tag.to_le_bytes());
                bytes.extend(4u16.to_le_bytes());
                bytes.extend(1u32.to_le_bytes());
                bytes.extend(value.to_le_bytes());
            }
            link = bytes.len();
            bytes.extend([0; 4]);
        }
        bytes
    }

    fn read(bytes: Vec<u8>) -> Option<Vec<PhotoFile>> {
        pages(&PhotoFile::new("scan.tif", bytes), &IngestLimits::default()).unwrap()
    }

    #[test]
    fn every_page_is_a_photo() {
        let photos = read(tiff(&[(200, false), (90, true), (120, false)])).unwrap();
        assert_eq!(photos.len(), 2);
        for (photo, (name, shade)) in photos.iter().zip([("scan.tif, page 1", 200), ("scan.tif, page 2", 120)]) {
            assert_eq!(photo.name, name);
            assert_eq!(image::load_from_memory(&photo.bytes).unwrap().into_luma8().get_pixel(9, 9).0, [shade]);
        }
    }

    #[test]
    fn one_page_stays_as_it_is() {
        assert!(read(tiff(&[(200, false)])).is_none());
        assert!(read(tiff(&[(90, true), (200, false)])).is_none());
        assert!(read(b"1. e4 e5".to_vec()).is_none());
    }

    #[test]
    fn a_chain_without_end_is_no_trap() {
        let mut bytes = tiff(&[(200, false), (100, false)]);
        let first = bytes[4..8].to_vec();
        let end = bytes.len() - 4;
        bytes[end..].copy_from_slice(&first);
        assert_eq!(read(bytes).unwrap().len(), 2);
        let cut = tiff(&[(200, false), (100, false)])[..100_000].to_vec();
        assert!(read(cut).is_none());
    }
}
