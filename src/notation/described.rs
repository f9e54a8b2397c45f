//! A move in descriptive notation as it is typed and printed: squares in brackets tell apart what the words do not, as
//! in `N(QN1)-Q2` and `RxN(K5)`.

use super::descriptive::square_names;
use super::language::{Language, Scheme};
use super::{Habits, MoveShape, Spelling, for_each_spelling};
use cozy_chess::{Move, Piece, Square};

/// Keeps the moves that a word says.
pub(super) fn retain_said(word: &str, language: &Language, shapes: &mut Vec<(Move, MoveShape)>) {
    if language.code == "en" && word.eq_ignore_ascii_case("castles") {
        return shapes.retain(|(_, shape)| shape.castles);
    }
    let word = with_one_letter(word, language);
    let (rest, from, to) = without_squares(&word);
    let named = |names: &Option<String>, square: Square, white: bool| {
        names.as_ref().is_none_or(|name| square_names(square, white, language).contains(name))
    };
    shapes.retain(|(_, shape)| {
        named(&from, shape.from, shape.white)
            && named(&to, shape.to, shape.white)
            && bodies(shape, language).iter().any(|(_, body)| *body == rest)
    });
}

/// A word with the English knight as one letter.
fn with_one_letter(word: &str, language: &Language) -> String {
    if language.code == "en" { word.replace("Kt", "N") } else { word.to_owned() }
}

/// Whether a word names the moving piece by its side of the board at the start of the game: true for the king's.
pub(super) fn kings_side(word: &str, language: &Language) -> Option<bool> {
    let word = with_one_letter(word, language);
    let mut signs = word.chars();
    let (mut side, mut piece) = (signs.next()?, signs.next()?);
    if language.scheme == Scheme::DescriptiveRankFirst {
        (side, piece) = (piece, side);
    }
    let is = |sign: char, kind: Piece| language.letter(kind).starts_with(sign);
    let officer = [Piece::Rook, Piece::Bishop, Piece::Knight].iter().any(|&kind| is(piece, kind));
    // `QRP` is a pawn.
    let pawn = signs.next().is_some_and(|sign| is(sign, Piece::Pawn));
    match (is(side, Piece::King), is(side, Piece::Queen)) {
        (true, _) if officer && !pawn => Some(true),
        (_, true) if officer && !pawn => Some(false),
        _ => None,
    }
}

/// Every way to write a move, its marks left out, with the share of each.
fn bodies(shape: &MoveShape, language: &Language) -> Vec<(f64, String)> {
    let unmarked = MoveShape { en_passant: false, ..*shape };
    let mut out = Vec::new();
    for_each_spelling(Spelling::empty(), &unmarked, language, &Habits::default(), &mut |body| {
        out.push((body.probability, body.text()));
    });
    out
}

/// A word without the squares in brackets, and the squares: where the piece comes from and where it goes to.
fn without_squares(word: &str) -> (String, Option<String>, Option<String>) {
    let (mut rest, mut from, mut to) = (word.to_owned(), None, None);
    while let Some((start, end)) = bracketed_square(&rest) {
        let square = rest[start + 1..end].to_owned();
        let behind = &rest[end + 1..];
        if behind.is_empty() || behind.starts_with(['=', '(', '/']) {
            to = Some(square);
        } else {
            from = Some(square);
        }
        rest.replace_range(start..=end, "");
    }
    (rest, from, to)
}

/// The first pair of brackets with a square in them: a promotion has no digit.
fn bracketed_square(word: &str) -> Option<(usize, usize)> {
    word.match_indices('(').map(|(start, _)| start).find_map(|start| {
        let end = start + word[start..].find(')')?;
        word[start..end].contains(|c: char| c.is_ascii_digit()).then_some((start, end))
    })
}

/// The spellings of a move, the likeliest first; the last tell it from every other.
pub(super) fn spellings(shape: &MoveShape, language: &Language) -> Vec<String> {
    let mut bodies = bodies(shape, language);
    bodies.sort_by(|a, b| b.0.total_cmp(&a.0));
    let told = [(true, false), (false, true), (true, true)].map(|(from, to)| with_squares(shape, language, from, to));
    bodies.into_iter().map(|(_, body)| body).chain(told).collect()
}

/// A move with the square it comes from, or that of what it takes, in brackets.
fn with_squares(shape: &MoveShape, language: &Language, from: bool, to: bool) -> String {
    let letter = |piece: Piece| language.letter(piece);
    let name = |square: Square| square_names(square, shape.white, language).pop().unwrap_or_default();
    let bracketed = |told: bool, square: Square| if told { format!("({})", name(square)) } else { String::new() };
    let piece = letter(shape.piece).to_owned() + &bracketed(from, shape.from);
    let moved = match shape.captured {
        Some(captured) => format!("{piece}x{}{}", letter(captured), bracketed(to, shape.to)),
        None if language.scheme == Scheme::DescriptiveRankFirst => piece + &name(shape.to),
        None => format!("{piece}-{}", name(shape.to)),
    };
    match shape.promotion {
        Some(promoted) => format!("{moved}={}", letter(promoted)),
        None => moved,
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::LANGUAGES;
    use crate::notation::language::Scheme;
    use crate::notation::typed::read;
    use cozy_chess::Board;

    fn says(fen: &str, word: &str) -> Vec<String> {
        let board: Board = fen.parse().unwrap();
        let language = LANGUAGES.iter().find(|language| language.scheme == Scheme::Descriptive).unwrap();
        read(&board, word, language).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn squares_in_brackets_tell_moves_apart() {
        let fen = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1";
        assert_eq!(says(fen, "N-Q2"), ["b1d2", "f3d2"]);
        for word in ["N(QN1)-Q2", "N(N1)-Q2", "N(1)-Q2", "N(QN1)-Q2ch"] {
            assert_eq!(says(fen, word), ["b1d2"], "{word}");
        }
        let knights = "4k3/8/8/n7/8/1P6/1n6/R3K3 w - - 0 1";
        assert_eq!(says(knights, "RxN(R5)"), ["a1a5"]);
    }

    #[test]
    fn the_knight_may_be_kt() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(says(start, "Kt-KB3"), ["g1f3"]);
        assert_eq!(says(start, "P-KKt3"), ["g2g3"]);
        assert_eq!(says("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "P-R8(Q)ch"), ["a7a8q"]);
    }
}
