//! Negative controls: what finds nothing shows nothing.
//!
//! Each mend of the layers below is left out once. Then a query must be answered wrongly that is not with the mend. Where
//! to look first is recorded; where nothing is found there, because the drawing has changed, the search goes on.

use super::case::{QUERIES, Verdict, Workshop, report};
use super::shrink::shrink;
use crate::fault::{self, Fault};
use crate::span::law::random::Random;
use crate::span::law::run::number;

/// A control gives up after so many databases, unless `HALITE_CONTROL_DATABASES` says otherwise.
const DATABASES: u64 = 60;

/// Something is wrong with the fault that is not wrong without it: in the database with this seed, or in another one.
#[track_caller]
fn must_be_found(fault: Fault, recorded: u64) {
    let databases = number("HALITE_CONTROL_DATABASES").unwrap_or(DATABASES);
    let others = (0..databases).map(|number| Random::case_seed(recorded, number));
    let workshop = Workshop::new();
    for seed in std::iter::once(recorded).chain(others) {
        if let Some(report) = found(&workshop, fault, seed) {
            println!("{fault:?} is found at {seed:#018x}: {report}");
            return;
        }
    }
    panic!("{fault:?} is not found in {databases} databases");
}

fn found(workshop: &Workshop, fault: Fault, seed: u64) -> Option<String> {
    let opened = workshop.open(seed);
    let is_wrong = |verdict: &Verdict| matches!(verdict, Verdict::Wrong(_));
    let (case, verdict) = (0..QUERIES).find_map(|number| {
        let (case, verdict) = fault::with(fault, || workshop.run(&opened, number));
        let is_found = is_wrong(&verdict) && !is_wrong(&workshop.judge(&case));
        is_found.then_some((case, verdict))
    })?;
    let (case, verdict) = match number("HALITE_CONTROL_SHRINK") {
        Some(_) => fault::with(fault, || shrink(workshop, case, verdict)),
        None => (case, verdict),
    };
    Some(report(&case, &verdict))
}

#[test]
fn conditions_below_groups_are_found() {
    must_be_found(Fault::MendLeftOut("above_groups"), 0);
}

#[test]
fn false_claims_are_found() {
    must_be_found(Fault::MendLeftOut("claims"), 0);
}

#[test]
fn rows_compared_as_structs_are_found() {
    must_be_found(Fault::MendLeftOut("comparisons"), 0);
}

#[test]
fn rounded_constants_are_found() {
    must_be_found(Fault::MendLeftOut("constants"), 0);
}

#[test]
fn equal_windows_are_found() {
    must_be_found(Fault::MendLeftOut("equal_windows"), 0);
}

#[test]
fn filters_of_another_table_are_found() {
    must_be_found(Fault::MendLeftOut("distinct_names"), 0);
}

#[test]
fn doubles_beside_the_nearest_are_found() {
    must_be_found(Fault::MendLeftOut("nearest"), 0);
}

#[test]
fn integers_that_wrap_are_found() {
    must_be_found(Fault::MendLeftOut("overflow"), 0);
}

#[test]
fn repeated_keys_are_found() {
    must_be_found(Fault::MendLeftOut("repeated"), 0);
}

#[test]
fn sorts_that_are_moved_are_found() {
    must_be_found(Fault::MendLeftOut("requirements"), 0);
}

#[test]
fn arms_that_give_their_names_are_found() {
    must_be_found(Fault::MendLeftOut("union_names"), 0);
}

#[test]
fn another_opinion_of_nulls_is_found() {
    must_be_found(
        Fault::MendLeftOut("execution.skip_physical_aggregate_schema_check"),
        0,
    );
}

#[test]
fn filters_of_a_minimum_are_found() {
    must_be_found(
        Fault::MendLeftOut("optimizer.enable_aggregate_dynamic_filter_pushdown"),
        0,
    );
}

#[test]
fn limits_below_windows_are_found() {
    must_be_found(Fault::MendLeftOut("optimizer.enable_window_limits"), 0);
}
