//! Groups of which there is a row though there is nothing to group.

use datafusion::common::{DFSchema, Result as PlanResult, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunction, GroupingSet};
use datafusion::logical_expr::{Expr, ExprSchemable, lit, when};

use super::renamed;

/// What an aggregate is of no rows.
pub(super) enum OfNothing {
    Null,
    Value(ScalarValue),
}

impl OfNothing {
    /// Of those that are common.
    pub fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Alias(alias) => Self::of(&alias.expr),
            Expr::AggregateFunction(AggregateFunction { func, .. }) => match func.name() {
                "count" => Some(Self::Value(ScalarValue::from(0_i64))),
                "sum" | "min" | "max" | "avg" | "bool_and" | "bool_or" | "string_agg"
                | "first_value" | "last_value" => Some(Self::Null),
                _ => None,
            },
            _ => None,
        }
    }

    /// The column, with this in the place of NULL.
    pub fn instead_of(&self, column: Expr, schema: &DFSchema) -> PlanResult<Expr> {
        let Self::Value(value) = self else {
            return Ok(column);
        };
        let value = lit(value.cast_to(&column.get_type(schema)?)?);
        let known = when(column.clone().is_null(), value).otherwise(column.clone())?;
        Ok(renamed(known, &column))
    }
}

/// The sets of GROUPING SETS, ROLLUP or CUBE, one of all columns first.
pub(super) fn sets_of(sets: &GroupingSet) -> Vec<Vec<Expr>> {
    match sets {
        GroupingSet::GroupingSets(sets) => sets.clone(),
        GroupingSet::Rollup(exprs) => {
            let lengths = (0..=exprs.len()).rev();
            let begun = lengths.map(|length| exprs.iter().take(length).cloned().collect());
            begun.collect()
        }
        GroupingSet::Cube(exprs) => {
            let chosen = (0..1_usize << exprs.len()).map(|left_out| {
                let kept = exprs.iter().enumerate();
                let kept = kept.filter(|(place, _)| left_out & (1 << place) == 0);
                kept.map(|(_, expr)| expr.clone()).collect()
            });
            chosen.collect()
        }
    }
}
