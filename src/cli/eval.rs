//! `scoresheet eval`: accuracy and speed on labelled sheets.

use super::{Outcome, Runtime, print};
use crate::decode::{ConfidenceModel, Without};
use crate::error::{Error, Result};
use crate::eval::{Dataset, Sample, evaluate};
use crate::pipeline::ReadOptions;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Measure accuracy and speed on labelled sheets.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Folders with pages/, written.csv and played.csv.
    #[arg(value_name = "DATASET", required = true)]
    datasets: Vec<PathBuf>,
    /// Read at most this many sheets.
    #[arg(long)]
    limit: Option<usize>,
    /// Only games whose number divides by this: the validation split of the model that comes along is 6.
    #[arg(long, value_name = "N")]
    every: Option<u32>,
    /// Read the two sheets of a game together; games with one sheet are left out.
    #[arg(long)]
    two_sheets: bool,
    /// Keep what is seen on the photos in this folder, and take it from there the next time: for work on the decoder.
    #[arg(long, value_name = "DIR")]
    inks: Option<PathBuf>,
    /// Fit the confidence model on the games whose number does not divide by N of --every (all games without it),
    /// single sheets and pairs, and write it to this file; the program has to be built again with it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["two_sheets", "limit"])]
    fit: Option<PathBuf>,
    /// With --fit: how many plies in a thousand may be called clear and be wrong on the games of the fit.
    #[arg(long, value_name = "PER_1000", default_value_t = 3.5)]
    false_clear: f64,
    /// Judge with the confidence model of this file, as --fit writes it, instead of the one that comes along.
    #[arg(long, value_name = "FILE", conflicts_with = "fit")]
    confidence: Option<PathBuf>,
    /// Parts of the decoder to do without, to see what they are worth.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    without: Vec<Part>,
    /// What runs the neural network.
    #[arg(long, value_enum, default_value = "tract")]
    runtime: Runtime,
}

/// A part of the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// What a sheet teaches about its writer's spelling.
    Habits,
    /// Wrong squares and letters, moves left out, cells passed over.
    Slips,
    /// What people play.
    Prior,
}

pub(super) fn run(args: &EvalArgs) -> Result<Outcome> {
    if let Some(path) = &args.fit {
        return fit(args, path);
    }
    let recogniser = args.runtime.recogniser()?;
    let options = args.options()?;
    for folder in &args.datasets {
        let mut dataset = args.open(folder, args.two_sheets)?;
        dataset.select(args.every, args.limit);
        let mut report = |line: &str| eprintln!("{line}");
        let figures = evaluate(&dataset, recogniser.as_ref(), &options, &mut report)?;
        print(&(json(&figures)? + "\n"))?;
    }
    Ok(Outcome::Read)
}

fn fit(args: &EvalArgs, path: &Path) -> Result<Outcome> {
    let recogniser = args.runtime.recogniser()?;
    let options = args.options()?;
    let mut sample = Sample::default();
    for folder in &args.datasets {
        // Sheets are mostly read one by one, but what a second sheet is worth has to be learned as well.
        for two_sheets in [false, true] {
            let Ok(mut dataset) = args.open(folder, two_sheets) else { continue };
            dataset.select_others(args.every.unwrap_or(u32::MAX));
            sample.add(&dataset, recogniser.as_ref(), &options)?;
        }
    }
    let model = json(&sample.fit(args.false_clear / 1000.0))?;
    std::fs::write(path, model + "\n").map_err(|cause| Error::Write { path: path.display().to_string(), cause })?;
    Ok(Outcome::Read)
}

impl EvalArgs {
    fn options(&self) -> Result<ReadOptions> {
        let off = |part| self.without.contains(&part);
        let mut options = ReadOptions::default();
        options.decode.without =
            Without { habits: off(Part::Habits), slips: off(Part::Slips), prior: off(Part::Prior) };
        if let Some(path) = &self.confidence {
            let open = |cause| Error::Open { path: path.display().to_string(), cause };
            let model = ConfidenceModel::parse(&std::fs::read_to_string(path).map_err(open)?);
            let other =
                || Error::Usage(format!("{}: no confidence model of this version; fit it again", path.display()));
            options.decode.confidence = Some(model.ok_or_else(other)?);
        }
        Ok(options)
    }

    fn open(&self, folder: &Path, two_sheets: bool) -> Result<Dataset> {
        let mut dataset = Dataset::open(folder, two_sheets)?;
        let set = folder.file_name().unwrap_or_default();
        dataset.keep_inks(self.inks.as_ref().map(|inks| inks.join(set)));
        Ok(dataset)
    }
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(|error| Error::Usage(error.to_string()))
}
