use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::params;
use crate::store::{
    ChunkLimit, Direction, Durability, MemoryStore, ReadRequest, WriteBatch, commit_batch,
};

async fn filled(store: Arc<dyn Store>) -> Database {
    let database = Database::of_store(store).unwrap();
    let connection = database.connect();
    let creates = [
        "CREATE TABLE t (a INT, b TEXT, c BIGINT NULL, PRIMARY KEY (salt(4), a))",
        "CREATE TABLE u (host TEXT, n INT, PRIMARY KEY (md5(host), n DESC))",
        "CREATE TABLE empty (a INT, PRIMARY KEY (a))",
    ];
    for create in creates {
        connection.execute(create, ()).await.unwrap();
    }
    let mut appender = connection.appender("t").unwrap();
    for a in 0..2_000_i64 {
        appender
            .append_row(params![a, format!("text {a}"), (a % 3 == 0).then_some(a)])
            .unwrap();
    }
    appender.finish().await.unwrap();
    let insert = "INSERT INTO u VALUES ('web-1', 1), ('web-2', 2), ('web-2', 3)";
    connection.execute(insert, ()).await.unwrap();
    database
}

async fn in_memory() -> (Arc<dyn Store>, Database) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    (Arc::clone(&store), filled(store).await)
}

/// The entries of a space.
fn entries(store: &Arc<dyn Store>, space: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let request = ReadRequest::range(space, KeyRange::all(), Direction::Forward);
    let mut reader = store.snapshot().unwrap().read(request).unwrap();
    let mut chunk = Chunk::default();
    while reader
        .fill(&mut chunk, ChunkLimit::entries(100_000))
        .unwrap()
    {}
    chunk
        .iter()
        .map(|(key, value)| (key.to_vec(), value.to_vec()))
        .collect()
}

fn put(store: &Arc<dyn Store>, space: &str, key: &[u8], value: Option<&[u8]>) {
    let mut batch = WriteBatch::new();
    match value {
        Some(value) => batch.put(space, key, value),
        None => batch.delete(space, key),
    }
    commit_batch(store, batch, Durability::Buffered).unwrap();
}

fn space(database: &Database, table: &str) -> String {
    database
        .catalog()
        .expect_table(table)
        .unwrap()
        .bound()
        .space()
        .to_owned()
}

fn texts(report: &CheckReport) -> Vec<String> {
    report.damage.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_sound_database_is_counted() {
    let (_store, database) = in_memory().await;
    let report = database.check().await.unwrap();
    assert!(report.is_sound() && report.notes.is_empty(), "{report:?}");
    let counted: Vec<(&str, u64)> = report
        .tables
        .iter()
        .map(|table| (table.table.as_str(), table.rows))
        .collect();
    assert_eq!(counted, [("empty", 0), ("t", 2_000), ("u", 3)]);
    assert!(report.tables[1].bytes > 2_000 * 10);
}

#[tokio::test]
async fn every_damaged_row_is_named_and_the_others_are_counted() {
    let (store, database) = in_memory().await;
    let (t, u) = (space(&database, "t"), space(&database, "u"));
    let rows = entries(&store, &t);
    let (short, bad_utf8, bad_key) = (&rows[10], &rows[700], &rows[1_500]);
    put(&store, &t, &short.0, Some(&short.1[..short.1.len() - 1]));
    let mut value = bad_utf8.1.clone();
    *value.last_mut().unwrap() = 0xff;
    put(&store, &t, &bad_utf8.0, Some(&value));
    // A bit of the bucket: still one of the four, or none at all.
    for (bit, index) in [(1, 0), (0x80, 1)] {
        let mut key = rows[1_500 + index].0.clone();
        key[0] ^= bit;
        put(&store, &t, &key, Some(&bad_key.1));
    }
    let hashed = &entries(&store, &u)[0];
    let mut value = hashed.1.clone();
    *value.last_mut().unwrap() ^= 1;
    put(&store, &u, &hashed.0, Some(&value));
    let report = database.check().await.unwrap();
    let found = texts(&report);
    assert_eq!(found.len(), 5, "{found:#?}");
    let layout = Arc::clone(
        database
            .catalog()
            .expect_table("t")
            .unwrap()
            .bound()
            .row_key(),
    );
    for (row, what) in [(short, "its value of"), (bad_utf8, "column `b`")] {
        let place = format!("table `t`, row {}: ", layout.format(&row.0).unwrap());
        let named = |text: &&String| text.starts_with(&place) && text.contains(what);
        assert!(found.iter().any(|text| named(&text)), "{place}: {found:#?}");
    }
    assert!(
        found
            .iter()
            .any(|text| text.contains("its columns give another row key, /")),
        "{found:#?}"
    );
    assert!(
        found.iter().any(|text| text.contains("row 82")),
        "{found:#?}"
    );
    assert!(
        found.iter().any(|text| text.starts_with("table `u`, row ")),
        "{found:#?}"
    );
    let damaged: Vec<(u64, u64)> = report
        .tables
        .iter()
        .map(|table| (table.rows, table.damaged))
        .collect();
    assert_eq!(damaged, [(0, 0), (2_002, 4), (3, 1)]);
}

#[tokio::test]
async fn a_hundred_damaged_rows_are_listed() {
    let (store, database) = in_memory().await;
    let t = space(&database, "t");
    for (key, _) in entries(&store, &t).iter().take(150) {
        put(&store, &t, key, Some(b""));
    }
    let report = database.check().await.unwrap();
    assert_eq!((report.damage.len(), report.tables[1].damaged), (100, 150));
}

#[tokio::test]
async fn damage_of_the_catalog_is_named() {
    let cases: [(&str, Option<&[u8]>, &str); 7] = [
        (
            "table/t",
            Some(b"{\"format\": 1, \"tab"),
            "table `t`: a table's definition cannot be read",
        ),
        (
            "table/t",
            Some(b"\xff"),
            "table `t`: its definition is no text",
        ),
        ("tacle/t", Some(b"{}"), "the catalog has an entry tacle/t"),
        ("format", Some(b"\x09"), "the catalog's format is 09"),
        ("format", None, "the catalog has no format"),
        (
            "next",
            Some(b"\0\0\0\0\0\0\0\x02"),
            "its id 2 is not given yet",
        ),
        ("next", None, "the catalog has no next table id"),
    ];
    for (key, value, expected) in cases {
        let (store, database) = in_memory().await;
        put(&store, "catalog", key.as_bytes(), value);
        let found = texts(&database.check().await.unwrap());
        assert!(
            found.iter().any(|text| text.contains(expected)),
            "{expected}: {found:?}"
        );
    }
}

/// Rows whose texts are missing in the dictionary, and entries that are none.
#[tokio::test]
async fn damage_of_a_dictionary_is_named() {
    let cases: [(u8, Option<&[u8]>, &str); 3] = [
        (2, None, "the dictionary has no text with the id 2"),
        (
            1,
            Some(b"\xff"),
            "table `d`: an entry of a dictionary cannot be read",
        ),
        (
            2,
            Some(b"one"),
            "table `d`: a dictionary's id 2 is not that of 'one'",
        ),
    ];
    for (id, value, expected) in cases {
        let (store, database) = in_memory().await;
        let connection = database.connect();
        let create = "CREATE TABLE d (a TEXT, b INT, PRIMARY KEY (dict(a), b))";
        connection.execute(create, ()).await.unwrap();
        let insert = "INSERT INTO d VALUES ('one', 1), ('two', 2)";
        connection.execute(insert, ()).await.unwrap();
        assert!(database.check().await.unwrap().is_sound());
        let entries_of_d = format!("{}_d", space(&database, "d"));
        put(&store, &entries_of_d, &[0, 0, 0, 0, id], value);
        let found = texts(&database.check().await.unwrap());
        assert!(
            found.iter().any(|text| text.contains(expected)),
            "{expected}: {found:?}"
        );
    }
}

#[tokio::test]
async fn tables_without_a_space_and_spaces_without_a_table_are_told() {
    let (store, database) = in_memory().await;
    let (_, definition) = entries(&store, "catalog")
        .into_iter()
        .find(|(key, _)| key == b"table/u")
        .unwrap();
    put(&store, "catalog", b"table/w", Some(&definition));
    store.create_space("t77", &Default::default()).unwrap();
    let found = texts(&database.check().await.unwrap());
    assert_eq!(found, ["table `w`: its definition is that of `u`"]);
    put(&store, "catalog", b"table/w", None);
    let report = database.check().await.unwrap();
    assert!(
        report.is_sound() && report.notes[0].contains("t77"),
        "{report:?}"
    );
    store.drop_space(&space(&database, "t")).unwrap();
    let found = texts(&database.check().await.unwrap());
    assert_eq!(found, ["table `t`: its rows are missing"]);
}

/// A database on disk as a crash leaves it: its log is full, and nobody has it open.
async fn crashed() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let (path, crashed) = (
        directory.path().join("db"),
        directory.path().join("crashed"),
    );
    let store = RocksStore::open(&path, &StoreOptions::default()).unwrap();
    let database = filled(Arc::new(store)).await;
    copy(&path, &crashed);
    drop(database);
    (directory, crashed)
}

/// A database on disk whose rows are in files, and its directory.
async fn in_files() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let (path, files) = (directory.path().join("db"), directory.path().join("files"));
    let store = RocksStore::open(&path, &StoreOptions::default()).unwrap();
    let database = filled(Arc::new(store)).await;
    database.backup(&files).await.unwrap();
    (directory, files)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn files(path: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|file| wanted(&file.file_name().unwrap().to_string_lossy()))
        .collect();
    files.sort();
    files
}

fn listing(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let all = files(path, |name| name != "LOCK" && !name.starts_with("LOG"));
    all.into_iter()
        .map(|file| (file.clone(), fs::read(file).unwrap()))
        .collect()
}

#[tokio::test]
async fn a_database_on_disk_is_checked_and_not_changed() {
    for (_directory, path) in [crashed().await, in_files().await] {
        let before = listing(&path);
        let report = Database::check_at(&path).await.unwrap();
        assert!(report.is_sound() && report.notes.is_empty(), "{report:?}");
        assert_eq!(report.tables.len(), 3);
        assert_eq!(listing(&path), before);
    }
    let error = Database::check_at("/no/such/database").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[tokio::test]
async fn what_a_killed_process_has_left_is_told_until_it_goes() {
    let (_directory, path) = crashed().await;
    let left = [
        "000099.dbtmp",
        "halite-loads/7/000001.sst",
        "halite-spills/.tmpAbCdEf",
    ];
    for name in left {
        let file = path.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "left").unwrap();
    }
    let report = Database::check_at(&path).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    let [note] = report.notes.as_slice() else {
        panic!("{report:?}");
    };
    for name in ["000099.dbtmp", "halite-loads", left[2]] {
        let shown = path.join(name).display().to_string();
        assert!(note.contains(&shown), "{note}");
    }
    let open = Database::open(&path).await.unwrap();
    let notes = Database::check_at(&path).await.unwrap().notes;
    assert_eq!(notes.len(), usize::from(cfg!(target_os = "linux")));
    drop(open);
    let report = Database::check_at(&path).await.unwrap();
    assert!(report.is_sound() && report.notes.is_empty(), "{report:?}");
}

#[tokio::test]
async fn a_flipped_bit_in_any_place_of_a_file_is_found() {
    let (directory, path) = in_files().await;
    let mut tried = 0;
    for file in files(&path, |name| name.ends_with(".sst")) {
        let length = fs::metadata(&file).unwrap().len();
        let name = file.file_name().unwrap();
        for part in 0..6 {
            let at = usize::try_from((length - 1) * part / 5).unwrap();
            let copied = directory.path().join(format!("damaged-{tried}"));
            copy(&path, &copied);
            let mut bytes = fs::read(&file).unwrap();
            bytes[at] ^= 0x10;
            fs::write(copied.join(name), bytes).unwrap();
            let report = Database::check_at(&copied).await.unwrap();
            assert!(!report.is_sound(), "{name:?} at {at} of {length}");
            tried += 1;
        }
    }
    assert!(tried >= 6);
}

#[tokio::test]
async fn a_log_and_a_manifest_that_were_cut_are_found() {
    let (directory, path) = crashed().await;
    let kinds: [fn(&str) -> bool; 2] = [
        |name| name.ends_with(".log"),
        |name| name.starts_with("MANIFEST-"),
    ];
    for (tried, kind) in kinds.into_iter().enumerate() {
        let file = files(&path, kind)
            .into_iter()
            .max_by_key(|file| fs::metadata(file).unwrap().len())
            .unwrap();
        let bytes = fs::read(&file).unwrap();
        for (nth, length) in [bytes.len() / 2, bytes.len() - 1, bytes.len() / 3]
            .into_iter()
            .enumerate()
        {
            let copied = directory.path().join(format!("cut-{tried}-{nth}"));
            copy(&path, &copied);
            fs::write(copied.join(file.file_name().unwrap()), &bytes[..length]).unwrap();
            let report = Database::check_at(&copied).await.unwrap();
            let found = texts(&report).join("\n");
            let told =
                found.contains("ends inside of the record") || found.contains("cannot be opened");
            assert!(told, "{file:?} cut to {length}: {report:?}");
        }
    }
}

/// A database whose one table has 15,000 rows in three files, each of many blocks; its directory, and the files.
async fn in_three_files() -> (TempDir, PathBuf, Vec<PathBuf>) {
    let directory = tempfile::tempdir().unwrap();
    let store = RocksStore::open(directory.path().join("db"), &StoreOptions::default()).unwrap();
    let database = Database::of_store(Arc::new(store)).unwrap();
    let connection = database.connect();
    let create = "CREATE TABLE t (a BIGINT, b TEXT, PRIMARY KEY (a))";
    connection.execute(create, ()).await.unwrap();
    let mut path = PathBuf::new();
    for part in 0..3 {
        let (first, last) = (part * 5_000, part * 5_000 + 4_999);
        let insert = format!(
            "INSERT INTO t SELECT value, concat(md5(concat(value, 'a')), md5(concat(value, 'b'))) FROM generate_series({first}, {last})"
        );
        connection.execute(&insert, ()).await.unwrap();
        // A backup brings what was written to a file.
        path = directory.path().join(format!("backup-{part}"));
        database.backup(&path).await.unwrap();
    }
    let mut found = files(&path, |name| name.ends_with(".sst"));
    found.retain(|file| fs::metadata(file).unwrap().len() > 100_000);
    assert_eq!(found.len(), 3, "{found:?}");
    (directory, path, found)
}

fn name(file: &Path) -> &str {
    file.file_name().unwrap().to_str().unwrap()
}

/// Replaces a file: one of a backup may be another's, too.
fn rewrite(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    change(&mut bytes);
    fs::remove_file(file).unwrap();
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn every_damaged_file_and_place_is_named_and_the_rest_is_read() {
    let (_directory, path, files) = in_three_files().await;
    for file in &files {
        rewrite(file, |bytes| {
            let length = bytes.len();
            bytes[length / 4] ^= 0x10;
            bytes[length / 2] ^= 0x10;
        });
    }
    let report = Database::check_at(&path).await.unwrap();
    let found = texts(&report);
    for file in &files {
        let told = format!("the file {} is damaged: ", file.display());
        assert!(
            found.iter().any(|text| text.starts_with(&told)),
            "{told}: {found:#?}"
        );
    }
    let places: Vec<&String> = found
        .iter()
        .filter(|text| text.starts_with("table `t`: the rows between row /"))
        .collect();
    assert_eq!(places.len(), 6, "{found:#?}");
    for file in &files {
        let here = places.iter().filter(|text| text.contains(name(file)));
        assert_eq!(here.count(), 2, "{}: {places:#?}", name(file));
    }
    // A block of 16 KiB has some 200 rows.
    let rows = report.tables[0].rows;
    assert!((13_000..14_500).contains(&rows), "{rows}");
    assert_eq!(report.tables[0].damaged, 0);
}

/// The last rows of a table, and all of them.
#[tokio::test]
async fn damage_to_the_end_of_a_table_ends_its_reading() {
    let (_directory, path, files) = in_three_files().await;
    // Behind the entries are 6 KB of filter, the index and the properties.
    let end = |bytes: &[u8]| bytes.len() - 10_000;
    rewrite(&files[2], |bytes| {
        let end = end(bytes);
        bytes[20_000..end].fill(0);
    });
    let report = Database::check_at(&path).await.unwrap();
    let last = texts(&report).pop().unwrap();
    assert!(
        last.starts_with("table `t`: the rows behind row /1") && last.contains(name(&files[2])),
        "{last}"
    );
    assert!((10_000..12_000).contains(&report.tables[0].rows));
    for file in &files {
        rewrite(file, |bytes| {
            let end = end(bytes);
            bytes[..end].fill(0);
        });
    }
    let report = Database::check_at(&path).await.unwrap();
    assert_eq!(report.tables[0].rows, 0);
    let last = texts(&report).pop().unwrap();
    assert!(
        last.starts_with("table `t`: the rows of the table cannot be read"),
        "{last}"
    );
}

#[tokio::test]
async fn a_database_that_cannot_be_opened_has_its_damaged_files_named() {
    let (_directory, path, files) = in_three_files().await;
    for file in &files[..2] {
        rewrite(file, |bytes| bytes.truncate(bytes.len() - 10));
    }
    let report = Database::check_at(&path).await.unwrap();
    let found = texts(&report);
    let told = |file: &Path| {
        let begin = format!("the file {} is damaged: ", file.display());
        found.iter().any(|text| text.starts_with(&begin))
    };
    assert!(told(&files[0]) && told(&files[1]), "{found:#?}");
    assert!(!told(&files[2]), "{found:#?}");
    let last = found.last().unwrap();
    assert!(last.starts_with("it cannot be opened: "), "{found:#?}");
}

/// Also of a database that is open, as a program sees its own.
#[tokio::test]
async fn an_open_database_is_compared_with_its_checksums() {
    let (_directory, path, files) = in_three_files().await;
    // In the filter, which no scan reads.
    rewrite(&files[1], |bytes| {
        let length = bytes.len();
        bytes[length - 7_000] ^= 1;
    });
    let store = RocksStore::open(&path, &StoreOptions::default()).unwrap();
    let database = Database::of_store(Arc::new(store)).unwrap();
    let report = database.check().await.unwrap();
    let [found] = texts(&report).try_into().unwrap();
    assert!(found.contains(name(&files[1])), "{found}");
    assert_eq!(report.tables[0].rows, 15_000);
}
