//! The decimal digits of a number read backwards.

use std::sync::Arc;

use super::{
    Argument, BoundArgument, COMBINATIONS, Computed, Declaration, Expression, Parameter, Transform,
    project_listed,
};
use crate::datum::{Datum, Readable, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::{Cut, Domain, Interval, text_successor};
use crate::key::encoding::{Digits, Encoding};

/// `reverse_digits(c)`
#[derive(Debug)]
pub struct ReverseDigits;

impl Declaration for ReverseDigits {
    fn name(&self) -> &'static str {
        "reverse_digits"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column]
    }

    fn computed(&self) -> Computed {
        Computed::ByHalite(SqlType::Text)
    }

    fn stores(&self) -> &'static str {
        "the decimal digits of a whole number that is not negative, zero-padded to the type's width, last one first"
    }

    fn pushdown(&self) -> &'static str {
        "= and IN: points; c % 10000 = 1234: a range"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let [BoundArgument::Column(name, sql_type)] = arguments else {
            return Err(Error::invalid(
                "reverse_digits takes one column, as in reverse_digits(c)",
            ));
        };
        let limits = sql_type.limits().filter(|_| sql_type.is_short_integer());
        let Some((_, Datum::Integer(greatest))) = limits else {
            return Err(Error::invalid(format!(
                "reverse_digits takes a column of whole numbers up to BIGINT; `{name}` is {sql_type}"
            )));
        };
        Ok(Arc::new(Reversed {
            source_type: sql_type.clone(),
            digits: Digits::new(greatest),
        }))
    }
}

#[derive(Debug)]
struct Reversed {
    source_type: SqlType,
    digits: Digits,
}

impl Reversed {
    /// The values whose number leaves `remainder` when divided by 10 to the power `places`.
    fn ending_in(&self, remainder: i64, places: usize) -> Option<Interval> {
        let prefix: String = match places {
            0 => String::new(),
            _ => format!("{remainder:0places$}").chars().rev().collect(),
        };
        Some(Interval {
            end: match places {
                0 => Cut::End,
                _ => Cut::Below(Datum::Text(text_successor(&prefix)?)),
            },
            start: Cut::Below(Datum::Text(prefix)),
        })
    }
}

impl Transform for Reversed {
    fn value_type(&self) -> &SqlType {
        &SqlType::Text
    }

    fn encoding(&self) -> &dyn Encoding {
        &self.digits
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        match super::only(sources)? {
            None => Ok(None),
            Some(Datum::Integer(number)) => match self.digits.write(*number) {
                Some(text) => Ok(Some(Datum::Text(text))),
                None => Err(Error::invalid(format!(
                    "reverse_digits of {number}; it takes 0 and greater numbers"
                ))),
            },
            Some(other) => Err(Error::internal(format!(
                "reverse_digits of {}",
                Readable(other, &self.source_type)
            ))),
        }
    }

    /// Negative numbers have no image.
    fn project(&self, sources: &[&Domain]) -> Domain {
        let Some(source) = sources.first() else {
            return self.unrestricted(sources);
        };
        let zero = Cut::Below(Datum::Integer(0));
        let natural = Domain::between(&self.source_type, zero, Cut::End).with_null(true);
        let possible = source.intersect(&natural);
        if possible.intervals().is_empty() {
            return Domain::empty(&SqlType::Text).with_null(possible.has_null());
        }
        project_listed(self, &[&possible]).unwrap_or_else(|| self.unrestricted(sources))
    }

    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        let values = parts.list(usize::MAX)?;
        let numbers = values
            .iter()
            .flatten()
            .filter_map(|value| self.inverse(value));
        Some(Domain::points(&self.source_type, numbers).with_null(parts.has_null()))
    }

    /// `c % 10ᵏ` says how the digits begin.
    fn project_related(&self, expression: &Expression, domain: &Domain) -> Option<(Domain, bool)> {
        let ("%", [Argument::Column(_), Argument::Integer(divisor)]) = (
            expression.function.as_str(),
            expression.arguments.as_slice(),
        ) else {
            return None;
        };
        let places = usize::try_from(divisor.checked_ilog10()?).ok()?;
        if 10_i64.checked_pow(divisor.ilog10()) != Some(*divisor) || places > self.digits.digits() {
            return None;
        }
        let possible = Domain::between(
            domain.sql_type(),
            Cut::Below(Datum::Integer(0)),
            Cut::Below(Datum::Integer(*divisor)),
        );
        let mut intervals = Vec::new();
        for remainder in domain
            .intersect(&possible)
            .enumerate(COMBINATIONS)?
            .into_iter()
            .flatten()
        {
            let remainder = i64::try_from(remainder.as_integer()?).ok()?;
            intervals.push(self.ending_in(remainder, places)?);
        }
        let values = Domain::from_intervals(&SqlType::Text, intervals);
        Some((values.with_null(domain.has_null()), true))
    }

    fn inverse(&self, value: &Datum) -> Option<Datum> {
        self.digits.read(value.as_text()?).map(Datum::Integer)
    }

    fn is_invertible(&self) -> bool {
        true
    }
}
