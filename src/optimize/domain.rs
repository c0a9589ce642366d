//! Columns whose values are evenly spaced, and where a constant falls between them.
//!
//! A DATE, a TIMESTAMP, an integer and a DECIMAL hold `n × step` for every whole `n` from `min` to `max`. A constant
//! of any precision falls on one of the values or between two of them, which turns every comparison with it into an
//! exact one in the column's own unit. Two numbers tell the whole place of a constant `c`: the first value that is
//! not below it and the first that is above it ([`Place`]).
//!
//! Casts around a column that keep the value (DataFusion adds them to bring both sides to one type) are taken off
//! first. One kind of cast rounds: an integer or a DECIMAL as DOUBLE. It is monotone, so the place of a constant is
//! found by bisection over the cast itself, and the comparison means what it meant.
//!
//! The year of a TIMESTAMP counts as evenly spaced too. DataFusion turns a comparison with it into bounds on the column,
//! and takes a bound that nanoseconds cannot hold for NULL, which no row satisfies. So there the domain ends with the
//! years that nanoseconds reach, and its ends are never compared for equality ([`Operand::is_open_end`]).

use arrow::compute::kernels::cast_utils::IntervalUnit;
use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable};

use super::exact::{Exact, fixed_offset, floor_of_power};
use super::floats;
use super::lossy::shown;

/// Nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// An evenly spaced type.
#[derive(Debug, Clone, PartialEq)]
struct Domain {
    data_type: DataType,
    step: Step,
    min: i256,
    max: i256,
}

/// What one step of a domain is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// `10^-scale`.
    Number { scale: i32 },
    /// So many nanoseconds; `zoned` for instants, otherwise wall-clock time.
    Time { nanos: i128, zoned: bool },
}

impl Domain {
    fn of(data_type: &DataType) -> Option<Self> {
        let (step, min, max) = match data_type {
            DataType::Int8 => number(0, i8::MIN, i8::MAX),
            DataType::Int16 => number(0, i16::MIN, i16::MAX),
            DataType::Int32 => number(0, i32::MIN, i32::MAX),
            DataType::Int64 => number(0, i64::MIN, i64::MAX),
            DataType::UInt8 => number(0, u8::MIN, u8::MAX),
            DataType::UInt16 => number(0, u16::MIN, u16::MAX),
            DataType::UInt32 => number(0, u32::MIN, u32::MAX),
            DataType::UInt64 => number(0, u64::MIN, u64::MAX),
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale) => decimal(*precision, *scale)?,
            DataType::Date32 => time(DAY, false, i32::MIN, i32::MAX),
            DataType::Date64 => time(1_000_000, false, i64::MIN, i64::MAX),
            DataType::Timestamp(unit, zone) => {
                time(nanos_of(*unit), zone.is_some(), i64::MIN, i64::MAX)
            }
            _ => return None,
        };
        Some(Self {
            data_type: data_type.clone(),
            step,
            min,
            max,
        })
    }

    /// The `n`-th value as a constant of the type.
    fn literal(&self, n: i256) -> Option<ScalarValue> {
        if let DataType::Decimal256(precision, scale) = self.data_type {
            return Some(ScalarValue::Decimal256(Some(n), precision, scale));
        }
        let n = n.to_i128()?;
        Some(match &self.data_type {
            DataType::Int8 => ScalarValue::Int8(n.try_into().ok()),
            DataType::Int16 => ScalarValue::Int16(n.try_into().ok()),
            DataType::Int32 => ScalarValue::Int32(n.try_into().ok()),
            DataType::Int64 => ScalarValue::Int64(n.try_into().ok()),
            DataType::UInt8 => ScalarValue::UInt8(n.try_into().ok()),
            DataType::UInt16 => ScalarValue::UInt16(n.try_into().ok()),
            DataType::UInt32 => ScalarValue::UInt32(n.try_into().ok()),
            DataType::UInt64 => ScalarValue::UInt64(n.try_into().ok()),
            DataType::Decimal32(p, s) => ScalarValue::Decimal32(n.try_into().ok(), *p, *s),
            DataType::Decimal64(p, s) => ScalarValue::Decimal64(n.try_into().ok(), *p, *s),
            DataType::Decimal128(p, s) => ScalarValue::Decimal128(Some(n), *p, *s),
            DataType::Date32 => ScalarValue::Date32(n.try_into().ok()),
            DataType::Date64 => ScalarValue::Date64(n.try_into().ok()),
            DataType::Timestamp(unit, zone) => {
                let (n, zone) = (n.try_into().ok(), zone.clone());
                match unit {
                    TimeUnit::Second => ScalarValue::TimestampSecond(n, zone),
                    TimeUnit::Millisecond => ScalarValue::TimestampMillisecond(n, zone),
                    TimeUnit::Microsecond => ScalarValue::TimestampMicrosecond(n, zone),
                    TimeUnit::Nanosecond => ScalarValue::TimestampNanosecond(n, zone),
                }
            }
            _ => return None,
        })
    }

    /// The least `n` of the domain for which `holds` is true, or `max + 1`; `holds` must be monotone.
    fn first(&self, holds: impl Fn(i256) -> bool) -> i256 {
        let (one, two) = (i256::from(1), i256::from(2));
        let (mut low, mut high) = (self.min, self.max.wrapping_add(one));
        while low < high {
            let half = high.wrapping_sub(low).wrapping_div(two);
            let middle = low.wrapping_add(half);
            if holds(middle) {
                high = middle;
            } else {
                low = middle.wrapping_add(one);
            }
        }
        low
    }
}

fn number(scale: i32, min: impl Into<i128>, max: impl Into<i128>) -> (Step, i256, i256) {
    let (min, max) = (i256::from_i128(min.into()), i256::from_i128(max.into()));
    (Step::Number { scale }, min, max)
}

fn decimal(precision: u8, scale: i8) -> Option<(Step, i256, i256)> {
    let max = i256::from(10)
        .checked_pow(precision.into())?
        .checked_sub(i256::from(1))?;
    let step = Step::Number {
        scale: scale.into(),
    };
    Some((step, max.wrapping_neg(), max))
}

fn time(
    nanos: i128,
    zoned: bool,
    min: impl Into<i128>,
    max: impl Into<i128>,
) -> (Step, i256, i256) {
    let (min, max) = (i256::from_i128(min.into()), i256::from_i128(max.into()));
    (Step::Time { nanos, zoned }, min, max)
}

/// Nanoseconds of a unit of time.
pub(super) fn nanos_of(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// How a value looks through the casts around it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum View {
    /// The same number or time, later by `shift` nanoseconds.
    Same { shift: i128 },
    /// The nearest DOUBLE.
    Double,
}

/// Where a constant falls: the first value that is not below it, and the first above it.
///
/// Both lie in `min ..= max + 1`, where `max + 1` says that there is none. They differ by one when the constant is a
/// value of the domain, are the same when it falls between two, and differ by more when several values look like it
/// through a rounding cast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// The first value ≥ the constant.
    pub not_below: i256,
    /// The first value > the constant.
    pub above: i256,
}

/// One side of a comparison: an expression of an evenly spaced type, seen through casts.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    /// The expression without the casts.
    pub expr: Expr,
    domain: Domain,
    view: View,
    /// Whether the type of the side, casts included, is an instant rather than wall-clock time.
    zoned: bool,
    /// Whether it is a year of which the first and the last have only one bound.
    open_ends: bool,
}

impl Operand {
    /// Takes the value-keeping casts off `expr`; `None` when its type is not evenly spaced.
    pub fn of(expr: &Expr, schema: &DFSchema) -> Option<Self> {
        let mut inner = expr;
        let mut inner_type = expr.get_type(schema).ok()?;
        let zoned = matches!(inner_type, DataType::Timestamp(_, Some(_)));
        let mut view = View::Same { shift: 0 };
        while let Expr::Cast(Cast { expr: source, .. }) = shown(inner) {
            let Ok(source_type) = source.get_type(schema) else {
                break;
            };
            let Some(seen) = through(view, &source_type, &inner_type) else {
                break;
            };
            (inner, inner_type, view) = (source, source_type, seen);
        }
        let mut domain = Domain::of(&inner_type)?;
        let open_ends = is_year_of_nanoseconds(inner, schema);
        if open_ends {
            [domain.min, domain.max] = YEARS_OF_NANOSECONDS.map(i256::from);
        }
        Some(Self {
            domain,
            expr: inner.clone(),
            view,
            zoned,
            open_ends,
        })
    }

    /// Whether `place` is a first or last value that must not be compared for equality: it has no bound on its far side.
    pub fn is_open_end(&self, place: Place) -> bool {
        let (min, max) = self.limits();
        self.open_ends && place.is_value() && (place.not_below == min || place.not_below == max)
    }

    /// The least and the greatest value.
    pub fn limits(&self) -> (i256, i256) {
        (self.domain.min, self.domain.max)
    }

    /// The `n`-th value as a constant; `None` outside of the domain.
    pub fn literal(&self, n: i256) -> Option<Expr> {
        let value = self.domain.literal(n)?;
        (!value.is_null()).then(|| Expr::Literal(value, None))
    }

    /// Where `constant` falls among the values; `None` when the two cannot be compared by value.
    pub fn place(&self, constant: &Exact) -> Option<Place> {
        match (constant, self.domain.step, self.view) {
            (
                Exact::Number {
                    unscaled,
                    scale: of,
                },
                Step::Number { scale },
                View::Same { .. },
            ) => {
                let (floor, exact) = floor_of_power(*unscaled, scale - of);
                Some(self.around(floor, exact))
            }
            (
                Exact::Time { nanos, zoned },
                Step::Time { nanos: step, .. },
                View::Same { shift },
            ) => {
                let from_zero = nanos.checked_sub(shift)?;
                let floor = i256::from_i128(from_zero.div_euclid(step));
                (*zoned == self.zoned).then(|| self.around(floor, from_zero.rem_euclid(step) == 0))
            }
            (Exact::Double(constant), Step::Number { scale }, View::Double) => {
                Some(self.bisect(scale, *constant))
            }
            _ => None,
        }
    }

    /// The place of a constant with this floor.
    fn around(&self, floor: i256, exact: bool) -> Place {
        let end = self.domain.max.wrapping_add(i256::from(1));
        let inside = |n: i256| n.clamp(self.domain.min, end);
        let next = floor.checked_add(i256::from(1)).unwrap_or(floor);
        Place {
            not_below: inside(if exact { floor } else { next }),
            above: inside(next),
        }
    }

    /// The place of a DOUBLE; NaN is greater than every number.
    fn bisect(&self, scale: i32, constant: f64) -> Place {
        Place {
            not_below: self.domain.first(|n| as_double(n, scale) >= constant),
            above: self.domain.first(|n| as_double(n, scale) > constant),
        }
    }
}

/// The first and the last year of which nanoseconds since 1970 hold a part.
const YEARS_OF_NANOSECONDS: [i32; 2] = [1677, 2262];

/// Whether the expression is `date_part('year', c)` of a timestamp in nanoseconds.
pub(super) fn is_year_of_nanoseconds(expr: &Expr, schema: &DFSchema) -> bool {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expr else {
        return false;
    };
    let [Expr::Literal(unit, _), source] = args.as_slice() else {
        return false;
    };
    let unit = unit.try_as_str().flatten().unwrap_or_default();
    let unit = unit.trim_matches(['\'', '"']).parse();
    func.name() == "date_part"
        && matches!(unit, Ok(IntervalUnit::Year))
        && matches!(
            source.get_type(schema),
            Ok(DataType::Timestamp(TimeUnit::Nanosecond, _))
        )
}

/// The view through one more cast, from `source` to `target`; `None` when the cast does not keep the value.
fn through(view: View, source: &DataType, target: &DataType) -> Option<View> {
    use DataType::{Date32, Date64, Float64, Timestamp};
    if *target == Float64 {
        let rounds = source.is_integer() || source.is_decimal();
        return (rounds && view == View::Same { shift: 0 }).then_some(View::Double);
    }
    let View::Same { shift } = view else {
        return keeps_number(source, target).then_some(view);
    };
    match (source, target) {
        _ if keeps_number(source, target) => Some(view),
        (Date32, Date64 | Timestamp(_, None)) => Some(view),
        (Date64, Timestamp(unit, None)) if nanos_of(*unit) <= 1_000_000 => Some(view),
        (Timestamp(from, _), Timestamp(to, _)) if nanos_of(*to) > nanos_of(*from) => None,
        // Arrow reads wall-clock time in the zone, and gives an instant back as its time in UTC.
        (Timestamp(_, None), Timestamp(_, Some(zone))) => {
            let shift = shift - fixed_offset(zone)?;
            Some(View::Same { shift })
        }
        (Timestamp(..), Timestamp(..)) => Some(view),
        _ => None,
    }
}

/// Whether a cast between exact numbers either keeps the value or fails.
pub(super) fn keeps_number(source: &DataType, target: &DataType) -> bool {
    let scale = |data_type: &DataType| match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Some(*scale),
        other => other.is_integer().then_some(0),
    };
    match (scale(source), scale(target)) {
        (Some(from), Some(to)) => to >= from,
        _ => false,
    }
}

/// Whether a type of exact numbers holds every value of another, of which it has all digits behind the point.
pub(super) fn always_fits(source: &DataType, target: &DataType) -> bool {
    let (Some(from), Some(to)) = (Domain::of(source), Domain::of(target)) else {
        return false;
    };
    let (Step::Number { scale: digits }, Step::Number { scale: wanted }) = (from.step, to.step)
    else {
        return false;
    };
    let (least, _) = floor_of_power(from.min, wanted - digits);
    let (most, _) = floor_of_power(from.max, wanted - digits);
    to.min <= least && most <= to.max
}

/// `n × 10^-scale` as the nearest DOUBLE.
fn as_double(n: i256, scale: i32) -> f64 {
    match floats::from_decimal(n, scale, &DataType::Float64) {
        Some(Exact::Double(nearest)) => nearest,
        _ if n.is_negative() => f64::NEG_INFINITY,
        _ => f64::INFINITY,
    }
}
