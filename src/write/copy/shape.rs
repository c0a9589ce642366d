//! The columns that a file of text is read as.

use super::plain::PlainReader;
use crate::convert::text::{FieldReader, Spelling, spelt_reader};
use crate::convert::text::{JsonReader, json_reader};
use crate::datum::SqlType;
use crate::schema::BoundTable;

/// Columns by name and type.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    /// What errors say in front of a column: of which table it is, if it is one of a table.
    pub(super) owner: String,
    /// The columns, in order.
    pub(super) columns: Vec<ShapeColumn>,
}

/// A column of a file.
#[derive(Debug, Clone)]
pub(super) struct ShapeColumn {
    pub(super) name: String,
    pub(super) sql_type: SqlType,
    /// Whether the type is what the first rows show, and nobody's word: then a value that is not written as values of
    /// the type are by themselves is an error.
    pub(super) is_guessed: bool,
}

impl ShapeColumn {
    /// A column of a type that somebody has named.
    pub(super) fn given(name: &str, sql_type: &SqlType) -> Self {
        Self {
            name: name.to_owned(),
            sql_type: sql_type.clone(),
            is_guessed: false,
        }
    }

    /// The reader of its values as texts.
    pub(super) fn reader(&self, spelling: &Spelling) -> Box<dyn FieldReader> {
        self.reader_of(&self.sql_type, spelling)
    }

    /// The reader of its values as JSON.
    pub(super) fn json_reader(&self, spelling: &Spelling) -> Box<dyn JsonReader> {
        let of_text = |sql_type: &SqlType| self.reader_of(sql_type, spelling);
        json_reader(&self.sql_type, &of_text, self.is_guessed)
    }

    fn reader_of(&self, sql_type: &SqlType, spelling: &Spelling) -> Box<dyn FieldReader> {
        if self.is_guessed {
            Box::new(PlainReader::new(sql_type, spelling))
        } else {
            spelt_reader(sql_type, spelling)
        }
    }
}

impl Shape {
    /// The columns of a table.
    pub(super) fn of(table: &BoundTable) -> Self {
        let columns = table.columns().iter();
        Self {
            owner: format!("table `{}`: ", table.name()),
            columns: columns
                .map(|column| ShapeColumn::given(&column.name, &column.sql_type))
                .collect(),
        }
    }
}

/// How many rows are looked at for their types where nobody says it, in all files together.
const LOOKED_AT: usize = 20_000;

/// What is said of the columns.
#[derive(Debug, Clone)]
pub struct ColumnTypes {
    /// Types by the names of columns.
    pub given: Vec<(String, SqlType)>,
    /// Whether all others are TEXT.
    pub all_text: bool,
    /// All columns, in order: those of a CSV file whatever its header says, those of a JSON file whatever else it has.
    pub columns: Option<Vec<(String, SqlType)>>,
    /// How many rows are looked at for their types; `usize::MAX` are all.
    pub looked_at: usize,
}

impl Default for ColumnTypes {
    fn default() -> Self {
        Self {
            given: Vec::new(),
            all_text: false,
            columns: None,
            looked_at: LOOKED_AT,
        }
    }
}

impl ColumnTypes {
    /// The columns with the types that were given.
    ///
    /// # Errors
    /// The name of a column that there is not.
    pub(super) fn apply(&self, columns: &mut [ShapeColumn]) -> Result<(), String> {
        if self.all_text {
            columns.iter_mut().for_each(|column| {
                column.sql_type = SqlType::Text;
                column.is_guessed = false;
            });
        }
        for (name, sql_type) in &self.given {
            let mut all = columns.iter_mut();
            match all.find(|column| column.name.eq_ignore_ascii_case(name)) {
                Some(column) => *column = ShapeColumn::given(&column.name, sql_type),
                None => return Err(name.clone()),
            }
        }
        Ok(())
    }
}
