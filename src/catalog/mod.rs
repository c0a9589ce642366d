//! The tables of a database: DDL to definitions, definitions to the store, and DataFusion's view of them.
//!
//! # Format, version 1
//!
//! The space `catalog` holds:
//!
//! | key | value |
//! |---|---|
//! | `format` | the version of this format: one byte |
//! | `next` | the next table id: 8 bytes, big-endian |
//! | `table/` + name | the table's definition as [`crate::schema`] writes it |
//! | `view/` + name | the view's definition, likewise |
//! | `sequence/` + name | the sequence's definition, likewise; its numbers are in the space `sequences` |
//!
//! A table's rows are in a space of its own, which is made before its definition is written and dropped after it is
//! deleted. A space `t` + id without a definition is what a crash between the two left; opening the database for writing
//! drops it, unless anything in the catalog is damaged: then nothing is dropped, and the database is not opened.

mod adopted;
mod alter;
mod checks;
pub mod ddl;
mod dictionaries;
mod guest_functions;
mod guests;
mod inspect;
mod key_spaces;
mod names;
mod new_table;
mod numbers;
mod objects;
mod options;
mod part;
mod provider;
mod sequences;
mod split;
mod stored;
mod tables;
mod temporary;
mod types;
mod views;
pub(crate) mod visible;

pub use self::alter::Altered;
pub use self::checks::{check_of, columns_of};
pub use self::guest_functions::GuestFunctions;
pub use self::guests::Guests;
pub use self::inspect::{Inspection, inspect};
pub use self::names::{column_name, identifier, object_name, plain_arguments};
pub use self::new_table::NewTable;
pub use self::numbers::Sequence;
pub use self::objects::{Dependents, Existing};
pub use self::provider::{CATALOG_NAME, DATABASE_SCHEMA, HaliteCatalog, SCHEMA_NAME, ViewPlanner};
pub use self::sequences::{named_sequences, sequence_name};
pub use self::tables::Catalog;
pub use self::temporary::Temporary;
pub use self::types::sql_type;
pub use self::views::MOST_VIEWS_DEEP;

#[cfg(test)]
mod key_golden_tests;
#[cfg(test)]
mod span_tests;
