//! The columns that a file of text is read as.

use crate::datum::SqlType;
use crate::schema::BoundTable;

/// Columns by name and type.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    /// What errors say in front of a column: of which table it is, if it is one of a table.
    pub(super) owner: String,
    /// The columns, in order.
    pub(super) columns: Vec<(String, SqlType)>,
}

impl Shape {
    /// The columns of a table.
    pub(super) fn of(table: &BoundTable) -> Self {
        let columns = table.columns().iter();
        Self {
            owner: format!("table `{}`: ", table.name()),
            columns: columns
                .map(|column| (column.name.clone(), column.sql_type.clone()))
                .collect(),
        }
    }
}

/// What is said of the columns.
#[derive(Debug, Clone, Default)]
pub struct ColumnTypes {
    /// Types by the names of columns.
    pub given: Vec<(String, SqlType)>,
    /// Whether all others are TEXT.
    pub all_text: bool,
}
