//! The system under test: from a case's condition to a plan, as a table's scan would do it.

use datafusion::common::DFSchemaRef;
use datafusion::logical_expr::Expr;

use super::cases::{Case, Variant};
use super::condition::Condition;
use super::oracle::coerce;
use super::render::{Planned, render};
use super::session;
use crate::key::RowKey;
use crate::predicate::{Predicate, lower};
use crate::span::{Plan, plan};

/// A case's condition as the system under test understands it.
pub(super) struct Lowered {
    conjuncts: Vec<Predicate>,
    owners: Owners,
}

/// Where the lowered conjuncts came from.
enum Owners {
    /// For each of them the conjunct of the case.
    Known(Vec<usize>),
    /// They were made from the whole condition, so that only all together say something: so many conjuncts.
    Together(usize),
}

impl Lowered {
    /// What becomes of the case's condition on its way to the spans.
    ///
    /// # Errors
    /// Where DataFusion does not accept the condition, which is a fault of the law, or a session fails on it.
    pub fn new(case: &Case, schema: &DFSchemaRef, key: &RowKey) -> Result<Self, String> {
        if case.variant == Variant::Session {
            let planned = Planned {
                columns: &case.columns,
                unmended: true,
            };
            let filters = session::filters(render(&case.condition, &planned), schema)?;
            return Ok(Self {
                conjuncts: lower(&filters, key.columns()),
                owners: Owners::Together(case.condition.conjuncts().len()),
            });
        }
        let (mut conjuncts, mut owners) = (Vec::new(), Vec::new());
        for (owner, conjunct) in case.condition.conjuncts().into_iter().enumerate() {
            for conjunct in lower(&[expression(case, conjunct, schema)?], key.columns()) {
                conjuncts.push(conjunct);
                owners.push(owner);
            }
        }
        Ok(Self {
            conjuncts,
            owners: Owners::Known(owners),
        })
    }

    /// The plan at a budget.
    pub fn plan(&self, key: &RowKey, budget: usize) -> crate::error::Result<Plan> {
        plan(key, &self.conjuncts, budget)
    }

    /// Which of the case's conjuncts the spans claim to prove.
    pub fn proven(&self, plan: &Plan) -> Vec<bool> {
        match &self.owners {
            Owners::Together(count) => vec![plan.tight(); *count],
            Owners::Known(owners) => {
                let mut proven = vec![true; owners.last().map_or(0, |last| last + 1)];
                for residual in &plan.residual {
                    proven[owners[residual.conjunct]] = false;
                }
                proven
            }
        }
    }
}

/// What reaches `lower` without a session.
fn expression(case: &Case, conjunct: &Condition, schema: &DFSchemaRef) -> Result<Expr, String> {
    let planned = Planned {
        columns: &case.columns,
        unmended: false,
    };
    let planned = render(conjunct, &planned);
    match case.variant {
        Variant::Coerced => coerce(planned, schema),
        Variant::Planned | Variant::Session => Ok(planned),
    }
}
