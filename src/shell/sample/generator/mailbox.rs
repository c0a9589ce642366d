//! `mailbox`: the mail of the people of a company. A few get very much of it, many get little.

use std::iter::repeat_with;
use std::sync::Arc;

use arrow::array::{BooleanArray, Date32Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, SchemaRef};

use super::clock::{Clock, OFFICE, day};
use super::random::{Random, Weighted};
use super::{Generator, Source, batch, schema};
use crate::error::Result;

/// Messages of a day.
const A_DAY: i64 = 200;
/// Mailboxes.
const USERS: u64 = 120;
/// What comes before the number of the first message.
const FIRST_MESSAGE: i64 = 70_000;

/// The data set.
pub struct Mailbox;

impl Generator for Mailbox {
    fn name(&self) -> &'static str {
        "mailbox"
    }

    fn about(&self) -> &'static str {
        "the mail of 120 people, 200 messages a day; some mailboxes are a hundred times as large as others"
    }

    fn schema(&self) -> SchemaRef {
        schema([
            ("user_id", DataType::Utf8),
            ("day", DataType::Date32),
            ("message_id", DataType::Int64),
            ("sender", DataType::Utf8),
            ("subject", DataType::Utf8),
            ("bytes", DataType::Int32),
            ("unread", DataType::Boolean),
        ])
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(Messages {
            schema: self.schema(),
            random: Random::named(seed, self.name()),
            clock: Clock::new(A_DAY, OFFICE),
            users: Weighted::zipf(USERS, 0),
            message: FIRST_MESSAGE,
        })
    }
}

/// The name of a mailbox. Neighbours in size are no neighbours in the alphabet.
fn user(rank: usize) -> String {
    const FIRST: &[&str] = &[
        "maria", "ben", "yusuf", "chloe", "olga", "ivan", "ana", "tom", "sofia", "kenji",
    ];
    const LAST: &[&str] = &[
        "keller", "abe", "silva", "novak", "okoro", "meyer", "rossi", "dubois", "quist", "lopez",
        "wang", "brandt",
    ];
    let first = FIRST.get(rank % FIRST.len()).copied().unwrap_or_default();
    let last = LAST.get(rank / FIRST.len()).copied().unwrap_or_default();
    format!("{first}.{last}")
}

struct Messages {
    schema: SchemaRef,
    random: Random,
    clock: Clock,
    users: Weighted,
    message: i64,
}

struct Row {
    user: String,
    day: i32,
    message: i64,
    sender: String,
    subject: String,
    bytes: i32,
    unread: bool,
}

impl Messages {
    fn next(&mut self) -> Row {
        let random = &mut self.random;
        let day = day(self.clock.next(random));
        self.message += random.between(1, 3);
        let bytes = 400 + random.below(60) * random.below(60) * random.below(300);
        Row {
            user: user(self.users.draw(random)),
            day,
            message: self.message,
            sender: sender(&self.users, random),
            subject: subject(random),
            bytes: i32::try_from(bytes).unwrap_or(i32::MAX),
            unread: random.one_in(7),
        }
    }
}

fn sender(users: &Weighted, random: &mut Random) -> String {
    const OUTSIDE: &[&str] = &[
        "news@weekly.example",
        "orders@shop.example",
        "build@ci.example",
        "no-reply@bank.example",
    ];
    if random.one_in(3) {
        (*random.pick(OUTSIDE)).to_owned()
    } else {
        format!("{}@office.example", user(users.draw(random)))
    }
}

fn subject(random: &mut Random) -> String {
    const WHAT: &[&str] = &[
        "minutes",
        "invoice",
        "lunch?",
        "the plan",
        "build failed",
        "holidays",
        "offer",
        "review",
        "welcome",
        "figures",
    ];
    let what = random.pick(WHAT);
    match random.below(4) {
        0 => format!("Re: {what}"),
        1 => format!("{what} {}", 1 + random.below(99)),
        _ => (*what).to_owned(),
    }
}

impl Source for Messages {
    fn take(&mut self, rows: usize) -> Result<RecordBatch> {
        let rows: Vec<Row> = repeat_with(|| self.next()).take(rows).collect();
        let unread: Vec<bool> = rows.iter().map(|row| row.unread).collect();
        let rows = rows.iter();
        batch(
            self.schema.clone(),
            vec![
                Arc::new(StringArray::from_iter_values(
                    rows.clone().map(|row| &row.user),
                )),
                Arc::new(Date32Array::from_iter_values(
                    rows.clone().map(|row| row.day),
                )),
                Arc::new(Int64Array::from_iter_values(
                    rows.clone().map(|row| row.message),
                )),
                Arc::new(StringArray::from_iter_values(
                    rows.clone().map(|row| &row.sender),
                )),
                Arc::new(StringArray::from_iter_values(
                    rows.clone().map(|row| &row.subject),
                )),
                Arc::new(Int32Array::from_iter_values(rows.map(|row| row.bytes))),
                Arc::new(BooleanArray::from(unread)),
            ],
        )
    }
}
