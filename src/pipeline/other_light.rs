//! Pages that read badly, looked at once more in other light.

use super::ink::ink_of;
use super::page::{self, PAPER};
use super::photo::ingest::Photo;
use super::table::legible;
use super::{ReadPage, Timing, game_from};
use crate::decode::{self, MOST_MISSING};
use crate::error::{Error, Result};
use crate::game::Status;
use crate::reading::Alphabet;
use crate::review;
use image::{GenericImageView, GrayImage};

/// How many times darker pale ink is made, one try after the other; other ink once, on paper made white.
const GAINS: [f32; 2] = [2.0, 3.0];
/// Share of the paper that is made white, its grain with it.
const WHITE: f32 = 0.5;
/// Share of the written cells that clearly read as moves below which hardly anything reads (of pages that are read rightly the
/// least is 0.7), and the fewest such cells that tell anything.
const HARDLY: f32 = 0.5;
const FEWEST: usize = 6;
/// Share of the written cells whose moves are clear in the game below which their order may be wrong.
const DISORDERED: f32 = 0.5;
/// Share of the moves of the shorter of two games of one page that must be the same, or one of the two is no game of this page.
const SAME: f32 = 0.33;
/// How much darker than the paper ink is that is not pale, of 255, and the share of the pixels that are so where it is not.
const PALE: f32 = 60.0;
const FEW: f32 = 0.02;

/// How well a page reads: the cells that clearly read as moves, and those that are written on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Clarity {
    clear: usize,
    written: usize,
}

impl Clarity {
    fn of(page: &ReadPage, alphabet: &Alphabet) -> Self {
        let readings = || page.all_cells().filter_map(|cell| cell.reading.as_ref());
        Self { clear: legible::clear_among(readings(), alphabet), written: readings().count() }
    }

    /// Whether hardly anything reads, or hardly anything is seen.
    fn is_poor(self) -> bool {
        self.clear < FEWEST || (self.clear as f32) < HARDLY * self.written as f32
    }
}

/// What there is to mend in a page.
enum Fault {
    /// Hardly anything reads, not even a few cells if not `some_reads`.
    Illegible { some_reads: bool },
    /// The moves read, but make no clear game: their order may be told wrongly.
    Disordered(Alone),
}

/// What came of a page at first or, if it reads badly, what comes of it in other light where that is better.
///
/// A photo in which hardly a cell clearly reads as a move is looked at again only if its ink is pale.
///
/// # Errors
/// What came of the page at first, and as `read`, which reads a photo.
pub(super) fn or_in_other_light(
    photo: &Photo,
    first: Result<ReadPage>,
    alphabet: &Alphabet,
    mut read: impl FnMut(&Photo) -> Result<ReadPage>,
) -> Result<ReadPage> {
    let Some(fault) = fault(&first, alphabet) else { return first };
    let some_reads = !matches!(fault, Fault::Illegible { some_reads: false });
    for (photo, advice) in looks(photo, some_reads) {
        let mut other = match read(&photo) {
            Ok(page) if !Clarity::of(&page, alphabet).is_poor() => page,
            Ok(_) | Err(Error::NoTable { .. } | Error::Unreadable { .. }) => continue,
            Err(error) => return Err(error),
        };
        let better = match &fault {
            Fault::Illegible { .. } => true,
            Fault::Disordered(first) => Alone::on(&other, alphabet).is_better_than(first),
        };
        if better {
            other.advice.push(advice);
            return Ok(other);
        }
    }
    first
}

fn fault(read: &Result<ReadPage>, alphabet: &Alphabet) -> Option<Fault> {
    let page = match read {
        Ok(page) => page,
        Err(Error::NoTable { .. } | Error::Unreadable { .. }) => return Some(Fault::Illegible { some_reads: false }),
        Err(_) => return None,
    };
    let clarity = Clarity::of(page, alphabet);
    if clarity.is_poor() {
        return Some(Fault::Illegible { some_reads: clarity.clear >= FEWEST });
    }
    if !page.grid.by_ink || page.anchor.first_number > MOST_MISSING {
        return None;
    }
    let game = Alone::on(page, alphabet);
    ((game.clear as f32) < DISORDERED * clarity.written as f32).then_some(Fault::Disordered(game))
}

/// The game of one page alone; empty where there is none.
#[derive(Default)]
struct Alone {
    moves: Vec<Option<String>>,
    clear: usize,
    /// How many moves are right, as far as it is known.
    expected: f32,
}

impl Alone {
    fn on(page: &ReadPage, alphabet: &Alphabet) -> Self {
        let ink = ink_of(&[None], &[vec![page.clone()]], alphabet, Timing::new());
        let game = ink.and_then(|ink| game_from(&ink, &decode::Options::default())).map(|reviewed| reviewed.game);
        let Some(plies) = game.ok().filter(|game| !review::is_a_transcript(game)).map(|game| game.plies) else {
            return Self::default();
        };
        Self {
            clear: plies.iter().filter(|ply| ply.status == Status::Clear).count(),
            expected: plies.iter().map(|ply| ply.confidence).sum(),
            moves: plies.into_iter().map(|ply| ply.san).collect(),
        }
    }

    /// Whether more is right, and it is not another game altogether: nobody knows then which of the two is that of the page.
    fn is_better_than(&self, first: &Self) -> bool {
        let same = self.moves.iter().zip(&first.moves).filter(|(one, other)| one.is_some() && one == other).count();
        let least = SAME * self.moves.len().min(first.moves.len()) as f32;
        self.expected > first.expected && same as f32 >= least
    }
}

/// A photo with its light evened and, if its ink is pale, that made darker, each time more so; with what to say of it.
/// None if its ink is not pale and not even `some_reads`.
fn looks(photo: &Photo, some_reads: bool) -> impl Iterator<Item = (Photo, String)> {
    let file = &photo.file;
    let (gains, advice): (&[f32], _) = if is_pale(&page::even_light(&photo.grey)) {
        (&GAINS, format!("{file}: the ink is pale; it was made darker to be read"))
    } else if some_reads {
        (&[1.0], format!("{file}: it was hard to read; the paper was made white to read it"))
    } else {
        (&[], String::new())
    };
    let white = if gains.is_empty() { GrayImage::default() } else { page::even_light_above(&photo.grey, WHITE) };
    gains
        .iter()
        .map(move |&gain| (Photo { file: photo.file.clone(), grey: page::darkened(&white, gain) }, advice.clone()))
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
    }

    #[test]
    fn only_what_keeps_a_page_from_being_read_is_looked_at_again() {
        let photo = Photo { file: String::new(), grey: GrayImage::from_pixel(320, 320, Luma([250])) };
        let times = |first: Error| {
            let mut times = 0;
            let read = |_: &Photo| {
                times += 1;
                Err(Error::NoTable { file: String::new(), cause: String::new() })
            };
            assert!(or_in_other_light(&photo, Err(first), &Alphabet::new("e4".chars()), read).is_err());
            times
        };
        assert_eq!(times(Error::NoTable { file: String::new(), cause: String::new() }), GAINS.len(), "pale");
        assert_eq!(times(Error::Stopped), 0);
    }

    #[test]
    fn another_game_altogether_is_not_better() {
        let game = |moves: &str, expected| Alone {
            moves: moves.split(' ').map(|san| Some(san.to_owned())).collect(),
            clear: 0,
            expected,
        };
        let first = game("e4 e5 Nf3 Nc6", 1.5);
        assert!(game("e4 e5 Nf3 Nf6", 3.0).is_better_than(&first));
        assert!(!game("e4 e5 Nf3 Nf6", 1.0).is_better_than(&first), "less sure");
        assert!(!game("d4 d5 c4 Nc6", 3.9).is_better_than(&first), "another one");
        assert!(game("d4 d5 c4 c6", 3.9).is_better_than(&Alone::default()), "there was none");
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
        assert_eq!(looks(&photo(4), false).count(), 0, "dark enough");
        assert_eq!(looks(&photo(4), true).count(), 1, "only the paper is made white");
        let (dark, _) = looks(&photo(1), false).last().unwrap();
        for x in [40, 280] {
            let [ink, paper] = [1, 20].map(|y| dark.grey.get_pixel(x, 120 + y).0[0]);
            assert!(paper > 235 && ink < 170, "{ink} on {paper} at {x}");
        }
    }
}
