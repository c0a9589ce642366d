//! Definitions of views: the text of a query under a name, kept as JSON in the store.
//!
//! # Format, version 1
//!
//! ```json
//! {"format": 1, "view": {"name": "late", "query": "SELECT host, ts AS at FROM cpu WHERE usage > 0.9",
//!   "columns": [{"name": "host", "source": "host"}, {"name": "at", "source": "at"}], "reads": ["cpu"]}}
//! ```
//!
//! The columns are those that the query gave when the view was made, whatever a star in it would stand for later. A
//! definition of a newer format, or with a field that this version does not know, is refused. Version 2 has
//! `"comment": "…"`, too.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::stored::{Kind, format_of};
use super::validate::check_name;
use crate::datum::identifier;
use crate::error::{Error, Result};

const KIND: Kind = Kind {
    name: "view",
    format: 2,
};

/// A query under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Its name, folded as SQL folds it.
    pub name: String,
    /// The query as it was written.
    pub query: String,
    /// Its columns, in order.
    pub columns: Vec<ViewColumn>,
    /// The tables and views that the query names, sorted.
    pub reads: Vec<String>,
    /// What is said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A column of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewColumn {
    /// Its name, folded as SQL folds it.
    pub name: String,
    /// The name that the query gives it.
    pub source: String,
}

impl View {
    /// Whether the definition can be a view.
    ///
    /// # Errors
    /// `InvalidInput` that names the view, the column and the reason.
    pub fn validate(&self) -> Result<()> {
        check_name("view", &self.name)?;
        self.check_columns()
            .map_err(|error| error.context(format!("view `{}`", self.name)))
    }

    fn check_columns(&self) -> Result<()> {
        if self.columns.is_empty() {
            return Err(Error::invalid("a view needs at least one column"));
        }
        let mut seen = HashSet::new();
        for column in &self.columns {
            if !seen.insert(&column.name) {
                return Err(Error::invalid(format!(
                    "column `{}` stands in it twice: give the columns names, as in {} (a, b) AS …",
                    column.name,
                    identifier(&self.name)
                )));
            }
        }
        Ok(())
    }

    /// The definition as it is stored.
    ///
    /// # Errors
    /// `Internal`, which would be a fault of the serialiser.
    pub fn to_json(&self) -> Result<String> {
        KIND.written(self, format_of(&self.comment))
    }

    /// A stored definition.
    ///
    /// # Errors
    /// `Corrupt` where the text is no valid definition or was written by a newer Halite.
    pub fn from_json(text: &str) -> Result<Self> {
        let view: Self = KIND.read(text)?;
        view.validate().map_err(|error| {
            Error::corrupt(format!("a stored definition is not valid: {error}")).with_source(error)
        })?;
        Ok(view)
    }

    /// The CREATE VIEW statement of this view, without a semicolon: what SHOW CREATE VIEW prints.
    pub fn create_statement(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|it| identifier(&it.name)).collect();
        let is_renamed = self.columns.iter().any(|it| it.name != it.source);
        let columns = if is_renamed {
            format!(" ({})", names.join(", "))
        } else {
            String::new()
        };
        let name = identifier(&self.name);
        format!("CREATE VIEW {name}{columns} AS\n{}", self.query)
    }

    /// What it reads, for errors: `` `t`, `u` ``.
    pub fn reads_in_words(&self) -> String {
        let names: Vec<String> = self.reads.iter().map(|name| format!("`{name}`")).collect();
        if names.is_empty() {
            "no table".to_owned()
        } else {
            names.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn view() -> View {
        let column = |name: &str, source: &str| ViewColumn {
            name: name.to_owned(),
            source: source.to_owned(),
        };
        View {
            name: "late".to_owned(),
            query: "SELECT host, ts AS at FROM cpu".to_owned(),
            columns: vec![column("host", "host"), column("at", "at")],
            reads: vec!["cpu".to_owned()],
            comment: None,
        }
    }

    /// The bytes are for ever.
    const STORED: &str = r#"{"format":1,"view":{"name":"late","query":"SELECT host, ts AS at FROM cpu","columns":[{"name":"host","source":"host"},{"name":"at","source":"at"}],"reads":["cpu"]}}"#;

    #[test]
    fn a_definition_is_stored_and_read() {
        assert_eq!(view().to_json().unwrap(), STORED);
        assert_eq!(View::from_json(STORED).unwrap(), view());
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for (from, to, wrong) in [
            ("\"format\":1", "\"format\":3", "upgrade Halite"),
            ("\"reads\":", "\"owner\":1,\"reads\":", "unknown field"),
            ("\"name\":\"at\"", "\"name\":\"host\"", "twice"),
            ("\"name\":\"late\"", "\"name\":\"\"", "not valid"),
        ] {
            let error = View::from_json(&STORED.replacen(from, to, 1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{to}");
            assert!(error.to_string().contains(wrong), "{to}: {error}");
        }
    }

    #[test]
    fn the_statement_says_names_where_the_query_does_not() {
        let mut view = view();
        let plain = "CREATE VIEW late AS\nSELECT host, ts AS at FROM cpu";
        assert_eq!(view.create_statement(), plain);
        view.columns[1].name = "When".to_owned();
        let named = "CREATE VIEW late (host, \"When\") AS\nSELECT host, ts AS at FROM cpu";
        assert_eq!(view.create_statement(), named);
    }
}
