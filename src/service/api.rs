//! The addresses under /v1 and those for operators. What they take and give is written down in openapi.json.

use super::guard::{COOKIE, Owner, is_key};
use super::problem::Problem;
use super::store::{Job, Kind, PAGE, State as JobState};
use super::{Service, corrections, pictures, upload};
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Extension, FromRequest, Multipart, Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use futures_util::Stream;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

pub(super) type App = State<Arc<Service>>;
pub(super) type Answer = Result<Response, Problem>;

/// How often a watched job is looked at that another process may be reading.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Most games of one export that names them.
const EXPORT: usize = 5000;

/// All routes.
pub fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/v1/jobs", get(list).post(add))
        .route("/v1/jobs/{id}", get(show).delete(delete))
        .route("/v1/jobs/{id}/cancel", post(cancel))
        .route("/v1/jobs/{id}/read-again", post(corrections::read_again))
        .route("/v1/jobs/{id}/events", get(events))
        .route("/v1/jobs/{id}/game", get(game))
        .route("/v1/jobs/{id}/pgn", get(pgn))
        .route("/v1/jobs/{id}/review", get(corrections::review_of))
        .route("/v1/jobs/{id}/pins", put(corrections::set_pins))
        .route("/v1/jobs/{id}/pages/{sheet}/{page}", get(pictures::page_picture))
        .route("/v1/jobs/{id}/cells/{sheet}/{number}/{colour}", get(pictures::cell_picture))
        .route("/v1/export.pgn", get(export))
        .route("/v1/session", get(session).post(sign_in).delete(sign_out))
        .route("/healthz", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

/// Runs what waits for disk or works for long on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let next = "Try again; the server's log says more.";
        Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "The request could not be carried out.", next))
    })
}

pub(super) fn find(service: &Service, owner: &Owner, id: &str) -> Result<Job, Problem> {
    service.store.job(&owner.0, id)?.ok_or_else(|| Problem::not_found("such job"))
}

pub(super) fn find_done(service: &Service, owner: &Owner, id: &str) -> Result<Job, Problem> {
    let job = find(service, owner, id)?;
    if job.state == JobState::Done { Ok(job) } else { Err(Problem::not_done(&job)) }
}

async fn add(State(service): App, Extension(owner): Extension<Owner>, request: Request) -> Answer {
    // The queue is looked at before the body is taken in.
    let (shared, of_one) = (Arc::clone(&service), owner.clone());
    let admitted = blocking(move || {
        let busy = |status, detail: &str| Err(Problem::new(status, "busy", detail, "Try again in a few seconds."));
        if shared.store.count(JobState::Queued, None)? >= shared.settings.queue {
            return busy(StatusCode::SERVICE_UNAVAILABLE, "Too many jobs are waiting.");
        }
        if shared.store.count(JobState::Queued, Some(&of_one.0))? >= shared.settings.queue_of_one {
            return busy(StatusCode::TOO_MANY_REQUESTS, "Too many of your jobs are waiting.");
        }
        Ok(())
    });
    let upload = match admitted.await {
        Ok(()) => match Multipart::from_request(request, &service).await {
            Ok(body) => upload::receive(body, &service.settings, &service.taking_in).await,
            Err(_) => Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "not-multipart",
                "The body is not multipart/form-data.",
                "Send the photos as fields of a form, as in curl -F sheet=@photo.jpg.",
            )),
        },
        Err(problem) => Err(problem),
    };
    let upload = upload.inspect_err(|_| service.metrics.refused())?;
    let shared = Arc::clone(&service);
    let (job, new) = blocking(move || {
        let language = upload.language.as_deref();
        Ok(shared.store.add(Kind::Game, &owner.0, &upload.hash, language, &upload.photos)?)
    })
    .await?;
    if new {
        service.wake.notify_one();
    }
    let status = if new { StatusCode::ACCEPTED } else { StatusCode::OK };
    let location = [(header::LOCATION, format!("/v1/jobs/{}", job.id))];
    Ok((status, location, Json(job)).into_response())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    #[serde(default)]
    q: String,
    state: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
}

async fn list(
    State(service): App,
    Extension(owner): Extension<Owner>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Answer {
    let Query(query) = query.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let state = match query.state.as_deref() {
        None | Some("") => None,
        Some(name) => {
            Some(JobState::find(name).ok_or_else(|| Problem::bad_request(format!("There is no state {name:?}.")))?)
        }
    };
    let limit = query.limit.unwrap_or(50).clamp(1, PAGE);
    let jobs =
        blocking(move || Ok(service.store.list(&owner.0, &query.q, state, query.after.as_deref(), limit)?)).await?;
    let next = if jobs.len() == limit { jobs.last().map(|job| job.id.clone()) } else { None };
    Ok(Json(serde_json::json!({ "jobs": jobs, "next": next })).into_response())
}

async fn show(State(service): App, Extension(owner): Extension<Owner>, Path(id): Path<String>) -> Answer {
    Ok(Json(blocking(move || find(&service, &owner, &id)).await?).into_response())
}

async fn delete(State(service): App, Extension(owner): Extension<Owner>, Path(id): Path<String>) -> Answer {
    blocking(move || {
        let gone = service.store.delete(&owner.0, &id)?;
        pictures::forget(&service, &id);
        service.desks.forget(&id);
        service.tell(&id);
        if gone { Ok(()) } else { Err(Problem::not_found("such job")) }
    })
    .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn cancel(State(service): App, Extension(owner): Extension<Owner>, Path(id): Path<String>) -> Answer {
    let job = blocking(move || {
        service.store.cancel(&owner.0, &id)?;
        service.tell(&id);
        find(&service, &owner, &id)
    })
    .await?;
    Ok(Json(job).into_response())
}

/// The job at once and after every change, until it is over.
async fn events(
    State(service): App,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let changes = service.changes.subscribe();
    let (shared, of_one, first) = (Arc::clone(&service), owner.clone(), id.clone());
    blocking(move || find(&shared, &of_one, &first)).await?;
    let stream = futures_util::stream::unfold((changes, None::<Job>), move |(mut changes, mut told)| {
        let (service, owner, id) = (Arc::clone(&service), owner.clone(), id.clone());
        async move {
            if told.as_ref().is_some_and(|job| job.state.is_over()) {
                return None;
            }
            loop {
                if told.is_some() && !changed(&service, &mut changes, &id).await {
                    return None;
                }
                let (shared, owner, id) = (Arc::clone(&service), owner.clone(), id.clone());
                let job = blocking(move || find(&shared, &owner, &id)).await.ok()?;
                if told.as_ref() != Some(&job) {
                    told = Some(job);
                    break;
                }
            }
            let event = Event::default().event("job").json_data(told.as_ref()?).ok()?;
            Some((Ok(event), (changes, told)))
        }
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

/// Waits until a job may have changed; false if no change will be told any more.
async fn changed(service: &Service, changes: &mut Receiver<String>, id: &str) -> bool {
    loop {
        let next = match &service.settings.database {
            // Other processes tell nobody.
            Some(_) => match tokio::time::timeout(LOOK_AGAIN, changes.recv()).await {
                Ok(next) => next,
                Err(_) => return !service.stopping.load(Ordering::Relaxed),
            },
            None => changes.recv().await,
        };
        match next {
            _ if service.stopping.load(Ordering::Relaxed) => return false,
            Ok(changed) if changed == id => return true,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return true,
            Err(RecvError::Closed) => return false,
        }
    }
}

async fn game(State(service): App, Extension(owner): Extension<Owner>, Path(id): Path<String>) -> Answer {
    let reviewed = blocking(move || {
        let job = find_done(&service, &owner, &id)?;
        Ok(service.store.game(&job.id)?)
    })
    .await?;
    Ok(Json(reviewed.game).into_response())
}

async fn pgn(State(service): App, Extension(owner): Extension<Owner>, Path(id): Path<String>) -> Answer {
    let reviewed = blocking(move || {
        let job = find_done(&service, &owner, &id)?;
        Ok(service.store.game(&job.id)?)
    })
    .await?;
    Ok(pgn_file("game.pgn", reviewed.game.pgn))
}

fn pgn_file(name: &str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, text).into_response()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportQuery {
    /// Separated by commas; all that are done if none.
    ids: Option<String>,
}

async fn export(
    State(service): App,
    Extension(owner): Extension<Owner>,
    query: Result<Query<ExportQuery>, QueryRejection>,
) -> Answer {
    let Query(query) = query.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let text = blocking(move || {
        let mut ids: Vec<String> = Vec::new();
        match query.ids {
            Some(named) => {
                let named: Vec<&str> = named.split(',').filter(|id| !id.is_empty()).collect();
                if named.len() > EXPORT {
                    return Err(Problem::bad_request(format!("An export names at most {EXPORT} games.")));
                }
                for id in named {
                    ids.push(find_done(&service, &owner, id)?.id);
                }
            }
            None => loop {
                let after = ids.last().cloned();
                let page = service.store.list(&owner.0, "", Some(JobState::Done), after.as_deref(), PAGE)?;
                let more = page.len() == PAGE;
                ids.extend(page.into_iter().map(|job| job.id));
                if !more {
                    // Oldest first, as the photos came in.
                    ids.reverse();
                    break;
                }
            },
        }
        let mut text = String::new();
        for id in ids {
            match service.store.game(&id) {
                // Deleted, or read again, since it was listed.
                Err(error) if error.is_gone() => {}
                game => text.push_str(&game?.game.pgn),
            }
        }
        Ok(text)
    })
    .await?;
    Ok(pgn_file("games.pgn", text))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignIn {
    key: String,
}

async fn session(State(service): App) -> Response {
    Json(serde_json::json!({ "key_needed": service.settings.keys.is_some() })).into_response()
}

async fn sign_in(State(service): App, body: Result<Json<SignIn>, JsonRejection>) -> Answer {
    let Json(SignIn { key }) = body.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    if !key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') || !is_key(&service, &key) {
        let next = "Check the key, or ask whoever runs the service for one.";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "key-needed", "This key is not known.", next));
    }
    Ok(with_cookie(&format!("{COOKIE}={key}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000")))
}

async fn sign_out() -> Response {
    with_cookie(&format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"))
}

fn with_cookie(cookie: &str) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

async fn ready(State(service): App) -> Answer {
    let ready = blocking(move || Ok(service.store.is_ready() && !service.stopping.load(Ordering::Relaxed))).await?;
    if ready {
        return Ok("ready\n".into_response());
    }
    Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not-ready", "The service is not ready.", "Try again soon."))
}

async fn metrics(State(service): App) -> Answer {
    let text = blocking(move || Ok(service.metrics.text(&service.store))).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}
