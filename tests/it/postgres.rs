//! A PostgreSQL server of one's own, in a folder that goes when the test ends.

use std::path::PathBuf;
use std::process::{Command, Stdio};

pub struct Postgres {
    folder: PathBuf,
    programs: PathBuf,
    /// User and group to run as: the server refuses to run as root.
    user: Option<(u32, u32)>,
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
    /// Starts a server, or says that the test is skipped where there is none.
    pub fn start(name: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: PostgreSQL is not on this machine (Debian: apt-get install postgresql)");
            return None;
        };
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"));
        let user = ["postgres", "nobody"].iter().find_map(|user| Some((id("-u", user)?, id("-g", user)?)));
        let folder = std::env::temp_dir().join(format!("scoresheet-pg-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        let server = Self { folder, programs, user: user.filter(|_| is_root) };
        if let Some((user, group)) = server.user {
            std::os::unix::fs::chown(&server.folder, Some(user), Some(group)).unwrap();
        }
        server
            .run("initdb", &["--pgdata", "data", "--auth", "trust", "--username", "scoresheet", "--encoding", "UTF8"]);
        server.control_start();
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
        let options = format!("-k {} -c listen_addresses=''", self.folder.display());
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
