//! The types that casts name and DataFusion does not know: they are those of columns.

use datafusion::common::Result;
use datafusion::common::arrow::datatypes::{Field, FieldRef};
use datafusion::logical_expr::planner::TypePlanner;
use sqlparser::ast::DataType;

use crate::catalog::sql_type;

/// Finds the types.
#[derive(Debug)]
pub(super) struct TypeNames;

impl TypePlanner for TypeNames {
    fn plan_type_field(&self, named: &DataType) -> Result<Option<FieldRef>> {
        let is_missing = matches!(
            named,
            DataType::Map(..)
                | DataType::Custom(..)
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
        if !is_missing {
            return Ok(None);
        }
        // What is no type of columns either, DataFusion refuses in its own words.
        let known = sql_type(named).ok();
        Ok(known.map(|known| Field::new("", known.arrow(), true).into()))
    }
}
