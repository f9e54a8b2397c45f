//! Accuracy and speed on labelled sheets: the figures of the project's scorer, computed in process.
//!
//! A data set is a folder with `pages/GAME[_SHEET].jpg`, `written.csv` (page, number, colour, written) and
//! `played.csv` (game, ply, number, colour, san, label_cost, trusted).

use crate::error::{Error, Result};
use crate::game::{Colour, Game, Status};
use crate::pipeline::hint::PageHint;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::{PhotoFile, ReadOptions, SheetFiles, read_game};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Place = (u32, Colour);

/// One photo with what its hand wrote.
#[derive(Debug, Clone)]
struct Page {
    path: PathBuf,
    written: BTreeMap<Place, String>,
}

/// One or two sheets of a game, read together, with the moves played; none where the truth is not trusted.
#[derive(Debug, Clone)]
struct Case {
    game: String,
    pages: Vec<Page>,
    played: BTreeMap<Place, Option<String>>,
}

/// Labelled sheets.
#[derive(Debug, Clone)]
pub struct Dataset {
    cases: Vec<Case>,
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
        Ok(Self { cases })
    }

    /// Keeps the games whose number divides by `every`, and of these the first `limit` cases.
    pub fn select(&mut self, every: Option<u32>, limit: Option<usize>) {
        if let Some(every) = every.filter(|&every| every > 0) {
            self.cases.retain(|case| case.game.parse::<u32>().is_ok_and(|number| number.is_multiple_of(every)));
        }
        self.cases.truncate(limit.unwrap_or(usize::MAX));
    }
}

/// The figures of a run; rates are none where nothing was counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    pub sheets: usize,
    pub unread: usize,
    pub cells: usize,
    pub reader_exact: Option<f64>,
    pub plies: usize,
    pub mra: Option<f64>,
    pub interruption: Option<f64>,
    pub mra_after_review: Option<f64>,
    pub false_clear_per_1000: Option<f64>,
    pub whole_games: usize,
    pub zero_touch: Option<f64>,
    pub extra_plies: usize,
    pub calibration_error: Option<f64>,
    pub seconds_median: f64,
    pub seconds_max: f64,
}

#[derive(Default)]
struct Counts {
    figures: Figures,
    cells_exact: usize,
    right: usize,
    flagged: usize,
    false_clear: usize,
    zero_touch: usize,
    /// Count, sum of confidences and number right, by tenth of confidence.
    bins: [(usize, f64, usize); 10],
    seconds: Vec<f64>,
}

/// Reads every case and scores it; `report` gets a line a case.
///
/// # Errors
/// [`Error::Open`] if a page cannot be opened. A sheet that is not read counts as such and stops nothing.
pub fn evaluate(
    dataset: &Dataset,
    recogniser: &dyn Recogniser,
    options: &ReadOptions,
    report: &mut dyn FnMut(&str),
) -> Result<Figures> {
    let mut counts = Counts::default();
    for case in &dataset.cases {
        let keepers = if case.pages.len() == 2 { [Some(Colour::White), Some(Colour::Black)] } else { [None, None] };
        let start = Instant::now();
        let sheets = case
            .pages
            .iter()
            .zip(keepers)
            .map(|(page, keeper)| Ok(SheetFiles { keeper, pages: vec![open(&page.path)?] }))
            .collect::<Result<Vec<_>>>()?;
        let game = read_game(&sheets, recogniser, options);
        let seconds = start.elapsed().as_secs_f64();
        report(&counts.add(case, game.as_ref(), seconds));
    }
    Ok(counts.finish())
}

fn open(path: &Path) -> Result<PhotoFile> {
    let bytes = std::fs::read(path).map_err(|cause| Error::Open { path: path.display().to_string(), cause })?;
    Ok(PhotoFile {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bytes,
        hint: PageHint::default(),
    })
}

impl Counts {
    fn add(&mut self, case: &Case, game: std::result::Result<&Game, &Error>, seconds: f64) -> String {
        let plies: BTreeMap<Place, _> =
            game.iter().flat_map(|game| &game.plies).map(|ply| ((ply.number, ply.colour), ply)).collect();
        self.figures.sheets += 1;
        self.figures.unread += usize::from(game.is_err());
        self.seconds.push(seconds);
        let (mut total, mut right, mut flagged, mut false_clear) = (0, 0, 0, 0);
        for (place, san) in &case.played {
            let Some(san) = san else { continue };
            let ply = plies.get(place);
            let is_right = ply.is_some_and(|ply| plain(ply.san.as_deref().unwrap_or_default()) == plain(san));
            let is_clear = ply.is_some_and(|ply| ply.status == Status::Clear);
            total += 1;
            right += usize::from(is_right);
            flagged += usize::from(!is_clear);
            false_clear += usize::from(is_clear && !is_right);
            if let Some(ply) = ply {
                let bin = &mut self.bins[((ply.confidence * 10.0) as usize).min(9)];
                *bin = (bin.0 + 1, bin.1 + f64::from(ply.confidence), bin.2 + usize::from(is_right));
            }
        }
        let last = case.played.keys().max();
        let extra =
            plies.iter().filter(|(place, ply)| last.is_none_or(|last| *place > last) && ply.san.is_some()).count();
        let whole = total > 0 && case.played.values().all(Option::is_some);
        self.figures.plies += total;
        self.right += right;
        self.flagged += flagged;
        self.false_clear += false_clear;
        self.figures.extra_plies += extra;
        self.figures.whole_games += usize::from(whole);
        self.zero_touch += usize::from(whole && right == total && extra == 0);
        for (sheet, page) in case.pages.iter().enumerate() {
            for (place, text) in &page.written {
                let written = plies.get(place).and_then(|ply| ply.written.iter().find(|w| w.sheet == sheet));
                self.figures.cells += 1;
                self.cells_exact += usize::from(written.is_some_and(|w| plain(&w.text) == plain(text)));
            }
        }
        let error = game.err().map(ToString::to_string).unwrap_or_default();
        let name = case.pages[0].path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!(
            "{name:32} {right:4}/{total:<4} flagged {flagged:3} false clear {false_clear:2} extra {extra:2} {seconds:6.2} s {error}"
        )
    }

    fn finish(mut self) -> Figures {
        let ratio = |part: usize, whole: usize| (whole > 0).then(|| round(part as f64 / whole as f64, 4));
        self.seconds.sort_by(f64::total_cmp);
        let binned: usize = self.bins.iter().map(|bin| bin.0).sum();
        let gap: f64 = self.bins.iter().map(|&(_, sum, right)| (sum - right as f64).abs()).sum();
        let plies = self.figures.plies;
        Figures {
            reader_exact: ratio(self.cells_exact, self.figures.cells),
            mra: ratio(self.right, plies),
            interruption: ratio(self.flagged, plies),
            mra_after_review: ratio(plies - self.false_clear, plies),
            false_clear_per_1000: (plies > 0).then(|| round(1000.0 * self.false_clear as f64 / plies as f64, 2)),
            zero_touch: ratio(self.zero_touch, self.figures.whole_games),
            calibration_error: (binned > 0).then(|| round(gap / binned as f64, 4)),
            seconds_median: round(self.seconds.get(self.seconds.len() / 2).copied().unwrap_or(0.0), 3),
            seconds_max: round(self.seconds.last().copied().unwrap_or(0.0), 3),
            ..self.figures
        }
    }
}

fn round(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// Notation without the marks that do not change the move; zero and O are one sign.
fn plain(text: &str) -> String {
    let letters: String = text
        .chars()
        .map(|c| if c == '0' || c == 'o' { 'O' } else { c })
        .filter(|c| !c.is_whitespace() && !"+#x:=×-!?()".contains(*c))
        .collect();
    ["e.p.", "e.p", "ep.", "ep"].iter().fold(letters, |text, mark| text.replace(mark, ""))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_do_not_change_the_move() {
        assert_eq!(plain("Nbxd7+"), plain("Nbd7"));
        assert_eq!(plain("0-0-0"), plain("O-O-O"));
        assert_eq!(plain("exd6 e.p."), plain("ed6"));
        assert_ne!(plain("Nd7"), plain("Nd1"));
    }
}
