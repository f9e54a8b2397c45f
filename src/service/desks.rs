//! The games that people are correcting at the moment, kept at hand so that each correction is answered at once.

use crate::review::Desk;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Games kept; each takes a few megabytes.
const KEPT: usize = 8;

/// Desks by job, the one used last in front.
#[derive(Default)]
pub struct Desks(Mutex<VecDeque<(String, Arc<Desk>)>>);

impl Desks {
    /// The desk of a job, made if it is not at hand.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn of<E>(&self, job: &str, make: impl FnOnce() -> Result<Desk, E>) -> Result<Arc<Desk>, E> {
        let known = self.take(job);
        let desk = match known {
            Some(desk) => desk,
            None => Arc::new(make()?),
        };
        let mut desks = self.lock();
        desks.push_front((job.to_owned(), Arc::clone(&desk)));
        desks.truncate(KEPT);
        Ok(desk)
    }

    /// Drops what is at hand of a job that is deleted or read again.
    pub fn forget(&self, job: &str) {
        self.take(job);
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn take(&self, job: &str) -> Option<Arc<Desk>> {
        let mut desks = self.lock();
        let at = desks.iter().position(|(id, _)| id == job)?;
        desks.remove(at).map(|(_, desk)| desk)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, Arc<Desk>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
