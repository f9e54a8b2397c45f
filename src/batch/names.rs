//! What folder and file names say about a photo. People name photos as they like, so this is a hint only.

use crate::game::Colour;

/// What a photo's name says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// Folder and name without the words for colour and page: photos that agree in it may be of one game.
    pub stem: String,
    /// The photo's name says that it is one of several of a game.
    pub is_part: bool,
    pub round: Option<u32>,
    pub board: Option<u32>,
    pub keeper: Option<Colour>,
    pub page: Option<u32>,
    /// All words of folder and file name, in small letters.
    pub words: Vec<String>,
}

const WHITE: [&str; 8] = ["white", "weiss", "weiß", "blanc", "blancs", "blancas", "bianco", "wit"];
const BLACK: [&str; 8] = ["black", "schwarz", "noir", "noirs", "negras", "nero", "zwart", "negre"];
const ROUND: [&str; 8] = ["round", "r", "rd", "rnd", "runde", "ronde", "ronda", "turno"];
const BOARD: [&str; 9] = ["board", "b", "bd", "brd", "brett", "table", "tafel", "bord", "tablero"];
const PAGE: [&str; 7] = ["page", "p", "pg", "seite", "pagina", "side", "part"];

/// Reads a path below the walked folder, with slashes.
pub fn hints(name: &str) -> Hints {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut hints = Hints::default();
    // The folders first: what the file name says overrules them.
    read_words(&words(folder), &mut hints);
    let folder_words = words(folder);
    let file_words = words(stem);
    let left = read_words(&file_words, &mut hints);
    hints.is_part = left.len() < file_words.len() && (hints.keeper.is_some() || hints.page.is_some());
    let left = match left.split_last() {
        // `042_0`, `12a`: a number, and which of its photos.
        Some((last, rest)) if !hints.is_part && is_index(last) && is_counted(rest, last, &hints) => {
            hints.is_part = true;
            rest.to_vec()
        }
        _ => left,
    };
    hints.stem = format!("{folder}/{}", left.join(" ")).to_lowercase();
    hints.words = folder_words.into_iter().chain(file_words).collect();
    hints
}

/// Takes the words for round, board, colour and page into the hints; what is left names the game. Round and board
/// stay, since they name it too.
fn read_words(words: &[String], hints: &mut Hints) -> Vec<String> {
    let mut left = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let number = rest.peek().and_then(|next| next.parse::<u32>().ok());
        let is = |list: &[&str]| list.contains(&word.as_str());
        match number {
            Some(number) if is(&ROUND) || is(&BOARD) => {
                let place = if is(&ROUND) { &mut hints.round } else { &mut hints.board };
                *place = Some(number);
                left.push(word.clone());
                left.extend(rest.next().cloned());
                if let Some(board) = board_behind(rest.clone()).filter(|_| is(&ROUND)) {
                    hints.board = Some(board);
                    left.extend(rest.next().cloned());
                }
            }
            Some(number) if is(&PAGE) && number > 0 => {
                hints.page = Some(number);
                rest.next();
            }
            _ if is(&WHITE) => hints.keeper = Some(Colour::White),
            _ if is(&BLACK) => hints.keeper = Some(Colour::Black),
            // A single letter at the end, after something else.
            None if word == "w" && !left.is_empty() => hints.keeper = Some(Colour::White),
            None if word == "b"
                && rest.peek().is_none()
                && left.len() > 1
                && left.last().is_none_or(|last| last != "a") =>
            {
                hints.keeper = Some(Colour::Black);
            }
            _ => left.push(word.clone()),
        }
    }
    left
}

/// The board of `r3-12`, from the words behind the round: a number, unless a date may begin with it.
fn board_behind<'a>(mut rest: impl Iterator<Item = &'a String>) -> Option<u32> {
    let board = rest.next().filter(|word| word.len() <= 3)?.parse().ok()?;
    rest.next().is_none_or(|next| !is_number(next) || is_index(next)).then_some(board)
}

/// Runs of letters and runs of digits, in small letters.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let joins = (c.is_alphabetic() && last.is_alphabetic()) || (c.is_ascii_digit() && last.is_ascii_digit());
        if !c.is_alphanumeric() {
        } else if let (true, Some(word)) = (joins, words.last_mut()) {
            word.extend(c.to_lowercase());
        } else {
            words.push(c.to_lowercase().collect());
        }
        last = c;
    }
    words
}

/// Whether words end with a number whose photos may be counted by `last`: not with a round whose board that is.
fn is_counted(words: &[String], last: &str, hints: &Hints) -> bool {
    let number = |word: &str| word.parse::<u32>().ok();
    let is_round = |word: &str| hints.round.is_some() && number(word) == hints.round && number(last) == hints.board;
    words.last().is_some_and(|word| is_number(word) && !is_round(word))
}

fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

/// A single digit, or one of the letters a to d.
fn is_index(word: &str) -> bool {
    word.len() == 1 && word.chars().all(|c| c.is_ascii_digit() || ('a'..='d').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_boards_and_colours() {
        let (white, black) = (hints("r3-b12-white.jpg"), hints("r3-b12-black.jpg"));
        assert_eq!((white.round, white.board, white.keeper), (Some(3), Some(12), Some(Colour::White)));
        assert_eq!(black.keeper, Some(Colour::Black));
        assert!(white.is_part && white.stem == black.stem && white.stem != hints("r3-b13-white.jpg").stem);
        let deep = hints("Open 2024/Round 3/Board 12 w.jpg");
        assert_eq!((deep.round, deep.board, deep.keeper), (Some(3), Some(12), Some(Colour::White)));
        assert_eq!(hints("Runde_07/Brett02.png").board, Some(2));
    }

    #[test]
    fn a_number_behind_the_round_is_the_board() {
        let of = |name: &str| {
            let hints = hints(name);
            (hints.round, hints.board, hints.keeper, hints.is_part)
        };
        assert_eq!(of("r1-1-white.jpg"), (Some(1), Some(1), Some(Colour::White), true));
        assert_eq!(of("r3-12-black.jpg"), (Some(3), Some(12), Some(Colour::Black), true));
        assert_eq!(of("r1-2.jpg"), (Some(1), Some(2), None, false));
        assert_eq!(of("club/Round 1-2 p2.jpg"), (Some(1), Some(2), None, true));
        assert_eq!(of("r1-2-1.jpg"), (Some(1), Some(2), None, true));
        assert_ne!(hints("r1-1.jpg").stem, hints("r1-2.jpg").stem);
        assert_eq!(hints("r1-1-white.jpg").stem, hints("r1-1-black.jpg").stem);
        for date in ["r1 2024-05-06.jpg", "r1 24-05-06.jpg"] {
            assert_eq!(of(date).1, None, "{date}");
        }
    }

    #[test]
    fn pages_and_parts() {
        let (first, second) = (hints("club/game7_p1.jpg"), hints("club/game7_p2.jpg"));
        assert_eq!((first.page, second.page), (Some(1), Some(2)));
        assert!(first.is_part && first.stem == second.stem);
        for [a, b] in [["12a.jpg", "12b.jpg"], ["042_0.jpg", "042_1.jpg"]] {
            assert!(hints(a).is_part && hints(a).stem == hints(b).stem, "{a} {b}");
        }
    }

    #[test]
    fn a_camera_names_no_games() {
        let (one, two) = (hints("IMG_0001.jpg"), hints("IMG_0002.jpg"));
        assert!(!one.is_part && one.stem != two.stem && one.round.is_none() && one.board.is_none());
    }
}
