//! The tests that look at Halite from outside: one binary, one module per concern.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed, which is what it is for"
)]

mod answers;
mod architecture;
#[cfg(all(feature = "hbase", feature = "shell"))]
mod cluster;
mod examples;
mod far;
#[cfg(feature = "shell")]
mod faults;
mod formats;
#[path = "../src/golden.rs"]
mod golden;
#[cfg(feature = "shell")]
mod inline_rows;
#[cfg(all(feature = "shell", target_os = "linux"))]
mod limits;
#[cfg(feature = "shell")]
mod maintenance;
#[cfg(feature = "shell")]
#[path = "../src/not_run.rs"]
mod not_run;
#[cfg(feature = "shell")]
mod program;
#[cfg(feature = "shell")]
mod queries;
mod scripts;
#[cfg(target_os = "linux")]
mod stopped;
#[cfg(all(feature = "shell", unix))]
mod terminal;
#[cfg(feature = "shell")]
mod transfer;
