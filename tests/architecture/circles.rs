//! Rings of files that import each other: to understand one of them, one has to understand all. What they need moves to
//! where all see it.
//!
//! A module and one inside of it are no ring: what the outer one defines is for its parts, and it is made of them.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{code_of, paths_under};
use super::{is_test_file, sources};

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

    /// The modules that each reaches by its imports, and theirs.
    fn reached(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let imports = self.imports();
        let reached = imports.keys().map(|start| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![*start]);
            while let Some(module) = next.pop() {
                for imported in imports.get(module).into_iter().flatten() {
                    if seen.insert(imported.clone()) {
                        next.extend(imports.get_key_value(imported).map(|(module, _)| *module));
                    }
                }
            }
            ((*start).clone(), seen)
        });
        reached.collect()
    }

    /// Every ring: modules of which each reaches all others.
    fn rings(&self) -> BTreeSet<Vec<String>> {
        let reached = self.reached();
        let reaches =
            |from: &Module, to: &Module| reached.get(from).is_some_and(|it| it.contains(to));
        let rings = reached.keys().filter(|module| reaches(module, module));
        let rings = rings.map(|module| {
            let others = reached.keys();
            let others = others.filter(|other| reaches(module, other) && reaches(other, module));
            others.map(|other| other.join("::")).collect()
        });
        rings.collect()
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
fn files_import_each_other_in_no_ring() {
    let files = sources(&["src"]).into_iter().filter_map(|(file, text)| {
        let file = file.strip_prefix("src/").unwrap().to_owned();
        let is_code = !is_test_file(&file) && !file.contains("/whole/") && file != "lib.rs";
        is_code.then_some((file, text))
    });
    let modules = Modules::of(files);
    assert!(modules.code.len() > 100, "{}", modules.code.len());
    let found = modules.rings();
    assert!(found.is_empty(), "these import each other: {found:#?}");
}

#[test]
fn a_ring_is_found_through_what_is_handed_on() {
    let rings = |files: &[(&str, &str)]| {
        let files = files.iter();
        let files = files.map(|(file, text)| ((*file).to_owned(), (*text).to_owned()));
        Vec::from_iter(Modules::of(files).rings())
    };
    let found = rings(&[
        ("a/mod.rs", "mod b;\nmod c;\npub use self::b::{B, Other};"),
        ("a/b.rs", "use super::c;\nuse crate::d::D;"),
        ("a/c.rs", "use crate::{a::B, d};"),
        ("d.rs", "#[cfg(test)]\nuse crate::a::B;\nuse crate::a;"),
    ]);
    assert_eq!(found, [["a::b", "a::c"]]);
    let found = rings(&[
        ("a/mod.rs", "mod b;\nuse self::b::B;"),
        ("a/b.rs", "use super::A;"),
        ("c.rs", "// use crate::a;\nuse crate::d::D;"),
        ("d.rs", "use crate::a::A;"),
    ]);
    assert!(found.is_empty(), "{found:?}");
    let found = rings(&[
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C;\nuse crate::e;"),
        ("c.rs", "use crate::d::D;"),
        ("d.rs", "use crate::a::A;"),
        ("e.rs", ""),
    ]);
    assert_eq!(found, [["a", "b", "c", "d"]]);
}
