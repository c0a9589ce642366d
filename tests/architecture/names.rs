//! One word for one thing: no two types that others see have one name in a room.

use std::collections::BTreeMap;

use super::source::{code_of, line_of};
use super::{assert_none, is_test_file, module_of, sources};

/// Names that a room has twice. `session::blocking` has the types of the API anew, for threads that wait.
const TWICE: &[(&str, &str)] = &[
    ("session", "Appender"),
    ("session", "Connection"),
    ("session", "Database"),
    ("session", "PreparedStatement"),
];

/// The types of a file that others see, each with its line.
fn seen_types(text: &str) -> Vec<(String, usize)> {
    let code = code_of(text);
    let mut types = Vec::new();
    for (at, _) in code.match_indices("pub") {
        let is_word = code[..at].ends_with([' ', '\n']) || at == 0;
        let behind = &code[at + "pub".len()..];
        let behind = match behind.split_once(')') {
            Some((_, behind)) if code[at..].starts_with("pub(") => behind,
            _ => behind,
        };
        let mut words = behind.split_ascii_whitespace();
        if is_word && matches!(words.next(), Some("struct" | "enum" | "trait" | "union")) {
            let name = words.next().unwrap_or_default();
            let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
            let name: String = name.chars().take_while(|it| is_of_name(*it)).collect();
            types.push((name, line_of(&code, at)));
        }
    }
    types
}

/// What is wrong with files, given by their paths under `src/`.
fn wrong<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    twice: &[(&str, &str)],
) -> Vec<String> {
    let mut found: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    for (file, text) in files {
        if is_test_file(file) || file.contains("_tests/") || file.contains("/whole/") {
            continue;
        }
        for (name, line) in seen_types(text) {
            let places = found.entry((module_of(file), name)).or_default();
            places.push(format!("src/{file}:{line}"));
        }
    }
    found.retain(|_, places| places.len() > 1);
    let mut wrong = Vec::new();
    for (room, name) in twice {
        if found.remove(&(*room, (*name).to_owned())).is_none() {
            wrong.push(format!("src/{room} has one `{name}` by now"));
        }
    }
    let too_many = found.into_iter();
    wrong.extend(too_many.map(|((_, name), places)| format!("`{name}`: {}", places.join(", "))));
    wrong
}

#[test]
fn a_room_has_one_type_of_a_name() {
    let files = sources(&["src"]);
    let files = files.iter();
    let files = files.map(|(file, text)| (file.strip_prefix("src/").unwrap(), text.as_str()));
    assert_none(wrong(files, TWICE));
}

#[test]
fn a_second_type_of_a_name_is_found() {
    let files = [
        (
            "scan/a.rs",
            "pub struct Row<'a> {\n}\nstruct Own;\npub fn seen() -> Row {}",
        ),
        ("scan/b.rs", "struct Own;\n\npub(super) enum Row {\n}"),
        (
            "scan/c.rs",
            "#[cfg(test)]\npub struct Row;\n// pub struct Row;",
        ),
        ("scan/d_tests.rs", "pub struct Row;"),
        ("row.rs", "pub(in crate::row) trait Row: Send {\n}"),
        ("row/a.rs", "pub struct Kept;"),
    ];
    let expected = [
        "src/row has one `Kept` by now",
        "`Row`: src/scan/a.rs:1, src/scan/b.rs:3",
    ];
    assert_eq!(wrong(files, &[("row", "Kept")]), expected);
}
