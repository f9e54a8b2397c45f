//! What belongs to a job besides its row: its photos, what was seen on them, the game.

use super::{Job, PhotoEntry, Result, Store, Summary, new_id, now, photo_name};
use crate::pipeline::{Ink, PhotoFile, SheetFiles};
use crate::review::{Pin, Reviewed};
use serde::de::DeserializeOwned;
use std::io;

impl Store {
    /// The photos of a job, sheet by sheet.
    pub fn sheets(&self, job: &Job) -> Result<Vec<SheetFiles>> {
        let mut sheets: Vec<SheetFiles> = Vec::new();
        for entry in &job.photos {
            if entry.sheet == sheets.len() {
                sheets.push(SheetFiles { keeper: entry.keeper, pages: Vec::new() });
            }
            let bytes = self.photo(&job.id, entry)?;
            let hint = entry.hint.unwrap_or_default();
            sheets[entry.sheet].pages.push(PhotoFile { hint, ..PhotoFile::new(entry.name.clone(), bytes) });
        }
        Ok(sheets)
    }

    /// The bytes of a photo as they were uploaded.
    pub fn photo(&self, id: &str, entry: &PhotoEntry) -> Result<Vec<u8>> {
        Ok(self.files.read(id, &photo_name(entry))?)
    }

    /// The names of the files of what was seen and of the game.
    pub(super) fn results(&self, id: &str) -> Result<[Option<String>; 2]> {
        let row = self.one("SELECT seen, game FROM jobs WHERE id = ?1", &[id.into()])?;
        let name = |column| row.as_ref().and_then(|row| row.text(column)).map(str::to_owned);
        Ok([name(0), name(1)])
    }

    /// The content of a result: 0 what was seen, 1 the game.
    fn result<T: DeserializeOwned>(&self, id: &str, which: usize) -> Result<T> {
        let mut again = true;
        loop {
            let name = self.results(id)?[which].take();
            let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the job was not read"))?;
            match self.files.read(id, &name) {
                // A correction came in between and the row names another file now.
                Err(error) if error.kind() == io::ErrorKind::NotFound && again => again = false,
                read => return Ok(serde_json::from_slice(&read?)?),
            }
        }
    }

    /// What was read of a job that is done.
    pub fn ink(&self, id: &str) -> Result<Ink> {
        self.result(id, 0)
    }

    /// What was seen on a photo alone (`Kind::Page`).
    #[cfg(feature = "queue")]
    pub fn page<T: DeserializeOwned>(&self, id: &str) -> Result<T> {
        self.result(id, 0)
    }

    /// The game of a job that is done, its pins applied.
    pub fn game(&self, id: &str) -> Result<Reviewed> {
        self.result(id, 1)
    }

    /// The pins of a job.
    pub fn pins(&self, id: &str) -> Result<Vec<Pin>> {
        let row = self.one("SELECT pins FROM jobs WHERE id = ?1", &[id.into()])?;
        Ok(serde_json::from_str(row.as_ref().and_then(|row| row.text(0)).unwrap_or("[]"))?)
    }

    /// Keeps pins with the game that follows from them.
    pub fn set_pins(&self, id: &str, pins: &[Pin], reviewed: &Reviewed) -> Result<()> {
        let [_, old] = self.results(id)?;
        let name = format!("{}.game.json", new_id()?);
        self.files.write(id, &name, &serde_json::to_vec(reviewed)?)?;
        let sql = "UPDATE jobs SET pins = ?2, summary = ?3, game = ?4, problem = NULL, updated = ?5 WHERE id = ?1 AND state = 'done'";
        let summary = serde_json::to_string(&Summary::new(reviewed))?;
        let pins = serde_json::to_string(pins)?;
        let kept =
            self.database.execute(sql, &[id.into(), pins.into(), summary.into(), name.as_str().into(), now()])?;
        // The job is being read again, or is gone.
        let unused = if kept == 1 { old } else { Some(name) };
        Ok(unused.map_or(Ok(()), |name| self.files.remove(id, &name))?)
    }
}
