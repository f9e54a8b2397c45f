//! Pages that start late, such as at move 31: behind which sheet they belong.

use super::group::{Candidate, Group, LATE, append, may_follow};
use super::journal::{Done, Entry};
use super::{Batch, Pages, games, pool};
use crate::error::Result;
use crate::hex::hex;
use sha2::{Digest, Sha256};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Share of clear moves on a late page from which it continues a sheet. Behind a sheet of another game hardly any
/// move is legal.
const FITS: f32 = 0.2;
/// Sheets that a page is tried behind; those of a like name come first.
const TRIED: usize = 200;

/// Puts every late page behind the sheet whose game it continues; one that continues none is a group of its own.
pub(super) fn place_late(
    batch: &Batch,
    pages: &Pages,
    candidates: &[Candidate],
    groups: &mut Vec<Group>,
    done: &Done,
) -> Result<()> {
    let late: Vec<usize> = (0..candidates.len()).filter(|&page| candidates[page].record.first >= LATE).collect();
    let firsts: Vec<usize> = groups.iter().flat_map(|group| &group.sheets).map(|sheet| sheet[0]).collect();
    let placed = Mutex::new(Vec::new());
    pool::each(&late, batch.settings.jobs, batch.stop, |&page| {
        let after = follows(batch, pages, candidates, page, &firsts, done)?;
        placed.lock().unwrap_or_else(PoisonError::into_inner).push((page, after));
        Ok(())
    })?;
    let mut placed = placed.into_inner().unwrap_or_else(PoisonError::into_inner);
    placed.sort_unstable();
    for (page, after) in placed {
        let home = after.and_then(|first| {
            let group = groups.iter().position(|group| group.sheets.iter().any(|sheet| sheet.contains(&first)))?;
            Some((group, first))
        });
        match home {
            Some((group, first)) => append(&mut groups[group], page, first, candidates),
            None => groups.push(Group { sheets: vec![vec![page]], ..Group::default() }),
        }
    }
    Ok(())
}

/// The first page behind which a late page fits best.
fn follows(
    batch: &Batch,
    pages: &Pages,
    candidates: &[Candidate],
    late: usize,
    firsts: &[usize],
    done: &Done,
) -> Result<Option<usize>> {
    let is = |&first: &usize| may_follow(candidates[late].record, candidates[first].record);
    let mut among: Vec<usize> = firsts.iter().copied().filter(is).collect();
    among.sort_by_key(|&first| (candidates[first].hints.stem != candidates[late].hints.stem, first));
    among.truncate(TRIED);
    let hash = |page: usize| pages.photos[page].hash.clone();
    let mut hasher = Sha256::new();
    among.iter().for_each(|&first| hasher.update(hash(first)));
    let name = hex(&hasher.finalize()[..16]);
    if let Some(after) = done.follows.get(&(hash(late), name.clone())) {
        return Ok(among.into_iter().find(|&first| Some(hash(first)) == *after));
    }
    let mut best: Option<(f32, usize)> = None;
    for first in among {
        if batch.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (before, after) = (batch.page_file(pages.photos[first])?, batch.page_file(pages.photos[late])?);
        let (Some(before), Some(after)) = (before, after) else { continue };
        let fit = games::fit(before, after, &batch.settings.read.decode);
        if fit >= FITS && best.is_none_or(|(other, _)| fit > other) {
            best = Some((fit, first));
        }
    }
    let after = best.map(|(_, first)| first);
    let entry = Entry::Follows { reader: batch.reader.clone(), hash: hash(late), among: name, after: after.map(hash) };
    batch.journal.add(&entry)?;
    Ok(after)
}
