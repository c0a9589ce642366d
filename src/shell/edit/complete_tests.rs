use super::*;
use crate::session::Database;

fn completer() -> SqlCompleter {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let connection = Database::in_memory().unwrap().connect();
    for create in [
        "CREATE TABLE flights (carrier TEXT, dep TIMESTAMP(3), \"Käse\" INT, PRIMARY KEY (carrier))",
        "CREATE TABLE weather (temp DOUBLE, station TEXT, PRIMARY KEY (station))",
    ] {
        runtime
            .block_on(connection.execute(create, Vec::new()))
            .unwrap();
    }
    SqlCompleter::new(Names::new(connection))
}

/// The text with each completion put in at the bar, for the first completions.
fn completed(completer: &mut SqlCompleter, marked: &str, first: usize) -> Vec<String> {
    let cursor = marked.find('|').unwrap();
    let text = marked.replace('|', "");
    let result = completer.complete(&text, cursor);
    let put = |suggestion: &Suggestion| {
        let mut text = text.clone();
        text.replace_range(
            suggestion.span.start..suggestion.span.end,
            &suggestion.value,
        );
        text
    };
    result.suggestions().iter().take(first).map(put).collect()
}

#[test]
fn completion_offers_what_may_stand_there() {
    let mut completer = completer();
    let cases: [(&str, &[&str]); 22] = [
        ("SEL|", &["SELECT"]),
        ("sel|", &["select"]),
        (
            "SELECT * FROM |",
            &["SELECT * FROM flights", "SELECT * FROM weather"],
        ),
        ("SELECT * FROM wea|", &["SELECT * FROM weather"]),
        ("SELECT * FROM key|", &["SELECT * FROM keys("]),
        (
            "SELECT ca| FROM flights",
            &["SELECT carrier FROM flights", "SELECT cascade FROM flights"],
        ),
        ("SELECT stati| FROM flights", &[]),
        ("SELECT tem|", &["SELECT temp"]),
        (
            "SELECT * FROM flights WHERE de|",
            &["SELECT * FROM flights WHERE dep"],
        ),
        (
            "SELECT f.| FROM flights f",
            &[
                "SELECT f.carrier FROM flights f",
                "SELECT f.dep FROM flights f",
            ],
        ),
        (
            "SELECT w.s| FROM flights f, weather w",
            &["SELECT w.station FROM flights f, weather w"],
        ),
        ("SELECT x.st|", &["SELECT x.station"]),
        (
            "SELECT * FROM flights WHERE kä|",
            &["SELECT * FROM flights WHERE \"Käse\""],
        ),
        (
            "SELECT * FROM flights WHERE \"K|",
            &["SELECT * FROM flights WHERE \"Käse\""],
        ),
        ("SELECT date_tr|", &["SELECT date_trunc("]),
        (
            "WITH gulls AS (SELECT 1) SELECT * FROM gu|",
            &["WITH gulls AS (SELECT 1) SELECT * FROM gulls"],
        ),
        ("SET halite.push|", &["SET halite.pushdown"]),
        ("SET batch_s|", &["SET datafusion.execution.batch_size"]),
        ("SHOW TRAN|", &["SHOW TRANSFORMS"]),
        ("SELECT 1; DESCRIBE fl|", &["SELECT 1; DESCRIBE flights"]),
        ("SELECT 'fl|", &[]),
        ("SELECT 1 -- fl|", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(
            completed(&mut completer, text, expected.len().max(1)),
            expected,
            "{text}"
        );
    }
}

#[test]
fn commands_and_their_arguments_are_completed() {
    let mut completer = completer();
    let cases: [(&str, &[&str]); 11] = [
        (".ta|", &[".tables"]),
        ("\\ti|", &["\\timing"]),
        (".schema fl|", &[".schema flights"]),
        (".mode js|", &[".mode json", ".mode jsonl"]),
        (".mode insert fl|", &[".mode insert flights"]),
        (".timer o|", &[".timer on", ".timer off"]),
        (".keys |", &[".keys flights"]),
        (
            ".ranges SELECT * FROM wea|",
            &[".ranges SELECT * FROM weather"],
        ),
        (".help .ra|", &[".help .ranges"]),
        (".tables;|", &[]),
        (".quit |", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(
            completed(&mut completer, text, expected.len().max(1)),
            expected,
            "{text}"
        );
    }
    for command in command::COMMANDS {
        let text = format!("{}|", command.name());
        let found = completed(&mut completer, &text, usize::MAX);
        assert!(found.contains(&command.name().to_owned()), "{text}");
    }
}

#[test]
fn file_names_are_completed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    std::fs::write(directory.path().join("gulls.csv"), "").unwrap();
    std::fs::write(directory.path().join(".hidden"), "").unwrap();
    std::fs::create_dir(directory.path().join("gullies")).unwrap();
    let mut completer = completer();
    for (before, after) in [
        ("COPY flights FROM '", ""),
        (".read ", ""),
        (".import '", ""),
        ("SELECT * FROM '", "'"),
    ] {
        let typed = |name: &str| format!("{before}{path}/{name}");
        let found = completed(&mut completer, &format!("{}|{after}", typed("gul")), 9);
        let expected = ["gullies/", "gulls.csv"].map(|name| format!("{}{after}", typed(name)));
        assert_eq!(found, expected, "{before}");
        assert_eq!(
            completed(&mut completer, &format!("{}|{after}", typed("")), 9),
            expected
        );
        assert_eq!(
            completed(&mut completer, &format!("{}|", typed("none/x")), 9),
            [""; 0]
        );
    }
}
