//! Jobs: a row each in a database, and files each for photos and what was read.
//!
//! Alone, the database is a SQLite file beside a folder of files, and one process uses them. Shared, it is PostgreSQL, the
//! files lie in a shared folder or an object store, and any number of processes use them; the statements are the same.
//!
//! A job's photos are complete before its row exists and go after its row is gone, so a crash leaves at most files
//! without a row. What was read is written under a name of its own and counts once the row names it.

#[cfg(feature = "queue")]
mod admin;
mod database;
#[cfg(feature = "queue")]
mod encrypted;
mod files;
mod job;
mod lease;
#[cfg(feature = "queue")]
mod objects;
#[cfg(feature = "queue")]
mod postgres;
mod results;
mod sqlite;

#[cfg(feature = "queue")]
pub use admin::{DeadLetter, Overview};
pub use job::{Job, Kind, PhotoEntry, State, Summary};
pub use lease::Retry;

use super::problem::Problem;
use crate::hex::hex;
use database::{Database, Row, Value};
use files::{Files, Folder, SCHEME};
use jiff::Timestamp;
use lease::not_read;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Jobs that a page of a list may hold.
pub const PAGE: usize = 200;

/// All jobs.
pub struct Store {
    database: Box<dyn Database>,
    files: Box<dyn Files>,
    retry: Retry,
}

/// What a failing disk or database says.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the stored files: {0}")]
    Files(#[from] io::Error),
    #[error("the database: {0}")]
    Database(String),
    #[error("a stored file is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
}

impl StoreError {
    /// Whether what was asked for is not there.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Files(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether the same may go well a little later.
    pub fn passes(&self) -> bool {
        use io::ErrorKind::{InvalidInput, NotFound, PermissionDenied, StorageFull};
        match self {
            Self::Database(_) => true,
            Self::Files(error) => !matches!(error.kind(), InvalidInput | NotFound | PermissionDenied | StorageFull),
            Self::Damaged(_) => false,
        }
    }
}

type Result<T> = std::result::Result<T, StoreError>;

const COLUMNS: &str = "id, kind, state, stage, progress, created, updated, attempts, language, photos, problem, summary, \
                       lease, seen, game";

fn job_of(row: &Row) -> Result<Job> {
    fn json<T: DeserializeOwned>(text: Option<&str>) -> Result<Option<T>> {
        Ok(text.map(serde_json::from_str).transpose()?)
    }
    let text = |column| row.text(column).map(str::to_owned);
    Ok(Job {
        id: text(0).unwrap_or_default(),
        kind: Kind::find(row.text(1).unwrap_or_default()),
        state: row.text(2).and_then(State::find).unwrap_or(State::Failed),
        stage: text(3),
        progress: row.number(4),
        created: text(5).unwrap_or_default(),
        updated: text(6).unwrap_or_default(),
        attempts: u32::try_from(row.int(7)).unwrap_or(0),
        language: text(8),
        photos: json(row.text(9))?.unwrap_or_default(),
        problem: json(row.text(10))?,
        summary: json(row.text(11))?,
        lease: text(12),
        seen: text(13),
        game: text(14),
    })
}

fn now() -> Value {
    Timestamp::now().to_string().into()
}

impl Store {
    /// Opens a folder for one process, making it if need be, and puts right what a crash left behind.
    ///
    /// # Errors
    /// Where the folder or the database cannot be used.
    pub fn open(folder: &Path, retry: Retry) -> Result<Self> {
        if is_bucket(folder) {
            let sentence = "an object store needs a database beside it. Give --queue, or a folder as --data";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence).into());
        }
        let files = Box::new(Folder::open(&folder.join("jobs"))?);
        let database = Box::new(sqlite::Sqlite::open(&folder.join("jobs.sqlite"))?);
        let store = Self { database, files, retry };
        store.recover()?;
        store.sweep(Duration::ZERO)?;
        Ok(store)
    }

    /// Opens a PostgreSQL database and the files that all processes share: a folder, or an object store where `data` is
    /// such as `s3://bucket/prefix`.
    ///
    /// # Errors
    /// Where the files or the database cannot be used.
    #[cfg(feature = "queue")]
    pub fn open_shared(address: &str, data: &Path, retry: Retry) -> Result<Self> {
        let files: Box<dyn Files> = match data.to_str().filter(|data| data.starts_with(SCHEME)) {
            Some(bucket) => Box::new(objects::Objects::open(bucket)?),
            None => Box::new(Folder::open(&data.join("jobs"))?),
        };
        Ok(Self { database: Box::new(postgres::Postgres::open(address)?), files, retry })
    }

    /// Removes the files of jobs that have no row, which processes leave that die while they add or delete a job;
    /// returns their number. Files that are younger than `age` may be those of a job that is being added.
    ///
    /// # Errors
    /// Where the database or the files fail.
    pub fn sweep(&self, age: Duration) -> Result<usize> {
        let mut swept = 0;
        for id in self.files.jobs(age)? {
            if self.state(&id)?.is_none() {
                self.files.remove_job(&id)?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn one(&self, sql: &str, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.database.query(sql, values)?.into_iter().next())
    }

    fn state(&self, id: &str) -> Result<Option<State>> {
        let row = self.one("SELECT state FROM jobs WHERE id = ?1", &[id.into()])?;
        Ok(row.and_then(|row| State::find(row.text(0)?)))
    }

    /// Adds a job, or finds the owner's job with the same photos. True if it is new.
    ///
    /// # Errors
    /// Where disk or database fail.
    pub fn add(
        &self,
        kind: Kind,
        owner: &str,
        hash: &str,
        language: Option<&str>,
        photos: &[(PhotoEntry, Vec<u8>)],
    ) -> Result<(Job, bool)> {
        if let Some(job) = self.find(owner, hash)? {
            return Ok((job, false));
        }
        let id = new_id()?;
        let entries: Vec<&PhotoEntry> = photos.iter().map(|(entry, _)| entry).collect();
        let entries = serde_json::to_string(&entries)?;
        let written = photos.iter().try_for_each(|(entry, bytes)| self.files.write(&id, &photo_name(entry), bytes));
        if let Err(error) = written {
            drop(self.files.remove_job(&id));
            return Err(error.into());
        }
        let sql = format!(
            "INSERT INTO jobs (id, owner, hash, kind, state, progress, created, updated, attempts, language, photos, pins, due, seen, game)
             VALUES (?1, ?2, ?3, ?4, 'queued', 0, ?5, ?5, 0, ?6, ?7, '[]', {}, NULL, NULL) ON CONFLICT DO NOTHING",
            self.database.now()
        );
        let values =
            [id.as_str().into(), owner.into(), hash.into(), kind.name().into(), now(), language.into(), entries.into()];
        // If this fails the row may be there nevertheless, so the files stay.
        self.database.execute(&sql, &values)?;
        let job = self.find(owner, hash)?;
        let new = job.as_ref().is_some_and(|job| job.id == id);
        if !new {
            self.files.remove_job(&id)?;
        }
        Ok((job.ok_or_else(|| StoreError::Database("a new job is gone at once".to_owned()))?, new))
    }

    /// An owner's job of photos with a hash.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn find(&self, owner: &str, hash: &str) -> Result<Option<Job>> {
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND hash = ?2");
        self.one(&sql, &[owner.into(), hash.into()])?.as_ref().map(job_of).transpose()
    }

    /// An owner's job.
    pub fn job(&self, owner: &str, id: &str) -> Result<Option<Job>> {
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND id = ?2");
        self.one(&sql, &[owner.into(), id.into()])?.as_ref().map(job_of).transpose()
    }

    /// An owner's jobs, newest first: those with `search` in their file names or players, in one state if given, from
    /// the one behind `after` on.
    pub fn list(
        &self,
        owner: &str,
        search: &str,
        state: Option<State>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        let like = search.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs
             WHERE owner = ?1 AND (LOWER(photos) LIKE ?2 ESCAPE '\\' OR LOWER(summary) LIKE ?2 ESCAPE '\\')
             AND (CAST(?3 AS TEXT) IS NULL OR state = ?3)
             AND (CAST(?4 AS TEXT) IS NULL OR (created, id) < (SELECT created, id FROM jobs WHERE id = ?4 AND owner = ?1))
             ORDER BY created DESC, id DESC LIMIT ?5"
        );
        let limit = limit.min(PAGE) as i64;
        let values =
            [owner.into(), format!("%{like}%").into(), state.map(State::name).into(), after.into(), limit.into()];
        self.database.query(&sql, &values)?.iter().map(job_of).collect()
    }

    /// Number of jobs in a state, of one owner or of all.
    pub fn count(&self, state: State, owner: Option<&str>) -> Result<usize> {
        let sql = "SELECT COUNT(*) FROM jobs WHERE state = ?1 AND (CAST(?2 AS TEXT) IS NULL OR owner = ?2)";
        let row = self.one(sql, &[state.name().into(), owner.into()])?;
        Ok(row.map_or(0, |row| row.int(0) as usize))
    }

    /// Queues a job that is over once more, with what a person said meanwhile. Its game and pins stay until another game
    /// takes their place.
    pub fn read_again(&self, id: &str, language: Option<&str>, photos: &[PhotoEntry]) -> Result<()> {
        let sql = format!(
            "UPDATE jobs SET state = 'queued', stage = NULL, progress = 0, attempts = 0, problem = NULL, dead = 0,
             language_before = language, photos_before = photos, language = ?2, updated = ?3, photos = ?4, due = {}
             WHERE id = ?1 AND state IN ('done', 'failed', 'cancelled')",
            self.database.now()
        );
        let values = [id.into(), language.into(), now(), serde_json::to_string(photos)?.into()];
        self.database.execute(&sql, &values)?;
        Ok(())
    }

    /// Stops a job that is not over; false if it was. One that had a game keeps it.
    pub fn cancel(&self, owner: &str, id: &str) -> Result<bool> {
        let sql = format!(
            "UPDATE jobs SET {}, updated = ?3 WHERE owner = ?1 AND id = ?2 AND state IN ('queued', 'reading')",
            not_read("cancelled")
        );
        Ok(self.database.execute(&sql, &[owner.into(), id.into(), now()])? == 1)
    }

    /// Removes a job with all that belongs to it; false if the owner has none of this id.
    pub fn delete(&self, owner: &str, id: &str) -> Result<bool> {
        let known = self.job(owner, id)?.is_some();
        if known {
            self.remove(id)?;
            self.database.wipe()?;
        }
        Ok(known)
    }

    /// Removes row and files.
    fn remove(&self, id: &str) -> Result<()> {
        self.database.execute("DELETE FROM jobs WHERE id = ?1", &[id.into()])?;
        Ok(self.files.remove_job(id)?)
    }

    /// Removes all jobs that were last touched before a time (RFC 3339); returns their number.
    pub fn delete_before(&self, time: &str) -> Result<usize> {
        let sql = "SELECT id FROM jobs WHERE updated < ?1 AND state NOT IN ('queued', 'reading')";
        let rows = self.database.query(sql, &[time.into()])?;
        rows.iter().filter_map(|row| row.text(0)).try_for_each(|id| self.remove(id))?;
        if !rows.is_empty() {
            self.database.wipe()?;
        }
        Ok(rows.len())
    }

    /// True if no job waits or is being read.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn is_empty(&self) -> Result<bool> {
        let sql = "SELECT 1 FROM jobs WHERE state IN ('queued', 'reading') LIMIT 1";
        Ok(self.one(sql, &[])?.is_none())
    }

    /// True while the database answers.
    pub fn is_ready(&self) -> bool {
        self.database.query("SELECT 1", &[]).is_ok()
    }
}

/// Whether `data` is the address of an object store, not a folder.
pub fn is_bucket(data: &Path) -> bool {
    data.to_str().is_some_and(|data| data.starts_with(SCHEME))
}

fn photo_name(entry: &PhotoEntry) -> String {
    format!("{}-{}.photo", entry.sheet, entry.page)
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}

/// 128 random bits in hexadecimal.
pub(super) fn new_id() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(hex(&bytes))
}
