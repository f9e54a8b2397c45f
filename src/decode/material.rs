//! What a game is told from, and what stands in its slots.

use super::beam::Table;
use super::emission::Ink;
use super::graph::Graph;
use super::reasons;
use super::sheet::Cells;
use super::{InkCell, Options, Row};
use crate::game::{Colour, Ply, Status, Written};
use crate::notation::{Language, Notation};
use crate::reading::Alphabet;
use cozy_chess::{Board, Color};
use std::sync::OnceLock;

/// What the outcome is told from.
pub struct Material<'a> {
    pub rows: &'a [Row],
    pub cells: &'a Cells<'a>,
    pub table: &'a Table<'a>,
    pub graph: &'a Graph,
    pub options: &'a Options,
    pub alphabet: &'a Alphabet,
    /// By slot what the sheets say, as far as it was asked for before.
    pub known: &'a [OnceLock<Vec<Written>>],
    /// By sheet, its language.
    pub languages: Vec<&'static Language>,
    /// By sheet, how moves are written in its language; none where no model knows.
    pub notations: Vec<Option<Notation>>,
}

/// What the sheets say in a slot: the texts of its cells, as moves are written in each sheet's language.
pub fn written(
    cells: &[Option<&InkCell>],
    inks: &[Ink],
    alphabet: &Alphabet,
    notations: &[Option<Notation>],
) -> Vec<Written> {
    let inked = cells.iter().zip(inks).filter_map(|(cell, ink)| match (cell, ink) {
        (Some(cell), Ink::Doubted(lattice) | Ink::Written(lattice)) => {
            let notation = notations.get(cell.sheet).and_then(Option::as_ref);
            let (text, confidence) = match (&cell.reading, notation) {
                (Some(reading), Some(notation)) => lattice.written(reading, alphabet, notation),
                _ => (lattice.text.clone(), lattice.confidence),
            };
            let confidence = confidence.clamp(0.0, 1.0);
            Some(Written { sheet: cell.sheet, page: cell.page, quad: cell.quad, text, confidence })
        }
        _ => None,
    });
    inked.collect()
}

impl Material<'_> {
    /// The printed number of a slot's row.
    pub fn number(&self, slot: usize) -> u32 {
        self.rows.get(slot / 2).map_or(0, |row| row.number)
    }

    /// What the sheets say in a slot.
    pub fn written(&self, slot: usize) -> Vec<Written> {
        let read = || written(&self.cells[slot], &self.table.slots[slot], self.alphabet, &self.notations);
        self.known[slot].get_or_init(read).clone()
    }

    /// What is written in a slot that is no legal move of the game.
    pub fn ply_of_ink(&self, slot: usize, board: &Board, why: &str) -> Ply {
        let written = self.written(slot);
        Ply {
            colour: if slot.is_multiple_of(2) { Colour::White } else { Colour::Black },
            status: Status::Illegal,
            reason: Some(format!("written {}, {why}", reasons::said(&written))),
            written,
            ..self.blank_ply(slot, board)
        }
    }

    /// A ply of which nothing is known but its place.
    pub fn blank_ply(&self, slot: usize, board: &Board) -> Ply {
        let colour = if board.side_to_move() == Color::White { Colour::White } else { Colour::Black };
        blank_ply(self.number(slot), colour)
    }
}

/// A ply of which nothing is known but its place.
pub fn blank_ply(number: u32, colour: Colour) -> Ply {
    Ply {
        ply: 0,
        number,
        colour,
        san: None,
        uci: None,
        confidence: 0.0,
        status: Status::Unread,
        reason: None,
        written: Vec::new(),
        candidates: Vec::new(),
        clock: None,
        draw_offer: false,
        nag: None,
    }
}
