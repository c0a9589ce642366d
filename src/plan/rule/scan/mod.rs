//! What scans are told: the order that is wanted, and which rows are enough.

pub mod above_groups;
pub(crate) mod farthest;
pub mod first_rows;
pub(crate) mod grouped_sides;
pub mod key_order;
pub(crate) mod long_rows;
pub(crate) mod needed;
pub(crate) mod numbered;
pub mod value_rows;
