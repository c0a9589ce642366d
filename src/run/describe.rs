//! The columns of what is no table of the catalog, and their types: `DESCRIBE <select>`, `DESCRIBE 'file.csv'`, and what a
//! prepared statement gives, before its parameters have values.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, StringArray};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::Result as PlanResult;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::context::Context;
use super::outcome::{Outcome, rows};
use super::physical::Stage;
use super::planned::Planned;
use crate::datum::upper_type_name;
use crate::error::Result;
use crate::plan::bind::parameters::constants;
use crate::plan::change::assign::is_assignment;
use crate::sql::written::Written;

impl Context {
    /// The columns of the rows that such a statement gives; `None` where it gives none. It is planned with NULL for each
    /// parameter, of the type that is wanted for it, and nothing is run.
    ///
    /// # Errors
    /// What is wrong with the statement when a parameter is NULL, where it has no plan before they have values.
    pub(crate) async fn columns_of(
        &self,
        planned: &Planned,
        parsed: &Written,
    ) -> Result<Option<SchemaRef>> {
        if !planned.gives.rows() {
            return Ok(None);
        }
        let nulls = planned.placeholders.nulls()?;
        let (state, plan) = match planned.with_values(&nulls)? {
            Some(plan) => (self.statement_state()?, plan),
            None => {
                let written = constants::with_values(parsed, &nulls)?;
                self.planned(&written).await?
            }
        };
        let (_, physical) = self.physical(state, plan, Stage::Written).await?;
        Ok(Some(physical.schema()))
    }
}

impl Planned {
    /// The type of each parameter: of what it is compared with, or else what it is cast to or stored as; `None` where
    /// several are, or none.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn parameter_types(&self) -> Result<Vec<Option<DataType>>> {
        let mut types: Vec<_> = self
            .placeholders
            .types()
            .map(|wanted| wanted.cloned())
            .collect();
        let made = match self.plan() {
            Some(plan) => made_types(plan)?,
            None => HashMap::new(),
        };
        for (own, number) in types.iter_mut().zip(1..) {
            let made = made.get(&format!("${number}")).cloned().flatten();
            *own = own.take().or(made);
        }
        Ok(types)
    }
}

/// What each parameter is cast to or stored as, by its name; `None` for one that becomes of several types.
fn made_types(plan: &LogicalPlan) -> Result<HashMap<String, Option<DataType>>> {
    let mut made: HashMap<String, Option<DataType>> = HashMap::new();
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|part| {
                if let Some((parameter, data_type)) = made_of(part)? {
                    let known = made.entry(parameter).or_insert(Some(data_type.clone()));
                    known.take_if(|known| *known != data_type);
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(made)
}

/// A parameter that is cast or assigned to a column, and the type that it has then.
fn made_of(expr: &Expr) -> PlanResult<Option<(String, DataType)>> {
    let (inner, data_type) = match expr {
        Expr::Cast(cast) => (cast.expr.as_ref(), cast.field.data_type().clone()),
        Expr::ScalarFunction(call) if is_assignment(&call.func) => match call.args.as_slice() {
            [value] => (value, call.func.return_type(&[])?),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(match inner {
        Expr::Placeholder(parameter) => Some((parameter.id.clone(), data_type)),
        _ => None,
    })
}

/// The answer to a DESCRIBE of rows with this schema: its columns, their types, and whether they may be NULL.
///
/// # Errors
/// `Internal` alone.
pub(crate) fn describe(schema: &Schema) -> Result<Outcome> {
    let fields = schema.fields().iter();
    let nullable = fields.clone().map(|field| Some(field.is_nullable()));
    let nullable: ArrayRef = Arc::new(nullable.collect::<BooleanArray>());
    let described = fields.map(|field| (field.name().clone(), field.data_type().clone()));
    let mut shown = names_and_types(&described.collect::<Vec<_>>());
    shown.push(("null", nullable));
    rows(shown)
}

/// The columns of an answer that has a row for each column.
pub(crate) fn names_and_types(described: &[(String, DataType)]) -> Vec<(&'static str, ArrayRef)> {
    let names = described.iter().map(|(name, _)| Some(name.clone()));
    let types = described.iter().map(|(_, of)| Some(upper_type_name(of)));
    vec![
        ("column", Arc::new(names.collect::<StringArray>())),
        ("type", Arc::new(types.collect::<StringArray>())),
    ]
}
