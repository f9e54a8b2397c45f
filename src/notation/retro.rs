//! Moves taken back: the notation of retrograde analysis.
//!
//! Read in full (`Kf5xNe5`: the king came from f5 and took a knight on e5) and as problemists write it, where only the
//! square that the piece goes back to is named (`Kf5:N`, `f4:Pep`, `Q=a7`: the queen was a pawn on a7).

use super::language::english_piece;
use super::legal_shapes;
use cozy_chess::{Board, BoardBuilder, Color, File, Move, Piece, Rank, Square};

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
/// Castling rights stay as they are, but for those of the castling taken back: what else they were cannot be known.
pub fn take_back(board: &Board, text: &str) -> Option<Board> {
    let text = without_number(text);
    match text.trim_end_matches(['+', '#', '!', '?']).replace(['0', 'o'], "O").as_str() {
        "O-O" => return uncastled(board, true),
        "O-O-O" => return uncastled(board, false),
        _ => {}
    }
    let retraction = parse(text)?;
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

/// A retraction without the number before it; the zeros of castling are none.
fn without_number(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['-', '.']);
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.starts_with(['.', ' ']) { rest.trim_start_matches(['.', ' ']) } else { text }
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
    one_move_earlier(&mut before, mover);
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

/// The position before castling, from the usual squares.
fn uncastled(board: &Board, short: bool) -> Option<Board> {
    let mover = !board.side_to_move();
    let square = |file| Square::new(file, Rank::First.relative_to(mover));
    let (king, rook, corner) = if short { (File::G, File::F, File::H) } else { (File::C, File::D, File::A) };
    let mut before = BoardBuilder::from_board(board);
    for (piece, from, to) in [(Piece::King, File::E, king), (Piece::Rook, corner, rook)] {
        if before.square(square(to)) != Some((piece, mover)) || before.square(square(from)).is_some() {
            return None;
        }
        *before.square_mut(square(to)) = None;
        *before.square_mut(square(from)) = Some((piece, mover));
    }
    let rights = before.castle_rights_mut(mover);
    *if short { &mut rights.short } else { &mut rights.long } = Some(corner);
    before.en_passant = None;
    one_move_earlier(&mut before, mover);
    let before = before.build().ok()?;
    let castling = Move { from: square(File::E), to: square(corner), promotion: None };
    before.is_legal(castling).then_some(before)
}

/// Gives the move back to who made it.
fn one_move_earlier(board: &mut BoardBuilder, mover: Color) {
    board.side_to_move = mover;
    board.halfmove_clock = 0;
    if mover == Color::Black {
        board.fullmove_number = board.fullmove_number.saturating_sub(1).max(1);
    }
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
    fn castling_is_taken_back() {
        let fen = "4k3/8/8/8/8/8/8/R4RK1 b - - 3 9";
        for text in ["-1. O-O", "0-0", "o-o+"] {
            let before = take_back(&fen.parse().unwrap(), text).map(|board| board.to_string());
            assert_eq!(before.as_deref(), Some("4k3/8/8/8/8/8/8/R3K2R w K - 0 9"), "{text}");
        }
        assert_eq!(back(fen, "O-O-O"), None);
        assert_eq!(back("2kr4/8/8/8/8/8/8/4K3 w - - 3 9", "O-O-O").as_deref(), Some("r3k3/8/8/8/8/8/8/4K3 b"));
        assert_eq!(back("2kr4/8/8/8/8/8/8/3RK3 w - - 3 9", "O-O-O"), None, "through the rook's check");
    }

    #[test]
    fn what_is_no_retraction_is_none() {
        for text in ["", "Z", "Kf5xNe5x", "Kf9", "♔f5", "é4", "Kf5xN", "e4:"] {
            let board: Board = "7k/8/8/8/8/8/8/K6R b - - 0 9".parse().unwrap();
            assert!(take_back(&board, text).is_none(), "{text}");
        }
    }
}
