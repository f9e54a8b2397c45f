//! How widely a game is searched, and where.

/// How many games are followed at once.
///
/// Positions that need no mending have places of their own: they are few, and what the recogniser confuses may show
/// only twenty moves later, while every legal move is a candidate once ink is taken for a slip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Positions expanded per slot whose game agrees with the ink all the way.
    pub agreeing: usize,
    /// Other positions expanded per slot.
    pub mended: usize,
    /// The same for two slots behind ink that fits nothing: until the next ink has spoken, nothing tells a move that was
    /// left out from one that was written wrong.
    pub after_trouble: usize,
    /// Positions that lie further than this behind the best one (natural logarithm) are dropped.
    pub window: f64,
    /// Positions from which moves left out are tried.
    pub omitting: usize,
}

impl Limits {
    /// For a first look, to learn language and habits and where the game needs mending.
    pub const NARROW: Limits = Limits { agreeing: 20, mended: 20, after_trouble: 40, window: 13.0, omitting: 2 };
    /// For places where the ink and the game agree.
    pub const USUAL: Limits = Limits { agreeing: 60, mended: 40, after_trouble: 80, window: 18.0, omitting: 6 };
    /// For places where the game needs mending.
    pub const WIDE: Limits = Limits { agreeing: 100, mended: 250, after_trouble: 500, window: 18.0, omitting: 6 };
    /// For places where that does not help and mending is dear.
    pub const WIDEST: Limits = Limits { agreeing: 100, mended: 2000, after_trouble: 2000, window: 22.0, omitting: 6 };

    /// Whether at least as many mended positions are followed.
    pub fn reaches(&self, other: &Limits) -> bool {
        self.mended >= other.mended
    }
}

/// A slip is often noticed only when a later move turns out impossible: this many slots before the place are searched
/// widely with it.
const MENDING_BEFORE: usize = 24;
/// The same behind the place.
const MENDING_BEHIND: usize = 6;

/// The limits for every slot and the table's end, given those at which a first look had to mend the game.
pub fn around(mended: &[usize], slots: usize) -> Vec<Limits> {
    let mut limits = vec![Limits::USUAL; slots + 1];
    widen(&mut limits, mended, Limits::WIDE);
    limits
}

/// Widens the search to at least the given limits around slots at which the game had to be mended.
pub fn widen(limits: &mut [Limits], mended: &[usize], to: Limits) {
    for &slot in mended {
        let end = (slot + MENDING_BEHIND).min(limits.len() - 1);
        let around = &mut limits[slot.saturating_sub(MENDING_BEFORE)..=end];
        around.iter_mut().filter(|limits| !limits.reaches(&to)).for_each(|limits| *limits = to);
    }
}

/// What mending costs (natural logarithm) within reach of one wrong turn from which another game is looked for.
const DEAR: f32 = 30.0;

/// The slots at which mending costs so much together that another game, found by a wider search, may cost less. Given are
/// all of them, in order, with what each costs.
pub fn dear(mended: &[(usize, f32)]) -> Vec<usize> {
    let mut dear: Vec<usize> = Vec::new();
    for &(last, _) in mended {
        let together = mended.iter().filter(|(slot, _)| (last.saturating_sub(MENDING_BEFORE)..=last).contains(slot));
        if together.clone().map(|(_, cost)| cost).sum::<f32>() >= DEAR {
            dear.extend(together.map(|(slot, _)| slot));
        }
    }
    dear
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_dear_together_only_within_reach_of_each_other() {
        assert_eq!(dear(&[(3, 10.0), (40, 12.0), (50, 12.0)]), [] as [usize; 0]);
        assert_eq!(dear(&[(3, 10.0), (40, 12.0), (50, 12.0), (64, 7.0)]), [40, 50, 64]);
    }

    #[test]
    fn widening_never_narrows() {
        let mut limits = around(&[], 60);
        widen(&mut limits, &[30], Limits::WIDEST);
        widen(&mut limits, &[40], Limits::WIDE);
        assert_eq!([5, 6, 36, 37, 46, 47].map(|slot| limits[slot].mended), [40, 2000, 2000, 250, 250, 40]);
    }
}
