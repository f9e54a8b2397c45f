//! Plane projective maps: how one flat picture lies in another.

use crate::game::Quad;

/// A plane projective map: a 3 x 3 matrix on homogeneous coordinates, by rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Homography(pub [[f64; 3]; 3]);

impl Homography {
    /// The map `x -> a * x + b` on both coordinates.
    pub fn scaling(factor: [f64; 2], shift: [f64; 2]) -> Self {
        Self([[factor[0], 0.0, shift[0]], [0.0, factor[1], shift[1]], [0.0, 0.0, 1.0]])
    }

    /// Quarter turns clockwise of a picture of `width` by `height` pixels: from the turned picture to the one before.
    pub fn unturned(quarter_turns: u8, width: f64, height: f64) -> Self {
        Self(match quarter_turns % 4 {
            1 => [[0.0, 1.0, 0.0], [-1.0, 0.0, height], [0.0, 0.0, 1.0]],
            2 => [[-1.0, 0.0, width], [0.0, -1.0, height], [0.0, 0.0, 1.0]],
            3 => [[0.0, -1.0, width], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            _ => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        })
    }

    /// The map that takes the corners of a `width` by `height` rectangle (clockwise from the upper left) to `quad`;
    /// none if three corners of the quad lie on a line.
    pub fn from_rectangle(width: f64, height: f64, quad: &Quad) -> Option<Self> {
        // The unit square to a quad in closed form (Heckbert 1989, Fundamentals of Texture Mapping).
        let [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = quad.map(|corner| corner.map(f64::from));
        let (dx1, dx2, dx3) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3);
        let (dy1, dy2, dy3) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3);
        let det = dx1 * dy2 - dx2 * dy1;
        if det.abs() < 1e-9 {
            return None;
        }
        let g = (dx3 * dy2 - dx2 * dy3) / det;
        let h = (dx1 * dy3 - dx3 * dy1) / det;
        let unit =
            Self([[x1 - x0 + g * x1, x3 - x0 + h * x3, x0], [y1 - y0 + g * y1, y3 - y0 + h * y3, y0], [g, h, 1.0]]);
        Some(unit.after(&Self::scaling([1.0 / width, 1.0 / height], [0.0, 0.0])))
    }

    /// First `other`, then this map.
    pub fn after(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| self.0[i][k] * other.0[k][j]).sum())))
    }

    /// The way back; none for a map that folds the plane on to a line.
    pub fn inverse(&self) -> Option<Self> {
        let m = &self.0;
        let minor = |r: [usize; 2], c: [usize; 2]| m[r[0]][c[0]] * m[r[1]][c[1]] - m[r[0]][c[1]] * m[r[1]][c[0]];
        let others = [[1, 2], [0, 2], [0, 1]];
        let cofactor =
            |i: usize, j: usize| minor(others[i], others[j]) * if (i + j).is_multiple_of(2) { 1.0 } else { -1.0 };
        let det: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
        (det.abs() > 1e-12).then(|| Self(std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / det))))
    }

    /// Where a point goes; far away (not infinitely) for points on the horizon.
    pub fn apply(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let row = |r: &[f64; 3]| r[0] * x + r[1] * y + r[2];
        let depth = self.depth([x, y]);
        let depth = if depth.abs() < 1e-9 { 1e-9 } else { depth };
        [row(&self.0[0]) / depth, row(&self.0[1]) / depth]
    }

    /// The homogeneous coordinate of a point's image: its sign tells the two sides of the horizon apart.
    pub fn depth(&self, [x, y]: [f64; 2]) -> f64 {
        self.0[2][0] * x + self.0[2][1] * y + self.0[2][2]
    }

    /// Pixels of the picture mapped to per pixel of the picture mapped from, near a point.
    pub fn scale_at(&self, [x, y]: [f64; 2]) -> f64 {
        let [a, b, c] = [[x, y], [x + 1.0, y], [x, y + 1.0]].map(|p| self.apply(p));
        ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_goes_to_its_quad_and_back() {
        let quad = [[10.0, 20.0], [300.0, 40.0], [340.0, 400.0], [-20.0, 380.0]];
        let map = Homography::from_rectangle(200.0, 100.0, &quad).unwrap();
        let back = map.inverse().unwrap();
        for (corner, to) in [[0.0, 0.0], [200.0, 0.0], [200.0, 100.0], [0.0, 100.0]].into_iter().zip(quad) {
            let [x, y] = map.apply(corner);
            assert!((x - f64::from(to[0])).abs() < 1e-6 && (y - f64::from(to[1])).abs() < 1e-6);
            let [x, y] = back.apply([x, y]);
            assert!((x - corner[0]).abs() < 1e-6 && (y - corner[1]).abs() < 1e-6);
        }
        assert!(Homography::from_rectangle(1.0, 1.0, &[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]).is_none());
    }
}
