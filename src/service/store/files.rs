//! Where the photos of jobs lie, and what was read on them.

use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the address of an object store begins, which may stand in place of a folder.
pub const SCHEME: &str = "s3://";

/// Files by job and name. A file is there as a whole or not at all, and is never changed once it is there.
pub trait Files: Send + Sync {
    /// Keeps a file; when this returns, it survives a crash.
    fn write(&self, job: &str, name: &str, bytes: &[u8]) -> Result<()>;

    /// The content of a file.
    fn read(&self, job: &str, name: &str) -> Result<Vec<u8>>;

    /// The names of a job's files, in any order.
    fn names(&self, job: &str) -> Result<Vec<String>>;

    /// Removes a file; one that is not there is no error.
    fn remove(&self, job: &str, name: &str) -> Result<()>;

    /// Removes all files of a job.
    fn remove_job(&self, job: &str) -> Result<()>;

    /// Every job whose files are at least so old.
    fn jobs(&self, age: Duration) -> Result<Vec<String>>;
}

/// A folder for each job below a folder, which may be shared over a network.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes the folder if need be.
    ///
    /// # Errors
    /// Where that cannot be done.
    pub fn open(path: &Path) -> Result<Self> {
        std::fs::create_dir_all(path)?;
        Ok(Self(path.to_owned()))
    }
}

fn unless_gone(result: Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn entries(folder: &Path) -> Result<Vec<String>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

impl Files for Folder {
    fn write(&self, job: &str, name: &str, bytes: &[u8]) -> Result<()> {
        let folder = self.0.join(job);
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Written beside the name, then renamed.
        let beside = folder.join(format!("{name}.new"));
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        std::fs::rename(&beside, folder.join(name))
    }

    fn read(&self, job: &str, name: &str) -> Result<Vec<u8>> {
        let path = self.0.join(job).join(name);
        std::fs::read(&path).map_err(|error| Error::new(error.kind(), format!("{}: {error}", path.display())))
    }

    fn names(&self, job: &str) -> Result<Vec<String>> {
        match entries(&self.0.join(job)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            names => names,
        }
    }

    fn remove(&self, job: &str, name: &str) -> Result<()> {
        unless_gone(std::fs::remove_file(self.0.join(job).join(name)))
    }

    fn remove_job(&self, job: &str) -> Result<()> {
        unless_gone(std::fs::remove_dir_all(self.0.join(job)))
    }

    fn jobs(&self, age: Duration) -> Result<Vec<String>> {
        let mut jobs = entries(&self.0)?;
        jobs.retain(|job| {
            let changed = std::fs::metadata(self.0.join(job)).and_then(|folder| folder.modified());
            age.is_zero() || changed.is_ok_and(|time| time.elapsed().is_ok_and(|elapsed| elapsed >= age))
        });
        Ok(jobs)
    }
}
