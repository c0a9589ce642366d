//! The day of a stamp, in UTC.

use std::sync::Arc;

use super::coarse::{Coarse, Coarsening};
use super::date_trunc::nanoseconds_of;
use super::{BoundArgument, Declaration, Form, Parameter, Transform};
use crate::datum::SqlType;
use crate::error::{Error, Result};

/// `CAST(c AS DATE)`
#[derive(Debug)]
pub struct CastDate;

impl Declaration for CastDate {
    fn name(&self) -> &'static str {
        "cast_date"
    }

    fn form(&self) -> Form<'static> {
        Form::Cast(SqlType::Date)
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column]
    }

    fn stores(&self) -> &'static str {
        "the day of a stamp, in UTC"
    }

    fn pushdown(&self) -> &'static str {
        "=, IN and ranges on the column or on CAST(c AS DATE): ranges"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let [BoundArgument::Column(column, sql_type)] = arguments else {
            return Err(Error::invalid(
                "CAST takes one column, as in CAST(c AS DATE)",
            ));
        };
        let tick = nanoseconds_of("CAST AS DATE", column, sql_type)?;
        let function = Days {
            ticks: 86_400 * 1_000_000_000 / tick,
        };
        Ok(Arc::new(Coarse::new(function, sql_type, &SqlType::Date)?))
    }
}

#[derive(Debug)]
struct Days {
    /// What the column counts in a day.
    ticks: i128,
}

impl Coarsening for Days {
    fn image(&self, source: i128) -> i128 {
        source.div_euclid(self.ticks)
    }

    fn image_of_64(&self, source: i64) -> Option<i64> {
        // A day beyond DATE is asked for again, and refused with its reason.
        let day = source.checked_div_euclid(i64::try_from(self.ticks).ok()?)?;
        i32::try_from(day).ok().map(i64::from)
    }

    fn first(&self, part: i128) -> i128 {
        part * self.ticks
    }
}
