//! What a comparison is about: a column, or a transform of columns, with casts around it taken off.
//!
//! A cast is taken off only where it keeps every value, so that comparing without it is the same by value. The cast
//! from BIGINT to DOUBLE rounds; it is remembered, and its comparisons are inverted exactly.

use arrow::datatypes::DataType;
use chrono::NaiveDate;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, Operator, expr::ScalarFunction};

use super::constant::{self, Place};
use super::literal::constant_of;
use super::part;
use crate::datum::{Datum, Precision, SqlType};
use crate::key::{Cut, Domain, Expression, Interval, KeyColumn};

/// One side of a comparison.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    expression: Expression,
    sql_type: SqlType,
    view: View,
}

/// How the compared value follows from the expression's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// It is that value.
    Same,
    /// BIGINT rounded to DOUBLE.
    Rounded,
    /// The same instant, shown in another zone or without one. It compares as the value does, but a further cast
    /// (to a date, say) would begin from what the zone's clock shows.
    Zoned,
    /// The year of a date or timestamp; NULL where the calendar has none.
    Year,
}

impl Operand {
    fn plain(expression: Expression, sql_type: SqlType) -> Self {
        Self {
            expression,
            sql_type,
            view: View::Same,
        }
    }

    /// The expression with nothing but itself compared.
    pub(super) fn expression(&self) -> &Expression {
        &self.expression
    }

    /// The type of the expression's value.
    pub(super) fn sql_type(&self) -> &SqlType {
        &self.sql_type
    }

    /// Whether the operand is a BOOLEAN, which is a condition by itself.
    pub(super) fn is_condition(&self) -> bool {
        self.sql_type == SqlType::Boolean && self.view == View::Same
    }

    /// The expression's values for which `operand operator constant` is TRUE; `None` where that is not known.
    pub(super) fn compare(&self, operator: Operator, constant: &ScalarValue) -> Option<Domain> {
        match self.view {
            View::Same | View::Zoned => {
                constant::place(constant, &self.sql_type)?.compare(operator, &self.sql_type)
            }
            View::Rounded => self
                .place_rounded(constant)?
                .compare(operator, &self.sql_type),
            View::Year => {
                let years = constant::place(constant, &SqlType::Integer)?
                    .compare(operator, &SqlType::Integer)?;
                self.in_years(&years)
            }
        }
    }

    fn place_rounded(&self, constant: &ScalarValue) -> Option<Place> {
        match constant {
            ScalarValue::Float64(Some(value)) => constant::place_through_double(*value),
            _ => None,
        }
    }

    /// The dates or stamps in these years.
    fn in_years(&self, years: &Domain) -> Option<Domain> {
        let mut intervals = Vec::with_capacity(years.intervals().len());
        for interval in years.intervals() {
            intervals.push(Interval {
                start: self.new_year(&interval.start)?,
                end: self.new_year(&interval.end)?,
            });
        }
        let calendar = self.calendar()?;
        let within = Domain::from_intervals(&self.sql_type, intervals).intersect(&calendar);
        Some(if years.has_null() {
            within.union(&calendar.complement())
        } else {
            within
        })
    }

    /// The expression's values for which the operand is NULL.
    pub(super) fn null_domain(&self) -> Option<Domain> {
        match self.view {
            View::Year => self.calendar().map(|calendar| calendar.complement()),
            View::Same | View::Rounded | View::Zoned => Some(Domain::only_null(&self.sql_type)),
        }
    }

    /// The dates or stamps that the calendar reaches; of others, DataFusion's year is NULL.
    fn calendar(&self) -> Option<Domain> {
        let first = self.count_of(NaiveDate::MIN)?;
        let end = self.count_of(NaiveDate::MAX)? + self.units_per_day()?;
        let cut = |count| match self.sql_type.datum_of_integer(count) {
            Some(datum) => Cut::Below(datum),
            None if count < 0 => Cut::Start,
            None => Cut::End,
        };
        Some(Domain::between(&self.sql_type, cut(first), cut(end)))
    }

    /// Midnight of a date in the unit of the expression's type.
    fn count_of(&self, date: NaiveDate) -> Option<i128> {
        let days = date.signed_duration_since(NaiveDate::default()).num_days();
        Some(i128::from(days) * self.units_per_day()?)
    }

    fn units_per_day(&self) -> Option<i128> {
        match &self.sql_type {
            SqlType::Date => Some(1),
            SqlType::Timestamp { precision, .. } => {
                Some(86_400 * (1_000_000_000 / i128::from(precision.nanoseconds())))
            }
            _ => None,
        }
    }

    /// The cut at the beginning of the year that a cut between years stands before.
    fn new_year(&self, cut: &Cut) -> Option<Cut> {
        let Cut::Below(year) = cut else {
            return Some(cut.clone());
        };
        let year = i32::try_from(year.as_integer()?).ok()?;
        let Some(new_year) = NaiveDate::from_ymd_opt(year, 1, 1) else {
            return Some(if year < 0 { Cut::Start } else { Cut::End });
        };
        let count = self.count_of(new_year)?;
        let (least, _) = self.sql_type.limits()?;
        Some(match self.sql_type.datum_of_integer(count) {
            Some(datum) => Cut::Below(datum),
            None if count < least.as_integer()? => Cut::Start,
            None => Cut::End,
        })
    }
}

/// Finds what `expression` compares; `None`: nothing that keys could know of.
pub(super) fn operand(expression: &Expr, columns: &[KeyColumn]) -> Option<Operand> {
    if let Some((part, sql_type)) = part::part(expression, columns) {
        return Some(Operand::plain(part, sql_type));
    }
    match expression {
        Expr::Alias(alias) => operand(&alias.expr, columns),
        Expr::Column(column) => {
            let column = columns.iter().find(|known| known.name == column.name)?;
            if !column.sql_type.can_be_key() {
                return None;
            }
            Some(Operand::plain(
                Expression::column(&column.name),
                column.sql_type.clone(),
            ))
        }
        Expr::Cast(cast) => cast_operand(operand(&cast.expr, columns)?, cast.field.data_type()),
        Expr::ScalarFunction(function) => year(function, columns),
        _ => None,
    }
}

fn cast_operand(inner: Operand, target: &DataType) -> Option<Operand> {
    match inner.view {
        View::Year => return keeps_values(&SqlType::Integer, target).then_some(inner),
        View::Zoned => return None,
        View::Same | View::Rounded => {}
    }
    if keeps_values(&inner.sql_type, target) {
        return Some(inner);
    }
    let view = if keeps_instant(&inner.sql_type, target) {
        View::Zoned
    } else if inner.sql_type == SqlType::BigInt && *target == DataType::Float64 {
        View::Rounded
    } else {
        return None;
    };
    Some(Operand { view, ..inner })
}

/// Whether a cast to `target` keeps every value of `sql_type` that it does not refuse, and the order of values.
fn keeps_values(sql_type: &SqlType, target: &DataType) -> bool {
    match sql_type {
        SqlType::Boolean => *target == DataType::Boolean,
        SqlType::SmallInt | SqlType::Integer | SqlType::BigInt => match target {
            DataType::Int64 => true,
            DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale) => *scale >= 0,
            DataType::Int32 => *sql_type != SqlType::BigInt,
            DataType::Int16 => *sql_type == SqlType::SmallInt,
            DataType::Float64 => *sql_type != SqlType::BigInt,
            DataType::Float32 => *sql_type == SqlType::SmallInt,
            _ => false,
        },
        SqlType::Decimal { scale, .. } => match target {
            DataType::Decimal128(_, finer) | DataType::Decimal256(_, finer) => finer >= scale,
            _ => false,
        },
        SqlType::Real => matches!(target, DataType::Float32 | DataType::Float64),
        SqlType::Double => *target == DataType::Float64,
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) => {
            matches!(
                target,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            )
        }
        SqlType::Bytea => matches!(
            target,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView
        ),
        SqlType::Date => match target {
            DataType::Date32 | DataType::Date64 => true,
            DataType::Timestamp(_, zone) => zone.as_deref().is_none_or(constant::is_utc),
            _ => false,
        },
        SqlType::Timestamp { precision, utc } => match target {
            DataType::Timestamp(unit, zone) => {
                zone.as_deref().is_some_and(constant::is_utc) == *utc
                    && (*utc || zone.is_none())
                    && *precision <= Precision::from(*unit)
            }
            _ => false,
        },
    }
}

/// Whether a cast of a timestamp to `target` keeps the instant but not the clock: to another zone, or to none.
fn keeps_instant(sql_type: &SqlType, target: &DataType) -> bool {
    match (sql_type, target) {
        (SqlType::Timestamp { precision, utc }, DataType::Timestamp(unit, zone)) => {
            let readable = *utc || zone.as_deref().is_none_or(constant::is_utc);
            readable && *precision <= Precision::from(*unit)
        }
        _ => false,
    }
}

/// `date_part('year', c)` of a date or timestamp column.
fn year(function: &ScalarFunction, columns: &[KeyColumn]) -> Option<Operand> {
    let ("date_part", [part, tested]) = (function.name(), function.args.as_slice()) else {
        return None;
    };
    let source = part::source(tested, columns).filter(|source| !source.is_widened)?;
    let sql_type = source.column.sql_type.clone();
    let dated = matches!(sql_type, SqlType::Date | SqlType::Timestamp { .. });
    let part = constant_of(part)?;
    (dated && constant::text(&part)?.eq_ignore_ascii_case("year")).then(|| Operand {
        expression: Expression::column(&source.column.name),
        sql_type,
        view: View::Year,
    })
}

/// A point of a text type, for callers that build domains of texts.
pub(super) fn text_point(sql_type: &SqlType, text: String) -> Domain {
    Domain::points(sql_type, [Datum::Text(text)])
}
