//! Printed numbers within the cells of the moves: where the line beside the column of numbers was not found, cells that are blank
//! hold the numbers of their rows.

use super::anchor;
use crate::game::Colour;
use crate::pipeline::ReadCell;
use crate::reading::Alphabet;

/// Probability, by a recogniser that mostly reads moves, from which a cell holds the number of its row.
const SAYS: f32 = 0.02;
/// The same in a column whose cells hold the numbers.
const MAY_SAY: f32 = 0.005;
/// Cells of a column that say their numbers at least if all do, and what share of those with ink.
const FEWEST: usize = 5;
const MOST: f32 = 0.5;

/// Takes the ink of cells that hold nothing but the printed number of their row for none.
pub(crate) fn blank(cells: &mut [ReadCell], alphabet: &Alphabet) {
    let spelled = anchor::spellings(alphabet);
    let says = |cell: &ReadCell| -> Option<f32> {
        let ways = spelled.get(cell.number as usize)?;
        let reading = cell.reading.as_ref()?;
        Some(ways.iter().map(|way| reading.log_likelihood(way).exp()).sum())
    };
    let said: Vec<Option<f32>> = cells.iter().map(says).collect();
    let pairs = cells.iter().map(|cell| cell.pair + 1).max().unwrap_or(0);
    for (pair, colour) in (0..pairs).flat_map(|pair| [Colour::White, Colour::Black].map(|colour| (pair, colour))) {
        let of_column = |at: &usize| cells[*at].pair == pair && cells[*at].colour == colour;
        let column: Vec<(usize, f32)> =
            (0..cells.len()).filter(of_column).filter_map(|at| Some((at, said[at]?))).collect();
        let numbers = column.iter().filter(|(_, said)| *said > SAYS).count();
        if numbers >= FEWEST && numbers as f32 >= MOST * column.len() as f32 {
            column.iter().filter(|(_, said)| *said > MAY_SAY).for_each(|&(at, _)| cells[at].reading = None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::cells::Crop;
    use crate::reading::Reading;

    /// A cell whose ink says a text, with as much doubt about each sign.
    fn cell(number: u32, colour: Colour, text: &str, alphabet: &Alphabet) -> ReadCell {
        let sure = |class: usize| (0..alphabet.classes()).map(move |other| if other == class { -0.1f32 } else { -4.0 });
        let classes = text.chars().flat_map(|sign| [alphabet.class(sign).unwrap(), 0]);
        let reading = Reading::new(classes.flat_map(sure).collect(), alphabet.classes());
        let crop = Crop { pixels: Vec::new(), ink: 9, span: 0..0, rows: 0..0, contrast: 99 };
        ReadCell { band: 0, pair: 0, number, colour, quad: [[0.0; 2]; 4], crop, reading: Some(reading), doubted: false }
    }

    #[test]
    fn blank_cells_may_hold_their_numbers() {
        let alphabet = Alphabet::new("0123456789abcdefghNBRQKO-".chars());
        let page = |beside: &dyn Fn(u32) -> String| {
            let rows = 31..45;
            let moves = ["Bc2", "a4", "Ne3"].into_iter().zip(31..);
            let white = moves.map(|(text, number)| cell(number, Colour::White, text, &alphabet));
            let black = rows.map(|row| cell(row, Colour::Black, &beside(row), &alphabet));
            let mut cells: Vec<ReadCell> = white.chain(black).collect();
            blank(&mut cells, &alphabet);
            cells.iter().filter(|cell| cell.reading.is_some()).count()
        };
        let with_moves = |row: u32| if row < 34 { format!("Ra{}", row - 30) } else { format!("0{row}") };
        assert_eq!(page(&with_moves), 6, "three moves of each");
        assert_eq!(page(&|row| format!("{}", row + 1)), 17, "the numbers of other rows are none of theirs");
        assert_eq!(page(&|row| format!("b{}", 1 + row % 8)), 17, "moves");
    }
}
