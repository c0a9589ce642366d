//! Ranges of row keys: bytes only.
//!
//! A [`KeyRange`] is `[start, stop)` as in an HBase scan: `start` inclusive, `stop` exclusive, `stop` of `None` past the
//! last key. It is never empty: constructors return `None` where it would be.
//!
//! A [`KeyRangeSet`] is sorted, its ranges are disjoint and not adjacent. That holds after every operation and is
//! asserted where a set is made.
//!
//! A [`Guide`] is a set of keys that is computed instead of listed: a reader that stands on a key asks it how far to
//! read on, or which key to seek.

use std::fmt;
use std::sync::Arc;

use crate::error::Result;

/// `[start, stop)` over row-key bytes, never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyRange {
    start: Vec<u8>,
    stop: Option<Vec<u8>>,
}

impl KeyRange {
    /// `[start, stop)`, or `None` if no key lies in it.
    pub fn new(start: Vec<u8>, stop: Option<Vec<u8>>) -> Option<Self> {
        match &stop {
            Some(stop) if *stop <= start => None,
            _ => Some(Self { start, stop }),
        }
    }

    /// Every key there is.
    pub fn all() -> Self {
        Self {
            start: Vec::new(),
            stop: None,
        }
    }

    /// The keys that begin with `prefix`; all keys for an empty one.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self {
            start: prefix.to_vec(),
            stop: prefix_successor(prefix),
        }
    }

    /// The keys of this range with `prefix` in front of each.
    #[must_use]
    pub fn behind(&self, prefix: &[u8]) -> Self {
        let start = [prefix, self.start()].concat();
        let stop = match self.stop() {
            Some(stop) => Some([prefix, stop].concat()),
            None => prefix_successor(prefix),
        };
        Self::new(start, stop).unwrap_or_else(|| Self::prefix(prefix))
    }

    /// The first key that may be inside.
    pub fn start(&self) -> &[u8] {
        &self.start
    }

    /// The first key that is outside again; `None`: there is none.
    pub fn stop(&self) -> Option<&[u8]> {
        self.stop.as_deref()
    }

    /// Whether `key` lies inside.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && !self.ends_before(key)
    }

    /// Whether every key of the range is smaller than `key`.
    pub fn ends_before(&self, key: &[u8]) -> bool {
        self.stop.as_deref().is_some_and(|stop| stop <= key)
    }

    /// Whether every key of `other` lies inside.
    pub fn covers(&self, other: &KeyRange) -> bool {
        self.start <= other.start && compare_stops(self.stop(), other.stop()).is_ge()
    }

    /// The keys in both, if there are any.
    pub fn intersect(&self, other: &KeyRange) -> Option<KeyRange> {
        let start = self.start.clone().max(other.start.clone());
        let stop = if compare_stops(self.stop(), other.stop()).is_le() {
            &self.stop
        } else {
            &other.stop
        };
        Self::new(start, stop.clone())
    }
}

impl fmt::Display for KeyRange {
    /// `[hex, hex)`; `*` where there is no stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, ", hex(&self.start))?;
        match &self.stop {
            Some(stop) => write!(f, "{})", hex(stop)),
            None => f.write_str("*)"),
        }
    }
}

/// The smallest key that is greater than every key beginning with `prefix`; `None` if there is none, which is so when
/// `prefix` is empty or holds `FF` alone.
pub fn prefix_successor(prefix: &[u8]) -> Option<Vec<u8>> {
    #[cfg(any(test, feature = "testing"))]
    if let [rest @ .., 0xff] = prefix
        && crate::fault::active(crate::fault::Fault::PrefixSuccessorFf)
    {
        return Some([rest, &[0x00]].concat());
    }
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut successor = prefix.get(..=last)?.to_vec();
    if let Some(byte) = successor.last_mut() {
        *byte += 1;
    }
    Some(successor)
}

/// Orders two stops; `None`, past the last key, is the greatest.
pub fn compare_stops(left: Option<&[u8]>, right: Option<&[u8]>) -> std::cmp::Ordering {
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(right),
        (left, right) => left.is_none().cmp(&right.is_none()),
    }
}

/// Whether no key lies between a stop and a start behind it. The successor of a prefix leaves out the zeros at its end:
/// `..8001` and `800100..` meet where a key has more bytes than two.
fn meet(stop: Option<&[u8]>, start: &[u8], is_key: impl Fn(&[u8]) -> bool) -> bool {
    if compare_stops(stop, Some(start)).is_ge() {
        return true;
    }
    let Some((stop, zeros)) = stop.and_then(|stop| Some((stop, start.strip_prefix(stop)?))) else {
        return false;
    };
    // Between the two are the beginnings of the start, and nothing else.
    let mut between = (stop.len()..start.len()).filter_map(|length| start.get(..length));
    zeros.iter().all(|byte| *byte == 0) && !between.any(is_key)
}

/// Lower-case hexadecimal digits of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A set of keys that is not listed but computed step by step, while a reader moves over the keys of a store: a skip
/// scan.
///
/// The reader asks about a key that it has read whether it is inside, and learns how far to read on or which key to
/// seek. [`Guide::next`] answers a forward reader, [`Guide::previous`] a backward one; both tell of the same set.
/// Between the key that is asked about and the one that [`Step::Seek`] names no key is inside, so the reader may skip
/// all of them. It may ask about any key of the layout, in any order; the same key has the same answer.
pub trait Guide: Send + Sync + fmt::Debug {
    /// A range that covers the set. A forward reader begins at its start, a backward one at its stop.
    fn hull(&self) -> &KeyRange;

    /// The step of a forward reader that has read `key`, a whole row key.
    ///
    /// # Errors
    /// `Corrupt` where `key` is no key of the layout.
    fn next(&self, key: &[u8]) -> Result<Step>;

    /// The step of a backward reader that has read `key`, a whole row key.
    ///
    /// # Errors
    /// `Corrupt` where `key` is no key of the layout.
    fn previous(&self, key: &[u8]) -> Result<Step>;
}

/// What a [`Guide`] says about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The key is inside.
    In {
        /// How far the keys from this one on are inside without a gap. Forward, up to `until`, excluded; backward, down
        /// to `until`, included. `None`: to the end of the hull.
        until: Option<Vec<u8>>,
    },
    /// The key is outside, and so is every key between it and this candidate. Forward, the next key inside is the
    /// candidate or lies after it; backward, the candidate is an exclusive stop, and the previous key inside lies
    /// before.
    Seek(Vec<u8>),
    /// The key is outside, and so is every key after it (forward) or before it (backward).
    Done,
}

/// Ranges, sorted, disjoint and not adjacent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyRangeSet {
    /// Shared: a plan is copied while it is made, and there may be thousands.
    ranges: Arc<Vec<KeyRange>>,
}

impl KeyRangeSet {
    /// The union of `ranges`, which may overlap and come in any order.
    pub fn from_ranges(ranges: impl IntoIterator<Item = KeyRange>) -> Self {
        Self::of_layout(ranges, |_| true)
    }

    /// As [`KeyRangeSet::from_ranges`], of keys that are not just any bytes: where no key lies between two ranges, they
    /// are one. `is_key` says of bytes whether they may be a whole key.
    pub fn of_layout(
        ranges: impl IntoIterator<Item = KeyRange>,
        is_key: impl Fn(&[u8]) -> bool,
    ) -> Self {
        let mut sorted: Vec<KeyRange> = ranges.into_iter().collect();
        sorted.sort_by(|left, right| left.start.cmp(&right.start));
        let mut merged: Vec<KeyRange> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match merged.last_mut() {
                Some(last) if meet(last.stop(), &range.start, &is_key) => {
                    if compare_stops(last.stop(), range.stop()).is_lt() {
                        last.stop = range.stop;
                    }
                }
                _ => merged.push(range),
            }
        }
        Self::lawful(merged)
    }

    /// A set of ranges that are sorted, disjoint and not adjacent.
    fn lawful(ranges: Vec<KeyRange>) -> Self {
        debug_assert!(
            ranges.is_sorted_by(|left, right| {
                compare_stops(left.stop(), Some(&right.start)).is_lt()
            }),
            "ranges must be sorted, disjoint and not adjacent: {ranges:?}"
        );
        Self {
            ranges: Arc::new(ranges),
        }
    }

    /// The ranges in key order.
    pub fn ranges(&self) -> &[KeyRange] {
        &self.ranges
    }

    /// Whether no key is inside.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The smallest range that holds all of them; `None` where there is none.
    pub fn hull(&self) -> Option<KeyRange> {
        let (first, last) = (self.ranges.first()?, self.ranges.last()?);
        KeyRange::new(first.start.clone(), last.stop.clone())
    }

    /// Whether `key` lies in one of the ranges.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.range_of(key).is_some()
    }

    /// The range that holds `key`.
    pub fn range_of(&self, key: &[u8]) -> Option<&KeyRange> {
        self.at_or_after(key).filter(|range| range.contains(key))
    }

    /// The range that holds `key`, or else the first one after it.
    pub fn at_or_after(&self, key: &[u8]) -> Option<&KeyRange> {
        let index = self.ranges.partition_point(|range| range.ends_before(key));
        self.ranges.get(index)
    }

    /// The last range that holds keys before `key`, and perhaps `key` itself.
    pub fn before(&self, key: &[u8]) -> Option<&KeyRange> {
        let index = self.ranges.partition_point(|range| range.start() < key);
        self.ranges.get(index.checked_sub(1)?)
    }

    /// The keys that are in both sets.
    #[must_use]
    pub fn intersect(&self, other: &KeyRangeSet) -> KeyRangeSet {
        let mut both = Vec::new();
        let (mut left, mut right) = (
            self.ranges.iter().peekable(),
            other.ranges.iter().peekable(),
        );
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            both.extend(a.intersect(b));
            if compare_stops(a.stop(), b.stop()).is_lt() {
                left.next();
            } else {
                right.next();
            }
        }
        Self::lawful(both)
    }
}

impl From<KeyRange> for KeyRangeSet {
    fn from(range: KeyRange) -> Self {
        Self::lawful(vec![range])
    }
}

#[cfg(test)]
#[path = "keyrange_tests.rs"]
mod tests;
