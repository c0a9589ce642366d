//! Faults for negative controls, of the span law and that of files above all.
//!
//! A test that has never failed proves nothing. Each [`Fault`] is a mistake that code of this kind is known for; a
//! production path asks `#[cfg(any(test, feature = "testing"))] if crate::fault::active(Fault::…)` and then makes it. The switch belongs to the
//! thread, so that a control spoils no test beside it.

use std::cell::Cell;

/// A mistake that can be switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A bound stands one byte beside its place.
    BoundOffByOne,
    /// One box of a union is forgotten.
    BoxDropped,
    /// DESC parts are searched as if they were ASC.
    DirectionIgnored,
    /// NULLs are searched at the other end.
    NullMarkerSwapped,
    /// Every plan claims to leave no residual.
    AlwaysTight,
    /// Spans take the remainder for the one of floored division.
    FloorRemainder,
    /// The successor of a prefix that ends in `FF` loses its carry.
    PrefixSuccessorFf,
    /// One conjunct of the residual is forgotten.
    ResidualDropped,
    /// Every hash is the same.
    HashCollides,
    /// Walks take no notice of the last part that is restricted; the residual makes up for it.
    WalkWidened,
    /// Listed ranges take no notice of the last part that is restricted; the residual makes up for it.
    RangesWidened,
    /// Listed ranges hold the key that they stop before, too; the residual makes up for it.
    StopIncluded,
    /// Rows of a group are yielded that lie outside of the range.
    GroupUntrimmed,
    /// On the way back, the group is forgotten that begins inside a range and ends behind it.
    GroupCutOff,
    /// What is asked of the opposite of a number is asked of the number, in the same direction.
    OppositeUnturned,
    /// A time that is asked for later is looked for later, too.
    MovedTheWrongWay,
    /// Arithmetic that may wrap is taken for arithmetic that does not.
    WrapForgotten,
    /// A value of a CASE is asked for even where one before it is chosen.
    ChoiceForgotten,
    /// Of a regular expression only the first alternative is looked for.
    AlternativeForgotten,
    /// What a regular expression begins with is taken for all that it asks.
    LiteralTakenForAll,
    /// A list of values is not understood; the residual makes up for it.
    ListNotUnderstood,
    /// A constant that tells keys from those of other layouts is not looked for.
    ConstantForgotten,
    /// Of a value in a file that does not fit what the first rows showed the beginning is taken.
    LateValueCut,
    /// A code in a file is taken for the number that it is without its zeros.
    LeadingZeroLost,
    /// The first line of a file is taken for its header.
    HeaderTakenForGranted,
    /// `""` in a file is taken for NULL.
    EmptyTextTakenForNull,
    /// A name in a file that the first objects do not have is passed over.
    LateNamePassed,
    /// A field of a file that goes on behind its closing quote is taken as it comes.
    BrokenQuotesTaken,
    /// The bounds that a file states of REAL and DOUBLE are taken for those of all values.
    BoundsWithoutNan,
    /// Bounds are written of columns that hold NaN.
    BoundsBesideNan,
    /// A file that does not say how many NULLs there are is taken to say that there are none.
    NullsDenied,
    /// What some row groups of a file state is taken for what all of them do.
    SomeGroupsForAll,
    /// A condition on the columns of directories is not asked of the rows in them.
    DirectoriesDecide,
    /// A mend of the layers below, by its name, is not installed.
    MendLeftOut(&'static str),
}

thread_local! {
    static ACTIVE: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Whether `fault` is to be made on this thread.
pub fn active(fault: Fault) -> bool {
    ACTIVE.get() == Some(fault)
}

/// The fault that is made on this thread, to be taken to another.
pub fn made_here() -> Option<Fault> {
    ACTIVE.get()
}

/// As [`with`], for one that may be none.
pub fn with_any<T>(fault: Option<Fault>, work: impl FnOnce() -> T) -> T {
    match fault {
        Some(fault) => with(fault, work),
        None => work(),
    }
}

/// Runs `work` on this thread with `fault` switched on, and off again whatever happens.
pub fn with<T>(fault: Fault, work: impl FnOnce() -> T) -> T {
    struct Off;
    impl Drop for Off {
        fn drop(&mut self) {
            ACTIVE.set(None);
        }
    }
    let _off = Off;
    ACTIVE.set(Some(fault));
    work()
}

#[test]
fn a_fault_is_active_only_while_it_is_asked_for() {
    assert!(!active(Fault::BoxDropped));
    with(Fault::BoxDropped, || {
        assert!(active(Fault::BoxDropped));
        assert!(!active(Fault::AlwaysTight));
    });
    assert!(!active(Fault::BoxDropped));
}
