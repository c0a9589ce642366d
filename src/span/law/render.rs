//! Conditions as DataFusion's expressions: the structure, and what SQL planning would make of a leaf.
//!
//! [`Meaning`] leaves the comparisons open. [`Planned`] writes them as the planner does; the oracle has its own.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::{Column as ColumnName, ScalarValue};
use datafusion::functions::{core as functions_core, crypto, datetime, string, unicode};
use datafusion::logical_expr::expr::{Between, InList, Like};
use datafusion::logical_expr::{Expr, Operator, ScalarUDF, binary_expr, cast, lit};

use super::condition::{
    Column, Comparison, Condition, Constant, Function, Term, Truth, spell_tuple,
};
use super::functions;
use crate::datum::{Datum, Precision, Readable, SqlType};
use crate::function::DatePart;

/// What comparisons become.
pub(super) trait Meaning {
    /// The columns of the table.
    fn columns(&self) -> &[Column];

    /// `term comparison constant`.
    fn compare(&self, term: &Term, comparison: Comparison, constant: &Constant) -> Expr;

    /// `constant comparison term`.
    fn compare_reversed(&self, constant: &Constant, comparison: Comparison, term: &Term) -> Expr {
        self.compare(term, comparison.flipped(), constant)
    }

    /// `term [NOT] BETWEEN low AND high`.
    fn between(&self, term: &Term, low: &Constant, high: &Constant, negated: bool) -> Expr {
        let low = self.compare(term, Comparison::GreaterOrEqual, low);
        let high = self.compare(term, Comparison::LessOrEqual, high);
        negate_if(negated, join(true, vec![low, high]))
    }

    /// `term [NOT] IN (list)`.
    fn in_list(&self, term: &Term, list: &[Constant], negated: bool) -> Expr {
        let equal = |constant| self.compare(term, Comparison::Equal, constant);
        negate_if(negated, join(false, list.iter().map(equal).collect()))
    }

    /// `(columns) comparison (constants)`, where that has a form of its own.
    fn tuple(
        &self,
        columns: &[usize],
        comparison: Comparison,
        constants: &[Constant],
    ) -> Option<Expr> {
        let _ = (columns, comparison, constants);
        None
    }

    /// `(columns) IN (rows)`, where that has a form of its own.
    fn tuple_in(&self, columns: &[usize], rows: &[Vec<Constant>], negated: bool) -> Option<Expr> {
        let _ = (columns, rows, negated);
        None
    }

    /// `left comparison right`, both columns.
    fn compare_columns(&self, left: usize, comparison: Comparison, right: usize) -> Expr;
}

/// The condition as an expression over the table's columns.
pub(super) fn render(condition: &Condition, meaning: &dyn Meaning) -> Expr {
    let all = |terms: &[Condition]| terms.iter().map(|term| render(term, meaning)).collect();
    match condition {
        Condition::Constant(value) => lit(ScalarValue::Boolean(*value)),
        Condition::Not(term) => negate_if(true, render(term, meaning)),
        Condition::And(terms) => join(true, all(terms)),
        Condition::Or(terms) => join(false, all(terms)),
        Condition::Test {
            condition,
            truth,
            negated,
        } => test(render(condition, meaning), *truth, *negated),
        Condition::Tuple {
            columns,
            descending,
            comparison,
            constants,
            spelling,
        } => {
            let own = meaning.tuple(columns, *comparison, constants);
            own.filter(|_| !descending.contains(&true))
                .unwrap_or_else(|| {
                    let mut compare = |member: usize, comparison| {
                        let term = Term::column(columns[member]);
                        meaning.compare(&term, comparison, &constants[member])
                    };
                    spell_tuple(descending, *comparison, *spelling, &mut compare, &join)
                })
        }
        Condition::TupleIn {
            columns,
            rows,
            negated,
        } => meaning
            .tuple_in(columns, rows, *negated)
            .unwrap_or_else(|| {
                let row = |constants: &Vec<Constant>| {
                    let members = columns.iter().zip(constants);
                    let equal = members.map(|(column, constant)| {
                        meaning.compare(&Term::column(*column), Comparison::Equal, constant)
                    });
                    join(true, equal.collect())
                };
                negate_if(*negated, join(false, rows.iter().map(row).collect()))
            }),
        leaf => render_leaf(leaf, meaning),
    }
}

fn render_leaf(leaf: &Condition, meaning: &dyn Meaning) -> Expr {
    let columns = meaning.columns();
    match leaf {
        Condition::Compare {
            term,
            comparison,
            constant,
            constant_first: false,
        } => meaning.compare(term, *comparison, constant),
        Condition::Compare {
            term,
            comparison,
            constant,
            constant_first: true,
        } => meaning.compare_reversed(constant, comparison.flipped(), term),
        Condition::Between {
            term,
            low,
            high,
            negated,
        } => meaning.between(term, low, high, *negated),
        Condition::InList {
            term,
            list,
            negated,
        } => meaning.in_list(term, list, *negated),
        Condition::IsNull { term, negated } => {
            let term = Box::new(render_term(term, columns));
            if *negated {
                Expr::IsNotNull(term)
            } else {
                Expr::IsNull(term)
            }
        }
        Condition::Like {
            column,
            pattern,
            negated,
        } => Expr::Like(Like::new(
            *negated,
            Box::new(column_expression(*column, columns)),
            Box::new(lit(pattern.as_str())),
            None,
            false,
        )),
        Condition::StartsWith { column, prefix } => string::starts_with().call(vec![
            column_expression(*column, columns),
            lit(prefix.as_str()),
        ]),
        Condition::Boolean(column) => column_expression(*column, columns),
        Condition::Columns {
            left,
            comparison,
            right,
        } => meaning.compare_columns(*left, *comparison, *right),
        other => unreachable!("{other:?} is no leaf"),
    }
}

/// AND (`true`) or OR of terms, nested to the left as the planner nests them.
pub(super) fn join(all: bool, terms: Vec<Expr>) -> Expr {
    let operator = if all { Operator::And } else { Operator::Or };
    let joined = terms
        .into_iter()
        .reduce(|left, right| binary_expr(left, operator, right));
    joined.unwrap_or_else(|| lit(all))
}

fn negate_if(negated: bool, condition: Expr) -> Expr {
    if negated {
        Expr::Not(Box::new(condition))
    } else {
        condition
    }
}

fn test(condition: Expr, truth: Truth, negated: bool) -> Expr {
    let condition = Box::new(condition);
    match (truth, negated) {
        (Truth::True, false) => Expr::IsTrue(condition),
        (Truth::True, true) => Expr::IsNotTrue(condition),
        (Truth::False, false) => Expr::IsFalse(condition),
        (Truth::False, true) => Expr::IsNotFalse(condition),
        (Truth::Unknown, false) => Expr::IsUnknown(condition),
        (Truth::Unknown, true) => Expr::IsNotUnknown(condition),
    }
}

/// DataFusion's name of a comparison.
pub(super) fn operator(comparison: Comparison) -> Operator {
    match comparison {
        Comparison::Equal => Operator::Eq,
        Comparison::NotEqual => Operator::NotEq,
        Comparison::Less => Operator::Lt,
        Comparison::LessOrEqual => Operator::LtEq,
        Comparison::Greater => Operator::Gt,
        Comparison::GreaterOrEqual => Operator::GtEq,
        Comparison::Distinct => Operator::IsDistinctFrom,
        Comparison::NotDistinct => Operator::IsNotDistinctFrom,
    }
}

/// A column of the table by its name.
pub(super) fn column_expression(column: usize, columns: &[Column]) -> Expr {
    Expr::Column(ColumnName::new_unqualified(columns[column].name.clone()))
}

/// A term, as SQL planning gives it.
pub(super) fn render_term(term: &Term, columns: &[Column]) -> Expr {
    let first = column_expression(term.columns[0], columns);
    let all = term.columns.iter();
    let all = all.map(|column| column_expression(*column, columns));
    match &term.function {
        Function::Column => first,
        Function::Left(length) => unicode::left().call(vec![first, lit(*length)]),
        Function::Prefix(length) => {
            unicode::substring().call(vec![first, lit(1_i64), lit(*length)])
        }
        Function::Reverse => unicode::reverse().call(vec![first]),
        Function::Length => unicode::character_length().call(vec![first]),
        Function::Md5 => crypto::md5().call(vec![first]),
        Function::Hash => functions::hash().call(all.collect()),
        Function::Bucket(buckets) => {
            let buckets = lit(i64::from(*buckets));
            functions::bucket().call(std::iter::once(buckets).chain(all).collect())
        }
        Function::ReverseDigits => functions::reverse_digits().call(vec![first]),
        Function::Remainder(divisor) => binary_expr(first, Operator::Modulo, lit(*divisor)),
        Function::Quotient(divisor) => binary_expr(first, Operator::Divide, lit(*divisor)),
        Function::Plus(summand) => binary_expr(first, Operator::Plus, lit(*summand)),
        Function::DateTrunc(unit) => datetime::date_trunc().call(vec![lit(*unit), first]),
        Function::DateBin(width) => datetime::date_bin().call(vec![lit(interval(*width)), first]),
        Function::Date => cast(first, DataType::Date32),
        Function::Year => {
            let part = ScalarUDF::new_from_impl(DatePart::default());
            part.call(vec![lit("year"), first])
        }
    }
}

const NANOSECONDS_PER_DAY: i64 = 86_400_000_000_000;

/// An interval as the parse gives it: whole days apart from the time of day.
fn interval(nanoseconds: i64) -> ScalarValue {
    let days = nanoseconds / NANOSECONDS_PER_DAY;
    ScalarValue::new_interval_mdn(
        0,
        i32::try_from(days).expect("an interval of the law is short"),
        nanoseconds % NANOSECONDS_PER_DAY,
    )
}

/// A constant as the parse gives it, with `parse_float_as_decimal`.
pub(super) fn literal(constant: &Constant) -> ScalarValue {
    match constant {
        Constant::Null => ScalarValue::Null,
        Constant::Boolean(value) => ScalarValue::Boolean(Some(*value)),
        Constant::Integer(value) => integer_literal(*value),
        Constant::Decimal { unscaled, scale } => decimal_literal(*unscaled, *scale),
        Constant::Double(value) => ScalarValue::Float64(Some(*value)),
        Constant::Text(text) => ScalarValue::Utf8(Some(text.clone())),
        Constant::Bytes(bytes) => ScalarValue::Binary(Some(bytes.clone())),
        Constant::Date(days) => ScalarValue::Date32(Some(*days)),
        Constant::Timestamp {
            count,
            precision,
            utc,
        } => timestamp_literal(*count, *precision, *utc),
    }
}

fn integer_literal(value: i128) -> ScalarValue {
    if let Ok(value) = i64::try_from(value) {
        return ScalarValue::Int64(Some(value));
    }
    match u64::try_from(value) {
        Ok(value) => ScalarValue::UInt64(Some(value)),
        Err(_) => decimal_literal(value, 0),
    }
}

fn decimal_literal(unscaled: i128, scale: i8) -> ScalarValue {
    let digits = unscaled.unsigned_abs().to_string().len();
    let precision = digits.max(usize::try_from(scale).unwrap_or(0)).max(1);
    let precision = u8::try_from(precision).expect("at most 39 digits");
    if precision > 38 {
        return ScalarValue::Decimal256(Some(i256::from_i128(unscaled)), precision, scale);
    }
    ScalarValue::Decimal128(Some(unscaled), precision, scale)
}

fn timestamp_literal(count: i64, precision: Precision, utc: bool) -> ScalarValue {
    let zone: Option<Arc<str>> = utc.then(|| Arc::from("+00:00"));
    match precision {
        Precision::Second => ScalarValue::TimestampSecond(Some(count), zone),
        Precision::Millisecond => ScalarValue::TimestampMillisecond(Some(count), zone),
        Precision::Microsecond => ScalarValue::TimestampMicrosecond(Some(count), zone),
        Precision::Nanosecond => ScalarValue::TimestampNanosecond(Some(count), zone),
    }
}

/// Comparisons as SQL planning gives them.
pub(super) struct Planned<'a> {
    pub columns: &'a [Column],
    /// Rows are structs and typed literals texts with a cast, as planning leaves them for Halite's rules to mend; else
    /// rows are spelt out and literals are what they stand for.
    pub unmended: bool,
}

impl Planned<'_> {
    fn literal(&self, constant: &Constant) -> Expr {
        if self.unmended {
            written(constant)
        } else {
            lit(literal(constant))
        }
    }

    fn row(&self, values: Vec<Expr>) -> Expr {
        functions_core::r#struct().call(values)
    }

    fn row_of_columns(&self, columns: &[usize]) -> Expr {
        let columns = columns.iter();
        self.row(
            columns
                .map(|column| column_expression(*column, self.columns))
                .collect(),
        )
    }

    fn row_of_constants(&self, constants: &[Constant]) -> Expr {
        self.row(
            constants
                .iter()
                .map(|constant| self.literal(constant))
                .collect(),
        )
    }
}

impl Meaning for Planned<'_> {
    fn columns(&self) -> &[Column] {
        self.columns
    }

    fn compare(&self, term: &Term, comparison: Comparison, constant: &Constant) -> Expr {
        let term = render_term(term, self.columns);
        binary_expr(term, operator(comparison), self.literal(constant))
    }

    fn compare_reversed(&self, constant: &Constant, comparison: Comparison, term: &Term) -> Expr {
        let term = render_term(term, self.columns);
        binary_expr(self.literal(constant), operator(comparison), term)
    }

    fn between(&self, term: &Term, low: &Constant, high: &Constant, negated: bool) -> Expr {
        Expr::Between(Between::new(
            Box::new(render_term(term, self.columns)),
            negated,
            Box::new(self.literal(low)),
            Box::new(self.literal(high)),
        ))
    }

    fn in_list(&self, term: &Term, list: &[Constant], negated: bool) -> Expr {
        Expr::InList(InList::new(
            Box::new(render_term(term, self.columns)),
            list.iter().map(|constant| self.literal(constant)).collect(),
            negated,
        ))
    }

    fn tuple(
        &self,
        columns: &[usize],
        comparison: Comparison,
        constants: &[Constant],
    ) -> Option<Expr> {
        let (columns, constants) = (
            self.row_of_columns(columns),
            self.row_of_constants(constants),
        );
        self.unmended
            .then(|| binary_expr(columns, operator(comparison), constants))
    }

    fn tuple_in(&self, columns: &[usize], rows: &[Vec<Constant>], negated: bool) -> Option<Expr> {
        let rows = rows.iter().map(|row| self.row_of_constants(row)).collect();
        let columns = Box::new(self.row_of_columns(columns));
        self.unmended
            .then(|| Expr::InList(InList::new(columns, rows, negated)))
    }

    fn compare_columns(&self, left: usize, comparison: Comparison, right: usize) -> Expr {
        binary_expr(
            column_expression(left, self.columns),
            operator(comparison),
            column_expression(right, self.columns),
        )
    }
}

/// A constant as it is written: dates, stamps and doubles are texts with a cast, where the calendar and nanoseconds
/// reach; others are given as parameters are.
fn written(constant: &Constant) -> Expr {
    let in_four_digits = |text: &str| {
        text.split('-')
            .next()
            .is_some_and(|year| year.len() == 4 && year.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let (text, target) = match constant {
        Constant::Double(value) if value.is_finite() => (format!("{value:e}"), DataType::Float64),
        Constant::Date(days) => {
            let text = Readable(&Datum::Date(*days), &SqlType::Date).to_string();
            (text, DataType::Date32)
        }
        Constant::Timestamp {
            count,
            precision,
            utc,
        } => {
            let sql_type = SqlType::Timestamp {
                precision: *precision,
                utc: *utc,
            };
            let text = Readable(&Datum::Timestamp(*count), &sql_type).to_string();
            let zone: Option<Arc<str>> = utc.then(|| Arc::from("+00:00"));
            (text, DataType::Timestamp(TimeUnit::Nanosecond, zone))
        }
        other => return lit(literal(other)),
    };
    if in_four_digits(&text) || target == DataType::Float64 {
        cast(lit(text), target)
    } else {
        lit(literal(constant))
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
