//! A parsed statement, changed: for programs that keep their SQL in files and run it over several tables or places.
//!
//! The tree is changed and not the text, so a column or a string that reads like the table's name stays as it is.

use std::ops::ControlFlow;
use std::path::Path;

use sqlparser::ast::{
    Ident, ObjectName, Query, Statement as SqlStatement, TableAlias, TableFactor, VisitMut,
    VisitorMut,
};

use super::Statement;
use crate::error::{Error, Result};
use crate::sql::copy_statement::{CopySource, ScriptRows};
use crate::sql::parse::{Buckets, Command, Parsed};
use crate::write::copy::{CopyDirection, STANDARD};

impl Statement {
    /// The same statement reading table `to` where it says `from`, both folded as the catalog folds them.
    ///
    /// Columns may still be qualified with `from`: a table without an alias gets it as its alias. A query that gives
    /// the name to something of its own, `WITH from AS (…)`, keeps it throughout. Only tables that are read are
    /// renamed; the target of a change is not.
    #[must_use]
    pub fn with_table(&self, from: &str, to: &str) -> Self {
        let mut changed = self.clone();
        let mut rename = Rename {
            from,
            to,
            hidden: 0,
        };
        match &mut changed.parsed_mut().command {
            Command::Sql(statement) => rename.tree(statement.sql.as_mut()),
            Command::ExplainKeys(query, _) | Command::Summarize(query) => {
                rename.tree(query.as_mut())
            }
            Command::Copy(copy) => match &mut copy.source {
                CopySource::Query(query) => rename.tree(query.as_mut()),
                CopySource::Table { name, .. }
                    if copy.direction == CopyDirection::To && rename.is_named(name) =>
                {
                    *name = ObjectName::from(vec![Ident::with_quote('"', to)]);
                }
                CopySource::Table { .. } => {}
            },
        }
        changed
    }

    /// The same `COPY … FROM`, a relative file being looked for in `directory`; any other statement as it is.
    #[must_use]
    pub fn with_files_in(&self, directory: &Path) -> Self {
        let mut changed = self.clone();
        if matches!(self.parsed.command, Command::Copy(_))
            && let Command::Copy(copy) = &mut changed.parsed_mut().command
            && copy.direction == CopyDirection::From
            && copy.file != STANDARD
        {
            copy.file = directory.join(&copy.file).to_string_lossy().into_owned();
        }
        changed
    }

    /// The same `COPY … FROM STDIN` of rows that stand in a script; any other statement as it is.
    #[must_use]
    pub fn with_rows(mut self, rows: &ScriptRows) -> Self {
        if matches!(self.parsed.command, Command::Copy(_))
            && let Command::Copy(copy) = &mut self.parsed_mut().command
            && copy.direction == CopyDirection::From
            && copy.file == STANDARD
        {
            copy.rows = Some(rows.clone());
        }
        self
    }

    /// `EXPLAIN KEYS` of this query.
    ///
    /// # Errors
    /// `InvalidInput` for what is no query.
    pub fn explain_keys(&self, buckets: Buckets) -> Result<Self> {
        let query = match &self.parsed.command {
            Command::Sql(statement) => match statement.unexplained() {
                Some(SqlStatement::Query(query)) => Some(query.clone()),
                _ => None,
            },
            Command::ExplainKeys(query, _) => Some(query.clone()),
            Command::Copy(_) | Command::Summarize(_) => None,
        };
        let query = query.ok_or_else(|| Error::invalid("only a query has keys to explain"))?;
        let verbose = match buckets {
            Buckets::Together => "",
            Buckets::Each => "VERBOSE ",
        };
        let parsed = Parsed {
            text: format!("EXPLAIN KEYS {verbose}{}", self.parsed.text),
            names: self.parsed.names.clone(),
            command: Command::ExplainKeys(query, buckets),
            depth: self.parsed.depth,
        };
        Ok(parsed.into())
    }
}

/// Gives a table another name wherever it is read.
struct Rename<'a> {
    from: &'a str,
    to: &'a str,
    /// How many of the queries around the current place have a WITH of that name.
    hidden: usize,
}

impl Rename<'_> {
    fn tree(&mut self, tree: &mut impl VisitMut) {
        let _: ControlFlow<()> = tree.visit(self);
    }

    fn is_named(&self, name: &ObjectName) -> bool {
        let [part] = name.0.as_slice() else {
            return false;
        };
        part.as_ident().is_some_and(|ident| self.is_ident(ident))
    }

    fn is_ident(&self, ident: &Ident) -> bool {
        match ident.quote_style {
            Some(_) => ident.value == self.from,
            None => ident.value.to_ascii_lowercase() == self.from,
        }
    }

    fn hides(&self, query: &Query) -> bool {
        let tables = query.with.iter().flat_map(|with| &with.cte_tables);
        tables
            .into_iter()
            .any(|table| self.is_ident(&table.alias.name))
    }
}

impl VisitorMut for Rename<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.hidden += usize::from(self.hides(query));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.hidden -= usize::from(self.hides(query));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table {
            name,
            alias,
            args: None,
            ..
        } = factor
            && self.hidden == 0
            && self.is_named(name)
        {
            *name = ObjectName::from(vec![Ident::with_quote('"', self.to)]);
            alias.get_or_insert_with(|| TableAlias {
                explicit: true,
                name: Ident::with_quote('"', self.from),
                columns: Vec::new(),
                at: None,
            });
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse::parse;

    fn statement(sql: &str) -> Statement {
        let parsed = parse(sql).unwrap().pop().unwrap();
        parsed.into()
    }

    fn renamed(sql: &str) -> String {
        let renamed = statement(sql).with_table("flights", "flights_by_time");
        match &renamed.parsed.command {
            Command::Sql(statement) => statement.sql.to_string(),
            Command::ExplainKeys(query, _) | Command::Summarize(query) => query.to_string(),
            Command::Copy(statement) => statement.to_string(),
        }
    }

    #[test]
    fn tables_are_renamed_and_nothing_else() {
        let sql =
            "SELECT count(*) AS flights, 'flights' FROM Flights f JOIN x.flights ON f.flights = 1";
        let expected = "SELECT count(*) AS flights, 'flights' FROM \"flights_by_time\" f \
                        JOIN x.flights ON f.flights = 1";
        assert_eq!(renamed(sql), expected);
        assert_eq!(
            renamed("SELECT flights.a FROM flights WHERE a IN (SELECT b FROM flights AS g)"),
            "SELECT flights.a FROM \"flights_by_time\" AS \"flights\" \
             WHERE a IN (SELECT b FROM \"flights_by_time\" AS g)"
        );
        let explained = renamed("EXPLAIN KEYS SELECT 1 FROM flights");
        assert_eq!(
            explained,
            "SELECT 1 FROM \"flights_by_time\" AS \"flights\""
        );
        assert_eq!(
            renamed("SELECT 1 FROM \"Flights\""),
            "SELECT 1 FROM \"Flights\""
        );
    }

    #[test]
    fn a_with_query_of_the_name_hides_the_table() {
        let hidden = "WITH flights AS (SELECT 1) SELECT * FROM flights";
        assert_eq!(renamed(hidden), hidden);
        let beside =
            "SELECT 1 FROM (WITH flights AS (SELECT 1) SELECT * FROM flights) AS a, flights AS b";
        assert_eq!(
            renamed(beside),
            beside.replace("flights AS b", "\"flights_by_time\" AS b")
        );
    }

    #[test]
    fn files_are_looked_for_in_the_directory() {
        let of = |sql: &str| match &statement(sql).with_files_in(Path::new("/d")).parsed.command {
            Command::Copy(statement) => statement.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(of("COPY t FROM 'data/t.csv'").contains("'/d/data/t.csv'"));
        assert!(of("COPY t FROM '/other/t.csv'").contains("'/other/t.csv'"));
    }

    #[test]
    fn only_queries_have_keys_to_explain() {
        for (buckets, text) in [
            (Buckets::Together, "EXPLAIN KEYS SELECT 1 FROM t"),
            (Buckets::Each, "EXPLAIN KEYS VERBOSE SELECT 1 FROM t"),
        ] {
            let explained = statement("SELECT 1 FROM t").explain_keys(buckets).unwrap();
            assert!(
                matches!(explained.parsed.command, Command::ExplainKeys(_, is) if is == buckets)
            );
            assert_eq!(explained.text(), text);
        }
        let deleted = statement("DELETE FROM t").explain_keys(Buckets::Together);
        let error = deleted.unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::InvalidInput);
    }
}
