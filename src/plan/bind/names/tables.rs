//! The columns of the tables that a statement reads.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use datafusion::common::Result;
use datafusion::execution::session_state::SessionState;
use datafusion::sql::planner::object_name_to_table_reference;
use sqlparser::ast::{
    Expr, Join, JoinConstraint, JoinOperator, ObjectName, Select, SelectItem,
    Statement as SqlStatement, TableFactor, TableFunctionArgs, Visit, Visitor,
};

use crate::plan::bind::statement::plan_of;
use crate::sql::dialect;
use crate::sql::ident::IdentCase;

/// The columns of tables and table functions, by how they are written.
#[derive(Debug, Default)]
pub(super) struct Tables(HashMap<String, Vec<String>>);

impl Tables {
    /// Those of a statement, if it needs to know them.
    pub(super) async fn of(
        state: &SessionState,
        statement: &SqlStatement,
        folds: IdentCase,
    ) -> Self {
        let mut tables = Self::default();
        if statement.visit(&mut Need).is_continue() {
            return tables;
        }
        let mut read = Read::default();
        let _: ControlFlow<()> = statement.visit(&mut read);
        for (name, args) in read.0 {
            let key = key(&name, args.as_ref());
            // What cannot be found is told where the statement is planned.
            if !tables.0.contains_key(&key)
                && let Ok(Some(columns)) = columns(state, name, args, folds).await
            {
                tables.0.insert(key, columns);
            }
        }
        tables
    }

    pub(super) fn columns(
        &self,
        name: &ObjectName,
        args: Option<&TableFunctionArgs>,
    ) -> Option<Vec<String>> {
        self.0.get(&key(name, args)).cloned()
    }
}

fn key(name: &ObjectName, args: Option<&TableFunctionArgs>) -> String {
    match args {
        None => name.to_string(),
        Some(args) => {
            let args: Vec<String> = args.args.iter().map(ToString::to_string).collect();
            format!("{name}({})", args.join(", "))
        }
    }
}

async fn columns(
    state: &SessionState,
    name: ObjectName,
    args: Option<TableFunctionArgs>,
    folds: IdentCase,
) -> Result<Option<Vec<String>>> {
    if args.is_some() {
        let all = format!("SELECT * FROM {}", key(&name, args.as_ref()));
        let plan = plan_of(state, dialect::query(&all)?.into()).await?;
        let fields = plan.schema().fields().iter();
        return Ok(Some(fields.map(|field| field.name().clone()).collect()));
    }
    let reference = object_name_to_table_reference(name, folds == IdentCase::Folded)?;
    let table = reference.table().to_owned();
    let Some(table) = state.schema_for_ref(reference)?.table(&table).await? else {
        return Ok(None);
    };
    let schema = table.schema();
    let fields = schema.fields().iter();
    Ok(Some(fields.map(|field| field.name().clone()).collect()))
}

/// Finds out whether a statement has something for which columns of tables must be known.
struct Need;

impl Visitor for Need {
    type Break = ();

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let mut joins = select.from.iter().flat_map(|table| &table.joins);
        let is_merged = joins.any(is_merged);
        let is_joined = select.from.len() > 1 || select.from.iter().any(|it| !it.joins.is_empty());
        let has_star = select.projection.iter().any(|item| {
            matches!(
                item,
                SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
            )
        });
        let is_starred = has_star && (is_joined || select.projection.len() > 1);
        if is_merged || is_starred || repeats(&select.projection) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::NestedJoin { .. } => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Whether two columns are called alike.
fn repeats(items: &[SelectItem]) -> bool {
    let mut seen = HashSet::new();
    let names = items.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last(),
        _ => None,
    });
    let mut names = names.map(|name| name.value.to_ascii_lowercase());
    !names.all(|name| seen.insert(name))
}

/// Whether a join makes one column of two.
pub(super) fn is_merged(join: &Join) -> bool {
    matches!(
        constraint(&join.join_operator),
        Some(JoinConstraint::Using(_) | JoinConstraint::Natural)
    )
}

/// What a join that gives the columns of both sides says of them.
pub(super) fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}

/// The same, to be written otherwise.
pub(super) fn constraint_mut(operator: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}

/// Lists the tables and table functions that are read.
#[derive(Default)]
struct Read(Vec<(ObjectName, Option<TableFunctionArgs>)>);

impl Visitor for Read {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, args, .. } = factor {
            self.0.push((name.clone(), args.clone()));
        }
        ControlFlow::Continue(())
    }
}
