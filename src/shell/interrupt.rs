//! Ctrl-C, heard on a thread of its own.
//!
//! A runtime whose threads are all busy, as those of a large join are, listens to nothing: neither signals nor timers
//! come through before one of them rests. So the signal is waited for in a runtime beside it. And it is remembered: it
//! may come between two statements, while nobody waits for it.

use std::future::{Future, ready};
use std::sync::{OnceLock, mpsc};

use tokio::runtime::Builder;
use tokio::signal::ctrl_c;
use tokio::sync::watch;

use crate::error::{Error, Result};

/// Ctrl-C, from some moment on.
#[derive(Debug, Clone)]
pub struct Interrupts(watch::Receiver<()>);

impl Interrupts {
    /// Hears Ctrl-C from now on. From the first call on it no longer ends the program.
    ///
    /// # Errors
    /// `Unavailable` where the system has no thread left.
    pub fn listen() -> Result<Self> {
        static HEARD: OnceLock<watch::Sender<()>> = OnceLock::new();
        let heard = match HEARD.get() {
            Some(heard) => heard,
            None => {
                let listening = begin().map_err(|error| {
                    Error::unavailable("cannot listen to Ctrl-C").with_source(error)
                })?;
                HEARD.get_or_init(|| listening)
            }
        };
        Ok(Self(heard.subscribe()))
    }

    /// Whether Ctrl-C has been pressed since [`Interrupts::listen`].
    pub fn have_come(&self) -> bool {
        self.0.has_changed().unwrap_or(false)
    }

    /// Ready when Ctrl-C is pressed; at once where it has been since [`Interrupts::listen`].
    pub fn pressed(&self) -> impl Future<Output = ()> + use<> {
        let mut heard = self.0.clone();
        async move {
            // Who tells of it is there as long as the program is.
            heard.changed().await.ok();
        }
    }
}

/// Begins to listen.
fn begin() -> std::io::Result<watch::Sender<()>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (heard, _) = watch::channel(());
    let (begun, begins) = mpsc::channel();
    let teller = heard.clone();
    std::thread::Builder::new()
        .name("ctrl-c".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                // The first look registers the listener, and whoever asked may go on.
                tokio::select! {
                    biased;
                    _ = ctrl_c() => teller.send_replace(()),
                    () = ready(()) => {}
                }
                begun.send(()).ok();
                while ctrl_c().await.is_ok() {
                    teller.send_replace(());
                }
            });
        })?;
    begins.recv().ok();
    Ok(heard)
}
