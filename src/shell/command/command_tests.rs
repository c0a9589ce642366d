use std::fs;

use super::*;
use crate::shell::state::tests::session;

const GULLS: &str = "CREATE TABLE gulls (name TEXT, seen TIMESTAMP(3), n INT NOT NULL, \
     PRIMARY KEY (bucket(4, name), name, seen DESC));";

/// What a command prints, after a table was made; it must complain of nothing.
pub(super) fn printed(lines: &[&str]) -> String {
    let (out, log, open) = session(&[&[GULLS], lines].concat());
    assert_eq!(log, "");
    assert!(open);
    out
}

pub(super) fn complaint(line: &str) -> String {
    let (out, log, open) = session(&[GULLS, line]);
    assert_eq!(out, "", "{line}");
    assert!(open);
    log
}

#[test]
fn every_command_is_complete_and_has_names_of_its_own() {
    let mut seen = std::collections::HashSet::new();
    for command in COMMANDS {
        assert!(command.name().starts_with('.'));
        for name in names(*command) {
            assert!(seen.insert(name), "{name} is there twice");
            assert_eq!(named(name).unwrap().name(), command.name());
        }
        let length = command.doc().chars().count();
        assert!((10..=66).contains(&length), "{}: {length}", command.name());
        assert_eq!(
            command.usage().is_empty(),
            command.arguments().is_empty(),
            "{}",
            command.name()
        );
    }
    for (other, _) in ELSEWHERE {
        assert!(seen.insert(other), "{other} is a command here");
    }
    // What the documents promise.
    for name in [
        ".tables",
        ".schema",
        ".mode",
        ".timer",
        ".read",
        ".output",
        ".import",
        ".help",
        ".keys",
        ".ranges",
        ".backup",
        ".quit",
        "\\d",
        "\\dt",
        "\\x",
        "\\timing",
        "\\i",
        "\\o",
        "\\q",
        "\\?",
        "exit",
        "\\d+",
        "\\e",
        "\\!",
        "\\watch",
        "\\set",
        "\\echo",
        ".nullvalue",
        ".key",
    ] {
        assert!(named(name).is_some(), "{name}");
    }
}

#[test]
fn help_names_every_command_and_explains_each() {
    let list = printed(&[".help"]);
    for command in COMMANDS {
        for text in [command.name(), command.usage(), command.doc()] {
            assert!(list.contains(text), "{text}: {list}");
        }
        let one = printed(&[&format!("\\? {}", command.name())]);
        assert!(
            one.contains(command.doc()) && one.contains(command.usage()),
            "{one}"
        );
    }
    assert!(
        list.lines().all(|line| line.chars().count() <= 100),
        "{list}"
    );
    assert_eq!(printed(&["\\? timer"]), printed(&[".help .timer"]));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn commands_that_are_wrong_say_so() {
    for (line, expected) in [
        (
            ".nonsense",
            "error: there is no command .nonsense; .help lists them\n",
        ),
        (
            ".tabels",
            "error: there is no command .tabels; did you mean .tables?\n",
        ),
        (
            "\\copy t FROM 'a.csv'",
            "error: there is no command \\copy; COPY TABLE FROM 'FILE' (HEADER) loads a file, COPY TABLE TO 'FILE' (HEADER) writes one\n",
        ),
        (
            ".mode csv > a.csv",
            "error: there is no format csv > a.csv; .once FILE sends the next result to a file\n",
        ),
        (".quit now", "error: .quit takes no argument\n"),
        (".read", "error: say .read FILE\n"),
        (
            ".mode xml",
            "error: there is no format xml; .mode lists them\n",
        ),
        (
            ".mode csv gulls",
            "error: there is no format csv gulls; .mode lists them\n",
        ),
        (
            ".mode jsnol",
            "error: there is no format jsnol; did you mean jsonl?\n",
        ),
        (
            ".schema gull",
            "error: there is no table `gull`; did you mean gulls?\n",
        ),
        (
            "\\d terns",
            "error: there is no table `terns`; .tables lists the tables\n",
        ),
        (".timer perhaps", "error: say .timer on or .timer off\n"),
        (
            ".maxrows many",
            "error: say .maxrows auto, .maxrows all or .maxrows and a number\n",
        ),
        (
            ".keys gulls",
            "error: say .keys TABLE [(COLUMN, …)] VALUES (VALUE, …) or TABLE x'KEY'\n",
        ),
        (
            "!tables",
            "error: there is no command !tables; write .tables\n",
        ),
        (
            "!describe gulls",
            "error: there is no command !describe; write .describe\n",
        ),
        (
            "!outputformat csv",
            "error: there is no command !outputformat; .mode FORMAT sets how results look\n",
        ),
        (
            "!tabels",
            "error: there is no command !tabels; did you mean .tables?\n",
        ),
        (
            ".help me",
            "error: there is no command me; .help lists them\n",
        ),
    ] {
        assert_eq!(complaint(line), expected, "{line}");
    }
    assert!(complaint(".read /no/such/file").starts_with("error: cannot read /no/such/file: "));
    let in_memory = complaint(".backup /no/such/copy");
    assert!(
        in_memory.starts_with("error: a database that is not on disk cannot be backed up to /no/"),
        "{in_memory}"
    );
    assert!(complaint(".output /no/such/file").starts_with("error: cannot write /no/such/file: "));
}

#[test]
fn quit_ends_the_shell() {
    for line in [".quit", "  .quit;", "\\q", "exit", "QUIT;", ".exit"] {
        let (out, log, open) = session(&[line]);
        assert_eq!(
            (out.as_str(), log.as_str(), open),
            ("", "", false),
            "{line}"
        );
    }
}

#[test]
fn tables_are_listed_with_their_keys() {
    let expected = "table,row_key\ngulls,\"bucket(4, name), name, seen DESC\"\n";
    for line in [".tables", "\\dt", "\\d", ".tables gu*", "\\dt %LLS"] {
        assert_eq!(printed(&[line]), expected, "{line}");
    }
    assert_eq!(printed(&[".tables terns*"]), "table,row_key\n");
}

#[test]
fn a_table_is_described_and_declared() {
    let described = printed(&["\\d Gulls"]);
    let expected = "column,type,null,key,default,checks\n\
         name,TEXT,false,\"1: bucket(4, name), 2: name\",,\n\
         seen,TIMESTAMP(3),false,3: seen DESC,,\n\
         n,INT,false,\"\",,\n\
         about,value\n\
         row key,\"bucket(4, name), name, seen DESC\"\n";
    assert_eq!(described, expected);
    let rich = "CREATE TABLE terns (a INT DEFAULT 7, b INT, CONSTRAINT small CHECK (b < 9), PRIMARY KEY (a)) \
         SPLIT (1, 5) WITH (families = 'x(b)');";
    let described = printed(&[rich, "\\d terns"]);
    let expected = "column,type,null,key,default,checks\n\
         a,INT,false,1: a,7,\n\
         b,INT,true,\"\",,b < 9\n\
         about,value\n\
         row key,a\n\
         check small,b < 9\n\
         split,\"1, 5\"\n\
         families,x(b)\n";
    assert_eq!(described, expected);
    let schema = printed(&[".schema"]);
    assert!(
        schema.starts_with("CREATE TABLE gulls (\n") && schema.ends_with(");\n"),
        "{schema}"
    );
    assert_eq!(printed(&[".schema gulls"]), schema);
    // What is printed makes the table again.
    let (again, log, _) = session(&[&schema, ".schema"]);
    assert_eq!((again, log.as_str()), (schema, ""));
}

#[test]
fn what_to_write_instead_is_said_once() {
    for (sql, message, instead) in [
        (
            "SELECT row_to_json(name) FROM gulls;",
            "error: there is no function `row_to_json`",
            "name the columns: to_json({'a': a, 'b': b})",
        ),
        (
            "SELECT * FROM pg_tables;",
            "error: there is no table `pg_tables`",
            "what there is stands in information_schema",
        ),
    ] {
        let said = complaint(sql);
        assert!(said.starts_with(message), "{said}");
        assert_eq!(said.matches(instead).count(), 1, "{said}");
    }
}

#[test]
fn comments_are_shown() {
    let says = [
        "COMMENT ON TABLE gulls IS 'what was ''seen''';",
        "COMMENT ON COLUMN gulls.seen IS 'when';",
    ];
    let described = printed(&[says[0], says[1], "\\d+ gulls"]);
    assert!(
        described.contains("column,comment\n,what was 'seen'\nseen,when\n"),
        "{described}"
    );
    let schema = printed(&[says[0], says[1], ".schema gulls"]);
    assert!(
        schema.ends_with(&format!("{}\n{}\n", says[0], says[1])),
        "{schema}"
    );
    assert!(!printed(&["\\d+ gulls", ".schema"]).contains("comment"));
}

#[test]
fn mode_changes_the_format_and_lists_formats() {
    let out = printed(&["SELECT 1 AS a;", ".mode jsonl", "SELECT 1 AS a;", ".mode"]);
    assert!(out.starts_with("a\n1\n{\"a\":1}\n"), "{out}");
    assert!(
        out.contains("\n* jsonl ") && out.contains("\n  csv "),
        "{out}"
    );
    let out = printed(&[
        "\\x",
        "SELECT 1 AS a;",
        "\\x",
        "SELECT 1 AS a;",
        "\\x on",
        "SELECT 2 AS a;",
    ]);
    let line = "─ row 1\na │ 1\n1 row\n";
    assert!(
        out.starts_with(line) && out.contains("┌") && out.ends_with("a │ 2\n1 row\n"),
        "{out}"
    );
}

#[test]
fn rows_that_do_not_fit_are_shown_as_lines() {
    let wide = "SELECT 'abcdefghij' AS a, 'klmnopqrst' AS b;";
    let box_of_wide = printed(&[".mode box", wide]);
    // Each column takes its 10 and 3, and the last line 1.
    assert_eq!(printed(&["\\x auto", ".maxwidth 27", wide]), box_of_wide);
    let lines = "─ row 1\na │ abcdefghij\nb │ klmnopqrst\n1 row\n";
    assert_eq!(printed(&["\\x AUTO", ".maxwidth 26", wide]), lines);
    assert_eq!(printed(&[".mode auto", ".maxwidth 26", wide]), lines);
    // Elsewhere than on a terminal everything fits.
    assert_eq!(printed(&["\\x auto", wide]), box_of_wide);
    let one = "SELECT 'abcdefghijklmnop' AS a;";
    let cut = printed(&["\\x auto", ".maxwidth 14", one]);
    assert!(cut.contains("│ abcdefghi… │"), "{cut}");
    let plan = printed(&["\\x auto", ".maxwidth 20", "EXPLAIN SELECT 1 + 1 AS two;"]);
    assert!(plan.contains("logical_plan:\n"), "{plan}");
    let out = printed(&["\\x auto", "\\x", wide, "\\x", wide]);
    assert_eq!(out, lines.to_owned() + &box_of_wide);
}

#[test]
fn long_results_are_cut_where_that_is_asked_for() {
    let many = "SELECT * FROM generate_series(1, 100);";
    assert!(printed(&[".mode box", many]).ends_with("\n100 rows\n"));
    let out = printed(&[
        ".mode box",
        ".maxrows 4",
        many,
        ".maxwidth 10",
        "SELECT 'abcdefghijkl' AS t;",
        ".maxrows",
    ]);
    assert!(
        out.contains("\n100 rows (4 shown)\n") && out.contains("│ abcde… │"),
        "{out}"
    );
    assert!(out.ends_with("\n.maxrows 4\n"), "{out}");
}

#[test]
fn the_ranges_of_a_query_are_shown() {
    let query = "SELECT * FROM gulls WHERE name = 'herring'";
    let explained = printed(&[&format!("EXPLAIN KEYS {query};")]);
    assert!(explained.contains(",range,1,"), "{explained}");
    assert_eq!(printed(&[&format!(".ranges {query}")]), explained);
}

#[test]
fn bounds_of_ranges_are_not_cut() {
    let query =
        ".ranges SELECT n FROM gulls WHERE name = 'herring' AND seen < '2024-01-31' AND n > 5";
    let cells = printed(&[".mode csv", query]);
    // Without a comma in it, none of these is quoted.
    let cells: Vec<&str> = cells.lines().nth(1).unwrap().split(',').collect();
    let [start, stop, _, start_hex, stop_hex] = &cells[5..10] else {
        panic!("{cells:?}");
    };
    let shown = printed(&[".mode box", ".maxwidth 117", query]);
    // A box without the bytes, and without the index, which is NULL; what it does not hold stands below.
    assert!(shown.starts_with('┌'), "{shown}");
    for bound in [start, stop] {
        assert!(shown.contains(&format!(" {bound} ")), "{bound}{shown}");
    }
    for absent in ["index", "start_hex", start_hex, stop_hex] {
        assert!(!shown.contains(absent), "{absent}{shown}");
    }
    assert!(shown.contains("\non rows of gulls: n > 5 ("), "{shown}");
    // Narrower, the bounds stand one below the other; too narrow for them, each has a line.
    let narrow = printed(&[".mode box", ".maxwidth 102", query]);
    assert!(
        narrow.starts_with('┌') && narrow.contains("on rows of gulls: "),
        "{narrow}"
    );
    assert!(narrow.contains(&format!(" {start} ")) && narrow.contains(&format!(" {stop} ")));
    let narrowest = printed(&[".mode box", ".maxwidth 40", query]);
    for (name, bound) in [("start", start), ("stop", stop)] {
        let line = format!("\n{name:<14} │ {bound}\n");
        assert!(narrowest.contains(&line), "{line}{narrowest}");
    }
    // The bytes are there when they are asked for, and side by side where there is room.
    let wide = printed(&[".mode box", ".hex on", ".maxwidth 500", query]);
    assert!(wide.starts_with('┌') && wide.contains(stop_hex), "{wide}");
    let lines = printed(&[".mode box", "\\x on", query]);
    assert!(
        lines.contains(&format!("\nstop_hex       │ {stop_hex}\n")),
        "{lines}"
    );
}

#[test]
fn a_bound_that_says_nothing_is_left_out() {
    let query = ".ranges SELECT n FROM gulls WHERE seen = TIMESTAMP '2024-01-01' AND seen = TIMESTAMP '2024-01-02'";
    for width in (10..130).step_by(10) {
        let shown = printed(&[".mode box", &format!(".maxwidth {width}"), query]);
        assert!(
            shown.contains(" empty") && !shown.contains("stop"),
            "{width}{shown}"
        );
    }
}

#[test]
fn variables_stand_in_statements() {
    let out = printed(&[
        "\\set n 3",
        "\\set name 'O''Hara'",
        ".set both 'SELECT :n AS a; SELECT 4 AS b'",
        "SELECT :n AS n, :'name' AS name, ':n' AS text;",
        ":both;",
        ".print n is :n",
        ".unset n",
        ".set",
    ]);
    let expected = "n,name,text\n3,O'Hara,:n\na\n3\nb\n4\nn is 3\nvariable,value\n";
    assert!(out.starts_with(expected), "{out}");
    assert!(out.ends_with("name,O'Hara\n"), "{out}");
    let unset = complaint("SELECT :nothing;");
    assert!(unset.starts_with("error: "), "{unset}");
    for wrong in [
        "\\set 1a 2",
        "\\set a 'b",
        "\\unset x",
        "\\set ON_ERROR_STOP maybe",
    ] {
        assert!(complaint(wrong).starts_with("error: "), "{wrong}");
    }
}

#[test]
fn null_is_shown_as_the_user_likes() {
    let query = "SELECT * FROM (VALUES (NULL, 'none', '')) AS t (a, b, c);";
    let out = printed(&[
        ".nullvalue none",
        query,
        ".mode line",
        query,
        ".mode markdown",
        query,
    ]);
    let line = "a │ none\nb │ 'none'\nc │ \n";
    for part in ["none,\"none\",\"\"\n", line, "| none | 'none' |  |\n"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let out = printed(&[".nullvalue none", ".nullvalue", query, ".mode line", query]);
    assert!(
        out.contains(",none,\"\"\n") && out.contains("a │ NULL\n"),
        "{out}"
    );
    let spaces = complaint(".nullvalue not known");
    assert!(spaces.contains("stands in quotes"), "{spaces}");
}

#[test]
fn tables_tell_how_large_they_are() {
    let insert =
        "INSERT INTO gulls SELECT 'g' || value, '2024-01-01', 1 FROM generate_series(1, 500);";
    let out = printed(&[insert, ".tables+ g*", "\\d+ gulls", "\\dt+ x*"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        "table,row_key,columns,estimated_rows,estimated_bytes"
    );
    assert!(
        lines[1].starts_with("gulls,\"bucket(4, name), name, seen DESC\",3,500,"),
        "{out}"
    );
    let described = out
        .lines()
        .position(|line| line.starts_with("column,type"))
        .unwrap();
    assert_eq!(lines[described + 6..described + 8], lines[..2]);
}

#[test]
fn statements_are_repeated() {
    let out = printed(&[
        "SELECT 1 AS a;",
        ".tables",
        "\\watch 0.01 c=2",
        ".watch i=0.01 c=1 SELECT 2 AS b",
    ]);
    assert!(
        out.starts_with("a\n1\n") && out.ends_with("a\n1\na\n1\nb\n2\n"),
        "{out}"
    );
    let (_, log, _) = session(&["\\watch 1"]);
    assert!(log.contains("there is no statement yet"), "{log}");
    let (out, log, open) = session(&[".watch 0.01 SELECT nosuch"]);
    assert!(
        open && out.is_empty() && log.starts_with("error: "),
        "{log}"
    );
}

#[cfg(unix)]
#[test]
fn programs_are_run() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("made").display().to_string();
    let out = printed(&[&format!("\\! echo done > '{file}'"), "SELECT 1 AS a;"]);
    assert_eq!(out, "a\n1\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), "done\n");
    assert_eq!(
        complaint("\\! exit 3"),
        "error: exit 3 ended with status 3\n"
    );
}

#[test]
fn files_are_read_written_and_imported() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::write(
        path("gulls.csv"),
        "name,seen,n\nherring,2024-01-01,7\nkelp,2024-01-02,8\n",
    )
    .unwrap();
    fs::write(
        path("a script.sql"),
        "SELECT count(*) AS n\nFROM gulls;\n.mode jsonl\nSELECT 1 AS one;\n",
    )
    .unwrap();
    let out = printed(&[
        &format!(".import {} gulls (HEADER)", path("gulls.csv")),
        &format!(".read '{}'", path("a script.sql")),
        &format!("\\i {}", path("a script.sql")),
        &format!(".output {}", path("out")),
        "SELECT 2 AS two;",
        ".once /dev/null",
        "SELECT 3 AS three;",
        "SELECT 4 AS four;",
        &format!("\\o {}", path("other")),
        "SELECT 5 AS five;",
        "\\o",
        "SELECT 6 AS six;",
    ]);
    assert_eq!(
        out,
        "n\n2\n{\"one\":1}\n{\"n\":2}\n{\"one\":1}\n{\"four\":4}\n{\"six\":6}\n"
    );
    assert_eq!(fs::read_to_string(path("out")).unwrap(), "{\"two\":2}\n");
    assert_eq!(fs::read_to_string(path("other")).unwrap(), "{\"five\":5}\n");
}

#[cfg(unix)]
#[test]
fn results_go_to_programs() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let three = "SELECT value AS n FROM generate_series(1, 3);";
    let out = printed(&[
        &format!(".output |sort -r > '{}'", path("all")),
        three,
        "SELECT 7 AS n;",
        ".output",
        &format!(".once | sed 's/2/two/' > {};", path("one")),
        three,
        "SELECT 8 AS eight;",
        // Who reads only the beginning has seen enough.
        ".once |head -c 1 > /dev/null",
        "SELECT * FROM generate_series(1, 100000);",
        "SELECT 9 AS nine;",
    ]);
    assert_eq!(out, "eight\n8\nnine\n9\n");
    let read = |name: &str| fs::read_to_string(path(name)).unwrap();
    assert_eq!(read("all"), "n\nn\n7\n3\n2\n1\n");
    assert_eq!(read("one"), "n\n1\ntwo\n3\n");
}

#[cfg(unix)]
#[test]
fn a_program_that_cannot_read_is_told() {
    let many = "SELECT * FROM generate_series(1, 100000);";
    let (out, log, open) = session(&[".output |true", many, many, ".output", "SELECT 1 AS a;"]);
    assert_eq!((out.as_str(), open), ("a\n1\n", true));
    let ended = "error: cannot write |true: the program has ended\n  SELECT * FROM gen";
    assert!(log.starts_with(ended), "{log}");
    assert_eq!(log.matches("error: ").count(), 1, "{log}");
    let (_, log, open) = session(&[".once |exec no_such_program 2> /dev/null", "SELECT 1 AS a;"]);
    let missing =
        "error: cannot write |exec no_such_program 2> /dev/null: the program cannot be run\n";
    assert!(open && log.starts_with(missing), "{log}");
    assert_eq!(complaint(".once | "), "error: say .once |COMMAND\n");
}

#[cfg(unix)]
#[test]
fn a_program_that_fails_is_told_with_its_status() {
    let few = "SELECT 1 AS one;";
    let (out, log, open) = session(&[".output |exit 3", few, ".output", "SELECT 2 AS two;"]);
    assert_eq!((out.as_str(), open), ("two\n2\n", true));
    assert_eq!(
        log,
        "error: cannot write |exit 3: the program ended with status 3\n"
    );
    // Of a result alone, the statement has failed.
    let (_, log, open) = session(&[".once |false", few, "SELECT 2 AS two;"]);
    let failed = "error: cannot write |false: the program ended with status 1\n";
    assert!(open && log.starts_with(failed), "{log}");
    let (_, log, _) = session(&[".once |kill -9 $$", few]);
    assert!(log.contains("ended with status 137"), "{log}");
    // What has stopped reading of itself has not failed.
    for stopped in ["kill -13 $$", "exit 141", "true"] {
        assert_eq!(
            session(&[&format!(".once |{stopped}"), few]).1,
            "",
            "{stopped}"
        );
    }
}

#[test]
fn an_error_in_a_file_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("load.sql").display().to_string();
    fs::write(&file, "SELECT 1 AS a;\n\nSELECT nosuch\nFROM gulls;\n").unwrap();
    let (out, log, _) = session(&[GULLS, &format!(".read {file}")]);
    assert_eq!(out, "a\n1\n");
    assert!(
        log.starts_with(&format!(
            "error: there is no column `nosuch` ({file}, line 3)\n"
        )),
        "{log}"
    );
}

#[test]
fn every_setting_that_is_completed_can_be_shown() {
    let out = printed(&["SET halite.span_budget = 7;", "SHOW halite.span_budget;"]);
    assert_eq!(out, "name,value\nhalite.span_budget,7\n");
    let log = complaint("SHOW halite.span_bugdet;");
    assert!(log.contains("did you mean halite.span_budget?"), "{log}");
}
