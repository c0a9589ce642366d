//! What statements warn of: they have done what they say, and it is rarely meant.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// The warnings of a connection's statements, in order, until they are taken. A clone of it has the same.
#[derive(Clone, Default)]
pub struct Warnings(Arc<Mutex<Vec<String>>>);

/// The most that are kept for somebody who never takes them.
const KEPT: usize = 1_000;

impl Warnings {
    /// Those since the last time, or since the connection was made.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }

    /// Adds one, which names the table that it is about.
    pub(crate) fn add(&self, warning: String) {
        let mut kept = self.0.lock();
        if kept.len() < KEPT {
            kept.push(warning);
        }
    }
}

impl fmt::Debug for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Warnings")
            .field(&self.0.lock().len())
            .finish()
    }
}
