//! Piece letters by language.

use crate::reading::symbol_byte;
use cozy_chess::Piece;

/// A language (or a family of languages that share their letters) and its piece letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    /// ISO 639 code of the commonest language with these letters; for notations that are no language's, a name of their
    /// own (`figurines`, `uci`, `iccf`).
    pub code: &'static str,
    /// Name in English, with the languages that write the same letters.
    pub name: &'static str,
    /// King, queen, rook, bishop, knight.
    letters: [&'static str; 5],
    /// The letter of the pawn, which few writers use.
    pawn: &'static str,
    pub scheme: Scheme,
}

/// What moves are told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// The piece and the square it goes to, in letters and digits: `Nf3`.
    Algebraic,
    /// The names of files and the ranks from the mover's side: `N-KB3`.
    Descriptive,
    /// The same with the rank before the file: `C3AR`.
    DescriptiveRankFirst,
    /// Both squares and no piece: `g1f3`, `e4xd5`.
    Coordinates,
    /// Both squares in digits, as in correspondence chess: `7163`.
    Numeric,
}

impl Language {
    const fn new(code: &'static str, name: &'static str, letters: [&'static str; 5], pawn: &'static str) -> Self {
        Self { code, name, letters, pawn, scheme: Scheme::Algebraic }
    }

    /// The language of an ISO 639 code, its region left out (`de-AT` is `de`); none if it is not in the table.
    pub fn find(code: &str) -> Option<&'static Language> {
        let code = code.split(['-', '_']).next().unwrap_or(code).to_ascii_lowercase();
        let alias = match code.as_str() {
            "da" | "nb" | "nn" | "no" | "sv" | "hr" | "sl" | "bs" => "de",
            "it" | "ca" | "gl" => "es",
            "sk" => "cs",
            other => other,
        };
        LANGUAGES.iter().find(|l| l.code == alias)
    }

    /// Whether moves name a piece and a square.
    pub fn is_algebraic(&self) -> bool {
        self.scheme == Scheme::Algebraic
    }

    /// Whether moves name their piece.
    pub fn names_pieces(&self) -> bool {
        !matches!(self.scheme, Scheme::Coordinates | Scheme::Numeric)
    }

    /// What the first letter of a move may be besides that of a piece; castling begins with O.
    pub fn first_signs(&self) -> &'static str {
        match self.scheme {
            Scheme::Algebraic | Scheme::Coordinates => "abcdefghO",
            Scheme::Descriptive | Scheme::DescriptiveRankFirst => "PO",
            Scheme::Numeric => "12345678",
        }
    }

    /// Every entry that shares this one's code: another way to write, or this one alone.
    pub fn ways(&self) -> impl Iterator<Item = &'static Language> {
        let code = self.code;
        LANGUAGES.iter().filter(move |language| language.code == code)
    }

    /// What stands for a piece: one symbol in most languages, by their shapes (see [`crate::reading::Alphabet`]).
    pub fn letter(&self, piece: Piece) -> &'static str {
        match piece {
            Piece::King => self.letters[0],
            Piece::Queen => self.letters[1],
            Piece::Rook => self.letters[2],
            Piece::Bishop => self.letters[3],
            Piece::Knight => self.letters[4],
            Piece::Pawn => self.pawn,
        }
    }

    /// King, queen, rook, bishop, knight.
    pub fn letters(&self) -> &[&'static str; 5] {
        &self.letters
    }

    /// The first byte of what stands for king, queen, rook, bishop and knight.
    pub fn initials(&self) -> [u8; 5] {
        self.letters.map(|letter| letter.chars().next().and_then(symbol_byte).unwrap_or_default())
    }

    /// The bytes (see [`symbol_byte`]) of what stands for a piece.
    pub fn bytes(&self, piece: Piece) -> impl Iterator<Item = u8> + use<> {
        self.letter(piece).chars().filter_map(symbol_byte)
    }
}

/// Every set of piece letters that is confirmed by a federation, a chess program or the PGN standard (section 17).
/// English comes first; languages with the same letters are one entry, since ink cannot tell them apart.
/// A letter with a diacritic is given as its base letter, and letters of other scripts by the Latin letter of the same
/// shape, which is what the recogniser reads.
pub const LANGUAGES: &[Language] = &[
    Language::new("en", "English", ["K", "Q", "R", "B", "N"], "P"),
    Language {
        scheme: Scheme::Descriptive,
        ..Language::new("en", "English, descriptive notation", ["K", "Q", "R", "B", "N"], "P")
    },
    Language::new(
        "de",
        "German (Danish, Norwegian, Swedish, Croatian, Slovenian, Serbian in Latin letters)",
        ["K", "D", "T", "L", "S"],
        "B",
    ),
    Language::new("es", "Spanish (Italian, Catalan)", ["R", "D", "T", "A", "C"], "P"),
    Language::new("fr", "French", ["R", "D", "T", "F", "C"], "P"),
    Language::new("pt", "Portuguese", ["R", "D", "T", "B", "C"], "P"),
    Language::new("nl", "Dutch", ["K", "D", "T", "L", "P"], "O"),
    Language::new("pl", "Polish", ["K", "H", "W", "G", "S"], "P"),
    Language::new("cs", "Czech (Slovak)", ["K", "D", "V", "S", "J"], "P"),
    Language::new("hu", "Hungarian", ["K", "V", "B", "F", "H"], "G"),
    Language::new("ro", "Romanian", ["R", "D", "T", "N", "C"], "P"),
    Language::new("fi", "Finnish", ["K", "D", "T", "L", "R"], "P"),
    Language::new("is", "Icelandic", ["K", "D", "H", "B", "R"], "P"),
    Language::new("et", "Estonian", ["K", "L", "V", "O", "R"], "E"),
    Language::new("tr", "Turkish", ["S", "V", "K", "F", "A"], "P"),
    Language::new("id", "Indonesian", ["R", "M", "B", "G", "K"], "P"),
    Language::new("ru", "Russian", ["KP", "Ф", "Л", "C", "K"], "П"),
    Language::new("uk", "Ukrainian", ["KP", "Ф", "T", "C", "K"], "П"),
    Language::new("bg", "Bulgarian", ["Ц", "Д", "T", "O", "K"], "П"),
    Language::new("sr", "Serbian (Cyrillic)", ["K", "Д", "T", "Л", "C"], "П"),
    Language::new("el", "Greek", ["P", "B", "П", "A", "1"], "O"),
    Language::new("figurines", "Figurines", ["♔", "♕", "♖", "♗", "♘"], "P"),
    Language::new("az", "Azerbaijani", ["S", "V", "T", "F", "A"], "P"),
    Language::new("vi", "Vietnamese", ["V", "H", "x", "T", "M"], "P"),
    Language {
        scheme: Scheme::DescriptiveRankFirst,
        ..Language::new("es", "Spanish, descriptive notation", ["R", "D", "T", "A", "C"], "P")
    },
    Language { scheme: Scheme::Coordinates, ..Language::new("uci", "Coordinates", ["K", "Q", "R", "B", "N"], "P") },
    Language { scheme: Scheme::Numeric, ..Language::new("iccf", "Numeric notation", [""; 5], "") },
];

/// The piece of a letter of Standard Algebraic Notation.
pub(super) fn english_piece(letter: char) -> Option<Piece> {
    Some(match letter {
        'K' => Piece::King,
        'Q' => Piece::Queen,
        'R' => Piece::Rook,
        'B' => Piece::Bishop,
        'N' => Piece::Knight,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_the_pieces_apart() {
        for language in LANGUAGES.iter().filter(|language| language.scheme != Scheme::Numeric) {
            for (i, a) in language.letters.iter().enumerate() {
                assert!(!language.letters[i + 1..].contains(a), "{} writes two pieces as {a}", language.name);
            }
        }
    }

    #[test]
    fn codes_with_a_region_and_cousins_are_found() {
        assert_eq!(Language::find("de-AT").map(|l| l.letter(Piece::Knight)), Some("S"));
        assert_eq!(Language::find("sv").map(|l| l.letter(Piece::Queen)), Some("D"));
        assert_eq!(Language::find("xx"), None);
    }
}
