//! Accuracy on real sheets, where they are at hand: floors a little under the figures in the README.

use crate::util::{real_sheets, root};
use scoresheet::eval::{Dataset, evaluate};
use scoresheet::pipeline::ReadOptions;
use scoresheet::pipeline::recognise::TractRecogniser;
use std::process::Command;

/// Reads the first games of the validation split and holds the figures against their floors.
fn floors(set: &str, limit: usize, reader_exact: f64, mra: f64, false_clear_per_1000: f64) {
    let Some(dir) = real_sheets(set) else { return };
    let mut dataset = Dataset::open(&dir, false).unwrap();
    dataset.select(Some(6), Some(limit));
    let recogniser = TractRecogniser::embedded().unwrap();
    let figures = evaluate(&dataset, &recogniser, &ReadOptions::default(), &mut |line| println!("{line}")).unwrap();
    println!("{figures:?}");
    assert_eq!(figures.sheets, limit.min(figures.sheets));
    assert_eq!(figures.unread, 0);
    assert!(figures.reader_exact.unwrap() >= reader_exact, "reader_exact {:?}", figures.reader_exact);
    assert!(figures.mra.unwrap() >= mra, "mra {:?}", figures.mra);
    assert!(figures.false_clear_per_1000.unwrap() <= false_clear_per_1000);
}

#[test]
fn phone_photos() {
    // The last false clear within this limit is a wrong label: 012 writes Rxf8++, which was played.
    floors("hcs", 16, 0.900, 0.970, 16.6);
}

#[test]
fn scans() {
    floors("epfl", 9, 0.950, 0.987, 1.6);
}

#[test]
fn the_scorer_and_eval_agree() {
    let scorer = root().join("../shared/tools/score.py");
    let Some(dir) = real_sheets("epfl").filter(|_| scorer.exists()) else { return };
    let scored = std::env::temp_dir().join(format!("scoresheet-score-{}.json", std::process::id()));
    let run = Command::new("python3")
        .arg(&scorer)
        .arg(&dir)
        .args(["--only", "12.jpg", "--bin", env!("CARGO_BIN_EXE_scoresheet"), "--json"])
        .arg(&scored)
        .output();
    let Ok(run) = run else {
        eprintln!("skipped: python3 is not on this machine");
        return;
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let theirs: serde_json::Value = serde_json::from_slice(&std::fs::read(&scored).unwrap()).unwrap();
    std::fs::remove_file(&scored).unwrap();
    let mut dataset = Dataset::open(&dir, false).unwrap();
    // Of the games whose number divides by 12 the first is 12 itself.
    dataset.select(Some(12), Some(1));
    let recogniser = TractRecogniser::embedded().unwrap();
    let ours = evaluate(&dataset, &recogniser, &ReadOptions::default(), &mut |_| ()).unwrap();
    let ours = serde_json::to_value(&ours).unwrap();
    for figure in [
        "sheets",
        "unread",
        "cells",
        "reader_exact",
        "plies",
        "mra",
        "interruption",
        "mra_after_review",
        "false_clear_per_1000",
        "whole_games",
        "zero_touch",
        "extra_plies",
        "calibration_error",
    ] {
        let (a, b) = (theirs["total"][figure].as_f64(), ours[figure].as_f64());
        assert!(a.is_some() && a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 2e-4), "{figure}: {a:?} and {b:?}");
    }
}
