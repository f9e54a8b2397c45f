//! The games that people are correcting at the moment, kept at hand so that each correction is answered at once.

use super::store::{Job, PhotoEntry};
use crate::review::Desk;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Games kept; each takes about 35 MB, one that had to be searched most widely up to 200.
const KEPT: usize = 4;

/// What a desk is of: the job, and what it was read with, since another process may have it read again.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    job: String,
    language: Option<String>,
    photos: Vec<PhotoEntry>,
}

/// Desks by job, the one used last in front.
#[derive(Default)]
pub struct Desks(Mutex<VecDeque<(Key, Arc<Desk>)>>);

impl Desks {
    /// The desk of a job, made if it is not at hand.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn of<E>(&self, job: &Job, make: impl FnOnce() -> Result<Desk, E>) -> Result<Arc<Desk>, E> {
        let key = Key { job: job.id.clone(), language: job.language.clone(), photos: job.photos.clone() };
        let known = {
            let mut desks = self.lock();
            let at = desks.iter().position(|(known, _)| *known == key);
            at.and_then(|at| desks.remove(at)).map(|(_, desk)| desk)
        };
        let desk = match known {
            Some(desk) => desk,
            None => Arc::new(make()?),
        };
        let mut desks = self.lock();
        desks.push_front((key, Arc::clone(&desk)));
        desks.truncate(KEPT);
        Ok(desk)
    }

    /// Drops what is at hand of a job that is deleted.
    pub fn forget(&self, job: &str) {
        self.lock().retain(|(key, _)| key.job != job);
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Key, Arc<Desk>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
