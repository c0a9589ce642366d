//! The rows next to a value from outside: the newest one before each stamp, say.
//!
//! ```text
//! SELECT … FROM b WHERE b.k = t.k AND b.ts <= t.ts ORDER BY b.ts DESC LIMIT 1
//! ```
//!
//! Joined with the values, each row of `b` would be compared with each `t.ts` of its `t.k`. But what is compared is what
//! rows are ordered by first: the rows that the comparison lets through are all those behind some place of the order.
//! So the rows are numbered in their order, and for each value it is counted how many rows are before that place, by a
//! window over rows and values together; the page behind it is then found by its numbers. Both sort, and compare no pairs:
//!
//! ```text
//! values   k, ts, number = count(rows of k with a greater ts) + 1
//! rows     k, …, number = row_number() OVER (PARTITION BY k ORDER BY ts DESC)      joined on k and number
//! ```
//!
//! The rows are read twice, so they must be the same both times; and a value must have the same place in an order as in
//! comparisons, so it is no floating point number. Where something else is written, it is asked in the general way.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{
    Column, ExprSchema, JoinType, NullEquality, Result as PlanResult, ScalarValue,
};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::expr::{Sort as SortKey, WindowFunction};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, ExprFunctionExt, ExprSchemable, Filter, LogicalPlan,
    LogicalPlanBuilder, Operator, Projection, Sort, WindowFunctionDefinition, binary_expr, cast,
    lit,
};

use super::{Domain, Keyed, columns, named_column};
use crate::plan::subquery::outside::{named_from_outside, query_of};
use crate::plan::subquery::page::Page;

/// So many rows of a page are found by their numbers, at most: each value is there once for each of them.
const MOST_ROWS: u64 = 100;

/// What is compared with a value from outside.
struct Compared {
    of_row: Expr,
    op: Operator,
    from_outside: Expr,
}

/// Rows in an order that a comparison with a value from outside cuts.
struct Neighbours<'q> {
    /// The lists of SELECT between the order and the filter, the outermost first.
    lists: Vec<&'q Projection>,
    /// What is filtered.
    input: &'q LogicalPlan,
    /// The conditions that name nothing from outside.
    own: Vec<Expr>,
    equal: Vec<Compared>,
    /// The comparison that tells where the first row is.
    first: Compared,
    /// Those that tell where there are no more.
    last: Vec<Compared>,
}

impl Domain<'_> {
    /// A page of rows for each of the values, without a look at every pair of row and value; `None` where the query is of
    /// another form.
    pub(super) fn neighbours(&self, sort: &Sort, page: &Page) -> PlanResult<Option<Keyed>> {
        let Some((skip, rows @ 1..=MOST_ROWS)) = page.known() else {
            return Ok(None);
        };
        let Some(neighbours) = Neighbours::of(sort)? else {
            return Ok(None);
        };
        let values = self.values()?;
        if !self.are_alike(&neighbours, &values)? {
            return Ok(None);
        }
        let (Ok(skip), Ok(rows)) = (i64::try_from(skip), i64::try_from(rows)) else {
            return Ok(None);
        };
        let before = self.counted(&neighbours, values)?;
        let wanted = self.wanted(before, skip, rows)?;
        let numbered = self.numbered(&neighbours, sort)?;
        self.found(&neighbours, sort, wanted, numbered).map(Some)
    }

    /// Whether what is compared is of one type, whose values have the same order everywhere.
    fn are_alike(&self, neighbours: &Neighbours<'_>, values: &Keyed) -> PlanResult<bool> {
        let all = neighbours.equal.iter().chain([&neighbours.first]);
        for compared in all.chain(&neighbours.last) {
            let of_row = compared.of_row.get_type(neighbours.input.schema())?;
            let from_outside = self.written(&compared.from_outside, &values.keys)?;
            if !is_ordered(&of_row) || from_outside.get_type(values.plan.schema())? != of_row {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The filtered rows, with what is compared of them: columns of new names, that of the order being the last.
    fn compared_rows(&self, neighbours: &Neighbours<'_>) -> PlanResult<Keyed> {
        self.names.count(neighbours.input)?;
        let first = &neighbours.first.of_row;
        let own = neighbours.own.iter().cloned();
        let own = own.chain([first.clone().is_not_null()]);
        let compared = neighbours.equal.iter().chain([&neighbours.first]);
        let named: Vec<(Expr, String)> = compared
            .map(|compared| (compared.of_row.clone(), self.names.next()))
            .collect();
        let mut listed: Vec<Expr> = columns(&neighbours.input.schema().columns()).collect();
        listed.extend(named.iter().map(|(expr, name)| expr.clone().alias(name)));
        let rows = LogicalPlanBuilder::from(neighbours.input.clone());
        let rows = match conjunction(own) {
            Some(own) => rows.filter(own)?,
            None => rows,
        };
        let names = named.into_iter().map(|(_, name)| name);
        let rows = Keyed {
            plan: rows.project(listed)?.build()?,
            keys: names.map(Column::new_unqualified).collect(),
        };
        self.of_equal_values(neighbours, rows)
    }

    /// The rows that are equal to some value, of which alone the table need be read.
    fn of_equal_values(&self, neighbours: &Neighbours<'_>, rows: Keyed) -> PlanResult<Keyed> {
        if neighbours.equal.is_empty() {
            return Ok(rows);
        }
        let values = self.values()?;
        let mut listed = Vec::with_capacity(neighbours.equal.len());
        let mut names = Vec::with_capacity(neighbours.equal.len());
        for compared in &neighbours.equal {
            let name = self.names.next();
            listed.push(
                self.written(&compared.from_outside, &values.keys)?
                    .alias(&name),
            );
            names.push(Column::new_unqualified(name));
        }
        let equal = rows.keys.iter().take(names.len()).cloned().collect();
        let plan = LogicalPlanBuilder::from(values.plan)
            .project(listed)?
            .distinct()?
            .join_detailed(
                rows.plan,
                JoinType::RightSemi,
                (names, equal),
                None,
                NullEquality::NullEqualsNothing,
            )?;
        Ok(Keyed {
            plan: plan.build()?,
            keys: rows.keys,
        })
    }

    /// The values, what they are equal to, and how many rows are before the first that the comparison lets through.
    fn counted(&self, neighbours: &Neighbours<'_>, values: Keyed) -> PlanResult<Counted> {
        let compared = neighbours.equal.iter().chain([&neighbours.first]);
        let compared: Vec<&Compared> = compared.collect();
        let names: Vec<Column> = compared
            .iter()
            .map(|_| Column::new_unqualified(self.names.next()))
            .collect();
        let keys = self.fresh();
        let is_row = Column::new_unqualified(self.names.next());
        // One arm has the rows, the other one the values, under the same names.
        let rows = self.compared_rows(neighbours)?;
        let mut of_rows = super::under(&rows.keys, &names);
        let mut of_values = Vec::with_capacity(names.len());
        for (compared, name) in compared.iter().zip(&names) {
            let value = self.written(&compared.from_outside, &values.keys)?;
            of_values.push(value.alias(&name.name));
        }
        for (value, key) in values.keys.iter().zip(&keys) {
            let data_type = values.plan.schema().data_type(value)?;
            of_rows.push(null_of(data_type)?.alias(&key.name));
            of_values.push(Expr::Column(value.clone()).alias(&key.name));
        }
        of_rows.push(lit(1_i64).alias(&is_row.name));
        of_values.push(null_of(&DataType::Int64)?.alias(&is_row.name));
        let of_rows = LogicalPlanBuilder::from(rows.plan).project(of_rows)?;
        let of_values = LogicalPlanBuilder::from(values.plan).project(of_values)?;
        let both = of_rows.union(of_values.build()?)?;

        let count = count_before(&neighbours.first, &names, &is_row)?;
        let number = self.names.next();
        let counted = Expr::Column(named_column(&count)).alias(&number);
        let listed = columns(&keys).chain(columns(&names)).chain([counted]);
        let of_first = names.last().cloned().map(Expr::Column);
        let is_value = Expr::Column(is_row).is_null();
        let is_known = of_first.map(Expr::is_not_null);
        let plan = both.window([count])?;
        let plan = match conjunction([is_value].into_iter().chain(is_known)) {
            Some(condition) => plan.filter(condition)?,
            None => plan,
        };
        let plan = plan.project(listed.collect::<Vec<Expr>>())?.build()?;
        let equal = names.into_iter().take(neighbours.equal.len()).collect();
        Ok(Counted {
            values: Keyed { plan, keys },
            equal,
            number: Column::new_unqualified(number),
        })
    }

    /// The numbers of the rows that are wanted, each with its values.
    fn wanted(&self, before: Counted, skip: i64, rows: i64) -> PlanResult<Counted> {
        let Counted {
            values,
            equal,
            number,
        } = before;
        let plan = LogicalPlanBuilder::from(values.plan);
        let place = Column::new_unqualified(self.names.next());
        let (plan, behind) = match rows {
            1 => (plan, lit(1_i64)),
            rows => {
                let places = (1..=rows).map(|place| vec![lit(place)]).collect();
                let places = LogicalPlanBuilder::values(places)?;
                let listed = columns(&places.schema().columns())
                    .map(|column| column.alias(&place.name))
                    .collect::<Vec<Expr>>();
                let places = places.project(listed)?.build()?;
                (plan.cross_join(places)?, Expr::Column(place))
            }
        };
        let wanted = Column::new_unqualified(self.names.next());
        let number = Expr::Column(number) + lit(skip) + behind;
        let listed = columns(&values.keys)
            .chain(columns(&equal))
            .chain([number.alias(&wanted.name)]);
        let plan = plan.project(listed.collect::<Vec<Expr>>())?.build()?;
        Ok(Counted {
            values: Keyed {
                plan,
                keys: values.keys,
            },
            equal,
            number: wanted,
        })
    }

    /// The rows with their numbers, below the lists of SELECT.
    fn numbered(&self, neighbours: &Neighbours<'_>, sort: &Sort) -> PlanResult<Numbered> {
        let mut rows = self.compared_rows(neighbours)?;
        for list in neighbours.lists.iter().rev() {
            rows = self.project(list, rows)?;
        }
        let mut equal = rows.keys;
        let first = equal.pop();
        let number = row_number()
            .partition_by(columns(&equal).collect())
            .order_by(sort.expr.clone())
            .build()?;
        let name = self.names.next();
        let counted = cast(Expr::Column(named_column(&number)), DataType::Int64);
        let declared = sort.input.schema().columns();
        let listed = columns(&declared)
            .chain(columns(&equal))
            .chain(first.clone().map(Expr::Column))
            .chain([counted.alias(&name)]);
        let plan = LogicalPlanBuilder::from(rows.plan)
            .window([number])?
            .project(listed.collect::<Vec<Expr>>())?;
        Ok(Numbered {
            plan: plan.build()?,
            equal,
            first,
            number: Column::new_unqualified(name),
        })
    }

    /// The rows of which both sides have the number.
    fn found(
        &self,
        neighbours: &Neighbours<'_>,
        sort: &Sort,
        wanted: Counted,
        numbered: Numbered,
    ) -> PlanResult<Keyed> {
        let keys = wanted.values.keys;
        let left: Vec<Column> = wanted.equal.into_iter().chain([wanted.number]).collect();
        let right: Vec<Column> = numbered
            .equal
            .into_iter()
            .chain([numbered.number])
            .collect();
        let mut plan = LogicalPlanBuilder::from(wanted.values.plan).join_detailed(
            numbered.plan,
            JoinType::Inner,
            (left, right),
            None,
            NullEquality::NullEqualsNothing,
        )?;
        if let Some(first) = numbered.first {
            for last in &neighbours.last {
                let from_outside = self.written(&last.from_outside, &keys)?;
                let within = binary_expr(Expr::Column(first.clone()), last.op, from_outside);
                plan = plan.filter(within)?;
            }
        }
        let declared = sort.input.schema().columns();
        let listed = columns(&declared).chain(columns(&keys));
        let plan = plan.project(listed.collect::<Vec<Expr>>())?.build()?;
        Ok(Keyed { plan, keys })
    }
}

/// Values with a number.
struct Counted {
    values: Keyed,
    /// What rows are equal to.
    equal: Vec<Column>,
    number: Column,
}

/// Rows with their numbers.
struct Numbered {
    plan: LogicalPlan,
    equal: Vec<Column>,
    /// What they are ordered by first.
    first: Option<Column>,
    number: Column,
}

/// How many rows, which have a mark, are before a value in the order.
fn count_before(first: &Compared, names: &[Column], is_row: &Column) -> PlanResult<Expr> {
    let (equal, ordered) = names.split_at(names.len().saturating_sub(1));
    let is_descending = matches!(first.op, Operator::Lt | Operator::LtEq);
    let is_strict = matches!(first.op, Operator::Lt | Operator::Gt);
    let order = columns(ordered).map(|column| column.sort(!is_descending, false));
    // Of rows that are equal to it a strict comparison takes none: they are before it.
    let mark = Expr::Column(is_row.clone()).sort(true, !is_strict);
    let count = WindowFunction::new(
        WindowFunctionDefinition::AggregateUDF(count_udaf()),
        vec![Expr::Column(is_row.clone())],
    );
    Expr::from(count)
        .partition_by(columns(equal).collect())
        .order_by(order.chain([mark]).collect())
        .build()
}

fn null_of(data_type: &DataType) -> PlanResult<Expr> {
    Ok(Expr::Literal(ScalarValue::try_from(data_type)?, None))
}

/// Whether values of the type are ordered as they are compared, and equal as they are grouped.
fn is_ordered(data_type: &DataType) -> bool {
    data_type.is_integer()
        || matches!(
            data_type,
            DataType::Decimal128(..)
                | DataType::Date32
                | DataType::Timestamp(..)
                | DataType::Time64(_)
                | DataType::Utf8
                | DataType::Utf8View
                | DataType::LargeUtf8
        )
}

impl<'q> Neighbours<'q> {
    fn of(sort: &'q Sort) -> PlanResult<Option<Self>> {
        let is_own = |key: &SortKey| is_plain(&key.expr);
        let (Some(leading), true) = (sort.expr.first(), sort.expr.iter().all(is_own)) else {
            return Ok(None);
        };
        let mut key = leading.expr.clone();
        let mut lists = Vec::new();
        let mut plan = sort.input.as_ref();
        while let LogicalPlan::Projection(list) = plan {
            let Some(below) = column_below(&key, list).filter(|_| list.expr.iter().all(is_plain))
            else {
                return Ok(None);
            };
            key = below;
            lists.push(list);
            plan = &list.input;
        }
        let LogicalPlan::Filter(filter) = plan else {
            return Ok(None);
        };
        if !named_from_outside(&filter.input)?.is_empty() || !is_repeatable(&filter.input)? {
            return Ok(None);
        }
        Ok(Self::within(filter, &key, leading.asc).map(|found| Self { lists, ..found }))
    }

    /// Sorts the conditions of a filter, below which rows are ordered by `key`.
    fn within(filter: &'q Filter, key: &Expr, is_ascending: bool) -> Option<Self> {
        use Operator::{Eq, Gt, GtEq, Lt, LtEq};
        let (mut own, mut equal) = (Vec::new(), Vec::new());
        let (mut first, mut last) = (None, Vec::new());
        for conjunct in split_conjunction_owned(filter.predicate.clone()) {
            if is_plain(&conjunct) {
                own.push(conjunct);
                continue;
            }
            let compared = Compared::of(conjunct)?;
            let is_first = match compared.op {
                Eq => {
                    equal.push(compared);
                    continue;
                }
                Lt | LtEq => !is_ascending,
                Gt | GtEq => is_ascending,
                _ => return None,
            };
            if compared.of_row != *key {
                return None;
            }
            match is_first {
                true if first.is_some() => return None,
                true => first = Some(compared),
                false => last.push(compared),
            }
        }
        Some(Self {
            lists: Vec::new(),
            input: &filter.input,
            own,
            equal,
            first: first?,
            last,
        })
    }
}

impl Compared {
    /// A comparison of what is of a row alone with what is from outside alone.
    fn of(condition: Expr) -> Option<Self> {
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = condition else {
            return None;
        };
        let is_from_outside = |expr: &Expr| {
            let is_single = !expr.is_volatile() && !has_query(expr);
            expr.contains_outer() && !expr.any_column_refs() && is_single
        };
        if is_plain(&left) && is_from_outside(&right) {
            return Some(Self {
                of_row: *left,
                op,
                from_outside: *right,
            });
        }
        (is_plain(&right) && is_from_outside(&left)).then_some(Self {
            of_row: *right,
            op: op.swap()?,
            from_outside: *left,
        })
    }
}

/// Whether an expression is of its row alone, and always the same.
fn is_plain(expr: &Expr) -> bool {
    !expr.contains_outer() && !expr.is_volatile() && !has_query(expr)
}

fn has_query(expr: &Expr) -> bool {
    // Only the closure could fail.
    expr.exists(|expr| Ok(query_of(expr).is_some()))
        .unwrap_or(true)
}

/// What a column of a list is of the columns below it.
fn column_below(key: &Expr, list: &Projection) -> Option<Expr> {
    let Expr::Column(column) = key else {
        return None;
    };
    let place = list.schema.maybe_index_of_column(column)?;
    Some(list.expr.get(place)?.clone().unalias())
}

/// Whether rows are the same each time they are read: nothing is drawn, and nothing is left to chance.
fn is_repeatable(plan: &LogicalPlan) -> PlanResult<bool> {
    let mut is_repeatable = true;
    plan.apply(|node| {
        let is_known = matches!(
            node,
            LogicalPlan::Projection(_)
                | LogicalPlan::Filter(_)
                | LogicalPlan::SubqueryAlias(_)
                | LogicalPlan::TableScan(_)
                | LogicalPlan::Join(_)
                | LogicalPlan::Union(_)
                | LogicalPlan::Values(_)
                | LogicalPlan::EmptyRelation(_)
                | LogicalPlan::Distinct(Distinct::All(_))
        );
        let mut are_plain = true;
        node.apply_expressions(|expr| {
            are_plain = are_plain && is_plain(expr);
            Ok(TreeNodeRecursion::Continue)
        })?;
        is_repeatable = is_repeatable && is_known && are_plain;
        Ok(if is_repeatable {
            TreeNodeRecursion::Continue
        } else {
            TreeNodeRecursion::Stop
        })
    })?;
    Ok(is_repeatable)
}
