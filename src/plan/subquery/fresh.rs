//! Names that nothing else has, and how much is written out.

use std::cell::{Cell, RefCell};

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchemaRef, Result as PlanResult};
use datafusion::logical_expr::LogicalPlan;

use crate::error::Error;

/// So many nodes are planned again for the values that subqueries name from outside, at most.
const MOST_NODES: usize = 20_000;

/// Gives names to columns, within a statement.
#[derive(Default)]
pub(super) struct FreshNames {
    given: Cell<usize>,
    nodes: Cell<usize>,
    /// The columns of the rows around the current place, the outermost first.
    around: RefCell<Vec<DFSchemaRef>>,
}

impl FreshNames {
    /// A name that no column has.
    pub fn next(&self) -> String {
        let number = self.given.get();
        self.given.set(number + 1);
        format!("__halite_subquery_{number}")
    }

    /// What is done inside of a subquery over rows with these columns.
    pub fn within<T>(&self, rows: &[DFSchemaRef], run: impl FnOnce() -> T) -> T {
        let before = self.around.borrow().len();
        self.around.borrow_mut().extend_from_slice(rows);
        let done = run();
        self.around.borrow_mut().truncate(before);
        done
    }

    /// Whether rows around the current place have a column.
    pub fn is_around(&self, column: &Column) -> bool {
        let around = self.around.borrow();
        around.iter().any(|rows| rows.has_column(column))
    }

    /// Counts a plan that is planned once more.
    ///
    /// # Errors
    /// `NotSupported` where these are too many: queries in queries may double them with every level.
    pub fn count(&self, plan: &LogicalPlan) -> PlanResult<()> {
        let mut nodes = self.nodes.get();
        plan.apply(|_| {
            nodes += 1;
            Ok(if nodes > MOST_NODES {
                TreeNodeRecursion::Stop
            } else {
                TreeNodeRecursion::Continue
            })
        })?;
        self.nodes.set(nodes);
        if nodes > MOST_NODES {
            Err(Error::unsupported(
                "the statement has too many subqueries in each other that name columns from outside; \
                 join some of them in FROM",
            )
            .into())
        } else {
            Ok(())
        }
    }
}
