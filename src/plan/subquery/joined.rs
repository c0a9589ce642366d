//! Values of subqueries as columns that are joined to the rows around them.
//!
//! ```text
//! (SELECT max(c) FROM x WHERE x.b < t.b)     t LEFT JOIN (b, max(c) for each b of t) ON b
//! EXISTS (…)                                 t LEFT JOIN (b, true for each b that there are rows for)
//! x IN (…), x < ALL (…)                      as the value of an aggregate over all comparisons
//! ```
//!
//! [`Domain`] gives the query for each of the values that it names. A value of more than one row is an error where it is
//! asked for, of the rows that ask.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result as PlanResult, ScalarValue};
use datafusion::functions_aggregate::expr_fn::{count, first_value, max};
use datafusion::logical_expr::expr::{InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, FetchType, JoinType, LogicalPlan, LogicalPlanBuilder, Operator,
    lit, not, when,
};

use super::domain::{Domain, Keyed, columns, join_on_keys};
use super::fresh::FreshNames;
use super::membership;
use super::outside::query_of;
use crate::error::Error;
use crate::function::single_value;

/// Rows, and behind their columns the values of subqueries over them.
pub(super) struct Joined<'a> {
    /// The rows whose columns subqueries name.
    rows: LogicalPlan,
    plan: LogicalPlan,
    names: &'a FreshNames,
}

/// What becomes of comparisons with all values of a query.
const HOLDS: i64 = 2;
const UNKNOWN: i64 = 1;
const FAILS: i64 = 0;

impl<'a> Joined<'a> {
    /// # Errors
    /// `NotSupported` for rows that are others each time they are read.
    pub fn to(rows: LogicalPlan, names: &'a FreshNames) -> PlanResult<Self> {
        let mut is_volatile = false;
        rows.apply_with_subqueries(|node| {
            node.apply_expressions(|expr| {
                is_volatile = is_volatile || expr.is_volatile();
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        if is_volatile {
            return Err(Error::unsupported(
                "a subquery in this place over rows that are drawn by chance (random(), a sample) is not implemented; \
                 keep the rows in a table first",
            )
            .into());
        }
        Ok(Self {
            plan: rows.clone(),
            rows,
            names,
        })
    }

    /// The rows with all values.
    pub fn into_plan(self) -> LogicalPlan {
        self.plan
    }

    /// The expression, in which those subqueries are columns that `is_joined` tells.
    pub fn written(
        &mut self,
        expr: Expr,
        is_joined: &dyn Fn(&Expr) -> PlanResult<bool>,
    ) -> PlanResult<Expr> {
        let written = expr.transform_down(|expr| {
            if query_of(&expr).is_none() || !is_joined(&expr)? {
                return Ok(Transformed::no(expr));
            }
            let value = self.value(expr)?;
            Ok(Transformed::new(value, true, TreeNodeRecursion::Jump))
        })?;
        Ok(written.data)
    }

    /// The value of a subquery.
    pub fn value(&mut self, subquery: Expr) -> PlanResult<Expr> {
        match subquery {
            Expr::ScalarSubquery(subquery) => self.scalar(&subquery.subquery),
            Expr::Exists(exists) => self.exists(&exists.subquery.subquery, exists.negated),
            Expr::InSubquery(list) => self.membership(list),
            Expr::SetComparison(comparison) => self.comparison(comparison),
            other => Ok(other),
        }
    }

    fn exists(&mut self, query: &LogicalPlan, negated: bool) -> PlanResult<Expr> {
        let (rows, names) = (self.rows.clone(), self.names);
        let domain = Domain::of(&rows, query, names)?;
        let Keyed { plan, keys } = domain.over(query)?;
        let mark = names.next();
        let listed = columns(&keys).chain([lit(true).alias(&mark)]);
        let found = LogicalPlanBuilder::from(plan).project(listed)?;
        let found = if keys.is_empty() {
            found.limit(0, Some(1))?
        } else {
            found.distinct()?
        };
        self.join(&domain, found.build()?, keys)?;
        let mark = Expr::Column(Column::new_unqualified(mark));
        Ok(if negated {
            mark.is_null()
        } else {
            mark.is_not_null()
        })
    }

    fn scalar(&mut self, query: &LogicalPlan) -> PlanResult<Expr> {
        let (rows, names) = (self.rows.clone(), self.names);
        let domain = Domain::of(&rows, query, names)?;
        let Keyed { plan, keys } = domain.over(query)?;
        let (value, number) = (names.next(), names.next());
        let given = first_column(query);
        let found = LogicalPlanBuilder::from(plan);
        let found = if is_single(query)? {
            found.project(columns(&keys).chain([given.alias(&value)]))?
        } else {
            found.aggregate(
                columns(&keys),
                [
                    first_value(given, Vec::new()).alias(&value),
                    count(lit(1_i64)).alias(&number),
                ],
            )?
        };
        self.join(&domain, found.build()?, keys)?;
        let column = |name: String| Expr::Column(Column::new_unqualified(name));
        Ok(if is_single(query)? {
            column(value)
        } else {
            single_value().call(vec![column(value), column(number)])
        })
    }

    fn membership(&mut self, list: InSubquery) -> PlanResult<Expr> {
        let expr = Box::new(self.left_side(*list.expr)?);
        let list = InSubquery { expr, ..list };
        if membership::is_apart(&list) {
            let value = membership::value(&list, self.rows.schema())?;
            return self.written(value, &|expr| Ok(matches!(expr, Expr::Exists(_))));
        }
        let comparison =
            SetComparison::new(list.expr, list.subquery, Operator::Eq, SetQuantifier::Any);
        let is_in = self.comparison(comparison)?;
        Ok(if list.negated { not(is_in) } else { is_in })
    }

    /// `x op ANY (q)` and `x op ALL (q)`: the best that there is among all comparisons, ALL being that none fails.
    fn comparison(&mut self, comparison: SetComparison) -> PlanResult<Expr> {
        let left = self.left_side(*comparison.expr)?;
        let left = membership::as_from_outside(&left, self.rows.schema())?;
        let query = comparison.subquery.subquery.as_ref();
        let compared = Expr::BinaryExpr(BinaryExpr {
            left: Box::new(left),
            op: comparison.op,
            right: Box::new(first_column(query)),
        });
        let is_all = comparison.quantifier == SetQuantifier::All;
        let sought = if is_all { not(compared) } else { compared };
        let found = when(sought.clone(), lit(HOLDS))
            .when(sought.is_null(), lit(UNKNOWN))
            .otherwise(lit(FAILS))?;
        let name = self.names.next();
        let best = LogicalPlanBuilder::from(query.clone())
            .project([found.alias(&name)])?
            .aggregate(
                Vec::<Expr>::new(),
                [max(Expr::Column(Column::new_unqualified(name)))],
            )?
            .build()?;
        let best = self.scalar(&best)?;
        let null = Expr::Literal(ScalarValue::Boolean(None), None);
        let any = when(best.clone().eq(lit(HOLDS)), lit(true))
            .when(best.eq(lit(UNKNOWN)), null)
            .otherwise(lit(false))?;
        Ok(if is_all { not(any) } else { any })
    }

    /// What is compared with the values of a query: columns from here on where it has subqueries itself.
    fn left_side(&mut self, expr: Expr) -> PlanResult<Expr> {
        if expr.is_volatile() {
            return Err(Error::unsupported(format!(
                "IN, ANY or ALL with a subquery and `{expr}`, which is another value each time, on its left is not \
                 implemented; select it in a subquery of FROM"
            ))
            .into());
        }
        if !expr.exists(|expr| Ok(query_of(expr).is_some()))? {
            return Ok(expr);
        }
        let expr = self.written(expr, &|_| Ok(true))?;
        self.rows = self.plan.clone();
        Ok(expr)
    }

    fn join(
        &mut self,
        domain: &Domain<'_>,
        found: LogicalPlan,
        keys: Vec<Column>,
    ) -> PlanResult<()> {
        let rows = Keyed {
            plan: self.plan.clone(),
            keys: domain.columns().to_vec(),
        };
        let found = Keyed { plan: found, keys };
        self.plan = join_on_keys(rows, found, JoinType::Left)?.plan;
        Ok(())
    }
}

fn first_column(query: &LogicalPlan) -> Expr {
    Expr::Column(Column::from(query.schema().qualified_field(0)))
}

/// Whether a query has one row at most, whatever it reads.
fn is_single(query: &LogicalPlan) -> PlanResult<bool> {
    Ok(match query {
        LogicalPlan::Projection(projection) => is_single(&projection.input)?,
        LogicalPlan::SubqueryAlias(alias) => is_single(&alias.input)?,
        LogicalPlan::Filter(filter) => is_single(&filter.input)?,
        LogicalPlan::Sort(sort) => is_single(&sort.input)?,
        LogicalPlan::Distinct(Distinct::All(input)) => is_single(input)?,
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::Limit(limit) => {
            let is_first = matches!(limit.get_fetch_type()?, FetchType::Literal(Some(0 | 1)));
            is_first || is_single(&limit.input)?
        }
        LogicalPlan::EmptyRelation(_) => true,
        _ => false,
    })
}
