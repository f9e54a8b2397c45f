//! The recogniser in pure Rust.

use super::{ModelCard, Pass, Recogniser, ink, model_error, reading, window};
use crate::error::Result;
use crate::pipeline::cells::{CROP_HEIGHT, Crop};
use crate::reading::{Alphabet, Reading};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};
use tract_onnx::prelude::*;

/// The recogniser in pure Rust.
pub struct TractRecogniser {
    first: Network,
    /// Loaded beside whatever else is done first.
    second: Arc<OnceLock<TractResult<Network>>>,
    second_card: ModelCard,
    alphabet: Alphabet,
}

impl TractRecogniser {
    /// Loads the models that come with the program.
    ///
    /// # Errors
    /// [`Error::Model`](crate::error::Error::Model) if the first model does not load.
    pub fn embedded() -> Result<Self> {
        let [card, second_card] = [Pass::First.card()?, Pass::Second.card()?];
        let alphabet = Alphabet::new(card.alphabet.chars());
        let first = Network::load(Pass::First, &card).map_err(|error| model_error(&card.file, error))?;
        let recogniser = Self { first, second: Arc::default(), second_card, alphabet };
        let (second, card) = (Arc::clone(&recogniser.second), recogniser.second_card.clone());
        // Where no thread is to be had, it is loaded when it is needed.
        let _ = std::thread::Builder::new().spawn(move || {
            let network = second.get_or_init(|| Network::load(Pass::Second, &card));
            network.iter().for_each(Network::make_plans);
        });
        Ok(recogniser)
    }
}

impl Recogniser for TractRecogniser {
    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        self.first.read(crops, &self.alphabet)
    }

    fn read_again(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        if crops.is_empty() {
            return Ok(Vec::new());
        }
        let second = self.second.get_or_init(|| Network::load(Pass::Second, &self.second_card));
        second.as_ref().map_err(|error| model_error(&self.second_card.file, error))?.read(crops, &self.alphabet)
    }
}

/// One model.
struct Network {
    pass: Pass,
    file: String,
    /// For crops of any width, which is a symbol.
    model: TypedModel,
    width: Symbol,
    /// One plan a window, made when it is first needed.
    plans: Vec<OnceLock<TractResult<Arc<TypedSimplePlan>>>>,
    windows: &'static [usize],
    temperature: f32,
}

impl Network {
    fn load(pass: Pass, card: &ModelCard) -> TractResult<Self> {
        let model = tract_onnx::onnx().model_for_read(&mut pass.model())?;
        let width = model.symbols.sym("width");
        let shape = [1.into(), 1.into(), CROP_HEIGHT.into(), width.to_dim()];
        let model = model.with_input_fact(0, f32::fact(shape).into())?.into_typed()?.into_decluttered()?;
        let (file, temperature, windows) = (card.file.clone(), card.temperature, pass.windows());
        let plans = windows.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { pass, file, model, width, plans, windows, temperature })
    }

    /// The plan for the window of the given index.
    fn plan(&self, window: usize) -> Result<&Arc<TypedSimplePlan>> {
        let build = || {
            let width = HashMap::from([(self.width.clone(), self.windows[window].into())]);
            self.model.set_symbols(&width)?.into_optimized()?.into_runnable()
        };
        self.plans[window].get_or_init(build).as_ref().map_err(|error| model_error(&self.file, error))
    }

    /// Makes all plans, which each take a while, before they are needed; a plan that cannot be made is told of then.
    fn make_plans(&self) {
        (0..self.windows.len()).for_each(|window| _ = self.plan(window));
    }

    fn read(&self, crops: &[&Crop], alphabet: &Alphabet) -> Result<Vec<Reading>> {
        let windows: Vec<(usize, usize)> = crops.iter().map(|crop| window(&crop.span, self.windows)).collect();
        let needed: BTreeSet<usize> = windows.iter().map(|&(window, _)| window).collect();
        needed.into_par_iter().try_for_each(|window| self.plan(window).map(|_| ()))?;
        crops
            .par_iter()
            .zip(&windows)
            .map(|(crop, &(window, start))| {
                let plan = self.plan(window)?;
                let run = || -> TractResult<Reading> {
                    let width = self.windows[window];
                    let input = Tensor::from_shape(&[1, 1, CROP_HEIGHT, width], &ink(crop, start, width))?;
                    let output = plan.run(tvec!(input.into()))?;
                    let [scores, features] = [&output[0], &output[1]].map(|output| output.to_plain_array_view::<f32>());
                    let [scores, features]: [Vec<f32>; 2] =
                        [scores?, features?].map(|view| view.iter().copied().collect());
                    Ok(reading(&scores, &features, alphabet.classes(), self.pass, self.temperature))
                };
                run().map_err(|error| model_error(&self.file, error))
            })
            .collect()
    }
}
