//! The types of WITH RECURSIVE.
//!
//! DataFusion casts what the second SELECT gives to the types of the first. `SELECT 1 AS n UNION ALL SELECT n + 0.5 …`
//! would give 1 for ever, as 1.5 becomes 1 again: such a cast is refused, unless it is written.

use std::ops::ControlFlow;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, RecursiveQuery};
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::{
    Cte, Expr as SqlExpr, Query, SelectItem, SetExpr, Statement as SqlStatement, Visit, Visitor,
};

use crate::error::{Error, Result};

/// Refuses a recursive query whose rows would be cut to the types of its first SELECT.
///
/// # Errors
/// `NotSupported`, naming the column and both types.
pub(super) fn check(plan: &LogicalPlan, parsed: &DFStatement) -> Result<()> {
    let mut lost = None;
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::RecursiveQuery(query) = node {
            lost = first_lost(query, parsed)?;
        }
        Ok(match lost {
            Some(_) => TreeNodeRecursion::Stop,
            None => TreeNodeRecursion::Continue,
        })
    })?;
    match lost {
        None => Ok(()),
        Some(Lost {
            query,
            column,
            from,
            to,
        }) => Err(Error::unsupported(format!(
            "column `{column}` of WITH RECURSIVE `{query}` is {to} in the first SELECT and {from} in the second; \
             cast it in the first SELECT to a type that holds both, or in the second"
        ))),
    }
}

/// A column whose values would be cut.
struct Lost {
    query: String,
    column: String,
    from: DataType,
    to: DataType,
}

fn first_lost(
    query: &RecursiveQuery,
    parsed: &DFStatement,
) -> datafusion::common::Result<Option<Lost>> {
    let LogicalPlan::Projection(projection) = query.recursive_term.as_ref() else {
        return Ok(None);
    };
    let schema = projection.input.schema();
    let columns = query.static_term.schema();
    for (position, expr) in projection.expr.iter().enumerate() {
        let Expr::Cast(cast) = expr.clone().unalias() else {
            continue;
        };
        let (from, to) = (cast.expr.get_type(schema)?, cast.field.data_type());
        if loses(&from, to) && !is_written(parsed, &query.name, position) {
            return Ok(Some(Lost {
                query: query.name.clone(),
                column: columns.field(position).name().clone(),
                from,
                to: to.clone(),
            }));
        }
    }
    Ok(None)
}

/// Whether a cast gives another value without an error.
fn loses(from: &DataType, to: &DataType) -> bool {
    let scale = |data_type: &DataType| match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Some(i32::from(*scale)),
        other if other.is_floating() => Some(i32::MAX),
        other if other.is_integer() => Some(0),
        _ => None,
    };
    match (from, to) {
        (from, DataType::Null) => *from != DataType::Null,
        (DataType::Timestamp(from, _), DataType::Timestamp(to, _)) => from > to,
        (DataType::Timestamp(..), DataType::Date32) => true,
        (from, DataType::Boolean) => *from != DataType::Boolean && *from != DataType::Null,
        (from, to) => match (scale(from), scale(to)) {
            (Some(from), Some(to)) => from > to,
            _ => false,
        },
    }
}

/// Whether the statement casts that column of the second SELECT itself.
fn is_written(parsed: &DFStatement, name: &str, position: usize) -> bool {
    let mut casts = Casts { name, position };
    match parsed {
        DFStatement::Statement(statement) => SqlStatement::visit(statement, &mut casts).is_break(),
        DFStatement::Explain(explain) => is_written(&explain.statement, name, position),
        _ => false,
    }
}

/// Finds a cast in a column of the second SELECT of the recursive queries of a name.
struct Casts<'a> {
    name: &'a str,
    position: usize,
}

impl Visitor for Casts<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let tables = query.with.iter().flat_map(|with| &with.cte_tables);
        let mut named =
            tables.filter(|table| table.alias.name.value.eq_ignore_ascii_case(self.name));
        match named.any(|table| self.casts(table)) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Casts<'_> {
    fn casts(&self, table: &Cte) -> bool {
        let SetExpr::SetOperation { right, .. } = table.query.body.as_ref() else {
            return false;
        };
        let SetExpr::Select(select) = right.as_ref() else {
            return false;
        };
        matches!(
            select.projection.get(self.position),
            Some(
                SelectItem::UnnamedExpr(SqlExpr::Cast { .. })
                    | SelectItem::ExprWithAlias {
                        expr: SqlExpr::Cast { .. },
                        ..
                    }
            )
        )
    }
}
