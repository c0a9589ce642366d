//! How a query reads a table: compiled once, bound to values as often as it is run.
//!
//! An [`Access`] has the conjuncts of a query's filters, placeholders in them, and what is wanted of the rows. Bound, it
//! is a [`ScanRequest`]: the spans of the conjuncts, and the residual, those of them that the spans do not prove.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::utils::split_conjunction_owned;
use datafusion::physical_expr::PhysicalExpr;

use super::keys::WholeKeys;
use super::parameter::{fitted, number};
use super::request::Lowered;
use super::{ResidualConjunct, ScanRequest, external};
use crate::datum::canonical_scalar;
use crate::predicate::{self, Predicate};
use crate::schema::BoundTable;
use crate::span::{self, Plan, Residual, Run, Spans, Work};

/// Makes a logical expression over a schema a physical one.
pub type ToPhysical<'a> = dyn Fn(Expr, &DFSchema) -> Result<Arc<dyn PhysicalExpr>> + 'a;

/// How spans are planned.
pub struct Planning<'a> {
    /// Whether spans are made of the conjuncts; if not, all of the table is read, and all of them are residual.
    pub pushdown: bool,
    /// How many key ranges are listed at most.
    pub budget: usize,
    /// Makes physical expressions of the conjuncts that the spans do not prove.
    pub physical: &'a ToPhysical<'a>,
}

/// How a query reads a table.
#[derive(Debug)]
pub struct Access {
    table: Arc<BoundTable>,
    /// What rows must satisfy, each by itself, with placeholders. They are split here, once, and keep their identity.
    conjuncts: Vec<Expr>,
    /// The columns of the rows, by position in the table.
    projection: Vec<usize>,
    /// The columns that rows are ordered by.
    order: Vec<(usize, SortOptions)>,
    fetch: Option<usize>,
    /// What is known of the keys whatever the values are.
    keys: Option<WholeKeys>,
}

impl Access {
    /// The declared columns of the rows that satisfy all filters, of which no one is volatile.
    pub fn new(table: Arc<BoundTable>, filters: impl IntoIterator<Item = Expr>) -> Self {
        let conjuncts = filters.into_iter().flat_map(split_conjunction_owned);
        Self {
            conjuncts: conjuncts.collect(),
            projection: (0..table.columns().len()).collect(),
            table,
            order: Vec::new(),
            fetch: None,
            keys: None,
        }
    }

    /// Only these columns, by position in the table.
    #[must_use]
    pub fn with_projection(self, projection: Vec<usize>) -> Self {
        Self { projection, ..self }
    }

    /// So many rows at most.
    #[must_use]
    pub fn with_fetch(self, fetch: Option<usize>) -> Self {
        Self { fetch, ..self }
    }

    /// The rows in an order of columns, most significant first.
    #[must_use]
    pub fn with_order(self, order: Vec<(usize, SortOptions)>) -> Self {
        Self { order, ..self }
    }

    /// Compiled for many runs: what the values need not be known for is worked out now.
    #[must_use]
    pub fn for_many_runs(self) -> Self {
        let keys = WholeKeys::of(&self.table, &self.conjuncts);
        // Of several keys planning knows what they have in common, and so their order.
        let keys = keys.filter(|keys| self.order.is_empty() || keys.is_one());
        Self { keys, ..self }
    }

    /// The table.
    pub fn table(&self) -> &Arc<BoundTable> {
        &self.table
    }

    /// What is read for these values; `None` where one is not of its placeholder's type, or the rows do not come in order.
    ///
    /// # Errors
    /// Those of `physical`; `Internal`.
    pub fn bind(
        &self,
        values: &[ScalarValue],
        planning: &Planning<'_>,
    ) -> Result<Option<ScanRequest>> {
        let before = self.table.row_key().lookups();
        let bound = self.bind_now(values, planning)?;
        let missed = self.table.row_key().lookups().missed != before.missed;
        Ok(bound.map(|request| {
            if missed {
                request.with_missed(before.known)
            } else {
                request
            }
        }))
    }

    fn bind_now(
        &self,
        values: &[ScalarValue],
        planning: &Planning<'_>,
    ) -> Result<Option<ScanRequest>> {
        if let (Some(keys), true) = (&self.keys, planning.pushdown) {
            let keys = keys.bind(&self.table, values).map_err(external)?;
            return Ok(keys.map(|keys| self.request(Spans::of_points(keys))));
        }
        let conjuncts = self.conjuncts.iter().cloned();
        let conjuncts = conjuncts.map(|conjunct| bound(conjunct, values));
        let Some(conjuncts) = conjuncts.collect::<Result<Option<Vec<_>>>>()? else {
            return Ok(None);
        };
        let (plan, proven, lowered) = self.plan(conjuncts, planning).map_err(external)?;
        let mut request = self.request(plan.spans);
        request.residual = self.residual(plan.residual, planning.physical)?;
        request.proven = self.proven(&request.spans, proven, planning.physical)?;
        request.lowered = lowered.map(Arc::new);
        let is_in_order = request.order_by(&self.order).map_err(external)?;
        Ok(is_in_order.then_some(request))
    }

    fn request(&self, spans: Spans) -> ScanRequest {
        let (table, projection) = (Arc::clone(&self.table), self.projection.clone());
        let mut request = ScanRequest::new(table, spans, projection);
        request.fetch = self.fetch;
        request
    }

    /// The spans of conjuncts, what is left of these, what is not, and what they were planned of.
    fn plan(
        &self,
        conjuncts: Vec<Expr>,
        planning: &Planning<'_>,
    ) -> crate::error::Result<(Plan<Expr>, Vec<Expr>, Option<Lowered>)> {
        let key = self.table.row_key();
        if !planning.pushdown {
            let unproven = |conjunct| Residual {
                conjunct,
                reason: "halite.pushdown is off".to_owned(),
            };
            let spans = Spans::full(key)?;
            let residual = conjuncts.into_iter().map(unproven).collect();
            return Ok((Plan { spans, residual }, Vec::new(), None));
        }
        let predicates = conjuncts.iter();
        let predicates = predicates.map(|conjunct| predicate::lower(conjunct, key.columns()));
        let predicates: Arc<[Predicate]> = predicates.collect();
        let Plan { spans, residual } = match self.table.whole_key() {
            None => span::plan_of(key, &predicates, planning.budget)?,
            Some(whole) => {
                let whole = &self.table.column(whole)?.name;
                span::plan_of_whole(key, &predicates, whole, planning.budget)?
            }
        };
        let lowered = Lowered {
            residual: residual.iter().map(|residual| residual.conjunct).collect(),
            budget: planning.budget,
            predicates,
        };
        let mut conjuncts: Vec<Option<Expr>> = conjuncts.into_iter().map(Some).collect();
        let with_conjunct = |residual: Residual| {
            let conjunct = conjuncts.get_mut(residual.conjunct)?.take()?;
            let reason = residual.reason;
            Some(Residual { conjunct, reason })
        };
        let residual = residual.into_iter().filter_map(with_conjunct).collect();
        let proven = conjuncts.into_iter().flatten().collect();
        Ok((Plan { spans, residual }, proven, Some(lowered)))
    }

    /// What the spans prove, to be evaluated on the rows of walks that give up; `None` where no run is a walk, and
    /// something would have to be made in vain.
    fn proven(
        &self,
        spans: &Spans,
        proven: Vec<Expr>,
        physical: &ToPhysical<'_>,
    ) -> Result<Option<Vec<Arc<dyn PhysicalExpr>>>> {
        let is_walk = |run: &Run| matches!(run.work, Work::Walk(_));
        if proven.is_empty() {
            return Ok(Some(Vec::new()));
        }
        if !spans.runs().iter().any(is_walk) {
            return Ok(None);
        }
        let schema = DFSchema::try_from(self.table.full_schema().as_ref().clone())?;
        let evaluated = proven.into_iter().map(|conjunct| {
            let canonical = canonical_constants(unnormalize_col(conjunct))?;
            physical(canonical, &schema)
        });
        evaluated.collect::<Result<_>>().map(Some)
    }

    /// The residual, to be evaluated on rows.
    fn residual(
        &self,
        residual: Vec<Residual<Expr>>,
        physical: &ToPhysical<'_>,
    ) -> Result<Vec<ResidualConjunct>> {
        if residual.is_empty() {
            return Ok(Vec::new());
        }
        let schema = DFSchema::try_from(self.table.full_schema().as_ref().clone())?;
        let evaluated = |Residual { conjunct, reason }: Residual<Expr>| {
            let canonical = canonical_constants(unnormalize_col(conjunct.clone()))?;
            Ok(ResidualConjunct {
                expression: physical(canonical, &schema)?,
                written: Some(Arc::new(conjunct)),
                reason,
            })
        };
        residual.into_iter().map(evaluated).collect()
    }
}

/// A condition with values in place of its placeholders; `None` if one is not of its placeholder's type.
///
/// # Errors
/// `Internal` alone.
pub fn bound(conjunct: Expr, values: &[ScalarValue]) -> Result<Option<Expr>> {
    if values.is_empty() {
        return Ok(Some(conjunct));
    }
    let mut fits = true;
    let bound = conjunct.transform(|expression| {
        let Expr::Placeholder(placeholder) = &expression else {
            return Ok(Transformed::no(expression));
        };
        let value = number(placeholder).and_then(|number| values.get(number - 1));
        let data_type = placeholder.field.as_ref().map(|field| field.data_type());
        match value
            .zip(data_type)
            .and_then(|(value, data_type)| fitted(value, data_type))
        {
            Some(value) => Ok(Transformed::yes(Expr::Literal(value, None))),
            None => {
                fits = false;
                Ok(Transformed::no(expression))
            }
        }
    })?;
    Ok(fits.then_some(bound.data))
}

/// Floating point constants as columns hold them: −0.0 as 0.0, every NaN as the positive quiet one.
fn canonical_constants(conjunct: Expr) -> Result<Expr> {
    let canonical = conjunct.transform(|expression| {
        Ok(match expression {
            Expr::Literal(
                value @ (ScalarValue::Float64(Some(_)) | ScalarValue::Float32(Some(_))),
                metadata,
            ) => Transformed::yes(Expr::Literal(canonical_scalar(value), metadata)),
            other => Transformed::no(other),
        })
    })?;
    Ok(canonical.data)
}
