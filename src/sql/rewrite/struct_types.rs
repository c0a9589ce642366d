//! `STRUCT(a INT, b TEXT)`, as DuckDB writes the type: the parser takes `STRUCT<a INT, b TEXT>`.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// How the type of a member begins; what stands there tells a type from a call of the function `struct`.
const TYPES: [&str; 44] = [
    "ARRAY",
    "BIGINT",
    "BINARY",
    "BLOB",
    "BOOL",
    "BOOLEAN",
    "BYTEA",
    "CHAR",
    "CHARACTER",
    "DATE",
    "DATETIME",
    "DEC",
    "DECIMAL",
    "DOUBLE",
    "FLOAT",
    "FLOAT4",
    "FLOAT8",
    "INT",
    "INT2",
    "INT4",
    "INT8",
    "INTEGER",
    "INTERVAL",
    "JSON",
    "JSONB",
    "LIST",
    "MAP",
    "NUMERIC",
    "REAL",
    "SMALLINT",
    "STRING",
    "STRUCT",
    "TEXT",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMPTZ",
    "TINYINT",
    "UBIGINT",
    "UINTEGER",
    "USMALLINT",
    "UTINYINT",
    "UUID",
    "VARBINARY",
    "VARCHAR",
];

/// Words that an expression may begin with before another word.
const BEGINNINGS: [&str; 6] = ["ALL", "CASE", "DISTINCT", "EXISTS", "INTERVAL", "NOT"];

/// The tokens with such types as the parser takes them; `None` where there are none.
pub(crate) fn in_angles(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let words: Vec<usize> = (0..tokens.len())
        .filter(|at| {
            !matches!(
                tokens.get(*at),
                None | Some(TokenWithSpan {
                    token: Token::Whitespace(_),
                    ..
                })
            )
        })
        .collect();
    let token = |place: usize| Some(&tokens.get(*words.get(place)?)?.token);
    let opens = |place: usize| {
        let before = place.checked_sub(1).and_then(token);
        is_any(before, &["STRUCT"]) && is_member(token(place + 1), token(place + 2))
    };
    if !(0..words.len()).any(|place| token(place) == Some(&Token::LParen) && opens(place)) {
        return None;
    }
    let mut written = tokens.to_vec();
    // Of each bracket that is open whether it is one of a type.
    let mut brackets = Vec::new();
    for (place, at) in words.iter().enumerate() {
        let other = match token(place) {
            Some(Token::LParen) => {
                brackets.push(opens(place));
                Token::Lt
            }
            Some(Token::RParen) => {
                if brackets.pop() != Some(true) {
                    continue;
                }
                Token::Gt
            }
            _ => continue,
        };
        if (other == Token::Gt || brackets.last() == Some(&true))
            && let Some(token) = written.get_mut(*at)
        {
            token.token = other;
        }
    }
    Some(written)
}

/// Whether two words are a name and its type.
fn is_member(name: Option<&Token>, data_type: Option<&Token>) -> bool {
    matches!(name, Some(Token::Word(_))) && !is_any(name, &BEGINNINGS) && is_any(data_type, &TYPES)
}

fn is_any(token: Option<&Token>, wanted: &[&str]) -> bool {
    let Some(Token::Word(word)) = token else {
        return false;
    };
    let is_word = |wanted: &&str| word.value.eq_ignore_ascii_case(wanted);
    word.quote_style.is_none() && wanted.iter().any(is_word)
}

#[cfg(test)]
mod tests {
    use sqlparser::tokenizer::Tokenizer;

    use super::*;
    use crate::sql::dialect::HaliteDialect;

    fn written(sql: &str) -> String {
        let dialect = HaliteDialect::new(0);
        let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location();
        let tokens = tokens.unwrap();
        let written = in_angles(&tokens).unwrap_or(tokens);
        written.iter().map(|it| it.token.to_string()).collect()
    }

    #[test]
    fn types_are_told_from_calls() {
        for (sql, expected) in [
            ("s STRUCT(a INT, b TEXT)", "s STRUCT<a INT, b TEXT>"),
            (
                "s struct (a STRUCT(b INT)[], c DECIMAL(3, 1)) , k INT",
                "s struct <a STRUCT<b INT>[], c DECIMAL(3, 1)> , k INT",
            ),
            (
                "m MAP(TEXT, STRUCT(\"date\" DATE))",
                "m MAP(TEXT, STRUCT<\"date\" DATE>)",
            ),
            (
                "SELECT struct(a, b), struct(a)",
                "SELECT struct(a, b), struct(a)",
            ),
            (
                "SELECT struct(NOT date, CASE date WHEN 1 THEN 2 END)",
                "SELECT struct(NOT date, CASE date WHEN 1 THEN 2 END)",
            ),
            (
                "SELECT struct(interval, date)",
                "SELECT struct(interval, date)",
            ),
            ("SELECT \"struct\"(a int)", "SELECT \"struct\"(a int)"),
            ("STRUCT(a INT", "STRUCT<a INT"),
            ("STRUCT(", "STRUCT("),
        ] {
            assert_eq!(written(sql), expected, "{sql}");
        }
    }
}
