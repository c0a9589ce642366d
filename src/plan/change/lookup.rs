//! The rows of an INSERT, each beside the row that is stored under its key, as a node of a plan.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Column, DFSchema, DFSchemaRef, Result as PlanResult, TableReference};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_plan::ExecutionPlan;

use crate::error::Error;
use crate::sql::marks::unseen;
use crate::table::HaliteTable;
use crate::write::{LookupExec, Sought};

/// What the new row is called in ON CONFLICT.
pub(super) const EXCLUDED: &str = "excluded";

/// The column that says whether there is a stored row.
pub(super) fn is_stored() -> Column {
    Column::new_unqualified(unseen("is", "stored"))
}

/// New rows of a table, looked up by their keys.
#[derive(Debug, Clone)]
pub(crate) struct LookupNode {
    table: Arc<HaliteTable>,
    /// What the stored row is called.
    relation: TableReference,
    sought: Sought,
    input: LogicalPlan,
    schema: DFSchemaRef,
}

impl LookupNode {
    /// The look-up of rows whose columns are those of `table`.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn new(
        table: Arc<HaliteTable>,
        relation: TableReference,
        sought: Sought,
        input: LogicalPlan,
    ) -> PlanResult<Self> {
        let columns = || table.bound().schema().fields().iter();
        let optional = |field: &FieldRef| Arc::new(field.as_ref().clone().with_nullable(true));
        let old = columns().map(|field| (Some(relation.clone()), optional(field)));
        let excluded = TableReference::bare(EXCLUDED);
        let new = columns().map(|field| (Some(excluded.clone()), optional(field)));
        let is_stored = Field::new(is_stored().name, DataType::Boolean, false);
        let fields = old.chain(new).chain([(None, Arc::new(is_stored))]);
        let schema = DFSchema::new_with_metadata(fields.collect(), HashMap::new())?;
        Ok(Self {
            table,
            relation,
            sought,
            input,
            schema: Arc::new(schema),
        })
    }

    /// The plan of it.
    pub fn into_plan(self) -> LogicalPlan {
        LogicalPlan::Extension(Extension {
            node: Arc::new(self),
        })
    }

    /// The look-up that a node of a plan is, if it is one.
    pub fn of(extension: &Extension) -> Option<&Self> {
        extension.node.as_any().downcast_ref()
    }

    /// What the rows must be.
    pub fn sought(&self) -> Sought {
        self.sought
    }

    /// The rows that are looked up.
    pub fn input(&self) -> &LogicalPlan {
        &self.input
    }

    /// The operator of it.
    pub fn physical(&self, input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let schema = Arc::clone(self.schema.inner());
        Arc::new(LookupExec::new(
            input,
            self.table.writer(),
            self.sought,
            schema,
        ))
    }
}

impl PartialEq for LookupNode {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table)
            && self.relation == other.relation
            && self.sought == other.sought
            && self.input == other.input
    }
}

impl Eq for LookupNode {}

impl Hash for LookupNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.relation.hash(state);
        self.sought.hash(state);
        self.input.hash(state);
    }
}

impl PartialOrd for LookupNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for LookupNode {
    fn name(&self) -> &str {
        "Lookup"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lookup: {}", self.table.name())
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> PlanResult<Self> {
        let [input] = <[LogicalPlan; 1]>::try_from(inputs)
            .map_err(|inputs| Error::internal(format!("{} inputs of a look-up", inputs.len())))?;
        Self::new(
            Arc::clone(&self.table),
            self.relation.clone(),
            self.sought,
            input,
        )
    }
}
