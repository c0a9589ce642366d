//! The rules of the repository that the compiler does not know: which module may import which, where an outside
//! crate may appear, how long a file and a function may be, and that the documents name what exists.
//!
//! The tables below are the rules; whoever changes the order of the modules changes it here, in sight.

mod circles;
mod documents;
mod names;
mod rooms;
mod source;
mod walks;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use source::{code_of, function_lengths, line_of, mask, paths_under};

/// A module of `src/` and its layer: it may import its own layer and those of smaller numbers.
const LAYERS: &[(&str, u8)] = &[
    ("error", 0),
    ("fault", 0),
    ("golden", 0),
    ("not_run", 0),
    ("seed", 0),
    ("datum", 0),
    ("keyrange", 0),
    ("machine", 0),
    ("key", 1),
    ("schema", 2),
    ("store", 2),
    ("predicate", 3),
    ("span", 3),
    ("row", 3),
    ("convert", 3),
    ("operator", 4),
    ("scan", 4),
    ("write", 4),
    ("settings", 5),
    ("function", 5),
    ("table", 5),
    ("catalog", 6),
    ("file", 6),
    ("sql", 7),
    ("plan", 8),
    ("run", 9),
    ("ddl", 10),
    ("session", 11),
    ("admin", 11),
    ("shell", 12),
    ("bin", 12),
];

/// Imports that the layers would allow and that are wrong all the same: importer, imported.
const SEPARATE: &[(&str, &str)] = &[("write", "scan"), ("store", "schema")];

/// Where a path of an outside crate may appear.
enum Place {
    /// In modules of this layer and of greater ones.
    From(u8),
    /// In files whose path under `src/` starts with one of these.
    Only(&'static [&'static str]),
    /// Anywhere but in these modules.
    NotIn(&'static [&'static str]),
}

/// The outside crates that have a place; a longer path is a rule of its own, beside its prefix's.
const OUTSIDE: &[(&str, Place)] = &[
    ("arrow", Place::NotIn(&["error", "keyrange"])),
    ("datafusion", Place::NotIn(&["keyrange", "span", "sql"])),
    ("datafusion::logical_expr", Place::From(3)),
    ("datafusion::physical_expr", Place::From(3)),
    ("datafusion::optimizer", Place::From(3)),
    ("datafusion::physical_plan", Place::From(4)),
    ("datafusion::execution", Place::From(4)),
    ("datafusion::datasource", Place::From(4)),
    ("datafusion::catalog", Place::From(5)),
    ("datafusion::sql", Place::From(6)),
    ("datafusion::prelude", Place::From(7)),
    ("rocksdb", Place::Only(&["store/rocksdb"])),
    ("prost", Place::Only(&["store/hbase"])),
    ("twox_hash", Place::From(1)),
    ("md5", Place::Only(&["key/"])),
    (
        "serde_json",
        Place::NotIn(&["error", "keyrange", "key", "store", "predicate", "span"]),
    ),
    ("self_cell", Place::Only(&["store/rocksdb"])),
    ("parking_lot", Place::From(1)),
    ("regex", Place::Only(&["function/"])),
    (
        "regex_syntax",
        Place::Only(&["predicate/regular_expression"]),
    ),
    ("tempfile", Place::From(2)),
    (
        "bytes::Bytes",
        Place::Only(&[
            "store/hbase",
            "store/versioned",
            "write/operator_spill",
            "file/parquet/reader",
        ]),
    ),
    ("smallvec", Place::Only(&["store/hbase", "store/versioned"])),
    ("csv", Place::From(4)),
    ("flate2", Place::From(4)),
    ("glob", Place::Only(&["write/copy/"])),
    ("zstd", Place::From(4)),
    ("tokio", Place::From(4)),
    ("futures", Place::From(4)),
    ("async_trait", Place::From(5)),
    ("sqlparser", Place::From(6)),
    ("stacker", Place::From(7)),
    ("tracing", Place::Only(&["run/span"])),
    (
        "uuid",
        Place::NotIn(&["error", "keyrange", "key", "store", "predicate", "span"]),
    ),
    ("clap", Place::From(12)),
    ("indicatif", Place::From(12)),
    ("nu_ansi_term", Place::From(12)),
    ("reedline", Place::From(12)),
    ("strsim", Place::From(12)),
    ("terminal_size", Place::From(12)),
    ("unicode_width", Place::From(12)),
    ("anyhow", Place::Only(&["bin/"])),
    (
        "std::fs",
        Place::NotIn(&["datum", "keyrange", "key", "predicate", "span"]),
    ),
    (
        "std::net",
        Place::NotIn(&["datum", "keyrange", "key", "predicate", "span"]),
    ),
];

/// The most lines of a Rust file.
const FILE_LINES: usize = 700;
/// The most lines of a function, from its first line to its closing brace.
const FUNCTION_LINES: usize = 70;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files under a directory of the repository, which may be missing.
fn rust_files(directory: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root().join(directory)) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        let below = path.strip_prefix(root()).unwrap();
        if path.is_dir() {
            files.extend(rust_files(below.to_str().unwrap()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Each file's path below the root of the repository, and its text.
fn sources(directories: &[&str]) -> Vec<(String, String)> {
    let files = directories.iter().flat_map(|name| rust_files(name));
    files
        .map(|path| {
            let below = path.strip_prefix(root()).unwrap().to_str().unwrap();
            (below.to_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect()
}

fn layer(module: &str) -> Option<u8> {
    let known = LAYERS.iter().find(|(name, _)| *name == module);
    known.map(|(_, layer)| *layer)
}

/// The module of `src/` that a file belongs to; `lib.rs` is `lib`.
fn module_of(file: &str) -> &str {
    let first = file.split('/').next().unwrap_or(file);
    first.strip_suffix(".rs").unwrap_or(first)
}

fn is_test_file(file: &str) -> bool {
    file.ends_with("_tests.rs")
        || file.ends_with("/tests.rs")
        || file.ends_with("/testing.rs")
        || file.contains("/tests/")
        || file.contains("/conformance")
        || file.contains("/law/")
}

/// What is wrong with the import of `imported` by `module`, if anything is.
fn wrong_import(module: &str, imported: &str) -> Option<String> {
    let Some(to) = layer(imported) else {
        return Some(format!(
            "`{imported}` is no module of the table in tests/architecture.rs; import an item by the module it is in"
        ));
    };
    let from = layer(module)?;
    if to > from {
        return Some(format!(
            "`{module}` (layer {from}) may not use `{imported}` (layer {to})"
        ));
    }
    SEPARATE
        .contains(&(module, imported))
        .then(|| format!("`{module}` may not use `{imported}`, though the layers would allow it"))
}

/// What is wrong with the imports of one file, given by its path under `src/`.
fn wrong_imports(file: &str, text: &str) -> Vec<String> {
    if is_test_file(file) {
        return Vec::new();
    }
    let (code, module) = (code_of(text), module_of(file));
    let mut wrong = Vec::new();
    let mut report = |at: usize, what: String| {
        wrong.push(format!("src/{file}:{}: {what}", line_of(&code, at)));
    };
    // The root and the program's main file may name everything.
    if module != "lib" && module != "bin" {
        let supers = vec!["super"; source::depth(file)].join("::");
        for (at, path) in paths_under(&code, "crate") {
            let name = path.get(1);
            if let Some(what) = name.and_then(|name| wrong_import(module, name)) {
                report(at, what);
            }
        }
        for (at, path) in paths_under(&code, &supers) {
            // `super` can also be the parent of a nested module, so only names of modules count.
            let name = path.get(source::depth(file));
            let name = name.filter(|name| layer(name).is_some());
            if let Some(what) = name.and_then(|name| wrong_import(module, name)) {
                report(at, what);
            }
        }
    }
    for (outside, place) in OUTSIDE {
        for (at, _) in paths_under(&code, outside) {
            if let Some(what) = misplaced(file, outside, place) {
                report(at, what);
            }
        }
    }
    // A group of imports says the same thing of each of its names.
    wrong.dedup();
    wrong
}

/// What is wrong with `outside` in a file, if anything is.
fn misplaced(file: &str, outside: &str, place: &Place) -> Option<String> {
    let module = module_of(file);
    match place {
        // `lib.rs` stands above every layer.
        Place::From(first) if layer(module).is_some_and(|layer| layer < *first) => Some(format!(
            "`{outside}` belongs to layer {first} and above, and `{module}` is below it"
        )),
        Place::Only(places) if !places.iter().any(|place| file.starts_with(place)) => Some(
            format!("`{outside}` belongs only in src/{}", places.join(", src/")),
        ),
        Place::NotIn(modules) if modules.contains(&module) => {
            Some(format!("`{outside}` has no place in `{module}`"))
        }
        _ => None,
    }
}

/// The files below `src/` that may read entries: the stores, what makes rows of entries, and the catalog, whose entries are
/// no rows.
const READS_ENTRIES: &[&str] = &[
    "store/",
    "row/",
    "catalog/stored.rs",
    "catalog/dictionaries.rs",
];
/// What takes entries out of a store.
const ENTRY_READERS: &[&str] = &["read_chunks", "first_readable", "LocalSnapshot", "Cursor"];
/// Calls of a snapshot that give entries.
const ENTRY_CALLS: &[&str] = &[
    ".multi_get(",
    "snapshot.get(",
    "snapshot).get(",
    "snapshot.read(",
    "snapshot).read(",
    "snapshot()?.read(",
];

/// The files below `src/` that may write entries: the same, and all of the catalog.
const WRITES_ENTRIES: &[&str] = &["store/", "row/", "catalog/"];
/// What puts entries into a store.
const ENTRY_WRITERS: &[&str] = &["Changes"];
/// Calls of a store that begin to.
const ENTRY_WRITES: &[&str] = &["store.begin(", "store).begin(", "store().begin("];

/// Where a file, given by its path under `src/`, reads or writes entries where it should rows.
fn entries_taken_for_rows(file: &str, text: &str) -> Vec<String> {
    let reads = (READS_ENTRIES, ENTRY_READERS, ENTRY_CALLS, "RowSnapshot");
    let writes = (WRITES_ENTRIES, ENTRY_WRITERS, ENTRY_WRITES, "RowChanges");
    if is_test_file(file) {
        return Vec::new();
    }
    let code = code_of(text);
    let mut wrong = Vec::new();
    for (places, types, calls, instead) in [reads, writes] {
        if places.iter().any(|place| file.starts_with(place)) {
            continue;
        }
        let paths = paths_under(&code, "crate::store").into_iter();
        let imports = paths.filter(|(_, path)| types.contains(&path[path.len() - 1].as_str()));
        let calls = calls.iter().flat_map(|call| code.match_indices(call));
        let found = imports.map(|(at, _)| at).chain(calls.map(|(at, _)| at));
        wrong.extend(found.map(|at| {
            let line = line_of(&code, at);
            format!("src/{file}:{line}: an entry need not be a row: use `row::{instead}`")
        }));
    }
    wrong
}

/// Unfinished work, too long a file, too long a function.
fn wrong_shape(file: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    // A test may be a long table.
    let limited = !is_test_file(file);
    let lines = text.lines().count();
    if limited && lines > FILE_LINES {
        wrong.push(format!("{file}: {lines} lines, at most {FILE_LINES}"));
    }
    let code = mask(text);
    for (line, name, length) in function_lengths(&code) {
        if limited && length > FUNCTION_LINES {
            wrong.push(format!(
                "{file}:{line}: `{name}` has {length} lines, at most {FUNCTION_LINES}"
            ));
        }
    }
    for mark in ["todo!", "unimplemented!"] {
        for (at, _) in code.match_indices(mark) {
            wrong.push(format!("{file}:{}: {mark}", line_of(&code, at)));
        }
    }
    // Assembled here, so that this file does not accuse itself.
    for mark in [concat!("FIX", "ME"), concat!("XX", "X")] {
        for (at, _) in text.match_indices(mark) {
            wrong.push(format!("{file}:{}: {mark}", line_of(text, at)));
        }
    }
    wrong
}

fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn modules_import_only_what_stands_above_them() {
    let sources = sources(&["src"]);
    assert!(sources.len() > 3, "src/ was not found");
    let wrong = sources.iter().flat_map(|(file, text)| {
        let file = file.strip_prefix("src/").unwrap();
        wrong_imports(file, text)
    });
    assert_none(wrong.collect());
}

/// The most files of a folder that are no tests.
const FOLDER_FILES: usize = 30;

#[test]
fn no_folder_is_crowded() {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for (file, _) in sources(&["src"]) {
        if let (false, Some((folder, _))) = (is_test_file(&file), file.rsplit_once('/')) {
            *folders.entry(folder.to_owned()).or_default() += 1;
        }
    }
    assert!(folders.len() > 30, "{}", folders.len());
    let crowded = folders
        .into_iter()
        .filter(|(_, count)| *count > FOLDER_FILES);
    let wrong = crowded.map(|(folder, count)| format!("{folder}: {count} files"));
    assert_none(wrong.collect());
}

#[test]
fn entries_are_taken_for_rows_by_nobody() {
    let sources = sources(&["src"]);
    let wrong = sources.iter().flat_map(|(file, text)| {
        let file = file.strip_prefix("src/").unwrap();
        entries_taken_for_rows(file, text)
    });
    assert_none(wrong.collect());
}

#[test]
fn an_entry_taken_for_a_row_is_found() {
    let cases = [
        (
            "function/keys.rs",
            "use crate::store::{Chunk, read_chunks};",
        ),
        (
            "scan/run.rs",
            "fn f() { Arc::clone(&self.snapshot).read(request)?; }",
        ),
        (
            "write/stored.rs",
            "fn f() { self.snapshot.multi_get(space, keys)?; }",
        ),
        ("session/direct.rs", "fn f() { snapshot.get(space, key)?; }"),
        ("write/apply.rs", "use crate::store::{BulkWriter, Changes};"),
        (
            "write/write_set.rs",
            "fn f() { Arc::clone(&self.store).begin(&[claim])?; }",
        ),
    ];
    for (file, text) in cases {
        assert_eq!(
            entries_taken_for_rows(file, text).len(),
            1,
            "{file}: {text}"
        );
        assert_none(entries_taken_for_rows("row/snapshot.rs", text));
    }
    let rows = "use crate::row::RowSnapshot;\nfn f() { rows.read_chunks(space, range, take)?; }";
    assert_none(entries_taken_for_rows("function/keys.rs", rows));
}

#[test]
fn every_module_has_a_layer() {
    let mut sources = sources(&["src"]);
    sources.retain(|(file, _)| !is_test_file(file));
    let missing = sources.into_iter().filter_map(|(file, _)| {
        let module = module_of(file.strip_prefix("src/").unwrap()).to_owned();
        (module != "lib" && layer(&module).is_none()).then_some(module)
    });
    assert_none(missing.collect());
}

#[test]
fn files_and_functions_are_short_and_finished() {
    let wrong = sources(&["src", "tests", "benches"])
        .into_iter()
        .flat_map(|(file, text)| wrong_shape(&file, &text));
    assert_none(wrong.collect());
}

#[test]
fn a_wrong_import_is_found() {
    let cases = [
        ("span/mod.rs", "use crate::scan::Scan;"),
        ("span/mod.rs", "use crate::{error::Result, table::Table};"),
        ("span/mod.rs", "use crate::{\n    error,\n    scan,\n};"),
        ("span/mod.rs", "fn f() -> u8 { crate::session::depth() }"),
        ("span/mod.rs", "use super::scan::Scan;"),
        ("span/walk.rs", "use super::super::scan::Scan;"),
        ("key/part.rs", "use crate::Database;"),
        ("write/sink.rs", "use crate::scan::Source;"),
        ("store/memory.rs", "use crate::schema::Table;"),
        ("store/mod.rs", "use rocksdb::{DB, Options};"),
        ("store/versioned/read.rs", "use prost::Message;"),
        ("scan/mod.rs", "fn f(key: ::rocksdb::DB) {}"),
        ("row/mod.rs", "use tokio::sync::mpsc;"),
        ("table/mod.rs", "use sqlparser::ast::Statement;"),
        (
            "table/mod.rs",
            "use datafusion::{common::Result, sql::parser};",
        ),
        ("keyrange.rs", "use arrow::array::Array;"),
        ("span/mod.rs", "use datafusion::common::ScalarValue;"),
        ("key/mod.rs", "fn f() { std::fs::remove_file(\"x\").ok(); }"),
        ("session/mod.rs", "use reedline::Reedline;"),
        ("shell/mod.rs", "use anyhow::Result;"),
    ];
    for (file, text) in cases {
        assert_eq!(wrong_imports(file, text).len(), 1, "{file}: {text}");
    }
}

#[test]
fn a_right_import_is_let_through() {
    let cases = [
        (
            "span/mod.rs",
            "use crate::{error::Result, key::{Part, Key}};",
        ),
        (
            "span/walk.rs",
            "use super::boxes::Box; use super::scan::Scan;",
        ),
        (
            "scan/mod.rs",
            "// use crate::session::Database;\nuse crate::span::Spans;",
        ),
        (
            "key/mod.rs",
            "/// As in [`crate::scan::Scan`].\nfn f() { \"crate::scan::x\"; }",
        ),
        (
            "key/mod.rs",
            "#[cfg(test)]\nmod tests {\n    use crate::scan::Scan;\n}\n",
        ),
        ("key/key_tests.rs", "use crate::scan::Scan;"),
        ("store/rocksdb.rs", "use rocksdb::DB;"),
        ("store/rocksdb/bulk.rs", "use rocksdb::DB;"),
        ("store/hbase/frame.rs", "use prost::Message;"),
        ("scan/mod.rs", "use tokio::sync::mpsc;"),
        (
            "scan/mod.rs",
            "use self::rocksdb::x; use crate::store::rocksdb::Rocks;",
        ),
        ("catalog/mod.rs", "use sqlparser::ast::Statement;"),
        ("lib.rs", "pub use crate::session::Database;"),
        ("bin/halite.rs", "use anyhow::Result; use halite::shell;"),
    ];
    for (file, text) in cases {
        assert_none(wrong_imports(file, text));
    }
}

#[test]
fn an_import_after_a_test_module_is_found() {
    let text = "#[cfg(test)]\nmod tests {\n    fn a() {}\n}\nuse crate::scan::Scan;\n";
    let wrong = wrong_imports("key/mod.rs", text);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].starts_with("src/key/mod.rs:5: "), "{wrong:?}");
}

#[test]
fn a_wrong_shape_is_found() {
    let body = "    let x = 1;\n".repeat(FUNCTION_LINES - 2);
    assert_none(wrong_shape("a.rs", &format!("fn f() {{\n{body}}}\n")));
    let long = format!(
        "impl A {{\n    pub(crate) async fn f(\n        &self,\n    ) {{\n{body}    }}\n}}\n"
    );
    assert_eq!(
        wrong_shape("a.rs", &long),
        ["a.rs:2: `f` has 72 lines, at most 70"]
    );
    assert_none(wrong_shape("a.rs", &"\n".repeat(FILE_LINES)));
    assert_eq!(wrong_shape("a.rs", &"\n".repeat(FILE_LINES + 1)).len(), 1);
    let unfinished = concat!("fn f() {\n    to", "do!()\n}\n// FIX", "ME: later\n");
    assert_eq!(wrong_shape("a.rs", unfinished).len(), 2);
    assert_none(wrong_shape("a.rs", "// todo!\n"));
}
