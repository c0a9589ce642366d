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

mod appender;
pub mod blocking;
pub(crate) mod connection;
mod database;
mod decimal;
mod definitions;
mod description;
mod deserialize;
mod extend;
mod from_text;
mod observe;
pub(crate) mod params;
mod prepared;
mod profile;
mod rewrite;
mod rows;
mod session_context;
mod value;
mod watch;

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
pub use self::connection::{Connection, Statement};
pub use self::database::Database;
pub use self::decimal::Decimal;
pub use self::description::{Description, Parameter};
pub use self::observe::StatementReport;
pub use self::params::{IntoParameter, IntoParameters, NamedParameters};
pub use self::prepared::PreparedStatement;
pub use self::profile::Profile;
pub use self::rows::{ColumnIndex, FromRow, IntoRows, Row, RowIterator, RowStream, Rows};
pub use self::value::{Elements, Entries, FromValue, Members, Value};
pub use crate::admin::check::{CheckReport, Damage, TableCheck};
pub use crate::admin::transfer::{
    Selection, TableCopy, TableTally, Transfer, TransferPhase, TransferProgress, TransferReport,
    TransferStep,
};
pub use crate::run::interrupt::InterruptHandle;
pub use crate::run::meter::Meter;
pub use crate::run::outcome::Outcome;
pub use crate::run::warnings::Warnings;
pub use crate::sql::copy_statement::ScriptRows;
pub use crate::sql::rewrite::file_functions::file_functions;
pub use crate::sql::rewrite::functions::written_out;
pub use crate::write::{Phase, Progress, ProgressReport};

#[doc(no_inline)]
pub use datafusion::common::ScalarValue;

#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod choice_tests;
#[cfg(test)]
mod words_tests;
