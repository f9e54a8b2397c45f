//! Which cells hold writing, and what it says.

use super::ReadCell;
use super::cells::Crop;
use super::grid::Grid;
use super::page::Page;
use super::recognise::Recogniser;
use crate::error::Result;
use crate::reading::Reading;
use rayon::prelude::*;

/// Ink (pixels of a crop) up to which a cell that reads as nothing counts as blank.
const SMUDGE: u32 = 150;
/// Likelihoods of what is hardly read, and of what is read well. Behind the writing, what is hardly read and not half as
/// dark as what is read well shows through or is printed there.
const LEGIBLE: std::ops::Range<f32> = 0.25..0.5;

/// Likelihood of the likeliest text below which a cell is looked at again, so many rows of its crop higher and lower:
/// people write through the lines.
const UNSURE: f32 = 0.6;
const ELSEWHERE: [i32; 2] = [-3, 3];
/// Likelihood of a look's text, in shares of that of the best look, from which it counts.
const COUNTS: f32 = 0.3;

/// Reads the cells that are not blank; `cut` cuts a cell so many rows lower.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn read_cells(
    cells: &mut [ReadCell],
    cut: impl Fn(&ReadCell, i32) -> Crop + Sync,
    recogniser: &dyn Recogniser,
) -> Result<()> {
    let mut inked: Vec<&mut ReadCell> = cells.iter_mut().filter(|cell| !cell.crop.is_blank()).collect();
    let readings = recogniser.read(&inked.iter().map(|cell| &cell.crop).collect::<Vec<_>>())?;
    let mut read: Vec<Look> = readings.into_iter().map(|reading| Look::new(reading, recogniser)).collect();
    look_again(&inked, &mut read, cut, recogniser)?;
    let well_read = read.iter().zip(&inked).filter(|(look, _)| look.likelihood > LEGIBLE.end);
    let mut written: Vec<u8> = well_read.map(|(_, cell)| cell.crop.darkness()).collect();
    written.sort_unstable();
    let usual = written.get(written.len() / 2).copied().unwrap_or(0);
    let legible = |look: &Look| !look.text.is_empty() && look.likelihood > LEGIBLE.start;
    let faint = |cell: &ReadCell| cell.crop.darkness() < usual / 2;
    let signs = read.iter().zip(&inked).map(|(look, cell)| match (legible(look), faint(cell)) {
        (true, _) => 1,
        (false, true) => -1,
        (false, false) => 0,
    });
    let end = end_of_writing(signs);
    for (index, (cell, look)) in inked.iter_mut().zip(read).enumerate() {
        // Smudges, folds and remains of ruling lines read as nothing; so does a scribble, but that is kept.
        let smudge = look.text.is_empty() && cell.crop.ink <= SMUDGE;
        let print = index >= end && !legible(&look) && faint(cell);
        if !smudge && !print {
            cell.reading = Some(look.reading);
        }
    }
    Ok(())
}

impl ReadCell {
    /// The cell, cut `down` rows of a crop lower.
    pub(super) fn cut(&self, page: &Page, grid: &Grid, down: i32) -> Crop {
        Crop::cut_lower(page, &grid.bands[self.band], grid.pairs[self.pair].of(self.colour), down)
    }
}

/// What one look at a cell gave: the reading, its likeliest text and how likely that is.
struct Look {
    reading: Reading,
    text: String,
    likelihood: f32,
}

impl Look {
    fn new(reading: Reading, recogniser: &dyn Recogniser) -> Self {
        let (text, likelihood) = reading.best_path(recogniser.alphabet());
        Self { reading, text, likelihood: likelihood.exp() }
    }
}

/// Looks again at the cells that are hardly read, and takes what all looks that read something say together.
fn look_again(
    cells: &[&mut ReadCell],
    read: &mut [Look],
    cut: impl Fn(&ReadCell, i32) -> Crop + Sync,
    recogniser: &dyn Recogniser,
) -> Result<()> {
    let unsure: Vec<usize> = (0..cells.len()).filter(|&index| read[index].likelihood < UNSURE).collect();
    let elsewhere = |&index: &usize| {
        // As wide as the first look, so that all have as many steps.
        ELSEWHERE.map(|down| Crop { span: cells[index].crop.span.clone(), ..cut(&*cells[index], down) })
    };
    let crops: Vec<[Crop; 2]> = unsure.par_iter().map(elsewhere).collect();
    let mut readings = recogniser.read(&crops.iter().flatten().collect::<Vec<_>>())?.into_iter();
    for index in unsure {
        let again = readings.by_ref().take(ELSEWHERE.len()).map(|reading| Look::new(reading, recogniser));
        let steps = read[index].reading.steps();
        let again: Vec<Look> = again.filter(|look| !look.text.is_empty() && look.reading.steps() == steps).collect();
        let all = || std::iter::once(&read[index]).chain(&again);
        let best = all().map(|look| look.likelihood).fold(0.0, f32::max);
        let counting = all().filter(|look| look.likelihood > COUNTS * best).map(|look| look.reading.clone());
        if let Some(reading) = Reading::of_looks(counting) {
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

    /// Reads `a` or `b`, as surely as the first pixel says in hundredths: above 50 for `a`.
    struct Fake(Alphabet);

    impl Recogniser for Fake {
        fn alphabet(&self) -> &Alphabet {
            &self.0
        }

        fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
            let a = |crop: &&Crop| f32::from(crop.pixels[0]) / 100.0;
            Ok(crops.iter().map(a).map(|a| Reading::new([0.0, a, 1.0 - a].map(f32::ln).to_vec(), 3)).collect())
        }
    }

    fn crop(pixel: u8) -> Crop {
        Crop { pixels: vec![pixel; CROP_WIDTH * CROP_HEIGHT], ink: 900, span: 0..1, rows: 0..1, contrast: 99 }
    }

    /// What a cell reads as, by how many looks, if the first shows one thing and those above and below another.
    fn read(first: u8, elsewhere: [u8; 2]) -> (String, usize) {
        let (quad, colour) = (Default::default(), Colour::White);
        let mut cells = [ReadCell { band: 0, pair: 0, number: 1, colour, quad, crop: crop(first), reading: None }];
        let recogniser = Fake(Alphabet::new("ab".chars()));
        read_cells(&mut cells, |_, down| crop(elsewhere[usize::from(down > 0)]), &recogniser).unwrap();
        let reading = cells[0].reading.as_ref().unwrap();
        (reading.best_path(&recogniser.0).0, reading.looks.get())
    }

    #[test]
    fn what_is_hardly_read_is_looked_at_again() {
        assert_eq!(read(80, [1, 1]), ("a".to_owned(), 1), "read well");
        assert_eq!(read(55, [10, 55]), ("b".to_owned(), 3));
        assert_eq!(read(45, [80, 80]), ("a".to_owned(), 3));
    }
}
