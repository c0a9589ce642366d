//! What DataFusion's errors say, in words that help.

use datafusion::common::DataFusionError;

/// What an error says, with what helps where its own words do not: DataFusion's moments end in the year 2262, those of
/// a column in milliseconds do not.
pub(super) fn worded(error: &DataFusionError) -> String {
    let text = error.strip_backtrace();
    if let DataFusionError::ResourcesExhausted(_) = error.find_root() {
        // What is missing, it says itself.
        return text
            .rsplit("Resources exhausted: ")
            .next()
            .unwrap_or(&text)
            .to_owned();
    }
    let beyond = text.split_once("Overflow converting ");
    match beyond.and_then(|(_, rest)| rest.split_once(" to Nanosecond")) {
        Some((moment, _)) => format!(
            "'{moment}' is out of range for TIMESTAMP, whose nanoseconds begin in 1677 and end in 2262; write it as a text \
             beside a column of fewer digits, else CAST('{moment}' AS TIMESTAMP(6))"
        ),
        None => text,
    }
}

/// What DataFusion says in front of two types that do not go together.
const IN_FRONT: [&str; 5] = [
    " operation ",
    " types to compare ",
    "Failed to coerce types ",
    " common type to coerce ",
    " arithmetic expression ",
];

/// What is said of a row that meets a single value: DataFusion names their types, of which a row's is a STRUCT.
pub(super) fn row_and_value(error: &DataFusionError) -> Option<String> {
    let text = error.strip_backtrace();
    let mut places = IN_FRONT.iter();
    let types = places.find_map(|words| text.split_once(words).map(|(_, types)| types))?;
    let is_row_first = types.starts_with("Struct(");
    let is_row_behind = [" Struct(", "[Struct("]
        .iter()
        .any(|row| types.contains(row));
    (is_row_first != is_row_behind).then(|| {
        "a row meets a single value: both sides need as many values, as in (a, b) > (1, 2) or (a, b) IN ((1, 2), (3, 4))"
            .to_owned()
    })
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
