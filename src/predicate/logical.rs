//! From DataFusion's logical expressions to [`Predicate`]s.

use std::cell::Cell;
use std::cmp::Ordering;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{
    BinaryExpr, Expr, Operator, expr::InList, expr::Like, expr::ScalarFunction,
};

use super::Predicate;
use super::constant;
use super::literal::{constant_of, is_always_null};
use super::operand::{Operand, operand};
use super::pattern::{self, Pattern};
use super::regular_expression;
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
#[cfg(any(test, feature = "testing"))]
pub fn lower_all(filters: &[Expr], columns: &[KeyColumn]) -> Vec<(usize, Predicate)> {
    let conjuncts = filters
        .iter()
        .flat_map(datafusion::logical_expr::utils::split_conjunction);
    conjuncts
        .map(|conjunct| lower(conjunct, columns))
        .enumerate()
        .collect()
}

pub(super) struct Lowering<'a> {
    columns: &'a [KeyColumn],
    /// How many `IS NULL` of conditions, and choices between values, are open; each doubles the work.
    nested: Cell<u32>,
}

/// The most members of a list of which each is compared by itself.
const MOST_TERMS: usize = 1_000;

/// The most `IS NULL` of conditions and choices inside one another that are understood.
const NESTED: u32 = 3;

impl Lowering<'_> {
    /// The rows for which `condition` is TRUE, or FALSE where `wanted` is false.
    pub(super) fn condition(&self, condition: &Expr, wanted: bool) -> Predicate {
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
            Expr::Case(_) => self.case(condition, wanted),
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
            (
                Operator::RegexMatch
                | Operator::RegexIMatch
                | Operator::RegexNotMatch
                | Operator::RegexNotIMatch,
                _,
            ) => self.matches_regex(binary, wanted),
            _ => self.comparison(&binary.left, binary.op, &binary.right, wanted),
        }
    }

    /// `left operator right` where one side is constant.
    pub(super) fn comparison(
        &self,
        left: &Expr,
        operator: Operator,
        right: &Expr,
        wanted: bool,
    ) -> Predicate {
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
        if let Some(ends) = self.ends_as(tested, operator, &constant) {
            return ends;
        }
        let Some(operand) = operand(tested, self.columns) else {
            let chosen = self.compare_choice(tested, operator, &constant);
            return chosen.unwrap_or(Predicate::Opaque);
        };
        match operand.compare(operator, &constant) {
            Some(domain) => self.member(&operand, domain),
            None => Predicate::Opaque,
        }
    }

    /// The rows whose operand lies in `domain`, said of the column itself where the transform can be inverted.
    fn member(&self, operand: &Operand, domain: Domain) -> Predicate {
        let member = self.member_of(operand, domain);
        if operand.may_fail() {
            Predicate::all([member, Predicate::Opaque])
        } else {
            member
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
            let mut values = operand.before_move(preimage);
            if operand.is_moved() && !transform.is_total() {
                let all = Domain::not_null(transform.value_type());
                let Some(defined) = transform.preimage(&all) else {
                    return Predicate::Opaque;
                };
                values = values.union(&operand.moved_beyond(&defined));
            }
            return Predicate::Member(Expression::column(&column.name), values);
        }
        if operand.is_moved() {
            return Predicate::Opaque;
        }
        Predicate::Member(expression.clone(), domain)
    }

    /// The rows for which `tested` is NULL.
    pub(super) fn is_null(&self, tested: &Expr) -> Predicate {
        if let Some(operand) = operand(tested, self.columns) {
            return self.operand_is_null(&operand);
        }
        if let Some(chosen) = self.choice_is_null(tested) {
            return chosen;
        }
        let condition = matches!(
            tested,
            Expr::BinaryExpr(_) | Expr::Not(_) | Expr::Between(_) | Expr::InList(_) | Expr::Like(_)
        );
        if !condition || self.nested.get() == NESTED {
            return Predicate::Opaque;
        }
        let (when_true, when_false) =
            self.nest(|| (self.condition(tested, true), self.condition(tested, false)));
        if when_true == Predicate::Opaque || when_false == Predicate::Opaque {
            return Predicate::Opaque;
        }
        Predicate::all([when_true.negate(), when_false.negate()])
    }

    fn nest<T>(&self, work: impl FnOnce() -> T) -> T {
        self.nested.set(self.nested.get() + 1);
        let done = work();
        self.nested.set(self.nested.get() - 1);
        done
    }

    /// What `work` gives inside of a few others of its kind; `None` inside of too many.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.nested.get() == NESTED {
            None
        } else {
            self.nest(work)
        }
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
        #[cfg(any(test, feature = "testing"))]
        if crate::fault::active(crate::fault::Fault::ListNotUnderstood) {
            return Predicate::Opaque;
        }
        let constants: Option<Vec<ScalarValue>> = list.list.iter().map(constant_of).collect();
        let (Some(constants), Some(operand)) = (constants, operand(&list.expr, self.columns))
        else {
            // Each value is asked of each choice between values.
            if list.list.len() > MOST_TERMS {
                return Predicate::Opaque;
            }
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
        let Some(constant) = constant_of(&like.pattern) else {
            return Predicate::Opaque;
        };
        if constant.is_null() {
            return Predicate::Constant(false);
        }
        match (constant::text(&constant), operand(&like.expr, self.columns)) {
            (Some(text), Some(operand)) if operand.sql_type().is_text() => {
                let escape = like.escape_char.unwrap_or('\\');
                let patterns = if like.case_insensitive && pattern::has_cases(text, escape) {
                    regular_expression::caseless(&pattern::beginning(text, escape))
                } else {
                    Some(vec![pattern::parse(text, escape)])
                };
                self.matches(&operand, patterns, wanted)
            }
            _ => Predicate::Opaque,
        }
    }

    /// `tested ~ expression`, and `!~`, `~*`, `!~*`.
    fn matches_regex(&self, binary: &BinaryExpr, wanted: bool) -> Predicate {
        let constant = constant_of(&binary.right);
        let expression = constant.as_ref().and_then(constant::text);
        let (Some(expression), Some(operand)) = (expression, operand(&binary.left, self.columns))
        else {
            return Predicate::Opaque;
        };
        if !operand.sql_type().is_text() {
            return Predicate::Opaque;
        }
        let patterns = match binary.op {
            Operator::RegexIMatch | Operator::RegexNotIMatch => {
                regular_expression::parse(&format!("(?i){expression}"))
            }
            _ => regular_expression::parse(expression),
        };
        let is_negated = matches!(
            binary.op,
            Operator::RegexNotMatch | Operator::RegexNotIMatch
        );
        self.matches(&operand, patterns, wanted != is_negated)
    }

    /// One of the patterns fits, or none; `None`: of these nothing is known.
    fn matches(
        &self,
        operand: &Operand,
        patterns: Option<Vec<Pattern>>,
        wanted: bool,
    ) -> Predicate {
        let Some(patterns) = patterns else {
            return Predicate::Opaque;
        };
        if let [Pattern::Suffix(text)] = patterns.as_slice() {
            return self.ends_with(operand, text, wanted);
        }
        let is_all = |it: &&Pattern| matches!(it, Pattern::Exact(_) | Pattern::Prefix(_));
        let (all, more): (Vec<&Pattern>, Vec<&Pattern>) = patterns.iter().partition(is_all);
        let texts = |patterns: Vec<&Pattern>| {
            let domains = patterns
                .into_iter()
                .map(|it| it.domain(operand.sql_type()))
                .collect::<Vec<_>>();
            Domain::union_all(&domains)
        };
        let (more, all) = (texts(more), texts(all));
        if wanted {
            let all = all.map(|texts| self.member(operand, texts));
            let more =
                more.map(|texts| Predicate::all([self.member(operand, texts), Predicate::Opaque]));
            Predicate::any(all.into_iter().chain(more))
        } else {
            let others = |texts: Domain| texts.complement().with_null(false);
            let all = all.map(|texts| self.member(operand, others(texts)));
            Predicate::all(all.into_iter().chain(more.map(|_| Predicate::Opaque)))
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

    /// `right(c, 4) = '1234'`: a text of so many characters is the end of the column's, a shorter one all of it.
    fn ends_as(
        &self,
        tested: &Expr,
        operator: Operator,
        constant: &ScalarValue,
    ) -> Option<Predicate> {
        let wanted = match operator {
            Operator::Eq => true,
            Operator::NotEq => false,
            _ => return None,
        };
        let Expr::ScalarFunction(function) = tested else {
            return None;
        };
        let ("right", [source, count]) = (function.name(), function.args.as_slice()) else {
            return None;
        };
        let count = match constant_of(count)?.cast_to(&DataType::Int64).ok()? {
            ScalarValue::Int64(Some(count)) => usize::try_from(count).ok().filter(|it| *it > 0)?,
            _ => return None,
        };
        let (text, operand) = (constant::text(constant)?, operand(source, self.columns)?);
        if !operand.sql_type().is_text() {
            return None;
        }
        let pattern = match text.chars().count().cmp(&count) {
            Ordering::Equal => Pattern::Suffix(text.to_owned()),
            Ordering::Less => Pattern::Exact(text.to_owned()),
            Ordering::Greater => return None,
        };
        Some(self.matches(&operand, Some(vec![pattern]), wanted))
    }

    fn starts_with(&self, function: &ScalarFunction, wanted: bool) -> Predicate {
        let [tested, prefix] = function.args.as_slice() else {
            return Predicate::Opaque;
        };
        match (operand(tested, self.columns), constant_of(prefix)) {
            (_, Some(constant)) if constant.is_null() => Predicate::Constant(false),
            (Some(operand), Some(constant)) if operand.sql_type().is_text() => {
                match constant::text(&constant) {
                    Some(text) => {
                        let prefix = Pattern::Prefix(text.to_owned());
                        self.matches(&operand, Some(vec![prefix]), wanted)
                    }
                    None => Predicate::Opaque,
                }
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
