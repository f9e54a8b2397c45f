//! Labelled sheets: photos, what was written on them, what was played, and the ink that was seen before.

use crate::error::{Error, Result};
use crate::game::Colour;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::{Ink, PhotoFile, ReadOptions, SheetFiles, read_ink};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Number and colour of a move.
pub(super) type Place = (u32, Colour);

/// One photo with what its hand wrote.
#[derive(Debug, Clone)]
pub(super) struct Page {
    path: PathBuf,
    pub written: BTreeMap<Place, String>,
}

/// One or two sheets of a game, read together, with the moves played; none where the truth is not trusted.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub game: String,
    pub pages: Vec<Page>,
    pub played: BTreeMap<Place, Option<String>>,
}

/// Labelled sheets.
#[derive(Debug, Clone)]
pub struct Dataset {
    pub(super) cases: Vec<Case>,
    /// Where inks are kept.
    inks: Option<PathBuf>,
}

impl Dataset {
    /// Reads the labels of a data set. With `two_sheets` the first two pages of a game are one case, and games with
    /// any other number of pages are left out.
    ///
    /// # Errors
    /// [`Error::Open`] if a file is missing, [`Error::Usage`] if a table lacks a column or the set is empty.
    pub fn open(dir: &Path, two_sheets: bool) -> Result<Self> {
        let mut written: BTreeMap<String, BTreeMap<Place, String>> = BTreeMap::new();
        for [page, number, colour, text] in table(&dir.join("written.csv"), ["page", "number", "colour", "written"])? {
            written.entry(page).or_default().insert(place(&number, &colour)?, text);
        }
        let mut played: BTreeMap<String, BTreeMap<Place, Option<String>>> = BTreeMap::new();
        for [game, number, colour, san, trusted] in
            table(&dir.join("played.csv"), ["game", "number", "colour", "san", "trusted"])?
        {
            let san = (trusted == "1").then_some(san);
            played.entry(game).or_default().insert(place(&number, &colour)?, san);
        }
        let folder = dir.join("pages");
        let open = |cause| Error::Open { path: folder.display().to_string(), cause };
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .map_err(open)?
            .filter_map(|entry| entry.ok().map(|entry| entry.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort();
        let mut by_game: BTreeMap<String, Vec<Page>> = BTreeMap::new();
        for name in names {
            let game = name.split(['_', '.']).next().unwrap_or_default().to_owned();
            let page = Page { path: folder.join(&name), written: written.get(&name).cloned().unwrap_or_default() };
            by_game.entry(game).or_default().push(page);
        }
        let mut cases = Vec::new();
        for (game, pages) in by_game {
            let truth = played.get(&game).cloned().unwrap_or_default();
            if !two_sheets {
                let one = |page| Case { game: game.clone(), pages: vec![page], played: truth.clone() };
                cases.extend(pages.into_iter().map(one));
            } else if pages.len() == 2 {
                cases.push(Case { game, pages, played: truth });
            }
        }
        if cases.is_empty() {
            return Err(Error::Usage(format!("{}: no pages to score", dir.display())));
        }
        Ok(Self { cases, inks: None })
    }

    /// Keeps the games whose number does not divide by `every`: those that a model may be fitted on.
    pub fn select_others(&mut self, every: u32) {
        self.cases.retain(|case| case.game.parse::<u32>().is_ok_and(|number| !number.is_multiple_of(every)));
    }

    /// Keeps the games whose number divides by `every`, and of these the first `limit` cases.
    pub fn select(&mut self, every: Option<u32>, limit: Option<usize>) {
        if let Some(every) = every.filter(|&every| every > 0) {
            self.cases.retain(|case| case.game.parse::<u32>().is_ok_and(|number| number.is_multiple_of(every)));
        }
        self.cases.truncate(limit.unwrap_or(usize::MAX));
    }

    /// Keeps what is seen on the photos in a folder, and takes it from there the next time: decoding alone takes a
    /// tenth of the time. Only as long as nothing before the decoder changes.
    pub fn keep_inks(&mut self, folder: Option<PathBuf>) {
        self.inks = folder;
    }

    /// What is seen on a case's photos.
    ///
    /// # Errors
    /// As [`read_ink`], and [`Error::Open`] or [`Error::Write`] for files of kept inks.
    pub(super) fn ink(&self, case: &Case, recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<Ink> {
        let Some(folder) = &self.inks else { return case.see(recogniser, options) };
        let path = folder.join(case.name()).with_extension(format!("{}.json", case.pages.len()));
        if let Ok(text) = std::fs::read_to_string(&path) {
            let broken = |error| Error::Usage(format!("{}: no kept ink ({error}); delete it", path.display()));
            return serde_json::from_str(&text).map_err(broken);
        }
        let ink = case.see(recogniser, options)?;
        let text = serde_json::to_string(&ink).map_err(|error| Error::Usage(error.to_string()))?;
        let failed = |cause| Error::Write { path: path.display().to_string(), cause };
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text)).map_err(failed)?;
        Ok(ink)
    }
}

impl Case {
    /// File name of the first page.
    pub fn name(&self) -> String {
        self.pages[0].path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn see(&self, recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<Ink> {
        let keepers = if self.pages.len() == 2 { [Some(Colour::White), Some(Colour::Black)] } else { [None, None] };
        let sheets = self
            .pages
            .iter()
            .zip(keepers)
            .map(|(page, keeper)| Ok(SheetFiles { keeper, pages: vec![open(&page.path)?] }))
            .collect::<Result<Vec<_>>>()?;
        read_ink(&sheets, recogniser, options)
    }
}

fn open(path: &Path) -> Result<PhotoFile> {
    let bytes = std::fs::read(path).map_err(|cause| Error::Open { path: path.display().to_string(), cause })?;
    Ok(PhotoFile::new(path.file_name().unwrap_or_default().to_string_lossy(), bytes))
}

fn place(number: &str, colour: &str) -> Result<Place> {
    let colour = match colour {
        "white" => Colour::White,
        "black" => Colour::Black,
        other => return Err(Error::Usage(format!("\"{other}\" is no colour; write white or black"))),
    };
    let number = number.parse().map_err(|_| Error::Usage(format!("\"{number}\" is no move number in the labels")))?;
    Ok((number, colour))
}

/// The named columns of a table of comma-separated values. Quotes around a field are dropped; no label holds a comma.
fn table<const N: usize>(path: &Path, columns: [&str; N]) -> Result<Vec<[String; N]>> {
    let text =
        std::fs::read_to_string(path).map_err(|cause| Error::Open { path: path.display().to_string(), cause })?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
    let mut places = [0; N];
    for (place, column) in places.iter_mut().zip(columns) {
        *place = header
            .iter()
            .position(|name| *name == column)
            .ok_or_else(|| Error::Usage(format!("{} has no column \"{column}\"", path.display())))?;
    }
    Ok(lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            places.map(|place| fields.get(place).map_or("", |field| field.trim().trim_matches('"')).to_owned())
        })
        .collect())
}
