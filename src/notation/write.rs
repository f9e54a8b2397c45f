//! A move in the notation that someone wants to read.

use super::language::english_piece;
use super::{Language, MoveShape, described, legal_shapes, typed};
use cozy_chess::util::{display_san_move, display_uci_move};
use cozy_chess::{Board, Move, Piece, Square};

/// A way to write moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Standard Algebraic Notation with English letters, as in PGN.
    San,
    /// The same with another language's letters, or figurines.
    Letters(&'static Language),
    /// Both squares: `Ng1-f3`, `c3xd4`.
    Long,
    /// Long, with the piece that was taken: `Ra2xBb2`.
    Reversible,
    /// UCI's long form: `g1f3`, castling as the king's step.
    Uci,
    /// The numeric notation of correspondence chess: `7163`.
    Numeric,
    /// Descriptive notation: English `N-KB3`, Spanish `C3AR`.
    Descriptive(&'static Language),
}

impl System {
    /// The system of a name: `san`, `long`, `reversible`, `uci`, `iccf`, `descriptive`, `descriptive-es`, `figurines`, or a language's code;
    /// in capitals or not.
    pub fn find(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Some(match name.as_str() {
            "san" | "en" => Self::San,
            "long" => Self::Long,
            "reversible" => Self::Reversible,
            "uci" => Self::Uci,
            "iccf" => Self::Numeric,
            "descriptive" | "descriptive-es" => {
                let language = Language::find(name.strip_prefix("descriptive-").unwrap_or("en"))?;
                Self::Descriptive(language.ways().find(|way| !way.is_algebraic())?)
            }
            code => Self::Letters(Language::find(code)?),
        })
    }

    /// Writes a legal move of a position.
    pub fn write(self, board: &Board, mv: Move) -> String {
        let san = display_san_move(board, mv).to_string();
        match self {
            Self::San => san,
            Self::Letters(language) => with_letters(&san, language),
            Self::Uci => display_uci_move(board, mv).to_string(),
            Self::Numeric => numeric(board, mv),
            Self::Long | Self::Reversible => long(board, mv, &san, self == Self::Reversible),
            Self::Descriptive(language) => descriptive(board, mv, &san, language),
        }
    }
}

/// The letters of a language as they are printed: the table keeps those of other scripts by their shape, and the X of
/// Vietnamese as a small letter.
fn printed(language: &Language, piece: Piece) -> &'static str {
    let index = match piece {
        Piece::King => 0,
        Piece::Queen => 1,
        Piece::Rook => 2,
        Piece::Bishop => 3,
        _ => 4,
    };
    let letters = match language.code {
        "ru" => ["Кр", "Ф", "Л", "С", "К"],
        "uk" => ["Кр", "Ф", "Т", "С", "К"],
        "bg" => ["Ц", "Д", "Т", "О", "К"],
        "sr" => ["К", "Д", "Т", "Л", "С"],
        "el" => ["Ρ", "Β", "Π", "Α", "Ι"],
        "tr" => ["Ş", "V", "K", "F", "A"],
        "az" => ["Ş", "V", "T", "F", "A"],
        "vi" => ["V", "H", "X", "T", "M"],
        _ => return language.letter(piece),
    };
    letters[index]
}

fn with_letters(san: &str, language: &Language) -> String {
    // Castling holds no letter of a piece, and files are small letters.
    san.chars().fold(String::new(), |mut out, c| {
        match english_piece(c) {
            Some(piece) => out.push_str(printed(language, piece)),
            None => out.push(c),
        }
        out
    })
}

fn shape_of(board: &Board, mv: Move) -> Option<MoveShape> {
    let mut shapes = Vec::new();
    legal_shapes(board, &mut shapes);
    shapes.into_iter().find(|(m, _)| *m == mv).map(|(_, shape)| shape)
}

/// What SAN writes behind the squares: promotion, check and mate.
fn tail(san: &str) -> &str {
    let start = san.find(['=', '+', '#']).unwrap_or(san.len());
    &san[start..]
}

fn long(board: &Board, mv: Move, san: &str, reversible: bool) -> String {
    let Some(shape) = shape_of(board, mv).filter(|shape| !shape.castles) else { return san.to_owned() };
    let letter = |piece: Piece| if piece == Piece::Pawn { "" } else { english(piece) };
    let sign = match shape.captured {
        None => "-".to_owned(),
        Some(piece) if reversible => format!("x{}", letter(piece)),
        Some(_) => "x".to_owned(),
    };
    let passant = if shape.en_passant { " e.p." } else { "" };
    format!("{}{}{sign}{}{}{passant}", letter(shape.piece), shape.from, shape.to, tail(san))
}

fn english(piece: Piece) -> &'static str {
    ["P", "N", "B", "R", "Q", "K"][piece as usize]
}

fn numeric(board: &Board, mv: Move) -> String {
    let to = shape_of(board, mv).map_or(mv.to, |shape| shape.to);
    let square = |square: Square| format!("{}{}", square.file() as u8 + 1, square.rank() as u8 + 1);
    let promoted = match mv.promotion {
        Some(Piece::Queen) => "1",
        Some(Piece::Rook) => "2",
        Some(Piece::Bishop) => "3",
        Some(Piece::Knight) => "4",
        _ => "",
    };
    format!("{}{}{promoted}", square(mv.from), square(to))
}

/// The likeliest descriptive spelling that says no other legal move.
fn descriptive(board: &Board, mv: Move, san: &str, language: &'static Language) -> String {
    let Some(shape) = shape_of(board, mv) else { return san.to_owned() };
    let passant = if shape.en_passant { " e.p." } else { "" };
    let mut spellings = described::spellings(&shape, language).into_iter().map(|body| body + passant);
    let check = match tail(san).chars().last() {
        Some('+') => "ch",
        Some('#') => " mate",
        _ => "",
    };
    let told = spellings.find(|text| typed::read(board, text, language) == [mv]);
    // The short form has its own mark of check.
    told.map_or_else(|| san.to_owned(), |text| text + check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_move;

    fn written(fen: &str, uci: &str, systems: &[&str]) -> Vec<String> {
        let board: Board = fen.parse().unwrap();
        let mv = cozy_chess::util::parse_uci_move(&board, uci).unwrap();
        systems.iter().map(|name| System::find(name).unwrap().write(&board, mv)).collect()
    }

    #[test]
    fn a_capture_is_written_in_every_system() {
        let fen = "4k3/8/8/8/8/8/rb6/R3K3 w - - 0 1";
        let systems = ["san", "long", "reversible", "uci", "iccf", "de", "ru", "figurines", "descriptive"];
        let expected = ["Rxa2", "Ra1xa2", "Ra1xRa2", "a1a2", "1112", "Txa2", "Лxa2", "♖xa2", "RxR"];
        assert_eq!(written(fen, "a1a2", &systems), expected);
    }

    #[test]
    fn castling_promotion_and_en_passant_are_written() {
        assert_eq!(
            written("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", &["long", "uci", "iccf"]),
            ["O-O", "e1g1", "5171"]
        );
        assert_eq!(
            written("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", &["long", "iccf", "fr"]),
            ["a7-a8=N", "17184", "a8=C"]
        );
        let passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(written(passant, "e5d6", &["reversible", "long"]), ["e5xd6 e.p.", "e5xd6 e.p."]);
    }

    #[test]
    fn descriptive_names_en_passant_and_squares() {
        let passant = "8/8/8/3pPk2/8/8/8/4K3 w - d6 0 1";
        assert_eq!(written(passant, "e5d6", &["descriptive"]), ["PxP e.p."]);
        let check = "8/4k3/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(written(check, "e5d6", &["Descriptive", "descriptive-ES"]), ["PxP e.p.ch", "PxP e.p.ch"]);
        let knights = "4k3/8/8/8/8/1N6/8/1N2K3 w - - 0 1";
        assert_eq!(written(knights, "b1d2", &["descriptive", "descriptive-es"]), ["N(QN1)-Q2", "C(1CD)2D"]);
    }

    #[test]
    fn names_of_systems_may_be_in_capitals() {
        let fen = "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1";
        assert_eq!(written(fen, "g1f3", &["ICCF", "UCI", "San", "DE"]), ["7163", "g1f3", "Nf3", "Sf3"]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut board = Board::default();
        for san in "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Bg4 h3 h5 hxg4 hxg4 Nxe5 Qh4 f4 g3".split_whitespace() {
            let mv = parse_move(&board, san, None).unwrap();
            for name in ["long", "uci", "iccf", "de", "fr", "ru", "el", "figurines", "descriptive", "descriptive-es"] {
                let system = System::find(name).unwrap();
                let language = match system {
                    System::Letters(language) => Some(language),
                    System::Descriptive(language) => Some(language),
                    _ => None,
                };
                let text = system.write(&board, mv);
                assert_eq!(parse_move(&board, &text, language), Some(mv), "{san} as {text} in {name}");
            }
            board.play_unchecked(mv);
        }
    }
}
