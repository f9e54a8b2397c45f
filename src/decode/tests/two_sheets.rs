//! The same game on the sheets of both players.

use super::*;
use crate::pipeline::align::align;

/// The same game on two sheets.
fn two_sheets(first: &[&str], second: &[&str]) -> Decoded {
    decode_two(two_sheets_side_by_side(first, second))
}

fn two_sheets_side_by_side(first: &[&str], second: &[&str]) -> Vec<Row> {
    let mut rows = sheet(first);
    for (row, other) in rows.iter_mut().zip(sheet(second)) {
        let second = |cell: InkCell| InkCell { sheet: 1, ..cell };
        row.white.extend(other.white.into_iter().map(second));
        row.black.extend(other.black.into_iter().map(second));
    }
    rows
}

fn decode_two(rows: Vec<Row>) -> Decoded {
    let keepers = vec![Some(Colour::White), Some(Colour::Black)];
    decode(&rows, &alphabet(), &Options { keepers, ..Options::default() }).unwrap()
}

#[test]
fn two_sheets_may_be_in_two_languages_and_differences_are_told() {
    let english = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "OO", "f6", "d4", "exd4", "Nxd4", "Qxd4"];
    let german = ["e4", "e5", "Sf3", "Sc6", "Lb5", "a6", "Lxc6", "bxc6", "OO", "f6", "d4", "exd4", "Sxd4", ""];
    let decoded = two_sheets(&english, &german);
    assert_eq!(decoded.languages.iter().map(|l| l.0.as_str()).collect::<Vec<_>>(), ["en", "de"]);
    assert_eq!(sans(&decoded)[7..], ["dxc6", "O-O", "f6", "d4", "exd4", "Nxd4", "Qxd4"]);
    let reason = decoded.plies[7].reason.as_deref().unwrap_or_default();
    assert!(reason.contains("White wrote dxc6") && reason.contains("Black wrote bxc6"), "{reason}");
    assert_ne!(decoded.plies[13].status, Status::Inferred, "White's sheet says it");
}

#[test]
fn rows_of_two_sheets_are_laid_side_by_side() {
    const GAME: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O f6 d4 exd4 Nxd4 c5 Nb3 Qxd1 Rxd1 Bd6 Na5 b5 c4 Ne7";
    let moves: Vec<&str> = GAME.split(' ').collect();
    let with = |at: usize, cells: &[&'static str]| [&moves[..at], cells, &moves[at..]].concat();
    let lacking = |from: usize, to: usize| [&moves[..from], &moves[to..], &["", ""]].concat();
    let first = [&moves[..], &["", ""]].concat();
    for second in
        [with(6, &["", ""]), with(7, &["", ""]), with(8, &[moves[6], moves[7]]), lacking(9, 11), lacking(12, 13)]
    {
        let mut rows = two_sheets_side_by_side(&first, &second);
        let told = align(&mut rows, &alphabet());
        let decoded = decode_two(rows);
        let played: Vec<&str> = decoded.plies.iter().filter_map(|ply| ply.san.as_deref()).collect();
        assert_eq!((played, told.len()), (moves.clone(), 1), "{second:?}");
        let unclear = decoded.plies.iter().filter(|ply| ply.san.is_some() && ply.status != Status::Clear);
        assert_eq!(unclear.count(), 0, "{second:?}");
    }
}
