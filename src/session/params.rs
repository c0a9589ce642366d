//! Values for the parameters of a statement: `$1`, `$2`, …, or `?` in order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arrow::datatypes::DataType;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Timelike, Utc};
use datafusion::common::ScalarValue;
use uuid::Uuid;

use crate::error::{Error, Result};

/// The zone of every instant.
const UTC: &str = "+00:00";

/// Parameter values for `$1`, `$2`, …, each of its own type: whatever implements
/// [`IntoParameter`].
///
/// ```
/// let values = halite::params!["web-1", 0.5, None::<i64>];
/// assert_eq!(values.len(), 3);
/// ```
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        ::std::vec::Vec::<$crate::session::ScalarValue>::from([
            $($crate::session::IntoParameter::into_parameter($value)),*
        ])
    };
}

/// Values for parameters that have names, `$host` in the statement:
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use halite::named_params;
///
/// # let connection = halite::Database::in_memory()?.connect();
/// let row = connection.query_row("SELECT $n AS answer", named_params! { "n" => 42_i64 }).await?;
/// assert_eq!(row.map(|row| row.get::<i64>("answer")).transpose()?, Some(42));
/// # Ok::<(), halite::Error>(())
/// # }).unwrap();
/// ```
#[macro_export]
macro_rules! named_params {
    ($($name:expr => $value:expr),* $(,)?) => {
        $crate::session::NamedParameters::default()$(.with($name, $value))*
    };
}

/// Values by the names of parameters: what [`named_params!`](crate::named_params) makes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamedParameters(Vec<(String, ScalarValue)>);

impl NamedParameters {
    /// These and one more, for `$name`; the name may be written with its sign or without.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl IntoParameter) -> Self {
        let name = name.trim_start_matches(['$', ':', '@']).to_owned();
        self.0.push((name, value.into_parameter()));
        self
    }
}

/// A value that can be given for a parameter, or for a column of an appended row.
///
/// | Rust | SQL |
/// |---|---|
/// | `i8` … `i64`, `u8` … `u64`, `usize` | an integer |
/// | `f32`, `f64` | REAL, DOUBLE |
/// | `bool` | BOOLEAN |
/// | `&str`, `String`, `char` | TEXT |
/// | `&[u8]`, `Vec<u8>`, `[u8; N]` | BYTEA |
/// | [`NaiveDate`] | DATE |
/// | [`NaiveDateTime`] | TIMESTAMP |
/// | [`DateTime`], [`SystemTime`] | TIMESTAMP WITH TIME ZONE; where a TIMESTAMP is asked for, its clock in UTC |
/// | [`NaiveTime`] | TIME |
/// | [`TimeDelta`], [`Duration`] | INTERVAL |
/// | [`Decimal`](crate::Decimal) | DECIMAL |
/// | [`Uuid`] | its text, in lower case with hyphens |
/// | `Option<T>` | the value, or NULL |
/// | [`ScalarValue`] | itself: lists |
///
/// Times are counted in nanoseconds, those outside of 1677 … 2262 in microseconds. References to all of these do, too.
pub trait IntoParameter {
    /// The value as DataFusion has it.
    fn into_parameter(self) -> ScalarValue;
}

/// The values of all parameters of a statement, in order: a tuple, an array, `()` for none, or [`params!`].
pub trait IntoParameters {
    /// The values for `$1`, `$2`, ….
    fn into_parameters(self) -> Vec<ScalarValue>;

    /// Whether each value is for a parameter of a name.
    fn are_named(&self) -> bool {
        false
    }

    /// The values for parameters that have these names; without any, as [`IntoParameters::into_parameters`].
    ///
    /// # Errors
    /// `InvalidInput` that names the parameter which has no value, or the value that is for none.
    fn into_values(self, names: &[String]) -> Result<Vec<ScalarValue>>
    where
        Self: Sized,
    {
        match names.first() {
            None => Ok(self.into_parameters()),
            Some(name) => Err(Error::invalid(format!(
                "the parameters of the statement have names, as ${name}: give their values by name, as \
                 named_params! does"
            ))),
        }
    }
}

impl IntoParameters for NamedParameters {
    fn are_named(&self) -> bool {
        true
    }

    /// In the order in which they were given.
    fn into_parameters(self) -> Vec<ScalarValue> {
        self.0.into_iter().map(|(_, value)| value).collect()
    }

    fn into_values(self, names: &[String]) -> Result<Vec<ScalarValue>> {
        if names.is_empty() && !self.0.is_empty() {
            let message =
                "the parameters of the statement have no names: give their values in order";
            return Err(Error::invalid(message));
        }
        let mut values: Vec<Option<ScalarValue>> = vec![None; names.len()];
        let positions: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        for (name, value) in self.0 {
            let position = positions.get(name.as_str());
            let Some(place) = position.and_then(|position| values.get_mut(*position)) else {
                let known: Vec<String> = names.iter().map(|known| format!("${known}")).collect();
                let known = known.join(", ");
                return Err(Error::invalid(format!(
                    "there is no parameter ${name} in the statement; it has {known}"
                )));
            };
            if place.replace(value).is_some() {
                return Err(Error::invalid(format!("parameter ${name} is given twice")));
            }
        }
        let given = names.iter().zip(values).map(|(name, value)| {
            value.ok_or_else(|| Error::invalid(format!("parameter ${name} has no value")))
        });
        given.collect()
    }
}

macro_rules! as_scalar {
    ($($from:ty => $variant:ident),* $(,)?) => {
        $(impl IntoParameter for $from {
            fn into_parameter(self) -> ScalarValue {
                ScalarValue::$variant(Some(self.into()))
            }
        })*
    };
}

as_scalar! {
    i8 => Int8,
    i16 => Int16,
    i32 => Int32,
    i64 => Int64,
    u8 => UInt8,
    u16 => UInt16,
    u32 => UInt32,
    u64 => UInt64,
    f32 => Float32,
    f64 => Float64,
    bool => Boolean,
    &str => Utf8,
    String => Utf8,
    char => Utf8,
    &[u8] => Binary,
    Vec<u8> => Binary,
}

impl IntoParameter for usize {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::UInt64(Some(self as u64))
    }
}

impl IntoParameter for Cow<'_, str> {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::Utf8(Some(self.into_owned()))
    }
}

impl<const N: usize> IntoParameter for [u8; N] {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::Binary(Some(self.to_vec()))
    }
}

impl IntoParameter for NaiveDate {
    fn into_parameter(self) -> ScalarValue {
        let days = self.signed_duration_since(NaiveDate::default()).num_days();
        // chrono's years, ±262,143, are 96 million days.
        ScalarValue::Date32(i32::try_from(days).ok())
    }
}

impl IntoParameter for NaiveDateTime {
    fn into_parameter(self) -> ScalarValue {
        timestamp(self.and_utc(), None)
    }
}

impl<Z: TimeZone> IntoParameter for DateTime<Z> {
    fn into_parameter(self) -> ScalarValue {
        timestamp(self.to_utc(), Some(Arc::from(UTC)))
    }
}

impl IntoParameter for SystemTime {
    fn into_parameter(self) -> ScalarValue {
        DateTime::<Utc>::from(self).into_parameter()
    }
}

impl IntoParameter for NaiveTime {
    fn into_parameter(self) -> ScalarValue {
        let seconds = i64::from(self.num_seconds_from_midnight());
        // A leap second goes on as the second before it.
        let nanoseconds = i64::from(self.nanosecond()) % 1_000_000_000;
        ScalarValue::Time64Nanosecond(Some(seconds * 1_000_000_000 + nanoseconds))
    }
}

impl IntoParameter for TimeDelta {
    /// In nanoseconds; one that has too many of them in days and the rest.
    fn into_parameter(self) -> ScalarValue {
        let (days, rest) = match self.num_nanoseconds() {
            Some(nanoseconds) => (0, nanoseconds),
            None => {
                let days = self.num_days();
                let rest = self - TimeDelta::days(days);
                // chrono's spans are of 292 million years, 2^37 days.
                let Ok(days) = i32::try_from(days) else {
                    return ScalarValue::IntervalMonthDayNano(None);
                };
                (days, rest.num_nanoseconds().unwrap_or_default())
            }
        };
        ScalarValue::new_interval_mdn(0, days, rest)
    }
}

impl IntoParameter for Duration {
    fn into_parameter(self) -> ScalarValue {
        let delta = TimeDelta::from_std(self);
        delta.map_or(
            ScalarValue::IntervalMonthDayNano(None),
            TimeDelta::into_parameter,
        )
    }
}

impl IntoParameter for Uuid {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::Utf8(Some(self.to_string()))
    }
}

fn timestamp(time: DateTime<Utc>, zone: Option<Arc<str>>) -> ScalarValue {
    match time.timestamp_nanos_opt() {
        Some(count) => ScalarValue::TimestampNanosecond(Some(count), zone),
        None => ScalarValue::TimestampMicrosecond(Some(time.timestamp_micros()), zone),
    }
}

impl IntoParameter for ScalarValue {
    fn into_parameter(self) -> ScalarValue {
        self
    }
}

impl<T: IntoParameter> IntoParameter for Option<T> {
    fn into_parameter(self) -> ScalarValue {
        self.map_or(ScalarValue::Null, T::into_parameter)
    }
}

impl<T: IntoParameter + Clone> IntoParameter for &T {
    fn into_parameter(self) -> ScalarValue {
        self.clone().into_parameter()
    }
}

impl IntoParameters for Vec<ScalarValue> {
    fn into_parameters(self) -> Vec<ScalarValue> {
        self
    }
}

impl IntoParameters for &[ScalarValue] {
    fn into_parameters(self) -> Vec<ScalarValue> {
        self.to_vec()
    }
}

impl IntoParameters for () {
    fn into_parameters(self) -> Vec<ScalarValue> {
        Vec::new()
    }
}

impl<T: IntoParameter, const N: usize> IntoParameters for [T; N] {
    fn into_parameters(self) -> Vec<ScalarValue> {
        self.map(T::into_parameter).into()
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: IntoParameter),+> IntoParameters for ($($name,)+) {
            fn into_parameters(self) -> Vec<ScalarValue> {
                #[allow(non_snake_case, reason = "a value is called as its type")]
                let ($($name,)+) = self;
                vec![$($name.into_parameter()),+]
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
tuples!(A B C D E F G H I J K L M);
tuples!(A B C D E F G H I J K L M N);
tuples!(A B C D E F G H I J K L M N O);
tuples!(A B C D E F G H I J K L M N O P);

/// Gives a time stamp the zone of `wanted`: an instant becomes its clock in UTC, a clock the instant of it in UTC. Any other
/// value stays as it is.
pub(super) fn put_in_zone_of(value: &mut ScalarValue, wanted: &DataType) {
    if let (
        ScalarValue::TimestampSecond(_, zone)
        | ScalarValue::TimestampMillisecond(_, zone)
        | ScalarValue::TimestampMicrosecond(_, zone)
        | ScalarValue::TimestampNanosecond(_, zone),
        DataType::Timestamp(_, wanted),
    ) = (value, wanted)
    {
        zone.clone_from(wanted);
    }
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    #[test]
    fn every_type_becomes_its_sql_value() {
        let day = NaiveDate::from_ymd_opt(1970, 1, 3).unwrap();
        let clock = day.and_hms_opt(1, 0, 0).unwrap();
        let east = FixedOffset::east_opt(3600).unwrap();
        let instant = east.from_local_datetime(&clock).unwrap();
        let bytes: &[u8] = b"ab";
        let hours = |hours: i64| Some(hours * 3_600_000_000_000);
        let given = params![
            1_i8,
            2_u64,
            3_usize,
            0.5_f32,
            true,
            "a",
            String::from("b"),
            &String::from("c"),
            'd',
            bytes,
            b"xy",
            vec![7_u8],
            day,
            clock,
            instant,
            Some(4_i64),
            None::<&str>,
            &5_i32,
            NaiveTime::from_hms_nano_opt(0, 0, 59, 1_500_000_000).unwrap(),
            TimeDelta::seconds(-2),
            Duration::from_nanos(3),
            Uuid::from_u128(0xABC),
        ];
        let expected = [
            ScalarValue::Int8(Some(1)),
            ScalarValue::UInt64(Some(2)),
            ScalarValue::UInt64(Some(3)),
            ScalarValue::Float32(Some(0.5)),
            ScalarValue::Boolean(Some(true)),
            ScalarValue::from("a"),
            ScalarValue::from("b"),
            ScalarValue::from("c"),
            ScalarValue::from("d"),
            ScalarValue::Binary(Some(b"ab".to_vec())),
            ScalarValue::Binary(Some(b"xy".to_vec())),
            ScalarValue::Binary(Some(vec![7])),
            ScalarValue::Date32(Some(2)),
            ScalarValue::TimestampNanosecond(hours(49), None),
            ScalarValue::TimestampNanosecond(hours(48), Some(Arc::from(UTC))),
            ScalarValue::Int64(Some(4)),
            ScalarValue::Null,
            ScalarValue::Int32(Some(5)),
            ScalarValue::Time64Nanosecond(Some(59_500_000_000)),
            ScalarValue::new_interval_mdn(0, 0, -2_000_000_000),
            ScalarValue::new_interval_mdn(0, 0, 3),
            ScalarValue::from("00000000-0000-0000-0000-000000000abc"),
        ];
        assert_eq!(given, expected);
        assert_eq!(("a", 1_i64).into_parameters(), params!["a", 1_i64]);
        assert_eq!([1_i64, 2].into_parameters(), params![1_i64, 2_i64]);
        assert_eq!(().into_parameters(), params![]);
    }

    #[test]
    fn times_beyond_nanoseconds_count_microseconds() {
        let far = NaiveDate::from_ymd_opt(3000, 1, 1)
            .unwrap()
            .and_hms_opt(0, 0, 0)
            .unwrap();
        let micros = far.and_utc().timestamp_micros();
        let expected = ScalarValue::TimestampMicrosecond(Some(micros), None);
        assert_eq!(far.into_parameter(), expected);
        let before = SystemTime::UNIX_EPOCH - std::time::Duration::from_nanos(1);
        let expected = ScalarValue::TimestampNanosecond(Some(-1), Some(Arc::from(UTC)));
        assert_eq!(before.into_parameter(), expected);
    }
}
