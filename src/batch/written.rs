//! The files that runs leave behind, and what people changed in them since.
//!
//! A list in the folder `work` says what was written last. A file that differs from it is a person's: it stays where
//! nothing new is to be written, and is set aside where something is.

use super::store::{Store, read_json, write_json, write_whole};
use crate::error::{Error, Result};
use crate::hex::hex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Names that a note holds.
const NAMED: usize = 5;

/// The files of a run under way, by their paths below the output folder.
pub struct Written<'a> {
    out: &'a Path,
    list: PathBuf,
    /// The hash of what an earlier run wrote, and of what this run has to write.
    earlier: BTreeMap<String, String>,
    now: BTreeMap<String, String>,
    /// Changed by a person: left as they are, and set aside.
    left: Vec<String>,
    aside: Vec<String>,
}

impl<'a> Written<'a> {
    pub fn new(out: &'a Path, store: &Store) -> Self {
        let list = store.outputs();
        let mut earlier: BTreeMap<String, String> = read_json(&list).unwrap_or_default();
        earlier.retain(|name, _| Path::new(name).components().all(|part| matches!(part, Component::Normal(_))));
        Self { out, list, earlier, now: BTreeMap::new(), left: Vec::new(), aside: Vec::new() }
    }

    /// Writes a file as a whole, unless the same was written before.
    ///
    /// # Errors
    /// [`Error::Write`] where it cannot be written.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let new = hash(bytes);
        let there = self.there(name);
        let same = there.as_ref() == Some(&new);
        if there.is_some() && !same && self.earlier.get(name) == Some(&new) {
            self.left.push(name.to_owned());
        } else if !same {
            self.set_aside(name, there.as_ref())?;
            write_whole(&self.out.join(name), bytes)?;
        }
        self.now.insert(name.to_owned(), new);
        Ok(())
    }

    /// Removes what an earlier run wrote and this one did not, keeps the list, and says what people changed.
    ///
    /// # Errors
    /// [`Error::Write`] where a file cannot be written or moved.
    pub fn finish(mut self) -> Result<Vec<String>> {
        let gone: Vec<String> = self.earlier.keys().filter(|name| !self.now.contains_key(*name)).cloned().collect();
        for name in gone {
            self.set_aside(&name, self.there(&name).as_ref())?;
            drop(std::fs::remove_file(self.out.join(name)));
        }
        write_json(&self.list, &self.now)?;
        let note = |words: &str, names: &[String]| {
            let more = names.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (!names.is_empty()).then(|| format!("{words}: {}{more}.", names[..names.len().min(NAMED)].join(", ")))
        };
        let left = note("Changed by hand and left as they are", &self.left);
        let aside = note("Changed by hand, but read anew since; what was there is kept beside as", &self.aside);
        Ok(left.into_iter().chain(aside).collect())
    }

    /// The hash of what lies there now.
    fn there(&self, name: &str) -> Option<String> {
        std::fs::read(self.out.join(name)).ok().map(|bytes| hash(&bytes))
    }

    /// Renames a file that is not as an earlier run wrote it; `there` is the hash of what lies there.
    fn set_aside(&mut self, name: &str, there: Option<&String>) -> Result<()> {
        if there.is_none() || there == self.earlier.get(name) {
            return Ok(());
        }
        let mut count = 1;
        let mut aside = format!("{name}.edited");
        while self.out.join(&aside).exists() {
            count += 1;
            aside = format!("{name}.edited-{count}");
        }
        let to = self.out.join(&aside);
        std::fs::rename(self.out.join(name), &to)
            .map_err(|cause| Error::Write { path: to.display().to_string(), cause })?;
        self.aside.push(aside);
        Ok(())
    }
}

fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_changed_is_never_lost() {
        let out = std::env::temp_dir().join(format!("scoresheet-written-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&out));
        let store = Store::open(&out).unwrap();
        let run = |files: &[(&str, &str)]| {
            let mut written = Written::new(&out, &store);
            files.iter().for_each(|(name, text)| written.write(name, text.as_bytes()).unwrap());
            written.finish().unwrap()
        };
        let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
        std::fs::write(out.join("games/b.pgn"), "not ours").unwrap();
        let notes = run(&[("games/a.pgn", "first"), ("games/b.pgn", "first")]);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert_eq!((text("games/b.pgn").as_str(), text("games/b.pgn.edited").as_str()), ("first", "not ours"));
        assert!(run(&[("games/a.pgn", "second"), ("games/b.pgn", "first")]).is_empty());
        assert_eq!(text("games/a.pgn"), "second");

        std::fs::write(out.join("games/a.pgn"), "by hand").unwrap();
        let notes = run(&[("games/a.pgn", "second")]);
        assert_eq!(notes, ["Changed by hand and left as they are: games/a.pgn."]);
        assert!(!out.join("games/b.pgn").exists());
        run(&[("games/a.pgn", "third")]);
        assert_eq!((text("games/a.pgn").as_str(), text("games/a.pgn.edited").as_str()), ("third", "by hand"));
        std::fs::write(out.join("games/a.pgn"), "once more").unwrap();
        run(&[]);
        assert_eq!(text("games/a.pgn.edited-2"), "once more");
        std::fs::remove_dir_all(out).unwrap();
    }
}
