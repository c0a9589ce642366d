//! The threads that statements run on.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::error::Error;

/// How long what was stopped may take to end, before the shell goes on without it.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);

/// Lets threads go that are not needed any more. What they are about may clean up behind itself; but a thread that
/// waits for the system, as one that opens a pipe without a writer does, is not waited for.
pub fn let_go(runtime: Runtime) {
    runtime.shutdown_timeout(PATIENCE);
}

/// Threads to run statements on.
///
/// # Errors
/// `Unavailable` where the system has none left.
pub fn runtime() -> Result<Runtime, Error> {
    let built = Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Error::unavailable("cannot start threads").with_source(error))
}
