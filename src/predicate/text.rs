//! Conditions as SQL text, for people: constants as one would write them.

use arrow::datatypes::{DataType, IntervalDayTime, IntervalMonthDayNano};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::ScalarFunction;

use crate::datum::{Precision, SqlType};
use crate::keyrange::hex;

/// The condition as text. DataFusion's own prints text without quotes, moments as bare counts, and no brackets; where it
/// would, it is given a column whose name is what should stand there.
pub fn readable(condition: &Expr) -> String {
    let spelt = condition.clone().transform(|expression| {
        Ok(match expression {
            Expr::Literal(ref value, _) => match spelling(value) {
                Some(text) => Transformed::yes(verbatim(text)),
                None => Transformed::no(expression),
            },
            Expr::InList(mut list) => {
                let values = list
                    .list
                    .iter()
                    .map(|value| value.human_display().to_string());
                let values = values.collect::<Vec<_>>().join(", ");
                list.list = vec![verbatim(format!("({values})"))];
                Transformed::yes(Expr::InList(list))
            }
            Expr::BinaryExpr(mut binary) => {
                let around = binary.op.precedence();
                *binary.left = bracketed(std::mem::take(&mut *binary.left), around);
                *binary.right = bracketed(std::mem::take(&mut *binary.right), around);
                Transformed::yes(Expr::BinaryExpr(binary))
            }
            Expr::ScalarFunction(mut function) if function.name().is_empty() => {
                match function.args.pop() {
                    Some(inner) => Transformed::yes(cast_in_words(inner)),
                    None => Transformed::no(Expr::ScalarFunction(function)),
                }
            }
            Expr::ScalarFunction(function) if function.name() == AT_TIME_ZONE => {
                Transformed::yes(at_time_zone(function))
            }
            other => Transformed::no(other),
        })
    });
    match spelt {
        Ok(spelt) => spelt.data.human_display().to_string(),
        Err(_) => condition.human_display().to_string(),
    }
}

fn verbatim(text: String) -> Expr {
    Expr::Column(Column::new_unqualified(text))
}

/// The name of the function that reads times on the clocks of the zone that its type names (`convert::clocks`).
pub const AT_TIME_ZONE: &str = "at_time_zone";

fn at_time_zone(function: ScalarFunction) -> Expr {
    let source: String = function
        .args
        .iter()
        .map(|source| source.human_display().to_string())
        .collect();
    match function.func.return_type(&[]) {
        Ok(DataType::Timestamp(_, Some(zone))) => {
            verbatim(format!("{source} AT TIME ZONE '{zone}'"))
        }
        _ => Expr::ScalarFunction(function),
    }
}

/// A cast that changes values, in full: DataFusion prints casts as what they are of. It stands in a function without a
/// name (`plan::rule::cast::lossy`).
fn cast_in_words(expression: Expr) -> Expr {
    let words = |source: &Expr, to: &DataType, cast: &str| {
        let source = source.human_display();
        verbatim(match to {
            DataType::Timestamp(_, Some(zone)) => format!("{source} AT TIME ZONE '{zone}'"),
            to => format!("{cast}({source} AS {})", type_name(to)),
        })
    };
    match &expression {
        Expr::Cast(cast) => words(&cast.expr, cast.field.data_type(), "CAST"),
        Expr::TryCast(cast) => words(&cast.expr, cast.field.data_type(), "TRY_CAST"),
        _ => expression,
    }
}

/// The type as SQL spells it.
fn type_name(data_type: &DataType) -> String {
    let sql_type = match data_type {
        DataType::Int8 => SqlType::TinyInt,
        DataType::Int16 => SqlType::SmallInt,
        DataType::UInt8 => SqlType::UnsignedTinyInt,
        DataType::UInt16 => SqlType::UnsignedSmallInt,
        DataType::UInt32 => SqlType::UnsignedInteger,
        DataType::UInt64 => SqlType::UnsignedBigInt,
        DataType::Int32 => SqlType::Integer,
        DataType::Int64 => SqlType::BigInt,
        DataType::Date32 => SqlType::Date,
        DataType::Timestamp(unit, None) => SqlType::Timestamp {
            precision: Precision::from(*unit),
            utc: false,
        },
        DataType::Decimal128(precision, scale) => SqlType::Decimal {
            precision: *precision,
            scale: *scale,
        },
        other => return other.to_string(),
    };
    sql_type.to_string()
}

/// The operand in brackets, if it binds less than the operator around it.
fn bracketed(operand: Expr, around: u8) -> Expr {
    match &operand {
        Expr::BinaryExpr(inner) if inner.op.precedence() < around => {
            verbatim(format!("({})", operand.human_display()))
        }
        _ => operand,
    }
}

/// How SQL writes the constant, where that differs from how DataFusion prints it.
fn spelling(value: &ScalarValue) -> Option<String> {
    if value.is_null() {
        return None;
    }
    match value {
        ScalarValue::Utf8(Some(text))
        | ScalarValue::LargeUtf8(Some(text))
        | ScalarValue::Utf8View(Some(text)) => Some(format!("'{}'", text.replace('\'', "''"))),
        ScalarValue::Binary(Some(bytes))
        | ScalarValue::LargeBinary(Some(bytes))
        | ScalarValue::BinaryView(Some(bytes))
        | ScalarValue::FixedSizeBinary(_, Some(bytes)) => Some(format!("X'{}'", hex(bytes))),
        ScalarValue::Date32(_)
        | ScalarValue::Date64(_)
        | ScalarValue::TimestampSecond(..)
        | ScalarValue::TimestampMillisecond(..)
        | ScalarValue::TimestampMicrosecond(..)
        | ScalarValue::TimestampNanosecond(..) => moment(value),
        ScalarValue::IntervalYearMonth(Some(months)) => Some(interval(*months, 0, 0)),
        ScalarValue::IntervalDayTime(Some(IntervalDayTime { days, milliseconds })) => {
            let nanoseconds = i64::from(*milliseconds) * 1_000_000;
            Some(interval(0, *days, nanoseconds))
        }
        ScalarValue::IntervalMonthDayNano(Some(IntervalMonthDayNano {
            months,
            days,
            nanoseconds,
        })) => Some(interval(*months, *days, *nanoseconds)),
        _ => None,
    }
}

/// `INTERVAL '1 month 2 days 90.5 seconds'`, in the greatest unit that divides each of the three.
fn interval(months: i32, days: i32, nanoseconds: i64) -> String {
    let mut fields = Vec::new();
    let mut add = |count: String, unit: &str| {
        let several = if count == "1" { "" } else { "s" };
        fields.push(format!("{count} {unit}{several}"));
    };
    match months {
        0 => {}
        _ if months % 12 == 0 => add((months / 12).to_string(), "year"),
        _ => add(months.to_string(), "month"),
    }
    if days != 0 {
        add(days.to_string(), "day");
    }
    const SECOND: i64 = 1_000_000_000;
    match nanoseconds {
        0 => {}
        _ if nanoseconds % (3_600 * SECOND) == 0 => {
            add((nanoseconds / (3_600 * SECOND)).to_string(), "hour")
        }
        _ if nanoseconds % (60 * SECOND) == 0 => {
            add((nanoseconds / (60 * SECOND)).to_string(), "minute")
        }
        _ => add(seconds(nanoseconds), "second"),
    }
    if fields.is_empty() {
        fields.push("0 seconds".to_owned());
    }
    format!("INTERVAL '{}'", fields.join(" "))
}

/// Seconds with as many decimals as there are.
fn seconds(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (whole, rest) = (
        nanoseconds.unsigned_abs() / 1_000_000_000,
        nanoseconds.unsigned_abs() % 1_000_000_000,
    );
    let text = format!("{sign}{whole}.{rest:09}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `'2024-01-31T05:06:07'`; none beyond the calendar.
fn moment(value: &ScalarValue) -> Option<String> {
    let array = value.to_array().ok()?;
    let options = FormatOptions::new().with_display_error(false);
    let formatter = ArrayFormatter::try_new(&array, &options).ok()?;
    let text = formatter.value(0).try_to_string().ok()?;
    Some(format!("'{text}'"))
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::{col, lit};
    use datafusion::prelude::SessionContext;

    use super::*;

    #[test]
    fn constants_are_spelt_as_sql() {
        let stamp = ScalarValue::TimestampMillisecond(Some(1_382_603_640_000), None);
        let cases = [
            (col("a").eq(lit("it's")), "a = 'it''s'"),
            (col("a").like(lit("N37%")), "a LIKE 'N37%'"),
            (
                col("a").in_list(vec![lit("x"), lit("")], true),
                "a NOT IN ('x', '')",
            ),
            (col("a").gt(lit(180)), "a > 180"),
            (
                col("a")
                    .eq(lit(1))
                    .and(col("b").eq(lit("x")).or(col("c").eq(lit(2)))),
                "a = 1 AND (b = 'x' OR c = 2)",
            ),
            (
                col("a")
                    .eq(lit(1))
                    .or(col("b").eq(lit(2)).and(col("c").eq(lit(3)))),
                "a = 1 OR b = 2 AND c = 3",
            ),
            (
                col("a").between(lit(stamp), lit(ScalarValue::Date32(Some(0)))),
                "a BETWEEN '2013-10-24T08:34:00' AND '1970-01-01'",
            ),
            (
                col("a").lt(lit(ScalarValue::Binary(Some(vec![0, 255])))),
                "a < X'00ff'",
            ),
            (col("a").eq(lit(ScalarValue::Utf8(None))), "a = NULL"),
            (
                col("a").gt(lit(ScalarValue::TimestampSecond(Some(i64::MAX), None))),
                "a > 9223372036854775807",
            ),
        ];
        for (condition, expected) in cases {
            assert_eq!(readable(&condition), expected);
        }
    }

    /// Each text is read again as the interval that it was made of.
    #[test]
    fn intervals_are_spelt_as_sql() {
        const SECOND: i64 = 1_000_000_000;
        let cases = [
            ((0, 0, 0), "0 seconds"),
            ((1, 0, 0), "1 month"),
            ((-24, 0, 0), "-2 years"),
            ((14, 3, 5 * 3_600 * SECOND), "14 months 3 days 5 hours"),
            ((0, 1, 0), "1 day"),
            ((0, 0, 900 * SECOND), "15 minutes"),
            ((0, 0, 60 * SECOND), "1 minute"),
            ((0, 0, 61 * SECOND), "61 seconds"),
            ((0, 0, 3 * SECOND / 2), "1.5 seconds"),
            ((0, 0, -1), "-0.000000001 seconds"),
        ];
        let context = SessionContext::new();
        for ((months, days, nanoseconds), expected) in cases {
            let value = IntervalMonthDayNano::new(months, days, nanoseconds);
            let value = ScalarValue::IntervalMonthDayNano(Some(value));
            let text = readable(&lit(value.clone()));
            assert_eq!(text, format!("INTERVAL '{expected}'"));
            let state = context.state();
            let read = state.create_logical_expr(&text, &datafusion::common::DFSchema::empty());
            assert_eq!(read.unwrap(), lit(value), "{text}");
        }
        let months = lit(ScalarValue::IntervalYearMonth(Some(3)));
        let days = ScalarValue::IntervalDayTime(Some(IntervalDayTime::new(2, 500)));
        assert_eq!(readable(&months), "INTERVAL '3 months'");
        assert_eq!(readable(&lit(days)), "INTERVAL '2 days 0.5 seconds'");
    }
}
