//! `scoresheet serve`: upload, watch, review and correct over HTTP, with a page for people.
//!
//! `api` answers requests, `store` keeps jobs, [`work`] reads them, `guard` keeps out what should not come in,
//! `assets` holds the page. Everything runs in one process and nothing is called outside, unless a database is given
//! for sharing the work with other processes: those that answer requests and those that only read.

mod api;
mod assets;
mod corrections;
mod desks;
mod guard;
mod metrics;
mod pictures;
mod problem;
mod store;
mod upload;
mod work;

pub use guard::Keys;
pub use problem::Problem;
#[cfg(feature = "queue")]
pub use store::{DeadLetter, Overview};
pub use store::{Job, Kind, PhotoEntry, Retry, State, Store, StoreError, is_bucket};

use crate::pipeline::photo::ingest::IngestLimits;
use crate::pipeline::recognise::Recogniser;
use axum::Router;
use desks::Desks;
use metrics::Metrics;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Semaphore, broadcast};

/// How the service runs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Folder, or with a database also the address of an object store, such as `s3://bucket/prefix`.
    pub data: PathBuf,
    /// Address of a PostgreSQL database, for sharing jobs and `data` with other processes.
    pub database: Option<String>,
    /// Threads that read jobs.
    pub workers: usize,
    /// Each of them reads on one core, which reads more jobs an hour; else each uses all cores where it can, which
    /// reads a single job sooner.
    pub one_core: bool,
    pub retry: Retry,
    /// Of each photo.
    pub limits: IngestLimits,
    /// Largest body of a request, in bytes.
    pub body: usize,
    /// Most photos in one job.
    pub pages: usize,
    /// Most jobs waiting, of all owners and of one.
    pub queue: usize,
    pub queue_of_one: usize,
    /// Longest time for one job.
    pub time_limit: Duration,
    /// Jobs untouched for this long are deleted.
    pub keep: Option<Duration>,
    /// Who may use the service; anyone who reaches it if none.
    pub keys: Option<Keys>,
    /// Names, besides those of the loopback interface, under which browsers may address the service.
    pub hosts: Vec<String>,
}

impl Settings {
    /// The usual settings for a data folder.
    pub fn new(data: PathBuf) -> Self {
        Self {
            data,
            database: None,
            workers: 1,
            one_core: false,
            retry: Retry::default(),
            limits: IngestLimits::default(),
            body: 128 << 20,
            pages: 12,
            queue: 2000,
            queue_of_one: 1000,
            time_limit: Duration::from_secs(60),
            keep: None,
            keys: None,
            hosts: Vec::new(),
        }
    }
}

/// What requests and readers share.
pub struct Service {
    settings: Settings,
    store: Store,
    recogniser: Arc<dyn Recogniser>,
    metrics: Metrics,
    pictures: pictures::Cache,
    desks: Desks,
    /// Held while a photo that comes in is decoded: a large one takes hundreds of MB.
    taking_in: Arc<Semaphore>,
    /// What the readers of this process read now.
    in_hand: Mutex<Vec<work::InHand>>,
    /// Ids of jobs that changed.
    changes: broadcast::Sender<String>,
    /// Held with `wake` alone: the queue itself is in the store.
    queued: Mutex<()>,
    wake: Condvar,
    stopping: AtomicBool,
}

/// Photos that are decoded at the same time as they come in, whatever the number of uploads.
const TAKEN_IN_AT_ONCE: usize = 2;

/// How many changes a slow listener may be behind; it looks at the job itself then.
const CHANGES: usize = 256;

impl Service {
    /// Opens the data folder, and the database if one is given.
    ///
    /// # Errors
    /// Where they cannot be used.
    pub fn open(settings: Settings, recogniser: Arc<dyn Recogniser>) -> Result<Arc<Self>, StoreError> {
        let store = match settings.database.as_deref() {
            #[cfg(feature = "queue")]
            Some(address) => Store::open_shared(address, &settings.data, settings.retry)?,
            #[cfg(not(feature = "queue"))]
            Some(_) => return Err(StoreError::Database("this program was built without PostgreSQL".to_owned())),
            None => Store::open(&settings.data, settings.retry)?,
        };
        Ok(Arc::new(Self {
            settings,
            store,
            recogniser,
            metrics: Metrics::default(),
            pictures: pictures::Cache::default(),
            desks: Desks::default(),
            taking_in: Arc::new(Semaphore::new(TAKEN_IN_AT_ONCE)),
            in_hand: Mutex::default(),
            changes: broadcast::Sender::new(CHANGES),
            queued: Mutex::new(()),
            wake: Condvar::new(),
            stopping: AtomicBool::new(false),
        }))
    }

    /// The jobs.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Starts the readers.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(self: &Arc<Self>) -> std::io::Result<Vec<JoinHandle<()>>> {
        if let Some(keep) = self.settings.keep {
            let service = Arc::clone(self);
            std::thread::Builder::new().name("retention".to_owned()).spawn(move || service.forget_old(keep))?;
        }
        work::start(self)
    }

    /// Asks the readers to end; a game in hand goes back to the queue, a page in hand is finished.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.wake.notify_all();
        self.tell("");
    }

    /// Every address of the service.
    pub fn router(self: &Arc<Self>) -> Router {
        guard::wrap(api::routes().merge(assets::routes()), self).with_state(Arc::clone(self))
    }

    /// Tells listeners that a job changed.
    fn tell(&self, id: &str) {
        // No listener is no error.
        drop(self.changes.send(id.to_owned()));
    }

    fn forget_old(&self, keep: Duration) {
        while !self.stopping.load(Ordering::Relaxed) {
            if let Ok(before) = jiff::Timestamp::now().checked_sub(keep) {
                match self.store.delete_before(&before.to_string()) {
                    Ok(0) => {}
                    Ok(jobs) => {
                        self.desks.clear();
                        self.pictures.clear();
                        tracing::info!(jobs, "deleted jobs past their retention time");
                    }
                    Err(error) => tracing::error!(%error, "old jobs were not deleted"),
                }
            }
            std::thread::sleep((keep / 24).min(Duration::from_secs(3600)));
        }
    }
}

/// Reads jobs until `stop` is set, or until none is left if so wanted.
///
/// # Errors
/// Where a thread cannot be started.
pub fn work(service: &Arc<Service>, stop: &AtomicBool, until_empty: bool) -> std::io::Result<()> {
    let readers = service.start()?;
    // A database that does not answer is not empty.
    let is_over = || until_empty && service.store.is_empty().unwrap_or(false);
    while !stop.load(Ordering::Relaxed) && !is_over() {
        std::thread::sleep(Duration::from_millis(200));
    }
    service.stop();
    for reader in readers {
        drop(reader.join());
    }
    Ok(())
}

/// Serves until the process is told to end (SIGTERM, Ctrl-C); then finishes open requests and stops the readers.
///
/// # Errors
/// Where the address cannot be bound or a thread cannot be started.
pub fn serve(service: &Arc<Service>, address: SocketAddr, ready: impl FnOnce(SocketAddr)) -> std::io::Result<()> {
    let readers = service.start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        ready(listener.local_addr()?);
        let stop = Arc::clone(service);
        axum::serve(listener, service.router())
            .with_graceful_shutdown(async move {
                asked_to_end().await;
                stop.stop();
            })
            .await
    });
    service.stop();
    runtime.shutdown_timeout(Duration::from_secs(5));
    for reader in readers {
        drop(reader.join());
    }
    served
}

async fn asked_to_end() {
    let interrupt = std::pin::pin!(tokio::signal::ctrl_c());
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        futures_util::future::select(interrupt, std::pin::pin!(terminate.recv())).await;
        return;
    }
    drop(interrupt.await);
}
