//! Where to cut key ranges so that the pieces are of about one size, without reading a row.
//!
//! The store estimates how many bytes lie in a range. What is wanted is a key with so many bytes before it; it is
//! found byte by byte: of the 256 ways to go on behind the bytes that are known, the last one is taken before which
//! there is not yet enough, until what is left to choose from is small. A cut need not be a key that exists, and is
//! no longer than it must be. Tables whose keys begin alike cost no more than eight estimates for each byte.

use std::cmp::Ordering;

use crate::keyrange::{KeyRange, KeyRangeSet, compare_stops, prefix_successor};

/// Estimates how many bytes of a store lie in a range. It cannot fail: a scan is right wherever it is cut, so a store
/// that cannot say counts as empty, and reading it tells what is wrong.
pub(crate) type Sizes<'a> = dyn Fn(&KeyRange) -> u64 + 'a;

/// The most bytes of a cut.
const CUT_LENGTH: usize = 64;

/// A cut may be off by this part of a piece.
const TOLERANCE: u64 = 8;

/// Keys that cut `ranges` in at most `count` pieces of at least `least` bytes, ascending.
pub(crate) fn cut(
    ranges: &KeyRangeSet,
    count: usize,
    least: u64,
    sizes: &Sizes<'_>,
) -> Vec<Vec<u8>> {
    let Some(hull) = ranges.hull() else {
        return Vec::new();
    };
    // One estimate tells small tables from others.
    if count < 2 || sizes(&hull) < least.saturating_mul(2) {
        return Vec::new();
    }
    let ranges = ranges.ranges();
    let own: Vec<u64> = ranges.iter().map(sizes).collect();
    let total: u64 = own.iter().sum();
    let pieces = (total / least.max(1)).min(count as u64);
    let mut cuts: Vec<Vec<u8>> = Vec::new();
    for piece in 1..pieces {
        let mut before = total / pieces * piece;
        let mut holding = None;
        for (range, size) in ranges.iter().zip(&own) {
            if before < *size {
                holding = Some(range);
                break;
            }
            before -= size;
        }
        let Some(range) = holding else { break };
        let cut = key_after(range, before, total / pieces / TOLERANCE, sizes);
        if cuts.last().is_none_or(|last| *last < cut) && hull.start() < cut.as_slice() {
            cuts.push(cut);
        }
    }
    cuts
}

/// Those of `borders`, which ascend, that cut `ranges` in at most `count` pieces, of about as many borders each.
pub(crate) fn at_borders(
    borders: impl IntoIterator<Item = Vec<u8>>,
    ranges: &KeyRangeSet,
    count: usize,
) -> Vec<Vec<u8>> {
    let is_inside = |border: &Vec<u8>| {
        let range = ranges.range_of(border);
        range.is_some_and(|range| range.start() < border.as_slice())
    };
    let borders: Vec<_> = borders.into_iter().filter(is_inside).collect();
    let pieces = count.min(borders.len() + 1).max(1);
    let at = (1..pieces).map(|piece| piece * (borders.len() + 1) / pieces - 1);
    at.filter_map(|at| borders.get(at).cloned()).collect()
}

/// A key of `range`, or its start, with about `wanted` bytes of the range before it, off by `tolerance` where a key of
/// a few bytes can tell.
fn key_after(range: &KeyRange, wanted: u64, tolerance: u64, sizes: &Sizes<'_>) -> Vec<u8> {
    let before = |key: &[u8]| -> u64 {
        match place(range, key) {
            Ordering::Less => 0,
            Ordering::Greater => u64::MAX,
            Ordering::Equal => {
                let part = KeyRange::new(range.start().to_vec(), Some(key.to_vec()));
                part.map_or(0, |part| sizes(&part))
            }
        }
    };
    let mut key = common_prefix(range);
    while key.len() < CUT_LENGTH {
        let (mut low, mut high) = (0_u8, u8::MAX);
        // The last byte before which there is not more than wanted.
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            key.push(middle);
            let is_enough = before(&key) > wanted;
            key.pop();
            if is_enough {
                high = middle - 1;
            } else {
                low = middle;
            }
        }
        key.push(low);
        let behind = prefix_successor(&key);
        let below = before(&key);
        let above = behind.as_deref().map_or(u64::MAX, before);
        if wanted.saturating_sub(below) <= tolerance {
            break;
        }
        if let Some(behind) = behind.filter(|_| above.saturating_sub(wanted) <= tolerance) {
            key = behind;
            break;
        }
    }
    match place(range, &key) {
        Ordering::Equal => key,
        _ => range.start().to_vec(),
    }
}

/// Whether a key lies before, in or behind a range.
fn place(range: &KeyRange, key: &[u8]) -> Ordering {
    if range.ends_before(key) {
        Ordering::Greater
    } else if key < range.start() {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

/// What all keys of a range begin with.
fn common_prefix(range: &KeyRange) -> Vec<u8> {
    let start = range.start();
    let holds_all = |length: &usize| {
        let prefix = start.get(..*length).unwrap_or(start);
        let behind = prefix_successor(prefix);
        compare_stops(range.stop(), behind.as_deref()).is_le()
    };
    let length = (1..=start.len()).take_while(holds_all).last();
    start.get(..length.unwrap_or(0)).unwrap_or(start).to_vec()
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
