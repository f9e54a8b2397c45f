//! The end of the game: the result, what the rules say about it, and ink behind the last move.

use super::emission::Ink;
use super::gaps::{SAYS_RESULT, result_in};
use super::material::Material;
use super::reasons::{NO_LEGAL_MOVE, NOT_CHECKED, looks_like_a_move, said};
use super::{Decoded, FoundEnd, Place, Row};
use crate::game::{Ply, ResultOrigin, ResultSource, Status};
use cozy_chess::{Board, Color, GameStatus, Piece};

/// What is said about the end.
pub struct Ending {
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// Probability that the ink says the result, without regard to what else could stand there; 0 where the board says
    /// it or nothing does.
    read: f32,
    /// Moves written behind the last one that the game allows, with their places.
    pub left: Vec<(Ply, Place)>,
    pub warnings: Vec<String>,
}

/// At most this many pieces of ink behind the end are quoted.
const QUOTED: usize = 4;
/// Least probability of a written result that is taken for the game's.
const BELIEVED: f32 = 0.5;
/// Blank slots within the moves that are left, at most.
const GAP: usize = 2;
/// How many guesses at the end of a game are taken for none of it, and how likely what stands among them is at most.
const GUESSES: usize = 2;
const UNLIKELY: f32 = 0.5;
/// How many lost moves one among them that seems to be read holds.
const HOLDS: i32 = 3;
/// Most rows of the table in a row that may be missing: more of a game nobody can guess.
pub const MOST_MISSING: u32 = 2;

/// Explains the ink from a slot on. `boards` are the positions behind each step of the game.
pub fn find(material: &Material, from: usize, boards: &[&Board]) -> Ending {
    let board = boards.last().copied().unwrap_or(material.table.start);
    let over = over(board);
    let result = over.map_or("*", |over| over.1).to_owned();
    let mut ending = Ending { result, read: 0.0, left: Vec::new(), warnings: Vec::new() };
    let mut unexplained = Vec::new();
    for slot in from..material.table.slots.len() {
        let mut open = false;
        for (ink, writer) in material.table.slots[slot].iter().zip(material.table.writers) {
            let Ink::Written(lattice) = ink else { continue };
            let (word, likelihood) = result_in(lattice, writer);
            let read = likelihood.min(1.0) * lattice.confidence;
            if likelihood < SAYS_RESULT {
                open |= !lattice.text.is_empty();
            } else if over.is_none() {
                ending.written(word, read);
            } else if read >= BELIEVED && word != ending.result {
                let warning = format!("The sheet says {word}, the board says {}.", ending.result);
                ending.warnings.push(warning);
            }
        }
        if open && (material.table.settled.may_go_on(slot) || material.table.settled.found.is_some()) {
            unexplained.push(slot);
        }
    }
    ending.doubt();
    ending.leave(material, from, &unexplained, board);
    if let (Some((what, _)), false) = (over, ending.left.is_empty()) {
        ending.warnings.push(format!("The game is over by {what}; moves are written behind it."));
    }
    ending.warnings.extend(claims(material.table.start, boards));
    ending
}

impl Ending {
    /// How the result is known; a result of the rules is as sure as the last move, and not taken where that is a guess.
    pub fn origin(&mut self, last_move: Option<f32>) -> Option<ResultOrigin> {
        if self.read == 0.0 && self.result != "*" && last_move.is_some_and(|sure| sure < BELIEVED) {
            let warning = format!("If the last move is right, the game is over: {}.", self.result);
            self.warnings.push(warning);
            self.result = "*".to_owned();
        }
        let (source, confidence) = match self.read {
            _ if self.result == "*" => return None,
            0.0 => (ResultSource::Board, last_move),
            read => (ResultSource::Sheet, Some(read)),
        };
        Some(ResultOrigin { source, confidence })
    }

    /// Takes a result that is written; of two that differ the one that is written better.
    fn written(&mut self, word: &str, read: f32) {
        if self.read.min(read) >= BELIEVED && self.result != word {
            self.warnings.push(format!("Both {} and {word} are written behind the end of the game.", self.result));
        }
        if read > self.read {
            (self.result, self.read) = (word.to_owned(), read);
        }
    }

    /// A result that is not written well enough is told and not taken.
    fn doubt(&mut self) {
        if self.read > 0.0 && self.read < BELIEVED {
            let warning =
                format!("Ink behind the last move may say {}, not clearly enough to be the result.", self.result);
            self.warnings.push(warning);
            (self.result, self.read) = ("*".to_owned(), 0.0);
        }
    }

    /// Keeps the moves that are written right behind the end, and tells of all other ink in one sentence.
    fn leave(&mut self, material: &Material, from: usize, unexplained: &[usize], board: &Board) {
        let missing = material.table.settled.found == Some(FoundEnd::RowsMissing);
        let mut next = from;
        for &slot in unexplained {
            let text = said(&material.written(slot));
            if slot > next + GAP || !looks_like_a_move(&text) {
                continue;
            }
            next = slot + 1;
            let (why, status) = if missing { (NOT_CHECKED, Status::Unread) } else { (NO_LEGAL_MOVE, Status::Illegal) };
            let ply = Ply { status, ..material.ply_of_ink(slot, board, why) };
            self.left.push((ply, Place { slot, omitted: false }));
        }
        if missing {
            return;
        }
        let quote = |&slot: &usize| {
            let dots = if slot.is_multiple_of(2) { "." } else { "..." };
            format!("{}{dots} {}", material.number(slot), said(&material.written(slot)))
        };
        let mut quoted: Vec<String> = unexplained.iter().take(QUOTED).map(quote).collect();
        if unexplained.len() > QUOTED {
            quoted.push(format!("and {} more", unexplained.len() - QUOTED));
        }
        if !quoted.is_empty() {
            self.warnings.push(format!("Ink behind the end of the game is not part of it: {}.", quoted.join(", ")));
        }
    }
}

/// How the rules end a game here (FIDE Laws, articles 5.1.1, 5.2.1 and 5.2.2), with its result.
fn over(board: &Board) -> Option<(&'static str, &'static str)> {
    let stuck = !board.generate_moves(|_| true);
    match (board.status(), board.side_to_move()) {
        (GameStatus::Won, Color::White) => Some(("checkmate", "0-1")),
        (GameStatus::Won, Color::Black) => Some(("checkmate", "1-0")),
        (GameStatus::Drawn, _) if stuck => Some(("stalemate", "1/2-1/2")),
        _ if is_dead(board) => Some(("a dead position", "1/2-1/2")),
        _ => None,
    }
}

/// Neither side can ever mate: bare kings, or one knight or bishop more.
fn is_dead(board: &Board) -> bool {
    let light = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    board.occupied().len() <= 3 && (board.occupied() ^ light ^ board.pieces(Piece::King)).is_empty()
}

/// Draws that could be claimed in the course of the game (FIDE Laws, articles 9.2 and 9.3), each told once.
fn claims(start: &Board, boards: &[&Board]) -> Vec<String> {
    let mut seen: Vec<&Board> = vec![start];
    let (mut third, mut fifty) = (None, None);
    for &board in boards {
        // Steps that play nothing leave the position as it was.
        if seen.last().is_some_and(|last| last.side_to_move() == board.side_to_move()) {
            continue;
        }
        if seen.iter().filter(|earlier| earlier.same_position(board)).count() >= 2 {
            third.get_or_insert(seen.len());
        }
        if board.halfmove_clock() >= 100 {
            fifty.get_or_insert(seen.len());
        }
        seen.push(board);
    }
    let after = |ply: usize| format!("move {} of {}", ply.div_ceil(2), if ply % 2 == 1 { "White" } else { "Black" });
    let third = third.map(|ply| {
        format!("After {} a position stands on the board for the third time: a draw could be claimed.", after(ply))
    });
    let fifty = fifty.map(|ply| {
        format!("After {} fifty moves have passed without capture or pawn move: a draw could be claimed.", after(ply))
    });
    third.into_iter().chain(fifty).collect()
}

/// The first slot with ink behind rows that are not in the photos.
pub fn behind_missing(rows: &[Row], slots: &[Vec<Ink>]) -> Option<usize> {
    let jumps = |pair: &[Row]| pair[1].number > pair[0].number + MOST_MISSING + 1;
    let row = rows.windows(2).position(jumps)? + 1;
    let is_written = |slot: &Vec<Ink>| slot.iter().any(|ink| matches!(ink, Ink::Written(_)));
    slots[2 * row..].iter().any(is_written).then_some(2 * row)
}

/// The slot from which on the game is guessed.
pub fn guessed_from(decoded: &Decoded) -> Option<usize> {
    let Decoded { plies, places, signs, .. } = decoded;
    let is_guess = |at: &usize| signs[*at].is_some_and(|signs| signs.is_guess());
    let is_lost = |at: &usize| {
        let Some(signs) = signs[*at] else { return plies[*at].san.is_none() };
        !signs.is_written() || plies[*at].confidence < UNLIKELY
    };
    let played = plies.iter().rposition(|ply| ply.san.is_some())? + 1;
    let guesses: Vec<usize> = (lost_from(played, is_lost)..played).filter(is_guess).collect();
    let from = *guesses.first()?;
    let lost = plies[from..].iter().filter(|ply| ply.san.is_some()).count();
    // A hand that can hardly be read anywhere is left to the person.
    (guesses.len() >= GUESSES && lost <= from).then(|| places[from].slot)
}

/// The first of some plies from which on far more are lost than hold.
fn lost_from(plies: usize, is_lost: impl Fn(&usize) -> bool) -> usize {
    let mut sum = 0;
    let mut best = (0, plies);
    for at in (0..plies).rev() {
        sum += if is_lost(&at) { 1 } else { -HOLDS };
        if sum > best.0 {
            best = (sum, at);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Signs;
    use crate::decode::material::blank_ply;
    use crate::game::Colour;

    #[test]
    fn mate_by_a_guess_is_no_result() {
        let mut mate = Ending { result: "0-1".to_owned(), read: 0.0, left: Vec::new(), warnings: Vec::new() };
        let sure = mate.origin(Some(0.9)).unwrap();
        assert_eq!((sure.source, sure.confidence, mate.result.as_str()), (ResultSource::Board, Some(0.9), "0-1"));
        assert!(mate.origin(Some(0.16)).is_none() && mate.result == "*" && mate.warnings.len() == 1);
    }

    #[test]
    fn unlikely_moves_among_guesses_are_lost_with_them() {
        let (read, guess) = ((0.0, 0.9), (-0.9, 0.3));
        let from = |tail: &[(f32, f32)]| {
            let shown = [vec![read; 6], tail.to_vec()].concat();
            let ply =
                |at: usize| Ply { san: Some("e4".to_owned()), confidence: shown[at].1, ..blank_ply(1, Colour::White) };
            guessed_from(&Decoded {
                plies: (0..shown.len()).map(ply).collect(),
                places: (0..shown.len()).map(|slot| Place { slot, omitted: false }).collect(),
                signs: shown.iter().map(|&(fit, _)| Some(Signs { fit, ..Signs::default() })).collect(),
                languages: Vec::new(),
                result: "*".to_owned(),
                result_origin: None,
                warnings: Vec::new(),
            })
        };
        assert_eq!(from(&[guess, (0.0, 0.2), guess]), Some(6));
        assert_eq!(from(&[(0.0, 0.2), guess, guess]), Some(7), "what stands before the guesses stays");
        assert_eq!(from(&[guess, read, guess]), None, "what is read between them holds");
        assert_eq!(from(&[guess, guess, guess, guess, read, guess]), Some(6), "chance reads one of many");
        assert_eq!(from(&[guess; 7]), None, "more is lost than was read");
    }
}
