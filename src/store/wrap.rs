//! Stores around a store, for tests: one that records what it is asked, one that fails when it is told to, one that is far
//! away.
//!
//! All of them keep the contract of the traits, and run the conformance suite.

mod delayed;
mod failing;
mod recording;

pub use self::delayed::Delayed;
pub use self::failing::{Failing, Faults};
pub use self::recording::{Call, Log, Recording};

#[cfg(test)]
#[path = "wrap_tests.rs"]
mod tests;
