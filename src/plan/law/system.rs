//! The system under test: from a case's condition to a plan, as a table's scan would do it.

use datafusion::common::DFSchemaRef;
use datafusion::logical_expr::Expr;

use super::cases::{Case, Variant};
use super::check::Answers;
use super::condition::Condition;
use super::oracle::{Outcome, coerce};
use super::render::{Planned, render};
use super::session;
use crate::key::RowKey;
use crate::predicate::{Predicate, lower_all};
use crate::span::{Plan, plan};

/// A case's condition as the system under test understands it.
pub(super) struct Lowered {
    /// Each with the number of the case's conjunct that it came from.
    conjuncts: Vec<(usize, Predicate)>,
    owners: Owners,
}

/// Where the lowered conjuncts came from.
enum Owners {
    /// Each from one of so many conjuncts of the case.
    Known(usize),
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
                conjuncts: lower_all(&filters, key.columns()),
                owners: Owners::Together(case.condition.conjuncts().len()),
            });
        }
        let (given, mut conjuncts) = (case.condition.conjuncts(), Vec::new());
        for (owner, conjunct) in given.iter().enumerate() {
            let lowered = lower_all(&[expression(case, conjunct, schema)?], key.columns());
            conjuncts.extend(lowered.into_iter().map(|(_, conjunct)| (owner, conjunct)));
        }
        Ok(Self {
            conjuncts,
            owners: Owners::Known(given.len()),
        })
    }

    /// The plan at a budget.
    pub fn plan(&self, key: &RowKey, budget: usize) -> crate::error::Result<Plan> {
        plan(key, self.conjuncts.iter().cloned(), budget)
    }

    /// Whether a conjunct as it was planned is not TRUE on a row, as far as that can be told.
    pub fn fails(&self, conjunct: usize, answers: &Answers, row: usize) -> bool {
        match &self.owners {
            Owners::Together(_) => true,
            Owners::Known(_) => answers.of(conjunct, row) != Outcome::True,
        }
    }

    /// Which of the case's conjuncts the spans claim to prove.
    pub fn proven(&self, plan: &Plan) -> Vec<bool> {
        match &self.owners {
            Owners::Together(count) => vec![plan.tight(); *count],
            Owners::Known(count) => {
                let mut proven = vec![true; *count];
                for residual in &plan.residual {
                    proven[residual.conjunct] = false;
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
