//! Bad input gets a sentence and exit status 2: no panic, no empty PGN.

use crate::util::{sample, scoresheet};
use image::{GrayImage, Luma};
use scoresheet::error::Result;
use scoresheet::pipeline::cells::Crop;
use scoresheet::pipeline::recognise::{Recogniser, TractRecogniser};
use scoresheet::pipeline::{PhotoFile, ReadOptions, SheetFiles, read_game};
use scoresheet::reading::{Alphabet, Reading};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads a file that is no sheet and returns what was said.
fn refused(path: &std::path::Path) -> String {
    let out = scoresheet(&["read".as_ref(), path.as_os_str()]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{}: {said}", path.display());
    assert!(out.stdout.is_empty(), "{}: something was printed", path.display());
    assert!(!said.contains("panicked"), "{}: {said}", path.display());
    assert_eq!(said.lines().count(), 1, "{}: {said}", path.display());
    said
}

#[test]
fn what_is_wrong_is_said() {
    for (file, words) in [
        ("notes.jpg", "not a picture"),
        ("enormous.png", "too large"),
        ("tiny.jpg", "too small"),
        ("blank-form.jpg", "no move is written"),
    ] {
        let said = refused(&sample("bad").join(file));
        assert!(said.contains(words), "{file}: {said}");
    }
    assert!(refused("no/such/photo.jpg".as_ref()).contains("no/such/photo.jpg"));
}

#[test]
fn a_photo_of_something_else_is_no_game() {
    refused(&sample("bad/landscape.jpg"));
}

/// Counts the cells that are read.
struct Counting(TractRecogniser, AtomicUsize);

impl Recogniser for Counting {
    fn alphabet(&self) -> &Alphabet {
        self.0.alphabet()
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        self.1.fetch_add(crops.len(), Ordering::Relaxed);
        self.0.read(crops)
    }

    fn read_again(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        self.1.fetch_add(crops.len(), Ordering::Relaxed);
        self.0.read_again(crops)
    }
}

#[test]
fn noise_is_refused_before_all_of_it_is_read() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let noise = GrayImage::from_fn(1500, 2000, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Luma([(state >> 32) as u8])
    });
    let recogniser = Counting(TractRecogniser::embedded().unwrap(), AtomicUsize::new(0));
    let file = PhotoFile { grey: Some(noise), ..PhotoFile::new("noise", Vec::new()) };
    let sheet = SheetFiles { keeper: None, pages: vec![file] };
    assert!(read_game(&[sheet], &recogniser, &ReadOptions::default()).is_err());
    let read = recogniser.1.load(Ordering::Relaxed);
    assert!(read < 300, "{read} cells were read");
}

#[test]
fn broken_files_never_panic() {
    for (file, times) in [("bad/tiny.jpg", 300), ("phone.heic", 30)] {
        broken_never_panics(&std::fs::read(sample(file)).unwrap(), times);
    }
}

/// A seeded walk over flipped bytes and cut ends of a real file.
fn broken_never_panics(whole: &[u8], times: usize) {
    use scoresheet::pipeline::photo::ingest::{IngestLimits, ingest};
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..times {
        let mut bytes = whole.to_vec();
        for _ in 0..1 + random(8) {
            let at = random(bytes.len());
            bytes[at] = random(256) as u8;
        }
        // Every other file is whole but for those bytes.
        if random(2) == 0 {
            bytes.truncate(1 + random(bytes.len()));
        }
        if let Err(error) = ingest("broken.jpg", &bytes, &IngestLimits::default()) {
            assert!(error.to_string().starts_with("broken.jpg"), "{error}");
        }
    }
}
