//! MERGE: the query of its values, over the join of the table and the source.
//!
//! Each row of the join says whether there is a stored row in it, and a row of the source. By these and by the conditions of
//! its WHENs the first one is found that is about the row; what that assigns is computed for its rows alone.

use std::sync::Arc;

use datafusion::common::{Column, Result as PlanResult, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, lit, when};
use sqlparser::ast::{
    Expr as SqlExpr, Ident, Merge as SqlMerge, MergeAction, MergeClause, MergeClauseKind,
    MergeInsertExpr, MergeInsertKind, OutputClause, SelectItem, SetExpr, TableFactor,
};

use super::Parts;
use super::assign::Target;
use super::insert::{beside, from};
use super::rows::{
    Rows, action, columns_of, in_place_of_list, old_columns, showing_hidden_of_query,
};
use super::update::{assignments, column, label_of, target, values_of};
use super::values::is_default;
use crate::catalog::visible::Catalogs;
use crate::error::{Error, Result};
use crate::plan::bind::column_rules::default_sql;
use crate::schema::BoundTable;
use crate::sql::dialect;
use crate::sql::marks::{GIVEN, STORED, unseen};
use crate::sql::rewrite::rows_changed::query;
use crate::table::HaliteTable;
use crate::write::{Action, Change, Edit, Layout};

/// What the WHENs of a MERGE do.
pub(super) struct Merge {
    clauses: Vec<Clause>,
    /// Whether the columns of the source are wanted, for RETURNING.
    keeps_source: bool,
}

/// One WHEN.
struct Clause {
    kind: MergeClauseKind,
    has_condition: bool,
    action: Action,
    /// The columns that it gives values.
    assigned: Vec<usize>,
}

impl Merge {
    /// The table of a MERGE, what it does, and the query of its values.
    ///
    /// # Errors
    /// A table or a column that is not there.
    pub fn take(catalogs: &Catalogs, merge: &SqlMerge) -> Result<(Arc<HaliteTable>, Self, Parts)> {
        let table = target(catalogs, &merge.table)?;
        let (mut clauses, mut list) = (Vec::new(), Vec::new());
        for (number, clause) in merge.clauses.iter().enumerate() {
            let (clause, items) = Clause::take(table.bound(), &merge.table, clause, number)?;
            clauses.push(clause);
            list.extend(items);
        }
        if list.is_empty() {
            list.push(item(
                SqlExpr::value(sqlparser::ast::Value::Null),
                0,
                "nothing",
            ));
        }
        let joined = joined(merge, table.bound(), &clauses)?;
        let returning = match &merge.output {
            None => None,
            Some(OutputClause::Returning { select_items, .. }) => {
                let over = [merge.table.clone(), merge.source.clone()].map(from);
                Some(query(select_items.clone(), over.into(), None)?)
            }
            Some(OutputClause::Output { .. }) => {
                return Err(Error::unsupported(
                    "MERGE … OUTPUT is not implemented; write RETURNING",
                ));
            }
        };
        let mut values = query(list, Vec::new(), None)?;
        if let SetExpr::Select(select) = values.body.as_mut() {
            select.from = joined;
        }
        let merge = Self {
            clauses,
            keeps_source: returning.is_some(),
        };
        let query = values;
        Ok((table, merge, Parts { query, returning }))
    }

    /// The rows of the change, of which `query` is the plan of the query.
    ///
    /// # Errors
    /// A value or a type that a column cannot hold.
    pub fn rows(&self, table: &HaliteTable, query: LogicalPlan) -> PlanResult<Rows> {
        let mut new = Vec::new();
        let query = showing_hidden_of_query(query, table)?;
        let plan = in_place_of_list(query, "MERGE", &mut |list, input| {
            let (plan, columns) = self.decided(table, list, input)?;
            new = columns;
            Ok(plan)
        })?;
        let layout = Layout {
            action: None,
            old: true,
            new: true,
            returned: 0,
        };
        Ok(Rows {
            verb: "MERGE",
            change: Change::Edit(Edit::Merge),
            layout,
            new,
            plan,
        })
    }

    /// The rows of the join with what becomes of each, and the columns of the new rows.
    fn decided(
        &self,
        table: &HaliteTable,
        list: Vec<Expr>,
        input: Arc<LogicalPlan>,
    ) -> PlanResult<(LogicalPlan, Vec<Column>)> {
        let columns = columns_of(&input, table)?;
        let mut list = list.into_iter();
        let mut parts = Vec::new();
        for clause in &self.clauses {
            let condition = clause.has_condition.then(|| list.next()).flatten();
            let values: Vec<Expr> = list.by_ref().take(clause.assigned.len()).collect();
            parts.push((condition.map(Expr::unalias), values));
        }
        let conditions = parts.iter().map(|(condition, _)| condition.clone());
        let chosen = self.chosen(input.as_ref(), conditions.collect())?;
        let mut plan = beside(Arc::unwrap_or_clone(input), vec![chosen])?;
        let mut values = Vec::new();
        let mut computed = Vec::new();
        for (number, (_, list)) in (1..).zip(parts) {
            let (of_clause, to_compute) = values_of(list);
            for expr in to_compute {
                let name = expr.qualified_name().1;
                let value = when(is_chosen(number), expr.unalias()).end()?;
                computed.push(value.alias(name));
            }
            values.push(of_clause);
        }
        plan = beside(plan, computed)?;
        let mut list = vec![self.action()?];
        list.extend(old_columns(table, &columns)?);
        for (position, column) in columns.iter().enumerate() {
            let value = self.value(table, position, column, &values, &plan)?;
            list.push(value.alias_qualified(column.relation.clone(), &column.name));
        }
        if self.keeps_source {
            let others = plan.schema().columns().into_iter();
            let of_source =
                |it: &Column| it.relation.is_some() && it.relation != columns_relation(&columns);
            list.extend(others.filter(of_source).map(Expr::Column));
        }
        let plan = Projection::try_new(list, Arc::new(plan))?;
        Ok((LogicalPlan::Projection(plan), columns))
    }

    /// The number of the first WHEN that is about a row, from 1; 0 where none is.
    fn chosen(&self, input: &LogicalPlan, conditions: Vec<Option<Expr>>) -> PlanResult<Expr> {
        let flag = |name: &str| {
            let mut columns = input.schema().columns().into_iter();
            let column = columns.find(|column| column.name == name);
            column.map_or(lit(true), |column| Expr::Column(column).is_true())
        };
        let (stored, given) = (flag(STORED), flag(GIVEN));
        let mut numbers = Vec::new();
        for ((clause, condition), number) in self.clauses.iter().zip(conditions).zip(1_i32..) {
            let is_about = match clause.kind {
                MergeClauseKind::Matched => stored.clone().and(given.clone()),
                MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => {
                    stored.clone().is_not_true()
                }
                MergeClauseKind::NotMatchedBySource => given.clone().is_not_true(),
            };
            let is_about = match condition {
                Some(condition) => is_about.and(condition),
                None => is_about,
            };
            numbers.push((Box::new(is_about), Box::new(lit(number))));
        }
        let none = Some(Box::new(lit(0_i32)));
        let case = datafusion::logical_expr::Case::new(None, numbers, none);
        Ok(Expr::Case(case).alias(chosen().name))
    }

    fn action(&self) -> PlanResult<Expr> {
        let codes = self.clauses.iter().zip(1..).map(|(clause, number)| {
            let code = lit(clause.action.code());
            (Box::new(is_chosen(number)), Box::new(code))
        });
        let nothing = Some(Box::new(lit(Action::Nothing.code())));
        let case = datafusion::logical_expr::Case::new(None, codes.collect(), nothing);
        Ok(Expr::Case(case).alias(action().name))
    }

    /// The value of one column in the new rows.
    fn value(
        &self,
        table: &HaliteTable,
        position: usize,
        column: &Column,
        values: &[Vec<Expr>],
        plan: &LogicalPlan,
    ) -> PlanResult<Expr> {
        let bound = table.bound();
        let mut cases = Vec::new();
        for ((clause, values), number) in self.clauses.iter().zip(values).zip(1..) {
            let mut assigned = clause.assigned.iter().zip(values);
            let value = match assigned.find(|(assigned, _)| **assigned == position) {
                Some((_, value)) => {
                    let target = Target::of(bound, position, None)?.over(plan, value)?;
                    target.assign_any(value.clone(), plan.schema())?
                }
                None if clause.action == Action::Insert => {
                    let data_type = bound.column(position)?.sql_type.arrow();
                    Expr::Literal(ScalarValue::try_from(&data_type)?, None)
                }
                None => continue,
            };
            cases.push((Box::new(is_chosen(number)), Box::new(value)));
        }
        let kept = Expr::Column(column.clone());
        if cases.is_empty() {
            return Ok(kept);
        }
        let case = datafusion::logical_expr::Case::new(None, cases, Some(Box::new(kept)));
        Ok(Expr::Case(case))
    }
}

fn columns_relation(columns: &[Column]) -> Option<datafusion::common::TableReference> {
    columns.first().and_then(|column| column.relation.clone())
}

fn chosen() -> Column {
    Column::new_unqualified(unseen("the", "when"))
}

fn is_chosen(number: i32) -> Expr {
    Expr::Column(chosen()).eq(lit(number))
}

fn item(expr: SqlExpr, number: usize, role: &str) -> SelectItem {
    let alias = Ident::with_quote('"', unseen(role, &number.to_string()));
    SelectItem::ExprWithAlias { expr, alias }
}

impl Clause {
    fn take(
        table: &BoundTable,
        factor: &TableFactor,
        clause: &MergeClause,
        number: usize,
    ) -> Result<(Self, Vec<SelectItem>)> {
        let condition = clause.predicate.clone();
        let mut items: Vec<SelectItem> = condition
            .map(|condition| item(condition, number, "condition"))
            .into_iter()
            .collect();
        let (action, assigned) = match &clause.action {
            MergeAction::Delete { .. } => (Action::Delete, Vec::new()),
            MergeAction::Update(update) => {
                if update.update_predicate.is_some() || update.delete_predicate.is_some() {
                    return Err(Error::unsupported(
                        "WHERE in a WHEN of MERGE is not implemented; write WHEN MATCHED AND …",
                    ));
                }
                let values = assignments(table, factor, &update.assignments)?;
                (Action::Update, values)
            }
            MergeAction::Insert(insert) => {
                refuse_dealt(table)?;
                (Action::Insert, inserted(table, factor, insert)?)
            }
        };
        let (assigned, values): (Vec<usize>, Vec<SelectItem>) = assigned.into_iter().unzip();
        let values = values.into_iter().map(|value| match value {
            SelectItem::ExprWithAlias { expr, alias } => item(expr, number, &alias.value),
            other => other,
        });
        items.extend(values);
        let clause = Self {
            kind: clause.clause_kind,
            has_condition: clause.predicate.is_some(),
            action,
            assigned,
        };
        clause.check()?;
        Ok((clause, items))
    }

    /// Whether what it does can be done with the rows that it is about.
    fn check(&self) -> Result<()> {
        let is_new = matches!(
            self.kind,
            MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget
        );
        if is_new == (self.action == Action::Insert) {
            Ok(())
        } else {
            Err(Error::invalid(format!(
                "MERGE: WHEN {} cannot {}: {}",
                self.kind,
                match self.action {
                    Action::Insert => "INSERT",
                    Action::Delete => "DELETE",
                    _ => "UPDATE",
                },
                if is_new {
                    "there is no row of the table"
                } else {
                    "there is a row of the table already"
                }
            )))
        }
    }
}

/// Refuses what inserts rows under keys that it knows.
fn refuse_dealt(table: &BoundTable) -> Result<()> {
    match table.row_key().dealt_buckets() {
        None => Ok(()),
        Some(buckets) => Err(Error::unsupported(format!(
            "table `{}`: INSERT in a MERGE is not implemented with random_salt({buckets}), whose buckets are dealt out by \
             INSERT alone; write INSERT … SELECT … WHERE NOT EXISTS (…)",
            table.name()
        ))),
    }
}

/// The columns of an INSERT of a WHEN, each with its value.
fn inserted(
    table: &BoundTable,
    factor: &TableFactor,
    insert: &MergeInsertExpr,
) -> Result<Vec<(usize, SelectItem)>> {
    let MergeInsertKind::Values(values) = &insert.kind else {
        return Err(Error::unsupported(
            "INSERT ROW in MERGE is not implemented; write INSERT VALUES (…)",
        ));
    };
    let [row] = values.rows.as_slice() else {
        return Err(Error::invalid("INSERT in MERGE takes one row of values"));
    };
    if insert.insert_predicate.is_some() {
        return Err(Error::unsupported(
            "WHERE in a WHEN of MERGE is not implemented; write WHEN NOT MATCHED AND …",
        ));
    }
    let targets: Vec<usize> = if insert.columns.is_empty() {
        let columns = table.columns().iter().enumerate();
        let given = columns.filter(|(_, column)| column.generated.is_none());
        given.map(|(position, _)| position).collect()
    } else {
        let columns = insert.columns.iter();
        let targets = columns.map(|name| column(table, factor, name));
        targets.collect::<Result<_>>()?
    };
    let mut seen = targets.clone();
    seen.sort_unstable();
    seen.dedup();
    if seen.len() != targets.len() || targets.len() != row.content.len() {
        return Err(Error::invalid(format!(
            "table `{}`: INSERT in MERGE gives {} values for {} columns, each of which is to be named once",
            table.name(),
            row.content.len(),
            targets.len()
        )));
    }
    let given = targets.iter().copied().zip(&row.content);
    let given = given.map(|(target, value)| {
        table.refuse_given(target, is_default(value))?;
        let column = table.column(target)?;
        let value = if is_default(value) {
            default_sql(column)?
        } else {
            value.clone()
        };
        Ok((target, item(value, 0, &unseen("value of", &column.name))))
    });
    let columns = table.columns().iter().enumerate();
    let left_out =
        columns.filter(|(at, column)| !targets.contains(at) && column.default_text().is_some());
    let left_out = left_out.map(|(at, column)| {
        let name = unseen("value of", &column.name);
        Ok((at, item(default_sql(column)?, 0, &name)))
    });
    given.chain(left_out).collect()
}

/// The table and the source, joined so that every row is there that a WHEN is about.
fn joined(
    merge: &SqlMerge,
    table: &BoundTable,
    clauses: &[Clause],
) -> Result<Vec<sqlparser::ast::TableWithJoins>> {
    let has = |kinds: &[MergeClauseKind]| clauses.iter().any(|it| kinds.contains(&it.kind));
    let inserts = has(&[
        MergeClauseKind::NotMatched,
        MergeClauseKind::NotMatchedByTarget,
    ]);
    let join = match (inserts, has(&[MergeClauseKind::NotMatchedBySource])) {
        (true, true) => "FULL JOIN",
        (true, false) => "RIGHT JOIN",
        (false, true) => "LEFT JOIN",
        (false, false) => "JOIN",
    };
    let label = |factor: &TableFactor| label_of(factor).map(|name| name.replace('"', "\"\""));
    let stored = label(&merge.table).unwrap_or_else(|| table.name().replace('"', "\"\""));
    let given = label(&merge.source).ok_or_else(|| {
        Error::invalid("the source of a MERGE needs a name: write USING (…) AS s ON …")
    })?;
    let text = format!(
        "SELECT 1 FROM (SELECT *, true AS \"{STORED}\" FROM t) AS \"{stored}\" \
         {join} (SELECT *, true AS \"{GIVEN}\" FROM t) AS \"{given}\" ON true"
    );
    let internal = |error| Error::internal("the join of a MERGE").with_source(error);
    let mut template = dialect::query(&text).map_err(internal)?;
    let SetExpr::Select(select) = template.body.as_mut() else {
        return Err(Error::internal("a join that is no SELECT"));
    };
    let mut tables = std::mem::take(&mut select.from);
    for table in &mut tables {
        read(&mut table.relation, &merge.table);
        for join in &mut table.joins {
            read(&mut join.relation, &merge.source);
            if let Some(on) = super::merge::condition(&mut join.join_operator) {
                *on = merge.on.as_ref().clone();
            }
        }
    }
    Ok(tables)
}

/// Lets a query in FROM read another table.
fn read(derived: &mut TableFactor, factor: &TableFactor) {
    if let TableFactor::Derived { subquery, .. } = derived
        && let SetExpr::Select(select) = subquery.body.as_mut()
    {
        select.from = vec![from(factor.clone())];
    }
}

/// The ON of a join.
fn condition(operator: &mut sqlparser::ast::JoinOperator) -> Option<&mut SqlExpr> {
    use sqlparser::ast::{JoinConstraint, JoinOperator as J};
    match operator {
        J::Join(JoinConstraint::On(on))
        | J::Inner(JoinConstraint::On(on))
        | J::Left(JoinConstraint::On(on))
        | J::LeftOuter(JoinConstraint::On(on))
        | J::Right(JoinConstraint::On(on))
        | J::RightOuter(JoinConstraint::On(on))
        | J::FullOuter(JoinConstraint::On(on)) => Some(on),
        _ => None,
    }
}
