//! Photos and games in an object store: a real S3 server (moto, as a program) beside a real PostgreSQL.

use crate::http::{Answer, multipart, send};
use crate::postgres::Postgres;
use crate::scale::{Folder, until};
use crate::util::{root, sample};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// An S3 server with one empty bucket, `sheets`.
struct ObjectStore {
    address: SocketAddr,
    server: Running,
}

impl ObjectStore {
    /// Starts the server, or says that the test is skipped where there is none.
    fn start() -> Option<Self> {
        let store = Self::run(&[])?;
        assert_eq!(send(store.address, "PUT", "/sheets", &[], &[]).status, 200);
        Some(store)
    }

    /// Starts the server with further options and without the bucket.
    fn run(options: &[&str]) -> Option<Self> {
        let program = std::env::var("MOTO_SERVER").unwrap_or_else(|_| "moto_server".to_owned());
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let port = address.port().to_string();
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port]).args(options).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(child) = command.spawn() else {
            eprintln!("skipped: moto_server is not on this machine (pip install 'moto[server]'; MOTO_SERVER names it)");
            return None;
        };
        let store = Self { address, server: Running(child) };
        until(60, "the S3 server listens", || std::net::TcpStream::connect(address).is_ok());
        Some(store)
    }

    /// The keys of all objects.
    fn keys(&self) -> Vec<String> {
        let list = send(self.address, "GET", "/sheets?list-type=2", &[], &[]).text();
        list.split("<Key>").skip(1).map(|rest| rest.split("</Key>").next().unwrap().to_owned()).collect()
    }

    /// The program with both stores.
    fn program(&self, command: &str, server: &Postgres) -> Command {
        self.program_at("s3://sheets/club", command, server)
    }

    fn program_at(&self, data: &str, command: &str, server: &Postgres) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        program.arg(command).args(["--queue", &server.address(), "--data", data]).envs([
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
            ("AWS_ACCESS_KEY_ID", "test".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
        ]);
        program.env_remove("AWS_ENDPOINT_URL_S3").stderr(Stdio::piped()).stdout(Stdio::piped());
        program
    }
}

/// Starts the service and returns its address.
fn serve(objects: &ObjectStore, server: &Postgres) -> (SocketAddr, Running) {
    let mut child = objects.program("serve", server).args(["--listen", "127.0.0.1:0"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let running = Running(child);
    let said = lines.by_ref().map_while(Result::ok).find(|line| line.contains("open http://")).expect("it starts");
    std::thread::spawn(move || lines.for_each(drop));
    let address = said.split("http://").nth(1).unwrap().split('/').next().unwrap();
    (address.parse().unwrap(), running)
}

fn upload(address: SocketAddr, fields: &[(&str, &str)]) -> Answer {
    let photos: Vec<Vec<u8>> = fields.iter().map(|(_, name)| std::fs::read(sample(name)).unwrap()).collect();
    let fields: Vec<(&str, &str, &[u8])> =
        fields.iter().zip(&photos).map(|((field, name), bytes)| (*field, *name, bytes.as_slice())).collect();
    let (kind, body) = multipart(&fields);
    send(address, "POST", "/v1/jobs", &[&kind], &body)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The moves of a PGN, without tags and comments.
fn moves(pgn: &str) -> Vec<String> {
    let mut depth = 0;
    let plain: String = pgn
        .lines()
        .filter(|line| !line.starts_with('['))
        .flat_map(|line| line.chars().chain(" ".chars()))
        .filter(|&c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0 && c != '}'
        })
        .collect();
    plain.split_whitespace().filter(|word| !word.contains('.') && !word.starts_with('$')).map(str::to_owned).collect()
}

#[test]
fn a_game_goes_through_an_object_store() {
    let (Some(server), Some(objects)) = (Postgres::start("objects"), ObjectStore::start()) else { return };
    let (address, _serving) = serve(&objects, &server);
    // Both sheets of one game, and two pages of another, are one job each, read by another process.
    let both = upload(address, &[("white", "both-players-white.jpg"), ("black", "both-players-black.jpg")]);
    let pages = upload(address, &[("sheet", "two-pages-1.jpg"), ("sheet", "two-pages-2.jpg")]);
    let jobs = [both, pages].map(|added| {
        assert_eq!(added.status, 202, "{}", added.text());
        format!("/v1/jobs/{}", added.json()["id"].as_str().unwrap())
    });
    assert_eq!(objects.keys().len(), 4, "the photos: {:?}", objects.keys());
    assert!(objects.keys().iter().all(|key| key.starts_with("club/")));
    let worker = objects.program("worker", &server).args(["--jobs", "1", "--until-empty"]).output().unwrap();
    assert!(worker.status.success(), "{}", text(&worker.stderr));
    for (job, name) in jobs.iter().zip(["both-players.pgn", "two-pages.pgn"]) {
        let truth = moves(&std::fs::read_to_string(root().join("samples").join(name)).unwrap());
        let pgn = send(address, "GET", &format!("{job}/pgn"), &[], &[]);
        let read = moves(&pgn.text());
        let right = truth.iter().zip(&read).filter(|(a, b)| a == b).count();
        assert!(right * 10 > truth.len() * 9, "{right} of {} moves of {name}: {}", truth.len(), pgn.text());
    }
    // What was seen and the game lie beside the photos; a correction leaves no old game behind.
    assert_eq!(objects.keys().len(), 8, "{:?}", objects.keys());
    let pins = r#"{"pins":[{"pin":"header","name":"White","value":"Berg, Eva"}]}"#;
    let json = "content-type: application/json";
    assert_eq!(send(address, "PUT", &format!("{}/pins", jobs[0]), &[json], pins.as_bytes()).status, 200);
    assert!(send(address, "GET", &format!("{}/pgn", jobs[0]), &[], &[]).text().contains("Berg, Eva"));
    assert_eq!(send(address, "GET", &format!("{}/pages/1/0", jobs[0]), &[], &[]).status, 200);
    assert_eq!(objects.keys().len(), 8, "{:?}", objects.keys());
    // Deleted is deleted; objects that belong to no job are swept.
    assert_eq!(send(address, "DELETE", &jobs[0], &[], &[]).status, 204);
    assert_eq!(objects.keys().len(), 4);
    assert_eq!(send(objects.address, "PUT", "/sheets/club/0123abcd/0-0.photo", &[], b"left behind").status, 200);
    assert_eq!(send(objects.address, "PUT", "/sheets/other/file", &[], b"of somebody else").status, 200);
    let young = objects.program("queue", &server).args(["--sweep", "1"]).output().unwrap();
    assert!(text(&young.stdout).contains("files of 0 jobs"), "{}{}", text(&young.stdout), text(&young.stderr));
    let swept = objects.program("queue", &server).args(["--sweep", "0"]).output().unwrap();
    assert!(text(&swept.stdout).contains("files of 1 jobs"), "{}{}", text(&swept.stdout), text(&swept.stderr));
    assert_eq!(objects.keys().len(), 5, "{:?}", objects.keys());
    assert_eq!(send(address, "DELETE", &jobs[1], &[], &[]).status, 204);
    assert_eq!(objects.keys(), ["other/file"]);
}

#[test]
fn an_archive_goes_through_an_object_store() {
    let (Some(server), Some(objects)) = (Postgres::start("archive"), ObjectStore::start()) else { return };
    let folder = Folder::new("archive");
    let photos = folder.join("in");
    std::fs::create_dir_all(&photos).unwrap();
    std::fs::copy(sample("german.jpg"), photos.join("german.jpg")).unwrap();
    let _worker =
        Running(objects.program("worker", &server).args(["--jobs", "1"]).stderr(Stdio::null()).spawn().unwrap());
    let out = folder.join("out");
    let mut batch = objects.program("batch", &server);
    let batch = batch.arg(&photos).arg("--quiet").arg("--out").arg(&out).output().unwrap();
    assert!(matches!(batch.status.code(), Some(0 | 1)), "{}", text(&batch.stderr));
    let pgn = std::fs::read_to_string(out.join("event.pgn")).unwrap();
    assert!(pgn.contains("1. e4 e5 2. Nf3 Nc6"), "{pgn}");
    assert!(objects.keys().is_empty(), "nothing stays: {:?}", objects.keys());
}

#[test]
fn an_object_store_that_cannot_be_used_is_said() {
    let (Some(server), Some(mut objects)) = (Postgres::start("away"), ObjectStore::start()) else { return };
    let said = |mut command: Command| {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    let queue = |variable: &str, value: &str| {
        let mut program = objects.program("queue", &server);
        program.env(variable, value);
        program
    };
    assert!(said(queue("AWS_ACCESS_KEY_ID", "")).contains("Set AWS_ACCESS_KEY_ID"));
    assert!(said(queue("AWS_ENDPOINT_URL", "")).contains("Set AWS_ENDPOINT_URL"));
    assert!(said(queue("AWS_ENDPOINT_URL", "ftp://s3.example.org")).contains("ftp://s3.example.org"));
    assert!(said(objects.program_at("s3://no-such-bucket/club", "queue", &server)).contains("NoSuchBucket"));
    assert!(said(objects.program_at("s3:///club", "worker", &server)).contains("names no bucket"));
    let mut alone = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    alone.args(["serve", "--listen", "127.0.0.1:0", "--data", "s3://sheets"]).env_remove("SCORESHEET_QUEUE");
    assert!(said(alone).contains("Give --queue"));

    // While it is away uploads are refused for the moment, and nothing is queued.
    let (address, _serving) = serve(&objects, &server);
    drop(objects.server.0.kill());
    drop(objects.server.0.wait());
    let refused = upload(address, &[("sheet", "german.jpg")]);
    assert_eq!(refused.status, 503, "{}", refused.text());
    assert!(refused.has("retry-after:"));
    assert!(send(address, "GET", "/v1/jobs", &[], &[]).json()["jobs"].as_array().unwrap().is_empty());
}

/// A certificate authority and a certificate of it for localhost, made with openssl; false where that is missing.
pub fn certificates(folder: &Folder) -> bool {
    let openssl = |args: &[&str]| {
        let mut command = Command::new("openssl");
        command.args(args).current_dir(&folder.0).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let new = ["req", "-newkey", "rsa:2048", "-nodes", "-subj"];
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n").unwrap();
    openssl(&[&new[..], &["/CN=test authority", "-x509", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"]].concat())
        && openssl(&[&new[..], &["/CN=localhost", "-keyout", "server.key", "-out", "server.csr"]].concat())
        && openssl(&[
            "x509",
            "-req",
            "-in",
            "server.csr",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            "names",
            "-out",
            "server.pem",
        ])
}

#[test]
fn an_object_store_over_tls_must_be_trusted() {
    let folder = Folder::new("tls");
    if !certificates(&folder) {
        eprintln!("skipped: openssl is not on this machine");
        return;
    }
    let (certificate, key) = (folder.join("server.pem"), folder.join("server.key"));
    let options = ["-c", certificate.to_str().unwrap(), "-k", key.to_str().unwrap()];
    let (Some(server), Some(objects)) = (Postgres::start("tls"), ObjectStore::run(&options)) else { return };
    let said = |trusted: &str| {
        let mut program = objects.program("queue", &server);
        program.env("AWS_ENDPOINT_URL", format!("https://localhost:{}", objects.address.port()));
        text(&program.env("SSL_CERT_FILE", folder.join(trusted)).output().unwrap().stderr)
    };
    assert!(said("ca.pem").contains("NoSuchBucket"), "it is asked: {}", said("ca.pem"));
    std::fs::write(folder.join("nobody.pem"), "").unwrap();
    assert!(said("nobody.pem").contains("certificate"), "it is not trusted: {}", said("nobody.pem"));
}
