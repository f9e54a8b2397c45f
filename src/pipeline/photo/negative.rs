//! Negatives, as microfilm and photostats are: bright ink on dark paper.

use super::ingest::Photo;
use image::GrayImage;

/// Side, in pixels, of the squares over which strokes are told from paper: some rows high. One in so many is looked at,
/// across and down.
const BLOCK: u32 = 64;
const LOOKED_AT: usize = 3;
/// Skewness above which a photo is tried as a negative first. Of 418 sheets that are none, the highest has 0.17 and all
/// but nine are below -0.05.
pub(crate) const CLEARLY: f64 = 0.4;

/// How much more what is brighter than its surroundings stands out from them than what is darker, from -1 to 1: the third
/// moment of the brightness about its mean, square by square, as a share of the absolute one.
pub(crate) fn skewness(grey: &GrayImage) -> f64 {
    let (width, height) = grey.dimensions();
    let squares = |side: u32| (0..side).step_by(BLOCK as usize).step_by(LOOKED_AT);
    let span = |start: u32, side: u32| start..(start + BLOCK).min(side);
    let (mut third, mut absolute) = (0.0, 0.0);
    for (top, left) in squares(height).flat_map(|top| squares(width).map(move |left| (top, left))) {
        let (rows, columns) = (span(top, height), span(left, width));
        let count = (rows.len() * columns.len()) as f64;
        let pixels = || rows.clone().flat_map(|y| columns.clone().map(move |x| f64::from(grey.get_pixel(x, y).0[0])));
        let mean = pixels().sum::<f64>() / count;
        for pixel in pixels() {
            third += (pixel - mean).powi(3);
            absolute += (pixel - mean).abs().powi(3);
        }
    }
    if absolute > 0.0 { third / absolute } else { 0.0 }
}

/// The same photo with dark for bright.
pub(crate) fn inverted(photo: &Photo) -> Photo {
    let mut grey = photo.grey.clone();
    image::imageops::invert(&mut grey);
    Photo { file: photo.file.clone(), grey }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn bright_strokes_on_dark_paper_are_a_negative() {
        // Strokes on paper on which the light fades.
        let grey = GrayImage::from_fn(600, 400, |x, y| {
            let paper = 120 + x / 6;
            Luma([if y % 20 < 2 { paper - 80 } else { paper } as u8])
        });
        let photo = Photo { file: "a.png".to_owned(), grey };
        assert!(skewness(&photo.grey) < -CLEARLY);
        assert!(skewness(&inverted(&photo).grey) > CLEARLY);
        assert_eq!(inverted(&inverted(&photo)).grey, photo.grey);
        assert_eq!(skewness(&GrayImage::new(10, 10)), 0.0);
    }
}
