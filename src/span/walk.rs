//! Spans that are computed from where a scan stands.
//!
//! A walk is asked about a key: is it inside, and how far does that go, or where does the next candidate lie? Nothing
//! between the key and the candidate is inside. So a scan seeks to the candidate, looks where it has landed, and asks
//! again. (The idea is Phoenix's skip scan; here the boxes it walks over are exact.)
//!
//! It can be asked both ways: [`Walk::next`] for a scan in the order of the keys, [`Walk::previous`] for one against it.
//! The candidate is the first key that may be inside; on the way back it is the stop behind the last one that may, as a
//! scan that goes back begins before a stop. The two ways see the same keys inside.

use crate::error::Result;
use crate::keyrange::{KeyRange, KeyRangeSet, compare_stops};

use super::project::{PartBox, Projection};
use super::walk_box::WalkBox;

/// What a walk says about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The key is inside, and so is every key from there to `until`; `None`: to the end of the walk's hull.
    In {
        /// On: the first key about which nothing is said. Back: the last one about which it is.
        until: Option<Vec<u8>>,
    },
    /// The key is outside. On: so is every key before this one, which is greater. Back: so is this one, which is not
    /// greater, and every key from it up to the one that was asked about.
    Seek(Vec<u8>),
    /// The key is outside, and so is every key after it (on) or before it (back).
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
            walked.extend(WalkBox::new(projection, part_box)?);
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

    /// The smallest range known to hold everything inside. A scan begins at its start, or goes back from its stop.
    pub fn hull(&self) -> &KeyRange {
        &self.hull
    }

    /// Where `key`, a whole row key, stands for a scan that goes on from there.
    ///
    /// # Errors
    /// `Corrupt` where `key` is no key of the layout.
    pub fn next(&self, key: &[u8]) -> Result<Step> {
        let step = self.step(key, Way::On)?;
        debug_assert!(
            !matches!(&step, Step::Seek(next) if next.as_slice() <= key)
                && !matches!(&step, Step::In { until: Some(until) } if until.as_slice() <= key),
            "a walk must go forward"
        );
        Ok(step)
    }

    /// Where `key`, a whole row key, stands for a scan that goes back from there.
    ///
    /// # Errors
    /// `Corrupt` where `key` is no key of the layout.
    pub fn previous(&self, key: &[u8]) -> Result<Step> {
        let step = self.step(key, Way::Back)?;
        debug_assert!(
            !matches!(&step, Step::Seek(stop) if stop.as_slice() > key)
                && !matches!(&step, Step::In { until: Some(until) } if until.as_slice() > key),
            "a walk that goes back must do so"
        );
        Ok(step)
    }

    fn step(&self, key: &[u8], way: Way) -> Result<Step> {
        match &self.form {
            Form::Ranges(ranges) => Ok(way.step_over(ranges, key)),
            Form::Boxes(boxes) => way.step_among(boxes, key),
        }
    }
}

/// In the order of the keys, or against it.
#[derive(Debug, Clone, Copy)]
enum Way {
    On,
    Back,
}

impl Way {
    fn step_over(self, ranges: &KeyRangeSet, key: &[u8]) -> Step {
        let inside = ranges.range_of(key);
        let bound = match (self, inside) {
            (Self::On, Some(range)) => range.stop(),
            (Self::Back, Some(range)) => Some(range.start()),
            (Self::On, None) => ranges.at_or_after(key).map(KeyRange::start),
            (Self::Back, None) => ranges.before(key).and_then(KeyRange::stop),
        };
        match (bound.map(<[u8]>::to_vec), inside) {
            (until, Some(_)) => Step::In { until },
            (Some(bound), None) => Step::Seek(bound),
            (None, None) => Step::Done,
        }
    }

    /// Inside if the key is in any box, and then as far as the farthest; else on to the nearest candidate.
    fn step_among(self, boxes: &[WalkBox], key: &[u8]) -> Result<Step> {
        let mut best = Step::Done;
        for walk_box in boxes {
            let step = match self {
                Self::On => walk_box.next(key)?,
                Self::Back => walk_box.previous(key)?,
            };
            best = match (best, step) {
                (Step::In { until: one }, Step::In { until: other }) => Step::In {
                    until: one.zip(other).map(|(one, other)| self.sort(one, other).1),
                },
                (inside @ Step::In { .. }, _) | (_, inside @ Step::In { .. }) => inside,
                (Step::Seek(one), Step::Seek(other)) => Step::Seek(self.sort(one, other).0),
                (Step::Done, other) | (other, Step::Done) => other,
            };
        }
        Ok(best)
    }

    /// The nearer and the farther of two keys that lie on the way.
    fn sort(self, one: Vec<u8>, other: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
        match (self, one <= other) {
            (Self::On, true) | (Self::Back, false) => (one, other),
            (Self::On, false) | (Self::Back, true) => (other, one),
        }
    }
}
