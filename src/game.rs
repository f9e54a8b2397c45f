//! The vocabulary that every stage shares: plies, their status, candidates, and the game as it is handed out.
//!
//! Serialised with serde these types are the JSON contract `scoresheet.game/1` of `read --json` and the HTTP API.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name and version of the JSON contract.
pub const SCHEMA: &str = "scoresheet.game/1";

/// Four corners in pixels of the upright photo: top left, top right, bottom right, bottom left.
pub type Quad = [[f32; 2]; 4];

/// The side to move, or the keeper of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    White,
    Black,
}

impl Colour {
    /// The other side.
    pub fn other(self) -> Self {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }
}

/// How a ply is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The ink says this move and the game agrees: no person needs to look.
    Clear,
    /// The move is the best reading of the ink, but another is possible.
    Doubtful,
    /// The ink says something else; this move is what the rest of the game asks for.
    Repaired,
    /// Nothing was written; the move follows from the rest of the game.
    Inferred,
    /// What is written is no legal move here, and is kept as written.
    Illegal,
    /// There is ink, but nothing legal can be said about it.
    Unread,
}

/// A move that may have been played, with its share of the probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub san: String,
    pub probability: f32,
}

/// What one sheet says about a ply, read with no help from the game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// Index into [`Game::sheets`].
    pub sheet: usize,
    /// Index into [`Sheet::pages`].
    pub page: usize,
    /// The cell, in pixels of the upright photo.
    pub quad: Quad,
    /// The recogniser's own reading.
    pub text: String,
    /// The recogniser's own probability of `text`.
    pub confidence: f32,
}

/// One half-move of the game: what was written and what was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ply {
    /// Counted from 1 at the start of the sheet.
    pub ply: usize,
    /// Move number as printed or counted on the sheet.
    pub number: u32,
    pub colour: Colour,
    /// Standard Algebraic Notation, or none where nothing legal can be said.
    pub san: Option<String>,
    /// UCI long form (castling as the king's step, `e1g1`).
    pub uci: Option<String>,
    /// Probability that `san` is the move played.
    pub confidence: f32,
    pub status: Status,
    /// Plain words, where the status is not clear.
    pub reason: Option<String>,
    pub written: Vec<Written>,
    /// Best first; the probabilities add up to one at most.
    pub candidates: Vec<Candidate>,
    /// Clock time noted beside the move.
    pub clock: Option<String>,
    pub draw_offer: bool,
    /// Numeric Annotation Glyph, for `!`, `?` and their like.
    pub nag: Option<u8>,
}

/// What a page is to its sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageRole {
    First,
    Continues,
    Repeats,
}

/// A photographed page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageInfo {
    pub file: String,
    /// Of the upright photo, in pixels.
    pub width: u32,
    pub height: u32,
    /// The rows of moves with their numbers: corners clockwise from the upper left as the table is read, in pixels of
    /// the upright photo.
    pub quad: Quad,
    pub role: PageRole,
    /// Numbered rows found: the moves that the page has room for.
    pub rows: usize,
}

/// One player's sheet, in one or more pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    pub keeper: Option<Colour>,
    /// ISO 639 code of the language whose piece letters are written.
    pub language: Option<String>,
    pub language_confidence: f32,
    pub pages: Vec<PageInfo>,
}

/// How the result of a game is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResultOrigin {
    pub source: ResultSource,
    /// From 0 to 1: of the last move where the board decides, of the ink where it was read; none where it was said.
    pub confidence: Option<f32>,
}

/// What a result is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultSource {
    /// The rules end the game with its last move.
    Board,
    /// It is written behind the last move.
    Sheet,
    /// The tournament file.
    Event,
    /// A correction.
    Person,
}

/// A game read from one sheet or from both players' sheets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Game {
    /// Always [`SCHEMA`].
    pub schema: String,
    pub sheets: Vec<Sheet>,
    /// Set where the sheet starts from another position than the usual one.
    pub start_fen: Option<String>,
    pub plies: Vec<Ply>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// None where the result is not known.
    #[serde(default)]
    pub result_origin: Option<ResultOrigin>,
    /// PGN tags by name.
    pub headers: BTreeMap<String, String>,
    pub warnings: Vec<String>,
    /// Milliseconds by stage.
    pub timing_ms: BTreeMap<String, f64>,
    pub pgn: String,
}
