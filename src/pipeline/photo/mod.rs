//! From files to upright grey photos of one sheet each, and what to say of a poor photo.

pub(super) mod advice;
pub mod apart;
pub mod documents;
pub(crate) mod heic;
pub mod ingest;
pub(super) mod negative;
pub(super) mod tiff;
