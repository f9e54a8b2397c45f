//! A game put together from its pages, and kept.

use super::join::{SheetInk, join};
use super::pages::{PageFile, tile_key};
use super::triage::to_look_at;
use crate::decode::Options;
use crate::error::Result;
use crate::game::{Colour, Game, Ply, Status};
use crate::hex::hex;
use crate::pipeline::game_from;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A game as it is kept: photos are named by their hashes, so that it stays true when they are renamed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game, or why there is none.
    pub game: std::result::Result<Game, String>,
    /// What to tell the person about how it was put together.
    pub note: Option<String>,
    /// Of the moves to look at, the worst first.
    pub pictures: Vec<Picture>,
}

/// What is written at a move.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Picture {
    /// Index of the ply in the game.
    pub ply: usize,
    /// Base64 of JPEG pictures, one for each sheet that has the move.
    pub tiles: Vec<String>,
}

/// Moves of a game whose pictures are kept.
const PICTURES: usize = 12;

/// A sheet of a game: who kept it, where known, and the hashes of its pages.
pub type SheetHashes = (Option<Colour>, Vec<String>);

/// The name under which a game of these sheets is kept.
pub fn key(reader: &str, sheets: &[SheetHashes]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(reader);
    for (keeper, pages) in sheets {
        hasher.update(format!("\n{keeper:?} {}", pages.join(" ")));
    }
    hex(&hasher.finalize()[..16])
}

/// Decodes the sheets together; each comes with its keeper and pages.
pub fn put_together(sheets: Vec<(Option<Colour>, Vec<PageFile>)>, options: &Options) -> GameRecord {
    let mut tiles = Vec::new();
    let mut inks: Vec<SheetInk> = Vec::new();
    let mut alone = Vec::new();
    for (keeper, pages) in sheets {
        let mut of_sheet = Vec::new();
        let mut ink = Vec::new();
        for (at, page) in pages.into_iter().enumerate() {
            of_sheet.push(page.tiles);
            ink.push(page.ink);
            let game = page.game.filter(|_| at == 0);
            alone.extend(game.map(|game| with_keeper(game, keeper)).map(|game| (tiles.len(), game)));
        }
        tiles.push(of_sheet);
        inks.push((keeper, ink));
    }
    let one_page = inks.len() == 1 && inks[0].1.len() == 1;
    let together = if one_page { None } else { Some(decode(inks, options).map_err(|error| error.to_string())) };
    let clear = |game: &Game| game.plies.iter().filter(|ply| ply.status == Status::Clear).count();
    let best_alone = alone.into_iter().max_by_key(|(_, game)| clear(game));
    let (game, note) = match (together, best_alone) {
        // Two hands that write in different languages or notations cannot be read as one yet.
        (Some(game), Some((sheet, alone)))
            if game.as_ref().map_or(0, &clear) * 2 < clear(&alone) || game.as_ref().is_err() =>
        {
            tiles.swap(0, sheet);
            let file = alone.sheets.iter().flat_map(|sheet| &sheet.pages).next().map(|page| page.file.clone());
            (
                Ok(alone),
                Some(format!(
                    "the sheets could not be read together; the moves are those of {}",
                    file.unwrap_or_default()
                )),
            )
        }
        (Some(game), _) => (game, None),
        (None, Some((_, game))) => (Ok(game), None),
        (None, None) => (Err(String::new()), None),
    };
    let tile = |ply: &Ply| {
        let key = tile_key(ply.number, ply.colour);
        let of = |written: &crate::game::Written| tiles.get(written.sheet)?.get(written.page)?.get(&key).cloned();
        ply.written.iter().filter_map(of).filter(|tile| !tile.is_empty()).collect()
    };
    let picture = |game: &Game, ply: usize| Picture { ply, tiles: tile(&game.plies[ply]) };
    let pictures = game.iter().flat_map(|game| worst(game).into_iter().take(PICTURES).map(|ply| picture(game, ply)));
    GameRecord { pictures: pictures.collect(), game, note }
}

fn with_keeper(mut game: Game, keeper: Option<Colour>) -> Game {
    game.sheets.iter_mut().for_each(|sheet| sheet.keeper = keeper);
    game
}

fn decode(inks: Vec<SheetInk>, options: &Options) -> Result<Game> {
    let ink = join(inks).ok_or_else(|| crate::error::Error::Usage("a game without a page".to_owned()))?;
    Ok(game_from(&ink, options)?.game)
}

/// The plies to look at, by index: those with no move first, then by rising confidence.
pub fn worst(game: &Game) -> Vec<usize> {
    let mut plies = to_look_at(game);
    plies.sort_by(|&a, &b| badness(&game.plies[a]).total_cmp(&badness(&game.plies[b])));
    plies
}

/// Lowest for the ply that needs a person most.
pub fn badness(ply: &Ply) -> f32 {
    if ply.san.is_some() { ply.confidence } else { -1.0 }
}

/// How well a late page continues a sheet: the share of the late page's written cells that are clear moves when
/// both are decoded together.
pub fn fit(before: PageFile, late: PageFile, options: &Options) -> f32 {
    let from = late.ink.rows.first().map_or(0, |row| row.number);
    let written = late.ink.rows.iter().flat_map(|row| row.white.iter().chain(&row.black));
    let written = written.filter(|cell| cell.reading.is_some()).count();
    match decode(vec![(None, vec![before.ink, late.ink])], options) {
        Ok(game) => {
            let clear = game.plies.iter().filter(|ply| ply.number >= from && ply.status == Status::Clear).count();
            clear as f32 / written.max(1) as f32
        }
        Err(_) => 0.0,
    }
}
