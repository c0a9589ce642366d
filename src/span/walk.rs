//! A skip scan: spans that are computed while they are read, key by key.
//!
//! A walk is asked about a key: is it inside, and how far does that go, or where does the next candidate lie? Nothing
//! between the key and the candidate is inside. So a scan seeks the candidate, looks on which key it has landed, and
//! asks about that. (The idea is Phoenix's; here the boxes it walks over are exact.)
//!
//! It answers forward and backward readers: see [`Guide`], the trait by which stores know it.

use std::sync::Arc;

use crate::error::Result;
use crate::keyrange::{Guide, KeyRange, KeyRangeSet, Step, compare_stops};

use super::project::{PartBox, Projection};
use super::walk_box::WalkBox;

/// Spans of one run that are computed step by step. It keeps no state between steps: readers can share it.
#[derive(Debug)]
pub struct Walk {
    hull: KeyRange,
    form: Arc<Form>,
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
        Some(Self {
            hull: ranges.hull()?,
            form: Arc::new(Form::Ranges(ranges)),
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
            form: Arc::new(Form::Boxes(walked)),
        }))
    }

    /// The keys of it that lie in a range; `None` if there can be none.
    pub fn within(&self, range: &KeyRange) -> Option<Self> {
        Some(Self {
            hull: self.hull.intersect(range)?,
            form: Arc::clone(&self.form),
        })
    }

    fn step(&self, key: &[u8], heading: Heading) -> Result<Step> {
        let step = match &*self.form {
            Form::Ranges(ranges) => heading.step_over(ranges, key),
            Form::Boxes(boxes) => heading.step_among(boxes, key)?,
        };
        Ok(heading.to_the_end_of(&self.hull, step))
    }
}

impl Guide for Walk {
    fn hull(&self) -> &KeyRange {
        &self.hull
    }

    fn next(&self, key: &[u8]) -> Result<Step> {
        let step = self.step(key, Heading::Forward)?;
        debug_assert!(
            !matches!(&step, Step::Seek(next) if next.as_slice() <= key)
                && !matches!(&step, Step::In { until: Some(until) } if until.as_slice() <= key),
            "a walk must go forward"
        );
        Ok(step)
    }

    fn previous(&self, key: &[u8]) -> Result<Step> {
        let step = self.step(key, Heading::Backward)?;
        debug_assert!(
            !matches!(&step, Step::Seek(stop) if stop.as_slice() > key)
                && !matches!(&step, Step::In { until: Some(until) } if until.as_slice() > key),
            "a walk that goes back must do so"
        );
        Ok(step)
    }
}

/// Which way the reader goes that asks. (A scan's direction is the store's, which this module does not know.)
#[derive(Debug, Clone, Copy)]
enum Heading {
    Forward,
    Backward,
}

impl Heading {
    fn step_over(self, ranges: &KeyRangeSet, key: &[u8]) -> Step {
        let inside = ranges.range_of(key);
        let bound = match (self, inside) {
            (Self::Forward, Some(range)) => range.stop(),
            (Self::Backward, Some(range)) => Some(range.start()),
            (Self::Forward, None) => ranges.at_or_after(key).map(KeyRange::start),
            (Self::Backward, None) => ranges.before(key).and_then(KeyRange::stop),
        };
        match (bound.map(<[u8]>::to_vec), inside) {
            (until, Some(_)) => Step::In { until },
            (Some(bound), None) => Step::Seek(bound),
            (None, None) => Step::Done,
        }
    }

    /// The step without what lies beyond a hull that leaves out a part of what is walked over.
    fn to_the_end_of(self, hull: &KeyRange, step: Step) -> Step {
        let is_beyond = |key: &[u8]| match self {
            Self::Forward => hull.stop().is_some_and(|stop| key >= stop),
            Self::Backward => key <= hull.start(),
        };
        match step {
            Step::In { until: Some(until) } if is_beyond(&until) => Step::In { until: None },
            Step::Seek(candidate) if is_beyond(&candidate) => Step::Done,
            step => step,
        }
    }

    /// Inside if the key is in any box, and then as far as the farthest; else on to the nearest candidate.
    fn step_among(self, boxes: &[WalkBox], key: &[u8]) -> Result<Step> {
        let mut best = Step::Done;
        for walk_box in boxes {
            let step = match self {
                Self::Forward => walk_box.next(key)?,
                Self::Backward => walk_box.previous(key)?,
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

    /// The nearer and the farther of two keys, as seen by a scan with this heading.
    fn sort(self, one: Vec<u8>, other: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
        match (self, one <= other) {
            (Self::Forward, true) | (Self::Backward, false) => (one, other),
            (Self::Forward, false) | (Self::Backward, true) => (other, one),
        }
    }
}
