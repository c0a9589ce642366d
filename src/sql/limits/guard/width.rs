//! How wide the parts of a statement are: lists for which planning takes more than their length.
//!
//! DataFusion looks at each column of a SELECT for each other one, nests windows of their own order one in the other, and
//! writes out every set of a CUBE. So these are counted on the syntax tree, before there is a plan.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    AlterColumnOperation, AlterTableOperation, BinaryOperator, ColumnDef, ColumnOption,
    CreateTable, Distinct, Expr, Function, FunctionArgumentClause, FunctionArguments, GroupByExpr,
    Join, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr, Statement,
    TableConstraint, Visit, Visitor, WindowType, visit_expressions,
};

use super::{
    MAX_AGGREGATES, MAX_ALL_SUBQUERIES, MAX_ARGUMENTS, MAX_ARMS, MAX_COLUMNS, MAX_FILTERED,
    MAX_GROUPING_SETS, MAX_KEYS, MAX_ROWS_COMPARED, MAX_WINDOWS,
};
use crate::error::{Error, Result};

/// Refuses a statement with a part that is too wide.
pub(super) fn check(tree: &impl Visit) -> Result<()> {
    match tree.visit(&mut Widths::default()) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(TooWide { most, what }) => Err(Error::unsupported(format!(
            "the statement is too wide to be planned: more than {most} {what}"
        ))),
    }
}

/// Most stars of a SELECT.
const MAX_STARS: usize = 50;

/// Most keys that the grouping sets of a GROUP BY have together, where each has all.
const MAX_KEYS_OF_SETS: usize = 50_000;

/// The rows of a list that are written out. Those of a longer list become a join, or are refused there.
fn rows_written_out(list: &[Expr]) -> usize {
    match list.len() {
        few if few <= MAX_ROWS_COMPARED => few,
        _ => 0,
    }
}

/// What there is too much of.
struct TooWide {
    most: usize,
    what: &'static str,
}

/// What is counted over the whole statement.
#[derive(Default)]
struct Widths {
    columns: usize,
    windows: usize,
    filtered: usize,
    rows_compared: usize,
    /// Values of lists that are no constants.
    computed: usize,
    /// Rows that are compared with one row each.
    tuples: usize,
    regexes: usize,
    lambdas: usize,
    subqueries: usize,
}

fn limit(count: usize, most: usize, what: &'static str) -> ControlFlow<TooWide> {
    if count <= most {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(TooWide { most, what })
    }
}

impl Visitor for Widths {
    type Break = TooWide;

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<TooWide> {
        match statement {
            Statement::CreateTable(create) => {
                limit(create.columns.len(), MAX_COLUMNS, "columns of a table")?;
                limit(create.constraints.len(), MAX_ARMS, "constraints of a table")?;
                create.columns.iter().try_for_each(rules_of)?;
                limit(checked(create), MAX_KEYS, "CHECKs and generated columns")?;
                create.constraints.iter().try_for_each(constraint)
            }
            Statement::AlterTable(alter) => {
                limit(alter.operations.len(), MAX_KEYS, "changes of a table")?;
                alter.operations.iter().try_for_each(alteration)
            }
            Statement::Insert(insert) => returned(insert.returning.as_deref()),
            Statement::Delete(delete) => returned(delete.returning.as_deref()),
            Statement::Update(update) => {
                limit(update.assignments.len(), MAX_COLUMNS, "assignments")?;
                returned(update.returning.as_deref())
            }
            Statement::Merge(merge) => limit(merge.clauses.len(), MAX_ARMS, "arms of MERGE"),
            Statement::Execute { parameters, .. } => {
                limit(parameters.len(), MAX_ARGUMENTS, "values of EXECUTE")
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<TooWide> {
        if let SetExpr::Values(values) = query.body.as_ref() {
            let widest = values.rows.iter().map(|row| row.len()).max();
            limit(widest.unwrap_or(0), MAX_COLUMNS, "columns of VALUES")?;
        }
        let named = query.with.iter().flat_map(|with| &with.cte_tables);
        let names = named.map(|cte| cte.alias.columns.len()).max();
        limit(names.unwrap_or(0), MAX_COLUMNS, "names of columns")?;
        let keys = query
            .order_by
            .as_ref()
            .map_or(0, |order| match &order.kind {
                sqlparser::ast::OrderByKind::Expressions(keys) => keys.len(),
                sqlparser::ast::OrderByKind::All(_) => 0,
            });
        limit(keys, MAX_KEYS, "keys of ORDER BY")
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<TooWide> {
        self.columns += select.projection.len();
        limit(self.columns, MAX_COLUMNS, "columns of SELECT")?;
        let stars = select
            .projection
            .iter()
            .filter(|item| is_star(item))
            .count();
        limit(stars, MAX_STARS, "stars of SELECT")?;
        limit(
            columns_of_one_name(&select.projection),
            MAX_KEYS,
            "columns of one name",
        )?;
        if let Some(having) = &select.having {
            limit(functions_in(having), MAX_KEYS, "functions of HAVING")?;
        }
        if let Some(Distinct::On(keys)) = &select.distinct {
            limit(keys.len(), MAX_KEYS, "keys of DISTINCT ON")?;
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            limit(keys.len(), MAX_KEYS, "keys of GROUP BY")?;
            let sets = keys
                .iter()
                .map(grouping_sets)
                .fold(1, usize::saturating_mul);
            limit(sets, MAX_GROUPING_SETS, "grouping sets")?;
            let distinct = distinct_keys(keys);
            limit(distinct, MAX_KEYS, "keys of grouping sets")?;
            let planned = sets.saturating_mul(distinct);
            limit(planned, MAX_KEYS_OF_SETS, "keys of all grouping sets")?;
        }
        let joins = select.from.iter().flat_map(|table| &table.joins);
        joins.into_iter().try_for_each(join)?;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<TooWide> {
        match expr {
            Expr::Function(function) => {
                self.windows += usize::from(function.over.is_some());
                limit(self.windows, MAX_WINDOWS, "window functions")?;
                self.filtered += usize::from(function.filter.is_some());
                limit(
                    self.filtered,
                    MAX_FILTERED,
                    "calls with FILTER or columns of PIVOT",
                )?;
                let (of_order, of_window) = keys_of(function);
                limit(of_order, MAX_KEYS, "keys of an aggregate's order")?;
                limit(of_window, MAX_WINDOWS, "keys of a window")?;
                limit(
                    arguments(function),
                    MAX_ARGUMENTS,
                    "arguments of a function",
                )
            }
            Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => {
                self.subqueries += 1;
                limit(self.subqueries, MAX_ALL_SUBQUERIES, "subqueries")
            }
            Expr::InList { expr, list, .. } if matches!(expr.as_ref(), Expr::Tuple(_)) => {
                self.rows_compared += rows_written_out(list);
                limit(self.rows_compared, MAX_ROWS_COMPARED, "rows in lists")
            }
            Expr::InList { list, .. } => {
                let computed = list.iter().filter(|value| !is_constant(value)).count();
                self.computed += computed;
                limit(
                    self.computed,
                    MAX_ARGUMENTS,
                    "values of lists that are computed",
                )
            }
            Expr::SimilarTo { .. }
            | Expr::RLike { .. }
            | Expr::BinaryOp {
                op:
                    BinaryOperator::PGRegexMatch
                    | BinaryOperator::PGRegexIMatch
                    | BinaryOperator::PGRegexNotMatch
                    | BinaryOperator::PGRegexNotIMatch,
                ..
            } => {
                self.regexes += 1;
                limit(self.regexes, MAX_ARGUMENTS, "regular expressions")
            }
            Expr::BinaryOp { left, .. } if matches!(left.as_ref(), Expr::Tuple(_)) => {
                self.tuples += 1;
                limit(self.tuples, MAX_KEYS, "rows compared")
            }
            Expr::Lambda(_) => {
                self.lambdas += 1;
                limit(self.lambdas, MAX_AGGREGATES, "lambdas")
            }
            Expr::Array(array) => limit(array.elem.len(), MAX_ARGUMENTS, "values of a list"),
            Expr::Dictionary(fields) => limit(fields.len(), MAX_ARGUMENTS, "fields of a value"),
            Expr::Map(map) => limit(map.entries.len(), MAX_ARGUMENTS, "keys of a map"),
            Expr::Tuple(values) => limit(values.len(), MAX_KEYS, "values of a row"),
            Expr::Case { conditions, .. } => {
                limit(conditions.len(), MAX_ARGUMENTS, "arms of a CASE")
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn constraint(constraint: &TableConstraint) -> ControlFlow<TooWide> {
    match constraint {
        TableConstraint::PrimaryKey(key) => limit(key.columns.len(), MAX_KEYS, "parts of a key"),
        TableConstraint::Check(check) => check_of(&check.expr),
        _ => ControlFlow::Continue(()),
    }
}

fn alteration(operation: &AlterTableOperation) -> ControlFlow<TooWide> {
    match operation {
        AlterTableOperation::AddColumn { column_def, .. } => rules_of(column_def),
        AlterTableOperation::AddConstraint { constraint, .. } => self::constraint(constraint),
        AlterTableOperation::AlterColumn {
            op: AlterColumnOperation::SetDefault { value },
            ..
        } => default_of(value),
        _ => ControlFlow::Continue(()),
    }
}

/// How many conditions and values of a table are held against each row, and planned one by one.
fn checked(create: &CreateTable) -> usize {
    let options = create.columns.iter().flat_map(|column| &column.options);
    let of_columns = options.filter(|option| {
        matches!(
            option.option,
            ColumnOption::Check(_)
                | ColumnOption::Generated {
                    generation_expr: Some(_),
                    ..
                }
        )
    });
    let of_table = create.constraints.iter();
    let of_table = of_table.filter(|it| matches!(it, TableConstraint::Check(_)));
    of_columns.count() + of_table.count()
}

/// What a column says of its values.
fn rules_of(column: &ColumnDef) -> ControlFlow<TooWide> {
    column
        .options
        .iter()
        .try_for_each(|option| match &option.option {
            ColumnOption::Check(check) => check_of(&check.expr),
            ColumnOption::Default(value) => default_of(value),
            ColumnOption::Generated {
                generation_expr: Some(value),
                ..
            } => rule(value, "operators of a generated column"),
            _ => ControlFlow::Continue(()),
        })
}

fn check_of(condition: &Expr) -> ControlFlow<TooWide> {
    rule(condition, "operators of a CHECK")
}

fn default_of(value: &Expr) -> ControlFlow<TooWide> {
    rule(value, "operators of a DEFAULT")
}

/// An expression of a table is read, planned and written again with it.
fn rule(expression: &Expr, what: &'static str) -> ControlFlow<TooWide> {
    let operators = count(expression, |part| matches!(part, Expr::BinaryOp { .. }));
    limit(operators, MAX_ARGUMENTS, what)
}

fn join(join: &Join) -> ControlFlow<TooWide> {
    match constraint_of(&join.join_operator) {
        Some(JoinConstraint::Using(columns)) => limit(columns.len(), MAX_KEYS, "columns of USING"),
        Some(JoinConstraint::On(condition)) => {
            limit(equalities(condition), MAX_KEYS, "equal columns of a join")
        }
        _ => ControlFlow::Continue(()),
    }
}

/// How many equalities of two that are no constants there are.
fn equalities(condition: &Expr) -> usize {
    count(condition, |part| match part {
        Expr::BinaryOp { left, op, right } => {
            *op == BinaryOperator::Eq && !is_constant(left) && !is_constant(right)
        }
        _ => false,
    })
}

/// Whether a value stands there that is no expression over anything.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Value(_) | Expr::TypedString(_) | Expr::Interval(_) => true,
        Expr::UnaryOp { expr, .. } | Expr::Cast { expr, .. } | Expr::Nested(expr) => {
            is_constant(expr)
        }
        Expr::Tuple(values) => values.iter().all(is_constant),
        _ => false,
    }
}

fn is_star(item: &SelectItem) -> bool {
    matches!(
        item,
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
    )
}

fn returned(columns: Option<&[SelectItem]>) -> ControlFlow<TooWide> {
    let columns = columns.unwrap_or_default();
    limit(columns.len(), MAX_ARGUMENTS, "columns of RETURNING")
}

/// How many calls there are in a condition.
fn functions_in(condition: &Expr) -> usize {
    count(condition, |part| matches!(part, Expr::Function(_)))
}

/// How many parts of an expression are of a kind.
fn count(expr: &Expr, is_of_kind: impl Fn(&Expr) -> bool) -> usize {
    let mut count = 0;
    let _: ControlFlow<()> = visit_expressions(expr, |part| {
        count += usize::from(is_of_kind(part));
        ControlFlow::Continue(())
    });
    count
}

/// How many columns of a SELECT have the name that most have: each is told apart from all before it.
fn columns_of_one_name(columns: &[SelectItem]) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for column in columns {
        let name = match column {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias),
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last(),
            _ => None,
        };
        if let Some(name) = name {
            *counts.entry(&name.value).or_default() += 1;
        }
    }
    counts.into_values().max().unwrap_or_default()
}

/// The most keys of an order that a function has, and those of its window.
fn keys_of(function: &Function) -> (usize, usize) {
    let orders = match &function.args {
        FunctionArguments::List(list) => list.clauses.as_slice(),
        _ => &[],
    };
    let orders = orders.iter().map(|clause| match clause {
        FunctionArgumentClause::OrderBy(keys) => keys.len(),
        _ => 0,
    });
    let of_order = orders.chain([function.within_group.len()]).max();
    let of_window = match &function.over {
        Some(WindowType::WindowSpec(window)) => window.partition_by.len() + window.order_by.len(),
        _ => 0,
    };
    (of_order.unwrap_or_default(), of_window)
}

fn arguments(function: &Function) -> usize {
    match &function.args {
        FunctionArguments::List(list) => list.args.len(),
        _ => 0,
    }
}

/// How many keys there are in the grouping sets, each once.
fn distinct_keys(keys: &[Expr]) -> usize {
    let mut distinct = HashSet::new();
    for key in keys {
        match key {
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                distinct.extend(sets.iter().flatten());
            }
            _ => {}
        }
    }
    distinct.len()
}

/// How many sets a key of GROUP BY stands for.
fn grouping_sets(key: &Expr) -> usize {
    match key {
        Expr::Cube(keys) => u32::try_from(keys.len())
            .ok()
            .and_then(|count| 1_usize.checked_shl(count))
            .unwrap_or(usize::MAX),
        Expr::Rollup(keys) => keys.len() + 1,
        Expr::GroupingSets(sets) => sets.len(),
        _ => 1,
    }
}

/// What the rows of a join have in common, where it says so.
fn constraint_of(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::Semi(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::RightSemi(constraint)
        | JoinOperator::Anti(constraint)
        | JoinOperator::LeftAnti(constraint)
        | JoinOperator::RightAnti(constraint) => Some(constraint),
        _ => None,
    }
}

#[cfg(test)]
#[path = "width_tests.rs"]
mod tests;
