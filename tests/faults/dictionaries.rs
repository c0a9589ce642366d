//! Tables whose keys have ids of texts, killed at any moment: no id is that of two texts, and every row has its own text.

use std::collections::BTreeMap;
use std::path::Path;

use fastrand::Rng;

use super::kill::{MEMORY, Pace, Run};
use super::{database, execute, open_store, rows, runtime, seed};

/// Statements of one run of the program.
const STEPS: usize = 24;
/// Rows of the larger statements.
const MANY: i64 = 500;

/// The rows by name and number.
type Model = BTreeMap<(String, i64), i64>;

const DECLARED: &str =
    "CREATE TABLE metric (name TEXT, k BIGINT, v BIGINT, PRIMARY KEY (dict(name), k))";

/// A statement, and what the table holds after it. Most of them bring texts that nobody has had.
fn step(random: &mut Rng, count: u64, model: &mut Model) -> String {
    let names: Vec<String> = model.keys().map(|(name, _)| name.clone()).collect();
    let known = random.choice(names).unwrap_or_else(|| "none".to_owned());
    let key = random.i64(0..20);
    match random.u8(0..9) {
        0..=2 => {
            let rows = [
                (format!("new-{count}"), key),
                (format!("other-{count}"), 0),
                (known, key),
            ];
            let values = rows
                .iter()
                .map(|(name, key)| format!("('{name}', {key}, {count})"));
            let sql = format!(
                "REPLACE INTO metric VALUES {}",
                values.collect::<Vec<_>>().join(", ")
            );
            model.extend(rows.map(|row| (row, count as i64)));
            sql
        }
        3..=4 => {
            model.extend((0..MANY).map(|k| ((format!("many-{count}-{}", k % 50), k), k)));
            format!(
                "INSERT INTO metric SELECT 'many-{count}-' || i % 50, i, i FROM generate_series(0, {}) AS i",
                MANY - 1
            )
        }
        5..=6 => {
            let moved = std::mem::take(model).into_iter().map(|((name, k), v)| {
                if name == known {
                    ((format!("moved-{count}"), k), v)
                } else {
                    ((name, k), v)
                }
            });
            *model = moved.collect();
            format!("UPDATE metric SET name = 'moved-{count}' WHERE name = '{known}'")
        }
        7 => {
            model.retain(|(name, _), _| *name != known);
            format!("DELETE FROM metric WHERE name = '{known}'")
        }
        _ if random.u8(0..3) == 0 => {
            model.clear();
            "TRUNCATE metric".to_owned()
        }
        _ => {
            model.retain(|(_, k), _| *k != key);
            format!("DELETE FROM metric WHERE k = {key}")
        }
    }
}

fn shown(model: &Model) -> Vec<String> {
    let rows = model.iter();
    let mut rows: Vec<String> = rows
        .map(|((name, k), v)| format!("{name}|{k}|{v}"))
        .collect();
    rows.sort();
    rows
}

#[test]
fn no_id_is_that_of_two_texts_whatever_is_killed() {
    let kills = std::env::var("HALITE_KILLS").map_or(12, |kills| kills.parse().unwrap());
    let mut random = Rng::with_seed(seed());
    let (mut killed, mut count, mut acknowledged_in_all) = (0, 0, 0);
    let mut pace = Pace::default();
    while killed < kills {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("killed.halite");
        let memory = MEMORY[random.usize(0..MEMORY.len())];
        let declared = database(&open_store(&path)).connect();
        runtime().block_on(execute(&declared, DECLARED)).unwrap();
        drop(declared);
        let mut model = Model::new();
        for _ in 0..4 {
            let mut after = vec![model.clone()];
            let mut steps: Vec<String> = Vec::new();
            for _ in 0..STEPS {
                count += 1;
                steps.push(step(&mut random, count, &mut model));
                after.push(model.clone());
            }
            let statements = steps.iter().map(String::as_str);
            let run = Run::start(directory.path(), &path, memory, statements);
            let (acknowledged, was_killed) = pace.kill(run, STEPS, &mut random);
            killed += usize::from(was_killed);
            acknowledged_in_all += acknowledged;
            model = found_after(&path, &after, acknowledged);
        }
    }
    println!("{killed} kills, {acknowledged_in_all} statements acknowledged");
    assert!(acknowledged_in_all > 0);
}

/// What the database holds: all that was acknowledged, and perhaps the next statement. Every row is found by its name.
fn found_after(path: &Path, after: &[Model], acknowledged: usize) -> Model {
    let connection = database(&open_store(path)).connect();
    let found = |sql: &str| runtime().block_on(rows(&connection, sql)).unwrap();
    let table = found("SELECT * FROM metric");
    let may_be = after.iter().skip(acknowledged).take(2);
    let model = may_be.into_iter().find(|model| table == shown(model));
    let model = model.unwrap_or_else(|| {
        let expected = after.get(acknowledged).map(shown);
        panic!("{acknowledged} statements were acknowledged: {table:?}\nand not\n{expected:?}")
    });
    let ids = found(r#"SELECT count(DISTINCT "dict(name)") FROM keys('metric')"#);
    assert_eq!(ids, found("SELECT count(DISTINCT name) FROM metric"));
    for ((name, _), _) in model.iter().step_by(97) {
        let by_name = found(&format!("SELECT * FROM metric WHERE name = '{name}'"));
        let of_name = model.iter().filter(|((other, _), _)| other == name);
        let of_name = of_name.map(|(key, v)| (key.clone(), *v)).collect();
        assert_eq!(by_name, shown(&of_name));
    }
    model.clone()
}
