//! NATURAL JOIN of tables that have no column in common.
//!
//! DataFusion makes a CROSS JOIN of it, of a LEFT JOIN as well, whose rows are then lost where the right side is empty.
//! Which columns there are is known once the statement is planned; so one that has a NATURAL JOIN is planned again with
//! CROSS JOIN written, and where that is the same plan, nothing was in common.

use std::ops::ControlFlow;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use sqlparser::ast::{
    Join, JoinConstraint, JoinOperator, PipeOperator, Query, Select, Statement, TableFactor,
    TableWithJoins, VisitMut, VisitorMut,
};

use super::names;
use super::statement::plan_of;
use crate::error::{Error, Result};
use crate::sql::written::Written;

/// A copy of the statement, if it has a NATURAL JOIN.
pub(crate) fn kept(statement: &mut Written) -> Option<Written> {
    let mut naturals = Naturals {
        skipped: usize::MAX,
    };
    cross(statement.sql.as_mut(), &mut naturals);
    (naturals.skipped < usize::MAX).then(|| statement.clone())
}

/// Refuses a NATURAL JOIN without a common column in a statement that is planned as `plan`.
///
/// # Errors
/// `NotSupported`, naming the tables.
pub(crate) async fn check(
    state: &SessionState,
    parsed: &Written,
    plan: &LogicalPlan,
) -> Result<()> {
    let mut skipped = 0;
    loop {
        let mut crossed = parsed.clone();
        let Some((left, right)) = cross(crossed.sql.as_mut(), &mut Naturals { skipped }) else {
            return Ok(());
        };
        if let Ok(crossed) = names::mend(state, crossed).await
            && let Ok(other) = plan_of(state, crossed).await
            && other == *plan
        {
            return Err(Error::unsupported(format!(
                "NATURAL JOIN of {left} and {right}, which have no column in common, is not implemented; \
                 write CROSS JOIN or ON …"
            )));
        }
        skipped += 1;
    }
}

/// Writes CROSS JOIN instead of the NATURAL JOIN after the first `skipped` ones: the names of both sides.
fn cross(statement: &mut Statement, naturals: &mut Naturals) -> Option<(String, String)> {
    statement.visit(naturals).break_value()
}

/// Finds one NATURAL JOIN and changes it.
struct Naturals {
    skipped: usize,
}

type Found = ControlFlow<(String, String)>;

impl Naturals {
    fn of_table(&mut self, table: &mut TableWithJoins) -> Found {
        let mut left = named(&table.relation);
        for join in &mut table.joins {
            let right = named(&join.relation);
            self.of_join(join, &left)?;
            left = right;
        }
        ControlFlow::Continue(())
    }

    fn of_join(&mut self, join: &mut Join, left: &str) -> Found {
        let (JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::RightSemi(constraint)
        | JoinOperator::LeftAnti(constraint)
        | JoinOperator::RightAnti(constraint)) = &join.join_operator
        else {
            return ControlFlow::Continue(());
        };
        if *constraint != JoinConstraint::Natural {
            return ControlFlow::Continue(());
        }
        if self.skipped > 0 {
            self.skipped -= 1;
            return ControlFlow::Continue(());
        }
        join.join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
        ControlFlow::Break((left.to_owned(), named(&join.relation)))
    }
}

impl VisitorMut for Naturals {
    type Break = (String, String);

    fn pre_visit_query(&mut self, query: &mut Query) -> Found {
        for pipe in &mut query.pipe_operators {
            if let PipeOperator::Join(join) = pipe {
                self.of_join(join, "what is before it")?;
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> Found {
        let mut tables = select.from.iter_mut();
        tables.try_for_each(|table| self.of_table(table))
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> Found {
        match factor {
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.of_table(table_with_joins),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn named(factor: &TableFactor) -> String {
    match factor {
        TableFactor::Table { name, alias, .. } => match alias {
            Some(alias) => format!("`{}`", alias.name),
            None => format!("`{name}`"),
        },
        TableFactor::Derived {
            alias: Some(alias), ..
        } => format!("`{}`", alias.name),
        _ => "a subquery".to_owned(),
    }
}
