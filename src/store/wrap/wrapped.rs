//! A store around another, written once: every call is handed on, and [`Hooks`] say what is done about it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::super::{
    BulkWriter, Capabilities, Changes, Claim, Durability, Durable, Fact, LocalSnapshot,
    ReadRequest, Reader, Snapshot, SpaceOptions, SpaceRegion, Store, WriteBatch,
};
use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};

/// What a store does about the calls that it hands on: nothing, where it does not say otherwise. A clone is the same, for a
/// snapshot or a reader.
pub trait Hooks: Clone + fmt::Debug + Send + Sync + 'static {
    /// Is told what is asked, before it is.
    fn note(&self, _asked: Asked<'_>) {}

    /// Makes a call of the method `what` of the store, of a snapshot or of changes; those of a load are `bulk put` and
    /// `bulk delete`.
    fn call<T>(&self, _what: &'static str, call: impl FnOnce() -> Result<T>) -> Result<T> {
        call()
    }

    /// The hooks of a statement that has begun.
    fn begun(&self) -> Self {
        self.clone()
    }

    /// As [`Store::capabilities`].
    fn capabilities(&self, inner: Capabilities) -> Capabilities {
        inner
    }

    /// As [`Snapshot::is_grouped`], and that of [`Changes`].
    fn is_grouped(&self, inner: bool, _space: &str) -> bool {
        inner
    }

    /// The snapshot in place of one of this store; what changes see stays as it is.
    fn shown(&self, snapshot: Arc<dyn Snapshot>) -> Arc<dyn Snapshot> {
        snapshot
    }

    /// The changes in place of those of a statement of this store.
    fn changing(&self, changes: Box<dyn Changes>) -> Box<dyn Changes> {
        changes
    }

    /// As [`Snapshot::read`].
    fn read(&self, inner: &Arc<dyn Snapshot>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        Arc::clone(inner).read(request)
    }

    /// As [`Snapshot::local`].
    fn local(&self, inner: &Arc<dyn Snapshot>) -> Option<Arc<dyn LocalSnapshot>> {
        Arc::clone(inner).local()
    }
}

/// What is asked of a store, with what is told to [`Hooks::note`].
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    /// [`Store::create_space`]: the name.
    CreateSpace(&'a str),
    /// [`Store::drop_space`]: the name.
    DropSpace(&'a str),
    /// [`Store::snapshot`] and [`Changes::snapshot`].
    Snapshot,
    /// [`Store::begin`]: what is claimed.
    Begin(&'a [Claim<'a>]),
    /// [`Changes::write`].
    Write(&'a WriteBatch),
    /// [`Changes::bulk`]: the space.
    Bulk(&'a str),
    /// [`BulkWriter::put`] or [`BulkWriter::delete`], of the load that was asked for last.
    Load,
    /// [`Changes::commit`].
    Commit(Durability),
    /// [`Snapshot::get`]: space and key.
    Get(&'a str, &'a [u8]),
    /// [`Snapshot::multi_get`]: space and keys.
    MultiGet(&'a str, &'a [&'a [u8]]),
}

/// A store around another.
#[derive(Debug)]
pub struct Wrapped<H> {
    inner: Arc<dyn Store>,
    hooks: H,
}

impl<H> Wrapped<H> {
    /// Hands calls on to `inner`.
    pub(crate) fn around(inner: Arc<dyn Store>, hooks: H) -> Self {
        Self { inner, hooks }
    }

    /// What it does about them.
    pub(crate) fn hooks(&self) -> &H {
        &self.hooks
    }
}

impl<H: Hooks> Store for Wrapped<H> {
    fn capabilities(&self) -> Capabilities {
        self.hooks.capabilities(self.inner.capabilities())
    }

    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        self.hooks.note(Asked::CreateSpace(name));
        let create = || self.inner.create_space(name, options);
        self.hooks.call("create_space", create)
    }

    fn create_parted_space(
        &self,
        name: &str,
        options: &SpaceOptions,
        borders: &[Vec<u8>],
    ) -> Result<()> {
        self.hooks.note(Asked::CreateSpace(name));
        let create = || self.inner.create_parted_space(name, options, borders);
        self.hooks.call("create_space", create)
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.hooks.note(Asked::DropSpace(name));
        self.hooks
            .call("drop_space", || self.inner.drop_space(name))
    }

    fn spaces(&self) -> Result<Vec<String>> {
        self.hooks.call("spaces", || self.inner.spaces())
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let taken = snapshot(&self.hooks, || self.inner.snapshot());
        taken.map(|snapshot| self.hooks.shown(snapshot))
    }

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        self.hooks.note(Asked::Begin(claims));
        let inner = Arc::clone(&self.inner);
        let changes = WrappedChanges {
            inner: self.hooks.call("begin", || inner.begin(claims))?,
            hooks: self.hooks.begun(),
            has_failed: false,
        };
        Ok(self.hooks.changing(Box::new(changes)))
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        let size = || self.inner.approximate_size(space, range);
        self.hooks.call("approximate_size", size)
    }

    fn approximate_entries(&self, space: &str) -> Result<Option<u64>> {
        let entries = || self.inner.approximate_entries(space);
        self.hooks.call("approximate_entries", entries)
    }

    /// None where the call fails: the store cannot say.
    fn boundaries(
        &self,
        space: &str,
        ranges: &KeyRangeSet,
        count: usize,
        least: u64,
    ) -> Vec<Vec<u8>> {
        let cuts = || Ok(self.inner.boundaries(space, ranges, count, least));
        self.hooks.call("boundaries", cuts).unwrap_or_default()
    }

    fn regions(&self, space: &str, range: &KeyRange) -> Result<Vec<SpaceRegion>> {
        let regions = || self.inner.regions(space, range);
        self.hooks.call("regions", regions)
    }

    fn limit_cache(&self, bytes: usize) {
        self.inner.limit_cache(bytes);
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        self.hooks
            .call("checkpoint", || self.inner.checkpoint(path))
    }

    fn verify(&self) -> Result<Vec<Error>> {
        self.hooks.call("verify", || self.inner.verify())
    }

    fn describe(&self) -> Result<Vec<Fact>> {
        self.hooks.call("describe", || self.inner.describe())
    }

    fn vacuum(&self, space: Option<&str>) -> Result<Vec<Fact>> {
        self.hooks.call("vacuum", || self.inner.vacuum(space))
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

/// What is taken as a snapshot, wrapped.
fn snapshot<H: Hooks>(
    hooks: &H,
    take: impl FnOnce() -> Result<Arc<dyn Snapshot>>,
) -> Result<Arc<dyn Snapshot>> {
    hooks.note(Asked::Snapshot);
    let inner = hooks.call("snapshot", take)?;
    let hooks = hooks.clone();
    Ok(Arc::new(WrappedSnapshot { inner, hooks }))
}

#[derive(Debug)]
struct WrappedChanges<H> {
    inner: Box<dyn Changes>,
    hooks: H,
    /// Whether a write has failed: then there is no commit.
    has_failed: bool,
}

fn refuse_if(has_failed: bool) -> Result<()> {
    if has_failed {
        Err(Error::internal("changes go on after an error"))
    } else {
        Ok(())
    }
}

impl<H: Hooks> Changes for WrappedChanges<H> {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        snapshot(&self.hooks, || self.inner.snapshot())
    }

    fn is_grouped(&self, space: &str) -> bool {
        self.hooks.is_grouped(self.inner.is_grouped(space), space)
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        refuse_if(self.has_failed)?;
        self.hooks.note(Asked::Write(&batch));
        let inner = &mut self.inner;
        let written = self.hooks.call("write", || inner.write(batch));
        self.has_failed = written.is_err();
        written
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        refuse_if(self.has_failed)?;
        self.hooks.note(Asked::Bulk(space));
        let inner = &mut self.inner;
        Ok(Box::new(WrappedBulk {
            inner: self.hooks.call("bulk", || inner.bulk(space))?,
            hooks: &self.hooks,
            has_failed: &mut self.has_failed,
        }))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        refuse_if(self.has_failed)?;
        let Self { inner, hooks, .. } = *self;
        hooks.note(Asked::Commit(durability));
        hooks.call("commit", || inner.commit(durability))
    }

    fn commit_early(self: Box<Self>, durability: Durability) -> Result<Option<Durable>> {
        refuse_if(self.has_failed)?;
        let Self { inner, hooks, .. } = *self;
        hooks.note(Asked::Commit(durability));
        let durable = hooks.call("commit", || inner.commit_early(durability))?;
        Ok(durable.map(|durable| Durable::after(move || hooks.call("sync", || durable.wait()))))
    }
}

struct WrappedBulk<'a, H> {
    inner: Box<dyn BulkWriter + 'a>,
    hooks: &'a H,
    has_failed: &'a mut bool,
}

impl<H: Hooks> WrappedBulk<'_, H> {
    fn call(
        &mut self,
        what: &'static str,
        call: impl FnOnce(&mut dyn BulkWriter) -> Result<()>,
    ) -> Result<()> {
        refuse_if(*self.has_failed)?;
        self.hooks.note(Asked::Load);
        let inner = self.inner.as_mut();
        let outcome = self.hooks.call(what, || call(inner));
        *self.has_failed = outcome.is_err();
        outcome
    }
}

impl<H: Hooks> BulkWriter for WrappedBulk<'_, H> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.call("bulk put", |inner| inner.put(key, value))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.call("bulk delete", |inner| inner.delete(key))
    }
}

#[derive(Debug)]
struct WrappedSnapshot<H> {
    inner: Arc<dyn Snapshot>,
    hooks: H,
}

impl<H: Hooks> Snapshot for WrappedSnapshot<H> {
    fn has_space(&self, space: &str) -> bool {
        self.inner.has_space(space)
    }

    fn is_grouped(&self, space: &str) -> bool {
        self.hooks.is_grouped(self.inner.is_grouped(space), space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.inner.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.hooks.note(Asked::Get(space, key));
        self.hooks.call("get", || self.inner.get(space, key))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.hooks.note(Asked::MultiGet(space, keys));
        let get = || self.inner.multi_get(space, keys);
        self.hooks.call("multi_get", get)
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        self.hooks.read(&self.inner, request)
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        self.hooks.local(&self.inner)
    }
}
