//! Bent paper laid smooth: on it rows' lines are level and columns' lines upright again.
//!
//! Lines bend with the paper. Wherever a piece of one is seen, it tells how a smooth field rises there: along a row's line
//! the height on the smooth picture does not change, along a column's line the place from left to right.

use super::homography::Homography;
use super::paper::Region;
use super::segments::{self, Segment};
use image::GrayImage;

/// Terms of a field: powers of the place along the lines, from the first on, times powers of the place across them.
const ALONG: usize = 6;
const ACROSS: usize = 5;
const TERMS: usize = ALONG * ACROSS;
/// Steepest line that may be one of the sheet's, as a slope.
const STEEPEST: f64 = 0.2;
/// Rounds in which lines that go another way count less and less, and the angle (radians) from which they do.
const ROUNDS: usize = 8;
const ASIDE: f64 = 0.008;
/// Keeps a field flat where no line tells it.
const RIDGE: f64 = 1e-4;
/// Length of lines, in sides of the picture, by which a field can be told.
const ENOUGH: f64 = 3.0;
/// How far bent paper reaches at least from where it would lie if it were flat, in longest sides of the picture.
const BENT: f64 = 0.004;
/// Share of the lines that must be straight on the smooth picture, of those that are near to it, and how much more that must be
/// than before.
const STRAIGHT: f64 = 0.35;
const STRAIGHTER: f64 = 0.12;
/// Distance of the places at which the bend is kept, in pixels.
const STEP: usize = 16;

/// Where the places of a smooth picture lie on the bent one, and on the photo.
#[derive(Debug)]
pub(crate) struct Bend {
    columns: usize,
    rows: usize,
    /// By rows, every [`STEP`] pixels: how far to go from a place of the smooth picture to that of the bent one.
    offsets: Vec<[f32; 2]>,
    /// From the bent picture to the photo.
    map: Homography,
}

impl Bend {
    /// How the paper on a picture is bent, of which the map to the photo is given and where on that the paper lies, if that is
    /// known; none where it is hardly bent or its lines do not tell.
    pub fn find(image: &GrayImage, map: Homography, paper: Option<&Region>) -> Option<Self> {
        let frame = Frame::new(image);
        let mut axis = 0..2;
        let [level, upright] = segments::find(image).map(|segments| {
            let axis = axis.next().unwrap_or_default();
            let on_paper =
                |segment: &&Segment| paper.is_none_or(|paper| paper.holds(map.apply(segment.middle().map(f64::from))));
            segments.iter().filter(on_paper).filter_map(|segment| frame.piece(segment, axis)).collect::<Vec<_>>()
        });
        let rise = Field::fit(&level)?;
        let shift = Field::fit(&upright).unwrap_or_default();
        let furthest = [(&rise, &level), (&shift, &upright)].map(|(field, pieces)| field.furthest(pieces));
        if std::env::var("BD").is_ok() {
            let st = [(&rise, &level), (&shift, &upright)]
                .map(|(field, pieces)| (Field::default().straight(pieces), field.straight(pieces)));
            eprintln!(
                "bend {:?} furthest {:?} straight {:?}",
                image.dimensions(),
                furthest.map(|f| f * frame.unit),
                st
            );
        }
        let worth = [(&rise, &level), (&shift, &upright)].iter().any(|(field, pieces)| {
            let [before, after] = [Field::default().straight(pieces), field.straight(pieces)];
            field.furthest(pieces) > 2.0 * BENT && after > STRAIGHT && after > before + STRAIGHTER
        });
        worth.then(|| Self::of(&frame, &rise, &shift, image.dimensions(), map))
    }

    /// Of fields on a picture.
    fn of(frame: &Frame, rise: &Field, shift: &Field, size: (u32, u32), map: Homography) -> Self {
        let [columns, rows] = [size.0, size.1].map(|side| side as usize / STEP + 2);
        let offset = |index: usize| {
            let place = [index % columns, index / columns].map(|at| (at * STEP) as f64);
            let smooth = frame.inward(place);
            let mut bent = smooth;
            // The fields are told on the bent picture: the place is where they lead to the smooth one.
            for _ in 0..INVERSIONS {
                let [x, y] = bent;
                bent = [smooth[0] - shift.at([y, x]), smooth[1] - rise.at([x, y])];
            }
            [0, 1].map(|axis| ((bent[axis] - smooth[axis]) * frame.unit) as f32)
        };
        Self { columns, rows, offsets: (0..columns * rows).map(offset).collect(), map }
    }

    /// From pixels of the smooth picture to pixels of the photo.
    pub fn to_photo(&self, point: [f64; 2]) -> [f64; 2] {
        self.map.apply(self.to_bent(point))
    }

    /// From pixels of the smooth picture to pixels of the bent one.
    pub fn to_bent(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let along = |v: f64, count: usize| {
            let at = (v / STEP as f64).clamp(0.0, (count - 1) as f64 - 1e-6);
            (at as usize, (at - at.floor()) as f32)
        };
        let ((i, fx), (j, fy)) = (along(x, self.columns), along(y, self.rows));
        let at = |i: usize, j: usize| self.offsets[j * self.columns + i];
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
        let off = |axis: usize| {
            let above = a[axis] + (b[axis] - a[axis]) * fx;
            let below = c[axis] + (d[axis] - c[axis]) * fx;
            f64::from(above + (below - above) * fy)
        };
        [x + off(0), y + off(1)]
    }
}

/// Rounds in which a place on the bent picture is settled.
const INVERSIONS: usize = 30;

/// A picture's middle and half of its longer side, in pixels.
struct Frame {
    middle: [f64; 2],
    unit: f64,
}

impl Frame {
    fn new(image: &GrayImage) -> Self {
        let [width, height] = [image.width(), image.height()].map(f64::from);
        Self { middle: [width / 2.0, height / 2.0], unit: width.max(height) / 2.0 }
    }

    fn inward(&self, place: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| (place[axis] - self.middle[axis]) / self.unit)
    }

    /// A piece of a line that runs along an axis; none where it is too steep.
    fn piece(&self, segment: &Segment, axis: usize) -> Option<Piece> {
        let [from, to] = [segment.from, segment.to].map(|end| self.inward(end.map(f64::from)));
        let ordered = |v: [f64; 2]| if axis == 0 { v } else { [v[1], v[0]] };
        let [[x0, y0], [x1, y1]] = [from, to].map(ordered);
        let slope = (y1 - y0) / (x1 - x0);
        (slope.abs() < STEEPEST).then(|| Piece {
            middle: [(x0 + x1) / 2.0, (y0 + y1) / 2.0],
            slope,
            length: (x1 - x0).abs(),
        })
    }
}

/// A piece of a line: along it and across it, from the middle of the picture.
struct Piece {
    middle: [f64; 2],
    slope: f64,
    length: f64,
}

/// How far across the lines a place is moved by laying the paper smooth; nowhere in the middle along them.
#[derive(Default)]
struct Field([f64; TERMS]);

impl Field {
    /// The field on which the pieces of lines are straight.
    fn fit(pieces: &[Piece]) -> Option<Self> {
        let length: f64 = pieces.iter().map(|piece| piece.length).sum();
        if length < 2.0 * ENOUGH {
            return None;
        }
        let mut field = Self::default();
        for round in 0..ROUNDS {
            // Wide at first, so that lines in all parts of the sheet have their say.
            let aside = ASIDE * f64::from(1u32 << (ROUNDS - 1 - round)).min(16.0);
            let weights = pieces.iter().map(|piece| piece.length / (1.0 + (field.off(piece) / aside).powi(2)));
            field = Self(solve(pieces.iter().zip(weights))?);
        }
        Some(field)
    }

    /// What the terms add to a rise along a piece.
    fn terms(piece: &Piece) -> [f64; TERMS] {
        let [x, y] = piece.middle;
        std::array::from_fn(|term| {
            let (i, j) = ((term / ACROSS + 1) as i32, (term % ACROSS) as i32);
            let across = if j == 0 { 0.0 } else { f64::from(j) * x.powi(i) * y.powi(j - 1) };
            f64::from(i) * x.powi(i - 1) * y.powi(j) + across * piece.slope
        })
    }

    /// How far a piece rises on the smooth picture, as a slope.
    fn off(&self, piece: &Piece) -> f64 {
        piece.slope + self.0.iter().zip(Self::terms(piece)).map(|(a, b)| a * b).sum::<f64>()
    }

    fn at(&self, [x, y]: [f64; 2]) -> f64 {
        let term =
            |(term, value): (usize, &f64)| value * x.powi((term / ACROSS + 1) as i32) * y.powi((term % ACROSS) as i32);
        self.0.iter().enumerate().map(term).sum()
    }

    /// How far the lines are moved at most, save for a few.
    fn furthest(&self, pieces: &[Piece]) -> f64 {
        let mut moved: Vec<f64> = pieces.iter().map(|piece| self.at(piece.middle).abs()).collect();
        moved.sort_by(f64::total_cmp);
        moved.get(moved.len() * 19 / 20).copied().unwrap_or(0.0)
    }

    /// The share of the lines, by their length, that are straight on the smooth picture.
    fn straight(&self, pieces: &[Piece]) -> f64 {
        let all: f64 = pieces.iter().map(|piece| piece.length).sum();
        let straight = pieces.iter().filter(|piece| self.off(piece).abs() < ASIDE).map(|piece| piece.length);
        straight.sum::<f64>() / all.max(1e-9)
    }
}

/// Weighted least squares by the normal equations with a ridge, solved by elimination.
fn solve<'a>(pieces: impl Iterator<Item = (&'a Piece, f64)>) -> Option<[f64; TERMS]> {
    let mut matrix = [[0f64; TERMS + 1]; TERMS];
    let mut total = 0.0;
    for (piece, weight) in pieces {
        let terms = Field::terms(piece);
        total += weight;
        for i in 0..TERMS {
            (0..TERMS).for_each(|j| matrix[i][j] += weight * terms[i] * terms[j]);
            matrix[i][TERMS] -= weight * terms[i] * piece.slope;
        }
    }
    (0..TERMS).for_each(|i| matrix[i][i] += RIDGE * total);
    for i in 0..TERMS {
        let pivot = matrix[i][i];
        if pivot < 1e-15 {
            return None;
        }
        let row = matrix[i].map(|v| v / pivot);
        matrix[i] = row;
        for (j, other) in matrix.iter_mut().enumerate() {
            if j != i {
                let factor = other[i];
                other.iter_mut().zip(&row).for_each(|(o, r)| *o -= factor * r);
            }
        }
    }
    Some(std::array::from_fn(|i| matrix[i][TERMS]))
}
