//! Operators that DataFusion parses and does not compute: `INTERVAL '1 day' * 3`, `7 // 2`, `doc ->> 'name'`; and those
//! that are something else in SQL: `ts - ts` is an interval, intervals are compared by their lengths, a quotient of DECIMALs
//! has sixteen digits behind the point, and a DATE and some hours are a TIMESTAMP.
//!
//! What they are depends on the types of their operands, which are known where an expression is planned; those of
//! parameters once they have values, where expressions are [planned anew](planned_anew).

use std::ops::ControlFlow;

use arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::math;
use datafusion::logical_expr::expr::{Case, ScalarFunction};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::type_coercion::other::get_coerce_type_for_case_expression;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator, binary_expr, cast};
use sqlparser::ast::BinaryOperator;

use crate::convert::meet;
use crate::datum::with_units;
use crate::function::{
    interval_between, interval_divided, interval_length, interval_times, is_interval_times,
    is_of_decimals, is_wide_product, json_arrow, json_hash_arrow, lost_operator, product, quotient,
};

/// Plans them.
#[derive(Debug)]
pub(crate) struct Operators;

impl ExprPlanner for Operators {
    fn plan_binary_op(
        &self,
        expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        let RawBinaryExpr { op, left, right } = expr;
        let (left, right) = match of_both(&op) {
            None => (left, right),
            Some(operator) => match planned(left, operator, right, schema) {
                ControlFlow::Break(planned) => return Ok(PlannerResult::Planned(planned)),
                ControlFlow::Continue(operands) => operands,
            },
        };
        let planned = match op {
            BinaryOperator::DuckIntegerDivide | BinaryOperator::MyIntegerDivide => {
                let is_whole = |side: &Expr| side.get_type(schema).is_ok_and(|it| it.is_integer());
                let are_whole = is_whole(&left) && is_whole(&right);
                let quotient = binary_expr(left, Operator::Divide, right);
                if are_whole {
                    // The quotient of two integers is one.
                    quotient
                } else {
                    math::trunc().call(vec![quotient])
                }
            }
            BinaryOperator::Arrow => json_arrow(left, right, false),
            BinaryOperator::LongArrow => json_arrow(left, right, true),
            BinaryOperator::HashArrow => json_hash_arrow(left, right, false),
            BinaryOperator::HashLongArrow => json_hash_arrow(left, right, true),
            op => return Ok(PlannerResult::Original(RawBinaryExpr { op, left, right })),
        };
        Ok(PlannerResult::Planned(planned))
    }
}

/// An expression whose parameters have values now, over these columns: each operator is what the types of its operands
/// make of it.
pub(crate) fn planned_anew(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.transform_up(|part| match part {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            match planned(*left, op, *right, schema) {
                ControlFlow::Break(planned) => Ok(Transformed::yes(planned)),
                ControlFlow::Continue((left, right)) => {
                    Ok(Transformed::no(binary_expr(left, op, right)))
                }
            }
        }
        Expr::ScalarFunction(call) => Ok(called_anew(call, schema)),
        Expr::Case(case) => of_one_type(case, schema),
        part => Ok(Transformed::no(part)),
    })
}

/// Whether a CASE has branches of several types: DataFusion takes the type of the first one for that of all while it plans,
/// so that operators over it are planned for that, and a table that is made of it has it.
pub(crate) fn is_of_several_types(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Case(case) => type_of_branches(case, schema).is_some(),
        _ => false,
    }
}

/// The type that the branches of a CASE have in common, if they are of several.
fn type_of_branches(case: &Case, schema: &DFSchema) -> Option<DataType> {
    let branches = case.when_then_expr.iter().map(|(_, then)| then.as_ref());
    let branches = branches.chain(case.else_expr.as_deref());
    let types = branches.map(|branch| branch.get_type(schema).ok());
    let mut types = types.collect::<Option<Vec<DataType>>>()?;
    types.retain(|it| !it.is_null());
    let first = types.first()?;
    if types.iter().all(|it| it == first) {
        return None;
    }
    let met = types.iter().map(|own| {
        let wanted = meet::wanted(own, &types);
        wanted.unwrap_or_else(|| own.clone())
    });
    get_coerce_type_for_case_expression(&met.collect::<Vec<_>>(), None)
}

fn of_one_type(mut case: Case, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Some(common) = type_of_branches(&case, schema) else {
        return Ok(Transformed::no(Expr::Case(case)));
    };
    let branches = case.when_then_expr.iter_mut().map(|(_, then)| then);
    for branch in branches.chain(&mut case.else_expr) {
        **branch = std::mem::take(branch.as_mut()).cast_to(&common, schema)?;
    }
    Ok(Transformed::yes(Expr::Case(case)))
}

/// What an operator is over these operands; these as they are where it is what DataFusion makes of it.
fn planned(
    left: Expr,
    op: Operator,
    right: Expr,
    schema: &DFSchema,
) -> ControlFlow<Expr, (Expr, Expr)> {
    let written = |side: &Expr, other: &Expr| interval_written(side, op, other, schema);
    let (left, right) = match (written(&left, &right), written(&right, &left)) {
        (Some(interval), _) if op == Operator::Plus => (interval, right),
        (_, Some(interval)) => (left, interval),
        _ => match Meaning::of(&left, op, &right, schema) {
            Some(meaning) => return ControlFlow::Break(meaning.of_operands(left, op, right)),
            None => return ControlFlow::Continue((left, right)),
        },
    };
    ControlFlow::Break(match Meaning::of(&left, op, &right, schema) {
        Some(meaning) => meaning.of_operands(left, op, right),
        None => binary_expr(left, op, right),
    })
}

/// The interval that a text or a NULL is beside `other`, a time: `ts + '1 day'`.
fn interval_written(side: &Expr, op: Operator, other: &Expr, schema: &DFSchema) -> Option<Expr> {
    let Expr::Literal(value, _) = side else {
        return None;
    };
    let is_text = Kind::of(&value.data_type()) == Kind::Text;
    let may_be = match op {
        Operator::Plus => is_text || *value == ScalarValue::Null,
        // What is subtracted may be a time as well.
        Operator::Minus => is_text,
        _ => false,
    };
    if !may_be
        || !matches!(
            Kind::of(&other.get_type(schema).ok()?),
            Kind::Date | Kind::Stamp
        )
    {
        return None;
    }
    let completed = value.try_as_str().flatten().and_then(with_units);
    let completed = completed.map(ScalarValue::from);
    let interval = completed.as_ref().unwrap_or(value);
    let interval = interval.cast_to(&DataType::Interval(IntervalUnit::MonthDayNano));
    let interval = interval.ok().filter(|it| is_text != it.is_null())?;
    Some(Expr::Literal(interval, None))
}

fn called_anew(call: ScalarFunction, schema: &DFSchema) -> Transformed<Expr> {
    match call.args.as_slice() {
        [left, right] if let Some(operator) = lost_operator(&call.func, left, right, schema) => {
            Transformed::yes(binary_expr(left.clone(), operator, right.clone()))
        }
        _ => Transformed::no(Expr::ScalarFunction(call)),
    }
}

/// What an operator is over operands of certain types, if it is another thing than DataFusion makes of it.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// Intervals are compared by their lengths.
    Lengths,
    /// The difference of two times.
    Difference,
    /// A date and an interval with hours.
    Later,
    /// An interval with hours and a date.
    OfDate,
    /// An interval and a number that it is multiplied with.
    Times,
    /// A number and an interval.
    OfInterval,
    /// An interval and a number that it is divided by.
    Divided,
    /// A quotient of DECIMALs.
    Quotient,
    /// A product of DECIMALs with many digits.
    Product,
}

impl Meaning {
    fn of(left: &Expr, op: Operator, right: &Expr, schema: &DFSchema) -> Option<Self> {
        let is_arithmetic = matches!(
            op,
            Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide
        );
        if !is_arithmetic && !is_comparison(op) {
            return None;
        }
        let of = |side: &Expr| side.get_type(schema).ok();
        let (of_left, of_right) = (of(left)?, of(right)?);
        let kinds = (Kind::of(&of_left), Kind::of(&of_right));
        match (kinds.0, op, kinds.1) {
            (Kind::Interval, _, Kind::Interval | Kind::Text | Kind::Duration | Kind::Null)
            | (Kind::Text | Kind::Duration | Kind::Null, _, Kind::Interval)
                if is_comparison(op) =>
            {
                Some(Self::Lengths)
            }
            (Kind::Date | Kind::Stamp, Operator::Minus, Kind::Stamp)
            | (Kind::Stamp, Operator::Minus, Kind::Date) => Some(Self::Difference),
            (Kind::Date, Operator::Plus | Operator::Minus, Kind::Interval) => {
                (!is_of_days(right, schema)).then_some(Self::Later)
            }
            (Kind::Interval, Operator::Plus, Kind::Date) => {
                (!is_of_days(left, schema)).then_some(Self::OfDate)
            }
            (Kind::Interval, Operator::Multiply, Kind::Number | Kind::Null) => Some(Self::Times),
            (Kind::Number | Kind::Null, Operator::Multiply, Kind::Interval) => {
                Some(Self::OfInterval)
            }
            (Kind::Interval, Operator::Divide, Kind::Number | Kind::Null) => Some(Self::Divided),
            (_, Operator::Multiply, _) => {
                is_wide_product(&of_left, &of_right).then_some(Self::Product)
            }
            (_, Operator::Divide, _) => {
                is_of_decimals(&of_left, &of_right).then_some(Self::Quotient)
            }
            _ => None,
        }
    }

    fn of_operands(self, left: Expr, op: Operator, right: Expr) -> Expr {
        match self {
            Self::Lengths => binary_expr(interval_length(left), op, interval_length(right)),
            Self::Difference => interval_between(left, right),
            Self::Later => binary_expr(cast(left, stamp_beside(&right)), op, right),
            Self::OfDate => binary_expr(cast(right, stamp_beside(&left)), op, left),
            Self::Times => interval_times(left, right),
            Self::OfInterval => interval_times(right, left),
            Self::Divided => interval_divided(left, right),
            Self::Quotient => quotient(left, right),
            Self::Product => product(left, right),
        }
    }
}

/// The TIMESTAMP that a DATE is beside an interval: one that reaches as far as the calendar, unless the interval is written
/// with nanoseconds.
fn stamp_beside(interval: &Expr) -> DataType {
    let is_fine = match interval {
        Expr::Literal(ScalarValue::IntervalMonthDayNano(Some(interval)), _) => {
            interval.nanoseconds % 1_000 != 0
        }
        _ => false,
    };
    let unit = if is_fine {
        TimeUnit::Nanosecond
    } else {
        TimeUnit::Microsecond
    };
    DataType::Timestamp(unit, None)
}

/// Kinds of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Interval,
    /// What DataFusion makes of a difference of times.
    Duration,
    Date,
    Stamp,
    Number,
    Text,
    /// NULL, or a parameter of which nothing is known.
    Null,
    Other,
}

impl Kind {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Interval(_) => Self::Interval,
            DataType::Duration(_) => Self::Duration,
            DataType::Date32 | DataType::Date64 => Self::Date,
            DataType::Timestamp(..) => Self::Stamp,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Null => Self::Null,
            number if number.is_numeric() => Self::Number,
            _ => Self::Other,
        }
    }
}

/// Whether an interval is written as one of whole days: with it a DATE stays one. Of others that is not known.
fn is_of_days(interval: &Expr, schema: &DFSchema) -> bool {
    const DAY: i64 = 86_400_000_000_000;
    match interval {
        Expr::Literal(ScalarValue::IntervalMonthDayNano(value), _) => {
            value.is_none_or(|value| value.nanoseconds % DAY == 0)
        }
        Expr::Negative(interval) => is_of_days(interval, schema),
        Expr::ScalarFunction(call) if is_interval_times(&call.func) => match call.args.as_slice() {
            [interval, factor] => {
                let factor = factor.get_type(schema);
                // A parameter of which nothing is known is taken for one of days until it has its value.
                let is_whole = |it: DataType| it.is_integer() || it.is_null();
                is_of_days(interval, schema) && factor.is_ok_and(is_whole)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The operator, where both DataFusion and the parser have it.
fn of_both(op: &BinaryOperator) -> Option<Operator> {
    match op {
        BinaryOperator::Plus => Some(Operator::Plus),
        BinaryOperator::Minus => Some(Operator::Minus),
        BinaryOperator::Multiply => Some(Operator::Multiply),
        BinaryOperator::Divide => Some(Operator::Divide),
        BinaryOperator::Eq => Some(Operator::Eq),
        BinaryOperator::NotEq => Some(Operator::NotEq),
        BinaryOperator::Lt => Some(Operator::Lt),
        BinaryOperator::LtEq => Some(Operator::LtEq),
        BinaryOperator::Gt => Some(Operator::Gt),
        BinaryOperator::GtEq => Some(Operator::GtEq),
        _ => None,
    }
}

fn is_comparison(op: Operator) -> bool {
    matches!(
        op,
        Operator::Eq
            | Operator::NotEq
            | Operator::Lt
            | Operator::LtEq
            | Operator::Gt
            | Operator::GtEq
    )
}
