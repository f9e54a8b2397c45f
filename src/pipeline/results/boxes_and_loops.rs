//! Boxes to tick and loops of the pen, in a picture that is dark or not.

use crate::pipeline::page::shapes::{Mask, Place, Shape};

/// Least share of each side of a box that is seen: of one to start with, and of one under a tick.
const CLEAN: f32 = 0.85;
const TICKED: f32 = 0.72;
/// Darkness of the inside of a box to start with.
const EMPTY: f32 = 0.03;
/// How far its sides may lie from where they are looked for, in pixels.
const BESIDE: usize = 2;
/// How unlike in size, and how far from one line, boxes of a row may be, as shares of their size.
const UNLIKE: f32 = 0.2;
const OFF_LINE: f32 = 0.35;
/// Share of a box at each side that does not count as its inside.
const RIM: f32 = 0.22;
/// Darkness of the inside of a box with a mark, least and most, and of one without as a share of the other's.
const MARKED: f32 = 0.1;
const MOST_MARKED: f32 = 0.8;
const UNMARKED: f32 = 0.35;
/// Height of a loop by what its strokes are made thicker on each side to close its gaps.
const THICKER: usize = 16;
/// Least share of a loop's box that it encloses: an ellipse has 0.79; and how much of it may be ink.
const ENCLOSED: f32 = 0.5;
const INKED: f32 = 0.6;

/// Three boxes of one size side by side, from left to right, and which of them is marked, if one is. Their sides are
/// `sizes` pixels long.
pub(crate) fn boxes(
    ink: &Mask,
    strokes: &[(Shape, Vec<usize>)],
    sizes: std::ops::Range<usize>,
) -> Option<([Place; 3], usize)> {
    let may_be = |shape: &&Shape| {
        let (width, height) = (shape.width(), shape.height());
        let square = width.abs_diff(height) as f32 <= UNLIKE * width.max(height) as f32;
        let fits = sizes.contains(&width) && sizes.contains(&height) && square;
        fits && sides(ink, shape.place()) >= CLEAN && inside(ink, shape.place()) <= EMPTY
    };
    let clean: Vec<Place> = strokes.iter().map(|(shape, _)| shape).filter(may_be).map(Shape::place).collect();
    let alike = |a: &Place, b: &Place| {
        let (size, other) = ((a[2] - a[0]) as f32, (b[2] - b[0]) as f32);
        let off = ((a[1] + a[3]) as f32 - (b[1] + b[3]) as f32).abs() / 2.0;
        (size - other).abs() <= UNLIKE * size && off <= OFF_LINE * size
    };
    let rows = clean.iter().map(|one| clean.iter().filter(|other| alike(one, other)).copied().collect::<Vec<Place>>());
    let mut row = rows.max_by_key(Vec::len).filter(|row| row.len() == 2)?;
    row.push(ticked(ink, [row[0], row[1]])?);
    row.sort_unstable();
    let row: [Place; 3] = row.try_into().ok()?;
    if row.windows(2).any(|two| two[1][0] < two[0][2] + (two[0][2] - two[0][0])) {
        return None;
    }
    let dark = row.map(|place| inside(ink, place));
    let marked = (0..3).max_by(|&a, &b| dark[a].total_cmp(&dark[b]))?;
    let others = (0..3).filter(|&at| at != marked).map(|at| dark[at]).fold(0.0, f32::max);
    (dark[marked] >= MARKED && others <= UNMARKED * dark[marked]).then_some((row, marked))
}

/// A third box in line with two others, whatever lies over it.
fn ticked(ink: &Mask, [a, b]: [Place; 2]) -> Option<Place> {
    let size = |side: usize| (a[side + 2] - a[side] + b[side + 2] - b[side]) / 2;
    let (width, height) = (size(0), size(1));
    if a[0].abs_diff(b[0]) < width {
        return None;
    }
    let slope = (b[1] as f32 - a[1] as f32) / (b[0] as f32 - a[0] as f32);
    let reach = (OFF_LINE * height as f32) as isize;
    let free = |x: usize| [a, b].iter().all(|one| x.abs_diff(one[0]) > width + width / 2);
    let places = (0..ink.width.saturating_sub(width)).filter(|&x| free(x)).flat_map(|x| {
        let top = (a[1] as f32 + slope * (x as f32 - a[0] as f32)) as isize;
        (-reach..=reach)
            .filter_map(move |dy| usize::try_from(top + dy).ok())
            .map(move |y| [x, y, x + width, y + height])
    });
    let seen = places.filter(|&place| inside(ink, place) <= MOST_MARKED).map(|place| (sides(ink, place), place));
    seen.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(seen, _)| *seen >= TICKED).map(|(_, place)| place)
}

/// Share of the side of a box of which least is seen.
fn sides(ink: &Mask, [left, top, right, bottom]: Place) -> f32 {
    let near = |x: usize, y: usize, down: bool| {
        let reach = BESIDE as isize;
        (-reach..=reach).any(|off| {
            let (dx, dy) = if down { (0, off) } else { (off, 0) };
            ink.at(x as isize + dx, y as isize + dy)
        })
    };
    let share = |seen: usize, of: usize| seen as f32 / of.max(1) as f32;
    let level = |y: usize| share((left..right).filter(|&x| near(x, y, true)).count(), right - left);
    let upright = |x: usize| share((top..bottom).filter(|&y| near(x, y, false)).count(), bottom - top);
    level(top + 1).min(level(bottom.saturating_sub(2))).min(upright(left + 1)).min(upright(right.saturating_sub(2)))
}

/// Share of the inside of a box that is dark.
fn inside(ink: &Mask, [left, top, right, bottom]: Place) -> f32 {
    let rim = |from: usize, to: usize| {
        let rim = (RIM * (to - from) as f32).ceil() as usize;
        from + rim..to.saturating_sub(rim)
    };
    let (across, down) = (rim(left, right), rim(top, bottom));
    let dark = down.clone().flat_map(|y| across.clone().map(move |x| (x, y)));
    let dark = dark.filter(|&(x, y)| ink.at(x as isize, y as isize)).count();
    dark as f32 / (across.len() * down.len()).max(1) as f32
}

/// Whether a shape runs around most of its box, but for gaps that are small against it.
pub(crate) fn is_loop(shape: &Shape, pixels: &[usize], width: usize) -> bool {
    // Strokes are made thicker on all sides; around them is paper, from which the outside is filled.
    let thicker = (shape.height() / THICKER).max(1);
    let around = thicker + 1;
    let (across, down) = (shape.width() + 2 * around, shape.height() + 2 * around);
    let mut filled = vec![false; across * down];
    for pixel in pixels {
        let (x, y) = (pixel % width - shape.left + around, pixel / width - shape.top + around);
        for y in y - thicker..=y + thicker {
            filled[y * across + x - thicker..=y * across + x + thicker].fill(true);
        }
    }
    let mut open = vec![0];
    filled[0] = true;
    let mut outside = 0;
    while let Some(at) = open.pop() {
        outside += 1;
        let (x, y) = (at % across, at / across);
        for (next, possible) in [
            (at.wrapping_sub(1), x > 0),
            (at + 1, x + 1 < across),
            (at.wrapping_sub(across), y > 0),
            (at + across, y + 1 < down),
        ] {
            if possible && !std::mem::replace(&mut filled[next], true) {
                open.push(next);
            }
        }
    }
    let box_area = shape.width() * shape.height();
    let enclosed = (across * down).saturating_sub(outside + thicker * (across + down));
    enclosed as f32 >= ENCLOSED * box_area as f32 && shape.area as f32 <= INKED * box_area as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(dark: impl Fn(usize, usize) -> bool) -> Mask {
        Mask { width: 300, dark: (0..300 * 60).map(|at| dark(at % 300, at / 300)).collect() }
    }

    fn outline(x: usize, y: usize, left: usize) -> bool {
        let (within, rim) =
            ((left..left + 24).contains(&x) && (20..44).contains(&y), |at: usize| !(2..22).contains(&at));
        within && (rim(x - left) || rim(y - 20))
    }

    #[test]
    fn the_box_with_a_cross_is_found_though_its_strokes_leave_it() {
        let cross = |x: usize, y: usize| {
            (116..152).contains(&x) && (x - 116).abs_diff(y - y.min(14)) < 2 && (14..50).contains(&y)
        };
        let empty = drawn(|x, y| [20, 120, 240].iter().any(|&left| outline(x, y, left)));
        assert_eq!(boxes(&empty, &empty.strokes(), 10..40), None);
        let ticked = drawn(|x, y| [20, 120, 240].iter().any(|&left| outline(x, y, left)) || cross(x, y));
        let (places, marked) = boxes(&ticked, &ticked.strokes(), 10..40).unwrap();
        assert_eq!(marked, 1);
        assert!(places[1][0].abs_diff(120) <= 2 && places[1][1].abs_diff(20) <= 2, "{places:?}");
        let two = drawn(|x, y| [20, 120].iter().any(|&left| outline(x, y, left)) || cross(x, y));
        assert_eq!(boxes(&two, &two.strokes(), 10..40), None);
    }

    #[test]
    fn a_loop_is_closed_and_a_scribble_is_not() {
        let on = |x: f32, y: f32, share: f32| {
            let (dx, dy) = ((x - 100.0) / 60.0, (y - 30.0) / 20.0);
            (dx.hypot(dy) - 1.0).abs() < 0.1 && dy.atan2(dx) < std::f32::consts::PI * share
        };
        let is = |share: f32| {
            let ink = drawn(|x, y| on(x as f32, y as f32, share));
            ink.strokes().iter().any(|(shape, pixels)| is_loop(shape, pixels, ink.width))
        };
        assert!(is(1.0));
        assert!(!is(0.5));
    }
}
