//! Which photos are of one game: both players' sheets, pages of a sheet, and photos taken twice.
//!
//! Pages are paired by what they say, since names lie; names decide only where the pages leave it open.

use super::names::Hints;
use super::pages::PageRecord;
use super::similar::{Agreement, agreement, candidates, likeness};
use crate::game::Colour;

/// Rows before which no first page of a sheet starts.
pub const LATE: u32 = 11;

/// Share of moves from which two pages tell the same game. On held-out sheets those of one game agree in 0.75 and more
/// (7 pairs), those of different games in 0.35 at most (489 pairs).
const SAME_GAME: f32 = 0.55;
/// Share from which they do if their names say so.
const SAME_BY_NAME: f32 = 0.35;
/// Moves that must agree: shorter games are played again and again. Fewer do if names say so.
const FEWEST_MOVES: usize = 16;
const FEWEST_BY_NAME: usize = 6;
/// Likeness of the ink from which two photos show the same sheet. Held-out sheets turned, blurred and compressed again
/// are alike by 0.94 and more, different sheets by 0.68 at most.
const SAME_SHEET: f32 = 0.82;
/// Sheets of a game that are read together.
const SHEETS: usize = 2;

/// A page with what its name says.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub record: &'a PageRecord,
    pub hints: &'a Hints,
}

/// Photos of one game, by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// The pages of each sheet in order.
    pub sheets: Vec<Vec<usize>>,
    /// Further photos of these sheets, and further sheets of the game, which are not read.
    pub spare: Vec<usize>,
    /// What to tell the person about the grouping.
    pub notes: Vec<String>,
}

/// Groups first pages into games, in the order of the pages. Pages that start late are left out.
pub fn group(pages: &[Candidate]) -> Vec<Group> {
    let firsts: Vec<usize> = (0..pages.len()).filter(|&i| pages[i].record.first < LATE).collect();
    let records: Vec<&PageRecord> = firsts.iter().map(|&i| pages[i].record).collect();
    let mut links: Vec<(usize, usize, Agreement)> = candidates(&records)
        .into_iter()
        .map(|(a, b)| (firsts[a], firsts[b]))
        .map(|(a, b)| (a, b, agreement(pages[a].record, pages[b].record)))
        .filter(|&(a, b, agreement)| same_game(pages[a].hints, pages[b].hints, agreement))
        .collect();
    links.sort_by(|a, b| b.2.share.total_cmp(&a.2.share).then(b.2.moves.cmp(&a.2.moves)));
    let mut game_of: Vec<usize> = (0..pages.len()).collect();
    for (a, b, _) in links {
        let (a, b) = (game_of[a], game_of[b]);
        let (keep, drop) = (a.min(b), a.max(b));
        game_of.iter_mut().filter(|game| **game == drop).for_each(|game| *game = keep);
    }
    let members = |game: usize| firsts.iter().copied().filter(|&i| game_of[i] == game).collect::<Vec<_>>();
    firsts.iter().filter(|&&i| game_of[i] == i).map(|&game| sheets_of(&members(game), pages)).collect()
}

fn same_game(a: &Hints, b: &Hints, agreement: Agreement) -> bool {
    let by_name = a.is_part && b.is_part && a.stem == b.stem;
    let (moves, share) = if by_name { (FEWEST_BY_NAME, SAME_BY_NAME) } else { (FEWEST_MOVES, SAME_GAME) };
    agreement.moves >= moves && agreement.share >= share
}

/// Tells the sheets of a game apart from further photos of them; the best read photo of each comes first.
fn sheets_of(members: &[usize], pages: &[Candidate]) -> Group {
    let mut ranked = members.to_vec();
    ranked.sort_by_key(|&i| (std::cmp::Reverse(pages[i].record.clear), i));
    let mut group = Group::default();
    let mut shown = Vec::new();
    for index in ranked {
        let record = pages[index].record;
        let same = |&&other: &&usize| {
            likeness(&record.looks, &pages[other].record.looks).is_some_and(|likeness| likeness >= SAME_SHEET)
        };
        if shown.iter().any(|other| same(&other)) {
            group.spare.push(index);
        } else if group.sheets.len() == SHEETS {
            group.spare.push(index);
            group.notes.push("more than two sheets tell this game; the two that read best were used".to_owned());
        } else {
            group.sheets.push(vec![index]);
        }
        shown.push(index);
    }
    // White's sheet first where names say which it is, else in the order of names.
    let side = |sheet: &Vec<usize>| match pages[sheet[0]].hints.keeper {
        Some(Colour::White) => 0,
        None => 1,
        Some(Colour::Black) => 2,
    };
    group.sheets.sort_by_key(|sheet| (side(sheet), sheet[0]));
    group.notes.dedup();
    group
}

/// Whether a page that starts at `late` may follow a sheet that ends with `before`.
pub fn may_follow(late: &PageRecord, before: &PageRecord) -> bool {
    // The page before is full, or nearly: its last row or the one before it holds a move.
    let full = before.moves.len() + 3 >= 2 * before.last as usize;
    before.last < late.first && before.last + 3 > late.first && full
}

/// Puts a late page behind a sheet of the game that holds page `first`: behind that of the same name or keeper if
/// there is one, else behind the first that has none yet.
pub fn append(group: &mut Group, late: usize, first: usize, pages: &[Candidate]) {
    let hints = pages[late].hints;
    let free = |sheet: &Vec<usize>| sheet.iter().all(|&page| pages[page].record.last < pages[late].record.first);
    let named = |sheet: &Vec<usize>| {
        let before = pages[sheet[0]].hints;
        (hints.keeper.is_some() && hints.keeper == before.keeper)
            || (hints.is_part && hints.stem == before.stem && hints.keeper.is_none())
    };
    let by_name = group.sheets.iter().position(|sheet| free(sheet) && named(sheet));
    let by_ink = group.sheets.iter().position(|sheet| free(sheet) && sheet.contains(&first));
    match by_name.or(by_ink).or_else(|| group.sheets.iter().position(free)) {
        Some(sheet) => group.sheets[sheet].push(late),
        None => group.spare.push(late),
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::hints;
    use super::super::similar::tests::page;
    use super::*;

    const SPANISH: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7 Nbd2 cxd4";
    const QUEENS: &str = "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 Nbd7 Rc1 c6 Bd3 dxc4 Bxc4 Nd5 Bxe7 Qxe7 O-O Nxc3";

    fn groups(pages: &[(&str, &str)]) -> Vec<Group> {
        let pages: Vec<_> = pages.iter().map(|(name, moves)| (hints(name), page(moves))).collect();
        group(&pages.iter().map(|(hints, record)| Candidate { record, hints }).collect::<Vec<_>>())
    }

    #[test]
    fn pages_are_paired_by_their_moves_whatever_their_names() {
        let wrong = SPANISH.replace("Na5", "Nb8").replace("c3", "a3");
        let groups = groups(&[("a1.jpg", SPANISH), ("a2.jpg", QUEENS), ("x.jpg", &wrong)]);
        assert_eq!(
            groups.iter().map(|group| group.sheets.clone()).collect::<Vec<_>>(),
            [vec![vec![0], vec![2]], vec![vec![1]]]
        );
    }

    #[test]
    fn names_help_where_the_moves_leave_it_open() {
        let half: String = SPANISH
            .split(' ')
            .take(10)
            .chain(["a4", "h6", "Qe2", "Qe8", "Kh1", "Kh8", "Rd1", "Ra7", "g3", "g6"])
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(groups(&[("one.jpg", SPANISH), ("two.jpg", &half)]).len(), 2);
        assert_eq!(groups(&[("r1-b1-white.jpg", SPANISH), ("r1-b1-black.jpg", &half)]).len(), 1);
        assert_eq!(groups(&[("r1-b1-white.jpg", SPANISH), ("r1-b1-black.jpg", QUEENS)]).len(), 2);
    }

    #[test]
    fn a_late_page_follows_a_full_one() {
        let mut late = page("");
        (late.first, late.last) = (41, 80);
        let mut full = page(&"e4 ".repeat(80));
        full.last = 40;
        assert!(may_follow(&late, &full));
        assert!(!may_follow(&late, &page(SPANISH)));
    }
}
