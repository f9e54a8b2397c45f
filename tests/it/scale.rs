//! Jobs shared by processes over a real PostgreSQL: nothing lost, nothing doubled, whoever dies.

use crate::fake::{BarReader, Form};
use crate::http::{multipart, send};
use crate::pipeline::{moves, sheet};
use crate::postgres::Postgres;
use crate::util::sample;
use scoresheet::error::{Error, Result};
use scoresheet::pipeline::cells::Crop;
use scoresheet::pipeline::recognise::Recogniser;
use scoresheet::pipeline::{Ink, ReadOptions, read};
use scoresheet::reading::{Alphabet, Reading};
use scoresheet::review::Reviewed;
use scoresheet::service::{Job, Kind, PhotoEntry, Retry, Service, Settings, State, Store, serve, work};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// A folder that goes when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("scoresheet-scale-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&path));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub fn form() -> Form {
    Form { pairs: 2, rows: 12, tilt: 0.0, moves: moves(), first_number: 1 }
}

pub fn photo() -> Vec<u8> {
    sheet(&form().photograph()).pages.remove(0).bytes
}

/// A photo like all others that has a hash of its own: bytes behind its end.
pub fn another(photo: &[u8], number: usize) -> Vec<u8> {
    [photo, &number.to_le_bytes()].concat()
}

pub fn add(store: &Store, kind: Kind, name: &str, bytes: Vec<u8>) -> std::result::Result<Job, String> {
    let entry = PhotoEntry { sheet: 0, page: 0, keeper: None, name: name.to_owned(), hint: None };
    store.add(kind, "test", name, None, &[(entry, bytes)]).map(|(job, _)| job).map_err(|error| error.to_string())
}

pub fn game(photo: &[u8]) -> (Ink, Reviewed) {
    let mut sheet = sheet(&form().photograph());
    sheet.pages[0].bytes = photo.to_vec();
    read(&[sheet], &BarReader::new(&form()), &ReadOptions::default()).unwrap()
}

/// The names of a job's files.
pub fn files(data: &Path, job: &Job) -> Vec<String> {
    let entries = std::fs::read_dir(data.join("jobs").join(&job.id)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn state(store: &Store, job: &Job) -> State {
    store.job("test", &job.id).unwrap().unwrap().state
}

/// Waits until something is so.
pub fn until(seconds: u64, what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(seconds), "{what}: not after {seconds} s");
        std::thread::sleep(Duration::from_millis(20));
    }
}

const SHORT: Retry = Retry { attempts: 2, wait: Duration::from_millis(800), lease: Duration::from_millis(1000) };

fn one_result_a_job(store: &Store, data: &Path) {
    let bytes = photo();
    let (ink, reviewed) = game(&bytes);
    let page = add(store, Kind::Page, "page", another(&bytes, 1)).unwrap();
    let first = add(store, Kind::Game, "first", another(&bytes, 2)).unwrap();
    // Who waits longer is told in milliseconds.
    std::thread::sleep(Duration::from_millis(5));
    let second = add(store, Kind::Game, "second", another(&bytes, 3)).unwrap();
    assert_eq!(
        add(store, Kind::Game, "first", another(&bytes, 2)).unwrap().id,
        first.id,
        "the same photo, the same job"
    );
    let claim = || store.claim().unwrap().map(|(_, job)| job);

    // What people upload comes before what a batch queues; then the oldest comes first. Nobody gets what another has.
    let slow = claim().unwrap();
    let other = claim().unwrap();
    let batch = claim().unwrap();
    assert_eq!([&slow.id, &other.id, &batch.id], [&first.id, &second.id, &page.id]);
    assert!(claim().is_none());

    // A job given back may be taken at once and has lost no attempt.
    store.requeue(&other).unwrap();
    let other = claim().unwrap();
    assert_eq!((&other.id, other.attempts), (&second.id, 1));
    assert!(store.finish(&other, &ink, Some(&reviewed)).unwrap());

    // A reader that gives no sign of life loses its job; one that does keeps it.
    std::thread::sleep(Duration::from_millis(600));
    assert!(store.renew(&batch).unwrap());
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(store.reap().unwrap(), 1);
    assert!(claim().is_none(), "it is not tried again at once");
    std::thread::sleep(Duration::from_millis(900));
    let quick = claim().unwrap();
    assert_eq!((&quick.id, quick.attempts), (&first.id, 2));
    assert!(store.finish(&quick, &ink, Some(&reviewed)).unwrap());
    assert!(store.finish(&quick, &ink, Some(&reviewed)).unwrap(), "asked twice, as after a lost answer");

    // The first reader wakes up: whatever it says counts for nothing and leaves nothing.
    assert!(!store.renew(&slow).unwrap() && !store.progress(&slow, "decode", 0.9).unwrap());
    store.fail(&slow, &scoresheet::service::Problem::crashed(), true).unwrap();
    assert!(!store.finish(&slow, &ink, Some(&reviewed)).unwrap());
    assert_eq!(state(store, &first), State::Done);
    assert_eq!(files(data, &first).len(), 3, "photo, ink and game: {:?}", files(data, &first));
    assert_eq!(store.game(&first.id).unwrap().game.pgn, reviewed.game.pgn);

    // After the last attempt a job is put aside, to be looked at and queued again.
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(store.reap().unwrap(), 1);
    std::thread::sleep(Duration::from_millis(900));
    let last = claim().unwrap();
    assert_eq!((&last.id, last.attempts), (&page.id, 2));
    std::thread::sleep(Duration::from_millis(1100));
    store.reap().unwrap();
    assert_eq!(state(store, &page), State::Failed);
    let letters = store.dead_letters().unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!((letters[0].photos[0].as_str(), letters[0].attempts), ("page", 2));
    assert!(letters[0].problem.contains("several times"), "{}", letters[0].problem);
    assert_eq!(store.revive(Some("no such job")).unwrap(), 0);
    assert_eq!(store.revive(None).unwrap(), 1);
    assert_eq!((claim().unwrap().id, store.dead_letters().unwrap().len()), (page.id.clone(), 0));

    // A job that is deleted while it is read leaves nothing behind.
    assert!(store.delete("test", &page.id).unwrap() && !store.delete("test", &page.id).unwrap());
    assert!(!store.finish(&last, &ink, None).unwrap());
    assert!(!data.join("jobs").join(&page.id).exists());
    assert!(!store.is_full(1).unwrap() && store.is_full(0).unwrap() && store.is_empty().unwrap());

    // A job that is read again and given up has the game of before, and is not put aside.
    store.read_again(&first.id, Some("de"), &first.photos).unwrap();
    let again = claim().unwrap();
    assert_eq!((&again.id, again.language.as_deref()), (&first.id, Some("de")));
    std::thread::sleep(Duration::from_millis(1100));
    store.reap().unwrap();
    std::thread::sleep(Duration::from_millis(900));
    let again = claim().unwrap();
    store.fail(&again, &scoresheet::service::Problem::crashed(), true).unwrap();
    let kept = store.job("test", &first.id).unwrap().unwrap();
    assert_eq!((kept.state, kept.language, store.dead_letters().unwrap().len()), (State::Done, None, 0));
    assert_eq!(store.game(&first.id).unwrap().game.pgn, reviewed.game.pgn);
}

#[test]
fn a_job_has_one_result_on_sqlite() {
    let folder = Folder::new("sqlite");
    one_result_a_job(&Store::open(&folder.0, SHORT).unwrap(), &folder.0);
}

#[test]
fn a_job_has_one_result_on_postgresql() {
    let Some(server) = Postgres::start("leases") else { return };
    let folder = Folder::new("leases");
    one_result_a_job(&Store::open_shared(&server.address(), &folder.0, SHORT).unwrap(), &folder.0);
}

/// Fails on every photo, as a broken installation would.
struct Broken(BarReader);

impl Recogniser for Broken {
    fn alphabet(&self) -> &Alphabet {
        self.0.alphabet()
    }

    fn read(&self, _: &[&Crop]) -> Result<Vec<Reading>> {
        Err(Error::Model { file: "model".to_owned(), cause: "it is a test".to_owned() })
    }
}

fn settings(server: &Postgres, data: &Path) -> Settings {
    let mut settings = Settings::new(data.to_owned());
    settings.database = Some(server.address());
    settings.retry = SHORT;
    settings.one_core = true;
    settings
}

/// Works in this process until something is so.
fn work_until(settings: Settings, recogniser: Arc<dyn Recogniser>, mut is_so: impl FnMut(&Store) -> bool) {
    let service = Service::open(settings, recogniser).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| work(&service, &stop, false).unwrap());
        until(60, "work", || is_so(service.store()));
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn what_a_broken_worker_puts_aside_another_reads() {
    let Some(server) = Postgres::start("broken") else { return };
    let folder = Folder::new("broken");
    let store = Store::open_shared(&server.address(), &folder.0, SHORT).unwrap();
    let job = add(&store, Kind::Game, "one", photo()).unwrap();
    let settings = || settings(&server, &folder.0);
    work_until(settings(), Arc::new(Broken(BarReader::new(&form()))), |store| state(store, &job) == State::Failed);
    let letters = store.dead_letters().unwrap();
    assert_eq!((letters.len(), letters[0].attempts), (1, 2));
    assert!(letters[0].problem.contains("it is a test"), "{}", letters[0].problem);
    assert_eq!(store.revive(Some(&job.id)).unwrap(), 1);
    work_until(settings(), Arc::new(BarReader::new(&form())), |store| state(store, &job) == State::Done);
    assert_eq!(store.game(&job.id).unwrap().game.plies.len(), 44);
}

/// The program itself.
fn program(command: &str, server: &Postgres, data: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    program.arg(command).args(["--queue", &server.address(), "--data"]).arg(data);
    program
}

#[test]
fn serve_feeds_a_worker() {
    let Some(server) = Postgres::start("serve") else { return };
    let folder = Folder::new("serve");
    let data = folder.join("data");
    let mut settings = settings(&server, &data);
    settings.workers = 0;
    let service = Service::open(settings, Arc::new(BarReader::new(&form()))).unwrap();
    let (tell, told) = mpsc::channel();
    let serving = Arc::clone(&service);
    std::thread::spawn(move || serve(&serving, "127.0.0.1:0".parse().unwrap(), |address| tell.send(address).unwrap()));
    let address = told.recv().unwrap();
    let (kind, body) = multipart(&[("sheet", "german.jpg", &std::fs::read(sample("german.jpg")).unwrap())]);
    let added = send(address, "POST", "/v1/jobs", &[&kind], &body);
    assert_eq!(added.status, 202, "{}", added.text());
    let job = format!("/v1/jobs/{}", added.json()["id"].as_str().unwrap());
    std::thread::scope(|scope| {
        // Watched from here, read there.
        let events = scope.spawn(|| send(address, "GET", &format!("{job}/events"), &[], &[]).text());
        let worker = program("worker", &server, &data).args(["--jobs", "1", "--until-empty"]).output().unwrap();
        assert!(worker.status.success(), "{}", String::from_utf8_lossy(&worker.stderr));
        let events = events.join().unwrap();
        assert!(
            events.lines().rfind(|line| line.starts_with("data: ")).unwrap().contains("\"state\":\"done\""),
            "{events}"
        );
    });
    let pgn = send(address, "GET", &format!("{job}/pgn"), &[], &[]);
    assert!(pgn.text().contains("1. e4 e5 2. Nf3 Nc6"), "{}", pgn.text());
    assert_eq!(send(address, "GET", &format!("{job}/cells/0/1/white"), &[], &[]).status, 200);
    let pins = r#"{"pins":[{"pin":"header","name":"White","value":"Berg, Eva"}]}"#;
    let json = "content-type: application/json";
    assert_eq!(send(address, "PUT", &format!("{job}/pins"), &[json], pins.as_bytes()).status, 200);
    assert!(send(address, "GET", "/v1/export.pgn", &[], &[]).text().contains("Berg, Eva"));
    assert_eq!(send(address, "GET", "/v1/jobs?q=berg", &[], &[]).json()["jobs"].as_array().unwrap().len(), 1);
    let status = program("queue", &server, &data).output().unwrap();
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.status.code() == Some(0) && text.contains("done      1"), "{text}");
    assert_eq!(send(address, "DELETE", &job, &[], &[]).status, 204);
    assert_eq!(std::fs::read_dir(data.join("jobs")).unwrap().count(), 0);
    service.stop();
}

#[test]
fn batch_feeds_workers_that_are_killed() {
    let Some(server) = Postgres::start("batch") else { return };
    let folder = Folder::new("batch");
    let photos = folder.join("in");
    std::fs::create_dir_all(&photos).unwrap();
    for name in ["both-players-white.jpg", "both-players-black.jpg", "german.jpg", "bad/blank-form.jpg"] {
        std::fs::copy(sample(name), photos.join(name.replace('/', "-"))).unwrap();
    }
    let data = folder.join("data");
    let batch = |out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        command.arg("batch").arg(&photos).arg("--quiet").arg("--out").arg(folder.join(out)).stderr(Stdio::piped());
        command
    };
    let shared = || {
        let mut command = batch("shared");
        command.args(["--queue", &server.address(), "--data"]).arg(&data);
        command
    };
    let journal = || std::fs::read_to_string(folder.join("shared/work/journal.jsonl")).unwrap_or_default();
    let pages = || journal().lines().filter(|line| line.contains("\"done\":\"page\"")).count();
    let worker = || {
        program("worker", &server, &data)
            .args(["--jobs", "1", "--lease", "1", "--retry-after", "0"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };

    // Both the batch and the worker are killed after the first page; another worker and the same command go on.
    let (mut killed, mut killed_worker) = (shared().spawn().unwrap(), worker());
    until(120, "a page", || pages() > 0);
    for child in [&mut killed, &mut killed_worker] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut other_worker = worker();
    let output = shared().output().unwrap();
    other_worker.kill().unwrap();
    other_worker.wait().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "the blank form is not read: {said}");
    assert_eq!(pages(), 4, "every photo was written down once: {said}");

    let alone = batch("alone").output().unwrap();
    assert_eq!(alone.status.code(), Some(2), "{}", String::from_utf8_lossy(&alone.stderr));
    let table = |out: &str, said: &[u8]| {
        let pgn = std::fs::read_to_string(folder.join(out).join("event.pgn"));
        pgn.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(said)))
    };
    assert_eq!(table("shared", &output.stderr), table("alone", &alone.stderr));
    // A batch that is killed while it deletes a job leaves files without a row.
    let status = program("queue", &server, &data).args(["--sweep", "0"]).output().unwrap();
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.status.code() == Some(0) && text.contains("done      0") && text.contains("queued    0"), "{text}");
    assert_eq!(std::fs::read_dir(data.join("jobs")).unwrap().count(), 0, "nothing stays in the queue");
}

#[test]
fn a_queue_that_cannot_be_used_is_said() {
    let folder = Folder::new("away");
    for (address, words) in [("postgresql://nobody@%2Fnowhere/none", "database runs"), ("nonsense", "Check --queue")] {
        for command in ["worker", "queue"] {
            let mut program = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
            let output = program.args([command, "--queue", address, "--data"]).arg(&folder.0).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(2) && said.contains(words), "{command} {address}: {said}");
        }
    }
}
