//! Integration tests, one binary: the whole way from photo to PGN.

mod bad_input;
mod fake;
mod figures;
#[cfg(feature = "ort")]
mod parity;
mod perspective;
mod pipeline;
mod review;
mod samples;
mod util;
