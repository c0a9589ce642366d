//! Negative controls: a law that cannot be broken shows nothing.
//!
//! Each fault is a mistake in the production code path, switched on for one thread. The law must report a lost or a
//! surplus row, with a seed and a shrunk case. A panic does not count, nor does any other breach. A fault that loses and
//! adds no row must be seen by what is read, of one case or of many.

use super::cases::Case;
use super::check::{BUDGETS, Breach, check};
use super::random::Random;
use super::reads::AllReads;
use super::report::report;
use super::shrink::shrink;
use crate::fault::{self, Fault};

/// A control gives up after so many cases.
const CASES: u64 = 20_000;

/// The cases of controls are not those of the law.
const MASTER: u64 = 0x0c0d_e0ff_0fa0_0175;

#[track_caller]
fn must_be_seen(fault: Fault) {
    must_be_seen_as(fault, &[Breach::LostRow, Breach::SurplusRow]);
}

#[track_caller]
fn must_be_seen_as(fault: Fault, breaches: &[Breach]) {
    let found = fault::with(fault, || {
        (0..CASES).find_map(|index| {
            let seed = Random::case_seed(MASTER, index);
            let case = Case::generate(seed)?;
            let violation = check(&case).err()?;
            if !breaches.contains(&violation.breach) {
                return None;
            }
            let (case, violation) = shrink(case, violation);
            Some((index, report(seed, &case, &violation)))
        })
    });
    let Some((index, report)) = found else {
        panic!("{fault:?} is not seen in {CASES} cases");
    };
    println!("{fault:?} is seen in case {index}: {report}");
}

/// Of so many cases the reads are counted.
const COUNTED: u64 = 1_500;

/// What is read of cases that keep the law.
fn reads() -> AllReads {
    let mut reads = AllReads::default();
    for index in 0..COUNTED {
        let case = Case::generate(Random::case_seed(MASTER, index));
        if let Some(Ok(tally)) = case.map(|case| check(&case)) {
            reads.merge(&tally.reads);
        }
    }
    reads
}

/// A plan may read all keys and break nothing but the bound on what a run reads: of most cases nothing else is asked.
#[test]
fn lists_that_are_not_understood_are_seen_by_what_a_run_reads() {
    let usual = reads();
    assert_eq!(usual.gaps(), Vec::<String>::new());
    let worse = fault::with(Fault::ListNotUnderstood, reads);
    println!("usual:\n{}worse:\n{}", usual.table(), worse.table());
    for budget in BUDGETS {
        let gap = format!("at budget {budget},");
        assert!(worse.gaps().iter().any(|it| it.contains(&gap)), "{gap}");
    }
}

#[test]
fn a_bound_off_by_one_byte_is_seen() {
    must_be_seen(Fault::BoundOffByOne);
}

#[test]
fn a_dropped_box_is_seen() {
    must_be_seen(Fault::BoxDropped);
}

#[test]
fn an_ignored_direction_is_seen() {
    must_be_seen(Fault::DirectionIgnored);
}

#[test]
fn a_swapped_null_marker_is_seen() {
    must_be_seen(Fault::NullMarkerSwapped);
}

#[test]
fn spans_that_always_claim_to_be_tight_are_seen() {
    must_be_seen(Fault::AlwaysTight);
}

#[test]
fn a_floored_remainder_is_seen() {
    must_be_seen(Fault::FloorRemainder);
}

#[test]
fn the_wrong_successor_of_ff_is_seen() {
    must_be_seen(Fault::PrefixSuccessorFf);
}

#[test]
fn a_dropped_residual_is_seen() {
    must_be_seen(Fault::ResidualDropped);
}

#[test]
fn a_hash_that_always_collides_is_seen() {
    must_be_seen(Fault::HashCollides);
}

#[test]
fn an_opposite_asked_for_in_the_same_direction_is_seen() {
    must_be_seen(Fault::OppositeUnturned);
}

#[test]
fn a_time_moved_the_wrong_way_is_seen() {
    must_be_seen(Fault::MovedTheWrongWay);
}

#[test]
fn arithmetic_that_wraps_is_seen() {
    must_be_seen(Fault::WrapForgotten);
}

#[test]
fn a_choice_without_those_before_it_is_seen() {
    must_be_seen(Fault::ChoiceForgotten);
}

#[test]
fn an_alternative_that_is_forgotten_is_seen() {
    must_be_seen(Fault::AlternativeForgotten);
}

#[test]
fn a_beginning_that_is_taken_for_all_is_seen() {
    must_be_seen(Fault::LiteralTakenForAll);
}

#[test]
fn keys_of_other_layouts_are_seen() {
    must_be_seen_as(Fault::ConstantForgotten, &[Breach::SurplusRow]);
}

#[test]
fn a_walk_that_is_wider_than_its_boxes_is_seen() {
    must_be_seen_as(Fault::WalkWidened, &[Breach::NotTight]);
}

#[test]
fn listed_ranges_that_are_wider_than_their_boxes_are_seen() {
    must_be_seen_as(Fault::RangesWidened, &[Breach::NotTight]);
}

#[test]
fn a_listed_range_that_holds_its_stop_is_seen() {
    must_be_seen_as(Fault::StopIncluded, &[Breach::NotTight]);
}
