//! The views of a database: queries under names, kept beside the tables.
//!
//! A view reads what has the names in its query. What it needs is therefore not dropped before it is, and no view reads
//! itself by way of others; so the views below one have a depth, which is limited.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::objects::{Dependents, Existing};
use super::stored::{SPACE, view_key};
use super::tables::Catalog;
use crate::error::{Error, Nameable, Result};
use crate::schema::View;
use crate::store::WriteBatch;

/// How many views may stand on each other.
pub const MOST_VIEWS_DEEP: usize = 32;

impl Catalog {
    /// From now on these are the views. Those that are known already, and are the same, stay the same.
    pub(super) fn set_views(&self, found: Vec<Arc<View>>) {
        let found: BTreeMap<String, Arc<View>> = found
            .into_iter()
            .map(|view| (view.name.clone(), view))
            .collect();
        if *self.views.read() != found {
            self.change_views(|views| *views = found);
        }
    }

    fn change_views(&self, change: impl FnOnce(&mut BTreeMap<String, Arc<View>>)) {
        let mut views = self.views.write();
        change(&mut views);
        // Before anyone can see the change.
        self.changed();
    }

    /// The view called `name`.
    pub fn view(&self, name: &str) -> Option<Arc<View>> {
        self.views.read().get(name).cloned()
    }

    /// The view called `name`.
    ///
    /// # Errors
    /// `InvalidInput` where there is none.
    pub fn expect_view(&self, name: &str) -> Result<Arc<View>> {
        self.view(name).ok_or_else(|| match self.kind_of(name) {
            Some(kind) => Error::invalid(format!("`{name}` is a {kind}, not a view")),
            None => Error::invalid(format!("there is no view `{name}`")).of_missing(
                Nameable::Table,
                name,
                [],
            ),
        })
    }

    /// Says something of a view, or nothing.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such view; those of the store.
    pub fn comment_on_view(&self, name: &str, comment: Option<String>) -> Result<()> {
        let (_changing, changes) = self.begin_others()?;
        let known = self.expect_view(name)?;
        let view = View {
            comment,
            ..known.as_ref().clone()
        };
        let mut batch = WriteBatch::new();
        batch.put(SPACE, &view_key(name), view.to_json()?.as_bytes());
        self.write(changes, batch, || {
            self.change_views(|views| {
                views.insert(view.name.clone(), Arc::new(view));
            });
        })
    }

    /// The names of all views, sorted.
    pub fn view_names(&self) -> Vec<String> {
        self.views.read().keys().cloned().collect()
    }

    /// Whether there is a view.
    pub fn has_views(&self) -> bool {
        !self.views.read().is_empty()
    }

    /// All views, each behind those that it reads.
    pub fn views_in_order(&self) -> Vec<Arc<View>> {
        let mut views: Vec<Arc<View>> = self.views.read().values().cloned().collect();
        views.sort_by_key(|view| self.depth(view));
        views
    }

    /// Whether nothing has the name.
    pub fn is_free(&self, name: &str) -> bool {
        self.kind_of(name).is_none()
    }

    /// What has the name.
    pub fn kind_of(&self, name: &str) -> Option<&'static str> {
        if self.table(name).is_some() {
            Some("table")
        } else if self.view(name).is_some() {
            Some("view")
        } else {
            self.sequence(name).map(|_| "sequence")
        }
    }

    /// The views that read what has the name, themselves or by way of others.
    pub fn readers_of(&self, name: &str) -> Vec<Arc<View>> {
        self.dependents(&BTreeSet::from([name]))
    }

    /// # Errors
    /// `Conflict` where something that is no table has the name.
    pub(super) fn expect_free_for_table(&self, name: &str) -> Result<()> {
        match self.kind_of(name) {
            None | Some("table") => Ok(()),
            Some(kind) => Err(Error::conflict(format!(
                "`{name}` exists already: it is a {kind}"
            ))),
        }
    }

    /// How many views stand on each other where this one is the uppermost: 1 for one that reads tables alone. Beyond
    /// [`MOST_VIEWS_DEEP`] nobody counts.
    pub fn depth(&self, view: &View) -> usize {
        let views = self.views.read();
        let mut level: BTreeSet<&str> = view.reads.iter().map(String::as_str).collect();
        for depth in 1..=MOST_VIEWS_DEEP {
            let below = level.iter().filter_map(|name| views.get(*name));
            let below: BTreeSet<&str> = below
                .flat_map(|view| view.reads.iter().map(String::as_str).chain([""]))
                .collect();
            if below.is_empty() {
                return depth;
            }
            level = below;
        }
        MOST_VIEWS_DEEP + 1
    }

    /// The views that read any of these names, and those that read them in turn, each once.
    fn dependents(&self, names: &BTreeSet<&str>) -> Vec<Arc<View>> {
        let views = self.views.read();
        let mut found: Vec<Arc<View>> = Vec::new();
        loop {
            let is_known = |name: &str| {
                names.contains(name) || found.iter().any(|view: &Arc<View>| view.name == name)
            };
            let next = views
                .values()
                .find(|view| !is_known(&view.name) && view.reads.iter().any(|name| is_known(name)));
            match next.cloned() {
                Some(view) => found.push(view),
                None => return found,
            }
        }
    }

    /// The names of the views that go with these, which `batch` deletes.
    ///
    /// # Errors
    /// `Conflict` where there are some and they are not to go.
    pub(super) fn with_dependents(
        &self,
        names: &BTreeSet<&str>,
        dependents: Dependents,
        batch: &mut WriteBatch,
    ) -> Result<Vec<String>> {
        let found = self.dependents(names);
        let found: Vec<String> = found.iter().map(|view| view.name.clone()).collect();
        if dependents == Dependents::Refuse && !found.is_empty() {
            let quoted = |name: &str| format!("`{name}`");
            let views: Vec<String> = found.iter().map(|name| quoted(name)).collect();
            let dropped: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            return Err(Error::conflict(format!(
                "{} cannot be dropped: {} {} it; say CASCADE to drop all of them",
                dropped.join(", "),
                match views.len() {
                    1 => "view",
                    _ => "views",
                },
                match views.as_slice() {
                    [one] => format!("{one} reads"),
                    _ => format!("{} read", views.join(", ")),
                },
            )));
        }
        for name in &found {
            batch.delete(SPACE, &view_key(name));
        }
        Ok(found)
    }

    /// These views are gone.
    pub(super) fn forget_views(&self, names: &[String]) {
        if !names.is_empty() {
            self.change_views(|views| views.retain(|name, _| !names.contains(name)));
        }
    }

    /// Makes a view that was planned at this version of the catalog. Gives whether it is made, or `None` if the catalog
    /// is another by now: then it is to be planned again.
    ///
    /// # Errors
    /// `Conflict` where something has the name, or a view that reads it would lose a column; `InvalidInput` where it
    /// would read itself, or too many stand on each other; those of the store.
    pub fn create_view(
        &self,
        view: View,
        version: u64,
        existing: Existing,
    ) -> Result<Option<bool>> {
        view.validate()?;
        let (_changing, changes) = self.begin_others()?;
        if self.version() != version {
            return Ok(None);
        }
        if let Some(kind @ ("table" | "sequence")) = self.kind_of(&view.name) {
            let name = &view.name;
            let message = format!("`{name}` exists already: it is a {kind}");
            return Err(Error::conflict(message));
        }
        match (self.view(&view.name), existing) {
            (None, _) if view.reads.contains(&view.name) => return Err(reads_itself(&view.name)),
            (None, _) => {}
            (Some(_), Existing::Keep) => return Ok(Some(false)),
            (Some(_), Existing::Refuse) => {
                let name = &view.name;
                let message =
                    format!("view `{name}` exists already; CREATE OR REPLACE VIEW changes it");
                return Err(Error::conflict(message));
            }
            (Some(known), Existing::Replace) => self.check_replaced(&known, &view)?,
        }
        if self.depth(&view) > MOST_VIEWS_DEEP {
            return Err(Error::unsupported(format!(
                "view `{}`: more than {MOST_VIEWS_DEEP} views stand on each other",
                view.name
            )));
        }
        let mut batch = WriteBatch::new();
        batch.put(SPACE, &view_key(&view.name), view.to_json()?.as_bytes());
        let made = format!("making view `{}`", view.name);
        let written = self.write(changes, batch, || {
            self.change_views(|views| {
                views.insert(view.name.clone(), Arc::new(view));
            });
        });
        written.map_err(|error| error.context(made))?;
        Ok(Some(true))
    }

    /// Whether a view can take the place of another without harm to those that read it.
    fn check_replaced(&self, known: &View, new: &View) -> Result<()> {
        let name = &new.name;
        let dependents = self.dependents(&BTreeSet::from([name.as_str()]));
        let reads = |view: &Arc<View>| new.reads.contains(&view.name);
        if new.reads.contains(name) || dependents.iter().any(reads) {
            return Err(reads_itself(name));
        }
        let mut columns = known.columns.iter().map(|column| &column.name);
        let is_lost = |column: &&String| !new.columns.iter().any(|it| it.name == **column);
        match (dependents.first(), columns.find(is_lost)) {
            (Some(dependent), Some(column)) => Err(Error::conflict(format!(
                "view `{name}` cannot lose its column `{column}`: view `{}` reads it",
                dependent.name
            ))),
            _ => Ok(()),
        }
    }

    /// Drops views, all of them or none; with `if_exists` those that there are.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such view; `Conflict` where others read one, unless these go, too; those of the
    /// store.
    pub fn drop_views(
        &self,
        names: &[String],
        if_exists: bool,
        dependents: Dependents,
    ) -> Result<()> {
        let (_changing, changes) = self.begin_others()?;
        let mut dropped = BTreeSet::new();
        for name in names {
            if !if_exists || !self.is_free(name) {
                self.expect_view(name)?;
                dropped.insert(name.as_str());
            }
        }
        let mut batch = WriteBatch::new();
        let mut gone = self.with_dependents(&dropped, dependents, &mut batch)?;
        for name in dropped {
            batch.delete(SPACE, &view_key(name));
            gone.push(name.to_owned());
        }
        self.write(changes, batch, || self.forget_views(&gone))
    }
}

fn reads_itself(name: &str) -> Error {
    Error::invalid(format!("view `{name}` would read itself"))
}

#[cfg(test)]
#[path = "views_tests.rs"]
mod tests;
