//! From the readings of all cells to the game: what was written, what was played, and how sure that is.
//!
//! A noisy channel over the whole game. A game's probability is the product over its plies of
//! p(ink | spelling) p(spelling | move, language, habits) p(move | position), and of the prices of whatever slips it
//! needs. The `beam` keeps the likely games, `posterior` sums over them, `confidence` says how far
//! such sums can be trusted, `plies` puts the outcome into words.

mod beam;
mod capitals;
mod confidence;
mod emission;
mod ending;
mod fast_map;
mod gaps;
mod graph;
mod hopes;
mod language;
mod limits;
mod marks;
mod material;
mod past;
mod plies;
mod posterior;
pub mod prior;
mod reasons;
mod score;
mod second_game;
mod settled;
mod sheet;
mod text;
mod tracer;
mod transcript;

pub use confidence::{INPUTS, Model as ConfidenceModel, Signs};
pub use emission::SlipPrices;
pub use gaps::GapPrices;
pub use prior::{Belief, MovePrior, Policy};
pub use settled::{Contradiction, Settled, SettledCell, SettledSlot};
pub use transcript::transcribe;

use crate::game::{Colour, Ply, Quad, ResultOrigin};
use crate::notation::Notation;
use crate::reading::{Alphabet, Reading};
use beam::search;
use cozy_chess::Board;
use emission::Ink;
use limits::{Limits, limits_around};
use past::Past;
use prior::{Believed, Uniform};
use score::Symbols;
use serde::{Deserialize, Serialize};
use sheet::SheetTable;
use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A cell of the move table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InkCell {
    /// Index of the sheet in the game.
    pub sheet: usize,
    /// Index of the page in the sheet.
    pub page: usize,
    /// In pixels of the upright photo.
    pub quad: Quad,
    /// None for a blank cell.
    pub reading: Option<Reading>,
    /// The ink is struck through.
    pub crossed_out: bool,
}

/// A numbered row of the move table, with one cell per sheet and colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// As printed.
    pub number: u32,
    pub white: Vec<InkCell>,
    pub black: Vec<InkCell>,
}

/// What the caller knows or wants.
#[derive(Debug, Clone)]
pub struct Options {
    /// ISO 639 code of the language written; found from the ink if none.
    pub language: Option<String>,
    /// Position before the first row; the usual one if none.
    pub start: Option<Board>,
    /// What a person has settled about the game.
    pub settled: Settled,
    /// By sheet, who kept it.
    pub keepers: Vec<Option<Colour>>,
    pub slips: SlipPrices,
    pub gaps: GapPrices,
    pub belief: Belief,
    /// Instead of the confidence model that comes along.
    pub confidence: Option<ConfidenceModel>,
    /// Parts that are switched off, to measure what they are worth.
    pub without: Without,
    /// Factor of the recogniser's log-probabilities: below one for a recogniser that is surer than it should be.
    pub ink_scale: f32,
    /// Factor of all log-probabilities before confidences are taken: neighbouring pieces of evidence are not as
    /// independent as the model takes them to be. Measured on held-out sheets.
    pub temper: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            language: None,
            start: None,
            settled: Settled::default(),
            keepers: Vec::new(),
            slips: SlipPrices::default(),
            gaps: GapPrices::default(),
            belief: Belief::default(),
            confidence: None,
            without: Without::default(),
            ink_scale: 1.0,
            temper: 0.9,
        }
    }
}

impl Options {
    /// The same with the prices of a writer who does nothing wrong, if slips are switched off.
    fn priced(&self) -> Cow<'_, Self> {
        if !self.without.slips {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { slips: self.slips.none(), gaps: GapPrices::never(), ..self.clone() })
    }
}

/// Parts of the decoder that can be switched off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Without {
    /// Every writer has the habits of a writer of whom nothing is known.
    pub habits: bool,
    /// Nothing is written wrong, left out, doubled or passed over; ink that fits no move is unreadable.
    pub slips: bool,
    /// All legal moves are alike.
    pub prior: bool,
}

/// The game that the ink says.
#[derive(Debug, Clone)]
pub struct Decoded {
    pub plies: Vec<Ply>,
    /// By ply, where it stands in the table.
    pub places: Vec<Place>,
    /// By ply, what its confidence is made of; none for what a person has settled and for what is no move.
    pub signs: Vec<Option<Signs>>,
    /// By sheet, the ISO 639 code of the language whose piece letters are written, and how sure that is.
    pub languages: Vec<(String, f32)>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    pub result_origin: Option<ResultOrigin>,
    pub warnings: Vec<String>,
}

/// Where a ply stands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Twice the index of the row, one more for Black.
    pub slot: usize,
    /// The ply was left out on the sheet, right before the slot.
    pub omitted: bool,
}

/// Finds the game. Rows come in printed order, blank rows included.
///
/// # Errors
/// [`Contradiction`] where nothing agrees with what is settled; never if nothing is.
pub fn decode(rows: &[Row], alphabet: &Alphabet, options: &Options) -> Result<Decoded, Contradiction> {
    decode_with(rows, &Groundwork::new(rows, alphabet, options), options)
}

/// What the ink teaches before anything is settled: languages, habits, prices, and how well it fits the moves looked at
/// so far. Kept from one correction to the next it saves most of the work; what is decoded stays the same.
pub struct Groundwork {
    alphabet: Alphabet,
    symbols: Symbols,
    slots: Vec<Vec<Ink>>,
    found: language::Found,
    prior: Believed<'static>,
    /// Where the game had to be mended before anything was settled.
    mended: OnceLock<Vec<usize>>,
    /// Of searches whose end is open, and of those whose end is settled.
    pasts: Mutex<[Past; 2]>,
}

impl Groundwork {
    /// Looks at the ink with whatever the options say of languages and prices; what they settle does not matter.
    pub fn new(rows: &[Row], alphabet: &Alphabet, options: &Options) -> Self {
        let mut slots = sheet::inks(&sheet::cells(rows), alphabet, options.ink_scale);
        let symbols = Symbols::new(alphabet);
        let start = options.start.clone().unwrap_or_default();
        let open = Options { settled: Settled::default(), ..options.priced().into_owned() };
        let model: &dyn MovePrior = if options.without.prior { &Uniform } else { Policy::embedded() };
        let prior = Believed::new(model, options.belief);
        let table = SheetTable { slots: &slots, symbols: &symbols, start: &start, prior: &prior, options: &open };
        let mut found = language::find(&table);
        if !found.reads_well() {
            let capitals = capitals::allowed(rows, alphabet);
            let others = sheet::inks(&sheet::cells(&capitals), alphabet, options.ink_scale);
            let in_capitals = SheetTable { slots: &others, ..table };
            if language::promises(&in_capitals, &table, &found) {
                let other = language::find(&in_capitals);
                if other.fits_far_better_than(&found) {
                    (slots, found) = (others, other);
                }
            }
        }
        Self {
            alphabet: alphabet.clone(),
            symbols,
            slots,
            found,
            prior,
            mended: OnceLock::new(),
            pasts: Mutex::default(),
        }
    }
}

/// How often, at first sight, the ink of one sheet's rows does not say the move, or table and game part ways.
pub fn mended_at_sight(rows: &[Row], alphabet: &Alphabet, options: &Options) -> usize {
    let slots = sheet::inks(&sheet::cells(rows), alphabet, options.ink_scale);
    let symbols = Symbols::new(alphabet);
    let start = options.start.clone().unwrap_or_default();
    let prior = Believed::new(Policy::embedded(), options.belief);
    let table = SheetTable { slots: &slots, symbols: &symbols, start: &start, prior: &prior, options };
    language::at_sight(&table).look.mended.len()
}

/// Finds the game on its groundwork.
///
/// # Errors
/// As [`decode`].
pub fn decode_with(rows: &[Row], groundwork: &Groundwork, options: &Options) -> Result<Decoded, Contradiction> {
    let options = &*options.priced();
    let lock = || groundwork.pasts.lock().unwrap_or_else(PoisonError::into_inner);
    // Another correction at the same time does without.
    let mut pasts = std::mem::take(&mut *lock());
    let decoded = decode_going_on(rows, groundwork, options, &mut pasts);
    *lock() = pasts;
    decoded
}

/// The same from where the search before left off.
fn decode_going_on(
    rows: &[Row],
    groundwork: &Groundwork,
    options: &Options,
    pasts: &mut [Past; 2],
) -> Result<Decoded, Contradiction> {
    let Groundwork { alphabet, symbols, slots, found, prior, .. } = groundwork;
    let start = options.start.clone().unwrap_or_default();
    let sheet = SheetTable { slots, symbols, start: &start, prior, options };
    let prices = options.slips.for_sheet(found.look.mended.len(), found.look.plies);
    let writers = sheet.writers(&found.hands, &found.look.habits, prices);
    let table = sheet.table(&writers);
    // Where the search is wide stays the same from one correction to the next, so that it can go on where they part.
    let mut mended = groundwork.mended.get().unwrap_or(&found.look.mended).clone();
    let limits = limits_around(&mended, slots.len());
    let kind = usize::from(options.settled.end.is_some());
    let graph = search(&table, &limits, &mut pasts[kind]);
    let mut more = sheet.study(&table, graph).mended;
    let is_stuck = graph.ends.is_empty();
    // What is settled may ask for moves before it that the search did not follow.
    if is_stuck {
        more.push(graph.furthest());
    }
    if let Some(decoded) = up_to_another_game(rows, groundwork, options, &sheet, &more, pasts) {
        return Ok(decoded);
    }
    // Once more, if the game was mended where the search was not wide.
    if is_stuck || more.iter().any(|&slot| limits[slot] != Limits::WIDE) {
        mended.extend(more);
    }
    if options.settled == Settled::default() {
        mended = groundwork.mended.get_or_init(|| mended).clone();
    }
    let graph = search(&table, &limits_around(&mended, slots.len()), &mut pasts[kind]);
    if graph.ends.is_empty() {
        return Err(options.settled.stuck_at(graph.furthest()));
    }
    let notations = found.hands.iter().map(|hand| Notation::of(hand.language, alphabet)).collect();
    let cells = &sheet::cells(rows);
    let outcome = plies::describe(&material::Material {
        rows,
        cells,
        table: &table,
        graph,
        options,
        alphabet,
        languages: found.hands.iter().map(|hand| hand.language).collect(),
        notations,
    });
    let decoded = Decoded {
        plies: outcome.plies,
        places: outcome.places,
        signs: outcome.signs,
        languages: found.hands.iter().map(|hand| (hand.language.code.to_string(), hand.sure)).collect(),
        result: outcome.result,
        result_origin: outcome.result_origin,
        warnings: outcome.warnings,
    };
    Ok(up_to_guesses(rows, groundwork, options, &decoded, pasts).unwrap_or(decoded))
}

/// Confidence below which a move is a guess, and how many of them at the end of a game are taken for none of it: of 42
/// such moves on 64 sheets of hcs and 180 drawn ones none was played.
const GUESS: f32 = 0.25;
const GUESSES: usize = 2;

/// The game without its end, where that is guessed, and nobody has settled anything there.
fn up_to_guesses(
    rows: &[Row],
    groundwork: &Groundwork,
    options: &Options,
    decoded: &Decoded,
    pasts: &mut [Past; 2],
) -> Option<Decoded> {
    let Decoded { plies, places, .. } = decoded;
    let is_guess = |ply: &&Ply| ply.san.is_none() || ply.confidence < GUESS;
    let from = plies.len() - plies.iter().rev().take_while(is_guess).count();
    let guessed = plies[from..].iter().filter(|ply| ply.san.is_some()).count();
    // A hand that can hardly be read anywhere is left to the person.
    if guessed < GUESSES || 2 * from < plies.len() {
        return None;
    }
    let slot = places[from].slot;
    let warning = format!(
        "From move {} of the table on, what is written does not read as moves of this game. If it goes on there, enter the moves.",
        rows[slot / 2].number
    );
    ended_at(slot, warning, rows, groundwork, options, pasts)
}

/// The game up to a slot, with a warning that says why; none where a person has settled its end or anything behind the slot.
fn ended_at(
    slot: usize,
    warning: String,
    rows: &[Row],
    groundwork: &Groundwork,
    options: &Options,
    pasts: &mut [Past; 2],
) -> Option<Decoded> {
    let settled = &options.settled;
    if settled.end.is_some() || settled.slots.range(slot..).next().is_some() {
        return None;
    }
    let settled = Settled { end: Some(slot), end_is_found: true, ..settled.clone() };
    let mut decoded = decode_going_on(rows, groundwork, &Options { settled, ..options.clone() }, pasts).ok()?;
    decoded.warnings.push(warning);
    Some(decoded)
}

/// The first game alone, where another one is written below it and nobody has settled anything there; `mended` as for
/// [`second_game::begins`].
fn up_to_another_game(
    rows: &[Row],
    groundwork: &Groundwork,
    options: &Options,
    sheet: &SheetTable,
    mended: &[usize],
    pasts: &mut [Past; 2],
) -> Option<Decoded> {
    // Looking for it takes time.
    if options.settled.end.is_some() {
        return None;
    }
    let slot = second_game::begins(sheet, &groundwork.found.hands, mended)?;
    let warning = format!(
        "Another game begins at move {} of the table. Its moves are given as written; photograph them apart to have them read as a game.",
        rows[slot / 2].number
    );
    ended_at(slot, warning, rows, groundwork, options, pasts)
}

#[cfg(test)]
mod tests;
