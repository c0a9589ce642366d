//! The types that casts name and DataFusion does not know: they are those of columns.

use datafusion::common::Result;
use datafusion::common::arrow::datatypes::{Field, FieldRef};
use datafusion::logical_expr::planner::TypePlanner;
use sqlparser::ast::DataType;

use crate::catalog::sql_type;
use crate::convert::nested::checked_field;

/// Finds the types.
#[derive(Debug)]
pub(crate) struct TypeNames;

impl TypePlanner for TypeNames {
    fn plan_type_field(&self, named: &DataType) -> Result<Option<FieldRef>> {
        let is_nested = matches!(named, DataType::Array(_) | DataType::Struct(..));
        let is_missing = matches!(
            named,
            DataType::Map(..)
                | DataType::Custom(..)
                | DataType::Dec(_)
                | DataType::UTinyInt
                | DataType::USmallInt
                | DataType::UBigInt
                | DataType::UInt8
                | DataType::UInt16
                | DataType::UInt32
                | DataType::UInt64
                | DataType::Blob(None)
                | DataType::Time(Some(9), _)
        );
        if !is_missing && !is_nested {
            return Ok(None);
        }
        // What is no type of columns either, DataFusion refuses in its own words.
        let Ok(known) = sql_type(named) else {
            return Ok(None);
        };
        let field = checked_field(&known);
        let field = field.or_else(|| is_missing.then(|| Field::new("", known.arrow(), true)));
        Ok(field.map(FieldRef::from))
    }
}
