//! From boxes over key parts to key ranges, or to a walk where there are too many.
//!
//! The values of all parts but the last restricted one are listed, and each list of values becomes a prefix. What the
//! prefix says about a later part is used: after the hour 10:00 only the column's values within that hour matter, after
//! `hash(c)` only those of its values with that hash. Where a column's domain reaches to the edge of the hour, the range
//! is opened to the end of the prefix, so that it meets its neighbour.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::explain::Bounds;
use super::project::{PartBox, Projection, merge};
use super::walk::Walk;
use super::{Run, Work};
use crate::datum::Datum;
use crate::error::Result;
use crate::key::{Cut, Direction, Domain, Interval, KeyPart, NullOrder};
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
    let mut listed = Vec::with_capacity(dealt.len());
    for boxes in dealt.values() {
        let limit = budget.max(spelled_out(boxes));
        let mut lister = Lister::new(projection, limit);
        listed.push(
            lister
                .list_all(boxes)?
                .then_some((lister.count, lister.ranges)),
        );
    }
    let counts = listed.iter().flatten().map(|(count, _)| *count);
    let counted = if shared {
        counts.max().unwrap_or(0)
    } else {
        counts.sum()
    };
    let within = listed.iter().all(Option::is_some) && counted <= budget;
    let mut runs = Vec::with_capacity(dealt.len());
    for ((bucket, boxes), ranges) in dealt.iter().zip(listed) {
        let work = match ranges {
            Some((_, ranges)) if within => Work::Ranges(KeyRangeSet::from_ranges(ranges)),
            Some((_, ranges)) => match Walk::over_ranges(KeyRangeSet::from_ranges(ranges)) {
                Some(walk) => Work::Walk(Arc::new(walk)),
                None => continue,
            },
            None if boxes.len() > WALK_BOXES => return Ok(None),
            None => match Walk::over_boxes(projection, boxes)? {
                Some(walk) => Work::Walk(Arc::new(walk)),
                None => continue,
            },
        };
        let nothing = matches!(&work, Work::Ranges(set) if set.is_empty());
        if !nothing {
            runs.push(Run {
                bucket: *bucket,
                work,
            });
        }
    }
    Ok(Some(runs))
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
        .filter_map(|part_box| projection.last_restricted(part_box))
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
    bounds: Option<Vec<Bounds>>,
    /// For a transform part and a later column part of the current box: the column's listed values by the transform's.
    images: HashMap<(usize, usize), HashMap<Option<Datum>, Domain>>,
}

impl<'a> Lister<'a> {
    fn new(projection: &'a Projection<'a>, limit: usize) -> Self {
        Self {
            projection,
            limit,
            count: 0,
            steps: 0,
            ranges: Vec::new(),
            bounds: None,
            images: HashMap::new(),
        }
    }

    /// Whether all boxes could be listed within the limit.
    fn list_all(&mut self, boxes: &[PartBox]) -> Result<bool> {
        for part_box in boxes {
            self.images.clear();
            let last = self.projection.last_restricted(part_box);
            if !self.list(part_box, last, &mut Vec::new(), &mut Vec::new())? {
                return Ok(false);
            }
        }
        Ok(true)
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
            return self.push(KeyRange::prefix(prefix), || {
                Bounds::prefix(self.projection.key, values)
            });
        }
        let parts = self.projection.key.parts();
        let (Some(part), Some(domain)) = (parts.get(depth), self.effective(part_box, values))
        else {
            return Ok(true);
        };
        if Some(depth) == last {
            return self.push_fields(part, &domain, prefix, values);
        }
        let room = self.limit.saturating_sub(self.count);
        let Some(listed) = domain
            .enumerate(room.max(1))
            .filter(|_| !has_gap(part, &domain))
        else {
            return Ok(false);
        };
        for value in listed {
            self.steps += 1;
            if self.steps / 16 > self.limit {
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
        self.ranges.push(range);
        if let Some(all) = &mut self.bounds {
            all.push(bounds());
        }
        Ok(true)
    }

    /// The ranges of the last restricted part.
    fn push_fields(
        &mut self,
        part: &KeyPart,
        domain: &Domain,
        prefix: &[u8],
        values: &[Option<Datum>],
    ) -> Result<bool> {
        if self.bounds.is_none() {
            for range in part.field_ranges(domain)?.ranges() {
                if !self.push(behind(prefix, range), Bounds::default)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        for piece in pieces(domain) {
            for range in part.field_ranges(&piece)?.ranges() {
                let key = self.projection.key;
                self.push(behind(prefix, range), || {
                    Bounds::fields(key, values, part, &piece)
                })?;
            }
        }
        Ok(true)
    }

    /// The domain of the part behind `values`, narrowed by what they say about it; `None` if nothing is left.
    fn effective(&mut self, part_box: &PartBox, values: &[Option<Datum>]) -> Option<Domain> {
        let depth = values.len();
        let key = self.projection.key;
        let part = key.parts().get(depth)?;
        let mut domain = part_box.domains.get(depth)?.clone();
        if let Some(value) = computed(self.projection, part, values) {
            return domain
                .contains(value.as_ref())
                .then(|| point(&domain, value));
        }
        for (position, earlier) in key.parts().iter().enumerate().take(depth) {
            let value = values.get(position)?;
            if earlier.restores().is_some()
                || !earlier
                    .sources()
                    .iter()
                    .any(|source| part.sources().contains(source))
            {
                continue;
            }
            domain = if earlier.sources() == part.sources() {
                self.narrowed(part_box, (position, depth), value, domain)
            } else {
                self.filtered(part, earlier, value, values, domain)
            };
            if domain.is_empty() {
                return None;
            }
        }
        (!domain.is_empty()).then_some(domain)
    }

    /// `domain` of a part, where an earlier transform of the same column has `value`.
    fn narrowed(
        &mut self,
        part_box: &PartBox,
        (position, depth): (usize, usize),
        value: &Option<Datum>,
        domain: Domain,
    ) -> Domain {
        let parts = self.projection.key.parts();
        let (Some(earlier), Some(part)) = (parts.get(position), parts.get(depth)) else {
            return domain;
        };
        let of_value = point(&earlier.universe(), value.clone());
        if let Some(sources) = earlier.transform().preimage(&of_value) {
            let possible = part.transform().project(&[&sources]);
            let narrowed = domain.intersect(&possible);
            return if narrowed.is_empty() {
                narrowed
            } else {
                opened(part, narrowed, &possible)
            };
        }
        if part.restores().is_none() {
            return domain;
        }
        let Some(list) = domain.list(usize::MAX) else {
            return domain;
        };
        // The list is that of the box as long as nothing narrowed it before; then it is sorted by image once.
        if part_box.domains.get(depth) != Some(&domain) {
            let kept = list
                .into_iter()
                .filter(|source| image(earlier, part, source).as_ref() == Some(value));
            return of(&domain, kept);
        }
        let images = self.images.entry((position, depth)).or_insert_with(|| {
            let mut lists: HashMap<Option<Datum>, Vec<Option<Datum>>> = HashMap::new();
            for source in list {
                if let Some(image) = image(earlier, part, &source) {
                    lists.entry(image).or_default().push(source);
                }
            }
            lists
                .into_iter()
                .map(|(image, sources)| (image, of(&domain, sources.into_iter())))
                .collect()
        });
        images
            .get(value)
            .cloned()
            .unwrap_or_else(|| Domain::empty(domain.sql_type()))
    }

    /// `domain` of a column's part, where an earlier transform of it and of other, known columns has `value`.
    fn filtered(
        &mut self,
        part: &KeyPart,
        earlier: &KeyPart,
        value: &Option<Datum>,
        values: &[Option<Datum>],
        domain: Domain,
    ) -> Domain {
        let (Some(column), Some(list)) = (part.restores(), domain.list(usize::MAX)) else {
            return domain;
        };
        let mut row = Vec::with_capacity(earlier.sources().len());
        for source in earlier.sources() {
            match known(self.projection, *source, values) {
                Some(value) => row.push(value),
                None if *source == column => row.push(None),
                None => return domain,
            }
        }
        let Some(place) = earlier
            .sources()
            .iter()
            .position(|source| *source == column)
        else {
            return domain;
        };
        self.steps += list.len();
        let kept = list.into_iter().filter(|candidate| {
            let mut row = row.clone();
            if let Some(slot) = row.get_mut(place) {
                *slot = candidate
                    .as_ref()
                    .and_then(|candidate| part.transform().inverse(candidate));
            }
            earlier
                .transform()
                .apply(&row)
                .is_ok_and(|image| image == *value)
        });
        of(&domain, kept)
    }
}

/// The longest interval of a column's values that is listed before a restricted part. Whether the values of a longer one
/// occur is better found out by walking: few of an hour's 3,600 seconds have a row.
const LISTED: i128 = 256;

/// Whether a column's domain has an interval that is too long to be listed. Coarse parts are always listed.
fn has_gap(part: &KeyPart, domain: &Domain) -> bool {
    let long = |interval: &Interval| {
        domain
            .ends_of(interval)
            .and_then(|(first, last)| Some(last.as_integer()? - first.as_integer()? >= LISTED))
    };
    part.restores().is_some()
        && domain
            .intervals()
            .iter()
            .any(|interval| long(interval) == Some(true))
}

/// The value of a part whose columns are all known from earlier parts.
fn computed(
    projection: &Projection<'_>,
    part: &KeyPart,
    values: &[Option<Datum>],
) -> Option<Option<Datum>> {
    if part.restores().is_some() || part.sources().is_empty() {
        return None;
    }
    let row: Option<Vec<Option<Datum>>> = part
        .sources()
        .iter()
        .map(|source| known(projection, *source, values))
        .collect();
    part.transform().apply(&row?).ok()
}

/// The value of a table's column, if a part of the prefix gives it back.
fn known(
    projection: &Projection<'_>,
    column: usize,
    values: &[Option<Datum>],
) -> Option<Option<Datum>> {
    let position = projection.key.restoring_part(column)?;
    let part = projection.key.parts().get(position)?;
    let value = values.get(position)?;
    Some(
        value
            .as_ref()
            .and_then(|value| part.transform().inverse(value)),
    )
}

/// The value of `earlier` for a value of `part`, which gives its only column back.
fn image(earlier: &KeyPart, part: &KeyPart, value: &Option<Datum>) -> Option<Option<Datum>> {
    let source = value
        .as_ref()
        .and_then(|value| part.transform().inverse(value));
    earlier.transform().apply(&[source]).ok()
}

/// Opens a domain that reaches to the edge of what is possible behind a prefix, so that its range ends where the
/// prefix does. What is added cannot occur there.
fn opened(part: &KeyPart, domain: Domain, possible: &Domain) -> Domain {
    let (Some(first), Some(last)) = (possible.intervals().first(), possible.intervals().last())
    else {
        return domain;
    };
    let mut intervals: Vec<Interval> = domain.intervals().to_vec();
    let (mut at_start, mut at_end) = (false, false);
    if let Some(own) = intervals.first_mut().filter(|own| own.start == first.start) {
        own.start = Cut::Start;
        at_start = true;
    }
    if let Some(own) = intervals.last_mut().filter(|own| own.end == last.end) {
        own.end = Cut::End;
        at_end = true;
    }
    let nulls_follow_end =
        (part.direction() == Direction::Ascending) == (part.nulls() == NullOrder::Last);
    let null =
        part.nullable() && !possible.has_null() && if nulls_follow_end { at_end } else { at_start };
    Domain::from_intervals(domain.sql_type(), intervals).with_null(null || domain.has_null())
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

fn point(like: &Domain, value: Option<Datum>) -> Domain {
    of(like, [value].into_iter())
}

fn of(like: &Domain, values: impl Iterator<Item = Option<Datum>>) -> Domain {
    let mut null = false;
    let values: Vec<Datum> = values
        .filter_map(|value| {
            null |= value.is_none();
            value
        })
        .collect();
    Domain::points(like.sql_type(), values).with_null(null)
}

/// A range of fields behind a prefix.
pub(super) fn behind(prefix: &[u8], fields: &KeyRange) -> KeyRange {
    let start = [prefix, fields.start()].concat();
    let stop = match fields.stop() {
        Some(stop) => Some([prefix, stop].concat()),
        None => crate::keyrange::prefix_successor(prefix),
    };
    KeyRange::new(start, stop).unwrap_or_else(|| KeyRange::prefix(prefix))
}
