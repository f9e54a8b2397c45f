//! Moves taken back: the notation of retrograde analysis.
//!
//! Read in full (`Kf5xNe5`: the king came from f5 and took a knight on e5) and as problemists write it, where only the
//! square that the piece goes back to is named (`Kf5:N`, `f4:Pep`, `Q=a7`: the queen was a pawn on a7).

use super::language::english_piece;
use super::legal_shapes;
use cozy_chess::{Board, BoardBuilder, Color, Piece, Rank, Square};

/// A retraction as it is written.
struct Retraction {
    /// What stood on the square of departure.
    piece: Piece,
    from: Square,
    /// Where the piece stands now, if that is said.
    to: Option<Square>,
    captured: Option<Piece>,
    en_passant: bool,
    promotion: Option<Piece>,
}

/// The position before a move that is taken back; `text` may begin with a number (`-1.`). None if the text says no
/// move that could have led here, or more than one.
///
/// Castling rights stay as they are: what they were before cannot be known.
pub fn take_back(board: &Board, text: &str) -> Option<Board> {
    let text = text.trim().trim_start_matches(['-', '.']).trim_start_matches(|c: char| c.is_ascii_digit());
    let retraction = parse(text.trim_start_matches('.').trim())?;
    let mover = !board.side_to_move();
    let here = retraction.promotion.unwrap_or(retraction.piece);
    let places = (board.colors(mover) & board.pieces(here)).into_iter();
    let mut found = None;
    for to in places.filter(|to| retraction.to.is_none_or(|named| named == *to)) {
        let Some(before) = undone(board, mover, to, &retraction) else { continue };
        if found.replace(before).is_some() {
            return None;
        }
    }
    found
}

fn parse(text: &str) -> Option<Retraction> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !"+#!?.".contains(*c)).collect();
    let en_passant = text.ends_with("ep");
    let mut rest = text.trim_end_matches("ep");
    let letter = |rest: &mut &str| {
        let piece = piece_of(rest.chars().next()?)?;
        *rest = &rest[1..];
        Some(piece)
    };
    let named = letter(&mut rest);
    let mut promotion = None;
    let piece = if let Some(pawn) = rest.strip_prefix('=') {
        // `Q=a7`: what is a queen now was a pawn on a7.
        rest = pawn;
        promotion = Some(named?);
        Piece::Pawn
    } else {
        named.unwrap_or(Piece::Pawn)
    };
    let from: Square = rest.get(..2)?.parse().ok()?;
    rest = &rest[2..];
    let takes = rest.starts_with(['x', ':']);
    rest = rest.trim_start_matches(['x', ':', '-']);
    let captured = if takes { Some(letter(&mut rest).unwrap_or(Piece::Pawn)) } else { None };
    let mut to = None;
    if let Some(square) = rest.get(..2).and_then(|square| square.parse().ok()) {
        to = Some(square);
        rest = &rest[2..];
    }
    if let Some(promoted) = rest.strip_prefix('=') {
        promotion = Some(piece_of(promoted.chars().next()?)?);
        rest = &promoted[1..];
    }
    rest.is_empty().then_some(Retraction { piece, from, to, captured, en_passant, promotion })
}

/// Problemists also write S for the knight, and name the pawn.
fn piece_of(letter: char) -> Option<Piece> {
    match letter {
        'S' => Some(Piece::Knight),
        'P' => Some(Piece::Pawn),
        _ => english_piece(letter),
    }
}

/// The position before, if the move from it is legal and leads here.
fn undone(board: &Board, mover: Color, to: Square, retraction: &Retraction) -> Option<Board> {
    let mut before = BoardBuilder::from_board(board);
    if before.square(retraction.from).is_some() {
        return None;
    }
    *before.square_mut(to) = None;
    *before.square_mut(retraction.from) = Some((retraction.piece, mover));
    let taken_at = if retraction.en_passant { Square::new(to.file(), retraction.from.rank()) } else { to };
    before.en_passant = None;
    if let Some(captured) = retraction.captured {
        if before.square(taken_at).is_some() {
            return None;
        }
        *before.square_mut(taken_at) = Some((captured, !mover));
        if retraction.en_passant {
            before.en_passant = Some(Square::new(to.file(), Rank::Sixth.relative_to(mover)));
        }
    }
    before.side_to_move = mover;
    before.halfmove_clock = 0;
    if mover == Color::Black {
        before.fullmove_number = before.fullmove_number.saturating_sub(1).max(1);
    }
    let before = before.build().ok()?;
    let mut shapes = Vec::new();
    legal_shapes(&before, &mut shapes);
    let (mv, _) = shapes.into_iter().find(|(mv, shape)| {
        mv.from == retraction.from && shape.to == to && !shape.castles && mv.promotion == retraction.promotion
    })?;
    let mut after = before.clone();
    after.play_unchecked(mv);
    let same = |colour| after.colors(colour) == board.colors(colour);
    let pieces = Piece::ALL.iter().all(|&piece| after.pieces(piece) == board.pieces(piece));
    (same(Color::White) && same(Color::Black) && pieces).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(fen: &str, text: &str) -> Option<String> {
        let board: Board = fen.parse().unwrap();
        take_back(&board, text).map(|board| board.to_string().split(' ').take(2).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn moves_are_taken_back_in_both_forms() {
        let fen = "7k/8/8/4K3/8/8/8/8 b - - 0 9";
        let before = Some("7k/8/8/4nK2/8/8/8/8 w");
        assert_eq!(back(fen, "-1. Kf5xNe5").as_deref(), before);
        assert_eq!(back(fen, "Kf5:N").as_deref(), before);
        assert_eq!(back(fen, "Kd4").as_deref(), Some("7k/8/8/8/3K4/8/8/8 w"));
        assert_eq!(back(fen, "Ka1"), None, "no king steps so far");
    }

    #[test]
    fn promotions_and_en_passant_are_taken_back() {
        assert_eq!(back("Q6k/8/8/8/8/8/8/K7 b - - 0 9", "Q=a7").as_deref(), Some("7k/P7/8/8/8/8/8/K7 w"));
        assert_eq!(back("R6k/8/8/8/8/8/8/K7 b - - 0 9", "-1. R=b7:N").as_deref(), Some("n6k/1P6/8/8/8/8/8/K7 w"));
        assert_eq!(back("7k/8/8/8/8/6p1/8/K7 w - - 0 9", "f4:Pep").as_deref(), Some("7k/8/8/8/5pP1/8/8/K7 b"));
        assert_eq!(back("7k/8/8/8/8/6p1/8/K7 w - - 0 9", "f4xg3 e.p.").as_deref(), Some("7k/8/8/8/5pP1/8/8/K7 b"));
    }

    #[test]
    fn what_is_no_retraction_is_none() {
        for text in ["", "Z", "Kf5xNe5x", "Kf9", "♔f5", "é4", "Kf5xN", "e4:"] {
            let board: Board = "7k/8/8/8/8/8/8/K6R b - - 0 9".parse().unwrap();
            assert!(take_back(&board, text).is_none(), "{text}");
        }
    }
}
