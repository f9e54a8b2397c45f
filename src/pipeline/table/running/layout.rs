//! Where parts of a text are laid anew: rows and columns with white paper between them.

use super::Text;
use super::parts::Part;
use crate::pipeline::page::Page;
use crate::pipeline::page::pieces::Cutting;
use crate::pipeline::table::grid::{Band, Column};
use crate::pipeline::table::lines::Curve;

/// Height of a row, what is shown of it above and below its middle at most, and the paper beside a move, in heights of a letter.
const ROW: f32 = 2.0;
const SHOWN: f32 = 1.1;
const BESIDE: f32 = 0.6;
/// Share of the gap to the next sign that is shown.
const OF_GAP: f32 = 0.5;

/// A part with the row and the column in which it is laid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Laid {
    pub row: usize,
    pub column: usize,
    pub part: Part,
    /// Little tells that it belongs there.
    pub doubted: bool,
}

/// Rows and columns with parts in them.
pub(super) struct Layout {
    laid: Vec<Laid>,
    /// Left end of each column, and of what would be the next one.
    columns: Vec<u32>,
    rows: usize,
    /// Of a row, in pixels.
    pitch: u32,
    /// Of a letter, in pixels.
    height: f32,
}

impl Layout {
    /// Each of so many columns is as wide as its widest part.
    pub fn new(laid: Vec<Laid>, columns: usize, height: f32) -> Self {
        let widest = |column: usize| {
            let parts = laid.iter().filter(|laid| laid.column == column).map(|laid| laid.part);
            parts.map(|part| part.right - part.left).fold(height, f32::max)
        };
        let mut lefts = vec![0];
        for column in 0..columns {
            lefts.push(lefts[column] + (widest(column) + 2.0 * BESIDE * height).ceil() as u32);
        }
        let rows = laid.iter().map(|laid| laid.row + 1).max().unwrap_or(0);
        Self { laid, columns: lefts, rows, pitch: (2.0 * SHOWN * height).ceil() as u32 + 2, height }
    }

    /// From row to row, in pixels.
    pub fn pitch(&self) -> f32 {
        self.pitch as f32
    }

    /// The page on which the parts lie, each without the ink of other lines.
    pub fn page(&self, text: &Text) -> Page {
        let cutting = |&Laid { row, column, part, doubted }: &Laid| {
            let [before, behind] = part.gaps.map(|gap| (OF_GAP * gap).min(BESIDE * self.height));
            let (top, bottom) = (part.y - SHOWN * self.height, part.y + SHOWN * self.height);
            let x = self.columns[column] as f32 + BESIDE * self.height - before;
            Cutting {
                from: [part.left - before, top, part.right + behind, bottom],
                slope: text.slope,
                to: [x.max(0.0) as u32, row as u32 * self.pitch + 1],
                doubted,
            }
        };
        let cuttings: Vec<Cutting> = self.laid.iter().map(cutting).collect();
        text.page.laid_out_anew(self.size(), &cuttings, |index, place| {
            text.owners.at(place).is_some_and(|line| line != self.laid[index].part.line)
        })
    }

    /// Width and height, in pixels.
    fn size(&self) -> (u32, u32) {
        (self.columns[self.columns.len() - 1], self.rows.max(1) as u32 * self.pitch)
    }

    pub fn band(&self, row: usize) -> Band {
        let middle = row as f32 * self.pitch() + 1.0 + SHOWN * self.height;
        let along = |y: f32| Curve::along(self.size().0, |_| y);
        let half = ROW / 2.0 * self.height;
        Band { top: along(middle - half), bottom: along(middle + half), ruled: true }
    }

    pub fn column(&self, column: usize) -> Column {
        let down = |x: u32| Curve::along(self.size().1, |_| x as f32);
        Column { left: down(self.columns[column]), right: down(self.columns[column + 1]), inner: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_in_which_nothing_is_laid_has_its_place() {
        let part = Part { line: 0, first: 0, end: 1, left: 40.0, right: 140.0, y: 60.0, gaps: [9.0; 2] };
        let layout = Layout::new(vec![Laid { row: 2, column: 0, part, doubted: false }], 2, 20.0);
        let [white, black] = [0, 1].map(|column| layout.column(column));
        assert_eq!(white.at(0.0), (0.0, 124.0));
        assert_eq!(black.at(0.0), (124.0, 168.0));
        assert_eq!(layout.size(), (168, 138));
        let band = layout.band(2);
        assert_eq!((band.top.at(0.0), band.bottom.at(0.0)), (95.0, 135.0));
    }
}
