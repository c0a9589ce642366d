//! What runs of many cases share: their settings, and all cores.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

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
