//! How much of a person's time a game needs.

use crate::game::{Game, Status};
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
const HARD: f32 = 0.33;

/// The triage of a game with its reason.
pub fn triage(game: &Game) -> (Triage, String) {
    let moves = game.plies.len();
    let to_look_at = game.plies.iter().filter(|ply| ply.status != Status::Clear).count();
    let without_move = game.plies.iter().find(|ply| ply.san.is_none());
    let count = |n: usize| if n == 1 { "1 move".to_owned() } else { format!("{n} moves") };
    if let Some(ply) = without_move {
        let dots = if ply.colour == crate::game::Colour::White { "." } else { "..." };
        return (Triage::C, format!("from {}{dots} on the game could not be made legal", ply.number));
    }
    match to_look_at {
        0 => (Triage::A, format!("all {} clear", count(moves))),
        n if n as f32 > HARD * moves as f32 => (Triage::C, format!("{n} of {} to look at", count(moves))),
        n => (Triage::B, format!("{n} of {} to look at", count(moves))),
    }
}
