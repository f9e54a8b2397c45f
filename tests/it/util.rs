//! Running the program and finding the data.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of samples/.
pub fn sample(name: &str) -> PathBuf {
    root().join("samples").join(name)
}

/// Runs the program with the given arguments.
pub fn scoresheet<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_scoresheet")).args(args).output().expect("the program starts")
}

/// The labelled real sheets, where they are at hand. Says so where they are not.
pub fn real_sheets(set: &str) -> Option<PathBuf> {
    let dir = root().join("../shared/data").join(set);
    if dir.join("written.csv").exists() {
        return Some(dir);
    }
    eprintln!("skipped: the labelled sheets of {set} are not on this machine");
    None
}

/// A line from a table of comma-separated values with the columns page, number, colour, written.
pub struct Label {
    pub page: String,
    pub number: u32,
    pub colour: String,
    pub written: String,
}

/// The labels of samples/NAME.written.csv.
pub fn labels(name: &str) -> Vec<Label> {
    let text = std::fs::read_to_string(sample(&format!("{name}.written.csv"))).expect("the sample has labels");
    text.lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.splitn(4, ',').map(|field| field.trim_matches('"').to_owned());
            let mut next = || fields.next().unwrap_or_default();
            Label { page: next(), number: next().parse().expect("a move number"), colour: next(), written: next() }
        })
        .collect()
}
