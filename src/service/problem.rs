//! What went wrong, as an RFC 9457 problem document.

use super::store::{Job, State, StoreError};
use crate::error::Error;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

/// The content type of problem documents.
pub const PROBLEM: &str = "application/problem+json";

/// A problem document, with a member of its own that says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    pub detail: String,
    pub next_step: String,
}

impl Problem {
    pub fn new(status: StatusCode, kind: &str, detail: impl Into<String>, next_step: &str) -> Self {
        Self {
            kind: format!("urn:scoresheet:{kind}"),
            title: kind.replace('-', " "),
            status: status.as_u16(),
            detail: detail.into(),
            next_step: next_step.to_owned(),
        }
    }

    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", format!("There is no {what} here."), "Check the address.")
    }

    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", detail, "See /v1/openapi.json for what is expected.")
    }

    /// The job is not in a state that allows what was asked.
    pub fn not_done(job: &Job) -> Self {
        let why = job.problem.as_ref().map(|problem| format!(": {}", problem.detail)).unwrap_or_default();
        let (detail, next) = match job.state {
            State::Failed => (
                format!("The job failed, so there is no game{}", if why.is_empty() { "." } else { &why }),
                "POST /v1/jobs/{id}/read-again has it read once more, with hints where the table is; or send another photo.",
            ),
            State::Cancelled => {
                ("The job was cancelled, so there is no game.".to_owned(), "POST /v1/jobs/{id}/read-again has it read.")
            }
            state => (
                format!("The job is {}, so there is no game yet.", state.name()),
                "Wait until it is over; /v1/jobs/{id}/events tells when.",
            ),
        };
        Self::new(StatusCode::CONFLICT, "not-read", detail, next)
    }

    /// Reading a job brought the program down, time and again.
    pub fn crashed() -> Self {
        let detail = "Reading these photos stopped the program several times and was given up.";
        let next = "Save the photos anew as JPEG and send them again.";
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "given-up", detail, next)
    }

    /// Reading a job took longer than allowed.
    pub fn too_slow(seconds: u64) -> Self {
        let detail = format!("Reading was stopped after {seconds} seconds.");
        let next = "Send smaller photos or fewer pages, or raise --time-limit.";
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "too-slow", detail, next)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (status, kind) = match &error {
            Error::NotAPicture { .. } | Error::PhoneFormat { .. } => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-a-picture")
            }
            Error::Pdf { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "pdf"),
            Error::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "too-large"),
            Error::Damaged { .. } | Error::Empty { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "damaged"),
            Error::TooSmall { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "too-small"),
            Error::NoTable { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "no-table"),
            Error::Blank { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "blank"),
            Error::Unreadable { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "unreadable"),
            Error::StartsLate { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "starts-late"),
            Error::Pin(_) => (StatusCode::UNPROCESSABLE_ENTITY, "pin"),
            Error::Usage(_) => (StatusCode::BAD_REQUEST, "bad-request"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        // Messages end with what to do next: their last sentence.
        let text = error.to_string();
        let (detail, next) = match text.trim_end_matches('.').rsplit_once(". ") {
            Some((detail, next)) => (format!("{detail}."), format!("{next}.")),
            None => (text, "Send another photo.".to_owned()),
        };
        Self::new(status, kind, detail, &next)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "storage failed");
        let next = "Try again later; the server's log says more.";
        // It may be starting.
        let status = if error.passes() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::INTERNAL_SERVER_ERROR };
        Self::new(status, "storage", "Storage does not work at the moment.", next)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
        if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
        }
        response
    }
}
