//! `series`: ten measurements of each of twenty machines, minute by minute. The same readings twice: [`Tall`] has a row
//! for each value, [`Wide`] one for each machine and minute, with ten columns.
//!
//! The size of both counts values, so that equal sizes are equal readings: `Wide` has a tenth of the rows.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::clock::START;
use super::random::Random;
use super::{Generator, Source, batch, schema};
use crate::error::Result;

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
        schema([
            ("host", DataType::Utf8),
            ("metric", DataType::Utf8),
            ("ts", DataType::Timestamp(TimeUnit::Millisecond, None)),
            ("value", DataType::Float64),
        ])
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(TallRows {
            schema: self.schema(),
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
        let time = DataType::Timestamp(TimeUnit::Millisecond, None);
        let key = [("host", DataType::Utf8), ("ts", time)];
        let values = METRICS.map(|metric| (metric, DataType::Float64));
        let columns = key.into_iter().chain(values);
        let fields = columns.map(|(name, data_type)| Field::new(name, data_type, false));
        Schema::new(fields.collect::<Vec<_>>()).into()
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(WideRows {
            schema: self.schema(),
            readings: Readings::new(seed),
        })
    }
}

/// What a machine measured in a minute.
#[derive(Clone, Copy)]
struct Reading {
    host: usize,
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
        Reading { host, ts, values }
    }
}

fn host(index: usize) -> String {
    format!("host-{:02}", index + 1)
}

#[allow(clippy::cast_precision_loss, reason = "at most 10,000")]
fn percent(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}

struct TallRows {
    schema: SchemaRef,
    readings: Readings,
    /// The values of the last reading that were not yet asked for.
    waiting: VecDeque<(usize, &'static str, i64, i64)>,
}

impl TallRows {
    fn next(&mut self) -> (usize, &'static str, i64, i64) {
        loop {
            if let Some(row) = self.waiting.pop_front() {
                return row;
            }
            let Reading { host, ts, values } = self.readings.next();
            let metrics = METRICS.into_iter().zip(values);
            self.waiting
                .extend(metrics.map(|(metric, value)| (host, metric, ts, value)));
        }
    }
}

impl Source for TallRows {
    fn take(&mut self, rows: usize) -> Result<RecordBatch> {
        let rows: Vec<_> = std::iter::repeat_with(|| self.next()).take(rows).collect();
        let rows = rows.iter();
        batch(
            self.schema.clone(),
            vec![
                Arc::new(StringArray::from_iter_values(
                    rows.clone().map(|row| host(row.0)),
                )),
                Arc::new(StringArray::from_iter_values(rows.clone().map(|row| row.1))),
                Arc::new(TimestampMillisecondArray::from_iter_values(
                    rows.clone().map(|row| row.2),
                )),
                Arc::new(Float64Array::from_iter_values(
                    rows.map(|row| percent(row.3)),
                )),
            ],
        )
    }
}

struct WideRows {
    schema: SchemaRef,
    readings: Readings,
}

impl Source for WideRows {
    fn take(&mut self, rows: usize) -> Result<RecordBatch> {
        let rows: Vec<Reading> = std::iter::repeat_with(|| self.readings.next())
            .take(rows)
            .collect();
        let rows = rows.iter();
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(
                rows.clone().map(|row| host(row.host)),
            )),
            Arc::new(TimestampMillisecondArray::from_iter_values(
                rows.clone().map(|row| row.ts),
            )),
        ];
        for metric in 0..METRICS.len() {
            let values = rows
                .clone()
                .filter_map(|row| row.values.get(metric).copied());
            columns.push(Arc::new(Float64Array::from_iter_values(
                values.map(percent),
            )));
        }
        batch(self.schema.clone(), columns)
    }
}
