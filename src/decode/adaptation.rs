//! The recogniser's last layers learn one hand from the moves of its game, and read its other cells again.
//!
//! What the game says of a cell is the label of what the last layer saw there, sign by sign. The layers' weights follow
//! the gradient of the cross-entropy, held back to where they began (Kingma and Ba 2015, "Adam"), and stop where cells
//! that were left out read best (early stopping by cross-validation). So a sheet from which nothing is to be learned
//! stays as it was, and no cell is read by weights that have seen its own move.

use super::Row;
use super::confusions::Lesson;
use super::sheet::cells;
use crate::reading::{Features, Head, Pass, Reading, normalise};
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
/// A class that is nowhere likelier than this, and stands nowhere, is left alone.
const UNLIKELY: f32 = 0.01;
/// Where what the game says costs no more than this, in nats a cell, nothing is to be learned.
const WELL: f32 = 0.1;
/// A cell that reads worse than this, in nats, is as bad as can be.
const WORST: f32 = 8.0;

/// Rows as they read when the last layers know each hand; none if they read the same.
pub fn adapted(rows: &[Row], lessons: &[Lesson]) -> Option<Vec<Row>> {
    let cells = cells(rows);
    let sheets = cells.first().map_or(0, Vec::len);
    let hands: Vec<(usize, Pass)> =
        (0..sheets).flat_map(|sheet| [Pass::First, Pass::Second].map(|pass| (sheet, pass))).collect();
    let learned: Vec<Option<Learned>> = hands
        .par_iter()
        .map(|&(sheet, pass)| {
            let reading = |slot: usize| cells[slot][sheet].and_then(|cell| cell.reading.as_ref());
            let texts = lessons.iter().filter(|lesson| lesson.sheet == sheet && lesson.sure >= SURE);
            let texts = texts.map(|lesson| (lesson.slot, lesson.text.as_slice())).collect();
            learn(&Hand::new((0..cells.len()).map(reading).collect(), texts, pass)?)
        })
        .collect();
    if learned.iter().all(Option::is_none) {
        return None;
    }
    let mut adapted = rows.to_vec();
    for (slot, side) in adapted.iter_mut().flat_map(|row| [&mut row.white, &mut row.black]).enumerate() {
        for cell in side {
            let Some(reading) = &mut cell.reading else { continue };
            for (_, learned) in hands.iter().zip(&learned).filter(|((sheet, _), _)| *sheet == cell.sheet) {
                learned.iter().for_each(|learned| learned.read(slot, reading));
            }
        }
    }
    Some(adapted)
}

/// What one network saw in the cells of one hand.
struct Hand<'a> {
    pass: Pass,
    head: &'static Head,
    /// The classes that matter, the blank first.
    classes: Vec<usize>,
    /// The signs seen where the game says what stands there.
    seen: Vec<Seen>,
    /// Those cells: slot, reading, text.
    taught: Vec<(usize, &'a Reading, &'a [usize])>,
}

/// A time step of a cell that teaches.
struct Seen {
    part: usize,
    features: Vec<f32>,
    /// Index of the class that stands there among those that matter.
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

impl<'a> Hand<'a> {
    /// Of readings by slot and of texts by slot; none where too few teach.
    fn new(readings: Vec<Option<&'a Reading>>, texts: Vec<(usize, &'a [usize])>, pass: Pass) -> Option<Self> {
        let head = Head::embedded(pass)?;
        let mut matters = vec![false; head.classes];
        matters[0] = true;
        for reading in readings.iter().flatten() {
            for step in seen_by(reading, pass).into_iter().flat_map(|(features, _)| &features.steps) {
                let likely = reading.step(usize::from(*step)).iter().map(|p| *p > UNLIKELY.ln());
                matters.iter_mut().zip(likely).for_each(|(matters, likely)| *matters |= likely);
            }
        }
        let mut signs = Vec::new();
        let mut taught = Vec::new();
        for (slot, text) in texts {
            let Some(reading) = readings[slot] else { continue };
            let Some((features, look)) = seen_by(reading, pass) else { continue };
            let Some(alignment) = reading.alignment(look.clone(), text) else { continue };
            if reading.log_likelihood_of(look.clone(), text) < LEAST {
                continue;
            }
            for (step, features) in features.rows() {
                let class = alignment[step - look.start].map_or(0, |sign| text[sign]);
                matters[class] = true;
                signs.push((part_of(slot), features, class));
            }
            taught.push((slot, reading, text));
        }
        let classes: Vec<usize> = (0..head.classes).filter(|&class| matters[class]).collect();
        let index = |class: usize| classes.iter().position(|&other| other == class).unwrap_or(0);
        let seen =
            signs.into_iter().map(|(part, features, class)| Seen { part, features, class: index(class) }).collect();
        (taught.len() >= FEWEST).then_some(Self { pass, head, classes, seen, taught })
    }

    /// How badly the cells that teach read, on average, each by the weights of its own part.
    fn misread(&self, read: impl Fn(usize, &mut Reading) + Sync) -> f32 {
        let cost = |&(slot, reading, text): &(usize, &Reading, &[usize])| {
            let (_, look) = seen_by(reading, self.pass)?;
            let mut reading = reading.clone();
            read(slot, &mut reading);
            Some((-reading.log_likelihood_of(look, text)).min(WORST))
        };
        self.taught.par_iter().filter_map(cost).sum::<f32>() / self.taught.len() as f32
    }
}

/// Weights that have learned a hand, by part of its cells, which they have not seen.
struct Learned {
    pass: Pass,
    head: &'static Head,
    classes: Vec<usize>,
    /// By part: rows of weights by feature, a value for each class that matters; the biases last.
    weights: Vec<Vec<f32>>,
}

impl Learned {
    /// Reads a cell's features again.
    fn read(&self, slot: usize, reading: &mut Reading) {
        let Some((features, _)) = seen_by(reading, self.pass) else { return };
        let (count, weights) = (self.classes.len(), &self.weights[part_of(slot)]);
        let mut scores = vec![0.0; count];
        let rows: Vec<_> = features.rows().collect();
        for (step, features) in rows {
            let mut all = self.head.scores(&features);
            score(weights, &features, &mut scores);
            self.classes.iter().zip(&scores).for_each(|(&class, score)| all[class] = *score);
            all.iter_mut().for_each(|score| *score /= self.head.temperature);
            normalise(&mut all);
            reading.log_probs[step * self.head.classes..][..self.head.classes].copy_from_slice(&all);
        }
    }
}

/// The weights at which the cells left out read best; none where that is where they began.
fn learn(hand: &Hand) -> Option<Learned> {
    let mut least = hand.misread(|_, _| ());
    if least < WELL {
        return None;
    }
    let mut descents: Vec<Descent> = (0..PARTS).map(|_| Descent::new(hand)).collect();
    let mut best = None;
    for stop in STOPS {
        descents.par_iter_mut().enumerate().for_each(|(part, descent)| descent.go_on(hand, part, stop));
        let weights = descents.iter().map(|descent| descent.weights.clone()).collect();
        let learned = Learned { pass: hand.pass, head: hand.head, classes: hand.classes.clone(), weights };
        let misread = hand.misread(|slot, reading| learned.read(slot, reading));
        if misread >= least {
            break;
        }
        (least, best) = (misread, Some(learned));
    }
    best
}

/// The descent of one part's weights.
struct Descent {
    start: Vec<f32>,
    weights: Vec<f32>,
    /// Running means of the gradient and of its square.
    means: [Vec<f32>; 2],
    steps: usize,
}

impl Descent {
    fn new(hand: &Hand) -> Self {
        let Hand { head, classes, .. } = hand;
        let by_feature = (0..head.width)
            .flat_map(|feature| classes.iter().map(move |&class| head.weights[class * head.width + feature]));
        let start: Vec<f32> = by_feature.chain(classes.iter().map(|&class| head.biases[class])).collect();
        let none = vec![0.0; start.len()];
        Self { weights: start.clone(), start, means: [none.clone(), none], steps: 0 }
    }

    /// Takes steps up to the given number, by what the other parts show.
    fn go_on(&mut self, hand: &Hand, part: usize, until: usize) {
        let classes = hand.classes.len();
        let mut error = vec![0.0; classes];
        while self.steps < until {
            self.steps += 1;
            let held = self.weights.iter().zip(&self.start).map(|(weight, start)| HELD * (weight - start));
            let mut gradient: Vec<f32> = held.collect();
            for seen in hand.seen.iter().filter(|seen| seen.part != part) {
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

/// Scores of the classes by weights in the order of [`Learned::weights`].
fn score(weights: &[f32], features: &[f32], scores: &mut [f32]) {
    scores.fill(0.0);
    for (row, value) in weights.chunks_exact(scores.len()).zip(features.iter().chain([&1.0])) {
        if *value != 0.0 {
            scores.iter_mut().zip(row).for_each(|(score, weight)| *score += value * weight);
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

    /// A cell in which the network sees these signs, with a blank before and behind each.
    fn cell(signs: [usize; 2]) -> Vec<InkCell> {
        let head = Head::embedded(Pass::First).unwrap();
        let (mut log_probs, mut features) = (Vec::new(), Vec::new());
        for sign in signs {
            let seen = look_of(sign, head.width);
            let mut scores = head.scores(&seen);
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
            let scores = head.scores(&look_of(sign, head.width));
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
        if let Some(learned) = adapted(&rows, &lessons(differing, 40)) {
            // At most that nothing is sure.
            assert!(likelihood(&learned[0].white, &differing(0)) < 0.5);
        }
        assert!(adapted(&rows, &lessons(|_| vec![a, c], 6)).is_none());
        let mut unsure = lessons(|slot| if slot.is_multiple_of(2) { vec![a, c] } else { vec![b, d] }, 40);
        assert!(adapted(&rows, &unsure).is_some());
        unsure.iter_mut().for_each(|lesson| lesson.sure = 0.5);
        assert!(adapted(&rows, &unsure).is_none());
    }
}
