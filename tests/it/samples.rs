//! The samples of this repository, read by the program as a user runs it.

use crate::util::{labels, sample, scoresheet};
use scoresheet::game::{Colour, Game};
use scoresheet::pgn;
use std::process::Output;

fn read(args: &[&str]) -> (Output, Game) {
    let paths: Vec<String> = args
        .iter()
        .map(|arg| if arg.starts_with("--") { (*arg).to_owned() } else { sample(arg).display().to_string() })
        .collect();
    let mut all = vec!["read".to_owned(), "--json".to_owned()];
    all.extend(paths);
    let out = scoresheet(&all);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let game = serde_json::from_slice(&out.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}; {said}"));
    (out, game)
}

/// Moves of the sample's truth that the program has at their place, and their number.
fn right(game: &Game, name: &str) -> (usize, usize) {
    let truth = std::fs::read_to_string(sample(&format!("{name}.pgn"))).unwrap();
    let played = pgn::read_main_line(&truth).unwrap();
    let read = pgn::read_main_line(&game.pgn).unwrap();
    (played.iter().zip(&read).filter(|(a, b)| a == b).count(), played.len())
}

/// The result in the sample's truth.
fn result(name: &str) -> String {
    let truth = std::fs::read_to_string(sample(&format!("{name}.pgn"))).unwrap();
    let tag = truth.lines().find_map(|line| line.strip_prefix("[Result \"")).unwrap();
    tag.trim_end_matches("\"]").to_owned()
}

#[test]
fn sheets_are_read() {
    let mut sum = (0, 0);
    for name in [
        "english-scan",
        "english-shadow",
        "long-game",
        "german",
        "french",
        "spanish",
        "corrections",
        "sideways",
        "table-perspective",
        "pencil-inside",
    ] {
        let (_, game) = read(&[&format!("{name}.jpg")]);
        let (right, of) = right(&game, name);
        println!("{name}: {right} of {of}");
        assert_eq!(game.result, result(name), "{name}: the result that is marked below the table");
        // A floor for each sheet, and a higher one for all together.
        assert!(right * 100 >= of * 75, "{name}: {right} of {of} moves");
        sum = (sum.0 + right, sum.1 + of);
    }
    assert!(sum.0 * 100 >= sum.1 * 98, "{} of {} moves of all samples", sum.0, sum.1);
}

#[test]
fn a_game_in_a_notebook_is_read() {
    let (_, game) = read(&["notebook.jpg"]);
    let (right, of) = right(&game, "notebook");
    assert!(right * 100 >= of * 85, "{right} of {of} moves");
    assert!(game.warnings.iter().any(|warning| warning.contains("no ruled rows")), "{:?}", game.warnings);
}

#[test]
fn moves_that_run_on_in_lines_are_read() {
    let (_, game) = read(&["running-text.jpg"]);
    let (right, of) = right(&game, "running-text");
    assert!(right * 100 >= of * 85, "{right} of {of} moves");
    assert!(game.warnings.iter().any(|warning| warning.contains("run on in lines")), "{:?}", game.warnings);
    // Each move has its own place in the photo, however far from the next one it stands.
    let cells = game.plies.iter().flat_map(|ply| &ply.written);
    let sizes = cells.map(|cell| [cell.quad[2][0] - cell.quad[0][0], cell.quad[2][1] - cell.quad[0][1]]);
    let page = &game.sheets[0].pages[0];
    for [wide, tall] in sizes {
        assert!(wide > 0.0 && wide < page.width as f32 / 4.0 && tall > 0.0 && tall < page.height as f32 / 10.0);
    }
}

#[test]
fn a_phone_s_own_format_is_read() {
    let (_, game) = read(&["phone.heic"]);
    let (right, of) = right(&game, "german");
    assert!(right * 100 >= of * 98, "{right} of {of} moves");
}

#[test]
fn the_exit_status_says_whether_to_look() {
    let (out, game) = read(&["corrections.jpg"]);
    let to_review = game.plies.iter().any(|ply| ply.status != scoresheet::game::Status::Clear);
    assert_eq!(out.status.code(), Some(i32::from(to_review)));
}

#[test]
fn piece_letters_tell_the_language() {
    for (name, language) in [("german", "de"), ("french", "fr"), ("spanish", "es"), ("long-game", "en")] {
        let (_, game) = read(&[&format!("{name}.jpg")]);
        assert_eq!(game.sheets[0].language.as_deref(), Some(language), "{name}");
    }
}

#[test]
fn what_is_written_is_told_apart_from_what_was_played() {
    // White wrote 17...Qh5 where Qh4 was played.
    let (_, game) = read(&["both-players-white.jpg"]);
    let ply = game.plies.iter().find(|ply| ply.ply == 34).unwrap();
    assert_eq!(ply.san.as_deref(), Some("Qh4"));
    assert_ne!(ply.status, scoresheet::game::Status::Clear);
    let label = labels("both-players")
        .into_iter()
        .find(|label| label.page == "both-players-white.jpg" && label.number == 17 && label.colour == "black");
    assert_eq!(ply.written[0].text, label.unwrap().written);
}

#[test]
fn both_sheets_and_both_pages_make_one_game() {
    let (_, game) = read(&["--white", "both-players-white.jpg", "--black", "both-players-black.jpg"]);
    assert_eq!(game.sheets.len(), 2);
    let (found, of) = right(&game, "both-players");
    assert!(found * 100 >= of * 95, "both players: {found} of {of}");
    let (_, game) = read(&["two-pages-1.jpg", "two-pages-2.jpg"]);
    assert_eq!(game.sheets[0].pages.len(), 2);
    let (found, of) = right(&game, "two-pages");
    assert!(found * 100 >= of * 95, "two pages: {found} of {of}");
}

#[test]
fn the_other_player_s_sheet_is_told_from_a_further_page_and_from_another_game() {
    let (_, game) = read(&["both-players-white.jpg", "both-players-black.jpg"]);
    assert_eq!(game.sheets.len(), 2, "nobody said whose sheet is whose");
    let (found, of) = right(&game, "both-players");
    assert!(found * 100 >= of * 95, "both players: {found} of {of}");
    let (_, game) = read(&["english-scan.jpg", "german.jpg"]);
    let alone = read(&["english-scan.jpg"]).1;
    assert_eq!(right(&game, "english-scan"), right(&alone, "english-scan"));
    assert_eq!(game.plies.len(), alone.plies.len(), "nothing of the other game");
    assert!(game.warnings.iter().any(|warning| warning.contains("another game")), "{:?}", game.warnings);
}

#[test]
fn a_sheet_of_another_game_given_as_black_s_is_left_out() {
    let (_, game) = read(&["--white", "german.jpg", "--black", "french.jpg"]);
    let (found, of) = right(&game, "german");
    assert!(found * 100 >= of * 95, "German: {found} of {of}");
    assert!(game.warnings.iter().any(|warning| warning.starts_with("french.jpg: it shows another game")));
}

#[test]
fn what_goes_on_from_an_unknown_position_is_given_as_written() {
    let (_, game) = read(&["two-pages-2.jpg"]);
    assert!(game.plies.iter().all(|ply| ply.san.is_none()), "no move of it can be checked");
    assert!(game.warnings.iter().any(|warning| warning.contains("given as written")), "{:?}", game.warnings);
    let labels = labels("two-pages").into_iter().filter(|label| label.page == "two-pages-2.jpg");
    let (mut found, mut of) = (0, 0);
    for label in labels {
        let is_white = label.colour == "white";
        let ply = game.plies.iter().find(|ply| ply.number == label.number && (ply.colour == Colour::White) == is_white);
        let written = ply.map(|ply| ply.written[0].text.as_str());
        of += 1;
        found += usize::from(written == Some(label.written.as_str()));
    }
    assert!(found * 100 >= of * 80, "{found} of {of}");
    let half = read(&["bad/half-sheet.jpg"]).1;
    assert!(half.warnings.iter().any(|warning| warning.contains("starts at move 31")), "{:?}", half.warnings);
}

#[test]
fn tables_that_share_no_rows_are_read_one_after_the_other() {
    let pages = ["two-pages-1.jpg", "two-pages-2.jpg"].map(|name| image::open(sample(name)).unwrap().to_luma8());
    let (width, height) = pages[0].dimensions();
    for down in [0, 90] {
        // The second page beside the first, level with it or lower.
        let mut both = image::GrayImage::from_pixel(2 * width, height + down, image::Luma([120]));
        image::imageops::replace(&mut both, &pages[0], 0, 0);
        image::imageops::replace(&mut both, &pages[1], i64::from(width), i64::from(down));
        // Paper between the sheets: they are not told apart by what they lie on.
        let between =
            (width - width / 16..width + width / 6).flat_map(|x| (height / 5 * 2..height / 2).map(move |y| (x, y)));
        between.for_each(|(x, y)| both.put_pixel(x, y, image::Luma([205])));
        let path = std::env::temp_dir().join(format!("scoresheet-two-tables-{down}-{}.png", std::process::id()));
        both.save(&path).unwrap();
        let (_, game) = read(&[path.to_str().unwrap()]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(game.sheets[0].pages.len(), 1);
        assert_eq!(game.sheets[0].pages[0].rows, 80);
        let (found, of) = right(&game, "two-pages");
        assert!(found * 100 >= of * 95, "{down} pixels lower: {found} of {of}");
    }
}

#[test]
fn inspect_draws_its_pictures() {
    let dir = std::env::temp_dir().join(format!("scoresheet-inspect-{}", std::process::id()));
    let photo = sample("english-scan.jpg");
    let out = scoresheet(&["inspect".as_ref(), photo.as_os_str(), "--out".as_ref(), dir.as_os_str()]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for part in ["page", "grid", "cells"] {
        let path = dir.join(format!("english-scan-{part}.png"));
        assert!(image::image_dimensions(&path).is_ok(), "{}", path.display());
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
