//! What is left of ranges to be read, and which part of it lies in a region.

use super::cluster::Region;
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::store::Direction;

/// Ranges, disjoint, the one that is read next at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    ranges: Vec<KeyRange>,
    direction: Direction,
}

impl Left {
    pub(super) fn of(ranges: &KeyRangeSet, direction: Direction) -> Self {
        let mut ranges: Vec<KeyRange> = ranges.ranges().to_vec();
        if direction == Direction::Forward {
            ranges.reverse();
        }
        Self { ranges, direction }
    }

    /// The range that is read next.
    pub(super) fn next(&self) -> Option<&KeyRange> {
        self.ranges.last()
    }

    /// In the order of their keys.
    pub(super) fn ascending(&self) -> Vec<KeyRange> {
        let mut ranges = self.ranges.clone();
        if self.direction == Direction::Forward {
            ranges.reverse();
        }
        ranges
    }

    /// The index of the region in which reading goes on.
    pub(super) fn region(&self, regions: &[Region]) -> Option<usize> {
        let next = self.next()?;
        let behind = match (self.direction, next.stop()) {
            (Direction::Forward, _) => {
                regions.partition_point(|region| region.start.as_slice() <= next.start())
            }
            (Direction::Backward, None) => regions.len(),
            // That before the stop.
            (Direction::Backward, Some(stop)) => {
                regions.partition_point(|region| region.start.as_slice() < stop)
            }
        };
        Some(behind.saturating_sub(1)).filter(|at| *at < regions.len())
    }

    /// Takes off what lies in a region: at most so many ranges, those that are read first.
    pub(super) fn take_in(&mut self, region: &Region, most: usize) -> Self {
        let end = (!region.end.is_empty()).then(|| region.end.clone());
        let inside = KeyRange::new(region.start.clone(), end);
        let mut taken = Vec::new();
        while let Some(next) = self.ranges.last()
            && taken.len() < most
            && let Some(part) = inside.as_ref().and_then(|inside| inside.intersect(next))
        {
            let behind = match self.direction {
                Direction::Forward => match part.stop() {
                    Some(stop) => KeyRange::new(stop.to_vec(), next.stop().map(<[u8]>::to_vec)),
                    None => None,
                },
                Direction::Backward => {
                    KeyRange::new(next.start().to_vec(), Some(part.start().to_vec()))
                }
            };
            taken.push(part);
            self.ranges.pop();
            if let Some(behind) = behind {
                // The region ends within the range.
                self.ranges.push(behind);
                break;
            }
        }
        taken.reverse();
        Self {
            ranges: taken,
            direction: self.direction,
        }
    }

    /// Puts back what was taken off, less what was read of it meanwhile.
    pub(super) fn put_back(&mut self, taken: Self) {
        self.ranges.extend(taken.ranges);
    }

    /// Leaves what is read behind a key that was read.
    pub(super) fn pass(&mut self, key: &[u8]) {
        while let Some(next) = self.ranges.last() {
            let is_ahead = match self.direction {
                Direction::Forward => key < next.start(),
                Direction::Backward => next.ends_before(key),
            };
            if is_ahead {
                return;
            }
            let rest = match (next.contains(key), self.direction) {
                (false, _) => None,
                (true, Direction::Forward) => {
                    KeyRange::new([key, &[0]].concat(), next.stop().map(<[u8]>::to_vec))
                }
                (true, Direction::Backward) => {
                    KeyRange::new(next.start().to_vec(), Some(key.to_vec()))
                }
            };
            self.ranges.pop();
            if let Some(rest) = rest {
                self.ranges.push(rest);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

    fn region(start: &[u8], end: &[u8]) -> Region {
        Region {
            name: Vec::new(),
            start: start.to_vec(),
            end: end.to_vec(),
            server: String::new(),
        }
    }

    fn set(bounds: &[(&[u8], &[u8])]) -> KeyRangeSet {
        let range = |(start, stop): &(&[u8], &[u8])| {
            let stop = (!stop.is_empty()).then(|| stop.to_vec());
            KeyRange::new(start.to_vec(), stop).unwrap()
        };
        KeyRangeSet::from_ranges(bounds.iter().map(range))
    }

    /// Keys of one and two bytes, in the order in which they are read.
    fn keys(ranges: &KeyRangeSet, direction: Direction) -> Vec<Vec<u8>> {
        let ones = (0..8_u8).map(|one| vec![one]);
        let twos = (0..8_u8).flat_map(|one| (0..8_u8).map(move |two| vec![one, two]));
        let mut keys: Vec<_> = ones
            .chain(twos)
            .filter(|key| ranges.contains(key))
            .collect();
        keys.sort();
        if direction == Direction::Backward {
            keys.reverse();
        }
        keys
    }

    /// Whatever the regions, the ranges, and where it is broken off: each key once, in order.
    #[test]
    fn every_key_is_in_one_part_and_in_order() {
        let mut random = fastrand::Rng::with_seed(crate::seed::seed());
        for _ in 0..3_000 {
            let mut borders: Vec<Vec<u8>> = (0..random.usize(..5))
                .map(|_| (0..random.usize(1..3)).map(|_| random.u8(..8)).collect())
                .collect();
            borders.sort();
            borders.dedup();
            let starts = [Vec::new()].into_iter().chain(borders.clone());
            let ends = borders.iter().cloned().chain([Vec::new()]);
            let regions: Vec<Region> = starts
                .zip(ends)
                .map(|(start, end)| region(&start, &end))
                .collect();
            let mut bound =
                || -> Vec<u8> { (0..random.usize(..3)).map(|_| random.u8(..8)).collect() };
            let ranges = (0..6).filter_map(|_| {
                let (start, stop) = (bound(), bound());
                KeyRange::new(start, (!stop.is_empty()).then_some(stop))
            });
            let ranges = KeyRangeSet::from_ranges(ranges.collect::<Vec<_>>());
            for direction in DIRECTIONS {
                let mut left = Left::of(&ranges, direction);
                let mut read = Vec::new();
                while let Some(at) = left.region(&regions) {
                    let mut taken = left.take_in(&regions[at], random.usize(1..4));
                    assert!(taken.next().is_some(), "{ranges:?} {regions:?}");
                    let part = KeyRangeSet::from_ranges(taken.ascending());
                    let inside = keys(&part, direction);
                    let count = match random.u8(..3) {
                        0 => random.usize(..=inside.len()),
                        _ => inside.len(),
                    };
                    read.extend_from_slice(&inside[..count]);
                    if let Some(last) = inside[..count].last() {
                        taken.pass(last);
                    }
                    if count < inside.len() {
                        left.put_back(taken);
                    }
                }
                assert_eq!(read, keys(&ranges, direction), "{ranges:?} {regions:?}");
            }
        }
    }

    #[test]
    fn ranges_of_a_region_are_taken_together() {
        let ranges = set(&[(b"a", b"b"), (b"c", b"e"), (b"f", b"")]);
        let regions = [region(b"", b"d"), region(b"d", b"")];
        let mut left = Left::of(&ranges, Direction::Forward);
        let taken = left.take_in(&regions[left.region(&regions).unwrap()], 9);
        assert_eq!(
            taken.ascending(),
            set(&[(b"a", b"b"), (b"c", b"d")]).ranges()
        );
        let taken = left.take_in(&regions[left.region(&regions).unwrap()], 9);
        assert_eq!(
            taken.ascending(),
            set(&[(b"d", b"e"), (b"f", b"")]).ranges()
        );
        assert_eq!(left.region(&regions), None);
        let mut left = Left::of(&ranges, Direction::Backward);
        let taken = left.take_in(&regions[left.region(&regions).unwrap()], 1);
        assert_eq!(taken.ascending(), set(&[(b"f", b"")]).ranges());
    }
}
