//! Lists of `IN`: their values in the column's own unit, and what becomes of NULL.
//!
//! DataFusion's simplifier joins the lists of one value: `n NOT IN L1 OR n NOT IN L2` becomes `n NOT IN (L1 ∩ L2)`, and
//! true where nothing is in both, although it is NULL for a NULL `n`; a NULL inside of a list is lost as well. So a
//! list loses its NULLs here (`a IN (1, NULL)` is `a IN (1) OR NULL`), and where a predicate holds several lists over
//! one value that may be NULL, they are hidden from each other ([`hide`]).

use std::collections::HashSet;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, Operator, and, lit, or};

use super::chains::{chain_operator, left_deep};
use super::comparison::{Comparison, Context, always, binary, list_operators, never, unknown};
use super::exact::Folder;
use super::floats;
use super::operand::Operand;
use crate::plan::rule::cast::lossy::shown;
use crate::plan::rule::expr::is_constant;
use crate::plan::rule::opaque::{self, Kind};
use crate::plan::rule::rewriting::ExprRule;
use crate::predicate::{Exact, Place};

/// `expr op NULL`; `None` where DataFusion makes NULL of it.
pub(crate) fn compare_with_null(expr: Expr, op: Operator, context: Context) -> Option<Expr> {
    match op {
        Operator::IsDistinctFrom => Some(Expr::IsNotNull(Box::new(expr))),
        Operator::IsNotDistinctFrom => Some(Expr::IsNull(Box::new(expr))),
        _ => (context == Context::Filter).then(|| lit(false)),
    }
}

/// Rewrites lists.
pub(crate) struct Rewriter<'a> {
    pub schema: &'a DFSchema,
    pub folder: &'a Folder,
    pub context: Context,
}

/// The values of a list, by what becomes of them.
#[derive(Default)]
struct Sorted {
    /// Values of the column's own type.
    values: Vec<Expr>,
    /// Places that are several values at once, a DOUBLE among BIGINTs beyond 2⁵³.
    places: Vec<Place>,
    /// Values that vary by row, or that cannot be compared by value.
    others: Vec<Expr>,
    has_null: bool,
}

impl Rewriter<'_> {
    /// The list rewritten; `None` when nothing is to be done.
    pub fn rewrite(&self, list: &InList) -> Option<Expr> {
        let data_type = list.expr.get_type(self.schema).ok()?;
        let plain = |value: &Expr| matches!(value, Expr::Literal(value, _) if !value.is_null() && value.data_type() == data_type);
        let is_float = floats::is_float(&data_type);
        let in_unit =
            !is_float && !matches!(shown(&list.expr), Expr::Cast(_)) && list.list.iter().all(plain);
        if in_unit && list.list.len() > 1 {
            return None;
        }
        let operand = Operand::of(&list.expr, self.schema);
        let sorted = self.sort(list, operand.as_ref(), is_float);
        let rewritten = self.compose(list, operand, sorted)?;
        let same = matches!(&rewritten, Expr::InList(new) if new == list);
        (!same).then_some(rewritten)
    }

    fn sort(&self, list: &InList, operand: Option<&Operand>, is_float: bool) -> Sorted {
        let mut sorted = Sorted::default();
        for value in &list.list {
            if is_null(value) {
                sorted.has_null = true;
            } else if !is_constant(value) {
                sorted.others.push(value.clone());
            } else if let Some(operand) = operand {
                self.sort_into(&mut sorted, value, operand);
            } else {
                let canonical = is_float
                    .then(|| self.folder.exact(value).and_then(floats::canonical))
                    .flatten();
                sorted
                    .values
                    .push(canonical.unwrap_or_else(|| value.clone()));
            }
        }
        let mut seen = HashSet::new();
        sorted.values.retain(|value| seen.insert(value.clone()));
        sorted
    }

    fn sort_into(&self, sorted: &mut Sorted, value: &Expr, operand: &Operand) {
        let place = match self.folder.exact(value) {
            Some(Exact::Null) => {
                sorted.has_null = true;
                return;
            }
            Some(constant) => operand.place(&constant),
            None => None,
        };
        match place {
            Some(place) if place.is_gap() => {}
            Some(place) if place.is_value() => match operand.literal(place.not_below) {
                Some(literal) => sorted.values.push(literal),
                None => sorted.others.push(value.clone()),
            },
            Some(place) => sorted.places.push(place),
            None => sorted.others.push(value.clone()),
        }
    }

    /// The list put together again: one list where possible, joined by `OR` (`AND` under `NOT`) otherwise.
    fn compose(&self, list: &InList, operand: Option<Operand>, mut sorted: Sorted) -> Option<Expr> {
        let nullable = list.expr.nullable(self.schema).unwrap_or(true);
        let own = operand
            .as_ref()
            .map_or(list.expr.as_ref(), |operand| &operand.expr);
        if *own == *list.expr {
            sorted.values.append(&mut sorted.others);
        }
        let parts = usize::from(!sorted.values.is_empty())
            + sorted.places.len()
            + usize::from(!sorted.others.is_empty());
        if parts > 1 && list.expr.is_volatile() {
            return None;
        }
        let mut terms = Vec::with_capacity(parts);
        terms.extend(membership(own, sorted.values, list.negated));
        if let Some(operand) = &operand {
            let comparison = Comparison {
                operand,
                nullable,
                context: self.context,
            };
            let (op, _) = list_operators(list.negated);
            for place in sorted.places {
                terms.push(comparison.with(op, place)?);
            }
        }
        terms.extend(membership(&list.expr, sorted.others, list.negated));
        Some(self.with_null(own, terms, list.negated, nullable, sorted.has_null))
    }

    fn with_null(
        &self,
        expr: &Expr,
        terms: Vec<Expr>,
        negated: bool,
        nullable: bool,
        has_null: bool,
    ) -> Expr {
        let empty = terms.is_empty();
        match (negated, has_null) {
            (_, true) if empty => match self.context {
                Context::Filter => lit(false),
                Context::Value => unknown(),
            },
            (false, _) if empty => never(expr.clone(), nullable, self.context),
            (true, _) if empty => always(expr.clone(), nullable, self.context),
            (false, true) if self.context == Context::Value => {
                or(left_deep(terms, Operator::Or), unknown())
            }
            (false, _) => left_deep(terms, Operator::Or),
            (true, true) if self.context == Context::Filter => lit(false),
            (true, true) => and(left_deep(terms, Operator::And), unknown()),
            (true, false) => left_deep(terms, Operator::And),
        }
    }
}

/// `expr [NOT] IN values`, or the comparison with a single value; nothing for no value.
fn membership(expr: &Expr, mut values: Vec<Expr>, negated: bool) -> Option<Expr> {
    if values.len() > 1 {
        let list = InList::new(Box::new(expr.clone()), values, negated);
        return Some(Expr::InList(list));
    }
    let (op, _) = list_operators(negated);
    Some(binary(expr.clone(), op, values.pop()?))
}

/// Whether the expression is NULL, of whatever type.
pub(crate) fn is_null(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value, _) => value.is_null(),
        Expr::Cast(Cast { expr, .. }) => is_null(expr),
        _ => false,
    }
}

/// Hides the lists of a chain of `AND` and `OR` from each other, where DataFusion might lose a NULL by joining them.
///
/// That is where several lists over one value that may be NULL meet: `NOT IN` lists, which become true under an `OR`;
/// where the truth value is seen, also `IN` lists, which become false under an `AND`, and the equalities that it makes
/// lists of. [`SHOW_LISTS`] takes the brackets off again.
pub(crate) fn hide(chain: Expr, context: Context, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let is_or = |term: &Expr| Ok(chain_operator(term) == Some(Operator::Or));
    if context == Context::Filter && !chain.exists(is_or)? {
        return Ok(Transformed::no(chain));
    }
    let mut seen = HashSet::new();
    let mut several = HashSet::new();
    chain.apply(|term| {
        if let Some(value) = listed(term, context)
            && !seen.insert(value)
            && value.nullable(schema).unwrap_or(true)
        {
            several.insert(value.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if several.is_empty() {
        return Ok(Transformed::no(chain));
    }
    chain.transform_down(|term| {
        let jump = TreeNodeRecursion::Jump;
        if opaque::inside(&term, Kind::AsIs).is_some() {
            return Ok(Transformed::new(term, false, jump));
        }
        Ok(match listed(&term, context) {
            Some(value) if several.contains(value) => {
                Transformed::new(opaque::around(term, Kind::AsIs), true, jump)
            }
            _ => Transformed::no(term),
        })
    })
}

/// The value of which a term is a list that might be joined with another.
fn listed(term: &Expr, context: Context) -> Option<&Expr> {
    match term {
        Expr::InList(list) if list.negated || context == Context::Value => Some(&list.expr),
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) if context == Context::Value && matches!(**right, Expr::Literal(..)) => Some(left),
        _ => None,
    }
}

/// The rule that comes last: what [`hide`] has hidden is a predicate like any other for those who read the plan.
pub(crate) const SHOW_LISTS: ExprRule = ExprRule {
    name: "halite_show_lists",
    concerns: |expr| hidden_list(expr).is_some(),
    rewrite: |expr, _| match hidden_list(&expr) {
        Some(list) => Ok(Transformed::yes(list.clone())),
        None => Ok(Transformed::no(expr)),
    },
};

fn hidden_list(expr: &Expr) -> Option<&Expr> {
    let inside = opaque::inside(expr, Kind::AsIs)?;
    (!matches!(inside, Expr::Cast(_) | Expr::TryCast(_))).then_some(inside)
}
