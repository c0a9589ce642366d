//! A definition as the statement that makes it again.

use super::{Check, Column, ROW_ID, Table};
use crate::key::{NullOrder, PartDefinition, SortOrder, identifier};

impl Table {
    /// The CREATE TABLE statement of this table, without a semicolon: what SHOW CREATE TABLE prints.
    ///
    /// NOT NULL is always spelt out and NULL where a column of the key is declared so; the order of NULLs in a key
    /// part stands there where it is not the default.
    pub fn create_statement(&self) -> String {
        let mut lines: Vec<String> = self
            .columns
            .iter()
            .map(|column| self.column_clause(column))
            .collect();
        lines.extend(self.checks.iter().map(Check::clause));
        if !self.has_row_id() {
            lines.push(format!("PRIMARY KEY ({})", self.key_clause()));
        }
        format!(
            "CREATE TABLE {} (\n    {}\n)",
            identifier(&self.name),
            lines.join(",\n    ")
        )
    }

    /// The parts of the row key as `PRIMARY KEY (…)` declares them: `salt(16), event_id, seen DESC`; the hidden column's
    /// name where none is declared.
    pub fn key_clause(&self) -> String {
        if self.has_row_id() {
            return ROW_ID.to_owned();
        }
        let parts: Vec<String> = self.key.iter().map(part_clause).collect();
        parts.join(", ")
    }

    fn column_clause(&self, column: &Column) -> String {
        let mut clause = format!("{} {}", identifier(&column.name), column.sql_type);
        if !column.nullable {
            clause.push_str(" NOT NULL");
        } else if self.is_named_in_key(&column.name) {
            clause.push_str(" NULL");
        }
        if let Some(default) = &column.default {
            clause.push_str(" DEFAULT ");
            clause.push_str(default);
        }
        clause
    }

    /// Whether a key part is computed from the column, so that it is NOT NULL unless declared otherwise.
    fn is_named_in_key(&self, name: &str) -> bool {
        let mut named = self.key.iter().flat_map(|part| part.expression.columns());
        named.any(|column| column == name)
    }
}

impl Check {
    /// The CHECK as `CREATE TABLE` declares it.
    pub fn clause(&self) -> String {
        format!(
            "CONSTRAINT {} CHECK ({})",
            identifier(&self.name),
            self.expression
        )
    }
}

fn part_clause(part: &PartDefinition) -> String {
    let mut clause = part.expression.to_string();
    if part.direction == SortOrder::Descending {
        clause.push_str(" DESC");
    }
    if part.nulls != part.direction.default_nulls() {
        clause.push_str(match part.nulls {
            NullOrder::First => " NULLS FIRST",
            NullOrder::Last => " NULLS LAST",
        });
    }
    clause
}
