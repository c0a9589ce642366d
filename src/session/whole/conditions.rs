//! Conditions of the law over hostile values of every type, in Halite's session over a table in memory.
//!
//! The span law asks which rows a scan keeps. Here no scan takes part, and each condition is asked for its value in a
//! SELECT, too, which tells FALSE from NULL. `HALITE_SEED` replays a run, `HALITE_CASES` sets its length.

use std::sync::Arc;

use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;

use super::super::testing::{mended, try_rows};
use super::data::Table;
use super::truths::LawTable;
use crate::datum::{Datum, SqlType};
use crate::function::scalar_functions;
use crate::key::{Expression, NullOrder, PartDefinition, SortOrder};
use crate::plan::law::condition::{Column, Condition};
use crate::plan::law::predicate_text::sql;
use crate::plan::law::random::Random;
use crate::plan::law::shrink::simpler;
use crate::plan::law::values::{hostile, key_types};
use crate::seed::{number, seed};

/// Cases unless `HALITE_CASES` says otherwise.
const CASES: u64 = 500;

/// Conditions over one table.
const SAME_TABLE: u64 = 25;

/// Rows of a table.
const ROWS: i64 = 24;

/// A table of an `id` and columns of random types, with any of their hostile values.
fn table(random: &mut Random) -> Table {
    let column = |name: &str, sql_type: SqlType, nullable: bool| Column {
        name: name.to_owned(),
        sql_type,
        nullable,
    };
    let mut columns = vec![column("id", SqlType::BigInt, false)];
    for name in ["a", "b", "c"] {
        columns.push(column(name, random.pick(&key_types()).clone(), true));
    }
    let rows = (0..ROWS).map(|id| {
        let mut row = vec![Some(Datum::Integer(id))];
        for column in &columns[1..] {
            let value = random.pick(&hostile(&column.sql_type)).clone();
            row.push((!random.percent(12)).then_some(value));
        }
        row
    });
    Table {
        name: "t".to_owned(),
        rows: rows.collect(),
        parts: vec![PartDefinition {
            expression: Expression::column("id"),
            direction: SortOrder::Ascending,
            nulls: NullOrder::Last,
        }],
        columns,
    }
}

fn session(table: &Table) -> SessionContext {
    let (session, batch) = (mended(), table.batch());
    let provider = MemTable::try_new(batch.schema(), vec![vec![batch]]).expect("table");
    scalar_functions().for_each(|function| session.register_udf(function));
    let registered = session.register_table("t", Arc::new(provider));
    registered.expect("register");
    session
}

/// What is wrong with the answers to a condition; nothing where it is an error on a row.
async fn wrong(
    session: &SessionContext,
    (table, law): (&Table, &LawTable),
    condition: &Condition,
) -> Option<String> {
    let truths = law.truths(condition)?;
    let sql = sql(condition, &table.columns);
    let shown = |truth: Option<bool>| truth.map_or("NULL".to_owned(), |truth| truth.to_string());
    let truths = truths.into_iter().take(table.rows.len()).enumerate();
    let valued = truths
        .clone()
        .map(|(id, truth)| format!("{id}|{}", shown(truth)));
    let kept = truths.filter(|(_, truth)| *truth == Some(true));
    let kept = kept.map(|(id, _)| id.to_string());
    for (query, expected) in [
        (
            format!("SELECT id, {sql} FROM t"),
            valued.collect::<Vec<_>>(),
        ),
        (format!("SELECT id FROM t WHERE {sql}"), kept.collect()),
    ] {
        let seen = try_rows(session, &query).await;
        if seen.as_ref() != Ok(&expected) {
            let create = table.create();
            return Some(format!(
                "{create}\n{query}\n right {expected:?}\n seen {seen:?}"
            ));
        }
    }
    None
}

#[tokio::test]
async fn conditions_answer_by_value() {
    let seed = seed();
    let cases = number("HALITE_CASES").unwrap_or(CASES);
    for round in 0..cases.div_ceil(SAME_TABLE) {
        let random = &mut Random::new(Random::case_seed(seed, round));
        let table = table(random);
        let law = LawTable::new(&table);
        let session = session(&table);
        for _ in 0..SAME_TABLE {
            let Some(mut condition) = law.condition(random) else {
                continue;
            };
            let Some(mut failure) = wrong(&session, (&table, &law), &condition).await else {
                continue;
            };
            'smaller: loop {
                for part in simpler(&condition) {
                    if let Some(smaller) = wrong(&session, (&table, &law), &part).await {
                        (condition, failure) = (part, smaller);
                        continue 'smaller;
                    }
                }
                panic!("HALITE_SEED={seed}, round {round}\n{failure}");
            }
        }
    }
}
