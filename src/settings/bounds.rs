//! Bounds of settings: beyond them not the statement would fail but the process, which allocates at once what they say.
//! And settings that have one value, as DataFusion answers wrongly with another.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};

/// Settings with bounds of their own.
const BOUNDS: &[(&str, RangeInclusive<u64>)] = &[
    ("datafusion.execution.batch_size", 1..=1 << 20),
    // 0: as many as the machine has cores.
    ("datafusion.execution.target_partitions", 0..=MOST_TASKS),
    ("datafusion.execution.planning_concurrency", 0..=MOST_TASKS),
    (
        "datafusion.execution.meta_fetch_concurrency",
        1..=MOST_TASKS,
    ),
    (
        "datafusion.execution.perfect_hash_join_small_build_threshold",
        0..=1 << 20,
    ),
    ("datafusion.optimizer.max_passes", 0..=64),
    ("halite.span_budget", 1..=1 << 20),
];

/// Settings that keep their value, and what another one would do.
const FIXED: &[(&str, &str, &str)] = &[
    (
        "datafusion.optimizer.prefer_hash_join",
        "true",
        "DataFusion's joins by merging lose rows or panic",
    ),
    (
        "datafusion.optimizer.enable_window_limits",
        "false",
        "DataFusion puts limits below windows that need all rows",
    ),
    (
        "datafusion.optimizer.enable_topk_aggregation",
        "false",
        "DataFusion keeps groups by the name that rows are sorted by",
    ),
    (
        "datafusion.optimizer.enable_aggregate_dynamic_filter_pushdown",
        "false",
        "DataFusion keeps rows from aggregates beside min and max",
    ),
    // It sets those of joins and of sorts with a limit, which may be set alone, and the one above.
    (
        "datafusion.optimizer.enable_dynamic_filter_pushdown",
        "false",
        "DataFusion keeps rows from aggregates beside min and max",
    ),
    (
        "datafusion.execution.skip_physical_aggregate_schema_check",
        "true",
        "DataFusion would refuse queries that have an answer",
    ),
    (
        "datafusion.sql_parser.parse_float_as_decimal",
        "true",
        "numbers would lose their digits",
    ),
];

/// Tasks that a statement may be split into.
const MOST_TASKS: u64 = 1024;

/// Settings without bounds of their own: a tebibyte, or as many rows.
const ANY: RangeInclusive<u64> = 0..=1 << 40;

/// Refuses what a setting may not be; `None` for the default, which is DataFusion's. What is no whole number is left to
/// who reads it.
///
/// # Errors
/// `InvalidInput` with the setting, the value and the bounds; `NotSupported` for a setting that keeps its value.
pub(crate) fn check(name: &str, value: Option<&str>) -> Result<()> {
    let fixed = FIXED.iter().find(|(known, ..)| *known == name);
    if let Some((name, only, why)) = fixed
        && value.is_none_or(|value| !value.eq_ignore_ascii_case(only))
    {
        return Err(Error::unsupported(format!(
            "{name} stays {only}: with another value {why}"
        )));
    }
    value.map_or(Ok(()), |value| check_number(name, value))
}

fn check_number(name: &str, value: &str) -> Result<()> {
    let Ok(number) = value.trim().parse::<u128>() else {
        return Ok(());
    };
    let bounds = of(name);
    if u64::try_from(number).is_ok_and(|number| bounds.contains(&number)) {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "{name} cannot be {value}: it is a number from {} to {}",
            bounds.start(),
            bounds.end()
        )))
    }
}

fn of(name: &str) -> RangeInclusive<u64> {
    let own = BOUNDS.iter().find(|(known, _)| *known == name);
    own.map_or(ANY, |(_, bounds)| bounds.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Database;

    #[test]
    fn a_bound_names_setting_value_and_bounds() {
        let error = check("datafusion.execution.batch_size", Some("1000000000000")).unwrap_err();
        assert_eq!(
            error.message(),
            "datafusion.execution.batch_size cannot be 1000000000000: it is a number from 1 to 1048576"
        );
        check("datafusion.execution.batch_size", Some("0")).unwrap_err();
        check("datafusion.execution.batch_size", Some("8192")).unwrap();
        check("halite.statement_memory", Some("18446744073709551616")).unwrap_err();
        check("halite.durability", Some("sync")).unwrap();
        check("halite.durability", None).unwrap();
    }

    #[test]
    fn bounds_are_as_documented() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/limits.md");
        let text = std::fs::read_to_string(path).unwrap().replace(',', "");
        for (name, bounds) in BOUNDS {
            let row = format!("| `{name}` | {} | {} |", bounds.start(), bounds.end());
            assert!(text.contains(&row), "{row}");
        }
        let row = format!("| any other number | {} | {} |", ANY.start(), ANY.end());
        assert!(text.contains(&row), "{row}");
        for (name, ..) in FIXED {
            assert!(text.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[tokio::test]
    async fn a_setting_that_is_a_mend_keeps_its_value() {
        let connection = Database::in_memory().unwrap().connect();
        for (name, only, why) in FIXED {
            let other = if *only == "true" { "false" } else { "true" };
            for sql in [format!("SET {name} = {other}"), format!("RESET {name}")] {
                let error = connection.execute(&sql, ()).await.unwrap_err();
                assert!(error.message().contains(why), "{sql}: {error}");
            }
            let sql = format!("SET {name} = {only}");
            connection.execute(&sql, ()).await.unwrap();
        }
    }

    /// Every number at its bound, one after the other: what allocates as much as a setting says would end the test.
    #[tokio::test(flavor = "multi_thread")]
    async fn no_setting_at_its_bound_ends_the_process() {
        let database = Database::in_memory().unwrap();
        let names: Vec<String> = {
            let config = database.connect().context().copied_config();
            let entries = config.options().entries().into_iter();
            let numbers =
                entries.filter(|it| it.value.as_ref().is_none_or(|it| it.parse::<u64>().is_ok()));
            numbers.map(|it| it.key).collect()
        };
        assert!(names.len() > 30, "{names:?}");
        for (name, _) in BOUNDS {
            assert!(
                names.iter().any(|it| it == name) || name.starts_with("halite."),
                "{name} is no setting"
            );
        }
        let query = "SELECT a % 7 AS b, sum(a), max(c) OVER (ORDER BY a % 7) FROM \
                     (SELECT value AS a, value % 13 AS c FROM generate_series(1, 1000)) x \
                     JOIN generate_series(1, 100) y ON x.a = y.value GROUP BY a % 7, c ORDER BY sum(a) DESC, 1, c";
        for name in names {
            for end in [*of(&name).start(), *of(&name).end()] {
                let connection = database.connect();
                let set = format!("SET {name} = {end}");
                if connection.execute(&set, ()).await.is_err() {
                    continue;
                }
                match connection.query(query, ()).await {
                    Ok(batches) => assert!(batches.iter().any(|it| it.num_rows() > 0), "{set}"),
                    Err(error) => assert!(!error.message().contains("panic"), "{set}: {error}"),
                }
            }
        }
    }
}
