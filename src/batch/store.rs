//! The folder in which a run keeps what it needs to go on: page files, games, and the writing of files as a whole.

use super::pages::PageFile;
use crate::error::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Checks that a run may put its files into a folder.
///
/// # Errors
/// [`Error::Usage`] where it holds the photos, or files and no earlier run.
pub fn check_out(dir: &Path, out: &Path) -> Result<()> {
    if dir.canonicalize().is_ok_and(|dir| out.canonicalize().is_ok_and(|out| dir.starts_with(out))) {
        return Err(Error::Usage(format!("{} holds the photos. Give a folder of its own with --out.", out.display())));
    }
    let visible = |entry: std::fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    if !pages_of(out).is_dir() && std::fs::read_dir(out).into_iter().flatten().flatten().any(visible) {
        return Err(Error::Usage(format!(
            "{} holds files that are not of an earlier run. Give a new or an empty folder with --out, so that none of them is lost.",
            out.display()
        )));
    }
    Ok(())
}

/// The folder of page files, which is made first of all.
fn pages_of(out: &Path) -> PathBuf {
    out.join("work").join("pages")
}

/// The folder `work` of the output.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// Makes the folders.
    ///
    /// # Errors
    /// [`Error::Write`] where they cannot be made.
    pub fn open(out: &Path) -> Result<Self> {
        let store = Self { root: out.join("work") };
        for folder in [pages_of(out), store.root.join("games"), out.join("games")] {
            std::fs::create_dir_all(&folder).map_err(|cause| write_error(&folder, cause))?;
            sweep(&folder);
        }
        sweep(out);
        Ok(store)
    }

    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.jsonl")
    }

    /// The list of the files that the last run wrote, with their hashes.
    pub fn outputs(&self) -> PathBuf {
        self.root.join("outputs.json")
    }

    fn page(&self, hash: &str) -> PathBuf {
        self.root.join("pages").join(format!("{hash}.json"))
    }

    fn game(&self, key: &str) -> PathBuf {
        self.root.join("games").join(format!("{key}.json"))
    }

    /// # Errors
    /// [`Error::Write`] where it cannot be written.
    pub fn write_page(&self, hash: &str, page: &PageFile) -> Result<()> {
        write_json(&self.page(hash), page)
    }

    /// What was kept of a page; none if it is gone or damaged.
    pub fn read_page(&self, hash: &str) -> Option<PageFile> {
        read_json(&self.page(hash))
    }

    /// # Errors
    /// [`Error::Write`] where it cannot be written.
    pub fn write_game(&self, key: &str, game: &impl Serialize) -> Result<()> {
        write_json(&self.game(key), game)
    }

    /// What was kept of a game; none if it is gone or damaged.
    pub fn read_game<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        read_json(&self.game(key))
    }

    /// Deletes the page files, which are large, once every game is put together.
    pub fn forget_pages(&self) {
        let folder = self.root.join("pages");
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // What cannot be deleted now is deleted by the next run.
            drop(std::fs::remove_file(entry.path()));
        }
    }
}

/// Ends the names of files that are being written.
const UNFINISHED: &str = ".unfinished";

/// Deletes what a killed run left half written.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(UNFINISHED) {
            drop(std::fs::remove_file(entry.path()));
        }
    }
}

/// Reads a JSON file; none if it is not there or damaged.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Writes a JSON file as a whole.
///
/// # Errors
/// [`Error::Write`] where it cannot be written.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let bytes = serde_json::to_vec(value).map_err(|error| write_error(path, error.into()))?;
    write_whole(path, &bytes)
}

/// Writes beside the name, waits for the disk, then renames: a reader sees the old file or the new one, whole.
///
/// # Errors
/// [`Error::Write`] where it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}{UNFINISHED}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let beside = PathBuf::from(beside);
    let write = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|cause| {
        drop(std::fs::remove_file(&beside));
        write_error(path, cause)
    })
}

fn write_error(path: &Path, cause: std::io::Error) -> Error {
    Error::Write { path: path.display().to_string(), cause }
}
