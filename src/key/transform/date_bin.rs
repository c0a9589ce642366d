//! A stamp rounded down to a multiple of an interval since 1970.

use std::sync::Arc;

use super::coarse::{Coarse, Coarsening, ceiling, first_of_quotient, floor};
use super::date_trunc::nanoseconds_of;
use super::{BoundArgument, Declaration, Parameter, Transform};
use crate::error::{Error, Result};

/// `date_bin(interval, c)`
#[derive(Debug)]
pub struct DateBin;

impl Declaration for DateBin {
    fn name(&self) -> &'static str {
        "date_bin"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Interval, Parameter::Column]
    }

    fn stores(&self) -> &'static str {
        "a stamp rounded down to a multiple of the interval since 1970-01-01 00:00:00 UTC"
    }

    fn pushdown(&self) -> &'static str {
        "=, IN and ranges on the column or on date_bin(interval, c): ranges"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let [
            BoundArgument::Interval(stride),
            BoundArgument::Column(column, sql_type),
        ] = arguments
        else {
            return Err(Error::invalid(
                "date_bin takes an interval of fixed length and a column, as in date_bin(INTERVAL '15 minutes', c)",
            ));
        };
        if !(1..=i128::from(i64::MAX)).contains(stride) {
            return Err(Error::invalid(format!(
                "date_bin by {stride} nanoseconds; a key part needs a positive interval of less than 293 years"
            )));
        }
        let tick = nanoseconds_of("date_bin", column, sql_type)?;
        let function = Bins {
            stride: *stride,
            tick,
        };
        Ok(Arc::new(Coarse::new(function, sql_type, sql_type)?))
    }
}

/// Computed in nanoseconds, as SQL's function is, and cut to the column's unit.
#[derive(Debug)]
struct Bins {
    stride: i128,
    /// Nanoseconds that one source counts.
    tick: i128,
}

impl Coarsening for Bins {
    fn image(&self, source: i128) -> i128 {
        floor(source * self.tick, self.stride) / self.tick
    }

    fn image_of_64(&self, source: i64) -> Option<i64> {
        let (stride, tick) = (
            i64::try_from(self.stride).ok()?,
            i64::try_from(self.tick).ok()?,
        );
        let stamp = source.checked_mul(tick)?;
        stamp
            .checked_sub(stamp.checked_rem_euclid(stride)?)?
            .checked_div(tick)
    }

    fn first(&self, part: i128) -> i128 {
        let bin = ceiling(first_of_quotient(part, self.tick), self.stride);
        bin.div_euclid(self.tick) + i128::from(bin.rem_euclid(self.tick) > 0)
    }

    fn ends_at_units(&self) -> bool {
        self.stride % self.tick == 0
    }

    /// Before the first bin that begins within the type there is a part of one.
    fn defined(&self) -> Option<(i128, i128)> {
        Some((self.first(i64::MIN.into()), i64::MAX.into()))
    }
}
