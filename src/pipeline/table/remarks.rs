//! Columns for remarks behind the moves that were taken for Black's moves, or for a part of them.

use super::amend::{FEW_MOVES, MORE_MOVES};
use super::columns::NARROWEST_MOVE;
use super::found::Found;
use super::grid::{Column, ColumnPair, Grid};
use super::layout::{gaps, moved};
use super::legible::{self, FAR_FEWER};
use crate::error::Result;
use crate::pipeline::cells::Crop;
use crate::pipeline::recognise::Recogniser;

/// Cells of White's that tell.
const FEWEST: usize = 6;
/// How near to the middle of a pair, in pixels, a border that no line told lies.
const HALFWAY: f32 = 0.6;

/// Leaves out columns behind the moves where more moves are read then.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn leave_out(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let (middle, least) = (found.grid.middle(), NARROWEST_MOVE * found.grid.pitch);
    let all = |way: fn(&ColumnPair, f32) -> Option<ColumnPair>| -> Option<Vec<ColumnPair>> {
        found.grid.pairs.iter().map(|pair| way(pair, least)).collect()
    };
    let is_guessed = found.grid.pairs.iter().all(|pair| is_halved(pair, middle));
    let (before, thirds) = (all(with_black_before), all(in_thirds).filter(|_| is_guessed));
    let pairs = match (before, thirds) {
        (Some(pairs), _) if black_is_empty(found) => pairs,
        (_, Some(pairs)) if !found.legible(recogniser)?.is_plain() => pairs,
        _ => return Ok(()),
    };
    let Some(first) = pairs.first() else { return Ok(()) };
    if legible::holds_some_moves(&found.page, &found.grid, &first.black, recogniser)?
        && found.moves_of(&pairs, recogniser)?
            > MORE_MOVES * found.moves_of(&found.grid.pairs, recogniser)?.max(FEW_MOVES)
    {
        found.replace(Grid { pairs, ..found.grid.clone() }, found.anchor);
    }
    Ok(())
}

/// Whether far fewer of Black's cells in the first pair are written on than of White's.
fn black_is_empty(found: &Found) -> bool {
    let Some(pair) = found.grid.pairs.first() else { return false };
    let rows = found.anchor.bands(&found.grid);
    let written = |column: &Column| {
        let places: Vec<_> = rows.iter().map(|row| (row, column)).collect();
        Crop::cut_all(&found.page, &places).iter().filter(|crop| !crop.is_blank()).count()
    };
    let white = written(&pair.white);
    white >= FEWEST && (written(&pair.black) as f32) < FAR_FEWER * white as f32
}

/// Whether the border between White's and Black's moves was set half way between the sides of a pair.
fn is_halved(pair: &ColumnPair, middle: f32) -> bool {
    let halfway = (pair.white.left.at(middle) + pair.black.right.at(middle)) / 2.0;
    pair.between.is_none() && (pair.white.right.at(middle) - halfway).abs() < HALFWAY
}

/// A pair with Black's moves in the column between the two that were told, if there is one as wide as `least` pixels.
fn with_black_before(pair: &ColumnPair, least: f32) -> Option<ColumnPair> {
    let black = Column { left: pair.white.right.clone(), right: pair.black.left.clone(), inner: Vec::new() };
    let is_wide = gaps(&black.left, &black.right).iter().all(|&width| width > least);
    is_wide.then(|| ColumnPair { between: None, black, ..pair.clone() })
}

/// A pair with the moves in its first two thirds, if a third is as wide as `least` pixels.
fn in_thirds(pair: &ColumnPair, least: f32) -> Option<ColumnPair> {
    let whole = gaps(&pair.white.left, &pair.black.right);
    let border = |times: f32| moved(&pair.white.left, &whole, times);
    let column = |from: f32, to: f32| Column { left: border(from), right: border(to), inner: Vec::new() };
    let is_wide = whole.iter().all(|&width| width > 3.0 * least);
    is_wide.then(|| ColumnPair { white: column(0.0, 1.0 / 3.0), black: column(1.0 / 3.0, 2.0 / 3.0), ..pair.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::numbers::anchor::Anchor;
    use crate::pipeline::page::Page;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::grid::Band;
    use crate::pipeline::table::legible::tests::Fake;
    use crate::pipeline::table::lines::Curve;
    use crate::reading::Alphabet;
    use image::{GrayImage, Luma};

    /// A table of three columns, 160 pixels wide each, whose first two are written on, and the sides of its columns of moves
    /// once remarks are left out; at first they are as told.
    fn left_out(white: (f32, f32), black: (f32, f32)) -> [(f32, f32); 2] {
        let grey = GrayImage::from_fn(640, 900, |x, y| {
            let at = (x.max(100) - 100) % 160;
            let is_ink = (100..420).contains(&x)
                && (40..100).contains(&at)
                && (90..810).contains(&y)
                && (10..30).contains(&(y % 40));
            Luma([if is_ink && (x + y) % 16 < 8 { 30 } else { 250 }])
        });
        let page = Page::new(&Photo { file: String::new(), grey }, 0);
        let line = |row: usize| Curve { y: vec![80.0 + 40.0 * row as f32; 20] };
        let bands = (0..18).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
        let upright = |x: f32| Curve { y: vec![x; 28] };
        let column = |(left, right)| Column { left: upright(left), right: upright(right), inner: Vec::new() };
        let pair = ColumnPair { numbers: None, between: None, white: column(white), black: column(black) };
        let grid = Grid { bands, pairs: vec![pair], pitch: 40.0, width: 640.0, by_ink: false };
        let anchor = Anchor { first_band: 0, rows: 18, period: 18, first_number: 1, evidence: 2.0 };
        let mut found = Found { page, grid, anchor, legible: None, is_level: true };
        leave_out(&mut found, &Fake(Alphabet::new("e4".chars()))).unwrap();
        let pair = &found.grid.pairs[0];
        [pair.white.at(400.0), pair.black.at(400.0)]
    }

    #[test]
    fn a_column_that_is_not_written_on_is_none_of_moves() {
        let moves = [(100.0, 260.0), (260.0, 420.0)];
        assert_eq!(left_out((100.0, 260.0), (420.0, 580.0)), moves);
        assert_eq!(left_out(moves[0], moves[1]), moves);
    }

    #[test]
    fn half_of_three_columns_is_none() {
        let [white, black] = left_out((100.0, 340.0), (340.0, 580.0));
        assert!((white.1 - 260.0).abs() < 1.0 && (black.1 - 420.0).abs() < 1.0, "{white:?} {black:?}");
        // No third of what a border was told in.
        let told = [(100.0, 300.0), (300.0, 580.0)];
        assert_eq!(left_out(told[0], told[1]), told);
    }
}
