//! Doubles that are spelled out: written, read, found and deleted as what they are.
//!
//! `HALITE_DOUBLES` sets how many, `HALITE_SEED` which.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::Database;
use crate::seed::{number, seed};

/// How many, unless `HALITE_DOUBLES` says otherwise.
const DOUBLES: usize = 10_000;

/// How many one statement names.
const BATCH: usize = 1_000;

/// Any double that is finite, or one as people write them.
fn draw(random: &mut Rng) -> f64 {
    if random.bool() {
        random.f64() * 10f64.powi(random.i32(-4..15))
    } else {
        loop {
            let double = f64::from_bits(random.u64(..));
            if double.is_finite() && double != 0.0 {
                break double;
            }
        }
    }
}

/// The shortest spelling: a DECIMAL where it has no exponent.
fn spelled(double: f64) -> String {
    if (1e-5..1e16).contains(&double.abs()) {
        double.to_string()
    } else {
        format!("{double:e}")
    }
}

#[tokio::test]
async fn a_double_that_is_spelled_out_is_written_read_found_and_deleted() {
    let seed = seed();
    let mut random = Rng::with_seed(seed);
    let wanted = number("HALITE_DOUBLES")
        .map_or(DOUBLES, |wanted| usize::try_from(wanted).expect("a count"));
    let connection = Database::in_memory().unwrap().connect();
    let create = "CREATE TABLE d (x DOUBLE, y DOUBLE, PRIMARY KEY (x))";
    connection.execute(create, ()).await.unwrap();
    for _ in 0..wanted.div_ceil(BATCH) {
        let bits: BTreeSet<u64> = (0..BATCH).map(|_| draw(&mut random).to_bits()).collect();
        let texts: Vec<String> = bits
            .iter()
            .map(|bits| spelled(f64::from_bits(*bits)))
            .collect();
        let count = u64::try_from(texts.len()).unwrap();
        let rows: Vec<String> = texts
            .iter()
            .map(|text| format!("({text}, {text})"))
            .collect();
        let insert = format!("INSERT INTO d VALUES {}", rows.join(", "));
        assert_eq!(
            connection.execute(&insert, ()).await.unwrap(),
            count,
            "seed {seed}"
        );
        let rows = connection.rows("SELECT x, y FROM d", ()).await.unwrap();
        let read: Vec<(f64, f64)> = rows.to_vec().unwrap();
        let keys: BTreeSet<u64> = read.iter().map(|(x, _)| x.to_bits()).collect();
        let values: BTreeSet<u64> = read.iter().map(|(_, y)| y.to_bits()).collect();
        assert_eq!((&keys, &values), (&bits, &bits), "seed {seed}");
        let list = texts.join(", ");
        for column in ["x", "y"] {
            let found = format!("SELECT count(*) FROM d WHERE {column} IN ({list})");
            let rows = connection.rows(&found, ()).await.unwrap();
            let found: Vec<(i64,)> = rows.to_vec().unwrap();
            assert_eq!(
                found,
                [(i64::try_from(count).unwrap(),)],
                "{column}, seed {seed}"
            );
        }
        let equal = format!("SELECT count(*) FROM d WHERE x = {}", texts[0]);
        let rows = connection.rows(&equal, ()).await.unwrap();
        assert_eq!(
            rows.to_vec::<(i64,)>().unwrap(),
            [(1,)],
            "{equal}, seed {seed}"
        );
        let delete = format!("DELETE FROM d WHERE x IN ({list})");
        assert_eq!(
            connection.execute(&delete, ()).await.unwrap(),
            count,
            "seed {seed}"
        );
    }
}
