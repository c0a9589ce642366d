//! A plain column.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::{BoundArgument, Declaration, Form, Parameter, Transform, only_column};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Domain;
use crate::key::encoding::{self, Encoding};
use crate::key::row_error::RowError;

/// `c`
#[derive(Debug)]
pub struct Column;

impl Declaration for Column {
    fn name(&self) -> &'static str {
        "column"
    }

    fn form(&self) -> Form<'static> {
        Form::Column
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column]
    }

    fn stores(&self) -> &'static str {
        "the column, encoded so that bytes are ordered as values are"
    }

    fn pushdown(&self) -> &'static str {
        "=, IN, ranges, prefix LIKE, IS [NOT] NULL and tuple comparisons become key ranges"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let [BoundArgument::Column(name, sql_type)] = arguments else {
            return Err(Error::invalid("a plain key part is one column"));
        };
        let encoding = encoding::of_type(sql_type).ok_or_else(|| {
            Error::invalid(format!(
                "column `{name}` of type {sql_type} cannot be a key part"
            ))
        })?;
        Ok(Arc::new(Identity {
            sql_type: sql_type.clone(),
            encoding,
        }))
    }
}

#[derive(Debug)]
struct Identity {
    sql_type: SqlType,
    encoding: Box<dyn Encoding>,
}

impl Transform for Identity {
    fn value_type(&self) -> &SqlType {
        &self.sql_type
    }

    fn encoding(&self) -> &dyn Encoding {
        self.encoding.as_ref()
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        sources
            .first()
            .cloned()
            .ok_or_else(|| Error::internal("a column without a value"))
    }

    fn apply_columns(
        &self,
        sources: &[(ArrayRef, SqlType)],
        _rows: usize,
    ) -> Result<ArrayRef, RowError> {
        Ok(only_column(sources)?.clone())
    }

    fn restore_column(&self, parts: &ArrayRef, _sql_type: &SqlType) -> Result<ArrayRef, RowError> {
        Ok(parts.clone())
    }

    fn preserves_order(&self) -> bool {
        true
    }

    fn project(&self, sources: &[&Domain]) -> Domain {
        sources
            .first()
            .map_or_else(|| Domain::all(&self.sql_type), |domain| (*domain).clone())
    }

    fn preimage(&self, parts: &Domain) -> Option<Domain> {
        Some(parts.clone())
    }

    fn inverse(&self, value: &Datum) -> Option<Datum> {
        Some(value.clone())
    }

    fn is_invertible(&self) -> bool {
        true
    }
}
