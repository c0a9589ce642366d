//! Which spaces there are, and in which table each is kept.
//!
//! The directory is a table of its own, versioned as every other: a row for each space, under its name, and two kinds of
//! rows whose keys no space can have. Values, numbers big-endian:
//!
//! | key | value |
//! |---|---|
//! | name | version of this format (1 byte), id, number of the statement that made it, compression (1 byte), table |
//! | `#next` | the next id |
//! | `#dropped/` and a table | the number of the statement that has dropped it |
//!
//! A table is never made twice: its name ends with the number of its statement. It is removed by a vacuum, when nobody can
//! have a moment any more that sees it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::clock::{Number, SpaceClaim};
use crate::error::{Error, Result};
use crate::store::{Compression, Sharing, SpaceOptions};

/// The table of the directory.
pub(super) const DIRECTORY: &str = "directory";

/// The id of the directory among those of spaces: the index of its stamp.
pub(super) const DIRECTORY_ID: u8 = 0;

const NEXT: &[u8] = b"#next";
const DROPPED: &[u8] = b"#dropped/";
const FORMAT: u8 = 1;

/// The spaces of a moment.
#[derive(Debug, Default)]
pub(super) struct Directory {
    /// By name.
    pub spaces: BTreeMap<String, SpaceRecord>,
    /// Tables of spaces that were dropped, with the number that did it.
    pub dropped: BTreeMap<String, Number>,
    next: u64,
}

/// A space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpaceRecord {
    /// Counts the spaces that were ever made, from 1.
    pub id: u64,
    /// The number of the statement that made it.
    pub made: Number,
    /// How it is kept.
    pub options: SpaceOptions,
    /// Where.
    pub table: Arc<str>,
}

/// What a statement claims that changes the directory. No space can have this name.
pub(super) fn claim() -> SpaceClaim {
    SpaceClaim {
        space: "#directory".into(),
        sharing: Sharing::Exclusive,
    }
}

/// The changes of a statement: a key, and its value or none to delete it.
pub(super) type Written = Vec<(Vec<u8>, Option<Vec<u8>>)>;

impl Directory {
    /// That of these rows.
    ///
    /// # Errors
    /// `Corrupt` for what is no directory.
    pub(super) fn of<'a>(rows: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Result<Self> {
        let mut directory = Self::default();
        for (key, value) in rows {
            directory.read(key, value).ok_or_else(|| {
                let key = String::from_utf8_lossy(key);
                Error::corrupt(format!("`{key}` of the directory of spaces cannot be read"))
            })?;
        }
        Ok(directory)
    }

    fn read(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        let text = |bytes: &[u8]| Some(std::str::from_utf8(bytes).ok()?.to_owned());
        let number = || Some(u64::from_be_bytes(value.try_into().ok()?));
        if key == NEXT {
            self.next = number()?;
        } else if let Some(table) = key.strip_prefix(DROPPED) {
            self.dropped.insert(text(table)?, number()?);
        } else {
            self.spaces.insert(text(key)?, record(value)?);
        }
        Some(())
    }

    /// Makes a space in a table that a statement has made.
    pub(super) fn create(&self, name: &str, number: Number, options: SpaceOptions) -> SpaceChange {
        let id = self.next.max(1);
        let record = SpaceRecord {
            id,
            made: number,
            options,
            table: format!("{name}.{number}").into(),
        };
        let written = vec![
            (name.as_bytes().to_vec(), Some(bytes(&record))),
            (NEXT.to_vec(), Some((id + 1).to_be_bytes().to_vec())),
        ];
        SpaceChange { record, written }
    }

    /// Drops a space, by the statement of this number.
    pub(super) fn drop(name: &str, record: SpaceRecord, number: Number) -> SpaceChange {
        let dropped = [DROPPED, record.table.as_bytes()].concat();
        let written = vec![
            (name.as_bytes().to_vec(), None),
            (dropped, Some(number.to_be_bytes().to_vec())),
        ];
        SpaceChange { record, written }
    }
}

/// A space that is made or dropped, and what is written of it.
pub(super) struct SpaceChange {
    pub record: SpaceRecord,
    pub written: Written,
}

/// What forgets a dropped table, when it is gone.
pub(super) fn forget(table: &str) -> Written {
    vec![([DROPPED, table.as_bytes()].concat(), None)]
}

const COMPRESSIONS: [Compression; 3] = [Compression::Fast, Compression::Dense, Compression::None];

fn bytes(record: &SpaceRecord) -> Vec<u8> {
    let mut bytes = vec![FORMAT];
    bytes.extend(record.id.to_be_bytes());
    bytes.extend(record.made.to_be_bytes());
    let mut compressions = COMPRESSIONS.iter();
    let compression = compressions.position(|known| *known == record.options.compression);
    bytes.push(compression.unwrap_or_default() as u8);
    bytes.extend(record.table.as_bytes());
    bytes
}

fn record(value: &[u8]) -> Option<SpaceRecord> {
    let (format, rest) = value.split_first()?;
    let (id, rest) = rest.split_first_chunk()?;
    let (made, rest) = rest.split_first_chunk()?;
    let (compression, table) = rest.split_first()?;
    let compression = *COMPRESSIONS.get(usize::from(*compression))?;
    (*format == FORMAT).then_some(())?;
    Some(SpaceRecord {
        id: u64::from_be_bytes(*id),
        made: u64::from_be_bytes(*made),
        options: SpaceOptions { compression },
        table: std::str::from_utf8(table).ok()?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn options() -> SpaceOptions {
        let compression = Compression::Dense;
        SpaceOptions { compression }
    }

    fn of(written: &Written) -> Result<Directory> {
        let rows = written.iter();
        let rows = rows.filter_map(|(key, value)| Some((&key[..], value.as_deref()?)));
        Directory::of(rows)
    }

    #[test]
    fn a_directory_is_read_as_it_was_written() {
        let made = Directory::default().create("t1", 7, options());
        let directory = of(&made.written).unwrap();
        assert_eq!(directory.spaces["t1"], made.record);
        assert_eq!((made.record.id, &*made.record.table), (1, "t1.7"));
        let second = directory.create("t2", 9, SpaceOptions::default());
        assert_eq!(second.record.id, 2);
        let dropped = Directory::drop("t1", made.record, 12);
        assert_eq!(dropped.written[0], (b"t1".to_vec(), None));
        let directory = of(&dropped.written).unwrap();
        assert_eq!(directory.dropped["t1.7"], 12);
        assert_eq!(forget("t1.7")[0], (dropped.written[1].0.clone(), None));
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let made = Directory::default().create("t1", 7, options());
        for at in 0..made.written.len() {
            let length = made.written[at].1.as_ref().unwrap().len();
            for length in 0..length.min(18) {
                let mut cut = Directory::default().create("t1", 7, options()).written;
                cut[at].1.as_mut().unwrap().truncate(length);
                let error = of(&cut).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Corrupt);
            }
        }
        let mut newer = made.written;
        newer[0].1.as_mut().unwrap()[0] = 2;
        of(&newer).unwrap_err();
    }
}
