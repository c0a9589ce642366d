//! Files that others wrote, as tables: what of them may be believed.
//!
//! A file states its rows, and may state more: how many there are, between which bounds they lie, which of them are NULL. What
//! it states may save reading; what it leaves open, or means otherwise than SQL does, decides nothing.

pub(crate) mod access;
#[doc(hidden)]
pub mod export;
pub(crate) mod file_table;
pub mod parquet;
pub(crate) mod partitions;

#[cfg(test)]
mod law;
