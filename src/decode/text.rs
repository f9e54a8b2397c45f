//! The likeliest text of a cell, by the ink alone or as moves are written.

use super::score::{Lattice, Trie};
use crate::notation::Notation;
use crate::reading::{Alphabet, Reading};
use std::ops::Range;

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
        (text, reading.log_likelihood(&best).exp())
    }

    /// The likeliest labels: those of each look, judged by all of them.
    pub(super) fn best_labels(&self, notation: Option<&Notation>) -> Vec<usize> {
        let mut found: Vec<(f32, Vec<usize>)> = self.each_look().map(|steps| self.labels_of(steps, notation)).collect();
        if found.len() > 1 {
            let mut trie = Trie::new(self);
            for (custom, labels) in &mut found {
                let node = labels.iter().fold(Trie::ROOT, |node, &class| trie.child(self, node, class));
                *custom *= trie.likelihood(self, node);
            }
        }
        found.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, labels)| labels).unwrap_or_default()
    }

    /// Prefix beam search (Hannun et al. 2014, algorithm 1) over the likely symbols of each step of one look; what the
    /// model of notation says of the labels, and the labels.
    fn labels_of(&self, steps: Range<usize>, notation: Option<&Notation>) -> (f32, Vec<usize>) {
        let mut beam = vec![Prefix { labels: Vec::new(), blank: 1.0, symbol: 0.0, custom: 1.0 }];
        for t in steps {
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
        let end = |prefix: &Prefix| notation.map_or(1.0, |n| (NOTATION_WEIGHT * n.log_end(&prefix.labels)).exp());
        let best = beam.into_iter().max_by(|a, b| (a.score() * end(a)).total_cmp(&(b.score() * end(b))));
        best.map(|prefix| (end(&prefix) * prefix.custom, prefix.labels)).unwrap_or_default()
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
