//! Counters in the text format of Prometheus.

use super::store::{State, Store};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What was done since the start.
#[derive(Debug, Default)]
pub struct Metrics {
    read: AtomicU64,
    failed: AtomicU64,
    refused: AtomicU64,
    milliseconds: AtomicU64,
}

impl Metrics {
    pub fn read(&self, time: Duration) {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.milliseconds.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }

    pub fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// All counters, and the number of jobs by state.
    pub fn text(&self, store: &Store) -> String {
        let mut out = String::new();
        let mut add = |name: &str, kind: &str, help: &str, value: f64| {
            let _ = writeln!(
                out,
                "# HELP scoresheet_{name} {help}\n# TYPE scoresheet_{name} {kind}\nscoresheet_{name} {value}"
            );
        };
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        add("jobs_read_total", "counter", "Jobs read since the start.", count(&self.read));
        add("jobs_failed_total", "counter", "Jobs that could not be read since the start.", count(&self.failed));
        add("uploads_refused_total", "counter", "Uploads refused since the start.", count(&self.refused));
        add(
            "reading_seconds_total",
            "counter",
            "Time spent on jobs that were read.",
            count(&self.milliseconds) / 1000.0,
        );
        let _ = writeln!(out, "# HELP scoresheet_jobs Jobs in the store by state.\n# TYPE scoresheet_jobs gauge");
        for state in State::ALL {
            if let Ok(jobs) = store.count(state, None) {
                let _ = writeln!(out, "scoresheet_jobs{{state=\"{}\"}} {jobs}", state.name());
            }
        }
        out
    }
}
