//! From a query that is answered wrongly to a small one that is wrong in the same way.
//!
//! Every step takes something out; what is left need not make sense, for a query that the oracle does not answer is no
//! candidate.

mod queries;
mod terms;

use self::queries::queries;
use super::case::{Case, Verdict, Workshop};
use super::data::Table;
use super::subject::Settings;
use crate::key::{Expression, NullOrder, SortOrder};

/// The most cases that are tried.
const TRIALS: usize = 1_500;

/// The smallest case found whose verdict is of the same kind.
pub(super) fn shrink(workshop: &Workshop, case: Case, verdict: Verdict) -> (Case, Verdict) {
    let (mut case, mut verdict) = (case, verdict);
    let mut trials = 0;
    'simplify: loop {
        for candidate in candidates(&case) {
            trials += 1;
            if trials > TRIALS {
                break 'simplify;
            }
            let other = workshop.judge(&candidate);
            if other.kind() == verdict.kind() {
                (case, verdict) = (candidate, other);
                continue 'simplify;
            }
        }
        break;
    }
    (case, verdict)
}

/// Simpler cases, the boldest first.
fn candidates(case: &Case) -> Vec<Case> {
    let mut candidates = Vec::new();
    let with = |change: &dyn Fn(&mut Case)| {
        let mut changed = case.clone();
        change(&mut changed);
        changed
    };
    for query in queries(&case.query) {
        candidates.push(with(&|case| case.query = query.clone()));
    }
    for settings in simpler_settings(case.settings) {
        candidates.push(with(&|case| case.settings = settings));
    }
    for table in 0..case.data.tables.len() {
        let rows = case.data.tables[table].rows.len();
        let mut without = |from: usize, to: usize| {
            candidates.push(with(&|case| {
                case.data.tables[table].rows.drain(from..to);
            }));
        };
        if rows > 3 {
            without(0, rows / 2);
            without(rows / 2, rows);
        }
        for row in (0..rows).rev() {
            without(row, row + 1);
        }
        candidates.extend(simpler_layouts(case, table));
    }
    candidates
}

fn simpler_settings(settings: Settings) -> Vec<Settings> {
    let plain = Settings::PLAIN;
    let mut simpler = vec![
        plain,
        Settings {
            partitions: settings.partitions.min(2),
            ..settings
        },
        Settings {
            batch_size: plain.batch_size,
            ..settings
        },
        Settings {
            dealt_join: true,
            ..settings
        },
        Settings {
            partitioned_join: false,
            ..settings
        },
        Settings {
            merged_join: false,
            ..settings
        },
        Settings {
            dealt_rows: false,
            ..settings
        },
    ];
    simpler.retain(|one| *one != settings);
    simpler
}

/// The case with a simpler key of a table, or without a column that is in no key.
fn simpler_layouts(case: &Case, number: usize) -> Vec<Case> {
    let table = &case.data.tables[number];
    let mut layouts = Vec::new();
    let mut push = |change: &dyn Fn(&mut Table)| {
        let mut changed = case.clone();
        change(&mut changed.data.tables[number]);
        layouts.push(changed);
    };
    for part in 0..table.parts.len() {
        if table.parts.len() > 1 {
            push(&|table| drop(table.parts.remove(part)));
        }
        let one = &table.parts[part];
        if one.direction == SortOrder::Descending {
            push(&|table| table.parts[part].direction = SortOrder::Ascending);
        }
        if one.nulls == NullOrder::First {
            push(&|table| table.parts[part].nulls = NullOrder::Last);
        }
        if one.expression != Expression::column("id") {
            push(&|table| table.parts[part].expression = Expression::column("id"));
        }
    }
    for (position, column) in table.columns.iter().enumerate() {
        if column.nullable && table.rows.iter().all(|row| row[position].is_some()) {
            push(&|table| table.columns[position].nullable = false);
        }
    }
    layouts
}
