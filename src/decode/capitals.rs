//! Sheets written in capitals: some put `E4` and `NF3`, and only the game tells the file from the piece.

use super::Row;
use crate::reading::{Alphabet, Reading};

/// Rows in whose readings a small file letter may just as well be its capital.
pub fn allowed(rows: &[Row], alphabet: &Alphabet) -> Vec<Row> {
    let class = |letter: char| alphabet.class(letter);
    let letters: Vec<(usize, usize)> =
        ('a'..='h').filter_map(|file| class(file).zip(class(file.to_ascii_uppercase()))).collect();
    let mut rows = rows.to_vec();
    let cells = rows.iter_mut().flat_map(|row| row.white.iter_mut().chain(&mut row.black));
    cells.filter_map(|cell| cell.reading.as_mut()).for_each(|reading| allow(reading, &letters));
    rows
}

/// Adds the probability of each capital to that of its small letter, which is what the scores of spellings look at.
fn allow(reading: &mut Reading, letters: &[(usize, usize)]) {
    for step in reading.log_probs.chunks_mut(reading.classes) {
        for &(small, capital) in letters {
            let (high, low) = (step[small].max(step[capital]), step[small].min(step[capital]));
            step[small] = high + (low - high).exp().ln_1p();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_letter_is_as_likely_as_both() {
        // Blank, e, E.
        let mut reading = Reading::new([0.2f32, 0.1, 0.7].map(f32::ln).to_vec(), 3);
        allow(&mut reading, &[(1, 2)]);
        let probabilities: Vec<f32> = reading.log_probs.iter().map(|log| log.exp()).collect();
        assert!((probabilities[1] - 0.8).abs() < 1e-6 && (probabilities[2] - 0.7).abs() < 1e-6, "{probabilities:?}");
    }
}
