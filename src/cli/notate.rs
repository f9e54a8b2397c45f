//! `scoresheet notate`: moves from any notation into any other.

use super::{Outcome, print};
use crate::error::{Error, Result};
use crate::notation::retro::take_back;
use crate::notation::stipulation;
use crate::notation::write::System;
use crate::notation::{LANGUAGES, Language, parse_move};
use clap::Args;
use cozy_chess::{Board, Color, Move};
use std::io::Read;

/// Convert the moves of a game between notations, take moves back, or name a problem's stipulation.
#[derive(Debug, Args)]
pub struct NotateArgs {
    /// Moves, with or without numbers, comments and result; standard input if none. Or a stipulation such as h#2.5.
    #[arg(value_name = "MOVES")]
    text: Vec<String>,
    /// san, long, reversible, uci, iccf, descriptive, descriptive-es, figurines, or a language's code.
    #[arg(long, value_name = "SYSTEM", default_value = "san")]
    to: String,
    /// Language of the moves; found from them if not given.
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Position before the first move, as FEN.
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
    let mut text = args.text.join(" ");
    if args.text.is_empty() {
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|cause| Error::Open { path: "standard input".to_owned(), cause })?;
    }
    if let Some(words) = stipulation::in_words(&text) {
        print(&format!("{words}\n"))?;
        return Ok(Outcome::Read);
    }
    let start = match &args.fen {
        None => Board::default(),
        Some(fen) => {
            fen.parse().map_err(|error| Error::Usage(format!("\"{fen}\" is no position: {error}. Give FEN.")))?
        }
    };
    if args.back {
        return back(&start, &text);
    }
    let system = System::find(&args.to).ok_or_else(|| {
        let what =
            "san, long, reversible, uci, iccf, descriptive, descriptive-es, figurines, or a language's code such as de";
        Error::Usage(format!("\"{}\" is no notation. Give {what}.", args.to))
    })?;
    let tokens = tokens(&text);
    let moves = match &args.from {
        Some(code) => {
            let language = Language::find(code).ok_or_else(|| {
                Error::Usage(format!("\"{code}\" is no language whose piece letters are known. Give an ISO 639 code."))
            })?;
            language.ways().map(|way| play(&start, &tokens, Some(way))).max_by_key(Played::length)
        }
        // The language that carries furthest; the first of those that carry as far.
        None => LANGUAGES.iter().rev().map(|language| play(&start, &tokens, Some(language))).max_by_key(Played::length),
    };
    let played = moves.unwrap_or_else(|| play(&start, &tokens, None));
    let mut out = write(&start, &played.moves, system);
    if args.position {
        out.push_str(&format!("{}\n", played.board));
    }
    print(&out)?;
    match played.stuck {
        None => Ok(Outcome::Read),
        Some(token) => Err(Error::Usage(format!(
            "after {} half-moves, \"{token}\" is no legal move, or may be several. Check it, or name the language with --from.",
            played.moves.len()
        ))),
    }
}

/// The moves of a text: numbers, comments, variations, annotations and results left out.
fn tokens(text: &str) -> Vec<String> {
    let (mut depth, mut last) = (0u32, ' ');
    let mut bare = String::new();
    for c in text.chars() {
        // A bracket within a word is part of a move, as in `e8(Q)`.
        let opens = c == '{' || (c == '(' && (depth > 0 || last.is_whitespace()));
        let closes = depth > 0 && (c == '}' || c == ')');
        match (opens, closes) {
            (true, _) => depth += 1,
            (_, true) => depth -= 1,
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
        last = c;
    }
    let without_tags = bare.lines().filter(|line| !line.trim_start().starts_with('[')).collect::<Vec<_>>().join(" ");
    let words = without_tags.split_whitespace().map(|word| match word.rsplit_once('.') {
        // `12.e4` and `12...e5`; `e.p.` stays.
        Some((number, mv)) if number.trim_end_matches('.').bytes().all(|b| b.is_ascii_digit()) => mv.to_owned(),
        _ => word.to_owned(),
    });
    let results = ["1-0", "0-1", "1/2-1/2", "½-½", "*", "e.p.", "ep", "mate"];
    words.filter(|w| !w.is_empty() && !w.starts_with('$') && !results.contains(&w.as_str())).collect()
}

struct Played {
    moves: Vec<Move>,
    /// Behind the last move.
    board: Board,
    /// The word that is no move.
    stuck: Option<String>,
}

impl Played {
    fn length(&self) -> usize {
        self.moves.len()
    }
}

fn play(start: &Board, tokens: &[String], language: Option<&Language>) -> Played {
    let mut played = Played { moves: Vec::new(), board: start.clone(), stuck: None };
    for token in tokens {
        let Some(mv) = parse_move(&played.board, token, language) else {
            played.stuck = Some(token.clone());
            break;
        };
        played.board.play_unchecked(mv);
        played.moves.push(mv);
    }
    played
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
    words.join(" ") + "\n"
}

/// Prints the position after each retraction.
fn back(start: &Board, text: &str) -> Result<Outcome> {
    let mut board = start.clone();
    let retractions = text.split_whitespace().filter(|word| {
        let bare = word.trim_matches(['-', '.']);
        !bare.is_empty() && !bare.bytes().all(|b| b.is_ascii_digit())
    });
    for word in retractions {
        board = take_back(&board, word).ok_or_else(|| {
            Error::Usage(format!(
                "\"{word}\" cannot be taken back from {board}. Write where the piece came from, as in Kf5xNe5 or Kf5:N."
            ))
        })?;
        print(&format!("{word}\t{board}\n"))?;
    }
    Ok(Outcome::Read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pgn_is_cut_into_moves() {
        let text = "[White \"A\"]\n\n1. e4 {best. by test} e5 2.Nf3 (2. f4 exf4) 2...Nc6 $1 3. exd6 e.p. e8(Q) 1-0";
        assert_eq!(tokens(text), ["e4", "e5", "Nf3", "Nc6", "exd6", "e8(Q)"]);
    }

    #[test]
    fn the_language_is_found_from_the_game() {
        let tokens = tokens("1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. Lxc6 dxc6 5. O-O Df6");
        let best = LANGUAGES.iter().rev().map(|l| play(&Board::default(), &tokens, Some(l))).max_by_key(Played::length);
        let played = best.unwrap();
        assert!(played.stuck.is_none());
        let text = write(&Board::default(), &played.moves, System::San);
        assert_eq!(text, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qf6\n");
    }
}
