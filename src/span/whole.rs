//! Conditions on the bytes of whole row keys, of a table that shows them as a column: `row_key >= x'01'`.
//!
//! What they allow are key ranges as they stand. These meet the listed ranges of what is said of parts. A walk, which is
//! not listed, gives way to them, unless keys of other layouts stand among these: only its look at each key tells them
//! apart, and it begins and ends where they do.

use std::sync::Arc;

use super::{Plan, Residual, Run, Spans, Work, plan_of};
use crate::error::Result;
use crate::key::RowKey;
use crate::keyrange::{Guide, KeyRangeSet};
use crate::predicate::Predicate;

/// As [`plan_of`], where the column `whole` has the bytes of the keys.
///
/// # Errors
/// As [`plan_of`].
pub fn plan_of_whole(
    key: &RowKey,
    conjuncts: &[Predicate],
    whole: &str,
    budget: usize,
) -> Result<Plan> {
    let mut plan = plan_of(key, conjuncts, budget)?;
    let said: Vec<Option<Said>> = conjuncts.iter().map(|it| Said::by(it, whole)).collect();
    let keys = said.iter().flatten().map(|said| said.keys.clone());
    let Some(keys) = keys.reduce(|known, more| known.intersect(&more)) else {
        return Ok(plan);
    };
    for residual in &mut plan.residual {
        if conjuncts
            .get(residual.conjunct)
            .is_some_and(|it| mentions(it, whole))
        {
            residual.reason = "whole keys are not all that it is about, or are walked".to_owned();
        }
    }
    let walks = |run: &Run| matches!(run.work, Work::Walk(_));
    let is_walk = plan.spans.runs.iter().any(walks);
    plan.spans = plan.spans.within(&keys, !key.is_alone());
    if is_walk && !key.is_alone() {
        return Ok(plan);
    }
    if is_walk {
        plan.residual = all_conjuncts(conjuncts.len(), plan.residual);
    }
    let is_proven = |residual: &Residual| {
        let said = said.get(residual.conjunct);
        matches!(said, Some(Some(Said { is_all: true, .. })))
    };
    plan.residual.retain(|residual| !is_proven(residual));
    Ok(plan)
}

/// Whether a predicate says something about a column.
fn mentions(predicate: &Predicate, column: &str) -> bool {
    let mut found = false;
    predicate.for_each_member(&mut |expression, _| found |= expression.as_column() == Some(column));
    found
}

/// Every conjunct, those that were proven by a walk which gave way to whole keys, too.
fn all_conjuncts(count: usize, known: Vec<Residual>) -> Vec<Residual> {
    let mut reasons: Vec<Option<String>> = vec![None; count];
    for residual in known {
        if let Some(reason) = reasons.get_mut(residual.conjunct) {
            *reason = Some(residual.reason);
        }
    }
    let by_key = || "keys are read by the whole key".to_owned();
    let all = reasons.into_iter().enumerate();
    let all = all.map(|(conjunct, reason)| Residual {
        conjunct,
        reason: reason.unwrap_or_else(by_key),
    });
    all.collect()
}

impl Spans {
    /// What of them lies in these ranges; of a walk that is kept what lies between the first and the last, and all that is
    /// in them of any other.
    fn within(self, keys: &KeyRangeSet, keeps_walks: bool) -> Self {
        let between = keys.hull();
        let runs = self.runs.into_iter().filter_map(|run| {
            let work = match run.work {
                Work::Points(points) => {
                    let points = points.iter().filter(|point| keys.contains(point));
                    let points: Vec<Vec<u8>> = points.cloned().collect();
                    (!points.is_empty()).then(|| Work::Points(points.into()))
                }
                Work::Ranges(set) => ranges(set.intersect(keys)),
                Work::Walk(walk) if keeps_walks => {
                    let walk = between.as_ref().and_then(|range| walk.within(range));
                    walk.map(|walk| Work::Walk(Arc::new(walk)))
                }
                Work::Walk(walk) => ranges(keys.intersect(&walk.hull().clone().into())),
            };
            Some(Run { work: work?, ..run })
        });
        Self {
            runs: runs.collect(),
            full: false,
            ..self
        }
    }
}

fn ranges(set: KeyRangeSet) -> Option<Work> {
    (!set.is_empty()).then_some(Work::Ranges(set))
}

/// What a predicate says of whole keys.
struct Said {
    /// A superset of the keys that it allows.
    keys: KeyRangeSet,
    /// Whether it is all that it says, so that it allows every one of them.
    is_all: bool,
}

impl Said {
    /// `None` where it says nothing.
    fn by(predicate: &Predicate, whole: &str) -> Option<Self> {
        match predicate {
            Predicate::Member(expression, domain) if expression.as_column() == Some(whole) => {
                Some(Self {
                    keys: KeyRangeSet::from_ranges(domain.byte_ranges()),
                    is_all: true,
                })
            }
            Predicate::Any(terms) => {
                let said = terms.iter().map(|term| Self::by(term, whole));
                let said = said.collect::<Option<Vec<_>>>()?;
                let ranges = said.iter().flat_map(|said| said.keys.ranges());
                Some(Self {
                    keys: KeyRangeSet::from_ranges(ranges.cloned()),
                    is_all: said.iter().all(|said| said.is_all),
                })
            }
            Predicate::All(terms) => {
                let said = terms.iter().map(|term| Self::by(term, whole));
                let said: Vec<Option<Self>> = said.collect();
                let is_all = said
                    .iter()
                    .all(|said| said.as_ref().is_some_and(|it| it.is_all));
                let keys = said.into_iter().flatten().map(|said| said.keys);
                let keys = keys.reduce(|known, more| known.intersect(&more))?;
                Some(Self { keys, is_all })
            }
            Predicate::Constant(_) | Predicate::Member(..) | Predicate::Opaque => None,
        }
    }
}
