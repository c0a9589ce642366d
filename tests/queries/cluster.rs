//! The sample queries on a cluster of HBase, which `HALITE_HBASE` names: the same rows, the same ranges, and keys and values
//! that are the same bytes as on RocksDB.

use std::sync::Arc;

use halite::keyrange::KeyRange;
use halite::store::{self, Store as HaliteStore};

use super::run::{Samples, Settings, Store};
use super::{Complaints, MEASURED, OTHERS, cases, different, measured};
use crate::cluster::address;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: cargo test --test tests samples_on_a_cluster -- --ignored"]
async fn samples_on_a_cluster_are_those_on_rocksdb() {
    let Some(address) = address("samples") else {
        return;
    };
    let samples = Samples::load(Store::Cluster(&address)).await;
    let mut wrong = Complaints::default();
    compare_queries(&mut wrong, &samples).await;
    let (cluster, _) = samples.into_store(&address);
    let (rocksdb, _directory) = Samples::load(Store::RocksDb).await.into_store(&address);
    compare_bytes(&mut wrong, &cluster, &rocksdb);
    wrong.none();
}

/// Rows as those of the oracle, ranges as those in memory, and as many keys read but for walks, which read on where that
/// takes less time than a message. What is read behind a filter that comes while a query runs depends on more: on when it
/// comes, and in a join on which side is known to be small, and how large tables are HBase does not tell.
async fn compare_queries(wrong: &mut Complaints, samples: &Samples) {
    let pushed: Vec<Settings> = OTHERS.iter().filter(|it| it.pushdown).copied().collect();
    for (case, measured) in cases().await.iter().zip(measured().await) {
        let name = case.name();
        let keys = samples.explain_keys(case).await;
        let is_narrowed = measured.keys.text().contains(" runtime ");
        if !is_narrowed && keys.text() != measured.keys.text() {
            wrong.add(&name, &keys.text());
        }
        for settings in [MEASURED].iter().chain(&pushed) {
            let run = samples.run(case, *settings).await;
            if run.rows != case.wanted {
                wrong.add(&name, &different(&run.rows, &case.wanted));
            }
            let expected = case.expected().filter(|_| !is_narrowed);
            if expected.is_some_and(|it| !it.is_met_far_away(&run.totals, keys.walks(), false)) {
                wrong.add(&name, &format!("{settings:?}: {:?}", run.totals));
            }
        }
    }
}

/// Every entry of every space.
fn compare_bytes(wrong: &mut Complaints, one: &Arc<dyn HaliteStore>, other: &Arc<dyn HaliteStore>) {
    let spaces = one.spaces().unwrap();
    assert_eq!(spaces, other.spaces().unwrap());
    for space in spaces {
        let (entries, others) = (entries(one, &space), entries(other, &space));
        assert!(!entries.is_empty(), "{space}");
        let differs = entries
            .iter()
            .zip(&others)
            .find(|(one, other)| one != other);
        if differs.is_some() || entries.len() != others.len() {
            let counts = (entries.len(), others.len());
            wrong.add(&space, &format!("{counts:?} entries; {differs:?}"));
        }
    }
}

fn entries(store: &Arc<dyn HaliteStore>, space: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut entries = Vec::new();
    let read = store::read_chunks::<halite::error::Error>(
        store.snapshot().unwrap(),
        space,
        &KeyRange::all(),
        |chunk| {
            let found = chunk.iter();
            entries.extend(found.map(|(key, value)| (key.to_vec(), value.to_vec())));
            Ok(true)
        },
    );
    read.unwrap();
    entries
}
