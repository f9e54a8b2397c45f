//! Which row of the table is which move: rows are anchored by reading their printed numbers.
//!
//! Line spacing alone can be one row off (a header bar of the same height, a first line lost in a fold). Numbers are
//! read by the recogniser like any cell and all of them vote together: row `k` of column pair `j` must read
//! `first + j * rows + k`.

use super::ballots::Ballots;
use super::is_small;
use crate::error::Result;
use crate::pipeline::NUMBERS_READ;
use crate::pipeline::cells::Crop;
use crate::pipeline::page::Page;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::table::grid::{Band, Grid};
use crate::reading::{Alphabet, Reading};
use rayon::prelude::*;
use std::ops::Range;

/// Where the numbered rows lie among the bands of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// Index of the first numbered band.
    pub first_band: usize,
    /// Numbered rows in each column pair, as far as the picture shows them.
    pub rows: usize,
    /// Numbers from one column pair to the next: the rows of the whole form.
    pub period: usize,
    /// The number of the first row of the first pair.
    pub first_number: u32,
    /// Mean evidence of the printed numbers per row looked at (natural logarithm); near 0 if none could be read.
    pub evidence: f32,
}

impl Anchor {
    /// What the printed numbers say for their table: a part of a table has less to show than the whole.
    pub(crate) fn support(&self, grid: &Grid) -> f32 {
        self.evidence.max(0.0) * (self.rows * grid.pairs.len()) as f32
    }

    /// The numbered bands of their grid; none where it has not as many.
    pub(crate) fn bands<'a>(&self, grid: &'a Grid) -> &'a [Band] {
        grid.bands.get(self.first_band..self.first_band + self.rows).unwrap_or_default()
    }

    /// The number of the last row of the last pair.
    pub(crate) fn last_number(&self, grid: &Grid) -> u32 {
        let rows = grid.pairs.len().saturating_sub(1) * self.period + self.rows;
        self.first_number + rows.saturating_sub(1) as u32
    }
}

/// What the picture shows of a band.
#[derive(Debug, Clone, Copy)]
struct Shown {
    ruled: bool,
    /// The whole band lies within the picture.
    inside: bool,
    /// There is no room for another one below it.
    last: bool,
}

/// Largest printed number that is looked for.
pub(crate) const LARGEST: u32 = 200;
/// Evidence of one row is kept within these bounds, so that no single misreading decides.
pub(super) const STRONGEST_AGAINST: f32 = -3.0;
const STRONGEST_FOR: f32 = 4.0;
/// Price of each line that the chain found and the anchor leaves out, or the other way round.
const UNRULED: f32 = 1.0;
/// A symbol whose log-probability nowhere exceeds this is not in a cell.
const INVISIBLE: f32 = -7.0;
/// Most rows of a form that may lie beyond the edges of the picture; of a form whose first row shows, and the price of each
/// up to so many.
const CUT_OFF: usize = 4;
const LONGEST: usize = 60;
const BEYOND: f32 = 0.5;
const PAID_FOR: usize = 12;
/// Most forms have a multiple of so many rows; the price of another number where some do not show.
const ROUND: usize = 5;
const UNUSUAL: f32 = 2.0;
/// Price of each row that shows in the picture though it is said to lie beyond its edge.
const IN_SIGHT: f32 = 4.0;
/// Price of a first number other than 1, paid by continuation sheets.
const CONTINUATION: f32 = 6.0;

/// Finds the numbered rows of a grid; `known_rows` is their number, where it is known. Where the numbers are not
/// `legible` the lines tell.
///
/// # Errors
/// As [`Recogniser::read`].
pub fn anchor(
    page: &Page,
    grid: &Grid,
    known_rows: Option<usize>,
    legible: bool,
    recogniser: &dyn Recogniser,
) -> Result<Anchor> {
    let spelled = spellings(recogniser.alphabet());
    let bracketed = spelled_with(&[')', '1'], recogniser.alphabet());
    let bands = grid.bands.len();
    let bottom = page.image.height() as f32;
    let shown = |band: &Band| {
        let middle = band.top.y.len() / 2;
        let (top, foot) = (band.top.y[middle], band.bottom.y[middle]);
        let last = !page.shows([page.image.width() as f32 / 2.0, 2.0 * foot - top]);
        Shown { ruled: band.ruled, inside: top > -1.0 && foot < bottom + 1.0, last }
    };
    let ruled: Vec<Shown> = grid.bands.iter().map(shown).collect();
    if !legible {
        return Ok(vote(&vec![None; grid.pairs.len() * bands], &ruled, grid.pairs.len(), known_rows));
    }
    let look = |near: bool| -> Result<Look> {
        let mut evidence = vec![None; grid.pairs.len() * bands];
        let mut read = Vec::new();
        let mut small = true;
        // The ends decide; of the middle a sixth is mostly enough.
        let mut found = Anchor { first_band: 0, rows: bands, period: bands, first_number: 1, evidence: 0.0 };
        for middle in [6, 1] {
            let mut places = Vec::new();
            let mut cells = Vec::new();
            for (pair, columns) in grid.pairs.iter().enumerate() {
                let Some(numbers) = &columns.numbers else { continue };
                for (band, rows) in grid.bands.iter().enumerate() {
                    let wanted = band < 4 || band + 4 >= bands || band.is_multiple_of(middle);
                    if wanted && evidence[pair * bands + band].is_none() {
                        places.push(pair * bands + band);
                        cells.push((rows, numbers));
                    }
                }
            }
            let mut crops = Crop::cut_all(page, &cells);
            if near {
                let nearer = crops.iter().zip(&cells).map(|(crop, &(rows, numbers))| crop.nearer(page, rows, numbers));
                crops = nearer.collect();
            }
            small &= is_small(&crops);
            let readings = recogniser.read(&crops.iter().collect::<Vec<_>>())?;
            let says: Vec<Vec<f32>> = readings.par_iter().map(|reading| row_evidence(reading, &spelled)).collect();
            for (&place, says) in places.iter().zip(says) {
                evidence[place] = Some(says);
            }
            read.extend(places.into_iter().zip(readings));
            found = vote(&evidence, &ruled, grid.pairs.len(), known_rows);
            // Rows above the first that was read may be none of the table.
            if (found.evidence > SURE && found.first_number == 1) || found.evidence < HOPELESS {
                break;
            }
        }
        // Brackets behind all of them read as ones.
        if found.evidence < NUMBERS_READ {
            let says = |(place, reading): &(usize, Reading)| (*place, row_evidence(reading, &bracketed));
            let mut with_brackets = vec![None; evidence.len()];
            for (place, says) in read.par_iter().map(says).collect::<Vec<_>>() {
                with_brackets[place] = Some(says);
            }
            let other = vote(&with_brackets, &ruled, grid.pairs.len(), known_rows);
            if other.evidence > found.evidence {
                found = other;
            }
        }
        Ok(Look { found, looked_at: evidence.iter().flatten().count(), small })
    };
    let mut best = look(false)?;
    if best.small && best.found.evidence < NUMBERS_READ {
        let near = look(true)?;
        if near.found.evidence > best.found.evidence {
            best = near;
        }
    }
    let evidence = best.found.evidence;
    if evidence * (best.looked_at as f32) < UNREAD {
        // Chance readings say less than the lines do.
        return Ok(Anchor {
            evidence,
            ..vote(&vec![None; grid.pairs.len() * bands], &ruled, grid.pairs.len(), known_rows)
        });
    }
    Ok(best.found)
}

/// What the numbers say, how many rows were looked at, and whether most of the numbers are too small to be read well.
struct Look {
    found: Anchor,
    looked_at: usize,
    small: bool,
}

/// Evidence of all rows together below which the numbers are not read: chance can give as much.
const UNREAD: f32 = 10.0;
/// Evidence per row from which no more rows need to be looked at.
const SURE: f32 = 1.2;
/// The same below which the others would not help.
const HOPELESS: f32 = -0.3;

/// By number all ways in which it may be printed, as classes of the alphabet.
pub(crate) type Spellings = Vec<Vec<Vec<usize>>>;

/// How each number may be printed: plain or with zeros in front, with nothing, a full stop or a bracket behind.
pub(crate) fn spellings(alphabet: &Alphabet) -> Spellings {
    let [plain, marked] = [spelled_with(&[], alphabet), spelled_with(&['.', ')'], alphabet)];
    plain.into_iter().zip(marked).map(|(plain, marked)| [plain, marked].concat()).collect()
}

/// The same with one of some marks behind, or with nothing where there are none.
fn spelled_with(marks: &[char], alphabet: &Alphabet) -> Spellings {
    let ways = |number: u32| {
        let mut ways = vec![number.to_string()];
        ways.extend((number < 100).then(|| format!("{number:03}")));
        ways.extend((number < 10).then(|| format!("{number:02}")));
        if !marks.is_empty() {
            ways = ways.iter().flat_map(|way| marks.iter().map(move |mark| format!("{way}{mark}"))).collect();
        }
        ways.iter().filter_map(|text| text.chars().map(|c| alphabet.class(c)).collect()).collect()
    };
    (0..=LARGEST).map(ways).collect()
}

/// For each number, the logarithm of how much likelier it is than the average number; index 0 stands for none.
pub(crate) fn row_evidence(reading: &Reading, spelled: &Spellings) -> Vec<f32> {
    // A number with a digit that shows at no time step is out of the question; most are.
    let clearest =
        |class: usize| (0..reading.steps()).map(|t| reading.step(t)[class]).fold(f32::NEG_INFINITY, f32::max);
    let shows: Vec<bool> = (0..reading.classes).map(|class| clearest(class) > INVISIBLE).collect();
    let likelihood = |way: &Vec<usize>| {
        if way.iter().all(|&class| shows[class]) { reading.log_likelihood(way).exp() } else { 0.0 }
    };
    let likelihoods: Vec<f32> = spelled.iter().map(|ways| ways.iter().map(likelihood).sum()).collect();
    // What is no number at all shares the rest evenly among the numbers.
    let none = (1.0 - likelihoods.iter().sum::<f32>()).max(0.0);
    let count = likelihoods.len() as f32;
    likelihoods
        .iter()
        .map(|l| ((l + none / count) * count).max(1e-9).ln().clamp(STRONGEST_AGAINST, STRONGEST_FOR))
        .collect()
}

/// The first band, number of rows and first number that the evidence speaks for.
fn vote(evidence: &[Option<Vec<f32>>], bands_shown: &[Shown], pairs: usize, known_rows: Option<usize>) -> Anchor {
    let bands = bands_shown.len();
    let all_ruled = bands_shown.iter().filter(|band| band.ruled).count();
    let ballots = Ballots::new(evidence, bands, pairs);
    let mut best =
        (f32::NEG_INFINITY, 0.0, Anchor { first_band: 0, rows: bands, period: bands, first_number: 1, evidence: 0.0 });
    for first_band in 0..bands {
        for end in first_band + 1..=bands {
            let rows = end - first_band;
            if known_rows.is_some_and(|known| known != rows) {
                continue;
            }
            let inside = bands_shown[first_band..end].iter().filter(|band| band.ruled).count();
            if all_ruled - inside > MOST_LEFT_OUT * bands / 100 {
                continue;
            }
            let price = UNRULED * ((all_ruled - inside) + (rows - inside)) as f32;
            let is_whole = pairs == 1 || known_rows.is_some();
            let periods = if is_whole { rows..=rows } else { rows..=rows + CUT_OFF };
            let cut_short = if is_whole || !bands_shown[end - 1].last { 1..1 } else { rows + CUT_OFF + 1..LONGEST + 1 };
            let starts = periods.flat_map(|p| (1..=LARGEST / 2).map(move |n| (p, n)));
            for (period, first_number) in starts.chain(cut_short.map(|p| (p, 1))) {
                let before = first_number as usize - 1;
                // Rows that are said to lie beyond the upper edge of the picture, and beyond the lower one.
                let above = if before <= period - rows { before } else { 0 };
                let below = period - rows - above;
                let in_sight = bands_shown[..first_band].iter().rev().take(above).filter(|band| band.inside).count()
                    + bands_shown[end..].iter().take(below).filter(|band| band.inside).count();
                let continued = if before > above { CONTINUATION } else { 2.0 * UNRULED * above as f32 }
                    + IN_SIGHT * in_sight as f32
                    + BEYOND * (period - rows).min(PAID_FOR) as f32
                    + if period == rows || period.is_multiple_of(ROUND) { 0.0 } else { UNUSUAL };
                let number = |pair: usize| first_number as usize + pair * period;
                let sum: f32 = (0..pairs).map(|pair| ballots.sum(pair, first_band..end, number(pair))).sum();
                let score = sum - price - continued;
                if score > best.0 {
                    best = (score, sum, Anchor { first_band, rows, period, first_number, evidence: 0.0 });
                }
            }
        }
    }
    let rows = best.2.first_band..best.2.first_band + best.2.rows;
    let looked_at = |bands: Range<usize>| {
        let places = (0..pairs).flat_map(|pair| bands.clone().map(move |band| pair * bands_shown.len() + band));
        places.filter(|&place| evidence[place].is_some()).count()
    };
    // What lies beyond the rows says little about them, but a few rows are no table.
    let count = looked_at(rows).max(looked_at(0..bands) / 2).max(1);
    Anchor { evidence: best.1 / count as f32, ..best.2 }
}

/// Percentage of the ruled bands that may be no rows of the table.
const MOST_LEFT_OUT: usize = 70;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ruled: &[bool]) -> Vec<Shown> {
        ruled.iter().map(|&ruled| Shown { ruled, inside: true, last: false }).collect()
    }

    /// Evidence as from a reader that is right `sure` of the time; rows outside of the table read nothing.
    fn column(bands: usize, first_band: usize, rows: usize, pair: usize, first: usize) -> Vec<Option<Vec<f32>>> {
        (0..bands)
            .map(|band| {
                let mut row = vec![-1.0; LARGEST as usize + 1];
                if (first_band..first_band + rows).contains(&band) && band % 7 != 3 {
                    row[first + pair * rows + band - first_band] = 3.0;
                } else {
                    row.fill(0.0);
                }
                Some(row)
            })
            .collect()
    }

    #[test]
    fn numbers_outvote_lines() {
        // The chain took the header bar for a row and missed the last line.
        let mut ruled = vec![true; 31];
        ruled[30] = false;
        let evidence = [column(31, 1, 30, 0, 1), column(31, 1, 30, 1, 1)].concat();
        let anchor = vote(&evidence, &shown(&ruled), 2, None);
        assert_eq!((anchor.first_band, anchor.rows, anchor.first_number), (1, 30, 1));
        assert!(anchor.evidence > 1.0);
    }

    #[test]
    fn brackets_behind_numbers_may_read_as_ones() {
        let alphabet = Alphabet::new("O123456789.)".chars());
        let reading = |text: &str| {
            let step = |class: usize| (0..alphabet.classes()).map(move |k| if k == class { -0.01 } else { -9.0f32 });
            let steps = text.chars().flat_map(|sign| [alphabet.class(sign).unwrap(), 0]);
            Reading::new(steps.flat_map(step).collect(), alphabet.classes())
        };
        let likeliest = |text: &str, spelled: &Spellings| {
            let says = row_evidence(&reading(text), spelled);
            (0..says.len()).max_by(|&a, &b| says[a].total_cmp(&says[b])).unwrap()
        };
        let [plain, bracketed] = [spellings(&alphabet), spelled_with(&[')', '1'], &alphabet)];
        assert_eq!(["121", "12)", "12.", "OO7"].map(|text| likeliest(text, &plain)), [121, 12, 12, 7]);
        assert_eq!(["121", "12)", "11"].map(|text| likeliest(text, &bracketed)), [12, 12, 1]);
    }

    #[test]
    fn rows_beyond_the_edge_are_counted() {
        // The first two of 30 rows are cut off.
        let evidence = [column(28, 0, 28, 0, 3), column(28, 0, 28, 0, 33)].concat();
        let anchor = vote(&evidence, &shown(&[true; 28]), 2, None);
        assert_eq!((anchor.first_band, anchor.rows, anchor.period, anchor.first_number), (0, 28, 30, 3));
    }

    #[test]
    fn of_a_sheet_that_is_cut_in_half_the_rows_keep_their_numbers() {
        // 13 of 30 rows show.
        let evidence = [column(13, 0, 13, 0, 1), column(13, 0, 13, 0, 31)].concat();
        let mut shown = shown(&[true; 13]);
        assert_ne!(vote(&evidence, &shown, 2, None).period, 30, "there is room for more");
        shown[12].last = true;
        let anchor = vote(&evidence, &shown, 2, None);
        assert_eq!((anchor.first_band, anchor.rows, anchor.period, anchor.first_number), (0, 13, 30, 1));
    }

    #[test]
    fn of_two_sheets_one_below_the_other_one_is_numbered() {
        // Each has 30 rows in two pairs, with a heading between them.
        let sheet = |pair: usize| [column(31, 0, 30, pair, 1), column(30, 0, 30, pair, 1)].concat();
        let anchor = vote(&[sheet(0), sheet(1)].concat(), &shown(&[true; 61]), 2, None);
        assert_eq!((anchor.rows, anchor.period, anchor.first_number), (30, 30, 1));
        assert!([0, 31].contains(&anchor.first_band));
    }

    #[test]
    fn a_row_that_shows_is_not_cut_off() {
        // The numbers of the last row read as something else.
        let mut evidence = [column(30, 0, 30, 0, 1), column(30, 0, 30, 1, 1)].concat();
        for last in [29, 59] {
            evidence[last] = Some(vec![-1.0; LARGEST as usize + 1]);
        }
        let anchor = vote(&evidence, &shown(&[true; 30]), 2, None);
        assert_eq!((anchor.first_band, anchor.rows, anchor.period), (0, 30, 30));
    }

    #[test]
    fn a_second_sheet_goes_on() {
        let evidence = column(22, 1, 20, 0, 41);
        let anchor = vote(&evidence, &shown(&[true; 22]), 1, None);
        assert_eq!((anchor.first_band, anchor.rows, anchor.first_number), (1, 20, 41));
    }

    #[test]
    fn without_numbers_the_lines_decide() {
        let mut ruled = vec![true; 26];
        ruled[0] = false;
        let anchor = vote(&vec![None; 52], &shown(&ruled), 2, None);
        assert_eq!((anchor.first_band, anchor.rows, anchor.first_number), (1, 25, 1));
        assert_eq!(anchor.evidence, 0.0);
    }
}
