//! The rows that every side has. A row is drawn from its number alone, so what each call must give is known without
//! asking anybody.
//!
//! An event is of one of 40 kinds, which take turns, and comes so many milliseconds after the one before: 30 days in all.
//! Its `offs` is its number. A table is keyed by `(ev, ts, offs)` under 16 salts.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use arrow::array::{ArrayRef, Int16Array, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;

/// Different values of `ev`.
pub const KINDS: usize = 40;
/// The fewest rows with which every work has what it asks for.
const LEAST_ROWS: usize = 50_000;
/// The `offs` of the first row.
pub const FIRST_OFFSET: usize = 1_000_000;
/// The `ts` of the first row.
const FIRST_STAMP: i64 = 1_700_000_000_000;
/// Thirty days, in milliseconds.
const SPAN: i64 = 30 * 24 * 3_600 * 1_000;
/// A prime, by whose multiples rows are put out of order.
const STRIDE: usize = 7_368_787;
/// Rows of a batch.
const BATCH: usize = 8_192;

/// How many rows there are.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// A multiple of [`KINDS`].
    pub rows: usize,
}

impl Size {
    pub fn new(rows: usize) -> Result<Self> {
        ensure!(rows >= LEAST_ROWS, "ROWS must be {LEAST_ROWS} or more");
        let rows = rows.next_multiple_of(KINDS);
        ensure!(!rows.is_multiple_of(STRIDE), "rows would come twice");
        Ok(Self { rows })
    }

    /// Rows of each kind.
    pub fn of_kind(self) -> usize {
        self.rows / KINDS
    }

    /// Rows that are loaded in each round: those with the lowest numbers.
    pub fn part(self) -> usize {
        self.rows / 5
    }

    /// The `index`-th row of a walk through all of them that goes far with each step.
    pub fn row(self, index: usize) -> usize {
        index.wrapping_mul(STRIDE) % self.rows
    }

    pub fn stamp(self, row: usize) -> i64 {
        FIRST_STAMP + row as i64 * (SPAN / self.rows as i64)
    }
}

/// The kind of a row.
pub fn kind(row: usize) -> i64 {
    (1 + row % KINDS) as i64
}

/// The row of a kind, of which there are so many before it.
pub fn row_of(kind: i64, place: usize) -> usize {
    place * KINDS + kind.unsigned_abs() as usize - 1
}

/// A number that looks drawn at random (splitmix64).
fn drawn(row: usize, salt: u64) -> u64 {
    let mut bits = (row as u64).wrapping_mul(8).wrapping_add(salt);
    bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The columns of a row that are numbers: `ev, ts, offs, user_id, v1, v2, v3`.
pub fn numbers(size: Size, row: usize) -> [i64; 7] {
    let below = |salt, bound: u64| (drawn(row, salt) % bound).cast_signed();
    [
        kind(row),
        size.stamp(row),
        (FIRST_OFFSET + row) as i64,
        below(0, 1_000_000),
        value(row),
        below(2, 1_000_000),
        below(3, 1_000_000_000),
    ]
}

/// The column `v1`, which is added up.
pub fn value(row: usize) -> i64 {
    (drawn(row, 1) % 1_000).cast_signed()
}

/// The column `name`: 6 to 12 letters.
pub fn name(row: usize) -> String {
    let mut bits = drawn(row, 4);
    let letters = 6 + bits % 7;
    let letter = |_| {
        bits /= 26;
        char::from(b'a' + (bits % 26) as u8)
    };
    (0..letters).map(letter).collect()
}

/// A row as all sides write it for a checksum.
pub fn line(size: Size, row: usize) -> String {
    let mut line = String::new();
    for number in numbers(size, row) {
        // Writing to a String cannot fail.
        let _ = write!(line, "{number}|");
    }
    line + &name(row) + "|"
}

/// What a row's key has behind its salt, as far as its time stamp.
pub fn beginning(kind: i64, stamp: i64) -> Vec<u8> {
    let mut bytes = prefix(kind);
    bytes.extend((stamp ^ i64::MIN).to_be_bytes());
    bytes
}

/// What the keys of a kind have behind their salt.
pub fn prefix(kind: i64) -> Vec<u8> {
    // Kinds are few: none of them is cut.
    (kind as i16 ^ i16::MIN).to_be_bytes().to_vec()
}

/// All rows, with the keys that Halite has given them.
pub struct Rows {
    pub size: Size,
    keys: Vec<Vec<u8>>,
}

impl Rows {
    /// The keys are in the order of the rows' numbers.
    pub fn new(size: Size, keys: Vec<Vec<u8>>) -> Result<Self> {
        ensure!(keys.len() == size.rows, "{} keys", keys.len());
        for (row, key) in keys.iter().enumerate() {
            let expected = beginning(kind(row), size.stamp(row));
            let found = key.get(1..1 + expected.len());
            ensure!(
                found == Some(&expected),
                "the key of row {row} is {key:02x?}"
            );
        }
        Ok(Self { size, keys })
    }

    pub fn key(&self, row: usize) -> &[u8] {
        &self.keys[row]
    }
}

/// The files that are loaded; their rows are in no order.
pub struct Files {
    /// All rows, and some of them, for Halite.
    pub all: PathBuf,
    pub part: PathBuf,
    /// The same for Phoenix.
    pub all_text: PathBuf,
    pub part_text: PathBuf,
}

impl Files {
    /// Writes them into a directory.
    pub fn write(directory: &Path, size: Size) -> Result<Self> {
        let files = Self {
            all: directory.join("all.parquet"),
            part: directory.join("part.parquet"),
            all_text: directory.join("all.csv"),
            part_text: directory.join("part.csv"),
        };
        let all: Vec<usize> = (0..size.rows).map(|index| size.row(index)).collect();
        let part: Vec<usize> = all
            .iter()
            .copied()
            .filter(|row| *row < size.part())
            .collect();
        write_parquet(&files.all, size, &all)?;
        write_parquet(&files.part, size, &part)?;
        write_text(&files.all_text, size, &all)?;
        write_text(&files.part_text, size, &part)?;
        Ok(files)
    }
}

/// Rows with these numbers, in this order.
fn batch(size: Size, rows: &[usize]) -> Result<RecordBatch> {
    let numbers: Vec<[i64; 7]> = rows.iter().map(|row| numbers(size, *row)).collect();
    let column = |place: usize| -> ArrayRef {
        let values = numbers.iter().map(|numbers| numbers[place]);
        Arc::new(Int64Array::from_iter_values(values))
    };
    // Kinds are few: none of them is cut.
    let kinds = Int16Array::from_iter_values(numbers.iter().map(|numbers| numbers[0] as i16));
    let names = StringArray::from_iter_values(rows.iter().map(|row| name(*row)));
    let columns: [(&str, ArrayRef); 8] = [
        ("ev", Arc::new(kinds)),
        ("ts", column(1)),
        ("offs", column(2)),
        ("user_id", column(3)),
        ("v1", column(4)),
        ("v2", column(5)),
        ("v3", column(6)),
        ("name", Arc::new(names)),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn write_parquet(path: &Path, size: Size, rows: &[usize]) -> Result<()> {
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let mut writer = ArrowWriter::try_new(file, batch(size, &[])?.schema(), None)?;
    for rows in rows.chunks(BATCH) {
        writer.write(&batch(size, rows)?)?;
    }
    writer.close()?;
    Ok(())
}

fn write_text(path: &Path, size: Size, rows: &[usize]) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for row in rows {
        let numbers = numbers(size, *row).map(|number| number.to_string());
        writeln!(file, "{},{}", numbers.join(","), name(*row))?;
    }
    Ok(file.flush()?)
}

/// The count of these rows and the sum of their `v1`, as a line.
pub fn sums(rows: Range<usize>) -> String {
    let count = rows.len();
    format!("{count}|{}|", rows.map(value).sum::<i64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_says_what_the_lines_say() -> Result<()> {
        let size = Size::new(LEAST_ROWS)?;
        let rows = [3, 49_999, 0];
        let lines = rows.map(|row| line(size, row));
        let batch = batch(size, &rows)?;
        let answer = crate::answer::of_batches(&[batch])?;
        assert_eq!(answer, crate::answer::Answer::of(lines));
        Ok(())
    }

    #[test]
    fn rows_are_where_their_kind_has_them() -> Result<()> {
        let size = Size::new(LEAST_ROWS)?;
        for row in [0, 39, 40, 41, 49_999] {
            assert_eq!(row_of(kind(row), row / KINDS), row);
            assert!(size.stamp(row) < size.stamp(row + 1));
            assert!((6..=12).contains(&name(row).len()));
        }
        Ok(())
    }

    #[test]
    fn keys_are_checked() -> Result<()> {
        assert_eq!(beginning(1, 0), [0x80, 1, 0x80, 0, 0, 0, 0, 0, 0, 0]);
        let size = Size { rows: KINDS };
        let key = |row| {
            let mut key = vec![3];
            key.extend(beginning(kind(row), size.stamp(row)));
            key
        };
        let keys: Vec<Vec<u8>> = (0..KINDS).map(key).collect();
        assert!(Rows::new(size, keys[1..].to_vec()).is_err());
        let mut wrong = keys.clone();
        wrong.swap(0, 1);
        assert!(Rows::new(size, wrong).is_err());
        assert_eq!(Rows::new(size, keys)?.key(0)[0], 3);
        Ok(())
    }
}
