//! Row keys that a filter writes out while a plan runs.
//!
//! A hash join of several columns says `struct(a, b) IN (…)`, a tuple for each row of its smaller side. Where these are
//! all columns that the row key is computed from, a tuple is a row key, and a thousand of them are written in the time
//! in which spans of twenty are planned.

use std::sync::Arc;

use datafusion::arrow::array::{Array, StructArray};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, Column, DynamicFilterPhysicalExpr, InListExpr, Literal,
};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};

use super::external;
use super::keys::{is_told, key_of};
use crate::datum::{Datum, datum_at};
use crate::schema::BoundTable;

/// The row keys under which all rows lie for which `filter` is TRUE, or more; in any order, and some more than once.
/// `None` if it does not name them. Its columns are counted as in the table.
///
/// # Errors
/// Those of DataFusion where a dynamic filter cannot be read; `Internal`.
pub(super) fn row_keys(
    filter: &Arc<dyn PhysicalExpr>,
    table: &BoundTable,
) -> Result<Option<Vec<Vec<u8>>>> {
    if table.row_key().goes_on() {
        return Ok(None);
    }
    if let Some(dynamic) = filter.downcast_ref::<DynamicFilterPhysicalExpr>() {
        return row_keys(&dynamic.current()?, table);
    }
    if let Some(binary) = filter.downcast_ref::<BinaryExpr>() {
        return match binary.op() {
            Operator::And => match row_keys(binary.left(), table)? {
                None => row_keys(binary.right(), table),
                keys => Ok(keys),
            },
            Operator::Or => of_any([binary.left(), binary.right()], table),
            _ => Ok(None),
        };
    }
    if let Some(case) = filter.downcast_ref::<CaseExpr>() {
        let results = case.when_then_expr().iter().map(|(_, then)| then);
        return of_any(results.chain(case.else_expr()), table);
    }
    match filter.downcast_ref::<InListExpr>().and_then(Tuples::of) {
        Some(tuples) => tuples.row_keys(table),
        None => Ok(None),
    }
}

/// The keys of all terms, if each names its own.
fn of_any<'a>(
    terms: impl IntoIterator<Item = &'a Arc<dyn PhysicalExpr>>,
    table: &BoundTable,
) -> Result<Option<Vec<Vec<u8>>>> {
    let mut keys = Vec::new();
    for term in terms {
        match row_keys(term, table)? {
            Some(own) => keys.extend(own),
            None => return Ok(None),
        }
    }
    Ok(Some(keys))
}

/// `struct(a, b) IN (…)`.
pub(super) struct Tuples<'a> {
    /// What is compared.
    pub(super) members: &'a [Arc<dyn PhysicalExpr>],
    list: &'a [Arc<dyn PhysicalExpr>],
}

impl<'a> Tuples<'a> {
    /// `None` for a list of anything else, and behind NOT.
    pub(super) fn of(list: &'a InListExpr) -> Option<Self> {
        let members = list.expr().downcast_ref::<ScalarFunctionExpr>()?;
        (members.name() == "struct" && !list.negated()).then(|| Self {
            members: members.args(),
            list: list.list(),
        })
    }

    /// The tuples, each an array of one row; `None` for one that is none.
    pub(super) fn values(&self) -> impl Iterator<Item = Option<&'a StructArray>> {
        let members = self.members.len();
        self.list.iter().map(move |value| {
            let ScalarValue::Struct(value) = value.downcast_ref::<Literal>()?.value() else {
                return None;
            };
            (!value.is_null(0) && value.num_columns() == members).then_some(value.as_ref())
        })
    }

    /// Their row keys; `None` unless they say all columns of the key, values of the columns' types.
    fn row_keys(&self, table: &BoundTable) -> Result<Option<Vec<Vec<u8>>>> {
        let Some(columns) = self.columns(table) else {
            return Ok(None);
        };
        let mut row: Vec<Option<Datum>> = vec![None; table.all_columns().len()];
        let mut keys = Vec::with_capacity(self.list.len());
        for tuple in self.values() {
            let Some(tuple) = tuple.filter(|tuple| are_of(tuple, &columns, table)) else {
                return Ok(None);
            };
            for (column, value) in columns.iter().zip(tuple.columns()) {
                let sql_type = &table.column(*column).map_err(external)?.sql_type;
                let datum = datum_at(value.as_ref(), 0, sql_type).map_err(external)?;
                // Nothing is equal to NULL; a join that says so is not narrowed so.
                if datum.is_none() {
                    return Ok(None);
                }
                if let Some(cell) = row.get_mut(*column) {
                    *cell = datum;
                }
            }
            keys.extend(key_of(table, &row).map_err(external)?);
        }
        Ok(Some(keys))
    }

    /// The members' columns by position in the table, if these are all that the key is computed from, each once, and
    /// gives back.
    fn columns(&self, table: &BoundTable) -> Option<Vec<usize>> {
        let column = |member: &Arc<dyn PhysicalExpr>| {
            let column = member.downcast_ref::<Column>()?.index();
            is_told(table, column).then_some(column)
        };
        let columns: Vec<usize> = self.members.iter().map(column).collect::<Option<_>>()?;
        let mut sorted = columns.clone();
        sorted.sort_unstable();
        let mut sources = table.key_sources().to_vec();
        sources.sort_unstable();
        (sorted == sources).then_some(columns)
    }
}

/// Whether the values of a tuple are of the types of their columns.
fn are_of(tuple: &StructArray, columns: &[usize], table: &BoundTable) -> bool {
    let mut values = columns.iter().zip(tuple.columns());
    values.all(|(column, value)| {
        let column = table.column(*column);
        column.is_ok_and(|column| column.sql_type.arrow() == *value.data_type())
    })
}
