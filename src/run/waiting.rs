//! Threads of Halite's own, on which statements run; work that waits for locks or the disk, on a thread that may wait; and
//! waiting for work that does not.
//!
//! A statement computes for long between two moments at which it gives control back. On a thread of the program's runtime
//! nothing else would run meanwhile, timers among it: so statements run on threads beside it, which are of no program.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::{OnceLock, mpsc};
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};
use tokio::task::block_in_place;

use crate::error::{Error, Result};

/// Runs `work` on such a thread. It goes on to its end where nobody waits for it any more.
///
/// # Errors
/// Those of `work`; `Internal` with the message `broken_off` where it panics.
pub(crate) async fn on_waiting_thread<T: Send + 'static>(
    broken_off: &'static str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let work = own_runtime()?.spawn_blocking(work);
    work.await
        .map_err(|error| Error::internal(broken_off).with_source(error))?
}

/// Has work done on such a thread, and does not wait for it.
///
/// # Errors
/// `Unavailable` where the system has no threads left.
pub(crate) fn at_waiting_thread(work: impl FnOnce() + Send + 'static) -> Result<()> {
    own_runtime()?.spawn_blocking(work);
    Ok(())
}

/// The threads of our own: more than there are processors, since one that computes for long holds up what waits for it
/// alone.
///
/// # Errors
/// `Unavailable` where the system has no threads left.
pub(crate) fn own_runtime() -> Result<&'static Runtime> {
    static OWN: OnceLock<Option<Runtime>> = OnceLock::new();
    let own = OWN.get_or_init(|| {
        let processors = available_parallelism().map_or(1, NonZero::get);
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads((2 * processors).max(4))
            .thread_name("halite")
            .on_thread_start(|| IS_OWN.set(true))
            .enable_all()
            .build()
            .ok()
    });
    own.as_ref()
        .ok_or_else(|| Error::unavailable("no threads can be started"))
}

thread_local! {
    /// Whether the thread is one of our own.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Runs a future on threads of our own while the calling one waits, be it one of a runtime or not. If it is one of our own,
/// because a function of the program asks something, another takes its place meanwhile.
pub(crate) fn wait<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> Result<T> {
    let runtime = own_runtime()?;
    let (sender, receiver) = mpsc::sync_channel(1);
    runtime.spawn(async move { sender.send(future.await) });
    let received = if IS_OWN.get() {
        block_in_place(|| receiver.recv())
    } else {
        receiver.recv()
    };
    received.map_err(|error| Error::internal("the thread that reads has failed").with_source(error))
}
