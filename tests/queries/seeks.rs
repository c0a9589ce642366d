//! What a store is asked for: the ranges that `EXPLAIN KEYS` lists, and of a walk the candidates that it names.
//!
//! The seeks are those that a recording store has seen. What a walk would ask for is worked out over the keys of the
//! table, one question after the other, without the scan.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use halite::keyrange::{KeyRange, hex};
use halite::scan::ScanExec;
use halite::span::{Step, Walk, Work};
use halite::store::wrap::Log;
use halite::store::{Chunk, ChunkLimit, Direction, Store};

use super::Case;
use super::run::Keys;
use crate::answers::KeyRow;

/// The keys of the tables' spaces, in order.
pub struct Spaces {
    store: Arc<dyn Store>,
    keys: HashMap<String, Vec<Vec<u8>>>,
}

impl Spaces {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            keys: HashMap::new(),
        }
    }

    fn keys(&mut self, space: &str) -> &[Vec<u8>] {
        let store = &self.store;
        self.keys.entry(space.to_owned()).or_insert_with(|| {
            let snapshot = store.snapshot().unwrap();
            let whole = KeyRange::all();
            let mut cursor = snapshot.cursor(space, &whole, Direction::Forward).unwrap();
            cursor.seek(&whole).unwrap();
            let (mut keys, mut chunk, mut has_more) = (Vec::new(), Chunk::new(), true);
            while has_more {
                chunk.clear();
                has_more = cursor.fill(&mut chunk, ChunkLimit::default()).unwrap();
                keys.extend(chunk.keys().map(<[u8]>::to_vec));
            }
            keys
        })
    }
}

/// What is wrong with the seeks of a query, if anything is.
pub fn wrong(
    case: &Case,
    plan: &Arc<dyn ExecutionPlan>,
    keys: &Keys,
    log: &Log,
    spaces: &mut Spaces,
) -> Option<String> {
    let is_limited = case.query.sql.contains("LIMIT");
    scans(plan).into_iter().find_map(|scan| {
        let (table, space) = (scan.table().name(), scan.table().space());
        let mut seeks = log.seeks(space);
        for run in scan.request().spans.runs() {
            let Work::Walk(walk) = &run.work else {
                continue;
            };
            let wanted = candidates(walk, spaces.keys(space), scan.request().direction);
            let (made, others): (Vec<_>, _) =
                seeks.into_iter().partition(|seek| walk.hull().covers(seek));
            let is_whole = is_limited || wanted.len() > FIRST_TRIAL || made.len() == wanted.len();
            if !is_subsequence(&made, &wanted) || !is_whole {
                return Some(format!(
                    "{table}: {} seeks of a walk, {} named",
                    made.len(),
                    wanted.len()
                ));
            }
            seeks = others;
        }
        let is_listed =
            |row: &&KeyRow| row.table == table && !["walk", "empty"].contains(&row.kind.as_str());
        let listed: Vec<[String; 2]> = keys
            .rows
            .iter()
            .filter(is_listed)
            .map(|row| row.ends.clone())
            .collect();
        let mut made: Vec<[String; 2]> = seeks.iter().map(ends).collect();
        made.sort();
        made.dedup();
        let is_whole = is_limited || made.len() == listed.len();
        let is_right = made.len() == seeks.len() && made.iter().all(|range| listed.contains(range));
        (!is_right || !is_whole).then(|| format!("{table}: sought {made:?}, listed {listed:?}"))
    })
}

/// A walk that makes more seeks than this may read on to a candidate that is near instead.
const FIRST_TRIAL: usize = 32;

fn is_subsequence(made: &[KeyRange], wanted: &[KeyRange]) -> bool {
    let mut wanted = wanted.iter();
    made.iter()
        .all(|seek| wanted.any(|candidate| candidate == seek))
}

/// The scans of a plan.
pub fn scans(plan: &Arc<dyn ExecutionPlan>) -> Vec<&ScanExec> {
    let below = plan.children().into_iter().flat_map(scans);
    plan.downcast_ref::<ScanExec>()
        .into_iter()
        .chain(below)
        .collect()
}

fn ends(range: &KeyRange) -> [String; 2] {
    [
        hex(range.start()),
        range.stop().map(hex).unwrap_or_default(),
    ]
}

/// What a walk over these keys asks for, one after the other: what is left of its hull from a candidate on, or before it.
fn candidates(walk: &Walk, keys: &[Vec<u8>], direction: Direction) -> Vec<KeyRange> {
    let mut wanted = vec![walk.hull().clone()];
    let keys = keys.iter().filter(|key| walk.hull().contains(key));
    let mut keys: Vec<&Vec<u8>> = keys.collect();
    if direction == Direction::Backward {
        keys.reverse();
    }
    let mut at = 0;
    while let Some(key) = keys.get(at) {
        let passed = |end: &Vec<u8>| {
            keys.partition_point(|key| match direction {
                Direction::Forward => *key < end,
                Direction::Backward => *key >= end,
            })
        };
        let step = match direction {
            Direction::Forward => walk.next(key),
            Direction::Backward => walk.previous(key),
        };
        at = match step.unwrap() {
            Step::In { until: Some(until) } => passed(&until),
            Step::Seek(candidate) => {
                let after = passed(&candidate);
                let (start, stop) = (walk.hull().start(), walk.hull().stop());
                wanted.extend(match direction {
                    Direction::Forward => KeyRange::new(candidate, stop.map(<[u8]>::to_vec)),
                    Direction::Backward => KeyRange::new(start.to_vec(), Some(candidate)),
                });
                after
            }
            Step::In { until: None } | Step::Done => break,
        };
    }
    wanted
}
