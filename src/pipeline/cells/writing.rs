//! Which cells hold writing, and what it says.

use super::{Crop, times};
use crate::error::Result;
use crate::pipeline::ReadCell;
use crate::pipeline::recognise::Recogniser;
use crate::reading::Reading;

/// Ink (pixels of a crop) up to which a cell that reads as nothing counts as blank.
const SMUDGE: u32 = 150;
/// Likelihoods of what is hardly read, and of what is read well. Behind the writing, what is hardly read and not half as
/// dark as what is read well shows through or is printed there.
const LEGIBLE: std::ops::Range<f32> = 0.25..0.5;
/// Cells behind the writing that hold ink but no sign, as scribbles do: more of them are ruling.
const SCRIBBLES: usize = 4;

/// Likelihood of the likeliest text below which a cell is read again by the better reader.
const READ_AGAIN: f32 = 0.8;
/// Likelihood of a reader's text, in shares of the other's, from which it counts.
const COUNTS: f32 = 0.3;

/// Reads the cells that are not blank.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn read_cells(cells: &mut [ReadCell], recogniser: &dyn Recogniser) -> Result<()> {
    let mut inked: Vec<&mut ReadCell> = cells.iter_mut().filter(|cell| !cell.crop.is_blank()).collect();
    let crops: Vec<&Crop> = inked.iter().map(|cell| &cell.crop).collect();
    let readings = recogniser.read(&crops)?;
    let mut read = looks(readings, recogniser);
    read_again(&crops, &mut read, recogniser)?;
    let unsure: Vec<usize> = (0..read.len()).filter(|&index| read[index].likelihood < READ_AGAIN).collect();
    times::read_behind(&crops, &unsure, &mut read, recogniser)?;
    let well_read = read.iter().zip(&inked).filter(|(look, _)| look.likelihood > LEGIBLE.end);
    let mut written: Vec<u8> = well_read.map(|(_, cell)| cell.crop.darkness()).collect();
    written.sort_unstable();
    let usual = written.get(written.len() / 2).copied().unwrap_or(0);
    let legible = |look: &Look| !look.text.is_empty() && look.likelihood > LEGIBLE.start;
    let faint = |cell: &ReadCell| cell.crop.darkness() < usual / 2;
    let nothing = |look: &Look| look.text.is_empty() && look.likelihood > LEGIBLE.end;
    let signs = read.iter().zip(&inked).map(|(look, cell)| match legible(look) {
        true => 1,
        false => -i32::from(faint(cell) || nothing(look)),
    });
    let end = end_of_writing(signs);
    // Ruling that its rows and columns do not follow is dark ink in every cell, but says nothing.
    let is_ruling = read.iter().skip(end).filter(|look| nothing(look)).count() > SCRIBBLES;
    for (index, (cell, look)) in inked.iter_mut().zip(read).enumerate() {
        // Smudges, folds and remains of ruling lines read as nothing; so does a scribble, but that is kept.
        let smudge = look.text.is_empty() && cell.crop.ink <= SMUDGE;
        let print = index >= end && !legible(&look) && (faint(cell) || (is_ruling && nothing(&look)));
        if !smudge && !print {
            cell.reading = Some(look.reading);
        }
    }
    Ok(())
}

/// What was seen in a cell: the reading, its likeliest text and how likely that is.
pub(super) struct Look {
    pub reading: Reading,
    pub text: String,
    pub likelihood: f32,
}

impl Look {
    pub fn new(reading: Reading, recogniser: &dyn Recogniser) -> Self {
        let (text, likelihood) = reading.best_path(recogniser.alphabet());
        Self { reading, text, likelihood: likelihood.exp() }
    }
}

pub(super) fn looks(readings: Vec<Reading>, recogniser: &dyn Recogniser) -> Vec<Look> {
    readings.into_iter().map(|reading| Look::new(reading, recogniser)).collect()
}

/// Has the cells that are hardly read read by the better reader as well, and takes what both say together.
pub(super) fn read_again(crops: &[&Crop], read: &mut [Look], recogniser: &dyn Recogniser) -> Result<()> {
    let unsure: Vec<usize> = (0..crops.len()).filter(|&index| read[index].likelihood < READ_AGAIN).collect();
    let again = recogniser.read_again(&unsure.iter().map(|&index| crops[index]).collect::<Vec<_>>())?;
    for (&index, reading) in unsure.iter().zip(again) {
        let again = Look::new(reading, recogniser);
        if again.text.is_empty() {
            continue;
        }
        let both = [&read[index], &again];
        let best = both.map(|look| look.likelihood).into_iter().fold(0.0, f32::max);
        let counting = both.into_iter().filter(|look| look.likelihood > COUNTS * best);
        if let Some(reading) = Reading::of_looks(counting.map(|look| look.reading.clone())) {
            read[index] = Look::new(reading, recogniser);
        }
    }
    Ok(())
}

/// Where the writing ends and what is printed behind the table goes on alone: the place with the most signs of writing
/// before it and the fewest behind. Signs are 1 for writing, -1 for print, 0 for either.
fn end_of_writing(signs: impl Iterator<Item = i32>) -> usize {
    let mut sum = 0;
    let sums = signs.enumerate().map(|(index, sign)| {
        sum += sign;
        (sum, index + 1)
    });
    sums.max().filter(|&(sum, _)| sum > 0).map_or(0, |(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Colour;
    use crate::pipeline::cells::{CROP_HEIGHT, CROP_WIDTH};
    use crate::reading::Alphabet;

    #[test]
    fn print_behind_the_table_is_behind_the_last_writing() {
        assert_eq!(end_of_writing([1, 1, 0, 1, -1, -1, 1, -1].into_iter()), 4);
        assert_eq!(end_of_writing([1, -1, 1, 1].into_iter()), 4);
        assert_eq!(end_of_writing([-1, -1].into_iter()), 0);
    }

    /// Reads `a` or `b`, as surely as the first pixel says in hundredths: above 50 for `a`, nothing where it is 0; the better
    /// reader goes by the second pixel.
    struct Fake(Alphabet);

    impl Fake {
        fn by(&self, pixel: usize, crops: &[&Crop]) -> Result<Vec<Reading>> {
            let a = |crop: &&Crop| f32::from(crop.pixels[pixel]) / 100.0;
            let shares = |a: f32| if a > 0.0 { [0.0, a, 1.0 - a] } else { [1.0, 0.0, 0.0] };
            Ok(crops.iter().map(a).map(|a| Reading::new(shares(a).map(f32::ln).to_vec(), 3)).collect())
        }
    }

    impl Recogniser for Fake {
        fn alphabet(&self) -> &Alphabet {
            &self.0
        }

        fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
            self.by(0, crops)
        }

        fn read_again(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
            self.by(1, crops)
        }
    }

    /// A cell with these first pixels.
    fn cell(first: u8, second: u8) -> ReadCell {
        let pixels = [vec![first, second], vec![0; CROP_WIDTH * CROP_HEIGHT - 2]].concat();
        let crop = Crop { pixels, ink: 900, span: 0..1, rows: 0..1, contrast: 99 };
        let (quad, colour) = (Default::default(), Colour::White);
        ReadCell { band: 0, pair: 0, number: 1, colour, quad, crop, reading: None, doubted: false }
    }

    #[test]
    fn much_ink_that_says_nothing_behind_the_writing_is_ruling() {
        let kept = |behind: usize| {
            let mut cells: Vec<ReadCell> = [90, 0, 90].into_iter().chain(vec![0; behind]).map(|a| cell(a, a)).collect();
            read_cells(&mut cells, &Fake(Alphabet::new("ab".chars()))).unwrap();
            cells.iter().filter(|cell| cell.reading.is_some()).count()
        };
        assert_eq!((kept(2), kept(SCRIBBLES + 4)), (5, 3));
    }

    /// What a cell with these first pixels reads as, by how many readers.
    fn read(first: u8, second: u8) -> (String, usize) {
        let mut cells = [cell(first, second)];
        let recogniser = Fake(Alphabet::new("ab".chars()));
        read_cells(&mut cells, &recogniser).unwrap();
        let reading = cells[0].reading.as_ref().unwrap();
        (reading.best_path(&recogniser.0).0, reading.looks.get())
    }

    #[test]
    fn what_is_hardly_read_is_read_again() {
        assert_eq!(read(90, 1), ("a".to_owned(), 1), "read well");
        assert_eq!(read(60, 10), ("b".to_owned(), 2), "the better reader is surer");
        assert_eq!(read(70, 45), ("a".to_owned(), 2));
        assert_eq!(read(25, 99), ("a".to_owned(), 2));
    }
}
