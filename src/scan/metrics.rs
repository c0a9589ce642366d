//! What a scan counts, as plain integers: DataFusion's own counters print `1.25 K`, and these are compared by hand.

use std::any::Any;
use std::fmt;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use datafusion::physical_plan::metrics::{
    CustomMetricValue, ExecutionPlanMetricsSet, MetricBuilder, MetricType, MetricValue, MetricsSet,
    Time,
};

use crate::store::{Latency, Tally};

/// The counter of the entries that a store has yielded; who has it has the others, too.
pub(super) const KEYS_READ: &str = "keys_read";

/// The counter of deleted entries that were passed over.
const DELETED: &str = "deleted_passed_over";

/// A number that prints as it is.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicUsize);

impl Counter {
    pub(super) fn add(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn value(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

impl CustomMetricValue for Counter {
    fn new_empty(&self) -> Arc<dyn CustomMetricValue> {
        Arc::new(Self::default())
    }

    fn aggregate(&self, other: Arc<dyn CustomMetricValue>) {
        self.add(other.as_usize());
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_usize(&self) -> usize {
        self.value()
    }

    fn is_eq(&self, other: &Arc<dyn CustomMetricValue>) -> bool {
        other.as_any().is::<Self>() && other.as_usize() == self.value()
    }
}

/// A counter that is shown once there is something to count.
#[derive(Debug)]
pub(super) struct Rare {
    name: &'static str,
    metrics: ExecutionPlanMetricsSet,
    partition: usize,
    shown: OnceLock<Arc<Counter>>,
}

impl Rare {
    pub(super) fn add(&self, count: usize) {
        if count > 0 {
            let shown = || counter(&self.metrics, self.partition, self.name);
            self.shown.get_or_init(shown).add(count);
        }
    }
}

/// A counter of a partition, which is shown.
fn counter(
    metrics: &ExecutionPlanMetricsSet,
    partition: usize,
    name: &'static str,
) -> Arc<Counter> {
    let counter = Arc::new(Counter::default());
    let value = Arc::clone(&counter) as _;
    MetricBuilder::new(metrics)
        .with_type(MetricType::Summary)
        .with_partition(partition)
        .build(MetricValue::Custom {
            name: name.into(),
            value,
        });
    counter
}

/// The counters of one partition.
#[derive(Debug, Clone)]
pub struct Counters {
    pub(super) ranges: Arc<Counter>,
    pub(super) seeks: Arc<Counter>,
    pub(super) keys_read: Arc<Counter>,
    pub(super) rows_out: Arc<Counter>,
    pub(super) bytes_read: Arc<Counter>,
    pub(super) requests: Arc<Counter>,
    pub(super) regions: Arc<Counter>,
    pub(super) deleted: Arc<Rare>,
    pub(super) elapsed: Time,
}

impl Counters {
    /// Those of a partition. Those of a local store do not show requests and regions: it has none.
    pub fn new(metrics: &ExecutionPlanMetricsSet, partition: usize, latency: Latency) -> Self {
        let counter = |name| counter(metrics, partition, name);
        Self {
            ranges: counter("ranges"),
            seeks: counter("seeks"),
            keys_read: counter(KEYS_READ),
            rows_out: counter("rows_out"),
            bytes_read: counter("bytes_read"),
            requests: match latency {
                Latency::Near => Arc::default(),
                Latency::Far => counter("requests"),
            },
            regions: match latency {
                Latency::Near => Arc::default(),
                Latency::Far => counter("regions"),
            },
            deleted: Arc::new(Rare {
                name: DELETED,
                metrics: metrics.clone(),
                partition,
                shown: OnceLock::new(),
            }),
            elapsed: MetricBuilder::new(metrics).elapsed_compute(partition),
        }
    }
}

impl Counters {
    /// Adds what reading has cost, and so many rows that were handed on.
    pub fn add(&self, cost: Tally, rows: usize) {
        self.ranges.add(cost.ranges);
        self.seeks.add(cost.seeks);
        self.keys_read.add(cost.entries);
        self.bytes_read.add(cost.bytes);
        self.requests.add(cost.requests);
        self.regions.add(cost.regions);
        self.deleted.add(cost.deleted);
        self.rows_out.add(rows);
    }
}

/// What all scans of a plan have counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanTotals {
    /// Key ranges that were entered; a walk is one.
    pub ranges: usize,
    /// Seeks made in the store.
    pub seeks: usize,
    /// Entries that the store yielded, filtered out or not.
    pub keys_read: usize,
    /// Rows that the scans gave to the operators above them.
    pub rows_out: usize,
    /// Bytes of the keys and values read.
    pub bytes_read: usize,
    /// Messages to another machine.
    pub requests: usize,
    /// Deleted entries that the store passed over.
    pub deleted: usize,
}

impl AddAssign for ScanTotals {
    fn add_assign(&mut self, other: Self) {
        self.ranges += other.ranges;
        self.seeks += other.seeks;
        self.keys_read += other.keys_read;
        self.rows_out += other.rows_out;
        self.bytes_read += other.bytes_read;
        self.requests += other.requests;
        self.deleted += other.deleted;
    }
}

/// The sums over all partitions of one scan.
pub fn sums(metrics: &MetricsSet) -> ScanTotals {
    let sum = |name| {
        let values = metrics.iter().map(|metric| metric.value());
        let named = values.filter(|value| value.name() == name);
        named.map(|value| value.as_usize()).sum()
    };
    ScanTotals {
        ranges: sum("ranges"),
        seeks: sum("seeks"),
        keys_read: sum(KEYS_READ),
        rows_out: sum("rows_out"),
        bytes_read: sum("bytes_read"),
        requests: sum("requests"),
        deleted: sum(DELETED),
    }
}
