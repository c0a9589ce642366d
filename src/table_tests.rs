//! Tables in a plain `SessionContext`: the rows that queries give, and what they read for them.

use std::fmt::Write as _;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::physical_plan::{collect, displayable};
use datafusion::prelude::{SessionConfig, SessionContext};
use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::*;
use crate::catalog::ddl::define_table;
use crate::function::scalar_functions;
use crate::plan::rule::install;
use crate::scan::{ScanTotals, StatementSnapshot, totals};
use crate::store::wrap::{Call, Log, Recording};
use crate::store::{MemoryStore, SpaceOptions};

#[path = "table_layout_tests.rs"]
mod layouts;
#[path = "table_order_tests.rs"]
mod orders;
#[path = "table_part_tests.rs"]
mod parts;

/// A session with tables over one store that is recorded, and beside each a MemTable `m_` with the same rows.
struct Fixture {
    context: SessionContext,
    store: Arc<dyn Store>,
    log: Log,
}

/// What a query gave and what it did for it.
struct Answer {
    /// The words of each row.
    rows: Vec<String>,
    /// The values of each row; NULL is empty.
    cells: Vec<Vec<String>>,
    plan: String,
    totals: ScanTotals,
}

impl Fixture {
    fn new(partitions: usize) -> Self {
        Self::with_options(partitions, HaliteOptions::default())
    }

    fn with_options(partitions: usize, options: HaliteOptions) -> Self {
        let config = SessionConfig::new()
            .with_target_partitions(partitions)
            .with_information_schema(true)
            .with_option_extension(options);
        Self::over(SessionContext::new_with_config(config))
    }

    /// A session with Halite's rules and functions.
    fn of_halite(partitions: usize) -> Self {
        let config = SessionConfig::new()
            .with_target_partitions(partitions)
            .with_option_extension(HaliteOptions::default());
        let builder = SessionStateBuilder::new_with_default_features().with_config(config);
        let context = SessionContext::new_with_state(install(builder).build());
        scalar_functions().for_each(|function| context.register_udf(function));
        Self::over(context)
    }

    fn over(context: SessionContext) -> Self {
        let store = Recording::new(Arc::new(MemoryStore::new()));
        Self {
            context,
            log: store.log(),
            store: Arc::new(store),
        }
    }

    /// Makes a table and fills it and its twin with the rows of a query.
    async fn create(&self, ddl: &str, rows: &str) -> Arc<HaliteTable> {
        let Some(Statement::CreateTable(statement)) =
            Parser::parse_sql(&GenericDialect {}, ddl).expect(ddl).pop()
        else {
            panic!("not a CREATE TABLE: {ddl}");
        };
        let id = self.store.spaces().unwrap().len() as u64 + 1;
        let table = BoundTable::new(define_table(&statement, id).expect(ddl)).unwrap();
        self.store
            .create_space(table.space(), &SpaceOptions::default())
            .unwrap();
        let name = table.name().to_owned();
        let (store, spills) = (Arc::clone(&self.store), SpillDirectory::default());
        let table = Arc::new(HaliteTable::new(store, table, spills));
        self.context
            .register_table(&name, Arc::clone(&table) as _)
            .unwrap();
        let twin = MemTable::try_new(table.schema(), vec![Vec::new()]).unwrap();
        self.context
            .register_table(format!("m_{name}"), Arc::new(twin))
            .unwrap();
        for target in [name.clone(), format!("m_{name}")] {
            let insert = self
                .context
                .sql(&format!("INSERT INTO {target} {rows}"))
                .await;
            insert.unwrap().collect().await.unwrap();
        }
        self.log.take();
        table
    }

    async fn ask(&self, sql: &str) -> Answer {
        let plan = self.context.sql(sql).await.expect(sql);
        let plan = plan.create_physical_plan().await.expect(sql);
        let batches = collect(Arc::clone(&plan), self.context.task_ctx())
            .await
            .expect(sql);
        let text = pretty_format_batches(&batches).unwrap().to_string();
        let lines: Vec<&str> = text.lines().collect();
        let rows = lines.get(3..lines.len() - 1).unwrap_or_default();
        let cells = |row: &&str| {
            let row = row.trim_matches('|');
            row.split('|').map(|cell| cell.trim().to_owned()).collect()
        };
        Answer {
            cells: rows.iter().map(cells).collect(),
            rows: rows
                .iter()
                .map(|row| {
                    row.replace(['|', ' '], " ")
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect(),
            plan: displayable(plan.as_ref()).indent(false).to_string(),
            totals: totals(&plan),
        }
    }

    /// The same query of the table `t` and of its twin gives the same rows, in whatever order unless `in_order`.
    async fn check(&self, sql: &str, in_order: bool) -> Answer {
        let answer = self.ask(sql).await;
        let twin = sql
            .replace("FROM t", "FROM m_t")
            .replace("JOIN t", "JOIN m_t");
        let twin = self.ask(&twin).await;
        let (mut found, mut expected) = (answer.rows.clone(), twin.rows);
        if !in_order {
            found.sort();
            expected.sort();
        }
        assert_eq!(found, expected, "{sql}\n{}", answer.plan);
        answer
    }
}

/// 100 rows: a and b from 0 to 9, v = (7a + 3b) mod 10, s NULL where b = 5.
const SQUARE: &str = "SELECT a, b, (7 * a + 3 * b) % 10, CASE WHEN b = 5 THEN NULL ELSE 'row ' || a || b END
    FROM (SELECT value AS a FROM generate_series(0, 9)) CROSS JOIN (SELECT value AS b FROM generate_series(0, 9))";

const PLAIN: &str = "CREATE TABLE t (a INT, b INT, v INT, s TEXT, PRIMARY KEY (a, b))";

async fn square(partitions: usize) -> Fixture {
    let fixture = Fixture::new(partitions);
    fixture.create(PLAIN, SQUARE).await;
    fixture
}

#[tokio::test]
async fn all_rows_come_in_key_order() {
    let fixture = square(4).await;
    let answer = fixture.check("SELECT * FROM t ORDER BY a, b", true).await;
    assert!(!answer.plan.contains("Sort"), "{}", answer.plan);
    assert!(
        answer
            .plan
            .contains("ScanExec: table=t, ranges=1, order=forward, projection=[a, b, v, s]")
    );
    let totals = answer.totals;
    assert_eq!(
        (
            totals.ranges,
            totals.seeks,
            totals.keys_read,
            totals.rows_out
        ),
        (1, 1, 100, 100)
    );
    assert!(totals.bytes_read > 800);
}

#[tokio::test]
async fn a_point_reads_one_key() {
    let fixture = square(4).await;
    let answer = fixture
        .check("SELECT s, v FROM t WHERE a = 3 AND b = 4", true)
        .await;
    assert_eq!(answer.rows.len(), 1);
    assert_eq!((answer.totals.ranges, answer.totals.keys_read), (1, 1));
    assert!(
        !answer.plan.contains("Filter") && !answer.plan.contains("residual"),
        "{}",
        answer.plan
    );
    let answer = fixture
        .check("SELECT b FROM t WHERE a = 3 AND b IN (1, 5, 12)", false)
        .await;
    assert_eq!((answer.totals.ranges, answer.totals.keys_read), (3, 2));
}

#[tokio::test]
async fn order_and_limit_reach_the_scan() {
    let fixture = square(4).await;
    for (sql, keys) in [
        ("SELECT * FROM t ORDER BY a DESC, b DESC LIMIT 3", 3),
        ("SELECT * FROM t WHERE a = 3 ORDER BY b DESC LIMIT 1", 1),
        ("SELECT b, a FROM t WHERE a = 3 ORDER BY b LIMIT 2", 2),
        ("SELECT * FROM t ORDER BY a, b LIMIT 4 OFFSET 5", 9),
        (
            "SELECT * FROM t WHERE a IN (2, 7) ORDER BY a DESC, b DESC LIMIT 12",
            12,
        ),
        ("SELECT v FROM t WHERE a = 9 ORDER BY a, b DESC", 10),
        (
            "SELECT * FROM t ORDER BY a DESC NULLS LAST, b DESC NULLS FIRST LIMIT 2",
            2,
        ),
    ] {
        let answer = fixture.check(sql, true).await;
        assert!(!answer.plan.contains("SortExec"), "{sql}\n{}", answer.plan);
        assert_eq!(answer.totals.keys_read, keys, "{sql}");
    }
    // What the keys are not ordered by is sorted.
    for sql in [
        "SELECT * FROM t ORDER BY b, a",
        "SELECT * FROM t ORDER BY a, b DESC",
        "SELECT * FROM t ORDER BY v, a, b LIMIT 5",
    ] {
        let answer = fixture.check(sql, true).await;
        assert!(answer.plan.contains("SortExec"), "{sql}\n{}", answer.plan);
    }
    let answer = fixture.ask("SELECT * FROM t LIMIT 7").await;
    assert_eq!((answer.rows.len(), answer.totals.keys_read), (7, 7));
    let answer = fixture.ask("SELECT * FROM t LIMIT 0").await;
    assert_eq!((answer.rows.len(), answer.totals.keys_read), (0, 0));
}

#[tokio::test]
async fn what_the_spans_do_not_prove_is_asked_of_each_row() {
    let fixture = square(4).await;
    let answer = fixture
        .check("SELECT a, s FROM t WHERE v = 3 AND s LIKE '%1'", false)
        .await;
    assert!(!answer.plan.contains("FilterExec"), "{}", answer.plan);
    assert!(
        answer.plan.contains("residual=[v@2 = 3 AND s@3 LIKE %1]"),
        "{}",
        answer.plan
    );
    assert_eq!(answer.totals.keys_read, 100);
    assert_eq!(answer.totals.rows_out, answer.rows.len());
    for sql in [
        "SELECT count(*) FROM t WHERE s IS NULL",
        "SELECT count(*) FROM t WHERE s = 'row 33' OR v > 8",
        "SELECT count(*), sum(v) FROM t WHERE a + b = 9",
        "SELECT b FROM t WHERE v <> 3 AND a = 4 AND 10 / (v + 1) > 2",
        "SELECT count(s) FROM t WHERE NOT (v = 3)",
        "SELECT s FROM t WHERE s > 'row 5' ORDER BY a DESC, b DESC LIMIT 3",
    ] {
        fixture.check(sql, false).await;
    }
    let answer = fixture
        .check("SELECT s FROM t WHERE v = 3 ORDER BY a, b LIMIT 2", true)
        .await;
    assert_eq!(
        answer.totals.keys_read, 64,
        "a limit with a filter begins with a short read"
    );
}

#[tokio::test]
async fn counting_decodes_nothing() {
    let fixture = square(4).await;
    let answer = fixture.check("SELECT count(*) FROM t", true).await;
    assert_eq!(answer.rows, ["100"]);
    assert!(answer.plan.contains("projection=[]"), "{}", answer.plan);
    let answer = fixture
        .check("SELECT count(*) FROM t WHERE a BETWEEN 2 AND 4", true)
        .await;
    assert_eq!(
        (answer.rows[0].as_str(), answer.totals.keys_read),
        ("30", 30)
    );
}

#[tokio::test]
async fn nothing_is_scanned_for_nothing() {
    let fixture = square(4).await;
    for sql in [
        "SELECT * FROM t WHERE a > 2147483647",
        "SELECT a, b FROM t WHERE a = 1 AND b > 3 AND b < 4 ORDER BY a DESC, b DESC LIMIT 3",
        "SELECT count(*) FROM t WHERE a > 5 AND a < 4",
    ] {
        let answer = fixture.check(sql, true).await;
        assert_eq!((answer.totals.ranges, answer.totals.seeks), (0, 0), "{sql}");
    }
    assert!(fixture.log.seeks("t1").is_empty());
}

#[tokio::test]
async fn queries_agree_with_a_memory_table() {
    let fixture = square(3).await;
    for pushdown in [true, false] {
        let set = format!("SET halite.pushdown = {pushdown}");
        fixture
            .context
            .sql(&set)
            .await
            .unwrap()
            .collect()
            .await
            .unwrap();
        for sql in [
            "SELECT x.a, y.b FROM t x JOIN t y ON x.a = y.b AND x.b = y.a WHERE x.v > 4",
            "SELECT x.s, y.s FROM t x JOIN t y ON x.v = y.v WHERE x.a = 1 AND x.b = 1 AND y.a > 6",
            "SELECT a, count(*), max(b), min(v) FROM t GROUP BY a",
            "SELECT DISTINCT a FROM t WHERE b > 7",
            "SELECT * FROM t WHERE a = (SELECT max(a) FROM t)",
            "SELECT * FROM t WHERE v > (SELECT avg(v) FROM t) AND a = 3",
            "SELECT * FROM t WHERE a IN (SELECT v FROM t WHERE a = 2)",
            "SELECT * FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE y.a = x.b AND y.v = x.a)",
            "SELECT max(a), min(b) FROM t",
            "SELECT * FROM t WHERE (a, b) IN ((1, 2), (3, 4), (10, 11))",
            "SELECT a, b FROM t WHERE a > 7 UNION ALL SELECT b, a FROM t WHERE b < 2",
            "SELECT a, row_number() OVER (PARTITION BY a ORDER BY b DESC) FROM t WHERE a < 3",
        ] {
            fixture.check(sql, false).await;
        }
        for sql in [
            "SELECT * FROM t ORDER BY v, s NULLS FIRST, a LIMIT 11",
            "SELECT a, b FROM t WHERE a > 2 ORDER BY a DESC, b LIMIT 11",
            "SELECT * FROM (SELECT * FROM t ORDER BY a, b LIMIT 25) x WHERE v > 4 ORDER BY a, b",
            "SELECT * FROM (SELECT * FROM t ORDER BY a DESC, b DESC LIMIT 25) x ORDER BY a, b LIMIT 3",
            "SELECT y.a, y.b FROM (SELECT * FROM t ORDER BY a, b LIMIT 15) x JOIN t y ON x.b = y.a WHERE x.a = 1 ORDER BY y.a, y.b",
            "SELECT s FROM t WHERE a >= 5 ORDER BY a, b",
            "SELECT s FROM t WHERE a >= 5 ORDER BY a DESC, b DESC",
        ] {
            fixture.check(sql, true).await;
        }
    }
}

#[tokio::test]
async fn without_pushdown_every_key_is_read() {
    let fixture = square(2).await;
    fixture
        .context
        .sql("SET halite.pushdown = false")
        .await
        .unwrap()
        .collect()
        .await
        .unwrap();
    let answer = fixture
        .check("SELECT * FROM t WHERE a = 3 AND b = 4", true)
        .await;
    assert_eq!(
        (
            answer.rows.len(),
            answer.totals.ranges,
            answer.totals.keys_read
        ),
        (1, 1, 100)
    );
}

#[tokio::test]
async fn a_filter_that_may_answer_otherwise_is_left_to_its_operator() {
    let fixture = square(2).await;
    let answer = fixture
        .ask("SELECT * FROM t WHERE random() >= 0 AND a = 3")
        .await;
    assert_eq!((answer.rows.len(), answer.totals.keys_read), (10, 10));
    assert!(
        answer.plan.contains("FilterExec: random()"),
        "{}",
        answer.plan
    );
}

#[tokio::test]
async fn filters_that_are_known_while_running_are_taken() {
    let fixture = square(2).await;
    let answer = fixture
        .check("SELECT s FROM t ORDER BY v DESC, a, b LIMIT 3", true)
        .await;
    assert!(
        answer.plan.contains("dynamic=[DynamicFilter"),
        "{}",
        answer.plan
    );
    let answer = fixture
        .check(
            "SELECT x.s FROM t x JOIN t y ON x.v = y.v WHERE y.a = 3 AND y.b = 4",
            false,
        )
        .await;
    assert!(
        answer.plan.contains("dynamic=[DynamicFilter"),
        "{}",
        answer.plan
    );
    assert_eq!(
        answer.totals.rows_out,
        answer.rows.len() + 1,
        "{}",
        answer.plan
    );
    let answer = fixture
        .check("SELECT s FROM t WHERE v = (SELECT max(v) FROM t)", false)
        .await;
    assert!(!answer.plan.contains("FilterExec"), "{}", answer.plan);
}

#[tokio::test]
async fn counts_are_plain_integers() {
    let fixture = Fixture::new(2);
    let rows = "SELECT value, 0, 1, 's' FROM generate_series(1, 2500)";
    fixture.create(PLAIN, rows).await;
    let explained = fixture
        .ask("EXPLAIN ANALYZE SELECT * FROM t WHERE a > 500 AND v = 1")
        .await;
    let mut text = String::new();
    explained
        .rows
        .iter()
        .for_each(|row| write!(text, "{row} ").unwrap());
    for count in ["keys_read=2000", "rows_out=2000", "ranges=1", "seeks=1"] {
        assert!(text.contains(count), "{count} in {text}");
    }
}

#[tokio::test]
async fn prepared_statements_find_their_ranges() {
    let fixture = square(2).await;
    for sql in ["PREPARE p (INT, INT) AS SELECT v FROM t WHERE a = $1 AND b = $2"] {
        fixture
            .context
            .sql(sql)
            .await
            .unwrap()
            .collect()
            .await
            .unwrap();
    }
    let answer = fixture.ask("EXECUTE p (3, 4)").await;
    assert_eq!((answer.rows.len(), answer.totals.keys_read), (1, 1));
}

#[tokio::test]
async fn a_scan_reads_at_one_moment() {
    let fixture = square(4).await;
    fixture
        .ask("SELECT count(*) FROM t x JOIN t y ON x.a = y.b")
        .await;
    let snapshots = |log: &Log| {
        log.take()
            .iter()
            .filter(|call| **call == Call::Snapshot)
            .count()
    };
    assert_eq!(
        snapshots(&fixture.log),
        2,
        "a bare provider: one for each scan"
    );

    let statement = StatementSnapshot::at(
        Arc::clone(&fixture.store),
        fixture.store.snapshot().unwrap(),
    );
    let insert = fixture
        .context
        .sql("INSERT INTO t VALUES (50, 50, 0, 'new')")
        .await
        .unwrap();
    insert.collect().await.unwrap();
    fixture.log.take();
    let mut state = fixture.context.state();
    state.config_mut().set_extension(Arc::new(statement));
    let old = SessionContext::new_with_state(state);
    let count = "SELECT count(*) FROM t x JOIN t y ON x.a = y.a AND x.b = y.b";
    let rows = old.sql(count).await.unwrap().collect().await.unwrap();
    assert!(
        pretty_format_batches(&rows)
            .unwrap()
            .to_string()
            .contains("| 100 ")
    );
    assert_eq!(snapshots(&fixture.log), 0, "a statement brings its own");
    assert_eq!(fixture.ask(count).await.rows, ["101"]);
}

#[tokio::test]
async fn a_plan_that_runs_again_sees_what_is_new() {
    let fixture = square(4).await;
    let plan = fixture
        .context
        .sql("SELECT * FROM t WHERE a = 50")
        .await
        .unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let run = async || {
        let batches = collect(Arc::clone(&plan), fixture.context.task_ctx())
            .await
            .unwrap();
        batches.iter().map(|batch| batch.num_rows()).sum::<usize>()
    };
    assert_eq!(run().await, 0);
    let insert = fixture
        .context
        .sql("INSERT INTO t VALUES (50, 50, 0, 'new')")
        .await
        .unwrap();
    insert.collect().await.unwrap();
    assert_eq!(run().await, 1);
}

#[tokio::test]
async fn the_seeks_are_the_ranges() {
    let fixture = square(1).await;
    fixture
        .ask("SELECT * FROM t WHERE a = 3 AND b IN (2, 7) OR a = 8")
        .await;
    let key = |bytes: &[u8]| crate::keyrange::hex(bytes);
    let seeks: Vec<String> = fixture
        .log
        .seeks("t1")
        .iter()
        .map(|range| key(range.start()))
        .collect();
    assert_eq!(seeks, ["8000000380000002", "8000000380000007", "80000008"]);
}

/// DataFusion would drop what else rows are sorted or grouped by.
#[tokio::test]
async fn the_key_of_one_table_is_not_taken_for_that_of_all_rows() {
    let fixture = Fixture::new(1);
    let (t, u) = (
        "CREATE TABLE t (id INT, s INT, PRIMARY KEY (id))",
        "CREATE TABLE u (k INT, s INT, PRIMARY KEY (k))",
    );
    fixture.create(t, "VALUES (1, 1), (2, 1)").await;
    fixture
        .create(u, "VALUES (1, 1), (2, 1), (3, 1), (4, 1)")
        .await;
    let joined = "SELECT id, k, count(*) AS n FROM t JOIN u ON t.s = u.s GROUP BY id, k";
    let sorted = fixture
        .ask(&format!("{joined} ORDER BY id, k LIMIT 3"))
        .await;
    assert_eq!(sorted.rows, ["1 1 1", "1 2 1", "1 3 1"]);
    let grouped = format!("SELECT id, sum(n) FROM ({joined}) AS p GROUP BY id, k");
    assert_eq!(fixture.ask(&grouped).await.rows.len(), 8);
    let unnested = fixture
        .ask("SELECT id, unnest(make_array(3, 1, 2)) AS v FROM t ORDER BY id, v")
        .await;
    assert_eq!(unnested.rows, ["1 1", "1 2", "1 3", "2 1", "2 2", "2 3"]);
}

#[tokio::test]
async fn zeros_and_not_a_numbers_compare_as_they_are_stored() {
    let fixture = Fixture::new(1);
    let ddl = "CREATE TABLE f (k INT, d DOUBLE, PRIMARY KEY (k))";
    let rows = "VALUES (1, 0.0), (2, -0.0), (3, 'NaN'::double), (4, 1.0)";
    fixture.create(ddl, rows).await;
    for (condition, expected) in [
        ("d = -0.0", vec!["1", "2"]),
        ("d >= -0.0", vec!["1", "2", "3", "4"]),
        ("d = -('NaN'::double)", vec!["3"]),
        ("d IN (-0.0, 7, 8, 9, 10)", vec!["1", "2"]),
    ] {
        let answer = fixture
            .ask(&format!("SELECT k FROM f WHERE {condition} ORDER BY k"))
            .await;
        assert_eq!(answer.rows, expected, "{condition}\n{}", answer.plan);
    }
}
