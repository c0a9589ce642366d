//! Who holds an open database, by kinds: what is said where it cannot be opened, or closed, because somebody does.
//!
//! A database in a directory is open once in a process. Its holders are known here by the directory, so that who opens it
//! a second time is told who they are.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// What holds a database while a statement runs: it lets go of it by itself.
pub const STATEMENT: &str = "statement that runs";

/// What an error says that opens a database which this process has open.
pub const OPEN_HERE: &str = "is already open in this process";

/// Those who hold one database.
#[derive(Debug, Default)]
pub struct Holders(Mutex<BTreeMap<&'static str, usize>>);

/// One of them, until it is dropped. A clone is another one.
pub struct Held {
    what: &'static str,
    holders: Arc<Holders>,
}

impl Holders {
    /// One more, which is called so.
    pub fn hold(self: &Arc<Self>, what: &'static str) -> Held {
        *self.0.lock().entry(what).or_default() += 1;
        Held {
            what,
            holders: Arc::clone(self),
        }
    }

    /// Whether nobody is left but statements that end.
    pub fn are_ending(&self) -> bool {
        let counts = self.0.lock();
        counts.keys().all(|what| *what == STATEMENT)
    }

    /// Whether there is one that is called so.
    pub fn have(&self, what: &str) -> bool {
        self.0.lock().contains_key(what)
    }

    /// `2 connections, 1 appender`; empty where nobody is known.
    pub fn described(&self) -> String {
        let counts = self.0.lock();
        let described = counts.iter().map(|(what, count)| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        });
        described.collect::<Vec<_>>().join(", ")
    }
}

impl Held {
    /// All that hold the database.
    pub fn holders(&self) -> &Arc<Holders> {
        &self.holders
    }

    /// Another holder, which is called so.
    #[must_use]
    pub fn called(&self, what: &'static str) -> Self {
        self.holders.hold(what)
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        self.holders.hold(self.what)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut counts = self.holders.0.lock();
        match counts.get_mut(self.what) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(counts.remove(self.what)),
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

/// The directories that are open in this process.
static OPEN: Mutex<Vec<(PathBuf, Weak<Holders>)>> = Mutex::new(Vec::new());

/// Remembers who holds the database in a directory.
pub fn remember(directory: &Path, holders: &Arc<Holders>) {
    let Ok(directory) = directory.canonicalize() else {
        return;
    };
    let mut open = OPEN.lock();
    open.retain(|(other, _)| *other != directory);
    open.push((directory, Arc::downgrade(holders)));
}

/// Those who hold the database in a directory that was opened in this process: nobody is left where there are none.
pub fn of(directory: &Path) -> Option<Arc<Holders>> {
    let directory = directory.canonicalize().ok()?;
    let open = OPEN.lock();
    let found = open.iter().find(|(other, _)| *other == directory)?;
    Some(found.1.upgrade().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_are_counted_by_their_names() {
        let holders = Arc::new(Holders::default());
        assert!(holders.are_ending() && holders.described().is_empty());
        let first = holders.hold("connection");
        let second = first.clone();
        let appender = first.called("appender");
        let running = holders.hold(STATEMENT);
        let described = "1 appender, 2 connections, 1 statement that runs";
        assert_eq!(holders.described(), described);
        drop((first, second));
        assert!(!holders.are_ending() && holders.have("appender"));
        drop(appender);
        assert!(holders.are_ending() && holders.have(STATEMENT));
        drop(running);
        assert_eq!(holders.described(), "");
    }

    #[test]
    fn a_directory_is_known_by_any_way_to_it() {
        let directory = tempfile::tempdir().unwrap();
        let holders = Arc::new(Holders::default());
        remember(directory.path(), &holders);
        let found = of(&directory.path().join(".").join("")).unwrap();
        assert!(Arc::ptr_eq(&found, &holders));
        drop((found, holders));
        assert!(of(directory.path()).unwrap().are_ending());
        assert!(of(Path::new("/no/such/directory")).is_none());
    }
}
