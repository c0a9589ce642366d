//! Statements that come as text, with their parameters.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::dataframe::DataFrame;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::common::collect;
use sqlparser::tokenizer::TokenWithSpan;

use super::observe::Asked;
use super::{Connection, FromValue, IntoParameters, Row, RowStream, Rows, Statement};
use crate::ddl::execute;
use crate::ddl::statement::DdlStatement;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::bind::parameters::wanted::Placeholders;
use crate::plan::bind::parameters::{bound, constants};
use crate::plan::change::{ChangeNode, gives_rows};
use crate::run::outcome::{Outcome, Wanted, no_rows, refuse_hidden_changes, takes_parameters};
use crate::run::planned::{Planned, Repeated};
use crate::run::statement_cache::{Known, Text};
use crate::scan::Opened;
use crate::sql::parse::{Command, Parsed, parse_tokens};
use crate::sql::stack::{Depth, stack_for};
use crate::sql::token::tokenize;
use crate::sql::written::Written;

impl Connection {
    /// A query as DataFusion's data frame: nothing is read before it is collected.
    ///
    /// # Errors
    /// What is wrong with the query; `InvalidInput` for statements that give no rows.
    pub async fn sql(&self, sql: &str) -> Result<DataFrame> {
        let statement = self.single(sql)?;
        stack_for(statement.parsed.depth, self.data_frame(statement)).await
    }

    async fn data_frame(&self, statement: Statement) -> Result<DataFrame> {
        let no_query = || Error::invalid("this statement is no query; use execute or run");
        let own_query = || Error::invalid("DataFusion has no such statement; use query or run");
        self.progress().begin();
        let parsed = match &statement.parsed.command {
            Command::Sql(parsed) => parsed,
            Command::ExplainKeys(..) | Command::Summarize(_) => return Err(own_query()),
            Command::Copy(_) => return Err(no_query()),
        };
        if let Some(own) = DdlStatement::of(parsed)? {
            return Err(if own.gives_rows() {
                own_query()
            } else {
                no_query()
            });
        }
        let (state, plan) = self.run_context.planned(parsed).await?;
        if !gives_rows(&plan) || ChangeNode::of(&plan).is_some() {
            return Err(no_query());
        }
        refuse_hidden_changes(&plan)?;
        Ok(DataFrame::new(state, plan))
    }

    /// Runs one statement with parameters `$1`, `$2`, … (or `?`) and gives the number of rows that it changed; 0 for
    /// statements that change no rows. Rows of a query and of RETURNING are dropped.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn execute(&self, sql: &str, params: impl IntoParameters) -> Result<u64> {
        let all = Asked::All;
        match self.run_limited(sql, params, Wanted::Count, all).await? {
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
        self.rows_asked(sql, params, Asked::AsRead).await
    }

    async fn rows_asked(
        &self,
        sql: &str,
        params: impl IntoParameters,
        asked: Asked,
    ) -> Result<RowStream> {
        match self.run_limited(sql, params, Wanted::Rows, asked).await? {
            Outcome::Rows(stream) => Ok(self.row_stream(stream)),
            _ => Err(no_rows()),
        }
    }

    /// All rows of one query with parameters `$1`, `$2`, … (or `?`), as record batches.
    ///
    /// # Errors
    /// As [`Connection::stream`], and what reading meets.
    pub async fn query(&self, sql: &str, params: impl IntoParameters) -> Result<Vec<RecordBatch>> {
        let rows = self.rows_asked(sql, params, Asked::All).await?;
        rows.collect().await
    }

    /// All rows of one query with parameters `$1`, `$2`, … (or `?`), to be read value by value.
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub async fn rows(&self, sql: &str, params: impl IntoParameters) -> Result<Rows> {
        let rows = self.rows_asked(sql, params, Asked::All).await?;
        rows.rows().await
    }

    /// The only row of one query with parameters `$1`, `$2`, … (or `?`), or `None`.
    ///
    /// # Errors
    /// As [`Connection::query`]; `InvalidInput` where there is more than one row.
    pub async fn query_row(&self, sql: &str, params: impl IntoParameters) -> Result<Option<Row>> {
        let rows = self.rows_asked(sql, params, Asked::All).await?;
        rows.single().await
    }

    /// The only value of one query with parameters `$1`, `$2`, … (or `?`), or `None` where it gives no row. One that may be
    /// NULL is read as an `Option`.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let connection = halite::Database::in_memory()?.connect();
    /// let greatest: Option<i64> = connection
    ///     .query_scalar("SELECT max(v) FROM unnest($1) AS t (v)", (vec![3_i64, 7, 5],))
    ///     .await?;
    /// assert_eq!(greatest, Some(7));
    /// # Ok::<(), halite::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`Connection::query_row`]; `InvalidInput` where there are several columns, or the value is none of the type.
    pub async fn query_scalar<T: for<'row> FromValue<'row>>(
        &self,
        sql: &str,
        params: impl IntoParameters,
    ) -> Result<Option<T>> {
        let rows = self.rows_asked(sql, params, Asked::All).await?;
        rows.scalar().await
    }

    /// Rows whose batches count as memory where they are gathered.
    pub(crate) fn row_stream(&self, stream: SendableRecordBatchStream) -> RowStream {
        RowStream::within(stream, Arc::clone(self.database().memory()))
    }

    async fn run_limited(
        &self,
        sql: &str,
        params: impl IntoParameters,
        wanted: Wanted,
        asked: Asked,
    ) -> Result<Outcome> {
        let watch = self.watch(sql);
        let given = watch.connection().run_text(sql, params, wanted).await;
        watch.over(given, asked)
    }

    async fn run_text(
        &self,
        sql: &str,
        params: impl IntoParameters,
        wanted: Wanted,
    ) -> Result<Outcome> {
        self.progress().begin();
        if params.are_named() {
            let statement = self.single(sql)?;
            let params = params.into_values(&statement.parsed.names)?;
            let run = self.limited(|connection| async move {
                connection.run_new(statement, params, wanted).await
            });
            return run.await;
        }
        let params = params.into_parameters();
        if !Text::is_possible(sql) {
            let sql = sql.to_owned();
            let run = self.limited(|connection| async move {
                let statement = connection.single(&sql)?;
                let params = params.into_values(&statement.parsed.names)?;
                connection.run_new(statement, params, wanted).await
            });
            return run.await;
        }
        let tokens = tokenize(sql)?;
        let (seen, literals) = self.seen(&tokens);
        if let Some((_, Some(Known::Once(statement)))) = &seen
            && let Some(opened) = self.open_known(statement, &literals, &params)?
        {
            return self.rows_opened(opened).await;
        }
        let sql = sql.to_owned();
        let run = self.limited(|connection| async move {
            if let Some((text, Some(known))) = seen
                && let Some(outcome) = connection.run_known(text, known, literals, &params).await?
            {
                return Ok(outcome);
            }
            let statement = Statement::only_of(parse_tokens(&sql, &tokens)?)?;
            let params = params.into_values(&statement.parsed.names)?;
            connection.run_new(statement, params, wanted).await
        });
        run.await
    }

    /// Runs a statement as it is written.
    async fn run_new(
        &self,
        statement: Statement,
        params: Vec<ScalarValue>,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let depth = statement.parsed.depth;
        stack_for(depth, self.run_with(statement, params, wanted)).await
    }

    /// The query of a text, if it is one that is remembered, with what is known of it, and the literals taken out of it.
    fn seen(&self, tokens: &[TokenWithSpan]) -> (Option<(Text, Option<Known>)>, Vec<ScalarValue>) {
        let Some(mut text) = Text::of(tokens) else {
            return (None, Vec::new());
        };
        let literals = std::mem::take(&mut text.literals);
        let known = self.run_context.texts().see(&text);
        (Some((text, known)), literals)
    }

    /// The rows of a query that is known from earlier runs, if they need no plan.
    fn open_known(
        &self,
        statement: &Repeated,
        literals: &[ScalarValue],
        params: &[ScalarValue],
    ) -> Result<Option<Opened>> {
        let Some(planned) = statement.current(&self.run_context) else {
            return Ok(None);
        };
        match known_values(&planned, literals, params) {
            Some(values) => self.run_context.direct(&planned, &values),
            None => Ok(None),
        }
    }

    /// Runs a query that is known from earlier runs; `None` where it must be planned as it is written.
    async fn run_known(
        &self,
        text: Text,
        known: Known,
        literals: Vec<ScalarValue>,
        params: &[ScalarValue],
    ) -> Result<Option<Outcome>> {
        let version = self.catalogs().version();
        let each = Known::Each { since: version };
        let statement = match known {
            Known::Once(statement) => Some(statement),
            Known::Each { since } if since == version => return Ok(None),
            _ => self.plan_text(&text).await?,
        };
        let Some(statement) = statement else {
            self.run_context.texts().keep(&text, each);
            return Ok(None);
        };
        let Some(planned) = known_plan(statement.renewed(&self.run_context).await)? else {
            self.run_context.texts().keep(&text, each);
            return Ok(None);
        };
        let Some(values) = known_values(&planned, &literals, params) else {
            return Ok(None);
        };
        if let Some(opened) = self.run_context.direct(&planned, &values)? {
            return Ok(Some(Outcome::Rows(opened.into_stream())));
        }
        self.run_context.run_optimized(&planned, &values).await
    }

    /// Plans a text that comes again, for many runs; `None` where it is to be planned each time.
    ///
    /// # Errors
    /// Those of the store. What is wrong with the text is told where it is planned as it is written.
    async fn plan_text(&self, text: &Text) -> Result<Option<Arc<Repeated>>> {
        let Ok(Parsed {
            command: Command::Sql(parsed),
            depth: depth @ Depth::Shallow,
            ..
        }) = text.parse()
        else {
            return Ok(None);
        };
        match Repeated::plan(&self.run_context, *parsed, depth).await {
            Ok(statement) => {
                let statement = Arc::new(statement);
                let once = Known::Once(Arc::clone(&statement));
                self.run_context.texts().keep(text, once);
                Ok(Some(statement))
            }
            Err(error) if is_of_text(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn run_with(
        &self,
        statement: Statement,
        params: Vec<ScalarValue>,
        wanted: Wanted,
    ) -> Result<Outcome> {
        match &statement.parsed.command {
            Command::Sql(parsed) if takes_parameters(parsed) => {
                // It gives no answers to these, but may refuse them.
                DdlStatement::of(parsed)?;
                self.run_sql(parsed, params, wanted).await
            }
            _ if params.is_empty() => {
                execute::run(&self.run_context, &statement.parsed, wanted).await
            }
            _ => Err(Error::invalid("this statement takes no parameters")),
        }
    }

    async fn run_sql(
        &self,
        parsed: &Written,
        params: Vec<ScalarValue>,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let count = constants::count_of(parsed);
        if count == 0 {
            Placeholders::default().bind(params)?;
            return self.run_context.run_planned(parsed, wanted).await;
        }
        let open = Placeholders::default().at_least(count);
        let (state, plan) = match self.run_context.planned(parsed).await {
            Ok(planned) => planned,
            Err(error) if error.hangs_on_values() => {
                return self
                    .run_context
                    .run_written(parsed, &open.bind(params)?, wanted)
                    .await;
            }
            Err(error) => return Err(error),
        };
        let params = Placeholders::of(&plan)?.at_least(count).bind(params)?;
        let bound = if constants::are_typed_by_others(parsed) {
            None
        } else {
            bound::with_values(plan, params.clone())?
        };
        match bound {
            Some(plan) => self.run_context.run_wanted(state, plan, wanted).await,
            None => self.run_context.run_written(parsed, &params, wanted).await,
        }
    }
}

/// The values of the parameters of a query that is known: the literals of its text, or those that are given. `None` where
/// they are not right; that is told where the text is planned, in the words of the text.
fn known_values(
    planned: &Planned,
    literals: &[ScalarValue],
    params: &[ScalarValue],
) -> Option<Vec<ScalarValue>> {
    let values = match (literals, params) {
        ([], params) => params,
        (literals, []) => literals,
        _ => return None,
    };
    planned.placeholders.bind(values.to_vec()).ok()
}

/// A plan from which a text that comes again can be run; `None` where it is to be planned as it is written.
fn known_plan(planned: Result<Arc<Planned>>) -> Result<Option<Arc<Planned>>> {
    match planned {
        Ok(planned) => Ok(Some(planned).filter(|planned| planned.is_of_tables())),
        Err(error) if is_of_text(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether it is the text that is wrong, or that the literals taken out of it were needed.
fn is_of_text(error: &Error) -> bool {
    use ErrorKind::{Internal, InvalidInput, NotSupported};
    matches!(error.kind(), InvalidInput | NotSupported | Internal)
}
