//! What is wrong with a photo, in words for the person who took it: said before its reading is trusted.
//!
//! Everything is measured on the table itself: on the ink of its cells and on the paper between.

use super::ingest::Photo;
use crate::error::{Error, Result};
use crate::pipeline::cells::{CROP_HEIGHT, CROP_WIDTH, Crop};
use crate::pipeline::{Anchor, NUMBERS_READ, ReadCell, ReadPage, page::shades};

/// Said of a photo that cannot be read and of which nothing else is known.
pub(crate) const LOOK_AGAIN: &str = "Check that the photo is sharp and shows a scoresheet the right way up.";

/// What to do about a photo that cannot be read: what was said about it, or else to look at it again.
pub(crate) fn where_unreadable(file: &str, said: &[String]) -> String {
    let own = said.iter().filter_map(|sentence| sentence.strip_prefix(file)?.strip_prefix(": "));
    let noticed = own.collect::<Vec<_>>().join("; ");
    if noticed.is_empty() { LOOK_AGAIN.to_owned() } else { format!("What was noticed: {noticed}.") }
}

/// What was measured on a photo.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Measures {
    /// Height of a row, in pixels of the photo.
    row: f32,
    /// Median over the written cells: the steepest edges of strokes, in shares of the ink's contrast per pixel of a
    /// crop (see [`sharpness`]).
    sharpness: f32,
    /// Median brightness (0 to 255) of the paper.
    paper: f32,
    /// Share of the table that is burnt out though the paper is not white.
    glare: f32,
    /// Share of the cells that lie beyond the photo's edges at least in part.
    outside: f32,
    /// Rows of the form that the picture does not show.
    missing_rows: usize,
}

/// Measured on ten validation sheets of phone photos: shrunk to rows of 23 pixels they read as well as at 57 (98 % of
/// the moves right), with rows of 17 worse (81 %) and with 14 hardly (41 %).
const SMALLEST_ROW: f32 = 18.0;
/// The same sheets have a sharpness of 0.47 to 0.72; blurred to 0.25 to 0.35 they lose five moves in a hundred, at 0.19
/// to 0.26 half of them. No validation sheet is below 0.37.
const BLURRED: f32 = 0.3;
/// The darkest paper of a validation sheet has 183.
const DARK: f32 = 60.0;
/// No paper is as dark as this: what looks like a table is something else.
const BLACK: f32 = 16.0;
/// No validation sheet has any.
const GLARE: f32 = 0.03;
const OUTSIDE: f32 = 0.03;

/// Sentences about a photo: what is wrong and what to do. None for a good photo.
///
/// # Errors
/// [`Error::NoTable`] where what was taken for a table is black.
pub(crate) fn advice(photo: &Photo, anchor: &Anchor, cells: &[ReadCell]) -> Result<Vec<String>> {
    let measures = measure(photo, anchor, cells);
    if measures.paper < BLACK {
        let cause = "what could be one is too dark to be paper".to_owned();
        return Err(Error::NoTable { file: photo.file.clone(), cause });
    }
    Ok(sentences(&photo.file, &measures))
}

fn sentences(file: &str, measures: &Measures) -> Vec<String> {
    let Measures { row, sharpness, paper, glare, outside, missing_rows } = *measures;
    let mut said = Vec::new();
    let mut say = |text: String| said.push(format!("{file}: {text}"));
    if row < SMALLEST_ROW {
        say(format!("a row of the table is only {row:.0} pixels high; go nearer, or send the photo at its full size"));
    }
    // Small rows are never sharp: one advice is enough.
    if row >= SMALLEST_ROW && sharpness < BLURRED {
        say("the photo is blurred; hold the camera still, let it focus, and wipe its lens".to_owned());
    }
    if paper < DARK {
        say("the photo is very dark; take it again with more light".to_owned());
    }
    if glare > GLARE {
        say("light is reflected by the paper and hides what is written there; take the photo from another side, without flash".to_owned());
    }
    if missing_rows > 0 {
        let rows = if missing_rows == 1 { "a row is".to_owned() } else { format!("{missing_rows} rows are") };
        say(format!("{rows} cut off at the edge of the photo; take the whole sheet into the picture"));
    } else if outside > OUTSIDE {
        say("the table reaches beyond the edge of the photo; take the whole sheet into the picture".to_owned());
    }
    said
}

fn measure(photo: &Photo, anchor: &Anchor, cells: &[ReadCell]) -> Measures {
    let (width, height) = photo.grey.dimensions();
    let side = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let row = median(cells.iter().map(|cell| side(cell.quad[0], cell.quad[3])).collect());
    let written = cells.iter().filter(|cell| cell.reading.is_some());
    let sharpness = median(written.filter_map(|cell| sharpness(&cell.crop)).collect());
    // Brightness of the photo over the table, a few points a cell.
    let mut light = Vec::new();
    let mut outside = 0;
    for cell in cells {
        let [tl, tr, br, bl] = cell.quad;
        let beyond = |[x, y]: [f32; 2]| {
            let far = 0.25 * row;
            x < -far || y < -far || x > width as f32 + far || y > height as f32 + far
        };
        outside += usize::from(cell.quad.into_iter().any(beyond));
        for (u, v) in (1..12).flat_map(|u| (1..4).map(move |v| (u as f32 / 12.0, v as f32 / 4.0))) {
            let at = |axis: usize| {
                let top = tl[axis] + u * (tr[axis] - tl[axis]);
                let bottom = bl[axis] + u * (br[axis] - bl[axis]);
                top + v * (bottom - top)
            };
            let (x, y) = (at(0), at(1));
            if x >= 0.0 && y >= 0.0 && (x as u32) < width && (y as u32) < height {
                light.push(f32::from(photo.grey.get_pixel(x as u32, y as u32).0[0]));
            }
        }
    }
    let paper = median(light.clone());
    let burnt = light.iter().filter(|&&v| v >= BURNT).count() as f32 / light.len().max(1) as f32;
    let glare = if paper < NOT_WHITE { burnt } else { 0.0 };

    let outside = outside as f32 / cells.len().max(1) as f32;
    Measures { row, sharpness, paper, glare, outside, missing_rows: anchor.period - anchor.rows }
}

/// Brightness from which a place is burnt out, and of paper below which that is not the paper's own white.
const BURNT: f32 = 252.0;
const NOT_WHITE: f32 = 225.0;

fn median(mut values: Vec<f32>) -> f32 {
    if values.is_empty() {
        return f32::INFINITY;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// The steepest edges of the ink in a crop (95th percentile of the differences between neighbouring pixels along the
/// row, among those that belong to strokes), in shares of the ink's contrast; none where there is hardly any ink.
fn sharpness(crop: &Crop) -> Option<f32> {
    let rows = CROP_HEIGHT / 4..CROP_HEIGHT * 3 / 4;
    let mut values: Vec<u8> = rows
        .clone()
        .flat_map(|y| crop.pixels[y * CROP_WIDTH + crop.span.start..y * CROP_WIDTH + crop.span.end].to_vec())
        .collect();
    if values.len() < 200 {
        return None;
    }
    shades::sort(&mut values);
    let (ink, paper) = (f32::from(values[values.len() / 50]), f32::from(values[values.len() * 3 / 5]));
    let contrast = paper - ink;
    if contrast < 25.0 {
        return None;
    }
    let mut steps: Vec<f32> = rows
        .flat_map(|y| crop.pixels[y * CROP_WIDTH + crop.span.start..y * CROP_WIDTH + crop.span.end].windows(2))
        .map(|pair| (f32::from(pair[0]) - f32::from(pair[1])).abs())
        .filter(|step| *step > 0.1 * contrast)
        .collect();
    if steps.len() < 20 {
        return None;
    }
    steps.sort_by(f32::total_cmp);
    Some(steps[steps.len() * 19 / 20] / contrast)
}

/// Everything to tell about a page.
pub(crate) fn warnings(page: &ReadPage) -> Vec<String> {
    let mut warnings = Vec::new();
    for advice in page.tables().flat_map(|table| &table.advice) {
        if !warnings.contains(advice) {
            warnings.push(advice.clone());
        }
    }
    if page.anchor.evidence < NUMBERS_READ {
        warnings.push(format!(
            "{}: the printed move numbers could not be read; rows are counted from the first that reads as moves, check that it is move 1",
            page.file
        ));
    }
    if page.page.pieces.is_some() {
        warnings.push(format!(
            "{}: the moves run on in lines like words and were told apart by their order; check that none is left out",
            page.file
        ));
    } else if page.grid.by_ink {
        warnings.push(format!(
            "{}: no ruled rows were found, so the rows were told by the writing itself; check that every move stands in its row",
            page.file
        ));
    }
    if page.anchor.first_number > 1 {
        warnings.push(format!("{}: the page starts at move {}", page.file, page.anchor.first_number));
    }
    if !page.beside.is_empty() {
        warnings.push(format!(
            "{}: another sheet beside this one in the photo was left out; cut the photo in two to read both",
            page.file
        ));
    }
    if page.page.quarter_turns != 0 {
        warnings.push(format!(
            "{}: the photo was turned by {} degrees",
            page.file,
            90 * u32::from(page.page.quarter_turns)
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Measures =
        Measures { row: 40.0, sharpness: 0.6, paper: 200.0, glare: 0.0, outside: 0.0, missing_rows: 0 };

    #[test]
    fn a_photo_that_cannot_be_read_is_told_what_was_noticed() {
        let said = ["a.jpg: the photo is blurred".to_owned(), "b.jpg: the photo is very dark".to_owned()];
        assert_eq!(where_unreadable("a.jpg", &said), "What was noticed: the photo is blurred.");
        assert_eq!(where_unreadable("c.jpg", &said), LOOK_AGAIN);
    }

    #[test]
    fn each_fault_is_named_alone() {
        assert!(sentences("a.jpg", &GOOD).is_empty());
        for (faulty, word) in [
            (Measures { row: 14.0, sharpness: 0.2, ..GOOD }, "14 pixels high"),
            (Measures { sharpness: 0.2, ..GOOD }, "blurred"),
            (Measures { paper: 40.0, ..GOOD }, "dark"),
            (Measures { glare: 0.1, ..GOOD }, "reflected"),
            (Measures { outside: 0.1, missing_rows: 2, ..GOOD }, "2 rows"),
            (Measures { outside: 0.1, ..GOOD }, "beyond the edge"),
        ] {
            let said = sentences("a.jpg", &faulty);
            assert!(said.len() == 1 && said[0].contains(word), "{said:?}");
        }
    }
}
