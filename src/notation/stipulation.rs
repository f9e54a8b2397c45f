//! What a chess problem asks for, in words.

/// Words for a stipulation such as `h#2.5`; none if it is not known.
pub fn in_words(text: &str) -> Option<String> {
    let text: String = text.trim().chars().filter(|c| !c.is_whitespace()).collect();
    match text.as_str() {
        "+" => return Some("win".to_owned()),
        "=" => return Some("draw".to_owned()),
        _ => {}
    }
    for (prefix, name) in [("SPG", "shortest proof game"), ("PG", "proof game")] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return Some(format!("{name} in {} moves", number(rest.strip_prefix("in").unwrap_or(rest))?));
        }
    }
    const KINDS: &[(&str, &str)] = &[
        ("ser-hs", "series-help-self"),
        ("ser-h", "series-help"),
        ("ser-s", "series-self"),
        ("ser-", "series-"),
        ("semi-r", "semi-reflex "),
        ("sr", "semi-reflex "),
        ("hs", "help-self"),
        ("h", "help"),
        ("s", "self"),
        ("r", "reflex "),
        ("", ""),
    ];
    let (kind, goal) = KINDS.iter().find_map(|(prefix, kind)| {
        text.strip_prefix(prefix).filter(|goal| goal.starts_with(['#', '='])).map(|goal| (*kind, goal))
    })?;
    let (goal, moves) = if let Some(moves) = goal.strip_prefix("##") {
        ("double mate", moves)
    } else if let Some(moves) = goal.strip_prefix('#') {
        ("mate", moves)
    } else {
        ("stalemate", goal.strip_prefix('=')?)
    };
    let moves = number(moves)?;
    Some(format!("{kind}{goal} in {moves} {}", if moves == "1" { "move" } else { "moves" }))
}

/// A number of moves, perhaps with a half.
fn number(text: &str) -> Option<&str> {
    let (whole, half) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
    (digits(whole) && matches!(half, "0" | "5")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn stipulations_are_named() {
        for (text, words) in [
            ("#3", "mate in 3 moves"),
            ("#1", "mate in 1 move"),
            ("h#2.5", "helpmate in 2.5 moves"),
            ("s#4", "selfmate in 4 moves"),
            ("r#3", "reflex mate in 3 moves"),
            ("sr#3", "semi-reflex mate in 3 moves"),
            ("ser-h#7", "series-helpmate in 7 moves"),
            ("h=3", "helpstalemate in 3 moves"),
            ("+", "win"),
            ("=", "draw"),
            ("PG in 18.5", "proof game in 18.5 moves"),
            ("SPG in 27.0", "shortest proof game in 27.0 moves"),
        ] {
            assert_eq!(in_words(text).as_deref(), Some(words), "{text}");
        }
        for text in ["", "#", "h#", "#x", "e4", "PG in", "#2.3", "+-"] {
            assert_eq!(in_words(text), None, "{text}");
        }
    }
}
