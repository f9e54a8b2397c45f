//! Another game below the end of the first: what is written there reads badly as a part of the first game, and well from
//! the usual first position.

use super::emission::Ink;
use super::sheet::{Hand, SheetTable};
use super::{Options, Settled};
use cozy_chess::Board;
use std::collections::BTreeMap;

/// Plies that are looked at, first a few and then more, and how many of them may not read as moves of another game.
const LOOKS: [(usize, usize); 2] = [(6, 1), (16, 2)];
/// Slots of a first game at least: less is the head of the table, or a false start.
const SHORTEST: usize = 10;
/// How many of as many plies must not read as moves of the first game.
const MENDED: usize = 8;

/// What was found out about where another game may begin.
#[derive(Debug, Default)]
pub struct SecondGames {
    /// By slot, how many plies do not read as another game's; none if too many.
    strange: BTreeMap<usize, Option<usize>>,
}

impl SecondGames {
    /// The slot at which another game begins; `mended` are those at which the ink does not say the first game's move.
    pub fn begins(&mut self, sheet: &SheetTable, hands: &[Hand], mended: &[usize]) -> Option<usize> {
        let (length, _) = LOOKS[LOOKS.len() - 1];
        let is_strange = |slot: usize| (slot..slot + length).filter(|slot| mended.contains(slot)).count() >= MENDED;
        let rows = (SHORTEST..(sheet.slots.len() + 1).saturating_sub(length)).step_by(2);
        let found = rows.filter(|&slot| is_strange(slot)).filter_map(|slot| {
            let strange = *self.strange.entry(slot).or_insert_with(|| strange_anew(sheet, hands, slot));
            Some((strange?, slot))
        });
        found.min().map(|(_, slot)| slot)
    }
}

/// How many plies do not read as those of a game that begins at a slot; none if too many.
fn strange_anew(sheet: &SheetTable, hands: &[Hand], slot: usize) -> Option<usize> {
    let options = Options { settled: Settled::default(), ..sheet.options.clone() };
    let mut strange = None;
    for (plies, most) in LOOKS {
        let slots = &sheet.slots[slot..slot + plies];
        let written = slots.iter().filter(|inks| inks.iter().any(|ink| matches!(ink, Ink::Written(_)))).count();
        if written + most < plies {
            return None;
        }
        let look = SheetTable { slots, start: &Board::default(), options: &options, ..*sheet }.first_look(hands);
        strange = Some(look.mended.len().max(plies.saturating_sub(look.plies)));
        if strange > Some(most) {
            return None;
        }
    }
    strange
}
