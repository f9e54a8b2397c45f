//! Sheets written in capitals: some put `E4` and `NF3`, and only the game tells the file from the piece.

use super::Row;
use super::emission::Ink;
use crate::reading::{Alphabet, Reading};

/// Share of cells in which a capital file letter must be read.
const READ: f32 = 0.05;

/// Whether so many cells read as `E4` or `NF3` that the sheet may be written in capitals.
pub fn are_read(slots: &[Vec<Ink>]) -> bool {
    let texts =
        slots.iter().flatten().filter_map(|ink| if let Ink::Written(ink) = ink { Some(&ink.text) } else { None });
    let is_square = |signs: &[u8]| (b'A'..=b'H').contains(&signs[0]) && signs[1].is_ascii_digit();
    let in_capitals: Vec<bool> = texts.map(|text| text.as_bytes().windows(2).any(is_square)).collect();
    in_capitals.iter().filter(|&&is| is).count() as f32 > READ * in_capitals.len() as f32
}

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

/// The file letters that stand in a sheet's squares as capitals rather than small; a `B` before no rank is a bishop.
pub fn preferred(rows: &[Row], alphabet: &Alphabet) -> Vec<char> {
    let cells = rows.iter().flat_map(|row| row.white.iter().chain(&row.black));
    let texts: Vec<String> = cells.filter_map(|cell| Some(cell.reading.as_ref()?.best_path(alphabet).0)).collect();
    let seen = |letter: char| {
        let is_file = |two: &[u8]| char::from(two[0]) == letter && two[1].is_ascii_digit();
        texts.iter().map(|text| text.as_bytes().windows(2).filter(|two| is_file(two)).count()).sum::<usize>()
    };
    ('A'..='H').filter(|&capital| seen(capital) > seen(capital.to_ascii_lowercase())).collect()
}

/// A text with the small letters that a sheet has as capitals put so.
pub fn written_in(capitals: &[char], text: &str) -> String {
    let write = |sign: char| Some(sign.to_ascii_uppercase()).filter(|upper| capitals.contains(upper)).unwrap_or(sign);
    text.chars().map(write).collect()
}

/// Adds the probability of each capital to that of its small letter, which is what the scores of spellings look at.
fn allow(reading: &mut Reading, letters: &[(usize, usize)]) {
    // Of the networks' last layers, which know nothing of this, nothing more is learned.
    reading.features.clear();
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
    use crate::decode::InkCell;
    use crate::decode::score::Lattice;
    use crate::decode::score::tests::{alphabet, reading_of};

    #[test]
    fn a_square_in_capitals_is_told_from_a_piece() {
        let alphabet = alphabet();
        let cell = |text: &str| vec![Ink::Written(Lattice::new(&reading_of(text, 0.9, &alphabet), &alphabet, 1.0))];
        let cells = |texts: [&str; 4]| texts.map(cell).to_vec();
        assert!(!are_read(&cells(["e4", "Bf3", "Dxd5+", "O-O"])));
        assert!(are_read(&cells(["e4", "BF3", "Dxd5+", "O-O"])));
        assert!(!are_read(&[vec![Ink::Blank], vec![Ink::Absent]]));
    }

    #[test]
    fn a_text_has_the_capitals_of_its_sheet() {
        let cell = |text: &str| {
            let reading = Some(reading_of(text, 0.9, &alphabet()));
            vec![InkCell { sheet: 0, page: 0, quad: Default::default(), reading, doubted: false }]
        };
        let rows = [
            Row { number: 1, white: cell("E4"), black: cell("e5") },
            Row { number: 2, white: cell("NxE5"), black: cell("g6") },
            // Bishops, and one move on the b file.
            Row { number: 3, white: cell("Bd3"), black: cell("b5") },
            Row { number: 4, white: cell("Bc2"), black: cell("Bd6") },
        ];
        let capitals = preferred(&rows, &alphabet());
        assert_eq!(capitals, vec!['E']);
        assert_eq!(written_in(&capitals, "Nxe5 g6"), "NxE5 g6");
    }

    #[test]
    fn a_small_letter_is_as_likely_as_both() {
        // Blank, e, E.
        let mut reading = Reading::new([0.2f32, 0.1, 0.7].map(f32::ln).to_vec(), 3);
        allow(&mut reading, &[(1, 2)]);
        let probabilities: Vec<f32> = reading.log_probs.iter().map(|log| log.exp()).collect();
        assert!((probabilities[1] - 0.8).abs() < 1e-6 && (probabilities[2] - 0.7).abs() < 1e-6, "{probabilities:?}");
        // Neither can be, for a network that is quite sure.
        let mut sure = Reading::new(vec![0.0, f32::NEG_INFINITY, f32::NEG_INFINITY], 3);
        allow(&mut sure, &[(1, 2)]);
        assert!(sure.log_likelihood(&[1]) < -20.0, "{sure:?}");
    }
}
