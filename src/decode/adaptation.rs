//! The recogniser's last layers learn one hand from the moves of its game, and read its other cells again.
//!
//! What the game says of a cell is the label of what the last layer saw there, sign by sign. The layers' weights follow
//! the gradient of the cross-entropy, held back to where they began (Kingma and Ba 2015, "Adam"), and stop where cells
//! that were left out read best (early stopping by cross-validation). So a sheet from which nothing is to be learned
//! stays as it was, and no cell is read by weights that have seen its own move.

use super::Row;
use super::confusions::Lesson;
use super::sheet::cells;
use crate::reading::{Features, Head, Pass, Reading, normalise, score};
use rayon::prelude::*;
use std::ops::Range;

/// Parts into which a sheet's cells fall; each is read by what the others teach.
const PARTS: usize = 7;
/// Fewest cells that teach anything.
const FEWEST: usize = 20;
/// Steps of the descent after which the cells left out are looked at.
const STOPS: [usize; 5] = [2, 4, 8, 16, 32];
/// Length of a step, by weight.
const RATE: f32 = 0.004;
/// How strongly a weight is held back, beside one sign seen.
const HELD: f32 = 1.0;
/// A move that is less probable than this teaches nothing,
const SURE: f32 = 0.7;
/// nor does a text that the ink holds no likelier than this, by its natural logarithm.
const LEAST: f32 = -8.0;
/// Where what the game says costs no more than this, in nats a cell, nothing is to be learned.
const WELL: f32 = 0.1;
/// A cell that reads worse than this, in nats, is as bad as can be.
const WORST: f32 = 8.0;

/// Rows as they read when the last layers know each hand; none if they read the same.
pub fn adapted(rows: &[Row], lessons: &[Lesson]) -> Option<Vec<Row>> {
    let cells = cells(rows);
    let sheets = cells.first().map_or(0, Vec::len);
    let layers = (0..sheets).into_par_iter().flat_map(|sheet| [Pass::First, Pass::Second].map(|pass| (sheet, pass)));
    let learned: Vec<(usize, Learned)> = layers
        .filter_map(|(sheet, pass)| {
            let sure = lessons.iter().filter(|lesson| lesson.sheet == sheet && lesson.sure >= SURE);
            let read = |lesson: &'_ Lesson| cells[lesson.slot][sheet].and_then(|cell| cell.reading.as_ref());
            let texts = sure.filter_map(|lesson| Some((lesson.slot, read(lesson)?, lesson.text.as_slice())));
            Some((sheet, learn(&Examples::new(texts, pass)?)?))
        })
        .collect();
    if learned.is_empty() {
        return None;
    }
    let mut adapted = rows.to_vec();
    for (slot, side) in adapted.iter_mut().flat_map(|row| [&mut row.white, &mut row.black]).enumerate() {
        for cell in side {
            let Some(reading) = &mut cell.reading else { continue };
            let own = learned.iter().filter(|(sheet, _)| *sheet == cell.sheet);
            own.for_each(|(_, learned)| learned.read(slot, reading));
        }
    }
    Some(adapted)
}

/// What one network saw in those cells of one hand of which the game says what they hold.
struct Examples<'a> {
    pass: Pass,
    head: &'static Head,
    /// Slot, reading, text.
    cells: Vec<(usize, &'a Reading, &'a [usize])>,
    seen: Vec<Seen>,
}

/// A time step of such a cell.
struct Seen {
    part: usize,
    features: Vec<f32>,
    /// The class that stands there.
    class: usize,
}

/// The part of a slot. Both players write in each.
fn part_of(slot: usize) -> usize {
    slot % PARTS
}

/// What a network saw of a cell, and in which time steps the look at it is; none of a reading by another network.
fn seen_by(reading: &Reading, pass: Pass) -> Option<(&Features, Range<usize>)> {
    let head = Head::embedded(pass)?;
    let features = reading.features.iter().find(|features| features.pass == pass)?;
    let shows = |look: &Range<usize>| features.steps.iter().all(|&step| look.contains(&usize::from(step)));
    let is_ours = reading.classes == head.classes && features.width() == head.width;
    Some((features, reading.each_look().find(shows).filter(|_| is_ours)?))
}

impl<'a> Examples<'a> {
    /// Of cells with their texts, by slot; none where too few teach.
    fn new(texts: impl Iterator<Item = (usize, &'a Reading, &'a [usize])>, pass: Pass) -> Option<Self> {
        let mut examples = Self { pass, head: Head::embedded(pass)?, cells: Vec::new(), seen: Vec::new() };
        for (slot, reading, text) in texts {
            let Some((features, look)) = seen_by(reading, pass) else { continue };
            let Some(alignment) = reading.alignment(look.clone(), text) else { continue };
            if reading.log_likelihood_of(look.clone(), text) < LEAST {
                continue;
            }
            examples.seen.extend(features.rows().map(|(step, features)| {
                let class = alignment[step - look.start].map_or(0, |sign| text[sign]);
                Seen { part: part_of(slot), features, class }
            }));
            examples.cells.push((slot, reading, text));
        }
        Some(examples).filter(|examples| examples.cells.len() >= FEWEST)
    }

    /// How badly the cells read, on average, each by the weights of its own part.
    fn misread(&self, read: impl Fn(usize, &mut Reading) + Sync) -> f32 {
        let cost = |&(slot, reading, text): &(usize, &Reading, &[usize])| {
            let (_, look) = seen_by(reading, self.pass)?;
            let mut reading = reading.clone();
            read(slot, &mut reading);
            Some((-reading.log_likelihood_of(look, text)).min(WORST))
        };
        self.cells.par_iter().filter_map(cost).sum::<f32>() / self.cells.len() as f32
    }
}

/// A last layer that has learned a hand.
struct Learned {
    pass: Pass,
    head: &'static Head,
    /// By part of the cells, which they have not seen, in the order of [`Head::weights`].
    weights: Vec<Vec<f32>>,
}

impl Learned {
    /// Reads a cell's features again.
    fn read(&self, slot: usize, reading: &mut Reading) {
        let Some((features, _)) = seen_by(reading, self.pass) else { return };
        let rows: Vec<_> = features.rows().collect();
        for (step, features) in rows {
            let scores = &mut reading.log_probs[step * self.head.classes..][..self.head.classes];
            score(&self.weights[part_of(slot)], &features, scores);
            scores.iter_mut().for_each(|score| *score /= self.head.temperature);
            normalise(scores);
        }
    }
}

/// The weights at which the cells left out read best; none where that is where they began.
fn learn(examples: &Examples) -> Option<Learned> {
    let Examples { pass, head, .. } = *examples;
    let mut least = examples.misread(|_, _| ());
    if least < WELL {
        return None;
    }
    let mut descents: Vec<Descent> = (0..PARTS).map(|_| Descent::new(head)).collect();
    let mut best = None;
    for stop in STOPS {
        descents.par_iter_mut().enumerate().for_each(|(part, descent)| descent.go_on(examples, part, stop));
        let weights = descents.iter().map(|descent| descent.weights.clone()).collect();
        let learned = Learned { pass, head, weights };
        let misread = examples.misread(|slot, reading| learned.read(slot, reading));
        if misread >= least {
            break;
        }
        (least, best) = (misread, Some(learned));
    }
    best
}

/// The descent of one part's weights.
struct Descent {
    head: &'static Head,
    weights: Vec<f32>,
    /// Running means of the gradient and of its square.
    means: [Vec<f32>; 2],
    steps: usize,
}

impl Descent {
    fn new(head: &'static Head) -> Self {
        let none = vec![0.0; head.weights.len()];
        Self { head, weights: head.weights.clone(), means: [none.clone(), none], steps: 0 }
    }

    /// Takes steps up to the given number, by what the other parts show.
    fn go_on(&mut self, examples: &Examples, part: usize, until: usize) {
        let classes = self.head.classes;
        let mut error = vec![0.0; classes];
        while self.steps < until {
            self.steps += 1;
            let held = self.weights.iter().zip(&self.head.weights).map(|(weight, start)| HELD * (weight - start));
            let mut gradient: Vec<f32> = held.collect();
            for seen in examples.seen.iter().filter(|seen| seen.part != part) {
                score(&self.weights, &seen.features, &mut error);
                normalise(&mut error);
                error.iter_mut().for_each(|p| *p = p.exp());
                error[seen.class] -= 1.0;
                for (row, value) in gradient.chunks_exact_mut(classes).zip(seen.features.iter().chain([&1.0])) {
                    if *value != 0.0 {
                        row.iter_mut().zip(&error).for_each(|(sum, error)| *sum += value * error);
                    }
                }
            }
            self.step(&gradient);
        }
    }

    /// One step of Adam, its means forgetting at the usual 0.9 and, as there are few steps, 0.99.
    fn step(&mut self, gradient: &[f32]) {
        let [mean, square] = &mut self.means;
        let grown = |kept: f32| 1.0 - kept.powi(self.steps as i32);
        let (young, old) = (grown(0.9), grown(0.99));
        for (((weight, slope), mean), square) in self.weights.iter_mut().zip(gradient).zip(mean).zip(square) {
            *mean += 0.1 * (slope - *mean);
            *square += 0.01 * (slope * slope - *square);
            *weight -= RATE * (*mean / young) / ((*square / old).sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::InkCell;

    /// What the last layer sees of a sign, made up: the same for the same sign.
    fn look_of(sign: usize, width: usize) -> Vec<f32> {
        let value = |at: usize| ((sign * 7919 + at * 104_729) % 1009) as f32 / 5000.0;
        (0..width).map(value).collect()
    }

    /// Score of each class.
    fn scores(features: &[f32]) -> Vec<f32> {
        let head = Head::embedded(Pass::First).unwrap();
        let mut scores = vec![0.0; head.classes];
        score(&head.weights, features, &mut scores);
        scores
    }

    /// A cell in which the network sees these signs, with a blank before and behind each.
    fn cell(signs: [usize; 2]) -> Vec<InkCell> {
        let head = Head::embedded(Pass::First).unwrap();
        let (mut log_probs, mut features) = (Vec::new(), Vec::new());
        for sign in signs {
            let seen = look_of(sign, head.width);
            let mut scores = scores(&seen);
            normalise(&mut scores);
            let blank = (0..head.classes).map(|class| if class == 0 { 0.0 } else { -20.0 });
            log_probs.extend(scores.into_iter().chain(blank));
            features.extend(seen.into_iter().chain(vec![0.0; head.width]));
        }
        let kept = Features::keep(Pass::First, &features, &log_probs, head.classes);
        let reading = Reading { features: kept.into_iter().collect(), ..Reading::new(log_probs, head.classes) };
        vec![InkCell { sheet: 0, page: 0, quad: Default::default(), reading: Some(reading), doubted: false }]
    }

    /// Twenty rows in which signs 1 and 2 stand in turn with signs 3 and 4.
    fn rows() -> Vec<Row> {
        (1..=20).map(|number| Row { number, white: cell([1, 3]), black: cell([2, 4]) }).collect()
    }

    fn lessons(texts: impl Fn(usize) -> Vec<usize>, count: usize) -> Vec<Lesson> {
        (0..count).map(|slot| Lesson { slot, sheet: 0, text: texts(slot), sure: 0.9 }).collect()
    }

    /// How likely a cell is to hold a text.
    fn likelihood(cell: &[InkCell], text: &[usize]) -> f32 {
        cell[0].reading.as_ref().unwrap().log_likelihood(text).exp()
    }

    /// The classes that the network takes each sign for, next to the likeliest: what this hand means by it.
    fn meant() -> [usize; 4] {
        let head = Head::embedded(Pass::First).unwrap();
        [1, 2, 3, 4].map(|sign| {
            let scores = scores(&look_of(sign, head.width));
            let mut classes: Vec<usize> = (1..head.classes).collect();
            classes.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
            classes[1]
        })
    }

    #[test]
    fn what_a_hand_means_by_its_signs_is_learned_and_read_in_other_cells() {
        let (rows, meant) = (rows(), meant());
        let white = [meant[0], meant[2]];
        let texts = |slot: usize| if slot.is_multiple_of(2) { white.to_vec() } else { vec![meant[1], meant[3]] };
        let learned = adapted(&rows, &lessons(texts, 30)).unwrap();
        // The cells of the last rows teach nothing themselves.
        for row in [0, 19] {
            let [before, after] = [&rows, &learned].map(|rows| likelihood(&rows[row].white, &white));
            assert!(after > 0.1 && after > 50.0 * before, "row {row}: {before} and {after}");
        }
    }

    #[test]
    fn features_of_another_network_are_left_alone() {
        let reading = cell([1, 3]).remove(0).reading.unwrap();
        assert!(seen_by(&reading, Pass::First).is_some());
        let mut others = reading.features[0].clone();
        others.pass = Pass::Second;
        assert!(seen_by(&Reading { features: vec![others], ..reading.clone() }, Pass::Second).is_none());
        let cut = Reading { log_probs: reading.log_probs[..reading.classes].to_vec(), ..reading };
        assert!(seen_by(&cut, Pass::First).is_none());
    }

    #[test]
    fn what_differs_from_cell_to_cell_is_seen_rarely_or_is_not_sure_teaches_nothing() {
        let (rows, meant) = (rows(), meant());
        let [a, b, c, d] = meant;
        let differing = |slot: usize| vec![[a, b, c, d][slot / 2 % 4], [d, a, b, c][slot / 3 % 4]];
        // At most that nothing is sure.
        let learned = adapted(&rows, &lessons(differing, 40));
        assert!(learned.is_none_or(|learned| likelihood(&learned[0].white, &differing(0)) < 0.5));
        assert!(adapted(&rows, &lessons(|_| vec![a, c], 6)).is_none());
        let mut unsure = lessons(|slot| if slot.is_multiple_of(2) { vec![a, c] } else { vec![b, d] }, 40);
        assert!(adapted(&rows, &unsure).is_some());
        unsure.iter_mut().for_each(|lesson| lesson.sure = 0.5);
        assert!(adapted(&rows, &unsure).is_none());
    }
}
