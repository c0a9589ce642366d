//! What operators hold without asking for memory, counted: windows over all rows gather their input whole, and a LIMIT
//! of millions keeps as many rows in a heap, and a join of sorted sides the rows of one key. And errors of files, with
//! their names.
//!
//! A `WatchedExec` below such a window asks for the memory of each batch that passes, as often as the window copies it,
//! and gives it back when the window has ended. One below the side of a merging join that it looks back in asks for that
//! of the rows with the same key: what the join writes to files it reads again for each row of the other side, and then
//! keeps. A sort with a great limit becomes one without, which writes to files what does not fit, and the limit above
//! it. The rows that a step of WITH RECURSIVE finds are kept in batches of many: the pairs of a join come in batches of a
//! row at times, each of which takes more than what it is said to take. A batch that many grouping sets are made of is cut:
//! an aggregate asks for memory when a batch is in its groups. One above what reads files adds their names to its errors,
//! which say a line at most.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, JoinType, Result};
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
#[expect(
    deprecated,
    reason = "DataFusion's operators do this for themselves, but for one"
)]
use datafusion::physical_plan::coalesce_batches::CoalesceBatchesExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::SortMergeJoinExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::account_exec::{Watch, WatchedExec};
use crate::plan::rule::rewriting::PlanRule;
use crate::settings::HaliteOptions;

/// A sort with a limit beyond this writes to files what does not fit.
const MOST_IN_HEAP: usize = 100_000;

/// How often the rows of one key are held where a join looks at the pairs of a row before it gives any.
const COPIES_OF_PAIRS: usize = 4;

/// Rows of a batch of those that a step of WITH RECURSIVE has found.
const GATHERED_ROWS: usize = 8_192;

/// Up to so many grouping sets count as one.
const FEW_SETS: usize = 16;

/// About what a group takes beside its keys, and what each of these takes.
const BYTES_OF_GROUP: usize = 64;
const BYTES_OF_KEY: usize = 16;

/// The groups of a batch may take this part of the memory limit, in all partitions.
const OF_GROUPS: usize = 4;

/// The rule.
pub(crate) const COUNT_WHAT_IS_HELD: PlanRule = PlanRule {
    name: "held",
    rewrite: |plan, config| {
        let limit = HaliteOptions::of(config).memory_limit.in_memory();
        let partitions = config.execution.target_partitions.max(1);
        let share = limit / OF_GROUPS / partitions;
        plan.transform_up(|plan| counted(plan, share)).data()
    },
};

/// A plan in which everything is counted; `share` is what the groups of a batch may take.
fn counted(
    plan: Arc<dyn ExecutionPlan>,
    share: usize,
) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        let cut = cut_for_sets(aggregate, &plan, share)?;
        return Ok(cut.map_or_else(|| Transformed::no(plan), Transformed::yes));
    }
    if let Some(window) = plan.downcast_ref::<WindowAggExec>() {
        let input = WatchedExec::new(Arc::clone(window.input()), Watch::Memory);
        let input: Arc<dyn ExecutionPlan> = Arc::new(input);
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        return Ok(Transformed::yes(
            plan.replace_children(vec![input], options)?,
        ));
    }
    if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
        let counted = counted_groups(join, &plan)?;
        return Ok(counted.map_or_else(|| Transformed::no(plan), Transformed::yes));
    }
    if let Some(recursive) = plan.downcast_ref::<RecursiveQueryExec>() {
        let found = gathered(Arc::clone(recursive.recursive_term()));
        let terms = vec![Arc::clone(recursive.static_term()), found];
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        return plan.replace_children(terms, options).map(Transformed::yes);
    }
    if let Some(files) = files_of(&plan) {
        let watched = WatchedExec::new(plan, Watch::Files(files));
        return Ok(Transformed::yes(Arc::new(watched)));
    }
    let Some(sort) = plan.downcast_ref::<SortExec>() else {
        return Ok(Transformed::no(plan));
    };
    let Some(fetch) = sort.fetch().filter(|fetch| *fetch > MOST_IN_HEAP) else {
        return Ok(Transformed::no(plan));
    };
    let whole: Arc<dyn ExecutionPlan> = Arc::new(sort.with_fetch(None));
    Ok(Transformed::yes(
        match whole.output_partitioning().partition_count() {
            1 => Arc::new(GlobalLimitExec::new(whole, 0, Some(fetch))),
            _ => Arc::new(LocalLimitExec::new(whole, fetch)),
        },
    ))
}

/// An aggregate of many grouping sets over short batches, for a row is in a group of each set; `None` for any other.
fn cut_for_sets(
    aggregate: &AggregateExec,
    plan: &Arc<dyn ExecutionPlan>,
    share: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let sets = aggregate.group_expr().groups();
    let takes_rows = aggregate.mode().input_mode() == AggregateInputMode::Raw;
    if sets.len() <= FEW_SETS || !takes_rows {
        return Ok(None);
    }
    let keys = aggregate.group_expr().expr().len();
    let of_row = sets.len() * (BYTES_OF_GROUP + BYTES_OF_KEY * keys);
    let watch = Watch::Rows((share / of_row).max(1));
    let input = WatchedExec::new(Arc::clone(aggregate.input()), watch);
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    let cut = Arc::clone(plan).replace_children(vec![Arc::new(input)], options);
    cut.map(Some)
}

/// The rows of a node in batches of many.
#[expect(
    deprecated,
    reason = "DataFusion's operators do this for themselves, but for the one above"
)]
fn gathered(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    Arc::new(CoalesceBatchesExec::new(input, GATHERED_ROWS))
}

/// A merging join that counts the rows with one key; `None` where it keeps none.
fn counted_groups(
    join: &SortMergeJoinExec,
    plan: &Arc<dyn ExecutionPlan>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let gives_both = matches!(
        join.join_type(),
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full
    );
    if !gives_both {
        return Ok(None);
    }
    let streams_left = SortMergeJoinExec::probe_side(&join.join_type()) == JoinSide::Left;
    let keys = join.on().iter();
    let key = keys.map(|(left, right)| Arc::clone(if streams_left { right } else { left }));
    let copies = match join.filter() {
        // Pairs are kept until all of a row are there, and copied for those that pass.
        Some(_) if join.join_type() != JoinType::Inner => COPIES_OF_PAIRS,
        _ => 1,
    };
    let watch = Watch::Group {
        key: key.collect(),
        copies,
    };
    let watched = |side: &Arc<dyn ExecutionPlan>| -> Arc<dyn ExecutionPlan> {
        Arc::new(WatchedExec::new(Arc::clone(side), watch.clone()))
    };
    let sides = if streams_left {
        vec![Arc::clone(join.left()), watched(join.right())]
    } else {
        vec![watched(join.left()), Arc::clone(join.right())]
    };
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(plan).replace_children(sides, options).map(Some)
}

/// The names of the files that a leaf reads, for each of its partitions.
fn files_of(plan: &Arc<dyn ExecutionPlan>) -> Option<Arc<Vec<Vec<String>>>> {
    let source = plan.downcast_ref::<DataSourceExec>()?.data_source();
    let config = source.downcast_ref::<FileScanConfig>()?;
    let groups = config.file_groups.iter().map(|group| {
        let files = group.files().iter();
        files
            .map(|file| format!("/{}", file.object_meta.location))
            .collect()
    });
    Some(Arc::new(groups.collect()))
}

#[cfg(test)]
mod tests {
    use crate::session::Database;

    #[tokio::test]
    async fn a_window_over_more_than_there_is_memory_is_refused() {
        let connection = Database::in_memory().unwrap().connect();
        let query = |rows: u32| {
            format!(
                "SELECT count(n) AS n FROM (SELECT sum(value) OVER () AS n FROM generate_series(1, {rows})) q"
            )
        };
        connection
            .execute("SET halite.memory_limit = '32M'", ())
            .await
            .unwrap();
        let row = connection.query_row(&query(1000), ()).await.unwrap();
        assert_eq!(row.unwrap().get::<i64>("n").unwrap(), 1000);
        let error = connection.query(&query(3_000_000), ()).await.unwrap_err();
        assert!(
            error.message().contains("a window over all rows"),
            "{error}"
        );
        assert_eq!(connection.context().runtime_env().memory_pool.reserved(), 0);
    }

    #[tokio::test]
    async fn many_grouping_sets_stay_within_little_memory() {
        let connection = Database::in_memory().unwrap().connect();
        let set = "SET halite.memory_limit = '32M'";
        connection.execute(set, ()).await.unwrap();
        // 256 sets of 8,192 rows at once would take more than there is.
        let columns = (0..8).map(|n| format!("value % {} AS g{n}", n + 1000));
        let keys: Vec<_> = (0..8).map(|n| format!("g{n}")).collect();
        let sql = format!(
            "SELECT count(*) AS n, sum(c) AS c FROM (SELECT count(*) AS c FROM (SELECT {} FROM generate_series(1, 3000)) q \
             GROUP BY CUBE ({})) r",
            columns.collect::<Vec<_>>().join(", "),
            keys.join(", ")
        );
        let plan = connection.query(&format!("EXPLAIN {sql}"), ()).await;
        let plan = arrow::util::pretty::pretty_format_batches(&plan.unwrap());
        let plan = plan.unwrap().to_string();
        assert!(plan.contains("WatchedExec"), "{plan}");
        let row = connection.query_row(&sql, ()).await.unwrap().unwrap();
        assert_eq!(row.get::<i64>("c").unwrap(), 256 * 3000);
    }

    #[tokio::test]
    async fn rows_that_a_step_of_a_recursion_finds_are_kept_in_large_batches() {
        let connection = Database::in_memory().unwrap().connect();
        // Each row is joined with two: DataFusion gives a batch for each row and step.
        let recursive = |end: &str| {
            format!(
                "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL \
                 SELECT r.n + 1 FROM r CROSS JOIN generate_series(1, 2) s {end}"
            )
        };
        let sql = recursive("WHERE r.n < 15) SELECT n FROM r");
        let batches = connection.query(&sql, ()).await.unwrap();
        let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
        assert_eq!(rows, (1 << 15) - 1);
        assert!(batches.len() < 64, "{}", batches.len());
        // What is asked for may come before the end of a recursion that has none.
        let sql = recursive(") SELECT n FROM r LIMIT 9");
        let batches = connection.query(&sql, ()).await.unwrap();
        let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
        assert_eq!(rows, 9);
    }

    #[tokio::test]
    async fn a_great_limit_is_no_heap() {
        let connection = Database::in_memory().unwrap().connect();
        for partitions in [1, 3] {
            let set = format!("SET datafusion.execution.target_partitions = {partitions}");
            connection.execute(&set, ()).await.unwrap();
            let limited = "SELECT value * 7919 % 300007 AS x FROM generate_series(1, 300000) ORDER BY x LIMIT 200001";
            let plan = connection.query(&format!("EXPLAIN {limited}"), ()).await;
            let plan = arrow::util::pretty::pretty_format_batches(&plan.unwrap());
            let plan = plan.unwrap().to_string();
            assert!(!plan.contains("TopK"), "{plan}");
            let sql = format!("SELECT count(*) AS n, max(x) AS x FROM ({limited}) q");
            let row = connection.query_row(&sql, ()).await.unwrap().unwrap();
            assert_eq!(row.get::<i64>("n").unwrap(), 200_001);
            let rank = "SELECT count(*) AS n FROM generate_series(1, 300000) WHERE value * 7919 % 300007 <= $1";
            let greatest = row.get::<i64>("x").unwrap();
            let row = connection
                .query_row(rank, (greatest,))
                .await
                .unwrap()
                .unwrap();
            assert_eq!(row.get::<i64>("n").unwrap(), 200_001);
        }
    }
}
