//! Runs read in the order of their keys and against it: the same entries, from stores that differ in how they go on.

use std::collections::BTreeSet;

use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use fastrand::Rng;

use super::*;
use crate::datum::{Datum, SqlType};
use crate::key::testing::{domain, types, value, with_seed};
use crate::key::{
    Argument, Domain, Expression, KeyColumn, NullOrder, PartDefinition, RowKey, SortOrder,
};
use crate::keyrange::{Guide, Step};
use crate::predicate::Predicate;
use crate::row::testing::part as of_column;
use crate::row::{Grouped, RowChanges};
use crate::scan::metrics::{ScanTotals, sums};
use crate::schema::{FamilySet, TableSpaces};
use crate::span::{BUDGET, Run, Work, plan};
use crate::store::wrap::Recording;
use crate::store::{
    Durability, Latency, MemoryStore, RocksStore, SpaceOptions, Store, StoreOptions, WriteBatch,
    commit_batch,
};

/// After how many seeks a local store tries, the first time, whether the candidates of a walk are near, by so many entries.
const FIRST_TRIAL: usize = 8;
const TRIAL: usize = 32;

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// Stores of both kinds; one keeps several rows in an entry, one of RocksDB's gives control back after each deleted entry.
struct Stores {
    stores: Vec<Arc<dyn Store>>,
    _directories: Vec<tempfile::TempDir>,
}

impl Stores {
    fn new() -> Self {
        let grouped = Grouped::new(Arc::new(MemoryStore::new()));
        let mut stores: Vec<Arc<dyn Store>> = vec![Arc::new(MemoryStore::new()), Arc::new(grouped)];
        let mut directories = Vec::new();
        for interrupt_after in [StoreOptions::default().interrupt_after, 1] {
            let directory = tempfile::tempdir().unwrap();
            let options = StoreOptions {
                interrupt_after,
                ..StoreOptions::default()
            };
            stores.push(Arc::new(
                RocksStore::open(directory.path(), &options).unwrap(),
            ));
            directories.push(directory);
        }
        Self {
            stores,
            _directories: directories,
        }
    }

    /// Makes a space of these keys in every store. Some other keys were there and are deleted.
    fn create(&self, space: &str, keys: &[Vec<u8>], deleted: &[Vec<u8>]) {
        for store in &self.stores {
            store.create_space(space, &SpaceOptions::default()).unwrap();
            let mut batch = WriteBatch::new();
            for key in keys.iter().chain(deleted) {
                batch.put(space, key, key);
            }
            deleted.iter().for_each(|key| batch.delete(space, key));
            let mut changes =
                RowChanges::begin(Arc::clone(store), &TableSpaces::of_families(space, 0)).unwrap();
            changes.write(batch).unwrap();
            changes.commit(Durability::Buffered).unwrap();
        }
    }
}

/// The keys that a run yields, asked for `entries` at a time, and what it counted. Every value is the key again.
fn read(
    store: &dyn Store,
    space: &str,
    run: &Run,
    direction: Direction,
    entries: usize,
) -> (Vec<Vec<u8>>, ScanTotals) {
    let (keys, totals, is_wide) = read_widening(store, space, run, direction, entries, false);
    assert!(!is_wide);
    (keys, totals)
}

/// The same by a walk that may give up if `widens`, and whether it has.
fn read_widening(
    store: &dyn Store,
    space: &str,
    run: &Run,
    direction: Direction,
    entries: usize,
    widens: bool,
) -> (Vec<Vec<u8>>, ScanTotals, bool) {
    let metrics = ExecutionPlanMetricsSet::new();
    let source = Source {
        rows: RowSnapshot::of(
            store.snapshot().unwrap(),
            &TableSpaces::of_families(space, 0),
        ),
        direction,
        first: ReadRequest::FIRST,
        fetch: None,
        values: true,
        widens,
        families: FamilySet::ALL,
        counters: Some(Counters::new(&metrics, 0, Latency::Near)),
        cancelled: Cancelled::default(),
    };
    let mut reader = RunReader::new(&source, Piece::whole(run));
    let (mut keys, mut has_more) = (Vec::new(), true);
    while has_more {
        let mut chunk = Chunk::new();
        has_more = reader
            .fill(&mut chunk, ChunkLimit::entries(entries))
            .unwrap();
        assert!(chunk.iter().all(|(key, value)| key == value));
        keys.extend(chunk.keys().map(<[u8]>::to_vec));
    }
    (keys, sums(&metrics.clone_inner()), reader.is_wide())
}

/// A table's key and its rows' values.
struct Table {
    key: RowKey,
    pools: Vec<Vec<Datum>>,
}

impl Table {
    /// Two to four columns of any type, few values of each; a part for each of them, now and then behind a bucket.
    fn any(rng: &mut Rng) -> Self {
        let types = types();
        let columns: Vec<KeyColumn> = (0..rng.usize(2..5))
            .map(|index| KeyColumn {
                name: format!("c{index}"),
                sql_type: types[rng.usize(..types.len())].clone(),
                nullable: rng.bool(),
            })
            .collect();
        let mut expressions: Vec<Expression> =
            columns.iter().map(|column| part(rng, column)).collect();
        if rng.u8(..4) == 0 {
            let salt = Expression::new("salt", vec![Argument::Integer(3)]);
            expressions.insert(rng.usize(..2), salt);
        }
        let definition = |expression| PartDefinition {
            expression,
            direction: [SortOrder::Ascending, SortOrder::Descending][rng.usize(..2)],
            nulls: [NullOrder::First, NullOrder::Last][rng.usize(..2)],
        };
        let parts = expressions.into_iter().map(definition).collect();
        let pools = columns
            .iter()
            .map(|column| {
                let count = rng.usize(1..9);
                (0..count).map(|_| value(rng, &column.sql_type)).collect()
            })
            .collect();
        Self {
            key: RowKey::new(columns, parts).unwrap(),
            pools,
        }
    }

    /// Keys of rows of the table, each once.
    fn keys(&self, rng: &mut Rng, rows: usize) -> Vec<Vec<u8>> {
        let columns = self.key.columns();
        let mut keys: Vec<Vec<u8>> = (0..rows)
            .filter_map(|_| {
                let row: Vec<Option<Datum>> = columns
                    .iter()
                    .zip(&self.pools)
                    .map(|(column, pool)| {
                        let is_null = column.nullable && rng.u8(..6) == 0;
                        (!is_null).then(|| pool[rng.usize(..pool.len())].clone())
                    })
                    .collect();
                self.key.encode(&row).ok()
            })
            .collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// A condition on one of the columns.
    fn member(&self, rng: &mut Rng) -> Predicate {
        let index = rng.usize(..self.pools.len());
        let column = &self.key.columns()[index];
        let domain = domain(rng, &column.sql_type, &self.pools[index]);
        Predicate::Member(Expression::column(column.name.as_str()), domain)
    }

    /// Conditions on columns, and unions of boxes over them.
    fn conjuncts(&self, rng: &mut Rng) -> Vec<Predicate> {
        (0..rng.usize(1..4))
            .map(|_| match rng.u8(..3) {
                0 => {
                    let terms = rng.usize(2..4);
                    Predicate::any((0..terms).map(|_| {
                        let members = rng.usize(1..3);
                        Predicate::all((0..members).map(|_| self.member(rng)).collect::<Vec<_>>())
                    }))
                }
                _ => self.member(rng),
            })
            .collect()
    }
}

/// A column as a part of the key, or a coarser value of it.
fn part(rng: &mut Rng, column: &KeyColumn) -> Expression {
    let coarser = match &column.sql_type {
        sql_type if sql_type.is_text() => "left",
        sql_type if sql_type.is_short_integer() => "/",
        _ => return Expression::column(column.name.as_str()),
    };
    match rng.u8(..5) {
        0 => {
            let source = Argument::Column(column.name.clone());
            Expression::new(coarser, vec![source, Argument::Integer(2)])
        }
        _ => Expression::column(column.name.as_str()),
    }
}

#[test]
fn a_run_yields_the_same_in_both_directions() {
    with_seed(|rng| {
        let stores = Stores::new();
        let (mut walks, mut strides) = (0, 0);
        for case in 0..150 {
            let table = Table::any(rng);
            let rows = [30, 30, 300, 2000][rng.usize(..4)];
            let keys = table.keys(rng, rows);
            let mut deleted = table.keys(rng, 20);
            deleted.retain(|key| keys.binary_search(key).is_err());
            let space = format!("t{case}");
            stores.create(&space, &keys, &deleted);
            let budget = [1, 2, 7, BUDGET][rng.usize(..4)];
            let conjuncts = table.conjuncts(rng);
            let plan = plan(&table.key, conjuncts.iter().cloned().enumerate(), budget).unwrap();
            let place = format!("{:?}\n{conjuncts:?} at {budget}", table.key);
            for run in plan.spans.runs() {
                let is_walk = matches!(run.work, Work::Walk(_));
                walks += usize::from(is_walk);
                for store in &stores.stores {
                    let totals = check(store.as_ref(), &space, run, &keys, rng, &place);
                    strides += usize::from(is_walk && totals.seeks >= FIRST_TRIAL);
                }
            }
            for store in &stores.stores {
                store.drop_space(&space).unwrap();
            }
        }
        assert!(
            walks > 30 && strides > 0,
            "{walks} walks, {strides} long ones"
        );
    });
}

/// A run yields the keys inside, whichever way it is read, and reads no more than it may. What it counted on its way back.
fn check(
    store: &dyn Store,
    space: &str,
    run: &Run,
    keys: &[Vec<u8>],
    rng: &mut Rng,
    place: &str,
) -> ScanTotals {
    let is_inside = |key: &&Vec<u8>| run.contains(key).unwrap();
    let mut inside: Vec<Vec<u8>> = keys.iter().filter(is_inside).cloned().collect();
    let hull = run.hull();
    let within = keys.iter().filter(|key| hull.contains(key)).count();
    let mut totals = ScanTotals::default();
    for direction in DIRECTIONS {
        let entries = rng.usize(1..40);
        let (found, counted) = read(store, space, run, direction, entries);
        assert_eq!(found, inside, "{direction:?}, {entries} at a time: {place}");
        let (mut wide, _, is_wide) = read_widening(store, space, run, direction, entries, true);
        assert!(is_wide || wide == inside, "{direction:?}: {place}");
        assert!(wide.iter().all(|key| hull.contains(key)), "{place}");
        wide.retain(|key| run.contains(key).unwrap());
        assert_eq!(
            wide, inside,
            "{direction:?}, {entries} at a time, widening: {place}"
        );
        inside.reverse();
        totals = counted;
        let Work::Walk(_) = &run.work else { continue };
        assert_eq!(totals.ranges, 1, "{place}");
        assert!(
            totals.keys_read <= within,
            "{direction:?} {totals:?}: {place}"
        );
        // Of each trial whether a candidate is near; they come ever more seldom.
        let trials = (totals.keys_read / FIRST_TRIAL + 1).ilog2() as usize;
        if totals.seeks < FIRST_TRIAL {
            assert!(
                totals.keys_read <= found.len() + totals.seeks + trials * 8 * TRIAL,
                "{direction:?}, {totals:?} for {} keys: {place}",
                found.len()
            );
        }
    }
    totals
}

/// A walk over `b = wanted`, the keys of all (a, b) with a and b below these, and those inside.
fn grid(a: i64, b: i64, wanted: i64) -> (Run, Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let column = |name: &str| KeyColumn {
        name: name.to_owned(),
        sql_type: SqlType::Integer,
        nullable: false,
    };
    let key = RowKey::new(
        vec![column("a"), column("b")],
        vec![of_column("a"), of_column("b")],
    )
    .unwrap();
    let encode = |a, b| {
        key.encode(&[Some(Datum::Integer(a)), Some(Datum::Integer(b))])
            .unwrap()
    };
    let keys = (0..a).flat_map(|a| (0..b).map(move |b| (a, b)));
    let keys: Vec<Vec<u8>> = keys.map(|(a, b)| encode(a, b)).collect();
    let inside = (0..a).map(|a| encode(a, wanted)).collect();
    let wanted = Domain::points(&SqlType::Integer, [Datum::Integer(wanted)]);
    let conjunct = Predicate::Member(Expression::column("b"), wanted);
    let plan = plan(&key, [((), conjunct)], BUDGET).unwrap();
    (plan.spans.runs()[0].clone(), keys, inside)
}

#[test]
fn a_walk_seeks_no_more_often_on_its_way_back() {
    let stores = Stores::new();
    // Twenty values of a with a hundred of b: no candidate is near.
    let (run, keys, inside) = grid(20, 100, 50);
    stores.create("far", &keys, &[]);
    for store in &stores.stores {
        for direction in DIRECTIONS {
            let (found, totals) = read(store.as_ref(), "far", &run, direction, 7);
            assert_eq!(found.len(), inside.len());
            // The field before or after a whole one is known: the seek is to the candidate at once. One more finds out
            // where a begins or ends.
            assert!(totals.seeks <= 22, "{direction:?} {totals:?}");
            // Of those that are read three trials.
            assert!(
                totals.keys_read <= 42 + 3 * TRIAL,
                "{direction:?} {totals:?}"
            );
        }
    }
    // Five values of b: the next candidate is never farther than four keys.
    let (run, keys, inside) = grid(400, 5, 3);
    stores.create("near", &keys, &[]);
    for store in &stores.stores {
        for direction in DIRECTIONS {
            let (found, totals) = read(store.as_ref(), "near", &run, direction, 100);
            assert_eq!(found.len(), inside.len());
            assert!(totals.seeks <= FIRST_TRIAL, "{direction:?} {totals:?}");
            assert!(totals.keys_read <= keys.len(), "{direction:?} {totals:?}");
            // One that may give up does so, and is at once at the next candidate where it is far.
            let (found, _, is_wide) =
                read_widening(store.as_ref(), "near", &run, direction, 100, true);
            assert!(is_wide && found.len() > inside.len());
        }
    }
}

/// Each seek is for what the walk has named, and none is made again.
#[test]
fn a_walk_that_goes_back_seeks_what_it_names() {
    let (run, keys, inside) = grid(20, 100, 50);
    let inner = Arc::new(MemoryStore::new());
    inner.create_space("t", &SpaceOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    keys.iter().for_each(|key| batch.put("t", key, key));
    commit_batch(&inner, batch, Durability::Buffered).unwrap();
    let store = Recording::new(inner);
    let (found, totals) = read(&store, "t", &run, Direction::Backward, 1);
    assert!(found.iter().rev().eq(&inside));
    let Work::Walk(walk) = &run.work else {
        panic!("no walk")
    };
    let stops: BTreeSet<Vec<u8>> = keys
        .iter()
        .filter_map(|key| match walk.previous(key).unwrap() {
            Step::Seek(stop) => Some(stop),
            Step::In { .. } | Step::Done => None,
        })
        .collect();
    let mut seeks = store.log().seeks("t");
    assert_eq!(seeks.len(), totals.seeks);
    assert_eq!(seeks.remove(0), *walk.hull());
    for pair in seeks.windows(2) {
        assert!(pair[1].stop() < pair[0].stop());
    }
    for seek in seeks {
        assert_eq!(seek.start(), walk.hull().start());
        assert!(stops.contains(seek.stop().unwrap()), "{seek}");
    }
}
