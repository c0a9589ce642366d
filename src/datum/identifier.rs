//! Names of tables and columns as SQL spells them.

use std::borrow::Cow;

/// Words that SQL or its parser may take for something else where a name is meant; in alphabetical order.
const RESERVED: &[&str] = &[
    "all",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "between",
    "by",
    "case",
    "cast",
    "ceil",
    "check",
    "column",
    "constraint",
    "convert",
    "create",
    "cross",
    "current_date",
    "current_time",
    "current_timestamp",
    "default",
    "delete",
    "desc",
    "distinct",
    "drop",
    "else",
    "end",
    "except",
    "exclude",
    "exists",
    "extract",
    "false",
    "fetch",
    "floor",
    "for",
    "foreign",
    "from",
    "full",
    "fulltext",
    "group",
    "having",
    "if",
    "in",
    "index",
    "inner",
    "insert",
    "intersect",
    "interval",
    "into",
    "is",
    "join",
    "key",
    "lambda",
    "lateral",
    "left",
    "like",
    "limit",
    "map",
    "match",
    "natural",
    "not",
    "null",
    "nulls",
    "offset",
    "on",
    "or",
    "order",
    "outer",
    "overlay",
    "period",
    "position",
    "primary",
    "prior",
    "qualify",
    "references",
    "reverse",
    "right",
    "select",
    "set",
    "spatial",
    "struct",
    "substr",
    "substring",
    "table",
    "then",
    "to",
    "trim",
    "true",
    "try_cast",
    "union",
    "unique",
    "update",
    "user",
    "using",
    "values",
    "when",
    "where",
    "window",
    "with",
];

/// A name as it is written in SQL: bare if it then means itself, else in double quotes.
pub fn identifier(name: &str) -> Cow<'_, str> {
    if is_plain(name) && RESERVED.binary_search(&name).is_err() {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    }
}

/// Lower case letters, digits and `_`, no digit first: what unquoted names fold to.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_lowercase() || first == '_')
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert!(RESERVED.is_sorted());
        let cases = [
            ("ts", "ts"),
            ("_a1", "_a1"),
            ("1a", "\"1a\""),
            ("Host", "\"Host\""),
            ("größe", "\"größe\""),
            ("order", "\"order\""),
            ("a\"b", "\"a\"\"b\""),
            ("", "\"\""),
        ];
        for (name, written) in cases {
            assert_eq!(identifier(name), written);
        }
    }
}
