//! Rows of a scan that are all that is needed above it.
//!
//! Between the scan and what needs the rows may stand projections, exchanges, sorts and merges. Of one group, that of all
//! rows, several first rows may be needed: then several scans read them, one each.
//!
//! Joins of equal keys may stand between, too: rows of one side that have the same keys meet the same rows of the other, so
//! that of those that are in one group the first are all that is needed, where what they are ordered by is that side's. So
//! the newest row of each device of a list, as LATERAL asks for it, is one key for each.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{JoinSide, JoinType, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use crate::scan::{Order, ScanExec, Wanted};

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// Which rows are needed, over the output of some node.
#[derive(Debug)]
pub(crate) struct Needed(pub(crate) Wanted);

impl Needed {
    /// The plan that gives these rows, and perhaps others; `None` where all are read.
    pub(crate) fn below(&self, plan: &Plan) -> Result<Option<Plan>> {
        if let Some(scan) = plan.downcast_ref::<ScanExec>() {
            return self.of_scan(scan);
        }
        let input = if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
            match self.before(projection)? {
                Some(needed) => needed.below(projection.input())?,
                None => None,
            }
        } else if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
            return self.below_join(plan, join);
        } else if let Some(input) = handed_on(plan) {
            self.below(input)?
        } else {
            None
        };
        let over = |input| replace_children_if_necessary(Arc::clone(plan), vec![input]);
        input.map(over).transpose()
    }

    /// The join of what is needed of one side.
    fn below_join(&self, plan: &Plan, join: &HashJoinExec) -> Result<Option<Plan>> {
        for side in [JoinSide::Left, JoinSide::Right] {
            let Some(needed) = self.of_side(join, side) else {
                continue;
            };
            let (left, right) = (Arc::clone(join.left()), Arc::clone(join.right()));
            let sides = match side {
                JoinSide::Left => needed.below(&left)?.map(|left| vec![left, right]),
                _ => needed.below(&right)?.map(|right| vec![left, right]),
            };
            if let Some(sides) = sides {
                return replace_children_if_necessary(Arc::clone(plan), sides).map(Some);
            }
        }
        Ok(None)
    }

    /// What is needed of a side of a join: the first rows of those that have the same keys and lie in one group. `None` where
    /// the join may keep some of these and not others, or they are not ordered by their own columns alone.
    fn of_side(&self, join: &HashJoinExec, side: JoinSide) -> Option<Self> {
        let gives_side = match join.join_type() {
            JoinType::Inner => true,
            JoinType::LeftSemi => side == JoinSide::Left,
            JoinType::RightSemi => side == JoinSide::Right,
            _ => false,
        };
        if !gives_side || join.filter().is_some() || join.fetch().is_some() {
            return None;
        }
        let keys = join.on().iter().map(|(left, right)| match side {
            JoinSide::Left => left,
            _ => right,
        });
        let mut groups: Vec<_> = keys.cloned().collect();
        for group in &self.0.groups {
            match of_one_side(group, join, side) {
                Found::Here(group) => groups.push(group),
                Found::Elsewhere => {}
                Found::OnBoth => return None,
            }
        }
        let here = |(expression, options): &(Arc<dyn PhysicalExpr>, SortOptions)| match of_one_side(
            expression, join, side,
        ) {
            Found::Here(expression) => Some((expression, *options)),
            Found::Elsewhere | Found::OnBoth => None,
        };
        let orders = self.0.orders.iter();
        let orders = orders.map(|order| order.iter().map(here).collect::<Option<Order>>());
        Some(Self(Wanted {
            groups,
            orders: orders.collect::<Option<_>>()?,
            ..self.0
        }))
    }

    /// The same of the rows that a projection takes; `None` where it does not show them.
    fn before(&self, projection: &ProjectionExec) -> Result<Option<Self>> {
        let inner = |expression| update_expr(expression, projection.expr(), true);
        let mut groups = Vec::with_capacity(self.0.groups.len());
        for group in &self.0.groups {
            groups.push(inner(group)?);
        }
        let mut orders = Vec::with_capacity(self.0.orders.len());
        for order in &self.0.orders {
            let order = order.iter().map(|(expression, options)| {
                let inner = inner(expression)?;
                Ok(inner.map(|inner| (inner, *options)))
            });
            orders.push(order.collect::<Result<Option<Order>>>()?);
        }
        let groups: Option<_> = groups.into_iter().collect();
        let orders: Option<_> = orders.into_iter().collect();
        Ok(groups.zip(orders).map(|(groups, orders)| {
            Self(Wanted {
                groups,
                orders,
                ..self.0
            })
        }))
    }

    fn of_scan(&self, scan: &ScanExec) -> Result<Option<Plan>> {
        let scans = scan.of_first_rows(&self.0)?;
        let scans = scans.into_iter().map(|scan| Arc::new(scan) as Plan);
        let scans: Vec<Plan> = scans.collect();
        match <[Plan; 1]>::try_from(scans) {
            Ok([scan]) => Ok(Some(scan)),
            Err(none) if none.is_empty() => Ok(None),
            Err(scans) => united(scans, scan).map(Some),
        }
    }
}

/// Where the columns of an expression over a join are.
enum Found {
    /// On the side that is asked about, over which this is the expression.
    Here(Arc<dyn PhysicalExpr>),
    /// All of them on the other side.
    Elsewhere,
    /// On both, or there are none.
    OnBoth,
}

fn of_one_side(expression: &Arc<dyn PhysicalExpr>, join: &HashJoinExec, side: JoinSide) -> Found {
    let left = join.left().schema().fields().len();
    let place_of = |shown: usize| {
        let place = match join.projection.as_deref() {
            Some(chosen) => *chosen.get(shown)?,
            None => shown,
        };
        // Of a semi join the columns are those of one side.
        Some(match join.join_type() {
            JoinType::RightSemi => (JoinSide::Right, place),
            JoinType::LeftSemi => (JoinSide::Left, place),
            _ if place < left => (JoinSide::Left, place),
            _ => (JoinSide::Right, place - left),
        })
    };
    let (mut here, mut elsewhere) = (0, 0);
    let moved = Arc::clone(expression).transform(|node| {
        let Some(column) = node.downcast_ref::<Column>() else {
            return Ok(Transformed::no(node));
        };
        Ok(match place_of(column.index()) {
            Some((found, place)) if found == side => {
                here += 1;
                let column = Column::new(column.name(), place);
                Transformed::yes(Arc::new(column) as Arc<dyn PhysicalExpr>)
            }
            _ => {
                elsewhere += 1;
                Transformed::no(node)
            }
        })
    });
    match (moved, here, elsewhere) {
        (Ok(moved), 1.., 0) => Found::Here(moved.data),
        (_, 0, 1..) => Found::Elsewhere,
        _ => Found::OnBoth,
    }
}

/// What gives the rows of its input, all of them, whatever they are.
pub(crate) fn handed_on(plan: &Plan) -> Option<&Plan> {
    let is_kept = plan.is::<RepartitionExec>()
        || plan.is::<CoalescePartitionsExec>()
        || plan.is::<SortExec>()
        || plan.is::<SortPreservingMergeExec>();
    match plan.children()[..] {
        [input] if is_kept && plan.fetch().is_none() => Some(input),
        _ => None,
    }
}

/// The rows of all scans, in one partition where the one that they stand for has one.
fn united(scans: Vec<Plan>, instead_of: &ScanExec) -> Result<Plan> {
    let union = UnionExec::try_new(scans)?;
    Ok(
        match instead_of.properties().partitioning.partition_count() {
            1 => Arc::new(CoalescePartitionsExec::new(union)),
            _ => union,
        },
    )
}
