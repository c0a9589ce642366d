//! Negative controls: what finds nothing shows nothing.
//!
//! Mends of the layers below are left out, one after the other. Then a query must be answered wrongly that is not with the
//! mend. Where to look first is recorded; where nothing is found there, because the drawing has changed, the search goes
//! on through other databases.

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
    must_be_found(Fault::MendLeftOut("above_groups"), 0xc584_133a_c916_ab18);
}

#[test]
fn false_claims_are_found() {
    must_be_found(Fault::MendLeftOut("claims"), 0x8e1f_7555_983a_a932);
}

#[test]
fn equal_windows_are_found() {
    must_be_found(Fault::MendLeftOut("equal_windows"), 0xe3b8_bb76_b153_b4ad);
}

#[test]
fn filters_of_another_table_are_found() {
    must_be_found(Fault::MendLeftOut("distinct_names"), 0x0a);
}

#[test]
fn repeated_keys_are_found() {
    must_be_found(Fault::MendLeftOut("repeated"), 0xd83e_be81_c8a2_c21e);
}

#[test]
fn sorts_that_are_moved_are_found() {
    must_be_found(Fault::MendLeftOut("requirements"), 0x52c8_bdb8_d839_6f55);
}

#[test]
fn arms_that_give_their_names_are_found() {
    must_be_found(Fault::MendLeftOut("union_names"), 0x2c82_9abe_1f45_32f3);
}

#[test]
fn another_opinion_of_nulls_is_found() {
    must_be_found(
        Fault::MendLeftOut("execution.skip_physical_aggregate_schema_check"),
        0x38,
    );
}
