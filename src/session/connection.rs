//! Connections: statements run one after the other, each at one snapshot.
//!
//! The way of a statement: [`parse`](crate::sql::parse) cuts and parses the script, and [`execute`] answers
//! it or has it planned; it reads the store at the snapshot that it took when it began.
//!
//! What is public here goes on a stack that is large enough for the statement at once: nothing below does.

use std::sync::Arc;
use std::time::Duration;

use datafusion::prelude::SessionContext;

use super::observe::{Asked, Observer};
use super::{Database, session_context};
use crate::catalog::Guests;
use crate::catalog::visible::Catalogs;
use crate::ddl::execute;
use crate::error::{Error, Result};
use crate::plan::bind::column_rules;
use crate::plan::bind::views::Views;
use crate::run::context::Context;
use crate::run::interrupt::Interruptions;
use crate::run::outcome::{Outcome, Wanted};
use crate::run::warnings::Warnings;
use crate::sql::limits::guard;
use crate::sql::parse::{Parsed, parse};
use crate::sql::stack::{on_stack_for, stack_for};
use crate::write::Progress;

/// What a text becomes while it is parsed and planned, at most: so many times its own length.
const MEMORY_OF_TEXT: usize = 64;

/// A connection to a database. Its settings (`SET …`) are its own.
#[derive(Clone)]
pub struct Connection {
    pub(crate) database: Database,
    /// What its statements run in.
    pub(crate) run_context: Context,
    /// Whom its statements are reported to.
    pub(crate) observer: Option<Observer>,
    pub(crate) interrupts: Arc<Interruptions>,
    /// How long each statement may take, if that is not what the setting says.
    pub(crate) timeout: Option<Duration>,
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
        let resources = database.resources().clone();
        let session = session_context::new(&resources, &catalogs, &guests, &views);
        Self {
            run_context: Context::new(resources, catalogs, guests, views, session),
            observer: None,
            interrupts: Arc::new(Interruptions::beside(database.ending().interrupts.clone())),
            database,
            timeout: None,
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
        self.run_context.handed_out_session()
    }

    /// The tables and views that it sees.
    pub(crate) fn catalogs(&self) -> &Catalogs {
        self.run_context.catalogs()
    }

    /// The session for those who change nothing of it.
    pub(crate) fn session(&self) -> &SessionContext {
        self.run_context.session()
    }

    /// How far the connection's statement is, if it writes rows, and how far the last one came: to be looked at from
    /// another task or thread while it runs. A clone of it follows the statements to come as well.
    pub fn progress(&self) -> &Progress {
        self.run_context.progress()
    }

    /// What its statements have warned of, and nobody has taken yet: of a row key that is rarely meant, say. A clone of it
    /// has those of the statements to come as well.
    pub fn warnings(&self) -> &Warnings {
        self.run_context.warnings()
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
        watch.connection().progress().begin();
        let statement = statement.clone();
        let given = watch.connection().limited(|connection| async move {
            let parsed = &statement.parsed;
            let run = execute::run(&connection.run_context, parsed, Wanted::Anything);
            stack_for(parsed.depth, run).await
        });
        let given = given.await;
        watch.over(given, Asked::AsRead)
    }

    /// The only statement of `sql`.
    pub(crate) fn single(&self, sql: &str) -> Result<Statement> {
        Statement::only_of(self.parse(sql)?)
    }
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
