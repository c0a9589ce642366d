//! The values of parameters, written into their statement as constants.
//!
//! Some statements cannot be planned before their parameters have values: the type of `ts + $1` hangs on that of `$1`, and
//! DataFusion wants constants for `date_part($1, ts)`, `generate_series(1, $1)` and `ROWS $1 PRECEDING`. Others would be
//! planned wrong: EXCEPT, and VALUES of several rows, give an open parameter the type of what stands beside it. Both are
//! planned at each run, as if the values had been written in their text.

use std::ops::ControlFlow;

use arrow::datatypes::DataType as ArrowType;
use datafusion::common::ScalarValue;
use sqlparser::ast::{
    Array, CastKind, DataType, ExactNumberInfo, Expr, GroupByExpr, Interval, OrderByKind, Query,
    Select, SelectItem, SetExpr, SetOperator, Statement as SqlStatement, UnaryOperator, Value,
    Visit, VisitMut, Visitor, VisitorMut, visit_expressions,
};

use crate::datum::upper_type_name;
use crate::error::{Error, Result};
use crate::plan::bind::names::keep_heading;
use crate::sql::placeholders::number_of;
use crate::sql::rewrite::functions::call;
use crate::sql::rewrite::mixed_values;
use crate::sql::written::Written;

/// How many parameters a statement has: the greatest number of one.
pub(crate) fn count_of(parsed: &Written) -> usize {
    let mut greatest = 0;
    let _ = visit_expressions(parsed.sql.as_ref(), |expr| {
        greatest = greatest.max(number_of(expr).unwrap_or(0));
        ControlFlow::<()>::Continue(())
    });
    greatest
}

/// Whether a parameter would be planned with the type of what stands beside it.
pub(crate) fn are_typed_by_others(parsed: &Written) -> bool {
    has_typed_by_others(&parsed.sql).is_break()
}

fn has_typed_by_others(statement: &SqlStatement) -> ControlFlow<()> {
    match statement {
        SqlStatement::Prepare { statement, .. } => has_typed_by_others(statement),
        // Each value of an INSERT has the type of its column.
        SqlStatement::Insert(insert) => match insert.source.as_ref().map(|it| it.body.as_ref()) {
            Some(SetExpr::Values(values)) => values.visit(&mut TypedByOthers),
            _ => insert.visit(&mut TypedByOthers),
        },
        statement => statement.visit(&mut TypedByOthers),
    }
}

/// The statement with these values for its parameters, that of a PREPARE without the PREPARE.
///
/// # Errors
/// `InvalidInput` for a parameter without a value, `NotSupported` for a value that cannot be written.
pub(crate) fn with_values(parsed: &Written, values: &[ScalarValue]) -> Result<Written> {
    let constants = values.iter().zip(1..).map(|(value, number)| {
        constant(value).ok_or_else(|| {
            let found = upper_type_name(&value.data_type());
            Error::unsupported(format!(
                "parameter ${number}: {found} in this place; name its type, as in CAST(${number} AS {found})"
            ))
        })
    });
    with_constants(parsed, constants.collect::<Result<_>>()?)
}

/// The same for values that are written already.
///
/// # Errors
/// `InvalidInput` for a parameter without a value.
pub(crate) fn with_constants(parsed: &Written, constants: Vec<Expr>) -> Result<Written> {
    let mut parsed = parsed.clone();
    let mut types: Vec<DataType> = Vec::new();
    if let Some(SqlStatement::Prepare {
        statement,
        data_types,
        ..
    }) = parsed.unexplained_mut()
    {
        types = std::mem::take(data_types);
        parsed.sql = statement.clone();
    }
    let cast = |(place, constant): (usize, Expr)| match types.get(place) {
        Some(declared) => cast_to(constant, declared.clone()),
        None => constant,
    };
    let constants = constants.into_iter().enumerate().map(cast).collect();
    if let ControlFlow::Break(number) = parsed.sql.as_mut().visit(&mut Writing { constants }) {
        return Err(Error::invalid(format!("parameter ${number} has no value")));
    }
    Ok(parsed)
}

fn has_parameter(tree: &impl Visit) -> bool {
    let found = visit_expressions(tree, |expr| match number_of(expr) {
        Some(_) => ControlFlow::Break(()),
        None => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// Breaks at such a query.
struct TypedByOthers;

impl Visitor for TypedByOthers {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let is_typed = match query.body.as_ref() {
            SetExpr::SetOperation {
                op: SetOperator::Except | SetOperator::Minus | SetOperator::Intersect,
                left,
                right,
                ..
            } => gives_parameters(left) || gives_parameters(right),
            SetExpr::Values(values) => values.rows.len() > 1 && has_parameter(values),
            _ => false,
        };
        if is_typed {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Whether a parameter stands among what a part of a set operation gives.
fn gives_parameters(part: &SetExpr) -> bool {
    match part {
        SetExpr::Select(select) => has_parameter(&select.projection),
        SetExpr::SetOperation { left, right, .. } => {
            gives_parameters(left) || gives_parameters(right)
        }
        SetExpr::Query(query) => gives_parameters(&query.body),
        other => has_parameter(other),
    }
}

/// Writes the constants in the places of the parameters. Columns keep the headings that they have.
struct Writing {
    constants: Vec<Expr>,
}

impl Writing {
    fn constant(&self, expr: &Expr) -> Option<&Expr> {
        self.constants.get(number_of(expr)?.checked_sub(1)?)
    }

    /// A number by itself would be the number of a column here.
    fn keep_from_places<'a>(&self, exprs: impl IntoIterator<Item = &'a mut Expr>) {
        for expr in exprs {
            if let Some(number @ (Expr::Value(_) | Expr::UnaryOp { .. })) = self.constant(expr) {
                let number = number.to_string();
                if number.parse::<i64>().is_ok() {
                    *expr = of_type(text(number), &ArrowType::Int64);
                }
            }
        }
    }
}

impl VisitorMut for Writing {
    /// The number of a parameter without a value.
    type Break = usize;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<usize> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && has_parameter(expr)
            {
                keep_heading(item);
            }
        }
        if let GroupByExpr::Expressions(groups, _) = &mut select.group_by {
            self.keep_from_places(groups);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<usize> {
        if let Some(order) = &mut query.order_by
            && let OrderByKind::Expressions(orders) = &mut order.kind
        {
            self.keep_from_places(orders.iter_mut().map(|order| &mut order.expr));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<usize> {
        if let SetExpr::Values(values) = query.body.as_mut() {
            mixed_values::doubles(values);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<usize> {
        let Some(number) = number_of(expr) else {
            return ControlFlow::Continue(());
        };
        match self.constant(expr) {
            Some(constant) => {
                *expr = constant.clone();
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(number),
        }
    }
}

/// The constant that is planned as this value, with its type.
fn constant(value: &ScalarValue) -> Option<Expr> {
    use ScalarValue as S;
    let written = match value {
        S::Null => Expr::value(Value::Null),
        null if null.is_null() => of_type(Expr::value(Value::Null), &null.data_type()),
        S::Boolean(Some(value)) => Expr::value(Value::Boolean(*value)),
        S::Int64(Some(value)) => integer(*value),
        S::Utf8(Some(text)) | S::LargeUtf8(Some(text)) | S::Utf8View(Some(text)) => {
            self::text(text.clone())
        }
        S::Binary(Some(bytes)) | S::LargeBinary(Some(bytes)) | S::BinaryView(Some(bytes)) => {
            self::bytes(bytes)
        }
        S::Float64(Some(value)) => cast_to(
            self::text(format!("{value:?}")),
            DataType::Double(ExactNumberInfo::None),
        ),
        S::Decimal128(Some(_), precision, scale) => cast_to(
            self::text(value.to_string()),
            DataType::Decimal(ExactNumberInfo::PrecisionAndScale(
                u64::from(*precision),
                i64::from(*scale),
            )),
        ),
        S::IntervalMonthDayNano(Some(it)) => Expr::Interval(Interval {
            value: Box::new(self::text(format!(
                "{} months {} days {} nanoseconds",
                it.months, it.days, it.nanoseconds
            ))),
            leading_field: None,
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: None,
        }),
        S::FixedSizeBinary(_, Some(bytes)) => of_type(self::bytes(bytes), &value.data_type()),
        S::List(list) => {
            let rows = ScalarValue::convert_array_to_scalar_vec(list.as_ref()).ok()?;
            let items = rows.into_iter().next()??;
            let elem: Option<Vec<Expr>> = items.iter().map(constant).collect();
            let elem = elem.filter(|elem| !elem.is_empty())?;
            Expr::Array(Array { elem, named: false })
        }
        other => of_type(plain(other)?, &other.data_type()),
    };
    Some(written)
}

/// A constant that can be cast to the value, with nothing lost.
fn plain(value: &ScalarValue) -> Option<Expr> {
    let as_type = |data_type: ArrowType| value.cast_to(&data_type).ok();
    match value.data_type() {
        ArrowType::Date32 | ArrowType::Time32(_) => {
            let days = as_type(ArrowType::Int32)?;
            Some(of_type(self::text(days.to_string()), &ArrowType::Int32))
        }
        ArrowType::Timestamp(..) | ArrowType::Time64(_) | ArrowType::Duration(_) => {
            match as_type(ArrowType::Int64)? {
                ScalarValue::Int64(Some(count)) => Some(integer(count)),
                _ => None,
            }
        }
        other if other.is_numeric() => Some(self::text(value.to_string())),
        _ => None,
    }
}

fn text(text: String) -> Expr {
    Expr::value(Value::SingleQuotedString(text))
}

fn bytes(bytes: &[u8]) -> Expr {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    Expr::value(Value::HexStringLiteral(digits.collect()))
}

fn integer(value: i64) -> Expr {
    let digits = Expr::value(Value::Number(value.unsigned_abs().to_string(), false));
    if value < 0 {
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr: Box::new(digits),
        }
    } else {
        digits
    }
}

fn cast_to(expr: Expr, data_type: DataType) -> Expr {
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(expr),
        data_type,
        array: false,
        format: None,
    }
}

/// The expression cast to a type that SQL may have no name for.
fn of_type(expr: Expr, data_type: &ArrowType) -> Expr {
    call("arrow_cast", vec![expr, text(data_type.to_string())])
}

#[cfg(test)]
#[path = "constants_tests.rs"]
mod tests;
