//! The recogniser on ONNX Runtime, whose shared library is loaded when it is asked for.

use super::{Pass, Recogniser, ink, model_error, reading, window};
use crate::error::{Error, Result};
use crate::pipeline::cells::{CROP_HEIGHT, Crop};
use crate::reading::{Alphabet, Reading};
use ort::session::Session;
use ort::value::TensorRef;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Cells that run as one batch.
const BATCH: usize = 32;

/// The recogniser on ONNX Runtime.
pub struct OrtRecogniser {
    first: Network,
    second: Network,
    alphabet: Alphabet,
}

impl OrtRecogniser {
    /// Loads the shared library, named by the environment variable `ORT_DYLIB_PATH` or lying where the system looks
    /// for libraries, and the models that come with the program.
    ///
    /// # Errors
    /// [`Error::Runtime`] if there is no such library, [`Error::Model`] if a model does not load.
    pub fn embedded() -> Result<Self> {
        let library = library();
        let missing = |cause: String| Error::Runtime { library: library.display().to_string(), cause };
        // The loader panics on a library that it cannot open.
        if library.components().count() > 1 && !library.exists() {
            return Err(missing("there is no such file".to_owned()));
        }
        let environment = ort::init_from(&library)
            .map_err(|error| missing(error.to_string()))?
            .build()
            .map_err(|error| missing(error.to_string()))?;
        let load = |pass: Pass| -> Result<Network> {
            let card = pass.card()?;
            let session = Session::builder(&environment)
                .and_then(|mut builder| builder.commit_from_memory(pass.model()))
                .map_err(|error| model_error(&card.file, error))?;
            Ok(Network {
                pass,
                file: card.file,
                windows: pass.windows(),
                session: Mutex::new(session),
                temperature: card.temperature,
            })
        };
        let alphabet = Alphabet::new(Pass::First.card()?.alphabet.chars());
        Ok(Self { first: load(Pass::First)?, second: load(Pass::Second)?, alphabet })
    }
}

impl Recogniser for OrtRecogniser {
    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        self.first.read(crops, &self.alphabet)
    }

    fn read_again(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        self.second.read(crops, &self.alphabet)
    }
}

/// One model.
struct Network {
    pass: Pass,
    file: String,
    windows: &'static [usize],
    session: Mutex<Session>,
    temperature: f32,
}

impl Network {
    /// Runs cells that are seen through the same window.
    fn run(&self, crops: &[(&Crop, usize)], width: usize, classes: usize) -> ort::Result<Vec<Reading>> {
        let pixels: Vec<f32> = crops.iter().flat_map(|(crop, start)| ink(crop, *start, width)).collect();
        let input = TensorRef::from_array_view(([crops.len(), 1, CROP_HEIGHT, width], pixels.as_slice()))?;
        let mut session = self.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let outputs = session.run(ort::inputs![input])?;
        let ((_, scores), (_, features)) =
            (outputs[0].try_extract_tensor::<f32>()?, outputs[1].try_extract_tensor::<f32>()?);
        let [scores, features] = [scores, features].map(|all| all.chunks(all.len() / crops.len()));
        let read = |(scores, features)| reading(scores, features, classes, self.pass, self.temperature);
        Ok(scores.zip(features).map(read).collect())
    }

    fn read(&self, crops: &[&Crop], alphabet: &Alphabet) -> Result<Vec<Reading>> {
        let mut readings: Vec<Option<Reading>> = vec![None; crops.len()];
        for (index, width) in self.windows.iter().copied().enumerate() {
            let here: Vec<(usize, usize)> = (0..crops.len())
                .filter_map(|i| Some(window(&crops[i].span, self.windows)).filter(|w| w.0 == index).map(|w| (i, w.1)))
                .collect();
            for batch in here.chunks(BATCH) {
                let cells: Vec<(&Crop, usize)> = batch.iter().map(|&(i, start)| (crops[i], start)).collect();
                let read = self.run(&cells, width, alphabet.classes());
                let read = read.map_err(|error| model_error(&self.file, error))?;
                batch.iter().zip(read).for_each(|(&(i, _), reading)| readings[i] = Some(reading));
            }
        }
        Ok(readings.into_iter().flatten().collect())
    }
}

/// Where the shared library is looked for.
fn library() -> PathBuf {
    let name = if cfg!(windows) {
        "onnxruntime.dll"
    } else if cfg!(target_os = "macos") {
        "libonnxruntime.dylib"
    } else {
        "libonnxruntime.so"
    };
    std::env::var_os("ORT_DYLIB_PATH").map_or_else(|| Path::new(name).to_path_buf(), PathBuf::from)
}
