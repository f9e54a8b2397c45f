//! Pictures that are dark or not, pixel by pixel, and the connected shapes in them.

/// Left, top, right and bottom in pixels, the latter two just outside.
pub(crate) type Place = [usize; 4];

/// The smallest place around two.
pub(crate) fn joined(a: Place, b: Place) -> Place {
    std::array::from_fn(|side| if side < 2 { a[side].min(b[side]) } else { a[side].max(b[side]) })
}

/// Ink and paper, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mask {
    pub width: usize,
    pub dark: Vec<bool>,
}

impl Mask {
    pub fn height(&self) -> usize {
        self.dark.len() / self.width.max(1)
    }

    /// Whether there is ink; beyond the mask there is none.
    pub fn at(&self, x: isize, y: isize) -> bool {
        let inside = x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height();
        inside && self.dark[y as usize * self.width + x as usize]
    }

    /// Every shape with the places of its pixels, `y * width + x`.
    pub fn strokes(&self) -> Vec<(Shape, Vec<usize>)> {
        let mut found = Vec::new();
        each(self.dark.clone(), self.width, |shape, pixels| found.push((shape, pixels.to_vec())));
        found
    }
}

/// The box of a connected shape, in pixels, and how many pixels it has; `right` and `bottom` are just outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    pub left: usize,
    pub top: usize,
    pub right: usize,
    pub bottom: usize,
    pub area: usize,
}

impl Shape {
    pub fn width(&self) -> usize {
        self.right - self.left
    }

    pub fn height(&self) -> usize {
        self.bottom - self.top
    }

    /// Two shapes as one.
    fn with(&self, other: &Self) -> Self {
        let [left, top, right, bottom] = joined(self.place(), other.place());
        Self { left, top, right, bottom, area: self.area + other.area }
    }

    pub fn place(&self) -> Place {
        [self.left, self.top, self.right, self.bottom]
    }
}

/// The shapes of a picture that is `width` pixels wide, row by row of their first pixels; pixels that touch at a corner
/// belong together.
pub(crate) fn shapes(dark: Vec<bool>, width: usize) -> Vec<Shape> {
    let mut out = Vec::new();
    each(dark, width, |shape, _| out.push(shape));
    out
}

/// Shows every shape with the places of its pixels, `y * width + x`, in the order of [`shapes`].
pub(crate) fn each(mut dark: Vec<bool>, width: usize, mut show: impl FnMut(Shape, &[usize])) {
    let height = dark.len() / width.max(1);
    let mut pixels = Vec::new();
    let mut next = 0;
    while let Some(start) = dark[next..].iter().position(|&is_dark| is_dark).map(|further| next + further) {
        next = start + 1;
        dark[start] = false;
        pixels.clear();
        pixels.push(start);
        let mut shape = Shape { left: width, top: height, right: 0, bottom: 0, area: 0 };
        while let Some(&pixel) = pixels.get(shape.area) {
            // Division takes long, and less long in 32 bits.
            let (x, y) = ((pixel as u32 % width as u32) as usize, (pixel as u32 / width as u32) as usize);
            shape.area += 1;
            (shape.left, shape.right) = (shape.left.min(x), shape.right.max(x + 1));
            (shape.top, shape.bottom) = (shape.top.min(y), shape.bottom.max(y + 1));
            let (left, right) = (x.saturating_sub(1), (x + 2).min(width));
            for ny in y.saturating_sub(1)..(y + 2).min(height) {
                let near = &mut dark[ny * width + left..ny * width + right];
                for (is_dark, place) in near.iter_mut().zip(ny * width + left..) {
                    if std::mem::take(is_dark) {
                        pixels.push(place);
                    }
                }
            }
        }
        show(shape, &pixels);
    }
}

/// For each of some darknesses, from the lowest up, the share of the pixels at least as dark that belong to shapes wider or
/// higher than `far`; 0 where no pixel is as dark.
pub(crate) fn far_shares(darkness: &[u8], width: usize, steps: &[u8], far: usize) -> Vec<f32> {
    let mut by_step: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
    for (pixel, dark) in darkness.iter().enumerate() {
        if let Some(step) = steps.partition_point(|step| step <= dark).checked_sub(1) {
            by_step[step].push(pixel as u32);
        }
    }
    let mut joined = Joined::new(darkness.len(), width, far);
    let shares = by_step.iter().rev().map(|pixels| {
        pixels.iter().for_each(|&pixel| joined.add(pixel));
        joined.far_area as f32 / joined.area.max(1) as f32
    });
    let mut shares: Vec<f32> = shares.collect();
    shares.reverse();
    shares
}

/// Shapes that grow pixel by pixel (disjoint sets with path halving: Tarjan and van Leeuwen 1984).
struct Joined {
    width: usize,
    far: usize,
    /// By pixel another one of its shape, or of its first one [`FIRST`] and where the shape is in the list; [`NONE`] of paper.
    parents: Vec<u32>,
    shapes: Vec<Shape>,
    /// Pixels of all shapes, and of those that reach far.
    area: usize,
    far_area: usize,
}

const NONE: u32 = u32::MAX;
const FIRST: u32 = 1 << 31;

impl Joined {
    fn new(pixels: usize, width: usize, far: usize) -> Self {
        Self { width, far, parents: vec![NONE; pixels], shapes: Vec::new(), area: 0, far_area: 0 }
    }

    /// Adds a pixel, which joins all shapes that it touches.
    fn add(&mut self, pixel: u32) {
        let (x, y) = ((pixel % self.width as u32) as usize, (pixel / self.width as u32) as usize);
        let height = self.parents.len() / self.width;
        let mut touched = None;
        for ny in y.saturating_sub(1)..(y + 2).min(height) {
            for near in ny * self.width + x.saturating_sub(1)..ny * self.width + (x + 2).min(self.width) {
                if self.parents[near] != NONE {
                    let first = self.first(near as u32);
                    touched = Some(touched.map_or(first, |other| self.join(other, first)));
                }
            }
        }
        let alone = Shape { left: x, top: y, right: x + 1, bottom: y + 1, area: 1 };
        self.area += 1;
        match touched {
            Some(first) => {
                self.parents[pixel as usize] = first;
                let at = self.at(first);
                self.far_area -= self.far_area_of(at);
                self.shapes[at] = self.shapes[at].with(&alone);
                self.far_area += self.far_area_of(at);
            }
            None => {
                self.parents[pixel as usize] = FIRST | self.shapes.len() as u32;
                self.shapes.push(alone);
            }
        }
    }

    /// The first pixel of a pixel's shape.
    fn first(&mut self, mut pixel: u32) -> u32 {
        loop {
            let parent = self.parents[pixel as usize];
            if parent & FIRST != 0 {
                return pixel;
            }
            let above = self.parents[parent as usize];
            if above & FIRST != 0 {
                return parent;
            }
            self.parents[pixel as usize] = above;
            pixel = above;
        }
    }

    /// Makes the shapes of two first pixels one; the first pixel of that.
    fn join(&mut self, one: u32, other: u32) -> u32 {
        if one == other {
            return one;
        }
        let area = |first: u32| self.shapes[self.at(first)].area;
        let (into, of) = if area(one) < area(other) { (other, one) } else { (one, other) };
        let (all, part) = (self.at(into), self.at(of));
        self.far_area -= self.far_area_of(all) + self.far_area_of(part);
        self.shapes[all] = self.shapes[all].with(&self.shapes[part]);
        self.far_area += self.far_area_of(all);
        self.parents[of as usize] = into;
        into
    }

    /// Where the shape of a first pixel is in the list.
    fn at(&self, first: u32) -> usize {
        (self.parents[first as usize] & !FIRST) as usize
    }

    fn far_area_of(&self, at: usize) -> usize {
        let shape = &self.shapes[at];
        if shape.width().max(shape.height()) > self.far { shape.area } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_apart() {
        let picture = ["##..#", ".#...", "..#.#"].concat();
        let found = shapes(picture.chars().map(|c| c == '#').collect(), 5);
        let boxes: Vec<_> = found.iter().map(|s| (s.left, s.top, s.width(), s.height(), s.area)).collect();
        assert_eq!(boxes, [(0, 0, 3, 3, 4), (4, 0, 1, 1, 1), (4, 2, 1, 1, 1)]);
        assert!(shapes(Vec::new(), 0).is_empty());
        let mut pixels = Vec::new();
        each([true, false, true, false, true, false].to_vec(), 2, |_, of| pixels.push(of.to_vec()));
        assert_eq!(pixels, [[0, 2, 4]]);
    }

    #[test]
    fn shapes_that_reach_far_are_told_at_every_darkness() {
        let picture = ["9.99.5.", ".9..5..", "..5....", "1.....9"].concat();
        let darkness: Vec<u8> = picture.bytes().map(|digit| digit.saturating_sub(b'0')).collect();
        let steps = [1, 4, 5, 9];
        let by_flood = |least: u8| -> f32 {
            let all = shapes(darkness.iter().map(|&dark| dark >= least && dark < 10).collect(), 7);
            let area = |of: &dyn Fn(&Shape) -> bool| all.iter().filter(|s| of(s)).map(|s| s.area).sum::<usize>() as f32;
            area(&|shape| shape.width().max(shape.height()) > 3) / area(&|_| true).max(1.0)
        };
        let shares = far_shares(&darkness, 7, &steps, 3);
        assert_eq!(shares, steps.map(by_flood));
        assert!(shares[0] > 0.5 && shares[3] < 0.9, "{shares:?}");
        assert_eq!(far_shares(&[0; 4], 2, &[1], 1), [0.0]);
    }
}
