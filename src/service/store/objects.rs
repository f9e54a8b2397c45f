//! Files as objects of a store that speaks the S3 protocol: MinIO, Ceph, Garage, AWS and others.
//!
//! The object of a file is named `PREFIX/JOB/NAME`. Every request may be sent twice without harm, so one that fails for
//! reasons that pass is sent again.

use super::encrypted::trusted;
use super::files::{Files, SCHEME};
use jiff::Timestamp;
use rusty_s3::actions::ListObjectsV2;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::time::Duration;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Tries of a request, and the wait after the first one; it grows fourfold.
const TRIES: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Longest time for one request: a large photo over a slow line.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest time until a server that is there answers at all.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// How long a signature is good. Clocks may differ by as much.
const SIGNED_FOR: Duration = Duration::from_secs(900);
/// Largest object that is read, in bytes: more than any upload.
const LARGEST: u64 = 256 << 20;

/// A bucket, or what lies below a prefix in it.
pub struct Objects {
    bucket: Bucket,
    credentials: Credentials,
    /// Ends with `/` if it is not empty.
    prefix: String,
    agent: Agent,
}

/// The methods that are needed.
#[derive(Clone, Copy)]
enum Ask<'a> {
    Get,
    Put(&'a [u8]),
    Delete,
}

fn variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
}

fn unusable(sentence: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidInput, sentence.into())
}

impl Objects {
    /// Reaches the bucket of an address such as `s3://bucket/prefix`. Endpoint, region and credentials are those of the
    /// environment: `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    ///
    /// # Errors
    /// Where one of them is missing, or the bucket cannot be reached or listed.
    pub fn open(address: &str) -> Result<Self> {
        let place = address.strip_prefix(SCHEME).unwrap_or(address);
        let (name, prefix) = place.split_once('/').unwrap_or((place, ""));
        if name.is_empty() {
            return Err(unusable(format!("\"{address}\" names no bucket. Write s3://bucket/prefix")));
        }
        let endpoint = variable(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]).ok_or_else(|| {
            unusable(
                "the address of the object store is not known. Set AWS_ENDPOINT_URL, such as https://s3.example.org",
            )
        })?;
        let url = endpoint.parse().map_err(|error| unusable(format!("AWS_ENDPOINT_URL is {endpoint}: {error}")))?;
        let region = variable(&["AWS_REGION", "AWS_DEFAULT_REGION"]).unwrap_or_else(|| "us-east-1".to_owned());
        let bucket = Bucket::new(url, UrlStyle::Path, name.to_owned(), region)
            .map_err(|error| unusable(format!("{address} at {endpoint}: {error}")))?;
        let credentials = Credentials::from_env().ok_or_else(|| {
            unusable("the key of the object store is not known. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        })?;
        let agent = Agent::config_builder()
            .tls_config(tls())
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .timeout_connect(Some(TO_CONNECT))
            .timeout_global(Some(PATIENCE))
            .build()
            .new_agent();
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let objects = Self { bucket, credentials, prefix, agent };
        objects.list("", Some(1))?;
        Ok(objects)
    }

    fn key(&self, job: &str, name: &str) -> String {
        format!("{}{job}/{name}", self.prefix)
    }

    /// Sends a signed request and returns the body of the answer.
    fn send<'a>(&'a self, action: &impl S3Action<'a>, ask: Ask) -> Result<Vec<u8>> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match self.send_once(action, ask) {
                Err(error) if error.kind() == ErrorKind::Interrupted => std::thread::sleep(wait),
                outcome => return outcome,
            }
            wait *= 4;
        }
        self.send_once(action, ask).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => Error::other(error.to_string()),
            _ => error,
        })
    }

    /// [`ErrorKind::Interrupted`] stands for what may go well the next time.
    fn send_once<'a>(&'a self, action: &impl S3Action<'a>, ask: Ask) -> Result<Vec<u8>> {
        let url = action.sign(SIGNED_FOR);
        // Without the signature.
        let shown = format!("{}{}", url.host_str().unwrap_or_default(), url.path());
        let failed = |error: ureq::Error| Error::new(ErrorKind::Interrupted, format!("{shown}: {error}"));
        let answer = match ask {
            Ask::Get => self.agent.get(url.as_str()).call(),
            Ask::Put(bytes) => self.agent.put(url.as_str()).send(bytes),
            Ask::Delete => self.agent.delete(url.as_str()).call(),
        };
        let mut answer = answer.map_err(failed)?;
        let body = answer.body_mut().with_config().limit(LARGEST).read_to_vec().map_err(failed)?;
        let status = answer.status();
        if status.is_success() {
            return Ok(body);
        }
        let kind = match status.as_u16() {
            404 => ErrorKind::NotFound,
            401 | 403 => ErrorKind::PermissionDenied,
            408 | 429 | 500.. => ErrorKind::Interrupted,
            _ => ErrorKind::Other,
        };
        Err(Error::new(kind, format!("{shown}: the object store answers {status} {}", code(&body))))
    }

    /// Keys below a prefix within that of the store, without the latter, each with the time of its last change.
    fn list(&self, below: &str, most: Option<usize>) -> Result<Vec<(String, Option<Timestamp>)>> {
        let mut found = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let mut action = ListObjectsV2::new(&self.bucket, Some(&self.credentials));
            action.with_prefix(format!("{}{below}", self.prefix));
            if let Some(token) = token {
                action.with_continuation_token(token);
            }
            if let Some(most) = most {
                action.with_max_keys(most);
            }
            let body = String::from_utf8_lossy(&self.send(&action, Ask::Get)?).into_owned();
            let page = ListObjectsV2::parse_response(&body)
                .map_err(|error| Error::other(format!("the object store gives no list: {error}")))?;
            for object in page.contents {
                if let Some(key) = object.key.strip_prefix(&self.prefix) {
                    found.push((key.to_owned(), object.last_modified.and_then(|time| time.parse().ok())));
                }
            }
            token = page.next_continuation_token;
            if token.is_none() || most.is_some() {
                return Ok(found);
            }
        }
    }
}

/// Trust in the certificates of the system, or in those of `SSL_CERT_FILE`.
fn tls() -> TlsConfig {
    let trusted: Vec<Certificate> = trusted().iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::Specific(Arc::new(trusted)))
        .build()
}

/// The store's word for an error, from its XML.
fn code(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    code.map_or(String::new(), |(code, _)| format!("({code})"))
}

impl Files for Objects {
    fn write(&self, job: &str, name: &str, bytes: &[u8]) -> Result<()> {
        let key = self.key(job, name);
        self.send(&self.bucket.put_object(Some(&self.credentials), &key), Ask::Put(bytes)).map(drop)
    }

    fn read(&self, job: &str, name: &str) -> Result<Vec<u8>> {
        let key = self.key(job, name);
        self.send(&self.bucket.get_object(Some(&self.credentials), &key), Ask::Get)
    }

    fn names(&self, job: &str) -> Result<Vec<String>> {
        let below = format!("{job}/");
        Ok(self
            .list(&below, None)?
            .into_iter()
            .filter_map(|(key, _)| Some(key.strip_prefix(&below)?.to_owned()))
            .collect())
    }

    fn remove(&self, job: &str, name: &str) -> Result<()> {
        let key = self.key(job, name);
        match self.send(&self.bucket.delete_object(Some(&self.credentials), &key), Ask::Delete) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn remove_job(&self, job: &str) -> Result<()> {
        self.names(job)?.iter().try_for_each(|name| self.remove(job, name))
    }

    fn jobs(&self, age: Duration) -> Result<Vec<String>> {
        let before = Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN);
        // By job, whether all its files are old.
        let mut jobs: BTreeMap<String, bool> = BTreeMap::new();
        for (key, changed) in self.list("", None)? {
            if let Some((job, _)) = key.split_once('/') {
                *jobs.entry(job.to_owned()).or_insert(true) &= changed.is_some_and(|time| time <= before);
            }
        }
        Ok(jobs.into_iter().filter(|(_, is_old)| *is_old || age.is_zero()).map(|(job, _)| job).collect())
    }
}
