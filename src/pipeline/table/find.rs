//! The table of moves on a photo, whichever way the photo was taken.
//!
//! The photo is tried as it is first. Where its lines run askew, or its numbers cannot be read, the sheet is laid flat
//! and turned until they can: the printed numbers are the judge of every try.

use super::afar::Looked;
use super::found::{Found, UPRIGHT};
use super::grid::Known;
use super::hint::PageHint;
use super::search::Search;
use crate::error::Result;
use crate::pipeline::page::Page;
use crate::pipeline::page::flatten;
use crate::pipeline::page::paper;
use crate::pipeline::photo::ingest::Photo;
use crate::pipeline::recognise::Recogniser;
use crate::pipeline::watch::Watch;
use crate::pipeline::{NUMBERS_READ, Timing, timed};
use std::cell::OnceCell;

/// Finds the table of moves; where it is known to go on from others on the same page, these come before it.
///
/// # Errors
/// [`crate::error::Error::NoTable`] where none is found any way up, and as [`Recogniser::read`].
pub(crate) fn find(
    photo: &Photo,
    hint: &PageHint,
    recogniser: &dyn Recogniser,
    timing: &mut Timing,
    watch: &Watch,
) -> Result<Vec<Found>> {
    hint.check()?;
    let known = Known { table: None, rows: hint.rows, columns: hint.columns };
    let mut search = Search::new(recogniser, timing, watch);
    search.known = known;
    watch.at("page")?;
    if let Some(quad) = &hint.quad {
        let (flat, [left, right, top, bottom]) = flatten::within(quad, photo.grey.dimensions())?;
        search.known.table = Some([left, right, top, bottom]);
        let page = timed(search.timing, "page", || Page::flattened(photo, &flat, 0));
        search.try_page(page)?;
        return search.end(photo);
    }
    let plain = timed(search.timing, "page", || Page::new(photo, 0));
    let flat = OnceCell::new();
    let flat = || flat.get_or_init(|| flatten::find(&plain));
    let looked = search.try_page_until(&plain, || flat().is_some())?;
    if !matches!(looked, Looked::FromAfar)
        && search.best.as_ref().is_some_and(|found| found.is_sure() && !found.may_show_better_flat())
    {
        return search.end(photo);
    }
    if let Some(tables) = search.earlier(photo)? {
        return Ok(tables);
    }
    let flat_page = timed(search.timing, "flatten", flat)
        .as_ref()
        .map(|flat| timed(search.timing, "page", || Page::flattened(photo, flat, 0)));
    let is_flat = flat_page.is_some();
    let mut laid: Vec<Page> = search.smoothed(flat_page.as_ref().unwrap_or(&plain), photo).into_iter().collect();
    laid.extend(flat_page.clone());
    // Paper that is no form is told at once, whichever way it lies.
    if !search.is_read() && !search.writing_is_plain()? {
        let pages: Vec<&Page> = flat_page.iter().chain([&plain]).collect();
        if search.try_no_form(&pages, &laid)? {
            return search.end(photo);
        }
    }
    let mut flat_pages = Vec::new();
    let mut upright = false;
    if !laid.is_empty() {
        // Askew, the grid may have caught a part of the table: the flat page must prove itself first.
        let askew = search.best.take();
        for page in laid {
            if !upright || !search.is_whole() {
                upright |= search.try_flat(page, &mut flat_pages)?;
            }
        }
        // Lines of what the sheet lies on may have told how it lies.
        if (!upright || !search.is_whole())
            && is_flat
            && let Some(page) = search.smoothed(&plain, photo)
        {
            upright |= search.try_flat(page, &mut flat_pages)?;
        }
        if let Some(found) = askew {
            // No page that was laid flat does better.
            if found.only_leaves_its_lines() && !search.is_whole() {
                search.best = Some(found);
                return search.end(photo);
            }
            search.offer_askew(found)?;
        }
        if let Looked::Later(rows) = &looked
            && !search.is_whole()
        {
            search.try_from_afar(&plain, rows)?;
        }
        if let Some(tables) = search.earlier(photo)? {
            return Ok(tables);
        }
    } else {
        upright = search.writing_is_plain()?;
    }
    if !upright || !search.is_whole() {
        // Where the lines do not tell how the sheet lies, its edges may.
        let edges = || paper::outline(&photo.grey).and_then(|quad| flatten::sheet(&quad, photo.grey.dimensions()));
        if let Some(flat) = timed(search.timing, "flatten", edges) {
            let page = timed(search.timing, "page", || Page::flattened(photo, &flat, 0));
            for page in search.smoothed(&page, photo).into_iter().chain([page]) {
                if upright {
                    let turns = search.best.as_ref().map_or(0, |found| found.page.quarter_turns);
                    search.try_page_twice(&page.turned(turns))?;
                    flat_pages.push(page);
                } else {
                    upright = search.try_flat(page, &mut flat_pages)?;
                }
            }
        }
    }
    // A flat page that was tried all ways up leaves little to the photo as it is.
    let enough = if flat_pages.is_empty() { UPRIGHT } else { NUMBERS_READ };
    for turns in search.turns.into_iter().filter(|&turns| turns != 0) {
        if upright || search.best.as_ref().is_some_and(|found| found.anchor.evidence > enough) {
            break;
        }
        watch.at("page")?;
        let page = timed(search.timing, "page", || Page::new(photo, turns));
        search.try_page_twice(&page)?;
        upright = search.writing_is_plain()?;
    }
    if let Some(page) = search.upside_down().filter(|_| upright) {
        search.try_page(page)?;
    }
    let pages: Vec<Page> = flat_pages.into_iter().chain([plain]).collect();
    // Half a table reads as well: its numbers would tell of the other half.
    let turns = search.best.as_ref().map_or(0, |found| found.page.quarter_turns);
    for page in pages.iter().filter(|_| upright) {
        if search.is_whole() {
            break;
        }
        search.try_unruled(&page.turned(turns))?;
    }
    let told_by_lines = upright;
    for (index, turns) in [(0, 0), (1, 0), (2, 0), (0, 2), (1, 2), (0, 1), (0, 3)] {
        if upright || search.is_sure() {
            break;
        }
        if let Some(page) = pages.get(index) {
            search.try_ink(page.turned(turns))?;
            // On another page the rest may show.
            upright = search.writing_is_plain()? && !search.is_partial();
        }
    }
    if let Some(page) = search.upside_down().filter(|_| upright && !told_by_lines) {
        search.try_ink(page)?;
    }
    search.end(photo)
}
