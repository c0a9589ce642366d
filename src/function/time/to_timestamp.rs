//! `to_timestamp(x)`, `to_timestamp_seconds(x)` … and `strptime(text, format)`: numbers and texts as instants.
//!
//! DataFusion reads the texts of a column as times without a zone, which are not of the type that the function has, so that
//! the query fails; `%f` as a count of nanoseconds, so that `.5` is five of them; and a whole number as a time on the clocks
//! of the session, so that with `SET TIME ZONE 'Europe/Berlin'` the second 0 is an hour before 1970. Here texts are read
//! on the clocks of the session, in formats that are [`TimeFormat`]s, and a number is an instant.
//!
//! `strptime` gives a TIMESTAMP(6), which reaches as far as the calendar, unless its format is written with nanoseconds
//! (`%n`, `%9f`). A text with more digits is an error.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};
use chrono::NaiveDateTime;
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err, plan_err};
use datafusion::config::ConfigOptions;
use datafusion::functions::datetime;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
};

use crate::datum::{Clocks, Precision, TimeFormat, with_seconds};
use crate::error::Error;
use crate::function::as_theirs::as_theirs;

/// One of DataFusion's functions.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ToTimestamp(Arc<ScalarUDF>, Zone);

/// `strptime(text, format)`.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Strptime(Arc<ScalarUDF>, Zone);

/// The zone of the session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Zone(Arc<str>);

impl Zone {
    fn of(config: &ConfigOptions) -> Self {
        let zone = config.execution.time_zone.as_deref();
        Self(Arc::from(zone.unwrap_or("+00:00")))
    }
}

/// The functions of a session with this configuration.
pub fn to_timestamps(config: &ConfigOptions) -> Vec<ScalarUDF> {
    let theirs = [
        datetime::to_timestamp(config),
        datetime::to_timestamp_seconds(config),
        datetime::to_timestamp_millis(config),
        datetime::to_timestamp_micros(config),
        datetime::to_timestamp_nanos(config),
    ];
    let zone = Zone::of(config);
    let mended = theirs.map(|theirs| ToTimestamp(configured(&theirs, config), zone.clone()));
    let strptime = Strptime(datetime::to_timestamp_micros(config), zone);
    let mended = mended.into_iter().map(ScalarUDF::new_from_impl);
    mended.chain([ScalarUDF::new_from_impl(strptime)]).collect()
}

/// DataFusion keeps one function for all sessions.
fn configured(theirs: &Arc<ScalarUDF>, config: &ConfigOptions) -> Arc<ScalarUDF> {
    let updated = theirs.inner().with_updated_config(config);
    updated.map_or_else(|| Arc::clone(theirs), Arc::new)
}

impl ScalarUDFImpl for ToTimestamp {
    as_theirs!();

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let updated = Self(configured(&self.0, config), Zone::of(config));
        Some(ScalarUDF::new_from_impl(updated))
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(given) = args.args.first_mut() else {
            return self.0.invoke_with_args(args);
        };
        if given.data_type().is_string() {
            return read(&args, self.name(), &self.1, Digits::Cut);
        }
        if self.name() == "to_timestamp" && given.data_type().is_integer() {
            let utc = DataType::Timestamp(TimeUnit::Second, Some("+00:00".into()));
            *given = given.cast_to(&utc, None)?;
        }
        self.0.invoke_with_args(args)
    }
}

impl ScalarUDFImpl for Strptime {
    fn name(&self) -> &str {
        "strptime"
    }

    fn signature(&self) -> &datafusion::logical_expr::Signature {
        self.0.signature()
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Timestamp(
            TimeUnit::Microsecond,
            Some(Arc::clone(&self.1.0)),
        ))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<&DataType> = args.arg_fields.iter().map(|it| it.data_type()).collect();
        let is_text = |found: &&DataType| found.is_string() || found.is_null();
        match types.as_slice() {
            [text, format] if is_text(text) && is_text(format) => {}
            [_, _] => return plan_err!("strptime takes a text and a format, which is a text"),
            others => {
                return plan_err!(
                    "strptime takes 2 arguments, a text and a format, not {}",
                    others.len()
                );
            }
        }
        let format = args.scalar_arguments.get(1).copied().flatten();
        let format = format.and_then(|format| format.try_as_str().flatten());
        let unit = if format.is_some_and(has_nanoseconds) {
            TimeUnit::Nanosecond
        } else {
            TimeUnit::Microsecond
        };
        let found = DataType::Timestamp(unit, Some(Arc::clone(&self.1.0)));
        Ok(Arc::new(Field::new(self.name(), found, true)))
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let updated = Self(Arc::clone(&self.0), Zone::of(config));
        Some(ScalarUDF::new_from_impl(updated))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        read(&args, self.name(), &self.1, Digits::Refused)
    }
}

/// Whether a format is written with nine digits of a fraction.
fn has_nanoseconds(format: &str) -> bool {
    ["%n", "%9f", "%.9f"].iter().any(|it| format.contains(it))
}

/// What becomes of digits that a type does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    Cut,
    Refused,
}

/// The texts that a function is given, read in the formats behind them.
fn read(
    args: &ScalarFunctionArgs,
    function: &str,
    zone: &Zone,
    digits: Digits,
) -> Result<ColumnarValue> {
    let is_constant = |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(_));
    let are_constant = args.args.iter().all(is_constant);
    let rows = if are_constant { 1 } else { args.number_rows };
    let texts = args.args.iter().map(|value| {
        let array = value.to_array(rows)?;
        Ok(cast(&array, &DataType::Utf8)?)
    });
    let texts = texts.collect::<Result<Vec<ArrayRef>>>()?;
    let DataType::Timestamp(unit, _) = args.return_field.data_type() else {
        return exec_err!("{function} gives a TIMESTAMP");
    };
    let Some(clocks) = Clocks::of(&zone.0) else {
        return exec_err!("there is no zone '{}'", zone.0);
    };
    let mut reader = Reader {
        function,
        clocks,
        precision: Precision::from(*unit),
        digits,
        known: Vec::new(),
    };
    let counts = (0..rows).map(|row| reader.row(&texts, row));
    let counts = counts.collect::<Result<Int64Array>>()?;
    let read = cast(&counts, &DataType::Timestamp(*unit, Some("+00:00".into())))?;
    let read = cast(&read, args.return_field.data_type())?;
    Ok(if are_constant {
        ColumnarValue::Scalar(ScalarValue::try_from_array(&read, 0)?)
    } else {
        ColumnarValue::Array(read)
    })
}

/// Reads texts as instants.
struct Reader<'a> {
    function: &'a str,
    clocks: Clocks,
    precision: Precision,
    digits: Digits,
    /// The formats that there were.
    known: Vec<(String, WithZone)>,
}

impl Reader<'_> {
    /// The instant in a row, in the unit of the type.
    fn row(&mut self, texts: &[ArrayRef], row: usize) -> Result<Option<i64>> {
        let at = |array: &ArrayRef| {
            let texts = array.as_string::<i32>();
            texts.is_valid(row).then(|| texts.value(row).to_owned())
        };
        let Some((text, formats)) = texts.split_first() else {
            return Ok(None);
        };
        let Some(text) = at(text) else {
            return Ok(None);
        };
        if formats.is_empty() {
            let completed = with_seconds(&text);
            let instant = self.clocks.read(completed.as_deref().unwrap_or(&text))?;
            return self.count(&text, instant).map(Some);
        }
        let formats: Vec<String> = formats.iter().filter_map(at).collect();
        for format in &formats {
            if let Some(instant) = self.in_format(&text, format)? {
                return self.count(&text, instant).map(Some);
            }
        }
        match formats.as_slice() {
            [] => Ok(None),
            formats => Err(self.problem(
                &text,
                &format!("is not written as '{}'", formats.join("' or '")),
            )),
        }
    }

    fn in_format(&mut self, text: &str, format: &str) -> Result<Option<NaiveDateTime>> {
        let place = self.known.iter().position(|(known, _)| known == format);
        let place = match place {
            Some(place) => place,
            None => {
                let Some(read) = WithZone::new(format) else {
                    return Err(Error::invalid(format!(
                        "{}: '{format}' is no format of times such as '%Y-%m-%d %H:%M:%S.%f'",
                        self.function
                    ))
                    .into());
                };
                self.known.push((format.to_owned(), read));
                self.known.len() - 1
            }
        };
        let read = self.known.get(place);
        Ok(read.and_then(|(_, format)| format.read(text, self.clocks)))
    }

    fn count(&self, text: &str, instant: NaiveDateTime) -> Result<i64> {
        let instant = instant.and_utc();
        let nanoseconds = i128::from(instant.timestamp()) * 1_000_000_000
            + i128::from(instant.timestamp_subsec_nanos());
        let tick = i128::from(self.precision.nanoseconds());
        if self.digits == Digits::Refused && nanoseconds.rem_euclid(tick) != 0 {
            return Err(self.problem(text, "has nanoseconds: write %n for them"));
        }
        let count = i64::try_from(nanoseconds.div_euclid(tick));
        count.map_err(|_| {
            let reason = "is out of range for nanoseconds, which end in 1677 and 2262: to_timestamp_micros reads it";
            self.problem(text, reason)
        })
    }

    fn problem(&self, text: &str, reason: &str) -> DataFusionError {
        let text = text.escape_debug();
        Error::invalid(format!("{}: '{text}' {reason}", self.function)).into()
    }
}

/// A format, and whether the name of a zone stands behind it: `%Y-%m-%d %H:%M %Z`.
struct WithZone {
    format: TimeFormat,
    is_named: bool,
}

impl WithZone {
    fn new(format: &str) -> Option<Self> {
        let (format, is_named) = match format.trim_end().strip_suffix(" %Z") {
            Some(format) => (format, true),
            None => (format, false),
        };
        let format = TimeFormat::new(format)?;
        Some(Self { format, is_named })
    }

    /// The instant that a text says, on these clocks where it names no others.
    fn read(&self, text: &str, clocks: Clocks) -> Option<NaiveDateTime> {
        let (text, clocks) = if self.is_named {
            let (text, zone) = text.trim_end().rsplit_once(' ')?;
            (text, Clocks::of(zone)?)
        } else {
            (text, clocks)
        };
        let read = self.format.read(text)?;
        match read.offset {
            Some(offset) => read
                .local
                .checked_sub_signed(chrono::TimeDelta::seconds(offset.into())),
            None => clocks.instant(&read.local),
        }
    }
}

#[cfg(test)]
#[path = "to_timestamp_tests.rs"]
mod tests;
