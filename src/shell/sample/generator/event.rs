//! `event`: what people did on a site, as it comes out of a log.
//!
//! People come in sessions: one starts a session, looks at pages, and goes, while others do the same. The offset counts
//! the records of the log; some are no events.

use arrow::datatypes::SchemaRef;

use super::clock::{Clock, EVENING, day};
use super::column::{self, Column, Value};
use super::random::{Random, Weighted};
use super::{Generator, Rows, Source};

/// Events of a day.
const A_DAY: i64 = 2_500;
/// People who come, some of them often.
const USERS: u64 = 20_000;
/// Sessions at a time.
const SESSIONS: usize = 40;
/// The kinds of events: 1 to 24, the first the start of a session.
const KINDS: u64 = 24;
/// Where the log stands when the data set begins.
const FIRST_OFFSET: i64 = 4_200_000_000;

/// The data set.
pub struct Event;

impl Generator for Event {
    fn name(&self) -> &'static str {
        "event"
    }

    fn about(&self) -> &'static str {
        "what people did on a site, 24 kinds of events, 2,500 a day"
    }

    fn default_size(&self) -> usize {
        1_000_000
    }

    fn schema(&self) -> SchemaRef {
        column::schema(Events::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(Events {
            random: Random::named(seed, self.name()),
            clock: Clock::new(A_DAY, EVENING),
            users: Weighted::zipf(USERS, 50),
            kinds: Weighted::zipf(KINDS - 1, 0),
            sessions: vec![Session::default(); SESSIONS],
            offset: FIRST_OFFSET,
        })
    }
}

struct Events {
    random: Random,
    clock: Clock,
    users: Weighted,
    kinds: Weighted,
    sessions: Vec<Session>,
    offset: i64,
}

/// Somebody on the site.
#[derive(Clone, Copy, Default)]
struct Session {
    user: usize,
    /// Events to come.
    left: u64,
}

struct Row {
    event_id: i16,
    day: i32,
    offset: i64,
    user: String,
    props: String,
}

impl Rows for Events {
    type Row = Row;
    const COLUMNS: &'static [Column<Row>] = &[
        ("event_id", Value::Int16(|row| row.event_id)),
        ("day", Value::Date(|row| row.day)),
        ("kafka_offset", Value::Int64(|row| row.offset)),
        ("user_id", Value::Text(|row| &row.user)),
        ("props", Value::Text(|row| &row.props)),
    ];

    fn next(&mut self) -> Row {
        let day = day(self.clock.next(&mut self.random));
        let random = &mut self.random;
        // One record in a hundred is a marker of the log's own.
        self.offset += if random.one_in(100) { 2 } else { 1 };
        let place = random.index(self.sessions.len());
        let mut session = self.sessions.get(place).copied().unwrap_or_default();
        let starts = session.left == 0;
        if starts {
            session.user = self.users.draw(random);
            session.left = random.below(30);
        } else {
            session.left -= 1;
        }
        if let Some(kept) = self.sessions.get_mut(place) {
            *kept = session;
        }
        let kind = if starts {
            1
        } else {
            2 + self.kinds.draw(random)
        };
        Row {
            event_id: i16::try_from(kind).unwrap_or(i16::MAX),
            day,
            offset: self.offset,
            user: format!("u{:05}", session.user + 1),
            props: props(random),
        }
    }
}

/// What is known of an event beside: a page, and how long it took to show.
fn props(random: &mut Random) -> String {
    let page = random.pick(&["/", "/search", "/cart", "/item", "/account", "/help"]);
    let milliseconds = 20 + random.below(40) * random.below(40);
    format!(r#"{{"page":"{page}","ms":{milliseconds}}}"#)
}
