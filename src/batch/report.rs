//! The report for a person: one HTML page with everything in it, no server and no script.

use super::finish::Finished;
use super::games::{Picture, badness};
use super::pool::clock;
use super::triage::{Triage, legal, to_look_at};
use super::walk::Found;
use super::{Settings, Summary};
use crate::game::{Colour, Game, Ply, Status};
use std::fmt::Write;

const STYLE: &str = include_str!("report.css");

/// Moves shown at the top, over all games.
const WORST: usize = 24;
const WORST_OF_GAME: usize = 3;
/// Pictures on the page, and at most in one game.
const PICTURES: usize = 6000;
const PICTURES_OF_GAME: usize = 8;

/// The page.
pub fn page(settings: &Settings, summary: &Summary, found: &Found) -> String {
    let games = &summary.games;
    let read: Vec<(&Finished, &Game)> =
        games.iter().filter_map(|done| done.game.as_ref().ok().map(|game| (done, game))).collect();
    let folder = settings.dir.canonicalize().unwrap_or_else(|_| settings.dir.clone());
    let folder = folder.file_name().map_or_else(|| "photos".into(), |name| name.to_string_lossy());
    let title = event_name(&read).unwrap_or_else(|| folder.into_owned());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\
         <title>Scoresheets: {0}</title><style>{STYLE}</style></head><body>\n<h1>{0}</h1>\n",
        escape(&title)
    );
    let _ = writeln!(out, "<p class=\"lead\">{}</p>", escape(&in_words(summary)));
    cards(&mut out, summary);
    out.push_str(
        "<nav><a href=\"#worst\">Moves to look at first</a><a href=\"#games\">Games</a>\
         <a href=\"#unread\">Not read</a><a href=\"#confidence\">Confidence</a></nav>\n",
    );
    worst_moves(&mut out, &read);
    game_list(&mut out, &read);
    not_read(&mut out, games, found);
    histogram(&mut out, &read);
    let _ = writeln!(
        out,
        "<p class=\"soft\">scoresheet {}. The games are in event.pgn and games/, a table in games.csv, everything that \
         is known about every move in games.jsonl.</p>\n</body></html>",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// The run in a few sentences.
pub fn in_words(summary: &Summary) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let games = summary.games.len() - summary.unread;
    let to_look_at: usize =
        summary.games.iter().filter_map(|done| done.game.as_ref().ok()).map(|game| to_look_at(game).len()).sum();
    let plies: usize = summary.games.iter().filter_map(|done| done.game.as_ref().ok()).map(legal).sum();
    let hard = summary.games.iter().filter(|done| done.triage == Triage::C && done.game.is_ok()).count();
    let mut words = format!("{} gave {}.", count(summary.photos, "photo"), count(games, "game"));
    if games > 0 {
        let _ = write!(
            words,
            " {} can be filed as they are, {} need a look, {hard} are hard: {} of {} are to be looked at.",
            summary.count(Triage::A),
            summary.count(Triage::B),
            to_look_at,
            count(plies, "move")
        );
    }
    if summary.unread > 0 {
        let _ = write!(words, " {} could not be read.", count(summary.unread, "file"));
    }
    let again = summary.photos.saturating_sub(summary.read_now);
    match summary.seconds.round() as u64 {
        0 => words.push_str(" It took less than a second"),
        seconds => drop(write!(words, " It took {}", clock(seconds))),
    }
    if again > 0 {
        let _ = write!(words, "; {again} of the photos had been read before");
    }
    words.push('.');
    for note in &summary.notes {
        let _ = write!(words, " {note}");
    }
    words
}

fn event_name(read: &[(&Finished, &Game)]) -> Option<String> {
    let mut names = read.iter().filter_map(|(done, _)| done.tags.get("Event")).map(|tag| tag.value.clone());
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

fn cards(out: &mut String, summary: &Summary) {
    let all = summary.games.len().max(1);
    out.push_str("<div class=\"cards\">");
    for (triage, words) in
        [(Triage::A, "all moves clear"), (Triage::B, "some moves to look at"), (Triage::C, "hard or not read")]
    {
        let (letter, count) = (triage.letter(), summary.count(triage));
        let _ = write!(
            out,
            "<div class=\"card {letter}\"><span class=\"letter {letter}\">{letter}</span> {words}<b>{count}</b>\
             <span class=\"soft\">{:.0} %</span></div>",
            100.0 * count as f64 / all as f64
        );
    }
    out.push_str("</div>\n<div class=\"share\">");
    for triage in [Triage::A, Triage::B, Triage::C] {
        let share = 100.0 * summary.count(triage) as f64 / all as f64;
        let _ = write!(out, "<i class=\"{}\" style=\"width:{share:.2}%\"></i>", triage.letter());
    }
    out.push_str("</div>\n");
}

fn worst_moves<'a>(out: &mut String, read: &[(&'a Finished, &'a Game)]) {
    let of_game = |&(done, game): &(&'a Finished, &'a Game)| {
        let shown = done.pictures.iter().filter(|picture| !picture.tiles.is_empty()).take(WORST_OF_GAME);
        shown.map(move |picture| (done, &game.plies[picture.ply], picture))
    };
    let mut moves: Vec<(&Finished, &Ply, &Picture)> = read.iter().flat_map(of_game).collect();
    moves.sort_by(|a, b| badness(a.1).total_cmp(&badness(b.1)));
    out.push_str("<h2 id=\"worst\">Moves to look at first</h2>\n");
    if moves.is_empty() {
        out.push_str("<p class=\"soft\">None: every move of every game is clear.</p>\n");
        return;
    }
    out.push_str("<div class=\"moves\">");
    for (done, ply, picture) in moves.into_iter().take(WORST) {
        move_card(out, ply, picture, Some(&done.name));
    }
    out.push_str("</div>\n");
}

fn move_card(out: &mut String, ply: &Ply, picture: &Picture, game: Option<&str>) {
    let dots = if ply.colour == Colour::White { "." } else { "..." };
    out.push_str("<div class=\"move\">");
    for tile in &picture.tiles {
        let _ = write!(out, "<img alt=\"what is written\" src=\"data:image/jpeg;base64,{}\">", escape(tile));
    }
    if ply.san.is_some() {
        let _ = write!(out, "<span class=\"percent\">{:.0} %</span>", 100.0 * ply.confidence);
    }
    let _ = write!(
        out,
        "<b>{}{dots} {}</b> {}",
        ply.number,
        escape(ply.san.as_deref().unwrap_or("?")),
        ply.reason.as_deref().map(escape).unwrap_or_default()
    );
    let others: Vec<String> = ply
        .candidates
        .iter()
        .filter(|other| Some(&other.san) != ply.san.as_ref() && other.probability >= 0.01)
        .take(3)
        .map(|other| format!("{} {:.0} %", escape(&other.san), 100.0 * other.probability))
        .collect();
    if !others.is_empty() {
        let _ = write!(out, "<br><span class=\"soft\">or {}</span>", others.join(", "));
    }
    if let Some(game) = game {
        let _ = write!(out, "<br><a class=\"soft\" href=\"#game-{0}\">{0}</a>", escape(game));
    }
    out.push_str("</div>");
}

fn game_list(out: &mut String, read: &[(&Finished, &Game)]) {
    let mut sorted = read.to_vec();
    sorted.sort_by_key(|(done, game)| (std::cmp::Reverse(done.triage), std::cmp::Reverse(to_look_at(game).len())));
    let pictures = (PICTURES / read.len().max(1)).clamp(1, PICTURES_OF_GAME);
    out.push_str("<h2 id=\"games\">Games, those that need most first</h2>\n");
    if !sorted.is_empty() {
        out.push_str(
            "<div class=\"head soft\"><span></span><span>game</span><span class=\"players\">players</span>\
             <span class=\"result num\">result</span><span class=\"num\">to look at</span></div>\n",
        );
    }
    for (done, game) in sorted {
        one_game(out, done, game, pictures);
    }
}

fn one_game(out: &mut String, done: &Finished, game: &Game, pictures: usize) {
    let letter = done.triage.letter();
    let tag = |name: &str| done.tags.get(name).map(|tag| escape(&tag.value));
    let players = match (tag("White"), tag("Black")) {
        (Some(white), Some(black)) => format!("{white} &ndash; {black}"),
        _ => format!("<span class=\"soft\">{}</span>", if game.sheets.len() > 1 { "both sheets" } else { "one sheet" }),
    };
    let _ = write!(
        out,
        "<details class=\"{letter}\" id=\"game-{name}\"><summary><span class=\"letter {letter}\">{letter}</span>\
         <span class=\"name\">{name}</span><span class=\"players\">{players}</span>\
         <span class=\"result num\">{}</span><span class=\"num\">{} of {}</span></summary><div class=\"inside\"><p>{}</p>",
        escape(&game.result),
        to_look_at(game).len(),
        legal(game),
        sentence(&done.reason),
        name = escape(&done.name),
    );
    let _ = write!(out, "<p class=\"soft\">Read from {}</p>", escape(&done.photos.join("; ")));
    if !done.spare.is_empty() {
        let _ = write!(out, "<p class=\"soft\">Not read again: {}</p>", escape(&done.spare.join("; ")));
    }
    for note in done.notes.iter().chain(&game.warnings) {
        let _ = write!(out, "<p class=\"soft\">{}</p>", sentence(note));
    }
    for (name, tag) in done.tags.iter().filter(|(_, tag)| tag.confidence.is_none()) {
        let _ =
            write!(out, "<p class=\"soft\">{} {}: from {}</p>", escape(name), escape(&tag.value), escape(&tag.source));
    }
    out.push_str("<div class=\"moves\">");
    for picture in done.pictures.iter().take(pictures) {
        if let Some(ply) = game.plies.get(picture.ply) {
            move_card(out, ply, picture, None);
        }
    }
    let _ = writeln!(out, "</div><pre class=\"pgn\">{}</pre></div></details>", escape(&game.pgn));
}

fn not_read(out: &mut String, games: &[Finished], found: &Found) {
    out.push_str("<h2 id=\"unread\">Not read</h2>\n");
    let errors: Vec<String> = games
        .iter()
        .filter_map(|done| done.game.as_ref().err())
        .map(|sentence| format!("<li>{}</li>", escape(sentence)))
        .chain(found.notes.iter().map(|note| format!("<li>{}</li>", escape(note))))
        .collect();
    if errors.is_empty() {
        out.push_str("<p class=\"soft\">Every photo was read.</p>\n");
    } else {
        let _ = writeln!(out, "<ul class=\"box\" style=\"padding-left:2rem\">{}</ul>", errors.join(""));
    }
    if found.others > 0 {
        let _ =
            writeln!(out, "<p class=\"soft\">{} other files were passed over: they are no photos.</p>", found.others);
    }
}

/// How many moves there are in each tenth of confidence, told apart by whether they are clear.
fn histogram(out: &mut String, read: &[(&Finished, &Game)]) {
    let mut bins = [(0usize, 0usize); 10];
    for ply in read.iter().flat_map(|(_, game)| &game.plies) {
        let bin = &mut bins[((ply.confidence * 10.0) as usize).min(9)];
        if ply.status == Status::Clear { bin.0 += 1 } else { bin.1 += 1 }
    }
    let highest = bins.iter().map(|(clear, look)| clear + look).max().unwrap_or(0).max(1);
    out.push_str(
        "<h2 id=\"confidence\">Confidence of the moves</h2>\n<div class=\"box\"><p class=\"soft\">\
         <span class=\"key\" style=\"background:var(--a)\"></span>clear \
         <span class=\"key\" style=\"background:var(--b);margin-left:1em\"></span>to look at</p><div class=\"bars\">",
    );
    for (clear, look) in bins {
        // A bar that stands for something is never too low to be seen.
        let height = |n: usize| if n == 0 { 0.0 } else { (82.0 * n as f64 / highest as f64).max(0.8) };
        let _ = write!(
            out,
            "<div>{}<i class=\"look\" style=\"height:{:.1}%\"></i><i class=\"clear\" style=\"height:{:.1}%\"></i></div>",
            clear + look,
            height(look),
            height(clear)
        );
    }
    out.push_str("</div><div class=\"axis\">");
    for tenth in 0..10 {
        let _ = write!(out, "<span>{}&ndash;{} %</span>", tenth * 10, tenth * 10 + 10);
    }
    out.push_str("</div></div>\n");
}

/// Escaped, with a capital at the beginning and a stop at the end.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    escape(&format!("{first}{}{stop}", chars.as_str()))
}

/// Text as HTML, also within quotes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_page() {
        assert_eq!(escape("<img src=x onerror='a&b'>\""), "&lt;img src=x onerror=&#39;a&amp;b&#39;&gt;&quot;");
        assert_eq!(sentence("3 of 80 moves"), "3 of 80 moves.");
    }
}
