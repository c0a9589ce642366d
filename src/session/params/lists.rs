//! Values of many parts as parameters: lists, tuples, maps, and JSON.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow::array::{ArrayRef, MapArray, StringArray, StructArray, new_empty_array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::logical_expr::type_coercion::binary::type_union_resolution;
use serde_json::Value as Json;

use super::IntoParameter;

/// A LIST of these, of this type where they are.
pub(super) fn list(values: Vec<ScalarValue>, data_type: &DataType) -> ScalarValue {
    let elements = SingleRowListArrayBuilder::new(array(values, data_type));
    ScalarValue::List(Arc::new(elements.with_nullable(true).build_list_array()))
}

/// Values of one type: this one, or what suits all of them, which are texts if nothing else does.
fn array(values: Vec<ScalarValue>, data_type: &DataType) -> ArrayRef {
    if values.is_empty() {
        return new_empty_array(data_type);
    }
    let mut types: Vec<DataType> = Vec::new();
    for value in values.iter().filter(|value| !value.is_null()) {
        let found = value.data_type();
        if !types.contains(&found) {
            types.push(found);
        }
    }
    let suitable = match types.as_slice() {
        [] => Some(data_type.clone()),
        [only] => Some(only.clone()),
        several => type_union_resolution(several),
    };
    let suitable = suitable.and_then(|suitable| cast(&values, &suitable));
    // Of times beyond nanoseconds each is in microseconds, and so all are.
    let in_microseconds = || match types.first() {
        Some(DataType::Timestamp(_, zone)) => cast(
            &values,
            &DataType::Timestamp(TimeUnit::Microsecond, zone.clone()),
        ),
        _ => None,
    };
    suitable
        .or_else(in_microseconds)
        .or_else(|| cast(&values, &DataType::Utf8))
        .unwrap_or_else(|| texts(&values))
}

/// The values as texts.
fn texts(values: &[ScalarValue]) -> ArrayRef {
    let text = |value: &ScalarValue| (!value.is_null()).then(|| value.to_string());
    Arc::new(StringArray::from_iter(values.iter().map(text)))
}

/// The values, cast to a type; `None` where one cannot be.
fn cast(values: &[ScalarValue], to: &DataType) -> Option<ArrayRef> {
    let cast = values.iter().map(|value| {
        if value.is_null() {
            ScalarValue::try_from(to)
        } else {
            value.cast_to(to)
        }
    });
    let cast = cast.collect::<Result<Vec<_>, _>>().ok()?;
    ScalarValue::iter_to_array(cast).ok()
}

macro_rules! tuples {
    ($($name:ident $member:literal)+) => {
        impl<$($name: IntoParameter),+> IntoParameter for ($($name,)+) {
            fn into_parameter(self) -> ScalarValue {
                #[allow(non_snake_case, reason = "a value is called as its type")]
                let ($($name,)+) = self;
                structure(vec![$(($member, $name.into_parameter(), $name::parameter_type())),+])
            }

            fn parameter_type() -> DataType {
                let members = [$(Field::new($member, $name::parameter_type(), true)),+];
                DataType::Struct(Fields::from_iter(members))
            }
        }
    };
}

/// A STRUCT, whose members are called as those of `ROW(…)` are.
fn structure(members: Vec<(&str, ScalarValue, DataType)>) -> ScalarValue {
    let members = members.into_iter().map(|(name, value, data_type)| {
        let values = array(vec![value], &data_type);
        let field = Field::new(name, values.data_type().clone(), true);
        (Arc::new(field), values)
    });
    let (fields, values): (Vec<_>, Vec<_>) = members.unzip();
    ScalarValue::Struct(Arc::new(StructArray::new(fields.into(), values, None)))
}

tuples!(A "c0");
tuples!(A "c0" B "c1");
tuples!(A "c0" B "c1" C "c2");
tuples!(A "c0" B "c1" C "c2" D "c3");
tuples!(A "c0" B "c1" C "c2" D "c3" E "c4");
tuples!(A "c0" B "c1" C "c2" D "c3" E "c4" F "c5");
tuples!(A "c0" B "c1" C "c2" D "c3" E "c4" F "c5" G "c6");
tuples!(A "c0" B "c1" C "c2" D "c3" E "c4" F "c5" G "c6" H "c7");

macro_rules! maps {
    ($($map:ident)*) => {
        $(impl<K: IntoParameter, V: IntoParameter> IntoParameter for $map<K, V> {
            fn into_parameter(self) -> ScalarValue {
                let entries = self.into_iter();
                let entries = entries.map(|(key, value)| (key.into_parameter(), value.into_parameter()));
                let (keys, values): (Vec<_>, Vec<_>) = entries.unzip();
                map(array(keys, &K::parameter_type()), array(values, &V::parameter_type()))
            }

            fn parameter_type() -> DataType {
                DataType::Map(Arc::new(entries_field(K::parameter_type(), V::parameter_type())), false)
            }
        })*
    };
}

maps!(BTreeMap HashMap);

fn entries_field(key: DataType, value: DataType) -> Field {
    let entry = [
        Field::new("key", key, false),
        Field::new("value", value, true),
    ];
    Field::new("entries", DataType::Struct(Fields::from_iter(entry)), false)
}

fn map(keys: ArrayRef, values: ArrayRef) -> ScalarValue {
    let entries = entries_field(keys.data_type().clone(), values.data_type().clone());
    let DataType::Struct(fields) = entries.data_type() else {
        return ScalarValue::Null;
    };
    let offsets = OffsetBuffer::from_lengths([keys.len()]);
    // A key that is NULL is the one thing that can be wrong.
    let pairs = StructArray::try_new(fields.clone(), vec![keys, values], None);
    let map = pairs.and_then(|pairs| {
        MapArray::try_new(Arc::new(entries.clone()), offsets, pairs, None, false)
    });
    map.map_or(ScalarValue::Null, |map| ScalarValue::Map(Arc::new(map)))
}

impl IntoParameter for Json {
    fn into_parameter(self) -> ScalarValue {
        match self {
            Self::Null => ScalarValue::Null,
            Self::Bool(value) => value.into_parameter(),
            Self::String(text) => text.into_parameter(),
            Self::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => value.into_parameter(),
                (_, Some(value)) => value.into_parameter(),
                _ => number.as_f64().into_parameter(),
            },
            Self::Array(values) if values.iter().all(is_plain) => Self::list_into_parameter(values),
            other => other.to_string().into_parameter(),
        }
    }
}

fn is_plain(value: &Json) -> bool {
    !value.is_array() && !value.is_object()
}
