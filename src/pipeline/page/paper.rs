//! The outline of a sheet of paper that lies on something darker: four straight sides.

use super::shapes;
use crate::game::Quad;
use image::{GrayImage, imageops};

/// Longest side, in pixels, of the picture in which the outline is looked for.
const SIDE: u32 = 800;
/// How many times brighter paper is than what it lies on.
const BRIGHTER: f32 = 1.2;
/// Least area of a sheet as a share of the photo, and of its margin, which frames and bars may part from the rest.
const SMALLEST: f64 = 0.15;
const MARGIN: f64 = 0.01;
/// Least share of what is bright within the outline: the rest is ink and print.
const BRIGHT: f64 = 0.6;
/// Share of the four-sided outline that the sheet fills, a bent corner left out.
const FILLED: f64 = 0.96;
/// Share of a side that may lie along the edge of the photo, beyond which the sheet goes on.
const CUT_OFF: f64 = 0.1;
/// Pixels within which a border pixel belongs to a side, at first and then.
const NEAR: [f64; 2] = [12.0, 3.0];
/// Share of a side at either end, where corners may be round or bent, that does not tell where it runs.
const CORNER: f64 = 0.06;

type Point = [f64; 2];

/// The corners of the largest sheet in a photo, in its pixels, clockwise from the upper left; none where it has no four
/// straight sides within the photo.
pub(crate) fn outline(grey: &GrayImage) -> Option<Quad> {
    let (width, height) = grey.dimensions();
    let Bright { hull, bright, size } = Bright::find(grey)?;
    let mut corners = four_sided(&hull)?;
    for near in NEAR {
        corners = fitted(&corners, &hull, near)?;
    }
    let filled = area_of(&hull) / area_of(&corners);
    if !(FILLED..1.0 / FILLED).contains(&filled)
        || is_cut_off(&corners, size)
        || share_within(&corners, &bright, size[0] as usize) < BRIGHT
    {
        return None;
    }
    let first = (0..4).min_by(|&a, &b| corners[a].iter().sum::<f64>().total_cmp(&corners[b].iter().sum::<f64>()))?;
    let scale = [f64::from(width) / f64::from(size[0]), f64::from(height) / f64::from(size[1])];
    Some(std::array::from_fn(|i| [0, 1].map(|axis| (corners[(first + i) % 4][axis] * scale[axis]) as f32)))
}

/// Where the largest sheet in a photo lies, however it is bent.
pub(crate) struct Region {
    /// Clockwise, in pixels of a small picture, and its size in that of the photo.
    hull: Vec<Point>,
    scale: [f64; 2],
}

impl Region {
    /// None where nothing is darker than the paper.
    pub fn find(grey: &GrayImage) -> Option<Self> {
        let Bright { hull, size, .. } = Bright::find(grey)?;
        let scale = [f64::from(size[0]) / f64::from(grey.width()), f64::from(size[1]) / f64::from(grey.height())];
        Some(Self { hull, scale })
    }

    /// Whether a place of the photo lies on the sheet.
    pub fn holds(&self, place: Point) -> bool {
        let place = [0, 1].map(|axis| place[axis] * self.scale[axis]);
        let next = self.hull.iter().skip(1).chain(self.hull.first());
        self.hull.iter().zip(next).all(|(&from, &to)| turn(from, to, place) > 0.0)
    }
}

/// The largest bright thing in a photo at a small size: its hull, what is bright, width and height.
struct Bright {
    hull: Vec<Point>,
    bright: Vec<bool>,
    size: [u32; 2],
}

impl Bright {
    fn find(grey: &GrayImage) -> Option<Self> {
        let (width, height) = grey.dimensions();
        let shrink = (f64::from(width.max(height)) / f64::from(SIDE)).max(1.0);
        let size = [width, height].map(|side| ((f64::from(side) / shrink) as u32).max(1));
        let small = imageops::thumbnail(grey, size[0], size[1]);
        let Parted { threshold, .. } = part(&small).filter(|parted| parted.light > BRIGHTER * parted.dark)?;
        let bright: Vec<bool> = small.as_raw().iter().map(|&pixel| f32::from(pixel) > threshold).collect();
        let all = bright.len() as f64;
        let mut hull = Vec::new();
        shapes::each(bright.clone(), size[0] as usize, |shape, pixels| {
            if shape.area as f64 > MARGIN * all {
                let around = convex_hull(ends_of_rows(pixels, size[0] as usize));
                if area_of(&around) > area_of(&hull) {
                    hull = around;
                }
            }
        });
        (area_of(&hull) >= SMALLEST * all).then_some(Self { hull, bright, size })
    }
}

/// Paper and what it lies on: the brightness that parts them, and the mean brightness on either side of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parted {
    pub threshold: f32,
    pub dark: f32,
    pub light: f32,
}

/// Parts paper from what it lies on as well as one brightness can (Otsu 1979).
pub(crate) fn part(image: &GrayImage) -> Option<Parted> {
    part_below(image, f32::INFINITY)
}

/// The same of what is darker than a brightness.
pub(crate) fn part_below(image: &GrayImage, brightness: f32) -> Option<Parted> {
    let mut histogram = [0f32; 256];
    let below = image.as_raw().iter().filter(|&&pixel| f32::from(pixel) < brightness);
    below.for_each(|&pixel| histogram[usize::from(pixel)] += 1.0);
    let (mut dark, mut dark_sum) = (0.0, 0.0);
    let (all, all_sum) = histogram.iter().enumerate().fold((0.0, 0.0), |(n, s), (k, c)| (n + c, s + k as f32 * c));
    let mut best = (0.0, None);
    for (level, count) in histogram.iter().enumerate() {
        let (light, light_sum) = (all - dark, all_sum - dark_sum);
        if dark > 0.0 && light > 0.0 {
            let (low, high) = (dark_sum / dark, light_sum / light);
            let parted = dark * light * (high - low).powi(2);
            if parted > best.0 {
                best = (parted, Some(Parted { threshold: level as f32 - 0.5, dark: low, light: high }));
            }
        }
        dark += count;
        dark_sum += level as f32 * count;
    }
    best.1
}

/// The share of the pixels within a convex quad, clockwise, that are bright.
fn share_within(corners: &[Point; 4], bright: &[bool], width: usize) -> f64 {
    let inside = |at: usize| {
        let point = [(at % width) as f64 + 0.5, (at / width) as f64 + 0.5];
        (0..4).all(|i| turn(corners[i], corners[(i + 1) % 4], point) > 0.0)
    };
    share((0..bright.len()).filter(|&at| inside(at)).map(|at| bright[at]))
}

/// The share that is true; none of nothing.
fn share(of: impl Iterator<Item = bool>) -> f64 {
    let (count, lit) = of.fold((0.0, 0.0), |(count, lit), one| (count + 1.0, lit + f64::from(u8::from(one))));
    lit / f64::max(count, 1.0)
}

/// The outer corners of the first and the last pixel of each row of a shape.
fn ends_of_rows(pixels: &[usize], width: usize) -> Vec<Point> {
    let mut ends: Vec<Option<(usize, usize)>> = Vec::new();
    for &pixel in pixels {
        let (x, y) = (pixel % width, pixel / width);
        ends.resize(ends.len().max(y + 1), None);
        ends[y] = Some(ends[y].map_or((x, x), |(from, to)| (from.min(x), to.max(x))));
    }
    let rows = ends.iter().enumerate().filter_map(|(y, ends)| ends.map(|ends| (y, ends)));
    rows.flat_map(|(y, (from, to))| {
        [[from, y], [from, y + 1], [to + 1, y], [to + 1, y + 1]].map(|corner| corner.map(|v| v as f64))
    })
    .collect()
}

/// The corners of the convex hull, clockwise as the picture is seen (monotone chain, Andrew 1979).
fn convex_hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                if turn(a, b, point) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    hull
}

/// Twice the area of a triangle, positive where its corners run clockwise as the picture is seen.
fn turn(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

pub(crate) fn area_of(polygon: &[Point]) -> f64 {
    let Some(&first) = polygon.first() else { return 0.0 };
    polygon.windows(2).map(|pair| turn(first, pair[0], pair[1])).sum::<f64>() / 2.0
}

/// The four corners around a convex polygon: sides are given up, each for the point where its neighbours meet, those
/// first that add the least area.
fn four_sided(hull: &[Point]) -> Option<[Point; 4]> {
    let mut corners = hull.to_vec();
    while corners.len() > 4 {
        let count = corners.len();
        let at = |i: usize| corners[i % count];
        let given_up = (0..count).filter_map(|i| {
            let meet = meeting([at(i + count - 1), at(i)], [at(i + 2), at(i + 1)])?;
            // Beyond the side, not behind it.
            let added = turn(at(i + 1), at(i), meet);
            (added >= 0.0).then_some((i, meet, added))
        });
        let (side, meet, _) = given_up.min_by(|a, b| a.2.total_cmp(&b.2))?;
        corners[side] = meet;
        corners.remove((side + 1) % count);
    }
    corners.try_into().ok()
}

/// Where the lines through two pairs of points meet.
fn meeting([a, b]: [Point; 2], [c, d]: [Point; 2]) -> Option<Point> {
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]]);
    let across = u[0] * v[1] - u[1] * v[0];
    let far = ((c[0] - a[0]) * v[1] - (c[1] - a[1]) * v[0]) / across;
    (across.abs() > 1e-9 && far.is_finite()).then(|| [a[0] + far * u[0], a[1] + far * u[1]])
}

/// The corners of the lines that fit the sides of the hull best near the sides of a quad.
fn fitted(corners: &[Point; 4], hull: &[Point], near: f64) -> Option<[Point; 4]> {
    let mut sides = [[[0.0; 2]; 2]; 4];
    for (i, side) in sides.iter_mut().enumerate() {
        let (from, to) = (corners[i], corners[(i + 1) % 4]);
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let along = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
        // Points of the hull in steps of a pixel, as (along the side, aside of it).
        let mut points = Vec::new();
        for (a, b) in hull.iter().zip(hull.iter().cycle().skip(1)) {
            let steps = (b[0] - a[0]).hypot(b[1] - a[1]).ceil().max(1.0);
            points.extend((0..steps as usize).map(|step| {
                let share = step as f64 / steps;
                let [x, y] = [0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * share - from[axis]);
                [x * along[0] + y * along[1], y * along[0] - x * along[1]]
            }));
        }
        points.retain(|[u, v]| v.abs() < near && (CORNER * length..(1.0 - CORNER) * length).contains(u));
        let count = points.len() as f64;
        if count < 0.5 * length {
            return None;
        }
        let mean = [0, 1].map(|axis| points.iter().map(|p| p[axis]).sum::<f64>() / count);
        let (mut slope, mut spread) = (0.0, 0.0);
        for [u, v] in points {
            slope += (u - mean[0]) * (v - mean[1]);
            spread += (u - mean[0]).powi(2);
        }
        let slope = slope / spread.max(1e-9);
        *side = [0.0, length].map(|u| {
            let v = mean[1] + slope * (u - mean[0]);
            [from[0] + u * along[0] - v * along[1], from[1] + u * along[1] + v * along[0]]
        });
    }
    let meet = |i: usize| meeting(sides[(i + 3) % 4], sides[i]);
    Some([meet(0)?, meet(1)?, meet(2)?, meet(3)?])
}

/// Whether a sheet goes on beyond the photo: more than a little of a side lies along the photo's edge.
fn is_cut_off(corners: &[Point; 4], size: [u32; 2]) -> bool {
    const STEPS: usize = 50;
    let [right, bottom] = size.map(|side| f64::from(side) - 1.5);
    let outside = |[x, y]: Point| x < 1.5 || y < 1.5 || x > right || y > bottom;
    (0..4).any(|i| {
        let (from, to) = (corners[i], corners[(i + 1) % 4]);
        let at = |step: usize| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * step as f64 / STEPS as f64);
        share((0..=STEPS).map(|step| outside(at(step)))) > CUT_OFF
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    /// A dark table with a bright convex sheet that has a dark band within.
    fn photo(corners: &[Point]) -> GrayImage {
        GrayImage::from_fn(1200, 900, |x, y| {
            let point = [f64::from(x) + 0.5, f64::from(y) + 0.5];
            let inside = (0..corners.len()).all(|i| turn(corners[i], corners[(i + 1) % corners.len()], point) > 0.0);
            let band = (400..440).contains(&x) && (300..600).contains(&y);
            Luma([if inside && !band { 220 } else { 60 }])
        })
    }

    #[test]
    fn the_corners_of_a_sheet_seen_at_an_angle_are_found() {
        let corners = [[210.0, 150.0], [1010.0, 90.0], [1100.0, 800.0], [150.0, 700.0]];
        let found = outline(&photo(&corners)).unwrap();
        for (found, drawn) in found.iter().zip(corners) {
            assert!((0..2).all(|axis| (f64::from(found[axis]) - drawn[axis]).abs() < 3.0), "{found:?} for {drawn:?}");
        }
    }

    #[test]
    fn the_frame_of_a_table_is_not_the_sheet() {
        let corners = [[210.0, 110.0], [1010.0, 90.0], [1100.0, 800.0], [150.0, 780.0]];
        let framed = |photo: &GrayImage| {
            GrayImage::from_fn(1200, 900, |x, y| {
                let [far, near] =
                    [6, 0].map(|wide| (280 - wide..=940 + wide).contains(&x) && (180 - wide..=700 + wide).contains(&y));
                if far && !near { Luma([60]) } else { *photo.get_pixel(x, y) }
            })
        };
        let sheet = photo(&corners);
        assert_eq!(outline(&framed(&sheet)), outline(&sheet));
        assert_eq!(outline(&framed(&GrayImage::from_pixel(1200, 900, Luma([230])))), None, "goes on beyond the photo");
    }

    #[test]
    fn what_is_no_whole_sheet_is_none() {
        // Beyond the photo on one side.
        assert_eq!(outline(&photo(&[[210.0, -200.0], [1010.0, -200.0], [1010.0, 800.0], [210.0, 800.0]])), None);
        // Six sides.
        let six = [[300.0, 450.0], [450.0, 100.0], [750.0, 100.0], [900.0, 450.0], [750.0, 800.0], [450.0, 800.0]];
        assert_eq!(outline(&photo(&six)), None);
        // Nothing but paper.
        assert_eq!(outline(&GrayImage::from_pixel(1200, 900, Luma([230]))), None);
        assert_eq!(outline(&GrayImage::new(0, 0)), None);
    }
}
