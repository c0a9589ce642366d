//! The law of texts: *what a query finds in a CSV or a JSON file is what it finds in a table of the same rows; where a value does
//! not fit what the first rows showed, it is an error that names the file and the line.*
//!
//! A case follows from one number: rows of awkward texts, written as programs write them, of which some come only behind the
//! rows that are looked at. What their columns are and which value does not fit is worked out a second time ([`cells`]).
//! `HALITE_TEXTS_SEED` replays a case, `HALITE_TEXTS_CASES` says how many there are.

mod case;
mod cells;
mod file;

use std::collections::BTreeMap;

use self::case::{Case, Verdict};
use crate::fault::{self, Fault};
use crate::plan::law::random::Random;
use crate::seed::number;

/// Cases, unless `HALITE_TEXTS_CASES` says otherwise.
const CASES: u64 = 80;
/// A control gives up after so many.
const CONTROL_CASES: u64 = 400;
const MASTER: u64 = 0x7e_c575;

fn run(seed: u64) -> Result<Verdict, String> {
    let directory = tempfile::TempDir::new().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(Case::drawn(seed).run(directory.path()))
}

#[test]
fn files_are_tables_of_the_same_rows() {
    if let Some(seed) = number("HALITE_TEXTS_SEED") {
        println!(
            "{:?}",
            run(seed).unwrap_or_else(|problem| panic!("{problem}"))
        );
        return;
    }
    let (mut seen, mut refused) = (BTreeMap::<&str, usize>::new(), 0);
    for index in 0..number("HALITE_TEXTS_CASES").unwrap_or(CASES) {
        let seed = Random::case_seed(MASTER, index);
        match run(seed) {
            Ok(Verdict::Refused) => refused += 1,
            Ok(Verdict::Same(types)) => types
                .iter()
                .for_each(|it| *seen.entry(it).or_default() += 1),
            Err(problem) => panic!("HALITE_TEXTS_SEED={seed:#x}: {problem}"),
        }
    }
    println!("{refused} refused, {seen:?}");
    assert!(refused > 5 && seen.len() > 6, "{refused} {seen:?}");
}

/// The law sees each of these.
#[test]
fn mistakes_are_seen() {
    for fault in [
        Fault::LateValueCut,
        Fault::LeadingZeroLost,
        Fault::HeaderTakenForGranted,
        Fault::EmptyTextTakenForNull,
        Fault::LateNamePassed,
        Fault::BrokenQuotesTaken,
    ] {
        let mut seeds = (0..CONTROL_CASES).map(|index| Random::case_seed(MASTER, index));
        let is_seen = |seed: u64| fault::with(fault, || run(seed)).is_err();
        assert!(seeds.any(is_seen), "{fault:?} is not seen");
    }
}
