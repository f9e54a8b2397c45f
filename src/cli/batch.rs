//! `scoresheet batch`: a folder of photos, resumable, with a report.

use super::{Outcome, Runtime};
use crate::batch::{self, Settings, Triage, WalkLimits};
use crate::error::{Error, Result};
use crate::pipeline::ReadOptions;
use clap::Args;
use std::path::PathBuf;

/// Read a folder of photos: games found and paired, a report, and where it was interrupted it goes on.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Folder with photos, PDF files and ZIP archives, in folders of any depth.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Folder for games, tables and report; given again, the run goes on there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Tournament file with the names: PGN, FIDE TRF16, or a table with the columns Round, Board, White, Black, Result.
    #[arg(long, value_name = "FILE")]
    event: Option<PathBuf>,
    /// Sheets read at the same time, each on one core; as many as there are cores if not given.
    #[arg(long, value_name = "N", value_parser = super::at_least_one::<usize>)]
    jobs: Option<usize>,
    /// Language of all sheets (ISO 639 code); found sheet by sheet if not given.
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// No progress line.
    #[arg(long)]
    quiet: bool,
    /// Let the workers of this queue read the photos: a PostgreSQL database, postgresql://user:password@host/name.
    #[cfg(feature = "queue")]
    #[arg(long, value_name = "ADDRESS")]
    queue: Option<String>,
    /// Folder that this machine and the workers share, or their object store, s3://bucket/prefix.
    #[cfg(feature = "queue")]
    #[arg(long, value_name = "DIR", default_value = "scoresheet-data", requires = "queue")]
    data: PathBuf,
    /// No more photos are queued while so many jobs wait.
    #[cfg(feature = "queue")]
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = super::at_least_one::<usize>, requires = "queue")]
    most_waiting: usize,
    /// What runs the neural network.
    #[arg(long, value_enum, default_value = "tract")]
    runtime: Runtime,
}

pub(super) fn run(args: &BatchArgs) -> Result<Outcome> {
    let mut read = ReadOptions::default();
    read.decode.language = super::language(args.language.as_deref())?;
    let settings = Settings {
        dir: args.dir.clone(),
        out: args.out.clone(),
        jobs: args.jobs.or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1),
        limits: WalkLimits::default(),
        read,
        pairings: args.event.as_deref().map(batch::event::load).transpose()?.unwrap_or_default(),
        quiet: args.quiet,
        #[cfg(feature = "queue")]
        queue: args.queue.clone().map(|database| batch::Queue {
            database,
            data: args.data.clone(),
            most_waiting: args.most_waiting,
        }),
    };
    let recogniser = args.runtime.recogniser()?;
    let stop = super::stop_on_request()?;
    let summary = batch::run(&settings, recogniser.as_ref(), &stop)?;
    if summary.stopped {
        return Err(Error::Usage(format!(
            "stopped after {} photos, which are kept. The same command goes on from there.",
            summary.read_now
        )));
    }
    eprintln!("{}", batch::in_words(&summary));
    eprintln!("Open {} in a browser.", args.out.join("report.html").display());
    Ok(if summary.unread > 0 {
        Outcome::NotRead
    } else if summary.count(Triage::A) == summary.games.len() {
        Outcome::Read
    } else {
        Outcome::ToReview
    })
}
