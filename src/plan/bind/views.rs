//! Views, planned where they are used.
//!
//! A view is planned by itself, with every mend, and its plan put in the place of its name: what a query around it calls
//! its own tables means nothing inside, and conditions reach the tables below as if the view were written out. Its columns
//! are those that it had when it was made; a query that does not give them any more, or tables that are gone, are told
//! with the name of the view.
//!
//! A view of the database reads what the database has under its names, whatever temporary table hides that; a temporary one
//! what the connection has.
//!
//! Plans are kept for the version of the catalog and the settings that they are for.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use arrow::datatypes::FieldRef;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, DataFusionError, TableReference};
use datafusion::config::ConfigOptions;
use datafusion::datasource::ViewTable;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use parking_lot::{Mutex, RwLock};
use sqlparser::ast::{FromTable, ObjectName, Statement, TableFactor, visit_relations};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::recursion::{self, Casts};
use super::statement::references;
use crate::catalog::visible::Catalogs;
use crate::catalog::{
    CATALOG_NAME, Catalog, DATABASE_SCHEMA, GuestFunctions, Guests, MOST_VIEWS_DEEP, SCHEMA_NAME,
    ViewPlanner, object_name,
};
use crate::error::{Error, Result};
use crate::plan::query_plan::query_plan;
use crate::schema::{View, ViewColumn};
use crate::sql::limits::guard::MAX_TABLES;
use crate::sql::parse::{Command, Parsed, parse};
use crate::sql::stack::stack_for;
use crate::sql::token::tokenize;
use crate::sql::unsupported::clauses;
use crate::sql::written::Written;

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The views of a connection.
#[derive(Debug)]
pub(crate) struct Views {
    catalogs: Catalogs,
    guests: Guests,
    session: OnceLock<Weak<RwLock<SessionState>>>,
    known: Mutex<HashMap<String, Arc<Known>>>,
    forgets: AtomicBool,
}

/// A view that is planned.
#[derive(Debug)]
struct Known {
    version: u64,
    settings: Arc<ConfigOptions>,
    view: Arc<View>,
    table: Arc<ViewTable>,
    below: Below,
}

/// What is below the names of views.
#[derive(Debug, Clone, Default)]
pub(crate) struct Below {
    /// How many tables are read.
    tables: u64,
    /// The casts of recursive queries.
    pub(crate) casts: Casts,
}

impl Views {
    pub(crate) fn new(catalogs: Catalogs, guests: Guests) -> Self {
        Self {
            catalogs,
            guests,
            session: OnceLock::new(),
            known: Mutex::default(),
            forgets: AtomicBool::new(false),
        }
    }

    /// Plans them in this session.
    pub(crate) fn set_session(&self, session: Weak<RwLock<SessionState>>) {
        // There is one session.
        let _ = self.session.set(session);
    }

    /// Somebody may change the session from now on: each use is planned anew.
    pub(crate) fn forget_all(&self) {
        self.forgets.store(true, Ordering::SeqCst);
        self.known.lock().clear();
    }

    /// What is below the views that a statement names.
    ///
    /// # Errors
    /// What is wrong with one of them; `NotSupported` where there are more tables than can be planned.
    pub(crate) async fn below(&self, state: &SessionState, parsed: &Written) -> Result<Below> {
        let mut below = Below::default();
        if !self.catalogs.has_views() {
            return Ok(below);
        }
        for name in self.names_read(state, parsed)? {
            let Some(view) = self.catalog(state, &name).view(&name) else {
                continue;
            };
            let known = self.known(&view).await?;
            let times = times_named(parsed, &name).max(1);
            let tables = known.below.tables.saturating_mul(times);
            below.tables = below.tables.saturating_add(tables);
            below.casts.add(&known.below.casts);
        }
        if below.tables <= MAX_TABLES {
            Ok(below)
        } else {
            Err(Error::unsupported(format!(
                "the statement is too large to be planned: its views read {} tables, more than {MAX_TABLES}",
                below.tables
            )))
        }
    }

    /// The catalog of what a statement of this session means by a name.
    fn catalog(&self, state: &SessionState, name: &str) -> &Arc<Catalog> {
        if is_of_database(state) {
            self.catalogs.database()
        } else {
            self.catalogs.of(name)
        }
    }

    /// The tables and views that a statement names.
    fn names_read(&self, state: &SessionState, parsed: &Written) -> Result<BTreeSet<String>> {
        let references = references(state, parsed)?;
        let names = references.iter().filter_map(own_name);
        let names = names.filter(|name| !self.catalog(state, name).is_free(name));
        Ok(names.map(str::to_owned).collect())
    }

    /// The definition of a view with this query, and names for the first of its columns; `state` is that of a statement,
    /// or [`of_database`] for a view that the database keeps.
    ///
    /// # Errors
    /// What is wrong with the query, with the name of the view.
    pub(crate) async fn define(
        &self,
        state: &SessionState,
        name: &str,
        columns: &[String],
        query: &str,
    ) -> Result<View> {
        let defined = self.define_unnamed(state, columns, query).await;
        let (columns, reads) = defined.map_err(|error| error.context(format!("view `{name}`")))?;
        Ok(View {
            name: name.to_owned(),
            query: query.to_owned(),
            columns,
            reads,
            comment: None,
        })
    }

    async fn define_unnamed(
        &self,
        state: &SessionState,
        columns: &[String],
        query: &str,
    ) -> Result<(Vec<ViewColumn>, Vec<String>)> {
        let parsed = query_of(query)?;
        let statement = statement_of(&parsed)?;
        self.refuse_others(state, statement)?;
        let reads = self.names_read(state, statement)?;
        let (plan, _) = self.planned(state, parsed).await?;
        if !plan.get_parameter_names()?.is_empty() {
            return Err(Error::invalid("a view has no parameters"));
        }
        let fields = plan.schema().fields();
        if columns.len() > fields.len() {
            return Err(Error::invalid(format!(
                "{} names are given for {} columns",
                columns.len(),
                fields.len()
            )));
        }
        let mut names = columns.iter();
        let columns = fields.iter().map(|field| ViewColumn {
            name: names.next().unwrap_or_else(|| field.name()).clone(),
            source: field.name().clone(),
        });
        Ok((columns.collect(), reads.into_iter().collect()))
    }

    /// The database keeps nothing of the tables of one connection, and a temporary view reads no guests either: these
    /// come and go without a word to the catalog.
    fn refuse_others(&self, state: &SessionState, parsed: &Written) -> Result<()> {
        if let Some(statement) = parsed.unexplained()
            && let Some(functions) = state.config().get_extension::<GuestFunctions>()
        {
            functions.refuse_in(statement, "a view")?;
        }
        let references = references(state, parsed)?;
        let mut names = references.iter().filter_map(own_name);
        if is_of_database(state)
            && let Some(name) = names.clone().find(|name| self.catalogs.is_temporary(name))
        {
            return Err(Error::unsupported(format!(
                "`{name}` is temporary, and the database keeps the view: CREATE TEMP VIEW goes with it"
            )));
        }
        let is_guest = |name: &&str| self.catalogs.is_free(name) && self.guests.get(name).is_some();
        match names.find(is_guest) {
            None => Ok(()),
            Some(name) => Err(Error::unsupported(format!(
                "`{name}` is registered with this connection, and no table of the database: a view cannot read it"
            ))),
        }
    }

    /// The plan of a query, and what is below it.
    async fn planned(&self, state: &SessionState, parsed: Parsed) -> Result<(LogicalPlan, Below)> {
        let depth = parsed.depth;
        let planned = async {
            let statement = statement_of(&parsed)?.clone();
            clauses::check(&statement.sql, state)?;
            let mut below = self.below(state, &statement).await?;
            let own = recursion::casts(&statement.sql);
            let plan = query_plan(state, statement, below.casts.clone()).await?;
            below.casts.add(&own);
            below.tables = tables_of(&plan)?;
            Ok((plan, below))
        };
        let planned = stack_for(depth, planned).await;
        // Nobody knows the schema under that name.
        planned.map_err(|error: Error| error.reworded(&format!("{DATABASE_SCHEMA}."), ""))
    }

    /// A view that is planned for the tables and settings that there are.
    fn known<'a>(&'a self, view: &'a Arc<View>) -> BoxFuture<'a, Result<Arc<Known>>> {
        Box::pin(async move {
            let session = self.session.get().and_then(Weak::upgrade);
            let session = session.ok_or_else(|| Error::internal("a view without a session"))?;
            let version = self.catalogs.version();
            let settings = Arc::clone(session.read().config_options());
            let known = self.known.lock().get(&view.name).cloned();
            let is_current = |known: &Arc<Known>| {
                known.version == version
                    && Arc::ptr_eq(&known.view, view)
                    && Arc::ptr_eq(&known.settings, &settings)
            };
            if let Some(known) = known.filter(is_current) {
                return Ok(known);
            }
            let mut state = session.read().clone();
            let catalog = self.catalogs.of(&view.name);
            let is_seen = catalog
                .view(&view.name)
                .is_some_and(|it| Arc::ptr_eq(&it, view));
            if !is_seen || Arc::ptr_eq(catalog, self.catalogs.database()) {
                state = of_database(state);
            }
            let planned = self.plan_now(&state, view).await;
            let (plan, below) =
                planned.map_err(|error| error.context(format!("view `{}`", view.name)))?;
            let table = ViewTable::new(plan, Some(view.create_statement()));
            let known = Arc::new(Known {
                version,
                settings,
                view: Arc::clone(view),
                table: Arc::new(table),
                below,
            });
            if !self.forgets.load(Ordering::SeqCst) {
                let name = view.name.clone();
                self.known.lock().insert(name, Arc::clone(&known));
            }
            Ok(known)
        })
    }

    async fn plan_now(&self, state: &SessionState, view: &View) -> Result<(LogicalPlan, Below)> {
        if self.catalog(state, &view.name).depth(view) > MOST_VIEWS_DEEP {
            return Err(Error::unsupported(format!(
                "more than {MOST_VIEWS_DEEP} views stand on each other"
            )));
        }
        let is_gone = |name: &&String| self.catalog(state, name).is_free(name);
        if let Some(gone) = view.reads.iter().find(is_gone) {
            return Err(Error::invalid(format!(
                "it reads `{gone}`, which is gone: make that again, or drop the view"
            )));
        }
        let (plan, below) = self.planned(state, query_of(&view.query)?).await?;
        Ok((with_columns(view, plan)?, below))
    }
}

/// Whether a query may mean one of these columns of a table that it reads: it has a word that is the name of one, or
/// stands for columns that it does not name.
///
/// # Errors
/// A text that is no query.
pub(crate) fn may_name(query: &str, columns: &[&str]) -> Result<bool> {
    let tokens = tokenize(query)?;
    let tokens = tokens
        .iter()
        .map(|token| &token.token)
        .filter(|token| !matches!(token, Token::Whitespace(_)));
    let mut last = None;
    for token in tokens {
        if stands_for_columns(token, last) || is_one_of(token, columns) {
            return Ok(true);
        }
        last = Some(token);
    }
    Ok(false)
}

/// Whether a token behind another one stands for columns: a star that is no product, `FROM t` alone, NATURAL.
fn stands_for_columns(token: &Token, last: Option<&Token>) -> bool {
    let keyword = |token: &Token| match token {
        Token::Word(word) => word.keyword,
        _ => Keyword::NoKeyword,
    };
    match token {
        Token::Mul => last.is_none_or(|last| {
            matches!(last, Token::Comma | Token::Period)
                || matches!(
                    keyword(last),
                    Keyword::SELECT | Keyword::DISTINCT | Keyword::ALL
                )
        }),
        Token::Word(word) => match word.keyword {
            Keyword::NATURAL | Keyword::PIVOT | Keyword::UNPIVOT | Keyword::TABLE => true,
            Keyword::FROM => last.is_none_or(|last| {
                *last == Token::LParen
                    || matches!(
                        keyword(last),
                        Keyword::UNION
                            | Keyword::EXCEPT
                            | Keyword::INTERSECT
                            | Keyword::ALL
                            | Keyword::NAME
                    )
            }),
            _ => word.value.eq_ignore_ascii_case("columns"),
        },
        _ => false,
    }
}

fn is_one_of(token: &Token, names: &[&str]) -> bool {
    let Token::Word(word) = token else {
        return false;
    };
    names.iter().any(|name| match word.quote_style {
        Some(_) => word.value == **name,
        None => word.value.to_lowercase() == **name,
    })
}

/// The session in which names are those of what the database keeps.
pub(crate) fn of_database(mut state: SessionState) -> SessionState {
    DATABASE_SCHEMA.clone_into(&mut state.config_mut().options_mut().catalog.default_schema);
    state
}

fn is_of_database(state: &SessionState) -> bool {
    state.config_options().catalog.default_schema == DATABASE_SCHEMA
}

#[async_trait]
impl ViewPlanner for Views {
    async fn plan(&self, view: &Arc<View>) -> datafusion::common::Result<Arc<dyn TableProvider>> {
        let known = self.known(view).await.map_err(DataFusionError::from)?;
        Ok(Arc::clone(&known.table) as Arc<dyn TableProvider>)
    }
}

/// Refuses a DELETE from a view.
///
/// # Errors
/// `InvalidInput` that says what the view reads.
pub(crate) fn refuse_changes(catalogs: &Catalogs, parsed: &Written) -> Result<()> {
    let Some(Statement::Delete(delete)) = parsed.unexplained() else {
        return Ok(());
    };
    let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
    for table in tables {
        if let TableFactor::Table { name, .. } = &table.relation
            && let Ok(name) = object_name(name)
            && catalogs.view(&name).is_some()
        {
            catalogs.expect_table(&name)?;
        }
    }
    Ok(())
}

/// The name of a table that is the database's, if there is one.
fn own_name(reference: &TableReference) -> Option<&str> {
    match reference {
        TableReference::Bare { table } => Some(table.as_ref()),
        TableReference::Partial { schema, table } if **schema == *SCHEMA_NAME => {
            Some(table.as_ref())
        }
        TableReference::Full {
            catalog,
            schema,
            table,
        } if **catalog == *CATALOG_NAME && **schema == *SCHEMA_NAME => Some(table.as_ref()),
        _ => None,
    }
}

/// How often a statement names it.
fn times_named(parsed: &Written, name: &str) -> u64 {
    let mut times = 0;
    let _: ControlFlow<()> = visit_relations(parsed.sql.as_ref(), |relation| {
        let last = relation
            .0
            .last()
            .cloned()
            .map(|part| ObjectName(vec![part]));
        let is_named = last.and_then(|last| object_name(&last).ok());
        times += u64::from(is_named.as_deref() == Some(name));
        ControlFlow::Continue(())
    });
    times
}

/// How many tables a plan reads.
fn tables_of(plan: &LogicalPlan) -> Result<u64> {
    let mut tables = 0;
    plan.apply_with_subqueries(|node| {
        tables += u64::from(node.inputs().is_empty());
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(tables)
}

/// The query that a text is.
fn query_of(text: &str) -> Result<Parsed> {
    let mut statements = parse(text)?;
    match (statements.pop(), statements.is_empty()) {
        (Some(statement), true) => Ok(statement),
        _ => Err(Error::invalid("its text is not one query")),
    }
}

fn statement_of(parsed: &Parsed) -> Result<&Written> {
    if let Command::Sql(statement) = &parsed.command
        && let Some(Statement::Query(_)) = statement.unexplained()
    {
        return Ok(statement);
    }
    Err(Error::unsupported("a view is a query: AS SELECT …"))
}

/// The plan with the columns of the view.
fn with_columns(view: &View, plan: LogicalPlan) -> Result<LogicalPlan> {
    let given = plan.schema().fields();
    let is_same = |(column, field): (&ViewColumn, &FieldRef)| {
        column.name == column.source && column.source == *field.name()
    };
    if given.len() == view.columns.len() && view.columns.iter().zip(given).all(is_same) {
        return Ok(plan);
    }
    let mut columns = Vec::with_capacity(view.columns.len());
    for (place, column) in view.columns.iter().enumerate() {
        let mut fields = plan.schema().iter().enumerate();
        let named = |(at, (_, field)): &(usize, (_, &FieldRef))| {
            // Of several columns with one name the one that stands where it stood.
            field.name() == &column.source && (*at == place || is_alone(&plan, &column.source))
        };
        let Some((_, (qualifier, field))) = fields.find(named) else {
            return Err(Error::invalid(format!(
                "its query has no column `{}` any more: CREATE OR REPLACE VIEW makes it anew",
                column.source
            )));
        };
        columns.push(Expr::Column(Column::from((qualifier, field))).alias(&column.name));
    }
    Ok(LogicalPlanBuilder::from(plan).project(columns)?.build()?)
}

fn is_alone(plan: &LogicalPlan, name: &str) -> bool {
    let fields = plan.schema().fields().iter();
    fields.filter(|field| field.name() == name).count() == 1
}

#[cfg(test)]
#[path = "views_tests.rs"]
mod tests;
