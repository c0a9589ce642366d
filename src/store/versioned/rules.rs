//! The rules of the protocol, by name, each of which can be broken in tests: what a checker lets pass with a rule broken
//! it does not check.

/// A rule.
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "some are kept by the shape of the code, and broken by the checker alone"
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    /// A statement waits for those that claim what it claims.
    ClaimsExclude,
    /// A begin is a change on the counter that it has read.
    BeginComparesCounter,
    /// A begin on an earlier reading is one on a reading without statements under way.
    KnownIsIdle,
    /// Whoever does not know whether it has begun looks for itself in the slots.
    BeginLooksForItself,
    /// A statement commits only when all its puts were acknowledged.
    PutsBeforeCommit,
    /// A commit is a change on the statement's own slot.
    CommitComparesSlot,
    /// A commit whose answer was lost may not have been made.
    LostCommitIsRead,
    /// A commit that was refused may have been made before, or by a repeated request.
    RefusedCommitIsRead,
    /// A commit stamps the spaces that it claimed.
    CommitStamps,
    /// Giving up lists the number.
    GivenUpIsListed,
    /// Giving up is a change on the slot as it was seen.
    GiveUpComparesSlot,
    /// A moment hides what is in slots.
    OpenIsHidden,
    /// A moment hides what was given up.
    GivenUpIsHidden,
    /// The floor lies below what is in slots.
    FloorBelowSlots,
    /// Marks hold floors, not counters.
    MarksAreFloors,
    /// The stamp of a space tells of the statements under way in it.
    StampTellsOpen,
    /// A reader that has taken long compares its floor with the horizon when it is done.
    ReaderChecksHorizon,
    /// A supposed moment sees the newest version of each row.
    NewestIsSeen,
    /// The moment that is supposed judges, and not that of the reading beside the rows.
    SupposedJudges,
    /// A supposed moment is young when all is read.
    SupposedIsYoung,
    /// The horizon is a mark as old as the retention.
    HorizonIsOld,
    /// The horizon is written before anything is removed.
    HorizonFirst,
    /// One vacuum at a time.
    VacuumIsAlone,
    /// A version that was given up covers nothing.
    GivenUpCoversNothing,
    /// The newest version at the horizon stays, unless it is a tombstone.
    NewestStays,
    /// A tombstone goes with what it covers.
    TombstoneGoesLast,
    /// What was given up is removed a retention later.
    SweptLate,
    /// A number leaves the list when its cells were removed.
    SweptFirst,
}

#[cfg(test)]
thread_local! {
    static BROKEN: std::cell::Cell<Option<Rule>> = const { std::cell::Cell::new(None) };
}

/// Whether a rule holds: always, but in a test that breaks it on this thread.
#[cfg(test)]
pub(super) fn holds(rule: Rule) -> bool {
    BROKEN.get() != Some(rule)
}

/// Runs `work` on this thread with a rule broken, if one is named.
#[cfg(test)]
pub(super) fn without<T>(rule: Option<Rule>, work: impl FnOnce() -> T) -> T {
    struct Mended;
    impl Drop for Mended {
        fn drop(&mut self) {
            BROKEN.set(None);
        }
    }
    let _mended = Mended;
    BROKEN.set(rule);
    work()
}

/// Whether a rule holds.
#[cfg(not(test))]
pub(super) const fn holds(_: Rule) -> bool {
    true
}
