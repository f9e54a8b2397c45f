//! What the recogniser takes the signs of one hand for: seen in the moves of the game, and told to its other cells.
//!
//! A writer's 6 may look like anybody's 1. Where the game says which sign stands there, it is counted what was seen; a
//! sign that is seen elsewhere may then be each sign for which it stood, by the mean of a Dirichlet posterior. What a cell
//! itself has taught is not told to it.

use super::Row;
use super::fast_map::FastMap;
use super::sheet::cells;
use crate::reading::{Alphabet, Reading};
use std::ops::Range;

/// How often a sign seems to have been seen where it was written, before anything is known.
const KNOWN: f32 = 4.0;
/// What is seen once in another sign's place may be a slip of the writer's, or the game may be wrong there.
const ONCE: f32 = 1.0;
/// Probability of a blank from which on no sign is seen in a time step.
const NOTHING: f32 = 0.7;
/// Signs less probable than this are not seen.
const UNSEEN: f32 = 0.02;
/// Change of a probability that is worth telling.
const TELLING: f32 = 0.02;

/// What a cell holds if the game is right.
#[derive(Debug, Clone)]
pub struct Lesson {
    pub slot: usize,
    pub sheet: usize,
    /// The classes of the spelling of the move that fits the ink best.
    pub text: Vec<usize>,
    /// Probability of the move.
    pub sure: f32,
}

/// A sign that was written, and a sign that was seen there, by their classes; with a probability.
type Seen = (usize, usize, f32);

/// How often each sign of an alphabet was seen for each that was written.
struct Counts {
    classes: usize,
    /// `counts[seen * classes + written]`.
    counts: Vec<f32>,
}

impl Counts {
    fn new(classes: usize) -> Self {
        Self { classes, counts: vec![0.0; classes * classes] }
    }

    fn add(&mut self, seen: &[Seen], times: f32) {
        for &(written, seen, probability) in seen {
            self.counts[seen * self.classes + written] += times * probability;
        }
    }

    /// Tells a reading what its signs may stand for; whether that is anything new.
    fn tell(&self, reading: &mut Reading) -> bool {
        let mut is_new = false;
        for step in reading.log_probs.chunks_mut(self.classes) {
            let old: Vec<f32> = step.iter().map(|p| p.exp()).collect();
            if old[0] > 1.0 - UNSEEN {
                continue;
            }
            let mut new = old.clone();
            for seen in (1..self.classes).filter(|&seen| old[seen] > UNSEEN) {
                let stood_for = &self.counts[seen * self.classes..(seen + 1) * self.classes];
                let share = old[seen] / (stood_for.iter().sum::<f32>() + KNOWN);
                for (written, count) in stood_for.iter().enumerate().filter(|&(written, _)| written != seen) {
                    let moved = (count - ONCE).max(0.0) * share;
                    new[written] += moved;
                    new[seen] -= moved;
                }
            }
            if new.iter().zip(&old).any(|(new, old)| (new - old).abs() > TELLING) {
                is_new = true;
                step.iter_mut().zip(&new).for_each(|(step, new)| *step = new.max(1e-14).ln());
            }
        }
        is_new
    }
}

/// Rows as they read when it is known what each hand's signs look like; none if they read the same.
pub fn told(rows: &[Row], lessons: &[Lesson], alphabet: &Alphabet) -> Option<Vec<Row>> {
    let sheets = lessons.iter().map(|lesson| lesson.sheet + 1).max()?;
    let mut counts: Vec<Counts> = (0..sheets).map(|_| Counts::new(alphabet.classes())).collect();
    let mut taught: FastMap<(usize, usize), Vec<Seen>> = FastMap::default();
    let cells = cells(rows);
    for lesson in lessons {
        let Some(reading) = cells[lesson.slot][lesson.sheet].and_then(|cell| cell.reading.as_ref()) else { continue };
        let own: Vec<Seen> = reading.each_look().flat_map(|look| seen_in(reading, look, &lesson.text)).collect();
        counts[lesson.sheet].add(&own, 1.0);
        taught.insert((lesson.slot, lesson.sheet), own);
    }
    let mut told = rows.to_vec();
    let mut is_new = false;
    for (slot, side) in told.iter_mut().flat_map(|row| [&mut row.white, &mut row.black]).enumerate() {
        for cell in side {
            let (Some(reading), Some(counts)) = (&mut cell.reading, counts.get_mut(cell.sheet)) else { continue };
            let own = taught.get(&(slot, cell.sheet)).map_or(&[][..], Vec::as_slice);
            counts.add(own, -1.0);
            is_new |= counts.tell(reading);
            counts.add(own, 1.0);
        }
    }
    is_new.then_some(told)
}

/// What one look saw where each sign of a text stands, by the likeliest alignment of the text (the Viterbi path of CTC).
fn seen_in(reading: &Reading, look: Range<usize>, written: &[usize]) -> Vec<Seen> {
    let Some(signs) = reading.alignment(look.clone(), written) else { return Vec::new() };
    // The step of each sign at which a sign shows best.
    let mut steps: Vec<Option<usize>> = vec![None; written.len()];
    let blank = |t: usize| reading.step(look.start + t)[0];
    for (t, sign) in signs.iter().enumerate().rev() {
        if let Some(sign) = *sign {
            let place = &mut steps[sign];
            *place = Some(place.map_or(t, |old| if blank(t) < blank(old) { t } else { old }));
        }
    }
    let mut out = Vec::new();
    for (&written, t) in written.iter().zip(steps) {
        let Some(t) = t.filter(|&t| blank(t).exp() < NOTHING) else { continue };
        let step = reading.step(look.start + t);
        let any = 1.0 - step[0].exp();
        let shown = step.iter().map(|p| p.exp() / any).enumerate().skip(1).filter(|&(_, p)| p > UNSEEN);
        out.extend(shown.map(|(seen, p)| (written, seen, p)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::InkCell;
    use crate::decode::score::Symbols;
    use crate::decode::score::tests::{alphabet, reading_of};

    fn row(texts: [&str; 2]) -> Row {
        let cell = |text: &str| {
            let reading = Some(reading_of(text, 0.9, &alphabet()));
            vec![InkCell { sheet: 0, page: 0, quad: Default::default(), reading, doubted: false }]
        };
        Row { number: 1, white: cell(texts[0]), black: cell(texts[1]) }
    }

    /// What a text says where the cells of a sheet all seem to end in 1 and the first of them are known.
    fn last_signs(rows: &[Row], known: &[&str]) -> Option<Vec<[f32; 2]>> {
        let alphabet = alphabet();
        let symbols = Symbols::new(&alphabet);
        let lesson = |(slot, text): (usize, &&str)| Lesson {
            slot,
            sheet: 0,
            text: text.bytes().map(|byte| symbols.class(byte)).collect(),
            sure: 1.0,
        };
        let lessons: Vec<Lesson> = known.iter().enumerate().map(lesson).collect();
        let told = told(rows, &lessons, &alphabet)?;
        let last = |cells: &Vec<InkCell>| {
            let reading = cells[0].reading.as_ref().unwrap();
            let step = reading.step(reading.steps() - 2);
            ['1', '6'].map(|sign| step[alphabet.class(sign).unwrap()].exp())
        };
        Some(told.iter().flat_map(|row| [&row.white, &row.black]).map(last).collect())
    }

    #[test]
    fn a_sign_that_stood_for_another_one_may_do_so_again() {
        let rows = [row(["Te1", "Rg1"]), row(["Af1", "Tc1"]), row(["Kd1", "O-O"])];
        let signs = last_signs(&rows, &["Te6", "Rg6", "Af6", "Tc6"]).unwrap();
        let [one, six] = signs[4];
        assert!(six > 0.25 && one > 0.3 && (one + six - 0.9).abs() < 0.05, "{one} {six}");
        // A cell that taught it itself hears of the others only.
        assert!(signs[0][1] < six && signs[0][1] > 0.1, "{signs:?}");
    }

    #[test]
    fn what_was_seen_once_or_is_seen_rightly_tells_nothing() {
        let rows = [row(["Te1", "Rg1"]), row(["Af1", "Tc1"])];
        assert_eq!(last_signs(&rows, &["Te6"]), None);
        assert_eq!(last_signs(&rows, &["Te1", "Rg1", "Af1", "Tc1"]), None);
        assert_eq!(last_signs(&rows, &[]), None);
    }

    #[test]
    fn a_text_that_the_ink_does_not_hold_teaches_nothing() {
        let reading = reading_of("e4", 0.9, &alphabet());
        let class = |sign| alphabet().class(sign).unwrap();
        let whole = |text: &[usize]| seen_in(&reading, 0..reading.steps(), text);
        assert_eq!(whole(&[class('e'), class('4')]).len(), 2);
        assert_eq!(whole(&[class('a'); 9]), Vec::new());
        assert_eq!(whole(&[]), Vec::new());
        // Of two signs more than there is ink for at most those are counted at which something is seen.
        assert!(whole(&[class('e'), class('4'), class('+')]).iter().all(|seen| seen.2 > UNSEEN));
    }
}
