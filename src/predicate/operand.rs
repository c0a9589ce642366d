//! What a comparison is about: a column, or a transform of columns, with casts around it taken off.
//!
//! A cast is taken off only where comparing without it is the same by value: of numbers and times, where a constant is
//! seen through it (`super::fixed_point`), of others where it keeps every value.

use arrow::datatypes::DataType;
use chrono::NaiveDate;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, Operator, expr::ScalarFunction};

use super::change::{Change, change_of};
use super::constant;
use super::fixed_point::View;
use super::literal::constant_of;
use super::moved::{Moved, moved};
use super::part;
use crate::datum::{Datum, SqlType};
use crate::key::{Argument, Cut, Domain, Expression, Interval, KeyColumn};

/// One side of a comparison.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    expression: Expression,
    sql_type: SqlType,
    compared: Compared,
    /// By how many of its units the column is later before the expression is computed.
    later: i128,
    /// Whether what is compared cannot be computed of some values: rows must show that.
    may_fail: bool,
}

/// How the compared value follows from the expression's value.
#[derive(Debug, Clone)]
enum Compared {
    /// It is that value, of a type whose values are not evenly spaced.
    Value,
    /// It is what casts show of that value, a number or time.
    Shown(View),
    /// It is what casts show of the year of a date or timestamp; NULL where the calendar has none.
    Year(View),
}

impl Operand {
    fn plain(expression: Expression, sql_type: SqlType) -> Self {
        let view = View::of(&sql_type.arrow());
        Self {
            expression,
            sql_type,
            compared: view.map_or(Compared::Value, Compared::Shown),
            later: 0,
            may_fail: false,
        }
    }

    /// A key part of a column without a zone that is moved; `None` where it is moved by fractions of its unit.
    fn of_moved(moved: &Moved, columns: &[KeyColumn]) -> Option<Self> {
        let (part, sql_type) = part::part(&moved.part, columns)?;
        let (_, sources) = part.bind(columns).ok()?;
        let [source] = sources.as_slice() else {
            return None;
        };
        let SqlType::Timestamp {
            precision,
            utc: false,
        } = columns.get(*source)?.sql_type
        else {
            return None;
        };
        let tick = i128::from(precision.nanoseconds());
        let is_fraction = |argument: &Argument| match argument {
            Argument::Interval(stride) => moved.shown_later != 0 && stride % tick != 0,
            _ => false,
        };
        if moved.later % tick != 0 || part.arguments.iter().any(is_fraction) {
            return None;
        }
        let operand = Self {
            later: moved.later / tick,
            may_fail: moved.later != 0,
            ..Self::plain(part, sql_type)
        };
        match moved.shown_later {
            0 => Some(operand),
            origin => operand.with_view(|view| view.later(origin)),
        }
    }

    /// Whether the expression is computed of another value than the column's.
    pub(super) fn is_moved(&self) -> bool {
        self.later != 0
    }

    /// The values of the column that are in a domain when they are moved.
    pub(super) fn before_move(&self, domain: Domain) -> Domain {
        if !self.is_moved() {
            return domain;
        }
        let sql_type = domain.sql_type();
        let later = self.later;
        #[cfg(any(test, feature = "testing"))]
        let later = if crate::fault::active(crate::fault::Fault::MovedTheWrongWay) {
            -later
        } else {
            later
        };
        let back = |cut: &Cut| {
            let place = match cut {
                Cut::Below(value) => value.as_integer(),
                Cut::Above(value) => value.as_integer().map(|value| value + 1),
                Cut::Start | Cut::End => None,
            };
            place.map_or_else(
                || cut.clone(),
                |place| before_count(place - later, sql_type),
            )
        };
        let intervals = domain.intervals().iter().map(|interval| Interval {
            start: back(&interval.start),
            end: back(&interval.end),
        });
        Domain::from_intervals(sql_type, intervals).with_null(domain.has_null())
    }

    /// The values of the column that are moved to where the expression, which is defined for these, has no value. A query
    /// moves without an end, and may have one: of bins that begin at an origin, say.
    pub(super) fn moved_beyond(&self, defined: &Domain) -> Domain {
        let sql_type = defined.sql_type();
        let ends = |interval: Option<&Interval>| {
            let (first, last) = defined.ends_of(interval?)?;
            Some((first.as_integer()?, last.as_integer()?))
        };
        let intervals = defined.intervals();
        let (Some((first, _)), Some((_, last))) = (ends(intervals.first()), ends(intervals.last()))
        else {
            return Domain::not_null(sql_type);
        };
        let before = Interval {
            start: Cut::Start,
            end: before_count(first - self.later, sql_type),
        };
        let behind = Interval {
            start: before_count(last + 1 - self.later, sql_type),
            end: Cut::End,
        };
        Domain::from_intervals(sql_type, [before, behind])
    }

    /// Whether to compute what is compared fails for some values, as for integers that would be out of range.
    pub(super) fn may_fail(&self) -> bool {
        self.may_fail
    }

    /// The operand that shows its number or time in another way, which may fail where that goes out of range.
    pub(super) fn with_view(self, show: impl Fn(&View) -> Option<View>) -> Option<Self> {
        let (view, compared) = match &self.compared {
            Compared::Value => return None,
            Compared::Shown(view) => {
                let view = show(view)?;
                (view.clone(), Compared::Shown(view))
            }
            Compared::Year(view) => {
                let view = show(view)?;
                (view.clone(), Compared::Year(view))
            }
        };
        Some(Self {
            compared,
            may_fail: self.may_fail || !view.never_overflows(),
            ..self
        })
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
        self.sql_type == SqlType::Boolean
    }

    /// The expression's values for which `operand operator constant` is TRUE; `None` where that is not known.
    pub(super) fn compare(&self, operator: Operator, constant: &ScalarValue) -> Option<Domain> {
        let sql_type = &self.sql_type;
        // What cannot be moved may come out as NULL.
        let is_coarser = self.expression.as_column().is_none();
        if self.may_fail && is_coarser && operator == Operator::IsDistinctFrom {
            return None;
        }
        let operator = match &self.compared {
            Compared::Shown(view) | Compared::Year(view) if is_turned(view) => operator.swap()?,
            _ => operator,
        };
        match &self.compared {
            Compared::Value => constant::compare(operator, constant, sql_type),
            Compared::Shown(view) => constant::compare_shown(view, operator, constant, sql_type),
            Compared::Year(view) => {
                let year = SqlType::Integer;
                self.in_years(&constant::compare_shown(view, operator, constant, &year)?)
            }
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
        match self.compared {
            Compared::Year(_) => self.calendar().map(|calendar| calendar.complement()),
            Compared::Value | Compared::Shown(_) => Some(Domain::only_null(&self.sql_type)),
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
        Some(before_count(self.count_of(new_year)?, &self.sql_type))
    }
}

/// Whether comparisons of what is shown are those of the value, the other way round.
fn is_turned(view: &View) -> bool {
    #[cfg(any(test, feature = "testing"))]
    if crate::fault::active(crate::fault::Fault::OppositeUnturned) {
        return false;
    }
    view.is_falling()
}

/// The cut before the value of a discrete type that counts so much; at an end of the type where none does.
fn before_count(count: i128, sql_type: &SqlType) -> Cut {
    let least = sql_type.limits().and_then(|(least, _)| least.as_integer());
    match sql_type.datum_of_integer(count) {
        Some(datum) => Cut::Below(datum),
        None if least.is_some_and(|least| count < least) => Cut::Start,
        None => Cut::End,
    }
}

/// Finds what `expression` compares; `None`: nothing that keys could know of.
pub(super) fn operand(expression: &Expr, columns: &[KeyColumn]) -> Option<Operand> {
    if let Some((part, sql_type)) = part::part(expression, columns) {
        return Some(Operand::plain(part, sql_type));
    }
    if let Some(moved) = moved(expression)
        && let Some(operand) = Operand::of_moved(&moved, columns)
    {
        return Some(operand);
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
        Expr::ScalarFunction(function) if function.name() == "date_part" => year(function, columns),
        computed => {
            let (inner, change) = change_of(computed)?;
            let changed = operand(inner, columns)?.with_view(|view| change.show(view))?;
            // Out of range an operator of DataFusion gives some other integer, and only a time that is moved an error.
            let is_checked = !matches!(computed, Expr::BinaryExpr(_) | Expr::Negative(_));
            #[cfg(any(test, feature = "testing"))]
            let is_checked = is_checked || crate::fault::active(crate::fault::Fault::WrapForgotten);
            let is_moved = matches!(change, Change::Later(_));
            (is_checked || is_moved || !changed.may_fail).then_some(changed)
        }
    }
}

fn cast_operand(inner: Operand, target: &DataType) -> Option<Operand> {
    let compared = match &inner.compared {
        Compared::Value => keeps_values(&inner.sql_type, target).then_some(Compared::Value)?,
        Compared::Year(view) => Compared::Year(view.through(target)?),
        Compared::Shown(view) => {
            // Arrow's cast misses the nearest DOUBLE of a DECIMAL, by which it would be compared.
            let is_missed = matches!(inner.sql_type, SqlType::Decimal { .. });
            if is_missed && *target == DataType::Float64 {
                return None;
            }
            Compared::Shown(view.through(target)?)
        }
    };
    Some(Operand { compared, ..inner })
}

/// Whether a cast to `target` keeps every value, and the order, of a type whose values are not evenly spaced.
fn keeps_values(sql_type: &SqlType, target: &DataType) -> bool {
    match sql_type {
        SqlType::Boolean => *target == DataType::Boolean,
        SqlType::Real => matches!(target, DataType::Float32 | DataType::Float64),
        SqlType::Double => *target == DataType::Float64,
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Uuid => {
            target.is_string()
        }
        SqlType::Bytea => matches!(
            target,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView
        ),
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
    let is_year = dated && constant::text(&part)?.eq_ignore_ascii_case("year");
    let years = View::of(&DataType::Int32)?;
    is_year.then(|| Operand {
        expression: Expression::column(&source.column.name),
        sql_type,
        compared: Compared::Year(years),
        later: 0,
        may_fail: false,
    })
}

/// A point of a text type, for callers that build domains of texts.
pub(super) fn text_point(sql_type: &SqlType, text: String) -> Domain {
    Domain::points(sql_type, [Datum::Text(text)])
}
