//! A definition as the statement that makes it again.

use super::{Check, Column, ROW_ID, Table};
use crate::datum::identifier;

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
        let keyspace = self.keyspace.as_ref().map(|shared| &shared.name);
        let keyspace = keyspace.map(|name| format!("keyspace = {}", quoted(name)));
        let families = (!self.families.is_empty())
            .then(|| format!("families = {}", quoted(&self.families_clause())));
        let options: Vec<String> = keyspace.into_iter().chain(families).collect();
        let options = if options.is_empty() {
            String::new()
        } else {
            format!(" WITH ({})", options.join(", "))
        };
        let split = if self.split.is_empty() {
            String::new()
        } else {
            format!(" SPLIT ({})", self.split_list())
        };
        format!(
            "CREATE TABLE {} (\n    {}\n){split}{options}",
            identifier(&self.name),
            lines.join(",\n    "),
        )
    }

    /// The COMMENT ON statements of what is said of this table and its columns.
    pub fn comment_statements(&self) -> Vec<String> {
        let name = identifier(&self.name);
        let of_table = self.comment.iter();
        let of_table = of_table.map(|text| comment_on(&format!("TABLE {name}"), text));
        let of_columns = self.columns.iter().filter_map(|column| {
            let text = column.comment.as_ref()?;
            let column = identifier(&column.name);
            Some(comment_on(&format!("COLUMN {name}.{column}"), text))
        });
        of_table.chain(of_columns).collect()
    }

    /// The parts of the row key as `PRIMARY KEY (…)` declares them: `salt(16), event_id, seen DESC`; the hidden column's
    /// name where none is declared.
    pub fn key_clause(&self) -> String {
        if self.has_row_id() {
            return ROW_ID.to_owned();
        }
        let parts: Vec<String> = self.key.iter().map(ToString::to_string).collect();
        parts.join(", ")
    }

    /// What it declares besides its columns, for people: what it is, and how. The row key comes first.
    pub fn declared(&self) -> Vec<(String, String)> {
        let fact = |about: &str, value: String| (about.to_owned(), value);
        let mut facts = vec![fact("row key", self.key_clause())];
        let checks = self.checks.iter();
        facts.extend(
            checks.map(|check| (format!("check {}", check.name), check.expression.clone())),
        );
        if !self.split.is_empty() {
            facts.push(fact("split", self.split_list()));
        }
        let keyspace = self.keyspace.iter();
        facts.extend(keyspace.map(|shared| fact("keyspace", shared.name.clone())));
        if !self.families.is_empty() {
            facts.push(fact("families", self.families_clause()));
        }
        facts
    }

    /// The families as `WITH (families = …)` declares them: `m(cpu, mem) raw(payload)`.
    fn families_clause(&self) -> String {
        let families = self.families.iter().map(|family| {
            let columns = self.columns.iter();
            let columns = columns.filter(|column| family.columns.contains(&column.id));
            let columns: Vec<_> = columns.map(|column| identifier(&column.name)).collect();
            format!("{}({})", identifier(&family.name), columns.join(", "))
        });
        families.collect::<Vec<_>>().join(" ")
    }

    fn column_clause(&self, column: &Column) -> String {
        let mut clause = format!("{} {}", identifier(&column.name), column.sql_type);
        if !column.nullable {
            clause.push_str(" NOT NULL");
        } else if self.is_named_in_key(&column.name) {
            clause.push_str(" NULL");
        }
        if let Some(default) = &column.default {
            clause.push_str(&format!(" DEFAULT {default}"));
        }
        if let Some(generated) = column.generated_clause() {
            clause.push_str(&format!(" {generated}"));
        }
        clause
    }

    /// Whether a key part is computed from the column, so that it is NOT NULL unless declared otherwise.
    fn is_named_in_key(&self, name: &str) -> bool {
        let mut named = self.key.iter().flat_map(|part| part.expression.columns());
        named.any(|column| column == name)
    }
}

impl Column {
    /// How its values come about that no statement gives, as `CREATE TABLE` declares it; `None`: a statement gives them.
    fn generated_clause(&self) -> Option<String> {
        let of_expression = self
            .generated
            .as_ref()
            .map(|generated| format!("GENERATED ALWAYS AS ({generated}) STORED"));
        of_expression.or_else(|| {
            let identity = self.identity.as_ref()?;
            Some(if identity.always {
                "GENERATED ALWAYS AS IDENTITY".to_owned()
            } else {
                "GENERATED BY DEFAULT AS IDENTITY".to_owned()
            })
        })
    }

    /// What it has where a row is given no value for it, as `CREATE TABLE` declares it; `None` for NULL.
    pub fn default_clause(&self) -> Option<String> {
        self.default.clone().or_else(|| self.generated_clause())
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

/// The statement that says something of a thing.
pub fn comment_on(thing: &str, text: &str) -> String {
    format!("COMMENT ON {thing} IS {}", quoted(text))
}

/// A text as SQL writes it.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
