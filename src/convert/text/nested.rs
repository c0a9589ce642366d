//! LIST, STRUCT and MAP in files of text: JSON, `[1, 2]` and `{"a": 1}`.

use arrow::array::{ArrayRef, new_empty_array};

use super::json_values::{JsonReader, json_reader};
use super::reader::FieldReader;
use crate::datum::{Json, SqlType, json_fault};

/// Gathers the values of one column, each of which is a JSON text.
pub(super) struct Nested {
    sql_type: SqlType,
    of_text: fn(&SqlType) -> Box<dyn FieldReader>,
    values: Box<dyn JsonReader>,
    /// Takes each value first, for one that is wrong within is half taken, and must leave nothing behind.
    trial: Box<dyn JsonReader>,
    tried: usize,
}

/// How many values the trial keeps.
const KEPT_VALUES: usize = 1_024;

impl Nested {
    /// The reader of a type's values, in which those that hold no others are read by what `of_text` gives.
    pub(super) fn of(sql_type: &SqlType, of_text: fn(&SqlType) -> Box<dyn FieldReader>) -> Self {
        Self {
            sql_type: sql_type.clone(),
            of_text,
            values: json_reader(sql_type, &of_text, false),
            trial: json_reader(sql_type, &of_text, false),
            tried: 0,
        }
    }

    fn try_value(&mut self, json: Json<'_>) -> Result<(), String> {
        let tried = self.trial.push(json);
        self.tried += 1;
        if tried.is_err() || self.tried.is_multiple_of(KEPT_VALUES) {
            self.trial = json_reader(&self.sql_type, &self.of_text, false);
        }
        tried
    }
}

impl FieldReader for Nested {
    fn push(&mut self, text: &str) -> Result<(), String> {
        if let Some(fault) = json_fault(text) {
            return Err(format!("is no JSON: {fault}"));
        }
        let json = Json::of(text).map_err(|_| "is no JSON: it is nested too deep".to_owned())?;
        let tried = self.try_value(json);
        tried.map_err(|problem| format!("is another value: {problem}"))?;
        self.values.push(json)
    }

    fn push_null(&mut self) {
        self.values.push_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let values = self.values.finish();
        // What was pushed whole fits together.
        values.unwrap_or_else(|_| new_empty_array(&self.sql_type.arrow()))
    }
}
