//! Which ways of restricting a column meet which transforms of it in the key: what a key's part is good for is not seen
//! by counting operators and parts each by themselves.

use super::cases::{Case, key_term};
use super::condition::{Comparison, Condition, Function};
use crate::key::KeyPart;

/// A part's function, and what a leaf asks of its only column, or of the part itself.
pub(super) type Pair = (&'static str, &'static str);

/// Asked of the column: `=`, `IN` and `IS NOT DISTINCT FROM`; a range; a pattern's beginning or end; the last digits.
const POINT: &str = "= of the column";
const RANGE: &str = "range of the column";
const PREFIX: &str = "LIKE prefix of the column";
const SUFFIX: &str = "LIKE suffix of the column";
const DIGITS: &str = "% 10^k of the column";
/// Asked of the part's own expression.
const OWN_POINT: &str = "= of the part";
const OWN_RANGE: &str = "range of the part";

/// The pairs that spans make something of.
pub(super) const PAIRS: [Pair; 33] = [
    ("reverse", POINT),
    ("reverse", SUFFIX),
    ("reverse", OWN_POINT),
    ("reverse", OWN_RANGE),
    ("reverse_digits", POINT),
    ("reverse_digits", DIGITS),
    ("reverse_digits", OWN_POINT),
    ("left", POINT),
    ("left", RANGE),
    ("left", PREFIX),
    ("left", OWN_POINT),
    ("left", OWN_RANGE),
    ("/", POINT),
    ("/", RANGE),
    ("/", OWN_POINT),
    ("/", OWN_RANGE),
    ("%", POINT),
    ("%", RANGE),
    ("%", OWN_POINT),
    ("%", OWN_RANGE),
    ("date_trunc", POINT),
    ("date_trunc", RANGE),
    ("date_trunc", OWN_POINT),
    ("date_trunc", OWN_RANGE),
    ("date_bin", POINT),
    ("date_bin", RANGE),
    ("date_bin", OWN_POINT),
    ("date_bin", OWN_RANGE),
    ("cast_date", POINT),
    ("cast_date", RANGE),
    ("cast_date", OWN_POINT),
    ("md5", POINT),
    ("hash", POINT),
];

/// The pairs of a case, one for each leaf and each part that it speaks of.
pub(super) fn pairs(case: &Case) -> Vec<Pair> {
    let Ok(key) = case.key() else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    case.condition.for_each_leaf(&mut |leaf| {
        for part in key.parts() {
            let asked = asked(leaf, part);
            let is_pair = |pair: &&Pair| {
                pair.0 == part.expression().function && asked.is_some_and(|asked| asked == pair.1)
            };
            pairs.extend(PAIRS.iter().find(is_pair));
        }
    });
    pairs
}

/// What a leaf asks of a part, or of its only column.
fn asked(leaf: &Condition, part: &KeyPart) -> Option<&'static str> {
    if leaf.leaf_columns() != part.sources() {
        return None;
    }
    let is_range = |comparison: &Comparison| {
        !matches!(comparison, Comparison::NotEqual | Comparison::Distinct)
    };
    let (term, is_point) = match leaf {
        Condition::Like {
            pattern,
            negated: false,
            ..
        } => {
            let inner = pattern.trim_matches('%');
            let is_plain = !inner.is_empty() && !inner.contains(['%', '_', '\\']);
            return match (pattern.starts_with('%'), pattern.ends_with('%')) {
                (false, true) if is_plain => Some(PREFIX),
                (true, false) if is_plain => Some(SUFFIX),
                _ => None,
            };
        }
        Condition::StartsWith { .. } => return Some(PREFIX),
        Condition::Compare {
            term,
            comparison: Comparison::Equal | Comparison::NotDistinct,
            ..
        }
        | Condition::InList {
            term,
            negated: false,
            ..
        } => (term, true),
        Condition::Compare {
            term, comparison, ..
        } if is_range(comparison) => (term, false),
        Condition::Between {
            term,
            negated: false,
            ..
        } => (term, false),
        _ => return None,
    };
    match (&term.function, is_point) {
        (Function::Column, true) => Some(POINT),
        (Function::Column, false) => Some(RANGE),
        (Function::Remainder(10 | 100 | 10_000), true)
            if part.expression().function == "reverse_digits" =>
        {
            Some(DIGITS)
        }
        _ if key_term(part).as_ref() != Some(term) => None,
        (_, true) => Some(OWN_POINT),
        (_, false) => Some(OWN_RANGE),
    }
}
