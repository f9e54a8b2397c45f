//! From the readings of all cells to the game: what was written, what was played, and how sure that is.
//!
//! A noisy channel over the whole game. A game's probability is the product over its plies of
//! p(ink | spelling) p(spelling | move, language, habits) p(move | position), and of the prices of whatever slips it
//! needs. The [`beam`] keeps the likely games, [`confidence`] sums over them, [`plies`] puts the outcome into words.

mod beam;
mod confidence;
mod emission;
mod gaps;
mod language;
mod plies;
mod prior;
mod score;
mod settled;

pub use emission::SlipPrices;
pub use gaps::GapPrices;
pub use prior::{MovePrior, RulesOfThumb};
pub use settled::{Contradiction, Settled, SettledCell, SettledSlot};

use crate::game::{Ply, Quad};
use crate::notation::{Habits, Language, Usage};
use crate::reading::{Alphabet, Reading};
use beam::{Graph, Limits, Step, Table, limits_around, search};
use cozy_chess::Board;
use emission::{Emission, Ink, Scores, Writer};
use rayon::prelude::*;
use score::{Lattice, Symbols};
use serde::{Deserialize, Serialize};

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
    pub slips: SlipPrices,
    pub gaps: GapPrices,
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
            slips: SlipPrices::default(),
            gaps: GapPrices::default(),
            ink_scale: 1.0,
            temper: 0.9,
        }
    }
}

/// The game that the ink says.
#[derive(Debug, Clone)]
pub struct Decoded {
    pub plies: Vec<Ply>,
    /// By ply, where it stands in the table.
    pub places: Vec<Place>,
    /// ISO 639 code of the language whose piece letters are written, by the first sheet.
    pub language: Option<String>,
    pub language_confidence: f32,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
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
    decode_with(rows, alphabet, options, &RulesOfThumb)
}

/// Finds the game with a model of the moves people play.
///
/// # Errors
/// As [`decode`].
pub fn decode_with(
    rows: &[Row],
    alphabet: &Alphabet,
    options: &Options,
    prior: &dyn MovePrior,
) -> Result<Decoded, Contradiction> {
    let slots = inked_slots(rows, alphabet, options.ink_scale);
    let symbols = Symbols::new(alphabet);
    let start = options.start.clone().unwrap_or_default();
    let sheets = slots.iter().map(Vec::len).max().unwrap_or(0);
    let sheet = SheetTable { slots: &slots, sheets, symbols: &symbols, start: &start, prior, options };
    let found = language::find(&sheet);
    let prices = options.slips.for_sheet(found.look.mended.len(), found.look.plies);
    let writers = sheet.writers(found.language, &found.look.habits, prices);
    let table = sheet.table(&writers);
    let mut mended = found.look.mended;
    let mut known = Vec::new();
    let mut graph = search(&table, &limits_around(&mended, slots.len()), &mut known);
    let mut more = sheet.study(&table, &graph).mended;
    // What is settled may ask for moves before it that the search did not follow.
    if graph.ends.is_empty() {
        more.push(graph.furthest());
    }
    if more.iter().any(|slot| !mended.contains(slot)) {
        mended.extend(more);
        graph = search(&table, &limits_around(&mended, slots.len()), &mut known);
    }
    if graph.ends.is_empty() {
        return Err(options.settled.stuck_at(graph.furthest()));
    }
    let outcome = plies::describe(rows, &table, &graph, options.temper);
    Ok(Decoded {
        plies: outcome.plies,
        places: outcome.places,
        language: Some(found.language.code.to_string()),
        language_confidence: found.confidence,
        result: outcome.result,
        warnings: outcome.warnings,
    })
}

/// Every slot's ink in playing order: White's cells of a row, then Black's.
fn inked_slots(rows: &[Row], alphabet: &Alphabet, ink_scale: f32) -> Vec<Vec<Ink>> {
    let sides: Vec<&[InkCell]> = rows.iter().flat_map(|row| [row.white.as_slice(), row.black.as_slice()]).collect();
    let ink = |cell: &InkCell| match &cell.reading {
        None => Ink::Blank,
        Some(reading) => {
            let lattice = Lattice::new(reading, alphabet, ink_scale);
            if cell.crossed_out { Ink::Crossed(lattice) } else { Ink::Written(lattice) }
        }
    };
    sides.par_iter().map(|cells| cells.iter().map(ink).collect()).collect()
}

/// A game's table before language and habits are known.
struct SheetTable<'a> {
    slots: &'a [Vec<Ink>],
    sheets: usize,
    symbols: &'a Symbols,
    start: &'a Board,
    prior: &'a dyn MovePrior,
    options: &'a Options,
}

impl<'a> SheetTable<'a> {
    fn writers(&self, language: &'static Language, habits: &[Habits], prices: SlipPrices) -> Vec<Writer<'a>> {
        let writer = |sheet: usize| Writer {
            symbols: self.symbols,
            language,
            habits: habits.get(sheet).cloned().unwrap_or_default(),
            prices,
        };
        (0..self.sheets).map(writer).collect()
    }

    fn table<'b>(&'b self, writers: &'b [Writer<'b>]) -> Table<'b> {
        Table {
            slots: self.slots,
            writers,
            start: self.start,
            prior: self.prior,
            gaps: self.options.gaps,
            settled: &self.options.settled,
        }
    }

    /// Decodes narrowly in one language.
    fn first_look(&self, language: &'static Language) -> Look {
        let writers = self.writers(language, &[], self.options.slips);
        let table = self.table(&writers);
        let limits = vec![Limits::NARROW; self.slots.len() + 1];
        self.study(&table, &search(&table, &limits, &mut Vec::new()))
    }

    /// What the best game of a search says about writers and slips.
    fn study(&self, table: &Table, graph: &Graph) -> Look {
        let mut usage = vec![Usage::default(); table.writers.len()];
        let mut mended = Vec::new();
        let (path, end) = graph.best_path();
        for &edge in &path {
            let edge = graph.edges[edge as usize];
            let node = &graph.nodes[edge.from as usize];
            if table.settled.slots.contains_key(&node.slot) {
                continue;
            }
            let explained = match edge.step {
                Step::Written(mv, check) => plies::shape_of(&node.board, mv).map(|shape| {
                    let mut emission =
                        Emission::new(table.slots[node.slot].iter().zip(table.writers), Scores::default());
                    emission.explain(&shape, check, &mut usage)
                }),
                _ => None,
            };
            if explained.is_none_or(|cells| cells.iter().all(|cell| cell.is_none_or(|c| c.spelled < 0.5))) {
                mended.push(node.slot);
            }
        }
        let end = end.map_or(0, |node| graph.nodes[node as usize].slot);
        let behind = self.slots[end..].iter().take(2).flat_map(|inks| inks.iter().zip(table.writers));
        let unexplained = behind.into_iter().any(|(ink, writer)| !gaps::is_no_move(ink, writer));
        if unexplained && table.settled.end.is_none() {
            mended.push(end);
        }
        let habits = usage.iter().map(Habits::from_usage).collect();
        Look { evidence: graph.evidence(), habits, mended, plies: path.len() }
    }
}

/// What a search teaches about the sheet.
struct Look {
    /// Natural logarithm of the summed probability of all games.
    evidence: f64,
    /// By sheet.
    habits: Vec<Habits>,
    /// Slots at which the ink does not say the move, or at which table and game part ways.
    mended: Vec<usize>,
    /// Plies of the best game.
    plies: usize,
}

#[cfg(test)]
mod tests {
    use super::score::tests::{alphabet, reading_of};
    use super::*;
    use crate::game::Status;

    /// A sheet with one cell per text; an empty text is a blank cell.
    fn sheet(texts: &[&str]) -> Vec<Row> {
        let cell = |text: &str| {
            let reading = (!text.is_empty()).then(|| reading_of(text, 0.9995, &alphabet()));
            vec![InkCell { sheet: 0, page: 0, quad: Default::default(), reading, crossed_out: false }]
        };
        let rows = texts.chunks(2).enumerate();
        rows.map(|(i, pair)| Row {
            number: i as u32 + 1,
            white: cell(pair[0]),
            black: cell(pair.get(1).copied().unwrap_or_default()),
        })
        .collect()
    }

    fn game(texts: &[&str]) -> Decoded {
        decode(&sheet(texts), &alphabet(), &Options::default()).unwrap()
    }

    fn sans(decoded: &Decoded) -> Vec<&str> {
        decoded.plies.iter().map(|ply| ply.san.as_deref().unwrap_or("-")).collect()
    }

    #[test]
    fn a_clean_sheet_is_clear_throughout_and_its_result_is_found() {
        let decoded = game(&["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "OO", "f6", "1-O", "", "", ""]);
        assert_eq!(sans(&decoded), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "f6"]);
        assert!(decoded.plies.iter().all(|ply| ply.status == Status::Clear), "{:?}", decoded.plies);
        assert_eq!((decoded.result.as_str(), decoded.language.as_deref()), ("1-0", Some("en")));
        assert!(decoded.warnings.is_empty(), "{:?}", decoded.warnings);
    }

    #[test]
    fn german_letters_are_found_from_the_ink() {
        let decoded =
            game(&["e4", "e5", "Sf3", "Sc6", "Lb5", "a6", "Lxc6", "dxc6", "O-O", "Ld6", "d4", "Lg4", "dxe5", "Lxe5"]);
        assert_eq!(decoded.language.as_deref(), Some("de"));
        assert_eq!(sans(&decoded)[2..6], ["Nf3", "Nc6", "Bb5", "a6"]);
    }

    #[test]
    fn other_scripts_and_figurines_are_found_from_the_ink() {
        let game_in = |texts: &[&str]| decode(&sheet(texts), &alphabet(), &Options::default()).unwrap();
        let russian =
            game_in(&["e4", "e5", "Kf3", "Kc6", "Cb5", "a6", "Cxc6", "dxc6", "O-O", "Cd6", "d4", "Фe7", "KPh1"]);
        assert_eq!(russian.language.as_deref(), Some("ru"));
        assert_eq!(sans(&russian)[2..5], ["Nf3", "Nc6", "Bb5"]);
        assert_eq!(sans(&russian)[11..], ["Qe7", "Kh1"]);
        let drawn = game_in(&["e4", "e5", "♘f3", "♘c6", "♗b5", "a6", "♗xc6", "dxc6", "O-O", "♗d6", "d4", "♕e7", "♔h1"]);
        assert_eq!(drawn.language.as_deref(), Some("figurines"));
        assert_eq!(sans(&drawn), sans(&russian));
    }

    #[test]
    fn a_wrong_square_is_repaired_and_says_so() {
        let decoded = game(&["e4", "e5", "Nf3", "Nc6", "Bb4", "a6", "Bxc6", "dxc6", "O-O", "f6", "d4", "exd4"]);
        let ply = &decoded.plies[4];
        assert_eq!((ply.san.as_deref(), ply.status), (Some("Bb5"), Status::Repaired));
        assert!(ply.reason.as_deref().is_some_and(|reason| reason.starts_with("written Bb4, which is not legal here")));
    }

    #[test]
    fn a_blank_cell_within_the_game_is_inferred() {
        let decoded = game(&["e4", "e5", "Nf3", "Nc6", "Bb5", "", "Bxc6", "dxc6", "O-O", "f6", "d4", "exd4"]);
        assert_eq!(sans(&decoded)[6..8], ["Bxc6", "dxc6"]);
        assert_eq!(decoded.plies[5].status, Status::Inferred);
    }

    #[test]
    fn a_move_that_was_never_written_is_put_in() {
        let texts =
            ["e4", "e5", "Nf3", "Nc6", "Bxc6", "dxc6", "Nxe5", "Qd4", "Nf3", "Qxe4+", "Qe2", "Qxe2+", "Kxe2", "Bg4"];
        let decoded = game(&texts);
        // 3.Bb5 and an answer are missing from the sheet.
        assert_eq!(sans(&decoded)[4], "Bb5", "{:?}", sans(&decoded));
        assert_eq!(sans(&decoded)[6..8], ["Bxc6", "dxc6"]);
        assert!(decoded.plies[4..6].iter().all(|ply| ply.status == Status::Inferred));
    }

    #[test]
    fn ink_that_no_game_explains_is_kept_as_written() {
        let decoded = game(&["e4", "e5", "Qh5", "Ke7", "Qxe5#", "hxg5"]);
        assert_eq!(sans(&decoded)[..5], ["e4", "e5", "Qh5", "Ke7", "Qxe5#"]);
        assert_eq!(decoded.result, "1-0");
        let left = &decoded.plies[5];
        assert_eq!((left.san.as_deref(), left.status, left.written[0].text.as_str()), (None, Status::Illegal, "hxg5"));
    }

    #[test]
    fn an_empty_sheet_is_an_empty_game() {
        let decoded = game(&["", "", "", ""]);
        assert!(decoded.plies.is_empty() && decoded.result == "*");
        assert!(decode(&[], &alphabet(), &Options::default()).unwrap().plies.is_empty());
    }
}
