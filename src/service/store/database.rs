//! The little that is asked of a database, so that SQLite and PostgreSQL run the same statements.

use super::Result;

/// A value that goes into a statement or comes out of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Text(String),
    Int(i64),
    Real(f64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// One row of an answer.
#[derive(Debug, Clone)]
pub struct Row(pub Vec<Value>);

impl Row {
    /// The text in a column; none for NULL.
    pub fn text(&self, column: usize) -> Option<&str> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The number in a column, 0 for what is none.
    pub fn number(&self, column: usize) -> f64 {
        match self.0.get(column) {
            Some(Value::Int(number)) => *number as f64,
            Some(Value::Real(number)) => *number,
            _ => 0.0,
        }
    }

    /// The whole number in a column, 0 for what is none.
    pub fn int(&self, column: usize) -> i64 {
        match self.0.get(column) {
            Some(Value::Int(number)) => *number,
            _ => 0,
        }
    }
}

/// Runs statements, each a transaction of its own. Places are written `?1`, `?2`, ...
pub trait Database: Send + Sync {
    /// The rows that a statement returns.
    fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>>;

    /// The number of rows that a statement changes.
    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize>;

    /// SQL for the time by the database's own clock, in milliseconds since 1970: machines need not agree on the time.
    fn now(&self) -> &'static str;

    /// SQL behind the selection of a row that several may want at once: each gets another one.
    fn skip_locked(&self) -> &'static str;

    /// Removes what deleted rows leave in logs, as far as that can be done.
    fn wipe(&self) -> Result<()> {
        Ok(())
    }
}
