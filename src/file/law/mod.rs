//! The law of files, shown on random ones: a query over a file gives what it gives over the same rows in a table.
//!
//! A [`case`] is rows and files that hold just these. Rows are [drawn](draw), and [written](write) with random row groups,
//! pages and encodings, with statistics, without them, and with some of them; or another program wrote both, pyarrow and
//! DuckDB, which `.ci/files` asks for it. [`questions`] are asked of a table of these rows and of each file
//! ([`check`]). The controls make mistakes that readers of such files are known for, and one of the answers must differ.
//!
//! A case follows from its seed: one that fails prints it, and `HALITE_FILE_SEED` replays it. `HALITE_FILE_CASES` sets the
//! number of those that are drawn, `HALITE_FILES` names a directory of cases that another program wrote.

mod case;
mod check;
mod draw;
mod questions;
mod write;

use std::path::PathBuf;

use parking_lot::Mutex;

use self::case::Case;
use self::check::check;
use crate::fault::{self, Fault};
use crate::plan::law::random::Random;
use crate::plan::law::run::on_all_cores;
use crate::seed::{number, seed};

/// Cases that are drawn, unless `HALITE_FILE_CASES` says otherwise.
const CASES: u64 = 60;
/// A control gives up after so many.
const CONTROL_CASES: u64 = 400;

#[test]
fn a_file_answers_as_a_table_of_its_rows() {
    if let Some(seed) = number("HALITE_FILE_SEED") {
        return drawn(seed).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    let (master, wanted) = (seed(), number("HALITE_FILE_CASES").unwrap_or(CASES));
    let asked = on_each(wanted, |case| {
        let seed = Random::case_seed(master, case);
        drawn(seed).map_err(|wrong| format!("HALITE_FILE_SEED={seed:#x}: {wrong}"))
    });
    println!("{asked} tables");
}

/// Cases in the directory that `HALITE_FILES` names: those that `.ci/files` had others write.
#[test]
fn files_of_others_answer_as_a_table_of_their_rows() {
    let Some(directory) = std::env::var_os("HALITE_FILES") else {
        return;
    };
    let entries = std::fs::read_dir(&directory).expect("HALITE_FILES is a directory");
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    cases.sort();
    assert!(!cases.is_empty(), "{} has no case", directory.display());
    let count = u64::try_from(cases.len()).expect("few cases");
    let asked = on_each(count, |number| {
        let path = &cases[usize::try_from(number).expect("few cases")];
        check(&Case::read(path), number)
    });
    println!("{asked} tables of {}", directory.display());
}

/// Has all cores work through cases. Each that failed is told as it does, and the first few again at the end.
fn on_each(count: u64, work: impl Fn(u64) -> Result<(), String> + Sync) -> u64 {
    let wrong = Mutex::new(Vec::new());
    on_all_cores(|next| {
        loop {
            let case = next();
            if case >= count {
                return;
            }
            if let Err(what) = work(case) {
                println!("{what}\n");
                wrong.lock().push(what);
            }
        }
    });
    let wrong = wrong.into_inner();
    let shown = wrong.iter().take(5).cloned().collect::<Vec<_>>();
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        shown.join("\n\n")
    );
    count
}

fn drawn(seed: u64) -> Result<(), String> {
    let directory = tempfile::tempdir().expect("directory");
    check(&Case::drawn(seed, directory.path()), seed)
}

/// A mistake is seen in one of the first cases, and what is seen is not wrong without it.
fn must_be_seen(fault: Fault) {
    for case in 0..CONTROL_CASES {
        let seed = Random::case_seed(0x00f1_1e00, case);
        if let Err(wrong) = fault::with(fault, || drawn(seed)) {
            println!("{fault:?} is seen at {seed:#x}: {wrong}");
            return drawn(seed).unwrap_or_else(|wrong| panic!("without {fault:?}: {wrong}"));
        }
    }
    panic!("{fault:?} is not seen in {CONTROL_CASES} cases");
}

#[test]
fn nan_outside_of_bounds_is_seen() {
    must_be_seen(Fault::BoundsWithoutNan);
}

#[test]
fn bounds_that_are_written_beside_nan_are_seen() {
    must_be_seen(Fault::BoundsBesideNan);
}

#[test]
fn nulls_that_are_not_counted_are_seen() {
    must_be_seen(Fault::NullsDenied);
}

#[test]
fn groups_that_state_nothing_are_seen() {
    must_be_seen(Fault::SomeGroupsForAll);
}
