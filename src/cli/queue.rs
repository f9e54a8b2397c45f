//! `scoresheet queue`: how the queue stands, and what was put aside.

use super::worker::QueueArgs;
use super::{Outcome, print};
use crate::error::{Error, Result};
use crate::service::{Retry, Store, StoreError};
use clap::Args;
use std::fmt::Write;
use std::time::Duration;

/// Show how many jobs a queue holds and which were put aside after failing several times.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 nothing was put aside, 1 something was, 2 the queue cannot be reached.")]
pub struct StatusArgs {
    #[command(flatten)]
    queue: QueueArgs,
    /// Queue a job that was put aside once more, or all of them.
    #[arg(long, value_name = "ID|all")]
    retry: Option<String>,
    /// Remove files that belong to no job and are this old: what programs leave that die while adding or deleting one.
    #[arg(long, value_name = "HOURS")]
    sweep: Option<u64>,
}

pub(super) fn run(args: &StatusArgs) -> Result<Outcome> {
    let address = args.queue.address()?;
    let said = |error: StoreError| {
        Error::Usage(format!(
            "The queue cannot be used: {error}. Check --queue and --data, and that the database runs."
        ))
    };
    let store = Store::open_shared(&address, &args.queue.data, Retry::default()).map_err(said)?;
    if let Some(which) = args.retry.as_deref() {
        let count = store.revive(Some(which).filter(|&which| which != "all")).map_err(said)?;
        print(&format!("{count} jobs wait once more.\n"))?;
    }
    if let Some(hours) = args.sweep {
        let count = store.sweep(Duration::from_secs(hours.saturating_mul(3600))).map_err(said)?;
        print(&format!("The files of {count} jobs that are gone were removed.\n"))?;
    }
    let overview = store.overview().map_err(said)?;
    let letters = store.dead_letters().map_err(said)?;
    let mut text = String::new();
    for (state, count) in &overview.counts {
        let _ = writeln!(text, "{:10}{count}", state.name());
    }
    let _ = writeln!(text, "The next job has been waiting for {} s.", overview.waiting_seconds);
    for letter in &letters {
        let photos = letter.photos.join(", ");
        let _ = writeln!(
            text,
            "put aside: {} after {} attempts, {}: {} ({photos})",
            letter.id, letter.attempts, letter.updated, letter.problem
        );
    }
    print(&text)?;
    Ok(if letters.is_empty() { Outcome::Read } else { Outcome::ToReview })
}
