//! Rows as types of the program: whatever implements serde's `Deserialize`.
//!
//! A struct or a map takes columns by their names, a tuple by their places, and a value alone is that of the only column.
//! Dates, times and intervals are given as ISO 8601 writes them, decimals as their digits.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::rows::expect_columns;
use super::{FromValue, Row, Rows, Value};
use crate::error::{Error, Result};

impl Row {
    /// The row as a type that implements serde's `Deserialize`: a struct has fields with the names of columns, of which it
    /// need not take all.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// #[derive(serde::Deserialize)]
    /// struct Gull {
    ///     name: String,
    ///     seen: Option<u32>,
    /// }
    /// # let connection = halite::Database::in_memory()?.connect();
    /// let row = connection.query_row("SELECT 'kelp' AS name, 7 AS seen, 0.5 AS weight", ()).await?;
    /// let gull: Gull = row.expect("there is one").deserialize()?;
    /// assert_eq!((gull.name.as_str(), gull.seen), ("kelp", Some(7)));
    /// # Ok::<(), halite::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `InvalidInput` that names the column whose value the type does not take, or the field that has no column.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(Whole { row: self })
    }
}

impl Rows {
    /// The rows as [`Row::deserialize`] gives each.
    ///
    /// # Errors
    /// As [`Row::deserialize`].
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        self.iter().map(|row| row.deserialize()).collect()
    }
}

/// A row.
struct Whole<'r> {
    row: &'r Row,
}

impl Whole<'_> {
    fn columns(&self) -> Columns<'_> {
        Columns {
            row: self.row,
            next: 0,
        }
    }

    /// The value of the only column.
    fn only(&self) -> Result<Cell<'_>> {
        match self.row.len() {
            1 => Ok(Cell(self.row.get(0)?)),
            columns => Err(Error::invalid(format!(
                "the rows have {columns} columns, and are read as one value"
            ))),
        }
    }
}

macro_rules! of_only_value {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.only()?.$method(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Whole<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_map(self.columns())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self.columns())
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        expect_columns(self.row, length)?;
        visitor.visit_seq(self.columns())
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value> {
        expect_columns(self.row, length)?;
        visitor.visit_seq(self.columns())
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.only()?.deserialize_enum(name, variants, visitor)
    }

    of_only_value! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_option
    }

    forward_to_deserialize_any! { unit unit_struct map struct identifier ignored_any }
}

/// The columns of a row, one after the other.
struct Columns<'r> {
    row: &'r Row,
    next: usize,
}

impl Columns<'_> {
    /// The name of the next column; `None` behind the last.
    fn name(&self) -> Option<String> {
        let schema = self.row.schema();
        let field = schema.fields().get(self.next);
        field.map(|field| field.name().clone())
    }

    /// The value of the next column.
    fn take<'de, S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let (position, name) = (self.next, self.name().unwrap_or_default());
        self.next += 1;
        let value = self.row.get(position)?;
        let taken = seed.deserialize(Cell(value));
        taken.map_err(|error: Error| error.context(format!("column `{name}`")))
    }
}

impl<'de> MapAccess<'de> for Columns<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        match self.name() {
            Some(name) => seed.deserialize(name.into_deserializer()).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.take(seed)
    }
}

impl<'de> SeqAccess<'de> for Columns<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        match self.name() {
            Some(_) => self.take(seed).map(Some),
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.row.len().saturating_sub(self.next))
    }
}

/// One value.
struct Cell<'r>(Value<'r>);

impl<'de> IntoDeserializer<'de, Error> for Cell<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'r> Cell<'r> {
    /// A value inside of another one.
    fn inside(value: Option<Value<'r>>) -> Result<Self> {
        let missing =
            || Error::unsupported("a value inside of another one, of a type that rows do not give");
        value.map(Self).ok_or_else(missing)
    }

    /// The value as text, for what serde has no kind of value for.
    fn text(&self) -> Result<String> {
        let value = self.0;
        let text = match value {
            Value::Date(_) => NaiveDate::from_value(value).map(|day| day.to_string()),
            Value::Timestamp { zoned: true, .. } => {
                DateTime::<Utc>::from_value(value).map(|instant| format!("{instant:?}"))
            }
            Value::Timestamp { .. } => {
                NaiveDateTime::from_value(value).map(|clock| format!("{clock:?}"))
            }
            Value::Time(_) => NaiveTime::from_value(value).map(|time| time.to_string()),
            Value::Interval {
                months,
                days,
                nanoseconds,
            } => {
                let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
                let sign = if nanoseconds < 0 { "-" } else { "" };
                let (seconds, rest) = (seconds.unsigned_abs(), rest.unsigned_abs());
                Some(format!("P{months}M{days}DT{sign}{seconds}.{rest:09}S"))
            }
            _ => String::from_value(value),
        };
        text.ok_or_else(|| Error::invalid(format!("{value:?} is beyond the calendar")))
    }
}

impl<'de> Deserializer<'de> for Cell<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Boolean(value) => visitor.visit_bool(value),
            Value::Integer(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => visitor.visit_i64(value),
                (_, Ok(value)) => visitor.visit_u64(value),
                _ => visitor.visit_i128(value),
            },
            Value::Double(value) => visitor.visit_f64(value),
            Value::Text(text) => visitor.visit_str(text),
            Value::Bytes(bytes) => visitor.visit_bytes(bytes),
            Value::Decimal { .. }
            | Value::Date(_)
            | Value::Timestamp { .. }
            | Value::Time(_)
            | Value::Interval { .. } => visitor.visit_string(self.text()?),
            Value::List(elements) => {
                let elements = elements.iter().map(Cell::inside);
                let elements = elements.collect::<Result<Vec<_>>>()?;
                visitor.visit_seq(SeqDeserializer::<_, Error>::new(elements.into_iter()))
            }
            Value::Struct(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| Ok((name, Cell::inside(value)?)));
                let members = members.collect::<Result<Vec<_>>>()?;
                visitor.visit_map(MapDeserializer::<_, Error>::new(members.into_iter()))
            }
            Value::Map(entries) => {
                let entries = entries.iter();
                let entries =
                    entries.map(|(key, value)| Ok((Cell::inside(key)?, Cell::inside(value)?)));
                let entries = entries.collect::<Result<Vec<_>>>()?;
                visitor.visit_map(MapDeserializer::<_, Error>::new(entries.into_iter()))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    /// A number that an `f64` can be read from, a decimal too.
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match f64::from_value(self.0) {
            Some(value) => visitor.visit_f64(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match f32::from_value(self.0) {
            Some(value) => visitor.visit_f32(value),
            None => self.deserialize_any(visitor),
        }
    }

    /// Bytes are a list of numbers to a `Vec<u8>`.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Value::Bytes(bytes) => {
                visitor.visit_seq(SeqDeserializer::<_, Error>::new(bytes.iter().copied()))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    /// A text that names a variant.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.0 {
            Value::Text(text) => {
                let variant: serde::de::value::StringDeserializer<Error> =
                    text.to_owned().into_deserializer();
                variant.deserialize_enum(name, variants, visitor)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use crate::session::{Database, Rows};

    async fn rows(sql: &str) -> Rows {
        let connection = Database::in_memory().unwrap().connect();
        connection.rows(sql, ()).await.unwrap()
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Herring,
        Kelp,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Gull {
        kind: Kind,
        seen: Option<String>,
        at: String,
        weight: f64,
        price: String,
        wings: u8,
        ring: Vec<u8>,
        tame: bool,
    }

    const GULL: &str = "SELECT 'kelp' AS kind, CAST(NULL AS DATE) AS seen, 'x' AS other, \
        TIMESTAMP '2024-01-31 12:00:00.5' AS at, CAST(1.50 AS DECIMAL(5, 2)) AS weight, \
        CAST(1.50 AS DECIMAL(5, 2)) AS price, 2 AS wings, x'00ff' AS ring, true AS tame";

    #[tokio::test]
    async fn rows_become_structs_tuples_maps_and_values() {
        let gulls: Vec<Gull> = rows(GULL).await.deserialize().unwrap();
        let gull = Gull {
            kind: Kind::Kelp,
            seen: None,
            at: "2024-01-31T12:00:00.500".to_owned(),
            weight: 1.5,
            price: "1.50".to_owned(),
            wings: 2,
            ring: vec![0, 255],
            tame: true,
        };
        assert_eq!(gulls, [gull]);
        let pairs = rows("SELECT * FROM (VALUES ('a', 1), ('b', 2)) t (a, b)").await;
        let tuples: Vec<(String, i32)> = pairs.deserialize().unwrap();
        assert_eq!(tuples, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
        let numbers = rows("SELECT 1 AS a, 2 AS b").await;
        let maps: Vec<HashMap<String, i64>> = numbers.deserialize().unwrap();
        let expected = [("a".to_owned(), 1), ("b".to_owned(), 2)];
        assert_eq!(maps, [HashMap::from(expected)]);
        let alone = rows("SELECT DATE '2024-01-31' AS a").await;
        assert_eq!(alone.deserialize::<String>().unwrap(), ["2024-01-31"]);
        assert_eq!(alone.deserialize::<Option<String>>().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn what_does_not_fit_is_told_with_its_column() {
        let told = |result: crate::error::Result<Vec<Gull>>| result.unwrap_err().to_string();
        let wrong = rows(&GULL.replace("2 AS wings", "300 AS wings")).await;
        let error = told(wrong.deserialize());
        assert!(
            error.contains("column `wings`: ") && error.contains("300"),
            "{error}"
        );
        let missing = rows(&GULL.replace("true AS tame", "true AS wild")).await;
        let error = told(missing.deserialize());
        assert!(error.contains("missing field `tame`"), "{error}");
        let several = rows("SELECT 1 AS a, 2 AS b").await;
        let error = several.deserialize::<(i64,)>().unwrap_err().to_string();
        assert!(
            error.contains("have 2 columns, and are read as 1"),
            "{error}"
        );
        let error = several.deserialize::<i64>().unwrap_err().to_string();
        assert!(error.contains("2 columns"), "{error}");
    }
}
