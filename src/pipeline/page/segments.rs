//! Straight pieces of thin dark lines, in any direction: what perspective is told by.
//!
//! Lines nearer to level than to upright are traced from left to right: in each column of pixels the ridges (darker
//! than what lies a few pixels above and below) are joined to the traces that lead there. Upright lines are traced
//! on the transposed picture.

use image::{GrayImage, imageops};

/// A straight piece of a line, in pixels: its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    pub from: [f32; 2],
    pub to: [f32; 2],
}

impl Segment {
    pub fn length(&self) -> f32 {
        (self.to[0] - self.from[0]).hypot(self.to[1] - self.from[1])
    }

    pub fn middle(&self) -> [f32; 2] {
        [(self.from[0] + self.to[0]) / 2.0, (self.from[1] + self.to[1]) / 2.0]
    }

    fn transposed(&self) -> Self {
        let swap = |[x, y]: [f32; 2]| [y, x];
        Self { from: swap(self.from), to: swap(self.to) }
    }
}

/// Distance at which the paper beside a line is looked at, and how much darker (of 255) than it the line must be.
const BESIDE: usize = 4;
const DARKER: u16 = 9;
/// Columns without ridge over which a trace goes on: dotted lines and strokes across a line.
const LARGEST_GAP: usize = 8;
/// Shortest piece on a page: no stroke of handwriting is as long and straight. Longer ones are cut, so that bent lines are
/// straight in pieces.
pub const SHORTEST: usize = 70;
const LONGEST: usize = 220;
/// Share of a piece's columns that must show a ridge.
const FILLED: f32 = 0.7;
/// Standard deviation (pixels) from a straight line up to which a piece is straight.
const STRAIGHT: f32 = 1.2;

/// The pieces nearer to level, and those nearer to upright, none less wide (or high) than `shortest` pixels.
pub fn find(image: &GrayImage, shortest: usize) -> [Vec<Segment>; 2] {
    let turned = imageops::flip_horizontal(&imageops::rotate90(image));
    let (level, upright) = rayon::join(|| trace(image, shortest), || trace(&turned, shortest));
    [level, upright.iter().map(Segment::transposed).collect()]
}

/// A line followed so far: where it was last seen, and the sums of a linear regression.
struct Trace {
    y: f32,
    slope: f32,
    last: usize,
    first: usize,
    points: Vec<(f32, f32)>,
}

fn trace(image: &GrayImage, shortest: usize) -> Vec<Segment> {
    let (width, height) = (image.width() as usize, image.height() as usize);
    if width < shortest || height < 4 * BESIDE {
        return Vec::new();
    }
    let ridges = ridges(image);
    let mut done = Vec::new();
    let mut active: Vec<Trace> = Vec::new();
    let mut owner = vec![usize::MAX; height];
    for (x, ridges) in ridges.iter().enumerate() {
        for (index, trace) in active.iter().enumerate() {
            let y = trace.expected(x);
            if y >= 0.0 && y < height as f32 {
                owner[y as usize] = index;
            }
        }
        let mut fresh = Vec::new();
        for &y in ridges {
            let y = usize::from(y);
            let near = [0isize, -1, 1, -2, 2].into_iter().find_map(|d| {
                let at = y.checked_add_signed(d).filter(|&at| at < height)?;
                (owner[at] != usize::MAX).then_some(at)
            });
            match near {
                Some(at) => {
                    active[owner[at]].add(x, y as f32);
                    owner[at] = usize::MAX;
                }
                None => {
                    fresh.push(Trace { y: y as f32, slope: 0.0, last: x, first: x, points: vec![(x as f32, y as f32)] })
                }
            }
        }
        for trace in &active {
            let y = trace.expected(x);
            if y >= 0.0 && y < height as f32 {
                owner[y as usize] = usize::MAX;
            }
        }
        active.retain_mut(|trace| {
            let over = x - trace.last > LARGEST_GAP || trace.slope.abs() > 1.2;
            if over || x - trace.first >= LONGEST {
                done.extend(trace.piece(shortest));
                trace.first = x;
                trace.points.clear();
            }
            !over
        });
        active.append(&mut fresh);
    }
    done.extend(active.iter().filter_map(|trace| trace.piece(shortest)));
    done
}

impl Trace {
    fn expected(&self, x: usize) -> f32 {
        self.y + self.slope * (x - self.last) as f32
    }

    fn add(&mut self, x: usize, y: f32) {
        let expected = self.expected(x);
        let (off, run) = (y - expected, (x - self.last) as f32);
        // A beginning is followed quickly, a long line steadily.
        let gain = if self.points.len() < 12 { 0.25 } else { 0.06 };
        self.y = expected + 0.4 * off;
        self.slope += gain * off / run.max(1.0);
        self.last = x;
        self.points.push((x as f32, y));
    }

    /// The straight piece through the points, if there are enough and they are straight.
    fn piece(&self, shortest: usize) -> Option<Segment> {
        let (first, last) = (self.points.first()?.0, self.points.last()?.0);
        let (span, count) = (last - first, self.points.len() as f32);
        if span < shortest as f32 || count < FILLED * span {
            return None;
        }
        let mean = |f: fn(&(f32, f32)) -> f32| self.points.iter().map(f).sum::<f32>() / count;
        let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
        let sum = |f: &dyn Fn(f32, f32) -> f32| self.points.iter().map(|p| f(p.0 - mx, p.1 - my)).sum::<f32>();
        let slope = sum(&|x, y| x * y) / sum(&|x, _| x * x);
        let variance = sum(&|x, y| (y - slope * x).powi(2)) / count;
        if variance > STRAIGHT * STRAIGHT {
            return None;
        }
        let at = |x: f32| [x + 0.5, my + slope * (x - mx) + 0.5];
        Some(Segment { from: at(first), to: at(last) })
    }
}

/// For every column of pixels the heights of its ridges.
fn ridges(image: &GrayImage) -> Vec<Vec<u16>> {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let pixels = image.as_raw();
    let mut found = vec![Vec::new(); width];
    // Sums over three columns, then over three rows: nine pixels.
    let sums = |y: usize, out: &mut Vec<u16>| {
        let row = &pixels[y * width..(y + 1) * width];
        out.clear();
        out.push(3 * u16::from(row[0]));
        out.extend(row.windows(3).map(|w| w.iter().map(|&p| u16::from(p)).sum::<u16>()));
        out.push(3 * u16::from(row[width - 1]));
    };
    // The last rows of smoothed pixels, oldest first.
    let kept = 2 * BESIDE + 1;
    let mut rows: Vec<Vec<u16>> = Vec::with_capacity(kept);
    let mut three: [Vec<u16>; 3] = std::array::from_fn(|_| Vec::with_capacity(width));
    for y in 0..height {
        sums(y, &mut three[y % 3]);
        if y < 2 {
            continue;
        }
        let mut row = if rows.len() == kept { rows.remove(0) } else { Vec::with_capacity(width) };
        row.clear();
        row.extend((0..width).map(|x| three[0][x] + three[1][x] + three[2][x]));
        rows.push(row);
        if rows.len() < kept {
            continue;
        }
        let at = y - 1 - BESIDE;
        let (above, below, here) = (&rows[0], &rows[kept - 1], &rows[BESIDE]);
        let (before, after) = (&rows[BESIDE - 1], &rows[BESIDE + 1]);
        for x in 0..width {
            let value = here[x];
            if value + 9 * DARKER < above[x].min(below[x]) && value <= before[x] && value < after[x] {
                found[x].push(at as u16);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slanted_lines_are_found_with_their_slope() {
        for slope in [0.0f32, 0.15, -0.4, 0.8] {
            let image = GrayImage::from_fn(600, 900, |x, y| {
                let d = (y as f32 - 450.0 - slope * (x as f32 - 300.0)) / (1.0 + slope * slope).sqrt();
                image::Luma([if d.abs() < 1.2 { 120 } else { 240 }])
            });
            let [level, upright] = find(&image, SHORTEST);
            assert!(upright.is_empty(), "{upright:?}");
            let total: f32 = level.iter().map(Segment::length).sum();
            assert!(total > 400.0, "{slope}: {total}");
            for piece in level {
                let found = (piece.to[1] - piece.from[1]) / (piece.to[0] - piece.from[0]);
                assert!((found - slope).abs() < 0.01, "{found} for {slope}");
            }
        }
    }
}
