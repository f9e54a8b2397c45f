//! Games as texts in cells, and what is made of them.

mod two_sheets;

use super::score::tests::{alphabet, reading_of};
use super::*;
use crate::game::{Ply, ResultSource, Status};

/// A sheet with one cell per text; an empty text is a blank cell.
fn sheet(texts: &[&str]) -> Vec<Row> {
    sheet_read(texts, |_| 0.9995)
}

/// A sheet on which each symbol of a text is as sure as `sure` says.
fn sheet_read(texts: &[&str], sure: fn(&str) -> f32) -> Vec<Row> {
    let cell = |text: &str| {
        let reading = (!text.is_empty()).then(|| reading_of(text, sure(text), &alphabet()));
        vec![InkCell { sheet: 0, page: 0, quad: Default::default(), reading, doubted: false }]
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

fn language(decoded: &Decoded) -> &str {
    &decoded.languages[0].0
}

fn sans(decoded: &Decoded) -> Vec<&str> {
    decoded.plies.iter().map(|ply| ply.san.as_deref().unwrap_or("-")).collect()
}

#[test]
fn a_clean_sheet_is_clear_throughout_and_its_result_is_found() {
    let decoded = game(&["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "OO", "f6", "1-O", "", "", ""]);
    assert_eq!(sans(&decoded), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "f6"]);
    assert!(decoded.plies.iter().all(|ply| ply.status == Status::Clear), "{:?}", decoded.plies);
    assert_eq!((decoded.result.as_str(), language(&decoded)), ("1-0", "en"));
    let origin = decoded.result_origin.unwrap();
    assert!(origin.source == ResultSource::Sheet && origin.confidence.unwrap() > 0.9, "{origin:?}");
    assert!(decoded.warnings.is_empty(), "{:?}", decoded.warnings);
}

#[test]
fn a_game_does_not_end_in_guesses() {
    const SMUDGES: [&str; 6] = ["hQ", "8c", "xN1", "=d", "7K", "3R"];
    let moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "OO", "f6"];
    let texts = [&moves[..], &SMUDGES[..]].concat();
    let rows = sheet_read(&texts, |text| if SMUDGES.contains(&text) { 0.4 } else { 0.9995 });
    let decoded = decode(&rows, &alphabet(), &Options::default()).unwrap();
    assert_eq!(sans(&decoded)[..10], sans(&game(&moves))[..]);
    assert!(decoded.plies[10..].iter().all(|ply| ply.san.is_none()));
    assert!(decoded.warnings.iter().any(|text| text.starts_with("From move 6")), "{:?}", decoded.warnings);
    // Who says what is played there has the rest guessed.
    let slot = SettledSlot { cell: Some(SettledCell::Move("d4".to_owned())), ..SettledSlot::default() };
    let settled = Settled { slots: [(10, slot)].into(), ..Settled::default() };
    let decoded = decode(&rows, &alphabet(), &Options { settled, ..Options::default() }).unwrap();
    assert_eq!(decoded.plies[10].san.as_deref(), Some("d4"));
}

#[test]
fn a_result_is_taken_only_if_it_is_written_clearly_and_once() {
    let both = game(&["e4", "e5", "Nf3", "Nc6", "O-1", "", "1/2", ""]);
    assert!(both.warnings.iter().any(|text| text.starts_with("Both 0-1 and 1/2-1/2")), "{:?}", both.warnings);
    let rows = sheet_read(&["e4", "e5", "Nf3", "Nc6", "O-1", ""], |text| if text == "O-1" { 0.75 } else { 0.99 });
    let faint = decode(&rows, &alphabet(), &Options::default()).unwrap();
    assert_eq!((faint.result.as_str(), faint.result_origin), ("*", None));
    assert!(faint.warnings.iter().any(|text| text.contains("may say 0-1")), "{:?}", faint.warnings);
}

#[test]
fn german_letters_are_found_from_the_ink() {
    let decoded =
        game(&["e4", "e5", "Sf3", "Sc6", "Lb5", "a6", "Lxc6", "dxc6", "O-O", "Ld6", "d4", "Lg4", "dxe5", "Lxe5"]);
    assert_eq!(language(&decoded), "de");
    assert_eq!(sans(&decoded)[2..6], ["Nf3", "Nc6", "Bb5", "a6"]);
}

#[test]
fn other_scripts_and_figurines_are_found_from_the_ink() {
    let game_in = |texts: &[&str]| decode(&sheet(texts), &alphabet(), &Options::default()).unwrap();
    let russian = game_in(&["e4", "e5", "Kf3", "Kc6", "Cb5", "a6", "Cxc6", "dxc6", "O-O", "Cd6", "d4", "Фe7", "KPh1"]);
    assert_eq!(language(&russian), "ru");
    assert_eq!(sans(&russian)[2..5], ["Nf3", "Nc6", "Bb5"]);
    assert_eq!(sans(&russian)[11..], ["Qe7", "Kh1"]);
    let drawn = game_in(&["e4", "e5", "♘f3", "♘c6", "♗b5", "a6", "♗xc6", "dxc6", "O-O", "♗d6", "d4", "♕e7", "♔h1"]);
    assert_eq!(language(&drawn), "figurines");
    assert_eq!(sans(&drawn), sans(&russian));
}

#[test]
fn notations_without_squares_in_letters_are_found_from_the_ink() {
    let played = "d4 d5 c4 dxc4 Nf3 Nf6 e3 e6 Bxc4 c5 O-O a6 Qe2 b5 Bb3 Bb7 Rd1 Nbd7 Nc3 Qb6 d5 exd5 Nxd5 Nxd5";
    for (name, code) in [("descriptive", "en"), ("descriptive-es", "es"), ("iccf", "iccf")] {
        let system = crate::notation::write::System::find(name).unwrap();
        let mut board = Board::default();
        let mut texts = Vec::new();
        for san in played.split_whitespace() {
            let mv = crate::notation::parse_move(&board, san, None).unwrap();
            texts.push(system.write(&board, mv));
            board.play_unchecked(mv);
        }
        let decoded = game(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((sans(&decoded).join(" ").as_str(), language(&decoded)), (played, code), "{texts:?}");
    }
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
    let origin = decoded.result_origin.unwrap();
    assert_eq!((origin.source, origin.confidence), (ResultSource::Board, Some(decoded.plies[4].confidence)));
    let left = &decoded.plies[5];
    assert_eq!((left.san.as_deref(), left.status, left.written[0].text.as_str()), (None, Status::Illegal, "hxg5"));
}

#[test]
fn ink_that_is_passed_over_is_kept_as_written() {
    let texts = ["e4", "e5", "Nf3", "Nc6", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5"];
    let decoded = game(&texts);
    let passed: Vec<_> = decoded.plies.iter().filter(|ply| ply.san.is_none()).collect();
    let seen: Vec<_> = passed.iter().map(|ply| (ply.number, ply.status, ply.written[0].text.as_str())).collect();
    assert_eq!(seen, [(3, Status::Illegal, "Nf3"), (3, Status::Illegal, "Nc6")]);
    let moves: Vec<&str> = decoded.plies.iter().filter_map(|ply| ply.san.as_deref()).collect();
    assert_eq!(moves, ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5"]);
    assert!(decoded.plies.iter().enumerate().all(|(i, ply)| ply.ply == i + 1));
}

#[test]
fn a_second_game_on_the_sheet_is_not_a_part_of_the_first() {
    let first =
        ["e4", "d5", "exd5", "Qxd5", "Nc3", "Qa5", "d4", "c6", "Nf3", "Bg4", "Bf4", "e6", "h3", "Bxf3", "Qxf3", "Nf6"];
    let second = [
        "e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "c3", "Nf6", "d4", "exd4", "cxd4", "Bb4+", "Nc3", "Nxe4", "O-O",
        "Nxc3", "bxc3", "Bxc3",
    ];
    let decoded = game(&[&first[..], &second].concat());
    assert_eq!(sans(&decoded)[..16], first);
    let rest = &decoded.plies[16..];
    assert!(rest.len() == 18 && rest.iter().all(|ply| ply.san.is_none() && ply.status == Status::Illegal));
    assert_eq!(rest[0].written[0].text, "e4");
    assert!(decoded.warnings.iter().any(|warning| warning.starts_with("Another game begins at move 9 ")));
}

#[test]
fn behind_rows_that_are_not_in_the_photos_nothing_is_guessed() {
    let mut rows = sheet(&["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Rfe1", "Qc7", "Nd5", "Qd8"]);
    rows[3..].iter_mut().for_each(|row| row.number += 4);
    let decoded = decode(&rows, &alphabet(), &Options::default()).unwrap();
    assert_eq!(sans(&decoded), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "-", "-", "-", "-"]);
    assert!(decoded.plies[..6].iter().all(|ply| ply.status == Status::Clear));
    for ply in &decoded.plies[6..] {
        assert_eq!(ply.status, Status::Unread);
    }
    let (first, said) = (&decoded.plies[6], &decoded.warnings);
    assert_eq!((first.number, first.written[0].text.as_str()), (8, "Rfe1"));
    assert!(said.len() == 1 && said[0].starts_with("Moves 4 to 7 are not in the photos"), "{said:?}");
    // Few rows the rest of the game tells.
    rows[3..].iter_mut().for_each(|row| row.number -= 3);
    assert!(decode(&rows, &alphabet(), &Options::default()).unwrap().warnings.iter().all(|w| !w.contains("photos")));
}

#[test]
fn an_empty_sheet_is_an_empty_game() {
    let decoded = game(&["", "", "", ""]);
    assert!(decoded.plies.is_empty() && decoded.result == "*");
    assert!(decode(&[], &alphabet(), &Options::default()).unwrap().plies.is_empty());
}

#[test]
fn what_is_written_twice_is_passed_over_and_called_so() {
    let moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5", "Bb3", "d6"];
    for (at, count) in [(5, 1), (6, 1), (6, 2), (7, 2)] {
        let decoded = game(&[&moves[..at + count], &moves[at..]].concat());
        let (played, passed): (Vec<&Ply>, Vec<&Ply>) = decoded.plies.iter().partition(|ply| ply.san.is_some());
        assert_eq!(played.iter().filter_map(|ply| ply.san.as_deref()).collect::<Vec<_>>(), moves, "{at}, {count}");
        let twice = |ply: &&Ply| ply.reason.as_deref().is_some_and(|reason| reason.contains("written twice"));
        assert!(passed.len() == count && passed.iter().all(twice), "{passed:?}");
    }
}

#[test]
fn pieces_told_by_their_letters_alone_are_found() {
    let decoded = game(&["e4", "d5", "PxP", "QxP", "Nc3", "Qa5", "d4", "c6", "Nf3", "Bg4", "Bf4", "e6"]);
    assert_eq!(sans(&decoded)[2..4], ["exd5", "Qxd5"]);
    assert_eq!((decoded.plies[2].status, language(&decoded)), (Status::Clear, "en"), "{:?}", decoded.plies[2]);
}

#[test]
fn a_promotion_without_its_piece_is_told_by_what_the_piece_does() {
    let start = "8/P5pk/8/8/8/8/7K/8 w - - 0 1".parse().ok();
    let decode = |texts: &[&str]| {
        decode(&sheet(texts), &alphabet(), &Options { start: start.clone(), ..Options::default() }).unwrap()
    };
    let knight = decode(&["a8", "g5", "Nb6", "Kg6", "Nd5", "Kf5", "Ne3+", "Ke4"]);
    assert_eq!(sans(&knight)[..3], ["a8=N", "g5", "Nb6"]);
    let ply = &knight.plies[0];
    assert_eq!(ply.status, Status::Repaired);
    assert!(ply.reason.as_deref().is_some_and(|reason| reason.starts_with("written a8, ")), "{ply:?}");
    assert_eq!(sans(&decode(&["a8", "g5", "Qe4+", "Kg7"]))[0], "a8=Q");
}

#[test]
fn moves_of_one_player_alone_are_told() {
    let moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "OO", "f6", "d4", "exd4", "Nxd4", "c5", "Nb3"];
    let blank = |from: usize| {
        let text = |at: usize| if at >= from && at % 2 == 1 { "" } else { moves[at] };
        game(&(0..moves.len()).map(text).collect::<Vec<_>>())
    };
    let told = |decoded: &Decoded| decoded.warnings.iter().filter(|w| w.contains("are not written")).count();
    let decoded = blank(7);
    assert!(
        decoded.warnings.iter().any(|w| w.starts_with("Black's moves 4 to 7 are not written. ")),
        "{:?}",
        decoded.warnings
    );
    assert!(decoded.plies.iter().skip(7).step_by(2).all(|ply| ply.status == Status::Inferred));
    assert_eq!(told(&blank(11)), 0, "two blank cells");
}

#[test]
fn ink_behind_the_end_is_one_warning() {
    let texts = ["e4", "e5", "Qh5", "Ke7", "Qxe5#", "", "", "Kh", "R", "", "B", "", "N", "", "K", "h"];
    let decoded = game(&texts);
    assert_eq!(decoded.plies.len(), 5, "{:?}", sans(&decoded));
    let about_ink: Vec<&String> = decoded.warnings.iter().filter(|w| w.starts_with("Ink behind")).collect();
    assert_eq!(about_ink.len(), 1, "{:?}", decoded.warnings);
    assert!(about_ink[0].contains("4... Kh") && about_ink[0].contains("and 2 more"), "{about_ink:?}");
}

#[test]
fn a_third_repetition_is_told_once() {
    let knights = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let decoded = game(&[&knights[..], &knights, &knights, &["e4", "e5"]].concat());
    let told: Vec<&String> = decoded.warnings.iter().filter(|w| w.contains("third time")).collect();
    assert_eq!(
        told,
        ["After move 4 of Black a position stands on the board for the third time: a draw could be claimed."]
    );
}

#[test]
fn marks_beside_moves_are_kept_out_of_them() {
    let decoded = game(&["1:O5e4", "e5", "Nf3!", "Nc6", "Bb5", "a6(=)", "Bxc6", "dxc6", "OO", "f6", "d4", "exd4"]);
    assert_eq!(sans(&decoded)[..6], ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]);
    assert_eq!((decoded.plies[0].clock.as_deref(), decoded.plies[0].status), (Some("1:05:00"), Status::Clear));
    assert_eq!(decoded.plies[2].nag, Some(1));
    assert!(decoded.plies[5].draw_offer);
}

/// A game in which one sign of one cell may be another one as well.
fn game_between(texts: &[&str], cell: usize, sign: usize, other: char, share: f32) -> Decoded {
    let mut rows = sheet(texts);
    let row = &mut rows[cell / 2];
    let reading = if cell.is_multiple_of(2) { &mut row.white[0] } else { &mut row.black[0] }.reading.as_mut().unwrap();
    let (own, other) = (texts[cell].chars().nth(sign).unwrap(), other);
    // Every sign has a step of its own, with a blank behind it.
    let step = 2 * sign * reading.classes;
    reading.log_probs[step + alphabet().class(own).unwrap()] = (0.998 * (1.0 - share)).ln();
    reading.log_probs[step + alphabet().class(other).unwrap()] = (0.998 * share).ln();
    decode(&rows, &alphabet(), &Options::default()).unwrap()
}

#[test]
fn what_people_play_breaks_a_tie_and_does_not_outvote_clear_ink() {
    // A knight on the rim or the usual move; both fit the rest.
    let texts = ["e4", "e5", "Nf3", "Na6", "d3", "d6", "Be2", "Be7", "OO", "Nf6"];
    let tied = game_between(&texts, 3, 1, 'c', 0.5);
    assert_eq!(sans(&tied)[3], "Nc6");
    let all_but_sure = game_between(&texts, 3, 1, 'c', 0.003);
    assert_eq!(sans(&all_but_sure)[3], "Na6", "{:?}", all_but_sure.plies[3]);
    let sure = game(&texts);
    assert_eq!((sans(&sure)[3], sure.plies[3].status), ("Na6", Status::Clear), "{:?}", sure.plies[3]);
}

#[test]
fn clear_ink_of_moves_that_nobody_would_play_stands() {
    // The queen is left hanging for two moves and not taken; rooks and kings walk about.
    let texts =
        ["e4", "e5", "Qg4", "h6", "Qf5", "Rh7", "Qf6", "Na6", "a3", "Nb8", "Ra2", "a5", "Ra1", "Ra6", "Ke2", "Ra8"];
    let decoded = game(&texts);
    assert_eq!(sans(&decoded), texts);
    assert!(decoded.plies[..12].iter().all(|ply| ply.status == Status::Clear), "{:?}", decoded.plies);
}

#[test]
fn a_search_that_goes_on_from_another_finds_what_one_from_the_start_finds() {
    let moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "OO", "f6", "d4", "exd4", "Nxd4", "c5", "Nb3"];
    let mut texts: Vec<&str> = moves.to_vec();
    (texts[4], texts[7], texts[10]) = ("Kh8", "O-O-O", "Qa1");
    let rows = sheet(&texts);
    let begin = || {
        let groundwork = Groundwork::new(&rows, &alphabet(), &Options::default());
        decode_with(&rows, &groundwork, &Options::default()).unwrap();
        groundwork
    };
    let played = |slot: usize, san: &str| {
        (slot, SettledSlot { cell: Some(SettledCell::Move(san.to_owned())), ..SettledSlot::default() })
    };
    let nothing = |slot: usize| (slot, SettledSlot { cell: Some(SettledCell::NoMove), ..SettledSlot::default() });
    let missing =
        |slot: usize, san: &str| (slot, SettledSlot { omitted: vec![Some(san.to_owned())], ..SettledSlot::default() });
    let open =
        |slots: &[(usize, SettledSlot)]| Settled { slots: slots.iter().cloned().collect(), ..Settled::default() };
    let ended = |end| Settled { end: Some(end), ..open(&[played(4, "Bb5")]) };
    let corrections = [
        open(&[played(10, "d4")]),
        open(&[played(4, "Bb5"), played(10, "d4")]),
        open(&[played(4, "Bc4"), played(10, "d4")]),
        open(&[played(4, "Bc4")]),
        open(&[played(4, "Bb5"), played(7, "bxc6")]),
        open(&[played(7, "Rh3")]),
        open(&[nothing(7)]),
        open(&[missing(8, "Nc3"), nothing(10)]),
        ended(11),
        ended(13),
        open(&[played(14, "Nb3")]),
        Settled::default(),
    ];
    let groundwork = begin();
    for settled in corrections {
        let options = Options { settled, ..Options::default() };
        let outcome = |groundwork| format!("{:?}", decode_with(&rows, groundwork, &options));
        assert_eq!(outcome(&groundwork), outcome(&begin()), "{:?}", options.settled);
    }
}

#[test]
fn a_move_whose_row_no_photo_shows_is_inferred() {
    let texts = ["d4", "d5", "c4", "e6", "Nc3", "Nf6", "Bg5", "Be7", "e3", "O-O", "Nf3", "Nbd7"];
    let mut rows = sheet(&texts);
    (rows[0].white, rows[0].black) = (Vec::new(), Vec::new());
    let decoded = decode(&rows, &alphabet(), &Options::default()).unwrap();
    assert_eq!(sans(&decoded)[2..], texts[2..]);
    for ply in &decoded.plies[..2] {
        assert_eq!((ply.status, ply.written.len()), (Status::Inferred, 0));
        assert!(ply.reason.as_deref().is_some_and(|reason| reason.starts_with("its row is not in the photo")));
    }
}

#[test]
fn a_row_in_which_the_moves_of_a_later_one_stand_too_is_found_by_a_wider_search() {
    let moves = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7 Nbd2 cxd4 cxd4 Nc6 Nb3 a5 \
        Be3 a4 Nbd2 Bd7 Rc1 Qb7 Nf1 Rfe8 Ng3 Rac8 dxe5 dxe5 Bb1 Be6 Qe2 h6 Nh4 Bf8 Nhf5 Kh7";
    let played: Vec<&str> = moves.split_whitespace().collect();
    let mut texts = played.clone();
    texts.copy_within(38..40, 28);
    let decoded = game(&texts);
    assert_eq!(sans(&decoded), played);
    assert!(decoded.plies[28..30].iter().all(|ply| ply.status == Status::Repaired), "{:?}", &decoded.plies[28..30]);
}
