//! Plans of DataFusion that are wrong, made right.

pub mod claims;
pub mod dependencies;
pub mod distinct_names;
pub mod embedded;
pub mod equal_windows;
pub(crate) mod frames;
pub mod lost_order;
pub mod once;
pub mod own_statistics;
pub mod projections;
pub mod repeated;
pub mod requirements;
pub(crate) mod set_names;
pub(crate) mod unasked;
pub mod union_names;
