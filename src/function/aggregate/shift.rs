//! `lag` and `lead` that count rightly where NULLs are passed over.
//!
//! DataFusion computes them row by row, and keeps how far the next values are: behind a NULL it loses count, so that
//! `lead(v, 2) IGNORE NULLS` looks too short a way ahead. Of a whole partition at once it counts rightly; so with
//! IGNORE NULLS that is how they are computed here. All else is DataFusion's.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::FieldRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions_window::lead_lag::{lag_udwf, lead_udwf};
use datafusion::logical_expr::function::{
    ExpressionArgs, PartitionEvaluatorArgs, WindowUDFFieldArgs,
};
use datafusion::logical_expr::{
    Documentation, LimitEffect, PartitionEvaluator, ReversedUDWF, Signature, WindowUDF,
    WindowUDFImpl,
};
use datafusion::physical_expr::PhysicalExpr;

/// `lag` and `lead`.
pub fn shifts() -> [WindowUDF; 2] {
    [lag_udwf(), lead_udwf()].map(|theirs| WindowUDF::new_from_impl(Shift(theirs)))
}

/// One of them.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Shift(Arc<WindowUDF>);

impl WindowUDFImpl for Shift {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn aliases(&self) -> &[String] {
        self.0.aliases()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn expressions(&self, args: ExpressionArgs<'_>) -> Vec<Arc<dyn PhysicalExpr>> {
        self.0.expressions(args)
    }

    fn partition_evaluator(
        &self,
        args: PartitionEvaluatorArgs<'_>,
    ) -> Result<Box<dyn PartitionEvaluator>> {
        let ignores_nulls = args.ignore_nulls();
        let theirs = self.0.partition_evaluator_factory(args)?;
        Ok(if ignores_nulls {
            Box::new(AtOnce(theirs))
        } else {
            theirs
        })
    }

    fn field(&self, args: WindowUDFFieldArgs<'_>) -> Result<FieldRef> {
        self.0.field(args)
    }

    /// DataFusion computes `lag` backwards as `lag`, and so does this.
    fn reverse_expr(&self) -> ReversedUDWF {
        match self.0.reverse_expr() {
            ReversedUDWF::Reversed(theirs) => {
                ReversedUDWF::Reversed(Arc::new(WindowUDF::new_from_impl(Self(theirs))))
            }
            other => other,
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }

    fn limit_effect(&self, args: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        self.0.inner().limit_effect(args)
    }
}

/// Computes a whole partition.
#[derive(Debug)]
struct AtOnce(Box<dyn PartitionEvaluator>);

impl PartitionEvaluator for AtOnce {
    fn get_range(&self, row: usize, rows: usize) -> Result<Range<usize>> {
        self.0.get_range(row, rows)
    }

    fn is_causal(&self) -> bool {
        false
    }

    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        self.0.evaluate_all(values, rows)
    }

    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> Result<ScalarValue> {
        self.0.evaluate(values, range)
    }

    fn supports_bounded_execution(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{mended, plain, plain_rows, rows};

    const AHEAD: &str = "SELECT id, lead(v, 2) IGNORE NULLS OVER (ORDER BY id) AS x
        FROM (VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, NULL), (6, 60)) t (id, v)";

    #[tokio::test]
    async fn values_are_counted_behind_nulls() {
        let session = mended();
        let right = ["1|30", "2|40", "3|60", "4|NULL", "5|NULL", "6|NULL"];
        assert_eq!(rows(&session, AHEAD).await, right);
        let back = AHEAD
            .replace("lead", "lag")
            .replace("ORDER BY id", "ORDER BY id DESC");
        assert_eq!(rows(&session, &back).await, right);
        let other = AHEAD.replace("v, 2", "v, -2, 7");
        let right = ["1|7", "2|7", "3|10", "4|20", "5|30", "6|30"];
        assert_eq!(rows(&session, &other).await, right);
    }

    /// Fails as soon as DataFusion counts them rightly: then the functions can go.
    #[tokio::test]
    async fn canary() {
        let found = plain_rows(&plain(), AHEAD).await.expect("rows");
        assert!(found.contains(&"3|NULL".to_owned()), "{found:?}");
    }
}
