//! What a move looks like to the policy: a few numbers, each of which stands for a weight of a hashed table.
//!
//! Everything is seen from the side to move: for Black the board is turned over, so that both play up the board and
//! share their weights.

use crate::notation::MoveShape;
use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};

/// Number of hashed features of a move.
pub const FEATURES: usize = 13;
/// Binary logarithm of the number of weights that hashed features share.
pub const TABLE_BITS: u32 = 19;
/// Number of different inputs of the hidden layer: pieces on squares, last move, castling rights.
pub const INPUTS: usize = 2 * 6 * 64 + 6 * 64 + 4;
/// Most inputs that one position has.
pub const MOST_INPUTS: usize = 64 + 1 + 4;

/// Stands for no square and no piece.
const NONE: u32 = 64;
/// What stands off the board.
const OUTSIDE: u64 = 15;

/// A position as its side to move sees it.
pub struct View {
    white: bool,
    /// By square, 0 for empty, else one more than the piece, 8 more for the opponent's.
    codes: [u8; 64],
    /// The same turned, four bits a square, with a border of [`OUTSIDE`]: ranks 0 to 9 of files 0 to 9.
    rows: [u64; 10],
    occupied: BitBoard,
    their_king: Square,
    /// By piece, the squares that the opponent attacks with it.
    attacks: [BitBoard; 6],
    attacked: BitBoard,
    /// Squares that we attack, and those that we attack with two pieces or more.
    guarded: BitBoard,
    guarded_twice: BitBoard,
    /// By piece, the squares from which it gives check.
    checks: [BitBoard; 6],
    /// How much our pieces stand to lose, the worst of them.
    peril: u32,
    /// Square and piece of the last move, turned; [`NONE`] if unknown.
    last: (u32, u32),
    phase: u32,
    early: u32,
    hash: u32,
    kings: (u32, u32),
    rights: u32,
}

impl View {
    /// Looks at a position; `last` is the move that led to it, if that is known.
    pub fn new(board: &Board, last: Option<Move>) -> Self {
        let us = board.side_to_move();
        let (own, theirs) = (board.colors(us), board.colors(!us));
        let occupied = board.occupied();
        let their_king = board.king(!us);
        let mut codes = [0; 64];
        let (mut attacks, mut attacked) = ([BitBoard::EMPTY; 6], BitBoard::EMPTY);
        let (mut guarded, mut guarded_twice) = (BitBoard::EMPTY, BitBoard::EMPTY);
        let mut hash = 0u64;
        for piece in Piece::ALL {
            for square in board.pieces(piece) & own {
                codes[square as usize] = piece as u8 + 1;
                let reach = reach(piece, square, us, occupied);
                guarded_twice |= guarded & reach;
                guarded |= reach;
            }
            for square in board.pieces(piece) & theirs {
                codes[square as usize] = piece as u8 + 9;
                attacks[piece as usize] |= reach(piece, square, !us, occupied);
            }
            attacked |= attacks[piece as usize];
            for bits in [board.pieces(piece) & own, board.pieces(piece) & theirs] {
                let turned = if us == Color::White { bits } else { bits.flip_ranks() };
                hash = (hash ^ turned.0).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
            }
        }
        let white = us == Color::White;
        let turned = |square: Square| turn(white, square);
        let mut rows = [OUTSIDE << 36 | OUTSIDE; 10];
        (rows[0], rows[9]) = (u64::MAX, u64::MAX);
        for square in occupied {
            let (code, square) = (u64::from(codes[square as usize]), turned(square));
            rows[square as usize / 8 + 1] |= code << (4 * (square % 8 + 1));
        }
        let (straight, oblique) = (get_rook_moves(their_king, occupied), get_bishop_moves(their_king, occupied));
        let checks = [
            get_pawn_attacks(their_king, !us),
            get_knight_moves(their_king),
            oblique,
            straight,
            straight | oblique,
            BitBoard::EMPTY,
        ];
        let last = last.map_or((NONE, 0), |last| match board.piece_on(last.to) {
            Some(piece) if theirs.has(last.to) && board.king(!us) != last.from => (turned(last.to), piece as u32),
            _ => (turned(their_king), Piece::King as u32),
        });
        let count = |piece: Piece| board.pieces(piece).len();
        let material = count(Piece::Knight) + count(Piece::Bishop) + 2 * count(Piece::Rook) + 4 * count(Piece::Queen);
        let rights = [us, !us].map(|side| board.castle_rights(side)).map(|r| [r.short.is_some(), r.long.is_some()]);
        let rights = rights.concat().iter().enumerate().map(|(i, &right)| u32::from(right) << i).sum();
        let mut view = Self {
            white,
            codes,
            rows,
            occupied,
            their_king,
            attacks,
            attacked,
            guarded,
            guarded_twice,
            checks,
            peril: 0,
            last,
            phase: (material / 4).min(5),
            early: u32::from(board.fullmove_number().min(40) / 4),
            hash: (hash >> 32) as u32 ^ hash as u32,
            kings: (turned(board.king(us)), turned(their_king)),
            rights,
        };
        let pieces = own & !(board.pieces(Piece::Pawn) | board.pieces(Piece::King)) & view.attacked;
        view.peril = pieces.into_iter().map(|square| view.danger(square)).max().unwrap_or(0);
        view
    }

    /// The indices of the hidden layer's inputs that are on; returns their number.
    pub fn inputs(&self, out: &mut [u16; MOST_INPUTS]) -> usize {
        let mut count = 0;
        let mut add = |index: u32| {
            out[count] = index as u16;
            count += 1;
        };
        for square in self.occupied {
            let code = u32::from(self.codes[square as usize]) - 1;
            let piece = if code < 8 { code } else { code - 2 };
            add(piece * 64 + turn(self.white, square));
        }
        if self.last.0 != NONE {
            add(12 * 64 + self.last.1 * 64 + self.last.0);
        }
        (0..4).filter(|i| self.rights >> i & 1 == 1).for_each(|i| add(18 * 64 + i));
        count
    }

    /// The move's rows of the output layer: by piece and target, and by start and target.
    pub fn outputs(&self, shape: &MoveShape) -> [usize; 2] {
        let (from, to) = (turn(self.white, shape.from) as usize, turn(self.white, shape.to) as usize);
        [shape.piece as usize * 64 + to, 6 * 64 + from * 64 + to]
    }

    /// The indices of the move's weights in the hashed table.
    pub fn features(&self, shape: &MoveShape) -> [u32; FEATURES] {
        let piece = shape.piece as u32;
        let (from, to) = (turn(self.white, shape.from), turn(self.white, shape.to));
        let (start_end, piece_to) = (from << 6 | to, piece << 6 | to);
        let promotion = shape.promotion.map_or(0, |p| p as u32);
        let exchange = self.exchange(shape) << 3 | promotion;
        let check = u32::from(self.checks[shape.promotion.unwrap_or(shape.piece) as usize].has(shape.to));
        let danger = if shape.piece == Piece::King { 4 } else { self.danger(shape.from) };
        let taken = shape.captured.map_or(7, |p| p as u32);
        let back = u32::from(to == self.last.0);
        let threat = self.threat(shape);
        [
            hashed(0, piece << 12 | start_end, self.phase),
            hashed(1, piece_to, exchange << 1 | check),
            hashed(2, piece << 3 | taken, exchange << 1 | back),
            hashed(3, piece_to, self.last.1 << 7 | self.last.0),
            hashed(4, exchange << 3 | danger, self.peril << 4 | check << 3 | self.phase),
            hashed(5, piece_to, self.kings.1),
            hashed(6, piece_to, self.kings.0),
            hashed(7, piece << 3 | danger, exchange << 4 | threat << 1 | check),
            hashed(8, piece << 12 | start_end, self.early),
            hashed(9, start_end << 3 | promotion, self.hash),
            hashed_wide(10, piece << 3 | promotion, self.around(to)),
            hashed(11, piece << 12 | start_end, self.rights),
            hashed_wide(12, piece_to, self.around(from)),
        ]
    }

    /// What stands on a square and around it, from our left to our right and from ahead to behind, as 36 bits.
    fn around(&self, square: u32) -> u64 {
        let (file, rank) = (square & 7, square as usize >> 3);
        let row = |row: usize| self.rows[row] >> (4 * file) & 0xFFF;
        row(rank + 2) << 24 | row(rank + 1) << 12 | row(rank)
    }

    /// What is left of the piece on a square if the opponent takes it: 0 nothing lost, to 3 for a rook or queen.
    fn danger(&self, square: Square) -> u32 {
        if !self.attacked.has(square) {
            return 0;
        }
        let own = worth(u32::from(self.codes[square as usize] & 7) - 1);
        match self.loss(square, own, self.guarded.has(square)) {
            ..=0 => 0,
            1 => 1,
            2..=3 => 2,
            _ => 3,
        }
    }

    /// What the opponent gains at most by taking something worth `own` on an attacked square, and being taken back if
    /// it is guarded.
    fn loss(&self, square: Square, own: i32, guarded: bool) -> i32 {
        if !guarded {
            return own;
        }
        let least = (0..6).find(|&piece| self.attacks[piece].has(square)).map_or(20, |piece| worth(piece as u32));
        (own - least).max(0)
    }

    /// What the move wins or loses on its square, as one of 13 classes.
    fn exchange(&self, shape: &MoveShape) -> u32 {
        let moved = shape.promotion.unwrap_or(shape.piece) as u32;
        let attacked = self.attacked.has(shape.to);
        let pushed = shape.piece == Piece::Pawn && shape.captured.is_none();
        let guarded = if pushed { self.guarded } else { self.guarded_twice };
        let lost = if attacked { self.loss(shape.to, worth(moved), guarded.has(shape.to)) } else { 0 };
        let net = shape.captured.map_or(0, |piece| worth(piece as u32)) - lost;
        match (shape.captured.is_some(), net) {
            (false, 0) => u32::from(attacked),
            (false, -1) => 2,
            (false, -3..=-2) => 3,
            (false, -6..=-4) => 4,
            (false, _) => 5,
            (true, ..=-3) => 6,
            (true, -2..=-1) => 7,
            (true, 0) => 8,
            (true, 1) => 9,
            (true, 2..=3) => 10,
            (true, 4..=5) => 11,
            (true, _) => 12,
        }
    }

    /// The best piece that the moved piece then attacks and that is worth more or unguarded: 0 none, to 4 a queen.
    fn threat(&self, shape: &MoveShape) -> u32 {
        let piece = shape.promotion.unwrap_or(shape.piece);
        if shape.castles || piece == Piece::King {
            return 0;
        }
        let us = if self.white { Color::White } else { Color::Black };
        let targets = reach(piece, shape.to, us, self.occupied) & self.occupied;
        let mut best = 0;
        for square in targets {
            let code = u32::from(self.codes[square as usize]);
            if code < 9 || square == self.their_king {
                continue;
            }
            let value = worth(code - 9);
            if value > worth(piece as u32) || !self.attacked.has(square) {
                best = best.max(value);
            }
        }
        match best {
            0 => 0,
            1 => 1,
            2..=3 => 2,
            4..=5 => 3,
            _ => 4,
        }
    }
}

/// A square's number as the side to move sees it.
fn turn(white: bool, square: Square) -> u32 {
    if white { square as u32 } else { square as u32 ^ 56 }
}

/// Worth in pawns of a piece by number.
fn worth(piece: u32) -> i32 {
    [1, 3, 3, 5, 9, 20][piece as usize % 6]
}

/// The squares that a piece attacks.
fn reach(piece: Piece, square: Square, colour: Color, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Pawn => get_pawn_attacks(square, colour),
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        Piece::Queen => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
        Piece::King => get_king_moves(square),
    }
}

/// A place in the table for the values of one feature.
fn hashed(feature: u32, a: u32, b: u32) -> u32 {
    hashed_wide(feature, a, u64::from(b))
}

/// The same for a value of up to 40 bits beside one of 24. Multiplicative hashing (Knuth, TAOCP vol. 3, section 6.4).
fn hashed_wide(feature: u32, a: u32, b: u64) -> u32 {
    let key = (u64::from(a) << 40 ^ b).wrapping_add(SALTS[feature as usize]);
    let mixed = (key ^ key >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - TABLE_BITS)) as u32
}

/// Keeps features apart.
const SALTS: [u64; FEATURES] = {
    let mut salts = [0; FEATURES];
    let mut i = 0;
    while i < FEATURES {
        salts[i] = (i as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
        i += 1;
    }
    salts
};
