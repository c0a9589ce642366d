//! A window that is written twice is computed once, under two names.
//!
//! Two windows that are written in two ways, `PARTITION BY b` and `PARTITION BY coalesce(b, b)`, are one when they are
//! simplified. DataFusion's rule for common expressions then computes that one in a projection, which cannot, and the rule
//! that pushes filters panics over what is left of the window. So behind the simplifier, and before those rules, the second
//! becomes a name for the first.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, Window};

use super::repeated::once;
use crate::plan::rule::rewriting::NodeRule;

/// The rule.
pub(crate) const NAME_EQUAL_WINDOWS: NodeRule = NodeRule {
    name: "halite_name_equal_windows",
    rewrite: name_equal,
};

fn name_equal(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Window(window) = &plan else {
        return Ok(Transformed::no(plan));
    };
    let mut known = below(&window.input);
    let (mut kept, mut shown) = (Vec::new(), Vec::new());
    for written in &window.window_expr {
        let name = written.schema_name().to_string();
        let expr = with_each_key_once(written);
        match known.iter().find(|other| bare(other) == bare(&expr)) {
            Some(first) => shown.push(named(first).alias(name)),
            None => {
                shown.push(named(&expr).alias_if_changed(name)?);
                kept.push(expr.clone());
                known.push(expr);
            }
        }
    }
    if kept == window.window_expr {
        return Ok(Transformed::no(plan));
    }
    let columns = window.input.schema().columns().into_iter();
    let exprs = columns.map(Expr::Column).chain(shown).collect();
    let input = if kept.is_empty() {
        Arc::clone(&window.input)
    } else {
        let window = Window::try_new(kept, Arc::clone(&window.input))?;
        Arc::new(LogicalPlan::Window(window))
    };
    let projection = Projection::try_new(exprs, input)?;
    Ok(Transformed::yes(LogicalPlan::Projection(projection)))
}

/// The windows right below, one behind the other.
fn below(mut plan: &LogicalPlan) -> Vec<Expr> {
    let mut known = Vec::new();
    while let LogicalPlan::Window(window) = plan {
        known.extend(window.window_expr.iter().cloned());
        plan = &window.input;
    }
    known
}

/// A key that is repeated decides nothing, and `PARTITION BY b ORDER BY b, b` is `PARTITION BY b, b ORDER BY b` for the rule
/// that finds common expressions.
fn with_each_key_once(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    let window = match &mut expr {
        Expr::Alias(alias) => alias.expr.as_mut(),
        expr => expr,
    };
    if let Expr::WindowFunction(window) = window {
        let mut seen = HashSet::new();
        let params = &mut window.params;
        params.partition_by.retain(|key| seen.insert(key.clone()));
        params.order_by = once(std::mem::take(&mut params.order_by), None);
    }
    expr
}

fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => bare(&alias.expr),
        expr => expr,
    }
}

/// The column that a window gives.
fn named(window: &Expr) -> Expr {
    Expr::Column(Column::from_name(window.schema_name().to_string()))
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{mended, plain, rows};

    const EQUAL: &str = "SELECT x FROM (SELECT count(*) OVER (PARTITION BY b ORDER BY b) AS x,
        count(*) OVER (PARTITION BY coalesce(b, b) ORDER BY b) AS y FROM (VALUES (1), (1), (2)) t (b)) q WHERE x = y";

    #[tokio::test]
    async fn a_window_that_is_written_twice_is_computed() {
        assert_eq!(rows(&mended(), EQUAL).await, ["1", "2", "2"]);
        let three = "SELECT count(*) OVER (PARTITION BY b) AS x, count(*) OVER (PARTITION BY coalesce(b, b)) AS y,
            sum(b) OVER (ORDER BY b) AS z FROM (VALUES (1), (1), (2)) t (b)";
        assert_eq!(rows(&mended(), three).await, ["1|1|4", "2|2|2", "2|2|2"]);
    }

    /// Fails as soon as DataFusion answers: then the rule can go.
    #[tokio::test]
    #[should_panic(expected = "unreachable")]
    async fn canary() {
        rows(&plain(), EQUAL).await;
    }
}
