//! Constants compare by value: the rule that runs before DataFusion's simplifier.
//!
//! The simplifier casts a constant to the type of the column it is compared with. A constant finer than the column's
//! unit is rounded by that, and one outside of its domain fails; some of its rules also lose a NULL, or a row, where
//! constants stand in an order that it did not expect. This rule writes every comparison with a constant so that
//! nothing is left to get wrong:
//!
//! * the constant stands on the right (`5 < a` becomes `a > 5`);
//! * it is a value of the column's own type (`super::operand`); one between two values equals nothing, one beyond
//!   the domain is above or below every value;
//! * −0.0 is 0.0, and NaN is one NaN, in constants and in what is computed (`super::floats`);
//! * a cast around the other side that does not keep the value is hidden from the simplifier (`crate::plan::rule::cast::lossy`);
//! * `BETWEEN` a constant is two comparisons, and `NOT` stands before no comparison;
//! * lists of `IN` hold no NULL, and several lists over one value are hidden from each other (`super::lists`).
//!
//! Three-valued logic is kept. Where a truth value only decides whether a row stays, NULL is written as false.
//! Names of columns do not change. Applied to its own result the rule does nothing.

use std::mem::take;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, lit};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use super::chains::{LONG_CHAIN, balanced, chain_operator, is_logical, left_deep, spine};
use super::comparison::{Comparison, Context, between_operators, binary, is_comparison};
use super::exact::Folder;
use super::operand::Operand;
use super::{floats, lists};
use crate::plan::rule::cast::lossy;
use crate::plan::rule::expr::is_constant;
use crate::plan::rule::{has_any, input_schema, map_named};

/// The rule. See the [module](self).
#[derive(Debug, Default)]
pub struct CompareByValue;

impl OptimizerRule for CompareByValue {
    fn name(&self) -> &str {
        "halite_compare_by_value"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        if !has_any(&plan, is_work)? {
            return Ok(Transformed::no(plan));
        }
        let schema = input_schema(&plan)?;
        let folder = Folder::new(config);
        let mut normaliser = Normaliser {
            schema: &schema,
            folder: &folder,
            changed: false,
        };
        let plan = normaliser.plan(plan)?;
        Ok(Transformed::new_transformed(plan, normaliser.changed))
    }
}

fn is_work(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_comparison(*op),
        Expr::Between(_) | Expr::InList(_) => true,
        Expr::Cast(_) => floats::nearest(expr).is_some(),
        _ => false,
    }
}

/// Rewrites the expressions of one node.
pub(crate) struct Normaliser<'a> {
    pub(crate) schema: &'a DFSchema,
    folder: &'a Folder,
    changed: bool,
}

impl Normaliser<'_> {
    fn plan(&mut self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let context = match &plan {
            LogicalPlan::Filter(_) | LogicalPlan::TableScan(_) => Context::Filter,
            _ => Context::Value,
        };
        let plan = match plan {
            LogicalPlan::Join(mut join) => {
                // What the keys of one side bound in the other is compared with constants while the join runs.
                for key in join.on.iter_mut().flat_map(|(left, right)| [left, right]) {
                    *key = self.hidden(take(key))?;
                }
                join.filter = join
                    .filter
                    .map(|filter| self.truth(filter, Context::Filter))
                    .transpose()?;
                LogicalPlan::Join(join)
            }
            plan => plan,
        };
        let rewritten = map_named(plan, |expr| self.truth(expr, context).map(Transformed::yes));
        rewritten.map(|plan| plan.data)
    }

    /// Rewrites an expression, a truth value or not.
    fn truth(&mut self, expr: Expr, context: Context) -> Result<Expr> {
        let expr = self.term(expr, context)?;
        // Also one that came out of a `NOT`.
        if chain_operator(&expr).is_none() {
            return Ok(expr);
        }
        let hidden = lists::hide(expr, context, self.schema)?;
        self.changed |= hidden.transformed;
        Ok(hidden.data)
    }

    /// Rewrites one term of a chain.
    fn term(&mut self, expr: Expr, context: Context) -> Result<Expr> {
        match expr {
            Expr::BinaryExpr(BinaryExpr { op, .. }) if is_logical(op) => {
                self.chain(expr, op, context)
            }
            Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => {
                let constants = [&left, &right].map(|side| lossy::may_turn_constant(side));
                let left = self.operand(*left, constants[1])?;
                let right = self.operand(*right, constants[0])?;
                self.comparison(left, op, right, context)
            }
            Expr::Not(inner) => self.negation(*inner, context),
            Expr::Between(between) => self.between(between, context),
            Expr::InList(list) => {
                let list = self.in_list_children(list)?;
                self.in_list(list, context)
            }
            Expr::Literal(value, _) if context == Context::Filter && value.is_null() => {
                self.changed = true;
                Ok(lit(false))
            }
            Expr::Alias(mut alias) => {
                alias.expr = Box::new(self.truth(*alias.expr, context)?);
                Ok(Expr::Alias(alias))
            }
            expr => {
                if let Some(nearest) = floats::nearest(&expr) {
                    self.changed = true;
                    return Ok(nearest);
                }
                let children = expr.map_children(|child| {
                    let child = self.truth(child, Context::Value)?;
                    Ok(Transformed::yes(child))
                })?;
                Ok(children.data)
            }
        }
    }

    /// An operand of a comparison; its lossy casts are hidden where what it is compared with may be a constant.
    fn operand(&mut self, operand: Expr, with_constant: bool) -> Result<Expr> {
        let operand = if with_constant {
            self.hidden(operand)?
        } else {
            operand
        };
        let operand = self.truth(operand, Context::Value)?;
        let settled = floats::settled(operand, self.schema);
        self.changed |= settled.transformed;
        Ok(settled.data)
    }

    fn hidden(&mut self, expr: Expr) -> Result<Expr> {
        let hidden = lossy::hide(expr, self.schema)?;
        self.changed |= hidden.transformed;
        Ok(hidden.data)
    }

    /// A chain of one operator, `AND` or `OR`. Its left spine is walked, not recursed into: it may be long.
    fn chain(&mut self, expr: Expr, op: Operator, context: Context) -> Result<Expr> {
        let mut terms = spine(expr, op);
        for term in &mut terms {
            *term = self.term(take(term), context)?;
        }
        let long = terms.len() > LONG_CHAIN;
        self.changed |= long;
        Ok(if long {
            balanced(terms, op)
        } else {
            left_deep(terms, op)
        })
    }

    /// `NOT inner`, with the `NOT` moved to where it vanishes.
    fn negation(&mut self, inner: Expr, context: Context) -> Result<Expr> {
        let positive = match inner {
            Expr::Not(expr) => *expr,
            Expr::BinaryExpr(BinaryExpr { op, .. }) if is_logical(op) => {
                let terms = spine(inner, op).into_iter();
                let negated = terms.map(|term| Expr::Not(Box::new(term))).collect();
                left_deep(
                    negated,
                    if op == Operator::And {
                        Operator::Or
                    } else {
                        Operator::And
                    },
                )
            }
            Expr::BinaryExpr(BinaryExpr { left, op, right })
                if is_comparison(op) && op.negate().is_some() =>
            {
                Expr::BinaryExpr(BinaryExpr {
                    left,
                    op: op.negate().unwrap_or(op),
                    right,
                })
            }
            Expr::InList(mut list) => {
                list.negated = !list.negated;
                Expr::InList(list)
            }
            Expr::Between(mut between) => {
                between.negated = !between.negated;
                Expr::Between(between)
            }
            inner => return Ok(Expr::Not(Box::new(self.truth(inner, Context::Value)?))),
        };
        self.changed = true;
        self.term(positive, context)
    }

    fn comparison(
        &mut self,
        left: Expr,
        op: Operator,
        right: Expr,
        context: Context,
    ) -> Result<Expr> {
        match (is_constant(&left), is_constant(&right), op.swap()) {
            (false, true, _) => self.with_constant(left, op, right, context),
            (true, false, Some(swapped)) => {
                self.changed = true;
                self.with_constant(right, swapped, left, context)
            }
            _ => Ok(binary(left, op, right)),
        }
    }

    fn with_constant(
        &mut self,
        left: Expr,
        op: Operator,
        right: Expr,
        context: Context,
    ) -> Result<Expr> {
        match self.by_value(&left, op, &right, context) {
            Some(rewritten) => {
                let original = binary(left, op, right);
                self.changed |= rewritten != original;
                Ok(rewritten)
            }
            None => Ok(binary(left, op, right)),
        }
    }

    /// `left op right` in the unit of `left`; `None` to leave it.
    fn by_value(&self, left: &Expr, op: Operator, right: &Expr, context: Context) -> Option<Expr> {
        if lists::is_null(right) {
            return lists::compare_with_null(left.clone(), op, context);
        }
        if floats::is_float(&left.get_type(self.schema).ok()?)
            && let Some(constant) = self.folder.exact(right).and_then(floats::canonical)
        {
            // Through a cast to DOUBLE an integer or a DECIMAL is looked at below.
            return self
                .place_of(left, op, right, context)
                .or_else(|| Some(binary(left.clone(), op, constant)));
        }
        self.place_of(left, op, right, context)
    }

    fn place_of(&self, left: &Expr, op: Operator, right: &Expr, context: Context) -> Option<Expr> {
        let operand = Operand::of(left, self.schema)?;
        let place = operand.place(&self.folder.exact(right)?)?;
        if !place.is_value() && !place.is_gap() && left.is_volatile() {
            return None;
        }
        let comparison = Comparison {
            operand: &operand,
            nullable: left.nullable(self.schema).unwrap_or(true),
            context,
        };
        comparison.with(op, place)
    }

    /// `BETWEEN` a constant becomes two comparisons.
    fn between(&mut self, between: Between, context: Context) -> Result<Expr> {
        let Between {
            expr,
            negated,
            low,
            high,
        } = between;
        let bounded = [&low, &high].map(|bound| lossy::may_turn_constant(bound));
        let bounding = lossy::may_turn_constant(&expr);
        let expr = self.operand(*expr, bounded.contains(&true))?;
        let low = self.operand(*low, bounding)?;
        let high = self.operand(*high, bounding)?;
        if !(is_constant(&low) || is_constant(&high)) || is_constant(&expr) || expr.is_volatile() {
            let [expr, low, high] = [expr, low, high].map(Box::new);
            return Ok(Expr::Between(Between::new(expr, negated, low, high)));
        }
        self.changed = true;
        let (from, to, both) = between_operators(negated);
        let low = self.comparison(expr.clone(), from, low, context)?;
        let high = self.comparison(expr, to, high, context)?;
        Ok(binary(low, both, high))
    }

    fn in_list_children(&mut self, list: InList) -> Result<InList> {
        let InList {
            expr,
            list,
            negated,
        } = list;
        let constant = lossy::may_turn_constant(&expr);
        let expr = self.operand(*expr, list.iter().any(lossy::may_turn_constant))?;
        let values = list.into_iter();
        let list = values
            .map(|value| match value {
                Expr::Literal(..) => Ok(value),
                value => self.operand(value, constant),
            })
            .collect::<Result<_>>()?;
        Ok(InList::new(Box::new(expr), list, negated))
    }

    fn in_list(&mut self, list: InList, context: Context) -> Result<Expr> {
        if is_constant(&list.expr) {
            return Ok(Expr::InList(list));
        }
        let rewriter = lists::Rewriter {
            schema: self.schema,
            folder: self.folder,
            context,
        };
        Ok(match rewriter.rewrite(&list) {
            Some(rewritten) => {
                self.changed = true;
                rewritten
            }
            None => Expr::InList(list),
        })
    }
}

#[cfg(test)]
#[path = "constants_tests.rs"]
mod tests;
