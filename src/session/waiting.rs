//! Work that waits for locks or the disk, on a thread that may wait.

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
