//! Accuracy and speed on labelled sheets: the figures of the project's scorer, computed in process.
//!
//! A data set is a folder with `pages/GAME[_SHEET].jpg`, `written.csv` (page, number, colour, written) and
//! `played.csv` (game, ply, number, colour, san, label_cost, trusted).

mod calibrate;
mod curve;
mod dataset;

pub use calibrate::Sample;
pub use curve::Point;
pub use dataset::Dataset;

use crate::error::{Error, Result};
use crate::game::{Game, Status};
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::{ReadOptions, game_from};
use curve::Curve;
use dataset::{Case, Place};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

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
    /// Interruption against false clears for other thresholds than the model's own.
    pub curve: Vec<Point>,
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
    curve: Curve,
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
        let start = Instant::now();
        let game = dataset
            .ink(case, recogniser, options)
            .and_then(|ink| game_from(&ink, &options.decode))
            .map(|reviewed| reviewed.game);
        let seconds = start.elapsed().as_secs_f64();
        report(&counts.add(case, game.as_ref(), seconds));
    }
    Ok(counts.finish())
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
                self.curve.add(ply, is_right);
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
        let name = case.name();
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
            curve: self.curve.points(plies),
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
