//! From what can be seen about a ply to the probability that it is right.
//!
//! The posterior of the search is too sharp: the recogniser is wrong where it is sure, and games that the search gave
//! up count for nothing. A logistic model over a few signs, fitted on games whose moves are known, says how often a ply
//! like this one is right (`scoresheet eval --fit`).

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// What is seen about a ply, each number between about -1 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signs {
    /// Log-odds of the posterior.
    pub odds: f32,
    /// The same with the evidence flattened: what other games hold against the move.
    pub flat_odds: f32,
    /// Log-likelihood of the best correct spelling against the best free reading, in the sheet that fits worst.
    pub fit: f32,
    /// How far ink and custom prefer the move to every other legal one of its position, logarithm.
    pub margin: f32,
    /// Logarithm of the recogniser's own probability of what it read, in the surest sheet.
    pub sure: f32,
    /// How close a mended place follows, falling off over plies.
    pub mended_behind: f32,
    /// How close a mended place lies before.
    pub mended_before: f32,
    /// Share of the plies nearby whose ink does not say them.
    pub lost: f32,
    /// How well the whole sheet fits its game: mean of the plies' fits.
    pub sheet: f32,
    /// Few plies follow that could contradict the move.
    pub late: f32,
    /// A second sheet says the move as well.
    pub seconded: f32,
}

/// Number of inputs of the [`Model`].
pub const INPUTS: usize = 14;

/// Log-odds of the posterior and log-likelihood of the spelling, as in [`Signs`], below which a move is a guess.
const GUESSED_ODDS: f32 = 0.07;
const GUESSED_FIT: f32 = -0.375;

impl Signs {
    /// The ink does not say the move, and other moves are not much less likely. Does not go by the [`Model`], which is
    /// fitted on moves that were played.
    pub fn is_guess(&self) -> bool {
        !self.is_written() && self.odds < GUESSED_ODDS
    }

    /// The ink may say the move.
    pub fn is_written(&self) -> bool {
        self.fit >= GUESSED_FIT
    }

    /// The inputs of the [`Model`], in the order of [`Signs::NAMES`].
    pub fn inputs(&self) -> [f64; INPUTS] {
        let above = |value: f32, knee: f32| (value - knee).max(0.0);
        [
            self.odds,
            above(self.odds, 0.4),
            self.flat_odds,
            self.fit,
            above(self.fit, -0.1),
            self.margin,
            above(self.margin, 0.4),
            self.sure,
            self.mended_behind,
            self.mended_before,
            self.lost,
            self.sheet,
            self.late,
            self.seconded,
        ]
        .map(f64::from)
    }

    /// The inputs' names.
    pub const NAMES: [&str; INPUTS] = [
        "odds",
        "odds_above_0.4",
        "flat_odds",
        "fit",
        "fit_above_-0.1",
        "margin",
        "margin_above_0.4",
        "sure",
        "mended_behind",
        "mended_before",
        "lost",
        "sheet",
        "late",
        "seconded",
    ];
}

/// A logistic model: the log-odds of being right are a weighted sum of the signs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub weights: Vec<f64>,
    pub constant: f64,
    /// Least probability of a clear ply.
    pub clear: f32,
}

impl Model {
    /// The model that comes with the program.
    pub fn embedded() -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| Self::parse(include_str!("../../models/confidence.json")).unwrap_or_default())
    }

    /// A model from JSON; none if it is not made for these signs.
    pub fn parse(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok().filter(|model: &Self| model.weights.len() == INPUTS)
    }

    /// Probability that a ply with these signs is right.
    pub fn probability(&self, signs: &Signs) -> f32 {
        let sum: f64 = self.weights.iter().zip(signs.inputs()).map(|(weight, input)| weight * input).sum();
        (1.0 / (1.0 + (-sum - self.constant).exp())) as f32
    }
}

impl Default for Model {
    /// The posterior alone.
    fn default() -> Self {
        let mut weights = vec![0.0; INPUTS];
        weights[0] = 10.0;
        Self { weights, constant: 0.0, clear: 0.995 }
    }
}

/// Log-odds of a probability in tenths, within -1 and 1.
pub fn odds(probability: f32) -> f32 {
    let p = probability.clamp(4.5e-5, 1.0 - 4.5e-5);
    (p / (1.0 - p)).ln() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_that_comes_along_fits_these_signs_and_trusts_good_signs_more() {
        let model = Model::parse(include_str!("../../models/confidence.json")).unwrap();
        let good = Signs { odds: 0.9, flat_odds: 0.6, margin: 0.8, sure: 0.0, fit: 0.0, ..Signs::default() };
        let bad = Signs { odds: 0.1, flat_odds: 0.0, margin: -0.3, sure: -0.5, fit: -0.8, lost: 0.5, ..good };
        assert!(model.probability(&good) > 0.95, "{}", model.probability(&good));
        assert!(model.probability(&bad) < 0.8, "{}", model.probability(&bad));
    }

    #[test]
    fn a_model_for_other_signs_is_refused() {
        assert_eq!(Model::parse(r#"{"weights":[1.0],"constant":0.0,"clear":0.9}"#), None);
    }
}
