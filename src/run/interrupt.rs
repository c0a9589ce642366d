//! Statements that are ended from without.

use std::fmt;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::watch;

use crate::error::{Error, ErrorKind};

/// Ends the statements of a connection, from any thread: those that run, and those whose rows are being read.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let connection = halite::Database::in_memory()?.connect();
/// let handle = connection.interrupt_handle();
/// std::thread::spawn(move || {
/// #   // The statement may begin late on a busy machine.
/// #   loop {
///     std::thread::sleep(std::time::Duration::from_millis(100));
///     handle.interrupt();
/// #   }
/// });
/// let endless = connection.query("SELECT count(*) FROM generate_series(1, 1000000000000)", ()).await;
/// # let _ = endless;
/// # Ok::<(), halite::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct InterruptHandle(Arc<watch::Sender<u64>>);

/// The interruptions of a connection's statements.
#[derive(Debug, Default)]
pub(crate) struct Interruptions {
    handle: InterruptHandle,
    /// That of all connections of the database.
    of_all: InterruptHandle,
}

impl Interruptions {
    /// Those of a connection, and what ends the statements of all.
    pub(crate) fn beside(of_all: InterruptHandle) -> Self {
        Self {
            handle: InterruptHandle::default(),
            of_all,
        }
    }

    /// For who interrupts.
    pub(crate) fn handle(&self) -> InterruptHandle {
        self.handle.clone()
    }

    /// What ends when the statement that begins now is to end.
    pub(crate) fn next(&self) -> Interruption {
        let (own, of_all) = (self.handle.next(), self.of_all.next());
        Box::pin(async {
            tokio::select! {
                () = own => {}
                () = of_all => {}
            }
        })
    }

    /// What ends when the statements of all connections are to end.
    pub(crate) fn next_of_all(&self) -> Interruption {
        Box::pin(self.of_all.next())
    }
}

impl InterruptHandle {
    /// Ends what runs now, with an error of the kind [`ErrorKind::Interrupted`]. A change that is being written is
    /// written whole. What begins later is not ended.
    pub fn interrupt(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn next(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut interruptions = self.0.subscribe();
        async move {
            if interruptions.changed().await.is_err() {
                // Nobody is left who could.
                pending().await
            }
        }
    }
}

impl Default for InterruptHandle {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl fmt::Debug for InterruptHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InterruptHandle")
    }
}

/// Ends when a statement is to end, from whose begin on it is.
pub(crate) type Interruption = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The error of a statement that was ended.
pub(crate) fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "the statement was interrupted")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::JoinHandle;
    use std::time::{Duration, Instant};

    use super::InterruptHandle;
    use crate::error::ErrorKind;
    use crate::session::Database;

    const ENDLESS: &str = "SELECT value FROM generate_series(1, 100000000000) WHERE value % 7 = 8";

    /// Interrupts again and again, until it is dropped.
    struct Impatient(Arc<AtomicBool>, Option<JoinHandle<()>>);

    impl Impatient {
        fn with(handle: InterruptHandle) -> Self {
            let is_done = Arc::new(AtomicBool::new(false));
            let done = Arc::clone(&is_done);
            let thread = std::thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(50));
                    handle.interrupt();
                }
            });
            Self(is_done, Some(thread))
        }
    }

    impl Drop for Impatient {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
            self.1.take().map(JoinHandle::join);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_runs_is_interrupted_and_what_comes_later_is_not() {
        let connection = Database::in_memory().unwrap().connect();
        let stream = connection.stream(ENDLESS, ()).await.unwrap();
        let impatient = Impatient::with(connection.interrupt_handle());
        let start = Instant::now();
        let (gathered, counted) = tokio::join!(stream.collect(), connection.query(ENDLESS, ()));
        for error in [gathered.unwrap_err(), counted.unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
        }
        assert!(start.elapsed() < Duration::from_secs(20));
        drop(impatient);
        assert_eq!(connection.query("SELECT 1", ()).await.unwrap().len(), 1);
    }

    #[test]
    fn a_blocking_statement_is_interrupted_and_has_its_time() {
        let connection = crate::blocking::Database::in_memory().unwrap().connect();
        let impatient = Impatient::with(connection.interrupt_handle());
        let error = connection.query(ENDLESS, ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
        drop(impatient);
        let hurried = connection.with_timeout(Duration::from_millis(50));
        let error = hurried.query(ENDLESS, ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(error.message().contains("50ms"), "{error}");
        assert_eq!(connection.query("SELECT 1", ()).unwrap().len(), 1);
    }
}
