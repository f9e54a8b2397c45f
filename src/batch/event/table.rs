//! Pairings from a table: CSV, or the text that pairing programs such as Swiss-Manager export.

use super::{Pairing, result};

/// What the columns hold, by their headings in small letters, in several languages.
const COLUMNS: [(&str, &[&str]); 9] = [
    ("Round", &["round", "rd", "rd.", "rnd", "runde", "rde", "rde.", "ronde", "ronda"]),
    (
        "Board",
        &["board", "bo", "bo.", "brd", "br", "br.", "brett", "tisch", "table", "tab.", "ech.", "mesa", "tablero"],
    ),
    ("White", &["white", "weiß", "weiss", "blanc", "blancs", "blancas", "bianco", "wit"]),
    ("Black", &["black", "schwarz", "noir", "noirs", "negras", "nero", "zwart"]),
    ("Result", &["result", "res", "res.", "ergebnis", "erg", "erg.", "résultat", "resultat", "resultado", "risultato"]),
    ("Date", &["date", "datum", "fecha", "data"]),
    ("Event", &["event", "tournament", "turnier", "tournoi", "torneo"]),
    ("Site", &["site", "place", "ort", "lieu", "lugar"]),
    // Twice: White's, then Black's.
    ("Name", &["name", "nom", "nombre", "naam"]),
];

/// Reads every table of the text; a line such as `Round 3` counts for the tables below it.
pub fn parse(file: &str, text: &str) -> Vec<Pairing> {
    let mut pairings = Vec::new();
    let mut columns: Option<(char, Vec<&'static str>)> = None;
    let mut round = None;
    for (index, line) in text.lines().enumerate() {
        if let Some(heading) = headings(line) {
            columns = Some(heading);
            continue;
        }
        if let Some(number) = round_line(line) {
            round = Some(number);
        }
        let Some((separator, columns)) = &columns else { continue };
        let mut pairing = Pairing { round, place: format!("{file}, line {}", index + 1), ..Pairing::default() };
        for (name, value) in columns.iter().zip(fields(line, *separator)) {
            match *name {
                "" => {}
                _ if value.is_empty() => {}
                "Round" => pairing.round = value.parse().ok().or(pairing.round),
                "Board" => pairing.board = value.trim_end_matches('.').parse().ok(),
                "Result" => {
                    drop(result(&value).map(|result| pairing.tags.insert("Result".to_owned(), result.to_owned())))
                }
                name => drop(pairing.tags.insert(name.to_owned(), value)),
            }
        }
        for (name, number) in [("Round", pairing.round), ("Board", pairing.board)] {
            number.iter().for_each(|number| drop(pairing.tags.insert(name.to_owned(), number.to_string())));
        }
        if pairing.tags.contains_key("White") && pairing.tags.contains_key("Black") {
            pairings.push(pairing);
        }
    }
    pairings
}

/// Longest heading of a column, in characters: text that happens to name columns goes on for longer.
const HEADING: usize = 30;

/// The separator and the columns of a line of headings, which names White and Black at least.
fn headings(line: &str) -> Option<(char, Vec<&'static str>)> {
    [';', '\t', ','].into_iter().find_map(|separator| {
        let known = |field: String| {
            let field = field.to_lowercase();
            COLUMNS.iter().find(|(_, words)| words.contains(&field.as_str())).map_or("", |(name, _)| *name)
        };
        let fields = fields(line, separator);
        // No heading is a number: Mr Weiss and Mr Noir may play at board 2.
        if fields.iter().any(|field| field.chars().count() > HEADING || field.parse::<u32>().is_ok()) {
            return None;
        }
        let mut columns: Vec<&str> = fields.into_iter().map(known).collect();
        let names: Vec<usize> = (0..columns.len()).filter(|&i| columns[i] == "Name").collect();
        if let [white, black] = names[..] {
            (columns[white], columns[black]) = ("White", "Black");
        }
        (columns.contains(&"White") && columns.contains(&"Black")).then_some((separator, columns))
    })
}

/// The number of a line such as `Round 3 on 2024/05/04`.
fn round_line(line: &str) -> Option<u32> {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, second) = (words.next()?.to_lowercase(), words.next()?);
    match (COLUMNS[0].1.contains(&first.as_str()), first.parse::<u32>()) {
        (true, _) => second.parse().ok(),
        // `3. Runde`
        (_, Ok(number)) if COLUMNS[0].1.contains(&second.to_lowercase().as_str()) => Some(number),
        _ => None,
    }
}

/// The fields of a line; quotes may enclose a separator, and two quotes within them are one.
fn fields(line: &str, separator: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let last = fields.len() - 1;
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => fields[last].extend(chars.next()),
            '"' => quoted = !quoted,
            c if c == separator && !quoted => fields.push(String::new()),
            c => fields[last].push(c),
        }
    }
    fields.into_iter().map(|field| field.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pairing_list_of_a_swiss_tournament() {
        let text = "Open 2024\nRound 3 on 2024/05/04 at 10:00\n\nBo.;No.;;White;Rtg;Result;;Black;Rtg;No.\n\
                    1;4;GM;Berg, Eva;2500;1 - 0;;Thal, Jan;2400;9\n2;1;;\"Rot; Ida\";2300;½ - ½;;Blau, Max;2200;2\n\n\
                    Round 4 on 2024/05/05\nBo.;No.;;White;Rtg;Result;;Black;Rtg;No.\n1;4;GM;Blau, Max;2500; ;;Berg, Eva;2400;9\n";
        let pairings = parse("pairings.txt", text);
        assert_eq!(pairings.len(), 3);
        assert_eq!((pairings[1].round, pairings[1].board), (Some(3), Some(2)));
        assert_eq!((pairings[1].tags["White"].as_str(), pairings[1].tags["Result"].as_str()), ("Rot; Ida", "1/2-1/2"));
        assert_eq!((pairings[2].round, pairings[2].tags.get("Result")), (Some(4), None));
    }
}
