//! A writer's habits: the choices that notation leaves open, and how often this writer makes each.
//!
//! The probability of a spelling is the product of the choices made in it. Choices come in groups that add up to one;
//! a group's shares are estimated from the sheet itself as the mean of a Dirichlet posterior:
//! `(strength * neutral + count) / (strength + sum of counts)`.

/// One way out of a choice that notation leaves to the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Choice {
    // Short or long algebraic notation.
    Short,
    LongHyphen,
    LongBare,
    // The sign between piece and square of a capture.
    CaptureCross,
    CaptureColon,
    CaptureNone,
    CaptureHyphen,
    CaptureColonBehind,
    // The sign between piece and square of a move that takes nothing.
    QuietNone,
    QuietHyphen,
    QuietCross,
    // What a capture names: the square, the piece taken, or both; `ed` names only the file.
    TakesSquare,
    TakesLetter,
    TakesLetterAndSquare,
    PawnTakesSquare,
    PawnTakesFile,
    PawnTakesLetter,
    PawnTakesUnsaid,
    // A piece that no other piece of its kind can stand in for.
    LonePlain,
    LoneWithFile,
    LoneWithRank,
    // A piece that must be told apart from another.
    RivalToldApart,
    RivalOtherWay,
    RivalBoth,
    RivalLeftOut,
    // The sign behind a move that gives no check, gives check, or mates.
    QuietUnmarked,
    QuietMarked,
    CheckPlus,
    CheckUnmarked,
    CheckDoublePlus,
    MateHash,
    MateDoublePlus,
    MatePlus,
    MateUnmarked,
    // Castling.
    CastleHyphens,
    CastleBare,
    CastleOneHyphen,
    CastleKing,
    // Promotion.
    PromoteEquals,
    PromoteBare,
    PromoteBrackets,
    PromoteSlash,
    PromoteUnsaid,
    // The pawn's letter.
    PawnPlain,
    PawnLetter,
    // The en passant note.
    PassantUnsaid,
    PassantSaid,
    // A remark behind the move: `!`, `?`, `=`.
    RemarkNone,
    RemarkMade,
}

/// Number of [`Choice`]s.
const CHOICES: usize = Choice::RemarkMade as usize + 1;

/// A group of choices: how strongly the neutral shares hold against what the sheet shows, and the shares themselves.
type Group = (f64, &'static [(Choice, f64)]);

/// Neutral shares, counted on two sets of English sheets where the choice occurs there, and guessed where it does not.
const GROUPS: &[Group] = {
    use Choice::*;
    &[
        (3.0, &[(Short, 0.975), (LongHyphen, 0.015), (LongBare, 0.01)]),
        (
            3.0,
            &[
                (CaptureCross, 0.86),
                (CaptureNone, 0.10),
                (CaptureColon, 0.02),
                (CaptureHyphen, 0.01),
                (CaptureColonBehind, 0.01),
            ],
        ),
        (8.0, &[(QuietNone, 0.985), (QuietHyphen, 0.01), (QuietCross, 0.005)]),
        (4.0, &[(TakesSquare, 0.97), (TakesLetter, 0.02), (TakesLetterAndSquare, 0.01)]),
        (4.0, &[(PawnTakesSquare, 0.92), (PawnTakesFile, 0.05), (PawnTakesLetter, 0.015), (PawnTakesUnsaid, 0.015)]),
        (10.0, &[(LonePlain, 0.985), (LoneWithFile, 0.01), (LoneWithRank, 0.005)]),
        (4.0, &[(RivalToldApart, 0.68), (RivalLeftOut, 0.25), (RivalOtherWay, 0.05), (RivalBoth, 0.02)]),
        (20.0, &[(QuietUnmarked, 0.985), (QuietMarked, 0.015)]),
        (3.0, &[(CheckPlus, 0.70), (CheckUnmarked, 0.28), (CheckDoublePlus, 0.02)]),
        (2.0, &[(MateHash, 0.55), (MatePlus, 0.15), (MateDoublePlus, 0.15), (MateUnmarked, 0.15)]),
        (2.0, &[(CastleHyphens, 0.85), (CastleBare, 0.12), (CastleOneHyphen, 0.02), (CastleKing, 0.01)]),
        (
            2.0,
            &[
                (PromoteEquals, 0.55),
                (PromoteBare, 0.30),
                (PromoteBrackets, 0.05),
                (PromoteSlash, 0.02),
                (PromoteUnsaid, 0.08),
            ],
        ),
        (5.0, &[(PawnPlain, 0.99), (PawnLetter, 0.01)]),
        (2.0, &[(PassantUnsaid, 0.85), (PassantSaid, 0.15)]),
        (20.0, &[(RemarkNone, 0.99), (RemarkMade, 0.01)]),
    ]
};

/// How often a writer makes each choice, as shares of its group.
#[derive(Debug, Clone, PartialEq)]
pub struct Habits {
    shares: [f64; CHOICES],
}

/// Expected counts of the choices seen on a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    counts: [f64; CHOICES],
}

impl Default for Usage {
    fn default() -> Self {
        Self { counts: [0.0; CHOICES] }
    }
}

impl Usage {
    /// Adds `weight` sightings of a choice.
    pub fn add(&mut self, choice: Choice, weight: f64) {
        self.counts[choice as usize] += weight;
    }
}

impl Default for Habits {
    /// The habits of a writer of whom nothing is known.
    fn default() -> Self {
        Self::from_usage(&Usage::default())
    }
}

impl Habits {
    /// The habits that a sheet's choices suggest, held back by the neutral shares.
    pub fn from_usage(usage: &Usage) -> Self {
        let mut shares = [0.0; CHOICES];
        for (strength, group) in GROUPS {
            let total: f64 = group.iter().map(|(choice, _)| usage.counts[*choice as usize]).sum();
            for (choice, neutral) in *group {
                shares[*choice as usize] = (strength * neutral + usage.counts[*choice as usize]) / (strength + total);
            }
        }
        Self { shares }
    }

    /// The share of a choice in its group.
    pub fn share(&self, choice: Choice) -> f64 {
        self.shares[choice as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_shares_add_up_to_one_and_cover_every_choice() {
        let habits = Habits::default();
        assert!(habits.shares.iter().all(|&share| share > 0.0));
        for (_, group) in GROUPS {
            let total: f64 = group.iter().map(|(choice, _)| habits.share(*choice)).sum();
            assert!((total - 1.0).abs() < 1e-9, "{group:?} adds up to {total}");
        }
    }

    #[test]
    fn a_writer_who_omits_the_capture_sign_is_soon_known() {
        let mut usage = Usage::default();
        usage.add(Choice::CaptureNone, 10.0);
        let habits = Habits::from_usage(&usage);
        assert!(habits.share(Choice::CaptureNone) > 0.7);
        assert!(habits.share(Choice::CaptureCross) > 0.0);
    }
}
