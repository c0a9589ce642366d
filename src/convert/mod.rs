//! What a value becomes in another type: one meaning, for CAST, INSERT and COPY.
//!
//! | from | to | module |
//! |---|---|---|
//! | a text | a type, strictly: fields of files, and what a cast does not read | `text` |
//! | a text | BYTEA | `bytes` |
//! | a text | TIMESTAMP, DECIMAL, INTERVAL, as others write them | `completed` |
//! | a text, or members | LIST, STRUCT, MAP | `nested` |
//! | what clocks show | an instant, by the clocks of a zone | `clocks` |
//! | a number, a stamp | a coarser one, to the nearest | `rounded` |
//! | a column of a file | a column of a table, where nothing changes | `lossless` |
//! | Arrow's types | those of columns | `stored` |
//! | values of several types | those that they have in one place | `meet` |
//!
//! Arrays go in, arrays come out; `shown` is how errors show what does not. `function` makes a function of a conversion, for plans; where plans have them in the place of
//! casts, `plan::rule::cast` says.

pub mod bytes;
pub mod clocks;
pub mod completed;
pub mod function;
pub mod lossless;
pub mod meet;
pub mod nested;
pub mod rounded;
pub mod shown;
pub mod stored;
pub mod text;

use arrow::compute::CastOptions;
use arrow::util::display::FormatOptions;

/// Values that do not fit become NULL, where they are then found.
const SAFE: CastOptions<'static> = CastOptions {
    safe: true,
    format_options: FormatOptions::new(),
};

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
