//! Rows ↔ entries of a store: the value's format, and record batches to and from it, a column at a time.
//!
//! Today an entry is one row. That is known here and nowhere above: whoever reads rows, for whatever purpose, reads
//! them through [`RowSnapshot`], which hands out rows with their keys, counted and limited as rows; whoever changes rows does
//! so through [`RowChanges`], which takes them with their keys, as [`RowWriter`] has encoded them; whoever decodes columns
//! asks [`Rows`], of which [`Entries`] are the first form. That it is true is shown by a store for tests that keeps several
//! rows in one entry (`groups`): it takes every statement, and answers every sample query.
//!
//! # Format of a value, version 1
//!
//! The value holds the columns that the row key cannot give back, each under its id, so that columns can come and go
//! while stored rows stay as they are. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | `01`, the format |
//! | 1 | bits 0–1: bytes of an end, `0`: 1, `1`: 2, `2`: 4; the other bits are 0 |
//! | 2 | `n`, the number of codes: the greatest id of a stored column, plus 1 |
//! | ⌈n/2⌉ | a code of 4 bits for each id from 0 to n − 1, low half first; a half that is left over is 0 |
//! | | the fields of fixed width, in the order of ids |
//! | | for each field of variable length, in the order of ids: its end, counted from the first one's start |
//! | | the bytes of these fields, one after the other |
//!
//! | code | the column |
//! |---|---|
//! | 0 | is not in the value: it is in the key, or the row is older than the column; then it reads as the definition says, or NULL |
//! | 1 | is NULL |
//! | 2, 3, 4, 5, 6 | has 1, 2, 4, 8, 16 bytes |
//! | 7 | is of variable length |
//!
//! | type | field |
//! |---|---|
//! | BOOLEAN | 1 byte, `00` or `01` |
//! | TINYINT; SMALLINT; INT, DATE; BIGINT, TIMESTAMP | two's complement in 1; 2; 4; 8 bytes; UNSIGNED without a sign |
//! | TIME | nanoseconds since midnight in 8 bytes |
//! | INTERVAL | months in 4 bytes, days in 4, nanoseconds in 8, each in two's complement |
//! | UUID | 16 bytes, in the order in which they are written |
//! | REAL, DOUBLE | IEEE 754 bits in 4, 8 bytes; −0.0 and NaN canonical |
//! | DECIMAL(p, s) | the unscaled value in two's complement: p ≤ 18 in 8 bytes, else 16 |
//! | TEXT, VARCHAR, CHAR, JSON, BYTEA | variable: UTF-8 (CHAR without padding), or the bytes |
//! | LIST, STRUCT, MAP | variable: see `nested` |
//!
//! The codes tell the length of every field, so that a reader skips columns it does not know. They are equal for all
//! rows with the same columns NULL: a reader works out once for them all where each column lies, and then finds
//! a column without a look at the others.

mod changes;
mod check;
mod failure;
mod families;
mod field;
mod format;
#[cfg(any(test, feature = "test-stores"))]
mod groups;
mod nested;
mod reader;
mod restored;
mod rules;
mod single;
mod snapshot;
mod stored;
mod values;
mod writer;

pub use self::changes::{RowChanges, deleting_rows, own_rows};
pub use self::check::shown_at;
pub use self::field::stored_field;
#[cfg(any(test, feature = "test-stores"))]
pub use self::groups::Grouped;
pub use self::nested::as_stored;
pub use self::reader::{Entries, ReadRows, RowReader, Rows};
pub use self::rules::RowRules;
pub use self::snapshot::{RowSnapshot, approximate_rows};
pub use self::writer::{EncodedBytes, EncodedRow, EncodedRows, RowWriter};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
