//! Games as they go out: photos by their names, tags from names and tournament file, triage.

use super::event::{self, Pairing};
use super::games::{GameRecord, Picture};
use super::group::Group;
use super::names::Hints;
use super::pages::Seen;
use super::triage::{Triage, triage};
use super::walk::Found;
use super::{Pages, Settings, failed};
use crate::error::Error;
use crate::game::{Game, ResultOrigin, ResultSource};
use crate::pgn;
use crate::review;
use crate::unique::unique;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A game of the batch, or a file that is none.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Of its file; unique in the batch.
    pub name: String,
    /// Photos that were read for it.
    pub photos: Vec<String>,
    /// Photos of the same sheets, and further sheets, that were not.
    pub spare: Vec<String>,
    pub game: std::result::Result<Game, String>,
    /// Of the moves to look at, the worst first.
    pub(super) pictures: Vec<Picture>,
    pub triage: Triage,
    pub reason: String,
    pub tags: BTreeMap<String, Tag>,
    /// The tournament file has the game.
    pub paired: bool,
    pub notes: Vec<String>,
}

/// Where a PGN tag comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tag {
    pub value: String,
    /// The file and line, and by what it was matched; or the photos' names; or `sheet`; or `board`, where the rules end
    /// the game.
    pub source: String,
    /// From 0 to 1, for what was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
}

/// Names the games, sets their tags and judges them.
pub(super) fn finish(pages: &Pages, settings: &Settings, groups: &[Group], records: Vec<GameRecord>) -> Vec<Finished> {
    let hints: Vec<Hints> = groups.iter().map(|group| merged(group, pages)).collect();
    let pairings = event::assign(&hints, &settings.pairings);
    let mut taken = HashSet::new();
    let mut finished = Vec::new();
    for (((group, record), hints), pairing) in groups.iter().zip(records).zip(&hints).zip(pairings) {
        let used: Vec<usize> = group.sheets.iter().flatten().copied().collect();
        let name_of = |&page: &usize| pages.photos[page].name.clone();
        let mut sentence = |text: String| {
            used.iter().fold(text, |text, &page| text.replace(&pages.photos[page].hash, &pages.photos[page].name))
        };
        let game = record.game.map_err(&mut sentence).map(|mut game| {
            for page in game.sheets.iter_mut().flat_map(|sheet| &mut sheet.pages) {
                page.file = sentence(std::mem::take(&mut page.file));
            }
            game.warnings = game.warnings.into_iter().map(&mut sentence).collect();
            game
        });
        let note = record.note.map(&mut sentence);
        let late = used.first().is_some_and(|&page| pages.records[page].first >= super::group::LATE);
        let game = match (game, used.first()) {
            // Moves found from the first position cannot be those of a page that starts later.
            (Ok(game), Some(first)) if late && !review::is_a_transcript(&game) => {
                Err(Error::StartsLate { file: name_of(first), number: pages.records[*first].first }.to_string())
            }
            (game, _) => game,
        };
        let copies = used.iter().flat_map(|&page| pages.photos[page].copies.clone());
        let mut done = Finished {
            name: file_name(&name_of(used.first().unwrap_or(&0)), hints, &mut taken),
            photos: used.iter().map(name_of).collect(),
            spare: group.spare.iter().map(name_of).chain(copies).collect(),
            game,
            pictures: record.pictures,
            triage: Triage::C,
            reason: String::new(),
            tags: BTreeMap::new(),
            paired: pairing.is_some(),
            notes: group.notes.iter().cloned().chain(note).collect(),
        };
        let conflict = set_tags(&mut done, hints, pairing.as_ref());
        (done.triage, done.reason) = match &done.game {
            Ok(game) => triage(game),
            Err(sentence) => (Triage::C, sentence.clone()),
        };
        if let Some(conflict) = conflict {
            done.triage = done.triage.max(Triage::B);
            done.reason = format!("{}; {conflict}", done.reason);
        }
        finished.push(done);
    }
    finished
}

/// What the names of all photos of a game say together; what they contradict each other in is not known.
fn merged(group: &Group, pages: &Pages) -> Hints {
    let all: Vec<&Hints> = group.sheets.iter().flatten().map(|&page| &pages.hints[page]).collect();
    let agreed = |of: fn(&Hints) -> Option<u32>| {
        let mut values = all.iter().filter_map(|hints| of(hints));
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    };
    Hints {
        stem: all.first().map(|hints| hints.stem.clone()).unwrap_or_default(),
        is_part: all.iter().all(|hints| hints.is_part),
        round: agreed(|hints| hints.round),
        board: agreed(|hints| hints.board),
        keeper: None,
        page: None,
        words: all.iter().flat_map(|hints| hints.words.clone()).collect(),
    }
}

/// Sets the tags and says what the tournament file and the sheet do not agree in.
fn set_tags(done: &mut Finished, hints: &Hints, pairing: Option<&(&Pairing, &'static str)>) -> Option<String> {
    let Ok(game) = &mut done.game else { return None };
    let mut conflict = None;
    let mut set = |name: &str, value: &str, source: String, confidence: Option<f32>| {
        if !value.is_empty() {
            done.tags.insert(name.to_owned(), Tag { value: value.to_owned(), source, confidence });
        }
    };
    for (name, number) in [("Round", hints.round), ("Board", hints.board)] {
        number.iter().for_each(|number| set(name, &number.to_string(), "names of the photos".to_owned(), None));
    }
    if let Some(ResultOrigin { source, confidence }) = game.result_origin {
        let source = if source == ResultSource::Board { "board" } else { "sheet" };
        set("Result", &game.result, source.to_owned(), confidence);
    }
    if let Some((pairing, by)) = pairing {
        let source = format!("{}, matched by {by}", pairing.place);
        for (name, value) in &pairing.tags {
            set(name, value, source.clone(), None);
        }
        if let Some(result) = pairing.tags.get("Result").filter(|result| *result != "*") {
            if game.result != "*" && game.result != *result {
                conflict = Some(format!("the sheet was read as {}, the tournament file says {result}", game.result));
            }
            game.result.clone_from(result);
            game.result_origin = Some(ResultOrigin { source: ResultSource::Event, confidence: None });
        }
    }
    let tags = done.tags.iter().filter(|(name, _)| *name != "Result");
    game.headers.extend(tags.map(|(name, tag)| (name.clone(), tag.value.clone())));
    game.pgn = pgn::of_game(game);
    conflict
}

/// A file name for a game, from its first photo's: letters, digits, `-`, `_` and `.` only.
fn file_name(photo: &str, hints: &Hints, taken: &mut HashSet<String>) -> String {
    let stem = if hints.is_part { hints.stem.as_str() } else { photo.rsplit_once('.').map_or(photo, |(stem, _)| stem) };
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = stem.trim_matches('/').chars().map(safe).take(100).collect();
    let name = name.trim_matches(['.', '-']);
    let name = if name.is_empty() { "game" } else { name };
    unique(name, taken)
}

/// Adds the files that hold no page.
pub(super) fn add_unread(mut games: Vec<Finished>, found: &Found, seen: &HashMap<String, Seen>) -> Vec<Finished> {
    games.extend(failed(found, seen).into_iter().map(|(name, sentence)| Finished {
        name: name.to_owned(),
        photos: vec![name.to_owned()],
        spare: Vec::new(),
        game: Err(sentence.clone()),
        pictures: Vec::new(),
        triage: Triage::C,
        reason: sentence,
        tags: BTreeMap::new(),
        paired: false,
        notes: Vec::new(),
    }));
    games
}
