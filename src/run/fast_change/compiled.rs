//! What a prepared change has been compiled to, for the types that its parameters have had.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use parking_lot::RwLock;

use super::compile::{compile, is_candidate, likely_types};
use super::direct::DirectChange;

/// For so many combinations of types a statement is compiled; runs with others are planned.
const MOST_KINDS: usize = 16;

/// A change that may need no plan, compiled for the types that its parameters have had.
#[derive(Debug)]
pub(crate) struct DirectChanges {
    /// What becomes of values of these types; `None`: such runs are planned.
    known: RwLock<Vec<Kind>>,
}

type Kind = (Vec<DataType>, Option<Arc<DirectChange>>);

impl DirectChanges {
    /// Those of a plan whose parameters are open; `None` for a statement of another shape.
    pub(crate) fn of(plan: &LogicalPlan) -> Option<Self> {
        is_candidate(plan).then(|| Self {
            known: RwLock::default(),
        })
    }

    /// What is compiled for these types; `None` where that is not known yet, and can be.
    pub(crate) fn known(&self, types: &[DataType]) -> Option<Option<Arc<DirectChange>>> {
        let known = self.known.read();
        let found = known.iter().find(|(known, _)| known == types);
        match found {
            Some((_, change)) => Some(change.clone()),
            None if known.len() >= MOST_KINDS => Some(None),
            None => None,
        }
    }

    /// Compiles the statement for these types.
    pub(crate) fn learn(
        &self,
        session: &SessionState,
        plan: &LogicalPlan,
        types: Vec<DataType>,
    ) -> Option<Arc<DirectChange>> {
        // What is wrong with it is told where it is planned.
        let compiled = compile(session, plan, &types).ok().flatten();
        let compiled = compiled.map(Arc::new);
        let mut known = self.known.write();
        if known.len() < MOST_KINDS && known.iter().all(|(known, _)| *known != types) {
            known.push((types, compiled.clone()));
        }
        compiled
    }

    /// Whether runs with values of the types that they have most likely need no plan.
    pub(crate) fn is_direct(
        &self,
        session: &SessionState,
        plan: &LogicalPlan,
        parameters: usize,
    ) -> bool {
        let Some(types) = likely_types(plan, parameters) else {
            return false;
        };
        let known = self.known(&types);
        known
            .unwrap_or_else(|| self.learn(session, plan, types))
            .is_some()
    }
}
