//! What is kept of a statement that is planned once and run many times.
//!
//! Of a query that means the same each time, and compares its parameters with columns of their types alone, the optimizer
//! has nothing to learn from the values. It is therefore optimized once: a run puts its values into the filters of the
//! scans, and has the physical plan made, which depends on the values, or takes that of an earlier run
//! ([`kept`](super::template)); or goes around that as well ([`direct`](super::fast_query)). A change of one row is compiled for the types of its values
//! ([`DirectChanges`]), and goes around planning as well.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result as PlanResult, ScalarValue};
use datafusion::execution::TaskContext;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, LogicalPlan, TableScan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use parking_lot::RwLock;

use super::fast_change::compiled::DirectChanges;
use super::fast_change::direct::BoundChange;
use super::fast_query::{DirectQuery, Moments, is_deep, is_simple, is_the_same_each_time};
use super::outcome::Gives;
use super::planning_thread::{Effort, apart};
use super::template::PlanTemplate;
use crate::catalog::visible::Catalogs;
use crate::error::Result;
use crate::plan::bind::parameters::bound;
use crate::plan::bind::parameters::wanted::Placeholders;
use crate::plan::bind::scanned::{reads_own_tables, table_of};
use crate::plan::rule::compare::tuples;
use crate::scan::{self, Counters, Opened};
use crate::sql::stack::Depth;
use crate::sql::written::Written;
use crate::store::{Snapshot, Store};
use crate::table::HaliteTable;

/// A statement, and what was planned of it the last time.
#[derive(Debug)]
pub(crate) struct Repeated {
    /// A PREPARE with what it prepares.
    pub(crate) parsed: Written,
    pub(crate) depth: Depth,
    planned: RwLock<Arc<Planned>>,
}

impl Repeated {
    /// A statement that was planned.
    pub(crate) fn new(parsed: Written, depth: Depth, planned: Planned) -> Self {
        Self {
            parsed,
            depth,
            planned: RwLock::new(Arc::new(planned)),
        }
    }

    /// What was planned, for whatever tables and settings there were.
    pub(crate) fn newest(&self) -> Arc<Planned> {
        Arc::clone(&self.planned.read())
    }

    /// Puts a newer plan in the place of what was planned.
    pub(super) fn renew(&self, planned: Planned) -> Arc<Planned> {
        let planned = Arc::new(planned);
        *self.planned.write() = Arc::clone(&planned);
        planned
    }
}

/// A statement, planned.
#[derive(Debug)]
pub(crate) struct Planned {
    /// The version of the catalog that its tables are of, or of an earlier one.
    version: u64,
    /// The session in which it is optimized, and run where that needs no more of it than settings. These are compared by
    /// identity: kept here, they are never changed in place.
    session: Arc<SessionState>,
    /// `None` for a statement that is planned for the values of its parameters, at each run.
    plan: Option<LogicalPlan>,
    pub(crate) placeholders: Placeholders,
    pub(crate) gives: Gives,
    optimized: Option<Optimized>,
    changes: Option<Arc<DirectChanges>>,
}

impl Planned {
    /// The statement of a plan that was made at this version of the catalog, with so many parameters that are open.
    ///
    /// # Errors
    /// `InvalidInput` for a parameter with a name.
    pub(crate) fn new(
        version: u64,
        session: Arc<SessionState>,
        plan: LogicalPlan,
        parameters: usize,
    ) -> Result<Self> {
        Ok(Self {
            version,
            placeholders: Placeholders::of(&plan)?.at_least(parameters),
            gives: Gives::of(&plan),
            optimized: Optimized::of(&session, &plan),
            changes: DirectChanges::of(&plan).map(Arc::new),
            session,
            plan: Some(plan),
        })
    }

    /// A statement that is planned for the values of its parameters, at each run.
    pub(crate) fn by_values(
        version: u64,
        session: Arc<SessionState>,
        gives: Gives,
        parameters: usize,
    ) -> Self {
        Self {
            version,
            session,
            plan: None,
            placeholders: Placeholders::default().at_least(parameters),
            gives,
            optimized: None,
            changes: None,
        }
    }

    /// The plan with values for its parameters; `None` where it is to be made for them.
    ///
    /// # Errors
    /// What an operator has against the types of the values, where nothing else can be made of them.
    pub(crate) fn with_values(&self, values: &[ScalarValue]) -> Result<Option<LogicalPlan>> {
        match &self.plan {
            Some(plan) => bound::with_values(plan.clone(), values.to_vec()),
            None => Ok(None),
        }
    }

    /// The plan, if there is one before its parameters have values.
    pub(super) fn plan(&self) -> Option<&LogicalPlan> {
        self.plan.as_ref()
    }

    /// Whether it is the plan for the tables and the settings that there are now.
    pub(crate) fn is_current(&self, catalogs: &Catalogs, context: &SessionContext) -> bool {
        let settings = self.session.config_options();
        self.version == catalogs.version()
            && Arc::ptr_eq(settings, context.state_ref().read().config_options())
    }

    /// Whether it need not be optimized again, and reads no tables but Halite's.
    pub(crate) fn is_of_tables(&self) -> bool {
        self.session().is_some()
    }

    /// A session in which runs can be planned, if they read no tables but Halite's, of which no one looks into it for more
    /// than settings.
    pub(crate) fn session(&self) -> Option<&Arc<SessionState>> {
        let optimized = self.optimized.as_ref()?;
        optimized.is_of_tables.then_some(&self.session)
    }

    /// Whether runs may go around planning.
    pub(crate) fn is_direct(&self) -> bool {
        let optimized = self.optimized.as_ref();
        let parameters = self.placeholders.count();
        let change = self.changes.as_ref();
        optimized.is_some_and(|optimized| optimized.direct.is_some())
            || change
                .zip(self.plan.as_ref())
                .is_some_and(|(change, plan)| change.is_direct(&self.session, plan, parameters))
    }

    /// The change with parameters that are bound, if it needs no plan.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) async fn direct_change(
        &self,
        catalogs: &Catalogs,
        params: &[ScalarValue],
    ) -> Result<Option<BoundChange>> {
        let (Some(changes), Some(plan)) = (&self.changes, &self.plan) else {
            return Ok(None);
        };
        let types: Vec<DataType> = params.iter().map(ScalarValue::data_type).collect();
        let change = match changes.known(&types) {
            Some(known) => known,
            None => {
                let (changes, session) = (Arc::clone(changes), Arc::clone(&self.session));
                let (effort, plan) = (Effort::of_plan(plan), plan.clone());
                let learnt = async move { Ok(changes.learn(&session, &plan, types)) };
                apart(effort, learnt).await?
            }
        };
        let tables = (catalogs, self.version);
        let bound = change.map(|change| change.bind(&self.session, tables, params));
        Ok(bound.transpose()?.flatten())
    }

    /// The rows for parameters that are bound, if they need no plan.
    ///
    /// # Errors
    /// Those of the store; `Conflict` where the table is gone.
    pub(crate) fn direct(
        &self,
        catalogs: &Catalogs,
        context: &SessionContext,
        params: &[ScalarValue],
        counters: Option<Counters>,
    ) -> Result<Option<Opened>> {
        let direct = self.optimized.as_ref().and_then(|it| it.direct.as_ref());
        match direct {
            Some(direct) => {
                let moments = PlannedMoments {
                    catalogs,
                    version: self.version,
                };
                let params = self.placeholders.as_times(params);
                direct.run(context, &params, counters, &moments)
            }
            None => Ok(None),
        }
    }

    /// The optimized plan with values; `None` where it is not known, or not what these values make of it.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn optimized(&self, params: &[ScalarValue]) -> Result<Option<LogicalPlan>> {
        match &self.optimized {
            Some(optimized) => Ok(optimized.bind(&self.placeholders.as_times(params))?),
            None => Ok(None),
        }
    }

    /// The physical plan of an earlier run for these values; `None` where there is none that is right for them.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn kept(&self, params: &[ScalarValue]) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        match self.kept_plan(params) {
            Some(kept) => Ok(kept.bind(&self.session, &self.placeholders.as_times(params))?),
            None => Ok(None),
        }
    }

    /// Keeps the physical plan of a run for later ones, if it can be.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn keep(&self, plan: &Arc<dyn ExecutionPlan>, params: &[ScalarValue]) -> Result<()> {
        match self.kept_plan(params) {
            Some(kept) => {
                let params = self.placeholders.as_times(params);
                Ok(kept.keep(&self.session, plan, &params)?)
            }
            None => Ok(()),
        }
    }

    fn kept_plan(&self, params: &[ScalarValue]) -> Option<&PlanTemplate> {
        let optimized = self.optimized.as_ref()?;
        let kept = optimized.kept.as_ref()?;
        (params.len() == optimized.parameters).then_some(kept)
    }
}

/// Moments at which the tables are those of a plan. A table of another database, of which this one hears nothing, is read
/// as it is.
struct PlannedMoments<'a> {
    catalogs: &'a Catalogs,
    version: u64,
}

impl PlannedMoments<'_> {
    fn is_current(&self) -> bool {
        self.catalogs.version() == self.version
    }
}

impl Moments for PlannedMoments<'_> {
    fn now(&self, store: &Arc<dyn Store>) -> Result<Option<Arc<dyn Snapshot>>> {
        let Some(catalog) = self.catalogs.in_store(store) else {
            return store.snapshot().map(Some);
        };
        let snapshot = catalog.snapshot()?;
        Ok(self.is_current().then_some(snapshot))
    }

    fn supposed(&self, store: &Arc<dyn Store>) -> Result<Option<Arc<dyn Snapshot>>> {
        let snapshot = match self.catalogs.in_store(store) {
            Some(catalog) => catalog.supposed()?,
            None => store.supposed(),
        };
        Ok(snapshot.filter(|_| self.is_current()))
    }
}

/// A query that the optimizer is done with.
#[derive(Debug)]
struct Optimized {
    plan: LogicalPlan,
    /// How many parameters there are.
    parameters: usize,
    direct: Option<DirectQuery>,
    kept: Option<PlanTemplate>,
    /// Whether it reads no tables but Halite's.
    is_of_tables: bool,
}

impl Optimized {
    /// The query of a plan whose parameters are open; `None` if their values may matter to the optimizer, or the time.
    fn of(session: &SessionState, plan: &LogicalPlan) -> Option<Self> {
        if !is_the_same_each_time(plan) {
            return None;
        }
        let optimized = session.optimize(tuples::typed(plan).ok()?.as_ref()).ok()?;
        let parameters = plan.get_parameter_names().ok()?.len();
        let mut are_simple = true;
        let visited = optimized.apply_with_subqueries(|node| {
            are_simple = are_simple && has_simple_parameters(node)?;
            Ok(TreeNodeRecursion::Continue)
        });
        (visited.is_ok() && are_simple).then(|| Self {
            direct: DirectQuery::of(plan, &optimized, parameters, session.config_options()),
            kept: PlanTemplate::of(&optimized),
            is_of_tables: reads_own_tables(&optimized),
            plan: optimized,
            parameters,
        })
    }

    fn bind(&self, values: &[ScalarValue]) -> PlanResult<Option<LogicalPlan>> {
        if values.len() != self.parameters {
            return Ok(None);
        }
        let plan = self.plan.clone();
        if values.is_empty() {
            return Ok(Some(plan));
        }
        let mut fits = true;
        let bound = plan.transform_down_with_subqueries(|node| match node {
            LogicalPlan::TableScan(mut table) => {
                for filter in &mut table.filters {
                    match scan::bound(std::mem::take(filter), values)? {
                        Some(bound) => *filter = bound,
                        None => fits = false,
                    }
                }
                Ok(Transformed::yes(LogicalPlan::TableScan(table)))
            }
            node => Ok(Transformed::no(node)),
        })?;
        Ok(fits.then_some(bound.data))
    }
}

/// What carries out plans that look into their session for nothing but settings: it has no functions, of which a session
/// has hundreds.
pub(crate) fn task(session: &SessionState, config: SessionConfig) -> Arc<TaskContext> {
    let (id, runtime) = (
        session.session_id().to_owned(),
        Arc::clone(session.runtime_env()),
    );
    let (scalar, higher, aggregate, window) = Default::default();
    Arc::new(TaskContext::new(
        None, id, config, scalar, higher, aggregate, window, runtime,
    ))
}

/// Whether the node's parameters, if it has some, are compared with columns of their types by a scan of ours, which looks
/// at the values itself.
fn has_simple_parameters(node: &LogicalPlan) -> PlanResult<bool> {
    if let LogicalPlan::TableScan(scan) = node
        && let Some(table) = table_of(scan)
    {
        return Ok(are_simple(scan, &table));
    }
    let mut found = false;
    node.apply_expressions(|expression| {
        found = found || expression.exists(|inner| Ok(matches!(inner, Expr::Placeholder(_))))?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(!found)
}

fn are_simple(scan: &TableScan, table: &HaliteTable) -> bool {
    let columns = table.schema();
    let mut conjuncts = scan.filters.iter().flat_map(split_conjunction);
    !scan.filters.iter().any(is_deep) && conjuncts.all(|conjunct| is_simple(conjunct, &columns))
}

#[cfg(test)]
#[path = "planned_tests.rs"]
mod tests;
