//! What stands beside a move in its cell: a clock time, the offer of a draw, an annotation.

use super::score::Beside;

/// What was found beside a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// As PGN writes it: hours, minutes, seconds (`1:05:00`).
    pub clock: Option<String>,
    pub draw_offer: bool,
    /// Numeric Annotation Glyph (PGN standard, section 10).
    pub nag: Option<u8>,
}

/// Annotations with their glyphs, the longest first.
const ANNOTATIONS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// Share of moves beside which ink that reads as a clock time is one.
const IS_CLOCK: f32 = 0.5;

/// Where a text shows a clock time beside a move, if it does.
pub fn clock_beside(text: &str) -> Option<Beside> {
    if leading_clock(text).is_some() {
        return Some(Beside { before: IS_CLOCK, behind: 0.0 });
    }
    trailing_clock(text).map(|_| Beside { before: 0.0, behind: IS_CLOCK })
}

/// Finds the marks in what a cell says of a move.
pub fn marks(text: &str, san: &str) -> Marks {
    let mut marks = Marks::default();
    let mut rest = text;
    if let Some((clock, behind)) = leading_clock(rest) {
        (marks.clock, rest) = (Some(clock), behind);
    } else if let Some((clock, before)) = trailing_clock(rest) {
        (marks.clock, rest) = (Some(clock), before);
    }
    // The mark of a promotion is no offer.
    if let Some(before) = rest.strip_suffix("(=)").or_else(|| rest.strip_suffix('=')).filter(|_| !san.contains('=')) {
        (marks.draw_offer, rest) = (true, before);
    }
    let found = ANNOTATIONS.iter().find(|(mark, _)| rest.ends_with(mark));
    marks.nag = found.map(|&(_, nag)| nag);
    marks
}

/// `h:mm` or `h.mm` before a move, and what follows it.
fn leading_clock(text: &str) -> Option<(String, &str)> {
    let clock = clock(text.get(..4)?)?;
    let rest = text.get(4..).filter(|rest| rest.len() > 1)?;
    Some((clock, rest))
}

/// The same behind a move, and what stands before it.
fn trailing_clock(text: &str) -> Option<(String, &str)> {
    let (rest, end) = text.split_at_checked(text.len().checked_sub(4)?)?;
    (rest.len() > 1).then_some(())?;
    Some((clock(end)?, rest))
}

/// One digit, a colon or point, two digits below sixty; the letter O is a zero.
fn clock(text: &str) -> Option<String> {
    let digits: Vec<char> = text.chars().map(|c| if c == 'O' { '0' } else { c }).collect();
    let [hour, sign, ten, one] = digits[..] else { return None };
    let fits = hour.is_ascii_digit() && matches!(sign, ':' | '.') && ('0'..='5').contains(&ten) && one.is_ascii_digit();
    fits.then(|| format!("{hour}:{ten}{one}:00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_times_stand_before_or_behind_the_move() {
        let with = |clock: &str| Marks { clock: Some(clock.to_owned()), ..Marks::default() };
        assert_eq!(marks("1:23Nf3", "Nf3"), with("1:23:00"));
        assert_eq!(marks("O.O5Nf3", "Nf3"), with("0:05:00"));
        assert_eq!(marks("Nf31:23", "Nf3"), with("1:23:00"));
        assert_eq!(marks("1:73Nf3", "Nf3"), Marks::default());
        assert_eq!(marks("e4", "e4"), Marks::default());
        assert_eq!(marks("O-O", "O-O"), Marks::default());
    }

    #[test]
    fn offers_and_annotations_stand_behind_it() {
        assert!(marks("Nf3(=)", "Nf3").draw_offer && marks("Nf3=", "Nf3").draw_offer);
        assert!(!marks("e8=", "e8=Q").draw_offer && !marks("e8=Q", "e8=Q").draw_offer);
        assert_eq!(marks("Nf3!?", "Nf3").nag, Some(5));
        assert_eq!(marks("Nf3?(=)", "Nf3"), Marks { draw_offer: true, nag: Some(2), clock: None });
        assert_eq!(marks("Nf3+", "Nf3+").nag, None);
    }
}
