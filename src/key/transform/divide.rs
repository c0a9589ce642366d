//! A whole number divided by a constant.

use std::sync::Arc;

use super::coarse::{Coarse, Coarsening, first_of_quotient};
use super::{BoundArgument, Declaration, Form, Parameter, Transform};
use crate::datum::SqlType;
use crate::error::{Error, Result};

/// `c / n`
#[derive(Debug)]
pub struct Divide;

impl Declaration for Divide {
    fn name(&self) -> &'static str {
        "/"
    }

    fn form(&self) -> Form<'static> {
        Form::Operator("/")
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column, Parameter::Integer(1, i64::MAX)]
    }

    fn stores(&self) -> &'static str {
        "a whole number divided by n, rounded towards zero"
    }

    fn pushdown(&self) -> &'static str {
        "=, IN and ranges on the column or on c / n: ranges"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let (sql_type, divisor) = dividend_and_divisor("/", arguments)?;
        Ok(Arc::new(Coarse::new(
            Quotient {
                divisor: divisor.into(),
            },
            sql_type,
            sql_type,
        )?))
    }
}

/// The column's type and the constant of `c / n` and `c % n`.
pub(super) fn dividend_and_divisor<'a>(
    operator: &str,
    arguments: &'a [BoundArgument],
) -> Result<(&'a SqlType, i64)> {
    match arguments {
        [
            BoundArgument::Column(name, sql_type),
            BoundArgument::Integer(_),
        ] if !sql_type.is_short_integer() => Err(Error::invalid(format!(
            "`{operator}` takes a column of whole numbers up to BIGINT; `{name}` is {sql_type}"
        ))),
        [BoundArgument::Column(..), BoundArgument::Integer(divisor)] if *divisor < 1 => {
            Err(Error::invalid(format!(
                "`{operator}` by {divisor}; a key part needs 1 or a greater number"
            )))
        }
        [
            BoundArgument::Column(_, sql_type),
            BoundArgument::Integer(divisor),
        ] => Ok((sql_type, *divisor)),
        _ => Err(Error::invalid(format!(
            "`{operator}` takes a column and a whole number, as in c {operator} 100"
        ))),
    }
}

#[derive(Debug)]
struct Quotient {
    divisor: i128,
}

impl Coarsening for Quotient {
    fn image(&self, source: i128) -> i128 {
        source / self.divisor
    }

    fn image_of_64(&self, source: i64) -> Option<i64> {
        source.checked_div(i64::try_from(self.divisor).ok()?)
    }

    fn first(&self, part: i128) -> i128 {
        first_of_quotient(part, self.divisor)
    }
}
