//! Fixed-point types, what casts show of their values, and where a constant stands among these.
//!
//! A DATE, a TIMESTAMP, an integer and a DECIMAL hold `n × step` for every whole `n` from `min` to `max`. A constant
//! of any precision falls on one of the values or between two of them, which turns every comparison with it into an
//! exact one in the type's own unit. Two numbers tell the whole place of a constant `c`: the first value that is
//! not below it and the first that is above it ([`Place`]).
//!
//! Casts around a value (DataFusion adds them to bring both sides to one type) are looked through where they keep it, or
//! show a time by a constant offset later ([`View`]). A sum with a constant and a change of sign are seen through in the
//! same way. One kind of cast rounds: an integer or a DECIMAL as DOUBLE. It is
//! monotone, so the place of a constant is found by bisection over the cast itself, and the comparison means what it
//! meant.
//!
//! This is the one meaning of a comparison by value. Two use it: `optimize` writes conditions anew in the column's own
//! unit, before DataFusion's simplifier rounds the constant, and [`lower`](super::lower) makes domains of them. Each has
//! its own table of operators, for one writes expressions, in which NULL and the spelling count, the other sets.

use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::ScalarValue;

use super::exact::Exact;
use crate::datum::{Clocks, Precision, nearest_number};

/// Nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// A type whose values are evenly spaced.
#[derive(Debug, Clone)]
struct FixedPoint {
    data_type: DataType,
    step: Spacing,
    min: i256,
    max: i256,
}

/// From one value of a type to the next.
#[derive(Debug, Clone, Copy)]
enum Spacing {
    /// `10^-scale`.
    Number { scale: i32 },
    /// So many nanoseconds.
    Time { nanos: i128 },
}

impl FixedPoint {
    fn of(data_type: &DataType) -> Option<Self> {
        let (step, min, max) = match data_type {
            DataType::Int8 => integer(i8::MIN, i8::MAX),
            DataType::Int16 => integer(i16::MIN, i16::MAX),
            DataType::Int32 => integer(i32::MIN, i32::MAX),
            DataType::Int64 => integer(i64::MIN, i64::MAX),
            DataType::UInt8 => integer(u8::MIN, u8::MAX),
            DataType::UInt16 => integer(u16::MIN, u16::MAX),
            DataType::UInt32 => integer(u32::MIN, u32::MAX),
            DataType::UInt64 => integer(u64::MIN, u64::MAX),
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale) => decimal(*precision, *scale)?,
            DataType::Date32 => time(DAY, i32::MIN, i32::MAX),
            DataType::Date64 => time(nanos_of(TimeUnit::Millisecond), i64::MIN, i64::MAX),
            DataType::Timestamp(unit, _) => time(nanos_of(*unit), i64::MIN, i64::MAX),
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

    /// Whether every value is a time and a whole number of such units.
    fn is_time_in_units_of(&self, unit: TimeUnit) -> bool {
        matches!(self.step, Spacing::Time { nanos } if nanos >= nanos_of(unit))
    }

    /// The place of a constant between the value `floor`, on which it is if `exact`, and the next.
    fn around(&self, floor: i256, exact: bool) -> Place {
        let end = self.max.wrapping_add(i256::ONE);
        let inside = |n: i256| n.clamp(self.min, end);
        let next = floor.checked_add(i256::ONE).unwrap_or(floor);
        Place {
            not_below: inside(if exact { floor } else { next }),
            above: inside(next),
        }
    }

    /// The place of a DOUBLE among the values as DOUBLEs; NaN is greater than every number.
    fn bisect(&self, scale: i32, constant: f64) -> Place {
        Place {
            not_below: self.first(|n| as_double(n, scale) >= constant),
            above: self.first(|n| as_double(n, scale) > constant),
        }
    }

    /// The least `n` for which `holds` is true, or `max + 1`; `holds` must be monotone.
    fn first(&self, holds: impl Fn(i256) -> bool) -> i256 {
        let two = i256::from(2);
        let (mut low, mut high) = (self.min, self.max.wrapping_add(i256::ONE));
        while low < high {
            let half = high.wrapping_sub(low).wrapping_div(two);
            let middle = low.wrapping_add(half);
            if holds(middle) {
                high = middle;
            } else {
                low = middle.wrapping_add(i256::ONE);
            }
        }
        low
    }
}

fn integer(min: impl Into<i128>, max: impl Into<i128>) -> (Spacing, i256, i256) {
    let (min, max) = (i256::from_i128(min.into()), i256::from_i128(max.into()));
    (Spacing::Number { scale: 0 }, min, max)
}

fn decimal(precision: u8, scale: i8) -> Option<(Spacing, i256, i256)> {
    let end = i256::from(10).checked_pow(precision.into())?;
    let max = end.checked_sub(i256::ONE)?;
    let scale = scale.into();
    Some((Spacing::Number { scale }, max.wrapping_neg(), max))
}

fn time(nanos: i128, min: impl Into<i128>, max: impl Into<i128>) -> (Spacing, i256, i256) {
    let (min, max) = (i256::from_i128(min.into()), i256::from_i128(max.into()));
    (Spacing::Time { nanos }, min, max)
}

fn nanos_of(unit: TimeUnit) -> i128 {
    Precision::from(unit).nanoseconds().into()
}

/// Where a constant stands: the first value that is not below it, and the first above it.
///
/// Both lie in `min ..= max + 1`, where `max + 1` says that there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The first value ≥ the constant.
    pub not_below: i256,
    /// The first value > the constant.
    pub above: i256,
}

impl Place {
    /// Whether the constant is one value of the type. It may also be several that look like it through a rounding cast.
    pub fn is_value(self) -> bool {
        self.above.wrapping_sub(self.not_below) == i256::ONE
    }

    /// Whether the constant falls between two values, or beyond them.
    pub fn is_gap(self) -> bool {
        self.above == self.not_below
    }
}

/// A value of a fixed-point type as the casts around it show it.
#[derive(Debug, Clone)]
pub struct View {
    values: FixedPoint,
    /// The type of the outermost cast.
    shown: DataType,
    /// By how many nanoseconds a time is shown later than it is.
    shift: i128,
    /// What is added to an integer.
    offset: i256,
    /// Whether an integer is shown with the other sign, before that.
    is_falling: bool,
}

impl View {
    /// A value of the type without casts; `None` when it is no fixed-point type.
    pub fn of(data_type: &DataType) -> Option<Self> {
        Some(Self {
            values: FixedPoint::of(data_type)?,
            shown: data_type.clone(),
            shift: 0,
            offset: i256::ZERO,
            is_falling: false,
        })
    }

    /// The view through one more cast; `None` when the cast changes the value.
    ///
    /// The casts so far show the value itself, so that it is the value's own type which must not be finer than `target`.
    pub fn through(&self, target: &DataType) -> Option<Self> {
        use DataType::{Date32, Date64, Float32, Float64, Timestamp};
        let own = &self.values.data_type;
        if self.is_computed() && target.is_floating() {
            return None;
        }
        let shift = match (&self.shown, target) {
            (shown, _) if shown == target => self.shift,
            (shown, _) if !shown.is_floating() && keeps_number(own, target) => 0,
            (_, Float64) if matches!(self.values.step, Spacing::Number { .. }) => 0,
            (shown, Float32) if !shown.is_floating() && is_short(own) => 0,
            (_, Date32 | Date64) if *own == Date32 && self.keeps_clock() => 0,
            (shown, Timestamp(unit, zone)) if self.values.is_time_in_units_of(*unit) => {
                match (shown, zone) {
                    // An instant is given back as its time in UTC.
                    (Timestamp(_, Some(_)), _) | (_, None) => self.shift,
                    (_, Some(zone)) => self.shift - Clocks::always_ahead(zone)?,
                }
            }
            _ => return None,
        };
        Some(Self {
            shown: target.clone(),
            shift,
            ..self.clone()
        })
    }

    /// The view of a sum of an integer and a constant.
    pub fn plus(&self, constant: i256) -> Option<Self> {
        let is_whole = matches!(self.values.step, Spacing::Number { scale: 0 });
        (is_whole && self.shown.is_integer()).then_some(())?;
        Some(Self {
            offset: self.offset.checked_add(constant)?,
            ..self.clone()
        })
    }

    /// The view of an integer with the other sign.
    pub fn negated(&self) -> Option<Self> {
        let view = self.plus(i256::ZERO)?;
        Some(Self {
            offset: view.offset.wrapping_neg(),
            is_falling: !view.is_falling,
            ..view
        })
    }

    /// The view of a time so many nanoseconds later, which the type that is shown can tell.
    pub fn later(&self, nanos: i128) -> Option<Self> {
        let unit = match &self.shown {
            DataType::Date32 => DAY,
            DataType::Timestamp(unit, None) => nanos_of(*unit),
            _ => return None,
        };
        (nanos % unit == 0).then_some(())?;
        Some(Self {
            shift: self.shift.checked_add(nanos)?,
            ..self.clone()
        })
    }

    /// Whether greater values are shown as less.
    pub fn is_falling(&self) -> bool {
        self.is_falling
    }

    fn is_computed(&self) -> bool {
        self.is_falling || self.offset != i256::ZERO
    }

    /// Whether the type that is shown holds what is shown of every value.
    pub fn never_overflows(&self) -> bool {
        let Some(shown) = FixedPoint::of(&self.shown) else {
            return false;
        };
        let ends = [self.values.min, self.values.max].map(|n| {
            let signed = if self.is_falling { n.wrapping_neg() } else { n };
            signed.checked_add(self.offset)
        });
        let fits = |end: Option<i256>| end.is_some_and(|end| shown.min <= end && end <= shown.max);
        self.shift == 0 && ends.into_iter().all(fits)
    }

    /// The number that is shown as a constant, so to speak: there may be no such value.
    fn unshown(&self, constant: Exact) -> Option<Exact> {
        match constant {
            _ if !self.is_computed() => Some(constant),
            Exact::Number { unscaled, scale } => {
                let power = i256::from(10).checked_pow(u32::try_from(scale).ok()?)?;
                let offset = self.offset.checked_mul(power)?;
                let unscaled = if self.is_falling {
                    offset.checked_sub(unscaled)?
                } else {
                    unscaled.checked_sub(offset)?
                };
                Some(Exact::Number { unscaled, scale })
            }
            Exact::Null | Exact::Double(_) | Exact::Single(_) | Exact::Time { .. } => None,
        }
    }

    /// Whether an instant is shown, rather than wall-clock time.
    pub fn is_instant(&self) -> bool {
        matches!(self.shown, DataType::Timestamp(_, Some(_)))
    }

    /// Whether the clocks on which a time is shown are those on which it is stored, so that its parts are the same.
    pub fn keeps_clock(&self) -> bool {
        let is_utc = match &self.shown {
            DataType::Timestamp(_, Some(zone)) => Clocks::always_ahead(zone) == Some(0),
            _ => true,
        };
        is_utc && self.shift == 0
    }

    /// The least and the greatest value.
    pub fn limits(&self) -> (i256, i256) {
        (self.values.min, self.values.max)
    }

    /// The `n`-th value as a constant of its own type; `None` outside of that.
    pub fn literal(&self, n: i256) -> Option<ScalarValue> {
        self.values.literal(n).filter(|value| !value.is_null())
    }

    /// The value that a constant is; `None` when it is none.
    pub fn value(&self, constant: &ScalarValue) -> Option<ScalarValue> {
        let place = self.place(&Exact::of(constant)?)?;
        place.is_value().then(|| self.literal(place.not_below))?
    }

    /// Where `constant` stands among the values; `None` when it cannot be compared with what the casts show.
    pub fn place(&self, constant: &Exact) -> Option<Place> {
        let is_floating = self.shown.is_floating();
        // An integer that nobody has cast is compared with a DOUBLE as if it were one.
        let as_double = is_floating || self.shown.is_integer();
        match (self.unshown(*constant)?, self.values.step) {
            (Exact::Double(constant), Spacing::Number { scale }) if as_double => {
                Some(self.values.bisect(scale, constant))
            }
            (Exact::Single(constant), Spacing::Number { scale }) if as_double => {
                Some(self.values.bisect(scale, constant.into()))
            }
            (Exact::Number { unscaled, scale }, Spacing::Number { scale: own }) if !is_floating => {
                let (floor, exact) = floor_of_power(unscaled, own - scale);
                Some(self.values.around(floor, exact))
            }
            (Exact::Time { nanos, zoned }, Spacing::Time { nanos: step }) => {
                let nanos = nanos.checked_sub(self.shift)?;
                let floor = i256::from_i128(nanos.div_euclid(step));
                (zoned == self.is_instant())
                    .then(|| self.values.around(floor, nanos.rem_euclid(step) == 0))
            }
            _ => None,
        }
    }
}

/// Whether every value of the type is a REAL.
fn is_short(data_type: &DataType) -> bool {
    use DataType::{Int8, Int16, UInt8, UInt16};
    matches!(data_type, Int8 | Int16 | UInt8 | UInt16)
}

/// Whether a cast between exact numbers either keeps the value or fails.
pub fn keeps_number(source: &DataType, target: &DataType) -> bool {
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
pub fn always_fits(source: &DataType, target: &DataType) -> bool {
    let (Some(from), Some(to)) = (FixedPoint::of(source), FixedPoint::of(target)) else {
        return false;
    };
    let (Spacing::Number { scale: digits }, Spacing::Number { scale: wanted }) =
        (from.step, to.step)
    else {
        return false;
    };
    let (least, _) = floor_of_power(from.min, wanted - digits);
    let (most, _) = floor_of_power(from.max, wanted - digits);
    to.min <= least && most <= to.max
}

/// `floor(n × 10^power)` and whether that is exact; beyond 256 bits the nearest bound, which is past every type.
fn floor_of_power(n: i256, power: i32) -> (i256, bool) {
    if n == i256::ZERO || power == 0 {
        return (n, true);
    }
    let beyond = if n.is_negative() {
        i256::MIN
    } else {
        i256::MAX
    };
    match i256::from(10).checked_pow(power.unsigned_abs()) {
        Some(ten) if power > 0 => (n.checked_mul(ten).unwrap_or(beyond), true),
        None if power > 0 => (beyond, true),
        Some(ten) => {
            let quotient = n.wrapping_div(ten);
            let exact = n.wrapping_rem(ten) == i256::ZERO;
            let down = i256::from(i64::from(!exact && n.is_negative()));
            (quotient.wrapping_sub(down), exact)
        }
        None => (i256::from(-i64::from(n.is_negative())), false),
    }
}

/// `n × 10^-scale` as the nearest DOUBLE.
fn as_double(n: i256, scale: i32) -> f64 {
    match n.to_i128() {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the rounding of the cast is what is asked about"
        )]
        Some(n) if scale == 0 => n as f64,
        // Every such text is a number.
        _ => nearest_number(n, scale).unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
#[path = "fixed_point_tests.rs"]
mod tests;
