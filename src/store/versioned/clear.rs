//! Clearing away what nobody can see any more: the vacuum, and what statements that were given up have left.

use std::sync::Arc;
use std::time::Duration;

use super::changes::VersionedChanges;
use super::clock::Number;
use super::database::VersionedStore;
use super::directory::{self, DIRECTORY};
use super::service::{Amount, Reply, RowService, Rows, Window};
use super::vacuum::{self, Raise, Raised};
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::store::Direction;

/// What a vacuum has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cleared {
    /// Versions at or below it that were covered are gone.
    pub horizon: u64,
    /// Versions removed.
    pub versions: usize,
    /// Statements that were given up, and of which nothing is left.
    pub statements: usize,
    /// Tables of dropped spaces.
    pub tables: usize,
}

/// Between two looks at statements that may stand still.
const PAUSE: Duration = Duration::from_millis(200);

/// Rows asked for at once.
const ROWS: usize = 1024;

impl<S: RowService> VersionedStore<S> {
    /// Removes versions that nobody can see any more, of all spaces or of one; of all, also tables of spaces that were
    /// dropped so long ago, and the cells of statements that were given up so long ago. Behind another vacuum it waits.
    ///
    /// # Errors
    /// Those of the row service; `Unavailable` if it was given up. What was removed until then was right.
    pub(super) fn clear_away(&self, only: Option<&str>) -> Result<Cleared> {
        let only = only.map(|space| self.table_of(space)).transpose()?;
        self.give_up_dead()?;
        let Some(changes) = self.begin_with(vacuum::claims(), true)? else {
            return Err(Error::internal("a statement that waits has not waited"));
        };
        let mut cleared = Cleared::default();
        if only.is_none() {
            self.sweep(&changes, &mut cleared)?;
        }
        let statement = changes.statement();
        let raise = Raise::new(statement, self.shared.times.retention);
        let Some(raised) = self.shared.drive(raise, || changes.check_alive())? else {
            return Err(Error::unavailable("the vacuum was given up"));
        };
        cleared.horizon = raised.horizon;
        let tables = match &only {
            Some(table) => vec![Arc::clone(table)],
            None => self.tables()?,
        };
        for table in tables {
            self.clear(&changes, &table, &raised, &mut cleared)?;
        }
        changes.commit_stamping(Vec::new())?;
        if only.is_none() {
            self.drop_tables(raised.horizon, &mut cleared)?;
        }
        Ok(cleared)
    }

    /// Gives up the statements that stand still: nobody may wait for what they claim, and as long as they are under way the
    /// horizon stays below them.
    fn give_up_dead(&self) -> Result<()> {
        let (service, lease) = (&self.shared.service, self.shared.times.lease);
        let began = service.now();
        loop {
            let clock = self.shared.read_clock()?;
            self.shared.give_up_dead(&clock)?;
            // Numbers are times, or greater.
            let is_old = |number: Number| number.saturating_add(lease) <= began;
            let is_over = service.now().saturating_sub(began) > lease;
            if is_over || !clock.open().any(is_old) {
                return Ok(());
            }
            service.wait(PAUSE);
        }
    }

    fn table_of(&self, space: &str) -> Result<Arc<str>> {
        Ok(Arc::clone(&self.sight()?.space(space)?.table))
    }

    /// All tables that a snapshot may still read.
    fn tables(&self) -> Result<Vec<Arc<str>>> {
        let sight = self.sight()?;
        let directory = sight.directory();
        let spaces = directory.spaces.values();
        let spaces = spaces.map(|record| Arc::clone(&record.table));
        let dropped = directory.dropped.keys().map(|table| table.as_str().into());
        Ok(spaces.chain(dropped).chain([DIRECTORY.into()]).collect())
    }

    fn clear(
        &self,
        changes: &VersionedChanges<S>,
        table: &str,
        raised: &Raised,
        cleared: &mut Cleared,
    ) -> Result<()> {
        let window = Window {
            oldest: 0,
            newest: raised.horizon,
            versions: usize::MAX,
        };
        let everything = || Rows::Ranges(KeyRange::all().into(), Direction::Forward);
        let mut stream =
            self.shared
                .service
                .read(table, everything(), window, Amount::all(ROWS))?;
        while let Some(rows) = stream.next()? {
            let covered = rows.into_iter().map(|(key, versions)| {
                let versions = versions.iter();
                let versions = versions.map(|(number, value)| (*number, value.is_empty()));
                let versions: Vec<_> = versions.collect();
                (key.into(), raised.covered(&versions))
            });
            let covered: Vec<(Vec<u8>, _)> =
                covered.filter(|(_, numbers)| !numbers.is_empty()).collect();
            cleared.versions += covered
                .iter()
                .map(|(_, numbers)| numbers.len())
                .sum::<usize>();
            self.remove(changes, table, &covered)?;
        }
        Ok(())
    }

    fn remove(
        &self,
        changes: &VersionedChanges<S>,
        table: &str,
        rows: &[(Vec<u8>, Vec<Number>)],
    ) -> Result<()> {
        let began = self.shared.service.now();
        while !rows.is_empty() {
            changes.check_alive()?;
            self.shared.check_patience(began)?;
            if self.shared.service.remove(table, rows)? == Reply::Answered(()) {
                break;
            }
        }
        Ok(())
    }

    /// Removes what statements that were given up have left, and takes them off the list.
    fn sweep(&self, changes: &VersionedChanges<S>, cleared: &mut Cleared) -> Result<()> {
        let clock = self.shared.read_clock()?;
        let retention = self.shared.times.retention;
        let old = vacuum::to_sweep(&clock, self.shared.service.now(), retention);
        for (number, given_up) in old {
            for table in self.tables()? {
                let window = Window {
                    oldest: number,
                    newest: number,
                    versions: 1,
                };
                let rows = Rows::Ranges(KeyRange::all().into(), Direction::Forward);
                let mut stream =
                    self.shared
                        .service
                        .read(&table, rows, window, Amount::all(ROWS))?;
                while let Some(rows) = stream.next()? {
                    let rows = rows.into_iter().map(|(key, _)| (key.into(), vec![number]));
                    self.remove(changes, &table, &rows.collect::<Vec<_>>())?;
                }
            }
            // Where the answer is lost, it is seen by the next vacuum.
            self.shared.change(&vacuum::forget(number, given_up))?;
            cleared.statements += 1;
        }
        Ok(())
    }

    /// Removes the tables of spaces that no moment sees any more.
    fn drop_tables(&self, horizon: Number, cleared: &mut Cleared) -> Result<()> {
        let sight = self.sight()?;
        let dropped = sight.directory().dropped.iter();
        let old = dropped.filter(|(_, number)| **number <= horizon);
        let old: Vec<String> = old.map(|(table, _)| table.clone()).collect();
        for table in old {
            let claims = Arc::new([directory::claim()]);
            let Some(changes) = self.begin_with(claims, true)? else {
                return Err(Error::internal("a statement that waits has not waited"));
            };
            self.shared.service.drop_table(&table)?;
            changes.put_written(DIRECTORY, directory::forget(&table))?;
            changes.commit_stamping(vec![directory::DIRECTORY_ID])?;
            cleared.tables += 1;
        }
        Ok(())
    }
}
