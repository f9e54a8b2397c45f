//! A table of moves that a search came upon, and what speaks for it.

use super::grid::{Band, COVERED, ColumnPair, Grid, TWO_MOVES};
use super::legible::{self, Legible};
use super::on_lines;
use crate::error::Result;
use crate::pipeline::NUMBERS_READ;
use crate::pipeline::numbers::anchor::Anchor;
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;

/// Evidence per looked-at row (see [`Anchor::evidence`]) from which a page is surely the right way up.
pub(crate) const UPRIGHT: f32 = 0.6;
/// What the numbers of a whole table say at least (evidence times rows): a few rows read by chance say less.
pub(crate) const WHOLE: f32 = 30.0;
/// Share by which a later try must have more support than an earlier one.
pub(crate) const CLEARLY: f32 = 1.25;
/// The share of the support of what may be a part of the table, or was laid flat, that is enough for another one.
pub(crate) const NEARLY: f32 = 0.9;
/// The share of the numbers' support that may be lost where more moves are read.
const AS_MUCH: f32 = 0.7;
/// Rows that may be missing before the first wherever the table lies on the page; a further sheet begins later.
const LOST_ROWS: usize = 6;
/// How far the lines of bent rows leave the straight way, in heights of a row.
const BENT: f32 = 0.35;
/// Room for moves beside the table, in heights of a row: a column may be taken for wider than it is.
const MOVE_WIDTH: f32 = 4.0;

/// A table with the page it was found on and the numbers of its rows.
#[derive(Debug, Clone)]
pub struct Found {
    pub page: Page,
    pub grid: Grid,
    pub anchor: Anchor,
    /// How its writing reads, where that was asked.
    pub(crate) legible: Option<Legible>,
    /// Whether the printed numbers of all pairs were seen to stand at one place in their rows.
    pub(crate) is_level: bool,
}

impl Found {
    /// See [`Anchor::support`].
    pub(crate) fn support(&self) -> f32 {
        self.anchor.support(&self.grid)
    }

    /// Whether the numbers say for sure that this is the table, the right way up.
    pub(crate) fn is_sure(&self) -> bool {
        self.is_told(WHOLE)
    }

    /// The same where they need say so much only.
    pub(crate) fn is_told(&self, least: f32) -> bool {
        self.anchor.evidence > UPRIGHT && self.support() > least && !self.begins_late()
    }

    /// Whether a part of the table was not found: going by its numbers, or by how far its lines reach.
    pub(crate) fn is_partial(&self) -> bool {
        self.begins_late() || self.ends_early() || self.grid.covered() < COVERED
    }

    /// Whether this is surely the table, the whole of it, and nowhere off its lines.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_sure() && !self.is_partial() && !self.leaves_its_lines()
    }

    /// Whether nothing is gained by another look: the same, in columns none of which has room for two moves.
    pub(crate) fn is_seen_well(&self) -> bool {
        self.is_whole() && self.grid.widest() < TWO_MOVES
    }

    /// Whether this is the table or a part of it, which may show better where the page is laid flat.
    pub(crate) fn may_show_better_flat(&self) -> bool {
        self.is_sure() && (self.lies_askew() || self.leaves_its_lines())
    }

    /// Whether its sides or its rows tell that the page does not lie flat.
    fn lies_askew(&self) -> bool {
        self.grid.is_doubtful() || self.ends_early() || self.is_bent()
    }

    /// Whether nothing speaks against it but that a part of it leaves the lines of the form.
    pub(crate) fn only_leaves_its_lines(&self) -> bool {
        self.is_sure() && !self.is_partial() && !self.lies_askew() && self.leaves_its_lines()
    }

    /// Whether a part of its rows or columns leaves the lines of the form.
    pub(crate) fn leaves_its_lines(&self) -> bool {
        on_lines::are_left(&self.page.image, &self.grid, &self.anchor)
    }

    /// Whether its rows bend with the paper.
    fn is_bent(&self) -> bool {
        let (Some(first), Some(last)) = (self.grid.pairs.first(), self.grid.pairs.last()) else { return false };
        let bends = |band: &Band| {
            let y = band.top.y[band.top.y.len() / 2];
            let (left, right) = (first.first(y).left.at(y), last.black.right.at(y));
            let [from, to] = [left, right].map(|x| band.top.at(x));
            let off = |share: f32| (band.top.at(left + share * (right - left)) - from - share * (to - from)).abs();
            (1..8).map(|eighth| off(eighth as f32 / 8.0)).fold(0.0, f32::max)
        };
        let furthest = self.grid.bands.iter().map(bends).fold(0.0, f32::max);
        furthest > BENT * self.grid.pitch
    }

    /// Whether the numbers of the next pair tell of rows below the last one for which the photo has room.
    pub(crate) fn ends_early(&self) -> bool {
        let Anchor { first_band, rows, period, first_number, .. } = self.anchor;
        let above = (first_number as usize).saturating_sub(1);
        let Some(last) = self.grid.bands[..first_band + rows].last().filter(|_| rows + above < period) else {
            return false;
        };
        let middle = last.top.y.len() / 2;
        let below = 2.0 * last.bottom.y[middle] - last.top.y[middle];
        self.page.shows([self.page.image.width() as f32 / 2.0, below])
    }

    /// Whether a part of the table seems not to be found, going by its first number: the first rows, cut off by the edge of the
    /// photo or not seen, or rows or columns for which the photo has room. A further sheet begins later too.
    fn begins_late(&self) -> bool {
        let before = (self.anchor.first_number as usize).saturating_sub(1);
        let Some(band) = self.grid.bands.get(self.anchor.first_band) else { return false };
        let Some(pair) = self.grid.pairs.first().filter(|_| before > 0) else { return false };
        let y = band.top.at(0.0);
        let left = pair.first(y).left.at(y);
        if before < LOST_ROWS {
            true
        } else if before < self.anchor.period {
            band.top.at(left) > before as f32 * self.grid.pitch
        } else {
            // A page laid flat may have been cut at its table.
            let width = (pair.white.right.at(y) - left).min(MOVE_WIDTH * self.grid.pitch);
            self.page.shows([left - width, y])
        }
    }

    /// Whether its numbers surely go on from those of another table.
    pub(crate) fn is_later(&self) -> bool {
        self.anchor.first_number as usize > LOST_ROWS + 1 && self.anchor.evidence > UPRIGHT && self.support() > WHOLE
    }

    /// Whether the numbers say anything.
    pub(crate) fn is_read(&self) -> bool {
        self.anchor.evidence > NUMBERS_READ
    }

    /// Whether this is the table rather than another one: the numbers tell, or for want of them the writing.
    pub(crate) fn is_better_than(&mut self, other: &mut Self, recogniser: &dyn Recogniser) -> Result<bool> {
        if self.support().max(other.support()) < WHOLE {
            return self.reads_better_than(other, recogniser);
        }
        // Numbers may be seen in what is none, moves hardly where nothing reads as any.
        let [mine, others] =
            [self.legible(recogniser)?, other.legible(recogniser)?].map(|legible| legible.is_nothing());
        if mine != others {
            return Ok(others);
        }
        // Where both are surely the table, its rows are right in both: its columns are where moves are read.
        if self.is_sure() && other.is_sure() {
            if self.reads_better_than(other, recogniser)? {
                return Ok(true);
            }
            if other.reads_better_than(self, recogniser)? {
                return Ok(false);
            }
        }
        let lacks_rows = |found: &Self| found.begins_late() || found.ends_early();
        let is_faulty = |found: &Self| found.is_partial() || found.leaves_its_lines();
        let speaks_for = |fault: &dyn Fn(&Self) -> bool| fault(other) && !fault(self);
        let clearly = if speaks_for(&lacks_rows) || speaks_for(&is_faulty) { NEARLY } else { CLEARLY };
        Ok(self.support() > clearly * other.support())
    }

    /// Whether more of its cells read as moves, whatever the numbers say.
    pub(crate) fn reads_better_than(&mut self, other: &mut Self, recogniser: &dyn Recogniser) -> Result<bool> {
        Ok(self.legible(recogniser)?.area > CLEARLY * other.legible(recogniser)?.area)
    }

    /// Whether this is the better of two layouts of the same page: clearly more of its cells read as moves and the numbers say
    /// as much, or the other way round.
    pub(crate) fn holds_more_than(&self, other: &Self, recogniser: &dyn Recogniser) -> Result<bool> {
        let [more, moves] = [self.moves(recogniser)?, other.moves(recogniser)?];
        let [support, least] = [self.support(), other.support()];
        Ok((more > CLEARLY * moves && support > AS_MUCH * least)
            || (support > CLEARLY * least && more > NEARLY * moves))
    }

    /// How many moves are written in it, going by some of its cells.
    fn moves(&self, recogniser: &dyn Recogniser) -> Result<f32> {
        self.moves_of(&self.grid.pairs, recogniser)
    }

    /// The same of other pairs of columns on its rows.
    pub(super) fn moves_of(&self, pairs: &[ColumnPair], recogniser: &dyn Recogniser) -> Result<f32> {
        pairs.iter().map(|pair| legible::moves_in(&self.page, &self.grid, pair, recogniser)).sum()
    }

    /// How the writing reads.
    pub(crate) fn legible(&mut self, recogniser: &dyn Recogniser) -> Result<Legible> {
        let legible = match self.legible {
            Some(legible) => legible,
            None => legible::moves(&self.page, &self.grid, recogniser)?,
        };
        self.legible = Some(legible);
        Ok(legible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::columns;
    use crate::pipeline::table::grid::Band;
    use crate::pipeline::table::lines::Curve;
    use image::{GrayImage, Luma};

    #[test]
    fn rows_that_are_missing_in_sight_were_not_found() {
        let line = |row: usize| Curve { y: vec![100.0 + 30.0 * row as f32; 20] };
        let found = |height: u32, rows: usize, period: usize, first_number: u32| {
            let page =
                Page::new(&Photo { file: String::new(), grey: GrayImage::from_pixel(640, height, Luma([250])) }, 0);
            let bands = (0..rows).map(|row| Band { top: line(row), bottom: line(row + 1), ruled: true }).collect();
            let grid =
                Grid { bands, pairs: columns::even(0.0, 640.0, 2, 29), pitch: 30.0, width: 640.0, by_ink: false };
            let anchor = Anchor { first_band: 0, rows, period, first_number, evidence: 2.0 };
            Found { page, grid, anchor, legible: None, is_level: true }
        };
        // Twenty rows end at 700.
        assert!(found(1000, 20, 25, 1).ends_early());
        assert!(!found(715, 20, 25, 1).ends_early(), "the photo ends there");
        assert!(!found(1000, 20, 20, 1).ends_early());
        assert!(!found(1000, 20, 25, 6).ends_early(), "they are missing above");
    }
}
