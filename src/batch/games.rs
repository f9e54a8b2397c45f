//! A game put together from its pages, and kept.

use super::join::{SheetInk, join};
use super::pages::{PageFile, tile_key};
use super::walk::hex;
use crate::decode::Options;
use crate::error::Result;
use crate::game::{Colour, Game, Ply, Status};
use crate::pipeline::game_from;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A game as it is kept: photos are named by their hashes, so that it stays true when they are renamed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game, or why there is none.
    pub game: std::result::Result<Game, String>,
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
    let mut alone = None;
    let single = sheets.iter().map(|(_, pages)| pages.len()).sum::<usize>() == 1;
    for (keeper, pages) in sheets {
        let mut of_sheet = Vec::new();
        let mut ink = Vec::new();
        for page in pages {
            of_sheet.push(page.tiles);
            ink.push(page.ink);
            alone = page.game.filter(|_| single);
            if let Some(sheet) = alone.iter_mut().flat_map(|game: &mut Game| &mut game.sheets).next() {
                sheet.keeper = keeper;
            }
        }
        tiles.push(of_sheet);
        inks.push((keeper, ink));
    }
    let game = match alone {
        Some(game) => Ok(game),
        None => decode(inks, options).map_err(|error| error.to_string()),
    };
    let pictures = game.as_ref().map_or_else(
        |_| Vec::new(),
        |game| {
            let worst = worst(game).into_iter().take(PICTURES);
            let tile = |ply: &Ply| {
                let key = tile_key(ply.number, ply.colour);
                let of =
                    |written: &crate::game::Written| tiles.get(written.sheet)?.get(written.page)?.get(&key).cloned();
                ply.written.iter().filter_map(of).filter(|tile| !tile.is_empty()).collect()
            };
            worst.map(|index| Picture { ply: index, tiles: tile(&game.plies[index]) }).collect()
        },
    );
    GameRecord { game, pictures }
}

fn decode(inks: Vec<SheetInk>, options: &Options) -> Result<Game> {
    let ink = join(inks).ok_or_else(|| crate::error::Error::Usage("a game without a page".to_owned()))?;
    Ok(game_from(&ink, options)?.game)
}

/// The plies to look at, by index: those with no move first, then by rising confidence.
pub fn worst(game: &Game) -> Vec<usize> {
    let mut plies: Vec<usize> = (0..game.plies.len()).filter(|&i| game.plies[i].status != Status::Clear).collect();
    plies.sort_by(|&a, &b| {
        let rank = |i: usize| (game.plies[i].san.is_some(), game.plies[i].confidence);
        rank(a).0.cmp(&rank(b).0).then(rank(a).1.total_cmp(&rank(b).1))
    });
    plies
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
