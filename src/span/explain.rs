//! Spans for people: the rows of `EXPLAIN KEYS`.

use std::fmt;

use super::bounds::{Bounds, high, low, text_prefix};
use super::boxes::Dimensions;
use super::project::{PartBox, Projection};
use super::{Run, Spans, Work, ranges};
use crate::datum::{Datum, Readable};
use crate::error::Result;
use crate::key::{Domain, KeyPart, RowKey};
use crate::keyrange::{Guide, KeyRange, compare_stops, hex};

/// What a row of `EXPLAIN KEYS` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A range that is read, in readable form and as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanRow {
    /// What it is.
    pub kind: Kind,
    /// The bucket, in a salted table.
    pub bucket: Option<u32>,
    /// The first key, `/part/part`; of a walk, its factors.
    pub start: String,
    /// The last key; empty for a walk.
    pub stop: String,
    /// The first key that may be read.
    pub start_hex: String,
    /// The first key after those; empty: there is none.
    pub stop_hex: String,
    /// Both, if anything is read.
    pub range: Option<KeyRange>,
}

impl SpanRow {
    /// The ranges above are narrowed at run time by what is learnt of these columns.
    pub fn runtime(columns: String) -> Self {
        Self {
            kind: Kind::Runtime,
            bucket: None,
            start: columns,
            stop: String::new(),
            start_hex: String::new(),
            stop_hex: String::new(),
            range: None,
        }
    }
}

/// The rows of `EXPLAIN KEYS`.
pub(super) fn rows(spans: &Spans, key: &RowKey) -> Result<Vec<SpanRow>> {
    let projection = Projection::new(key, Dimensions::default());
    let mut rows = Vec::new();
    for run in spans.runs() {
        let boxes = spans
            .boxes
            .get(&run.bucket)
            .map(Vec::as_slice)
            .unwrap_or_default();
        match &run.work {
            Work::Walk(walk) => rows.push(row(
                Kind::Walk,
                run,
                factors(&projection, boxes),
                walk.hull(),
            )),
            Work::Points(_) | Work::Ranges(_) => {
                rows.extend(range_rows(&projection, spans, run, boxes)?);
            }
        }
    }
    if rows.is_empty() {
        rows.push(SpanRow {
            kind: Kind::Empty,
            bucket: None,
            start: String::new(),
            stop: String::new(),
            start_hex: String::new(),
            stop_hex: String::new(),
            range: None,
        });
    }
    Ok(rows)
}

fn row(kind: Kind, run: &Run, bounds: Bounds, range: &KeyRange) -> SpanRow {
    SpanRow {
        kind,
        bucket: run.bucket,
        start: bounds.start,
        stop: bounds.stop,
        start_hex: hex(range.start()),
        stop_hex: range.stop().map(hex).unwrap_or_default(),
        range: Some(range.clone()),
    }
}

/// The merged ranges of a run: each begins as the first of those it was merged from and ends as the last.
fn range_rows(
    projection: &Projection<'_>,
    spans: &Spans,
    run: &Run,
    boxes: &[PartBox],
) -> Result<Vec<SpanRow>> {
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
            _ => Bounds::default(),
        };
        let kind = match bounds.point {
            _ if spans.full => Kind::Full,
            true => Kind::Point,
            false => Kind::Range,
        };
        rows.push(row(kind, run, bounds, range));
    }
    Ok(rows)
}

/// The boxes of a walk: for each part the values it can have.
fn factors(projection: &Projection<'_>, boxes: &[PartBox]) -> Bounds {
    let of_box = |part_box: &PartBox| -> String {
        let count = projection
            .last_restricted(part_box)
            .map_or(0, |last| last + 1);
        let parts = projection.key.parts();
        let fields = parts.iter().zip(&part_box.domains).take(count);
        let text: String = fields
            .map(|(part, domain)| format!("/{}", factor(part, domain)))
            .collect();
        if count < parts.len() {
            format!("{text}/*")
        } else {
            text
        }
    };
    Bounds {
        start: boxes.iter().map(of_box).collect::<Vec<_>>().join(" | "),
        ..Bounds::default()
    }
}

/// The most values of a factor that are spelled out.
const SHOWN: usize = 4;

fn factor(part: &KeyPart, domain: &Domain) -> String {
    if domain.has_every_value() && (domain.has_null() || !part.nullable()) {
        return "*".to_owned();
    }
    let mut shown: Vec<String> = Vec::new();
    for interval in domain.intervals().iter().take(SHOWN) {
        let (first, last) = (low(part, interval, "(", ""), high(part, interval, "", ")"));
        shown.push(match text_prefix(interval) {
            Some(prefix) => format!(
                "{}*",
                Readable(&Datum::Text(prefix.to_owned()), domain.sql_type())
            ),
            None if first == last => first,
            None => format!("{first}..{last}"),
        });
    }
    if domain.intervals().len() > SHOWN {
        shown.push(format!("… {} in all", domain.intervals().len()));
    }
    if domain.has_null() {
        shown.push("NULL".to_owned());
    }
    match shown.as_slice() {
        [only] => only.clone(),
        _ => format!("{{{}}}", shown.join(", ")),
    }
}
