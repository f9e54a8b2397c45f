//! A word of algebraic notation taken to pieces: `Nbxd2`, `Ng1-f3`, `Ra2xBb2`, `exd`, `e8(Q)`, `g1f3`.

use super::{Language, MoveShape};
use cozy_chess::{File, Move, Piece, Rank, Square};

/// What a word says of a move.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Castling as such; true to the queen's side.
    castling: Option<bool>,
    /// None if the move is told by both squares alone.
    piece: Option<Piece>,
    from: (Option<File>, Option<Rank>),
    takes: bool,
    captured: Option<Piece>,
    to: (Option<File>, Option<Rank>),
    promotion: Option<Piece>,
}

impl Said {
    /// Takes a word to pieces, in the letters of a language; none if it is not built like a move.
    pub(super) fn parse(text: &str, language: &Language) -> Option<Self> {
        match text {
            "O-O" | "OO" => return Some(Self { castling: Some(false), ..Self::default() }),
            "O-O-O" | "OOO" | "O-OO" => return Some(Self { castling: Some(true), ..Self::default() }),
            _ => {}
        }
        let lowered = text.to_ascii_lowercase();
        let capitals = !text.contains(|c: char| c.is_lowercase());
        let text = if capitals && are_two_squares(&lowered) { &lowered } else { text };
        let (rest, promotion) = cut_promotion(text, language)?;
        let (rest, behind) = rest.strip_suffix(':').map_or((rest, false), |rest| (rest, true));
        let (rest, to, captured) = cut_target(rest, language)?;
        let (rest, sign) = match rest.strip_suffix(['x', ':']) {
            Some(rest) => (rest, true),
            None => (rest.strip_suffix('-').unwrap_or(rest), false),
        };
        let takes = sign || behind;
        let (piece, rest) = cut_letter(rest, language).map_or((None, rest), |(piece, rest)| (Some(piece), rest));
        let (rest, rank) = cut_end(rest, rank_of);
        let (rest, file) = cut_end(rest, file_of);
        let piece = match (piece, file, rank) {
            (None, Some(_), Some(_)) => None,
            (None, None, Some(_)) => return None,
            (None, _, None) => Some(Piece::Pawn),
            (named, _, _) => named,
        };
        // Only a pawn's capture may leave out the square, or the sign before what is taken.
        let pawn = piece == Some(Piece::Pawn);
        let told = match (to, captured) {
            ((Some(_), Some(_)), _) => true,
            ((_, None), None) => pawn && file.is_some(),
            _ => sign || (pawn && file.is_some()),
        };
        (rest.is_empty() && told).then_some(Self {
            castling: None,
            piece,
            from: (file, rank),
            takes,
            captured,
            to,
            promotion,
        })
    }

    /// Whether the piece is not named, or need not be.
    pub(super) fn by_squares(&self) -> bool {
        self.castling.is_some() || self.piece.is_none()
    }

    /// Whether this is the move that is said.
    pub(super) fn says(&self, mv: Move, shape: &MoveShape) -> bool {
        if let Some(long) = self.castling {
            return shape.castles && long == (shape.to.file() < shape.from.file());
        }
        let at = |(file, rank): (Option<File>, Option<Rank>), square: Square| {
            file.is_none_or(|file| file == square.file()) && rank.is_none_or(|rank| rank == square.rank())
        };
        // UCI tells castling by the rook's square where the king may start anywhere.
        let reaches = at(self.to, shape.to) || (shape.castles && self.piece.is_none() && at(self.to, mv.to));
        let promotes =
            shape.promotion == self.promotion || (self.promotion.is_none() && shape.promotion == Some(Piece::Queen));
        let pawn_takes = shape.piece == Piece::Pawn && shape.captured.is_some();
        let pawn_told = shape.piece != Piece::Pawn || pawn_takes == (self.takes || self.changes_file(shape));
        self.piece.is_none_or(|piece| piece == shape.piece)
            && at(self.from, shape.from)
            && reaches
            && promotes
            && pawn_told
            && (self.captured.is_none() || self.captured == shape.captured)
            && (self.to.1.is_some() || shape.captured.is_some())
    }

    /// Whether the file that a pawn comes from is said, and is not the one it goes to.
    fn changes_file(&self, shape: &MoveShape) -> bool {
        self.from.0.is_some_and(|file| file != shape.to.file())
    }
}

/// Whether a text is both squares of a move, perhaps with a promotion, as in UCI.
fn are_two_squares(text: &str) -> bool {
    let signs: Vec<char> = text.chars().collect();
    let square = |at: usize| file_of(signs[at]).is_some() && rank_of(signs[at + 1]).is_some();
    matches!(signs.len(), 4 | 5) && square(0) && square(2)
}

fn file_of(c: char) -> Option<File> {
    File::try_from(c).ok().filter(|_| c.is_ascii_lowercase())
}

fn rank_of(c: char) -> Option<Rank> {
    Rank::try_from(c).ok()
}

/// Takes a sign off the end of a text, if it is one of the kind.
fn cut_end<T>(text: &str, kind: impl Fn(char) -> Option<T>) -> (&str, Option<T>) {
    let mut rest = text.chars();
    match rest.next_back().and_then(kind) {
        Some(value) => (rest.as_str(), Some(value)),
        None => (text, None),
    }
}

/// What stands for a piece where it is typed: the recogniser knows no capital X.
fn letter(language: &Language, piece: Piece) -> &'static str {
    if language.letter(piece) == "x" { "X" } else { language.letter(piece) }
}

/// The pieces, those with the longest letters first: one may begin with another's.
fn pieces_by_length(language: &Language) -> [Piece; 6] {
    let mut pieces = Piece::ALL;
    pieces.sort_by_key(|&piece| std::cmp::Reverse(letter(language, piece).len()));
    pieces
}

/// The piece whose letter begins a text, and the rest.
fn cut_letter<'a>(text: &'a str, language: &Language) -> Option<(Piece, &'a str)> {
    let mut named = pieces_by_length(language).into_iter().filter(|&piece| !letter(language, piece).is_empty());
    named.find_map(|piece| Some((piece, text.strip_prefix(letter(language, piece))?)))
}

/// The piece whose letter ends a text, and the rest.
fn cut_last_letter<'a>(text: &'a str, language: &Language) -> Option<(&'a str, Piece)> {
    let mut named = pieces_by_length(language).into_iter().filter(|&piece| !letter(language, piece).is_empty());
    named.find_map(|piece| Some((text.strip_suffix(letter(language, piece))?, piece)))
}

/// Takes the promotion off the end: `=Q`, `(Q)`, `/Q`, `Q`, or a small letter behind both squares. None if it is to a
/// piece that no pawn becomes.
fn cut_promotion<'a>(text: &'a str, language: &Language) -> Option<(&'a str, Option<Piece>)> {
    let promotable = |piece: &Piece| !matches!(piece, Piece::King | Piece::Pawn);
    let bracketed = text.strip_suffix(')').and_then(|text| text.split_once('('));
    if let Some((rest, said)) = bracketed.or_else(|| text.split_once(['=', '/'])) {
        let (piece, behind) = cut_letter(said, language)?;
        return (behind.is_empty() && promotable(&piece)).then_some((rest, Some(piece)));
    }
    let is_last_rank = |rest: &str| rest.ends_with(['1', '8']);
    if are_two_squares(text) && text.len() == 5 {
        let (rest, small) = text.split_at(4);
        let piece = Piece::try_from(small.chars().next()?).ok().filter(promotable)?;
        return Some((rest, Some(piece)));
    }
    match cut_last_letter(text, language) {
        Some((rest, piece)) if is_last_rank(rest) && promotable(&piece) => Some((rest, Some(piece))),
        _ => Some((text, None)),
    }
}

/// Where a move goes, and what it takes there.
type Target<'a> = (&'a str, (Option<File>, Option<Rank>), Option<Piece>);

/// Takes what a move goes to off the end: a square, a file, a piece, or a piece and its square.
fn cut_target<'a>(text: &'a str, language: &Language) -> Option<Target<'a>> {
    let (before_rank, rank) = cut_end(text, rank_of);
    let (before_file, file) = cut_end(before_rank, file_of);
    match (file, rank) {
        (Some(_), Some(_)) => {
            let taken = cut_last_letter(before_file, language).filter(|(rest, _)| rest.ends_with(['x', ':']));
            Some(match taken {
                Some((rest, piece)) => (rest, (file, rank), Some(piece)),
                None => (before_file, (file, rank), None),
            })
        }
        (Some(_), None) => Some((before_file, (file, None), None)),
        _ => cut_last_letter(text, language).map(|(rest, piece)| (rest, (None, None), Some(piece))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::typed::read;
    use cozy_chess::Board;

    fn says(fen: &str, word: &str, code: &str) -> Vec<String> {
        let board: Board = fen.parse().unwrap();
        read(&board, word, Language::find(code).unwrap()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn captures_are_read_in_every_form() {
        let fen = "4k3/8/5n2/3bp3/4N3/2P2N2/8/4K3 w - - 0 1";
        for word in ["Nxf6", "Nf6", "N:f6", "Nf6:", "Ne4xNf6+", "Ne4xf6", "Ne4f6", "e4f6", "E4F6", "NxN", "Ne4-f6"] {
            assert_eq!(says(fen, word, "en"), ["e4f6"], "{word}");
        }
        assert_eq!(says(fen, "Nf3xe5", "en"), ["f3e5"]);
        for word in ["Nf3xBe5", "Nxf7", "NN", "xf6", "4xf6", "Nf6f", "", "x", "Sxf6"] {
            assert_eq!(says(fen, word, "en"), [""; 0], "{word}");
        }
        let pawns = "4k3/8/8/3n1p2/4P3/8/8/4K3 w - - 0 1";
        for word in ["exd5", "ed5", "ed", "exd", "e:d5", "ed5:", "exN", "eN", "e4xNd5", "xd5", "Pexd5", "PxN", "e4d5"] {
            assert_eq!(says(pawns, word, "en"), ["e4d5"], "{word}");
        }
        assert_eq!(says(pawns, "d5", "en"), [""; 0]);
        assert_eq!(says(pawns, "e5", "en"), ["e4e5"]);
    }

    #[test]
    fn pawns_become_no_king() {
        let fen = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
        for word in ["a8=K", "a8=P", "a8K", "a8(K)", "a8/P", "a7a8k", "a8=S", "a8=QQ"] {
            assert_eq!(says(fen, word, "en"), [""; 0], "{word}");
        }
        assert_eq!(says(fen, "a8=", "en"), ["a7a8q"], "a draw is offered");
        for word in ["a8=N", "a8N", "a8(N)", "a8/N", "a7a8n", "a7-a8=N"] {
            assert_eq!(says(fen, word, "en"), ["a7a8n"], "{word}");
        }
        assert_eq!(says(fen, "a8", "en"), ["a7a8q"]);
        assert_eq!(says(fen, "a8=P", "nl"), ["a7a8n"], "the Dutch knight");
    }

    #[test]
    fn castling_is_read_in_every_form() {
        let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        for word in ["O-O", "o-o", "0-0", "00", "О-О", "Ke1-g1", "Ke1g1", "e1g1", "e1h1", "Kg1"] {
            assert_eq!(says(fen, word, "en"), ["e1h1"], "{word}");
        }
        assert_eq!(says(fen, "o-o-o", "en"), ["e1a1"]);
    }

    #[test]
    fn every_language_has_its_own_letters() {
        let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
        assert_eq!(says(fen, "Rd1", "fr"), ["e1d1"]);
        assert_eq!(says(fen, "Td1", "fr"), ["a1d1"]);
        assert_eq!(says(fen, "Kd1", "fr"), [""; 0]);
        assert_eq!(says(fen, "Xd1", "vi"), ["a1d1"]);
        assert_eq!(says("4k3/8/8/3Q4/8/8/8/3QK3 w - - 0 1", "D5d8", "de"), ["d5d8"], "no squares in capitals");
        assert_eq!(says(fen, "Πd1", "el"), ["a1d1"]);
        assert_eq!(says("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "Ιf3", "el"), ["g1f3"]);
    }
}
