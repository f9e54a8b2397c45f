//! Of which line the ink on a page is: what stands in a line is shown without what reaches into it from others.

use super::lines::Line;
use crate::pipeline::page::shapes::{self, Shape};
use crate::pipeline::table::listed::words::Writing;
use std::collections::HashMap;

const NO_LINE: u16 = u16::MAX;
/// Width of the pale edge of a stroke, in pixels.
const EDGE: isize = 2;

/// For each pixel of a page the line of which alone it is ink, or [`NO_LINE`].
pub(super) struct Owners {
    lines: Vec<u16>,
    width: usize,
}

impl Owners {
    /// Of the ink and its edges.
    pub fn new(writing: &Writing, lines: &[Line]) -> Self {
        let image = &writing.page.image;
        let width = image.width() as usize;
        let mut of_sides: HashMap<(usize, usize), Vec<(usize, Shape)>> = HashMap::new();
        for (index, line) in lines.iter().enumerate() {
            for &letter in &line.letters {
                of_sides.entry((letter.left, letter.right)).or_default().push((index, letter));
            }
        }
        let dark = image.as_raw().iter().map(|&pixel| pixel <= 255 - writing.ink).collect();
        let mut owners = vec![NO_LINE; image.as_raw().len()];
        shapes::each(dark, width, |shape, pixels| {
            let Some(letters) = of_sides.get(&(shape.left, shape.right)) else { return };
            let mut own = letters
                .iter()
                .filter(|(_, letter)| letter.top >= shape.top && letter.bottom <= shape.bottom)
                .map(|&(line, _)| line as u16);
            // What touches from line to line is of both.
            if let Some(line) = own.next().filter(|&line| own.all(|other| other == line)) {
                pixels.iter().for_each(|&pixel| owners[pixel] = line);
            }
        });
        let ink = owners.clone();
        let around =
            (-EDGE..=EDGE).flat_map(|dy| (-EDGE..=EDGE).map(move |dx| dy * width as isize + dx)).collect::<Vec<_>>();
        for (pixel, &line) in ink.iter().enumerate().filter(|(_, line)| **line != NO_LINE) {
            for at in around.iter().filter_map(|&step| pixel.checked_add_signed(step)) {
                if let Some(owner) = owners.get_mut(at).filter(|owner| **owner == NO_LINE) {
                    *owner = line;
                }
            }
        }
        Self { lines: owners, width }
    }

    /// The line of which a pixel is ink; none where it is paper, or of several lines.
    pub fn at(&self, [x, y]: [u32; 2]) -> Option<usize> {
        self.lines.get(y as usize * self.width + x as usize).filter(|&&line| line != NO_LINE).map(|&line| line.into())
    }
}
