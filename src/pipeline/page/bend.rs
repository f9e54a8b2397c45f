//! Bent paper laid smooth: on it rows' lines are level and columns' lines upright again.
//!
//! Lines bend with the paper. Wherever a piece of one is seen, it tells how a smooth field rises there: along a row's line
//! the height on the smooth picture does not change, along a column's line the place from left to right.

use super::fit::least_squares;
use super::homography::Homography;
use super::paper::Region;
use super::segments::{self, SHORTEST, Segment};
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
/// Share of the lines that may lie astray at either side, and how far beyond the others lines may lie, in sides.
const FEW: f64 = 0.02;
const BESIDE: f64 = 0.03;
/// How far beyond the lines the paper goes on bending as they tell, in sides.
const BEYOND: f64 = 0.1;
/// How far bent paper reaches at least from where it would lie if it were flat, in longest sides of the picture.
const BENT: f64 = 0.004;
/// Share of the lines, by length, that must be straight on the smooth picture, and how much more that must be than before.
const STRAIGHT: f64 = 0.35;
const STRAIGHTER: f64 = 0.12;
/// Distance of the places at which the bend is kept, in pixels.
const STEP: usize = 16;

/// Where the places of a smooth picture lie on the bent one, and on the photo.
#[derive(Debug, PartialEq)]
pub(crate) struct Bend {
    columns: usize,
    rows: usize,
    /// By rows, every [`STEP`] pixels: how far to go from a place of the smooth picture to that of the bent one.
    offsets: Vec<[f32; 2]>,
    /// From the bent picture to the photo.
    map: Homography,
}

impl Bend {
    /// How the paper on a picture is bent, of which the map to the photo is given and where on that the paper seems to lie, if
    /// that is known; none where it is hardly bent or its lines do not tell.
    pub fn find(image: &GrayImage, map: Homography, paper: Option<&Region>) -> Option<Self> {
        let frame = Frame::new(image);
        let [level, upright] = segments::find(image, SHORTEST);
        let [level, upright] = [(level, 0), (upright, 1)].map(|(segments, axis)| {
            segments.iter().filter_map(|segment| frame.piece(segment, axis)).collect::<Vec<Piece>>()
        });
        // The grain of what the sheet lies on is darker than paper, and no lines cross it; in its own shadow paper is as dark.
        let reaches = [reach(&level, 0), reach(&upright, 1)];
        let [level, upright] = [(level, 0), (upright, 1)].map(|(mut pieces, axis)| {
            let is_crossed = |piece: &Piece| {
                reaches.iter().all(|reach| reach.as_ref().is_some_and(|reach| piece.lies_within(reach, axis)))
            };
            let is_on_paper =
                |piece: &Piece| paper.is_none_or(|paper| paper.holds(map.apply(frame.outward(piece.place(axis)))));
            pieces.retain(|piece| is_on_paper(piece) || is_crossed(piece));
            pieces
        });
        let rise = Field::fit(&level)?;
        let shift = Field::fit(&upright).unwrap_or_default();
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

    fn outward(&self, place: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| place[axis] * self.unit + self.middle[axis])
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

/// Least and greatest place from left to right, and downwards, from the middle of the picture.
type Reach = [[f64; 2]; 2];

/// Where the pieces of lines along an axis lie, save for a few; none where there are few.
fn reach(pieces: &[Piece], axis: usize) -> Option<Reach> {
    let all: f64 = pieces.iter().map(|piece| piece.length).sum();
    // The place at which a share of the length lies on the lesser side.
    let at = |of: usize, side: f64, share: f64| {
        let half = |piece: &Piece| if of == axis { side * piece.length / 2.0 } else { 0.0 };
        let mut places: Vec<(f64, f64)> =
            pieces.iter().map(|piece| (piece.place(axis)[of] + half(piece), piece.length)).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        let reached = places.iter().find(|(_, length)| {
            sum += length;
            sum >= share * all
        });
        reached.map_or(0.0, |&(place, _)| place)
    };
    (all >= 2.0 * ENOUGH).then(|| [0, 1].map(|of| [at(of, -1.0, FEW) - BESIDE, at(of, 1.0, 1.0 - FEW) + BESIDE]))
}

/// A piece of a line: along it and across it, from the middle of the picture.
struct Piece {
    middle: [f64; 2],
    slope: f64,
    length: f64,
}

impl Piece {
    /// The middle of a piece along an axis, from left to right and downwards.
    fn place(&self, axis: usize) -> [f64; 2] {
        [self.middle[axis], self.middle[1 - axis]]
    }

    fn lies_within(&self, reach: &Reach, axis: usize) -> bool {
        self.place(axis).iter().zip(reach).all(|(place, [from, to])| (from..=to).contains(&place))
    }
}

/// How far across the lines a place is moved by laying the paper smooth; nowhere in the middle along them.
#[derive(Clone, Default)]
struct Field {
    factors: [f64; TERMS],
    /// Least and greatest place along and across the lines, beyond which no line tells and nothing more changes.
    told: [[f64; 2]; 2],
}

impl Field {
    /// The field on which the pieces of lines are straight.
    fn fit(pieces: &[Piece]) -> Option<Self> {
        let length: f64 = pieces.iter().map(|piece| piece.length).sum();
        if length < 2.0 * ENOUGH {
            return None;
        }
        let ends = |piece: &Piece, axis: usize| {
            let half = if axis == 0 { piece.length / 2.0 } else { 0.0 };
            [piece.middle[axis] - half, piece.middle[axis] + half]
        };
        let told = [0, 1].map(|axis| {
            let all = pieces.iter().map(|piece| ends(piece, axis));
            all.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], [c, d]| [a.min(c - BEYOND), b.max(d + BEYOND)])
        });
        let mut field = Self { told, ..Self::default() };
        for round in 0..ROUNDS {
            // Wide at first, so that lines in all parts of the sheet have their say.
            let aside = ASIDE * f64::from(1u32 << (ROUNDS - 1 - round)).min(16.0);
            let weights = pieces.iter().map(|piece| piece.length / (1.0 + (field.off(piece) / aside).powi(2)));
            let samples = pieces.iter().zip(weights).map(|(piece, weight)| {
                (Self::terms(piece).map(|term| term as f32), -piece.slope as f32, weight as f32)
            });
            field.factors = least_squares(samples, RIDGE).map(f64::from);
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
        piece.slope + self.factors.iter().zip(Self::terms(piece)).map(|(a, b)| a * b).sum::<f64>()
    }

    fn at(&self, place: [f64; 2]) -> f64 {
        let [x, y] = [0, 1].map(|axis| place[axis].max(self.told[axis][0]).min(self.told[axis][1]));
        let term =
            |(term, value): (usize, &f64)| value * x.powi((term / ACROSS + 1) as i32) * y.powi((term % ACROSS) as i32);
        self.factors.iter().enumerate().map(term).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    const IDENTITY: Homography = Homography([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);

    /// How far bent paper reaches below and to the right of where it would lie if it were flat.
    fn bent([x, y]: [f32; 2]) -> [f32; 2] {
        [18.0 * (y / 350.0).sin(), 26.0 * (x / 260.0).cos() + (x - 500.0) * (y - 600.0) / 20000.0]
    }

    /// A table with lines every 120 pixels from left to right and every 40 downwards.
    fn table(off: impl Fn([f32; 2]) -> [f32; 2]) -> GrayImage {
        GrayImage::from_fn(1000, 1200, |x, y| {
            let place = [x as f32, y as f32];
            let [dx, dy] = off(place);
            let near = |v: f32, pitch: f32| (v + pitch / 2.0).rem_euclid(pitch) - pitch / 2.0;
            let is_line = near(place[0] - dx, 120.0).abs() < 1.2 || near(place[1] - dy, 40.0).abs() < 1.2;
            Luma([if is_line { 110 } else { 245 }])
        })
    }

    #[test]
    fn lines_of_bent_paper_are_straight_on_the_smooth_picture() {
        let bend = Bend::find(&table(bent), IDENTITY, None).expect("it is bent");
        for (axis, at) in [(0, 300.0), (0, 700.0), (1, 300.0), (1, 700.0), (1, 1000.0)] {
            // Along a line of the smooth picture, the place that the bent one shows there, laid flat.
            let laid = |along: f64| {
                let place = bend.to_bent(if axis == 0 { [at, along] } else { [along, at] });
                f64::from(place.map(|v| v as f32)[axis] - bent(place.map(|v| v as f32))[axis])
            };
            let places: Vec<f64> = (2..9).map(|tenth| laid(f64::from(tenth) * 100.0)).collect();
            let (least, most) = places.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
            assert!(most - least < 3.0, "axis {axis} at {at}: {places:?}");
        }
    }

    #[test]
    fn flat_paper_is_left_as_it_is() {
        assert!(Bend::find(&table(|_| [0.0; 2]), IDENTITY, None).is_none());
        assert!(Bend::find(&table(|[x, _]| [0.0, 0.002 * x]), IDENTITY, None).is_none(), "hardly askew");
        assert!(Bend::find(&GrayImage::from_pixel(900, 700, Luma([240])), IDENTITY, None).is_none(), "nothing on it");
    }
}
