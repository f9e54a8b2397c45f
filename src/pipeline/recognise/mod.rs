//! From cell pictures to lattices of log-probabilities, by an ONNX model.
//!
//! The model is a plain CNN with CTC (see models/README.md). tract runs it without anything installed; the feature
//! `ort` adds ONNX Runtime. Everything downstream sees only the [`Recogniser`] trait, so tests run on fakes.

#[cfg(feature = "ort")]
mod onnx_runtime;
mod remembering;

#[cfg(feature = "ort")]
pub use onnx_runtime::OrtRecogniser;
pub(super) use remembering::Remembering;

use super::cells::{CROP_HEIGHT, CROP_WIDTH, Crop};
use crate::error::{Error, Result};
use crate::hex::hex;
use crate::reading::{Alphabet, Reading};
use rayon::prelude::*;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
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
pub const MODEL: &[u8] = include_bytes!("../../../models/recogniser.onnx");
const CARD: &str = include_str!("../../../models/recogniser.json");

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
        let hash = hex(&Sha256::digest(model));
        if hash == self.sha256 { Ok(()) } else { Err(model_error(&self.file, "its hash is not the one on its card")) }
    }
}

/// Widths of the windows that the model looks at, in pixels: the time for a cell goes with its width. In narrower ones it
/// reads the printed numbers worse.
const WINDOWS: [usize; 6] = [96, 112, 128, 144, 160, CROP_WIDTH];
/// Pixels of a crop for each time step of the model.
const STRIDE: usize = 4;
/// Pixels shown left and right of the ink.
const MARGIN: usize = 16;

/// The recogniser in pure Rust.
pub struct TractRecogniser {
    /// For crops of any width, which is a symbol.
    model: TypedModel,
    width: Symbol,
    /// One plan a window, made when it is first needed.
    plans: [OnceLock<TractResult<Arc<TypedSimplePlan>>>; WINDOWS.len()],
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
        let load = || -> TractResult<(TypedModel, Symbol)> {
            let model = tract_onnx::onnx().model_for_read(&mut &*MODEL)?;
            let width = model.symbols.sym("width");
            let shape = [1.into(), 1.into(), CROP_HEIGHT.into(), width.to_dim()];
            let model = model.with_input_fact(0, f32::fact(shape).into())?.into_typed()?.into_decluttered()?;
            Ok((model, width))
        };
        let (model, width) = load().map_err(|error| model_error(&card.file, error))?;
        let alphabet = Alphabet::new(card.alphabet.chars());
        Ok(Self { model, width, plans: Default::default(), alphabet, temperature: card.temperature })
    }

    /// The plan for the window of the given index.
    fn plan(&self, window: usize) -> Result<&Arc<TypedSimplePlan>> {
        let build = || {
            let width = HashMap::from([(self.width.clone(), WINDOWS[window].into())]);
            self.model.set_symbols(&width)?.into_optimized()?.into_runnable()
        };
        self.plans[window].get_or_init(build).as_ref().map_err(|error| model_error("recogniser.onnx", error))
    }
}

impl Recogniser for TractRecogniser {
    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        let windows: Vec<(usize, usize)> = crops.iter().map(|crop| window(&crop.span)).collect();
        let needed: BTreeSet<usize> = windows.iter().map(|&(window, _)| window).collect();
        needed.into_par_iter().try_for_each(|window| self.plan(window).map(|_| ()))?;
        crops
            .par_iter()
            .zip(&windows)
            .map(|(crop, &(window, start))| {
                let plan = self.plan(window)?;
                let run = || -> TractResult<Reading> {
                    let width = WINDOWS[window];
                    let input = Tensor::from_shape(&[1, 1, CROP_HEIGHT, width], &ink(crop, start, width))?;
                    let output = plan.run(tvec!(input.into()))?;
                    let scores = output[0].to_plain_array_view::<f32>()?;
                    Ok(reading(scores.iter().copied(), self.alphabet.classes(), self.temperature))
                };
                run().map_err(|error| model_error("recogniser.onnx", error))
            })
            .collect()
    }
}

/// The narrowest window that shows the ink with its margins, and the column at which it starts, a multiple of the
/// model's stride along the line.
fn window(span: &Range<usize>) -> (usize, usize) {
    let start = span.start.saturating_sub(MARGIN) / STRIDE * STRIDE;
    let needed = (span.end + MARGIN).min(CROP_WIDTH) - start;
    let window = WINDOWS.iter().position(|&width| width >= needed).unwrap_or(WINDOWS.len() - 1);
    (window, start.min(CROP_WIDTH - WINDOWS[window]))
}

/// A window of a crop as the model wants it: 1 for ink, 0 for paper.
fn ink(crop: &Crop, start: usize, width: usize) -> Vec<f32> {
    let rows = crop.pixels.chunks(CROP_WIDTH).flat_map(|row| &row[start..start + width]);
    rows.map(|&grey| f32::from(255 - grey) / 255.0).collect()
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
    Reading::new(log_probs, classes)
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
        let readings = recogniser.read(&[&Crop { pixels, ink: 24, span: 90..91, rows: 0..1, contrast: 255 }]).unwrap();
        let reading = &readings[0];
        assert_eq!(reading.classes, recogniser.alphabet().classes());
        for t in 0..reading.steps() {
            let sum: f32 = reading.step(t).iter().map(|p| p.exp()).sum();
            assert!((sum - 1.0).abs() < 1e-4, "step {t} sums to {sum}");
        }
    }
}
