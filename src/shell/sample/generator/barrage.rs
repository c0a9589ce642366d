//! `barrage`: comments that fly over a film while it is shown, as viewers of film sites write them.

use arrow::datatypes::SchemaRef;

use super::clock::{Clock, EVENING};
use super::column::{self, Column, Value};
use super::random::{Random, Weighted};
use super::{Generator, Rows, Source};

/// Comments of a day.
const A_DAY: i64 = 5_000;
/// Films; the first is the one that everybody watches.
const FILMS: u64 = 150;
/// Viewers.
const USERS: u64 = 4_000;
/// The number of the first film.
const FIRST_FILM: i32 = 1_000;

/// The data set.
pub struct Barrage;

impl Generator for Barrage {
    fn name(&self) -> &'static str {
        "barrage"
    }

    fn about(&self) -> &'static str {
        "comments that fly over 150 films, 5,000 a day, most in the evening"
    }

    fn schema(&self) -> SchemaRef {
        column::schema(Comments::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(Comments {
            random: Random::named(seed, self.name()),
            clock: Clock::new(A_DAY, EVENING),
            films: Weighted::zipf(FILMS, 2),
            users: Weighted::zipf(USERS, 50),
        })
    }
}

struct Comments {
    random: Random,
    clock: Clock,
    films: Weighted,
    users: Weighted,
}

struct Row {
    film: i32,
    ts: i64,
    user: String,
    at_second: i32,
    words: String,
}

impl Rows for Comments {
    type Row = Row;
    const COLUMNS: &'static [Column<Row>] = &[
        ("film_id", Value::Int32(|row| row.film)),
        ("ts", Value::Milliseconds(|row| row.ts)),
        ("user_id", Value::Text(|row| &row.user)),
        ("at_second", Value::Int32(|row| row.at_second)),
        ("words", Value::Text(|row| &row.words)),
    ];

    fn next(&mut self) -> Row {
        let random = &mut self.random;
        let ts = self.clock.next(random);
        let film = i32::try_from(self.films.draw(random)).unwrap_or_default();
        // A film has its own length, from 80 to 169 minutes.
        let length = i64::from(60 * (80 + film * 37 % 90));
        Row {
            film: FIRST_FILM + film,
            ts,
            user: format!("viewer{:04}", self.users.draw(random) + 1),
            at_second: i32::try_from(random.between(0, length - 1)).unwrap_or_default(),
            words: words(random),
        }
    }
}

fn words(random: &mut Random) -> String {
    const WHAT: &[&str] = &[
        "ha ha ha",
        "first!",
        "here it comes",
        "who else is watching this tonight",
        "I cried here",
        "that music",
        "run!",
        "best scene",
        "again!",
        "goosebumps",
        "what did he say",
        "SPOILER: it was the gardener",
    ];
    let what = random.pick(WHAT);
    let marks = "!".repeat(random.index(4));
    format!("{what}{marks}")
}
