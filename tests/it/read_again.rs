//! A photo that is read once more, as a person says.

use crate::http::send;
use crate::scale::until;
use crate::service::{Folder, get, over, path_of, photo, put_pins, read_again, start, upload, usual};
use scoresheet::service::Settings;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn a_person_can_say_where_the_table_is() {
    let folder = Folder::new("hints");
    let address = usual(&folder);
    let job = path_of(&upload(address, "a.png", &photo()).json());
    over(address, &job);
    let found = get(address, &format!("{job}/game")).json();
    let again = |body: Value| read_again(address, &job, &body);
    assert_eq!(again(json!({ "hints": [{ "sheet": 0, "page": 7 }] })).status, 404);
    assert_eq!(again(json!({ "hints": [{ "sheet": 0, "page": 0, "rows": 1000 }] })).status, 400);
    // What the program says about the table is understood as a hint: nothing changes.
    let own = &found["sheets"][0]["pages"][0]["quad"];
    assert_eq!(again(json!({ "hints": [{ "sheet": 0, "page": 0, "quad": own }] })).status, 202);
    over(address, &job);
    assert_eq!(get(address, &format!("{job}/pgn")).text(), found["pgn"].as_str().unwrap());
    let quad = json!([[80, 150], [1060, 150], [1060, 766], [80, 766]]);
    let hinted = again(json!({ "hints": [{ "sheet": 0, "page": 0, "quad": quad, "rows": 14, "columns": 2 }] }));
    assert_eq!(hinted.status, 202, "{}", hinted.text());
    let done = over(address, &job);
    assert_eq!((&done["state"], &done["photos"][0]["hint"]["rows"]), (&json!("done"), &json!(14)), "{done}");
    let game = get(address, &format!("{job}/game")).json();
    assert_eq!(game["plies"].as_array().unwrap().len(), 44);
    let near = |a: &Value, b: &Value| (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 8.0;
    let same = |a: &Value, b: &Value| (0..4).all(|i| near(&a[i][0], &b[i][0]) && near(&a[i][1], &b[i][1]));
    assert!(same(&game["sheets"][0]["pages"][0]["quad"], &quad), "{}", game["sheets"]);
}

#[test]
fn a_game_stays_until_another_takes_its_place() {
    let folder = Folder::new("kept");
    let (_, address) = start(Settings::new(folder.0.clone()), Duration::from_millis(300));
    let job = path_of(&upload(address, "a.png", &photo()).json());
    let first = over(address, &job);
    let pins = json!([{ "pin": "move", "number": 11, "colour": "white", "san": "c4" }]);
    assert_eq!(put_pins(address, &job, &pins).status, 200);
    let corrected = || {
        let review = get(address, &format!("{job}/review")).json();
        assert_eq!((&review["pins"], &review["game"]["plies"][20]["san"]), (&pins, &json!("c4")));
    };
    let hint = |quad: Value| json!({ "hints": [{ "sheet": 0, "page": 0, "quad": quad }] });
    // Corners that cannot be right change nothing.
    for quad in [
        json!([[5000, 5000], [6000, 5000], [6000, 6000], [5000, 6000]]),
        json!([[0, 0], [0, 0], [0, 0], [0, 0]]),
        json!([[80, 766], [1060, 766], [1060, 150], [80, 150]]),
    ] {
        let refused = read_again(address, &job, &hint(quad));
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert!(refused.json()["detail"].as_str().unwrap().contains("corners"), "{}", refused.text());
        corrected();
    }
    // Corners of blank paper give no game.
    let blank = json!([[85, 5], [1055, 5], [1055, 140], [85, 140]]);
    assert_eq!(read_again(address, &job, &hint(blank)).status, 202);
    let failed = over(address, &job);
    assert_eq!((&failed["state"], &failed["progress"]), (&json!("done"), &json!(1.0)), "{failed}");
    assert!(failed["problem"]["detail"].is_string() && failed["photos"] == first["photos"], "{failed}");
    corrected();
    assert_eq!(get(address, &format!("{job}/pgn")).status, 200);
    // So does a reading that is cancelled, waiting or under way.
    for wait in [0, 200] {
        assert_eq!(read_again(address, &job, &json!({ "language": "de" })).status, 202);
        std::thread::sleep(Duration::from_millis(wait));
        let cancelled = send(address, "POST", &format!("{job}/cancel"), &[], &[]).json();
        assert_eq!((&cancelled["state"], &cancelled["language"]), (&json!("done"), &Value::Null));
        std::thread::sleep(Duration::from_millis(600));
        corrected();
    }
    // A new game takes the place of the old one and its pins.
    assert_eq!(read_again(address, &job, &json!({})).status, 202);
    let last = over(address, &job);
    assert_eq!((&last["state"], &last["problem"], &last["photos"]), (&json!("done"), &Value::Null, &first["photos"]));
    assert_eq!(get(address, &format!("{job}/review")).json()["pins"], json!([]));
    // The files of the old game go after the job is done.
    let files = folder.0.join(format!("jobs/{}", &job["/v1/jobs/".len()..]));
    until(60, "photo, ink and game", || std::fs::read_dir(&files).unwrap().count() == 3);
}
