//! The id of a text in a dictionary, as OpenTSDB's UIDs are.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder, UInt32Array};
use arrow::compute::max;
use arrow::datatypes::UInt32Type;

use super::{
    BoundArgument, Computed, Declaration, Parameter, Transform, only, only_column, project_listed,
};
use crate::datum::{Datum, Readable, SqlType};
use crate::error::{Error, Result};
use crate::key::dictionary::Dictionary;
use crate::key::domain::Domain;
use crate::key::encoding::{Encoding, Natural};
use crate::key::row_error::RowError;

/// Bytes of an id.
const WIDTH: usize = 4;

/// `dict(c)`
#[derive(Debug)]
pub struct Dict;

impl Declaration for Dict {
    fn name(&self) -> &'static str {
        "dict"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column]
    }

    fn computed(&self) -> Computed {
        Computed::ByNobody
    }

    fn has_dictionary(&self) -> bool {
        true
    }

    fn stores(&self) -> &'static str {
        "4 bytes: the id that a text has in a dictionary, which is kept with the table; ids are given in the order in \
         which texts come"
    }

    fn pushdown(&self) -> &'static str {
        "= and IN: points, looked up in the dictionary, and nothing is read for a text that it does not have; prefixes and \
         ranges: points, where the dictionary is small"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        match arguments {
            [BoundArgument::Column(_, sql_type @ (SqlType::Text | SqlType::Varchar(_)))] => {
                Ok(Arc::new(Numbered {
                    source_type: sql_type.clone(),
                    dictionary: Arc::default(),
                    encoding: Natural::new(WIDTH),
                }))
            }
            [BoundArgument::Column(name, sql_type)] => Err(Error::invalid(format!(
                "dict takes a column of TEXT or VARCHAR; `{name}` is {sql_type}"
            ))),
            _ => Err(Error::invalid("dict takes one column, as in dict(c)")),
        }
    }
}

#[derive(Debug)]
struct Numbered {
    source_type: SqlType,
    dictionary: Arc<Dictionary>,
    encoding: Natural,
}

impl Numbered {
    fn no_id(&self, text: &str) -> Error {
        let value = Datum::Text(text.to_owned());
        let value = Readable(&value, &self.source_type).to_string();
        Error::invalid(format!("{value} is not in the dictionary"))
    }
}

impl Transform for Numbered {
    fn value_type(&self) -> &SqlType {
        &SqlType::UnsignedInteger
    }

    fn encoding(&self) -> &dyn Encoding {
        &self.encoding
    }

    fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        Some(&self.dictionary)
    }

    /// A text without an id is in no row, as one that cannot be stored.
    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        match only(sources)? {
            None => Ok(None),
            Some(Datum::Text(text)) => match self.dictionary.look_up(text) {
                Some(id) => Ok(Some(Datum::Integer(id.into()))),
                None => Err(self.no_id(text)),
            },
            Some(other) => Err(Error::internal(format!(
                "dict of {}",
                Readable(other, &self.source_type)
            ))),
        }
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        _rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let texts = only_column(sources)?.as_string_opt::<i32>();
        let texts = texts.ok_or_else(|| Error::internal("dict of a column that is no text"))?;
        let entries = self.dictionary.entries();
        let mut ids = Vec::with_capacity(texts.len());
        for (row, text) in texts.iter().enumerate() {
            let id = text.map(|text| {
                let id = entries.id(text);
                id.ok_or_else(|| RowError::at(row, self.no_id(text)))
            });
            ids.push(id.transpose()?);
        }
        Ok(Arc::new(UInt32Array::from(ids)))
    }

    fn restore_column(&self, parts: &ArrayRef, _sql_type: &SqlType) -> Result<ArrayRef, RowError> {
        let ids = parts.as_primitive_opt::<UInt32Type>();
        let ids = ids.ok_or_else(|| Error::internal("ids of another type"))?;
        // Another process may have written rows at the moment that is read.
        if max(ids).is_some_and(|greatest| greatest > self.dictionary.entries().last()) {
            self.dictionary.follow()?;
        }
        let entries = self.dictionary.entries();
        let mut texts = StringBuilder::with_capacity(ids.len(), 0);
        for (row, id) in ids.iter().enumerate() {
            let Some(id) = id else {
                texts.append_null();
                continue;
            };
            let text = entries.text(id).ok_or_else(|| {
                let wrong = format!("the dictionary has no text with the id {id}");
                RowError::at(row, Error::corrupt(wrong))
            })?;
            texts.append_value(text);
        }
        Ok(Arc::new(texts.finish()))
    }

    /// Of what is no list, such as a prefix, the texts that the dictionary has.
    fn project(&self, sources: &[&Domain]) -> Domain {
        if let Some(listed) = project_listed(self, sources) {
            return listed;
        }
        let everything = Domain::not_null(&self.source_type);
        let restricted = sources
            .first()
            .filter(|source| !everything.is_subset_of(source));
        let ids = restricted.and_then(|source| {
            let is_wanted = |text: &str| source.contains(Some(&Datum::Text(text.to_owned())));
            let null = source.has_null();
            self.dictionary
                .look_through(is_wanted)
                .map(|ids| (ids, null))
        });
        match ids {
            Some((ids, null)) => {
                let ids = ids.into_iter().map(|id| Datum::Integer(id.into()));
                Domain::points(self.value_type(), ids).with_null(null)
            }
            None => self.unrestricted(sources),
        }
    }

    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        let ids = parts.list(usize::MAX)?;
        let texts = ids.iter().flatten().filter_map(|id| self.inverse(id));
        Some(Domain::points(&self.source_type, texts).with_null(parts.has_null()))
    }

    fn inverse(&self, value: &Datum) -> Option<Datum> {
        let id = u32::try_from(value.as_integer()?).ok()?;
        let entries = self.dictionary.entries();
        let text = entries.text(id)?;
        Some(Datum::Text(text.to_string()))
    }

    fn is_invertible(&self) -> bool {
        true
    }
}
