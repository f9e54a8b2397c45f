//! A folder of photos becomes games: pairing, resuming, and what is left behind.

use crate::util::{real_sheets, sample};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that goes when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("scoresheet-batch-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&path));
        std::fs::create_dir_all(path.join("in")).unwrap();
        Self(path)
    }

    fn photos(&self) -> PathBuf {
        self.0.join("in")
    }

    fn out(&self) -> PathBuf {
        self.0.join("out")
    }

    fn put(&self, from: &Path, name: &str) {
        let to = self.photos().join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        command.arg("batch").arg(self.photos()).arg("--out").arg(self.out()).args(more);
        command
    }

    fn run(&self, more: &[&str]) -> Output {
        self.command(more).output().unwrap()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.out().join(name)).unwrap()
    }

    /// The lines of games.jsonl.
    fn games(&self) -> Vec<serde_json::Value> {
        self.text("games.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The photos of each game that was read.
    fn groups(&self) -> Vec<Vec<String>> {
        let photos = |game: &serde_json::Value| serde_json::from_value(game["photos"].clone()).unwrap();
        self.games().iter().filter(|game| !game["game"].is_null()).map(photos).collect()
    }

    /// Photos that the journal has as read, counting a photo as often as it was.
    fn pages_read(&self) -> usize {
        let journal = std::fs::read_to_string(self.out().join("work/journal.jsonl")).unwrap_or_default();
        journal.lines().filter(|line| line.contains("\"done\":\"page\"")).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_mixed_folder_becomes_games_and_a_report() {
    let folder = Folder::new("mixed");
    // Names that say nothing, in an order that parts what belongs together.
    folder.put(&sample("both-players-black.jpg"), "a/IMG_0001.jpg");
    folder.put(&sample("two-pages-2.jpg"), "a/IMG_0002.jpg");
    folder.put(&sample("both-players-white.jpg"), "b/IMG_0003.dat");
    folder.put(&sample("two-pages-1.jpg"), "b/IMG_0004.jpg");
    folder.put(&sample("two-pages-1.jpg"), "c/copy.jpg");
    folder.put(&sample("corrections.jpg"), "c/r2-b1 <i>.jpg");
    folder.put(&sample("bad/notes.jpg"), "c/notes.jpg");
    folder.put(&sample("bad/blank-form.jpg"), "c/blank.jpg");
    std::fs::write(folder.photos().join("list.txt"), "no photo").unwrap();
    std::fs::write(folder.photos().join("old.zip"), b"PK\x03\x04....").unwrap();
    let event = folder.0.join("pairings.csv");
    std::fs::write(&event, "Round,Board,White,Black,Result\n2,1,\"Berg, Eva\",\"Thal, Jan\",1-0\n").unwrap();
    let first = folder.run(&["--event", event.to_str().unwrap()]);
    assert_eq!(first.status.code(), Some(2), "{}", said(&first));
    let mut groups = folder.groups();
    groups.sort();
    assert_eq!(
        groups,
        [
            vec!["a/IMG_0001.jpg".to_owned(), "b/IMG_0003.dat".to_owned()],
            vec!["b/IMG_0004.jpg".to_owned(), "a/IMG_0002.jpg".to_owned()],
            vec!["c/r2-b1 <i>.jpg".to_owned()],
        ]
    );
    let games = folder.games();
    let named = |part: &str| games.iter().find(|game| game["photos"][0].as_str().unwrap().contains(part)).unwrap();
    assert_eq!(named("IMG_0004")["spare"][0], "c/copy.jpg");
    assert_eq!(named("IMG_0004")["game"]["sheets"][0]["pages"].as_array().unwrap().len(), 2);
    assert_eq!(named("r2-b1")["tags"]["White"]["value"], "Berg, Eva");
    assert!(named("r2-b1")["tags"]["White"]["source"].as_str().unwrap().starts_with("pairings.csv, line 2"));
    assert!(folder.text("event.pgn").contains("[White \"Berg, Eva\"]"));
    let decided = &named("r2-b1")["game"];
    assert_eq!([&decided["result"], &decided["result_origin"]["source"]], ["1-0", "event"]);
    for (part, words) in [("notes", "not a picture"), ("blank", "no move is written"), ("old.zip", "ZIP archive")] {
        let reason = named(part)["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains(words) && named(part)["game"].is_null(), "{part}: {reason}");
    }
    assert_eq!(std::fs::read_dir(folder.out().join("games")).unwrap().count(), 3);
    assert_eq!(folder.text("games.csv").lines().count(), 1 + games.len());
    assert!(folder.text("games.csv").contains("b/IMG_0004.jpg; a/IMG_0002.jpg,c/copy.jpg\n"));
    let report = folder.text("report.html");
    assert!(report.contains("r2-b1 &lt;i&gt;") && !report.contains("<i>.jpg"));
    assert!(report.contains("data:image/jpeg;base64,") && !report.contains("src=\"http"));

    // Nothing is read again, also under other names; the report is the same but for its time.
    let read = folder.pages_read();
    std::fs::rename(folder.photos().join("a/IMG_0001.jpg"), folder.photos().join("a/other.jpg")).unwrap();
    let second = folder.run(&["--event", event.to_str().unwrap()]);
    assert_eq!(second.status.code(), Some(2), "{}", said(&second));
    assert_eq!(folder.pages_read(), read);
    assert!(folder.groups().iter().any(|group| group.contains(&"a/other.jpg".to_owned())));
    assert!(!folder.out().join("games/a-IMG_0001.pgn").exists());
    assert!(folder.out().join("games/a-other.pgn").exists());
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let folder = Folder::new("killed");
    for (index, name) in ["english-scan", "german", "french", "spanish", "corrections", "long-game"].iter().enumerate()
    {
        folder.put(&sample(&format!("{name}.jpg")), &format!("{index}.jpg"));
    }
    let mut child = folder.command(&["--jobs", "1", "--quiet"]).stderr(Stdio::null()).spawn().unwrap();
    let start = std::time::Instant::now();
    while folder.pages_read() < 2 && start.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = folder.pages_read();
    assert!((2..6).contains(&before), "{before} photos were read before the kill");
    let output = folder.run(&["--jobs", "1"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
    assert_eq!(folder.pages_read(), 6, "a photo that was done was read again");
    assert_eq!(folder.groups().len(), 6);
    let unfinished = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.unwrap().file_name().to_string_lossy().ends_with(".unfinished")
    };
    for folder in [folder.out(), folder.out().join("games"), folder.out().join("work/games")] {
        assert!(!std::fs::read_dir(folder).unwrap().any(unfinished));
    }
}

#[test]
fn sheets_that_lie_apart_in_a_photo_are_read_one_by_one() {
    let folder = Folder::new("apart");
    let open = |name: &str| image::open(sample(name)).unwrap().into_luma8();
    let desk = |left: &str, right: &str, to: &str| {
        let (left, right) = (open(left), open(right));
        let width = left.width() + right.width() + 300;
        let mut desk = image::GrayImage::from_pixel(width, left.height().max(right.height()) + 200, image::Luma([40]));
        image::imageops::replace(&mut desk, &left, 100, 100);
        image::imageops::replace(&mut desk, &right, i64::from(left.width()) + 200, 100);
        desk.save(folder.photos().join(to)).unwrap();
    };
    // Both players' sheets of one game, and sheets of two games.
    desk("both-players-white.jpg", "both-players-black.jpg", "r1-b1.jpg");
    desk("english-scan.jpg", "french.jpg", "r1-b2.jpg");
    let output = folder.run(&[]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
    let names = |photo: &str| [1, 2].map(|sheet| format!("{photo}, sheet {sheet}"));
    let mut groups = folder.groups();
    groups.sort();
    let [first, second] = names("r1-b2.jpg").map(|name| vec![name]);
    assert_eq!(groups, [names("r1-b1.jpg").to_vec(), first, second]);
    let games = folder.games();
    let pages = games[0]["game"]["sheets"].as_array().unwrap().iter().map(|sheet| &sheet["pages"][0]["file"]);
    assert_eq!(pages.collect::<Vec<_>>(), names("r1-b1.jpg").each_ref());
    assert_eq!(games[0]["tags"]["Board"]["value"], "1");
    assert!(folder.text("games.csv").contains("\"r1-b1.jpg, sheet 1; r1-b1.jpg, sheet 2\""));
    assert!(folder.text("report.html").contains("r1-b2.jpg, sheet 2"));

    // Two photos are in the journal, and nothing is read again but what is lost.
    assert_eq!(folder.pages_read(), 2);
    let before = folder.text("event.pgn");
    assert!(matches!(folder.run(&[]).status.code(), Some(0 | 1)));
    assert_eq!((folder.pages_read(), folder.text("event.pgn")), (2, before));
    std::fs::remove_dir_all(folder.out().join("work/games")).unwrap();
    assert!(matches!(folder.run(&[]).status.code(), Some(0 | 1)));
    assert_eq!(folder.groups().len(), 3);
}

#[cfg(feature = "zip")]
#[test]
fn photos_in_an_archive_are_read_like_others() {
    use std::io::Write;
    let folder = Folder::new("archive");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(folder.photos().join("round 2.zip")).unwrap());
    for (name, bytes) in [
        ("r2/b1 white.jpg", std::fs::read(sample("both-players-white.jpg")).unwrap()),
        ("r2/b1 black.jpg", std::fs::read(sample("both-players-black.jpg")).unwrap()),
        ("r2/list.txt", b"no photo".to_vec()),
        ("r2/older.zip", b"PK\x03\x04....".to_vec()),
    ] {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    writer.finish().unwrap();
    let output = folder.run(&[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let both = ["round 2.zip/r2/b1 black.jpg", "round 2.zip/r2/b1 white.jpg"].map(str::to_owned);
    let mut groups = folder.groups();
    groups.iter_mut().for_each(|group| group.sort());
    assert_eq!(groups, [both]);
    assert!(folder.text("games.csv").contains("is a ZIP archive in another. Unpack it."));
}

#[test]
fn folders_that_cannot_be_used_are_said() {
    let folder = Folder::new("wrong");
    let nothing = folder.run(&[]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(said(&nothing).contains("No photo was found"), "{}", said(&nothing));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(sample("english-scan.jpg"), folder.photos().join("link.jpg")).unwrap();
        let link = folder.run(&[]);
        assert!(said(&link).contains("1 symbolic links were not followed."), "{}", said(&link));
        std::fs::remove_file(folder.photos().join("link.jpg")).unwrap();
    }
    assert!(!folder.out().exists(), "nothing is left behind");
    // What somebody else put there is not touched.
    folder.put(&sample("english-scan.jpg"), "a.jpg");
    std::fs::create_dir(folder.out()).unwrap();
    std::fs::write(folder.out().join("event.pgn"), "mine").unwrap();
    let others = folder.run(&[]);
    assert!(others.status.code() == Some(2) && said(&others).contains("not of an earlier run"), "{}", said(&others));
    assert_eq!(folder.text("event.pgn"), "mine");
    let photo = Command::new(env!("CARGO_BIN_EXE_scoresheet"))
        .arg("batch")
        .arg(sample("notebook.jpg"))
        .arg("--out")
        .arg(folder.0.join("of-a-photo"))
        .output()
        .unwrap();
    assert!(photo.status.code() == Some(2) && said(&photo).contains("is a file"), "{}", said(&photo));
    assert!(
        said(&photo).contains("scoresheet read") && !folder.0.join("of-a-photo").exists(),
        "nothing is left behind"
    );
    let event = folder.0.join("README.md");
    std::fs::write(&event, "A table (Round, Board, White, Black, Result); games get tags where their names say so\n")
        .unwrap();
    let no_event = folder.run(&["--event", event.to_str().unwrap()]);
    assert!(said(&no_event).contains("no pairing was found"), "{}", said(&no_event));
    let same = Command::new(env!("CARGO_BIN_EXE_scoresheet"))
        .arg("batch")
        .arg(folder.photos())
        .arg("--out")
        .arg(folder.photos())
        .output()
        .unwrap();
    assert!(same.status.code() == Some(2) && said(&same).contains("of its own"), "{}", said(&same));
}

#[test]
fn what_people_change_stays_and_a_tournament_file_without_the_games_is_told() {
    let folder = Folder::new("changed");
    folder.put(&sample("both-players-white.jpg"), "r1-1-white.jpg");
    folder.put(&sample("both-players-black.jpg"), "r1-1-black.jpg");
    folder.put(&sample("english-scan.jpg"), "r1-2.jpg");
    let event = folder.0.join("pairings.csv");
    let pairings = |round: u32| {
        let table = format!("Round,Board,White,Black\n{round},1,Berg,Thal\n{round},2,Weiss,Noir\n");
        std::fs::write(&event, table).unwrap();
        let output = folder.run(&["--event", event.to_str().unwrap()]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
        said(&output)
    };
    let others = pairings(7);
    assert!(others.contains("No game was found in pairings.csv, which has 2"), "{others}");
    assert!(folder.text("report.html").contains("No game was found in pairings.csv"));
    let found = pairings(1);
    assert!(!found.contains("pairings.csv"), "{found}");
    assert!(folder.text("games/r1-2.pgn").contains("[White \"Weiss\"]"));
    assert!(folder.text("games/r-1-1.pgn").contains("[White \"Berg\"]"));

    let changed = folder.text("games/r1-2.pgn") + "{ looked at }\n";
    std::fs::write(folder.out().join("games/r1-2.pgn"), &changed).unwrap();
    let again = pairings(1);
    assert!(again.contains("Changed by hand and left as they are: games/r1-2.pgn."), "{again}");
    assert_eq!(folder.text("games/r1-2.pgn"), changed);
    pairings(7);
    assert_eq!(folder.text("games/r1-2.pgn.edited"), changed);
    assert!(!folder.text("games/r1-2.pgn").contains("Weiss"));
}

#[test]
fn both_players_sheets_of_real_games_find_each_other() {
    let Some(dir) = real_sheets("hcs") else { return };
    let folder = Folder::new("real");
    let mut names: Vec<String> = std::fs::read_dir(dir.join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name[..3].parse::<u32>().is_ok_and(|game| game % 6 == 0))
        .collect();
    let games_of = |name: &String| names.iter().filter(|other| other[..3] == name[..3]).count();
    let mut paired: Vec<String> = names.iter().filter(|name| games_of(name) == 2).cloned().collect();
    names.sort();
    // The last digits of a hash shuffle the names.
    paired.sort_by_key(|name| {
        name.bytes().rev().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into())) % 97
    });
    for (index, name) in paired.iter().enumerate() {
        folder.put(&dir.join("pages").join(name), &format!("IMG_{:04}.jpg", 100 + index));
    }
    let output = folder.run(&[]);
    let mut groups = folder.groups();
    groups.iter_mut().for_each(|group| {
        group.iter_mut().for_each(|photo| *photo = paired[photo[4..8].parse::<usize>().unwrap() - 100].clone());
    });
    assert_eq!(groups.len() * 2, paired.len(), "{groups:?}; {}", said(&output));
    assert!(groups.iter().all(|group| group.len() == 2 && group[0][..3] == group[1][..3]), "{groups:?}");
}
