//! From DataFusion's logical expressions to [`Predicate`]s.

use std::cell::Cell;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{
    BinaryExpr, Case, Expr, Operator, expr::InList, expr::Like, expr::ScalarFunction,
};

use super::Predicate;
use super::constant;
use super::literal::{constant_of, is_always_null};
use super::operand::{Operand, operand, text_point};
use super::pattern::{self, Pattern};
use crate::key::{Domain, Expression, KeyColumn};

/// Lowers an SQL condition: the rows for which it is TRUE.
///
/// It never fails: what is not understood becomes [`Predicate::Opaque`], alone or inside. Columns are looked up by name
/// in `columns`, whatever their qualifier.
pub fn lower(condition: &Expr, columns: &[KeyColumn]) -> Predicate {
    let lowering = Lowering {
        columns,
        nested: Cell::new(0),
    };
    lowering.condition(condition, true)
}

/// The conjuncts of filters, each lowered, with their numbers.
#[cfg(test)]
pub(crate) fn lower_all(filters: &[Expr], columns: &[KeyColumn]) -> Vec<(usize, Predicate)> {
    let conjuncts = filters
        .iter()
        .flat_map(datafusion::logical_expr::utils::split_conjunction);
    conjuncts
        .map(|conjunct| lower(conjunct, columns))
        .enumerate()
        .collect()
}

struct Lowering<'a> {
    columns: &'a [KeyColumn],
    /// How many `IS NULL` of conditions are open; each doubles the work.
    nested: Cell<u32>,
}

/// The most `IS NULL` of conditions inside one another that are understood.
const NESTED: u32 = 3;

impl Lowering<'_> {
    /// The rows for which `condition` is TRUE, or FALSE where `wanted` is false.
    fn condition(&self, condition: &Expr, wanted: bool) -> Predicate {
        match condition {
            Expr::Literal(ScalarValue::Boolean(Some(value)), _) => {
                Predicate::Constant(*value == wanted)
            }
            _ if is_always_null(condition) => Predicate::Constant(false),
            Expr::Alias(alias) => self.condition(&alias.expr, wanted),
            Expr::Not(inner) => self.condition(inner, !wanted),
            Expr::IsTrue(inner) => asked(self.condition(inner, true), wanted),
            Expr::IsNotTrue(inner) => asked(self.condition(inner, true), !wanted),
            Expr::IsFalse(inner) => asked(self.condition(inner, false), wanted),
            Expr::IsNotFalse(inner) => asked(self.condition(inner, false), !wanted),
            Expr::IsNull(inner) | Expr::IsUnknown(inner) => asked(self.is_null(inner), wanted),
            Expr::IsNotNull(inner) | Expr::IsNotUnknown(inner) => {
                asked(self.is_null(inner), !wanted)
            }
            Expr::BinaryExpr(binary) => self.binary(binary, wanted),
            Expr::Between(between) => {
                let low = self.comparison(
                    &between.expr,
                    Operator::GtEq,
                    &between.low,
                    wanted != between.negated,
                );
                let high = self.comparison(
                    &between.expr,
                    Operator::LtEq,
                    &between.high,
                    wanted != between.negated,
                );
                if wanted == between.negated {
                    Predicate::any([low, high])
                } else {
                    Predicate::all([low, high])
                }
            }
            Expr::InList(list) => self.in_list(list, wanted != list.negated),
            Expr::Like(like) => self.like(like, wanted != like.negated),
            Expr::Case(case) => self.case(case, wanted),
            Expr::ScalarFunction(function) if function.name() == "starts_with" => {
                self.starts_with(function, wanted)
            }
            _ => self.boolean(condition, wanted),
        }
    }

    fn binary(&self, binary: &BinaryExpr, wanted: bool) -> Predicate {
        let both = [&binary.left, &binary.right];
        match (binary.op, wanted) {
            (Operator::And, true) | (Operator::Or, false) => {
                Predicate::all(both.map(|term| self.condition(term, wanted)))
            }
            (Operator::And, false) | (Operator::Or, true) => {
                Predicate::any(both.map(|term| self.condition(term, wanted)))
            }
            _ => self.comparison(&binary.left, binary.op, &binary.right, wanted),
        }
    }

    /// `left operator right` where one side is constant.
    fn comparison(&self, left: &Expr, operator: Operator, right: &Expr, wanted: bool) -> Predicate {
        let Some(operator) = (if wanted {
            Some(operator)
        } else {
            negated(operator)
        }) else {
            return Predicate::Opaque;
        };
        let distinct = matches!(
            operator,
            Operator::IsDistinctFrom | Operator::IsNotDistinctFrom
        );
        if negated(operator).is_some()
            && !distinct
            && (is_always_null(left) || is_always_null(right))
        {
            return Predicate::Constant(false);
        }
        let (tested, constant, operator) = match (constant_of(left), constant_of(right)) {
            (None, Some(constant)) => (left, constant, operator),
            (Some(constant), None) => match operator.swap() {
                Some(swapped) => (right, constant, swapped),
                None => return Predicate::Opaque,
            },
            _ => return Predicate::Opaque,
        };
        if constant.is_null() {
            return match operator {
                Operator::IsNotDistinctFrom => self.is_null(tested),
                Operator::IsDistinctFrom => self.is_null(tested).negate(),
                _ => Predicate::Opaque,
            };
        }
        let Some(operand) = operand(tested, self.columns) else {
            return Predicate::Opaque;
        };
        match operand.compare(operator, &constant) {
            Some(domain) => self.member(&operand, domain),
            None => Predicate::Opaque,
        }
    }

    /// The rows whose operand lies in `domain`, said of the column itself where the transform can be inverted.
    fn member(&self, operand: &Operand, domain: Domain) -> Predicate {
        let member = self.member_of(operand, domain);
        match operand.may_fail() {
            true => Predicate::all([member, Predicate::Opaque]),
            false => member,
        }
    }

    fn member_of(&self, operand: &Operand, domain: Domain) -> Predicate {
        let expression = operand.expression();
        if expression.as_column().is_some() {
            return Predicate::Member(expression.clone(), domain);
        }
        let Ok((transform, sources)) = expression.bind(self.columns) else {
            return Predicate::Opaque;
        };
        if let [source] = sources.as_slice()
            && let Some(column) = self.columns.get(*source)
            && let Some(preimage) = transform.preimage(&domain)
        {
            return Predicate::Member(Expression::column(&column.name), preimage);
        }
        Predicate::Member(expression.clone(), domain)
    }

    /// The rows for which `tested` is NULL.
    fn is_null(&self, tested: &Expr) -> Predicate {
        if let Some(operand) = operand(tested, self.columns) {
            return self.operand_is_null(&operand);
        }
        let condition = matches!(
            tested,
            Expr::BinaryExpr(_)
                | Expr::Not(_)
                | Expr::Between(_)
                | Expr::InList(_)
                | Expr::Like(_)
                | Expr::Case(_)
        );
        if !condition || self.nested.get() == NESTED {
            return Predicate::Opaque;
        }
        self.nested.set(self.nested.get() + 1);
        let (when_true, when_false) = (self.condition(tested, true), self.condition(tested, false));
        self.nested.set(self.nested.get() - 1);
        if when_true == Predicate::Opaque || when_false == Predicate::Opaque {
            return Predicate::Opaque;
        }
        Predicate::all([when_true.negate(), when_false.negate()])
    }

    fn operand_is_null(&self, operand: &Operand) -> Predicate {
        let expression = operand.expression();
        let Some(null) = operand.null_domain() else {
            return Predicate::Opaque;
        };
        if expression.as_column().is_some() {
            return Predicate::Member(expression.clone(), null);
        }
        match expression.bind(self.columns) {
            Ok((transform, _)) if !transform.passes_null() => Predicate::Constant(false),
            // Of a part that is NULL for other values, too, as of stamps that nanoseconds cannot hold, rows are asked.
            Ok((transform, _)) if transform.is_total() => self.member(operand, null),
            _ => Predicate::Opaque,
        }
    }

    /// `tested IN (…)`, or `NOT IN` where `wanted` is false.
    fn in_list(&self, list: &InList, wanted: bool) -> Predicate {
        let constants: Option<Vec<ScalarValue>> = list.list.iter().map(constant_of).collect();
        let (Some(constants), Some(operand)) = (constants, operand(&list.expr, self.columns))
        else {
            let terms = list
                .list
                .iter()
                .map(|item| self.comparison(&list.expr, Operator::Eq, item, wanted));
            return if wanted {
                Predicate::any(terms)
            } else {
                Predicate::all(terms)
            };
        };
        let has_null = constants.iter().any(ScalarValue::is_null);
        let mut intervals = Vec::with_capacity(constants.len());
        for constant in constants.iter().filter(|constant| !constant.is_null()) {
            match operand.compare(Operator::Eq, constant) {
                Some(domain) => intervals.extend(domain.intervals().iter().cloned()),
                None => return Predicate::Opaque,
            }
        }
        let listed = Domain::from_intervals(operand.sql_type(), intervals);
        match (wanted, has_null) {
            (true, _) => self.member(&operand, listed),
            (false, false) => match operand.null_domain() {
                Some(null) => self.member(&operand, listed.union(&null).complement()),
                None => Predicate::Opaque,
            },
            (false, true) => Predicate::Constant(false),
        }
    }

    fn like(&self, like: &Like, wanted: bool) -> Predicate {
        let Some(constant) = constant_of(&like.pattern).filter(|_| !like.case_insensitive) else {
            return Predicate::Opaque;
        };
        if constant.is_null() {
            return Predicate::Constant(false);
        }
        match (constant::text(&constant), operand(&like.expr, self.columns)) {
            (Some(text), Some(operand)) if operand.sql_type().is_text() => self.matches(
                &operand,
                pattern::parse(text, like.escape_char.unwrap_or('\\')),
                wanted,
            ),
            _ => Predicate::Opaque,
        }
    }

    fn matches(&self, operand: &Operand, pattern: Pattern, wanted: bool) -> Predicate {
        let sql_type = operand.sql_type();
        let exactly = |domain: Domain| {
            if wanted {
                domain
            } else {
                domain.complement().with_null(false)
            }
        };
        match pattern {
            Pattern::Exact(text) => self.member(operand, exactly(text_point(sql_type, text))),
            Pattern::Prefix(text) => {
                self.member(operand, exactly(pattern::prefix_domain(&text, sql_type)))
            }
            Pattern::Suffix(text) => self.ends_with(operand, &text, wanted),
            Pattern::Other(text) if wanted => Predicate::all([
                self.member(operand, pattern::prefix_domain(&text, sql_type)),
                Predicate::Opaque,
            ]),
            Pattern::Other(_) => Predicate::Opaque,
        }
    }

    /// A suffix is a prefix of the reversed text.
    fn ends_with(&self, operand: &Operand, suffix: &str, wanted: bool) -> Predicate {
        let Some(column) = operand.expression().as_column() else {
            return Predicate::Opaque;
        };
        let reversed = Expression::new(
            "reverse",
            vec![crate::key::Argument::Column(column.to_owned())],
        );
        let Ok((transform, _)) = reversed.bind(self.columns) else {
            return Predicate::Opaque;
        };
        let prefix: String = suffix.chars().rev().collect();
        let domain = pattern::prefix_domain(&prefix, transform.value_type());
        Predicate::Member(
            reversed,
            if wanted {
                domain
            } else {
                domain.complement().with_null(false)
            },
        )
    }

    fn starts_with(&self, function: &ScalarFunction, wanted: bool) -> Predicate {
        let [tested, prefix] = function.args.as_slice() else {
            return Predicate::Opaque;
        };
        match (operand(tested, self.columns), constant_of(prefix)) {
            (_, Some(constant)) if constant.is_null() => Predicate::Constant(false),
            (Some(operand), Some(constant)) if operand.sql_type().is_text() => {
                match constant::text(&constant) {
                    Some(text) => self.matches(&operand, Pattern::Prefix(text.to_owned()), wanted),
                    None => Predicate::Opaque,
                }
            }
            _ => Predicate::Opaque,
        }
    }

    /// `CASE WHEN condition THEN value END`, NULL elsewhere, or `CASE condition WHEN true THEN value END`: what
    /// DataFusion makes of `c LIKE '%'`.
    fn case(&self, case: &Case, wanted: bool) -> Predicate {
        let elsewhere = case.else_expr.as_deref();
        let [(when, value)] = case.when_then_expr.as_slice() else {
            return Predicate::Opaque;
        };
        let Expr::Literal(ScalarValue::Boolean(Some(value)), _) = value.as_ref() else {
            return Predicate::Opaque;
        };
        if !elsewhere.is_none_or(is_always_null) {
            return Predicate::Opaque;
        }
        if *value != wanted {
            return Predicate::Constant(false);
        }
        match (case.expr.as_deref(), when.as_ref()) {
            (None, condition) => self.condition(condition, true),
            (Some(condition), Expr::Literal(ScalarValue::Boolean(Some(when)), _)) => {
                self.condition(condition, *when)
            }
            _ => Predicate::Opaque,
        }
    }

    /// A BOOLEAN column is a condition by itself.
    fn boolean(&self, condition: &Expr, wanted: bool) -> Predicate {
        match operand(condition, self.columns) {
            Some(operand) if operand.is_condition() => {
                match operand.compare(Operator::Eq, &ScalarValue::Boolean(Some(wanted))) {
                    Some(domain) => self.member(&operand, domain),
                    None => Predicate::Opaque,
                }
            }
            _ => Predicate::Opaque,
        }
    }
}

fn asked(predicate: Predicate, wanted: bool) -> Predicate {
    if wanted {
        predicate
    } else {
        predicate.negate()
    }
}

/// The operator that is TRUE where `operator` is FALSE.
fn negated(operator: Operator) -> Option<Operator> {
    Some(match operator {
        Operator::Eq => Operator::NotEq,
        Operator::NotEq => Operator::Eq,
        Operator::Lt => Operator::GtEq,
        Operator::LtEq => Operator::Gt,
        Operator::Gt => Operator::LtEq,
        Operator::GtEq => Operator::Lt,
        Operator::IsDistinctFrom => Operator::IsNotDistinctFrom,
        Operator::IsNotDistinctFrom => Operator::IsDistinctFrom,
        _ => return None,
    })
}
