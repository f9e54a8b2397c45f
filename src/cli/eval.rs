//! `scoresheet eval`: accuracy and speed on labelled sheets.

use super::{Outcome, Runtime, print};
use crate::error::{Error, Result};
use crate::eval::{Dataset, evaluate};
use crate::pipeline::ReadOptions;
use clap::Args;
use std::path::PathBuf;

/// Measure accuracy and speed on labelled sheets.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Folder with pages/, written.csv and played.csv.
    #[arg(value_name = "DATASET")]
    dataset: PathBuf,
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
    /// What runs the neural network.
    #[arg(long, value_enum, default_value = "tract")]
    runtime: Runtime,
}

pub(super) fn run(args: &EvalArgs) -> Result<Outcome> {
    let mut dataset = Dataset::open(&args.dataset, args.two_sheets)?;
    dataset.select(args.every, args.limit);
    dataset.keep_inks(args.inks.clone());
    let recogniser = args.runtime.recogniser()?;
    let figures = evaluate(&dataset, recogniser.as_ref(), &ReadOptions::default(), &mut |line| eprintln!("{line}"))?;
    let json = serde_json::to_string_pretty(&figures).map_err(|error| Error::Usage(error.to_string()))?;
    print(&(json + "\n"))?;
    Ok(Outcome::Read)
}
