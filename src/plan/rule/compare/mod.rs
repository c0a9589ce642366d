//! What a comparison means: by value, whatever the types of its sides.

pub(crate) mod chains;
pub(crate) mod comparison;
pub mod comparisons;
pub mod constants;
pub(crate) mod exact;
pub(crate) mod extremes;
pub(crate) mod float_keys;
pub(crate) mod floats;
pub(crate) mod intervals;
pub(crate) mod join_keys;
pub(crate) mod left_out;
pub(crate) mod lists;
pub(crate) mod lost_operators;
pub mod null_safe;
pub mod numbers;
pub(crate) mod operand;
pub mod overflow;
pub mod regexes;
pub mod tuples;
