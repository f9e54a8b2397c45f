//! The handwriting on a page that is no form: its letters and the words that they make.

use super::ruling::{FAR, Unruled};
use crate::pipeline::page::Page;
use crate::pipeline::page::shapes::{Shape, each};
use crate::pipeline::table::spacing::median;

/// Heights of letters, in pixels of the page, and in heights of the usual one; letters joined by hand are wider.
const LETTERS: std::ops::Range<usize> = 9..120;
const HEIGHTS: std::ops::Range<f32> = 0.45..2.6;
const WIDEST: f32 = 9.0;
/// How many times wider than high a dash is, and its width at least, in heights of a letter.
const FLAT: f32 = 1.5;
const DASH: f32 = 0.2;
/// Width of the stroke of a pen at least, in heights of a letter.
const THIN: f32 = 0.12;
/// Heights by which the usual one is told, in shares of that of the upper half of all.
const USUAL: std::ops::Range<f32> = 0.5..1.4;
/// Height of what touches from row to row, in heights of a letter.
const TOUCHING: f32 = 1.7;
/// Gap between letters of a word at most, in heights of a letter. A hand spaces its letters out that leaves gaps so wide at three
/// of four of them; then the gap is at most so many times the usual one, of those that may be within a word.
const LETTER_GAP: f32 = 0.55;
const SPACED: f32 = 0.45;
const USUAL_GAPS: f32 = 1.3;
const IN_A_WORD: f32 = 1.5;
/// How far letters of a word stand higher or lower than each other, in heights of a letter: any, and those of which the lower
/// one has at least a share beside the other.
const NEAR: f32 = 0.4;
const NEARLY: f32 = 0.7;
const BESIDE: f32 = 0.35;
/// Breadth of the edge of something that lies around the paper, in pixels of the page.
const BROAD: f32 = 12.0;
/// Side of the blocks in which pieces are counted, in pixels of the page; how many lie in one that are lower than a letter, unless
/// the paper is in half a shadow, and how many others.
const BLOCK: usize = 64;
const FEW_SPECKS: usize = 28;
const FEW_LETTERS: usize = 12;
/// Distance of letters of a word that tell how it slopes, in heights of a letter.
const APART: f32 = 1.2;
/// Fewest letters that make a page of writing.
const FEWEST: usize = 20;

/// The letters on a page.
pub(in crate::pipeline::table) struct Writing {
    /// The page without what is ruled on it.
    pub page: Page,
    /// The darkness from which a pixel is ink.
    pub ink: u8,
    /// Letters, and groups of letters written in one stroke.
    pub letters: Vec<Shape>,
    /// What is flat and smaller than a letter, as dashes are.
    pub dashes: Vec<Shape>,
    /// Their usual height, in pixels of the page.
    pub height: f32,
}

/// Letters that stand close together, from left to right.
#[derive(Debug, Clone)]
pub(in crate::pipeline::table) struct Word {
    pub left: f32,
    pub right: f32,
    /// The middle of its letters.
    pub y: f32,
    pub letters: Vec<Shape>,
}

impl Word {
    /// A word of letters; none of none.
    pub(super) fn new(letters: Vec<Shape>) -> Option<Self> {
        let left = letters.iter().map(|letter| letter.left).min()? as f32;
        let right = letters.iter().map(|letter| letter.right).max()? as f32;
        Some(Self { left, right, y: median(letters.iter().map(middle)), letters })
    }
}

impl Writing {
    /// None where there are too few letters to be a game.
    pub(in crate::pipeline::table) fn new(unruled: Unruled) -> Option<Self> {
        Self::seen(unruled, false)
    }

    /// The same without the grain of what the paper lies on.
    pub(in crate::pipeline::table) fn on_paper(unruled: Unruled) -> Option<Self> {
        Self::seen(unruled, true)
    }

    fn seen(unruled: Unruled, on_paper: bool) -> Option<Self> {
        let Unruled { page, ink } = unruled;
        let (width, darkest) = (page.image.width() as usize, 255 - ink);
        let dark: Vec<bool> = page.image.as_raw().iter().map(|&pixel| pixel <= darkest).collect();
        let mut edges = vec![false; dark.len()];
        let mut letters = Vec::new();
        let mut grain = Grain::new(&page);
        let far = FAR * width.max(page.image.height() as usize) as f32;
        each(dark, width, |shape, pixels| {
            let long = shape.width().max(shape.height()) as f32;
            if long > far && shape.area as f32 > BROAD * long {
                pixels.iter().for_each(|&pixel| edges[pixel] = true);
            }
            grain.count(&shape);
            letters.push(shape);
        });
        letters.retain(|shape| !(on_paper && grain.holds(shape)));
        let all = letters.clone();
        letters.retain(|shape| shape.height().max(shape.width()) >= LETTERS.start && shape.height() < LETTERS.end);
        leave_out_beyond(&edges, width, &mut letters);
        let tall: Vec<f32> =
            letters.iter().map(Shape::height).filter(|h| LETTERS.contains(h)).map(|h| h as f32).collect();
        if tall.len() < FEWEST {
            return None;
        }
        // Dirt is low, and letters of two rows that touch are high.
        let middle = median(tall.iter().copied());
        let upper = median(tall.iter().copied().filter(|&h| h >= middle));
        let height = median(tall.iter().copied().filter(|&h| USUAL.contains(&(h / upper))));
        let is_dash = |shape: &Shape| {
            let wide = shape.width() as f32;
            wide > FLAT * shape.height() as f32 && (DASH * height..HEIGHTS.start * height).contains(&wide)
        };
        let mut dashes: Vec<Shape> = all.into_iter().filter(is_dash).collect();
        letters.retain(|shape| {
            shape.height().max(shape.width()) as f32 >= HEIGHTS.start * height
                && (shape.height() as f32) < HEIGHTS.end * height
                && (shape.width() as f32) < WIDEST * height
        });
        leave_out_beyond(&edges, width, &mut dashes);
        (letters.len() >= FEWEST).then_some(Self { page, ink, letters, dashes, height })
    }

    /// The same without pieces that are left of ruling, which may be as long as letters or dashes, where there are more of them
    /// than a game has.
    pub(in crate::pipeline::table) fn without_ruling(mut self) -> Self {
        let is_thin = |shape: &Shape| (shape.width().min(shape.height()) as f32) < THIN * self.height;
        if 2 * self.letters.iter().filter(|letter| is_thin(letter)).count() > self.letters.len() {
            self.letters.retain(|letter| !is_thin(letter));
        }
        if self.dashes.len() > self.letters.len() {
            self.dashes.clear();
        }
        self
    }

    /// The words on the page.
    pub(in crate::pipeline::table) fn words(&self) -> Vec<Word> {
        let mut letters: Vec<Shape> = self.letters.iter().flat_map(|letter| self.by_row(letter)).collect();
        letters.sort_by_key(|letter| letter.left);
        let gap = letter_gap(&letters, self.height);
        let mut words: Vec<Word> = Vec::new();
        for letter in letters {
            let (left, y) = (letter.left as f32, middle(&letter));
            let goes_on = |word: &&mut Word| {
                left < word.right + gap && {
                    let last = &word.letters[word.letters.len() - 1];
                    let off = (y - middle(last)).abs().min((y - word.y).abs());
                    off < NEAR * self.height || (off < NEARLY * self.height && stands_beside(last, &letter))
                }
            };
            match words.iter_mut().filter(goes_on).min_by(|a, b| (a.y - y).abs().total_cmp(&(b.y - y).abs())) {
                Some(word) => {
                    word.right = word.right.max(letter.right as f32);
                    word.letters.push(letter);
                    word.y = median(word.letters.iter().map(middle));
                }
                None => words.push(Word { left, right: letter.right as f32, y, letters: vec![letter] }),
            }
        }
        words
    }

    /// How much the words fall to the right, in pixels per pixel: as most letters do of one word.
    pub(in crate::pipeline::table) fn slope(&self, words: &[Word]) -> f32 {
        let between = |word: &Word| -> Vec<f32> {
            let at = |letter: &Shape| [(letter.left + letter.right) as f32 / 2.0, middle(letter)];
            let pairs = word.letters.iter().flat_map(|a| word.letters.iter().map(move |b| (at(a), at(b))));
            let slope = |(a, b): ([f32; 2], [f32; 2])| {
                (b[0] - a[0] > APART * self.height).then(|| (b[1] - a[1]) / (b[0] - a[0]))
            };
            pairs.filter_map(slope).collect()
        };
        let slopes: Vec<f32> = words.iter().flat_map(between).collect();
        if slopes.len() < FEWEST { 0.0 } else { median(slopes.into_iter()) }
    }

    /// A letter, or those of several rows that touch, one below the other.
    fn by_row(&self, letter: &Shape) -> Vec<Shape> {
        let rows = match letter.height() as f32 / self.height {
            height if height > TOUCHING => height.round() as usize,
            _ => 1,
        };
        let border = |row: usize| letter.top + row * letter.height() / rows;
        let part =
            |row: usize| Shape { top: border(row), bottom: border(row + 1), area: letter.area / rows, ..*letter };
        (0..rows).map(part).collect()
    }
}

/// The gap between letters of a word at most, as letters of some height stand from left to right, in pixels of the page.
fn letter_gap(letters: &[Shape], height: f32) -> f32 {
    let gap = |letter: &Shape| {
        let next = letters
            .iter()
            .filter(|next| next.left > letter.left && (middle(next) - middle(letter)).abs() < NEAR * height);
        next.map(|next| next.left as f32 - letter.right as f32).min_by(f32::total_cmp)
    };
    let mut gaps: Vec<f32> = letters.iter().filter_map(gap).filter(|&gap| gap < IN_A_WORD * height).collect();
    gaps.sort_by(f32::total_cmp);
    let is_spaced = gaps.len() >= FEWEST && gaps[gaps.len() / 4] > SPACED * height;
    if is_spaced { (USUAL_GAPS * gaps[gaps.len() / 2]).max(LETTER_GAP * height) } else { LETTER_GAP * height }
}

/// How many pieces lie in each block of a page, small ones and others: many of both are the grain of what the paper lies on.
struct Grain {
    across: usize,
    /// By block those lower than a letter, and the others.
    counts: Vec<[usize; 2]>,
}

impl Grain {
    fn new(page: &Page) -> Self {
        let across = page.image.width() as usize / BLOCK + 1;
        Self { across, counts: vec![[0; 2]; across * (page.image.height() as usize / BLOCK + 1)] }
    }

    fn block(&self, shape: &Shape) -> usize {
        (shape.top + shape.bottom) / 2 / BLOCK * self.across + (shape.left + shape.right) / 2 / BLOCK
    }

    fn count(&mut self, shape: &Shape) {
        let block = self.block(shape);
        self.counts[block][usize::from(shape.height().max(shape.width()) >= LETTERS.start)] += 1;
    }

    /// Whether a piece lies in the grain, or at its edge.
    fn holds(&self, shape: &Shape) -> bool {
        let block = self.block(shape);
        let has_specks = |block: usize| self.counts[block][0] > FEW_SPECKS;
        let (row, column) = (block / self.across, block % self.across);
        let around = |at: usize, count: usize| at.saturating_sub(1)..(at + 2).min(count);
        let rows = around(row, self.counts.len() / self.across);
        has_specks(block)
            && rows.flat_map(|row| around(column, self.across).map(move |column| (row, column))).any(|(row, column)| {
                let near = row * self.across + column;
                has_specks(near) && self.counts[near][1] > FEW_LETTERS
            })
    }
}

/// Leaves out what lies beyond broad dark edges, seen from the middle of the letters: the grain of a table that the paper lies
/// on looks like letters too.
fn leave_out_beyond(edges: &[bool], width: usize, letters: &mut Vec<Shape>) {
    let centre = |letter: &Shape| [(letter.left + letter.right) / 2, (letter.top + letter.bottom) / 2];
    if letters.is_empty() {
        return;
    }
    let [x, y] = [0, 1].map(|axis| median(letters.iter().map(|letter| centre(letter)[axis] as f32)) as usize);
    letters.retain(|letter| {
        let [at, down] = centre(letter);
        let across = at.min(x)..at.max(x);
        let along = down.min(y)..down.max(y);
        !across.into_iter().any(|x| edges[down * width + x]) && !along.into_iter().any(|y| edges[y * width + at])
    });
}

/// The height of a letter's middle, in pixels of the page.
fn middle(letter: &Shape) -> f32 {
    (letter.top + letter.bottom) as f32 / 2.0
}

fn stands_beside(a: &Shape, b: &Shape) -> bool {
    let common = a.bottom.min(b.bottom) as f32 - a.top.max(b.top) as f32;
    common > BESIDE * a.height().min(b.height()) as f32
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::pipeline::photo::ingest::Photo;
    use image::{GrayImage, Luma};

    /// Paper ruled in squares of 40 pixels, with letters of 12 by 24 pixels at the given places.
    pub(in super::super) fn squared(ruling: u8, letters: &[[u32; 2]]) -> Page {
        let mut grey = GrayImage::from_fn(900, 1200, |x, y| {
            let is_ruled = x % 40 < 2 || y % 40 < 2;
            Luma([if is_ruled { 250 - ruling } else { 250 }])
        });
        for &[left, top] in letters {
            for (x, y) in (left..left + 12).flat_map(|x| (top..top + 24).map(move |y| (x, y))) {
                grey.put_pixel(x, y, Luma([40]));
            }
        }
        Page::new(&Photo { file: String::new(), grey }, 0)
    }

    fn writing(page: &Page) -> Writing {
        Writing::new(Unruled::new(page)).unwrap()
    }

    #[test]
    fn words_are_told_from_squares() {
        // Twelve rows with words of two and of three letters.
        let letters: Vec<[u32; 2]> =
            (0..12).flat_map(|row| [200, 218, 400, 418, 436].map(|x| [x, 205 + 60 * row + (x + row) % 5])).collect();
        for ruling in [60, 90] {
            let writing = writing(&squared(ruling, &letters));
            assert!((writing.height - 24.0).abs() < 3.0, "{}", writing.height);
            assert!(writing.page.image.get_pixel(300, 240).0[0] > 240, "the ruling is white");
            assert!(writing.page.image.get_pixel(206, 216).0[0] < 80, "the ink is dark");
            let mut words: Vec<usize> = writing.words().iter().map(|word| word.letters.len()).collect();
            words.sort_unstable();
            assert_eq!(words, [[2; 12], [3; 12]].concat());
        }
    }

    #[test]
    fn a_hand_may_space_its_letters_out() {
        let letters: Vec<[u32; 2]> =
            (0..12).flat_map(|row| [200, 230, 420, 450, 480].map(|x| [x, 205 + 60 * row])).collect();
        let mut words: Vec<usize> =
            writing(&squared(60, &letters)).words().iter().map(|word| word.letters.len()).collect();
        words.sort_unstable();
        assert_eq!(words, [[2; 12], [3; 12]].concat());
    }

    #[test]
    fn letters_of_two_rows_that_touch_are_of_two_words() {
        let mut letters: Vec<[u32; 2]> = (0..12).flat_map(|row| [200, 218].map(|x| [x, 205 + 60 * row])).collect();
        letters.extend([[400, 205], [400, 225], [418, 205], [418, 229]]);
        let writing = writing(&squared(60, &letters));
        let at_right: Vec<Word> = writing.words().into_iter().filter(|word| word.left > 390.0).collect();
        assert_eq!(at_right.len(), 2, "{at_right:?}");
        assert!((at_right[0].y - at_right[1].y).abs() > 15.0);
    }

    #[test]
    fn larger_pieces_of_grain_are_no_letters() {
        let letters = |x: u32| (0..12).flat_map(move |row| [x, x + 18].map(|x| [x, 205 + 60 * row]));
        let found = |is_larger: fn(u32, u32) -> bool| {
            let mut page = squared(0, &letters(200).collect::<Vec<_>>());
            let grain = (640..900).flat_map(|x| (0..1200).map(move |y| (x, y)));
            for (x, y) in grain.filter(|&(x, y)| y % 4 < 2 && (x % 6 < 3 || is_larger(x / 12, y / 4))) {
                page.image.put_pixel(x, y, Luma([20]));
            }
            let letters = Writing::on_paper(Unruled { page, ink: 70 }).unwrap().letters;
            (letters.len(), letters.iter().filter(|letter| letter.right > 640).count())
        };
        assert_eq!(found(|x, y| (x + y) % 2 == 0), (24, 0));
        assert!(found(|x, y| (x + y) % 17 == 0).1 > 20, "where there are few, they may be letters");
    }

    #[test]
    fn pieces_that_are_left_of_ruling_are_no_letters() {
        let letters: Vec<[u32; 2]> = (0..12).flat_map(|row| [200, 218].map(|x| [x, 205 + 60 * row])).collect();
        let found = |pieces: u32| {
            let mut page = squared(0, &letters);
            // As long as letters, and as dashes.
            for (at, (wide, tall)) in (0..pieces).flat_map(|at| [(at, (14, 2)), (at, (8, 3))]) {
                let left = 300 + 60 * (at % 9) + wide + 10 * (tall % 3);
                for (x, y) in (0..wide).flat_map(|x| (0..tall).map(move |y| (left + x, 220 + 80 * (at / 9) + y))) {
                    page.image.put_pixel(x, y, Luma([20]));
                }
            }
            let writing = Writing::on_paper(Unruled { page, ink: 70 }).unwrap().without_ruling();
            (writing.letters.len(), writing.dashes.len())
        };
        assert_eq!(found(54), (24, 0));
        assert_eq!(found(9), (33, 9), "few may be written");
    }

    #[test]
    fn what_lies_beyond_the_edge_of_the_paper_is_no_letter() {
        let letters = |x: u32| (0..12).flat_map(move |row| [x, x + 18].map(|x| [x, 205 + 60 * row]));
        let all: Vec<[u32; 2]> = letters(200).chain(letters(300)).chain(letters(400)).chain(letters(700)).collect();
        let mut page = squared(60, &all);
        for (x, y) in (640..670).flat_map(|x| (100..1100).map(move |y| (x, y))) {
            page.image.put_pixel(x, y, Luma([20]));
        }
        let writing = writing(&page);
        assert_eq!(writing.letters.len(), 72);
        assert!(writing.letters.iter().all(|letter| letter.right < 640));
    }
}
