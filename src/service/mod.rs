//! `scoresheet serve`: upload, watch, review and correct over HTTP, with a page for people.
//!
//! [`api`] answers requests, [`store`] keeps jobs on disk, [`work`] reads them, [`guard`] keeps out what should not
//! come in, [`assets`] holds the page. Everything runs in one process; nothing is called outside.

mod api;
mod assets;
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
pub use store::{Job, State, StoreError};

use crate::pipeline::ingest::IngestLimits;
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
use store::Store;
use tokio::sync::broadcast;

/// How the service runs.
#[derive(Debug, Clone)]
pub struct Settings {
    pub data: PathBuf,
    /// Threads that read jobs; each job uses all cores where it can.
    pub workers: usize,
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
            workers: 1,
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
    /// Ids of jobs that changed.
    changes: broadcast::Sender<String>,
    /// Held with `wake` alone: the queue itself is in the store.
    queued: Mutex<()>,
    wake: Condvar,
    stopping: AtomicBool,
}

/// How many changes a slow listener may be behind; it looks at the job itself then.
const CHANGES: usize = 256;

impl Service {
    /// Opens the data folder.
    ///
    /// # Errors
    /// Where it cannot be used.
    pub fn open(settings: Settings, recogniser: Arc<dyn Recogniser>) -> Result<Arc<Self>, StoreError> {
        let store = Store::open(&settings.data)?;
        Ok(Arc::new(Self {
            settings,
            store,
            recogniser,
            metrics: Metrics::default(),
            pictures: pictures::Cache::default(),
            desks: Desks::default(),
            changes: broadcast::Sender::new(CHANGES),
            queued: Mutex::new(()),
            wake: Condvar::new(),
            stopping: AtomicBool::new(false),
        }))
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

    /// Asks the readers to end; the job in hand goes back to the queue.
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
                        tracing::info!(jobs, "deleted jobs past their retention time");
                    }
                    Err(error) => tracing::error!(%error, "old jobs were not deleted"),
                }
            }
            std::thread::sleep(keep.min(Duration::from_secs(60)));
        }
    }
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
