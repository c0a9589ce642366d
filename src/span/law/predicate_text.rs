//! Conditions and values as SQL for people: what a failure prints.

use super::condition::{
    Column, Comparison, Condition, Constant, Function, Term, Truth, spell_tuple,
};
use crate::datum::{Datum, Readable, SqlType};
use crate::keyrange::hex;

/// A condition over a table's columns as SQL.
pub(crate) fn sql(condition: &Condition, columns: &[Column]) -> String {
    match condition {
        Condition::Constant(None) => "CAST(NULL AS BOOLEAN)".to_owned(),
        Condition::Constant(Some(value)) => value.to_string().to_uppercase(),
        Condition::Not(term) => format!("NOT ({})", sql(term, columns)),
        Condition::And(terms) => joined(" AND ", terms, columns),
        Condition::Or(terms) => joined(" OR ", terms, columns),
        Condition::Test {
            condition,
            truth,
            negated,
        } => {
            let truth = match truth {
                Truth::True => "TRUE",
                Truth::False => "FALSE",
                Truth::Unknown => "UNKNOWN",
            };
            format!("({}) IS {}{truth}", sql(condition, columns), not(*negated))
        }
        Condition::Tuple {
            columns: members,
            descending,
            comparison,
            constants,
            ..
        } if !descending.contains(&true) => {
            let constants: Vec<String> = constants.iter().map(constant_sql).collect();
            format!(
                "({}) {} ({})",
                names(members, columns),
                comparison.sql(),
                constants.join(", ")
            )
        }
        Condition::Tuple {
            columns: members,
            descending,
            comparison,
            constants,
            spelling,
        } => spell_tuple(
            descending,
            *comparison,
            *spelling,
            &mut |member, comparison| {
                let name = &columns[members[member]].name;
                let constant = constant_sql(&constants[member]);
                format!("{name} {} {constant}", comparison.sql())
            },
            &|all, terms| format!("({})", terms.join(if all { " AND " } else { " OR " })),
        ),
        leaf => leaf_sql(leaf, columns),
    }
}

fn leaf_sql(leaf: &Condition, columns: &[Column]) -> String {
    match leaf {
        Condition::Compare {
            term,
            comparison,
            constant,
            constant_first,
        } => {
            let (term, constant) = (term_sql(term, columns), constant_sql(constant));
            if *constant_first {
                format!("{constant} {} {term}", comparison.flipped().sql())
            } else {
                format!("{term} {} {constant}", comparison.sql())
            }
        }
        Condition::Between {
            term,
            low,
            high,
            negated,
        } => format!(
            "{} {}BETWEEN {} AND {}",
            term_sql(term, columns),
            not(*negated),
            constant_sql(low),
            constant_sql(high)
        ),
        Condition::InList {
            term,
            list,
            negated,
        } => {
            let list: Vec<String> = list.iter().map(constant_sql).collect();
            let term = term_sql(term, columns);
            format!("{term} {}IN ({})", not(*negated), list.join(", "))
        }
        Condition::IsNull { term, negated } => {
            format!("{} IS {}NULL", term_sql(term, columns), not(*negated))
        }
        other => other_leaf_sql(other, columns),
    }
}

/// A leaf that is no comparison of one term with constants.
fn other_leaf_sql(leaf: &Condition, columns: &[Column]) -> String {
    match leaf {
        Condition::Like {
            column,
            pattern,
            negated,
        } => {
            let name = &columns[*column].name;
            format!("{name} {}LIKE {}", not(*negated), text_sql(pattern))
        }
        Condition::StartsWith { column, prefix } => {
            format!(
                "starts_with({}, {})",
                columns[*column].name,
                text_sql(prefix)
            )
        }
        Condition::Boolean(column) => columns[*column].name.clone(),
        Condition::TupleIn {
            columns: members,
            rows,
            negated,
        } => tuple_in_sql(&names(members, columns), rows, *negated),
        Condition::Columns {
            left,
            comparison,
            right,
        } => compare_columns(&columns[*left], *comparison, &columns[*right]),
        other => unreachable!("{other:?} is no leaf"),
    }
}

fn tuple_in_sql(names: &str, rows: &[Vec<Constant>], negated: bool) -> String {
    let row = |row: &Vec<Constant>| {
        let constants: Vec<String> = row.iter().map(constant_sql).collect();
        format!("({})", constants.join(", "))
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("({names}) {}IN ({})", not(negated), rows.join(", "))
}

fn compare_columns(left: &Column, comparison: Comparison, right: &Column) -> String {
    format!("{} {} {}", left.name, comparison.sql(), right.name)
}

fn joined(separator: &str, terms: &[Condition], columns: &[Column]) -> String {
    let terms = terms.iter().map(|term| match term {
        Condition::And(_) | Condition::Or(_) => format!("({})", sql(term, columns)),
        other => sql(other, columns),
    });
    terms.collect::<Vec<_>>().join(separator)
}

fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

fn names(members: &[usize], columns: &[Column]) -> String {
    let names = members.iter().map(|member| columns[*member].name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// A term as SQL.
pub(crate) fn term_sql(term: &Term, columns: &[Column]) -> String {
    let all = names(&term.columns, columns);
    match &term.function {
        Function::Column => all,
        Function::Left(length) => format!("left({all}, {length})"),
        Function::Prefix(length) => format!("substr({all}, 1, {length})"),
        Function::Reverse => format!("reverse({all})"),
        Function::Length => format!("character_length({all})"),
        Function::Md5 => format!("md5({all})"),
        Function::Hash => format!("hash({all})"),
        Function::Bucket(buckets) => format!("bucket({buckets}, {all})"),
        Function::ReverseDigits => format!("reverse_digits({all})"),
        Function::Remainder(divisor) => format!("{all} % {divisor}"),
        Function::Quotient(divisor) => format!("{all} / {divisor}"),
        Function::Plus(summand) => format!("{all} + {summand}"),
        Function::DateTrunc(unit) => format!("date_trunc('{unit}', {all})"),
        Function::DateBin(width) => {
            let milliseconds = width / 1_000_000;
            format!("date_bin(INTERVAL '{milliseconds} milliseconds', {all})")
        }
        Function::Date => format!("CAST({all} AS DATE)"),
        Function::Year => format!("date_part('year', {all})"),
    }
}

/// A constant as SQL.
pub(crate) fn constant_sql(constant: &Constant) -> String {
    let read = |datum: &Datum, sql_type: &SqlType| Readable(datum, sql_type).to_string();
    match constant {
        Constant::Null => "NULL".to_owned(),
        Constant::Boolean(value) => value.to_string().to_uppercase(),
        Constant::Integer(value) => value.to_string(),
        Constant::Decimal { unscaled, scale } => {
            let sql_type = SqlType::Decimal {
                precision: 38,
                scale: *scale,
            };
            read(&Datum::Decimal(*unscaled), &sql_type)
        }
        Constant::Double(value) if value.is_finite() => format!("{value:e}"),
        Constant::Double(value) => format!("CAST('{value}' AS DOUBLE)"),
        Constant::Text(text) => text_sql(text),
        Constant::Bytes(bytes) => format!("X'{}'", hex(bytes)),
        Constant::Date(days) => format!("DATE '{}'", read(&Datum::Date(*days), &SqlType::Date)),
        Constant::Timestamp {
            count,
            precision,
            utc,
        } => {
            let sql_type = SqlType::Timestamp {
                precision: *precision,
                utc: *utc,
            };
            let stamp = read(&Datum::Timestamp(*count), &sql_type);
            format!("TIMESTAMP({}) '{stamp}'", precision.digits())
        }
    }
}

/// A text in quotes; one with control characters as an escape string.
fn text_sql(text: &str) -> String {
    if text.chars().any(char::is_control) {
        return format!("E'{}'", text.escape_default());
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// A value of a row as SQL.
pub(crate) fn value_sql(value: Option<&Datum>, sql_type: &SqlType) -> String {
    match value {
        None => "NULL".to_owned(),
        Some(Datum::Text(text)) => text_sql(text),
        Some(Datum::Bytes(bytes)) => format!("X'{}'", hex(bytes)),
        Some(other @ (Datum::Date(_) | Datum::Timestamp(_))) => {
            format!("'{}'", Readable(other, sql_type))
        }
        Some(other) => Readable(other, sql_type).to_string(),
    }
}
