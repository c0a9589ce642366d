//! The kinds of rules that most of Halite's are: what they rewrite, and how.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::{AnalyzerRule, ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

use crate::function::check_wanted;

use super::{LogicalRule, has_any, input_schema, map_named};

/// A rule of the analyzer, or of the optimizer, that rewrites expressions, from the inside out, each under the name that
/// it had; in the analyzer those of subqueries as well.
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

impl ExprRule {
    fn rewrite_node(&self, plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        rewrite_expressions(plan, self.concerns, self.rewrite)
    }
}

/// A node with its expressions rewritten from the inside out, each under the name that it had; a node without any that
/// `concerns` somebody as it is.
pub(in crate::plan::rule) fn rewrite_expressions(
    plan: LogicalPlan,
    concerns: impl Fn(&Expr) -> bool,
    rewrite: impl Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    if !has_any(&plan, concerns)? {
        return Ok(Transformed::no(plan));
    }
    let schema = input_schema(&plan)?;
    map_named(plan, |expr| {
        expr.transform_up(|expr| rewrite(expr, &schema))
    })
}

impl AnalyzerRule for ExprRule {
    fn name(&self) -> &str {
        self.name
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let rewritten = plan.transform_up_with_subqueries(|node| self.rewrite_node(node));
        rewritten.map(|plan| plan.data)
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
        self.rewrite_node(plan)
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

/// What is done in the place of a rule of DataFusion's optimizer, which it may call.
#[derive(Clone, Copy)]
pub struct Around {
    /// What it is known by in the tests.
    pub name: &'static str,
    /// What becomes of a node, by the rule that is given or without it.
    pub rewrite: fn(
        &dyn OptimizerRule,
        LogicalPlan,
        &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>>,
}

impl Around {
    /// The rule with this around it.
    pub fn over(self, rule: LogicalRule) -> LogicalRule {
        Arc::new(Wrapped(self, rule))
    }
}

struct Wrapped(Around, LogicalRule);

impl fmt::Debug for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(self.0.name).field(&self.1).finish()
    }
}

impl OptimizerRule for Wrapped {
    fn name(&self) -> &str {
        self.1.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.1.apply_order()
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        (self.0.rewrite)(self.1.as_ref(), plan, config)
    }
}

/// A plan that may be shared.
type Plan = Arc<dyn ExecutionPlan>;

/// A rule of the physical optimizer, which keeps the columns of a plan.
pub struct PlanRule {
    /// Its name.
    pub name: &'static str,
    /// What becomes of a plan.
    pub rewrite: fn(Plan, &ConfigOptions) -> Result<Plan>,
}

impl fmt::Debug for PlanRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PhysicalOptimizerRule for PlanRule {
    fn optimize(&self, plan: Plan, config: &ConfigOptions) -> Result<Plan> {
        (self.rewrite)(plan, config)
    }

    fn name(&self) -> &str {
        self.name
    }

    fn schema_check(&self) -> bool {
        true
    }
}
