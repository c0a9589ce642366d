//! Lists of `IN`: their values in the column's own unit, and what becomes of NULL.
//!
//! DataFusion's simplifier joins the lists of one value: `n NOT IN L1 OR n NOT IN L2` becomes `n NOT IN (L1 ∩ L2)`, and
//! true where nothing is in both, although it is NULL for a NULL `n`; a NULL inside of a list is lost as well. So a
//! list loses its NULLs here (`a IN (1, NULL)` is `a IN (1) OR NULL`), and where a predicate holds several lists over
//! one value that may be NULL, each says what it makes of NULL ([`guard`]), which stays true whatever is joined.

use std::collections::{HashMap, HashSet};

use datafusion::common::DFSchema;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, Operator, and, lit, or};

use super::chains::{chain_operator, left_deep, spine, spine_of};
use super::compare::{Comparison, Context, always, binary, never, unknown};
use super::constants::is_constant;
use super::domain::{Operand, Place, is_year_of_nanoseconds};
use super::exact::{Exact, Folder};
use super::floats;
use super::lossy::shown;

/// `expr op NULL`; `None` where DataFusion makes NULL of it.
pub(super) fn compare_with_null(expr: Expr, op: Operator, context: Context) -> Option<Expr> {
    match op {
        Operator::IsDistinctFrom => Some(Expr::IsNotNull(Box::new(expr))),
        Operator::IsNotDistinctFrom => Some(Expr::IsNull(Box::new(expr))),
        _ => (context == Context::Filter).then(|| lit(false)),
    }
}

/// Rewrites lists.
pub(super) struct Rewriter<'a> {
    pub schema: &'a DFSchema,
    pub folder: &'a Folder,
    pub context: Context,
}

/// The values of a list, by what becomes of them.
#[derive(Default)]
struct Sorted {
    /// Values of the column's own type.
    values: Vec<Expr>,
    /// Places that are several values at once, a DOUBLE among BIGINTs beyond 2⁵³, or that have one bound only.
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
        let in_unit = !is_float
            && !matches!(shown(&list.expr), Expr::Cast(_))
            && list.list.iter().all(plain)
            && !is_year_of_nanoseconds(&list.expr, self.schema);
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
            Some(place) if place.is_value() && !operand.is_open_end(place) => {
                match operand.literal(place.not_below) {
                    Some(literal) => sorted.values.push(literal),
                    None => sorted.others.push(value.clone()),
                }
            }
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
            let op = if list.negated {
                Operator::NotEq
            } else {
                Operator::Eq
            };
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
    let op = if negated {
        Operator::NotEq
    } else {
        Operator::Eq
    };
    Some(binary(expr.clone(), op, values.pop()?))
}

/// Whether the expression is NULL, of whatever type.
pub(super) fn is_null(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value, _) => value.is_null(),
        Expr::Cast(Cast { expr, .. }) => is_null(expr),
        _ => false,
    }
}

/// Makes the lists of a chain of `AND` and `OR` say what they make of NULL, where DataFusion might lose it.
///
/// That is where several lists over one value that may be NULL meet: `NOT IN` lists under an `OR`, which become true;
/// where the truth value is seen, also lists under an `AND`, which become false. Returns whether anything changed.
pub(super) fn guard(chain: Expr, context: Context, schema: &DFSchema) -> (Expr, bool) {
    let nullable = |expr: &Expr| expr.nullable(schema).unwrap_or(true) && !expr.is_volatile();
    let mut found = Found {
        context,
        ..Found::default()
    };
    found.walk(&chain, false, &HashSet::new());
    let repeated = |counts: HashMap<&Expr, usize>| -> HashSet<Expr> {
        let several = counts
            .into_iter()
            .filter(|(expr, count)| *count > 1 && nullable(expr));
        several.map(|(expr, _)| expr.clone()).collect()
    };
    let excluded = repeated(found.excluded);
    let included = repeated(found.included);
    if excluded.is_empty() && included.is_empty() {
        return (chain, false);
    }
    let guards = Guards {
        context,
        excluded,
        included,
    };
    (guards.apply(chain, &HashSet::new()), true)
}

/// The lists of a chain that are not guarded yet, counted by the value that they are about.
#[derive(Default)]
struct Found<'a> {
    context: Context,
    /// `NOT IN` under an `OR`.
    excluded: HashMap<&'a Expr, usize>,
    /// Lists that meet under an `AND`, where the truth value is seen.
    included: HashMap<&'a Expr, usize>,
}

impl<'a> Found<'a> {
    fn walk(&mut self, expr: &'a Expr, under_or: bool, guarded: &HashSet<&'a Expr>) {
        let Some(op) = chain_operator(expr) else {
            if let Some(value) = excluded_value(expr)
                && under_or
                && !guarded.contains(value)
            {
                *self.excluded.entry(value).or_default() += 1;
            }
            return;
        };
        let terms = spine_of(expr, op);
        let mut guarded = guarded.clone();
        if op == Operator::And {
            guarded.extend(terms.iter().filter_map(|term| guarded_value(term)));
            self.count_included(&terms);
        }
        for term in terms {
            self.walk(term, under_or || op == Operator::Or, &guarded);
        }
    }

    /// Counts lists that the simplifier would intersect: each over one value, at least one of them `IN`.
    fn count_included(&mut self, terms: &[&'a Expr]) {
        if self.context == Context::Filter {
            return;
        }
        let lists = terms.iter().filter_map(|term| included_value(term));
        let mut of_chain: HashMap<&Expr, usize> = HashMap::new();
        for value in lists {
            *of_chain.entry(value).or_default() += 1;
        }
        for value in terms.iter().filter_map(|term| excluded_value(term)) {
            if let Some(count) = of_chain.get_mut(value) {
                *count += 1;
            }
        }
        for (value, count) in of_chain {
            if count > 1 {
                *self.included.entry(value).or_default() += count;
            }
        }
    }
}

/// Which values' lists are to be guarded.
struct Guards {
    context: Context,
    excluded: HashSet<Expr>,
    included: HashSet<Expr>,
}

impl Guards {
    fn apply(&self, expr: Expr, guarded: &HashSet<Expr>) -> Expr {
        if let Some(value) = included_value(&expr).filter(|value| self.included.contains(*value)) {
            let null = never(value.clone(), true, Context::Value);
            return or(expr, null);
        }
        let Some(op) = chain_operator(&expr) else {
            return match excluded_value(&expr) {
                Some(value) if self.excluded.contains(value) && !guarded.contains(value) => {
                    let known = always(value.clone(), true, self.context);
                    and(known, expr)
                }
                _ => expr,
            };
        };
        let terms = spine(expr, op);
        let mut guarded = guarded.clone();
        if op == Operator::And {
            guarded.extend(terms.iter().filter_map(guarded_value).cloned());
        }
        let terms = terms.into_iter().map(|term| self.apply(term, &guarded));
        left_deep(terms.collect(), op)
    }
}

/// The value of which the term is a `NOT IN`.
fn excluded_value(term: &Expr) -> Option<&Expr> {
    match term {
        Expr::InList(list) if list.negated => Some(&list.expr),
        _ => None,
    }
}

/// The value of which the term is an `IN`, or an `OR` of equalities and `IN`s, which the simplifier makes one.
fn included_value(term: &Expr) -> Option<&Expr> {
    match term {
        Expr::InList(list) if !list.negated => Some(&list.expr),
        Expr::BinaryExpr(BinaryExpr {
            op: Operator::Or, ..
        }) => {
            let mut values = spine_of(term, Operator::Or)
                .into_iter()
                .map(|term| equal_value(term).or_else(|| included_value(term)));
            let first = values.next().flatten()?;
            values.all(|value| value == Some(first)).then_some(first)
        }
        _ => None,
    }
}

/// The value that the term compares with a constant by `=`.
fn equal_value(term: &Expr) -> Option<&Expr> {
    match term {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) if matches!(**right, Expr::Literal(..)) => Some(left),
        _ => None,
    }
}

/// The value of which the term says that it is not NULL, or NULL if it is.
fn guarded_value(term: &Expr) -> Option<&Expr> {
    match term {
        Expr::IsNotNull(value) => Some(value),
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Or,
            right,
        }) if is_null(right) => match left.as_ref() {
            Expr::IsNotNull(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}
