//! Which cells hold writing, and what it says.

use super::ReadCell;
use super::recognise::Recogniser;
use crate::error::Result;

/// Ink (pixels of a crop) up to which a cell that reads as nothing counts as blank.
const SMUDGE: u32 = 150;
/// Likelihoods of what is hardly read, and of what is read well. Behind the writing, what is hardly read and not half as
/// dark as what is read well shows through or is printed there.
const LEGIBLE: std::ops::Range<f32> = 0.25..0.5;

/// Reads the cells that are not blank.
pub(super) fn read_cells(cells: &mut [ReadCell], recogniser: &dyn Recogniser) -> Result<()> {
    let inked: Vec<&mut ReadCell> = cells.iter_mut().filter(|cell| !cell.crop.is_blank()).collect();
    let readings = recogniser.read(&inked.iter().map(|cell| &cell.crop).collect::<Vec<_>>())?;
    let texts: Vec<(String, f32)> = readings.iter().map(|reading| reading.best_path(recogniser.alphabet())).collect();
    let well_read = texts.iter().zip(&inked).filter(|((_, likelihood), _)| likelihood.exp() > LEGIBLE.end);
    let mut written: Vec<u8> = well_read.map(|(_, cell)| cell.crop.darkness()).collect();
    written.sort_unstable();
    let usual = written.get(written.len() / 2).copied().unwrap_or(0);
    let legible = |(text, likelihood): &(String, f32)| !text.is_empty() && likelihood.exp() > LEGIBLE.start;
    let faint = |cell: &ReadCell| cell.crop.darkness() < usual / 2;
    let signs = texts.iter().zip(&inked).map(|(text, cell)| match (legible(text), faint(cell)) {
        (true, _) => 1,
        (false, true) => -1,
        (false, false) => 0,
    });
    let end = end_of_writing(signs);
    for (index, ((cell, reading), text)) in inked.into_iter().zip(readings).zip(texts).enumerate() {
        // Smudges, folds and remains of ruling lines read as nothing; so does a scribble, but that is kept.
        let smudge = text.0.is_empty() && cell.crop.ink <= SMUDGE;
        let print = index >= end && !legible(&text) && faint(cell);
        if !smudge && !print {
            cell.reading = Some(reading);
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

    #[test]
    fn print_behind_the_table_is_behind_the_last_writing() {
        assert_eq!(end_of_writing([1, 1, 0, 1, -1, -1, 1, -1].into_iter()), 4);
        assert_eq!(end_of_writing([1, -1, 1, 1].into_iter()), 4);
        assert_eq!(end_of_writing([-1, -1].into_iter()), 0);
    }
}
