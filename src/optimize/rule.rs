//! The two kinds of rules that most of Halite's are: what they rewrite, and how.

use std::fmt;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::{AnalyzerRule, ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::function::check_wanted;

use super::{has_any, input_schema, map_named};

/// A rule of the optimizer that rewrites expressions, from the inside out, each under the name that it had.
pub struct ExprRule {
    /// Its name.
    pub name: &'static str,
    /// Whether a node with this expression anywhere is looked at.
    pub concerns: fn(&Expr) -> bool,
    /// What becomes of an expression over these columns.
    pub rewrite: fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
}

impl fmt::Debug for ExprRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl OptimizerRule for ExprRule {
    fn name(&self) -> &str {
        self.name
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        check_wanted()?;
        if !has_any(&plan, self.concerns)? {
            return Ok(Transformed::no(plan));
        }
        let schema = input_schema(&plan)?;
        map_named(plan, |expr| {
            expr.transform_up(|expr| (self.rewrite)(expr, &schema))
        })
    }
}

/// A rule of the analyzer, or of the optimizer, that rewrites nodes, from the inside out, those of subqueries as well.
pub struct NodeRule {
    /// Its name.
    pub name: &'static str,
    /// What becomes of a node.
    pub rewrite: fn(LogicalPlan) -> Result<Transformed<LogicalPlan>>,
}

impl fmt::Debug for NodeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl AnalyzerRule for NodeRule {
    fn name(&self) -> &str {
        self.name
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let rewritten = plan.transform_up_with_subqueries(self.rewrite);
        rewritten.map(|plan| plan.data)
    }
}

impl OptimizerRule for NodeRule {
    fn name(&self) -> &str {
        self.name
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        (self.rewrite)(plan)
    }
}
