//! Numbered statements, over a store that is atomic by row and by nothing greater: what HBase is, and Bigtable.
//!
//! Every statement that writes has a **number**, greater than those before. Its cells carry the number as their time
//! stamp, so that the versions of a row are ordered as the statements are; a deletion is a cell, too, a tombstone. One
//! row of the database, the **clock row** ([`clock`]), says which statements are under way and which were given up, and
//! is changed by compare-and-put alone. So nothing is installed on the servers, and no clock of a server is trusted.
//!
//! # The law
//!
//! 1. *Begin.* A statement takes the next number and a slot of the clock row in one compare-and-put on the counter, and
//!    only where no slot stands for a statement that claims what it claims, unless both share it. ([`begin`])
//! 2. *Write.* It puts cells under its number, in any order, any number of times. Nobody sees them: a reader hides the
//!    numbers that are in slots.
//! 3. *Commit.* Once every put was acknowledged, it empties its slot in one compare-and-put on the slot. At that moment
//!    all of it is visible, in every table. ([`finish`])
//! 4. *Give up.* The slot is emptied, and the number listed as given up, in one compare-and-put on the slot: by the
//!    statement itself, or by anybody who has seen it stand still for a lease. Readers hide the numbers that are listed.
//! 5. *Lost answers.* Whoever does not learn whether its change of the clock row was made reads the row and sees: a slot
//!    with its number has not ended; a number that is listed was given up; a number that is neither has committed.
//! 6. *Moment.* A reader reads the clock row once. It sees the versions up to the counter but for those in slots and
//!    those given up, and of what is left in a row the newest. The **floor** of the moment is the number up to which all
//!    were decided. ([`moment`])
//! 7. *Vacuum.* Versions that a newer one covers at or below the **horizon** are removed, and a tombstone there with
//!    them, in one change of the row; versions of numbers given up cover nothing. The horizon is a floor that was noted
//!    at least a retention ago; it is in the clock row before anything is removed, written by the one statement that
//!    holds the vacuum's slot. A reader that is done, and is older than a part of the retention, looks whether the
//!    horizon has passed its floor: then what it read may have holes, and it says so. ([`vacuum`])
//! 8. *Sweep.* A retention after a number was given up, by which time nothing of its statement is on its way any more
//!    and nobody asks for its fate, its cells are removed; then it leaves the list. Not earlier: a cell that arrived
//!    behind the sweep would be seen. ([`vacuum`])
//!
//! Shared statements are ordered by number, whichever commits first: of two that put one key the greater number stands.
//!
//! # What proves it
//!
//! Each of these rules has a name in [`rules`]. The parts of the protocol are state machines that do no I/O: they say
//! what to ask of the clock row, and are told the answer. The store drives them; so does a checker (`model_tests`), through
//! every interleaving of a few statements, readers and vacuums in which every step may lose its answer, be made late,
//! or be the last of its process. It finds nothing wrong, and something wrong as soon as any one rule is broken.
//!
//! The store itself, [`database`], runs the conformance suite over servers that are simulated, and thousands of
//! interleavings of several processes whose answers are lost and which die (`interleaving_tests`).
//!
//! What is assumed: a row is changed atomically, and read as it was changed last; of two cells of a column with one time
//! stamp the later one stands; a request that was not answered is not carried out a retention later.

mod begin;
mod cells;
mod changes;
mod clear;
mod clock;
mod database;
#[cfg(test)]
mod database_tests;
mod describe;
mod directory;
mod finish;
mod gallop;
#[cfg(test)]
mod interleaving_tests;
#[cfg(test)]
mod model_tests;
mod moment;
mod optimistic;
mod read;
mod rules;
#[cfg(test)]
mod scenario_tests;
mod service;
mod shared;
mod sight;
#[cfg(test)]
pub(super) mod simulation_tests;
mod snapshot;
mod vacuum;
mod values;

#[cfg(feature = "hbase")]
pub(super) use self::clock::{Number, Time};
#[cfg(feature = "hbase")]
pub(super) use self::database::VersionedStore;
#[cfg(feature = "hbase")]
pub(super) use self::service::{
    Amount, ClockCells, ClockChange, Nature, Reply, Row, RowService, RowStream, Rows, Versions,
    Window,
};
#[cfg(feature = "hbase")]
pub(super) use self::shared::Times;
