//! Sets of values of one SQL type: what a predicate leaves of a column or of a key part.
//!
//! A [`Domain`] is a sorted list of disjoint, non-adjacent intervals plus the question whether NULL is inside. An
//! interval lies between two [`Cut`]s, positions between values: `a > 5` is everything from `Above(5)` to `End`. In a
//! discrete type `Above(5)` is written `Below(6)`, so that `a > 5` and `a >= 6` are one domain and adjacent points
//! become one interval; cuts at the ends of the type are written `Start` and `End`. These laws hold after every
//! operation and are asserted where a domain is made.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::datum::{Datum, SqlType};

#[cfg(any(test, feature = "testing"))]
thread_local! {
    /// Intervals of all domains that this thread has made: the work of planning, counted.
    pub static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A position between the values of a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cut {
    /// Before every value.
    Start,
    /// Just before the value.
    Below(Datum),
    /// Just after the value; in a discrete type written as `Below` its successor.
    Above(Datum),
    /// After every value.
    End,
}

impl Cut {
    fn place(&self) -> (u8, Option<(&Datum, bool)>) {
        match self {
            Self::Start => (0, None),
            Self::Below(value) => (1, Some((value, false))),
            Self::Above(value) => (1, Some((value, true))),
            Self::End => (2, None),
        }
    }

    /// The one way to write this position in `sql_type`.
    fn normalise(self, sql_type: &SqlType) -> Self {
        let Some((least, greatest)) = sql_type.limits() else {
            return self.normalise_dense(sql_type);
        };
        match self {
            Self::Below(value) if value <= least => Self::Start,
            Self::Below(value) if value > greatest => Self::End,
            Self::Above(value) if value < least => Self::Start,
            Self::Above(value) => sql_type.successor(&value).map_or(Self::End, Self::Below),
            other => other,
        }
    }

    /// Text and bytes begin with the empty one; floating point values run from −∞ to NaN.
    fn normalise_dense(self, sql_type: &SqlType) -> Self {
        match &self {
            Self::Below(Datum::Text(text)) if text.is_empty() => Self::Start,
            Self::Below(Datum::Bytes(bytes)) if bytes.is_empty() => Self::Start,
            Self::Below(Datum::Double(value)) if *value == f64::NEG_INFINITY => Self::Start,
            Self::Above(Datum::Double(value)) if value.is_nan() => Self::End,
            _ => {
                debug_assert!(!sql_type.is_discrete());
                self
            }
        }
    }
}

impl Ord for Cut {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }
}

impl PartialOrd for Cut {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The values between two cuts, `start < end`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Before the first value.
    pub start: Cut,
    /// After the last value.
    pub end: Cut,
}

impl Interval {
    /// Whether `value` lies between the cuts.
    pub fn contains(&self, value: &Datum) -> bool {
        let below = Cut::Below(value.clone());
        self.start <= below && below < self.end
    }
}

/// A set of values of one type, NULL counted apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Domain {
    sql_type: SqlType,
    /// Shared, because boxes are made of domains and there may be thousands of each.
    intervals: Arc<Vec<Interval>>,
    null: bool,
}

impl Domain {
    /// Nothing.
    pub fn empty(sql_type: &SqlType) -> Self {
        Self {
            sql_type: sql_type.clone(),
            intervals: Arc::default(),
            null: false,
        }
    }

    /// Every value, NULL left out.
    pub fn not_null(sql_type: &SqlType) -> Self {
        Self::between(sql_type, Cut::Start, Cut::End)
    }

    /// NULL alone.
    pub fn only_null(sql_type: &SqlType) -> Self {
        Self::empty(sql_type).with_null(true)
    }

    /// Every value and NULL.
    pub fn all(sql_type: &SqlType) -> Self {
        Self::not_null(sql_type).with_null(true)
    }

    /// The values between two cuts; empty unless `start < end`.
    pub fn between(sql_type: &SqlType, start: Cut, end: Cut) -> Self {
        Self::from_intervals(sql_type, [Interval { start, end }])
    }

    /// These values.
    pub fn points(sql_type: &SqlType, values: impl IntoIterator<Item = Datum>) -> Self {
        let intervals = values.into_iter().map(|value| Interval {
            start: Cut::Below(value.clone()),
            end: Cut::Above(value),
        });
        Self::from_intervals(sql_type, intervals)
    }

    /// The union of intervals, in any order, overlapping or empty as they come.
    pub fn from_intervals(
        sql_type: &SqlType,
        intervals: impl IntoIterator<Item = Interval>,
    ) -> Self {
        let mut sorted: Vec<Interval> = intervals
            .into_iter()
            .map(|interval| Interval {
                start: interval.start.normalise(sql_type),
                end: interval.end.normalise(sql_type),
            })
            .filter(|interval| interval.start < interval.end)
            .collect();
        sorted.sort_by(|left, right| left.start.cmp(&right.start));
        let mut merged: Vec<Interval> = Vec::with_capacity(sorted.len());
        for interval in sorted {
            match merged.last_mut() {
                Some(last) if interval.start <= last.end => {
                    if last.end < interval.end {
                        last.end = interval.end;
                    }
                }
                _ => merged.push(interval),
            }
        }
        Self::lawful(sql_type, merged, false)
    }

    /// A domain of intervals that are sorted, disjoint and not adjacent.
    fn lawful(sql_type: &SqlType, intervals: Vec<Interval>, null: bool) -> Self {
        let domain = Self {
            sql_type: sql_type.clone(),
            intervals: Arc::new(intervals),
            null,
        };
        domain.assert_law();
        #[cfg(any(test, feature = "testing"))]
        MADE.set(MADE.get() + domain.intervals.len());
        domain
    }

    /// The same values, with or without NULL.
    #[must_use]
    pub fn with_null(mut self, null: bool) -> Self {
        self.null = null;
        self
    }

    /// The type of the values.
    pub fn sql_type(&self) -> &SqlType {
        &self.sql_type
    }

    /// The intervals in ascending order.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Whether NULL is inside.
    pub fn has_null(&self) -> bool {
        self.null
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty() && !self.null
    }

    /// Whether every value of the type is inside; NULL is not asked about.
    pub fn has_every_value(&self) -> bool {
        matches!(
            self.intervals.as_slice(),
            [Interval {
                start: Cut::Start,
                end: Cut::End
            }]
        )
    }

    /// Whether `value` (NULL: `None`) is inside.
    pub fn contains(&self, value: Option<&Datum>) -> bool {
        let Some(value) = value else {
            return self.null;
        };
        let below = Cut::Below(value.clone());
        let index = self
            .intervals
            .partition_point(|interval| interval.end <= below);
        self.intervals
            .get(index)
            .is_some_and(|interval| interval.contains(value))
    }

    /// The values of both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        debug_assert_eq!(self.sql_type, other.sql_type);
        let intervals = self.intervals.iter().chain(other.intervals.iter()).cloned();
        Self::from_intervals(&self.sql_type, intervals).with_null(self.null || other.null)
    }

    /// The values of all, which are of one type, at the cost of sorting their intervals once; `None` of none.
    pub fn union_all(domains: &[Self]) -> Option<Self> {
        let sql_type = domains.first()?.sql_type();
        let null = domains.iter().any(Self::has_null);
        let intervals = domains
            .iter()
            .flat_map(|domain| domain.intervals.iter().cloned());
        Some(Self::from_intervals(sql_type, intervals).with_null(null))
    }

    /// The values that are in both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        debug_assert_eq!(self.sql_type, other.sql_type);
        let null = self.null && other.null;
        // Lists may be long: what one side alone restricts is shared, not copied.
        if other.has_every_value() || Arc::ptr_eq(&self.intervals, &other.intervals) {
            return self.clone().with_null(null);
        }
        if self.has_every_value() {
            return other.clone().with_null(null);
        }
        let mut both = Vec::new();
        // A long list meets a short domain in few places: begin where it does.
        let (mut left, mut right) = (
            self.intervals_from(other.first_cut()).iter().peekable(),
            other.intervals_from(self.first_cut()).iter().peekable(),
        );
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let start = (&a.start).max(&b.start);
            let end = (&a.end).min(&b.end);
            if start < end {
                both.push(Interval {
                    start: start.clone(),
                    end: end.clone(),
                });
            }
            if a.end < b.end {
                left.next();
            } else {
                right.next();
            }
        }
        Self::lawful(&self.sql_type, both, null)
    }

    fn first_cut(&self) -> &Cut {
        self.intervals
            .first()
            .map_or(&Cut::End, |interval| &interval.start)
    }

    /// The intervals that reach beyond `cut`.
    fn intervals_from(&self, cut: &Cut) -> &[Interval] {
        let index = self
            .intervals
            .partition_point(|interval| interval.end <= *cut);
        self.intervals.get(index..).unwrap_or_default()
    }

    /// Everything that is not inside, NULL included if it is not.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut gaps = Vec::new();
        let mut start = Cut::Start;
        for interval in self.intervals.iter() {
            if start < interval.start {
                gaps.push(Interval {
                    start,
                    end: interval.start.clone(),
                });
            }
            start = interval.end.clone();
        }
        if start < Cut::End {
            gaps.push(Interval {
                start,
                end: Cut::End,
            });
        }
        Self::lawful(&self.sql_type, gaps, !self.null)
    }

    /// The values that are in `self` and not in `other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.intersect(&other.complement())
    }

    /// Whether every value of `self` is in `other`.
    pub fn is_subset_of(&self, other: &Self) -> bool {
        self.intersect(other) == *self
    }

    /// The single value inside, if there is exactly one and it is not NULL.
    pub fn single(&self) -> Option<Datum> {
        match self.enumerate(1)?.as_slice() {
            [Some(value)] => Some(value.clone()),
            _ => None,
        }
    }

    /// All values in ascending order, NULL last, if there are at most `limit`.
    pub fn enumerate(&self, limit: usize) -> Option<Vec<Option<Datum>>> {
        let mut values = Vec::new();
        for interval in self.intervals.iter() {
            self.enumerate_interval(interval, limit, &mut values)?;
        }
        if self.null {
            values.push(None);
        }
        (values.len() <= limit).then_some(values)
    }

    /// All values as they were listed: points of dense types, and intervals of discrete types up to `limit` values.
    pub fn list(&self, limit: usize) -> Option<Vec<Option<Datum>>> {
        // An interval of a discrete type may be astronomically long, a list of points is as long as it was written.
        self.enumerate(limit.min(Self::LONGEST_LIST.max(self.intervals.len())))
    }

    /// The longest interval that is taken for a list of its values.
    const LONGEST_LIST: usize = 10_000;

    /// The least value of an interval; `None` for floating point intervals without one.
    pub fn first_of(&self, interval: &Interval) -> Option<Datum> {
        match &interval.start {
            Cut::Start => self.least(),
            Cut::Below(value) => Some(value.clone()),
            Cut::Above(Datum::Text(text)) => Some(Datum::Text(format!("{text}\0"))),
            Cut::Above(Datum::Bytes(bytes)) => {
                Some(Datum::Bytes([bytes.as_slice(), &[0]].concat()))
            }
            Cut::Above(_) | Cut::End => None,
        }
    }

    /// The only value of an interval, if it has no other.
    pub fn point_of(&self, interval: &Interval) -> Option<Datum> {
        let first = match &interval.start {
            Cut::Start => self.least()?,
            Cut::Below(value) => value.clone(),
            Cut::Above(_) | Cut::End => return None,
        };
        let last = match &interval.end {
            Cut::End => self.greatest()?,
            Cut::Above(value) => value.clone(),
            Cut::Below(value) => self.sql_type.predecessor(value)?,
            Cut::Start => return None,
        };
        (first == last).then_some(first)
    }

    fn least(&self) -> Option<Datum> {
        Some(match &self.sql_type {
            text if text.is_text() => Datum::Text(String::new()),
            SqlType::Bytea => Datum::Bytes(Vec::new()),
            SqlType::Real | SqlType::Double => Datum::double(f64::NEG_INFINITY),
            discrete => discrete.limits()?.0,
        })
    }

    /// The greatest value; texts and bytes have none.
    fn greatest(&self) -> Option<Datum> {
        match &self.sql_type {
            SqlType::Real | SqlType::Double => Some(Datum::double(f64::NAN)),
            other => other.limits().map(|(_, greatest)| greatest),
        }
    }

    fn enumerate_interval(
        &self,
        interval: &Interval,
        limit: usize,
        values: &mut Vec<Option<Datum>>,
    ) -> Option<()> {
        if let Some(value) = self.point_of(interval) {
            values.push(Some(value));
            return (values.len() <= limit).then_some(());
        }
        let (first, last) = self.ends_of(interval)?;
        let count = last
            .as_integer()?
            .checked_sub(first.as_integer()?)?
            .checked_add(1)?;
        if usize::try_from(count).ok()?.checked_add(values.len())? > limit {
            return None;
        }
        for value in first.as_integer()?..=last.as_integer()? {
            values.push(Some(self.sql_type.datum_of_integer(value)?));
        }
        Some(())
    }

    /// The first and the last value of an interval of a discrete type; `None` for dense types.
    pub fn ends_of(&self, interval: &Interval) -> Option<(Datum, Datum)> {
        let (least, greatest) = self.sql_type.limits()?;
        let first = match &interval.start {
            Cut::Below(value) => value.clone(),
            _ => least,
        };
        let last = match &interval.end {
            Cut::Below(value) => self.sql_type.predecessor(value)?,
            _ => greatest,
        };
        Some((first, last))
    }

    fn assert_law(&self) {
        debug_assert!(
            self.intervals
                .iter()
                .all(|interval| interval.start < interval.end)
                && self
                    .intervals
                    .is_sorted_by(|left, right| left.end < right.start),
            "intervals must be sorted, disjoint and not adjacent: {self:?}"
        );
    }
}

/// The least text that is greater than every text beginning with `prefix`, if there is one.
pub fn text_successor(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        if let Some(next) = next_character(last) {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

/// The next code point, which is also the next in the order of UTF-8 bytes; surrogates are not characters.
fn next_character(character: char) -> Option<char> {
    let next = u32::from(character) + 1;
    char::from_u32(if next == 0xd800 { 0xe000 } else { next })
}

#[cfg(test)]
#[path = "domain_tests.rs"]
mod tests;
