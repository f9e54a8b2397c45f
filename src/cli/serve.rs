//! `scoresheet serve`: the HTTP service.

use super::{Outcome, Runtime, print};
use crate::error::{Error, Result};
use crate::service::{Keys, Service, Settings, is_bucket, serve};
use clap::Args;
use std::fs::{File, TryLockError};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Take photos over HTTP and let people review the games in a browser.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen at; only this machine reaches the usual one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8750")]
    listen: SocketAddr,
    /// Folder for photos and games; made if need be.
    #[arg(long, value_name = "DIR", default_value = "scoresheet-data")]
    data: PathBuf,
    /// File with a line `NAME HASH` for each API key; without it, anyone who reaches the address may use the service.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Make a key for NAME, print it with its line for the file of keys, and end.
    #[arg(long, value_name = "NAME")]
    new_key: Option<String>,
    /// A name under which browsers address the service, besides localhost and plain addresses.
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// Delete jobs that nobody touched for this many days.
    #[arg(long, value_name = "DAYS", value_parser = super::at_least_one::<u32>)]
    keep_days: Option<u32>,
    /// Longest time for one job, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = super::at_least_one::<u64>)]
    time_limit: u64,
    /// Jobs read at the same time by this process; one alone uses all cores for most of its work. 1 if not given, and
    /// 0 with --queue.
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Let the workers of this queue read the photos: a PostgreSQL database, postgresql://user:password@host/name, or
    /// SCORESHEET_QUEUE. They and this process share --data, a folder or an object store, s3://bucket/prefix.
    #[cfg(feature = "queue")]
    #[arg(long, value_name = "ADDRESS")]
    queue: Option<String>,
    /// Most jobs that may wait.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = super::at_least_one::<usize>)]
    most_waiting: usize,
    /// What runs the neural network.
    #[arg(long, value_enum, default_value = "tract")]
    runtime: Runtime,
}

pub(super) fn run(args: &ServeArgs) -> Result<Outcome> {
    if let Some(name) = &args.new_key {
        let (key, line) = Keys::make(name)?;
        print(&format!("Key, shown only now: {key}\nLine for the file of keys: {line}\n"))?;
        return Ok(Outcome::Read);
    }
    tracing_subscriber::fmt().json().with_writer(std::io::stderr).init();
    let mut settings = Settings::new(args.data.clone());
    settings.keys = args.keys.as_deref().map(Keys::load).transpose()?;
    settings.hosts.clone_from(&args.host_name);
    settings.keep = args.keep_days.map(|days| Duration::from_secs(u64::from(days) * 24 * 3600));
    settings.time_limit = Duration::from_secs(args.time_limit);
    #[cfg(feature = "queue")]
    {
        settings.database = super::worker::address(args.queue.as_deref());
    }
    settings.workers = args.workers.unwrap_or(usize::from(settings.database.is_none()));
    settings.queue = args.most_waiting;
    if settings.workers == 0 && settings.database.is_none() {
        let sentence =
            "With --workers 0 nothing is ever read. Give 1 or more, or a queue that others read with --queue.";
        return Err(Error::Usage(sentence.to_owned()));
    }
    if !args.listen.ip().is_loopback() && settings.keys.is_none() {
        eprintln!(
            "scoresheet: {} can be reached from other machines and asks for no key; --keys FILE changes that.",
            args.listen
        );
    }
    let folder = |cause: String| {
        Error::Usage(format!("{}: {cause}. Check that it can be reached and written to.", args.data.display()))
    };
    let alone = settings.database.is_none() && !is_bucket(&args.data);
    let _held = if alone { Some(hold(&args.data)?) } else { None };
    let recogniser = Arc::from(args.runtime.recogniser()?);
    let service = Service::open(settings, recogniser).map_err(|error| folder(error.to_string()))?;
    let told = |address| eprintln!("scoresheet: open http://{address}/ in a browser; Ctrl-C ends the service.");
    serve(&service, args.listen, told).map_err(|cause| {
        Error::Usage(format!("{} cannot be listened at: {cause}. Choose another with --listen.", args.listen))
    })?;
    Ok(Outcome::Read)
}

/// Keeps other services away from a data folder until the file is closed.
fn hold(data: &Path) -> Result<File> {
    let path = data.join("jobs.lock");
    let opened = std::fs::create_dir_all(data).and_then(|()| File::create(&path));
    let file = opened.map_err(|cause| Error::Write { path: path.display().to_string(), cause })?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::Usage(format!(
            "{} is in use by another scoresheet serve. End that one, or give another folder with --data.",
            data.display()
        ))),
        // Some network file systems know no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}
