//! Connections: statements run one after the other, each at one snapshot.
//!
//! The way of a statement: [`parse`](super::parse) cuts and parses the script; DDL, `COPY`, `SHOW …` and
//! `EXPLAIN KEYS` are answered here; everything else is planned by DataFusion with Halite's rules in front, and reads the
//! store at the snapshot that the statement took when it began.
//!
//! What is public here goes on a large stack at once, for a statement may be nested deep: nothing below does.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::common::ParamValues;
use datafusion::dataframe::DataFrame;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{
    Deallocate, DmlStatement, LogicalPlan, Statement as PlannedStatement, WriteOp,
};
use datafusion::physical_plan::{ExecutionPlan, common::collect, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::Statement as DFStatement;

use super::apart::{Effort, apart};
use super::command::{self, Own};
use super::copy_statement::CopyStatement;
use super::insert::Insert;
use super::meter::Meter;
use super::named::NamedStatements;
use super::outcome::{
    Outcome, Wanted, count, gives_rows, no_rows, refuse_hidden_changes, takes_parameters,
};
use super::parse::{Command, Parsed, parse};
use super::placeholders::Placeholders;
use super::stack::{large_stack, on_large_stack};
use super::{
    Appender, AppenderOptions, Database, IntoParameters, Row, RowStream, Rows, clauses, copy,
    delete, export, files, fit, guard, memory, names, natural, recursion, running, subqueries,
};
use crate::catalog::{CATALOG_NAME, HaliteCatalog, SCHEMA_NAME};
use crate::error::{Error, Result};
use crate::scan::StatementSnapshot;
use crate::settings::{ByteSize, HaliteOptions};
use crate::write::Progress;
use crate::write::copy::{CopyDirection, copy_from};
use crate::{function, optimize};

/// What a text becomes while it is parsed and planned, at most: so many times its own length.
const MEMORY_OF_TEXT: usize = 64;

/// A connection to a database. Its settings (`SET …`) are its own.
#[derive(Clone)]
pub struct Connection {
    database: Database,
    context: SessionContext,
    progress: Progress,
    meter: Option<Arc<Meter>>,
    named: NamedStatements,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// A parsed statement of a script.
#[derive(Debug)]
pub struct Statement {
    pub(super) parsed: Parsed,
}

impl Clone for Statement {
    fn clone(&self) -> Self {
        // It may be nested deep.
        on_large_stack(|| Self {
            parsed: self.parsed.clone(),
        })
    }
}

impl Statement {
    /// The statement as it was written, without its semicolon.
    pub fn text(&self) -> &str {
        &self.parsed.text
    }
}

impl Connection {
    pub(super) fn new(database: Database) -> Self {
        let config = SessionConfig::new()
            .with_default_catalog_and_schema(CATALOG_NAME, SCHEMA_NAME)
            .with_create_default_catalog_and_schema(false)
            .with_option_extension(HaliteOptions::default());
        let builder = SessionStateBuilder::new()
            .with_default_features()
            .with_runtime_env(Arc::new(RuntimeEnv {
                memory_pool: Arc::clone(database.memory()) as Arc<dyn MemoryPool>,
                ..RuntimeEnv::default()
            }))
            .with_config(config);
        let context = files::enable(
            SessionContext::new_with_state(optimize::install(builder).build()),
            database.access(),
        );
        context.register_catalog(
            CATALOG_NAME,
            Arc::new(HaliteCatalog::new(Arc::clone(database.catalog()))),
        );
        let tables = Arc::clone(database.catalog());
        let look_up = move |name: &str| {
            let table = tables.expect_table(name)?;
            Ok((Arc::clone(table.bound()), Arc::clone(table.store())))
        };
        context.register_udtf("keys", function::keys(Arc::new(look_up)));
        function::scalar_functions().for_each(|function| context.register_udf(function));
        names::casts::register(&context);
        Self {
            database,
            context,
            progress: Progress::default(),
            meter: None,
            named: NamedStatements::default(),
        }
    }

    /// The same connection, settings included, whose statements `meter` looks at.
    pub fn metered(&self, meter: Arc<Meter>) -> Self {
        Self {
            meter: Some(meter),
            ..self.clone()
        }
    }

    /// Whether somebody looks at what its statements read.
    pub(super) fn is_metered(&self) -> bool {
        self.meter.is_some()
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// DataFusion's session behind the connection, for what this interface does not offer.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// How far the connection's statement is, if it writes rows, and how far the last one came: to be looked at from
    /// another task or thread while it runs. A clone of it follows the statements to come as well.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The statements of a script, in order. Nothing is run.
    ///
    /// # Errors
    /// `InvalidInput` where the text is no SQL or too deep to be planned.
    pub fn script(&self, sql: &str) -> Result<Vec<Statement>> {
        let most = self.database.memory().limit() / MEMORY_OF_TEXT;
        guard::check_length(sql, most)?;
        Ok(parse(sql)?
            .into_iter()
            .map(|parsed| Statement { parsed })
            .collect())
    }

    /// Runs one statement.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn run(&self, statement: &Statement) -> Result<Outcome> {
        self.progress.begin();
        self.limited(self.run_statement(statement, Wanted::Anything))
            .await
    }

    /// What a statement gives, within the time that it may take; on a large stack.
    pub(super) async fn limited(
        &self,
        statement: impl Future<Output = Result<Outcome>>,
    ) -> Result<Outcome> {
        let limit = {
            let state = self.context.state_ref();
            let state = state.read();
            HaliteOptions::of(state.config_options()).statement_timeout
        };
        large_stack(running::within(limit, statement)).await
    }

    async fn run_statement(&self, statement: &Statement, wanted: Wanted) -> Result<Outcome> {
        match &statement.parsed.command {
            Command::ExplainKeys(query) => {
                let query = sqlparser::ast::Statement::Query(query.clone());
                let query = DFStatement::Statement(Box::new(query));
                let (state, plan) = self.planned(&query).await?;
                command::explain_keys(&self.physical(state, plan).await?.1)
            }
            Command::Copy(statement) => {
                wanted.check(false)?;
                self.copy(statement).await
            }
            Command::Sql(parsed) => match Own::of(parsed)? {
                Some(own) => {
                    wanted.check(own.gives_rows())?;
                    let settings = || {
                        let state = self.statement_state()?;
                        Ok(HaliteOptions::of(state.config_options()))
                    };
                    own.answer(self.database.catalog(), settings).await
                }
                None => self.run_planned(parsed, wanted).await,
            },
        }
    }

    /// `COPY`, in either direction: all of it or nothing.
    async fn copy(&self, statement: &CopyStatement) -> Result<Outcome> {
        let access = self.database.access();
        access.check(&format!("the file `{}`", statement.file))?;
        let options = copy::options_of(statement)?;
        let rows = match statement.direction {
            CopyDirection::From => {
                let table = copy::loaded_table(statement, self.database.catalog())?;
                let state = self.statement_state()?;
                let settings = HaliteOptions::of(state.config_options()).write_settings();
                let (file, progress) = (statement.file.clone(), self.progress.clone());
                copy_from(table.writer(), file, options, settings, progress).await?
            }
            CopyDirection::To => {
                // What is wrong with file and options is said before the query is run.
                let file = export::Target::new(&statement.file, &options)?;
                let (mut state, plan) = self.planned(&copy::query_of(statement)?).await?;
                fit::fit(&mut state, &plan)?;
                let (state, plan) = self.physical(state, plan).await?;
                export::write(file, execute_stream(plan, state.task_ctx())?).await?
            }
        };
        Ok(Outcome::Affected { verb: "COPY", rows })
    }

    /// A statement that DataFusion plans.
    async fn run_planned(&self, parsed: &DFStatement, wanted: Wanted) -> Result<Outcome> {
        let version = self.database.catalog().version();
        let (state, plan) = self.planned(parsed).await?;
        let (plan, named) = NamedStatements::prepare(parsed, plan, version)?;
        let outcome = self.run_wanted(state, plan, wanted).await?;
        named
            .into_iter()
            .for_each(|named| self.named.remember(named));
        Ok(outcome)
    }

    /// Runs a logical plan whose parameters have their values.
    pub(super) async fn run_plan(&self, state: SessionState, plan: LogicalPlan) -> Result<Outcome> {
        self.run_wanted(state, plan, Wanted::Anything).await
    }

    async fn run_wanted(
        &self,
        state: SessionState,
        plan: LogicalPlan,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let mut state = state;
        fit::fit(&mut state, &plan)?;
        // What EXECUTE gives is known once it is resolved.
        let executes = matches!(plan, LogicalPlan::Statement(PlannedStatement::Execute(_)));
        wanted.check(executes || gives_rows(&plan))?;
        match plan {
            LogicalPlan::Statement(planned) => self.run_setting(state, planned, wanted).await,
            LogicalPlan::Ddl(ddl) => Err(Error::unsupported(format!(
                "{} is not implemented",
                ddl.name()
            ))),
            LogicalPlan::Dml(dml) => self.run_change(state, dml).await,
            plan => {
                let (state, physical) = self.physical(state, plan).await?;
                Ok(Outcome::Rows(execute_stream(physical, state.task_ctx())?))
            }
        }
    }

    async fn run_change(&self, state: SessionState, change: DmlStatement) -> Result<Outcome> {
        let (verb, (state, plan)) = match change.op {
            WriteOp::Insert(_) => (
                "INSERT",
                self.physical(state, LogicalPlan::Dml(change)).await?,
            ),
            WriteOp::Delete => {
                let (state, rows) = self.physical(state, delete::rows(&change)?).await?;
                let plan = delete::plan(&state, &change, rows)?;
                ("DELETE", (state, plan))
            }
            other => {
                return Err(Error::unsupported(format!(
                    "{} is not implemented",
                    other.name()
                )));
            }
        };
        let rows = count(&state, plan).await?;
        Ok(Outcome::Affected { verb, rows })
    }

    /// `SET`, `RESET`, `PREPARE`, `EXECUTE`, `DEALLOCATE`, which change or use the connection's session.
    async fn run_setting(
        &self,
        mut state: SessionState,
        mut planned: PlannedStatement,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let verb = match &planned {
            PlannedStatement::SetVariable(_) => "SET",
            PlannedStatement::ResetVariable(_) => "RESET",
            PlannedStatement::Prepare(_) => "PREPARE",
            PlannedStatement::Deallocate(_) => "DEALLOCATE",
            PlannedStatement::Execute(_) => "EXECUTE",
            other => {
                return Err(Error::unsupported(format!(
                    "{} is not implemented",
                    other.name()
                )));
            }
        };
        let access = self.database.access();
        match &planned {
            PlannedStatement::SetVariable(set) => {
                access.check_setting(&set.variable, Some(&set.value))?;
            }
            PlannedStatement::ResetVariable(reset) => {
                access.check_setting(&reset.variable, None)?
            }
            _ => {}
        }
        if let PlannedStatement::Execute(execute) = &planned {
            state = self.renewed(&execute.name).await?;
            self.named.check(execute)?;
        }
        let forgotten = match &planned {
            PlannedStatement::Deallocate(deallocate) => Some(deallocate.name.clone()),
            _ => None,
        };
        let changes_memory = memory::take_over(&mut planned);
        command::reset_own(&mut planned);
        let setting = match &planned {
            PlannedStatement::SetVariable(set) => Some((set.variable.clone(), set.value.clone())),
            _ => None,
        };
        let plan = LogicalPlan::Statement(planned);
        let frame = self.context.execute_logical_plan(plan).await;
        let frame = frame.map_err(|error| command::setting_problem(error.into(), setting))?;
        if verb == "SET" || verb == "RESET" {
            let options = HaliteOptions::of(self.context.copied_config().options());
            access.follow(&options);
            if changes_memory {
                self.database.memory().set_limit(options.memory_limit);
            }
        }
        forgotten.iter().for_each(|name| self.named.forget(name));
        if verb != "EXECUTE" {
            return Ok(Outcome::Done {
                verb: verb.to_owned(),
            });
        }
        let (_, plan) = frame.into_parts();
        Box::pin(self.run_wanted(state, plan, wanted)).await
    }

    /// The session for a run of the prepared statement with this name, which has the tables of the session's snapshot: if
    /// tables were made, emptied or dropped since it was prepared, it is prepared again.
    async fn renewed(&self, name: &str) -> Result<SessionState> {
        let catalog = self.database.catalog();
        let _renewing = self.named.renewing.lock().await;
        loop {
            let version = catalog.version();
            if let Some(outdated) = self.named.outdated(name, version) {
                let (_, plan) = self.planned(&outdated.parsed).await?;
                let (plan, named) = NamedStatements::prepare(&outdated.parsed, plan, version)?;
                let forget = Deallocate {
                    name: name.to_owned(),
                };
                let forget = LogicalPlan::Statement(PlannedStatement::Deallocate(forget));
                // It is forgotten already where it could not be prepared the last time.
                self.context.execute_logical_plan(forget).await.ok();
                self.context.execute_logical_plan(plan).await?;
                named
                    .into_iter()
                    .for_each(|named| self.named.remember(named));
            }
            let state = self.statement_state()?;
            if catalog.version() == version {
                return Ok(state);
            }
        }
    }

    /// The session as it is now, with the snapshot that the statement reads.
    pub(super) fn statement_state(&self) -> Result<SessionState> {
        let mut state = self.context.state();
        let catalog = self.database.catalog();
        let snapshot = StatementSnapshot::at(Arc::clone(catalog.store()), catalog.snapshot()?);
        state.config_mut().set_extension(Arc::new(snapshot));
        let (access, limit) = (self.database.access(), self.database.memory().limit());
        let has_limit = HaliteOptions::of(state.config_options())
            .memory_limit
            .in_memory();
        if (access.is_restricted() || has_limit != limit)
            && let Some(options) = state.config_mut().options_mut().extensions.get_mut()
        {
            access.show(options);
            options.memory_limit = ByteSize(limit as u64);
        }
        let progress = Arc::new(self.progress.clone());
        state.config_mut().set_extension(progress);
        Ok(state)
    }

    /// The session and the plan of a statement, whose tables are those of its snapshot: if tables were made, replaced
    /// or dropped between the two, it is planned again at a new one.
    pub(super) async fn planned(
        &self,
        parsed: &DFStatement,
    ) -> Result<(SessionState, LogicalPlan)> {
        let effort = Effort::of_statement(parsed);
        let catalog = self.database.catalog();
        loop {
            let (connection, parsed) = (self.clone(), parsed.clone());
            let version = catalog.version();
            let planned = apart(effort, async move {
                let state = connection.statement_state()?;
                let plan = connection.logical_plan(&state, parsed).await?;
                Ok((state, plan))
            });
            let planned = planned.await;
            if catalog.version() == version {
                return planned;
            }
        }
    }

    async fn logical_plan(
        &self,
        state: &SessionState,
        mut parsed: DFStatement,
    ) -> Result<LogicalPlan> {
        clauses::check(&parsed, state)?;
        let insert = Insert::take(self.database.catalog(), &mut parsed)?;
        let (casts, natural) = (recursion::casts(&parsed), natural::kept(&mut parsed));
        let named = names::mend(state, parsed).await?;
        let plan = state.statement_to_plan(named).await.map_err(names::told)?;
        guard::check_plan(&plan)?;
        recursion::check(&plan, &casts)?;
        if let Some(parsed) = natural {
            natural::check(state, &parsed, &plan).await?;
        }
        let plan = names::restore(subqueries::mend(plan)?)?;
        match insert {
            Some(insert) => insert.over(plan),
            None => Ok(plan),
        }
    }

    /// The physical plan, and the session that it is for.
    pub(super) async fn physical(
        &self,
        state: SessionState,
        plan: LogicalPlan,
    ) -> Result<(SessionState, Arc<dyn ExecutionPlan>)> {
        refuse_hidden_changes(&plan)?;
        let effort = Effort::of_plan(&plan);
        let (state, physical) = apart(effort, async move {
            let physical = names::explained(state.create_physical_plan(&plan).await?)?;
            Ok((state, physical))
        })
        .await?;
        if let Some(meter) = &self.meter {
            meter.watch(&physical);
        }
        Ok((state, physical))
    }

    /// The only statement of `sql`.
    pub(super) fn single(&self, sql: &str) -> Result<Statement> {
        let mut statements = self.script(sql)?;
        match (statements.pop(), statements.is_empty()) {
            (Some(statement), true) => Ok(statement),
            (None, _) => Err(Error::invalid("there is no statement")),
            _ => Err(Error::invalid(
                "there are several statements; run them one by one",
            )),
        }
    }

    /// A query as DataFusion's data frame: nothing is read before it is collected.
    ///
    /// # Errors
    /// What is wrong with the query; `InvalidInput` for statements that give no rows.
    pub async fn sql(&self, sql: &str) -> Result<DataFrame> {
        large_stack(self.data_frame(sql)).await
    }

    async fn data_frame(&self, sql: &str) -> Result<DataFrame> {
        let statement = self.single(sql)?;
        let no_query = || Error::invalid("this statement is no query; use execute or run");
        let own_query = || Error::invalid("DataFusion has no such statement; use query or run");
        self.progress.begin();
        let parsed = match &statement.parsed.command {
            Command::Sql(parsed) => parsed,
            Command::ExplainKeys(_) => return Err(own_query()),
            Command::Copy(_) => return Err(no_query()),
        };
        if let Some(own) = Own::of(parsed)? {
            return Err(match own.gives_rows() {
                true => own_query(),
                false => no_query(),
            });
        }
        let (state, plan) = self.planned(parsed).await?;
        if !gives_rows(&plan) {
            return Err(no_query());
        }
        refuse_hidden_changes(&plan)?;
        Ok(DataFrame::new(state, plan))
    }

    /// Runs one statement with parameters `$1`, `$2`, … (or `?`) and gives the number of rows that it changed; 0 for
    /// statements that change no rows, rows of a query are dropped.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn execute(&self, sql: &str, params: impl IntoParameters) -> Result<u64> {
        match self.run_limited(sql, params, Wanted::Anything).await? {
            Outcome::Affected { rows, .. } => Ok(rows),
            Outcome::Done { .. } => Ok(0),
            Outcome::Rows(stream) => collect(stream).await.map(|_| 0).map_err(Error::from),
        }
    }

    /// The rows of one query with parameters `$1`, `$2`, … (or `?`), as they are read.
    ///
    /// # Errors
    /// What is wrong with the query; `InvalidInput` for statements that give no rows.
    pub async fn stream(&self, sql: &str, params: impl IntoParameters) -> Result<RowStream> {
        match self.run_limited(sql, params, Wanted::Rows).await? {
            Outcome::Rows(stream) => Ok(self.row_stream(stream)),
            _ => Err(no_rows()),
        }
    }

    /// All rows of one query with parameters `$1`, `$2`, … (or `?`), as record batches.
    ///
    /// # Errors
    /// As [`Connection::stream`], and what reading meets.
    pub async fn query(&self, sql: &str, params: impl IntoParameters) -> Result<Vec<RecordBatch>> {
        self.stream(sql, params).await?.collect().await
    }

    /// All rows of one query with parameters `$1`, `$2`, … (or `?`), to be read value by value.
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub async fn rows(&self, sql: &str, params: impl IntoParameters) -> Result<Rows> {
        self.stream(sql, params).await?.rows().await
    }

    /// The only row of one query with parameters `$1`, `$2`, … (or `?`), or `None`.
    ///
    /// # Errors
    /// As [`Connection::query`]; `InvalidInput` where there is more than one row.
    pub async fn query_row(&self, sql: &str, params: impl IntoParameters) -> Result<Option<Row>> {
        self.stream(sql, params).await?.single().await
    }

    /// Rows whose batches count as memory where they are gathered.
    pub(super) fn row_stream(&self, stream: SendableRecordBatchStream) -> RowStream {
        RowStream::within(stream, Arc::clone(self.database.memory()))
    }

    async fn run_limited(
        &self,
        sql: &str,
        params: impl IntoParameters,
        wanted: Wanted,
    ) -> Result<Outcome> {
        self.limited(self.run_with(sql, params, wanted)).await
    }

    async fn run_with(
        &self,
        sql: &str,
        params: impl IntoParameters,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let (statement, params) = (self.single(sql)?, params.into_parameters());
        self.progress.begin();
        match &statement.parsed.command {
            Command::Sql(parsed) if takes_parameters(parsed) => {
                // It gives no answers to these, but may refuse them.
                Own::of(parsed)?;
                let (state, plan) = self.planned(parsed).await?;
                let params = Placeholders::of(&plan)?.bind(params)?;
                let plan = plan.with_param_values(ParamValues::from(params))?;
                self.run_wanted(state, plan, wanted).await
            }
            _ if params.is_empty() => self.run_statement(&statement, wanted).await,
            _ => Err(Error::invalid("this statement takes no parameters")),
        }
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
        let table = self.database.catalog().expect_table(table)?;
        let configured = self.context.copied_config();
        let settings = HaliteOptions::of(configured.options()).write_settings();
        Appender::new(table, settings, options)
    }
}

impl Database {
    /// A connection with settings of its own.
    pub fn connect(&self) -> Connection {
        Connection::new(self.clone())
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
