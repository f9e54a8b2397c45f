//! Any bytes are photos within the limits, or a sentence: `cargo +nightly fuzz run ingest samples/bad`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scoresheet::pipeline::PhotoFile;
use scoresheet::pipeline::photo::documents::photos;
use scoresheet::pipeline::photo::ingest::{IngestLimits, ingest};

fuzz_target!(|bytes: &[u8]| {
    let limits = IngestLimits { pixels: 4_000_000, memory: 64 << 20, ..IngestLimits::default() };
    for photo in photos(PhotoFile::new("fuzz", bytes.to_vec()), &limits).unwrap_or_default() {
        let _ = ingest("fuzz", &photo.bytes, &limits);
    }
});
