//! A sheet seen at an angle is laid flat: the table's own lines tell the perspective.
//!
//! Lines that are parallel on paper meet in one point of the photo. The points where the rows' lines and the columns'
//! lines meet fix the plane of the sheet up to its scale (Hartley and Zisserman, Multiple View Geometry, chapter 8).

use super::homography::Homography;
use super::segments::{self, SHORTEST, Segment};
use super::{Page, WORKING_SIDE};
use crate::error::{Error, Result};
use crate::game::Quad;

/// A flat picture to be taken from a photo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flat {
    /// From pixels of the flat picture to pixels of the photo.
    pub map: Homography,
    /// Width and height of the flat picture.
    pub size: (u32, u32),
}

/// Directions this far apart (radians) do not lead to one point.
const ASIDE: f64 = 0.02;
/// Pairs of lines that are tried for the point where all meet.
const TRIALS: usize = 500;
/// Nearest point of meeting that a sheet photographed by hand can have, in half diagonals of the photo.
const NEAREST: f64 = 1.1;
/// Least length of lines, in sides of the page, by which the rows' bundle and the columns' bundle can be told.
const ENOUGH: [f64; 2] = [2.0, 0.8];
/// Bent paper turns its lines away from the point of meeting by up to this (radians); they still belong to the sheet.
const BENT: f64 = 0.07;
/// Focal length in longest sides of the photo, where the lines do not tell: between a phone's and a cut-out's.
const FOCAL: f64 = 1.0;
const FOCALS: std::ops::Range<f64> = 0.7..1.8;
/// Half diagonals within which both bundles must meet for the lines to tell the focal length.
const CONVERGING: f64 = 3.0;
/// Slope of the table's sides from which flattening is worth its time; below it the grid follows the lines.
const SLANTED: f64 = 0.02;
/// Paper shown around the ruled part, in shares of its size.
const AROUND: f64 = 0.06;
/// The same where the ruled part is not given: bent lines at its sides may not have been seen.
const BESIDE: f64 = 0.12;
/// The same where other tables may lie around the one that is given.
const WIDELY: f64 = 2.0;
/// What is left out at the edges of a sheet of paper, in shares of its size: its shadow, and what it lies on.
const EDGE: f64 = 0.012;

/// How to lay the sheet on a page flat; none where its lines tell nothing or it lies flat already.
///
/// Takes the page as it is in the photo (no quarter turns). At half the size the sides of boxes that stand close together are
/// one line.
pub fn find(page: &Page) -> Option<Flat> {
    by_lines(page, SHORTEST).or_else(|| {
        let halved = page.halved();
        // There boxes of a sheet that lies askew have short sides, and strokes of writing are half as long.
        by_lines(&halved, SHORTEST).or_else(|| by_lines(&halved, SHORTEST * 2 / 3))
    })
}

fn by_lines(page: &Page, shortest: usize) -> Option<Flat> {
    let [level, upright] = segments::find(&page.image, shortest);
    let (width, height) = (f64::from(page.image.width()), f64::from(page.image.height()));
    let frame = Frame { centre: [width / 2.0, height / 2.0], unit: width.hypot(height) / 2.0 };
    let (level, upright) = (lines(&level, &frame), lines(&upright, &frame));
    let rows = meeting(&level, &frame, ENOUGH[0] * width)?;
    // Without upright lines: as if the columns were seen straight on.
    let [x, y] = frame.toward(&rows, [0.0, 0.0]);
    let columns = meeting(&upright, &frame, ENOUGH[1] * height).unwrap_or([-y, x, 0.0]);
    let bundles = [(level, rows), (upright, columns)];
    let (left, right, top, bottom, plane) = ruled(&frame, &bundles)?;
    let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    if corners.iter().any(|&corner| plane.depth(corner) < 0.1) {
        return None;
    }
    let [tl, tr, br, bl] = corners.map(|corner| plane.apply(corner));
    let level_slopes = [(tl, tr), (bl, br)].map(|(a, b)| ((b[1] - a[1]) / (b[0] - a[0])).abs());
    let upright_slopes = [(tl, bl), (tr, br)].map(|(a, b)| ((b[0] - a[0]) / (b[1] - a[1])).abs());
    if level_slopes.into_iter().chain(upright_slopes).all(|slope| slope < SLANTED) {
        return None;
    }
    let (dx, dy) = (BESIDE * (right - left), AROUND * (bottom - top));
    let (left, right, top, bottom) = (left - dx, right + dx, top - dy, bottom + dy);
    // No finer than the photo.
    let finest = f64::from(page.scale.max(1.0));
    let scale = finest.min(f64::from(WORKING_SIDE) / (right - left).max(bottom - top));
    let size = [(right - left) * scale, (bottom - top) * scale].map(|side| side.round() as u32);
    let onto_plane = Homography::scaling([1.0 / scale; 2], [left, top]);
    (size[0].min(size[1]) > 200)
        .then(|| Flat { map: page.map.after(&plane.after(&onto_plane)), size: (size[0], size[1]) })
}

/// How to lay a sheet flat whose own corners are given (clockwise from the upper left, in pixels of the photo); none where
/// they are no corners of a sheet. Its edges are left out.
pub(crate) fn sheet(quad: &Quad, photo: (u32, u32)) -> Option<Flat> {
    rectangle(quad, photo, -EDGE).ok().map(|(flat, _)| flat)
}

/// How to lay a sheet flat of which the corners of one table are given, with what the photo shows around it up to twice
/// its size; none where they are no corners.
pub(crate) fn around(quad: &Quad, photo: (u32, u32)) -> Option<Flat> {
    let (flat, _) = rectangle(quad, photo, WIDELY).ok()?;
    let back = flat.map.inverse()?;
    let (width, height) = (f64::from(photo.0), f64::from(photo.1));
    let corners = [[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]];
    let reach = |axis: usize, most: u32| {
        let seen = corners.iter().filter(|&&corner| back.depth(corner) > 0.0).map(|&corner| back.apply(corner)[axis]);
        let (low, high) = seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        (low.max(0.0), high.min(f64::from(most)))
    };
    let ((left, right), (top, bottom)) = (reach(0, flat.size.0), reach(1, flat.size.1));
    let finest = flat.map.scale_at([(left + right) / 2.0, (top + bottom) / 2.0]).max(1.0);
    let scale = finest.min(f64::from(WORKING_SIDE) / (right - left).max(bottom - top));
    let size = [right - left, bottom - top].map(|side| (side * scale).round() as u32);
    let map = flat.map.after(&Homography::scaling([1.0 / scale; 2], [left, top]));
    (size[0].min(size[1]) > 200).then_some(Flat { map, size: (size[0], size[1]) })
}

/// A flat picture of what lies within four corners (clockwise from the upper left, in pixels of the photo) with some
/// paper around it, and where the corners lie on it: left, right, top and bottom.
///
/// # Errors
/// [`Error::Usage`] says what is wrong with the corners.
pub fn within(quad: &Quad, photo: (u32, u32)) -> Result<(Flat, [f32; 4])> {
    rectangle(quad, photo, AROUND)
}

/// As [`within`], with so much shown around the corners, in shares of the sides.
fn rectangle(quad: &Quad, photo: (u32, u32), around: f64) -> Result<(Flat, [f32; 4])> {
    let wrong = |what: &str| Error::Usage(format!("The corners of the table cannot be used: {what}. {CORNERS}"));
    let (width, height) = (f64::from(photo.0), f64::from(photo.1));
    if quad.iter().flatten().any(|v| !v.is_finite()) {
        return Err(wrong("some are no numbers"));
    }
    let corners = quad.map(|corner| corner.map(f64::from));
    let outside =
        |[x, y]: &[f64; 2]| *x < -0.02 * width || *y < -0.02 * height || *x > 1.02 * width || *y > 1.02 * height;
    if let Some([x, y]) = corners.iter().find(|corner| outside(corner)) {
        return Err(wrong(&format!("{x}, {y} lies outside of the photo of {} x {} pixels", photo.0, photo.1)));
    }
    let turn = |i: usize| {
        let [a, b, c] = [0, 1, 2].map(|k| corners[(i + k) % 4]);
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    };
    if (0..4).all(|i| turn(i) < 0.0) {
        return Err(wrong("they run anticlockwise"));
    }
    let side = |i: usize| (corners[(i + 1) % 4][0] - corners[i][0]).hypot(corners[(i + 1) % 4][1] - corners[i][1]);
    if (0..4).any(|i| turn(i) < 1.0 || side(i) < SMALLEST_TABLE) {
        return Err(wrong("sides cross, or the table is too small"));
    }
    let frame = Frame { centre: [width / 2.0, height / 2.0], unit: width.hypot(height) / 2.0 };
    let inward = quad.map(|corner| frame.inward(corner));
    let line = |a: usize, b: usize| cross([inward[a][0], inward[a][1], 1.0], [inward[b][0], inward[b][1], 1.0]);
    let (rows, columns) = (cross(line(0, 1), line(3, 2)), cross(line(0, 3), line(1, 2)));
    let origin = [0, 1].map(|axis| inward.iter().map(|corner| corner[axis]).sum::<f64>() / 4.0);
    // The plane of the corners gives the proportions; the corners themselves the map.
    let proportions = plane(&frame, rows, columns, origin).and_then(|plane| plane.inverse());
    let (wide, tall) = match proportions {
        Some(back) => {
            let [a, b, c, _] = corners.map(|corner| back.apply(corner));
            ((b[0] - a[0]).abs(), (c[1] - b[1]).abs())
        }
        None => ((side(0) + side(2)) / 2.0, (side(1) + side(3)) / 2.0),
    };
    let scale = (f64::from(WORKING_SIDE) / (wide.max(tall) * (1.0 + 2.0 * around))).min(1.0);
    let (wide, tall) = (wide * scale, tall * scale);
    let (dx, dy) = (around * wide, around * tall);
    let map = Homography::from_rectangle(wide, tall, quad).ok_or_else(|| wrong("three of them lie on a line"))?;
    let map = map.after(&Homography::scaling([1.0; 2], [-dx, -dy]));
    let size = ((wide + 2.0 * dx).round() as u32, (tall + 2.0 * dy).round() as u32);
    Ok((Flat { map, size }, [dx, dx + wide, dy, dy + tall].map(|v| v as f32)))
}

/// What corners are expected.
const CORNERS: &str = "Give the four corners of the table of moves as x,y in pixels of the upright photo, clockwise from the table's upper left";
/// Shortest side of a table, in pixels of the photo.
const SMALLEST_TABLE: f64 = 100.0;

/// Pixels of the page against coordinates centred on it, in half diagonals.
#[derive(Clone, Copy)]
struct Frame {
    centre: [f64; 2],
    unit: f64,
}

impl Frame {
    fn inward(&self, [x, y]: [f32; 2]) -> [f64; 2] {
        [(f64::from(x) - self.centre[0]) / self.unit, (f64::from(y) - self.centre[1]) / self.unit]
    }

    /// The direction from a place to a point in homogeneous coordinates, of length 1.
    fn toward(&self, point: &[f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
        let (dx, dy) = (point[0] - x * point[2], point[1] - y * point[2]);
        let length = dx.hypot(dy).max(1e-12);
        [dx / length, dy / length]
    }
}

/// A line with its direction and weight.
struct Line {
    middle: [f64; 2],
    direction: [f64; 2],
    ends: [[f64; 2]; 2],
    length: f64,
}

impl Line {
    /// Homogeneous coordinates: zero at its points.
    fn coordinates(&self) -> [f64; 3] {
        let [dx, dy] = self.direction;
        [-dy, dx, dy * self.middle[0] - dx * self.middle[1]]
    }

    /// Sine of the angle between the line and the way to a point.
    fn aside(&self, frame: &Frame, point: &[f64; 3]) -> f64 {
        let [x, y] = frame.toward(point, self.middle);
        (self.direction[0] * y - self.direction[1] * x).abs()
    }
}

/// Pieces of lines in the coordinates of a frame.
fn lines(segments: &[Segment], frame: &Frame) -> Vec<Line> {
    let line = |segment: &Segment| {
        let [from, to] = [frame.inward(segment.from), frame.inward(segment.to)];
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let direction = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
        Line { middle: frame.inward(segment.middle()), direction, ends: [from, to], length }
    };
    segments.iter().map(line).collect()
}

/// The point (homogeneous, see [`Frame`]) in which most of the lines meet.
fn meeting(lines: &[Line], frame: &Frame, enough: f64) -> Option<[f64; 3]> {
    let total: f64 = lines.iter().map(|line| line.length).sum();
    if total * frame.unit < enough {
        return None;
    }
    let cumulated: Vec<f64> = lines
        .iter()
        .scan(0.0, |sum, line| {
            *sum += line.length;
            Some(*sum)
        })
        .collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut draw = || {
        let at = random.next() * total;
        cumulated.partition_point(|&sum| sum < at).min(lines.len() - 1)
    };
    let agreement = |point: &[f64; 3]| -> f64 {
        lines.iter().map(|line| line.length * (1.0 - (line.aside(frame, point) / ASIDE).powi(2)).max(0.0)).sum()
    };
    let mut best = ([0.0; 3], 0.0);
    for _ in 0..TRIALS {
        let point = cross(lines[draw()].coordinates(), lines[draw()].coordinates());
        if is_far(&point) {
            let score = agreement(&point);
            if score > best.1 {
                best = (point, score);
            }
        }
    }
    let mut point = best.0;
    for _ in 0..4 {
        let near = lines.iter().filter(|line| line.aside(frame, &point) < ASIDE);
        let better = common_point(near);
        if !is_far(&better) || agreement(&better) < 0.9 * best.1 {
            break;
        }
        point = better;
    }
    let near = lines.iter().filter(|line| line.aside(frame, &point) < ASIDE);
    (best.1 > 0.0 && near.map(|line| line.length).sum::<f64>() * frame.unit > enough).then_some(point)
}

fn is_far(point: &[f64; 3]) -> bool {
    let across = point[0].hypot(point[1]);
    across > 1e-9 && across >= NEAREST * point[2].abs()
}

/// The point nearest to all lines: the eigenvector of least eigenvalue of the sum of their outer products, by inverse
/// iteration.
fn common_point<'a>(lines: impl Iterator<Item = &'a Line>) -> [f64; 3] {
    let mut matrix = [[0.0; 3]; 3];
    for line in lines {
        let l = line.coordinates();
        for i in 0..3 {
            for j in 0..3 {
                matrix[i][j] += line.length * l[i] * l[j];
            }
        }
    }
    // Scaled, so that the inverse of a good fit stays within the numbers' reach.
    let trace: f64 = (0..3).map(|i| matrix[i][i]).sum::<f64>().max(1e-300);
    let mut matrix = matrix.map(|row| row.map(|v| v * 100.0 / trace));
    (0..3).for_each(|i| matrix[i][i] += 1e-7);
    let Some(inverse) = Homography(matrix).inverse() else { return [0.0; 3] };
    let mut point = [0.5, 0.6, 0.1];
    for _ in 0..30 {
        let next: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| inverse.0[i][j] * point[j]).sum());
        let length = next.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-300);
        point = next.map(|v| v / length);
    }
    point
}

/// The ruled part of the sheet (left, right, top, bottom on the flat sheet, whose unit is a pixel of the page at its
/// middle) and the map from the flat sheet to the page, from the lines and points of meeting of rows and columns.
fn ruled(frame: &Frame, bundles: &[(Vec<Line>, [f64; 3]); 2]) -> Option<(f64, f64, f64, f64, Homography)> {
    let within = |tolerance: f64| {
        bundles.iter().flat_map(move |(lines, point)| lines.iter().filter(move |l| l.aside(frame, point) < tolerance))
    };
    let weight: f64 = within(ASIDE).map(|line| line.length).sum();
    let origin = [0, 1].map(|axis| within(ASIDE).map(|line| line.middle[axis] * line.length).sum::<f64>() / weight);
    let plane = plane(frame, bundles[0].1, bundles[1].1, origin)?;
    let back = plane.inverse()?;
    let ends = |tolerance: f64, axis: usize| -> Vec<f64> {
        let flat = within(tolerance)
            .flat_map(|line| line.ends)
            .map(|end| back.apply([0, 1].map(|axis| end[axis] * frame.unit + frame.centre[axis]))[axis]);
        let mut ends: Vec<f64> = flat.collect();
        ends.sort_by(f64::total_cmp);
        ends
    };
    // The core is sure; bent lines beyond it belong to the sheet if they are near, the grain of the desk is cut off.
    let [(left, right), (top, bottom)] = [0, 1].map(|axis| {
        let core = ends(ASIDE, axis);
        let at = |share: f64| core[((core.len() - 1) as f64 * share) as usize];
        let (low, high) = (at(FRINGE), at(1.0 - FRINGE));
        let far = NEAR_CORE * (high - low);
        let mut near = ends(BENT, axis);
        near.retain(|&end| end >= low - far && end <= high + far);
        // A few stray lines do not widen the sheet.
        let stray = near.len() / 100;
        (near[stray], near[near.len() - 1 - stray])
    });
    (right > left && bottom > top).then_some((left, right, top, bottom, plane))
}

/// Share of the lines' ends that may be stray at either side, and how far beyond the rest the sheet may reach, in
/// shares of its size.
const FRINGE: f64 = 0.05;
const NEAR_CORE: f64 = 0.3;

/// The map from a flat sheet to the page, from the points where rows and columns meet. `origin` (see [`Frame`]) is
/// the sheet's zero, where a unit of the sheet is as large as a pixel of the page.
fn plane(frame: &Frame, rows: [f64; 3], columns: [f64; 3], origin: [f64; 2]) -> Option<Homography> {
    let longest = frame.centre[0].max(frame.centre[1]) * 2.0 / frame.unit;
    // Rows and columns are at right angles on paper: where both bundles converge that tells the focal length.
    let told = -(rows[0] * columns[0] + rows[1] * columns[1]) / (rows[2] * columns[2]);
    let told = told.max(0.0).sqrt() / longest;
    let converging = |point: &[f64; 3]| point[2].abs() * CONVERGING > point[0].hypot(point[1]);
    let sure = converging(&rows) && converging(&columns) && FOCALS.contains(&told);
    let focal = longest * if sure { told } else { FOCAL };
    // Directions in space of the rows and of the columns; rightwards and downwards.
    let direction = |point: &[f64; 3], axis: usize| {
        let v = [point[0] / focal, point[1] / focal, point[2]];
        let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let sign = if frame.toward(point, origin)[axis] < 0.0 { -1.0 } else { 1.0 };
        v.map(|c| sign * c / length)
    };
    let (along, down) = (direction(&rows, 0), direction(&columns, 1));
    let start = [origin[0] / focal, origin[1] / focal, 1.0];
    // Columns of the matrix: along, down, start; then the camera, then pixels.
    let camera = |v: [f64; 3], row: usize| match row {
        0 | 1 => v[row] * focal * frame.unit + v[2] * frame.centre[row],
        _ => v[2],
    };
    let matrix = Homography(std::array::from_fn(|row| [camera(along, row), camera(down, row), camera(start, row)]));
    let scale = matrix.scale_at([0.0, 0.0]);
    (scale.is_finite() && scale > 0.0).then(|| matrix.after(&Homography::scaling([1.0 / scale; 2], [0.0; 2])))
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Numbers between 0 and 1, the same on every run: xorshift64* (Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }
}
