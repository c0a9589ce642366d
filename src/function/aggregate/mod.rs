//! Aggregates and window functions.

mod average;
mod by_value;
mod extremes;
mod frequencies;
mod ordered;
mod quantile;
mod shift;
mod single;
mod sum;

use datafusion::logical_expr::AggregateUDF;

pub use self::average::ExactAverage;
pub use self::by_value::{Extreme, is_extreme};
pub use self::ordered::ordered_aggregates;
pub use self::shift::shifts;
pub use self::single::single_value;
pub use self::sum::ExactSum;

/// Those that DataFusion lacks.
pub(super) fn lacking() -> impl Iterator<Item = AggregateUDF> {
    frequencies::aggregates()
        .chain(extremes::aggregates())
        .chain(quantile::aggregates())
}
