//! The threads that read queued jobs.

use super::problem::Problem;
use super::store::{Job, StoreError};
use super::{Service, Settings};
use crate::error::Error;
use crate::pipeline::{self, ReadOptions, watch::Watch};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often an idle thread looks for work that it was not woken for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Starts the threads; they end, each after the stage in hand, when the service stops.
pub fn start(service: &Arc<Service>) -> std::io::Result<Vec<JoinHandle<()>>> {
    let spawn = |index: usize| {
        let service = Arc::clone(service);
        std::thread::Builder::new().name(format!("reader {index}")).spawn(move || work(&service))
    };
    (0..service.settings.workers.max(1)).map(spawn).collect()
}

fn work(service: &Arc<Service>) {
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
}

fn wait(service: &Service) {
    let queued = service.queued.lock().unwrap_or_else(PoisonError::into_inner);
    drop(service.wake.wait_timeout(queued, PATIENCE));
}

/// Reads one job to whatever end.
fn read(service: &Arc<Service>, owner: &str, job: &Job) {
    service.tell(&job.id);
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| read_job(service, job, start)));
    let stored = match outcome {
        Ok(Ok(())) => {
            service.metrics.read(start.elapsed());
            tracing::info!(job = job.id, owner, seconds = start.elapsed().as_secs_f64(), "read");
            Ok(())
        }
        Ok(Err(Ended::Stopped)) if service.stopping.load(Ordering::Relaxed) => service.store.requeue(&job.id),
        // Cancelled, deleted, or too slow; the first two are no longer being read, and stay as they are.
        Ok(Err(Ended::Stopped)) => {
            service.store.fail(&job.id, &Problem::too_slow(service.settings.time_limit.as_secs()))
        }
        Ok(Err(Ended::Failed(problem))) => {
            service.metrics.failed();
            tracing::info!(job = job.id, owner, problem = problem.kind, "not read");
            service.store.fail(&job.id, &problem)
        }
        Err(_) => {
            service.metrics.failed();
            tracing::error!(job = job.id, owner, "the reader panicked");
            service.store.fail(&job.id, &Problem::crashed())
        }
    };
    if let Err(error) = stored {
        tracing::error!(job = job.id, %error, "the outcome of a job was not stored");
    }
    service.tell(&job.id);
}

enum Ended {
    Stopped,
    Failed(Problem),
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

fn read_job(service: &Arc<Service>, job: &Job, start: Instant) -> Result<(), Ended> {
    let sheets = service.store.sheets(job)?;
    let mut options = ReadOptions { limits: service.settings.limits, ..ReadOptions::default() };
    options.decode.language.clone_from(&job.language);
    options.watch = watch(service, job, start);
    let (ink, reviewed) = match pipeline::read(&sheets, service.recogniser.as_ref(), &options) {
        Ok(read) => read,
        Err(Error::Stopped) => return Err(Ended::Stopped),
        Err(error) => return Err(Ended::Failed(error.into())),
    };
    service.store.finish(&job.id, &ink, &reviewed)?;
    service.desks.forget(&job.id);
    Ok(())
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
    let (service, id, pages) = (Arc::clone(service), job.id.clone(), job.photos.len().max(1));
    let begun = std::sync::atomic::AtomicUsize::new(0);
    Watch::new(move |stage| {
        let Settings { time_limit, .. } = service.settings;
        if stage == "ingest" {
            begun.fetch_add(1, Ordering::Relaxed);
        }
        let before = begun.load(Ordering::Relaxed).saturating_sub(1);
        let progress =
            if stage == "decode" { share(stage) } else { (before as f64 + share(stage)) * 0.9 / pages as f64 };
        let wanted = service.store.progress(&id, stage, progress).unwrap_or(true);
        service.tell(&id);
        wanted && start.elapsed() < time_limit && !service.stopping.load(Ordering::Relaxed)
    })
}
