//! What a legal move's spelling depends on, and nothing else: many positions share a shape, so work done for one
//! shape serves them all.

use cozy_chess::{BitBoard, Board, Color, File, Move, Piece, PieceMoves, Rank, Square};

/// The parts of a move that show in its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveShape {
    /// White moves: descriptive notation counts ranks from the mover's side.
    pub white: bool,
    pub piece: Piece,
    pub from: Square,
    /// Where the moving piece ends; for castling, the king's square after it.
    pub to: Square,
    pub captured: Option<Piece>,
    pub promotion: Option<Piece>,
    pub castles: bool,
    pub en_passant: bool,
    /// Another piece of the same kind may move to the same square.
    pub rivalled: bool,
    /// With a rival: the file of departure tells them apart.
    pub file_tells: bool,
    /// With a rival: the rank of departure tells them apart.
    pub rank_tells: bool,
}

impl MoveShape {
    /// A number that no other shape has.
    pub fn key(&self) -> u32 {
        let option = |piece: Option<Piece>| piece.map_or(6, |p| p as u32);
        let flags = [self.castles, self.en_passant, self.rivalled, self.file_tells, self.rank_tells, self.white];
        let start = (self.piece as u32) | (self.from as u32) << 3 | (self.to as u32) << 9;
        let taken = start | option(self.captured) << 15 | option(self.promotion) << 18;
        flags.iter().enumerate().fold(taken, |key, (i, &flag)| key | u32::from(flag) << (21 + i))
    }
}

/// Appends every legal move of a position with its shape.
pub fn legal_shapes(board: &Board, out: &mut Vec<(Move, MoveShape)>) {
    LegalMoves::new(board).shapes_to(&[BitBoard::FULL; 6], out);
}

/// The legal moves of a position, not yet told apart.
pub struct LegalMoves<'b> {
    board: &'b Board,
    /// One entry per piece that may move, no more than there are pieces.
    groups: [Option<PieceMoves>; 32],
    pieces: usize,
}

impl<'b> LegalMoves<'b> {
    /// Those of the side to move.
    pub fn new(board: &'b Board) -> Self {
        let (mut groups, mut pieces) = ([None; 32], 0);
        board.generate_moves(|moves| {
            groups[pieces] = Some(moves);
            pieces += 1;
            false
        });
        Self { board, groups, pieces }
    }

    fn groups(&self) -> impl Iterator<Item = &PieceMoves> {
        self.groups[..self.pieces].iter().flatten()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.groups().map(PieceMoves::len).sum()
    }

    /// Appends those that bring a piece to one of its squares, with their shapes. For castling the square is that of the
    /// rook.
    pub fn shapes_to(&self, squares: &[BitBoard; 6], out: &mut Vec<(Move, MoveShape)>) {
        let board = self.board;
        let own = board.colors(board.side_to_move());
        let theirs = board.colors(!board.side_to_move());
        let white = board.side_to_move() == Color::White;
        for moves in self.groups() {
            let wanted = PieceMoves { to: moves.to & squares[moves.piece as usize], ..*moves };
            if wanted.is_empty() {
                continue;
            }
            let pawn = moves.piece == Piece::Pawn;
            let tells = !pawn && moves.piece != Piece::King;
            // Where others of the same kind may move.
            let rivals =
                || self.groups().filter(|other| tells && other.piece == moves.piece && other.from != moves.from);
            let contested = rivals().fold(BitBoard::EMPTY, |all, other| all | other.to);
            for mv in wanted {
                let castles = moves.piece == Piece::King && own.has(mv.to);
                let to = if castles {
                    let file = if mv.to.file() > mv.from.file() { File::G } else { File::C };
                    Square::new(file, mv.from.rank())
                } else {
                    mv.to
                };
                let en_passant = pawn && mv.from.file() != mv.to.file() && !board.occupied().has(mv.to);
                let captured = if en_passant {
                    Some(Piece::Pawn)
                } else if theirs.has(mv.to) {
                    board.piece_on(mv.to)
                } else {
                    None
                };
                let mut shape = MoveShape {
                    white,
                    piece: moves.piece,
                    from: mv.from,
                    to,
                    captured,
                    promotion: mv.promotion,
                    castles,
                    en_passant,
                    rivalled: contested.has(mv.to),
                    file_tells: true,
                    rank_tells: true,
                };
                if shape.rivalled {
                    for rival in rivals().filter(|rival| rival.to.has(mv.to)) {
                        shape.file_tells &= rival.from.file() != mv.from.file();
                        shape.rank_tells &= rival.from.rank() != mv.from.rank();
                    }
                }
                out.push((mv, shape));
            }
        }
    }
}

/// The character of a file, `a` to `h`.
pub(crate) fn file_char(file: File) -> u8 {
    b'a' + file as u8
}

/// The character of a rank, `1` to `8`.
pub(crate) fn rank_char(rank: Rank) -> u8 {
    b'1' + rank as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(fen: &str, uci: &str) -> MoveShape {
        let board: Board = fen.parse().unwrap();
        let mut shapes = Vec::new();
        legal_shapes(&board, &mut shapes);
        let mv: Move = uci.parse().unwrap();
        shapes.iter().find(|(m, _)| *m == mv).unwrap().1
    }

    #[test]
    fn rivals_are_told_apart_as_in_the_pgn_standard() {
        let by_rank = shape("8/4k3/8/R7/8/8/4K3/R7 w - - 0 1", "a1a3");
        assert!(by_rank.rivalled && !by_rank.file_tells && by_rank.rank_tells);
        // The second knight is pinned and so is no rival.
        assert!(!shape("4r3/8/2k5/8/4N3/8/6N1/4K3 w - - 0 1", "g2f4").rivalled);
    }

    #[test]
    fn castling_and_en_passant_are_seen() {
        let castle = shape("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1");
        assert!(castle.castles && castle.to == Square::G1 && castle.captured.is_none());
        let passant = shape("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6");
        assert!(passant.en_passant && passant.captured == Some(Piece::Pawn));
    }
}
