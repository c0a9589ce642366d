//! A meter, to look at what statements read while they run.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use parking_lot::Mutex;

use crate::scan::{self, Counters, ScanTotals};
use crate::store::Latency;

/// Looks at what the statements of a [metered connection](crate::session::Connection::metered) read, while they run and afterwards.
///
/// It keeps their plans, to ask them: make one for each statement, or for a few.
#[derive(Debug, Default)]
pub struct Meter {
    plans: Mutex<Vec<Arc<dyn ExecutionPlan>>>,
    /// What plans have read that are not kept any more.
    let_go: Mutex<ScanTotals>,
    /// What is read without a plan.
    direct: Mutex<Vec<ExecutionPlanMetricsSet>>,
    /// Another one that looks on.
    beside: Option<Arc<Meter>>,
}

impl Meter {
    /// What has been read so far, by all scans of all statements.
    pub fn totals(&self) -> ScanTotals {
        let mut totals = *self.let_go.lock();
        for plan in self.plans.lock().iter() {
            totals += scan::totals(plan);
        }
        for counted in self.direct.lock().iter() {
            totals += scan::sums(&counted.clone_inner());
        }
        totals
    }

    /// One that looks on beside another.
    pub(crate) fn beside(other: Option<&Arc<Self>>) -> Self {
        Self {
            beside: other.cloned(),
            ..Self::default()
        }
    }

    pub(crate) fn watch(&self, plan: &Arc<dyn ExecutionPlan>) {
        self.plans.lock().push(Arc::clone(plan));
        if let Some(other) = &self.beside {
            other.watch(plan);
        }
    }

    /// Keeps of a plan that is over what it has read.
    pub(crate) fn let_go(&self, plan: &Arc<dyn ExecutionPlan>) {
        let mut plans = self.plans.lock();
        if let Some(place) = plans.iter().position(|known| Arc::ptr_eq(known, plan)) {
            let plan = plans.swap_remove(place);
            *self.let_go.lock() += scan::totals(&plan);
        }
        drop(plans);
        if let Some(other) = &self.beside {
            other.let_go(plan);
        }
    }

    /// What a run without a plan counts with.
    pub(crate) fn counters(&self) -> Counters {
        let counted = ExecutionPlanMetricsSet::new();
        let counters = Counters::new(&counted, 0, Latency::Far);
        self.add(counted);
        counters
    }

    fn add(&self, counted: ExecutionPlanMetricsSet) {
        if let Some(other) = &self.beside {
            other.add(counted.clone());
        }
        self.direct.lock().push(counted);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Meter;
    use crate::session::Database;

    #[tokio::test]
    async fn a_meter_counts_what_the_statements_of_its_connection_read() {
        let connection = Database::in_memory().unwrap().connect();
        let meter = Arc::new(Meter::default());
        let metered = connection.metered(Arc::clone(&meter));
        for sql in [
            "CREATE TABLE t (a INT, PRIMARY KEY (a))",
            "INSERT INTO t VALUES (1), (2), (3)",
        ] {
            metered.execute(sql, Vec::new()).await.unwrap();
        }
        assert_eq!(meter.totals().keys_read, 0);
        let query = |a: i32| format!("SELECT * FROM t WHERE a >= {a}");
        metered.query(&query(2), Vec::new()).await.unwrap();
        assert_eq!((meter.totals().ranges, meter.totals().keys_read), (1, 2));
        // A DELETE reads, too; the connection without the meter is another.
        connection.query(&query(1), Vec::new()).await.unwrap();
        metered
            .execute("DELETE FROM t WHERE a = 3", Vec::new())
            .await
            .unwrap();
        assert_eq!(meter.totals().keys_read, 3);
    }
}
