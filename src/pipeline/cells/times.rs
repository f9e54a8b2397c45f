//! Times that a player notes before the move, in the same cell: the move is read without them.
//!
//! Such a cell reads badly as a whole. Where the cells of a sheet that read badly begin with digits, a gap behind them, what
//! stands behind the gap is read on its own.

use super::writing::{Look, read_again};
use super::{CROP_WIDTH, Crop};
use crate::error::Result;
use crate::pipeline::recognise::Recogniser;
use std::collections::BTreeSet;
use std::ops::Range;

/// Columns of a crop without ink between a time and a move at least; a move's own at least.
const GAP: usize = 6;
const MOVE: usize = 20;
/// Gaps of a cell that are tried, the widest first.
const GAPS: usize = 2;
/// Cells of a sheet that begin with a time, at least, and in shares of those that read badly and have a gap.
const FEWEST: usize = 4;
const SHARE: f32 = 0.2;
/// Likelihood from which digits are ones.
const LEGIBLE: f32 = 0.3;

/// Reads again what stands behind a time, where cells that read badly begin with times; `unsure` are the cells to look at.
pub(super) fn read_behind(
    crops: &[&Crop],
    unsure: &[usize],
    read: &mut [Look],
    recogniser: &dyn Recogniser,
) -> Result<()> {
    let mut parts: Vec<(usize, Crop, Crop)> = Vec::new();
    for &index in unsure {
        let crop = crops[index];
        parts
            .extend(gaps(crop).into_iter().map(|gap| (index, crop.part(0..gap.start), crop.part(gap.end..CROP_WIDTH))));
    }
    let with_gap = parts.chunk_by(|a, b| a.0 == b.0).count();
    let before = recogniser.read(&parts.iter().map(|(_, before, _)| before).collect::<Vec<_>>())?;
    let before: Vec<Look> = before.into_iter().map(|reading| Look::new(reading, recogniser)).collect();
    let times = parts.iter().zip(&before).filter(|(_, look)| look.likelihood > LEGIBLE && is_time(&look.text));
    let times = times.map(|(part, _)| part.0).collect::<BTreeSet<_>>().len();
    if times < FEWEST || (times as f32) < SHARE * with_gap as f32 {
        return Ok(());
    }
    let no_letter =
        |look: &Look| look.text.is_empty() || look.text.chars().any(|sign| sign.is_ascii_digit() || sign == '-');
    let behind = parts.iter().zip(&before).filter(|(part, look)| no_letter(look) && squares(&read[part.0].text) < 2);
    let (cells, crops): (Vec<usize>, Vec<&Crop>) = behind.map(|((index, _, behind), _)| (*index, behind)).unzip();
    let mut looks: Vec<Look> =
        recogniser.read(&crops)?.into_iter().map(|reading| Look::new(reading, recogniser)).collect();
    read_again(&crops, &mut looks, recogniser)?;
    for (index, look) in cells.into_iter().zip(looks) {
        if is_move(&look.text) && look.likelihood > read[index].likelihood {
            read[index] = look;
        }
    }
    Ok(())
}

/// The widest gaps behind which a move may stand.
fn gaps(crop: &Crop) -> Vec<Range<usize>> {
    let mut strokes: Vec<Range<usize>> = crop.strokes();
    strokes.sort_by_key(|columns| columns.start);
    let end = strokes.iter().map(|columns| columns.end).max().unwrap_or(0);
    let mut gaps = Vec::new();
    let mut inked = strokes.first().map_or(0, |columns| columns.end);
    for columns in strokes {
        if columns.start >= inked + GAP && end >= columns.start + MOVE {
            gaps.push(inked..columns.start);
        }
        inked = inked.max(columns.end);
    }
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.len()));
    gaps.truncate(GAPS);
    gaps
}

/// Digits, the signs between them, or the stroke that says that no time has passed.
fn is_time(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, 'O' | ':' | '.' | '-' | '='))
}

/// Whether a text names a square, or castles.
fn is_move(text: &str) -> bool {
    text.starts_with("O-O") || squares(text) > 0
}

/// How many squares a text names.
fn squares(text: &str) -> usize {
    let is_square = |two: &&[u8]| (b'a'..=b'h').contains(&two[0]) && (b'1'..=b'8').contains(&two[1]);
    text.as_bytes().windows(2).filter(is_square).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_moves() {
        assert!(["1:28", "28", "-", "O5", "1.O5"].into_iter().all(is_time));
        assert!(["", "e4", "O-Ox", "N", "1e"].into_iter().all(|text| !is_time(text)));
        assert!(["e4", "Nxf3+", "O-O"].into_iter().all(is_move));
        assert!(["", "28", "Nf", "63"].into_iter().all(|text| !is_move(text)));
    }
}
