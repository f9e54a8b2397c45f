//! From the bytes of photos to a game, stage by stage.
//!
//! [`read_game`] calls every stage in order and can be read as the table of contents.

pub(crate) mod align;
pub mod cells;
mod ink;
pub mod numbers;
mod other_light;
pub mod page;
pub mod photo;
pub mod recognise;
pub(crate) mod repeats;
pub mod results;
pub mod table;
pub mod watch;

use crate::decode;
use crate::error::{Error, Result};
use crate::game::{Colour, Game, Quad};
use crate::reading::Reading;
use crate::review::{self, Reviewed};
use cells::Crop;
use cells::writing::read_cells;
use image::GrayImage;
use ink::gather;
pub use ink::{Ink, ink_of, rows};
use numbers::anchor::Anchor;
use numbers::{first_row, in_cells};
use other_light::or_in_other_light;
use page::{Page, pale};
use photo::advice;
use photo::ingest::{IngestLimits, Photo, ingest};
use photo::negative;
use rayon::prelude::*;
use recognise::{Recogniser, Remembering};
use results::{WrittenResult, form_result};
use std::collections::BTreeMap;
use std::time::Instant;
use table::find;
use table::found::Found;
use table::further;
use table::grid::Grid;
use table::hint::PageHint;
use watch::Watch;

/// A photo as it comes in.
#[derive(Debug, Clone)]
pub struct PhotoFile {
    /// Shown in messages and in the result.
    pub name: String,
    pub bytes: Vec<u8>,
    /// What is known about its table.
    pub hint: PageHint,
    /// The decoded picture, where it had to be looked at before it is read.
    pub grey: Option<GrayImage>,
}

impl PhotoFile {
    /// A photo of which nothing is known yet.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, hint: PageHint::default(), grey: None }
    }
}

/// One player's sheet: its pages in order.
#[derive(Debug, Clone)]
pub struct SheetFiles {
    /// The player who kept it, where known.
    pub keeper: Option<Colour>,
    pub pages: Vec<PhotoFile>,
}

/// What the caller knows or wants.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    pub limits: IngestLimits,
    pub decode: decode::Options,
    pub watch: Watch,
    /// Pages given as one sheet, and what lies beside a sheet in its photo, may be both players' sheets: those that begin
    /// the same game again become a sheet of their own in what is read.
    pub tell_sheets_apart: bool,
}

/// A cell of the move table with its place, picture and reading.
#[derive(Debug, Clone)]
pub struct ReadCell {
    /// Band of the grid and column pair.
    pub band: usize,
    pub pair: usize,
    pub number: u32,
    pub colour: Colour,
    /// In pixels of the upright photo.
    pub quad: Quad,
    pub crop: Crop,
    /// None for a blank cell.
    pub reading: Option<Reading>,
    /// Little tells that what is written belongs here.
    pub doubted: bool,
}

/// A page with everything that was seen on it.
#[derive(Debug, Clone)]
pub struct ReadPage {
    pub file: String,
    pub page: Page,
    pub grid: Grid,
    pub anchor: Anchor,
    /// In the order of play.
    pub cells: Vec<ReadCell>,
    /// Written outside the cells.
    pub results: Vec<WrittenResult>,
    /// What to tell the person who took the photo.
    pub advice: Vec<String>,
    /// Other tables on the same photo from which, or to which, the numbers go on; each as a page of its own.
    pub further: Vec<ReadPage>,
    /// Other sheets in the same photo, each as a page of its own.
    pub beside: Vec<ReadPage>,
}

impl ReadPage {
    /// All tables on the photo, the first one first.
    pub fn tables(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.further)
    }

    /// Leaves out everything that is written on the page, and says why.
    fn set_aside(&mut self, advice: String) {
        self.advice = vec![advice];
        self.cells.clear();
        self.results.clear();
        self.further.clear();
    }

    /// The cells of all tables, in the order of play.
    pub fn all_cells(&self) -> impl Iterator<Item = &ReadCell> {
        self.tables().flat_map(|table| &table.cells)
    }
}

/// Milliseconds spent by stage, added up over pages.
pub type Timing = BTreeMap<String, f64>;

/// Evidence below which the numbers are called unread.
const NUMBERS_READ: f32 = 0.25;

/// Reads a game from one sheet, or from both players' sheets.
///
/// # Errors
/// Whatever keeps a page from being read, see [`Error`]; [`Error::Blank`] where nothing is written,
/// [`Error::Unreadable`] or [`Error::StartsLate`] where what is written is no game.
pub fn read_game(sheets: &[SheetFiles], recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<Game> {
    Ok(read(sheets, recogniser, options)?.1.game)
}

/// Reads a game and keeps what was seen, for a review.
///
/// # Errors
/// As [`read_game`].
pub fn read(sheets: &[SheetFiles], recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<(Ink, Reviewed)> {
    let ink = read_ink(sheets, recogniser, options)?;
    options.watch.at("decode")?;
    let reviewed = game_from(&ink, &options.decode)?;
    Ok((ink, reviewed))
}

/// Decodes the ink of a game.
///
/// # Errors
/// [`Error::Unreadable`] or [`Error::StartsLate`] where what is written is no game.
pub fn game_from(ink: &Ink, options: &decode::Options) -> Result<Reviewed> {
    let reviewed = review::game(ink, &[], options)?;
    let game = &reviewed.game;
    let first_page = ink.sheets.iter().flat_map(|sheet| &sheet.pages).next();
    let first_number = ink.rows.first().map_or(1, |row| row.number);
    match first_page.map(|page| page.file.clone()) {
        _ if review::is_a_game(ink, game) || review::is_a_transcript(game) => Ok(reviewed),
        Some(file) if first_number > 1 => Err(Error::StartsLate { file, number: first_number }),
        Some(file) => Err(Error::Unreadable { advice: advice::where_unreadable(&file, &ink.warnings), file }),
        None => Ok(reviewed),
    }
}

/// Reads all cells of a game's photos.
///
/// # Errors
/// Whatever keeps a page from being read, see [`Error`]; [`Error::Blank`] where nothing is written.
pub fn read_ink(sheets: &[SheetFiles], recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<Ink> {
    let mut timing_ms = Timing::new();
    let mut read = Vec::new();
    for sheet in sheets {
        let mut pages = Vec::new();
        for file in &sheet.pages {
            options.watch.at("ingest")?;
            let photo = timed(&mut timing_ms, "ingest", || match &file.grey {
                Some(grey) => Ok(Photo { file: file.name.clone(), grey: grey.clone() }),
                None => ingest(&file.name, &file.bytes, &options.limits),
            })?;
            let mut page = read_page_watched(&photo, &file.hint, recogniser, &mut timing_ms, &options.watch)?;
            let beside = if options.tell_sheets_apart { std::mem::take(&mut page.beside) } else { Vec::new() };
            pages.push(page);
            pages.extend(beside);
        }
        read.push(pages);
    }
    let mut keepers: Vec<Option<Colour>> = sheets.iter().map(|sheet| sheet.keeper).collect();
    for sheet in 0..read.len() {
        let Some(again) = repeats::settle(&mut read[sheet], recogniser.alphabet()) else { continue };
        if options.tell_sheets_apart && keepers == [None] {
            let second = read[sheet].split_off(again);
            read.push(second);
            keepers.push(None);
        } else {
            let page = &mut read[sheet][again];
            page.advice.push(format!(
                "{}: it shows the same moves as an earlier page; if it is the other player's sheet, give one as White's and one as Black's, and more moves will be clear",
                page.file
            ));
        }
    }
    repeats::settle_sheets(&mut read, recogniser.alphabet());
    ink_of(&keepers, &read, recogniser.alphabet(), timing_ms)
}

/// Finds the table on a photo, turning it until the printed numbers read, and reads all its cells.
///
/// # Errors
/// [`Error::NoTable`] where no table of moves is found any way up, and as [`Recogniser::read`].
pub fn read_page(photo: &Photo, recogniser: &dyn Recogniser, timing: &mut Timing) -> Result<ReadPage> {
    read_page_watched(photo, &PageHint::default(), recogniser, timing, &Watch::default())
}

/// As [`read_page`], by what a person said of the table; once more in other light where it reads badly.
fn read_page_watched(
    photo: &Photo,
    hint: &PageHint,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<ReadPage> {
    let mut read = |photo: &Photo| read_either_way(photo, hint, recogniser, timing, watch);
    let first = read(photo);
    or_in_other_light(photo, first, recogniser.alphabet(), read)
}

/// The same in the light as it is. Where there is no table, the photo may be a negative.
fn read_either_way(
    photo: &Photo,
    hint: &PageHint,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<ReadPage> {
    let skewness = negative::skewness(&photo.grey);
    let mut read = |as_negative: bool| {
        if !as_negative {
            return read_positive(photo, hint, recogniser, timing, watch);
        }
        let mut read = read_positive(&negative::inverted(photo), hint, recogniser, timing, watch)?;
        read.advice.push(format!("{}: the photo is a negative and was read as one", photo.file));
        Ok(read)
    };
    let negative_first = skewness > negative::CLEARLY;
    match read(negative_first) {
        Err(error @ (Error::NoTable { .. } | Error::Unreadable { .. })) if skewness > 0.0 => {
            read(!negative_first).map_err(|other| if matches!(other, Error::Stopped) { other } else { error })
        }
        read => read,
    }
}

/// The same for dark ink on bright paper.
fn read_positive(
    photo: &Photo,
    hint: &PageHint,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<ReadPage> {
    let recogniser = &Remembering::new(recogniser);
    let mut tables = Vec::new();
    for found in find::find(photo, hint, recogniser, timing, watch)? {
        tables.push(read_table(photo, hint, found, recogniser, timing, watch)?);
    }
    if *hint == PageHint::default() {
        while let Some(found) = further::next(&tables, recogniser, timing, watch)? {
            tables.push(read_table(photo, hint, found, recogniser, timing, watch)?);
        }
    }
    let mut beside = Vec::new();
    if *hint == PageHint::default()
        && let Some(found) = further::beside(&tables, recogniser, timing, watch)?
    {
        let other = read_table(photo, hint, found, recogniser, timing, watch)?;
        beside.extend(Some(other).filter(|other| other.cells.iter().any(|cell| cell.reading.is_some())));
    }
    let mut first = tables.remove(0);
    (first.further, first.beside) = (tables, beside);
    Ok(first)
}

/// Reads all cells of a table, and what else is written around it.
fn read_table(
    photo: &Photo,
    hint: &PageHint,
    found: Found,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<ReadPage> {
    let Found { page, grid, anchor, .. } = found;
    watch.at("cells")?;
    let mut cells = timed(timing, "cells", || cut_cells(&page, &grid, &anchor));
    if let Some(gain) = pale::gain(&cells) {
        cells = timed(timing, "cells", || cut_cells(&page.darkened(gain), &grid, &anchor));
    }
    watch.at("recognise")?;
    timed(timing, "recognise", || read_cells(&mut cells, recogniser))?;
    let advice = timed(timing, "advice", || advice::advice(photo, &anchor, &cells))?;
    let (file, results, further, beside) = (photo.file.clone(), Vec::new(), Vec::new(), Vec::new());
    let mut read = ReadPage { file, page, grid, anchor, cells, results, advice, further, beside };
    if hint.rows.is_none() {
        timed(timing, "anchor", || first_row::settle(&mut read, recogniser))?;
    }
    if read.anchor.evidence >= NUMBERS_READ {
        in_cells::blank(&mut read.cells, recogniser.alphabet());
    }
    for (result, cells) in timed(timing, "result", || results::find(&read, recogniser))? {
        // Its strokes are no moves.
        cells.into_iter().for_each(|cell| read.cells[cell].reading = None);
        read.results.push(result);
    }
    read.results.extend(timed(timing, "result", || form_result::find(&read, recogniser))?);
    Ok(read)
}

/// Cuts every cell of the numbered rows, in the order of play.
fn cut_cells(page: &Page, grid: &Grid, anchor: &Anchor) -> Vec<ReadCell> {
    let mut places: Vec<(usize, usize, u32, Colour)> = Vec::new();
    for pair in 0..grid.pairs.len() {
        for row in 0..anchor.rows {
            let number = anchor.first_number + (pair * anchor.period + row) as u32;
            places.extend([Colour::White, Colour::Black].map(|colour| (anchor.first_band + row, pair, number, colour)));
        }
    }
    let cut = |&(band, pair, number, colour): &(usize, usize, u32, Colour)| {
        let (rows, column) = (&grid.bands[band], grid.pairs[pair].of(colour));
        let laid = grid.quad(rows, column);
        let (quad, doubted) = (page.quad_to_photo(laid), page.is_doubted(laid));
        let crop = Crop::cut(page, rows, column);
        ReadCell { band, pair, number, colour, quad, crop, reading: None, doubted }
    };
    places.par_iter().map(cut).collect()
}

/// The corners of the numbered rows, numbers included, in pixels of the upright photo; zeros if there are none.
fn table_quad(page: &Page, grid: &Grid, anchor: &Anchor) -> Quad {
    if let Some(pieces) = &page.pieces {
        return pieces.around();
    }
    let rows = anchor.bands(grid);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Quad::default() };
    let (Some(left), Some(right)) = (grid.pairs.first(), grid.pairs.last()) else { return Quad::default() };
    let left = left.first(first.top.at(0.0));
    let (top, bottom) =
        ([left, &right.black].map(|c| grid.quad(first, c)), [left, &right.black].map(|c| grid.quad(last, c)));
    [top[0][0], top[1][1], bottom[1][2], bottom[0][3]].map(|corner| page.to_photo(corner))
}

/// Runs a stage and adds its time to the table.
pub(crate) fn timed<T>(timing: &mut Timing, stage: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = run();
    *timing.entry(stage.to_owned()).or_default() += start.elapsed().as_secs_f64() * 1000.0;
    out
}
