//! One box of a walk: whether a key is inside, and if not, the next candidate, forward or backward.
//!
//! The fields of a key are compared with the box from left to right, up to the first one that is outside. The next key
//! inside has another field there: forward, the least one of the box that is greater, backward, the greatest one that
//! is less; where the box has none, it is the field before that changes, and so on to the left. Behind the field that
//! has changed stand the least fields of the box, or, backward, the greatest, as far as the changed field is known
//! whole.

use crate::error::{Error, Result};
use crate::key::KeyPart;
use crate::keyrange::{KeyRange, KeyRangeSet, Step, prefix_successor};

use super::project::{PartBox, Projection};

/// A product of sets of fields, one for each part up to the last restricted one; none of them is empty.
#[derive(Debug)]
pub(super) struct WalkBox {
    parts: Vec<KeyPart>,
    fields: Vec<KeyRangeSet>,
}

/// Where a key lies with respect to a box.
enum Location<'a> {
    /// In every part: where the field of the last one begins, and the range that holds it; `None`: nothing is restricted.
    Inside(Option<(usize, &'a KeyRange)>),
    /// The fields begin at these offsets, and what stands at the last one is outside.
    Outside(Vec<usize>),
}

impl WalkBox {
    /// The box over the fields of keys; `None` where a part has none.
    pub(super) fn new(projection: &Projection<'_>, part_box: &PartBox) -> Result<Option<Self>> {
        let count = projection
            .last_restricted(part_box)
            .map_or(0, |last| last + 1);
        #[cfg(any(test, feature = "testing"))]
        let count = super::faulty_depth(count);
        let parts: Vec<KeyPart> = projection.key.parts().iter().take(count).cloned().collect();
        let fields: Result<Vec<KeyRangeSet>> = parts
            .iter()
            .zip(&part_box.domains)
            .map(|(part, domain)| part.field_ranges(domain))
            .collect();
        let fields = fields?;
        let is_empty = fields.iter().any(KeyRangeSet::is_empty);
        Ok((!is_empty).then_some(Self { parts, fields }))
    }

    /// From the first candidate to the end of the last field's range behind the pinned parts.
    pub(super) fn hull(&self) -> KeyRange {
        let mut prefix = Vec::new();
        for (depth, fields) in self.fields.iter().enumerate() {
            let (Some(first), Some(last)) = (fields.ranges().first(), fields.ranges().last())
            else {
                break;
            };
            if fields.ranges().len() == 1 && self.is_field(depth, first) {
                prefix.extend_from_slice(first.start());
                continue;
            }
            let start = self.candidate(&prefix, depth, first.start());
            let stop = last.behind(&prefix).stop().map(<[u8]>::to_vec);
            return KeyRange::new(start, stop).unwrap_or_else(|| KeyRange::prefix(&prefix));
        }
        KeyRange::prefix(&prefix)
    }

    /// The step of a forward reader that has read `key`.
    pub(super) fn next(&self, key: &[u8]) -> Result<Step> {
        Ok(match self.locate(key)? {
            Location::Inside(None) => Step::In { until: None },
            Location::Inside(Some((offset, range))) => {
                let prefix = key.get(..offset).unwrap_or_default();
                let until = range.behind(prefix).stop().map(<[u8]>::to_vec);
                Step::In { until }
            }
            Location::Outside(offsets) => self.after(key, &offsets),
        })
    }

    /// The step of a backward reader that has read `key`.
    pub(super) fn previous(&self, key: &[u8]) -> Result<Step> {
        Ok(match self.locate(key)? {
            Location::Inside(None) => Step::In { until: None },
            Location::Inside(Some((offset, range))) => {
                let prefix = key.get(..offset).unwrap_or_default();
                let until = Some([prefix, range.start()].concat());
                Step::In { until }
            }
            Location::Outside(offsets) => self.before(key, &offsets),
        })
    }

    fn locate(&self, key: &[u8]) -> Result<Location<'_>> {
        let mut offsets = Vec::with_capacity(self.parts.len());
        let (mut offset, mut last) = (0, None);
        for (part, fields) in self.parts.iter().zip(&self.fields) {
            offsets.push(offset);
            let rest = key.get(offset..).unwrap_or_default();
            let Some(range) = fields.range_of(rest) else {
                return Ok(Location::Outside(offsets));
            };
            last = Some((offset, range));
            offset += part.length(rest)?;
            if offset > key.len() {
                return Err(Error::corrupt("a row key ends in the middle of a part"));
            }
        }
        Ok(Location::Inside(last))
    }

    /// The first candidate after `key`.
    fn after(&self, key: &[u8], offsets: &[usize]) -> Step {
        for (depth, prefix, field) in fields(key, offsets) {
            // What stands at the last offset is outside; behind a field that is inside, all of its keys are passed.
            let from = if depth + 1 == offsets.len() {
                Some(field.to_vec())
            } else {
                prefix_successor(field)
            };
            let Some((set, from)) = self.fields.get(depth).zip(from) else {
                continue;
            };
            if let Some(range) = set.at_or_after(&from) {
                let field = range.start().max(&from);
                return Step::Seek(self.candidate(prefix, depth, field));
            }
        }
        Step::Done
    }

    /// The stop of the last candidate before `key`.
    fn before(&self, key: &[u8], offsets: &[usize]) -> Step {
        for (depth, prefix, field) in fields(key, offsets) {
            let set = self.fields.get(depth);
            if let Some(range) = set.and_then(|set| set.before(field)) {
                let end = range.stop().map_or(field, |stop| stop.min(field));
                return Step::Seek(self.stop(prefix, depth, range, end));
            }
        }
        Step::Done
    }

    /// The least key inside whose field at `depth` is not before `field`, as far as it can be told: where `field` is
    /// whole, the first fields of the parts behind it follow.
    fn candidate(&self, prefix: &[u8], depth: usize, field: &[u8]) -> Vec<u8> {
        let mut candidate = [prefix, field].concat();
        let mut field = field.to_vec();
        for (next, fields) in self.fields.iter().enumerate().skip(depth + 1) {
            if !self.is_whole_field(next - 1, &field) {
                break;
            }
            let Some(first) = fields.ranges().first() else {
                break;
            };
            field = first.start().to_vec();
            candidate.extend_from_slice(&field);
        }
        candidate
    }

    /// A stop behind all keys inside whose field at `depth` lies in `range` or a range before it, and before `end`: as
    /// near to them as can be told. Where the last such field is known, the last ranges of the parts behind it follow.
    fn stop(&self, prefix: &[u8], depth: usize, range: &KeyRange, end: &[u8]) -> Vec<u8> {
        let mut stop = [prefix, end].concat();
        let (mut prefix, mut range, mut end) = (prefix.to_vec(), range, end);
        for (next, fields) in self.fields.iter().enumerate().skip(depth + 1) {
            let Some(field) = self.last_field(next - 1, range, end) else {
                break;
            };
            prefix.extend_from_slice(&field);
            let last = fields.ranges().last();
            let Some((last, behind)) = last.and_then(|last| Some((last, last.stop()?))) else {
                break;
            };
            stop = [prefix.as_slice(), behind].concat();
            (range, end) = (last, behind);
        }
        stop
    }

    /// The greatest field of a part that lies in `range` or before it, and before `end`: known where the range holds
    /// but one, and where fields are equally long, so that each has a neighbour.
    fn last_field(&self, depth: usize, range: &KeyRange, end: &[u8]) -> Option<Vec<u8>> {
        if range.stop() == Some(end) && self.is_field(depth, range) {
            return Some(range.start().to_vec());
        }
        let part = self.parts.get(depth)?;
        let width = part.transform().encoding().width()? + usize::from(part.nullable());
        let mut field = end.to_vec();
        field.resize(width, 0);
        let is_known = end.len() <= width
            && decrement(&mut field)
            // A NULL is shorter.
            && self.is_whole_field(depth, &field);
        is_known.then_some(field)
    }

    /// Whether a range holds exactly one field.
    fn is_field(&self, depth: usize, range: &KeyRange) -> bool {
        self.is_whole_field(depth, range.start()) && *range == KeyRange::prefix(range.start())
    }

    fn is_whole_field(&self, depth: usize, bytes: &[u8]) -> bool {
        self.parts
            .get(depth)
            .is_some_and(|part| part.length(bytes).is_ok_and(|length| length == bytes.len()))
    }
}

/// The fields of `key` that begin at `offsets`, the last one first, which goes to the key's end: depth, what stands
/// before it, and itself.
fn fields<'a>(
    key: &'a [u8],
    offsets: &'a [usize],
) -> impl Iterator<Item = (usize, &'a [u8], &'a [u8])> {
    (0..offsets.len()).rev().filter_map(move |depth| {
        let start = *offsets.get(depth)?;
        let end = offsets.get(depth + 1).copied().unwrap_or(key.len());
        Some((depth, key.get(..start)?, key.get(start..end)?))
    })
}

/// Makes bytes those that come before them among as many; `false` for the first of all.
fn decrement(bytes: &mut [u8]) -> bool {
    for byte in bytes.iter_mut().rev() {
        *byte = byte.wrapping_sub(1);
        if *byte != u8::MAX {
            return true;
        }
    }
    false
}
