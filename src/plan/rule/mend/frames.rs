//! Frames of windows mean what they say, or are refused.
//!
//! DataFusion takes RANGE for arithmetic whatever the rows are sorted by. Of what it cannot add to, as a BYTEA, a TIME or a
//! STRUCT, even `row_number() OVER (ORDER BY b)` is an internal error, since the frame that nobody wrote is one of RANGE;
//! without offsets it is one of groups of equal rows, and written as that here. With an offset such a frame is refused, as
//! is one over texts, of which it takes all rows, and one with a negative offset, of which it takes none. Of an UNSIGNED
//! integer it takes 0 for what is less than 0, and where an offset leads beyond the end of an integer type it takes NULLs in, or
//! leaves them out; so integers are sorted by as wider ones with a sign. And it adds the offsets of ROWS and
//! GROUPS to a number of rows without a look at its end.

use arrow::datatypes::{DataType, IntervalUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Sort, WindowFunctionParams};
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, WindowFrame, WindowFrameBound, WindowFrameUnits, cast,
};

use crate::error::Error;
use crate::plan::rule::rewriting::NodeRule;
use crate::plan::rule::{input_schema, map_named};

/// The rule. See the [module](self).
pub(crate) const MEAN_FRAMES: NodeRule = NodeRule {
    name: "halite_mean_frames",
    rewrite: |plan| {
        let LogicalPlan::Window(_) = &plan else {
            return Ok(Transformed::no(plan));
        };
        let columns = input_schema(&plan)?;
        map_named(plan, |expr| {
            expr.transform_up(|expr| with_meaning(expr, &columns))
        })
    },
};

fn with_meaning(mut expr: Expr, columns: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::WindowFunction(call) = &mut expr else {
        return Ok(Transformed::no(expr));
    };
    let WindowFunctionParams {
        order_by,
        window_frame,
        ..
    } = &mut call.params;
    let meant = meant(window_frame, order_by, columns)?;
    let is_other = meant.is_some();
    if let Some(meant) = meant {
        *window_frame = meant;
    }
    Ok(Transformed::new_transformed(expr, is_other))
}

/// The frame as it is computed rightly; `None` where it is as it stands.
fn meant(
    frame: &WindowFrame,
    order: &mut [Sort],
    columns: &DFSchema,
) -> Result<Option<WindowFrame>> {
    match frame.units {
        WindowFrameUnits::Rows | WindowFrameUnits::Groups => Ok(with_few_rows(frame)),
        WindowFrameUnits::Range => {
            let Some(key) = order.first_mut() else {
                return Ok(None);
            };
            of_range(frame, key, columns)
        }
    }
}

/// More rows than there are, and few enough to be added to.
const MOST_ROWS: u64 = 1 << 62;

fn with_few_rows(frame: &WindowFrame) -> Option<WindowFrame> {
    let few = |bound: &WindowFrameBound| {
        let fewer = |rows: &ScalarValue| match rows {
            ScalarValue::UInt64(Some(rows)) => ScalarValue::UInt64(Some((*rows).min(MOST_ROWS))),
            other => other.clone(),
        };
        match bound {
            WindowFrameBound::Preceding(rows) => WindowFrameBound::Preceding(fewer(rows)),
            WindowFrameBound::Following(rows) => WindowFrameBound::Following(fewer(rows)),
            WindowFrameBound::CurrentRow => WindowFrameBound::CurrentRow,
        }
    };
    let (start, end) = (few(&frame.start_bound), few(&frame.end_bound));
    let is_other = start != frame.start_bound || end != frame.end_bound;
    is_other.then(|| WindowFrame::new_bounds(frame.units, start, end))
}

fn of_range(
    frame: &WindowFrame,
    key: &mut Sort,
    columns: &DFSchema,
) -> Result<Option<WindowFrame>> {
    let found = key.expr.get_type(columns)?;
    let offsets: Vec<&ScalarValue> = [&frame.start_bound, &frame.end_bound]
        .into_iter()
        .filter_map(offset_of)
        .collect();
    if offsets.is_empty() {
        let (start, end) = (frame.start_bound.clone(), frame.end_bound.clone());
        return Ok((!is_known(&found))
            .then(|| WindowFrame::new_bounds(WindowFrameUnits::Groups, start, end)));
    }
    if !(found.is_numeric() || is_day_or_stamp(&found)) {
        return Err(Error::invalid(format!(
            "RANGE with an offset takes rows that are sorted by a number, a DATE or a TIMESTAMP, not by `{}`; ROWS and \
             GROUPS take any",
            key.expr
        ))
        .into());
    }
    for offset in offsets {
        if is_negative(offset, &found) {
            return Err(Error::invalid(format!(
                "the offset of a frame is not negative: RANGE {offset} PRECEDING or FOLLOWING"
            ))
            .into());
        }
        let text = offset.try_as_str().flatten();
        let is_whole = text.is_none_or(|text| text.trim().parse::<i128>().is_ok());
        if found.is_integer() && !is_whole {
            return Err(Error::invalid(format!(
                "the offset of a frame over whole numbers is one: RANGE {offset} PRECEDING or FOLLOWING"
            ))
            .into());
        }
    }
    let Some(wider) = wider(&found) else {
        return Ok(None);
    };
    key.expr = cast(std::mem::take(&mut key.expr), wider);
    Ok(Some(frame.clone()))
}

fn offset_of(bound: &WindowFrameBound) -> Option<&ScalarValue> {
    match bound {
        WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset) => {
            (!offset.is_null()).then_some(offset)
        }
        WindowFrameBound::CurrentRow => None,
    }
}

/// Whether DataFusion takes rows that are sorted by such values for a RANGE without offsets.
fn is_known(found: &DataType) -> bool {
    match found {
        DataType::Dictionary(_, value) => is_known(value),
        found => {
            found.is_numeric()
                || found.is_string()
                || found.is_null()
                || is_day_or_stamp(found)
                || matches!(found, DataType::Boolean)
        }
    }
}

fn is_day_or_stamp(found: &DataType) -> bool {
    matches!(
        found,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..)
    )
}

/// Whether an offset, which is a text until it is known what it is added to, is less than nothing.
fn is_negative(offset: &ScalarValue, found: &DataType) -> bool {
    if is_day_or_stamp(found) {
        const DAY: i128 = 86_400_000_000_000;
        let interval = offset.cast_to(&DataType::Interval(IntervalUnit::MonthDayNano));
        return match interval {
            Ok(ScalarValue::IntervalMonthDayNano(Some(interval))) => {
                let days = i128::from(interval.months) * 30 + i128::from(interval.days);
                days * DAY + i128::from(interval.nanoseconds) < 0
            }
            _ => false,
        };
    }
    let number = offset.cast_to(&DataType::Float64);
    matches!(number, Ok(ScalarValue::Float64(Some(number))) if number < 0.0)
}

/// The type with a sign that holds integers and what is an offset away from them.
fn wider(found: &DataType) -> Option<DataType> {
    match found {
        DataType::Int64 | DataType::UInt64 => Some(DataType::Decimal128(38, 0)),
        shorter => shorter.is_integer().then_some(DataType::Int64),
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
