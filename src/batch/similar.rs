//! How alike two pages are: whether they tell the same game, and whether they are photos of the same sheet.

use super::pages::{Look, PageRecord};
use crate::game::Colour;
use crate::pipeline::repeats::longest_common_subsequence;
use base64::{Engine, engine::general_purpose::STANDARD};
use std::collections::HashMap;

/// Moves in a row that two games must share to be compared at all.
const SHINGLE: usize = 4;
/// A run of moves that more pages than this share is opening theory and says nothing.
const COMMON: usize = 60;

/// What two pages have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Moves of the longest common subsequence.
    pub moves: usize,
    /// These as a share of the shorter game.
    pub share: f32,
}

/// Compares the moves of two pages by their longest common subsequence: a move left out or doubled on one sheet
/// costs no more than itself.
pub fn agreement(a: &PageRecord, b: &PageRecord) -> Agreement {
    let (a, b) = (&a.moves, &b.moves);
    let moves = longest_common_subsequence(a, b, |one, other| one == other && one != "?");
    Agreement { moves, share: moves as f32 / a.len().min(b.len()).max(1) as f32 }
}

/// The pairs of pages, by index, that share some run of moves: few of all pairs, and all that can be of one game.
pub fn candidates(pages: &[&PageRecord]) -> Vec<(usize, usize)> {
    let mut holders: HashMap<&[String], Vec<usize>> = HashMap::new();
    for (index, page) in pages.iter().enumerate() {
        for shingle in page.moves.windows(SHINGLE) {
            let holders = holders.entry(shingle).or_default();
            if holders.last() != Some(&index) {
                holders.push(index);
            }
        }
    }
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for holders in holders.values().filter(|holders| (2..=COMMON).contains(&holders.len())) {
        for (at, &first) in holders.iter().enumerate() {
            pairs.extend(holders[at + 1..].iter().map(|&second| (first, second)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Median correlation of the ink of the cells that both pages remember; none where they share too few.
///
/// Another photo of the same sheet shows the same strokes; another hand's moves differ even where they say the same.
pub fn likeness(a: &[Look], b: &[Look]) -> Option<f32> {
    let (a, b) = (strokes(a), strokes(b));
    let shared = a.iter().filter_map(|(cell, ink)| correlation(ink, b.get(cell)?));
    let mut correlations: Vec<f32> = shared.collect();
    correlations.sort_by(f32::total_cmp);
    (correlations.len() >= FEWEST_CELLS).then(|| correlations[correlations.len() / 2])
}

/// Cells that two pages must share to be compared by their looks.
const FEWEST_CELLS: usize = 6;

/// The darkness of each cell by number and colour, less the mean of all cells of the page: what is printed, and
/// where people begin to write, is alike on all sheets of a form.
fn strokes(looks: &[Look]) -> HashMap<(u32, Colour), Vec<f32>> {
    let cells: Vec<((u32, Colour), Vec<f32>)> = looks
        .iter()
        .filter_map(|look| {
            let darkness = STANDARD.decode(&look.darkness).ok()?;
            Some(((look.number, look.colour), darkness.into_iter().map(f32::from).collect()))
        })
        .collect();
    let mut mean = vec![0.0; cells.first().map_or(0, |(_, darkness)| darkness.len())];
    for (_, darkness) in &cells {
        mean.iter_mut().zip(darkness).for_each(|(mean, dark)| *mean += dark / cells.len() as f32);
    }
    let less = |darkness: Vec<f32>| darkness.iter().zip(&mean).map(|(dark, mean)| dark - mean).collect();
    cells.into_iter().map(|(cell, darkness)| (cell, less(darkness))).collect()
}

/// Pearson's correlation coefficient.
fn correlation(a: &[f32], b: &[f32]) -> Option<f32> {
    if a.len() != b.len() || a.is_empty() {
        return None;
    }
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - mean_a, b - mean_b);
        both += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    (of_a > 0.0 && of_b > 0.0).then(|| both / (of_a * of_b).sqrt())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn page(moves: &str) -> PageRecord {
        let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
        PageRecord { first: 1, last: 40, clear: moves.len(), moves, alone: None, looks: Vec::new() }
    }

    #[test]
    fn a_move_left_out_costs_only_itself() {
        let whole = page("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7");
        let short = page("e4 e5 Nf3 Nc6 Bb5 Ba4 Nf6 O-O Be7");
        assert_eq!(agreement(&whole, &short), Agreement { moves: 9, share: 1.0 });
        let other = page("d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O");
        assert!(agreement(&whole, &other).share < 0.35);
        assert_eq!(agreement(&page("? ?"), &page("? ?")).moves, 0);
        assert_eq!(candidates(&[&whole, &other, &short]), [(0, 2)]);
    }

    #[test]
    fn the_same_strokes_are_alike() {
        let look =
            |number, darkness: Vec<u8>| Look { number, colour: Colour::White, darkness: STANDARD.encode(darkness) };
        let strokes =
            |seed: u32| (0..64u32).map(|i| ((i * 37 + seed * 91) * (i + seed) % 251) as u8).collect::<Vec<_>>();
        let one: Vec<Look> = (1..9).map(|n| look(n, strokes(n))).collect();
        let darker: Vec<Look> = (1..9).map(|n| look(n, strokes(n).iter().map(|v| v / 2 + 9).collect())).collect();
        let other: Vec<Look> = (1..9).map(|n| look(n, strokes(n + 20))).collect();
        assert!(likeness(&one, &darker).unwrap() > 0.95);
        assert!(likeness(&one, &other).unwrap() < 0.5);
        assert_eq!(likeness(&one[..3], &one), None);
    }
}
