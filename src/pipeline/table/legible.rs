//! Which way up a table is where its printed numbers do not tell: the way in which its writing reads as moves.

use super::grid::{Band, Column, ColumnPair, Grid};
use super::number_columns;
use crate::error::Result;
use crate::pipeline::cells::Crop;
use crate::pipeline::page::Page;
use crate::pipeline::page::paper;
use crate::pipeline::recognise::Recogniser;
use crate::reading::{Alphabet, Reading};

/// Written cells that are looked at, spread over the table.
const LOOKED_AT: usize = 18;
/// Rows of pixels of a page that are at least needed for the height of a row.
const LOWEST: f32 = 4.0;

/// How well the writing in a table reads as moves in any language: they end in a square, or castle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Legible {
    /// Share of the written cells that were looked at.
    share: f32,
    /// The same for those that are more than hardly read.
    clear: f32,
    /// How many these were.
    looked_at: usize,
    /// Area of all cells that read as moves, as these tell, in square pixels of the photo: rows cut in two are as large
    /// together, but read as no moves.
    pub area: f32,
}

impl Legible {
    /// Whether the rows and columns must be right: askew, upside down or cut in two hardly any cell reads as a move, or none
    /// likely.
    pub fn is_plain(&self) -> bool {
        self.looked_at >= FEWEST && self.share > PLAIN && !self.is_no_writing()
    }

    /// Whether this can hardly be the table, the right way up.
    pub fn is_nothing(&self) -> bool {
        self.looked_at >= FEWEST && self.share < NOTHING
    }

    /// Whether these can hardly be moves whichever way they are turned: print and noise read as moves as well, but never
    /// likely ones.
    pub fn is_no_writing(&self) -> bool {
        self.looked_at >= FEWEST && self.clear < NOTHING
    }
}

/// Share of the written cells that read as moves from which the table is the right one, that below which it is not, that from
/// which a column may hold moves, and the fewest cells that tell.
const PLAIN: f32 = 0.6;
const NOTHING: f32 = 0.1;
const SOME: f32 = 0.3;
const FEWEST: usize = 10;
/// Share of Black's moves from which White's column is one of moves: both players write the same number of them, save where a
/// hand is hard to read.
pub(super) const FAR_FEWER: f32 = 0.35;
/// Likelihood of a text below which a cell is hardly read. What reads as a move in print, noise and hatching was never
/// likelier than 0.26.
pub(super) const CLEAR: f32 = 0.3;

/// Reads some of the written cells of a table.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn moves(page: &Page, grid: &Grid, recogniser: &dyn Recogniser) -> Result<Legible> {
    if grid.pitch < LOWEST {
        return Ok(Legible::default());
    }
    let places = places(grid);
    // A part of the cells tells how many are written on.
    let step = (places.len() / (4 * LOOKED_AT)).max(1);
    let sampled: Vec<_> = places.into_iter().step_by(step).collect();
    let crops = Crop::cut_all(page, &sampled);
    let written: Vec<_> = crops.iter().zip(&sampled).filter(|(crop, _)| !crop.is_blank()).collect();
    let shown: Vec<&Crop> =
        written.iter().step_by(written.len().div_ceil(LOOKED_AT).max(1)).map(|(crop, _)| *crop).collect();
    let readings = recogniser.read(&shown)?;
    let share = count(&readings, recogniser) as f32 / shown.len().max(1) as f32;
    let clear = clear_among(&readings, recogniser.alphabet()) as f32 / shown.len().max(1) as f32;
    // Times beside the moves may or may not have been told apart: the cells take up the whole table.
    let (Some(first), Some(last)) = (grid.pairs.first(), grid.pairs.last()) else { return Ok(Legible::default()) };
    let left = first.first(written.first().map_or(0.0, |(_, (band, _))| band.top.at(0.0))).left.clone();
    let table = Column { left, right: last.black.right.clone(), inner: Vec::new() };
    let row_area = |band: &Band| {
        paper::area_of(&grid.quad(band, &table).map(|corner| page.to_photo(corner).map(f64::from))) as f32
    };
    let area = written.iter().map(|(_, (band, _))| row_area(band)).sum::<f32>() / (2 * grid.pairs.len()) as f32;
    Ok(Legible { share, clear, looked_at: shown.len(), area: share * area * step as f32 })
}

/// The cells of a table, column by column: every so many along the rows might be those of one column.
fn places(grid: &Grid) -> Vec<(&Band, &Column)> {
    let columns = grid.pairs.iter().flat_map(|pair| [&pair.white, &pair.black]);
    let ruled = || grid.bands.iter().filter(|band| band.ruled);
    columns.flat_map(|column| ruled().map(move |band| (band, column))).collect()
}

/// How many cells of a table clearly read as moves.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn clear_moves(page: &Page, grid: &Grid, recogniser: &dyn Recogniser) -> Result<usize> {
    let crops = Crop::cut_all(page, &places(grid));
    let written: Vec<&Crop> = crops.iter().filter(|crop| !crop.is_blank()).collect();
    Ok(clear_among(&recogniser.read(&written)?, recogniser.alphabet()))
}

/// Whether moves are written in a column: of some of its cells, spread over the table.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn holds_moves(page: &Page, grid: &Grid, column: &Column, recogniser: &dyn Recogniser) -> Result<bool> {
    Ok(sample(page, grid, column, recogniser)?.holds_moves(PLAIN))
}

/// The same of a hand that is hard to read.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn holds_some_moves(page: &Page, grid: &Grid, column: &Column, recogniser: &dyn Recogniser) -> Result<bool> {
    Ok(sample(page, grid, column, recogniser)?.holds_moves(SOME))
}

/// Whether no moves are written in White's column, or far fewer than in Black's: signatures and print may read as some.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn hardly_holds_moves(
    page: &Page,
    grid: &Grid,
    white: &Column,
    black: &Column,
    recogniser: &dyn Recogniser,
) -> Result<bool> {
    let [white, black] = [sample(page, grid, white, recogniser)?, sample(page, grid, black, recogniser)?];
    Ok(!white.holds_moves(SOME) || white.moves() < FAR_FEWER * black.moves())
}

/// Whether every one of some bands holds a move in a column.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn hold_moves(page: &Page, bands: &[Band], column: &Column, recogniser: &dyn Recogniser) -> Result<bool> {
    let crops = Crop::cut_all(page, &bands.iter().map(|band| (band, column)).collect::<Vec<_>>());
    if crops.iter().any(Crop::is_blank) {
        return Ok(false);
    }
    let readings = recogniser.read(&crops.iter().collect::<Vec<_>>())?;
    Ok(count(&readings, recogniser) == bands.len())
}

/// Whether moves are written before the numbers if the columns are laid out so: what lies beside the paper may look like
/// writing there.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn is_laid_out_so(page: &Page, grid: &Grid, recogniser: &dyn Recogniser) -> Result<bool> {
    Ok(!number_columns::is_around(&grid.pairs) || holds_moves(page, grid, &grid.pairs[0].white, recogniser)?)
}

/// How many moves are written in a pair of columns, going by some of its cells.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn moves_in(page: &Page, grid: &Grid, pair: &ColumnPair, recogniser: &dyn Recogniser) -> Result<f32> {
    let moves = |column| sample(page, grid, column, recogniser).map(|sample| sample.moves());
    Ok(moves(&pair.white)? + moves(&pair.black)?)
}

/// Cells of a column that are written on, those of them that were looked at, and those that read as moves.
struct Sample {
    written: usize,
    shown: usize,
    read: usize,
}

impl Sample {
    /// Whether more than a share of those that were looked at are moves, and these are enough to tell.
    fn holds_moves(&self, share: f32) -> bool {
        self.shown >= FEWEST / 2 && self.read as f32 > share * self.shown as f32
    }

    /// How many moves are written in the column, as these tell.
    fn moves(&self) -> f32 {
        (self.read * self.written) as f32 / self.shown.max(1) as f32
    }
}

fn sample(page: &Page, grid: &Grid, column: &Column, recogniser: &dyn Recogniser) -> Result<Sample> {
    let places: Vec<_> = grid.bands.iter().filter(|band| band.ruled).map(|band| (band, column)).collect();
    let crops = Crop::cut_all(page, &places);
    let written: Vec<&Crop> = crops.iter().filter(|crop| !crop.is_blank()).collect();
    let shown: Vec<&Crop> = written.iter().copied().step_by(written.len().div_ceil(FEWEST).max(1)).collect();
    let readings = recogniser.read(&shown)?;
    Ok(Sample { written: written.len(), shown: shown.len(), read: count(&readings, recogniser) })
}

/// How many of some readings are more than hardly read, and moves in one notation.
pub(crate) fn clear_among<'a>(readings: impl IntoIterator<Item = &'a Reading>, alphabet: &Alphabet) -> usize {
    let read = readings.into_iter().map(|reading| reading.best_path(alphabet));
    let clear: Vec<String> = read.filter(|(_, likelihood)| likelihood.exp() > CLEAR).map(|(text, _)| text).collect();
    moves_of_one_notation(clear.iter().map(String::as_str))
}

/// How many readings are moves in one notation.
fn count(readings: &[Reading], recogniser: &dyn Recogniser) -> usize {
    let texts: Vec<String> = readings.iter().map(|reading| reading.best_path(recogniser.alphabet()).0).collect();
    moves_of_one_notation(texts.iter().map(String::as_str))
}

/// How many texts are moves in one notation, whatever the language: a sheet is written in one, and upside down letters may
/// pass for those of several.
fn moves_of_one_notation<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    let mut counts = [0; 3];
    for text in texts {
        for (count, is_move) in counts.iter_mut().zip(is_move(text)) {
            *count += usize::from(is_move);
        }
    }
    counts.into_iter().max().unwrap_or(0)
}

/// Whether a text is a move in algebraic notation: it ends in a square, whose file may be a capital, or castles; in numeric
/// notation: it names two squares in digits; in descriptive notation: it is a piece with a file's letters and a rank.
pub(crate) fn is_move(text: &str) -> [bool; 3] {
    // Some hands put a dash behind White's moves.
    let text = text.trim_end_matches(['+', '#', '!', '?', '=', ':', ' ', '-']);
    let castles = text.len() > 2 && text.chars().all(|c| matches!(c, 'O' | '0' | '-'));
    let mut from_end = text.chars().rev();
    let square = matches!(from_end.next(), Some('1'..='8')) && matches!(from_end.next(), Some('a'..='h' | 'A'..='H'));
    let square = square && !is_two_moves(text);
    let numeric = text.len() == 4 && text.chars().all(|c| matches!(c, '1'..='8'));
    let ranks = text.chars().filter(|c| matches!(c, '1'..='8')).count();
    let letters = text.chars().filter(|c| c.is_ascii_uppercase()).count();
    let descriptive = ranks == 1
        && letters > 1
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '1'..='8' | '-'));
    [castles || square, numeric, castles || descriptive]
}

/// Whether a text that ends in a square holds another move before it, as where the line between two columns was lost: it
/// captures twice, names three squares, or a piece behind a square.
fn is_two_moves(text: &str) -> bool {
    let count = |is: fn(char) -> bool| text.chars().filter(|&c| is(c)).count();
    let behind_square = text.trim_start_matches(|c: char| !matches!(c, '1'..='8')).chars();
    let piece = |(c, next): (char, char)| c.is_uppercase() && matches!(next, 'a'..='h' | 'A'..='H' | 'x' | ':');
    count(|c| matches!(c, 'x' | ':')) > 1
        || count(|c| matches!(c, '1'..='8')) > 2
        || behind_square.clone().zip(behind_square.skip(1)).any(piece)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::columns;
    use crate::pipeline::table::lines::Curve;
    use crate::reading::Alphabet;
    use image::{GrayImage, Luma};

    /// Reads `e4` where much ink is, and nothing elsewhere.
    pub(crate) struct Fake(pub(crate) Alphabet);

    impl Recogniser for Fake {
        fn alphabet(&self) -> &Alphabet {
            &self.0
        }

        fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
            let of = |crop: &&Crop| match crop.span.len() > 40 {
                true => Reading::new([0.01, 0.98, 0.01, 0.01, 0.01, 0.98].map(f32::ln).to_vec(), 3),
                false => Reading::new([0.98, 0.01, 0.01].map(f32::ln).to_vec(), 3),
            };
            Ok(crops.iter().map(of).collect())
        }
    }

    #[test]
    fn cells_of_all_columns_are_looked_at() {
        // Eighteen rows of four columns are all written on, and moves stand in the first column only.
        let grey = GrayImage::from_fn(1024, 900, |x, y| {
            let wide = if x < 256 { 110 } else { 24 };
            let is_ink = (20..20 + wide).contains(&(x % 256)) && (90..810).contains(&y) && (10..30).contains(&(y % 40));
            Luma([if is_ink && (x + y) % 16 < 8 { 30 } else { 250 }])
        });
        let page = Page::new(&Photo { file: String::new(), grey }, 0);
        let line = |row: usize| Curve { y: vec![80.0 + 40.0 * row as f32; 32] };
        let bands = (0..18).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
        let pairs = columns::even(0.0, 1024.0, 2, 28);
        let grid = Grid { bands, pairs, pitch: 40.0, width: 1024.0, by_ink: false };
        let found = moves(&page, &grid, &Fake(Alphabet::new("e4".chars()))).unwrap();
        assert!((found.share - 0.25).abs() < 0.06, "{found:?}");
        let column = 256.0 * 40.0 * 18.0;
        assert!((found.area / column - 1.0).abs() < 0.25, "{found:?}");
        assert_eq!(clear_moves(&page, &grid, &Fake(Alphabet::new("e4".chars()))).unwrap(), 18);
    }

    #[test]
    fn a_column_with_far_fewer_moves_than_its_neighbour_holds_hardly_any() {
        // White's column is written on in the lowest rows only.
        let hardly = |written: u32| {
            let grey = GrayImage::from_fn(512, 900, |x, y| {
                let rows = if x < 256 { 810 - 40 * written..810 } else { 90..810 };
                let is_ink = (20..130).contains(&(x % 256)) && rows.contains(&y) && (10..30).contains(&(y % 40));
                Luma([if is_ink && (x + y) % 16 < 8 { 30 } else { 250 }])
            });
            let page = Page::new(&Photo { file: String::new(), grey }, 0);
            let line = |row: usize| Curve { y: vec![80.0 + 40.0 * row as f32; 16] };
            let bands = (0..18).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
            let pairs = columns::even(0.0, 512.0, 1, 28);
            let grid = Grid { bands, pairs, pitch: 40.0, width: 512.0, by_ink: false };
            let ColumnPair { white, black, .. } = &grid.pairs[0];
            hardly_holds_moves(&page, &grid, white, black, &Fake(Alphabet::new("e4".chars()))).unwrap()
        };
        assert_eq!([0, 2, 5, 8, 12, 18].map(hardly), [true, true, true, false, false, false]);
    }

    #[test]
    fn what_is_hardly_read_is_not_clear() {
        let recogniser = Fake(Alphabet::new("e4".chars()));
        let reading = |sure: f32| {
            let rest = (1.0 - sure) / 2.0;
            Reading::new([rest, sure, rest, rest, rest, sure].map(f32::ln).to_vec(), 3)
        };
        let readings = [0.98, 0.5, 0.7, 0.4].map(reading);
        assert_eq!((count(&readings, &recogniser), clear_among(&readings, recogniser.alphabet())), (4, 2));
        let legible = |clear: f32, looked_at: usize| Legible { share: 0.5, clear, looked_at, area: 1.0 };
        assert!(
            legible(0.0, 18).is_no_writing() && !legible(0.0, 5).is_no_writing() && !legible(0.2, 18).is_no_writing()
        );
    }

    #[test]
    fn moves_of_any_language_are_known() {
        let algebraic = ["e4", "Sf3", "Cxd5+", "O-O", "0-0-0", "Ce6!?", "\u{265e}c3#", "NxF3", "D4", "d4-", "O-O-"];
        assert!(algebraic.iter().all(|text| is_move(text)[0]));
        assert!(["5254", "7163"].iter().all(|text| is_move(text) == [false, true, false]));
        assert!(["P4R", "C3AR", "P-K4", "N-KB3+"].iter().all(|text| is_move(text)[1..] == [false, true]));
        assert!(
            ["", "-", "hE", "4e", "i3", "a9", "Rd", "12", "K4", "9254"].iter().all(|text| is_move(text) == [false; 3])
        );
    }

    #[test]
    fn two_moves_are_no_move() {
        assert!(["TxC2Nf3", "cxd5cxd5", "Ke1f1Nf6", "Ab5Ag4", "O-OSg5Lg5"].iter().all(|text| !is_move(text)[0]));
        assert!(["Bf1xb5", "Ng1-f3", "e2e4", "NG1F3", "R1xD2"].iter().all(|text| is_move(text)[0]));
    }

    #[test]
    fn one_sheet_has_one_notation() {
        assert_eq!(moves_of_one_notation(["e4", "P4R", "5254", "O-O", "Nf3"].into_iter()), 3);
        assert_eq!(moves_of_one_notation(["e4", "P4R", "P3D", "O-O", "PxP"].into_iter()), 3);
    }
}
