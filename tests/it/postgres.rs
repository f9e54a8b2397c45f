//! A PostgreSQL server of one's own, in a folder that goes when the test ends.

use crate::objects::certificates;
use crate::scale::Folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Postgres {
    folder: PathBuf,
    programs: PathBuf,
    /// User and group to run as: the server refuses to run as root.
    user: Option<(u32, u32)>,
    /// How it listens.
    options: String,
}

/// The folder of the server's programs.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).collect();
    folders.extend(std::env::split_paths(&path));
    folders.into_iter().find(|folder| folder.join("initdb").exists() && folder.join("pg_ctl").exists())
}

fn id(option: &str, user: &str) -> Option<u32> {
    let output = Command::new("id").args([option, user]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

impl Postgres {
    /// Starts a server that is reached in its folder only, or says that the test is skipped where there is none.
    pub fn start(name: &str) -> Option<Self> {
        let server = Self::new(name)?;
        server.control_start();
        Some(server)
    }

    /// Starts a server that takes connections by TLS only, at a port of localhost, with the certificate in a folder.
    fn start_encrypted(name: &str, certificates: &Path) -> Option<(Self, String)> {
        let mut server = Self::new(name)?;
        for file in ["server.pem", "server.key"] {
            let own = server.folder.join(file);
            std::fs::copy(certificates.join(file), &own).unwrap();
            std::fs::set_permissions(&own, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
            if let Some((user, group)) = server.user {
                std::os::unix::fs::chown(&own, Some(user), Some(group)).unwrap();
            }
        }
        std::fs::write(server.folder.join("data/pg_hba.conf"), "hostssl all all all trust\n").unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let files = "-c ssl=on -c ssl_cert_file=../server.pem -c ssl_key_file=../server.key";
        server.options = format!("-c listen_addresses=localhost -c port={port} {files}");
        server.control_start();
        Some((server, format!("postgresql://scoresheet@localhost:{port}/postgres")))
    }

    /// The files of a server, or a word that the test is skipped where there is none.
    fn new(name: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: PostgreSQL is not on this machine (Debian: apt-get install postgresql)");
            return None;
        };
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"));
        let user = ["postgres", "nobody"].iter().find_map(|user| Some((id("-u", user)?, id("-g", user)?)));
        let folder = std::env::temp_dir().join(format!("scoresheet-pg-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        let options = "-c listen_addresses=''".to_owned();
        let server = Self { folder, programs, user: user.filter(|_| is_root), options };
        if let Some((user, group)) = server.user {
            std::os::unix::fs::chown(&server.folder, Some(user), Some(group)).unwrap();
        }
        server
            .run("initdb", &["--pgdata", "data", "--auth", "trust", "--username", "scoresheet", "--encoding", "UTF8"]);
        Some(server)
    }

    fn run(&self, program: &str, args: &[&str]) {
        let mut command = Command::new(self.programs.join(program));
        command.args(args).current_dir(&self.folder);
        if let Some((user, group)) = self.user {
            std::os::unix::process::CommandExt::gid(&mut command, group);
            std::os::unix::process::CommandExt::uid(&mut command, user);
        }
        let log = std::fs::File::create(self.folder.join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let status = command.status().unwrap();
        let said = || std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert!(status.success(), "{program} {args:?}: {}", said());
    }

    fn control_start(&self) {
        let options = format!("-k {} {}", self.folder.display(), self.options);
        self.run("pg_ctl", &["start", "--pgdata", "data", "--log", "server.log", "--options", &options, "--wait"]);
    }

    /// The server ends as in a power cut, stays away for a while, and recovers.
    pub fn crash(&self, away: std::time::Duration) {
        self.run("pg_ctl", &["stop", "--pgdata", "data", "--mode", "immediate", "--wait"]);
        std::thread::sleep(away);
        self.control_start();
    }

    /// Address of the database.
    pub fn address(&self) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        format!("postgresql://scoresheet@{folder}/postgres")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut command = Command::new(self.programs.join("pg_ctl"));
        command.args(["stop", "--mode", "immediate", "--pgdata"]).arg(self.folder.join("data"));
        if let Some((user, group)) = self.user {
            std::os::unix::process::CommandExt::gid(&mut command, group);
            std::os::unix::process::CommandExt::uid(&mut command, user);
        }
        drop(command.stdout(Stdio::null()).stderr(Stdio::null()).status());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

#[test]
fn a_database_over_tls_must_be_trusted() {
    let folder = Folder::new("database-tls");
    if !certificates(&folder) {
        eprintln!("skipped: openssl is not on this machine");
        return;
    }
    let Some((_server, address)) = Postgres::start_encrypted("encrypted", &folder.0) else { return };
    std::fs::write(folder.join("nobody.pem"), "").unwrap();
    let ask = |address: &str, trusted: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        program.args(["queue", "--queue", address, "--data"]).arg(folder.join("data"));
        let output = program.env("SSL_CERT_FILE", folder.join(trusted)).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for mode in ["require", "verify-full"] {
        let (works, said) = ask(&format!("{address}?sslmode={mode}"), "ca.pem");
        assert!(works, "{said}");
    }
    let (works, said) = ask(&format!("{address}?sslmode=require"), "nobody.pem");
    assert!(!works && said.contains("certificate"), "it is not trusted: {said}");
    let by_number = address.replace("localhost", "127.0.0.1");
    let (works, said) = ask(&format!("{by_number}?sslmode=require"), "ca.pem");
    assert!(!works && said.contains("certificate"), "it bears another name: {said}");
    let (works, said) = ask(&address, "ca.pem");
    assert!(!works && said.contains("no encryption"), "it asks for encryption: {said}");
}
