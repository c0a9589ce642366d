//! Halite is SQL over an ordered key-value store.
//!
//! A table declares how its **row key** is laid out; Halite turns `WHERE` into the fewest scans of key ranges, and
//! DataFusion does the SQL above them. This crate is the whole of it, to be embedded; the program `halite` is a shell
//! around it (without the feature `shell` the program and what it needs are left out).
//!
//! # A tour
//!
//! ```
//! use halite::{Database, params};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> halite::Result<()> {
//! let db = Database::in_memory()?;                        // or Database::open("metrics.halite").await?
//! let conn = db.connect();
//! conn.execute(
//!     "CREATE TABLE cpu (host TEXT, ts TIMESTAMP(3), usage DOUBLE, PRIMARY KEY (bucket(4, host), host, ts DESC))",
//!     (),
//! )
//! .await?;
//!
//! // Statements take parameters, $1 and $2 or ?, as a tuple, an array or params![]; Option<T> is NULL or not.
//! let insert = "INSERT INTO cpu VALUES (?, ?, ?)";
//! conn.execute(insert, ("web-1", "2024-01-31T12:00:00", 0.5)).await?;
//! conn.execute(insert, params!["web-2", "2024-01-31T12:00:00", None::<f64>]).await?;
//!
//! // Results: rows with typed getters, or batches; all at once, or as they are read.
//! for row in conn.rows("SELECT host, usage FROM cpu ORDER BY host", ()).await? {
//!     println!("{}: {:?}", row.get::<&str>("host")?, row.get::<Option<f64>>("usage")?);
//! }
//! let batches = conn.sql("SELECT count(*) FROM cpu").await?.collect().await?;
//! assert_eq!(batches[0].num_rows(), 1);
//!
//! // Planned once, run many times; query_row waits for its row and needs no await.
//! let newest = conn.prepare("SELECT usage FROM cpu WHERE host = $1 ORDER BY ts DESC LIMIT 1").await?;
//! let row = newest.query_row(("web-1",))?.expect("web-1 has a row");
//! assert_eq!(row.get::<f64>("usage")?, 0.5);
//!
//! // Many rows at once, all of them or none.
//! let mut appender = conn.appender("cpu")?;
//! for minute in 0..60 {
//!     appender.append_row(("web-3", format!("2024-01-31T12:{minute:02}:00"), 0.1))?;
//! }
//! assert_eq!(appender.finish().await?, 60);
//! # Ok(())
//! # }
//! ```
//!
//! | for | see |
//! |---|---|
//! | opening, backups, checks | [`Database`] |
//! | statements, queries, settings | [`Connection`], [`PreparedStatement`] |
//! | values of parameters and of results | [`params!`], [`named_params!`], [`IntoParameter`]; [`Row`], [`FromValue`] |
//! | many rows at once | [`Appender`] |
//! | the same without `async` | [`blocking`] |
//! | a table in a session of DataFusion of your own | [`Database::table_provider`] |
//! | the program's own tables and functions | [`Connection::register_table`], [`Connection::register_udf`] |
//! | ending a statement, limiting its time | [`Connection::interrupt_handle`], [`Connection::with_timeout`] |
//! | metrics, logs of slow statements | [`Connection::with_observer`]; spans of `tracing` with the feature of that name |
//! | rows as structs, by serde | [`Row::deserialize`], [`Rows::deserialize`] |
//! | Arrow and DataFusion in the versions that fit | [`arrow`], [`datafusion`] |
//! | what an error asks for | [`ErrorKind`] |
//!
//! A statement reads one snapshot of the database, taken when it begins. Dropping a stream, or the future of a
//! statement, ends the work behind it; a change that has begun to be written is written whole or not at all.
//!
//! # What an error says
//!
//! Its [`ErrorKind`] says what a caller must do; what it is about it names, for programs that tell it in their own words.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> halite::Result<()> {
//! # let conn = halite::Database::in_memory()?.connect();
//! conn.execute("CREATE TABLE gull (id INT, name TEXT NOT NULL, PRIMARY KEY (id))", ()).await?;
//! let error = conn.execute("INSERT INTO gull VALUES (1, 'kelp'), (2, NULL)", ()).await.unwrap_err();
//! assert_eq!((error.table(), error.column()), (Some("gull"), Some("name")));
//! assert_eq!((error.constraint(), error.row()), (Some("NOT NULL"), Some(2)));
//!
//! let error = conn.query("SELECT nme FROM gull", ()).await.unwrap_err();
//! let missing = error.missing().expect("a column");
//! assert_eq!((missing.what, missing.name.as_str()), (halite::Nameable::Column, "nme"));
//! assert_eq!(missing.others, ["gull.id", "gull.name"]);
//! # Ok(())
//! # }
//! ```
//!
//! What these pages show is what a program can build on. The other modules are how Halite is built, from the store up:
//! they are public for its own tests and benchmarks, are not shown, and change with any version.

mod admin;
#[doc(hidden)]
pub mod catalog;
mod convert;
#[doc(hidden)]
pub mod ddl;
#[doc(hidden)]
pub mod file;
#[doc(hidden)]
pub mod function;
#[cfg(test)]
#[allow(dead_code, reason = "the tests of `tests/` have it, too")]
mod golden;
mod machine;
#[cfg(all(test, feature = "hbase"))]
#[allow(dead_code, reason = "the tests of `tests/` have it, too")]
mod not_run;
mod operator;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod row;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod scan;
pub mod session;
#[doc(hidden)]
pub mod settings;
#[cfg(feature = "shell")]
#[doc(hidden)]
pub mod shell;
#[doc(hidden)]
pub mod sql;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod table;
#[doc(hidden)]
pub mod write;

pub use halite_key::error;
#[doc(hidden)]
pub use halite_key::{datum, key, keyrange, predicate, schema, span};
#[cfg(test)]
use halite_key::{fault, seed};

/// Arrow, in the version that batches of results are of.
pub use arrow;
/// DataFusion, in the version that tables, functions and plans are of.
pub use datafusion;

pub use self::datum::Precision;
pub use self::error::{Error, ErrorKind, Missing, Nameable, Result};
pub use self::session::{
    Appender, AppenderOptions, CheckReport, ColumnIndex, Connection, Database, Decimal,
    Description, Elements, Entries, FromRow, FromValue, InterruptHandle, IntoParameter,
    IntoParameters, Members, Meter, NamedParameters, Outcome, Parameter, PreparedStatement, Row,
    RowStream, Rows, Statement, StatementReport, Value, Warnings, blocking,
};
pub use self::store::{Durability, StoreOptions};
