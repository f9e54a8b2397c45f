//! Who reads a job, and what becomes of it.
//!
//! A reader takes a job under a lease: a name that nobody had before, good until a time that the reader puts off as long
//! as it lives. Whatever a reader says about a job counts only while the row holds its lease, so a job that was given to
//! another reader meanwhile has one result, that of the other.

use super::database::Value;
use super::{COLUMNS, Job, Problem, Result, Store, Summary, job_of, json, new_id, now, photo_name};
use crate::review::Reviewed;
use serde::Serialize;
use std::time::Duration;

/// When jobs that were not read to an end are tried again, and when no more.
#[derive(Debug, Clone, Copy)]
pub struct Retry {
    /// Times that a job is begun before it is put aside.
    pub attempts: u32,
    /// Wait before the second attempt; twice as long before each further one.
    pub wait: Duration,
    /// How long a reader that gives no sign of life keeps its job.
    pub lease: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 3, wait: Duration::from_secs(5), lease: Duration::from_secs(60) }
    }
}

/// Longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Expired leases looked at in one go.
const REAPED: i64 = 100;

fn milliseconds(time: Duration) -> Value {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX).into()
}

fn held(job: &Job) -> Value {
    job.lease.as_deref().into()
}

/// SQL for the end of a reading that gave no game: the job takes the state, or is done as before if it has a game of an
/// earlier reading, and what a person said for this reading goes.
pub(super) fn not_read(state: &str) -> String {
    format!(
        "state = CASE WHEN summary IS NULL THEN '{state}' ELSE 'done' END,
         progress = CASE WHEN summary IS NULL THEN progress ELSE 1 END, stage = NULL, lease = NULL,
         language = CASE WHEN summary IS NULL OR photos_before IS NULL THEN language ELSE language_before END,
         photos = CASE WHEN summary IS NULL OR photos_before IS NULL THEN photos ELSE photos_before END,
         language_before = NULL, photos_before = NULL"
    )
}

/// SQL for whether a job that was given up is put aside: not if it has a game.
const DEAD: &str = "CASE WHEN summary IS NULL THEN CAST(?3 AS BIGINT) ELSE 0 END";

impl Store {
    /// Puts back the jobs that a process that is gone was reading; for the only process that uses the database.
    pub(super) fn recover(&self) -> Result<()> {
        let given_up = serde_json::to_string(&Problem::crashed())?;
        let sql = format!(
            "UPDATE jobs SET {}, dead = {DEAD}, problem = ?2, updated = ?4 WHERE state = 'reading' AND attempts >= ?1",
            not_read("failed")
        );
        self.database.execute(&sql, &[i64::from(self.retry.attempts).into(), given_up.into(), 1.into(), now()])?;
        self.database.execute(
            "UPDATE jobs SET state = 'queued', stage = NULL, progress = 0, lease = NULL WHERE state = 'reading'",
            &[],
        )?;
        Ok(())
    }

    /// Takes the next queued job for reading, with its owner: games before pages, then the one that waits longest.
    ///
    /// # Errors
    /// Where database or files fail.
    pub fn claim(&self) -> Result<Option<(String, Job)>> {
        let (clock, skip) = (self.database.now(), self.database.skip_locked());
        let sql = format!(
            "UPDATE jobs SET state = 'reading', attempts = attempts + 1, lease = ?1, until = {clock} + ?2, updated = ?3
             WHERE id = (SELECT id FROM jobs WHERE state = 'queued' AND due <= {clock} ORDER BY kind, due, id LIMIT 1 {skip})
             RETURNING {COLUMNS}, owner"
        );
        let Some(row) = self.one(&sql, &[new_id()?.into(), milliseconds(self.retry.lease), now()])? else {
            return Ok(None);
        };
        let (owner, job) = (row.text(15).unwrap_or_default().to_owned(), job_of(&row)?);
        if job.attempts > 1 {
            // What an earlier reader left: it has lost its lease, so the row will never name it.
            let results = [&job.seen, &job.game].into_iter().flatten().cloned();
            let named: Vec<String> = job.photos.iter().map(photo_name).chain(results).collect();
            for name in self.files.names(&job.id)? {
                if !named.contains(&name) {
                    self.files.remove(&job.id, &name)?;
                }
            }
        }
        Ok(Some((owner, job)))
    }

    /// Puts off the end of a lease; false if it is lost.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn renew(&self, job: &Job) -> Result<bool> {
        let sql = format!(
            "UPDATE jobs SET until = {} + ?3 WHERE id = ?1 AND lease = ?2 AND state = 'reading'",
            self.database.now()
        );
        Ok(self.database.execute(&sql, &[job.id.as_str().into(), held(job), milliseconds(self.retry.lease)])? == 1)
    }

    /// Notes how far a reading is; false if the job is no longer this reader's, because it was cancelled, deleted or
    /// given to another.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn progress(&self, job: &Job, stage: &str, progress: f64) -> Result<bool> {
        let sql = "UPDATE jobs SET stage = ?3, progress = ?4, updated = ?5 WHERE id = ?1 AND lease = ?2 AND state = 'reading'";
        let values = [job.id.as_str().into(), held(job), stage.into(), progress.into(), now()];
        Ok(self.database.execute(sql, &values)? == 1)
    }

    /// Keeps what was seen, and the game if the job is one; false if the job is no longer this reader's.
    ///
    /// # Errors
    /// Where database or files fail. It may be called again then.
    pub fn finish(&self, job: &Job, seen: &impl Serialize, reviewed: Option<&Reviewed>) -> Result<bool> {
        let name = |what: &str| format!("{}.{what}.json", job.lease.as_deref().unwrap_or_default());
        let seen_name = name("seen");
        self.files.write(&job.id, &seen_name, &json(seen)?)?;
        let game_name = reviewed.map(|_| name("game"));
        let mut summary = None;
        if let (Some(reviewed), Some(name)) = (reviewed, &game_name) {
            self.files.write(&job.id, name, &json(reviewed)?)?;
            summary = Some(serde_json::to_string(&Summary::new(reviewed))?);
        }
        let old = self.results(&job.id)?;
        let sql = "UPDATE jobs SET state = 'done', stage = NULL, progress = 1, pins = '[]', lease = NULL, seen = ?3, game = ?4,
                   summary = ?5, updated = ?6, language_before = NULL, photos_before = NULL
                   WHERE id = ?1 AND lease = ?2 AND state = 'reading'";
        let values = [
            job.id.as_str().into(),
            held(job),
            seen_name.as_str().into(),
            game_name.as_deref().into(),
            summary.into(),
            now(),
        ];
        if self.database.execute(sql, &values)? == 1 {
            for name in old.into_iter().flatten() {
                self.files.remove(&job.id, &name)?;
            }
            return Ok(true);
        }
        // Where the answer to an earlier try was lost, the row names the file already.
        if self.results(&job.id)?[0].as_ref() == Some(&seen_name) {
            return Ok(true);
        }
        if self.state(&job.id)?.is_none() {
            self.files.remove_job(&job.id)?;
        }
        for name in [Some(seen_name), game_name].into_iter().flatten() {
            self.files.remove(&job.id, &name)?;
        }
        Ok(false)
    }

    /// Notes why a job was not read; a game of an earlier reading stays. `dead` if the photos are not to blame, so that
    /// somebody looks at it.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn fail(&self, job: &Job, problem: &Problem, dead: bool) -> Result<()> {
        let sql = format!(
            "UPDATE jobs SET {}, dead = {DEAD}, problem = ?4, updated = ?5
             WHERE id = ?1 AND lease = ?2 AND state = 'reading'",
            not_read("failed")
        );
        let problem = serde_json::to_string(problem)?;
        let values = [job.id.as_str().into(), held(job), i64::from(dead).into(), problem.into(), now()];
        self.database.execute(&sql, &values)?;
        Ok(())
    }

    /// Puts a job back that was not read to its end because the reader was asked to end; the attempt does not count.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn requeue(&self, job: &Job) -> Result<()> {
        let sql = "UPDATE jobs SET state = 'queued', stage = NULL, progress = 0, lease = NULL, attempts = attempts - 1
                   WHERE id = ?1 AND lease = ?2 AND state = 'reading'";
        self.database.execute(sql, &[job.id.as_str().into(), held(job)])?;
        Ok(())
    }

    /// Has a job tried again later, or puts it aside with the problem if that was tried often enough.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn retry(&self, job: &Job, problem: &Problem) -> Result<()> {
        if job.attempts >= self.retry.attempts {
            return self.fail(job, problem, true);
        }
        let wait = self.retry.wait.saturating_mul(1 << job.attempts.saturating_sub(1).min(16)).min(LONGEST_WAIT);
        let sql = format!(
            "UPDATE jobs SET state = 'queued', stage = NULL, progress = 0, lease = NULL, problem = NULL, updated = ?4,
             due = {} + ?3 WHERE id = ?1 AND lease = ?2 AND state = 'reading'",
            self.database.now()
        );
        self.database.execute(&sql, &[job.id.as_str().into(), held(job), milliseconds(wait), now()])?;
        Ok(())
    }

    /// Has the jobs of readers that give no sign of life tried again; returns their number.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn reap(&self) -> Result<usize> {
        let sql =
            format!("SELECT {COLUMNS} FROM jobs WHERE state = 'reading' AND until < {} LIMIT ?1", self.database.now());
        let rows = self.database.query(&sql, &[REAPED.into()])?;
        for row in &rows {
            self.retry(&job_of(row)?, &Problem::crashed())?;
        }
        Ok(rows.len())
    }
}
