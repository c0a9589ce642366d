//! The names under which what a condition does to a column is counted.

use super::cases::Case;
use super::condition::{Comparison, Condition, Function, Made, Matching, Term, Truth};
use crate::datum::SqlType;

pub(super) fn type_name(sql_type: &SqlType) -> String {
    match sql_type {
        SqlType::Decimal { .. } => "DECIMAL".to_owned(),
        SqlType::Varchar(_) => "VARCHAR".to_owned(),
        SqlType::Char(_) => "CHAR".to_owned(),
        other => other.to_string(),
    }
}

/// The name under which a leaf is counted, and the columns it restricts.
fn named(condition: &Condition) -> Option<(String, Vec<usize>)> {
    let columns = condition.leaf_columns();
    let name = match condition {
        Condition::Test {
            condition,
            truth,
            negated,
        } => match **condition {
            Condition::Boolean(column) => {
                return Some((test_name(*truth, *negated).to_owned(), vec![column]));
            }
            _ => return None,
        },
        Condition::Compare {
            term, comparison, ..
        } => term_name(term).unwrap_or_else(|| comparison.sql().to_owned()),
        Condition::Between { term, negated, .. } => {
            term_name(term).unwrap_or_else(|| not(*negated, "BETWEEN"))
        }
        Condition::InList { term, negated, .. } => {
            term_name(term).unwrap_or_else(|| not(*negated, "IN"))
        }
        Condition::IsNull { term, negated } => term_name(term).unwrap_or_else(|| {
            let name = if *negated { "IS NOT NULL" } else { "IS NULL" };
            name.to_owned()
        }),
        Condition::Like {
            pattern, negated, ..
        } => not(*negated, pattern_name(pattern)),
        Condition::StartsWith { .. } => "starts_with".to_owned(),
        Condition::Matches {
            matching: Matching::Regex,
            negated,
            ..
        } => not(*negated, "~"),
        Condition::Matches { .. } => "ILIKE, ~*".to_owned(),
        Condition::Boolean(_) => "bare".to_owned(),
        Condition::Tuple {
            comparison,
            descending,
            ..
        } => {
            if descending.contains(&true) {
                "keyset".to_owned()
            } else {
                format!("tuple {}", comparison.sql())
            }
        }
        Condition::TupleIn { negated, .. } => format!("tuple {}", not(*negated, "IN")),
        Condition::Columns { .. } => "column with column".to_owned(),
        Condition::Constant(_)
        | Condition::Not(_)
        | Condition::And(_)
        | Condition::Or(_)
        | Condition::Case { .. } => return None,
    };
    Some((name, columns))
}

/// The leaves of a condition that are counted: their names, and the columns they restrict.
pub(super) fn leaves(condition: &Condition) -> Vec<(String, Vec<usize>)> {
    if let Some(leaf) = named(condition) {
        return vec![leaf];
    }
    let inner = condition.children().into_iter().flat_map(leaves);
    let mut inner: Vec<(String, Vec<usize>)> = inner.collect();
    if matches!(condition, Condition::Case { .. }) {
        let mut columns: Vec<usize> = inner.iter().flat_map(|(_, it)| it).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        inner.push(("CASE of conditions".to_owned(), columns));
    }
    inner
}

/// What a case comes to: the operators of its condition with the types they meet, and the transforms of its key.
pub(super) fn signature(case: &Case) -> String {
    let named = |(operator, columns): (String, Vec<usize>)| {
        let types = columns.iter().map(|column| &case.columns[*column].sql_type);
        let types: Vec<String> = types.map(type_name).collect();
        format!("{operator} of {}", types.join(", "))
    };
    let names: Vec<String> = leaves(&case.condition).into_iter().map(named).collect();
    let parts = case
        .parts
        .iter()
        .map(|part| part.expression.function.clone());
    let parts: Vec<String> = parts.collect();
    format!(
        "{} over ({}), {:?}",
        names.join("; "),
        parts.join(", "),
        case.variant
    )
}

fn not(negated: bool, name: &str) -> String {
    let not = if negated { "NOT " } else { "" };
    format!("{not}{name}")
}

fn test_name(truth: Truth, negated: bool) -> &'static str {
    match (truth, negated) {
        (Truth::True, false) => "IS TRUE",
        (Truth::True, true) => "IS NOT TRUE",
        (Truth::False, false) => "IS FALSE",
        (Truth::False, true) => "IS NOT FALSE",
        (Truth::Unknown, false) => "IS UNKNOWN",
        (Truth::Unknown, true) => "IS NOT UNKNOWN",
    }
}

fn pattern_name(pattern: &str) -> &'static str {
    let mut wildcards = Vec::new();
    let mut characters = pattern.char_indices();
    while let Some((position, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '%' | '_' => wildcards.push((position, character)),
            _ => {}
        }
    }
    match wildcards.as_slice() {
        [] => "LIKE exact",
        [(0, '%')] if pattern.len() > 1 => "LIKE suffix",
        [(last, '%')] if last + 1 == pattern.len() => "LIKE prefix",
        _ => "LIKE other",
    }
}

/// The name of a function that is not the column itself.
fn term_name(term: &Term) -> Option<String> {
    let name = match term.function {
        Function::Column => return None,
        Function::Left(_) => "left",
        Function::Prefix(_) => "substr",
        Function::Reverse => "reverse",
        Function::Md5 => "md5",
        Function::Hash => "hash",
        Function::Bucket(_) => "bucket",
        Function::ReverseDigits => "reverse_digits",
        Function::Remainder(_) => "%",
        Function::Quotient(_) => "/",
        Function::DateTrunc(_) => "date_trunc",
        Function::DateBin(_) => "date_bin",
        Function::Date => "CAST AS DATE",
        Function::Year => "date_part",
        Function::Plus(_) => "+",
        Function::Length => "character_length",
        Function::Computed { .. } => "arithmetic",
        Function::Moved { made, .. } => match made {
            Made::Itself => "moved",
            Made::DateTrunc(_) => "moved date_trunc",
            Made::DateBin { .. } => "moved date_bin",
            Made::Date => "moved CAST AS DATE",
        },
        Function::Coalesce(_) => "COALESCE",
        Function::NullIf(_) => "NULLIF",
        Function::Case(_) => "CASE",
    };
    Some(name.to_owned())
}

/// Those that apply to this type alone, or to a few like it.
fn own_operators(sql_type: &SqlType) -> &'static [&'static str] {
    match sql_type {
        SqlType::Boolean => &[
            "bare",
            "IS TRUE",
            "IS NOT TRUE",
            "IS FALSE",
            "IS NOT FALSE",
            "IS UNKNOWN",
            "IS NOT UNKNOWN",
        ],
        text if text.is_text() => &[
            "LIKE exact",
            "LIKE prefix",
            "LIKE suffix",
            "LIKE other",
            "NOT LIKE exact",
            "NOT LIKE prefix",
            "NOT LIKE suffix",
            "NOT LIKE other",
            "starts_with",
            "left",
            "substr",
            "reverse",
            "md5",
            "character_length",
            "~",
            "NOT ~",
            "ILIKE, ~*",
        ],
        SqlType::UnsignedBigInt => &[],
        one if one.is_integer() => &["%", "/", "reverse_digits", "+", "arithmetic"],
        SqlType::Timestamp { .. } => &[
            "date_trunc",
            "date_bin",
            "CAST AS DATE",
            "date_part",
            "moved",
            "moved date_trunc",
            "moved date_bin",
            "moved CAST AS DATE",
        ],
        SqlType::Bytea => &["md5"],
        SqlType::Date => &["date_part", "moved"],
        _ => &[],
    }
}

/// The operators that apply to a column of this type.
pub(super) fn operators(sql_type: &SqlType) -> Vec<String> {
    let everywhere = [
        "BETWEEN",
        "NOT BETWEEN",
        "IN",
        "NOT IN",
        "IS NULL",
        "IS NOT NULL",
        "tuple IN",
        "tuple NOT IN",
        "keyset",
        "hash",
        "bucket",
    ];
    let comparisons = Comparison::ALL.map(|comparison| comparison.sql().to_owned());
    let tuples = Comparison::PLAIN.map(|comparison| format!("tuple {}", comparison.sql()));
    let choices: &[&str] = match sql_type {
        SqlType::UnsignedBigInt => &[],
        _ => &["COALESCE", "NULLIF", "CASE", "CASE of conditions"],
    };
    let names = everywhere
        .iter()
        .chain(own_operators(sql_type))
        .chain(choices)
        .map(|name| (*name).to_owned());
    comparisons.into_iter().chain(tuples).chain(names).collect()
}
