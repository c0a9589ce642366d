//! Random predicates over hostile values, held against an oracle that computes by value.
//!
//! The oracle knows nothing of the rules: numbers are integers with a power of ten, times nanoseconds in 128 bits,
//! logic has three values. Every predicate is asked both for its truth value on each row and for the rows it keeps.
//! `HALITE_SEED` replays a run, `HALITE_CASES` sets its length.

mod draw;
mod predicate;
mod values;

use std::sync::Arc;

use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use fastrand::Rng;

use self::draw::Draw;
use self::predicate::{Predicate, shown};
use self::values::{Column, table};
use super::testing::{mended, rows};

/// Cases unless `HALITE_CASES` says otherwise.
const CASES: usize = 500;

/// What is wrong with the answers to a predicate.
async fn wrong(
    session: &SessionContext,
    predicate: &Predicate,
    columns: &[Column],
) -> Option<String> {
    let sql = predicate.sql(columns);
    let truths: Vec<_> = (0..columns[0].values.len())
        .map(|row| predicate.truth(columns, row))
        .collect();
    let mut expected: Vec<_> = truths
        .iter()
        .enumerate()
        .map(|(row, truth)| format!("{row}|{}", shown(*truth)))
        .collect();
    expected.sort();
    let seen = rows(session, &format!("SELECT id, {sql} FROM t")).await;
    if let Some((expected, seen)) = expected
        .iter()
        .zip(&seen)
        .find(|(expected, seen)| expected != seen)
    {
        let row: usize = expected.split('|').next()?.parse().ok()?;
        let values: Vec<_> = columns
            .iter()
            .map(|column| format!("{}={:?}", column.name, column.values[row]))
            .collect();
        return Some(format!(
            "SELECT {sql}\n expected {expected}, seen {seen}\n {}",
            values.join(" ")
        ));
    }
    let mut expected: Vec<_> = truths
        .iter()
        .enumerate()
        .filter(|(_, truth)| **truth == Some(true))
        .map(|(row, _)| row.to_string())
        .collect();
    expected.sort();
    let seen = rows(session, &format!("SELECT id FROM t WHERE {sql}")).await;
    (expected != seen).then(|| format!("WHERE {sql}\n expected {expected:?}\n seen {seen:?}"))
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[tokio::test]
async fn predicates_answer_by_value() {
    let seed = number_from("HALITE_SEED").unwrap_or_else(|| fastrand::u64(..));
    let cases = number_from("HALITE_CASES").map_or(CASES, |cases| cases as usize);
    println!("HALITE_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    let (batch, columns) = table(&mut random);
    let session = mended();
    let provider = MemTable::try_new(batch.schema(), vec![vec![batch]]).expect("table");
    session
        .register_table("t", Arc::new(provider))
        .expect("register");
    for case in 0..cases {
        // Half of the predicates are about one or two columns, so that lists and bounds meet.
        let few: Vec<Column> = (0..random.usize(1..3))
            .map(|_| &columns[random.usize(..columns.len())])
            .map(|column| Column {
                name: column.name,
                kind: column.kind,
                values: column.values.clone(),
            })
            .collect();
        let of = if random.bool() { &columns } else { &few };
        let depth = random.usize(..3);
        let mut draw = Draw {
            random: random.fork(),
            columns: of,
        };
        let mut predicate = draw.predicate(depth);
        let Some(mut failure) = wrong(&session, &predicate, of).await else {
            continue;
        };
        'smaller: loop {
            for part in predicate.parts() {
                if let Some(smaller) = wrong(&session, &part, of).await {
                    (predicate, failure) = (part, smaller);
                    continue 'smaller;
                }
            }
            panic!("case {case}, HALITE_SEED={seed}\n{failure}");
        }
    }
}
