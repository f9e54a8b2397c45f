//! A page whose pieces are laid out anew, so that what is written anywhere on it stands in rows and columns.

use super::homography::Homography;
use super::{PAPER, Page};
use crate::game::Quad;
use image::{GrayImage, Luma};
use std::sync::Arc;

/// A piece of a page that is laid somewhere else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cutting {
    /// Left, top, right and bottom on the page, in its pixels; top and bottom in the middle of the piece.
    pub from: [f32; 4],
    /// How much the piece falls to the right, in pixels per pixel.
    pub slope: f32,
    /// Where its upper left corner is laid, in pixels.
    pub to: [u32; 2],
    /// Little tells that it belongs there.
    pub doubted: bool,
}

/// A piece that was laid somewhere else.
#[derive(Debug, Clone)]
struct Piece {
    /// Left, top, right and bottom.
    place: [f32; 4],
    map: Homography,
    quad: Quad,
    doubted: bool,
}

/// The pieces of a page that was laid out anew.
#[derive(Debug, Clone)]
pub(crate) struct Pieces(Arc<[Piece]>);

impl Pieces {
    /// The map of the page at a place: that of the nearest piece.
    pub fn map_at(&self, point: [f32; 2]) -> Option<&Homography> {
        self.nearest(point).map(|piece| &piece.map)
    }

    /// Where the piece lies in the photo that is nearest to the middle of a quad.
    pub fn quad_to_photo(&self, quad: Quad) -> Quad {
        self.nearest(middle(quad)).map_or(quad, |piece| piece.quad)
    }

    /// Whether little tells that the piece belongs there that is nearest to the middle of a quad.
    pub fn is_doubted(&self, quad: Quad) -> bool {
        self.nearest(middle(quad)).is_some_and(|piece| piece.doubted)
    }

    /// The nearest piece, first of all in height: a narrow one stands at the side of its cell.
    fn nearest(&self, point: [f32; 2]) -> Option<&Piece> {
        self.0.iter().min_by(|a, b| {
            let [(ax, ay), (bx, by)] = [off(a, point), off(b, point)];
            ay.total_cmp(&by).then(ax.total_cmp(&bx))
        })
    }

    /// The box around all pieces in the photo.
    pub fn around(&self) -> Quad {
        let corners = || self.0.iter().flat_map(|piece| piece.quad);
        let least = |axis: usize| corners().map(|corner| corner[axis]).fold(f32::INFINITY, f32::min);
        let most = |axis: usize| corners().map(|corner| corner[axis]).fold(f32::NEG_INFINITY, f32::max);
        let (left, top, right, bottom) = (least(0), least(1), most(0), most(1));
        [[left, top], [right, top], [right, bottom], [left, bottom]]
    }
}

fn middle(quad: Quad) -> [f32; 2] {
    [0, 1].map(|axis| (quad[0][axis] + quad[2][axis]) / 2.0)
}

/// How far a point is beside a piece, and above or below it; 0 within it.
fn off(piece: &Piece, [x, y]: [f32; 2]) -> (f32, f32) {
    let [left, top, right, bottom] = piece.place;
    let beyond = |value: f32, from: f32, to: f32| (from - value).max(value - to).max(0.0);
    (beyond(x, left, right), beyond(y, top, bottom))
}

impl Page {
    /// A page of the given size with pieces of this one on white paper, save what a piece, given by its number, is not to show.
    pub(crate) fn laid_out_anew(
        &self,
        (width, height): (u32, u32),
        cuttings: &[Cutting],
        hides: impl Fn(usize, [u32; 2]) -> bool,
    ) -> Self {
        let mut image = GrayImage::from_pixel(width, height, Luma([PAPER as u8]));
        let mut pieces = Vec::new();
        for (index, &Cutting { from: [left, top, right, bottom], slope, to, doubted }) in cuttings.iter().enumerate() {
            let (wide, tall) = ((right - left).max(1.0) as u32, (bottom - top).max(1.0) as u32);
            let middle = wide as f32 / 2.0;
            for (dx, dy) in (0..wide).flat_map(|dx| (0..tall).map(move |dy| (dx, dy))) {
                let [x, y] = [left + dx as f32, top + dy as f32 + slope * (dx as f32 - middle)].map(f32::round);
                let (u, v) = (to[0] + dx, to[1] + dy);
                if x >= 0.0
                    && y >= 0.0
                    && (u < width && v < height)
                    && !hides(index, [x as u32, y as u32])
                    && let Some(pixel) = self.image.get_pixel_checked(x as u32, y as u32)
                {
                    image.put_pixel(u, v, *pixel);
                }
            }
            let [u, v] = to.map(f64::from);
            let slope = f64::from(slope);
            let fall = f64::from(top) - v - slope * (u + f64::from(middle));
            let map =
                self.map.after(&Homography([[1.0, 0.0, f64::from(left) - u], [slope, 1.0, fall], [0.0, 0.0, 1.0]]));
            let place = [to[0], to[1], to[0] + wide, to[1] + tall].map(|side| side as f32);
            let corners = [[0, 1], [2, 1], [2, 3], [0, 3]].map(|[x, y]| [place[x], place[y]]);
            let quad = corners.map(|corner| self.onto_photo(map.apply(corner.map(f64::from))).map(|v| v as f32));
            pieces.push(Piece { place, map, quad, doubted });
        }
        Self { image, pieces: Some(Pieces(pieces.into())), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;

    #[test]
    fn pieces_are_laid_elsewhere_and_found_again_in_the_photo() {
        // A dark spot that falls to the right by a tenth.
        let grey = GrayImage::from_fn(400, 300, |x, y| {
            let top = 100 + x.saturating_sub(200) / 10;
            Luma([if (200..260).contains(&x) && (top..top + 20).contains(&y) { 20 } else { 250 }])
        });
        let page = Page::new(&Photo { file: String::new(), grey }, 0);
        let cutting = Cutting { from: [190.0, 93.0, 270.0, 133.0], slope: 0.1, to: [10, 50], doubted: true };
        let anew = page.laid_out_anew((100, 100), &[cutting], |_, _| false);
        assert_eq!(anew.image.dimensions(), (100, 100));
        // It is level now.
        for x in [22, 50, 78] {
            let dark: Vec<u32> = (0..100).filter(|&y| anew.image.get_pixel(x, y).0[0] < 128).collect();
            assert!(dark.len().abs_diff(20) < 2 && dark[0].abs_diff(60) < 3, "{x} {dark:?}");
        }
        // Another piece, narrow, below the first one: a cell there is its own though the first one is wider.
        let narrow = Cutting { from: [300.0, 200.0, 312.0, 230.0], slope: 0.0, to: [10, 92], doubted: false };
        let two = page.laid_out_anew((100, 130), &[cutting, narrow], |_, _| false);
        let cell = [[5.0, 93.0], [95.0, 93.0], [95.0, 121.0], [5.0, 121.0]];
        assert!(!two.is_doubted(cell) && two.quad_to_photo(cell)[0][0] > 299.0);
        let [x, y] = anew.to_photo([20.0, 60.0]);
        assert!((x - 200.0).abs() < 1.5 && (y - 100.0).abs() < 1.5, "{x} {y}");
        assert!(anew.is_doubted([[15.0, 50.0], [85.0, 50.0], [85.0, 85.0], [15.0, 85.0]]));
        let quad = anew.quad_to_photo([[5.0, 40.0], [95.0, 40.0], [95.0, 95.0], [5.0, 95.0]]);
        assert!((quad[0][0] - 190.0).abs() < 1.0 && (quad[1][0] - 270.0).abs() < 1.0, "{quad:?}");
        assert!((quad[1][1] - quad[0][1] - 8.0).abs() < 1.0, "{quad:?}");
    }
}
