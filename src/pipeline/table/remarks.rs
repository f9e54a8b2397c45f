//! Columns for remarks behind the moves that were taken for Black's moves, or for a part of them.

use super::found::Found;
use super::grid::{Column, ColumnPair, Grid};
use super::layout::{gaps, moved};
use super::legible;
use crate::error::Result;
use crate::pipeline::cells::Crop;
use crate::pipeline::recognise::Recogniser;

/// The narrowest column of moves, in heights of a row.
const NARROWEST: f32 = 1.5;
/// Share of White's cells that are written on below which Black's are not those that were taken for them.
const FAR_FEWER: f32 = 0.35;
/// Cells of White's that tell.
const FEWEST: usize = 6;
/// How near to the middle of a pair, in pixels, a border that no line told lies.
const HALFWAY: f32 = 0.6;
/// Share by which more moves must be read, and fewest that tell.
const MORE_MOVES: f32 = 1.2;
const FEW_MOVES: f32 = 4.0;

/// Leaves out columns behind the moves where more moves are read then.
///
/// # Errors
/// As [`Recogniser::read`].
pub(super) fn leave_out(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let middle = found.grid.middle();
    let way: fn(&ColumnPair, f32) -> Option<ColumnPair> = if black_is_empty(found) {
        with_black_before
    } else if found.grid.pairs.iter().all(|pair| is_halved(pair, middle)) && !found.legible(recogniser)?.is_plain() {
        in_thirds
    } else {
        return Ok(());
    };
    let least = NARROWEST * found.grid.pitch;
    let Some(pairs) = found.grid.pairs.iter().map(|pair| way(pair, least)).collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let moves = |pairs: &[ColumnPair]| -> Result<f32> {
        pairs.iter().map(|pair| legible::moves_in(&found.page, &found.grid, pair, recogniser)).sum()
    };
    if moves(&pairs)? > MORE_MOVES * moves(&found.grid.pairs)?.max(FEW_MOVES) {
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
