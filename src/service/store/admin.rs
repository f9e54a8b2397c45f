//! What those who run the queue or feed it look at.

use super::{COLUMNS, Job, Result, State, Store, job_of, now};

/// The queue at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Number of jobs in each state.
    pub counts: Vec<(State, usize)>,
    /// Seconds that the next job in line has been waiting.
    pub waiting_seconds: i64,
}

/// A job that was put aside although its photos may be good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    pub id: String,
    pub owner: String,
    pub updated: String,
    pub attempts: u32,
    /// File names of its photos.
    pub photos: Vec<String>,
    /// What went wrong last.
    pub problem: String,
}

/// Jobs in one answer.
const SHOWN: i64 = 500;

impl Store {
    /// # Errors
    /// Where the database fails.
    pub fn overview(&self) -> Result<Overview> {
        let counts = State::ALL.into_iter().map(|state| Ok((state, self.count(state, None)?)));
        let counts = counts.collect::<Result<_>>()?;
        let clock = self.database.now();
        let sql =
            format!("SELECT {clock} - due FROM jobs WHERE state = 'queued' AND due <= {clock} ORDER BY due LIMIT 1");
        Ok(Overview { counts, waiting_seconds: self.one(&sql, &[])?.map_or(0, |row| row.int(0) / 1000) })
    }

    /// The jobs that were put aside, the oldest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn dead_letters(&self) -> Result<Vec<DeadLetter>> {
        let sql = format!("SELECT {COLUMNS}, owner FROM jobs WHERE dead = 1 ORDER BY updated, id LIMIT ?1");
        let rows = self.database.query(&sql, &[SHOWN.into()])?;
        let letter = |row: &super::Row| {
            let job = job_of(row)?;
            Ok(DeadLetter {
                owner: row.text(15).unwrap_or_default().to_owned(),
                photos: job.photos.into_iter().map(|photo| photo.name).collect(),
                problem: job.problem.map(|problem| problem.detail).unwrap_or_default(),
                id: job.id,
                updated: job.updated,
                attempts: job.attempts,
            })
        };
        rows.iter().map(letter).collect()
    }

    /// Queues jobs that were put aside once more, all or the one with an id; returns their number.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn revive(&self, id: Option<&str>) -> Result<usize> {
        let sql = format!(
            "UPDATE jobs SET state = 'queued', dead = 0, attempts = 0, progress = 0, problem = NULL, updated = ?2, due = {}
             WHERE dead = 1 AND (CAST(?1 AS TEXT) IS NULL OR id = ?1)",
            self.database.now()
        );
        self.database.execute(&sql, &[id.into(), now()])
    }

    /// Jobs of an owner in a state, some hundred at most.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn some(&self, owner: &str, state: State) -> Result<Vec<Job>> {
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND state = ?2 LIMIT ?3");
        let values = [owner.into(), state.name().into(), SHOWN.into()];
        self.database.query(&sql, &values)?.iter().map(job_of).collect()
    }

    /// True if at least `most` jobs wait.
    ///
    /// # Errors
    /// Where the database fails.
    pub fn is_full(&self, most: usize) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' LIMIT ?1) AS waiting";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Ok(self.one(sql, &[most.into()])?.is_some_and(|row| row.int(0) >= most))
    }
}
