//! Pairings from the tags of a PGN file.

use super::Pairing;

/// Tags that belong to the moves of the file's game, not to the sheet's.
const NOT_OURS: [&str; 5] = ["FEN", "SetUp", "PlyCount", "Opening", "Variation"];

pub fn parse(file: &str, text: &str) -> Vec<Pairing> {
    let mut pairings: Vec<Pairing> = Vec::new();
    let mut in_tags = false;
    for (index, line) in text.lines().enumerate() {
        let Some((name, value)) = tag(line) else {
            // An empty line within the tags ends nothing, move text does.
            in_tags &= line.trim().is_empty();
            continue;
        };
        if !in_tags || pairings.last().is_some_and(|last| last.tags.contains_key(name)) {
            pairings.push(Pairing { place: format!("{file}, line {}", index + 1), ..Pairing::default() });
        }
        in_tags = true;
        let known = value != "?" && !value.starts_with("????") && !NOT_OURS.contains(&name);
        if let Some(pairing) = pairings.last_mut().filter(|_| known) {
            pairing.tags.insert(name.to_owned(), value);
        }
    }
    for pairing in &mut pairings {
        let round = pairing.tags.get("Round").cloned().unwrap_or_default();
        let mut numbers = round.split('.').map(|part| part.trim().parse::<u32>().ok());
        pairing.round = numbers.next().flatten();
        let board = pairing.tags.get("Board").and_then(|board| board.trim().parse().ok());
        pairing.board = board.or(numbers.next().flatten());
    }
    pairings.retain(|pairing| pairing.tags.contains_key("White") && pairing.tags.contains_key("Black"));
    pairings
}

/// Name and value of a line `[Name "value"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inside = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inside.split_once(char::is_whitespace)?;
    let quoted = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        value.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    crate::pgn::is_tag_name(name).then_some((name, value))
}
