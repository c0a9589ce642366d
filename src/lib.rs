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
//! for row in &conn.rows("SELECT host, usage FROM cpu ORDER BY host", ()).await? {
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
//! | values of parameters and of results | [`params!`], [`IntoParameter`]; [`Row`], [`FromValue`] |
//! | many rows at once | [`Appender`] |
//! | the same without `async` | [`blocking`] |
//! | a table in a session of DataFusion of your own | [`Database::table_provider`] |
//! | what an error asks for | [`ErrorKind`] |
//!
//! A statement reads one snapshot of the database, taken when it begins. Dropping a stream, or the future of a
//! statement, ends the work behind it; a change that has begun to be written is written whole or not at all.
//!
//! The modules below are how Halite is built, from the store up; those who embed it seldom need them.

pub mod catalog;
pub mod datum;
pub mod error;
#[cfg(test)]
mod fault;
pub mod function;
pub mod key;
pub mod keyrange;
pub mod optimize;
pub mod predicate;
pub mod row;
pub mod scan;
pub mod schema;
#[cfg(test)]
mod seed;
pub mod session;
pub mod settings;
#[cfg(feature = "shell")]
pub mod shell;
pub mod span;
pub mod store;
pub mod table;
pub mod write;

pub use self::error::{Error, ErrorKind, Result};
pub use self::session::{
    Appender, AppenderOptions, CheckReport, ColumnIndex, Connection, Database, FromRow, FromValue,
    IntoParameter, IntoParameters, PreparedStatement, Row, RowStream, Rows, Value, blocking,
};
pub use self::store::{Durability, StoreOptions};
