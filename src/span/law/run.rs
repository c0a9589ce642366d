//! What runs of many cases share: their settings, and all cores.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// A number in the environment, decimal or `0x` and hexadecimal.
pub(crate) fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    Some(number.unwrap_or_else(|error| panic!("{variable}={text}: {error}")))
}

/// Has every core do `work`, which asks for a number again and again: none is given twice.
pub(crate) fn on_all_cores(work: impl Fn(&dyn Fn() -> u64) + Sync) {
    let next = AtomicU64::new(0);
    let number = || next.fetch_add(1, Ordering::Relaxed);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| work(&number));
        }
    });
}
