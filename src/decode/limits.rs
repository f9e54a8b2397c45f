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
    /// Positions that lie further than this behind the best one (natural logarithm) are dropped.
    pub window: f64,
    /// Positions from which moves left out are tried.
    pub omitting: usize,
}

impl Limits {
    /// For a first look, to learn language and habits and where the game needs mending.
    pub const NARROW: Limits = Limits { agreeing: 20, mended: 20, window: 13.0, omitting: 2 };
    /// For places where the ink and the game agree.
    pub const USUAL: Limits = Limits { agreeing: 60, mended: 40, window: 18.0, omitting: 6 };
    /// For places where the game needs mending.
    pub const WIDE: Limits = Limits { agreeing: 100, mended: 250, window: 18.0, omitting: 6 };
}

/// A slip is often noticed only when a later move turns out impossible: this many slots before the place are searched
/// widely with it.
const MENDING_BEFORE: usize = 24;
/// The same behind the place.
const MENDING_BEHIND: usize = 6;

/// The limits for every slot, given those at which a first look had to mend the game.
pub fn limits_around(mended: &[usize], slots: usize) -> Vec<Limits> {
    let mut limits = vec![Limits::USUAL; slots + 1];
    for &slot in mended {
        let end = (slot + MENDING_BEHIND).min(slots);
        limits[slot.saturating_sub(MENDING_BEFORE)..=end].fill(Limits::WIDE);
    }
    limits
}
