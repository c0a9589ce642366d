//! Parquet files as tables.
//!
//! **The law**: a query over Parquet files gives what it gives over the same rows in a table, whatever the files state of
//! these rows, unless what they state is false.
//!
//! A file may state of each of its columns, in each row group and each page, a least and a greatest value and a number of
//! NULLs, and may leave out any of it. DataFusion prunes by it, takes columns for constants, and answers `count`, `min` and
//! `max`. It believes too much: NaN is in no bounds, a number of NULLs that is left out is taken for none, and what some
//! groups state is taken for all of them. So it is told less:
//!
//! | what DataFusion is told | by | is |
//! |---|---|---|
//! | groups and pages, by which it prunes | `believed` | bounds that no value is outside of that may be wanted, and NULLs wherever none are denied |
//! | files, by which it answers aggregates, prunes and folds | `counted` | what all groups state, and exactly; else nothing |
//! | the order of rows | `format` | nothing: writers set it down without looking |
//! | columns of directories | `table` | to be looked at row by row, too: NULL is not true |
//!
//! Values are as a table keeps them (`rows`): one zero, one NaN. Columns that differ from file to file are of the type that
//! both fit in (`columns`). What Halite writes (`row_groups`) has no bounds where a value is NaN, because others prune by
//! them as DataFusion does.

mod believed;
mod columns;
mod counted;
mod format;
mod numbers;
mod reader;
mod row_groups;
mod rows;
mod table;

pub(crate) use self::format::{ParquetFiles, ParquetFilesFactory};
pub(crate) use self::row_groups::RowGroups;
pub(crate) use self::table::ParquetTable;

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
