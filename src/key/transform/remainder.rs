//! The remainder of a whole number.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::divide::dividend_and_divisor;
use super::integers::map_integers;
use super::{
    Argument, BoundArgument, COMBINATIONS, Declaration, Expression, Form, Parameter, Transform,
};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::{Cut, Domain, Interval};
use crate::key::encoding::{self, Encoding};
use crate::key::row_error::RowError;

/// `c % n`
#[derive(Debug)]
pub struct Remainder;

impl Declaration for Remainder {
    fn name(&self) -> &'static str {
        "%"
    }

    fn form(&self) -> Form<'static> {
        Form::Operator("%")
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column, Parameter::Integer(1, i64::MAX)]
    }

    fn stores(&self) -> &'static str {
        "the remainder of a whole number divided by n, with the number's sign: −(n−1) … n−1"
    }

    fn pushdown(&self) -> &'static str {
        "= and IN on the column or on c % n: points; a range on the column: every remainder of a possible sign, side by side"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let (sql_type, divisor) = dividend_and_divisor("%", arguments)?;
        let encoding = encoding::of_type(sql_type)
            .ok_or_else(|| Error::internal("an integer without encoding"))?;
        Ok(Arc::new(Modulo {
            divisor: divisor.into(),
            sql_type: sql_type.clone(),
            encoding,
        }))
    }
}

#[derive(Debug)]
struct Modulo {
    divisor: i128,
    sql_type: SqlType,
    encoding: Box<dyn Encoding>,
}

impl Modulo {
    /// The remainders of a domain of numbers, and NULL if it is inside.
    fn remainders(&self, numbers: &Domain) -> Domain {
        let mut intervals = Vec::new();
        for interval in numbers.intervals() {
            let ends = numbers.ends_of(interval);
            let ends =
                ends.and_then(|(first, last)| Some((first.as_integer()?, last.as_integer()?)));
            let Some((first, last)) = ends else { continue };
            #[cfg(any(test, feature = "testing"))]
            if crate::fault::active(crate::fault::Fault::FloorRemainder) {
                let floored = first.rem_euclid(self.divisor);
                let pieces = remainders_from_zero(floored, floored + last - first, self.divisor);
                intervals.extend(
                    pieces
                        .into_iter()
                        .map(|(low, high)| self.interval(low, high)),
                );
                continue;
            }
            for (low, high) in remainders_from_zero(first.max(0), last, self.divisor) {
                intervals.push(self.interval(low, high));
            }
            // The negative numbers as their mirror image.
            for (low, high) in remainders_from_zero((-last).max(1), -first, self.divisor) {
                intervals.push(self.interval(-high, -low));
            }
        }
        Domain::from_intervals(&self.sql_type, intervals).with_null(numbers.has_null())
    }

    /// The values from `low` to `high`, as far as the type reaches.
    fn interval(&self, low: i128, high: i128) -> Interval {
        Interval {
            start: self
                .sql_type
                .datum_of_integer(low)
                .map_or(Cut::Start, Cut::Below),
            end: self
                .sql_type
                .datum_of_integer(high)
                .map_or(Cut::End, Cut::Above),
        }
    }

    /// The part's values whose remainder by a divisor of `n` lies in `domain`.
    fn with_remainder(&self, divisor: i128, domain: &Domain) -> Option<Domain> {
        if self.divisor > COMBINATIONS as i128 {
            return None;
        }
        let fits = |value: &i128| {
            let remainder = domain.sql_type().datum_of_integer(value % divisor);
            remainder.is_some_and(|remainder| domain.contains(Some(&remainder)))
        };
        let values = (1 - self.divisor..self.divisor).filter(fits);
        let values = values.filter_map(|value| self.sql_type.datum_of_integer(value));
        Some(Domain::points(&self.sql_type, values))
    }
}

/// The remainders of the numbers from `first` to `last`, none of which is negative: at most two intervals.
fn remainders_from_zero(first: i128, last: i128, divisor: i128) -> Vec<(i128, i128)> {
    if first > last {
        return Vec::new();
    }
    let (low, high) = (first % divisor, last % divisor);
    if last - first >= divisor - 1 {
        vec![(0, divisor - 1)]
    } else if low <= high {
        vec![(low, high)]
    } else {
        vec![(0, high), (low, divisor - 1)]
    }
}

impl Transform for Modulo {
    fn value_type(&self) -> &SqlType {
        &self.sql_type
    }

    fn encoding(&self) -> &dyn Encoding {
        self.encoding.as_ref()
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        match super::only(sources)? {
            None => Ok(None),
            Some(Datum::Integer(number)) => {
                let remainder = i128::from(*number) % self.divisor;
                let value = self.sql_type.datum_of_integer(remainder);
                value
                    .map(Some)
                    .ok_or_else(|| Error::internal("a remainder greater than its number"))
            }
            Some(other) => Err(Error::internal(format!("remainder of {other:?}"))),
        }
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        _rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let divisor =
            i64::try_from(self.divisor).map_err(|_| Error::internal("a divisor beyond 64 bits"))?;
        map_integers(super::only_column(sources)?, &self.sql_type, |_, number| {
            Ok(number.checked_rem(divisor))
        })
    }

    fn ignores_widening(&self) -> bool {
        true
    }

    fn project(&self, sources: &[&Domain]) -> Domain {
        match sources.first() {
            Some(numbers) => self.remainders(numbers),
            None => self.unrestricted(sources),
        }
    }

    /// `c % m` says something about `c % n` where one of the two divides the other, and all where `m` divides `n`.
    fn project_related(&self, expression: &Expression, domain: &Domain) -> Option<(Domain, bool)> {
        let ("%", [Argument::Column(_), Argument::Integer(divisor)]) = (
            expression.function.as_str(),
            expression.arguments.as_slice(),
        ) else {
            return None;
        };
        let divisor = i128::from(*divisor);
        if divisor < 1 {
            return None;
        }
        if self.divisor % divisor == 0 {
            let parts = self.with_remainder(divisor, domain)?;
            return Some((parts.with_null(domain.has_null()), true));
        }
        if divisor % self.divisor == 0 {
            let possible = Domain::from_intervals(
                domain.sql_type(),
                [self.interval(1 - divisor, divisor - 1)],
            );
            let within = domain.intersect(&possible.with_null(true));
            return Some((self.remainders(&within), false));
        }
        None
    }
}
