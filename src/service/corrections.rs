//! Reviews of games, and the corrections that people make.

use super::Service;
use super::api::{Answer, App, blocking, find, find_done};
use super::guard::Owner;
use super::problem::Problem;
use super::store::{Job, PhotoEntry};
use crate::decode;
use crate::game::Quad;
use crate::notation::Language;
use crate::pipeline::page::flatten;
use crate::pipeline::photo::ingest;
use crate::pipeline::table::hint::PageHint;
use crate::review::{CellName, Desk, Pin, Reviewed};
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use cozy_chess::Board;
use cozy_chess::util::parse_uci_move;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most pins of a job: far more than a game has moves.
const PINS: usize = 4000;

/// A game with all that a review needs.
#[derive(Debug, Serialize)]
struct Review {
    pins: Vec<Pin>,
    /// Where each ply is written.
    cells: Vec<CellName>,
    /// The position at the start, and behind every ply (that of the last legal move behind what is no move).
    fens: Vec<String>,
    game: crate::game::Game,
}

impl Review {
    fn new(pins: Vec<Pin>, reviewed: Reviewed) -> Self {
        let Reviewed { game, cells } = reviewed;
        let mut board: Board = game.start_fen.as_deref().and_then(|fen| fen.parse().ok()).unwrap_or_default();
        let mut fens = vec![board.to_string()];
        for ply in &game.plies {
            if let Some(mv) = ply.uci.as_deref().and_then(|uci| parse_uci_move(&board, uci).ok()) {
                // UCI from the decoder is legal.
                board.play_unchecked(mv);
            }
            fens.push(board.to_string());
        }
        Self { pins, cells, fens, game }
    }
}

pub(super) async fn review_of(
    State(service): App,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Answer {
    let opened = Arc::clone(&service);
    let (job, review) = blocking(move || {
        let job = find_done(&service, &owner, &id)?;
        let review = Review::new(service.store.pins(&job.id)?, service.store.game(&job.id)?);
        Ok((job, review))
    })
    .await?;
    // Corrections will follow: the first one need not wait for what all of them share.
    let pins = review.pins.clone();
    drop(tokio::task::spawn_blocking(move || desk_of(&opened, &job)?.game(&pins).map_err(Problem::from)));
    Ok(Json(review).into_response())
}

/// The job's game ready for corrections.
fn desk_of(service: &Service, job: &Job) -> Result<Arc<Desk>, Problem> {
    service.desks.of(job, || {
        let ink = service.store.ink(&job.id)?;
        // The language that was found first, if the sheets share one: finding it again takes several times as long.
        let known = || {
            let sheets = service.store.game(&job.id).ok()?.game.sheets;
            let first = sheets.first()?.language.clone();
            first.filter(|code| sheets.iter().all(|sheet| sheet.language.as_ref() == Some(code)))
        };
        let language = job.language.clone().or_else(known);
        Ok(Desk::new(ink, &decode::Options { language, ..decode::Options::default() }))
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pins {
    pins: Vec<Pin>,
}

pub(super) async fn set_pins(
    State(service): App,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    body: Result<Json<Pins>, JsonRejection>,
) -> Answer {
    let Json(Pins { pins }) = body.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    if pins.len() > PINS {
        return Err(Problem::bad_request(format!("A game takes at most {PINS} pins.")));
    }
    let review = blocking(move || {
        let job = find_done(&service, &owner, &id)?;
        let desk = desk_of(&service, &job)?;
        let reviewed = desk.game(&pins)?;
        service.store.set_pins(&job.id, &pins, &reviewed)?;
        Ok(Review::new(pins, reviewed))
    })
    .await?;
    Ok(Json(review).into_response())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAgain {
    language: Option<String>,
    /// Photos that are not named keep what was said about them before.
    #[serde(default)]
    hints: Vec<Hint>,
}

/// What a person says about the table on one photo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hint {
    sheet: usize,
    page: usize,
    quad: Option<Quad>,
    rows: Option<usize>,
    columns: Option<usize>,
}

/// Checks what is said about a table against its photo.
fn check(service: &Service, job: &str, entry: &PhotoEntry, hint: &PageHint) -> Result<(), Problem> {
    hint.check()?;
    if let Some(quad) = &hint.quad {
        let photo = service.store.photo(job, entry)?;
        flatten::within(quad, ingest::size(&entry.name, &photo, &service.settings.limits)?)?;
    }
    Ok(())
}

pub(super) async fn read_again(
    State(service): App,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    body: Result<Json<ReadAgain>, JsonRejection>,
) -> Answer {
    let Json(body) = body.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    if let Some(code) = body.language.as_deref().filter(|code| Language::find(code).is_none()) {
        return Err(Problem::bad_request(format!("The piece letters of {code:?} are not known.")));
    }
    let job = blocking(move || {
        let mut job = find(&service, &owner, &id)?;
        if !job.state.is_over() {
            return Err(Problem::not_done(&job));
        }
        for Hint { sheet, page, quad, rows, columns } in body.hints {
            let entry = job.photos.iter_mut().find(|entry| (entry.sheet, entry.page) == (sheet, page));
            let entry = entry.ok_or_else(|| Problem::not_found("such page"))?;
            let hint = PageHint { quad, rows, columns };
            check(&service, &id, entry, &hint)?;
            entry.hint = Some(hint);
        }
        service.store.read_again(&id, body.language.as_deref(), &job.photos)?;
        service.wake.notify_one();
        service.tell(&id);
        find(&service, &owner, &id)
    })
    .await?;
    Ok((StatusCode::ACCEPTED, Json(job)).into_response())
}
