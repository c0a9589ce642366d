use std::fs;
use std::sync::Arc;

use super::*;
use crate::store::changes::LocalStore;
use crate::store::directory::format_family;
use crate::store::{BulkWriter, Durability, SpaceOptions, Store, StoreOptions, WriteBatch};

/// A closed database with two files of entries for each of three spaces, one of which is a load's.
fn closed() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..2_u8 {
        let store = RocksStore::open(directory.path(), &StoreOptions::default()).unwrap();
        let store = Arc::new(store);
        for space in ["t1", "t2", "t3"] {
            if round == 0 {
                store.create_space(space, &SpaceOptions::default()).unwrap();
            }
            let mut bulk = Arc::clone(&store).load(space, &[]).unwrap();
            let mut batch = WriteBatch::new();
            for key in 0..100_u8 {
                match space {
                    "t3" => bulk.put(&[round, key], &[key; 100]).unwrap(),
                    _ => batch.put(space, &[key, round], &[key; 100]),
                }
            }
            store.ingest(vec![bulk]).unwrap();
            store.write(batch, Durability::Buffered).unwrap();
        }
    }
    directory
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut names = file_names(directory).unwrap();
    names.retain(|name| name.ends_with(".sst"));
    names.sort_unstable();
    names.into_iter().map(|name| directory.join(name)).collect()
}

/// The files of spaces alone: a database whose own entries are damaged is not opened.
fn files_of_spaces(directory: &Path) -> Vec<PathBuf> {
    let spaces = reading(directory).current();
    let files = spaces.borrow_owner().db.live_files().unwrap();
    let of_spaces = files
        .into_iter()
        .filter(|file| file.column_family_name != format_family());
    let paths = of_spaces.map(|file| directory.join(file.name.trim_start_matches('/')));
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort_unstable();
    paths
}

fn reading(path: &Path) -> RocksStore {
    let options = StoreOptions {
        read_only: true,
        ..StoreOptions::default()
    };
    RocksStore::open(path, &options).unwrap()
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 1;
    fs::write(file, bytes).unwrap();
}

#[test]
fn every_damaged_file_is_named_and_no_other() {
    let directory = closed();
    let files = files_of_spaces(directory.path());
    assert!(files.len() >= 6, "{files:?}");
    assert!(reading(directory.path()).verify().unwrap().is_empty());
    assert!(
        RocksStore::damaged_files(directory.path())
            .unwrap()
            .is_empty()
    );
    let damaged = [&files[0], &files[3], files.last().unwrap()];
    for file in damaged {
        flip(file, 10);
    }
    for found in [
        reading(directory.path()).verify().unwrap(),
        RocksStore::damaged_files(directory.path()).unwrap(),
    ] {
        assert_eq!(found.len(), damaged.len(), "{found:?}");
        for file in damaged {
            let begin = format!("the file {} is damaged: ", file.display());
            let named = found
                .iter()
                .find(|error| error.message().starts_with(&begin));
            assert_eq!(named.unwrap().kind(), ErrorKind::Corrupt);
        }
    }
}

/// The blocks of entries, their index, filter and properties, and what stands at the end.
#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let directory = closed();
    let verifier = Verifier::new().unwrap();
    for file in files(directory.path()) {
        let length = fs::metadata(&file).unwrap().len() as usize;
        for at in (0..length).step_by(37).chain([length - 1]) {
            flip(&file, at);
            let found = verifier.damage(&file).unwrap();
            flip(&file, at);
            let Some(found) = found else {
                // A footer ends in bytes that mean nothing.
                assert!(length - at < 53, "{file:?} at {at} of {length}");
                continue;
            };
            assert!(
                found.message().contains(&*file.to_string_lossy()),
                "{found}"
            );
        }
        assert!(verifier.damage(&file).unwrap().is_none());
    }
}

/// As when another process compacts it meanwhile.
#[test]
fn a_file_that_is_gone_is_not_damaged() {
    let directory = closed();
    let store = reading(directory.path());
    fs::remove_file(&files(directory.path())[0]).unwrap();
    assert!(store.verify().unwrap().is_empty());
}

#[test]
fn verifying_changes_nothing_and_leaves_nothing() {
    let directory = closed();
    let before = files(directory.path())
        .iter()
        .map(|file| fs::read(file).unwrap())
        .collect::<Vec<_>>();
    let verifier = Verifier::new().unwrap();
    for file in files(directory.path()) {
        verifier.damage(&file).unwrap();
    }
    let scratch = verifier.missing.parent().unwrap().to_owned();
    assert!(
        scratch.exists()
            && file_names(&scratch.join("database"))
                .unwrap()
                .iter()
                .all(|name| !name.ends_with(".sst"))
    );
    drop(verifier);
    assert!(!scratch.exists());
    let after = files(directory.path())
        .iter()
        .map(|file| fs::read(file).unwrap())
        .collect::<Vec<_>>();
    assert_eq!(after, before);
}
