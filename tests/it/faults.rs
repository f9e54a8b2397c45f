//! Workers that are killed and a database that crashes, and what the queue costs alone.

use crate::fake::BarReader;
use crate::postgres::Postgres;
use crate::scale::{Folder, add, another, files, form, game, photo, until};
use scoresheet::service::{Kind, Retry, Service, Settings, State, Store, work};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Not a test: the process that [`FakeWorker`] starts and kills.
#[test]
#[ignore = "other tests start it"]
fn fake_worker() {
    let (Ok(database), Ok(data)) = (std::env::var("TEST_QUEUE"), std::env::var("TEST_DATA")) else { return };
    let mut settings = Settings::new(data.into());
    settings.database = Some(database);
    settings.one_core = true;
    settings.retry = SOAK;
    let service = loop {
        match Service::open(settings.clone(), Arc::new(BarReader::new(&form()))) {
            Ok(service) => break service,
            // The database is away.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    };
    work(&service, &AtomicBool::new(false), false).unwrap();
}

const SOAK: Retry = Retry { attempts: 20, wait: Duration::from_millis(200), lease: Duration::from_secs(3) };

/// A process that reads bar codes.
struct FakeWorker(Child);

impl FakeWorker {
    fn start(server: &Postgres, data: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["faults::fake_worker", "--exact", "--ignored", "--nocapture"]);
        command.env("TEST_QUEUE", server.address()).env("TEST_DATA", data);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for FakeWorker {
    /// As `kill -9`.
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Queues `count` sheets while two workers read them, one of which is killed again and again, and the database
/// crashes once.
fn soak(name: &str, count: usize, between_kills: Duration) {
    let Some(server) = Postgres::start(name) else { return };
    let folder = Folder::new(name);
    let data = folder.join("data");
    let store = Store::open_shared(&server.address(), &data, SOAK).unwrap();
    let bytes = photo();
    let start = Instant::now();
    let (done, added) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (kills, refused) = std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            let mut workers = [FakeWorker::start(&server, &data), FakeWorker::start(&server, &data)];
            let (mut kills, mut last) = (0, Instant::now());
            let mut crashed = false;
            while !done.load(Ordering::Relaxed) {
                if !crashed && added.load(Ordering::Relaxed) >= count / 2 {
                    server.crash(Duration::from_secs(1));
                    crashed = true;
                }
                if last.elapsed() >= between_kills {
                    workers[kills % 2] = FakeWorker::start(&server, &data);
                    (kills, last) = (kills + 1, Instant::now());
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            assert!(crashed, "the database did not crash");
            kills
        });
        let mut refused = 0;
        for number in 0..count {
            while store.is_full(50).unwrap_or(false) {
                std::thread::sleep(Duration::from_millis(20));
            }
            // Whoever gets no answer asks again, as a client of the service would.
            while add(&store, Kind::Game, &number.to_string(), another(&bytes, number)).is_err() {
                refused += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            added.fetch_add(1, Ordering::Relaxed);
        }
        until(600, "the queue is empty", || store.is_empty().unwrap_or(false));
        done.store(true, Ordering::Relaxed);
        (killer.join().unwrap(), refused)
    });
    let seconds = start.elapsed().as_secs_f64();

    let counts = store.overview().unwrap().counts;
    let expected = |state| if state == State::Done { count } else { 0 };
    assert!(counts.iter().all(|&(state, jobs)| jobs == expected(state)), "{counts:?}");
    let pgn = game(&bytes).1.game.pgn;
    let mut again = 0;
    for number in 0..count {
        let job = store.find("test", &number.to_string()).unwrap().expect("no job is lost");
        assert_eq!(files(&data, &job).len(), 3, "{:?}: one photo, one ink, one game", files(&data, &job));
        assert_eq!(store.game(&job.id).unwrap().game.pgn, pgn);
        again += job.attempts - 1;
    }
    // Uploads that were refused after their photo was written.
    assert!(store.sweep(Duration::ZERO).unwrap() <= refused);
    assert_eq!(std::fs::read_dir(data.join("jobs")).unwrap().count(), count, "no job is doubled");
    assert!(kills > 0, "no worker was killed");
    println!(
        "{count} sheets by two workers in {seconds:.1} s, {:.1} a second: {kills} kills, 1 crash of the database \
         ({refused} uploads sent again), {again} sheets begun again, none lost, none doubled",
        count as f64 / seconds
    );
}

#[test]
fn killed_workers_and_a_crashed_database_lose_and_double_nothing() {
    soak("faults", 60, Duration::from_millis(1200));
}

/// `cargo test --release --test it soak -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes; run it by name"]
fn soak_of_two_thousand_sheets() {
    soak("soak", 2000, Duration::from_secs(20));
}

/// What the queue costs when reading costs nothing: `cargo test --release --test it queue_alone -- --ignored --nocapture`
#[test]
#[ignore = "a measurement; run it by name"]
fn queue_alone() {
    const JOBS: usize = 4000;
    let Some(server) = Postgres::start("alone") else { return };
    let folder = Folder::new("alone");
    let retry = Retry::default();
    let store = Store::open_shared(&server.address(), &folder.0, retry).unwrap();
    let (ink, reviewed) = game(&photo());
    let start = Instant::now();
    for number in 0..JOBS {
        add(&store, Kind::Game, &number.to_string(), vec![0; 1000]).unwrap();
    }
    let added = start.elapsed().as_secs_f64();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let store = Store::open_shared(&server.address(), &folder.0, retry).unwrap();
                while let Some((_, job)) = store.claim().unwrap() {
                    assert!(store.progress(&job, "cells", 0.5).unwrap());
                    assert!(store.finish(&job, &ink, Some(&reviewed)).unwrap());
                }
            });
        }
    });
    let read = start.elapsed().as_secs_f64();
    let mut client = postgres::Client::connect(&server.address(), postgres::NoTls).unwrap();
    let row =
        client.query_one("SELECT pg_table_size('jobs'), pg_indexes_size('jobs'), COUNT(*) FROM jobs", &[]).unwrap();
    let (table, indices, rows): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    println!(
        "{JOBS} jobs: {:.0} a second added, {:.0} a second taken, noted and finished by 4 readers; table {} and indices {} bytes a row",
        JOBS as f64 / added,
        JOBS as f64 / read,
        table / rows,
        indices / rows
    );
    assert_eq!(store.count(State::Done, None).unwrap(), JOBS);
}
