//! Lines that run across much of a page, wherever they are: the frame of a table, boxes above it. They tell how rows that
//! are not ruled run.

use super::lines::{Curve, LineMap};
use super::ruled_rows::ROW_REACH;
use super::track;
use image::GrayImage;

/// Share of the page's width that a line must cross, and that it seems to cross at least before it is followed.
const LONG_LINE: f32 = 0.4;
const BENT_LINE: f32 = 0.2;
/// Most lines that are followed, and pixels between two of them at least.
const MOST_LINES: usize = 12;
const APART: usize = 8;
/// The pitch of rows that bend as these lines may, in pixels.
const BEND: f32 = 40.0;

/// A map led by the lines that run across much of a page, wherever they are; none where there are none.
pub(crate) fn find(image: &GrayImage) -> Option<LineMap> {
    let mut map = LineMap::new(image, ROW_REACH);
    let strips = 0..map.strips();
    let profile = map.straightened(strips.clone());
    let is_peak = |&y: &usize| {
        let near = y.saturating_sub(APART)..(y + APART).min(profile.len());
        profile[y] > BENT_LINE && near.clone().all(|other| profile[other] <= profile[y])
    };
    let mut peaks: Vec<usize> = (0..profile.len()).filter(is_peak).collect();
    peaks.sort_by(|&a, &b| profile[b].total_cmp(&profile[a]));
    peaks.truncate(MOST_LINES);
    peaks.sort_unstable();
    let follow = |y: usize| {
        let line = map.follow(y as f32);
        let shown = |strip: usize| -> f32 {
            let near = strip.saturating_sub(2)..(strip + 3).min(strips.end);
            near.map(|strip| map.likeliness(strip, line.y[strip])).sum()
        };
        let start = strips.clone().max_by(|&a, &b| shown(a).total_cmp(&shown(b))).unwrap_or(0);
        track::follow_from(&map, &[line], BEND, start).remove(0)
    };
    let is_long = |line: &Curve| {
        strips.clone().filter(|&strip| map.likeliness(strip, line.y[strip]) > 0.5).count() as f32
            > LONG_LINE * strips.end as f32
    };
    let mut lines: Vec<Curve> = Vec::new();
    for line in peaks.into_iter().map(follow).filter(is_long) {
        // Two may have come to run along one.
        if lines.last().is_none_or(|last| last.y.iter().zip(&line.y).all(|(above, y)| y - above > APART as f32)) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return None;
    }
    map.lead_by(lines);
    Some(map)
}
