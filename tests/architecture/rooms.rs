//! What has a room of its own: a name that appears there, and in the files that are listed and get fewer.

use super::source::{code_of, production_of};
use super::{assert_none, is_test_file, sources};

/// What is named in some rooms alone.
struct Rule {
    /// As it stands in the code.
    named: &'static str,
    /// Whether it may stand in a string, too.
    is_text: bool,
    /// Where it may stand: beginnings of paths under `src/`.
    rooms: &'static [&'static str],
    /// Files elsewhere that name it still.
    left: &'static [&'static str],
}

const RULES: &[Rule] = &[
    // What the parser gives is taken in where statements are read, bound, and answered.
    Rule {
        named: "sqlparser::",
        is_text: false,
        rooms: &["sql/", "plan/bind/", "plan/change/", "ddl/", "catalog/"],
        left: &[
            "run/execute_named.rs",
            "run/named.rs",
            "run/outcome.rs",
            "run/planning_thread.rs",
            "run/statement_cache.rs",
            "session/from_text.rs",
            "session/rewrite.rs",
            "shell/command/key_of_values.rs",
        ],
    },
    Rule {
        named: "sql::parser",
        is_text: false,
        rooms: &["plan/bind/statement.rs"],
        left: &[],
    },
    // Rules of the optimizer stand in one place, in one order.
    Rule {
        named: "datafusion::optimizer",
        is_text: false,
        rooms: &["plan/rule/", "predicate/"],
        left: &[
            "plan/subquery/beside.rs",
            "plan/subquery/outside.rs",
            "run/named.rs",
        ],
    },
    Rule {
        named: "physical_optimizer",
        is_text: false,
        rooms: &["plan/rule/"],
        left: &[],
    },
    // The embedding API; whoever runs statements has a context of theirs.
    Rule {
        named: "impl Connection {",
        is_text: false,
        rooms: &["session/"],
        // That to a server.
        left: &["store/hbase/connection.rs"],
    },
    // What an error means is its kind, and what it is about; its words are for people.
    Rule {
        named: ".message().contains(",
        is_text: false,
        rooms: &[],
        left: &["run/set.rs", "session/database.rs", "store/rocksdb/open.rs"],
    },
    Rule {
        named: ".message().starts_with(",
        is_text: false,
        rooms: &[],
        left: &[],
    },
    // Names that nobody can write.
    Rule {
        named: r"\u{2060}",
        is_text: true,
        rooms: &["sql/marks.rs"],
        left: &[],
    },
];

impl Rule {
    fn is_named_in(&self, text: &str) -> bool {
        let code = if self.is_text {
            production_of(text)
        } else {
            code_of(text)
        };
        // A chain of calls may stand on several lines.
        let lines: Vec<&str> = code.lines().map(str::trim).collect();
        let joined = lines.join("\n").replace("\n.", ".");
        joined.contains(self.named)
    }

    /// What is wrong with files, given by their paths under `src/`.
    fn wrong<'a>(&self, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
        let (mut wrong, mut left) = (Vec::new(), self.left.to_vec());
        for (file, text) in files {
            let is_elsewhere = !self.rooms.iter().any(|room| file.starts_with(room));
            if is_test_file(file) || !is_elsewhere || !self.is_named_in(text) {
                continue;
            }
            match left.iter().position(|known| *known == file) {
                Some(at) => drop(left.swap_remove(at)),
                None => wrong.push(format!("src/{file} names `{}`", self.named)),
            }
        }
        let gone = left.iter();
        let gone = gone.map(|file| format!("src/{file} names `{}` no more", self.named));
        wrong.extend(gone);
        wrong
    }
}

#[test]
fn what_has_a_room_stands_in_it() {
    let files = sources(&["src"]);
    for rule in RULES {
        let files = files.iter().filter(|(file, _)| !file.contains("/whole/"));
        let files = files.map(|(file, text)| (file.strip_prefix("src/").unwrap(), text.as_str()));
        assert_none(rule.wrong(files));
    }
}

#[test]
fn what_stands_elsewhere_is_found() {
    let rule = Rule {
        named: "sqlparser::",
        is_text: false,
        rooms: &["sql/"],
        left: &["run/named.rs", "run/gone.rs"],
    };
    let text = "use sqlparser::ast::Ident;";
    let wrong = rule.wrong([
        ("sql/parse.rs", text),
        ("run/named.rs", text),
        ("run/named_tests.rs", text),
        ("scan/mod.rs", "// as sqlparser::ast has it"),
        ("scan/exec.rs", text),
        ("scan/run.rs", "#[cfg(test)]\nuse sqlparser::ast::Ident;"),
    ]);
    let marks = Rule {
        named: r"\u{2060}",
        is_text: true,
        rooms: &["sql/marks.rs"],
        left: &[],
    };
    let text = r#"const A: &str = "\u{2060}a";"#;
    let for_tests = format!("#[cfg(test)]\n{text}");
    let found = marks.wrong([
        ("sql/marks.rs", text),
        ("run/a.rs", text),
        ("run/b.rs", &for_tests),
    ]);
    assert_eq!(found, [r"src/run/a.rs names `\u{2060}`"]);
    let expected = [
        "src/scan/exec.rs names `sqlparser::`",
        "src/run/gone.rs names `sqlparser::` no more",
    ];
    assert_eq!(wrong, expected);
}
