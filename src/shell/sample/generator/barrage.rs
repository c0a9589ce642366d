//! `barrage`: comments that fly over a film while it is shown, as viewers of film sites write them.

use std::iter::repeat_with;
use std::sync::Arc;

use arrow::array::{Int32Array, RecordBatch, StringArray, TimestampMillisecondArray};
use arrow::datatypes::{DataType, SchemaRef, TimeUnit};

use super::clock::{Clock, EVENING};
use super::random::{Random, Weighted};
use super::{Generator, Source, batch, schema};
use crate::error::Result;

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
        schema([
            ("film_id", DataType::Int32),
            ("ts", DataType::Timestamp(TimeUnit::Millisecond, None)),
            ("user_id", DataType::Utf8),
            ("at_second", DataType::Int32),
            ("words", DataType::Utf8),
        ])
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(Comments {
            schema: self.schema(),
            random: Random::named(seed, self.name()),
            clock: Clock::new(A_DAY, EVENING),
            films: Weighted::zipf(FILMS, 2),
            users: Weighted::zipf(USERS, 50),
        })
    }
}

struct Comments {
    schema: SchemaRef,
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

impl Comments {
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

impl Source for Comments {
    fn take(&mut self, rows: usize) -> Result<RecordBatch> {
        let rows: Vec<Row> = repeat_with(|| self.next()).take(rows).collect();
        let rows = rows.iter();
        batch(
            self.schema.clone(),
            vec![
                Arc::new(Int32Array::from_iter_values(
                    rows.clone().map(|row| row.film),
                )),
                Arc::new(TimestampMillisecondArray::from_iter_values(
                    rows.clone().map(|row| row.ts),
                )),
                Arc::new(StringArray::from_iter_values(
                    rows.clone().map(|row| &row.user),
                )),
                Arc::new(Int32Array::from_iter_values(
                    rows.clone().map(|row| row.at_second),
                )),
                Arc::new(StringArray::from_iter_values(rows.map(|row| &row.words))),
            ],
        )
    }
}
