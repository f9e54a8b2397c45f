//! Jobs in PostgreSQL, for any number of processes on any number of machines.

use super::database::{Database, Row, Value};
use super::encrypted::Tls;
use super::{Result, StoreError};
use postgres::config::SslMode;
use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Statement};
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The lock keeps processes that start together from making the table twice. Rows leave room for a new version of
/// themselves, since the progress of a job changes its row several times.
const SCHEMA: &str = r#"
    BEGIN;
    SELECT pg_advisory_xact_lock(7033412905);
    CREATE TABLE IF NOT EXISTS jobs (
        id TEXT COLLATE "C" PRIMARY KEY, owner TEXT NOT NULL, hash TEXT NOT NULL, kind TEXT COLLATE "C" NOT NULL,
        state TEXT NOT NULL, stage TEXT, progress DOUBLE PRECISION NOT NULL, created TEXT COLLATE "C" NOT NULL,
        updated TEXT COLLATE "C" NOT NULL, attempts BIGINT NOT NULL, language TEXT, photos TEXT NOT NULL,
        pins TEXT NOT NULL, problem TEXT, summary TEXT, due BIGINT NOT NULL, lease TEXT,
        until BIGINT NOT NULL DEFAULT 0, seen TEXT, game TEXT, dead BIGINT NOT NULL DEFAULT 0,
        UNIQUE (owner, hash)
    ) WITH (fillfactor = 70);
    ALTER TABLE jobs ADD COLUMN IF NOT EXISTS language_before TEXT, ADD COLUMN IF NOT EXISTS photos_before TEXT;
    CREATE INDEX IF NOT EXISTS jobs_owner ON jobs (owner, created DESC, id DESC);
    CREATE INDEX IF NOT EXISTS jobs_counted ON jobs (state, owner);
    CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (kind, due, id) WHERE state = 'queued';
    CREATE INDEX IF NOT EXISTS jobs_reading ON jobs (id) WHERE state = 'reading';
    CREATE INDEX IF NOT EXISTS jobs_dead ON jobs (id) WHERE dead = 1;
    COMMIT;"#;

/// Connections of one process; more work than that waits.
const CONNECTIONS: usize = 8;
/// Longest time for reaching the server, and for a sign of life from it.
const PATIENCE: Duration = Duration::from_secs(10);

/// A database and the connections to it.
pub struct Postgres {
    config: Config,
    /// Where the address asks for encryption.
    tls: Option<Tls>,
    pool: Mutex<Pool>,
    freed: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// Idle and in use.
    open: usize,
}

struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        let cause = std::error::Error::source(&error).map(|cause| format!(" ({cause})")).unwrap_or_default();
        Self::Database(format!("{error}{cause}"))
    }
}

impl Postgres {
    /// Reaches the database at an address such as `postgresql://user:password@host/name` and makes the table if need
    /// be. With `?sslmode=require` the connection is encrypted, and the server's certificate and name are checked as with
    /// `verify-full`, which means the same here; without it nothing is encrypted.
    ///
    /// # Errors
    /// Where the address is malformed, or the server cannot be reached, is not trusted or refuses.
    pub fn open(address: &str) -> Result<Self> {
        let address = address.replace("sslmode=verify-full", "sslmode=require");
        let mut config: Config = address.parse()?;
        let tls = (config.get_ssl_mode() == SslMode::Require).then(Tls::new).transpose()?;
        config.connect_timeout(PATIENCE).tcp_user_timeout(PATIENCE).application_name("scoresheet");
        let postgres = Self { config, tls, pool: Mutex::default(), freed: Condvar::new() };
        postgres.run(|connection| connection.client.batch_execute(SCHEMA))?;
        Ok(postgres)
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a connection.
    fn take(&self) -> Result<Connection> {
        let mut pool = self.pool();
        loop {
            if let Some(connection) = pool.idle.pop() {
                return Ok(connection);
            }
            if pool.open < CONNECTIONS {
                break;
            }
            pool = self.freed.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        pool.open += 1;
        drop(pool);
        let connected = match &self.tls {
            Some(tls) => self.config.connect(tls.clone()),
            None => self.config.connect(NoTls),
        };
        connected.map(|client| Connection { client, statements: HashMap::new() }).map_err(|error| {
            self.close(1);
            error.into()
        })
    }

    fn close(&self, connections: usize) {
        self.pool().open -= connections;
        self.freed.notify_all();
    }

    /// Works with a connection. If it turns out to be lost, as after a restart of the server, the work is done once
    /// more with a new one: every statement here may be run twice without harm.
    fn run<T>(&self, work: impl Fn(&mut Connection) -> std::result::Result<T, postgres::Error>) -> Result<T> {
        let mut again = true;
        loop {
            let mut connection = self.take()?;
            let outcome = work(&mut connection);
            let lost = outcome.as_ref().is_err_and(is_lost) || connection.client.is_closed();
            if lost {
                drop(connection);
                // The others were most likely lost at the same time.
                let stale = std::mem::take(&mut self.pool().idle);
                let count = stale.len() + 1;
                drop(stale);
                self.close(count);
            } else {
                self.pool().idle.push(connection);
                self.freed.notify_one();
            }
            match outcome {
                Err(_) if lost && again => again = false,
                outcome => return Ok(outcome?),
            }
        }
    }
}

fn is_lost(error: &postgres::Error) -> bool {
    let stopping = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::CANNOT_CONNECT_NOW];
    error.is_closed() || error.as_db_error().is_none_or(|error| stopping.contains(error.code()))
}

impl Connection {
    fn statement(&mut self, sql: &str) -> std::result::Result<Statement, postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&sql.replace('?', "$"))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn bound(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    let bound = |value| -> &(dyn ToSql + Sync) {
        match value {
            // Only columns of text are ever without a value.
            &Value::Null => &None::<&str>,
            Value::Text(text) => text,
            Value::Int(number) => number,
            Value::Real(number) => number,
        }
    };
    values.iter().map(bound).collect()
}

fn row(row: &postgres::Row) -> std::result::Result<Row, postgres::Error> {
    let value = |(index, column): (usize, &postgres::Column)| {
        Ok(match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(index)?.into(),
            Type::FLOAT8 => row.try_get::<_, Option<f64>>(index)?.into(),
            _ => row.try_get::<_, Option<String>>(index)?.into(),
        })
    };
    row.columns().iter().enumerate().map(value).collect::<std::result::Result<_, _>>().map(Row)
}

impl Database for Postgres {
    fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        self.run(|connection| {
            let statement = connection.statement(sql)?;
            connection.client.query(&statement, &bound(values))?.iter().map(row).collect()
        })
    }

    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize> {
        let changed = self.run(|connection| {
            let statement = connection.statement(sql)?;
            connection.client.execute(&statement, &bound(values))
        })?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn now(&self) -> &'static str {
        "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
    }

    fn skip_locked(&self) -> &'static str {
        "FOR UPDATE SKIP LOCKED"
    }
}
