//! How results are written, and which of them readings say.

use crate::reading::{Alphabet, Reading};

/// Spellings with what PGN calls them; the letter O is zero, and a stroke may look like a one.
const WORDS: [(&str, &str); 14] = [
    ("1-O", "1-0"),
    ("1:O", "1-0"),
    ("1O", "1-0"),
    ("O-1", "0-1"),
    ("O:1", "0-1"),
    ("O1", "0-1"),
    ("1/2-1/2", "1/2-1/2"),
    ("1/2:1/2", "1/2-1/2"),
    ("1/21/2", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
    ("112-112", "1/2-1/2"),
    ("112-1/2", "1/2-1/2"),
    ("1/2-112", "1/2-1/2"),
    ("12-12", "1/2-1/2"),
];
/// What ones and halves, and what stands between two numbers, may be misread as where only a result can stand.
const ONES: [&str; 9] = ["1", "", "T", "L", "H", "P", "!", "4", "+"];
const HALVES: [&str; 16] =
    ["1/2", "112", "12", "N2", "V2", "K2", "A2", "W2", "d2", "f2", "1f2", "1d2", "N!2", "1!2", "11", "1!"];
const BETWEEN: [&str; 3] = ["-", ":", ""];
/// Log-probability of a symbol that is not there.
const INVISIBLE: f32 = -7.0;

/// Spellings of results, and the result that each means.
pub(crate) struct Words(Vec<(String, &'static str)>);

impl Words {
    /// What a result must read as among other writing.
    pub fn strict() -> Self {
        Self(WORDS.iter().map(|&(word, result)| (word.to_owned(), result)).collect())
    }

    /// What an answer to the question for the result may read as.
    pub fn lenient() -> Self {
        let mut words = Vec::new();
        for between in BETWEEN {
            let ones = ONES.iter().filter(|one| !(one.is_empty() && between.is_empty()));
            words.extend(
                ones.flat_map(|one| [(format!("{one}{between}O"), "1-0"), (format!("O{between}{one}"), "0-1")]),
            );
            words.extend(draws(between));
        }
        Self(words)
    }

    /// What two numbers may read as that have a dash between them.
    pub fn with_dash() -> Self {
        let mut words: Vec<(String, &'static str)> = draws("-").collect();
        words.extend([("1-O", "1-0"), ("O-1", "0-1")].map(|(word, result)| (word.to_owned(), result)));
        Self(words)
    }

    /// The result that readings say together, with its mean probability, from 0 to 1.
    pub fn said(&self, readings: &[Reading], alphabet: &Alphabet) -> Option<(&'static str, f32)> {
        // A word with a symbol that shows at no time step is out of the question; most are.
        let clearest = |class: usize| {
            let shows =
                |reading: &Reading| (0..reading.steps()).map(|t| reading.step(t)[class]).fold(INVISIBLE, f32::max);
            readings.iter().map(shows).fold(INVISIBLE, f32::max)
        };
        let classes = readings.first().map_or(0, |reading| reading.classes);
        let shows: Vec<bool> = (0..classes).map(|class| clearest(class) > INVISIBLE).collect();
        let mut sums: Vec<(&'static str, f32)> = Vec::new();
        for (word, result) in &self.0 {
            let Some(classes) = word.chars().map(|symbol| alphabet.class(symbol)).collect::<Option<Vec<usize>>>()
            else {
                continue;
            };
            if !classes.iter().all(|&class| shows[class]) {
                continue;
            }
            let likely: f32 = readings.iter().map(|reading| reading.log_likelihood(&classes).exp()).sum();
            match sums.iter_mut().find(|(other, _)| other == result) {
                Some((_, sum)) => *sum += likely,
                None => sums.push((result, likely)),
            }
        }
        let means = sums.into_iter().map(|(result, sum)| (result, (sum / readings.len().max(1) as f32).min(1.0)));
        means.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn draws(between: &str) -> impl Iterator<Item = (String, &'static str)> {
    let halves = HALVES.iter().flat_map(|half| HALVES.iter().map(move |other| (half, other)));
    halves.map(move |(half, other)| (format!("{half}{between}{other}"), "1/2-1/2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As from a reader that is 95 % sure of each class.
    fn says(classes: &[usize]) -> Reading {
        let step = |class: usize| (0..6).map(move |c| if c == class { 0.95f32.ln() } else { 0.01f32.ln() });
        let log_probs = classes.iter().flat_map(|&class| [class, 0]).flat_map(step).collect();
        Reading::new(log_probs, 6)
    }

    #[test]
    fn only_what_reads_as_a_result_is_told() {
        let alphabet = Alphabet::new("1O-e4".chars());
        let (white, black, pawn) = (says(&[1, 3, 2]), says(&[2, 3, 1]), says(&[4, 5]));
        let said =
            |words: &Words, reading: &Reading| words.said(&[reading.clone(), reading.clone()], &alphabet).unwrap();
        for words in [Words::strict(), Words::lenient(), Words::with_dash()] {
            let (told, likely) = said(&words, &white);
            assert!(told == "1-0" && likely > 0.6, "{told} {likely}");
            assert_eq!(said(&words, &black).0, "0-1");
            assert!(said(&words, &pawn).1 < 0.05);
        }
        // A dash and a zero.
        let lost = says(&[3, 2]);
        assert!(said(&Words::strict(), &lost).1 < 0.1);
        let (told, likely) = said(&Words::lenient(), &lost);
        assert!(told == "1-0" && likely > 0.6, "{told} {likely}");
    }
}
