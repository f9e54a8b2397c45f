//! How much of a person's time a game needs.

use crate::game::{Colour, Game, Status};
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
/// Cells behind the last legal move that may hold a result or a signature rather than moves.
const TAIL: usize = 4;

/// The triage of a game with its reason.
pub fn triage(game: &Game) -> (Triage, String) {
    let legal = game.plies.iter().take_while(|ply| ply.san.is_some()).count();
    let to_look_at = game.plies[..legal].iter().filter(|ply| ply.status != Status::Clear).count();
    let moves = if legal == 1 { "1 move".to_owned() } else { format!("{legal} moves") };
    let hard = to_look_at as f32 > HARD * legal as f32;
    let reason =
        if to_look_at == 0 { format!("all {moves} clear") } else { format!("{to_look_at} of {moves} to look at") };
    match game.plies.get(legal) {
        Some(ply) => {
            let dots = if ply.colour == Colour::White { "." } else { "..." };
            let long = game.plies.len() - legal > TAIL;
            let triage = if long || hard { Triage::C } else { Triage::B };
            (triage, format!("{reason}; what is written from {}{dots} on could not be made legal", ply.number))
        }
        None if hard => (Triage::C, reason),
        None if to_look_at > 0 => (Triage::B, reason),
        None => (Triage::A, reason),
    }
}
