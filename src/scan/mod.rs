//! The scan: what to read, and the operator that reads it.
//!
//! An [`Access`] is compiled once from a table, filters with placeholders in them, and what is wanted of the rows. Bound
//! to values it gives a [`ScanRequest`], plain data: a table, the spans of its key space, the residual, which columns,
//! which way, how many rows. [`open()`] reads it; [`ScanExec`] is the leaf of a physical plan that does so in
//! partitions:
//!
//! * The runs of the spans (one for each bucket) are dealt to partitions; where there are fewer, large ones are cut. A
//!   partition reads its runs one after the other, or, where order has been declared, merged by key.
//! * Rows are decoded column by column: those of the residual first, the others for the rows that are left.
//! * It takes every filter that gives the same answer twice, a limit, a subset of the columns and the reverse order,
//!   so that nothing but other operators' work is left above it.
//! * Keys that are known are looked up, all at once.
//! * What joins and top-k learn while the plan runs narrows what is left to read (`runtime`).
//! * No row is read while planning, and all partitions read at one moment of the store.

mod access;
mod decode;
mod display;
mod exec;
mod first_rows;
mod grouped;
mod keys;
mod merge;
mod metrics;
mod open;
mod order;
mod output;
mod parameter;
mod partition;
mod physical;
mod piece;
mod properties;
mod request;
mod rest;
mod run;
mod runtime;
mod snapshot;
mod statistics;
mod stream;
mod taken;
mod totals;
mod tuples;

use datafusion::common::DataFusionError;

use crate::error::Error;

pub use self::access::{Access, Planning, ToPhysical, bound};
pub use self::exec::{ScanExec, refuse_if_outdated};
pub use self::grouped::{Order, Wanted};
pub use self::metrics::{Counters, ScanTotals, sums};
pub use self::open::{Moment, Opened, open, read_supposed};
pub use self::parameter::number;
pub use self::partition::Parallelism;
pub use self::request::{PartExpressions, ResidualConjunct, ScanRequest};
pub use self::snapshot::{StatementSnapshot, StoreMoment, refuse_if_gone};
pub use self::statistics::KeyEstimates;
pub use self::taken::taken;
pub use self::totals::totals;

use self::order::KeyOrder;

/// An error of ours as DataFusion carries it; the session takes it out again.
fn external(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
