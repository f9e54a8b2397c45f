//! From cell pictures to lattices of log-probabilities, by two ONNX models.
//!
//! A small network reads every cell, a larger one what the first is not sure of (see models/README.md). tract runs them
//! without anything installed; the feature `ort` adds ONNX Runtime. Everything downstream sees only the [`Recogniser`]
//! trait, so tests run on fakes.

#[cfg(feature = "ort")]
mod onnx_runtime;
mod remembering;
mod tract;

#[cfg(feature = "ort")]
pub use onnx_runtime::OrtRecogniser;
pub(super) use remembering::Remembering;
pub use tract::TractRecogniser;

use super::cells::{CROP_WIDTH, Crop};
use crate::error::{Error, Result};
use crate::hex::hex;
pub use crate::reading::Pass;
use crate::reading::{Alphabet, Features, Reading, normalise};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Reads cells.
pub trait Recogniser: Send + Sync {
    /// The symbols of the readings' classes.
    fn alphabet(&self) -> &Alphabet;

    /// One reading a crop, in the same order.
    ///
    /// # Errors
    /// [`Error::Model`] if the model fails on an input of the right shape.
    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>>;

    /// What a slower and better reader says of the same crops; by default the same as [`Self::read`].
    ///
    /// # Errors
    /// As [`Self::read`].
    fn read_again(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        self.read(crops)
    }
}

/// What the file beside a model says about it.
#[derive(Debug, Clone, Deserialize)]
pub struct ModelCard {
    pub file: String,
    /// Of the model file, in hexadecimal.
    pub sha256: String,
    /// The symbols of classes 1, 2, ...; class 0 is the CTC blank.
    pub alphabet: String,
    /// The model's outputs are divided by this and normalised again, so that its probabilities mean what they say.
    pub temperature: f32,
}

impl Pass {
    /// The model file.
    pub fn model(self) -> &'static [u8] {
        match self {
            Self::First => include_bytes!("../../../models/recogniser.onnx"),
            Self::Second => include_bytes!("../../../models/second_pass.onnx"),
        }
    }

    /// Widths of the windows that the model looks at, in pixels: the time for a cell goes with its width. In narrower ones
    /// the first reads the printed numbers worse; each costs the second 40 ms at the start, and 16 MB.
    fn windows(self) -> &'static [usize] {
        match self {
            Self::First => &[96, 112, 128, 144, 160, CROP_WIDTH],
            Self::Second => &[128, CROP_WIDTH],
        }
    }

    /// The card of the model.
    ///
    /// # Errors
    /// [`Error::Model`] if the card cannot be read.
    pub fn card(self) -> Result<ModelCard> {
        let (name, card) = match self {
            Self::First => ("recogniser.json", include_str!("../../../models/recogniser.json")),
            Self::Second => ("second_pass.json", include_str!("../../../models/second_pass.json")),
        };
        serde_json::from_str(card).map_err(|error| model_error(name, error))
    }
}

/// What tells the models from others: it changes with either.
///
/// # Errors
/// [`Error::Model`] if a card cannot be read.
pub fn fingerprint() -> Result<String> {
    let hashes = [Pass::First.card()?.sha256, Pass::Second.card()?.sha256];
    Ok(hashes.map(|hash| hash.chars().take(12).collect::<String>()).join("-"))
}

impl ModelCard {
    /// Checks that `model` is the file that the card describes.
    ///
    /// # Errors
    /// [`Error::Model`] if the hash differs.
    pub fn check(&self, model: &[u8]) -> Result<()> {
        let hash = hex(&Sha256::digest(model));
        if hash == self.sha256 { Ok(()) } else { Err(model_error(&self.file, "its hash is not the one on its card")) }
    }
}

/// Pixels of a crop for each time step of the model.
const STRIDE: usize = 4;
/// Pixels shown left and right of the ink.
const MARGIN: usize = 16;

/// The narrowest window that shows the ink with its margins, and the column at which it starts, a multiple of the
/// model's stride along the line.
fn window(span: &Range<usize>, windows: &[usize]) -> (usize, usize) {
    let start = span.start.saturating_sub(MARGIN) / STRIDE * STRIDE;
    let needed = (span.end + MARGIN).min(CROP_WIDTH) - start;
    let window = windows.iter().position(|&width| width >= needed).unwrap_or(windows.len() - 1);
    (window, start.min(CROP_WIDTH - windows[window]))
}

/// A window of a crop as the model wants it: 1 for ink, 0 for paper.
fn ink(crop: &Crop, start: usize, width: usize) -> Vec<f32> {
    let rows = crop.pixels.chunks(CROP_WIDTH).flat_map(|row| &row[start..start + width]);
    rows.map(|&grey| f32::from(255 - grey) / 255.0).collect()
}

/// The model's scores, cooled by the temperature and normalised for each time step, with what its last layer saw.
fn reading(scores: &[f32], features: &[f32], classes: usize, pass: Pass, temperature: f32) -> Reading {
    let mut log_probs: Vec<f32> = scores.iter().map(|score| score / temperature).collect();
    log_probs.chunks_mut(classes).for_each(normalise);
    let features = Features::keep(pass, features, &log_probs, classes);
    Reading { features: features.into_iter().collect(), ..Reading::new(log_probs, classes) }
}

fn model_error(file: &str, cause: impl std::fmt::Display) -> Error {
    Error::Model { file: file.to_owned(), cause: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::cells::CROP_HEIGHT;
    use crate::reading::{Head, score};

    #[test]
    fn the_models_are_those_on_their_cards() {
        for pass in [Pass::First, Pass::Second] {
            pass.card().unwrap().check(pass.model()).unwrap();
        }
        assert_eq!(Pass::First.card().unwrap().alphabet, Pass::Second.card().unwrap().alphabet);
    }

    /// A cell with an upright stroke.
    fn stroke() -> Crop {
        let mut pixels = vec![250u8; CROP_HEIGHT * CROP_WIDTH];
        for y in 12..36 {
            pixels[y * CROP_WIDTH + 90] = 20;
        }
        Crop { pixels, ink: 24, span: 90..91, rows: 0..1, contrast: 255 }
    }

    #[test]
    fn the_last_layers_are_those_of_the_models() {
        let recogniser = TractRecogniser::embedded().unwrap();
        let crop = stroke();
        let passes = [(Pass::First, recogniser.read(&[&crop])), (Pass::Second, recogniser.read_again(&[&crop]))];
        for (pass, read) in passes {
            let (reading, head) = (read.unwrap().remove(0), Head::embedded(pass).unwrap());
            assert_eq!(head.temperature, pass.card().unwrap().temperature);
            assert!(!reading.features.is_empty(), "{pass:?}");
            for (t, features) in reading.features.iter().flat_map(Features::rows) {
                let mut scores = vec![0.0; head.classes];
                score(&head.weights, &features, &mut scores);
                scores.iter_mut().for_each(|score| *score /= head.temperature);
                normalise(&mut scores);
                let gap = scores.iter().zip(reading.step(t)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                // Features are kept in 256 steps a unit.
                assert!(gap < 0.05, "{pass:?}, step {t}: {gap}");
            }
        }
    }

    #[test]
    fn readings_are_distributions() {
        let recogniser = TractRecogniser::embedded().unwrap();
        let crop = stroke();
        let passes = [recogniser.read(&[&crop]), recogniser.read_again(&[&crop])].map(|read| read.unwrap().remove(0));
        for reading in passes {
            assert_eq!(reading.classes, recogniser.alphabet().classes());
            for t in 0..reading.steps() {
                let sum: f32 = reading.step(t).iter().map(|p| p.exp()).sum();
                assert!((sum - 1.0).abs() < 1e-4, "step {t} sums to {sum}");
            }
        }
    }
}
