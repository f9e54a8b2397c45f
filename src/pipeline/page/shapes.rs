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
}
