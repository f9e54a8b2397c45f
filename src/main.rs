//! The command line: parse, run, say what went wrong, set the exit status.

use clap::Parser;
use scoresheet::cli::{Cli, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            eprintln!("scoresheet: {error}");
            ExitCode::from(2)
        }
    }
}
