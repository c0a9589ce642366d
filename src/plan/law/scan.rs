//! A scan over sorted keys in memory that counts as a store would, in the order of the keys and against it.

use crate::error::Result;
use crate::keyrange::{Guide, Step};
use crate::span::{Run, Walk, Work};

/// What a scan did.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The positions of the keys it delivered, in the order in which it did.
    pub delivered: Vec<usize>,
    /// Keys that the store yielded.
    pub keys_read: usize,
    /// Times that it was positioned.
    pub seeks: usize,
    /// A rule that the spans broke on the way.
    pub broken: Option<String>,
}

/// Scans one run over `keys`, sorted and distinct.
pub(super) fn scan(run: &Run, keys: &[Vec<u8>]) -> Result<Scan> {
    let mut scan = Scan::default();
    match &run.work {
        Work::Points(points) => {
            scan.seeks = points.len();
            let found = points
                .iter()
                .filter_map(|point| keys.binary_search(point).ok());
            scan.delivered.extend(found);
            scan.keys_read = scan.delivered.len();
        }
        Work::Ranges(set) => {
            for range in set.ranges() {
                scan.seeks += 1;
                let first = keys.partition_point(|key| key.as_slice() < range.start());
                let inside = keys[first..].iter().take_while(|key| range.contains(key));
                let count = inside.count();
                scan.keys_read += count;
                scan.delivered.extend(first..first + count);
            }
        }
        Work::Walk(walk) => scan = walk_on(walk, keys)?,
    }
    Ok(scan)
}

/// Scans a walk in the order of the keys.
pub(super) fn walk_on(walk: &Walk, keys: &[Vec<u8>]) -> Result<Scan> {
    let mut scan = Scan::default();
    scan.on(walk, keys)?;
    Ok(scan)
}

/// Scans a walk against the order of the keys.
pub(super) fn walk_back(walk: &Walk, keys: &[Vec<u8>]) -> Result<Scan> {
    let mut scan = Scan::default();
    scan.back(walk, keys)?;
    Ok(scan)
}

impl Scan {
    fn on(&mut self, walk: &Walk, keys: &[Vec<u8>]) -> Result<()> {
        let hull = walk.hull();
        self.seeks += 1;
        let mut position = keys.partition_point(|key| key.as_slice() < hull.start());
        while let Some(key) = keys.get(position).filter(|key| hull.contains(key)) {
            self.keys_read += 1;
            match walk.next(key)? {
                Step::In { until } => {
                    self.delivered.push(position);
                    position += 1;
                    let more = keys[position..].iter().take_while(|key| {
                        hull.contains(key) && until.as_ref().is_none_or(|until| *key < until)
                    });
                    let more = more.count();
                    self.keys_read += more;
                    self.delivered.extend(position..position + more);
                    position += more;
                }
                Step::Seek(target) => {
                    if target <= *key {
                        self.broken = Some("a walk seeks backwards".to_owned());
                        return Ok(());
                    }
                    self.seeks += 1;
                    position = keys.partition_point(|key| *key < target);
                }
                Step::Done => return Ok(()),
            }
        }
        Ok(())
    }

    fn back(&mut self, walk: &Walk, keys: &[Vec<u8>]) -> Result<()> {
        let hull = walk.hull();
        self.seeks += 1;
        // So many keys are left, those before the cursor.
        let mut left = keys.partition_point(|key| !hull.ends_before(key));
        while let Some(key) = keys[..left].last().filter(|key| hull.contains(key)) {
            self.keys_read += 1;
            match walk.previous(key)? {
                Step::In { until } => {
                    left -= 1;
                    self.delivered.push(left);
                    let is_inside = |key: &&Vec<u8>| {
                        hull.contains(key) && until.as_ref().is_none_or(|until| *key >= until)
                    };
                    let more = keys[..left].iter().rev().take_while(is_inside).count();
                    self.keys_read += more;
                    self.delivered.extend((left - more..left).rev());
                    left -= more;
                }
                Step::Seek(stop) => {
                    if stop > *key {
                        self.broken = Some("a walk that goes back seeks on".to_owned());
                        return Ok(());
                    }
                    self.seeks += 1;
                    left = keys.partition_point(|key| *key < stop);
                }
                Step::Done => return Ok(()),
            }
        }
        Ok(())
    }
}
