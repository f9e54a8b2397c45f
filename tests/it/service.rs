//! The service over a real socket, with a recogniser that cannot misread.

use crate::fake::{BarReader, Form};
use crate::http::{Answer, multipart, send};
use crate::pipeline::{moves, sheet};
use scoresheet::error::Result;
use scoresheet::pipeline::cells::Crop;
use scoresheet::pipeline::recognise::Recogniser;
use scoresheet::reading::{Alphabet, Reading};
use scoresheet::service::{Keys, Service, Settings, serve};
use serde_json::{Value, json};
use std::io::Cursor;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// A form whose ply 21 is wrong.
fn form() -> Form {
    let mut wrong = moves();
    wrong[20] = "a1".to_owned();
    Form { pairs: 2, rows: 14, tilt: 0.0, moves: wrong, first_number: 1 }
}

pub fn photo() -> Vec<u8> {
    sheet(&form().photograph()).pages.remove(0).bytes
}

/// Reads bar codes, but slowly.
struct Slow(BarReader, Duration);

impl Recogniser for Slow {
    fn alphabet(&self) -> &Alphabet {
        self.0.alphabet()
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        std::thread::sleep(self.1);
        self.0.read(crops)
    }
}

/// A folder that goes when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("scoresheet-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&path));
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub fn start(settings: Settings, slow: Duration) -> (Arc<Service>, SocketAddr) {
    let service = Service::open(settings, Arc::new(Slow(BarReader::new(&form()), slow))).unwrap();
    let (tell, told) = mpsc::channel();
    let serving = Arc::clone(&service);
    std::thread::spawn(move || {
        let served = serve(&serving, "127.0.0.1:0".parse().unwrap(), |address| tell.send(address).unwrap());
        served.unwrap_or_else(|error| panic!("the service ended: {error}"));
    });
    (service, told.recv().unwrap())
}

pub fn usual(folder: &Folder) -> SocketAddr {
    start(Settings::new(folder.0.clone()), Duration::ZERO).1
}

pub fn upload(address: SocketAddr, name: &str, bytes: &[u8]) -> Answer {
    let (kind, body) = multipart(&[("sheet", name, bytes)]);
    send(address, "POST", "/v1/jobs", &[&kind], &body)
}

pub fn get(address: SocketAddr, path: &str) -> Answer {
    send(address, "GET", path, &[], &[])
}

pub fn put_pins(address: SocketAddr, job: &str, pins: &Value) -> Answer {
    let body = json!({ "pins": pins }).to_string();
    send(address, "PUT", &format!("{job}/pins"), &["content-type: application/json"], body.as_bytes())
}

pub fn read_again(address: SocketAddr, job: &str, body: &Value) -> Answer {
    let headers = ["content-type: application/json"];
    send(address, "POST", &format!("{job}/read-again"), &headers, body.to_string().as_bytes())
}

/// Waits until a job is over; returns it.
pub fn over(address: SocketAddr, job: &str) -> Value {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        let state = get(address, job).json();
        if !["queued", "reading"].contains(&state["state"].as_str().unwrap()) {
            return state;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the job is not over after a minute");
}

pub fn path_of(job: &Value) -> String {
    format!("/v1/jobs/{}", job["id"].as_str().unwrap())
}

/// Everything in a folder, names and contents.
fn contents(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        all.extend_from_slice(path.to_string_lossy().as_bytes());
        all.extend(if path.is_dir() { contents(&path) } else { std::fs::read(&path).unwrap() });
    }
    all
}

#[test]
fn a_photo_is_uploaded_watched_read_corrected_and_deleted() {
    let folder = Folder::new("whole");
    let address = usual(&folder);
    let added = upload(address, "board-seventeen.png", &photo());
    assert_eq!(added.status, 202, "{}", added.text());
    let job = path_of(&added.json());
    assert!(added.has(&format!("location: {job}")));

    let events = get(address, &format!("{job}/events")).text();
    let last = events.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    let last: Value = serde_json::from_str(&last[6..]).unwrap();
    assert_eq!((last["state"].as_str(), last["progress"].as_f64()), (Some("done"), Some(1.0)));
    assert_eq!(last["summary"]["plies"], 44);
    assert!(last["summary"]["to_review"].as_u64().unwrap() >= 1);

    let again = upload(address, "other-name.png", &photo());
    assert_eq!((again.status, path_of(&again.json())), (200, job.clone()), "the same photo is the same job");

    let review = get(address, &format!("{job}/review")).json();
    assert_eq!(review["game"]["schema"], "scoresheet.game/1");
    assert_eq!(review["fens"].as_array().unwrap().len(), 45);
    assert_eq!(review["cells"][20], json!({ "number": 11, "colour": "white", "omitted": false }));
    let wrong = put_pins(address, &job, &json!([{ "pin": "move", "number": 1, "colour": "white", "san": "Qh7" }]));
    assert_eq!(wrong.status, 422);
    assert!(wrong.has("content-type: application/problem+json"));
    assert!(wrong.json()["next_step"].as_str().unwrap().starts_with("Check it"), "{}", wrong.text());
    assert_eq!(get(address, &format!("{job}/review")).json()["pins"], json!([]), "nothing changed");
    let pins = json!([
        { "pin": "move", "number": 11, "colour": "white", "san": "c4" },
        { "pin": "header", "name": "White", "value": "<script>alert(1)</script>" }
    ]);
    let right = put_pins(address, &job, &pins);
    assert_eq!(right.status, 200, "{}", right.text());
    assert_eq!(right.json()["game"]["plies"][20]["san"], "c4");
    assert_eq!(get(address, &job).json()["summary"]["to_review"], 0);
    let pgn = get(address, &format!("{job}/pgn"));
    assert!(pgn.has("content-type: application/x-chess-pgn") && pgn.has("content-disposition: attachment"));
    assert!(pgn.text().contains("11. c4 ") && pgn.text().contains("[White \"<script>"), "{}", pgn.text());
    assert_eq!(get(address, "/v1/export.pgn").text(), pgn.text());
    assert_eq!(get(address, "/v1/jobs?q=SEVENTEEN&state=done").json()["jobs"].as_array().unwrap().len(), 1);
    assert_eq!(get(address, "/v1/jobs?q=eighteen").json()["jobs"], json!([]));

    for picture in ["pages/0/0", "cells/0/11/white"] {
        let picture = get(address, &format!("{job}/{picture}"));
        assert!(picture.status == 200 && picture.body.starts_with(&[0xff, 0xd8]), "{}", picture.header);
        assert!(!picture.body.windows(4).any(|w| w == b"Exif"));
    }
    assert_eq!(get(address, &format!("{job}/cells/0/99/white")).status, 404);

    assert_eq!(send(address, "DELETE", &job, &[], &[]).status, 204);
    assert_eq!(get(address, &job).status, 404);
    let left = contents(&folder.0);
    let id = job.rsplit('/').next().unwrap().as_bytes();
    for trace in [id, b"board-seventeen", b"alert(1)"] {
        assert!(!left.windows(trace.len()).any(|w| w == trace), "{:?} is left", String::from_utf8_lossy(trace));
    }
}

#[test]
fn hostile_requests_are_refused_with_a_reason() {
    let folder = Folder::new("hostile");
    let mut settings = Settings::new(folder.0.clone());
    (settings.body, settings.pages) = (1 << 20, 2);
    let (_, address) = start(settings, Duration::ZERO);
    let png = photo();
    let mut bomb = png.clone();
    bomb[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    let (kind, three) = multipart(&[("sheet", "a", &png), ("white", "b", &png), ("black", "c", &png)]);
    let (_, unknown) = multipart(&[("board", "a", &png)]);
    let (_, none) = multipart(&[]);
    let json = "content-type: application/json";
    let post = |headers: &[&str], body: &[u8]| send(address, "POST", "/v1/jobs", headers, body);
    let cases = [
        (415, "a text", upload(address, "a.jpg", b"1. e4 e5")),
        (
            415,
            "an SVG with a script",
            upload(address, "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"),
        ),
        (422, "a PNG whose header does not add up", upload(address, "bomb.png", &bomb)),
        (422, "half a PNG header", upload(address, "a.png", &png[..20])),
        (413, "more photos than allowed", post(&[&kind], &three)),
        (413, "a body larger than allowed", upload(address, "a.png", &vec![0; 2 << 20])),
        (415, "JSON", post(&[json], b"{}")),
        (400, "an unknown field", post(&[&kind], &unknown)),
        (400, "no photo", post(&[&kind], &none)),
        (400, "a body cut short", post(&[&kind], &three[..200])),
        (404, "a path trick", get(address, "/v1/jobs/..%2f..%2fjobs.sqlite")),
        (404, "a path trick in a page", get(address, "/assets/..%2f..%2fCargo.toml")),
        (404, "an unknown job", get(address, "/v1/jobs/00000000000000000000000000000000")),
        (400, "an unknown state", get(address, "/v1/jobs?state=lost")),
        (400, "an unknown parameter", get(address, "/v1/jobs?owner=other")),
        (403, "a foreign page", post(&[&kind, "origin: https://evil.example"], &three)),
        (403, "a foreign page by another sign", post(&[&kind, "sec-fetch-site: cross-site"], &three)),
        (403, "a name that is not ours", send(address, "GET", "/v1/jobs", &["host: evil.example"], &[])),
    ];
    for (status, what, answer) in cases {
        assert_eq!(answer.status, status, "{what}: {}", answer.text());
        let problem = answer.json();
        assert_eq!(problem["status"], status, "{what}");
        for member in ["type", "title", "detail", "next_step"] {
            assert!(problem[member].as_str().is_some_and(|text| text.len() > 3), "{what}: {member}");
        }
        assert!(answer.has("content-security-policy: default-src 'none'") && answer.has("x-content-type-options"));
    }
    assert_eq!(get(address, "/v1/jobs").json()["jobs"], json!([]), "nothing was kept");
    assert_eq!(std::fs::read_dir(folder.0.join("jobs")).unwrap().count(), 0);

    // Names are shown, never used as paths.
    let odd = upload(address, "..\\..\\etc/<b>passwd</b>.png", &png);
    assert_eq!(odd.status, 202, "{}", odd.text());
    let job = over(address, &path_of(&odd.json()));
    assert_eq!(job["photos"][0]["name"], "b>.png");
    let outside: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(outside.iter().all(|name| name.to_string_lossy().starts_with("jobs")), "{outside:?}");
}

#[test]
fn a_photo_without_a_sheet_is_a_failed_job_that_says_why() {
    let folder = Folder::new("failed");
    let address = usual(&folder);
    let blank = Form { pairs: 2, rows: 14, tilt: 0.0, moves: Vec::new(), first_number: 1 };
    let bytes = sheet(&blank.photograph()).pages.remove(0).bytes;
    let job = path_of(&upload(address, "blank.png", &bytes).json());
    let failed = over(address, &job);
    assert_eq!((&failed["state"], &failed["problem"]["type"]), (&json!("failed"), &json!("urn:scoresheet:blank")));
    assert_eq!(get(address, &format!("{job}/game")).status, 409);
    assert!(get(address, "/metrics").text().contains("scoresheet_jobs_failed_total 1"));
}

#[test]
fn the_picture_of_a_large_photo_without_a_table_tells_the_size_of_the_photo() {
    let folder = Folder::new("large");
    let address = usual(&folder);
    let mut bytes = Cursor::new(Vec::new());
    image::GrayImage::from_pixel(3000, 1500, image::Luma([255])).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let job = path_of(&upload(address, "large.png", bytes.get_ref()).json());
    assert_eq!(over(address, &job)["state"], "failed");
    let answer = get(address, &format!("{job}/pages/0/0"));
    let picture = image::load_from_memory(&answer.body).unwrap();
    assert_eq!((picture.width(), picture.height()), (2400, 1200));
    assert!(answer.has("x-photo-width: 3000") && answer.has("x-photo-height: 1500"), "{}", answer.header);
}

#[test]
fn a_full_queue_says_when_to_come_back() {
    for (status, queue, queue_of_one) in [(503, 0, 1), (429, 1, 0)] {
        let folder = Folder::new(&format!("full-{status}"));
        let mut settings = Settings::new(folder.0.clone());
        (settings.queue, settings.queue_of_one) = (queue, queue_of_one);
        let (_, address) = start(settings, Duration::ZERO);
        let answer = upload(address, "a.png", &photo());
        assert_eq!(answer.status, status);
        assert!(answer.has("retry-after:"), "{}", answer.header);
    }
}

#[test]
fn keys_keep_owners_apart() {
    let folder = Folder::new("keys");
    std::fs::create_dir_all(&folder.0).unwrap();
    let ((club, a), (school, b)) = (Keys::make("club").unwrap(), Keys::make("school").unwrap());
    let file = folder.0.join("keys");
    std::fs::write(&file, format!("{a}\n{b}\n")).unwrap();
    let mut settings = Settings::new(folder.0.join("data"));
    settings.keys = Some(Keys::load(&file).unwrap());
    let (_, address) = start(settings, Duration::ZERO);
    let (kind, body) = multipart(&[("sheet", "a.png", &photo())]);
    let bearer = |key: &str| format!("authorization: Bearer {key}");
    assert_eq!(send(address, "POST", "/v1/jobs", &[&kind], &body).status, 401);
    assert_eq!(send(address, "GET", "/metrics", &[&bearer("ssk_guess")], &[]).status, 401);
    let job = path_of(&send(address, "POST", "/v1/jobs", &[&kind, &bearer(&club)], &body).json());
    for (key, status) in [(&club, 200), (&school, 404)] {
        assert_eq!(send(address, "GET", &job, &[&bearer(key)], &[]).status, status);
    }
    assert_eq!(send(address, "DELETE", &job, &[&bearer(&school)], &[]).status, 404);
    assert_eq!(send(address, "GET", "/v1/jobs", &[&bearer(&school)], &[]).json()["jobs"], json!([]));
    // The same photo is another job for another owner.
    assert_eq!(send(address, "POST", "/v1/jobs", &[&kind, &bearer(&school)], &body).status, 202);
    // Browsers keep the key in a cookie that scripts do not see.
    let sign_in = |key: &str| {
        let body = json!({ "key": key }).to_string();
        send(address, "POST", "/v1/session", &["content-type: application/json"], body.as_bytes())
    };
    assert_eq!(sign_in("ssk_guess\r\nset-cookie: a=b").status, 401);
    assert!(sign_in(&club).has(&format!("set-cookie: scoresheet_key={club}; httponly; samesite=strict")));
    assert_eq!(send(address, "GET", &job, &[&format!("cookie: scoresheet_key={club}")], &[]).status, 200);
    assert_eq!(get(address, "/").status, 200, "the page itself needs no key");
}

#[test]
fn jobs_are_cancelled_and_limited_in_time() {
    let folder = Folder::new("slow");
    let mut settings = Settings::new(folder.0.clone());
    settings.time_limit = Duration::from_millis(300);
    let (_, address) = start(settings, Duration::from_millis(400));
    let job = path_of(&upload(address, "slow.png", &photo()).json());
    let stopped = over(address, &job);
    assert_eq!((&stopped["state"], &stopped["problem"]["type"]), (&json!("failed"), &json!("urn:scoresheet:too-slow")));
    let problem = get(address, &format!("{job}/pgn")).json();
    assert!(problem["detail"].as_str().unwrap().contains("Reading was stopped after"), "{problem}");
    assert!(problem["next_step"].as_str().unwrap().contains("read-again"), "{problem}");
    assert_eq!(read_again(address, &job, &json!({ "language": "en" })).status, 202);
    let cancelled = send(address, "POST", &format!("{job}/cancel"), &[], &[]).json();
    assert_eq!(cancelled["state"], "cancelled");
    std::thread::sleep(Duration::from_millis(900));
    assert_eq!(get(address, &job).json()["state"], "cancelled", "it stays so when the reader notices");
}

#[test]
fn jobs_survive_a_stop() {
    let folder = Folder::new("stop");
    let (first, address) = start(Settings::new(folder.0.clone()), Duration::from_secs(1));
    let mut jobs = Vec::new();
    for rows in 12..15 {
        let form = Form { rows, ..form() };
        let bytes = sheet(&form.photograph()).pages.remove(0).bytes;
        jobs.push(path_of(&upload(address, "a.png", &bytes).json()));
    }
    std::thread::sleep(Duration::from_millis(300));
    first.stop();
    // A folder that no row knows is what a crash during an upload leaves.
    std::fs::create_dir(folder.0.join("jobs/stray")).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let (_, address) = start(Settings::new(folder.0.clone()), Duration::ZERO);
    for job in &jobs {
        assert_eq!(over(address, job)["state"], "done");
    }
    assert!(!folder.0.join("jobs/stray").exists());
    assert!(get(address, "/metrics").text().contains("scoresheet_jobs{state=\"done\"} 3"));
}
