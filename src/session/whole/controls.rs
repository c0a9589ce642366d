//! Negative controls: what finds nothing shows nothing.
//!
//! Mends of the layers below are left out, one after the other. Then a query must be answered wrongly that is not with the
//! mend. Where to look first is recorded; where nothing is found there, because the drawing has changed, the search goes
//! on through other databases.
//!
//! Not all mends are found. What the others protect from is drawn too seldom, or not at all, and their canaries show it
//! (`docs/datafusion.md`):
//!
//! * `clocks`, `lost_order`, `ordered`, `date_trunc`, the filters of `min` and `max`: an order by the time of day over rows
//!   in the order of the time, constants that are joined and ordered by, aggregates over two orders, months of late times,
//!   extremes alone are in the language, and thousands of queries do not bring together what goes wrong;
//! * `enable_window_limits` needs two windows that look ahead, one over the other, and a LIMIT without an order;
//! * `projections` needs a derived table without an alias: every source that is drawn has one of its own;
//! * without `key_order` more is sorted, and the answers are the same: what it stands for is that nothing is declared.

use super::case::{QUERIES, Verdict, Workshop, report};
use super::shrink::shrink;
use crate::fault::{self, Fault};
use crate::plan::law::random::Random;
use crate::seed::number;

/// A control gives up after so many databases, unless `HALITE_CONTROL_DATABASES` says otherwise.
const DATABASES: u64 = 60;

/// Whether something is wrong with the fault that is not wrong without it: in the database with this seed, or in another one.
fn is_found(fault: Fault, recorded: u64) -> bool {
    let databases = number("HALITE_CONTROL_DATABASES").unwrap_or(DATABASES);
    let others = (0..databases).map(|number| Random::case_seed(recorded, number));
    let workshop = Workshop::new();
    for seed in std::iter::once(recorded).chain(others) {
        if let Some(report) = found(&workshop, fault, seed) {
            println!("{fault:?} is found at {seed:#018x}: {report}");
            return true;
        }
    }
    println!("{fault:?} is not found in {databases} databases");
    false
}

/// So often is a database asked before its seed is recorded.
const TIMES: usize = 20;

/// Looks for each mend that `HALITE_CONTROL_MEND` names, first where it is recorded: what it prints is recorded below. A
/// database in which it depends on the threads whether the mend is found is passed over.
#[test]
#[ignore = "a search for seeds, to be asked for by name"]
fn mends_are_searched() {
    let names = std::env::var("HALITE_CONTROL_MEND").expect("HALITE_CONTROL_MEND=name,name");
    let databases = number("HALITE_CONTROL_DATABASES").unwrap_or(DATABASES);
    let master = number("HALITE_WHOLE_MASTER").unwrap_or_default();
    let workshop = Workshop::new();
    for name in names.split(',') {
        let fault = Fault::MendLeftOut(name.to_owned().leak());
        let recorded = FOUND.iter().filter(|(mend, _)| *mend == name);
        let drawn = (0..databases).map(|number| Random::case_seed(master, number));
        let mut seeds = recorded.map(|(_, seed)| *seed).chain(drawn);
        match seeds.find_map(|seed| Some((seed, found_each_time(&workshop, fault, seed)?))) {
            Some((seed, report)) => println!("{name} is found at {seed:#018x}: {report}"),
            None => println!("{name} is not found in {databases} databases"),
        }
    }
}

fn found_each_time(workshop: &Workshop, fault: Fault, seed: u64) -> Option<String> {
    let report = found(workshop, fault, seed)?;
    let again = (1..TIMES).filter(|_| found(workshop, fault, seed).is_some());
    let times = 1 + again.count();
    if times < TIMES {
        println!("{fault:?} is found in {times} of {TIMES} times at {seed:#018x}: {report}");
    }
    (times == TIMES).then_some(report)
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

/// Each mend that random queries find, and a database in which they do, however the threads take their turns.
const FOUND: &[(&str, u64)] = &[
    ("above_groups", 0xb54e_0f16_00cc_4d19),
    ("bytes", 0xc3cf_1710_2b7f_7f86),
    ("claims", 0xb54e_0f16_00cc_4d19),
    ("comparisons", 0x657e_ecdd_3cb1_3d09),
    ("constants", 0x06c4_5d18_8009_454f),
    ("dependencies", 0x4973_05c5_d1aa_b99f),
    ("distinct_names", 0x00),
    ("equal_windows", 0xc584_133a_c916_ab3c),
    (
        "execution.skip_physical_aggregate_schema_check",
        0x6e78_9e6a_a1b9_65f4,
    ),
    ("extremes", 0xf1be_c5c8_fadf_0300),
    ("join_keys", 0x082e_c390_adda_cf80),
    ("kept_types", 0x53cb_9f0c_747e_a2ea),
    ("nearest", 0xf3b8_488c_368c_b0a6),
    ("numbers", 0x53cb_9f0c_747e_a2ea),
    ("optimizer.enable_topk_aggregation", 0x55f0_70ab_1cbb_f170),
    ("overflow", 0x06c4_5d18_8009_454f),
    ("regexes", 0xaaf1_814d_7da9_5edd),
    ("repeated", 0xe220_a839_7b1d_cdaf),
    ("requirements", 0x71c1_8690_ee42_c90b),
    ("sql_parser.parse_float_as_decimal", 0x453a_d4ba_e9ef_92d5),
    ("union_names", 0xe311_63b0_42bc_9b3b),
    ("zones", 0x00),
];

#[test]
fn mends_that_are_left_out_are_found() {
    let is_missing =
        |(name, recorded): &&(&'static str, u64)| !is_found(Fault::MendLeftOut(name), *recorded);
    let missing: Vec<_> = FOUND.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "not found: {missing:?}");
}

/// The document says of each mend whether random queries find it.
#[test]
fn the_document_says_what_is_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/datafusion.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let (text, _) = text.split_once("## Statements").expect("its statements");
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let is_found = FOUND
            .iter()
            .any(|(name, _)| cells[1].contains(&format!("`{name}`")));
        assert_eq!(cells[5] == "yes", is_found, "{row}");
    }
}
