//! Changes that are visible, and on their way to the disk.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use parking_lot::Mutex;

use crate::error::Result;

/// Such changes, until they are durable.
#[must_use = "they may not be durable before it was waited for"]
pub struct Durable(Box<dyn PendingSync>);

/// What waits for the disk.
pub(super) trait PendingSync: Send {
    /// Waits. It blocks.
    fn wait(self: Box<Self>) -> Result<()>;

    /// Looks whether it has ended; where it has not, `waker` is woken when it is to be looked again.
    fn poll(&mut self, waker: &Waker) -> Ended;
}

/// What is known of the end.
pub(super) enum Ended {
    Known(Result<()>),
    /// Somebody is at it.
    NotYet,
    /// This is to be done for it.
    By(Work),
}

/// Work that blocks.
pub type Work = Box<dyn FnOnce() + Send>;

impl Durable {
    /// Those that are durable when `wait` returns.
    pub fn after(wait: impl FnOnce() -> Result<()> + Send + 'static) -> Self {
        Self::of(Aside {
            wait: Some(wait),
            told: Arc::default(),
        })
    }

    pub(super) fn of(pending: impl PendingSync + 'static) -> Self {
        Self(Box::new(pending))
    }

    /// Waits until they are durable. It blocks.
    ///
    /// # Errors
    /// `Unavailable` where the disk does not take them: they are visible, and whether they last is not known.
    pub fn wait(self) -> Result<()> {
        self.0.wait()
    }

    /// The same without a thread of its own: `elsewhere` does work that blocks, and need not wait for its end.
    ///
    /// # Errors
    /// As [`Durable::wait`]; those of `elsewhere`.
    pub async fn reached(mut self, elsewhere: impl Fn(Work) -> Result<()>) -> Result<()> {
        let ended = poll_fn(|context| match self.0.poll(context.waker()) {
            Ended::Known(outcome) => Poll::Ready(outcome),
            Ended::NotYet => Poll::Pending,
            Ended::By(work) => match elsewhere(work) {
                Ok(()) => Poll::Pending,
                Err(error) => Poll::Ready(Err(error)),
            },
        });
        ended.await
    }
}

impl fmt::Debug for Durable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Durable")
    }
}

/// A wait of its own.
struct Aside<F> {
    wait: Option<F>,
    told: Arc<Mutex<Told>>,
}

/// What becomes of a wait.
#[derive(Default)]
struct Told {
    outcome: Option<Result<()>>,
    /// Whom to wake then.
    waker: Option<Waker>,
}

impl<F: FnOnce() -> Result<()> + Send + 'static> PendingSync for Aside<F> {
    fn wait(self: Box<Self>) -> Result<()> {
        self.wait.map_or(Ok(()), |wait| wait())
    }

    fn poll(&mut self, waker: &Waker) -> Ended {
        let mut told = self.told.lock();
        if let Some(outcome) = told.outcome.take() {
            return Ended::Known(outcome);
        }
        told.waker = Some(waker.clone());
        let Some(wait) = self.wait.take() else {
            return Ended::NotYet;
        };
        let told = Arc::clone(&self.told);
        Ended::By(Box::new(move || {
            let outcome = wait();
            let mut told = told.lock();
            told.outcome = Some(outcome);
            if let Some(waker) = told.waker.take() {
                waker.wake();
            }
        }))
    }
}
