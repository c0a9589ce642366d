//! A statement's settings, fitted to the memory that it may take.
//!
//! What a batch of rows takes is seen by nobody before it is there. So a batch has few rows where the limit is low, and two
//! things that make it large are looked for in the plan: functions that build texts and lists, which share an eighth of
//! the memory limit, and long constants, which stand once in each row: the longer they are, the fewer rows a batch has.

use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, Operator};
use datafusion::prelude::SessionConfig;

use crate::function::is_bounded;
use crate::settings::{ByteSize, HaliteOptions};

/// Constants up to this size count as nothing.
const SHORT: u64 = 4 << 10;
/// The most that a function may make at once, whatever the limit is: places in a text or list have 31 bits.
const MOST_AT_ONCE: u64 = 1 << 30;

/// A batch has a row for so much of the memory limit.
const LIMIT_PER_ROW: usize = 128 << 10;
/// The fewest rows that a batch has by the memory limit.
const FEWEST_ROWS: usize = 256;

/// Fits the rows of a batch to the memory limit. Operators hold some batches beside what they ask for, a merge one of each
/// run, and what large ones leave behind is memory that the allocator cannot give back.
pub(crate) fn fit_batches(config: &mut SessionConfig, limit: usize) {
    let rows = (limit / LIMIT_PER_ROW).max(FEWEST_ROWS);
    if rows < config.batch_size() {
        *config = std::mem::take(config).with_batch_size(rows);
    }
}

/// Whether a constant counts as nothing.
pub(crate) fn is_short(value: &ScalarValue) -> bool {
    value.size() as u64 <= SHORT
}

/// What was found in a plan.
#[derive(Default)]
struct Weight {
    functions: u64,
    constants: u64,
}

/// Fits the settings of a statement to its plan.
///
/// # Errors
/// Those of a walk over the plan: none.
pub(crate) fn fit(state: &mut SessionState, plan: &LogicalPlan) -> Result<()> {
    let weight = Weight::of(plan)?;
    if weight.is_nothing() {
        return Ok(());
    }
    let partitions = state.config().target_partitions().max(1) as u64;
    let batch_size = state.config().batch_size();
    let limit = HaliteOptions::of(state.config_options()).memory_limit.0;
    if let Some(rows) = (limit / 16).checked_div(weight.constants) {
        let rows = usize::try_from(rows)
            .unwrap_or(batch_size)
            .clamp(1, batch_size);
        let options = state.config_mut().options_mut();
        options.set("datafusion.execution.batch_size", &rows.to_string())?;
    }
    let options = state.config_mut().options_mut();
    if let Some(options) = options.extensions.get_mut::<HaliteOptions>()
        && weight.functions > 0
    {
        let share = limit / 8 / (weight.functions * partitions);
        let share = share.clamp(1, MOST_AT_ONCE);
        options.function_bytes = match options.function_bytes {
            ByteSize(0) => ByteSize(share),
            ByteSize(wanted) => ByteSize(wanted.min(MOST_AT_ONCE)),
        };
    }
    // Functions are given the settings that were in force when the statement began.
    let config = Arc::clone(state.config_options());
    state.execution_props_mut().config_options = Some(config);
    Ok(())
}

/// Whether the settings of a statement fit its plan as they are.
///
/// # Errors
/// As [`fit`].
pub(crate) fn is_fitting(plan: &LogicalPlan) -> Result<bool> {
    Weight::of(plan).map(|weight| weight.is_nothing())
}

impl Weight {
    fn of(plan: &LogicalPlan) -> Result<Self> {
        let mut weight = Self::default();
        plan.apply_with_subqueries(|node| {
            node.apply_expressions(|expr| {
                expr.apply(|expr| {
                    weight.add(expr);
                    Ok(TreeNodeRecursion::Continue)
                })
            })
        })?;
        Ok(weight)
    }

    fn is_nothing(&self) -> bool {
        self.functions == 0 && self.constants == 0
    }

    fn add(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(value, _) => {
                let bytes = value.size() as u64;
                self.constants += if is_short(value) { 0 } else { bytes };
            }
            Expr::BinaryExpr(binary) => {
                self.functions += u64::from(binary.op == Operator::StringConcat);
            }
            expr => self.functions += u64::from(is_bounded(expr)),
        }
    }
}
