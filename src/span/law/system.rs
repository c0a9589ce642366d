//! The system under test: from a case's condition to a plan, as a table's scan would do it.

use super::cases::{Case, Variant};
use super::condition::Condition;
use super::oracle::coerce;
use super::render::{Planned, render};
use crate::key::RowKey;
use crate::predicate::{Conjunct, lower};
use crate::span::{Plan, plan};
use datafusion::common::DFSchemaRef;

/// A case's condition as the system under test understands it.
pub(super) struct Lowered {
    conjuncts: Vec<Conjunct>,
    /// For each of them the conjunct of the case that it came from.
    owners: Vec<usize>,
}

impl Lowered {
    /// Lowers every conjunct of the case by itself, so that it is known what became of each.
    ///
    /// # Errors
    /// Where DataFusion does not accept the condition, which is a fault of the law.
    pub fn new(case: &Case, schema: &DFSchemaRef, key: &RowKey) -> Result<Self, String> {
        let mut lowered = Self {
            conjuncts: Vec::new(),
            owners: Vec::new(),
        };
        for (owner, conjunct) in case.condition.conjuncts().into_iter().enumerate() {
            let expression = expression(case, conjunct, schema)?;
            for conjunct in lower(&[expression], key.columns()) {
                lowered.conjuncts.push(conjunct);
                lowered.owners.push(owner);
            }
        }
        Ok(lowered)
    }

    /// The plan at a budget.
    pub fn plan(&self, key: &RowKey, budget: usize) -> crate::error::Result<Plan> {
        plan(key, &self.conjuncts, budget)
    }

    /// Which of the case's conjuncts the spans claim to prove.
    pub fn proven(&self, plan: &Plan) -> Vec<bool> {
        let count = self.owners.last().map_or(0, |last| last + 1);
        let mut proven = vec![true; count];
        for residual in &plan.residual {
            proven[self.owners[residual.conjunct]] = false;
        }
        proven
    }
}

/// What reaches `lower`.
fn expression(
    case: &Case,
    conjunct: &Condition,
    schema: &DFSchemaRef,
) -> Result<datafusion::logical_expr::Expr, String> {
    let planned = render(conjunct, &Planned(&case.columns));
    match case.variant {
        Variant::Planned => Ok(planned),
        Variant::Coerced => coerce(planned, schema),
    }
}
