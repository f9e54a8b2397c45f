//! What the lines of a table got wrong, put right by its numbers and its writing: pairs of columns that were lost, not told
//! apart, or taken one column off, and rows taken two by two.

use super::columns;
use super::cut_writing;
use super::found::Found;
use super::grid::{ColumnPair, Grid, Known, TWO_MOVES};
use super::ink_rows;
use super::layout;
use super::legible;
use super::more_rows;
use super::number_columns::{self, NumberColumn, Printed};
use super::number_sides;
use super::remarks;
use crate::error::Result;
use crate::pipeline::NUMBERS_READ;
use crate::pipeline::numbers;
use crate::pipeline::numbers::anchor::{self, Anchor};
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;

/// Least height of rows that may be two, in pixels of the page.
const FINEST: f32 = 24.0;
/// Share of a few rows whose numbers must read as numbers for the others to be looked at.
const LEGIBLE: f32 = 0.2;
/// Share of a few rows of a further pair whose numbers must read as numbers.
const SURELY_READ: f32 = 0.5;
/// As [`TWO_MOVES`], where its cells do not read as moves.
const TWO_SHORT_MOVES: f32 = 5.0;
/// The same where numbers stand on both sides of the moves.
const TWO_TOUCHING: f32 = 4.5;
/// Share by which more pairs must have more support, and the share that may be left where half of a pair was not seen.
const MORE: f32 = 1.1;
const AS_MUCH: f32 = 0.7;
/// Share by which more moves must be read in a pair that is laid out as the others, and fewest moves that tell.
pub(super) const MORE_MOVES: f32 = 1.2;
pub(super) const FEW_MOVES: f32 = 4.0;
/// Share of the moves that must be read where a layout in which White's first column holds none is changed.
const AS_MANY: f32 = 0.9;
/// From so many times the rows on from pair to pair a pair was skipped.
const SKIPPED: f32 = 1.6;
/// The first number of a table from which no more moves stand before it: the upper rows may not be seen.
const FIRST: u32 = 6;

impl Found {
    /// A height in the middle of the table, in pixels of the page.
    fn middle(&self) -> f32 {
        self.grid.middle()
    }

    /// The same table with other columns, its numbers read anew.
    fn with(&self, pairs: Vec<ColumnPair>, recogniser: &dyn Recogniser) -> Result<Self> {
        let grid = Grid { pairs, ..self.grid.clone() };
        let anchor = anchor::anchor(&self.page, &grid, None, true, recogniser)?;
        Ok(Self { page: self.page.clone(), grid, anchor, legible: None, is_level: false })
    }

    /// Takes another grid of the same page, of which nothing else is known yet.
    pub(crate) fn replace(&mut self, grid: Grid, anchor: Anchor) {
        (self.grid, self.anchor, self.legible, self.is_level) = (grid, anchor, None, false);
    }
}

/// Puts right what the numbers of a table that was anchored tell: pairs whose lines were lost, where more of the numbers
/// then go on from pair to pair, and columns taken one off. `printed` are the numbers of its page.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn complete(found: &mut Found, printed: &Printed, recogniser: &dyn Recogniser) -> Result<()> {
    more_rows::add_below(found, recogniser)?;
    more_rows::add_above(found, recogniser)?;
    let middle = found.middle();
    let width = found.page.image.width() as f32;
    if found.anchor.first_number > 1 {
        let pairs = number_sides::regrouped(&found.grid.pairs, middle, width);
        if let Some(mut whole) = pairs.map(|pairs| found.with(pairs, recogniser)).transpose()? {
            add_pairs(&mut whole, true, recogniser)?;
            // The same numbers read: no more is needed than that they begin with 1.
            if whole.anchor.first_number == 1 && whole.support() > AS_MUCH * found.support() {
                *found = whole;
            }
        }
    }
    add_pairs(found, true, recogniser)?;
    add_pairs(found, false, recogniser)?;
    // Or they stand elsewhere than one would think.
    let widest = found.grid.widest();
    let holds_two = widest > TWO_MOVES
        || (widest > TWO_TOUCHING
            && !legible::holds_moves(&found.page, &found.grid, &found.grid.pairs[0].white, recogniser)?);
    let laid_between = holds_two
        && !number_columns::agree(&found.grid.pairs, printed.columns(), middle)
        && lay_between(found, printed, recogniser)?;
    let wide = holds_two && widest > TWO_SHORT_MOVES && !laid_between;
    let room = |leftwards| layout::one_more(&found.grid.pairs, leftwards, middle, width).is_some();
    let later = found.anchor.first_number > 1;
    if room(false) || (later && room(true)) || wide {
        let more = beside_numbers(&found.grid, printed, recogniser)?;
        let more = more.filter(|grid| grid.pairs.len() > found.grid.pairs.len());
        let more = more.map(|grid| found.with(grid.pairs, recogniser)).transpose()?;
        if let Some(more) = more.filter(|more| more.support() > MORE * found.support()) {
            *found = more;
        }
    }
    // Numbers of twice the rows from pair to pair tell of a pair between them.
    let Anchor { rows, period, .. } = found.anchor;
    if found.grid.pairs.len() > 1 && period as f32 > SKIPPED * rows as f32 {
        let pairs = layout::twice_as_many(&found.grid.pairs, middle, width).unwrap_or_default();
        // Behind the last that was seen there may be none.
        let mut least = MORE * found.support();
        for count in (found.grid.pairs.len() + 1..=pairs.len()).rev().take(2) {
            let more = found.with(pairs[..count].to_vec(), recogniser)?;
            if more.support() > least {
                (least, *found) = (more.support(), more);
            }
        }
    }
    // Later numbers may have the moves of another pair before them.
    if found.anchor.first_number <= FIRST && found.grid.pairs.iter().all(|pair| pair.numbers.is_some()) {
        let ways = [
            number_sides::numbers_between(&found.grid.pairs, middle),
            number_sides::around_numbers(&found.grid.pairs, middle),
        ];
        for pairs in ways.into_iter().flatten() {
            if moves_stand_before(found, &pairs, recogniser)? {
                found.replace(Grid { pairs, ..found.grid.clone() }, found.anchor);
                break;
            }
        }
    }
    // Or what lies beside the sheet, or is signed there, was taken for White's first column: laid out otherwise, as many moves
    // are read.
    if number_columns::is_around(&found.grid.pairs)
        && let Some(pairs) = number_sides::numbers_first(&found.grid.pairs)
        && {
            let ColumnPair { white, black, .. } = &found.grid.pairs[0];
            legible::hardly_holds_moves(&found.page, &found.grid, white, black, recogniser)?
        }
        && legible::holds_some_moves(&found.page, &found.grid, &pairs[0].black, recogniser)?
        && found.moves_of(&pairs, recogniser)? > AS_MANY * found.moves_of(&found.grid.pairs, recogniser)?
    {
        found.replace(Grid { pairs, ..found.grid.clone() }, found.anchor);
    }
    remarks::leave_out(found, recogniser)?;
    make_alike(found, recogniser)?;
    reach_to_the_next(found, recogniser)?;
    cut_writing::mend(found, recogniser)?;
    more_rows::begin_with_moves(found, recogniser)
}

/// Lays out the pairs behind those of the printed numbers that do not say again what the column before them says: the same numbers
/// may stand on both sides of the moves. Takes them where more moves are then read; whether it did.
fn lay_between(found: &mut Found, printed: &Printed, recogniser: &dyn Recogniser) -> Result<bool> {
    let Some(rows) = found.grid.ruled_rows() else { return Ok(false) };
    let mut sides: Vec<(NumberColumn, Option<NumberColumn>)> = Vec::new();
    let mut last = None;
    for column in printed.columns() {
        let place = column.place();
        let alone = ColumnPair { numbers: Some(place.clone()), between: None, white: place.clone(), black: place };
        let Anchor { first_band, first_number, evidence, .. } = found.with(vec![alone], recogniser)?.anchor;
        let says = (evidence > NUMBERS_READ).then_some(i64::from(first_number) - first_band as i64);
        match sides.last_mut() {
            Some((_, behind)) if says.is_some() && says == last => *behind = Some(column.clone()),
            _ => sides.push((column.clone(), None)),
        }
        last = says.or(last);
    }
    let Some(flanked) = number_sides::flanked(&sides) else { return Ok(false) };
    let before: Vec<NumberColumn> = sides.into_iter().map(|(before, _)| before).collect();
    let mut most = MORE_MOVES * found.moves_of(&found.grid.pairs, recogniser)?.max(FEW_MOVES);
    let mut best = None;
    for pairs in number_columns::layouts(printed.page, &rows, found.grid.pitch, &before).into_iter().chain([flanked]) {
        let moves = found.moves_of(&pairs, recogniser)?;
        if moves > most {
            (most, best) = (moves, Some(pairs));
        }
    }
    let best = best.map(|pairs| found.with(pairs, recogniser)).transpose()?;
    let Some(best) = best.filter(|best| best.support() > AS_MUCH * found.support()) else { return Ok(false) };
    *found = best;
    Ok(true)
}

/// Whether moves are written before the first numbers if the columns are laid out so: nearly all cells there read as moves, or
/// some, and more of all cells than as they are laid out.
fn moves_stand_before(found: &Found, pairs: &[ColumnPair], recogniser: &dyn Recogniser) -> Result<bool> {
    let (page, grid) = (&found.page, &found.grid);
    if legible::holds_moves(page, grid, &pairs[0].white, recogniser)? {
        return Ok(true);
    }
    Ok(legible::holds_some_moves(page, grid, &pairs[0].white, recogniser)?
        && found.moves_of(pairs, recogniser)? > MORE_MOVES * found.moves_of(&grid.pairs, recogniser)?.max(FEW_MOVES))
}

/// Lays out each pair that is laid out otherwise than others as these are, where more moves are then read in it.
fn make_alike(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let middle = found.middle();
    for odd in 0..found.grid.pairs.len() {
        let others = layout::like_others(&found.grid.pairs, odd, middle);
        if others.is_empty() {
            continue;
        }
        let moves = |pair: &ColumnPair| legible::moves_in(&found.page, &found.grid, pair, recogniser);
        let mut best = (MORE_MOVES * moves(&found.grid.pairs[odd])?.max(FEW_MOVES), None);
        for other in others {
            let count = moves(&other)?;
            if count > best.0 {
                best = (count, Some(other));
            }
        }
        if let Some(pair) = best.1 {
            found.grid.pairs[odd] = pair;
            found.legible = None;
        }
    }
    Ok(())
}

/// Makes pairs reach to the next one each, where there is space for another column and more moves are then read.
fn reach_to_the_next(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let width = found.page.image.width() as f32;
    let Some(wider) = layout::up_to_the_next(&found.grid.pairs, found.middle(), width) else { return Ok(()) };
    let least = MORE_MOVES * found.moves_of(&found.grid.pairs, recogniser)?.max(FEW_MOVES);
    if found.moves_of(&wider, recogniser)? > least {
        found.grid.pairs = wider;
        found.legible = None;
    }
    Ok(())
}

/// Takes in pairs to the left or to the right of the others whose lines were lost, where their numbers go on from pair to
/// pair.
fn add_pairs(found: &mut Found, leftwards: bool, recogniser: &dyn Recogniser) -> Result<()> {
    let (middle, width) = (found.middle(), found.page.image.width() as f32);
    // To the left the first number tells that there are more.
    while found.grid.pairs.len() < columns::MOST_PAIRS && (!leftwards || found.anchor.first_number > 1) {
        let (page, grid) = (&found.page, &found.grid);
        let Some(pairs) = layout::one_more(&grid.pairs, leftwards, middle, width) else { break };
        let new = if leftwards { &pairs[0] } else { &pairs[pairs.len() - 1] };
        let alone = Grid { pairs: vec![new.clone()], ..grid.clone() };
        let share = numbers::share_read(page, &alone, true, recogniser)?;
        // Writing may have hidden lines and numbers alike.
        let is_written = || -> Result<bool> {
            Ok(legible::holds_moves(page, grid, &new.white, recogniser)?
                || legible::holds_moves(page, grid, &new.black, recogniser)?)
        };
        let enough = match share {
            SURELY_READ.. => MORE,
            LEGIBLE.. if leftwards && is_written()? => 1.0,
            _ => break,
        };
        let more = found.with(pairs, recogniser)?;
        if more.support() < enough * found.support() {
            break;
        }
        *found = more;
    }
    Ok(())
}

/// Finds out where the numbers stand; whether they read. Where they read nowhere, other rows and columns are tried.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn settle_numbers(
    printed: &Printed,
    grid: &mut Grid,
    known: &Known,
    recogniser: &dyn Recogniser,
) -> Result<bool> {
    let page = printed.page;
    let is_open = known.rows.is_none() && known.columns.is_none();
    let mut readable = false;
    // Small print is brought nearer only where nothing reads as it is.
    for nearby in [false, true] {
        let enough = if nearby { SURELY_READ } else { LEGIBLE };
        readable = numbers::settle(page, grid, nearby, recogniser)? > enough;
        if !readable && is_open {
            // Every second row may be shaded, and only every second line be found; or no column is ruled.
            let found = grid.clone();
            let ways: [&dyn Fn() -> Result<Option<Grid>>; 4] = [
                &|| Ok((found.pitch > FINEST).then(|| found.halved())),
                &|| Ok(with_printed_numbers(&found, printed)),
                &|| beside_numbers(&found, printed, recogniser),
                &|| Ok(ink_rows::pairs(page, &found).map(|pairs| Grid { pairs, ..found.clone() })),
            ];
            for way in ways {
                if readable && !nearby {
                    break;
                }
                let Some(mut other) = way()? else { continue };
                // Numbers before more columns are those of more pairs.
                let is_more = !readable || other.pairs.len() > grid.pairs.len();
                if is_more && numbers::settle(page, &mut other, nearby, recogniser)? > SURELY_READ {
                    (*grid, readable) = (other, true);
                }
            }
        }
        if readable {
            break;
        }
    }
    if readable && known.columns.is_none() {
        fill_gaps(page, grid, recogniser)?;
        tell_apart(printed, grid, recogniser)?;
    }
    Ok(readable)
}

/// Makes pairs of columns in which two moves stand beside each other, where there are numbers before all of them.
fn tell_apart(printed: &Printed, grid: &mut Grid, recogniser: &dyn Recogniser) -> Result<()> {
    let page = printed.page;
    if 2 * grid.pairs.len() > columns::MOST_PAIRS || grid.pairs.iter().any(|pair| pair.numbers.is_none()) {
        return Ok(());
    }
    let [first, second] = layout::doubled(&grid.pairs);
    let mut second = Grid { pairs: second, ..grid.clone() };
    if numbers::settle(page, &mut second, true, recogniser)? < SURELY_READ {
        return Ok(());
    }
    let pairs = first.into_iter().zip(second.pairs).flat_map(|(a, b)| [a, b.balanced()]).collect();
    let doubled = Grid { pairs, ..grid.clone() };
    // The numbers must go on from pair to pair.
    let says = |grid: &Grid| Ok(anchor::anchor(page, grid, None, true, recogniser)?.support(grid));
    if says(&doubled)? > MORE * says(grid)? {
        // Where the lines in the middle are lost, the writing tells where they were.
        let count = doubled.pairs.len();
        let beside = beside_numbers(grid, printed, recogniser)?;
        *grid = beside.filter(|other| other.pairs.len() == count).unwrap_or(doubled);
    }
    Ok(())
}

/// The same table with its numbers where they are printed, though no line may tell them from the moves.
fn with_printed_numbers(grid: &Grid, printed: &Printed) -> Option<Grid> {
    let middle = grid.middle();
    let pairs = number_columns::with_numbers(&grid.pairs, printed.columns(), middle)?;
    Some(Grid { pairs, ..grid.clone() })
}

/// A table on the same rows with its columns laid out beside the printed numbers.
fn beside_numbers(grid: &Grid, printed: &Printed, recogniser: &dyn Recogniser) -> Result<Option<Grid>> {
    let Some(rows) = grid.ruled_rows() else { return Ok(None) };
    for pairs in number_columns::layouts(printed.page, &rows, grid.pitch, printed.columns()) {
        let found = Grid { pairs, ..grid.clone() };
        if legible::is_laid_out_so(printed.page, &found, recogniser)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Takes in pairs between others whose lines were lost, where their numbers read.
fn fill_gaps(page: &Page, grid: &mut Grid, recogniser: &dyn Recogniser) -> Result<()> {
    let middle = grid.middle();
    while grid.pairs.len() < columns::MOST_PAIRS {
        let Some((pairs, new)) = layout::one_between(&grid.pairs, middle) else { break };
        let alone = Grid { pairs: vec![pairs[new].clone()], ..grid.clone() };
        if numbers::share_read(page, &alone, true, recogniser)? < SURELY_READ {
            break;
        }
        grid.pairs = pairs;
    }
    Ok(())
}
