//! Halite is SQL over an ordered key-value store.

pub mod datum;
pub mod error;
pub mod keyrange;
pub mod store;
