//! The names that a user may write: tables, columns, functions, settings. Completion offers them and error reports
//! suggest them.

use datafusion::config::{ConfigExtension, ExtensionOptions};

use super::format::type_name;
use crate::catalog::{CATALOG_NAME, SCHEMA_NAME};
use crate::schema::Table;
use crate::session::{Connection, file_functions};
use crate::settings::HaliteOptions;
use crate::sql::rewrite::functions::written_out;
use crate::table::HaliteTable;

/// The names that a connection knows, looked up afresh each time.
#[derive(Debug, Clone)]
pub struct Names {
    connection: Connection,
}

/// A name, and what there is to say of it on one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The name as it is stored, without quotes.
    pub name: String,
    /// A type, a kind, a value.
    pub note: String,
}

impl Names {
    /// The names of a connection.
    pub fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// The tables and views, in order.
    pub fn tables(&self) -> Vec<String> {
        let catalog = self.connection.session().catalog(CATALOG_NAME);
        let schema = catalog.and_then(|catalog| catalog.schema(SCHEMA_NAME));
        let mut names = schema.map_or_else(Vec::new, |schema| schema.table_names());
        names.sort();
        names
    }

    /// The definition of a table; `None` where there is no such table of Halite.
    pub fn definition(&self, table: &str) -> Option<Table> {
        let provider = self.connection.table_provider(table).ok()?;
        let table = provider.downcast_ref::<HaliteTable>()?;
        Some(table.bound().table().clone())
    }

    /// The statements that make the views, each behind those that it reads; with a name that of one.
    pub fn view_statements(&self, name: Option<&str>) -> Vec<String> {
        self.connection.view_statements(name)
    }

    /// The statements that make the sequences.
    pub fn sequence_statements(&self) -> Vec<String> {
        self.connection.sequence_statements()
    }

    /// Whether a view has the name.
    pub fn is_view(&self, name: &str) -> bool {
        self.connection.view_definition(name).is_some()
    }

    /// The columns of a table with their types, in the table's order, or those of a view; none where there is neither.
    pub fn columns(&self, table: &str) -> Vec<Name> {
        if let Some(view) = self.connection.view_definition(table) {
            let columns = view.columns.iter().map(|column| Name {
                name: column.name.clone(),
                note: "of a view".to_owned(),
            });
            return columns.collect();
        }
        let Ok(provider) = self.connection.table_provider(table) else {
            return Vec::new();
        };
        let schema = provider.schema();
        let columns = schema.fields().iter().map(|field| Name {
            name: field.name().clone(),
            note: type_name(field.data_type()),
        });
        columns.collect()
    }

    /// Functions of every kind that give a value, in order.
    pub fn functions(&self) -> Vec<Name> {
        let state = self.connection.session().state();
        let named = |name: &String, kind: &str| Name {
            name: name.clone(),
            note: kind.to_owned(),
        };
        let mut found: Vec<Name> = Vec::new();
        found.extend(
            state
                .scalar_functions()
                .keys()
                .map(|name| named(name, "function")),
        );
        found.extend(
            state
                .aggregate_functions()
                .keys()
                .map(|name| named(name, "aggregate")),
        );
        found.extend(
            state
                .window_functions()
                .keys()
                .map(|name| named(name, "window")),
        );
        found.extend(written_out().map(|name| named(&name.to_owned(), "function")));
        found.sort();
        found.dedup_by(|later, earlier| later.name == earlier.name);
        found
    }

    /// Functions that give a table, in order.
    pub fn table_functions(&self) -> Vec<String> {
        let state = self.connection.session().state();
        let mut names: Vec<String> = state.table_functions().keys().cloned().collect();
        names.extend(file_functions().map(str::to_owned));
        names.sort();
        names
    }

    /// Settings with their values, Halite's before DataFusion's.
    pub fn settings(&self) -> Vec<Name> {
        let config = self.connection.session().copied_config();
        let options = config.options();
        let value = |value: Option<String>| value.unwrap_or_default();
        let own = HaliteOptions::of(options).entries();
        let own = own.into_iter().map(|entry| Name {
            name: format!("{}.{}", HaliteOptions::PREFIX, entry.key),
            note: value(entry.value),
        });
        let theirs = options.entries().into_iter();
        let mut theirs: Vec<Name> = theirs
            .filter(|entry| entry.key.contains('.'))
            .map(|entry| Name {
                name: entry.key,
                note: value(entry.value),
            })
            .collect();
        theirs.sort();
        own.chain(theirs).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Database;

    #[tokio::test]
    async fn the_names_of_a_database_are_listed() {
        let connection = Database::in_memory().unwrap().connect();
        let create = "CREATE TABLE gulls (name TEXT, seen TIMESTAMP(3), PRIMARY KEY (name))";
        connection.execute(create, Vec::new()).await.unwrap();
        connection
            .execute("SET halite.span_budget = 7", Vec::new())
            .await
            .unwrap();
        let names = Names::new(connection.clone());
        assert_eq!(names.tables(), ["gulls"]);
        let columns = names.columns("gulls");
        let columns: Vec<_> = columns
            .iter()
            .map(|column| (&*column.name, &*column.note))
            .collect();
        assert_eq!(columns, [("name", "text"), ("seen", "timestamp(3)")]);
        assert_eq!(names.columns("terns"), []);
        assert_eq!(names.definition("gulls").unwrap().key_clause(), "name");
        assert_eq!(names.definition("terns"), None);
        let create = "CREATE VIEW terns AS SELECT seen FROM gulls";
        connection.execute(create, Vec::new()).await.unwrap();
        assert_eq!(names.tables(), ["gulls", "terns"]);
        assert_eq!(names.columns("terns")[0].name, "seen");
        assert!(names.is_view("terns") && !names.is_view("gulls"));
        let settings = names.settings();
        let value = |name: &str| settings.iter().find(|found| found.name == name).unwrap();
        assert_eq!(value("halite.span_budget").note, "7");
        assert_eq!(value("halite.pushdown").note, "true");
        assert_eq!(value("datafusion.execution.batch_size").note, "8192");
        let functions = names.functions();
        for (name, kind) in [
            ("date_trunc", "function"),
            ("count", "aggregate"),
            ("row_number", "window"),
        ] {
            let function = functions.iter().find(|found| found.name == name).unwrap();
            assert_eq!(function.note, kind);
        }
        assert!(names.table_functions().contains(&"keys".to_owned()));
    }
}
