//! Games as texts in cells, and what is made of them.

use super::score::tests::{alphabet, reading_of};
use super::*;
use crate::game::Status;

/// A sheet with one cell per text; an empty text is a blank cell.
fn sheet(texts: &[&str]) -> Vec<Row> {
    let cell = |text: &str| {
        let reading = (!text.is_empty()).then(|| reading_of(text, 0.9995, &alphabet()));
        vec![InkCell { sheet: 0, page: 0, quad: Default::default(), reading, crossed_out: false }]
    };
    let rows = texts.chunks(2).enumerate();
    rows.map(|(i, pair)| Row {
        number: i as u32 + 1,
        white: cell(pair[0]),
        black: cell(pair.get(1).copied().unwrap_or_default()),
    })
    .collect()
}

fn game(texts: &[&str]) -> Decoded {
    decode(&sheet(texts), &alphabet(), &Options::default()).unwrap()
}

fn sans(decoded: &Decoded) -> Vec<&str> {
    decoded.plies.iter().map(|ply| ply.san.as_deref().unwrap_or("-")).collect()
}

#[test]
fn a_clean_sheet_is_clear_throughout_and_its_result_is_found() {
    let decoded = game(&["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "OO", "f6", "1-O", "", "", ""]);
    assert_eq!(sans(&decoded), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "f6"]);
    assert!(decoded.plies.iter().all(|ply| ply.status == Status::Clear), "{:?}", decoded.plies);
    assert_eq!((decoded.result.as_str(), decoded.language.as_deref()), ("1-0", Some("en")));
    assert!(decoded.warnings.is_empty(), "{:?}", decoded.warnings);
}

#[test]
fn german_letters_are_found_from_the_ink() {
    let decoded =
        game(&["e4", "e5", "Sf3", "Sc6", "Lb5", "a6", "Lxc6", "dxc6", "O-O", "Ld6", "d4", "Lg4", "dxe5", "Lxe5"]);
    assert_eq!(decoded.language.as_deref(), Some("de"));
    assert_eq!(sans(&decoded)[2..6], ["Nf3", "Nc6", "Bb5", "a6"]);
}

#[test]
fn other_scripts_and_figurines_are_found_from_the_ink() {
    let game_in = |texts: &[&str]| decode(&sheet(texts), &alphabet(), &Options::default()).unwrap();
    let russian = game_in(&["e4", "e5", "Kf3", "Kc6", "Cb5", "a6", "Cxc6", "dxc6", "O-O", "Cd6", "d4", "Фe7", "KPh1"]);
    assert_eq!(russian.language.as_deref(), Some("ru"));
    assert_eq!(sans(&russian)[2..5], ["Nf3", "Nc6", "Bb5"]);
    assert_eq!(sans(&russian)[11..], ["Qe7", "Kh1"]);
    let drawn = game_in(&["e4", "e5", "♘f3", "♘c6", "♗b5", "a6", "♗xc6", "dxc6", "O-O", "♗d6", "d4", "♕e7", "♔h1"]);
    assert_eq!(drawn.language.as_deref(), Some("figurines"));
    assert_eq!(sans(&drawn), sans(&russian));
}

#[test]
fn a_wrong_square_is_repaired_and_says_so() {
    let decoded = game(&["e4", "e5", "Nf3", "Nc6", "Bb4", "a6", "Bxc6", "dxc6", "O-O", "f6", "d4", "exd4"]);
    let ply = &decoded.plies[4];
    assert_eq!((ply.san.as_deref(), ply.status), (Some("Bb5"), Status::Repaired));
    assert!(ply.reason.as_deref().is_some_and(|reason| reason.starts_with("written Bb4, which is not legal here")));
}

#[test]
fn a_blank_cell_within_the_game_is_inferred() {
    let decoded = game(&["e4", "e5", "Nf3", "Nc6", "Bb5", "", "Bxc6", "dxc6", "O-O", "f6", "d4", "exd4"]);
    assert_eq!(sans(&decoded)[6..8], ["Bxc6", "dxc6"]);
    assert_eq!(decoded.plies[5].status, Status::Inferred);
}

#[test]
fn a_move_that_was_never_written_is_put_in() {
    let texts =
        ["e4", "e5", "Nf3", "Nc6", "Bxc6", "dxc6", "Nxe5", "Qd4", "Nf3", "Qxe4+", "Qe2", "Qxe2+", "Kxe2", "Bg4"];
    let decoded = game(&texts);
    // 3.Bb5 and an answer are missing from the sheet.
    assert_eq!(sans(&decoded)[4], "Bb5", "{:?}", sans(&decoded));
    assert_eq!(sans(&decoded)[6..8], ["Bxc6", "dxc6"]);
    assert!(decoded.plies[4..6].iter().all(|ply| ply.status == Status::Inferred));
}

#[test]
fn ink_that_no_game_explains_is_kept_as_written() {
    let decoded = game(&["e4", "e5", "Qh5", "Ke7", "Qxe5#", "hxg5"]);
    assert_eq!(sans(&decoded)[..5], ["e4", "e5", "Qh5", "Ke7", "Qxe5#"]);
    assert_eq!(decoded.result, "1-0");
    let left = &decoded.plies[5];
    assert_eq!((left.san.as_deref(), left.status, left.written[0].text.as_str()), (None, Status::Illegal, "hxg5"));
}

#[test]
fn an_empty_sheet_is_an_empty_game() {
    let decoded = game(&["", "", "", ""]);
    assert!(decoded.plies.is_empty() && decoded.result == "*");
    assert!(decode(&[], &alphabet(), &Options::default()).unwrap().plies.is_empty());
}
