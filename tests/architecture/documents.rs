//! The documents name what exists: files, functions, types, and links to one another.

use std::fs;

use super::{assert_none, root, sources};

/// The documents whose links are followed; a missing one is an error.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "data/README.md",
    "docs/benchmarks.md",
    "docs/benchmarks-hbase.md",
    "docs/changes.md",
    "docs/hbase.md",
    "docs/limits.md",
    "docs/row-keys.md",
    "docs/security.md",
    "docs/types.md",
    "queries/README.md",
    "tests/formats/README.md",
];

/// The documents whose names in backticks are looked up.
const NAMING: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// The texts in backticks outside fenced blocks, with their line.
fn quoted(document: &str) -> Vec<(usize, &str)> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for (index, line) in document.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        let quotes = line.split('`').skip(1).step_by(2);
        found.extend(quotes.map(|quote| (index + 1, quote)));
    }
    found
}

/// The targets of links to files of the repository.
fn links(document: &str) -> Vec<&str> {
    let targets = document.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split(')').next());
    targets
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

/// What a name in backticks claims to be.
#[derive(Debug, PartialEq)]
enum Claim<'a> {
    /// A file or a directory, below the root or below `src/`.
    Path(&'a str),
    /// A function: `name()` or `path::name()`.
    Function(&'a str),
    /// A type or another item: `CamelCase`, or the last name of `a::b`.
    Item(&'a str),
    /// Anything else: SQL, a command, a metric.
    Nothing,
}

fn claim(name: &str) -> Claim<'_> {
    let word = |text: &str| {
        let mut letters = text.chars();
        !text.is_empty() && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let path = |text: &str| {
        let mut letters = text.chars();
        letters.all(|letter| letter.is_alphanumeric() || "_-./".contains(letter))
    };
    let known_ending = [".rs", ".md", ".toml", ".sql", ".csv"];
    if path(name) && (name.contains('/') || known_ending.iter().any(|end| name.ends_with(end))) {
        return Claim::Path(name);
    }
    let last = name.rsplit("::").next().unwrap_or(name);
    if let Some(function) = last.strip_suffix("()") {
        return if word(function) {
            Claim::Function(function)
        } else {
            Claim::Nothing
        };
    }
    let camel = last.starts_with(char::is_uppercase) && last.contains(char::is_lowercase);
    if word(last) && (camel || name.contains("::")) {
        return Claim::Item(last);
    }
    Claim::Nothing
}

/// The names of a document that nothing in the repository bears.
fn missing_names(file: &str, document: &str, code: &str) -> Vec<String> {
    let exists = |path: &str| root().join(path).exists() || root().join("src").join(path).exists();
    let missing = quoted(document)
        .into_iter()
        .filter(|(_, name)| match claim(name) {
            Claim::Path(path) => !exists(path),
            Claim::Function(function) => {
                !code.contains(&format!("fn {function}("))
                    && !code.contains(&format!("fn {function}<"))
            }
            Claim::Item(item) => !contains_word(code, item),
            Claim::Nothing => false,
        });
    missing
        .map(|(line, name)| format!("{file}:{line}: nothing is called `{name}`"))
        .collect()
}

fn contains_word(code: &str, word: &str) -> bool {
    let outside = |letter: Option<char>| {
        !letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    };
    code.match_indices(word).any(|(at, _)| {
        outside(code[..at].chars().next_back()) && outside(code[at + word.len()..].chars().next())
    })
}

#[test]
fn documents_name_what_exists() {
    let code: String = sources(&["src", "tests", "benches"])
        .into_iter()
        .map(|(_, text)| super::source::mask(&text))
        .collect();
    let missing = NAMING.iter().flat_map(|file| {
        let document = fs::read_to_string(root().join(file)).unwrap();
        missing_names(file, &document, &code)
    });
    assert_none(missing.collect());
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut dead = Vec::new();
    for document in DOCUMENTS {
        let path = root().join(document);
        let text = fs::read_to_string(&path).unwrap();
        let targets = links(&text).into_iter();
        let missing = targets.filter(|target| !path.with_file_name(target).exists());
        dead.extend(missing.map(|target| format!("{document}: no {target}")));
    }
    assert_none(dead);
}

#[test]
fn a_missing_name_is_found() {
    let code = "struct KeyRange; fn encode(key: u8) {} fn merge<T>() {}";
    let good = "`KeyRange`, `encode()`, `key::merge()`, `src/lib.rs`, `lib.rs`, `WHERE`, `keys_read`, `make demo`";
    assert_none(missing_names("a.md", good, code));
    assert_none(missing_names("a.md", "```\n`Missing`\n```\n", code));
    for bad in [
        "`Keyrange`",
        "`encod()`",
        "`key::Encode`",
        "`src/none.rs`",
        "`none/`",
    ] {
        assert_eq!(missing_names("a.md", bad, code).len(), 1, "{bad}");
    }
    assert_eq!(links("[a](b.md#c) [d](https://e) [f](#g)"), ["b.md"]);
}
