//! What is done, line by line: a journal that survives being killed at any moment.
//!
//! Every line is a JSON record that is on the disk before the next sheet begins. A line that was cut short is passed
//! over, so that its work is done again.

use super::pages::Seen;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A line of the journal. `reader` names program and model: what another reader did counts for nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "done", rename_all = "snake_case")]
pub enum Entry {
    /// A photo was looked at.
    Page { reader: String, hash: String, seen: Seen },
    /// A page that starts late was tried behind others.
    Follows {
        reader: String,
        hash: String,
        /// Names the pages that it was tried behind.
        among: String,
        /// The page that it follows, if any.
        after: Option<String>,
    },
    /// A game was put together; it lies in a file of its own.
    Game { reader: String, key: String },
}

/// What the journal says.
#[derive(Debug, Default)]
pub struct Done {
    /// By the photo's hash.
    pub pages: HashMap<String, Seen>,
    /// By the photo's hash and the name of what it was tried behind.
    pub follows: HashMap<(String, String), Option<String>>,
    pub games: std::collections::HashSet<String>,
}

/// The journal, open for writing; one run at a time holds it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Opens or makes the journal, and says what the given reader has done.
    ///
    /// # Errors
    /// [`Error::Open`] where the file cannot be used, [`Error::Usage`] where another run holds it.
    pub fn open(path: &Path, reader: &str) -> Result<(Self, Done)> {
        let open = |cause| Error::Open { path: path.display().to_string(), cause };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(open)?;
        if file.try_lock().is_err() {
            return Err(Error::Usage(format!(
                "{} is in use by another run. Wait for it, or give another folder with --out.",
                path.display()
            )));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(open)?;
        let mut done = Done::default();
        for line in bytes.split(|&byte| byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(Entry::Page { reader: by, hash, seen }) if by == reader => drop(done.pages.insert(hash, seen)),
                Ok(Entry::Follows { reader: by, hash, among, after }) if by == reader => {
                    done.follows.insert((hash, among), after);
                }
                Ok(Entry::Game { reader: by, key }) if by == reader => drop(done.games.insert(key)),
                _ => {}
            }
        }
        if bytes.last().is_some_and(|&last| last != b'\n') {
            file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(b"\n")).map_err(open)?;
        }
        Ok((Self { path: path.to_path_buf(), file: Mutex::new(file) }, done))
    }

    /// Adds a record and waits until it is on the disk.
    ///
    /// # Errors
    /// [`Error::Write`] where it cannot be written.
    pub fn add(&self, entry: &Entry) -> Result<()> {
        let write_error = |cause| Error::Write { path: self.path.display().to_string(), cause };
        let mut line = serde_json::to_vec(entry).map_err(|error| write_error(error.into()))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).and_then(|()| file.sync_data()).map_err(write_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cut_short_is_passed_over_and_another_reader_counts_for_nothing() {
        let path = std::env::temp_dir().join(format!("scoresheet-journal-{}", std::process::id()));
        drop(std::fs::remove_file(&path));
        let game = |reader: &str, key: &str| Entry::Game { reader: reader.to_owned(), key: key.to_owned() };
        let (journal, _) = Journal::open(&path, "now").unwrap();
        journal.add(&game("now", "one")).unwrap();
        journal.add(&game("then", "two")).unwrap();
        assert!(matches!(Journal::open(&path, "now"), Err(Error::Usage(_))));
        drop(journal);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(b"{\"done\":\"game\",\"reader\":\"now\",\"ke");
        std::fs::write(&path, &bytes).unwrap();
        let (journal, done) = Journal::open(&path, "now").unwrap();
        assert_eq!(done.games.iter().collect::<Vec<_>>(), ["one"]);
        journal.add(&game("now", "three")).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, "now").unwrap().1.games.len(), 2);
        std::fs::remove_file(&path).unwrap();
    }
}
