//! The files that a run leaves behind, each written as a whole.

use super::finish::Finished;
use super::store::{Store, write_whole};
use super::triage::{legal, to_look_at};
use super::walk::Found;
use super::written::Written;
use super::{Settings, Summary, report};
use crate::error::{Error, Result};
use crate::game::Game;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A line of games.jsonl.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    triage: char,
    reason: &'a str,
    photos: &'a [String],
    /// Photos of the same sheets that were not read.
    spare: &'a [String],
    notes: &'a [String],
    /// By tag: its value, and where that comes from.
    tags: &'a BTreeMap<String, super::Tag>,
    /// The contract of `read --json`; null where nothing was read.
    game: Option<&'a Game>,
}

/// Writes games/, event.pgn, games.csv, games.jsonl and report.html, and notes what people had changed in them.
pub fn write(settings: &Settings, store: &Store, summary: &mut Summary, found: &Found) -> Result<()> {
    let out = &settings.out;
    let mut written = Written::new(out, store);
    let mut event = Vec::new();
    for done in &summary.games {
        if let Ok(game) = &done.game {
            written.write(&format!("games/{}.pgn", done.name), game.pgn.as_bytes())?;
            event.push(game.pgn.as_str());
        }
    }
    written.write("event.pgn", event.join("\n").as_bytes())?;
    written.write("games.csv", csv(&summary.games).as_bytes())?;
    written.write("games.jsonl", &lines(&summary.games)?)?;
    summary.notes.extend(written.finish()?);
    write_whole(&out.join("report.html"), report::page(settings, summary, found).as_bytes())
}

/// The games as JSON, one a line.
fn lines(games: &[Finished]) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for done in games {
        let line = Line {
            name: &done.name,
            triage: done.triage.letter(),
            reason: &done.reason,
            photos: &done.photos,
            spare: &done.spare,
            notes: &done.notes,
            tags: &done.tags,
            game: done.game.as_ref().ok(),
        };
        serde_json::to_writer(&mut lines, &line)
            .map_err(|error| Error::Write { path: "games.jsonl".to_owned(), cause: error.into() })?;
        lines.push(b'\n');
    }
    Ok(lines)
}

fn csv(games: &[Finished]) -> String {
    let mut out = "name,triage,round,board,white,black,result,plies,to_review,reason,photos,spare\n".to_owned();
    for done in games {
        let tag = |name: &str| done.tags.get(name).map_or("", |tag| tag.value.as_str());
        let (plies, to_review, result) =
            done.game.as_ref().map_or((0, 0, ""), |game| (legal(game), to_look_at(game).len(), game.result.as_str()));
        let fields = [
            &done.name,
            &done.triage.letter().to_string(),
            tag("Round"),
            tag("Board"),
            tag("White"),
            tag("Black"),
            result,
            &plies.to_string(),
            &to_review.to_string(),
            &done.reason,
            &done.photos.join("; "),
            &done.spare.join("; "),
        ];
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        let _ = writeln!(out, "{}", fields.join(","));
    }
    out
}

/// A field of comma-separated values (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe.
fn quoted(field: &str) -> String {
    let formula = field.starts_with(['=', '+', '-', '@']);
    let field = if formula { format!("'{field}") } else { field.to_owned() };
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_formulas_disarmed() {
        assert_eq!(quoted("Berg, \"Eva\""), "\"Berg, \"\"Eva\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
        assert_eq!(quoted("1/2-1/2"), "1/2-1/2");
    }
}
