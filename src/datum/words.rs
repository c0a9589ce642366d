//! What DataFusion's errors say, in words that help: the library's and the shell's.

use datafusion::common::DataFusionError;

use super::type_words::by_sql_names;
use crate::error::{Missing, Nameable};

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
        // The parser tells what is written.
        None if matches!(error.find_root(), DataFusionError::SQL(..)) => text,
        None => plain(&text),
    }
}

/// The layers of DataFusion that an error has come through, and that put their names in front.
const LAYERS: &[&str] = &[
    "Error during planning: ",
    "Schema error: ",
    "Arrow error: ",
    "Invalid or Unsupported Configuration: ",
    "Cast error: ",
    "Parser error: ",
    "This feature is not implemented: ",
    "External error: ",
];

/// A text of DataFusion without what is of no use to the reader: layers, the only catalog there is, guesses. Types have
/// SQL's names, and what is not there is told as Halite tells it.
pub fn plain(text: &str) -> String {
    let mut text = without_layers(text);
    // The planner lists signatures and asks for a bug report before it says what is wrong; a function that looks at its
    // arguments itself has said more.
    if let Some(at) = text.find("No function matches the given name and argument types") {
        let said = text.get(..at).unwrap_or_default();
        match said.split_once(" user-defined coercion failed with: ") {
            Some((_, said)) => text = said.to_owned(),
            None => drop(text.drain(..at)),
        }
    }
    text = without_guesses(text);
    let text = text.trim_end();
    if let Some(missing) = missing_of(text) {
        return words_of(&missing);
    }
    if let Some(name) = ungrouped(text) {
        return format!("column `{name}` must stand in GROUP BY or in an aggregate function");
    }
    let text = by_sql_names(text);
    // Functions that take several of Arrow's types for a text are one to SQL.
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines.dedup();
    lines.join("\n")
}

/// A text without its layers, and without the only catalog there is.
fn without_layers(text: &str) -> String {
    let mut text = text.replace("halite.public.", "");
    text = text.replace("table 'halite.", "table '");
    for layer in LAYERS {
        text = text.replace(layer, "");
    }
    text
}

/// A text without the names that may be meant: Halite lists all.
fn without_guesses(mut text: String) -> String {
    for guess in [" Did you mean '", "\nDid you mean '"] {
        if let Some(at) = text.find(guess) {
            let behind = text.find("Valid fields are ").filter(|fields| *fields > at);
            text.drain(at..behind.unwrap_or(text.len()));
        }
    }
    text
}

/// What is not there, if that is what an error says. DataFusion has it in words alone, but for columns.
pub(super) fn missing(error: &DataFusionError) -> Option<Missing> {
    let text = without_guesses(without_layers(&error.strip_backtrace()));
    missing_of(text.trim_end())
}

fn missing_of(text: &str) -> Option<Missing> {
    const SENTENCES: [(Nameable, &str, &str); 5] = [
        (Nameable::Table, "table '", "' not found"),
        (Nameable::TableFunction, "table function '", "' not found"),
        (Nameable::Schema, "failed to resolve schema: ", ""),
        (Nameable::Function, "Invalid function '", "'."),
        (Nameable::Function, "Invalid function '", "'"),
    ];
    let mut sentences = SENTENCES.iter();
    let known = sentences.find_map(|(what, before, after)| {
        let name = text.strip_prefix(before)?.strip_suffix(after)?;
        Some((*what, name, ""))
    });
    let (what, name, others) = known.or_else(|| {
        let column = text.strip_prefix("No field named ")?;
        let (name, others) = column
            .split_once("Valid fields are ")
            .unwrap_or((column, ""));
        let name = name.trim_end().trim_end_matches('.');
        Some((Nameable::Column, name, others.trim_end_matches('.')))
    })?;
    let others = others.split(", ").filter(|other| !other.is_empty());
    Some(Missing {
        what,
        name: name.to_owned(),
        others: others.map(str::to_owned).collect(),
    })
}

/// That something is not there, as Halite tells it.
fn words_of(missing: &Missing) -> String {
    let Missing { what, name, others } = missing;
    match what {
        Nameable::Column if others.is_empty() => format!("there is no column `{name}`"),
        Nameable::Column => {
            let others = others.join(", ");
            format!("there is no column `{name}`; the columns are {others}")
        }
        Nameable::Function => format!("there is no function `{name}`"),
        Nameable::TableFunction => format!("table function '{name}' not found"),
        Nameable::Schema => format!("failed to resolve schema: {name}"),
        _ => format!("there is no table `{name}`"),
    }
}

/// The column that a message misses in GROUP BY.
fn ungrouped(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("While expanding wildcard, column \"")?;
    Some(rest.split_once("\" must appear in the GROUP BY")?.0)
}

/// What DataFusion says of its own inside, and what that means to who wrote the statement.
const OTHERWISE: &[(&str, &str)] = &[
    (
        "single expression required",
        "a subquery that stands for a value has several columns; select the one that is meant",
    ),
    (
        "should only return one column",
        "a subquery that stands for a value has several columns; select the one that is meant",
    ),
    (
        " in InSubquery",
        "what stands before IN is of another kind than the column of the subquery, or of another number of columns",
    ),
    (
        "Unsupported LIMIT expression: ",
        "LIMIT and OFFSET are whole numbers, or parameters that have values",
    ),
    (
        "Unsupported OFFSET expression: ",
        "LIMIT and OFFSET are whole numbers, or parameters that have values",
    ),
    (
        "Unsupported Interval Expression with ",
        "this form of an interval is not implemented; write INTERVAL '1 year 2 months', or INTERVAL '3' DAY",
    ),
    (
        "does not support logical expression WindowFunction(",
        "a window function has no place here: compute it in a query in FROM, or write QUALIFY",
    ),
    (
        "does not support logical expression AggregateFunction(",
        "an aggregate has no place here: compute it in a query in FROM, or in a subquery",
    ),
    (
        "Substring without for/from is not valid",
        "substring says where it begins, or how long it is: substring(text FROM 2 FOR 3), substr(text, 2, 3)",
    ),
    (
        "Unsupported expr Subquery(",
        "the value of a setting is a constant, and no subquery",
    ),
    ("Unsupported expr ", "the value of a setting is a constant"),
    (
        "Unsupported unary op ",
        "the value of a setting is a constant",
    ),
];

/// What stands behind AT TIME ZONE where DataFusion does not plan it: these forms it plans in any other place.
const ZONES: &[&str] = &[
    "Identifier",
    "CompoundIdentifier",
    "Function",
    "Value",
    "Nested",
    "Interval",
    "Cast",
    "BinaryOp",
    "UnaryOp",
    "Subquery",
    "Case",
];

const ZONE_IS_TEXT: &str =
    "AT TIME ZONE names its zone in a text, as in ts AT TIME ZONE 'Europe/Berlin'";

/// The forms of expressions, as the parser calls them, that DataFusion does not plan, and as they are written.
const FORMS: &[(&str, &str)] = &[
    ("Collate", "COLLATE"),
    ("MatchAgainst", "MATCH … AGAINST"),
    ("Prior", "PRIOR"),
    ("ConnectByRoot", "CONNECT_BY_ROOT"),
    ("MemberOf", "MEMBER OF"),
    ("OuterJoin", "(+)"),
    ("RLike", "RLIKE"),
    ("IsNormalized", "IS NORMALIZED"),
    ("Convert", "CONVERT"),
    ("Prefixed", "a word in front of a literal"),
    ("Named", "AS inside of an expression"),
    ("Lambda", "a lambda in this place"),
];

/// In front of the tree of what DataFusion does not plan.
const IN_FRONT_OF_TREE: [&str; 2] = [
    "Unsupported ast node in sqltorel: ",
    "Unsupported ast node ",
];

/// What is behind an error that is a fault of DataFusion, not of the statement.
const REPORT: &str = "This issue was likely caused by a bug in DataFusion's code.";

/// What an error says to who wrote the statement, where DataFusion's words are about its own inside, and help nobody as its
/// cause either; and whether it is about a form of an expression, which no value of a parameter changes.
pub(super) fn otherwise(error: &DataFusionError) -> Option<(String, bool)> {
    let text = error.strip_backtrace();
    let mut known = OTHERWISE.iter();
    if let Some((_, said)) = known.find(|(theirs, _)| text.contains(theirs)) {
        return Some(((*said).to_owned(), false));
    }
    if let Some((_, rest)) = text.split_once("Placeholder '")
        && let Some((name, _)) = rest.split_once("' was not provided a value")
    {
        let advice = "give it one, as EXECUTE does, or write a constant";
        return Some((format!("parameter {name} has no value: {advice}"), false));
    }
    let mut trees = IN_FRONT_OF_TREE.iter();
    if let Some((_, tree)) = trees.find_map(|front| text.split_once(front)) {
        let end = tree.find(|letter: char| !letter.is_alphanumeric());
        let form = tree.get(..end.unwrap_or(tree.len())).unwrap_or_default();
        if ZONES.contains(&form) {
            return Some((ZONE_IS_TEXT.to_owned(), false));
        }
        let written = FORMS.iter().find(|(name, _)| *name == form);
        let written = written.map_or("this form of an expression, or of a table,", |(_, it)| it);
        return Some((format!("{written} is not implemented"), true));
    }
    let (said, behind) = text.split_once(REPORT)?;
    // Of arguments of other types DataFusion says so, and then what it takes.
    if behind.contains("No function matches") {
        return None;
    }
    let words = format!(
        "{}: a fault of Halite or of what is below it; please report the statement",
        said.trim_end().trim_end_matches('.')
    );
    Some((words, false))
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
