//! Where table and game part ways: moves left out, rows left empty or written twice, ink that is no move, the end.

use super::emission::{Ink, Writer};
use super::reasons::plain;
use super::score::{Lattice, Trie};
use super::slips::{NEVER, SlipPrices};

/// What it costs to leave the order of the table, as natural logarithms of probabilities.
///
/// A move that is played costs about 3.5 by its share among the legal moves alone, and one that is not played is spared
/// that: whatever passes over cells must be dear enough not to be taken for thrift.
#[derive(Debug, Clone, Copy)]
pub struct GapPrices {
    /// A ply was played and not written, and later moves stand one place early.
    pub omitted: f32,
    /// A second ply left out together with the first: a whole move.
    pub omitted_again: f32,
    /// A blank cell in which no ply is missing.
    pub skipped_blank: f32,
    /// A blank row in which no move is missing.
    pub skipped_blank_row: f32,
    /// A cell with ink in which no ply is written; its ink is paid for as well.
    pub skipped_ink: f32,
    /// A move of each player written twice, or one player's.
    pub doubled: f32,
    /// Ink behind the end of the game that says the result.
    pub result: f32,
    /// Any other ink behind the end of the game, per cell: as costly as ink that fits no move.
    pub trailing: f32,
}

impl GapPrices {
    /// The prices where every cell holds its move and the game ends where the ink does.
    pub fn never() -> Self {
        Self {
            omitted: NEVER,
            omitted_again: NEVER,
            skipped_blank: NEVER,
            skipped_blank_row: NEVER,
            skipped_ink: NEVER,
            doubled: NEVER,
            ..Self::default()
        }
    }
}

impl Default for GapPrices {
    fn default() -> Self {
        Self {
            omitted: -8.0,
            omitted_again: -1.5,
            skipped_blank: -9.0,
            skipped_blank_row: -8.0,
            skipped_ink: -10.0,
            doubled: -14.0,
            result: -4.0,
            trailing: -12.0,
        }
    }
}

/// The results as they are written, with what PGN calls them.
const RESULTS: &[(&[u8], &str)] = &[
    (b"1-O", "1-0"),
    (b"1:O", "1-0"),
    (b"1O", "1-0"),
    (b"O-1", "0-1"),
    (b"O:1", "0-1"),
    (b"O1", "0-1"),
    (b"1/2-1/2", "1/2-1/2"),
    (b"1/2:1/2", "1/2-1/2"),
    (b"1/2", "1/2-1/2"),
    (b"1/21/2", "1/2-1/2"),
    (b"=", "1/2-1/2"),
    (b"(=)", "1/2-1/2"),
];

/// Least likelihood, relative to the best free reading, of a result that a cell is taken to say.
pub const SAYS_RESULT: f32 = 0.2;

/// The result that a cell's ink says best: PGN's word for it and its likelihood relative to the best free reading.
pub fn result_in(lattice: &Lattice, writer: &Writer) -> (&'static str, f32) {
    let mut trie = Trie::new(lattice);
    let scored = RESULTS.iter().map(|(text, result)| {
        let node = trie.walk(lattice, writer.symbols, Trie::ROOT, text, 1e-3);
        (*result, node.map_or(0.0, |node| trie.likelihood(lattice, node)))
    });
    scored.fold(("*", 0.0), |best, this| if this.1 > best.1 { this } else { best })
}

/// True for a blank cell, and for one that says a result.
pub fn is_no_move(ink: &Ink, writer: &Writer) -> bool {
    match ink {
        Ink::Absent | Ink::Blank => true,
        Ink::Doubted(lattice) | Ink::Written(lattice) => result_in(lattice, writer).1 >= SAYS_RESULT,
    }
}

/// For every slot, the price of explaining it and all that follow as no moves; one more entry, 0, for the table's end.
pub fn tail_prices(slots: &[Vec<Ink>], writers: &[Writer], prices: &GapPrices) -> Vec<f32> {
    let mut tail = vec![0.0; slots.len() + 1];
    for (s, inks) in slots.iter().enumerate().rev() {
        let cost: f32 = inks.iter().zip(writers).map(|(ink, writer)| trailing_price(ink, writer, prices)).sum();
        tail[s] = tail[s + 1] + cost;
    }
    tail
}

fn trailing_price(ink: &Ink, writer: &Writer, prices: &GapPrices) -> f32 {
    match ink {
        Ink::Absent | Ink::Blank => 0.0,
        Ink::Doubted(lattice) | Ink::Written(lattice) => {
            let result = prices.result + result_in(lattice, writer).1.max(f32::MIN_POSITIVE).ln();
            result.max(prices.trailing)
        }
    }
}

/// The price of passing over slot `s` with no ply played.
pub fn skip_one(slots: &[Vec<Ink>], s: usize, slips: &SlipPrices, prices: &GapPrices) -> f32 {
    if slots[s].iter().all(|ink| matches!(ink, Ink::Absent | Ink::Blank)) {
        return prices.skipped_blank;
    }
    if is_doubled(slots, s, 1) {
        return prices.doubled;
    }
    prices.skipped_ink + ink_price(&slots[s], slips)
}

/// The price of passing over slots `s` and `s + 1`: a row left empty, or a move of each player written twice.
pub fn skip_two(slots: &[Vec<Ink>], s: usize, slips: &SlipPrices, prices: &GapPrices) -> Option<f32> {
    let (first, second) = (slots.get(s)?, slots.get(s + 1)?);
    let blank = |inks: &[Ink]| inks.iter().all(|ink| matches!(ink, Ink::Absent | Ink::Blank));
    if blank(first) && blank(second) {
        return Some(prices.skipped_blank_row);
    }
    if is_doubled(slots, s, 2) {
        return Some(prices.doubled);
    }
    Some(prices.skipped_ink + ink_price(first, slips) + ink_price(second, slips))
}

fn ink_price(inks: &[Ink], slips: &SlipPrices) -> f32 {
    let price = |ink: &Ink| match ink {
        Ink::Absent | Ink::Blank => 0.0,
        Ink::Doubted(_) => slips.doubted,
        Ink::Written(_) => slips.alien,
    };
    inks.iter().map(price).sum()
}

/// Whether `count` slots from `s` on say what the same number before them say. Of a move of each player one symbol may be
/// read otherwise; one move alone must be the same to the letter, since pieces that take on one square in turn differ by it.
pub fn is_doubled(slots: &[Vec<Ink>], s: usize, count: usize) -> bool {
    let differing = |slot: usize| differing(&slots[slot], &slots[slot - count]);
    s >= count && (s..s + count).map(differing).sum::<Option<usize>>().is_some_and(|symbols| symbols < count)
}

/// In how many symbols two slots differ, in the cell in which they differ most. A sheet that lacks one of the two says
/// nothing; none where they are not comparable or have nothing in common.
fn differing(inks: &[Ink], earlier: &[Ink]) -> Option<usize> {
    let mut most = None;
    for pair in inks.iter().zip(earlier) {
        match pair {
            (Ink::Written(a), Ink::Written(b)) => {
                let (a, b) = (plain(&a.text), plain(&b.text));
                let distance = levenshtein::levenshtein(&a, &b);
                most = most.max(Some(distance)).filter(|_| distance < a.len().max(1));
                most?;
            }
            (Ink::Absent, _) | (_, Ink::Absent) | (Ink::Blank, Ink::Blank) => {}
            _ => return None,
        }
    }
    most
}
