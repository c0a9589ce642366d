//! A query for each of the values that it names from outside: they are its first columns then.
//!
//! `SELECT … FROM x WHERE x.b < t.b` is asked for every `t.b` at once: the distinct values of `t.b` are joined with `x`,
//! and every operator above keeps them apart. A filter and a projection hand them on, an aggregate groups by them, a
//! window is partitioned by them, a LIMIT counts the rows of each (Neumann and Kemper, Unnesting Arbitrary Queries,
//! 2015). What does not name them is not touched, and joined with them as it is.
//!
//! An aggregate without groups has a row also where there is nothing to aggregate, so for values without rows it is added.

mod neighbours;
mod totals;

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{
    Column, DFSchema, DataFusionError, NullEquality, Result as PlanResult, ScalarValue,
    TableReference,
};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::builder::{subquery_alias, unnest_with_options};
use datafusion::logical_expr::expr::{GroupingSet, Sort as SortKey};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{
    Aggregate, Distinct, DistinctOn, Expr, ExprFunctionExt, ExprSchemable, Filter, Join, JoinType,
    LogicalPlan, LogicalPlanBuilder, Projection, Union, Values, Window, lit, when,
};

use self::totals::{OfNothing, sets_of};
use super::fresh::FreshNames;
use super::outside::named_from_outside;
use super::page::Page;
use crate::error::Error;

/// The distinct values of columns.
pub(super) struct Domain<'a> {
    rows: &'a LogicalPlan,
    /// The columns of the rows, as they are named from outside.
    columns: Vec<Column>,
    names: &'a FreshNames,
}

/// A plan, and those of its columns that are the values of a domain.
#[derive(Clone)]
pub(super) struct Keyed {
    pub plan: LogicalPlan,
    pub keys: Vec<Column>,
}

impl<'a> Domain<'a> {
    /// The values of those columns of rows that a query names.
    pub fn of(
        rows: &'a LogicalPlan,
        query: &LogicalPlan,
        names: &'a FreshNames,
    ) -> PlanResult<Self> {
        let mut columns = named_from_outside(query)?;
        columns.retain(|column| rows.schema().has_column(column));
        names.count(rows)?;
        Ok(Self {
            rows,
            columns,
            names,
        })
    }

    /// The columns whose values they are.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The values, under names that nothing else has.
    fn values(&self) -> PlanResult<Keyed> {
        self.names.count(self.rows)?;
        let keys: Vec<String> = self.columns.iter().map(|_| self.names.next()).collect();
        let listed = self.columns.iter().zip(&keys);
        let listed = listed.map(|(column, key)| Expr::Column(column.clone()).alias(key));
        let plan = LogicalPlanBuilder::from(self.rows.clone())
            .project(listed)?
            .distinct()?
            .build()?;
        let keys = keys.into_iter().map(Column::new_unqualified);
        Ok(Keyed {
            plan,
            keys: keys.collect(),
        })
    }

    /// The query for each of the values.
    ///
    /// # Errors
    /// `NotSupported` where the query has a part that cannot be asked so.
    pub fn over(&self, query: &LogicalPlan) -> PlanResult<Keyed> {
        if self.columns.is_empty() {
            return Ok(Keyed {
                plan: query.clone(),
                keys: Vec::new(),
            });
        }
        if !self.is_named_in(query)? {
            let values = self.values()?;
            let plan = LogicalPlanBuilder::from(values.plan).cross_join(query.clone())?;
            return Ok(Keyed {
                plan: plan.build()?,
                keys: values.keys,
            });
        }
        match query {
            LogicalPlan::Filter(filter) => self.filter(filter),
            LogicalPlan::Projection(projection) => {
                self.project(projection, self.over(&projection.input)?)
            }
            LogicalPlan::SubqueryAlias(alias) => {
                aliased(self.over(&alias.input)?, alias.alias.clone())
            }
            LogicalPlan::Aggregate(aggregate) => self.aggregate(aggregate),
            LogicalPlan::Window(window) => self.window(window),
            // Above it rows have no order, unless they are cut.
            LogicalPlan::Sort(sort) => match sort.fetch {
                None => self.over(&sort.input),
                Some(rows) => self.cut(query, &Page::first(rows)),
            },
            LogicalPlan::Limit(limit) => self.cut(&limit.input, &Page::of(limit)?),
            LogicalPlan::Distinct(Distinct::All(input)) => {
                let Keyed { plan, keys } = self.over(input)?;
                let plan = LogicalPlan::Distinct(Distinct::All(Arc::new(plan)));
                Ok(Keyed { plan, keys })
            }
            LogicalPlan::Distinct(Distinct::On(distinct)) => self.distinct_on(distinct),
            LogicalPlan::Union(union) => self.union(union),
            LogicalPlan::Values(values) => self.rows(values),
            LogicalPlan::Join(join) => self.join(join),
            LogicalPlan::Unnest(unnest) => {
                let Keyed { plan, keys } = self.over(&unnest.input)?;
                let columns = unnest.exec_columns.clone();
                let plan = unnest_with_options(plan, columns, unnest.options.clone())?;
                Ok(Keyed { plan, keys })
            }
            other => Err(refused(other)),
        }
    }

    fn is_named_in(&self, query: &LogicalPlan) -> PlanResult<bool> {
        let named = named_from_outside(query)?;
        Ok(named.iter().any(|column| self.columns.contains(column)))
    }

    /// The expression, in which what it names from outside is a column.
    fn written(&self, expr: &Expr, keys: &[Column]) -> PlanResult<Expr> {
        let written = expr.clone().transform_up(|expr| match &expr {
            Expr::OuterReferenceColumn(_, column) => {
                let place = self.columns.iter().position(|known| known == column);
                Ok(match place.and_then(|place| keys.get(place)) {
                    Some(key) => Transformed::yes(Expr::Column(key.clone())),
                    None => Transformed::no(expr),
                })
            }
            _ => Ok(Transformed::no(expr)),
        })?;
        Ok(written.data)
    }

    /// The same under the name that it had.
    fn named(&self, expr: &Expr, keys: &[Column]) -> PlanResult<Expr> {
        Ok(renamed(self.written(expr, keys)?, expr))
    }

    fn all_named(&self, exprs: &[Expr], keys: &[Column]) -> PlanResult<Vec<Expr>> {
        exprs.iter().map(|expr| self.named(expr, keys)).collect()
    }

    fn sort_keys(&self, sort: &[SortKey], keys: &[Column]) -> PlanResult<Vec<SortKey>> {
        let sort = sort.iter().map(|key| {
            let expr = self.written(&key.expr, keys)?;
            Ok(SortKey {
                expr,
                ..key.clone()
            })
        });
        sort.collect()
    }

    fn filter(&self, filter: &Filter) -> PlanResult<Keyed> {
        let Keyed { plan, keys } = self.over(&filter.input)?;
        let predicate = self.written(&filter.predicate, &keys)?;
        let plan = LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(plan))?);
        Ok(Keyed { plan, keys })
    }

    fn project(&self, projection: &Projection, input: Keyed) -> PlanResult<Keyed> {
        let Keyed { plan, keys } = input;
        let mut exprs = self.all_named(&projection.expr, &keys)?;
        exprs.extend(columns(&keys));
        let plan = LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(plan))?);
        Ok(Keyed { plan, keys })
    }

    fn aggregate(&self, aggregate: &Aggregate) -> PlanResult<Keyed> {
        let input = self.over(&aggregate.input)?;
        if aggregate.group_expr.is_empty() {
            return self.aggregate_of_all(aggregate, input);
        }
        let Keyed { plan, keys } = input;
        let mut totals = 0;
        let groups = match aggregate.group_expr.as_slice() {
            // Each set has the values in front, which are never those that it leaves out.
            [Expr::GroupingSet(sets)] => {
                let sets = sets_of(sets);
                totals = sets.iter().filter(|set| set.is_empty()).count();
                let sets = sets.into_iter().map(|set| {
                    let set = self.all_named(&set, &keys)?;
                    Ok(columns(&keys).chain(set).collect())
                });
                let sets = GroupingSet::GroupingSets(sets.collect::<PlanResult<_>>()?);
                vec![Expr::GroupingSet(sets)]
            }
            groups => columns(&keys)
                .chain(self.all_named(groups, &keys)?)
                .collect(),
        };
        let exprs = self.all_named(&aggregate.aggr_expr, &keys)?;
        let plan = Aggregate::try_new(Arc::new(plan), groups, exprs)?;
        let plan = LogicalPlan::Aggregate(plan);
        match totals {
            0 => Ok(Keyed { plan, keys }),
            1 => self.with_totals(aggregate, Keyed { plan, keys }),
            _ => Err(refused_total()),
        }
    }

    /// Groups of which one is of all rows: there is a row of it also where there is nothing to group.
    fn with_totals(&self, aggregate: &Aggregate, groups: Keyed) -> PlanResult<Keyed> {
        let Keyed { plan, keys } = join_on_keys(self.values()?, groups, JoinType::Left)?;
        let mut listed: Vec<Expr> = columns(&keys).collect();
        let grouped = aggregate.schema.columns();
        let grouped = grouped.len().saturating_sub(aggregate.aggr_expr.len());
        for (place, column) in aggregate.schema.columns().into_iter().enumerate() {
            let of_nothing = match place.checked_sub(grouped) {
                Some(place) => aggregate.aggr_expr.get(place).and_then(OfNothing::of),
                None if column.name == Aggregate::INTERNAL_GROUPING_ID => {
                    // Every column is left out.
                    let all = (1_u64 << (grouped - 1).min(63)) - 1;
                    Some(OfNothing::Value(ScalarValue::from(all)))
                }
                None => Some(OfNothing::Null),
            };
            let Some(of_nothing) = of_nothing else {
                return Err(refused_total());
            };
            listed.push(of_nothing.instead_of(Expr::Column(column), plan.schema())?);
        }
        let plan = LogicalPlanBuilder::from(plan).project(listed)?.build()?;
        Ok(Keyed { plan, keys })
    }

    /// An aggregate without groups, which has a row for each of the values.
    fn aggregate_of_all(&self, aggregate: &Aggregate, input: Keyed) -> PlanResult<Keyed> {
        let exprs = self.all_named(&aggregate.aggr_expr, &input.keys)?;
        let of_nothing: Option<Vec<OfNothing>> = exprs.iter().map(OfNothing::of).collect();
        match of_nothing {
            Some(of_nothing) => self.with_those_of_nothing(exprs, input, &of_nothing),
            None => self.with_a_row_for_all(exprs, input),
        }
    }

    /// Groups, and what is known of those without rows.
    fn with_those_of_nothing(
        &self,
        exprs: Vec<Expr>,
        input: Keyed,
        of_nothing: &[OfNothing],
    ) -> PlanResult<Keyed> {
        let names: Vec<Expr> = exprs
            .iter()
            .map(|expr| Expr::Column(named_column(expr)))
            .collect();
        let groups = columns(&input.keys).collect();
        let groups = Aggregate::try_new(Arc::new(input.plan), groups, exprs)?;
        let groups = Keyed {
            plan: LogicalPlan::Aggregate(groups),
            keys: input.keys,
        };
        let Keyed { plan, keys } = join_on_keys(self.values()?, groups, JoinType::Left)?;
        let mut listed: Vec<Expr> = columns(&keys).collect();
        for (column, of_nothing) in names.into_iter().zip(of_nothing) {
            listed.push(of_nothing.instead_of(column, plan.schema())?);
        }
        let plan = LogicalPlanBuilder::from(plan).project(listed)?.build()?;
        Ok(Keyed { plan, keys })
    }

    /// Each value has a row more, which no aggregate counts.
    fn with_a_row_for_all(&self, exprs: Vec<Expr>, input: Keyed) -> PlanResult<Keyed> {
        let counted = self.names.next();
        let mut listed: Vec<Expr> = columns(&input.plan.schema().columns()).collect();
        listed.push(lit(true).alias(&counted));
        let input = Keyed {
            plan: LogicalPlanBuilder::from(input.plan)
                .project(listed)?
                .build()?,
            keys: input.keys,
        };
        let Keyed { plan, keys } = join_on_keys(self.values()?, input, JoinType::Left)?;
        let counted = Expr::Column(Column::new_unqualified(counted));
        let exprs = exprs.into_iter().map(|expr| {
            let filtered = expr.clone().transform_up(|expr| match expr {
                Expr::AggregateFunction(mut function) => {
                    let filter = function.params.filter.take().map(|filter| *filter);
                    let both = conjunction(filter.into_iter().chain([counted.clone()]));
                    function.params.filter = both.map(Box::new);
                    Ok(Transformed::yes(Expr::AggregateFunction(function)))
                }
                other => Ok(Transformed::no(other)),
            })?;
            Ok(renamed(filtered.data, &expr))
        });
        let exprs = exprs.collect::<PlanResult<Vec<Expr>>>()?;
        let plan = Aggregate::try_new(Arc::new(plan), columns(&keys).collect(), exprs)?;
        let plan = LogicalPlan::Aggregate(plan);
        Ok(Keyed { plan, keys })
    }

    fn window(&self, window: &Window) -> PlanResult<Keyed> {
        let Keyed { plan, keys } = self.over(&window.input)?;
        let exprs = window.window_expr.iter().map(|expr| {
            let written = self.written(expr, &keys)?.transform_up(|expr| match expr {
                Expr::WindowFunction(mut function) => {
                    function.params.partition_by.extend(columns(&keys));
                    Ok(Transformed::yes(Expr::WindowFunction(function)))
                }
                other => Ok(Transformed::no(other)),
            })?;
            Ok(renamed(written.data, expr))
        });
        let exprs = exprs.collect::<PlanResult<Vec<Expr>>>()?;
        let plan = LogicalPlan::Window(Window::try_new(exprs, Arc::new(plan))?);
        Ok(Keyed { plan, keys })
    }

    /// The rows of a page, for each of the values. A page is cut where the rows have their order.
    fn cut(&self, query: &LogicalPlan, page: &Page) -> PlanResult<Keyed> {
        match query {
            LogicalPlan::Projection(projection) => {
                self.project(projection, self.cut(&projection.input, page)?)
            }
            LogicalPlan::SubqueryAlias(alias) => {
                aliased(self.cut(&alias.input, page)?, alias.alias.clone())
            }
            LogicalPlan::Sort(sort) => {
                let page = page.within(sort.fetch);
                if let Some(found) = self.neighbours(sort, &page)? {
                    return Ok(found);
                }
                let rows = self.over(&sort.input)?;
                let order = self.sort_keys(&sort.expr, &rows.keys)?;
                self.paged(rows, order, &page)
            }
            other => self.paged(self.over(other)?, Vec::new(), page),
        }
    }

    fn paged(&self, rows: Keyed, order: Vec<SortKey>, page: &Page) -> PlanResult<Keyed> {
        let Keyed { plan, keys } = rows;
        let of_each: Vec<Expr> = columns(&keys).collect();
        let number = row_number().partition_by(of_each);
        let number = if order.is_empty() {
            number.build()?
        } else {
            number.order_by(order).build()?
        };
        let column = Expr::Column(named_column(&number));
        let Some(within) = page.condition(&column)? else {
            return Ok(Keyed { plan, keys });
        };
        let listed = plan.schema().columns();
        let plan = LogicalPlanBuilder::from(plan)
            .window([number])?
            .filter(within)?
            .project(columns(&listed))?
            .build()?;
        Ok(Keyed { plan, keys })
    }

    fn distinct_on(&self, distinct: &DistinctOn) -> PlanResult<Keyed> {
        let Keyed { plan, keys } = self.over(&distinct.input)?;
        let on = distinct
            .on_expr
            .iter()
            .map(|expr| self.written(expr, &keys));
        let on = columns(&keys)
            .map(Ok)
            .chain(on)
            .collect::<PlanResult<_>>()?;
        let mut listed = self.all_named(&distinct.select_expr, &keys)?;
        listed.extend(columns(&keys));
        let order = match &distinct.sort_expr {
            None => None,
            Some(sort) => {
                let sort = self.sort_keys(sort, &keys)?;
                let first = columns(&keys).map(|key| key.sort(true, false));
                Some(first.chain(sort).collect())
            }
        };
        let plan = DistinctOn::try_new(on, listed, order, Arc::new(plan))?;
        let plan = LogicalPlan::Distinct(Distinct::On(plan));
        Ok(Keyed { plan, keys })
    }

    fn union(&self, union: &Union) -> PlanResult<Keyed> {
        let keys: Vec<Column> = self.fresh();
        let arms = union.inputs.iter().map(|arm| {
            let keyed = self.over(arm)?;
            let listed = arm.schema().columns().into_iter().map(Expr::Column);
            let listed = listed.zip(union.schema.iter());
            let mut listed: Vec<Expr> = listed
                .map(|(column, (qualifier, field))| {
                    column.alias_qualified(qualifier.cloned(), field.name())
                })
                .collect();
            listed.extend(under(&keyed.keys, &keys));
            let plan = LogicalPlanBuilder::from(keyed.plan)
                .project(listed)?
                .build()?;
            Ok(Arc::new(plan))
        });
        let arms = arms.collect::<PlanResult<Vec<_>>>()?;
        let plan = LogicalPlan::Union(Union::try_new_with_loose_types(arms)?);
        Ok(Keyed { plan, keys })
    }

    /// VALUES that name columns from outside: a union of its rows.
    fn rows(&self, values: &Values) -> PlanResult<Keyed> {
        let keys: Vec<Column> = self.fresh();
        let mut arms = Vec::with_capacity(values.values.len());
        for row in &values.values {
            let domain = self.values()?;
            let mut listed = Vec::with_capacity(row.len() + keys.len());
            for (value, (qualifier, field)) in row.iter().zip(values.schema.iter()) {
                let value = self.written(value, &domain.keys)?;
                let value = value.cast_to(field.data_type(), domain.plan.schema())?;
                listed.push(value.alias_qualified(qualifier.cloned(), field.name()));
            }
            listed.extend(under(&domain.keys, &keys));
            let plan = LogicalPlanBuilder::from(domain.plan)
                .project(listed)?
                .build()?;
            arms.push(Arc::new(plan));
        }
        let plan = match <[Arc<LogicalPlan>; 1]>::try_from(arms) {
            Ok([only]) => Arc::unwrap_or_clone(only),
            Err(arms) => LogicalPlan::Union(Union::try_new_with_loose_types(arms)?),
        };
        Ok(Keyed { plan, keys })
    }

    fn fresh(&self) -> Vec<Column> {
        let names = self.columns.iter().map(|_| self.names.next());
        names.map(Column::new_unqualified).collect()
    }

    fn join(&self, join: &Join) -> PlanResult<Keyed> {
        use JoinType as J;
        let (left, right) = (
            self.is_named_in(&join.left)?,
            self.is_named_in(&join.right)?,
        );
        // Of the sides whose rows are all there each has the values.
        let (on_left, on_right) = match join.join_type {
            J::Inner => (left || !right, right),
            J::Left | J::LeftSemi | J::LeftAnti | J::LeftMark => (true, right),
            J::Right | J::RightSemi | J::RightAnti | J::RightMark => (left, true),
            J::Full => (true, true),
        };
        let side = |plan: &LogicalPlan, is_keyed: bool| {
            if is_keyed {
                self.over(plan)
            } else {
                Ok(Keyed {
                    plan: plan.clone(),
                    keys: Vec::new(),
                })
            }
        };
        let (left, right) = (side(&join.left, on_left)?, side(&join.right, on_right)?);
        let is_of_right = matches!(
            join.join_type,
            J::RightSemi | J::RightAnti | J::RightMark | J::Right
        );
        let keys = if is_of_right || !on_left {
            right.keys.clone()
        } else {
            left.keys.clone()
        };
        let mut conditions = self.conditions(join, &keys)?;
        if on_left && on_right {
            conditions.both = pairs(&left.keys, &right.keys);
        }
        let plan = joined(join, left.plan, right.plan, conditions)?;
        match join.join_type {
            J::Full => self.merged(plan, join, &left.keys, &right.keys),
            _ => Ok(Keyed { plan, keys }),
        }
    }

    fn conditions(&self, join: &Join, keys: &[Column]) -> PlanResult<Conditions> {
        let mut on = Vec::with_capacity(join.on.len());
        for (left, right) in &join.on {
            on.push((self.written(left, keys)?, self.written(right, keys)?));
        }
        let filter = join.filter.as_ref();
        let filter = filter.map(|filter| self.written(filter, keys));
        Ok(Conditions {
            on,
            filter: filter.transpose()?,
            both: Vec::new(),
        })
    }

    /// The values of a FULL JOIN, those of the side that a row has.
    fn merged(
        &self,
        plan: LogicalPlan,
        join: &Join,
        left: &[Column],
        right: &[Column],
    ) -> PlanResult<Keyed> {
        let keys = self.fresh();
        let mut listed: Vec<Expr> = columns(&join.schema.columns()).collect();
        for ((left, right), key) in left.iter().zip(right).zip(&keys) {
            let (left, right) = (Expr::Column(left.clone()), Expr::Column(right.clone()));
            let either = when(left.clone().is_null(), right).otherwise(left)?;
            listed.push(either.alias(key.name.clone()));
        }
        let plan = LogicalPlanBuilder::from(plan).project(listed)?.build()?;
        Ok(Keyed { plan, keys })
    }
}

/// What a join is on.
pub(super) struct Conditions {
    pub on: Vec<(Expr, Expr)>,
    pub filter: Option<Expr>,
    /// Columns that are equal, NULL to NULL as well.
    pub both: Vec<(Expr, Expr)>,
}

/// The join of other sides on other conditions.
pub(super) fn joined(
    join: &Join,
    left: LogicalPlan,
    right: LogicalPlan,
    conditions: Conditions,
) -> PlanResult<LogicalPlan> {
    let Conditions {
        mut on,
        mut filter,
        both,
    } = conditions;
    let mut null_equality = join.null_equality;
    if null_equality == NullEquality::NullEqualsNothing && !both.is_empty() {
        let equal = on.drain(..).map(|(left, right)| left.eq(right));
        filter = conjunction(equal.chain(filter));
        null_equality = NullEquality::NullEqualsNull;
    }
    on.extend(both);
    let join = Join::try_new(
        Arc::new(left),
        Arc::new(right),
        on,
        filter,
        join.join_type,
        join.join_constraint,
        null_equality,
        join.null_aware,
    )?;
    Ok(LogicalPlan::Join(join))
}

/// Both joined where their keys are equal, NULL to NULL as well; the keys are those of the left side.
pub(super) fn join_on_keys(left: Keyed, right: Keyed, join_type: JoinType) -> PlanResult<Keyed> {
    let plan = LogicalPlanBuilder::from(left.plan);
    let plan = if left.keys.is_empty() {
        plan.join_on(right.plan, join_type, [lit(true)])?
    } else {
        plan.join_detailed(
            right.plan,
            join_type,
            (left.keys.clone(), right.keys),
            None,
            NullEquality::NullEqualsNull,
        )?
    };
    Ok(Keyed {
        plan: plan.build()?,
        keys: left.keys,
    })
}

/// The expression under the name of another.
pub(super) fn renamed(expr: Expr, other: &Expr) -> Expr {
    let (qualifier, name) = other.qualified_name();
    if expr.qualified_name() == (qualifier.clone(), name.clone()) {
        expr
    } else {
        expr.alias_qualified(qualifier, name)
    }
}

/// The column that an expression becomes.
fn named_column(expr: &Expr) -> Column {
    let (qualifier, name) = expr.qualified_name();
    Column::new(qualifier, name)
}

pub(super) fn columns(columns: &[Column]) -> impl Iterator<Item = Expr> {
    columns.iter().cloned().map(Expr::Column)
}

/// The columns that a query can name: not the one by which grouping sets are told apart, which is gone where `grouping`
/// is asked of them.
pub(super) fn named_columns(schema: &DFSchema) -> impl Iterator<Item = Expr> {
    let columns = schema.columns().into_iter();
    let named = columns.filter(|column| column.name != Aggregate::INTERNAL_GROUPING_ID);
    named.map(Expr::Column)
}

pub(super) fn pairs(left: &[Column], right: &[Column]) -> Vec<(Expr, Expr)> {
    columns(left).zip(columns(right)).collect()
}

/// Columns under other names.
fn under(from: &[Column], to: &[Column]) -> Vec<Expr> {
    let pairs = columns(from).zip(to);
    pairs
        .map(|(column, key)| column.alias(key.name.clone()))
        .collect()
}

fn aliased(input: Keyed, alias: TableReference) -> PlanResult<Keyed> {
    let keys = input.keys.into_iter();
    let keys = keys
        .map(|key| Column::new(Some(alias.clone()), key.name))
        .collect();
    let plan = subquery_alias(input.plan, alias)?;
    Ok(Keyed { plan, keys })
}

fn refused_total() -> DataFusionError {
    Error::unsupported(
        "this aggregate beside ROLLUP, CUBE or an empty grouping set, in a subquery that names columns from outside, is \
         not implemented; group by them in a subquery of FROM",
    )
    .into()
}

fn refused(node: &LogicalPlan) -> DataFusionError {
    let what = match node {
        LogicalPlan::RecursiveQuery(_) => "WITH RECURSIVE",
        LogicalPlan::Extension(_) | LogicalPlan::TableScan(_) => "a function of FROM",
        _ => "this form of query",
    };
    Error::unsupported(format!(
        "{what} in a subquery that names columns from outside is not implemented; put it in a subquery of FROM and join it"
    ))
    .into()
}
