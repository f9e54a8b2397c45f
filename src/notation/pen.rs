//! What spellings are written with: a text, or whatever follows the letters as they come.

use super::language::Language;
use super::shape::{file_char, rank_char};
use super::style::{Choice, Habits};
use crate::reading::byte_symbol;
use cozy_chess::{Piece, Square};

/// Writes letter by letter; every copy goes on alone.
pub trait Pen: Copy {
    /// Writes a letter, a byte of [`byte_symbol`].
    fn letter(self, letter: u8) -> Self;

    /// The same at a given share of the probability.
    fn times(self, share: f64) -> Self;

    /// Notes a choice of the writer, with its share of the probability.
    fn choose(self, choice: Choice, habits: &Habits) -> Self {
        self.times(habits.share(choice))
    }

    /// Whether nothing that begins so is wanted.
    fn is_lost(&self) -> bool {
        false
    }

    /// Writes letters.
    fn letters(self, letters: &[u8]) -> Self {
        letters.iter().fold(self, |pen, &letter| pen.letter(letter))
    }

    /// Writes what stands for a piece.
    fn piece(self, language: &Language, piece: Piece) -> Self {
        language.bytes(piece).fold(self, Self::letter)
    }

    /// Writes a square.
    fn square(self, square: Square) -> Self {
        self.letter(file_char(square.file())).letter(rank_char(square.rank()))
    }
}

/// The longest spelling: `Qa1xQb2` with promotion in brackets and a suffix fits.
const MAX_LENGTH: usize = 18;
const MAX_CHOICES: usize = 8;

/// One way to write a move: its text, its probability and the choices that led to it.
#[derive(Debug, Clone, Copy)]
pub struct Spelling {
    text: [u8; MAX_LENGTH],
    length: u8,
    choices: [Choice; MAX_CHOICES],
    chosen: u8,
    /// Probability of this spelling, given the move.
    pub probability: f64,
}

impl Spelling {
    /// The spelling that says nothing, with probability one.
    pub fn empty() -> Self {
        Self { text: [0; MAX_LENGTH], length: 0, choices: [Choice::Short; MAX_CHOICES], chosen: 0, probability: 1.0 }
    }

    /// The bytes of what is written, see [`byte_symbol`].
    pub fn bytes(&self) -> &[u8] {
        &self.text[..self.length as usize]
    }

    /// The characters written.
    pub fn text(&self) -> String {
        self.bytes().iter().map(|&byte| byte_symbol(byte)).collect()
    }

    /// The choices made.
    pub fn choices(&self) -> &[Choice] {
        &self.choices[..self.chosen as usize]
    }
}

impl Pen for Spelling {
    fn letter(mut self, letter: u8) -> Self {
        self.text[self.length as usize] = letter;
        self.length += 1;
        self
    }

    fn times(mut self, share: f64) -> Self {
        self.probability *= share;
        self
    }

    fn choose(mut self, choice: Choice, habits: &Habits) -> Self {
        self.choices[self.chosen as usize] = choice;
        self.chosen += 1;
        self.times(habits.share(choice))
    }
}
