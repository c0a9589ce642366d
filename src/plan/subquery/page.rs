//! LIMIT and OFFSET as a condition on the number of a row.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field};
use datafusion::common::Result as PlanResult;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, FetchType, Limit, SkipType, cast, lit};

use super::outside::query_of;
use crate::error::Error;

/// Which rows are kept.
#[derive(Default)]
pub(super) struct Page {
    skip: Option<Count>,
    fetch: Option<Count>,
    /// However many are fetched, no more than so many behind those that are skipped.
    most: Option<u64>,
}

/// A number of rows.
#[derive(Clone)]
enum Count {
    Known(u64),
    /// `$1`, or whatever else is known when the query is run; no bound where it is NULL.
    Computed(Expr),
}

impl Page {
    pub fn first(rows: usize) -> Self {
        Self {
            fetch: Some(Count::Known(rows as u64)),
            ..Self::default()
        }
    }

    /// # Errors
    /// `NotSupported` for numbers that are others for each row, or each time.
    pub fn of(limit: &Limit) -> PlanResult<Self> {
        let skip = match limit.get_skip_type()? {
            SkipType::Literal(0) => None,
            SkipType::Literal(skip) => Some(Count::Known(skip as u64)),
            SkipType::UnsupportedExpr => limit.skip.as_deref().map(computed).transpose()?,
        };
        let fetch = match limit.get_fetch_type()? {
            FetchType::Literal(fetch) => fetch.map(|fetch| Count::Known(fetch as u64)),
            FetchType::UnsupportedExpr => limit.fetch.as_deref().map(computed).transpose()?,
        };
        let most = None;
        Ok(Self { skip, fetch, most })
    }

    /// The same of so many rows.
    pub fn within(&self, rows: Option<usize>) -> Self {
        Self {
            skip: self.skip.clone(),
            fetch: self.fetch.clone(),
            most: rows.map(|rows| rows as u64),
        }
    }

    /// How many rows are passed over, and how many are kept behind them, where both are known.
    pub fn known(&self) -> Option<(u64, u64)> {
        let skip = match &self.skip {
            None => 0,
            Some(Count::Known(skip)) => *skip,
            Some(Count::Computed(_)) => return None,
        };
        let fetch = match &self.fetch {
            None => None,
            Some(Count::Known(fetch)) => Some(*fetch),
            Some(Count::Computed(_)) => return None,
        };
        let kept = match (fetch, self.most.map(|most| most.saturating_sub(skip))) {
            (Some(fetch), Some(most)) => fetch.min(most),
            (kept, other) => kept.or(other)?,
        };
        Some((skip, kept))
    }

    /// What the number of a row is, counted from 1, that is kept; `None` where all are.
    pub fn condition(&self, number: &Expr) -> PlanResult<Option<Expr>> {
        let signed = cast(number.clone(), DataType::Int64);
        let after = self.skip.as_ref().map(|skip| match skip {
            Count::Known(skip) => number.clone().gt(lit(*skip)),
            skip => signed.clone().gt(skip.or_none()),
        });
        let until = match (&self.skip, &self.fetch) {
            (_, None) => None,
            (None, Some(Count::Known(fetch))) => Some(number.clone().lt_eq(lit(*fetch))),
            (Some(Count::Known(skip)), Some(Count::Known(fetch))) => {
                Some(number.clone().lt_eq(lit(skip.saturating_add(*fetch))))
            }
            (skip, Some(fetch)) => {
                let left = match skip {
                    None => signed,
                    Some(skip) => signed - skip.or_none(),
                };
                let fetch = fetch.number();
                Some(fetch.clone().is_null().or(left.lt_eq(fetch)))
            }
        };
        let most = self.most.map(|most| number.clone().lt_eq(lit(most)));
        Ok(conjunction(after.into_iter().chain(until).chain(most)))
    }
}

impl Count {
    fn number(&self) -> Expr {
        match self {
            Self::Known(number) => lit(i64::try_from(*number).unwrap_or(i64::MAX)),
            Self::Computed(expr) => cast(expr.clone(), DataType::Int64),
        }
    }

    /// The number, 0 for NULL.
    fn or_none(&self) -> Expr {
        match self {
            Self::Known(_) => self.number(),
            Self::Computed(_) => coalesce(vec![self.number(), lit(0_i64)]),
        }
    }
}

/// A number that is the same for all rows, and is known once the parameters are.
fn computed(expr: &Expr) -> PlanResult<Count> {
    let has_query = expr.exists(|expr| Ok(query_of(expr).is_some()))?;
    if expr.is_volatile() || expr.contains_outer() || expr.any_column_refs() || has_query {
        return Err(Error::unsupported(
            "LIMIT and OFFSET of anything but constants and parameters is not implemented in a subquery that names \
             columns from outside",
        )
        .into());
    }
    let typed = expr.clone().transform_up(|expr| match expr {
        Expr::Placeholder(Placeholder { id, field: None }) => {
            let field = Arc::new(Field::new("", DataType::Int64, true));
            let typed = Placeholder::new_with_field(id, Some(field));
            Ok(Transformed::yes(Expr::Placeholder(typed)))
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(Count::Computed(typed.data))
}
