//! One side of a comparison with a constant: an expression of a fixed-point type, seen through casts.
//!
//! What the casts show, and where a constant stands among the values, is [`predicate`](crate::predicate)'s. Here they are
//! taken off an expression.

use arrow::datatypes::i256;
use datafusion::common::DFSchema;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable};

use crate::plan::rule::cast::lossy::shown;
use crate::predicate::{Exact, Place, View};

/// One side of a comparison.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    /// The expression without the casts.
    pub expr: Expr,
    view: View,
}

impl Operand {
    /// Takes the casts that a constant can be seen through off `expr`; `None` when its type is not evenly spaced.
    pub fn of(expr: &Expr, schema: &DFSchema) -> Option<Self> {
        Self::behind_cast(expr, schema).or_else(|| Self::bare(expr, schema))
    }

    fn behind_cast(expr: &Expr, schema: &DFSchema) -> Option<Self> {
        let Expr::Cast(Cast {
            expr: source,
            field,
        }) = shown(expr)
        else {
            return None;
        };
        let inner = Self::of(source, schema)?;
        let view = inner.view.through(field.data_type())?;
        Some(Self { view, ..inner })
    }

    fn bare(expr: &Expr, schema: &DFSchema) -> Option<Self> {
        let data_type = expr.get_type(schema).ok()?;
        Some(Self {
            expr: expr.clone(),
            view: View::of(&data_type)?,
        })
    }

    /// The least and the greatest value.
    pub fn limits(&self) -> (i256, i256) {
        self.view.limits()
    }

    /// The `n`-th value as a constant; `None` outside of the type.
    pub fn literal(&self, n: i256) -> Option<Expr> {
        let value = self.view.literal(n)?;
        Some(Expr::Literal(value, None))
    }

    /// Where `constant` stands among the values; `None` when the two cannot be compared by value.
    pub fn place(&self, constant: &Exact) -> Option<Place> {
        self.view.place(constant)
    }
}
