//! A game whose moves run on in lines like words: `1. e4 e5 2. Nf3 Nc6`.
//!
//! Wherever there is a gap a line is taken apart; what may be a number or a move is read, and the order of a game tells which
//! is which. The moves are laid out anew, one below the other: from there on the page is like a form.

mod layout;
mod lines;
mod order;
mod owners;
mod parts;

use super::columns::MOST_PAIRS;
use super::grid::{ColumnPair, Grid};
use super::legible;
use super::listed::Unruled;
use super::listed::words::Writing;
use crate::error::Result;
use crate::game::Colour;
use crate::pipeline::cells::Crop;
use crate::pipeline::numbers::anchor::{self, Anchor};
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;
use crate::reading::Reading;
use layout::{Laid, Layout};
use lines::Sign;
use order::{Place, Said, order};
use owners::Owners;
use parts::{Part, parted, parts};
use rayon::prelude::*;
use std::collections::HashSet;

/// Words that are looked at to tell whether a page holds moves, their width and the paper at either side in heights of a letter,
/// and the share of them that must clearly read as such: askew or upside down hardly any does.
const LOOKED_AT: usize = 36;
const WORD: std::ops::Range<f32> = 1.2..7.0;
const APART: f32 = 0.3;
pub(super) const SHARE: f32 = 0.15;
/// Words of a page, and parts that may be read: more are the grain of something else.
const MOST_PARTS: usize = 4000;
/// Fewest moves of a game, and the share of them that clearly read as such.
const FEWEST: usize = 10;
const CLEAR: f32 = 0.25;
/// The share of them that read as such, however clearly, and of White's that stand in one line with the next one: in a list,
/// each has a line of its own. Then the same where the numbers of most are told.
const READ: [f32; 2] = [0.5, 0.3];
const IN_LINE: [f32; 2] = [0.3, 0.15];
/// What a number says at least (natural logarithm) that tells where its moves belong.
const TOLD: f32 = 1.0;
/// Least share of White's moves whose numbers are told so, on forms hardly any is, and the share that is most of them.
const NUMBERED: f32 = 0.4;
const MOSTLY_NUMBERED: f32 = 0.7;
/// Least share of the signs from the first to the last move that the moves take up: in a table seen askew a few words may stand
/// as in a game.
const COVERED: f32 = 0.4;
/// Parts of a page that are read first, at least so many and so great a share, and how often at least, and in what share of
/// the pairs of White's moves that stand in one line there, the numbers of both are told: in a table the next number stands
/// below, and one in ten of its moves may be taken for a number.
const READ_FIRST: usize = 200;
const FIRST_SHARE: f32 = 0.25;
const FEWEST_RUN_ON: usize = 2;
const RUN_ON: f32 = 0.22;
/// Rows of a column.
const ROWS: usize = 40;

/// Whether places are those of a game whose moves run on in lines.
fn is_game(places: &[Place], said: &[Said], parts: &[Part]) -> bool {
    let sure =
        |place: &Place| if place.both { said[place.part].both.map(|(_, sure)| sure) } else { said[place.part].is_move };
    let read: Vec<f32> = places.iter().filter_map(sure).collect();
    let clear = read.iter().filter(|&&sure| sure > legible::CLEAR).count();
    let whites: Vec<&Place> = places.iter().filter(|place| place.colour == Colour::White).collect();
    let line = |place: &Place| parts[place.part].line;
    let in_line = whites.windows(2).filter(|two| line(two[0]) == line(two[1])).count();
    let told = whites.iter().filter(|place| place.says > TOLD).count();
    let covered: usize = places.iter().map(|place| parts[place.part].end - parts[place.part].first).sum();
    let within =
        places.first().zip(places.last()).map_or(0, |(first, last)| parts[last.part].end - parts[first.part].first);
    let is_share = |count: usize, least: f32, all: usize| count as f32 >= least * all as f32;
    let told_most = usize::from(is_share(told, MOSTLY_NUMBERED, whites.len()));
    read.len() >= FEWEST
        && is_share(read.len(), READ[told_most], places.len())
        && is_share(clear, CLEAR, places.len())
        && is_share(in_line, IN_LINE[told_most], whites.len())
        && is_share(told, NUMBERED, whites.len())
        && is_share(covered, COVERED, within)
}

/// Whether numbers that are told run on in lines, among the places of a game.
fn runs_on(places: &[Place], parts: &[Part]) -> bool {
    let whites: Vec<&Place> = places.iter().filter(|place| place.colour == Colour::White).collect();
    let line = |place: &Place| parts[place.part].line;
    let told = |place: &Place| place.says > TOLD;
    let in_line: Vec<&[&Place]> = whites.windows(2).filter(|two| line(two[0]) == line(two[1])).collect();
    let run_on = in_line.iter().filter(|two| two.iter().all(|place| told(place))).count();
    run_on >= FEWEST_RUN_ON && run_on as f32 >= RUN_ON * in_line.len() as f32
}

/// Writing on a page, in lines.
pub(super) struct Text {
    page: Page,
    /// Of a letter, in pixels.
    height: f32,
    /// How much lines fall to the right, in pixels per pixel.
    slope: f32,
    owners: Owners,
    signs: Vec<Sign>,
    parts: Vec<Part>,
}

impl Text {
    /// What is written on a page that is given without its ruling; none where there is too little to be a game, or so much that
    /// it is the grain of something else.
    pub(super) fn new(unruled: Unruled) -> Option<Self> {
        let writing = Writing::on_paper(unruled)?.without_ruling();
        let words = writing.words();
        if words.len() > MOST_PARTS {
            return None;
        }
        let slope = lines::slope(&words, writing.height);
        let lines = lines::lines(&writing, &words, slope);
        let signs = lines.iter().flat_map(|line| &line.signs).copied().collect();
        let (owners, parts) = (Owners::new(&writing, &lines), parts(&lines, writing.height));
        let text = Self { page: writing.page, height: writing.height, slope, owners, signs, parts };
        (text.parts.len() <= MOST_PARTS).then_some(text)
    }

    /// The share of some of the words that clearly read as moves.
    ///
    /// # Errors
    /// As [`Recogniser::read`].
    pub(super) fn share_of_moves(&self, recogniser: &dyn Recogniser) -> Result<f32> {
        let is_word = |part: &&Part| {
            WORD.contains(&((part.right - part.left) / self.height))
                && part.gaps.iter().all(|&gap| gap > APART * self.height)
        };
        let words: Vec<Part> = self.parts.iter().filter(is_word).copied().collect();
        let shown: Vec<Part> = words.iter().copied().step_by(words.len().div_ceil(LOOKED_AT).max(1)).collect();
        let crops = self.crops(&shown);
        let readings = recogniser.read(&crops.iter().collect::<Vec<_>>())?;
        let texts = readings.iter().map(|reading| reading.best_path(recogniser.alphabet()));
        let is_clear = |(text, likelihood): &(String, f32)| {
            likelihood.exp() > legible::CLEAR && legible::is_move(behind_number(text).1).contains(&true)
        };
        Ok(texts.filter(is_clear).count() as f32 / shown.len().max(1) as f32)
    }

    /// Its moves, if they are those of a game that run on in lines.
    ///
    /// # Errors
    /// As [`Recogniser::read`].
    pub(super) fn game(&self, recogniser: &dyn Recogniser) -> Result<Option<(Page, Grid, Anchor)>> {
        if self.share_of_moves(recogniser)? <= SHARE {
            return Ok(None);
        }
        let first = self.first_to_be_read();
        if first.len() < self.parts.len() {
            let count = first.last().map_or(0, |part| part.end);
            let readings = self.read(&first, recogniser)?;
            let (said, places) = readings.likeliest(&first, count, self.height);
            if !runs_on(&places, &first) && !is_game(&places, &said, &first) {
                return Ok(None);
            }
        }
        let (parts, signs) = (&self.parts, &self.signs);
        let readings = self.read(parts, recogniser)?;
        let (said, places) = readings.likeliest(parts, signs.len(), self.height);
        if !is_game(&places, &said, parts) {
            return Ok(None);
        }
        let moves: Vec<(Place, Part)> = places
            .into_iter()
            .map(|place| {
                let part = parts[place.part];
                let behind = place.both.then(|| parted(&part, signs, readings.share(place.part))).flatten();
                (place, behind.map_or(part, |[_, behind]| behind))
            })
            .collect();
        Ok(Some(self.laid_out(&moves)))
    }

    /// The parts of some lines in the middle, their signs counted from the first of these on; all if there are not many.
    fn first_to_be_read(&self) -> Vec<Part> {
        let enough = READ_FIRST.max((FIRST_SHARE * self.parts.len() as f32) as usize);
        let Some(middle) = self.parts.get(self.parts.len() / 2).map(|part| part.line) else { return Vec::new() };
        let within = |reach: usize| self.parts.iter().filter(move |part| part.line.abs_diff(middle) <= reach).copied();
        let reach = (0..self.parts.len()).find(|&reach| within(reach).count() >= enough);
        let some: Vec<Part> = within(reach.unwrap_or(self.parts.len())).collect();
        let from = some.iter().map(|part| part.first).min().unwrap_or(0);
        some.into_iter().map(|part| Part { first: part.first - from, end: part.end - from, ..part }).collect()
    }

    /// What each part reads as.
    fn read(&self, parts: &[Part], recogniser: &dyn Recogniser) -> Result<Readings> {
        let crops = self.crops(parts);
        let readings = recogniser.read(&crops.iter().collect::<Vec<_>>())?;
        let spelled = anchor::spellings(recogniser.alphabet());
        let read = |reading: &Reading| {
            let (text, likelihood) = reading.best_path(recogniser.alphabet());
            (text, likelihood.exp(), anchor::row_evidence(reading, &spelled))
        };
        Ok(Readings(readings.par_iter().map(read).collect()))
    }

    /// The parts as cells.
    fn crops(&self, parts: &[Part]) -> Vec<Crop> {
        let below_each_other =
            parts.iter().enumerate().map(|(row, &part)| Laid { row, column: 0, part, doubted: false });
        let layout = Layout::new(below_each_other.collect(), 1, self.height);
        let (page, column) = (layout.page(self), layout.column(0));
        (0..parts.len()).into_par_iter().map(|row| Crop::cut(&page, &layout.band(row), &column)).collect()
    }

    /// The moves below each other.
    fn laid_out(&self, moves: &[(Place, Part)]) -> (Page, Grid, Anchor) {
        let first = moves.first().map_or(1, |(place, _)| place.number);
        let last = moves.last().map_or(first, |(place, _)| place.number);
        let pairs = (last + 1 - first).div_ceil(ROWS).min(MOST_PAIRS);
        let rows = (last + 1 - first).div_ceil(pairs);
        let told: HashSet<usize> =
            moves.iter().filter(|(place, _)| place.says > TOLD).map(|(place, _)| place.number).collect();
        let laid = |&(place, part): &(Place, Part)| {
            let at = place.number - first;
            let column = 2 * (at / rows) + usize::from(place.colour == Colour::Black);
            Laid { row: at % rows, column, part, doubted: !told.contains(&place.number) }
        };
        let layout = Layout::new(moves.iter().map(laid).collect(), 2 * pairs, self.height);
        let page = layout.page(self);
        let pairs = (0..pairs)
            .map(|pair| {
                let [white, black] = [2 * pair, 2 * pair + 1].map(|column| layout.column(column));
                ColumnPair { numbers: None, between: None, white, black }
            })
            .collect::<Vec<_>>();
        let grid = Grid {
            bands: (0..rows).map(|row| layout.band(row)).collect(),
            pitch: layout.pitch(),
            width: page.image.width() as f32,
            pairs,
            by_ink: true,
        };
        let evidence = moves.iter().map(|(place, _)| place.says).sum::<f32>() / (last + 1 - first) as f32;
        let anchor = Anchor { first_band: 0, rows, period: rows, first_number: first as u32, evidence };
        (page, grid, anchor)
    }
}

/// What some parts read as: their texts, how sure these are (0 to 1), and what they say as numbers.
struct Readings(Vec<(String, f32, Vec<f32>)>);

impl Readings {
    /// The likeliest game; a page is written in one notation.
    fn likeliest(&self, parts: &[Part], signs: usize, height: f32) -> (Vec<Said<'_>>, Vec<Place>) {
        let games = (0..NOTATIONS).map(|notation| {
            let said = self.said(parts, notation, height);
            let (sum, places) = order(&said, signs);
            (sum, said, places)
        });
        let best = games.max_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or((Vec::new(), Vec::new()), |(_, said, places)| (said, places))
    }

    /// What the parts say in one notation.
    fn said(&self, parts: &[Part], notation: usize, height: f32) -> Vec<Said<'_>> {
        let said = self.0.iter().zip(parts).map(|((text, sure, numbers), part)| {
            let is_move = |text: &str| legible::is_move(text)[notation].then_some(*sure);
            let (number, rest) = behind_number(text);
            Said {
                first: part.first,
                end: part.end,
                numbers,
                is_move: is_move(text),
                both: number.filter(|_| notation != NUMERIC).zip(is_move(rest)),
                width: (part.right - part.left) / height,
            }
        });
        said.collect()
    }

    /// Which share of a part its number takes up.
    fn share(&self, part: usize) -> f32 {
        let text = &self.0[part].0;
        1.0 - behind_number(text).1.chars().count() as f32 / text.chars().count().max(1) as f32
    }
}

/// The notations of [`legible::is_move`], and the numeric one.
const NOTATIONS: usize = 3;
const NUMERIC: usize = 1;

/// The number with which a text begins, and what stands behind it.
fn behind_number(text: &str) -> (Option<usize>, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    let rest = rest.trim_start_matches(['.', ')', ' ']);
    match digits.parse().ok().filter(|value| (1..=anchor::LARGEST as usize).contains(value)) {
        Some(value) if !rest.is_empty() => (Some(value), rest),
        _ => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of ten moves of each player, so many rows of it in a line, with the numbers saying so much; each move has two of so
    /// many signs.
    fn game(rows: usize, says: f32, signs: usize) -> (Vec<Place>, Vec<Said<'static>>, Vec<Part>) {
        let places = (0..20).map(|part| {
            let colour = if part % 2 == 0 { Colour::White } else { Colour::Black };
            Place { number: part / 2 + 1, colour, part, both: false, says }
        });
        let ends = |part: usize| (part * signs, part * signs + 2);
        let said = (0..20).map(|part| {
            let (first, end) = ends(part);
            Said { first, end, numbers: &[], is_move: Some(0.9), both: None, width: 2.5 }
        });
        let parts = (0..20).map(|part| {
            let (first, end) = ends(part);
            Part { line: part / 2 / rows, first, end, left: 0.0, right: 50.0, y: 0.0, gaps: [9.0; 2] }
        });
        (places.collect(), said.collect(), parts.collect())
    }

    #[test]
    fn a_game_is_told_from_words_of_a_form() {
        let is_game =
            |(places, said, parts): (Vec<Place>, Vec<Said>, Vec<Part>)| super::is_game(&places, &said, &parts);
        assert!(is_game(game(3, 3.0, 3)));
        assert!(!is_game(game(1, 3.0, 3)), "each move has a line of its own");
        assert!(!is_game(game(3, 0.2, 3)), "no number is read");
        assert!(!is_game(game(3, 3.0, 6)), "most of what is written among them is no part of it");
    }

    #[test]
    fn where_numbers_tell_fewer_moves_need_read() {
        // Two moves of five read, and most of White's have a line of their own.
        let is_game = |told: usize| {
            let (mut places, mut said, mut parts) = game(1, 0.2, 3);
            places.iter_mut().filter(|place| place.number <= told).for_each(|place| place.says = 3.0);
            said.iter_mut().enumerate().for_each(|(part, said)| said.is_move = said.is_move.filter(|_| part % 5 < 2));
            said.extend(said.clone());
            parts.iter_mut().for_each(|part| part.line -= part.line / 4);
            places.extend(places.clone().into_iter().map(|place| Place { part: place.part + 20, ..place }));
            parts.extend(parts.clone().into_iter().map(|part| Part { line: part.line + 10, ..part }));
            super::is_game(&places, &said, &parts)
        };
        assert!(is_game(8));
        assert!(!is_game(6), "many numbers do not tell");
    }

    #[test]
    fn numbers_run_on_in_lines_of_text_only() {
        let runs_on = |(places, _, parts): (Vec<Place>, Vec<Said>, Vec<Part>)| super::runs_on(&places, &parts);
        assert!(runs_on(game(3, 3.0, 3)));
        assert!(!runs_on(game(1, 3.0, 3)), "each number stands below the one before it");
        assert!(!runs_on(game(3, 0.2, 3)), "no number is read");
    }

    #[test]
    fn a_number_may_stand_before_a_move() {
        let texts = ["12.Nf3", "3e4", "e4", "14", "1)d4", "5254"];
        let found = texts.map(behind_number);
        assert_eq!(
            found,
            [(Some(12), "Nf3"), (Some(3), "e4"), (None, "e4"), (None, "14"), (Some(1), "d4"), (None, "5254")]
        );
    }
}
