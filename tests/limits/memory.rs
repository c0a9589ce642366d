//! Statements that would take more than there is: each is answered, or refused in words, within the limit.
//!
//! They are in `memory.sql`, and each is run by a process of its own, over a database on disk. `HALITE_LIMITS=1` runs all
//! of them, at 256 MiB and at 1 GiB, and prints a table; without it a few are run at a small limit.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{StreamExt, TryStreamExt, stream};
use halite::datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use super::{Measured, Program, is_whole};
use crate::program::halite;

const STATEMENTS: &str = include_str!("memory.sql");

/// The table that statements find which are marked as `(stored)`.
const STORED: &str = "CREATE TABLE stored (k BIGINT, g BIGINT, t TEXT, PRIMARY KEY (k)); \
     INSERT INTO stored SELECT value, value % 1000, repeat('x', 170) || value FROM generate_series(1, {1M})";

/// What a process may take at most: a quarter more than the limit, and 64 MiB for the program itself, or what it has taken
/// before it runs anything, which is more where it is not optimized.
fn allowed(limit: u64, program: u64) -> u64 {
    limit + limit / 4 + program.max(64 << 20)
}

/// A limit, as it is set and in MiB, of which the numbers of rows follow.
struct Limit {
    setting: &'static str,
    mebibytes: u64,
}

impl Limit {
    fn bytes(&self) -> u64 {
        self.mebibytes << 20
    }

    /// A statement with what stands in braces written out.
    fn written(&self, sql: &str, files: &Path) -> String {
        let mut text = String::new();
        let mut rest = sql;
        while let Some((before, behind)) = rest.split_once('{') {
            let (inside, behind) = behind.split_once('}').unwrap();
            text.push_str(before);
            text.push_str(&self.part(inside, files));
            rest = behind;
        }
        text + rest
    }

    fn part(&self, part: &str, files: &Path) -> String {
        match part.split_once(':') {
            Some(("doubled", double)) => doubled(double, 40),
            Some((columns, column)) => {
                let count = columns.strip_prefix("columns").unwrap();
                self::columns(column, count.parse().unwrap_or(100))
            }
            None => match part {
                "files" => files.display().to_string(),
                "ctes" => ctes(22),
                "inserts" => inserts(100),
                rows => self.rows(rows).to_string(),
            },
        }
    }

    /// `4M` are four million at 256 MiB.
    fn rows(&self, rows: &str) -> u64 {
        let digits = rows.trim_end_matches(['K', 'M']);
        let unit = match &rows[digits.len()..] {
            "M" => 1_000_000,
            "K" => 1_000,
            _ => 1,
        };
        digits.parse::<u64>().unwrap() * unit * self.mebibytes / 256
    }
}

fn doubled(double: &str, levels: usize) -> String {
    let mut sql =
        "SELECT concat('x', repeat('x', value)) AS a FROM generate_series(1, 2)".to_owned();
    for _ in 0..levels {
        sql = format!("SELECT {double} AS a FROM ({sql}) q");
    }
    format!("SELECT length(a) FROM ({sql}) q")
}

fn columns(column: &str, count: usize) -> String {
    let columns: Vec<String> = (0..count)
        .map(|n| column.replace('#', &n.to_string()))
        .collect();
    columns.join(", ")
}

fn ctes(levels: usize) -> String {
    let queries = (1..levels).map(|n| {
        format!(
            ", a{n} AS (SELECT * FROM a{0} UNION ALL SELECT * FROM a{0})",
            n - 1
        )
    });
    format!(
        "WITH a0 AS (SELECT 1 AS x){} SELECT count(*) FROM a{}",
        queries.collect::<String>(),
        levels - 1
    )
}

fn inserts(count: usize) -> String {
    let insert = |n: usize| {
        let before = n * 15_000;
        format!(
            "INSERT INTO i SELECT value + {before}, repeat('x', 200) || value FROM generate_series(1, 15000)"
        )
    };
    (0..count).map(insert).collect::<Vec<_>>().join(";\n")
}

fn write_files(directory: &Path) {
    let piece = vec![b'x'; 1 << 20];
    let mut field = GzEncoder::new(
        fs::File::create(directory.join("field.csv.gz")).unwrap(),
        Compression::fast(),
    );
    let mut line = std::io::BufWriter::new(fs::File::create(directory.join("line.csv")).unwrap());
    line.write_all(b"t\n").unwrap();
    for number in 0..1000 {
        field.write_all(&piece).unwrap();
        if number < 200 {
            line.write_all(&piece).unwrap();
        }
    }
    field.finish().unwrap();
    for (extension, by) in [
        ("bz2", FileCompressionType::BZIP2),
        ("xz", FileCompressionType::XZ),
    ] {
        // One stream after the other is one text.
        let file = directory.join(format!("field.csv.{extension}"));
        fs::write(file, packed(by, &piece).repeat(1000)).unwrap();
    }
    line.flush().unwrap();
}

/// One stream of a compression.
fn packed(by: FileCompressionType, bytes: &[u8]) -> Vec<u8> {
    let bytes = bytes.to_vec();
    let stream = stream::once(async move { Ok(bytes.into()) }).boxed();
    let packed = by.convert_to_compress_stream(stream).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let chunks: Vec<_> = runtime.unwrap().block_on(packed.try_collect()).unwrap();
    chunks.concat()
}

/// A database with the files of another one. Sorted files are never changed, so they are the same.
fn copy_database(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        match path.extension().is_some_and(|it| it == "sst") {
            true => fs::hard_link(path, copy).unwrap(),
            false if path.is_file() => drop(fs::copy(path, copy).unwrap()),
            false => {}
        }
    }
}

/// Runs statements in a process of its own, over the database in a directory; with the most that it may take.
fn run(limit: &Limit, sql: &str, database: &Path) -> Option<(Measured, u64)> {
    let mut command = halite();
    command.arg(database);
    let mut program = Program::run(command.args(["--no-bail", "--format", "csv"]));
    let set = format!("SET halite.memory_limit = '{}'", limit.setting);
    let begun = program.measure(&set)?;
    assert_eq!(begun.refused, None);
    let allowed = allowed(limit.bytes(), begun.peak);
    Some((program.measure(sql)?, allowed))
}

/// Runs the statements, all or those that are quick, and says what takes more than the limit allows.
fn beyond(limit: &Limit, whole: bool) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let stored = directory.path().join("stored");
    let made = run(limit, &limit.written(STORED, directory.path()), &stored);
    assert_eq!(made.unwrap().0.refused, None);
    write_files(directory.path());
    let mut wrong = Vec::new();
    let statements = STATEMENTS.split("-- name: ").skip(1);
    for statement in statements {
        let (name, sql) = statement.split_once('\n').unwrap();
        if !whole && !name.contains("(quick)") {
            continue;
        }
        let sql = limit.written(sql, directory.path());
        let measure = || {
            let database = directory.path().join("database");
            if name.contains("(stored)") {
                copy_database(&stored, &database);
            }
            let measured = run(limit, sql.trim().trim_end_matches(';'), &database);
            fs::remove_dir_all(database).unwrap();
            measured
        };
        // On a machine that does much else a peak is now and then a few pages higher: what a statement holds is held twice.
        let measured = match measure() {
            Some((first, allowed)) if first.peak > allowed => measure(),
            first => first,
        };
        let name = name.split(" (").next().unwrap();
        let Some((measured, allowed)) = measured else {
            wrong.push(format!("{name}: the process has ended"));
            continue;
        };
        let peak = measured.peak >> 20;
        let (seconds, answer) = (measured.time.as_secs_f64(), measured.answer(110));
        println!(
            "{:5} {name:46} {peak:5} MiB {seconds:7.2} s  {answer}",
            limit.setting
        );
        if measured.peak > allowed || measured.is_broken() {
            let setting = limit.setting;
            wrong.push(format!("{name} at {setting}: {peak} MiB, {answer}"));
        }
    }
    wrong
}

#[test]
fn statements_stay_within_their_memory() {
    let limit = Limit {
        setting: "128M",
        mebibytes: 128,
    };
    assert_eq!(beyond(&limit, false), Vec::<String>::new());
}

#[test]
fn all_statements_stay_within_256_mebibytes_and_a_gibibyte() {
    if !is_whole() {
        return;
    }
    let limits = [("256M", 256), ("1G", 1024)];
    let limits = limits.map(|(setting, mebibytes)| Limit { setting, mebibytes });
    let beyond: Vec<String> = limits
        .iter()
        .flat_map(|limit| beyond(limit, true))
        .collect();
    assert_eq!(beyond, Vec::<String>::new());
}
