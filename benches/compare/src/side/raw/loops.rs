//! A loop over gets and iterators for each query.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use ::rocksdb::{BoundColumnFamily, DBRawIterator};
use anyhow::{Context, Result, bail};

use super::format::{
    cpu_key, cpu_key_of, host_prefix, key_stamp, kind, note, time_key_of, usage, user, wanted_of,
};
use super::store::Store;
use crate::answer::Cell;
use crate::side::Call;
use crate::value::Value;
use crate::workload::Loop;

/// Buckets of `by_time`: the first byte of its keys.
const BUCKETS: u8 = 16;
/// Rows of a query with a LIMIT.
const LIMIT: usize = 10;

/// Where rows go.
pub trait Sink {
    fn row(&mut self, cells: &[Cell<'_>]);
}

type Family<'a> = Arc<BoundColumnFamily<'a>>;

pub struct Loops<'a> {
    store: &'a Store,
    cpu: Family<'a>,
    by_time: Family<'a>,
    wanted: Family<'a>,
}

/// A count and a sum.
#[derive(Default)]
struct Sums {
    count: i64,
    sum: f64,
}

impl Sums {
    fn add(&mut self, value: &[u8]) {
        self.count += 1;
        self.sum += usage(value);
    }

    fn cells(&self) -> [Cell<'static>; 2] {
        [Cell::Number(self.count), Cell::Double(self.sum)]
    }
}

fn text(call: &Call, place: usize) -> Result<&str> {
    match call.get(place) {
        Some(Value::Text(text)) => Ok(text),
        other => bail!("no text: {other:?}"),
    }
}

fn stamp(call: &Call, place: usize) -> Result<i64> {
    match call.get(place) {
        Some(Value::Stamp(stamp)) => Ok(*stamp),
        other => bail!("no time: {other:?}"),
    }
}

/// Shows each entry from where the iterator stands to its end.
fn each(
    mut entries: DBRawIterator<'_>,
    mut entry: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    entries.seek_to_first();
    while let Some((key, value)) = entries.item() {
        entry(key, value)?;
        entries.next();
    }
    Ok(entries.status()?)
}

impl<'a> Loops<'a> {
    pub fn new(store: &'a Store) -> Result<Self> {
        Ok(Self {
            store,
            cpu: store.family("cpu")?,
            by_time: store.family("by_time")?,
            wanted: store.family("wanted")?,
        })
    }

    /// Does what a query does.
    pub fn run(&self, query: Loop, call: &Call, sink: &mut impl Sink) -> Result<()> {
        match query {
            Loop::Get => self.get(call, sink),
            Loop::MultiGet => self.multi_get(call, sink),
            Loop::HostRange => self.host_range(call, sink),
            Loop::HostRangeSum => self.host_range_sum(call, sink),
            Loop::TimeRange => self.time_range(call, sink),
            Loop::TimeRangeSum => self.time_range_sum(call, sink),
            Loop::HostFirst => self.host_first(call, sink),
            Loop::HostLast => self.host_last(call, sink),
            Loop::Newest => self.newest(sink),
            Loop::LastOfHosts => self.last_of_hosts(sink),
            Loop::Hosts => self.hosts(sink),
            Loop::Rows => self.rows(sink),
            Loop::Count => self.count(sink),
            Loop::InOrder => self.in_order(sink),
            Loop::Sum => self.sum(sink),
            Loop::ByKind => self.by_kind(sink),
            Loop::ByUser => self.by_user(sink),
            Loop::Busiest => self.busiest(sink),
            Loop::Join => self.join(sink),
        }
    }

    fn all(&self) -> DBRawIterator<'a> {
        self.store.iterator(&self.cpu, &[], None)
    }

    fn get(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        let key = cpu_key(text(call, 0)?, stamp(call, 1)?);
        let value = self.store.db.get_pinned_cf(&self.cpu, key)?;
        sink.row(&[Cell::Double(usage(&value.context("no row")?))]);
        Ok(())
    }

    /// A get of many keys at once.
    fn multi_get(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        let host = text(call, 0)?;
        let stamps = (1..call.len()).map(|place| stamp(call, place));
        let mut stamps: Vec<i64> = stamps.collect::<Result<_>>()?;
        stamps.sort_unstable();
        let keys: Vec<Vec<u8>> = stamps.iter().map(|stamp| cpu_key(host, *stamp)).collect();
        let found = self
            .store
            .db
            .batched_multi_get_cf(&self.cpu, keys.iter(), true);
        for (stamp, value) in stamps.into_iter().zip(found) {
            if let Some(value) = value? {
                sink.row(&[Cell::Number(stamp), Cell::Double(usage(&value))]);
            }
        }
        Ok(())
    }

    /// The keys of a host between two times.
    fn host_entries(&self, call: &Call) -> Result<DBRawIterator<'a>> {
        let host = text(call, 0)?;
        let (start, stop) = (
            cpu_key(host, stamp(call, 1)?),
            cpu_key(host, stamp(call, 2)?),
        );
        Ok(self.store.iterator(&self.cpu, &start, Some(&stop)))
    }

    fn host_range(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        each(self.host_entries(call)?, |key, value| {
            let (host, stamp) = cpu_key_of(key)?;
            sink.row(&[
                Cell::Text(host),
                Cell::Number(stamp),
                Cell::Double(usage(value)),
            ]);
            Ok(())
        })
    }

    fn host_range_sum(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        let mut sums = Sums::default();
        each(self.host_entries(call)?, |_, value| {
            sums.add(value);
            Ok(())
        })?;
        sink.row(&sums.cells());
        Ok(())
    }

    /// Shows the entries of all buckets between two times.
    fn time_entries(
        &self,
        call: &Call,
        mut entry: impl FnMut(&[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let (start, stop) = (key_stamp(stamp(call, 0)?), key_stamp(stamp(call, 1)?));
        for bucket in 0..BUCKETS {
            let start = [&[bucket], start.as_slice()].concat();
            let stop = [&[bucket], stop.as_slice()].concat();
            let entries = self.store.iterator(&self.by_time, &start, Some(&stop));
            each(entries, &mut entry)?;
        }
        Ok(())
    }

    fn time_range(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        self.time_entries(call, |key, value| {
            let (stamp, host) = time_key_of(key)?;
            sink.row(&[
                Cell::Text(host),
                Cell::Number(stamp),
                Cell::Double(usage(value)),
            ]);
            Ok(())
        })
    }

    fn time_range_sum(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        let mut sums = Sums::default();
        self.time_entries(call, |_, value| {
            sums.add(value);
            Ok(())
        })?;
        sink.row(&sums.cells());
        Ok(())
    }

    fn host_first(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        let host = text(call, 0)?;
        let (start, stop) = (host_prefix(host), cpu_key(host, stamp(call, 1)? + 1));
        let mut entries = self.store.iterator(&self.cpu, &start, Some(&stop));
        entries.seek_to_first();
        limited(entries, sink, DBRawIterator::next)
    }

    fn host_last(&self, call: &Call, sink: &mut impl Sink) -> Result<()> {
        let host = text(call, 0)?;
        let (start, stop) = (cpu_key(host, stamp(call, 1)?), cpu_key(host, i64::MAX));
        let mut entries = self.store.iterator(&self.cpu, &start, Some(&stop));
        entries.seek_to_last();
        limited(entries, sink, DBRawIterator::prev)
    }

    /// The last ten of each bucket, and of these the ten greatest.
    fn newest(&self, sink: &mut impl Sink) -> Result<()> {
        let mut found = Vec::with_capacity(LIMIT * usize::from(BUCKETS));
        for bucket in 0..BUCKETS {
            let mut entries = self
                .store
                .iterator(&self.by_time, &[bucket], Some(&[bucket + 1]));
            entries.seek_to_last();
            for _ in 0..LIMIT {
                let Some((key, value)) = entries.item() else {
                    break;
                };
                found.push((key.to_vec(), usage(value)));
                entries.prev();
            }
            entries.status()?;
        }
        found.sort_unstable_by(|(left, _), (right, _)| right[1..].cmp(&left[1..]));
        for (key, usage) in found.iter().take(LIMIT) {
            let (stamp, host) = time_key_of(key)?;
            sink.row(&[Cell::Number(stamp), Cell::Text(host), Cell::Double(*usage)]);
        }
        Ok(())
    }

    /// From the end: the last key of a host, then the last before all of the host's.
    fn last_of_hosts(&self, sink: &mut impl Sink) -> Result<()> {
        let mut entries = self.all();
        entries.seek_to_last();
        while let Some((key, value)) = entries.item() {
            let (host, stamp) = cpu_key_of(key)?;
            sink.row(&[
                Cell::Text(host),
                Cell::Number(stamp),
                Cell::Double(usage(value)),
            ]);
            let before = host_prefix(host);
            entries.seek_for_prev(before);
        }
        Ok(entries.status()?)
    }

    /// The first key of a host, then the first behind all of the host's.
    fn hosts(&self, sink: &mut impl Sink) -> Result<()> {
        let mut entries = self.all();
        entries.seek_to_first();
        while let Some(key) = entries.key() {
            let (host, _) = cpu_key_of(key)?;
            sink.row(&[Cell::Text(host)]);
            let behind = cpu_key(host, i64::MAX);
            entries.seek(behind);
        }
        Ok(entries.status()?)
    }

    fn rows(&self, sink: &mut impl Sink) -> Result<()> {
        each(self.all(), |key, value| {
            let (host, stamp) = cpu_key_of(key)?;
            sink.row(&[
                Cell::Text(host),
                Cell::Number(stamp),
                Cell::Text(kind(value)?),
                Cell::Number(user(value)),
                Cell::Double(usage(value)),
                Cell::Text(note(value)?),
            ]);
            Ok(())
        })
    }

    fn count(&self, sink: &mut impl Sink) -> Result<()> {
        let mut count = 0;
        each(self.all(), |_, _| {
            count += 1;
            Ok(())
        })?;
        sink.row(&[Cell::Number(count)]);
        Ok(())
    }

    /// The buckets, merged by a heap of their next keys.
    fn in_order(&self, sink: &mut impl Sink) -> Result<()> {
        let mut buckets = Vec::with_capacity(usize::from(BUCKETS));
        let mut next = BinaryHeap::new();
        for bucket in 0..BUCKETS {
            let mut entries = self
                .store
                .iterator(&self.by_time, &[bucket], Some(&[bucket + 1]));
            entries.seek_to_first();
            if let Some(key) = entries.key() {
                next.push(Reverse((key[1..].to_vec(), buckets.len())));
            }
            buckets.push(entries);
        }
        while let Some(mut first) = next.peek_mut() {
            let Reverse((key, bucket)) = &mut *first;
            let entries = &mut buckets[*bucket];
            let (stored, value) = entries.item().context("no entry")?;
            let (stamp, host) = time_key_of(stored)?;
            sink.row(&[
                Cell::Number(stamp),
                Cell::Text(host),
                Cell::Double(usage(value)),
            ]);
            entries.next();
            match entries.key() {
                Some(after) => {
                    key.clear();
                    key.extend_from_slice(&after[1..]);
                }
                None => {
                    entries.status()?;
                    PeekMut::pop(first);
                }
            }
        }
        Ok(())
    }

    fn sum(&self, sink: &mut impl Sink) -> Result<()> {
        let mut sums = Sums::default();
        each(self.all(), |_, value| {
            sums.add(value);
            Ok(())
        })?;
        sink.row(&[Cell::Double(sums.sum)]);
        Ok(())
    }

    /// What was loaded into a table.
    pub fn count_and_sum(&self, table: &str, sink: &mut impl Sink) -> Result<()> {
        let family = self.store.family(table)?;
        let mut sums = Sums::default();
        each(self.store.iterator(&family, &[], None), |_, value| {
            sums.add(value);
            Ok(())
        })?;
        sink.row(&sums.cells());
        Ok(())
    }

    fn by_kind(&self, sink: &mut impl Sink) -> Result<()> {
        let mut groups: HashMap<String, Sums> = HashMap::new();
        each(self.all(), |_, value| {
            let kind = kind(value)?;
            match groups.get_mut(kind) {
                Some(sums) => sums.add(value),
                None => groups.entry(kind.to_owned()).or_default().add(value),
            }
            Ok(())
        })?;
        for (kind, sums) in &groups {
            let [count, sum] = sums.cells();
            sink.row(&[Cell::Text(kind), count, sum]);
        }
        Ok(())
    }

    fn by_user(&self, sink: &mut impl Sink) -> Result<()> {
        let mut groups: HashMap<i64, Sums> = HashMap::new();
        each(self.all(), |_, value| {
            groups.entry(user(value)).or_default().add(value);
            Ok(())
        })?;
        for (user, sums) in &groups {
            let [count, sum] = sums.cells();
            sink.row(&[Cell::Number(*user), count, sum]);
        }
        Ok(())
    }

    fn busiest(&self, sink: &mut impl Sink) -> Result<()> {
        each(self.all(), |key, value| {
            if usage(value) >= 999.5 {
                let (host, stamp) = cpu_key_of(key)?;
                sink.row(&[
                    Cell::Text(host),
                    Cell::Number(stamp),
                    Cell::Text(note(value)?),
                ]);
            }
            Ok(())
        })
    }

    /// A get of many keys at once.
    fn join(&self, sink: &mut impl Sink) -> Result<()> {
        let mut keys = Vec::new();
        each(self.store.iterator(&self.wanted, &[], None), |_, value| {
            let (host, stamp) = wanted_of(value)?;
            keys.push(cpu_key(host, stamp));
            Ok(())
        })?;
        keys.sort_unstable();
        let found = self
            .store
            .db
            .batched_multi_get_cf(&self.cpu, keys.iter(), true);
        let mut sums = Sums::default();
        for value in found {
            if let Some(value) = value? {
                sums.add(&value);
            }
        }
        sink.row(&sums.cells());
        Ok(())
    }
}

/// The first ten entries in a direction.
fn limited<'a>(
    mut entries: DBRawIterator<'a>,
    sink: &mut impl Sink,
    step: fn(&mut DBRawIterator<'a>),
) -> Result<()> {
    for _ in 0..LIMIT {
        let Some((key, value)) = entries.item() else {
            break;
        };
        let (_, stamp) = cpu_key_of(key)?;
        sink.row(&[Cell::Number(stamp), Cell::Double(usage(value))]);
        step(&mut entries);
    }
    Ok(entries.status()?)
}
