//! Jobs in a SQLite file, for one process.

use super::database::{Database, Row, Value};
use super::{Result, StoreError};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS jobs (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL, stage TEXT,
        progress REAL NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL, attempts INTEGER NOT NULL, language TEXT,
        photos TEXT NOT NULL, pins TEXT NOT NULL, problem TEXT, summary TEXT,
        UNIQUE (owner, hash)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS jobs_owner ON jobs (owner, created DESC, id DESC);";

/// Columns that came later. Jobs of before have their files under fixed names.
const LATER: [(&str, &str); 9] = [
    ("kind", "TEXT NOT NULL DEFAULT 'game'"),
    ("due", "INTEGER NOT NULL DEFAULT 0"),
    ("lease", "TEXT"),
    ("until", "INTEGER NOT NULL DEFAULT 0"),
    ("seen", "TEXT DEFAULT 'ink.json'"),
    ("game", "TEXT DEFAULT 'game.json'"),
    ("dead", "INTEGER NOT NULL DEFAULT 0"),
    ("language_before", "TEXT"),
    ("photos_before", "TEXT"),
];

const INDEX: &str = "
    DROP INDEX IF EXISTS jobs_state;
    CREATE INDEX IF NOT EXISTS jobs_counted ON jobs (state, owner);
    CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (kind, due, id) WHERE state = 'queued';
    CREATE INDEX IF NOT EXISTS jobs_reading ON jobs (id) WHERE state = 'reading';";

/// An open file.
pub struct Sqlite(Mutex<Connection>);

impl Sqlite {
    /// Opens the file, making it if need be.
    ///
    /// # Errors
    /// Where it cannot be used.
    pub fn open(path: &Path) -> Result<Self> {
        let database = Connection::open(path)?;
        database.busy_timeout(Duration::from_secs(10))?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        database.pragma_update(None, "secure_delete", true)?;
        database.execute_batch(SCHEMA)?;
        for (name, definition) in LATER {
            let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('jobs') WHERE name = ?1)";
            if !database.query_row(sql, [name], |row| row.get::<_, bool>(0))? {
                database.execute(&format!("ALTER TABLE jobs ADD COLUMN {name} {definition}"), [])?;
            }
        }
        database.execute_batch(INDEX)?;
        Ok(Self(Mutex::new(database)))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.to_string())
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
        }))
    }
}

fn value(value: ValueRef) -> Value {
    match value {
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
    }
}

impl Database for Sqlite {
    fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let rows = statement.query_map(params_from_iter(values), |row| {
            Ok(Row((0..columns).map(|column| row.get_ref(column).map(value)).collect::<rusqlite::Result<_>>()?))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize> {
        Ok(self.connection().prepare_cached(sql)?.execute(params_from_iter(values))?)
    }

    fn now(&self) -> &'static str {
        "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    }

    fn skip_locked(&self) -> &'static str {
        ""
    }

    fn wipe(&self) -> Result<()> {
        // The write-ahead log still holds the rows.
        Ok(self.connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::{Kind, Retry, State, Store};

    #[test]
    fn jobs_of_before_are_kept() {
        let folder = std::env::temp_dir().join(format!("scoresheet-before-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(folder.join("jobs/one")).unwrap();
        let before = Connection::open(folder.join("jobs.sqlite")).unwrap();
        before.execute_batch(SCHEMA).unwrap();
        let sql = "INSERT INTO jobs (id, owner, hash, state, progress, created, updated, attempts, photos, pins)
                   VALUES ('one', 'me', 'h', 'done', 1, '', '', 1, '[]', '[]')";
        before.execute(sql, []).unwrap();
        drop(before);
        for _ in 0..2 {
            let store = Store::open(&folder, Retry::default()).unwrap();
            let job = store.job("me", "one").unwrap().unwrap();
            assert_eq!((job.state, job.kind), (State::Done, Kind::Game));
            assert_eq!((job.seen.as_deref(), job.game.as_deref()), (Some("ink.json"), Some("game.json")));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
