//! What is written, cell by cell, where no game is to be made of it: on a page that goes on from an unknown position.

use super::material::{blank_ply, written};
use super::reasons::{looks_like_a_move, said};
use super::{Decoded, Options, Place, Row, sheet};
use crate::game::{Colour, Ply};
use crate::notation::{Language, Notation};
use crate::reading::Alphabet;

/// Least number of cells that make a page of moves.
const FEWEST: usize = 10;
/// Least share of the cells with ink that are surely read as moves.
const LEGIBLE: f32 = 0.5;
/// Probability from which a reading is sure.
const SURE: f32 = 0.5;

/// The moves as they are written, none of them played; none if too little of the ink reads as moves. `languages` are
/// those of the sheets, with how sure they are.
pub fn transcribe(
    rows: &[Row],
    alphabet: &Alphabet,
    options: &Options,
    languages: Vec<(String, f32)>,
) -> Option<Decoded> {
    let notation = |(code, _): &(String, f32)| Language::find(code).and_then(|l| Notation::of(l, alphabet));
    let notations: Vec<Option<Notation>> = languages.iter().map(notation).collect();
    let cells = sheet::cells(rows);
    let slots = sheet::inks(&cells, alphabet, options.ink_scale);
    let mut decoded = Decoded {
        plies: Vec::new(),
        places: Vec::new(),
        signs: Vec::new(),
        languages,
        result: "*".to_owned(),
        result_origin: None,
        warnings: vec![
            "The moves do not go on from the usual first position: the page may continue a game. They are given as written; none is checked."
                .to_owned(),
        ],
    };
    let mut legible = 0;
    for (slot, (cells, inks)) in cells.iter().zip(&slots).enumerate() {
        let written = written(cells, inks, alphabet, &notations);
        if written.iter().all(|w| w.text.is_empty()) {
            continue;
        }
        legible += usize::from(written.iter().any(|w| w.confidence >= SURE && looks_like_a_move(&w.text)));
        let colour = if slot.is_multiple_of(2) { Colour::White } else { Colour::Black };
        let reason = Some(format!("written {}; the position before it is not known", said(&written)));
        let ply = decoded.plies.len() + 1;
        let number = rows.get(slot / 2).map_or(0, |row| row.number);
        decoded.plies.push(Ply { ply, reason, written, ..blank_ply(number, colour) });
        decoded.places.push(Place { slot, omitted: false });
        decoded.signs.push(None);
    }
    let least = FEWEST.max((LEGIBLE * decoded.plies.len() as f32).ceil() as usize);
    (legible >= least).then_some(decoded)
}
