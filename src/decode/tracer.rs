//! A pen that follows spellings through the ink of a cell, and stops where the ink says something else.

use super::score::{Lattice, NodeId, Symbols, Trie};
use crate::notation::Pen;
use std::cell::RefCell;

/// Spellings that promise less than this fit no better than alien ink.
pub const SPELLED_LEAST: f32 = 3e-6;
/// A likelihood that is nothing beside alien ink.
const NOTHING: f32 = 1e-6;

/// Follows a spelling through the ink, as far as the ink allows it.
#[derive(Clone, Copy)]
pub struct Tracer<'a> {
    trie: &'a RefCell<Trie>,
    lattice: &'a Lattice,
    symbols: &'a Symbols,
    node: Option<NodeId>,
    /// Of what was written, given the move.
    pub probability: f64,
}

impl<'a> Tracer<'a> {
    /// At the beginning of a text.
    pub fn new(trie: &'a RefCell<Trie>, lattice: &'a Lattice, symbols: &'a Symbols) -> Self {
        Self { trie, lattice, symbols, node: Some(Trie::ROOT), probability: 1.0 }
    }

    /// What promises less adds nothing.
    fn least(&self) -> f32 {
        SPELLED_LEAST.max(NOTHING / self.probability as f32)
    }

    /// The node of all that was written, unless the ink does not allow it.
    pub fn end(&self) -> Option<NodeId> {
        self.node.filter(|&node| self.trie.borrow().promise(self.lattice, node) >= self.least())
    }
}

impl Pen for Tracer<'_> {
    fn letter(mut self, letter: u8) -> Self {
        if let Some(node) = self.node {
            let least = self.least();
            self.node = self.trie.borrow_mut().walk(self.lattice, self.symbols, node, &[letter], least);
        }
        self
    }

    fn times(mut self, share: f64) -> Self {
        self.probability *= share;
        self
    }

    fn is_lost(&self) -> bool {
        self.node.is_none()
    }
}
