//! What the checker tries, and what it must find when a rule is broken.

use std::collections::HashSet;

use super::model_tests::{Budget, Kind, Start, World, Wrong, fingerprint};
use super::rules::{Rule, without};
use crate::seed::number;

/// What is tried.
struct Scenario {
    name: &'static str,
    keys: usize,
    /// Keys that have a row at the beginning.
    rows: usize,
    processes: &'static [Start],
    budget: Budget,
}

impl Scenario {
    fn world(&self) -> World {
        World::new(self.keys, self.rows, self.processes, self.budget)
    }

    /// Tries all. Returns how many worlds there are, or what is wrong with one and how many were seen before it.
    fn check(&self) -> Result<usize, (usize, Wrong)> {
        let first = self.world();
        let mut seen = HashSet::from([fingerprint(&first)]);
        let mut stack = vec![first];
        while let Some(world) = stack.pop() {
            let mut is_end = true;
            for next in world.next() {
                let next = next.map_err(|wrong| (seen.len(), wrong))?;
                let print = fingerprint(&next);
                is_end &= print == fingerprint(&world);
                if seen.insert(print) {
                    stack.push(next);
                }
            }
            if is_end {
                world.check_end().map_err(|wrong| (seen.len(), wrong))?;
            }
        }
        Ok(seen.len())
    }
}

/// What is tried in every run, in a few seconds.
const SHORT: &[Scenario] = &[
    Scenario {
        name: "two INSERTs of a key, one given up",
        keys: 1,
        rows: 0,
        processes: &[Start::Insert(&[0]), Start::Insert(&[0])],
        budget: budget(2, 0, 1, 0, 0),
    },
    Scenario {
        name: "an INSERT, a DELETE and a reader, one dies",
        keys: 2,
        rows: 0,
        processes: &[
            Start::Insert(&[0, 1]),
            Start::Delete(&[1]),
            Start::Read(&[1, 0]),
        ],
        budget: budget(0, 1, 1, 0, 0),
    },
    Scenario {
        name: "two REPLACEs and two readers",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Replace(&[0]),
            Start::Replace(&[0]),
            Start::Read(&[0]),
            Start::Read(&[0]),
        ],
        budget: budget(0, 0, 0, 0, 0),
    },
    Scenario {
        name: "a REPLACE that says that it is alive",
        keys: 1,
        rows: 1,
        processes: &[Start::Replace(&[0]), Start::Insert(&[0])],
        budget: budget(2, 0, 1, 1, 0),
    },
    Scenario {
        name: "a vacuum, a REPLACE and a reader",
        keys: 1,
        rows: 1,
        processes: &[Start::Replace(&[0]), Start::Vacuum, Start::Read(&[0])],
        budget: budget(0, 0, 1, 0, 1),
    },
    Scenario {
        name: "a vacuum, a DELETE and a reader",
        keys: 1,
        rows: 1,
        processes: &[Start::Delete(&[0]), Start::Vacuum, Start::Read(&[0])],
        budget: budget(0, 0, 0, 0, 1),
    },
    Scenario {
        name: "two vacuums and a REPLACE, two retentions",
        keys: 1,
        rows: 1,
        processes: &[Start::Replace(&[0]), Start::Vacuum, Start::Vacuum],
        budget: budget(0, 0, 0, 0, 2),
    },
    Scenario {
        name: "a sweep behind a REPLACE that was given up",
        keys: 1,
        rows: 1,
        processes: &[Start::Replace(&[0]), Start::Sweep, Start::Read(&[0])],
        budget: budget(1, 0, 1, 0, 1),
    },
    Scenario {
        name: "two INSERTs on readings of before and a DELETE, one given up",
        keys: 1,
        rows: 0,
        processes: &[
            Start::Knows(Kind::Insert, &[0]),
            Start::Knows(Kind::Insert, &[0]),
            Start::Delete(&[0]),
        ],
        budget: budget(1, 0, 1, 0, 0),
    },
    Scenario {
        name: "a SELECT on a reading of before, a REPLACE and an INSERT",
        keys: 1,
        rows: 0,
        processes: &[
            Start::Knows(Kind::Select(0), &[0]),
            Start::Replace(&[0]),
            Start::Insert(&[0]),
        ],
        budget: budget(1, 0, 1, 0, 0),
    },
    Scenario {
        name: "a vacuum, a SELECT and a REPLACE on readings of before",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Vacuum,
            Start::Knows(Kind::Select(0), &[0]),
            Start::Knows(Kind::Replace, &[0]),
        ],
        budget: budget(0, 0, 1, 0, 1),
    },
    Scenario {
        name: "two REPLACEs and a reader that supposes, one given up",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Replace(&[0]),
            Start::Replace(&[0]),
            Start::Suppose(&[0]),
        ],
        budget: budget(0, 0, 1, 0, 0),
    },
    Scenario {
        name: "an INSERT, a DELETE and a reader that supposes, of two keys",
        keys: 2,
        rows: 1,
        processes: &[
            Start::Insert(&[1]),
            Start::Delete(&[0, 1]),
            Start::Suppose(&[1, 0]),
        ],
        budget: budget(0, 1, 1, 0, 0),
    },
    Scenario {
        name: "a vacuum, a DELETE and a reader that supposes, of two keys",
        keys: 2,
        rows: 2,
        processes: &[
            Start::Delete(&[0, 1]),
            Start::Vacuum,
            Start::Suppose(&[0, 1]),
        ],
        budget: budget(0, 0, 0, 0, 1),
    },
];

/// What is tried at length: minutes, and gigabytes.
const LONG: &[Scenario] = &[
    Scenario {
        name: "two INSERTs and a reader, lost answers, given up, and dead",
        keys: 1,
        rows: 0,
        processes: &[Start::Insert(&[0]), Start::Insert(&[0]), Start::Read(&[0])],
        budget: budget(2, 1, 2, 0, 0),
    },
    Scenario {
        name: "an INSERT, a DELETE, a REPLACE and a reader of two keys",
        keys: 2,
        rows: 1,
        processes: &[
            Start::Insert(&[1]),
            Start::Delete(&[0, 1]),
            Start::Replace(&[1, 0]),
            Start::Read(&[1, 0]),
        ],
        budget: budget(1, 0, 1, 0, 0),
    },
    Scenario {
        name: "three statements of a key, one of them alive, and two readers",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Replace(&[0]),
            Start::Replace(&[0]),
            Start::Delete(&[0]),
            Start::Read(&[0]),
            Start::Read(&[0]),
        ],
        budget: budget(1, 0, 0, 1, 0),
    },
    Scenario {
        name: "a vacuum, two REPLACEs and a reader",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Replace(&[0]),
            Start::Replace(&[0]),
            Start::Vacuum,
            Start::Read(&[0]),
        ],
        budget: budget(0, 0, 1, 0, 1),
    },
    Scenario {
        name: "a vacuum, a DELETE and a reader, lost answers",
        keys: 1,
        rows: 1,
        processes: &[Start::Delete(&[0]), Start::Vacuum, Start::Read(&[0])],
        budget: budget(2, 0, 1, 0, 1),
    },
    Scenario {
        name: "two vacuums, a REPLACE and a reader, two retentions",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Replace(&[0]),
            Start::Vacuum,
            Start::Vacuum,
            Start::Read(&[0]),
        ],
        budget: budget(0, 0, 1, 0, 2),
    },
    Scenario {
        name: "a sweep, a vacuum, a REPLACE that was given up, and a reader",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Replace(&[0]),
            Start::Vacuum,
            Start::Sweep,
            Start::Read(&[0]),
        ],
        budget: budget(1, 0, 1, 0, 1),
    },
    Scenario {
        name: "two REPLACEs and a reader that supposes, one given up, lost answers",
        keys: 1,
        rows: 1,
        processes: &[
            Start::Replace(&[0]),
            Start::Replace(&[0]),
            Start::Suppose(&[0]),
        ],
        budget: budget(1, 0, 1, 0, 0),
    },
];

const fn budget(lost: u8, deaths: u8, kills: u8, beats: u8, times: u8) -> Budget {
    Budget {
        lost,
        deaths,
        kills,
        beats,
        times,
    }
}

/// Each rule with a scenario that goes wrong without it, and what is then wrong.
const RULES: &[(Rule, &str, &str)] = &[
    (Rule::ClaimsExclude, "two INSERTs", "an INSERT over a row"),
    (Rule::BeginComparesCounter, "two INSERTs", "commits twice"),
    (
        Rule::BeginComparesCounter,
        "two INSERTs on readings",
        "commits twice",
    ),
    (
        Rule::KnownIsIdle,
        "a SELECT on a reading",
        "[Some(3)] was read, of [[Some(4)]]",
    ),
    (Rule::BeginLooksForItself, "two INSERTs", "waits for ever"),
    (
        Rule::PutsBeforeCommit,
        "two INSERTs",
        "an INSERT over a row",
    ),
    (Rule::CommitComparesSlot, "two INSERTs", "commits twice"),
    (
        Rule::LostCommitIsRead,
        "two INSERTs",
        "Committed is not what",
    ),
    (
        Rule::RefusedCommitIsRead,
        "two INSERTs",
        "GivenUp is not what",
    ),
    (Rule::CommitStamps, "two REPLACEs", "stamp"),
    (
        Rule::GivenUpIsListed,
        "two INSERTs",
        "Committed is not what",
    ),
    (
        Rule::GiveUpComparesSlot,
        "two INSERTs",
        "an INSERT over a row",
    ),
    (
        Rule::OpenIsHidden,
        "two REPLACEs",
        "[Some(2)] was read, of [[Some(1)]]",
    ),
    (
        Rule::GivenUpIsHidden,
        "an INSERT, a DELETE",
        "a DELETE of no row",
    ),
    (
        Rule::FloorBelowSlots,
        "a vacuum, a REPLACE",
        "[None] was read",
    ),
    (
        Rule::MarksAreFloors,
        "a vacuum, a REPLACE",
        "[None] was read",
    ),
    (Rule::StampTellsOpen, "two REPLACEs", "stamp"),
    (
        Rule::ReaderChecksHorizon,
        "a vacuum, a REPLACE",
        "[None] was read",
    ),
    (
        Rule::NewestIsSeen,
        "two REPLACEs and a reader that supposes",
        "was read, of [[Some(1)]]",
    ),
    (
        Rule::SupposedJudges,
        "two REPLACEs and a reader that supposes",
        "was read, of",
    ),
    (
        Rule::SupposedIsYoung,
        "a vacuum, a DELETE and a reader that supposes",
        "was read, of",
    ),
    (Rule::HorizonIsOld, "a vacuum, a REPLACE", "[None] was read"),
    (Rule::HorizonFirst, "a vacuum, a REPLACE", "removed above"),
    (Rule::VacuumIsAlone, "two vacuums", "removed above"),
    (
        Rule::GivenUpCoversNothing,
        "a vacuum, a REPLACE",
        "[None] was read",
    ),
    (Rule::NewestStays, "a vacuum, a REPLACE", "[None] was read"),
    (
        Rule::TombstoneGoesLast,
        "a vacuum, a DELETE",
        "[Some(1)] was read, of [[None]]",
    ),
    (Rule::SweptLate, "a sweep", "Committed is not what"),
    (Rule::SweptFirst, "a sweep", "[Some(2)] was read"),
];

fn check(scenarios: &[Scenario]) {
    let mut total = 0;
    for scenario in scenarios {
        match scenario.check() {
            Ok(worlds) => {
                println!("{worlds:>9} worlds: {}", scenario.name);
                total += worlds;
            }
            Err((worlds, wrong)) => panic!("{}: {wrong}, after {worlds} worlds", scenario.name),
        }
    }
    println!("{total:>9} worlds in all");
}

#[test]
fn nothing_goes_wrong() {
    check(SHORT);
}

/// `HALITE_WORLDS=1`.
#[test]
fn nothing_goes_wrong_at_length() {
    if number("HALITE_WORLDS").is_some_and(|wanted| wanted > 0) {
        check(LONG);
    }
}

#[test]
fn without_any_rule_something_goes_wrong() {
    let mut passed = Vec::new();
    for (rule, name, expected) in RULES {
        let mut scenarios = SHORT.iter();
        let scenario = scenarios.find(|scenario| scenario.name.starts_with(name));
        match without(Some(*rule), || scenario.unwrap().check()) {
            Err((worlds, wrong)) if wrong.contains(expected) => {
                println!("{rule:?}: {wrong}, after {worlds} worlds");
            }
            other => passed.push((rule, name, other)),
        }
    }
    assert!(passed.is_empty(), "{passed:#?}");
}
