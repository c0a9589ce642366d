//! About how large parts of tables are, as the master knows it.
//!
//! Region servers tell the master every few seconds what their regions hold, in whole megabytes, and it hands on all of it
//! in one answer. That is kept for some seconds, for all statements of a database. Who asks waits for a moment at most: an
//! estimate is worth that, and no statement fails for want of one.
//!
//! A region's place in its table is part of its name, `namespace:table,first key,time.digest.`, so nothing else need be
//! known. How its rows lie inside it nobody says: of a part of it the keys are taken to be spread evenly over the bytes
//! behind those that its first key and its end have in common, and to be a [`LEAST`] share of it at least, as keys seldom
//! are spread so.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::messages::{ClusterStatus, RegionLoad};
use crate::keyrange::KeyRange;

/// How long an answer is good.
const GOOD: Duration = Duration::from_secs(5);
/// How long it is where a table is not in it, which may have been made in between.
const GOOD_WITHOUT: Duration = Duration::from_secs(1);
/// How long nobody asks again where there was no answer.
const PAUSE: Duration = Duration::from_secs(30);
/// An answer is good for so many times the time that it took: of a great cluster it is long.
const WORTH: u32 = 100;
/// How long a statement waits for an answer.
const WAIT: Duration = Duration::from_millis(300);

/// What a range inside a region is taken to have of it at least.
const LEAST: f64 = 1.0 / 256.0;
/// In memory each cell has 21 bytes of its own beside key and value, which is about a fifth.
const OF_MEMORY: (u64, u64) = (4, 5);

/// Asks how the cluster stands; `None`: nobody says.
type Ask = dyn Fn() -> Option<ClusterStatus> + Send + Sync;

/// What is known of the sizes of tables.
pub(super) struct Sizes {
    ask: Box<Ask>,
    known: Mutex<Known>,
    answered: Condvar,
}

#[derive(Default)]
struct Known {
    tables: Arc<HashMap<Vec<u8>, Vec<Part>>>,
    asked: Option<Instant>,
    /// Nobody asks again before.
    good_until: Option<Instant>,
    is_asking: bool,
    is_missing: bool,
}

/// A region, up to where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    start: Vec<u8>,
    bytes: u64,
}

impl fmt::Debug for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.lock();
        write!(f, "Sizes({} tables)", known.tables.len())
    }
}

impl Sizes {
    /// Those that the answers to a question tell.
    pub(super) fn new(
        ask: impl Fn() -> Option<ClusterStatus> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            ask: Box::new(ask),
            known: Mutex::default(),
            answered: Condvar::new(),
        })
    }

    /// About how many bytes of a table, by its whole name, lie in a range; `None` where nobody says.
    pub(super) fn of(self: &Arc<Self>, table: &str, range: &KeyRange) -> Option<u64> {
        let tables = self.tables(table.as_bytes());
        let parts = tables.get(table.as_bytes())?;
        Some(inside(parts, range))
    }

    /// What is known now, asked for where it is too old for a table.
    fn tables(self: &Arc<Self>, table: &[u8]) -> Arc<HashMap<Vec<u8>, Vec<Part>>> {
        let mut known = self.known.lock();
        if known.is_good_for(table, Instant::now()) {
            return Arc::clone(&known.tables);
        }
        if !known.is_asking {
            let sizes = Arc::clone(self);
            let thread = thread::Builder::new().name("halite-sizes".to_owned());
            known.is_asking = thread.spawn(move || sizes.learn()).is_ok();
        }
        let until = Instant::now() + WAIT;
        // While one answer is late nobody else waits for it.
        while known.is_asking && !known.is_missing {
            if self.answered.wait_until(&mut known, until).timed_out() {
                known.is_missing = true;
            }
        }
        Arc::clone(&known.tables)
    }

    /// Asks, and keeps the answer. Without one the sizes of before are as good as any.
    fn learn(&self) {
        let asked = Instant::now();
        let status = (self.ask)();
        let answered = Instant::now();
        let tables = status.as_ref().map(|status| Arc::new(parts(status)));
        let mut known = self.known.lock();
        let took = answered.duration_since(asked).saturating_mul(WORTH);
        let good = if tables.is_some() { GOOD } else { PAUSE };
        known.asked = tables.is_some().then_some(answered);
        known.good_until = Some(answered + good.max(took.min(PAUSE)));
        known.tables = tables.unwrap_or_else(|| Arc::clone(&known.tables));
        (known.is_asking, known.is_missing) = (false, false);
        self.answered.notify_all();
    }
}

impl Known {
    fn is_good_for(&self, table: &[u8], now: Instant) -> bool {
        let is_young = |asked: Instant| now.duration_since(asked) < GOOD_WITHOUT;
        let is_worth_asking = match self.asked {
            // There was no answer; a while later there may be one.
            None => false,
            Some(asked) => !self.tables.contains_key(table) && !is_young(asked),
        };
        !is_worth_asking && self.good_until.is_some_and(|until| now < until)
    }
}

/// The parts of all tables, by their names, in the order of their keys.
fn parts(status: &ClusterStatus) -> HashMap<Vec<u8>, Vec<Part>> {
    let mut tables: HashMap<Vec<u8>, Vec<Part>> = HashMap::new();
    let loads = status.live_servers.iter();
    let loads = loads.flat_map(|server| &server.server_load.region_loads);
    for load in loads {
        if let Some((table, start)) = place(&load.region_specifier.value) {
            let part = Part {
                start: start.to_vec(),
                bytes: bytes(load),
            };
            tables.entry(table.to_vec()).or_default().push(part);
        }
    }
    for parts in tables.values_mut() {
        parts.sort_by(|one, other| one.start.cmp(&other.start));
    }
    tables
}

/// The table of a region and the first of its keys, in which there may be commas.
fn place(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let comma = |byte: &u8| *byte == b',';
    let first = name.iter().position(comma)?;
    let last = name.iter().rposition(comma)?;
    Some((name.get(..first)?, name.get(first + 1..last)?))
}

/// What a region holds. Its files as they are without compression, as sizes of rows are estimated from it; servers before
/// HBase 2 do not say that.
fn bytes(load: &RegionLoad) -> u64 {
    let plain = load.store_uncompressed_size.unwrap_or(0);
    let files = plain.max(load.storefile_size.unwrap_or(0));
    let (of, all) = OF_MEMORY;
    let memory = mebibytes(load.mem_store_size.unwrap_or(0));
    mebibytes(files) + memory / all * of
}

fn mebibytes(count: u32) -> u64 {
    u64::from(count) << 20
}

/// What parts have inside a range.
fn inside(parts: &[Part], range: &KeyRange) -> u64 {
    let ends = parts.iter().skip(1).map(|part| part.start.as_slice());
    let ends = ends.map(Some).chain([None]);
    let shares = parts.iter().zip(ends).map(|(part, end)| {
        let whole = KeyRange::new(part.start.clone(), end.map(<[u8]>::to_vec));
        let share = whole.map_or(0.0, |whole| share(&whole, range));
        (part.bytes as f64 * share) as u64
    });
    shares.sum()
}

/// Which share of the keys of `whole` lie in `range`.
fn share(whole: &KeyRange, range: &KeyRange) -> f64 {
    if range.covers(whole) {
        return 1.0;
    }
    let Some(both) = whole.intersect(range) else {
        return 0.0;
    };
    let common = common(whole);
    let length = length(whole, common);
    let share = if length > 0.0 {
        self::length(&both, common) / length
    } else {
        0.0
    };
    share.clamp(LEAST, 1.0)
}

/// How many bytes the first key of a range and its end have in common.
fn common(range: &KeyRange) -> usize {
    let stop = range.stop().unwrap_or_default();
    let pairs = range.start().iter().zip(stop);
    pairs.take_while(|(one, other)| one == other).count()
}

/// How long a range is, behind so many bytes of its keys, as a part of 1.
fn length(range: &KeyRange, common: usize) -> f64 {
    let position = |key: &[u8]| {
        let bytes = key.iter().skip(common).take(8);
        let digits = bytes.scan(1.0, |weight, byte| {
            *weight /= 256.0;
            Some(*weight * f64::from(*byte))
        });
        digits.sum::<f64>()
    };
    range.stop().map_or(1.0, position) - position(range.start())
}

#[cfg(test)]
#[path = "sizes_tests.rs"]
mod tests;
