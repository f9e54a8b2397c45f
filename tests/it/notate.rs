//! `scoresheet notate` as it is called.

use crate::util::scoresheet;
use std::io::Write;
use std::process::{Command, Stdio};

/// What is printed, what is said, and the exit status.
fn notate(args: &[&str]) -> (String, String, Option<i32>) {
    said(scoresheet(&[&["notate"], args].concat()))
}

/// The same with the moves on standard input.
fn notate_input(args: &[&str], input: &[u8]) -> (String, String, Option<i32>) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    program.arg("notate").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("the program starts");
    child.stdin.take().unwrap().write_all(input).unwrap();
    said(child.wait_with_output().unwrap())
}

fn said(out: std::process::Output) -> (String, String, Option<i32>) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(out.stdout), text(out.stderr), out.status.code())
}

fn converted(args: &[&str]) -> String {
    let (out, error, status) = notate(args);
    assert_eq!((error.as_str(), status), ("", Some(0)), "{args:?}");
    out.trim_end().to_owned()
}

/// The sentence with which moves are refused; something may have been printed before it.
fn refused(args: &[&str]) -> String {
    let (_, error, status) = notate(args);
    assert_eq!((error.lines().count(), status), (1, Some(2)), "{args:?}: {error}");
    error
}

#[test]
fn the_letters_of_the_named_language_are_read() {
    let rook = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
    assert_eq!(converted(&["--from", "fr", "--fen", rook, "Rd1"]), "1. Kd1");
    assert_eq!(converted(&["--from", "nl", "e4 Pc6"]), "1. e4 Nc6");
    assert_eq!(converted(&["--from", "ru", "--fen", "4k3/8/8/8/8/8/3K4/1N6 w - - 0 1", "Кc3"]), "1. Nc3");
    assert!(refused(&["--from", "nl", "e4 Nc6"]).contains("Dutch"));
}

#[test]
fn names_of_notations_may_be_in_capitals() {
    assert_eq!(converted(&["--to", "ICCF", "e4"]), "1. 5254");
    assert_eq!(converted(&["--from", "Descriptive", "--to", "UCI", "P-K4"]), "1. e2e4");
    assert!(refused(&["--from", "xx", "e4"]).contains("no notation"));
}

#[test]
fn nothing_is_lost_in_brackets() {
    assert_eq!(converted(&["1. e4 {see (A} e5 2. Nf3"]), "1. e4 e5 2. Nf3");
    assert!(refused(&["1. e4 {see A e5 2. Nf3"]).contains("not closed"));
    let pawn = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
    for impossible in ["a8=K", "a8=P"] {
        assert!(refused(&["--fen", pawn, impossible]).contains("no legal move"));
    }
}

#[test]
fn retractions_begin_with_a_hyphen() {
    let king = "7k/8/8/4K3/8/8/8/8 b - - 0 9";
    let before = "Kf5xNe5\t7k/8/8/4nK2/8/8/8/8 w - - 0 9";
    assert_eq!(converted(&["--back", "-1. Kf5xNe5", "--fen", king]), before);
    assert_eq!(converted(&["--fen", king, "--back", "-1.", "Kf5xNe5"]), before);
    assert!(refused(&["--bakc", "Kf5xNe5"]).contains("no option"));
    let passant = "7k/8/8/8/8/6p1/8/K7 w - - 0 9";
    assert!(converted(&["--back", "--fen", passant, "f4xg3 e.p."]).ends_with("7k/8/8/8/5pP1/8/8/K7 b - g3 0 8"));
}

#[test]
fn a_pgn_of_two_games_gives_both() {
    let pgn =
        "\u{feff}[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - 0 1\"]\n\n1. Ra8+ Kd7 1/2-1/2\n\n[Event \"b\"]\n\n1. e4 ; {\nc5 *\n";
    let (out, error, status) = notate_input(&[], pgn.as_bytes());
    assert_eq!((out.as_str(), error.as_str(), status), ("1. Ra8+ Kd7\n\n1. e4 c5\n", "", Some(0)));
    let (out, error, status) = notate_input(&[], b"1. e4 *\n1. d4 Qd4");
    assert_eq!((out.as_str(), status), ("1. e4\n\n1. d4\n", Some(2)));
    assert!(error.contains("in game 2, after 1 half-move, \"Qd4\""), "{error}");
}

#[test]
fn bad_positions_and_encodings_get_a_sentence() {
    let said = refused(&["--fen", "8/8/8/8/8/8/8/8 w - - 0 1", "e4"]);
    assert!(said.contains("no position") && !said.contains(".."), "{said}");
    let (_, error, status) = notate_input(&[], b"e4 \xe9");
    assert!(error.contains("UTF-8"), "{error}");
    assert_eq!(status, Some(2));
}
