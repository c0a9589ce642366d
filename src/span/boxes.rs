//! From a predicate to a union of boxes over the expressions that it restricts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::datum::Datum;
use crate::error::Result;
use crate::key::{Domain, Expression, RowKey, Transform};
use crate::predicate::Predicate;

/// An expression that the predicate restricts: a column, or a transform of columns.
#[derive(Debug)]
pub(super) struct Dimension {
    /// What is restricted.
    pub(super) expression: Expression,
    /// Its function, to be computed from the values of its columns.
    pub(super) transform: Arc<dyn Transform>,
    /// The table's columns that it is computed from.
    pub(super) sources: Vec<usize>,
    /// Every value that it can have.
    pub(super) universe: Domain,
    /// The first key part that shares a column with it; none: the number of parts.
    depth: usize,
}

impl Dimension {
    /// Whether it is a column.
    pub(super) fn is_column(&self) -> bool {
        self.expression.as_column().is_some()
    }
}

/// All dimensions of a predicate; boxes refer to them by position.
#[derive(Debug, Default)]
pub(super) struct Dimensions {
    list: Vec<Dimension>,
    leaves: usize,
}

impl Dimensions {
    /// The expressions that `conjuncts` restrict.
    pub(super) fn of(key: &RowKey, conjuncts: &[Predicate]) -> Result<Self> {
        let mut dimensions = Self::default();
        let mut found = Vec::new();
        for conjunct in conjuncts {
            conjunct.for_each_member(&mut |expression, _| {
                dimensions.leaves += 1;
                if !found.contains(&expression) {
                    found.push(expression);
                }
            });
        }
        for expression in found {
            let (transform, sources) = expression.bind(key.columns())?;
            let nullable = transform.passes_null()
                && sources.iter().any(|source| {
                    key.columns()
                        .get(*source)
                        .is_some_and(|column| column.nullable)
                });
            let shares = |part: &crate::key::KeyPart| {
                part.sources().iter().any(|source| sources.contains(source))
            };
            dimensions.list.push(Dimension {
                expression: expression.clone(),
                universe: Domain::not_null(transform.value_type()).with_null(nullable),
                depth: key
                    .parts()
                    .iter()
                    .position(shares)
                    .unwrap_or(key.parts().len()),
                transform,
                sources,
            });
        }
        Ok(dimensions)
    }

    /// The dimensions with their positions.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Dimension)> {
        self.list.iter().enumerate()
    }

    /// The dimension at a position.
    pub(super) fn get(&self, position: usize) -> Option<&Dimension> {
        self.list.get(position)
    }

    /// The position of an expression.
    pub(super) fn position(&self, expression: &Expression) -> Option<usize> {
        self.list
            .iter()
            .position(|dimension| dimension.expression == *expression)
    }

    /// The position of the table's column at `column`.
    pub(super) fn column(&self, column: usize) -> Option<usize> {
        self.list
            .iter()
            .position(|dimension| dimension.is_column() && dimension.sources == [column])
    }

    /// The positions of all expressions that `predicate` restricts.
    pub(super) fn mentioned(&self, predicate: &Predicate) -> BTreeSet<usize> {
        let mut mentioned = BTreeSet::new();
        predicate.for_each_member(&mut |expression, _| mentioned.extend(self.position(expression)));
        mentioned
    }
}

/// A product of domains; a dimension that is not listed is not restricted. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ColumnBox {
    /// The domains by the position of their dimension.
    pub(super) domains: BTreeMap<usize, Domain>,
}

impl ColumnBox {
    /// The product of both, unless it is empty.
    fn intersect(&self, other: &Self) -> Option<Self> {
        let mut narrowed = Vec::with_capacity(other.domains.len());
        for (position, domain) in &other.domains {
            let both = match self.domains.get(position) {
                Some(own) => own.intersect(domain),
                None => domain.clone(),
            };
            if both.is_empty() {
                return None;
            }
            narrowed.push((*position, both));
        }
        let mut both = self.clone();
        both.domains.extend(narrowed);
        Some(both)
    }

    /// The only value of a dimension, where there is one and it is not NULL.
    fn point(&self, position: usize) -> Option<Datum> {
        self.domains.get(&position)?.single()
    }
}

/// Boxes of a union by the value that they have of one dimension, so that those which meet another box are found.
struct Indexed<'a> {
    boxes: &'a [ColumnBox],
    dimension: usize,
    /// The places of those that have one value.
    points: HashMap<Datum, Vec<usize>>,
    /// The places of the others.
    others: Vec<usize>,
}

impl<'a> Indexed<'a> {
    /// By the dimension of which most of them have one value.
    fn new(boxes: &'a [ColumnBox]) -> Self {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for (position, _) in boxes.iter().flat_map(|it| &it.domains) {
            *counts.entry(*position).or_default() += 0;
        }
        for (position, count) in &mut counts {
            *count = boxes
                .iter()
                .filter(|it| it.point(*position).is_some())
                .count();
        }
        let most = counts
            .into_iter()
            .max_by_key(|(position, count)| (*count, usize::MAX - position));
        let mut indexed = Self {
            boxes,
            dimension: most.map_or(0, |(position, _)| position),
            points: HashMap::new(),
            others: Vec::new(),
        };
        for (place, own) in boxes.iter().enumerate() {
            match own.point(indexed.dimension) {
                Some(point) => indexed.points.entry(point).or_default().push(place),
                None => indexed.others.push(place),
            }
        }
        indexed
    }

    /// Those that may meet `other`, in their order.
    fn meeting(&self, other: &ColumnBox) -> Vec<&'a ColumnBox> {
        let Some(point) = other.point(self.dimension) else {
            return self.boxes.iter().collect();
        };
        let points = self
            .points
            .get(&point)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut places = [points, &self.others].concat();
        places.sort_unstable();
        places
            .into_iter()
            .filter_map(|place| self.boxes.get(place))
            .collect()
    }
}

/// A term of an AND: the first key part that it restricts, its boxes, and itself.
type Factor<'a> = (usize, Vec<ColumnBox>, &'a Predicate);

/// Expands a predicate into boxes, bounded while it does so.
#[derive(Debug)]
pub(super) struct Expansion<'a> {
    dimensions: &'a Dimensions,
    /// The most boxes: the budget, or as many as the predicate itself spells out.
    limit: usize,
    lost: BTreeSet<usize>,
}

impl<'a> Expansion<'a> {
    /// For predicates over these dimensions.
    pub(super) fn new(dimensions: &'a Dimensions, budget: usize) -> Self {
        Self {
            dimensions,
            limit: budget.max(dimensions.leaves),
            lost: BTreeSet::new(),
        }
    }

    /// The dimensions whose restriction was given up, with the reason.
    pub(super) fn lost_for(&self, reason: &str) -> BTreeMap<usize, String> {
        self.lost
            .iter()
            .map(|position| (*position, reason.to_owned()))
            .collect()
    }

    /// Boxes that together hold every row of all `conjuncts`, and no other but for what is opaque or given up.
    pub(super) fn expand_all(&mut self, conjuncts: &[Predicate]) -> Vec<ColumnBox> {
        let mut terms = Vec::with_capacity(conjuncts.len());
        for conjunct in conjuncts {
            match conjunct {
                Predicate::All(inner) => terms.extend(inner),
                other => terms.push(other),
            }
        }
        self.all(&terms)
    }

    fn expand(&mut self, predicate: &Predicate) -> Vec<ColumnBox> {
        match predicate {
            Predicate::Constant(false) => Vec::new(),
            Predicate::Constant(true) | Predicate::Opaque => vec![ColumnBox::default()],
            Predicate::Member(expression, domain) => self.member(expression, domain),
            Predicate::All(terms) => self.all(&terms.iter().collect::<Vec<_>>()),
            Predicate::Any(terms) => self.any(terms),
        }
    }

    fn member(&self, expression: &Expression, domain: &Domain) -> Vec<ColumnBox> {
        let Some(position) = self.dimensions.position(expression) else {
            return vec![ColumnBox::default()];
        };
        let universe = self
            .dimensions
            .get(position)
            .map(|dimension| &dimension.universe);
        let domain = universe.map_or_else(|| domain.clone(), |universe| domain.intersect(universe));
        if domain.is_empty() {
            return Vec::new();
        }
        vec![ColumnBox {
            domains: BTreeMap::from([(position, domain)]),
        }]
    }

    /// The product of the terms' boxes. Terms that would make too many are left out, those on the last key parts first.
    fn all(&mut self, terms: &[&Predicate]) -> Vec<ColumnBox> {
        if let Some(one) = self.one_box(terms) {
            return one;
        }
        let mut factors: Vec<Factor<'_>> = terms
            .iter()
            .copied()
            .map(|term| (self.depth(term), self.expand(term), term))
            .collect();
        factors.sort_by_key(|(depth, boxes, _)| (boxes.len() > 1, *depth));
        if let Some(product) = self.by_halves(&factors) {
            return product;
        }
        let mut product = vec![ColumnBox::default()];
        let mut full = false;
        for (_, boxes, term) in factors {
            if full && boxes.len() > 1 {
                self.lost.extend(self.dimensions.mentioned(term));
                continue;
            }
            // Boxes that do not meet vanish, so the product is made before it is counted; but never beyond all bounds.
            if product.len().saturating_mul(boxes.len()) > self.limit.saturating_mul(Self::TRIED) {
                full = true;
                self.lost.extend(self.dimensions.mentioned(term));
                continue;
            }
            let next: Vec<ColumnBox> = product
                .iter()
                .flat_map(|left| boxes.iter().filter_map(|right| left.intersect(right)))
                .collect();
            if next.len() > self.limit {
                full = true;
                self.lost.extend(self.dimensions.mentioned(term));
            } else {
                product = next;
            }
        }
        product
    }

    /// The box of terms that restrict a dimension each, as `(a, b) IN (…)` has one for each row, or none where they exclude
    /// each other; `None` for others.
    fn one_box(&self, terms: &[&Predicate]) -> Option<Vec<ColumnBox>> {
        let mut boxes = Vec::with_capacity(terms.len());
        for term in terms {
            let Predicate::Member(expression, domain) = term else {
                return None;
            };
            boxes.push(self.member(expression, domain).pop());
        }
        let mut boxes = boxes.into_iter();
        let product = boxes.try_fold(ColumnBox::default(), |product, member| {
            product.intersect(&member?)
        });
        Some(product.into_iter().collect())
    }

    /// The product of all factors, if neither it nor that of a half, or of a half of one, has too many boxes. It takes
    /// no longer than its boxes are many: `(a, b) NOT IN (…)` is a factor for each row, and has a box for each.
    fn by_halves(&self, factors: &[Factor<'_>]) -> Option<Vec<ColumnBox>> {
        match factors {
            [] => Some(vec![ColumnBox::default()]),
            [(_, boxes, _)] => Some(boxes.clone()),
            _ => {
                let (left, right) = factors.split_at(factors.len() / 2);
                self.product(&self.by_halves(left)?, &self.by_halves(right)?)
            }
        }
    }

    /// The boxes in which two unions meet; `None` where they are too many, or too many are looked at.
    fn product(&self, left: &[ColumnBox], right: &[ColumnBox]) -> Option<Vec<ColumnBox>> {
        if let [own] = left {
            let both = right.iter().filter_map(|other| own.intersect(other));
            let both: Vec<ColumnBox> = both.take(self.limit + 1).collect();
            return (both.len() <= self.limit).then_some(both);
        }
        let indexed = Indexed::new(right);
        let mut product = Vec::new();
        let mut tried = 0_usize;
        for own in left {
            let meeting = indexed.meeting(own);
            tried += meeting.len();
            if tried > self.limit.saturating_mul(Self::TRIED) {
                return None;
            }
            product.extend(meeting.iter().filter_map(|other| own.intersect(other)));
            if product.len() > self.limit {
                return None;
            }
        }
        Some(product)
    }

    /// So many times the limit are looked at, in the hope that most are empty.
    const TRIED: usize = 16;

    /// The boxes of all terms; those that restrict a single dimension become one.
    fn any(&mut self, terms: &[Predicate]) -> Vec<ColumnBox> {
        let mut single: BTreeMap<usize, Vec<Domain>> = BTreeMap::new();
        let mut boxes = Vec::new();
        for expanded in terms
            .iter()
            .map(|term| self.expand(term))
            .collect::<Vec<_>>()
            .into_iter()
            .flatten()
        {
            if expanded.domains.is_empty() {
                return vec![ColumnBox::default()];
            }
            match expanded.domains.first_key_value() {
                Some((position, domain)) if expanded.domains.len() == 1 => {
                    single.entry(*position).or_default().push(domain.clone());
                }
                _ => boxes.push(expanded),
            }
        }
        boxes.extend(single.into_iter().filter_map(|(position, domains)| {
            Domain::union_all(&domains).map(|domain| ColumnBox {
                domains: BTreeMap::from([(position, domain)]),
            })
        }));
        if boxes.len() > self.limit {
            terms
                .iter()
                .for_each(|term| self.lost.extend(self.dimensions.mentioned(term)));
            return vec![ColumnBox::default()];
        }
        if boxes.len() <= Self::COMPARED {
            self.parted(boxes)
        } else {
            boxes
        }
    }

    /// So many boxes are compared with one another to take out what they share.
    const COMPARED: usize = 128;

    /// Boxes of the same union that share less: where one lies inside another in all dimensions but one, it keeps of
    /// that dimension only what the other does not have. So `a > 1 OR (a >= 1 AND b > 2)` becomes
    /// `a > 1 OR (a = 1 AND b > 2)`, which is one range.
    fn parted(&self, boxes: Vec<ColumnBox>) -> Vec<ColumnBox> {
        let mut parted: Vec<ColumnBox> = Vec::with_capacity(boxes.len());
        'boxes: for mut candidate in boxes {
            for earlier in &parted {
                let out = self.sticking_out(&candidate, earlier);
                match out.as_deref() {
                    Some([]) => continue 'boxes,
                    Some([(position, rest)]) => {
                        candidate.domains.insert(*position, rest.clone());
                    }
                    _ => {}
                }
            }
            parted.push(candidate);
        }
        parted
    }

    /// The dimensions in which `candidate` does not lie inside `other`, with what sticks out; two are enough. `None`
    /// where rows without a value stick out: an expression that the candidate does not ask for may have none, as
    /// `reverse_digits` of a number below 0 has.
    fn sticking_out(
        &self,
        candidate: &ColumnBox,
        other: &ColumnBox,
    ) -> Option<Vec<(usize, Domain)>> {
        let mut out = Vec::new();
        for (position, domain) in &other.domains {
            let dimension = self.dimensions.get(*position)?;
            let own = match candidate.domains.get(position) {
                Some(own) => own,
                None if dimension.is_column() => &dimension.universe,
                None => return None,
            };
            let rest = own.minus(domain);
            if !rest.is_empty() {
                out.push((*position, rest));
            }
            if out.len() > 1 {
                break;
            }
        }
        Some(out)
    }

    fn depth(&self, predicate: &Predicate) -> usize {
        let mentioned = self.dimensions.mentioned(predicate);
        let depths = mentioned
            .iter()
            .filter_map(|position| self.dimensions.get(*position));
        depths
            .map(|dimension| dimension.depth)
            .min()
            .unwrap_or(usize::MAX)
    }
}
