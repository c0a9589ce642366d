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
        let point = values.len() == key.parts().len();
        let text = format!("{}{}", path(key, values), if point { "" } else { "/*" });
        Self {
            start: text.clone(),
            stop: text,
            point,
        }
    }

    /// The keys with these first values and the next one in `piece`, an interval or NULL.
    pub(super) fn fields(
        key: &RowKey,
        values: &[Option<Datum>],
        part: &KeyPart,
        piece: &Domain,
    ) -> Self {
        let whole = values.len() + 1 == key.parts().len();
        let (start, stop) = ends(part, piece);
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

/// The ends of an interval, or of NULL, in key order.
fn ends(part: &KeyPart, piece: &Domain) -> (String, String) {
    let Some(interval) = piece.intervals().first() else {
        return ("NULL".to_owned(), "NULL".to_owned());
    };
    if let Some(prefix) = text_prefix(interval) {
        let text = format!("{}*", part.format(Some(&Datum::Text(prefix.to_owned()))));
        return (text.clone(), text);
    }
    match part.direction() {
        SortOrder::Ascending => (low(part, interval, "(", ""), high(part, interval, "", ")")),
        SortOrder::Descending => (high(part, interval, "(", ""), low(part, interval, "", ")")),
    }
}

/// The lower end of an interval; `before` and `behind` mark exclusion.
pub(super) fn low(part: &KeyPart, interval: &Interval, before: &str, behind: &str) -> String {
    match &interval.start {
        Cut::Below(value) => part.format(Some(value)),
        Cut::Above(value) => format!("{before}{}{behind}", part.format(Some(value))),
        Cut::Start | Cut::End => "*".to_owned(),
    }
}

/// The upper end of an interval; `before` and `behind` mark exclusion.
pub(super) fn high(part: &KeyPart, interval: &Interval, before: &str, behind: &str) -> String {
    match &interval.end {
        Cut::Above(value) => part.format(Some(value)),
        Cut::Below(value) => match part.transform().value_type().predecessor(value) {
            Some(last) => part.format(Some(&last)),
            None => format!("{before}{}{behind}", part.format(Some(value))),
        },
        Cut::Start | Cut::End => "*".to_owned(),
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
