//! Random histories of all statements that change rows, against a map that knows nothing of keys, plans and stores.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use datafusion::common::ScalarValue;
use fastrand::Rng;

use crate::params;
use crate::seed::seed;
use crate::session::{Connection, Database};

/// What the table holds: `k` and `v`.
pub(crate) type Model = BTreeMap<i64, i64>;

/// One statement.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Insert(Vec<(i64, i64)>),
    Replace(Vec<(i64, i64)>),
    DoNothing(Vec<(i64, i64)>),
    /// Adds to what is there, where that is less than the bound.
    Upsert(Vec<(i64, i64)>, i64),
    /// Copies what is below the bound so far up.
    InsertSelf {
        below: i64,
        up: i64,
    },
    /// Changes the values of every so many rows.
    Update {
        every: i64,
        by: i64,
    },
    /// Moves the rows between two keys.
    Move {
        from: i64,
        to: i64,
        by: i64,
    },
    UpdateFrom(Vec<(i64, i64)>),
    Delete {
        every: i64,
    },
    DeleteUsing(Vec<(i64, i64)>),
    Merge(Vec<(i64, i64)>),
    /// Inserts one row.
    Put(i64, i64),
    /// Adds to the value of one row.
    Add {
        key: i64,
        by: i64,
    },
    /// The same, or inserts it.
    Count {
        key: i64,
        by: i64,
    },
    /// Deletes one row.
    Remove(i64),
}

/// The rows that a statement gives back, or that it fails.
type Given = Option<Vec<(i64, i64)>>;

fn rows(rng: &mut Rng) -> Vec<(i64, i64)> {
    let count = rng.choice([1, 2, 5, 30]).unwrap();
    let row = |_| (rng.i64(0..60), rng.i64(0..100));
    (0..count).map(row).collect()
}

/// Rows of different keys, most of the time.
fn distinct(rng: &mut Rng) -> Vec<(i64, i64)> {
    let rows = rows(rng);
    match rng.u8(..8) {
        0 => rows,
        _ => rows.into_iter().collect::<Model>().into_iter().collect(),
    }
}

impl Step {
    /// How many kinds of statements there are.
    pub(crate) const KINDS: usize = 15;

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Insert(_) => "INSERT",
            Self::Replace(_) => "REPLACE",
            Self::DoNothing(_) => "ON CONFLICT DO NOTHING",
            Self::Upsert(..) => "ON CONFLICT DO UPDATE",
            Self::InsertSelf { .. } => "INSERT SELECT of itself",
            Self::Update { .. } => "UPDATE",
            Self::Move { .. } => "UPDATE of keys",
            Self::UpdateFrom(_) => "UPDATE FROM",
            Self::Delete { .. } => "DELETE",
            Self::DeleteUsing(_) => "DELETE USING",
            Self::Merge(_) => "MERGE",
            Self::Put(..) => "INSERT of one row, prepared",
            Self::Add { .. } => "UPDATE of one row, prepared",
            Self::Count { .. } => "ON CONFLICT of one row, prepared",
            Self::Remove(_) => "DELETE of one row, prepared",
        }
    }

    /// The statement with parameters, and their values, if it needs no plan.
    pub(crate) fn prepared(&self) -> Option<(&'static str, Vec<ScalarValue>)> {
        match self {
            Self::Put(key, value) => Some(("INSERT INTO t VALUES ($1, $2)", params![*key, *value])),
            Self::Add { key, by } => {
                Some(("UPDATE t SET v = v + $2 WHERE k = $1", params![*key, *by]))
            }
            Self::Count { key, by } => Some((
                "INSERT INTO t VALUES ($1, $2) ON CONFLICT DO UPDATE SET v = t.v + excluded.v",
                params![*key, *by],
            )),
            Self::Remove(key) => Some(("DELETE FROM t WHERE k = $1", params![*key])),
            _ => None,
        }
    }

    pub(crate) fn draw(rng: &mut Rng) -> Self {
        match rng.u8(..18) {
            0 => Self::Insert(distinct(rng)),
            1 => Self::Replace(rows(rng)),
            2 => Self::DoNothing(rows(rng)),
            3 | 4 => Self::Upsert(distinct(rng), rng.i64(0..200)),
            5 => Self::InsertSelf {
                below: rng.i64(0..40),
                up: rng.i64(1..70),
            },
            6 => Self::Update {
                every: rng.i64(1..7),
                by: rng.i64(0..9),
            },
            7 | 8 => {
                let from = rng.i64(0..60);
                Self::Move {
                    from,
                    to: from + rng.i64(0..20),
                    by: rng.i64(-9..9),
                }
            }
            9 => Self::UpdateFrom(distinct(rng)),
            10 => Self::Delete {
                every: rng.i64(3..9),
            },
            11 => Self::DeleteUsing(rows(rng)),
            12 => Self::Put(rng.i64(0..60), rng.i64(0..100)),
            13 => Self::Add {
                key: rng.i64(0..60),
                by: rng.i64(0..9),
            },
            14 | 15 => Self::Count {
                key: rng.i64(0..9),
                by: rng.i64(0..9),
            },
            16 => Self::Remove(rng.i64(0..60)),
            _ => Self::Merge(distinct(rng)),
        }
    }

    pub(crate) fn sql(&self) -> String {
        let values = |rows: &[(i64, i64)]| {
            let rows: Vec<String> = rows.iter().map(|(k, v)| format!("({k}, {v})")).collect();
            format!("VALUES {}", rows.join(", "))
        };
        let source = |rows| format!("({}) AS s (k, x)", values(rows));
        match self {
            Self::Insert(rows) => format!("INSERT INTO t {}", values(rows)),
            Self::Replace(rows) => format!("INSERT OR REPLACE INTO t {}", values(rows)),
            Self::DoNothing(rows) => {
                format!("INSERT INTO t {} ON CONFLICT DO NOTHING", values(rows))
            }
            Self::Upsert(rows, bound) => format!(
                "INSERT INTO t {} ON CONFLICT (k) DO UPDATE SET v = v + excluded.v WHERE t.v < {bound}",
                values(rows)
            ),
            Self::InsertSelf { below, up } => {
                format!("INSERT INTO t SELECT k + {up}, v FROM t WHERE k < {below}")
            }
            Self::Update { every, by } => {
                format!("UPDATE t SET v = v * 2 % 1000 + {by} WHERE k % {every} = 0")
            }
            Self::Move { from, to, by } => {
                format!("UPDATE t SET k = k + {by}, v = v + 1 WHERE k BETWEEN {from} AND {to}")
            }
            Self::UpdateFrom(rows) => format!(
                "UPDATE t SET v = t.v + s.x FROM {} WHERE s.k = t.k",
                source(rows)
            ),
            Self::Delete { every } => format!("DELETE FROM t WHERE k % {every} = 1"),
            Self::DeleteUsing(rows) => {
                format!("DELETE FROM t USING {} WHERE s.k = t.k", source(rows))
            }
            Self::Merge(rows) => format!(
                "MERGE INTO t USING {} ON s.k = t.k WHEN MATCHED AND s.x % 3 = 0 THEN DELETE \
                 WHEN MATCHED THEN UPDATE SET v = t.v + s.x \
                 WHEN NOT MATCHED AND s.x % 2 = 0 THEN INSERT (v, k) VALUES (s.x, s.k)",
                source(rows)
            ),
            Self::Put(key, value) => format!("INSERT INTO t VALUES ({key}, {value})"),
            Self::Add { key, by } => format!("UPDATE t SET v = v + {by} WHERE k = {key}"),
            Self::Count { key, by } => format!(
                "INSERT INTO t VALUES ({key}, {by}) ON CONFLICT DO UPDATE SET v = t.v + excluded.v"
            ),
            Self::Remove(key) => format!("DELETE FROM t WHERE k = {key}"),
        }
    }

    /// What the statement does to the model, and the rows that it gives back.
    pub(crate) fn apply(&self, model: &mut Model) -> Given {
        let before = model.clone();
        let given = self.try_apply(&before, model);
        if given.is_none() {
            *model = before;
        }
        given
    }

    fn try_apply(&self, before: &Model, after: &mut Model) -> Given {
        let mut given = Vec::new();
        match self {
            Self::Insert(rows) => insert(rows.iter().copied(), after, &mut given)?,
            Self::InsertSelf { below, up } => {
                let rows = before.range(..below).map(|(k, v)| (k + up, *v));
                insert(rows, after, &mut given)?;
            }
            Self::Replace(rows) => {
                given.clone_from(rows);
                after.extend(rows.iter().copied());
            }
            Self::DoNothing(rows) => {
                for (k, v) in rows {
                    if !after.contains_key(k) {
                        after.insert(*k, *v);
                        given.push((*k, *v));
                    }
                }
            }
            Self::Upsert(rows, bound) => upsert(rows, *bound, before, after, &mut given)?,
            Self::Update { every, by } => {
                for (k, v) in after.iter_mut().filter(|(k, _)| *k % every == 0) {
                    *v = *v * 2 % 1000 + by;
                    given.push((*k, *v));
                }
            }
            Self::Move { from, to, by } => {
                let moved = before.range(from..=to).map(|(k, v)| (k + by, v + 1));
                after.retain(|k, _| !(from..=to).contains(&k));
                insert(moved, after, &mut given)?;
            }
            Self::UpdateFrom(rows) => {
                let mut seen = BTreeSet::new();
                for (k, x) in rows {
                    if let Some(v) = after.get_mut(k) {
                        seen.insert(*k).then_some(())?;
                        *v += x;
                        given.push((*k, *v));
                    }
                }
            }
            Self::Delete { every } => {
                let gone = before.iter().filter(|(k, _)| *k % every == 1);
                given.extend(gone.map(|(k, v)| (*k, *v)));
                after.retain(|k, _| k % every != 1);
            }
            Self::DeleteUsing(rows) => {
                for (k, _) in rows {
                    given.extend(after.remove(k).map(|v| (*k, v)));
                }
            }
            Self::Merge(rows) => merge(rows, before, after, &mut given)?,
            of_one => of_one.apply_to_one(after, &mut given)?,
        }
        given.sort_unstable();
        Some(given)
    }
}

impl Step {
    /// What a statement about one row does.
    fn apply_to_one(&self, after: &mut Model, given: &mut Vec<(i64, i64)>) -> Option<()> {
        match self {
            Self::Put(key, value) => insert([(*key, *value)].into_iter(), after, given)?,
            Self::Add { key, by } => {
                let found = after.range_mut(key..=key);
                given.extend(found.map(|(key, value)| {
                    *value += by;
                    (*key, *value)
                }));
            }
            Self::Count { key, by } => {
                let value = after.entry(*key).or_default();
                *value += by;
                given.push((*key, *value));
            }
            Self::Remove(key) => given.extend(after.remove(key).map(|value| (*key, value))),
            other => panic!("{other:?} is about several rows"),
        }
        Some(())
    }
}

/// What a MERGE makes of the rows.
fn merge(
    rows: &[(i64, i64)],
    before: &Model,
    after: &mut Model,
    given: &mut Vec<(i64, i64)>,
) -> Option<()> {
    let mut seen = BTreeSet::new();
    for (k, x) in rows {
        match before.get(k) {
            Some(v) => {
                seen.insert(*k).then_some(())?;
                let deletes = x % 3 == 0;
                let new = if deletes { *v } else { v + x };
                given.push((*k, new));
                if deletes {
                    after.remove(k)
                } else {
                    after.insert(*k, new)
                };
            }
            None if x % 2 == 0 => {
                insert([(*k, *x)].into_iter(), after, given)?;
            }
            None => {}
        }
    }
    Some(())
}

/// What ON CONFLICT DO UPDATE makes of them.
fn upsert(
    rows: &[(i64, i64)],
    bound: i64,
    before: &Model,
    after: &mut Model,
    given: &mut Vec<(i64, i64)>,
) -> Option<()> {
    let mut seen = BTreeSet::new();
    for (k, v) in rows {
        let old = before.get(k).copied();
        if old.is_some_and(|old| old >= bound) {
            continue;
        }
        seen.insert(*k).then_some(())?;
        let new = old.unwrap_or_default() + v;
        after.insert(*k, new);
        given.push((*k, new));
    }
    Some(())
}

/// Adds rows whose keys must be free.
fn insert(
    rows: impl Iterator<Item = (i64, i64)>,
    model: &mut Model,
    given: &mut Vec<(i64, i64)>,
) -> Option<()> {
    for (k, v) in rows {
        model.insert(k, v).is_none().then_some(())?;
        given.push((k, v));
    }
    Some(())
}

pub(crate) async fn stored(connection: &Connection, sql: &str) -> Result<Vec<(i64, i64)>, String> {
    let rows = connection
        .rows(sql, ())
        .await
        .map_err(|it| it.to_string())?;
    let mut rows: Vec<(i64, i64)> = rows.to_vec().map_err(|it| it.to_string())?;
    rows.sort_unstable();
    Ok(rows)
}

pub(crate) const LAYOUTS: [&str; 6] = [
    "k",
    "k DESC",
    "salt(4), k",
    "k % 5, k",
    "hash(k), k",
    "bucket(3, k), k / 10, k",
];

pub(crate) async fn database(layout: &str) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let families = match layout {
        "k DESC" | "salt(4), k" => " WITH (families = 'apart(v)')",
        _ => "",
    };
    let create = format!("CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY ({layout})){families}");
    connection.execute(&create, ()).await.unwrap();
    connection
}

async fn history(rng: &mut Rng, layout: &str, steps: usize) {
    let connection = database(layout).await;
    // Some histories go through temporary files and bulk loads.
    if rng.bool() {
        let set = "SET halite.statement_memory = 100";
        connection.execute(set, ()).await.unwrap();
    }
    let (mut model, mut told) = (Model::new(), String::new());
    for _ in 0..steps {
        let step = Step::draw(rng);
        writeln!(told, "{};", step.sql()).unwrap();
        let expected = step.apply(&mut model);
        if rng.bool() {
            let given = stored(&connection, &format!("{} RETURNING t.k, t.v", step.sql())).await;
            assert_eq!(given.clone().ok(), expected, "{layout}\n{told}{given:?}");
        } else {
            let count = connection.execute(&step.sql(), ()).await;
            let expected = expected.map(|rows| rows.len() as u64);
            assert_eq!(
                count.as_ref().ok().copied(),
                expected,
                "{layout}\n{told}{count:?}"
            );
        }
        let rows = stored(&connection, "SELECT k, v FROM t").await.unwrap();
        assert_eq!(
            rows,
            model.clone().into_iter().collect::<Vec<_>>(),
            "{layout}\n{told}"
        );
    }
}

#[test]
fn changes_do_what_a_map_does() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut rng = Rng::with_seed(seed());
    for layout in LAYOUTS {
        runtime.block_on(history(&mut rng, layout, 60));
    }
}

/// A statement that counts its place in the order of all in the row of the key -1, and gives it back.
fn counting(rng: &mut Rng) -> (Step, String) {
    match rng.u8(..3) {
        0 => {
            let (every, by) = (rng.i64(1..7), rng.i64(0..9));
            let step = Step::Update { every, by };
            let sql = format!(
                "UPDATE t SET v = CASE WHEN k = -1 THEN v + 1 ELSE v * 2 % 1000 + {by} END \
                 WHERE k = -1 OR k % {every} = 0"
            );
            (step, sql)
        }
        1 => {
            let mut rows: Vec<_> = rows(rng)
                .into_iter()
                .collect::<Model>()
                .into_iter()
                .collect();
            let step = Step::Upsert(rows.clone(), i64::MAX);
            rows.push((-1, 1));
            (step, Step::Upsert(rows, i64::MAX).sql())
        }
        _ => {
            let mut rows: Vec<_> = rows(rng)
                .into_iter()
                .collect::<Model>()
                .into_iter()
                .collect();
            let step = Step::Merge(rows.clone());
            rows.push((-1, 1));
            (step, Step::Merge(rows).sql())
        }
    }
}

#[test]
fn no_change_of_several_threads_is_lost() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut rng = Rng::with_seed(seed());
    for layout in LAYOUTS {
        runtime.block_on(concurrent(&mut rng, layout));
    }
}

async fn concurrent(rng: &mut Rng, layout: &str) {
    let connection = database(layout).await;
    connection
        .execute("INSERT INTO t VALUES (-1, 0)", ())
        .await
        .unwrap();
    let tasks = (0..4).map(|_| {
        let (database, mut rng) = (connection.database().clone(), rng.fork());
        tokio::spawn(async move {
            let (connection, mut done) = (database.connect(), Vec::new());
            for _ in 0..25 {
                let (step, sql) = counting(&mut rng);
                let sql = format!("{sql} RETURNING t.k, t.v");
                let given = stored(&connection, &sql).await.expect(&sql);
                let (clock, given): (Vec<_>, Vec<_>) =
                    given.into_iter().partition(|row| row.0 == -1);
                done.push((clock[0].1, step, given));
            }
            done
        })
    });
    let mut done = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        done.extend(task.await.unwrap());
    }
    done.sort_by_key(|(clock, ..)| *clock);
    let (mut model, mut clock) = (Model::new(), 0);
    for (place, step, given) in done {
        clock += 1;
        assert_eq!(place, clock, "{layout}: {step:?}");
        assert_eq!(step.apply(&mut model), Some(given), "{layout}: {step:?}");
    }
    model.insert(-1, clock);
    let rows = stored(&connection, "SELECT k, v FROM t").await.unwrap();
    assert_eq!(rows, model.into_iter().collect::<Vec<_>>(), "{layout}");
}
