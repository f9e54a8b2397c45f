//! What a person says about the table on a photo, where the program does not find it alone.

use crate::error::{Error, Result};
use crate::game::Quad;
use serde::{Deserialize, Serialize};

/// What is known about the table of moves on one photo. Everything may be left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageHint {
    /// The corners of the rows of moves, clockwise from the upper left as the table is read, in pixels of the upright
    /// photo: the outer lines of the table, without the line of headings above the first move.
    pub quad: Option<Quad>,
    /// Rows in each column of moves, written on or not.
    pub rows: Option<usize>,
    /// Pairs of columns (White's and Black's moves) that stand side by side.
    pub columns: Option<usize>,
}

/// What a table may have.
const ROWS: std::ops::RangeInclusive<usize> = 3..=100;
const COLUMNS: std::ops::RangeInclusive<usize> = 1..=5;

impl PageHint {
    /// Checks the counts; the corners are checked against the photo when they are used.
    ///
    /// # Errors
    /// [`Error::Usage`] says which count is out of reach.
    pub fn check(&self) -> Result<()> {
        let out = |what: &str, count: usize, range: &std::ops::RangeInclusive<usize>| {
            Error::Usage(format!(
                "{count} {what} cannot be right: give {} to {}, or leave it out.",
                range.start(),
                range.end()
            ))
        };
        match self {
            Self { rows: Some(rows), .. } if !ROWS.contains(rows) => Err(out("rows in a column", *rows, &ROWS)),
            Self { columns: Some(columns), .. } if !COLUMNS.contains(columns) => {
                Err(out("pairs of columns", *columns, &COLUMNS))
            }
            _ => Ok(()),
        }
    }
}

/// Corners written as `x,y,x,y,x,y,x,y`.
///
/// # Errors
/// Says how many numbers were given, or which is none.
pub fn parse_quad(text: &str) -> std::result::Result<Quad, String> {
    let numbers = text
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<f32>().map_err(|_| format!("\"{part}\" is no number")))
        .collect::<std::result::Result<Vec<f32>, String>>()?;
    let [ax, ay, bx, by, cx, cy, dx, dy] = numbers[..] else {
        return Err(format!("four corners are eight numbers, x,y,x,y,x,y,x,y; {} were given", numbers.len()));
    };
    Ok([[ax, ay], [bx, by], [cx, cy], [dx, dy]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_eight_numbers() {
        assert_eq!(parse_quad("1,2,3,4,5,6,7.5,8").unwrap(), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.5, 8.0]]);
        assert!(parse_quad("1,2,3").unwrap_err().contains("3 were given"));
        assert!(parse_quad("1,2,3,4,5,6,7,x").unwrap_err().contains("\"x\""));
    }

    #[test]
    fn counts_have_bounds() {
        assert!(PageHint { rows: Some(40), columns: Some(2), quad: None }.check().is_ok());
        assert!(PageHint { rows: Some(0), ..PageHint::default() }.check().is_err());
        assert!(PageHint { columns: Some(6), ..PageHint::default() }.check().is_err());
    }
}
