//! Arrow files and streams are read whole or not at all.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, StringArray};
use arrow::ipc::writer::{FileWriter, StreamWriter};

use super::super::super::tests::stored;
use super::super::CopyOptions;
use super::super::tests::{copy, file, people, person};
use super::*;
use crate::error::ErrorKind;
use crate::row::testing::batch;

fn rows(ids: &[i32]) -> RecordBatch {
    let columns: [(&str, ArrayRef); 3] = [
        ("Size", Arc::new(Float64Array::from(vec![1.5; ids.len()]))),
        ("name", Arc::new(StringArray::from(vec!["a"; ids.len()]))),
        ("id", Arc::new(Int32Array::from(ids.to_vec()))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn as_file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &rows(&[]).schema()).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn as_stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &rows(&[]).schema()).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

#[test]
fn files_and_streams_are_read_by_the_names_of_their_columns() {
    let batches = [rows(&[3, 1]), rows(&[]), rows(&[2])];
    for bytes in [as_file(&batches), as_stream(&batches)] {
        let writer = people();
        let given = file(".arrow", &bytes);
        assert_eq!(copy(&writer, &given, CopyOptions::default()), Ok(3));
        let expected = [1, 2, 3].map(|id| person(id, Some("a"), Some(1.5)));
        let stored = stored(&writer);
        assert_eq!(stored.columns(), batch(writer.table(), &expected).columns());
        let (kind, error) = copy(&writer, &given, CopyOptions::default()).unwrap_err();
        assert_eq!(kind, ErrorKind::Conflict);
        assert!(
            error.starts_with("FILE row 1: table `t`: a row with (id = 3)"),
            "{error}"
        );
    }
    // Without rows there is nothing to do.
    for bytes in [as_file(&[]), as_stream(&[])] {
        assert_eq!(
            copy(&people(), &file(".arrow", &bytes), CopyOptions::default()),
            Ok(0)
        );
    }
}

#[test]
fn a_large_batch_is_numbered_by_its_rows() {
    let mut ids: Vec<i32> = (1..=20_000).collect();
    ids[15_000] = 7;
    let given = file(".arrow", &as_file(&[rows(&ids)]));
    let (_, error) = copy(&people(), &given, CopyOptions::default()).unwrap_err();
    assert!(
        error
            .starts_with("FILE row 15001: table `t`: (id = 7) is given twice, first in FILE row 7"),
        "{error}"
    );
}

/// Whatever is cut off or turned over: no rows, and an error that names the file.
#[test]
fn what_is_damaged_is_refused() {
    let batches = [rows(&[1, 2]), rows(&[3])];
    for bytes in [as_file(&batches), as_stream(&batches)] {
        for end in 0..bytes.len() {
            let writer = people();
            let cut = file(".arrow", &bytes[..end]);
            let (kind, error) = copy(&writer, &cut, CopyOptions::default()).unwrap_err();
            assert_eq!(kind, ErrorKind::InvalidInput, "{end}: {error}");
            assert!(
                error.contains("`FILE` is no readable Arrow file"),
                "{end}: {error}"
            );
        }
        // A byte that is another one may be a value: it is read, or refused, and nothing breaks off.
        for place in (0..bytes.len()).step_by(7) {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0xff;
            let _ = copy(&people(), &file(".arrow", &bytes), CopyOptions::default());
        }
        let longer = [bytes.as_slice(), b"more"].concat();
        assert!(copy(&people(), &file(".arrow", &longer), CopyOptions::default()).is_err());
    }
    let (_, error) = copy(
        &people(),
        &file(".arrow", b"id,name\n"),
        CopyOptions::default(),
    )
    .unwrap_err();
    assert!(error.contains("is no readable Arrow file"), "{error}");
}
