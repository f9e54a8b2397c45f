//! Drawn forms seen at an angle, and tables whose place is given by hand.

use crate::fake::{BarReader, Form};
use crate::pipeline::{moves, sheet};
use crate::util::{sample, scoresheet};
use image::{GrayImage, Luma};
use scoresheet::error::Error;
use scoresheet::game::{Game, Quad};
use scoresheet::pipeline::page::homography::Homography;
use scoresheet::pipeline::photo::ingest::Photo;
use scoresheet::pipeline::table::hint::PageHint;
use scoresheet::pipeline::{ReadOptions, SheetFiles, read_game};

const FORM: (usize, usize) = (2, 14);

fn form() -> Form {
    Form { pairs: FORM.0, rows: FORM.1, tilt: 0.0, moves: moves(), first_number: 1 }
}

/// The form on a dark desk under a camera that is tilted and rolled (degrees), and the way from the form to the photo.
fn seen(photo: &Photo, tilt: f32, roll: f32) -> (Photo, Homography) {
    let (width, height) = photo.grey.dimensions();
    let corners = &view(photo, tilt, roll);
    let map = Homography::from_rectangle(f64::from(width), f64::from(height), corners).unwrap();
    let back = map.inverse().unwrap();
    let at = |[x, y]: [f64; 2]| {
        let inside = x >= 0.0 && y >= 0.0 && x < f64::from(width) && y < f64::from(height);
        if inside { f32::from(photo.grey.get_pixel(x as u32, y as u32).0[0]) } else { 70.0 }
    };
    let grey = GrayImage::from_fn(SIZE.0, SIZE.1, |x, y| {
        let samples = [0.17, 0.5, 0.83].map(|dx| [0.17, 0.5, 0.83].map(|dy| [f64::from(x) + dx, f64::from(y) + dy]));
        let sum: f32 = samples.iter().flatten().map(|&place| at(back.apply(place))).sum();
        Luma([(sum / 9.0) as u8])
    });
    (Photo { file: photo.file.clone(), grey }, map)
}

/// Size of the photos, and the focal length of the camera that takes them, in pixels.
const SIZE: (u32, u32) = (2000, 1500);
const FOCAL: f32 = 2000.0;
const DISTANCE: f32 = 2400.0;

/// Corners of a form seen by a camera that is tilted and rolled (degrees).
fn view(form: &Photo, tilt: f32, roll: f32) -> Quad {
    let (w, h) = (form.grey.width() as f32 / 2.0, form.grey.height() as f32 / 2.0);
    let ((tilt_sin, tilt_cos), (roll_sin, roll_cos)) = (tilt.to_radians().sin_cos(), roll.to_radians().sin_cos());
    [[-w, -h], [w, -h], [w, h], [-w, h]].map(|[x, y]| {
        let depth = DISTANCE - y * tilt_sin;
        let (x, y) = (FOCAL * x / depth, FOCAL * y * tilt_cos / depth);
        let (x, y) = (x * roll_cos - y * roll_sin, x * roll_sin + y * roll_cos);
        [x + SIZE.0 as f32 / 2.0, y + SIZE.1 as f32 / 2.0]
    })
}

fn read(sheets: &[SheetFiles]) -> Game {
    read_game(sheets, &BarReader::new(&form()), &ReadOptions::default()).unwrap()
}

fn sans(game: &Game) -> Vec<&str> {
    game.plies.iter().filter_map(|ply| ply.san.as_deref()).collect()
}

/// Where the cell of 15. White lies on the form: the first row of the second pair.
const CELL: [[f64; 2]; 4] = [[660.0, 150.0], [860.0, 150.0], [860.0, 194.0], [660.0, 194.0]];

#[test]
fn a_form_seen_at_an_angle_is_laid_flat() {
    for (tilt, roll) in [(35.0, 8.0), (30.0, -14.0), (0.0, 12.0)] {
        let (photo, map) = seen(&form().photograph(), tilt, roll);
        let game = read(&[sheet(&photo)]);
        assert_eq!(sans(&game), moves(), "tilt {tilt} roll {roll}");
        for (corner, on_form) in game.plies[28].written[0].quad.iter().zip(CELL) {
            let [x, y] = map.apply(on_form);
            let off = (f64::from(corner[0]) - x).hypot(f64::from(corner[1]) - y);
            assert!(off < 8.0, "{corner:?} for {x} {y}");
        }
    }
}

#[test]
fn curled_paper_is_followed() {
    // The right third rises by more than a row, the lower rows more than the upper ones.
    let photo = form().photograph();
    let (width, height) = (photo.grey.width() as f32, photo.grey.height() as f32);
    let rise = |x: f32, y: f32| {
        let beyond = (x / width - 0.62).max(0.0) / 0.38;
        56.0 * beyond * beyond * (0.4 + 0.6 * y / height)
    };
    let grey = GrayImage::from_fn(photo.grey.width(), photo.grey.height(), |x, y| {
        let from = y as f32 + rise(x as f32, y as f32);
        let (above, share) = (from as u32, from.fract());
        let at = |y: u32| f32::from(photo.grey.get_pixel(x, y.min(height as u32 - 1)).0[0]);
        Luma([(at(above) + share * (at(above + 1) - at(above))) as u8])
    });
    let game = read(&[sheet(&Photo { file: photo.file, grey })]);
    assert_eq!(sans(&game), moves());
}

#[test]
fn rows_without_lines_are_told_by_their_ink() {
    let mut photo = form().photograph();
    // Paper over the lines between the rows; the columns stay ruled, and so do the first and the last line.
    for (x, y, pixel) in photo.grey.enumerate_pixels_mut() {
        let (u, v) = ((x as f32 - 80.0).rem_euclid(490.0), y as f32 - 150.0);
        let row = (v / 44.0).round();
        let column = [0.0, 90.0, 290.0, 490.0].iter().any(|edge| (u - edge).abs() < 1.5);
        if (1.0..=13.0).contains(&row) && (v - row * 44.0).abs() < 2.0 && !column {
            pixel.0[0] = 240;
        }
    }
    let game = read(&[sheet(&photo)]);
    assert_eq!(sans(&game)[..40], moves()[..40]);
    assert!(game.warnings.iter().any(|warning| warning.contains("by the writing itself")), "{:?}", game.warnings);
    let [x, y] = game.plies[28].written[0].quad[0];
    assert!((x - 660.0).abs() < 6.0 && (y - 150.0).abs() < 12.0, "{x} {y}");
}

#[test]
fn given_corners_are_followed() {
    let (photo, map) = seen(&form().photograph(), 35.0, 8.0);
    let (width, height) = (2.0 * 490.0, 14.0 * 44.0);
    let table = [[80.0, 150.0], [80.0 + width, 150.0], [80.0 + width, 150.0 + height], [80.0, 150.0 + height]];
    let quad = table.map(|corner| map.apply(corner).map(|v| v as f32));
    for hint in [
        PageHint { quad: Some(quad), ..PageHint::default() },
        PageHint { quad: Some(quad), rows: Some(14), columns: Some(2) },
    ] {
        let mut sheet = sheet(&photo);
        sheet.pages[0].hint = hint;
        let game = read(&[sheet]);
        assert_eq!(sans(&game), moves(), "{hint:?}");
        assert_eq!(game.sheets[0].pages[0].rows, 28);
    }
}

#[test]
fn wrong_corners_are_named() {
    let photo = form().photograph();
    for (quad, word) in [
        ([[0.0, 0.0], [0.0, 500.0], [500.0, 500.0], [500.0, 0.0]], "anticlockwise"),
        ([[0.0, 0.0], [500.0, 500.0], [500.0, 0.0], [0.0, 500.0]], "cross"),
        ([[0.0, 0.0], [9e4, 0.0], [500.0, 500.0], [0.0, 500.0]], "outside"),
        ([[f32::NAN, 0.0], [500.0, 0.0], [500.0, 500.0], [0.0, 500.0]], "no numbers"),
        ([[10.0, 10.0], [20.0, 10.0], [20.0, 20.0], [10.0, 20.0]], "too small"),
    ] {
        let mut sheet = sheet(&photo);
        sheet.pages[0].hint.quad = Some(quad);
        let error = read_game(&[sheet], &BarReader::new(&form()), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Usage(_)) && error.to_string().contains(word), "{error}");
    }
}

#[test]
fn the_command_line_takes_hints() {
    let photo = sample("english-scan.jpg").display().to_string();
    let run = |args: &[&str]| {
        let out = scoresheet(&[&["read", photo.as_str()], args].concat());
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (status, said) = run(&["--rows", "30", "--columns", "2"]);
    assert!(matches!(status, Some(0 | 1)), "{said}");
    for (args, word) in [
        (["--quad", "1,2,3"], "3 were given"),
        (["--quad", "0,0,0,900,900,900,900,0"], "anticlockwise"),
        (["--rows", "0"], "0 rows"),
        (["--columns", "9"], "9 pairs"),
    ] {
        let (status, said) = run(&args);
        assert!(status == Some(2) && said.contains(word), "{args:?}: {said}");
    }
}
