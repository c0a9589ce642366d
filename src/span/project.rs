//! From boxes over columns to boxes over the parts of the row key.

use std::collections::{BTreeMap, HashMap};

use super::boxes::{ColumnBox, Dimension, Dimensions};
use crate::datum::Datum;
use crate::key::{Domain, KeyPart, RowKey};
use crate::predicate::Predicate;

/// A product of domains, one for each key part in order. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PartBox {
    pub(super) domains: Vec<Domain>,
}

/// A row key with the dimensions of a predicate over its table.
#[derive(Debug)]
pub(super) struct Projection<'a> {
    pub(super) key: &'a RowKey,
    dimensions: Dimensions,
    /// What each part can be where nothing is restricted.
    natural: Vec<Domain>,
    /// Which parts tell the keys from those of other layouts: they count as restricted always.
    told: Vec<bool>,
    /// The bucket part, if nothing but literals stands before it: each bucket is one contiguous run.
    bucket_part: Option<usize>,
}

impl<'a> Projection<'a> {
    pub(super) fn new(key: &'a RowKey, dimensions: Dimensions) -> Self {
        let mut projection = Self {
            key,
            dimensions,
            natural: Vec::new(),
            told: (0..key.parts().len())
                .map(|position| key.is_told_by(position))
                .collect(),
            bucket_part: leading_bucket_part(key),
        };
        let unrestricted = ColumnBox::default();
        projection.natural = key
            .parts()
            .iter()
            .map(|part| projection.part_domain(part, &unrestricted))
            .collect();
        projection
    }

    /// The bucket part, if each bucket is one contiguous run.
    pub(super) fn bucket_part(&self) -> Option<usize> {
        self.bucket_part
    }

    /// The box of all keys.
    pub(super) fn everything(&self) -> PartBox {
        PartBox {
            domains: self.natural.clone(),
        }
    }

    /// Every value of the part at `position` where nothing is restricted.
    pub(super) fn natural(&self, position: usize) -> Option<&Domain> {
        self.natural.get(position)
    }

    /// Whether a box restricts nothing.
    pub(super) fn is_everything(&self, part_box: &PartBox) -> bool {
        part_box.domains == self.natural
    }

    /// Whether a box restricts the part at `position`: not every key that may be met has such a part.
    pub(super) fn restricts(&self, part_box: &PartBox, position: usize) -> bool {
        self.narrows(part_box, position) || self.told.get(position) == Some(&true)
    }

    /// Whether a box leaves out some of the values that the part at `position` can have.
    fn narrows(&self, part_box: &PartBox, position: usize) -> bool {
        part_box.domains.get(position) != self.natural.get(position)
    }

    /// The last part whose restriction can be taken from a box.
    pub(super) fn last_narrowed(&self, part_box: &PartBox) -> Option<usize> {
        (0..part_box.domains.len())
            .rev()
            .find(|position| self.narrows(part_box, *position))
    }

    /// The last part that a box restricts.
    pub(super) fn last_restricted(&self, part_box: &PartBox) -> Option<usize> {
        (0..part_box.domains.len())
            .rev()
            .find(|position| self.restricts(part_box, *position))
    }

    /// Adds the boxes over parts for a box over columns, and the dimensions that they do not prove.
    pub(super) fn project(
        &self,
        column_box: ColumnBox,
        part_boxes: &mut Vec<PartBox>,
        unproven: &mut BTreeMap<usize, String>,
    ) {
        let Some(sharpened) = self.sharpen(column_box) else {
            return;
        };
        let domains: Vec<Domain> = self
            .key
            .parts()
            .iter()
            .map(|part| self.part_domain(part, &sharpened))
            .collect();
        if domains.iter().any(Domain::is_empty) {
            return;
        }
        for (position, dimension) in self.dimensions.iter() {
            if let Some(domain) = sharpened.domains.get(&position)
                && !self.proves(&domains, &sharpened, dimension, domain)
            {
                unproven
                    .entry(position)
                    .or_insert_with(|| self.why_unproven(dimension));
            }
        }
        self.split_coarse(PartBox { domains }, &sharpened, part_boxes);
    }

    /// Lists of a column's values lose those that contradict what is said of transforms of the column.
    fn sharpen(&self, mut column_box: ColumnBox) -> Option<ColumnBox> {
        for (position, dimension) in self
            .dimensions
            .iter()
            .filter(|(_, dimension)| !dimension.is_column())
        {
            let [source] = dimension.sources.as_slice() else {
                continue;
            };
            let Some(column) = self.dimensions.column(*source) else {
                continue;
            };
            let own_part = |part: &KeyPart| part.computes(&dimension.expression);
            if self.key.parts().iter().any(own_part) {
                continue;
            }
            let (Some(listed), Some(allowed)) = (
                column_box.domains.get(&column).and_then(list),
                column_box.domains.get(&position),
            ) else {
                continue;
            };
            let fits = |value: &Option<Datum>| match dimension
                .transform
                .apply(std::slice::from_ref(value))
            {
                Ok(image) => allowed.contains(image.as_ref()),
                Err(_) => false,
            };
            let kept = domain_of(
                column_box.domains.get(&column)?,
                listed.into_iter().filter(fits),
            );
            if kept.is_empty() {
                return None;
            }
            column_box.domains.insert(column, kept);
        }
        Some(column_box)
    }

    /// What a box leaves of a part: a superset of the parts of its rows.
    fn part_domain(&self, part: &KeyPart, column_box: &ColumnBox) -> Domain {
        let transform = part.transform();
        let sources: Vec<Domain> = part
            .sources()
            .iter()
            .map(|source| self.column_domain(*source, column_box))
            .collect();
        let mut domain = transform
            .project(&sources.iter().collect::<Vec<_>>())
            .intersect(&part.universe());
        for (position, allowed) in &column_box.domains {
            let Some(dimension) = self.dimensions.get(*position) else {
                continue;
            };
            if part.computes(&dimension.expression) {
                domain = domain.intersect(allowed);
            } else if let Some((related, _)) = self.related(part, dimension, allowed) {
                domain = domain.intersect(&related);
            }
        }
        part.storable(domain)
    }

    fn column_domain(&self, column: usize, column_box: &ColumnBox) -> Domain {
        if let Some(domain) = self
            .dimensions
            .column(column)
            .and_then(|position| column_box.domains.get(&position))
        {
            return domain.clone();
        }
        match self.key.columns().get(column) {
            Some(column) => Domain::not_null(&column.sql_type).with_null(column.nullable),
            None => Domain::all(&crate::datum::SqlType::Bytea),
        }
    }

    /// What a restricted transform of the part's columns says about the part, and whether it says the same.
    fn related(
        &self,
        part: &KeyPart,
        dimension: &Dimension,
        allowed: &Domain,
    ) -> Option<(Domain, bool)> {
        if dimension.is_column() || dimension.sources != part.sources() {
            return None;
        }
        part.transform()
            .project_related(&dimension.expression, allowed)
    }

    /// Whether every row whose parts lie in `domains` has its value of `dimension` in `allowed`.
    fn proves(
        &self,
        domains: &[Domain],
        column_box: &ColumnBox,
        dimension: &Dimension,
        allowed: &Domain,
    ) -> bool {
        if dimension.universe.is_subset_of(allowed) {
            return true;
        }
        let by_part = self.key.parts().iter().zip(domains).any(|(part, domain)| {
            if part.computes(&dimension.expression) {
                return true;
            }
            if dimension.is_column() {
                return part.sources() == dimension.sources
                    && part_proves(part, domain, dimension, allowed);
            }
            self.related(part, dimension, allowed)
                .is_some_and(|(_, exact)| exact)
        });
        by_part || self.proves_by_column(domains, column_box, dimension)
    }

    /// A list of values from which [`Projection::sharpen`] took those that contradict the transform.
    fn proves_by_column(
        &self,
        domains: &[Domain],
        column_box: &ColumnBox,
        dimension: &Dimension,
    ) -> bool {
        let [source] = dimension.sources.as_slice() else {
            return false;
        };
        let Some(column) = self
            .dimensions
            .column(*source)
            .filter(|_| !dimension.is_column())
        else {
            return false;
        };
        match (self.dimensions.get(column), column_box.domains.get(&column)) {
            (Some(dimension), Some(domain)) => {
                list(domain).is_some() && self.proves(domains, column_box, dimension, domain)
            }
            _ => false,
        }
    }

    fn why_unproven(&self, dimension: &Dimension) -> String {
        let related: Vec<String> = self
            .key
            .parts()
            .iter()
            .filter(|part| {
                part.sources()
                    .iter()
                    .any(|source| dimension.sources.contains(source))
            })
            .filter(|part| part.transform().buckets().is_none())
            .map(|part| part.expression().to_string())
            .collect();
        if related.is_empty() {
            format!("{} is not in the row key", dimension.expression)
        } else {
            format!(
                "of {} the row key has only {}",
                dimension.expression,
                related.join(", ")
            )
        }
    }

    /// Splits a box at coarse parts before their column: where a coarse value lies wholly inside the column's domain,
    /// the later parts of that column need no look.
    fn split_coarse(
        &self,
        part_box: PartBox,
        column_box: &ColumnBox,
        part_boxes: &mut Vec<PartBox>,
    ) {
        let mut rim = part_box;
        for (position, part) in self.key.parts().iter().enumerate() {
            let [source] = part.sources() else { continue };
            let Some(column) = self.dimensions.column(*source) else {
                continue;
            };
            let Some(allowed) = column_box.domains.get(&column) else {
                continue;
            };
            let later = |other: &KeyPart| other.sources() == [*source];
            if part.restores().is_some() || !self.key.parts().iter().skip(position + 1).any(later) {
                continue;
            }
            let outside = self
                .column_domain(*source, &ColumnBox::default())
                .minus(allowed);
            let Some(coarse) = rim.domains.get(position) else {
                continue;
            };
            let inner = coarse.minus(&part.transform().project(&[&outside]));
            let edge = coarse.minus(&inner);
            if inner.is_empty() {
                continue;
            }
            let mut freed = column_box.clone();
            freed.domains.remove(&column);
            let mut wholly = rim.clone();
            for (index, other) in self
                .key
                .parts()
                .iter()
                .enumerate()
                .skip(position + 1)
                .filter(|(_, part)| later(part))
            {
                if let Some(domain) = wholly.domains.get_mut(index) {
                    *domain = self.part_domain(other, &freed);
                }
            }
            set(&mut wholly, position, inner);
            part_boxes.push(wholly);
            if edge.is_empty() {
                return;
            }
            set(&mut rim, position, edge);
        }
        part_boxes.push(rim);
    }

    /// For each part the one value that all boxes have there, if there is one.
    pub(super) fn constants(&self, boxes: &[PartBox]) -> Vec<Option<Option<Datum>>> {
        (0..self.key.parts().len())
            .map(|position| {
                let mut values = boxes
                    .iter()
                    .map(|part_box| only_value(part_box.domains.get(position)?));
                let first = values.next()??;
                values
                    .all(|value| value.as_ref() == Some(&first))
                    .then_some(first)
            })
            .collect()
    }

    /// The boxes of each bucket; all under `None` where buckets are not contiguous runs.
    ///
    /// A list of values of the one column that decides the bucket is dealt out, each to its own bucket.
    /// With them: whether all buckets share one list, so that the fan-out multiplies it.
    pub(super) fn by_bucket(
        &self,
        boxes: &[PartBox],
    ) -> (BTreeMap<Option<u32>, Vec<PartBox>>, bool) {
        let mut dealt: BTreeMap<Option<u32>, Vec<PartBox>> = BTreeMap::new();
        let mut shared = true;
        let Some((position, part)) = self
            .bucket_part
            .and_then(|position| Some((position, self.key.parts().get(position)?)))
        else {
            if !boxes.is_empty() {
                dealt.insert(None, boxes.to_vec());
            }
            return (dealt, shared);
        };
        for part_box in boxes {
            let buckets = part_box
                .domains
                .get(position)
                .and_then(|domain| domain.enumerate(usize::MAX));
            let lists = self.values_by_bucket(part, part_box);
            shared &= lists.is_none() && !self.restricts(part_box, position);
            for bucket in buckets.into_iter().flatten().flatten() {
                let Some(number) = bucket
                    .as_integer()
                    .and_then(|number| u32::try_from(number).ok())
                else {
                    continue;
                };
                let mut own = part_box.clone();
                if let Some((restoring, lists)) = &lists {
                    match lists.get(&number) {
                        Some(list) => set(&mut own, *restoring, list.clone()),
                        None => continue,
                    }
                }
                set(
                    &mut own,
                    position,
                    Domain::points(part.transform().value_type(), [bucket]),
                );
                dealt.entry(Some(number)).or_default().push(own);
            }
        }
        (dealt, shared)
    }

    /// Where a single source of the bucket varies over a list that a part holds: that part, and the list by bucket.
    fn values_by_bucket(
        &self,
        bucket: &KeyPart,
        part_box: &PartBox,
    ) -> Option<(usize, HashMap<u32, Domain>)> {
        let mut fixed: Vec<Option<Datum>> = Vec::new();
        let mut varying = None;
        for (index, source) in bucket.sources().iter().enumerate() {
            let restoring = self.key.restoring_part(*source)?;
            let part = self.key.parts().get(restoring)?;
            let values = list(part_box.domains.get(restoring)?)?;
            let restored =
                |value: Option<Datum>| value.and_then(|value| part.transform().inverse(&value));
            match values.as_slice() {
                [only] => fixed.push(restored(only.clone())),
                _ if varying.is_none() => {
                    varying = Some((index, restoring, values));
                    fixed.push(None);
                }
                _ => return None,
            }
        }
        let (index, restoring, values) = varying?;
        let part = self.key.parts().get(restoring)?;
        let mut lists: HashMap<u32, Vec<Option<Datum>>> = HashMap::new();
        for value in values {
            let mut sources = fixed.clone();
            *sources.get_mut(index)? = value
                .as_ref()
                .and_then(|value| part.transform().inverse(value));
            let Ok(Some(number)) = bucket.transform().apply(&sources) else {
                continue;
            };
            lists
                .entry(u32::try_from(number.as_integer()?).ok()?)
                .or_default()
                .push(value);
        }
        let domain = part_box.domains.get(restoring)?;
        let scattered: usize = lists.values().map(|values| values.len()).sum();
        if scattered > lists.len() * domain.intervals().len().max(1) * 2 {
            // A stretch of values is one range in each bucket; dealt out it would be many.
            return None;
        }
        let lists = lists
            .into_iter()
            .map(|(number, values)| (number, domain_of(domain, values.into_iter())));
        Some((restoring, lists.collect()))
    }

    /// Gives up the proof of every dimension that shares a column with one of these parts.
    pub(super) fn give_up(&self, widened: &[usize], unproven: &mut BTreeMap<usize, String>) {
        for part in widened
            .iter()
            .filter_map(|position| self.key.parts().get(*position))
        {
            for (position, dimension) in self.dimensions.iter() {
                if dimension
                    .sources
                    .iter()
                    .any(|source| part.sources().contains(source))
                {
                    unproven.insert(position, "budget".to_owned());
                }
            }
        }
    }

    /// For each conjunct why it is not proven: it is not understood or has a dimension that is not proven.
    pub(super) fn reasons(
        &self,
        conjuncts: &[Predicate],
        unproven: &BTreeMap<usize, String>,
    ) -> Vec<Option<String>> {
        let reason = |conjunct: &Predicate| {
            let mentioned = self.dimensions.mentioned(conjunct);
            let mut reasons: Vec<&str> = mentioned
                .iter()
                .filter_map(|position| unproven.get(position))
                .map(String::as_str)
                .collect();
            if conjunct.is_opaque() {
                reasons.push("not a condition on single columns that keys can answer");
            }
            reasons.dedup();
            (!reasons.is_empty()).then(|| reasons.join("; "))
        };
        conjuncts.iter().map(reason).collect()
    }
}

/// Joins boxes that differ in a single part, last parts first.
pub(super) fn merge(mut boxes: Vec<PartBox>) -> Vec<PartBox> {
    let parts = boxes.first().map_or(0, |part_box| part_box.domains.len());
    for position in (0..parts).rev() {
        if boxes.len() < 2 {
            break;
        }
        let mut order = Vec::new();
        let mut groups: HashMap<Vec<Domain>, Vec<Domain>> = HashMap::new();
        for mut part_box in boxes {
            let domain = part_box.domains.remove(position);
            let group = groups.entry(part_box.domains.clone()).or_insert_with(|| {
                order.push(part_box.domains);
                Vec::new()
            });
            group.push(domain);
        }
        boxes = order
            .into_iter()
            .filter_map(|mut domains| {
                let group = groups.remove(&domains)?;
                domains.insert(position, Domain::union_all(&group)?);
                Some(PartBox { domains })
            })
            .collect();
    }
    boxes
}

/// Whether a part in `domain` has its only source in `allowed`.
fn part_proves(part: &KeyPart, domain: &Domain, dimension: &Dimension, allowed: &Domain) -> bool {
    let transform = part.transform();
    if let Some(preimage) = transform.preimage(domain) {
        return preimage
            .intersect(&dimension.universe)
            .is_subset_of(allowed);
    }
    let outside = dimension.universe.minus(allowed);
    transform.project(&[&outside]).intersect(domain).is_empty()
}

/// The bucket part if nothing but literals stands before it.
fn leading_bucket_part(key: &RowKey) -> Option<usize> {
    let position = key.bucket_part()?;
    key.parts()
        .iter()
        .take(position)
        .all(|part| part.sources().is_empty())
        .then_some(position)
}

/// The values of a domain that was written as a list.
fn list(domain: &Domain) -> Option<Vec<Option<Datum>>> {
    domain.list(usize::MAX)
}

/// The only value of a domain, NULL being one.
fn only_value(domain: &Domain) -> Option<Option<Datum>> {
    match domain.enumerate(1)?.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// The domain of these values, of the type of `like`.
pub(super) fn domain_of(like: &Domain, values: impl Iterator<Item = Option<Datum>>) -> Domain {
    let mut null = false;
    let values: Vec<Datum> = values
        .filter_map(|value| {
            null |= value.is_none();
            value
        })
        .collect();
    Domain::points(like.sql_type(), values).with_null(null)
}

fn set(part_box: &mut PartBox, position: usize, domain: Domain) {
    if let Some(place) = part_box.domains.get_mut(position) {
        *place = domain;
    }
}
