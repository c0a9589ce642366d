//! Row keys without a store: values as bytes, layouts of keys, definitions of tables, and what conditions on columns say of
//! keys.
//!
//! The rooms are those of `halite`, which shows them under the same names. They are a package of their own for those who
//! write keys and need no more, and to be compiled once, and quick, where the rest is compiled again and again.

#[path = "../datum/mod.rs"]
pub mod datum;
#[path = "../error.rs"]
pub mod error;
#[cfg(any(test, feature = "testing"))]
#[path = "../fault.rs"]
pub mod fault;
#[cfg(test)]
#[path = "../golden.rs"]
#[allow(dead_code, reason = "others have it, too")]
mod golden;
#[path = "mod.rs"]
pub mod key;
#[path = "../keyrange.rs"]
pub mod keyrange;
#[path = "../predicate/mod.rs"]
pub mod predicate;
#[path = "../schema/mod.rs"]
pub mod schema;
#[cfg(any(test, feature = "testing"))]
#[path = "../seed.rs"]
pub mod seed;
#[path = "../span/mod.rs"]
pub mod span;
