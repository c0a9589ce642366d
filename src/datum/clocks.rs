//! The clocks of a zone, which show every time at one instant.
//!
//! Where clocks are put back they show an hour twice, where they are put forward they leave one out, and Arrow reads no
//! such time. Here it is read as PostgreSQL reads it: a time that is shown twice is the later instant, and one that is
//! left out is read with the offset that was in force before.

use arrow::array::timezone::Tz;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::error::ArrowError;
use chrono::{DateTime, FixedOffset, LocalResult, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};

/// A zone by its clocks.
#[derive(Debug, Clone, Copy)]
pub struct Clocks(Tz);

impl Clocks {
    /// The clocks of a zone by its name or its offset; `None` where there is no such zone.
    pub fn of(zone: &str) -> Option<Self> {
        zone.parse().ok().map(Self)
    }

    /// The nanoseconds by which the clocks of a zone are ahead of UTC, if that is the same at all times.
    pub fn always_ahead(zone: &str) -> Option<i128> {
        if zone.eq_ignore_ascii_case("utc") || matches!(zone, "Z" | "Etc/UTC") {
            return Some(0);
        }
        let is_offset = zone.starts_with(['+', '-']);
        let offset = is_offset.then(|| Self::of(zone))??;
        let ahead = offset.ahead_at(&DateTime::UNIX_EPOCH.naive_utc());
        Some(i128::from(ahead.local_minus_utc()) * 1_000_000_000)
    }

    /// The offset by which the clocks are ahead of UTC at an instant.
    pub fn ahead_at(self, instant: &NaiveDateTime) -> FixedOffset {
        self.0.offset_from_utc_datetime(instant).fix()
    }

    /// The offset by which the clocks are ahead of UTC when they show a time. Of a time that is shown twice the offset is
    /// `preferred`, if it is one of the two, and that of the later instant otherwise.
    pub fn ahead_when(self, shown: &NaiveDateTime, preferred: Option<FixedOffset>) -> FixedOffset {
        match self.0.offset_from_local_datetime(shown) {
            LocalResult::Single(offset) => offset.fix(),
            LocalResult::Ambiguous(one, other) => {
                let both = [one.fix(), other.fix()];
                let later = both.into_iter().min_by_key(FixedOffset::local_minus_utc);
                let preferred = preferred.filter(|offset| both.contains(offset));
                preferred.or(later).unwrap_or_else(|| one.fix())
            }
            LocalResult::None => {
                // No clock is a day ahead, and none is changed twice within a day.
                let before = shown.checked_sub_signed(TimeDelta::days(1));
                self.ahead_at(&before.unwrap_or(*shown))
            }
        }
    }

    /// The instant at which the clocks show a time, as its time in UTC; `None` beyond the years of the calendar.
    pub fn instant(self, shown: &NaiveDateTime) -> Option<NaiveDateTime> {
        shown.checked_sub_offset(self.ahead_when(shown, None))
    }

    /// The instant that a text says, which is read in this zone if it names none.
    ///
    /// # Errors
    /// A text that Arrow does not read.
    pub fn read(self, text: &str) -> Result<NaiveDateTime, ArrowError> {
        let error = match string_to_datetime(&self.0, text) {
            Ok(instant) => return Ok(instant.naive_utc()),
            Err(error) => error,
        };
        let (clocks, time) = match text.rsplit_once(' ') {
            Some((time, zone)) if Self::of(zone).is_some() => (Self::of(zone), time),
            _ => (Some(self), text),
        };
        // Without a zone of its own, a time in UTC is what the clocks show.
        let shown = string_to_datetime(&Utc, time.trim_end()).map(|time| time.naive_utc());
        let instant = clocks.zip(shown.ok());
        instant
            .and_then(|(clocks, shown)| clocks.instant(&shown))
            .ok_or(error)
    }
}

/// Where the seconds are missing: behind `2024-01-01 10:00`.
const MINUTES: &str = "0000-00-00 00:00";

/// A time as text with its seconds, which it leaves out; `None` where it has them, or is no time.
pub fn with_seconds(text: &str) -> Option<String> {
    let (minutes, zone) = text.split_at_checked(MINUTES.len())?;
    let is_like = |(found, wanted): (char, char)| match wanted {
        '0' => found.is_ascii_digit(),
        ' ' => matches!(found, ' ' | 'T' | 't'),
        wanted => found == wanted,
    };
    let is_time = minutes.chars().count() == MINUTES.len()
        && minutes.chars().zip(MINUTES.chars()).all(is_like)
        && !zone.starts_with(|next: char| next == ':' || next == '.' || next.is_ascii_digit());
    is_time.then(|| format!("{minutes}:00{zone}"))
}

#[cfg(test)]
#[path = "clocks_tests.rs"]
mod tests;
