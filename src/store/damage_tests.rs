//! Damaged files: every damage is found, with the file's name, or does no harm. Never does a row go missing in silence.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use fastrand::Rng;
use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;
use crate::seed::seed;
use crate::store::directory::file_names;
use crate::store::{Chunk, ChunkLimit, Direction};

/// The entries of every space.
type Contents = BTreeMap<String, Vec<(Vec<u8>, Vec<u8>)>>;

fn open(path: &Path) -> Result<RocksStore> {
    let options = StoreOptions {
        block_cache_bytes: 1 << 20,
        ..StoreOptions::default()
    };
    RocksStore::open(path, &options)
}

fn read(path: &Path) -> Result<Contents> {
    let store = open(path)?;
    let mut contents = Contents::new();
    for space in store.spaces()? {
        let whole = KeyRange::all();
        let mut cursor =
            store
                .snapshot()?
                .local()
                .unwrap()
                .cursor(&space, &whole, Direction::Forward)?;
        cursor.seek(&whole)?;
        let entries = contents.entry(space).or_default();
        loop {
            let mut chunk = Chunk::new();
            let more = cursor.fill(&mut chunk, ChunkLimit::default())?;
            let filled = chunk.iter();
            entries.extend(filled.map(|(key, value)| (key.to_vec(), value.to_vec())));
            if !more {
                break;
            }
        }
    }
    Ok(contents)
}

fn write(store: &RocksStore, space: &str, numbers: std::ops::Range<u8>) {
    for number in numbers {
        let mut batch = WriteBatch::new();
        let value = [number; 700];
        batch.put(space, &[number], &value);
        store.write(batch, Durability::Sync).unwrap();
    }
}

fn fill_store(path: &Path) -> RocksStore {
    let store = open(path).unwrap();
    for space in ["t1", "t2", "t3"] {
        store.create_space(space, &SpaceOptions::default()).unwrap();
        write(&store, space, 0..40);
    }
    store
}

/// A database that was closed in order, with two files for each space.
fn closed() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    drop(fill_store(directory.path()));
    let store = open(directory.path()).unwrap();
    for space in ["t1", "t2", "t3"] {
        write(&store, space, 40..60);
    }
    drop(store);
    directory
}

fn copy(from: &Path) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut names = file_names(from).unwrap();
    // What the mark says of other files is true of later ones, too.
    names.sort_by_key(|name| name != "halite-synced");
    for name in names {
        fs::copy(from.join(&name), directory.path().join(&name)).unwrap();
    }
    directory
}

/// A database as the end of the process leaves it: all entries are in the log.
fn crashed() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let _open = fill_store(directory.path());
    copy(directory.path())
}

fn files(path: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let names = file_names(path).unwrap();
    let mut names: Vec<_> = names.into_iter().filter(|name| is_wanted(name)).collect();
    names.sort();
    names.into_iter().map(|name| path.join(name)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    Flip,
    Zero,
    Truncate,
    Delete,
}

/// Damages a file at a random place, and says how.
fn damage(file: &Path, damage: Damage, random: &mut Rng) -> String {
    let mut bytes = fs::read(file).unwrap();
    let at = random.usize(0..bytes.len().max(1));
    match damage {
        Damage::Flip => bytes[at] ^= 1 << random.u8(0..8),
        Damage::Zero => bytes
            .iter_mut()
            .skip(at)
            .take(512)
            .for_each(|byte| *byte = 0),
        Damage::Truncate => bytes.truncate(at),
        Damage::Delete => {}
    }
    match damage {
        Damage::Delete => fs::remove_file(file).unwrap(),
        _ => fs::write(file, bytes).unwrap(),
    }
    format!("{damage:?} of {} at {at}", file.display())
}

/// What came of a damage.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Harmless,
    Named,
}

/// How errors may call a file. What RocksDB reads of a file of entries while it opens the database, its properties, it
/// takes for a part of the list of files; and a list that has another name than it should is just not there.
fn names_of(file: &Path) -> Vec<String> {
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    if name.ends_with(".sst") || name == "CURRENT" {
        vec![name, "MANIFEST-".to_owned()]
    } else {
        vec![name]
    }
}

/// Reads everything. Panics where rows are missing or wrong, or the error does not say that, and where, it is damaged.
fn examine(path: &Path, file: &Path, expected: &Contents, done: &str) -> Found {
    match read(path) {
        Ok(contents) => {
            assert!(&contents == expected, "{done}: silent");
            Found::Harmless
        }
        Err(error) => {
            let message = error.message();
            let is_named = names_of(file).iter().any(|name| message.contains(name));
            assert!(
                error.kind() == ErrorKind::Corrupt && is_named,
                "{done}: {:?} {error}",
                error.kind()
            );
            Found::Named
        }
    }
}

/// Damages one file of a copy of `database`, again and again; returns how often that was found and how often harmless.
fn try_all(database: &Path, is_wanted: impl Fn(&str) -> bool, kinds: &[Damage]) -> (usize, usize) {
    let expected = read(copy(database).path()).unwrap();
    let mut random = Rng::with_seed(seed());
    let (mut named, mut harmless) = (0, 0);
    for kind in kinds {
        let times = if *kind == Damage::Delete { 1 } else { 8 };
        for _ in 0..times {
            let damaged = copy(database);
            let candidates = files(damaged.path(), &is_wanted);
            let file = &candidates[random.usize(0..candidates.len())];
            let done = damage(file, *kind, &mut random);
            match examine(damaged.path(), file, &expected, &done) {
                Found::Named => named += 1,
                Found::Harmless => harmless += 1,
            }
        }
    }
    (named, harmless)
}

const EVERY: &[Damage] = &[Damage::Flip, Damage::Zero, Damage::Truncate, Damage::Delete];

#[test]
fn damage_of_a_file_of_entries_is_found() {
    let database = closed();
    let (named, _) = try_all(database.path(), |name| name.ends_with(".sst"), EVERY);
    assert!(named > 10, "{named} found");
}

#[test]
fn damage_of_the_list_of_files_is_found() {
    let database = closed();
    let (named, harmless) = try_all(database.path(), |name| name.starts_with("MANIFEST"), EVERY);
    assert!(named > 20, "{named} found, {harmless} harmless");
}

#[test]
fn damage_of_the_file_that_names_the_list_is_found() {
    let database = closed();
    let (named, _) = try_all(database.path(), |name| name == "CURRENT", EVERY);
    assert!(named > 20, "{named} found");
}

#[test]
fn damage_of_the_seal_does_no_harm() {
    let database = closed();
    let found = try_all(database.path(), |name| name == "halite-seal", EVERY);
    assert_eq!(found.0, 0);
}

#[test]
fn the_log_of_a_closed_database_holds_nothing() {
    let database = closed();
    let logs = files(database.path(), |name| name.ends_with(".log"));
    for log in &logs {
        assert_eq!(fs::metadata(log).unwrap().len(), 0);
    }
    let expected = read(copy(database.path()).path()).unwrap();
    let without = copy(database.path());
    for log in files(without.path(), |name| name.ends_with(".log")) {
        fs::remove_file(log).unwrap();
    }
    assert!(read(without.path()).unwrap() == expected);
}

#[test]
fn damage_of_the_log_is_found() {
    let database = crashed();
    let (named, harmless) = try_all(
        database.path(),
        |name| name.ends_with(".log"),
        &[Damage::Flip, Damage::Flip, Damage::Flip],
    );
    assert!(named > 20, "{named} found, {harmless} harmless");
}

/// What was synced a crash cannot take: a log that ends before it is damaged, wherever it was cut, and stays as it is.
#[test]
fn a_log_that_lacks_what_was_synced_is_found_again_and_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    store.create_space("t", &SpaceOptions::default()).unwrap();
    write(&store, "t", 0..100);
    let image = copy(directory.path());
    let [log] = files(image.path(), |name| name.ends_with(".log"))
        .try_into()
        .unwrap();
    let name = log.file_name().unwrap();
    let whole = fs::read(&log).unwrap();
    let last = whole.len() - 1;
    for length in (0..whole.len())
        .step_by(whole.len() / 20)
        .chain([last])
        .map(Some)
        .chain([None])
    {
        let cut = copy(image.path());
        let log = cut.path().join(name);
        match length {
            Some(length) => fs::write(&log, &whole[..length]).unwrap(),
            None => fs::remove_file(&log).unwrap(),
        }
        for _ in 0..2 {
            let error = read(cut.path()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{length:?}: {error}");
            for told in [name.to_str().unwrap(), &format!("{}", whole.len())] {
                assert!(error.message().contains(told), "{error}");
            }
        }
        fs::write(&log, &whole).unwrap();
        assert_eq!(read(cut.path()).unwrap()["t"].len(), 100);
        // Who would rather go on without what is lost removes the file that says so.
        let cut = copy(image.path());
        fs::write(cut.path().join(name), &whole[..length.unwrap_or(0)]).unwrap();
        fs::remove_file(cut.path().join("halite-synced")).unwrap();
        let contents = read(cut.path()).unwrap();
        let keys: Vec<u8> = contents["t"].iter().map(|(key, _)| key[0]).collect();
        assert_eq!(keys, (0..keys.len() as u8).collect::<Vec<_>>());
        assert!(keys.len() < 100);
        write(&open(cut.path()).unwrap(), "t", 0..100);
        assert_eq!(read(cut.path()).unwrap()["t"].len(), 100);
    }
}

/// What was not synced is no damage where it is missing.
#[test]
fn a_log_may_lack_what_was_buffered() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    store.create_space("t", &SpaceOptions::default()).unwrap();
    write(&store, "t", 0..10);
    let log = |path: &Path| {
        let [log] = files(path, |name| name.ends_with(".log"))
            .try_into()
            .unwrap();
        log
    };
    let synced = fs::metadata(log(directory.path())).unwrap().len();
    for number in 10..20 {
        let mut batch = WriteBatch::new();
        batch.put("t", &[number], &[number; 700]);
        store.write(batch, Durability::Buffered).unwrap();
    }
    let image = copy(directory.path());
    let options = fs::OpenOptions::new().write(true).open(log(image.path()));
    options.unwrap().set_len(synced).unwrap();
    assert_eq!(read(image.path()).unwrap()["t"].len(), 10);
}

/// A database whose process was killed, with several logs that are needed still, and a file for one space.
fn crashed_with_logs() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        write_buffer_bytes: 1 << 20,
        ..StoreOptions::default()
    };
    let store = RocksStore::open(directory.path(), &options).unwrap();
    for space in ["seldom", "often"] {
        store.create_space(space, &SpaceOptions::default()).unwrap();
    }
    write(&store, "seldom", 0..10);
    // A space that is full is written to a file, and begins a log; the other's entries stay in the first.
    for round in 0..3_u8 {
        for number in 0..=255_u8 {
            let mut batch = WriteBatch::new();
            batch.put("often", &[round, number], &[number; 4000]);
            store.write(batch, Durability::Sync).unwrap();
        }
    }
    copy(directory.path())
}

/// Several logs that are needed still: each one, and each end of one, is missed.
#[test]
fn any_of_several_logs_is_missed() {
    let image = crashed_with_logs();
    let logs = files(image.path(), |name| name.ends_with(".log"));
    assert!(logs.len() > 1, "{logs:?}");
    read(copy(image.path()).path()).unwrap();
    for log in logs {
        for part in [None, Some(0), Some(1), Some(2)] {
            let cut = copy(image.path());
            let log = cut.path().join(log.file_name().unwrap());
            let whole = fs::read(&log).unwrap();
            match part {
                None => fs::remove_file(&log).unwrap(),
                Some(thirds) => fs::write(&log, &whole[..whole.len() * thirds / 3]).unwrap(),
            }
            let error = read(cut.path()).unwrap_err();
            assert_eq!(
                error.kind(),
                ErrorKind::Corrupt,
                "{log:?} {part:?}: {error}"
            );
        }
    }
}

/// What the files of a database are, by their names.
fn kind_of_file(name: &str) -> &str {
    ["MANIFEST", "OPTIONS", "LOG"]
        .into_iter()
        .find(|begin| name.starts_with(begin))
        .unwrap_or_else(|| name.rsplit_once('.').map_or(name, |(_, end)| end))
}

/// Every file of databases that were closed, and of some whose process was killed, damaged in every way: nothing is
/// silent. `HALITE_DAMAGES` says how often; prints a table.
#[test]
fn no_damage_is_silent() {
    let count: usize = std::env::var("HALITE_DAMAGES").map_or(300, |count| count.parse().unwrap());
    let mut random = Rng::with_seed(seed());
    let databases = [
        ("closed", closed()),
        ("killed", crashed()),
        ("killed, several logs", crashed_with_logs()),
    ];
    let expected: Vec<Contents> = databases
        .iter()
        .map(|(_, database)| read(copy(database.path()).path()).unwrap())
        .collect();
    let mut table = BTreeMap::<(&str, String), (usize, usize)>::new();
    for round in 0..count {
        let (state, database) = &databases[round % databases.len()];
        let damaged = copy(database.path());
        let kind = EVERY[random.usize(0..EVERY.len())];
        let mut kinds = BTreeMap::<String, Vec<PathBuf>>::new();
        for file in files(damaged.path(), |_| true) {
            let name = file.file_name().unwrap().to_str().unwrap();
            let is_empty = fs::metadata(&file).unwrap().len() == 0;
            if !is_empty || kind == Damage::Delete {
                kinds
                    .entry(kind_of_file(name).to_owned())
                    .or_default()
                    .push(file.clone());
            }
        }
        let (name, candidates) = kinds.iter().nth(random.usize(0..kinds.len())).unwrap();
        let file = &candidates[random.usize(0..candidates.len())];
        let done = format!("{state}: {}", damage(file, kind, &mut random));
        let counts = table.entry((state, name.clone())).or_default();
        match examine(
            damaged.path(),
            file,
            &expected[round % databases.len()],
            &done,
        ) {
            Found::Named => counts.0 += 1,
            Found::Harmless => counts.1 += 1,
        }
    }
    for ((state, name), (named, harmless)) in &table {
        println!("{state:22} {name:14} {named:6} named {harmless:6} harmless");
    }
    let of_log = table.iter().filter(|((_, name), _)| name == "log");
    assert!(of_log.map(|(_, (named, _))| named).sum::<usize>() > count / 100);
}

#[test]
fn damage_in_a_file_fails_the_cursor_for_good() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    store.create_space("t", &SpaceOptions::default()).unwrap();
    write(&store, "t", 0..200);
    drop(store);
    let tables = files(directory.path(), |name| name.ends_with(".sst"));
    let size = |table: &PathBuf| fs::metadata(table).unwrap().len();
    let table = tables.into_iter().max_by_key(size).unwrap();
    let mut bytes = fs::read(&table).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&table, bytes).unwrap();
    let store = open(directory.path()).unwrap();
    let whole = KeyRange::all();
    for direction in [Direction::Forward, Direction::Backward] {
        let snapshot = store.snapshot().unwrap();
        let mut cursor = snapshot
            .local()
            .unwrap()
            .cursor("t", &whole, direction)
            .unwrap();
        cursor.seek(&whole).unwrap();
        let mut chunk = Chunk::new();
        let failed = cursor.fill(&mut chunk, ChunkLimit::default()).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Corrupt, "{failed}");
        for named in ["reading from t", &table.display().to_string()] {
            assert!(failed.message().contains(named), "{failed}");
        }
        assert!(
            !chunk.is_empty() && chunk.len() < 200,
            "what was read before it"
        );
        let again = cursor.fill(&mut chunk, ChunkLimit::default()).unwrap_err();
        let begin = "reading has failed before: ";
        assert!(again.message().starts_with(begin), "{again}");
        assert_eq!(cursor.seek(&whole).unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
