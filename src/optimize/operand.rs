//! One side of a comparison with a constant: an expression of a fixed-point type, seen through casts.
//!
//! What the casts show, and where a constant stands among the values, is [`predicate`](crate::predicate)'s. Here they are
//! taken off an expression.
//!
//! The year of a TIMESTAMP is evenly spaced too. DataFusion turns a comparison with it into bounds on the column,
//! and takes a bound that nanoseconds cannot hold for NULL, which no row satisfies. So there the values end with the
//! years that nanoseconds reach, and the ends are never compared for equality ([`Operand::is_open_end`]).

use arrow::compute::kernels::cast_utils::IntervalUnit;
use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::DFSchema;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable};

use super::lossy::shown;
use crate::predicate::{Exact, Place, View};

/// The first and the last year of which nanoseconds since 1970 hold a part.
const YEARS_OF_NANOSECONDS: [i32; 2] = [1677, 2262];

/// One side of a comparison.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    /// The expression without the casts.
    pub expr: Expr,
    view: View,
    /// Whether it is a year of which the first and the last have only one bound.
    open_ends: bool,
}

impl Operand {
    /// Takes the casts that a constant can be seen through off `expr`; `None` when its type is not evenly spaced.
    pub fn of(expr: &Expr, schema: &DFSchema) -> Option<Self> {
        Self::behind_cast(expr, schema).or_else(|| Self::bare(expr, schema))
    }

    fn behind_cast(expr: &Expr, schema: &DFSchema) -> Option<Self> {
        let Expr::Cast(Cast {
            expr: source,
            field,
        }) = shown(expr)
        else {
            return None;
        };
        let inner = Self::of(source, schema)?;
        let view = inner.view.through(field.data_type())?;
        Some(Self { view, ..inner })
    }

    fn bare(expr: &Expr, schema: &DFSchema) -> Option<Self> {
        let data_type = expr.get_type(schema).ok()?;
        let open_ends = is_year_of_nanoseconds(expr, schema);
        let view = match open_ends {
            true => View::within(YEARS_OF_NANOSECONDS, &data_type),
            false => View::of(&data_type),
        };
        Some(Self {
            expr: expr.clone(),
            view: view?,
            open_ends,
        })
    }

    /// Whether `place` is a first or last value that must not be compared for equality: it has no bound on its far side.
    pub fn is_open_end(&self, place: Place) -> bool {
        let (min, max) = self.limits();
        self.open_ends && place.is_value() && (place.not_below == min || place.not_below == max)
    }

    /// The least and the greatest value.
    pub fn limits(&self) -> (i256, i256) {
        self.view.limits()
    }

    /// The `n`-th value as a constant; `None` outside of the type.
    pub fn literal(&self, n: i256) -> Option<Expr> {
        let value = self.view.literal(n)?;
        Some(Expr::Literal(value, None))
    }

    /// Where `constant` stands among the values; `None` when the two cannot be compared by value.
    pub fn place(&self, constant: &Exact) -> Option<Place> {
        self.view.place(constant)
    }
}

/// Whether the expression is `date_part('year', c)` of a timestamp in nanoseconds.
pub(super) fn is_year_of_nanoseconds(expr: &Expr, schema: &DFSchema) -> bool {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expr else {
        return false;
    };
    let [Expr::Literal(unit, _), source] = args.as_slice() else {
        return false;
    };
    let unit = unit.try_as_str().flatten().unwrap_or_default();
    let unit = unit.trim_matches(['\'', '"']).parse();
    func.name() == "date_part"
        && matches!(unit, Ok(IntervalUnit::Year))
        && matches!(
            source.get_type(schema),
            Ok(DataType::Timestamp(TimeUnit::Nanosecond, _))
        )
}
