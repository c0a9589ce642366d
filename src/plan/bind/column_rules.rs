//! DEFAULT, CHECK and generated columns: expressions that a table keeps as text.
//!
//! They are planned as the expressions of any query are, by the same rules, so that they mean in a table what they mean in
//! a WHERE. A DEFAULT is planned with the statement that needs it, and computed as everything else in it: `now()` is the
//! time of the statement, `random()` is drawn for each row. A CHECK is planned once, and asked of every row that is
//! written, whatever way it comes; so it may say nothing whose answer changes while the row stays as it is. So is a
//! generated column, which is computed of the others where every row comes by, and of no other generated one.

use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::catalog::MemoryCatalogProviderList;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, TableReference};
use datafusion::datasource::empty::EmptyTable;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Projection, Volatility};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::prelude::SessionContext;
use futures::FutureExt;
use sqlparser::ast::{Expr as SqlExpr, Value, Visit, Visitor};
use sqlparser::parser::Parser;

use super::{lateral, names};
use crate::catalog::{GuestFunctions, columns_of};
use crate::datum::{identifier, type_name};
use crate::error::{Error, Result};
use crate::key::RowError;
use crate::plan::change::assign::Target;
use crate::plan::environment;
use crate::row::{RowRules, shown_at};
use crate::schema::{BoundTable, Check, Column, Table};
use crate::sql::dialect::HaliteDialect;
use crate::sql::limits::long_lists::LongLists;
use crate::sql::parse::{Command, parse};
use crate::sql::stack::stack_for;
use crate::sql::unsupported::clauses;
use crate::write::Filled;

/// The session in which rules are planned. It takes no parts of expressions for columns of their own.
static SESSION: LazyLock<SessionState> = LazyLock::new(|| {
    let context = SessionContext::new_with_state(environment::builder().build());
    environment::register(&context);
    let state = context.state();
    let mut rules = state.optimizer().rules.clone();
    rules.retain(|rule| rule.name() != "common_sub_expression_eliminate");
    SessionStateBuilder::new_from_existing(state)
        .with_optimizer_rules(rules)
        .build()
});

/// The expression that a table keeps as this text.
///
/// # Errors
/// `InvalidInput` where it is none.
pub(crate) fn parsed(text: &str) -> Result<SqlExpr> {
    let dialect = HaliteDialect::new(text.len());
    let parsed = Parser::new(&dialect)
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_expr());
    parsed.map_err(|error| {
        Error::invalid(format!("`{text}` is no expression: {error}")).with_source(error)
    })
}

/// The DEFAULT of a column as a part of a statement; NULL where it has none.
///
/// # Errors
/// As [`parsed`].
pub(crate) fn default_sql(column: &Column) -> Result<SqlExpr> {
    match column.default_text() {
        Some(text) => Ok(SqlExpr::Nested(Box::new(parsed(&text)?))),
        None => Ok(SqlExpr::value(Value::Null)),
    }
}

/// The DEFAULT of a column, planned in the session of a statement; `None` where it has none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn default_expr(state: &SessionState, column: &Column) -> Result<Option<Expr>> {
    let Some(text) = &column.default_text() else {
        return Ok(None);
    };
    let plan = plan(state, &format!("SELECT ({text})"));
    let plan = plan.map_err(|error| {
        error.context(format!("the DEFAULT of column `{}`, {text}", column.name))
    })?;
    only_expression(&plan).map(Some)
}

/// What a statement of the session `state` writes to the columns that it is not given, where that is not NULL.
///
/// # Errors
/// What is wrong with a DEFAULT.
pub(crate) fn filled(
    state: &SessionState,
    table: &BoundTable,
    given: &[String],
) -> Result<Vec<Filled>> {
    let columns = table.columns().iter().enumerate();
    let left_out = columns.filter(|(_, column)| !given.contains(&column.name));
    let mut filled = Vec::new();
    for (column, _) in left_out {
        if let Some(value) = assigned_default(state, table, column)? {
            let value = state.create_physical_expr(value, &DFSchema::empty())?;
            filled.push(Filled { column, value });
        }
    }
    Ok(filled)
}

/// The DEFAULT of a column as one of its values, as the optimizer leaves it; `None` where it has none.
fn assigned_default(
    state: &SessionState,
    table: &BoundTable,
    position: usize,
) -> Result<Option<Expr>> {
    let Some(default) = default_expr(state, table.column(position)?)? else {
        return Ok(None);
    };
    let value = Target::of(table, position, None)?.assign_value(default)?;
    let plan = LogicalPlanBuilder::empty(true).project([value])?.build()?;
    only_expression(&state.optimize(&plan)?).map(Some)
}

/// The value that the DEFAULT of a column has now, in an array; `None` where it has none.
///
/// # Errors
/// `NotSupported` for one that differs from row to row; what is wrong with it.
pub(crate) fn value_now(
    state: &SessionState,
    table: &BoundTable,
    position: usize,
) -> Result<Option<ArrayRef>> {
    let Some(value) = assigned_default(state, table, position)? else {
        return Ok(None);
    };
    if value.is_volatile() {
        let column = table.column(position)?;
        let name = identifier(&column.name);
        return Err(Error::unsupported(format!(
            "column `{}`: its DEFAULT differs from row to row, so that rows would have to be rewritten; add it without \
             one, and then ALTER COLUMN {name} SET DEFAULT",
            column.name
        )));
    }
    let value = state.create_physical_expr(value, &DFSchema::empty())?;
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options);
    let row = row.map_err(|error| Error::internal("a row of no columns").with_source(error))?;
    Ok(Some(value.evaluate(&row)?.into_array(1)?))
}

/// What a generated column is computed by, over the table's columns without the table's name; `None` for any other column.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn generated_value(table: &BoundTable, position: usize) -> Result<Option<Expr>> {
    let generated = table.column(position)?.generated.as_ref();
    let value = generated.map(|text| Generated::value(table, position, text));
    Ok(value.transpose()?.map(|(_, value)| value))
}

/// Whether the expressions of a definition mean something: a DEFAULT in the session `state`, all others by themselves.
///
/// # Errors
/// `InvalidInput` or `NotSupported` that names the table, the column or constraint, and what is wrong.
pub(crate) fn validate(table: &Table, state: &SessionState) -> Result<()> {
    let says = |column: &Column| column.default.is_some() || column.generated.is_some();
    if !table.columns.iter().any(says) && table.checks.is_empty() {
        return Ok(());
    }
    let bound = BoundTable::new(table.clone())?;
    let checked = check_defaults(&bound, state).and_then(|()| {
        for (position, column) in table.columns.iter().enumerate() {
            if let Some(text) = &column.generated {
                Generated::new(&bound, position, text)?;
            }
        }
        let mut checks = table.checks.iter();
        checks.try_for_each(|check| CheckRule::new(&bound, check).map(drop))
    });
    checked.map_err(|error| error.context(format!("table `{}`", table.name)))
}

fn check_defaults(table: &BoundTable, state: &SessionState) -> Result<()> {
    for (position, column) in table.columns().iter().enumerate() {
        let in_column = |error: Error| error.context(format!("column `{}`", column.name));
        if let Some(text) = &column.default {
            let expression = parsed(text)?;
            refuse(&expression, "a DEFAULT", true).map_err(in_column)?;
            if let Some(functions) = state.config().get_extension::<GuestFunctions>() {
                let refused = functions.refuse_in(&expression, "a DEFAULT");
                refused.map_err(in_column)?;
            }
        }
        if column.identity.is_some() {
            // The sequence is made with the table, and gives whole numbers.
            continue;
        }
        if let Some(value) = default_expr(state, column)? {
            let target = Target::of(table, position, None)?;
            target.assign_value(value).map_err(Error::from)?;
        }
    }
    Ok(())
}

/// Refuses what no rule may have; `columns` says whether they are among it.
fn refuse(expression: &SqlExpr, what: &str, columns: bool) -> Result<()> {
    let mut refused = Refused { columns };
    match expression.visit(&mut refused) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(part) => Err(Error::invalid(format!("{what} cannot have {part}"))),
    }
}

/// Finds what a rule may not have.
struct Refused {
    columns: bool,
}

impl Visitor for Refused {
    type Break = String;

    fn pre_visit_expr(&mut self, expr: &SqlExpr) -> ControlFlow<String> {
        match expr {
            SqlExpr::Identifier(_) | SqlExpr::CompoundIdentifier(_) if self.columns => {
                ControlFlow::Break(format!("columns, and `{expr}` is one"))
            }
            SqlExpr::Subquery(_) | SqlExpr::Exists { .. } | SqlExpr::InSubquery { .. } => {
                ControlFlow::Break("a subquery".to_owned())
            }
            SqlExpr::Value(value) if matches!(value.value, Value::Placeholder(_)) => {
                ControlFlow::Break("parameters".to_owned())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The plan of a query of expressions. Nothing that it names has to be waited for.
fn plan(state: &SessionState, sql: &str) -> Result<LogicalPlan> {
    let Some(parsed) = parse(sql)?.pop() else {
        return Err(Error::internal("an expression that is no query"));
    };
    let Command::Sql(statement) = parsed.command else {
        return Err(Error::internal("an expression that is a command"));
    };
    clauses::check(&statement.sql, state)?;
    let lists = LongLists::default();
    let planning = stack_for(parsed.depth, lateral::first_plan(state, *statement, &lists));
    let planned = planning.now_or_never();
    let planned = planned.ok_or_else(|| Error::internal("an expression that waits"))?;
    names::restore(planned?, |_| true)
}

/// The one expression of a plan, without a name.
fn only_expression(plan: &LogicalPlan) -> Result<Expr> {
    let expression = match plan {
        LogicalPlan::Projection(projection) => match projection.expr.as_slice() {
            [only] if projection.input.inputs().is_empty() => {
                Some(only.clone().unalias_nested().data)
            }
            _ => None,
        },
        // A column alone.
        LogicalPlan::TableScan(scan) => {
            let columns = scan.projected_schema.columns();
            columns.into_iter().next().map(Expr::Column)
        }
        _ => None,
    };
    expression.ok_or_else(|| Error::unsupported("aggregates and windows are not implemented here"))
}

/// A CHECK that is understood.
#[derive(Debug)]
struct CheckRule {
    name: String,
    text: String,
    condition: Arc<dyn PhysicalExpr>,
    /// The positions of the columns that it is about.
    columns: Vec<usize>,
}

impl CheckRule {
    fn new(table: &BoundTable, check: &Check) -> Result<Self> {
        let condition = condition(table, &check.expression)
            .map_err(|error| error.context(format!("constraint `{}`", check.name)))?;
        let mut columns: Vec<usize> = collect_columns(&condition)
            .iter()
            .map(|column| column.index())
            .collect();
        columns.sort_unstable();
        Ok(Self {
            name: check.name.clone(),
            text: check.expression.clone(),
            condition,
            columns,
        })
    }

    /// The first row for which the condition is false; NULL passes.
    fn broken_by(&self, rows: &RecordBatch) -> Result<Option<usize>> {
        let answers = self.condition.evaluate(rows);
        let answers = answers.and_then(|answers| answers.into_array(rows.num_rows()));
        let answers = answers.map_err(|error| {
            Error::from(error).context(format!("constraint `{}` ({})", self.name, self.text))
        })?;
        let Some(answers) = answers.as_boolean_opt() else {
            return Err(Error::internal("a CHECK that is neither true nor false"));
        };
        let is_false = |row: &usize| answers.is_valid(*row) && !answers.value(*row);
        Ok((0..answers.len()).find(is_false))
    }
}

/// An expression over the declared columns, which means the same each time, as the optimizer leaves it.
fn optimized(
    table: &BoundTable,
    text: &str,
    what: &str,
    convert: impl FnOnce(Expr, &DFSchema) -> Result<Expr>,
) -> Result<(SessionState, LogicalPlan)> {
    refuse(&parsed(text)?, what, false)?;
    let state = session_of(table.name(), table.schema())?;
    let written = plan(
        &state,
        &format!("SELECT ({text}) FROM {}", identifier(table.name())),
    )?;
    let value = only_expression(&written)?;
    if let Some(function) = changing(&written)? {
        return Err(Error::invalid(format!(
            "{what} cannot have `{function}`, whose answer changes while the row stays as it is"
        )));
    }
    let written = match written {
        LogicalPlan::Projection(list) => {
            let value = convert(value, list.input.schema())?;
            let list = Projection::try_new(vec![value], list.input)?;
            LogicalPlan::Projection(list)
        }
        // A column alone.
        scan => {
            let value = convert(value, scan.schema())?;
            LogicalPlanBuilder::from(scan).project([value])?.build()?
        }
    };
    let optimized = state.optimize(&written)?;
    Ok((state, optimized))
}

/// A generated column that is understood.
#[derive(Debug)]
struct Generated {
    position: usize,
    value: Arc<dyn PhysicalExpr>,
}

impl Generated {
    fn new(table: &BoundTable, position: usize, text: &str) -> Result<Self> {
        let column = table.column(position)?;
        let of_column = |error: Error| {
            error.context(format!("the generated column `{}` ({text})", column.name))
        };
        let understood = || {
            let (state, value) = Self::value(table, position, text)?;
            let schema = DFSchema::try_from(table.schema().as_ref().clone())?;
            let value = state.create_physical_expr(value, &schema)?;
            Ok(Self { position, value })
        };
        understood().map_err(of_column)
    }

    /// What it is computed by, over the table's columns without the table's name, and the session that it is planned in.
    fn value(table: &BoundTable, position: usize, text: &str) -> Result<(SessionState, Expr)> {
        for name in columns_of(&parsed(text)?) {
            let named = table.columns().iter().find(|column| column.name == name);
            if named.is_some_and(|column| column.generated.is_some()) {
                return Err(Error::invalid(format!(
                    "it cannot be computed of `{name}`, which is generated itself"
                )));
            }
        }
        let target = Target::of(table, position, None)?;
        let (state, optimized) = optimized(table, text, "a generated column", |value, schema| {
            Ok(target.assign_any(value, schema)?)
        })?;
        Ok((state, unnormalize_col(only_expression(&optimized)?)))
    }

    /// Its values in these rows.
    fn values(&self, rows: &RecordBatch) -> Result<ArrayRef, RowError> {
        let compute = |rows: &RecordBatch| -> Result<ArrayRef> {
            Ok(self.value.evaluate(rows)?.into_array(rows.num_rows())?)
        };
        compute(rows).map_err(|error| {
            // Who is to be told which row it is cannot be told by all of them together.
            let mut each = 0..rows.num_rows();
            match each.find(|row| compute(&rows.slice(*row, 1)).is_err()) {
                Some(row) => RowError::at(row, error),
                None => RowError::from(error),
            }
        })
    }
}

/// The condition of a CHECK over the declared columns.
fn condition(table: &BoundTable, text: &str) -> Result<Arc<dyn PhysicalExpr>> {
    let (state, optimized) = optimized(table, text, "a CHECK", |value, _| Ok(value))?;
    let given = optimized
        .schema()
        .fields()
        .first()
        .map(|field| field.data_type().clone());
    match given {
        Some(DataType::Boolean | DataType::Null) => {}
        Some(other) => {
            return Err(Error::invalid(format!(
                "`{text}` is no condition: it is of type {}",
                type_name(&other)
            )));
        }
        None => return Err(Error::internal("an expression without a type")),
    }
    let condition = unnormalize_col(only_expression(&optimized)?);
    let schema = DFSchema::try_from(table.schema().as_ref().clone())?;
    // NULL alone has a type of its own.
    let condition = datafusion::logical_expr::cast(condition, DataType::Boolean);
    Ok(state.create_physical_expr(condition, &schema)?)
}

/// A session that has one table, without rows.
fn session_of(name: &str, columns: &SchemaRef) -> Result<SessionState> {
    let builder = SessionStateBuilder::new_from_existing(SESSION.clone());
    let mut config = SESSION.config().clone();
    config = config.with_create_default_catalog_and_schema(true);
    let state = builder
        .with_config(config)
        .with_catalog_list(Arc::new(MemoryCatalogProviderList::new()))
        .build();
    let context = SessionContext::new_with_state(state);
    let table = Arc::new(EmptyTable::new(Arc::clone(columns)));
    context.register_table(TableReference::bare(name), table)?;
    Ok(context.state())
}

/// A function of the plan whose value is not always the same for the same arguments.
fn changing(plan: &LogicalPlan) -> Result<Option<String>> {
    let mut found = None;
    plan.apply_expressions(|expression| {
        expression.apply(|part| {
            if let Expr::ScalarFunction(function) = part
                && function.func.signature().volatility != Volatility::Immutable
            {
                found = Some(format!("{}()", function.name()));
                return Ok(TreeNodeRecursion::Stop);
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(found)
}

/// The CHECKs of one table, and its generated columns.
#[derive(Debug)]
struct Checks {
    table: BoundTable,
    generated: Vec<Generated>,
    rules: Vec<CheckRule>,
}

/// The rules of a table, as its writers ask them.
///
/// # Errors
/// What of them cannot be understood.
pub(crate) fn compile(table: &BoundTable) -> Result<Arc<dyn RowRules>> {
    let rules = table.table().checks.iter();
    let rules = rules.map(|check| CheckRule::new(table, check));
    let mut generated = Vec::new();
    for (position, column) in table.columns().iter().enumerate() {
        if let Some(text) = &column.generated {
            generated.push(Generated::new(table, position, text)?);
        }
    }
    Ok(Arc::new(Checks {
        generated,
        rules: rules.collect::<Result<_>>()?,
        table: table.clone(),
    }))
}

impl RowRules for Checks {
    fn complete(&self, rows: &RecordBatch) -> Result<Option<RecordBatch>, RowError> {
        if self.generated.is_empty() {
            return Ok(None);
        }
        let mut columns = rows.columns().to_vec();
        for generated in &self.generated {
            if let Some(place) = columns.get_mut(generated.position) {
                *place = generated.values(rows)?;
            }
        }
        // Whether a NULL may be is asked behind this.
        let fields = rows.schema_ref().fields().iter();
        let fields = fields.map(|field| field.as_ref().clone().with_nullable(true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
        let completed = RecordBatch::try_new_with_options(schema, columns, &options);
        completed.map(Some).map_err(|error| {
            RowError::from(Error::internal("rows with what is generated").with_source(error))
        })
    }

    fn check(&self, rows: &RecordBatch) -> Result<(), RowError> {
        for rule in &self.rules {
            let Some(row) = rule.broken_by(rows)? else {
                continue;
            };
            let values = rule.columns.iter().filter_map(|position| {
                let column = self.table.column(*position).ok()?;
                let array = rows.columns().get(*position)?;
                let shown = shown_at(array, row, &column.sql_type);
                Some(format!("{} = {shown}", column.name))
            });
            let values = values.collect::<Vec<_>>().join(", ");
            let (name, text) = (&rule.name, &rule.text);
            let message =
                format!("constraint `{name}`, CHECK ({text}), does not hold for {values}");
            let error = Error::invalid(message).of_constraint(name);
            return Err(RowError::at(row, error));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "column_rules_tests.rs"]
mod tests;
