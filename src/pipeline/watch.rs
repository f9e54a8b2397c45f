//! Following a reading from outside, and stopping it.

use crate::error::{Error, Result};
use std::fmt;
use std::sync::Arc;

/// What is called before each stage of each page, with the stage's name: false stops the reading.
type Listener = dyn Fn(&str) -> bool + Send + Sync;

/// Hears of every stage as it begins, and may stop the reading there. The default hears nothing.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Listener>>);

impl Watch {
    /// A watch that calls `listener` before each stage of each page; false stops the reading.
    pub fn new(listener: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// Called before a stage.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the listener says so.
    pub(super) fn at(&self, stage: &str) -> Result<()> {
        match &self.0 {
            Some(listener) if !listener(stage) => Err(Error::Stopped),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(listening)" } else { "Watch" })
    }
}
