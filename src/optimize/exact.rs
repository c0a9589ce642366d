//! Constants by value: what a constant expression is worth, without rounding to any type.
//!
//! DataFusion folds `TIMESTAMP '3001-01-01'` into nanoseconds since 1970, which end in 2262, and casts a constant to
//! the column's type, which rounds it. Here a time is a count of nanoseconds in 128 bits and a number an integer of
//! 256 bits with a power of ten, both wide enough for whatever SQL can write. A cast that only widens leaves a value
//! as it is, even where the wider type could not hold it; a cast that rounds is done as Arrow does it.

use std::sync::Arc;

use arrow::array::timezone::Tz;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::datatypes::{DataType, TimeUnit, i256};
use chrono::{DateTime, NaiveDateTime, Offset, TimeZone, Utc};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Cast, Expr};
use datafusion::optimizer::OptimizerConfig;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;

use super::domain::nanos_of;
use super::zones;
use crate::datum::Clocks;

/// A constant's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Exact {
    /// NULL of any type.
    Null,
    /// `unscaled × 10^-scale`.
    Number {
        /// The digits.
        unscaled: i256,
        /// How many of them are behind the point; may be negative.
        scale: i32,
    },
    /// Nanoseconds since 1970; an instant when `zoned`, wall-clock time otherwise.
    Time {
        /// Since 1970-01-01 00:00:00, of UTC when `zoned`.
        nanos: i128,
        /// Whether the time is an instant.
        zoned: bool,
    },
    /// A DOUBLE.
    Double(f64),
    /// A REAL.
    Single(f32),
}

/// Evaluates constant expressions with DataFusion's own evaluator, at the time of the statement.
pub(super) struct Folder {
    simplifier: ExprSimplifier,
}

impl Folder {
    /// A folder for one statement, in its time zone and at its `now()`.
    pub fn new(config: &dyn OptimizerConfig) -> Self {
        let context = SimplifyContext::builder()
            .with_schema(Arc::new(DFSchema::empty()))
            .with_config_options(config.options())
            .with_query_execution_start_time(config.query_execution_start_time())
            .build();
        Self {
            simplifier: ExprSimplifier::new(context),
        }
    }

    /// The value of a constant expression, as DataFusion computes it; `None` where it raises an error.
    pub fn fold(&self, expr: &Expr) -> Option<ScalarValue> {
        if let Expr::Literal(value, _) = expr {
            return Some(value.clone());
        }
        match self.simplifier.simplify(expr.clone()).ok()? {
            Expr::Literal(value, _) => Some(value),
            _ => None,
        }
    }

    /// The exact value of a constant expression; `None` when it is no number and no time.
    pub fn exact(&self, expr: &Expr) -> Option<Exact> {
        match expr {
            Expr::Literal(value, _) => Exact::of(value),
            Expr::Cast(Cast {
                expr: source,
                field,
            }) => self
                .exact_cast(source, field.data_type())
                .or_else(|| Exact::of(&self.fold(expr)?)),
            _ => match zones::reading(expr) {
                Some((source, target)) => self
                    .exact_cast(source, target)
                    .or_else(|| Exact::of(&self.fold(expr)?)),
                None => Exact::of(&self.fold(expr)?),
            },
        }
    }

    /// The value of the casts that DataFusion cannot do, or not without rounding.
    fn exact_cast(&self, source: &Expr, target: &DataType) -> Option<Exact> {
        match target {
            DataType::Timestamp(unit, zone) => {
                let zone = zone.as_deref();
                if let Expr::Literal(text, _) = source
                    && let Some(text) = text.try_as_str()
                {
                    // Coarser units hold every time that a text can say: Arrow does them.
                    let whole = *unit == TimeUnit::Nanosecond;
                    return if whole { parse_time(text?, zone) } else { None };
                }
                cast_time(self.exact(source)?, *unit, zone)
            }
            DataType::Decimal32(_, to)
            | DataType::Decimal64(_, to)
            | DataType::Decimal128(_, to)
            | DataType::Decimal256(_, to) => match self.exact(source)? {
                number @ Exact::Number { scale, .. } if scale <= i32::from(*to) => Some(number),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Exact {
    /// The value of a scalar; `None` when it is no number and no time.
    pub fn of(value: &ScalarValue) -> Option<Self> {
        use ScalarValue as S;
        if value.is_null() {
            return Some(Self::Null);
        }
        let time = |n: i64, unit: TimeUnit, zone: &Option<Arc<str>>| Self::Time {
            nanos: i128::from(n) * nanos_of(unit),
            zoned: zone.is_some(),
        };
        Some(match value {
            S::Int8(Some(n)) => Self::integer(*n),
            S::Int16(Some(n)) => Self::integer(*n),
            S::Int32(Some(n)) => Self::integer(*n),
            S::Int64(Some(n)) => Self::integer(*n),
            S::UInt8(Some(n)) => Self::integer(*n),
            S::UInt16(Some(n)) => Self::integer(*n),
            S::UInt32(Some(n)) => Self::integer(*n),
            S::UInt64(Some(n)) => Self::integer(*n),
            S::Decimal32(Some(n), _, scale) => Self::decimal(i256::from(*n), *scale),
            S::Decimal64(Some(n), _, scale) => Self::decimal(i256::from(*n), *scale),
            S::Decimal128(Some(n), _, scale) => Self::decimal(i256::from_i128(*n), *scale),
            S::Decimal256(Some(n), _, scale) => Self::decimal(*n, *scale),
            S::Float32(Some(x)) => Self::Single(*x),
            S::Float64(Some(x)) => Self::Double(*x),
            S::Date32(Some(days)) => time(i64::from(*days) * 86_400, TimeUnit::Second, &None),
            S::Date64(Some(n)) => time(*n, TimeUnit::Millisecond, &None),
            S::TimestampSecond(Some(n), zone) => time(*n, TimeUnit::Second, zone),
            S::TimestampMillisecond(Some(n), zone) => time(*n, TimeUnit::Millisecond, zone),
            S::TimestampMicrosecond(Some(n), zone) => time(*n, TimeUnit::Microsecond, zone),
            S::TimestampNanosecond(Some(n), zone) => time(*n, TimeUnit::Nanosecond, zone),
            _ => return None,
        })
    }

    fn integer(n: impl Into<i128>) -> Self {
        Self::Number {
            unscaled: i256::from_i128(n.into()),
            scale: 0,
        }
    }

    fn decimal(unscaled: i256, scale: i8) -> Self {
        Self::Number {
            unscaled,
            scale: scale.into(),
        }
    }
}

/// `floor(n × 10^power)` and whether that is exact; beyond 256 bits the nearest bound, which is past every domain.
pub(super) fn floor_of_power(n: i256, power: i32) -> (i256, bool) {
    let zero = i256::from(0);
    let ten = i256::from(10).checked_pow(power.unsigned_abs());
    if n == zero || power == 0 {
        return (n, true);
    }
    let beyond = if n.is_negative() {
        i256::MIN
    } else {
        i256::MAX
    };
    match ten {
        Some(ten) if power > 0 => (n.checked_mul(ten).unwrap_or(beyond), true),
        None if power > 0 => (beyond, true),
        Some(ten) => {
            let quotient = n.wrapping_div(ten);
            let exact = n.wrapping_rem(ten) == zero;
            let down = i256::from(i64::from(!exact && n.is_negative()));
            (quotient.wrapping_sub(down), exact)
        }
        None => (i256::from(-i64::from(n.is_negative())), false),
    }
}

/// A time as text, read as Arrow reads it, whatever its year.
fn parse_time(text: &str, zone: Option<&str>) -> Option<Exact> {
    let utc = match zone {
        Some(zone) => Clocks::of(zone)?.read(text).ok()?,
        None => string_to_datetime(&Utc, text).ok()?.naive_utc(),
    };
    Some(Exact::Time {
        nanos: nanos_since_epoch(utc),
        zoned: zone.is_some(),
    })
}

/// A time as a timestamp of `unit` in `zone`: cut to the unit, wall-clock time read in the zone.
fn cast_time(time: Exact, unit: TimeUnit, zone: Option<&str>) -> Option<Exact> {
    let Exact::Time { nanos, zoned } = time else {
        return None;
    };
    let step = nanos_of(unit);
    let cut = nanos / step * step;
    let nanos = match zone {
        Some(zone) if !zoned => instant_in(cut, zone)?,
        _ => cut,
    };
    Some(Exact::Time {
        nanos,
        zoned: zone.is_some(),
    })
}

/// The instant at which clocks in `zone` show a time.
fn instant_in(wall_clock: i128, zone: &str) -> Option<i128> {
    let seconds = i64::try_from(wall_clock.div_euclid(1_000_000_000)).ok()?;
    let local = DateTime::from_timestamp(seconds, 0)?.naive_utc();
    let ahead = Clocks::of(zone)?.ahead_when(&local, None);
    Some(wall_clock - i128::from(ahead.local_minus_utc()) * 1_000_000_000)
}

fn nanos_since_epoch(time: NaiveDateTime) -> i128 {
    let time = time.and_utc();
    i128::from(time.timestamp()) * 1_000_000_000 + i128::from(time.timestamp_subsec_nanos())
}

/// The nanoseconds by which clocks of a zone are ahead of UTC, if that is always the same.
pub(super) fn fixed_offset(zone: &str) -> Option<i128> {
    let fixed = zone.eq_ignore_ascii_case("utc") || zone == "Z" || zone.starts_with(['+', '-']);
    let zone: Tz = fixed.then(|| zone.parse().ok())??;
    let offset = zone.offset_from_utc_datetime(&DateTime::UNIX_EPOCH.naive_utc());
    Some(i128::from(offset.fix().local_minus_utc()) * 1_000_000_000)
}
