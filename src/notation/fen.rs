//! Positions as people give them: FEN and X-FEN, with or without the clocks.

use cozy_chess::{Board, Color};

/// The position of a FEN. Its castling rights may be in the letters of X-FEN, which name a rook by its side or its file;
/// the two clocks may be missing, and one beyond a hundred half-moves counts as a hundred.
///
/// # Errors
/// What is wrong, in words without a full stop.
pub fn position(text: &str) -> Result<Board, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (placement, turn, rights, passant, clock, number) = match fields[..] {
        [placement, turn, rights, passant] => (placement, turn, rights, passant, "0", "1"),
        [placement, turn, rights, passant, clock, number] => (placement, turn, rights, passant, clock, number),
        _ => return Err("it has neither the four fields of a position nor six, with the clocks".to_owned()),
    };
    let clock = match clock.parse::<u32>() {
        Ok(clock) => clock.min(100).to_string(),
        Err(_) => clock.to_owned(),
    };
    let rights: String = rights.chars().map(|right| rook_file(placement, right)).collect();
    let fen = format!("{placement} {turn} {rights} {passant} {clock} {number}");
    Board::from_fen(&fen, true).map_err(|error| error.to_string().trim_end_matches('.').to_lowercase())
}

/// The letter of the file of the rook that K or Q means: the outermost on that side of the king. Other letters are files.
fn rook_file(placement: &str, right: char) -> char {
    let colour = if right.is_ascii_uppercase() { Color::White } else { Color::Black };
    let in_case = |c: char| if colour == Color::White { c.to_ascii_uppercase() } else { c };
    let mut rows = placement.split('/');
    let row = files(if colour == Color::White { rows.next_back() } else { rows.next() }.unwrap_or_default());
    let Some(king) = row.iter().position(|&c| c == in_case('k')) else { return right };
    let is_rook = |c: &char| *c == in_case('r');
    let file = match right.to_ascii_lowercase() {
        'k' => row.iter().rposition(is_rook).filter(|&file| file > king),
        'q' => row.iter().position(is_rook).filter(|&file| file < king),
        _ => None,
    };
    file.and_then(|file| "abcdefgh".chars().nth(file)).map_or(right, in_case)
}

/// What stands on each file of a row of a FEN, a point where nothing does.
fn files(row: &str) -> Vec<char> {
    row.chars().flat_map(|c| c.to_digit(9).map_or(vec![c], |empty| vec!['.'; empty as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::position;
    use cozy_chess::{Color, File};

    #[test]
    fn positions_are_read_as_people_give_them() {
        for fen in
            ["4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ -  ", " 4k3/8/8/8/8/8/8/R3K2R w HA - 0 1"]
        {
            assert_eq!(position(fen).unwrap().to_string(), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        }
        assert_eq!(position("4k3/8/8/8/8/8/8/4K3 w - - 140 90").unwrap().halfmove_clock(), 100);
    }

    #[test]
    fn rooks_may_start_anywhere() {
        let board = position("1r3kr1/8/8/8/8/8/8/1RR2K1R w KQkq - 0 1").unwrap();
        let (white, black) = (board.castle_rights(Color::White), board.castle_rights(Color::Black));
        assert_eq!((white.short, white.long), (Some(File::H), Some(File::B)));
        assert_eq!((black.short, black.long), (Some(File::G), Some(File::B)));
        let inner = position("4k3/8/8/8/8/8/8/1RR2K1R w C - 0 1").unwrap();
        assert_eq!(inner.castle_rights(Color::White).long, Some(File::C));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for fen in
            ["", "x", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w K - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - x 1"]
        {
            let said = position(fen).unwrap_err();
            assert!(!said.ends_with('.'), "{fen}: {said}");
        }
    }
}
