//! `phone_call`: the calls of the subscribers of a phone company.
//!
//! Numbers are given out in blocks, so that their first digits are all but the same, while the last ones are as good as
//! drawn.

use arrow::datatypes::SchemaRef;

use super::clock::{Clock, EVENING};
use super::column::{self, Column, Value};
use super::random::{Random, Weighted};
use super::{Generator, Rows, Source};

/// Calls of a day.
const A_DAY: i64 = 1_000;
/// Subscribers.
const SUBSCRIBERS: u64 = 1_500;
/// The blocks that the company has: the digits in front of the last six.
const BLOCKS: &[i64] = &[13_805, 13_805, 13_805, 13_806, 15_922, 18_601];

/// The data set.
pub struct PhoneCall;

impl Generator for PhoneCall {
    fn name(&self) -> &'static str {
        "phone_call"
    }

    fn about(&self) -> &'static str {
        "the calls of 1,500 subscribers, 1,000 a day"
    }

    fn schema(&self) -> SchemaRef {
        column::schema(Calls::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        let mut random = Random::named(seed, self.name());
        let phones = (0..SUBSCRIBERS).map(|_| phone(&mut random)).collect();
        Box::new(Calls {
            random,
            clock: Clock::new(A_DAY, EVENING),
            phones,
            subscribers: Weighted::zipf(SUBSCRIBERS, 10),
        })
    }
}

fn phone(random: &mut Random) -> i64 {
    random.pick(BLOCKS) * 1_000_000 + random.between(0, 999_999)
}

struct Calls {
    random: Random,
    clock: Clock,
    phones: Vec<i64>,
    subscribers: Weighted,
}

struct Row {
    phone: i64,
    ts: i64,
    other: i64,
    seconds: i32,
    incoming: bool,
    cell: String,
}

impl Rows for Calls {
    type Row = Row;
    const COLUMNS: &'static [Column<Row>] = &[
        ("phone", Value::Int64(|row| row.phone)),
        ("ts", Value::Milliseconds(|row| row.ts)),
        ("other", Value::Int64(|row| row.other)),
        ("seconds", Value::Int32(|row| row.seconds)),
        ("incoming", Value::Boolean(|row| row.incoming)),
        ("cell", Value::Text(|row| &row.cell)),
    ];

    fn next(&mut self) -> Row {
        let random = &mut self.random;
        let ts = self.clock.next(random);
        let subscriber = self.subscribers.draw(random);
        let other = if random.one_in(2) {
            *random.pick(&self.phones)
        } else {
            phone(random)
        };
        let seconds = 1 + random.below(50) * random.below(50);
        Row {
            phone: self.phones.get(subscriber).copied().unwrap_or_default(),
            ts,
            other,
            seconds: i32::try_from(seconds).unwrap_or(i32::MAX),
            incoming: random.one_in(2),
            cell: format!("cell-{:03}", random.below(250)),
        }
    }
}
