//! A case that broke the law, for people: its seed, and SQL to see it with.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::cases::Case;
use super::check::{BUDGETS, Violation};
use super::oracle::Oracle;
use super::predicate_text::{sql, value_sql};
use super::quiet::quietly;
use super::system::Lowered;
use crate::key::{NullOrder, SortOrder};

/// The report of a breach: what, the seed that replays it, and the shrunk case.
pub(super) fn report(seed: u64, case: &Case, violation: &Violation) -> String {
    let mut text = format!("{violation}\n  HALITE_LAW_SEED={seed:#018x} replays it; shrunk to:\n");
    let columns = case.columns.iter().map(|column| {
        let null = if column.nullable { "NULL" } else { "NOT NULL" };
        format!("{} {} {null}", column.name, column.sql_type)
    });
    let parts = case.parts.iter().map(|part| {
        let direction = match part.direction {
            SortOrder::Ascending => "ASC",
            SortOrder::Descending => "DESC",
        };
        let nulls = match part.nulls {
            NullOrder::First => "FIRST",
            NullOrder::Last => "LAST",
        };
        format!("{} {direction} NULLS {nulls}", part.expression)
    });
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "    CREATE TABLE t ({}, PRIMARY KEY ({}));",
        columns.collect::<Vec<_>>().join(", "),
        parts.collect::<Vec<_>>().join(", ")
    );
    for (position, row) in case.rows.iter().enumerate() {
        let values = row
            .iter()
            .zip(&case.columns)
            .map(|(value, column)| value_sql(value.as_ref(), &column.sql_type));
        let values = values.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            text,
            "    INSERT INTO t VALUES ({values}); -- row {position}"
        );
    }
    let condition = sql(&case.condition, &case.columns);
    let _ = writeln!(
        text,
        "    SELECT * FROM t WHERE {condition}; -- {:?}",
        case.variant
    );
    // What panics under the law panics here as well.
    let plans = quietly(|| catch_unwind(AssertUnwindSafe(|| spans(case))));
    match plans {
        Ok(Ok(plans)) => text.push_str(&plans),
        Ok(Err(error)) => text.push_str(&format!("    -- {error}\n")),
        Err(_) => text.push_str("    -- planning panics\n"),
    }
    text
}

/// The plan at every budget.
fn spans(case: &Case) -> Result<String, String> {
    let text = |error: crate::error::Error| error.to_string();
    let key = case.key().map_err(text)?;
    let oracle = Oracle::new(&case.columns, &case.rows);
    let lowered = Lowered::new(case, oracle.schema(), &key)?;
    let mut out = String::new();
    for row in &case.rows {
        if let Ok(encoded) = key.encode(row) {
            let _ = writeln!(out, "    -- key {}", crate::keyrange::hex(&encoded));
        }
    }
    let mut last = String::new();
    for budget in BUDGETS {
        let plan = lowered.plan(&key, budget).map_err(text)?;
        let mut shown = String::new();
        for row in plan.spans.explain(&key).map_err(text)? {
            let [first, behind] = row.hex().unwrap_or_default();
            let _ = writeln!(
                shown,
                "    --   {} {:?} {} .. {}  [{first}, {behind})",
                row.kind,
                row.buckets,
                row.start(),
                row.stop()
            );
        }
        for residual in &plan.residual {
            let _ = writeln!(
                shown,
                "    --   residual {}: {}",
                residual.conjunct, residual.reason
            );
        }
        if shown != last {
            let _ = writeln!(out, "    -- budget {budget}:");
            out.push_str(&shown);
            last = shown;
        }
    }
    Ok(out)
}
