//! Slips of the pen: what is written where one part of a move is another than it should be, or is missing.

use super::language::Language;
use super::pen::{Pen, Spelling};
use super::shape::{MoveShape, file_char, rank_char};
use super::spelling::{CAPTURE_SIGNS, QUIET_SIGNS};
use super::style::{Choice, Habits};
use cozy_chess::Piece;

/// Stands for any file in the patterns of [`for_each_slip`].
pub const ANY_FILE: u8 = 1;
/// Stands for any rank in the patterns of [`for_each_slip`].
pub const ANY_RANK: u8 = 2;
/// Stands for any piece letter, or none, in the patterns of [`for_each_slip`].
pub const ANY_PIECE: u8 = 3;

/// Visits the patterns of a slip of the pen: one part of the plain spelling is another than it should be, or is missing.
///
/// A pattern holds at most one of [`ANY_FILE`], [`ANY_RANK`] and [`ANY_PIECE`], each alternative of which is equally
/// likely. The probabilities add up to about one over all slips of a move.
pub fn for_each_slip(shape: &MoveShape, language: &Language, habits: &Habits, visit: &mut impl FnMut(&Spelling)) {
    if shape.castles {
        let other: &[u8] = if shape.to.file() < shape.from.file() { b"O-O" } else { b"O-O-O" };
        visit(&Spelling::empty().letters(other));
        return;
    }
    if !language.is_algebraic() {
        return;
    }
    let file = file_char(shape.to.file());
    let rank = rank_char(shape.to.rank());
    let captures = shape.captured.is_some();
    let signs: &[(Choice, &[u8])] = if captures { &CAPTURE_SIGNS[..2] } else { &QUIET_SIGNS[..1] };
    let letter: Vec<u8> = language.bytes(shape.piece).collect();
    let origin = file_char(shape.from.file());
    let pawn = shape.piece == Piece::Pawn;
    let promotion: Vec<u8> =
        shape.promotion.map_or_else(Vec::new, |piece| b"=".iter().copied().chain(language.bytes(piece)).collect());
    let mut write_promoting = |head: &[u8], tail: &[u8], promotion: &[u8], share: f64| {
        for (choice, sign) in signs {
            let slip = Spelling::empty().letters(head).choose(*choice, habits).letters(sign).letters(tail);
            visit(&slip.letters(promotion).times(share));
        }
    };
    let mut write = |head: &[u8], tail: &[u8], share: f64| write_promoting(head, tail, &promotion, share);
    let named: &[u8] = &letter;
    let origins: &[u8] = &[origin];
    let told = [named, &[if shape.file_tells { origin } else { rank_char(shape.from.rank()) }]].concat();
    let told: &[u8] = &told;
    let heads: &[(&[u8], f64)] = match (pawn, captures, shape.rivalled) {
        (true, false, _) => &[(b"", 1.0)],
        (true, true, _) => &[(origins, 1.0)],
        (false, _, false) => &[(named, 1.0)],
        (false, _, true) => &[(named, 0.5), (told, 0.5)],
    };
    for (head, share) in heads {
        write(head, &[ANY_FILE, rank], share * 0.3);
        write(head, &[file, ANY_RANK], share * 0.35);
        write(head, &[file], share * 0.03);
        write(head, &[rank], share * 0.03);
    }
    write(&[ANY_PIECE], &[file, rank], 0.2);
    if pawn && captures {
        write(&[ANY_FILE], &[file, rank], 0.1);
    } else if !pawn && shape.rivalled {
        write(&[named, &[ANY_FILE]].concat(), &[file, rank], 0.06);
        write(&[named, &[ANY_RANK]].concat(), &[file, rank], 0.03);
    }
    // Only a queen goes without saying.
    if shape.promotion.is_some_and(|piece| piece != Piece::Queen) {
        write_promoting(if captures { origins } else { b"" }, &[file, rank], b"", 0.3);
    }
}
