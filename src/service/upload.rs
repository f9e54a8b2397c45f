//! The multipart body of an upload.

use super::Settings;
use super::problem::Problem;
use super::store::PhotoEntry;
use crate::game::Colour;
use crate::hex::hex;
use crate::notation::Language;
use crate::pipeline::photo::apart;
use crate::pipeline::{PhotoFile, photo::ingest};
use axum::extract::Multipart;
use axum::extract::multipart::MultipartError;
use axum::http::StatusCode;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A checked upload.
pub struct Upload {
    pub photos: Vec<(PhotoEntry, Vec<u8>)>,
    pub language: Option<String>,
    /// Of all that matters in the upload, in hexadecimal.
    pub hash: String,
}

/// A sheet's keeper, and name and bytes of its pages.
type Pages = (Option<Colour>, Vec<(String, Vec<u8>)>);

/// Longest file name that is kept, in characters.
const NAME: usize = 120;

/// Reads and checks an upload: fields `sheet`, `white` and `black` hold a photo each, pages in order, `language` an
/// ISO 639 code. Photos are decoded to see how many sheets they show, each in its turn.
///
/// # Errors
/// A problem for a body that is malformed, too large, or holds what is no picture.
pub async fn receive(mut body: Multipart, settings: &Settings, turns: &Arc<Semaphore>) -> Result<Upload, Problem> {
    let mut sheets: [Pages; 3] =
        [(None, Vec::new()), (Some(Colour::White), Vec::new()), (Some(Colour::Black), Vec::new())];
    let mut language = None;
    while let Some(field) = body.next_field().await.map_err(broken)? {
        let sheet = match field.name() {
            Some("sheet") => 0,
            Some("white") => 1,
            Some("black") => 2,
            Some("language") => {
                let code = field.text().await.map_err(broken)?;
                language = Some(code).filter(|code| !code.is_empty());
                continue;
            }
            other => {
                let name = other.unwrap_or_default().to_owned();
                return Err(Problem::bad_request(format!(
                    "The field {name:?} is not known: send sheet, white, black or language."
                )));
            }
        };
        let name = shown_name(field.file_name().unwrap_or("photo"));
        let bytes = field.bytes().await.map_err(broken)?.to_vec();
        let limits = settings.limits;
        let turn = Arc::clone(turns).acquire_owned().await;
        let sheets_of = move || {
            // Given back when the work is done, even if the client has gone.
            let _turn = turn;
            Ok(apart::sheets(PhotoFile::new(name, bytes), &limits)?)
        };
        let photos = super::api::blocking(sheets_of).await?;
        if sheets.iter().map(|(_, pages)| pages.len()).sum::<usize>() + photos.len() > settings.pages {
            let detail = format!("The upload holds more than {} photos.", settings.pages);
            let next = "Send each game on its own.";
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-many-photos", detail, next));
        }
        for photo in photos {
            ingest::check(&photo.name, &photo.bytes, &settings.limits)?;
            sheets[sheet].1.push((photo.name, photo.bytes));
        }
    }
    if let Some(code) = language.as_deref().filter(|code| Language::find(code).is_none()) {
        let next = "Send an ISO 639 code such as de, or leave it out.";
        let detail = format!("The piece letters of {code:?} are not known.");
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "language", detail, next));
    }
    let mut digest = Sha256::new();
    digest.update(language.as_deref().unwrap_or_default());
    let mut photos = Vec::new();
    for (sheet, (keeper, pages)) in sheets.into_iter().filter(|(_, pages)| !pages.is_empty()).enumerate() {
        digest.update([0xff, keeper.map_or(0, |colour| colour as u8 + 1)]);
        for (page, (name, bytes)) in pages.into_iter().enumerate() {
            digest.update(Sha256::digest(&bytes));
            photos.push((PhotoEntry { sheet, page, keeper, name, hint: None }, bytes));
        }
    }
    if photos.is_empty() {
        return Err(Problem::bad_request("The upload holds no photo."));
    }
    let hash = hex(&digest.finalize());
    Ok(Upload { photos, language, hash })
}

/// The last part of a path, without control characters. It is shown, never used as a path.
fn shown_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).take(NAME).collect();
    if clean.is_empty() { "photo".to_owned() } else { clean }
}

fn broken(error: MultipartError) -> Problem {
    let status = error.status();
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        let detail = "The upload is larger than this service takes.";
        return Problem::new(status, "too-large", detail, "Send fewer or smaller photos at once.");
    }
    Problem::new(StatusCode::BAD_REQUEST, "malformed", format!("The upload is malformed: {error}."), "Send it again.")
}
