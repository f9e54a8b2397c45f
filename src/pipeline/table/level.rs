//! Rows set level with their printed numbers.
//!
//! Lines that were followed across the gap between two pairs of columns, or across large writing, may end up half a row
//! off. The numbers of a pair stand all at one place in their rows: where they do not, its lines were lost, and are
//! followed anew from the numbers.

use super::found::Found;
use super::grid::{self, Band, Grid};
use super::lines::{Curve, LineMap, STRIP};
use super::number_places::{self, Numbers, usual_place};
use super::ruled_rows::ROW_REACH;
use super::spacing::median;
use super::track;
use crate::error::Result;
use crate::pipeline::numbers::anchor;
use crate::pipeline::recognise::Recogniser;
use std::ops::Range;

/// How far off their place in the row numbers stand through which the lines run, in heights of a row: writing makes such
/// lines show better than the true ones.
const THROUGH: f32 = 0.35;
/// One number in so many is enough to tell that lines run through them.
const RUN_THROUGH: usize = 4;
/// How far off their place most numbers of a pair that slipped by a row are, in heights of a row: nearer to another row.
const A_ROW: f32 = 0.5;
/// The same from which they may as well be those of the next rows.
const HALFWAY: f32 = 0.3;
/// What the numbers must still say where rows were moved, as a share.
const AS_MUCH: f32 = 0.9;
/// How far beside the rows of the next pair most lines may end, in heights of a row: they were lost.
const BESIDE: f32 = 0.35;
/// Share by which lines along the slope of the page must show better than those that run as they were found.
const CLEARLY: f32 = 1.1;
/// The same from which they are no lines that were lost.
const PLAINLY: f32 = 1.4;

/// Leads the lines of pairs whose numbers stand elsewhere in their rows than those of the others; whether there were any.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn level(found: &mut Found, recogniser: &dyn Recogniser) -> Result<bool> {
    let seen = number_places::of_pairs(found, false);
    if let Some(usual) = usual_place(&seen) {
        // A heading may be taken for the first number and the last one not be seen: then fewer are read if rows are moved. What
        // other pairs gain must not hide that.
        let slipped: Vec<&Numbers> = seen.iter().filter(|one| (one.middle() - usual).abs() > A_ROW).collect();
        if led(found, &seen, &slipped, usual, 1.0, recogniser)? {
            return Ok(true);
        }
    }
    let seen = number_places::of_pairs(found, true);
    let Some(usual) = usual_place(&seen) else { return Ok(false) };
    let off: Vec<&Numbers> = seen.iter().filter(|one| one.is_off(usual)).collect();
    found.is_level = off.is_empty() && seen.len() == found.grid.pairs.len();
    if led(found, &seen, &off, usual, AS_MUCH, recogniser)? {
        return Ok(true);
    }
    let is_halfway = |one: &&&Numbers| (one.middle() - usual).abs() > HALFWAY;
    let other: Vec<Numbers> = off.iter().filter(is_halfway).map(|one| one.of_next_rows(usual)).collect();
    led(found, &seen, &other.iter().collect::<Vec<_>>(), usual, 1.0, recogniser)
}

/// Leads the lines of some pairs, whose numbers stand elsewhere than `usual` in their rows, if all numbers then say more than a
/// share of what they said; whether they do.
fn led(
    found: &mut Found,
    seen: &[Numbers],
    wrong: &[&Numbers],
    usual: f32,
    share: f32,
    recogniser: &dyn Recogniser,
) -> Result<bool> {
    if wrong.is_empty() {
        return Ok(false);
    }
    let map = LineMap::new(&found.page.image, ROW_REACH);
    let mut grid = found.grid.clone();
    let mut is_led = false;
    for one in wrong {
        let next = seen.iter().find(|other| other.pair == one.pair + 1);
        is_led |= lead(&mut grid, &map, one, next, usual, found.anchor.first_band);
    }
    if !is_led {
        return Ok(false);
    }
    let anchor = anchor::anchor(&found.page, &grid, None, true, recogniser)?;
    let is_good = anchor.support(&grid) > share * found.support();
    if is_good {
        found.replace(grid, anchor);
    }
    Ok(is_good)
}

/// Follows the lines of a pair from its numbers, which belong `off` the middle of their rows, or leads them to those of the
/// next pair, and takes them over where they show no worse than those that the grid has, or these run through the numbers;
/// whether they do.
fn lead(
    grid: &mut Grid,
    map: &LineMap,
    numbers: &Numbers,
    next: Option<&Numbers>,
    off: f32,
    first_band: usize,
) -> bool {
    let rows = first_band..first_band + numbers.places.len();
    let old: Vec<Curve> = grid::borders(&grid.bands[rows.clone()]).cloned().collect();
    let through = |curve: &Curve, [x, y]: [f32; 2]| {
        let shift = y - curve.at(x);
        Curve { y: curve.y.iter().map(|y| y + shift).collect() }
    };
    let borders: Vec<[f32; 2]> = (0..old.len()).map(|row| numbers.border(row, off)).collect();
    let as_found: Vec<Curve> = old.iter().zip(&borders).map(|(line, &border)| through(line, border)).collect();
    let as_usual: Vec<Curve> = borders.iter().map(|&border| through(&map.follow(border[1]), border)).collect();
    let start = map.strip_of(borders[borders.len() / 2][0]);
    let strips = strips(grid, map, numbers.pair, borders[borders.len() / 2][1]);
    let led = [&as_found, &as_usual].map(|lines| track::follow_from(map, lines, grid.pitch, start));
    let shown = |lines: &[Curve]| map.shown(lines, strips.clone());
    let mut best = if shown(&led[1]) > CLEARLY * shown(&led[0]) { &led[1] } else { &led[0] };
    // From numbers to numbers no writing can lead them astray.
    let to_next = next.filter(|next| next.places.len() == numbers.places.len()).map(|next| {
        let ends: Vec<[f32; 2]> = (0..old.len()).map(|row| next.border(row, off)).collect();
        let ways = as_usual.iter().zip(&borders).zip(&ends);
        let mut lines: Vec<Curve> = ways.map(|((line, &from), &to)| between(line, from, to)).collect();
        track::settle_near(map, &mut lines, grid.pitch);
        (lines, ends)
    });
    if let Some((lines, ends)) = &to_next {
        let beside = median(best.iter().zip(ends).map(|(line, &[x, y])| (y - line.at(x)).abs() / grid.pitch));
        // Two tables beside each other share no rows: the ruling shows where it is, as it was found and as it is followed.
        let is_ruled = shown(best).min(shown(&old)) > PLAINLY * shown(lines);
        if (beside > BESIDE && !is_ruled) || shown(lines) > shown(best) {
            best = lines;
        }
    }
    let through = numbers.off.iter().filter(|place| (*place - off).abs() >= THROUGH).count();
    if RUN_THROUGH * through < numbers.off.len() && shown(best) < shown(&old) {
        return false;
    }
    let last = best.len() - 1;
    for (band, Band { top, bottom, .. }) in grid.bands.iter_mut().enumerate() {
        for strip in strips.clone() {
            if rows.contains(&band) {
                let row = band - first_band;
                (top.y[strip], bottom.y[strip]) = (best[row].y[strip], best[row + 1].y[strip]);
            } else {
                // Bands beyond the rows go with the outermost line.
                let line = if band < first_band { 0 } else { last };
                let moved = best[line].y[strip] - old[line].y[strip];
                (top.y[strip], bottom.y[strip]) = (top.y[strip] + moved, bottom.y[strip] + moved);
            }
        }
    }
    true
}

/// A line that passes two places, bent as the one given and moved by as much beyond them.
fn between(line: &Curve, from: [f32; 2], to: [f32; 2]) -> Curve {
    let (here, there) = (from[1] - line.at(from[0]), to[1] - line.at(to[0]));
    let moved = |(strip, y): (usize, &f32)| {
        let share = ((strip as f32 + 0.5) * STRIP as f32 - from[0]) / (to[0] - from[0]).max(1.0);
        y + here + share.clamp(0.0, 1.0) * (there - here)
    };
    Curve { y: line.y.iter().enumerate().map(moved).collect() }
}

/// The strips that are nearer to a pair than to another, at a height.
fn strips(grid: &Grid, map: &LineMap, pair: usize, y: f32) -> Range<usize> {
    let left = |pair: usize| grid.pairs[pair].first(y).left.at(y);
    let right = |pair: usize| grid.pairs[pair].black.right.at(y);
    let from = pair.checked_sub(1).map_or(0, |before| map.strip_of((right(before) + left(pair)) / 2.0));
    let last = pair + 1 == grid.pairs.len();
    let to = if last { map.strips() } else { map.strip_of((right(pair) + left(pair + 1)) / 2.0) };
    from..to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::table::columns;
    use image::{GrayImage, Luma};

    #[test]
    fn rows_that_lie_off_their_numbers_are_led_back() {
        led_back(false, 0);
    }

    #[test]
    fn dark_writing_is_no_line() {
        led_back(true, 0);
    }

    #[test]
    fn rows_that_slipped_half_way_down_are_led_back() {
        led_back(true, 9);
    }

    /// Two pairs of columns; the rows of the first, `from` some row on, were found half a row too low, through its writing.
    fn led_back(written: bool, from: usize) {
        let line = |k: usize, x: f32| 80.0 + 40.0 * k as f32 + 0.02 * x;
        let image = GrayImage::from_fn(1024, 900, |x, y| {
            let near =
                |height: f32, reach: f32| (0..=18).any(|k| (y as f32 - line(k, x as f32) - height).abs() < reach);
            let dash = (60..500).contains(&x) && x % 40 < 37 && near(20.0, 1.6);
            let (ink, ruling) = if written { (30, 225) } else { (250, 110) };
            Luma([if dash {
                ink
            } else if near(0.0, 1.2) {
                ruling
            } else {
                250
            }])
        });
        let map = LineMap::new(&image, ROW_REACH);
        let x = |strip: usize| 32.0 * strip as f32 + 16.0;
        let found = |k: usize| {
            let off = |strip: usize| if strip < 16 && k >= from { 20.0 } else { 0.0 };
            Curve { y: (0..32).map(|strip| line(k, x(strip)) + off(strip)).collect() }
        };
        let bands = (0..18).map(|k| Band { top: found(k), bottom: found(k + 1), ruled: true }).collect();
        let pairs = columns::even(0.0, 1024.0, 2, 29);
        let mut grid = Grid { bands, pairs, pitch: 40.0, width: 1024.0, by_ink: false };
        let places: Vec<[f32; 2]> = (0..18).map(|k| [40.0, line(k, 40.0) + 20.0]).collect();
        let off = (0..18).map(|row| if row < from { 0.0 } else { -0.5 }).collect();
        let numbers = Numbers { pair: 0, places, off };
        assert!(lead(&mut grid, &map, &numbers, None, 0.0, 0));
        for (k, band) in grid.bands.iter().enumerate() {
            for x in [100.0, 400.0, 700.0, 1000.0] {
                let (top, expected) = (band.top.at(x), line(k, x));
                assert!((top - expected).abs() < 3.0, "row {k} at {x}: {top} instead of {expected}");
            }
        }
    }

    #[test]
    fn lines_that_miss_the_numbers_of_the_next_pair_are_lost() {
        // The rules, which rise to the right, are lost; writing leads from the first numbers away to the other side.
        let line = |k: usize, x: f32| 120.0 + 40.0 * k as f32 - 0.05 * x;
        let image = GrayImage::from_fn(1024, 900, |x, y| {
            let near = |slope: f32, reach: f32| {
                (0..=18).any(|k| (y as f32 - line(k, 60.0) - slope * (x as f32 - 60.0)).abs() < reach)
            };
            let astray = (60..500).contains(&x) && near(0.02, 1.6);
            Luma([if astray { 60 } else { 250 }])
        });
        let map = LineMap::new(&image, ROW_REACH);
        let flat = |k: usize| Curve { y: vec![line(k, 60.0); 32] };
        let bands = (0..18).map(|k| Band { top: flat(k), bottom: flat(k + 1), ruled: true }).collect();
        let pairs = columns::even(0.0, 1024.0, 2, 29);
        let mut grid = Grid { bands, pairs, pitch: 40.0, width: 1024.0, by_ink: false };
        let numbers = |pair: usize, x: f32, off: f32| Numbers {
            pair,
            places: (0..18).map(|k| [x, line(k, x) + 20.0]).collect(),
            off: vec![off; 18],
        };
        assert!(lead(&mut grid, &map, &numbers(0, 40.0, 0.4), Some(&numbers(1, 560.0, 0.0)), 0.0, 0));
        for (k, band) in grid.bands.iter().enumerate() {
            let (top, expected) = (band.top.at(480.0), line(k, 480.0));
            assert!((top - expected).abs() < 8.0, "row {k}: {top} instead of {expected}");
        }
    }

    #[test]
    fn rows_of_two_tables_that_do_not_meet_keep_to_their_rules() {
        // The rules fall to the right; the table beside stands nearly a row higher than they would lead. The last rows were
        // found one too low.
        let line = |k: usize, x: f32| 120.0 + 40.0 * k as f32 + 0.04 * x;
        let image = GrayImage::from_fn(1024, 900, |x, y| {
            let is_ruled = (40..500).contains(&x) && (0..=19).any(|k| (y as f32 - line(k, x as f32)).abs() < 1.2);
            Luma([if is_ruled { 110 } else { 250 }])
        });
        let map = LineMap::new(&image, ROW_REACH);
        let slipped = |k: usize| usize::from(k >= 11);
        let ruled = |k: usize| Curve { y: (0..32).map(|strip| line(k, 32.0 * strip as f32 + 16.0)).collect() };
        let found = |k: usize| ruled(k + slipped(k));
        let bands = (0..18).map(|k| Band { top: found(k), bottom: found(k + 1), ruled: true }).collect();
        let pairs = columns::even(0.0, 1024.0, 2, 29);
        let mut grid = Grid { bands, pairs, pitch: 40.0, width: 1024.0, by_ink: false };
        let numbers = |pair: usize, x: f32, higher: f32| Numbers {
            pair,
            places: (0..18).map(|k| [x, line(k, x) + 20.0 - higher]).collect(),
            off: (0..18).map(|k| -higher / 40.0 - slipped(k) as f32).collect(),
        };
        assert!(lead(&mut grid, &map, &numbers(0, 40.0, 0.0), Some(&numbers(1, 560.0, 36.0)), 0.0, 0));
        for (k, band) in grid.bands.iter().enumerate() {
            let (top, expected) = (band.top.at(400.0), line(k, 400.0));
            assert!((top - expected).abs() < 4.0, "row {k}: {top} instead of {expected}");
        }
    }

    #[test]
    fn a_line_leads_from_number_to_number_and_goes_on_as_it_did() {
        let bent = Curve { y: (0..30).map(|strip| 100.0 + 10.0 * (strip as f32 / 6.0).sin()).collect() };
        let (from, to) = ([176.0, 130.0], [656.0, 95.0]);
        let line = between(&bent, from, to);
        assert!([from, to].iter().all(|&[x, y]| (line.at(x) - y).abs() < 0.01), "it passes both");
        for [a, b] in [[16.0, 112.0], [720.0, 900.0]] {
            let rise = |line: &Curve| line.at(b) - line.at(a);
            assert!((rise(&line) - rise(&bent)).abs() < 0.01, "from {a} to {b}");
        }
    }
}
