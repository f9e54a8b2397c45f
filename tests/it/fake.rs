//! A form whose cells hold bar codes, and a recogniser that reads them: the pipeline without weights.

use image::{GrayImage, Luma};
use scoresheet::error::Result;
use scoresheet::pipeline::cells::{CROP_WIDTH, Crop};
use scoresheet::pipeline::photo::ingest::Photo;
use scoresheet::pipeline::recognise::Recogniser;
use scoresheet::reading::{Alphabet, Reading};

/// Bars in a code: one that is always dark, then eight bits, the lowest first.
const BITS: usize = 8;

/// What to draw: column pairs, rows in each, and the text of every cell; numbers stand before each pair.
pub struct Form {
    pub pairs: usize,
    pub rows: usize,
    /// Slope of the rows, in pixels per pixel.
    pub tilt: f32,
    /// Texts of White's and Black's cells in the order of play; empty for blank cells.
    pub moves: Vec<String>,
    /// The number printed in the first row.
    pub first_number: usize,
}

const PITCH: f32 = 44.0;
const NUMBER_WIDTH: f32 = 90.0;
const MOVE_WIDTH: f32 = 200.0;
const PAIR_WIDTH: f32 = NUMBER_WIDTH + 2.0 * MOVE_WIDTH;
const LEFT: f32 = 80.0;
const TOP: f32 = 150.0;

impl Form {
    /// Every text of the form; a cell's code is its place in this list.
    fn texts(&self) -> Vec<String> {
        let numbers = (0..self.pairs * self.rows).map(|row| (self.first_number + row).to_string());
        numbers.chain(self.moves.iter().cloned()).collect()
    }

    /// The code of the cell in the given column (0 numbers, 1 White, 2 Black) of a pair, none if it is blank.
    fn code(&self, pair: usize, row: usize, column: usize) -> Option<usize> {
        let index = pair * self.rows + row;
        if column == 0 {
            return Some(index);
        }
        let ply = index * 2 + column - 1;
        self.moves.get(ply).filter(|text| !text.is_empty()).map(|_| self.pairs * self.rows + ply)
    }

    pub fn photograph(&self) -> Photo {
        let width = (2.0 * LEFT + self.pairs as f32 * PAIR_WIDTH) as u32;
        let height = (2.0 * TOP + self.rows as f32 * PITCH) as u32;
        let grey = GrayImage::from_fn(width, height, |x, y| {
            let (u, v) = (x as f32 - LEFT, y as f32 - TOP - self.tilt * x as f32);
            Luma([if self.is_dark(u, v) { 50 } else { 240 }])
        });
        Photo { file: "form.png".to_owned(), grey }
    }

    fn is_dark(&self, u: f32, v: f32) -> bool {
        let (table_width, table_height) = (self.pairs as f32 * PAIR_WIDTH, self.rows as f32 * PITCH);
        if u < -1.0 || u > table_width + 1.0 || v < -1.0 || v > table_height + 1.0 {
            return false;
        }
        let row = (v / PITCH).round();
        if (v - row * PITCH).abs() < 1.2 {
            return true;
        }
        let (pair, within) = ((u / PAIR_WIDTH).floor().max(0.0), u.rem_euclid(PAIR_WIDTH));
        let starts = [0.0, NUMBER_WIDTH, NUMBER_WIDTH + MOVE_WIDTH, PAIR_WIDTH];
        if starts.iter().any(|start| (within - start).abs() < 1.2) {
            return true;
        }
        let column = starts.iter().rposition(|start| within > *start).unwrap_or(0).min(2);
        let place = (pair as usize, (v / PITCH) as usize);
        if place.0 >= self.pairs || place.1 >= self.rows {
            return false;
        }
        let Some(code) = self.code(place.0, place.1, column) else { return false };
        let down = v.rem_euclid(PITCH);
        let bar = (within - starts[column] - 12.0) / 8.0;
        let dark_bar = bar >= 0.0 && bar.fract() < 0.5 && {
            let bar = bar as usize;
            bar == 0 || bar == BITS + 1 || (bar <= BITS && (code >> (bar - 1)) & 1 == 1)
        };
        dark_bar && (10.0..34.0).contains(&down)
    }
}

/// Reads the bar codes of a form.
pub struct BarReader {
    texts: Vec<String>,
    alphabet: Alphabet,
}

impl BarReader {
    pub fn new(form: &Form) -> Self {
        let alphabet = Alphabet::new("123456789abcdefghxABCDEFGHJKLNOPQRSTVWZ+#=-:./()!?".chars());
        Self { texts: form.texts(), alphabet }
    }

    fn text(&self, crop: &Crop) -> &str {
        // The middle of the crop, as dark or light.
        let dark = |x: usize| crop.pixels[24 * CROP_WIDTH + x] < 150;
        let above = |x: usize| crop.pixels[19 * CROP_WIDTH + x] < 150;
        // The first bar that is thinner than a border is wide away from it: borders lie at the very sides.
        let first = (0..CROP_WIDTH).skip_while(|&x| crop.pixels[24 * CROP_WIDTH + x] == 255).skip(9);
        let Some(start) = first.clone().find(|&x| dark(x) && above(x)) else { return "" };
        let width = 8.0 * 30.0 / PITCH;
        let code = (0..BITS)
            .filter(|bit| dark((start as f32 + 1.2 + (*bit as f32 + 1.0) * width) as usize))
            .fold(0, |code, bit| code | 1 << bit);
        self.texts.get(code).map_or("", String::as_str)
    }
}

impl Recogniser for BarReader {
    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        Ok(crops.iter().map(|crop| peaked(self.text(crop), &self.alphabet)).collect())
    }
}

/// A reading that says `text` with 99.9 % a symbol.
fn peaked(text: &str, alphabet: &Alphabet) -> Reading {
    let (classes, steps) = (alphabet.classes(), 48);
    let mut log_probs = vec![(0.001 / (classes - 1) as f32).ln(); steps * classes];
    let symbols: Vec<usize> = text.chars().filter_map(|c| alphabet.class(c)).collect();
    for step in 0..steps {
        // Every third step holds a symbol until the text is over.
        let class = if step % 3 == 1 { symbols.get(step / 3).copied().unwrap_or(0) } else { 0 };
        log_probs[step * classes + class] = 0.999f32.ln();
    }
    Reading::new(log_probs, classes)
}
