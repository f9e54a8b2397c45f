//! One photo read alone: what other photos are compared with, and what a game is later put together from.

use crate::error::{Error, Result};
use crate::game::{Colour, Game, Status};
use crate::pipeline::cells::CROP_WIDTH;
use crate::pipeline::cells::cutout::Cutout;
use crate::pipeline::page::sampling::sample;
use crate::pipeline::photo::ingest::{self, ingest};
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::{
    Ink, PhotoFile, ReadCell, ReadOptions, game_from, ink_of, page::shades, photo::apart, read_page,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use image::codecs::jpeg::JpegEncoder;
use image::{GrayImage, Luma};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What became of a photo.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    Page(PageRecord),
    /// Several sheets lie apart in it; what became of each.
    Sheets(Vec<Seen>),
    /// Nothing on it can be used; the sentence names the photo by its hash.
    Failed(String),
}

/// A page in a few hundred bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PageRecord {
    /// Numbers of the first and the last row of the table.
    pub first: u32,
    pub last: u32,
    /// The moves read from the page alone, in order; `?` for what is no move. Check marks are left out.
    pub moves: Vec<String>,
    /// How many of them are clear.
    pub clear: usize,
    /// Why the page is no game alone, with the photo named by its hash.
    pub alone: Option<String>,
    /// The ink of the first written cells, for telling two photos of one sheet from two sheets.
    pub looks: Vec<Look>,
}

/// The ink of a cell as a coarse picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    pub number: u32,
    pub colour: Colour,
    /// Base64 of 16 x 4 means of darkness, row by row.
    pub darkness: String,
}

/// A page with everything that a game needs, kept until the run is over.
#[derive(Debug, Serialize, Deserialize)]
pub struct PageFile {
    pub ink: Ink,
    /// The game of the page alone, if it is one.
    pub game: Option<Game>,
    /// By cell (see [`tile_key`]): base64 of a JPEG picture of it.
    pub tiles: BTreeMap<String, String>,
}

/// Written cells that are remembered by their looks.
const LOOKS: usize = 24;
const LOOK_WIDTH: usize = 16;
const LOOK_HEIGHT: usize = 4;

/// Height of the picture of a cell, in pixels.
const TILE_HEIGHT: u32 = 60;
/// What is shown beside the cell and above and below it, as shares of its height.
const AROUND: [f32; 2] = [0.15, 0.25];
const TILE_WIDTH: u32 = 260;
const TILE_QUALITY: u8 = 55;

/// The name of a cell among the tiles of a page.
pub fn tile_key(number: u32, colour: Colour) -> String {
    format!("{number}{}", if colour == Colour::White { "w" } else { "b" })
}

/// A photo read alone, and what a game needs of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct LookedAt {
    pub seen: Seen,
    /// By sheet in the photo; none for one that failed.
    pub files: Vec<Option<PageFile>>,
}

/// Reads a photo alone, or each sheet alone of several that lie apart in it; `hash` names the photo. Whatever is wrong
/// with it is what became of it.
///
/// # Errors
/// [`Error::Model`]: no other photo would fare better.
pub fn look(hash: &str, bytes: Vec<u8>, recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<LookedAt> {
    let photo = PhotoFile::new(hash, bytes);
    let sheets = match guarded(hash, || apart::sheets(photo, &options.limits))? {
        Ok(sheets) => sheets,
        Err(sentence) => return Ok(LookedAt { seen: Seen::Failed(sentence), files: vec![None] }),
    };
    let (mut seen, mut files) = (Vec::new(), Vec::new());
    for sheet in sheets {
        let name = sheet.name.clone();
        let (one, file) = match guarded(&name, || read_alone(sheet, recogniser, options))? {
            Ok((record, file)) => (Seen::Page(record), Some(file)),
            Err(sentence) => (Seen::Failed(sentence), None),
        };
        seen.push(one);
        files.push(file);
    }
    let one = if seen.len() == 1 { seen.pop() } else { None };
    Ok(LookedAt { seen: one.unwrap_or(Seen::Sheets(seen)), files })
}

/// Works on a photo; a failure that is the photo's, or a panic, becomes a sentence.
fn guarded<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<std::result::Result<T, String>> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(done)) => Ok(Ok(done)),
        Ok(Err(error @ Error::Model { .. })) => Err(error),
        Ok(Err(error)) => Ok(Err(error.to_string())),
        Err(_) => Ok(Err(format!(
            "{name}: the program failed on this photo. Please report it; the other photos are not touched by this."
        ))),
    }
}

fn read_alone(photo: PhotoFile, recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<(PageRecord, PageFile)> {
    let mut timing = BTreeMap::new();
    let picture = match photo.grey {
        Some(grey) => ingest::Photo { file: photo.name, grey },
        None => ingest(&photo.name, &photo.bytes, &options.limits)?,
    };
    let page = read_page(&picture, recogniser, &mut timing)?;
    let written = || page.all_cells().filter(|cell| cell.reading.is_some());
    let tiles = written().map(|cell| (tile_key(cell.number, cell.colour), tile(&picture, cell))).collect();
    let looks = written().take(LOOKS).map(look_of).collect();
    let pages = [vec![page]];
    let ink = ink_of(&[None], &pages, recogniser.alphabet(), timing)?;
    let (game, alone) = match game_from(&ink, &options.decode) {
        Ok(reviewed) => (Some(reviewed.game), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let plies = game.as_ref().map_or(&[][..], |game| &game.plies);
    let record = PageRecord {
        first: ink.rows.first().map_or(1, |row| row.number),
        last: ink.rows.last().map_or(0, |row| row.number),
        moves: plies.iter().filter_map(|ply| ply.san.as_deref()).map(plain).collect(),
        clear: plies.iter().filter(|ply| ply.status == Status::Clear).count(),
        alone,
        looks,
    };
    Ok((record, PageFile { ink, game, tiles }))
}

fn plain(san: &str) -> String {
    san.trim_end_matches(['+', '#']).to_owned()
}

/// Rows of a crop that lie between the ruling lines.
const BETWEEN_LINES: std::ops::Range<usize> = 12..36;

/// The means of darkness over the blocks of a crop.
fn look_of(cell: &ReadCell) -> Look {
    let (width, height) = (CROP_WIDTH / LOOK_WIDTH, BETWEEN_LINES.len() / LOOK_HEIGHT);
    let block = |x: usize, y: usize| {
        let top = BETWEEN_LINES.start + y * height;
        let rows = (top..top + height).flat_map(|row| {
            let start = row * CROP_WIDTH + x * width;
            &cell.crop.pixels[start..start + width]
        });
        let dark: usize = rows.map(|&grey| usize::from(255 - grey)).sum();
        (dark / (width * height)) as u8
    };
    let darkness: Vec<u8> =
        (0..LOOK_HEIGHT).flat_map(|y| (0..LOOK_WIDTH).map(move |x| (x, y))).map(|(x, y)| block(x, y)).collect();
    Look { number: cell.number, colour: cell.colour, darkness: STANDARD.encode(darkness) }
}

/// The cell on the photo with a little around it, upright, as base64 of a JPEG; empty if it cannot be encoded.
fn tile(photo: &ingest::Photo, cell: &ReadCell) -> String {
    let cutout = Cutout::new(&cell.quad, TILE_HEIGHT, AROUND, TILE_HEIGHT / 2..=TILE_WIDTH);
    let mut image = GrayImage::from_fn(cutout.width, TILE_HEIGHT, |x, y| {
        let [x, y] = cutout.at(x, y);
        Luma([sample(&photo.grey, x + 0.5, y + 0.5) as u8])
    });
    stretch(&mut image);
    let mut bytes = Vec::new();
    match image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, TILE_QUALITY)) {
        Ok(()) => STANDARD.encode(bytes),
        Err(_) => String::new(),
    }
}

/// Makes paper light and the darkest ink dark, so that faint pencil can be seen.
fn stretch(image: &mut GrayImage) {
    let mut sorted = image.as_raw().clone();
    shades::sort(&mut sorted);
    let share = |share: usize| sorted.get(sorted.len() * share / 100).copied().map_or(0.0, f32::from);
    let (ink, paper) = (share(1), share(70));
    let gain = 225.0 / (paper - ink).max(40.0);
    image.iter_mut().for_each(|pixel| *pixel = (245.0 - (paper - f32::from(*pixel)) * gain).clamp(0.0, 255.0) as u8);
}
