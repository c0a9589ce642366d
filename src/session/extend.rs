//! What a connection does for the program that embeds Halite: whole scripts, many rows at once, an end to statements that take too long, and
//! tables and functions of the program for statements to use.

use std::sync::Arc;
use std::time::Duration;

use datafusion::catalog::{TableFunctionImpl, TableProvider};
use datafusion::logical_expr::{AggregateUDF, ScalarUDF, WindowUDF};
use datafusion::physical_plan::common::collect;

use super::{Appender, AppenderOptions, Connection};
use crate::catalog::GuestFunctions;
use crate::error::{Error, Result};
use crate::function::guarded;
use crate::run::interrupt::InterruptHandle;
use crate::run::outcome::Outcome;
use crate::run::running::{Limit, SetBy, Within};
use crate::scan::Opened;
use crate::settings::HaliteOptions;
use crate::store::holders::STATEMENT;

impl Connection {
    /// Runs the statements of a script, in order, up to the first that fails; rows are dropped.
    ///
    /// # Errors
    /// Those of the script, before anything is run, or of the first statement that fails.
    pub async fn execute_script(&self, script: &str) -> Result<()> {
        for statement in &self.script(script)? {
            if let Outcome::Rows(stream) = self.run(statement).await? {
                collect(stream).await?;
            }
        }
        Ok(())
    }

    /// Adds rows to a table without SQL around each: the quickest way in.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table; `Unavailable` where the database is open for reading alone.
    pub fn appender(&self, table: &str) -> Result<Appender> {
        self.appender_with(table, AppenderOptions::default())
    }

    /// As [`Connection::appender`], with other options than the default.
    ///
    /// # Errors
    /// As [`Connection::appender`].
    pub fn appender_with(&self, table: &str, options: AppenderOptions) -> Result<Appender> {
        let table = self.catalogs().expect_table(table)?;
        let configured = self.session().copied_config();
        let settings = HaliteOptions::of(configured.options()).write_settings();
        Appender::new(self.clone(), table, settings, options)
    }

    /// What ends the statements of this connection and of its clones. For those of one task there is dropping its future
    /// or stream; a prepared point, which takes microseconds, is not ended.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.interrupts.handle()
    }

    /// The same connection, settings included, whose statements each take so long at most, from planning to the last row,
    /// whatever `halite.statement_timeout` says.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        let mut limited = self.clone();
        limited.timeout = Some(timeout);
        limited
    }

    /// What a statement gives that `begin` begins, on threads of Halite's own, within the time that it may take.
    pub(crate) async fn limited<S>(&self, begin: impl FnOnce(Self) -> S) -> Result<Outcome>
    where
        S: Future<Output = Result<Outcome>> + Send + 'static,
    {
        let mut connection = self.held_by(STATEMENT);
        connection.run_context.stop = self.database().ending().stop.one_of();
        let stop = connection.run_context.stop.clone();
        // On the heap: each future around it would hold it once more on the stack.
        let statement = Box::pin(begin(connection));
        self.within().apart(statement, stop).await
    }

    /// The rows of a scan that is open: read where they are asked for if they are few, else as those of any statement.
    pub(crate) async fn rows_opened(&self, opened: Opened) -> Result<Outcome> {
        if opened.is_brief() {
            return Ok(Outcome::Rows(opened.into_stream()));
        }
        let rows = async move { Ok(Outcome::Rows(opened.into_stream())) };
        self.limited(|_| rows).await
    }

    /// What ends a statement that begins.
    pub(crate) fn within(&self) -> Within {
        let held = self.database().held().called(STATEMENT);
        Within::new(self.limit(), &self.interrupts, held)
    }

    /// The same connection, for something that is called so.
    pub(crate) fn held_by(&self, what: &'static str) -> Self {
        let mut held = self.clone();
        held.database = self.database.held_by(what);
        held
    }

    /// How long a statement may take.
    fn limit(&self) -> Option<Limit> {
        if let Some(duration) = self.timeout {
            let set_by = SetBy::Program;
            return Some(Limit { duration, set_by });
        }
        let state = self.session().state_ref();
        let state = state.read();
        let set = HaliteOptions::of(state.config_options()).statement_timeout;
        let set_by = SetBy::Setting;
        set.limit().map(|duration| Limit { duration, set_by })
    }

    /// Lets the statements of this connection and of its clones read a table of DataFusion's, a `MemTable` say, under a
    /// name; one that was registered under it before is given back. It is no table of the database: nothing of it is
    /// kept, statements do not change it, and a table that is made with this name later hides it.
    ///
    /// The name is as it is stored: `Gulls` is written `"Gulls"` in SQL.
    ///
    /// # Errors
    /// `Conflict` where the database has a table of that name.
    pub fn register_table(
        &self,
        name: &str,
        table: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        if !self.catalogs().is_free(name) {
            return Err(Error::conflict(format!(
                "the database has a table `{name}`: register this one under another name"
            )));
        }
        Ok(self.run_context.guests.add(name, table))
    }

    /// A table that this connection sees, temporary ones included, as DataFusion's provider; for the database's there is
    /// [`Database::table_provider`](super::Database::table_provider), too.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table.
    pub fn table_provider(&self, name: &str) -> Result<Arc<dyn TableProvider>> {
        let table = self.catalogs().expect_table(name)?;
        let held = self.database().held().called("table provider");
        Ok(Arc::new(table.held_by(held)))
    }

    /// Takes away a table that was registered, and gives it back.
    pub fn deregister_table(&self, name: &str) -> Option<Arc<dyn TableProvider>> {
        self.run_context.guests.remove(name)
    }

    /// Lets statements call a function. One of its name that was there before is called no more. What the database keeps,
    /// a view or a DEFAULT, cannot call it: it is of this connection alone.
    pub fn register_udf(&self, function: ScalarUDF) {
        self.note_function(function.name(), function.aliases());
        // An asynchronous one is known by its type.
        let function = match function.as_async() {
            Some(_) => function,
            None => guarded(function),
        };
        self.context().register_udf(function);
    }

    /// As [`Connection::register_udf`], of an aggregate function.
    pub fn register_udaf(&self, function: AggregateUDF) {
        self.note_function(function.name(), function.aliases());
        self.context().register_udaf(function);
    }

    /// As [`Connection::register_udf`], of a window function.
    pub fn register_udwf(&self, function: WindowUDF) {
        self.note_function(function.name(), function.aliases());
        self.context().register_udwf(function);
    }

    /// As [`Connection::register_udf`], of a function that gives a table: `SELECT * FROM name(…)`.
    pub fn register_udtf(&self, name: &str, function: Arc<dyn TableFunctionImpl>) {
        self.note_function(name, &[]);
        self.context().register_udtf(name, function);
    }

    fn note_function(&self, name: &str, aliases: &[String]) {
        let config = self.session().copied_config();
        if let Some(functions) = config.get_extension::<GuestFunctions>() {
            functions.add(aliases.iter().map(String::as_str).chain([name]));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, StringArray};
    use arrow::datatypes::DataType;
    use arrow::record_batch::RecordBatch;
    use datafusion::common::DataFusionError;
    use datafusion::datasource::MemTable;
    use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};

    use crate::error::ErrorKind;
    use crate::session::Database;

    fn gulls() -> Arc<MemTable> {
        let columns: [(&str, ArrayRef); 2] = [
            ("name", Arc::new(StringArray::from(vec!["herring", "kelp"]))),
            ("n", Arc::new(Int64Array::from(vec![7, 8]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap())
    }

    #[tokio::test]
    async fn a_panic_of_a_function_is_told_as_its_own() {
        let connection = Database::in_memory().unwrap().connect();
        let broken = |_: &[ColumnarValue]| -> datafusion::common::Result<ColumnarValue> {
            panic!("no gulls here")
        };
        connection.register_udf(create_udf(
            "broken",
            vec![DataType::Int64],
            DataType::Int64,
            Volatility::Volatile,
            Arc::new(broken),
        ));
        for sql in [
            "SELECT broken(1)",
            "SELECT broken(value) FROM generate_series(1, 3)",
        ] {
            let error = connection.query(sql, ()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
            for part in ["`broken`", "no gulls here"] {
                assert!(error.message().contains(part), "{error}");
            }
            assert!(!error.message().contains("report"), "{error}");
        }
    }

    #[tokio::test]
    async fn tables_and_functions_of_the_program_are_used_by_statements() {
        let connection = Database::in_memory().unwrap().connect();
        for sql in [
            "CREATE TABLE seen (name TEXT, day DATE, PRIMARY KEY (name))",
            "INSERT INTO seen VALUES ('herring', '2024-01-01')",
        ] {
            connection.execute(sql, ()).await.unwrap();
        }
        assert!(
            connection
                .register_table("gulls", gulls())
                .unwrap()
                .is_none()
        );
        let twice = |arguments: &[ColumnarValue]| {
            let number = arguments[0].to_array(1)?;
            let number = number.as_any().downcast_ref::<Int64Array>().unwrap();
            let doubled: Int64Array = number.unary(|value| value * 2);
            Ok::<_, DataFusionError>(ColumnarValue::Array(Arc::new(doubled)))
        };
        let types = (vec![DataType::Int64], DataType::Int64);
        let twice = create_udf(
            "twice",
            types.0,
            types.1,
            Volatility::Immutable,
            Arc::new(twice),
        );
        connection.register_udf(twice);
        let sql = "SELECT twice(n) FROM gulls JOIN seen USING (name) WHERE n > $1";
        let row = connection.clone().query_row(sql, (1_i64,)).await.unwrap();
        assert_eq!(row.unwrap().get::<i64>(0).unwrap(), 14);
        // What the database keeps does not call it.
        for kept in [
            "CREATE VIEW v AS SELECT twice(1) AS n",
            "CREATE VIEW v AS SELECT name FROM seen WHERE 2 IN (SELECT Twice(1))",
            "CREATE TEMP VIEW v AS SELECT twice(1) AS n",
            "CREATE TABLE kept (k INT, n BIGINT DEFAULT twice(1), PRIMARY KEY (k))",
            "ALTER TABLE seen ADD COLUMN n BIGINT DEFAULT twice(1)",
        ] {
            let error = connection.execute(kept, ()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotSupported, "{kept}: {error}");
            assert!(error.message().contains("`twice` is a function"), "{error}");
        }
        let other = connection.database().connect();
        other
            .execute("CREATE VIEW v AS SELECT abs(1) AS n", ())
            .await
            .unwrap();
        let made = "INSERT INTO seen SELECT name, NULL FROM gulls WHERE n = 8";
        assert_eq!(connection.execute(made, ()).await.unwrap(), 1);
        // Another connection knows nothing of it, and nobody writes to it.
        let other = connection.database().connect();
        assert!(other.query("SELECT * FROM gulls", ()).await.is_err());
        for change in ["INSERT INTO gulls VALUES ('x', 1)", "DELETE FROM gulls"] {
            assert!(connection.execute(change, ()).await.is_err(), "{change}");
        }
        let taken = connection.register_table("seen", gulls()).unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::Conflict);
        assert!(connection.deregister_table("gulls").is_some());
        assert!(connection.query("SELECT * FROM gulls", ()).await.is_err());
    }
}
