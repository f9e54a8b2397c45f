//! The likeliest text of a cell, by the ink alone or as moves are written.

use super::score::Lattice;
use crate::notation::Notation;
use crate::reading::{Alphabet, Reading};

/// Readings kept per time step when the best text is looked for.
const TEXT_BEAM: usize = 8;
/// Weight of the model of notation against the ink, and what a sign more is worth to make up for its cost under that
/// model (Hannun et al. 2014, equation 2).
const NOTATION_WEIGHT: f32 = 0.35;
const SIGN_WORTH: f32 = 0.7;

impl Lattice {
    /// The likeliest text as moves are written, and its probability by the ink alone.
    pub fn written(&self, reading: &Reading, alphabet: &Alphabet, notation: &Notation) -> (String, f32) {
        let best = self.best_labels(Some(notation));
        let text = best.iter().filter_map(|&class| alphabet.symbol(class)).collect();
        (text, text_probability(reading, &best))
    }

    /// Prefix beam search (Hannun et al. 2014, algorithm 1) over the likely symbols of each step.
    pub(super) fn best_labels(&self, notation: Option<&Notation>) -> Vec<usize> {
        let mut beam = vec![Prefix { labels: Vec::new(), blank: 1.0, symbol: 0.0, custom: 1.0 }];
        for t in 0..self.steps() {
            let step = self.step(t);
            let mut next: Vec<Prefix> = Vec::with_capacity(beam.len() * 4);
            for prefix in &beam {
                let total = prefix.blank + prefix.symbol;
                let last = prefix.labels.last().copied();
                let repeat = last.map_or(0.0, |class| prefix.symbol * step[class]);
                prefix.grow(None, notation, &mut next, total * step[0], repeat);
                for (class, &p) in step.iter().enumerate().skip(1).filter(|&(_, &p)| p > 1e-3) {
                    let from = if last == Some(class) { prefix.blank } else { total };
                    if from > 0.0 {
                        prefix.grow(Some(class), notation, &mut next, 0.0, from * p);
                    }
                }
            }
            next.sort_by(|a, b| b.score().total_cmp(&a.score()));
            next.truncate(TEXT_BEAM);
            beam = next;
        }
        let whole = |prefix: &Prefix| {
            prefix.score() * notation.map_or(1.0, |n| (NOTATION_WEIGHT * n.log_end(&prefix.labels)).exp())
        };
        let best = beam.into_iter().max_by(|a, b| whole(a).total_cmp(&whole(b)));
        best.map(|p| p.labels).unwrap_or_default()
    }
}

/// The beginning of a text in the search for the best one.
struct Prefix {
    labels: Vec<usize>,
    /// Probability of all paths that end in a blank, and of those that end in the last label.
    blank: f32,
    symbol: f32,
    /// What the model of notation says of the labels.
    custom: f32,
}

impl Prefix {
    fn score(&self) -> f32 {
        (self.blank + self.symbol) * self.custom
    }

    /// Adds the probabilities of this prefix, or of it and one label more, to those of the next step.
    fn grow(&self, extra: Option<usize>, notation: Option<&Notation>, next: &mut Vec<Prefix>, blank: f32, symbol: f32) {
        let same = |p: &&mut Prefix| match extra {
            None => p.labels == self.labels,
            Some(class) => p.labels.split_last().is_some_and(|(last, rest)| *last == class && rest == self.labels),
        };
        if let Some(prefix) = next.iter_mut().find(same) {
            prefix.blank += blank;
            prefix.symbol += symbol;
            return;
        }
        let custom = match (extra, notation) {
            (Some(class), Some(n)) => (NOTATION_WEIGHT * n.log_next(&self.labels, class) + SIGN_WORTH).exp(),
            _ => 1.0,
        };
        let labels = self.labels.iter().copied().chain(extra).collect();
        next.push(Prefix { labels, blank, symbol, custom: self.custom * custom });
    }
}

/// CTC probability of a labelling under a reading.
pub(super) fn text_probability(reading: &Reading, labels: &[usize]) -> f32 {
    // Ends[i] holds the probability of the first i labels, the last step being a blank or the i-th label itself.
    let mut blank = vec![0.0f64; labels.len() + 1];
    let mut symbol = vec![0.0f64; labels.len() + 1];
    blank[0] = 1.0;
    for t in 0..reading.steps() {
        let step = reading.step(t);
        for i in (0..=labels.len()).rev() {
            let stay = blank[i] + symbol[i];
            if i > 0 {
                let class = labels[i - 1];
                let repeated = i > 1 && labels[i - 2] == class;
                let from = blank[i - 1] + if repeated { 0.0 } else { symbol[i - 1] };
                symbol[i] = (symbol[i] + from) * f64::from(step[class].exp());
            }
            blank[i] = stay * f64::from(step[0].exp());
        }
    }
    (blank[labels.len()] + symbol[labels.len()]) as f32
}
