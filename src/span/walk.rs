//! Spans that are computed from where a scan stands.
//!
//! A walk is asked about a key: is it inside, and how far does that go, or where does the next candidate lie? Nothing
//! between the key and the candidate is inside. So a scan seeks to the candidate, looks where it has landed, and asks
//! again. (The idea is Phoenix's skip scan; here the boxes it walks over are exact.)

use crate::error::{Error, Result};
use crate::key::KeyPart;
use crate::keyrange::{KeyRange, KeyRangeSet, compare_stops, prefix_successor};

use super::project::{PartBox, Projection};
use super::ranges::behind;

/// What a walk says about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The key is inside, and so is every key from there up to `until`; `None`: to the end of the walk's hull.
    In {
        /// The first key about which nothing is said.
        until: Option<Vec<u8>>,
    },
    /// The key is outside, and so is every key before this one, which is greater.
    Seek(Vec<u8>),
    /// The key is outside, and so is every key after it.
    Done,
}

/// Spans that are computed step by step.
#[derive(Debug)]
pub struct Walk {
    hull: KeyRange,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// A list that the predicate spells out, longer than the budget.
    Ranges(KeyRangeSet),
    /// The union of boxes.
    Boxes(Vec<WalkBox>),
}

impl Walk {
    /// Over a long list of ranges; `None` if it is empty.
    pub(super) fn over_ranges(ranges: KeyRangeSet) -> Option<Self> {
        let (first, last) = (ranges.ranges().first()?, ranges.ranges().last()?);
        Some(Self {
            hull: KeyRange::new(first.start().to_vec(), last.stop().map(<[u8]>::to_vec))?,
            form: Form::Ranges(ranges),
        })
    }

    /// Over a union of boxes; `None` if no key is in any.
    pub(super) fn over_boxes(
        projection: &Projection<'_>,
        boxes: &[PartBox],
    ) -> Result<Option<Self>> {
        let mut walked = Vec::with_capacity(boxes.len());
        for part_box in boxes {
            let walk_box = WalkBox::new(projection, part_box)?;
            if walk_box.fields.iter().all(|fields| !fields.is_empty()) {
                walked.push(walk_box);
            }
        }
        let hulls: Vec<KeyRange> = walked.iter().map(WalkBox::hull).collect();
        let start = hulls.iter().map(KeyRange::start).min().map(<[u8]>::to_vec);
        let stop = hulls
            .iter()
            .map(KeyRange::stop)
            .max_by(|left, right| compare_stops(*left, *right));
        let (Some(start), Some(stop)) = (start, stop) else {
            return Ok(None);
        };
        let hull = KeyRange::new(start, stop.map(<[u8]>::to_vec));
        Ok(hull.map(|hull| Self {
            hull,
            form: Form::Boxes(walked),
        }))
    }

    /// The smallest range known to hold everything inside. A scan begins at its start.
    pub fn hull(&self) -> &KeyRange {
        &self.hull
    }

    /// Where `key`, a whole row key, stands.
    ///
    /// # Errors
    /// `Corrupt` where `key` is no key of the layout.
    pub fn next(&self, key: &[u8]) -> Result<Step> {
        let step = match &self.form {
            Form::Ranges(ranges) => step_over(ranges, key),
            Form::Boxes(boxes) => step_among(boxes, key)?,
        };
        debug_assert!(
            !matches!(&step, Step::Seek(next) if next.as_slice() <= key)
                && !matches!(&step, Step::In { until: Some(until) } if until.as_slice() <= key),
            "a walk must go forward"
        );
        Ok(step)
    }
}

fn step_over(ranges: &KeyRangeSet, key: &[u8]) -> Step {
    match ranges.at_or_after(key) {
        None => Step::Done,
        Some(range) if range.contains(key) => Step::In {
            until: range.stop().map(<[u8]>::to_vec),
        },
        Some(range) => Step::Seek(range.start().to_vec()),
    }
}

/// Inside if the key is in any box, and then as far as the farthest; else on to the nearest candidate.
fn step_among(boxes: &[WalkBox], key: &[u8]) -> Result<Step> {
    let mut best = Step::Done;
    for walk_box in boxes {
        best = match (best, walk_box.next(key)?) {
            (Step::In { until: a }, Step::In { until: b }) => {
                let farther = compare_stops(a.as_deref(), b.as_deref()).is_lt();
                Step::In {
                    until: if farther { b } else { a },
                }
            }
            (inside @ Step::In { .. }, _) | (_, inside @ Step::In { .. }) => inside,
            (Step::Seek(a), Step::Seek(b)) => Step::Seek(a.min(b)),
            (Step::Done, other) | (other, Step::Done) => other,
        };
    }
    Ok(best)
}

/// A product of sets of fields, one for each part up to the last restricted one.
#[derive(Debug)]
struct WalkBox {
    parts: Vec<KeyPart>,
    fields: Vec<KeyRangeSet>,
}

impl WalkBox {
    fn new(projection: &Projection<'_>, part_box: &PartBox) -> Result<Self> {
        let count = projection
            .last_restricted(part_box)
            .map_or(0, |last| last + 1);
        #[cfg(test)]
        let count = super::faulty_depth(count);
        let parts: Vec<KeyPart> = projection.key.parts().iter().take(count).cloned().collect();
        let fields: Result<Vec<KeyRangeSet>> = parts
            .iter()
            .zip(&part_box.domains)
            .map(|(part, domain)| part.field_ranges(domain))
            .collect();
        Ok(Self {
            parts,
            fields: fields?,
        })
    }

    /// From the first candidate to the end of the last field's range behind the pinned parts.
    fn hull(&self) -> KeyRange {
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
            let stop = behind(&prefix, last).stop().map(<[u8]>::to_vec);
            return KeyRange::new(start, stop).unwrap_or_else(|| KeyRange::prefix(&prefix));
        }
        KeyRange::prefix(&prefix)
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

    /// Where `key` stands with respect to this box.
    fn next(&self, key: &[u8]) -> Result<Step> {
        let mut offsets = Vec::with_capacity(self.parts.len());
        let mut offset = 0;
        let mut until = None;
        for (depth, (part, fields)) in self.parts.iter().zip(&self.fields).enumerate() {
            let rest = key.get(offset..).unwrap_or_default();
            let prefix = key.get(..offset).unwrap_or_default();
            match fields.at_or_after(rest) {
                None => return Ok(self.step_back(key, &offsets)),
                Some(range) if !range.contains(rest) => {
                    return Ok(Step::Seek(self.candidate(prefix, depth, range.start())));
                }
                Some(range) => until = behind(prefix, range).stop().map(<[u8]>::to_vec),
            }
            offsets.push(offset);
            offset += part.length(rest)?;
            if offset > key.len() {
                return Err(Error::corrupt("a row key ends in the middle of a part"));
            }
        }
        Ok(Step::In { until })
    }

    /// The candidate after all keys with the fields up to the last of `offsets`.
    fn step_back(&self, key: &[u8], offsets: &[usize]) -> Step {
        // The fields of `key` begin at `offsets`; what follows the last of them is exhausted.
        for depth in (0..offsets.len()).rev() {
            let (Some(offset), Some(fields)) = (offsets.get(depth), self.fields.get(depth)) else {
                break;
            };
            let rest = key.get(*offset..).unwrap_or_default();
            let length = self
                .parts
                .get(depth)
                .and_then(|part| part.length(rest).ok())
                .unwrap_or(rest.len());
            let prefix = key.get(..*offset).unwrap_or_default();
            let Some(after) = prefix_successor(rest.get(..length).unwrap_or(rest)) else {
                continue;
            };
            match fields.at_or_after(&after) {
                None => {}
                Some(range) if range.contains(&after) => {
                    return Step::Seek(self.candidate(prefix, depth, &after));
                }
                Some(range) => return Step::Seek(self.candidate(prefix, depth, range.start())),
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
}
