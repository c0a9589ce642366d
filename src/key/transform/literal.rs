//! A constant: the record type of a table that shares its key space with others.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::{BoundArgument, Declaration, Form, Parameter, Transform};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Domain;
use crate::key::encoding::{self, Encoding};
use crate::key::row_error::RowError;

/// `'O'`, `7`
#[derive(Debug)]
pub struct Literal;

impl Declaration for Literal {
    fn name(&self) -> &'static str {
        "literal"
    }

    fn form(&self) -> Form<'static> {
        Form::Constant
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Constant]
    }

    fn stores(&self) -> &'static str {
        "the constant: a TEXT or a BIGINT"
    }

    fn pushdown(&self) -> &'static str {
        "always pinned"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let (value, sql_type) = match arguments {
            [BoundArgument::Text(text)] => (Datum::Text(text.clone()), SqlType::Text),
            [BoundArgument::Integer(number)] => (Datum::Integer(*number), SqlType::BigInt),
            _ => {
                return Err(Error::invalid(
                    "a constant key part is one text or whole number",
                ));
            }
        };
        let encoding = encoding::of_type(&sql_type)
            .ok_or_else(|| Error::internal("a constant without encoding"))?;
        Ok(Arc::new(Constant {
            value,
            sql_type,
            encoding,
        }))
    }
}

#[derive(Debug)]
struct Constant {
    value: Datum,
    sql_type: SqlType,
    encoding: Box<dyn Encoding>,
}

impl Transform for Constant {
    fn value_type(&self) -> &SqlType {
        &self.sql_type
    }

    fn values(&self) -> Domain {
        Domain::points(&self.sql_type, [self.value.clone()])
    }

    fn encoding(&self) -> &dyn Encoding {
        self.encoding.as_ref()
    }

    fn apply(&self, _sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        Ok(Some(self.value.clone()))
    }

    fn apply_columns(
        &self,
        _sources: &[(ArrayRef, SqlType)],
        rows: usize,
    ) -> Result<ArrayRef, RowError> {
        let scalar = self.value.to_scalar(&self.sql_type)?;
        let array = scalar.to_array_of_size(rows);
        Ok(
            array
                .map_err(|error| Error::internal("a column of one constant").with_source(error))?,
        )
    }

    fn passes_null(&self) -> bool {
        false
    }

    fn project(&self, _sources: &[&Domain]) -> Domain {
        Domain::points(&self.sql_type, [self.value.clone()])
    }
}
