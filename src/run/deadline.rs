//! The end of the time that a statement may take, told by a thread of its own.
//!
//! A runtime whose threads all compute, as those of a large join do, has none that looks at its timers. So deadlines are
//! those of a runtime beside it, which does nothing else.

use std::future::pending;
use std::pin::Pin;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle};
use tokio::time::{Instant, Sleep, sleep_until};

/// Ready at `deadline`, whatever the threads of the caller's runtime do.
pub(crate) fn passed(deadline: Instant) -> Pin<Box<Sleep>> {
    static CLOCK: OnceLock<Option<Handle>> = OnceLock::new();
    let clock = CLOCK.get_or_init(|| start().ok());
    // Where the system has no thread left the caller's own runtime tells the time, if late.
    let _guard = clock.as_ref().map(Handle::enter);
    Box::pin(sleep_until(deadline))
}

fn start() -> std::io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name("halite-clock".to_owned())
        .spawn(move || runtime.block_on(pending::<()>()))?;
    Ok(handle)
}
