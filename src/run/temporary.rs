//! Where the temporary files of queries are, and how much of the disk they may take: DataFusion's settings
//! `datafusion.runtime.temp_directory`, `max_temp_directory_size` and `max_spill_merge_fan_in`.
//!
//! They are in the directory of the database, unless a connection says another. DataFusion makes a new manager of
//! temporary files for each change of these settings, in the system's directory if the setting is not the directory: the
//! change is taken over, and the manager stays.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::Statement;
use datafusion::prelude::SessionContext;

/// Which of the settings a statement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Directory,
    NoDirectory,
    Size,
    FanIn,
}

/// A connection before a statement that changes one of the settings.
pub(crate) struct Before {
    change: Change,
    manager: Arc<DiskManager>,
}

impl Before {
    /// `None` for all other statements.
    pub(crate) fn of(statement: &Statement, context: &SessionContext) -> Option<Self> {
        let (variable, is_set) = match statement {
            Statement::SetVariable(set) => (&set.variable, true),
            Statement::ResetVariable(reset) => (&reset.variable, false),
            _ => return None,
        };
        let change = match (variable.as_str(), is_set) {
            ("datafusion.runtime.temp_directory", true) => Change::Directory,
            ("datafusion.runtime.temp_directory", false) => Change::NoDirectory,
            ("datafusion.runtime.max_temp_directory_size", _) => Change::Size,
            ("datafusion.runtime.max_spill_merge_fan_in", _) => Change::FanIn,
            _ => return None,
        };
        let manager = Arc::clone(&context.runtime_env().disk_manager);
        Some(Self { change, manager })
    }

    /// Behind the statement: what it has changed, and nothing else. `own` is the database's.
    ///
    /// # Errors
    /// Those of DataFusion, which has none that are known.
    pub(crate) fn settle(self, context: &SessionContext, own: &Arc<DiskManager>) -> Result<()> {
        let now = Arc::clone(&context.runtime_env().disk_manager);
        let Self { change, manager } = self;
        let manager = match change {
            Change::Directory => {
                now.set_max_temp_directory_size(manager.max_temp_directory_size())?;
                now.set_max_spill_merge_fan_in(manager.max_spill_merge_fan_in());
                return Ok(());
            }
            Change::NoDirectory => Arc::clone(own),
            Change::Size => {
                manager.set_max_temp_directory_size(now.max_temp_directory_size())?;
                manager
            }
            Change::FanIn => {
                manager.set_max_spill_merge_fan_in(now.max_spill_merge_fan_in());
                manager
            }
        };
        let state = context.state_ref();
        let mut state = state.write();
        let mut runtime = RuntimeEnvBuilder::from_runtime_env(state.runtime_env()).build()?;
        runtime.disk_manager = manager;
        *state = SessionStateBuilder::from(state.clone())
            .with_runtime_env(Arc::new(runtime))
            .build();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::error::{Error, ErrorKind};
    use crate::session::{Connection, Database};

    /// More than there is memory for, as a sort.
    const SORTED: &str = "SELECT count(*) AS n FROM (SELECT value, value + 1 AS b FROM \
                          generate_series(1, 2000000) ORDER BY value % 7919 LIMIT 1999999) q";

    async fn run(connection: &Connection, sql: &str) {
        connection.execute(sql, ()).await.unwrap();
    }

    async fn sorted(connection: &Connection) -> Result<i64, Error> {
        let row = connection.query_row(SORTED, ()).await?;
        row.unwrap().get("n")
    }

    #[tokio::test]
    async fn what_queries_sort_is_in_the_directory_of_the_database() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.halite");
        let database = Database::open(&path).await.unwrap();
        let connection = database.connect();
        run(&connection, "SET halite.memory_limit = '16M'").await;
        let spills = path.join("halite-spills");
        assert!(!spills.exists());
        assert_eq!(sorted(&connection).await.unwrap(), 1_999_999);
        assert_eq!(fs::read_dir(&spills).unwrap().count(), 0);
        // Where there can be none the directory is named.
        fs::remove_dir(&spills).unwrap();
        fs::write(&spills, "no directory").unwrap();
        let error = sorted(&connection).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let expected = format!("no temporary file can be made in {}", spills.display());
        assert!(error.message().contains(&expected), "{error}");
        // Another directory, and back.
        let elsewhere = tempfile::tempdir().unwrap();
        let set = format!(
            "SET datafusion.runtime.temp_directory = '{}'",
            elsewhere.path().display()
        );
        run(&connection, &set).await;
        assert_eq!(sorted(&connection).await.unwrap(), 1_999_999);
        run(&connection, "RESET datafusion.runtime.temp_directory").await;
        sorted(&connection).await.unwrap_err();
    }

    #[tokio::test]
    async fn other_settings_of_temporary_files_leave_them_where_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.halite");
        let database = Database::open(&path).await.unwrap();
        let connection = database.connect();
        run(&connection, "SET halite.memory_limit = '16M'").await;
        assert_eq!(sorted(&connection).await.unwrap(), 1_999_999);
        run(
            &connection,
            "SET datafusion.runtime.max_temp_directory_size = '1M'",
        )
        .await;
        let error = sorted(&connection).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.message().contains("than 1048576 bytes"), "{error}");
        run(
            &connection,
            "RESET datafusion.runtime.max_temp_directory_size",
        )
        .await;
        run(
            &connection,
            "SET datafusion.runtime.max_spill_merge_fan_in = 3",
        )
        .await;
        assert_eq!(sorted(&connection).await.unwrap(), 1_999_999);
        let sql = "SHOW datafusion.runtime.max_spill_merge_fan_in";
        let row = connection.query_row(sql, ()).await.unwrap().unwrap();
        assert_eq!(row.get::<String>("value").unwrap(), "3");
        fs::remove_dir(path.join("halite-spills")).unwrap();
        fs::write(path.join("halite-spills"), "no directory").unwrap();
        sorted(&connection).await.unwrap_err();
    }
}
