//! The pairs of columns on rows that are known: between upright lines, edges of shading, or gaps in the writing.

use super::columns;
use super::grid::{Band, COVERED, ColumnPair, Known};
use super::ink_rows;
use super::lines::{Curve, LineMap};
use super::number_columns::NumberColumn;
use super::ruled_rows::Frame;
use super::underlined;
use super::uprights::{self, Uprights};
use crate::pipeline::page::Page;
use image::GrayImage;
use image::imageops::{self, FilterType};

/// What may run down the page between columns.
struct Down<'a> {
    image: &'a GrayImage,
    map: LineMap,
    frame: &'a Frame,
    known: &'a Known,
    /// What runs through printed numbers separates nothing.
    numbers: &'a [NumberColumn],
}

impl<'a> Down<'a> {
    fn new(image: &'a GrayImage, frame: &'a Frame, known: &'a Known, numbers: &'a [NumberColumn]) -> Self {
        // Over two rows no hand draws an upright stroke.
        let mut map = LineMap::new(&imageops::flip_horizontal(&imageops::rotate90(image)), frame.pitch as usize);
        uprights::lead(&mut map, frame);
        Self { image, map, frame, known, numbers }
    }

    fn middle(&self) -> f32 {
        (self.frame.top + self.frame.bottom) / 2.0
    }

    fn pairs_by(&self, kind: Uprights) -> Option<Vec<ColumnPair>> {
        let middle = self.middle();
        let mut uprights = uprights::find(self.image, &self.map, self.frame, kind);
        uprights.retain(|line| !self.numbers.iter().any(|column| column.holds(line.at(middle), middle)));
        columns::pair_without_strays(&uprights, self.frame.pitch, middle)
            .filter(|pairs| self.known.allows(pairs) && !uprights::is_shadow(kind, pairs, middle))
    }

    fn pairs(&self) -> Option<Vec<ColumnPair>> {
        self.pairs_by(Uprights::Lines).or_else(|| self.pairs_by_no_lines())
    }

    fn pairs_by_no_lines(&self) -> Option<Vec<ColumnPair>> {
        [Uprights::Broken, Uprights::Shading].into_iter().find_map(|kind| self.pairs_by(kind))
    }

    /// Whether pairs are those of the whole table: a column too many or too few is a line lost under writing, or writing taken for
    /// a line.
    fn are_whole(&self, pairs: &[ColumnPair]) -> bool {
        self.frame.covered(pairs) > COVERED && columns::alike(pairs, self.middle())
    }

    /// The pairs between whatever runs down the page, given those between its upright lines.
    fn likeliest(&self, between_lines: Option<Vec<ColumnPair>>) -> Option<Vec<ColumnPair>> {
        let covered = |pairs: &[ColumnPair]| self.frame.covered(pairs);
        let found = between_lines.or_else(|| self.pairs_by_no_lines());
        if found.as_ref().is_some_and(|pairs| self.are_whole(pairs)) {
            return found;
        }
        let least = found.as_ref().map_or(0, Vec::len);
        let hidden = self.pairs_by(Uprights::Hidden).filter(|pairs| {
            (self.are_whole(pairs) && pairs.len() >= least)
                || (found.as_ref().is_none_or(|found| covered(found) < COVERED) && covered(pairs) > COVERED)
        });
        let found = hidden.or(found);
        let most = found.as_ref().map_or(0, Vec::len);
        let mixed = self.pairs_by(Uprights::Mixed).filter(|pairs| pairs.len() > most && covered(pairs) > COVERED);
        mixed.or(found)
    }
}

/// The pairs between upright lines, between the ends of the rows' lines, or edges of shading, across ruled rows.
pub(super) fn between_lines(page: &Page, bands: &[Band], frame: &Frame, known: &Known) -> Option<Vec<ColumnPair>> {
    let down = Down::new(&page.image, frame, known, &[]);
    let found = down.pairs_by(Uprights::Lines);
    if found.as_ref().is_some_and(|pairs| down.are_whole(pairs)) {
        return found;
    }
    let rows: Vec<Curve> = bands.iter().filter(|band| band.ruled).map(|band| band.bottom.clone()).collect();
    let underlined = underlined::pairs(page, &rows, frame, |x| down.map.follow(x));
    underlined.filter(|pairs| known.allows(pairs)).or_else(|| down.likeliest(found))
}

/// The same seen at half the size.
pub(super) fn seen_coarsely(image: &GrayImage, frame: &Frame, known: &Known) -> Option<Vec<ColumnPair>> {
    let half = imageops::resize(image, image.width().div_ceil(2), image.height().div_ceil(2), FilterType::Triangle);
    let frame = frame.halved();
    let down = Down::new(&half, &frame, known, &[]);
    let pairs = down.likeliest(down.pairs_by(Uprights::Lines))?;
    let doubled = |line: &Curve| Curve::along(image.height(), |y| 2.0 * line.at(y / 2.0));
    Some(pairs.iter().map(|pair| pair.moved(doubled)).collect())
}

/// The pairs on rows that are not ruled, by what separates them: lines, shading, or gaps in the writing.
pub(super) fn on_unruled(
    page: &Page,
    known: &Known,
    frame: &Frame,
    rows: &[Curve],
    numbers: &[NumberColumn],
) -> Option<Vec<ColumnPair>> {
    let down = Down::new(&page.image, frame, known, numbers);
    down.pairs().or_else(|| {
        let borders = ink_rows::column_borders(page, frame, rows, down.map.strips());
        columns::pair(&borders, frame.pitch, down.middle()).filter(|pairs| known.allows(pairs))
    })
}
