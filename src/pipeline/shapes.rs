//! Connected shapes of a picture that is dark or not, pixel by pixel.

/// The box of a connected shape, in pixels, and how many pixels it has; `right` and `bottom` are just outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
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
}

/// The shapes of a picture that is `width` pixels wide, row by row of their first pixels; pixels that touch at a corner
/// belong together.
pub(super) fn shapes(dark: Vec<bool>, width: usize) -> Vec<Shape> {
    let mut out = Vec::new();
    each(dark, width, |shape, _| out.push(shape));
    out
}

/// Shows every shape with the places of its pixels, `y * width + x`, in the order of [`shapes`].
pub(super) fn each(mut dark: Vec<bool>, width: usize, mut show: impl FnMut(Shape, &[usize])) {
    let height = dark.len() / width.max(1);
    let mut pixels = Vec::new();
    for start in 0..width * height {
        if !std::mem::take(&mut dark[start]) {
            continue;
        }
        pixels.clear();
        pixels.push(start);
        let mut shape = Shape { left: width, top: height, right: 0, bottom: 0, area: 0 };
        while let Some(&pixel) = pixels.get(shape.area) {
            let (x, y) = (pixel % width, pixel / width);
            shape.area += 1;
            (shape.left, shape.right) = (shape.left.min(x), shape.right.max(x + 1));
            (shape.top, shape.bottom) = (shape.top.min(y), shape.bottom.max(y + 1));
            for ny in y.saturating_sub(1)..(y + 2).min(height) {
                for nx in x.saturating_sub(1)..(x + 2).min(width) {
                    if std::mem::take(&mut dark[ny * width + nx]) {
                        pixels.push(ny * width + nx);
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
