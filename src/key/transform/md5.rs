//! The MD5 of a text or of bytes.

use std::sync::Arc;

use md5::{Digest, Md5 as Md5Digest};

use super::{BoundArgument, Declaration, Parameter, Transform};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::encoding::{Encoding, Hex};
use crate::keyrange::hex;

/// `md5(c)`
#[derive(Debug)]
pub struct Md5;

impl Declaration for Md5 {
    fn name(&self) -> &'static str {
        "md5"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Column]
    }

    fn stores(&self) -> &'static str {
        "the MD5 of a TEXT or BYTEA column: 16 bytes; in SQL its 32 hexadecimal digits"
    }

    fn pushdown(&self) -> &'static str {
        "= or IN on the column, or on md5(c): points"
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        match arguments {
            [BoundArgument::Column(_, sql_type)]
                if sql_type.is_text() || *sql_type == SqlType::Bytea =>
            {
                Ok(Arc::new(Hashed))
            }
            [BoundArgument::Column(name, sql_type)] => Err(Error::invalid(format!(
                "md5 takes a column of TEXT or BYTEA; `{name}` is {sql_type}"
            ))),
            _ => Err(Error::invalid("md5 takes one column, as in md5(c)")),
        }
    }
}

static ENCODING: Hex = Hex::digest();

#[derive(Debug)]
struct Hashed;

impl Transform for Hashed {
    fn value_type(&self) -> &SqlType {
        &SqlType::Text
    }

    fn is_hash(&self) -> bool {
        true
    }

    fn encoding(&self) -> &dyn Encoding {
        &ENCODING
    }

    fn apply(&self, sources: &[Option<Datum>]) -> Result<Option<Datum>> {
        let bytes = match super::only(sources)? {
            None => return Ok(None),
            Some(Datum::Text(text)) => text.as_bytes(),
            Some(Datum::Bytes(bytes)) => bytes,
            Some(other) => return Err(Error::internal(format!("md5 of {other:?}"))),
        };
        Ok(Some(Datum::Text(hex(&Md5Digest::digest(bytes)))))
    }
}
