//! Changes of the catalog, which wait for locks and the store.

use crate::error::Result;
use crate::run::waiting::on_waiting_thread;

/// Makes a change on a thread that may wait.
///
/// # Errors
/// Those of the change.
pub(super) async fn change<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    on_waiting_thread("a change of the catalog broke off", work).await
}
