//! The types of WITH RECURSIVE.
//!
//! DataFusion casts what the second SELECT gives to the types of the first. `SELECT 1 AS n UNION ALL SELECT n + 0.5 …`
//! would give 1 for ever, as 1.5 becomes 1 again: such a cast is refused, unless it is written.

use std::ops::ControlFlow;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, RecursiveQuery};
use sqlparser::ast::{
    Cte, Expr as SqlExpr, ObjectName, Query, SelectItem, SetExpr, Statement, Visit, Visitor,
};

use crate::catalog::identifier;
use crate::error::{Error, Result};
use crate::plan::rule::mend::once::ReadTwice;

/// Refuses a recursive query whose rows would be cut to the types of its first SELECT, unless the casts are written.
///
/// # Errors
/// `NotSupported`, naming the column and both types.
pub(crate) fn check(plan: &LogicalPlan, written: &Casts) -> Result<()> {
    let mut lost = None;
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::RecursiveQuery(query) = node {
            lost = first_lost(query, written)?;
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

fn first_lost(query: &RecursiveQuery, written: &Casts) -> datafusion::common::Result<Option<Lost>> {
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
        if loses(&from, to) && !written.has(&query.name, position) {
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

/// The columns of the second SELECTs of recursive queries that the statement casts itself: the name of the query, in lower
/// case, and the place of the column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Casts(Vec<(String, usize)>);

/// The casts of a statement, as it is written.
pub(crate) fn casts(statement: &Statement) -> Casts {
    let mut casts = Casts::default();
    let _: ControlFlow<()> = statement.visit(&mut casts);
    casts
}

impl Visitor for Casts {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let with = query.with.iter().filter(|with| with.recursive);
        for table in with.flat_map(|with| &with.cte_tables) {
            let name = table.alias.name.value.to_ascii_lowercase();
            let columns = second(table).iter().enumerate();
            let casts = columns.filter(|(_, item)| is_cast(item));
            self.0.extend(casts.map(|(place, _)| (name.clone(), place)));
        }
        ControlFlow::Continue(())
    }
}

impl Casts {
    /// These and others.
    pub(crate) fn with(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    pub(crate) fn add(&mut self, others: &Self) {
        self.0.extend_from_slice(&others.0);
    }

    fn has(&self, name: &str, position: usize) -> bool {
        let mut casts = self.0.iter();
        casts.any(|(query, place)| *place == position && query.eq_ignore_ascii_case(name))
    }
}

/// The queries of WITH that are read more than once, or may be, where several have one name.
pub(crate) fn read_twice(statement: &Statement) -> ReadTwice {
    let mut named = Named::default();
    let _: ControlFlow<()> = statement.visit(&mut named);
    let Named { made, read } = named;
    let times = |names: &[String], name: &String| names.iter().filter(|it| *it == name).count();
    let mut found = ReadTwice::default();
    for name in &made {
        let made = times(&made, name);
        if times(&read, name) > made {
            let names = match made {
                1 => &mut found.lone,
                _ => &mut found.several,
            };
            names.insert(name.clone());
        }
    }
    found
}

/// The names of queries of WITH, and the names that are read.
#[derive(Default)]
struct Named {
    made: Vec<String>,
    read: Vec<String>,
}

impl Visitor for Named {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let with = query.with.iter().flat_map(|with| &with.cte_tables);
        self.made
            .extend(with.map(|table| identifier(&table.alias.name)));
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        if let [only] = relation.0.as_slice() {
            self.read.extend(only.as_ident().map(identifier));
        }
        ControlFlow::Continue(())
    }
}

/// The columns of the second SELECT.
fn second(table: &Cte) -> &[SelectItem] {
    match table.query.body.as_ref() {
        SetExpr::SetOperation { right, .. } => match right.as_ref() {
            SetExpr::Select(select) => &select.projection,
            _ => &[],
        },
        _ => &[],
    }
}

fn is_cast(item: &SelectItem) -> bool {
    matches!(
        item,
        SelectItem::UnnamedExpr(SqlExpr::Cast { .. })
            | SelectItem::ExprWithAlias {
                expr: SqlExpr::Cast { .. },
                ..
            }
    )
}
