//! Values for the parameters of a statement: `$1`, `$2`, …, or `?` in order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Timelike, Utc};
use datafusion::common::ScalarValue;
use uuid::Uuid;

use crate::error::{Error, Result};

mod lists;

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
/// | `Vec<T>`, `&[T]`, `[T; N]` | LIST, as in `k = ANY($1)`; those of `u8` are a BYTEA |
/// | tuples of up to eight | STRUCT, member by member |
/// | `HashMap<K, V>`, `BTreeMap<K, V>` | MAP |
/// | [`serde_json::Value`] | `null`, a boolean, a number or a text as that; an array of such as a LIST; any other as its text |
/// | [`ScalarValue`] | itself |
///
/// Times are counted in nanoseconds, those outside of 1677 … 2262 in microseconds. References to all of these do, too.
pub trait IntoParameter {
    /// The value as DataFusion has it.
    fn into_parameter(self) -> ScalarValue;

    /// The type of all values, which lists have also where they are empty; `Null` where it is not one.
    #[doc(hidden)]
    fn parameter_type() -> DataType
    where
        Self: Sized,
    {
        DataType::Null
    }

    /// What several of them are together.
    #[doc(hidden)]
    fn list_into_parameter(values: Vec<Self>) -> ScalarValue
    where
        Self: Sized,
    {
        let values = values.into_iter().map(Self::into_parameter).collect();
        lists::list(values, &Self::parameter_type())
    }
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

            fn parameter_type() -> DataType {
                ScalarValue::$variant(None).data_type()
            }
        })*
    };
}

as_scalar! {
    i8 => Int8,
    i16 => Int16,
    i32 => Int32,
    i64 => Int64,
    u16 => UInt16,
    u32 => UInt32,
    u64 => UInt64,
    f32 => Float32,
    f64 => Float64,
    bool => Boolean,
    &str => Utf8,
    String => Utf8,
    char => Utf8,
}

impl IntoParameter for u8 {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::UInt8(Some(self))
    }

    fn parameter_type() -> DataType {
        DataType::UInt8
    }

    fn list_into_parameter(values: Vec<Self>) -> ScalarValue {
        ScalarValue::Binary(Some(values))
    }
}

impl IntoParameter for usize {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::UInt64(Some(self as u64))
    }

    fn parameter_type() -> DataType {
        DataType::UInt64
    }
}

impl IntoParameter for Cow<'_, str> {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::Utf8(Some(self.into_owned()))
    }

    fn parameter_type() -> DataType {
        DataType::Utf8
    }
}

impl<T: IntoParameter> IntoParameter for Vec<T> {
    fn into_parameter(self) -> ScalarValue {
        T::list_into_parameter(self)
    }

    fn parameter_type() -> DataType {
        T::list_into_parameter(Vec::new()).data_type()
    }
}

impl<T: IntoParameter + Clone> IntoParameter for &[T] {
    fn into_parameter(self) -> ScalarValue {
        T::list_into_parameter(self.to_vec())
    }

    fn parameter_type() -> DataType {
        Vec::<T>::parameter_type()
    }
}

impl<T: IntoParameter, const N: usize> IntoParameter for [T; N] {
    fn into_parameter(self) -> ScalarValue {
        T::list_into_parameter(self.into())
    }

    fn parameter_type() -> DataType {
        Vec::<T>::parameter_type()
    }
}

/// The type that most of their values have; where one has another the list has what suits both.
macro_rules! typed_as {
    ($type:expr) => {
        fn parameter_type() -> DataType {
            $type
        }
    };
}

impl IntoParameter for NaiveDate {
    fn into_parameter(self) -> ScalarValue {
        let days = self.signed_duration_since(NaiveDate::default()).num_days();
        // chrono's years, ±262,143, are 96 million days.
        ScalarValue::Date32(i32::try_from(days).ok())
    }

    typed_as!(DataType::Date32);
}

impl IntoParameter for NaiveDateTime {
    fn into_parameter(self) -> ScalarValue {
        timestamp(self.and_utc(), None)
    }

    typed_as!(DataType::Timestamp(TimeUnit::Nanosecond, None));
}

impl<Z: TimeZone> IntoParameter for DateTime<Z> {
    fn into_parameter(self) -> ScalarValue {
        timestamp(self.to_utc(), Some(Arc::from(UTC)))
    }

    typed_as!(DataType::Timestamp(
        TimeUnit::Nanosecond,
        Some(Arc::from(UTC))
    ));
}

impl IntoParameter for SystemTime {
    fn into_parameter(self) -> ScalarValue {
        DateTime::<Utc>::from(self).into_parameter()
    }

    typed_as!(DateTime::<Utc>::parameter_type());
}

impl IntoParameter for NaiveTime {
    fn into_parameter(self) -> ScalarValue {
        let seconds = i64::from(self.num_seconds_from_midnight());
        // A leap second goes on as the second before it.
        let nanoseconds = i64::from(self.nanosecond()) % 1_000_000_000;
        ScalarValue::Time64Nanosecond(Some(seconds * 1_000_000_000 + nanoseconds))
    }

    typed_as!(DataType::Time64(TimeUnit::Nanosecond));
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

    typed_as!(DataType::Interval(IntervalUnit::MonthDayNano));
}

impl IntoParameter for Duration {
    fn into_parameter(self) -> ScalarValue {
        let delta = TimeDelta::from_std(self);
        delta.map_or(
            ScalarValue::IntervalMonthDayNano(None),
            TimeDelta::into_parameter,
        )
    }

    typed_as!(TimeDelta::parameter_type());
}

impl IntoParameter for Uuid {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::Utf8(Some(self.to_string()))
    }

    typed_as!(DataType::Utf8);
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

    typed_as!(T::parameter_type());
}

impl<T: IntoParameter + Clone> IntoParameter for &T {
    fn into_parameter(self) -> ScalarValue {
        self.clone().into_parameter()
    }

    typed_as!(T::parameter_type());
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

    #[tokio::test]
    async fn values_of_many_parts_are_what_they_are_read_as() {
        use std::collections::BTreeMap;
        let connection = crate::session::Database::in_memory().unwrap().connect();
        macro_rules! same {
            ($($value:expr => $type:ty;)*) => {
                $({
                    let value: $type = $value;
                    let read = connection.query_scalar("SELECT $1 AS v", (value.clone(),));
                    let read: Option<$type> = read.await.unwrap();
                    assert_eq!(read, Some(value));
                })*
            };
        }
        let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
        let far = NaiveDate::from_ymd_opt(3000, 1, 1).unwrap();
        let clock = |day: NaiveDate| day.and_hms_opt(1, 2, 3).unwrap();
        same! {
            vec![1, 2, 3] => Vec<i64>;
            vec![] => Vec<i64>;
            vec!["a".to_owned(), "b".to_owned()] => Vec<String>;
            vec![Some(1), None] => Vec<Option<i32>>;
            vec![0, 255] => Vec<u8>;
            vec![vec![1, 2], vec![]] => Vec<Vec<i32>>;
            vec![day, far] => Vec<NaiveDate>;
            vec![clock(day), clock(far)] => Vec<NaiveDateTime>;
            vec![Uuid::from_u128(7)] => Vec<Uuid>;
            Some(vec![0.5]) => Option<Vec<f64>>;
            None => Option<Vec<f64>>;
            (1, "a".to_owned(), None) => (i32, String, Option<bool>);
            vec![(1, true), (2, false)] => Vec<(i64, bool)>;
            BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]) => BTreeMap<String, i64>;
            HashMap::from([("a".to_owned(), vec![1])]) => HashMap<String, Vec<i64>>;
        }
    }

    #[tokio::test]
    async fn keys_are_asked_for_by_a_list() {
        let connection = crate::session::Database::in_memory().unwrap().connect();
        let script = "CREATE TABLE t (k BIGINT, c TEXT, PRIMARY KEY (k)); \
            INSERT INTO t SELECT value, 'c' || value FROM generate_series(1, 1000)";
        connection.execute_script(script).await.unwrap();
        let ask = "SELECT c FROM t WHERE k = ANY($1) ORDER BY k";
        let prepared = connection.prepare(ask).await.unwrap();
        let (list, slice): (Vec<i64>, &[i64]) = (vec![7, 5000, 3], &[7, 5000, 3]);
        for _ in 0..2 {
            let rows = connection.rows(ask, (list.clone(),)).await.unwrap();
            let texts: Vec<(String,)> = rows.to_vec().unwrap();
            assert_eq!(texts, [("c3".to_owned(),), ("c7".to_owned(),)]);
            for rows in [
                connection.rows(ask, (slice,)).await.unwrap(),
                connection.rows(ask, ([7_i64, 5000, 3],)).await.unwrap(),
                prepared.rows((&list,)).await.unwrap(),
                prepared
                    .rows((serde_json::json!([7, 5000, 3]),))
                    .await
                    .unwrap(),
            ] {
                assert_eq!(rows.len(), 2);
            }
            let none: Vec<i64> = Vec::new();
            assert!(prepared.rows((none,)).await.unwrap().is_empty());
        }
    }

    #[test]
    fn json_is_what_it_says() {
        use serde_json::json;
        let given = |value: serde_json::Value| value.into_parameter();
        assert_eq!(given(json!(null)), ScalarValue::Null);
        assert_eq!(given(json!(7)), ScalarValue::from(7_i64));
        assert_eq!(given(json!(0.5)), ScalarValue::from(0.5));
        assert_eq!(given(json!("a")), ScalarValue::from("a"));
        assert_eq!(given(json!({"a": [1]})), ScalarValue::from(r#"{"a":[1]}"#));
        let mixed = given(json!([1, 2.5, null]));
        assert_eq!(
            mixed,
            vec![Some(1.0), Some(2.5), None::<f64>].into_parameter()
        );
        let texts = given(json!(["a", "b"]));
        assert_eq!(texts, vec!["a", "b"].into_parameter());
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
