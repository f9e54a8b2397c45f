//! From cell pictures to lattices of log-probabilities, by an ONNX model.
//!
//! The model is a plain CNN with CTC (see models/README.md). tract runs it without anything installed; the feature
//! `ort` adds ONNX Runtime. Everything downstream sees only the [`Recogniser`] trait, so tests run on fakes.

use super::cells::{CROP_HEIGHT, CROP_WIDTH, Crop};
use crate::error::{Error, Result};
use crate::reading::{Alphabet, Reading};
use rayon::prelude::*;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tract_onnx::prelude::*;

/// Reads cells.
pub trait Recogniser: Send + Sync {
    /// The symbols of the readings' classes.
    fn alphabet(&self) -> &Alphabet;

    /// One reading a crop, in the same order.
    ///
    /// # Errors
    /// [`Error::Model`] if the model fails on an input of the right shape.
    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>>;
}

/// What models/recogniser.json says about the model.
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

/// The model that comes with the program.
pub const MODEL: &[u8] = include_bytes!("../../models/recogniser.onnx");
const CARD: &str = include_str!("../../models/recogniser.json");

impl ModelCard {
    /// The card of [`MODEL`].
    ///
    /// # Errors
    /// [`Error::Model`] if the card cannot be read.
    pub fn embedded() -> Result<Self> {
        serde_json::from_str(CARD).map_err(|error| model_error("recogniser.json", error))
    }

    /// Checks that `model` is the file that the card describes.
    ///
    /// # Errors
    /// [`Error::Model`] if the hash differs.
    pub fn check(&self, model: &[u8]) -> Result<()> {
        let hash: String = Sha256::digest(model).iter().map(|byte| format!("{byte:02x}")).collect();
        if hash == self.sha256 { Ok(()) } else { Err(model_error(&self.file, "its hash is not the one on its card")) }
    }
}

/// The recogniser in pure Rust.
pub struct TractRecogniser {
    plan: Arc<TypedSimplePlan>,
    alphabet: Alphabet,
    temperature: f32,
}

impl TractRecogniser {
    /// Loads the model that comes with the program.
    ///
    /// # Errors
    /// [`Error::Model`] if the model does not load.
    pub fn embedded() -> Result<Self> {
        let card = ModelCard::embedded()?;
        let fail = |error: TractError| model_error(&card.file, error);
        let plan = tract_onnx::onnx()
            .model_for_read(&mut &*MODEL)
            .and_then(|model| {
                model
                    .with_input_fact(0, f32::fact([1, 1, CROP_HEIGHT, CROP_WIDTH]).into())?
                    .into_optimized()?
                    .into_runnable()
            })
            .map_err(fail)?;
        Ok(Self { plan, alphabet: Alphabet::new(card.alphabet.chars()), temperature: card.temperature })
    }
}

impl Recogniser for TractRecogniser {
    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        crops
            .par_iter()
            .map(|crop| {
                let input = Tensor::from_shape(&[1, 1, CROP_HEIGHT, CROP_WIDTH], &ink(crop))?;
                let output = self.plan.run(tvec!(input.into()))?;
                let scores = output[0].to_plain_array_view::<f32>()?;
                let classes = self.alphabet.classes();
                Ok(reading(scores.iter().copied(), classes, self.temperature))
            })
            .collect::<TractResult<Vec<Reading>>>()
            .map_err(|error| model_error("recogniser.onnx", error))
    }
}

/// A crop as the model wants it: 1 for ink, 0 for paper.
fn ink(crop: &Crop) -> Vec<f32> {
    crop.pixels.iter().map(|&grey| f32::from(255 - grey) / 255.0).collect()
}

/// The model's scores, cooled by the temperature and normalised for each time step.
fn reading(scores: impl Iterator<Item = f32>, classes: usize, temperature: f32) -> Reading {
    let mut log_probs: Vec<f32> = scores.map(|score| score / temperature).collect();
    for step in log_probs.chunks_mut(classes) {
        let top = step.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = step.iter().map(|score| (score - top).exp()).sum();
        let log_sum = top + sum.ln();
        step.iter_mut().for_each(|score| *score -= log_sum);
    }
    Reading { log_probs, classes }
}

fn model_error(file: &str, cause: impl std::fmt::Display) -> Error {
    Error::Model { file: file.to_owned(), cause: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_the_one_on_its_card() {
        ModelCard::embedded().unwrap().check(MODEL).unwrap();
    }

    #[test]
    fn readings_are_distributions() {
        let recogniser = TractRecogniser::embedded().unwrap();
        let mut pixels = vec![250u8; CROP_HEIGHT * CROP_WIDTH];
        for y in 12..36 {
            pixels[y * CROP_WIDTH + 90] = 20;
        }
        let readings = recogniser.read(&[&Crop { pixels, ink: 24 }]).unwrap();
        let reading = &readings[0];
        assert_eq!(reading.classes, recogniser.alphabet().classes());
        for t in 0..reading.steps() {
            let sum: f32 = reading.step(t).iter().map(|p| p.exp()).sum();
            assert!((sum - 1.0).abs() < 1e-4, "step {t} sums to {sum}");
        }
    }
}
