//! Who may come in, and what every answer carries.

use super::Service;
use super::problem::{PROBLEM, Problem};
use crate::error::{Error, Result};
use crate::hex::hex;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The cookie that carries a key for browsers.
pub const COOKIE: &str = "scoresheet_key";

/// Longest sentence of the router, in bytes.
const SENTENCE: usize = 1024;

/// API keys: the owner's name by the SHA-256 of the key, in hexadecimal. Keys are random, so a plain hash is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(HashMap<String, String>);

impl Keys {
    /// Reads a file with a line `name hash` for each key; `#` begins a comment.
    ///
    /// # Errors
    /// [`Error::Open`] for the file, [`Error::Usage`] for a line that is not understood.
    pub fn load(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).map_err(|cause| Error::Open { path: path.display().to_string(), cause })?;
        let mut keys = HashMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [name, hash] if hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
                    keys.insert(hash.to_ascii_lowercase(), name.to_owned());
                }
                _ => {
                    return Err(Error::Usage(format!(
                        "{}: \"{line}\" is not a name and a key's hash. `scoresheet serve --new-key NAME` prints such a line.",
                        path.display()
                    )));
                }
            }
        }
        if keys.is_empty() {
            return Err(Error::Usage(format!(
                "{} holds no key, so nobody could use the service. `scoresheet serve --new-key NAME` prints a line for it.",
                path.display()
            )));
        }
        Ok(Self(keys))
    }

    /// A new key for an owner: the key, which is shown once, and the line for the file of keys.
    ///
    /// # Errors
    /// [`Error::Usage`] if the name holds white space or the system gives no random bytes.
    pub fn make(name: &str) -> Result<(String, String)> {
        if name.is_empty() || name.contains(char::is_whitespace) || name.starts_with('#') {
            return Err(Error::Usage(format!("\"{name}\" is no name for a key. Use one word.")));
        }
        let id = super::store::new_id().map_err(|error| Error::Usage(error.to_string()))?;
        let key = format!("ssk_{id}");
        let line = format!("{name} {}", hash(&key));
        Ok((key, line))
    }

    /// The owner of a key.
    fn owner(&self, key: &str) -> Option<&str> {
        self.0.get(&hash(key)).map(String::as_str)
    }
}

fn hash(key: &str) -> String {
    hex(&Sha256::digest(key.as_bytes()))
}

/// Whose jobs a request is about; empty where no keys are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner(pub String);

/// Puts the checks around all routes, and the headers on all answers.
pub fn wrap(routes: Router<Arc<Service>>, service: &Arc<Service>) -> Router<Arc<Service>> {
    routes
        .fallback(|| async { Problem::not_found("such address") })
        .layer(from_fn_with_state(Arc::clone(service), check))
        .layer(DefaultBodyLimit::max(service.settings.body))
}

async fn check(State(service): State<Arc<Service>>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = match admit(&service, &request) {
        Ok(owner) => {
            request.extensions_mut().insert(owner);
            as_problem(next.run(request).await).await
        }
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| drop(headers.insert(name, HeaderValue::from_static(value)));
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()");
    set(
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    if path.starts_with("/v1/") && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// What the router refuses by itself, said as everything else that is refused.
async fn as_problem(response: Response) -> Response {
    let (status, allowed) = (response.status(), response.headers().get(header::ALLOW).cloned());
    let is_plain = response.headers().get(header::CONTENT_TYPE).is_none_or(|kind| kind != PROBLEM);
    match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            let next = "See /v1/openapi.json for what is expected.";
            let detail = "This address does not take the method of the request.";
            let mut response = Problem::new(status, "method-not-allowed", detail, next).into_response();
            allowed.map(|methods| response.headers_mut().insert(header::ALLOW, methods));
            response
        }
        StatusCode::BAD_REQUEST if is_plain => {
            let body = axum::body::to_bytes(response.into_body(), SENTENCE).await.unwrap_or_default();
            Problem::bad_request(format!("{}.", String::from_utf8_lossy(&body))).into_response()
        }
        _ => response,
    }
}

/// The owner of a request that may come in.
fn admit(service: &Service, request: &Request) -> std::result::Result<Owner, Problem> {
    let headers = request.headers();
    let forbidden = |detail: &str, next: &str| Problem::new(StatusCode::FORBIDDEN, "forbidden", detail, next);
    // A page elsewhere may point a name of its own at this machine; browsers then send that name.
    let host = request.uri().host().or_else(|| text(headers, header::HOST).map(without_port)).unwrap_or_default();
    if !is_own_name(host, &service.settings.hosts) {
        let next = "Start the service with --host-name and the name that browsers use.";
        return Err(forbidden(&format!("The service does not answer to the name {host:?}."), next));
    }
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let site = text(headers, HeaderName::from_static("sec-fetch-site"));
    let origin = text(headers, header::ORIGIN).map(|origin| without_port(origin.split("://").last().unwrap_or(origin)));
    let foreign = site.is_some_and(|site| !matches!(site, "same-origin" | "none"))
        || origin.is_some_and(|origin| !origin.eq_ignore_ascii_case(host));
    if !safe && foreign {
        return Err(forbidden("A page of another site may not change anything here.", "Use the service's own page."));
    }
    let Some(keys) = &service.settings.keys else { return Ok(Owner(String::new())) };
    let needs_key = request.uri().path().starts_with("/v1/") || request.uri().path() == "/metrics";
    if !needs_key || matches!(request.uri().path(), "/v1/openapi.json" | "/v1/session") {
        return Ok(Owner(String::new()));
    }
    let bearer = text(headers, header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let key = bearer.or_else(|| cookie(headers));
    key.and_then(|key| keys.owner(key)).map(|name| Owner(name.to_owned())).ok_or_else(|| {
        let next = "Send the header Authorization: Bearer KEY, or enter the key on the page.";
        Problem::new(StatusCode::UNAUTHORIZED, "key-needed", "This service asks for a key.", next)
    })
}

/// True if a key is known to the service, or if it needs none.
pub fn is_key(service: &Service, key: &str) -> bool {
    service.settings.keys.as_ref().is_none_or(|keys| keys.owner(key).is_some())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let pairs = text(headers, header::COOKIE)?.split(';');
    pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Names of the loopback interface, addresses, and the names given.
fn is_own_name(host: &str, names: &[String]) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok()
        || names.iter().any(|name| name.eq_ignore_ascii_case(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_hash() {
        let (key, line) = Keys::make("club").unwrap();
        let path = std::env::temp_dir().join(format!("keys-{}", std::process::id()));
        std::fs::write(&path, format!("# keys\n\n{line}\n")).unwrap();
        let keys = Keys::load(&path).unwrap();
        assert_eq!(keys.owner(&key), Some("club"));
        assert_eq!(keys.owner("ssk_0"), None);
        assert!(!line.contains(&key), "the key itself is not stored");
        std::fs::write(&path, "club secret").unwrap();
        assert!(Keys::load(&path).is_err());
        std::fs::write(&path, "# nobody yet\n").unwrap();
        assert!(Keys::load(&path).unwrap_err().to_string().contains("holds no key"));
        std::fs::remove_file(path).unwrap();
        assert!(Keys::make("two words").is_err());
    }

    #[test]
    fn names_are_told_from_addresses() {
        for host in ["localhost", "127.0.0.1", "[::1]", "192.168.1.20", "sheets.club"] {
            assert!(is_own_name(without_port(&format!("{host}:8080")), &["sheets.club".to_owned()]), "{host}");
        }
        assert!(!is_own_name("evil.example", &[]));
        assert_eq!(without_port("[::1]"), "[::1]");
    }
}
