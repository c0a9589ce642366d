//! Negative controls: a law that cannot be broken shows nothing.
//!
//! Each fault is a mistake in the production code path, switched on for one thread. The law must report a lost or a
//! surplus row, with a seed and a shrunk case. A panic does not count, nor does any other breach. A fault that loses and
//! adds no row must be seen by what is read.

use super::cases::Case;
use super::check::{Breach, check};
use super::random::Random;
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
