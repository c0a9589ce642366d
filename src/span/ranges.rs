//! From boxes over key parts to key ranges, or to a walk where there are too many.
//!
//! The values of all parts but the last restricted one are listed, and each list of values becomes a prefix. What the
//! prefix says about a later part is used ([`super::narrow`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bounds::{Bounds, Shown};
use super::narrow::Narrowing;
use super::project::{PartBox, Projection, merge};
use super::walk::Walk;
use super::{Run, Work};
use crate::datum::Datum;
use crate::error::Result;
use crate::key::{Cut, Domain, Interval, KeyPart, Transform};
use crate::keyrange::{KeyRange, KeyRangeSet};

/// The most boxes that a walk looks at for each step.
const WALK_BOXES: usize = 64;

/// The boxes of each run.
pub(super) type Dealt = BTreeMap<Option<u32>, Vec<PartBox>>;

/// The runs for these boxes; `None` if they are too many for ranges and for a walk.
pub(super) fn runs(
    projection: &Projection<'_>,
    dealt: &Dealt,
    shared: bool,
    budget: usize,
) -> Result<Option<Vec<Run>>> {
    let Some(listed) = list_each(projection, dealt, shared, budget)? else {
        return Ok(None);
    };
    let counts = listed.iter().flatten().map(|listed| listed.count);
    let counted = if shared {
        counts.max().unwrap_or(0)
    } else {
        counts.sum()
    };
    let within = listed.iter().all(Option::is_some) && counted <= budget;
    let are_points = within && Listed::are_points(&listed);
    let mut runs = Vec::with_capacity(dealt.len());
    let set_of = |ranges| KeyRangeSet::of_layout(ranges, |bytes| projection.key.is_whole(bytes));
    for ((bucket, boxes), listed) in dealt.iter().zip(listed) {
        let work = match listed {
            Some(listed) if are_points => Work::Points(listed.points()),
            Some(listed) if within => Work::Ranges(set_of(listed.ranges)),
            Some(listed) => match Walk::over_ranges(set_of(listed.ranges)) {
                Some(walk) => Work::Walk(Arc::new(walk)),
                None => continue,
            },
            None => match Walk::over_boxes(projection, boxes)? {
                Some(walk) => Work::Walk(Arc::new(walk)),
                None => continue,
            },
        };
        let nothing = match &work {
            Work::Points(keys) => keys.is_empty(),
            Work::Ranges(set) => set.is_empty(),
            Work::Walk(_) => false,
        };
        if !nothing {
            runs.push(Run {
                bucket: *bucket,
                work,
            });
        }
    }
    Ok(Some(runs))
}

/// The ranges of one bucket.
struct Listed {
    /// How many were listed.
    count: usize,
    ranges: Vec<KeyRange>,
    /// The row keys in them, where all are known.
    keys: Option<Vec<Vec<u8>>>,
}

impl Listed {
    /// Whether looking for each key is better than reading ranges: all keys are known, and few are neighbours, which are
    /// quicker read than found one by one.
    fn are_points(listed: &[Option<Self>]) -> bool {
        let listed = listed.iter().flatten();
        let keys = listed.clone().map(|one| Some(one.keys.as_ref()?.len()));
        let ranges: usize = listed.map(|one| one.ranges.len()).sum();
        keys.sum::<Option<usize>>()
            .is_some_and(|keys| keys < 2 * ranges)
    }

    /// All keys, where they are known.
    fn points(self) -> Arc<[Vec<u8>]> {
        let mut keys = self.keys.unwrap_or_default();
        keys.sort_unstable();
        keys.dedup();
        keys.into()
    }
}

/// The ranges of each bucket, in order. A bucket has none where they are too many, and then no other one that can be
/// walked: the walk of its boxes is as exact. `None` where a bucket can be neither listed nor walked.
fn list_each(
    projection: &Projection<'_>,
    dealt: &Dealt,
    shared: bool,
    budget: usize,
) -> Result<Option<Vec<Option<Listed>>>> {
    let mut listed = Vec::with_capacity(dealt.len());
    let mut all_walk = false;
    for boxes in dealt.values() {
        let limit = budget.max(spelled_out(boxes));
        let mut lister = Lister::new(projection, limit);
        let can_walk = boxes.len() <= WALK_BOXES;
        let is_hopeless = shared && lister.certain_of_all(boxes)? / dealt.len() > limit;
        let own = if is_hopeless || all_walk && can_walk {
            None
        } else {
            let within = lister.list_all(boxes)?;
            within.then_some(Listed {
                count: lister.count,
                ranges: lister.ranges,
                keys: lister.keys,
            })
        };
        if own.is_none() && !can_walk {
            return Ok(None);
        }
        all_walk |= own.is_none();
        listed.push(own);
    }
    Ok(Some(listed))
}

/// The number of values and bounds that the boxes themselves hold: a list as long as that is no blow-up.
fn spelled_out(boxes: &[PartBox]) -> usize {
    let values = |part_box: &PartBox| {
        part_box
            .domains
            .iter()
            .map(|domain| domain.intervals().len())
            .sum::<usize>()
    };
    boxes.iter().map(values).sum()
}

/// Takes the restriction of the last restricted part from all boxes; `None` where there is none left.
pub(super) fn widen(
    projection: &Projection<'_>,
    boxes: Vec<PartBox>,
) -> Option<(Vec<PartBox>, usize)> {
    let last = boxes
        .iter()
        .filter_map(|part_box| projection.last_narrowed(part_box))
        .max()?;
    let natural = projection.everything().domains.get(last)?.clone();
    let wider = boxes.into_iter().map(|mut part_box| {
        if let Some(domain) = part_box.domains.get_mut(last) {
            *domain = natural.clone();
        }
        part_box
    });
    Some((merge(wider.collect()), last))
}

/// The ranges of boxes with bounds for people.
pub(super) fn explained(
    projection: &Projection<'_>,
    boxes: &[PartBox],
) -> Result<Vec<(KeyRange, Bounds)>> {
    let mut lister = Lister::new(projection, usize::MAX);
    lister.bounds = Some(Vec::new());
    lister.list_all(boxes)?;
    Ok(lister
        .ranges
        .into_iter()
        .zip(lister.bounds.unwrap_or_default())
        .collect())
}

/// Lists the ranges of boxes up to a limit.
struct Lister<'a> {
    projection: &'a Projection<'a>,
    limit: usize,
    count: usize,
    /// Prefixes tried; dead ends count too.
    steps: usize,
    ranges: Vec<KeyRange>,
    /// The row keys in `ranges`, as long as these hold few keys each.
    keys: Option<Vec<Vec<u8>>>,
    bounds: Option<Vec<Bounds>>,
    narrowing: Narrowing<'a>,
}

impl<'a> Lister<'a> {
    fn new(projection: &'a Projection<'a>, limit: usize) -> Self {
        Self {
            projection,
            limit,
            count: 0,
            steps: 0,
            ranges: Vec::new(),
            keys: Some(Vec::new()),
            bounds: None,
            narrowing: Narrowing::new(projection),
        }
    }

    /// Whether all boxes could be listed within the limit.
    fn list_all(&mut self, boxes: &[PartBox]) -> Result<bool> {
        if self.projection.bucket_part().is_none() && self.certain_of_all(boxes)? > self.limit {
            return Ok(false);
        }
        for part_box in boxes {
            self.narrowing.begin_box();
            let last = self.projection.last_restricted(part_box);
            #[cfg(any(test, feature = "testing"))]
            let last = super::faulty_last(last);
            if !self.list(part_box, last, &mut Vec::new(), &mut Vec::new())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The sum of [`Lister::certain`], as far as the limit has not been passed many times.
    fn certain_of_all(&self, boxes: &[PartBox]) -> Result<usize> {
        let mut certain = 0_usize;
        for part_box in boxes {
            certain = certain.saturating_add(self.certain(part_box)?);
        }
        Ok(certain)
    }

    /// So many ranges a box has at least in all buckets together, as far as that can be told without listing them: where
    /// no part but the bucket says anything about another one, they are a product, of which each bucket has a share.
    fn certain(&self, part_box: &PartBox) -> Result<usize> {
        let parts = self.projection.key.parts();
        let bucket = self.projection.bucket_part();
        let alone = |(position, part): (usize, &KeyPart)| {
            part.restores().is_some() || part.sources().is_empty() || Some(position) == bucket
        };
        let last = match self.projection.last_restricted(part_box) {
            Some(last) if parts.iter().enumerate().take(last + 1).all(alone) => last,
            _ => return Ok(0),
        };
        let count = |domain: &Domain| domain.intervals().len() + usize::from(domain.has_null());
        let prefixes = part_box.domains.iter().take(last).map(count);
        let prefixes = prefixes.fold(1, usize::saturating_mul);
        match (parts.get(last), part_box.domains.get(last)) {
            (Some(part), Some(domain)) if prefixes.saturating_mul(count(domain)) > self.limit => {
                Ok(prefixes.saturating_mul(part.field_ranges(domain)?.ranges().len()))
            }
            _ => Ok(prefixes),
        }
    }

    /// Lists what follows a prefix; `values` are the values of its parts.
    fn list(
        &mut self,
        part_box: &PartBox,
        last: Option<usize>,
        prefix: &mut Vec<u8>,
        values: &mut Vec<Option<Datum>>,
    ) -> Result<bool> {
        let depth = values.len();
        if last.is_none_or(|last| depth > last) {
            self.keys = None;
            return self.push(KeyRange::prefix(prefix), || {
                Bounds::prefix(self.projection.key, values)
            });
        }
        let parts = self.projection.key.parts();
        let narrowed = self.narrowing.domain(part_box, values, Some(depth) == last);
        let (Some(part), Some(domain)) = (parts.get(depth), narrowed) else {
            return Ok(true);
        };
        if Some(depth) == last {
            return self.push_fields(part, &domain, prefix, values);
        }
        let room = self.limit.saturating_sub(self.count);
        let Some(listed) = listed(part, &domain, room.max(1)) else {
            return Ok(false);
        };
        for value in listed {
            self.steps += 1;
            if (self.steps + self.narrowing.looked_at) / 16 > self.limit.max(LEAST_STEPS) {
                return Ok(false);
            }
            let length = prefix.len();
            part.encode(value.as_ref(), prefix)?;
            values.push(value);
            let within = self.list(part_box, last, prefix, values)?;
            values.pop();
            prefix.truncate(length);
            if !within {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn push(&mut self, range: KeyRange, bounds: impl FnOnce() -> Bounds) -> Result<bool> {
        self.count += 1;
        if self.count > self.limit {
            return Ok(false);
        }
        #[cfg(any(test, feature = "testing"))]
        let range = super::faulty_range(range);
        self.ranges.push(range);
        if let Some(all) = &mut self.bounds {
            all.push(bounds());
        }
        Ok(true)
    }

    /// The row keys that end with these fields, if the part is the last one of the key and no interval is long.
    fn list_keys(&mut self, part: &KeyPart, domain: &Domain, prefix: &[u8], depth: usize) {
        let key = self.projection.key;
        let is_last = depth + 1 == key.parts().len() && !key.goes_on();
        let most = 2 * domain.intervals().len() + usize::from(domain.has_null());
        let (Some(keys), Some(fields)) = (
            self.keys.as_mut().filter(|_| is_last),
            domain.enumerate(most),
        ) else {
            self.keys = None;
            return;
        };
        for field in fields {
            let mut key = prefix.to_vec();
            if part.encode(field.as_ref(), &mut key).is_err() {
                self.keys = None;
                return;
            }
            keys.push(key);
        }
    }

    /// The ranges of the last restricted part.
    fn push_fields(
        &mut self,
        part: &KeyPart,
        domain: &Domain,
        prefix: &[u8],
        values: &[Option<Datum>],
    ) -> Result<bool> {
        self.list_keys(part, domain, prefix, values.len());
        if self.bounds.is_none() {
            for range in part.field_ranges(domain)?.ranges() {
                if !self.push(range.behind(prefix), Bounds::default)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        for piece in pieces(domain) {
            for range in part.field_ranges(&piece)?.ranges() {
                let (projection, position) = (self.projection, values.len());
                self.push(range.behind(prefix), || {
                    let part = Shown {
                        part,
                        natural: projection.natural(position),
                    };
                    Bounds::fields(projection.key, values, &part, &piece)
                })?;
            }
        }
        Ok(true)
    }
}

/// However small the budget, so many prefixes may be tried for each of 16 ranges.
const LEAST_STEPS: usize = 1_000;

/// The longest interval of a column's values that is listed before a restricted part. Whether the values of a longer one
/// occur is better found out by walking: few of an hour's 3,600 seconds have a row.
const LISTED: i128 = 256;

/// The values of a part before a restricted one, at most `limit`; `None` where there are more or no end to them.
fn listed(part: &KeyPart, domain: &Domain, limit: usize) -> Option<Vec<Option<Datum>>> {
    let points = domain
        .intervals()
        .iter()
        .all(|interval| domain.point_of(interval).is_some());
    if points {
        return domain.enumerate(limit);
    }
    if part.restores().is_some() {
        let long = |interval: &Interval| {
            let (first, last) = domain.ends_of(interval)?;
            let steps = last.as_integer()?.checked_sub(first.as_integer()?);
            Some(steps.is_none_or(|steps| steps >= LISTED))
        };
        let gap = domain
            .intervals()
            .iter()
            .any(|interval| long(interval) == Some(true));
        return if gap { None } else { domain.enumerate(limit) };
    }
    coarse_values(part, domain, limit).or_else(|| domain.enumerate(limit))
}

/// The values of a coarse part: an interval of hours is given in the column's unit, so it is stepped through from the
/// first source of one value to the first behind all of its sources. `None` where sources cannot be told, or values are
/// too many.
fn coarse_values(part: &KeyPart, domain: &Domain, limit: usize) -> Option<Vec<Option<Datum>>> {
    let transform = part.transform();
    let mut sources = transform.preimage(&domain.clone().with_null(false))?;
    let limit = match sources.sql_type().limits() {
        Some(_) => limit,
        // Between two texts there may be a million others, and behind the last one there is no end.
        None if sources.intervals().last()?.end == Cut::End => return None,
        None => limit.min(usize::try_from(LISTED).ok()?),
    };
    let last = last_value(transform, &sources);
    let mut values = Vec::new();
    while let Some(first) = sources.intervals().first() {
        let value = transform.apply(&[Some(sources.first_of(first)?)]).ok()??;
        let own = Domain::points(transform.value_type(), [value.clone()]);
        sources = sources.minus(&transform.preimage(&own)?);
        values.push(Some(value));
        if values.len() > limit || values.len() == 2 && are_beyond(limit, &values, last) {
            return None;
        }
    }
    if domain.has_null() {
        values.push(None);
    }
    Some(values)
}

/// The greatest value of a part, where its sources are one interval in the same order.
fn last_value(transform: &dyn Transform, sources: &Domain) -> Option<i128> {
    let [interval] = sources.intervals() else {
        return None;
    };
    if !transform.preserves_order() {
        return None;
    }
    let (_, last) = sources.ends_of(interval)?;
    transform.apply(&[Some(last)]).ok()??.as_integer()
}

/// Whether values that go on as the first two of them do, up to the last one, are certainly more than the limit; months
/// are not all equally long.
fn are_beyond(limit: usize, values: &[Option<Datum>], last: Option<i128>) -> bool {
    let integer = |at: usize| values.get(at)?.as_ref()?.as_integer();
    let count = || {
        let (first, second) = (integer(0)?, integer(1)?);
        let step = second.checked_sub(first).filter(|step| *step > 0)?;
        last?.checked_sub(first)?.checked_div(step)
    };
    let least = i128::try_from(limit).unwrap_or(i128::MAX).saturating_mul(2);
    count().is_some_and(|count| count > least)
}

/// Each interval of a domain, and NULL, by itself.
fn pieces(domain: &Domain) -> Vec<Domain> {
    let alone = |interval: &Interval| Domain::from_intervals(domain.sql_type(), [interval.clone()]);
    let mut pieces: Vec<Domain> = domain.intervals().iter().map(alone).collect();
    if domain.has_null() {
        pieces.push(Domain::only_null(domain.sql_type()));
    }
    pieces
}
