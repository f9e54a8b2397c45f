//! `scoresheet serve`: the HTTP service.

use super::{Outcome, Runtime, print};
use crate::error::{Error, Result};
use crate::service::{Keys, Service, Settings, serve};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
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
    #[arg(long, value_name = "DAYS")]
    keep_days: Option<u64>,
    /// Longest time for one job, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
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
    #[arg(long, value_name = "N", default_value_t = 2000)]
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
    settings.keep = args.keep_days.map(|days| Duration::from_secs(days * 24 * 3600));
    settings.time_limit = Duration::from_secs(args.time_limit);
    #[cfg(feature = "queue")]
    {
        settings.database = super::worker::address(args.queue.as_deref());
    }
    settings.workers = args.workers.unwrap_or(usize::from(settings.database.is_none()));
    settings.queue = args.most_waiting;
    if !args.listen.ip().is_loopback() && settings.keys.is_none() {
        eprintln!(
            "scoresheet: {} can be reached from other machines and asks for no key; --keys FILE changes that.",
            args.listen
        );
    }
    let recogniser = Arc::from(args.runtime.recogniser()?);
    let folder = |cause: String| {
        Error::Usage(format!("{}: {cause}. Check that it can be reached and written to.", args.data.display()))
    };
    let service = Service::open(settings, recogniser).map_err(|error| folder(error.to_string()))?;
    let told = |address| eprintln!("scoresheet: open http://{address}/ in a browser; Ctrl-C ends the service.");
    serve(&service, args.listen, told).map_err(|cause| {
        Error::Usage(format!("{} cannot be listened at: {cause}. Choose another with --listen.", args.listen))
    })?;
    Ok(Outcome::Read)
}
