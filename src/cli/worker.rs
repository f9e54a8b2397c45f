//! `scoresheet worker`: reads what others queue.

use super::{Outcome, Runtime};
use crate::error::{Error, Result};
use crate::service::{Retry, Service, Settings, work};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Read jobs that `serve` and `batch` put into a queue. Any number may run; each may end or die at any time.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    #[command(flatten)]
    queue: QueueArgs,
    /// Sheets read at the same time, each on one core; as many as there are cores if not given.
    #[arg(long, value_name = "N", value_parser = super::at_least_one::<usize>)]
    jobs: Option<usize>,
    /// End when no job waits or is being read.
    #[arg(long)]
    until_empty: bool,
    /// Time after which a worker that gives no sign of life loses its job, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    lease: u64,
    /// Times that a job is begun before it is put aside.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    attempts: u32,
    /// Wait before the second attempt, in seconds; twice as long before each further one.
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    retry_after: u64,
    /// Longest time for one job, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = super::at_least_one::<u64>)]
    time_limit: u64,
    /// What runs the neural network.
    #[arg(long, value_enum, default_value = "tract")]
    runtime: Runtime,
}

/// Where the queue is.
#[derive(Debug, Args)]
pub(super) struct QueueArgs {
    /// PostgreSQL database, as postgresql://user:password@host/name; SCORESHEET_QUEUE is looked up if not given.
    #[arg(long, value_name = "ADDRESS")]
    queue: Option<String>,
    /// Photos and games: a folder that all machines share, or an object store, s3://bucket/prefix (see docs/scale.md).
    #[arg(long, value_name = "DIR", default_value = "scoresheet-data")]
    pub data: PathBuf,
}

impl QueueArgs {
    pub(super) fn address(&self) -> Result<String> {
        address(self.queue.as_deref()).ok_or_else(|| {
            Error::Usage("The queue is not known. Give its address with --queue or in SCORESHEET_QUEUE.".to_owned())
        })
    }
}

/// The address of the queue, from the command line or the environment.
pub(super) fn address(given: Option<&str>) -> Option<String> {
    given.map(str::to_owned).or_else(|| std::env::var("SCORESHEET_QUEUE").ok()).filter(|address| !address.is_empty())
}

pub(super) fn run(args: &WorkerArgs) -> Result<Outcome> {
    tracing_subscriber::fmt().json().with_writer(std::io::stderr).init();
    let mut settings = Settings::new(args.queue.data.clone());
    settings.database = Some(args.queue.address()?);
    settings.workers = args.jobs.or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1);
    settings.one_core = true;
    settings.time_limit = Duration::from_secs(args.time_limit);
    settings.retry = Retry {
        attempts: args.attempts,
        wait: Duration::from_secs(args.retry_after),
        lease: Duration::from_secs(args.lease),
    };
    let recogniser = Arc::from(args.runtime.recogniser()?);
    let stop = super::stop_on_request()?;
    let service = Service::open(settings, recogniser).map_err(|error| {
        Error::Usage(format!(
            "The queue cannot be used: {error}. Check --queue and --data, and that the database runs."
        ))
    })?;
    work(&service, &stop, args.until_empty)
        .map_err(|cause| Error::Usage(format!("No thread can be started: {cause}. Give a smaller --jobs.")))?;
    Ok(Outcome::Read)
}
