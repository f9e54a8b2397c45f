//! What the recogniser says about one cell: log-probabilities per time step, never a single string.

mod features;

pub use features::{Features, Head, Pass, score};

use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::ops::Range;

/// Shapes that no ASCII character has: Cyrillic and Greek letters that differ from all Latin ones, and figurines.
/// The decoder, which works on bytes, counts them from 128 on.
const BEYOND_ASCII: [char; 10] = ['Ф', 'Л', 'Ц', 'Д', 'П', '♔', '♕', '♖', '♗', '♘'];

/// The byte that stands for a symbol in spellings; none for a symbol that no spelling uses.
pub fn symbol_byte(symbol: char) -> Option<u8> {
    if symbol.is_ascii() {
        return Some(symbol as u8);
    }
    BEYOND_ASCII.iter().position(|&c| c == symbol).map(|i| 128 + i as u8)
}

/// The symbol of a byte of a spelling.
pub fn byte_symbol(byte: u8) -> char {
    match byte {
        0..128 => byte as char,
        _ => BEYOND_ASCII.get(usize::from(byte) - 128).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// The symbols that the recogniser knows. Class 0 is the CTC blank; class `i + 1` is `symbols[i]`.
///
/// A symbol is a shape: zero and the letter O are one symbol, `O`; the capture sign × is `x`; p is `P`; Cyrillic and
/// Greek letters that look like Latin ones are those.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alphabet {
    symbols: Vec<char>,
}

impl Alphabet {
    /// The alphabet of the given symbols, in the order of the model's classes, the CTC blank left out.
    pub fn new(symbols: impl IntoIterator<Item = char>) -> Self {
        Self { symbols: symbols.into_iter().collect() }
    }

    /// Number of classes of the model's output, the blank included.
    pub fn classes(&self) -> usize {
        self.symbols.len() + 1
    }

    /// The class of a symbol, or none if the model does not know it.
    pub fn class(&self, symbol: char) -> Option<usize> {
        let symbol = match symbol {
            '0' => 'O',
            '×' => 'x',
            'p' => 'P',
            other => other,
        };
        self.symbols.iter().position(|&s| s == symbol).map(|i| i + 1)
    }

    /// The symbol of a class, none for the blank.
    pub fn symbol(&self, class: usize) -> Option<char> {
        class.checked_sub(1).and_then(|i| self.symbols.get(i)).copied()
    }
}

/// The recogniser's output for one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Natural logarithms of probabilities, row-major: `steps` rows of `classes` values, each row summing to 1.
    #[serde(with = "packed")]
    pub log_probs: Vec<f32>,
    /// Number of classes, the CTC blank (class 0) included.
    pub classes: usize,
    /// How many looks at the cell stand one after another, each with as many steps: what the cell holds is as likely as
    /// they say on average.
    #[serde(default = "one")]
    pub looks: NonZeroUsize,
    /// What the networks' last layers saw, a network at most once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Features>,
}

/// Log-probability of what cannot be: the lowest that is stored.
const IMPOSSIBLE: f32 = -32.0;
/// Sums of probabilities below this are lifted, so that none is lost.
const SMALL: f32 = 1e-12;

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

impl Reading {
    /// What one look says. Where a network is so sure that a probability is zero, its logarithm is the lowest that is stored.
    pub fn new(mut log_probs: Vec<f32>, classes: usize) -> Self {
        log_probs.iter_mut().for_each(|p| *p = p.max(IMPOSSIBLE));
        Self { log_probs, classes, looks: one(), features: Vec::new() }
    }

    /// Single looks at one cell, taken together; none if there are none.
    pub fn of_looks(looks: impl IntoIterator<Item = Self>) -> Option<Self> {
        let looks: Vec<Self> = looks.into_iter().collect();
        let longest = looks.iter().map(Self::steps).max()?;
        looks.into_iter().map(|look| look.lengthened(longest)).reduce(|mut all, look| {
            let before = all.steps();
            all.features.extend(look.features.into_iter().map(|features| features.later(before)));
            all.log_probs.extend(look.log_probs);
            all.looks = all.looks.saturating_add(1);
            all
        })
    }

    /// The same look with steps behind it that are blank for certain: it says the same.
    fn lengthened(mut self, steps: usize) -> Self {
        let classes = self.classes;
        let blank = move |index: usize| if index.is_multiple_of(classes) { 0.0 } else { IMPOSSIBLE };
        self.log_probs.extend((self.log_probs.len()..steps * classes).map(blank));
        self
    }

    /// Number of time steps, of all looks together.
    pub fn steps(&self) -> usize {
        self.log_probs.len() / self.classes
    }

    /// The time steps of each look.
    pub fn each_look(&self) -> impl Iterator<Item = Range<usize>> {
        let steps = self.steps() / self.looks;
        (0..self.looks.get()).map(move |look| look * steps..(look + 1) * steps)
    }

    /// The log-probabilities of one time step, by class.
    pub fn step(&self, t: usize) -> &[f32] {
        &self.log_probs[t * self.classes..(t + 1) * self.classes]
    }
}

impl Reading {
    /// Natural logarithm of the probability that the cell holds exactly these classes.
    pub fn log_likelihood(&self, classes: &[usize]) -> f32 {
        let sum = self.each_look().map(|steps| self.log_likelihood_of(steps, classes)).reduce(log_add);
        sum.unwrap_or(f32::NEG_INFINITY) - (self.looks.get() as f32).ln()
    }

    /// The same by one look, by the CTC forward algorithm (Graves et al. 2006, equations 5 to 8). The sums are those of
    /// probabilities, lifted whenever they become small.
    pub fn log_likelihood_of(&self, steps: Range<usize>, classes: &[usize]) -> f32 {
        // States alternate between blanks and symbols: blank, c0, blank, c1, ..., blank.
        let states = 2 * classes.len() + 1;
        let class_of = |state: usize| if state.is_multiple_of(2) { 0 } else { classes[state / 2] };
        // Before the first step all stand before the first symbol.
        let mut alpha = vec![0.0f32; states];
        alpha[0] = 1.0;
        let mut lifted = 0.0;
        let lowest = IMPOSSIBLE * steps.len() as f32;
        for step in steps.map(|t| self.step(t)) {
            let highest = classes.iter().map(|&class| step[class]).fold(step[0], f32::max);
            lifted += highest;
            let blank = (step[0] - highest).exp();
            // From behind, so that what stands before a state is that of the step before.
            for state in (0..states).rev() {
                let class = class_of(state);
                let mut sum = alpha[state] + if state > 0 { alpha[state - 1] } else { 0.0 };
                if state > 1 && class != 0 && class != class_of(state - 2) {
                    sum += alpha[state - 2];
                }
                alpha[state] = sum * if class == 0 { blank } else { (step[class] - highest).exp() };
            }
            let most = alpha.iter().copied().fold(0.0, f32::max);
            if (f32::MIN_POSITIVE..SMALL).contains(&most) {
                alpha.iter_mut().for_each(|sum| *sum /= most);
                lifted += most.ln();
            }
        }
        let end: f32 = alpha.iter().rev().take(2).sum();
        (lifted + end.ln()).max(lowest)
    }
}

impl Reading {
    /// The labelling of the best path (Graves et al. 2006, section 3.2) as text, and its log-likelihood; of several looks
    /// that which is likeliest by all of them.
    pub fn best_path(&self, alphabet: &Alphabet) -> (String, f32) {
        let paths = self.each_look().map(|steps| self.best_path_of(steps));
        let judged = paths.map(|classes| (self.log_likelihood(&classes), classes));
        let (likelihood, classes) =
            judged.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f32::NEG_INFINITY, Vec::new()));
        (classes.iter().filter_map(|&class| alphabet.symbol(class)).collect(), likelihood)
    }

    /// The labelling of one look's best path.
    fn best_path_of(&self, steps: Range<usize>) -> Vec<usize> {
        let mut classes = Vec::new();
        let mut last = 0;
        for t in steps {
            let step = self.step(t);
            let class = (0..step.len()).max_by(|&a, &b| step[a].total_cmp(&step[b])).unwrap_or(0);
            if class != 0 && class != last {
                classes.push(class);
            }
            last = class;
        }
        classes
    }
}

/// Log-probabilities as text: base64 of 16-bit steps of 1/2048, the lowest byte first, -32 at the lowest.
mod packed {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    const STEPS: f32 = 2048.0;

    pub fn serialize<S: Serializer>(log_probs: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = log_probs.iter().flat_map(|p| ((-p * STEPS).round() as u16).to_le_bytes()).collect();
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
        let bytes = STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Ok(bytes.chunks_exact(2).map(|pair| -f32::from(u16::from_le_bytes([pair[0], pair[1]])) / STEPS).collect())
    }
}

impl Reading {
    /// Where one look sees each sign of a text, by the likeliest alignment (the Viterbi path of CTC): for each of its time
    /// steps the sign's index in the text, none for a blank. None if the look cannot hold the text.
    pub fn alignment(&self, look: Range<usize>, text: &[usize]) -> Option<Vec<Option<usize>>> {
        if text.is_empty() || text.contains(&0) || look.len() < text.len() {
            return None;
        }
        let states = 2 * text.len() + 1;
        let class_of = |state: usize| if state.is_multiple_of(2) { 0 } else { text[state / 2] };
        let mut best = vec![f32::NEG_INFINITY; states];
        let mut from: Vec<Vec<u8>> = Vec::with_capacity(look.len());
        for (t, step) in look.map(|t| self.step(t)).enumerate() {
            let mut next = vec![f32::NEG_INFINITY; states];
            let mut back = vec![0u8; states];
            for state in 0..states {
                let jumps = match t {
                    0 if state < 2 => {
                        next[state] = step[class_of(state)];
                        continue;
                    }
                    0 => continue,
                    _ if state > 1 && class_of(state) != 0 && class_of(state) != class_of(state - 2) => 2,
                    _ => state.min(1),
                };
                let jump = (0..=jumps).max_by(|&a, &b| best[state - a].total_cmp(&best[state - b])).unwrap_or(0);
                next[state] = best[state - jump] + step[class_of(state)];
                back[state] = jump as u8;
            }
            best = next;
            from.push(back);
        }
        let mut state = if best[states - 1] > best[states - 2] { states - 1 } else { states - 2 };
        if !best[state].is_finite() {
            return None;
        }
        let mut signs = vec![None; from.len()];
        for (sign, back) in signs.iter_mut().zip(&from).rev() {
            *sign = (state % 2 == 1).then_some(state / 2);
            state -= usize::from(back[state]);
        }
        Some(signs)
    }
}

/// Brings the scores of a time step to logarithms of probabilities that sum to 1.
pub fn normalise(step: &mut [f32]) {
    let top = step.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = step.iter().map(|score| (score - top).exp()).sum();
    let log_sum = top + sum.ln();
    step.iter_mut().for_each(|score| *score -= log_sum);
}

/// ln(exp(a) + exp(b)).
fn log_add(a: f32, b: f32) -> f32 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == f32::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likelihoods_of_all_strings_sum_to_one() {
        // Two symbols, two steps: the empty string, "a", "b", "ab" and "ba" are all that CTC can say.
        let p: [f32; 6] = [0.2, 0.5, 0.3, 0.6, 0.1, 0.3];
        let reading = Reading::new(p.iter().map(|p| p.ln()).collect(), 3);
        let likely = |classes: &[usize]| reading.log_likelihood(classes).exp();
        assert!((likely(&[1]) - (0.5 * 0.6 + 0.2 * 0.1 + 0.5 * 0.1)).abs() < 1e-6);
        let total = likely(&[]) + likely(&[1]) + likely(&[2]) + likely(&[1, 2]) + likely(&[2, 1]);
        assert!((total - 1.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn what_is_hardly_likely_has_a_likelihood_too() {
        // One symbol, at every step as unlikely as a blank; it may begin and end anywhere.
        let steps = 40;
        let reading = Reading::new(vec![-20.0; 2 * steps], 2);
        let ways = (steps * (steps + 1) / 2) as f32;
        let expected = ways.ln() - 20.0 * steps as f32;
        assert!((reading.log_likelihood(&[1]) - expected).abs() < 1e-2, "{}", reading.log_likelihood(&[1]));
        let too_long = reading.log_likelihood(&[1; 41]);
        assert!(too_long.is_finite() && too_long < expected, "{too_long}");
    }

    #[test]
    fn looks_are_averaged() {
        let look = |p: [f32; 6]| Reading::new(p.iter().map(|p| p.ln()).collect(), 3);
        let [first, second] = [[0.2, 0.5, 0.3, 0.6, 0.1, 0.3], [0.1, 0.1, 0.8, 0.9, 0.05, 0.05]].map(look);
        let both = Reading::of_looks([first.clone(), second.clone()]).unwrap();
        for classes in [&[][..], &[1], &[2], &[1, 2]] {
            let mean = (first.log_likelihood(classes).exp() + second.log_likelihood(classes).exp()) / 2.0;
            assert!((both.log_likelihood(classes).exp() - mean).abs() < 1e-6);
        }
        let short = Reading::new([0.2, 0.5, 0.3].map(f32::ln).to_vec(), 3);
        let uneven = Reading::of_looks([short.clone(), second.clone()]).unwrap();
        for classes in [&[][..], &[1], &[2]] {
            let mean = (short.log_likelihood(classes).exp() + second.log_likelihood(classes).exp()) / 2.0;
            assert!((uneven.log_likelihood(classes).exp() - mean).abs() < 1e-6);
        }
        let alphabet = Alphabet::new("ab".chars());
        assert_eq!(both.best_path(&alphabet).0, "b");
        assert_eq!(first.best_path(&alphabet).0, "a");
    }

    #[test]
    fn readings_survive_storage() {
        let reading = Reading::new(vec![-0.0001, -9.25, -31.5, f32::NEG_INFINITY], 2);
        let back: Reading = serde_json::from_str(&serde_json::to_string(&reading).unwrap()).unwrap();
        let expected = [-0.0001, -9.25, -31.5, -32.0];
        for said in [&reading, &back] {
            assert!(said.log_probs.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{said:?}");
        }
        assert!(serde_json::from_str::<Reading>(r#"{"log_probs":"?","classes":2}"#).is_err());
    }

    #[test]
    fn zero_and_o_are_one_symbol() {
        let alphabet = Alphabet::new("Ox".chars());
        assert_eq!(alphabet.class('0'), alphabet.class('O'));
        assert_eq!(alphabet.class('×'), Some(2));
        assert_eq!(alphabet.class('?'), None);
        assert_eq!(alphabet.symbol(1), Some('O'));
    }
}
