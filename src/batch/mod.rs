//! A folder of photos becomes games: found, paired, read, kept, and told apart by how much they need a person.
//!
//! ```text
//! folder ─ walk ─▶ [Photo] ─ pages ─▶ [PageRecord] ─ similar, group, follow ─▶ [Group] ─ games ─▶ [GameRecord]
//! [GameRecord] + names + tournament file ─ finish ─▶ [Finished] ─ output, report ─▶ PGN, CSV, JSON lines, HTML
//! ```
//!
//! Whatever takes time is written down in the `journal` when it is done, under the hash of the photo's bytes, so
//! that a run that was killed goes on where it was.

mod archive;
pub mod event;
mod finish;
mod follow;
mod games;
mod group;
mod join;
mod journal;
mod names;
mod output;
mod pages;
mod pool;
#[cfg(feature = "queue")]
mod remote;
mod report;
mod similar;
mod store;
mod triage;
mod walk;
mod written;

pub use finish::{Finished, Tag};
#[cfg(feature = "queue")]
pub use remote::Queue;
pub use report::in_words;
pub use triage::Triage;
pub use walk::WalkLimits;

use crate::error::{Error, Result};
use crate::pipeline::recognise::{Recogniser, fingerprint};
use crate::pipeline::{ReadOptions, photo::apart};
use event::Pairing;
use games::{GameRecord, SheetHashes};
use group::{Candidate, Group};
use journal::{Done, Entry, Journal};
use names::Hints;
use pages::{LookedAt, PageFile, PageRecord, Seen};
use pool::{Mark, Progress};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use store::Store;
use walk::{Found, Photo};

/// What to read, where to put it, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    pub dir: PathBuf,
    pub out: PathBuf,
    /// Sheets read at the same time, each on one core.
    pub jobs: usize,
    pub limits: WalkLimits,
    pub read: ReadOptions,
    /// Who played whom, from a tournament file.
    pub pairings: Vec<Pairing>,
    /// No progress line.
    pub quiet: bool,
    /// Where other processes take the photos to read; this process reads them itself if none.
    #[cfg(feature = "queue")]
    pub queue: Option<Queue>,
}

/// What a run did.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    pub photos: usize,
    /// Photos read by this run; the others were read before.
    pub read_now: usize,
    /// The run was stopped before all was read: nothing was written but the journal.
    pub stopped: bool,
    pub games: Vec<Finished>,
    /// Files that cannot be read, with the reason.
    pub unread: usize,
    /// What else the person should know, in sentences.
    pub notes: Vec<String>,
    pub seconds: f64,
}

impl Summary {
    /// Games of a triage.
    pub fn count(&self, triage: Triage) -> usize {
        self.games.iter().filter(|game| game.triage == triage).count()
    }
}

/// Reads all photos below a folder. Setting `stop` ends the run after the sheets in hand; another run goes on there.
///
/// # Errors
/// Where the folders cannot be used or the model fails. A photo that cannot be read stops nothing.
pub fn run(settings: &Settings, recogniser: &dyn Recogniser, stop: &AtomicBool) -> Result<Summary> {
    let start = std::time::Instant::now();
    store::check_out(&settings.dir, &settings.out)?;
    let mut found = walk::walk(&settings.dir, &settings.out, &settings.limits)?;
    if found.photos.is_empty() && found.refused.is_empty() {
        let notes = if found.notes.is_empty() { "Check the folder.".to_owned() } else { found.notes.join(" ") };
        return Err(Error::Usage(format!("No photo was found in {}. {notes}", settings.dir.display())));
    }
    let store = Store::open(&settings.out)?;
    let reader = reader(&settings.read)?;
    let (journal, done) = Journal::open(&store.journal(), &reader)?;
    let batch = Batch { settings, recogniser, stop, store, journal, reader, read_now: AtomicUsize::new(0) };
    let mut summary = Summary { photos: found.photos.len(), ..Summary::default() };
    let games = batch.games(&mut found, &done)?;
    summary.read_now = batch.read_now.load(Ordering::Relaxed);
    summary.seconds = start.elapsed().as_secs_f64();
    match games {
        Some(games) => {
            summary.unread = games.iter().filter(|game| game.game.is_err()).count();
            summary.games = games;
            summary.notes.extend(event::in_words(&settings.pairings, &summary.games));
            output::write(settings, &batch.store, &mut summary, &found)?;
            batch.store.forget_pages();
        }
        None => summary.stopped = true,
    }
    Ok(summary)
}

/// Program, models and options: what they read is read again when one of them changes.
fn reader(options: &ReadOptions) -> Result<String> {
    let models = fingerprint()?;
    let language = options.decode.language.as_deref().unwrap_or("any");
    Ok(format!("{} {models} {language}", env!("CARGO_PKG_VERSION")))
}

/// A photo that another process looked at.
#[cfg(feature = "service")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct PageResult {
    /// Who looked, as in the journal.
    reader: String,
    looked: LookedAt,
}

/// Looks at a photo for a run in another process; `hash` names it.
///
/// # Errors
/// Where the model fails.
#[cfg(feature = "service")]
pub(crate) fn read_page(
    hash: &str,
    bytes: Vec<u8>,
    recogniser: &dyn Recogniser,
    options: &ReadOptions,
) -> Result<PageResult> {
    Ok(PageResult { reader: reader(options)?, looked: pages::look(hash, bytes, recogniser, options)? })
}

/// A run under way.
struct Batch<'a> {
    settings: &'a Settings,
    recogniser: &'a dyn Recogniser,
    stop: &'a AtomicBool,
    store: Store,
    journal: Journal,
    reader: String,
    read_now: AtomicUsize,
}

impl Batch<'_> {
    /// Everything that was found, as games; sheets that lie apart in a photo take its place. None if the run was stopped.
    fn games(&self, found: &mut Found, done: &Done) -> Result<Option<Vec<Finished>>> {
        let Some(mut seen) = self.look_at(&found.photos, done)? else { return Ok(None) };
        found.photos = part(&found.photos, &mut seen);
        let pages = Pages::new(&found.photos, &seen);
        let groups = self.groups(&pages, done)?;
        let Some(records) = self.put_together(&pages, &groups, done)? else { return Ok(None) };
        let games = finish::finish(&pages, self.settings, &groups, records);
        Ok(Some(finish::add_unread(games, found, &seen)))
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Reads the photos that no run has read yet, each alone. None if the run was stopped.
    fn look_at(&self, photos: &[Photo], done: &Done) -> Result<Option<HashMap<String, Seen>>> {
        let new: Vec<&Photo> = photos.iter().filter(|photo| !done.pages.contains_key(&photo.hash)).collect();
        let mut seen = done.pages.clone();
        let now = Mutex::new(Vec::new());
        let progress = Progress::new("Photos", new.len(), self.settings.quiet);
        let tell = |photo: &Photo, outcome: Seen| {
            progress.done(mark(&outcome));
            now.lock().unwrap_or_else(PoisonError::into_inner).push((photo.hash.clone(), outcome));
        };
        self.look_at_all(&new, &tell)?;
        progress.finish();
        seen.extend(now.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok((!self.stopped()).then_some(seen))
    }

    fn look_at_all(&self, photos: &[&Photo], tell: &(dyn Fn(&Photo, Seen) + Sync)) -> Result<()> {
        #[cfg(feature = "queue")]
        if let Some(queue) = &self.settings.queue {
            return remote::look_at_all(self, queue, photos, tell);
        }
        pool::each(photos, self.settings.jobs, self.stop, |photo| {
            tell(photo, self.look(photo)?);
            Ok(())
        })
    }

    fn look(&self, photo: &Photo) -> Result<Seen> {
        match photo.bytes() {
            Ok(bytes) => self.keep(photo, pages::look(&photo.hash, bytes, self.recogniser, &self.settings.read)?),
            // Not the photo's fault: the next run tries again.
            Err(error) => Ok(Seen::Failed(error.to_string())),
        }
    }

    /// Writes down what became of a photo.
    fn keep(&self, photo: &Photo, LookedAt { seen, files }: LookedAt) -> Result<Seen> {
        for (sheet, file) in files.iter().enumerate() {
            if let Some(file) = file {
                self.store.write_page(&apart::name(&photo.hash, sheet, files.len()), file)?;
            }
        }
        self.read_now.fetch_add(1, Ordering::Relaxed);
        self.journal.add(&Entry::Page { reader: self.reader.clone(), hash: photo.hash.clone(), seen: seen.clone() })?;
        Ok(seen)
    }

    /// What is kept of a page, read again if it is gone.
    fn page_file(&self, photo: &Photo) -> Result<Option<PageFile>> {
        if let Some(page) = self.store.read_page(&photo.hash) {
            return Ok(Some(page));
        }
        self.look(photo)?;
        Ok(self.store.read_page(&photo.hash))
    }

    /// Games from pages.
    fn groups(&self, pages: &Pages, done: &Done) -> Result<Vec<Group>> {
        let candidates = pages.candidates();
        let mut groups = group::group(&candidates);
        follow::place_late(self, pages, &candidates, &mut groups, done)?;
        Ok(groups)
    }

    /// Decodes the games that no run has decoded yet. None if the run was stopped.
    fn put_together(&self, pages: &Pages, groups: &[Group], done: &Done) -> Result<Option<Vec<GameRecord>>> {
        let keys: Vec<String> = groups.iter().map(|group| games::key(&self.reader, &pages.hashes(group))).collect();
        let records: Vec<Mutex<Option<GameRecord>>> = keys
            .iter()
            .map(|key| Mutex::new(done.games.contains(key).then(|| self.store.read_game(key)).flatten()))
            .collect();
        let hold = |index: usize| records[index].lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<usize> = (0..groups.len()).filter(|&index| hold(index).is_none()).collect();
        let progress = Progress::new("Games", new.len(), self.settings.quiet);
        pool::each(&new, self.settings.jobs, self.stop, |&index| {
            let record = self.game(pages, &groups[index])?;
            self.store.write_game(&keys[index], &record)?;
            self.journal.add(&Entry::Game { reader: self.reader.clone(), key: keys[index].clone() })?;
            progress.done(match &record.game {
                Ok(game) if triage::triage(game).0 == Triage::A => Mark::Clear,
                Ok(_) => Mark::ToLookAt,
                Err(_) => Mark::NotRead,
            });
            *hold(index) = Some(record);
            Ok(())
        })?;
        progress.finish();
        let records: Option<Vec<GameRecord>> =
            records.into_iter().map(|record| record.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        Ok(records.filter(|_| !self.stopped()))
    }

    fn game(&self, pages: &Pages, group: &Group) -> Result<GameRecord> {
        let mut sheets = Vec::new();
        for sheet in &group.sheets {
            let mut files = Vec::new();
            for &page in sheet {
                files.extend(self.page_file(pages.photos[page])?);
            }
            if !files.is_empty() {
                sheets.push((pages.hints[sheet[0]].keeper, files));
            }
        }
        let mut record = games::put_together(sheets, &self.settings.read.decode);
        if let (Err(why), Some(&first)) = (&mut record.game, group.sheets.iter().flatten().next())
            && why.is_empty()
        {
            *why = pages.records[first].alone.clone().unwrap_or_default();
        }
        Ok(record)
    }
}

fn mark(seen: &Seen) -> Mark {
    match seen {
        Seen::Page(page) if page.alone.is_some() => Mark::ToLookAt,
        Seen::Page(page) if page.clear == page.moves.len() => Mark::Clear,
        Seen::Page(_) => Mark::ToLookAt,
        Seen::Sheets(sheets) => sheets.iter().map(mark).max().unwrap_or(Mark::NotRead),
        Seen::Failed(_) => Mark::NotRead,
    }
}

/// Photos with those that show several sheets parted into one for each, and what became of these.
fn part(photos: &[Photo], seen: &mut HashMap<String, Seen>) -> Vec<Photo> {
    let mut parted = Vec::new();
    for photo in photos {
        let Some(Seen::Sheets(of)) = seen.get(&photo.hash) else {
            parted.push(photo.clone());
            continue;
        };
        let (of, sheets) = (of.clone(), photo.sheets(of.len()));
        seen.extend(sheets.iter().map(|sheet| sheet.hash.clone()).zip(of));
        parted.extend(sheets);
    }
    parted
}

/// The photos that hold a page, in the order of their names.
struct Pages<'a> {
    photos: Vec<&'a Photo>,
    records: Vec<&'a PageRecord>,
    hints: Vec<Hints>,
}

impl<'a> Pages<'a> {
    fn new(photos: &'a [Photo], seen: &'a HashMap<String, Seen>) -> Self {
        let mut pages = Self { photos: Vec::new(), records: Vec::new(), hints: Vec::new() };
        for photo in photos {
            if let Some(Seen::Page(record)) = seen.get(&photo.hash) {
                pages.photos.push(photo);
                pages.records.push(record);
                pages.hints.push(names::hints(&photo.name));
            }
        }
        pages
    }

    fn candidates(&self) -> Vec<Candidate<'_>> {
        self.records.iter().zip(&self.hints).map(|(record, hints)| Candidate { record, hints }).collect()
    }

    /// The sheets of a group by the hashes of their pages.
    fn hashes(&self, group: &Group) -> Vec<SheetHashes> {
        let hashes = |sheet: &Vec<usize>| sheet.iter().map(|&page| self.photos[page].hash.clone()).collect();
        group.sheets.iter().map(|sheet| (self.hints[sheet[0]].keeper, hashes(sheet))).collect()
    }
}

/// Files that were found but hold no page, for the report.
fn failed<'a>(found: &'a Found, seen: &'a HashMap<String, Seen>) -> Vec<(&'a str, String)> {
    let refused = found.refused.iter().map(|file| (file.name.as_str(), file.sentence.clone()));
    let failed = found.photos.iter().filter_map(|photo| match seen.get(&photo.hash) {
        Some(Seen::Failed(sentence)) => Some((photo.name.as_str(), sentence.replace(&photo.hash, &photo.name))),
        _ => None,
    });
    refused.chain(failed).collect()
}
