//! What slips of the pen cost.

/// The price of what never happens.
pub const NEVER: f32 = -1e3;

/// What a writer may do wrong, as natural logarithms of probabilities.
#[derive(Debug, Clone, Copy)]
pub struct SlipPrices {
    /// One part of the move is written wrong.
    pub slip: f32,
    /// The ink has nothing to do with the move: price of slip and of ink together.
    pub alien: f32,
    /// The same where little tells that the ink belongs in its cell.
    pub doubted: f32,
    /// The cell is blank though a move was played.
    pub blank: f32,
}

impl SlipPrices {
    /// The prices for a sheet on which a first look found `slips` slips in `plies` plies.
    ///
    /// The share of slips is taken as the mean of a Beta posterior with prior 0.2 in 80; the price of alien ink, half of
    /// which is the recogniser's doing, follows by half.
    pub fn for_sheet(self, slips: usize, plies: usize) -> Self {
        if self.slip <= NEVER {
            return self;
        }
        let slip = ((0.2 + slips as f32) / (80.0 + plies as f32)).ln();
        let change = (slip - self.slip).clamp(-2.5, 1.0);
        Self { slip: self.slip + change, alien: self.alien + change / 2.0, ..self }
    }

    /// The prices for a writer who makes no slips: only what cannot be read may stand for any move.
    pub fn none(self) -> Self {
        Self { slip: NEVER, ..self }
    }
}

impl Default for SlipPrices {
    fn default() -> Self {
        Self { slip: -4.5, alien: -10.0, doubted: -4.0, blank: -6.0 }
    }
}
