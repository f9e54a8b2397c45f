//! Integration tests, one binary: the whole way from photo to PGN.

#[cfg(feature = "service")]
mod addresses;
mod bad_input;
mod batch;
mod commands;
mod fake;
#[cfg(feature = "queue")]
mod faults;
mod figures;
#[cfg(feature = "service")]
mod http;
#[cfg(feature = "service")]
mod load;
mod notate;
#[cfg(feature = "queue")]
mod objects;
#[cfg(feature = "ort")]
mod parity;
mod perspective;
mod pipeline;
#[cfg(feature = "queue")]
mod postgres;
#[cfg(feature = "service")]
mod read_again;
mod review;
mod samples;
#[cfg(feature = "queue")]
mod scale;
#[cfg(feature = "service")]
mod service;
mod util;
