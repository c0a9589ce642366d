//! Conditions and values as SQL for people: what a failure prints.

use super::condition::{
    Choice, Column, Comparison, Condition, Constant, Function, Made, Otherwise, Step, Term, Truth,
    spell_tuple,
};
use super::constants::own;
use crate::datum::{Datum, Precision, Readable, SqlType};
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
        Condition::Case {
            branches,
            otherwise,
        } => {
            let branches = branches
                .iter()
                .map(|(when, then)| (sql(when, columns), sql(then, columns)));
            let otherwise = otherwise.as_ref().map(|it| sql(it, columns));
            case_sql("", branches, otherwise)
        }
        leaf => leaf_sql(leaf, columns),
    }
}

/// `operand` is empty, or has a space at its end.
fn case_sql(
    operand: &str,
    branches: impl Iterator<Item = (String, String)>,
    otherwise: Option<String>,
) -> String {
    let branches = branches.map(|(when, then)| format!("WHEN {when} THEN {then} "));
    let branches: String = branches.collect();
    let otherwise = otherwise.map_or_else(String::new, |it| format!("ELSE {it} "));
    format!("CASE {operand}{branches}{otherwise}END")
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
        Condition::Matches {
            column,
            matching,
            pattern,
            negated,
        } => {
            let name = &columns[*column].name;
            format!("{name} {} {}", matching.sql(*negated), text_sql(pattern))
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
            format!("date_bin({}, {all})", interval_sql(*width))
        }
        Function::Date => format!("CAST({all} AS DATE)"),
        Function::Year => format!("date_part('year', {all})"),
        Function::Computed { steps, .. } => steps.iter().fold(all, step_sql),
        Function::Moved { nanoseconds, made } => made_sql(*made, &moved_sql(&all, *nanoseconds)),
        Function::Coalesce(None) => format!("coalesce({all})"),
        Function::Coalesce(Some(last)) => {
            format!("coalesce({all}, {})", own_sql(last, term, columns))
        }
        Function::NullIf(other) => format!("nullif({all}, {})", own_sql(other, term, columns)),
        Function::Case(choice) => choice_sql(choice, &all, &|value| own_sql(value, term, columns)),
    }
}

fn own_sql(value: &Datum, term: &Term, columns: &[Column]) -> String {
    constant_sql(&own(value, &term.sql_type(columns)))
}

fn step_sql(value: String, step: &Step) -> String {
    let value = if value.contains(' ') || value.starts_with('-') {
        format!("({value})")
    } else {
        value
    };
    match step {
        Step::Plus(number) => format!("{value} + {number}"),
        Step::PlusTo(number) => format!("{number} + {value}"),
        Step::Minus(number) => format!("{value} - {number}"),
        Step::MinusFrom(number) => format!("{number} - {value}"),
        Step::Times(number) => format!("{value} * {number}"),
        Step::Negative => format!("-{value}"),
    }
}

fn moved_sql(time: &str, nanoseconds: i64) -> String {
    let sign = match nanoseconds {
        0 => return time.to_owned(),
        later if later > 0 => '+',
        _ => '-',
    };
    format!("{time} {sign} {}", interval_sql(nanoseconds.abs()))
}

fn interval_sql(nanoseconds: i64) -> String {
    match nanoseconds % 1_000_000 {
        0 => format!("INTERVAL '{} milliseconds'", nanoseconds / 1_000_000),
        _ => format!("INTERVAL '{nanoseconds} nanoseconds'"),
    }
}

fn made_sql(made: Made, time: &str) -> String {
    match made {
        Made::Itself => time.to_owned(),
        Made::DateTrunc(unit) => format!("date_trunc('{unit}', {time})"),
        Made::DateBin { width, origin } => {
            let origin = origin.map(|count| {
                constant_sql(&Constant::Timestamp {
                    count,
                    precision: Precision::Nanosecond,
                    utc: false,
                })
            });
            let origin = origin.map_or_else(String::new, |origin| format!(", {origin}"));
            format!("date_bin({}, {time}{origin})", interval_sql(width))
        }
        Made::Date => format!("CAST({time} AS DATE)"),
    }
}

fn choice_sql(choice: &Choice, column: &str, constant: &dyn Fn(&Datum) -> String) -> String {
    let value = |value: &Option<Datum>| value.as_ref().map_or("NULL".to_owned(), constant);
    let branches = choice.branches.iter().map(|(when, then)| {
        let when = if choice.searched {
            format!("{column} = {}", constant(when))
        } else {
            constant(when)
        };
        (when, value(then))
    });
    let operand = if choice.searched {
        String::new()
    } else {
        format!("{column} ")
    };
    let otherwise = match &choice.otherwise {
        Otherwise::Column => Some(column.to_owned()),
        Otherwise::Constant(None) => None,
        Otherwise::Constant(other) => Some(value(other)),
    };
    case_sql(&operand, branches, otherwise)
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
