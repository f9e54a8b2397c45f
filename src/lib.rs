//! Photos of handwritten chess scoresheets become legal games in PGN, with a confidence on every move.
//!
//! ```text
//! bytes ─ ingest ─▶ Photo ─ page ─▶ Page ─ grid ─▶ Grid ─ anchor, cells ─▶ [Crop] ─ recognise ─▶ [Reading]
//! [Reading] + notation + position ─ decode ─▶ plies ─ pgn ─▶ PGN
//! ```
//!
//! Each arrow is a function from value to value; [`pipeline::read_game`] calls them in that order.

#![forbid(unsafe_code)]

pub mod batch;
pub mod cli;
pub mod decode;
pub mod error;
pub mod eval;
pub mod game;
pub mod notation;
pub mod pgn;
pub mod pipeline;
pub mod reading;
pub mod review;
#[cfg(feature = "service")]
pub mod service;
