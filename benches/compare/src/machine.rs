//! The machine, and what every side gets of it.

use std::fs;
use std::thread;

/// Bytes of blocks or pages that a side may keep in memory: more than it has.
pub const CACHE_BYTES: usize = 2 << 30;

/// Threads of every side that has more than one.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The processor, its threads and the memory, as far as the system tells.
pub fn description() -> String {
    let field = |file: &str, name: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor = field("/proc/cpuinfo", "model name");
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map(|kibibytes| format!(", {:.0} GiB of memory", kibibytes / f64::from(1 << 20)));
    format!(
        "{} threads of {}{}, {}",
        threads(),
        processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        memory.unwrap_or_default(),
        std::env::consts::OS
    )
}

/// The version of RocksDB that is compiled in.
pub fn rocksdb_version() -> String {
    let lock = include_str!("../../../Cargo.lock");
    let entry = lock.split("name = \"rust-librocksdb-sys\"").nth(1);
    let version = entry.and_then(|entry| entry.split('"').nth(1));
    let version = version.and_then(|version| version.split('+').nth(1));
    format!("RocksDB {}", version.unwrap_or_default())
}
