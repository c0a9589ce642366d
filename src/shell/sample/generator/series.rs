//! `series`: ten measurements of each of twenty machines, minute by minute. The same readings twice: [`Tall`] has a row
//! for each value, [`Wide`] one for each machine and minute, with ten columns.
//!
//! The size of both counts values, so that equal sizes are equal readings: `Wide` has a tenth of the rows.

use std::collections::VecDeque;

use arrow::datatypes::SchemaRef;

use super::clock::START;
use super::column::{self, Column, Value};
use super::random::Random;
use super::{Generator, Rows, Source};

/// Machines.
const HOSTS: usize = 20;
/// Milliseconds between two readings of a machine.
const MINUTE: i64 = 60_000;
/// What is measured, in percent.
const METRICS: [&str; 10] = [
    "cpu_user",
    "cpu_system",
    "cpu_idle",
    "cpu_iowait",
    "cpu_steal",
    "memory_used",
    "memory_cached",
    "disk_used",
    "net_in",
    "net_out",
];
/// Values are hundredths of a percent.
const MOST: i64 = 10_000;

/// The data set of a row for each value.
pub struct Tall;

/// The data set of a row for each machine and minute.
pub struct Wide;

impl Generator for Tall {
    fn name(&self) -> &'static str {
        "series_tall"
    }

    fn data_set(&self) -> &'static str {
        "series"
    }

    fn about(&self) -> &'static str {
        "ten measurements of twenty machines, minute by minute, a row for each value"
    }

    fn schema(&self) -> SchemaRef {
        column::schema(TallRows::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(TallRows {
            readings: Readings::new(seed),
            waiting: VecDeque::new(),
        })
    }
}

impl Generator for Wide {
    fn name(&self) -> &'static str {
        "series_wide"
    }

    fn data_set(&self) -> &'static str {
        "series"
    }

    fn about(&self) -> &'static str {
        "the same measurements, a row for each machine and minute"
    }

    fn rows(&self, size: usize) -> usize {
        size / METRICS.len()
    }

    fn schema(&self) -> SchemaRef {
        column::schema(WideRows::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(WideRows {
            readings: Readings::new(seed),
        })
    }
}

/// What a machine measured in a minute.
struct Reading {
    host: String,
    ts: i64,
    values: [i64; METRICS.len()],
}

/// Readings without end: minute by minute, all machines.
struct Readings {
    random: Random,
    ts: i64,
    next_host: usize,
    current: Vec<[i64; METRICS.len()]>,
}

impl Readings {
    fn new(seed: u64) -> Self {
        let mut random = Random::named(seed, "series");
        let current = (0..HOSTS).map(|_| [0; METRICS.len()].map(|_: i64| random.between(0, MOST)));
        Self {
            current: current.collect(),
            random,
            ts: START,
            next_host: 0,
        }
    }

    fn next(&mut self) -> Reading {
        let (host, ts) = (self.next_host, self.ts);
        self.next_host = (host + 1) % HOSTS;
        if self.next_host == 0 {
            self.ts += MINUTE;
        }
        let random = &mut self.random;
        let mut values = self.current.get(host).copied().unwrap_or_default();
        for value in &mut values {
            // A step up or down, and back to where it can be.
            *value = (*value + random.between(-400, 400)).clamp(0, MOST);
        }
        if let Some(kept) = self.current.get_mut(host) {
            *kept = values;
        }
        Reading {
            host: format!("host-{:02}", host + 1),
            ts,
            values,
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "at most 10,000")]
fn percent(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}

struct TallRows {
    readings: Readings,
    /// The values of the last reading that were not yet asked for.
    waiting: VecDeque<Measured>,
}

struct Measured {
    host: String,
    metric: &'static str,
    ts: i64,
    value: i64,
}

impl Rows for TallRows {
    type Row = Measured;
    const COLUMNS: &'static [Column<Measured>] = &[
        ("host", Value::Text(|row| &row.host)),
        ("metric", Value::Text(|row| row.metric)),
        ("ts", Value::Milliseconds(|row| row.ts)),
        ("value", Value::Double(|row| percent(row.value))),
    ];

    fn next(&mut self) -> Measured {
        loop {
            if let Some(row) = self.waiting.pop_front() {
                return row;
            }
            let Reading { host, ts, values } = self.readings.next();
            let metrics = METRICS.into_iter().zip(values);
            self.waiting.extend(metrics.map(|(metric, value)| Measured {
                host: host.clone(),
                metric,
                ts,
                value,
            }));
        }
    }
}

struct WideRows {
    readings: Readings,
}

impl Rows for WideRows {
    type Row = Reading;
    const COLUMNS: &'static [Column<Reading>] = &[
        ("host", Value::Text(|row| &row.host)),
        ("ts", Value::Milliseconds(|row| row.ts)),
        measured::<0>(),
        measured::<1>(),
        measured::<2>(),
        measured::<3>(),
        measured::<4>(),
        measured::<5>(),
        measured::<6>(),
        measured::<7>(),
        measured::<8>(),
        measured::<9>(),
    ];

    fn next(&mut self) -> Reading {
        self.readings.next()
    }
}

/// The column of a metric.
#[allow(
    clippy::indexing_slicing,
    reason = "columns are constants, and an index beyond is an error of compilation"
)]
const fn measured<const METRIC: usize>() -> Column<Reading> {
    (
        METRICS[METRIC],
        Value::Double(|row| percent(row.values[METRIC])),
    )
}
