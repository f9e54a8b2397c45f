//! Photos of handwritten chess scoresheets become legal games in PGN, with a confidence on every move.
//!
//! ```text
//! bytes ─ ingest ─▶ Photo ─ page ─▶ Page ─ grid ─▶ Grid ─ anchor, cells ─▶ [Crop] ─ recognise ─▶ [Reading]
//! [Reading] + notation + position ─ decode ─▶ plies ─ pgn ─▶ PGN
//! ```
//!
//! Each arrow is a function from value to value; [`pipeline::read_game`] calls them in that order. To correct a game, keep
//! what [`pipeline::read`] saw and decode it again with pins:
//!
//! ```
//! use scoresheet::decode::Options;
//! use scoresheet::game::Colour;
//! use scoresheet::pipeline::recognise::TractRecogniser;
//! use scoresheet::pipeline::{PhotoFile, ReadOptions, SheetFiles, read};
//! use scoresheet::review::{Pin, game};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let photo = PhotoFile::new("german.jpg", std::fs::read("samples/german.jpg")?);
//! let sheets = [SheetFiles { keeper: None, pages: vec![photo] }];
//! let (ink, read) = read(&sheets, &TractRecogniser::embedded()?, &ReadOptions::default())?;
//! assert!(read.game.pgn.contains("1. e4 e5 2. Nf3 Nc6"));
//!
//! // A person says that the game ends with White's move in the last row.
//! let cell = read.cells.last().ok_or("no move")?;
//! let pin = Pin::End { number: cell.number, colour: Colour::White };
//! let corrected = game(&ink, &[pin], &Options::default())?;
//! assert!(corrected.game.plies.len() >= 80);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

pub mod batch;
pub mod cli;
pub mod decode;
pub mod error;
pub mod eval;
pub mod game;
mod hex;
pub mod notation;
pub mod pgn;
pub mod pipeline;
pub mod reading;
pub mod review;
#[cfg(feature = "service")]
pub mod service;
mod unique;
