use crate::shell::command::tests::{complaint, printed};
use crate::shell::state::tests::session;

#[test]
fn the_key_of_a_row_is_shown() {
    let expected = "part,value,hex\n\"bucket(4, name)\",1,01\nname,herring,68657272696e670001\nseen,2024-01-01T00:00:00.000,";
    let whole = printed(&[".keys gulls VALUES ('herring', '2024-01-01', 7)"]);
    assert!(whole.starts_with(expected), "{whole}");
    assert!(
        whole.contains("\nrow key,/1/herring/2024-01-01T00:00:00.000,0168657272696e670001"),
        "{whole}"
    );
    // The bytes are those that are stored.
    let stored = printed(&[
        "INSERT INTO gulls VALUES ('herring', '2024-01-01', 7);",
        "SELECT encode(row_key, 'hex') AS k FROM keys('gulls');",
    ]);
    let hex = stored.lines().nth(1).unwrap();
    assert!(whole.ends_with(&format!(",{hex}\n")), "{whole} {hex}");
    for line in [
        ".keys gulls VALUES ('herring', '2024-01-01')",
        ".keys Gulls (seen, name) VALUES ('2024-01-01', 'herring')",
    ] {
        assert_eq!(printed(&[line]), whole, "{line}");
    }
    assert_eq!(
        printed(&[
            ".keys gulls VALUES ('herring', '2024-01-01')",
            "SELECT count(*) AS n FROM gulls;"
        ]),
        whole + "n\n0\n"
    );
    assert!(
        complaint(".keys gulls VALUES ('a', '2024-01-01'), ('b', '2024-01-01')")
            .contains("one row")
    );
}

/// Values are those of the key's columns in the order in which the key names them, which is not the table's.
#[test]
fn values_are_taken_in_the_order_of_the_key() {
    let table = "CREATE TABLE o (amount INT, order_id INT, ts TIMESTAMP(3), customer_id INT, \
         PRIMARY KEY (customer_id, ts DESC, order_id));";
    let whole = printed(&[table, ".keys o VALUES (7, '2024-01-01', 1)"]);
    let expected = "part,value,hex\ncustomer_id,7,80000007\nts,2024-01-01T00:00:00.000,";
    assert!(whole.starts_with(expected), "{whole}");
    assert!(
        whole.contains("\norder_id,1,80000001\nrow key,/7/2024-01-01T00:00:00.000/1,"),
        "{whole}"
    );
    for same in [
        ".keys o VALUES (55, 1, '2024-01-01', 7)",
        ".keys o (order_id, customer_id, ts) VALUES (1, 7, '2024-01-01')",
    ] {
        assert_eq!(printed(&[table, same]), whole, "{same}");
    }
    // The first ones alone are the range of the keys that begin so.
    let expected =
        "part,value,hex\ncustomer_id,7,80000007\nstart,/7/*,80000007\nstop,/7/*,80000008\n";
    for begun in [".keys o VALUES (7)", ".keys o (customer_id) VALUES (7)"] {
        assert_eq!(printed(&[table, begun]), expected, "{begun}");
    }
    let complaint = |line: &str| {
        let (out, log, _) = session(&[table, line]);
        assert_eq!(out, "", "{line}");
        log
    };
    for (line, told) in [
        (
            ".keys o VALUES ('x', '2024-01-01', 1)",
            ["'x'", "customer_id"],
        ),
        (".keys o VALUES (1, NULL, 1)", ["`ts`", "NULL"]),
        (
            ".keys o VALUES (1, '2024-01-01', 1, 5, 6)",
            ["5 values", "4"],
        ),
        (
            ".keys o (amount) VALUES (5)",
            ["begin with customer_id", "no value"],
        ),
        (
            ".keys o (whn) VALUES ('2024-01-01')",
            ["no column whn", "o"],
        ),
        (".keys o VALUES (1), (2)", ["one row", ""]),
        (".keys o SELECT 1", ["one row", ""]),
        (
            ".keys o x'8000000780'",
            ["key part `ts`", "1 bytes where a field has 8"],
        ),
    ] {
        let log = complaint(line);
        assert!(told.iter().all(|told| log.contains(told)), "{line}: {log}");
        let is_by_key = line.starts_with(".keys o VALUES ('x'") || line.contains("NULL");
        let order = "those of (customer_id, ts, order_id), in the order of the key";
        assert_eq!(log.contains(order), is_by_key, "{line}: {log}");
    }
}

/// A salt is computed from the whole key: of a part of it there is a range in each bucket.
#[test]
fn the_beginning_of_a_salted_key_is_in_all_buckets() {
    let tables = "CREATE TABLE e (kind INT, n INT, v INT, PRIMARY KEY (salt(4), kind, n)); \
         CREATE TABLE d (name TEXT, n INT, PRIMARY KEY (n, dict(name)));";
    let begun = printed(&[tables, ".keys e VALUES (7)"]);
    assert!(begun.contains("range,0–3,/0..3/7/*,/0..3/7/*,"), "{begun}");
    let whole = printed(&[tables, ".keys e VALUES (7, 1)"]);
    assert!(
        whole.contains("\nkind,7,80000007\nn,1,80000001\nrow key,/"),
        "{whole}"
    );
    // An id of a dictionary is shown as its text.
    let insert = "INSERT INTO d (name, n) VALUES ('web-1', 7);";
    let of_d = printed(&[tables, insert, ".keys d VALUES (7, 'web-1')"]);
    assert!(
        of_d.contains("\ndict(name),web-1,00000001\nrow key,/7/web-1,8000000700000001\n"),
        "{of_d}"
    );
    let (_, log, _) = session(&[tables, ".keys d VALUES (7, 'web-9')"]);
    assert!(log.contains("web-9 is not in the dictionary"), "{log}");
}

#[test]
fn a_key_is_read() {
    let keys = ".keys gulls VALUES ('herring', '2024-01-01')";
    let whole = printed(&[keys]);
    let hex = whole.lines().last().unwrap().rsplit(',').next().unwrap();
    for written in [
        format!("x'{hex}'"),
        format!("X '{hex}'"),
        format!("\\x{hex}"),
    ] {
        assert_eq!(printed(&[&format!(".key gulls {written}")]), whole);
    }
    // The beginning of a key, as bounds are.
    let begun = printed(&[&format!(".key gulls x'{}'", &hex[..2])]);
    assert!(
        begun.contains("start,/") && begun.contains("stop,/") && begun.contains("/*,"),
        "{begun}"
    );
    for wrong in ["x'0g'", "x'0'", "x'+f'"] {
        let told = complaint(&format!(".key gulls {wrong}"));
        assert!(told.contains("no hexadecimal digits"), "{told}");
    }
    let told = complaint(&format!(".key gulls x'{hex}00'"));
    assert!(told.contains("1 bytes too many"), "{told}");
    let query = format!("SELECT decode_key('gulls', x'{hex}') AS k;");
    let shown = printed(&[&query]);
    assert!(shown.contains("/herring/2024-01-01"), "{shown}");
}
