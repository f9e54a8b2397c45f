//! Where in their rows the printed numbers of a pair of columns stand: all at one place, if the rows are right.

use super::found::Found;
use super::number_rows;
use super::spacing::median;

/// Share of a pair's numbers that must be seen.
const SEEN: f32 = 0.7;
/// How far numbers may stand off their place in the row, in heights of a row.
const OFF: f32 = 0.16;

/// The printed numbers of a pair.
#[derive(Clone)]
pub(crate) struct Numbers {
    pub(crate) pair: usize,
    /// By row the middle of its number.
    pub(crate) places: Vec<[f32; 2]>,
    /// By row how far the number stands below the middle of the row, in heights of a row.
    pub(crate) off: Vec<f32>,
}

impl Numbers {
    /// Half of the numbers stand no higher than this.
    pub(crate) fn middle(&self) -> f32 {
        median(self.off.iter().copied())
    }

    /// Whether some of them stand elsewhere than `place` the middle of their rows.
    pub(crate) fn is_off(&self, place: f32) -> bool {
        self.off.iter().any(|off| (off - place).abs() > OFF)
    }

    /// The same taken for those of the rows next to theirs, on the side of the place to which they stand off.
    pub(crate) fn of_next_rows(&self, place: f32) -> Self {
        self.of_rows_beside(self.middle() > place)
    }

    /// The same taken for those of the rows below theirs, or above.
    pub(crate) fn of_rows_beside(&self, is_below: bool) -> Self {
        let last = self.places.len() - 1;
        let beyond =
            |end: usize, inner: usize| [0, 1].map(|axis| 2.0 * self.places[end][axis] - self.places[inner][axis]);
        let mut places = self.places.clone();
        if is_below {
            places.insert(0, beyond(0, last.min(1)));
            places.truncate(last + 1);
        } else {
            places.push(beyond(last, last.saturating_sub(1)));
            places.remove(0);
        }
        let off = self.off.iter().map(|off| if is_below { off - 1.0 } else { off + 1.0 }).collect();
        Self { pair: self.pair, places, off }
    }

    /// The upper border of a row where the numbers are, if these belong `off` the middle of their rows.
    pub(crate) fn border(&self, row: usize, off: f32) -> [f32; 2] {
        let last = self.places.len() - 1;
        let below = row.clamp(1, last);
        let (a, b) = (self.places[below - 1], self.places[below]);
        let share = row as f32 - below as f32 + 0.5 - off;
        [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
    }
}

/// Where in their rows the numbers of most pairs belong, in heights of a row below the middle.
pub(crate) fn usual_place(numbers: &[Numbers]) -> Option<f32> {
    let first = numbers.first()?.middle();
    if numbers.iter().flat_map(|one| &one.off).all(|off| (off - first).abs() <= OFF) {
        return Some(first);
    }
    // Rows that slipped from one line to the next are off by a whole row at one end.
    let apart = |a: f32, b: f32| a - b - (a - b).round();
    let offs = || numbers.iter().flat_map(|one| &one.off).copied();
    let agreeing = |place: f32| offs().map(move |off| apart(off, place)).filter(|apart| apart.abs() < OFF / 2.0);
    let places = offs().flat_map(|off| [off, off - off.round()]);
    // Where half of the rows are off, the numbers stand rather in the middle of their rows.
    let by_count = |a: &f32, b: &f32| agreeing(*a).count().cmp(&agreeing(*b).count());
    let place = places.max_by(|a, b| by_count(a, b).then(b.abs().total_cmp(&a.abs())))?;
    Some(place + median(agreeing(place)))
}

/// The printed numbers of the pairs of which enough are seen, as many as its rows if so many are seen, or in the rows where
/// they stand `nearest`.
pub(crate) fn of_pairs(found: &Found, nearest: bool) -> Vec<Numbers> {
    (0..found.grid.pairs.len()).filter_map(|pair| of_pair(found, pair, nearest)).collect()
}

/// The same of one pair; none where too few are seen.
fn of_pair(found: &Found, pair: usize, nearest: bool) -> Option<Numbers> {
    let Found { page, grid, anchor, .. } = found;
    let column = grid.pairs[pair].numbers.as_ref()?;
    let bands = anchor.bands(grid);
    let (first, last) = (bands.first()?, bands.last()?);
    let x = column.at(first.top.at(0.0)).0;
    let heights = first.top.at(x) - grid.pitch..last.bottom.at(x) + grid.pitch;
    let (places, seen) = number_rows::in_column(page, column, heights)?;
    if (seen as f32) < SEEN * anchor.rows as f32 {
        return None;
    }
    let off = |row: usize, [x, y]: [f32; 2]| {
        let (top, bottom) = (bands[row].top.at(x), bands[row].bottom.at(x));
        (y - (top + bottom) / 2.0) / grid.pitch
    };
    let (rows, count) = (anchor.rows as isize, places.len() as isize);
    let start = start(rows, count, nearest, |row, number| off(row, places[number]))?;
    // Those beyond the ends stand in their rows as the outermost do.
    let go_on = |row: usize| {
        let at = (row as isize - start).clamp(0, count - 1);
        let [x, y] = places[at as usize];
        let middle = |row: usize| (bands[row].top.at(x) + bands[row].bottom.at(x)) / 2.0;
        [x, y + middle(row) - middle((at + start) as usize)]
    };
    let places: Vec<[f32; 2]> = (0..anchor.rows).map(go_on).collect();
    let off = places.iter().enumerate().map(|(row, &place)| off(row, place)).collect();
    Some(Numbers { pair, places, off })
}

/// The row of the first number seen, which may be none of them: not every number may be seen, or more than the rows. `off` is how
/// far a number stands off a row.
fn start(rows: isize, count: isize, nearest: bool, off: impl Fn(usize, usize) -> f32) -> Option<isize> {
    let far = |start: isize| {
        let both = (start.max(0)..(start + count).min(rows)).map(|row| off(row as usize, (row - start) as usize).abs());
        let offs: Vec<f32> = both.collect();
        offs.iter().sum::<f32>() / offs.len() as f32
    };
    let beyond = isize::from(nearest);
    let starts = 0.min(rows - count) - beyond..=0.max(rows - count) + beyond;
    starts.min_by(|&a, &b| far(a).total_cmp(&far(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_rows_that_slipped_by_one_still_tell_their_place() {
        let numbers = |pair: usize, off: &[f32]| Numbers { pair, places: Vec::new(), off: off.to_vec() };
        let usual = |numbers: &[Numbers]| usual_place(numbers).unwrap();
        let slipped = numbers(0, &[0.0, 0.02, 0.3, 0.5, 0.8, 1.01, 1.03]);
        assert!(usual(&[slipped, numbers(1, &[1.02; 7])]).abs() < 0.05);
        assert!((usual(&[numbers(0, &[1.0; 7]), numbers(1, &[1.02; 7])]) - 1.0).abs() < 0.05, "all rows are one off");
        assert!(usual(&[numbers(0, &[0.5; 7]), numbers(1, &[0.01; 7])]).abs() < 0.05, "rather in the middle");
        assert!(usual(&[numbers(0, &[-0.2; 7]), numbers(1, &[-0.2; 7]), numbers(2, &[0.3; 7])]) < -0.15);
        // Most rows of each pair slipped, each by another share of a row: the others tell.
        let drifting =
            |from: f32| (0..14).map(|row| if row < 5 { 0.02 } else { from - 0.11 * row as f32 }).collect::<Vec<_>>();
        assert!(usual(&[numbers(0, &drifting(0.35)), numbers(1, &drifting(0.3))]).abs() < 0.05);
    }

    #[test]
    fn numbers_between_two_rows_may_be_those_of_either() {
        let places = vec![[5.0, 108.0], [6.0, 128.0], [7.0, 148.0]];
        let numbers = Numbers { pair: 1, places, off: vec![0.4, 0.4, 0.5] };
        let lower = numbers.of_next_rows(0.0);
        assert_eq!((lower.pair, &lower.places[..2]), (1, &[[4.0, 88.0], [5.0, 108.0]][..]));
        assert!((lower.middle() + 0.6).abs() < 1e-6);
        let upper = numbers.of_next_rows(0.7);
        assert_eq!((&upper.places[1..], upper.off[2]), (&[[7.0, 148.0], [8.0, 168.0]][..], 1.5));
    }

    #[test]
    fn a_heading_taken_for_a_number_may_stand_above_the_rows() {
        // Eight numbers seen of eight rows; the first of them is a heading, or the rows lie one too high.
        let off = |row: usize, number: usize| number as f32 - row as f32 - 1.0;
        assert_eq!((start(8, 8, false, off), start(8, 8, true, off)), (Some(0), Some(-1)));
        assert_eq!((start(8, 6, true, off), start(8, 9, false, off)), (Some(-1), Some(-1)));
    }
}
