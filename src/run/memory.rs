//! The memory that statements of a database share: DataFusion's pool, with a limit that can be changed.
//!
//! Operators ask the pool before they take memory. Those that can write what they hold to temporary files, as sorts and
//! aggregates can, get equal parts of what the others leave, and write when theirs is used up; to the others it is
//! given as they ask. What cannot have more is refused, in words that name the setting.
//!
//! The pool knows what is asked of it. Functions, which do not ask, are bounded by
//! [`bounded`](crate::function::BoundedFunction); texts of statements by [`parse`](crate::sql::parse).

use std::fmt;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::config::ConfigExtension;
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use datafusion::logical_expr::Statement;
use parking_lot::Mutex;

use crate::settings::{ByteSize, HaliteOptions};

/// An array or a text that doubles.
const MUCH: usize = 16 << 20;

/// A lower limit is raised to this: nothing would fit into it.
const LEAST: usize = 16 << 20;

/// Those that write what they hold to files take this part more than they ask for: to sort it, to write it and to read it.
const OF_FILES: usize = 8;

/// The name of the hash table that tells the rows of a WITH RECURSIVE … UNION apart.
const RECURSION: &str = "RecursiveQueryHashTable";

/// The name that the side of a join begins with that a hash table is of.
const HASHED: &str = "HashJoinInput";

/// What the names of aggregates end with that can write what they hold to files: they make a batch of all of it first.
const GROUPED: &str = "AggregateStream";

/// The name of the rows that a step of WITH RECURSIVE finds, and of those that it takes, in batches so short that the
/// allocator keeps as much again between them.
const STEP: &str = "RecursiveQuery";

/// What an error begins with that says so.
const EXHAUSTED: &str = "the memory limit is reached";

/// The pool of a database.
#[derive(Debug)]
pub(crate) struct Memory {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    limit: usize,
    /// How many can write what they hold to files.
    spilling: usize,
    /// What these have.
    spillable: usize,
    /// What the others have.
    held: usize,
}

impl State {
    /// What `consumer`, which has `size`, may still take.
    fn left_for(&self, can_spill: bool, size: usize) -> usize {
        if can_spill {
            let left = self.limit.saturating_sub(self.held);
            let part = (left - left / OF_FILES) / self.spilling.max(1);
            part.saturating_sub(size)
        } else {
            self.limit.saturating_sub(self.held + self.spillable)
        }
    }

    fn of(&mut self, can_spill: bool) -> &mut usize {
        if can_spill {
            &mut self.spillable
        } else {
            &mut self.held
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                limit: ByteSize::half_of_memory().in_memory(),
                spilling: 0,
                spillable: 0,
                held: 0,
            }),
        }
    }
}

impl Memory {
    /// The limit.
    pub(crate) fn limit(&self) -> usize {
        self.state.lock().limit
    }

    /// Changes the limit, for what is asked for from now on.
    pub(crate) fn set_limit(&self, limit: ByteSize) {
        self.state.lock().limit = limit.in_memory().max(LEAST);
    }

    /// Memory for something that cannot do with less.
    ///
    /// # Errors
    /// `Unavailable` where the limit leaves less.
    pub(crate) fn take(self: &Arc<Self>, what: &str, bytes: usize) -> Result<MemoryReservation> {
        let pool = Arc::clone(self) as Arc<dyn MemoryPool>;
        let reservation = MemoryConsumer::new(what).register(&pool);
        reservation.try_grow(bytes)?;
        Ok(reservation)
    }
}

/// DataFusion's own setting of a limit, which would take the connection out of the pool, as ours.
const OF_DATAFUSION: &str = "datafusion.runtime.memory_limit";

/// Whether a statement changes the limit; then of the database.
pub(crate) fn take_over(statement: &mut Statement) -> bool {
    let variable = match statement {
        Statement::SetVariable(set) => &mut set.variable,
        Statement::ResetVariable(reset) => &mut reset.variable,
        _ => return false,
    };
    let own = format!("{}.memory_limit", HaliteOptions::PREFIX);
    if variable.eq_ignore_ascii_case(OF_DATAFUSION) {
        *variable = own.clone();
    }
    variable.eq_ignore_ascii_case(&own)
}

impl MemoryPool for Memory {
    fn name(&self) -> &str {
        "halite"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.state.lock().spilling += usize::from(consumer.can_spill());
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        let mut state = self.state.lock();
        state.spilling = state
            .spilling
            .saturating_sub(usize::from(consumer.can_spill()));
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        let can_spill = reservation.consumer().can_spill();
        *self.state.lock().of(can_spill) += additional;
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let can_spill = reservation.consumer().can_spill();
        let mut state = self.state.lock();
        let has = state.of(can_spill);
        *has = has.saturating_sub(shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let can_spill = reservation.consumer().can_spill();
        let mut state = self.state.lock();
        let name = reservation.consumer().name();
        let copied = if can_spill && is_grouped(reservation) {
            // As much again for the batch.
            additional + reservation.size()
        } else {
            0
        };
        let mut left = state.left_for(can_spill, reservation.size());
        if name == STEP {
            left = left.saturating_sub(state.limit / 2);
        }
        // What asks for so much at once has doubled what it has, and asks afterwards: the next time must fit as well.
        let is_doubling = !can_spill && additional >= MUCH;
        let needed = if name == RECURSION {
            // It has grown before it asks. Growing, it has its old places and twice as many new ones.
            3 * additional + 2 * reservation.size()
        } else if is_copied(reservation) {
            2 * additional + reservation.size()
        } else if is_doubling {
            2 * additional
        } else {
            additional + copied
        };
        if needed <= left {
            *state.of(can_spill) += additional;
            return Ok(());
        }
        Err(exhausted(reservation, additional, left, state.limit))
    }

    fn reserved(&self) -> usize {
        let state = self.state.lock();
        state.spillable + state.held
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit())
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(limit: {})", self.name(), self.limit())
    }
}

/// Whether it is the side of a join that a hash table is of, whose batches are put into one when all are there.
fn is_copied(reservation: &MemoryReservation) -> bool {
    reservation.consumer().name().starts_with(HASHED)
}

/// Whether it is of the groups of an aggregate, of which a batch is made before it is written to a file or handed on.
fn is_grouped(reservation: &MemoryReservation) -> bool {
    let name = reservation.consumer().name();
    let name = name.split('[').next().unwrap_or(name);
    name.ends_with(GROUPED)
}

/// Operators that can write to files do so upon this error; no other kind would do.
fn exhausted(
    reservation: &MemoryReservation,
    additional: usize,
    left: usize,
    limit: usize,
) -> DataFusionError {
    let consumer = reservation.consumer().name();
    // `HashJoinInput[3]`: which of several partitions it was says nothing to the user.
    let consumer = consumer.split('[').next().unwrap_or(consumer);
    DataFusionError::ResourcesExhausted(format!(
        "{EXHAUSTED}: {consumer} has {}, needs {} more, and {} are left of {}.memory_limit = '{}'. Set it \
         higher, or ask for less at once",
        mebibytes(reservation.size()),
        mebibytes(additional),
        mebibytes(left),
        HaliteOptions::PREFIX,
        ByteSize(limit as u64)
    ))
}

/// Whether a statement has ended because it took too much memory.
pub(crate) fn is_exhausted(error: &DataFusionError) -> bool {
    error.to_string().contains(EXHAUSTED)
}

/// `12.5 MiB`.
fn mebibytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
