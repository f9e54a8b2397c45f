//! What can go wrong, in sentences that a person can act on.

use thiserror::Error;

/// Why a sheet was not read. Every message says what is wrong and what to do next.
#[derive(Debug, Error)]
pub enum Error {
    #[error("{path}: {cause}. Check the path and the permissions.")]
    Open { path: String, cause: std::io::Error },
    #[error("cannot write {path}: {cause}. Check that the folder exists and has room.")]
    Write { path: String, cause: std::io::Error },
    #[error("{file} is empty. Copy the photo again from the camera or scanner.")]
    Empty { file: String },
    #[error("{file} is not a picture that can be read (JPEG, PNG, WebP, TIFF, HEIC or PDF). Send the photo itself.")]
    NotAPicture { file: String },
    #[error(
        "{file} is in a phone's own format (AVIF, or HEIC of a rare kind), which is not read. Save it as JPEG (on an iPhone: Settings, Camera, Formats, Most Compatible)."
    )]
    PhoneFormat { file: String },
    #[error("{file}: {cause}. Save its pages as JPEG or PNG and send those.")]
    Pdf { file: String, cause: String },
    #[error("{file} is damaged or cut short ({cause}). Copy the photo again from the camera or scanner.")]
    Damaged { file: String, cause: String },
    #[error("{file} is too large: {what}. Send a photo of at most {limit}.")]
    TooLarge { file: String, what: String, limit: String },
    #[error(
        "{file} is too small to be read ({width} x {height} pixels). Send a photo in which a row is at least 16 pixels high."
    )]
    TooSmall { file: String, width: u32, height: u32 },
    #[error("{file}: no table of moves was found ({cause}). Photograph the whole sheet, flat, upright and well lit.")]
    NoTable { file: String, cause: String },
    #[error(
        "{file}: the sheet was found, but no move is written on it that can be seen. If there are moves on it, photograph it closer and in even light."
    )]
    Blank { file: String },
    #[error("{file}: hardly anything in what looks like its table of moves reads as chess moves. {advice}")]
    Unreadable { file: String, advice: String },
    #[error(
        "{file}: the sheet starts at move {number} and the moves before it are not in the picture, so the game cannot be followed. Photograph the whole sheet, or give its first page before this one."
    )]
    StartsLate { file: String, number: u32 },
    #[error("the model {file} cannot be used: {cause}. Install it again.")]
    Model { file: String, cause: String },
    #[error(
        "ONNX Runtime cannot be loaded from {library}: {cause}. Set ORT_DYLIB_PATH to its shared library, or leave --runtime ort out."
    )]
    Runtime { library: String, cause: String },
    #[error("The reading was stopped. Start it again when you like.")]
    Stopped,
    /// A correction that cannot be followed.
    #[error("{0}")]
    Pin(String),
    #[error("{0}")]
    Usage(String),
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;
