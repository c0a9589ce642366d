//! Constant expressions by value: what one is worth, without rounding to any type.
//!
//! DataFusion folds `TIMESTAMP '3001-01-01'` into nanoseconds since 1970, which end in 2262, and casts a constant to
//! the column's type, which rounds it. Here a cast that only widens leaves a value as it is ([`Exact`]), even where the
//! wider type could not hold it; a cast that rounds is done as Arrow does it.

use std::sync::Arc;

use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::datatypes::{DataType, TimeUnit};
use chrono::{DateTime, NaiveDateTime, Utc};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Cast, Expr};
use datafusion::optimizer::OptimizerConfig;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;

use crate::convert::clocks::OnClocks;
use crate::convert::function::{Conversion, conversion_of};
use crate::datum::{Clocks, Precision};
use crate::predicate::Exact;

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// Evaluates constant expressions with DataFusion's own evaluator, at the time of the statement.
pub(crate) struct Folder {
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
            _ => match conversion_of::<OnClocks>(expr) {
                Some((source, clocks)) => self
                    .exact_cast(source, &clocks.target())
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
    let step = i128::from(Precision::from(unit).nanoseconds());
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
fn instant_in(shown: i128, zone: &str) -> Option<i128> {
    let seconds = i64::try_from(shown.div_euclid(NANOS_PER_SECOND)).ok()?;
    let nanos = u32::try_from(shown.rem_euclid(NANOS_PER_SECOND)).ok()?;
    let shown = DateTime::from_timestamp(seconds, nanos)?.naive_utc();
    Clocks::of(zone)?.instant(&shown).map(nanos_since_epoch)
}

fn nanos_since_epoch(time: NaiveDateTime) -> i128 {
    let time = time.and_utc();
    i128::from(time.timestamp()) * NANOS_PER_SECOND + i128::from(time.timestamp_subsec_nanos())
}
