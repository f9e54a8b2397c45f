//! Paper that is no form: moves behind numbers written by hand, or running on in lines.

use super::found::{Found, WHOLE};
use super::legible;
use super::listed::Ways;
use super::running::{SHARE, Text};
use super::search::Search;
use crate::error::Result;
use crate::pipeline::page::Page;
use crate::pipeline::timed;
use rayon::prelude::*;

/// Quarter turns in the order in which they are looked at where nothing tells.
const TURNS: [u8; 4] = [0, 2, 1, 3];
/// Least share of the words that read as moves some other way up, for a page to be looked at this way up.
const UPRIGHT: f32 = 0.5;
/// What the numbers of a list say at least where the words tell which way up the page is.
const SHORT: f32 = 20.0;
/// What they say at least where a hand is so hard to read that neither words nor moves tell.
const SURE: f32 = 45.0;
/// Rows from which moves behind handwritten numbers are taken before all forms were tried.
const MANY_ROWS: usize = 10;

impl Search<'_> {
    /// Takes moves that surely stand behind numbers written by hand on one of some pages, or run on in lines, whichever way up;
    /// whether there are any. There are none where one of the pages that were `laid` flat surely shows a form, the way up that
    /// its words or numbers tell.
    ///
    /// Where a page is not flat printed numbers stand as unevenly as those of a hand: they tell of a form if they stand evenly
    /// on one of the pages, or of text on ruled lines, and which way up it is. Whatever else is tried then is turned first as words
    /// read as moves.
    pub(super) fn try_no_form(&mut self, pages: &[&Page], laid: &[Page]) -> Result<bool> {
        let Some((first, others)) = pages.split_first().filter(|_| self.is_open()) else { return Ok(false) };
        let first = timed(self.timing, "grid", || Ways::new(first));
        let mut texts: Vec<Option<Text>> = timed(self.timing, "grid", || {
            (0..TURNS.len() as u8).into_par_iter().map(|turns| Text::new(first.likely.turned(turns))).collect()
        });
        let turns = self.likely_turns(&texts)?;
        if turns.len() < TURNS.len() {
            self.turns.sort_by_key(|&turn| turns.iter().position(|&likely| likely == turn).unwrap_or(TURNS.len()));
        }
        let words_tell = turns.len() == 1;
        for &turns in &turns {
            if self.is_form(laid, turns)? {
                return Ok(false);
            }
        }
        let others: Vec<_> = timed(self.timing, "grid", || others.par_iter().map(|page| Ways::new(page)).collect());
        let unruled: Vec<&Ways> = std::iter::once(&first).chain(&others).collect();
        for turns in turns {
            let (lists, are_even) = self.find_lists(pages, &unruled, turns, words_tell)?;
            if !are_even && self.take_lists(lists, words_tell)? {
                return Ok(true);
            }
            let others =
                others.iter().map(|ways| &ways.likely).chain(unruled.iter().filter_map(|ways| ways.other.as_ref()));
            let others = others.map(|way| Text::new(way.turned(turns)));
            let mut texts = std::iter::once(texts[usize::from(turns)].take()).chain(others);
            while let Some(text) = timed(self.timing, "grid", || texts.next()) {
                if self.take_running(text)? {
                    return Ok(true);
                }
            }
            if are_even {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// What is listed on some pages, given with the ways to take their ruling away, turned by so many quarters; and whether the
    /// numbers of one of the pages stand as evenly as print.
    fn find_lists(
        &mut self,
        pages: &[&Page],
        unruled: &[&Ways],
        turns: u8,
        words_tell: bool,
    ) -> Result<(Vec<Found>, bool)> {
        // Some few numbers are enough where the words tell which way up, and lines that one writes on need not be kept to.
        let least = if words_tell { SHORT } else { WHOLE };
        let is_list = |(found, by_hand): &(Found, bool)| {
            found.is_told(least) && !found.is_partial() && (*by_hand || !found.leaves_its_lines())
        };
        let (mut lists, mut are_even) = (Vec::new(), false);
        for (page, ways) in pages.iter().zip(unruled) {
            let page = page.turned(turns);
            let listed = self.listed_on(&page, || ways.likely.turned(turns))?;
            let other = ways.other.as_ref().filter(|_| words_tell || listed.is_some());
            let of_other = other.map(|other| self.find_list(&page, other.turned(turns))).transpose()?;
            let found: Vec<_> = listed.into_iter().chain(of_other.flatten()).filter(is_list).collect();
            // The more numbers are left, the better the ruling was taken away.
            let fullest = found.iter().max_by(|(a, _), (b, _)| a.support().total_cmp(&b.support()));
            are_even |= fullest.is_some_and(|(_, by_hand)| !by_hand);
            lists.extend(found.into_iter().map(|(found, _)| found));
        }
        Ok((lists, are_even))
    }

    /// Whether one of some pages surely shows the whole table of a form, turned by so many quarters; what was found before stays.
    fn is_form(&mut self, pages: &[Page], turns: u8) -> Result<bool> {
        let before = self.best.take();
        let mut is_form = false;
        for page in pages {
            self.watch.at("page")?;
            let page = timed(self.timing, "page", || page.turned(turns));
            self.try_page_twice(&page)?;
            is_form = self.is_whole() && self.writing_is_plain()?;
            if is_form {
                break;
            }
        }
        self.best = before;
        Ok(is_form)
    }

    /// The quarter turns by which a page may be upright, likeliest first, by what is written on it turned by none to three.
    fn likely_turns(&mut self, texts: &[Option<Text>]) -> Result<Vec<u8>> {
        let recogniser = self.recogniser;
        let mut shares = Vec::new();
        for turns in TURNS {
            self.watch.at("grid")?;
            let share = timed(self.timing, "grid", || {
                texts[usize::from(turns)].as_ref().map_or(Ok(0.0), |text| text.share_of_moves(recogniser))
            })?;
            shares.push((turns, share));
        }
        Ok(upright(shares))
    }

    /// Takes lists behind which moves stand; whether there are any. Some few tell nothing, nor do those behind which most does
    /// not read as moves, unless many numbers read, and more where no words tell which way up the page is.
    fn take_lists(&mut self, mut lists: Vec<Found>, words_tell: bool) -> Result<bool> {
        lists.retain(|found| found.anchor.rows >= MANY_ROWS);
        for found in &mut lists {
            timed(self.timing, "anchor", || found.legible(self.recogniser))?;
        }
        let is_plain = |found: &Found| found.legible.is_some_and(|legible| legible.is_plain());
        let is_nothing = |found: &Found| found.legible.is_some_and(|legible| legible.is_nothing());
        if lists.iter().any(is_plain) {
            lists.retain(is_plain);
        } else {
            let least = if words_tell { WHOLE } else { SURE };
            lists.retain(|found| found.is_told(least) && !is_nothing(found));
        }
        // Where rows are passed over or letters are broken, fewer moves read.
        let mut read = Vec::new();
        for found in lists {
            let moves = || legible::clear_moves(&found.page, &found.grid, self.recogniser);
            read.push((timed(self.timing, "anchor", moves)?, found));
        }
        let best = best(read);
        let any = best.is_some();
        self.best = best.or(self.best.take());
        Ok(any)
    }

    /// Takes moves that run on in lines, if there are any among what is written on a page; whether there are.
    fn take_running(&mut self, text: Option<Text>) -> Result<bool> {
        self.watch.at("grid")?;
        let recogniser = self.recogniser;
        let game = timed(self.timing, "grid", || text.map_or(Ok(None), |text| text.game(recogniser)))?;
        let Some((page, grid, anchor)) = game else { return Ok(false) };
        self.best = Some(Found { page, grid, anchor, legible: None, is_level: false });
        Ok(true)
    }
}

/// The list of which most moves read, given with how many these are; of several the one of which most numbers do, the first of
/// those.
fn best(lists: Vec<(usize, Found)>) -> Option<Found> {
    let more = |(of_a, a): &(usize, Found), (of_b, b): &(usize, Found)| {
        of_a.cmp(of_b).then(a.support().total_cmp(&b.support()))
    };
    lists.into_iter().rev().max_by(more).map(|(_, found)| found)
}

/// Those quarter turns by which a page may be upright, likeliest first, going by the share of its words that read as moves then:
/// upside down hardly a word does. Where few do any way up, all of them.
fn upright(mut shares: Vec<(u8, f32)>) -> Vec<u8> {
    let most = shares.iter().map(|&(_, share)| share).fold(0.0, f32::max);
    if most > SHARE {
        shares.retain(|&(_, share)| share >= UPRIGHT * most);
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    shares.into_iter().map(|(turns, _)| turns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::numbers::anchor::Anchor;
    use crate::pipeline::photo::ingest::Photo;
    use crate::pipeline::table::columns;
    use crate::pipeline::table::grid::Grid;
    use image::{GrayImage, Luma};

    #[test]
    fn the_list_of_which_most_reads_is_the_best() {
        // By how many moves read, and what each of twenty numbers says.
        let list = |&(moves, evidence): &(usize, f32)| {
            let grey = GrayImage::from_pixel(640, 480, Luma([250]));
            let page = Page::new(&Photo { file: String::new(), grey }, 0);
            let pairs = columns::even(0.0, 640.0, 1, 29);
            let grid = Grid { bands: Vec::new(), pairs, pitch: 30.0, width: 640.0, by_ink: true };
            let anchor = Anchor { first_band: 0, rows: 20, period: 20, first_number: 1, evidence };
            (moves, Found { page, grid, anchor, legible: None, is_level: false })
        };
        let chosen = |lists: &[(usize, f32)]| best(lists.iter().map(list).collect()).unwrap().anchor.evidence;
        assert_eq!(chosen(&[(30, 3.2), (38, 3.0), (37, 3.5)]), 3.0, "more moves");
        assert_eq!(chosen(&[(38, 3.0), (38, 3.2), (0, 3.5)]), 3.2, "more numbers");
        assert_eq!(chosen(&[(0, 2.0), (0, 3.0), (0, 2.5)]), 3.0, "no move is clear");
        assert!(best(Vec::new()).is_none());
    }

    #[test]
    fn a_page_is_upright_as_its_words_read() {
        let turns = |shares: [f32; 4]| upright(TURNS.into_iter().zip(shares).collect());
        assert_eq!(turns([0.03, 0.0, 0.16, 0.6]), [3]);
        assert_eq!(turns([0.2, 0.3, 0.0, 0.0]), [2, 0]);
        assert_eq!(turns([0.0, 0.1, 0.0, 0.05]), TURNS, "a hand that is hard to read");
    }
}
