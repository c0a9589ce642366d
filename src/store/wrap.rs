//! Stores around a store, for tests: one that records what it is asked, one that fails when it is told to, one that is far
//! away.
//!
//! All of them keep the contract of the traits, and run the conformance suite. What they have in common, handing calls on,
//! is [`Wrapped`].

mod delayed;
mod failing;
mod recording;
mod wrapped;

pub use self::delayed::{Delayed, Way};
pub use self::failing::{Failing, Faults};
pub use self::recording::{Call, Log, Recorder, Recording};
pub use self::wrapped::{Asked, Hooks, Wrapped};

#[cfg(test)]
#[path = "wrap_tests.rs"]
mod tests;
