//! A whole game that is written in one language: all of its words are read in the same letters, and where nobody says
//! in which, the game itself does.

use super::described::kings_side;
use super::language::{LANGUAGES, Language};
use super::typed::read;
use cozy_chess::{Board, File, Move, Square};

/// A game as far as it could be followed.
#[derive(Debug, Clone)]
pub struct Played {
    pub moves: Vec<Move>,
    /// Behind the last move.
    pub board: Board,
    /// The word that is no move, or may be several.
    pub stuck: Option<String>,
    pub language: &'static Language,
}

/// Two languages that read the same words as different games.
#[derive(Debug)]
pub struct Ambiguous(pub &'static Language, pub &'static Language);

/// The ways to write that a name stands for, in capitals or not: a language's code, or a notation as
/// [`super::write::System`] names it.
pub fn ways(name: &str) -> Option<Vec<&'static Language>> {
    let name = name.to_ascii_lowercase();
    let (code, descriptive) = match name.as_str() {
        "san" | "long" | "reversible" => ("en", Some(false)),
        "descriptive" => ("en", Some(true)),
        "descriptive-es" => ("es", Some(true)),
        code => (code, None),
    };
    let ways = Language::find(code)?.ways();
    Some(ways.filter(|way| descriptive.is_none_or(|described| described != way.is_algebraic())).collect())
}

/// The game in the one of the given ways that carries furthest; the first of those that carry as far.
pub fn read_in(ways: &[&'static Language], start: &Board, words: &[String]) -> Option<Played> {
    // Of equals, the last is the greatest.
    ways.iter().rev().map(|way| play(start, words, way)).max_by_key(|played| played.moves.len())
}

/// The game in the language that carries furthest; in English if that carries as far as any.
///
/// # Errors
/// English does not read the whole game, and others read it differently.
pub fn read_in_any(start: &Board, words: &[String]) -> Result<Option<Played>, Ambiguous> {
    let foreign = words.iter().any(|word| word.contains(is_foreign));
    let possible: Vec<&Language> =
        LANGUAGES.iter().filter(|way| foreign || way.code == "en" || !way.is_algebraic()).collect();
    let Some(best) = read_in(&possible, start, words) else { return Ok(None) };
    if best.stuck.is_none() && best.language.code != "en" {
        let mut games = possible.into_iter().map(|way| play(start, words, way));
        if let Some(other) = games.find(|game| game.stuck.is_none() && game.moves != best.moves) {
            return Err(Ambiguous(best.language, other.language));
        }
    }
    Ok(Some(best))
}

/// Whether a sign names a piece, and is not how English does. The O of castling and the X of mate are no names.
fn is_foreign(sign: char) -> bool {
    ('♔'..='♟').contains(&sign) || (sign.is_uppercase() && !"KQRBNPOX".contains(sign))
}

fn play(start: &Board, words: &[String], language: &'static Language) -> Played {
    let mut played = Played { moves: Vec::new(), board: start.clone(), stuck: None, language };
    // Where what stands on each square stood at the start.
    let mut homes = Square::ALL;
    for word in words {
        let mut said = read(&played.board, word, language);
        if said.len() > 1 && !language.is_algebraic() {
            retain_side(word, language, &homes, &mut said);
        }
        let [mv] = said[..] else {
            played.stuck = Some(word.clone());
            break;
        };
        follow(&played.board, mv, &mut homes);
        played.board.play_unchecked(mv);
        played.moves.push(mv);
    }
    played
}

/// Keeps the moves of the piece that descriptive notation names by its side, as in `QR-Q1`.
fn retain_side(word: &str, language: &Language, homes: &[Square; 64], moves: &mut Vec<Move>) {
    if let Some(kings) = kings_side(word, language) {
        moves.retain(|mv| (homes[mv.from as usize].file() >= File::E) == kings);
    }
}

/// Moves the homes of the pieces with a move.
fn follow(board: &Board, mv: Move, homes: &mut [Square; 64]) {
    let (king, rook) = (homes[mv.from as usize], homes[mv.to as usize]);
    if !board.colors(board.side_to_move()).has(mv.to) {
        homes[mv.to as usize] = king;
        return;
    }
    // Castling is told by the rook's square.
    let (kings, rooks) = if mv.to.file() > mv.from.file() { (File::G, File::F) } else { (File::C, File::D) };
    homes[Square::new(kings, mv.from.rank()) as usize] = king;
    homes[Square::new(rooks, mv.from.rank()) as usize] = rook;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::write::System;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// A game written in a system.
    fn written(moves: &[Move], system: System) -> Vec<String> {
        let mut board = Board::default();
        let mut words = Vec::new();
        for &mv in moves {
            words.push(system.write(&board, mv).replace(' ', ""));
            board.play_unchecked(mv);
        }
        words
    }

    #[test]
    fn the_language_is_found_from_the_game() {
        let german = words("e4 e5 Sf3 Sc6 Lb5 a6 Lxc6 dxc6 O-O Df6");
        let played = read_in_any(&Board::default(), &german).unwrap().unwrap();
        assert_eq!((played.language.code, played.stuck), ("de", None));
        let english = words("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Qf6");
        assert_eq!(written(&played.moves, System::San), english);
        assert_eq!(read_in_any(&Board::default(), &english).unwrap().unwrap().language.code, "en");
    }

    #[test]
    fn pieces_are_known_by_their_side_at_the_start() {
        let text = "P-K4 P-K4 N-KB3 N-QB3 B-B4 B-B4 Castles N-B3 P-Q3 Castles N-B3 P-Q3 B-KN5 B-KN5 Q-Q2 Q-Q2";
        for (last, san) in [("QR-K1", "Rae1"), ("KR-K1", "Rfe1"), ("R(R1)-K1", "Rae1")] {
            let played = read_in_any(&Board::default(), &words(&format!("{text} {last}"))).unwrap().unwrap();
            let written = written(&played.moves, System::San);
            assert_eq!((played.stuck, written.last().map(String::as_str)), (None, Some(san)), "{last}");
        }
        let stuck = read_in_any(&Board::default(), &words(&format!("{text} R-K1"))).unwrap().unwrap().stuck;
        assert_eq!(stuck.as_deref(), Some("R-K1"));
        let spanish = words("P4R P4R C3AR C3AD A4A A4A O-O C3A P3D O-O C3A P3D A5CR A5CR D2D D2D TD1R");
        let played = read_in_any(&Board::default(), &spanish).unwrap().unwrap();
        assert_eq!(written(&played.moves, System::San).last().map(String::as_str), Some("Rae1"), "{:?}", played.stuck);
    }

    #[test]
    fn languages_are_not_mixed() {
        let stuck = |text: &str| read_in_any(&Board::default(), &words(text)).unwrap().unwrap().stuck;
        assert_eq!(stuck("e4 e5 Nf3 Sc6").as_deref(), Some("Sc6"));
        assert_eq!(stuck("Kf3").as_deref(), Some("Kf3"), "a wrong English move is no Indonesian one");
        let dutch = read_in(&ways("nl").unwrap(), &Board::default(), &words("e4 Pc6 Nf3")).unwrap();
        assert_eq!(dutch.stuck.as_deref(), Some("Nf3"));
        assert_eq!(written(&dutch.moves, System::San), ["e4", "Nc6"]);
    }

    #[test]
    fn what_languages_read_differently_is_refused() {
        // A queen in Turkish, a rook in Estonian.
        let board: Board = "8/7k/8/8/8/8/8/Q1R1K3 w - - 0 1".parse().unwrap();
        assert!(read_in_any(&board, &words("Vb1")).is_err());
    }

    #[test]
    fn what_is_written_is_read_again_in_every_language() {
        let game = "e4 e5 Nf3 Nf6 d4 exd4 e5 Ne4 Qxd4 d5 exd6 Nxd6 Nc3 Nc6 Qf4 g6 Bd2 Bg7 O-O-O Be6 h4 Qf6 Qxf6 Bxf6 \
                    h5 O-O-O hxg6 hxg6 Rxh8 Rxh8 Ne4 Nxe4 Bc3 Nxf2 Bxf6 Nxd1 Bxh8 Nxb2 Kxb2 Nb4 a3 Nd5 c4 Ne3 c5 f6 \
                    Bxf6 Bf5 Nd4 Nxg2 Nxf5 gxf5 Bxg2 b5 c6 Kb8 Be7 a5 Kc3 f4 Kd3 f3 Bxf3 a4 Ke4 b4 axb4 a3 b5 a2 b6 cxb6 \
                    c7+ Kc8 Bd8 a1=N";
        let played = read_in_any(&Board::default(), &words(game)).unwrap().unwrap();
        assert_eq!(played.stuck, None);
        let codes = LANGUAGES.iter().map(|language| language.code);
        for name in codes.chain(["san", "LONG", "reversible", "descriptive", "descriptive-es", "UCI"]) {
            let text = written(&played.moves, System::find(name).unwrap());
            let again = read_in(&ways(name).unwrap(), &Board::default(), &text).unwrap();
            assert_eq!((again.stuck, again.moves == played.moves), (None, true), "{name}: {text:?}");
            let found = read_in_any(&Board::default(), &text).unwrap().unwrap();
            assert_eq!((found.stuck, found.moves == played.moves), (None, true), "{name} unsaid: {text:?}");
        }
    }
}
