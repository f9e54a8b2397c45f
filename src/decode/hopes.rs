//! The most promising moves of a slot, before any of them is made.

use cozy_chess::Move;

/// A move that the slot may hold, before it is made.
pub struct Hope {
    /// Upper bound of the score behind it.
    pub score: f64,
    pub from: u32,
    pub mv: Move,
    /// Of the ink, by check.
    pub scores: [f32; 3],
    pub prior: f32,
}

/// The best of the moves that a slot may hold.
pub struct Hopes {
    room: usize,
    list: Vec<Hope>,
    /// What scores less is none of the best.
    pub least: f64,
}

impl Hopes {
    /// Room for so many.
    pub fn new(room: usize) -> Self {
        Self { room, list: Vec::new(), least: f64::NEG_INFINITY }
    }

    /// Keeps a move if it may be one of the best.
    pub fn add(&mut self, hope: Hope) {
        if hope.score > self.least {
            self.list.push(hope);
            if self.list.len() >= self.room * 3 / 2 {
                self.prune();
            }
        }
    }

    fn prune(&mut self) {
        if self.list.len() > self.room {
            let (_, last, _) = self.list.select_nth_unstable_by(self.room, |a, b| b.score.total_cmp(&a.score));
            self.least = last.score;
            self.list.truncate(self.room);
        }
    }

    /// The best, in no order.
    pub fn best(mut self) -> Vec<Hope> {
        self.prune();
        self.list
    }
}
