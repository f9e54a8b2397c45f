//! Photos handed to other processes over a queue, and what they saw taken back.

use super::pages::Seen;
use super::walk::Photo;
use super::{Batch, PageResult};
use crate::error::{Error, Result};
use crate::hex::hex;
use crate::service::{Kind, PhotoEntry, Retry, State, Store, StoreError};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A queue that other processes read from.
#[derive(Debug, Clone)]
pub struct Queue {
    /// Of the PostgreSQL database.
    pub database: String,
    /// Folder that all processes share, or address of an object store.
    pub data: PathBuf,
    /// While so many jobs wait, no more are added.
    pub most_waiting: usize,
}

/// Photos handed out at once.
const HANDED_OUT: usize = 1000;
const PAUSE: Duration = Duration::from_millis(100);
/// Time without news after which it is checked whether the jobs are still there.
const NO_NEWS: Duration = Duration::from_secs(30);
/// How often what does not answer is asked again, a second apart.
const TRIES: usize = 120;

fn said(error: &StoreError) -> Error {
    Error::Usage(format!("The queue does not work: {error}. Check it; the same command goes on from here."))
}

/// Asks a database or a store of files that is being restarted again for a while.
fn patiently<T>(ask: impl Fn() -> std::result::Result<T, StoreError>) -> Result<T> {
    for _ in 0..TRIES {
        match ask() {
            Err(error) if error.passes() => std::thread::sleep(Duration::from_secs(1)),
            answer => return answer.map_err(|error| said(&error)),
        }
    }
    ask().map_err(|error| said(&error))
}

/// Has all photos looked at by other processes, and tells what became of each. Jobs that an earlier run with the same
/// output has left are taken up.
///
/// # Errors
/// Where the queue does not work, or those who read from it run another version of the program.
pub fn look_at_all(
    batch: &Batch,
    queue: &Queue,
    photos: &[&Photo],
    tell: &(dyn Fn(&Photo, Seen) + Sync),
) -> Result<()> {
    let store = Store::open_shared(&queue.database, &queue.data, Retry::default()).map_err(|error| said(&error))?;
    let owner = owner(batch);
    let mut wanted: HashMap<&str, &Photo> = photos.iter().map(|photo| (photo.hash.as_str(), *photo)).collect();
    let mut left: VecDeque<&Photo> = photos.iter().copied().collect();
    let mut out = HashSet::new();
    let mut news = Instant::now();
    while !wanted.is_empty() && !batch.stopped() {
        while out.len() < HANDED_OUT && !left.is_empty() && !patiently(|| store.is_full(queue.most_waiting))? {
            let Some(photo) = left.pop_front().filter(|photo| wanted.contains_key(photo.hash.as_str())) else {
                continue;
            };
            match photo.bytes() {
                Ok(bytes) => {
                    hand_out(batch, &store, &owner, photo, bytes)?;
                    out.insert(photo.hash.as_str());
                }
                // Not the photo's fault: the next run tries again.
                Err(error) => {
                    wanted.remove(photo.hash.as_str());
                    tell(photo, Seen::Failed(error.to_string()));
                }
            }
        }
        for job in patiently(|| store.some(&owner, State::Done))? {
            let hash = job.photos.first().map_or("", |photo| photo.name.as_str());
            if let Some(photo) = wanted.remove(hash) {
                let page: PageResult = patiently(|| store.page(&job.id))?;
                if page.reader != batch.reader {
                    return Err(Error::Usage(format!(
                        "A worker runs \"{}\", this is \"{}\". Give all machines the same version of the program.",
                        page.reader, batch.reader
                    )));
                }
                tell(photo, batch.keep(photo, page.looked)?);
                out.remove(hash);
                news = Instant::now();
            }
            // It is written down here.
            patiently(|| store.delete(&owner, &job.id))?;
        }
        for job in patiently(|| store.some(&owner, State::Failed))? {
            let hash = job.photos.first().map_or("", |photo| photo.name.as_str());
            if out.remove(hash)
                && let Some(photo) = wanted.remove(hash)
            {
                // It stays in the queue to be looked at, and the next run tries again.
                let why = job.problem.map(|problem| format!("{} {}", problem.detail, problem.next_step));
                tell(photo, Seen::Failed(format!("{hash}: {}", why.unwrap_or_default())));
                news = Instant::now();
            }
        }
        if news.elapsed() > NO_NEWS {
            news = Instant::now();
            for &hash in &out.clone() {
                if patiently(|| store.find(&owner, hash))?.is_none()
                    && let Some(photo) = wanted.get(hash)
                {
                    out.remove(hash);
                    left.push_back(photo);
                }
            }
            if !batch.settings.quiet {
                eprintln!("No news from the queue for {} s. Is a `scoresheet worker` running?", NO_NEWS.as_secs());
            }
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

fn hand_out(batch: &Batch, store: &Store, owner: &str, photo: &Photo, bytes: Vec<u8>) -> Result<()> {
    let entry = PhotoEntry { sheet: 0, page: 0, keeper: None, name: photo.hash.clone(), hint: None };
    let language = batch.settings.read.decode.language.as_deref();
    let photos = [(entry, bytes)];
    let (job, _) = patiently(|| store.add(Kind::Page, owner, &photo.hash, language, &photos))?;
    if matches!(job.state, State::Failed | State::Cancelled) {
        patiently(|| store.read_again(&job.id, language, &job.photos))?;
    }
    Ok(())
}

/// Names the jobs of this output folder and this version; no key of the service can bear such a name.
fn owner(batch: &Batch) -> String {
    let out = batch.settings.out.canonicalize().unwrap_or_else(|_| batch.settings.out.clone());
    let digest = Sha256::digest(format!("{}\n{}", batch.reader, out.display()));
    format!("batch {}", hex(&digest[..8]))
}
