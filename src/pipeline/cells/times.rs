//! Times that a player notes before the move, in the same cell: the move is read without them.
//!
//! Such a cell reads badly as a whole. Where the cells of a sheet that read badly begin with digits, a gap behind them, what
//! stands behind the gap is read on its own.

use super::writing::{Look, looks, read_again};
use super::{CROP_WIDTH, Crop};
use crate::error::Result;
use crate::notation::named_squares;
use crate::pipeline::recognise::Recogniser;
use std::ops::Range;

/// Columns of a crop without ink between a time and a move at least; a move's own at least.
const GAP: usize = 6;
const MOVE: usize = 20;
/// Paper shown beside a part of a crop, in pixels.
const MARGIN: usize = 5;
/// Cells of a sheet that begin with a time, at least, and in shares of those where something is read before a gap.
const FEWEST: usize = 6;
const SHARE: f32 = 0.4;

/// Reads again what stands behind a time, where cells that read badly begin with times; `unsure` are the cells to look at.
pub(super) fn read_behind(
    crops: &[&Crop],
    unsure: &[usize],
    read: &mut [Look],
    recogniser: &dyn Recogniser,
) -> Result<()> {
    let parts: Vec<(usize, Crop, Crop)> = unsure
        .iter()
        .filter_map(|&index| {
            let gap = widest_gap(crops[index])?;
            Some((index, part(crops[index], 0..gap.start), part(crops[index], gap.end..CROP_WIDTH)))
        })
        .collect();
    let before = recogniser.read(&parts.iter().map(|(_, before, _)| before).collect::<Vec<_>>())?;
    let before = looks(before, recogniser);
    let times = before.iter().filter(|look| is_time(&look.text)).count();
    let any = before.iter().filter(|look| !look.text.is_empty()).count();
    if times < FEWEST || (times as f32) < SHARE * any as f32 {
        return Ok(());
    }
    // Digits are taken for letters at times, but not all of them.
    let may_be_time =
        |look: &Look| look.text.is_empty() || look.text.chars().any(|sign| sign.is_ascii_digit() || sign == '-');
    let behind = parts
        .iter()
        .zip(&before)
        .filter(|(part, look)| may_be_time(look) && named_squares(&read[part.0].text).count() < 2);
    let (cells, crops): (Vec<usize>, Vec<&Crop>) = behind.map(|((index, _, behind), _)| (*index, behind)).unzip();
    let mut behind = looks(recogniser.read(&crops)?, recogniser);
    read_again(&crops, &mut behind, recogniser)?;
    for (index, look) in cells.into_iter().zip(behind) {
        if is_move(&look.text) && look.likelihood > read[index].likelihood {
            read[index] = look;
        }
    }
    Ok(())
}

/// The widest gap behind which a move may stand.
fn widest_gap(crop: &Crop) -> Option<Range<usize>> {
    let mut strokes: Vec<Range<usize>> = crop.strokes();
    strokes.sort_by_key(|columns| columns.start);
    let end = strokes.iter().map(|columns| columns.end).max()?;
    let mut inked = strokes.first()?.end;
    let mut widest: Option<Range<usize>> = None;
    for columns in strokes {
        let gap = inked..columns.start;
        let counts = gap.len() >= GAP && end >= gap.end + MOVE;
        if counts && widest.as_ref().is_none_or(|widest| gap.len() > widest.len()) {
            widest = Some(gap);
        }
        inked = inked.max(columns.end);
    }
    widest
}

/// Whether a text has digits and the signs between them only.
fn is_time(text: &str) -> bool {
    let is_digit = |sign: char| ('1'..='9').contains(&sign);
    text.contains(is_digit) && text.chars().all(|sign| is_digit(sign) || matches!(sign, 'O' | ':' | '.' | '-' | '='))
}

/// Whether a text names a square, or castles.
fn is_move(text: &str) -> bool {
    text.starts_with("O-O") || named_squares(text).next().is_some()
}

/// What lies within some columns of pixels of a crop, alone and in the middle.
fn part(crop: &Crop, columns: Range<usize>) -> Crop {
    let mut part = Crop { pixels: vec![255; crop.pixels.len()], ..crop.clone() };
    let inked = columns.start.max(crop.span.start)..columns.end.min(crop.span.end.max(columns.start));
    let start = inked.start.saturating_sub(MARGIN).max(columns.start);
    let end = (inked.end + MARGIN).min(columns.end).max(start);
    let at = (CROP_WIDTH - (end - start)) / 2;
    for (to, from) in part.pixels.chunks_mut(CROP_WIDTH).zip(crop.pixels.chunks(CROP_WIDTH)) {
        to[at..at + (end - start)].copy_from_slice(&from[start..end]);
    }
    part.span = at..at + (end - start);
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::cells::CROP_HEIGHT;

    #[test]
    fn the_widest_gap_parts_a_time_from_the_move() {
        let crop = |inked: &dyn Fn(usize) -> bool| {
            let dark = |at: usize| (14..34).contains(&(at / CROP_WIDTH)) && inked(at % CROP_WIDTH);
            let pixels = (0..CROP_WIDTH * CROP_HEIGHT).map(|at| if dark(at) { 40 } else { 250 }).collect();
            Crop { pixels, ink: 900, span: 20..150, rows: 14..34, contrast: 200 }
        };
        // Digits, and behind a gap a letter and a square.
        let time = |x: usize| (20..32).contains(&x) || (36..48).contains(&x);
        let square = |x: usize| (92..108).contains(&x) || (112..128).contains(&x);
        let whole = crop(&|x| time(x) || (70..84).contains(&x) || square(x));
        let gap = widest_gap(&whole).unwrap();
        assert_eq!(gap, 48..70);
        let behind = part(&whole, gap.end..CROP_WIDTH);
        assert_eq!(behind.strokes().len(), 3);
        assert_eq!(behind.span.len(), 150 - 70 + MARGIN);
        assert_eq!(widest_gap(&crop(&time)), None, "what is behind is too narrow for a move");
        assert_eq!(widest_gap(&crop(&|_| false)), None);
    }

    #[test]
    fn times_are_told_from_moves() {
        assert!(["1:28", "28", "O5", "1.O5"].into_iter().all(is_time));
        assert!(["", "e4", "O-O", "-", "N", "1e"].into_iter().all(|text| !is_time(text)));
        assert!(["e4", "Nxf3+", "O-O"].into_iter().all(is_move));
        assert!(["", "28", "Nf", "63"].into_iter().all(|text| !is_move(text)));
    }
}
