//! What a physical expression says about rows, as a predicate.
//!
//! Filters that come while a plan runs are physical expressions. What of them has a logical form is lowered as the
//! filters of a query are ([`crate::predicate`]); of what has none nothing is known. AND and OR are taken apart before,
//! so that the rest is not lost with a term. Beside them stand two forms that hash joins write:
//!
//! * `struct(a, b) IN (…)`: any of several pairs of values;
//! * `CASE hash % n WHEN 0 THEN … WHEN 1 THEN … END`: what the partitions of the other side say, one of which is true.
//!
//! A subquery that gives one value stands for it, as soon as that is known.

use datafusion::arrow::array::{RecordBatch, StructArray};
use datafusion::arrow::datatypes::Schema;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column as LogicalColumn, Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr as LogicalBinary, Cast, ColumnarValue, Expr, Operator};
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, CastExpr, Column, DynamicFilterPhysicalExpr, InListExpr, IsNotNullExpr,
    IsNullExpr, Literal, NotExpr,
};
use datafusion::physical_expr::scalar_subquery::ScalarSubqueryExpr;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use std::sync::Arc;

use super::tuples::Tuples;
use crate::key::KeyColumn;
use crate::predicate::{self, Predicate};

/// The rows for which `filter` is TRUE, or more. Columns are looked up by name in `columns`.
///
/// # Errors
/// Those of DataFusion where a dynamic filter cannot be read.
pub(super) fn predicate_of(
    filter: &Arc<dyn PhysicalExpr>,
    columns: &[KeyColumn],
) -> Result<Predicate> {
    if let Some(dynamic) = filter.downcast_ref::<DynamicFilterPhysicalExpr>() {
        return predicate_of(&dynamic.current()?, columns);
    }
    if let Some(binary) = filter.downcast_ref::<BinaryExpr>()
        && matches!(binary.op(), Operator::And | Operator::Or)
    {
        let terms = [binary.left(), binary.right()];
        let terms = terms.map(|term| predicate_of(term, columns));
        let [left, right] = terms;
        return Ok(match binary.op() {
            Operator::And => Predicate::all([left?, right?]),
            _ => Predicate::any([left?, right?]),
        });
    }
    if let Some(case) = filter.downcast_ref::<CaseExpr>() {
        return any_of_results(case, columns);
    }
    if let Some(list) = filter.downcast_ref::<InListExpr>()
        && let Some(tuples) = tuples(list)
    {
        return Ok(Predicate::any(
            tuples.iter().map(|tuple| predicate::lower(tuple, columns)),
        ));
    }
    let lowered = logical(filter).map(|condition| predicate::lower(&condition, columns));
    Ok(lowered.unwrap_or(Predicate::Opaque))
}

/// Whether a filter compares with the value of a subquery.
pub(super) fn has_subquery(filter: &Arc<dyn PhysicalExpr>) -> bool {
    let found = filter.exists(|expression| Ok(expression.is::<ScalarSubqueryExpr>()));
    found.unwrap_or_default()
}

/// The value of a subquery, if it is known.
fn value_of(subquery: &ScalarSubqueryExpr) -> Option<ScalarValue> {
    let nothing = RecordBatch::new_empty(Arc::new(Schema::empty()));
    match subquery.evaluate(&nothing).ok()? {
        ColumnarValue::Scalar(value) => Some(value),
        ColumnarValue::Array(_) => None,
    }
}

/// The rows for which one of the results is TRUE: the CASE is TRUE for no others.
fn any_of_results(case: &CaseExpr, columns: &[KeyColumn]) -> Result<Predicate> {
    let results = case.when_then_expr().iter().map(|(_, then)| then);
    let results = results.chain(case.else_expr());
    let results = results.map(|result| predicate_of(result, columns));
    Ok(Predicate::any(results.collect::<Result<Vec<_>>>()?))
}

/// `a = 1 AND b = 'x'` for each member of `struct(a, b) IN (…)`; `None` if it is no such list.
fn tuples(list: &InListExpr) -> Option<Vec<Expr>> {
    let tuples = Tuples::of(list)?;
    let members: Vec<Expr> = tuples.members.iter().map(logical).collect::<Option<_>>()?;
    let tuple = |value: Option<&StructArray>| all_equal(&members, value?);
    tuples.values().map(tuple).collect()
}

fn all_equal(members: &[Expr], values: &StructArray) -> Option<Expr> {
    let equal = members.iter().zip(values.columns());
    let equal = equal.map(|(member, value)| {
        let value = ScalarValue::try_from_array(value, 0).ok()?;
        Some(member.clone().eq(Expr::Literal(value, None)))
    });
    equal
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .reduce(Expr::and)
}

/// The logical form of an expression, where it has one.
fn logical(expression: &Arc<dyn PhysicalExpr>) -> Option<Expr> {
    if let Some(column) = expression.downcast_ref::<Column>() {
        let column = LogicalColumn::new_unqualified(column.name());
        return Some(Expr::Column(column));
    }
    if let Some(literal) = expression.downcast_ref::<Literal>() {
        return Some(Expr::Literal(literal.value().clone(), None));
    }
    if let Some(subquery) = expression.downcast_ref::<ScalarSubqueryExpr>() {
        return value_of(subquery).map(|value| Expr::Literal(value, None));
    }
    if let Some(function) = expression.downcast_ref::<ScalarFunctionExpr>() {
        let arguments = function.args().iter().map(logical);
        return Some(function.fun().call(arguments.collect::<Option<_>>()?));
    }
    if let Some(cast) = expression.downcast_ref::<CastExpr>() {
        let inner = Box::new(logical(cast.expr())?);
        return Some(Expr::Cast(Cast::new(inner, cast.cast_type().clone())));
    }
    if let Some(binary) = expression.downcast_ref::<BinaryExpr>() {
        let (left, right) = (logical(binary.left())?, logical(binary.right())?);
        let binary = LogicalBinary::new(Box::new(left), *binary.op(), Box::new(right));
        return Some(Expr::BinaryExpr(binary));
    }
    if let Some(list) = expression.downcast_ref::<InListExpr>() {
        let members = list.list().iter().map(logical).collect::<Option<_>>()?;
        let value = Box::new(logical(list.expr())?);
        return Some(Expr::InList(InList::new(value, members, list.negated())));
    }
    if let Some(not) = expression.downcast_ref::<NotExpr>() {
        return Some(Expr::Not(Box::new(logical(not.arg())?)));
    }
    if let Some(is_null) = expression.downcast_ref::<IsNullExpr>() {
        return Some(Expr::IsNull(Box::new(logical(is_null.arg())?)));
    }
    let is_not_null = expression.downcast_ref::<IsNotNullExpr>()?;
    Some(Expr::IsNotNull(Box::new(logical(is_not_null.arg())?)))
}
