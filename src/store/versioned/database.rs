//! The store itself: statements begin, spaces are made and dropped.

use std::fmt;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::changes::{Alive, VersionedChanges};
use super::clock::SpaceClaim;
use super::directory::{self, DIRECTORY, DIRECTORY_ID, Directory, SpaceChange};
use super::service::RowService;
use super::shared::{Shared, Times};
use super::sight::Sight;
use super::snapshot::VersionedSnapshot;
use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::store::cut;
use crate::store::{
    Capabilities, Changes, Claim, Fact, Latency, Snapshot, SpaceOptions, SpaceRegion, Store,
    check_space_name, no_such_space, space_exists,
};

/// The statements of this process that are under way.
type UnderWay = Arc<Mutex<Vec<Weak<Mutex<Alive>>>>>;

/// A store over a row service.
pub(in crate::store) struct VersionedStore<S> {
    pub(super) shared: Arc<Shared<S>>,
    under_way: UnderWay,
    is_read_only: bool,
    /// Dropped, it ends the thread that says that statements are alive.
    _beats: Option<Sender<()>>,
}

impl<S: RowService> VersionedStore<S> {
    /// Opens a database, and makes it where there is none. A thread of its own says that its statements are alive.
    pub(in crate::store) fn open(service: S, times: Times) -> Result<Self> {
        let store = Self::open_quiet(service, times)?;
        let (sender, receiver) = channel();
        let shared = Arc::downgrade(&store.shared);
        let under_way = Arc::clone(&store.under_way);
        let interval = Duration::from_millis(times.beat);
        let beating = move || {
            while receiver.recv_timeout(interval) == Err(RecvTimeoutError::Timeout)
                && let Some(shared) = shared.upgrade()
            {
                beat_all(&shared, &under_way);
            }
        };
        let thread = thread::Builder::new().name("halite-beat".to_owned());
        thread.spawn(beating).map_err(|error| {
            Error::unavailable("no thread can be started that says that statements are alive")
                .with_source(error)
        })?;
        Ok(Self {
            _beats: Some(sender),
            ..store
        })
    }

    /// Opens a database for reading alone.
    ///
    /// # Errors
    /// `InvalidInput` where there is none.
    pub(in crate::store) fn open_read_only(service: S, times: Times) -> Result<Self> {
        let shared = Arc::new(Shared::new(service, times));
        if shared.service.read_clock()?.is_empty() {
            return Err(Error::invalid(format!(
                "there is no database in {:?}",
                shared.service
            )));
        }
        shared.read_clock()?;
        Ok(Self {
            shared,
            under_way: Arc::default(),
            is_read_only: true,
            _beats: None,
        })
    }

    /// As [`VersionedStore::open`], without the thread: a statement is given up that others have waited for through a lease.
    pub(super) fn open_quiet(service: S, times: Times) -> Result<Self> {
        let shared = Arc::new(Shared::new(service, times));
        shared.make()?;
        Ok(Self {
            shared,
            under_way: Arc::default(),
            is_read_only: false,
            _beats: None,
        })
    }

    fn refuse_if_read_only(&self) -> Result<()> {
        if self.is_read_only {
            Err(Error::unavailable(format!(
                "{:?} is open read-only: nothing can be written",
                self.shared.service
            )))
        } else {
            Ok(())
        }
    }

    /// Says that all statements of this process are alive.
    #[cfg(test)]
    pub(super) fn beat(&self) {
        beat_all(&self.shared, &self.under_way);
    }

    /// What there is now.
    pub(super) fn sight(&self) -> Result<Sight<S>> {
        Sight::take(&self.shared)
    }

    /// Begins a statement; `None` where it would have to wait and must not.
    pub(super) fn begin_with(
        &self,
        claims: Arc<[SpaceClaim]>,
        waits: bool,
    ) -> Result<Option<VersionedChanges<S>>> {
        self.refuse_if_read_only()?;
        let Some(begun) = self.shared.begin(&claims, waits)? else {
            return Ok(None);
        };
        let changes = VersionedChanges::new(&self.shared, begun, &claims);
        let mut under_way = self.under_way.lock();
        under_way.retain(|alive| alive.strong_count() > 0);
        under_way.push(Arc::downgrade(changes.alive()));
        Ok(Some(changes))
    }

    /// Changes the directory: all of it, or nothing.
    fn change_directory(
        &self,
        change: impl FnOnce(&Directory, &VersionedChanges<S>) -> Result<SpaceChange>,
    ) -> Result<()> {
        let claims = Arc::new([directory::claim()]);
        let Some(changes) = self.begin_with(claims, true)? else {
            return Err(Error::internal("a statement that waits has not waited"));
        };
        // Nobody else changes it now.
        let sight = self.sight()?;
        let made = change(sight.directory(), &changes)?;
        changes.put_written(DIRECTORY, made.written)?;
        changes.commit_stamping(vec![DIRECTORY_ID])?;
        // Statements that are under way learn it.
        self.shared.refresh()
    }
}

fn beat_all<S: RowService>(shared: &Shared<S>, under_way: &UnderWay) {
    let statements: Vec<_> = under_way.lock().iter().filter_map(Weak::upgrade).collect();
    for alive in statements {
        // The next beat tries again, and the statement notices when there was none for long.
        let _ = alive.lock().beat(shared);
    }
}

fn claims(claims: &[Claim<'_>]) -> Arc<[SpaceClaim]> {
    let claims = claims.iter().map(|claim| SpaceClaim {
        space: claim.space.into(),
        sharing: claim.sharing,
    });
    claims.collect()
}

impl<S: RowService> fmt::Debug for VersionedStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VersionedStore({:?})", self.shared.service)
    }
}

impl<S: RowService> Store for VersionedStore<S> {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            latency: Latency::Far,
            refuses_empty_key: self.shared.service.nature().refuses_empty_key,
        }
    }

    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        self.create_parted_space(name, options, &[])
    }

    fn create_parted_space(
        &self,
        name: &str,
        options: &SpaceOptions,
        borders: &[Vec<u8>],
    ) -> Result<()> {
        check_space_name(name)?;
        self.change_directory(|directory, changes| {
            if directory.spaces.contains_key(name) {
                return Err(space_exists(name));
            }
            let change = directory.create(name, changes.number(), *options);
            let table = &change.record.table;
            self.shared.service.create_table(table, borders)?;
            Ok(change)
        })
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.change_directory(|directory, changes| {
            let record = directory.spaces.get(name);
            let record = record.ok_or_else(|| no_such_space(name))?;
            Ok(Directory::drop(name, record.clone(), changes.number()))
        })
    }

    fn spaces(&self) -> Result<Vec<String>> {
        let sight = self.sight()?;
        Ok(sight.directory().spaces.keys().cloned().collect())
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(VersionedSnapshot(Arc::new(self.sight()?))))
    }

    fn supposed(&self) -> Option<Arc<dyn Snapshot>> {
        let sight = Sight::suppose(&self.shared)?;
        Some(Arc::new(VersionedSnapshot(Arc::new(sight))))
    }

    fn begin(self: Arc<Self>, claimed: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        let changes = self.begin_with(claims(claimed), true)?;
        let changes =
            changes.ok_or_else(|| Error::internal("a statement that waits has not waited"))?;
        Ok(Box::new(changes))
    }

    fn try_begin(self: Arc<Self>, claimed: &[Claim<'_>]) -> Result<Option<Box<dyn Changes>>> {
        let changes = self.begin_with(claims(claimed), false)?;
        Ok(changes.map(|changes| Box::new(changes) as Box<dyn Changes>))
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        let directory = self.shared.known_directory();
        let record = directory.spaces.get(space);
        let table = &record.ok_or_else(|| no_such_space(space))?.table;
        let size = self.shared.service.approximate_size(table, range);
        size.ok_or_else(|| Error::unsupported(format!("how large {table} is is not known")))
    }

    fn regions(&self, space: &str, range: &KeyRange) -> Result<Vec<SpaceRegion>> {
        let directory = self.shared.known_directory();
        let record = directory.spaces.get(space);
        let table = &record.ok_or_else(|| no_such_space(space))?.table;
        self.shared.service.regions(table, range)
    }

    fn boundaries(
        &self,
        space: &str,
        ranges: &KeyRangeSet,
        count: usize,
        _least: u64,
    ) -> Vec<Vec<u8>> {
        let directory = self.shared.known_directory();
        let record = directory.spaces.get(space);
        let borders = record.map(|record| self.shared.service.borders(&record.table));
        cut::at_borders(borders.into_iter().flatten(), ranges, count)
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        self.refuse_if_read_only()?;
        let (path, instead) = (path.display(), self.shared.service.nature().instead_of_copy);
        Err(Error::unsupported(format!(
            "it cannot be copied to {path}: {instead}"
        )))
    }

    fn verify(&self) -> Result<Vec<Error>> {
        let instead = self.shared.service.nature().instead_of_check;
        Err(Error::unsupported(instead))
    }

    fn describe(&self) -> Result<Vec<Fact>> {
        self.facts()
    }

    fn vacuum(&self, space: Option<&str>) -> Result<Vec<Fact>> {
        let cleared = self.clear_away(space)?;
        Ok(self.told(cleared))
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }
}
