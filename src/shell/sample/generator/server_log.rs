//! `server_log`: what the machines of a site report. Some report much, and one that is in trouble reports a burst.

use arrow::datatypes::SchemaRef;

use super::clock::{Clock, OFFICE};
use super::column::{self, Column, Value};
use super::random::{Random, Weighted};
use super::{Generator, Rows, Source};

/// Lines of a day.
const A_DAY: i64 = 25_000;
/// The machines: what they do, and how many do it.
const FLEET: &[(&str, u32)] = &[
    ("web", 40),
    ("api", 20),
    ("db", 8),
    ("cache", 6),
    ("queue", 6),
];
/// What they report: the event, how often, and its words.
const EVENTS: &[(&str, u64, &str)] = &[
    ("request.slow", 400, "took longer than a second"),
    ("request.failed", 150, "answered 500"),
    ("cache.miss", 300, "key not found"),
    ("gc.pause", 120, "stopped to collect"),
    ("connection.reset", 80, "peer closed"),
    ("login.failed", 60, "wrong password"),
    ("config.reloaded", 10, "new settings"),
    ("disk.full", 5, "no space left on device"),
    ("restart", 3, "started again"),
];

/// The data set.
pub struct ServerLog;

impl Generator for ServerLog {
    fn name(&self) -> &'static str {
        "server_log"
    }

    fn about(&self) -> &'static str {
        "what 80 machines report, nine kinds of events, 25,000 lines a day, with bursts"
    }

    fn schema(&self) -> SchemaRef {
        column::schema(Lines::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        let hosts = FLEET.iter().flat_map(|&(role, count)| {
            (1..=count).map(move |number| format!("{role}-{number:02}"))
        });
        let hosts: Vec<String> = hosts.collect();
        let mut random = Random::named(seed, self.name());
        // Which machines have much to do is no matter of their names.
        let loads: Vec<u64> = hosts
            .iter()
            .map(|_| 1 + random.below(30) * random.below(30))
            .collect();
        Box::new(Lines {
            random,
            clock: Clock::new(A_DAY, OFFICE),
            loads: Weighted::new(loads),
            events: Weighted::new(EVENTS.iter().map(|event| event.1)),
            hosts,
            burst: None,
        })
    }
}

struct Lines {
    random: Random,
    clock: Clock,
    hosts: Vec<String>,
    loads: Weighted,
    events: Weighted,
    /// The machine in trouble, its event, and how many lines of it are to come.
    burst: Option<(usize, usize, u64)>,
}

struct Row {
    ts: i64,
    host: String,
    event: &'static str,
    message: String,
}

impl Rows for Lines {
    type Row = Row;
    const COLUMNS: &'static [Column<Row>] = &[
        ("ts", Value::Milliseconds(|row| row.ts)),
        ("host", Value::Text(|row| &row.host)),
        ("event", Value::Text(|row| row.event)),
        ("message", Value::Text(|row| &row.message)),
    ];

    fn next(&mut self) -> Row {
        let ts = self.clock.next(&mut self.random);
        let (host, event) = self.reporter();
        let random = &mut self.random;
        let (event, _, words) = EVENTS.get(event).copied().unwrap_or_default();
        let number = random.below(900) + 100;
        let message = match random.below(12) {
            0 => format!("{words}, timeout after {number} ms"),
            1..=4 => format!("{words} (job {number})"),
            _ => words.to_owned(),
        };
        Row {
            ts,
            host: self.hosts.get(host).cloned().unwrap_or_default(),
            event,
            message,
        }
    }
}

impl Lines {
    /// Who reports, and what: every other line is of the machine in trouble, while there is one.
    fn reporter(&mut self) -> (usize, usize) {
        let random = &mut self.random;
        if let Some((host, event, left)) = self.burst
            && random.one_in(2)
        {
            self.burst = (left > 1).then_some((host, event, left - 1));
            return (host, event);
        }
        let drawn = (self.loads.draw(random), self.events.draw(random));
        if self.burst.is_none() && random.one_in(600) {
            self.burst = Some((drawn.0, drawn.1, 20 + random.below(60)));
        }
        drawn
    }
}
