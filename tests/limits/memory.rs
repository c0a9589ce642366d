//! Statements that would take more than there is: each is answered, or refused in words, within the limit.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{StreamExt, TryStreamExt, stream};
use halite::datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use super::Program;

/// What a process may take at most: a quarter more than the limit, and 64 MiB for the program itself.
fn allowed(limit: u64) -> u64 {
    limit + limit / 4 + (64 << 20)
}

/// Statements by name. `{files}` is a directory with files; what stands before the last semicolon prepares.
fn statements(files: &Path) -> Vec<(&'static str, String)> {
    let files = files.display();
    let doubled = |double: &str, levels: usize| {
        let mut sql =
            "SELECT concat('x', repeat('x', value)) AS a FROM generate_series(1, 2)".to_owned();
        for _ in 0..levels {
            sql = format!("SELECT {double} AS a FROM ({sql}) q");
        }
        format!("SELECT length(a) FROM ({sql}) q")
    };
    let columns = |column: &str, count: usize| {
        let columns: Vec<String> = (0..count)
            .map(|n| column.replace("{n}", &n.to_string()))
            .collect();
        columns.join(", ")
    };
    let ctes = |levels: usize| {
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
    };
    let cube = columns("g{n}", 24);
    vec![
        ("repeat", "SELECT length(repeat('x', 1000000000))".to_owned()),
        ("lpad", "SELECT length(lpad('x', 2000000000))".to_owned()),
        ("range", "SELECT cardinality(range(1, 1000000000))".to_owned()),
        ("array_repeat", "SELECT cardinality(array_repeat('abc', 500000000))".to_owned()),
        ("array_resize", "SELECT cardinality(array_resize([1], 500000000, 2))".to_owned()),
        ("string_agg", "SELECT length(string_agg(repeat('x', 1000), ',')) FROM generate_series(1, 1500000)".to_owned()),
        ("array_agg", "SELECT cardinality(array_agg(value)) FROM generate_series(1, 100000000)".to_owned()),
        ("||, 40 times", doubled("a || a", 40)),
        ("replace, 40 times", doubled("replace(a, 'x', 'xxx')", 40)),
        ("100 columns of 8 MB", format!("SELECT {} FROM generate_series(1, 4)", columns("repeat('x', 8000000 + {n} * value) AS c{n}", 100))),
        ("ORDER BY", "SELECT count(*) FROM (SELECT value FROM generate_series(1, 5000000) ORDER BY value * 7919 % 5000011 LIMIT 4999999) q".to_owned()),
        ("GROUP BY", "SELECT count(*) FROM (SELECT value * 7919 % 5000011 AS g, count(*) AS n FROM generate_series(1, 5000000) GROUP BY 1) q WHERE n > 0".to_owned()),
        ("join", "SELECT count(*) FROM generate_series(1, 3000000) a JOIN generate_series(1, 3000000) b ON a.value = b.value".to_owned()),
        ("DISTINCT of texts", "SELECT count(*) FROM (SELECT DISTINCT repeat(CAST(value AS TEXT), 10) AS t FROM generate_series(1, 2000000)) q".to_owned()),
        ("count(DISTINCT)", "SELECT count(DISTINCT value), median(value) FROM generate_series(1, 5000000)".to_owned()),
        ("window", "SELECT count(n) FROM (SELECT sum(value) OVER () AS n FROM generate_series(1, 20000000)) q".to_owned()),
        ("CUBE", format!("SELECT count(*) FROM (SELECT {} FROM generate_series(1, 2)) q GROUP BY CUBE ({cube})", columns("value AS g{n}", 24))),
        ("WITH, 22 times", ctes(22)),
        ("WITH RECURSIVE", "WITH RECURSIVE r AS (SELECT 1 AS n, 'x' AS t UNION ALL SELECT n + 1, t || t FROM r WHERE n < 60) SELECT max(length(t)) FROM r".to_owned()),
        ("cross join, sorted", "SELECT count(*) FROM (SELECT a.value AS x, b.value AS y FROM generate_series(1, 3000) a CROSS JOIN generate_series(1, 3000) b ORDER BY y, x LIMIT 8999999) q".to_owned()),
        ("a value of 300 MB", "CREATE TABLE v (k INT, t TEXT, PRIMARY KEY (k)); INSERT INTO v SELECT 1, repeat('x', 300000000)".to_owned()),
        ("COPY of a gz with a field of 1 GB", format!("CREATE TABLE gz (t TEXT, PRIMARY KEY (t)); COPY gz FROM '{files}/field.csv.gz'")),
        ("SELECT from a gz with a field of 1 GB", format!("SELECT max(length(column_1)) FROM '{files}/field.csv.gz'")),
        ("COPY of a bz2 with a field of 1 GB", format!("CREATE TABLE bz2 (t TEXT, PRIMARY KEY (t)); COPY bz2 FROM '{files}/field.csv.bz2'")),
        ("SELECT from a bz2 with a field of 1 GB", format!("SELECT max(length(column_1)) FROM '{files}/field.csv.bz2'")),
        ("SELECT from an xz with a field of 1 GB", format!("SELECT max(length(column_1)) FROM '{files}/field.csv.xz'")),
        ("COPY of a line of 200 MB", format!("CREATE TABLE line (t TEXT, PRIMARY KEY (t)); COPY line FROM '{files}/line.csv'")),
        ("SELECT from a line of 200 MB", format!("SELECT max(length(t)) FROM '{files}/line.csv'")),
        ("SELECT * as box", ".mode box\nSELECT value, value * 2 AS b FROM generate_series(1, 2000000);\n.mode csv\nSELECT 1".to_owned()),
    ]
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

fn stay_within(setting: &str, limit: u64) {
    let files = tempfile::tempdir().unwrap();
    write_files(files.path());
    let mut wrong = Vec::new();
    for (name, sql) in statements(files.path()) {
        let mut program = Program::start();
        let set = format!("SET halite.memory_limit = '{setting}'");
        let before = program.measure(&set).unwrap();
        assert_eq!(before.refused, None);
        let Some(measured) = program.measure(&sql) else {
            wrong.push(format!("{name}: the process has ended"));
            continue;
        };
        let peak = measured.peak >> 20;
        let answer = match &measured.refused {
            None => "answered".to_owned(),
            Some(refused) => format!("refused: {}", refused.chars().take(110).collect::<String>()),
        };
        println!(
            "{setting:5} {name:40} {peak:5} MiB {:7.2} s  {answer}",
            measured.time.as_secs_f64()
        );
        if measured.peak > allowed(limit) {
            wrong.push(format!("{name}: {peak} MiB"));
        }
        if measured
            .refused
            .is_some_and(|it| it.contains("panic") || it.contains("inside of Halite"))
        {
            wrong.push(format!("{name}: {answer}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "more than {} MiB: {wrong:#?}",
        allowed(limit) >> 20
    );
}

#[test]
fn statements_stay_within_256_mebibytes() {
    stay_within("256M", 256 << 20);
}

#[test]
fn statements_stay_within_a_gibibyte() {
    stay_within("1G", 1 << 30);
}
