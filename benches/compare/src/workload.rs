//! What is measured, in one table: every side asks the same questions of the same rows and must give the same answers.
//!
//! `cpu` has the row key `(host, ts)`, `by_time` the same rows under `(salt(16), ts, host)`, `wanted` a thousand keys.

use std::sync::LazyLock;

use crate::data::{self, RANGE, Size, USERS};
use crate::value::Value;

/// Who is measured, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    Halite,
    Raw,
    Sqlite,
    DuckDb,
    Parquet,
}

impl Name {
    pub const ALL: [Self; 5] = [
        Self::Halite,
        Self::Raw,
        Self::Sqlite,
        Self::DuckDb,
        Self::Parquet,
    ];

    /// Those that Halite is compared with as a database.
    pub const PEERS: [Self; 3] = [Self::Sqlite, Self::DuckDb, Self::Parquet];

    pub fn shown(self) -> &'static str {
        match self {
            Self::Halite => "Halite",
            Self::Raw => "raw RocksDB",
            Self::Sqlite => "SQLite",
            Self::DuckDb => "DuckDB",
            Self::Parquet => "DataFusion, Parquet",
        }
    }
}

/// How a side is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Prepared once, run with other values each time.
    Prepared,
    /// A new text each time, values written out.
    Text,
    /// The same text each time, not prepared, with parameters.
    Parameters,
    /// Planned and not run: a new text each time.
    Plan,
    /// Rows of a Parquet file, in no order, go into a new table.
    Copy,
    /// Rows in memory, in no order, go into a new table.
    Append,
    /// A change of one row, prepared once on each of so many threads, which share the calls.
    Count { threads: usize },
    /// A row is put under its key, whatever was there; prepared once.
    Put,
}

/// What raw RocksDB does for a query: the loop that one would write by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    Get,
    MultiGet,
    HostRange,
    HostRangeSum,
    TimeRange,
    TimeRangeSum,
    HostFirst,
    HostLast,
    Newest,
    LastOfHosts,
    Hosts,
    Rows,
    Count,
    InOrder,
    Sum,
    ByKind,
    ByUser,
    Busiest,
    Join,
}

/// A part of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Points,
    Ranges,
    Ends,
    Scans,
    Loads,
    Counters,
    Plans,
}

impl Group {
    pub const ALL: [Self; 7] = [
        Self::Points,
        Self::Ranges,
        Self::Ends,
        Self::Scans,
        Self::Loads,
        Self::Counters,
        Self::Plans,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Points => "Point reads",
            Self::Ranges => "Ranges",
            Self::Ends => "First and last rows",
            Self::Scans => "Reading everything",
            Self::Loads => "Loading",
            Self::Counters => "Counters",
            Self::Plans => "Planning",
        }
    }

    /// The name of its picture.
    pub fn file(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Ranges => "ranges",
            Self::Ends => "ends",
            Self::Scans => "scans",
            Self::Loads => "loads",
            Self::Counters => "counters",
            Self::Plans => "plans",
        }
    }
}

/// One thing that is measured on every side.
#[derive(Debug, Clone)]
pub struct Workload {
    pub group: Group,
    pub name: &'static str,
    pub way: Way,
    pub sql: &'static str,
    /// The same in the words of sides whose SQL says it differently.
    pub spellings: &'static [(Name, &'static str)],
    /// Whether it gives one row.
    pub is_single: bool,
    /// Whether its rows are in an order.
    pub is_ordered: bool,
    /// Whether every side has one thread for it.
    pub one_thread: bool,
    pub by_hand: Option<Loop>,
    /// The values of the call with a number.
    pub values: fn(Size, usize) -> Vec<Value>,
}

impl Workload {
    fn new(group: Group, name: &'static str, sql: &'static str) -> Self {
        Self {
            group,
            name,
            way: Way::Prepared,
            sql,
            spellings: &[],
            is_single: false,
            is_ordered: false,
            one_thread: false,
            by_hand: None,
            values: no_values,
        }
    }

    /// Its SQL for a side.
    pub fn sql_of(&self, side: Name) -> &'static str {
        let own = self.spellings.iter().find(|(name, _)| *name == side);
        own.map_or(self.sql, |(_, sql)| sql)
    }
}

/// How many keys [`MANY_KEYS`] asks for.
const KEYS: usize = 1_000;

/// Rows of a host by their times, each of which is a parameter.
static MANY_KEYS: LazyLock<String> = LazyLock::new(|| {
    let places: Vec<String> = (0..KEYS).map(|key| format!("${}", key + 2)).collect();
    let places = places.join(", ");
    format!("SELECT ts, usage FROM cpu WHERE host = $1 AND ts IN ({places})")
});

/// Every workload, in the order of the report.
pub fn all() -> Vec<Workload> {
    let groups = [
        points(),
        ranges(),
        ends(),
        scans(),
        loads(),
        counters(),
        plans(),
    ];
    groups.concat()
}

fn points() -> Vec<Workload> {
    const POINT: &str = "SELECT usage FROM cpu WHERE host = $1 AND ts = $2";
    let point = |name, way| Workload {
        way,
        is_single: true,
        by_hand: Some(Loop::Get),
        values: point_values,
        ..Workload::new(Group::Points, name, POINT)
    };
    vec![
        point("a row by its key, prepared", Way::Prepared),
        point("a row by its key, SQL text", Way::Text),
        point("a row by its key, text and parameters", Way::Parameters),
        Workload {
            by_hand: Some(Loop::MultiGet),
            values: many_keys,
            ..Workload::new(
                Group::Points,
                "1,000 rows by their keys, IN, prepared",
                &MANY_KEYS,
            )
        },
        Workload {
            way: Way::Text,
            is_single: true,
            ..Workload::new(Group::Points, "SELECT 1, SQL text", "SELECT 1")
        },
        Workload {
            way: Way::Text,
            is_single: true,
            values: one_host,
            ..Workload::new(
                Group::Points,
                "SELECT of a constant, another text each time",
                "SELECT $1",
            )
        },
    ]
}

fn ranges() -> Vec<Workload> {
    let range = |name, sql, by_hand, values| Workload {
        by_hand: Some(by_hand),
        values,
        ..Workload::new(Group::Ranges, name, sql)
    };
    vec![
        range(
            "1,250 rows, 16 buckets",
            "SELECT host, ts, usage FROM by_time WHERE ts >= $1 AND ts < $2",
            Loop::TimeRange,
            time_range,
        ),
        range(
            "count and sum of 1,250 rows, 16 buckets",
            "SELECT count(*), sum(usage) FROM by_time WHERE ts >= $1 AND ts < $2",
            Loop::TimeRangeSum,
            time_range,
        ),
        range(
            "1,250 rows, one range",
            "SELECT host, ts, usage FROM cpu WHERE host = $1 AND ts >= $2 AND ts < $3",
            Loop::HostRange,
            host_range,
        ),
        range(
            "count and sum of 1,250 rows, one range",
            "SELECT count(*), sum(usage) FROM cpu WHERE host = $1 AND ts >= $2 AND ts < $3",
            Loop::HostRangeSum,
            host_range,
        ),
    ]
}

fn ends() -> Vec<Workload> {
    let end = |name, sql, by_hand| Workload {
        is_ordered: true,
        by_hand: Some(by_hand),
        ..Workload::new(Group::Ends, name, sql)
    };
    vec![
        Workload {
            values: point_values,
            ..end(
                "LIMIT 10, forward",
                "SELECT ts, usage FROM cpu WHERE host = $1 AND ts <= $2 ORDER BY ts LIMIT 10",
                Loop::HostFirst,
            )
        },
        Workload {
            values: point_values,
            ..end(
                "LIMIT 10, backward",
                "SELECT ts, usage FROM cpu WHERE host = $1 AND ts >= $2 ORDER BY ts DESC LIMIT 10",
                Loop::HostLast,
            )
        },
        end(
            "the newest 10 of all, 16 buckets",
            "SELECT ts, host, usage FROM by_time ORDER BY ts DESC, host DESC LIMIT 10",
            Loop::Newest,
        ),
        Workload {
            is_ordered: false,
            spellings: &[
                (
                    Name::Sqlite,
                    "SELECT host, max(ts), usage FROM cpu GROUP BY host",
                ),
                (
                    Name::DuckDb,
                    "SELECT host, max(ts), arg_max(usage, ts) FROM cpu GROUP BY host",
                ),
            ],
            ..end(
                "the last row of each of 125 hosts",
                "SELECT host, max(ts), last_value(usage ORDER BY ts) FROM cpu GROUP BY host",
                Loop::LastOfHosts,
            )
        },
        Workload {
            is_ordered: false,
            ..end(
                "DISTINCT of the leading column",
                "SELECT DISTINCT host FROM cpu",
                Loop::Hosts,
            )
        },
    ]
}

fn scans() -> Vec<Workload> {
    let scan = |name, sql, by_hand| Workload {
        by_hand: Some(by_hand),
        ..Workload::new(Group::Scans, name, sql)
    };
    vec![
        scan("all columns of all rows", "SELECT * FROM cpu", Loop::Rows),
        Workload {
            one_thread: true,
            ..scan(
                "all columns of all rows, one thread",
                "SELECT * FROM cpu",
                Loop::Rows,
            )
        },
        Workload {
            is_ordered: true,
            ..scan(
                "all rows in order, 16 buckets",
                "SELECT ts, host, usage FROM by_time ORDER BY ts, host",
                Loop::InOrder,
            )
        },
        scan("count(*)", "SELECT count(*) FROM cpu", Loop::Count),
        scan("sum of a column", "SELECT sum(usage) FROM cpu", Loop::Sum),
        Workload {
            one_thread: true,
            ..scan(
                "sum of a column, one thread",
                "SELECT sum(usage) FROM cpu",
                Loop::Sum,
            )
        },
        scan(
            "GROUP BY, 40 groups",
            "SELECT kind, count(*), sum(usage) FROM cpu GROUP BY kind",
            Loop::ByKind,
        ),
        scan(
            "GROUP BY, 200,000 groups",
            "SELECT user_id, count(*), sum(usage) FROM cpu GROUP BY user_id",
            Loop::ByUser,
        ),
        scan(
            "one row of 2,000, by a value column",
            "SELECT host, ts, note FROM cpu WHERE usage >= 999.5",
            Loop::Busiest,
        ),
        scan(
            "join of 1,000 keys to all rows",
            "SELECT count(*), sum(c.usage) FROM wanted w JOIN cpu c ON c.host = w.host AND c.ts = w.ts",
            Loop::Join,
        ),
    ]
}

/// The SQL is that of the check of what was loaded.
fn loads() -> Vec<Workload> {
    const LOADED: &str = "SELECT count(*), sum(usage) FROM target";
    let load = |name, way| Workload {
        way,
        ..Workload::new(Group::Loads, name, LOADED)
    };
    vec![
        load("COPY from unsorted Parquet", Way::Copy),
        load("appender, unsorted rows in memory", Way::Append),
    ]
}

/// How many counters there are, in the table `counter` with the columns `k` and `n`.
pub const COUNTERS: i64 = 1_000;

/// What all counters stand at: by this the sides are held against one another.
pub const COUNTED: &str = "SELECT k, n FROM counter";

fn counters() -> Vec<Workload> {
    const UPDATE: &str = "UPDATE counter SET n = n + 1 WHERE k = $1";
    const UPSERT: &str = "INSERT INTO counter VALUES ($1, 1) ON CONFLICT (k) DO UPDATE SET n = counter.n + excluded.n";
    const PUT: &str = "INSERT OR REPLACE INTO counter VALUES ($1, 1)";
    let counter = |name, sql, threads| Workload {
        way: Way::Count { threads },
        values: a_counter,
        ..Workload::new(Group::Counters, name, sql)
    };
    let put = Workload {
        way: Way::Put,
        values: a_counter,
        ..Workload::new(Group::Counters, "a row is put, REPLACE", PUT)
    };
    vec![
        put,
        counter("a counter, UPDATE", UPDATE, 1),
        counter("a counter, UPDATE, 8 threads", UPDATE, 8),
        counter("a counter, ON CONFLICT", UPSERT, 1),
        counter("a counter, ON CONFLICT, 8 threads", UPSERT, 8),
    ]
}

fn plans() -> Vec<Workload> {
    let plan = |name, sql, values| Workload {
        way: Way::Plan,
        values,
        ..Workload::new(Group::Plans, name, sql)
    };
    vec![
        plan(
            "a row by its key",
            "SELECT usage FROM cpu WHERE host = $1 AND ts = $2",
            point_values,
        ),
        plan(
            "the newest ten of a host",
            "SELECT ts, usage FROM cpu WHERE host = $1 ORDER BY ts DESC LIMIT 10",
            a_host,
        ),
        plan(
            "count and sum of a time, by kind",
            "SELECT kind, count(*) AS n, sum(usage) AS total FROM by_time WHERE ts >= $1 AND ts < $2 GROUP BY kind ORDER BY kind",
            time_range,
        ),
        plan(
            "rows of a host that another host has, too",
            "SELECT a.ts, b.usage FROM cpu a JOIN cpu b ON b.ts = a.ts WHERE a.host = $1 AND b.host = 'host-001'",
            a_host,
        ),
        plan(
            "rows above the average, a subquery",
            "SELECT ts, usage FROM cpu WHERE host = $1 AND usage > (SELECT avg(usage) FROM cpu)",
            a_host,
        ),
        plan(
            "IN with 1,000 times, in the key",
            "SELECT count(*), sum(usage) FROM cpu WHERE host = $1 AND ts IN $2",
            many_times,
        ),
        plan(
            "IN with 10,000 users, not in the key",
            "SELECT count(*), sum(usage) FROM cpu WHERE user_id IN $1",
            many_users,
        ),
    ]
}

/// The keys of tables that are walked over: `a` is what all rows have in common, or each for itself, `b` one of 101, `c`
/// a number of its own in each row, `t` a text.
pub const WALK_KEYS: &[&str] = &[
    "a, b, c",
    "a, c",
    "a, c DESC, b",
    "a DESC, b, c",
    "t, a, c",
    "salt(8), a, b, c",
    "salt(4), a, c",
    "a, left(t, 2), c",
    "a, c / 100, b, c",
    "md5(t), b, c",
];

/// In how many groups the rows of such a table lie.
pub const WALK_GROUPS: &[usize] = &[1, 10, 300, 3_000, 10_000, 30_000, 100_000];

/// Conditions that parts behind the first one answer; `{b}`, `{c}` and `{t}` stand for values.
pub const WALK_CONDITIONS: &[&str] = &[
    "c = {c}",
    "c IN ({c}, {c}, {c})",
    "c BETWEEN 20000 AND {c}",
    "c > {c}",
    "b = {b}",
    "b < {b}",
    "b <> {b}",
    "b = {b} AND c > {c}",
    "b IN ({b}, {b}, {b}, {b}) AND c < {c}",
    "(b = {b} AND c > {c}) OR (b = {b} AND c < {c})",
    "(b = {b} AND c = {c}) OR (b = {b} AND c = {c}) OR (b = {b} AND c = {c}) OR (b = {b} AND c = {c})",
    "a >= 5 AND b = {b}",
    "left(t, 2) = 'x{t}' AND c < {c}",
    "b = {b} AND v % 3 = 1",
    "c > {c} AND note LIKE '%nnn%'",
];

/// What is asked with such a condition.
pub const WALK_QUERIES: &[&str] = &[
    "SELECT count(*) FROM t WHERE {where}",
    "SELECT count(*), sum(v) FROM t WHERE {where}",
    "SELECT * FROM t WHERE {where}",
    "SELECT a, c FROM t WHERE {where} ORDER BY a, b, c",
    "SELECT a, c FROM t WHERE {where} ORDER BY a, b, c LIMIT {n}",
    "SELECT a, c FROM t WHERE {where} ORDER BY a DESC, b DESC, c DESC LIMIT {n}",
    "SELECT v FROM t WHERE {where} LIMIT {n}",
    "SELECT a, max(c) FROM t WHERE {where} GROUP BY a",
];

fn no_values(_: Size, _: usize) -> Vec<Value> {
    Vec::new()
}

fn point_values(size: Size, call: usize) -> Vec<Value> {
    // Ten rows of the host are on either side.
    let row = size.row(call);
    let step = (row / data::HOSTS).clamp(10, size.steps() - 11);
    vec![
        Value::Text(data::host(row)),
        Value::Stamp(data::stamp(step)),
    ]
}

fn a_counter(_: Size, call: usize) -> Vec<Value> {
    let counter = (call as i64).wrapping_mul(7_919) % COUNTERS;
    vec![Value::Number(counter)]
}

fn one_host(size: Size, call: usize) -> Vec<Value> {
    vec![Value::Text(format!(
        "{} {call}",
        data::host(size.row(call))
    ))]
}

fn a_host(size: Size, call: usize) -> Vec<Value> {
    vec![Value::Text(data::host(size.row(call)))]
}

fn time_range(size: Size, call: usize) -> Vec<Value> {
    let steps = RANGE / data::HOSTS;
    let first = size.row(call) % (size.steps() - steps);
    vec![
        Value::Stamp(data::stamp(first)),
        Value::Stamp(data::stamp(first + steps)),
    ]
}

fn host_range(size: Size, call: usize) -> Vec<Value> {
    let row = size.row(call);
    let first = row % (size.steps() - RANGE);
    vec![
        Value::Text(data::host(row)),
        Value::Stamp(data::stamp(first)),
        Value::Stamp(data::stamp(first + RANGE)),
    ]
}

fn many_keys(size: Size, call: usize) -> Vec<Value> {
    let stamps = (0..KEYS).map(|index| data::stamp((call + index * 7) % size.steps()));
    let host = Value::Text(data::host(call));
    std::iter::once(host)
        .chain(stamps.map(Value::Stamp))
        .collect()
}

fn many_times(size: Size, call: usize) -> Vec<Value> {
    let stamps = (0..1_000).map(|index| data::stamp((call + index * 7) % size.steps()));
    vec![
        Value::Text(data::host(call)),
        Value::Stamps(stamps.collect()),
    ]
}

fn many_users(_: Size, call: usize) -> Vec<Value> {
    let users = (0..10_000).map(|index| ((call + index * 17) as i64) % USERS.cast_signed());
    vec![Value::Numbers(users.collect())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::LEAST_ROWS;

    #[test]
    fn values_are_within_the_rows() -> anyhow::Result<()> {
        let size = Size::new(LEAST_ROWS)?;
        let last = data::stamp(size.steps());
        for workload in all() {
            for call in 0..1_000 {
                let values = (workload.values)(size, call);
                let within = values.iter().all(|value| match value {
                    Value::Stamp(stamp) => (data::stamp(0)..=last).contains(stamp),
                    Value::Stamps(stamps) => stamps.iter().all(|stamp| *stamp < last),
                    Value::Number(number) => (0..COUNTERS).contains(number),
                    Value::Text(_) | Value::Numbers(_) => true,
                });
                assert!(within, "{}: {values:?}", workload.name);
                let places = workload.sql.matches('$').count();
                assert_eq!(places, values.len(), "{}", workload.name);
            }
        }
        Ok(())
    }
}
