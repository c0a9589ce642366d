//! Modules that import each other: to understand either, one has to understand both. What both need moves to where both
//! see it.
//!
//! A module and one inside of it are no circle: what the outer one defines is for its parts, and it is made of them.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{code_of, paths_under};
use super::{is_test_file, sources};

/// Circles that are there, each with its reason.
const LEFT: &[(&str, &str, &str)] = &[
    (
        "optimize::comparisons",
        "optimize::numbers",
        "one rule in two files: a comparison of numbers, and the numbers of a comparison",
    ),
    (
        "optimize::constants",
        "optimize::floats",
        "a rule and its kinds of constants",
    ),
    (
        "optimize::constants",
        "optimize::lists",
        "a rule and its kinds of constants",
    ),
    (
        "optimize::constants",
        "optimize::lossy",
        "a rule and its kinds of constants",
    ),
    (
        "session::names::mender",
        "session::names::references",
        "a query has names, and names stand in subqueries",
    ),
    (
        "shell::command",
        "shell::state",
        "a script runs commands, and a command runs scripts",
    ),
    (
        "store::rocksdb::bulk",
        "store::rocksdb::open",
        "a load is finished when the database is opened",
    ),
    (
        "store::rocksdb::bulk",
        "store::rocksdb::switch",
        "a load ends with a switch, which takes its files over",
    ),
    (
        "store::rocksdb::open",
        "store::rocksdb::own",
        "opening, and the options that it finds",
    ),
    (
        "store::rocksdb::open",
        "store::rocksdb::switch",
        "a switch is finished when the database is opened",
    ),
    (
        "write::apply",
        "write::write_set",
        "a statement, and how it is applied",
    ),
];

type Module = Vec<String>;

/// The modules of the crate with their code; what is compiled for tests alone is left out.
#[derive(Default)]
struct Modules {
    code: BTreeMap<Module, String>,
    /// Where a name is defined that a module hands on: `session::Database` in `session::database`.
    handed_on: BTreeMap<(Module, String), Module>,
}

impl Modules {
    fn of(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut modules = Self::default();
        for (file, text) in files {
            modules.code.insert(module(&file), code_of(&text));
        }
        for (inside, code) in &modules.code {
            for (_, path) in paths_under(code, "self") {
                let path = absolute(inside, &path);
                if let Some((name, parents)) = path.split_last() {
                    let from = (inside.clone(), name.clone());
                    modules.handed_on.insert(from, parents.to_vec());
                }
            }
        }
        modules
    }

    /// The module in which a path ends.
    fn owner(&self, path: &[String]) -> Module {
        let mut path = path.to_vec();
        // A name is handed on from module to module, but not in a ring.
        for _ in 0..8 {
            let lengths = (0..=path.len()).rev();
            let mut known = lengths.filter(|length| self.code.contains_key(&path[..*length]));
            let length = known.next().unwrap_or(0);
            let name = path.get(length).cloned();
            let from = name.map(|name| (path[..length].to_vec(), name));
            match from.and_then(|from| self.handed_on.get(&from).cloned()) {
                Some(home) if home != path[..length] => {
                    path = [home.as_slice(), &path[length..]].concat();
                }
                _ => return path[..length].to_vec(),
            }
        }
        path
    }

    /// The modules that each imports, but for those that it is in and that are in it.
    fn imports(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let imports = self.code.iter().map(|(inside, code)| {
            let paths = ["crate", "super"].map(|start| paths_under(code, start));
            let owners = paths.into_iter().flatten();
            let owners = owners.map(|(_, path)| self.owner(&absolute(inside, &path)));
            let beside = owners.filter(|it| !it.starts_with(inside) && !inside.starts_with(it));
            (inside, beside.collect())
        });
        imports.collect()
    }

    /// Every two that import each other, in the order of the alphabet.
    fn circles(&self) -> BTreeSet<(String, String)> {
        let imports = self.imports();
        let mut circles = BTreeSet::new();
        for (one, imported) in &imports {
            for other in imported {
                let back = imports.get(other).is_some_and(|back| back.contains(*one));
                if back && *one < other {
                    circles.insert((one.join("::"), other.join("::")));
                }
            }
        }
        circles
    }
}

/// The module of a file under `src/`.
fn module(file: &str) -> Module {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// A path that begins with `crate`, `self` or `super`, from the root of the crate.
fn absolute(inside: &[String], path: &[String]) -> Module {
    let mut base = inside.to_vec();
    let mut rest = path;
    match rest.first().map(String::as_str) {
        Some("crate") => return rest[1..].to_vec(),
        Some("self") => rest = &rest[1..],
        _ => {
            while rest.first().is_some_and(|segment| segment == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
    }
    base.extend_from_slice(rest);
    base
}

#[test]
fn no_two_modules_import_each_other() {
    let files = sources(&["src"]).into_iter().filter_map(|(file, text)| {
        let file = file.strip_prefix("src/").unwrap().to_owned();
        let is_code = !is_test_file(&file) && !file.contains("/whole/") && file != "lib.rs";
        is_code.then_some((file, text))
    });
    let modules = Modules::of(files);
    assert!(modules.code.len() > 100, "{}", modules.code.len());
    let found = modules.circles();
    let left = LEFT
        .iter()
        .map(|(one, other, _)| ((*one).to_owned(), (*other).to_owned()));
    let left: BTreeSet<(String, String)> = left.collect();
    let new: Vec<_> = found.difference(&left).collect();
    assert!(new.is_empty(), "these import each other: {new:#?}");
    let gone: Vec<_> = left.difference(&found).collect();
    assert!(gone.is_empty(), "no circles any more: {gone:#?}");
}

#[test]
fn a_circle_is_found_through_what_is_handed_on() {
    let circles = |files: &[(&str, &str)]| {
        let files = files.iter();
        let files = files.map(|(file, text)| ((*file).to_owned(), (*text).to_owned()));
        Modules::of(files).circles()
    };
    let found = circles(&[
        ("a/mod.rs", "mod b;\nmod c;\npub use self::b::{B, Other};"),
        ("a/b.rs", "use super::c;\nuse crate::d::D;"),
        ("a/c.rs", "use crate::{a::B, d};"),
        ("d.rs", "#[cfg(test)]\nuse crate::a::B;\nuse crate::a;"),
    ]);
    assert_eq!(
        Vec::from_iter(found),
        [("a::b".to_owned(), "a::c".to_owned())]
    );
    let found = circles(&[
        ("a/mod.rs", "mod b;\nuse self::b::B;"),
        ("a/b.rs", "use super::A;"),
        ("c.rs", "// use crate::a;\nuse crate::d::D;"),
        ("d.rs", "use crate::a::A;"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}
