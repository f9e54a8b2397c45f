//! Pairings from a FIDE tournament report file (TRF16, FIDE Handbook C.04 annex 2): fixed columns, a line a player.

use super::Pairing;
use std::collections::BTreeMap;

/// Places of the first round's columns in a player's line (counted from 0), and the width of a round.
const ROUNDS: usize = 91;
const WIDTH: usize = 10;

struct Player {
    number: u32,
    name: String,
    line: usize,
    /// Opponent, colour (`w` or `b`) and result by round.
    rounds: Vec<(Option<u32>, char, char)>,
}

/// The pairings by round; the format has no boards.
pub fn parse(file: &str, text: &str) -> Vec<Pairing> {
    let mut event = BTreeMap::new();
    let mut players = Vec::new();
    let mut dates: Vec<String> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let chars: Vec<char> = line.chars().collect();
        let field = |from: usize, to: usize| {
            chars.get(from..to.min(chars.len())).unwrap_or_default().iter().collect::<String>().trim().to_owned()
        };
        match field(0, 3).as_str() {
            "012" => drop(event.insert("Event".to_owned(), field(4, usize::MAX))),
            "022" => drop(event.insert("Site".to_owned(), field(4, usize::MAX))),
            "132" => {
                dates = (ROUNDS..chars.len()).step_by(WIDTH).map(|at| field(at, at + WIDTH)).collect();
            }
            "001" => {
                let rounds = (ROUNDS..chars.len()).step_by(WIDTH).map(|at| {
                    let one = |at: usize| chars.get(at).copied().unwrap_or(' ');
                    (field(at, at + 4).parse().ok(), one(at + 5), one(at + 7))
                });
                let Ok(number) = field(4, 8).parse() else { continue };
                players.push(Player { number, name: field(14, 47), line: index + 1, rounds: rounds.collect() });
            }
            _ => {}
        }
    }
    event.retain(|_, value| !value.is_empty());
    let names: BTreeMap<u32, &str> = players.iter().map(|player| (player.number, player.name.as_str())).collect();
    let mut pairings = Vec::new();
    for player in &players {
        for (index, &(opponent, colour, result)) in player.rounds.iter().enumerate() {
            let Some(black) = opponent.and_then(|number| names.get(&number)).filter(|_| colour == 'w') else {
                continue;
            };
            let round = index as u32 + 1;
            let mut tags = event.clone();
            tags.insert("White".to_owned(), player.name.clone());
            tags.insert("Black".to_owned(), (*black).to_owned());
            tags.insert("Round".to_owned(), round.to_string());
            tags.extend(dates.get(index).and_then(|date| date_tag(date)).map(|date| ("Date".to_owned(), date)));
            let result = match result {
                '1' | '+' | 'W' => Some("1-0"),
                '0' | '-' | 'L' => Some("0-1"),
                '=' | 'D' => Some("1/2-1/2"),
                _ => None,
            };
            tags.extend(result.map(|result| ("Result".to_owned(), result.to_owned())));
            pairings.push(Pairing {
                round: Some(round),
                board: None,
                tags,
                place: format!("{file}, line {}", player.line),
            });
        }
    }
    pairings
}

/// `YY/MM/DD` as PGN writes it.
fn date_tag(date: &str) -> Option<String> {
    let parts: Vec<&str> = date.split(['/', '-', '.']).collect();
    let digits = parts.iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    match parts[..] {
        [year, month, day] if digits && year.len() == 2 => Some(format!("20{year}.{month:0>2}.{day:0>2}")),
        [year, month, day] if digits && year.len() == 4 => Some(format!("{year}.{month:0>2}.{day:0>2}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A player's line as the annex lays it out.
    fn player(number: u32, name: &str, rounds: &str) -> String {
        format!(
            "001 {number:>4} m    {name:<33} {:>4} FRA {:>11} {:>10} {:>4} {:>4}  {rounds}\n",
            2400, 1234567, "1990/01/01", "1.5", 1
        )
    }

    #[test]
    fn rounds_come_from_whites_lines() {
        let text = format!(
            "012 Spring Open\n{}{}{}",
            player(1, "Berg, Eva", "   2 w 1     3 b ="),
            player(2, "Thal, Jan", "   1 b 0  0000 - -"),
            player(3, "Rot, Ida", "0000 - +     1 w =")
        );
        let pairings = parse("open.trf", &text);
        let told: Vec<_> = pairings
            .iter()
            .map(|p| (p.round, p.tags["White"].as_str(), p.tags["Black"].as_str(), p.tags["Result"].as_str()))
            .collect();
        assert_eq!(told, [(Some(1), "Berg, Eva", "Thal, Jan", "1-0"), (Some(2), "Rot, Ida", "Berg, Eva", "1/2-1/2")]);
        assert_eq!(pairings[0].tags["Event"], "Spring Open");
        assert_eq!(date_tag("24/5/04").as_deref(), Some("2024.05.04"));
    }
}
