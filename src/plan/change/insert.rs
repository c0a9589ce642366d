//! INSERT with ON CONFLICT, with RETURNING.
//!
//! The rows of ON CONFLICT are looked up by their keys ([`LookupNode`]), and what stands behind DO UPDATE is a query over
//! the stored row and the new one, which is called `excluded`. It is computed for the rows alone that it is about.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::common::{Column, Result as PlanResult, TableReference};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, SubqueryAlias, lit, not, when};
use sqlparser::ast::{
    Assignment, AssignmentTarget, ConflictTarget, DoUpdate, Expr as SqlExpr, Ident,
    Insert as SqlInsert, ObjectName, OnConflict, OnConflictAction, OnInsert, Query, SelectItem,
    SqliteOnConflict, TableAlias, TableFactor, TableObject, TableWithJoins, VisitMut, VisitorMut,
};

use super::assign::Target;
use super::lookup::{EXCLUDED, LookupNode, is_stored};
use super::rows::{Rows, action, in_place_of_list, old_columns};
use super::update::{assignments, values_of};
use super::values::Insert;
use crate::catalog::visible::Catalogs;
use crate::catalog::{column_name, identifier, object_name};
use crate::error::{Error, Result};
use crate::plan::bind::column_rules::parsed;
use crate::schema::BoundTable;
use crate::sql::marks::unseen;
use crate::sql::rewrite::rows_changed::query;
use crate::table::HaliteTable;
use crate::write::{Action, Change, Edit, Layout, Sought};

/// An INSERT that does more than to insert.
pub(super) struct Upsert {
    insert: Insert,
    /// What the table is called in DO UPDATE and RETURNING.
    label: TableReference,
    sought: Sought,
    on: On,
}

/// What becomes of a row whose key is there.
enum On {
    /// What INSERT or REPLACE says.
    Change(Change),
    Nothing,
    Update(Updates),
}

/// What DO UPDATE assigns.
struct Updates {
    assigned: Vec<usize>,
    /// The values, and behind them the condition.
    query: Box<Query>,
    has_condition: bool,
}

/// What an INSERT has beside its rows.
pub(super) struct Clauses {
    on: Option<OnInsert>,
    returning: Option<Vec<SelectItem>>,
    factor: TableFactor,
    label: TableReference,
    sought: Sought,
    replaces: bool,
}

impl Clauses {
    /// Takes the clauses out of an INSERT, if it has any; what is left is an INSERT alone. `sought` is what its rows must
    /// be to be looked up.
    ///
    /// # Errors
    /// A table with a name that no table has.
    pub fn take(insert: &mut SqlInsert, sought: Sought) -> Result<Option<Self>> {
        let ignores = insert.or == Some(SqliteOnConflict::Ignore);
        if insert.on.is_none() && insert.returning.is_none() && !ignores {
            return Ok(None);
        }
        let TableObject::TableName(name) = &insert.table else {
            return Ok(None);
        };
        let label = match insert.table_alias.take() {
            Some(alias) => identifier(&alias.alias),
            None => object_name(name)?,
        };
        let nothing = OnInsert::OnConflict(OnConflict {
            conflict_target: None,
            action: OnConflictAction::DoNothing,
        });
        if ignores {
            insert.or = None;
        }
        Ok(Some(Self {
            on: insert.on.take().or(ignores.then_some(nothing)),
            returning: insert.returning.take(),
            factor: table_factor(name.clone(), &label),
            label: TableReference::bare(label),
            sought,
            replaces: insert.replace_into || insert.or == Some(SqliteOnConflict::Replace),
        }))
    }
}

/// Writes a REPLACE that names some of the columns as an update of these where its row is there: what it does not name
/// stays, as in Phoenix and DuckDB. What it gives is then what its rows must be to be looked up: of what is not named
/// nothing is known before.
///
/// # Errors
/// A table that is not there.
pub(super) fn keep_unnamed(catalogs: &Catalogs, insert: &mut SqlInsert) -> Result<Sought> {
    let replaces = insert.replace_into || insert.or == Some(SqliteOnConflict::Replace);
    let TableObject::TableName(name) = &insert.table else {
        return Ok(Sought::Row);
    };
    if !replaces || insert.columns.is_empty() || insert.on.is_some() {
        return Ok(Sought::Row);
    }
    let table = catalogs.expect_table(&object_name(name)?)?;
    let named = insert.columns.iter().map(column_name);
    let named = named.collect::<Result<Vec<String>>>()?;
    Change::Replace.check(table.bound())?;
    // Without a key no row is replaced.
    if table.bound().row_id().is_some() || !leaves_out(table.bound(), &named) {
        return Ok(Sought::Row);
    }
    let excluded = Ident::new(EXCLUDED);
    let assignments = named.iter().map(|name| {
        let column = Ident::with_quote('"', name);
        let target = AssignmentTarget::ColumnName(ObjectName::from(vec![column.clone()]));
        let value = SqlExpr::CompoundIdentifier(vec![excluded.clone(), column]);
        Assignment { target, value }
    });
    insert.on = Some(OnInsert::OnConflict(OnConflict {
        conflict_target: None,
        action: OnConflictAction::DoUpdate(DoUpdate {
            assignments: assignments.collect(),
            selection: None,
        }),
    }));
    insert.replace_into = false;
    insert.or = None;
    Ok(Sought::Key)
}

/// Whether a list of columns leaves out one that might be given a value.
fn leaves_out(table: &BoundTable, named: &[String]) -> bool {
    let mut columns = table.columns().iter();
    columns.any(|column| column.generated.is_none() && !named.contains(&column.name))
}

impl Upsert {
    /// The statement of an INSERT, the query of RETURNING, and the table.
    ///
    /// # Errors
    /// A column that is not there, or that no key is of.
    pub fn new(insert: Insert, clauses: Clauses) -> Result<(Arc<HaliteTable>, Self, Returning)> {
        let table = Arc::clone(insert.table());
        let on = match (clauses.on, clauses.replaces) {
            (None, false) => On::Change(Change::Insert),
            (None, true) => {
                Change::Replace.check(table.bound())?;
                On::Change(Change::Replace)
            }
            (Some(_), true) => {
                return Err(Error::unsupported(
                    "REPLACE with ON CONFLICT is not implemented; leave one of them out",
                ));
            }
            // Without a key no row is in the way of another.
            (Some(OnInsert::OnConflict(conflict)), false) if is_no_conflict(&table, &conflict) => {
                On::Change(Change::Insert)
            }
            (Some(OnInsert::OnConflict(conflict)), false) => {
                expect_key(table.bound())?;
                Change::Edit(Edit::Upsert).check(table.bound())?;
                check_target(table.bound(), conflict.conflict_target.as_ref())?;
                match conflict.action {
                    OnConflictAction::DoNothing => On::Nothing,
                    OnConflictAction::DoUpdate(update) => {
                        On::Update(Updates::new(table.bound(), &clauses.factor, update)?)
                    }
                }
            }
            (Some(_), false) => {
                return Err(Error::unsupported(
                    "ON DUPLICATE KEY UPDATE is not implemented; write ON CONFLICT DO UPDATE SET c = excluded.c",
                ));
            }
        };
        let over = vec![from(clauses.factor)];
        let returning = clauses.returning.map(|list| query(list, over, None));
        let upsert = Self {
            insert,
            label: clauses.label,
            sought: clauses.sought,
            on,
        };
        Ok((table, upsert, returning.transpose()?))
    }

    /// The query of DO UPDATE, to be planned beside that of the statement.
    pub fn updates(&self) -> Option<Box<Query>> {
        match &self.on {
            On::Update(updates) => Some(updates.query.clone()),
            _ => None,
        }
    }

    /// The rows of the change, of which `query` is the plan of the query, and `updates` that of DO UPDATE.
    ///
    /// # Errors
    /// A value or a type that a column cannot hold.
    pub fn rows(&self, query: LogicalPlan, updates: Option<LogicalPlan>) -> PlanResult<Rows> {
        let table = self.insert.table();
        let given = self.insert.rows_of(query)?;
        let names = table.bound().columns().iter().map(|column| &column.name);
        let new = names.map(|name| Column::new(Some(self.label.clone()), name));
        let new: Vec<Column> = new.collect();
        let layout = Layout {
            action: None,
            old: false,
            new: true,
            returned: 0,
        };
        let (change, layout, plan) = match &self.on {
            On::Change(change) => {
                let action = Some(Action::Insert);
                let plan = SubqueryAlias::try_new(Arc::new(given), self.label.clone())?;
                let plan = LogicalPlan::SubqueryAlias(plan);
                (*change, Layout { action, ..layout }, plan)
            }
            On::Nothing => {
                let plan = insert_if_new(self.look_up(given)?, &new)?;
                (Change::Edit(Edit::InsertNew), layout, plan)
            }
            On::Update(update) => {
                let looked_up = self.look_up(given)?;
                let updates =
                    updates.ok_or_else(|| Error::internal("DO UPDATE without its plan"))?;
                let plan = in_place_of_list(updates, "DO UPDATE", &mut |list, _| {
                    update.rows(table, &new, list, looked_up.clone())
                })?;
                let layout = Layout {
                    old: true,
                    ..layout
                };
                (Change::Edit(Edit::Upsert), layout, plan)
            }
        };
        Ok(Rows {
            verb: "INSERT",
            change,
            layout,
            new,
            plan,
        })
    }

    fn look_up(&self, given: LogicalPlan) -> PlanResult<LogicalPlan> {
        let table = Arc::clone(self.insert.table());
        Ok(LookupNode::new(table, self.label.clone(), self.sought, given)?.into_plan())
    }
}

/// Whether no row conflicts with another one, and nothing would be done if one did.
fn is_no_conflict(table: &HaliteTable, conflict: &OnConflict) -> bool {
    let does_nothing = matches!(conflict.action, OnConflictAction::DoNothing);
    table.bound().row_id().is_some() && conflict.conflict_target.is_none() && does_nothing
}

/// Refuses ON CONFLICT where there is no key that rows could have in common.
fn expect_key(table: &BoundTable) -> Result<()> {
    match table.row_id() {
        None => Ok(()),
        Some(_) => Err(Error::invalid(format!(
            "table `{}` has no primary key, by which rows would be in conflict: leave ON CONFLICT out, or declare \
             PRIMARY KEY (…) with the columns that are to be different",
            table.name()
        ))),
    }
}

/// The query of RETURNING.
type Returning = Option<Box<Query>>;

/// The column of the row that was given.
fn excluded(column: &Column) -> Expr {
    Expr::Column(Column::new(Some(EXCLUDED), &column.name))
}

/// Inserts the rows that were looked up in vain.
fn insert_if_new(looked_up: LogicalPlan, new: &[Column]) -> PlanResult<LogicalPlan> {
    let stays = when(Expr::Column(is_stored()), lit(Action::Nothing.code()))
        .otherwise(lit(Action::Insert.code()))?;
    let rows = new.iter().map(|column| {
        let (relation, name) = (column.relation.clone(), &column.name);
        excluded(column).alias_qualified(relation, name)
    });
    let list = std::iter::once(stays.alias(action().name)).chain(rows);
    let rows = Projection::try_new(list.collect(), Arc::new(looked_up))?;
    Ok(LogicalPlan::Projection(rows))
}

impl Updates {
    fn new(table: &BoundTable, factor: &TableFactor, update: DoUpdate) -> Result<Self> {
        let DoUpdate {
            assignments: mut given,
            selection: mut condition,
        } = update;
        let mut names = OfTable::new(table, factor);
        let exprs = given.iter_mut().map(|it| &mut it.value);
        exprs.chain(&mut condition).try_for_each(|expr| {
            generated_of_excluded(table, expr)?;
            names.write(expr);
            Ok::<_, Error>(())
        })?;
        let values = assignments(table, factor, &given)?;
        let (assigned, mut list): (Vec<usize>, Vec<SelectItem>) = values.into_iter().unzip();
        let has_condition = condition.is_some();
        list.extend(condition.map(|expr| SelectItem::ExprWithAlias {
            expr,
            alias: Ident::with_quote('"', unseen("the", "condition")),
        }));
        let new = match factor {
            TableFactor::Table { name, .. } => table_factor(name.clone(), EXCLUDED),
            other => other.clone(),
        };
        let over = vec![from(factor.clone()), from(new)];
        Ok(Self {
            assigned,
            query: query(list, over, None)?,
            has_condition,
        })
    }

    /// What becomes of rows that were looked up: `list` are the values, and the condition.
    fn rows(
        &self,
        table: &HaliteTable,
        new: &[Column],
        mut list: Vec<Expr>,
        looked_up: LogicalPlan,
    ) -> PlanResult<LogicalPlan> {
        let condition = if self.has_condition {
            list.pop().map(Expr::unalias)
        } else {
            None
        };
        let code = |action: Action| lit(action.code());
        let is_new = not(Expr::Column(is_stored()));
        let becomes = when(is_new, code(Action::Insert))
            .when(condition.unwrap_or(lit(true)), code(Action::Update))
            .otherwise(code(Action::Nothing))?;
        let decided = beside(looked_up, vec![becomes.alias(action().name)])?;
        let is_update = Expr::Column(action()).eq(code(Action::Update));
        let (values, computed) = values_of(list);
        let computed = computed.into_iter().map(|expr| {
            let name = expr.qualified_name().1;
            Ok(when(is_update.clone(), expr.unalias()).end()?.alias(name))
        });
        let computed = beside(decided, computed.collect::<PlanResult<_>>()?)?;
        let mut columns = vec![Expr::Column(action())];
        columns.extend(old_columns(table, new)?);
        for (position, column) in new.iter().enumerate() {
            let mut assigned = self.assigned.iter().zip(&values);
            let value = assigned.find(|(assigned, _)| **assigned == position);
            let updated = match value {
                None => Expr::Column(column.clone()),
                Some((_, value)) => {
                    let target = Target::of(table.bound(), position, None)?;
                    let target = target.over(&computed, value)?;
                    target.assign_any(value.clone(), computed.schema())?
                }
            };
            let value = when(is_update.clone(), updated).otherwise(excluded(column))?;
            columns.push(value.alias_qualified(column.relation.clone(), &column.name));
        }
        let rows = Projection::try_new(columns, Arc::new(computed))?;
        Ok(LogicalPlan::Projection(rows))
    }
}

/// A plan with more columns behind its own.
pub(super) fn beside(plan: LogicalPlan, more: Vec<Expr>) -> PlanResult<LogicalPlan> {
    let kept = plan.schema().columns().into_iter().map(Expr::Column);
    let list = kept.chain(more).collect();
    let beside = Projection::try_new(list, Arc::new(plan))?;
    Ok(LogicalPlan::Projection(beside))
}

/// Whether ON CONFLICT is about the key of the table.
fn check_target(table: &BoundTable, target: Option<&ConflictTarget>) -> Result<()> {
    let named = match target {
        None => return Ok(()),
        Some(ConflictTarget::OnConstraint(name)) => {
            return Err(Error::unsupported(format!(
                "ON CONFLICT ON CONSTRAINT {name} is not implemented; a table has one key: leave it out"
            )));
        }
        Some(ConflictTarget::Columns(columns)) => columns,
    };
    let mut named: Vec<String> = named.iter().map(identifier).collect();
    let sources = table.key_sources().iter();
    let key = sources.map(|source| Ok(table.column(*source)?.name.clone()));
    let mut key = key.collect::<Result<Vec<String>>>()?;
    let shown = format!("({})", key.join(", "));
    named.sort();
    key.sort();
    if named == key {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "table `{}`: ON CONFLICT ({}) is not about its key, whose columns are {shown}; name these, or none",
            table.name(),
            named.join(", ")
        )))
    }
}

/// A table of a FROM, under another name.
fn table_factor(name: ObjectName, label: &str) -> TableFactor {
    TableFactor::Table {
        name,
        alias: Some(TableAlias {
            explicit: true,
            name: Ident::with_quote('"', label),
            columns: Vec::new(),
            at: None,
        }),
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

pub(super) fn from(relation: TableFactor) -> TableWithJoins {
    let joins = Vec::new();
    TableWithJoins { relation, joins }
}

/// Writes `excluded.g` of a generated column as what it is computed by, of the columns that the new row has: the column
/// itself is computed where the row is written.
fn generated_of_excluded(table: &BoundTable, expr: &mut SqlExpr) -> Result<()> {
    let mut generated = GeneratedOfExcluded(table);
    match VisitMut::visit(expr, &mut generated) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

struct GeneratedOfExcluded<'a>(&'a BoundTable);

impl GeneratedOfExcluded<'_> {
    fn expression(&self, name: &Ident) -> Option<Result<SqlExpr>> {
        let name = identifier(name);
        let column = self.0.columns().iter().find(|it| it.name == name)?;
        let text = column.generated.as_ref()?;
        let mut expression = match parsed(&format!("CAST(({text}) AS {})", column.sql_type)) {
            Ok(expression) => expression,
            Err(error) => return Some(Err(error)),
        };
        let excluded = Ident::new(EXCLUDED);
        let mut names = OfTable {
            table: self.0,
            label: Some(excluded),
            depth: 0,
        };
        names.write(&mut expression);
        Some(Ok(expression))
    }
}

impl VisitorMut for GeneratedOfExcluded<'_> {
    type Break = Error;

    fn post_visit_expr(&mut self, expr: &mut SqlExpr) -> ControlFlow<Error> {
        if let SqlExpr::CompoundIdentifier(parts) = expr
            && let [table, column] = parts.as_slice()
            && identifier(table) == EXCLUDED
            && let Some(expression) = self.expression(column)
        {
            match expression {
                Ok(expression) => *expr = expression,
                Err(error) => return ControlFlow::Break(error),
            }
        }
        ControlFlow::Continue(())
    }
}

/// Writes the names of columns without a table as those of the table that is changed: in a query over that table and the
/// new row they might be of either.
struct OfTable<'a> {
    table: &'a BoundTable,
    label: Option<Ident>,
    depth: usize,
}

impl<'a> OfTable<'a> {
    fn new(table: &'a BoundTable, factor: &TableFactor) -> Self {
        let label = match factor {
            TableFactor::Table { alias, .. } => alias.as_ref().map(|alias| alias.name.clone()),
            _ => None,
        };
        Self {
            table,
            label,
            depth: 0,
        }
    }

    fn write(&mut self, expr: &mut SqlExpr) {
        let _: ControlFlow<()> = VisitMut::visit(expr, self);
    }
}

impl VisitorMut for OfTable<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut SqlExpr) -> ControlFlow<()> {
        if let (SqlExpr::Identifier(name), Some(label), 0) = (&*expr, &self.label, self.depth) {
            let column = identifier(name);
            if self.table.columns().iter().any(|it| it.name == column) {
                *expr = SqlExpr::CompoundIdentifier(vec![label.clone(), name.clone()]);
            }
        }
        ControlFlow::Continue(())
    }
}
