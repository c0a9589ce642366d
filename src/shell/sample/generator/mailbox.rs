//! `mailbox`: the mail of the people of a company. A few get very much of it, many get little.

use arrow::datatypes::SchemaRef;

use super::clock::{Clock, OFFICE, day};
use super::column::{self, Column, Value};
use super::random::{Random, Weighted};
use super::{Generator, Rows, Source};

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
        column::schema(Messages::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(Messages {
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

impl Rows for Messages {
    type Row = Row;
    const COLUMNS: &'static [Column<Row>] = &[
        ("user_id", Value::Text(|row| &row.user)),
        ("day", Value::Date(|row| row.day)),
        ("message_id", Value::Int64(|row| row.message)),
        ("sender", Value::Text(|row| &row.sender)),
        ("subject", Value::Text(|row| &row.subject)),
        ("bytes", Value::Int32(|row| row.bytes)),
        ("unread", Value::Boolean(|row| row.unread)),
    ];

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
