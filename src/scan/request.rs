//! What to read: plain data.

use std::sync::Arc;

use arrow::compute::SortOptions;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;

use super::KeyOrder;
use super::physical::has_subquery;
use super::piece::are_few_points;
use crate::keyrange::KeyRange;
use crate::predicate::{self, Predicate};
use crate::row::ReadRows;
use crate::schema::{BoundTable, FamilySet};
use crate::span::{Run, Spans, Work};
use crate::store::{Direction, Store};

/// A scan of more ranges than this is not small.
const MOST_RANGES: usize = 64;

/// For each part of a key the ways to write it in SQL; see [`ScanRequest::part_expressions`].
pub type PartExpressions = Arc<[Vec<Arc<dyn PhysicalExpr>>]>;

/// What the spans of a request were planned of.
#[derive(Debug, Clone)]
pub(super) struct Lowered {
    /// The conjuncts.
    pub(super) predicates: Arc<[Predicate]>,
    /// Those of them that are evaluated on rows, by position.
    pub(super) residual: Vec<usize>,
    /// How many key ranges are listed at most.
    pub(super) budget: usize,
}

/// Which rows of groups are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FirstOfGroups {
    /// By how many leading parts of their key rows are grouped.
    pub(super) parts: usize,
    /// How many rows of each group, at least one.
    pub(super) rows: usize,
    /// Whether the rows of a run are one group.
    pub(super) is_one: bool,
}

/// What a scan reads. Columns are positions in the table throughout, those of filters included.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The table.
    pub table: Arc<BoundTable>,
    /// Who takes its rows out of what the store gives, where that is not [`RowReader`](crate::row::RowReader).
    pub reader: Option<Arc<dyn ReadRows>>,
    /// What the query calls it, where that is another name; told to people alone.
    pub alias: Option<Arc<str>>,
    /// The part of its key space that is read.
    pub spans: Spans,
    /// The conjuncts that the spans do not prove: a row is wanted where each of them is true.
    pub residual: Vec<ResidualConjunct>,
    /// The other conjuncts, which the spans prove: they are evaluated on the rows of a walk that has given up. `None`: not
    /// all of them can be, and no walk may give up. Over the table's whole schema.
    pub(super) proven: Option<Vec<Arc<dyn PhysicalExpr>>>,
    /// Dynamic filters, which tighten while the plan runs; a row that fails one is not needed. Over the table's whole
    /// schema.
    pub dynamic: Vec<Arc<dyn PhysicalExpr>>,
    /// What the spans were planned of; `None` where they were not planned of conjuncts.
    pub(super) lowered: Option<Arc<Lowered>>,
    /// The columns of the output, in its order; none: rows are only counted.
    pub projection: Vec<usize>,
    /// Which way the keys are read.
    pub direction: Direction,
    /// Whether rows come in the order of their keys, buckets merged. Nobody is told of an order that nobody asked for: the
    /// planner carries what a leaf declares through operators that do not keep it. Once it was asked for it stays, even
    /// where the columns that show the order leave the projection: the result's own order rests on it.
    pub in_order: bool,
    /// Whether the order of the rows begins with the bucket that leads their key. Else buckets are merged by what
    /// follows it in the key.
    pub(super) keeps_buckets: bool,
    /// The most rows of each partition, after all filters.
    pub fetch: Option<usize>,
    /// Of each group in a run, or of all runs where these are merged, only the first rows in the direction of the scan are
    /// needed, after all filters; others may come. What is not needed is passed over.
    pub(super) first_of: Option<FirstOfGroups>,
    /// For each part of the key that SQL can compute, the ways to write that, over the table's whole schema: equal
    /// values, in SQL's order, as the part has them. By them the planner sees that the rows are in the order of a part.
    /// Empty, or an empty list: nothing is said.
    pub part_expressions: PartExpressions,
    /// How many texts the dictionaries of the key had when the spans were planned with texts that these did not have.
    pub(super) missed: Option<u64>,
    /// Parts that cannot be NULL, by position in the key, and whether their NULLs are said to come first. Of the others
    /// it is said as it is by default in their direction.
    pub(super) nulls_first: Vec<(usize, bool)>,
}

/// A conjunct that the spans do not prove, as it is evaluated on rows.
#[derive(Debug, Clone)]
pub struct ResidualConjunct {
    /// The conjunct, over the table's whole schema.
    pub expression: Arc<dyn PhysicalExpr>,
    /// The conjunct as it was written; `None` of one that came when the query was planned already.
    pub written: Option<Arc<Expr>>,
    /// Why it is not proven.
    pub reason: String,
}

impl ResidualConjunct {
    /// The conjunct, and why it is not proven: `usage > 3 (reason)`. It is asked for by those who explain: a list may be
    /// long.
    pub fn text(&self) -> String {
        match &self.written {
            Some(written) => format!("{} ({})", predicate::readable(written), self.reason),
            None => format!("{} ({})", self.expression, self.reason),
        }
    }
}

impl ScanRequest {
    /// These columns of the rows in `spans`, forward.
    pub fn new(table: Arc<BoundTable>, spans: Spans, projection: Vec<usize>) -> Self {
        Self {
            projection,
            table,
            reader: None,
            alias: None,
            spans,
            residual: Vec::new(),
            proven: None,
            dynamic: Vec::new(),
            lowered: None,
            direction: Direction::Forward,
            in_order: false,
            keeps_buckets: false,
            fetch: None,
            first_of: None,
            part_expressions: Arc::default(),
            missed: None,
            nulls_first: Vec::new(),
        }
    }

    /// The same, planned with texts that the dictionaries of the key did not have when they had `known` others.
    pub(super) fn with_missed(self, known: u64) -> Self {
        let missed = Some(known);
        Self { missed, ..self }
    }

    /// Whether its spans may be too few for a moment until now: a dictionary lacked a text that they were planned with, and
    /// has more by now. For who reads a moment that is later than the plan.
    ///
    /// # Errors
    /// Those of the store, which is asked where a text was lacking.
    pub fn is_outdated(&self) -> crate::error::Result<bool> {
        let Some(missed) = self.missed else {
            return Ok(false);
        };
        let key = self.table.row_key();
        key.follow_dictionaries()?;
        Ok(key.lookups().known != missed)
    }

    /// The schema of the output.
    ///
    /// # Errors
    /// A projection of columns that the table does not have.
    pub fn schema(&self) -> Result<SchemaRef> {
        Ok(Arc::new(
            self.table.full_schema().project(&self.projection)?,
        ))
    }

    /// Asks for the rows in an order of columns, by position in the table, most significant first. Returns whether the
    /// key gives it, one way or the other; nothing is changed where it does not.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(super) fn order_by(
        &mut self,
        columns: &[(usize, SortOptions)],
    ) -> crate::error::Result<bool> {
        if columns.is_empty() {
            return Ok(true);
        }
        let order = self.key_order()?;
        let is_constant = |column: usize| order.constants.iter().any(|(known, _)| *known == column);
        let wanted: Vec<(usize, SortOptions)> = columns
            .iter()
            .copied()
            .filter(|(column, _)| !is_constant(*column))
            .collect();
        for direction in [Direction::Forward, Direction::Backward] {
            let given: Vec<_> = order.columns(direction).collect();
            if given.starts_with(&wanted) {
                (self.in_order, self.direction) = (true, direction);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// In which order the rows come, where order is wanted.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(super) fn key_order(&self) -> crate::error::Result<KeyOrder> {
        let (key, pinned) = (self.table.row_key(), self.spans.constants());
        KeyOrder::new(key, pinned, self.keeps_buckets)
    }

    /// Whether filters may still be added: no row is left out for another reason.
    pub(super) fn takes_filters(&self) -> bool {
        self.fetch.is_none() && self.first_of.is_none()
    }

    /// What is evaluated on rows, in this order: the residual, then the dynamic filters.
    pub(super) fn filters(&self) -> impl Iterator<Item = &Arc<dyn PhysicalExpr>> {
        let residual = self.residual.iter().map(|residual| &residual.expression);
        residual.chain(&self.dynamic)
    }

    /// What [`Self::filters`] were written as.
    pub(super) fn written(&self) -> impl Iterator<Item = Option<Arc<Expr>>> {
        let residual = self
            .residual
            .iter()
            .map(|residual| residual.written.clone());
        residual.chain(self.dynamic.iter().map(|_| None))
    }

    /// The families of the columns that are wanted, by a filter or in the output.
    pub(super) fn families(&self) -> FamilySet {
        let of_filters = self.filters().flat_map(collect_columns);
        let of_filters = of_filters.map(|column| column.index());
        let output = self.projection.iter().copied();
        self.table.families_of(output.chain(of_filters))
    }

    /// Whether a walk of it may give up and read everything: what it proves is known, and of no further family. What
    /// filters say while the plan runs may make it a walk.
    pub(super) fn widens(&self) -> bool {
        let Some(proven) = &self.proven else {
            return false;
        };
        // Between its rows lie those of other tables of its key space.
        let key = self.table.row_key();
        if (0..key.parts().len()).any(|position| key.is_told_by(position)) {
            return false;
        }
        let mut runs = self.spans.runs().iter();
        let is_walk = runs.any(|run| matches!(run.work, Work::Walk(_)));
        if !is_walk && self.runtime_filters().is_empty() {
            return false;
        }
        let columns = proven.iter().flat_map(collect_columns);
        let needed = columns.map(|column| column.index());
        let needed = self.table.families_of(needed);
        let read = self.families();
        let mut families = 0..self.table.family_count();
        families.all(|family| read.has(family) || !needed.has(family))
    }

    /// Whether what walks prove is about a column that the row key does not give back.
    pub(super) fn proves_values(&self) -> bool {
        let mut columns = self.proven.iter().flatten().flat_map(collect_columns);
        columns.any(|column| self.table.is_stored(column.index()))
    }

    /// The spaces of these families.
    pub(super) fn spaces(&self) -> impl Iterator<Item = &Arc<str>> {
        let families = self.families();
        let spaces = self.table.spaces().families().iter().enumerate();
        spaces.filter_map(move |(family, space)| families.has(family).then_some(space))
    }

    /// About how many bytes are read of a range; `None` where the store cannot say.
    pub(super) fn size_of(&self, store: &dyn Store, range: &KeyRange) -> Option<u64> {
        if self.table.family_count() == 1 {
            return store.approximate_size(self.table.space(), range).ok();
        }
        let sizes = self
            .spaces()
            .map(|space| store.approximate_size(space, range).ok());
        sizes.sum()
    }

    /// Whether a column is wanted, by a filter or in the output, that the row key does not give back.
    pub(super) fn looks_at_values(&self) -> bool {
        let mut output = self.projection.iter();
        let mut of_filters = self.filters().flat_map(collect_columns);
        output.any(|column| self.table.is_stored(*column))
            || of_filters.any(|column| self.table.is_stored(column.index()))
    }

    /// Those filters whose meaning is known only when the plan runs: dynamic ones, and comparisons with the value of a
    /// subquery.
    pub(super) fn runtime_filters(&self) -> Vec<Arc<dyn PhysicalExpr>> {
        let residual = self.residual.iter().map(|residual| &residual.expression);
        let waiting = residual.filter(|filter| has_subquery(filter));
        self.dynamic.iter().chain(waiting).cloned().collect()
    }

    /// How many key ranges are listed; `None` where a run is a walk.
    pub(super) fn listed_ranges(&self) -> Option<usize> {
        let listed = |run: &Run| match &run.work {
            Work::Points(keys) => Some(keys.len()),
            Work::Ranges(ranges) => Some(ranges.ranges().len()),
            Work::Walk(_) => None,
        };
        self.spans.runs().iter().map(listed).sum()
    }

    /// Whether it is nothing but a few keys.
    pub fn is_of_keys(&self) -> bool {
        are_few_points(self.spans.runs())
    }

    /// Whether one thread reads it as quickly as several would, so that it need not be partitioned: a heuristic.
    pub fn is_small(&self, store: &dyn Store, piece_bytes: usize) -> bool {
        let runs = self.spans.runs();
        if are_few_points(runs) {
            return true;
        }
        let mut ranges = Vec::new();
        for run in runs {
            match &run.work {
                Work::Ranges(set) => ranges.extend(set.ranges()),
                Work::Points(_) | Work::Walk(_) => return false,
            }
        }
        if ranges.len() > MOST_RANGES {
            return false;
        }
        if self.fetch.is_some() && self.residual.is_empty() {
            return true;
        }
        // Where the store cannot say, planning finds out.
        let sizes = ranges.into_iter().map(|range| self.size_of(store, range));
        sizes
            .sum::<Option<u64>>()
            .is_some_and(|bytes| bytes < piece_bytes as u64)
    }
}
