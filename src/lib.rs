//! Halite is SQL over an ordered key-value store.

pub mod catalog;
pub mod datum;
pub mod error;
#[cfg(test)]
mod fault;
pub mod function;
pub mod key;
pub mod keyrange;
pub mod optimize;
pub mod predicate;
pub mod row;
pub mod scan;
pub mod schema;
pub mod session;
#[cfg(feature = "shell")]
pub mod shell;
pub mod span;
pub mod store;
pub mod table;
pub mod write;
