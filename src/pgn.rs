//! PGN: the game as other programs read it, and the reading back of a main line.
//!
//! Follows the PGN standard of 1994 (export format, section 8): seven tag roster, Standard Algebraic Notation, lines of
//! at most 80 columns, the result as the last token.

use crate::game::{Colour, Game, Ply, Status};
use cozy_chess::util::{display_san_move, parse_san_move};
use cozy_chess::{Board, Color, Move};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The tags that every game has, in their order, with the word for unknown.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Longest line of move text.
const COLUMNS: usize = 80;

/// What a game's PGN is made of.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Tags by name; those of the roster that are missing are written as unknown.
    pub headers: &'a BTreeMap<String, String>,
    pub plies: &'a [Ply],
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'a str,
    /// Set where the game starts from another position than the usual one.
    pub start_fen: Option<&'a str>,
    /// Name the other candidates of moves that are not clear.
    pub alternatives: bool,
}

/// A main line that could not be read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Half-moves read before the error.
    pub ply: usize,
    /// The token that is no legal move.
    pub token: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "after {} half-moves, \"{}\" is no legal move", self.ply, self.token)
    }
}

impl std::error::Error for ReadError {}

/// The PGN of a game, without alternatives.
pub fn of_game(game: &Game) -> String {
    write(&Parts {
        headers: &game.headers,
        plies: &game.plies,
        result: &game.result,
        start_fen: game.start_fen.as_deref(),
        alternatives: false,
    })
}

/// Writes a game. The main line ends at the last legal move; what could not be made legal follows in a comment.
pub fn write(parts: &Parts) -> String {
    let mut out = String::new();
    for (name, unknown) in ROSTER {
        let value = match name {
            "Result" => parts.result,
            _ => parts.headers.get(name).map_or(unknown, String::as_str),
        };
        tag(&mut out, name, value);
    }
    for (name, value) in parts.headers {
        let known = ROSTER.iter().any(|(roster, _)| roster == name) || matches!(name.as_str(), "SetUp" | "FEN");
        if !known && is_tag_name(name) {
            tag(&mut out, name, value);
        }
    }
    if let Some(fen) = parts.start_fen {
        tag(&mut out, "SetUp", "1");
        tag(&mut out, "FEN", fen);
    }
    out.push('\n');
    out.push_str(&wrap(&tokens(parts)));
    out.push('\n');
    out
}

/// Reads the main line of a game back: the moves, from the usual position or the one in the FEN tag.
pub fn read_main_line(text: &str) -> Result<Vec<Move>, ReadError> {
    let fen = text.lines().find_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]"));
    let mut board = match fen {
        None => Board::default(),
        Some(fen) => fen.parse().map_err(|_| ReadError { ply: 0, token: fen.to_string() })?,
    };
    let mut moves = Vec::new();
    for token in main_line_tokens(text) {
        if matches!(token.as_str(), "1-0" | "0-1" | "1/2-1/2" | "*") {
            break;
        }
        let san = token.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.');
        if san.is_empty() || san.starts_with('$') {
            continue;
        }
        let error = || ReadError { ply: moves.len(), token: token.clone() };
        let mv = parse_san_move(&board, san.trim_end_matches(['!', '?'])).map_err(|_| error())?;
        board.try_play(mv).map_err(|_| error())?;
        moves.push(mv);
    }
    Ok(moves)
}

fn tag(out: &mut String, name: &str, value: &str) {
    let escaped: String = value
        .chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| if matches!(c, '"' | '\\') { vec!['\\', c] } else { vec![c] })
        .collect();
    let _ = writeln!(out, "[{name} \"{escaped}\"]");
}

pub(crate) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The move text as tokens that must not be broken.
fn tokens(parts: &Parts) -> Vec<String> {
    let mut board = parts.start_fen.and_then(|fen| fen.parse().ok()).unwrap_or_default();
    let mut tokens = Vec::new();
    let mut number_due = true;
    // Ink that is no legal move, as it stands on the sheet.
    let mut left: Vec<String> = Vec::new();
    for ply in parts.plies {
        let Some(mv) = ply.san.as_deref().and_then(|san| parse_san_move(&board, san).ok()) else {
            left.push(unreadable(ply));
            continue;
        };
        if !left.is_empty() {
            tokens.extend(comment(&format!("Passed over: {}", left.join("; "))));
            left.clear();
            number_due = true;
        }
        let white = board.side_to_move() == Color::White;
        if white || number_due {
            let dots = if white { "." } else { "..." };
            tokens.push(format!("{}{dots}", board.fullmove_number()));
        }
        tokens.push(display_san_move(&board, mv).to_string());
        if let Some(nag) = ply.nag {
            tokens.push(format!("${nag}"));
        }
        let remark = remark(ply, parts.alternatives);
        number_due = remark.is_some();
        tokens.extend(remark.iter().flat_map(|remark| comment(remark)));
        board.play_unchecked(mv);
    }
    if !left.is_empty() {
        let unchecked = parts.plies.last().is_some_and(|ply| ply.status == Status::Unread);
        let what = if unchecked { "As written, not checked" } else { "Not made legal" };
        tokens.extend(comment(&format!("{what}: {}", left.join("; "))));
    }
    tokens.push(parts.result.to_string());
    tokens
}

/// What is to be said about a move that is not clear, or that has a clock time or a draw offer.
fn remark(ply: &Ply, alternatives: bool) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(clock) = &ply.clock {
        parts.push(format!("[%clk {clock}]"));
    }
    if ply.draw_offer {
        parts.push("(=)".to_string());
    }
    if ply.status != Status::Clear {
        parts.push(format!("{} {:.0}%", status_word(ply.status), 100.0 * ply.confidence));
        parts.extend(ply.reason.as_ref().map(|reason| format!("- {reason}")));
        let others = ply.candidates.iter().filter(|c| Some(&c.san) != ply.san.as_ref());
        let others: Vec<String> = others.map(|c| format!("{} {:.0}%", c.san, 100.0 * c.probability)).collect();
        if alternatives && !others.is_empty() {
            parts.push(format!("- or {}", others.join(", ")));
        }
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Clear => "clear",
        Status::Doubtful => "doubtful",
        Status::Repaired => "repaired",
        Status::Inferred => "inferred",
        Status::Illegal => "illegal",
        Status::Unread => "unread",
    }
}

/// A ply outside the main line, as it stands on the sheet.
fn unreadable(ply: &Ply) -> String {
    let dots = if ply.colour == Colour::White { "." } else { "..." };
    let text: Vec<&str> = ply.written.iter().map(|w| w.text.as_str()).collect();
    let text = match (text.join(" / "), &ply.san) {
        (text, Some(san)) if text.is_empty() => san.clone(),
        (text, _) if text.is_empty() => "?".to_string(),
        (text, _) => text,
    };
    format!("{}{dots} {text}", ply.number)
}

/// The words of a comment with its braces; braces inside become parentheses, since PGN cannot nest them.
fn comment(text: &str) -> Vec<String> {
    let safe: String = text
        .chars()
        .map(|c| {
            if c == '{' {
                '('
            } else if c == '}' {
                ')'
            } else {
                c
            }
        })
        .collect();
    let words: Vec<&str> = safe.split_whitespace().collect();
    format!("{{{}}}", words.join(" ")).split(' ').map(str::to_string).collect()
}

fn wrap(tokens: &[String]) -> String {
    let mut out = String::new();
    let mut column = 0;
    for token in tokens {
        let width = token.chars().count();
        if column > 0 && column + 1 + width > COLUMNS {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(token);
        column += width;
    }
    out.push('\n');
    out
}

/// The tokens outside tags, comments and variations.
fn main_line_tokens(text: &str) -> Vec<String> {
    let body = text.lines().skip_while(|line| line.starts_with('[') || line.trim().is_empty());
    let (mut plain, mut in_comment, mut depth) = (String::new(), false, 0usize);
    for line in body {
        for c in line.chars() {
            match c {
                '}' if in_comment => in_comment = false,
                _ if in_comment => {}
                '{' => in_comment = true,
                ';' => break,
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                '.' => plain.push_str(". "),
                c => plain.push(c),
            }
        }
        plain.push(' ');
    }
    plain.split_whitespace().map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Candidate, Written};

    fn ply(number: u32, colour: Colour, san: Option<&str>, status: Status) -> Ply {
        let text = san.unwrap_or("Nz9").to_string();
        Ply {
            ply: 0,
            number,
            colour,
            san: san.map(str::to_string),
            uci: None,
            confidence: 0.8,
            status,
            reason: (status != Status::Clear).then(|| "read as {e4}; so".to_string()),
            written: vec![Written { sheet: 0, page: 0, quad: Default::default(), text, confidence: 0.5 }],
            candidates: vec![Candidate { san: "d4".to_string(), probability: 0.15 }],
            clock: None,
            draw_offer: false,
            nag: None,
        }
    }

    fn written(plies: &[Ply]) -> String {
        let headers = BTreeMap::from([("White".to_string(), "A \"B\" C".to_string())]);
        write(&Parts { headers: &headers, plies, result: "1-0", start_fen: None, alternatives: true })
    }

    #[test]
    fn the_roster_comes_first_and_quotes_are_escaped() {
        let pgn = written(&[]);
        let tags: Vec<&str> = pgn.lines().take_while(|line| line.starts_with('[')).collect();
        assert_eq!(tags.len(), 7);
        assert_eq!(tags[4], "[White \"A \\\"B\\\" C\"]");
        assert!(pgn.ends_with("\n1-0\n\n"));
    }

    #[test]
    fn what_is_written_is_read_back_with_comments_passed_over() {
        let sans = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"];
        let mut plies = Vec::new();
        let mut board = Board::default();
        for (i, san) in sans.iter().enumerate().take(6) {
            let colour = if i % 2 == 0 { Colour::White } else { Colour::Black };
            let status = if i == 1 { Status::Doubtful } else { Status::Clear };
            plies.push(ply(i as u32 / 2 + 1, colour, Some(san), status));
            board.play(parse_san_move(&board, san).unwrap());
        }
        let pgn = written(&plies);
        let joined = pgn.replace('\n', " ");
        assert!(joined.contains("1. e4 e5 {doubtful 80% - read as (e4); so - or d4 15%} 2. Nf3"), "{pgn}");
        assert_eq!(read_main_line(&pgn).unwrap().len(), 6);
        assert!(pgn.lines().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn the_main_line_stops_at_the_first_ply_that_is_not_legal() {
        let plies = [
            ply(1, Colour::White, Some("e4"), Status::Clear),
            ply(1, Colour::Black, None, Status::Illegal),
            ply(2, Colour::White, Some("Nf3"), Status::Clear),
        ];
        let pgn = written(&plies);
        assert_eq!(read_main_line(&pgn).unwrap().len(), 1);
        assert!(pgn.contains("{Not made legal: 1... Nz9; 2. Nf3}"), "{pgn}");
    }

    #[test]
    fn a_broken_main_line_is_told_with_its_place() {
        let error = read_main_line("1. e4 Ke5 *").unwrap_err();
        assert_eq!(error, ReadError { ply: 1, token: "Ke5".to_string() });
        assert_eq!(error.to_string(), "after 1 half-moves, \"Ke5\" is no legal move");
    }
}
