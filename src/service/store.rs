//! Jobs on disk: a row each in SQLite, and a folder each for photos and what was read.
//!
//! A job's folder is complete before its row exists and goes after its row is gone, so a crash leaves at most a folder
//! without a row, which the next start removes. Files are written beside their name and renamed.

use super::problem::Problem;
use crate::game::Colour;
use crate::pipeline::hint::PageHint;
use crate::pipeline::{Ink, PhotoFile, SheetFiles};
use crate::review::{Pin, Reviewed};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Queued,
    Reading,
    Done,
    Failed,
    Cancelled,
}

impl State {
    pub const ALL: [State; 5] = [State::Queued, State::Reading, State::Done, State::Failed, State::Cancelled];

    pub fn name(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Reading => "reading",
            State::Done => "done",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    /// The state of a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Nothing more will happen.
    pub fn is_over(self) -> bool {
        !matches!(self, State::Queued | State::Reading)
    }
}

/// One uploaded photo: which page of which sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhotoEntry {
    pub sheet: usize,
    pub page: usize,
    pub keeper: Option<Colour>,
    pub name: String,
    /// What a person said about the table on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<PageHint>,
}

/// What a list of games shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub white: Option<String>,
    pub black: Option<String>,
    pub result: String,
    pub plies: usize,
    /// Plies that are not clear.
    pub to_review: usize,
}

/// A job as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    pub id: String,
    pub state: State,
    /// The stage of reading that is going on.
    pub stage: Option<String>,
    /// From 0 to 1.
    pub progress: f64,
    /// RFC 3339.
    pub created: String,
    pub updated: String,
    pub language: Option<String>,
    pub photos: Vec<PhotoEntry>,
    pub problem: Option<Problem>,
    pub summary: Option<Summary>,
    /// Times that reading was begun.
    #[serde(skip)]
    pub attempts: u32,
}

/// Jobs that a page of a list may hold.
pub const PAGE: usize = 200;
/// A job that brought the program down this often is given up.
pub const ATTEMPTS: u32 = 3;

/// All jobs.
pub struct Store {
    folder: PathBuf,
    database: Mutex<Connection>,
}

/// What a failing disk or database says.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the data folder: {0}")]
    Folder(#[from] io::Error),
    #[error("the database: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("a stored file is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
}

type Result<T> = std::result::Result<T, StoreError>;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS jobs (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL, stage TEXT,
        progress REAL NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL, attempts INTEGER NOT NULL, language TEXT,
        photos TEXT NOT NULL, pins TEXT NOT NULL, problem TEXT, summary TEXT,
        UNIQUE (owner, hash)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS jobs_state ON jobs (state, created);
    CREATE INDEX IF NOT EXISTS jobs_owner ON jobs (owner, created DESC, id DESC);";

const COLUMNS: &str = "id, state, stage, progress, created, updated, attempts, language, photos, problem, summary";

fn job_of(row: &Row) -> rusqlite::Result<Job> {
    fn json<T: for<'a> Deserialize<'a>>(row: &Row, column: usize) -> rusqlite::Result<Option<T>> {
        let text: Option<String> = row.get(column)?;
        let broken =
            |error| rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error));
        text.map(|text| serde_json::from_str(&text).map_err(broken)).transpose()
    }
    let state: String = row.get(1)?;
    Ok(Job {
        id: row.get(0)?,
        state: State::find(&state).unwrap_or(State::Failed),
        stage: row.get(2)?,
        progress: row.get(3)?,
        created: row.get(4)?,
        updated: row.get(5)?,
        attempts: row.get(6)?,
        language: row.get(7)?,
        photos: json(row, 8)?.unwrap_or_default(),
        problem: json(row, 9)?,
        summary: json(row, 10)?,
    })
}

fn now() -> String {
    Timestamp::now().to_string()
}

impl Store {
    /// Opens the folder, making it if need be, and puts right what a crash left behind.
    ///
    /// # Errors
    /// Where the folder or the database cannot be used.
    pub fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder.join("jobs"))?;
        let database = Connection::open(folder.join("jobs.sqlite"))?;
        database.busy_timeout(std::time::Duration::from_secs(10))?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        database.pragma_update(None, "secure_delete", true)?;
        database.execute_batch(SCHEMA)?;
        let store = Self { folder: folder.to_owned(), database: Mutex::new(database) };
        store.recover()?;
        Ok(store)
    }

    fn database(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn recover(&self) -> Result<()> {
        let given_up = serde_json::to_string(&Problem::crashed())?;
        let database = self.database();
        database.execute(
            "UPDATE jobs SET state = 'failed', stage = NULL, problem = ?2, updated = ?3 WHERE state = 'reading' AND attempts >= ?1",
            params![ATTEMPTS, given_up, now()],
        )?;
        database.execute("UPDATE jobs SET state = 'queued', stage = NULL, progress = 0 WHERE state = 'reading'", [])?;
        for entry in std::fs::read_dir(self.folder.join("jobs"))? {
            let entry = entry?;
            let id = entry.file_name().to_string_lossy().into_owned();
            let known: bool =
                database.query_row("SELECT EXISTS (SELECT 1 FROM jobs WHERE id = ?1)", [&id], |row| row.get(0))?;
            if !known {
                std::fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// The folder of a job whose id is in the database.
    fn folder(&self, id: &str) -> PathBuf {
        self.folder.join("jobs").join(id)
    }

    /// Adds a job, or finds the owner's job with the same photos. True if it is new.
    ///
    /// # Errors
    /// Where disk or database fail; nothing is left behind then.
    pub fn add(
        &self,
        owner: &str,
        hash: &str,
        language: Option<&str>,
        photos: &[(PhotoEntry, Vec<u8>)],
    ) -> Result<(Job, bool)> {
        if let Some(job) = self.by_hash(owner, hash)? {
            return Ok((job, false));
        }
        let id = new_id()?;
        let folder = self.folder(&id);
        std::fs::create_dir(&folder)?;
        let written =
            photos.iter().try_for_each(|(entry, bytes)| std::fs::write(folder.join(photo_name(entry)), bytes));
        let entries: Vec<&PhotoEntry> = photos.iter().map(|(entry, _)| entry).collect();
        let added = written.map_err(StoreError::from).and_then(|()| {
            let time = now();
            let rows = self.database().execute(
                "INSERT OR IGNORE INTO jobs (id, owner, hash, state, progress, created, updated, attempts, language, photos, pins)
                 VALUES (?1, ?2, ?3, 'queued', 0, ?4, ?4, 0, ?5, ?6, '[]')",
                params![id, owner, hash, time, language, serde_json::to_string(&entries)?],
            )?;
            Ok(rows == 1)
        });
        if !matches!(added, Ok(true)) {
            std::fs::remove_dir_all(&folder)?;
        }
        let new = added?;
        let job = self.by_hash(owner, hash)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        Ok((job, new))
    }

    fn by_hash(&self, owner: &str, hash: &str) -> Result<Option<Job>> {
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND hash = ?2");
        Ok(self.database().query_row(&sql, [owner, hash], job_of).optional()?)
    }

    /// An owner's job.
    pub fn job(&self, owner: &str, id: &str) -> Result<Option<Job>> {
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND id = ?2");
        Ok(self.database().query_row(&sql, [owner, id], job_of).optional()?)
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
        let like = format!("%{}%", search.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND (photos LIKE ?2 ESCAPE '\\' OR summary LIKE ?2 ESCAPE '\\')
             AND (?3 IS NULL OR state = ?3)
             AND (?4 IS NULL OR (created, id) < (SELECT created, id FROM jobs WHERE id = ?4 AND owner = ?1))
             ORDER BY created DESC, id DESC LIMIT ?5"
        );
        let database = self.database();
        let mut query = database.prepare_cached(&sql)?;
        let jobs = query.query_map(params![owner, like, state.map(State::name), after, limit.min(PAGE)], job_of)?;
        Ok(jobs.collect::<rusqlite::Result<_>>()?)
    }

    /// Number of jobs in a state, of one owner or of all.
    pub fn count(&self, state: State, owner: Option<&str>) -> Result<usize> {
        let sql = "SELECT COUNT(*) FROM jobs WHERE state = ?1 AND (?2 IS NULL OR owner = ?2)";
        Ok(self.database().query_row(sql, params![state.name(), owner], |row| row.get(0))?)
    }

    /// Takes the oldest queued job for reading, with its owner.
    pub fn claim(&self) -> Result<Option<(String, Job)>> {
        let sql = format!(
            "UPDATE jobs SET state = 'reading', attempts = attempts + 1, updated = ?1
             WHERE id = (SELECT id FROM jobs WHERE state = 'queued' ORDER BY created, id LIMIT 1) RETURNING {COLUMNS}, owner"
        );
        let claimed = self.database().query_row(&sql, [now()], |row| Ok((row.get(11)?, job_of(row)?))).optional()?;
        Ok(claimed)
    }

    /// Notes how far a reading is; false if the job is no longer being read, because it was cancelled or deleted.
    pub fn progress(&self, id: &str, stage: &str, progress: f64) -> Result<bool> {
        let sql = "UPDATE jobs SET stage = ?2, progress = ?3, updated = ?4 WHERE id = ?1 AND state = 'reading'";
        Ok(self.database().execute(sql, params![id, stage, progress, now()])? == 1)
    }

    /// Keeps what was read; false if the job was cancelled or deleted meanwhile.
    pub fn finish(&self, id: &str, ink: &Ink, reviewed: &Reviewed) -> Result<bool> {
        let folder = self.folder(id);
        if !folder.is_dir() {
            return Ok(false);
        }
        write_json(&folder.join("ink.json"), ink)?;
        write_json(&folder.join("game.json"), reviewed)?;
        let sql = "UPDATE jobs SET state = 'done', stage = NULL, progress = 1, pins = '[]', summary = ?2, updated = ?3
                   WHERE id = ?1 AND state = 'reading'";
        let summary = serde_json::to_string(&summary(reviewed))?;
        Ok(self.database().execute(sql, params![id, summary, now()])? == 1)
    }

    /// Notes why a job was not read.
    pub fn fail(&self, id: &str, problem: &Problem) -> Result<()> {
        let sql = "UPDATE jobs SET state = 'failed', stage = NULL, problem = ?2, updated = ?3 WHERE id = ?1 AND state = 'reading'";
        self.database().execute(sql, params![id, serde_json::to_string(problem)?, now()])?;
        Ok(())
    }

    /// Puts a job back that was not read to its end.
    pub fn requeue(&self, id: &str) -> Result<()> {
        let sql = "UPDATE jobs SET state = 'queued', stage = NULL, progress = 0, attempts = attempts - 1 WHERE id = ?1 AND state = 'reading'";
        self.database().execute(sql, [id])?;
        Ok(())
    }

    /// Queues a job that is over once more, with what a person said meanwhile; its pins go.
    pub fn read_again(&self, id: &str, language: Option<&str>, photos: &[PhotoEntry]) -> Result<()> {
        let sql = "UPDATE jobs SET state = 'queued', stage = NULL, progress = 0, attempts = 0, pins = '[]', problem = NULL,
                   summary = NULL, language = ?2, updated = ?3, photos = ?4 WHERE id = ?1 AND state IN ('done', 'failed', 'cancelled')";
        self.database().execute(sql, params![id, language, now(), serde_json::to_string(photos)?])?;
        Ok(())
    }

    /// Stops a job that is not over; false if it was.
    pub fn cancel(&self, owner: &str, id: &str) -> Result<bool> {
        let sql = "UPDATE jobs SET state = 'cancelled', stage = NULL, updated = ?3
                   WHERE owner = ?1 AND id = ?2 AND state IN ('queued', 'reading')";
        Ok(self.database().execute(sql, params![owner, id, now()])? == 1)
    }

    /// Removes a job with all that belongs to it; false if the owner has none of this id.
    pub fn delete(&self, owner: &str, id: &str) -> Result<bool> {
        let gone = self.database().execute("DELETE FROM jobs WHERE owner = ?1 AND id = ?2", [owner, id])? == 1;
        if gone {
            self.wipe(&[id.to_owned()])?;
        }
        Ok(gone)
    }

    /// Removes all jobs that were last touched before a time (RFC 3339); returns their number.
    pub fn delete_before(&self, time: &str) -> Result<usize> {
        let ids: Vec<String> = {
            let database = self.database();
            let mut query = database
                .prepare("DELETE FROM jobs WHERE updated < ?1 AND state NOT IN ('queued', 'reading') RETURNING id")?;
            query.query_map([time], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
        };
        if !ids.is_empty() {
            self.wipe(&ids)?;
        }
        Ok(ids.len())
    }

    fn wipe(&self, ids: &[String]) -> Result<()> {
        for id in ids {
            match std::fs::remove_dir_all(self.folder(id)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        // The write-ahead log still holds the rows.
        self.database().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }

    /// The photos of a job, sheet by sheet.
    pub fn sheets(&self, job: &Job) -> Result<Vec<SheetFiles>> {
        let mut sheets: Vec<SheetFiles> = Vec::new();
        for entry in &job.photos {
            if entry.sheet == sheets.len() {
                sheets.push(SheetFiles { keeper: entry.keeper, pages: Vec::new() });
            }
            let bytes = self.photo(&job.id, entry)?;
            let hint = entry.hint.unwrap_or_default();
            sheets[entry.sheet].pages.push(PhotoFile { name: entry.name.clone(), bytes, hint });
        }
        Ok(sheets)
    }

    /// The bytes of a photo as they were uploaded.
    pub fn photo(&self, id: &str, entry: &PhotoEntry) -> Result<Vec<u8>> {
        Ok(std::fs::read(self.folder(id).join(photo_name(entry)))?)
    }

    /// What was read of a job that is done.
    pub fn ink(&self, id: &str) -> Result<Ink> {
        Ok(serde_json::from_slice(&std::fs::read(self.folder(id).join("ink.json"))?)?)
    }

    /// The game of a job that is done, its pins applied.
    pub fn game(&self, id: &str) -> Result<Reviewed> {
        Ok(serde_json::from_slice(&std::fs::read(self.folder(id).join("game.json"))?)?)
    }

    /// The pins of a job.
    pub fn pins(&self, id: &str) -> Result<Vec<Pin>> {
        let text: String = self.database().query_row("SELECT pins FROM jobs WHERE id = ?1", [id], |row| row.get(0))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Keeps pins with the game that follows from them.
    pub fn set_pins(&self, id: &str, pins: &[Pin], reviewed: &Reviewed) -> Result<()> {
        let database = self.database();
        write_json(&self.folder(id).join("game.json"), reviewed)?;
        let sql = "UPDATE jobs SET pins = ?2, summary = ?3, updated = ?4 WHERE id = ?1 AND state = 'done'";
        let summary = serde_json::to_string(&summary(reviewed))?;
        database.execute(sql, params![id, serde_json::to_string(pins)?, summary, now()])?;
        Ok(())
    }

    /// True while the database answers.
    pub fn is_ready(&self) -> bool {
        self.database().query_row("SELECT 1", [], |_| Ok(())).is_ok()
    }
}

fn summary(reviewed: &Reviewed) -> Summary {
    let game = &reviewed.game;
    let player = |name: &str| game.headers.get(name).cloned();
    Summary {
        white: player("White"),
        black: player("Black"),
        result: game.result.clone(),
        plies: game.plies.len(),
        to_review: game.plies.iter().filter(|ply| ply.status != crate::game::Status::Clear).count(),
    }
}

fn photo_name(entry: &PhotoEntry) -> String {
    format!("{}-{}.photo", entry.sheet, entry.page)
}

/// Writes beside the name, then renames: a reader sees the old file or the new one, whole.
fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let beside = path.with_extension("new");
    std::fs::write(&beside, serde_json::to_vec(value)?)?;
    std::fs::rename(&beside, path)?;
    Ok(())
}

/// 128 random bits in hexadecimal.
pub(super) fn new_id() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
