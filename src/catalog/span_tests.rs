//! Golden scripts of spans: `src/span/golden/*.txt`.
//!
//! A script is blocks between blank lines. A block begins with `CREATE TABLE …;` or with conditions, one a line, over
//! the last table; behind `---` stands what each becomes. `HALITE_REWRITE=1` writes the files anew.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::prelude::{SessionConfig, SessionContext, col, lit};
use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::catalog::ddl::define_table;
use crate::datum::{Datum, SqlType};
use crate::golden::assert_golden;
use crate::key::domain::MADE;
use crate::key::{Argument, Cut, Domain, Expression, RowKey};
use crate::predicate::{Predicate, lower_all as lower};
use crate::schema::Table;
use crate::span::*;

fn table(sql: &str) -> Table {
    match Parser::parse_sql(&GenericDialect {}, sql).expect(sql).pop() {
        Some(Statement::CreateTable(statement)) => define_table(&statement, 1).expect(sql),
        _ => panic!("not a CREATE TABLE: {sql}"),
    }
}

/// The plan of a condition as a bare provider gets it: coerced and simplified by DataFusion.
fn plan_condition(
    context: &SessionContext,
    table: &Table,
    condition: &str,
    budget: usize,
) -> (RowKey, Plan) {
    let schema = DFSchema::try_from(table.arrow_schema().as_ref().clone()).unwrap();
    let expression = context
        .state()
        .create_logical_expr(condition, &schema)
        .expect(condition);
    let simplifier = ExprSimplifier::new(
        SimplifyContext::builder()
            .with_schema(Arc::new(schema.clone()))
            .build(),
    );
    let coerced = simplifier.coerce(expression, &schema).expect(condition);
    let simplified = simplifier.simplify(coerced).expect(condition);
    let key = table.row_key().unwrap();
    let conjuncts = lower(&[simplified], key.columns());
    let plan = plan(&key, conjuncts, budget).unwrap();
    (key, plan)
}

fn show(context: &SessionContext, table: &Table, condition: &str) -> String {
    let (key, plan) = plan_condition(context, table, condition, BUDGET);
    let mut text = format!("{condition}\n");
    for row in plan.spans.explain(&key).unwrap() {
        let bucket = row
            .buckets_in_words()
            .map(|bucket| format!(" [{bucket}]"))
            .unwrap_or_default();
        let (start, stop) = (row.start(), row.stop());
        let ends = if start == stop {
            start
        } else {
            format!("{start} .. {stop}")
        };
        let [first, behind] = row.hex().unwrap();
        writeln!(text, "  {}{bucket} {ends}  {first}..{behind}", row.kind).unwrap();
    }
    let residual: Vec<&str> = plan
        .residual
        .iter()
        .map(|residual| residual.reason.as_str())
        .collect();
    match residual.as_slice() {
        [] => text.push_str("  tight\n"),
        reasons => writeln!(text, "  residual: {}", reasons.join(" | ")).unwrap(),
    }
    text
}

fn run_script(context: &SessionContext, script: &str) -> String {
    let mut current = None;
    let mut output = String::new();
    for block in script
        .split("\n\n")
        .filter(|block| !block.trim().is_empty())
    {
        let input = block.split("\n---\n").next().unwrap_or_default().trim();
        if input.starts_with("CREATE TABLE") {
            current = Some(table(input.trim_end_matches(';')));
            writeln!(output, "{input}\n").unwrap();
            continue;
        }
        let table = current.as_ref().expect("a condition before any table");
        let shown: String = input
            .lines()
            .map(|condition| show(context, table, condition))
            .collect();
        writeln!(output, "{input}\n---\n{shown}").unwrap();
    }
    output
}

/// Three columns, each in a list of `values`: the intervals that planning makes, and those that the plan holds.
fn product_of_lists(values: i64) -> (usize, usize) {
    let table = table("CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b, c))");
    let key = table.row_key().unwrap();
    let listed = |column: &str| {
        let list = (0..values).rev().map(|value| lit(3 * value));
        col(column).in_list(list.collect(), false)
    };
    let filters = ["a", "b", "c"].map(listed);
    let before = MADE.get();
    let plan = plan(&key, lower(&filters, key.columns()), BUDGET).unwrap();
    let made = MADE.get() - before;
    let [run] = plan.spans.runs() else {
        panic!("{:?}", plan.spans);
    };
    assert!(plan.tight() && matches!(run.work, Work::Walk(_)));
    (made, plan.spans.intervals())
}

/// Rows that are left out one by one: the intervals that planning makes, and the rows of `EXPLAIN KEYS`.
fn rows_left_out(rows: i64) -> (usize, usize) {
    let table = table("CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b, c))");
    let key = table.row_key().unwrap();
    let row = |row: i64| col("a").not_eq(lit(3 * row)).or(col("b").not_eq(lit(-row)));
    let filters: Vec<Expr> = (0..rows).map(row).collect();
    let before = MADE.get();
    let plan = plan(&key, lower(&filters, key.columns()), BUDGET).unwrap();
    let made = MADE.get() - before;
    assert!(plan.tight());
    (made, plan.spans.explain(&key).unwrap().len())
}

/// `(a, b) NOT IN (…)` is exact: about as many ranges as it has rows, or a walk over these, planned as quickly as it is read.
#[test]
fn rows_left_out_are_planned_in_proportion_to_their_number() {
    let (made, shown) = rows_left_out(500);
    let (made_of_more, shown_of_more) = rows_left_out(4_000);
    assert!(
        (501..=510).contains(&shown) && shown_of_more == 1,
        "{shown} and {shown_of_more}"
    );
    assert!(made_of_more < made * 12, "{made} and {made_of_more}");
}

/// `b < 0 OR (b < 100 AND reverse_digits(b) <> '2')`: a number below 0 has no reversed digits, and satisfies the first.
#[test]
fn rows_for_which_an_expression_has_no_value_are_kept() {
    let key = table("CREATE TABLE t (b SMALLINT, PRIMARY KEY (b))")
        .row_key()
        .unwrap();
    let below = |end| {
        let domain = Domain::between(
            &SqlType::SmallInt,
            Cut::Start,
            Cut::Below(Datum::Integer(end)),
        );
        Predicate::Member(Expression::column("b"), domain)
    };
    let digits = Expression::new("reverse_digits", vec![Argument::Column("b".to_owned())]);
    let two = Domain::points(&SqlType::Text, [Datum::Text("20000".to_owned())]);
    let others = Predicate::Member(digits, two.complement());
    let condition = Predicate::Any(vec![below(0), Predicate::All(vec![below(100), others])]);
    let plan = plan(&key, [((), condition)], BUDGET).unwrap();
    for number in [i16::MIN.into(), -257, -1, 0, 99] {
        let row = key.encode(&[Some(Datum::Integer(number))]).unwrap();
        let mut runs = plan.spans.runs().iter();
        assert!(runs.any(|run| run.contains(&row).unwrap()), "{number}");
    }
}

/// Planned in O(n log n) time and linear memory: ten times as many values make ten times as much work, and no list of
/// their combinations.
#[test]
fn a_product_of_lists_is_planned_in_proportion_to_their_length() {
    let (made, held) = product_of_lists(100);
    let (made_of_more, held_of_more) = product_of_lists(1_000);
    assert_eq!((held, held_of_more), (300, 3_000));
    assert!(made < 300 * 20, "{made}");
    assert!(made_of_more < made * 11, "{made} and {made_of_more}");
}

#[test]
fn golden_scripts() {
    let mut config = SessionConfig::new();
    config.options_mut().sql_parser.parse_float_as_decimal = true;
    let context = SessionContext::new_with_config(config);
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/span/golden");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let script = std::fs::read_to_string(&file).unwrap();
        let output = run_script(&context, &script);
        assert_golden(&file, &output);
    }
}
