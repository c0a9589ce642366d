//! Spans for people: the rows of `EXPLAIN KEYS`.

use std::collections::HashMap;
use std::fmt;

use super::bounds::{Bounds, Shown, text_prefix};
use super::boxes::Dimensions;
use super::project::{PartBox, Projection};
use super::{Run, Spans, Work, ranges};
use crate::datum::{Datum, Readable};
use crate::error::Result;
use crate::key::{Domain, KeyPart, RowKey};
use crate::keyrange::{Guide, KeyRange, compare_stops, hex};

/// What a row of `EXPLAIN KEYS` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing is read.
    Empty,
    /// One row key.
    Point,
    /// A range of row keys.
    Range,
    /// All of a bucket, or of the table.
    Full,
    /// Computed while scanning.
    Walk,
    /// Narrowed while the plan runs, by what other operators learn.
    Runtime,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "empty",
            Self::Point => "point",
            Self::Range => "range",
            Self::Full => "full",
            Self::Walk => "walk",
            Self::Runtime => "runtime",
        })
    }
}

/// What stands in the ends of a range for its bucket. No value has it: control characters are escaped.
const BUCKET: char = '\0';

/// A range that is read, in readable form and as bytes; or as many, one in each of some buckets, that differ in nothing
/// else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanRow {
    /// What it is.
    pub kind: Kind,
    /// The buckets, of a salted table.
    pub buckets: Vec<u32>,
    /// What is read: a range, one in each bucket; none where nothing is.
    pub ranges: Vec<KeyRange>,
    /// Both with [`BUCKET`] for the bucket.
    start: String,
    stop: String,
}

impl SpanRow {
    /// The ranges above are narrowed at run time by what is learnt of these columns.
    pub fn runtime(columns: String) -> Self {
        Self {
            start: columns,
            ..Self::nothing(Kind::Runtime)
        }
    }

    /// A row that reads nothing.
    pub fn nothing(kind: Kind) -> Self {
        Self {
            kind,
            buckets: Vec::new(),
            ranges: Vec::new(),
            start: String::new(),
            stop: String::new(),
        }
    }

    /// The first key, `/part/part`; of a walk, what its keys are like.
    pub fn start(&self) -> String {
        self.filled(&self.start)
    }

    /// The last key; of a walk, what its keys are like.
    pub fn stop(&self) -> String {
        self.filled(&self.stop)
    }

    fn filled(&self, end: &str) -> String {
        if end.contains(BUCKET) {
            end.replace(BUCKET, &listed(&self.buckets, "..", ("{", "}")))
        } else {
            end.to_owned()
        }
    }

    /// The buckets for people: `3`, `0–15`, `0–3, 7`; `None` where there are none.
    pub fn buckets_in_words(&self) -> Option<String> {
        (!self.buckets.is_empty()).then(|| listed(&self.buckets, "–", ("", "")))
    }

    /// The first key that may be read and the first behind, which is empty where there is none, in hex digits; both are
    /// empty where nothing is read. `None` where it is several ranges.
    pub fn hex(&self) -> Option<[String; 2]> {
        match self.ranges.as_slice() {
            [] => Some([String::new(), String::new()]),
            [range] => Some([
                hex(range.start()),
                range.stop().map(hex).unwrap_or_default(),
            ]),
            _ => None,
        }
    }

    /// The rows with those as one that differ in their buckets alone, and in what `told` tells of each.
    pub fn together<T: PartialEq>(rows: Vec<(Self, T)>) -> Vec<(Self, T)> {
        let mut together: Vec<(Self, T)> = Vec::new();
        // The rows of a bucket come in the order in which those of another do.
        let mut found: HashMap<(Kind, String, String), Vec<usize>> = HashMap::new();
        for (row, told) in rows {
            let alike = found
                .entry((row.kind, row.start.clone(), row.stop.clone()))
                .or_default();
            let is_same = |at: &&usize| {
                let known = together.get(**at);
                let known = known.filter(|(known, of_known)| {
                    *of_known == told
                        && row
                            .buckets
                            .iter()
                            .all(|bucket| !known.buckets.contains(bucket))
                });
                known.is_some() && !row.buckets.is_empty()
            };
            match alike
                .iter()
                .find(is_same)
                .and_then(|at| together.get_mut(*at))
            {
                Some((known, _)) => {
                    known.buckets.extend(row.buckets);
                    known.ranges.extend(row.ranges);
                }
                None => {
                    alike.push(together.len());
                    together.push((row, told));
                }
            }
        }
        together
    }
}

/// Ascending numbers: `3`, `0..15`, `{0..3, 7}`.
fn listed(numbers: &[u32], between: &str, (before, behind): (&str, &str)) -> String {
    let runs = numbers.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let text = |run: &[u32]| match run {
        [first, .., last] => format!("{first}{between}{last}"),
        [only] => only.to_string(),
        [] => String::new(),
    };
    let texts: Vec<String> = runs.map(text).collect();
    match texts.as_slice() {
        [only] => only.clone(),
        texts => format!("{before}{}{behind}", texts.join(", ")),
    }
}

/// The rows of `EXPLAIN KEYS`.
pub(super) fn rows(spans: &Spans, key: &RowKey) -> Result<Vec<SpanRow>> {
    let projection = Projection::new(key, Dimensions::default());
    let before = before_bucket(&projection);
    let mut rows = Vec::new();
    for run in spans.runs() {
        let boxes = spans
            .boxes
            .get(&run.bucket)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let shaped = |bounds: Bounds| match run.bucket {
            Some(bucket) => Bounds {
                start: shape(&bounds.start, &before, bucket),
                stop: shape(&bounds.stop, &before, bucket),
                ..bounds
            },
            None => bounds,
        };
        match &run.work {
            Work::Walk(walk) => {
                let boxes = boxes.iter().map(|part_box| factors(&projection, part_box));
                let boxes = boxes.map(shaped).map(|bounds| bounds.start);
                let start = boxes.collect::<Vec<_>>().join(" | ");
                let stop = start.clone();
                let point = false;
                let bounds = Bounds { start, stop, point };
                rows.push(row(Kind::Walk, run, bounds, walk.hull()));
            }
            Work::Points(_) | Work::Ranges(_) => {
                let ranges = range_rows(&projection, spans, run, boxes)?;
                let ranges = ranges.into_iter();
                rows.extend(
                    ranges.map(|(kind, bounds, range)| row(kind, run, shaped(bounds), &range)),
                );
            }
        }
    }
    if rows.is_empty() {
        rows.push(SpanRow::nothing(Kind::Empty));
    }
    Ok(rows)
}

/// What readable keys have in front of their bucket: the constants before it.
fn before_bucket(projection: &Projection<'_>) -> String {
    let before = projection.bucket_part().unwrap_or_default();
    let parts = projection.key.parts().iter().take(before);
    let constants = parts.map(|part| part.format(part.universe().single().as_ref()));
    constants.map(|constant| format!("/{constant}")).collect()
}

/// A readable end with [`BUCKET`] for the bucket; as it is where it has none.
fn shape(end: &str, before: &str, bucket: u32) -> String {
    let behind = end.strip_prefix(before).and_then(|rest| {
        let rest = rest.strip_prefix('/')?.strip_prefix(&bucket.to_string())?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    });
    match behind {
        Some(behind) => format!("{before}/{BUCKET}{behind}"),
        None => end.to_owned(),
    }
}

fn row(kind: Kind, run: &Run, bounds: Bounds, range: &KeyRange) -> SpanRow {
    SpanRow {
        kind,
        buckets: run.bucket.into_iter().collect(),
        ranges: vec![range.clone()],
        start: bounds.start,
        stop: bounds.stop,
    }
}

/// The merged ranges of a run: each begins as the first of those it was merged from and ends as the last.
fn range_rows(
    projection: &Projection<'_>,
    spans: &Spans,
    run: &Run,
    boxes: &[PartBox],
) -> Result<Vec<(Kind, Bounds, KeyRange)>> {
    let key = projection.key;
    let Some(set) = run.ranges(key) else {
        return Ok(Vec::new());
    };
    let mut listed = match &run.work {
        Work::Points(keys) => keys
            .iter()
            .map(|point| {
                Ok((
                    KeyRange::prefix(point),
                    Bounds::prefix(key, &key.decode(point)?),
                ))
            })
            .collect::<Result<_>>()?,
        _ => ranges::explained(projection, boxes)?,
    };
    listed.sort_by(|(a, _), (b, _)| a.start().cmp(b.start()));
    let mut listed = listed.iter().peekable();
    let mut rows = Vec::with_capacity(set.ranges().len());
    for range in set.ranges() {
        let mut pieces = Vec::new();
        while let Some(piece) = listed.next_if(|(piece, _)| range.covers(piece)) {
            pieces.push(piece);
        }
        let last = pieces
            .iter()
            .max_by(|(a, _), (b, _)| compare_stops(a.stop(), b.stop()));
        let bounds = match (pieces.first(), last) {
            (Some((piece, first)), Some((_, last))) => Bounds {
                start: first.start.clone(),
                stop: last.stop.clone(),
                point: first.point && piece == range,
            },
            _ => of_bytes(range),
        };
        let kind = match bounds.point {
            _ if spans.full => Kind::Full,
            true => Kind::Point,
            false => Kind::Range,
        };
        rows.push((kind, bounds, range.clone()));
    }
    Ok(rows)
}

/// A range that no box has, as what is said of whole keys is.
fn of_bytes(range: &KeyRange) -> Bounds {
    let stop = range.stop().map(|stop| format!("x'{}')", hex(stop)));
    Bounds {
        start: format!("x'{}'", hex(range.start())),
        stop: stop.unwrap_or_else(|| "*".to_owned()),
        point: false,
    }
}

/// What keys in a box of a walk are like: for each part the values that it can have.
fn factors(projection: &Projection<'_>, part_box: &PartBox) -> Bounds {
    let count = projection
        .last_restricted(part_box)
        .map_or(0, |last| last + 1);
    let parts = projection.key.parts();
    let fields = parts.iter().zip(&part_box.domains).take(count).enumerate();
    let fields = fields.map(|(position, (part, domain))| {
        let natural = projection.natural(position);
        format!("/{}", factor(&Shown { part, natural }, domain))
    });
    let text: String = fields.collect();
    let is_whole = count == parts.len() && !projection.key.goes_on();
    let tail = if is_whole { "" } else { "/*" };
    Bounds {
        start: text + tail,
        ..Bounds::default()
    }
}

/// The most values of a factor that are spelled out.
const SHOWN: usize = 4;

fn factor(shown: &Shown<'_>, domain: &Domain) -> String {
    let part = shown.part;
    let is_everything = domain.has_every_value() && (domain.has_null() || !part.nullable());
    if is_everything || shown.natural == Some(domain) && domain.single().is_none() {
        return "*".to_owned();
    }
    let mut texts = match part.transform().dictionary() {
        // Ids that follow one another say nothing of the texts between.
        Some(_) => points(part, domain),
        None => None,
    }
    .unwrap_or_else(|| intervals(shown, domain));
    if domain.has_null() {
        texts.push("NULL".to_owned());
    }
    match texts.as_slice() {
        [only] => only.clone(),
        _ => format!("{{{}}}", texts.join(", ")),
    }
}

/// The values of a domain without NULL; `None` where they are too many to be spelled out.
fn points(part: &KeyPart, domain: &Domain) -> Option<Vec<String>> {
    let values = domain.enumerate(SHOWN + 1)?;
    let values: Vec<String> = values
        .iter()
        .flatten()
        .map(|value| part.format(Some(value)))
        .collect();
    (values.len() <= SHOWN).then_some(values)
}

fn intervals(shown: &Shown<'_>, domain: &Domain) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for interval in domain.intervals().iter().take(SHOWN) {
        let (first, last) = (shown.low(interval, "(", ""), shown.high(interval, "", ")"));
        texts.push(match text_prefix(interval) {
            Some(prefix) => format!(
                "{}*",
                Readable(&Datum::Text(prefix.to_owned()), domain.sql_type())
            ),
            None if first == last => first,
            None => format!("{first}..{last}"),
        });
    }
    if domain.intervals().len() > SHOWN {
        texts.push(format!("… {} in all", domain.intervals().len()));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_one_another_are_told_by_their_ends() {
        for (numbers, expected) in [
            (vec![3], "3"),
            (vec![0, 1, 2], "0..2"),
            (vec![0, 1, 2, 5, 7, 8], "{0..2, 5, 7..8}"),
            (vec![1, 3], "{1, 3}"),
            (vec![u32::MAX - 1, u32::MAX], "4294967294..4294967295"),
        ] {
            assert_eq!(listed(&numbers, "..", ("{", "}")), expected);
        }
    }

    /// Rows that differ in what is told of them, or in more than their bucket, stay apart.
    #[test]
    fn only_what_agrees_is_told_together() {
        let row = |bucket: u32, behind: &str| SpanRow {
            kind: Kind::Range,
            buckets: vec![bucket],
            ranges: vec![KeyRange::prefix(&[bucket as u8])],
            start: shape(&format!("/'u'/{bucket}{behind}"), "/'u'", bucket),
            stop: "/*".to_owned(),
        };
        let rows = vec![
            (row(0, "/7/*"), "one"),
            (row(0, "/9/*"), "one"),
            (row(1, "/7/*"), "one"),
            (row(2, "/7/*"), "other"),
            (row(3, "/7/*"), "one"),
            (row(3, "/9/*"), "one"),
            (row(17, "7/*"), "one"),
        ];
        let together = SpanRow::together(rows);
        let shown: Vec<String> = together
            .iter()
            .map(|(row, told)| {
                let buckets = row.buckets_in_words().unwrap_or_default();
                format!("{buckets} {} {told} {}", row.start(), row.ranges.len())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "0–1, 3 /'u'/{0..1, 3}/7/* one 3",
                "0, 3 /'u'/{0, 3}/9/* one 2",
                "2 /'u'/2/7/* other 1",
                "17 /'u'/177/* one 1",
            ]
        );
        assert!(
            together
                .iter()
                .all(|(row, _)| row.hex().is_some() == (row.ranges.len() == 1))
        );
    }
}
