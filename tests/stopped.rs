//! Statements that are ended: by a limit of time, by an interruption, by who does not wait any more. Whatever the plan
//! computes, the caller hears of it at once, what was begun stops computing, and the tasks of the program's own runtime
//! never wait for it.
//!
//! All of it is measured in a process of its own, which this one is started as once more. Each plan is ended in one of the
//! ways; `HALITE_LIMITS=1` ends each in all of them. The bounds are wide, for the machine may be busy; the table that is
//! printed says how far from them it was.

mod plans;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use halite::{Connection, ErrorKind, blocking};
use tokio::runtime::{Builder, Runtime};

use plans::{Plan, plans};

/// What tells a process that it is the one that measures.
const CHILD: &str = "HALITE_STOPPED";

/// How long a statement runs before it is ended.
const RUNS: Duration = Duration::from_millis(250);

/// How late a caller may hear that its statement has ended.
const LATE: Duration = Duration::from_secs(2);

/// How long may be computed for a statement after it was ended.
const COMPUTED_AFTER: Duration = Duration::from_millis(400);

/// Of a sort by several keys more is: DataFusion sorts each batch that it has gathered in a task of its own, all of these
/// begin at once, and they stand before what ends them. On a slow machine that is a second.
const SORT_OF_SEVERAL_KEYS: (&str, Duration) = ("numbered rows", Duration::from_secs(3));

/// How late a timer of the program's runtime may be.
const HEARTBEAT_LATE: Duration = Duration::from_millis(500);

/// How long it is watched whether something is still computed.
const WATCHED: Duration = Duration::from_millis(100);

/// What computes for longer than this is not waited for.
const GIVEN_UP: Duration = Duration::from_secs(30);

#[test]
fn any_statement_ends_when_it_is_told_to() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stopped::child", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let (out, complaints) = (
        String::from_utf8_lossy(&child.stdout),
        String::from_utf8_lossy(&child.stderr),
    );
    println!("{out}");
    assert!(child.status.success(), "{out}\n{complaints}");
}

/// What [`any_statement_ends_when_it_is_told_to`] runs.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_some() {
        measure_all();
    }
}

/// How a statement is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `with_timeout`, in a task.
    Limit,
    /// `halite.statement_timeout`, on `block_on`.
    Setting,
    /// An interruption, in a task.
    Interruption,
    /// Its future is dropped by `tokio::time::timeout`.
    Dropped,
    /// `with_timeout` of the blocking interface.
    Blocking,
}

const WAYS: [Way; 5] = [
    Way::Limit,
    Way::Setting,
    Way::Interruption,
    Way::Dropped,
    Way::Blocking,
];

/// Beats in a task of the program's runtime, and knows how late it was at worst, in microseconds.
#[derive(Clone, Default)]
struct Heartbeat(Arc<AtomicU64>);

impl Heartbeat {
    const EVERY: Duration = Duration::from_millis(5);

    fn start(runtime: &Runtime) -> Self {
        let heartbeat = Self::default();
        let latest = Arc::clone(&heartbeat.0);
        runtime.spawn(async move {
            loop {
                let begun = Instant::now();
                tokio::time::sleep(Self::EVERY).await;
                let late = begun.elapsed().saturating_sub(Self::EVERY).as_micros();
                latest.fetch_max(u64::try_from(late).unwrap_or(u64::MAX), Ordering::Relaxed);
            }
        });
        heartbeat
    }

    /// How late it was at worst since it was asked for the last time.
    fn latest(&self) -> Duration {
        Duration::from_micros(self.0.swap(0, Ordering::Relaxed))
    }
}

/// What ending a statement came to.
struct Measured {
    late: Duration,
    computed_after: Duration,
    heartbeat: Duration,
}

struct Program {
    runtime: Runtime,
    database: blocking::Database,
    heartbeat: Heartbeat,
}

impl Program {
    fn start(directory: &Path) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let database = blocking::Database::in_memory().unwrap();
        let connection = database.connect();
        for sql in plans::preparation(directory) {
            connection
                .execute(&sql, ())
                .unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
        let heartbeat = Heartbeat::start(&runtime);
        Self {
            runtime,
            database,
            heartbeat,
        }
    }

    fn measure(&self, plan: &Plan, way: Way) -> Measured {
        self.heartbeat.latest();
        let begun = Instant::now();
        let kind = self.run(plan, way);
        let late = begun.elapsed().saturating_sub(RUNS);
        let computed = computed();
        thread::sleep(WATCHED);
        let expected = match way {
            Way::Interruption => Some(ErrorKind::Interrupted),
            Way::Dropped => None,
            _ => Some(ErrorKind::TimedOut),
        };
        assert_eq!(kind, expected, "{way:?}: {}", plan.sql);
        let mut computed_after = self::computed() - computed;
        // What goes on is watched until it ends.
        while begun.elapsed() < GIVEN_UP {
            thread::sleep(WATCHED);
            let before = std::mem::replace(&mut computed_after, self::computed() - computed);
            if computed_after - before < WATCHED / 10 {
                break;
            }
        }
        Measured {
            late,
            computed_after,
            heartbeat: self.heartbeat.latest(),
        }
    }

    /// Runs a statement that is ended, and gives the kind of its error; `None` where nobody hears of one.
    fn run(&self, plan: &Plan, way: Way) -> Option<ErrorKind> {
        let connection = self.database.asynchronous().connect();
        let (sql, is_change) = (plan.sql.clone(), plan.is_change);
        match way {
            Way::Limit => self
                .runtime
                .block_on(self.runtime.spawn(async move {
                    let limited = connection.with_timeout(RUNS);
                    run(&limited, &sql, is_change).await.err()
                }))
                .unwrap(),
            Way::Setting => self.runtime.block_on(async {
                let set = format!("SET halite.statement_timeout = '{}ms'", RUNS.as_millis());
                connection.execute(&set, ()).await.unwrap();
                run(&connection, &sql, is_change).await.err()
            }),
            Way::Interruption => {
                let handle = connection.interrupt_handle();
                let task = self
                    .runtime
                    .spawn(async move { run(&connection, &sql, is_change).await.err() });
                thread::sleep(RUNS);
                handle.interrupt();
                self.runtime.block_on(task).unwrap()
            }
            Way::Dropped => {
                let task = self.runtime.spawn(async move {
                    tokio::time::timeout(RUNS, run(&connection, &sql, is_change)).await
                });
                let given = self.runtime.block_on(task).unwrap();
                assert!(given.is_err(), "{}: {given:?}", plan.sql);
                None
            }
            Way::Blocking => {
                let limited = self.database.connect().with_timeout(RUNS);
                if is_change {
                    limited.execute(&sql, ()).err()
                } else {
                    limited.rows(&sql, ()).err()
                }
                .map(|error| error.kind())
            }
        }
    }
}

async fn run(connection: &Connection, sql: &str, is_change: bool) -> Result<(), ErrorKind> {
    let ran = if is_change {
        connection.execute(sql, ()).await.map(drop)
    } else {
        connection.rows(sql, ()).await.map(drop)
    };
    ran.map_err(|error| match error.kind() {
        kind @ (ErrorKind::TimedOut | ErrorKind::Interrupted) => kind,
        _ => panic!("{sql}: {error}"),
    })
}

pub fn measure_all() {
    let directory = tempfile::tempdir().unwrap();
    let program = Program::start(directory.path());
    let is_whole = std::env::var_os("HALITE_LIMITS").is_some();
    let only = std::env::var("HALITE_STOPPED_ONLY").ok();
    println!(
        "{:<44} {:<13} {:>9} {:>13} {:>10}",
        "plan", "way", "late", "computed after", "heartbeat"
    );
    let mut broken = Vec::new();
    for (number, plan) in plans(directory.path()).iter().enumerate() {
        if only
            .as_ref()
            .is_some_and(|only| !plan.name.contains(only.as_str()))
        {
            continue;
        }
        let ways = if is_whole || number == 0 {
            &WAYS[..]
        } else {
            &WAYS[number % WAYS.len()..][..1]
        };
        for way in ways {
            let measured = program.measure(plan, *way);
            println!(
                "{:<44} {:<13} {:>6} ms {:>10} ms {:>7} ms",
                plan.name,
                format!("{way:?}"),
                measured.late.as_millis(),
                measured.computed_after.as_millis(),
                measured.heartbeat.as_millis()
            );
            let computed_after = match SORT_OF_SEVERAL_KEYS {
                (name, most) if name == plan.name => most,
                _ => COMPUTED_AFTER,
            };
            let is_broken = measured.late > LATE
                || measured.computed_after > computed_after
                || measured.heartbeat > HEARTBEAT_LATE;
            if is_broken {
                broken.push(format!("{} ({way:?})", plan.name));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Ticks of the clock that the system counts the times of processes with.
const TICKS_A_SECOND: f64 = 100.0;

/// How long this process has computed.
fn computed() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    // The name of the program, which may hold anything, stands in parentheses before.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks: f64 = times.map(|time| time.parse::<f64>().unwrap()).sum();
    Duration::from_secs_f64(ticks / TICKS_A_SECOND)
}
