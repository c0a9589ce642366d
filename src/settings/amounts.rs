//! Amounts in settings: bytes (`256M`), durations (`30s`).

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use datafusion::common::{DataFusionError, Result};
use datafusion::config::{ConfigField, Visit};

use crate::error::Error;
use crate::machine;

/// A number of bytes: `1048576`, `1024K`, `256M` or `256 MiB`, `1.5G`. Units are powers of 1,024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ByteSize(pub u64);

/// Units from the largest to the smallest.
const UNITS: &[(&str, u32)] = &[("T", 40), ("G", 30), ("M", 20), ("K", 10), ("", 0)];

impl ByteSize {
    /// So many MiB.
    pub const fn mebibytes(count: u64) -> Self {
        Self(count << 20)
    }

    /// As a length in memory.
    pub fn in_memory(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// Half of the memory of the machine, or of the container that the process is in; 2 GiB where neither is known.
    pub fn half_of_memory() -> Self {
        Self(machine::memory() / 2)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS
            .iter()
            .find(|(_, shift)| self.0 >> shift << shift == self.0 && self.0 >> shift > 0);
        match whole {
            Some((unit, shift)) => write!(f, "{}{unit}", self.0 >> shift),
            None => f.write_str("0"),
        }
    }
}

impl FromStr for ByteSize {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::invalid(format!(
                "'{text}' is no number of bytes: write 268435456, 262144K, 256M or 1.5G"
            ))
        };
        let upper = text.trim().to_ascii_uppercase();
        let digits = upper.trim_end_matches("IB").trim_end_matches('B');
        let unit = UNITS.iter().find(|(unit, _)| digits.ends_with(unit));
        let (unit, shift) = unit.ok_or_else(wrong)?;
        let number = digits.strip_suffix(unit).unwrap_or(digits).trim_end();
        let number: f64 = if number.bytes().all(|it| it.is_ascii_digit() || it == b'.') {
            number.parse().map_err(|_| wrong())?
        } else {
            return Err(wrong());
        };
        let bytes = number * (1_u64 << shift) as f64;
        if bytes <= (1_u64 << 50) as f64 {
            Ok(Self(bytes as u64))
        } else {
            Err(wrong())
        }
    }
}

impl ConfigField for ByteSize {
    fn visit<V: Visit>(&self, visitor: &mut V, key: &str, description: &'static str) {
        visitor.some(key, self, description);
    }

    fn set(&mut self, _: &str, value: &str) -> Result<()> {
        *self = value.parse().map_err(DataFusionError::from)?;
        Ok(())
    }
}

/// How long something may take: `30s`, `500ms`, `5min`, `1h`; a number alone is of milliseconds. 0: as long as it likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TimeLimit(Duration);

impl TimeLimit {
    /// The limit, if there is one.
    pub fn limit(self) -> Option<Duration> {
        (!self.0.is_zero()).then_some(self.0)
    }
}

/// Units of time in milliseconds; a longer name stands before one that it ends with.
const TIMES: &[(&str, u64)] = &[
    ("ms", 1),
    ("min", 60_000),
    ("s", 1_000),
    ("h", 3_600_000),
    ("", 1),
];

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        match milliseconds {
            0 => f.write_str("0"),
            whole if whole % 1_000 == 0 => write!(f, "{}s", whole / 1_000),
            milliseconds => write!(f, "{milliseconds}ms"),
        }
    }
}

impl FromStr for TimeLimit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let lower = text.trim().to_ascii_lowercase();
        let units = TIMES.iter();
        let parsed = units
            .filter_map(|(unit, factor)| {
                let number = lower.strip_suffix(unit)?.trim_end();
                let number: u64 = number.parse().ok()?;
                number.checked_mul(*factor)
            })
            .next();
        match parsed.filter(|milliseconds| *milliseconds <= 1 << 40) {
            Some(milliseconds) => Ok(Self(Duration::from_millis(milliseconds))),
            None => Err(Error::invalid(format!(
                "'{text}' is no time: write 500ms, 30s, 5min or 1h; 0 is no limit"
            ))),
        }
    }
}

impl ConfigField for TimeLimit {
    fn visit<V: Visit>(&self, visitor: &mut V, key: &str, description: &'static str) {
        visitor.some(key, self, description);
    }

    fn set(&mut self, _: &str, value: &str) -> Result<()> {
        *self = value.parse().map_err(DataFusionError::from)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_and_shown() {
        for (text, bytes, shown) in [
            ("0", 0, "0"),
            ("1000", 1000, "1000"),
            ("1024", 1024, "1K"),
            ("256M", 256 << 20, "256M"),
            ("256 MiB", 256 << 20, "256M"),
            ("256mb", 256 << 20, "256M"),
            ("1.5G", 3 << 29, "1536M"),
            ("2t", 2 << 40, "2T"),
        ] {
            let size: ByteSize = text.parse().unwrap();
            assert_eq!(
                (size.0, size.to_string().as_str()),
                (bytes, shown),
                "{text}"
            );
            assert_eq!(size.to_string().parse::<ByteSize>().unwrap(), size);
        }
        for text in ["", "M", "-1", "1e9", "abc", "12X", "9999999T", "1.2.3"] {
            let error = text.parse::<ByteSize>().unwrap_err();
            assert!(error.message().contains(&format!("'{text}'")), "{error}");
        }
    }

    #[test]
    fn times_are_read_and_shown() {
        for (text, milliseconds, shown) in [
            ("0", 0, "0"),
            ("250", 250, "250ms"),
            ("500ms", 500, "500ms"),
            ("30 s", 30_000, "30s"),
            ("5min", 300_000, "300s"),
            ("1h", 3_600_000, "3600s"),
        ] {
            let limit: TimeLimit = text.parse().unwrap();
            assert_eq!(limit.0, Duration::from_millis(milliseconds), "{text}");
            assert_eq!(limit.to_string(), shown);
        }
        for text in ["", "s", "-1", "1.5s", "1d", "99999999999999999h"] {
            let error = text.parse::<TimeLimit>().unwrap_err();
            assert!(error.message().contains(&format!("'{text}'")), "{error}");
        }
    }
}
