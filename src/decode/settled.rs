//! What a person has settled about the game, place by place: the search keeps to it.

use std::collections::BTreeMap;

/// What is settled about a cell of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettledCell {
    /// It holds this move, in any notation that [`crate::notation::parse_move`] reads.
    Move(String),
    /// It holds no move.
    NoMove,
}

/// What is settled about a slot: White's or Black's cells of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledSlot {
    pub cell: Option<SettledCell>,
    /// The moves that were played before it and not written; none for a move that is not known.
    pub omitted: Vec<Option<String>>,
}

/// Everything that is settled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// By slot: twice the index of the row, one more for Black.
    pub slots: BTreeMap<usize, SettledSlot>,
    /// The game ends before this slot.
    pub end: Option<usize>,
    /// Nobody told the end, it was found: what is written behind it is still of interest.
    pub found: Option<FoundEnd>,
}

/// Why the game ends where nobody has said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundEnd {
    /// Another game begins there.
    AnotherGame,
    /// All behind it would be guessed.
    Guesses,
    /// The next rows are not in the photos.
    RowsMissing,
}

/// No game that the ink allows agrees with what is settled about this slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contradiction {
    pub slot: usize,
}

impl Settled {
    /// What is settled about a slot's cell.
    pub(super) fn cell(&self, slot: usize) -> Option<&SettledCell> {
        self.slots.get(&slot)?.cell.as_ref()
    }

    /// Whether nobody has settled where the game ends.
    pub(super) fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Whether nobody has settled the end, nor anything from a slot on.
    pub(super) fn is_open_behind(&self, slot: usize) -> bool {
        self.is_open() && self.slots.range(slot..).next().is_none()
    }

    /// Whether the game may end before a slot.
    pub(super) fn may_end(&self, slot: usize) -> bool {
        match self.end {
            Some(end) => slot == end,
            None => self.slots.iter().rev().find(|(_, s)| s.is_played()).is_none_or(|(&last, _)| slot > last),
        }
    }

    /// Whether the game may go on at a slot.
    pub(super) fn may_go_on(&self, slot: usize) -> bool {
        self.end.is_none_or(|end| slot < end)
    }

    /// The slot at which a search that reached no end got stuck, having reached `furthest`.
    pub(super) fn stuck_at(&self, furthest: usize) -> Contradiction {
        let settled = self.slots.range(..=furthest).next_back().map(|(&slot, _)| slot);
        Contradiction { slot: settled.or(self.end).unwrap_or(furthest) }
    }
}

impl SettledSlot {
    fn is_played(&self) -> bool {
        !self.omitted.is_empty() || matches!(self.cell, Some(SettledCell::Move(_)))
    }
}
