//! The service under load: run by `cargo test --release --test it load -- --ignored --nocapture`.

use crate::fake::BarReader;
use crate::http::{multipart, send};
use crate::pipeline::{moves, sheet};
use scoresheet::pipeline::recognise::TractRecogniser;
use scoresheet::service::{Service, Settings, serve};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

const UPLOADS: usize = 200;
const CLIENTS: usize = 20;

/// A value of /proc/self/status, in MB.
fn memory(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<usize>().ok().map(|kb| kb / 1024)
}

/// Uploads, reads and deletes for as many seconds as LOAD_SECONDS says, 120 if it says nothing.
#[test]
#[ignore = "takes minutes; run it by name"]
fn memory_is_steady_and_no_job_is_left_behind() {
    let seconds = std::env::var("LOAD_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(120);
    let folder = std::env::temp_dir().join(format!("scoresheet-steady-{}", std::process::id()));
    let form = crate::fake::Form { pairs: 2, rows: 12, tilt: 0.0, moves: moves(), first_number: 1 };
    let photo = sheet(&form.photograph()).pages.remove(0).bytes;
    let service = Service::open(Settings::new(folder.clone()), Arc::new(BarReader::new(&form))).unwrap();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || serve(&service, "127.0.0.1:0".parse().unwrap(), |address| tell.send(address).unwrap()));
    let address = told.recv().unwrap();
    let (start, mut jobs, mut memories) = (Instant::now(), 0usize, Vec::new());
    while start.elapsed().as_secs() < seconds {
        let mut paths = Vec::new();
        for _ in 0..20 {
            let (kind, body) = multipart(&[("sheet", "form.png", &[photo.as_slice(), &jobs.to_le_bytes()].concat())]);
            let added = send(address, "POST", "/v1/jobs", &[&kind], &body);
            assert_eq!(added.status, 202, "{}", added.text());
            paths.push(format!("/v1/jobs/{}", added.json()["id"].as_str().unwrap()));
            jobs += 1;
        }
        for path in paths {
            // The stream of events ends when the job is over.
            assert!(send(address, "GET", &format!("{path}/events"), &[], &[]).text().contains("\"state\":\"done\""));
            assert_eq!(send(address, "GET", &format!("{path}/pages/0/0"), &[], &[]).status, 200);
            assert_eq!(send(address, "DELETE", &path, &[], &[]).status, 204);
        }
        memories.extend(memory("VmRSS:"));
    }
    assert_eq!(std::fs::read_dir(folder.join("jobs")).unwrap().count(), 0);
    let state = std::fs::metadata(folder.join("jobs.sqlite")).unwrap().len();
    println!("{jobs} jobs in {seconds} s; database {state} bytes; memory in MB after every 20 jobs: {memories:?}");
    // Only Linux tells.
    if let (Some(early), Some(late)) = (memories.get(memories.len() / 4), memories.last()) {
        assert!(*late <= early + early / 4 + 8, "memory grows from {early} to {late} MB");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
#[ignore = "takes minutes; run it by name"]
fn two_hundred_uploads_at_once() {
    let folder = std::env::temp_dir().join(format!("scoresheet-load-{}", std::process::id()));
    let service = Service::open(Settings::new(folder.clone()), Arc::new(TractRecogniser::embedded().unwrap())).unwrap();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || serve(&service, "127.0.0.1:0".parse().unwrap(), |address| tell.send(address).unwrap()));
    let address = told.recv().unwrap();
    let photo = std::fs::read(crate::util::root().join("samples/german.jpg")).unwrap();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let photo = &photo;
            scope.spawn(move || {
                for upload in (client..UPLOADS).step_by(CLIENTS) {
                    // Bytes behind the end of a JPEG change nothing but its hash.
                    let mut bytes = photo.clone();
                    bytes.extend_from_slice(&upload.to_le_bytes());
                    let (kind, body) = multipart(&[("sheet", "german.jpg", &bytes)]);
                    assert_eq!(send(address, "POST", "/v1/jobs", &[&kind], &body).status, 202);
                }
            });
        }
    });
    let answered = start.elapsed();
    let done =
        || send(address, "GET", "/v1/jobs?state=done&limit=200", &[], &[]).json()["jobs"].as_array().unwrap().len();
    while done() < UPLOADS {
        assert!(start.elapsed() < Duration::from_secs(1200), "{} of {UPLOADS} are done", done());
        std::thread::sleep(Duration::from_millis(250));
    }
    println!(
        "{UPLOADS} uploads answered after {:.1} s, read after {:.1} s; peak memory {:?} MB, now {:?} MB",
        answered.as_secs_f32(),
        start.elapsed().as_secs_f32(),
        memory("VmHWM:"),
        memory("VmRSS:")
    );
    assert!(memory("VmHWM:").is_none_or(|mb| mb < 450), "memory is bounded");
    std::fs::remove_dir_all(folder).unwrap();
}
