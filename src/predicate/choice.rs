//! Conditions on a choice between values: CASE, COALESCE, NULLIF.
//!
//! `CASE WHEN w THEN a ELSE b END = 5` is TRUE where `w` is TRUE and `a = 5`, or `w` is not TRUE and `b = 5`: what is asked
//! of the choice is asked of each value, together with what must hold for it to be chosen.

use std::cmp::Ordering;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Case, Expr, Operator};

use super::Predicate;
use super::literal::constant_of;
use super::logical::Lowering;

/// The most values to choose between; each is asked together with all that is in front of it.
const MOST_CHOICES: usize = 32;

/// A value that may be chosen, and when it is unless one before it is.
type Choice<'a> = (Predicate, &'a Expr);

impl Lowering<'_> {
    /// The rows for which a boolean CASE is TRUE, or FALSE where `wanted` is false.
    pub(super) fn case(&self, case: &Expr, wanted: bool) -> Predicate {
        let asked = self.ask_choice(case, &|value| self.condition(value, wanted));
        asked.unwrap_or(Predicate::Opaque)
    }

    /// The rows for which `tested operator constant` is TRUE; `None` where `tested` chooses between no values, or it is not
    /// known of which.
    pub(super) fn compare_choice(
        &self,
        tested: &Expr,
        operator: Operator,
        constant: &ScalarValue,
    ) -> Option<Predicate> {
        self.ask_choice(tested, &|value| {
            self.compare_chosen(value, operator, constant)
        })
    }

    /// The rows for which NULL is chosen; `None` as of [`Lowering::compare_choice`].
    pub(super) fn choice_is_null(&self, tested: &Expr) -> Option<Predicate> {
        self.ask_choice(tested, &|value| match constant_of(value) {
            Some(constant) => Predicate::Constant(constant.is_null()),
            None => self.is_null(value),
        })
    }

    /// The rows for which `holds` of the value that `tested` chooses.
    fn ask_choice(&self, tested: &Expr, holds: &dyn Fn(&Expr) -> Predicate) -> Option<Predicate> {
        let null = Expr::Literal(ScalarValue::Null, None);
        self.within(|| match tested {
            Expr::Case(case) => {
                let choices = self.choices(case)?;
                let otherwise = case.else_expr.as_deref().unwrap_or(&null);
                Some(chosen(&choices, otherwise, holds))
            }
            Expr::ScalarFunction(function) if function.name() == "coalesce" => {
                let (last, before) = function.args.split_last()?;
                (before.len() <= MOST_CHOICES).then_some(())?;
                let choice = |value| (self.is_null(value).negate(), value);
                let choices: Vec<Choice<'_>> = before.iter().map(choice).collect();
                Some(chosen(&choices, last, holds))
            }
            Expr::ScalarFunction(function) if function.name() == "nullif" => {
                let [value, other] = function.args.as_slice() else {
                    return None;
                };
                let equal = self.comparison(value, Operator::Eq, other, true);
                Some(chosen(&[(equal, &null)], value, holds))
            }
            _ => None,
        })
    }

    /// The values of a CASE, but for that of ELSE.
    fn choices<'a>(&self, case: &'a Case) -> Option<Vec<Choice<'a>>> {
        let branches = case.when_then_expr.iter();
        (branches.len() <= MOST_CHOICES).then_some(())?;
        let choices = branches.map(|(when, value)| {
            let taken = match (case.expr.as_deref(), when.as_ref()) {
                (None, condition) => self.condition(condition, true),
                // What DataFusion makes of `c LIKE '%'`.
                (Some(condition), Expr::Literal(ScalarValue::Boolean(Some(when)), _)) => {
                    self.condition(condition, *when)
                }
                (Some(value), when) => self.comparison(value, Operator::Eq, when, true),
            };
            (taken, value.as_ref())
        });
        Some(choices.collect())
    }

    /// `value operator constant`, where the value may be a constant as well.
    fn compare_chosen(
        &self,
        value: &Expr,
        operator: Operator,
        constant: &ScalarValue,
    ) -> Predicate {
        match constant_of(value) {
            None => {
                let constant = Expr::Literal(constant.clone(), None);
                self.comparison(value, operator, &constant, true)
            }
            Some(value) => compare_constants(&value, operator, constant),
        }
    }
}

/// The rows for which `holds` of the value that is chosen: the first whose condition is TRUE, or else the last one.
fn chosen(
    choices: &[Choice<'_>],
    otherwise: &Expr,
    holds: &dyn Fn(&Expr) -> Predicate,
) -> Predicate {
    let mut rest: Vec<Predicate> = Vec::with_capacity(choices.len() + 1);
    let mut alternatives = Vec::with_capacity(choices.len() + 1);
    for (taken, value) in choices {
        let here = rest.iter().cloned().chain([taken.clone(), holds(value)]);
        alternatives.push(Predicate::all(here));
        #[cfg(any(test, feature = "testing"))]
        if crate::fault::active(crate::fault::Fault::ChoiceForgotten) {
            continue;
        }
        rest.push(taken.clone().negate());
    }
    rest.push(holds(otherwise));
    alternatives.push(Predicate::all(rest));
    Predicate::any(alternatives)
}

/// A comparison of constants, the second of which is not NULL: nothing is known where their types differ, or are such that
/// DataFusion compares in a way of its own.
fn compare_constants(left: &ScalarValue, operator: Operator, right: &ScalarValue) -> Predicate {
    let is_distinct = operator == Operator::IsDistinctFrom;
    if left.is_null() {
        return Predicate::Constant(is_distinct);
    }
    let (one, other) = (left.data_type(), right.data_type());
    if one != other || one.is_nested() || one.is_floating() {
        return Predicate::Opaque;
    }
    let Some(order) = left.partial_cmp(right) else {
        return Predicate::Opaque;
    };
    Predicate::Constant(match operator {
        Operator::Eq | Operator::IsNotDistinctFrom => order == Ordering::Equal,
        Operator::NotEq | Operator::IsDistinctFrom => order != Ordering::Equal,
        Operator::Lt => order == Ordering::Less,
        Operator::LtEq => order != Ordering::Greater,
        Operator::Gt => order == Ordering::Greater,
        Operator::GtEq => order != Ordering::Less,
        _ => return Predicate::Opaque,
    })
}
