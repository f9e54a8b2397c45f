//! Pale photos in which hardly anything reads, their ink made darker before the sheet is looked for once more.

use super::ingest::Photo;
use crate::error::{Error, Result};
use crate::pipeline::ReadPage;
use crate::pipeline::page::{self, PAPER};
use crate::pipeline::table::legible;
use crate::reading::Alphabet;
use image::{GenericImageView, GrayImage};

/// How many times darker the ink is made, one try after the other.
const GAINS: [f32; 2] = [2.0, 3.0];
/// Share of the written cells that clearly read as moves below which hardly anything reads (of pages that are read rightly the
/// least is 0.7), and the fewest such cells that tell anything.
const HARDLY: f32 = 0.5;
const FEWEST: usize = 6;
/// How much darker than the paper ink is that is not pale, of 255, and the share of the pixels that are so where it is not.
const PALE: f32 = 60.0;
const FEW: f32 = 0.02;

/// How well a page reads: the cells that clearly read as moves, and those that are written on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Clarity {
    clear: usize,
    written: usize,
}

impl Clarity {
    /// Of what came of a page; none where something else than its picture is at fault.
    pub(crate) fn of(read: &Result<ReadPage>, alphabet: &Alphabet) -> Option<Self> {
        match read {
            Ok(page) => {
                let readings = || page.all_cells().filter_map(|cell| cell.reading.as_ref());
                Some(Self { clear: legible::clear_among(readings(), alphabet), written: readings().count() })
            }
            Err(Error::NoTable { .. } | Error::Unreadable { .. }) => Some(Self::default()),
            Err(_) => None,
        }
    }

    /// Whether hardly anything reads, or hardly anything is seen.
    pub(crate) fn is_poor(self) -> bool {
        self.clear < FEWEST || (self.clear as f32) < HARDLY * self.written as f32
    }
}

/// A photo with its light evened and its ink made darker, each time more so; none if its ink is not pale.
pub(crate) fn darkened(photo: &Photo) -> impl Iterator<Item = Photo> {
    let even = page::even_light(&photo.grey);
    let gains: &[f32] = if is_pale(&even) { &GAINS } else { &[] };
    gains.iter().map(move |&gain| Photo { file: photo.file.clone(), grey: page::darkened(&even, gain) })
}

/// Whether hardly anything in the middle of a picture whose light is even is much darker than the paper.
fn is_pale(even: &GrayImage) -> bool {
    let (width, height) = even.dimensions();
    let middle = even.view(width / 5, height / 5, width - 2 * (width / 5), height - 2 * (height / 5));
    let dark = middle.pixels().filter(|(_, _, pixel)| f32::from(pixel.0[0]) < PAPER - PALE).count();
    (dark as f32) < FEW * (middle.width() * middle.height()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn a_page_is_poor_where_little_of_its_writing_reads() {
        let is_poor = |clear, written| Clarity { clear, written }.is_poor();
        assert!(!is_poor(40, 50) && !is_poor(6, 6));
        assert!(is_poor(20, 50), "most of it does not read");
        assert!(is_poor(3, 3), "hardly anything is seen");
        let refused = Err(Error::NoTable { file: String::new(), cause: String::new() });
        assert!(Clarity::of(&refused, &Alphabet::new("e4".chars())).is_some_and(Clarity::is_poor));
        assert!(Clarity::of(&Err(Error::Stopped), &Alphabet::new("e4".chars())).is_none());
    }

    #[test]
    fn pale_ink_in_a_shadow_is_darkened() {
        let photo = |times: u8| Photo {
            file: String::new(),
            grey: GrayImage::from_fn(320, 320, |x, y| {
                let paper = 240 - (x / 8) as u8;
                Luma([if y % 40 < 3 { paper - times * (paper / 8) } else { paper }])
            }),
        };
        assert_eq!(darkened(&photo(4)).count(), 0, "dark enough");
        let dark = darkened(&photo(1)).last().unwrap();
        for x in [40, 280] {
            let [ink, paper] = [1, 20].map(|y| dark.grey.get_pixel(x, 120 + y).0[0]);
            assert!(paper > 235 && ink < 170, "{ink} on {paper} at {x}");
        }
    }
}
