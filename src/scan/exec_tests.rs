//! What the operator does beside giving the right rows: it stops when nobody listens, reports errors, shows itself.

use std::thread::{self, ThreadId};
use std::time::Duration;

use datafusion::physical_plan::displayable;
use datafusion::physical_plan::filter_pushdown::ChildFilterPushdownResult;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use parking_lot::Mutex;

use super::*;
use crate::datum::{Datum, SqlType};
use crate::error::{Error, ErrorKind};
use crate::row::testing::{batch, chunk, table};
use crate::scan::request::FirstOfGroups;
use crate::scan::totals;
use crate::schema::BoundTable;
use crate::span::Spans;
use crate::store::wrap::{Failing, Faults, Hooks, Wrapped};
use crate::store::{
    Chunk, ChunkLimit, Durability, LocalSnapshot, MemoryStore, ReadRequest, Reader, Snapshot,
    SpaceOptions, Tally, WriteBatch, commit_batch,
};

fn numbers(rows: i64) -> (Arc<BoundTable>, Arc<MemoryStore>) {
    let table = table(&[("a", SqlType::Integer), ("b", SqlType::Integer)], &["a"]);
    let store = Arc::new(MemoryStore::new());
    store
        .create_space(table.space(), &SpaceOptions::default())
        .unwrap();
    let row = |number| vec![Some(Datum::Integer(number)), Some(Datum::Integer(-number))];
    let rows: Vec<_> = (0..rows).map(row).collect();
    let mut changes = WriteBatch::new();
    for (key, value) in chunk(&table, &batch(&table, &rows)).iter() {
        changes.put(table.space(), key, value);
    }
    commit_batch(&store, changes, Durability::Buffered).unwrap();
    (table, store)
}

fn scan(table: &Arc<BoundTable>, store: Arc<dyn Store>) -> Arc<dyn ExecutionPlan> {
    try_scan(table, store).unwrap()
}

fn try_scan(table: &Arc<BoundTable>, store: Arc<dyn Store>) -> Result<Arc<dyn ExecutionPlan>> {
    let spans = Spans::full(table.row_key()).unwrap();
    let all = (0..table.columns().len()).collect();
    let request = ScanRequest::new(Arc::clone(table), spans, all);
    Ok(Arc::new(ScanExec::new(request, store, WIDTH)?))
}

const WIDTH: Parallelism = Parallelism {
    partitions: 4,
    ..Parallelism::NONE
};

fn context() -> Arc<TaskContext> {
    SessionContext::new().task_ctx()
}

/// Which thread made each fill of a store's readers, and how long each of these takes.
#[derive(Debug, Clone, Default)]
struct Watched {
    pause: Duration,
    fills: Arc<Mutex<Vec<ThreadId>>>,
}

impl Watched {
    fn slow() -> Self {
        Self {
            pause: Duration::from_millis(1),
            ..Self::default()
        }
    }

    fn fills(&self) -> usize {
        self.fills.lock().len()
    }

    /// How many fills were made by the thread that asks.
    fn made_here(&self) -> usize {
        let fills = self.fills.lock();
        fills
            .iter()
            .filter(|id| **id == thread::current().id())
            .count()
    }
}

struct WatchedReader {
    inner: Box<dyn Reader>,
    watched: Watched,
}

impl Hooks for Watched {
    fn read(
        &self,
        inner: &Arc<dyn Snapshot>,
        request: ReadRequest,
    ) -> crate::error::Result<Box<dyn Reader>> {
        Ok(Box::new(WatchedReader {
            inner: Arc::clone(inner).read(request)?,
            watched: self.clone(),
        }))
    }

    fn local(&self, _inner: &Arc<dyn Snapshot>) -> Option<Arc<dyn LocalSnapshot>> {
        None
    }
}

impl Reader for WatchedReader {
    fn skip(&mut self, key: &[u8]) -> crate::error::Result<()> {
        self.inner.skip(key)
    }

    fn is_wide(&self) -> bool {
        self.inner.is_wide()
    }

    fn tally(&self) -> Tally {
        self.inner.tally()
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> crate::error::Result<bool> {
        self.watched.fills.lock().push(thread::current().id());
        thread::sleep(self.watched.pause);
        // A store may hand control back before the limit: here after every second entry.
        let few = ChunkLimit::entries(limit.entries.min(chunk.len() + 2));
        self.inner.fill(chunk, few)
    }
}

#[tokio::test]
async fn a_scan_stops_when_its_stream_is_dropped() {
    let (table, inner) = numbers(5_000);
    let slow = Watched::slow();
    let plan = scan(&table, Arc::new(Wrapped::around(inner, slow.clone())));
    let mut stream = plan.execute(0, context()).unwrap();
    let waited = tokio::time::timeout(Duration::from_millis(50), stream.next()).await;
    assert!(waited.is_err(), "the whole scan takes 2,500 ms");
    drop(stream);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let after = slow.fills();
    assert!(after > 0);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(slow.fills(), after);
}

/// Asks for so many batches of the first row of each group, of which each row is one; how many rows they have.
async fn first_rows(watched: &Watched, batches: usize) -> usize {
    let (table, inner) = numbers(5_000);
    let spans = Spans::full(table.row_key()).unwrap();
    let request = ScanRequest {
        first_of: Some(FirstOfGroups {
            parts: 1,
            rows: 1,
            is_one: false,
        }),
        ..ScanRequest::new(table, spans, vec![0])
    };
    let store = Wrapped::around(inner, watched.clone());
    let plan = ScanExec::new(request, Arc::new(store), Parallelism::NONE).unwrap();
    let stream = Arc::new(plan).execute(0, context()).unwrap();
    let rows = stream.take(batches).map(|batch| batch.unwrap().num_rows());
    rows.collect::<Vec<_>>().await.iter().sum()
}

#[tokio::test]
async fn small_batches_are_made_where_they_are_asked_for() {
    // A thread that is kept from going on for long hands the scan over; not in each of twenty runs.
    for _ in 0..20 {
        let watched = Watched::default();
        assert!(first_rows(&watched, 5).await < 64);
        if watched.made_here() == watched.fills() {
            return;
        }
    }
    panic!("a few rows were made in a thread in each of twenty runs");
}

#[tokio::test]
async fn small_batches_that_take_long_are_made_in_a_thread() {
    let watched = Watched::slow();
    first_rows(&watched, 5).await;
    assert!(watched.fills() > 5);
    // The first batch, of one row, and the first row of the second one.
    assert_eq!(watched.made_here(), 2);
}

#[tokio::test]
async fn one_batch_is_read_before_two_are_asked_for() {
    let (table, store) = numbers(50_000);
    let plan = scan(&table, store);
    let mut stream = plan.execute(0, context()).unwrap();
    assert_eq!(
        totals(&plan).keys_read,
        0,
        "nothing is read before a row is wanted"
    );
    let first = stream.next().await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(totals(&plan).keys_read, first.num_rows());
    let rest: usize = stream
        .map(|batch| batch.unwrap().num_rows())
        .collect::<Vec<_>>()
        .await
        .iter()
        .sum();
    assert_eq!(first.num_rows() + rest, 50_000);
    assert_eq!(totals(&plan).keys_read, 50_000);
}

#[tokio::test]
async fn every_fault_of_the_store_is_reported() {
    let (table, inner) = numbers(3_000);
    for call in 1.. {
        let faults = Faults::once(call);
        let failing = Failing::new(Arc::clone(&inner) as _, faults.clone());
        let plan = try_scan(&table, Arc::new(failing));
        let outcome = match plan.and_then(|plan| plan.execute(0, context())) {
            Ok(stream) => stream
                .collect::<Vec<_>>()
                .await
                .into_iter()
                .collect::<Result<Vec<_>>>(),
            Err(error) => Err(error),
        };
        if faults.calls() < call {
            let rows: usize = outcome.unwrap().iter().map(|batch| batch.num_rows()).sum();
            assert_eq!(rows, 3_000);
            assert!(
                call > 5,
                "size, boundaries, snapshot, read and at least one fill"
            );
            break;
        }
        if matches!(
            faults.failed().as_slice(),
            ["approximate_size" | "boundaries"]
        ) {
            let rows: usize = outcome.unwrap().iter().map(|batch| batch.num_rows()).sum();
            assert_eq!(rows, 3_000, "an estimate is not needed");
            continue;
        }
        let error = outcome.expect_err("a fault that nobody saw");
        let found = error.find_root();
        let datafusion::common::DataFusionError::External(source) = found else {
            panic!("{found:?}");
        };
        let error = source.downcast_ref::<Error>().expect("an error of ours");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
}

#[tokio::test]
async fn damaged_rows_are_reported() {
    let (table, store) = numbers(10);
    let mut damage = WriteBatch::new();
    damage.put(table.space(), &[0x80, 0, 0, 3], b"no value");
    commit_batch(&store, damage, Durability::Buffered).unwrap();
    let plan = scan(&table, store);
    let stream = plan.execute(0, context()).unwrap();
    let outcome: Result<Vec<_>> = stream.collect::<Vec<_>>().await.into_iter().collect();
    let message = outcome.expect_err("damage").to_string();
    assert!(message.contains("row /3"), "{message}");
}

#[tokio::test]
async fn a_partition_that_is_not_there_is_an_error() {
    let (table, store) = numbers(1);
    assert!(scan(&table, store).execute(1, context()).is_err());
}

#[test]
fn a_scan_shows_itself_on_one_line() {
    let (table, store) = numbers(1);
    let plan = scan(&table, store);
    let limited = plan.with_fetch(Some(3)).unwrap();
    assert_eq!(
        displayable(limited.as_ref()).one_line().to_string(),
        "ScanExec: table=t, ranges=1, order=none, limit=3, projection=[a, b]\n"
    );
    let tree = displayable(limited.as_ref()).tree_render().to_string();
    for field in ["ScanExec", "table: t", "limit: 3"] {
        assert!(tree.contains(field), "{field} in\n{tree}");
    }
}

/// The order of the only key column.
fn by_key(descending: bool) -> Vec<PhysicalSortExpr> {
    let options = arrow::compute::SortOptions {
        descending,
        nulls_first: descending,
    };
    vec![PhysicalSortExpr::new(
        Arc::new(Column::new("a", 0)),
        options,
    )]
}

#[test]
fn a_limit_keeps_what_comes_later_out() {
    let (table, store) = numbers(10);
    let plan = scan(&table, store);
    let limited = plan.with_fetch(Some(3)).unwrap();
    for (plan, is_taken) in [(&plan, true), (&limited, false)] {
        // Rows behind a filter, or from the other end, are other rows than the first three.
        let filter: Arc<dyn PhysicalExpr> =
            Arc::new(datafusion::physical_expr::expressions::BinaryExpr::new(
                Arc::new(Column::new("a", 0)),
                datafusion::logical_expr::Operator::Gt,
                datafusion::physical_expr::expressions::lit(5_i32),
            ));
        let results = ChildPushdownResult {
            parent_filters: vec![ChildFilterPushdownResult {
                filter,
                child_results: Vec::new(),
            }],
            self_filters: Vec::new(),
        };
        let phase = FilterPushdownPhase::Post;
        let answer = plan.handle_child_pushdown_result(phase, results, &ConfigOptions::default());
        assert_eq!(answer.unwrap().updated_node.is_some(), is_taken);
        let backward = plan.try_pushdown_sort(&by_key(true)).unwrap();
        let is_turned = matches!(backward, SortOrderPushdownResult::Exact { .. });
        assert_eq!(is_turned, is_taken);
        let forward = plan.try_pushdown_sort(&by_key(false)).unwrap();
        assert!(matches!(forward, SortOrderPushdownResult::Exact { .. }));
    }
}

#[tokio::test]
async fn a_limit_beyond_a_batch_is_read_to_the_key() {
    let (table, store) = numbers(30_000);
    let plan = scan(&table, store).with_fetch(Some(10_000)).unwrap();
    let batches = plan
        .execute(0, context())
        .unwrap()
        .collect::<Vec<_>>()
        .await;
    let rows: usize = batches
        .into_iter()
        .map(|batch| batch.unwrap().num_rows())
        .sum();
    assert_eq!((rows, totals(&plan).keys_read), (10_000, 10_000));
}
