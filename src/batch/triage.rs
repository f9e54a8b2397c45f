//! How much of a person's time a game needs.

use crate::game::{Colour, Game, Ply, Status};
use serde::Serialize;

/// A: every move is clear. B: some moves to look at. C: hard, or not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Triage {
    A,
    B,
    C,
}

impl Triage {
    /// The letter.
    pub fn letter(self) -> char {
        match self {
            Triage::A => 'A',
            Triage::B => 'B',
            Triage::C => 'C',
        }
    }
}

/// Share of moves to look at from which typing a game in may be quicker than correcting it.
const HARD: f32 = 0.5;

/// The plies that a person should look at, by index in the order of play.
///
/// Behind the last legal move stand results, signatures and smudges: there only what reads like moves counts.
pub fn to_look_at(game: &Game) -> Vec<usize> {
    let legal = legal(game);
    let counts = |index: usize, ply: &Ply| {
        ply.status != Status::Clear && (index < legal || ply.written.iter().any(|written| like_a_move(&written.text)))
    };
    game.plies.iter().enumerate().filter(|(index, ply)| counts(*index, ply)).map(|(index, _)| index).collect()
}

/// Plies up to the last legal one.
pub fn legal(game: &Game) -> usize {
    game.plies.iter().rposition(|ply| ply.san.is_some()).map_or(0, |last| last + 1)
}

/// Two letters or digits at least; results and lone castling strokes are none, since O stands for zero as well.
fn like_a_move(text: &str) -> bool {
    !text.contains('/') && text.chars().filter(|c| c.is_alphanumeric() && *c != 'O').count() > 1
}

/// The triage of a game with its reason.
pub fn triage(game: &Game) -> (Triage, String) {
    let legal = legal(game);
    let look = to_look_at(game);
    let within = look.iter().filter(|&&index| index < legal).count();
    let moves = if legal == 1 { "1 move".to_owned() } else { format!("{legal} moves") };
    let hard = look.len() as f32 > HARD * legal as f32;
    let mut reason = if within == 0 { format!("all {moves} clear") } else { format!("{within} of {moves} to look at") };
    if let Some(behind) = look.get(within) {
        let ply = &game.plies[*behind];
        let dots = if ply.colour == Colour::White { "." } else { "..." };
        let what =
            if ply.status == Status::Unread { "is given as written, not checked" } else { "could not be made legal" };
        let behind = format!("what is written from {}{dots} on {what}", ply.number);
        reason = if legal == 0 { behind } else { format!("{reason}; {behind}") };
    }
    match look.len() {
        0 if legal == 0 => (Triage::C, "no move is read".to_owned()),
        0 => (Triage::A, reason),
        _ if hard => (Triage::C, reason),
        _ => (Triage::B, reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_moves_that_are_only_written_none_is_called_clear() {
        let ply = |number: u32, san: Option<&str>, status: &str| {
            serde_json::json!({
                "ply": 1, "number": number, "colour": "white", "san": san, "uci": null, "confidence": 0.9, "status": status,
                "reason": null, "candidates": [], "clock": null, "draw_offer": false, "nag": null,
                "written": [{ "sheet": 0, "page": 0, "quad": [[0, 0], [0, 0], [0, 0], [0, 0]], "text": "Nf3", "confidence": 0.9 }],
            })
        };
        let written = ply(31, None, "unread");
        let game = |plies: Vec<serde_json::Value>| -> Game {
            let game = serde_json::json!({
                "schema": "", "sheets": [], "start_fen": null, "plies": plies, "result": "*", "headers": {}, "warnings": [],
                "timing_ms": {}, "pgn": "",
            });
            serde_json::from_value(game).unwrap()
        };
        let (kind, reason) = triage(&game(vec![written.clone()]));
        assert_eq!((kind, &*reason), (Triage::C, "what is written from 31. on is given as written, not checked"));
        let (_, reason) = triage(&game(vec![ply(1, Some("e4"), "clear"), written]));
        assert_eq!(reason, "all 1 move clear; what is written from 31. on is given as written, not checked");
    }

    #[test]
    fn results_and_smudges_are_not_like_moves() {
        for text in ["", "5", "O-1", "1-O", "1/2-1/2", "O-+", "O"] {
            assert!(!like_a_move(text), "{text}");
        }
        for text in ["Nf3", "e4", "RxdO+", "P-K4"] {
            assert!(like_a_move(text), "{text}");
        }
    }
}
