//! Random bytes, and bytes that were right before some were changed, for everything that reads what it did not write:
//! nothing panics, and nothing takes long.
//!
//! A runner of our own, which draws from a seed and needs nothing but the tests: `HALITE_FUZZ_SECONDS` says how long each
//! target is run, `HALITE_SEED` from where. What goes wrong is printed; it belongs into `tests/corpus` then.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::{Connection, Database};
use crate::row::RowReader;
use crate::schema::{BoundTable, Table};
use crate::seed::seed;
use crate::sql::parse::{complete, parse, split, split_closed};
use crate::store::Chunk;

/// The longest that one input may take. Tests are not optimized, and run beside others.
const LONG: Duration = Duration::from_secs(10);

/// What is put between bytes.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "'",
    "\"",
    ",",
    ";",
    "\n",
    "\r\n",
    "--",
    "/*",
    "*/",
    "$$",
    "$1",
    "?",
    "::",
    "[",
    "]",
    "{",
    "}",
    " AND ",
    " OR ",
    " NOT ",
    "CASE ",
    " WHEN ",
    " END",
    " UNION ",
    "SELECT ",
    " FROM ",
    " JOIN ",
    "WITH ",
    " IN ",
    "CAST(",
    "BETWEEN ",
    "NULL",
    "1e999",
    "-0.0",
    "9223372036854775808",
    "\u{0}",
    "é",
    "\u{feff}",
    "EXPLAIN ",
    "COPY ",
    "INTERVAL ",
    "E'\\",
    "LIKE ",
];

fn seconds() -> u64 {
    std::env::var("HALITE_FUZZ_SECONDS").map_or(3, |it| it.parse().unwrap())
}

/// The files of the corpus that are for a target.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let files = fs::read_dir(root).unwrap().map(Result::unwrap);
    let files = files.filter(|file| file.file_name().to_str().unwrap().starts_with(target));
    files.map(|file| fs::read(file.path()).unwrap()).collect()
}

/// All files below a directory of the repository with this ending.
fn repository(directory: &str, ending: &str) -> Vec<Vec<u8>> {
    let pattern = format!("{}/{directory}/**/*{ending}", env!("CARGO_MANIFEST_DIR"));
    let paths = glob::glob(&pattern).unwrap().map(Result::unwrap);
    paths.map(|path| fs::read(path).unwrap()).collect()
}

fn mutated(seeds: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut bytes = seeds[random.usize(..seeds.len())].clone();
    if bytes.len() > 2_000 {
        let start = random.usize(..bytes.len() - 1_000);
        bytes = bytes[start..start + 1_000].to_vec();
    }
    for _ in 0..random.usize(1..8) {
        let at = random.usize(..=bytes.len());
        let end = (at + random.usize(..=20)).min(bytes.len());
        match random.u8(0..8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.u8(0..8),
            1 if at < bytes.len() => bytes[at] = random.u8(..),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                let times = random.usize(1..30);
                bytes.splice(at..at, part.repeat(times));
            }
            4 => {
                let token = TOKENS[random.usize(..TOKENS.len())];
                bytes.splice(at..at, token.repeat(random.usize(1..4)).into_bytes());
            }
            5 => {
                let other = &seeds[random.usize(..seeds.len())];
                let from = random.usize(..=other.len());
                let to = (from + random.usize(..=200)).min(other.len());
                bytes.splice(at..end, other[from..to].to_vec());
            }
            6 => bytes.truncate(at),
            _ => bytes
                .splice(at..end, (0..end - at).map(|_| random.u8(..)))
                .for_each(drop),
        }
    }
    bytes
}

/// Runs a target on its corpus, its seeds, and what becomes of these.
fn fuzz(target: &str, mut seeds: Vec<Vec<u8>>, mut run: impl FnMut(&[u8])) {
    println!("{target}");
    let mut random = Rng::with_seed(seed());
    seeds.extend(corpus(target));
    let until = Instant::now() + Duration::from_secs(seconds());
    let mut checked = |bytes: &[u8]| {
        let start = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| run(bytes)));
        let shown = || bytes.escape_ascii().to_string();
        if let Err(panic) = done {
            println!("{target} panics: {}", shown());
            resume_unwind(panic);
        }
        let took = start.elapsed();
        assert!(took < LONG, "{target} took {took:?}: {}", shown());
    };
    seeds.iter().for_each(|bytes| checked(bytes));
    let mut count = 0_u64;
    while Instant::now() < until {
        checked(&mutated(&seeds, &mut random));
        count += 1;
    }
    println!("{target}: {count} inputs");
    assert!(count > 20, "{target} is too slow: {count} inputs");
}

#[test]
fn the_parser_and_the_guard() {
    let seeds = [
        repository("tests/scripts", ".sql"),
        repository("queries", ".sql"),
    ]
    .concat();
    fuzz("parser", seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        complete(&text);
        split_closed(&text);
        if let Ok(pieces) = split(&text) {
            for piece in pieces {
                drop(parse(&piece.text));
            }
        }
    });
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// A key and a value.
type Entry = (Vec<u8>, Vec<u8>);

/// A table with parts of every kind, and some rows of it as entries.
fn table_with_rows() -> (Arc<BoundTable>, Vec<Entry>) {
    let connection = Database::in_memory().unwrap().connect();
    block_on(async {
        for sql in [
            "CREATE TABLE t (a INT, b TEXT NULL, c DOUBLE, d TIMESTAMP(3), e DECIMAL(10, 2), f BYTEA, g BOOLEAN NULL, \
             h BIGINT, PRIMARY KEY (bucket(4, a), b DESC, date_trunc('hour', d), reverse_digits(h), md5(f), c, d DESC, e, a, h))",
            "INSERT INTO t SELECT value, CASE WHEN value % 3 = 0 THEN NULL ELSE repeat('x', value) END, value / 3.0, \
             to_timestamp_millis(value * 420000), value * 1.25, CAST(CAST(value AS TEXT) AS BYTEA), value % 2 = 0, \
             value * 1000 FROM generate_series(1, 20)",
        ] {
            connection.execute(sql, ()).await.unwrap();
        }
    });
    let table = connection.database().catalog().expect_table("t").unwrap();
    let table = Arc::clone(table.bound());
    let snapshot = connection.database().store().snapshot().unwrap();
    let whole = crate::keyrange::KeyRange::all();
    let mut cursor = snapshot
        .local()
        .unwrap()
        .cursor(table.space(), &whole, crate::store::Direction::Forward)
        .unwrap();
    cursor.seek(&whole).unwrap();
    let mut chunk = Chunk::new();
    while cursor.fill(&mut chunk, Default::default()).unwrap() {}
    let entries = chunk
        .iter()
        .map(|(key, value)| (key.to_vec(), value.to_vec()));
    (table, entries.collect())
}

/// A key and a value as one input: the length of the key in front.
fn joined(key: &[u8], value: &[u8]) -> Vec<u8> {
    [&[u8::try_from(key.len()).unwrap_or(255)], key, value].concat()
}

#[test]
fn rows_and_keys() {
    let (table, entries) = table_with_rows();
    let seeds = entries
        .iter()
        .map(|(key, value)| joined(key, value))
        .collect();
    let reader = RowReader::new(Arc::clone(&table));
    let columns: Vec<usize> = (0..table.columns().len()).collect();
    fuzz("rows", seeds, |bytes| {
        let length = bytes.first().map_or(0, |length| usize::from(*length));
        let rest = bytes.get(1..).unwrap_or_default();
        let (key, value) = rest.split_at(length.min(rest.len()));
        let mut chunk = Chunk::new();
        chunk.push(key, value);
        drop(reader.read(&chunk, &columns, None));
        for column in &columns {
            drop(reader.read(&chunk, &[*column], None));
        }
    });
}

#[test]
fn definitions() {
    let (table, _) = table_with_rows();
    let seeds = vec![table.table().to_json().unwrap().into_bytes()];
    fuzz("definitions", seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        drop(Table::from_json(&text).and_then(BoundTable::new));
    });
}

fn copied_into() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let table = "CREATE TABLE t (k BIGINT, v TEXT NULL, d DOUBLE NULL, PRIMARY KEY (k))";
    block_on(connection.execute(table, ())).unwrap();
    connection
}

#[test]
fn csv_of_copy() {
    let connection = copied_into();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("f.csv");
    let copy = format!("COPY t FROM '{}' (HEADER)", file.display());
    let seeds = vec![
        b"k,v,d\n1,a,0.5\n2,\"b\"\"c\",\n3,,1e10\n".to_vec(),
        b"d,k,v\r\n,1,\"\r\n\"\r\n-0.0,2,x\r\n".to_vec(),
    ];
    let runtime = tokio::runtime::Runtime::new().unwrap();
    fuzz("csv", seeds, |bytes| {
        fs::write(&file, bytes).unwrap();
        let copied = runtime.block_on(connection.execute(&copy, ()));
        if let Err(error) = &copied {
            assert_ne!(error.kind(), crate::error::ErrorKind::Internal, "{error}");
        } else {
            runtime
                .block_on(connection.execute("TRUNCATE TABLE t", ()))
                .unwrap();
        }
    });
}

#[test]
fn marks_of_the_store() {
    let line = "MANIFEST-000012 4711 2d06800538d394c2\n";
    let seeds = vec![
        format!("halite-seal 1\n{line}{line}").into_bytes(),
        format!(
            "{:400}2d06800538d394c2\n",
            "halite-synced 2 MANIFEST-000005 328 000012.log 4711"
        )
        .into_bytes(),
    ];
    fuzz("marks", seeds, crate::store::read_marks);
}

#[test]
fn runs_of_a_statement() {
    let change = |key: &[u8], value: &[u8]| {
        let mut bytes = u16::try_from(key.len()).unwrap().to_le_bytes().to_vec();
        bytes.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
        bytes.extend(7_u64.to_le_bytes());
        [&bytes, key, value].concat()
    };
    let seeds = vec![
        [change(b"a", b"one"), change(b"bb", b"")].concat(),
        change(&[0xff; 300], &[0; 5_000]),
    ];
    fuzz("runs", seeds, crate::write::read_spill_run);
}
