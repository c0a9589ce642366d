//! Types in messages, by SQL's names: the planner tells of `Int32` and `Timestamp(ms)`, which nobody has written.

use arrow::datatypes::DataType;

use super::upper_type_name;

/// A message in which types are called as SQL calls them, and constants stand without a type: `Utf8("a")` is `'a'`.
/// What stands in quotes is the user's and stays, unless they are around the types of a function's arguments.
pub(super) fn by_sql_names(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    let mut quoted = None;
    while let Some(letter) = rest.chars().next() {
        let within_word = text.ends_with(|before: char| before.is_alphanumeric() || before == '_');
        let is_users = matches!(quoted, Some((_, false)));
        if !is_users
            && !within_word
            && let Some((name, length)) = type_at(rest)
        {
            text.push_str(&name);
            rest = rest.get(length..).unwrap_or("");
            continue;
        }
        quoted = match quoted {
            Some((quote, _)) if quote == letter => None,
            // In a word it is an apostrophe.
            None if matches!(letter, '"' | '`') || (letter == '\'' && !within_word) => {
                Some((letter, text.ends_with(" argument types ")))
            }
            other => other,
        };
        text.push(letter);
        rest = rest.get(letter.len_utf8()..).unwrap_or("");
    }
    text
}

/// The type or the typed constant that a text begins with, as SQL writes it, and how long it is there.
fn type_at(text: &str) -> Option<(String, usize)> {
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let end = text.find(|letter| !is_of_word(letter));
    let word = text.get(..end.unwrap_or(text.len()))?;
    if !word.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let named = |spelt: &str| {
        let parsed: Result<DataType, _> = spelt.parse();
        parsed.ok().map(|it| upper_type_name(&it))
    };
    let whole =
        arguments(text.get(word.len()..)?).and_then(|length| text.get(..word.len() + length));
    let Some(whole) = whole else {
        return Some((named(word)?, word.len()));
    };
    if let Some(name) = named(whole) {
        return Some((name, whole.len()));
    }
    named(word)?;
    let constant = whole.get(word.len() + 1..whole.len() - 1)?;
    let as_text = constant
        .strip_prefix('"')
        .and_then(|it| it.strip_suffix('"'));
    let constant = as_text.map_or(constant.to_owned(), |it| {
        format!("'{}'", it.replace('\'', "''"))
    });
    Some((constant, whole.len()))
}

/// How long the parentheses are that a text begins with.
fn arguments(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then_some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_called_as_sql_calls_them() {
        for (message, expected) in [
            (
                "Cannot cast string 'Int32' to value of Int32 type",
                "Cannot cast string 'Int32' to value of INT type",
            ),
            (
                "Can't cast value 99999999999 to type Int32",
                "Can't cast value 99999999999 to type INT",
            ),
            (
                "Timestamp(ms) + Utf8View, Timestamp(ns, \"+00:00\") = Decimal128(38, 10)",
                "TIMESTAMP(3) + TEXT, TIMESTAMPTZ(9) = DECIMAL(38,10)",
            ),
            (
                "the given name and argument types 'abs(Utf8)'. Candidate functions: left(LargeUtf8, Int64)",
                "the given name and argument types 'abs(TEXT)'. Candidate functions: left(TEXT, BIGINT)",
            ),
            (
                "from Date32 to Boolean; Binary || Float64",
                "from DATE to BOOLEAN; BYTEA || DOUBLE",
            ),
            (
                "count(Int64(1)) and Utf8(\"it's\"), Boolean(NULL), \"Int32\" `Int32` MyInt32 Int32s Int32_a",
                "count(1) and 'it''s', NULL, \"Int32\" `Int32` MyInt32 Int32s Int32_a",
            ),
            // No types, and nothing that ends.
            ("Unknown (Int", "Unknown (Int"),
            ("Int32(", "INT("),
            ("Nothing of Özi's 'Int32", "Nothing of Özi's 'Int32"),
        ] {
            assert_eq!(by_sql_names(message), expected);
        }
    }
}
