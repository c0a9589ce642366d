//! Conditions as DataFusion's expressions: the structure, and what SQL planning would make of a leaf.
//!
//! [`Meaning`] leaves the comparisons open. [`Planned`] writes them as the planner does; the oracle has its own.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::{Column as ColumnName, ScalarValue};
use datafusion::functions::{core as functions_core, crypto, datetime, string, unicode};
use datafusion::logical_expr::expr::{Between, InList, Like};
use datafusion::logical_expr::{Case, Expr, Operator, ScalarUDF, binary_expr, cast, lit};

use super::condition::{
    Choice, Column, Comparison, Condition, Constant, Function, Made, Matching, Otherwise, Step,
    Term, Truth, spell_tuple,
};
use super::constants::own;
use super::functions;
use crate::datum::{Datum, Precision, Readable, SqlType};
use crate::function::{Arithmetic, DateBin, DatePart};

/// What comparisons become.
pub(super) trait Meaning {
    /// The columns of the table.
    fn columns(&self) -> &[Column];

    /// A term by itself.
    fn value(&self, term: &Term) -> Expr;

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
        Condition::Case {
            branches,
            otherwise,
        } => {
            let branches = branches
                .iter()
                .map(|(when, then)| (render(when, meaning), render(then, meaning)));
            let otherwise = otherwise.as_ref().map(|it| render(it, meaning));
            case(None, branches.collect(), otherwise)
        }
        leaf => render_leaf(leaf, meaning),
    }
}

/// A CASE; without an operand each of its branches has a condition.
pub(super) fn case(
    operand: Option<Expr>,
    branches: Vec<(Expr, Expr)>,
    otherwise: Option<Expr>,
) -> Expr {
    let branches = branches.into_iter();
    let branches = branches.map(|(when, then)| (Box::new(when), Box::new(then)));
    Expr::Case(Case::new(
        operand.map(Box::new),
        branches.collect(),
        otherwise.map(Box::new),
    ))
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
            let term = Box::new(meaning.value(term));
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
        Condition::Matches {
            column,
            matching,
            pattern,
            negated,
        } => matches(
            column_expression(*column, columns),
            *matching,
            pattern,
            *negated,
        ),
        Condition::Boolean(column) => column_expression(*column, columns),
        Condition::Columns {
            left,
            comparison,
            right,
        } => meaning.compare_columns(*left, *comparison, *right),
        other => unreachable!("{other:?} is no leaf"),
    }
}

fn matches(text: Expr, matching: Matching, pattern: &str, negated: bool) -> Expr {
    let operator = match (matching, negated) {
        (Matching::Regex, false) => Operator::RegexMatch,
        (Matching::Regex, true) => Operator::RegexNotMatch,
        (Matching::CaselessRegex, false) => Operator::RegexIMatch,
        (Matching::CaselessRegex, true) => Operator::RegexNotIMatch,
        (Matching::CaselessLike, _) => {
            let pattern = Box::new(lit(pattern));
            return Expr::Like(Like::new(negated, Box::new(text), pattern, None, true));
        }
    };
    binary_expr(text, operator, lit(pattern))
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
        Function::DateBin(width) => date_bin().call(vec![lit(interval(*width)), first]),
        Function::Date => cast(first, DataType::Date32),
        Function::Year => {
            let part = ScalarUDF::new_from_impl(DatePart::default());
            part.call(vec![lit("year"), first])
        }
        Function::Computed { steps, .. } => steps.iter().fold(first, wrapping_step),
        Function::Moved { nanoseconds, made } => made_of(*made, moved(first, *nanoseconds)),
        Function::Coalesce(last) => {
            let last = last.as_ref().map(|last| own_literal(last, term, columns));
            functions_core::coalesce().call(all.chain(last).collect())
        }
        Function::NullIf(other) => {
            functions_core::nullif().call(vec![first, own_literal(other, term, columns)])
        }
        Function::Case(choice) => {
            render_choice(choice, first, &|value| own_literal(value, term, columns))
        }
    }
}

/// A step of arithmetic by DataFusion's operators.
fn wrapping_step(value: Expr, step: &Step) -> Expr {
    let of = |left, operator, right| binary_expr(left, operator, right);
    match *step {
        Step::Plus(number) => of(value, Operator::Plus, lit(number)),
        Step::PlusTo(number) => of(lit(number), Operator::Plus, value),
        Step::Minus(number) => of(value, Operator::Minus, lit(number)),
        Step::MinusFrom(number) => of(lit(number), Operator::Minus, value),
        Step::Times(number) => of(value, Operator::Multiply, lit(number)),
        Step::Negative => Expr::Negative(Box::new(value)),
    }
}

/// Arithmetic as a session of Halite's leaves it: functions over operands of one type.
fn checked_steps(column: Expr, own: DataType, steps: &[Step]) -> Expr {
    let (mut value, mut value_type) = (column, own);
    for step in steps {
        if *step != Step::Negative && value_type != DataType::Int64 {
            (value, value_type) = (cast(value, DataType::Int64), DataType::Int64);
        }
        let (arithmetic, operands) = match *step {
            Step::Plus(number) => (Arithmetic::Plus, vec![value, lit(number)]),
            Step::PlusTo(number) => (Arithmetic::Plus, vec![lit(number), value]),
            Step::Minus(number) => (Arithmetic::Minus, vec![value, lit(number)]),
            Step::MinusFrom(number) => (Arithmetic::Minus, vec![lit(number), value]),
            Step::Times(number) => (Arithmetic::Times, vec![value, lit(number)]),
            Step::Negative => (Arithmetic::Negative, vec![value]),
        };
        value = arithmetic.of(operands, value_type.clone());
    }
    value
}

/// `time + INTERVAL`, or `time - INTERVAL` of an earlier one.
fn moved(time: Expr, nanoseconds: i64) -> Expr {
    let operator = match nanoseconds {
        0 => return time,
        later if later > 0 => Operator::Plus,
        _ => Operator::Minus,
    };
    binary_expr(time, operator, lit(interval(nanoseconds.abs())))
}

fn made_of(made: Made, time: Expr) -> Expr {
    match made {
        Made::Itself => time,
        Made::DateTrunc(unit) => datetime::date_trunc().call(vec![lit(unit), time]),
        Made::DateBin { width, origin } => {
            let origin = origin.map(|count| timestamp_literal(count, Precision::Nanosecond, false));
            let arguments = [lit(interval(width)), time].into_iter();
            date_bin().call(arguments.chain(origin.map(lit)).collect())
        }
        Made::Date => cast(time, DataType::Date32),
    }
}

fn own_literal(value: &Datum, term: &Term, columns: &[Column]) -> Expr {
    lit(literal(&own(value, &term.sql_type(columns))))
}

/// The CASE of a choice, of which `constant` writes the values.
pub(super) fn render_choice(
    choice: &Choice,
    column: Expr,
    constant: &dyn Fn(&Datum) -> Expr,
) -> Expr {
    let value = |value: &Option<Datum>| match value {
        Some(value) => constant(value),
        None => lit(ScalarValue::Null),
    };
    let when = |when: &Datum| {
        if choice.searched {
            binary_expr(column.clone(), Operator::Eq, constant(when))
        } else {
            constant(when)
        }
    };
    let branches = choice.branches.iter();
    let branches = branches.map(|(given, then)| (when(given), value(then)));
    let operand = (!choice.searched).then(|| column.clone());
    let otherwise = match &choice.otherwise {
        Otherwise::Column => Some(column.clone()),
        Otherwise::Constant(None) => None,
        Otherwise::Constant(other) => Some(value(other)),
    };
    case(operand, branches.collect(), otherwise)
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

    fn value(&self, term: &Term) -> Expr {
        match (&term.function, term.columns.as_slice()) {
            (
                Function::Computed {
                    steps,
                    checked: true,
                },
                [column],
            ) if !self.unmended => {
                let own = self.columns[*column].sql_type.arrow();
                checked_steps(column_expression(*column, self.columns), own, steps)
            }
            _ => render_term(term, self.columns),
        }
    }

    fn compare(&self, term: &Term, comparison: Comparison, constant: &Constant) -> Expr {
        binary_expr(
            self.value(term),
            operator(comparison),
            self.literal(constant),
        )
    }

    fn compare_reversed(&self, constant: &Constant, comparison: Comparison, term: &Term) -> Expr {
        binary_expr(
            self.literal(constant),
            operator(comparison),
            self.value(term),
        )
    }

    fn between(&self, term: &Term, low: &Constant, high: &Constant, negated: bool) -> Expr {
        Expr::Between(Between::new(
            Box::new(self.value(term)),
            negated,
            Box::new(self.literal(low)),
            Box::new(self.literal(high)),
        ))
    }

    fn in_list(&self, term: &Term, list: &[Constant], negated: bool) -> Expr {
        Expr::InList(InList::new(
            Box::new(self.value(term)),
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

/// SQL's function, which reaches as far as the types do.
fn date_bin() -> ScalarUDF {
    ScalarUDF::new_from_impl(DateBin::default())
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
