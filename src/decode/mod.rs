//! From the readings of all cells to the game: what was written, what was played, and how sure that is.
//!
//! A noisy channel over the whole game. A game's probability is the product over its plies of
//! p(ink | spelling) p(spelling | move, language, habits) p(move | position), and of the prices of whatever slips it
//! needs. The `beam` keeps the likely games, `posterior` sums over them, `confidence` says how far
//! such sums can be trusted, `plies` puts the outcome into words. A first look teaches languages, habits and prices,
//! and what the hand's signs look like (`adaptation`, `confusions`).

mod adaptation;
mod beam;
mod capitals;
mod confidence;
mod confusions;
mod emission;
mod ending;
mod fast_map;
mod gaps;
mod graph;
mod hopes;
mod language;
mod limits;
mod marks;
pub(crate) mod material;
mod past;
mod plies;
mod posterior;
pub mod prior;
mod reasons;
mod said;
mod score;
mod second_game;
mod settled;
mod sheet;
mod slips;
mod text;
mod tracer;
mod transcript;

pub use confidence::{INPUTS, Model as ConfidenceModel, Signs};
pub(crate) use ending::MOST_MISSING;
pub use gaps::GapPrices;
pub use language::mended_at_sight;
pub use prior::{Belief, MovePrior, Policy};
pub use settled::{Contradiction, FoundEnd, Settled, SettledCell, SettledSlot};
pub use slips::SlipPrices;
pub use transcript::transcribe;

use crate::game::{Colour, Ply, Quad, ResultOrigin, Written};
use crate::notation::Notation;
use crate::reading::{Alphabet, Reading};
use beam::{search, search_to};
use cozy_chess::Board;
use emission::{Ink, Writer};
use graph::Graph;
use limits::Limits;
use past::Past;
use prior::{Believed, Uniform};
use score::Symbols;
use second_game::SecondGames;
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
    /// Little tells that the ink belongs in this cell.
    #[serde(default, alias = "crossed_out")]
    pub doubted: bool,
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
    /// The rows with what was learned of how the hands look; none if nothing was.
    told: Option<Vec<Row>>,
    /// The file letters that are written as capitals.
    in_capitals: Vec<char>,
    slots: Vec<Vec<Ink>>,
    found: language::Found,
    prior: Believed<'static>,
    /// The first slot with ink behind rows that are not in the photos.
    missing: Option<usize>,
    /// How widely the game was searched, and where, before anything was settled.
    limits: OnceLock<Vec<Limits>>,
    /// By slot, what the sheets say.
    written: Vec<OnceLock<Vec<Written>>>,
    memory: Mutex<Memory>,
}

/// What is kept from one correction to the next.
#[derive(Default)]
struct Memory {
    /// Of searches whose end is open, and of those whose end is settled.
    pasts: [Past; 2],
    second_games: SecondGames,
}

impl Groundwork {
    /// Looks at the ink with whatever the options say of languages and prices; what they settle does not matter.
    pub fn new(rows: &[Row], alphabet: &Alphabet, options: &Options) -> Self {
        let mut slots = sheet::inks(&sheet::cells(rows), alphabet, options.ink_scale);
        // Behind missing rows nothing can be learned.
        let missing = ending::behind_missing(rows, &slots);
        let known = missing.unwrap_or(slots.len());
        let symbols = Symbols::new(alphabet);
        let start = options.start.clone().unwrap_or_default();
        let open = Options { settled: Settled::default(), ..options.priced().into_owned() };
        let model: &dyn MovePrior = if options.without.prior { &Uniform } else { Policy::embedded() };
        let prior = Believed::new(model, options.belief);
        let table =
            SheetTable { slots: &slots[..known], symbols: &symbols, start: &start, prior: &prior, options: &open };
        let mut found = language::find(&table);
        let (mut told, mut in_capitals) = (None, Vec::new());
        if !found.reads_well() || capitals::are_read(&slots[..known]) {
            let capitals = capitals::allowed(rows, alphabet);
            let others = sheet::inks(&sheet::cells(&capitals), alphabet, options.ink_scale);
            let merged = SheetTable { slots: &others[..known], ..table };
            if language::promises(&merged, &table, &found) {
                let other = language::find(&merged);
                if other.fits_far_better_than(&found) {
                    (slots, found, told) = (others, other, Some(capitals));
                    in_capitals = capitals::preferred(rows, alphabet);
                }
            }
        }
        let table =
            SheetTable { slots: &slots[..known], symbols: &symbols, start: &start, prior: &prior, options: &open };
        found.look = table.wide_look(found.look, &found.hands);
        let lessons = table.lessons(&found.look, &found.hands);
        let read = told.as_deref().unwrap_or(rows);
        let adapted = adaptation::adapted(read, &lessons);
        let learned = confusions::told(adapted.as_deref().unwrap_or(read), &lessons, alphabet).or(adapted);
        if let Some(rows) = learned {
            slots = sheet::inks(&sheet::cells(&rows), alphabet, options.ink_scale);
            found.look =
                SheetTable { slots: &slots[..known], symbols: &symbols, start: &start, prior: &prior, options: &open }
                    .first_look(&found.hands);
            told = Some(rows);
        }
        Self {
            alphabet: alphabet.clone(),
            symbols,
            told,
            in_capitals,
            found,
            prior,
            missing,
            limits: OnceLock::new(),
            written: vec![OnceLock::new(); slots.len()],
            slots,
            memory: Mutex::default(),
        }
    }
}

/// Finds the game on its groundwork.
///
/// # Errors
/// As [`decode`].
pub fn decode_with(rows: &[Row], groundwork: &Groundwork, options: &Options) -> Result<Decoded, Contradiction> {
    let options = &*options.priced();
    let lock = || groundwork.memory.lock().unwrap_or_else(PoisonError::into_inner);
    // Another correction at the same time does without.
    let mut memory = std::mem::take(&mut *lock());
    let decoded = decode_going_on(rows, groundwork, options, &mut memory);
    *lock() = memory;
    decoded
}

/// The same from where the search before left off.
fn decode_going_on(
    rows: &[Row],
    groundwork: &Groundwork,
    options: &Options,
    memory: &mut Memory,
) -> Result<Decoded, Contradiction> {
    let Groundwork { symbols, slots, found, prior, .. } = groundwork;
    let start = options.start.clone().unwrap_or_default();
    let sheet = SheetTable { slots, symbols, start: &start, prior, options };
    let writers = sheet.writers(&found.hands, &found.look.habits, found.look.prices(options));
    let table = sheet.table(&writers);
    // Where the search is wide stays the same from one correction to the next, so that it can go on where they part.
    let mut limits = groundwork.limits.get().cloned().unwrap_or_else(|| sheet.limits_around(&found.look));
    let past = &mut memory.pasts[usize::from(options.settled.end.is_some())];
    let graph = search(&table, &limits, past);
    let mut more = sheet.study(&table, graph).mended;
    let is_stuck = graph.ends.is_empty();
    // What is settled may ask for moves before it that the search did not follow.
    if is_stuck {
        more.push(graph.furthest());
    }
    let missing = groundwork.missing.filter(|&slot| options.settled.is_open_behind(slot));
    let another = (missing.is_none() && options.settled.is_open())
        .then(|| memory.second_games.begins(&sheet, &found.hands, &more))
        .flatten()
        .filter(|&slot| options.settled.is_open_behind(slot));
    more.retain(|&slot| another.or(missing).is_none_or(|end| slot < end));
    // Once more, if the game was mended where the search was not wide.
    if is_stuck || more.iter().any(|&slot| !limits[slot].reaches(&Limits::WIDE)) {
        limits::widen(&mut limits, &more, Limits::WIDE);
    }
    let end = another.or(missing).unwrap_or(slots.len()) + 1;
    if options.settled == Settled::default() {
        limits = groundwork.limits.get_or_init(|| sheet.search_wider(end, &table, limits, past)).clone();
    }
    search_to(end, &table, &limits, past);
    let tell = |options: &Options, graph: &Graph| tell(rows, groundwork, &writers, options, graph);
    let ended = |past: &mut Past, slot: usize, found: FoundEnd, warning: String| {
        past.end_at(slot);
        let settled = Settled { end: Some(slot), found: Some(found), ..options.settled.clone() };
        let mut decoded = tell(&Options { settled, ..options.clone() }, &past.graph);
        decoded.warnings.push(warning);
        decoded
    };
    let without_guesses = |decoded: Decoded, past: &mut Past| {
        let Some(slot) = ending::guessed_from(&decoded).filter(|&slot| options.settled.is_open_behind(slot)) else {
            return decoded;
        };
        let warning = format!(
            "From move {} of the table on, what is written does not read as moves of this game. If it goes on there, enter the moves.",
            rows[slot / 2].number
        );
        ended(past, slot, FoundEnd::Guesses, warning)
    };
    if let Some(slot) = another {
        let warning = format!(
            "Another game begins at move {} of the table. Its moves are given as written; photograph them apart to have them read as a game.",
            rows[slot / 2].number
        );
        return Ok(without_guesses(ended(past, slot, FoundEnd::AnotherGame, warning), past));
    }
    if let Some(slot) = missing {
        let (before, behind) = (rows[slot / 2 - 1].number, rows[slot / 2].number);
        let warning = format!(
            "Moves {} to {} are not in the photos: the moves from {behind} on are given as written, none of them is checked. Take the whole sheet into the picture, or add the page that is missing.",
            before + 1,
            behind - 1
        );
        return Ok(ended(past, slot, FoundEnd::RowsMissing, warning));
    }
    if past.graph.ends.is_empty() {
        return Err(options.settled.stuck_at(past.graph.furthest()));
    }
    Ok(without_guesses(tell(options, &past.graph), past))
}

/// Puts the games of a graph into words.
fn tell(rows: &[Row], groundwork: &Groundwork, writers: &[Writer], options: &Options, graph: &Graph) -> Decoded {
    let Groundwork { alphabet, symbols, told, slots, found, prior, written, .. } = groundwork;
    let rows = told.as_deref().unwrap_or(rows);
    let start = options.start.clone().unwrap_or_default();
    let sheet = SheetTable { slots, symbols, start: &start, prior, options };
    let mut outcome = plies::describe(&material::Material {
        rows,
        cells: &sheet::cells(rows),
        table: &sheet.table(writers),
        graph,
        options,
        alphabet,
        known: written,
        languages: found.hands.iter().map(|hand| hand.language).collect(),
        notations: found.hands.iter().map(|hand| Notation::of(hand.language, alphabet)).collect(),
    });
    for written in outcome.plies.iter_mut().flat_map(|ply| &mut ply.written) {
        written.text = capitals::written_in(&groundwork.in_capitals, &written.text);
    }
    Decoded {
        plies: outcome.plies,
        places: outcome.places,
        signs: outcome.signs,
        languages: found.hands.iter().map(|hand| (hand.language.code.to_string(), hand.sure)).collect(),
        result: outcome.result,
        result_origin: outcome.result_origin,
        warnings: outcome.warnings,
    }
}

#[cfg(test)]
mod tests;
