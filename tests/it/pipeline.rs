//! The stages together, on a drawn form and a recogniser that cannot misread.

use crate::fake::{BarReader, Form};
use image::{ExtendedColorType, ImageEncoder, imageops};
use scoresheet::error::Error;
use scoresheet::game::{Colour, Status};
use scoresheet::pgn;
use scoresheet::pipeline::photo::apart;
use scoresheet::pipeline::photo::ingest::Photo;
use scoresheet::pipeline::{PhotoFile, ReadOptions, SheetFiles, read_game};

const GAME: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 c4 c6 cxb5 axb5 Nc3 Bb7 \
                    Bg5 b4 Nb1 h6 Bh4 c5 dxe5 Nxe4 Bxe7 Qxe7 exd6 Qf6 Nbd2 Nxd6 Nc4 Nxc4 Bxc4 Nb6";

pub fn moves() -> Vec<String> {
    GAME.split_whitespace().map(str::to_owned).collect()
}

pub fn sheet(photo: &Photo) -> SheetFiles {
    let mut bytes = Vec::new();
    let (width, height) = photo.grey.dimensions();
    image::codecs::png::PngEncoder::new(&mut bytes)
        .write_image(photo.grey.as_raw(), width, height, ExtendedColorType::L8)
        .unwrap();
    SheetFiles { keeper: None, pages: vec![PhotoFile::new(photo.file.clone(), bytes)] }
}

#[test]
fn a_game_is_read_from_its_form() {
    for (pairs, rows, tilt) in [(1, 30, 0.0), (2, 14, 0.015), (3, 12, -0.02)] {
        let form = Form { pairs, rows, tilt, moves: moves(), first_number: 1 };
        let game = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap();
        let read: Vec<&str> = game.plies.iter().filter_map(|ply| ply.san.as_deref()).collect();
        assert_eq!(read, moves(), "{pairs} pairs of {rows} rows");
        let unclear: Vec<_> = game.plies.iter().filter(|ply| ply.status != Status::Clear).collect();
        assert!(unclear.is_empty(), "{unclear:?}");
        assert_eq!(game.plies[43].number, 22);
        assert_eq!(game.plies[43].colour, Colour::Black);
        assert!(game.warnings.is_empty(), "{:?}", game.warnings);
    }
}

#[test]
fn a_negative_is_read_as_well() {
    let form = Form { pairs: 2, rows: 14, tilt: 0.015, moves: moves(), first_number: 1 };
    let mut photo = form.photograph();
    imageops::invert(&mut photo.grey);
    let game = read_game(&[sheet(&photo)], &BarReader::new(&form), &ReadOptions::default()).unwrap();
    assert_eq!(game.plies.iter().filter_map(|ply| ply.san.as_deref()).collect::<Vec<_>>(), moves());
    assert_eq!(game.warnings, ["form.png: the photo is a negative and was read as one"]);
}

#[test]
fn the_pgn_reads_back() {
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves: moves(), first_number: 1 };
    let game = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap();
    assert_eq!(pgn::read_main_line(&game.pgn).unwrap(), pgn::read_main_line(GAME).unwrap());
}

#[test]
fn cells_lie_where_the_photo_shows_them() {
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves: moves(), first_number: 1 };
    let photo = form.photograph();
    for turns in 0..4 {
        let turned = match turns {
            1 => imageops::rotate90(&photo.grey),
            2 => imageops::rotate180(&photo.grey),
            3 => imageops::rotate270(&photo.grey),
            _ => photo.grey.clone(),
        };
        let turned = Photo { file: photo.file.clone(), grey: turned };
        let game = read_game(&[sheet(&turned)], &BarReader::new(&form), &ReadOptions::default()).unwrap();
        assert_eq!(game.plies.len(), 44, "{turns} turns");
        // Move 15 White stands in the first row of the second pair: x from 80 + 490 + 90, y from 150, 200 by 44.
        let [x, y] = game.plies[28].written[0].quad[0];
        let (w, h) = (photo.grey.width() as f32, photo.grey.height() as f32);
        let expected = match turns {
            1 => [h - 150.0, 660.0],
            2 => [w - 660.0, h - 150.0],
            3 => [150.0, w - 660.0],
            _ => [660.0, 150.0],
        };
        assert!(
            (x - expected[0]).abs() < 5.0 && (y - expected[1]).abs() < 5.0,
            "{turns} turns: {x} {y} for {expected:?}"
        );
    }
}

#[test]
fn one_wrong_cell_does_not_derail_the_game() {
    let mut wrong = moves();
    wrong[20] = "a1".to_owned();
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves: wrong, first_number: 1 };
    let game = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap();
    let truth = moves();
    for (ply, san) in game.plies.iter().zip(&truth).filter(|(ply, _)| ply.ply != 21) {
        assert_eq!(ply.san.as_ref(), Some(san), "ply {}", ply.ply);
    }
    assert_ne!(game.plies[20].status, Status::Clear, "what was written there is no legal move");
    assert_eq!(game.plies[20].written[0].text, "a1");
}

#[test]
fn a_blank_form_is_no_game() {
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves: Vec::new(), first_number: 1 };
    let error = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Blank { .. }), "{error}");
}

#[test]
fn without_readable_numbers_the_game_tells_its_first_row() {
    // The head of the table is as high as a row, and rows may be left out below it; the numbers are beyond those that are
    // looked for.
    let moves = moves();
    for blank in [0, 3, 4] {
        let mut cells = ["W", "B"].map(str::to_owned).to_vec();
        cells.resize(2 + 2 * blank, String::new());
        cells.extend_from_slice(&moves);
        let form = Form { pairs: 1, rows: 36, tilt: 0.0, moves: cells, first_number: 500 };
        let game = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap();
        let first = game.plies.iter().find_map(|ply| Some((ply.number, ply.san.as_deref()?)));
        assert_eq!(first, Some((1, moves[0].as_str())), "{blank} blank rows: {:?}", game.warnings);
        assert!(game.warnings.iter().any(|warning| warning.contains("numbers could not be read")));
    }
}

#[test]
fn the_game_tells_its_first_row_against_the_numbers() {
    // What is counted as the first row holds no moves.
    let head = ["W", "B"].map(str::to_owned);
    let moves = moves();
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves: [&head[..], &moves].concat(), first_number: 1 };
    let game = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap();
    let read: Vec<&str> = game.plies.iter().filter_map(|ply| ply.san.as_deref()).collect();
    assert_eq!(read, moves);
    assert_eq!(game.plies[0].number, 1);
}

#[test]
fn black_s_moves_may_stand_a_row_lower() {
    // Taken row by row, White would capture a pawn of his own with his fourth move.
    const SCOTCH: &str = "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nxc6 bxc6 e5 Qe7 Qe2 Nd5 c4 Ba6 b3 g6 Ba3 Qg5 Bxf8 Kxf8 g3 Re8 \
                          f4 Qe7 Nc3 Nxc3";
    let moves: Vec<String> = SCOTCH.split_whitespace().map(str::to_owned).collect();
    let white = moves.iter().step_by(2).cloned().chain([String::new()]);
    let black = [String::new()].into_iter().chain(moves.iter().skip(1).step_by(2).cloned());
    let cells: Vec<String> = white.zip(black).flat_map(|(white, black)| [white, black]).collect();
    let form = Form { pairs: 1, rows: 30, tilt: 0.0, moves: cells, first_number: 1 };
    let game = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap();
    let read: Vec<&str> = game.plies.iter().filter_map(|ply| ply.san.as_deref()).collect();
    assert_eq!(read, moves);
    let unclear: Vec<_> = game.plies.iter().filter(|ply| ply.status != Status::Clear).collect();
    assert!(unclear.is_empty(), "{unclear:?}");
}

#[test]
fn files_may_be_written_in_capitals() {
    let capitals =
        |san: &String| san.chars().map(|c| if ('a'..='h').contains(&c) { c.to_ascii_uppercase() } else { c }).collect();
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves: moves().iter().map(capitals).collect(), first_number: 1 };
    let game = read_game(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap();
    let read: Vec<&str> = game.plies.iter().filter_map(|ply| ply.san.as_deref()).collect();
    assert_eq!(read, moves());
    let unclear: Vec<_> = game.plies.iter().filter(|ply| ply.status != Status::Clear).collect();
    assert!(unclear.is_empty(), "{unclear:?}");
}

#[test]
fn sheets_that_lie_apart_are_read_one_by_one() {
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves: moves(), first_number: 1 };
    let one = form.photograph().grey;
    let (width, height) = one.dimensions();
    let mut desk = image::GrayImage::from_pixel(2 * width + 300, height + 200, image::Luma([40]));
    for left in [100, width + 200] {
        imageops::replace(&mut desk, &one, i64::from(left), 100);
    }
    let file = |grey| sheet(&Photo { file: "desk.png".to_owned(), grey }).pages.remove(0);
    let limits = ReadOptions::default().limits;
    let found = apart::sheets(file(desk), &limits).unwrap();
    let names: Vec<&str> = found.iter().map(|sheet| sheet.name.as_str()).collect();
    assert_eq!(names, ["desk.png, sheet 1", "desk.png, sheet 2"]);
    for sheet in found {
        let sheet = SheetFiles { keeper: None, pages: vec![sheet] };
        let game = read_game(&[sheet], &BarReader::new(&form), &ReadOptions::default()).unwrap();
        assert_eq!(game.plies.iter().filter_map(|ply| ply.san.as_deref()).collect::<Vec<_>>(), moves());
    }
    assert_eq!(apart::sheets(file(one), &limits).unwrap().len(), 1);
}
