//! Values that may be missing.
//!
//! The value of a query without rows is NULL. DataFusion gives it the nullability of the query's column, which may be NOT
//! NULL: then `(SELECT id FROM t WHERE id = 9) IS NULL` is false before a row is read, and a DELETE that asks for the
//! opposite deletes all rows. So the column of a query that may have no row is made one that may be NULL, by a function
//! that does nothing else. Queries that name columns from outside need none: they are joined, by outer joins.

use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result as PlanResult};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, ReturnFieldArgs, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, Subquery, Union, Volatility,
};

use super::outside::named_from_outside;
use crate::error::Error;

/// The plan, in which each value that may be missing may be NULL.
///
/// # Errors
/// `Internal` alone.
pub(super) fn allowed(plan: LogicalPlan) -> PlanResult<LogicalPlan> {
    if !is_any_missing(&plan)? {
        return Ok(plan);
    }
    let allowed = plan.transform_up_with_subqueries(|node| {
        let node = node.map_expressions(|expr| expr.transform_up(allowed_value))?;
        // Whatever shows the value may be NULL then.
        node.map_data(with_schema_of_inputs)
    })?;
    Ok(allowed.data)
}

fn with_schema_of_inputs(node: LogicalPlan) -> PlanResult<LogicalPlan> {
    let LogicalPlan::Union(union) = node else {
        return node.recompute_schema();
    };
    // Of a union DataFusion keeps the schema as it is.
    let inputs = &union.inputs;
    let fields = union.schema.iter().enumerate();
    let fields = fields.map(|(place, (qualifier, field))| {
        let is_nullable = inputs
            .iter()
            .any(|input| input.schema().field(place).is_nullable());
        let field = field.as_ref().clone().with_nullable(is_nullable);
        (qualifier.cloned(), Arc::new(field))
    });
    let schema = DFSchema::new_with_metadata(fields.collect(), union.schema.metadata().clone())?;
    let schema = Arc::new(schema);
    Ok(LogicalPlan::Union(Union { schema, ..union }))
}

fn is_any_missing(plan: &LogicalPlan) -> PlanResult<bool> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            found = found || expr.exists(may_be_missing)?;
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(found)
}

fn allowed_value(expr: Expr) -> PlanResult<Transformed<Expr>> {
    match expr {
        Expr::ScalarSubquery(subquery) if may_be_missing_of(&subquery)? => {
            let subquery = with_null(subquery)?;
            Ok(Transformed::yes(Expr::ScalarSubquery(subquery)))
        }
        other => Ok(Transformed::no(other)),
    }
}

fn may_be_missing(expr: &Expr) -> PlanResult<bool> {
    match expr {
        Expr::ScalarSubquery(subquery) => may_be_missing_of(subquery),
        _ => Ok(false),
    }
}

/// Whether it is taken for NOT NULL and is not.
fn may_be_missing_of(subquery: &Subquery) -> PlanResult<bool> {
    let plan = subquery.subquery.as_ref();
    let is_taken = plan
        .schema()
        .fields()
        .iter()
        .all(|field| !field.is_nullable());
    Ok(is_taken && !has_one_row(plan) && named_from_outside(plan)?.is_empty())
}

/// Whether the plan has one row whatever is stored.
fn has_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => has_one_row(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => has_one_row(&alias.input),
        LogicalPlan::Sort(sort) => sort.fetch.is_none() && has_one_row(&sort.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row,
        _ => false,
    }
}

fn with_null(subquery: Subquery) -> PlanResult<Subquery> {
    let plan = Arc::unwrap_or_clone(subquery.subquery);
    let function = ScalarUDF::from(OrNull::new());
    let columns = plan.schema().iter().map(|(qualifier, field)| {
        let column = Expr::Column(Column::from((qualifier, field)));
        let value = function.call(vec![column]);
        value.alias_qualified(qualifier.cloned(), field.name())
    });
    let columns: Vec<Expr> = columns.collect();
    let plan = LogicalPlanBuilder::from(plan).project(columns)?.build()?;
    Ok(Subquery {
        subquery: Arc::new(plan),
        ..subquery
    })
}

/// Its argument, of which nobody knows that it is not NULL. It is called volatile so that it stays: of a constant the
/// simplifier would leave the constant, which is NOT NULL.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OrNull(Signature);

impl OrNull {
    fn new() -> Self {
        Self(Signature::any(1, Volatility::Volatile))
    }
}

impl ScalarUDFImpl for OrNull {
    fn name(&self) -> &str {
        "or_null"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _types: &[DataType]) -> PlanResult<DataType> {
        Err(Error::internal("the type of or_null is that of its argument").into())
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> PlanResult<FieldRef> {
        match arguments.arg_fields {
            [value] => Ok(Arc::new(value.as_ref().clone().with_nullable(true))),
            _ => Err(Error::internal("or_null has one argument").into()),
        }
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> PlanResult<ColumnarValue> {
        let mut values = arguments.args.into_iter();
        let value = values.next();
        value.ok_or_else(|| Error::internal("or_null has one argument").into())
    }
}

#[cfg(test)]
mod tests {
    use crate::session::testing::rows_of;
    use crate::session::{Connection, Database};

    /// Queries over the rows 1 and 2 of `e`, and what they give.
    const ANSWERS: &[(&str, &[&str])] = &[
        ("SELECT (SELECT id FROM e WHERE id = 9)", &["NULL"]),
        ("SELECT (SELECT id FROM e WHERE id = 9) IS NULL", &["true"]),
        ("SELECT (SELECT 1 WHERE false) IS NULL", &["true"]),
        ("SELECT (SELECT id FROM e LIMIT 1) IS NOT NULL", &["true"]),
        (
            "SELECT (SELECT count(*) FROM e WHERE id = 9) IS NULL",
            &["false"],
        ),
        (
            "SELECT (SELECT count(*) FROM e WHERE id = 9 GROUP BY id) IS NULL",
            &["true"],
        ),
        (
            "SELECT (SELECT count(*) FROM e HAVING count(*) > 5) IS NULL",
            &["true"],
        ),
        ("SELECT (SELECT count(*) FROM e LIMIT 0) IS NULL", &["true"]),
        (
            "SELECT coalesce((SELECT id FROM e WHERE id = 9), 0) + id FROM e ORDER BY 1",
            &["1", "2"],
        ),
        (
            "SELECT CASE WHEN (SELECT 1 WHERE false) IS NULL THEN 'null' ELSE 'x' END",
            &["null"],
        ),
        (
            "SELECT count(*) FROM e WHERE coalesce((SELECT id FROM e WHERE id = 9), 0) = 0",
            &["2"],
        ),
        ("SELECT (SELECT 'x' FROM e WHERE id = 9)", &["NULL"]),
        ("SELECT (SELECT 1 FROM e WHERE id = 9) IS NULL", &["true"]),
        ("SELECT coalesce((SELECT 5 FROM e WHERE id = 9), 0)", &["0"]),
        (
            "SELECT (SELECT 2 FROM e GROUP BY id HAVING count(*) > 5) IS NULL",
            &["true"],
        ),
        (
            "SELECT count(*) FROM e WHERE (SELECT true FROM e WHERE id = 9) IS NOT NULL",
            &["0"],
        ),
        (
            "SELECT v IS NULL FROM (SELECT (SELECT id FROM e WHERE id = 9) AS v) AS s",
            &["true"],
        ),
        (
            "SELECT v IS NULL FROM (SELECT id AS v FROM e UNION ALL SELECT (SELECT id FROM e WHERE id = 9)) AS s ORDER BY 1",
            &["false", "false", "true"],
        ),
        (
            "SELECT max(id) FROM e WHERE id > (SELECT id FROM e WHERE id = 1) OR (SELECT id FROM e WHERE id = 9) IS NULL",
            &["2"],
        ),
        (
            "SELECT id FROM e WHERE EXISTS (SELECT 1 FROM e AS i WHERE (SELECT id FROM e WHERE id = 9) IS NULL AND i.id > e.id)",
            &["1"],
        ),
    ];

    async fn filled() -> Connection {
        let connection = Database::in_memory().unwrap().connect();
        for sql in [
            "CREATE TABLE e (id INT PRIMARY KEY)",
            "INSERT INTO e VALUES (1), (2)",
        ] {
            connection.execute(sql, ()).await.unwrap();
        }
        connection
    }

    #[tokio::test]
    async fn the_value_of_a_query_without_rows_is_null() {
        let connection = filled().await;
        for (sql, rows) in ANSWERS {
            assert_eq!(rows_of(&connection, sql).await, *rows, "{sql}");
        }
    }

    #[tokio::test]
    async fn a_change_goes_by_it() {
        let connection = filled().await;
        let missing = "(SELECT id FROM e WHERE id = 9)";
        for (sql, changed) in [
            (format!("DELETE FROM e WHERE {missing} IS NOT NULL"), 0),
            (
                format!("UPDATE e SET id = id + 10 WHERE {missing} IS NULL AND id = 2"),
                1,
            ),
            (format!("INSERT INTO e SELECT 3 WHERE {missing} IS NULL"), 1),
            (format!("DELETE FROM e WHERE coalesce({missing}, 0) = 0"), 3),
        ] {
            assert_eq!(
                connection.execute(&sql, ()).await.unwrap(),
                changed,
                "{sql}"
            );
        }
    }
}
