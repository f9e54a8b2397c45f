//! Which language's piece letters the ink says, and with them the writer's habits.
//!
//! First a cheap look at the letters that cells begin with, which rules out most languages; then the game is decoded
//! narrowly in each that is left, since only the game tells a rook from a king under the same letter.

use super::emission::Ink;
use super::past::Past;
use super::prior::{Believed, Policy};
use super::score::{Beside, Lattice, Symbols, Trie};
use super::sheet::{BEGINNING, Hand, Look, SheetTable, cells, inks};
use super::{Options, Row};
use crate::notation::{LANGUAGES, Language};
use crate::reading::Alphabet;
use rayon::prelude::*;

/// A language that is further behind the best by the letters alone (natural logarithm) is not looked at again.
const LETTER_MARGIN: f32 = 12.0;
/// At most this many languages are decoded.
const CANDIDATES: usize = 3;
/// Of these, one that is so far behind the best (natural logarithm of the evidence) after so many plies is not decoded to
/// the end.
const BEGINNINGS: [usize; 2] = [BEGINNING / 2, BEGINNING];
const FAR_BEHIND: f64 = 20.0;
/// A cell that begins with no piece letter of a language says no more against it than this share.
const UNFIT: f32 = 1e-3;

/// Shares of cells with other ink beside the move that are tried where a sheet does not read well without.
const BESIDE: [Beside; 2] = [Beside { before: 0.02, behind: 0.0 }, Beside { before: 0.0, behind: 0.02 }];
/// Least gain in evidence (natural logarithm) by ink beside the moves, and by capitals.
const BESIDE_GAIN: f64 = 12.0;
const GAIN_PER_PLY: f64 = 0.5;

/// The hands found, and what decoding with them taught.
pub struct Found {
    /// By sheet.
    pub hands: Vec<Hand>,
    pub look: Look,
}

impl Found {
    /// Whether hardly a ply does not read.
    pub fn reads_well(&self) -> bool {
        self.look.reads_well()
    }

    /// Whether the same ink, allowed more, fits its game far better: it always fits a little better.
    pub fn fits_far_better_than(&self, other: &Self) -> bool {
        self.look.evidence > other.look.evidence + GAIN_PER_PLY * other.look.plies as f64
    }
}

/// Whether other ink for the same table may fit a game far better than what was found in it: in the beginning half of
/// what is asked of the whole.
pub fn promises(other: &SheetTable, table: &SheetTable, found: &Found) -> bool {
    let known = table.beginning().first_look(&found.hands);
    let other = find(&other.beginning());
    other.look.evidence > known.evidence + GAIN_PER_PLY / 2.0 * known.plies as f64
}

/// Finds the language of every sheet, unless the caller names one, and whether its cells hold more than moves.
pub fn find(table: &SheetTable) -> Found {
    let sheets = table.slots.first().map_or(1, Vec::len);
    if sheets < 2 {
        let (hand, look) = find_one(table);
        return Found { hands: vec![hand], look };
    }
    // Two players may write in two languages: each sheet is looked at alone, then all together in what was found. A
    // sheet that is hard to read alone may be in the other one's language.
    let alone = |sheet: usize| {
        let slots: Vec<Vec<Ink>> = table.slots.iter().map(|slot| vec![slot[sheet].clone()]).collect();
        find_one(&SheetTable { slots: &slots, ..*table }).0
    };
    let own: Vec<Hand> = (0..sheets).map(alone).collect();
    let same = |hands: &[Hand]| hands.iter().zip(&own).all(|(a, b)| a.language == b.language);
    let mut ways = vec![own.clone()];
    ways.extend(own.iter().map(|&one| vec![one; sheets]).filter(|hands| !same(hands)));
    let looks = ways.into_par_iter().map(|hands| Found { look: table.first_look(&hands), hands });
    let best = looks.max_by(|a, b| a.look.evidence.total_cmp(&b.look.evidence));
    best.unwrap_or_else(|| Found { look: table.first_look(&own), hands: own })
}

/// How often, at first sight by the letters alone, the ink of one sheet's rows does not say the move, or table and game part ways.
pub fn mended_at_sight(rows: &[Row], alphabet: &Alphabet, options: &Options) -> usize {
    let slots = inks(&cells(rows), alphabet, options.ink_scale);
    let symbols = Symbols::new(alphabet);
    let start = options.start.clone().unwrap_or_default();
    let prior = Believed::new(Policy::embedded(), options.belief);
    let table = SheetTable { slots: &slots, symbols: &symbols, start: &start, prior: &prior, options };
    table.first_look(&[plain(likely(&table)[0])]).mended.len()
}

/// The hand of a table of one sheet.
fn find_one(sheet: &SheetTable) -> (Hand, Look) {
    let named = sheet.options.language.as_deref().and_then(Language::find);
    let candidates = named.map_or_else(|| likely(sheet), |language| language.ways().collect());
    let looks = in_the_beginning(sheet, candidates).into_par_iter();
    let looks = looks.map(|(hand, mut past)| (hand, sheet.look_on(&[hand], &mut past), past));
    let mut looks: Vec<(Hand, Look, Past)> = looks.collect();
    looks.sort_by(|a, b| b.1.evidence.total_cmp(&a.1.evidence));
    let best = looks[0].1.evidence;
    let total: f64 = looks.iter().map(|(_, look, _)| (look.evidence - best).exp()).sum();
    let (mut hand, mut look, past) = looks.swap_remove(0);
    hand.sure = if total.is_finite() { (1.0 / total) as f32 } else { 0.0 };
    if !look.reads_well() {
        let beginning = BEGINNING.min(sheet.slots.len());
        let least = past.evidence_before(beginning);
        let hands = BESIDE.map(|beside| Hand { beside, ..hand }).into_par_iter();
        let others = hands.filter_map(|hand| {
            let mut past = Past::default();
            let gain = sheet.evidence_before(beginning, &[hand], &mut past) - least;
            (gain > BESIDE_GAIN / 4.0).then(|| (hand, sheet.look_on(&[hand], &mut past)))
        });
        let other = others.max_by(|a, b| a.1.evidence.total_cmp(&b.1.evidence));
        if let Some(other) = other.filter(|other| other.1.evidence > look.evidence + BESIDE_GAIN) {
            (hand, look) = other;
        }
    }
    (hand, look)
}

/// Those languages that are not far behind the best in the beginning of the game, with the searches there.
fn in_the_beginning(sheet: &SheetTable, candidates: Vec<&'static Language>) -> Vec<(Hand, Past)> {
    let mut left: Vec<(Hand, Past)> =
        candidates.into_iter().map(|language| (plain(language), Past::default())).collect();
    for slot in BEGINNINGS.into_iter().filter(|slot| *slot < sheet.slots.len()) {
        if left.len() < 2 {
            break;
        }
        let evidences: Vec<f64> =
            left.par_iter_mut().map(|(hand, past)| sheet.evidence_before(slot, &[*hand], past)).collect();
        let best = evidences.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut evidences = evidences.into_iter();
        left.retain(|_| evidences.next().is_none_or(|one| one >= best - FAR_BEHIND));
    }
    left
}

/// The hand of a writer who puts nothing beside his moves.
fn plain(language: &'static Language) -> Hand {
    Hand { language, sure: 0.0, beside: Beside::default() }
}

/// The languages that the first letters of the cells allow, best first.
fn likely(sheet: &SheetTable) -> Vec<&'static Language> {
    let mut scores = vec![0.0f32; LANGUAGES.len()];
    for ink in sheet.slots.iter().flatten() {
        let Ink::Written(lattice) = ink else { continue };
        let begins = beginnings(lattice, sheet.symbols);
        for (score, language) in scores.iter_mut().zip(LANGUAGES) {
            let letters = language.initials().into_iter().filter(|_| language.names_pieces()).map(&begins);
            let pawns = language.first_signs().bytes().map(&begins);
            *score += letters.chain(pawns).fold(UNFIT, f32::max).min(1.0).ln();
        }
    }
    let mut order: Vec<usize> = (0..LANGUAGES.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let best = scores[order[0]];
    let close = order.into_iter().filter(|&i| scores[i] > best - LETTER_MARGIN).map(|i| &LANGUAGES[i]);
    // What names no piece begins as pawns' moves do in all languages.
    let (named, bare): (Vec<_>, Vec<_>) = close.partition(|language| language.names_pieces());
    named.into_iter().take(CANDIDATES).chain(bare).collect()
}

/// How well a cell begins with each letter.
fn beginnings(lattice: &Lattice, symbols: &Symbols) -> impl Fn(u8) -> f32 {
    let mut trie = Trie::new(lattice);
    let mut promise = [0.0; 256];
    for byte in (b'A'..=b'Z').chain(b'a'..=b'h').chain(b'1'..=b'8').chain(128..=255) {
        let node = trie.walk(lattice, symbols, Trie::ROOT, &[byte], UNFIT);
        promise[byte as usize] = node.map_or(0.0, |node| trie.promise(lattice, node));
    }
    move |byte| promise[usize::from(byte)]
}
