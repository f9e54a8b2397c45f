//! `scoresheet notate`: moves from any notation into any other.

use super::{Outcome, print};
use crate::error::{Error, Result};
use crate::notation::movetext::{Game, games};
use crate::notation::retro::take_back;
use crate::notation::transcript::{Ambiguous, Played, read_in, read_in_any, ways};
use crate::notation::typed::is_mark;
use crate::notation::write::System;
use crate::notation::{Language, fen, stipulation};
use clap::Args;
use cozy_chess::{Board, Color, Move};
use std::io::Read;

/// Convert the moves of a game between notations, take moves back, or name a problem's stipulation.
#[derive(Debug, Args)]
pub struct NotateArgs {
    /// Moves, with or without numbers, comments and result; standard input if none. Or a stipulation such as h#2.5.
    #[arg(value_name = "MOVES", allow_hyphen_values = true)]
    text: Option<String>,
    /// The words behind the first, where they are not given as one argument.
    #[arg(value_name = "MOVES", hide = true, allow_negative_numbers = true)]
    more: Vec<String>,
    /// san, long, reversible, uci, iccf, descriptive, descriptive-es, figurines, or a language's code.
    #[arg(long, value_name = "SYSTEM", default_value = "san")]
    to: String,
    /// Language or notation of the moves; found from them if not given.
    #[arg(long, value_name = "SYSTEM")]
    from: Option<String>,
    /// Position before the first move, as FEN, where no tag of the game gives it.
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// The moves are taken back, from the position of --fen, the latest first.
    #[arg(long, requires = "fen")]
    back: bool,
    /// Print the position behind the last move as well, as FEN.
    #[arg(long)]
    position: bool,
}

pub(super) fn run(args: &NotateArgs) -> Result<Outcome> {
    let text = text(args)?;
    if let Some(words) = stipulation::in_words(&text) {
        print(&format!("{words}\n"))?;
        return Ok(Outcome::Read);
    }
    let start = args.fen.as_deref().map_or_else(|| Ok(Board::default()), position)?;
    if args.back {
        return back(&start, &text);
    }
    let system = System::find(&args.to).ok_or_else(|| unknown(&args.to))?;
    let from = match &args.from {
        Some(name) => Some(ways(name).ok_or_else(|| unknown(name))?),
        None => None,
    };
    let games = games(&text).map_err(Error::Usage)?;
    for (index, game) in games.iter().enumerate() {
        let start = game.fen.as_deref().map_or_else(|| Ok(start.clone()), position)?;
        let which = if games.len() > 1 { format!("in game {}, ", index + 1) } else { String::new() };
        let played = read(&start, game, from.as_deref(), &which)?;
        let gap = if index > 0 { "\n" } else { "" };
        let position = if args.position { format!("{}\n", played.board) } else { String::new() };
        print(&format!("{gap}{}{position}", write(&start, &played.moves, system)))?;
        if let Some(word) = &played.stuck {
            return Err(stuck(&played, word, &which, args.from.is_some()));
        }
    }
    Ok(Outcome::Read)
}

/// The moves that were given, or standard input.
fn text(args: &NotateArgs) -> Result<String> {
    if let Some(first) = &args.text {
        // Moves may begin with a hyphen, so what looks like an option comes here too.
        if first.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic)) {
            return Err(Error::Usage(format!("\"{first}\" is no option. scoresheet notate --help names them.")));
        }
        return Ok([std::slice::from_ref(first), &args.more].concat().join(" "));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|cause| Error::Open { path: "standard input".to_owned(), cause })?;
    String::from_utf8(bytes).map_err(|_| {
        Error::Usage("standard input is no text in UTF-8. Save it in that encoding and give it again.".to_owned())
    })
}

fn position(text: &str) -> Result<Board> {
    fen::position(text).map_err(|cause| Error::Usage(format!("\"{text}\" is no position: {cause}. Give FEN.")))
}

fn unknown(name: &str) -> Error {
    let what =
        "san, long, reversible, uci, iccf, descriptive, descriptive-es, figurines, or a language's code such as de";
    Error::Usage(format!("\"{name}\" is no notation. Give {what}."))
}

/// Follows a game in the ways to write that were named, or in the language that it is found to be in.
fn read(start: &Board, game: &Game, from: Option<&[&'static Language]>, which: &str) -> Result<Played> {
    let played = match from {
        Some(ways) => read_in(ways, start, &game.words),
        None => read_in_any(start, &game.words).map_err(|Ambiguous(one, other)| {
            let (one, other) = (one.name, other.name);
            Error::Usage(format!(
                "{which}the moves are one game in {one} and another in {other}. Name the language with --from."
            ))
        })?,
    };
    played.ok_or_else(|| Error::Usage("there is no way to read the moves.".to_owned()))
}

/// Where a game could not be followed any further.
fn stuck(played: &Played, word: &str, which: &str, named: bool) -> Error {
    let count = match played.moves.len() {
        1 => "1 half-move".to_owned(),
        count => format!("{count} half-moves"),
    };
    let hint = if named { "" } else { ", or name the language with --from" };
    let name = played.language.name;
    Error::Usage(format!(
        "{which}after {count}, \"{word}\" is no legal move, or may be several (read as {name}). Check it{hint}."
    ))
}

fn write(start: &Board, moves: &[Move], system: System) -> String {
    let mut board = start.clone();
    let mut words = Vec::new();
    for (index, &mv) in moves.iter().enumerate() {
        let number = board.fullmove_number();
        match board.side_to_move() {
            Color::White => words.push(format!("{number}.")),
            Color::Black if index == 0 => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(system.write(&board, mv));
        board.play_unchecked(mv);
    }
    if words.is_empty() { String::new() } else { words.join(" ") + "\n" }
}

/// Prints the position after each retraction.
fn back(start: &Board, text: &str) -> Result<Outcome> {
    let mut board = start.clone();
    for word in retractions(text) {
        board = take_back(&board, &word).ok_or_else(|| {
            Error::Usage(format!(
                "\"{word}\" cannot be taken back from {board}. Write where the piece came from, as in Kf5xNe5 or Kf5:N."
            ))
        })?;
        print(&format!("{word}\t{board}\n"))?;
    }
    Ok(Outcome::Read)
}

/// The retractions of a text: their numbers left out, `e.p.` and the like left with the move before.
fn retractions(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(['-', '.']);
        match words.last_mut() {
            Some(last) if is_mark(word) => last.push_str(word),
            _ if !bare.bytes().all(|b| b.is_ascii_digit()) => words.push(word.to_owned()),
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retractions_keep_their_marks() {
        assert_eq!(retractions("-1. Kf5xNe5 -2.f4xg3 e.p. 3. O-O"), ["Kf5xNe5", "-2.f4xg3e.p.", "O-O"]);
    }
}
