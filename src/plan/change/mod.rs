//! Statements that change rows by what is there: UPDATE, DELETE, MERGE, INSERT with ON CONFLICT; and what RETURNING gives
//! back of them and of an INSERT.
//!
//! Such a statement is taken out of its text, and what is left is a query: of an UPDATE the values that it assigns, over
//! the table and what else it reads. That query is planned as any other. Above its rows come the columns that say
//! which row is changed, and what becomes of it ([`rows`]), and above these a [node] of Halite's that changes them. So
//! subqueries, joins and parameters mean in a change what they mean in a query, and all of it is read at the one snapshot
//! of the claim.
//!
//! DataFusion's hooks for DELETE and UPDATE lose the WHERE of subqueries, `false` and LIMIT; nothing comes to them.

pub(crate) mod assign;
mod delete;
mod insert;
pub(crate) mod lookup;
mod merge;
pub(crate) mod node;
mod rows;
mod update;
pub(crate) mod values;

#[cfg(test)]
mod history_tests;
#[cfg(test)]
mod race_tests;
#[cfg(test)]
mod replace_tests;

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use sqlparser::ast::{Insert as SqlInsert, Query, SetExpr, Statement as SqlStatement, With};

use self::delete::Delete;
use self::insert::{Clauses, Upsert};
use self::merge::Merge;
pub(crate) use self::node::{ChangeNode, ChangePlanner, gives_rows};
use self::update::Update;
use super::bind::recursion::Casts;
use super::change::values::{Insert, innermost};
use super::query_plan::draft;
use crate::catalog::visible::Catalogs;
use crate::error::{Error, Result};
use crate::sql::unsupported::clauses;
use crate::sql::written::Written;
use crate::table::HaliteTable;

/// A change, taken out of its statement.
pub(crate) struct ChangeStatement {
    table: Arc<HaliteTable>,
    form: Form,
    /// The list of RETURNING over the tables that it may name.
    returning: Option<Box<Query>>,
}

/// The queries that a statement is taken apart into.
struct Parts {
    query: Box<Query>,
    returning: Option<Box<Query>>,
}

/// What kind of change it is.
enum Form {
    Update(Update),
    Delete(Delete),
    Merge(Merge),
    Insert(Box<Upsert>),
}

impl ChangeStatement {
    /// Takes the change out of a statement that has one, and leaves a query, or an EXPLAIN or PREPARE of it. An INSERT that
    /// does nothing but insert is left as it is.
    ///
    /// # Errors
    /// A table or a column that is not there.
    pub(crate) fn take(
        catalogs: &Catalogs,
        parsed: &mut Written,
        state: &SessionState,
    ) -> Result<Option<Self>> {
        let statement = innermost(parsed);
        let with = take_with(statement);
        let (table, form, mut parts) = match statement {
            SqlStatement::Update(update) => {
                let (table, update, parts) = Update::take(catalogs, update)?;
                (table, Form::Update(update), parts)
            }
            SqlStatement::Delete(delete) => {
                let (table, delete, parts) = Delete::take(catalogs, delete)?;
                (table, Form::Delete(delete), parts)
            }
            SqlStatement::Merge(merge) => {
                let (table, merge, parts) = Merge::take(catalogs, merge)?;
                (table, Form::Merge(merge), parts)
            }
            SqlStatement::Insert(insert) => {
                give_with(insert, with);
                let sought = insert::keep_unnamed(catalogs, insert)?;
                return match Clauses::take(insert, sought)? {
                    Some(clauses) => Self::insert(catalogs, parsed, clauses, state),
                    None => Ok(None),
                };
            }
            _ => return Ok(None),
        };
        let queries = std::iter::once(&mut parts.query).chain(&mut parts.returning);
        queries.for_each(|query| query.with.clone_from(&with));
        let Parts { query, returning } = parts;
        *statement = SqlStatement::Query(query);
        Ok(Some(Self {
            table,
            form,
            returning,
        }))
    }

    fn insert(
        catalogs: &Catalogs,
        parsed: &mut Written,
        clauses: Clauses,
        state: &SessionState,
    ) -> Result<Option<Self>> {
        let insert = Insert::take(catalogs, parsed, state)?;
        let insert = insert.ok_or_else(|| {
            Error::unsupported(
                "ON CONFLICT and RETURNING of an INSERT without a query are not implemented",
            )
        })?;
        let (table, insert, returning) = Upsert::new(insert, clauses)?;
        Ok(Some(Self {
            table,
            form: Form::Insert(Box::new(insert)),
            returning,
        }))
    }

    /// The plan of the statement, of which `plan` is without the change.
    ///
    /// # Errors
    /// A value or a type that a column cannot hold; what is wrong with RETURNING.
    pub(crate) async fn over(self, state: &SessionState, plan: LogicalPlan) -> Result<LogicalPlan> {
        let updates = match &self.form {
            Form::Insert(insert) => part(state, insert.updates()).await?,
            _ => None,
        };
        let returning = part(state, self.returning.clone()).await?;
        self.changed(plan, updates, returning)
    }

    fn changed(
        &self,
        plan: LogicalPlan,
        mut updates: Option<LogicalPlan>,
        mut returning: Option<LogicalPlan>,
    ) -> Result<LogicalPlan> {
        let planned = plan.transform_down(|node| match node {
            LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) | LogicalPlan::Statement(_) => {
                Ok(Transformed::no(node))
            }
            query => {
                let rows = match &self.form {
                    Form::Update(update) => update.rows(&self.table, query)?,
                    Form::Delete(delete) => delete.rows(&self.table, query)?,
                    Form::Merge(merge) => merge.rows(&self.table, query)?,
                    Form::Insert(insert) => insert.rows(query, updates.take())?,
                };
                let changed = rows.changed(&self.table, returning.take())?;
                Ok(Transformed::new(changed, true, TreeNodeRecursion::Jump))
            }
        })?;
        Ok(planned.data)
    }
}

/// The plan of a query that is a part of a statement.
async fn part(state: &SessionState, query: Option<Box<Query>>) -> Result<Option<LogicalPlan>> {
    let Some(query) = query else {
        return Ok(None);
    };
    let query = Written::from(query);
    clauses::check(&query.sql, state)?;
    draft(state, query, Casts::default()).await.map(Some)
}

/// Takes the change out of a query that is WITH and a change, and gives the WITH.
fn take_with(statement: &mut SqlStatement) -> Option<With> {
    let SqlStatement::Query(query) = statement else {
        return None;
    };
    let Query { with, body, .. } = query.as_mut();
    let (SetExpr::Update(change)
    | SetExpr::Delete(change)
    | SetExpr::Merge(change)
    | SetExpr::Insert(change)) = body.as_mut()
    else {
        return None;
    };
    let (with, change) = (with.take(), change.clone());
    *statement = change;
    with
}

/// Gives the query of an INSERT the WITH that stands before the INSERT.
fn give_with(insert: &mut SqlInsert, with: Option<With>) {
    if let (Some(with), Some(query)) = (with, insert.source.as_mut()) {
        match &mut query.with {
            Some(own) => own.cte_tables.splice(0..0, with.cte_tables).for_each(drop),
            none => *none = Some(with),
        }
    }
}
