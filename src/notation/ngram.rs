//! How written moves go on, sign by sign: an n-gram model of notation, smoothed as by Witten and Bell (1991, method C).
//!
//! It knows the writing, not the game: that a file follows a piece, and that knights go to f3 more often than to f8.
//! Counts are in models/notation.tsv, with the pieces of English; a language's letters are put in their place.

use super::Language;
use crate::reading::{Alphabet, symbol_byte};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Signs of context.
const CONTEXT: usize = 3;
/// The sign before the first one of a text.
const START: u8 = b'^';
/// The sign after the last one of a text.
const END: u8 = b'$';
/// Stands for every sign that moves of the language do not have.
const UNKNOWN: u8 = 0;
/// Number of signs that the least informed guess chooses from.
const SIGNS: f32 = 50.0;
const PIECES: [u8; 5] = *b"KQRBN";

const COUNTS: &str = include_str!("../../models/notation.tsv");

/// What follows a context.
#[derive(Debug, Default)]
struct After {
    counts: HashMap<u8, f32>,
    total: f32,
}

/// The model.
#[derive(Debug)]
pub struct NotationModel {
    contexts: HashMap<Vec<u8>, After>,
}

impl NotationModel {
    /// The model that comes with the program.
    pub fn embedded() -> &'static Self {
        static MODEL: OnceLock<NotationModel> = OnceLock::new();
        MODEL.get_or_init(|| Self::parse(COUNTS))
    }

    /// Lines of a context, a tab, and signs with their counts; what does not parse is left out.
    fn parse(counts: &str) -> Self {
        let mut contexts: HashMap<Vec<u8>, After> = HashMap::new();
        for (context, list) in counts.lines().filter_map(|line| line.split_once('\t')) {
            let after = contexts.entry(context.bytes().collect()).or_default();
            for entry in list.split(' ') {
                let Some((&sign, count)) = entry.as_bytes().split_first() else { continue };
                let Some(count) = std::str::from_utf8(count).ok().and_then(|c| c.parse::<f32>().ok()) else { continue };
                after.counts.insert(sign, count);
                after.total += count;
            }
        }
        Self { contexts }
    }

    /// Probability that `sign` comes after `context`.
    fn probability(&self, context: &[u8], sign: u8) -> f32 {
        let shorter = |context: &[u8]| match context {
            [] => 1.0 / SIGNS,
            [_, rest @ ..] => self.probability(rest, sign),
        };
        match self.contexts.get(context) {
            None => shorter(context),
            Some(after) => {
                let kinds = after.counts.len() as f32;
                let seen = after.counts.get(&sign).copied().unwrap_or(0.0);
                (seen + kinds * shorter(context)) / (after.total + kinds)
            }
        }
    }
}

/// The model in one language, over the recogniser's classes.
#[derive(Debug, Clone)]
pub struct Notation {
    /// By class, the sign of the model.
    signs: Vec<u8>,
}

impl Notation {
    /// The notation of a language; none for descriptive and numeric notation, of which the model knows nothing.
    pub fn of(language: &Language, alphabet: &Alphabet) -> Option<Self> {
        let initials = language.initials();
        let sign = |class: usize| {
            let Some(byte) = alphabet.symbol(class).and_then(symbol_byte) else { return UNKNOWN };
            match initials.iter().position(|&initial| initial == byte) {
                Some(piece) => PIECES[piece],
                None if PIECES.contains(&byte) || byte >= 128 => UNKNOWN,
                None => byte,
            }
        };
        language.is_algebraic().then(|| Self { signs: (0..alphabet.classes()).map(sign).collect() })
    }

    /// Natural logarithm of the probability that a class follows the classes of a beginning.
    pub fn log_next(&self, beginning: &[usize], class: usize) -> f32 {
        self.log(beginning, self.signs[class])
    }

    /// Natural logarithm of the probability that a text ends after these classes.
    pub fn log_end(&self, text: &[usize]) -> f32 {
        self.log(text, END)
    }

    fn log(&self, beginning: &[usize], sign: u8) -> f32 {
        let mut context = [START; CONTEXT];
        for (place, &class) in context.iter_mut().rev().zip(beginning.iter().rev()) {
            *place = self.signs[class];
        }
        NotationModel::embedded().probability(&context, sign).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likely(language: &str, text: &str) -> f32 {
        let alphabet = Alphabet::new("123456789abcdefghxABCDEFGHJKLNOPQRSTVWZ+#=-:./()!?".chars());
        let notation = Notation::of(Language::find(language).unwrap(), &alphabet).unwrap();
        let classes: Vec<usize> = text.chars().filter_map(|c| alphabet.class(c)).collect();
        let signs = (0..classes.len()).map(|i| notation.log_next(&classes[..i], classes[i]));
        signs.sum::<f32>() + notation.log_end(&classes)
    }

    #[test]
    fn what_follows_a_context_adds_up_to_one() {
        let model = NotationModel::embedded();
        for context in [&b""[..], b"^^^", b"^^N", b"Nx", b"zz"] {
            let sum: f32 = (33..127).map(|sign| model.probability(context, sign)).sum();
            assert!((sum - 1.0).abs() < 0.05, "{context:?} {sum}");
        }
    }

    #[test]
    fn moves_are_likelier_than_what_only_looks_like_them() {
        for (language, right, wrong) in
            [("en", "Nf3", "Nfs"), ("en", "O-O", "O-G"), ("de", "Sf3", "Nf3"), ("fr", "Cf3", "Gf3")]
        {
            assert!(likely(language, right) > likely(language, wrong) + 1.0, "{language} {right} {wrong}");
        }
        let descriptive = crate::notation::LANGUAGES.iter().find(|l| !l.is_algebraic()).unwrap();
        assert!(Notation::of(descriptive, &Alphabet::new("ab".chars())).is_none());
    }
}
