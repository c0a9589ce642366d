//! Databases, connections and statements: the embedding API.
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use halite::params;
//! use halite::session::Database;
//!
//! let database = Database::in_memory()?;
//! let connection = database.connect();
//! connection
//!     .execute("CREATE TABLE cpu (host TEXT, ts TIMESTAMP(3), usage DOUBLE, PRIMARY KEY (host, ts))", params![])
//!     .await?;
//! let written = connection
//!     .execute("INSERT INTO cpu VALUES ($1, '2024-01-01T00:00:00', $2)", params!["web-1", 0.5])
//!     .await?;
//! assert_eq!(written, 1);
//! let batches = connection.query("SELECT usage FROM cpu WHERE host = $1", params!["web-1"]).await?;
//! assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
//! # Ok::<(), halite::error::Error>(())
//! # }).unwrap();
//! ```

#[doc(hidden)]
pub mod absent;
mod access;
mod again;
mod alter_table;
mod apart;
mod appender;
mod assign;
mod backup;
mod bags;
pub mod blocking;
mod bound;
mod bounds;
mod calls;
mod catalogs;
mod chains;
mod change;
mod check;
mod checked;
mod clauses;
mod command;
mod comments;
mod connection;
mod context;
mod conversion;
mod copy;
#[doc(hidden)]
pub mod copy_statement;
mod create_table;
mod database;
mod deadline;
mod decimal;
mod deserialize;
#[doc(hidden)]
pub mod dialect;
mod direct;
mod direct_change;
mod environment;
mod execute_named;
mod execute_own;
mod explain;
#[doc(hidden)]
pub mod export;
mod extend;
mod file_functions;
mod file_table;
mod files;
mod fit;
mod folds;
mod forms;
mod from_functions;
mod from_text;
#[doc(hidden)]
pub mod guard;
mod information;
mod innermost;
mod insert;
mod interrupt;
mod kept;
mod key_rows;
mod lambdas;
mod lateral;
mod long_lists;
mod memory;
mod meter;
mod mixed_values;
mod named;
mod names;
mod natural;
mod observe;
mod operators;
mod outcome;
mod params;
#[doc(hidden)]
pub mod parse;
mod partitions;
mod pivot;
mod placeholders;
mod planned;
mod prepared;
mod profile;
mod query_plan;
mod recursion;
mod refused;
mod rewrite;
mod rows;
mod rules;
mod running;
mod sample;
mod scanned;
mod sequence_clauses;
mod sequences;
mod sessions;
mod span;
mod spelled;
mod split_clause;
#[doc(hidden)]
pub mod stack;
mod store_statements;
mod struct_types;
mod subqueries;
mod summary;
mod temporary;
mod texts;
mod transfer;
mod type_names;
mod value;
mod view_statements;
mod views;
mod waiting;
mod warnings;
mod watch;
mod written;
mod written_values;

#[cfg(test)]
mod canary_tests;
#[cfg(test)]
mod cancel_tests;
#[cfg(test)]
mod dealt_tests;
#[cfg(test)]
mod dictionary_tests;
#[cfg(test)]
mod double_tests;
#[cfg(test)]
mod elsewhere_tests;
#[cfg(test)]
mod foreign_tests;
#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod grouped_tests;
#[cfg(test)]
mod key_space_tests;
#[cfg(test)]
mod keys_tests;
#[cfg(test)]
mod mend_double_tests;
#[cfg(test)]
mod mend_tests;
#[cfg(test)]
mod mend_time_tests;
#[cfg(test)]
mod point_tests;
#[cfg(test)]
mod snapshot_tests;
#[cfg(test)]
mod split_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod unasked_tests;
#[cfg(test)]
mod whole;

pub use self::appender::{Appender, AppenderOptions};
pub use self::check::{CheckReport, Damage, TableCheck};
pub use self::connection::{Connection, Statement};
pub use self::copy_statement::ScriptRows;
pub use self::database::Database;
pub use self::decimal::Decimal;
pub use self::file_functions::file_functions;
pub use self::interrupt::InterruptHandle;
pub use self::meter::Meter;
pub use self::observe::StatementReport;
pub use self::outcome::Outcome;
pub use self::params::{IntoParameter, IntoParameters, NamedParameters};
pub use self::prepared::PreparedStatement;
pub use self::profile::Profile;
pub use self::rows::{ColumnIndex, FromRow, IntoRows, Row, RowIterator, RowStream, Rows};
pub use self::transfer::{
    Selection, TableCopy, TableTally, Transfer, TransferPhase, TransferProgress, TransferReport,
    TransferStep,
};
pub use self::value::{Elements, Entries, FromValue, Members, Value};
pub use self::warnings::Warnings;
pub use self::written::written_out;
pub use crate::write::{Phase, Progress, ProgressReport};

#[doc(no_inline)]
pub use datafusion::common::ScalarValue;
