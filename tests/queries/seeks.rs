//! What a store is asked for: the ranges and hulls that `EXPLAIN KEYS` lists, each once, and what a walk names.
//!
//! The seeks are those that a recording store has seen. In a walk, a seek goes to where the walk says when it is asked
//! about the key in front of it; how many there may be is for [`super::bound`] to say.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use halite::keyrange::{Guide, KeyRange, Step, hex};
use halite::scan::ScanExec;
use halite::span::Work;
use halite::store::wrap::{Call, Log};
use halite::store::{Chunk, ChunkLimit, Direction, ReadRequest, Snapshot};

use super::run::Keys;

/// What is wrong with the seeks of a query, if anything is; one that `is_limited` may end before it has made all.
pub fn wrong(
    plan: &Arc<dyn ExecutionPlan>,
    keys: &Keys,
    is_limited: bool,
    log: &Log,
    snapshot: &Arc<dyn Snapshot>,
) -> Option<String> {
    scans(plan).into_iter().find_map(|scan| {
        let (table, space) = (scan.table().name(), scan.table().space());
        let rows = keys.rows.iter();
        let rows = rows.filter(|row| row.table == table && row.kind != "runtime");
        let listed: BTreeSet<[String; 2]> = rows.map(|row| row.ends.clone()).collect();
        if keys.is_narrowed(Some(table)) {
            let seeks = log.seeks(space).into_iter();
            let mut outside =
                seeks.filter(|seek| !listed.iter().any(|range| begins_in(seek, range)));
            return outside
                .next()
                .map(|seek| format!("{table}: {seek} lies in no range"));
        }
        let mut sought = BTreeSet::new();
        // A key that is looked up is a range of its own.
        let calls = log.calls();
        let looked_up = calls.iter().flat_map(|call| match call {
            Call::MultiGet(name, keys) if name == space => keys.as_slice(),
            _ => &[],
        });
        let looked_up = looked_up.map(|key| KeyRange::prefix(key));
        for seek in log.seeks(space).into_iter().chain(looked_up) {
            let is_named = || is_named(scan, &seek, snapshot) == Some(true);
            if !listed.contains(&ends(&seek)) && !is_named() {
                return Some(format!("{table}: nothing names {seek}"));
            }
            if !sought.insert(ends(&seek)) {
                return Some(format!("{table}: {seek} is sought twice"));
            }
        }
        let left: Vec<_> = listed.difference(&sought).collect();
        (!is_limited && !left.is_empty()).then(|| format!("{table}: not sought: {left:?}"))
    })
}

/// Whether a seek of what was narrowed at run time begins in a range that is listed.
fn begins_in(seek: &KeyRange, [start, stop]: &[String; 2]) -> bool {
    let sought = hex(seek.start());
    // A range that is read backward is sought from its end.
    let end = seek.stop().map(hex).unwrap_or_default();
    *start <= sought && (stop.is_empty() || sought < *stop || end <= *stop)
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

/// Whether a walk of the scan goes there when it is asked about the key in front, if there are both.
fn is_named(scan: &ScanExec, seek: &KeyRange, snapshot: &Arc<dyn Snapshot>) -> Option<bool> {
    let walk = scan
        .request()
        .spans
        .runs()
        .iter()
        .find_map(|run| match &run.work {
            Work::Walk(walk) if walk.hull().covers(seek) => Some(walk),
            _ => None,
        })?;
    let hull = walk.hull();
    let first = |start: &[u8], stop: Option<&[u8]>, direction| {
        let range = KeyRange::new(start.to_vec(), stop.map(<[u8]>::to_vec))?;
        let request = ReadRequest::range(scan.table().space(), range, direction);
        let mut reader = Arc::clone(snapshot).read(request).unwrap();
        let mut chunk = Chunk::new();
        while reader.fill(&mut chunk, ChunkLimit::entries(1)).unwrap() && chunk.is_empty() {}
        chunk.keys().next().map(<[u8]>::to_vec)
    };
    let (ends_alike, candidate, step) = match scan.request().direction {
        Direction::Forward => {
            let front = first(hull.start(), Some(seek.start()), Direction::Backward)?;
            (seek.stop() == hull.stop(), seek.start(), walk.next(&front))
        }
        Direction::Backward => {
            let front = first(seek.stop()?, hull.stop(), Direction::Forward)?;
            (
                seek.start() == hull.start(),
                seek.stop()?,
                walk.previous(&front),
            )
        }
    };
    Some(ends_alike && step.unwrap() == Step::Seek(candidate.to_vec()))
}
