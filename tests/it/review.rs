//! Corrections: what a person says is held to, and the rest of the game follows.

use crate::fake::{BarReader, Form};
use crate::pipeline::{moves, sheet};
use scoresheet::decode::Options;
use scoresheet::error::Error;
use scoresheet::game::{Colour, ResultOrigin, ResultSource, Status};
use scoresheet::pipeline::{Ink, ReadOptions, read_ink};
use scoresheet::review::{Pin, Reviewed, game};

fn ink(moves: Vec<String>) -> Ink {
    let form = Form { pairs: 2, rows: 14, tilt: 0.0, moves, first_number: 1 };
    read_ink(&[sheet(&form.photograph())], &BarReader::new(&form), &ReadOptions::default()).unwrap()
}

fn review(ink: &Ink, pins: &[Pin]) -> Reviewed {
    game(ink, pins, &Options::default()).unwrap()
}

fn sans(reviewed: &Reviewed) -> Vec<&str> {
    reviewed.game.plies.iter().map(|ply| ply.san.as_deref().unwrap_or("-")).collect()
}

fn put(number: u32, colour: Colour, san: &str) -> Pin {
    Pin::Move { number, colour, san: san.to_owned() }
}

#[test]
fn a_move_that_was_put_right_is_kept_and_undone() {
    let mut wrong = moves();
    wrong[20] = "a1".to_owned();
    let ink = ink(wrong);
    let before = review(&ink, &[]);
    assert_ne!(before.game.plies[20].status, Status::Clear);
    let cell = before.cells[20];
    assert_eq!((cell.number, cell.colour, cell.omitted), (11, Colour::White, false));
    for spelling in ["c4", "c3c4", "c3-c4"] {
        let after = review(&ink, &[put(11, Colour::White, spelling)]);
        assert_eq!(sans(&after), moves(), "{spelling}");
        let ply = &after.game.plies[20];
        assert_eq!((ply.status, ply.reason.as_deref()), (Status::Clear, Some("set by hand")));
        assert!(ply.confidence > 0.99 && after.game.pgn.contains("11. c4"), "{}", after.game.pgn);
        assert!(after.game.plies.iter().all(|ply| ply.status == Status::Clear), "nothing is left to look at");
    }
    let mut undone = review(&ink, &[]);
    undone.game.timing_ms = before.game.timing_ms.clone();
    assert_eq!(undone, before);
}

#[test]
fn to_confirm_a_move_makes_no_other_less_certain() {
    let mut wrong = moves();
    for at in [8, 13, 20, 21, 27] {
        wrong[at] = "O-O-O".to_owned();
    }
    let ink = ink(wrong);
    let before = review(&ink, &[]);
    let unclear: Vec<usize> =
        (0..before.game.plies.len()).filter(|&at| before.game.plies[at].status != Status::Clear).collect();
    assert!(unclear.len() > 3, "{unclear:?}");
    for &at in &unclear {
        let (cell, san) = (before.cells[at], before.game.plies[at].san.clone().unwrap());
        let after = review(&ink, &[put(cell.number, cell.colour, &san)]);
        for (ply, earlier) in after.game.plies.iter().zip(&before.game.plies) {
            assert!(ply.confidence >= earlier.confidence, "{san} confirmed: {earlier:?} became {ply:?}");
        }
    }
}

#[test]
fn the_last_pin_about_a_cell_counts() {
    let ink = ink(moves());
    let after = review(&ink, &[put(22, Colour::Black, "Na4"), put(22, Colour::Black, "Qg6")]);
    assert_eq!(sans(&after).last(), Some(&"Qg6"));
}

#[test]
fn ink_that_is_no_move_is_passed_over() {
    let mut longer = moves();
    longer.insert(10, "Nc3".to_owned());
    longer.insert(11, "Nc6".to_owned());
    let ink = ink(longer);
    let pins = [Colour::White, Colour::Black].map(|colour| Pin::NotAMove { number: 6, colour });
    let after = review(&ink, &pins);
    assert_eq!(sans(&after), moves());
    assert!(after.game.plies.iter().all(|ply| ply.status == Status::Clear));
}

#[test]
fn moves_left_out_are_put_in() {
    let mut shorter = moves();
    let left_out: Vec<String> = shorter.drain(12..14).collect();
    let ink = ink(shorter);
    let missing = |san: Option<&str>| Pin::Missing { number: 7, colour: Colour::White, san: san.map(str::to_owned) };
    let named = review(&ink, &[missing(Some(&left_out[0])), missing(Some(&left_out[1]))]);
    assert_eq!(sans(&named), moves());
    assert!(named.cells[12].omitted && named.cells[13].omitted && !named.cells[14].omitted);
    assert_eq!(named.game.plies[12].status, Status::Clear);
    let unnamed = review(&ink, &[missing(None), missing(None)]);
    assert_eq!(unnamed.game.plies.len(), 44);
    assert_eq!(unnamed.game.plies[12].status, Status::Inferred);
    let candidates = &unnamed.game.plies[12].candidates;
    assert!(candidates.iter().any(|candidate| candidate.san == left_out[0]), "{candidates:?}");
}

#[test]
fn the_game_ends_where_it_is_said_to() {
    let ink = ink(moves());
    let pins = [
        Pin::End { number: 20, colour: Colour::White },
        Pin::Result { result: "1-0".to_owned() },
        Pin::Header { name: "White".to_owned(), value: "\"Noa\" ] [Event \\".to_owned() },
    ];
    let after = review(&ink, &pins);
    assert_eq!(sans(&after), &moves()[..39]);
    assert_eq!(after.game.result, "1-0");
    let origin = ResultOrigin { source: ResultSource::Person, confidence: None };
    assert_eq!(after.game.result_origin, Some(origin));
    assert!(after.game.pgn.contains("[White \"\\\"Noa\\\" ] [Event \\\\\"]"), "{}", after.game.pgn);
}

#[test]
fn pins_that_contradict_the_rules_say_so() {
    let ink = ink(moves());
    for (pins, word) in [
        (vec![put(1, Colour::White, "Qh7")], "Move 1, White: Qh7 is not possible"),
        (vec![put(3, Colour::White, "<script>")], "Move 3, White"),
        (vec![put(99, Colour::White, "e4")], "no row 99"),
        (vec![Pin::Result { result: "2-0".to_owned() }], "no result"),
        (vec![Pin::Header { name: "a b".to_owned(), value: String::new() }], "no tag"),
        (
            vec![Pin::Missing { number: 1, colour: Colour::White, san: Some("Kd4".to_owned()) }],
            "Kd4 before it is not possible",
        ),
    ] {
        match game(&ink, &pins, &Options::default()) {
            Err(Error::Pin(sentence)) => assert!(sentence.contains(word), "{sentence}"),
            Ok(other) => panic!("{pins:?}: {}", other.game.pgn),
            Err(other) => panic!("{pins:?}: {other}"),
        }
    }
}
