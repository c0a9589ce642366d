//! From the plan of a prepared change to what each run of it does.
//!
//! The parameters of a condition keep the types of the columns that they are compared with: whoever reads the table looks
//! at their values. All others have the types of the values that are given, so that the plan is the one of these values;
//! it is optimized with them open. Where an expression may mean another thing of a constant than of a column, as a
//! comparison does, no parameter stands in it: such statements are planned each time.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result as PlanResult, TableReference};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::expr_rewriter::{NamePreserver, unnormalize_col};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, LogicalPlan, Operator, TableScan, Volatility, WriteOp,
};

use super::direct::{DirectChange, Projection, Source, Step};
use crate::plan::bind::parameters::bound;
use crate::plan::bind::scanned::{table_of, table_of_source};
use crate::plan::change::assign::is_assignment;
use crate::plan::change::lookup::LookupNode;
use crate::plan::change::node::ChangeNode;
use crate::run::batch_size;
use crate::run::fast_query::{is_deep, is_simple};
use crate::scan::number;
use crate::settings::HaliteOptions;
use crate::sql::marks::PARAMETERS;
use crate::store::Latency;
use crate::table::HaliteTable;
use crate::write::{BriefWork, Change, Edit, Layout};

/// Functions of which a parameter may be an argument, beside the assignment to a column: what they give does not depend on
/// whether that is a constant.
const FUNCTIONS: [&str; 8] = [
    "+", "-", "*", "coalesce", "nullif", "greatest", "least", "abs",
];

/// Whether a plan with open parameters may be of the shape that needs no plan each time.
pub(crate) fn is_candidate(plan: &LogicalPlan) -> bool {
    let Some(changed) = Changed::of(plan) else {
        return false;
    };
    let mut is_plain = true;
    let visited = changed.input.apply(|node| {
        is_plain &= match node {
            LogicalPlan::Extension(extension) => LookupNode::of(extension).is_some(),
            LogicalPlan::Values(values) => values.values.len() == 1,
            LogicalPlan::EmptyRelation(empty) => empty.produce_one_row,
            other => matches!(
                other,
                LogicalPlan::Projection(_)
                    | LogicalPlan::Filter(_)
                    | LogicalPlan::SubqueryAlias(_)
                    | LogicalPlan::TableScan(_)
            ),
        };
        node.apply_expressions(|expression| {
            is_plain = is_plain && !is_deep(expression) && is_fixed(expression)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(if is_plain {
            TreeNodeRecursion::Continue
        } else {
            TreeNodeRecursion::Stop
        })
    });
    visited.is_ok() && is_plain
}

/// Whether an expression asks for nothing but its columns and parameters: `now()` is a constant once it is optimized.
fn is_fixed(expression: &Expr) -> PlanResult<bool> {
    let moves = expression.exists(|part| {
        Ok(match part {
            Expr::ScalarFunction(call) => call.func.signature().volatility != Volatility::Immutable,
            Expr::ScalarSubquery(_)
            | Expr::Exists(_)
            | Expr::InSubquery(_)
            | Expr::SetComparison(_)
            | Expr::ScalarVariable(..)
            | Expr::OuterReferenceColumn(..) => true,
            _ => false,
        })
    })?;
    Ok(!moves)
}

/// A change as a plan has it.
struct Changed<'a> {
    table: Arc<HaliteTable>,
    verb: &'static str,
    change: Change,
    layout: Option<Layout>,
    returned: Option<SchemaRef>,
    input: &'a LogicalPlan,
}

impl<'a> Changed<'a> {
    fn of(plan: &'a LogicalPlan) -> Option<Self> {
        if let Some(node) = ChangeNode::of(plan) {
            let returned = node.gives_rows().then(|| Arc::clone(plan.schema().inner()));
            return Some(Self {
                table: Arc::clone(node.table()),
                verb: node.verb(),
                change: node.change(),
                layout: Some(node.layout()),
                returned,
                input: node.input(),
            });
        }
        let LogicalPlan::Dml(insert) = plan else {
            return None;
        };
        Some(Self {
            table: table_of_source(&insert.target)?,
            verb: "INSERT",
            change: match insert.op {
                WriteOp::Insert(InsertOp::Append) => Change::Insert,
                WriteOp::Insert(InsertOp::Replace) => Change::Replace,
                _ => return None,
            },
            layout: None,
            returned: None,
            input: &insert.input,
        })
    }

    /// Whether the source is the one that such a change has.
    fn is_of(&self, source: &Source) -> bool {
        match self.change {
            Change::Delete | Change::Edit(Edit::Update | Edit::Delete) => {
                matches!(source, Source::Table { .. })
            }
            Change::Insert | Change::Replace | Change::Edit(Edit::InsertNew | Edit::Upsert) => {
                matches!(source, Source::Row)
            }
            Change::Edit(Edit::Merge) => false,
        }
    }
}

/// What each run does for parameters of these types; `None` where it must be planned.
///
/// # Errors
/// What is wrong with the statement for values of these types.
pub(crate) fn compile(
    session: &SessionState,
    plan: &LogicalPlan,
    types: &[DataType],
) -> PlanResult<Option<DirectChange>> {
    let options = HaliteOptions::of(session.config_options());
    let typed = typed(plan.clone(), types)?;
    if !options.pushdown || !batch_size::is_fitting(&typed)? {
        return Ok(None);
    }
    let optimized = session.optimize(&typed)?;
    let Some(changed) = Changed::of(&optimized) else {
        return Ok(None);
    };
    let store = changed.table.store();
    if store.capabilities().latency != Latency::Near {
        return Ok(None);
    }
    // Functions are given the settings of the session.
    let mut session = session.clone();
    let config = Arc::clone(session.config_options());
    session.execution_props_mut().config_options = Some(config);
    let mut compiler = Compiler {
        session: &session,
        types,
        table: &changed.table,
        steps: Vec::new(),
    };
    let Some(source) = compiler.source(changed.input)? else {
        return Ok(None);
    };
    let steps = compiler.steps;
    Ok(changed.is_of(&source).then(|| DirectChange {
        work: BriefWork {
            change: changed.change,
            layout: changed.layout,
            returned: changed.returned.clone(),
            settings: options.write_settings(),
        },
        verb: changed.verb,
        table: Arc::clone(&changed.table),
        source,
        steps,
        options,
        batch_size: session.config_options().execution.batch_size.get(),
    }))
}

/// The plan with types for its parameters, but for those of conditions.
fn typed(plan: LogicalPlan, types: &[DataType]) -> PlanResult<LogicalPlan> {
    let typed = plan.transform_up(|node| {
        if matches!(node, LogicalPlan::Filter(_)) {
            return Ok(Transformed::no(node));
        }
        let names = NamePreserver::new(&node);
        let node = node.map_expressions(|expression| {
            let name = names.save(&expression);
            let typed = expression.transform_up(|part| Ok(of_type(part, types)))?;
            Ok(typed.update_data(|expression| name.restore(expression)))
        })?;
        node.map_data(LogicalPlan::recompute_schema)
    })?;
    bound::planned_anew(typed.data)
}

fn of_type(part: Expr, types: &[DataType]) -> Transformed<Expr> {
    let Expr::Placeholder(placeholder) = part else {
        return Transformed::no(part);
    };
    let place = number(&placeholder).and_then(|number| types.get(number - 1));
    let field = place.map(|data_type| parameter(&placeholder.id, data_type));
    let id = placeholder.id;
    Transformed::yes(Expr::Placeholder(Placeholder { id, field }))
}

fn parameter(id: &str, data_type: &DataType) -> FieldRef {
    Arc::new(Field::new(id, data_type.clone(), true))
}

/// The types that values of so many parameters have most likely: those of the columns that they are assigned to or
/// compared with. `None` where one is unknown.
pub(crate) fn likely_types(plan: &LogicalPlan, parameters: usize) -> Option<Vec<DataType>> {
    let mut types: Vec<Option<DataType>> = vec![None; parameters];
    let mut note = |part: &Expr, likely: Option<DataType>| {
        if let Expr::Placeholder(placeholder) = part
            && let Some(number) = number(placeholder)
            && let Some(place) = types.get_mut(number - 1)
        {
            let field = placeholder.field.as_ref();
            let compared = field.map(|field| field.data_type().clone());
            *place = place.take().or(compared).or(likely);
        }
    };
    let visited = plan.apply(|node| {
        node.apply_expressions(|expression| {
            expression.apply(|part| {
                if let Expr::ScalarFunction(call) = part
                    && is_assignment(&call.func)
                {
                    let assigned = call.func.return_type(&[]).ok();
                    call.args.iter().for_each(|it| note(it, assigned.clone()));
                }
                note(part, None);
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    visited.ok()?;
    types.into_iter().collect()
}

/// Compiles the nodes of a plan, from the source on.
struct Compiler<'a> {
    session: &'a SessionState,
    types: &'a [DataType],
    table: &'a Arc<HaliteTable>,
    steps: Vec<Step>,
}

impl Compiler<'_> {
    /// Where the rows of a plan come from; what becomes of them is among the steps.
    fn source(&mut self, plan: &LogicalPlan) -> PlanResult<Option<Source>> {
        match plan {
            LogicalPlan::Projection(list) => {
                let source = self.source(&list.input)?;
                let projected = self.project(&list.expr, list.input.schema(), &list.schema)?;
                Ok(source.filter(|_| projected))
            }
            LogicalPlan::SubqueryAlias(alias) => self.source(&alias.input),
            LogicalPlan::EmptyRelation(empty) => {
                let is_row = empty.produce_one_row && empty.schema.fields().is_empty();
                Ok(is_row.then_some(Source::Row))
            }
            LogicalPlan::Values(values) => match values.values.as_slice() {
                [row] => {
                    let projected = self.project(row, &DFSchema::empty(), &values.schema)?;
                    Ok(projected.then_some(Source::Row))
                }
                _ => Ok(None),
            },
            LogicalPlan::Extension(extension) => {
                let Some(lookup) = LookupNode::of(extension) else {
                    return Ok(None);
                };
                let source = self.source(lookup.input())?;
                let schema = Arc::clone(plan.schema().inner());
                self.steps.push(Step::LookUp(lookup.sought(), schema));
                Ok(source)
            }
            LogicalPlan::TableScan(scan) => self.read(scan),
            _ => Ok(None),
        }
    }

    /// The rows of the table that a scan gives.
    fn read(&self, scan: &TableScan) -> PlanResult<Option<Source>> {
        let Some(table) = table_of(scan) else {
            return Ok(None);
        };
        let columns = table.schema();
        let mut conjuncts = scan.filters.iter().flat_map(split_conjunction);
        let is_plain = Arc::ptr_eq(table.bound(), self.table.bound())
            && table.bound().hidden().is_none()
            && scan.fetch.is_none()
            && !scan.filters.is_empty()
            && !scan.filters.iter().any(is_deep)
            && conjuncts.all(|conjunct| is_simple(conjunct, &columns));
        if !is_plain {
            return Ok(None);
        }
        let all = 0..columns.fields().len();
        let projection = scan.projection.clone().unwrap_or_else(|| all.collect());
        let schema = Arc::new(columns.project(&projection)?);
        let filters = scan.filters.iter().cloned().map(unnormalize_col);
        let access = table.access(filters).with_projection(projection);
        let access = access.for_many_runs();
        Ok(Some(Source::Table { access, schema }))
    }

    /// Adds a list of expressions over rows of these columns; returns whether a run can compute it.
    fn project(&mut self, list: &[Expr], input: &DFSchema, output: &DFSchema) -> PlanResult<bool> {
        if !list.iter().all(takes_parameters) {
            return Ok(false);
        }
        let wider = self.with_parameters(input)?;
        let mut names_parameters = false;
        let mut expressions = Vec::with_capacity(list.len());
        for expression in list {
            let named = expression.clone().unalias().transform_up(column_of)?;
            names_parameters |= named.transformed;
            expressions.push(self.session.create_physical_expr(named.data, &wider)?);
        }
        let fields = output.fields().iter().zip(&expressions);
        let fields = fields.map(|(field, expression)| {
            let data_type = expression.data_type(wider.as_arrow())?;
            Ok(Field::new(field.name(), data_type, true))
        });
        let schema = Schema::new(fields.collect::<PlanResult<Vec<_>>>()?);
        self.steps.push(Step::Project(Projection {
            expressions,
            with_parameters: names_parameters.then(|| nullable(wider.as_arrow())),
            schema: Arc::new(schema),
        }));
        Ok(true)
    }

    /// Columns, and the parameters behind them.
    fn with_parameters(&self, columns: &DFSchema) -> PlanResult<DFSchema> {
        let columns = columns
            .iter()
            .map(|(place, field)| (place.cloned(), Arc::clone(field)));
        let parameters = self.types.iter().zip(1..).map(|(data_type, number)| {
            let place = Some(TableReference::bare(PARAMETERS));
            (place, parameter(&format!("${number}"), data_type))
        });
        DFSchema::new_with_metadata(columns.chain(parameters).collect(), HashMap::new())
    }
}

/// A parameter as the column that has its value.
fn column_of(part: Expr) -> PlanResult<Transformed<Expr>> {
    let Expr::Placeholder(placeholder) = &part else {
        return Ok(Transformed::no(part));
    };
    let number = number(placeholder).unwrap_or_default();
    let place = TableReference::bare(PARAMETERS);
    let column = Column::new(Some(place), format!("${number}"));
    Ok(Transformed::yes(Expr::Column(column)))
}

/// The same columns, each of which may be NULL: whether one can be is asked where the row is encoded.
fn nullable(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter();
    let fields = fields.map(|field| field.as_ref().clone().with_nullable(true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Whether an expression means the same of a parameter as of a constant.
fn takes_parameters(expression: &Expr) -> bool {
    let has_one = expression.exists(|part| Ok(matches!(part, Expr::Placeholder(_))));
    if matches!(has_one, Ok(false)) {
        return true;
    }
    let is_known = match expression {
        Expr::Placeholder(_) => return true,
        Expr::Alias(_) | Expr::Cast(_) | Expr::TryCast(_) | Expr::Negative(_) => true,
        Expr::Case(case) => case.expr.is_none(),
        Expr::IsNull(_) | Expr::IsNotNull(_) => true,
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(
            op,
            Operator::Plus
                | Operator::Minus
                | Operator::Multiply
                | Operator::Divide
                | Operator::Modulo
                | Operator::And
                | Operator::Or
        ),
        Expr::ScalarFunction(call) => {
            is_assignment(&call.func) || FUNCTIONS.contains(&call.func.name())
        }
        _ => false,
    };
    let mut are_known = true;
    let visited = expression.apply_children(|child| {
        are_known = are_known && takes_parameters(child);
        Ok(TreeNodeRecursion::Continue)
    });
    is_known && are_known && visited.is_ok()
}
