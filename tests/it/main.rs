//! Integration tests, one binary: the whole way from photo to PGN.

mod bad_input;
mod fake;
mod figures;
mod pipeline;
mod samples;
mod util;
