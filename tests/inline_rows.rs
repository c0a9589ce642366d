//! Rows that stand in a script, behind their COPY.

use super::program::{failure, results, run, run_with_input};

/// As `pg_dump` writes them: fields between tabs, `\N` for NULL, up to `\.`.
#[test]
fn rows_stand_in_a_script_behind_their_copy() {
    let script = "CREATE TABLE t (a INT PRIMARY KEY, b TEXT, c DATE);\n\
        COPY t (a, b, c) FROM stdin;\n\
        1\tit's; \\\\ \\t\t2024-01-31\n\
        2\t\t\\N\n\
        3\t\\N\t\\N\n\
        \\.\n\
        COPY t FROM STDIN (FORMAT csv, HEADER);\n\
        a,b,c\n4,\"x,y\",\n\\.\n\
        SELECT * FROM t ORDER BY a;\n";
    let expected = "a,b,c\n1,it's; \\ \t,2024-01-31\n2,\"\",\n3,,\n4,\"x,y\",\n";
    let output = run_with_input(&["--format", "csv"], script);
    assert_eq!(results(&output), expected);
    let directory = tempfile::TempDir::new().unwrap();
    let file = directory.path().join("dump.sql");
    std::fs::write(&file, script).unwrap();
    let name = file.display().to_string();
    let output = run(&["--format", "csv", "-f", &name]);
    assert_eq!(results(&output), expected);
    // What is wrong is told with the line of the script, and nothing of these rows is there.
    std::fs::write(&file, script.replace("3\t\\N", "x\t\\N")).unwrap();
    let (_, error) = failure(&run(&["-f", &name]));
    assert!(
        error.contains("dump.sql line 5: table `t`: column `a`: 'x' is not of type INT"),
        "{error}"
    );
}
