//! Several sheets in one photo, lying apart on something darker: each becomes a photo of its own.
//!
//! Bright regions of about one size whose boxes keep clear of each other are sheets if each of them holds a table; in doubt
//! a photo is left whole, so that no sheet is ever cut.

use super::documents::photos;
use super::ingest::{IngestLimits, Photo, ingest, ingest_colour};
use crate::error::Result;
use crate::pipeline::PhotoFile;
use crate::pipeline::page::Page;
use crate::pipeline::page::flatten;
use crate::pipeline::page::paper::{self, Parted};
use crate::pipeline::page::shapes::{Shape, shapes};
use crate::pipeline::table::grid::{Grid, Known};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{GrayImage, imageops};

/// Longest side, in pixels, of the picture in which bright regions are looked for.
const SIDE: u32 = 200;
/// How many times brighter paper is than what it lies on, and the share of that difference by which the brightness falls
/// at its edge: light that fades across one sheet does neither.
const BRIGHTER: f32 = 1.25;
const SHARP: f32 = 0.6;
/// Least area of a sheet against the photo, and against the largest sheet.
const SMALLEST: f32 = 0.1;
const ALIKE: f32 = 0.4;
/// Least share of its box that a sheet fills: sheets lie askew by half a right angle at most.
const FILLED: f32 = 0.5;
/// Narrowest box of a sheet, as width to height or height to width.
const NARROWEST: f32 = 0.35;
/// Paper shown around a box, in shares of the photo.
const AROUND: f32 = 0.01;
/// Most sheets in one photo.
const MOST: usize = 6;

/// A place in a photo: left, top, right and bottom.
type Place = [u32; 4];

/// The photos in a file as [`photos`] gives them, those that show several sheets cut into one for each.
///
/// # Errors
/// As [`photos`].
pub fn sheets(file: PhotoFile, limits: &IngestLimits) -> Result<Vec<PhotoFile>> {
    Ok(photos(file, limits)?.into_iter().flat_map(|photo| cut(photo, limits)).collect())
}

/// The name of a sheet, counted from 0, among those in a photo; a photo of one sheet gives it its own name.
pub fn name(photo: &str, sheet: usize, sheets: usize) -> String {
    if sheets == 1 { photo.to_owned() } else { format!("{photo}, sheet {}", sheet + 1) }
}

/// A photo for each sheet. What cannot be decoded stays as it is: the reader says what is wrong with it.
fn cut(file: PhotoFile, limits: &IngestLimits) -> Vec<PhotoFile> {
    let Ok(photo) = ingest(&file.name, &file.bytes, limits) else { return vec![file] };
    let places = places(&photo);
    let parts = || -> Option<Vec<PhotoFile>> {
        let colour = ingest_colour(&file.name, &file.bytes, limits).ok().filter(|_| places.len() > 1)?;
        let part = |(index, &[left, top, right, bottom]): (usize, &Place)| {
            let picture = imageops::crop_imm(&colour, left, top, right - left, bottom - top).to_image();
            let mut bytes = Vec::new();
            let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Sub);
            picture.write_with_encoder(encoder).ok()?;
            Some(PhotoFile::new(name(&file.name, index, places.len()), bytes))
        };
        places.iter().enumerate().map(part).collect()
    };
    parts().unwrap_or_else(|| vec![PhotoFile { grey: Some(photo.grey), ..file }])
}

/// Where the sheets of a photo lie, in the order of reading, if there are several.
pub(crate) fn places(photo: &Photo) -> Vec<Place> {
    let (width, height) = photo.grey.dimensions();
    let mut places = bright_regions(&photo.grey);
    if places.len() > 1 {
        places.retain(|&[left, top, right, bottom]| {
            let grey = imageops::crop_imm(&photo.grey, left, top, right - left, bottom - top).to_image();
            holds_a_table(&Photo { file: photo.file.clone(), grey })
        });
    }
    if places.len() < 2 {
        return vec![[0, 0, width, height]];
    }
    // Row by row: one that begins above the middle of another stands in the same row.
    places.sort_by_key(|place| place[1]);
    let first = places[0];
    let row_ends = places.partition_point(|place| place[1] < (first[1] + first[3]) / 2);
    places[..row_ends].sort_by_key(|place| place[0]);
    places[row_ends..].sort_by_key(|place| place[0]);
    places
}

/// Whether a table of moves is found, lying straight, on its side, or laid flat.
fn holds_a_table(photo: &Photo) -> bool {
    let found = |page: &Page| Grid::find(page, &Known::default()).is_ok();
    let plain = Page::new(photo, 0);
    if found(&plain) || found(&plain.turned(1)) {
        return true;
    }
    flatten::find(&plain).is_some_and(|flat| {
        let page = Page::flattened(photo, &flat, 0);
        found(&page) || found(&page.turned(1))
    })
}

/// The boxes of bright regions that may be sheets; none if any of them is unlike a sheet beside the others.
fn bright_regions(grey: &GrayImage) -> Vec<Place> {
    let (width, height) = grey.dimensions();
    let shrink = (width.max(height) as f32 / SIDE as f32).max(1.0);
    let small = imageops::thumbnail(grey, (width as f32 / shrink) as u32, (height as f32 / shrink) as u32);
    // A carbon copy is darker than the sheet of which it is one: what is no white paper is parted again.
    let white = paper::part(&small);
    let tinted = white.and_then(|white| paper::part_below(&small, white.threshold));
    let regions = [white, tinted].into_iter().flatten().map(|parted| parted_sheets(&small, parted));
    let regions = regions.fold(Vec::new(), |most, next| if next.len() > most.len() { next } else { most });
    let margin = AROUND * width.max(height) as f32;
    let place = |region: &Shape| {
        let [left, top, right, bottom] =
            [region.left, region.top, region.right, region.bottom].map(|side| side as f32 * shrink);
        let within = |value: f32, most: u32| (value.max(0.0) as u32).min(most);
        [
            within(left - margin, width),
            within(top - margin, height),
            within(right + margin, width),
            within(bottom + margin, height),
        ]
    };
    regions.iter().map(place).collect()
}

/// The regions that may be sheets where a picture is parted so; none where light does not end there as at the edge of paper.
fn parted_sheets(small: &GrayImage, Parted { threshold, dark, light }: Parted) -> Vec<Shape> {
    if light < BRIGHTER * dark || edge(small, threshold) < SHARP * (light - dark) {
        return Vec::new();
    }
    let (width, bright) = (small.width() as usize, small.as_raw().iter().map(|&pixel| f32::from(pixel) > threshold));
    let bright: Vec<bool> = bright.collect();
    // Ruling lines may part a sheet; without them two that nearly touch may be one.
    let regions = sheets_among(&bright, width);
    if regions.len() < 2 { sheets_among(&closed(&bright, width), width) } else { regions }
}

/// The bright regions that may be sheets; none if any of them is unlike a sheet beside the others.
fn sheets_among(bright: &[bool], width: usize) -> Vec<Shape> {
    let smallest = SMALLEST * bright.len() as f32;
    let mut regions = shapes(bright.to_vec(), width);
    let largest = regions.iter().map(|region| region.area).max().unwrap_or(0) as f32;
    regions.retain(|region| region.area as f32 > smallest.max(ALIKE * largest));
    let is_sheet = |region: &Shape| {
        let (wide, tall) = (region.width() as f32, region.height() as f32);
        region.area as f32 > FILLED * wide * tall && wide.min(tall) > NARROWEST * wide.max(tall)
    };
    let apart = |a: &Shape, b: &Shape| a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    let all_apart = (0..regions.len()).all(|i| (0..i).all(|j| apart(&regions[i], &regions[j])));
    let are_sheets = all_apart && regions.len() <= MOST && regions.iter().all(is_sheet);
    if are_sheets { regions } else { Vec::new() }
}

/// Bright places without what is dark in them and at most two pixels wide, as ruling lines are.
fn closed(bright: &[bool], width: usize) -> Vec<bool> {
    let height = bright.len() / width.max(1);
    let around = |of: &[bool], wanted: bool| -> Vec<bool> {
        let has = |x: usize, y: usize| {
            let mut near = (y.saturating_sub(1)..(y + 2).min(height))
                .flat_map(|y| (x.saturating_sub(1)..(x + 2).min(width)).map(move |x| of[y * width + x]));
            near.any(|pixel| pixel == wanted)
        };
        (0..of.len()).map(|at| if has(at % width, at / width) { wanted } else { !wanted }).collect()
    };
    around(&around(bright, true), false)
}

/// Mean fall of brightness over five pixels where paper ends; what is printed on it is narrower than that.
fn edge(image: &GrayImage, threshold: f32) -> f32 {
    let (width, height) = image.dimensions();
    let at = |x: u32, y: u32| f32::from(image.get_pixel(x, y).0[0]);
    let falls = |before: f32, a: f32, b: f32, after: f32| {
        let [before_is_paper, a_is, b_is, after_is] = [before, a, b, after].map(|pixel| pixel > threshold);
        (a_is != b_is && before_is_paper == a_is && after_is == b_is).then(|| (before - after).abs())
    };
    let across = (0..height).flat_map(|y| (2..width.saturating_sub(3)).map(move |x| (x, y)));
    let down = (2..height.saturating_sub(3)).flat_map(|y| (0..width).map(move |x| (x, y)));
    let across = across.filter_map(|(x, y)| falls(at(x - 2, y), at(x, y), at(x + 1, y), at(x + 3, y)));
    let down = down.filter_map(|(x, y)| falls(at(x, y - 2), at(x, y), at(x, y + 1), at(x, y + 3)));
    let (sum, count) = across.chain(down).fold((0.0, 0), |(sum, count), fall| (sum + fall, count + 1));
    sum / count.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    /// A dark table with bright sheets, each with a ruled table, at the given places.
    fn table(sheets: &[[u32; 4]]) -> Photo {
        table_of(60, sheets)
    }

    /// The same on a table of some brightness.
    fn table_of(surface: u8, sheets: &[[u32; 4]]) -> Photo {
        let grey = GrayImage::from_fn(2400, 1600, |x, y| {
            let inside = sheets.iter().find(|s| x >= s[0] && x < s[2] && y >= s[1] && y < s[3]);
            let Some([left, top, right, bottom]) = inside else { return Luma([surface]) };
            let (u, v) = (x - left, y - top);
            let (wide, tall) = (right - left - 120, bottom - top - 240);
            let within = (60..=60 + wide).contains(&u) && (160..=160 + tall).contains(&v);
            let row = (v.wrapping_sub(160)) % (tall / 20) < 3;
            let column =
                [0, wide / 10, wide * 11 / 20, wide - 3].iter().any(|&at| (at..at + 3).contains(&(u.wrapping_sub(60))));
            Luma([if within && (row || column) { 90 } else { 235 }])
        });
        Photo { file: String::new(), grey }
    }

    #[test]
    fn sheets_apart_are_found_in_order() {
        let (left, right) = ([100, 150, 1050, 1500], [1250, 90, 2300, 1450]);
        for surface in [60, 175] {
            let found = places(&table_of(surface, &[right, left]));
            assert_eq!(found.len(), 2, "{found:?}");
            for (found, drawn) in found.iter().zip([left, right]) {
                assert!(found.iter().zip(drawn).all(|(&a, b)| a.abs_diff(b) < 60), "{found:?} for {drawn:?}");
            }
        }
    }

    #[test]
    fn a_tinted_copy_beside_a_white_sheet_is_found() {
        let sheets = [[100, 150, 1150, 1500], [1250, 90, 2300, 1450]];
        let mut photo = table_of(70, &sheets);
        let [left, top, right, bottom] = sheets[1];
        for (x, y) in (left..right).flat_map(|x| (top..bottom).map(move |y| (x, y))) {
            let pixel = photo.grey.get_pixel_mut(x, y);
            pixel.0[0] = (u32::from(pixel.0[0]) * 13 / 20) as u8;
        }
        assert_eq!(places(&photo).len(), 2);
        // Half of one sheet in a shadow is no sheet.
        let mut photo = table_of(70, &[[300, 100, 2100, 1500]]);
        for (x, y) in (1200..2100).flat_map(|x| (100..1500).map(move |y| (x, y))) {
            let pixel = photo.grey.get_pixel_mut(x, y);
            pixel.0[0] = (u32::from(pixel.0[0]) * 13 / 20) as u8;
        }
        assert_eq!(places(&photo), [[0, 0, 2400, 1600]]);
    }

    #[test]
    fn one_sheet_stays_whole() {
        assert_eq!(places(&table(&[[300, 100, 2100, 1500]])), [[0, 0, 2400, 1600]]);
        // Beside an empty sheet of paper, too.
        let mut photo = table(&[[100, 100, 1100, 1500]]);
        for (x, y) in (1300..2200).flat_map(|x| (200..1400).map(move |y| (x, y))) {
            photo.grey.put_pixel(x, y, Luma([230]));
        }
        assert_eq!(places(&photo), [[0, 0, 2400, 1600]]);
    }
}
