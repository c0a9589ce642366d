//! What Halite adds to SQL's functions: the transforms that SQL lacks, `keys('t')` and what reads keys; integers that do not
//! wrap, quotients and averages of DECIMALs, aggregates that sort for themselves, functions whose results are bounded, those
//! that other databases have; and how SQL writes a key part.

mod aggregate;
mod as_theirs;
mod bounded;
mod declared;
mod decode_key;
mod delegated;
mod guarded;
mod json;
mod keys;
mod number;
mod part;
mod planning;
mod sizes;
mod text;
mod time;
mod transform;
mod type_of;
mod version;

use std::sync::Arc;

use datafusion::catalog::TableFunctionImpl;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use crate::error::Result;
use crate::key::TRANSFORMS;
use crate::schema::BoundTable;
use crate::store::Store;

use self::declared::{Declaration, Declared};

pub use self::aggregate::{
    ExactAverage, ExactSum, Extreme, is_extreme, ordered_aggregates, shifts, single_value,
};
pub use self::bounded::{BoundedFunction, bounded, is_bounded, most_bytes, needs_bound};
pub use self::guarded::guarded;
pub use self::json::{json_arrow, json_hash_arrow};
pub use self::number::{
    Arithmetic, is_of_decimals, is_wide_product, lost_operator, product, quotient,
};
pub use self::part::spellings;
pub use self::planning::{Stop, check_wanted, is_planning, while_planning, while_running};
pub use self::text::{concatenated, may_be_long};
pub use self::time::{
    DateBin, DatePart, DateTrunc, ExtractPlanner, beside_days, format_of, in_microseconds,
    interval_between, interval_divided, interval_length, interval_of_rank, interval_rank,
    interval_times, is_interval_between, is_interval_times, to_timestamps,
};
pub use self::transform::TransformFunction;

/// Finds a table, and the store that keeps its rows, by its name; what the session gives `keys('t')` to look in.
pub type Lookup = Arc<dyn Fn(&str) -> Result<(Arc<BoundTable>, Arc<dyn Store>)> + Send + Sync>;

/// Finds the tables of a key space, at least one, and the store that keeps their rows, by its name.
pub type SharedLookup =
    Arc<dyn Fn(&str) -> Result<(Vec<Arc<BoundTable>>, Arc<dyn Store>)> + Send + Sync>;

/// Lists the tables, each with the store that keeps its rows.
pub type List = Arc<dyn Fn() -> Vec<(Arc<BoundTable>, Arc<dyn Store>)> + Send + Sync>;

/// The transforms that SQL lacks, and what DataFusion lacks of SQL, for the session to register.
pub fn scalar_functions() -> impl Iterator<Item = ScalarUDF> {
    let transforms = TRANSFORMS
        .iter()
        .filter_map(|declaration| TransformFunction::of(*declaration))
        .chain([TransformFunction::salt()])
        .map(ScalarUDF::new_from_impl);
    let declared = declarations().map(Declared::new);
    transforms
        .chain([type_of::type_of()])
        .chain(declared.map(ScalarUDF::new_from_impl))
}

/// Every function that is declared.
fn declarations() -> impl Iterator<Item = &'static Declaration> {
    [
        time::DECLARATIONS,
        text::DECLARATIONS,
        number::DECLARATIONS,
        json::DECLARATIONS,
        version::DECLARATIONS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The aggregates that DataFusion lacks, for the session to register.
pub fn aggregate_functions() -> impl Iterator<Item = AggregateUDF> {
    aggregate::lacking()
}

/// `keys('t')`, for the session to register under that name.
pub fn keys(lookup: Lookup) -> Arc<dyn TableFunctionImpl> {
    Arc::new(keys::Keys::new(lookup))
}

/// `keyspace('shop')`, for the session to register under that name.
pub fn key_spaces(lookup: SharedLookup) -> Arc<dyn TableFunctionImpl> {
    Arc::new(keys::KeySpaces::new(lookup))
}

/// `decode_key('t', key)`, for the session to register.
pub fn decode_key(lookup: Lookup) -> ScalarUDF {
    ScalarUDF::new_from_impl(decode_key::DecodeKey::new(lookup))
}

/// `halite_tables()`, for the session to register under that name.
pub fn sizes(list: List) -> Arc<dyn TableFunctionImpl> {
    Arc::new(sizes::Sizes::new(list))
}

#[cfg(test)]
#[path = "function_tests.rs"]
mod tests;

#[cfg(test)]
mod agreement_tests;
#[cfg(test)]
mod predicate_tests;
