//! What may stand where the cursor is: read from the words of the statement around it.

use crate::shell::words::{Kind, Token, tokens};

/// What completion offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Files whose path begins so.
    File,
    /// The first word of a statement.
    Beginning,
    /// A table, or a function that gives one.
    Table,
    /// A column of this table or alias.
    ColumnOf(String),
    /// A setting.
    Setting,
    /// A value: columns, functions, keywords.
    Value,
    /// Nothing: inside a text or a comment.
    Nothing,
}

/// The place of the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// What may stand there.
    pub expected: Expected,
    /// Where the word begins that is being typed, in bytes; the cursor is its end.
    pub start: usize,
    /// The tables of the statement, each with its alias or its own name.
    pub tables: Vec<(String, String)>,
    /// The names that a WITH gives.
    pub queries: Vec<String>,
    /// Whether the statement's keywords are in lower case.
    pub lower: bool,
}

/// Reads the place of the cursor in a text.
pub fn context(text: &str, cursor: usize) -> Context {
    let found = tokens(text);
    let (first, last) = statement(&found, text, cursor);
    let inside = found.get(first..last).unwrap_or(&[]);
    let before: Vec<&Token> = inside.iter().filter(|token| token.start < cursor).collect();
    let typed = before.last().filter(|token| token.end >= cursor).copied();
    let words: Vec<&Token> = before
        .iter()
        .copied()
        .filter(|token| token.significant() && Some(*token) != typed)
        .collect();
    // The word that is being typed is no name yet.
    let settled = inside.iter().filter(|token| Some(*token) != typed);
    let all: Vec<&Token> = settled.filter(|token| token.significant()).collect();
    let (expected, start) = expected(text, cursor, &words, typed);
    Context {
        expected,
        start,
        tables: tables(text, &all),
        queries: queries(text, &all),
        lower: is_lower(text, &all),
    }
}

/// The tokens of the statement around the cursor.
fn statement(found: &[Token], text: &str, cursor: usize) -> (usize, usize) {
    let semicolon = |token: &Token| token.is(text, ";");
    let first = found
        .iter()
        .rposition(|token| token.end <= cursor && semicolon(token));
    let last = found
        .iter()
        .position(|token| token.start >= cursor && semicolon(token));
    (first.map_or(0, |at| at + 1), last.unwrap_or(found.len()))
}

fn expected(
    text: &str,
    cursor: usize,
    words: &[&Token],
    typed: Option<&Token>,
) -> (Expected, usize) {
    let previous = words.last().copied();
    match typed.map(|token| (token.kind, token)) {
        Some((Kind::Comment, token))
            if token.open || token.end > cursor || token.of(text).starts_with("--") =>
        {
            (Expected::Nothing, cursor)
        }
        Some((Kind::Text, token)) if token.open || token.end > cursor => {
            let of_file = previous.is_some_and(|word| {
                ["FROM", "TO", "JOIN"]
                    .iter()
                    .any(|keyword| word.is(text, keyword))
            });
            let start = token.start + 1;
            if of_file {
                (Expected::File, start)
            } else {
                (Expected::Nothing, cursor)
            }
        }
        Some((Kind::Keyword | Kind::Word | Kind::Quoted, token)) => word(text, words, token.start),
        Some((Kind::Number | Kind::Text, _)) => (Expected::Nothing, cursor),
        Some((Kind::Symbol, token)) => {
            // The cursor stands behind a sign, which is a word of its own.
            let mut words = words.to_vec();
            words.push(token);
            word(text, &words, cursor)
        }
        Some((Kind::Space | Kind::Comment, _)) | None => word(text, words, cursor),
    }
}

/// What a word may be that begins at `start`, after these words.
fn word(text: &str, words: &[&Token], start: usize) -> (Expected, usize) {
    let (head, dotted) = dotted_start(text, words, start);
    let before = words.get(..head).unwrap_or(&[]);
    let is = |word: Option<&&Token>, keywords: &[&str]| {
        word.is_some_and(|word| keywords.iter().any(|keyword| word.is(text, keyword)))
    };
    let first = before.first();
    if before.len() == 1 && is(first, &["SET", "RESET", "SHOW"]) {
        return (Expected::Setting, dotted);
    }
    if head < words.len() {
        let qualifier = words.get(words.len() - 2).and_then(|word| word.name(text));
        return (
            qualifier.map_or(Expected::Nothing, Expected::ColumnOf),
            start,
        );
    }
    let expected = match words.last() {
        None => Expected::Beginning,
        Some(_) if words.len() == 1 && is(first, &["COPY", "DESCRIBE", "DESC", "UPDATE"]) => {
            Expected::Table
        }
        last if is(last, &["FROM", "JOIN", "INTO", "TABLE", "TRUNCATE"]) => Expected::Table,
        last if is(last, &[","]) && in_from(text, words) => Expected::Table,
        last if is(last, &["EXPLAIN"]) => Expected::Value,
        Some(_) => Expected::Value,
    };
    (expected, start)
}

/// Where a dotted name begins whose last part begins at `start`: how many words stand before it, and its first byte.
fn dotted_start(text: &str, words: &[&Token], start: usize) -> (usize, usize) {
    let (mut head, mut begin) = (words.len(), start);
    while let [.., name, dot] = words.get(..head).unwrap_or(&[]) {
        let joined = dot.is(text, ".") && dot.end == begin && name.end == dot.start;
        if !joined || !matches!(name.kind, Kind::Word | Kind::Keyword | Kind::Quoted) {
            break;
        }
        head -= 2;
        begin = name.start;
    }
    (head, begin)
}

/// Whether the list that the last word belongs to is that of FROM.
fn in_from(text: &str, words: &[&Token]) -> bool {
    // ON is none of them: a comma behind its condition is one of FROM.
    const CLAUSES: &[&str] = &[
        "SELECT", "FROM", "WHERE", "BY", "HAVING", "SET", "VALUES", "LIMIT", "INTO",
    ];
    let mut depth = 0_i32;
    for word in words.iter().rev() {
        if word.is(text, ")") {
            depth += 1;
        } else if word.is(text, "(") {
            depth -= 1;
            if depth < 0 {
                return false;
            }
        } else if depth == 0 && CLAUSES.iter().any(|clause| word.is(text, clause)) {
            return word.is(text, "FROM");
        }
    }
    false
}

/// The tables of a statement and what they are called in it.
fn tables(text: &str, words: &[&Token]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let introduced = ["FROM", "JOIN", "INTO", "UPDATE", "TABLE", "COPY"]
            .iter()
            .any(|keyword| word.is(text, keyword));
        let listed = word.is(text, ",") && in_from(text, words.get(..=index).unwrap_or(&[]));
        if !introduced && !listed {
            continue;
        }
        let name = words
            .get(index + 1)
            .filter(|token| token.kind != Kind::Keyword);
        let Some(table) = name.and_then(|token| token.name(text)) else {
            continue;
        };
        let mut after = index + 2;
        if words.get(after).is_some_and(|token| token.is(text, "AS")) {
            after += 1;
        }
        let alias = words.get(after).filter(|token| token.kind != Kind::Keyword);
        let alias = alias.and_then(|token| token.name(text));
        found.push((alias.unwrap_or_else(|| table.clone()), table));
    }
    found
}

/// The names of `WITH name AS (…), name AS (…)`.
fn queries(text: &str, words: &[&Token]) -> Vec<String> {
    if !words.first().is_some_and(|word| word.is(text, "WITH")) {
        return Vec::new();
    }
    let named = words.windows(3).filter_map(|three| match three {
        [name, as_word, open] if as_word.is(text, "AS") && open.is(text, "(") => name.name(text),
        _ => None,
    });
    named.collect()
}

/// Whether keywords are written small: as the first one is.
fn is_lower(text: &str, words: &[&Token]) -> bool {
    let mut keywords = words.iter().filter(|word| word.kind == Kind::Keyword);
    keywords
        .next()
        .is_some_and(|word| word.of(text).starts_with(|c: char| c.is_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The context at the bar.
    fn at(marked: &str) -> Context {
        let cursor = marked.find('|').unwrap();
        context(&marked.replace('|', ""), cursor)
    }

    #[test]
    fn the_place_says_what_may_stand_there() {
        let column_of = |name: &str| Expected::ColumnOf(name.to_owned());
        let cases = [
            ("|", Expected::Beginning),
            ("SEL|", Expected::Beginning),
            ("SELECT 1; ins|", Expected::Beginning),
            ("SELECT |", Expected::Value),
            ("SELECT a, |", Expected::Value),
            ("SELECT a FROM |", Expected::Table),
            ("SELECT a FROM fl|", Expected::Table),
            ("SELECT a FROM \"fl|", Expected::Table),
            ("SELECT a FROM flights, |", Expected::Table),
            ("SELECT count(a, | FROM flights", Expected::Value),
            ("SELECT a FROM flights JOIN w|", Expected::Table),
            (
                "SELECT a FROM flights f, weather w WHERE |",
                Expected::Value,
            ),
            ("SELECT a FROM flights ORDER BY a, |", Expected::Value),
            ("SELECT f.| FROM flights f", column_of("f")),
            ("SELECT f.ca| FROM flights f", column_of("f")),
            ("INSERT INTO |", Expected::Table),
            ("DROP TABLE fl|", Expected::Table),
            ("DESCRIBE |", Expected::Table),
            ("SET |", Expected::Setting),
            ("SET halite.pu|", Expected::Setting),
            ("SET datafusion.execution.|", Expected::Setting),
            ("SHOW h|", Expected::Setting),
            ("SET halite.pushdown = |", Expected::Value),
            ("COPY flights FROM '|", Expected::File),
            ("COPY flights FROM '/tm|", Expected::File),
            ("COPY (SELECT 1) TO 'x|", Expected::File),
            ("SELECT * FROM 'da|'", Expected::File),
            ("SELECT 'a|", Expected::Nothing),
            ("SELECT 1 -- a|", Expected::Nothing),
            ("SELECT 1 /* a|", Expected::Nothing),
            ("SELECT 12|", Expected::Nothing),
        ];
        for (text, expected) in cases {
            assert_eq!(at(text).expected, expected, "{text}");
        }
        assert_eq!(at("SET datafusion.ex|").start, 4);
        assert_eq!(at("COPY t FROM 'da|").start, 13);
        assert_eq!(at("SELECT f.ca|").start, 9);
    }

    #[test]
    fn the_tables_of_the_statement_are_known_on_both_sides() {
        let tables = |text: &str| at(text).tables;
        let pair = |alias: &str, table: &str| (alias.to_owned(), table.to_owned());
        assert_eq!(
            tables("SELECT | FROM flights"),
            [pair("flights", "flights")]
        );
        assert_eq!(
            tables(
                "SELECT | FROM flights f JOIN weather AS w ON f.a = w.a, planes WHERE a IN (1, b)"
            ),
            [
                pair("f", "flights"),
                pair("w", "weather"),
                pair("planes", "planes")
            ]
        );
        assert_eq!(tables("SELECT 1 FROM a; SELECT | FROM b"), [pair("b", "b")]);
        assert_eq!(tables("SELECT | FROM (SELECT 1) x"), []);
        assert_eq!(tables("SELECT 1 FROM a wh|"), [pair("a", "a")]);
        assert_eq!(
            at("WITH x AS (SELECT 1), y AS (SELECT 2) SELECT |").queries,
            ["x", "y"]
        );
    }

    #[test]
    fn keywords_follow_the_case_of_those_there_are() {
        assert!(at("select a |").lower);
        assert!(!at("SELECT a |").lower);
        assert!(!at("|").lower);
    }
}
