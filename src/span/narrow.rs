//! What the values of a key's first parts say about the next one.
//!
//! A row's parts are computed from the same columns, so they are not independent: after the hour 10:00 only the column's
//! values within that hour occur, after `hash(c)` only those of its values with that hash. Using that makes fewer
//! ranges; it is never needed for correctness.

use std::borrow::Cow;
use std::collections::HashMap;

use super::project::{PartBox, Projection, domain_of};
use crate::datum::Datum;
use crate::key::{Cut, Domain, Interval, KeyPart, NullOrder, SortOrder};

/// The column's listed values by the value of a transform of it.
type Images = HashMap<Option<Datum>, Domain>;

/// Narrows the domains of one box after another.
pub(super) struct Narrowing<'a> {
    projection: &'a Projection<'a>,
    /// By the positions of the transform's part and the column's.
    images: HashMap<(usize, usize), Images>,
    /// How many values were looked at.
    pub(super) looked_at: usize,
}

impl<'a> Narrowing<'a> {
    pub(super) fn new(projection: &'a Projection<'a>) -> Self {
        Self {
            projection,
            images: HashMap::new(),
            looked_at: 0,
        }
    }

    /// Forgets what was worked out for the box before.
    pub(super) fn begin_box(&mut self) {
        self.images.clear();
    }

    /// The domain of the part behind `values`, narrowed by them; `None` if nothing is left. Where the part is the last
    /// one that matters, a domain that reaches to the edge of what is possible is opened to the end of the prefix.
    pub(super) fn domain<'b>(
        &mut self,
        part_box: &'b PartBox,
        values: &[Option<Datum>],
        last: bool,
    ) -> Option<Cow<'b, Domain>> {
        let depth = values.len();
        let parts = self.projection.key.parts();
        let part = parts.get(depth)?;
        let base = part_box.domains.get(depth)?;
        if let Some(value) = self.computed(part, values) {
            let only = || Cow::Owned(domain_of(base, [value.clone()].into_iter()));
            return base.contains(value.as_ref()).then(only);
        }
        let mut domain = Cow::Borrowed(base);
        for (position, (earlier, value)) in parts.iter().zip(values).enumerate() {
            let shares = |source| part.sources().contains(source);
            if earlier.restores().is_some() || !earlier.sources().iter().any(shares) {
                continue;
            }
            let narrowed = if earlier.sources() != part.sources() {
                self.filtered(part, earlier, value, values, &domain)
            } else if let Some(possible) = possible(part, earlier, value) {
                let narrowed = domain.intersect(&possible);
                Some(if last {
                    opened(part, narrowed, &possible)
                } else {
                    narrowed
                })
            } else if part.restores().is_some() {
                match &domain {
                    Cow::Borrowed(whole) => self.with_image((position, depth), value, whole),
                    Cow::Owned(narrowed) => self.filtered_by_image(part, earlier, value, narrowed),
                }
            } else {
                None
            };
            if let Some(narrowed) = narrowed {
                // More intervals make more ranges, and between them nothing occurs behind this prefix.
                let fewer = narrowed.intervals().len() <= domain.intervals().len();
                if fewer || !last {
                    domain = Cow::Owned(narrowed);
                }
            }
            if domain.is_empty() {
                return None;
            }
        }
        (!domain.is_empty()).then_some(domain)
    }

    /// The values in `narrowed` for which `earlier` has `value`; `None` where they cannot be listed.
    fn filtered_by_image(
        &mut self,
        part: &KeyPart,
        earlier: &KeyPart,
        value: &Option<Datum>,
        narrowed: &Domain,
    ) -> Option<Domain> {
        let fits = |source: &Option<Datum>| image(earlier, part, source).as_ref() == Some(value);
        let list = narrowed.list(usize::MAX)?;
        self.looked_at += list.len();
        Some(domain_of(narrowed, list.into_iter().filter(fits)))
    }

    /// The same of `domain`, the box's own, for the part at `position`: its list is sorted by image once.
    fn with_image(
        &mut self,
        (position, depth): (usize, usize),
        value: &Option<Datum>,
        domain: &Domain,
    ) -> Option<Domain> {
        let parts = self.projection.key.parts();
        let (earlier, part) = (parts.get(position)?, parts.get(depth)?);
        if !self.images.contains_key(&(position, depth)) {
            let list = domain.list(usize::MAX)?;
            self.looked_at += list.len();
            self.images
                .insert((position, depth), by_image(earlier, part, domain, list));
        }
        let images = self.images.get(&(position, depth))?;
        Some(
            images
                .get(value)
                .cloned()
                .unwrap_or_else(|| Domain::empty(domain.sql_type())),
        )
    }

    /// The values in `domain` of a column for which an earlier transform of it and of other, known columns has `value`.
    fn filtered(
        &mut self,
        part: &KeyPart,
        earlier: &KeyPart,
        value: &Option<Datum>,
        values: &[Option<Datum>],
        domain: &Domain,
    ) -> Option<Domain> {
        let column = part.restores()?;
        let mut row = Vec::with_capacity(earlier.sources().len());
        for source in earlier.sources() {
            row.push(if *source == column {
                None
            } else {
                self.known(*source, values)?
            });
        }
        let list = domain.list(usize::MAX)?;
        self.looked_at += list.len();
        let fits = |candidate: &Option<Datum>| {
            let restored = candidate
                .as_ref()
                .and_then(|candidate| part.transform().inverse(candidate));
            let filled: Vec<Option<Datum>> = earlier
                .sources()
                .iter()
                .zip(&row)
                .map(|(source, known)| {
                    if *source == column {
                        restored.clone()
                    } else {
                        known.clone()
                    }
                })
                .collect();
            earlier
                .transform()
                .apply(&filled)
                .is_ok_and(|image| image == *value)
        };
        Some(domain_of(domain, list.into_iter().filter(fits)))
    }

    /// The value of a part whose columns are all known from earlier parts.
    fn computed(&self, part: &KeyPart, values: &[Option<Datum>]) -> Option<Option<Datum>> {
        if part.restores().is_some() || part.sources().is_empty() {
            return None;
        }
        let row: Option<Vec<Option<Datum>>> = part
            .sources()
            .iter()
            .map(|source| self.known(*source, values))
            .collect();
        part.transform().apply(&row?).ok()
    }

    /// The value of a table's column, if a part of the prefix gives it back.
    fn known(&self, column: usize, values: &[Option<Datum>]) -> Option<Option<Datum>> {
        let position = self.projection.key.restoring_part(column)?;
        let part = self.projection.key.parts().get(position)?;
        let value = values.get(position)?;
        Some(
            value
                .as_ref()
                .and_then(|value| part.transform().inverse(value)),
        )
    }
}

fn by_image(
    earlier: &KeyPart,
    part: &KeyPart,
    domain: &Domain,
    list: Vec<Option<Datum>>,
) -> Images {
    let mut lists: HashMap<Option<Datum>, Vec<Option<Datum>>> = HashMap::new();
    for source in list {
        if let Some(image) = image(earlier, part, &source) {
            lists.entry(image).or_default().push(source);
        }
    }
    let domains = lists.into_iter();
    domains
        .map(|(image, sources)| (image, domain_of(domain, sources.into_iter())))
        .collect()
}

/// The value of `earlier` for a value of `part`, which gives its only column back.
fn image(earlier: &KeyPart, part: &KeyPart, value: &Option<Datum>) -> Option<Option<Datum>> {
    let source = value
        .as_ref()
        .and_then(|value| part.transform().inverse(value));
    earlier.transform().apply(&[source]).ok()
}

/// What `part` can be where an earlier transform of its only column has `value`, if the transform can tell.
fn possible(part: &KeyPart, earlier: &KeyPart, value: &Option<Datum>) -> Option<Domain> {
    let of_value = domain_of(&earlier.universe(), [value.clone()].into_iter());
    let sources = earlier.transform().preimage(&of_value)?;
    Some(part.transform().project(&[&sources]))
}

/// Opens a domain that reaches to the edge of what is possible behind a prefix, so that its range ends where the
/// prefix does and meets its neighbour. What is added cannot occur there.
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
        (part.direction() == SortOrder::Ascending) == (part.nulls() == NullOrder::Last);
    let null =
        part.nullable() && !possible.has_null() && if nulls_follow_end { at_end } else { at_start };
    Domain::from_intervals(domain.sql_type(), intervals).with_null(null || domain.has_null())
}
