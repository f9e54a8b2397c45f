//! Pages of one sheet that show the same rows: the sheets of both players, a copy, or another game's sheet.
//!
//! Whoever writes, and in whatever language, the squares to which the pieces go are the same in one game.

use super::ReadPage;
use crate::notation::named_squares;
use crate::reading::Alphabet;
use std::collections::HashSet;

/// What a page shows that has rows of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    SameGame,
    OtherGame,
}

/// Share of a page's written rows that must be written on an earlier page too.
const OVERLAP: f32 = 0.5;
/// Fewest squares to go by, and most: the beginnings of games differ less than what follows, but are read best.
const FEWEST: usize = 16;
const MOST: usize = 60;
/// Share of squares in common from which games are the same, and below which they are not. Of the sheets of 19 games
/// one pair has 0.58 in common and the others 0.75 or more; sheets of two games have 0.5 or less.
const SAME: f32 = 0.6;
const OTHER: f32 = 0.45;

/// Sets pages of other games aside, and gives the index of the first page of a sheet that begins the same game again.
pub(super) fn settle(pages: &mut [ReadPage], alphabet: &Alphabet) -> Option<usize> {
    let mut again = None;
    for index in 1..pages.len() {
        let (earlier, rest) = pages.split_at_mut(index);
        let page = &mut rest[0];
        let repeated = earlier.iter().find_map(|first| Some((repeat(first, page, alphabet)?, &first.file)));
        match repeated {
            Some((Repeat::SameGame, _)) => again = again.or(Some(index)),
            Some((Repeat::OtherGame, first)) => set_aside(page, first),
            None => {}
        }
    }
    again
}

/// Sets aside what the second and further sheets show of another game than the first one.
pub(super) fn settle_sheets(sheets: &mut [Vec<ReadPage>], alphabet: &Alphabet) {
    let Some((first, others)) = sheets.split_first_mut() else { return };
    for page in others.iter_mut().flatten() {
        let repeats = || first.iter().filter_map(|known| Some((repeat(known, page, alphabet)?, &known.file)));
        let other = repeats().next().filter(|_| repeats().all(|(repeat, _)| repeat == Repeat::OtherGame));
        if let Some((_, known)) = other {
            set_aside(page, known);
        }
    }
}

/// Leaves out a page that shows another game than the page of the first file.
fn set_aside(page: &mut ReadPage, first: &str) {
    let advice = if first == page.file {
        format!("{first}: a second sheet in the photo shows another game and was left out; cut the photo in two")
    } else {
        let page = &page.file;
        format!(
            "{page}: it shows another game than {first} and was left out; read it on its own, or all with `scoresheet batch`"
        )
    };
    page.set_aside(advice);
}

/// What a page repeats of an earlier one; none if it goes on from there, or where it cannot be told.
pub(super) fn repeat(earlier: &ReadPage, page: &ReadPage, alphabet: &Alphabet) -> Option<Repeat> {
    let [first, second] = [earlier, page].map(written_rows);
    let shared = second.intersection(&first).count() as f32;
    if shared < OVERLAP * second.len() as f32 {
        return None;
    }
    let [first, second] = [earlier, page].map(|page| squares(page, alphabet));
    let fewest = first.len().min(second.len());
    if fewest < FEWEST {
        return None;
    }
    match longest_common_subsequence(&first, &second, PartialEq::eq) as f32 / fewest as f32 {
        SAME.. => Some(Repeat::SameGame),
        ..OTHER => Some(Repeat::OtherGame),
        _ => None,
    }
}

fn written_rows(page: &ReadPage) -> HashSet<u32> {
    page.all_cells().filter(|cell| cell.reading.is_some()).map(|cell| cell.number).collect()
}

/// The squares to which the first moves go, in order; `O` for castling.
fn squares(page: &ReadPage, alphabet: &Alphabet) -> Vec<[u8; 2]> {
    let mut cells: Vec<_> = page.all_cells().filter_map(|cell| Some((cell, cell.reading.as_ref()?))).collect();
    cells.sort_by_key(|(cell, _)| (cell.number, cell.colour as u8));
    let texts = cells.into_iter().map(|(_, reading)| reading.best_path(alphabet).0);
    texts.filter_map(|text| square(&text)).take(MOST).collect()
}

/// The last square in a text.
pub(super) fn square(text: &str) -> Option<[u8; 2]> {
    if text.starts_with('O') { Some(*b"OO") } else { named_squares(text).next_back() }
}

/// The length of the longest sequence that stands in both, other things in between.
pub(crate) fn longest_common_subsequence<T>(a: &[T], b: &[T], alike: impl Fn(&T, &T) -> bool) -> usize {
    let mut above = vec![0; b.len() + 1];
    for one in a {
        let mut diagonal = 0;
        for (j, other) in b.iter().enumerate() {
            let best = if alike(one, other) { diagonal + 1 } else { above[j + 1].max(above[j]) };
            diagonal = above[j + 1];
            above[j + 1] = best;
        }
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_square_tells_where_a_piece_goes() {
        let found = ["Nf3", "e2-e4", "Txd5+", "O-O", "dxe8=D", "?", "exd"].map(square);
        assert_eq!(
            found.map(|two| two.map(|two| two.map(char::from).iter().collect::<String>()).unwrap_or_default()),
            ["f3", "e4", "d5", "OO", "e8", "", ""]
        );
    }

    #[test]
    fn a_move_left_out_costs_no_more_than_itself() {
        assert_eq!(longest_common_subsequence(&[1, 2, 3, 4, 5], &[1, 3, 4, 9, 5], PartialEq::eq), 4);
        assert_eq!(longest_common_subsequence(&[], &[1], PartialEq::eq), 0);
    }
}
