//! Work on many things at once, and the line that says how far it is.

use crate::error::Result;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Works on every item, `jobs` of them at a time, each on one core: many sheets side by side waste less than one
/// sheet on all cores. Ends early, with the items in hand finished, once `stop` is set or an item fails.
///
/// # Errors
/// The first error of `work`.
pub fn each<T: Sync>(
    items: &[T],
    jobs: usize,
    stop: &AtomicBool,
    work: impl Fn(&T) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    let has_failed = AtomicBool::new(false);
    let one_after_another = || {
        while !stop.load(Ordering::Relaxed) && !has_failed.load(Ordering::Relaxed) {
            let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            if let Err(error) = work(item) {
                has_failed.store(true, Ordering::Relaxed);
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
                Ok(pool) => pool.install(one_after_another),
                Err(_) => one_after_another(),
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// What became of an item, for the counts on the progress line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    Clear,
    ToLookAt,
    NotRead,
}

/// The progress line on standard error: redrawn in place on a terminal, a line now and then elsewhere.
pub struct Progress {
    what: &'static str,
    total: usize,
    start: Instant,
    counts: [AtomicUsize; 3],
    /// When the line was last drawn.
    drawn: Mutex<Instant>,
    quiet: bool,
}

const REDRAW: Duration = Duration::from_millis(250);
const NEW_LINE: Duration = Duration::from_secs(10);

impl Progress {
    /// Counts up to `total`; `what` names the items.
    pub fn new(what: &'static str, total: usize, quiet: bool) -> Self {
        let now = Instant::now();
        Self { what, total, start: now, counts: Default::default(), drawn: Mutex::new(now), quiet }
    }

    /// Counts an item that is done.
    pub fn done(&self, mark: Mark) {
        self.counts[mark as usize].fetch_add(1, Ordering::Relaxed);
        let every = if std::io::stderr().is_terminal() { REDRAW } else { NEW_LINE };
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if drawn.elapsed() >= every {
            *drawn = Instant::now();
            self.draw(false);
        }
    }

    /// Draws the line for the last time.
    pub fn finish(&self) {
        if self.total > 0 {
            self.draw(true);
        }
    }

    fn draw(&self, last: bool) {
        if self.quiet {
            return;
        }
        let counts = [0, 1, 2].map(|at: usize| self.counts[at].load(Ordering::Relaxed));
        let line = line(self.what, self.total, counts, self.start.elapsed());
        let mut out = std::io::stderr().lock();
        // Nobody to read the line is no error.
        drop(match (std::io::stderr().is_terminal(), last) {
            (true, false) => write!(out, "\r\x1b[K{line}").and_then(|()| out.flush()),
            (true, true) => writeln!(out, "\r\x1b[K{line}"),
            (false, _) => writeln!(out, "{line}"),
        });
    }
}

fn line(what: &str, total: usize, [clear, to_look_at, not_read]: [usize; 3], elapsed: Duration) -> String {
    let done = clear + to_look_at + not_read;
    let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
    let left = ((total - done.min(total)) as f64 / rate.max(0.001)).round() as u64;
    format!(
        "{what} {done} of {total} | {rate:.1} a second, {} left | {clear} clear, {to_look_at} to look at, {not_read} not read",
        clock(left)
    )
}

/// Seconds as `m:ss` or `h:mm:ss`.
pub fn clock(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn every_item_is_worked_on_once_and_an_error_ends_the_work() {
        let count = AtomicUsize::new(0);
        let add = |&item: &usize| {
            count.fetch_add(item, Ordering::Relaxed);
            Ok(())
        };
        each(&(0..100).collect::<Vec<_>>(), 3, &AtomicBool::new(false), add).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 4950);
        let fail = |_: &usize| Err(Error::Stopped);
        assert!(each(&[1, 2], 2, &AtomicBool::new(false), fail).is_err());
        each(&[1, 2], 2, &AtomicBool::new(true), fail).unwrap();
    }

    #[test]
    fn the_line_says_how_long_it_takes() {
        let said = line("Photos", 100, [10, 8, 2], Duration::from_secs(10));
        assert_eq!(said, "Photos 20 of 100 | 2.0 a second, 0:40 left | 10 clear, 8 to look at, 2 not read");
        assert_eq!(clock(3725), "1:02:05");
    }
}
