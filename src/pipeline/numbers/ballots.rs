//! What the readings of all numbers together say for each way to number the rows.

use super::anchor::{LARGEST, STRONGEST_AGAINST};
use std::ops::Range;

/// Where half of the rows read as clearly as this, a row without a number (a header, a footer) is no row: it pays
/// this price, more than a line left out.
const LEGIBLE: f32 = 2.0;
const SILENT: f32 = 1.5;

/// The evidence of all rows, added up along the rows: a band further down holds the next number.
pub(super) struct Ballots {
    bands: usize,
    /// For each pair, and each number that may stand in an imagined row `bands` above the first, the sums of the
    /// evidence of 0, 1, 2, ... rows.
    sums: Vec<Vec<f32>>,
}

impl Ballots {
    pub(super) fn new(evidence: &[Option<Vec<f32>>], bands: usize, pairs: usize) -> Self {
        let mut clearest: Vec<f32> =
            evidence.iter().flatten().map(|row| row.iter().copied().fold(STRONGEST_AGAINST, f32::max)).collect();
        clearest.sort_by(f32::total_cmp);
        let legible = clearest.get(clearest.len() / 2).is_some_and(|&middle| middle > LEGIBLE);
        let silence = if legible { SILENT } else { 0.0 };
        let along = |pair: usize, start: usize| {
            let says = |band: usize| match evidence.get(pair * bands + band) {
                // Numbers beyond those that are looked for, and below 0.
                Some(Some(row)) => {
                    let number = (start + band).checked_sub(bands);
                    number.and_then(|n| row.get(n)).copied().unwrap_or(STRONGEST_AGAINST) - silence
                }
                _ => 0.0,
            };
            let mut sum = 0.0;
            std::iter::once(0.0)
                .chain((0..bands).map(|band| {
                    sum += says(band);
                    sum
                }))
                .collect()
        };
        let starts = bands + LARGEST as usize + 1;
        Self {
            bands,
            sums: (0..pairs)
                .flat_map(|pair| (0..starts).map(move |start| (pair, start)))
                .map(|(pair, start)| along(pair, start))
                .collect(),
        }
    }

    /// What the bands of a pair say for the numbers from `first` on.
    pub(super) fn sum(&self, pair: usize, bands: Range<usize>, first: usize) -> f32 {
        let starts = self.bands + LARGEST as usize + 1;
        let start = first + self.bands - bands.start;
        match self.sums.get(pair * starts + start) {
            Some(sums) if start < starts => sums[bands.end] - sums[bands.start],
            _ => STRONGEST_AGAINST * bands.len() as f32,
        }
    }
}
