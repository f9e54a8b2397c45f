//! Any bytes are either a photo within the limits or a sentence: `cargo +nightly fuzz run ingest samples/bad`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scoresheet::pipeline::ingest::{IngestLimits, ingest};

fuzz_target!(|bytes: &[u8]| {
    let limits = IngestLimits { pixels: 4_000_000, memory: 64 << 20, ..IngestLimits::default() };
    let _ = ingest("fuzz", bytes, &limits);
});
