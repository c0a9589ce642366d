//! Subqueries in conditions, made right or refused before they are planned further.
//!
//! DataFusion makes joins of subqueries, and some of these joins answer wrongly without a word:
//!
//! * `x IN (q)` is true or false to it, never NULL, unless it is a condition by itself. That does not matter to a WHERE
//!   that asks for it under AND and OR, for there NULL is as good as false; under a NOT, in `IS NULL`, in `coalesce` it
//!   does, and `DELETE … WHERE a NOT IN (q) OR b` would delete rows that it must not.
//! * `x NOT IN (q)` by itself knows NULL if `x` is a column and `q` stands alone, and not otherwise.
//! * Of a query that names columns from outside, the conditions that do are drawn out over what stands above them: over
//!   an aggregate, an OFFSET or a window, which would then see other rows.
//!
//! The first two are written with EXISTS and what is known of the query as a whole (`membership`); where the query names
//! columns from outside, as `x = ANY (q)` and `x <> ALL (q)`, which know NULL everywhere and compare every row with
//! every value. The third is refused.

mod membership;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, DataFusionError, Result as PlanResult};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, Filter, LogicalPlan, Operator, SkipType, Subquery,
};

use crate::error::{Error, Result};

/// The plan with every subquery of a condition in a form that is answered rightly.
///
/// # Errors
/// `NotSupported` where there is none, with what to write instead.
pub(super) fn mend(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !has_subqueries(&plan)? {
        return Ok(plan);
    }
    let mut refused = None;
    let mended = plan.transform_down_with_subqueries(|node| {
        mend_node(node).map_err(|problem| match problem {
            Problem::Refused(message) => {
                refused = Some(message);
                DataFusionError::Plan(String::new())
            }
            Problem::Other(error) => error,
        })
    });
    match (refused, mended) {
        (Some(message), _) => Err(Error::unsupported(message)),
        (None, mended) => Ok(mended?.data),
    }
}

/// Why a node of a plan cannot be mended.
enum Problem {
    Refused(String),
    Other(DataFusionError),
}

impl From<DataFusionError> for Problem {
    fn from(error: DataFusionError) -> Self {
        Self::Other(error)
    }
}

fn refused<T>(message: impl Into<String>) -> std::result::Result<T, Problem> {
    Err(Problem::Refused(message.into()))
}

/// Whether there is a subquery that is to be looked at, or one of a value in which another may stand.
fn has_subqueries(plan: &LogicalPlan) -> PlanResult<bool> {
    plan.exists(|node| {
        let mut found = false;
        node.apply_expressions(|expr| {
            found = found || expr.exists(is_any_subquery)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(found)
    })
}

/// The query of an EXISTS, IN, ANY or ALL.
fn subquery_of(expr: &Expr) -> Option<&Subquery> {
    match expr {
        Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => Some(subquery),
        _ => None,
    }
}

fn mend_node(node: LogicalPlan) -> std::result::Result<Transformed<LogicalPlan>, Problem> {
    let mut problem = Ok(());
    node.apply_expressions(|expr| {
        expr.apply(|expr| {
            problem = check_correlated(expr);
            Ok(match problem {
                Ok(()) => TreeNodeRecursion::Continue,
                Err(_) => TreeNodeRecursion::Stop,
            })
        })
    })?;
    problem?;
    match node {
        LogicalPlan::Filter(filter) if filter.predicate.exists(is_subquery)? => {
            let rows = filter.input.schema();
            let predicate = mend_condition(filter.predicate, ConditionContext::Condition, rows)?;
            let filter = Filter::try_new(predicate, filter.input)?;
            Ok(Transformed::yes(LogicalPlan::Filter(filter)))
        }
        // The subqueries of a Join are those of its ON.
        LogicalPlan::Join(ref join) => {
            let mut conditions = join.filter.iter();
            conditions.try_for_each(check_on)?;
            Ok(Transformed::no(node))
        }
        LogicalPlan::Filter(_) => Ok(Transformed::no(node)),
        node => {
            check_elsewhere(&node)?;
            Ok(Transformed::no(node))
        }
    }
}

fn is_subquery(expr: &Expr) -> PlanResult<bool> {
    Ok(subquery_of(expr).is_some())
}

/// Where an expression of a WHERE or HAVING stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConditionContext {
    /// It is the condition, or one of those that AND joins to it.
    Condition,
    /// Nothing but AND and OR stand above it.
    Alternative,
    /// NULL may mean something other than false.
    Inside,
}

/// A condition over rows with these columns, whose `IN (q)` are right where they stand.
fn mend_condition(
    expr: Expr,
    context: ConditionContext,
    rows: &DFSchema,
) -> std::result::Result<Expr, Problem> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right })
            if matches!(op, Operator::And | Operator::Or) =>
        {
            let context = match (op, context) {
                (Operator::Or, ConditionContext::Condition) => ConditionContext::Alternative,
                _ => context,
            };
            Ok(Expr::BinaryExpr(BinaryExpr {
                left: Box::new(mend_condition(*left, context, rows)?),
                op,
                right: Box::new(mend_condition(*right, context, rows)?),
            }))
        }
        Expr::Not(inner) if matches!(*inner, Expr::InSubquery(_)) => match *inner {
            Expr::InSubquery(list) => {
                let negated = !list.negated;
                mend_in(InSubquery { negated, ..list }, context, rows)
            }
            other => Ok(Expr::Not(Box::new(other))),
        },
        Expr::InSubquery(list) => mend_in(list, context, rows),
        Expr::SetComparison(comparison) => match as_membership(&comparison)? {
            Some(list) => mend_in(list, context, rows),
            None => mend_inside(Expr::SetComparison(comparison), rows),
        },
        other => mend_inside(other, rows),
    }
}

/// An expression with what stands inside of it mended.
fn mend_inside(expr: Expr, rows: &DFSchema) -> std::result::Result<Expr, Problem> {
    let mut problem = None;
    let mended =
        expr.map_children(
            |child| match mend_condition(child, ConditionContext::Inside, rows) {
                Ok(mended) => Ok(Transformed::yes(mended)),
                Err(Problem::Other(error)) => Err(error),
                Err(refused) => {
                    problem = Some(refused);
                    Err(DataFusionError::Plan(String::new()))
                }
            },
        );
    match problem {
        Some(problem) => Err(problem),
        None => Ok(mended?.data),
    }
}

/// `x = ANY (q)` and `x <> ALL (q)` as what they mean, where that is answered better.
fn as_membership(comparison: &SetComparison) -> PlanResult<Option<InSubquery>> {
    let negated = match (comparison.op, comparison.quantifier) {
        (Operator::Eq, SetQuantifier::Any) => false,
        (Operator::NotEq, SetQuantifier::All) => true,
        _ => return Ok(None),
    };
    let (expr, subquery) = (comparison.expr.clone(), comparison.subquery.clone());
    let list = InSubquery::new(expr, subquery, negated);
    let is_better = membership::is_apart(&list) && !is_evaluated_once(&list.expr)?;
    Ok(is_better.then_some(list))
}

/// Whether the left side of a list must not be evaluated more than once, or inside of the list's query.
fn is_evaluated_once(expr: &Expr) -> PlanResult<bool> {
    Ok(expr.is_volatile() || expr.contains_outer() || expr.exists(is_any_subquery)?)
}

/// `x IN (q)` or `x NOT IN (q)` as it is, where DataFusion answers it rightly; else in words that it does.
fn mend_in(
    list: InSubquery,
    context: ConditionContext,
    rows: &DFSchema,
) -> std::result::Result<Expr, Problem> {
    let is_right = match context {
        ConditionContext::Condition if list.negated => {
            matches!(*list.expr, Expr::Column(_)) && list.subquery.outer_ref_columns.is_empty()
        }
        ConditionContext::Condition | ConditionContext::Alternative => !list.negated,
        ConditionContext::Inside => false,
    };
    if is_right {
        let expr = mend_condition(*list.expr, ConditionContext::Inside, rows)?;
        let expr = Box::new(expr);
        return Ok(Expr::InSubquery(InSubquery { expr, ..list }));
    }
    if is_evaluated_once(&list.expr)? {
        let (not, expr) = (if list.negated { "NOT " } else { "" }, &list.expr);
        return refused(format!(
            "{not}IN (subquery) is not implemented here, with `{expr}` on its left; \
             write {not}EXISTS (SELECT 1 FROM … WHERE …)"
        ));
    }
    if membership::is_apart(&list) {
        return Ok(match context {
            ConditionContext::Inside => membership::value(&list, rows)?,
            ConditionContext::Condition | ConditionContext::Alternative => {
                membership::is_surely_absent(&list, rows)?
            }
        });
    }
    let (op, quantifier) = match list.negated {
        true => (Operator::NotEq, SetQuantifier::All),
        false => (Operator::Eq, SetQuantifier::Any),
    };
    let comparison = SetComparison::new(list.expr, list.subquery, op, quantifier);
    Ok(Expr::SetComparison(comparison))
}

fn is_any_subquery(expr: &Expr) -> PlanResult<bool> {
    Ok(subquery_of(expr).is_some() || matches!(expr, Expr::ScalarSubquery(_)))
}

/// In the ON of a join, `IN (q)` is right under AND and OR alone.
fn check_on(expr: &Expr) -> std::result::Result<(), Problem> {
    match expr {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::And | Operator::Or,
            right,
        }) => {
            check_on(left)?;
            check_on(right)
        }
        Expr::InSubquery(list) if !list.negated => Ok(()),
        other => match first_subquery(other)? {
            Some(Expr::InSubquery(_) | Expr::SetComparison(_)) => refused(
                "NOT IN, ANY and ALL with a subquery, and IN below anything but AND and OR, are not implemented in ON; \
                 write [NOT] EXISTS (SELECT 1 FROM … WHERE …), or put it in the WHERE",
            ),
            _ => Ok(()),
        },
    }
}

fn first_subquery(expr: &Expr) -> PlanResult<Option<Expr>> {
    let mut found = None;
    expr.apply(|expr| {
        Ok(match subquery_of(expr) {
            Some(_) => {
                found = Some(expr.clone());
                TreeNodeRecursion::Stop
            }
            None => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(found)
}

/// Nothing but a WHERE, a HAVING and an ON is planned with an EXISTS, IN, ANY or ALL.
fn check_elsewhere(node: &LogicalPlan) -> std::result::Result<(), Problem> {
    let mut found = None;
    node.apply_expressions(|expr| {
        found = first_subquery(expr)?;
        Ok(match found {
            Some(_) => TreeNodeRecursion::Stop,
            None => TreeNodeRecursion::Continue,
        })
    })?;
    let form = match found {
        None => return Ok(()),
        Some(Expr::Exists(_)) => "EXISTS (subquery)",
        Some(Expr::InSubquery(list)) if list.negated => "NOT IN (subquery)",
        Some(Expr::InSubquery(_)) => "IN (subquery)",
        Some(_) => "ANY or ALL (subquery)",
    };
    refused(format!(
        "{form} outside of WHERE, HAVING and ON is not implemented; \
         compare a count, as in (SELECT count(*) FROM … WHERE …) > 0"
    ))
}

/// Whether what names columns from outside may be drawn out of the query of an EXISTS, IN, ANY or ALL.
fn check_correlated(expr: &Expr) -> std::result::Result<(), Problem> {
    let Some(subquery) = subquery_of(expr) else {
        return Ok(());
    };
    let is_exists = matches!(expr, Expr::Exists(_));
    let mut clause = None;
    subquery.subquery.apply(|node| {
        clause = match inputs_name_outside(node) {
            true => changed_by_drawing_out(node, is_exists)?,
            false => None,
        };
        Ok(match clause {
            Some(_) => TreeNodeRecursion::Stop,
            None => TreeNodeRecursion::Continue,
        })
    })?;
    match clause {
        None => Ok(()),
        Some(clause) => refused(format!(
            "{clause} in a subquery of EXISTS, IN, ANY or ALL whose WHERE names columns from outside is not \
             implemented; compare a value, as in (SELECT count(*) FROM … WHERE …) > 0"
        )),
    }
}

fn inputs_name_outside(node: &LogicalPlan) -> bool {
    let mut inputs = node.inputs().into_iter();
    inputs.any(|input| !input.all_out_ref_exprs().is_empty())
}

/// The clause whose rows would be others.
fn changed_by_drawing_out(node: &LogicalPlan, is_exists: bool) -> PlanResult<Option<&'static str>> {
    Ok(match node {
        LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => {
            Some("an aggregate without GROUP BY")
        }
        LogicalPlan::Limit(limit) => {
            if !matches!(limit.get_skip_type()?, SkipType::Literal(0)) {
                Some("OFFSET")
            } else {
                (!is_exists).then_some("LIMIT")
            }
        }
        LogicalPlan::Window(_) => Some("a window function"),
        LogicalPlan::Distinct(Distinct::On(_)) if !is_exists => Some("DISTINCT ON"),
        _ => None,
    })
}
