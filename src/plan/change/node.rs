//! A change as a node of a plan: EXPLAIN shows it, parameters are put into it, and what it reads is optimized as any query.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{DFSchema, DFSchemaRef, Result as PlanResult, TableReference};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, UserDefinedLogicalNode, UserDefinedLogicalNodeCore,
};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};

use super::lookup::LookupNode;
use crate::error::{Error, Result};
use crate::plan::bind::names::written;
use crate::plan::bind::scanned::reads;
use crate::plan::rule::mend::once::OnceNode;
use crate::scan::{StatementSnapshot, refuse_if_outdated};
use crate::settings::HaliteOptions;
use crate::store::Store;
use crate::table::HaliteTable;
use crate::write::{Change, ClaimedRows, Edit, Layout, Refresh, WriteExec};

/// A change of a table, and the query that says of which rows, and how.
#[derive(Debug, Clone)]
pub(crate) struct ChangeNode {
    table: Arc<HaliteTable>,
    verb: &'static str,
    change: Change,
    layout: Layout,
    input: LogicalPlan,
    schema: DFSchemaRef,
}

impl ChangeNode {
    /// The change of `table` whose `input` has its columns as `layout` says.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn new(
        table: Arc<HaliteTable>,
        verb: &'static str,
        change: Change,
        layout: Layout,
        input: LogicalPlan,
    ) -> PlanResult<Self> {
        let schema = Arc::new(schema(layout, &input)?);
        Ok(Self {
            table,
            verb,
            change,
            layout,
            input,
            schema,
        })
    }

    /// The plan of it.
    pub fn into_plan(self) -> LogicalPlan {
        LogicalPlan::Extension(Extension {
            node: Arc::new(self),
        })
    }

    /// The change that a plan is, if it is one.
    pub fn of(plan: &LogicalPlan) -> Option<&Self> {
        match plan {
            LogicalPlan::Extension(extension) => of(extension.node.as_ref()),
            _ => None,
        }
    }

    /// Whether a plan has a change for which the order of its rows counts: of two rows of one key the first is inserted, and
    /// errors say which it is.
    ///
    /// # Errors
    /// None.
    pub fn is_ordered_in(plan: &LogicalPlan) -> PlanResult<bool> {
        plan.exists(|node| {
            let change = Self::of(node).map(|node| node.change);
            Ok(matches!(
                change,
                Some(
                    Change::Edit(Edit::InsertNew | Edit::Upsert) | Change::Insert | Change::Replace
                )
            ))
        })
    }

    /// `UPDATE`, `INSERT` …
    pub fn verb(&self) -> &'static str {
        self.verb
    }

    /// The table that is changed.
    pub fn table(&self) -> &Arc<HaliteTable> {
        &self.table
    }

    /// What becomes of its rows.
    pub fn change(&self) -> Change {
        self.change
    }

    /// What is in the columns of its input.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The query that says of which rows, and how.
    pub fn input(&self) -> &LogicalPlan {
        &self.input
    }

    /// Whether it gives rows back.
    pub fn gives_rows(&self) -> bool {
        self.layout.returned > 0
    }
}

fn of(node: &dyn UserDefinedLogicalNode) -> Option<&ChangeNode> {
    node.as_any().downcast_ref::<ChangeNode>()
}

/// The columns that are given back, the last of the input; else the number of rows.
fn schema(layout: Layout, input: &LogicalPlan) -> PlanResult<DFSchema> {
    let count: FieldRef = Arc::new(Field::new("count", DataType::UInt64, false));
    let columns = match layout.returned {
        0 => vec![(None, count)],
        returned => {
            let fields = input.schema().fields().iter();
            let given = fields.skip(input.schema().fields().len().saturating_sub(returned));
            // Two of them may have one name: what tells them apart is seen by nobody.
            let places = given.zip(1..).map(|(field, number)| {
                let place = TableReference::bare(format!("returned {number}"));
                let named = field.as_ref().clone().with_name(written(field.name()));
                (Some(place), Arc::new(named))
            });
            places.collect()
        }
    };
    DFSchema::new_with_metadata(columns, HashMap::new())
}

impl PartialEq for ChangeNode {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table)
            && (self.change, self.layout) == (other.change, other.layout)
            && self.input == other.input
    }
}

impl Eq for ChangeNode {}

impl Hash for ChangeNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.change, self.layout).hash(state);
        self.input.hash(state);
    }
}

impl PartialOrd for ChangeNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for ChangeNode {
    fn name(&self) -> &str {
        self.verb
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
        write!(f, "{}: {}", self.verb, self.table.name())
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> PlanResult<Self> {
        let [input] = <[LogicalPlan; 1]>::try_from(inputs)
            .map_err(|inputs| Error::internal(format!("{} inputs of a change", inputs.len())))?;
        let table = Arc::clone(&self.table);
        Self::new(table, self.verb, self.change, self.layout, input)
    }
}

/// DataFusion's planner, which knows changes, and queries that are computed once.
#[derive(Debug)]
pub(crate) struct ChangePlanner;

#[async_trait]
impl QueryPlanner for ChangePlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> PlanResult<Arc<dyn ExecutionPlan>> {
        let planner = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(Self)]);
        planner.create_physical_plan(plan, session).await
    }
}

#[async_trait]
impl ExtensionPlanner for ChangePlanner {
    async fn plan_extension(
        &self,
        _planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _logical_inputs: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        _context: &PhysicalPlanningContext,
    ) -> PlanResult<Option<Arc<dyn ExecutionPlan>>> {
        if let (Some(lookup), [input]) = (node.as_any().downcast_ref::<LookupNode>(), inputs) {
            return Ok(Some(lookup.physical(Arc::clone(input))));
        }
        if let [input] = inputs
            && let Some(once) = OnceNode::physical(node, input)
        {
            return Ok(Some(once));
        }
        let Some(node) = of(node) else {
            return Ok(None);
        };
        let session: &dyn Any = session.as_any();
        let (Some(state), [input]) = (session.downcast_ref::<SessionState>(), inputs) else {
            return Err(Error::internal("a change in a session of another kind").into());
        };
        Ok(Some(node.physical(state, Arc::clone(input))?))
    }
}

impl ChangeNode {
    fn physical(
        &self,
        state: &SessionState,
        input: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let settings = HaliteOptions::of(state.config_options()).write_settings();
        let returned = self.gives_rows().then(|| Arc::clone(self.schema.inner()));
        // What reads the table that it changes reads it as it is when nobody else changes it any more.
        let looks = matches!(self.change, Change::Edit(_) | Change::Delete)
            || reads(&self.input, &self.table);
        let context = looks.then(|| claimed_context(state, self.table.store(), &input));
        Ok(Arc::new(WriteExec::change(
            self.table.writer(),
            input,
            (self.change, self.layout),
            returned,
            settings,
            context,
        )))
    }
}

/// What a change that is planned in `state` is executed in, once it has claimed its table: it reads all tables at that
/// moment.
fn claimed_context(
    state: &SessionState,
    store: &Arc<dyn Store>,
    input: &Arc<dyn ExecutionPlan>,
) -> Refresh {
    let (state, store, input) = (state.clone(), Arc::clone(store), Arc::clone(input));
    Arc::new(move |snapshot| {
        refuse_if_outdated(&input)?;
        let mut state = state.clone();
        let claimed = ClaimedRows(Arc::clone(&snapshot));
        let snapshot = StatementSnapshot::at(Arc::clone(&store), snapshot);
        let config = state.config_mut();
        config.set_extension(Arc::new(snapshot));
        config.set_extension(Arc::new(claimed));
        Ok(state.task_ctx())
    })
}

/// Whether a plan gives rows; all others change something.
pub(crate) fn gives_rows(plan: &LogicalPlan) -> bool {
    let gives_back = ChangeNode::of(plan).is_none_or(ChangeNode::gives_rows);
    gives_back
        && !matches!(
            plan,
            LogicalPlan::Dml(_)
                | LogicalPlan::Ddl(_)
                | LogicalPlan::Copy(_)
                | LogicalPlan::Statement(_)
        )
}
