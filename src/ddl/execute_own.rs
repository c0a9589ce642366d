//! Statements that Halite answers without DataFusion: DDL, `SHOW …`, `DESCRIBE`, `COMMENT`, `VACUUM`.
//!
//! They have no snapshot. What another process has made, altered or dropped before one begins it must know all the same:
//! it is looked up first, as a snapshot does it.

use super::command::Own;
use super::{comments, sequences};
use crate::error::Result;
use crate::run::outcome::Outcome;
use crate::session::Connection;
use crate::settings::HaliteOptions;

impl Connection {
    /// Runs a statement of Halite's own, which was written so.
    pub(crate) async fn run_own(&self, own: Own<'_>, text: &str) -> Result<Outcome> {
        if own.is_about_tables() {
            self.catalogs().follow()?;
        }
        match own {
            Own::CreateTable(create) => {
                self.create_table(create, own.catalog(self.catalogs())?)
                    .await
            }
            Own::AlterTable(alter) => self.alter_table(alter, own.catalog(self.catalogs())?).await,
            Own::View(about) => self.view_statement(about, text).await,
            Own::Sequence(about) => sequences::answer(about, self.catalogs()).await,
            Own::Comment(about) => comments::answer(about, self.catalogs()).await,
            Own::Describe(name) => match self.describe_view(name).await? {
                Some(described) => Ok(described),
                None => self.answer_own(own).await,
            },
            own => self.answer_own(own).await,
        }
    }

    async fn answer_own(&self, own: Own<'_>) -> Result<Outcome> {
        let settings = || {
            let state = self.statement_state()?;
            Ok(HaliteOptions::of(state.config_options()))
        };
        own.answer(self.catalogs(), settings).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::session::testing::rows_of;
    use crate::session::{Connection, Database};
    use crate::store::simulated_calmly;

    async fn execute(connection: &Connection, sql: &str) {
        let done = connection.execute(sql, ()).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Two databases have one store, as two processes have a cluster.
    #[tokio::test]
    async fn what_another_process_has_made_is_known() {
        let store = simulated_calmly();
        let connect = || Database::of_store(Arc::clone(&store)).unwrap().connect();
        let (one, other) = (connect(), connect());
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("rows.csv").display().to_string();
        std::fs::write(&file, "7\n").unwrap();
        for sql in [
            "ALTER TABLE t ADD COLUMN b INT",
            "TRUNCATE TABLE t",
            "COMMENT ON TABLE t IS 'seen'",
            "CREATE VIEW v AS SELECT a FROM t",
            "DROP TABLE t",
            "DROP VIEW v; DROP TABLE t",
            &format!("COPY t FROM '{file}'"),
            &format!("COPY t TO '{file}'"),
        ] {
            execute(&one, "CREATE TABLE t (a INT, PRIMARY KEY (a))").await;
            if sql.contains("DROP VIEW") {
                execute(&one, "CREATE VIEW v AS SELECT a FROM t").await;
            }
            for sql in sql.split("; ") {
                execute(&other, sql).await;
            }
            execute(&one, "DROP VIEW IF EXISTS v").await;
            execute(&one, "DROP TABLE IF EXISTS t").await;
            assert!(rows_of(&other, "SHOW TABLES").await.is_empty(), "{sql}");
        }
        execute(&one, "CREATE TABLE t (a INT, PRIMARY KEY (a))").await;
        assert_eq!(rows_of(&other, "SHOW TABLES").await, ["t"]);
        execute(&one, "DROP TABLE t").await;
        execute(&one, "CREATE TABLE t (c TEXT, PRIMARY KEY (c))").await;
        let described = rows_of(&other, "DESCRIBE t").await;
        assert!(described[0].starts_with("c|"), "{described:?}");
        let create = rows_of(&other, "SHOW CREATE TABLE t").await;
        assert!(create[0].contains("c TEXT"), "{create:?}");
        let error = other
            .execute("CREATE TABLE t (a INT, PRIMARY KEY (a))", ())
            .await;
        assert!(error.unwrap_err().to_string().contains("t"));
    }
}
