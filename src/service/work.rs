//! The threads that read queued jobs.

use super::Service;
use super::problem::Problem;
use super::store::{Job, Kind, StoreError};
use crate::batch;
use crate::error::Error;
use crate::pipeline::{self, ReadOptions, watch::Watch};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often an idle thread looks for work that it was not woken for: alone, and where others may queue it.
const PATIENCE: Duration = Duration::from_secs(2);
const SHARED_PATIENCE: Duration = Duration::from_millis(500);
/// How often progress is noted in a shared database.
const SHARED_PROGRESS: Duration = Duration::from_secs(1);
/// Tries of storing an outcome, a lease being renewed all the while.
const STORING: u32 = 8;

/// A job that this process reads.
pub struct InHand {
    job: Job,
    start: Instant,
}

/// Starts the threads; they end, each after the stage in hand, when the service stops.
pub fn start(service: &Arc<Service>) -> std::io::Result<Vec<JoinHandle<()>>> {
    let spawn = |name: String, work: fn(&Arc<Service>)| {
        let service = Arc::clone(service);
        std::thread::Builder::new().name(name).spawn(move || work(&service))
    };
    let mut threads = vec![spawn("leases".to_owned(), keep_leases)?];
    for index in 0..service.settings.workers {
        threads.push(spawn(format!("reader {index}"), work)?);
    }
    Ok(threads)
}

fn work(service: &Arc<Service>) {
    let one_after_another = || {
        while !service.stopping.load(Ordering::Relaxed) {
            match service.store.claim() {
                Ok(Some((owner, job))) => read(service, &owner, &job),
                Ok(None) => wait(service),
                Err(error) => {
                    tracing::error!(%error, "no job can be claimed");
                    wait(service);
                }
            }
        }
    };
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) if service.settings.one_core => pool.install(one_after_another),
        _ => one_after_another(),
    }
}

fn wait(service: &Service) {
    let patience = if service.settings.database.is_some() { SHARED_PATIENCE } else { PATIENCE };
    let queued = service.queued.lock().unwrap_or_else(PoisonError::into_inner);
    drop(service.wake.wait_timeout(queued, patience));
}

fn in_hand(service: &Service) -> MutexGuard<'_, Vec<InHand>> {
    service.in_hand.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Renews the leases of the jobs in hand, and has the jobs of readers that died tried again.
fn keep_leases(service: &Arc<Service>) {
    let pause = service.settings.retry.lease / 4;
    // Longer than this, a reader hangs: it loses its job.
    let patience = service.settings.time_limit * 2;
    let is_over = || service.stopping.load(Ordering::Relaxed) && in_hand(service).is_empty();
    while !is_over() {
        let alive = |held: &&InHand| held.start.elapsed() < patience;
        let held: Vec<Job> = in_hand(service).iter().filter(alive).map(|held| held.job.clone()).collect();
        for job in &held {
            if let Err(error) = service.store.renew(job) {
                tracing::warn!(job = job.id, %error, "a lease was not renewed");
            }
        }
        match service.store.reap() {
            Ok(0) => {}
            Ok(jobs) => tracing::warn!(jobs, "jobs whose reader gave no sign of life go back to the queue"),
            Err(error) => tracing::warn!(%error, "expired leases were not looked for"),
        }
        let start = Instant::now();
        while start.elapsed() < pause && !is_over() {
            std::thread::sleep(pause.min(Duration::from_millis(100)));
        }
    }
}

/// Reads one job to whatever end.
fn read(service: &Arc<Service>, owner: &str, job: &Job) {
    service.tell(&job.id);
    let start = Instant::now();
    in_hand(service).push(InHand { job: job.clone(), start });
    let outcome = catch_unwind(AssertUnwindSafe(|| read_job(service, job, start)));
    let stored = match outcome {
        Ok(Ok(kept)) => {
            service.metrics.read(start.elapsed());
            tracing::info!(job = job.id, owner, seconds = start.elapsed().as_secs_f64(), kept, "read");
            Ok(())
        }
        Ok(Err(Ended::Stopped)) if service.stopping.load(Ordering::Relaxed) => service.store.requeue(job),
        // Cancelled, deleted, given to another reader, or too slow; all but the last are no longer this reader's.
        Ok(Err(Ended::Stopped)) => {
            store(service, || service.store.fail(job, &Problem::too_slow(service.settings.time_limit.as_secs()), true))
        }
        Ok(Err(Ended::Failed(problem))) => {
            service.metrics.failed();
            tracing::info!(job = job.id, owner, problem = problem.kind, "not read");
            store(service, || service.store.fail(job, &problem, false))
        }
        Ok(Err(Ended::Unlucky(problem))) => {
            tracing::warn!(job = job.id, owner, problem = problem.kind, attempt = job.attempts, "to be tried again");
            store(service, || service.store.retry(job, &problem))
        }
        Err(_) => {
            service.metrics.failed();
            tracing::error!(job = job.id, owner, "the reader panicked");
            store(service, || service.store.fail(job, &Problem::crashed(), true))
        }
    };
    in_hand(service).retain(|held| held.job.lease != job.lease);
    if let Err(error) = stored {
        tracing::error!(job = job.id, %error, "the outcome of a job was not stored");
    }
    service.tell(&job.id);
}

enum Ended {
    Stopped,
    /// The photos cannot be read.
    Failed(Problem),
    /// The photos may be good.
    Unlucky(Problem),
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Unlucky(error.into())
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        match error {
            Error::Stopped => Self::Stopped,
            Error::Model { .. } | Error::Runtime { .. } => Self::Unlucky(error.into()),
            error => Self::Failed(error.into()),
        }
    }
}

/// Stores an outcome; shared stores that do not answer are asked again for a while, so that no work is lost.
fn store<T>(service: &Service, write: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut wait = Duration::from_millis(250);
    for _ in 1..STORING {
        match write() {
            Err(error) if error.passes() && service.settings.database.is_some() => {
                tracing::warn!(%error, "an outcome was not stored yet");
                std::thread::sleep(wait);
                wait *= 2;
            }
            outcome => return outcome,
        }
    }
    write()
}

/// Reads a job and keeps the result; false if the job was no longer this reader's.
fn read_job(service: &Arc<Service>, job: &Job, start: Instant) -> Result<bool, Ended> {
    let mut options = ReadOptions { limits: service.settings.limits, ..ReadOptions::default() };
    options.decode.language.clone_from(&job.language);
    let recogniser = service.recogniser.as_ref();
    match job.kind {
        Kind::Game => {
            let sheets = service.store.sheets(job)?;
            options.watch = watch(service, job, start);
            let (ink, reviewed) = pipeline::read(&sheets, recogniser, &options)?;
            Ok(store(service, || service.store.finish(job, &ink, Some(&reviewed)))?)
        }
        Kind::Page => {
            let Some(entry) = job.photos.first() else { return Ok(false) };
            let page = batch::read_page(&entry.name, service.store.photo(&job.id, entry)?, recogniser, &options)?;
            Ok(store(service, || service.store.finish(job, &page, None))?)
        }
    }
}

/// The share of a page's work that is done when a stage begins.
fn share(stage: &str) -> f64 {
    match stage {
        "ingest" => 0.0,
        "page" => 0.15,
        "anchor" => 0.35,
        "cells" => 0.45,
        "recognise" => 0.5,
        _ => 0.9,
    }
}

/// Notes every stage, and stops a reading that was cancelled or is too slow.
fn watch(service: &Arc<Service>, job: &Job, start: Instant) -> Watch {
    let (service, job, pages) = (Arc::clone(service), job.clone(), job.photos.len().max(1));
    let begun = AtomicUsize::new(0);
    let every = if service.settings.database.is_some() { SHARED_PROGRESS } else { Duration::ZERO };
    let noted = Mutex::new((start, true));
    Watch::new(move |stage| {
        if stage == "ingest" {
            begun.fetch_add(1, Ordering::Relaxed);
        }
        let before = begun.load(Ordering::Relaxed).saturating_sub(1);
        let progress =
            if stage == "decode" { share(stage) } else { (before as f64 + share(stage)) * 0.9 / pages as f64 };
        let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.0.elapsed() >= every {
            *noted = (Instant::now(), service.store.progress(&job, stage, progress).unwrap_or(true));
            service.tell(&job.id);
        }
        noted.1 && start.elapsed() < service.settings.time_limit && !service.stopping.load(Ordering::Relaxed)
    })
}
