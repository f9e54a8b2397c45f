//! Chess notation as people write it: piece letters by language, every spelling of a move, a writer's habits.

mod algebraic;
mod described;
pub mod descriptive;
pub mod fen;
pub mod language;
pub mod movetext;
pub mod ngram;
pub mod parse;
pub mod pen;
pub mod retro;
pub mod shape;
pub mod slips;
pub mod spelling;
pub mod stipulation;
pub mod style;
pub mod transcript;
pub mod typed;
pub mod write;

pub use language::{LANGUAGES, Language};
pub use ngram::Notation;
pub use parse::{named_squares, parse_move, spelled_moves};
pub use pen::{Pen, Spelling};
pub use shape::{LegalMoves, MoveShape, legal_shapes};
pub use slips::{ANY_FILE, ANY_PIECE, ANY_RANK, for_each_slip};
pub use spelling::{CheckMark, for_each_spelling, for_each_suffix};
pub use style::{Choice, Habits, Usage};
