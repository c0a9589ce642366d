//! Predicates, and the oracle: what each says of a row, by value.

use std::cmp::Ordering;

use super::values::{Column, Value};

/// A constant: its value, and how it is written.
#[derive(Debug, Clone)]
pub(super) struct Constant {
    pub(super) value: Value,
    pub(super) sql: String,
}

#[derive(Debug, Clone)]
pub(super) enum Predicate {
    /// Column, operator, constant, and whether the constant stands on the left.
    Compare(usize, &'static str, Constant, bool),
    Between(usize, bool, Constant, Constant),
    In(usize, bool, Vec<Constant>),
    /// Columns, operator, constants.
    Row(Vec<usize>, &'static str, Vec<Constant>),
    RowIn(Vec<usize>, bool, Vec<Vec<Constant>>),
    IsNull(Box<Predicate>, bool),
    Not(Box<Predicate>),
    And(Vec<Predicate>),
    Or(Vec<Predicate>),
}

/// How two values stand to each other; nothing when one of them is NULL.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    use Value::{Double, Null, Number, Text, Time};
    let total = |a: f64, b: f64| {
        a.partial_cmp(&b)
            .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    };
    let double = |digits: i128, scale: u32| digits as f64 / 10_f64.powi(scale as i32);
    Some(match (left, right) {
        (Null, _) | (_, Null) => return None,
        (Number(a, scale), Number(b, other)) => {
            let most = *scale.max(other);
            (a * 10_i128.pow(most - scale)).cmp(&(b * 10_i128.pow(most - other)))
        }
        (Number(a, scale), Double(b)) => total(double(*a, *scale), *b),
        (Double(a), Double(b)) => total(*a, *b),
        (Time(a), Time(b)) => a.cmp(b),
        (Text(a), Text(b)) => a.cmp(b),
        (left, right) => panic!("{left:?} and {right:?}"),
    })
}

fn compare(left: &Value, op: &str, right: &Value) -> Option<bool> {
    let order = order(left, right);
    let distinct = match order {
        Some(order) => order.is_ne(),
        None => left != right,
    };
    match op {
        "IS DISTINCT FROM" => Some(distinct),
        "IS NOT DISTINCT FROM" => Some(!distinct),
        "=" => order.map(Ordering::is_eq),
        "<>" => order.map(Ordering::is_ne),
        "<" => order.map(Ordering::is_lt),
        "<=" => order.map(Ordering::is_le),
        ">" => order.map(Ordering::is_gt),
        ">=" => order.map(Ordering::is_ge),
        op => panic!("{op}"),
    }
}

#[expect(clippy::manual_try_fold, reason = "None is unknown here, and no end")]
fn all(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    truths.fold(Some(true), |all, truth| match (all, truth) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (None, _) | (_, None) => None,
        _ => Some(true),
    })
}

fn not(truth: Option<bool>) -> Option<bool> {
    truth.map(|truth| !truth)
}

fn any(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    not(all(truths.map(not)))
}

impl Predicate {
    pub(super) fn truth(&self, columns: &[Column], row: usize) -> Option<bool> {
        let value = |column: &usize| &columns[*column].values[row];
        let negate_if = |negated: bool, truth| if negated { not(truth) } else { truth };
        match self {
            Self::Compare(column, op, constant, _) => compare(value(column), op, &constant.value),
            Self::Between(column, negated, low, high) => {
                let bounds = [
                    compare(value(column), ">=", &low.value),
                    compare(value(column), "<=", &high.value),
                ];
                negate_if(*negated, all(bounds.into_iter()))
            }
            Self::In(column, negated, constants) => {
                let equal = constants
                    .iter()
                    .map(|constant| compare(value(column), "=", &constant.value));
                negate_if(*negated, any(equal))
            }
            Self::Row(columns, op, constants) => {
                let values: Vec<_> = columns.iter().map(value).collect();
                rows_compare(&values, op, constants)
            }
            Self::RowIn(columns, negated, rows) => {
                let values: Vec<_> = columns.iter().map(value).collect();
                negate_if(
                    *negated,
                    any(rows.iter().map(|row| rows_compare(&values, "=", row))),
                )
            }
            Self::IsNull(inner, negated) => Some(inner.truth(columns, row).is_none() != *negated),
            Self::Not(inner) => not(inner.truth(columns, row)),
            Self::And(terms) => all(terms.iter().map(|term| term.truth(columns, row))),
            Self::Or(terms) => any(terms.iter().map(|term| term.truth(columns, row))),
        }
    }

    pub(super) fn sql(&self, columns: &[Column]) -> String {
        let name = |column: &usize| columns[*column].name;
        let list = |constants: &[Constant]| {
            constants
                .iter()
                .map(|constant| constant.sql.clone())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let names = |columns: &[usize]| columns.iter().map(name).collect::<Vec<_>>().join(", ");
        let not = |negated: &bool| if *negated { "NOT " } else { "" };
        let joined = |terms: &[Self], by: &str| {
            terms
                .iter()
                .map(|term| format!("({})", term.sql(columns)))
                .collect::<Vec<_>>()
                .join(by)
        };
        match self {
            Self::Compare(column, op, constant, true) => {
                format!("{} {} {}", constant.sql, swapped(op), name(column))
            }
            Self::Compare(column, op, constant, false) => {
                format!("{} {op} {}", name(column), constant.sql)
            }
            Self::Between(column, negated, low, high) => format!(
                "{} {}BETWEEN {} AND {}",
                name(column),
                not(negated),
                low.sql,
                high.sql
            ),
            Self::In(column, negated, constants) => {
                format!("{} {}IN ({})", name(column), not(negated), list(constants))
            }
            Self::Row(columns, op, constants) => {
                format!("({}) {op} ({})", names(columns), list(constants))
            }
            Self::RowIn(columns, negated, rows) => {
                let rows: Vec<_> = rows.iter().map(|row| format!("({})", list(row))).collect();
                format!(
                    "({}) {}IN ({})",
                    names(columns),
                    not(negated),
                    rows.join(", ")
                )
            }
            Self::IsNull(inner, negated) => {
                format!("({}) IS {}NULL", inner.sql(columns), not(negated))
            }
            Self::Not(inner) => format!("NOT ({})", inner.sql(columns)),
            Self::And(terms) => joined(terms, " AND "),
            Self::Or(terms) => joined(terms, " OR "),
        }
    }

    /// Smaller predicates, to find the smallest that fails.
    pub(super) fn parts(&self) -> Vec<Self> {
        match self {
            Self::Not(inner) | Self::IsNull(inner, _) => vec![(**inner).clone()],
            Self::And(terms) | Self::Or(terms) => terms.clone(),
            Self::In(column, negated, constants) if constants.len() > 1 => {
                let without = |skip: usize| {
                    constants
                        .iter()
                        .enumerate()
                        .filter(|(at, _)| *at != skip)
                        .map(|(_, constant)| constant.clone())
                        .collect()
                };
                (0..constants.len())
                    .map(|skip| Self::In(*column, *negated, without(skip)))
                    .collect()
            }
            _ => vec![],
        }
    }
}

fn swapped(op: &'static str) -> &'static str {
    match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        op => op,
    }
}

fn rows_compare(values: &[&Value], op: &str, constants: &[Constant]) -> Option<bool> {
    let pairs = || {
        values
            .iter()
            .zip(constants)
            .map(|(value, constant)| (*value, &constant.value))
    };
    match op {
        "=" | "IS NOT DISTINCT FROM" => all(pairs().map(|(a, b)| compare(a, op, b))),
        "<>" | "IS DISTINCT FROM" => any(pairs().map(|(a, b)| compare(a, op, b))),
        op => {
            let strict = &op[..1];
            let last = values.len() - 1;
            any((0..=last).map(|at| {
                let equal = pairs().take(at).map(|(a, b)| compare(a, "=", b));
                let decided = pairs()
                    .nth(at)
                    .map(|(a, b)| compare(a, if at == last { op } else { strict }, b));
                all(equal.chain(decided))
            }))
        }
    }
}

pub(super) fn shown(truth: Option<bool>) -> String {
    truth.map_or("NULL".to_string(), |truth| truth.to_string())
}
