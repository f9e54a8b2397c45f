//! The game from its ink, and the better game after a person has looked at some of its moves.

use crate::decode::{self, Contradiction, Decoded, Groundwork, Place, Settled, SettledCell};
use crate::error::{Error, Result};
use crate::game::{Colour, Game, ResultOrigin, ResultSource, SCHEMA, Sheet, Status};
use crate::pgn;
use crate::pipeline::results::WrittenResult;
use crate::pipeline::{Ink, Timing, timed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What a person says about the game.
///
/// Moves are named by the cell that they are written in: the number of its row and White's or Black's column. Unlike
/// plies, cells stay what they are while the game changes. Of pins about the same cell the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "pin", rename_all = "snake_case", deny_unknown_fields)]
pub enum Pin {
    /// The cell holds this move: Standard Algebraic Notation, UCI, or any language's letters.
    Move { number: u32, colour: Colour, san: String },
    /// What is written in the cell is no move.
    NotAMove { number: u32, colour: Colour },
    /// A move was played before the cell and not written; several such pins name several moves, in order.
    Missing { number: u32, colour: Colour, san: Option<String> },
    /// The move in the cell is the last one.
    End { number: u32, colour: Colour },
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result { result: String },
    /// A PGN tag.
    Header { name: String, value: String },
}

/// The cell in which a ply is written, or before which it was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellName {
    pub number: u32,
    pub colour: Colour,
    /// The ply is not written: it was played right before what the cell holds.
    pub omitted: bool,
}

/// A game, and where its plies stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reviewed {
    pub game: Game,
    /// One per ply.
    pub cells: Vec<CellName>,
}

/// A game under review: its ink with all that it teaches before anyone looks. Corrections come one after the other, and
/// each is answered much sooner than by decoding anew.
pub struct Desk {
    ink: Ink,
    options: decode::Options,
    groundwork: Groundwork,
    /// The game before anything is settled.
    unsettled: OnceLock<Option<Decoded>>,
}

impl Desk {
    /// Looks at the ink.
    pub fn new(ink: Ink, options: &decode::Options) -> Self {
        let groundwork = Groundwork::new(&ink.rows, &ink.alphabet, options);
        let keepers = ink.sheets.iter().map(|sheet| sheet.keeper).collect();
        Self { options: decode::Options { keepers, ..options.clone() }, ink, groundwork, unsettled: OnceLock::new() }
    }

    /// Decodes the ink, holding to what the pins say. Undoing is decoding with fewer pins.
    ///
    /// # Errors
    /// [`Error::Pin`] for pins that contradict the rules or each other.
    pub fn game(&self, pins: &[Pin]) -> Result<Reviewed> {
        let ink = &self.ink;
        let options = decode::Options { settled: settled(ink, pins)?, ..self.options.clone() };
        let mut timing_ms = ink.timing_ms.clone();
        let decoded = timed(&mut timing_ms, "decode", || self.decode(&options));
        let decoded = decoded.map_err(|contradiction| contradicted(ink, &options.settled, contradiction.slot))?;
        let reviewed = assemble(ink, pins, decoded, timing_ms);
        if options.settled == Settled::default() && !is_a_game(ink, &reviewed.game) {
            return Ok(transcript(ink, pins, &reviewed.game, &options).unwrap_or(reviewed));
        }
        Ok(reviewed)
    }

    fn decode(&self, options: &decode::Options) -> std::result::Result<Decoded, Contradiction> {
        let decode = |options| decode::decode_with(&self.ink.rows, &self.groundwork, options);
        let unsettled = self.unsettled.get_or_init(|| decode(&self.options).ok());
        match unsettled {
            Some(unsettled) if options.settled == Settled::default() => Ok(unsettled.clone()),
            Some(unsettled) => decode(options).map(|decoded| with_certainty_of(unsettled, decoded)),
            None => decode(options),
        }
    }
}

/// Where pins only confirm the game, no ply becomes less certain by them: which other games the search still remembers,
/// and with it their share, changes with what is settled.
fn with_certainty_of(unsettled: &Decoded, mut decoded: Decoded) -> Decoded {
    let moves = |decoded: &Decoded| decoded.plies.iter().map(|ply| ply.uci.clone()).collect::<Vec<_>>();
    if decoded.places != unsettled.places || moves(&decoded) != moves(unsettled) {
        return decoded;
    }
    // What has no signs was set by hand, or is no move.
    for ((ply, signs), before) in decoded.plies.iter_mut().zip(&decoded.signs).zip(&unsettled.plies) {
        if signs.is_some() && ply.confidence < before.confidence {
            *ply = before.clone();
        }
    }
    decoded
}

/// Decodes the ink once, holding to what the pins say.
///
/// # Errors
/// As [`Desk::game`].
pub fn game(ink: &Ink, pins: &[Pin], options: &decode::Options) -> Result<Reviewed> {
    Desk::new(ink.clone(), options).game(pins)
}

/// The moves as they are written, in the languages of a decoded game, where that is no game; none if the ink does not
/// read as moves either.
fn transcript(ink: &Ink, pins: &[Pin], game: &Game, options: &decode::Options) -> Option<Reviewed> {
    let language = |sheet: &Sheet| Some((sheet.language.clone()?, sheet.language_confidence));
    let languages = game.sheets.iter().filter_map(language).collect();
    let decoded = decode::transcribe(&ink.rows, &ink.alphabet, options, languages)?;
    Some(assemble(ink, pins, decoded, game.timing_ms.clone()))
}

fn assemble(ink: &Ink, pins: &[Pin], decoded: Decoded, timing_ms: Timing) -> Reviewed {
    let mut sheets = ink.sheets.clone();
    for (sheet, (language, sure)) in sheets.iter_mut().zip(&decoded.languages) {
        sheet.language = Some(language.clone());
        sheet.language_confidence = *sure;
    }
    let mut game = Game {
        schema: SCHEMA.to_owned(),
        sheets,
        start_fen: None,
        plies: decoded.plies,
        result: decoded.result,
        result_origin: decoded.result_origin,
        headers: BTreeMap::new(),
        warnings: ink.warnings.iter().cloned().chain(decoded.warnings).collect(),
        timing_ms,
        pgn: String::new(),
    };
    note_results(&mut game, &ink.results);
    for pin in pins {
        match pin {
            Pin::Result { result } => {
                game.result.clone_from(result);
                let said = ResultOrigin { source: ResultSource::Person, confidence: None };
                game.result_origin = (result != "*").then_some(said);
            }
            Pin::Header { name, value } => drop(game.headers.insert(name.clone(), value.clone())),
            _ => {}
        }
    }
    game.pgn = pgn::of_game(&game);
    Reviewed { game, cells: decoded.places.iter().map(|place| cell_name(ink, place)).collect() }
}

/// Takes the result that is written outside the cells behind the last move; where results differ, none is taken but the
/// board's.
fn note_results(game: &mut Game, results: &[WrittenResult]) {
    let last = game.plies.iter().filter(|ply| ply.san.is_some()).map(|ply| ply.number).max().unwrap_or(0);
    let behind: Vec<&WrittenResult> =
        results.iter().filter(|written| written.number.is_none_or(|number| number > last)).collect();
    let Some(best) = behind.iter().max_by(|a, b| a.confidence.total_cmp(&b.confidence)) else { return };
    let differ = behind.iter().any(|written| written.result != best.result);
    match game.result_origin.map(|origin| origin.source) {
        Some(ResultSource::Board) if game.result != best.result => {
            game.warnings.push(format!("The sheet says {}, the board says {}.", best.result, game.result));
        }
        Some(ResultSource::Board) => {}
        origin if differ || (origin.is_some() && game.result != best.result) => {
            game.warnings
                .push("Results that differ are written behind the last move; none of them was taken.".to_owned());
            (game.result, game.result_origin) = ("*".to_owned(), None);
        }
        _ => {
            game.result.clone_from(&best.result);
            game.result_origin = Some(ResultOrigin { source: ResultSource::Sheet, confidence: Some(best.confidence) });
        }
    }
}

/// Moves that make a game though none of them is clear.
const FEWEST_DOUBTFUL: usize = 10;

/// Whether what was decoded can pass for a game: a photo of something else yields a few chance moves at most. A quarter
/// of the ink at least must be read as the moves that it says; half of it where no move is clear, since a reader of moves
/// sees moves in anything, and more where the rows do not begin with move 1, since then it takes misread numbers for the ink
/// to be a game from the start.
pub fn is_a_game(ink: &Ink, game: &Game) -> bool {
    use Status::{Clear, Doubtful};
    let read: Vec<f32> =
        game.plies.iter().filter(|ply| matches!(ply.status, Clear | Doubtful)).map(|ply| ply.confidence).collect();
    let clear = game.plies.iter().any(|ply| ply.status == Clear);
    let sides = ink.rows.iter().flat_map(|row| [&row.white, &row.black]);
    let inked = sides.filter(|side| side.iter().any(|cell| cell.reading.is_some())).count();
    let starts_late = ink.rows.first().is_some_and(|row| row.number > 1);
    let least = match (clear, starts_late) {
        (_, true) => 0.7,
        (true, false) => 0.25,
        (false, false) => 0.5,
    };
    read.len() >= if clear { 1 } else { FEWEST_DOUBTFUL } && read.iter().sum::<f32>() >= least * inked as f32
}

/// Whether the moves are given as written, because they are no game from the usual first position.
pub fn is_a_transcript(game: &Game) -> bool {
    !game.plies.is_empty() && game.plies.iter().all(|ply| ply.status == Status::Unread)
}

fn cell_name(ink: &Ink, place: &Place) -> CellName {
    CellName {
        number: ink.rows.get(place.slot / 2).map_or(0, |row| row.number),
        colour: if place.slot.is_multiple_of(2) { Colour::White } else { Colour::Black },
        omitted: place.omitted,
    }
}

/// The slots that pins speak of.
fn settled(ink: &Ink, pins: &[Pin]) -> Result<Settled> {
    let slot = |number: u32, colour: Colour| {
        let row = ink.rows.iter().position(|row| row.number == number);
        row.map(|row| 2 * row + usize::from(colour == Colour::Black)).ok_or_else(|| {
            let (first, last) =
                (ink.rows.first().map_or(0, |row| row.number), ink.rows.last().map_or(0, |row| row.number));
            Error::Pin(format!("There is no row {number} on the sheet. Its rows are {first} to {last}."))
        })
    };
    let mut settled = Settled::default();
    for pin in pins {
        match pin {
            Pin::Move { number, colour, san } => {
                settled.slots.entry(slot(*number, *colour)?).or_default().cell = Some(SettledCell::Move(san.clone()));
            }
            Pin::NotAMove { number, colour } => {
                settled.slots.entry(slot(*number, *colour)?).or_default().cell = Some(SettledCell::NoMove);
            }
            Pin::Missing { number, colour, san } => {
                settled.slots.entry(slot(*number, *colour)?).or_default().omitted.push(san.clone());
            }
            Pin::End { number, colour } => settled.end = Some(slot(*number, *colour)? + 1),
            Pin::Result { result } if !["1-0", "0-1", "1/2-1/2", "*"].contains(&result.as_str()) => {
                return Err(Error::Pin(format!("\"{result}\" is no result. Give 1-0, 0-1, 1/2-1/2 or *.")));
            }
            Pin::Header { name, .. } if !pgn::is_tag_name(name) || ["Result", "FEN", "SetUp"].contains(&&**name) => {
                return Err(Error::Pin(format!(
                    "\"{name}\" is no tag that can be set. Tags are letters, digits and underscores, such as White; the result has a pin of its own."
                )));
            }
            Pin::Result { .. } | Pin::Header { .. } => {}
        }
    }
    if let Some(end) = settled.end {
        settled.slots.retain(|&slot, _| slot < end);
    }
    Ok(settled)
}

fn contradicted(ink: &Ink, settled: &Settled, slot: usize) -> Error {
    let CellName { number, colour, .. } = cell_name(ink, &Place { slot, omitted: false });
    let side = match colour {
        Colour::White => "White",
        Colour::Black => "Black",
    };
    let what = match settled.slots.get(&slot) {
        Some(here) => match (&here.cell, here.omitted.iter().flatten().next()) {
            (_, Some(san)) => format!("{san} before it"),
            (Some(SettledCell::Move(san)), None) => san.clone(),
            _ => "a missing move".to_owned(),
        },
        None => "the end of the game".to_owned(),
    };
    Error::Pin(format!(
        "Move {number}, {side}: {what} is not possible after the moves that lead there. Check it, or correct an earlier move first."
    ))
}
