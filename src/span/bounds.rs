//! The ends of ranges for people: `/3/2024-01-01/*`.

use crate::datum::Datum;
use crate::key::domain::text_successor;
use crate::key::{Cut, Domain, Interval, KeyPart, RowKey, SortOrder};

/// The readable ends of a range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) start: String,
    pub(super) stop: String,
    /// Whether it is one row key.
    pub(super) point: bool,
}

impl Bounds {
    /// All keys with these first values.
    pub(super) fn prefix(key: &RowKey, values: &[Option<Datum>]) -> Self {
        let point = values.len() == key.parts().len() && !key.goes_on();
        let text = format!("{}{}", path(key, values), if point { "" } else { "/*" });
        Self {
            start: text.clone(),
            stop: text,
            point,
        }
    }

    /// The keys with these first values and the next one, that of `part`, in `piece`, an interval or NULL.
    pub(super) fn fields(
        key: &RowKey,
        values: &[Option<Datum>],
        part: &Shown<'_>,
        piece: &Domain,
    ) -> Self {
        let whole = values.len() + 1 == key.parts().len() && !key.goes_on();
        let (start, stop) = part.ends(piece);
        let path = path(key, values);
        let tail = |end: &str| if whole || end == "*" { "" } else { "/*" };
        Self {
            point: whole && piece.enumerate(1).is_some(),
            start: format!("{path}/{start}{}", tail(&start)),
            stop: format!("{path}/{stop}{}", tail(&stop)),
        }
    }
}

fn path(key: &RowKey, values: &[Option<Datum>]) -> String {
    let fields = key.parts().iter().zip(values);
    fields
        .map(|(part, value)| format!("/{}", part.format(value.as_ref())))
        .collect()
}

/// A part whose values are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) part: &'a KeyPart,
    /// Every value that it has where nothing is restricted. No calendar has the last of the times that are cut to days.
    pub(super) natural: Option<&'a Domain>,
}

impl Shown<'_> {
    /// The ends of an interval, or of NULL, in key order.
    fn ends(&self, piece: &Domain) -> (String, String) {
        let Some(interval) = piece.intervals().first() else {
            return ("NULL".to_owned(), "NULL".to_owned());
        };
        if let Some(prefix) = text_prefix(interval) {
            let prefix = Datum::Text(prefix.to_owned());
            let text = format!("{}*", self.part.format(Some(&prefix)));
            return (text.clone(), text);
        }
        match self.part.direction() {
            SortOrder::Ascending => (self.low(interval, "(", ""), self.high(interval, "", ")")),
            SortOrder::Descending => (self.high(interval, "(", ""), self.low(interval, "", ")")),
        }
    }

    /// Whether it is the first or the last of all times that the part can have.
    fn is_last_time(&self, cut: &Cut) -> bool {
        let (Cut::Below(Datum::Timestamp(_)) | Cut::Above(Datum::Timestamp(_))) = cut else {
            return false;
        };
        let intervals = self.natural.map(Domain::intervals).unwrap_or_default();
        let first = intervals.first().map(|interval| &interval.start);
        let last = intervals.last().map(|interval| &interval.end);
        first == Some(cut) || last == Some(cut)
    }

    /// The lower end of an interval; `before` and `behind` mark exclusion.
    pub(super) fn low(&self, interval: &Interval, before: &str, behind: &str) -> String {
        match &interval.start {
            cut if self.is_last_time(cut) => "*".to_owned(),
            Cut::Below(value) => self.part.format(Some(value)),
            Cut::Above(value) => format!("{before}{}{behind}", self.part.format(Some(value))),
            Cut::Start | Cut::End => "*".to_owned(),
        }
    }

    /// The upper end of an interval; `before` and `behind` mark exclusion.
    pub(super) fn high(&self, interval: &Interval, before: &str, behind: &str) -> String {
        match &interval.end {
            cut if self.is_last_time(cut) => "*".to_owned(),
            Cut::Above(value) => self.part.format(Some(value)),
            Cut::Below(value) => match self.part.transform().value_type().predecessor(value) {
                Some(last) => self.part.format(Some(&last)),
                None => format!("{before}{}{behind}", self.part.format(Some(value))),
            },
            Cut::Start | Cut::End => "*".to_owned(),
        }
    }
}

/// The text that all values of an interval begin with, if they are all there are.
pub(super) fn text_prefix(interval: &Interval) -> Option<&str> {
    let (Cut::Below(Datum::Text(first)), end) = (&interval.start, &interval.end) else {
        return None;
    };
    let all = match (end, text_successor(first)) {
        (Cut::Below(Datum::Text(end)), Some(successor)) => *end == successor,
        (Cut::End, None) => true,
        _ => false,
    };
    all.then_some(first)
}
