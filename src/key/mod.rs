//! The row key: how it is laid out, and its bytes. Pure: no I/O.
//!
//! # Format, version 1
//!
//! A row key is its parts' fields one after the other, nothing between them. Every field is prefix-free among the
//! fields of its part, so that keys are ordered as the tuples of their parts are.
//!
//! | type of the part | ascending field |
//! |---|---|
//! | BOOLEAN | one byte, `00` or `01` |
//! | TINYINT, SMALLINT, INT, BIGINT | 1, 2, 4, 8 bytes big-endian, sign bit flipped |
//! | the same, UNSIGNED | 1, 2, 4, 8 bytes big-endian |
//! | REAL, DOUBLE | 4, 8 bytes: IEEE 754 bits, all flipped if negative, else the sign bit; −0.0 and NaN canonical |
//! | DECIMAL(p, s) | the unscaled value: p ≤ 18 in 8 bytes, else 16, big-endian, sign bit flipped |
//! | TEXT, VARCHAR, BYTEA | the bytes with `00` written `00 FF`, then `00 01` |
//! | CHAR(n) | the bytes, padded with `00` to n |
//! | UUID | 16 bytes, in the order in which they are written |
//! | DATE | days since 1970-01-01 as INT |
//! | TIMESTAMP | units since 1970-01-01 as BIGINT |
//! | `salt`, `bucket`, `random_salt` | one byte up to 256 buckets, else two, big-endian |
//! | `dict` | 4 bytes, big-endian |
//! | `hash` | 8 bytes, big-endian |
//! | `md5` | 16 bytes |
//! | `reverse_digits` | 3, 5, 10 or 19 ASCII digits for TINYINT, SMALLINT, INT, BIGINT, and as many where they are UNSIGNED |
//!
//! * DESC stores the bitwise complement of the whole field, terminator included.
//! * A part that can be NULL begins with a marker, which is never complemented: `01` before a value; NULL is the marker
//!   alone, `00` where NULLs come first and `02` where they come last.

pub mod columns;
mod definition;
mod dictionary;
pub mod domain;
pub mod encoding;
mod fields;
pub mod layout;
mod part;
mod row_error;
mod shared;
pub mod transform;
mod warning;

#[cfg(any(test, feature = "testing"))]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "called by tests alone"
)]
pub mod testing;

pub use self::columns::KeyBuffer;
pub use self::definition::{KeyColumn, NullOrder, PartDefinition, SortOrder};
pub use self::dictionary::{Dictionary, DictionaryKeeper, Lookups};
pub use self::domain::{Cut, Domain, Interval};
pub use self::encoding::Encoding;
pub use self::layout::{ROW_KEY_BYTES, RowKey};
pub use self::part::KeyPart;
pub use self::row_error::RowError;
pub use self::transform::{Argument, BUCKET_COLUMN, Expression, TRANSFORMS, Transform};
pub use self::warning::Warning;
