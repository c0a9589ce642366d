//! What the statements of a connection run in, and how one becomes a plan at its snapshot.
//!
//! A statement has a session of DataFusion's of its own, with the snapshot that it reads, with where it tells how far it is
//! and what it is told to end by. It is planned in that session; if tables were made, replaced or dropped between the
//! snapshot and the plan, once more at a new one.

use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::batch_size;
use super::meter::Meter;
use super::named::{self, NamedStatements};
use super::planning_thread::{Effort, apart};
use super::resources::Resources;
use super::sessions::Sessions;
use super::statement_cache::Texts;
use super::warnings::Warnings;
use crate::catalog::Guests;
use crate::catalog::visible::Catalogs;
use crate::error::Result;
use crate::function::Stop;
use crate::plan::bind::views::{self, Views};
use crate::plan::change::ChangeStatement;
use crate::plan::change::values::{self, Insert};
use crate::plan::query_plan::{draft, mended, query_plan};
use crate::scan::StatementSnapshot;
use crate::settings::{ByteSize, HaliteOptions};
use crate::sql::unsupported::clauses;
use crate::sql::written::Written;
use crate::write::Progress;

/// What the statements of a connection run in. Clones share all of it but what is set for one statement: who looks at it,
/// and what ends it.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) resources: Resources,
    catalogs: Catalogs,
    /// Tables of the program.
    pub(crate) guests: Guests,
    views: Arc<Views>,
    session: SessionContext,
    pub(super) sessions: Arc<Sessions>,
    texts: Arc<Texts>,
    pub(super) named: NamedStatements,
    warnings: Warnings,
    progress: Progress,
    /// What looks at what the statement reads.
    pub(crate) meter: Option<Arc<Meter>>,
    /// Ends what the statement runs, where it is the context of one statement.
    pub(crate) stop: Stop,
}

impl Context {
    /// The context of a new connection: its tables and views, and the session that was made for them.
    pub(crate) fn new(
        resources: Resources,
        catalogs: Catalogs,
        guests: Guests,
        views: Arc<Views>,
        session: SessionContext,
    ) -> Self {
        Self {
            resources,
            catalogs,
            guests,
            views,
            session,
            sessions: Arc::default(),
            texts: Arc::default(),
            named: NamedStatements::default(),
            warnings: Warnings::default(),
            progress: Progress::default(),
            meter: None,
            stop: Stop::default(),
        }
    }

    /// The tables and views that its statements see.
    pub(crate) fn catalogs(&self) -> &Catalogs {
        &self.catalogs
    }

    /// The views that they see, planned.
    pub(crate) fn views(&self) -> &Views {
        &self.views
    }

    /// What is remembered of the texts that the connection was given.
    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The connection's session, for those who change nothing of it.
    pub(crate) fn session(&self) -> &SessionContext {
        &self.session
    }

    /// The same for somebody who may change it: from now on nothing is remembered that depends on it.
    pub(crate) fn handed_out_session(&self) -> &SessionContext {
        self.texts.forget_all();
        self.views.forget_all();
        self.sessions.hand_out();
        &self.session
    }

    pub(crate) fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The session as it is now, with the snapshot that the statement reads.
    pub(crate) fn statement_state(&self) -> Result<SessionState> {
        let mut state = self.sessions.begin(&self.session);
        self.begin_statement(state.config_mut())?;
        let (access, limit) = (self.resources.access(), self.resources.memory().limit());
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
    pub(super) fn begin_statement(&self, config: &mut SessionConfig) -> Result<()> {
        let snapshot = StatementSnapshot::of_stores(self.catalogs.snapshots()?);
        config.set_extension(Arc::new(snapshot));
        config.set_extension(Arc::new(self.progress.clone()));
        config.set_extension(Arc::new(self.stop.clone()));
        Ok(())
    }

    /// The session and the plan of a statement, whose tables are those of its snapshot: if tables were made, replaced
    /// or dropped between the two, it is planned again at a new one.
    ///
    /// # Errors
    /// What is wrong with the statement.
    pub(crate) async fn planned(&self, parsed: &Written) -> Result<(SessionState, LogicalPlan)> {
        let catalog = &self.catalogs;
        loop {
            let effort = if catalog.has_views() {
                // What a view brings is not in the statement.
                Effort::Great
            } else {
                Effort::of_statement(parsed)
            };
            let (context, parsed) = (self.clone(), parsed.clone());
            let version = catalog.version();
            let planned = apart(effort, async move {
                let state = context.statement_state()?;
                let plan = context.logical_plan(&state, parsed).await?;
                Ok((state, plan))
            });
            let planned = planned.await;
            if catalog.version() == version {
                return planned;
            }
        }
    }

    async fn logical_plan(&self, state: &SessionState, mut parsed: Written) -> Result<LogicalPlan> {
        let prepares = named::take_open(&mut parsed);
        values::write_out_defaults(&self.catalogs, &mut parsed)?;
        clauses::check(&parsed.sql, state)?;
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
}
