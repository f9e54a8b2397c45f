//! Tournament files: who played whom, in which round and at which board.

mod pgn;
mod table;
mod trf;

use super::finish::Finished;
use super::names::Hints;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// A game of the tournament.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairing {
    pub round: Option<u32>,
    pub board: Option<u32>,
    /// PGN tags by name: White, Black, Result, Event and so on, as far as the file says.
    pub tags: BTreeMap<String, String>,
    /// File and line.
    pub place: String,
}

/// Largest tournament file, in bytes.
const LARGEST: u64 = 64 << 20;

/// Reads a tournament file: PGN, FIDE TRF16, or a table with a line of headings (CSV, semicolons or tabs).
///
/// # Errors
/// [`Error::Open`] where it cannot be read, [`Error::Usage`] where no pairing is found in it.
pub fn load(path: &Path) -> Result<Vec<Pairing>> {
    let shown = path.display().to_string();
    let open = |cause| Error::Open { path: shown.clone(), cause };
    if std::fs::metadata(path).map_err(open)?.len() > LARGEST {
        return Err(Error::Usage(format!("{shown} is larger than {} MB. Give the tournament file.", LARGEST >> 20)));
    }
    let bytes = std::fs::read(path).map_err(open)?;
    let file = path.file_name().map_or(shown.clone(), |name| name.to_string_lossy().into_owned());
    let pairings = parse(&file, &text(&bytes));
    if pairings.is_empty() {
        return Err(Error::Usage(format!(
            "{shown}: no pairing was found. Give a PGN file, a FIDE TRF16 file, or a table whose first line names the columns Round, Board, White, Black and Result."
        )));
    }
    Ok(pairings)
}

/// UTF-8, or Latin-1 where it is not: many pairing programs still write that.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

fn parse(file: &str, text: &str) -> Vec<Pairing> {
    if text.lines().any(|line| line.trim_start().starts_with("[White \"")) {
        pgn::parse(file, text)
    } else if text.lines().any(|line| line.starts_with("001 ")) {
        trf::parse(file, text)
    } else {
        table::parse(file, text)
    }
}

/// `1-0`, `0-1` or `1/2-1/2` from the ways in which results are written; none for anything else.
fn result(text: &str) -> Option<&'static str> {
    let plain: String =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| if "–—:".contains(c) { '-' } else { c }).collect();
    match plain.trim_end_matches(['F', 'f', 'K', 'k']) {
        "1-0" | "+--" => Some("1-0"),
        "0-1" | "--+" => Some("0-1"),
        "1/2-1/2" | "½-½" | "0.5-0.5" | "0,5-0,5" | "1/2" | "½" => Some("1/2-1/2"),
        _ => None,
    }
}

/// For each game the pairing that the names of its photos point to, with the words for how; none where they point to
/// no pairing or several, and none where two games point to the same.
pub fn assign<'a>(games: &[Hints], pairings: &'a [Pairing]) -> Vec<Option<(&'a Pairing, &'static str)>> {
    let found: Vec<Option<(usize, &'static str)>> = games.iter().map(|hints| point(hints, pairings)).collect();
    let uses = |index: usize| found.iter().flatten().filter(|(other, _)| *other == index).count();
    found.iter().map(|point| point.filter(|&(index, _)| uses(index) == 1).map(|(i, by)| (&pairings[i], by))).collect()
}

/// What to say where games are not in the tournament file; none if all are, or there is no file.
pub(super) fn in_words(pairings: &[Pairing], games: &[Finished]) -> Option<String> {
    let read = games.iter().filter(|done| done.game.is_ok()).count();
    let paired = games.iter().filter(|done| done.game.is_ok() && done.paired).count();
    let file = pairings.first()?.place.rsplit_once(", ")?.0;
    match paired {
        0 if read > 0 => Some(format!(
            "No game was found in {file}, which has {}: name the photos by round and board, as r3-12.jpg, or by both players.",
            pairings.len()
        )),
        _ if paired < read => Some(format!("{paired} of {read} games were found in {file}.")),
        _ => None,
    }
}

fn point(hints: &Hints, pairings: &[Pairing]) -> Option<(usize, &'static str)> {
    let same = |ours: Option<u32>, theirs: Option<u32>| ours.is_none() || theirs.is_none() || ours == theirs;
    let fits = |pairing: &Pairing| same(hints.round, pairing.round) && same(hints.board, pairing.board);
    let only = |which: &dyn Fn(&Pairing) -> bool| {
        let mut indexes = (0..pairings.len()).filter(|&i| which(&pairings[i]));
        let index = indexes.next()?;
        indexes.next().is_none().then_some(index)
    };
    let named = |pairing: &Pairing, tag: &str| {
        pairing.tags.get(tag).is_some_and(|name| family_name(name).is_some_and(|name| hints.words.contains(&name)))
    };
    let both = |pairing: &Pairing| named(pairing, "White") && named(pairing, "Black");
    if let Some(index) = only(&|pairing| both(pairing) && fits(pairing)) {
        return Some((index, "the players in the photos' names"));
    }
    match (hints.round, hints.board) {
        (Some(_), Some(_)) => only(&|pairing| pairing.round == hints.round && pairing.board == hints.board)
            .map(|index| (index, "round and board in the photos' names")),
        // One number is enough where the file has but one round, or one board.
        (None, Some(_)) if pairings.iter().all(|pairing| pairing.round == pairings[0].round) => {
            only(&|pairing| pairing.board == hints.board).map(|index| (index, "the board in the photos' names"))
        }
        (Some(_), None) => {
            only(&|pairing| pairing.round == hints.round).map(|index| (index, "the round in the photos' names"))
        }
        _ => None,
    }
}

/// The family name in small letters, of `Family, Given` or `Given Family`; none if it is too short to tell.
fn family_name(name: &str) -> Option<String> {
    let family = match name.split_once(',') {
        Some((family, _)) => family,
        None => name.trim().rsplit(' ').next().unwrap_or_default(),
    };
    let family = family.trim().to_lowercase();
    (family.chars().count() > 2 && family.chars().all(char::is_alphabetic)).then_some(family)
}

#[cfg(test)]
mod tests {
    use super::super::names::hints;
    use super::*;

    const TABLE: &str = "Round;Board;White;Black;Result\n3;1;Weiß, Anna;Noir, Paul;1-0\n3;2;Berg, Eva;Thal, Jan;½-½\n\
                         4;1;\"Thal, Jan\";Noir, Paul;0-1\n";

    fn white_of(name: &str, pairings: &[Pairing]) -> Option<String> {
        assign(&[hints(name)], pairings)[0].map(|(pairing, _)| pairing.tags["White"].clone())
    }

    #[test]
    fn names_point_to_pairings_where_they_are_unambiguous() {
        let pairings = parse("open.csv", TABLE);
        assert_eq!(white_of("r3-b2-white.jpg", &pairings).as_deref(), Some("Berg, Eva"));
        assert_eq!(white_of("Round 4/sheet.jpg", &pairings).as_deref(), Some("Thal, Jan"));
        assert_eq!(white_of("berg-thal.jpg", &pairings).as_deref(), Some("Berg, Eva"));
        assert_eq!(white_of("Round 3/sheet.jpg", &pairings), None);
        assert_eq!(white_of("board 1.jpg", &pairings), None);
        assert_eq!(white_of("IMG_0003.jpg", &pairings), None);
        let twice = [hints("r3-b2.jpg"), hints("x/r3-b2.jpg")];
        assert_eq!(assign(&twice, &pairings), [None, None]);
    }

    #[test]
    fn every_kind_of_file_is_known_by_its_content() {
        let pgn = "[Event \"Open\"]\n[Round \"3.2\"]\n[White \"Berg, Eva\"]\n[Black \"Thal, Jan\"]\n[Result \"1/2-1/2\"]\n\n1. e4 *\n\n\
                   [Event \"Open\"]\n[Round \"4\"]\n[Board \"1\"]\n[White \"A \\\"B\\\" C\"]\n[Black \"D\"]\n\n*\n";
        let games = parse("open.pgn", pgn);
        assert_eq!((games.len(), games[0].round, games[0].board), (2, Some(3), Some(2)));
        assert_eq!((games[1].board, games[1].tags["White"].as_str()), (Some(1), "A \"B\" C"));
        assert_eq!(games[1].place, "open.pgn, line 9");
        let table = parse("open.csv", TABLE);
        assert_eq!(table[1].tags["Result"], "1/2-1/2");
        assert_eq!((table[2].round, table[2].place.as_str()), (Some(4), "open.csv, line 4"));
        assert!(parse("x.txt", "nothing of the kind\n").is_empty());
        let prose = "It takes a table (Round, White, Black, Result); games get their tags where the photos' names\n\
                     give round, board, players, and more of them, one by one.\n";
        assert!(parse("README.md", prose).is_empty());
    }

    #[test]
    fn results_are_known_in_all_spellings() {
        for (text, expected) in [
            ("1 : 0", "1-0"),
            ("½ - ½", "1/2-1/2"),
            ("0–1", "0-1"),
            ("+ - -", "1-0"),
            ("- - +", "0-1"),
            ("1-0F", "1-0"),
        ] {
            assert_eq!(result(text), Some(expected), "{text}");
        }
        assert_eq!(result("adj."), None);
    }
}
