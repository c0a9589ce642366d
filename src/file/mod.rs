//! Files that others wrote, as tables: what of them may be believed.
//!
//! A file states its rows, and may state more: how many there are, between which bounds they lie, which of them are NULL. What
//! it states may save reading; what it leaves open, or means otherwise than SQL does, decides nothing.

pub mod parquet;

#[cfg(test)]
mod law;
