//! Rows that slipped to their neighbours and back between the printed numbers of two pairs of columns.
//!
//! The rows of two pairs lie in one line, so lines run nearly straight from number to number, more so than paper bends.
//! Where most do not, faint lines were lost under writing or in glare.

use super::found::Found;
use super::grid::{self, Grid};
use super::legible;
use super::lines::{Curve, LineMap, STRIP};
use super::number_places::{self, Numbers, usual_place};
use super::ruled_rows::ROW_REACH;
use super::spacing::median;
use super::track;
use crate::error::Result;
use crate::pipeline::numbers::anchor::{self, Anchor};
use crate::pipeline::recognise::Recogniser;

/// How far from the straight way between two numbers most lines may run, in heights of a row: no paper bends more.
const BENT: f32 = 0.7;
/// How much further the numbers of a row may go up or down between two pairs than between others, in heights of a row; and from
/// which evidence on those of a pair surely read.
const STEP: f32 = 0.6;
const SURE: f32 = 1.0;
/// What the numbers must still say where rows were led, as a share.
const AS_MUCH: f32 = 0.9;
/// Share by which more writing must read then.
const CLEARLY: f32 = 1.1;

/// Leads rows that slipped between two pairs straight from number to number, if more writing reads then.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn lead_back(found: &mut Found, recogniser: &dyn Recogniser) -> Result<()> {
    let pairs = found.grid.pairs.len();
    if pairs < 2 {
        return Ok(());
    }
    let mut seen = number_places::of_pairs(found, true);
    let Some(usual) = usual_place(&seen).filter(|_| seen.len() == pairs) else { return Ok(()) };
    if are_in_steps(&seen, found.grid.pitch) {
        for numbers in &mut seen {
            *numbers = as_read(found, numbers, recogniser)?;
        }
    }
    // By line and pair where it passes the numbers.
    let stations = |row: usize| -> Vec<[f32; 2]> { seen.iter().map(|numbers| numbers.border(row, usual)).collect() };
    let old: Vec<&Curve> = grid::borders(found.anchor.bands(&found.grid)).collect();
    let stations: Vec<Vec<[f32; 2]>> = (0..old.len()).map(stations).collect();
    if !are_bent(&old, &stations, found.grid.pitch) {
        return Ok(());
    }
    let mut lines: Vec<Curve> = stations.iter().zip(&old).map(|(stations, old)| between(stations, old)).collect();
    let map = LineMap::new(&found.page.image, ROW_REACH);
    track::settle_near(&map, &mut lines, found.grid.pitch);
    let grid = found.grid.with_borders(found.anchor.first_band, &lines);
    let anchor = anchor::anchor(&found.page, &grid, None, true, recogniser)?;
    let area = |grid: &Grid| Ok(legible::moves(&found.page, grid, recogniser)?.area);
    if anchor.support(&grid) > AS_MUCH * found.support() && area(&grid)? > CLEARLY * area(&found.grid)? {
        found.replace(grid, anchor);
    }
    Ok(())
}

/// Whether from one pair to the next the numbers of a row go up or down otherwise than elsewhere: they may be those of other rows.
fn are_in_steps(seen: &[Numbers], pitch: f32) -> bool {
    let middle = |numbers: &Numbers| numbers.places[numbers.places.len() / 2][1];
    let steps: Vec<f32> = seen.windows(2).map(|two| (middle(&two[1]) - middle(&two[0])) / pitch).collect();
    match steps[..] {
        [step] => step.abs() > STEP,
        _ => steps.iter().any(|a| steps.iter().any(|b| a - b > STEP)),
    }
}

/// The numbers of a pair, or where alone they surely read as those of the rows above or below theirs, these.
fn as_read(found: &Found, numbers: &Numbers, recogniser: &dyn Recogniser) -> Result<Numbers> {
    let Found { page, grid, anchor, .. } = found;
    let alone = Grid { pairs: vec![grid.pairs[numbers.pair].clone()], ..grid.clone() };
    let read = anchor::anchor(page, &alone, None, true, recogniser)?;
    let first = |anchor: &Anchor, pair: usize| (anchor.first_number as usize + pair * anchor.period) as isize;
    let more = first(&read, 0) - read.first_band as isize - first(anchor, numbers.pair) + anchor.first_band as isize;
    Ok(match more {
        1 | -1 if read.evidence > SURE => numbers.of_rows_beside(more > 0),
        _ => numbers.clone(),
    })
}

/// The middle of a strip of a line, in pixels.
fn middle_of(strip: usize) -> f32 {
    (strip as f32 + 0.5) * STRIP as f32
}

/// The height of the straight way between the stations of a line, at a place between the first and the last of them.
fn straight(stations: &[[f32; 2]], x: f32) -> Option<f32> {
    let ends = stations.windows(2).find(|ends| (ends[0][0]..ends[1][0]).contains(&x))?;
    let [from, to] = [ends[0], ends[1]];
    Some(from[1] + (x - from[0]) / (to[0] - from[0]) * (to[1] - from[1]))
}

/// Whether most lines run far from the straight way between their stations.
fn are_bent(lines: &[&Curve], stations: &[Vec<[f32; 2]>], pitch: f32) -> bool {
    (0..lines.first().map_or(0, |line| line.y.len())).any(|strip| {
        let off = |(line, stations): (&&Curve, &Vec<[f32; 2]>)| {
            Some((line.y[strip] - straight(stations, middle_of(strip))?) / pitch)
        };
        let off: Vec<f32> = lines.iter().zip(stations).filter_map(off).collect();
        !off.is_empty() && median(off.into_iter()).abs() > BENT
    })
}

/// A line straight from station to station; before the first it goes on so, and behind the last it runs as it was found.
fn between(stations: &[[f32; 2]], old: &Curve) -> Curve {
    let (first, second, last) = (stations[0], stations[1], stations[stations.len() - 1]);
    let slope = (second[1] - first[1]) / (second[0] - first[0]);
    let y = |strip: usize| {
        let x = middle_of(strip);
        match straight(stations, x) {
            Some(y) => y,
            None if x < first[0] => first[1] + (x - first[0]) * slope,
            None => last[1] + old.y[strip] - old.at(last[0]),
        }
    };
    Curve { y: (0..old.y.len()).map(y).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of 24 strips, 20 pixels apart, that fall by 0.05; in the middle of the two stations they slip by `slip`.
    fn lines(slip: f32) -> (Vec<Curve>, Vec<Vec<[f32; 2]>>) {
        let way = |row: usize, x: f32| 100.0 + 20.0 * row as f32 + 0.05 * x;
        let found = |row: usize, strip: usize| {
            let x = middle_of(strip);
            way(row, x) + slip * (1.0 - (x - 350.0).abs() / 250.0).max(0.0)
        };
        let curve = |row: usize| Curve { y: (0..24).map(|strip| found(row, strip)).collect() };
        let stations = |row: usize| [100.0, 600.0].map(|x| [x, way(row, x)]).to_vec();
        ((0..12).map(curve).collect(), (0..12).map(stations).collect())
    }

    #[test]
    fn lines_that_slip_to_their_neighbours_and_back_are_led_straight() {
        for (slip, bent) in [(0.0, false), (10.0, false), (20.0, true), (-20.0, true)] {
            let (found, stations) = lines(slip);
            assert_eq!(are_bent(&found.iter().collect::<Vec<_>>(), &stations, 20.0), bent, "{slip}");
        }
        let ((slipped, stations), (straight, _)) = (lines(20.0), lines(0.0));
        for (row, (line, stations)) in slipped.iter().zip(&stations).enumerate() {
            let led = between(stations, line);
            for x in [40.0, 350.0, 700.0] {
                assert!((led.at(x) - straight[row].at(x)).abs() < 0.5, "line {row} at {x}");
            }
        }
    }

    #[test]
    fn numbers_of_one_pair_may_be_those_of_other_rows() {
        let steps = |down: &[f32]| {
            let places = |y: f32| (0..5).map(|row| [0.0, y + 20.0 * row as f32]).collect();
            let numbers = |(pair, &y): (usize, &f32)| Numbers { pair, places: places(y), off: vec![0.0; 5] };
            are_in_steps(&down.iter().enumerate().map(numbers).collect::<Vec<_>>(), 20.0)
        };
        assert!(steps(&[120.0, 101.0]) && steps(&[120.0, 103.0, 106.0]));
        assert!(!steps(&[100.0, 109.0]) && !steps(&[100.0, 130.0, 160.0]), "askew");
    }
}
