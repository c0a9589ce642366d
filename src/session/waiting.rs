//! Work that waits for locks or the disk, on a thread that may wait; and waiting for work that does not.

use std::sync::{OnceLock, mpsc};

use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};

/// Runs `work` on such a thread, inside of a runtime. It goes on to its end where nobody waits for it any more.
///
/// # Errors
/// Those of `work`; `Internal` with the message `broken_off` where it panics.
pub(super) async fn on_waiting_thread<T: Send + 'static>(
    broken_off: &'static str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Error::internal(broken_off).with_source(error))?
}

/// Runs a future on threads of our own while the calling one waits, be it one of a runtime or not.
pub(super) fn wait<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> Result<T> {
    static SHARED: OnceLock<Option<Runtime>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads(2)
            .thread_name("halite-wait")
            .enable_all()
            .build()
            .ok()
    });
    let Some(runtime) = shared else {
        return Err(Error::unavailable("no threads can be started"));
    };
    let (sender, receiver) = mpsc::sync_channel(1);
    runtime.spawn(async move { sender.send(future.await) });
    receiver
        .recv()
        .map_err(|error| Error::internal("the thread that reads has failed").with_source(error))
}
