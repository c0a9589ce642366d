//! Ctrl-C, heard on a thread of its own.
//!
//! A runtime whose threads are all busy, as those of a large join are, listens to nothing: neither signals nor timers
//! come through before one of them rests. So the signal is waited for in a runtime beside it.

use std::future::{Future, ready};
use std::sync::{Arc, OnceLock, mpsc};

use tokio::runtime::Builder;
use tokio::signal::ctrl_c;
use tokio::sync::Notify;

use crate::error::{Error, Result};

/// From the first call on Ctrl-C no longer ends the program; the future is ready at the next one.
///
/// # Errors
/// `Unavailable` where the system has no thread left.
pub fn interrupted() -> Result<impl Future<Output = ()>> {
    static HEARD: OnceLock<Arc<Notify>> = OnceLock::new();
    let heard = match HEARD.get() {
        Some(heard) => heard,
        None => {
            let listening = listen().map_err(|error| {
                Error::unavailable("cannot listen to Ctrl-C").with_source(error)
            })?;
            HEARD.get_or_init(|| listening)
        }
    };
    Ok(Arc::clone(heard).notified_owned())
}

/// Begins to listen.
fn listen() -> std::io::Result<Arc<Notify>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let heard = Arc::new(Notify::new());
    let (begun, begins) = mpsc::channel();
    let teller = Arc::clone(&heard);
    std::thread::Builder::new()
        .name("ctrl-c".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                // The first look registers the listener, and whoever asked may go on.
                tokio::select! {
                    biased;
                    _ = ctrl_c() => teller.notify_waiters(),
                    () = ready(()) => {}
                }
                begun.send(()).ok();
                while ctrl_c().await.is_ok() {
                    teller.notify_waiters();
                }
            });
        })?;
    begins.recv().ok();
    Ok(heard)
}
