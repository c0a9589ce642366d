//! What went wrong with a request, by what is to be done about it.

use super::messages::{ExceptionResponse, NameBytesPair};
use crate::error::Error;

/// A request that was not answered as it should be.
#[derive(Debug)]
pub(super) struct Failure {
    pub reaction: Reaction,
    pub error: Error,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reaction {
    /// It was not carried out: look where the region is now, and ask again.
    LookAgain,
    /// It was not carried out: ask again later.
    Wait,
    /// Nobody knows whether it was carried out, or will be.
    Unknown,
    /// There is no such table.
    NoTable,
    /// There is one already.
    Exists,
    /// It will never be.
    Refused,
}

/// Classes of HBase's exceptions, without their packages, and what is to be done.
const CLASSES: &[(&str, Reaction)] = &[
    ("NotServingRegionException", Reaction::LookAgain),
    ("RegionMovedException", Reaction::LookAgain),
    ("RegionOpeningException", Reaction::LookAgain),
    ("WrongRegionException", Reaction::LookAgain),
    ("RegionServerStoppedException", Reaction::LookAgain),
    ("RegionServerAbortedException", Reaction::LookAgain),
    ("ServerNotRunningYetException", Reaction::LookAgain),
    ("UnknownScannerException", Reaction::LookAgain),
    ("ScannerResetException", Reaction::LookAgain),
    ("OutOfOrderScannerNextException", Reaction::LookAgain),
    ("LeaseException", Reaction::LookAgain),
    ("PleaseHoldException", Reaction::Wait),
    ("CallQueueTooBigException", Reaction::Wait),
    ("CallDroppedException", Reaction::Wait),
    ("CallTimeoutException", Reaction::Wait),
    ("RegionTooBusyException", Reaction::Wait),
    ("MultiActionResultTooLarge", Reaction::Wait),
    ("RetryImmediatelyException", Reaction::Wait),
    ("TableNotFoundException", Reaction::NoTable),
    ("TableExistsException", Reaction::Exists),
    ("NamespaceExistException", Reaction::Exists),
];

impl Failure {
    pub(super) fn new(reaction: Reaction, error: Error) -> Self {
        Self { reaction, error }
    }

    /// That of an answer which is an exception.
    pub(super) fn of_exception(exception: &ExceptionResponse) -> Self {
        let class = exception
            .exception_class_name
            .as_deref()
            .unwrap_or_default();
        let trace = exception.stack_trace.as_deref().unwrap_or_default();
        Self::of(class, trace, exception.do_not_retry == Some(true))
    }

    /// That of one action of many.
    pub(super) fn of_action(exception: &NameBytesPair) -> Self {
        let trace = exception.value.as_deref().unwrap_or_default();
        let trace = String::from_utf8_lossy(trace);
        let is_final = trace.contains("DoNotRetry");
        Self::of(&exception.name, &trace, is_final)
    }

    pub(super) fn of(class: &str, trace: &str, is_final: bool) -> Self {
        let name = class.rsplit(['.', '$']).next().unwrap_or(class);
        let known = CLASSES.iter().find(|(known, _)| *known == name);
        // What the server's code objects to it will object to again.
        let is_final = is_final || class.starts_with("java.lang.");
        let reaction = match (known, is_final) {
            (Some((_, reaction)), _) => *reaction,
            (None, true) => Reaction::Refused,
            (None, false) => Reaction::Unknown,
        };
        // The trace begins with the class, and the message is on its first line.
        let line = trace.lines().next().unwrap_or_default();
        let message = line.strip_prefix(class).unwrap_or(line);
        let message = message.trim_start_matches(':').trim();
        let error = match reaction {
            Reaction::Refused => Error::invalid(format!("HBase refuses it: {name}: {message}")),
            _ => Error::unavailable(format!("HBase: {name}: {message}")),
        };
        Self { reaction, error }
    }
}

impl From<Error> for Failure {
    /// An answer that cannot be read: nobody knows what it says.
    fn from(error: Error) -> Self {
        Self::new(Reaction::Unknown, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_known_by_their_class() {
        let package = "org.apache.hadoop.hbase.";
        for (class, is_final, reaction) in [
            ("NotServingRegionException", true, Reaction::LookAgain),
            ("ipc.CallQueueTooBigException", false, Reaction::Wait),
            ("TableNotFoundException", true, Reaction::NoTable),
            (
                "regionserver.NoSuchColumnFamilyException",
                true,
                Reaction::Refused,
            ),
            ("SomethingElse", false, Reaction::Unknown),
        ] {
            let class = format!("{package}{class}");
            let trace = format!("{class}: region x is not here\n\tat y");
            let failure = Failure::of(&class, &trace, is_final);
            assert_eq!(failure.reaction, reaction, "{class}");
            let message = failure.error.message();
            assert!(message.ends_with(": region x is not here"), "{message}");
        }
    }
}
