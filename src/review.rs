//! The game from its ink, and the better game after a person has looked at some of its moves.

use crate::decode;
use crate::error::{Error, Result};
use crate::game::{Colour, Game, SCHEMA};
use crate::pgn;
use crate::pipeline::{Ink, timed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a person says about the game. Plies are counted from 1, in the game as it stands with the pins before this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "pin", rename_all = "snake_case", deny_unknown_fields)]
pub enum Pin {
    /// This ply is this move, in Standard Algebraic Notation or UCI.
    Move { ply: usize, san: String },
    /// What is written in this cell is no move.
    NotAMove { number: u32, colour: Colour },
    /// A move was left out on the sheet right before this ply.
    Missing { ply: usize },
    /// The game ends after this ply.
    End { ply: usize },
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result { result: String },
    /// A PGN tag.
    Header { name: String, value: String },
}

/// Decodes the ink, holding to what the pins say. Undoing is decoding with fewer pins.
///
/// # Errors
/// [`Error::Usage`] for pins that contradict the rules or each other.
pub fn game(ink: &Ink, pins: &[Pin], options: &decode::Options) -> Result<Game> {
    if let Some(pin) = pins.first() {
        return Err(Error::Usage(format!("{pin:?}: corrections are not understood yet. Leave them out.")));
    }
    let mut timing_ms = ink.timing_ms.clone();
    let decoded = timed(&mut timing_ms, "decode", || decode::decode(&ink.rows, &ink.alphabet, options));
    let mut sheets = ink.sheets.clone();
    for sheet in &mut sheets {
        sheet.language.clone_from(&decoded.language);
        sheet.language_confidence = decoded.language_confidence;
    }
    let mut game = Game {
        schema: SCHEMA.to_owned(),
        sheets,
        start_fen: None,
        plies: decoded.plies,
        result: decoded.result,
        headers: BTreeMap::new(),
        warnings: ink.warnings.iter().cloned().chain(decoded.warnings).collect(),
        timing_ms,
        pgn: String::new(),
    };
    game.pgn = pgn::write(&pgn::Parts {
        headers: &game.headers,
        plies: &game.plies,
        result: &game.result,
        start_fen: game.start_fen.as_deref(),
        alternatives: false,
    });
    Ok(game)
}
