//! What of a table's keys the filters of a query leave to be read: a superset, for the filters are evaluated again.

use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::utils::split_conjunction;

use crate::datum::SqlType;
use crate::error::Result;
use crate::key::{KeyColumn, RowKey};
use crate::keyrange::{KeyRange, KeyRangeSet, hex};
use crate::predicate::{self, Predicate};
use crate::span::{self, SpanRow, Spans};
use crate::store::Work;

/// Which keys are read.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// In the order of the keys.
    pub(super) works: Vec<Work>,
    fields: Arc<RowKey>,
    spans: Spans,
    /// What is said of the whole key, if anything is; then nothing else is read.
    listed: Option<KeyRangeSet>,
    /// What of the filters the keys that are read need not satisfy, each with the reason.
    residual: Vec<String>,
    /// Whether the keys go on behind the fields.
    goes_on: bool,
}

/// What filters leave of the keys that begin with `fields`, whatever comes behind them.
///
/// # Errors
/// `Internal` alone.
pub(super) fn beginning(fields: &Arc<RowKey>, filters: &[Expr], budget: usize) -> Result<Wanted> {
    let conjuncts = filters.iter().flat_map(split_conjunction);
    let lowered =
        conjuncts.map(|conjunct| (conjunct, predicate::lower(conjunct, fields.columns())));
    let plan = span::plan(fields, lowered, budget)?;
    let unproven = plan.residual.iter();
    let unproven = unproven.map(|unproven| told(unproven.conjunct, &unproven.reason));
    let runs = plan.spans.runs().iter();
    let works = runs.map(|run| match (&run.work, run.ranges(fields)) {
        // A whole beginning is no whole key.
        (_, Some(ranges)) => Work::Ranges(ranges),
        (span::Work::Walk(walk), None) => Work::Walk(Arc::clone(walk) as _),
        (_, None) => Work::Ranges(run.hull().into()),
    });
    Ok(Wanted {
        works: works.collect(),
        fields: Arc::clone(fields),
        listed: None,
        residual: unproven.collect(),
        goes_on: true,
        spans: plan.spans,
    })
}

/// What filters over `schema`, whose last column is the whole key, leave of the keys.
///
/// # Errors
/// `Internal` alone.
pub(super) fn wanted(
    fields: &Arc<RowKey>,
    schema: &Schema,
    filters: &[Expr],
    budget: usize,
) -> Result<Wanted> {
    let mut columns = fields.columns().to_vec();
    columns.extend(schema.fields().last().map(|row_key| KeyColumn {
        name: row_key.name().clone(),
        sql_type: SqlType::Bytea,
        nullable: false,
    }));
    let whole = columns.last().map_or("", |column| column.name.as_str());
    let (mut of_parts, mut of_whole, mut residual) = (Vec::new(), None, Vec::new());
    for conjunct in filters.iter().flat_map(split_conjunction) {
        let predicate = predicate::lower(conjunct, &columns);
        match (mentions(&predicate, whole), of_whole_key(&predicate, whole)) {
            (false, _) => of_parts.push((conjunct, predicate)),
            (true, keys) => {
                if let Some(keys) = keys {
                    of_whole = Some(meeting(of_whole, keys));
                }
                if !is_about(&predicate, whole) {
                    residual.push(told(conjunct, "it is not about the whole key alone"));
                }
            }
        }
    }
    let conditions: Vec<&Expr> = of_parts.iter().map(|(conjunct, _)| *conjunct).collect();
    let plan = span::plan(fields, of_parts, budget)?;
    let spans = plan.spans;
    // Among the keys of others a walk is not left for what is said of whole keys.
    let of_whole = of_whole.filter(|_| fields.is_alone() || are_listed(&spans, fields));
    let listed = of_whole.map(|keys| within(&spans, fields, keys));
    if matches!(listed, Some((_, false))) {
        let known = |conjunct: &&Expr| told(conjunct, "keys are read by the whole key");
        residual.extend(conditions.iter().map(known));
    } else {
        let unproven = plan.residual.iter();
        residual.extend(unproven.map(|unproven| told(unproven.conjunct, &unproven.reason)));
    }
    let listed = listed.map(|(keys, _)| keys);
    Ok(Wanted {
        works: works(&spans, listed.as_ref()),
        fields: Arc::clone(fields),
        spans,
        listed,
        residual,
        goes_on: false,
    })
}

impl Wanted {
    /// What the keys that are read need not satisfy.
    pub(super) fn residual(&self) -> &[String] {
        &self.residual
    }

    /// The rows of `EXPLAIN KEYS`.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(super) fn explain(&self) -> Result<Vec<SpanRow>> {
        let Some(listed) = &self.listed else {
            let rows = self.spans.explain(&self.fields)?;
            return Ok(if self.goes_on {
                rows.into_iter().map(SpanRow::going_on).collect()
            } else {
                rows
            });
        };
        let row = |range: &KeyRange| {
            let stop = range
                .stop()
                .map_or("*".to_owned(), |stop| format!("x'{})'", hex(stop)));
            SpanRow::range(format!("x'{}'", hex(range.start())), stop, range.clone())
        };
        Ok(listed.ranges().iter().map(row).collect())
    }
}

fn works(spans: &Spans, listed: Option<&KeyRangeSet>) -> Vec<Work> {
    if let Some(listed) = listed {
        let is_some = !listed.is_empty();
        return is_some
            .then(|| Work::Ranges(listed.clone()))
            .into_iter()
            .collect();
    }
    let runs = spans.runs().iter();
    let work = |run: &span::Run| match &run.work {
        span::Work::Points(keys) => Work::Points(Arc::clone(keys)),
        span::Work::Ranges(ranges) => Work::Ranges(ranges.clone()),
        span::Work::Walk(walk) => Work::Walk(Arc::clone(walk) as _),
    };
    runs.map(work).collect()
}

/// A condition as `EXPLAIN KEYS` tells of it.
fn told(conjunct: &Expr, reason: &str) -> String {
    format!("{} ({reason})", predicate::readable(conjunct))
}

/// Whether the ranges of spans are listed.
fn are_listed(spans: &Spans, fields: &RowKey) -> bool {
    let mut runs = spans.runs().iter();
    runs.all(|run| run.ranges(fields).is_some())
}

/// Those of some keys that lie in the spans; all, and false, where the spans are not listed.
fn within(spans: &Spans, fields: &RowKey, keys: KeyRangeSet) -> (KeyRangeSet, bool) {
    let mut ranges = Vec::new();
    for run in spans.runs() {
        let Some(listed) = run.ranges(fields) else {
            return (keys, false);
        };
        ranges.extend(listed.ranges().iter().cloned());
    }
    (keys.intersect(&KeyRangeSet::from_ranges(ranges)), true)
}

fn meeting(known: Option<KeyRangeSet>, keys: KeyRangeSet) -> KeyRangeSet {
    match known {
        Some(known) => known.intersect(&keys),
        None => keys,
    }
}

/// Whether a predicate says something about a column.
fn mentions(predicate: &Predicate, column: &str) -> bool {
    let mut found = false;
    predicate.for_each_member(&mut |expression, _| found |= expression.as_column() == Some(column));
    found
}

/// Whether all that a predicate says is about a column.
fn is_about(predicate: &Predicate, column: &str) -> bool {
    let mut others = predicate.is_opaque();
    predicate
        .for_each_member(&mut |expression, _| others |= expression.as_column() != Some(column));
    !others
}

/// The keys that a predicate allows by what it says about the whole key, a superset; `None` where it says nothing.
fn of_whole_key(predicate: &Predicate, whole: &str) -> Option<KeyRangeSet> {
    match predicate {
        Predicate::Member(expression, domain) if expression.as_column() == Some(whole) => {
            Some(KeyRangeSet::from_ranges(domain.byte_ranges()))
        }
        Predicate::Any(terms) => {
            let sets = terms.iter().map(|term| of_whole_key(term, whole));
            let sets = sets.collect::<Option<Vec<_>>>()?;
            let ranges = sets.iter().flat_map(|set| set.ranges().iter().cloned());
            Some(KeyRangeSet::from_ranges(ranges))
        }
        Predicate::All(terms) => {
            let mut sets = terms.iter().filter_map(|term| of_whole_key(term, whole));
            let first = sets.next()?;
            Some(sets.fold(first, |known, set| known.intersect(&set)))
        }
        _ => None,
    }
}
