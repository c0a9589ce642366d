//! Scans of which only the first rows of groups are needed.
//!
//! What needs no other rows says so by [`ScanExec::of_first_rows`]: what it groups by, in which order it wants the first,
//! and how many ([`Wanted`]). Of the key's parts as few leading ones are chosen as determine all that it groups by. Rows
//! that agree in these are of one group, or a part of one; the rest of the key must give the order, one way or the other.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr_common::physical_expr::is_volatile;

use super::keys::is_compared_by_bytes;
use super::order::SortPart;
use super::request::FirstOfGroups;
use super::{ScanExec, ScanRequest};
use crate::store::Direction;

/// An order over the output of a scan.
pub type Order = Vec<(Arc<dyn PhysicalExpr>, SortOptions)>;

/// Which rows of a scan are needed, over its output.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Rows with equal values of these are a group.
    pub groups: Vec<Arc<dyn PhysicalExpr>>,
    /// The first of a group in each of these orders; in none: any row of it.
    pub orders: Vec<Order>,
    /// How many of a group are the first, at least one.
    pub rows: usize,
    /// Whether a row that is equal to one of the first in the order is one of them, however many there are.
    pub with_ties: bool,
}

/// Which way the keys are read; `None`: either way.
type Way = Option<Direction>;

impl ScanExec {
    /// The scans for who needs these rows alone, and is not misled by more of them, or by one that comes twice. Of one group
    /// two scans may read the two ends. None where the key does not give that, or rows are left out for another reason.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn of_first_rows(&self, wanted: &Wanted) -> Result<Vec<Self>> {
        let request = self.request();
        if !request.takes_filters() {
            return Ok(Vec::new());
        }
        let Some(parts) = self.grouping_parts(&wanted.groups)? else {
            return Ok(Vec::new());
        };
        if !request
            .dynamic
            .iter()
            .all(|it| self.leaves_whole_groups(it, parts))
        {
            return Ok(Vec::new());
        }
        if wanted.with_ties && !self.tells_rows_apart(wanted)? {
            return Ok(Vec::new());
        }
        let is_one = self.is_one_group(parts);
        let directions = self.directions(parts, &wanted.orders).into_iter();
        let scans = directions.map(|direction| {
            let request = ScanRequest {
                first_of: Some(FirstOfGroups {
                    parts,
                    rows: wanted.rows,
                    is_one,
                }),
                direction,
                ..request.clone()
            };
            // Of one group few rows are wanted, and a piece or two have them.
            let shares = if is_one {
                self.gathered_shares()
            } else {
                Arc::clone(&self.shares)
            };
            self.with_shares(request, shares)
        });
        scans.collect()
    }

    /// Which ways the keys are to be read; none where they do not give the orders, or more than one group would be read
    /// both ways.
    fn directions(&self, parts: usize, orders: &[Order]) -> Vec<Direction> {
        let given = self.request().direction;
        let ways = orders.iter().map(|order| self.way(parts, order));
        let Some(ways) = ways.collect::<Option<Vec<Way>>>() else {
            return Vec::new();
        };
        let is_wanted = |direction: &Direction| ways.contains(&Some(*direction));
        let mut directions = vec![given, given.reversed()];
        directions.retain(is_wanted);
        match directions.len() {
            0 => vec![given],
            2 if !self.is_one_group(parts) => Vec::new(),
            _ => directions,
        }
    }

    /// How many leading parts of the key determine `groups`; `None` where all of them are needed, or more.
    fn grouping_parts(&self, groups: &[Arc<dyn PhysicalExpr>]) -> Result<Option<usize>> {
        let request = self.request();
        let key = request.table.row_key();
        // Each bucket is a run, and its first rows are its own.
        let least = key.bucket_part().map_or(0, |bucket| bucket + 1);
        let mut parts = least;
        for group in groups {
            let Some(group) = self.over_table(group)? else {
                return Ok(None);
            };
            match self.parts_that_give(&group) {
                Some(given_by) => parts = parts.max(given_by),
                None => return Ok(None),
            }
        }
        let is_one_run = request.spans.runs().len() <= 1;
        Ok(((is_one_run || least > 0) && parts < key.parts().len()).then_some(parts))
    }

    /// How many leading parts determine an expression over the table: those that give back its columns, or one that is the
    /// expression. None determine one that has another value each time.
    fn parts_that_give(&self, expression: &Arc<dyn PhysicalExpr>) -> Option<usize> {
        if is_volatile(expression) {
            return None;
        }
        let request = self.request();
        let spelled = request.part_expressions.iter();
        let mut spelled = spelled.map(|part| part.iter().any(|spelling| spelling.eq(expression)));
        if let Some(part) = spelled.position(|is_spelled| is_spelled) {
            return Some(part + 1);
        }
        let columns = collect_columns(expression);
        let mut parts = columns
            .iter()
            .map(|column| self.parts_that_restore(column.index()));
        parts.try_fold(0, |most, parts| Some(most.max(parts?)))
    }

    /// Whether a filter that changes while the plan runs leaves of a group all rows or none, whatever it says.
    fn leaves_whole_groups(&self, filter: &Arc<dyn PhysicalExpr>, parts: usize) -> bool {
        let columns = collect_columns(filter);
        columns.iter().all(|column| {
            let given_by = self.parts_that_restore(column.index());
            given_by.is_some_and(|given_by| given_by <= parts)
        })
    }

    fn parts_that_restore(&self, column: usize) -> Option<usize> {
        if self.is_constant(column) {
            return Some(0);
        }
        let part = self.table().row_key().restoring_part(column)?;
        Some(part + 1)
    }

    /// Whether no two rows of a group are equal in an order: what rows are grouped by and the columns of the order are all
    /// that the key is made of.
    fn tells_rows_apart(&self, wanted: &Wanted) -> Result<bool> {
        let groups = self.named_columns(wanted.groups.iter())?;
        let sources = self.table().row_key().parts().iter();
        let sources: Vec<usize> = sources.flat_map(|part| part.sources()).copied().collect();
        for order in &wanted.orders {
            let given = self.named_columns(order.iter().map(|(told, _)| told))?;
            let is_given = |column: &usize| {
                groups.contains(column) || given.contains(column) || self.is_constant(*column)
            };
            if !sources.iter().all(is_given) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Those of some expressions over the output that are columns, by position in the table.
    fn named_columns<'a>(
        &self,
        expressions: impl Iterator<Item = &'a Arc<dyn PhysicalExpr>>,
    ) -> Result<Vec<usize>> {
        let mut columns = Vec::new();
        for expression in expressions {
            let expression = self.over_table(expression)?;
            let column = expression
                .as_ref()
                .and_then(|it| it.downcast_ref::<Column>());
            columns.extend(column.map(Column::index));
        }
        Ok(columns)
    }

    fn is_constant(&self, column: usize) -> bool {
        let mut constants = self.order.constants.iter();
        constants.any(|(constant, _)| *constant == column)
    }

    /// Whether all keys of a run agree in so many leading parts.
    fn is_one_group(&self, parts: usize) -> bool {
        let bucket = self.table().row_key().bucket_part();
        (0..parts).all(|part| self.order.pinned.contains(&part) || Some(part) == bucket)
    }

    /// Which way the first row of each group is the first in `order`; `None`: neither.
    fn way(&self, parts: usize, order: &Order) -> Option<Way> {
        let mut wanted = Vec::with_capacity(order.len());
        for (expression, options) in order {
            let column = expression.downcast_ref::<Column>()?;
            let column = *self.request().projection.get(column.index())?;
            let given_by = self.parts_that_restore(column);
            if given_by.is_none_or(|given_by| given_by > parts) {
                wanted.push((column, *options));
            }
        }
        if wanted.is_empty() {
            return Some(None);
        }
        let (is_in_order, given) = (self.request().in_order, self.request().direction);
        let mut directions = [given, given.reversed()].into_iter();
        let found = directions.find(|direction| self.gives(parts, &wanted, *direction));
        found
            .filter(|found| !is_in_order || *found == given)
            .map(Some)
    }

    /// Whether the key orders the rows of a group so. Rows that agree in the whole key are one row.
    fn gives(&self, parts: usize, wanted: &[(usize, SortOptions)], direction: Direction) -> bool {
        let told = self
            .order
            .parts
            .iter()
            .filter(|part| part.position >= parts && !part.is_implied);
        let mut told = told;
        wanted.iter().all(|(column, options)| {
            let part = told.next();
            part.is_none_or(|part| self.orders(part, *column, *options, direction))
        })
    }

    fn orders(
        &self,
        part: &SortPart,
        column: usize,
        wanted: SortOptions,
        direction: Direction,
    ) -> bool {
        let given = part.options(direction);
        let declared = self.table().row_key().parts().get(part.position);
        let has_nulls = declared.is_none_or(|part| part.nullable());
        let is_by_value = self.table().column(column);
        let is_by_value = is_by_value.is_ok_and(|column| is_compared_by_bytes(&column.sql_type));
        part.column == Some(column)
            && is_by_value
            && given.descending == wanted.descending
            && (!has_nulls || given.nulls_first == wanted.nulls_first)
    }
}
