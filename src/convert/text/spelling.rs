//! How files spell numbers and times where they do not spell them as SQL does.

use arrow::array::ArrayRef;

use super::reader::FieldReader;
use super::{field_reader, time};
use crate::datum::{SqlType, TimeFormat};

/// How files spell what SQL spells otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spelling {
    /// What stands in front of the fraction of a number; else a point.
    pub decimal: Option<char>,
    /// What stands between the thousands of a number; else nothing.
    pub thousands: Option<char>,
    /// How dates are written, as `strftime` writes them; else `2024-01-31`.
    pub date: Option<String>,
    /// How timestamps are written; else `2024-01-31 05:06:07`.
    pub timestamp: Option<String>,
}

/// The reader of a type's fields that are spelt so.
pub fn spelt_reader(sql_type: &SqlType, spelling: &Spelling) -> Box<dyn FieldReader> {
    let reader = field_reader(sql_type);
    let is_broken = matches!(
        sql_type,
        SqlType::Real | SqlType::Double | SqlType::Decimal { .. }
    );
    if let Some(between) = spelling.thousands
        && (is_broken || sql_type.is_integer())
    {
        let point = spelling.decimal.unwrap_or('.');
        let respell: Respell = Box::new(move |text| ungrouped(text, point, between));
        return Box::new(Respelt { reader, respell });
    }
    let respell: Respell = match (spelling.decimal, &spelling.date, &spelling.timestamp) {
        (Some(sign), ..) if is_broken && sign != '.' => {
            Box::new(move |text| with_point(text, sign))
        }
        (_, Some(shown), _) if *sql_type == SqlType::Date => written(shown, time::date_as_written),
        (.., Some(shown)) if matches!(sql_type, SqlType::Timestamp { .. }) => {
            written(shown, time::timestamp_as_written)
        }
        _ => return reader,
    };
    Box::new(Respelt { reader, respell })
}

/// Times that are written in a format.
fn written(shown: &str, read: fn(&str, &TimeFormat, &str) -> Result<String, String>) -> Respell {
    let (format, shown) = (TimeFormat::new(shown), shown.to_owned());
    Box::new(move |text| match &format {
        Some(format) => read(text, format, &shown),
        // Refused where options are read.
        None => Err(format!("is not written as {shown}, which is no format")),
    })
}

/// From a file's spelling to SQL's.
type Respell = Box<dyn Fn(&str) -> Result<String, String> + Send>;

/// Reads fields that are spelt otherwise.
struct Respelt {
    reader: Box<dyn FieldReader>,
    respell: Respell,
}

impl FieldReader for Respelt {
    fn push(&mut self, text: &str) -> Result<(), String> {
        self.reader.push(&(self.respell)(text)?)
    }

    fn push_null(&mut self) {
        self.reader.push_null();
    }

    fn finish(&mut self) -> ArrayRef {
        self.reader.finish()
    }
}

/// A number with a point; one that has a point where the sign is another is none, for it may stand between thousands.
fn with_point(text: &str, sign: char) -> Result<String, String> {
    if text.contains('.') {
        Err(format!(
            "has a point, and '{sign}' stands in front of fractions; say THOUSANDS '.' where it is between thousands"
        ))
    } else {
        Ok(text.replace(sign, "."))
    }
}

/// A number without what stands between its thousands, which must be threes of digits, and with a point.
fn ungrouped(text: &str, point: char, between: char) -> Result<String, String> {
    let (whole, rest) = match text.split_once(point) {
        Some((whole, rest)) => (whole, Some(rest)),
        None => (text, None),
    };
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let mut groups = digits.split(between);
    let first = groups.next().unwrap_or_default();
    let is_group =
        |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = if digits.contains(between) {
        (1..=3).contains(&first.len()) && groups.all(is_group)
    } else {
        true
    };
    if !is_grouped || rest.is_some_and(|rest| rest.contains(between)) {
        return Err(format!(
            "has '{between}' in other places than between thousands"
        ));
    }
    let whole = whole.replace(between, "");
    Ok(match rest {
        Some(rest) => format!("{whole}.{rest}"),
        None => whole,
    })
}
