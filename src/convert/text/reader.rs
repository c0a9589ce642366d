//! What gathers the values of a column from texts.

use arrow::array::ArrayRef;

/// Gathers the values of one column.
pub trait FieldReader: Send {
    /// Adds the value that the text spells; else says what is wrong with it, to be put behind the text.
    fn push(&mut self, text: &str) -> Result<(), String>;

    /// Adds NULL.
    fn push_null(&mut self);

    /// The values since the last call.
    fn finish(&mut self) -> ArrayRef;
}
