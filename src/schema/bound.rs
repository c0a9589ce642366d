//! A table with what follows from its definition.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::{Column, FamilySet, Table, TableSpaces, arrow_schema};
use crate::datum::SqlType;
use crate::error::{Error, Nameable, Result};
use crate::key::{KeyColumn, RowKey};

/// A validated table with its row key, Arrow schema and stored columns worked out: what everything above works with.
///
/// It never changes; ALTER TABLE makes a new one.
#[derive(Clone)]
pub struct BoundTable {
    table: Table,
    row_key: Arc<RowKey>,
    schema: SchemaRef,
    /// The declared columns, and behind them the hidden one if there is one.
    all_columns: Vec<Column>,
    full_schema: SchemaRef,
    spaces: TableSpaces,
    sources: Vec<usize>,
    stored: Vec<usize>,
    /// The family of each column, by position; those of the key are in none.
    families: Vec<usize>,
    borders: Vec<Vec<u8>>,
    whole_key: Option<usize>,
}

impl BoundTable {
    /// The table, once it is found valid.
    ///
    /// # Errors
    /// As [`Table::validate`].
    pub fn new(table: Table) -> Result<Arc<Self>> {
        let row_key = table.checked_row_key()?;
        let parts = row_key.parts().iter();
        let sources: BTreeSet<usize> = parts.flat_map(|part| part.sources()).copied().collect();
        let hidden = table.hidden();
        let all_columns: Vec<Column> = table.columns.iter().cloned().chain(hidden).collect();
        Ok(Arc::new(Self {
            stored: (0..table.columns.len())
                .filter(|column| row_key.restoring_part(*column).is_none())
                .collect(),
            sources: sources.into_iter().collect(),
            borders: table.borders(&row_key)?,
            row_key: Arc::new(row_key),
            schema: table.arrow_schema(),
            full_schema: arrow_schema(&all_columns),
            all_columns,
            spaces: table.spaces(),
            families: table
                .columns
                .iter()
                .map(|it| table.family_of(it.id))
                .collect(),
            table,
            whole_key: None,
        }))
    }

    /// What lies in its run of keys as a table of another name, to be read: the columns of `key`, which says of the same
    /// bytes what their fields hold ([`RowKey::of_fields`], [`RowKey::of_first_fields`]), those of `values`, of which a row
    /// is asked, and `whole`, the bytes of the key.
    pub fn of_keys(
        &self,
        name: &str,
        key: RowKey,
        values: &[(&str, SqlType)],
        whole: &str,
    ) -> Arc<Self> {
        let behind = values.iter().cloned().chain([(whole, SqlType::Bytea)]);
        let behind = behind.map(|(name, sql_type)| KeyColumn {
            name: name.to_owned(),
            sql_type,
            nullable: false,
        });
        let fields = key.columns().len();
        let key = key.with_columns(behind);
        let columns: Vec<Column> = key.columns().iter().zip(0..).map(shown).collect();
        let whole = columns.len() - 1;
        let table = Table {
            name: name.to_owned(),
            columns: columns.clone(),
            checks: Vec::new(),
            ..self.table.clone()
        };
        Arc::new(Self {
            stored: (fields..whole).collect(),
            sources: (0..fields).collect(),
            borders: Vec::new(),
            row_key: Arc::new(key),
            schema: arrow_schema(&columns),
            full_schema: arrow_schema(&columns),
            spaces: self.spaces.clone(),
            families: vec![0; columns.len()],
            all_columns: columns,
            table,
            whole_key: Some(whole),
        })
    }

    /// The definition.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// The declared columns in table order: those that `SELECT *` shows.
    pub fn columns(&self) -> &[Column] {
        &self.table.columns
    }

    /// All columns of a row: the declared ones, and behind them the hidden one of a table that has one.
    pub fn all_columns(&self) -> &[Column] {
        &self.all_columns
    }

    /// The position of the hidden row id, if the table has one.
    pub fn row_id(&self) -> Option<usize> {
        let hidden = self.table.has_row_id();
        hidden.then_some(self.table.columns.len())
    }

    /// The position of the hidden column, if the table has one: a row id, or a bucket that was dealt.
    pub fn hidden(&self) -> Option<usize> {
        let declared = self.table.columns.len();
        (self.all_columns.len() > declared).then_some(declared)
    }

    /// The column at `position` of [`BoundTable::all_columns`].
    ///
    /// # Errors
    /// `Internal` where there is none.
    pub fn column(&self, position: usize) -> Result<&Column> {
        self.all_columns.get(position).ok_or_else(|| {
            Error::internal(format!(
                "table `{}` has no column at {position}",
                self.name()
            ))
        })
    }

    /// That it has no column of this name, as a statement has it.
    pub fn no_column(&self, name: &str) -> Error {
        let columns = self.columns().iter();
        let known: Vec<String> = columns.map(|column| column.name.clone()).collect();
        Error::invalid(format!(
            "table `{}` has no column `{name}`; its columns are `{}`",
            self.name(),
            known.join("`, `")
        ))
        .of_missing(Nameable::Column, name, known)
    }

    /// Whether a statement may give values for the column at `position`.
    ///
    /// # Errors
    /// `InvalidInput` for one that is generated.
    pub fn refuse_generated(&self, position: usize) -> Result<()> {
        let column = self.column(position)?;
        match &column.generated {
            None => Ok(()),
            Some(text) => Err(Error::invalid(format!(
                "table `{}`: column `{}` is computed, AS ({text}), and takes no value: leave it out",
                self.name(),
                column.name
            ))),
        }
    }

    /// Whether a statement may give a value for the column at `position`, which may be the word DEFAULT.
    ///
    /// # Errors
    /// `InvalidInput` for one that is generated, or numbers rows and takes no other numbers.
    pub fn refuse_given(&self, position: usize, is_default: bool) -> Result<()> {
        self.refuse_generated(position)?;
        let column = self.column(position)?;
        let identity = column.identity.as_ref();
        if identity.is_some_and(|identity| identity.always) && !is_default {
            Err(Error::invalid(format!(
                "table `{}`: column `{}` is GENERATED ALWAYS AS IDENTITY and takes no value; leave it out of the list of \
                 columns, or write DEFAULT",
                self.name(),
                column.name
            )))
        } else {
            Ok(())
        }
    }

    /// Whether a statement may look a row up by its key, to put another in its place.
    ///
    /// # Errors
    /// `NotSupported` where rows are dealt out over buckets: which is the row that `what` would be about?
    pub fn refuse_lookup(&self, what: &str) -> Result<()> {
        let Some(buckets) = self.row_key.dealt_buckets() else {
            return Ok(());
        };
        Err(Error::unsupported(format!(
            "table `{}`: {what} is not possible with random_salt({buckets}): a row lies in any of the buckets, and up to \
             {buckets} rows have the same values in the rest of the key, so that a new row takes the place of no certain \
             one; write INSERT, or DELETE and INSERT; salt({buckets}) has one place for each row",
            self.name()
        )))
    }

    /// Whether a statement may change the column at `position` of rows that are stored.
    ///
    /// # Errors
    /// `NotSupported` for a column of the key where rows are dealt out over buckets.
    pub fn refuse_moved(&self, position: usize) -> Result<()> {
        let dealt = self.row_key.dealt_buckets();
        let dealt = dealt.filter(|_| self.sources.contains(&position));
        let Some(buckets) = dealt else {
            return Ok(());
        };
        Err(Error::unsupported(format!(
            "table `{}`: column `{}` is of the row key, and is not changed with random_salt({buckets}), which deals out \
             buckets to rows as they are inserted; DELETE the rows and INSERT them with their new values",
            self.name(),
            self.column(position)?.name
        )))
    }

    /// The layout of the row key.
    pub fn row_key(&self) -> &Arc<RowKey> {
        &self.row_key
    }

    /// Whether rows must satisfy more than the types of their columns.
    pub fn has_rules(&self) -> bool {
        let mut columns = self.table.columns.iter();
        !self.table.checks.is_empty() || columns.any(|column| column.generated.is_some())
    }

    /// The Arrow schema of the declared columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The Arrow schema of [`BoundTable::all_columns`].
    pub fn full_schema(&self) -> &SchemaRef {
        &self.full_schema
    }

    /// The keys at which parts of the table begin that its SPLIT keeps apart, ascending; none where it has no SPLIT.
    pub fn borders(&self) -> &[Vec<u8>] {
        &self.borders
    }

    /// The table's spaces in the store.
    pub fn spaces(&self) -> &TableSpaces {
        &self.spaces
    }

    /// The name of its first space: that of family 0.
    pub fn space(&self) -> &str {
        self.spaces.first()
    }

    /// The same, for requests that keep it.
    pub fn shared_space(&self) -> Arc<str> {
        Arc::clone(self.spaces.first())
    }

    /// How many families there are: one, where none is declared.
    pub fn family_count(&self) -> usize {
        self.table.families.len() + 1
    }

    /// The family of the column at `position`.
    pub fn family(&self, position: usize) -> usize {
        self.families.get(position).copied().unwrap_or_default()
    }

    /// The families to be read for these columns, by position: at least one, for each has all rows.
    pub fn families_of(&self, columns: impl IntoIterator<Item = usize>) -> FamilySet {
        let stored = columns.into_iter().filter(|column| self.is_stored(*column));
        let found = stored.fold(FamilySet::default(), |set, column| {
            set.with(self.family(column))
        });
        if found.is_empty() {
            found.with(0)
        } else {
            found
        }
    }

    /// The position of the column that has the bytes of the row key, of a table [of keys](BoundTable::of_keys).
    pub fn whole_key(&self) -> Option<usize> {
        self.whole_key
    }

    /// Whether the value holds the column at `position`, because the key cannot give it back.
    pub fn is_stored(&self, position: usize) -> bool {
        self.stored.binary_search(&position).is_ok()
    }

    /// The columns that the row key is computed from, by position, ascending: what a DELETE must know of its rows.
    pub fn key_sources(&self) -> &[usize] {
        &self.sources
    }

    /// The positions of the columns that the value holds, because the key cannot give them back.
    pub fn stored_columns(&self) -> &[usize] {
        &self.stored
    }
}

/// A column of keys, by its place.
fn shown((column, place): (&KeyColumn, u32)) -> Column {
    Column {
        id: place,
        name: column.name.clone(),
        sql_type: column.sql_type.clone(),
        nullable: column.nullable,
        default: None,
        missing: None,
        generated: None,
        identity: None,
        comment: None,
    }
}

impl fmt::Debug for BoundTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}
