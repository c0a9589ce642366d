//! Values inside of a value of a result: the elements of a LIST, the members of a STRUCT, the entries of a MAP.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use arrow::array::{Array, ArrayRef, AsArray, StructArray};
use arrow::datatypes::DataType;

use super::{FromValue, Value};

/// The elements of a LIST.
#[derive(Debug, Clone, Copy)]
pub struct Elements<'row> {
    values: &'row ArrayRef,
    start: usize,
    end: usize,
}

impl<'row> Elements<'row> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in order; `None` for one of a type that [`Value`] has not.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<Value<'row>>> + use<'row> {
        let values = self.values;
        (self.start..self.end).map(move |row| Value::at(values.as_ref(), row))
    }
}

impl PartialEq for Elements<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// The members of a STRUCT.
#[derive(Debug, Clone, Copy)]
pub struct Members<'row> {
    values: &'row StructArray,
    row: usize,
}

impl<'row> Members<'row> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.num_columns()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names and values in order; `None` for a value of a type that [`Value`] has not.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = (&'row str, Option<Value<'row>>)> + use<'row> {
        let Self { values, row } = *self;
        let columns = values.fields().iter().zip(values.columns());
        columns.map(move |(field, column)| (field.name().as_str(), Value::at(column.as_ref(), row)))
    }

    /// The value of a member; `None` where there is none of the name.
    pub fn get(&self, name: &str) -> Option<Value<'row>> {
        let column: &'row ArrayRef = self.values.column_by_name(name)?;
        Value::at(column.as_ref(), self.row)
    }
}

impl PartialEq for Members<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// The entries of a MAP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entries<'row> {
    keys: Elements<'row>,
    values: Elements<'row>,
}

impl<'row> Entries<'row> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys and values in order; `None` for one of a type that [`Value`] has not.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = (Option<Value<'row>>, Option<Value<'row>>)> + use<'row> {
        self.keys.iter().zip(self.values.iter())
    }
}

/// The nested value at a place of an array, which is there; `None` for other types.
pub(super) fn at(array: &dyn Array, row: usize) -> Option<Value<'_>> {
    let elements = |values, start, end| Elements { values, start, end };
    Some(match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let (start, end) = bounds(list.value_offsets(), row)?;
            Value::List(elements(list.values(), start, end))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let (start, end) = bounds(list.value_offsets(), row)?;
            Value::List(elements(list.values(), start, end))
        }
        DataType::FixedSizeList(_, _) => {
            let list = array.as_fixed_size_list();
            let length = usize::try_from(list.value_length()).ok()?;
            let start = usize::try_from(list.value_offset(row)).ok()?;
            Value::List(elements(list.values(), start, start + length))
        }
        DataType::Struct(_) => Value::Struct(Members {
            values: array.as_struct(),
            row,
        }),
        DataType::Map(_, _) => {
            let map = array.as_map();
            let (start, end) = bounds(map.value_offsets(), row)?;
            Value::Map(Entries {
                keys: elements(map.keys(), start, end),
                values: elements(map.values(), start, end),
            })
        }
        _ => return None,
    })
}

fn bounds<T: Copy + TryInto<usize>>(offsets: &[T], row: usize) -> Option<(usize, usize)> {
    let bound = |at: usize| (*offsets.get(at)?).try_into().ok();
    Some((bound(row)?, bound(row + 1)?))
}

impl<'row, T: FromValue<'row>> FromValue<'row> for Vec<T> {
    const NAME: &'static str = T::LIST_NAME;

    fn from_value(value: Value<'row>) -> Option<Self> {
        match value {
            Value::List(elements) => elements.iter().map(|it| T::from_value(it?)).collect(),
            Value::Bytes(bytes) => T::list_of_bytes(bytes),
            _ => None,
        }
    }
}

macro_rules! maps {
    ($($map:ident: $bound:ident $(+ $more:ident)*, $name:literal;)*) => {
        $(impl<'row, K: FromValue<'row> + $bound $(+ $more)*, V: FromValue<'row>> FromValue<'row> for $map<K, V> {
            const NAME: &'static str = $name;

            fn from_value(value: Value<'row>) -> Option<Self> {
                let Value::Map(entries) = value else {
                    return None;
                };
                let entries = entries.iter();
                entries.map(|(key, value)| Some((K::from_value(key?)?, V::from_value(value?)?))).collect()
            }
        })*
    };
}

maps! {
    BTreeMap: Ord, "BTreeMap";
    HashMap: Eq + Hash, "HashMap";
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<'row, $($name: FromValue<'row>),+> FromValue<'row> for ($($name,)+) {
            const NAME: &'static str = "a tuple of as many values";

            fn from_value(value: Value<'row>) -> Option<Self> {
                let Value::Struct(members) = value else {
                    return None;
                };
                let mut values = members.iter();
                let tuple = ($($name::from_value(values.next()?.1?)?,)+);
                values.next().is_none().then_some(tuple)
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

#[cfg(test)]
#[path = "nested_tests.rs"]
mod tests;
