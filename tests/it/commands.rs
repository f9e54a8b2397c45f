//! What commands refuse, and where they leave their files.

use crate::util::{sample, scoresheet};
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("scoresheet-commands-{name}-{}", std::process::id()));
    drop(std::fs::remove_dir_all(&path));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[cfg(feature = "service")]
#[test]
fn settings_that_cannot_work_are_refused() {
    let folder = folder("settings");
    let keys = folder.join("keys.txt");
    std::fs::write(&keys, "# nobody yet\n").unwrap();
    let (data, keys) = (folder.join("data"), keys.to_str().unwrap().to_owned());
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let batch = ["batch", ".", "--out", data.to_str().unwrap()];
    let cases: [(&[&str], [&str; 2], &str); 6] = [
        (&serve, ["--workers", "0"], "nothing is ever read"),
        (&serve, ["--time-limit", "0"], "1 or more"),
        (&serve, ["--keep-days", "0"], "1 or more"),
        (&serve, ["--most-waiting", "0"], "1 or more"),
        (&serve, ["--keys", &keys], "holds no key"),
        (&batch, ["--jobs", "0"], "1 or more"),
    ];
    for (command, setting, words) in cases {
        let out = scoresheet(&[command, &setting].concat());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(words), "{setting:?}: {said}");
    }
    assert!(!data.exists(), "nothing is left behind");
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(feature = "service")]
#[test]
fn one_service_at_a_time_uses_a_folder() {
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};
    let folder = folder("held");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", folder.to_str().unwrap()];
    let start = || -> Child {
        let mut child =
            Command::new(env!("CARGO_BIN_EXE_scoresheet")).args(serve).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("open http://")));
        child
    };
    for _ in 0..2 {
        let mut first = start();
        let second = scoresheet(&serve);
        let said = String::from_utf8_lossy(&second.stderr).into_owned();
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(second.status.code() == Some(2) && said.contains("in use by another"), "{said}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn pictures_of_photos_of_one_name_are_told_apart() {
    let folder = folder("inspect");
    let photo = |place: &str| {
        std::fs::create_dir_all(folder.join(place)).unwrap();
        let path = folder.join(place).join("x.jpg");
        std::fs::copy(sample("english-scan.jpg"), &path).unwrap();
        path
    };
    let (a, b, out) = (photo("a"), photo("b"), folder.join("out"));
    let inspected = scoresheet(&["inspect".as_ref(), a.as_os_str(), b.as_os_str(), "--out".as_ref(), out.as_os_str()]);
    assert!(inspected.status.success(), "{}", String::from_utf8_lossy(&inspected.stderr));
    for name in ["x-page.png", "x-2-page.png", "x-grid.png", "x-2-grid.png", "x-cells.png", "x-2-cells.png"] {
        assert!(out.join(name).exists(), "{name}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
