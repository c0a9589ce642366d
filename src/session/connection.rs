//! Connections: statements run one after the other, each at one snapshot.
//!
//! The way of a statement: [`parse`](crate::sql::parse) cuts and parses the script; DDL, `COPY`, `SHOW …` and
//! `EXPLAIN KEYS` are answered here; everything else is planned by DataFusion with Halite's rules in front, and reads the
//! store at the snapshot that the statement took when it began.
//!
//! What is public here goes on a stack that is large enough for the statement at once: nothing below does.

use std::borrow::Borrow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use datafusion::common::ScalarValue;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{LogicalPlan, Statement as PlannedStatement};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::Statement as DFStatement;

use super::observe::{Asked, Observer};
use super::warnings::Warnings;
use super::{Database, context};
use crate::catalog::Guests;
use crate::catalog::visible::Catalogs;
use crate::ddl::command::{self, Own};
use crate::error::{Error, Result};
use crate::function::Stop;
use crate::plan::bind::scanned::reads_own_tables;
use crate::plan::bind::views::{self, Views};
use crate::plan::bind::{column_rules, names, written_values};
use crate::plan::change::values::{self, Insert};
use crate::plan::change::{ChangeNode, ChangeStatement, gives_rows};
use crate::plan::query_plan::{draft, mended, query_plan};
use crate::run::interrupt::Interruptions;
use crate::run::meter::Meter;
use crate::run::named::{self, NamedStatements};
use crate::run::outcome::{self, Gives, Outcome, Wanted, count, refuse_hidden_changes};
use crate::run::planned::{Planned, task};
use crate::run::planning_thread::{Effort, apart};
use crate::run::sessions::Sessions;
use crate::run::statement_cache::Texts;
use crate::run::{batch_size, explain, key_rows, memory, temporary};
use crate::scan::{Opened, StatementSnapshot};
use crate::settings::{self, ByteSize, HaliteOptions};
use crate::sql::innermost::sql_of;
use crate::sql::limits::guard;
use crate::sql::parse::{Command, Parsed, parse};
use crate::sql::stack::{on_stack_for, stack_for};
use crate::sql::unsupported::clauses;
use crate::write::{Progress, is_outdated};

/// What a text becomes while it is parsed and planned, at most: so many times its own length.
const MEMORY_OF_TEXT: usize = 64;

/// How far a plan has come.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    /// It is as the statement was written.
    Written,
    /// The optimizer is done with it.
    Optimized,
    /// It is as the statement was written, and its scans are to be explained.
    Explained,
}

/// A connection to a database. Its settings (`SET …`) are its own.
#[derive(Clone)]
pub struct Connection {
    pub(crate) database: Database,
    catalogs: Catalogs,
    context: SessionContext,
    progress: Progress,
    pub(crate) meter: Option<Arc<Meter>>,
    /// Whom its statements are reported to.
    pub(crate) observer: Option<Observer>,
    pub(crate) named: NamedStatements,
    texts: Arc<Texts>,
    sessions: Arc<Sessions>,
    warnings: Warnings,
    views: Arc<Views>,
    /// Tables of the program.
    pub(crate) guests: Guests,
    pub(crate) interrupts: Arc<Interruptions>,
    /// How long each statement may take, if that is not what the setting says.
    pub(crate) timeout: Option<Duration>,
    /// Ends what its statement runs, where it is that of one statement.
    pub(crate) stop: Stop,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// A parsed statement of a script.
#[derive(Debug, Clone)]
pub struct Statement {
    pub(crate) parsed: Arc<Parsed>,
}

impl From<Parsed> for Statement {
    fn from(parsed: Parsed) -> Self {
        let parsed = Arc::new(parsed);
        Self { parsed }
    }
}

impl Statement {
    /// What it is, to be changed.
    pub(crate) fn parsed_mut(&mut self) -> &mut Parsed {
        // It may be nested deep.
        on_stack_for(self.parsed.depth, || Arc::make_mut(&mut self.parsed))
    }

    /// The only one of a script.
    pub(crate) fn only_of(mut statements: Vec<Parsed>) -> Result<Self> {
        match (statements.pop(), statements.is_empty()) {
            (Some(parsed), true) => Ok(parsed.into()),
            (None, _) => Err(Error::invalid("there is no statement")),
            _ => Err(Error::invalid(
                "there are several statements; run them one by one",
            )),
        }
    }

    /// The statement as it was written, without its semicolon.
    pub fn text(&self) -> &str {
        &self.parsed.text
    }
}

impl Connection {
    pub(crate) fn new(database: Database) -> Self {
        let (catalogs, guests) = (
            Catalogs::new(Arc::clone(database.catalog()), column_rules::compile),
            Guests::default(),
        );
        let views = Arc::new(Views::new(catalogs.clone(), guests.clone()));
        let context = context::new(&database, &catalogs, &guests, &views);
        Self {
            catalogs,
            context,
            progress: Progress::default(),
            meter: None,
            observer: None,
            named: NamedStatements::default(),
            texts: Arc::default(),
            sessions: Arc::default(),
            warnings: Warnings::default(),
            views,
            guests,
            interrupts: Arc::new(Interruptions::beside(database.ending().interrupts.clone())),
            database,
            timeout: None,
            stop: Stop::default(),
        }
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// DataFusion's session behind the connection, for what this interface does not offer.
    ///
    /// From now on every text is planned anew, even if it is the same as before: what is changed behind the connection
    /// counts at once. Prepared statements are not affected.
    pub fn context(&self) -> &SessionContext {
        self.texts.forget_all();
        self.views.forget_all();
        self.sessions.hand_out();
        &self.context
    }

    /// The tables and views that it sees.
    pub(crate) fn catalogs(&self) -> &Catalogs {
        &self.catalogs
    }

    /// The views that it sees, planned.
    pub(crate) fn view_plans(&self) -> &Views {
        &self.views
    }

    /// What is remembered of the texts that it was given.
    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The session for those who change nothing of it.
    pub(crate) fn session(&self) -> &SessionContext {
        &self.context
    }

    /// How far the connection's statement is, if it writes rows, and how far the last one came: to be looked at from
    /// another task or thread while it runs. A clone of it follows the statements to come as well.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// What its statements have warned of, and nobody has taken yet: of a row key that is rarely meant, say. A clone of it
    /// has those of the statements to come as well.
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// The statements of a script, in order. Nothing is run.
    ///
    /// # Errors
    /// `InvalidInput` where the text is no SQL or too deep to be planned.
    pub fn script(&self, sql: &str) -> Result<Vec<Statement>> {
        let statements = self.parse(sql)?.into_iter();
        Ok(statements.map(Statement::from).collect())
    }

    fn parse(&self, sql: &str) -> Result<Vec<Parsed>> {
        let most = self.database.memory().limit() / MEMORY_OF_TEXT;
        guard::check_length(sql, most)?;
        parse(sql)
    }

    /// Runs one statement.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn run(&self, statement: &Statement) -> Result<Outcome> {
        let watch = self.watch(statement.text());
        watch.connection().progress.begin();
        let statement = statement.clone();
        let given = watch.connection().limited(|connection| async move {
            let run = connection.run_statement(&statement, Wanted::Anything);
            stack_for(statement.parsed.depth, run).await
        });
        let given = given.await;
        watch.over(given, Asked::AsRead)
    }

    pub(crate) async fn run_statement(
        &self,
        statement: &Statement,
        wanted: Wanted,
    ) -> Result<Outcome> {
        match &statement.parsed.command {
            Command::ExplainKeys(query, buckets) => {
                let query = sqlparser::ast::Statement::Query(query.clone());
                let query = DFStatement::Statement(Box::new(query));
                let (state, plan) = self.planned(&query).await?;
                let state = physical_session(state, &plan)?;
                let (state, plan, _) = self.physical_of(state, plan, Stage::Explained).await?;
                key_rows::explain(state, plan, *buckets).await
            }
            Command::Summarize(query) => self.summarize(query).await,
            Command::Copy(statement) => loop {
                self.catalogs.follow()?;
                match self.copy(statement, wanted).await {
                    // What is no file on disk, STDIN or a pipe, gives its rows once.
                    Err(error) if is_outdated(&error) && Path::new(&statement.file).is_file() => {}
                    given => return given,
                }
            },
            Command::Sql(parsed) if command::is_show_all(parsed) => {
                command::show_all(self.statement_state()?.config_options())
            }
            Command::Sql(parsed) if let Some((explained, depth)) = self.explained(parsed)? => {
                stack_for(depth, self.run_planned(&explained, wanted)).await
            }
            Command::Sql(parsed) => match Own::of(parsed)? {
                Some(own) => {
                    wanted.check(own.gives_rows())?;
                    self.run_own(own, &statement.parsed.text).await
                }
                None if named::is_prepare(parsed) => {
                    wanted.check(false)?;
                    self.prepare_named(parsed, statement.parsed.depth).await
                }
                None => self.run_planned(parsed, wanted).await,
            },
        }
    }

    /// A statement that DataFusion plans.
    pub(crate) async fn run_planned(
        &self,
        parsed: &DFStatement,
        wanted: Wanted,
    ) -> Result<Outcome> {
        loop {
            let (state, plan) = self.planned(parsed).await?;
            if let Some(outcome) = self.run_while_current(state, plan, wanted).await? {
                return Ok(outcome);
            }
        }
    }

    /// As [`Connection::run_wanted`]; `None` where nothing was changed, for the table was altered after it was planned, and
    /// it may be planned again. What a table of the program gave once it need not give again.
    async fn run_while_current(
        &self,
        state: SessionState,
        plan: LogicalPlan,
        wanted: Wanted,
    ) -> Result<Option<Outcome>> {
        let may_run_twice = reads_own_tables(&plan);
        match self.run_wanted(state, plan, wanted).await {
            Err(error) if may_run_twice && is_outdated(&error) => Ok(None),
            given => given.map(Some),
        }
    }

    /// Plans a statement with open parameters, to be run many times.
    pub(crate) async fn plan_once(&self, parsed: &DFStatement) -> Result<Planned> {
        let version = self.catalogs.version();
        let session = self.sessions.kept(&self.context);
        let parameters = written_values::count_of(parsed);
        let by_values = |session| {
            let gives = sql_of(parsed).map_or(Gives::Rows, Gives::of_statement);
            Planned::by_values(version, session, gives, parameters)
        };
        let (state, plan) = match self.planned(parsed).await {
            Ok(planned) => planned,
            Err(error) if parameters > 0 && written_values::may_mend(&error) => {
                return Ok(by_values(session));
            }
            Err(error) => return Err(error),
        };
        self.sessions.spare(&self.context, state);
        if written_values::are_typed_by_others(parsed) {
            return Ok(by_values(session));
        }
        let plan = named::inside(plan);
        let effort = Effort::of_plan(&plan);
        let planned = async move { Planned::new(version, session, plan, parameters) };
        apart(effort, planned).await
    }

    /// Whether it is the plan for the tables and the settings that there are now.
    pub(crate) fn is_current(&self, planned: &Planned) -> bool {
        planned.is_current(&self.catalogs, &self.context)
    }

    /// The rows of such a statement for parameters that are bound, if they need no plan.
    pub(crate) fn direct(
        &self,
        planned: &Planned,
        params: &[ScalarValue],
    ) -> Result<Option<Opened>> {
        let counters = self.meter.as_ref().map(|meter| meter.counters());
        planned.direct(&self.catalogs, &self.context, params, counters)
    }

    /// Runs such a statement with parameters that are bound, from its plan; `None` where the tables or the settings are
    /// others by now.
    pub(crate) async fn run_again(
        &self,
        planned: &Planned,
        parsed: &DFStatement,
        params: &[ScalarValue],
        wanted: Wanted,
    ) -> Result<Option<Outcome>> {
        if let Some(outcome) = self.run_optimized(planned, params).await? {
            return Ok(Some(outcome));
        }
        if let Some(outcome) = self.change_directly(planned, params).await? {
            let outcome = match planned.gives {
                Gives::Changed(verb) => outcome::wanted_of(verb, outcome, wanted).await?,
                _ => outcome,
            };
            return Ok(Some(outcome));
        }
        let state = self.statement_state()?;
        // The snapshot is one of the tables of the plan.
        if !self.is_current(planned) {
            return Ok(None);
        }
        match planned.with_values(params)? {
            Some(plan) => self.run_while_current(state, plan, wanted).await,
            None => self.run_written(parsed, params, wanted).await.map(Some),
        }
    }

    /// Runs a statement that is planned for the values of its parameters.
    ///
    /// # Errors
    /// What is wrong with the statement for these values.
    pub(crate) async fn run_written(
        &self,
        parsed: &DFStatement,
        params: &[ScalarValue],
        wanted: Wanted,
    ) -> Result<Outcome> {
        let parsed = written_values::with_values(parsed, params)?;
        self.run_planned(&parsed, wanted).await
    }

    /// The same from its optimized plan; `None` where there is none for these parameters, too.
    pub(crate) async fn run_optimized(
        &self,
        planned: &Planned,
        params: &[ScalarValue],
    ) -> Result<Option<Outcome>> {
        if let Some(session) = planned.session()
            && let Some(physical) = planned.kept(params)?
        {
            if let Some(meter) = &self.meter {
                meter.watch(&physical);
            }
            return self.run_physical(planned, session, physical);
        }
        let Some(plan) = planned.optimized(params)? else {
            return Ok(None);
        };
        if let Some(session) = planned.session()
            && batch_size::is_fitting(&plan)?
        {
            let session = Arc::clone(session);
            let (session, physical) = self.runnable_of(session, plan, Stage::Optimized).await?;
            planned.keep(&physical, params)?;
            return self.run_physical(planned, &session, physical);
        }
        let mut state = self.statement_state()?;
        if !self.is_current(planned) {
            return Ok(None);
        }
        batch_size::fit(&mut state, &plan)?;
        let (state, physical) = self.runnable_of(state, plan, Stage::Optimized).await?;
        let rows = execute_stream(physical, state.task_ctx())?;
        Ok(Some(Outcome::Rows(rows)))
    }

    /// Runs such a plan; `None` where the tables or the settings are others by now.
    fn run_physical(
        &self,
        planned: &Planned,
        session: &SessionState,
        physical: Arc<dyn ExecutionPlan>,
    ) -> Result<Option<Outcome>> {
        let mut config = session.config().clone();
        self.begin_statement(&mut config)?;
        // The snapshot is one of the tables of the plan.
        if !self.is_current(planned) {
            return Ok(None);
        }
        let rows = execute_stream(physical, task(session, config))?;
        Ok(Some(Outcome::Rows(rows)))
    }

    pub(crate) async fn run_wanted(
        &self,
        state: SessionState,
        plan: LogicalPlan,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let mut state = state;
        batch_size::fit(&mut state, &plan)?;
        // What EXECUTE gives is known once it is resolved.
        let executes = matches!(plan, LogicalPlan::Statement(PlannedStatement::Execute(_)));
        wanted.check(executes || gives_rows(&plan))?;
        if let Some((verb, gives_rows)) =
            ChangeNode::of(&plan).map(|it| (it.verb(), it.gives_rows()))
        {
            let (state, physical) = self.runnable(state, plan).await?;
            let changed = outcome::of_change(&state, physical, verb, gives_rows).await?;
            return outcome::wanted_of(verb, changed, wanted).await;
        }
        match plan {
            LogicalPlan::Statement(PlannedStatement::Execute(execute)) => {
                Box::pin(self.execute_named(&state, execute, wanted)).await
            }
            LogicalPlan::Statement(PlannedStatement::Deallocate(deallocate)) => {
                self.deallocate(&deallocate.name)
            }
            LogicalPlan::Statement(planned) => self.run_setting(planned).await,
            LogicalPlan::Ddl(ddl) => Err(Error::unsupported(format!(
                "{} is not implemented",
                ddl.name()
            ))),
            LogicalPlan::Dml(insert) => {
                let (state, physical) = self.runnable(state, LogicalPlan::Dml(insert)).await?;
                let rows = count(&state, physical).await?;
                let verb = "INSERT";
                Ok(Outcome::Affected { verb, rows })
            }
            LogicalPlan::DescribeTable(described) => self.describe_query(&described.schema),
            plan => {
                let is_own = reads_own_tables(&plan);
                let (state, physical) = self.runnable(state, plan).await?;
                let context = match is_own {
                    true => task(&state, state.config().clone()),
                    false => state.task_ctx(),
                };
                self.sessions.spare(&self.context, state);
                Ok(Outcome::Rows(execute_stream(physical, context)?))
            }
        }
    }

    /// `SET`, `RESET`, which change the connection's session.
    async fn run_setting(&self, mut planned: PlannedStatement) -> Result<Outcome> {
        let verb = match &planned {
            PlannedStatement::SetVariable(_) => "SET",
            PlannedStatement::ResetVariable(_) => "RESET",
            other => {
                return Err(Error::unsupported(format!(
                    "{} is not implemented",
                    other.name()
                )));
            }
        };
        let access = self.database.access();
        if let Some((name, value)) = command::setting_of(&planned) {
            if let Some(notice) = settings::foreign(name, value)? {
                self.warnings().add(notice);
                return Ok(command::done(verb));
            }
            access.check_setting(name, value)?;
        }
        command::check_zone(&mut planned)?;
        let changes_memory = memory::take_over(&mut planned);
        let files = temporary::Before::of(&planned, &self.context);
        command::reset_own(&mut planned);
        let setting = match &planned {
            PlannedStatement::SetVariable(set) => Some((set.variable.clone(), set.value.clone())),
            _ => None,
        };
        let plan = LogicalPlan::Statement(planned);
        let done = self.context.execute_logical_plan(plan).await;
        done.map_err(|error| command::setting_problem(error.into(), setting))?;
        if let Some(files) = files {
            files.settle(&self.context, self.database.temporary())?;
        }
        let options = HaliteOptions::of(self.context.copied_config().options());
        access.follow(&options);
        if changes_memory {
            self.database.limit_memory(options.memory_limit.0);
        }
        Ok(command::done(verb))
    }

    /// The session as it is now, with the snapshot that the statement reads.
    pub(crate) fn statement_state(&self) -> Result<SessionState> {
        let mut state = self.sessions.begin(&self.context);
        self.begin_statement(state.config_mut())?;
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
        batch_size::fit_batches(state.config_mut(), limit);
        Ok(state)
    }

    /// Gives the snapshot that the statement reads, and where it tells how far it is, to who carries it out.
    fn begin_statement(&self, config: &mut SessionConfig) -> Result<()> {
        let snapshot = StatementSnapshot::of_stores(self.catalogs.snapshots()?);
        config.set_extension(Arc::new(snapshot));
        config.set_extension(Arc::new(self.progress.clone()));
        config.set_extension(Arc::new(self.stop.clone()));
        Ok(())
    }

    /// The session and the plan of a statement, whose tables are those of its snapshot: if tables were made, replaced
    /// or dropped between the two, it is planned again at a new one.
    pub(crate) async fn planned(
        &self,
        parsed: &DFStatement,
    ) -> Result<(SessionState, LogicalPlan)> {
        let catalog = &self.catalogs;
        loop {
            let effort = match catalog.has_views() {
                false => Effort::of_statement(parsed),
                // What a view brings is not in the statement.
                true => Effort::Great,
            };
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
        let prepares = named::take_open(&mut parsed);
        values::write_out_defaults(&self.catalogs, &mut parsed)?;
        clauses::check(&parsed, state)?;
        views::refuse_changes(&self.catalogs, &parsed)?;
        let change = ChangeStatement::take(&self.catalogs, &mut parsed, state)?;
        let insert = Insert::take(&self.catalogs, &mut parsed, state)?;
        let below = self.views.below(state, &parsed).await?;
        let plan = match change {
            None => query_plan(state, parsed, below.casts).await?,
            Some(change) => {
                let plan = draft(state, parsed, below.casts).await?;
                mended(change.over(state, plan).await?)?
            }
        };
        let plan = match insert {
            Some(insert) => insert.over(plan)?,
            None => plan,
        };
        match prepares {
            Some(name) => Ok(named::prepared(name, plan)),
            None => Ok(plan),
        }
    }

    /// The physical plan, and the session that it is for. What runs it asks for [`Connection::runnable`].
    pub(crate) async fn physical(
        &self,
        state: SessionState,
        plan: LogicalPlan,
    ) -> Result<(SessionState, Arc<dyn ExecutionPlan>)> {
        let state = physical_session(state, &plan)?;
        let (state, physical, _) = self.physical_of(state, plan, Stage::Written).await?;
        Ok((state, physical))
    }

    /// The same from a plan at this stage, which is given back.
    pub(crate) async fn physical_of<S: Borrow<SessionState> + Send + Sync + 'static>(
        &self,
        state: S,
        plan: LogicalPlan,
        stage: Stage,
    ) -> Result<(S, Arc<dyn ExecutionPlan>, LogicalPlan)> {
        let effort = Effort::of_plan(&plan);
        let (state, physical, plan) = apart(effort, async move {
            let session: &SessionState = state.borrow();
            let physical = match stage {
                Stage::Written => explain::physical_plan(session, &plan).await?,
                Stage::Explained => explain::plan_of_scans(session, &plan).await?,
                Stage::Optimized => {
                    let planner = session.query_planner();
                    planner.create_physical_plan(&plan, session).await?
                }
            };
            Ok((state, names::explained(physical)?, plan))
        })
        .await?;
        if let Some(meter) = &self.meter {
            meter.watch(&physical);
        }
        Ok((state, physical, plan))
    }

    /// The only statement of `sql`.
    pub(crate) fn single(&self, sql: &str) -> Result<Statement> {
        Statement::only_of(self.parse(sql)?)
    }
}

/// The session in which a plan is made physical.
///
/// # Errors
/// `NotSupported` for a change inside another statement.
pub(crate) fn physical_session(
    mut state: SessionState,
    plan: &LogicalPlan,
) -> Result<SessionState> {
    refuse_hidden_changes(plan)?;
    if ChangeNode::is_ordered_in(plan)? {
        let optimizer = &mut state.config_mut().options_mut().optimizer;
        optimizer.enable_round_robin_repartition = false;
    }
    Ok(state)
}

impl Database {
    /// A connection with settings of its own.
    pub fn connect(&self) -> Connection {
        Connection::new(self.held_by("connection"))
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
