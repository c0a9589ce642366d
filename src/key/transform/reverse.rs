//! A text read backwards.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::texts::map_texts;
use super::{BoundArgument, Declaration, Parameter, Transform};
use crate::datum::{Datum, SqlType, identifier};
use crate::error::{Error, Result};
use crate::key::domain::Domain;
use crate::key::encoding::{self, Encoding};
use crate::key::row_error::RowError;

/// `reverse(c)`
#[derive(Debug)]
pub struct Reverse;

impl Declaration for Reverse {
    fn name(&self) -> &'static str {
        "reverse"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column]
    }

    fn stores(&self) -> &'static str {
        "a text column's characters, last one first"
    }

    fn pushdown(&self) -> &'static str {
        "= and IN: points; LIKE '%1234' on the column, or ranges of reverse(c): a range"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let [BoundArgument::Column(name, sql_type)] = arguments else {
            return Err(Error::invalid("reverse takes one column, as in reverse(c)"));
        };
        match encoding::of_type(sql_type) {
            // A UUID that is reversed is none.
            Some(encoding) if sql_type.is_text() && *sql_type != SqlType::Uuid => {
                Ok(Arc::new(Reversed {
                    sql_type: sql_type.clone(),
                    encoding,
                }))
            }
            _ => Err(Error::invalid(format!(
                "reverse takes a text column; `{name}` is {sql_type}{}",
                instead(name, sql_type)
            ))),
        }
    }
}

/// What to write where somebody wants the greatest first, as keys of HBase have it, or the last digits in front.
fn instead(name: &str, sql_type: &SqlType) -> String {
    let greatest_first = format!("; write {} DESC for the greatest first", identifier(name));
    match sql_type {
        SqlType::Timestamp { .. } | SqlType::Date => greatest_first,
        SqlType::Integer | SqlType::BigInt => {
            format!(
                "{greatest_first}, reverse_digits({}) for the last digits in front",
                identifier(name)
            )
        }
        SqlType::SmallInt | SqlType::TinyInt | SqlType::Decimal { .. } => greatest_first,
        _ => String::new(),
    }
}

#[derive(Debug)]
struct Reversed {
    sql_type: SqlType,
    encoding: Box<dyn Encoding>,
}

impl Reversed {
    fn reverse(value: &Datum) -> Option<Datum> {
        value
            .as_text()
            .map(|text| Datum::Text(text.chars().rev().collect()))
    }

    /// The reversed values of a domain that lists its values, or that lists those it lacks.
    fn image(&self, domain: &Domain) -> Option<Domain> {
        let listed = |domain: &Domain| {
            let values = domain.list(usize::MAX)?;
            let null = values.iter().any(Option::is_none);
            let reversed = values.iter().flatten().filter_map(Self::reverse);
            Some(Domain::points(&self.sql_type, reversed).with_null(null))
        };
        listed(domain).or_else(|| listed(&domain.complement()).map(|others| others.complement()))
    }
}

fn reverse_into(text: &str, into: &mut String) {
    into.extend(text.chars().rev());
}

impl Transform for Reversed {
    fn value_type(&self) -> &SqlType {
        &self.sql_type
    }

    fn encoding(&self) -> &dyn Encoding {
        self.encoding.as_ref()
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        match super::only(sources)? {
            None => Ok(None),
            Some(value) => match Self::reverse(value) {
                Some(reversed) => Ok(Some(reversed)),
                None => Err(Error::internal(format!("reverse of {value:?}"))),
            },
        }
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        _rows: usize,
    ) -> Result<ArrayRef, RowError> {
        Ok(map_texts(super::only_column(sources)?, reverse_into)?)
    }

    fn restore_column(&self, parts: &ArrayRef, _sql_type: &SqlType) -> Result<ArrayRef, RowError> {
        Ok(map_texts(parts, reverse_into)?)
    }

    fn project(&self, sources: &[&Domain]) -> Domain {
        let image = sources.first().and_then(|domain| self.image(domain));
        image.unwrap_or_else(|| self.unrestricted(sources))
    }

    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        self.image(parts)
    }

    fn inverse(&self, value: &Datum) -> Option<Datum> {
        Self::reverse(value)
    }

    fn is_invertible(&self) -> bool {
        true
    }
}
