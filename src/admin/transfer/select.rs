//! What of a database is copied.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::{FAILED, Side, Work};
use crate::catalog::{Catalog, Sequence, named_sequences};
use crate::error::{Error, Result};
use crate::run::waiting::on_waiting_thread;
use crate::schema::{BoundTable, View};
use crate::session::Database;
use crate::store::Snapshot;

/// What of a database is copied, and the moment at which it is read. What is temporary is not part of a database.
#[derive(Debug, Clone)]
pub struct Selection {
    pub(super) from: Side,
    pub(super) moment: Arc<dyn Snapshot>,
    /// In the order in which it is copied: nothing comes before what it needs.
    pub(super) work: VecDeque<Work>,
}

impl Selection {
    /// Tables and views by their names, with the sequences that number their rows; without names, all that a database has.
    /// `name` is what its user calls the database.
    ///
    /// # Errors
    /// `InvalidInput` for a name that nothing has; those of the store.
    pub async fn new(from: &Database, name: &str, names: &[String]) -> Result<Self> {
        let (from, names) = (Side::new(from, name), names.to_vec());
        on_waiting_thread(FAILED, move || {
            let moment = from.catalog.snapshot()?;
            let chosen = if names.is_empty() {
                Chosen::all(&from.catalog)
            } else {
                Chosen::named(&from, &names)?
            };
            Ok(Self {
                work: chosen.into_work(&from.catalog),
                from,
                moment,
            })
        })
        .await
    }
}

/// What is copied, each kind by its names.
#[derive(Default)]
struct Chosen {
    sequences: BTreeMap<String, Arc<Sequence>>,
    tables: BTreeMap<String, Arc<BoundTable>>,
    views: BTreeMap<String, Arc<View>>,
}

impl Chosen {
    fn all(catalog: &Catalog) -> Self {
        let names = catalog.names().into_iter();
        let tables = names.filter_map(|name| {
            let table = catalog.table(&name)?;
            Some((name, Arc::clone(table.bound())))
        });
        let names = catalog.sequence_names().into_iter();
        let sequences = names.filter_map(|name| {
            let sequence = catalog.sequence(&name)?;
            Some((name, sequence))
        });
        let names = catalog.view_names().into_iter();
        let views = names.filter_map(|name| {
            let view = catalog.view(&name)?;
            Some((name, view))
        });
        Self {
            tables: tables.collect(),
            sequences: sequences.collect(),
            views: views.collect(),
        }
    }

    fn named(from: &Side, names: &[String]) -> Result<Self> {
        let (mut chosen, catalog) = (Self::default(), &from.catalog);
        for name in names {
            // As statements name it, too.
            let folded = name.to_lowercase();
            let name = if catalog.is_free(name) { &folded } else { name };
            if let Some(view) = catalog.view(name) {
                chosen.views.insert(name.clone(), view);
            } else if let Some(sequence) = catalog.sequence(name) {
                chosen.sequences.insert(name.clone(), sequence);
            } else {
                let table = catalog.expect_table(name);
                let table = table.map_err(|error| error.context(&from.name))?;
                chosen.add_table(table.bound(), catalog)?;
            }
        }
        Ok(chosen)
    }

    /// A table, and the sequences that its defaults take numbers from.
    fn add_table(&mut self, table: &Arc<BoundTable>, catalog: &Catalog) -> Result<()> {
        let defaults = table.columns().iter().filter_map(|it| it.default.as_ref());
        for text in defaults {
            for name in named_sequences(text)? {
                let sequence = catalog.sequence(&name);
                self.sequences
                    .extend(sequence.map(|sequence| (name, sequence)));
            }
        }
        self.tables
            .insert(table.name().to_owned(), Arc::clone(table));
        Ok(())
    }

    /// The numbers of an identity are made with their column, and come with its table.
    fn into_work(mut self, catalog: &Catalog) -> VecDeque<Work> {
        self.sequences.retain(|name, _| !catalog.is_identity(name));
        let in_order = catalog.views_in_order().into_iter();
        let views = in_order.filter_map(|view| self.views.remove(&view.name));
        let sequences = self.sequences.into_values().map(Work::Sequence);
        let tables = self.tables.into_values().map(Work::Table);
        sequences
            .chain(tables)
            .chain(views.map(Work::View))
            .collect()
    }
}

impl Work {
    /// What is copied under a name, if it is a sequence, a table, a view.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Sequence(sequence) => &sequence.definition().name,
            Self::Table(table) => table.name(),
            Self::View(view) => &view.name,
        }
    }

    /// The same kind in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Sequence(_) => "sequence",
            Self::Table(_) => "table",
            Self::View(_) => "view",
        }
    }

    /// Puts the kind and the name in front of an error.
    pub(super) fn told(&self, error: Error) -> Error {
        match self {
            Self::Table(table) => error.of_table(table.name()),
            _ => error.context(format_args!("{} `{}`", self.kind(), self.name())),
        }
    }
}
