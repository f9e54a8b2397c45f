//! The table that a list of moves is: its columns behind the numbers, its rows as the words go up and down.

use super::columns::{self, Placed};
use super::list::List;
use super::median;
use super::rows;
use super::words::{Word, Writing};
use crate::pipeline::numbers::anchor::Anchor;
use crate::pipeline::page::Page;
use crate::pipeline::page::shapes::Shape;
use crate::pipeline::table::grid::{Band, Column, ColumnPair, Grid};
use crate::pipeline::table::lines::{Curve, STRIP};
use crate::pipeline::table::long_lines;

/// How far left of its line a number may begin, in heights of a letter; and how much of the paper is shown there.
const BEFORE: f32 = 0.4;
const MARGIN: f32 = 0.8;
/// How far a word may stand above the first row or below the last one, in shares of the pitch.
const OFF: f32 = 0.8;
/// How far behind the border of its column a move's middle is, in heights of a letter.
const MIDDLE: f32 = 2.0;
/// How far Black's rows are off where White's are, in shares of what it would be if all were straight.
const FURTHER_OFF: f32 = 0.8;
/// Heights of a row that are shown, in heights of a letter.
const SHOWN: std::ops::Range<f32> = 1.6..2.4;
/// Narrowest column, in heights of a letter.
const NARROWEST: f32 = 0.3;
/// How often a border is put right that differs from row to row.
const ROUNDS: usize = 20;
/// First number up to which the rows before it are those whose numbers are not read.
const LOST_ROWS: i32 = 6;
/// How many numbers stand in a list that goes on in the next one, for each one that is read.
const FEWER: f32 = 0.7;
const MORE: f32 = 1.6;
/// By how many rows lists may seem to stand off each other.
const ONE_ROW: i32 = 1;
/// What numbers may say together that go on by chance.
const BY_CHANCE: f32 = 15.0;

/// The table whose rows begin with these numbers, and which rows these are; none where no two moves stand behind them.
/// `page` still has the ruling that the page of the writing has not.
pub(super) fn table(page: &Page, writing: &Writing, words: Vec<Word>, lists: Vec<List>) -> Option<(Grid, Anchor)> {
    let across = page.image.width();
    let ruled = long_lines::find(&page.image);
    let slope = writing.slope(&words);
    // As the lines of the page run, or else its words.
    let through = |[x, y]: [f32; 2]| match &ruled {
        Some(map) => map.through([x, y]),
        None => Curve::along(across, |to| y + slope * (to - x)),
    };
    let (lists, numbered) = going_on(lists, &through)?;
    let words: Vec<Word> = words.into_iter().flat_map(|word| number_apart(word, &lists)).collect();
    let whole = numbered.whole(&lists);
    let block = |index: usize| Block {
        list: &whole[index],
        next: whole.get(index + 1),
        rows: whole[index].places.iter().map(|&number| (number, through(number))).collect(),
        height: writing.height,
        down: page.image.height(),
    };
    let laid_out = (0..whole.len()).map(|index| block(index).laid_out(writing, &words)).collect::<Option<Vec<_>>>()?;
    let pairs: Vec<ColumnPair> = laid_out.iter().map(|(pair, _)| pair.clone()).collect();
    // From left to right where each column begins and how high its rows are.
    let columns: Vec<(&Curve, &Vec<f32>)> = laid_out
        .iter()
        .flat_map(|(pair, middles)| {
            pair.numbers.iter().chain([&pair.white, &pair.black]).map(|column| &column.left).zip(middles)
        })
        .collect();
    let pitch = median(lists.iter().map(List::pitch))?;
    let half = 0.5 * pitch.clamp(SHOWN.start * writing.height, SHOWN.end * writing.height);
    let band = |row: usize| {
        let at = |x: f32| {
            let column = columns.iter().rfind(|(left, middles)| left.at(middles[row]) <= x).unwrap_or(&columns[0]);
            column.1[row]
        };
        Band {
            top: Curve::along(across, |x| at(x) - half),
            bottom: Curve::along(across, |x| at(x) + half),
            ruled: true,
        }
    };
    let rows = numbered.rows();
    let (left, top) = (columns[0].0, columns[0].1[0]);
    let width = pairs[pairs.len() - 1].black.right.at(top) - left.at(top);
    let anchor = Anchor {
        first_band: 0,
        rows,
        period: numbered.period.unwrap_or(rows),
        first_number: numbered.first as u32,
        evidence: lists.iter().map(|list| list.evidence).sum::<f32>() / (rows * pairs.len()) as f32,
    };
    Some((Grid { bands: (0..rows).map(band).collect(), pairs, pitch, width, by_ink: true }, anchor))
}

/// A word, or the number with which it begins and the rest of it.
fn number_apart(word: Word, lists: &[List]) -> Vec<Word> {
    let mut joined = lists.iter().flat_map(|list| &list.joined);
    let Some(&[_, _, end]) = joined.find(|&&[left, y, _]| (left, y) == (word.left, word.y)) else { return vec![word] };
    let (number, rest): (Vec<Shape>, Vec<Shape>) =
        word.letters.into_iter().partition(|letter| ((letter.left + letter.right) as f32) < 2.0 * end);
    [number, rest].into_iter().filter_map(Word::new).collect()
}

/// The rows of a page that has several lists beside each other.
struct Numbered {
    /// By list how much larger its numbers are than those beside them in the first one.
    offsets: Vec<i32>,
    /// Numbers of the first and the last row in the first list.
    first: i32,
    last: i32,
    /// Numbers from list to list, where there are several.
    period: Option<usize>,
}

impl Numbered {
    fn rows(&self) -> usize {
        (self.last - self.first + 1) as usize
    }

    /// The lists with the places of the numbers of all rows.
    fn whole(&self, lists: &[List]) -> Vec<List> {
        let Some(longest) = (0..lists.len()).max_by_key(|&index| lists[index].places.len()) else { return Vec::new() };
        let whole = |(list, offset): (&List, &i32)| {
            let numbers = [self.first, self.last].map(|row| row + offset);
            list.reaching(numbers, &lists[longest], offset - self.offsets[longest])
        };
        lists.iter().zip(&self.offsets).map(whole).collect()
    }
}

/// The lists of a page whose numbers go on from one to the next, and which of them stand beside each other; none where more than
/// chance numbers do not.
fn going_on(mut lists: Vec<List>, through: &dyn Fn([f32; 2]) -> Curve) -> Option<(Vec<List>, Numbered)> {
    loop {
        if let Some(numbered) = numbered(&lists, through) {
            return Some((lists, numbered));
        }
        let (weakest, list) = lists.iter().enumerate().min_by(|a, b| a.1.evidence.total_cmp(&b.1.evidence))?;
        if lists.len() == 1 || list.evidence > BY_CHANCE {
            return None;
        }
        lists.remove(weakest);
    }
}

/// Which numbers stand beside each other; none where they do not go on by as many from list to list.
fn numbered(lists: &[List], through: &dyn Fn([f32; 2]) -> Curve) -> Option<Numbered> {
    let main = lists.first()?;
    let offset = |list: &List| {
        let middle = list.places.len() / 2;
        let line = through(list.places[middle]);
        let off = |row: &i32| {
            let [x, y] = main.at(*row as f32);
            (line.at(x) - y).abs()
        };
        let around = list.places.len() as i32;
        let rows = main.first as i32 - around..=main.last() as i32 + around;
        let row = rows.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        (list.first + middle) as i32 - row
    };
    let beside: Vec<i32> = lists.iter().map(offset).collect();
    // Words go up and down by more than a row from one side of a page to the other: numbers that go on exactly are surer.
    let exact =
        offsets_of_whole(lists).filter(|exact| exact.iter().zip(&beside).all(|(a, b)| (a - b).abs() <= ONE_ROW));
    let offsets = exact.unwrap_or(beside);
    let steps: Vec<i32> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let period = steps.first().copied();
    let rows = lists.iter().map(|list| list.places.len()).max()? as f32;
    let goes_on =
        |&step: &i32| Some(step) == period && (FEWER * rows..=MORE * rows + LOST_ROWS as f32).contains(&(step as f32));
    if !steps.iter().all(goes_on) {
        return None;
    }
    let in_first = |number: usize, offset: &i32| number as i32 - offset;
    let firsts = lists.iter().zip(&offsets).map(|(list, offset)| in_first(list.first, offset));
    let lasts = lists.iter().zip(&offsets).map(|(list, offset)| in_first(list.last(), offset));
    let first = firsts.min()?.max(1);
    let first = if first <= LOST_ROWS { 1 } else { first };
    // Each list but the last goes on to the end of its rows.
    let last = period.map_or(lasts.max()?, |period| first + period - 1);
    Some(Numbered { offsets, first, last, period: period.map(|period| period as usize) })
}

/// By list how much larger its numbers are than those in as many rows of the first one, where each begins with the number
/// behind the last one of the list before it, and all but the last are as long.
fn offsets_of_whole(lists: &[List]) -> Option<Vec<i32>> {
    let rows = lists.first()?.places.len();
    let goes_on = |pair: &[List]| pair[1].first == pair[0].last() + 1 && pair[0].places.len() == rows;
    lists.windows(2).all(goes_on).then(|| (0..lists.len()).map(|index| (index * rows) as i32).collect())
}

/// A list, and what stands behind its numbers.
struct Block<'a> {
    list: &'a List,
    /// The list at its right.
    next: Option<&'a List>,
    /// The place of each row's number, and how the page runs there.
    rows: Vec<([f32; 2], Curve)>,
    /// Of a letter.
    height: f32,
    /// Height of the page, in pixels.
    down: u32,
}

impl Block<'_> {
    /// The columns of the list, and for each the middles of its rows; none where no rows have two moves.
    fn laid_out(&self, writing: &Writing, words: &[Word]) -> Option<(ColumnPair, [Vec<f32>; 3])> {
        let (rows, height, pitch) = (self.rows.len(), self.height, self.list.pitch());
        let words: Vec<Placed> = words.iter().filter_map(|word| self.place(word.left, word.right, word.y)).collect();
        let letters = writing.letters.iter().filter_map(|letter| {
            self.place(letter.left as f32, letter.right as f32, (letter.top + letter.bottom) as f32 / 2.0)
        });
        let letters = columns::by_row(letters, rows);
        let ends = self.ends();
        let furthest = ends.iter().flatten().copied().reduce(f32::max).filter(|_| self.list.is_joined());
        let numbers_end = columns::numbers_end(&words, &letters, self.list.first, furthest, height);
        let moves = columns::behind(words, numbers_end, height);
        let begins = columns::winding(&letters, numbers_end, height);
        let begins: Vec<f32> = ends.iter().zip(begins).map(|(end, begin)| end.unwrap_or(begin)).collect();
        let parted = columns::parted(&moves, &letters, &begins, numbers_end, height)?;
        let between = median(parted.iter().copied())?;
        let end = columns::end(&moves, numbers_end, &parted, height);
        let straight = |off: f32| Curve::along(self.down, |y| self.side(off, y));
        let sides = [straight(-MARGIN * height), self.through(&begins), self.through(&parted), straight(end)];
        let is_wide = |y: f32| sides.windows(2).all(|two| two[1].at(y) - two[0].at(y) > NARROWEST * height);
        if !self.rows.iter().all(|(number, _)| is_wide(number[1])) {
            return None;
        }
        let [numbers, white, black] =
            [0, 1, 2].map(|at| Column { left: sides[at].clone(), right: sides[at + 1].clone(), inner: Vec::new() });
        let (whites, blacks): (Vec<Placed>, Vec<Placed>) =
            moves.iter().partition(|word| word.middle() < parted[word.row]);
        // Before the next list.
        let full = self.next.is_some();
        let (white_rows, off) = rows::settled(&whites, &self.expected(numbers_end), pitch, full);
        // As much further off as it is further away.
        let [near, far] = [numbers_end, between].map(|border| border + MIDDLE * height);
        let times = FURTHER_OFF * far / near.max(1.0);
        let last = (rows.max(2) - 1) as f32;
        let off = |row: usize| times * (off[0] + (off[1] - off[0]) * row as f32 / last);
        let expected: Vec<f32> = self.expected(between).iter().enumerate().map(|(row, y)| y + off(row)).collect();
        let (black_rows, _) = rows::settled(&blacks, &expected, pitch, full);
        let number_rows = self.rows.iter().map(|(number, _)| number[1]).collect();
        let pair = ColumnPair { numbers: Some(numbers), between: None, white, black };
        Some((pair, [number_rows, white_rows, black_rows]))
    }

    /// Where the numbers end behind which moves stand close, by row, from the line of the numbers on.
    fn ends(&self) -> Vec<Option<f32>> {
        let end = |number: &[f32; 2]| {
            let joined = self.list.joined.iter().find(|[left, y, _]| [*left, *y] == *number)?;
            Some(joined[2] - self.list.x_at(joined[1]))
        };
        self.rows.iter().map(|(number, _)| end(number)).collect()
    }

    /// The heights at which the moves of a column that begins so far behind the numbers would stand.
    fn expected(&self, border: f32) -> Vec<f32> {
        let off = border + MIDDLE * self.height;
        self.rows.iter().map(|(number, line)| line.at(number[0] + off)).collect()
    }

    /// The row whose number is nearest to a height.
    fn nearest(&self, y: f32) -> Option<usize> {
        let off = |row: &usize| (self.rows[*row].0[1] - y).abs();
        (0..self.rows.len()).min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    /// A place behind the line of the numbers, as far as the next list.
    fn side(&self, off: f32, y: f32) -> f32 {
        (self.list.x_at(y) + off).min(self.beyond(y))
    }

    /// Where the next list begins.
    fn beyond(&self, y: f32) -> f32 {
        self.next.map_or(f32::INFINITY, |next| next.x_at(y) - BEFORE * self.height)
    }

    /// The border that runs so far behind the numbers in each row.
    fn through(&self, by_row: &[f32]) -> Curve {
        let mut border = Curve::along(self.down, |y| self.side(self.nearest(y).map_or(0.0, |row| by_row[row]), y));
        // Between two strips it is straight: they are moved until it is right where the numbers stand.
        for _ in 0..ROUNDS {
            for ((number, _), off) in self.rows.iter().zip(by_row) {
                let position = (number[1] / STRIP as f32 - 0.5).clamp(0.0, (border.y.len().max(2) - 2) as f32);
                let (low, share) = (position as usize, position.fract());
                let wrong = self.side(*off, number[1]) - border.at(number[1]);
                let weights = [1.0 - share, share];
                let norm = weights[0].powi(2) + weights[1].powi(2);
                for (strip, weight) in border.y[low..].iter_mut().zip(weights) {
                    *strip += wrong * weight / norm;
                }
            }
        }
        border
    }

    /// What stands at a place of the page, if it is of this list.
    fn place(&self, left: f32, right: f32, y: f32) -> Option<Placed> {
        let off = |row: &usize| (self.rows[*row].1.at(left) - y).abs();
        let row = (0..self.rows.len()).min_by(|a, b| off(a).total_cmp(&off(b)))?;
        let line = self.list.x_at(y);
        let is_of = off(&row) < OFF * self.list.pitch()
            && left > line - BEFORE * self.height
            && (left + right) / 2.0 < self.beyond(y);
        is_of.then_some(Placed { left: left - line, right: right - line, y, row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(x: f32, row: usize, first: usize, count: usize, evidence: f32) -> List {
        let place = |number: usize| [x, 300.0 + 40.0 * (row + number) as f32];
        List { first, places: (0..count).map(place).collect(), joined: Vec::new(), evidence }
    }

    #[test]
    fn numbers_that_do_not_go_on_from_those_at_their_left_are_chance() {
        let level = |[_, y]: [f32; 2]| Curve::along(1000, |_| y);
        let kept = |lists: Vec<List>| {
            going_on(lists, &level).map(|(lists, numbered)| (lists.len(), numbered.rows(), numbered.period))
        };
        let main = || list(100.0, 0, 1, 25, 59.0);
        assert_eq!(kept(vec![main(), list(500.0, 2, 28, 8, 8.6)]), Some((2, 25, Some(25))));
        assert_eq!(kept(vec![main(), list(500.0, 2, 33, 8, 8.6)]), Some((2, 30, Some(30))), "some rows are lost");
        assert_eq!(kept(vec![main(), list(500.0, 2, 50, 8, 8.6)]), Some((1, 25, None)));
        assert_eq!(kept(vec![main(), list(500.0, 2, 9, 8, 8.6)]), Some((1, 25, None)));
        assert_eq!(kept(vec![main(), list(500.0, 2, 50, 8, 20.0)]), None, "too many to be chance");
    }

    #[test]
    fn numbers_that_go_on_exactly_tell_which_rows_stand_beside_each_other() {
        // As if lines fell by a row, or by three, from one list to the next.
        let period = |fall: f32, first: usize| {
            let falling = |[x, y]: [f32; 2]| Curve::along(1000, |to| y + fall * (to - x) / 400.0);
            let lists = [list(100.0, 0, 1, 25, 59.0), list(500.0, 0, first, 8, 20.0)];
            numbered(&lists, &falling).and_then(|numbered| numbered.period)
        };
        assert_eq!([period(0.0, 26), period(40.0, 26), period(-40.0, 26)], [Some(25); 3]);
        assert_eq!([period(40.0, 27), period(120.0, 26)], [Some(27), Some(28)], "the lines tell");
    }

    #[test]
    fn a_number_is_parted_from_the_move_behind_it() {
        let letter = |left: usize| Shape { left, right: left + 12, top: 0, bottom: 20, area: 100 };
        let word = || Word::new([10, 24, 38, 52].map(letter).into()).unwrap();
        let list = |joined| vec![List { first: 1, places: vec![[10.0, 10.0]], joined, evidence: 20.0 }];
        let ends =
            |list: &[List]| number_apart(word(), list).iter().map(|word| [word.left, word.right]).collect::<Vec<_>>();
        assert_eq!(ends(&list(vec![[10.0, word().y, 37.0]])), [[10.0, 36.0], [38.0, 64.0]]);
        assert_eq!(ends(&list(vec![[10.0, 300.0, 37.0]])), [[10.0, 64.0]], "another row");
    }
}
