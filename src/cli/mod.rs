//! The command line, one file a command.

mod batch;
mod eval;
mod inspect;
mod notate;
#[cfg(feature = "queue")]
mod queue;
mod read;
#[cfg(feature = "service")]
mod serve;
#[cfg(feature = "queue")]
mod worker;

use crate::error::{Error, Result};
use crate::notation::Language;
use crate::pipeline::PhotoFile;
use crate::pipeline::recognise::{Recogniser, TractRecogniser};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Reads photos of handwritten chess scoresheets into PGN.
#[derive(Debug, Parser)]
#[command(version, about, after_help = "Exit status: 0 read, 1 read with moves to review, 2 not read.")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Read(read::ReadArgs),
    Batch(batch::BatchArgs),
    Inspect(inspect::InspectArgs),
    Eval(eval::EvalArgs),
    Notate(notate::NotateArgs),
    #[cfg(feature = "service")]
    Serve(serve::ServeArgs),
    #[cfg(feature = "queue")]
    Worker(worker::WorkerArgs),
    #[cfg(feature = "queue")]
    Queue(queue::StatusArgs),
}

/// What runs the neural network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Runtime {
    /// Pure Rust, built in.
    Tract,
    /// ONNX Runtime, loaded from its shared library.
    #[cfg(feature = "ort")]
    Ort,
}

impl Runtime {
    fn recogniser(self) -> Result<Box<dyn Recogniser>> {
        Ok(match self {
            Self::Tract => Box::new(TractRecogniser::embedded()?),
            #[cfg(feature = "ort")]
            Self::Ort => Box::new(crate::pipeline::recognise::OrtRecogniser::embedded()?),
        })
    }
}

/// What the exit status says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every move is clear.
    Read,
    /// Some moves are for a person to look at.
    ToReview,
    /// Something was not read.
    NotRead,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Read => ExitCode::SUCCESS,
            Outcome::ToReview => ExitCode::from(1),
            Outcome::NotRead => ExitCode::from(2),
        }
    }
}

/// Runs a command.
///
/// # Errors
/// Whatever kept the command from its work, in words for the person who gave it.
pub fn run(cli: &Cli) -> Result<Outcome> {
    match &cli.command {
        Command::Read(args) => read::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Notate(args) => notate::run(args),
        #[cfg(feature = "service")]
        Command::Serve(args) => serve::run(args),
        #[cfg(feature = "queue")]
        Command::Worker(args) => worker::run(args),
        #[cfg(feature = "queue")]
        Command::Queue(args) => queue::run(args),
    }
}

fn load(path: &Path) -> Result<PhotoFile> {
    let bytes = std::fs::read(path).map_err(|cause| Error::Open { path: path.display().to_string(), cause })?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(PhotoFile::new(name, bytes))
}

/// A number that may not be zero, on the command line.
fn at_least_one<T: std::str::FromStr + PartialOrd + From<u8>>(text: &str) -> std::result::Result<T, String> {
    text.parse().ok().filter(|number| *number >= T::from(1)).ok_or_else(|| "give a whole number, 1 or more".to_owned())
}

/// Checks the code of a language that was asked for.
fn language(code: Option<&str>) -> Result<Option<String>> {
    match code {
        Some(code) if Language::find(code).is_none() => Err(Error::Usage(format!(
            "\"{code}\" is no language whose piece letters are known. Give an ISO 639 code such as en, de, fr, es, or leave --language out."
        ))),
        code => Ok(code.map(str::to_owned)),
    }
}

/// Prints to standard output; a reader that has gone away is no error.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Write { path: "standard output".to_owned(), cause })
        }
        _ => Ok(()),
    }
}

/// Set by Ctrl-C and SIGTERM. A second Ctrl-C ends the program at once, which loses the sheets in hand only.
fn stop_on_request() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let registered = signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)));
        registered.map_err(|cause| Error::Usage(format!("Ctrl-C cannot be caught: {cause}")))?;
    }
    Ok(stop)
}
