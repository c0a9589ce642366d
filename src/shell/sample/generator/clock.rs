//! The time at which things happen: without end, busier in the evening than at night.

use chrono::{DateTime, Datelike};

use super::random::Random;

/// Milliseconds of an hour.
const HOUR: i64 = 3_600_000;
/// Milliseconds of a day.
const DAY: i64 = 24 * HOUR;

/// 2024-01-01, a Monday, in milliseconds since 1970.
pub const START: i64 = 1_704_067_200_000;

/// How busy the hours of a day are, in percent of the mean.
pub type Rhythm = [i64; 24];

/// People at work: little at night, most in the afternoon.
pub const OFFICE: Rhythm = [
    20, 15, 10, 10, 15, 30, 60, 90, 130, 170, 180, 180, 160, 170, 180, 190, 180, 150, 120, 110,
    100, 80, 55, 35,
];

/// People at home: most in the evening.
pub const EVENING: Rhythm = [
    90, 45, 25, 15, 10, 10, 20, 40, 50, 60, 70, 80, 110, 100, 80, 80, 90, 110, 150, 210, 260, 290,
    240, 165,
];

/// Milliseconds since 1970, that only grow.
#[derive(Debug, Clone)]
pub struct Clock {
    now: i64,
    /// The mean step, in milliseconds.
    step: i64,
    rhythm: Rhythm,
}

impl Clock {
    /// A clock that starts at [`START`] and makes so many steps a day.
    pub fn new(steps_a_day: i64, rhythm: Rhythm) -> Self {
        Self {
            now: START,
            step: DAY / steps_a_day.max(1),
            rhythm,
        }
    }

    /// Goes on by at least a millisecond, and returns the time.
    pub fn next(&mut self, random: &mut Random) -> i64 {
        let hour = usize::try_from(self.now.rem_euclid(DAY) / HOUR).unwrap_or_default();
        let busy = self.rhythm.get(hour).copied().unwrap_or(100).max(1);
        let mean = self.step * 100 / busy;
        // The product of two draws: many short steps, few long ones. Its mean is `mean`.
        let first = random.between(0, 2000);
        let second = random.between(0, 2000);
        self.now += (mean * first / 1000 * second / 1000).max(1);
        self.now
    }
}

/// The day of a time, counted from 1970.
pub fn day(time: i64) -> i32 {
    i32::try_from(time.div_euclid(DAY)).unwrap_or(i32::MAX)
}

/// The date of a time, digits alone: `20240229`.
pub fn date_digits(time: i64) -> String {
    let date = DateTime::from_timestamp_millis(time).unwrap_or_default();
    format!("{:04}{:02}{:02}", date.year(), date.month(), date.day())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_keeps_its_pace_and_its_rhythm() {
        let (mut clock, mut random) = (Clock::new(10_000, EVENING), Random::new(3));
        let times: Vec<i64> = (0..100_000).map(|_| clock.next(&mut random)).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
        let days = (times[99_999] - START) / DAY;
        assert!((8..=12).contains(&days), "{days}");
        let at = |hour| {
            times
                .iter()
                .filter(|time| *time % DAY / HOUR == hour)
                .count()
        };
        assert!(at(21) > 10 * at(4), "{} {}", at(21), at(4));
    }

    #[test]
    fn days_have_dates() {
        assert_eq!(date_digits(START), "20240101");
        assert_eq!(date_digits(START + 59 * DAY), "20240229");
        assert_eq!(date_digits(START + 60 * DAY - 1), "20240229");
        assert_eq!(day(START - 1) + 1, day(START));
    }
}
